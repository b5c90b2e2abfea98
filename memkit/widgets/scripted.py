"""Widgets that run a script in the page, if anywidget is installed: a table, a drawing, the names of sliders."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as W
import traitlets

HERE = Path(__file__).parent


@cache
def scripted(name: str) -> type[W.DOMWidget] | None:
    """The class of widgets that run the script `name`.js beside this file; None without anywidget (the extra `graph`).

    `value` is what the script shows or needs to know, `chosen` what the user chose in it.
    """
    try:
        import anywidget
    except ImportError:
        return None
    style = HERE / f"{name}.css"
    body: dict[str, Any] = {
        "__doc__": f"A widget of {name}.js.",
        "_esm": HERE / f"{name}.js",
        "value": traitlets.Unicode().tag(sync=True),
        "chosen": traitlets.Unicode().tag(sync=True),
    }
    return type(
        name.title().replace("_", ""), (anywidget.AnyWidget,), body | ({"_css": style} if style.exists() else {})
    )
