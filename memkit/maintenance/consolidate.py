"""Deduplication proposals: near duplicates, and statements close in meaning, that could be merged into one (E15).

Candidates come from three checks: `near duplicate` links (graph/duplicates.py), equal texts, and for statements (facts,
preferences, procedures, observations) close vectors with overlapping words. Turns and episodes of different days are
never merged, however similar their texts. A person decides (`decisions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit.embedding.vectors import from_rows, is_cosine
from memkit.graph.duplicates import LEAST_SHARED, NEAR_DUPLICATE, likeness
from memkit.ingestion import boilerplate
from memkit.maintenance import proposals
from memkit.maintenance.proposals import MERGE, OPEN, Proposal
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.merge_sentences import merge_sentences, opposed

COMPARED_KINDS = ("fact", "preference", "procedure", "observation")
HAPPENED = ("turn", "episode")
PASSAGE = "passage"
# Chosen by reading all pairs of samples/ with a cosine over .6: pairs below state different things about one subject.
NEAR_IN_MEANING = 0.8  # cosine of two statements
NEAR_IN_WORDS = 0.35  # and the Jaccard similarity of their words
MOST_COMPARED = 2000  # statements, the newest, that are compared with one another by meaning
MOST_MEMBERS = 8  # in a cluster; more are divided
BOILERPLATE = 5  # notes; what stands in so many of them is a template's, and no memory told twice
MOST_OPEN = 200  # open proposals; nobody would read more

SELECT_LINKED = """
select a.key, b.key, l.weight
from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where l.type = 'relates_to' and l.why = :why and l.weight >= :least
    and a.archived_at is null and b.archived_at is null
order by l.weight desc, a.key, b.key
"""
SELECT_SAME = """
select min(a.key), b.key
from memories as a join memories as b on b.text_hash = a.text_hash and b.project = a.project and b.key > a.key
where a.archived_at is null and b.archived_at is null
    and a.kind in (select value from json_each(:kinds)) and b.kind in (select value from json_each(:kinds))
group by b.key
order by b.key
"""
SELECT_STATED = """
select m.key, cast(e.vector as blob) as vector, m.text, o.dims
from memories as m join embeddings as e on e.memory_key = m.key join models as o on o.key = e.model_key
where o.active = 1 and m.archived_at is null and m.kind in (select value from json_each(:kinds))
    and m.slot_key is null
order by m.key desc limit :most
"""
SELECT_MEMBERS = """
select key, id, text, kind, project, speaker, slot_key, document_key,
    substr(coalesce(happened_at, created_at), 1, 10) as day, coalesce(happened_at, created_at) as at
