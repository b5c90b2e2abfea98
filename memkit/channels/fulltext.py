"""Words: BM25 over SQLite's full-text index, and over character pairs for scripts without spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memkit.scope import ELIGIBLE, Scope, eligible_among
from memkit.store import keys_json
from memkit.text import quoted

# Columns: text, title, speaker, tags, context (the neighbours). bm25() is negative, better is lower.
SEARCH = """
select rowid, -bm25(memories_fts, :text, :title, :speaker, :tags, :context) as score
from memories_fts
where memories_fts match :query
order by bm25(memories_fts, :text, :title, :speaker, :tags, :context), rowid
limit :limit
"""
SEARCH_SCOPED = f"""
select f.rowid, -bm25(memories_fts, :text, :title, :speaker, :tags, :context) as score
from memories_fts as f cross join memories as m on m.key = f.rowid
where memories_fts match :query and {ELIGIBLE}
order by bm25(memories_fts, :text, :title, :speaker, :tags, :context), f.rowid
limit :limit
"""
SEARCH_CJK = """
select rowid, -bm25(memories_cjk, :text, :title, :context, 0.2 * :text) as score
from memories_cjk
where memories_cjk match :query
order by bm25(memories_cjk, :text, :title, :context, 0.2 * :text), rowid
limit :limit
"""
SEARCH_CJK_SCOPED = f"""
select f.rowid, -bm25(memories_cjk, :text, :title, :context, 0.2 * :text) as score
from memories_cjk as f cross join memories as m on m.key = f.rowid
where memories_cjk match :query and {ELIGIBLE}
order by bm25(memories_cjk, :text, :title, :context, 0.2 * :text), f.rowid
limit :limit
"""
ANY_CJK = "select 1 from memories_cjk limit 1"
# Counting stops where a term is surely common; the count does not look at positions, so it is cheap.
COUNT_FTS = "select count(*) from (select 1 from memories_fts where memories_fts match :query limit :limit)"
COUNT_CJK = "select count(*) from (select 1 from memories_cjk where memories_cjk match :query limit :limit)"


def search(
    conn: Any,
    words: Sequence[str],
    cjk_terms: Sequence[str],
    scope: Scope,
    *,
    limit: int,
    weights: tuple[float, float, float, float, float],
    common: int,
) -> dict[int, float]:
    """The best memories with any of these words, key to BM25 score (above 0, higher is better), best first.

    Terms found in more than `common` memories are left out as long as a rarer one remains. `weights` are those of the
    columns text, title, speaker, tags and context.
    """
    names = ("text", "title", "speaker", "tags", "context")
    parameters = {**dict(zip(names, weights, strict=True)), "limit": limit}
    latin = [quoted(word) for word in words]
    found: dict[int, float] = {}
    for terms, count, queries in (
        (latin, COUNT_FTS, (SEARCH, SEARCH_SCOPED)),
        (list(cjk_terms) if _has_rows(conn) else [], COUNT_CJK, (SEARCH_CJK, SEARCH_CJK_SCOPED)),
    ):
        if terms:
            query = " OR ".join(_rarer(conn, terms, count, common))
            for key, score in _run(conn, queries, {**parameters, "query": query}, scope):
                found[key] = max(found.get(key, 0.0), score)
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:limit])


def _has_rows(conn: Any) -> bool:
    """Whether any memory is written in a script without spaces."""
    return conn.execute(ANY_CJK).fetchone() is not None


def _rarer(conn: Any, terms: list[str], count: str, common: int) -> list[str]:
    """The terms without those that more than `common` memories have; all of them if all are common."""
    if len(terms) == 1:
        return terms
    kept = [term for term in terms if conn.execute(count, {"query": term, "limit": common + 1}).fetchone()[0] <= common]
    return kept or terms


def _run(conn: Any, queries: tuple[str, str], parameters: dict[str, Any], scope: Scope) -> list[tuple[int, float]]:
    """The rows of a search. Most memories are eligible most of the time: then it is cheaper to look afterwards."""
    plain, scoped = queries
    if not scope.narrow:
        limit = parameters["limit"]
        rows = [tuple(row) for row in conn.execute(plain, {**parameters, "limit": 2 * limit})]
        allowed = eligible_among(conn, [row[0] for row in rows], scope)
        kept = [row for row in rows if row[0] in allowed]
        if len(kept) >= limit or len(rows) < 2 * limit:
            return kept
    return [tuple(row) for row in conn.execute(scoped, {**parameters, **scope.parameters()})]


def scores_of(conn: Any, keys: Sequence[int], query: str) -> dict[int, float]:
    """BM25 scores of given memories for an FTS5 expression; those without any of its words are missing."""
    rows = conn.execute(SCORE_KEYS, {"query": query, "keys": keys_json(keys)})
    return {row[0]: row[1] for row in rows}


SCORE_KEYS = """
select rowid, -bm25(memories_fts) as score
from memories_fts
where memories_fts match :query and rowid in (select value from json_each(:keys))
"""
