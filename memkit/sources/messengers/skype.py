"""Skype loader: all conversations of an account (`messages.json`), as Skype and the free Teams give them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, edited, quotation, records
from memkit.sources.format import Format
from memkit.sources.html_tokens import Token, html_tokens
from memkit.sources.messengers.markdown_links import link
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r"messages\.json"  # in a zip
_PLAIN, _MARKED = "Text", "RichText"
_SENT = (_MARKED, "RichText/Html", "RichText/UriObject", "RichText/Files", "RichText/Contacts", "RichText/Location")
_MEDIA = "RichText/Media_"  # and what of
_QUOTE, _LINK, _FILE = "quote", "a", "file"
# `[time] name:`, for programs that know no quotations, and what one is told who cannot open a file.
_UNSAID = ("legacyquote", "uriobject", "files")
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
    attached = ""
    if kind != _PLAIN:
        words = _Words(text)
        text, attached = "\n\n".join(words.paragraphs), ", ".join(filter(None, words.files))
    yield from chat.turn(
        speaker,
        text.strip() or attached,
        id=message.get("id"),
        at=message.get("originalarrivaltime"),
        edited=edited(as_dict(message.get("properties")).get("edittime")),
        attachment=attached or None,
    )


class _Words:
    """What a message with markup says: `paragraphs`, those of others as quotations, and the names of `files` in it."""

    def __init__(self, content: str) -> None:
        self.paragraphs: list[str] = []
        self.files: list[str] = []
        self._now: list[str] = []
        self._link: tuple[str, int] | None = None  # the address, and where in `_now` its words begin
        self._hidden: list[str] = []
        for token in html_tokens(content):
            self._read(token)
        self._end()

    def _read(self, token: Token) -> None:
        if token.tag == "originalname":
            self.files.append(token.attributes.get("v", ""))
        elif token.tag in (*_UNSAID, _FILE):
            self._hidden = self._hidden[:-1] if token.ends else [*self._hidden[-1:], token.tag]
        elif self._hidden:
            self.files += [token.text] if self._hidden[-1] == _FILE else []
        elif token.tag == _QUOTE:
            self._end(quoted=token.ends)
        elif token.tag == _LINK:
            self._linked(token)
        else:
            self._now.append(token.text)

    def _linked(self, token: Token) -> None:
        """A link begins or ends."""
        if not token.ends:
            self._link = token.attributes.get("href", ""), len(self._now)
        elif self._link and self._link[0]:
            address, begun = self._link
            self._now[begun:] = [link("".join(self._now[begun:]), address)]
            self._link = None

    def _end(self, quoted: bool = False) -> None:
        """A paragraph ends."""
        text = "".join(self._now).strip("\n")
        self.paragraphs += [quotation(text.strip()) if quoted else text] if text.strip() else []
        self._now.clear()
        self._link = None


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("userId", "conversations") and '"MessageList"' in one.text for one in sample.inside(_FILES))


FORMAT = Format("skype", "Conversations of Skype and the free Teams, as JSON", read, _matches, ("*.json", "*.zip"))
