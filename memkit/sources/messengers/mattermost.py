"""Mattermost loader: a bulk export (`mmctl export`): lines of JSON, or the zip that contains them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, edited, files, time_or_none
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.limits import ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r".*\.jsonl"  # in the zip
_KINDS = frozenset("role scheme team channel user bot emoji post direct_channel direct_post".split())
_TOLD = ("joined the channel.", "left the channel.", "joined the team.", "left the team.")  # older ones have no type


@dataclass
class _Server:
    """What an export tells of its people and channels, before it tells what was said."""

    names: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    def learn(self, kind: str, about: Record) -> None:
        """A line on somebody, or on a channel."""
        if kind == "user":
            full = " ".join(filter(None, (as_text(about.get("first_name")), as_text(about.get("last_name")))))
            login = as_text(about.get("username"))
            self.names[login] = full or as_text(about.get("nickname")) or login
        elif kind == "channel":
            self.titles[_channel(about, "name")] = as_text(about.get("display_name"))

    def name(self, login: object) -> str:
        """The name of who has a login."""
        return chosen_name(self.names.get(as_text(login)) or as_text(login) or "unknown")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The posts with their answers and direct messages; what the program tells, such as who joined, is left out."""
    for source, data in files(path, options, _FILES):
        server, ids = _Server(), RecordIds()
        for line in _lines(source, data, options.limits):
            if isinstance(line, Failure):
                yield line
                continue
            kind = as_text(line.get("type"))
            about = as_dict(line.get(kind))
            if kind in ("post", "direct_post"):
                yield from _post(path, about, server, ids, options)
            else:
                server.learn(kind, about)


def _lines(source: str, data: bytes, limits: ReadLimits) -> Iterator[Record | Failure]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield as_dict(load_json(line, limits))
            except BrokenJSON as error:
                yield Failure(source, str(error), line=number)


def _post(path: Path, post: Record, server: _Server, ids: RecordIds, options: ReadOptions) -> Iterator[Draft | Failure]:
    members = sorted({as_text(one) for one in as_list(post.get("channel_members"))})
    place = ",".join(members) or _channel(post, "channel")
    title = ", ".join(map(server.name, members)) or server.titles.get(place) or as_text(post.get("channel"))
    chat = conversation(path, f"mattermost:{place}", title, options, whole=False)
    root = None
    for one in (post, *map(as_dict, as_list(post.get("replies")))):
        login, text, at = as_text(one.get("user")), as_text(one.get("message")), one.get("create_at")
        id = ids.next(at, login, "")  # not by its text, which may be edited
        root = root or id
        if as_text(one.get("type")).startswith("system_") or text in [f"{login} {told}" for told in _TOLD]:
            continue
        names = [as_text(as_dict(file).get("path")).rpartition("/")[2] for file in as_list(one.get("attachments"))]
        attached = ", ".join(filter(None, names))
        yield from chat.turn(
            server.name(login),
            text or attached,
            id=id,
            at=time_or_none(at),
            reply_to=root if id != root else None,
            edited=edited(one.get("edit_at")) or None,
            attachment=attached or None,
        )


def _channel(about: Record, key: str) -> str:
    return f"{as_text(about.get('team'))}/{as_text(about.get(key))}"


def _matches(sample: Sample) -> bool:
    for one in sample.inside(_FILES):
        first, *others = one.objects or ({},)
        if first.get("type") == "version" and "version" in first:
            return any(line.get("type") in _KINDS and line["type"] in line for line in others)
    return False


FORMAT = Format("mattermost", "Mattermost's bulk exports, or the zip of one", read, _matches, ("*.jsonl", "*.zip"))
