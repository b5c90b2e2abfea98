"""What a question needs of a store: its candidates and what is around them, as a small database in memory.

The server finds candidates by words and by vectors, and follows edges from the names in the question and from these
candidates. The recall itself is that of every file. It scores words and names by the statistics of the whole store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.graph.whole_counts import set_naming
from memkit.retrieval.channels import fulltext
from memkit.sharing.postgres import search_index, vector_index
from memkit.sharing.postgres.lexemes import CHARACTER, lexeme
from memkit.sharing.postgres.search_index import HAS_SEARCH
from memkit.sharing.postgres.server import Server
from memkit.sharing.postgres.small_database import fill
from memkit.sharing.postgres.units import Name, Unit, references
from memkit.sharing.postgres.vector_index import HAS_VECTORS
from memkit.storage.connection import Connection
from memkit.storage.driver import connect, writing
from memkit.storage.filters import Scope
from memkit.text.words import quoted

if TYPE_CHECKING:
    import numpy as np


BY_WORDS, BY_VECTOR = 150, 100  # candidates of each search
OF_A_TIME = 60  # memories of the time that a question speaks of
NEAR = 30  # the best candidates, whose entities lead on
NAMING, LEADING = 60, 8  # memories that name an entity of the question, and one of a candidate
BEST, RARE = 10, 30  # of the very best candidates, all memories that name an entity which no more name: bridges
MOST_AROUND = 150  # memories that come by links, or state a relation of an entity of the question
MOST_TERMS = 64  # of a question
NOT_ASKED = frozenset({"fingerprints", "extractions"})  # what writing needs, and no question

SELECT_TOTALS = "select part, n, sizes from memkit.totals"
SELECT_TERMS = "select part, term, n from memkit.terms where part = %s and term = any(%s)"
# A role that may read some projects only (`rights`) sees no counts of all: it counts what it may read.
SEES_COUNTS = "select has_table_privilege('memkit.terms', 'select') and has_table_privilege('memkit.totals', 'select')"
SELECT_NAMING = "select term, n from memkit.terms where part = 'naming' and term = any(%s)"
COUNT_OWN_NAMING = "select id, count(*) from memkit.named where kind = 'entities' and id = any(%s) group by id"
COUNT_OWN = {
    "fts": "select count(*) from memkit.search where words @@ %s::tsquery",
    "cjk": "select count(*) from memkit.search where pairs @@ %s::tsquery",
}
# Whether a memory is one that the filters of a question may let through.
ALLOWED = """
    (%(only)s::text is null or s.project in (%(only)s, 'global'))
    and (%(kinds)s::text[] is null or s.kind = any(%(kinds)s))
    and (%(since)s::text is null or s.at >= left(%(since)s, length(s.at)))
    and (%(until)s::text is null or s.at < %(until)s)
    and (%(past)s::text is null or coalesce(s.at, '') <= %(past)s)
    and (%(everything)s or (s.archived_at is null and (s.expires_at is null or s.expires_at > %(as_of)s)))
"""
COUNT_ALLOWED = f"""
select count(*) from (select 1 from memkit.search as s where {ALLOWED} limit {fulltext.MOST_OWN + 1}) as found
"""
COUNT_ALLOWED_WITH = {
    part: f"""
    select t.place, count(*) from unnest(%(queries)s::text[]) with ordinality as t(query, place)
        join memkit.search as s on s.{column} @@ t.query::tsquery
    where {ALLOWED} group by t.place
    """
    for part, column in (("fts", "words"), ("cjk", "pairs"))
}
BY_TERMS = """
select s.id, sum(a.rarity * ts_rank('{{0.3, 0.4, 0.7, 1}}', s.{0}, a.query, 1)) as score
from (select q::tsquery as query, r as rarity from unnest(%(queries)s::text[], %(rarities)s::float8[]) as t(q, r)) as a
    join memkit.search as s on s.{0} @@ a.query
