"""The words of memories as lexemes of a `tsvector`: FTS5's own tokens, with their columns and the sizes of these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from memkit.retrieval.channels import neighbours
from memkit.sharing.postgres.small_database import part_of
from memkit.sharing.postgres.units import OWNER, Name, Unit
from memkit.storage.connection import Connection
from memkit.storage.sqlite_numbers import varints

CHARACTER = "."  # before a single character of the CJK index, which has a column of their own
MAKE_WORDS = "create virtual table temp.found using fts5vocab(main, memories_fts, instance)"
MAKE_PAIRS = "create virtual table temp.found_cjk using fts5vocab(main, memories_cjk, instance)"
# Each place of each term: they come term by term, so that nothing has to be sorted.
READ_WORDS, READ_PAIRS = (f"select term, doc, col, offset from temp.{table}" for table in ("found", "found_cjk"))
WEIGHTS = {"text": "A", "characters": "C"}  # of the columns; B of all others
OF_NEIGHBOURS = "D"
SELECT_SIZES = "select id, sz from memories_fts_docsize"
SELECT_CJK_SIZES = "select id, sz from memories_cjk_docsize"
SELECT_IDS = "select key, id from memories"


def indexed(given: Mapping[Name, Unit], wanted: Collection[str]) -> dict[str, tuple[str, str, list[int | None]]]:
    """For each wanted memory: its words and its CJK terms as texts of a tsvector, and the sizes of its columns."""
    # The words are in a memory's row: what belongs to it names entities, which are not needed here.
    with part_of(given, OWNER) as conn:
        ids = {row[0]: row[1] for row in conn.execute(SELECT_IDS)}
        conn.execute(MAKE_WORDS)
        conn.execute(MAKE_PAIRS)
        near = neighbours.build(conn, None)
        words, pairs = (
            _lexemes(_tuples(conn, query), near.heads_by_key(index), near.beside())
            for query, index in ((READ_WORDS, "fts"), (READ_PAIRS, "cjk"))
        )
        sizes = {row[0]: varints(row[1]).tolist() for row in conn.execute(SELECT_SIZES)}
        cjk = {row[0]: varints(row[1]).tolist() for row in conn.execute(SELECT_CJK_SIZES)}
    all_words, all_pairs = near.lengths_by_key("fts"), near.lengths_by_key("cjk")
    found = {}
    for key, id in ((key, id) for key, id in ids.items() if id in wanted):
        of_words = _with_neighbours(sizes.get(key, [0] * 4), 4, all_words[key]) or [None] * 5
        of_pairs = _with_neighbours(cjk.get(key, [0] * 3), 2, all_pairs[key])
        found[id] = words.get(key, ""), pairs.get(key, ""), [*of_words, *of_pairs]
    return found


def _with_neighbours(own: list[int], place: int, all: int) -> list[int | None]:
    """The sizes of a row's columns with that of its neighbours at this place; together they are `all`."""
    return [*own[:place], all - sum(own), *own[place:]] if all else []


def _tuples(conn: Connection, query: str) -> Iterable[Any]:
    """The rows of a query as plain tuples: there are so many that a row which knows its columns costs."""
    cursor = conn.cursor()
    cursor.row_factory = None
    return cursor.execute(query)


def _lexemes(
    rows: Iterable[tuple[str, int, str, int]], heads: Mapping[int, int], beside: Mapping[int, list[int]]
) -> dict[int, str]:
    """The tsvector of each memory, from the places of each term: its own, and those at the head of its neighbours.

    `heads` are the numbers of tokens of each text by which its neighbours are found.
    """
    found: dict[int, list[str]] = defaultdict(list)
    for term, places in groupby(rows, itemgetter(0)):
        words, characters = defaultdict[int, str](str), defaultdict[int, str](str)
        for _, doc, column, offset in places:
            (characters if column == "characters" else words)[doc] += WEIGHTS.get(column, "B")
            if column == "text" and offset < heads[doc]:
                for other in beside[doc]:
                    words[other] += OF_NEIGHBOURS
        for one, weights_of in ((term, words), (CHARACTER + term, characters)):
            if len(one) < 2000 and len(one.encode()) < 2000:  # PostgreSQL's limit
                quoted = lexeme(one)
                for doc, weights in weights_of.items():
                    found[doc].append(quoted + _places(weights))
    return {doc: " ".join(lexemes) for doc, lexemes in found.items()}


@lru_cache(maxsize=10_000)
def _places(weights: str) -> str:
    """The places of a lexeme, of which only the number and the weights count: at most 255, as PostgreSQL has it."""
    return ":" + ",".join(f"{n}{weight}" for n, weight in enumerate(sorted(weights)[:255], 1))


def lexeme(term: str) -> str:
    """A term as it is written in a tsvector or tsquery."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
