"""Writing on a server: a part of the store is fetched, written in as every file is, and its changes are sent back.

First the work is done without a lock, because reading a text and embedding it may take long. Then, under the lock, the
part is fetched again. If others have changed it meanwhile, the work is done anew, with the vectors that are made
already. So what is written follows from what the store holds, and no writer waits for the model of another one. It is
one transaction: killed, it did not happen, or happened whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memkit.core.errors import MemkitError
from memkit.graph import entities
from memkit.sharing.postgres import search_index, vector_index
from memkit.sharing.postgres.needs import USER, Needs, fetched, ids_of
from memkit.sharing.postgres.part import Model, model_of, take_vectors
from memkit.sharing.postgres.server import Kept, Server
from memkit.sharing.postgres.small_database import empty, fill
from memkit.sharing.postgres.units import Name, Unit, orphans, patched, references, units
from memkit.sharing.selection import Selection
from memkit.storage import store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding import Embedder

Result = TypeVar("Result")
MOST_ROUNDS = 4  # until nothing more is needed: names, then relations, then what these name; else under the lock
MOST_LOCKED = 200  # the same text many times in a second needs as many, until it has a free id
NAMES_LOOKED_FOR = "names_looked_for"
PRIVATE = (
    "A value of the slot `user` is private: it is kept in a file, never in a store that others read. "
    "Nothing was written."
)
NOBODY = (
    "This speaks of `I`, and a store is of several people: say who that is first, db.me('Rosa Lund'), or name a "
    "speaker. Nothing was written."
)

SELECT_PRIVATE = "select 1 from memories where lower(trim(coalesce(slot, ''))) = 'user' limit 1"
SELECT_VECTORS = """
select m.id, e.vector from embeddings as e join memories as m on m.key = e.memory_key
    join models as o on o.key = e.model_key and o.active = 1
"""


@dataclass
class Written(Generic[Result]):
    """A part of the store in which the work was done: what was fetched, the units before and after, the result."""

    needs: Needs
    given: dict[Name, Unit]
    before: dict[Name, Unit]
    after: dict[Name, Unit]
    vectors_before: dict[str, bytes]
    conn: Connection
    result: Result
    left_out: int = 0  # new memories that were forgotten in the store before

    def leave_out(self, names: Iterable[Name]) -> None:
        """Takes back what is new: these units, and those that only they name."""
        for name in names:
            del self.after[name]
        for name in orphans(self.after) - self.before.keys():
            del self.after[name]

    @property
    def changed(self) -> list[Name]:
        """The units that are new or others than before."""
        return [name for name, unit in self.after.items() if self.before.get(name) != unit]

    @property
    def gone(self) -> list[Name]:
        """The memories that were forgotten."""
        return [name for name in self.before if name.kind == "memories" and name not in self.after]


class Once:
    """A model that embeds each text once, however often the work is done."""

    def __init__(self, model: Embedder, made: dict[str, Any]):
        self._model, self._made = model, made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """An array (texts, dims) of float32. Raises as the model does."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._made]
        self._made.update(zip(new, self._model.encode(new) if new else (), strict=True))
        return np.stack([self._made[text] for text in texts]) if texts else self._model.encode([])


def write(
    kept: Kept, needs: Needs, work: Callable[[Connection], Result], now: str, *, me: str | None = None
) -> Written[Result]:
    """Does some work in a part of the store, and brings what it changed into the store; returns both.

    `me` is who says `I`. Raises MemkitError for what must not be shared, BadSource for what memkit did not write there,
    and as `work` does: then nothing was written.
    """

    def reading() -> AbstractContextManager[Server]:
        return kept.transaction()

    done = _worked(reading, needs, work, now, me)
    with kept.transaction(writes=True) as server:
        server.lock()
        search_index.make(server.conn)
        needs = done.needs | _also(server, done)
        if needs != done.needs or fetched(server, needs) != done.given:
            done.conn.close()
            done = _worked(lambda: nullcontext(server), needs, work, now, me, MOST_LOCKED)
        _commit(server, done)
    done.conn.close()
    return done