where {1}
group by s.id order by score desc, s.id limit %(limit)s
"""
SEARCH_WORDS = BY_TERMS.format("words", ALLOWED)
SEARCH_PAIRS = BY_TERMS.format("pairs", ALLOWED)
SELECT_MODELS = "select model, version, dims, n from memkit.models order by n desc, model, version"
# How many vectors of an HNSW index are compared at most: with 1000 it finds 99 of 100 of the nearest ten, with 200 90.
# A filter may leave few of them: then it is asked for more.
SET_WIDTH = "select set_config('hnsw.ef_search', '1000', true)"
SET_ITERATIVE = """
select set_config('hnsw.iterative_scan', 'strict_order', true)
from pg_extension where extname = 'vector' and string_to_array(extversion, '.')::int[] >= array[0, 8]
"""
# The nearest of all, as far as they are allowed: joining all vectors with what is known of them takes longer than
# comparing them. Where a filter leaves too few of these, the next query looks among all that it allows.
SEARCH_NEAREST = f"""
with near as materialized (
    select id, vector::vector({{dims}}) <=> %(vector)s::vector as distance from memkit.vectors
    where model = %(model)s and version = %(version)s order by distance limit %(most)s
)
select s.id from near join memkit.search as s on s.id = near.id
where {ALLOWED} order by near.distance, s.id limit %(limit)s
"""
SEARCH_VECTORS = f"""
select s.id from memkit.vectors as v join memkit.search as s on s.id = v.id
where v.model = %(model)s and v.version = %(version)s and {ALLOWED}
order by v.vector::vector({{dims}}) <=> %(vector)s::vector limit %(limit)s
"""
# Whether something happened in a time, as far as that is known: `at` of what has no document may be when it came.
# A year or a month happened in it if all of it lies there: `-~` stands after each of its days.
HAPPENED = f"""
    s.at >= t.start and s.at < t.until and (length(s.at) > 7 or t.until > s.at || '-~')
    and {ALLOWED} and (s.document is not null or exists (
        select 1 from memkit.units as u
        where u.kind = 'memories' and u.id = s.id and u.body #>> '{{row,happened_at}}' is not null
    ))
"""
# Of the times that a question may mean, the first one in which something happened; the beginnings of documents first.
SELECT_HAPPENED = f"""
select s.id from memkit.search as s, (
    select t.start, t.until
    from unnest(%(starts)s::text[], %(untils)s::text[]) with ordinality as t(start, until, place)
    where exists (select 1 from memkit.search as s where {HAPPENED})
    order by t.place limit 1
) as t
where {HAPPENED} order by s.position, s.at, s.id limit %(limit)s
"""
SELECT_VECTORS = "select id, vector_send(vector) from memkit.vectors where model = %s and version = %s and id = any(%s)"
SELECT_NAMED = """
select id from memkit.units
where kind = 'entities' and jsonb_path_query_array((body -> 'aliases')::jsonb, '$[*].normal') ?| %s
"""
SELECT_MENTIONING = """
select distinct m.memory from unnest(%s::text[]) as e(id) cross join lateral (
    select n.memory from memkit.named as n join memkit.units as u on u.kind = 'memories' and u.id = n.memory
    where n.kind = 'entities' and n.id = e.id
    order by u.place desc, u.id limit %s
) as m
"""
SELECT_RELATIONS = """
select id from memkit.units where kind = 'relations' and body #>> '{row,subject_key}' = any(%(ids)s)
union
select id from memkit.units where kind = 'relations' and body #>> '{row,object_key}' = any(%(ids)s)
limit 500
"""
SELECT_STATING = """
select u.id from memkit.units as u
where u.kind = 'memories' and u.id in (select memory from memkit.named where kind = 'relations' and id = any(%s))
order by u.place desc, u.id limit %s
"""
# How many memories link is unknown to the planner: it would go through all, newest first, until it has found enough.
SELECT_LINKING = """
with linking as materialized (
    select id, place from memkit.units
    where kind = 'memories' and jsonb_path_query_array((body -> 'links')::jsonb, '$[*].to_key') ?| %s
)
select id from linking order by place desc, id limit %s
"""
# One memory of each kind and project that is asked for, else of those that there are: a recall says which are unknown.
SELECT_OF_KINDS = "select distinct on (kind) id from memkit.search where kind = any(%s)"
SELECT_OF_PROJECT = "select id from memkit.search where project = any(%s) limit 1"
SELECT_KINDS = "select distinct on (kind) id from memkit.search limit 50"
SELECT_PROJECTS = "select distinct on (project) id from memkit.search limit 50"
SELECT_NEIGHBOURS = """
select distinct n.id from memkit.search as s join memkit.search as n
    on n.document = s.document and n.position between s.position - 2 and s.position + 2
