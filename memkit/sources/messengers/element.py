"""Element loader: a room of Matrix, as Element exports it as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, each_chat, edited
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r"export\.json|matrix - .*\.json"  # in the zip
_SPOKEN = ("m.room.message", "m.sticker", "m.poll.start", "org.matrix.msc3381.poll.start")
_FILE_KINDS = ("m.image", "m.file", "m.video", "m.audio")
_BOT = "m.notice"
_REPLACED, _SENT_AT = "m.replace", "origin_server_ts"
_QUOTED = re.compile(r"\A(?:> [^\n]*\n)+\n*")  # what is answered, for programs that know no answers


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a room. Who joined, reactions, and what was taken back are left out."""
    return each_chat(path, options, _FILES, _room)


def _room(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    events = [as_dict(one) for one in found["messages"]]
    room = next((str(one["room_id"]) for one in events if one.get("room_id")), "")
    about = {"topic": found.get("topic")}
    source = f"matrix:{room}" if room else path.as_posix()
    chat = conversation(path, source, found.get("room_name"), options, meta=about, whole=False)
    named = ((one.get("state_key"), as_dict(one.get("content")).get("displayname")) for one in events)
    names = {str(account): name for account, name in named if name}
    for event in events:
        yield from _turn(chat, event, names)


def _turn(chat: Conversation, event: Record, names: Mapping[str, object]) -> Iterator[Draft | Failure]:
    content, related = as_dict(event.get("content")), as_dict(as_dict(event.get("content")).get("m.relates_to"))
    if event.get("type") not in _SPOKEN or related.get("rel_type") == _REPLACED:
        return
    sender, kind = str(event.get("sender") or ""), content.get("msgtype")
    answered = as_dict(related.get("m.in_reply_to")).get("event_id")
    text = str(content.get("body") or _question(content))
    attached = str(content.get("filename") or text) if kind in _FILE_KINDS else None
    yield from chat.turn(
        chosen_name(str(names.get(sender) or sender.removeprefix("@").partition(":")[0] or "unknown")),
        _QUOTED.sub("", text) if answered else text,
        id=event.get("event_id"),
        at=event.get(_SENT_AT),
        reply_to=answered,
        thread=related.get("event_id") if related.get("rel_type") == "m.thread" else None,
        edited=edited(as_dict(as_dict(as_dict(event.get("unsigned")).get("m.relations")).get(_REPLACED)).get(_SENT_AT)),
        bot=True if kind == _BOT else None,
        attachment=attached,
    )


def _question(content: Record) -> str:
    """The question of a poll and its answers."""
    poll = next((as_dict(value) for key, value in content.items() if key.endswith("poll.start")), {})
    question, *answers = (_words(one) for one in (poll.get("question"), *as_list(poll.get("answers"))))
    return "\n".join(filter(None, (question, *(f"- {one}" for one in answers if one))))


def _words(told: object) -> str:
    values = as_dict(told).items()
    return next((str(value) for key, value in values if key in ("body", "m.text", "org.matrix.msc1767.text")), "")


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("room_name", "exported_by", "messages") for one in sample.inside(_FILES))


FORMAT = Format("element", "A room of Matrix, as Element exports it as JSON", read, _matches, ("*.json", "*.zip"))
