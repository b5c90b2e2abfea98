"""Topics: where a conversation is divided, and that midnight alone does not end a talk."""

from __future__ import annotations

from maintenance_helpers import day

from memkit import MemoryDatabase
from memkit.maintenance.summaries import Turn
from memkit.maintenance.topics import ties

TALK = [
    ("2026-03-01T23:55:00Z", "Rosa", "Old Lorenz rented our boat on Friday for 900 euros, and paid me at the harbour."),
    ("2026-03-01T23:58:00Z", "Otto", "Did he ask Marta about the harbour of Kiel, or about the plan of 1987?"),
    ("2026-03-02T00:03:00Z", "Rosa", "He asked her about both, and she sold him the plan for 40 euros in June."),
    ("2026-03-02T00:05:00Z", "Otto", "I sold the other plan to the mayor of Husum for 30 euros last summer."),
]


def summaries(said: list[tuple[str, str, str]]) -> list[dict[str, object]]:
    rows = [
        {"text": text, "speaker": who, "timestamp": at, "session": "s", "kind": "episode"} for at, who, text in said
    ]
    with MemoryDatabase() as db:
        db.ingest(rows, now=day(0))
        db.set_policy(
            settings={
                "episodes.compact_kinds": '["episode", "turn"]',
                "episodes.part_tokens": "500",
                "episodes.least_tokens": "9",
            }
        )
        db.maintain(now="2026-04-03T12:00:00Z")
        found = db.conn.execute("select text, happened_at from memories where compression = 'compressed' order by key")
        return [dict(row) for row in found]


def test_a_talk_over_midnight_has_one_summary_with_the_date_of_its_end() -> None:
    (summary,) = summaries(TALK)
    assert str(summary["happened_at"]).startswith("2026-03-02T00:05")


def test_after_a_pause_midnight_divides() -> None:
    later = [(at.replace("T00:", "T01:"), who, text) for at, who, text in TALK]
    assert len(summaries(later)) == 2


def test_without_an_hour_days_are_apart() -> None:
    assert len(summaries([(at[:10], who, text) for at, who, text in TALK])) == 2


def test_a_pause_costs_nothing_and_a_shared_topic_costs_more_than_a_new_one() -> None:
    same, new = "The boat in Kiel leaks.", "Marta bakes almond bread."
    turns = [Turn(same, at="2026-03-01T10:00"), Turn(same, at="2026-03-01T10:01"), Turn(new, at="2026-03-01T10:02")]
    first, tied, loose = ties([*turns, Turn(same, at="2026-03-01T12:00")])[:3]
    assert (first, ties([*turns, Turn(same, at="2026-03-01T12:00")])[3]) == (0, 0)
    assert tied >= loose > 0
