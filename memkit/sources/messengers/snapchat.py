"""Snapchat loader: the chats that were saved, as `My Data` has them: the zip, unpacked, or a file or page in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, conversation
from memkit.sources.contents import beside, whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.members import is_zip_file, members
from memkit.sources.messengers.snapchat_html import is_page, page_account, page_friends, page_messages
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

_CHATS = "chat_history.json"
_NAMES = ("friends.json", "account.json")  # they tell the names of accounts
_NAME_PAGES = {"friends.html": page_friends, "account.html": page_account}
_PAGES, _PAGE = "chat_history", re.compile(r"subpage_(.+)\.html")
_OWN = r"(?:json|html|chat_media|memories)/.*|index\.html"
_TOLD = "STATUS"  # what the program tells has a type that begins so
_TEXT = "TEXT"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each chat, the oldest first; of pages where there is no JSON. Snaps have no words."""
    found = _files(path, options)
    told = [as_dict(load_json(found[one], options.limits)) for one in _NAMES if one in found]
    told += [shown(found[one].decode("utf-8", "replace")) for one, shown in _NAME_PAGES.items() if one in found]
    names = _names(told)
    chats = as_dict(load_json(found[_CHATS], options.limits)) if _CHATS in found else _of_pages(found)
    for id, messages in _chats(chats):
        yield from _chat(path, id, messages, names, options)


def _of_pages(found: Mapping[str, bytes]) -> Record:
    """The messages of the chats on pages, by the ids in their names."""
    pages = {match[1]: data for name, data in found.items() if (match := _PAGE.fullmatch(name))}
    return {id: page_messages(data.decode("utf-8", "replace"), id) for id, data in pages.items()}


def _files(path: Path, options: ReadOptions) -> dict[str, bytes]:
    """The files that are read, by their names: those in a folder or a zip, or one and what lies beside it."""
    if path.is_dir() or is_zip_file(path, options):
        wanted = "|".join((*map(re.escape, (_CHATS, *_NAMES, *_NAME_PAGES)), _PAGE.pattern))
        places = ((PurePosixPath(name), data) for name, data in members(path, options, wanted))
        return {one.name: data for one, data in places if not _PAGE.fullmatch(one.name) or one.parent.name == _PAGES}
    found = {path.name if _PAGE.fullmatch(path.name) else _CHATS: whole(path, options)}
    for name in _NAMES:
        with suppress(ValueError, OSError):
            found[name] = beside(path, name, options)
    for name in _NAME_PAGES if _CHATS not in found else ():
        with suppress(ValueError, OSError):
            found[name] = beside(path.parent, name, options)
    return found


def _names(files: Iterable[Record]) -> dict[str, str]:
    """The names that people show, by those of their accounts; who has the account is under an empty one, too."""
    names: dict[str, str] = {}
    for found in files:
        for one in (as_dict(one) for group in found.values() for one in as_list(group)):
            if one.get("Username") and one.get("Display Name"):
                names.setdefault(str(one["Username"]), chosen_name(str(one["Display Name"])))
        own = as_dict(found.get("Basic Information"))
        if own.get("Name"):
            names[""] = names[str(own.get("Username") or "")] = chosen_name(str(own["Name"]))
    return names


def _chats(found: Record) -> Iterator[tuple[str, list[Record]]]:
    """The id and the messages of each chat. Until 2023, a file has all that was received, and all that was sent."""
    chats: dict[str, list[Record]] = {}
    for key, messages in found.items():
        for one in map(as_dict, as_list(messages)):
            with_whom = one.get("To") or one.get("From")
            chats.setdefault(key if "IsSender" in one else str(with_whom or ""), []).append(one)
    yield from chats.items()


def _chat(
    path: Path, id: str, messages: list[Record], names: Mapping[str, str], options: ReadOptions
) -> Iterator[Draft | Failure]:
    called = next((one["Conversation Title"] for one in messages if one.get("Conversation Title")), None)
    chat = conversation(path, f"snapchat:{id}", called or names.get(id) or id, options, whole=False)
    ids = RecordIds()
    for message in sorted(messages, key=lambda one: str(one.get("Created"))):
        kind = str(message.get("Media Type") or _TEXT)
        if kind.startswith(_TOLD):
            continue
        account = str(message.get("From") or "")
        speaker = names.get(account) or (chosen_name(account) if account else "user")
        text = unescape(str(message.get("Content") or message.get("Text") or ""))
        text = text.strip() or ("" if kind == _TEXT else kind.lower())
        to_the_second = message.get("Created")  # as pages tell it, too: a message of both is one
        at = message.get("Created(microseconds)") or to_the_second
        yield from chat.turn(speaker, text, id=ids.next(to_the_second or at, account, text), at=at)


def _matches(sample: Sample) -> bool:
    if sample.is_zip and any(PurePosixPath(one).match(f"html/{_PAGES}/subpage_*.html") for one in sample.entries):
        return True
    if _PAGE.fullmatch(sample.path.name):
        return is_page(sample.text)
    of_chats = (one for one in sample.inside(r"chat_history\.json") if one.name == _CHATS)
    return any('"Media Type"' in one.text and '"Created' in one.text for one in of_chats)


def _is_folder(path: Path, names: frozenset[str]) -> bool:
    return ("json" in names and (path / "json" / _CHATS).is_file()) or (
        "html" in names and any((path / "html" / _PAGES).glob("subpage_*.html"))
    )


FORMAT = Format(
    "snapchat",
    "Saved chats of Snapchat: the zip of My Data, unpacked, `chat_history.json`, or a page of a chat",
    read,
    _matches,
    ("chat_history.json", "subpage_*.html", "*.zip"),
    folder=_is_folder,
    own=_OWN,
)
