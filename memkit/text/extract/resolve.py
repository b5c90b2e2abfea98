"""Entity resolution: whether a new name is a known entity, by normal form, alias, spelling, then meaning.

A wrong merge is worse than a missing one, which can be made by hand later. So names of different kinds are never the
same, nor names with different numbers, numerals, suffixes or full names. If two known entities are about equally close,
neither is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import Literal

from memkit.text.extract import dictionary
from memkit.text.extract.declension import are_cases, case_keys
from memkit.text.words import normal_name

Similarity = Callable[[str, Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known entity with the values that resolution uses. `kind` is None if unknown."""

    key: int
    name: str
    kind: str | None = None
    aliases: tuple[str, ...] = ()
    description: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.name, *self.aliases)))

    @property
    def described(self) -> str:
        return f"{self.name}: {self.description}" if self.description else self.name


@dataclass(frozen=True, slots=True)
class Resolution:
    """The decision about a name. `key` is set if it is the `same`; `candidates` are the keys that remain possible."""

    decision: Literal["same", "new", "ambiguous"]
    key: int | None
    candidates: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least similarities of two names of one entity. Measured on `tests/data/resolution.jsonl`; docs have figures.

    `spelling`: optimal string alignment similarity (rapidfuzz) of the whole names, 0 to 1. `meaning`: similarity of
    "name: description" by the given function; the value fits one embedding model. `margin`: the least lead of the best
    candidate over the second, for both.
    """

    spelling: float = 0.88
    meaning: float = 0.84
    margin: float = 0.04


DEFAULT = Thresholds()


def resolve(
    name: str,
    candidates: Iterable[Candidate],
    *,
    kind: str | None = None,
    description: str | None = None,
    similarity: Similarity | None = None,
    thresholds: Thresholds = DEFAULT,
) -> Resolution:
    """The decision which candidate a name means: one (`same`), none (`new`) or several (`ambiguous`).

    For equal names and aliases, an unknown kind fits any kind; for similar ones, only another unknown kind.
    `similarity` gets a "name: description" and a list of them, and returns a number for each; without it, meaning is
    not compared.
    """
    known = [candidate for candidate in candidates if _kinds_agree(kind, candidate.kind)]
    wanted = canonical_name(name, kind)
    if not wanted:
        return Resolution("new", None, (), "the name has no letters")
    for step, is_match in _STEPS:
        if matches := [c for c in known if is_match(wanted, c, kind)]:
            return _among([(1.0, c) for c in matches], step, 0.0)
    if cased := [candidate for candidate in known if _is_another_case(name, candidate)]:
        return _among([(1.0, candidate) for candidate in cased], "another case of the name", 0.0)
    alike = [candidate for candidate in known if candidate.kind == kind]
    scored = [(max(_spelled(name, wanted, n, c.kind) for n in c.names), c) for c in alike]
    if found := _best(scored, thresholds.spelling, thresholds.margin, "spelled alike"):
        return found
    if similarity and description:
        return _by_meaning(name, description, kind, alike, similarity, thresholds)
    return Resolution("new", None, (), "no known name is close")


def _by_meaning(
    name: str, description: str, kind: str | None, alike: list[Candidate], similarity: Similarity, limit: Thresholds
) -> Resolution:
    wanted = canonical_name(name, kind)
    possible = [c for c in alike if c.description and not _contradict(wanted, canonical_name(c.name, kind), kind)]
    scores = similarity(f"{name}: {description}", [c.described for c in possible]) if possible else ()
    scored = [(float(score), c) for score, c in zip(scores, possible, strict=True)]
    found = _best(scored, limit.meaning, limit.margin, "described alike")
    return found or Resolution("new", None, (), "no known name or description is close")


def _best(scored: list[tuple[float, Candidate]], least: float, margin: float, why: str) -> Resolution | None:
    scored = sorted(((s, c) for s, c in scored if s >= least), key=lambda pair: (-pair[0], pair[1].key))
    return _among(scored, f"{why} ({scored[0][0]:.2f})", margin) if scored else None


def _among(scored: list[tuple[float, Candidate]], why: str, margin: float) -> Resolution:
    close = tuple(dict.fromkeys(c.key for score, c in scored if score >= scored[0][0] - margin))
    if len(close) == 1:
        return Resolution("same", close[0], close, why)
    return Resolution("ambiguous", None, close, f"{why}: {len(close)} known ones")


def _kinds_agree(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


# ---------------------------------------------------------------------------------------------- comparison of names

_HONORIFICS = frozenset("dr prof professor mr mrs ms miss mx sir herr frau rev".split())
_FEMALE, _MALE = frozenset("mrs ms miss frau".split()), frozenset("mr sir herr".split())
_LEGAL = frozenset("inc ltd llc gmbh ag corp corporation co company plc sa bv oy ab kg ev".split())
_SPELLED_OUT = {"st": "saint", "mt": "mount", "ft": "fort", "and": "", "the": "", "jr": "junior", "sr": "senior"}
_NUMERALS = frozenset("ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi junior senior".split())
_PERSON = ("person", None)
_NUMBER = re.compile(r"\d+")
LIKE = 0.7  # from here on, two names are so alike that what is said of them tells nothing


@lru_cache(maxsize=100_000)
def canonical_name(name: str, kind: str | None = None) -> str:
    """A name in canonical form: normalised, `Smith, John` reversed, without titles and articles; `JWTs` is `jwt`.

    Titles of persons (`Dr.`) and legal forms of organisations (`GmbH`) are removed, unless nothing else is left. `Mr`
    and `Mrs` stay if only a family name follows, because they are two people.
    """
    turned = _PLURAL_ACRONYM.sub(r"\1", _turned(name) if kind in _PERSON else name)
    tokens = [_SPELLED_OUT.get(token, token) for token in normal_name(turned.replace("&", " ")).split()]
    tokens = [token for token in tokens if token]
    if kind in _PERSON:
        tokens = _untitled(tokens)
    if kind != "person" and len(tokens) > 1:
        bare = [t for i, t in enumerate(tokens) if i == 0 or i < len(tokens) - 2 or t not in _LEGAL]
        tokens = tokens if len(bare) == 1 and dictionary.is_known(bare[0]) else bare  # Internet Corporation
    return " ".join(tokens) or normal_name(name)


def _turned(name: str) -> str:
    family, comma, given = name.partition(", ")
    plain = comma and "," not in given and len(family.split()) <= 3 and 0 < len(given.split()) <= 2
    legal_or_suffix = normal_name(given) in _LEGAL | {"jr", "sr", "junior", "senior", "ii", "iii", "md", "phd"}
    return f"{given} {family}" if plain and not legal_or_suffix and " of " not in given else name


def _untitled(tokens: list[str]) -> list[str]:
    rest = list(tokens)
    while len(rest) > 1 and rest[0] in _HONORIFICS:
        gendered = rest[0] in _FEMALE | _MALE and len(rest) == 2
        if gendered:
            return ["mr" if rest[0] in _MALE else "mrs", *rest[1:]]
        rest = rest[1:]
    return rest


def spelling(one: str, other: str, kind: str | None = None) -> float:
    """The similarity of two canonical names by spelling, 0 to 1; 0 if the difference may be more than a typing error.

    Both must have the same number of words, and only one word may differ. It must have at least six letters, and the
    same first and last letter (not Christina, Christine). Two letters may be swapped, or one typed three times. If the
    name is surely nobody's, or a well-known one, one letter may be left out or doubled (two if the word has twelve),
    but no number: of persons, Hoffmann and Hofmann are two, as Delorme and Delorge.
    """
    left, right = one.split(), other.split()
    if "".join(left) == "".join(right):
        return float(len("".join(left)) > 2)  # D. R. is no doctor
    if len(left) != len(right):
        return 0.0
    differing = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    if len(differing) > 1 or not _slip(*differing[0], kind not in _PERSON):
        return 0.0
    return float(_osa().normalized_similarity(one, other))


@cache
def _osa() -> ModuleType:
    from rapidfuzz.distance import OSA  # only new names that are like a known one need it

    return OSA


def _spelled(name: str, wanted: str, other: str, kind: str | None) -> float:
    """The similarity of a name to another by spelling; two with different capitals inside are two products."""
    alike = spelling(wanted, canonical_name(other, kind), kind)
    one, two = (_INNER.findall(name), _INNER.findall(other)) if alike else ((), ())
    return 0.0 if one and two and one != two else alike


_PLURAL_ACRONYM = re.compile(r"\b([A-Z]{2,})s\b")
_THRICE = re.compile(r"(.)\1{2,}")
_INNER = re.compile(r"(?<=[a-z])[A-Z]+")  # PostgreSQL, PostgresXL


def _slip(one: str, other: str, may_lack: bool) -> bool:
    """Whether two different words are the same with a typing error; with `may_lack`, one may lack a letter."""
    shorter = min(len(one), len(other))
    if shorter < 6 or one[0] != other[0] or one[-1] != other[-1] or _numbers(one) != _numbers(other):
        return False
    if _osa().distance(one, other) > (2 if shorter >= 12 else 1) or (_is_word(one) and _is_word(other)):
        return False
    swapped, typed_on = sorted(one) == sorted(other), _THRICE.sub(r"\1\1", one) == _THRICE.sub(r"\1\1", other)
    one_is_famous = dictionary.is_well_known(one) != dictionary.is_well_known(other)  # Wikpedia
    return swapped or typed_on or ((may_lack or one_is_famous) and len(one) != len(other))


def _is_word(word: str) -> bool:
    """Whether a word is spelt as it should be: Wikimedia is no slip for Wikipedia."""
    return dictionary.is_known(word) or dictionary.is_well_known(word)


def _is_named(wanted: str, candidate: Candidate, kind: str | None) -> bool:
    return canonical_name(candidate.name, candidate.kind or kind) == wanted


def _has_alias(wanted: str, candidate: Candidate, kind: str | None) -> bool:
    return any(canonical_name(alias, candidate.kind or kind) == wanted for alias in candidate.aliases)


def _is_shortened(wanted: str, candidate: Candidate, kind: str | None) -> bool:
    return "person" in (kind, candidate.kind) and any(_short_for(wanted, name) for name in candidate.names)


def _is_another_case(name: str, candidate: Candidate) -> bool:
    """Whether a name is another grammatical case of a candidate's names, of all that may be cases of it."""
    keys = case_keys(name)
    shared = [one for one in candidate.names if keys & case_keys(one)] if keys else []
    return bool(shared) and are_cases([name, *shared])


