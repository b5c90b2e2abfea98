"""Exports: whatever memories hold, an export stays in its folder, is well formed, and brings the same texts back."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

from fuzz import databases, soundness, values
from memkit import MemkitError, MemoryDatabase
from memkit.storage.driver import connect

BLOCK = 20
WAYS = ("jsonl", "jsonl", "markdown", "markdown", "graphml", "graph json", "publish")
FIELDS = ("title", "kind", "project", "speaker", "category", "slot", "key")


def make(random: Random) -> Any:
    """Some memories and relations, and a way to export them."""
    memories = []
    for _ in range(random.randrange(1, 4)):
        fields = {name: values.valid_text(random, 3) for name in FIELDS if random.random() < 0.4}
        if random.random() < 0.4:
            fields["tags"] = [values.valid_text(random, 2) for _ in range(2)]
        memories.append({"text": values.valid_text(random), **fields})
    relations = [[values.valid_text(random, 2) for _ in range(3)] for _ in range(random.randrange(3))]
    return {"memories": memories, "relations": relations, "way": random.choice(WAYS)}


class World:
    """A folder; each input gets a database and a place of its own in it."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, case: Any) -> None:
        """Stores, exports, and reads the export."""
        inside = self.folder / "in" / "side"
        inside.mkdir(parents=True)
        try:
            with MemoryDatabase(embed="none") as db:
                for one in case["memories"]:
                    with suppress(MemkitError):
                        db.remember(now=databases.NOW, **one)
                for one in case["relations"]:
                    with suppress(MemkitError):
                        db.relate(*one, now=databases.NOW)
                getattr(self, f"_{case['way'].replace(' ', '_')}")(db, inside)
            made = {
                path.name for path in self.folder.rglob("*") if path.parent != inside and inside not in path.parents
            }
            soundness.must(made <= {"in", "side"}, f"outside of its folder: {made}")
        finally:
            shutil.rmtree(self.folder / "in")

    def _jsonl(self, db: Any, folder: Path) -> None:
        db.export(folder / "all.jsonl", now=databases.NOW)
        with MemoryDatabase(embed="none") as other:
            other.restore(folder / "all.jsonl", now=databases.NOW)
            for table, columns in (
                ("memories", "id, text, title, tags, meta, project"),
                ("entities", "id, name, kind"),
            ):
                query = f"select {columns} from {table} order by id"
                same = [[tuple(row) for row in one.conn.execute(query)] for one in (db, other)]
                soundness.must(same[0] == same[1], f"{table} came back otherwise")
            soundness.check(other.conn)

    def _markdown(self, db: Any, folder: Path) -> None:
        db.export(folder / "vault", now=databases.NOW)
        with MemoryDatabase(embed="none") as other:
            if (folder / "vault").exists():  # there is no folder without memories
                other.ingest(folder / "vault", now=databases.NOW)
            soundness.check(other.conn)

    def _graphml(self, db: Any, folder: Path) -> None:
        db.export(folder / "graph.graphml", now=databases.NOW)
        ElementTree.parse(folder / "graph.graphml")

    def _graph_json(self, db: Any, folder: Path) -> None:
        db.export_graph(folder / "graph.json", format="json")
        json.loads((folder / "graph.json").read_text("utf-8"))

    def _publish(self, db: Any, folder: Path) -> None:
        with suppress(MemkitError):  # such as nothing that is selected, or a name that cannot be redacted
            db.publish(folder / "site", sql="select id from memories", redact=["Otto"], embed="none", now=databases.NOW)
            soundness.must(db.check_published(folder / "site"), "something private is in the folder")
            with MemoryDatabase(conn=connect(folder / "site" / "public.db")) as public:
                soundness.check(public.conn)

    def check(self) -> None:
        """Each was looked at by itself."""

    def close(self) -> None:
        """Nothing is open."""
