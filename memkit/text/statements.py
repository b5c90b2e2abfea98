"""Statements: the sentences of a text, each whole, with who says it. What is shortened keeps or drops them whole.

A text may be a note, a turn of one speaker, or a transcript whose lines begin with the names of its speakers
(`Rosa: ...`). A sentence may go over several lines. A code block, and a list item without a full stop, is one
statement. Where it is unsure whether a full stop ends a sentence (`at 6 p.m. on Friday`), it does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from functools import lru_cache
from itertools import groupby

from memkit.core.classes import dataclass
from memkit.core.patterns import pattern
from memkit.text.chunking import lines_and_code
from memkit.text.words import SENTENCE_ENDS, STOP_WORDS, has_cjk, sentences
from memkit.text.words import words as split_words

_MARK = pattern(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?=\S)|[ \t]+(?=\S)|>[ \t]*|#{1,6}[ \t]+")
_ANYBODY = r"[^\W\d_a-z][\w'’.-]{0,30}(?: [^\W\d_a-z][\w'’.-]{0,30}){0,2}"
_LABEL_OF_ANYBODY = pattern(rf"{_ANYBODY}[:：][ \t]+(?=\S)")
_ROW = pattern(r"[ \t]*\|")  # of a table
_ENDED = pattern(rf"[.!?…{SENTENCE_ENDS}]['\"”’)\]」』*_]*[ \t]*\Z")
# A full stop after one of these may belong to an abbreviation.
_ABBREVIATED = pattern(
    r"(?:(?:^|[\s(])(?:[^\W\d_]|[A-Za-z]\.[A-Za-z]|[ap]\.m|No|Nos|St|vs|etc|approx|ca|cf|Nr|bzw|usw|Sr|Sra|Mt|Jr|Inc|Ltd"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|\d{1,2}))\.\Z"
)
_BEGINS = pattern(r"[\W_]*(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as it stands in a text: the numbers (from 0) of its text, and there of its turn, its line and itself.

    `speaker` is the label of its turn (`Rosa: `), or empty; `mark` is what the line begins with (`- `, indentation).
    A code block is one statement; `apart` says whether an empty line is before its line. For one that was chosen
    (`summarize.py`), `gain` is what choosing it gained, and `needs` are those before it that were chosen for its sake.
    """

    text: int
    turn: int
    line: int
    place: int
    speaker: str
    mark: str
    words: str
    code: bool = False
    apart: bool = False
    gain: float = 0.0
    needs: tuple[Statement, ...] = field(default=(), compare=False)

    @property
    def of_turn(self) -> tuple[int, int]:
        """Its text and its turn in it, which statements of one turn have in common."""
        return self.text, self.turn


def statements(text: str, speakers: Collection[str] = (), *, number: int = 0) -> list[Statement]:
    """The statements of a text (its number is `number`), in order; `speakers` are the names that may begin a line."""
    label = speaker_label(speakers, text)
    found: list[Statement] = []
    speaker, turn = "", 0
    for row, (line, code, apart) in enumerate(_logical_lines(text, label)):
        if label and (opening := label.match(line)):
            speaker, line = opening[0], line[opening.end() :]
            turn += 1
        if code:
            found.append(Statement(number, turn, row, len(found), speaker, "", line, code, apart))
            continue
        mark = _MARK.match(line)
        body = line[mark.end() :] if mark else line
        found += [
            Statement(number, turn, row, place, speaker, mark[0] if mark else "", body[start:end], apart=apart)
            for place, (start, end) in enumerate(whole_sentences(body), len(found))
        ]
    return found


def speaker_label(speakers: Collection[str], text: str = "") -> re.Pattern[str] | None:
    """What matches a speaker's name (as `name`) and the colon after it, at the start of a line; None without names.

    Where a line of `text` begins with one of these names, it is a transcript, and others may speak in it, too.
    """
    names = sorted({name.strip() for name in speakers if name.strip()}, key=lambda name: (-len(name), name))
    known = "|".join(map(re.escape, names))
    if names and re.search(rf"^(?:{known})[:：][ \t]", text, re.MULTILINE):
        known += f"|{_ANYBODY}"
    return re.compile(rf"(?P<name>{known})[:：][ \t]+(?=\S)") if names else None


