"""Slack loader: the export of a workspace, as a zip or unpacked. One day of a channel is in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, edited
from memkit.sources.contents import opened, whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.messengers.markdown_links import link
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.zips import BrokenZip, opened_zip, unpacked

Record = dict[str, Any]

_USERS = "users.json"
_REPLIES = "slackdump_thread_replies"
# Where the export tells of its conversations, and whether a folder has the name or the id of its conversation.
_LISTS = {"channels.json": "name", "groups.json": "name", "mpims.json": "name", "dms.json": "id"}
_SPOKEN = (None, "bot_message", "me_message", "file_share", "file_comment", "file_mention", "thread_broadcast")
_SPOKEN_TOO = ("reply_broadcast", "reminder_add")
_DAY = re.compile(r"(?P<folder>[^/]+)/(?P<day>\d{4}-\d\d-\d\d)\.json")
_OWN = rf"(?:users|org_users|channels|groups|mpims|dms|integration_logs|canvases|lists)\.json|{_DAY.pattern}"
_ADDED = re.compile(r"<[^<>|\s]*/services/(?P<id>B\w+)[^<>|\s]*\|(?P<name>[^<>\n]+)>")
_MARKED = re.compile(r"<([^<>\n]+)>")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each channel, group and direct conversation. Who joined, and changes of topics, are left out."""
    if path.suffix.lower() == ".json" and not _DAY.fullmatch("/".join(path.parts[-2:])):
        yield from _dumped(path, options)
        return
    with _export(path, options) as export:
        users = {str(one.get("id")): _name(one) for one in export.listed(_USERS)}
        chats = {str(one.get(key)): one for file, key in _LISTS.items() for one in export.listed(file) if one.get(key)}
        yield from export.failures
        for folder, days in export.days().items():
            chat = _conversation(path, export.source, folder, chats.get(folder, {}), users, options)
            before: set[str] = set()
            for day in days:
                found = export.day(day)
                if isinstance(found, Failure):
                    yield found
                    continue
                here: set[str] = set()
                for message in sorted(found, key=lambda one: str(one.get("ts") or "")):
                    # A reply that is shown in its channel, too, may stand there twice.
                    if (id := str(message.get("ts") or "")) and (id in before or id in here):
                        continue
                    here.add(id)
                    users.update(_bot(message))
                    yield from _turn(chat, message, users, options)
                before = here


