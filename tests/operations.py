"""Operations that write to a database: what each begins with, does and acknowledges, and what it must come to.

They are disturbed in several ways: killed (tests/test_killed.py, and by the thousand in bench/kills.py), without room
on the disk, in a folder without write permission, with a clock that jumps, by others who write (tests/test_unlucky.py).
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzz.soundness import Harmed, check_file, must

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.storage import vectors

NOW, LATER, LATEST = "2026-03-01T12:00:00Z", "2026-03-10T12:00:00Z", "2026-03-20T12:00:00Z"
WORDS = "rosa otto quince garden lisbon uppsala planted pruned moved likes works at in the old new tree 木 北京".split()
Tell = Callable[[str], None]  # called with what is acknowledged, as soon as it is


def sentences(count: int, seed: int = 1) -> list[str]:
    """So many different texts."""
    random = Random(seed)
    return [f"Rosa {' '.join(random.choices(WORDS, k=12))} number {n}." for n in range(count)]


@dataclass(frozen=True)
class Operation:
    """One operation. `prepare(folder)` makes `memory.db` and what else it needs; `do(db, folder, tell)` does it.

    `acknowledged(folder, told)` raises Harmed if something is lost that was told. `result(folder)` is what must be the
    same as without a disturbance, once it was done again to its end.
    """

    name: str
    prepare: Callable[[Path], None]
    do: Callable[[MemoryDatabase, Path, Tell], None]
    acknowledged: Callable[[Path, list[str]], None]
    result: Callable[[Path], Any]

    def __str__(self) -> str:
        return self.name


def file_of(folder: Path) -> Path:
    """The database of an operation."""
    return folder / "memory.db"


def nothing_told(folder: Path, told: list[str]) -> None:
    """For an operation that acknowledges nothing before its end."""


QUERIES = {
    "memories": "select text, kind, project, compression, archived_at is null, expires_at from memories",
    "documents": "select title, kind, project, archived_at is null from documents",
    "entities": "select name, kind from entities",
    "relations": "select subject, predicate, object, confidence from current_relations",
    "mentions": "select m.text, e.name from mentions as x join memories as m on m.key = x.memory_key "
    "join entities as e on e.key = x.entity_key",
    "vectors": "select m.text, e.vector, o.id from embeddings as e join memories as m on m.key = e.memory_key "
    "join models as o on o.key = e.model_key",
}


def contents(path: Path) -> dict[str, list[str]]:
    """What a database holds, in words that do not depend on when a row was written."""
    with MemoryDatabase(path, embed="none") as db:
        return {name: sorted(repr(tuple(row)) for row in db.conn.execute(query)) for name, query in QUERIES.items()}


def held(folder: Path) -> dict[str, list[str]]:
    """What the operation's database holds."""
    return contents(file_of(folder))


# ---------------------------------------------------------------------------------------------- what they begin with


def nothing(folder: Path) -> None:
    """A new database."""
    MemoryDatabase(file_of(folder)).close()


def notes(folder: Path) -> None:
    """A new database, and a folder of notes."""
    nothing(folder)
    (folder / "notes").mkdir()
    for n in range(30):
        said = "\n\n".join(sentences(6, n))
        (folder / "notes" / f"{n}.md").write_text(
            f"---\ntags: [t{n}]\nnear: '[[{(n + 1) % 30}]]'\n---\n# {n}\n\n{said}\n"
        )


def changed(folder: Path) -> None:
    """Notes that were taken in, of which some have changed since, some are gone and some are new."""
    notes(folder)
    with MemoryDatabase(file_of(folder)) as db:
        db.ingest(folder / "notes", now=NOW, sync=True)
    for n in range(30):
        note = folder / "notes" / f"{n}.md"
        if n % 3 == 0:
            note.write_text(note.read_text().replace("garden", "orchard"))
        elif n % 3 == 1:
            note.rename(note.with_name(f"{n} new.md"))
        elif n % 2:
            note.unlink()


