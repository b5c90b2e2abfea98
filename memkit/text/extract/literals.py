"""Required literals: words of which a text must have one, if a regular expression is to match in it.

`I used to live in Porto` is tried with some hundred forms, nearly all of which need a word that it has not. To look for
words is quicker than to try a form, and a form that is never tried need not be compiled: that takes a millisecond.
What is read here of a regular expression is what memkit's forms use; of anything else no literal is asked. Texts and
literals are compared in lower case, so that forms of which a part ignores case require literals, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from memkit.core.remembered import Remembered

LEAST = 2  # bytes of a literal that tells something: two letters, or one Chinese character
MOST = 30  # literals, one of which is needed: to look for more takes as long as the form

_MOST_SETS = 3  # of literals that are asked of a form
_MOST_RUNS = 4  # that are told apart by the characters of a class
_MOST_WORDS = 1 << 15  # for which is known what they allow
_LETTERS = 3  # by which what a word allows is looked for

_TOKEN = re.compile(
    r"""
    (?P<literal>[^\\\[\](){}|*+?.^$]+)
    |(?P<ignored>\(\?(?:[=!]|<[=!]|\(|P=|\#|(?!i:)[a-zA-Z-]+:|[a-zA-Z]+(?=\))))
    |(?P<open>\((?:\?i?:|\?P<\w+>)?)
    |(?P<close>\))
    |(?P<or>\|)
    |(?P<times>(?:[*+?]|\{\d*,?\d*\})[?+]?)
    |(?P<special>\\[a-zA-Z0-9]|[.^$]|\[\^?\]?(?:\\.|[^\]\\])*\])
    |\\?(?P<character>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_EITHER = re.compile(r"\[[^\\^\]-]{2}\]")  # a class of two characters: ['’]
_ANY_CASE = "(?i)"  # at the start of a form
_MAYBE = re.compile(r"[*?]|\{0*[,}]")

_NOTHING: frozenset[str] = frozenset()

Token = tuple[str, str]  # the name of its group, and what it says
_NO_LITERAL: Token = ("special", "")


def required(form: str) -> tuple[str, ...]:
    """Literals of which every text that matches a form (a regular expression) has one in lower case; none if not known.

    >>> required("(?:I|We) (?:no longer|used to) (?:live|work)? in")
    ('no longer', 'used to')
    """
    return next(iter(_all_required(form)), ())


@cache
def _all_required(form: str) -> tuple[tuple[str, ...], ...]:
    """Sets of literals, the most telling first: of each of them every text that matches a form has one."""
    told = form.removeprefix(_ANY_CASE)
    found = [(str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(told)]
    whole = [*_without_idle_groups(found), ("close", ")")]
    tokens = whole[::-1]
    sets = _requirements(tokens)
    if tokens[-1][0] == "or":
        sets = [_alternatives(whole[::-1])]
    telling = [one for one in dict.fromkeys(sets) if len(one) <= MOST and _frequency(one) < 1]
    return tuple(tuple(sorted(one)) for one in sorted(telling, key=_frequency)[:_MOST_SETS])


def may_match(form: str, text: str) -> bool:
    """Whether a text has a literal that the form requires. If not, the form does not match; if so, it may."""
    return _has_required(form, text.lower())


def _has_required(form: str, text: str) -> bool:
    for literals in _all_required(form):
        for literal in literals:  # any() would take three times as long
            if literal in text:
                break
        else:
            return False
    return True


def one_of(words: Iterable[str]) -> str:
    """An expression for one of these words. It has an alternative for each first letter, which tells most places.

    >>> one_of(["used", "no", "until"])
    'u(?:sed|ntil)|n(?:o)'
    """
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in rests.items())


class Forms:
    """Forms that are tried in turn on the same texts: those that may match are found in one go."""

    def __init__(self, forms: Iterable[str]):
        self._forms = tuple(forms)
        self._last: tuple[str, tuple[int, ...]] = ("", ())  # a sentence is asked for again, or is its only clause

    def possible(self, text: str) -> tuple[int, ...]:
        """The numbers of the forms that `may_match` a text, in order."""
        last, found = self._last
        if last != text or not text:
            found = tuple(self._possible(text.lower()))
            self._last = text, found
        return found

    def _possible(self, text: str) -> Iterator[int]:
        free, allowed = self._free_and_allowed
        found = free
        for word in text.split(" "):
            found |= allowed[word]
        while found:
            lowest = found & -found
            number = lowest.bit_length() - 1
            if lowest & free or _has_required(self._forms[number], text):
                yield number
            found ^= lowest

    @cached_property
    def _free_and_allowed(self) -> tuple[int, Remembered[str, int]]:
        """The forms that require nothing, and those that each word allows: most words come again and again."""
        free, needed = 0, dict[str, int]()
        for i, form in enumerate(self._forms):
            literals = required(form)
            free |= (not literals) << i
            for literal in literals:
                needed[literal] = needed.get(literal, 0) | 1 << i
        return free, Remembered(_Needed(needed).allowed, _MOST_WORDS)


class _Needed:
    """Literals, and the forms that need each of them: a set of forms is a number."""

    def __init__(self, needed: Mapping[str, int]):
        # The parts of words that tell, by their first letters: most words have none of these.
        self._beginning: dict[str, list[tuple[str, bool, bool, int]]] = {}
        for literal, forms in needed.items():
            part, begins, ends = _most_telling(literal)
            self._beginning.setdefault(part[:_LETTERS], []).append((part, begins, ends, forms))
        self._sizes = sorted({len(letters) for letters in self._beginning})
        self._any = re.compile(one_of(self._beginning) or "(?!)")

    def allowed(self, word: str) -> int:
        """The forms that a word may allow."""
        found = 0
        if not self._any.search(word):
            return found
        for size in self._sizes:
            for at in range(len(word) - size + 1):
                for part, begins, ends, forms in self._beginning.get(word[at : at + size], ()):
                    if word.startswith(part, at) and not (begins and at) and not (ends and at + len(part) < len(word)):
                        found |= forms
        return found


def _most_telling(literal: str) -> tuple[str, bool, bool]:
    """The longest part of a literal without a space, and whether the word with it begins so, and ends so."""
    parts = literal.split(" ")
    number = max(range(len(parts)), key=lambda i: len(parts[i]))
    return parts[number], number > 0, number < len(parts) - 1


def _without_idle_groups(tokens: Iterable[Token]) -> list[Token]:
    """The tokens with one in place of each group that requires nothing: it may be missing, or only looks around."""
    kept: list[Token] = []
    begun: list[int] = []
    start = 0  # of the group that has just ended
    for kind, said in tokens:
        if kind == "times" and kept and kept[-1][0] == "close" and _MAYBE.match(said):
            kept[start:] = [_NO_LITERAL]
            continue
        if kind in ("open", "ignored"):
            begun.append(len(kept))
        kept.append((kind, said))
        if kind == "close":
            start = begun.pop()
            if kept[start][0] == "ignored":
                kept[start:] = [_NO_LITERAL]
    return kept


def _alternatives(tokens: list[Token]) -> frozenset[str]:
    """What the alternatives of a group require, whose tokens end the list, the first one last: they are taken off."""
    branches = [_branch(tokens)]
    while tokens.pop()[0] == "or":
        branches.append(_branch(tokens))
    together = _NOTHING.union(*branches) if all(branches) else _NOTHING
    return together if len(together) <= MOST else _NOTHING


def _branch(tokens: list[Token]) -> frozenset[str]:
    """The most telling of what one alternative requires."""
    return min(_requirements(tokens), key=_frequency, default=_NOTHING)


def _requirements(tokens: list[Token]) -> list[frozenset[str]]:
    """All that one alternative requires, and that tells something."""
    found: list[frozenset[str]] = []
    runs = [""]
    while tokens[-1][0] not in ("or", "close"):
        kind, said = tokens.pop()
        inner = _alternatives(tokens) if kind == "open" else _NOTHING
        times = tokens.pop()[1] if tokens[-1][0] == "times" else ""
        maybe = _MAYBE.match(times) is not None
        if kind in ("literal", "character"):
            runs = [run + (said[:-1] if maybe else said).lower() for run in runs]
            if not times:
                continue
        elif kind == "special" and not times and len(runs) < _MOST_RUNS and _EITHER.fullmatch(said):
            runs = [run + either for run in runs for either in said[1:-1]]
            continue
        elif kind == "open" and inner and not maybe:
            found.append(inner)
        if _tell(runs):
            found.append(frozenset(runs))
        runs = [""]
    return [*found, frozenset(runs)] if _tell(runs) else found


def _tell(runs: list[str]) -> bool:
    return all(len(run.encode()) >= LEAST for run in runs)


def _frequency(literals: frozenset[str]) -> float:
    """A guess in how many texts one of these literals stands: a letter more makes it rarer by three quarters."""
    return sum(4.0 ** -len(one.replace(" ", "").encode()) for one in literals)
