"""Telegram HTML loader: `messages.html` of Telegram Desktop's export, as it is made unless JSON is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_MESSAGE = re.compile(r'<div class="message (default|service)[^"]{0,80}" id="message(-?\d{1,20})"')
_TITLE = re.compile(r'<div class="text bold">(.*?)</div>', re.DOTALL)
_SPEAKER = re.compile(r'<div class="from_name">(.*?)</div>', re.DOTALL)
_TEXT = re.compile(r'<div class="text">(.*?)</div>', re.DOTALL)
_SERVICE = re.compile(r'<div class="body details">(.*?)</div>', re.DOTALL)
_FORWARDED = '<div class="forwarded body">'
_ATTACHED = re.compile(r'<div class="title bold">(.*?)</div>', re.DOTALL)
_FILE = re.compile(r'<a class="(?:photo|video|sticker|animated|media|voice)[^"]{0,80}" href="([^"]{1,400})"')
_CALL = re.compile(r'<div class="media clearfix pull_left media_call\b')  # under the name of whom one calls
_STATUS = re.compile(r'<div class="status details">(.*?)</div>', re.DOTALL)
_POLL = re.compile(r'<div class="(?:question bold|answer)">(.*?)</div>', re.DOTALL)
_TIME = re.compile(r'date details" title="(\d\d?\.\d\d?\.\d{4} \d\d?:\d\d:\d\d)(?: UTC([+-]\d\d:\d\d))?')
_REPLY = re.compile(r"go_to_message(\d+)")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of one page of a chat. Service messages and calls are left out."""
    page = whole(path, options).decode("utf-8", "replace")
    found = [*_MESSAGE.finditer(page)]
    ends = [one.start() for one in found[1:]] + [len(page)]
    title = _words(_TITLE, page[: found[0].start()] if found else page)
    chat = conversation(
        path, f"telegram:{title}" if title else path.as_posix(), title, options, whole=False, by_clock=True
    )
    speaker = ""
    for one, end in zip(found, ends, strict=True):
        part, id = page[one.end() : end], one[2]
        # Of messages that follow each other, only the first says who wrote them.
        speaker = _words(_SPEAKER, part.partition(_FORWARDED)[0]) or speaker
        if one[1] == "service" or _CALL.search(part):
            if options.include_system:
                yield from chat.turn("system", _words(_SERVICE, part) or _words(_STATUS, part), id=id)
            continue
        yield from _turn(chat, part, chosen_name(speaker) or "Deleted Account", id, options)


def _turn(chat: Conversation, part: str, speaker: str, id: str, options: ReadOptions) -> Iterator[Draft | Failure]:
    file = _FILE.search(part)
    attached = _words(_ATTACHED, part) or (file[1].rpartition("/")[2] if file else "")
    reply = _REPLY.search(part)
    forwarded = _words(_SPEAKER, part.partition(_FORWARDED)[2])
    at = _time(part, options)
    yield from chat.turn(
        speaker,
        _words(_TEXT, part) or attached or _poll(part),
        id=f"{id}@{at}",  # a page does not tell the id of its chat, and another of that name may have the same numbers
        at=at,
        reply_to=reply[1] if reply else None,
        forwarded_from=re.sub(r"\s*\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d$", "", forwarded) or None,
        attachment=attached or None,
    )


def _poll(part: str) -> str:
    """The question of a poll and its answers, without votes."""
    return "\n".join(html_markdown(one).strip() for one in _POLL.findall(part))


def _words(pattern: re.Pattern[str], part: str) -> str:
    """What the first element says that fits."""
    found = pattern.search(part)
    return html_markdown(found[1]).strip() if found else ""


def _time(part: str, options: ReadOptions) -> str | None:
    """The time of a message; in old exports it is that of the machine's clock, without a zone."""
    if not (found := _TIME.search(part)):
        return None
    with suppress(ValueError):
        return from_clocks(datetime.strptime(found[1], "%d.%m.%Y %H:%M:%S"), options.timezone, found[2])
    return None


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".html" and '<div class="page_header' in sample.text and bool(_MESSAGE.search(sample.text))


FORMAT = Format("telegram-html", "Telegram Desktop's export as HTML", read, _matches, ("messages*.html",))
