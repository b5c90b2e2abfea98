"""Entity linking for questions: looks up each run of words among all names, longest first.

A question is short, so the index of aliases is queried directly; no matcher over all names has to be built.
"""

from __future__ import annotations

from typing import NamedTuple

from memkit.graph.entities import CONCEPT, Entity, by_normals
from memkit.graph.me import called_me
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.tokens import is_plural_acronym
from memkit.text.words import STOP_WORDS, cjk_runs, fold, normal_name

LONGEST = 8  # words of a name
LONGEST_CJK = 12  # characters
MOST_WORDS = 80  # of a question

SELECT_CASES = """
select word, lower + 0 as lower, upper + 0 as upper from word_cases where word in (select value from json_each(:words))
"""
COUNT_INSTANCES = """
select count(*) from relations where expired_at is null and object_key in (select value from json_each(:keys))
"""


class NamedEntity(NamedTuple):
    """An entity named in a question, and the words that name it. The weight is 1 / the number of entities of this name.

    For a concept, it is also divided by the number of things that are one.
    """

    entity: Entity
    words: str
    weight: float


def named_in(conn: Connection, text: str, *, me: bool = False) -> tuple[NamedEntity, ...]:
    """The entities named in a text: every longest run of words, or of CJK characters, that is a known name.

    Punctuation, possessives, case and diacritics do not matter (Kira, K07). But a single common word is a name only if
    it is written as one, or if it names a concept (`any good restaurants?`): the more restaurants are known, the lower
    the weight. With `me`, `I` and `my` name the user.
    """
    words = text.split()[:MOST_WORDS]
    runs = _runs(words)
    pieces = _pieces(text)
    known = by_normals(conn, [name for _, _, name in runs] + sorted(map(normal_name, pieces)))
    concepts = {name for name, bearers in known.items() if all(entity.kind == CONCEPT for entity in bearers)}
    single = {name for _, _, name in runs if name in known and " " not in name}
    common = _common_words(conn, single - concepts) | (concepts & STOP_WORDS)
    found: dict[int, NamedEntity] = {}
    taken: set[int] = set()
    for start, end, name in runs:
        if (
            name in known
            and not taken & set(range(start, end))
            and _is_written_as_name(words, start, end, name, common)
        ):
            taken |= set(range(start, end))
            share = 1.0 / _instances(conn, known[name]) if name in concepts else 1.0
            _note(found, known[name], " ".join(words[start:end]), share)
    everyday = _statistics(conn, {piece for piece in pieces if piece in known and len(piece) == 2})
    for piece in sorted(pieces, key=lambda piece: (-len(piece), piece)):
        if (
            piece in known
            and not everyday.is_everyday(piece)
            and not any(piece in named.words for named in found.values())
        ):
            _note(found, known[piece], piece)
    if me and (said := called_me(conn, text)):
        _note(found, [said[0]], said[1])
    return tuple(found.values())


def names_in(text: str) -> list[str]:
    """Every run of words, or of CJK characters, that could be a name, as names are compared."""
    return sorted({name for _, _, name in _runs(text.split()[:MOST_WORDS])} | _pieces(text))


def _pieces(text: str) -> set[str]:
    return {run[i:j] for run in cjk_runs(text) for i in range(len(run)) for j in range(i + 2, i + 1 + LONGEST_CJK)}


def _note(found: dict[int, NamedEntity], bearers: list[Entity], words: str, share: float = 1.0) -> None:
    for entity in bearers:
        found.setdefault(entity.key, NamedEntity(entity, words, share / len(bearers)))


def _instances(conn: Connection, concepts: list[Entity]) -> int:
    """How many relations lead to these concepts; at least 1."""
    keys = keys_json(entity.key for entity in concepts)
    return conn.execute(COUNT_INSTANCES, {"keys": keys}).fetchone()[0] or 1


def _runs(words: list[str]) -> list[tuple[int, int, str]]:
    """All runs of up to LONGEST words as (start, end, normalised), longer ones first."""
    normal = [normal_name(word) for word in words]  # once each: what stands between words makes no difference
    runs = [
        (start, end, " ".join(filter(None, normal[start:end])))
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1)
    ]
    runs += [(at, at + 1, normal_name(one)) for at, word in enumerate(words) if (one := _singular(word))]
    return sorted((run for run in runs if run[2]), key=lambda run: (run[0] - run[1], run[0]))


def _singular(word: str) -> str:
    """The singular of an acronym in the plural, as it is stored as a name; empty for other words."""
    word = word.strip(".,;:!?¿¡()[]\"'“”‘’")
    return word[:-1] if is_plural_acronym(word) else ""


def _common_words(conn: Connection, names: set[str]) -> set[str]:
    """Those of these one-word names that this database mostly writes in lower case, or that are words of everybody.

    Of a word that no text here has, the dictionary says whether it is one: a film with the alias `garden` is not meant
    by "our garden".
    """
    statistics = _statistics(conn, names)
    unwritten = {name for name in names if not any(statistics.counts.get(name, (0, 0)))}
    return {
        name
        for name in names
        if name in STOP_WORDS or statistics.is_common_word(name) or (name in unwritten and _is_everybodys(name))
    }


def _is_everybodys(word: str) -> bool:
    from memkit.text.extract.dictionary import is_common  # reads a list of words: few questions need it

    return is_common(word)


def _statistics(conn: Connection, names: set[str]) -> CaseStatistics:
    """The case statistics of these words, and of their links."""
    words = sorted({*names, *(f"[{name}]" for name in names)})
    rows = conn.execute(SELECT_CASES, {"words": dumps(words)}) if words else ()
    return CaseStatistics({row["word"]: (row["lower"], row["upper"]) for row in rows})


def _is_written_as_name(words: list[str], start: int, end: int, name: str, common: set[str]) -> bool:
    if " " in name:
        return not all(fold(word).strip(".,;:!?'\"") in STOP_WORDS for word in words[start:end])
    if name in STOP_WORDS or len(name) < 2:
        return False
    first = words[start].lstrip("\"'“‘([¿¡")
    return name not in common or (start > 0 and first[:1].isupper())
