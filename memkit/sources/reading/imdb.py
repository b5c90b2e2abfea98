"""IMDb loader: the ratings, the watchlist and other lists of an account, as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows
from memkit.sources.reading.item import Item, drafts, joined


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each film with the rating and its day, or with what was noted of it in a list."""
    found = (row if isinstance(row, Failure) else _item(row, path.stem) for row in rows(path, options))
    yield from drafts(found, path, options)


def _item(row: Row, name: str) -> Item:
    title, year, rating, by = (row.get(key, "").strip() for key in ("Title", "Year", "Your Rating", "Directors"))
    film = f"{title} ({year})" if year else title
    in_list = "Position" in row  # the place in a list, which is called as its file
    facts = [film, f"On the list {name}" if in_list else "", f"rated {rating} of 10" if rating else ""]
    return Item(
        source=f"imdb:{name}" if in_list else "imdb", document=name if in_list else "IMDb", kind="film", title=film,
        text=joined(". ".join(filter(None, facts)) + ".", row.get("Description")) if title else "",
        id=row.get("Const", ""), at=row.get("Created" if in_list else "Date Rated"),
        meta={"rating": rating, "year": year, "type": row.get("Title Type"), "directors": by, "url": row.get("URL"),
              "original title": row.get("Original Title") if row.get("Original Title") != title else ""},
    )  # fmt: skip


FORMAT = Format(
    "imdb",
    "Ratings and lists of IMDb (CSV)",
    read,
    lambda sample: has_columns(sample, "Const", "Title", "Title Type"),
    ("*.csv",),
)
