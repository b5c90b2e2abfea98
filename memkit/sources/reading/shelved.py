"""Shelved books: what a library of Goodreads or StoryGraph says of one."""

from __future__ import annotations

SHELVES = {"read": "Read", "currently-reading": "Reading now", "to-read": "To read"}


def shelved(title: str, author: str, shelf: str, was_read: str, stars: str) -> str:
    """A sentence of a book: `Emma by Jane Austen. Read 2024-05-01. rated 4 of 5.`"""
    facts = [
        f"{title} by {author}" if author else title,
        " ".join(filter(None, [shelf, was_read])),
        f"rated {stars} of 5" if stars else "",
    ]
    return ". ".join(filter(None, facts)) + "."


def day(text: str | None) -> str:
    """A day as ISO 8601 (`2024-05-01`), which both write with slashes."""
    return (text or "").strip().replace("/", "-")