def _dumped(path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The messages of one conversation with their threads, as slackdump writes them; it does not tell names."""
    top = as_dict(load_json(whole(path, options), options.limits))
    found = {"id": top.get("channel_id"), "name": top.get("name")}
    chat = _conversation(path, path.as_posix(), path.stem, found, {}, options)
    spoken = [as_dict(one) for one in as_list(top.get("messages"))]
    spoken += [as_dict(reply) for one in spoken for reply in as_list(one.get(_REPLIES))]
    each = {str(one.get("ts") or number): one for number, one in enumerate(spoken)}
    for _, message in sorted(each.items()):
        yield from _turn(chat, message, {}, options)


@dataclass
class _Export:
    """The files of an export by their names, and how to read one."""

    source: str
    names: list[str]
    data: Callable[[str], bytes]
    options: ReadOptions

    def __post_init__(self) -> None:
        self.failures: list[Failure] = []

    def listed(self, name: str) -> list[Record]:
        """The objects in one of the lists of the export; none if it is missing or broken."""
        found = self.day(name) if name in self.names else []
        if isinstance(found, Failure):
            self.failures.append(found)
            return []
        return found

    def day(self, name: str) -> list[Record] | Failure:
        """The objects in a file."""
        try:
            return [one for one in as_list(load_json(self.data(name), self.options.limits)) if isinstance(one, dict)]
        except (BrokenJSON, BrokenZip, OSError) as error:
            return Failure(f"{self.source}/{name}", str(error), line=getattr(error, "line", None))

    def days(self) -> dict[str, list[str]]:
        """The files of each conversation, in the order of the days."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.names):
            if match := _DAY.fullmatch(name):
                found.setdefault(match["folder"], []).append(name)
        return found


@contextmanager
def _export(path: Path, options: ReadOptions) -> Iterator[_Export]:
    if path.is_dir() or path.suffix.lower() == ".json":
        root = path if path.is_dir() else path.parent.parent
        days = path.glob("*/*.json") if path.is_dir() else [path]
        names = [file.relative_to(root).as_posix() for file in (*root.glob("*.json"), *days)]
        yield _Export(root.as_posix(), names, lambda name: whole(root / name, options), options)
        return
    with opened(path, options) as stream, opened_zip(stream, options.limits) as archive:
        inner = [one.filename for one in archive.filelist if not one.filename.endswith("/")]
        at = min((name for name in inner if PurePosixPath(name).name == _USERS), key=len, default=_USERS)
        base = at.removesuffix(_USERS)
        yield _Export(
            path.as_posix(),
            [name.removeprefix(base) for name in inner if name.startswith(base)],
            lambda name: unpacked(archive, archive.getinfo(base + name), options.limits),
            options,
        )


def _name(user: Record) -> str:
    profile = as_dict(user.get("profile"))
    named = (user.get("real_name"), profile.get("real_name"), profile.get("display_name"), user.get("name"))
    return next((str(name) for name in named if name), str(user.get("id")))


def _bot(message: Record) -> dict[str, str]:
    """The name of a bot by its id, from the message that it was added to a channel."""
    told = str(message.get("text") or "") if message.get("subtype") == "bot_add" else ""
    return {found["id"]: unescape(found["name"]) for found in _ADDED.finditer(told)}


def _conversation(
    path: Path, root: str, folder: str, found: Record, users: dict[str, str], options: ReadOptions
) -> Conversation:
    id = found.get("id")
    title = str(found.get("name") or "")
    if not title or title.startswith("mpdm-"):
        title = ", ".join(users.get(str(one), str(one)) for one in as_list(found.get("members"))) or folder
    about = {key: as_dict(found.get(key)).get("value") for key in ("topic", "purpose")}
    source = f"slack:{id}" if id else f"{root}#{folder}"
    return conversation(path, source, title, options, meta=about, whole=False)


def _turn(
    chat: Conversation, message: Record, users: dict[str, str], options: ReadOptions
) -> Iterator[Draft | Failure]:
    system = message.get("subtype") not in (*_SPOKEN, *_SPOKEN_TOO) or message.get("type", "message") != "message"
    if system and not options.include_system:
        return
    files = ", ".join(_files(message))
    id, thread = message.get("ts"), message.get("thread_ts")
    yield from chat.turn(
        "system" if system else _speaker(message, users),
        _text(message, users) or files,
        id=id,
        at=_seconds(id),
        thread=thread,
        reply_to=thread if thread != id else None,
        edited=edited(as_dict(message.get("edited")).get("ts") or bool(message.get("edited"))),
        attachment=files or None,
    )


def _seconds(ts: object) -> float | None:
    try:
        return float(str(ts)) if ts else None
    except ValueError:
        return None


def _speaker(message: Record, users: dict[str, str]) -> str:
    id = str(message.get("user") or as_dict(message.get("comment")).get("user") or message.get("bot_id") or "")
    profile = as_dict(message.get("user_profile") or message.get("bot_profile"))
    named = (users.get(id), message.get("username"), profile.get("real_name"), profile.get("name"), id)
    if name := next((str(name) for name in named if name), ""):
        return chosen_name(name)
    return "bot" if message.get("subtype") == "bot_message" else "unknown"


def _text(message: Record, users: dict[str, str]) -> str:
    """The words of a message: its text, else its blocks; and what a program says in attachments."""
    texts = [str(message.get("text") or "") or "\n".join(_blocks(message.get("blocks")))]
    for one in map(as_dict, as_list(message.get("attachments"))):
        if one.get("from_url") and str(one["from_url"]) in texts[0]:
            continue  # the preview of a link that the message has
        texts.append("\n".join(filter(None, (str(one.get(key) or "") for key in ("pretext", "title", "text")))))
        texts += [f"{field.get('title')}: {field.get('value')}" for field in map(as_dict, as_list(one.get("fields")))]
        if not any(texts[1:]):
            texts.append(str(one.get("fallback") or ""))
    return unescape(_MARKED.sub(lambda found: _marked(found[1], users), "\n".join(filter(None, texts))))


def _blocks(found: object) -> Iterator[str]:
    """The texts in blocks, which are nested; a rich text has them in elements."""
    for block in map(as_dict, as_list(found)):
        text = block.get("text")
        if words := text if isinstance(text, str) else as_dict(text).get("text"):
            yield str(words)
        if inner := "".join(_blocks(block.get("elements"))):
            yield inner


def _marked(inside: str, users: dict[str, str]) -> str:
    """What stands between angle brackets, as people see it: `@Rosa`, `#garden`, a link."""
    address, _, label = inside.partition("|")
    kind, id = address[:1], address[1:]
    if kind == "@":
        return f"@{label.removeprefix('@') or users.get(id, id)}"
    if kind == "#":
        return f"#{label or id}"
    if kind == "!":
        return label or f"@{id.partition('^')[0]}"
    return link(label, address.removeprefix("mailto:") if label else address)


def _files(message: Record) -> Iterator[str]:
    for file in [message.get("file"), *as_list(message.get("files"))]:
        if name := as_dict(file).get("name") or as_dict(file).get("title"):
            yield str(name)


def _matches(sample: Sample) -> bool:
    if _DAY.fullmatch("/".join(sample.path.parts[-2:])):  # the day of a channel, alone
        return sample.text.startswith("[") and {"type", "ts"} <= sample.keys and '"message"' in sample.text
    if sample.suffix == ".json":
        return sample.has_keys("channel_id", "messages") and '"ts"' in sample.text
    names = {name.rsplit("/", 1)[-1] for name in sample.entries}
    return _has_lists(names) and any(_DAY.fullmatch("/".join(name.split("/")[-2:])) for name in sample.entries)


def _has_lists(names: set[str] | frozenset[str]) -> bool:
    return _USERS in names and any(name in names for name in _LISTS)


def _is_export(path: Path, names: frozenset[str]) -> bool:
    return _has_lists(names) and any(
        _DAY.fullmatch(f"{file.parent.name}/{file.name}") for file in path.glob("*/*.json")
    )


FORMAT = Format("slack", "Slack's export, as a zip or unpacked", read, _matches, ("*.zip", "*.json"), _is_export, _OWN)
