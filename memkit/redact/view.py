"""A text as a reader would say it, each character knowing where it stands in the text as it is written.

`Ros%C3%A1`, `Ros&aacute;`, `Ro<soft hyphen>sa`, `Ｒｏｓａ` and `Rosa` with a combining accent all read `Rosa`: rules
look at the view, and what they find is cut out of the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes

_CONTINUED = "%[89ab][0-9a-f]"
_ESCAPED = re.compile(
    rf"%[0-7][0-9a-f]|%[cd][0-9a-f]{_CONTINUED}|%e[0-9a-f](?:{_CONTINUED}){{2}}|%f[0-7](?:{_CONTINUED}){{3}}"
    r"|%[89a-f][0-9a-f]|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});|\\u[0-9a-f]{4}",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]+"
)
_ACCENT = "[\u0300-\u036f]"
_COMPOSED = re.compile(
    f"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\0-\x7f]{_ACCENT}+|[^\0-\x7f](?:{_ACCENT}|[\u3099\u309a\uff9e\uff9f])*"
)
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t>]*(?=[^\W\d_])")
_DEEPEST = 3  # escapes within escapes: %2520

# Letters that Unicode does not take apart.
_LETTERS = str.maketrans({"ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"})
_LETTERS |= str.maketrans({"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH"})


@dataclass(frozen=True, slots=True)
class View:
    """What is read, and for each of its characters the place in the text as written: from `starts` up to `ends`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a (not empty) piece of the view stands in the text as written."""
        return self.starts[start], self.ends[end - 1]


def as_written(text: str) -> View:
    """The text itself."""
    return View(text, range(len(text)), range(1, len(text) + 1))


def as_read(text: str) -> View:
    """The text without escapes, invisible characters, accents and widths; capitals stay."""
    view = as_written(text)
    for _ in range(_DEEPEST):
        view = _rewritten(view, _ESCAPED, _unescaped)
    return _rewritten(_rewritten(view, _UNSEEN, lambda _: ""), _COMPOSED, _plain)


def mended(text: str) -> View | None:
    """The text as read, with words joined that a line break parts by a hyphen; None if there are none."""
    if not _HYPHENATED.search(text):
        return None
    view = _rewritten(as_written(text), _HYPHENATED, lambda _: "")
    rest = as_read(view.text)
    starts = [view.starts[start] for start in rest.starts]
    return View(rest.text, starts, [view.ends[end - 1] for end in rest.ends])


def _rewritten(view: View, pattern: re.Pattern[str], change: Callable[[str], str]) -> View:
    """A view with every match of a pattern changed; the new characters stand where the whole match stood."""
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
    return View("".join([*texts, view.text[at:]]), [*starts, *view.starts[at:]], [*ends, *view.ends[at:]])


def _unescaped(escape: str) -> str:
    """The character that an escape of a URL, of HTML or of JSON stands for; the escape itself if it is none."""
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
    """A character without accent and width: Å, Å (two characters) and Ａ all read A."""
    apart = unicodedata.normalize("NFKD", cluster.translate(_LETTERS))
    return unicodedata.normalize("NFC", re.sub(_ACCENT, "", apart)).translate(_LETTERS)
