"""The shared store's tables on a PostgreSQL server, and the queries of one exchange with it.

`memkit.units` holds the units, `memkit.forgotten` the ids of forgotten memories, `memkit.seen` what each file and the
store had when they last exchanged a unit, `memkit.files` the mark of each file's last exchange.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4
from weakref import finalize

from memkit.core.addresses import is_server
from memkit.core.errors import BadQuestion, Closed, MemkitError, NeedsPackage, ReadOnly
from memkit.sharing.postgres.units import PARTS, Name, Unit

MANY = 1000  # rows of one statement
LOCK = 0x6D6B6974  # of the advisory lock: one exchange writes at a time

MAKE = """
create schema if not exists memkit;
create table if not exists memkit.store (id text primary key);
create table if not exists memkit.units (
    kind text not null, id text not null, place bigint not null, hash text not null, body json not null,
    primary key (kind, id)
);
create table if not exists memkit.forgotten (id text primary key);
create table if not exists memkit.files (file text primary key, mark text not null);
create table if not exists memkit.seen (
    file text not null, kind text not null, id text not null, mine text not null, theirs text not null,
    primary key (file, kind, id)
);
"""
HAS_STORE = "select to_regclass('memkit.store') is not null"
ONLY_READS = "select current_setting('transaction_read_only') = 'on'"
REPLICA = (
    "This server only reads, as a replica does: nothing can be written there. Give the address of the primary, or of "
    "all hosts with target_session_attrs=read-write."
)
SELECT_STORE = "select id from memkit.store"
INSERT_STORE = "insert into memkit.store (id) select %s where not exists (select 1 from memkit.store)"
TAKE_LOCK = "select pg_advisory_xact_lock(%s)"
SELECT_HASHES = "select kind, id, hash from memkit.units"
SELECT_SOME_HASHES = f"{SELECT_HASHES} where (kind, id) in (select * from unnest(%b::text[], %b::text[]))"
SELECT_UNITS = "select kind, id, place, body::text from memkit.units"
SELECT_SOME = f"{SELECT_UNITS} where kind = %s and id = any(%s)"
# Many rows go as one statement, each column as an array: one by one they take three times as long.
UPSERT_UNITS = """
insert into memkit.units (kind, id, place, hash, body)
select * from unnest(%b::text[], %b::text[], %b::bigint[], %b::text[], %b::text[]::json[])
on conflict (kind, id) do update set hash = excluded.hash, body = excluded.body
"""
DELETE_UNITS = "delete from memkit.units where (kind, id) in (select * from unnest(%b::text[], %b::text[]))"
LAST_PLACES = "select kind, max(place) from memkit.units where kind = any(%s) group by kind"
SELECT_ALONE = """
select u.kind, u.id from memkit.units as u
where u.kind = %(kind)s and u.id = any(%(ids)s)
    and not exists (select 1 from memkit.named as n where n.kind = u.kind and n.id = u.id)
    and (u.kind <> 'entities' or not exists (
        select 1 from memkit.units as o where o.kind = 'entities' and o.body #>> '{row,merged_into}' = u.id
    ))
