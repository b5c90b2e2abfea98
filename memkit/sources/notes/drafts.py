"""Drafts loader: the drafts of an export of the app Drafts, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Failure
from memkit.sources.chat import as_list, records
from memkit.sources.format import Format
from memkit.sources.notes import note
from memkit.sources.notes.note import Found, Note, Record, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_FILES = r"(?i).+\.(?:draftsexport|json)"
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(drafts://open\?uuid=([\w-]+)\)|drafts://open\?uuid=([\w-]+)|\[\[u:([\w-]+)\]\]")
_EXACT = re.compile(r"\[\[d:(?=[^\[\]\n]+\]\])")  # a link to a title, and not to a search for it
_INBOX, _ARCHIVE = 0, 1  # what else there is, is the trash


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The drafts that are not in the trash. Their first line is their title, as in the app."""
    found = list(records(path, options, _FILES))
    titles = {str(one.get("uuid")): _title(one) for one in found if isinstance(one, dict)}
    yield from note.drafts(_notes(found, titles, options), path, options)


def _notes(found: list[dict[str, Any] | Failure], titles: dict[str, str], options: ReadOptions) -> Iterator[Found]:
    for one in found:
        if isinstance(one, Failure):
            yield one
        elif one.get("folder") not in (_INBOX, _ARCHIVE, None):
            options.skip("notes in the trash")
        else:
            yield _note(one, titles)


def _note(one: dict[str, Any], titles: dict[str, str]) -> Note:
    flagged = one.get("flagged") is True
    return Note(
        source=f"drafts:{one.get('uuid')}",
        title="",
        text=_EXACT.sub("[[", _LINK.sub(lambda link: _linked(link, titles), str(one.get("content") or ""))).strip(),
        created=one.get("created_at"),
        updated=one.get("modified_at"),
        tags=[*map(str, as_list(one.get("tags"))), *(["flagged"] if flagged else [])],
        folder="Archive" if one.get("folder") == _ARCHIVE else "",
        fields={"flagged": flagged or None},
    )


def _linked(link: re.Match[str], titles: dict[str, str]) -> str:
    title = titles.get(link[2] or link[3] or link[4], "")
    return wikilink(title, link[1] or title) if title else link[1] or link[0]


def _title(one: dict[str, Any]) -> str:
    return str(one.get("content") or "").strip().split("\n", 1)[0].strip("# \r")


def _matches(sample: Sample) -> bool:
    return sample.has_keys("uuid", "content", "languageGrammar", "modified_at")


FORMAT = Format("drafts", "Drafts: an export as JSON", read, _matches, ("*.draftsExport", "*.json"))
