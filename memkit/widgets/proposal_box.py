"""ProposalBox: open proposals one at a time, with a text to accept or to change first."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W

from memkit.core.errors import MemkitError
from memkit.core.formatting import counted, short, when_text
from memkit.graph.me import USER
from memkit.maintenance.proposals import Proposal
from memkit.widgets.base import FULL, WIDE, hint, in_a_row, sentence
from memkit.widgets.opened import AnyDatabase, opened
from memkit.widgets.static_html import Still, framed

ASKING = {
    "merge": "Are these the same?",
    "contradiction": "Which is true?",
    "slot": "Is this so, and to be kept?",
}

BECOMES = "The text of the memory that takes the place of these; you may change it"


class ProposalBox(Still):
    """The oldest open proposal with its members. Accept uses the text in the box.

    `waiting` are the open proposals, `decided` those that were decided here, `error` the message of the last failure.
    Below, `name` says who the user is (or most probably is), and the button `me` confirms it.
    """

    def __init__(self, db: AnyDatabase):
        self.db = db = opened(db, self)
        self.decided: list[Proposal] = []
        self.error: str | None = None
        self.waiting: list[Proposal] = []
        self.out = W.HTML()
        self.said = W.HTML()
        self.text = W.Textarea(description="Becomes", tooltip=BECOMES, style=WIDE, layout=FULL)
        self.accept = W.Button(description="Accept", tooltip="Do what is proposed", button_style="primary")
        self.refuse = W.Button(description="Refuse", tooltip="Leave these memories as they are, and do not ask again")
        self.later = W.Button(description="Later", tooltip="Decide this another time, and see the next one")
        self.accept.on_click(lambda _: self._decide(lambda one: db.accept(one.id, text=self.text.value)))
        self.refuse.on_click(lambda _: self._decide(lambda one: db.refuse(one.id)))
        self.later.on_click(lambda _: self._put_off())
        known = db.me()
        self.name = W.Text(
            description="You are",
            value=(db.likely_me() or "") if known == USER else known,
            placeholder="your name",
            tooltip="The name that your own notes and chats call you by",
            style=WIDE,
        )
        self.me = W.Button(description="That is me", tooltip="What this name says and does is then yours")
        self.me.on_click(lambda _: self._confirm())
        decide = in_a_row(self.accept, self.refuse, self.later)
        super().__init__([self.out, self.text, decide, self.said, in_a_row(self.name, self.me)])
        self.refresh()

    @property
    def proposal(self) -> Proposal | None:
        """The proposal that is shown; None if there is nothing to decide."""
        return self.waiting[0] if self.waiting else None

    @property
    def still(self) -> str:
        """The proposal and its text as HTML that needs no kernel."""
        becomes = f"<p>{self.text.description}: {escape(self.text.value)}</p>" if self.text.value else ""
        return super().still + becomes

    def refresh(self) -> None:
        """Reads the open proposals again (also those whose decision was undone), and shows the oldest."""
        self.waiting = self.db.proposals()
        open_again = {one.id for one in self.waiting}
        self.decided = [one for one in self.decided if one.id not in open_again]
        self._show()

    def _decide(self, decide: Any) -> None:
        if self.proposal is None:
            return
        try:
            self.decided.append(decide(self.proposal))
            self.error = None
            self._say(done(self.decided[-1]))
        except MemkitError as error:
            self.error = str(error)
            self.out.value = framed(sentence(self.error) + self._html())
            self.keep()
            return
        self.refresh()

    def _confirm(self) -> None:
        try:
            self.name.value = self.db.me(self.name.value)
            self.error = None
        except MemkitError as error:
            self.error = str(error)
            self.out.value = framed(sentence(self.error) + self._html())
            return
        self.refresh()

    def _put_off(self) -> None:
        self.waiting = self.waiting[1:] + self.waiting[:1]
        self._say("Put off: it comes again after the others.")
        self._show()

    def _say(self, said: str) -> None:
        self.said.value = framed(f'<span role="status">{escape(said)}</span>')

    def _show(self) -> None:
        self.text.value = self.proposal.text if self.proposal else ""
        for widget in (self.text, self.accept, self.refuse, self.later):
            widget.disabled = self.proposal is None
        self.out.value = framed(self._html())
        self.keep()

    def _html(self) -> str:
        one = self.proposal
        if one is None:
            return hint("There is nothing to decide.")
        members = "".join(
            f"<li>{escape(side.text)} <small>{escape(when_text(side.at))}</small></li>"
            for side in self.db.proposed(one.id)
        )
        head = f"<b>{ASKING[one.kind]}</b> <small>{escape(one.why)}; {len(self.waiting):,} to decide</small>"
        return f"<p>{head}</p><ul>{members}</ul>"

    def __repr__(self) -> str:
        """A short description. (The repr of ipywidgets lists all traits.)"""
        return f"<ProposalBox {len(self.waiting)} to decide, {len(self.decided)} decided>"


def done(one: Proposal) -> str:
    """A sentence about what became of a decided proposal, and how it is taken back."""
    back = f"db.undo({one.id!r}) takes it back."
    if one.state == "refused":
        return f"Refused: everything stays as it is, and this is not asked again. {back}"
    became = repr(short(one.text, 120))
    if one.kind == "slot":
        return f"Accepted: kept as {became}. {back}"
    if one.kind == "contradiction":
        return f"Accepted: {became} is true; what contradicts it is put away, not lost. {back}"
    members = counted(len(one.members), "memories")
    return f"Accepted: in place of {members} there is one, {became}; they are put away, not lost. {back}"
