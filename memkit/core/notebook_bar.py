"""Progress bar of a notebook, in HTML.

It is an output that is replaced, and no widget: a notebook that is saved, or whose kernel dies, has no model to miss.
"""

from __future__ import annotations

from html import escape
from uuid import uuid4

from memkit.core.job_bar import JobBar

STYLE = "width:16em;max-width:100%;vertical-align:middle;accent-color:var(--jp-brand-color1)"


class NotebookBar(JobBar):
    """A bar in the output of the cell that runs the job."""

    def begin(self) -> None:
        from IPython.display import display

        self._id = f"memkit-{uuid4().hex}"
        display(self._bundle(), raw=True, display_id=self._id)  # type: ignore[no-untyped-call]

    def draw(self) -> None:
        self._update(self._bundle())

    def remove(self) -> None:
        self._update({"text/plain": ""})

    def _update(self, bundle: dict[str, str]) -> None:
        from IPython.display import update_display

        update_display(bundle, raw=True, display_id=self._id)  # type: ignore[no-untyped-call]

    def _bundle(self) -> dict[str, str]:
        sentence = self.sentence()
        known = "" if self.share is None else f' value="{self.share:.4f}"'
        drawn = f'<progress aria-label="{escape(sentence)}" style="{STYLE}"{known}></progress>'
        return {"text/plain": sentence, "text/html": f"<div>{drawn} <span>{escape(sentence)}</span></div>"}
