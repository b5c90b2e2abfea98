"""Zulip loader: an organization's export (`messages-000001.json`, with the names in `realm.json` beside it)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, edited
from memkit.sources.contents import beside, whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import short_name

Record = dict[str, Any]

_PERSON, _CHANNEL = 1, 2  # kinds of those to whom a message goes; the others are groups
_MENTION = re.compile(r"([@#])_?\*\*([^*\n|]{1,200})(?:\|\d+)?\*\*")  # of a person, a group or a channel
_MOST_NAMED = 5


@dataclass
class _Realm:
    """Who and what is named in an export, by numbers."""

    name: str = ""
    people: dict[int, str] = field(default_factory=dict)
    programs: set[int] = field(default_factory=set)  # which tell who joined, and welcome people
    channels: dict[int, str] = field(default_factory=dict)
    whom: dict[int, tuple[int, int]] = field(default_factory=dict)  # the kind and number of each to whom one writes
    groups: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each topic and of each conversation; what the program tells is left out."""
    realm, chats = _realm(path, options), dict[str, Conversation]()
    for message in _rows(load_json(whole(path, options), options.limits), "message"):
        sender = _number(message, "sender")
        if sender in realm.programs and not options.include_system:
            continue
        source, title = _chat(message, realm)
        chat = chats.setdefault(source, conversation(path, source, title, options, whole=False))
        yield from chat.turn(
            "system" if sender in realm.programs else realm.people.get(sender, "unknown"),
            _MENTION.sub(r"\1\2", str(message.get("content") or "")),
            id=message.get("id"),
            at=message.get("date_sent"),
            edited=edited(message.get("last_edit_time")),
        )


def _rows(found: object, table: str) -> list[Record]:
    return [as_dict(one) for one in as_list(as_dict(found).get(f"zerver_{table}"))]


def _number(row: Record, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def _realm(path: Path, options: ReadOptions) -> _Realm:
    told = None
    with suppress(ValueError, OSError):  # alone, the messages have numbers for names
        told = load_json(beside(path, "realm.json", options), options.limits)
    found = _Realm(next((str(one.get("string_id") or "") for one in _rows(told, "realm")), ""))
    for one in _rows(told, "userprofile"):
        found.people[_number(one, "id")] = chosen_name(short_name(one.get("full_name")))
    for one in _rows(told, "userprofile_crossrealm"):
        found.programs.add(_number(one, "id"))
    for one in _rows(told, "stream"):
        found.channels[_number(one, "id")] = short_name(one.get("name"))
    for one in _rows(told, "recipient"):
        found.whom[_number(one, "id")] = (_number(one, "type"), _number(one, "type_id"))
    for one in _rows(told, "subscription"):
        found.groups[_number(one, "recipient")].add(_number(one, "user_profile"))
    return found


def _chat(message: Record, realm: _Realm) -> tuple[str, str]:
    """The identity and the title of what a message belongs to."""
    to = _number(message, "recipient")
    kind, number = realm.whom.get(to, (_CHANNEL, 0))
    if kind == _CHANNEL:
        topic = str(message.get("subject") or "")
        return f"zulip:{realm.name}:{to}:{topic}", " > ".join(filter(None, (realm.channels.get(number), topic)))
    people = {_number(message, "sender"), number} if kind == _PERSON else realm.groups.get(to, set())
    names = sorted(realm.people.get(one, "unknown") for one in people)
    place = ",".join(map(str, sorted(people))) if kind == _PERSON else to
    return f"zulip:{realm.name}:{place}", ", ".join(names[:_MOST_NAMED] + ["…"] * (len(names) > _MOST_NAMED))


def _matches(sample: Sample) -> bool:
    return sample.has_keys("zerver_message")


FORMAT = Format("zulip", "Messages of Zulip: an organization's export", read, _matches, ("messages-*.json",))
