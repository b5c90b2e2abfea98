"""Embedding on Dask workers: two real worker processes, the same rows as without them, and workers that are killed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import llm
import numpy as np
import pytest

from memkit import MemoryDatabase
from memkit.core.errors import BadArgument, EmbedderFailed, NotFound
from memkit.core.workers import Lost, in_order
from memkit.embedding import unit_rows
from memkit.text.extract.llm_answer import SCHEMA

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

from memkit.embedding.on_workers import FEW, OnWorkers, connected, encode_part  # noqa: E402

NOW = "2026-03-01T12:00:00Z"
ROWS = [
    {"id": str(n), "session": f"walk {n // 20}", "speaker": ["Rosa", "Otto"][n % 2], "text": f"Rosa saw tree {n}."}
    for n in range(400)
]


class Hashed:
    """An embedder whose vectors depend on each text alone; it notes in `folder` the processes that it worked in."""

    id, version, dims = "hashed", "1", 16

    def __init__(self, folder: Path, *, seconds: float = 0, dies: bool = False):
        self.folder, self.seconds, self.dies = folder, seconds, dies

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        (self.folder / str(os.getpid())).touch()
        time.sleep(self.seconds * len(texts))
        died = self.folder / "died"
        if self.dies and os.getpid() != int((self.folder / "client").read_text()) and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        digests = [hashlib.blake2b(text.encode(), digest_size=self.dims).digest() for text in texts]
        return unit_rows(np.array([list(digest) for digest in digests], np.float32).reshape(-1, self.dims) - 127.5)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workers"
    made.mkdir()
    return made


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a file, but the full-text index's own, and the settings (the file's id, and marks of its state)."""
    with MemoryDatabase(path, embed="none", read_only=True) as db:
        tables = [row[0] for row in db.conn.execute("select name from sqlite_schema where type = 'table'")]
        kept = [
            name
            for name in tables
            if "_fts" not in name and "_cjk" not in name and "sqlite" not in name and name != "settings"
        ]
        return {name: [tuple(row) for row in db.conn.execute(f'select * from "{name}"')] for name in sorted(kept)}


def plain(tmp_path: Path, embed: Any) -> dict[str, list[tuple[Any, ...]]]:
    with MemoryDatabase(tmp_path / "plain.db", embed=embed) as db:
        db.ingest(ROWS, now=NOW)
    return rows_of(tmp_path / "plain.db")


def test_every_row_is_as_without_workers_and_two_processes_embedded(tmp_path: Path, folder: Path, client: Any) -> None:
    with MemoryDatabase(tmp_path / "shared.db", embed=Hashed(folder)) as db:  # type: ignore[arg-type]
        db.ingest(ROWS, client=client, now=NOW)
        assert len({path.name for path in folder.iterdir()} - {str(os.getpid())}) == 2
        assert db.ingest(ROWS, client=client, now=NOW).unchanged == len(ROWS)
    shared = rows_of(tmp_path / "shared.db")
    assert len(shared["embeddings"]) == len(ROWS)
    assert shared["mentions"]
    assert shared == plain(tmp_path, Hashed(folder))


def test_the_built_in_model_is_loaded_by_its_name(tmp_path: Path, client: Any) -> None:
    with MemoryDatabase(tmp_path / "shared.db") as db:
        db.ingest(ROWS, client=client, now=NOW)
    assert rows_of(tmp_path / "shared.db") == plain(tmp_path, None)


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, folder: Path, client: Any) -> None:
    (folder / "client").write_text(str(os.getpid()))
    with MemoryDatabase(tmp_path / "shared.db", embed=Hashed(folder, dies=True)) as db:  # type: ignore[arg-type]
        db.ingest(ROWS, client=client, now=NOW)
    assert (folder / "died").exists()
    assert rows_of(tmp_path / "shared.db") == plain(tmp_path, Hashed(folder))