def packed(folder: Path) -> None:
    """A new database, and the notes in a tar."""
    notes(folder)
    with tarfile.open(folder / "notes.tar.gz", "w:gz") as tar:
        tar.add(folder / "notes", "notes")


def filled(folder: Path, embed: str | None = None) -> None:
    """A database with memories of several days, and a policy by which some are due for something."""
    with MemoryDatabase(file_of(folder), embed=embed) as db:
        db.set_policy(settings={"prune.user.cap": "5", "prune.user.min_age_days": "1"})
        rows = [
            {"id": n, "session": f"s{n % 9}", "kind": "episode", "text": text, "timestamp": NOW}
            for n, text in enumerate(sentences(90))
        ]
        db.ingest(rows, now=NOW)
        for n in range(12):
            db.remember(f"value {n}", slot="user", key=f"key {n}", now=NOW)
            db.relate(f"Otto {n}", "lives in", "Lund", now=NOW)


def without_vectors(folder: Path) -> None:
    """The same without vectors."""
    filled(folder, "none")


def exported(folder: Path) -> None:
    """A new database, and an export of another one."""
    filled(folder)
    with MemoryDatabase(file_of(folder)) as db:
        db.export(folder / "all.jsonl", now=NOW)
    for path in folder.glob("memory.db*"):
        path.unlink()
    nothing(folder)


def maintained(folder: Path) -> None:
    """A database with changes by upkeep that can be undone."""
    filled(folder)
    with MemoryDatabase(file_of(folder)) as db:
        db.maintain(now=LATER)


# ---------------------------------------------------------------------------------------------- what they do


