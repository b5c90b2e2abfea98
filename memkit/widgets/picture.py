"""The place of a drawing whose names can be walked to with a click or Enter, where anywidget is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as W
import traitlets


def picture(walk: Callable[[str], Any]) -> W.Widget:
    """A widget whose `value` is the drawing as SVG; what is chosen in it (an entity's id) is walked to.

    Without anywidget (the extra `graph`) it is the same drawing, standing still.
    """
    kind = _clickable()
    if kind is None:
        return W.HTML()
    made = kind()
    made.observe(lambda change: change["new"] and walk(change["new"]), names="chosen")
    return made


@cache
def _clickable() -> type[W.DOMWidget] | None:
    """The kind of widget that tells what was chosen; None without anywidget."""
    try:
        import anywidget
    except ImportError:
        return None

    class Picture(anywidget.AnyWidget):  # type: ignore[misc]
        """A drawing that says what was chosen in it."""

        _esm = Path(__file__).with_suffix(".js")
        value = traitlets.Unicode().tag(sync=True)
        chosen = traitlets.Unicode().tag(sync=True)

    return Picture
