"""Items of reading: a highlight, a saved page, a book becomes the drafts of a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources.authors import authors
from memkit.sources.chat import LONGEST_TURN, time_or_none
from memkit.sources.options import ReadOptions
from memkit.sources.values import LONGEST_NAME, clean, plain, readable, short_name, tags_of
from memkit.text.chunking import parts
from memkit.text.words import short_id

_NOT_IN_A_LINK = re.compile(r"[\[\]\n]+")


@dataclass(frozen=True)
class Item:
    """A highlight, a note on one, a saved page or a book.

    `source` is the identity of what it belongs to (`kindle:<title>`, `pocket`), `document` its title; `id` is what the
    item is known by there. `author` is as the program writes it; `speaker` is who said the text. `ordered` says that
    its neighbours in the file are its neighbours in what was read. `folder` is where a person has filed it, with `/`:
    its names become tags, by which words find it.
    """

    source: str
    document: str
    text: str
    id: str
    title: str = ""
    kind: str = "highlight"
    author: str = ""
    speaker: str = ""
    at: object = None
    tags: Iterable[str] = ()
    folder: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    ordered: bool = False


def drafts(
    items: Iterable[Item | Failure], path: Path, options: ReadOptions, kind: str = "reading"
) -> Iterator[Draft | Failure]:
    """The drafts of items, of a long one several with one id. A later export may hold only some of them.

    `kind` is that of their documents.
    """
    for item in items:
        if isinstance(item, Failure):
            yield item
            continue
        try:
            pieces = parts(readable(item.text.strip()), LONGEST_TURN) if item.text.strip() else []
        except ValueError as error:
            yield Failure(path.as_posix(), f"{item.title or item.document or item.id!r}: {error}")
            continue
        if not pieces:
            options.skip("records without text")
        names = authors(item.author)
        by = short_name(", ".join(names))
        document = DocumentDraft(
            source=clean(item.source)[:LONGEST_NAME],
            kind=kind,
            title=short_name(item.document) or None,
            project=options.project,
            fields={"author": by if len(names) == 1 else names} if names and item.ordered else {},
            whole=False,
            file=path.as_posix(),
        )
        about = {"author": by, "folder": item.folder, **item.meta}
        meta = plain({key: value for key, value in about.items() if value}, options.limits)
        for number, piece in enumerate(pieces, 1):
            yield Draft(
                text=piece,
                document=document,
                source_id=clean(item.id)[:LONGEST_NAME] or short_id(item.text),
                kind=item.kind,
                speaker=short_name(item.speaker) or None,
                title=_by(short_name(item.title or item.document), by) or None,
                tags=tags_of((*item.tags, *item.folder.split("/"))),
                project=options.project,
                happened_at=time_or_none(item.at),
                sequential=item.ordered,
                meta={**meta, "part": number, "parts": len(pieces)} if len(pieces) > 1 else meta,
            )


def _by(title: str, author: str) -> str:
    """The title, and who wrote what it names, as a Kindle writes it: in the document the title stands alone."""
    return f"{title} ({author})" if title and author and author.casefold() not in title.casefold() else title


def link(title: str, url: str) -> str:
    """A page as a link in Markdown, if it lies on the web."""
    words = " ".join(_NOT_IN_A_LINK.sub(" ", title).split())
    if not url.startswith(("http://", "https://")):
        return words or url
    return f"[{words}]({url.replace(' ', '%20').replace(')', '%29')})" if words and words != url else url


def joined(*texts: object) -> str:
    """Those of these that are text, as paragraphs."""
    return "\n\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def quoted(text: str) -> str:
    """The text as a quote in Markdown."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def highlight(words: str, note: str) -> str:
    """What was marked; quoted, if somebody wrote a note on it."""
    return joined(quoted(words) if note else words, note)
