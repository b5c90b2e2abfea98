"""Still: a column of widgets that is HTML, too, for where nobody answers."""

from __future__ import annotations

from typing import Any

import ipywidgets as W


class Still(W.VBox):
    """A column of widgets; saved in a notebook it is also plain HTML, for places without a kernel, such as GitHub."""

    out: W.HTML

    @property
    def still(self) -> str:
        """What it shows as HTML that needs no kernel."""
        return self.out.value  # type: ignore[no-any-return]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The live widget, and what it shows without one."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self), "text/html": self.still}
