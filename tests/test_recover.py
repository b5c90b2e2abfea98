"""Facts about recovering a damaged file: what is on whole pages comes back, nothing is invented, losses are listed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import everything

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, MemkitError, NotAMemoryDatabase, NotFound
from memkit.frontends.cli.main import cli
from memkit.storage import driver
from memkit.storage.doctor import doctor
from memkit.storage.pages import Pages
from memkit.storage.recover import RecoverReport, recover

NOW = "2026-03-01T12:00:00Z"
SIZE = 4096
MADE_AGAIN = {"settings", "_sqlite_migrations", "embeddings", "models", "sqlite_sequence", "sqlite_stat1"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory database of some hundred pages: long texts, CJK, a graph, a ledger, free pages, a table of one's own."""
    path = tmp_path_factory.mktemp("recover") / "memory.db"
    with MemoryDatabase(path) as db:
        db.ingest(
            [{"id": str(n), "text": f"Rosa gave Kofi {n} quinces. {'so it is ' * (n % 7 * 150)}"} for n in range(120)]
        )
        db.ingest([{"id": f"c{n}", "text": f"北京天安门 {n} 号", "title": "日记"} for n in range(20)])
        db.remember("Rosa lives in Lisbon.", slot="user", key="home")
        db.forget(db.remember("A secret of Aiko, deleted for good.").id)
        db.recall("Rosa", track=True, ledger=True)
        db.tables["visits"].insert_all([{"id": n, "place": f"garden {n}", "cost": n / 3} for n in range(200)], pk="id")
        db.tables["leaving"].insert_all([{"id": n, "text": "gone " * 500} for n in range(30)], pk="id")
        db.tables["leaving"].drop()
    return path


def rows(path: Path) -> dict[str, Any]:
    """All rows of all tables that are not made again."""
    with MemoryDatabase(path, embed="none") as db:
        found = everything(db)
        found["sequence"] = sorted(
            map(tuple, db.conn.execute("select name, seq from sqlite_sequence where name = 'memories'"))
        )
    return {
        name: sorted(map(repr, those))
        for name, those in found.items()
        if name not in MADE_AGAIN and not name.startswith(("memories_fts_", "memories_cjk_"))
    }


def texts(path: Path) -> dict[str, str]:
    """The texts of memories by their ids."""
    with MemoryDatabase(path, embed="none") as db:
        return dict(map(tuple, db.conn.execute("select id, text from memories")))  # type: ignore[arg-type]


def damaged(whole: Path, tmp_path: Path, damage: Callable[[bytearray], Any]) -> tuple[Path, RecoverReport]:
    """The recovered database of a file after some damage to its bytes."""
    data = bytearray(whole.read_bytes())
    data = damage(data) or data
    (tmp_path / "damaged.db").write_bytes(data)
    report = recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert not [check for check in doctor(tmp_path / "new.db").checks if check.state == "broken"]
    return tmp_path / "new.db", report


def page(data: bytearray, number: int, content: bytes) -> None:
    """Overwrites a page."""
    data[(number - 1) * SIZE : number * SIZE] = content.ljust(SIZE, b"\0")[:SIZE]


def test_a_whole_file_comes_back_as_it_is(whole: Path, tmp_path: Path) -> None:
    new, report = damaged(whole, tmp_path, lambda data: None)
    assert rows(new) == rows(whole)
    assert (report.lost, report.texts, report.pages, report.notes) == ((), (), (), ())
    assert not report.unreadable
    assert not report.hanging
    assert os.stat(new).st_mode & 0o777 == 0o600
    with MemoryDatabase(new) as one, MemoryDatabase(whole) as other:
        question = "who gave Kofi 17 quinces?"
        assert [h.memory.id for h in one.recall(question).hits] == [h.memory.id for h in other.recall(question).hits]


