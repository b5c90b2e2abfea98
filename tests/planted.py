"""A database in which everything that is not chosen holds a secret: two hundred of them, in every column for text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from memkit import MemoryDatabase
from memkit.storage.driver import identifier
from memkit.storage.store import dumps

NOW = "2026-03-01T12:00:00Z"
PUBLIC = (
    "Rosa planted the quince in 2019.",
    "Rosa lives in Lund.",
    "The quince opened its first blossom on 3 May.",
    "梅の木はルンドにあります。",
)
_OBJECTS = ("meta", "strategy", "options", "channels", "boosts", "moved", "value", "report", "before", "after")


class Secrets:
    """Words that stand nowhere else, made one after the other; no stemmer shortens them."""

    def __init__(self) -> None:
        self._random = Random(8)
        self.all: list[str] = []

    def new(self) -> str:
        """One more: ten letters, as `zobukivarq`."""
        syllables = "".join(self._random.choice("bdfgklmnprtvz") + self._random.choice("aou") for _ in range(4))
        self.all.append(f"z{syllables}q")
        return self.all[-1]


def planted(path: Path) -> list[str]:
    """Makes the database, with a project `garden` that holds PUBLIC; the secrets in everything else."""
    secrets = Secrets()
    with MemoryDatabase(path) as db:
        chosen = [db.remember(text, project="garden", tags=["quince"], now=NOW) for text in PUBLIC]
        db.relate("Rosa", "lives in", "Lund", memory=chosen[1].id, quote=PUBLIC[1], now=NOW)
        _live_with(db, secrets, path.parent)
        _plant_beside(db, secrets, chosen)
        _plant_everywhere(db.conn, secrets)
    return secrets.all


def _live_with(db: MemoryDatabase, secrets: Secrets, folder: Path) -> None:
    """Secrets where a life puts them: archived, superseded, deleted, asked for, in notes, chats and slots."""

    def say(**fields: Any) -> Any:
        one = secrets.new().title()
        return db.remember(f"{one} met {secrets.new().title()} in {secrets.new().title()}.", now=NOW, **fields)

    for project in ("global", "kitchen", secrets.new()):
        say(project=project, title=secrets.new(), speaker=secrets.new(), category=secrets.new(), tags=[secrets.new()])
    db.forget(say(project="garden").id, now=NOW)
    db.forget(say(project="garden").id, hard=True, now=NOW)
    db.supersede(say(project="garden").id, say().id, why=secrets.new(), now=NOW)
    db.remember(secrets.new().title(), slot="user", key="name", now=NOW)
    db.remember(secrets.new(), slot="user", key=secrets.new(), project="garden", now=NOW)
    db.remember("Rosa likes plums.", project="garden", expires_at="2026-03-02", tags=[secrets.new()], now=NOW)
    db.recall(f"who is {secrets.new()}?", track=True, ledger=True, now=NOW)
    notes = folder / secrets.new()
    notes.mkdir()
    text = f"---\ntype: {secrets.new()}\nowner: {secrets.new().title()}\n---\nRosa knows [[{secrets.new().title()}]].\n"
    (notes / f"{secrets.new()}.md").write_text(text, encoding="utf-8")
    db.ingest(notes, now=NOW)
    row = {"text": "Rosa prunes in March.", "id": secrets.new(), "session": secrets.new(), secrets.new(): secrets.new()}
    db.ingest([row | {"project": "garden"}], now=NOW)


def _plant_beside(db: MemoryDatabase, secrets: Secrets, chosen: list[Any]) -> None:
    """Secrets that hang on what is chosen: other names, descriptions, reasons, where it came from, who else says so."""
    db.link(chosen[0].id, chosen[2].id, why=secrets.new(), now=NOW)
    db.merge("Rosa", db.relate(secrets.new().title(), "is", "gardener", now=NOW).subject, now=NOW)
    private = db.remember(f"Rosa lives in Lund, says {secrets.new().title()}.", now=NOW)
    db.relate("Rosa", "lives in", "Lund", memory=private.id, quote=secrets.new(), now=NOW)
    db.relate("Rosa", secrets.new(), "quince", memory=private.id, now=NOW)
    with db.conn:
        db.conn.execute(
            "update entities set description = ?, kind = ? where name = 'Rosa'", (secrets.new(), secrets.new())
        )
        for memory in chosen:
            values = dumps({secrets.new(): secrets.new()}), secrets.new(), f"{secrets.new()}:1", memory.key
            db.conn.execute("update memories set meta = ?, source_id = ?, hash = ? where key = ?", values)
        db.conn.execute("update documents set meta = ?", (dumps({"fields": {secrets.new(): secrets.new()}}),))


def _plant_everywhere(conn: Any, secrets: Secrets) -> None:
    """A row in every table, whatever tables there are, with a secret in every column that can hold text or bytes."""
    conn.execute("pragma foreign_keys = off")
    conn.execute("pragma ignore_check_constraints = on")
    names = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like '%sqlite%'"
    for (table,) in conn.execute(names).fetchall():
        for n in range(2):
            columns = conn.execute("select name, type from pragma_table_info(?)", (table,)).fetchall()
            values = [_value(table, name, type.lower(), secrets, n) for name, type in columns]
            into = ", ".join(identifier(name) for name, _ in columns)
            conn.execute(f"insert into {identifier(table)} ({into}) values ({', '.join('?' * len(values))})", values)
    conn.execute("delete from index_paused")
    conn.execute("pragma ignore_check_constraints = off")
    conn.execute("pragma foreign_keys = on")


def _value(table: str, name: str, type: str, secrets: Secrets, n: int) -> Any:
    if name == "tags":
        return dumps([secrets.new()])
    if name in _OBJECTS:
        return dumps({secrets.new(): secrets.new()})
    if type == "text":
        return None if name in ("archived_at", "valid_until", "expires_at") and n else secrets.new()
    if type == "blob":
        return secrets.new().encode()
    return 0 if name in ("active", "merged_into") else 900_001 + n


def found_in(secrets: Iterable[str], data: bytes) -> Iterator[str]:
    """Which secrets stand in some bytes: in any case, their stem alone, and in three encodings."""
    lower = data.lower()
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        needles = {secret[:9].encode(encoding): secret for secret in secrets}
        for match in set(re.findall(b"|".join(map(re.escape, needles)), lower)):
            yield needles[match]