where s.id = any(%s)
"""


@dataclass(frozen=True)
class Asked:
    """What the server is asked for: the terms of each index, names, a vector by the store's model, and memories by id.

    `times` are the first and the last text of each time that the question may mean, the likeliest first.
    `naming` is the most memories that come because they name an entity of the question.
    """

    words: Sequence[str]
    pairs: Sequence[str]
    names: Sequence[str]
    vector: np.ndarray | None = None
    ids: Sequence[str] = ()
    naming: int = NAMING
    times: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Model:
    """The model of most of the store's vectors, of which there are `n`."""

    id: str
    version: str
    dims: int
    n: int


def model_of(server: Server) -> Model | None:
    """The model that made most of the store's vectors; None without vectors, or without pgvector."""
    if not server.conn.execute(HAS_VECTORS).fetchone()[0]:
        return None
    row = server.conn.execute(SELECT_MODELS).fetchone()
    return None if row is None else Model(*row)


def is_indexed(server: Server) -> bool:
    """Whether the store has an index to search: the first push by this memkit makes it."""
    return bool(server.conn.execute(HAS_SEARCH).fetchone()[0])


def fetch(server: Server, conn: Connection, asked: Asked, scope: Scope, model: Model | None, now: str) -> None:
    """Fills the empty database `conn` with what the server finds for a question. Raises BadSource as a pull does."""
    counted = server.conn.execute(SEES_COUNTS).fetchone()[0]
    whole, tokens = _statistics(server, asked, scope, counted=counted)
    found = _candidates(server, asked, scope, model, whole, tokens)
    examples = [*_examples(server, scope.kinds, SELECT_OF_KINDS, SELECT_KINDS)]
    examples += _examples(server, (scope.project,) if scope.project else None, SELECT_OF_PROJECT, SELECT_PROJECTS)
    given = _with_surroundings(server, asked, found, examples, counted=counted)
    fill(conn, given, NOT_ASKED)
    counts = _naming(server, [name.id for name in given if name.kind == "entities"], counted=counted)
    set_naming(conn, {key: counts[id] for id, key in conn.execute(SELECT_ENTITY_KEYS) if id in counts})
    if model is not None:
        take_vectors(server, conn, model, [name.id for name in given if name.kind == "memories"], now)
    fulltext.set_whole(conn, whole)


# ---------------------------------------------------------------------------------------------- candidates

Tokens = dict[str, list[str]]  # the lexemes of each term, as the index has them


def _naming(server: Server, entities: Sequence[str], *, counted: bool) -> dict[str, int]:
    """How many memories of the store name each of these entities."""
    return dict(server.conn.execute(SELECT_NAMING if counted else COUNT_OWN_NAMING, (list(entities),)).fetchall())


def _statistics(
    server: Server, asked: Asked, scope: Scope, *, counted: bool
) -> tuple[fulltext.WholeStatistics, dict[str, Tokens]]:
    """The numbers of memories in the store, and of those with each term; the lexemes of each term."""
    totals = server.conn.execute(SELECT_TOTALS if counted else search_index.SUM_TOTALS).fetchall()
    rows = dict.fromkeys(("fts", "cjk"), 0) | {part: n for part, n, _ in totals}
    lengths = dict.fromkeys(rows, 1.0) | {part: float(sum(sizes) / n) for part, n, sizes in totals if n}
    tokens = {
        "fts": lexemes_of([quoted(word) for word in asked.words], TOKENIZE),
        "cjk": lexemes_of(asked.pairs, TOKENIZE_PAIRS),
    }
    counts = {}
    for part, terms in tokens.items():
        wanted = sorted({token for one in terms.values() for token in one})
        if counted:
            held = {term: n for _, term, n in server.conn.execute(SELECT_TERMS, (part, wanted))}
        else:
            held = {term: server.conn.execute(COUNT_OWN[part], (lexeme(term),)).fetchone()[0] for term in wanted}
        for term, found in terms.items():
            counts[part, term] = min((held.get(token, 0) for token in found), default=0)
    return fulltext.WholeStatistics(rows, lengths, counts, *_own(server, scope, tokens)), tokens


