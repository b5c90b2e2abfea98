"""Relevance feedback: inputs below the hits to say whether a hit was useful."""

from __future__ import annotations

from html import escape

import ipywidgets as W

from memkit.core.errors import MemkitError
from memkit.core.formatting import short
from memkit.database.memory_database import MemoryDatabase
from memkit.maintenance.feedback import LONGEST_QUESTION, Tally
from memkit.retrieval.results import Recall
from memkit.storage.driver import sqlite3
from memkit.text.prose import plain
from memkit.widgets.base import ROOM, WIDE
from memkit.widgets.static_html import framed


class Judging(W.HBox):
    """Inputs to choose a hit and say whether it was useful, which is stored with the question (`db.feedback`).

    Hidden if there are no hits or the database is read-only. `last` is the last Tally.
    """

    def __init__(self, db: MemoryDatabase):
        self.db = db
        self.last: Tally | None = None
        self._question = ""
        self.hit = W.Dropdown(
            description="Useful?",
            tooltip="The hit to judge",
            style=WIDE,
            layout=W.Layout(width="32em", max_width=ROOM),
        )
        self.useful = W.Button(description="Useful", tooltip="This hit was useful", layout=W.Layout(width="auto"))
        self.useless = W.Button(
            description="Not useful", tooltip="This hit was not useful", layout=W.Layout(width="auto")
        )
        self.said = W.HTML()
        self.useful.on_click(lambda _: self._give(True))
        self.useless.on_click(lambda _: self._give(False))
        super().__init__(
            [self.hit, self.useful, self.useless, self.said],
            layout=W.Layout(flex_flow="row wrap", align_items="center"),
        )
        self.show(None)

    def show(self, found: Recall | None) -> None:
        """Offers the hits of a recall to choose from."""
        self._question = found.question[:LONGEST_QUESTION] if found else ""
        self.said.value = ""
        self.hit.options = [
            (f"{place}. {short(plain(hit.memory.text), 50)}", hit.memory.id) for place, hit in enumerate(found or (), 1)
        ]
        self.hit.index = 0 if self.hit.options else None  # an empty list before leaves nothing chosen
        self.layout.display = "flex" if found and not self.db.read_only else "none"

    def _give(self, useful: bool) -> None:
        if self.hit.value is None:
            return
        self._say("Noting it. If another program is writing to the file, this waits for it ...")
        try:
            self.last = self.db.feedback(self.hit.value, useful, self._question)
            said = f"Noted: useful {self.last.useful}, not useful {self.last.useless}."
        except (MemkitError, sqlite3.Error) as error:
            said = str(error)
        self._say(said)

    def _say(self, said: str) -> None:
        self.said.value = framed(f'<span role="status">{escape(said)}</span>')