def test_reindex_embeds_on_the_workers_too(tmp_path: Path, folder: Path, client: Any) -> None:
    with MemoryDatabase(tmp_path / "shared.db", embed="none") as db:
        db.ingest(ROWS, now=NOW)
    with MemoryDatabase(tmp_path / "shared.db", embed=Hashed(folder)) as db:  # type: ignore[arg-type]
        assert db.reindex(client=client, now=NOW).vectors == len(ROWS)
    assert {path.name for path in folder.iterdir()} - {str(os.getpid())}
    vectors = [row[-2:] for row in rows_of(tmp_path / "shared.db")["embeddings"]]
    assert vectors == [row[-2:] for row in plain(tmp_path, Hashed(folder))["embeddings"]]


KILLED = """
import sys
from pathlib import Path
import test_dask
from memkit import MemoryDatabase
from memkit.embedding.on_workers import connected
slow = test_dask.Hashed(Path(sys.argv[3]), seconds=0.02)
with connected(sys.argv[1]) as client, MemoryDatabase(sys.argv[2], embed=slow) as db:
    db.ingest(test_dask.ROWS, client=client, now=test_dask.NOW)
"""


def test_a_client_that_is_killed_while_workers_embed_is_made_good_by_the_same_call(
    tmp_path: Path, folder: Path, client: Any
) -> None:
    path = tmp_path / "shared.db"
    paths = os.pathsep.join(map(str, (Path(__file__).parent, Path(__file__).parent.parent)))
    arguments = [sys.executable, "-c", KILLED, client.scheduler.address, str(path), str(folder)]
    started = subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": paths})
    for _ in range(6000):
        if any(folder.iterdir()) or started.poll() is not None:
            break
        time.sleep(0.01)
    assert started.poll() is None
    started.kill()
    started.wait()
    with MemoryDatabase(path, embed=Hashed(folder)) as db:  # type: ignore[arg-type]
        before = rows_of(path)
        assert len(before["memories"]) == len(ROWS)
        assert not before["embeddings"]
        db.ingest(ROWS, client=client, now=NOW)
    after, expected = rows_of(path), plain(tmp_path, Hashed(folder))
    assert after["embeddings"] == expected["embeddings"]
    assert after["mentions"] == expected["mentions"]


def test_a_worker_with_another_version_of_the_model_makes_no_vectors(folder: Path, client: Any) -> None:
    other = Hashed(folder)
    shared = OnWorkers(other, None, client)
    shared.version = "2"
    with pytest.raises(EmbedderFailed, match="Install the same on both"):
        shared.encode(["a text"] * (FEW + 1))


def test_a_model_that_a_worker_cannot_load_is_said() -> None:
    with pytest.raises(EmbedderFailed, match="On a Dask worker"):
        encode_part("no-such-model", ("no-such-model", "1"), ["a"])


def test_nobody_at_the_address_is_said() -> None:
    for address in ("nonsense://x", "tcp://127.0.0.1:9", ""):
        with pytest.raises(BadArgument, match="No Dask scheduler"), connected(address):
            pass