def _own(server: Server, scope: Scope, tokens: dict[str, Tokens]) -> tuple[int | None, dict[tuple[str, str], int]]:
    """The number of memories that a scope of one project allows, and of those with each term; None for too many."""
    allowed = _allowed(scope)
    counts: dict[tuple[str, str], int] = {}
    if not scope.only_project:
        return None, counts
    (size,) = server.conn.execute(COUNT_ALLOWED, allowed).fetchone()
    if size > fulltext.MOST_OWN:
        return None, counts
    for part, terms in tokens.items():
        known = [term for term, lexemes in terms.items() if lexemes]
        queries = [" & ".join(map(lexeme, terms[term])) for term in known]
        found = dict(server.conn.execute(COUNT_ALLOWED_WITH[part], {**allowed, "queries": queries})) if known else {}
        counts |= {(part, term): found.get(place, 0) for place, term in enumerate(known, 1)}
    return size, counts


TOKENIZE = "create virtual table one using fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')"
TOKENIZE_PAIRS = "create virtual table one using fts5(text, tokenize = 'unicode61 remove_diacritics 0')"
MAKE_TOKENS = "create virtual table token using fts5vocab(one, instance)"
INSERT_TERM = "insert into one (rowid, text) values (?, ?)"
READ_TOKENS = "select doc, term from token order by doc, offset"
OF_CHARACTERS = "characters : "  # a term of the CJK index that is a single character


def lexemes_of(terms: Sequence[str], tokenize: str) -> Tokens:
    """The lexemes of each term (an FTS5 string), as FTS5 splits and stems it; punctuation makes several."""
    found: Tokens = {term: [] for term in terms}
    with closing(connect()) as conn:
        conn.execute(tokenize)
        conn.execute(MAKE_TOKENS)
        conn.executemany(INSERT_TERM, [(n, term.removeprefix(OF_CHARACTERS)) for n, term in enumerate(terms)])
        for n, token in conn.execute(READ_TOKENS):
            found[terms[n]].append(CHARACTER + token if terms[n].startswith(OF_CHARACTERS) else token)
    return found


def _candidates(
    server: Server,
    asked: Asked,
    scope: Scope,
    model: Model | None,
    whole: fulltext.WholeStatistics,
    tokens: dict[str, Tokens],
) -> list[str]:
    """The ids of the best memories by words and by vector, those that stand high in several lists first."""
    allowed = _allowed(scope)
    lists = []
    for part, query in (("fts", SEARCH_WORDS), ("cjk", SEARCH_PAIRS)):
        counts = {term: whole.counts[part, term] for term in tokens[part] if whole.counts[part, term]}
        rare = {term: n for term, n in counts.items() if n <= COMMON} or counts
        terms = sorted(rare, key=lambda term: (rare[term], term))[:MOST_TERMS]
        if terms:
            queries = [" & ".join(map(lexeme, tokens[part][term])) for term in terms]
            rarities = [_rarity(whole, part, term) for term in terms]
            asking = {**allowed, "queries": queries, "rarities": rarities, "limit": BY_WORDS}
            lists.append([id for id, _ in server.conn.execute(query, asking)])
    if model is not None and asked.vector is not None:
        lists.append(nearest(server, model, asked.vector, scope))
    if asked.times:
        starts, untils = zip(*asked.times, strict=True)
        then = {**allowed, "starts": list(starts), "untils": list(untils), "limit": OF_A_TIME}
        lists.append([id for (id,) in server.conn.execute(SELECT_HAPPENED, then)])
    score: dict[str, float] = {}
    for ranked in lists:
        for place, id in enumerate(ranked):
            score[id] = score.get(id, 0.0) + 1 / (60 + place)
    return sorted(score, key=lambda id: (-score[id], id))


def nearest(server: Server, model: Model, vector: np.ndarray, scope: Scope) -> list[str]:
    """The ids of the memories with the nearest vectors, the nearest first; of many, nearly all of these."""
    if model.n > vector_index.EXACT:
        server.conn.execute(SET_WIDTH)
        server.conn.execute(SET_ITERATIVE)
    asked = {"model": model.id, "version": model.version, "vector": json.dumps(vector.tolist()), "limit": BY_VECTOR}
    asked |= {**_allowed(scope), "most": 4 * BY_VECTOR}
    found = server.conn.execute(SEARCH_NEAREST.format(dims=model.dims), asked).fetchall()
    if len(found) < BY_VECTOR:
        found = server.conn.execute(SEARCH_VECTORS.format(dims=model.dims), asked).fetchall()
    return [id for (id,) in found]


def _rarity(whole: fulltext.WholeStatistics, part: str, term: str) -> float:
    if whole.own is None:
        return fulltext.rarity(whole.counts[part, term], whole.rows[part])
    return fulltext.rarity(whole.own_counts.get((part, term), 0), whole.own)


