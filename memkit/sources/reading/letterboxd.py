"""Letterboxd loader: the films of a person, with reviews, ratings and lists (CSV, or the zip of all)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources.contents import beside, whole
from memkit.sources.csv_lines import csv_cells
from memkit.sources.encoding import decoded
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows, rows_of
from memkit.sources.reading.item import Item, drafts, joined
from memkit.sources.sample import Sample

_LIST = "Letterboxd list export"
_URI = "Letterboxd URI"
_OF_ZIP = {"diary.csv", "ratings.csv", "watched.csv", "profile.csv"}
_COMMENT = ("Date", "Content", "Comment")
# What a file says of its films, by its name; `films` are those that were liked.
_SAYS = {"watched": "Watched", "watchlist": "To watch", "films": "Liked", "ratings": ""}
_FULLER = {"diary": ("reviews",), "ratings": ("reviews", "diary"), "watched": ("ratings", "reviews", "diary")}
_LEFT_OUT = {
    "profile": "what Letterboxd knows of the account",
    "reviews": "links to reviews of others that were liked",
    "lists": "links to lists of others that were liked",
}
_GONE = {"deleted": "what was deleted on Letterboxd", "orphaned": "what Letterboxd no longer shows"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | LeftOut]:
    """Each film that was seen, rated, liked or is to be seen, each review, comment and list, once."""
    data = whole(path, options, "note_size")
    first = decoded(data[:1000].split(b"\n", 1)[0]).strip()
    columns = csv_cells(first)
    if why := _GONE.get(path.parent.name):
        yield LeftOut(path.as_posix(), why)
    elif first.startswith(_LIST):
        yield from drafts([_list(decoded(data), path.stem)], path, options)
    elif {*_COMMENT} <= {*columns}:
        yield from drafts(_each(path, options, _comment), path, options)
    elif _URI in columns:
        yield from drafts(_films(path, options), path, options)
    else:
        yield LeftOut(path.as_posix(), _LEFT_OUT.get(path.stem, _LEFT_OUT["profile"]))


def _each(path: Path, options: ReadOptions, made: Callable[[Row], Item]) -> Iterator[Item | Failure]:
    for row in rows(path, options):
        yield row if isinstance(row, Failure) else made(row)


def _films(path: Path, options: ReadOptions) -> Iterator[Item | Failure]:
    """The films of a file, but those of which another file beside it says more."""
    known = {key for name in _FULLER.get(path.stem, ()) for key in _keys(name, path, options)}
    for row in rows(path, options):
        if isinstance(row, Failure):
            yield row
        elif _key(row, path.stem) not in known:
            yield _film(row, path.stem)


def _keys(name: str, path: Path, options: ReadOptions) -> Iterator[tuple[str, ...]]:
    with suppress(OSError):
        data = beside(path, f"{name}.csv", options)
        for row in rows_of(BytesIO(data), path.as_posix(), options):
            if not isinstance(row, Failure):
                yield _key(row, path.stem)


def _key(row: Row, name: str) -> tuple[str, ...]:
    """What a film of a file is known by: an entry of the diary by its address, a rating by the film and the stars."""
    if name == "diary":
        return (row.get(_URI, ""),)
    film = (row.get("Name", ""), row.get("Year", ""))
    return (*film, row.get("Rating", "")) if name == "ratings" else film


def _film(row: Row, name: str) -> Item:
    title, year, rating = row.get("Name", ""), row.get("Year", ""), row.get("Rating", "")
    film = f"{title} ({year})" if year else title
    seen = row.get("Watched Date", "")
    again = " again" if row.get("Rewatch") == "Yes" else ""
    facts = [film, _SAYS.get(name, f"Watched{again} {seen}".strip()), f"rated {rating} of 5" if rating else ""]
    return Item(
        source="letterboxd", document="Letterboxd", kind="film", title=film,
        text=joined(". ".join(filter(None, facts)) + ".", _written(row.get("Review", ""))) if title else "",
        id=f"{_SAYS.get(name, '')} {row.get(_URI) or film}".strip(), at=seen or row.get("Date"),
        tags=row.get("Tags", "").split(","), meta={"rating": rating, "year": year, "url": row.get(_URI)},
    )  # fmt: skip


def _written(text: str) -> str:
    """The words of a person, in which only what is shown in another way is HTML."""
    return html_markdown(text.strip().replace("\n", "<br>"))


def _comment(row: Row) -> Item:
    url, text = row.get("Content", ""), _written(row.get("Comment", ""))
    return Item(
        source="letterboxd", document="Letterboxd", kind="comment", title="Comment on Letterboxd", text=text,
        id=f"{url} {row.get('Date', '')}", speaker="user", at=row.get("Date"), meta={"url": url},
    )  # fmt: skip


def _list(text: str, name: str) -> Item:
    """A list of films as one text: its name, what it is about, and the films with what is said of each."""
    found = [cells for cells in csv.reader(text.splitlines()) if cells]
    head = dict(zip(found[1], found[2], strict=False)) if len(found) > 2 else {}
    films = [dict(zip(found[3], cells, strict=False)) for cells in found[4:]]
    lines = [
        f"{row.get('Position', '-')}. {row.get('Name', '')} ({row.get('Year', '')})"
        + (f": {about}" if (about := row.get("Description", "").strip()) else "")
        for row in films
    ]
    title = head.get("Name") or name
    return Item(
        source="letterboxd", document="Letterboxd", kind="list", title=title, id=head.get("URL") or title,
        text=joined(title, _written(head.get("Description", "")), "\n".join(lines)), at=head.get("Date"),
        tags=head.get("Tags", "").split(","), meta={"url": head.get("URL")},
    )  # fmt: skip


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return {*sample.entries} >= _OF_ZIP
    if sample.text.startswith(_LIST) or has_columns(sample, "Date", "Name", "Year", _URI):
        return True
    is_of_account = has_columns(sample, "Date Joined", "Username", "Favorite Films")
    return is_of_account or (has_columns(sample, "Date", "Content") and "//boxd.it/" in sample.text)


FORMAT = Format(
    "letterboxd", "Films, reviews and lists of Letterboxd", read, _matches, ("*.csv", "*.zip"), holds_files=True
)
