"""Gemini loader: what one asked Gemini and what it answered, as Google Takeout has it in My Activity (Gemini Apps).

It is a list of what was done: each prompt stands with its answers, and only some tell which conversation they are of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, as_dict, as_list, as_text, time_or_none, told
from memkit.sources.contents import whole
from memkit.sources.events.activity_page import cells, is_activity_page, shown_time
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import is_json, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_HEADERS = (re.compile(r'"header"\s*:\s*"([^"]{0,99})'), re.compile(r'mdl-typography--title">([^<]{0,99})'))
_PRODUCT = re.compile(r"\b(?:Gemini|Bard)\b")
_DAY = re.compile(r"(?:\d{4}-\d\d-\d\d)?")
_CHAT = re.compile(r"gemini\.google\.com/(?:app|gem/[\w-]+)/(?:c/)?([\w-]{6,})")
_PROMPTED = (
    *("Prompted", "Asked", "Said", "Branched", "Answered", "Submitted query"),
    *("送信したメッセージ", "Υποβλήθηκε το ερώτημα", "Has dicho", "Hiciste la petición"),
)
_DONE = ("Created", "Used", "Added", "Selected", "Gave")  # what the program tells of its use
_MOST_ABOVE = 100  # lines above the time
_FEWEST = 5  # prompts that tell with which words each of them begins in a language
_FILE = re.compile(r"\s*-\s+(.+)")


class _Deed(NamedTuple):
    """Something that was done: its first line, the lines below it, the answers, when, and in which conversation."""

    title: str
    more: list[str]
    answers: list[str]
    at: str | None
    chat: str


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each prompt and its answers, by conversations where they are told, else by days. Feedback is left out."""
    data = whole(path, options)
    if is_json(data):
        found = list(_of_json(load_json(data, options.limits)))
    else:
        found = list(_of_page(data.decode("utf-8", "replace"), options))
    label = _label([one.title for one in found if one.answers])
    chats: dict[str, list[Message]] = defaultdict(list)
    ids = RecordIds()
    for deed in reversed(found):  # the newest stands first
        day = (deed.at or "")[: len("2025-01-01")]
        chats[deed.chat or day] += _messages(deed, label, ids, options)
    for id, messages in chats.items():
        title = f"Gemini, {id}".rstrip(", ") if _DAY.fullmatch(id) else None
        yield from told(path, f"gemini:{id}", messages, options, title, whole=False)


def _of_json(top: Any) -> Iterator[_Deed]:
    for about in map(as_dict, as_list(top)):
        yield _Deed(
            as_text(about.get("title")),
            [as_text(as_dict(one).get("name")) for one in as_list(about.get("subtitles"))] + _files(about),
            [html_markdown(as_text(as_dict(one).get("html"))) for one in as_list(about.get("safeHtmlItem"))],
            time_or_none(about.get("time")),
            _chat(f"{about.get('titleUrl')} {about.get('details')}"),
        )


def _files(about: dict[str, Any]) -> list[str]:
    """The names of attached files that the lines below do not tell, as such lines."""
    told = any(as_dict(one).get("url") for one in as_list(about.get("subtitles")))
    names = (as_text(one) or as_text(as_dict(one).get("name")) for one in as_list(about.get("attachedFiles")))
    return [] if told else [f"- {one}" for one in names if one]


def _of_page(page: str, options: ReadOptions) -> Iterator[_Deed]:
    """The cells of the page: what was done and the files with it, then when, then the answer."""
    for cell in cells(page):
        lines = re.split(r"<br ?/?>", cell.body)
        times = [shown_time(html_markdown(line), options) for line in lines[:_MOST_ABOVE]]
        number = next((number for number, at in enumerate(times) if at), len(lines))
        link = next((below for below, line in enumerate(lines[1:number], 1) if "<a " in line), number + 1)
        files = max(1, link - 1)  # a line above the first one says how many there are
        above = [
            html_markdown(line.replace("\n", "<br>"), link=lambda address, words: words) for line in lines[:number]
        ]
        answer = html_markdown("<br>".join(lines[number + 1 :]))
        yield _Deed(
            "\n".join(above[:files]),
            above[files:],
            [answer] if answer.strip() else [],
            times[number] if number < len(times) else None,
            _chat(cell.body),
        )


def _chat(told: str) -> str:
    found = _CHAT.search(told)
    return found[1] if found else ""


def _label(titles: list[str]) -> str:
    """With which words prompts begin in a language that is not among those known; empty if nothing tells it."""
    others = [title for title in titles if title.strip() and not title.startswith((*_PROMPTED, *_DONE))]
    firsts = Counter(title.split(maxsplit=1)[0] for title in others)
    word, often = next(iter(firsts.most_common(1)), ("", 0))
    if often < _FEWEST or often * 2 < len(others):
        return ""
    alike = [title for title in others if title.startswith(word)]
    head, colon, _ = alike[0].partition(": ")
    return head if colon and all(one.startswith(head + colon) for one in alike) else word


def _messages(deed: _Deed, label: str, ids: RecordIds, options: ReadOptions) -> Iterator[Message]:
    """The prompt and the answers. What is no prompt and has no answer is a note on the use of the program."""
    words = deed.title.replace("\xa0", " ").strip()
    verbs = (one for one in (*_PROMPTED, label) if one and re.match(rf"{re.escape(one)}:?(?:\s|\Z)", words))
    verb = next(verbs, "")
    if not (deed.answers or verb):
        options.skip("notes on the use of Gemini")
        return
    asked = words.removeprefix(verb).removeprefix(":").strip()
    id = ids.next(deed.at, "", " ".join(asked.split()))
    written = not verb and (bool(label) or words.startswith(_DONE))  # a canvas: its name is the program's
    if not written:
        files = ", ".join(match[1] for line in deed.more if (match := _FILE.fullmatch(line.replace("\xa0", " "))))
        yield Message("user", asked or files, id, deed.at, {"attachment": files} if files else {})
    for number, answer in enumerate(deed.answers, 1):
        yield Message("assistant", f"{words}\n\n{answer}" if written else answer, f"{id}:{number}", deed.at)


def _matches(sample: Sample) -> bool:
    page = sample.suffix in (".html", ".htm")
    header = _HEADERS[page].search(sample.text)
    if not header or not _PRODUCT.search(header[1]):
        return False
    return is_activity_page(sample.text) if page else sample.has_keys("header", "title", "time")


FORMAT = Format(
    "gemini",
    "Chats with Gemini: My Activity (Gemini Apps) of Google Takeout, as JSON or as a page",
    read,
    _matches,
    ("*.json", "*.html"),
)
