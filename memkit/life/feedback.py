"""Whether a hit was of use: kept, and where the policy says so, an adjustment of its importance within bounds.

    importance = own + step x (useful - not useful), by at most `most`, from 1 to 10

The last word on a memory and a question counts. The adjustment is off by default; what it is worth was measured with a
simulated user (bench/feedback.py, docs/life.md).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from memkit.driver import writing
from memkit.errors import BadQuestion
from memkit.life import log, rows
from memkit.life.policy import Feedback
from memkit.store import dumps, memory
from memkit.text import short_id

STEP = "feedback"
LOWEST, HIGHEST = 1.0, 10.0
LONGEST_QUESTION = 2000  # characters that are kept

FORGET_SAME = "delete from feedback where memory_key = :key and question = :question"
INSERT = "insert into feedback (memory_key, question, useful, at) values (:key, :question, :useful, :now)"
COUNT = """
select coalesce(sum(useful), 0) as useful, coalesce(sum(1 - useful), 0) as useless from feedback where memory_key = :key
"""
WRITE = "update memories set importance = :importance, meta = :meta where key = :key"


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a memory was said to be useful and not, and how important it is now."""

    id: str
    useful: int
    useless: int
    importance: float

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.id}: useful {self.useful}, not useful {self.useless}, importance {self.importance:g}"


def give(conn: Any, id: str, useful: bool, now: str, *, question: str = "", rule: Feedback | None = None) -> Tally:
    """What is known of a memory's use, after one more word on it. Raises NotFound, BadQuestion for a long question.

    With a `rule` that says so, its importance follows, and the log has what it was.
    """
    if len(question) > LONGEST_QUESTION:
        raise BadQuestion(f"The question has {len(question):,} characters, where {LONGEST_QUESTION:,} are enough.")
    with writing(conn):
        one = memory(conn, id)
        row = {"key": one.key, "question": question, "useful": int(useful), "now": now}
        conn.execute(FORGET_SAME, {"key": one.key, "question": question})
        conn.execute(INSERT, row)
        counted = conn.execute(COUNT, {"key": one.key}).fetchone()
        if rule is not None and rule.adjust:
            _adjust(conn, one.key, counted["useful"], counted["useless"], rule, now)
        return Tally(id, counted["useful"], counted["useless"], memory(conn, id).importance)


def adjusted(own: float, useful: int, useless: int, rule: Feedback) -> float:
    """The importance of a memory whose own is `own`, after so much feedback."""
    moved = max(-rule.most, min(rule.most, rule.step * (useful - useless)))
    return max(LOWEST, min(HIGHEST, own + moved))


def _adjust(conn: Any, key: int, useful: int, useless: int, rule: Feedback, now: str) -> None:
    saved = rows.columns(conn, [key], ("importance", "meta"))
    (row,) = saved["memories"]
    meta = json.loads(row["meta"])
    own = float(meta.setdefault(STEP, {"own": row["importance"]})["own"])
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
