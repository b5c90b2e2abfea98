"""Readwise loader: the export of all highlights as CSV."""

from __future__ import annotations

from memkit.sources.format import Format
from memkit.sources.reading.csv_export import Row, has_columns, row_reader
from memkit.sources.reading.item import Item, joined
from memkit.text.words import short_id


def _item(row: Row) -> Item:
    """A highlight with the note on it, in a document for each book or article."""
    book, author, text = (row.get(name, "") for name in ("Book Title", "Book Author", "Highlight"))
    tags = [tag.strip() for name in ("Tags", "Document tags") for tag in row.get(name, "").split(",")]
    place = {row.get("Location Type") or "location": row.get("Location"), "color": row.get("Color")}
    id = short_id(row.get("Location", ""), text)  # a note may be added later
    return Item(
        source=f"readwise:{book}|{author}", document=book, text=joined(text, row.get("Note")), id=id, author=author,
        at=row.get("Highlighted at"), tags=tags, meta=place, ordered=True,
    )  # fmt: skip


FORMAT = Format(
    "readwise",
    "Highlights of Readwise",
    row_reader(_item),
    lambda sample: has_columns(sample, "Highlight", "Book Title", "Book Author"),
    ("*.csv",),
)
