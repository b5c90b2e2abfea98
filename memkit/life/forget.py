"""Forgetting: hiding a memory, or deleting it for good, and with it all that would say its words on.

What was made of it (summaries, facts kept of those, observations, crystals, merges) is taken back. Its other sources
answer for themselves again, brought back where they had been let go, and the next upkeep makes it anew of them. What
cannot be undone any more is hidden or goes as well; only what it vouches for in others' words stays, as a short fact.

For good means more. What was put away in favour of the forgotten one (merged or condensed into it, or let go once it
was summed up) goes with it. So do copies: what could have been restored or undone, and proposals.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memkit import connect_relations, store
from memkit.driver import writing
from memkit.life import kept_facts, log, pruned, rows
from memkit.life.policy import COMPRESS, EXPIRE
from memkit.life.work import Work
from memkit.lifecycle import erase, forget_copies
from memkit.store import dumps
from memkit.types import Memory

STEP = "forget"
# What the log calls the making of a text out of others.
MAKING = ("made", "rebuilt", "observed", "condensed", "merged", "summarised")
TAKEN_BACK = "taken back", "made of what was forgotten; upkeep makes it anew of its other sources, if it has any"
GONE = "gone for good", "made of what was forgotten, and could not be undone any more"
HIDDEN = "hidden", "made of what was forgotten, and could not be undone any more"

SELECT_MADE_OF = """
select d.id
from memories as s
    join links as l on l.to_key = s.key and l.type = 'derived_from'
    join memories as d on d.key = l.from_key
where s.id in (select value from json_each(:ids))
union
select m.memory_id
from maintenance as m join json_each(m.sources) as s
where s.value in (select value from json_each(:ids)) and m.action in (select value from json_each(:making))
"""
SELECT_KEPT_FROM = "select text, json_extract(meta, '$.kept_from') as kept_from from memories where id = :id"
# Archived in favour of these: merged by a decision, or condensed by reflecting.
SELECT_SOURCES = """
select s.id, s.key, s.meta
from memories as d
    join links as l on l.from_key = d.key and l.type = 'derived_from'
    join memories as s on s.key = l.to_key
where d.id in (select value from json_each(:ids)) and s.archived_at is not null
    and (l.why, json_extract(s.meta, '$.archived_because')) in (('a decision', 'merged'), ('reflect', 'condensed'))
