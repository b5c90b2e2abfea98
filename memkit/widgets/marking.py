"""Highlighting in HTML: the text of a hit with each word of the question in a `<mark>`."""

from __future__ import annotations

from html import escape

from memkit.text import marking
from memkit.text.prose import plain

SHOWN, BEFORE = 360, 80  # characters shown of a hit, and before the first marked word


def marked(text: str, question: str, most: int = SHOWN) -> str:
    """An excerpt of a text around the question's words, on one line, as HTML with each word in a `<mark>`."""
    return "".join(
        f"<mark>{escape(piece)}</mark>" if is_marked else escape(piece)
        for piece, is_marked in _pieces(text, question, most)
    )


def marked_words(text: str, question: str, most: int = SHOWN) -> list[str]:
    """The words that are marked in that excerpt."""
    return [piece for piece, is_marked in _pieces(text, question, most) if is_marked]


def _pieces(text: str, question: str, most: int) -> list[marking.Piece]:
    return marking.marked(" ".join(plain(text).split()), question, most, BEFORE)
