"""A published folder appears whole or not at all, and never takes the place of what is not its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import environment, published_file

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError
from memkit.sharing.publish import NotOurs, staging
from memkit.sharing.publish.files import MARKER
from memkit.sharing.publish.staging import replacing

NOW = "2026-03-10T12:00:00Z"
FILES = {
    "Dockerfile",
    "README.md",
    "datasette.yml",
    "inspect-data.json",
    MARKER,
    "metadata.yml",
    "garden.db",
    "requirements.txt",
    "settings.json",
    "templates/index.html",
    "templates/pages/about.html",
    "templates/pages/robots.txt.html",
}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """A garden, in a file."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as made:
        made.remember("Rosa planted the quince.", project="garden", now=NOW)
        made.remember("The cellar is locked.", now=NOW)
        yield made


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_is_complete(db: MemoryDatabase, tmp_path: Path) -> None:
    report = db.publish(tmp_path / "garden", project="garden", title="Garden", now=NOW)
    assert names(tmp_path / "garden") == FILES
    assert (report.memories, len(report.new), report.folder) == (1, 1, str(tmp_path / "garden"))
    assert report.bytes == sum(path.stat().st_size for path in (tmp_path / "garden").rglob("*") if path.is_file())
    assert "1 memory" in repr(report)
    assert "<table" in report._repr_html_()


def test_its_database_is_a_plain_file_without_a_log_or_free_pages(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "garden", project="garden", now=NOW)
    with MemoryDatabase(published_file(tmp_path / "garden"), read_only=True) as public:
        facts = [public.conn.execute(f"pragma {name}").fetchone()[0] for name in ("journal_mode", "freelist_count")]
        assert facts == ["delete", 0]
        assert public.conn.execute("pragma integrity_check").fetchone()[0] == "ok"
        assert public.conn.execute("pragma foreign_key_check").fetchall() == []


def test_the_same_again_is_the_same_again(db: MemoryDatabase, tmp_path: Path) -> None:
    """But for the moment at which the schema was made, which SQLite's migrations note."""
    first = db.publish(tmp_path / "garden", project="garden", now=NOW)
    with MemoryDatabase(published_file(tmp_path / "garden"), read_only=True) as public:
        ids = [row[0] for row in public.conn.execute("select id from memories")]
    again = db.publish(tmp_path / "garden", project="garden", now="2026-04-01T08:00:00Z")
    assert (first.new, again.new, again.changed, again.gone) == (tuple(ids), (), (), ())


def test_ids_are_other_ones_in_another_folder(db: MemoryDatabase, tmp_path: Path) -> None:
    one = db.publish(tmp_path / "one", project="garden", now=NOW)
    other = db.publish(tmp_path / "other", project="garden", now=NOW)
    assert set(one.new).isdisjoint({*other.new, *(row[0] for row in db.conn.execute("select id from memories"))})


def test_a_folder_of_somebody_elses_is_left_alone(db: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.txt").write_text("five years", encoding="utf-8")
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    for name in ("theirs", "file", "link"):
        with pytest.raises(NotOurs, match="Give"):
            db.publish(tmp_path / name, project="garden", now=NOW)
    assert names(tmp_path / "theirs") == {"thesis.txt"}


def test_an_empty_folder_will_do_and_one_that_is_not_there_is_made(db: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "deep/er/new"):
        db.publish(tmp_path / name, project="garden", now=NOW)
        assert names(tmp_path / name) == FILES


def test_files_that_others_added_stay(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "garden", project="garden", now=NOW)
    (tmp_path / "garden" / "fly.toml").write_text("app = 'quince'", encoding="utf-8")
    db.publish(tmp_path / "garden", project="garden", now=NOW)
    assert names(tmp_path / "garden") == {*FILES, "fly.toml"}


def test_what_fails_leaves_the_folder_as_it_was(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "garden", project="garden", now=NOW)
    before = published_file(tmp_path / "garden").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "garden")
    assert published_file(tmp_path / "garden").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} <= {"garden", "memory.db", "memory.db-wal", "memory.db-shm"}