def labelled(label: str, text: str) -> str:
    """What one speaker said, with the speaker's label in front: of every line, where one seems to name another speaker.

    >>> print(labelled("Ada: ", "He said:\\nBob: I am late.\\nI laughed."))
    Ada: He said:
    Ada: Bob: I am late.
    Ada: I laughed.
    """
    if label and "```" not in text and any(_LABEL_OF_ANYBODY.match(line) for line in text.split("\n")):
        return "\n".join(label + line if line else line for line in text.split("\n"))
    return label + text


@lru_cache(maxsize=1 << 10)
def named_speakers(speaker: str | None) -> tuple[str, ...]:
    """The names in a speaker field: `LiHua, Wolfgang` are two."""
    return tuple(name for part in (speaker or "").split(",") if (name := part.strip()))


def whole_sentences(text: str) -> list[tuple[int, int]]:
    """The spans of a text's sentences; what may be the middle of one is not divided."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text):
        if found and not _surely_apart(text[slice(*found[-1])], text[start:end]):
            start = found.pop()[0]
        found.append((start, end))
    return found


def _surely_apart(before: str, after: str) -> bool:
    """Whether a sentence has ended: the next one begins with no small letter, and this with no abbreviation's stop."""
    first = _BEGINS.match(after)
    return bool(first and not first[1].islower() and not _ABBREVIATED.search(before[-12:]))


def written(kept: Iterable[Statement]) -> str:
    """Statements as text: a line for each original line, and its speaker where a turn of somebody begins."""
    lines: list[str] = []
    turn = None
    for (text, number, _), group in groupby(kept, key=lambda one: (one.text, one.turn, one.line)):
        told = list(group)
        lines += [""] if told[0].apart and turn is not None and turn[0] == text else []
        opening = told[0].speaker if (text, number) != turn else ""
        lines.append(opening + told[0].mark + joined(one.words for one in told))
        turn = text, number
    return "\n".join(lines)


def joined(words: Iterable[str]) -> str:
    """Sentences on one line: with a space between them, except in scripts without spaces."""
    text = ""
    for one in words:
        text += ("" if not text or has_cjk(text[-2:]) else " ") + one
    return text


def _logical_lines(text: str, label: re.Pattern[str] | None) -> Iterator[tuple[str, bool, bool]]:
    """The lines as (line, is code, after an empty line); one that goes on with the sentence before it is joined."""
    waiting: list[str] = []
    apart = empty = False
    for line, code in lines_and_code(text, label):
        begins = code or not line.strip() or _MARK.match(line) or _ROW.match(line) or (label and label.match(line))
        if waiting and (begins or _ENDED.search(waiting[-1])):
            yield "\n".join(waiting), False, apart
            waiting = []
        if code:
            yield line, True, empty
        elif line.strip():
            apart = apart if waiting else empty
            waiting.append(line)
        empty = not code and not line.strip()
    if waiting:
        yield "\n".join(waiting), False, apart


# ---------------------------------------------------------------------------------------------- what must stand

NUMBER = pattern(r"\d+(?:[.,:/-]\d+)*")
_CAPITALISED = pattern(r"(?<=[^\W_] )(?<![.!?:] )[A-ZÀ-ÖØ-Þ][\w'’-]*|(?<=[,;&(] )[A-ZÀ-ÖØ-Þ][\w'’-]*")
NEGATIONS = frozenset(
    """
    no not never none nobody nothing neither nor nowhere cannot without hardly barely
    nicht nichts nie niemals niemand kein keine keinen keiner keinem ohne weder
    nada nadie nunca jamás ni sin ningún ninguna ninguno
    ne pas jamais rien personne aucun aucune sans
    """.split()
)
_DENIED = pattern(r"n['’]t\b|[不没沒未无無别別]")


def telling(words: str) -> frozenset[str]:
    """The numbers, names and negations of a sentence: what two sentences must share to say the same."""
    return frozenset({*NUMBER.findall(words), *names(words), *(["not"] if denies(words) else [])})


def names(words: str) -> set[str]:
    """The capitalised words inside a sentence; its first word is none of them, because it may be any word."""
    found = _CAPITALISED.findall(words)
    return {name for name in found if name.lower() not in STOP_WORDS and name[:2] not in ("I'", "I’")}


def denies(words: str) -> bool:
    """Whether a sentence has a negation."""
    return _DENIED.search(words) is not None or not NEGATIONS.isdisjoint(split_words(words))