"""
SELECT_LET_GO = """
select p.memory_id
from pruned as p join maintenance as m on m.memory_id = p.memory_id and m.at = p.pruned_at and m.step = :step
where exists (select 1 from json_each(m.sources) as s where s.value in (select value from json_each(:ids)))
"""
SELECT_CHANGES = """
select id from maintenance
where undone_at is null and (
    memory_id in (select value from json_each(:ids))
    or (memory_id = :id and exists (select 1 from pruned as p where p.memory_id = :id and p.pruned_at = at))
    or (step = :step and memory_id not in (select value from json_each(:let_go)) and exists (
        select 1 from json_each(sources) as s where s.value in (select value from json_each(:ids))
    ))
)
order by key desc
"""
SELECT_BEFORE = "select before from maintenance where memory_id = :id and step = :step and before is not null"
SELECT_KEYS = "select key from memories where id in (select value from json_each(:ids))"
# They were looked at for an observation that is no more.
FORGET_OBSERVED = """
delete from extractions
where extractor = 'observer' and memory_key in (
    select key from memories where id in (
        select s.value from maintenance as m join json_each(m.sources) as s
        where m.memory_id in (select value from json_each(:ids)) and m.action = 'observed'
    )
)
"""
# Reasons may quote: a crystal's is of whom it tells, a model's may be what it answered.
FORGET_REASONS = """
update maintenance set why = 'forgotten' where step <> :step and memory_id in (select value from json_each(:ids))
"""
SELECT_EVIDENCE = "select key, quote, said_at from evidence where memory_key = :key"


def forget(work: Work, id: str) -> tuple[Memory, set[int]]:
    """The memory that is gone for good, and the keys of those to embed anew; one that was let go can be named, too.

    Each memory that goes with it, or is taken back, is a change in the log. Until `scrub`, their bytes stay in the
    file. Raises NotFound.
    """
    conn, now = work.conn, work.now
    with writing(conn):
        hidden, let_go = _put_away_for(conn, [id])
        texts = {id: pruned.text(conn, id) or store.memory(conn, id).text}
        texts |= {one: store.memory(conn, one).text for one in hidden}
        made = _made_of(conn, texts)
        around = _take_back(conn, id, made, let_go, now)
        roots = [store.memory(conn, one) for one in texts]
        left = _keep_others(work, made, roots)
        keys = _keys(conn, [*texts, *left])
        around |= erase(conn, keys, now)
        gone = [*texts, *made, *let_go]
        forget_copies(conn, gone)
        conn.execute(FORGET_REASONS, {"ids": dumps(gone), "step": STEP})
        _record(work, roots[0], made, left, [*hidden, *let_go])
    return roots[0], around - set(keys)


def hide(work: Work, id: str) -> tuple[Memory, set[int]]:
    """The memory that recall finds no more, and the keys of those to embed anew. Raises NotFound."""
    conn, now = work.conn, work.now
    with writing(conn):
        memory = store.memory(conn, id)
        made = _made_of(conn, {id: memory.text})
        around = _take_back(conn, id, made, (), now)
        left = _keep_others(work, made, [memory])
        keys = _keys(conn, [id, *left])
        connect_relations.withdraw(conn, keys, now)
        around |= store.archive(conn, keys, now, "forgotten")
        _record(work, memory, made, left, gone=HIDDEN)
    return memory, around - set(keys)


# ---------------------------------------------------------------------------------------------- what there is


def _made_of(conn: Any, texts: Mapping[str, str]) -> list[str]:
    """The ids of all that was made of these memories (id to text), and of that; but no fact kept in other words."""
    found = dict.fromkeys(texts)
    ids = list(texts)
    while ids:
        known = conn.execute(SELECT_MADE_OF, {"ids": dumps(ids), "making": dumps(MAKING)}).fetchall()
        ids = [row[0] for row in known if row[0] not in found and not _says_other(conn, row[0], texts)]
        found |= dict.fromkeys(ids)
    return list(found)[len(texts) :]


def _says_other(conn: Any, id: str, texts: Mapping[str, str]) -> bool:
    """Whether this is a fact kept of another memory, in words that none of these has."""
    row = conn.execute(SELECT_KEPT_FROM, {"id": id}).fetchone()
    if row is None or row["kept_from"] is None or row["kept_from"] in texts:
        return False
    return not any(line in text for line in row["text"].splitlines() for text in texts.values())


def _put_away_for(conn: Any, ids: list[str]) -> tuple[list[str], list[str]]:
    """The ids of memories archived in favour of these, and of those let go because of them, however far down."""
    hidden: dict[str, None] = {}
    let_go: dict[str, None] = {}
    while ids:
        let_go |= dict.fromkeys(row[0] for row in conn.execute(SELECT_LET_GO, {"ids": dumps(ids), "step": EXPIRE}))
        ids = [row["id"] for row in _archived_sources(conn, ids) if row["id"] not in hidden]
        hidden |= dict.fromkeys(ids)
    return list(hidden), list(let_go)


def _archived_sources(conn: Any, ids: Sequence[str]) -> list[Any]:
    return list(conn.execute(SELECT_SOURCES, {"ids": dumps(ids)}))


def _keys(conn: Any, ids: Sequence[str]) -> list[int]:
    return [row[0] for row in conn.execute(SELECT_KEYS, {"ids": dumps(ids)})]


# ---------------------------------------------------------------------------------------------- taken back


def _take_back(conn: Any, id: str, made: Sequence[str], let_go: Sequence[str], now: str) -> set[int]:
    """Undoes the making of these, as far as that is kept: their other sources stand again. Keys to embed anew."""
    around = _as_before(conn, id, made, let_go, now) | _free(conn, id, now) | _stand_again(conn, made, now)
    conn.execute(FORGET_OBSERVED, {"ids": dumps(made)})
    return around


def _free(conn: Any, id: str, now: str) -> set[int]:
    """Takes the date off what was to expire because this summary says it."""
    return {
        key
        for row in conn.execute(SELECT_BEFORE, {"id": id, "step": COMPRESS}).fetchall()
        for key in rows.bring_back(conn, {"memories": json.loads(row[0])["memories"]}, now)
    }


def _as_before(conn: Any, id: str, made: Sequence[str], let_go: Sequence[str], now: str) -> set[int]:
    """Makes everything as it was before these were made, as far as what was before is kept; keys to embed anew.

    The forgotten one comes back in its turn, if it was let go, with what it vouched for.
    """
    parameters = {"id": id, "ids": dumps(made), "step": EXPIRE, "let_go": dumps(let_go)}
    changes = conn.execute(SELECT_CHANGES, parameters).fetchall()
    return {key for row in changes for key in log.revert(conn, row[0], now) or ()}


def _stand_again(conn: Any, made: Sequence[str], now: str) -> set[int]:
    """Brings back to recall what was archived in favour of memories that go."""
    saved = []
    for row in _archived_sources(conn, made):
        if row["id"] not in made:
            meta = {name: value for name, value in json.loads(row["meta"]).items() if name != "archived_because"}
            saved.append({"key": row["key"], "id": row["id"], "archived_at": None, "meta": dumps(meta)})
    return rows.bring_back(conn, {"memories": saved}, now)


def _keep_others(work: Work, made: Sequence[str], roots: Sequence[Memory]) -> list[str]:
    """Which of these are still there, and have to go: what they vouch for and others have said is kept as facts."""
    left = store.memories(work.conn, _keys(work.conn, made))
    for going in left.values():
        _keep_quotes(work, going, roots)
    return [one.id for one in left.values()]


def _keep_quotes(work: Work, going: Memory, roots: Sequence[Memory]) -> None:
    """Keeps what a memory that goes vouches for in the words of others: a fact of these."""
    said = {root.when for root in roots}
    found = work.conn.execute(SELECT_EVIDENCE, {"key": going.key}).fetchall()
    quotes = {
        row["key"]: row["quote"]
        for row in found
        if row["quote"] and row["said_at"] not in said and not any(row["quote"] in root.text for root in roots)
    }
    if quotes:
        kept_facts.fact(work, going, quotes)


def _record(
    work: Work,
    forgotten: Memory,
    made: Sequence[str],
    left: Collection[str],
    put_away: Sequence[str] = (),
    gone: tuple[str, str] = GONE,
) -> None:
    """Writes down what became of everything but the forgotten one, by ids alone."""
    told = {
        **dict.fromkeys(made, TAKEN_BACK),
        **dict.fromkeys(left, gone),
        **dict.fromkeys(put_away, ("gone for good", "put away in favour of what was forgotten")),
    }
    for id, (action, why) in told.items():
        log.record(
            work.conn,
            run=work.run,
            step=STEP,
            action=action,
            memory_id=id,
            why=why,
            at=work.now,
            sources=[forgotten.id],
        )
