"""Google Keep's pages: a note as HTML, as each Takeout has it, and an old one has nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from memkit.sources.html_markdown import html_markdown
from memkit.sources.notes.note import Note
from memkit.sources.options import ReadOptions
from memkit.sources.spoken_moments import moment

ENDINGS = (".html", ".htm")
_NOTE = re.compile(r'<div class="note["\s]')
_TIME = re.compile(r'<div class="heading">.{0,2000}?</div>([^<]{1,200})</div>', re.DOTALL)  # after the icons
_TITLE = re.compile(r'<div class="title">([^<]{0,2000})')
_LABEL = re.compile(r'<span class="label-name">([^<]{0,300})')
_STATE = re.compile(r'<span class="(archived|trashed|pinned)"')
_CONTENT = '<div class="content">'
_AFTER = re.compile(r'</div>\s*(?=<div class="(?:chips|attachments|sharees|annotations)|</div>|\Z)')
_BOXES = {"- ☐": "- [ ]", "- ☑": "- [x]", "☐": "- [ ]", "☑": "- [x]"}
_BOX = re.compile(r"^((?:- )?[☐☑])", re.MULTILINE)


def is_page(text: str) -> bool:
    """Whether a page is a note of Keep."""
    return _NOTE.search(text) is not None and 'class="heading"' in text


def page_note(page: str, path: Path, options: ReadOptions) -> Note | None:
    """The note of a page; None for one in the trash. The time that it shows is that of the last change."""
    head, _, rest = page.partition(_CONTENT)
    states = _STATE.findall(page)
    if "trashed" in states:
        options.skip("notes in the trash")
        return None
    end = _AFTER.search(rest)
    text = html_markdown(rest[: end.start()] if end else rest)
    told, title = _TIME.search(head), _TITLE.search(head)
    at = moment(unescape(told[1]).strip(), options.timezone) if told else None
    return Note(
        source=f"google-keep:{path.stem}",
        title=unescape(title[1]).strip() if title else "",
        text=_BOX.sub(lambda found: _BOXES[found[1]], text),
        created=at,
        updated=at,
        tags=[*map(unescape, _LABEL.findall(page)), *(["pinned"] if "pinned" in states else [])],
        folder="Archive" if "archived" in states else "",
    )
