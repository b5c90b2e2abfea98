"""The values of a context: what could be shown, what is, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memkit.results import Recall

NO_ROOM = "no room left"
SAID = "the conversation says it already"
SHOWN = "shown already"
NOT_HERE = "this layout does not show it"


@dataclass(frozen=True)
class Item:
    """Something that a layout could show, known by what it is: ("memory", key), ("fact", key), ("entity", key).

    `values` are what the template is told, as data; `text` is what may be shortened, as it was remembered; `share`
    names the part of the budget that it lives on, where that is not its section.
    """

    section: str = field(compare=False)
    key: tuple[str, int]
    id: str = field(default="", compare=False)
    values: Mapping[str, Any] = field(default_factory=dict, compare=False)
    text: str = field(default="", compare=False)
    share: str = field(default="", compare=False)
    shortened: bool = field(default=False, compare=False)

    def shorter(self, text: str, values: Mapping[str, Any]) -> Item:
        """The same thing in fewer words."""
        return replace(self, text=text, values={**self.values, **values}, shortened=True)


@dataclass(frozen=True)
class Room:
    """What choosing among items needs: the tokens there are, what an item takes, and how one is made shorter."""

    budget: int
    cost: Callable[[Item], int]
    shorten: Callable[[Item, int], Item | None]


@dataclass(frozen=True)
class Plan:
    """What a layout would show if there were room for all of it.

    `sections` are in the order of the page; `first` names those that the budget serves first. `choose` picks among all
    items where sections or things share the budget by a rule. `footer` makes the line that tells what was shown, from
    the tokens used and the numbers of items shown by section; it is not charged (M14). `more` says that a next page
    exists. What is not shown of the sections in `beside` is not missed.
    """

    sections: Mapping[str, Sequence[Item]]
    first: Sequence[str] = ()
    choose: Callable[[Sequence[Item], Room], Sequence[Item]] | None = None
    footer: Callable[[int, Mapping[str, int]], str] | None = None
    left_out: Sequence[LeftOut] = ()
    more: Mapping[str, int] = field(default_factory=dict)
    beside: Sequence[str] = ()

    def ordered(self) -> list[Item]:
        """All items, those first that come first for the budget."""
        names = [*self.first, *(name for name in self.sections if name not in self.first)]
        return [item for name in names for item in self.sections.get(name, ())]


@dataclass(frozen=True)
class Shown:
    """An item as it stands in the text: its section, its id, and the tokens that it takes."""

    section: str
    id: str
    kind: str
    tokens: int
    shortened: bool = False


@dataclass(frozen=True)
class LeftOut:
    """An item that is not in the text, and the reason."""

    section: str
    id: str
    kind: str
    reason: str


@dataclass(frozen=True)
class Context:
    """What a language model should read before a message; `str()` is the text.

    `used` are the tokens of the text, never more than `budget`, except for a footer that its design does not charge.
    `shown` are its items in the order of the page, `left_out` those that were found and are not shown. `recall` is what
    was found for it. `more` says how many further results each section has: `offset` in the next call shows them.
    """

    message: str
    text: str
    used: int
    budget: int
    layout: str
    shown: tuple[Shown, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    more: Mapping[str, int] = field(default_factory=dict)
    turn: str = ""
    recall: Recall | None = field(default=None, compare=False)

    @property
    def sections(self) -> dict[str, tuple[Shown, ...]]:
        """What is shown, by section."""
        names = dict.fromkeys(item.section for item in self.shown)
        return {name: tuple(item for item in self.shown if item.section == name) for name in names}

    @property
    def prompt(self) -> str:
        """The text and then the message: what goes to the model as the user's turn, never as its instructions (C15)."""
        return "\n\n".join(part for part in (self.text, self.turn or self.message) if part)

    def to_dict(self) -> dict[str, Any]:
        """The context as JSON-able values."""
        return {
            "message": self.message,
            "text": self.text,
            "used": self.used,
            "budget": self.budget,
            "layout": self.layout,
            "shown": [vars(item) for item in self.shown],
            "left_out": [vars(item) for item in self.left_out],
            "more": dict(self.more),
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        from memkit.render import context_text

        return context_text(self)

    def _repr_html_(self) -> str:
        from memkit.render import context_html

        return context_html(self)

    def _repr_markdown_(self) -> str:
        from memkit.render import context_markdown

        return context_markdown(self)