_STEPS: tuple[tuple[str, Callable[[str, Candidate, str | None], bool]], ...] = (
    ("the same name", _is_named),
    ("an alias", _has_alias),
    ("the same name, shortened", _is_shortened),
)


def _short_for(wanted: str, name: str) -> bool:
    """Whether two names of persons differ only in missing middle names, or in given names written as initials.

    `Ursula Brandt`, `U. K. Brandt` and `Ursula K. Brandt` match; `U. Brandt` does not, one initial is not enough.
    """
    one, other = sorted(
        (wanted.split(), canonical_name(name, "person").split()), key=lambda tokens: (len(tokens), len("".join(tokens)))
    )
    if len(one) < 2 or one == other or one[-1] != other[-1] or _NUMERALS & {*one, *other}:
        return False
    if one[0] == other[0] and len(one[0]) > 1:
        return _initials_agree(one[1:-1], other[1:-1])
    initials = [token[0] for token in one[:-1]]
    return (
        len(initials) > 1 and initials == [token[0] for token in other[:-1]] and _initials_agree(one[:-1], other[:-1])
    )


def _initials_agree(short: list[str], long: list[str]) -> bool:
    """Whether each word of the short list fits the long list's word at its place: equal, or one is an initial."""
    if not short:
        return True
    return len(short) <= len(long) and all(
        a == b or (1 in (len(a), len(b)) and a[0] == b[0]) for a, b in zip(short, long, strict=False)
    )


