"""Required literals: words of which a text must have one, if a regular expression is to match in it.

`I used to live in Porto` is tried with some hundred forms, nearly all of which need a word that it has not. To look for
words is quicker than to try a form, and a form that is never tried need not be compiled: that takes a millisecond.
What is read here of a regular expression is what memkit's forms use; of anything else no literal is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

LEAST = 3  # bytes of a literal that tells something: three letters, or one Chinese character
MOST = 30  # literals, one of which is needed: to look for more takes as long as the form

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
_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")  # of the whole form: a letter may be of either case
_MAYBE = re.compile(r"[*?]|\{0*[,}]")

Token = tuple[str, str]  # the name of its group, and what it says


@cache
def required(form: str) -> tuple[str, ...]:
    """Literals of which every text that matches a form (a regular expression) has one; none if that is not known.

    >>> required("(?:I|We) (?:no longer|used to) (?:live|work)? in")
    ('no longer', 'used to')
    """
    if _FLAGS.match(form):
        return ()
    tokens = [(str(match.lastgroup), match[match.lastgroup or 0]) for match in _TOKEN.finditer(form)]
    return tuple(sorted(_alternatives([*tokens, ("close", ")")][::-1])))


def may_match(form: str, text: str) -> bool:
    """Whether a text has a literal that the form requires. If not, the form does not match; if so, it may."""
    literals = required(form)
    for literal in literals:  # any() would take three times as long
        if literal in text:
            return True
    return not literals


class Forms:
    """Forms that are tried in turn on the same texts: those that may match are found in one go."""

    def __init__(self, forms: Iterable[str]):
        self._forms = tuple(forms)

    def possible(self, text: str) -> Iterator[int]:
        """The numbers of the forms that `may_match` a text, in order."""
        found, needed = self._table
        for literal, forms in needed:
            if literal in text:
                found |= forms
        while found:
            lowest = found & -found
            yield lowest.bit_length() - 1
            found ^= lowest

    @cached_property
    def _table(self) -> tuple[int, list[tuple[str, int]]]:
        """The forms that require nothing, and each literal with the forms that it allows: a set of them is a number."""
        free, needed = 0, dict[str, int]()
        for i, form in enumerate(self._forms):
            literals = required(form)
            free |= (not literals) << i
            for literal in literals:
                needed[literal] = needed.get(literal, 0) | 1 << i
        return free, list(needed.items())


def _alternatives(tokens: list[Token]) -> frozenset[str]:
    """What the alternatives of a group require, whose tokens end the list, the first one last: they are taken off."""
    branches = [_branch(tokens)]
    while tokens.pop()[0] == "or":
        branches.append(_branch(tokens))
    together: frozenset[str] = frozenset().union(*branches) if all(branches) else frozenset()
    return together if len(together) <= MOST else frozenset()


def _branch(tokens: list[Token]) -> frozenset[str]:
    """The most telling of what one alternative requires."""
    found: list[frozenset[str]] = []
    run = ""
    while tokens[-1][0] not in ("or", "close"):
        kind, said = tokens.pop()
        inner = _alternatives(tokens) if kind in ("open", "ignored") else frozenset()
        times = tokens.pop()[1] if tokens[-1][0] == "times" else ""
        maybe = _MAYBE.match(times) is not None
        if kind in ("literal", "character"):
            run += said[:-1] if maybe else said
            if not times:
                continue
        elif kind == "open" and not maybe:
            found.append(inner)
        found.append(frozenset([run]))
        run = ""
    return min([*found, frozenset([run]), frozenset()], key=_frequency)


def _frequency(literals: frozenset[str]) -> float:
    """A guess in how many texts one of these literals stands: a letter more makes it rarer by three quarters."""
    sizes = [len(one.encode()) for one in literals]
    return sum(4.0**-size for size in sizes) if min(sizes, default=0) >= LEAST else 1.0 + len(sizes)
