"""Sentences without Markdown's marks: a link is the name of its note in brackets of their own, emphasis disappears."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from memkit.core.patterns import pattern
from memkit.text.extract.tokens import HIDDEN
from memkit.text.extract.wikilinks import WikiLink

# Around the name of a linked note: such a name counts whatever its letters are.
OPEN, CLOSE = "\ue001", "\ue002"
SHOWN = "\ue003"  # between the name and other words that the link shows
LINKED = f"{OPEN}[^{OPEN}{CLOSE}\n]{{1,120}}{CLOSE}"

MARKS = pattern(r"[\[\]*_=~]")
_MARK = pattern(
    rf"(?P<kept>{LINKED})"
    rf"|(?<!!)\[(?P<shown>[^\[\]\n]{{1,300}})\]\(?{HIDDEN}+\)?"  # a link to a page of the web, whose address is hidden
    r"|\[[\^!][^\[\]\s]*\][-+]?|\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|==|~~"
)
_LINK = pattern(f"{OPEN}([^{SHOWN}{CLOSE}]*){SHOWN}?([^{CLOSE}]*){CLOSE}")
_BEFORE = pattern(rf"[^\w{HIDDEN}{OPEN}@\"“«„《]+")


def unmarked(shown: str, start: int, end: int, links: Sequence[WikiLink] = ()) -> str:
    """A sentence `shown[start:end]` as a reader sees it; `links` are those of the text, in order."""
    pieces, at = [], start
    for link in links[bisect_left(links, start, key=_start) : bisect_left(links, end, key=_start)]:
        if at <= link.start and link.end <= end and not link.embed:
            other = "" if link.display in (link.name, link.target) else SHOWN + link.display
            pieces += [_plain(shown[at : link.start]), OPEN, link.name, other, CLOSE]
            at = link.end
    pieces.append(_plain(shown[at:end]))
    plain = _MARK.sub(lambda mark: mark["kept"] or mark["shown"] or "", "".join(pieces))
    opening = _BEFORE.match(plain)
    return plain[opening.end() :] if opening else plain


def name_of(written: str) -> str:
    """A text with the names of notes for its links."""
    return _LINK.sub(lambda link: link[1], written)


def shown_in(written: str) -> str:
    """A text with the words that its links show."""
    return _LINK.sub(lambda link: link[2] or link[1], written)


def _start(link: WikiLink) -> int:
    return link.start


def _plain(text: str) -> str:
    return text.replace(OPEN, " ").replace(CLOSE, " ").replace(SHOWN, " ")
