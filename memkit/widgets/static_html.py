"""Static fallback: a column of widgets that is also saved as HTML, for viewers without a kernel."""

from __future__ import annotations

import os
from html import escape
from typing import Any
from uuid import uuid4

import ipywidgets as W

LIVE = "application/vnd.jupyter.widget-view+json"

OTHERS = ("VSCODE_", "COLAB_")  # how variables begin where another program shows the notebook

# Of a widget and the HTML below it one is shown: the HTML where no living widget is before it. It needs no script.
ONE_OF_TWO = """<style>
.jp-OutputArea-child:has(.widget-vbox) + .jp-OutputArea-child:has(> * .memkit-still) { display: none; }
.jp-OutputArea-child:has(> .jupyter-widgets):not(:has(.widget-vbox)):has(+ * .memkit-still) { display: none; }
</style>"""


# ipywidgets gives a line the height of an input. Words that are longer than a line, such as links, are broken.
PROSE = "line-height:1.45;overflow-wrap:anywhere"


def framed(html: str) -> str:
    """HTML with lines as near to each other as in a text, of which nothing stands out on the right."""
    return f'<div style="{PROSE}">{html}</div>' if html else ""


class Still(W.VBox):
    """A column of widgets; in a saved notebook it is also plain HTML, for viewers without a kernel, such as GitHub.

    JupyterLab and Notebook save a widget as a mere reference to its kernel, and show an error in its place when the
    notebook is opened again. There the HTML is an output of its own, which follows the widget (`keep`): hidden while
    the widget lives, and shown without it.
    """

    out: W.HTML

    def __init__(self, children: Any):
        self._kept_as = uuid4().hex
        self._shown_live = False
        super().__init__(children)

    @property
    def still(self) -> str:
        """What is shown, as HTML that needs no kernel: in a few words, and the answer."""
        return f"<p><b>{escape(repr(self)[1:-1])}</b></p>{self.out.value}"

    def keep(self) -> None:
        """Updates the saved HTML to what is shown now."""
        if self._shown_live:
            from IPython.display import display

            display(self._still_bundle(), raw=True, display_id=self._kept_as, update=True)

    def _still_bundle(self) -> dict[str, Any]:
        html = f'{ONE_OF_TWO}<div class="memkit-still">{framed(self.still)}</div>'
        return {"text/plain": repr(self), "text/html": html}

    def _ipython_display_(self) -> None:
        """In JupyterLab and Notebook: the live widget, and its HTML as a second output."""
        if not _in_jupyter():
            raise NotImplementedError  # IPython then asks for the bundle
        from IPython.display import display

        view = (super()._repr_mimebundle_() or {})[LIVE]
        display({LIVE: view}, raw=True)
        display(self._still_bundle(), raw=True, display_id=self._kept_as)
        self._shown_live = True

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live widget, and its text and HTML for viewers without a kernel."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self), "text/html": framed(self.still)}


def _in_jupyter() -> bool:
    """Whether a Jupyter server (JupyterLab or Notebook) started this kernel, and shows what it displays.

    VS Code and Colab know no `ONE_OF_TWO`: they choose from the bundle.
    """
    return "JPY_SESSION_NAME" in os.environ and not any(name.startswith(OTHERS) for name in os.environ)
