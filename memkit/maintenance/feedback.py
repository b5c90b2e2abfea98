"""Relevance feedback: stores whether a hit was useful, and may adjust its importance within bounds.

    importance = own + step x (useful - not useful), by at most `most`, from 1 to 10

For the same memory and question, only the last feedback counts. The adjustment is off by default; its effect was
measured with a simulated user (bench/feedback.py, docs/life.md).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from memkit.core.errors import BadQuestion
from memkit.core.validation import is_number
from memkit.maintenance import log, snapshots
from memkit.maintenance.policy import FeedbackPolicy
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.json_columns import json_object, object_in
from memkit.storage.store import dumps, memory
from memkit.text.words import short_id

STEP = "feedback"
LOWEST, HIGHEST = 1.0, 10.0
LONGEST_QUESTION = 2000  # characters

FORGET_SAME = "delete from feedback where memory_key = :key and question = :question"
INSERT = "insert into feedback (memory_key, question, useful, at) values (:key, :question, :useful, :now)"
COUNT = """
select coalesce(sum(useful), 0) as useful, coalesce(sum(1 - useful), 0) as useless from feedback where memory_key = :key
"""
WRITE = "update memories set importance = :importance, meta = :meta where key = :key"


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a memory was useful and not useful, and its importance (1 to 10) now."""

    id: str
    useful: int
    useless: int
    importance: float

    def to_dict(self) -> dict[str, Any]:
        """The tally as values that JSON can hold."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.id}: useful {self.useful}, not useful {self.useless}, importance {self.importance:g}"


def record_feedback(
    conn: Connection, id: str, useful: bool, now: str, *, question: str = "", rule: FeedbackPolicy | None = None
) -> Tally:
    """The tally of a memory after this feedback was stored.

    If `rule.adjust` is set, the importance is adjusted, and the change is logged. Raises NotFound for an unknown id,
    BadQuestion for a question of more than LONGEST_QUESTION characters.
    """
    if len(question) > LONGEST_QUESTION:
        raise BadQuestion(f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are allowed.")
    with writing(conn):
        one = memory(conn, id)
        row = {"key": one.key, "question": question, "useful": int(useful), "now": now}
        conn.execute(FORGET_SAME, {"key": one.key, "question": question})
        conn.execute(INSERT, row)
        counted = conn.execute(COUNT, {"key": one.key}).fetchone()
        if rule is not None and rule.adjust:
            _adjust(conn, one.key, counted["useful"], counted["useless"], rule, now)
        return Tally(id, counted["useful"], counted["useless"], memory(conn, id).importance)


def adjusted(own: float, useful: int, useless: int, rule: FeedbackPolicy) -> float:
    """The importance (1 to 10) of a memory after feedback; `own` is its importance without feedback."""
    moved = max(-rule.most, min(rule.most, rule.step * (useful - useless)))
    return max(LOWEST, min(HIGHEST, own + moved))


def _adjust(conn: Connection, key: int, useful: int, useless: int, rule: FeedbackPolicy, now: str) -> None:
    saved = snapshots.columns(conn, [key], ("importance", "meta"))
    (row,) = saved["memories"]
    meta = json_object(row["meta"])
    own: Any = object_in(meta, STEP).get("own")
    own = float(own) if is_number(own) else row["importance"]
    meta[STEP] = {"own": own}
    importance = adjusted(own, useful, useless, rule)
    if importance == row["importance"]:
        return
    conn.execute(WRITE, {"key": key, "importance": importance, "meta": dumps(meta)})
    log.record(
        conn,
        run=short_id(STEP, row["id"], now),
        step=STEP,
        action="weighed",
        memory_id=row["id"],
        at=now,
        why=f"useful {useful}, not useful {useless}: importance {row['importance']:g} to {importance:g}",
        before=saved,
    )
