"""Whatever becomes of notes from day to day, the graph is that of a first reading of them as they are."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from memkit import MemoryDatabase

DAYS = 4
TITLES = ("Orchard Hill", "Quince Row", "Meadow Rise", "Falk House", "Lund Gate")
FILES = ("orchard", "quince", "meadow", "falk", "lund", "pear", "sub/plum")
LINKS = (*TITLES, *(file.rpartition("/")[2] for file in FILES))
# What a note says: each line of front matter or text, and how often a note has it.
FIELDS = (
    ("aliases: [{}]", 0.4, ("Bobsy", "Robsy", "Old Gate", "Gatty")),
    ("type: {}", 0.3, ("person", "place")),
    ("description: {}", 0.3, ("A wall.", "A mill in Metz.")),
    ("up: '[[{}]]'", 0.3, LINKS),
    ("author: '[[{}]]'", 0.2, TITLES),
)
TEXTS = ("It stands here by the river.", "We saw [[{}]] today.", "See [[{}|the old one]] again.", "Then came [[{}]].")

SAID = """
select m.text, d.source from memories as m join documents as d on d.key = m.document_key where m.archived_at is null
"""
NAMED = """
select m.text, e.name, e.kind, coalesce(e.description, ''), x.role, x.surface
from mentions as x join memories as m on m.key = x.memory_key join entities as e on e.key = x.entity_key
where m.archived_at is null and x.role in ('title', 'wikilink')
"""
RELATED = "select subject, predicate, object from current_relations"
LINKED = """
select min(a.text, b.text), max(a.text, b.text), l.type, l.why
from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where a.archived_at is null and b.archived_at is null
"""


def note(random: Random) -> str:
    """A note of chance, with front matter or without, and with or without a title."""
    fields = [line.format(random.choice(values)) for line, share, values in FIELDS if random.random() < share]
    head = ["---", *fields, "---"] if fields else []
    title = [f"# {random.choice(TITLES)}", ""] if random.random() < 0.6 else []
    body = [f"{random.choice(TEXTS).format(random.choice(LINKS))}\n" for _ in range(random.randint(1, 2))]
    return "\n".join([*head, *title, *body])


def live_a_day(random: Random, folder: Path) -> None:
    """Writes, deletes or renames some notes."""
    for _ in range(random.randint(1, 4)):
        file, other = (folder / f"{random.choice(FILES)}.md" for _ in range(2))
        file.parent.mkdir(exist_ok=True)
        other.parent.mkdir(exist_ok=True)
        chance = random.random()
        if chance < 0.7 or not file.exists():
            file.write_text(note(random), "utf-8")
        elif chance < 0.85:
            file.unlink()
        elif not other.exists():
            file.rename(other)


def told(db: MemoryDatabase) -> dict[str, list[tuple[str, ...]]]:
    return {query: sorted(map(tuple, db.conn.execute(query))) for query in (SAID, NAMED, RELATED, LINKED)}


@pytest.mark.parametrize("seed", range(40))
def test_the_graph_is_that_of_a_first_reading(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    with MemoryDatabase(embed="none") as db, MemoryDatabase(embed="none") as new:
        for day in range(1, DAYS + 1):
            live_a_day(random, tmp_path)
            db.ingest(tmp_path, sync=True, now=f"2026-03-{day:02}T10:00:00Z")
        new.ingest(tmp_path, sync=True, now="2026-03-20T10:00:00Z")
        assert told(db) == told(new)
        again = db.ingest(tmp_path, sync=True, now="2026-03-21T10:00:00Z")
        assert again.unchanged == again.total