def _worked(
    reading: Callable[[], AbstractContextManager[Server]],
    needs: Needs,
    work: Callable[[Connection], Result],
    now: str,
    me: str | None,
    rounds: int = MOST_ROUNDS,
) -> Written[Result]:
    """The work, done in a part that holds all that it needed, if that was found in so many rounds."""
    for number in range(1, rounds + 1):
        with reading() as server:
            given = fetched(server, needs)
            conn = empty()
            fill(conn, given)
            if (model := model_of(server)) is not None:
                take_vectors(server, conn, model, ids_of(given), now)
        _settle(conn, me)
        before, vectors_before = units(conn, Selection(), now, alone=True), _vectors(conn)
        done = Written(needs, given, before, {}, vectors_before, conn, work(conn))
        done.after = units(conn, Selection(), now, alone=True)
        done.leave_out(())
        _check(done)
        with reading() as server:
            more = needs | _also(server, done)
        if more == needs or number == rounds:
            break
        conn.close()
        needs = more
    return done


def _settle(conn: Connection, me: str | None) -> None:
    """Says in a part who `I` is, and that the names in it are known already."""
    with writing(conn):
        store.set_setting(conn, NAMES_LOOKED_FOR, entities.names_since(conn)[1])
        if me is not None:
            store.set_setting(conn, "me", me)


def _vectors(conn: Connection) -> dict[str, bytes]:
    return dict(tuple(row) for row in conn.execute(SELECT_VECTORS))


def _check(done: Written[Any]) -> None:
    """Raises MemkitError for what must not be in a store."""
    if done.conn.execute(SELECT_PRIVATE).fetchone():
        raise MemkitError(PRIVATE)
    if USER in done.after:
        raise MemkitError(NOBODY)


def _also(server: Server, done: Written[Any]) -> Needs:
    """What else is needed, as it turned out: units with the names of new ones, and all that states a relation."""
    new = [name for name in done.changed if name not in done.given]
    groups = set()
    for name in done.changed:
        if name.kind == "relations":
            row = done.after[name].rows["row"]
            groups |= {(row["subject_key"], row["predicate"]), (row["object_key"], row["predicate"])}
    rows = (done.after[name].rows["row"] for name in new if name.kind == "entities")
    return Needs(
        units=frozenset(server.units(new)),
        groups=frozenset(groups),
        phrases=frozenset(row["name"] for row in rows if row["kind"] not in (entities.CONCEPT, entities.VALUE)),
    )


# ---------------------------------------------------------------------------------------------- into the store


def _commit(server: Server, done: Written[Any]) -> None:
    """Writes what the work changed. The store is as it was when it was fetched."""
    again = {Name("memories", id) for id in server.forgotten_among(ids_of(done.changed))}
    done.left_out = len(again)
    done.leave_out(again)
    changed, gone = done.changed, done.gone
    if not changed and not gone:
        return
    there = server.units(changed)
    if any(name not in done.before for name in there):
        raise MemkitError("The store holds too much of the same name to find a free one. Nothing was written.")
    written = {
        name: patched(there[name], done.before[name], done.after[name]) if name in done.before else done.after[name]
        for name in changed
    }
    server.write(_placed(server, {name: unit for name, unit in written.items() if name not in there}))
    server.write({name: unit for name, unit in written.items() if name in there})
    server.forget(name.id for name in gone)
    ids = ids_of([*changed, *gone])
    search_index.refresh(server.conn, ids)
    was = done.before
    doubtful = {other for name in [*changed, *gone] if name in was for other in references(name, was[name])}
    doubtful |= {other for name in doubtful if name in was for other in references(name, was[name])}
    server.delete(server.alone(doubtful))
    _send_vectors(server, done, gone)


def _placed(server: Server, new: Mapping[Name, Unit]) -> dict[Name, Unit]:
    """New units with places behind those that are there, in their order."""
    last = server.last_places({name.kind for name in new})
    placed = {}
    for name, unit in sorted(new.items(), key=lambda one: (one[1].place, one[0].id)):
        last[name.kind] = last.get(name.kind, 0) + 1
        placed[name] = replace(unit, place=last[name.kind])
    return placed


def _send_vectors(server: Server, done: Written[Any], gone: Iterable[Name]) -> None:
    after, before = _vectors(done.conn), done.vectors_before
    model = vectors.active_model(done.conn)
    shared = {name.id for name in done.after if name.kind == "memories"}
    sent = {id: blob for id, blob in after.items() if before.get(id) != blob and id in shared}
    dropped = [*(before.keys() - after.keys()), *(name.id for name in gone)]
    found = None if model is None else Model(model["id"], model["version"], model["dims"], 0)
    vector_index.update_vectors(server.conn, found, sent, dropped)
