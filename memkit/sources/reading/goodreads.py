"""Goodreads loader: the library as CSV, a memory for each book."""

from __future__ import annotations

from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.reading.csv_export import Row, has_columns, row_reader
from memkit.sources.reading.item import Item, joined
from memkit.sources.reading.shelved import SHELVES, day, shelved


def _item(row: Row) -> Item:
    """A book with its rating, shelves, review and private notes."""
    title, author, rating = row.get("Title", ""), row.get("Author", ""), row.get("My Rating", "")
    was_read, shelf = day(row.get("Date Read")), row.get("Exclusive Shelf", "")
    stars = rating if rating.isdigit() and rating != "0" else ""
    review = html_markdown(row.get("My Review", ""))
    isbn = (row.get("ISBN13") or row.get("ISBN") or "").strip('="')
    about = {
        "author": author, "isbn": isbn, "rating": rating.strip("0"), "publisher": row.get("Publisher"),
        "pages": row.get("Number of Pages"), "year": row.get("Original Publication Year") or row.get("Year Published"),
    }  # fmt: skip
    return Item(
        source="goodreads",
        document="Goodreads",
        text=joined(
            shelved(title, author, SHELVES.get(shelf, shelf), was_read, stars), review, row.get("Private Notes")
        ),
        id=row.get("Book Id") or f"{title}|{author}",
        title=title,
        kind="book",
        at=was_read or day(row.get("Date Added")),
        tags=[shelf.strip() for shelf in (row.get("Bookshelves") or shelf).split(",")],
        meta=about,
    )


FORMAT = Format(
    "goodreads",
    "A library of Goodreads",
    row_reader(_item),
    lambda sample: has_columns(sample, "Book Id", "Title", "Author", "My Rating"),
    ("*.csv",),
)
