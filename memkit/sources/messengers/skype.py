"""Skype loader: all conversations of an account (`messages.json`), as Skype and the free Teams give them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, edited, quotation, records
from memkit.sources.format import Format
from memkit.sources.messengers.markdown_links import link
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r"messages\.json"  # in a zip
_PLAIN, _MARKED = "Text", "RichText"
_SENT = (_MARKED, "RichText/Html", "RichText/UriObject", "RichText/Files", "RichText/Contacts", "RichText/Location")
_MEDIA = "RichText/Media_"  # and what of
_QUOTE = re.compile(r"<quote\b[^<>]{0,2000}>(.*?)</quote>", re.DOTALL)
_AROUND = re.compile(r"<legacyquote>.*?</legacyquote>", re.DOTALL)  # `[time] name:`, for programs that know no quotes
_FILE = re.compile(r"<(?:URIObject|files)\b.*?(?:</(?:URIObject|files)>|\Z)", re.DOTALL)
_FILE_NAME = re.compile(
    r"""<OriginalName\b[^<>]{0,20}\bv=(["'])(.{1,300}?)\1|<file\b[^<>]{0,300}>([^<>]{1,300})</file>"""
)
_LINK = re.compile(r"""<a\b[^<>]{0,500}?\bhref=(["'])([^<>]{1,5000}?)\1[^<>]{0,500}>(.*?)</a>""", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")  # what people type as `<` is escaped
_SIDES = re.compile(r"\A\d+:(?:live:)?")  # of an id: `8:live:rosa`


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each conversation, the oldest first. Calls, who joined, and what was taken back are left out."""
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
            continue
        for one in map(as_dict, as_list(found.get("conversations"))):
            yield from _conversation(path, one, str(found.get("userId") or ""), options)


def _conversation(path: Path, found: Record, me: str, options: ReadOptions) -> Iterator[Draft | Failure]:
    id, topic = str(found.get("id") or ""), as_dict(found.get("threadProperties")).get("topic")
    title = found.get("displayName") or topic or _SIDES.sub("", id)
    chat = conversation(path, f"skype:{id}" if id else path.as_posix(), title, options, whole=False)
    messages = map(as_dict, as_list(found.get("MessageList")))
    for message in sorted(messages, key=lambda one: str(one.get("originalarrivaltime"))):
        # Only messages of others tell who says them.
        sender, named = str(message.get("from") or ""), message.get("displayName")
        if sender == id:
            named = named or found.get("displayName")
        speaker = "user" if sender == me else chosen_name(str(named or _SIDES.sub("", sender) or "unknown"))
        yield from _turn(chat, message, speaker)


def _turn(chat: Conversation, message: Record, speaker: str) -> Iterator[Draft | Failure]:
    kind, text = str(message.get("messagetype") or ""), str(message.get("content") or "")
    if kind not in (_PLAIN, *_SENT) and not kind.startswith(_MEDIA):
        return
    attached = ", ".join(unescape(found[2] or found[3]) for found in _FILE_NAME.finditer(text))
    if kind != _PLAIN:
        text = _words(text)
    yield from chat.turn(
        speaker,
        text.strip() or attached,
        id=message.get("id"),
        at=message.get("originalarrivaltime"),
        edited=edited(as_dict(message.get("properties")).get("edittime")),
        attachment=attached or None,
    )


def _words(content: str) -> str:
    """What was said in a message with markup: words of others as a quotation, links with their addresses."""
    parts = _QUOTE.split(_FILE.sub("", content))  # every second one is a quotation
    said = [_bare(part) if number % 2 == 0 else _quoted(part) for number, part in enumerate(parts)]
    return "\n\n".join(part.strip("\n") for part in said if part.strip())


def _quoted(content: str) -> str:
    return quotation(_bare(_AROUND.sub("", content)).strip())


def _bare(content: str) -> str:
    content = _LINK.sub(lambda found: link(_TAG.sub("", found[3]), found[2]), content)
    return unescape(_TAG.sub("", content))


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("userId", "conversations") and '"MessageList"' in one.text for one in sample.inside(_FILES))


FORMAT = Format("skype", "Conversations of Skype and the free Teams, as JSON", read, _matches, ("*.json", "*.zip"))
