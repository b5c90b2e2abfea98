"""Contact addresses: e-mail addresses, and home addresses in English, German and Swedish form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.text.spans import Span
from memkit.text.words import CJK_CLASS

_AT = r"(?:@|[ ]?[\[({][ ]?(?i:at|@)[ ]?[\])}][ ]?)"
_DOT = r"(?:\.|[ ]?[\[({][ ]?(?i:dot|\.)[ ]?[\])}][ ]?)"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})"
_EMAIL = re.compile(
    rf"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9._%+'\-]{{1,64}}{_AT}{_LABEL}(?:{_DOT}{_LABEL}){{1,8}}"
    rf"|(?<![^\s`])(?:(?!{CJK_CLASS})[^\s@<>()\[\]\"',;:`]){{1,64}}@[^\W_][\w\-]{{0,62}}(?:\.[^\W_][\w\-]{{0,62}}){{1,8}}"
)

_CAPITAL = r"[A-Z][\w'’.\-]{0,30}"
_STREET = (
    r"Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Crescent|Boulevard|Blvd"
    r"|Gardens|Grove|Mews|Row|Walk|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Quay|Parade|Trail"
)
_UK_CODE = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_CODES = rf"{_UK_CODE}|(?:[A-Z]{{2}} )?\d{{5}}(?:-\d{{4}})?"
_ENGLISH = re.compile(
    rf"(?<![\w.])\d{{1,5}}[A-Za-z]?,? +(?:{_CAPITAL} +){{1,4}}(?:{_STREET})\b\.?"
    r"(?:,? +(?:Apt|Apartment|Flat|Unit|Suite|Floor|#)\.? ?[\w\-]{1,6})?"
    rf"(?:,[ \n]*{_CAPITAL}(?: {_CAPITAL}){{0,2}}){{0,2}}(?:,?[ \n]+(?:{_CODES})\b)?"
)
_GLUED = "strasse|str\\.|gasse|weg|platz|allee|damm|ufer|gatan|gata|vagen|vag|grand|torg|torget|stigen|backen|plan"
_APART = "Strasse|Str\\.|Gasse|Weg|Platz|Allee|Damm|Ufer|gatan|gata|vagen|vag|torg"
_CODE = r"(?:(?:D|DE|S|SE|A|AT|CH)[ \-])?(?:\d{5}|\d{3} \d{2}|\d{4})"
_TOWN = rf",?[ \n]+{_CODE} +[A-Z][\w\-]{{1,30}}(?: (?:am|an der) [A-Z]\w{{1,20}})?"
_NORTHERN = re.compile(
    rf"\b(?:[A-Z][\w\-]{{1,30}} )?(?:[A-Z][\w\-]{{1,40}}(?:{_GLUED})|[A-Z][\w\-]{{1,30}}[ \-](?:{_APART}))"
    rf" {{1,2}}\d{{1,4}} ?[a-zA-Z]?\b(?:{_TOWN})?"
)
_POSTCODE = re.compile(rf"(?<!\w){_UK_CODE}(?!\w)")


def emails(text: str) -> Iterator[Span]:
    """The spans of e-mail addresses, also of those written with (at) and [dot]."""
    return (match.span() for match in _EMAIL.finditer(text)) if "@" in text or "at" in text.lower() else iter(())


def street_addresses(text: str) -> Iterator[Span]:
    """The spans of home addresses (house number and street in either order, postcode, town) and British postcodes."""
    for pattern in (_ENGLISH, _NORTHERN, _POSTCODE):
        yield from (match.span() for match in pattern.finditer(text))
