"""Push: what changed in the file goes into the store, in parts.

A part is one transaction: some memories, and all that they name. So what is in the store is whole at any time. A push
of few memories is a single part: killed, it did not happen. Of a larger one the parts that were written stay, and the
next push goes on from there. Others may write between two parts: each is compared with the store as it then is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memkit.core.errors import MemkitError
from memkit.sharing.postgres import search_index, vector_index
from memkit.sharing.postgres.exchange import SELECT_MEMORIES, ExchangeReport, begin, end, is_same, is_unfinished
from memkit.sharing.postgres.needs import ids_of
from memkit.sharing.postgres.part import Model
from memkit.sharing.postgres.server import Seen, Server, connected
from memkit.sharing.postgres.units import Name, Unit, forgotten, merged, pruned, references, units
from memkit.sharing.selection import Selection
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import reading

MOST = 20_000  # memories of one part: half a minute of work
MEANWHILE = "Another process has pushed or pulled this file meanwhile. What was sent is there: push again for the rest."


@dataclass
class _Push:
    """A push on its way: the file's units, what file and store had when they last exchanged each, and the report.

    With `adds_only`, an entity that the store has is not taken for newer: a part of a file knows a part of it.
    """

    server: Server
    conn: Connection
    file: str
    mark: str
    mine: dict[Name, Unit]
    before: dict[Name, Seen]
    adds_only: bool
    overwrite: bool
    report: ExchangeReport

    def write(self, names: Iterable[Name], theirs: Mapping[Name, str], gone: Collection[str]) -> dict[Name, Unit]:
        """Writes these units where they are newer than those in the store, or more; returns what was written."""
        seen: dict[Name, Seen] = {}
        wanted: dict[Name, Unit] = {}
        both: dict[Name, Unit] = {}
        for name in names:
            unit, last, hash = self.mine[name], self.before.get(name), theirs.get(name)
            if name.kind == "memories" and name.id in gone:
                self.report.left_out += 1
            elif hash is None or (_is_newer(unit, last, hash) and not (self.adds_only and name.kind == "entities")):
                wanted[name] = unit
            elif hash == unit.hash:
                seen[name] = Seen(hash, hash)
            elif last is None or last.mine != unit.hash:
                both[name] = unit  # an entity of some projects adds to what the store has, and takes nothing away
        for name, there in self.server.units(both).items():
            one = both[name] if self.overwrite else merged(there, both[name], name.kind)
            if one is None:
                self.report.differ += name.kind == "memories"
                continue
            if one.hash != theirs[name]:
                wanted[name] = one
            seen[name] = Seen(both[name].hash, one.hash)
        self.server.write(wanted)
        seen = {name: Seen(unit.hash, unit.hash) for name, unit in wanted.items()} | seen
        self._see({name: one for name, one in seen.items() if not is_same(self.before.get(name), one)})
        self.report.added += sum(name.kind == "memories" and name not in theirs for name in wanted)
        self.report.changed += sum(name.kind == "memories" and name in theirs for name in wanted)
        self.report.rows += len(wanted)
        return wanted

    def _see(self, seen: Mapping[Name, Seen]) -> None:
        self.server.write_seen(self.file, self.mark, seen, anew=False)

    def write_apart(self, names: list[Name]) -> None:
        """Writes units, with the words and vectors of memories, as a transaction of its own."""
        self.server.lock()
        if self.server.mark(self.file) != self.mark:
            raise MemkitError(MEANWHILE)
        gone = self.server.forgotten_among(ids_of(names))
        written = self.write(names, self.server.hashes(names), gone)
        ids = ids_of(written)
        search_index.refresh(self.server.conn, ids)
        self._send_vectors([name.id for name, unit in written.items() if unit.hash == self.mine[name].hash], ids)
        self.server.conn.commit()

    def _send_vectors(self, same: list[str], changed: Sequence[str]) -> None:
        model = vectors.active_model(self.conn)
        if model is not None:
            sent = vector_index.stored_vectors(self.conn, model["key"], same)
            sent_by = Model(model["id"], model["version"], model["dims"], len(sent))
            vector_index.update_vectors(self.server.conn, sent_by, sent, changed, index=False)


def push(conn: Connection, url: str, selection: Selection, now: str, *, overwrite: bool = False) -> ExchangeReport:
    """Brings what changed in the file, or in a selection of it, into the store at `url`; returns a report.

    A unit that changed on both sides stays there as it is, unless `overwrite`. Raises as `connected` and `units` do,
    and MemkitError if another process pushes or pulls the same file between two parts.
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
        unfinished = is_unfinished(conn, name_of_store)
        mark, known = begin(conn, server, file, name_of_store)
        theirs, gone_there = server.hashes(), server.forgotten()
        before = server.seen(file) if known else {}
        gone = {name.id for name in before if name.kind == "memories"} - here - kept_back | forgot
        forgotten_now = {Name("memories", id) for id in gone - gone_there}
        server.forget(ids_of(forgotten_now))
        report.forgotten = len(forgotten_now & theirs.keys())
        theirs = {name: hash for name, hash in theirs.items() if name not in forgotten_now}
        server.write_seen(file, mark, {}, anew=not known)
        pushed = _Push(server, conn, file, mark, mine, before, bool(selection), overwrite, report)
        *parts, rest = _parts(mine, theirs)
        if parts:
            if forgotten_now:
                search_index.refresh(server.conn, ids_of(forgotten_now))
                server.delete(server.alone(theirs))
            server.conn.commit()
            for part in parts:
                pushed.write_apart(part)
            server.lock()
            theirs, gone_there = server.hashes(), server.forgotten()
        written = pushed.write(rest, theirs, gone_there)
        search_index.refresh(server.conn)
        if report.rows or report.forgotten or unfinished:
            server.delete(server.alone({*theirs, *written}))
        hashes = theirs | {name: unit.hash for name, unit in written.items()}
        same = {name.id for name, unit in mine.items() if name.kind == "memories" and hashes.get(name) == unit.hash}
        vector_index.write_vectors(server.conn, conn, same, set(ids_of(written)))
    end(conn, name_of_store, mark)
    return report


def _parts(mine: Mapping[Name, Unit], theirs: Mapping[Name, str]) -> list[list[Name]]:
    """The file's units in parts: memories that differ, in their order, with what they name; in the last one the rest.

    A single part, unless there are many that differ.
    """
    left = {name for name, unit in mine.items() if theirs.get(name) != unit.hash}
    memories = [name for name in left if name.kind == "memories"]
    if len(memories) <= MOST:
        return [list(mine)]
    memories.sort(key=lambda name: (mine[name].place, name.id))
    parts = []
    for start in range(0, len(memories), MOST):
        part = fresh = memories[start : start + MOST]
        while fresh:
            # Units of their own: those of the file would keep in memory what is read here.
            named = {other for name in fresh for other in references(name, replace(mine[name]))}
            fresh = [name for name in named & left if name.kind != "memories"]
            left.difference_update(fresh)
            part = part + fresh
        parts.append(part)
    sent = {name for part in parts for name in part}
    return [*parts, [name for name in mine if name not in sent]]


def _is_newer(unit: Unit, last: Seen | None, there: str) -> bool:
    """Whether a unit changed here, and has not changed there, since both last exchanged it."""
    return last is not None and last.theirs == there != unit.hash != last.mine
