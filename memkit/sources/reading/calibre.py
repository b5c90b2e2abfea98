"""Calibre loader: the library of Calibre (`metadata.db`): its books, and what was marked in its viewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only, tables
from memkit.sources.reading.item import Item, drafts, highlight
from memkit.sources.sample import Sample

BOOKS = """
select books.uuid, books.title, books.timestamp,
    (select json_group_array(name) from books_authors_link join authors on authors.id = author where book = books.id),
    (select json_group_array(name) from books_tags_link join tags on tags.id = tag where book = books.id),
    (select name from books_series_link join series on series.id = books_series_link.series where book = books.id),
    series_index,
    (select ratings.rating from books_ratings_link join ratings on ratings.id = books_ratings_link.rating
        where book = books.id)
from books
order by books.id
"""
MARKS = """
select books.uuid, books.title,
    (select json_group_array(name) from books_authors_link join authors on authors.id = author where book = books.id),
    annot_data
from annotations join books on books.id = annotations.book
where annot_type = 'highlight'
order by books.id, annotations.timestamp, annotations.id
"""
_TABLES = {
    "books": {"uuid", "title", "timestamp", "series_index", "path"},
    "books_authors_link": {"book", "author"},
    "books_ratings_link": {"book", "rating"},
}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each book with its series, tags and rating, and each highlight in one with the note on it."""
    yield from drafts(_items(path, options), path, options)


def _items(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    with read_only(path, options) as conn:
        for id, title, added, authors, tags, series, number, rating in conn.execute(BOOKS):
            by = _people(authors, options)
            place = f"{series} {number:g}" if series and isinstance(number, int | float) else ""
            stars = f"rated {rating / 2:g} of 5" if isinstance(rating, int) and rating else ""
            facts = (f"{title} by {by}" if by else str(title), place, stars)
            yield Item(
                source="calibre", document="Calibre", kind="book", title=str(title), author=by, id=str(id), at=added,
                text=f"{'. '.join(filter(None, facts))}.", tags=_list(tags, options), meta={"series": series},
            )  # fmt: skip
        for id, title, authors, data in conn.execute(MARKS) if "annotations" in tables(conn) else ():
            try:
                mark = as_dict(load_json(str(data).encode("utf-8", "surrogatepass"), options.limits))
            except BrokenJSON as error:
                yield Failure(path.as_posix(), f"a highlight in {title!r}: {error}")
                continue
            if mark.get("removed"):
                options.skip("highlights that were deleted")
                continue
            words, note = " ".join(as_text(mark.get("highlighted_text")).split()), as_text(mark.get("notes")).strip()
            chapter = " > ".join(map(as_text, as_list(mark.get("toc_family_titles"))))
            yield Item(
                source=f"calibre:{id}", document=str(title), author=_people(authors, options),
                id=as_text(mark.get("uuid")), at=mark.get("timestamp"), ordered=True, meta={"chapter": chapter},
                text=highlight(words, note),
            )  # fmt: skip


def _list(names: object, options: ReadOptions) -> list[str]:
    return [as_text(one) for one in as_list(load_json(str(names or "[]").encode("utf-8", "replace"), options.limits))]


def _people(names: object, options: ReadOptions) -> str:
    return ", ".join(name.replace("|", ",") for name in _list(names, options))  # for Calibre, a comma is between two


def _matches(sample: Sample) -> bool:
    return sample.is_database and all(
        columns <= sample.tables.get(name, frozenset()) for name, columns in _TABLES.items()
    )


FORMAT = Format("calibre", "Books and highlights of Calibre (`metadata.db`)", read, _matches, ("metadata.db",))
