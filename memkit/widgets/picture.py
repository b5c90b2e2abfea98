"""Clickable SVG: a drawing with names that can be clicked or chosen with Enter, if anywidget is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as W

from memkit.widgets.scripted import scripted


def picture(walk: Callable[[str], Any]) -> W.Widget:
    """A widget whose `value` is the drawing as SVG; choosing an entity in it calls `walk` with the entity's id.

    Without anywidget (the extra `graph`) the drawing cannot be clicked.
    """
    kind = scripted("picture")
    if kind is None:
        return W.HTML()
    made = kind()
    made.observe(lambda change: change["new"] and walk(change["new"]), names="chosen")
    return made