"""
SELECT_FORGOTTEN = "select id from memkit.forgotten"
SELECT_FORGOTTEN_AMONG = "select id from memkit.forgotten where id = any(%s)"
INSERT_FORGOTTEN = "insert into memkit.forgotten (id) select * from unnest(%b::text[]) on conflict do nothing"
SELECT_MARK = "select mark from memkit.files where file = %s"
UPSERT_MARK = """
insert into memkit.files (file, mark) values (%s, %s) on conflict (file) do update set mark = excluded.mark
"""
SELECT_SEEN = "select kind, id, mine, theirs from memkit.seen where file = %s"
DELETE_SEEN = "delete from memkit.seen where file = %s"
UPSERT_SEEN = """
insert into memkit.seen (file, kind, id, mine, theirs)
select * from unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::text[])
on conflict (file, kind, id) do update set mine = excluded.mine, theirs = excluded.theirs
"""


class Seen:
    """The hashes that a unit had in the file and in the store when both last exchanged it."""

    __slots__ = ("mine", "theirs")

    def __init__(self, mine: str, theirs: str):
        self.mine, self.theirs = mine, theirs


class Server:
    """One transaction with a store."""

    def __init__(self, conn: Any):
        self.conn = conn

    def make(self) -> str:
        """Makes the tables if they are missing; returns the id of the store."""
        if not self.conn.execute(HAS_STORE).fetchone()[0]:
            self.conn.execute(MAKE)
        self.conn.execute(INSERT_STORE, (uuid4().hex,))
        return str(self.conn.execute(SELECT_STORE).fetchone()[0])

    def lock(self) -> None:
        """Waits until no other exchange writes, until the end of the transaction."""
        self.conn.execute(TAKE_LOCK, (LOCK,))

    def hashes(self, names: Iterable[Name] | None = None) -> dict[Name, str]:
        """The hash of each of these units that is there, or of every unit."""
        if names is None:
            found = self.conn.execute(SELECT_HASHES)
        else:
            found = self.conn.execute(SELECT_SOME_HASHES, columns(names) or ([], []))
        return {Name(kind, id): hash for kind, id, hash in found if kind in PARTS}

    def units(self, names: Iterable[Name] | None = None) -> dict[Name, Unit]:
        """These units, as far as they are there, or all."""
        if names is None:
            found = self.conn.execute(SELECT_UNITS).fetchall()
        else:
            wanted: dict[str, list[str]] = {}
            for name in names:
                wanted.setdefault(name.kind, []).append(name.id)
            found = [row for kind, ids in wanted.items() for row in self.conn.execute(SELECT_SOME, (kind, ids))]
        return {Name(kind, id): Unit(place, body) for kind, id, place, body in found if kind in PARTS}

    def write(self, units: Mapping[Name, Unit]) -> None:
        """Writes units over those of the same name."""
        rows = [(*name, unit.place, unit.hash, unit.body) for name, unit in units.items()]
        self._many(UPSERT_UNITS, rows)

    def delete(self, names: Iterable[Name]) -> None:
        """Deletes units."""
        self._many(DELETE_UNITS, [tuple(name) for name in names])

    def last_places(self, kinds: Iterable[str]) -> dict[str, int]:
        """The last place of each of these kinds that has units."""
        return dict(self.conn.execute(LAST_PLACES, (sorted(kinds),)).fetchall())

    def alone(self, names: Iterable[Name]) -> list[Name]:
        """Those of these documents, entities and relations that no memory names, by the index of the store."""
        found: list[Name] = []
        by_kind: dict[str, list[str]] = {}
        for name in names:
            by_kind.setdefault(name.kind, []).append(name.id)
        for kind, ids in by_kind.items():
            if kind != "memories":
                found += [Name(*row) for row in self.conn.execute(SELECT_ALONE, {"kind": kind, "ids": ids})]
        return found

    def forgotten(self) -> set[str]:
        """The ids of the forgotten memories."""
        return {row[0] for row in self.conn.execute(SELECT_FORGOTTEN)}

    def forgotten_among(self, ids: Iterable[str]) -> set[str]:
        """Those of these memories that were forgotten."""
        return {row[0] for row in self.conn.execute(SELECT_FORGOTTEN_AMONG, (list(ids),))}

    def forget(self, ids: Iterable[str]) -> None:
        """Deletes memories for good: they cannot be written again."""
        ids = list(ids)
        self._many(INSERT_FORGOTTEN, [(id,) for id in ids])
        self.delete(Name("memories", id) for id in ids)

    def mark(self, file: str) -> str | None:
        """The mark of a file's last exchange."""
        row = self.conn.execute(SELECT_MARK, (file,)).fetchone()
        return None if row is None else str(row[0])

    def seen(self, file: str) -> dict[Name, Seen]:
        """What a file and the store had when they last exchanged each unit."""
        return {
            Name(kind, id): Seen(mine, theirs) for kind, id, mine, theirs in self.conn.execute(SELECT_SEEN, (file,))
        }

    def write_seen(self, file: str, mark: str, seen: Mapping[Name, Seen], *, anew: bool) -> None:
        """Writes the mark of an exchange, and what was seen in it; `anew` drops what was seen before."""
        if anew:
            self.conn.execute(DELETE_SEEN, (file,))
        self._many(UPSERT_SEEN, [(file, *name, one.mine, one.theirs) for name, one in seen.items()])
        self.conn.execute(UPSERT_MARK, (file, mark))

    def _many(self, query: str, rows: Sequence[tuple[Any, ...]]) -> None:
        for start in range(0, len(rows), MANY):
            self.conn.execute(query, columns(rows[start : start + MANY]))


def columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """The columns of some rows, as a statement takes them; none without rows."""
    return list(map(list, zip(*rows, strict=True)))


@contextmanager
def connected(url: str) -> Iterator[Server]:
    """A transaction with the store at `url`, committed at the end of the block, or not at all.

    Raises BadQuestion for what is no such URL, NeedsPackage without psycopg, ReadOnly for a
    replica, MemkitError with the server's reason if it cannot be reached or refuses. No message has a password in it.
    """
    psycopg = _driver(url)
    with _in_words(url), psycopg.connect(url, application_name="memkit") as conn:
        conn.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        yield _writable(Server(conn))


class Kept:
    """A connection that one call after the other uses; opened at the first one, and again if it was lost.

    Each call that only reads sees one state of the store. Raises as `connected` does.
    """

    def __init__(self, url: str):
        self.url = url
        self._conn: Any = None
        self._closed = False
        self._process = 0
        self._end = finalize(self, bool)  # what closes the connection; there is none yet

    def close(self) -> None:
        """Closes the connection for good: a later question raises Closed."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        if self._process == os.getpid():  # a child process must not end what its parent uses
            self._end()
        self._conn = None

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Server]:
        """One transaction. One that `writes` is committed at the end of the block, and sees what others commit."""
        if self._closed:
            raise Closed(f"The database {without_password(self.url, self.url)} was closed. Open it again to go on.")
        psycopg = _driver(self.url)
        with _in_words(self.url):
            if self._conn is None or self._conn.closed or self._process != os.getpid():
                self._open(psycopg)
            self._set(psycopg, writes)
            try:
                self._conn.execute(HAS_STORE)
            except psycopg.OperationalError:  # the server was restarted, or has closed it
                self._open(psycopg)
                self._set(psycopg, writes)
            try:
                yield _writable(Server(self._conn)) if writes else Server(self._conn)
                if writes:
                    self._conn.commit()
            finally:
                with suppress(psycopg.Error):
                    self._conn.rollback()

    def _set(self, psycopg: Any, writes: bool) -> None:
        level = psycopg.IsolationLevel
        self._conn.isolation_level = level.READ_COMMITTED if writes else level.REPEATABLE_READ
        self._conn.read_only = None if writes else True

    def _open(self, psycopg: Any) -> None:
        self._drop()
        self._conn = psycopg.connect(self.url, application_name="memkit")
        self._process = os.getpid()
        self._end = finalize(self, self._conn.close)


def _writable(server: Server) -> Server:
    if server.conn.execute(ONLY_READS).fetchone()[0]:
        raise ReadOnly(REPLICA)
    return server


def _driver(url: str) -> Any:
    if not is_server(url):
        raise BadQuestion("This is not the address of a PostgreSQL database: it begins with postgresql://.")
    try:
        import psycopg
    except ImportError:
        raise NeedsPackage("psycopg", "A store on PostgreSQL", "'datasette-memkit[postgres]'") from None
    return psycopg


@contextmanager
def _in_words(url: str) -> Iterator[None]:
    """Raises the driver's errors as MemkitError, without a password."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise MemkitError(f"PostgreSQL failed: {without_password(str(error), url).strip()}") from None


def without_password(text: str, url: str) -> str:
    """A text without the password of a URL, as it stands there and as it is meant."""
    from urllib.parse import parse_qs, unquote, urlsplit

    passwords = {*re.findall(r"//[^/@:]*:([^@]*)@", url), *re.findall(r"[?&]password=([^&]*)", url)}
    try:
        passwords |= {urlsplit(url).password or "", *parse_qs(urlsplit(url).query).get("password", [])}
    except ValueError:  # no URL at all: then the message may quote any of it
        return text.replace(url, "the address")
    for password in sorted({*passwords, *map(unquote, passwords)} - {""}, key=len, reverse=True):
        text = text.replace(password, "***")
    return text
