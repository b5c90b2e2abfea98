"""Grammatical case: whether names in Cyrillic letters are forms of one name (`Даша`, `Дашу`, `Даше`).

Each pattern of declension has the endings of the form that is shown (the nominative) and of the other ones. Names are
forms of one if one pattern has the endings of all of them behind the same stem. What may be a man and a woman
(`Александр`, `Александра`) is two.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from memkit.core.patterns import pattern
from memkit.text.composed import composed


class Pattern(NamedTuple):
    """How a word is declined: what its stem ends with, its first ending, and the endings of its other cases."""

    stem: str
    first: str
    others: str


class Form(NamedTuple):
    """A word as a form of a pattern: which one, behind which stem, and whether it is the one that is shown."""

    pattern: int
    stem: str
    first: bool


_CONSONANT = "бвгджзклмнпрстфхцчшщ"
_PATTERNS = (
    Pattern(_CONSONANT, "", "а у ом ем е"),  # Маркс, Марксом
    Pattern("внт", "", "а у ым е"),  # Чехов, Чеховым; its stem ends as those of family names do
    Pattern("аеиоуюя", "й", "я ю ем е и"),  # Сергей, Сергею; Григорий, Григории
    Pattern(_CONSONANT, "ь", "я ю ем е"),  # Игорь
    Pattern(_CONSONANT, "ь", "и ью"),  # Сибирь
    Pattern(_CONSONANT, "а", "ы и е у ой ей"),  # Даша
    Pattern(_CONSONANT + "аеиоуь", "я", "и е ю ей"),  # Ваня, Мария
    Pattern("и", "е", "я ю ем и"),  # Поволжие
    Pattern(_CONSONANT, "ый ий ой", "ого его ому ему ым им ом ем"),  # Достоевский
    Pattern(_CONSONANT, "ая яя", "ой ей ую юю"),  # Поломка Большая
)
_SOFT, _AFTER_SOFT = frozenset("гкхжчшщ"), frozenset("жчшщц")
_FAMILY_NAME = pattern(r"(?:ов|ев|ин|ын)а?\Z")
_SHORTEST_STEM = 3
# Men's names that with an ending are women's, too, or another word.
_OF_BOTH = frozenset(
    """александр валентин константин антонин августин роман богдан иван милан марин мартин юст паул карл кир мир нил ром
    виктори евгени валери юли клавди корнели лили аврели эмили анастаси инди василис""".split()
)
_CYRILLIC = pattern("[а-яё]+(?:-[а-яё]+)*")


@lru_cache(maxsize=1 << 14)
def _forms(word: str) -> frozenset[Form]:
    """What forms a word in lower case may be."""
    found = {Form(n, word, True) for n, one in enumerate(_PATTERNS) if not one.first and _fits(n, word, "")}
    for n, one in enumerate(_PATTERNS):
        for first, endings in ((True, one.first), (False, one.others)):
            for ending in endings.split():
                stem = word.removesuffix(ending)
                if stem != word and _fits(n, stem, ending):
                    found.add(Form(n, stem, first))
    return frozenset(found)


def _fits(n: int, stem: str, ending: str) -> bool:
    """Whether an ending may stand behind a stem in a pattern."""
    if len(stem) < _SHORTEST_STEM or stem[-1] not in _PATTERNS[n].stem:
        return False
    if n == 1:
        return _FAMILY_NAME.search(stem) is not None
    if n == 5 and ending in ("ы", "и"):
        return (stem[-1] in _SOFT) == (ending == "и")
    return ending not in ("ем", "ей") or n not in (0, 5) or stem[-1] in _AFTER_SOFT


def _words(name: str) -> list[str] | None:
    """The words of a name that can be declined, in lower case; None if it has others, or no capital."""
    if name.isascii() or not name[:1].isupper():
        return None
    parts = composed(name).lower().replace("ё", "е").split()
    return parts if all(map(_CYRILLIC.fullmatch, parts)) else None


def case_keys(name: str) -> frozenset[str]:
    """Keys of a name, of which all forms of a name share one; none if it is not in Cyrillic letters."""
    parts = _words(name)
    if not parts:
        return frozenset()
    return frozenset(f"^{len(parts)}{parts[0][0]}{form.stem}" for form in _forms(parts[-1]))


def are_cases(names: Iterable[str]) -> bool:
    """Whether several names are different cases of one name."""
    split = [_words(name) for name in names]
    columns = [list(column) for column in zip(*(parts for parts in split if parts), strict=False)]
    if not columns or None in split or len({len(parts or ()) for parts in split}) > 1:
        return False
    return all(map(_of_one, columns)) and not all(map(_of_two, columns))


def _of_one(column: list[str]) -> bool:
    """Whether words are forms of one word."""
    if len(set(column)) == 1:
        return True
    common = {(form.pattern, form.stem) for form in _forms(column[0])}
    for word in column[1:]:
        common &= {(form.pattern, form.stem) for form in _forms(word)}
    return bool(common)


def _of_two(column: list[str]) -> bool:
    """Whether words are the same, or two of them may be a man and a woman: Валерий and Валерия, Чехов and Чехова."""
    if len(set(column)) == 1:
        return True
    for one, other in permutations(set(column), 2):
        stem = one.removesuffix("й").removesuffix("ь")
        if other in (f"{stem}а", f"{stem}я") and (
            stem in _OF_BOTH or stem.endswith("слав") or _FAMILY_NAME.search(one) is not None
        ):
            return True
    return False


def is_first_case(name: str, of: str) -> bool:
    """Whether a name is the form that is shown (the nominative) of another, which is not."""
    one, other = _words(name), _words(of)
    if not one or not other or len(one) != len(other):
        return False
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    return bool(pairs) and all(
        any(Form(form.pattern, form.stem, False) in _forms(b) for form in _forms(a) if form.first) for a, b in pairs
    )
