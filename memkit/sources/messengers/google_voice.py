"""Google Voice loader: text messages and voicemails, as Google Takeout has them, some of a chat on each page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_CHAT, _CALL = '<div class="hChatLog', '<div class="haudio">'
_SERVICE = "www.google.com/voice#"  # in the labels of each page
_NAME = re.compile(r"(.*?)\s*- (?:[^-]{1,40} - )?\d{4}-\d\d-\d\dT\d\d_\d\d_\d\dZ.*", re.DOTALL)  # of a page
_MESSAGE = '<div class="message">'
_GROUP = ('<div class="participants">', "</div>")
# The own name is an abbreviation, in the language of the account.
_PERSON = re.compile(
    r'<a class="tel" href="(?:tel:)?([^"]{0,60})">\s*<(span|abbr) class="fn"[^<>]{0,80}>([^<]{0,200})</', re.DOTALL
)
_TIME = re.compile(r'<abbr class="(?:dt|published)" title="([^"]{1,40})"')
_TEXT = ("<q>", "</q>")
_TRANSCRIPT = ('<span class="full-text">', "</span>")
_FILE = re.compile(r'<(img|video|audio)\b[^<>]{0,200}? src="|<a class="(vcard|video|audio)"')
_ATTACHED = {"img": "photo", "vcard": "contact"}
_TOLD = ("MMS Sent", "MMS Received", "Unable to transcribe this message.")  # by the program


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a page, or the words of a voicemail. Calls are left out."""
    page = whole(path, options).decode("utf-8", "replace")
    if _CHAT in page:
        yield from _messages(path, page, options)
    elif said := _between(page, *_TRANSCRIPT):
        yield from _turns(path, page, [(page, said)], options, voicemail=True)
    else:
        options.skip("calls")


def _between(page: str, begin: str, end: str) -> str:
    """What stands between the first of these and what closes it."""
    return page.partition(begin)[2].partition(end)[0]


def _messages(path: Path, page: str, options: ReadOptions) -> Iterator[Draft | Failure]:
    parts = page.split(_MESSAGE)[1:]
    yield from _turns(path, page, [(part, _between(part, *_TEXT)) for part in parts], options)


def _turns(
    path: Path, page: str, parts: list[tuple[str, str]], options: ReadOptions, voicemail: bool = False
) -> Iterator[Draft | Failure]:
    group = _between(page, *_GROUP)
    whom = ", ".join(sorted(_people(group))) if group else _other(path, page)
    chat = conversation(path, f"google-voice:{whom}", whom, options, whole=False)
    ids = RecordIds()
    for part, text in parts:
        speaker = next(iter(_people(part)), "unknown")
        at = found[1] if (found := _TIME.search(part)) else None
        text = html_markdown(text).strip()
        file = None if voicemail else _FILE.search(part)
        kind = (file[1] or file[2]) if file else ""
        attached = _ATTACHED.get(kind, kind)
        text = "" if text in _TOLD and (voicemail or attached) else text
        yield from chat.turn(
            speaker,
            text or attached,
            id=ids.next(at, speaker, text or attached),
            at=at,
            voicemail=True if voicemail else None,
            attachment=attached or None,
        )


def _other(path: Path, page: str) -> str:
    """The name of the other side: pages on which it says nothing have it only in their own names, without a number."""
    if named := _NAME.fullmatch(path.stem):
        return named[1].strip() or "unknown"
    return next((name for name in _people(page) if name != "user"), path.stem)


def _people(part: str) -> Iterator[str]:
    """The names of people, or their numbers."""
    for number, tag, name in _PERSON.findall(part):
        called = unescape(name).strip() or number
        yield "user" if tag == "abbr" else chosen_name(called) or "unknown"


def _matches(sample: Sample) -> bool:
    return _SERVICE in sample.text and (_CHAT in sample.text or _CALL in sample.text)


FORMAT = Format(
    "google-voice", "Texts and voicemails of Google Voice, as Google Takeout has them", read, _matches, ("*.html",)
)
