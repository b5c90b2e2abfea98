"""MHTML loader: a page that a browser saved as a single file (`.mhtml`, `.mht`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from memkit.sources.contents import whole
from memkit.sources.documents.html import decoded, page_note, page_text
from memkit.sources.format import Format
from memkit.sources.notes.note import Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Damaged, Sample

_FAR_MORE = 5
_RELATED = re.compile(r"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The main part of the page, without its pictures; of its frames only one that says far more than the page."""
    message = message_from_bytes(whole(path, options, "note_size"))
    pages = [part for part in message.walk() if part.get_content_type() == "text/html"]
    if not pages:
        raise Damaged(path, "there is no page in it")
    url = str(message["Snapshot-Content-Location"] or pages[0]["Content-Location"] or "").strip()
    note = page_note(_html(pages[0]), path, options, url if url.startswith("http") else "")
    said = max((page_text(_html(page)) for page in pages[1:]), key=len, default="")
    yield from drafts([replace(note, text=said) if len(said) > _FAR_MORE * len(note.text) else note], path, options)


def _html(page: Message) -> str:
    data = page.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    with suppress(UnicodeDecodeError, LookupError):
        return data.decode(page.get_content_charset() or "utf-8")
    return decoded(data)


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".mhtml", ".mht") and _RELATED.search(sample.text[:5000]) is not None


FORMAT = Format("mhtml", "Web pages that were saved as one file (MHTML)", read, _matches, ("*.mhtml", "*.mht"))
