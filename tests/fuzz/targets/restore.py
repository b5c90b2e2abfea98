"""Exports: a changed export is refused as a whole, or what it brings is whole and works."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, samples, soundness, values
from memkit import MemkitError
from memkit.sharing.export.settings import ASKABLE
from memkit.sharing.export.tables import OWN_SETTINGS

BLOCK = 25
# What settings are like: texts, names with a flag or a text, sources with what they are.
SHAPES = (
    "a",
    ["lives_in", "mood"],
    {"/garden": True},
    {"/garden": "p"},
    {"/garden": {"files": 3, "options": {"a": 1}}},
)


@cache
def lines() -> list[Any]:
    """The rows of a valid export."""
    return samples.export_lines()


def make(random: Random) -> Any:
    """An export in which some rows are changed, dropped, doubled or moved; whether into a database that has rows."""
    rows = list(lines())
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        place = random.randrange(len(rows))
        kind = random.randrange(10)
        if kind < 7:
            rows[place] = values.changed(random, rows[place])
        elif kind == 7:
            rows.append(rows.pop(place))
        elif kind == 8:
            rows.insert(place, random.choice(rows))
        else:
            del rows[place]
    if random.random() < 0.4:
        value = values.as_json(values.changed(random, random.choice(SHAPES)))
        rows.insert(-1, {"settings": {"name": random.choice((*ASKABLE, *sorted(OWN_SETTINGS))), "value": value}})
    take = random.sample([*ASKABLE], random.randrange(1, 4)) if random.random() < 0.5 else []
    return {
        "rows": recounted(rows) if random.random() < 0.8 else rows,
        "empty": random.random() < 0.5,
        "overwrite": random.random() < 0.7,
        "take": take,
    }


def recounted(rows: list[Any]) -> list[Any]:
    """The rows with a last line that counts them right: else most changes are seen at once."""
    counts: dict[str, int] = {}
    for row in rows[1:]:
        for name in row if isinstance(row, dict) else ():
            counts[name] = counts.get(name, 0) + 1
    end = {"end": {name: number for name, number in counts.items() if name != "end"}}
    return [*(row for row in rows if not (isinstance(row, dict) and "end" in row)), end]


class World:
    """A folder for the export; each one gets a database of its own."""

    def __init__(self, folder: Path):
        self.file = folder / "export.jsonl"

    def run(self, case: Any) -> None:
        """Restores it, then looks whether the database is whole, works, and can be exported again."""
        self.file.write_bytes(samples.lines(case["rows"]))
        with databases.empty() if case["empty"] else databases.copy() as db:
            before = db.conn.execute("select count(*) from memories").fetchone()
            try:
                db.restore(self.file, take=case["take"], overwrite=case["overwrite"], now=databases.NOW)
            except MemkitError as error:
                soundness.must(str(error), "an error without words")
                after = db.conn.execute("select count(*) from memories").fetchone()
                soundness.must(tuple(before) == tuple(after), "a refused export has changed something")
            soundness.check(db.conn)
            works(db, self.file)

    def check(self) -> None:
        """Each was looked at by itself."""

    def close(self) -> None:
        """Nothing is open."""


def works(db: Any, file: Path) -> None:
    """Does a little of everything that the first day after a restore would bring."""
    repr(db.recall("who planted the quince?", now=databases.NOW))
    str(db.context("quince", now=databases.NOW))
    kept = db.remember("A new day begins.", now=databases.NOW)
    soundness.must(db.memory(kept.id).text == "A new day begins.", "another text")
    db.policy()
    db.maintain(now=databases.NOW)
    db.info()
    db.export(file, now=databases.NOW)