from memories
where key in (select value from json_each(:keys)) and archived_at is null and valid_until is null
order by at desc, key desc
"""
SELECT_LIVING = """
select id from memories where id in (select value from json_each(:ids)) and archived_at is null
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories (keys) that may be merged, their similarity (0 to 1), and the reason in words."""

    one: int
    other: int
    share: float
    why: str


def propose_merges(conn: Connection, now: str) -> list[Proposal]:
    """The new proposals: a merged text for each group of memories that may be merged.

    Open proposals are withdrawn if a member is gone or stands in many notes by now, or if a larger group contains all
    members. A pair that was refused is not proposed again, not even in a larger group.
    """
    waiting = proposals.list_proposals(conn, kind=MERGE)
    common = _ids_of_boilerplate(conn) if waiting else set()
    gone = [one.id for one in waiting if common & set(one.members) or not _living(conn, one.members)]
    proposals.withdraw(conn, gone)
    made: list[Proposal] = []
    for members, why in new_clusters(conn):
        ids = {row["id"] for row in members}
        proposals.withdraw(conn, [one.id for one in waiting if set(one.members) < ids])
        if id := proposals.propose(conn, MERGE, ids, merge_sentences(_by_length(members)), why, now):
            made.append(proposals.proposal(conn, id))
    return made


def new_clusters(conn: Connection) -> list[tuple[list[Any], str]]:
    """The groups without a proposal so far, at most as many as MOST_OPEN allows."""
    asked = {one.members: one.state for one in proposals.list_proposals(conn, None, MERGE)}
    waiting = sum(state == OPEN for state in asked.values())
    found = [each for each in clusters(conn) if tuple(sorted(row["id"] for row in each[0])) not in asked]
    return found[: max(MOST_OPEN - waiting, 0)]


def clusters(conn: Connection) -> list[tuple[list[Any], str]]:
    """Groups of memories (rows, newest first) that may be merged, most similar first, each with the reason in words."""
    found, rows = _candidates(conn)
    refused = proposals.refused_pairs(conn)
    common = _boilerplate(conn, found, rows)
    groups: dict[int, set[int]] = {}
    why: dict[int, str] = {}
    for pair in found:
        if pair.one not in rows or pair.other not in rows or not _mergeable(rows[pair.one], rows[pair.other]):
            continue
        if pair.one in common or pair.other in common:
            continue
        one, other = (groups.get(key, {key}) for key in (pair.one, pair.other))
        if one is other or len(one | other) > MOST_MEMBERS or not _agreed(one, other, rows, refused):
            continue
        why[min(one | other)] = why.get(min(one | other)) or why.get(min(one)) or why.get(min(other)) or pair.why
        joined = one | other
        groups |= dict.fromkeys(joined, joined)
    unique = {min(group): group for group in groups.values()}
    order = [row["key"] for row in rows.values()]
    return [([rows[key] for key in order if key in group], why[least_key]) for least_key, group in unique.items()]


def _candidates(conn: Connection) -> tuple[list[Pair], dict[int, Any]]:
    """The pairs that may be merged, most similar first, and their memories (rows by key, newest first)."""
    found = sorted(_pairs(conn), key=lambda pair: (-pair.share, pair.one, pair.other))
    rows = conn.execute(SELECT_MEMBERS, {"keys": keys_json(_flat(found))})
    return found, {row["key"]: row for row in rows}


def _ids_of_boilerplate(conn: Connection) -> set[str]:
    found, rows = _candidates(conn)
    return {rows[key]["id"] for key in _boilerplate(conn, found, rows)}


def _boilerplate(conn: Connection, pairs: Iterable[Pair], rows: Mapping[int, Any]) -> set[int]:
    """The passages (keys) that stand, nearly the same, in BOILERPLATE notes or more, or are lines of a template."""
    lines = boilerplate.lines_in(conn, rows.values())
    of_templates = {
        key for key, row in rows.items() if row["kind"] == PASSAGE and not boilerplate.blank(row["text"], lines).strip()
    }
    alike: dict[int, set[int]] = {}
    for pair in pairs:
        if all(key in rows and rows[key]["kind"] == PASSAGE for key in (pair.one, pair.other)):
            one, other = (alike.setdefault(key, {key}) for key in (pair.one, pair.other))
            if one is not other:
                one |= other
                alike |= dict.fromkeys(other, one)
    notes = {id(group): {rows[key]["document_key"] for key in group} for group in alike.values()}
    return of_templates | {key for key, group in alike.items() if len(notes[id(group)]) >= BOILERPLATE}


def _flat(pairs: Iterable[Pair]) -> set[int]:
    return {key for pair in pairs for key in (pair.one, pair.other)}


def _mergeable(one: Any, other: Any) -> bool:
    """Whether two memories can be merged: of one project and speaker, no slot values, no events of different days.

    And neither denies what the other says.
    """
    if one["slot_key"] or other["slot_key"] or one["project"] != other["project"]:
        return False
    if (one["speaker"] or "").casefold() != (other["speaker"] or "").casefold() or opposed(one["text"], other["text"]):
        return False
    happened = one["kind"] in HAPPENED or other["kind"] in HAPPENED
    return not happened or (one["kind"] == other["kind"] and one["day"] == other["day"])


def _agreed(one: set[int], other: set[int], rows: dict[int, Any], refused: set[tuple[str, str]]) -> bool:
    """Whether each member of one group can be merged with each of the other, and nobody has refused such a pair."""
    return all(
        tuple(sorted((rows[a]["id"], rows[b]["id"]))) not in refused and _mergeable(rows[a], rows[b])
        for a in one
        for b in other
    )


def _pairs(conn: Connection) -> list[Pair]:
    linked = conn.execute(SELECT_LINKED, {"why": NEAR_DUPLICATE, "least": LEAST_SHARED})
    found = {
        (row[1], row[0]): Pair(row[1], row[0], row[2], f"near duplicates, {row[2]:.0%} of the words") for row in linked
    }
    for one, other in conn.execute(SELECT_SAME, {"kinds": dumps(list(COMPARED_KINDS))}):
        found[one, other] = Pair(one, other, 1.0, "the same words")
    for pair in _near_in_meaning(conn):
        found.setdefault((pair.one, pair.other), pair)
    return list(found.values())


def _near_in_meaning(conn: Connection) -> list[Pair]:
    """Statements whose vectors are close and whose words overlap."""
    rows = conn.execute(SELECT_STATED, {"kinds": dumps(list(COMPARED_KINDS)), "most": MOST_COMPARED}).fetchall()
    if not rows:
        return []
    import numpy as np

    texts = {row["key"]: row["text"] for row in rows}
    keys, vectors = from_rows(rows, rows[0]["dims"])
    like = vectors @ vectors.T
    close = np.argwhere(np.triu(is_cosine(like) & (like >= NEAR_IN_MEANING), 1))
    found = []
    for i, j in close.tolist():
        one, other = sorted((keys[i], keys[j]))
        if likeness(texts[one], texts[other]) >= NEAR_IN_WORDS:
            cosine = float(vectors[i] @ vectors[j])
            found.append(Pair(one, other, cosine, f"close in meaning, cosine {cosine:.2f}"))
    return found


def _by_length(members: list[Any]) -> list[str]:
    """The members' texts, longest first, then newest first."""
    return [row["text"] for row in sorted(members, key=lambda row: -len(row["text"]))]


def _living(conn: Connection, ids: Iterable[str]) -> bool:
    """Whether none of these memories has been archived or deleted."""
    wanted = set(ids)
    return len(conn.execute(SELECT_LIVING, {"ids": dumps(sorted(wanted))}).fetchall()) == len(wanted)
