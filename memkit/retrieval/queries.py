"""Query building: the search terms of a question. Pure functions.

The terms are plain words. Full-text search quotes them for SQLite, so no word is read as query syntax (X02).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memkit.core.patterns import pattern
from memkit.text.words import content_words

QueryBuilder = Callable[[str], Sequence[str]]

_CJK_WORD = pattern(r"[⺀-鿿가-힯\uf900-\ufaff\U00020000-\U0003134f]+")


def content(text: str) -> list[str]:
    """The content words of a text (Engram, E04), without CJK words, which have their own index."""
    return [word for word in content_words(text) if word.isascii() or not _CJK_WORD.fullmatch(word)]


QUERIES: dict[str, QueryBuilder] = {"content": content}
