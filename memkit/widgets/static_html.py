"""Static fallback: a column of widgets that is also saved as HTML, for viewers without a kernel."""

from __future__ import annotations

from typing import Any

import ipywidgets as W


class Still(W.VBox):
    """A column of widgets; in a saved notebook it is also plain HTML, for viewers without a kernel, such as GitHub."""

    out: W.HTML

    @property
    def still(self) -> str:
        """The shown answer as HTML that needs no kernel."""
        return str(self.out.value)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live widget, and its text and HTML for viewers without a kernel."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self), "text/html": self.still}
