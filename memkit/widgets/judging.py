"""Judging: whether a hit was of use, said below the hits."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W

from memkit.driver import sqlite3
from memkit.errors import MemkitError
from memkit.life.feedback import LONGEST_QUESTION, Tally
from memkit.render import short
from memkit.results import Recall
from memkit.widgets.asking import WIDE


class Judging(W.HBox):
    """Choose a hit by its place and say whether it was of use: kept with the question (`db.feedback`).

    Not to be seen where nothing was found, and where the database is only read. `last` is the last Tally.
    """

    def __init__(self, db: Any):
        self.db = db
        self.last: Tally | None = None
        self._question = ""
        self.hit = W.Dropdown(description="Of use?", style=WIDE, layout=W.Layout(width="32em"))
        self.useful = W.Button(description="Useful", tooltip="This hit was of use", layout=W.Layout(width="auto"))
        self.useless = W.Button(description="Not useful", tooltip="It was not", layout=W.Layout(width="auto"))
        self.said = W.HTML()
        self.useful.on_click(lambda _: self._give(True))
        self.useless.on_click(lambda _: self._give(False))
        super().__init__(
            [self.hit, self.useful, self.useless, self.said],
            layout=W.Layout(flex_flow="row wrap", align_items="center"),
        )
        self.show(None)

    def show(self, found: Recall | None) -> None:
        """Offers these hits."""
        self._question = found.question[:LONGEST_QUESTION] if found else ""
        self.said.value = ""
        self.hit.options = [
            (f"{place}. {short(hit.memory.text, 50)}", hit.memory.id) for place, hit in enumerate(found or (), 1)
        ]
        self.hit.index = 0 if self.hit.options else None  # after no options none is chosen
        self.layout.display = "flex" if found and not self.db.read_only else "none"

    def _give(self, useful: bool) -> None:
        if self.hit.value is None:
            return
        try:
            self.last = self.db.feedback(self.hit.value, useful, self._question)
            said = f"Noted: useful {self.last.useful}, not useful {self.last.useless}."
        except (MemkitError, sqlite3.Error) as error:
            said = str(error)
        self.said.value = f'<span role="status">{escape(said)}</span>'
