"""Sanitizing: what memories say, made harmless for the text that a language model reads.

A memory must not end the line, the tag or the block that it is shown in, and must not hide anything from the person who
looks at the same text. Whatever is not hostile stays as it is: code, quotes, links, emoji, any script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any
from unicodedata import normalize

MARK = "memkit-context"  # the name of the tags around memkit's own pages (`text/extract/guard.py`)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Seen by nobody, read by a model: zero-width and tag characters, directions that reorder what is seen, noncharacters,
# and selectors in a row, which can spell a whole message. Joiners and marks of direction, which scripts need, stay.
# This pattern and the next begin with one set of characters, because it is found several times as fast as one of two.
_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0"
    rf"\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e00ff{_SELECTORS}](?:(?<![{_SELECTORS}])|[{_SELECTORS}]+)"
)
_OPENS = re.compile(r"[<＜‹〈⟨〈﹤˂ᐸ❮❬«≺&](?:(?<!&)|(?:lt|#0*60|#x0*3c);?)(?=[\W_]{0,200}\w)", re.IGNORECASE)
_NAME = re.compile(r"[\W_]*")
_LOOKALIKES = str.maketrans("мᴍеєεɛᴇкκĸᴋіιıɪтτᴛсϲᴄоοᴏσօпηոɴхχаαɑѕрρⲟ", "mmeeeeekkkkiiiitttcccooooonnnnxxaaasppo")
_LONGEST_NAME = 40  # characters of a tag's name
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]|" + _UNSEEN.pattern)


def harmless(text: str) -> str:
    """The text without control and unseen characters, and with the bracket of memkit's own tag as a round one.

    The tag is found however it is spelled: with spaces, look-alikes of its letters, or an escaped bracket.
    """
    if not text.isprintable():
        text = _CONTROL.sub(" ", text)
    if not text.isascii():
        text = _UNSEEN.sub("", text)
    return without_tags(text)


def without_tags(text: str, tags: Collection[str] = (MARK,)) -> str:
    """The text in which none of these tags begins or ends: `</memkit-context>` becomes `(/memkit-context>`."""
    if text.isascii() and "<" not in text and "&" not in text:
        return text
    names = _plain_names(tuple(tags))

    def opened(found: re.Match[str]) -> str:
        start = _NAME.match(text, found.end()).end()  # type: ignore[union-attr]
        return "(" if _plain(text[start : start + 2 * _LONGEST_NAME]).startswith(names) else found[0]

    return _OPENS.sub(opened, text) if names and _OPENS.search(text) else text


@lru_cache(maxsize=64)
def _plain_names(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, map(_plain, tags)))


def _plain(name: str) -> str:
    """A name by its letters alone: without case, accents, signs, and the alphabets that look-alikes come from."""
    folded = normalize("NFKD", name).casefold().translate(_LOOKALIKES)
    return "".join(c for c in folded if c.isalnum())


def one_line(text: str) -> str:
    """The text on one line, so that only the layout writes what follows it."""
    return " ".join(harmless(text).split())


@lru_cache(maxsize=4096)  # kinds, projects, titles: a page has the same ones many times
def label(text: str) -> str:
    """A short text that stands in brackets or in bold, such as a title: on one line, and it cannot close them."""
    return re.sub(r"\*{2,}", "*", one_line(text).replace("[", "(").replace("]", ")"))


def indented(text: str, by: str = "    ") -> str:
    """The text with all lines but the first indented, so that none of them can be a heading or an item of the page."""
    lines = [line.rstrip() for line in harmless("\n".join(text.splitlines())).split("\n")]
    return f"\n{by}".join(line for line in lines if line).strip()


def json_line(value: Any) -> str:
    """A value as one line of JSON, for a prompt; what could end the line or is not seen is written as `\\u2028`."""
    return _BREAKS.sub(_escaped, json.dumps(value, ensure_ascii=False, default=str))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
