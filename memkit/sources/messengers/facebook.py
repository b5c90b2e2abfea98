"""Facebook loader: chats of Messenger and Instagram, posts and comments, as JSON, or the zip of the download."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, records
from memkit.sources.format import Format
from memkit.sources.messengers.facebook_comments import FILES, are_comments, comments
from memkit.sources.messengers.facebook_posts import HOLDERS, are_posts, post, posts_in
from memkit.sources.messengers.reaction_notices import ReactionNotices
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.values import short_name

Record = dict[str, Any]

_FILES = rf"message_\d+\.json|(?:your_|profile_)?posts_[\w]*\d+\.json|{FILES}|{HOLDERS}"  # in the zip
_FILES_OF = ("photos", "videos", "audio_files", "files", "gifs", "media")
_SYSTEM_TYPES = ("Call", "Subscribe", "Unsubscribe", "call", "placeholder")
_SYSTEM = re.compile(
    r"(?:Reacted .{1,20} to your message|(?:Liked|Loved) (?:a|your) message|\w[^.]{0,60} sent an attachment\.|"
    r"Curtiu uma mensagem|A aimé un message|Nag-like ng message|"
    r"You (?:are now|can now) .*connected on Messenger\.?|.{1,60} (?:called you|missed your call|missed a call)\.?)\s*",
    re.DOTALL,
)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each chat, the oldest first, posts and comments. Calls and what was taken back are left out."""
    ids = RecordIds()
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("messages"), list):
            yield from _chat(path, mended(found), options)
        elif posts := posts_in(found):
            for one in posts:
                yield from post(path, mended(one), ids, options)
        else:
            yield from comments(path, mended(found), ids, options)


def mended(value: Any) -> Any:
    """The value with each text as it was written: Facebook escapes the bytes of UTF-8 as if each were a character."""
    if isinstance(value, dict):
        return {_mended(key): mended(item) for key, item in value.items()}
    if isinstance(value, list):
        return [mended(item) for item in value]
    return _mended(value) if isinstance(value, str) else value


def _mended(text: str) -> str:
    try:
        return text if text.isascii() else text.encode("latin-1").decode()
    except UnicodeError:  # it was right already
        return text


def _chat(path: Path, found: Record, options: ReadOptions) -> Iterator[Draft | Failure]:
    people = [str(as_dict(one).get("name") or one) for one in as_list(found.get("participants"))]
    title = found.get("title") or found.get("threadName") or ", ".join(people)
    thread = found.get("thread_path") or found.get("threadName")
    source = f"facebook:{thread}" if thread else path.as_posix()
    chat = conversation(path, source, title, options, meta={"participants": people}, whole=False)
    yield from turns(chat, sorted(map(as_dict, found["messages"]), key=_time), options)


def turns(chat: Conversation, messages: Sequence[Record], options: ReadOptions) -> Iterator[Draft | Failure]:
    """The turns of a chat, of its messages as Facebook writes them in JSON, the oldest first."""
    ids = RecordIds()
    notices = ReactionNotices(
        (_speaker(one), _text(one), _time(one), as_list(one.get("reactions"))) for one in messages
    )
    for message in messages:
        yield from _turn(chat, message, ids, notices, options)


def _time(message: Record) -> float:
    at = message.get("timestamp_ms") or message.get("timestamp")
    return at if isinstance(at, int | float) else 0.0


def _speaker(message: Record) -> str:
    return str(message.get("sender_name") or message.get("senderName") or "Facebook user")


def _text(message: Record) -> str:
    return str(message.get("content") or message.get("text") or "")


def _turn(
    chat: Conversation, message: Record, ids: RecordIds, notices: ReactionNotices, options: ReadOptions
) -> Iterator[Draft | Failure]:
    if message.get("is_unsent") or message.get("isUnsent"):
        return
    speaker, text = short_name(_speaker(message)), _text(message)
    # "Alice sent an attachment." stands beside what was sent.
    attached, shared = ", ".join(_attachments(message)), _shared(message)
    if _is_told(message, text) or notices.has(text):
        if not (options.include_system or attached or shared):
            return
        speaker, text = ("system", text) if options.include_system else (speaker, "")
    text = "\n".join(part for part in (text, shared) if part) or attached
    at = message.get("timestamp_ms") or message.get("timestamp")
    id = ids.next(at, speaker, text)
    named = speaker if speaker == "system" else chosen_name(speaker)
    yield from chat.turn(named, text, id=id, at=at, attachment=attached or None)


def _is_told(message: Record, text: str) -> bool:
    """Whether the program tells this: a call, a reaction, or a move in a game, shared without anything."""
    if message.get("type") in _SYSTEM_TYPES or "call_duration" in message or _SYSTEM.fullmatch(text):
        return True
    return message.get("type") == "Share" and not message.get("share")


def _shared(message: Record) -> str:
    """What was shared by its address."""
    share = as_dict(message.get("share"))
    told = (str(share.get(key) or "") for key in ("share_text", "link"))
    said = _text(message)
    return "\n".join(text for text in told if text and text not in said)


def _attachments(message: Record) -> Iterator[str]:
    for key in _FILES_OF:
        for file in as_list(message.get(key)):
            if name := PurePosixPath(str(as_dict(file).get("uri") or "")).name:
                yield name
    if message.get("sticker"):
        yield "sticker"


def _matches(sample: Sample) -> bool:
    return any(_is_chat(one) or are_posts(one) or are_comments(one) for one in sample.inside(_FILES))


def _is_chat(sample: Sample) -> bool:
    return sample.has_keys("messages") and (
        ('"sender_name"' in sample.text and '"timestamp_ms"' in sample.text)
        or (sample.has_keys("participants") and '"senderName"' in sample.text)
    )


FORMAT = Format(
    "facebook", "Chats, posts and comments of Facebook and Instagram, or the zip", read, _matches, ("*.json", "*.zip")
)
