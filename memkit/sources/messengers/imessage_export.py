"""iMessage export loader: what imessage-exporter wrote of a conversation, as text or as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_tokens import Token, html_tokens
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.text.words import short_id

_CLOCK = r"[A-Z][a-z]{2} \d\d?, \d{4} {1,2}\d\d?:\d\d:\d\d [AP]M"
_HEAD = pattern(rf"({_CLOCK})(?: \([^()\n]{{1,200}}\))?")
_TOLD = pattern(rf"({_CLOCK}) (\S[^\n]*)")
_BEGINS = pattern(rf"(?:{_CLOCK} [^\n(][^\n]*\n\s*)*{_CLOCK}(?: \([^()\n]{{1,200}}\))?\n[^\n]*\S[^\n]*\n")
_INDENT = "    "
_DELETED = pattern(r"This message was deleted from the conversation!|[^\n]{1,100} (?:deleted|unsent) a message[.!]")
_ADDED = pattern(r"This message responded to an earlier message\.|Sent with (?:[A-Z][a-z]+ ?){1,2}|Attachment missing!")
_REACTION = pattern(r"[^\n]{1,60} by [^\n]{1,120}|Sticker from [^\n]{1,200}|[^\n]{1,120}from [^\n]{1,120}")
_EDITED = pattern(r"^\s*Edited [^\n:]{1,80} later: ", re.MULTILINE)
_FILE = pattern(r"(?:\.{0,2}/|~/|attachments/)[^\n]{0,400}\.\w{1,5}")
_WHOLE = {"message", "announcement"}
_NOT_SAID = {"reactions", "tapbacks"}


@dataclass
class _Message:
    """A message: its local time, who wrote it, and what is known of it when its end is reached."""

    at: str
    speaker: str = ""
    lines: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    edited: bool = False
    announced: bool = False  # the program says so, and nobody in the conversation
    answers: _Message | None = None
    id: str = ""


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages in the order of their times. Reactions, and what somebody took back, are left out.

    Answers stand below the message that they answer, and mostly a second time in their own place.
    """
    text = whole(path, options).decode("utf-8", "replace").replace("\r\n", "\n")
    found = _of_page(text) if path.suffix.lower() in (".html", ".htm") else _of_text(text)
    chat = conversation(path, f"imessage-export:{path.stem}", path.stem, options, whole=False, by_clock=True)
    once: dict[tuple[str, str, str], _Message] = {}
    for one in found:
        said = "\n".join(one.lines).strip()
        known = once.setdefault((one.at, one.speaker, said or " ".join(one.files)), one)
        known.answers = known.answers or one.answers
    for (at, speaker, said), one in sorted(once.items(), key=lambda item: _local(item[0][0]) or datetime.min):
        if one.announced and not options.include_system:
            continue
        one.id, local = short_id(at, speaker, said), _local(at)
        yield from chat.turn(
            speaker,
            said,
            id=one.id,
            at=from_clocks(local, options.timezone) if local else None,
            reply_to=one.answers.id if one.answers and one.answers.id else None,
            edited=True if one.edited else None,
            attachment=", ".join(one.files) or None,
        )


