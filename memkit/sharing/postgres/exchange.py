"""Push and pull: what changed in the file goes into the store, what changed there comes into the file.

Both compare three states of each unit: now in the file, now in the store, and what both had when they last exchanged
it. So an old copy of a file must not pass for a new state: each exchange leaves the same mark in both, and a file
without the store's last mark only adds. A push is one transaction there, a pull one here: killed, neither happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from memkit.core.formatting import html_table
from memkit.core.frames import OneRow
from memkit.embedding import Embedder
from memkit.graph import relations
from memkit.sharing.export.restore import make_vectors, restore
from memkit.sharing.postgres import search_index
from memkit.sharing.postgres.server import Seen, Server, connected
from memkit.sharing.postgres.units import (
    PARTS,
    Name,
    Unit,
    as_export,
    forgotten,
    merged,
    pruned,
    references,
    slot,
    units,
)
from memkit.sharing.selection import Selection
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import reading, writing
from memkit.storage.store import keys_json

MARKS = "pushed"  # the setting with the marks of the last exchanges, by store

SELECT_MEMORIES = "select id, key from memories"
DELETE_PARTS = [
    f"delete from {table} where {column} in (select value from json_each(:keys))"
    for table, column in PARTS["memories"].items()
]


@dataclass
class ExchangeReport(OneRow):
    """What a push or pull did: the numbers of memories added, changed, forgotten and that `differ` on both sides.

    `differ` were changed here and there: each side keeps its own. `left_out` are memories that did not come because the
    other side has forgotten them, or has another value in their slot. `rows` counts all rows written.
    """

    direction: str
    added: int = 0
    changed: int = 0
    forgotten: int = 0
    differ: int = 0
    left_out: int = 0
    rows: int = 0

    @property
    def sentence(self) -> str:
        """The report in one line."""
        said = [
            f"{count:,} {name.replace('_', ' ')}" for name, count in self.to_dict().items() if name in SAID and count
        ]
        return f"{self.direction}: {', '.join(said) or 'nothing has changed'}"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<ExchangeReport {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [[name.replace("_", " "), str(getattr(self, name))] for name in SAID]
        return html_table(self.direction, ("memories", "how many"), rows)


SAID = ("added", "changed", "forgotten", "differ", "left_out", "rows")


def push(conn: Connection, url: str, selection: Selection, now: str, *, overwrite: bool = False) -> ExchangeReport:
    """Brings what changed in the file, or in a selection of it, into the store at `url`; returns a report.

    A unit that changed on both sides stays there as it is, unless `overwrite`. Raises as `connected` and `units` do.
    """
    report = ExchangeReport("Pushed")
    file = str(store.setting(conn, "database", ""))
    with connected(url) as server:
        server.lock()
        name_of_store = server.make()
        search_index.make(server.conn)
        with reading(conn):
            mine = units(conn, selection, now)
            here = {row["id"] for row in conn.execute(SELECT_MEMORIES)}
            forgot, kept_back = forgotten(conn), pruned(conn)
        mark, known = _begin(conn, server, file, name_of_store)
        theirs = server.hashes()
        before = server.seen(file) if known else {}
        gone = {name.id for name in before if name.kind == "memories"} - here - kept_back | forgot
        gone_there, narrowed = server.forgotten(), bool(selection)
        forgotten_now = {Name("memories", id) for id in gone - gone_there}
        server.forget(name.id for name in forgotten_now)
        report.forgotten = len(forgotten_now & theirs.keys())
        theirs = {name: hash for name, hash in theirs.items() if name not in forgotten_now}
        seen: dict[Name, Seen] = {}
        wanted: dict[Name, Unit] = {}
        both: dict[Name, Unit] = {}
        for name, unit in mine.items():
            last, hash = before.get(name), theirs.get(name)
            if name.kind == "memories" and name.id in gone_there:
                report.left_out += 1
            elif hash is None or (_is_newer(unit, last, hash) and not (narrowed and name.kind == "entities")):
                wanted[name] = unit
            elif hash == unit.hash:
                seen[name] = Seen(hash, hash)
            elif last is None or last.mine != unit.hash:
                both[name] = unit  # an entity of some projects adds to what the store has, and takes nothing away
        for name, there in server.units(both).items():
            one = both[name] if overwrite else merged(there, both[name], name.kind)
            if one is None:
                report.differ += name.kind == "memories"
            elif one.hash != theirs[name]:
                wanted[name] = one
                seen[name] = Seen(both[name].hash, one.hash)
            else:
                seen[name] = Seen(both[name].hash, one.hash)
        server.write(wanted)
        search_index.refresh(server.conn)
        if wanted or forgotten_now:
            server.delete(server.alone({*theirs, *wanted}))
        hashes = theirs | {name: unit.hash for name, unit in wanted.items()}
        same = {name.id for name, unit in mine.items() if name.kind == "memories" and hashes.get(name) == unit.hash}
        search_index.write_vectors(server.conn, conn, same, {name.id for name in wanted if name.kind == "memories"})
        seen = {name: Seen(unit.hash, unit.hash) for name, unit in wanted.items()} | seen
        server.write_seen(file, mark, {n: s for n, s in seen.items() if not _is(before.get(n), s)}, anew=not known)
        report.added = sum(name.kind == "memories" and name not in theirs for name in wanted)
        report.changed = sum(name.kind == "memories" and name in theirs for name in wanted)
        report.rows = len(wanted)
    _end(conn, name_of_store, mark)
    return report


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
        mark, known = _begin(conn, server, file, name_of_store)
        before = server.seen(file) if known else {}
        theirs = server.hashes()
        with writing(conn):
            mine = units(conn, Selection(), now)
            keys = {row["id"]: row["key"] for row in conn.execute(SELECT_MEMORIES)}
            hidden = forgotten(conn) | pruned(conn)
            gone = {id for id in server.forgotten() if Name("memories", id) in mine}
            names = [
                name
                for name, hash in theirs.items()
                if (name not in before or before[name].theirs != hash)
                and (name not in mine or mine[name].hash != hash)
                and not (name.kind == "memories" and name.id in hidden)
            ]
            come = server.units(names)
            report.left_out = _without_taken_slots(come, mine)
            new = [name for name in come if name.kind == "memories" and name not in mine]
            given = _with_named(server, come, mine)
            stated: list[tuple[int, str, int]] = []
            if overwrite:
                unchanged = [
                    keys[name.id]
                    for name in come
                    if name in mine
                    and name in before
                    and name.kind == "memories"
                    and before[name].mine == mine[name].hash
                ]
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
        same = {name: Seen(hash, hash) for name, hash in theirs.items() if name in after and after[name].hash == hash}
        same |= {
            name: Seen(after[name].hash, theirs[name])
            for name in come
            if name.kind in ("entities", "relations") and name in after and name in theirs
        }
        server.write_seen(file, mark, {n: s for n, s in same.items() if not _is(before.get(n), s)}, anew=not known)
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
    _end(conn, name_of_store, mark)
    make_vectors(conn, embedder, now)  # now that nobody waits for it
    return report


# ---------------------------------------------------------------------------------------------- marks


def _begin(conn: Connection, server: Server, file: str, name: str) -> tuple[str, bool]:
    """A new mark, and whether the file is in the state of its last exchange or a later one.

    The mark is stored in the file before the store has it, so that a kill between the two makes no stranger of it.
    """
    marks = store.setting(conn, MARKS, {})
    given = marks.get(name)
    mine = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
    there = server.mark(file)
    mark = uuid4().hex
    if there is None or there in mine:
        with writing(conn):
            store.set_setting(conn, MARKS, {**marks, name: [*([there] if there else []), mark]})
    return mark, there in mine


def _end(conn: Connection, name: str, mark: str) -> None:
    with writing(conn):
        store.set_setting(conn, MARKS, {**store.setting(conn, MARKS, {}), name: [mark]})


def _is_newer(unit: Unit, last: Seen | None, there: str) -> bool:
    """Whether a unit changed here, and has not changed there, since both last exchanged it."""
    return last is not None and last.theirs == there != unit.hash != last.mine


def _is(one: Seen | None, other: Seen) -> bool:
    return one is not None and (one.mine, one.theirs) == (other.mine, other.theirs)


# ---------------------------------------------------------------------------------------------- units


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
