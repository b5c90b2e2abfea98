"""What all widgets have in common: inputs that change, an answer below them, and errors as a sentence in place."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import ipywidgets as W

from memkit.driver import sqlite3
from memkit.errors import MemkitError
from memkit.widgets.still import Still
from memkit.widgets.waiting import PAUSE, Latest

WIDE = {"description_width": "7em"}
FULL = W.Layout(width="100%", max_width="60em")


class Asking(Still):
    """A column of inputs and, below them, what they lead to.

    A widget says how inputs become a value (`_answer`), how the value looks (`_html`), and what it is in words
    (`_summary`). A failure that a person can do something about is shown as a sentence, and the value is None.
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
        self._latest = Latest(self._tried, self._shown, pause)
        super().__init__([*inputs, self.out, *below])
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
        """The answer to what the inputs say now; None where there was an error (`error` says which)."""
        self._latest.now()
        return self._value

    def _tried(self) -> tuple[Any, str | None]:
        try:
            return self._answer(), None
        except MemkitError as error:
            return None, str(error)
        except sqlite3.Error as error:
            return None, f"The database cannot be read any more: {error}. Open it again."

    def _shown(self, answer: tuple[Any, str | None]) -> None:
        self._value, self.error = answer
        self.out.value = sentence(self.error) if self.error else self._html(self._value)

    def __repr__(self) -> str:
        """What is in here. (That of ipywidgets writes all traits out.)"""
        value = self.value
        return f"<{type(self).__name__} {self.error or self._summary(value)}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live widget and its HTML, once they are the answer to the inputs as they are."""
        self._latest.now()
        return super()._repr_mimebundle_(**kwargs)


def sentence(text: str) -> str:
    """A sentence to read at once, escaped."""
    return f'<p role="alert">{escape(text)}</p>'


def hint(text: str) -> str:
    """A quiet sentence, escaped."""
    return f'<p style="opacity:.75">{escape(text)}</p>'


def text_input(label: str, value: str = "", placeholder: str = "") -> W.Text:
    """A line of text with its label."""
    return W.Text(value, description=label, placeholder=placeholder, style=WIDE, layout=FULL)
