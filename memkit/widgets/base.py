"""Base class of widgets: inputs with an answer below them; an error is shown as a sentence instead of the answer."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import ipywidgets as W

from memkit.core.errors import MemkitError
from memkit.storage.driver import sqlite3
from memkit.widgets.debounce import PAUSE, Latest
from memkit.widgets.slider_names import SliderNames
from memkit.widgets.static_html import Still, framed

WIDE = {"description_width": "7em"}
ROOM = "calc(100% - 4px)"  # beside the margin that ipywidgets gives every input
FULL = W.Layout(width=ROOM, max_width="60em")


class Asking(Still):
    """A column of inputs with their answer below.

    A subclass computes a value from the inputs (`_answer`), shows it as HTML (`_html`) and describes it in a few words
    (`_summary`). After a MemkitError or an error of SQLite, the message is shown and the value is None.
    """

    def __init__(
        self,
        inputs: Iterable[W.Widget],
        watched: Iterable[W.Widget],
        pause: float = PAUSE,
        below: Iterable[W.Widget] = (),
    ):
        self.out = W.HTML()
        self.error: str | None = None
        self._value: Any = None
        self._latest = Latest(self._tried, self._shown_and_kept, pause)
        self.names = SliderNames()
        super().__init__([*inputs, self.names, self.out, *below])
        self.add_class("memkit-asking")
        for widget in watched:
            widget.observe(self._latest.later, names="value")
        self._shown(self._tried())

    def _answer(self) -> Any:
        raise NotImplementedError

    def _html(self, value: Any) -> str:
        raise NotImplementedError

    def _summary(self, value: Any) -> str:
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """The answer to the current inputs; None after an error (`error` has its message)."""
        self._latest.now()
        return self._value

    def _tried(self) -> tuple[Any, str | None]:
        try:
            return self._answer(), None
        except MemkitError as error:
            return None, str(error)
        except sqlite3.Error as error:
            return None, f"The database cannot be read: {error}. Open it again."

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        self._value, self.error = answer
        self.out.value = framed(sentence(self.error) if self.error else self._html(self._value))

    def _shown_and_kept(self, answer: tuple[Any, str | None]) -> None:
        self._shown(answer)
        self.keep()

    def __repr__(self) -> str:
        """A short description. (The repr of ipywidgets lists all traits.)"""
        value = self.value
        return f"<{type(self).__name__} {self.error or self._summary(value)}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live widget and its HTML, updated to the current inputs first."""
        self._latest.now()
        return super()._repr_mimebundle_(**kwargs)


def sentence(text: str) -> str:
    """An alert with a sentence, as escaped HTML."""
    return f'<p role="alert">{escape(text)}</p>'


def hint(text: str) -> str:
    """A hint in pale text, as escaped HTML."""
    return f'<p style="opacity:.75">{escape(text)}</p>'


def in_a_row(*widgets: W.Widget) -> W.HBox:
    """Widgets side by side, and below each other where the window is narrow."""
    return W.HBox(widgets, layout=W.Layout(flex_flow="row wrap"))


def number(label: str, value: int, least: int, most: int, tooltip: str, step: int = 1) -> W.BoundedIntText:
    """An input of a number with a label. (A slider of ipywidgets has no name that a screen reader could say.)"""
    return W.BoundedIntText(
        value, least, most, step, description=label, tooltip=tooltip, style=WIDE, layout=W.Layout(width="13em")
    )


def text_input(label: str, value: str, placeholder: str, tooltip: str) -> W.Text:
    """A text input of one line with a label."""
    return W.Text(value, description=label, placeholder=placeholder, tooltip=tooltip, style=WIDE, layout=FULL)
