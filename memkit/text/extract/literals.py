"""Required literals: words of which a text must have one, if a regular expression is to match in it.

`I used to live in Porto` is tried with some hundred forms, nearly all of which need a word that it has not. To look for
words is quicker than to try a form, and a form that is never tried need not be compiled: that takes a millisecond.
What is read here of a regular expression is what memkit's forms use; of anything else no literal is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

LEAST = 3  # bytes of a literal that tells something: three letters, or one Chinese character
MOST = 30  # literals, one of which is needed: to look for more takes as long as the form

_MOST_SETS = 3  # of literals that are asked of a form
_MOST_RUNS = 4  # that are told apart by the characters of a class
_MOST_WORDS = 1 << 15  # for which is known what they allow
_LETTERS = 3  # by which what a word allows is looked for

_TOKEN = re.compile(
    r"""
    (?P<literal>[^\\\[\](){}|*+?.^$]+)
    |(?P<ignored>\(\?(?:[=!]|<[=!]|\(|P=|\#|[a-zA-Z-]+:|[a-zA-Z]+(?=\))))
    |(?P<open>\((?:\?:|\?P<\w+>)?)
    |(?P<close>\))
    |(?P<or>\|)
    |(?P<times>(?:[*+?]|\{\d*,?\d*\})[?+]?)
    |(?P<special>\\[a-zA-Z0-9]|[.^$]|\[\^?\]?(?:\\.|[^\]\\])*\])
    |\\?(?P<character>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_EITHER = re.compile(r"\[[^\\^\]-]{2}\]")  # a class of two characters: ['’]
_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")  # of the whole form: a letter may be of either case
_MAYBE = re.compile(r"[*?]|\{0*[,}]")

Token = tuple[str, str]  # the name of its group, and what it says


def required(form: str) -> tuple[str, ...]:
    """Literals of which every text that matches a form (a regular expression) has one; none if that is not known.

    >>> required("(?:I|We) (?:no longer|used to) (?:live|work)? in")
    ('no longer', 'used to')
    """
    return next(iter(_all_required(form)), ())


@cache
def _all_required(form: str) -> tuple[tuple[str, ...], ...]:
    """Sets of literals, the most telling first: of each of them every text that matches a form has one."""
    if _FLAGS.match(form):
        return ()
    found = [(str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(form)]
    tokens = [*found, ("close", ")")][::-1]
    sets = _requirements(tokens)
    if tokens[-1][0] == "or":
        sets = [_alternatives([*found, ("close", ")")][::-1])]
    told = [one for one in dict.fromkeys(sets) if len(one) <= MOST and _frequency(one) < 1]
    return tuple(tuple(sorted(one)) for one in sorted(told, key=_frequency)[:_MOST_SETS])


def may_match(form: str, text: str) -> bool:
    """Whether a text has a literal that the form requires. If not, the form does not match; if so, it may."""
    for literals in _all_required(form):
        for literal in literals:  # any() would take three times as long
            if literal in text:
                break
        else:
            return False
    return True


class Forms:
    """Forms that are tried in turn on the same texts: those that may match are found in one go."""

    def __init__(self, forms: Iterable[str]):
        self._forms = tuple(forms)

    def possible(self, text: str) -> Iterator[int]:
        """The numbers of the forms that `may_match` a text, in order."""
        free, allowed = self._free_and_allowed
        found = free
        for word in text.split(" "):
            found |= allowed[word]
        while found:
            lowest = found & -found
            number = lowest.bit_length() - 1
            if lowest & free or may_match(self._forms[number], text):
                yield number
            found ^= lowest

    @cached_property
    def _free_and_allowed(self) -> tuple[int, _Allowed]:
        """The forms that require nothing, and those that each word allows: a set of forms is a number."""
        free, needed = 0, dict[str, int]()
        for i, form in enumerate(self._forms):
            literals = required(form)
            free |= (not literals) << i
            for literal in literals:
                needed[literal] = needed.get(literal, 0) | 1 << i
        return free, _Allowed(needed)


class _Allowed(dict[str, int]):
    """The forms that each word may allow, found at its first use: texts have the same words again and again."""

    def __init__(self, needed: Mapping[str, int]):
        super().__init__()
        # The parts of words that tell, by their first letters: most words have none of these.
        self._beginning: dict[str, list[tuple[str, bool, bool, int]]] = {}
        for literal, forms in needed.items():
            part, begins, ends = _most_telling(literal)
            self._beginning.setdefault(part[:_LETTERS], []).append((part, begins, ends, forms))
        self._sizes = sorted({len(letters) for letters in self._beginning})

    def __missing__(self, word: str) -> int:
        found = 0
        for size in self._sizes:
            for at in range(len(word) - size + 1):
                for part, begins, ends, forms in self._beginning.get(word[at : at + size], ()):
                    if word.startswith(part, at) and not (begins and at) and not (ends and at + len(part) < len(word)):
                        found |= forms
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = found
        return found


def _most_telling(literal: str) -> tuple[str, bool, bool]:
    """The longest part of a literal without a space, and whether the word with it begins so, and ends so."""
    parts = literal.split(" ")
    number = max(range(len(parts)), key=lambda i: len(parts[i]))
    return parts[number], number > 0, number < len(parts) - 1


def _alternatives(tokens: list[Token]) -> frozenset[str]:
    """What the alternatives of a group require, whose tokens end the list, the first one last: they are taken off."""
    branches = [_branch(tokens)]
    while tokens.pop()[0] == "or":
        branches.append(_branch(tokens))
    together: frozenset[str] = frozenset().union(*branches) if all(branches) else frozenset()
    return together if len(together) <= MOST else frozenset()


def _branch(tokens: list[Token]) -> frozenset[str]:
    """The most telling of what one alternative requires."""
    return min([*_requirements(tokens), frozenset()], key=_frequency)


def _requirements(tokens: list[Token]) -> list[frozenset[str]]:
    """All that one alternative requires."""
    found: list[frozenset[str]] = []
    runs = [""]
    while tokens[-1][0] not in ("or", "close"):
        kind, said = tokens.pop()
        inner = _alternatives(tokens) if kind in ("open", "ignored") else frozenset()
        times = tokens.pop()[1] if tokens[-1][0] == "times" else ""
        maybe = _MAYBE.match(times) is not None
        if kind in ("literal", "character"):
            runs = [run + (said[:-1] if maybe else said) for run in runs]
            if not times:
                continue
        elif kind == "special" and not times and len(runs) < _MOST_RUNS and _EITHER.fullmatch(said):
            runs = [run + either for run in runs for either in said[1:-1]]
            continue
        elif kind == "open" and not maybe:
            found.append(inner)
        found.append(frozenset(runs))
        runs = [""]
    return [*found, frozenset(runs)]


def _frequency(literals: frozenset[str]) -> float:
    """A guess in how many texts one of these literals stands: a letter more makes it rarer by three quarters."""
    if min([len(one.encode()) for one in literals], default=0) < LEAST:
        return 1.0 + len(literals)
    return sum(4.0 ** -len(one.replace(" ", "").encode()) for one in literals)
