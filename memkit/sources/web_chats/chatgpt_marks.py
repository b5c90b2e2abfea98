"""ChatGPT's marks: what it writes between signs of its own for its page; their words stay, the rest is for the page.

A mark begins with U+E200, names its kind, and ends with U+E201, with U+E202 before each part: sources, pictures, cards
of products and places, names with their kind. Other signs stand around a sentence that has a source.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern

FIRST, SENTENCE, SOURCE = "\ue200", "\ue203", "【"  # in a text without them are no marks
MARK = pattern("\ue200(?P<kind>\\w*)(?P<parts>(?:\ue202[^\ue200-\ue202]*)*)\ue201")
SIGN = pattern("[\ue203-\ue206]")
CITATION = pattern(r'【(?:\d+(?::\d+)?†[^【】\n]{0,300}|\{"[^【】\n]{0,300}\})】')
_SHOWN_NAME = re.compile(r'\s*\[\s*"[^"]*"\s*,\s*"((?:[^"\\]|\\.)*)"')  # a kind or a reference, then the name
_CARD = re.compile(r'"(?:product_)?name"\s*:\s*"((?:[^"\\]|\\.)*)"|\[\s*"turn[^"]*"\s*,\s*"((?:[^"\\]|\\.)*)"')
_WEB = re.compile(r"https?://\S+")
_LABELLED = {"url", "video", "navlist"}  # whose first part is what is shown
_NOT_SHOWN = {"entity_metadata", "genui"}


def without_marks(text: str) -> str:
    """The text as ChatGPT's page shows it."""
    if FIRST in text:
        text = MARK.sub(words, text)
    if SENTENCE in text:
        text = SIGN.sub("", text)
    return CITATION.sub("", text) if SOURCE in text else text


def words(mark: re.Match[str]) -> str:
    """What a mark shows: a name, the words of a link with its address, the names on cards; else nothing."""
    parts = mark["parts"].split("\ue202")[1:]
    if not parts or mark["kind"] in _NOT_SHOWN:
        return ""
    if mark["kind"] in _LABELLED:
        address = next(filter(_WEB.fullmatch, parts[1:]), "")
        return f"[{parts[0]}]({address})" if address else parts[0]
    name = _SHOWN_NAME.match(parts[0])
    names = [name[1]] if name else [one or other for one, other in _CARD.findall(parts[0])]
    return ", ".join(dict.fromkeys(one.replace('\\"', '"') for one in names))
