"""Trello loader: a board, or a card, as JSON (*Print, export, and share*)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from memkit.core.instants import to_iso
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, time_or_none
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import Item, drafts
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Task, moment

_OF_BOARD = ("id", "name", "desc", "closed", "idOrganization", "prefs", "labelNames", "shortUrl")
_OF_CARD = ("id", "name", "desc", "closed", "idBoard", "idList", "idShort", "checkItemStates")
_HOW_SHOWN = re.compile(r'\[([^\]\n]{1,2000})\]\((\S{1,2000}) "(?:smartCard-\w+|\u200c)"\)')  # of a link
_EMPTY = re.compile(r"^\u200c\n+", re.MULTILINE)  # a line of which the editor holds the place
_SECONDS = 8  # digits at the beginning of an id: when it was made


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each card with its check lists, and each comment on one."""
    top = as_dict(load_json(whole(path, options), options.limits))
    yield from drafts(_Board(top).items(), path, options, kind="tasks")


class _Board:
    """A board of which the parts of cards are known by their ids. A card that was exported alone is a board of one."""

    def __init__(self, top: dict[str, Any]) -> None:
        self._cards = [as_dict(one) for one in as_list(top.get("cards"))] if "cards" in top else [top]
        self._actions = [as_dict(one) for one in as_list(top.get("actions"))]
        told = [as_dict(as_dict(one.get("data")).get("board")) for one in self._actions]
        board = top if "cards" in top else next(filter(None, told), {})
        self._name = as_text(board.get("name")).strip() or "Trello"
        self._of = f"trello:{as_text(board.get('id')) or as_text(top.get('idBoard'))}"
        self._lists = {as_text(one.get("id")): one for one in map(as_dict, as_list(top.get("lists")))}
        self._people = {
            as_text(one.get("id")): as_text(one.get("fullName")).strip()
            for one in map(as_dict, as_list(top.get("members")))
        }
        self._checks = defaultdict[str, list[dict[str, Any]]](list)
        for one in map(as_dict, as_list(top.get("checklists"))):
            self._checks[as_text(one.get("idCard"))].append(one)

    def items(self) -> Iterator[Item]:
        """The cards in the order of the export, then the comments."""
        names = dict[str, str]()
        for card in self._cards:
            names[as_text(card.get("id"))] = as_text(card.get("name")).strip()
            yield self._card(card).item()
        for action in self._actions:
            if action.get("type") == "commentCard":
                yield self._comment(action, names)

    def _card(self, card: dict[str, Any]) -> Task:
        in_list = self._lists.get(as_text(card.get("idList")), {})
        is_archived = card.get("closed") is True or in_list.get("closed") is True
        people = [self._people.get(one, "") for one in map(as_text, as_list(card.get("idMembers")))]
        labels = [as_dict(one) for one in as_list(card.get("labels"))]
        return Task(
            of=self._of,
            list=self._name,
            id=as_text(card.get("id")),
            title=as_text(card.get("name")).strip(),
            description=_written(as_text(card.get("desc"))),
            due=moment(as_text(card.get("due"))),
            done=moment(as_text(card.get("dateCompleted"))),
            is_done=card.get("dueComplete") is True,
            created=_made(as_text(card.get("id"))),
            folder=as_text(in_list.get("name")).replace("/", " "),
            tags=[*(as_text(one.get("name")) for one in labels), *(["archived"] if is_archived else [])],
            steps=self._steps(as_text(card.get("id"))),
            about={
                "List": as_text(in_list.get("name")).strip(),
                "Start": moment(as_text(card.get("start"))).shown,
                "Assigned to": ", ".join(filter(None, people)),
                "Where": as_text(card.get("locationName")) or as_text(card.get("address")),
            },
        )

    def _steps(self, card: str) -> Iterator[tuple[bool, str]]:
        for checks in self._checks[card]:
            found = [as_dict(one) for one in as_list(checks.get("checkItems"))]
            for one in sorted(found, key=lambda one: _place(one.get("pos"))):
                yield one.get("state") == "complete", as_text(one.get("name")).strip()

    def _comment(self, action: dict[str, Any], names: dict[str, str]) -> Item:
        said = as_dict(action.get("data"))
        card, by = as_dict(said.get("card")), as_dict(action.get("memberCreator"))
        return Item(
            source=self._of, document=self._name,
            id=as_text(action.get("id")), text=_written(as_text(said.get("text"))),
            title=names.get(as_text(card.get("id"))) or as_text(card.get("name")), kind="comment",
            speaker=as_text(by.get("fullName")).strip() or as_text(by.get("username")),
            at=time_or_none(action.get("date")), meta={"on": as_text(card.get("id"))},
        )  # fmt: skip


def _written(text: str) -> str:
    """The text without what only tells Trello how to show it."""
    text = _HOW_SHOWN.sub(lambda link: link[2] if link[1] == link[2] else f"[{link[1]}]({link[2]})", text)
    return _EMPTY.sub("", text).strip("\u200c \n")


def _place(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _made(id: str) -> str | None:
    with suppress(ValueError, OverflowError, OSError):
        return to_iso(datetime.fromtimestamp(int(id[:_SECONDS], 16), tz=timezone.utc))
    return None


def _matches(sample: Sample) -> bool:
    # What a board says of itself stands first: the cards may begin far behind that.
    return sample.has_keys(*_OF_BOARD) or sample.has_keys(*_OF_CARD)


FORMAT = Format("trello", "Boards and cards of Trello (JSON)", read, _matches, ("*.json",))
