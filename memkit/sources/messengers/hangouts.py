"""Google Hangouts loader: all conversations of an account, as Google Takeout had them in `Hangouts.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

_LISTS = ("conversations", "conversation_state")  # the second before 2017
_IDS = ("gaia_id", "chat_id")  # of a person


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each conversation, the oldest first, and SMS. Calls are left out, and who joined."""
    for found in records(path, options, r".*\.json"):
        if isinstance(found, Failure):
            yield found
            continue
        for key in _LISTS:
            for one in map(as_dict, as_list(found.get(key))):
                yield from _conversation(path, one, options)


def _conversation(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    state = as_dict(found.get("conversation_state"))
    about = as_dict(as_dict(found.get("conversation")).get("conversation") or state.get("conversation"))
    people = _people(about)
    me = as_dict(as_dict(about.get("self_conversation_state")).get("self_read_state")).get("participant_id")
    others = [name for id, name in people.items() if id not in _ids(me)]
    id = as_dict(about.get("id")).get("id") or as_dict(found.get("conversation_id")).get("id")
    chat = conversation(
        path,
        f"hangouts:{id}" if id else path.as_posix(),
        about.get("name") or ", ".join(dict.fromkeys(others)),
        options,
        meta={"participants": list(dict.fromkeys(people.values()))},
        whole=False,
    )
    events = map(as_dict, as_list(found.get("events") or state.get("event")))
    ids = RecordIds()
    for event in sorted(events, key=lambda one: str(one.get("timestamp"))):
        yield from _turn(chat, event, people, ids)


def _people(about: Record) -> dict[str, str]:
    """The names of who takes part, by ids."""
    found: dict[str, str] = {}
    for one in map(as_dict, as_list(about.get("participant_data"))):
        phone = as_dict(one.get("phone_number")).get("e164")
        if name := one.get("fallback_name") or phone:
            found.update(dict.fromkeys(_ids(one.get("id")), chosen_name(str(name))))
    return found


def _ids(person: object) -> list[str]:
    return [str(as_dict(person)[key]) for key in _IDS if as_dict(person).get(key)]


def _turn(chat: Conversation, event: Record, people: Mapping[str, str], ids: RecordIds) -> Iterator[Draft | Failure]:
    content = as_dict(as_dict(event.get("chat_message")).get("message_content"))
    text = "".join(map(_segment, map(as_dict, as_list(content.get("segment")))))
    attached = ", ".join(_attached(content))
    speaker = next((people[id] for id in _ids(event.get("sender_id")) if id in people), "Deleted User")
    at = event.get("timestamp")
    yield from chat.turn(
        speaker,
        text.strip() or attached,
        id=event.get("event_id") or ids.next(at, speaker, text),
        at=at,
        attachment=attached or None,
    )


def _segment(segment: Record) -> str:
    """A part of a message: words, a link as it was typed, or the end of a line."""
    return str(segment.get("text") or ("\n" if segment.get("type") == "LINE_BREAK" else ""))


def _attached(content: Record) -> Iterator[str]:
    for one in as_list(content.get("attachment")):
        item = as_dict(as_dict(one).get("embed_item"))
        photo = as_dict(item.get("plus_photo") or item.get("embeds.PlusPhoto.plus_photo"))
        name = PurePosixPath(str(photo.get("url") or "")).name
        if photo:
            yield name if "." in name else "photo"  # the address of most pictures tells nothing


def _matches(sample: Sample) -> bool:
    return any(sample.has_keys(key) for key in _LISTS) and '"participant_data"' in sample.text


FORMAT = Format(
    "hangouts", "Conversations of Google Hangouts: `Hangouts.json` of Google Takeout", read, _matches, ("*.json",)
)
