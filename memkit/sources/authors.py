"""Authors: the names of those who wrote a book or a document, as a person would say them."""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"\s*[;；]\s*")
# What stands behind a name after a comma, and begins none.
_BEHIND = re.compile(r"(?:[JS]r|Ph\.?\s?D|M\.?\s?D|M\.?\s?A|MBA|Dr|Prof|I{2,3}|Inc|Ltd|LLC|GmbH|Esq)\.?", re.IGNORECASE)
_NOBODY = re.compile(
    r"unknown(?: author)?|anonymous|\W*|\d+|unbekannt|desconocido|desconhecido|inconnu|sconosciuto|onbekend|nieznany"
    r"|неизвестный|bilinmeyen|不明|未知|佚名",
    re.IGNORECASE,
)


def authors(written: str) -> list[str]:
    """The names in a field: `Willink, Jocko;Babin, Leif` are Jocko Willink and Leif Babin; nobody for `Unknown`.

    A name is turned if one comma stands in it and one side is a single word, as in `Attia MD, Peter`. `Ida Moss, Bo Ek`
    stays as it is, because it may be two.
    """
    return [turned(part) for part in _BETWEEN.split(written.strip()) if not _NOBODY.fullmatch(part)]


def turned(name: str) -> str:
    """A name with the first one in front, and what belongs behind it without a comma: `King, Stephen`, `Moss, MD`."""
    *parts, end = (part.strip() for part in name.split(","))
    if parts and _BEHIND.fullmatch(end):
        return f"{turned(', '.join(parts))} {end}"
    if len(parts) != 1 or not end or not parts[0]:
        return name
    family = parts[0].split()
    named = [word for word in family if not _BEHIND.fullmatch(word)]
    return f"{end} {parts[0]}" if len(named) < len(family) or len(named) == 1 or " " not in end else name