def ingest(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Takes the notes in."""
    db.ingest(folder / "notes", now=NOW)


def sync(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Brings the memories to the state of the notes."""
    db.ingest(folder / "notes", now=LATER, sync=True)


def unpack(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Takes the notes of the tar in."""
    db.ingest(folder / "notes.tar.gz", now=NOW)


def remember(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Remembers some texts, those that are not known yet."""
    known = {row[0] for row in db.conn.execute("select text from memories")}
    for text in sentences(25, 7):
        if text not in known:
            db.remember(text, now=NOW)
            tell(text)
    vectors.fill(db.conn, db.embedder, NOW)  # as the next text would: the last one's may not have been made


def remembered(folder: Path, told: list[str]) -> None:
    """Each text that was told is there."""
    with MemoryDatabase(file_of(folder), embed="none") as db:
        known = {row[0] for row in db.conn.execute("select text from memories")}
    must(known.issuperset(told), f"lost: {set(told) - known}")


def maintain(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Does what is due on two days."""
    db.maintain(now=LATER)
    db.maintain(now=LATEST)


def reindex(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Makes the full-text index anew, and all vectors."""
    db.reindex(fts=True, now=LATER)
    db.reindex("memkit", now=LATER)


def publish(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Publishes all episodes, twice."""
    for _ in range(2):
        db.publish(folder / "site", kind="episode", redact=["Otto"], title="Trees", now=NOW)
        tell("published")


def published(folder: Path, told: list[str]) -> None:
    """A folder that was told to be there is there; one that is there is complete and has nothing private."""
    site = folder / "site"
    must(site.exists() or not told, "the folder is gone")
    if site.exists():
        check_file(site / "trees.db")
        with MemoryDatabase(file_of(folder), embed="none") as db:
            must(db.check_published(site), "the folder has something private")


def site(folder: Path) -> Any:
    """What the published folder holds; nothing else is left beside it."""
    left = {path.name for path in folder.iterdir()} - {"site", "memory.db", "memory.db-wal", "memory.db-shm"}
    must(not left, f"left behind: {left}")
    return sorted(path.name for path in (folder / "site").iterdir()), contents(folder / "site" / "trees.db")["memories"]


def restore(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Restores an export."""
    db.restore(folder / "all.jsonl", now=LATER)


def forget(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Forgets every third episode for good."""
    for text in sentences(90)[::3]:
        for (id,) in db.conn.execute("select id from memories where text = ?", [text]).fetchall():
            with suppress(NotFound):
                db.forget(id, hard=True, now=LATER)
        tell(text)


def forgotten(folder: Path, told: list[str]) -> None:
    """No byte of what was told to be forgotten is in the file or its log."""
    with MemoryDatabase(file_of(folder), embed="none") as db:
        known = {row[0] for row in db.conn.execute("select text from memories")}
    must(not known.intersection(told), "something forgotten is there again")


def undo(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Undoes all that upkeep has done."""
    for run in dict.fromkeys(one.run for one in db.maintenance(limit=1000) if one.undoable):
        with suppress(NotFound):
            db.undo(run, now=LATER)
    db.reindex()  # what was undone is stored at once, and its vectors after that: a killed process may leave some out


def vacuum(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Forgets a little, and vacuums."""
    for (id,) in db.conn.execute("select id from memories where text like 'value %'").fetchall():
        db.forget(id, hard=True, now=LATER)
    db.vacuum(now=LATER)


def backup(db: MemoryDatabase, folder: Path, tell: Tell) -> None:
    """Makes three backups, of which two are kept."""
    (folder / "copies").mkdir(exist_ok=True)
    for day in range(3):
        db.backup(folder / "copies" / "copy.db", keep=2, now=f"2026-03-2{day}T12:00:00Z")
        tell(f"backup {day}")


def backed_up(folder: Path, told: list[str]) -> None:
    """Where a backup was told, one is there; each that is there is whole."""
    copies = list((folder / "copies").glob("copy*.db"))
    must(copies or not told, "there is no backup")
    for copy in copies:
        check_file(copy)


def newest_copy(folder: Path) -> Any:
    """What the newest backup holds."""
    return contents(folder / "copies" / "copy.db")


OPERATIONS = {
    one.name: one
    for one in (
        Operation("ingest", notes, ingest, nothing_told, held),
        Operation("sync", changed, sync, nothing_told, held),
        Operation("tar", packed, unpack, nothing_told, held),
        Operation("remember", nothing, remember, remembered, held),
        Operation("maintain", filled, maintain, nothing_told, held),
        Operation("reindex", without_vectors, reindex, nothing_told, held),
        Operation("publish", filled, publish, published, site),
        Operation("restore", exported, restore, nothing_told, held),
        Operation("forget", filled, forget, forgotten, held),
        Operation("undo", maintained, undo, nothing_told, held),
        Operation("backup", filled, backup, backed_up, newest_copy),
        Operation("vacuum", filled, vacuum, nothing_told, held),
    )
}


def whole(operation: Operation, folder: Path, told: Iterable[str] = ()) -> None:
    """Raises Harmed if the database is not whole, or if something is lost that was acknowledged."""
    check_file(file_of(folder))
    operation.acknowledged(folder, list(told))


def done(operation: Operation, folder: Path) -> Any:
    """Does the operation (to its end, in this process), and gives its result; all must be whole then."""
    told: list[str] = []
    with MemoryDatabase(file_of(folder)) as db:
        operation.do(db, folder, told.append)
    whole(operation, folder, told)
    return operation.result(folder)


def differences(one: Any, other: Any) -> Iterator[str]:
    """Where two results differ, shortly."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one:
            for said, mine, theirs in (("only without", one, other), ("only with", other, one)):
                extra = [row for row in mine[name] if row not in set(theirs[name])]
                if extra:
                    yield f"{name}, {said} a disturbance: {extra[:2]}"
            if len(one[name]) != len(other[name]):
                yield f"{name}: {len(one[name])} and {len(other[name])}"
    elif one != other:
        yield f"{str(one)[:300]} and {str(other)[:300]}"


def must_be_same(one: Any, other: Any) -> None:
    """Raises Harmed with the differences between two results."""
    if found := list(differences(one, other)):
        raise Harmed("; ".join(found)[:2000])
