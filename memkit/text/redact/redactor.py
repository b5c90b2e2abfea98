"""Redactor: removes names and other private data from texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice

from memkit.core.errors import BadQuestion
from memkit.text.redact.keys import keys
from memkit.text.redact.names import SEVERAL, NameFinder
from memkit.text.redact.numbers import RegionalPhones, addresses, cards, ibans, phones
from memkit.text.redact.patterns import compiled
from memkit.text.redact.places import emails, street_addresses
from memkit.text.redact.tree import any_of
from memkit.text.redact.values import Names, Redacted, Replacement
from memkit.text.redact.view import as_read, as_written
from memkit.text.redact.whole_words import WholeWords

AROUND = 40  # characters of context on each side of a replacement

Find = Callable[[str], Iterable[tuple[int, int]]]
Found = tuple[int, int, str, str]  # start, end, rule, what to write instead

COMMON: dict[str, Find] = {
    "key": keys,
    "email": emails,
    "iban": ibans,
    "card": cards,
    "ip": addresses,
    "phone": phones,
    "address": street_addresses,
}

# A letter or digit that needs a space before a label. Scripts without spaces do not.
_JOINING = "[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]"
_JOINS = re.compile(_JOINING)
_EDGE = f"(?:(?<!{_JOINING})|(?!{_JOINING}))"  # not between two of these


# What a replacement uncovers is found in the next round. Numbers that are written without an end between them would
# take a round each, and each round reads all that is left.
MOST_ROUNDS = 20


class Redactor:
    """Replaces private data in texts by labels, and lists the replacements.

    `names` are people to hide. `patterns` are regular expressions by name: a match of `badge` becomes `[badge]`.
    `common` also hides e-mail addresses, telephone, card and account numbers, keys and passwords, IP and home
    addresses. `regions` also hides telephone numbers in the national form of these countries (`["SE", "DE"]`; needs the
    extra `redact`). `secrets` are texts that are hidden as keys wherever they stand, in upper and lower case. `words`
    are common words besides the English ones that memkit knows, for `ambiguous`.

    Raises BadQuestion for a name without letters, a label that contains a hidden name, or an unusable pattern.
    """

    def __init__(
        self,
        names: Iterable[Names] = (),
        patterns: Mapping[str, str] | None = None,
        common: bool = True,
        *,
        regions: Sequence[str] = (),
        secrets: Iterable[str] = (),
        words: Iterable[str] = (),
    ):
        people = list(names)
        self._names = NameFinder(people, words)
        self.patterns = {name: compiled(name, pattern) for name, pattern in (patterns or {}).items()}
        self.common = common
        self._common = [*COMMON.items()] if common else []
        self._common += [("phone", RegionalPhones(regions))] if regions else []
        self._secrets = WholeWords(secrets, any_case=True)
        own = {*(one.label for one in people), *(f"[{name}]" for name in self.patterns)}
        self._check(own)
        labels = {SEVERAL, *own, *(f"[{name}]" for name in COMMON)}
        self._walls = re.compile(f"{_EDGE}{any_of(labels)}{_EDGE}")

    @property
    def ambiguous(self) -> tuple[str, ...]:
        """The names that are also common words, in lower case: they are hidden only with a capital.

        `certain` and `spared` of Names decide whether such a name is always hidden, or kept.
        """
        return self._names.ambiguous

    def redact(self, text: str) -> Redacted:
        """The text without private data, and the replacements. Redacting the result again changes nothing."""
        replacements: list[Replacement] = []
        origins: Sequence[int] = range(len(text) + 1)
        rounds = count(1)
        while found := self._found(text, whole=next(rounds) > MOST_ROUNDS):
            replacements += (_replacement(text, origins[one[0]], one) for one in found)
            text, origins = _replaced(text, origins, found)
        return Redacted(text, tuple(sorted(replacements, key=lambda one: one.start)))

    def _check(self, labels: Iterable[str]) -> None:
        for label in labels:
            if not label.strip() or any(self._names.find(label)):
                raise BadQuestion(
                    f"{label!r} cannot be a label: it is empty or contains a name to redact. Choose another label."
                )

    def _found(self, text: str, *, whole: bool) -> list[Found]:
        """The private data in a text, in order, without overlaps; labels that are already there stay.

        With `whole`, all that stands between two labels is private if anything in it is.
        """
        found: list[Found] = []
        start = 0
        for wall in [*(match.span() for match in self._walls.finditer(text)), (len(text), len(text))]:
            within = self._in(text[start : wall[0]])
            if whole:
                within = ((0, wall[0] - start, rule, label) for *_, rule, label in islice(within, 1))
            found += ((start + first, start + last, rule, label) for first, last, rule, label in within)
            start = wall[1]
        return _apart(found)

    def _in(self, text: str) -> Iterator[Found]:
        """The matches of each rule in a piece of text; they may overlap."""
        if not text:
            return
        read = as_read(text)
        for name, pattern in self.patterns.items():
            for view in (as_written(text), read):
                spans = (match.span() for match in pattern.finditer(view.text) if match[0])
                yield from ((*view.place(*span), name, f"[{name}]") for span in spans)
        for name, find in self._common:
            yield from ((*read.place(*span), name, f"[{name}]") for span in find(read.text))
        yield from ((*span, "key", "[key]") for span in self._secrets.spans(text))
        yield from ((start, end, "name", label) for start, end, label in self._names.find(text))


def _apart(found: list[Found]) -> list[Found]:
    """The matches in order; overlapping ones are joined and get the rule of their longest part."""
    apart: list[Found] = []
    longest = 0
    for start, end, rule, label in sorted(found, key=lambda one: (one[0], -one[1])):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end, rule, label))
            longest = end - start
        elif end > apart[-1][1]:
            chosen = (rule, label) if end - start > longest else apart[-1][2:]
            longest = max(longest, end - start)
            apart[-1] = (apart[-1][0], end, *chosen)
    return apart


def _replacement(text: str, origin: int, found: Found) -> Replacement:
    start, end, rule, label = found
    return Replacement(rule, text[start:end], label, origin, text[max(start - AROUND, 0) : end + AROUND])


def _replaced(text: str, origins: Sequence[int], found: list[Found]) -> tuple[str, list[int]]:
    """The text with its labels (with spaces where needed), and the original offset of each character."""
    texts: list[str] = []
    places: list[int] = []
    at = 0
    for start, end, _, label in found:
        before = text[start - 1 : start] if start > at else "".join(texts[-1:])[-1:]
        label = _spaced(before, label, text[end : end + 1])
        texts += text[at:start], label
        places += [*origins[at:start], *[origins[start]] * len(label)]
        at = end
    return "".join([*texts, text[at:]]), [*places, *origins[at:]]


def _spaced(before: str, label: str, after: str) -> str:
    left = " " if _JOINS.match(before) and _JOINS.match(label[0]) else ""
    right = " " if _JOINS.match(after) and _JOINS.match(label[-1]) else ""
    return f"{left}{label}{right}"
