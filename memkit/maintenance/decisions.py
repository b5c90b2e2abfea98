"""Accepted proposals: a merge, the settlement of a contradiction, or values of slots, logged so that undo is possible.

A merge makes one new memory with `derived_from` links to the old ones. These are archived, and the new memory takes
over their evidence. A contradiction is settled by a text: the side with that text stays, and the other one is
superseded or expires. Any other text becomes a new memory that replaces both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion
from memkit.core.types import DocumentDraft, Draft, Memory
from memkit.graph import links, relations
from memkit.graph.relations import Statement
from memkit.graph.version import bump
from memkit.ingestion import relation_extraction
from memkit.ingestion.remember import remembered
from memkit.maintenance import log, proposals, slot_filling, snapshots
from memkit.maintenance.confidence import own_confidence
from memkit.maintenance.contradictions import Side, sides
from memkit.maintenance.policy import Policy
from memkit.maintenance.proposals import ACCEPTED, MERGE, SLOT, Proposal
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import dumps, keys_json
from memkit.text.words import normal_name

if TYPE_CHECKING:
    from memkit.embedding import Embedder

STEP = "propose"
MERGED = "merged"  # why a memory is archived

SELECT_KEYS = "select key from memories where id in (select value from json_each(:ids)) and archived_at is null"
SELECT_SAID = """
select r.subject_key as subject, r.predicate, r.object_key as object, e.said_at as said, e.quote, e.confidence,
    e.valid_from, e.valid_until, e.method
