"""Person name matching in upper and lower case, with any separator, also in URLs, tags and identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product

from memkit.core.errors import BadQuestion
from memkit.text.forms import attached
from memkit.text.redact.name_forms import NameForms
from memkit.text.redact.tree import any_of
from memkit.text.redact.values import Names
from memkit.text.redact.view import ReadText, as_read, unhyphenated, without_marks
from memkit.text.redact.words import is_common
from memkit.text.words import LETTER, NAME_LETTER, UNSPACED

SEVERAL = "[name]"  # replaces a name that several of the people to hide have
LONGEST = 200  # characters of a name
JOINED = 6  # a name of several parts matches as one word in lower case if it has this many letters

_BREAK = r"\r?\n[ \t>*]{0,8}"
_GAP = rf"(?:[ \t_.,+'’·・=*\-‐–]{{1,4}}(?:{_BREAK})?|{_BREAK})"
_MOST_GAPS = 3  # up to so many gaps are optional one by one; of more gaps, all, one or none are there
_UNSPACED = re.compile(UNSPACED)
_PIECES = re.compile(rf"[^\W_]{NAME_LETTER}*")
_SIGN = re.compile(rf"(?![^\W_]){LETTER}")
_PARTICLES = frozenset(
    "al bin da das de degli dei del della den der des di dos du el ibn la las le los of op st ten ter the to un van von"
    " vom y zu zum zur dr herr frau jr mr mrs ms miss mx prof professor sir sr".split()
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe"})
_TWO_LETTERS = _UMLAUTS | str.maketrans({"å": "aa", "Å": "Aa"})
_BETWEEN_WORDS = re.compile(r"[\s,・=]+")


Place = tuple[int, int, str]  # start and end in a text, and the label


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a name: its parts in lower case, and the conditions for a match."""

    parts: tuple[str, ...]
    label: str
    given: bool = False  # written by the caller, not derived from such a form
    capital: bool = False  # also a common word: matches only with capitals
    initial: bool = False  # one part is an initial: it needs a capital if spaces separate it from the rest
    dotted: bool = False  # ends with an initial, which needs a full stop after it

    @property
    def key(self) -> str:
        """The letters in order, without separators."""
        return "".join(self.parts)


class NameFinder:
    """Finds the names of some people in texts; `ambiguous` are the names that are also common words."""

    def __init__(self, names: Iterable[Names], words: Iterable[str] = ()):
        own = frozenset(_lower(word) for word in words)
        every = [spelling for one in names for spelling in _spellings(one, own)]
        self.spellings = _by_key(every)
        self.ambiguous = tuple(
            sorted({" ".join(s.parts) for s in self.spellings.values() if s.capital and not s.initial})
        )
        self._pattern = (
            re.compile(any_of(chain.from_iterable(map(_steps, self.spellings.values())))) if self.spellings else None
        )
        single = (one for one in self.spellings.values() if len(one.parts) == 1 and not one.initial)
        self._forms = NameForms((one.key, one.label) for one in single)

    def find(self, text: str) -> Iterator[Place]:
        """The names in a text as (start, end, label). The text is also read with hyphenated line breaks joined, and
        without small raised letters."""
        if self._pattern is not None:
            views = (as_read(text), unhyphenated(text), without_marks(text))
            read = [view for view in views if view is not None]
            exact = {one for view in read for one in self._in(view)}
            yield from _joined(text, exact, {one for view in read for one in self._forms.find(text, view)} - exact)

    def _in(self, view: ReadText) -> Iterator[Place]:
        assert self._pattern is not None
        lower, at = view.text.lower(), 0
        while match := self._pattern.search(lower, at):
            start = match.start()
            spelling = None
            # A longer match that is not meant may begin with a shorter one that is.
            while match and not (spelling := self._meant(view.text, start, match.end())):
                match = self._pattern.match(lower, start, match.end() - 1)
            if match and spelling:
                end = match.end() + _genitive(view.text, match.end(), spelling)
                yield *view.place(start, end), spelling.label
            at = match.end() if match else start + 1

    def _meant(self, text: str, start: int, end: int) -> Spelling | None:
        """The spelling of `text[start:end]`, or None if this place is not a name."""
        written = text[start:end]
        pieces = _PIECES.findall(written)
        spelling = self.spellings.get("".join(pieces).lower())
        if spelling is None or not (_begins(text, start) and _ends(text, end, spelling)):
            return None
        joined = len(pieces) < len(spelling.parts)
        if joined and len(written) < JOINED and not any(c.isupper() for c in written[1:]):
            return None
        if spelling.dotted and text[end : end + 1] != ".":
            return None
        capitals = all(piece[0].isupper() for piece in pieces)
        if spelling.initial and " " in written and not capitals:
            return None
        if spelling.capital and not capitals and text[max(start - 1, 0) : start] != "@":
            return None
        return spelling


def _joined(text: str, exact: set[Place], forms: set[Place]) -> Iterator[Place]:
    """What was found, in order, and as one place the parts of a name in another form: `Марину Петрову`."""
    parts = sorted(exact | forms)
    yield from parts
    for one, other in pairwise(parts):
        if one[2] == other[2] and text[one[1] : other[0]] == " " and not {one, other} <= exact:
            yield one[0], other[1], one[2]


# ---------------------------------------------------------------------------------------------- places of names


def _letter(character: str) -> bool:
    """Whether a character continues a word: a letter of a script with spaces between words."""
    return (character.isalpha() and not _UNSPACED.match(character)) or _SIGN.match(character) is not None


