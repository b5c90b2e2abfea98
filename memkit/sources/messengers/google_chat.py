"""Google Chat loader: the messages of a direct chat or a space, as Google Takeout has them, each in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, each_chat, edited
from memkit.sources.contents import beside
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment

Record = dict[str, Any]

_ABOUT = "group_info.json"
_UNNAMED = "Group Chat"  # what a group without a name is called there
_FOLDER = re.compile(r"(?:DM|Space) (\S+)")
_IN_UTC = ("UTC", "GMT")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a chat, each as it was edited last. Calls, and what was deleted, are left out."""
    return each_chat(path, options, r"messages\.json", _chat)


def _about(path: Path, options: ReadOptions) -> Record:
    """What the file beside the messages says about the chat; it only gives the title."""
    with suppress(ValueError, OSError):
        return as_dict(load_json(beside(path, _ABOUT, options), options.limits))
    return {}


def _chat(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    messages, about = list(map(as_dict, found["messages"])), _about(path, options)
    people = [_name(as_dict(one)) for one in as_list(about.get("members"))]
    authors = (_name(as_dict(one.get("creator"))) for one in messages)
    named = about.get("name") if about.get("name") != _UNNAMED else None
    title = named or ", ".join(dict.fromkeys(people or authors))
    chat = conversation(path, _source(path, messages), title, options, meta={"participants": people}, whole=False)
    ids = RecordIds()
    for message in messages:
        yield from _turn(chat, message, ids)


def _source(path: Path, messages: list[Record]) -> str:
    """The id of the chat, with which the ids of its messages begin, and which is in the name of its folder."""
    ids = (str(one["message_id"]).partition("/")[0] for one in messages if one.get("message_id"))
    folder = _FOLDER.fullmatch(path.parent.name)
    id = next(ids, "") or (folder[1] if folder else "")
    return f"google-chat:{id}" if id else path.as_posix()


def _turn(chat: Conversation, message: Record, ids: RecordIds) -> Iterator[Draft | Failure]:
    if message.get("message_state") == "DELETED" or _is_call(message):
        return
    creator = as_dict(message.get("creator"))
    speaker, at, text = _name(creator), _sent(message), str(message.get("text") or "")
    files = map(as_dict, as_list(message.get("attached_files")))
    attached = ", ".join(str(one.get("original_name") or one.get("export_name") or "") for one in files)
    id = str(message.get("message_id") or ids.next(at, speaker, text or attached))
    yield from chat.turn(
        speaker,
        text or attached,
        id=id,
        at=at,
        reply_to=_first_of_thread(id),
        edited=edited(message.get("updated_date"), _time),
        bot=True if creator.get("user_type") == "Bot" else None,
        attachment=attached or None,
    )


def _first_of_thread(id: str) -> str | None:
    """The id of the message that began a thread; None for that message itself, and for one without a thread."""
    chat, _, rest = id.partition("/")
    topic, _, own = rest.partition("/")
    return f"{chat}/{topic}/{topic}" if own and own != topic else None


def _name(person: Record) -> str:
    return chosen_name(str(person.get("name") or person.get("email") or "Deleted User"))


def _is_call(message: Record) -> bool:
    data = (as_dict(as_dict(one).get("gsuite_integration_metadata")) for one in as_list(message.get("annotations")))
    return any("call_data" in one for one in data)


def _sent(message: Record) -> str | None:
    """When a message was sent. Of one that was edited, its first version tells."""
    versions = map(as_dict, as_list(message.get("previous_message_versions")))
    told = (one.get("created_date") for one in (message, *versions))
    return next(filter(None, map(_time, filter(None, told))), None) or _time(message.get("updated_date"))


def _time(told: object) -> str | None:
    """The time that Google writes as one would say it, in the language of the account; None if it is none.

    `Thursday, November 3, 2016 at 11:59:50 AM UTC`
    """
    said = str(told)
    return moment(said, "UTC") if said.endswith(_IN_UTC) else None


def _matches(sample: Sample) -> bool:
    return sample.has_keys("messages") and '"creator"' in sample.text and '"created_date"' in sample.text


FORMAT = Format(
    "google-chat", "Chats and spaces of Google Chat, as Google Takeout has them", read, _matches, ("*.json",)
)
