"""Whatever becomes of exports, tables and calendars from day to day, what is known is that of a first reading."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from memkit import MemoryDatabase

DAYS = 4
PEOPLE = ("Ida Moss", "Hanno Grell", "Rosa Lind")
THINGS = ("quince", "lantern", "kettle", "tram", "violin")
KNOWN = """
select m.text, m.speaker, m.happened_at, m.source_id from memories as m where m.archived_at is null
"""
NAMED = """
select m.text, e.name, e.kind, coalesce(e.description, ''), x.role from mentions as x
    join memories as m on m.key = x.memory_key join entities as e on e.key = x.entity_key
where m.archived_at is null
"""
RELATED = "select subject, predicate, object, valid_from, valid_until from current_relations"
ORDERED = """
select d.source, m.text, (
    select count(*) from memories as n
    where n.document_key = d.key and n.archived_at is null and n.position < m.position
) from memories as m join documents as d on d.key = m.document_key where m.archived_at is null
"""


@dataclass
class Message:
    """What somebody said, as it is now; `edited` is the day on which it became so, 0 if it was said so."""

    id: int
    day: int
    speaker: str
    text: str
    edited: int = 0

    @property
    def time(self) -> str:
        return f"2026-03-{self.day:02}T10:{self.id % 60:02}:00"


def sentence(random: Random) -> str:
    person, other = random.sample(PEOPLE, 2)
    return random.choice(
        (
            f"The {random.choice(THINGS)} is number {random.randint(2, 99)}, and {person} saw it.",
            f"{person} lives in {random.choice(('Metz', 'Lund', 'Porto'))}.",
            f"{person} is {other}'s {random.choice(('dentist', 'sister'))}.",
        )
    )


def live_a_day(random: Random, said: list[Message], day: int) -> None:
    """Says some more, and edits what was said."""
    for one in said:
        if random.random() < 0.2:
            one.text, one.edited = sentence(random), day
    for _ in range(random.randint(1, 4)):
        said.append(Message(len(said) + 1, day, random.choice(PEOPLE), sentence(random)))


def telegram(said: list[Message]) -> str:
    messages = [
        {
            "id": one.id,
            "type": "message",
            "date": one.time,
            "from": one.speaker,
            "from_id": f"user{PEOPLE.index(one.speaker)}",
            "text": one.text,
            **({"edited": f"2026-03-{one.edited:02}T20:00:00"} if one.edited else {}),
        }
        for one in said
    ]
    return json.dumps({"name": "Garden", "type": "private_group", "id": 77, "messages": messages})


def calendar(said: list[Message]) -> str:
    """Entries that are moved to another day with each edit."""
    entries = [
        f"BEGIN:VEVENT\nUID:{one.id}@example.org\nDTSTAMP:20260301T000000Z\nSEQUENCE:{one.edited}\n"
        f"DTSTART:202604{one.id + one.edited:02}T100000Z\nSUMMARY:{one.text.replace(',', ';')}\nEND:VEVENT\n"
        for one in said
    ]
    head = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//a//b//EN\n"
    return f"{head}{''.join(entries)}END:VCALENDAR\n".replace(";", "\\,").replace("\n", "\r\n")


def table(said: list[Message]) -> str:
    rows = "".join(f'{one.id},{one.time}Z,{one.speaker},"{one.text}"\n' for one in said)
    return f"id,timestamp,speaker,text\n{rows}"


def lines(said: list[Message]) -> str:
    rows = [
        {
            "id": str(one.id),
            "session": f"s{one.day}",
            "speaker": one.speaker,
            "timestamp": f"{one.time}Z",
            "text": one.text,
        }
        for one in said
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES: dict[str, Callable[[list[Message]], str]] = {
    "result.json": telegram,
    "garden.ics": calendar,
    "rows.csv": table,
    "rows.jsonl": lines,
}


def told(db: MemoryDatabase) -> dict[str, list[sqlite3.Row]]:
    queries = (KNOWN, NAMED, RELATED, ORDERED)
    return {query: sorted(map(tuple, db.conn.execute(query)), key=repr) for query in queries}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", FILES)
def test_what_is_known_is_that_of_a_first_reading(tmp_path: Path, name: str, seed: int) -> None:
    """Also where the file is renamed on some days, or was forgotten in between. What has an id keeps its own."""
    random, said, ids, files = Random(seed), list[Message](), dict[str, str](), set[Path]()
    (folder := tmp_path / "export").mkdir()
    with MemoryDatabase(embed="none") as db, MemoryDatabase(embed="none") as new:
        for day in range(1, DAYS + 1):
            (file,) = folder.iterdir() if day > 1 else [folder / name]
            if day == 1 or random.random() < 0.6:
                live_a_day(random, said, day)
            else:
                file = file.rename(folder / f"{day} {name}")
            file.write_bytes(FILES[name](said).encode())
            files.add(file)
            db.ingest(folder, sync=True, now=f"2026-05-{day:02}T10:00:00Z")
            now = dict(map(tuple, db.conn.execute("select source_id, id from memories where archived_at is null")))
            assert ids.items() <= now.items()
            ids = now
            if random.random() < 0.5:
                db.undo(db.forget_source([folder, *files]).run)
            elif random.random() < 0.5:
                id = db.conn.execute("select id from memories where archived_at is null order by id").fetchone()[0]
                db.forget(id)
                db.unprune(id)
        new.ingest(folder, sync=True, now="2026-05-20T10:00:00Z")
        assert told(db) == told(new)
        again = db.ingest(folder, sync=True, now="2026-05-21T10:00:00Z")
        assert again.unchanged == again.total
