"""What was forgotten stays forgotten when its text is edited, or stands beside something new; all else is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes

from memkit import MemoryDatabase

SECRET = "Mia told me by the lake that she wants to leave him."
DAY = f"# Day\n\n{SECRET}\n\nWe bought plums for the cake."


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


def known(db: MemoryDatabase) -> list[str]:
    query = "select text from memories where archived_at is null order by position, key"
    return [row[0] for row in db.conn.execute(query)]


def forget(db: MemoryDatabase, words: str) -> str:
    query = "select id from memories where instr(text, ?) and archived_at is null order by length(text)"
    (id,) = db.conn.execute(query, (words,)).fetchone()
    db.forget(id)
    return str(id)


def reread(db: MemoryDatabase, path: Path, text: str) -> list[str]:
    """What is known after a file has got another text; reading it again changes nothing."""
    path.write_text(text, "utf-8")
    db.ingest(path)
    said = known(db)
    again = db.ingest(path)
    assert (again.added, again.updated, again.removed) == (0, 0, 0)
    assert known(db) == said
    check_indexes(db)
    return said


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (f"{DAY}\n\nThe train was late.", ["# Day\n\nThe train was late."]),
        (f"{DAY} The train was late.", ["# Day\n\nThe train was late."]),
        (f"# Day\n\nThe train was late.\n\n{DAY[7:]}", ["# Day\n\nThe train was late."]),
        (DAY.replace("wants", "wishes"), []),
        (DAY.replace(" by the", "\nby the"), []),
        (f"# Day\n\n{SECRET}", []),
        (f"# Day of plums\n\n{SECRET}\n\nThe train was late.", ["# Day of plums\n\nThe train was late."]),
        (f"{DAY}\n\n## Evening\n\nThe train was late.", ["## Evening\n\nThe train was late."]),
        (f"{DAY}\n\n- tea\n- nuts", ["# Day\n\n- tea\n- nuts"]),
    ],
    ids=["beside", "after", "before", "a word", "wrapped", "shorter", "heading", "section", "list"],
)
def test_an_edit_does_not_bring_a_forgotten_passage_back(
    db: MemoryDatabase, tmp_path: Path, now: str, left: list[str]
) -> None:
    path = tmp_path / "day.md"
    reread(db, path, DAY)
    forget(db, "Mia")
    assert reread(db, path, now) == left


def test_what_is_new_is_known_though_it_is_like_what_was_forgotten(db: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    line = "On Monday I swam for forty minutes in the lake."
    reread(db, path, f"# Log\n\n{line}")
    forget(db, "Monday")
    tuesday = line.replace("Monday", "Tuesday")
    assert reread(db, path, f"# Log\n\n{line}\n\n{tuesday}") == [f"# Log\n\n{tuesday}"]
    wholly_new = "We bought plums for the cake."
    assert reread(db, path, f"# Log\n\n{wholly_new}") == [f"# Log\n\n{wholly_new}"]


def test_what_another_passage_says_as_well_is_not_forgotten(db: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    other = f"## Evening\n\n{SECRET}"
    reread(db, path, f"{DAY}\n\n{other}")
    forget(db, "plums")
    assert reread(db, path, f"{DAY}\n\nThe train was late.\n\n{other}") == [
        f"# Day\n\n{SECRET}\n\nThe train was late.",
        other,
    ]


def test_what_is_brought_back_is_read_as_it_is_now(db: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    reread(db, path, DAY)
    id = forget(db, "Mia")
    later = f"{DAY}\n\nThe train was late."
    reread(db, path, later)
    db.unprune(id)
    assert reread(db, path, later) == [later]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (SECRET.replace("wants", "wishes"), []),
        (f"{SECRET} Never mind.", ["Never mind."]),
        ("We bought plums for the cake.", ["We bought plums for the cake."]),
    ],
    ids=["a word", "after", "another text"],
)
def test_a_record_that_is_edited_stays_forgotten(
    db: MemoryDatabase, tmp_path: Path, text: str, left: list[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    other: dict[str, Any] = {"id": "b", "text": SECRET + " So she said again."}
    reread(db, path, json.dumps({"id": "a", "text": SECRET}) + "\n" + json.dumps(other))
    forget(db, SECRET)
    said = reread(db, path, json.dumps({"id": "a", "text": text}) + "\n" + json.dumps(other))
    assert sorted(said) == sorted([*left, other["text"]])
