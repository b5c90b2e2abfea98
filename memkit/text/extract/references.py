"""What citations write beside names: the parts of a work with their numbers, and initials behind a name."""

from __future__ import annotations

import re

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary, words
from memkit.text.extract.tokens import Token

NUMBER = pattern(r"\d{1,3}[a-zA-Z]?\Z")
# Also of a century, and several: XXe, X-XII.
ROMAN = pattern(r"[IVXLC]{2,}(?:es?|ème)?\Z|[IVXLC]+[-–][IVXLC]+\Z")
_STUCK = pattern(r"([^\W\d_]{2,})\d{1,3}(?:\.\d{1,2})*\Z")  # TOP7.2, Kap3
_COUNTED = pattern(r"\.?[ \xa0]?(?:\d|[IVX]+\b)")


def counts_a_part(text: str, run: list[Token]) -> bool:
    """Whether a run counts the parts of something: `Chapter 2`, `Book IV`, `Option A`, `S. 154f`, `II Nr. 4`."""
    *before, last = run
    if last.word in words.PART_ABBREVIATIONS and all(ROMAN.match(token.word) for token in before):
        return _COUNTED.match(text, last.end) is not None
    first, *others = run
    if not others and is_stuck_part(first.word):
        return True
    page = len(first.word) == 1 and text[first.end : first.end + 1] == "."
    if not others or not (page or first.lower in words.PARTS or first.word in words.PART_ABBREVIATIONS):
        return False
    return all(_is_count(token.word, letters=not page) for token in others)


def is_stuck_part(word: str) -> bool:
    """Whether a word is a part with its number behind it: `TOP7.2`, `Kap3`."""
    stuck = _STUCK.match(word) if word[-1:].isdigit() else None
    return stuck is not None and (stuck[1].lower() in words.PARTS or stuck[1] in words.PART_ABBREVIATIONS)


def _is_count(word: str, *, letters: bool) -> bool:
    return bool(NUMBER.match(word) or ROMAN.match(word)) or (letters and len(word) == 1)


def is_left_over(text: str, run: list[Token]) -> bool:
    """Whether only the initials of somebody are here, who is called by his family name first: `Moss, K. M.`"""
    initials = all(len(letter) == 1 for token in run for letter in re.split("[.-]", token.word))
    return initials and text[max(0, run[0].start - 3) : run[0].start].rstrip().endswith(",")


def people(run: list[Token]) -> list[list[Token]]:
    """The two of `Anna Lind & Bo Ek`; but `Harrow & Finch` is one, and so is what has words of everybody."""
    signs = [i for i, token in enumerate(run) if token.word == "&" and token.start > run[i - 1].end]
    if len(signs) != 1 or any(dictionary.is_common(token.word) for token in run):
        return [run]
    both = [run[: signs[0]], run[signs[0] + 1 :]]
    return both if all(len(one) > 1 and all(token.capital for token in one) for one in both) else [run]