def _begins(text: str, start: int) -> bool:
    """Whether a name may begin here: not inside a word, except at a capital (as in anIdentifier).

    Or after a preposition that Hebrew or Arabic writes together with it.
    """
    if start == 0 or not (_letter(text[start - 1]) and _letter(text[start])):
        return True
    if prefixes := attached(text[start]):
        return text[_word_start(text, start) : start] in prefixes
    before, first, after = text[start - 1], text[start], text[start + 1 : start + 2]
    return first.isupper() and (before.islower() or after.islower())


def _word_start(text: str, at: int) -> int:
    while at and _letter(text[at - 1]):
        at -= 1
    return at


def _ends(text: str, end: int, spelling: Spelling) -> bool:
    """Whether a name may end here: not inside a word, except before a capital or a genitive s, or after CAPITALS."""
    if end == len(text) or not (_letter(text[end]) and _letter(text[end - 1])):
        return True
    last, after = text[end - 1], text[end]
    if last.isupper() != after.isupper() and (after.isupper() or text[end - 2 : end].isupper()):
        return True
    return _genitive(text, end, spelling)


def _genitive(text: str, end: int, spelling: Spelling) -> bool:
    """Whether a genitive s follows, as in `Rosas` (German, Swedish, or English without the apostrophe)."""
    if spelling.capital or spelling.dotted or text[end : end + 1] not in ("s", "S") or text[end - 1] in "sS":
        return False
    return not (end + 1 < len(text) and _letter(text[end + 1]))


# ---------------------------------------------------------------------------------------------- spellings of names


def _lower(text: str) -> str:
    return as_read(text).text.lower()


def _spellings(names: Names, own: frozenset[str]) -> Iterator[Spelling]:
    """Every way to write the names of one person."""
    certain, spared = ({_key(form) for form in forms} for forms in (names.certain, names.spared))
    for form in names.forms:
        if not _PIECES.search(form) or len(form) > LONGEST:
            raise BadQuestion(
                f"{form!r} is not a name to redact. Give a name with letters, of at most {LONGEST} characters."
            )
        for way in dict.fromkeys((form, form.translate(_UMLAUTS), form.translate(_TWO_LETTERS))):
            for spelling in _ways(way, names.label, own):
                sure = spelling.key in certain
                if spelling.key not in spared and (sure or len(spelling.key) > 1):
                    yield Spelling(
                        spelling.parts,
                        names.label,
                        spelling.given or sure,
                        spelling.capital and not sure,
                        spelling.initial,
                        spelling.dotted,
                    )


def _ways(form: str, label: str, own: frozenset[str]) -> Iterator[Spelling]:
    """The form itself; for a form of several words also reversed, with initials, and each word alone."""
    words = [parts for word in _BETWEEN_WORDS.split(_lower(form)) if (parts := tuple(_PIECES.findall(word)))]
    whole = sum(words, ())
    yield Spelling(whole, label, True, len(words) == 1 and _common(whole, own), any(len(part) == 1 for part in whole))
    if len(words) > 1:
        first, last = words[0], words[-1]
        common = _common(last, own)
        if all(not _UNSPACED.match(word[0]) for word in (first, last)) and len("".join(last)) > 2:
            yield Spelling((first[0][0], *last), label, capital=common, initial=True)
            yield Spelling((*last, first[0][0]), label, capital=common, initial=True, dotted=True)
            yield Spelling((*first, last[0][0]), label, capital=_common(first, own), initial=True, dotted=True)
        yield Spelling((*last, *sum(words[:-1], ())), label)
    halves = ((part,) for word in words for part in word if "-" in form and len(part) > 2)
    for word in {*words, *halves} - {whole}:
        if len("".join(word)) > 1 and "".join(word) not in _PARTICLES:
            yield Spelling(word, label, capital=_common(word, own))


def _common(parts: tuple[str, ...], own: frozenset[str]) -> bool:
    return len(parts) == 1 and is_common(parts[0], own)


def _key(form: str) -> str:
    return "".join(_PIECES.findall(_lower(form)))


def _by_key(spellings: Iterable[Spelling]) -> dict[str, Spelling]:
    """One spelling for each sequence of letters: given forms before derived ones; a shared name gets label SEVERAL."""
    chosen: dict[str, Spelling] = {}
    for spelling in sorted(spellings, key=lambda s: (not s.given, s.initial, s.capital)):
        first = chosen.setdefault(spelling.key, spelling)
        if first.label != spelling.label and first.given == spelling.given:
            chosen[spelling.key] = Spelling(
                first.parts, SEVERAL, first.given, first.capital, first.initial, first.dotted
            )
    return chosen


def _steps(spelling: Spelling) -> Iterator[list[str]]:
    """The steps of a spelling for the trie, with and without gaps between its parts."""
    first, *rest = chain.from_iterable(map(_unbroken, spelling.parts))
    for gaps in _gaps(len(rest)):
        yield [*first, *(step for gap, part in zip(gaps, rest, strict=True) for step in (gap, *part) if step)]


def _unbroken(part: str) -> Sequence[str]:
    """The pieces of a part that no line break splits: the word, or single characters in scripts without spaces."""
    return list(part) if _UNSPACED.match(part) else [part]


def _gaps(count: int) -> Iterator[tuple[str, ...]]:
    """The combinations of present and absent gaps."""
    if count <= _MOST_GAPS:
        yield from product(("", _GAP), repeat=count)
        return
    yield from (("",) * count, (_GAP,) * count)
    yield from (("",) * at + (_GAP,) + ("",) * (count - at - 1) for at in range(count))
