"""StoryGraph loader: the library as CSV, a memory for each book."""

from __future__ import annotations

from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.reading.csv_export import Row, has_columns, row_reader
from memkit.sources.reading.item import Item, joined
from memkit.sources.reading.shelved import SHELVES, day, shelved

_SHELVES = {**SHELVES, "did-not-finish": "Did not finish"}


def _item(row: Row) -> Item:
    """A book with its status, rating, moods and review."""
    title, author, stars, isbn = (row.get(name, "").strip() for name in ("Title", "Authors", "Star Rating", "ISBN/UID"))
    status, was_read = row.get("Read Status", "").strip(), day(row.get("Last Date Read"))
    book = shelved(title, author, _SHELVES.get(status, status), was_read, stars if stars.strip("0.") else "")
    moods = row.get("Moods", "").strip()
    review, warning = row.get("Review", ""), row.get("Content Warning Description", "")
    return Item(
        source="storygraph", document="StoryGraph", kind="book", title=title, id=isbn or f"{title}|{author}",
        text=joined(book, f"Moods: {moods}" if moods else "",
                    html_markdown(review) if "<" in review else review, warning) if title else "",
        at=was_read or day(row.get("Date Added")),
        tags=[*row.get("Tags", "").split(","), *([status] if status else [])],
        meta={"author": author, "isbn": isbn, "rating": stars.strip("0"), "format": row.get("Format")},
    )  # fmt: skip


FORMAT = Format(
    "storygraph",
    "A library of StoryGraph",
    row_reader(_item),
    lambda sample: has_columns(sample, "Title", "Authors", "ISBN/UID", "Read Status"),
    ("*.csv",),
)
