"""Discord package loader: what somebody said in all channels, as Discord sends it on request, as a zip or unpacked.

Discord gives its folders names in the language of the account, so they are known by what lies in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources.chat import as_dict, as_list, conversation, whole_records
from memkit.sources.contents import beside, whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, is_json, load_json
from memkit.sources.members import is_zip_file, members
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import has_columns, rows_of
from memkit.sources.sample import Sample

Record = dict[str, Any]

_CHANNEL = re.compile(r"c?\d{15,21}")  # a folder; the first packages have no `c` there
_OWN = r"c?\d{15,21}/[^/]*|index\.json|user\.json"
_COLUMNS = ("ID", "Timestamp", "Contents")
_ARTICLE = "/articles/360004957991"  # on the package; its README links to it, in any language
_README = "what Discord says about the package"
_LABEL = re.compile(r"(?:Direct Message with )?(.*?)(?:#\d{1,4})?")
_MARK = re.compile(r"<(?:@!?(?P<person>\d{15,21})|a?(?P<emoji>:\w{1,40}:)\d{15,21})>")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | LeftOut]:
    """The messages of each channel, the oldest first. What others said is not in a package."""
    if path.name.lower() == "readme.txt":
        yield LeftOut(path.as_posix(), _README)
    elif path.is_dir() or is_zip_file(path, options):
        yield from _package(path, options)
    else:
        about: Record = {}
        with suppress(ValueError, OSError):
            about = _parsed(beside(path, "channel.json", options), options)
        yield from _channel(path, path.as_posix(), whole(path, options), _People(), about, "", options)


def _package(path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    people, labels = _People(), {}
    # The folder of messages lies beside that of the account.
    users = [whole(file, options) for file in path.parent.glob("*/user.json")] if path.is_dir() else []
    for name, data in members(path, options, r"user\.json|index\.json"):
        if name.endswith("user.json"):
            users.append(data)
        else:
            labels[PurePosixPath(name).parent] = _parsed(data, options)
    for user in users:
        people.learn(_parsed(user, options))
    about: dict[PurePosixPath, Record] = {}
    for name, data in members(path, options, r"channel\.json|messages\.(?:json|csv)"):
        folder = PurePosixPath(name).parent
        if name.endswith("channel.json"):
            about = {folder: _parsed(data, options)}
        elif _CHANNEL.fullmatch(folder.name):
            channel = {"id": folder.name.removeprefix("c"), **about.get(folder, {})}
            label = labels.get(folder.parent, {}).get(channel["id"])
            yield from _channel(path, f"{path.as_posix()}/{name}", data, people, channel, str(label or ""), options)


def _parsed(data: bytes, options: ReadOptions) -> Record:
    """The object in a file that only tells names; an empty one if it is none."""
    with suppress(ValueError):
        return as_dict(load_json(data, options.limits))
    return {}


@dataclass
class _People:
    """Whose package it is, and the names of friends, by ids: messages only tell ids."""

    me: str = ""
    names: dict[str, str] = field(default_factory=dict)

    def learn(self, account: Record) -> None:
        """Remembers whose account it is, and the friends that it names."""
        self.me = str(account.get("id") or "")
        users = [account, *(as_dict(as_dict(one).get("user")) for one in as_list(account.get("relationships")))]
        named = {str(one.get("id")): one.get("global_name") or one.get("username") for one in users}
        self.names = {id: chosen_name(str(name)) for id, name in named.items() if name}

    def mentioned(self, text: str) -> str:
        """The text with the names of friends in place of their ids, and emojis as they are typed."""
        return _MARK.sub(lambda mark: mark["emoji"] or self._at(mark["person"]) or mark[0], text)

    def _at(self, id: str) -> str:
        return f"@{self.names[id]}" if id in self.names else ""

    def title(self, channel: Record, label: str) -> str:
        """The server and the channel, or who is spoken to."""
        guild = as_dict(channel.get("guild")).get("name")
        if name := channel.get("name"):
            return f"{guild} / {name}" if guild else str(name)
        ids = (str(one) for one in as_list(channel.get("recipients")))
        known = ", ".join(self.names[id] for id in ids if id != self.me and id in self.names)
        match = _LABEL.fullmatch(label)
        return known or (match[1] if match else label)


def _channel(
    path: Path, source: str, data: bytes, people: _People, channel: Record, label: str, options: ReadOptions
) -> Iterator[Draft | Failure]:
    id = channel.get("id")
    server = as_dict(channel.get("guild")).get("name")
    chat = conversation(
        path,
        f"discord:{id}" if id else path.as_posix(),
        people.title(channel, label),
        options,
        meta={"server": server},
        whole=False,
    )
    said = yield from whole_records(_messages(source, data, options))
    for message in sorted(said, key=lambda one: str(one.get("Timestamp"))):
        addresses = str(message.get("Attachments") or "").split()
        attached = ", ".join(PurePosixPath(one.partition("?")[0]).name for one in addresses)
        yield from chat.turn(
            people.names.get(people.me, "user"),
            people.mentioned(str(message.get("Contents") or "")) or attached,
            id=message.get("ID"),
            at=message.get("Timestamp"),
            attachment=attached or None,
        )


def _messages(source: str, data: bytes, options: ReadOptions) -> Iterator[Record | Failure]:
    """The messages in a file: JSON, or CSV as packages had it before."""
    if not is_json(data):
        yield from rows_of(BytesIO(data), source, options)
        return
    try:
        yield from map(as_dict, as_list(load_json(data, options.limits)))
    except BrokenJSON as error:
        yield Failure(source, str(error), line=error.line)


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        paths = map(PurePosixPath, sample.entries)
        return any(_CHANNEL.fullmatch(one.parent.name) and one.stem == "messages" for one in paths)
    if sample.name == "readme.txt":
        return _ARTICLE in sample.text
    return sample.has_keys(*_COLUMNS) or has_columns(sample, *_COLUMNS)


def _is_package(folder: Path, names: frozenset[str]) -> bool:
    return "index.json" in names and any(map(_CHANNEL.fullmatch, names))


FORMAT = Format(
    "discord-package",
    "What somebody said on Discord: the package of one's data, as the zip or unpacked, or a channel in it",
    read,
    _matches,
    ("messages.json", "messages.csv", "readme.txt", "*.zip"),
    folder=_is_package,
    own=_OWN,
)
