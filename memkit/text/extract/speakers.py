"""Speakers: who says `I` at a place of a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter

from memkit.core.patterns import pattern as later
from memkit.core.roles import USERS, is_role
from memkit.text.extract import words
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.grammar import NAME
from memkit.text.extract.unmarked import name_of
from memkit.text.spans import Spans
from memkit.text.statements import named_speakers

_TURN = later(r"^([^\W\d_a-z][^:\n]{0,40}):\s", re.MULTILINE)
_SIDE_TURN = later(r"^([a-z]{2,20}):\s", re.MULTILINE)  # `user: `, `assistant: `
# Whoever writes `Lead: ...` at the start of a line names a field; whoever writes `Anna: ...`, somebody who speaks.
_LINE_TURN = later(r"^[ \t]*(?:[-*+][ \t]+)?[*_]*(@[\w.-]+|[^\W\d_a-z][^:*\n]{0,40})[*_]*:[*_]*[ \t].*$", re.MULTILINE)
_INTRODUCED = later(
    r"(?:\b[Mm]y name is|\b[Mm]i nombre es|\b[Mm]e llamo|\b[Ii]ch heiße|\b[Mm]ein Name ist|\b[Jj]e m['’]appelle) "
    rf"(?P<short>{NAME})|\b(?:Soy|I am|I['’]m) (?P<full>{NAME})(?<=\w )?(?=[,.!]| and\b| y\b)"
)
_MAY_INTRODUCE = later(r"name is |nombre es |llamo |heiße |Name ist |appelle |Soy |I am |I['’]m ")
_REMARKS = frozenset("correction update edit korrektur nachtrag corrección rectification".split()) | {
    "for the record",
    "para que quede claro",
}
# "That was wrong: ...", but not "That was Anna: ..."
_REMARKING = later(
    r"(?i:(?:das|dies|it|that|this) (?:war|ist|was|is)|c['’](?:était|est)|fue|era)"
    r"(?: (?:Fehler|Irrtum|[a-zäöüßáéíóúñèêàç]+))* ?\Z"
)
_READ = frozenset("read heard quote quoted gelesen gehört lu entendu leí oí escuché".split())  # "I read in a book: ..."
_SAYER = frozenset("i ich je j'ai j’ai yo me tengo".split())  # "I was wrong: ..." is no name


def speakers(text: str, speaker: str | None, statistics: CaseStatistics) -> Callable[[int], str]:
    """A function from an offset to its speaker.

    Of several (`Li, Bo`), it is the one whose `Bo: ` is before the offset; of `user, assistant`, the user or nobody. In
    a line that begins with another name and a colon, somebody else speaks. Where nobody is known, the text may say who
    writes: `My name is Bo Ek`.
    """
    if speaker and "," in speaker:
        sides = {name: "user" if name in USERS else "" for name in named_speakers(speaker) if is_role(name)}
        turns = [(turn.start(), turn[1]) for turn in _TURN.finditer(text)]
        turns += [(turn.start(), sides[turn[1]]) for turn in _SIDE_TURN.finditer(text) if turn[1] in sides]
        turns.sort()
        names = ["", *(name for _, name in turns)]
        return lambda offset: names[bisect_right(turns, offset, key=itemgetter(0))]
    me = "user" if speaker is None else speaker
    introduced = _INTRODUCED.search(text) if not me and _MAY_INTRODUCE.search(text) else None
    me = name_of(introduced["full"] or introduced["short"]) if introduced else me
    if ": " not in text:
        return lambda offset: me
    others = Spans(turn.span() for turn in _LINE_TURN.finditer(text) if _is_other(turn[1], me, statistics))
    return lambda offset: "" if others.cover(offset) else me


def _is_other(label: str, me: str, statistics: CaseStatistics) -> bool:
    """Whether what stands before a colon at the start of a line is the name of somebody else."""
    if label.casefold() == me.casefold():
        return False
    words_ = label.lower().lstrip("@").split()
    if label[0] == "@" or len(label) == 1 or not _READ.isdisjoint(words_):
        return True
    remark = label.strip().lower() in _REMARKS or _REMARKING.match(label) or not _SAYER.isdisjoint(words_)
    return not remark and not all(word in words.OPENERS or statistics.is_common_word(word) for word in words_)