from evidence as e join relations as r on r.key = e.relation_key
where e.memory_key in (select value from json_each(:keys)) and r.expired_at is null
order by e.key
"""
SELECT_RELATIONS = "select * from relations where id in (select value from json_each(:ids))"
SELECT_EVIDENCE = "select * from evidence where relation_key in (select value from json_each(:keys))"
SELECT_LINK = "select key from links where from_key = :one and to_key = :other and type = 'supersedes'"


def accept(
    conn: Connection, id: str, now: str, *, text: str | None = None, embedder: Embedder | None = None
) -> tuple[Proposal, set[int]]:
    """The accepted proposal, and the keys of memories that need new vectors. `text` replaces the proposed text.

    The change is logged as a run with the proposal's id; undo opens the proposal again. Raises NotFound for an unknown
    proposal; BadQuestion if it was decided, if a member is gone, or if the text is empty.
    """
    with writing(conn):
        found = proposals.open_proposal(conn, id)
        chosen = (found.text if text is None else text).strip()
        if not chosen:
            raise BadQuestion(f"The proposal {id} cannot be accepted with an empty text. To reject it, refuse it.")
        around = {MERGE: _merge, SLOT: _fill}.get(found.kind, _settle)(conn, found, chosen, now, embedder)
        return proposals.decide(conn, found, ACCEPTED, now, chosen), around


# ---------------------------------------------------------------------------------------------- one memory of several


def _merge(conn: Connection, found: Proposal, text: str, now: str, embedder: Embedder | None) -> set[int]:
    old = _members(conn, found)
    keys = [one.key for one in old]
    before = snapshots.saved_rows(conn, keys)
    new = _remembered(conn, merged_draft(old, text), keys, now, embedder)
    vouched = conn.execute(SELECT_SAID, {"keys": keys_json(keys)}).fetchall()
    said = [Statement(**{**dict(row), "memory": new.key}) for row in vouched]
    relations.add(conn, said, now)
    relation_extraction.withdraw(conn, keys, now)
    around = store.archive(conn, keys, now, MERGED)
    _record(conn, found, "merged", new.id, now, [one.id for one in old], {**before, "made": {"memories": [new.key]}})
    return around


def merged_draft(old: Sequence[Memory], text: str) -> Draft:
    """The draft that merges several memories (newest first): common fields, highest importance, newest time."""

    def common(name: str) -> Any:
        values = {getattr(one, name) for one in old}
        return values.pop() if len(values) == 1 else None

    return Draft(
        text=text,
        document=DocumentDraft(source="memory:remembered"),
        kind=Counter(one.kind for one in old).most_common(1)[0][0],
        title=common("title"),
        speaker=common("speaker"),
        category=common("category"),
        tags=tuple(dict.fromkeys(tag for one in old for tag in one.tags)),
        project=old[0].project,
        importance=max(one.importance for one in old),
        confidence=max(own_confidence(one.confidence, one.meta) for one in old),
        happened_at=max((one.happened_at for one in old if one.happened_at), default=None),
        valid_from=common("valid_from"),
        sequential=False,
        meta={"confirmed": True},
    )


def _members(conn: Connection, found: Proposal) -> list[Memory]:
    """The memories of a proposal, newest first. Raises BadQuestion if one was archived or deleted."""
    keys = [row[0] for row in conn.execute(SELECT_KEYS, {"ids": dumps(list(found.members))})]
    if len(keys) != len(found.members):
        raise BadQuestion(
            f"Some memories of the proposal {found.id} no longer exist. Run: memkit maintain DATABASE --only propose"
        )
    return _newest_first(store.memories(conn, keys).values())


def _newest_first(found: Iterable[Memory]) -> list[Memory]:
    return sorted(found, key=lambda one: (one.when or one.created_at, one.key), reverse=True)


def _remembered(conn: Connection, draft: Draft, sources: Iterable[int], now: str, embedder: Embedder | None) -> Memory:
    """A new memory, read for the graph and linked to its sources."""
    new = remembered(conn, draft, embedder, now)
    for source in sources:
        store.link(conn, new.key, source, "derived_from", now, why="a decision")
    bump(conn)
    return new


def _record(
    conn: Connection, found: Proposal, action: str, id: str, now: str, sources: Sequence[str], before: snapshots.Before
) -> None:
    log.record(
        conn,
        run=found.id,
        step=STEP,
        action=action,
        memory_id=id,
        at=now,
        why=f"accepted: {found.why}",
        sources=sources,
        before={**before, "proposal": {"id": found.id, "text": found.text}},
    )


# ---------------------------------------------------------------------------------------------- values of slots


def _fill(conn: Connection, found: Proposal, text: str, now: str, embedder: Embedder | None) -> set[int]:
    _members(conn, found)
    if not slot_filling.accept(RunContext(conn, Policy(), now, found.id, embedder), found, text):
        raise BadQuestion(f"The text must have lines such as `user.nickname = Sam`, not {text[:60]!r}.")
    return set()


# ---------------------------------------------------------------------------------------------- one side of two


def _settle(conn: Connection, found: Proposal, text: str, now: str, embedder: Embedder | None) -> set[int]:
    known = sides(conn, found.members)
    if len(known) != len(found.members):
        raise BadQuestion(f"A side of the proposal {found.id} no longer exists. Refuse the proposal.")
    right = next((one for one in reversed(known) if normal_name(one.text) == normal_name(text)), None)
    wrong = [one for one in known if one is not right]
    if conn.execute(SELECT_RELATIONS, {"ids": dumps(list(found.members))}).fetchone():
        _settle_relations(conn, found, text, right, wrong, now, embedder)
    else:
        _settle_memories(conn, found, text, right, wrong, now, embedder)
    return set()


def _settle_memories(
    conn: Connection,
    found: Proposal,
    text: str,
    right: Side | None,
    wrong: list[Side],
    now: str,
    embedder: Embedder | None,
) -> None:
    """The right memory, or a new one, supersedes the wrong ones. These stay as history."""
    old = _newest_first(store.memory(conn, one.id) for one in wrong)
    before = snapshots.saved_rows(conn, [one.key for one in old], ("memories",))
    new = (
        store.memory(conn, right.id)
        if right
        else _remembered(conn, merged_draft(old, text), [one.key for one in old], now, embedder)
    )
    for one in old:
        links.supersede(conn, one, new, now, why="a decision")
    pairs = [{"one": new.key, "other": one.key} for one in old]
    made = {"links": [conn.execute(SELECT_LINK, pair).fetchone()[0] for pair in pairs]}
    made |= {} if right else {"memories": [new.key]}
    _record(conn, found, "settled", new.id, now, [one.id for one in old], {**before, "made": made})


def _settle_relations(
    conn: Connection,
    found: Proposal,
    text: str,
    right: Side | None,
    wrong: list[Side],
    now: str,
    embedder: Embedder | None,
) -> None:
    """Deletes the evidence of wrong relations, so that they expire. If no side is right, adds a new memory."""
    said = [id for one in wrong for id in one.sources]
    keys = [row[0] for row in conn.execute(SELECT_KEYS, {"ids": dumps(said)})]
    lost = [dict(row) for row in conn.execute(SELECT_RELATIONS, {"ids": dumps([one.id for one in wrong])})]
    gone = [dict(row) for row in conn.execute(SELECT_EVIDENCE, {"keys": keys_json(row["key"] for row in lost)})]
    before = {**snapshots.columns(conn, keys, ()), **snapshots.saved_rows(conn, keys, ("relations", "evidence"))}
    before["relations"] = _each(lost + before["relations"])
    before["evidence"] = _each(gone + before["evidence"])
    made: list[int] = []
    if right is None:
        said_last = _newest_first(store.memories(conn, keys).values())[:1]
        draft = Draft(
            text=text,
            document=DocumentDraft("memory:remembered"),
            kind="fact",
            project=next((one.project for one in said_last), None),
            sequential=False,
            meta={"confirmed": True},
        )
        made = [_remembered(conn, draft, keys, now, embedder).key]
    conn.execute(relations.DELETE_EVIDENCE, {"keys": keys_json(row["key"] for row in gone)})
    relations.recompute(conn, [(row["subject_key"], row["predicate"], row["object_key"]) for row in lost], now)
    bump(conn)
    id = store.memories(conn, made)[made[0]].id if made else (*right.sources, right.id)[0] if right else found.id
    _record(conn, found, "settled", id, now, said, {**before, "made": {"memories": made}})


def _each(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without duplicates."""
    return list({row["key"]: row for row in found}.values())
