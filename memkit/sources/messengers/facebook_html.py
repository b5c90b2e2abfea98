"""Facebook HTML loader: chats of Messenger and of Instagram as pages, as a download has them unless JSON is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation, files
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.messengers.facebook import turns
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment

_FILES = r"(?:.*/)?message_\d+\.html"  # in the zip
_PLACE = re.compile(
    r"messages/((?:inbox|archived_threads|filtered_threads|e2ee_cutover|message_requests)/[^/\"<>]{1,200})/"
)
_TITLE = re.compile(r"<title>([^<]{0,1000})</title>")
# The classes of a message, and of the speaker, the body and the time in it; the second of each are those until 2020.
_MESSAGE = re.compile(r'<div class="(?:[^"]{0,80}\b_a6-g\b[^"]{0,80}|pam _3-95 _2pi0 _2lej uiBoxWhite noborder)">')
_SPEAKER = re.compile(r'\s*<div class="[^"]{0,80}\b(?:_a6-h|_2lek)\b[^"]{0,80}">(.*?)</div>', re.DOTALL)
_BODY = re.compile(r'<div class="[^"]{0,80}\b(?:_a6-p|_2let)\b[^"]{0,80}">')
_TIME = re.compile(r'<div class="[^"]{0,80}\b(?:_a6-o|_2lem)\b[^"]{0,80}">(?:<div[^>]{0,80}>)?([^<]{1,100})<')
_REACTIONS = re.compile(r'<ul class="[^"]{0,80}">(.{0,20000}?)</ul>', re.DOTALL)
_REACTION = re.compile(r"<li>(?:<span>)?([^<]{1,200})")
_FILE = re.compile(r'<(?:img|video|audio)\b[^>]{0,40} src="([^"]{1,1000})"')
_SHOWN = re.compile(r"<(video|audio)\b.{0,5000}?</\1>", re.DOTALL)
_LATEST = 2000  # messages, which tell who reacts
_UNSENT = '<div style="color:gray;'
_CALL = re.compile(r"</div><div></div><div></div><div><span[ >]")  # how long it lasted stands behind it


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each page, the oldest first. What is left out is left out of JSON, too."""
    for source, data in files(path, options, _FILES):
        yield from _chat(path, source, data, options)


def _chat(path: Path, source: str, data: bytes, options: ReadOptions) -> Iterator[Draft | Failure]:
    page = data.decode("utf-8", "replace")
    title = unescape(found[1]) if (found := _TITLE.search(page)) else path.stem
    place = _PLACE.search(source) or _PLACE.search(page)
    chat = conversation(path, f"facebook:{place[1]}" if place else source, title, options, whole=False, by_clock=True)
    starts = [one.end() for one in _MESSAGE.finditer(page)]
    parts = [page[start:end] for start, end in zip(starts, [*starts[1:], len(page)], strict=True)]
    speakers = {_words(found[1]) for part in parts[:_LATEST] if (found := _SPEAKER.match(part))}
    yield from turns(chat, [_message(part, speakers, options) for part in reversed(parts)], options)


def _message(part: str, speakers: set[str], options: ReadOptions) -> dict[str, Any]:
    """A message as JSON has it. The clock of a page is that of the account, without a zone."""
    speaker, body, time = _SPEAKER.match(part), _BODY.search(part), _TIME.search(part)
    inner = part[body.end() : time.start() if time else len(part)] if body else ""
    words = _SHOWN.sub("", _REACTIONS.sub("", inner))
    lines = [line for line in html_markdown(words).splitlines() if line.strip()]
    return {
        "sender_name": _words(speaker[1]) if speaker else "",
        "timestamp": moment(unescape(time[1]), options.timezone) if time else None,
        "content": "\n".join(dict.fromkeys(lines)),  # an address that was shared stands there twice
        "media": [{"uri": unescape(uri)} for uri in _FILE.findall(inner)],
        "reactions": [one for found in _REACTIONS.findall(inner) for one in _reactions(found, speakers)],
        "is_unsent": _UNSENT in inner,
        **({"call_duration": 0} if _CALL.search(words) else {}),
    }


def _reactions(told: str, speakers: set[str]) -> Iterator[dict[str, str]]:
    """Who reacted how: `😂Rosa`."""
    for one in map(_words, _REACTION.findall(told)):
        who = next((name for name in speakers if name and one.endswith(name)), "")
        if who:
            yield {"actor": who, "reaction": one.removesuffix(who)}


def _words(html: str) -> str:
    return html_markdown(html).strip()


def _is_page(text: str) -> bool:
    found = _MESSAGE.search(text)
    return found is not None and _SPEAKER.match(text, found.end()) is not None


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return any("messages/" in name and re.fullmatch(_FILES, name) for name in sample.entries)
    return re.fullmatch(r"message_\d+\.html", sample.name) is not None and _is_page(sample.text)


FORMAT = Format(
    "facebook-html", "Chats of Facebook and Instagram as pages, or the zip", read, _matches, ("message_*.html", "*.zip")
)