def _contradict(one: str, other: str, kind: str | None) -> bool:
    """Whether two names cannot mean the same entity, whatever is said of them.

    They have different numbers, are two different full names, or differ in a few letters (Delorme, Delorge).
    """
    left, right = one.split(), other.split()
    if {t for t in left if _numbers(t) or t in _NUMERALS} != {t for t in right if _numbers(t) or t in _NUMERALS}:
        return True
    if kind == "person" and len(left) > 1 and len(right) > 1:
        return left[-1] != right[-1] or left[0][0] != right[0][0]
    return kind in _PERSON and one != other and likeness(one, other) >= LIKE


def likeness(one: str, other: str) -> float:
    """How alike the least alike words of two names are by letters, 0 to 1; 0 with other numbers, or more words."""
    left, right = one.split(), other.split()
    if len(left) != len(right) or _NUMBER.findall(one) != _NUMBER.findall(other):
        return 0.0
    return min(float(_osa().normalized_similarity(a, b)) for a, b in zip(left, right, strict=True))


def _numbers(word: str) -> str:
    return "".join(filter(str.isdigit, word))


@lru_cache(maxsize=1 << 10)  # a new name is looked for, and then filed
def blocking_keys(name: str, kind: str | None = None) -> frozenset[str]:
    """Blocking keys of a name: two names of a kind that `resolve` can match by name or spelling share at least one.

    A key keeps the parts of a name that a typing error does not change, or the last word of a person's full name. A
    store with many entities keeps these keys, and gives `resolve` only the candidates that share one.
    """
    tokens = canonical_name(name, kind).split()
    if not tokens:
        return frozenset()
    outline = " ".join(token if len(token) < 6 else f"{token[0]}*{token[-1]}" for token in tokens)
    family = {f"-{tokens[-1]}"} if kind == "person" and len(tokens) > 1 else set()
    return frozenset({"=" + "".join(tokens), "~" + outline, *family}) | case_keys(name)
