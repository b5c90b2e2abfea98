"""Telegram loader: `result.json` of Telegram Desktop's export, of one chat or of all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.instants import from_clocks
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, edited, records, time_or_none
from memkit.sources.format import Format
from memkit.sources.messengers.markdown_links import link
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r"result.*\.json"  # in the zip
_NOT_INCLUDED = "(File "  # "(File not included. Change data exporting settings to download.)"
# What an attachment without a file in the export is called.
_KINDS = {
    "animation": "GIF",
    "audio_file": "audio",
    "sticker": "sticker",
    "video_file": "video",
    "video_message": "video message",
    "voice_message": "voice message",
}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each chat. Service records (calls, who joined) are left out."""
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
            continue
        listed = [chat for key in ("chats", "left_chats") for chat in as_list(as_dict(found.get(key)).get("list"))]
        for chat in listed or [found]:
            yield from _chat(path, as_dict(chat), options)


def _chat(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    id, kind = found.get("id"), str(found.get("type") or "")
    title = found.get("name") or ("Saved Messages" if kind == "saved_messages" else None)
    source = f"telegram:{id}" if id is not None else path.as_posix()
    chat = conversation(path, source, title, options, meta={"type": kind}, whole=False)
    for message in map(as_dict, as_list(found.get("messages"))):
        yield from _turn(chat, message, options)


def _turn(chat: Conversation, message: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    speaker = message.get("from") or message.get("actor") or "Deleted Account"
    if message.get("type") != "message":
        if not options.include_system:
            return
        about = [str(message.get(key)) for key in ("action", "title") if message.get(key)]
        yield from chat.turn("system", " ".join([str(speaker), *about]), id=message.get("id"), at=_at(message, options))
        return
    attached = _attachment(message)
    yield from chat.turn(
        chosen_name(str(speaker)),
        "\n\n".join(filter(None, (_text(message.get("text")), _poll(message.get("poll"))))) or attached,
        id=message.get("id"),
        at=_at(message, options),
        reply_to=message.get("reply_to_message_id"),
        forwarded_from=message.get("forwarded_from"),
        edited=edited(message.get("edited_unixtime") or bool(message.get("edited"))),
        attachment=attached or None,
    )


def _at(message: Record, options: ReadOptions) -> str | None:
    """The time of a message. Without the seconds since 1970, as in old exports, it is that of the machine's clock."""
    if seconds := message.get("date_unixtime"):
        return time_or_none(seconds)
    try:
        local = datetime.fromisoformat(str(message.get("date")))
    except ValueError:
        return time_or_none(message.get("date"))
    return from_clocks(local, options.timezone) if local.tzinfo is None else time_or_none(local)


def _text(text: object) -> str:
    """Text, or a list of texts and entities: links and bold words."""
    if isinstance(text, list):
        return "".join(map(_text, text))
    if not isinstance(text, dict):
        return text if isinstance(text, str) else ""
    said = str(text.get("text") or "")
    return link(said, str(text["href"])) if text.get("href") else said


def _poll(poll: object) -> str:
    if not isinstance(poll, dict):
        return ""
    answers = (f"- {_text(as_dict(one).get('text'))}" for one in as_list(poll.get("answers")))
    return "\n".join([_text(poll.get("question")), *answers])


def _attachment(message: Record) -> str:
    """What was sent with a message: the name of the file, or what it is."""
    for key in ("file", "photo"):
        if held := message.get(key):
            if named := message.get("file_name"):
                return str(named)
            if isinstance(held, str) and not held.startswith(_NOT_INCLUDED):
                return PurePosixPath(held).name
            kind = _KINDS.get(str(message.get("media_type")), key)
            return " ".join(filter(None, (kind, str(message.get("sticker_emoji") or ""))))
    if person := as_dict(message.get("contact_information")):
        names = (str(person.get(key) or "") for key in ("first_name", "last_name", "phone_number"))
        return f"contact {' '.join(filter(None, names))}"
    if place := as_dict(message.get("location_information")):
        named = " ".join(str(message[key]) for key in ("place_name", "address") if message.get(key))
        return f"location {named or f'''{place.get('latitude')}, {place.get('longitude')}'''}"
    return ""


def _matches(sample: Sample) -> bool:
    return any(map(_is_export, sample.inside(_FILES)))


def _is_export(sample: Sample) -> bool:
    text = sample.text
    whole = sample.has_keys("name", "type", "id", "messages") and ('"date"' in text or '"messages": []' in text)
    # What people cut out of an export has fewer keys, but still its seconds.
    cut = any(map(sample.has_keys, ("messages", "chats"))) and '"date_unixtime"' in text
    return whole or cut or sample.has_keys("about", "chats") or sample.has_keys("about", "left_chats")


FORMAT = Format("telegram", "Telegram Desktop's export as JSON", read, _matches, ("*.json", "*.zip"))