@pytest.mark.parametrize("command", [["ingest", "garden.md"], ["reindex"]])
def test_the_commands_take_the_address_of_a_scheduler(command: list[str], tmp_path: Path, client: Any) -> None:
    (tmp_path / "garden.md").write_text("# Trees\n\nRosa planted the quince in 2019.\n")
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.remember("The pear is old.")
    name, *rest = command
    arguments = [sys.executable, "-m", "memkit", name, "m.db", *rest, "--dask", client.scheduler.address]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(arguments, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with MemoryDatabase(tmp_path / "m.db") as db:
        assert db.info().vectors >= 1


# ---------------------------------------------------------------------------------------------- reading


FORMATS = Path(__file__).parent.parent / "samples"


def vault(folder: Path) -> Path:
    """A folder of notes, chats and other files, some of which cannot be read, with what one note says of another."""
    made = folder / "vault"
    shutil.copytree(FORMATS, made)
    (made / ".obsidian").mkdir(exist_ok=True)
    (made / ".obsidian" / "daily-notes.json").write_text('{"folder": "days", "format": "DD-MM-YYYY"}')
    (made / "days").mkdir()
    (made / "days" / "03-02-2024.md").write_text("Rosa pruned the quince.\n")
    (made / "blocks.md").write_text("- the pear is old\n  id:: 64a0c0de-0000-4000-8000-000000000001\n")
    (made / "refers.md").write_text("- see ((64a0c0de-0000-4000-8000-000000000001))\n")
    (made / "broken.json").write_text('[{"text": "Otto')
    (made / "unknown.xyz").write_text("?")
    for n in range(120):
        (made / f"note {n}.md").write_text(f"# Note {n}\n\nOtto Berg saw tree {n} beside [[Note {n // 2}]].\n")
    return made


def reading(path: Path, folder: Path, client: Any, **how: Any) -> tuple[Any, Any]:
    with MemoryDatabase(path, embed="none") as db:
        report = db.ingest(folder, client=client, now=NOW, **how)
    return report, rows_of(path)


def test_files_are_read_on_the_workers_and_every_row_is_the_same(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = vault(tmp_path)
    expected = reading(tmp_path / "plain.db", made, None)
    with monkeypatch.context() as here:
        here.setattr(
            "memkit.sources._reading", lambda *_: pytest.fail("a file was read here")
        )  # the workers have their own
        shared = reading(tmp_path / "shared.db", made, client)
    assert shared == expected
    assert shared[0].failures
    assert shared[0].left_out
    assert any(row for row in shared[1]["memories"] if "2024-02-03" in map(str, row))


def test_what_a_worker_sees_otherwise_is_read_here(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = vault(tmp_path)
    expected = reading(tmp_path / "plain.db", made, None)
    monkeypatch.setattr("memkit.sources.on_workers.seen", lambda path: (path.stat().st_size, 1))  # the time is another
    assert reading(tmp_path / "shared.db", made, client) == expected
    monkeypatch.undo()
    monkeypatch.setattr("memkit.sources.on_workers._how", lambda: ("another version of memkit",))
    assert reading(tmp_path / "other.db", made, client) == expected


def die_once(died: Path, part: Any) -> Any:
    """The reading of a part, in a worker that is killed over the first one."""
    from memkit.sources import on_workers

    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return on_workers._read(part)


def fail(part: Any) -> Any:
    raise ValueError("this worker cannot read")


def test_a_worker_that_dies_or_fails_over_reading_loses_nothing(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = vault(tmp_path)
    expected = reading(tmp_path / "plain.db", made, None)
    for name, work in (("died", partial(die_once, tmp_path / "died")), ("failed", fail)):
        with monkeypatch.context() as here:
            here.setattr("memkit.sources.on_workers._read", work)
            assert reading(tmp_path / f"{name}.db", made, client) == expected
    assert (tmp_path / "died").exists()


# ---------------------------------------------------------------------------------------------- asking a model


class Works(llm.Model):
    """Says that whoever a memory names works at the mill."""

    model_id = "works"
    supports_schema = True

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        found = [
            relation
            for line in prompt.prompt.splitlines()
            if line.startswith('{"memory"')
            for one in (json.loads(line),)
            for relation in (self.relation(one["memory"], one["text"]),)
        ]
        empty: dict[str, list[Any]] = {name: [] for name in SCHEMA["properties"]}
        yield json.dumps({**empty, "relations": found})

    @staticmethod
    def relation(number: int, text: str) -> dict[str, Any]:
        named = {"memory": number, "subject": text.split()[0], "predicate": "works at", "object": "Mill", "quote": text}
        return {**named, "confidence": 0.9, "valid_from": None, "valid_until": None}


NAMES = ("Rosa", "Otto", "Ines", "Pavel", "Amara", "Yuki", "Bela")


def asking(path: Path, model: Any, client: Any) -> tuple[Any, Any]:
    with MemoryDatabase(path, embed="none") as db:
        db.ingest([{"id": str(n), "text": f"{NAMES[n % 7]} {n} is always at the Mill."} for n in range(60)], now=NOW)
        report = db.extract(model, now=NOW, **({"client": client} if client else {}))
    return report, rows_of(path)


def test_a_model_is_asked_on_the_workers_and_every_row_is_the_same(tmp_path: Path, client: Any) -> None:
    plain = asking(tmp_path / "plain.db", Works(), None)
    assert plain[0].relations > 40
    with pytest.MonkeyPatch.context() as here:
        here.setattr(Works, "execute", lambda *_: pytest.fail("the model was asked here"))  # workers have their own
        assert asking(tmp_path / "shared.db", Works(), client) == plain


def test_a_worker_without_the_model_is_said_and_nothing_counts_as_failed(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memkit.text.extract.llm_extract.find_model", lambda name, **_: Works())
    with pytest.raises(NotFound, match="On a Dask worker: There is no llm model 'works'"):
        asking(tmp_path / "shared.db", "works", client)
    assert asking(tmp_path / "shared.db", Works(), client)[0].memories == 60


@pytest.mark.slow
def test_a_model_that_no_worker_survives_fails_for_its_memories_alone(tmp_path: Path, client: Any) -> None:
    report, _ = asking(tmp_path / "shared.db", Deadly(), client)
    assert (report.memories, report.failed) == (60, 8)
    assert "KilledWorker" in report.errors[0]
    with MemoryDatabase(tmp_path / "shared.db", embed="none") as db:
        assert db.extract(Deadly(), retry=True, dry_run=True).memories == 8


def dies_over(deadly: int, part: int) -> int:
    if part == deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_parts_that_a_dying_worker_had_besides_are_answered(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)  # one death fails all that the worker had
    answers = [answer for _, answer in in_order(client, partial(dies_over, 4), ((n, n) for n in range(12)))]
    assert isinstance(answers.pop(4), Lost)
    assert answers == [0, 1, 2, 3, *range(5, 12)]


def test_all_parts_together_wait_once_for_workers_that_do_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()  # a second at each look
    monkeypatch.setattr("memkit.core.workers.monotonic", clock.__next__)
    monkeypatch.setattr("memkit.core.workers.LOOK", 0.01)
    monkeypatch.setattr("memkit.core.workers.PATIENCE", 20)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as none,
        distributed.Client(none) as nobody,
    ):
        answers = [answer for _, answer in in_order(nobody, str, ((n, n) for n in range(5)))]
    assert [str(answer) for answer in answers] == ["no Dask worker is left"] * 5
    assert 20 < next(clock) < 40


def test_without_a_worker_files_are_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkit.core.workers.LOOK", 0.1)
    monkeypatch.setattr("memkit.core.workers.PATIENCE", 0.2)
    made = vault(tmp_path)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as none,
        distributed.Client(none) as nobody,
    ):
        assert reading(tmp_path / "m.db", made, nobody) == reading(tmp_path / "plain.db", made, None)


class Deadly(Works):
    """Kills the process in which it is asked about the memory with the number 13."""

    model_id = "deadly"

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        if "13 is always" in prompt.prompt:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from super().execute(prompt, stream, response, conversation)


@pytest.mark.slow
def test_a_store_on_a_server_is_filled_by_workers_too(tmp_path: Path, client: Any, url: str) -> None:
    import psycopg

    made, found = vault(tmp_path), []
    (made / "facts.jsonl").unlink()  # values of the user's slots, which a store refuses
    for helped in (None, client):
        with psycopg.connect(url) as conn:
            conn.execute("drop schema if exists memkit cascade")
        with MemoryDatabase(":memory:") as db:
            db.push(url, now=NOW)
        with MemoryDatabase(url) as there:
            report = there.ingest(made, client=helped, now=NOW)
        with psycopg.connect(url) as conn:
            rows = conn.execute("select kind, id, place, hash from memkit.units order by 1, 2").fetchall()
            vectors = conn.execute("select id, hash from memkit.vectors order by 1").fetchall()
        assert report.added > 100
        assert vectors
        found.append((report, rows, vectors))
    assert found[0] == found[1]
