"""Markdown as HTML that is safe to show: every text is escaped, and only tags that this module names are written.

A link leads to http, https, mailto or a page of ours; an image is shown only where the caller gives an address for it.
Everything else stays as the words that it shows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from memkit.text.markdown import BLOCKS, Part, parts
from memkit.text.marking import Spot, part_of, spots_of

Resolve = Callable[[str], str | None]  # a name or a relative address as written, to an address of ours

OUTSIDE = ("http:", "https:", "mailto:")
HEADINGS = {f"h{n}": n for n in range(1, 7)}
DEEPEST = 6
LISTS = ("ul", "ol")  # which may stand in an item, behind its words
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`\\{}|^]{3,2000}")
_AFTER = ".,;:!?)]*_~"  # what follows an address in a sentence


def nowhere(_: str) -> str | None:
    """Resolves nothing."""
    return None


@dataclass(frozen=True)
class Around:
    """What a text is shown with: the `question` whose words are marked, and the addresses of what it names.

    With `most` only an excerpt of about so many characters is shown, from `before` characters before the first marked
    word. `names` are words with the address of a page about them. The text stands below a heading of the page, of the
    level `below`, and below headings of the same note in earlier texts, whose own levels are `above`.
    """

    question: str = ""
    most: int = 0
    before: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    link: Resolve = nowhere
    image: Resolve = nowhere
    below: int = 2
    above: tuple[int, ...] = ()


def html(text: str, around: Around) -> Markup:
    """A Markdown text as HTML. An excerpt has all tags closed that it opens, and of a table also the head."""
    found = parts(text)
    words = "".join(map(_seen, found))
    spots = spots_of(words, around.question) if around.question else []
    window = part_of(words, spots, around.most, around.before) if around.most else (0, len(words))
    writer = _Writer(around, words, spots, window, _heads(found))
    for part in found:
        writer.write(part)
    return Markup("".join(writer.out))


def headings(text: str, above: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The levels of the headings that stand above what follows a text: the last one, and those that it is below."""
    for part in parts(text):
        if part.kind == "open" and part.tag in HEADINGS:
            above = _nested(above, HEADINGS[part.tag])
    return above


def _nested(above: tuple[int, ...], level: int) -> tuple[int, ...]:
    return (*(one for one in above if one < level), level)


def seen(text: str) -> str:
    """The words of a Markdown text that a reader sees, a line for each block."""
    return "".join(map(_seen, parts(text)))


def _seen(part: Part) -> str:
    """What is searched for the words of the question: the texts, with a line for each block."""
    ends = (part.kind in ("close", "void") and part.tag in BLOCKS) or (part.kind == "open" and part.tag in LISTS)
    return part.text or ("\n" if ends else "")


def _heads(found: tuple[Part, ...]) -> list[tuple[int, int, int]]:
    """Where the head of each table begins, where it ends, and where the table ends, in what is seen."""
    heads, at, begin, end = [], 0, 0, 0
    for part in found:
        if part.tag == "thead":
            begin, end = (at, end) if part.kind == "open" else (begin, at)
        at += len(_seen(part))
        if part.tag == "table" and part.kind == "close":
            heads.append((begin, end, at))
    return heads