def interrupted(folder: Path) -> None:
    """Somebody presses Ctrl-C when half of a folder is written."""
    with replacing(folder) as half:
        (half / "garden.db").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_folder_takes_the_place_of_another_with_or_without_help_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanged: bool
) -> None:
    if not exchanged:
        monkeypatch.setattr(staging, "_exchanged", lambda one, other: False)
    for n in (1, 2):
        with replacing(tmp_path / "garden") as made:
            (made / MARKER).write_text(json.dumps({"files": ["n"]}), encoding="utf-8")
            (made / "n").write_text(str(n), encoding="utf-8")
    assert (tmp_path / "garden" / "n").read_text("utf-8") == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["garden"]


def test_what_a_killed_run_has_left_is_cleared_away_and_put_back(tmp_path: Path) -> None:
    """Killed between two renames, where the system knows no exchange: the folder comes back under its name."""
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    pid = gone.stdout.strip()
    (tmp_path / f".garden.before.{pid}").mkdir()
    (tmp_path / f".garden.before.{pid}" / MARKER).write_text('{"files": []}', encoding="utf-8")
    (tmp_path / f".garden.building.{pid}").mkdir()
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "garden"):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["garden"]


LIMITED = """
import resource, signal, sys
sys.dont_write_bytecode = True  # a module compiled under the limit would stay cut off (until Python 3.11)
from memkit import MemoryDatabase
from memkit.core.errors import MemkitError
db = MemoryDatabase(sys.argv[1], embed="none", read_only=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    db.publish(sys.argv[2], project="garden")
except MemkitError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX's")
@pytest.mark.parametrize("room", [100, 50_000])
def test_without_room_on_the_disk_nothing_stays(db: MemoryDatabase, tmp_path: Path, room: int) -> None:
    db.conn.execute("pragma wal_checkpoint(truncate)")
    out = tmp_path / "out" / "garden"
    arguments = [sys.executable, "-c", LIMITED, str(tmp_path / "memory.db"), str(out), str(room)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "could not be written" in done.stdout, done.stdout + done.stderr
    assert "No unfinished files were left" in done.stdout
    assert list(out.parent.iterdir()) == []


PUBLISHING = """
import sys
from memkit.frontends.cli.main import main
from moments import Moments
folder, last, signal = sys.argv[1:]
sys.argv = ["memkit", "publish", f"{folder}/memory.db", f"{folder}/garden", "--project", "garden"]
moments = Moments(int(last), int(signal)).of_files(folder)
if signal == "9":  # SQLite would not pass Ctrl-C on from there
    moments.of_statements()
try:
    main()
finally:
    print(moments.seen, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_killed_at_any_moment_the_old_folder_or_the_new_one_is_there(
    db: MemoryDatabase, tmp_path: Path, kill: signal.Signals
) -> None:
    out = tmp_path / "garden"
    db.publish(out, project="garden", now=NOW)

    def publish(last: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", PUBLISHING, str(tmp_path), str(last), str(int(kill))]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment())

    moments = int(publish(0).stderr.splitlines()[-1])
    for tenths in (2, 5, 8, 9, 10):
        assert publish(moments * tenths // 10).returncode != 0
        assert names(out) == FILES
        assert db.check_published(out).sound
    db.publish(out, project="garden", now=NOW)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_that_may_not_be_written_is_said_in_words(db: MemoryDatabase, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(MemkitError, match="could not be written"):
        db.publish(tmp_path / "file" / "garden", project="garden", now=NOW)


def test_no_file_names_the_machine(db: MemoryDatabase, tmp_path: Path) -> None:
    db.publish(tmp_path / "garden", project="garden", now=NOW)
    for path in (tmp_path / "garden").rglob("*"):
        if path.is_file():
            assert os.fsencode(tmp_path) not in path.read_bytes()
            assert os.fsencode(Path.home()) + b"/" not in path.read_bytes()