DAMAGES: dict[str, Callable[[random.Random], bytes]] = {
    "random bytes": lambda luck: luck.randbytes(SIZE),
    "zeros": lambda luck: bytes(SIZE),
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", DAMAGES)
def test_every_memory_on_whole_pages_comes_back_and_none_is_invented(
    whole: Path, tmp_path: Path, kind: str, seed: int
) -> None:
    luck = random.Random(seed)
    count = whole.stat().st_size // SIZE
    hit = set(luck.sample(range(1 if seed % 2 else 2, count + 1), 3 + seed * 4))
    new, report = damaged(whole, tmp_path, lambda data: [page(data, one, DAMAGES[kind](luck)) for one in hit] and None)
    before, after = texts(whole), texts(new)
    assert set(after.values()) <= set(before.values())
    known = {id: text for id, text in after.items() if id not in report.texts}
    assert known.items() <= before.items()
    assert safe(whole, hit) <= known.keys()
    if 1 not in hit:
        assert set(report.lost) <= before.keys()


def safe(path: Path, hit: set[int]) -> set[str]:
    """The ids of memories whose row, with all that it goes on to, is on no damaged page."""
    pages, found = Pages(path), set()
    with closing(driver.connect(path, read_only=True)) as conn:
        root = conn.execute("select rootpage from sqlite_master where name = 'memories'").fetchone()[0]
    read = pages.page
    for number, _ in pages.walk(root, (13, 5)):
        for place in range(len(list(pages.rows(number)))):
            seen = {number}
            pages.page = lambda n, seen=seen: seen.add(n) or read(n)  # type: ignore[method-assign, misc]
            row = list(pages._row(read(number), pages._cells(read(number), 0)[place], True)[1])
            pages.page = read  # type: ignore[method-assign]
            if not seen & hit:
                found.add(row[1])
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_text_in_which_bytes_were_changed_is_not_taken(whole: Path, tmp_path: Path, seed: int) -> None:
    luck = random.Random(seed)

    def scribble(data: bytearray) -> None:
        for _ in range(400):
            data[luck.randrange(SIZE, len(data))] = luck.randrange(256)

    new, report = damaged(whole, tmp_path, scribble)
    after = {id: text for id, text in texts(new).items() if id not in report.texts}
    assert set(after.values()) <= set(texts(whole).values())
    assert len(after) > 60


@pytest.mark.parametrize("part", [0.9, 0.5, 0.1])
def test_what_a_file_that_was_cut_off_still_has_comes_back(whole: Path, tmp_path: Path, part: float) -> None:
    cut = int(whole.stat().st_size * part)
    new, _ = damaged(whole, tmp_path, lambda data: data[:cut])
    assert texts(new).items() <= texts(whole).items() or part < 0.9
    assert set(texts(new).values()) <= set(texts(whole).values())
    assert safe(whole, set(range(cut // SIZE + 1, whole.stat().st_size // SIZE + 1))) <= texts(new).keys()


def test_without_its_header_and_schema_rows_are_recognised_by_what_they_hold(whole: Path, tmp_path: Path) -> None:
    new, report = damaged(whole, tmp_path, lambda data: page(data, 1, b"\xff" * SIZE))
    assert texts(new) == texts(whole)
    assert "recognised by what its table holds" in report.notes[0]


def test_what_is_only_in_the_log_comes_back_too(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "open.db")
    with MemoryDatabase(tmp_path / "open.db", embed="none") as db:
        id = db.remember("Aiko brought a pear.").id
        for end in ("", "-wal"):
            shutil.copy(f"{tmp_path / 'open.db'}{end}", f"{tmp_path / 'damaged.db'}{end}")
    recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert texts(tmp_path / "new.db")[id] == "Aiko brought a pear."
    (tmp_path / "damaged.db-wal").unlink()
    recover(tmp_path / "damaged.db", tmp_path / "older.db", NOW)
    assert texts(tmp_path / "older.db") == texts(whole)


def test_what_was_not_committed_does_not_come_back(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "open.db")
    with MemoryDatabase(tmp_path / "open.db", embed="none") as db:
        db.remember("Aiko brought a pear.")
        log = Path(f"{tmp_path / 'open.db'}-wal").read_bytes()
        shutil.copy(tmp_path / "open.db", tmp_path / "damaged.db")
    (tmp_path / "damaged.db-wal").write_bytes(log[: len(log) - 100])  # the last frame is cut off
    recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert texts(tmp_path / "new.db").items() <= {**texts(whole), **texts(tmp_path / "open.db")}.items()
    assert not [check for check in doctor(tmp_path / "new.db").checks if check.state == "broken"]


def test_what_hangs_on_a_lost_memory_is_left_out_and_counted(whole: Path, tmp_path: Path) -> None:
    with closing(driver.connect(whole, read_only=True)) as conn:
        root = dict(map(tuple, conn.execute("select name, rootpage from sqlite_master")))  # type: ignore[arg-type]
    pages = Pages(whole)
    leaves = [n for n, _ in pages.walk(root["memories"], (13, 5)) if pages.kind(n) == 13]
    copies = [n for n, _ in pages.walk(root["memories_fts_content"], (13, 5)) if pages.kind(n) == 13]
    new, report = damaged(whole, tmp_path, lambda data: [page(data, n, b"") for n in (leaves[3], *copies)] and None)
    gone = texts(whole).keys() - texts(new).keys()
    assert gone
    assert set(report.lost) == gone
    assert sum(report.hanging.values()) > 0
    assert leaves[3] in report.pages
    assert str(len(gone)) in report.sentence


def test_the_rows_of_a_file_with_a_foreign_schema_come_into_a_clean_one(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "damaged.db")
    with closing(driver.sqlite3.connect(tmp_path / "damaged.db", isolation_level=None)) as conn:
        conn.execute("create trigger spy after insert on memories begin delete from memories; end")
        conn.execute("pragma writable_schema = on")
        conn.execute(
            "update sqlite_master set sql = replace(sql, 'last_at    text', 'last_at int') where name = 'access'"
        )
    with pytest.raises(NotAMemoryDatabase, match="memkit recover"):
        MemoryDatabase(tmp_path / "damaged.db")
    recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert rows(tmp_path / "new.db") == rows(whole)


def test_a_value_that_is_nested_too_deeply_costs_its_row_and_not_the_others(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "damaged.db")
    with closing(driver.connect(tmp_path / "damaged.db")) as conn:
        conn.execute("insert into settings values ('deep', ?)", ["[" * 100_000 + "]" * 100_000])
    report = recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert report.unreadable == {"settings": 1}
    assert rows(tmp_path / "new.db") == rows(whole)


def test_nothing_is_overwritten_and_nothing_half_is_left(whole: Path, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(BadQuestion, match="Give a new name"):
        recover(whole, tmp_path / "there.db", NOW)
    with pytest.raises(NotFound, match="There is no file"):
        recover(tmp_path / "none.db", tmp_path / "new.db", NOW)
    monkeypatch.setattr("memkit.storage.recover.reindex_texts", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(MemkitError, match="disk full"):
        recover(whole, tmp_path / "new.db", NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["there.db"]


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0", bytes(range(256)) * 40, b"\x0d" * 9000])
def test_any_bytes_are_read_without_a_crash(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "damaged.db").write_bytes(content)
    recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    assert texts(tmp_path / "new.db") == {}


def test_by_the_command(whole: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["recover", str(whole), str(tmp_path / "new.db")])
    assert done.exit_code == 0, done.output
    assert "141 memories" in done.output or "memories; no lost memory is known" in done.output


def test_a_file_of_which_only_the_beginning_is_left_does_not_sound_whole(whole: Path, tmp_path: Path) -> None:
    _, report = damaged(whole, tmp_path, lambda data: data[: 8 * 4096])
    assert not report.lost
    assert report.sentence.endswith(f"no lost memory is known, but {len(report.pages)} pages could not be read")


@pytest.mark.parametrize("name", ["memories", "documents", "mentions", "memories_fts_content", "entities"])
def test_leaves_to_which_no_page_leads_any_more_are_found(whole: Path, tmp_path: Path, name: str) -> None:
    """The page at the root of a tree is gone: SQLite itself would find none of its rows."""
    with closing(driver.connect(whole, read_only=True)) as conn:
        root = conn.execute("select rootpage from sqlite_master where name = ?", [name]).fetchone()[0]
    is_inner = Pages(whole).kind(root) == 5
    new, report = damaged(whole, tmp_path, lambda data: page(data, root, b""))
    assert report.pages == (root,)
    if is_inner:
        assert rows(new) == rows(whole)
        assert (report.lost, report.texts) == ((), ())
    assert texts(new) == texts(whole)


def test_the_roots_of_the_larger_tables_are_inner_pages(whole: Path) -> None:
    with closing(driver.connect(whole, read_only=True)) as conn:
        roots = dict(map(tuple, conn.execute("select name, rootpage from sqlite_master")))  # type: ignore[arg-type]
    assert {Pages(whole).kind(roots[name]) for name in ("memories", "mentions", "memories_fts_content")} == {5}


def test_peoples_own_tables_may_refer_to_a_primary_key_without_naming_it(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole, tmp_path / "damaged.db")
    with closing(driver.sqlite3.connect(tmp_path / "damaged.db", isolation_level=None)) as conn:
        conn.execute("create table pears (name text primary key)")
        conn.execute("create table eaten (pear text references pears)")
        conn.execute("insert into pears values ('Conference')")
        conn.execute("insert into eaten values ('Conference'), ('Williams')")
    report = recover(tmp_path / "damaged.db", tmp_path / "new.db", NOW)
    with closing(driver.connect(tmp_path / "new.db")) as conn:
        assert [row[0] for row in conn.execute("select pear from eaten")] == ["Conference"]
    assert report.hanging == {"eaten": 1}