def _allowed(scope: Scope) -> dict[str, Any]:
    """The parameters of ALLOWED. It lets through what the recall may leave out, never the other way round."""
    given = scope.parameters()
    return {
        "only": given["only_project"],
        "kinds": None if scope.kinds is None else list(scope.kinds),
        **{name: given[name] for name in ("since", "until", "past", "everything", "as_of")},
    }


def _examples(server: Server, wanted: Sequence[str] | None, some: str, all: str) -> list[str]:
    if not wanted:
        return []
    found = [row[0] for row in server.conn.execute(some, (list(wanted),))]
    return found if len(found) == len(set(wanted)) else [*found, *(row[0] for row in server.conn.execute(all))]


def _with_surroundings(
    server: Server, asked: Asked, found: Sequence[str], also: Sequence[str], *, counted: bool
) -> dict[Name, Unit]:
    """The candidates, their neighbours, and what edges lead to from them and from the names in the question."""
    conn = server.conn

    def ids(query: str, *parameters: Any) -> list[str]:
        return [row[0] for row in conn.execute(query, parameters)] if parameters[0] else []

    best = server.units(Name("memories", id) for id in (*asked.ids, *found))
    named = ids(SELECT_NAMED, list(asked.names))
    near, very_near = (
        sorted({other.id for id in found[:most] for other in _of(best, id) if other.kind == "entities"})
        for most in (NEAR, BEST)
    )
    rare = [id for id, n in _naming(server, very_near, counted=counted).items() if 1 < n <= RARE]
    linked = {other.id for id in found[:NEAR] for other in _of(best, id) if other.kind == "memories"}
    rows = conn.execute(SELECT_RELATIONS, {"ids": named}) if named else ()
    relations = [row[0] for row in rows]
    around = {
        *also,
        *linked,
        *ids(SELECT_LINKING, list(found[:NEAR]), MOST_AROUND),
        *ids(SELECT_STATING, relations, MOST_AROUND),
        *ids(SELECT_MENTIONING, named, asked.naming),
        *ids(SELECT_MENTIONING, near, LEADING),
        *ids(SELECT_MENTIONING, rare, RARE),
        *ids(SELECT_NEIGHBOURS, list(found)),
    }
    given = best | server.units(Name("memories", id) for id in sorted(around))
    given |= server.units([*(Name("entities", id) for id in named), *(Name("relations", id) for id in relations)])
    fresh: dict[Name, Unit] = given
    while fresh:
        names = {other for name, unit in fresh.items() for other in references(name, unit)} - given.keys()
        fresh = server.units(name for name in names if name.kind != "memories")
        given |= fresh
    return given


def _of(units: dict[Name, Unit], id: str) -> Iterable[Name]:
    name = Name("memories", id)
    return references(name, units[name]) if name in units else ()


# ---------------------------------------------------------------------------------------------- into the part

COMMON = 20_000  # a word that more memories have finds none, as long as a rarer one remains
SELECT_KEYS = "select id, key from memories"
SELECT_ENTITY_KEYS = "select id, key from entities"
INSERT_MODEL = "insert into models (id, version, dims, active, created_at) values (?, ?, ?, 1, ?) returning key"
INSERT_VECTOR = "insert into embeddings (memory_key, model_key, vector, code) values (?, ?, ?, ?)"


def take_vectors(server: Server, conn: Connection, model: Model, ids: Sequence[str], now: str) -> None:
    """Brings the vectors of these memories into their part."""
    import numpy as np

    from memkit.embedding import binary_code

    keys = dict(tuple(row) for row in conn.execute(SELECT_KEYS))
    with server.conn.cursor(binary=True) as cursor:
        found = cursor.execute(SELECT_VECTORS, (model.id, model.version, list(ids))).fetchall()
    with writing(conn):
        (model_key,) = conn.execute(INSERT_MODEL, (model.id, model.version, model.dims, now)).fetchone()
        if found:
            matrix = np.stack([np.frombuffer(sent, ">f4", offset=4) for _, sent in found]).astype("<f4")
            codes = binary_code(matrix)
            rows = [
                (keys[id], model_key, vector.tobytes(), code.tobytes())
                for (id, _), vector, code in zip(found, matrix, codes, strict=True)
                if id in keys
            ]
            conn.executemany(INSERT_VECTOR, rows)