def _local(at: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(at, "%b %d, %Y %I:%M:%S %p")
    return None


def _at(clock: str) -> str:
    return " ".join(clock.split())


# ------------------------------------------------------------------------------------------------------------- text


def _of_text(text: str) -> Iterator[_Message]:
    """The messages of a text: a line with the time, one with the name, and then what was said. Answers are indented."""
    top: _Message | None = None
    now: _Message | None = None
    lines = iter(text.split("\n"))
    blank = True
    for line in lines:
        deep = line.startswith(_INDENT)
        if (head := _HEAD.fullmatch(line.strip())) and (speaker := next(lines, "").strip()):
            if now is not None and (now is not top or not deep):
                yield from _finished(now)
            if top is not None and top is not now and not deep:
                yield from _finished(top)
            now = _Message(_at(head[1]), speaker, answers=top if deep else None)
            top = top if deep else now
        elif blank and not deep and (told := _TOLD.fullmatch(line)):
            if now is not None:
                yield from _finished(now)
            now = top = None
            yield _Message(_at(told[1]), "system", [told[2]], announced=True)
        elif now is not None:
            if now is not top and blank and line and not deep and top is not None:  # more of the message above
                yield from _finished(now)
                now = top
            now.lines.append(line.removeprefix(_INDENT) if now is not top else line)
        blank = not line.strip()
    for one in (now, top if top is not now else None):
        if one is not None:
            yield from _finished(one)


def _finished(one: _Message) -> Iterator[_Message]:
    """The message without the marks that the program adds; nothing if it was deleted."""
    kept: list[str] = []
    reactions = False
    for line in one.lines:
        words = line.strip()
        if _DELETED.fullmatch(words):
            return
        reactions = words in ("Reactions:", "Tapbacks:") or (reactions and bool(_REACTION.fullmatch(words)))
        if _FILE.fullmatch(words):
            one.files.append(PurePosixPath(words).name)
        elif not reactions and not _ADDED.fullmatch(words):
            kept.append(line)
    text = "\n".join(kept)
    if edits := [*_EDITED.finditer(text)]:
        text, one.edited = text[edits[-1].end() :], True
    one.lines = [text]
    yield one


# ------------------------------------------------------------------------------------------------------------- HTML


def _of_page(page: str) -> Iterator[_Message]:
    """The messages of a page; one with answers in it comes after them."""
    boxes: list[tuple[str, _Message | None]] = []  # the open `div`s, each with the message that it is, or is in
    spans: list[str] = []
    for token in html_tokens(page):
        now = boxes[-1][1] if boxes else None
        if token.tag == "div" and not token.ends:
            kind = token.attributes.get("class", "").partition(" ")[0].rstrip(",")
            if kind in _WHOLE:
                news = kind == "announcement"
                boxes.append((kind, _Message("", "system" if news else "", [""], announced=news, answers=now)))
                continue
            boxes.append((kind, now))
            if now is not None:
                now.lines.append("")
        elif token.tag == "div" and boxes:
            kind, _ = boxes.pop()
            if kind in _WHOLE and now is not None and now.at and now.speaker:
                now.lines = [line for line in now.lines if line.strip()]
                yield now
        elif token.tag == "span":
            spans = spans[:-1] if token.ends else [*spans, token.attributes.get("class", "")]
        elif now is not None and not _NOT_SAID.intersection(inside := _inside(boxes)):
            _take(now, token, spans, inside)


def _inside(boxes: list[tuple[str, _Message | None]]) -> list[str]:
    """The kinds of the open elements within the innermost message."""
    last = max(at for at, (kind, _) in enumerate(boxes) if kind in _WHOLE)
    return [kind for kind, _ in boxes[last:]]


def _take(now: _Message, token: Token, spans: list[str], inside: list[str]) -> None:
    """Adds what a tag or a text tells to its message."""
    source = token.attributes.get("src") or token.attributes.get("href") or ""
    words = token.text.strip()
    if token.tag == "tr" and not token.ends and "edited" in inside:  # the last one is what was said in the end
        now.lines, now.edited = [""], True
    elif token.tag == "br":
        now.lines[-1] += "\n"
    elif source and "app" in inside:
        now.lines += [source] if token.tag == "a" else []
    elif source and "message_part" in inside and "bubble" not in spans:
        now.files.append(PurePosixPath(source).name)
    elif "timestamp" in spans:
        now.at = _at(head[1]) if not now.at and (head := _HEAD.fullmatch(words)) else now.at
    elif "sender" in spans:
        now.speaker += words
    elif words and (now.announced or "subject" in spans or "message_part" in inside):
        now.lines[-1] += token.text if now.announced or "bubble" in spans else words


def _matches(sample: Sample) -> bool:
    if sample.suffix in (".html", ".htm"):
        return '<div class="message"' in sample.text and '<span class="sender">' in sample.text
    return sample.suffix == ".txt" and _BEGINS.match(sample.text.replace("\r\n", "\n")) is not None


FORMAT = Format(
    "imessage-export", "Conversations of Messages, by imessage-exporter", read, _matches, ("*.txt", "*.html")
)
