"""Facts about what memkit makes on a disk: only its owner can read it, whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core import files
from memkit.database import locations
from memkit.maintenance import maintain
from memkit.sharing.publish import publishing
from memkit.sharing.publish.files import MARKER
from memkit.storage import driver
from memkit.storage.doctor import DEGRADED, OK, doctor

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files mean nothing here")


@pytest.fixture(params=[0, 0o022, 0o077], ids=lambda mask: f"umask {mask:03o}")
def anybodys(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder of everybody, with a umask that would let everybody read what is made in it."""
    before = os.umask(request.param)
    folder = tmp_path / "anybodys"
    folder.mkdir()
    folder.chmod(0o777)
    yield folder
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The modes of all that is in a folder, by path."""
    return {path.relative_to(folder).as_posix(): oct(stat.S_IMODE(path.lstat().st_mode)) for path in folder.rglob("*")}


def test_a_database_and_the_files_beside_it_are_private(anybodys: Path) -> None:
    with MemoryDatabase(anybodys / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
        assert modes(anybodys) == dict.fromkeys(("memory.db", "memory.db-wal", "memory.db-shm"), "0o600")


def test_a_rollback_journal_is_private(anybodys: Path) -> None:
    with closing(driver.connect(anybodys / "own.db")) as conn:
        conn.execute("create table visits (at)")
        conn.execute("begin immediate")
        conn.execute("insert into visits values (1)")
        assert modes(anybodys) == dict.fromkeys(("own.db", "own.db-journal"), "0o600")


def test_a_database_by_way_of_a_link_is_private(anybodys: Path) -> None:
    (anybodys / "memory.db").symlink_to(anybodys / "far.db")
    MemoryDatabase(anybodys / "memory.db").close()
    assert modes(anybodys)["far.db"] == "0o600"


def test_a_file_that_exists_keeps_its_mode_and_the_doctor_names_it(anybodys: Path) -> None:
    path = anybodys / "memory.db"
    MemoryDatabase(path).close()
    checks = {check.name: check for check in doctor(path).checks}
    assert checks["privacy"].state == OK
    path.chmod(0o640)
    MemoryDatabase(path).close()
    assert modes(anybodys) == {"memory.db": "0o640"}
    checks = {check.name: check for check in doctor(path).checks}
    assert checks["privacy"].state == DEGRADED
    assert "can read memory.db" in checks["privacy"].text
    assert checks["privacy"].text.endswith(f"Run: chmod go= {path}*")


@pytest.mark.parametrize("name", ["all.jsonl", "all.graphml", "vault"])
def test_exports_are_private(anybodys: Path, name: str, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.ingest([{"id": "1", "text": "Rosa planted the quince.", "title": "Garden"}])
        db.remember("Rosa lives in Lisbon.")
        db.export(anybodys / name)
    found = modes(anybodys)
    assert set(found.pop("vault", "0o700").split()) == {"0o700"}
    assert found
    assert set(found.values()) == {"0o600"}


def test_a_vault_and_the_folders_in_it_are_private(anybodys: Path, tmp_path: Path) -> None:
    (tmp_path / "notes" / "inner").mkdir(parents=True)
    (tmp_path / "notes" / "inner" / "Quince.md").write_text("Rosa planted the quince.")
    (tmp_path / "notes" / "Rosa.md").write_text("Rosa lives in Lisbon.")
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.ingest(tmp_path / "notes")
        db.export(anybodys / "vault")
    assert modes(anybodys) == {
        "vault": "0o700",
        "vault/Rosa.md": "0o600",
        "vault/inner": "0o700",
        "vault/inner/Quince.md": "0o600",
    }


def test_a_graph_is_private(anybodys: Path, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.export_graph(anybodys / "graph.json")
        db.export_graph(anybodys / "graph.graphml")
    assert modes(anybodys) == {"graph.json": "0o600", "graph.graphml": "0o600"}


def test_the_copy_of_a_dry_run_is_private(anybodys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(anybodys))
    seen: dict[str, str] = {}
    steps = maintain.chosen_steps
    monkeypatch.setattr(maintain, "chosen_steps", lambda *given: seen.update(modes(anybodys)) or steps(*given))
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.maintain(dry_run=True)
    assert {mode for name, mode in seen.items() if name.endswith(".db")} == {"0o600"}
    assert {mode for name, mode in seen.items() if "/" not in name} == {"0o700"}


def test_the_folder_of_llm_is_private(anybodys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(anybodys / "new" / "llm"))
    locations.open_to_write(locations.usual_database()).close()
    assert modes(anybodys) == {"new": "0o700", "new/llm": "0o700", "new/llm/memory.db": "0o600"}


def test_a_published_folder_is_for_others_and_until_it_is_checked_for_nobody(
    anybodys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.umask(0o022)  # the fixture restores it
    during: dict[str, str] = {}
    check = publishing.leaks
    monkeypatch.setattr(publishing, "leaks", lambda *given: during.update(modes(anybodys)) or check(*given))
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("The quince stands by the pond.", project="garden")
        db.publish(anybodys / "site", project="garden")
        assert {mode for name, mode in during.items() if "/" not in name} == {"0o700"}
        found = modes(anybodys)
        assert found["site"] == "0o755"
        assert {found[f"site/{name}"] for name in ("garden.db", MARKER)} == {"0o644"}
        (anybodys / "site").chmod(0o750)
        db.publish(anybodys / "site", project="garden")
        assert modes(anybodys)["site"] == "0o750"


# ---------------------------------------------------------------------------------------------- how they are made


def test_making_a_file_opens_none_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To close one would end the locks that SQLite holds on it in this process."""
    MemoryDatabase(tmp_path / "memory.db").close()
    monkeypatch.setattr(os, "close", lambda handle: pytest.fail("a file was closed"))
    files.make_file(tmp_path / "memory.db")


def test_what_a_killed_process_left_is_deleted_and_nothing_else(tmp_path: Path) -> None:
    gone, mine = f".all[1].making.99999999.{'0' * 8}", f".all[1].making.{os.getpid()}.{'0' * 8}"
    for name in (gone, mine, ".all[1].making.notes", ".other.making.99999999.00000000"):
        (tmp_path / name).mkdir()
    with files.replacing(tmp_path / "all[1]") as made:
        made.write_text("all")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [mine, ".all[1].making.notes", ".other.making.99999999.00000000", "all[1]"]
    )


def half_written(path: Path) -> None:
    """A write that fails in the middle."""
    path.write_text("half")
    raise OSError("disk full")


def test_a_file_is_replaced_only_by_a_complete_one(tmp_path: Path) -> None:
    (tmp_path / "all").write_text("before")
    with pytest.raises(OSError, match="disk full"), files.replacing(tmp_path / "all") as made:
        half_written(made)
    assert (tmp_path / "all").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["all"]
