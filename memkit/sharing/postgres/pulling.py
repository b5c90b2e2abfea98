"""Pull: what changed in the store comes into the file, in one transaction there: killed, it did not happen."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from memkit.embedding import Embedder
from memkit.graph import relations
from memkit.sharing.export.restore import make_vectors, restore
from memkit.sharing.postgres.exchange import SELECT_MEMORIES, ExchangeReport, begin, end, is_same
from memkit.sharing.postgres.server import Seen, Server, connected
from memkit.sharing.postgres.units import PARTS, Name, Unit, as_export, forgotten, pruned, references, slot, units
from memkit.sharing.selection import Selection
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import keys_json

DELETE_PARTS = [
    f"delete from {table} where {column} in (select value from json_each(:keys))"
    for table, column in PARTS["memories"].items()
]


def pull(
    conn: Connection,
    url: str,
    embedder: Embedder | None,
    now: str,
    forget: Callable[[str], object],
    *,
    overwrite: bool = False,
) -> ExchangeReport:
    """Brings what changed in the store at `url` into the file; returns a report.

    What comes is restored as an export that anybody may have written. `forget` is called with the id of each memory
    that was forgotten there, if `overwrite` allows changes of what is here. Raises as `connected` and `restore` do:
    WouldOverwrite, if rows of the file would change and `overwrite` does not allow it. Then nothing was changed.
    Vectors are made afterwards, without a lock.
    """
    report = ExchangeReport("Pulled")
    file = str(store.setting(conn, "database", ""))
    with connected(url) as server:
        server.lock()
        name_of_store = server.make()
        mark, known = begin(conn, server, file, name_of_store)
        before = server.seen(file) if known else {}
        theirs = server.hashes()
        with writing(conn):
            mine = units(conn, Selection(), now)
            keys = {row["id"]: row["key"] for row in conn.execute(SELECT_MEMORIES)}
            hidden = forgotten(conn) | pruned(conn)
            gone = {id for id in server.forgotten() if Name("memories", id) in mine}
            come = server.units(_changed_there(theirs, before, mine, hidden))
            report.left_out = _without_taken_slots(come, mine)
            new = [name for name in come if name.kind == "memories" and name not in mine]
            given = _with_named(server, come, mine)
            stated: list[tuple[int, str, int]] = []
            if overwrite:
                unchanged = [keys[name.id] for name in come if _is_unchanged(name, mine, before)]
                stated = relations.stated_by(conn, unchanged)
                for statement in DELETE_PARTS:
                    conn.execute(statement, {"keys": keys_json(unchanged)})
            if come:
                restore(conn, as_export(given, now), None, now, overwrite=overwrite)
            relations.recompute(conn, stated, now)  # what no memory states any more ends here, too
            if overwrite:
                for id in sorted(gone):
                    forget(id)
            after = units(conn, Selection(), now)
        seen = _seen(theirs, after, come).items()
        server.write_seen(file, mark, {n: s for n, s in seen if not is_same(before.get(n), s)}, anew=not known)
        report.added = sum(name in after for name in new)
        report.changed = sum(
            name.kind == "memories" and name in mine and name in after and after[name].hash != mine[name].hash
            for name in come
        )
        if overwrite:
            report.forgotten = len(gone)
        else:
            report.left_out += len(gone)
        report.rows = sum(name in after and after[name] != mine.get(name) for name in come)
    end(conn, name_of_store, mark)
    make_vectors(conn, embedder, now)  # now that nobody waits for it
    return report


def _changed_there(
    theirs: Mapping[Name, str], before: Mapping[Name, Seen], mine: Mapping[Name, Unit], hidden: Container[str]
) -> list[Name]:
    """The units that changed in the store since it was last seen, and are not here as they are there."""
    return [
        name
        for name, hash in theirs.items()
        if (name not in before or before[name].theirs != hash)
        and (name not in mine or mine[name].hash != hash)
        and not (name.kind == "memories" and name.id in hidden)
    ]


def _is_unchanged(name: Name, mine: Mapping[Name, Unit], before: Mapping[Name, Seen]) -> bool:
    """Whether a memory is here as it was when the store was last seen."""
    return name.kind == "memories" and name in mine and name in before and before[name].mine == mine[name].hash


def _seen(theirs: Mapping[Name, str], after: Mapping[Name, Unit], come: Iterable[Name]) -> dict[Name, Seen]:
    """What both sides have now: what is the same, and what came and was joined with what was here."""
    same = {name: Seen(hash, hash) for name, hash in theirs.items() if name in after and after[name].hash == hash}
    return same | {
        name: Seen(after[name].hash, theirs[name])
        for name in come
        if name.kind in ("entities", "relations") and name in after and name in theirs
    }


def _with_named(server: Server, come: dict[Name, Unit], mine: dict[Name, Unit]) -> dict[Name, Unit]:
    """The units, and those that they name, directly or not: as they are here, or else as the store has them."""
    given = dict(come)
    fresh = come
    while fresh:
        named = {other for name, unit in fresh.items() for other in references(name, unit)} - given.keys()
        # A link to a memory of the store that was left out must not bring it in.
        absent = [name for name in named if name not in mine and name.kind != "memories"]
        fresh = {name: mine[name] for name in named if name in mine} | server.units(absent)
        given |= fresh
    return given


def _without_taken_slots(come: dict[Name, Unit], mine: dict[Name, Unit]) -> int:
    """Removes current values of slots that have another one here, or a later one there; returns how many."""
    taken = {slot(name, unit): name for name, unit in mine.items() if name.kind == "memories" and name not in come}
    count = 0
    memories = [name for name in come if name.kind == "memories"]
    for name in sorted(memories, key=lambda name: (come[name].place, name.id), reverse=True):
        where = slot(name, come[name])
        if where is not None and taken.setdefault(where, name) != name:
            del come[name]
            count += 1
    return count
