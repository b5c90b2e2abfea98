"""Text normalisation with offsets: escapes, accents and invisible characters are removed, and offsets are kept.

`Ros%C3%A1`, `Ros&aacute;`, `Ro<soft hyphen>sa`, `Ｒｏｓａ` and `Rosa` with a combining accent all become `Rosa`. Rules
search the normalised text, and their matches are removed from the original.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from memkit.text.words import POINTS

_CONTINUED = "%[89ab][0-9a-f]"
_ESCAPED = re.compile(
    rf"%[0-7][0-9a-f]|%[cd][0-9a-f]{_CONTINUED}|%e[0-9a-f](?:{_CONTINUED}){{2}}|%f[0-7](?:{_CONTINUED}){{3}}"
    r"|%[89a-f][0-9a-f]|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});|\\u[0-9a-f]{4}",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u3164\uffa0\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]+"
)
_ACCENT = f"[\u0300-\u036f\u0483-\u0489{POINTS}\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_COMPOSED = re.compile(
    f"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\0-\x7f]{_ACCENT}+|[^\0-\x7f](?:{_ACCENT}|[\u3099\u309a\uff9e\uff9f])*"
)
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t>]*(?=[^\W\d_])")
# Small raised letters, such as those that mark a footnote (`Rosaᵃ`), and fillers, which look like spaces.
_FILLERS = "\u115f\u1160\u3164\uffa0"
_MODIFIERS = re.compile(
    "[\u02b0-\u02ff\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2071\u207f\u2090-\u209c\ua69c\ua69d\ua770\u115f\u1160\u3164\uffa0]+"
)
# Cyrillic and Greek letters that look like Latin ones: within a word with Latin letters, they are meant as these.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВНονροαικτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhkmtbhAEOPCYXIJSKMTBHovpoaiktxABEZHIKMNOPTYX"
)
_LIKE = "".join(map(chr, _LOOKALIKES))
# Only from the start of a run of such letters: from each letter of a long one, it would be read to its end again.
_MIXED = re.compile(rf"(?<![A-Za-z{_LIKE}])(?:[A-Za-z]+[{_LIKE}][A-Za-z{_LIKE}]*|[{_LIKE}]+[A-Za-z][A-Za-z{_LIKE}]*)")
_DEEPEST = 3  # levels of escaped escapes, such as %2520

# Letters that Unicode does not decompose.
_LETTERS = str.maketrans({"ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"})
_LETTERS |= str.maketrans({"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH"})


@dataclass(frozen=True, slots=True)
class ReadText:
    """A normalised text; `starts` and `ends` have, for each of its characters, the span in the original text."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original text of a (not empty) span of the normalised text."""
        return self.starts[start], self.ends[end - 1]


def as_written(text: str) -> ReadText:
    """The text unchanged."""
    return ReadText(text, range(len(text)), range(1, len(text) + 1))


def as_read(text: str) -> ReadText:
    """The text without escapes, invisible characters, accents and full-width forms; capitals stay."""
    view = as_written(text)
    for _ in range(_DEEPEST):
        view = _rewritten(view, _ESCAPED, _unescaped)
    view = _rewritten(_rewritten(view, _UNSEEN, lambda _: ""), _COMPOSED, _plain)
    return view if view.text.isascii() else _rewritten(view, _MIXED, lambda word: word.translate(_LOOKALIKES))


def without_marks(text: str) -> ReadText | None:
    """The normalised text without small raised letters, and with spaces for fillers; None if there are neither.

    `as_read` reads the former as letters, and leaves the latter out.
    """
    return _without(_MODIFIERS, text, lambda run: "" if set(run).isdisjoint(_FILLERS) else " ")


def unhyphenated(text: str) -> ReadText | None:
    """The normalised text with words joined that are hyphenated at a line break; None if there are none."""
    return _without(_HYPHENATED, text, lambda _: "")


def _without(pattern: re.Pattern[str], text: str, change: Callable[[str], str]) -> ReadText | None:
    if not pattern.search(text):
        return None
    view = _rewritten(as_written(text), pattern, change)
    rest = as_read(view.text)
    starts = [view.starts[start] for start in rest.starts]
    return ReadText(rest.text, starts, [view.ends[end - 1] for end in rest.ends])


def _rewritten(view: ReadText, pattern: re.Pattern[str], change: Callable[[str], str]) -> ReadText:
    """A view with every match of a pattern changed; each new character gets the span of the whole match."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in pattern.finditer(view.text):
        new = change(match[0])
        if new == match[0]:
            continue
        first, last = match.span()
        texts += view.text[at:first], new
        starts += [*view.starts[at:first], *[view.starts[first]] * len(new)]
        ends += [*view.ends[at:first], *[view.ends[last - 1]] * len(new)]
        at = last
    if not at:
        return view
    return ReadText("".join([*texts, view.text[at:]]), [*starts, *view.starts[at:]], [*ends, *view.ends[at:]])


def _unescaped(escape: str) -> str:
    """The character of a URL, HTML or JSON escape; the escape itself if it is invalid."""
    if escape[0] == "%":
        return _decoded(unquote_to_bytes(escape))
    if escape[0] == "\\":
        code = int(escape[2:], 16)
        return escape if 0xD800 <= code < 0xE000 else chr(code)
    return html.unescape(escape)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@lru_cache(maxsize=10_000)
def _plain(cluster: str) -> str:
    """A character without accent and width: Å, Å (two characters) and Ａ all become A."""
    apart = unicodedata.normalize("NFKD", cluster.translate(_LETTERS))
    return unicodedata.normalize("NFC", re.sub(_ACCENT, "", apart)).translate(_LETTERS)
