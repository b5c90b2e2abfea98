"""Keeping up: what belongs to a database is remembered, and what has changed in it is taken in."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.core.errors import BadSource, MemkitError, NotFound
from memkit.frontends.cli.main import cli
from memkit.sources import FORMATS
from memkit.storage import store


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    folder.mkdir()
    for name in ("quince", "pear", "plum"):
        (folder / f"{name}.md").write_text(f"Rosa planted the {name}.")
    (folder / "empty.md").write_text("")
    (folder / "tree.jpg").write_bytes(b"\xff\xd8")
    return folder


@pytest.fixture
def readings(monkeypatch):
    """The names of the notes that were read."""
    seen: list[str] = []
    real = FORMATS["markdown"].read

    def counted(path, options, name):
        seen.append(name)
        return real(path, options, name)

    monkeypatch.setattr("memkit.sources.formats", lambda: {**FORMATS, "markdown": _reading_with(counted)})
    return seen


def _reading_with(read):
    from dataclasses import replace

    return replace(FORMATS["markdown"], read=read)


def texts(db):
    return sorted(row[0] for row in db.conn.execute("select text from memories where archived_at is null"))


def test_a_sync_reads_what_is_new_and_passes_over_the_rest(garden, readings):
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden, project="garden")
        (report,) = db.sync().reports.values()
        assert (report.added, report.passed_over, sorted(readings)) == (
            3, 0, ["empty.md", "pear.md", "plum.md", "quince.md"],
        )  # fmt: skip
        readings.clear()
        (again,) = db.sync().reports.values()
        assert (again.added, again.updated, again.removed, again.passed_over, readings) == (0, 0, 0, 4, [])
        assert again.left_out_text == report.left_out_text == "1 .jpg (no format that memkit reads), 1 without text"
        (garden / "plum.md").unlink()
        (garden / "pear.md").write_text("Rosa planted the old pear.")
        (garden / "fig.md").write_text("The fig came last.")
        (changed,) = db.sync().reports.values()
        assert (changed.added, changed.updated, changed.removed, sorted(readings)) == (1, 1, 1, ["fig.md", "pear.md"])
        assert texts(db) == ["Rosa planted the old pear.", "Rosa planted the quince.", "The fig came last."]
        assert {row[0] for row in db.conn.execute("select project from memories")} == {"garden"}
        (whole,) = db.sync(again=True).reports.values()
        assert (whole.unchanged, whole.passed_over, len(readings)) == (3, 0, 6)


def test_a_file_of_which_something_could_not_be_read_is_read_again_each_time(garden, readings):
    (garden / "odd.md").write_text("---\ntags: [open\n---\nThe medlar.")
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden)
        db.sync()
        readings.clear()
        (again,) = db.sync().reports.values()
        assert (readings, len(again.warnings)) == (["odd.md"], 1)


def test_a_change_of_the_same_length_is_seen(garden):
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden / "pear.md")
        db.sync()
        (garden / "pear.md").write_text("Rosa planted the Pear.")
        assert db.sync().changed == 1
        assert texts(db) == ["Rosa planted the Pear."]


def test_what_is_not_there_or_suddenly_empty_stays_and_is_said(garden, tmp_path):
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden)
        db.sync()
        aside = tmp_path / "aside"
        garden.rename(aside)
        (gone,) = db.sync().reports.values()
        assert [one.reason for one in gone.failures] == ["it is not there; what it held stays"]
        garden.mkdir()  # as the place of a disk that is not mounted
        (empty,) = db.sync().reports.values()
        assert "it is empty now; what it held stays" in empty.failures[0].reason
        assert len(texts(db)) == 3
        garden.rmdir()
        aside.rename(garden)
        assert db.sync().changed == 0


def test_a_source_that_cannot_be_read_keeps_no_other_from_being_read(garden, tmp_path):
    odd = tmp_path / "odd.txt"
    odd.write_text("The medlar.")
    with MemoryDatabase(embed="none") as db:
        db.add_source(odd)
        db.add_source(garden)
        db.sync()
        odd.write_text('<?xml version="1.0"?>\n<trees><tree/></trees>')  # refused, if it is named
        (garden / "fig.md").write_text("The fig came last.")
        first, second = db.sync().reports.values()
        assert [one.source for one in first.failures] == [odd.as_posix()]
        assert second.added == 1
        assert "The medlar." in texts(db)


@pytest.mark.parametrize("path", ["/" + "a" * 300, "/nowhere"])
def test_what_can_be_no_path_is_no_source_and_in_a_file_from_elsewhere_stops_nothing(garden, path):
    with MemoryDatabase(embed="none") as db:
        with pytest.raises(MemkitError, match=r"There is no file|must be a path"):
            db.add_source(path)
        db.add_source(garden)
        store.set_setting(db.conn, "sources", {path: {}, **store.setting(db.conn, "sources", {})})
        first, second = db.sync().reports.values()
        assert [one.source for one in first.failures] == [path]
        assert second.added > 0


def test_another_reader_reads_all_files_again(garden, readings, monkeypatch):
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden)
        db.sync()
        readings.clear()
        monkeypatch.setattr("memkit.ingestion.sync.__version__", "99")
        db.sync()
        assert len(readings) == 4
        readings.clear()
        db.add_source(garden, max_tokens=100)
        db.sync()
        assert len(readings) == 4


def test_sources_are_shown_and_forgotten(garden, tmp_path):
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        assert repr(db.sources()) == "No sources yet"
        db.add_source(garden)
        db.sync(now="2026-01-02T03:04:05Z")
        (one,) = db.sources()
        assert (one.path, one.files, one.failed, one.read_at) == (garden.as_posix(), 4, 0, "2026-01-02T03:04:05Z")
        assert "2026-01-02 03:04" in repr(db.sources())
        assert "<td" in db.sources()._repr_html_()
        with pytest.raises(BadSource, match="There is no file or folder"):
            db.add_source(garden / "nothing")
        with pytest.raises(TypeError, match="'textcolumn' is not a reading option"):
            db.add_source(garden, textcolumn="x")
        with pytest.raises(NotFound, match="is no source of this database"):
            db.remove_source(tmp_path)
        db.remove_source(garden)
        assert not db.sources()
        assert len(texts(db)) == 3


def test_the_commands(garden, tmp_path):
    file = str(tmp_path / "m.db")

    def run(*words):
        return CliRunner().invoke(cli, [words[0], file, *map(str, words[1:])])

    assert f"No sources yet. Add one: memkit sources {file} add PATH" in run("sync", "--no-embed").output
    added = run("sources", "add", garden, "--project", "garden")
    assert (added.exit_code, "never" in added.output) == (0, True)
    first = run("sync", "--no-embed")
    assert first.output.startswith(f"{garden}: 3 added, 0 updated")
    assert first.exit_code == 0
    assert json.loads(run("sync", "--no-embed", "--json").output)[str(garden)]["passed_over"] == 4
    assert json.loads(run("sources", "--json").output)[0]["left_out"].startswith("1 .jpg")
    without = run("sources", "remove")
    assert (without.exit_code, f"memkit sources {file} remove PATH..." in without.output) == (2, True)
    assert "No sources yet" in run("sources", "remove", garden).output


def test_watching_takes_in_each_change(garden, tmp_path, monkeypatch):
    import watchfiles

    file = str(garden / "m.db")

    def changes(*paths, debounce, watch_filter):
        assert paths == (garden.as_posix(),)
        assert watch_filter(watchfiles.Change.modified, str(garden / "fig.md"))
        assert not watch_filter(watchfiles.Change.modified, f"{file}-wal")
        (garden / "fig.md").write_text("The fig came last.")
        yield {(1, str(garden / "fig.md"))}
        (garden / "fig.md").unlink()
        yield {(3, str(garden / "fig.md"))}

    monkeypatch.setattr(watchfiles, "watch", changes)
    CliRunner().invoke(cli, ["sources", file, "add", str(garden)])
    said = CliRunner().invoke(cli, ["sync", file, "--watch", "--no-embed"]).output.splitlines()
    assert [line.partition(": ")[2] for line in said if line.startswith(str(garden))] == [
        "3 added, 0 updated, 0 unchanged, 0 removed, 0 failed",
        "1 added, 0 updated, 0 unchanged, 0 removed, 0 failed",
        "0 added, 0 updated, 0 unchanged, 1 removed, 0 failed",
    ]


def test_states_and_paths_leave_neither_with_an_export_nor_with_a_published_file(garden, tmp_path):
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.add_source(garden)
        db.sync()
        db.export(tmp_path / "all.jsonl")
        db.publish(tmp_path / "out", project="global", embed="none")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    (published,) = (tmp_path / "out").glob("*.db")
    with closing(sqlite3.connect(published)) as public:
        names = {row["settings"]["name"] for row in rows if "settings" in row}
        names |= {row[0] for row in public.execute("select name from settings")}
        assert not names & {"sources", "file_states"}
        assert str(garden) not in "\n".join(public.iterdump())


def test_sessions_in_files_with_odd_names_stay_when_the_file_is_passed_over(garden):
    rows = [{"text": f"Said {n}.", "session": f"s#{n}"} for n in range(3)]
    for name in ("a#b.jsonl", "a.jsonl"):
        (garden / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    with MemoryDatabase(embed="none") as db:
        db.add_source(garden)
        db.sync()
        before = texts(db)
        (garden / "quince.md").write_text("Rosa planted two quinces.")
        (report,) = db.sync().reports.values()
        assert (report.updated, report.removed, len(texts(db))) == (1, 0, len(before))
        (garden / "a#b.jsonl").unlink()
        assert db.sync().changed == 3


def test_a_file_is_stored_once_however_its_path_is_written(tmp_path, monkeypatch):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text("Quince jelly needs sugar.")
    (tmp_path / "deep/diary").mkdir(parents=True)
    with MemoryDatabase(embed="none") as db:
        for place, path in ((".", "notes"), ("deep", "../notes"), ("deep/diary", "../../notes/a.md")):
            monkeypatch.chdir(tmp_path / place)
            db.ingest(path)
            db.add_source(path)
        assert [tuple(row) for row in db.conn.execute("select source from documents")] == [
            ((tmp_path / "notes/a.md").as_posix(),)
        ]
        assert db.conn.execute("select count(*) from memories").fetchone()[0] == 1
        assert [one.path for one in db.sources()] == [
            (tmp_path / "notes").as_posix(),
            (tmp_path / "notes/a.md").as_posix(),
        ]


def test_a_path_that_was_stored_with_dots_is_given_its_plain_form(tmp_path):
    (tmp_path / "a.md").write_text("Quince jelly needs sugar.")
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path / "a.md")
        db.conn.execute("update documents set source = ?", [f"{tmp_path}/diary/../a.md"])
        report = db.ingest(tmp_path / "a.md")
        assert (report.added, report.unchanged) == (0, 1)


def test_a_path_that_leads_elsewhere_without_its_dots_stays(tmp_path):
    (tmp_path / "far/notes").mkdir(parents=True)
    (tmp_path / "far/a.md").write_text("Quince jelly needs sugar.")
    (tmp_path / "link").symlink_to(tmp_path / "far/notes")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path / "link/../a.md").added == 1
        (tmp_path / "a.md").write_text("Medlars are eaten soft.")
        assert db.ingest(tmp_path / "link/../a.md").added == 0
        assert db.ingest(tmp_path / "a.md").added == 1


def test_a_source_that_was_stored_with_dots_can_be_removed(tmp_path):
    with MemoryDatabase(embed="none") as db:
        db.add_source(tmp_path)
        (about,) = [value for (value,) in db.conn.execute("select value from settings where name = 'sources'")]
        bent = about.replace(tmp_path.as_posix(), f"{tmp_path.as_posix()}/diary/..")
        db.conn.execute("update settings set value = ? where name = 'sources'", [bent])
        assert [one.path for one in db.sources()] == [f"{tmp_path.as_posix()}/diary/.."]
        db.remove_source(tmp_path)
        assert [*db.sources()] == []