class _Writer:
    """Writes parts one after the other; `at` is the place in what is seen."""

    def __init__(
        self, around: Around, seen: str, spots: list[Spot], window: tuple[int, int], heads: list[tuple[int, int, int]]
    ):
        self.around, self.seen, self.spots, self.window = around, seen, spots, window
        self.shown = [window, *((a, b) for a, b, end in heads if b <= window[0] < end)]
        self.names = _names(around.names)
        self.out: list[str] = []
        self.open: list[tuple[str, int]] = []  # each open tag: how it closes, and where it stands in `out`
        self.at = 0
        self.said = False  # whether any text was written
        self.above = around.above
        self.plain = 0  # how many open tags have text that is not linked

    def write(self, part: Part) -> None:
        """Writes a part, if it lies in the window."""
        left, right = self.at, self.at + len(_seen(part))
        self.at = right
        if part.kind in ("open", "link"):
            self._open(part)
        elif part.kind == "close":
            self._close(part.tag)
        elif self._is_shown(left, max(right, left + 1)):
            if part.kind == "text":
                self._text(left, right)
            elif part.kind == "break":
                self.out.append("<br>\n" if self.said else "")
            elif part.kind == "void":
                self.out.append("<hr>" if self.said else "")
            else:
                self._image(part, left, right)

    def _is_shown(self, left: int, right: int) -> bool:
        return any(left < end and right > start for start, end in self.shown)

    def _open(self, part: Part) -> None:
        tag, closing = self._heading(part.tag), ""
        attrs = "".join(f' {name}="{escape(value)}"' for name, value in part.attrs)
        if part.kind == "link":
            url = self._address(part)
            opening, closing = (_a(url), "</a>") if url else ("", "")
            self.plain += 1
        elif tag == "pre":
            opening, closing = '<pre tabindex="0"><code>', "</code></pre>\n"
            self.plain += 1
        elif tag == "table":
            opening, closing = '<div class="mk-table" tabindex="0"><table>', "</table></div>\n"
        else:
            opening, closing = f"<{tag}{attrs}>", f"</{tag}>" + ("\n" if part.tag in BLOCKS else "")
            self.plain += tag == "code"
        self.open.append((closing, len(self.out)))
        self.out.append(opening)

    def _heading(self, tag: str) -> str:
        """The tag; that of a heading one level below the heading above it, however many levels its writer left out."""
        if tag not in HEADINGS:
            return tag
        nested = _nested(self.above, HEADINGS[tag])
        if self._is_shown(self.at, self.at + 1):
            self.above = nested
        return f"h{min(self.around.below + len(nested), DEEPEST)}"

    def _close(self, tag: str) -> None:
        closing, start = self.open.pop()
        self.plain -= tag in ("a", "pre", "code")
        inside = "".join(self.out[start + 1 :])
        empty = not (Markup(inside).striptags() or "<img" in inside) if tag == "tr" else not inside
        if empty and tag not in ("td", "th"):
            del self.out[start:]
        else:
            self.out[start + 1 :] = [inside, closing]

    def _address(self, part: Part) -> str | None:
        if part.wiki:
            return self.around.link(part.target)
        if _SCHEME.match(part.target):
            return part.target if part.target.lower().startswith(OUTSIDE) else None
        return None if part.target.startswith(("//", "#", "?", "\\")) else self.around.link(part.target)

    def _image(self, part: Part, left: int, right: int) -> None:
        scheme = None if part.wiki else _SCHEME.match(part.target)
        url = None if scheme else self.around.image(part.target)
        if url:
            self.out.append(f'<img src="{escape(url)}" alt="{escape(part.text)}" loading="lazy">')
            self.said = True
            return
        outside = part.target if scheme and part.target.lower().startswith(OUTSIDE[:2]) and not self.plain else ""
        words = escape(part.text or part.target.rpartition("/")[2][:80] or "image")
        self.out.append(f'<span class="mk-picture">{f"{_a(outside)}{words}</a>" if outside else words}</span> ')
        self.said = True

    def _text(self, left: int, right: int) -> None:
        for start, end in self.shown:
            begin, stop = max(left, start), min(right, end)
            if begin >= stop:
                continue
            if begin >= self.window[0] > 0 and not self.said:
                self.out.append("… ")
            for a, b, url in self._pieces(begin, stop):
                words = self._marked(a, b)
                self.out.append(f"{_a(url)}{words}</a>" if url else words)
            if stop == self.window[1] < len(self.seen):
                self.out.append("…")
            self.said = True

    def _pieces(self, left: int, right: int) -> Iterator[tuple[int, int, str]]:
        """The stretch cut at the names and addresses in it, each with its address."""
        at = left
        for start, end, url in [] if self.plain else self._linked(left, right):
            if start >= at:
                yield from ((at, start, ""), (start, end, url))
                at = end
        yield at, right, ""

    def _linked(self, left: int, right: int) -> list[tuple[int, int, str]]:
        found = []
        for match in _ADDRESS.finditer(self.seen, left, right):
            address = match[0].rstrip(_AFTER)
            found.append((match.start(), match.start() + len(address), address))
        if self.names:
            for match in self.names.finditer(self.seen, left, right):
                found.append((*match.span(), self.around.names[match[0]]))
        return sorted(found)

    def _marked(self, left: int, right: int) -> str:
        out, at = [], left
        first = max(bisect_right(self.spots, (left, 0)) - 1, 0)  # a word may begin before a tag and end after it
        for start, end in self.spots[first : first + 1 + right - left]:
            if start >= right:
                break
            a, b = max(start, at), min(end, right)
            if a < b:
                out += [escape(self.seen[at:a]), Markup("<mark>"), escape(self.seen[a:b]), Markup("</mark>")]
                at = b
        return "".join([*out, escape(self.seen[at:right])])


def _names(names: Mapping[str, str]) -> re.Pattern[str] | None:
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None


def _a(url: str) -> str:
    outside = ' rel="nofollow noopener"' if _SCHEME.match(url) else ""
    return f'<a href="{escape(url)}"{outside}>'
