"""Clickable SVG: a drawing with names that can be clicked or chosen with Enter, if anywidget is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as W
import traitlets


def picture(walk: Callable[[str], Any]) -> W.Widget:
    """A widget whose `value` is the drawing as SVG; choosing an entity in it calls `walk` with the entity's id.

    Without anywidget (the extra `graph`) the drawing cannot be clicked.
    """
    kind = _clickable()
    if kind is None:
        return W.HTML()
    made = kind()
    made.observe(lambda change: change["new"] and walk(change["new"]), names="chosen")
    return made


@cache
def _clickable() -> type[W.DOMWidget] | None:
    """The class of the clickable widget; None without anywidget."""
    try:
        import anywidget
    except ImportError:
        return None

    class Picture(anywidget.AnyWidget):
        """A drawing; `chosen` is the id of the entity that was clicked."""

        _esm = Path(__file__).with_suffix(".js")
        value = traitlets.Unicode().tag(sync=True)
        chosen = traitlets.Unicode().tag(sync=True)

    return Picture
