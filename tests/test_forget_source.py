"""A source that a person takes back: its memories are hidden with all that only they said, stay so, and come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import check_indexes

from memkit import MemoryDatabase
from memkit.core.errors import BadArgument, MemkitError, NotFound
from memkit.frontends.cli.main import cli

TABLES = ("memories", "mentions", "relations", "evidence", "links", "extractions", "memories_fts")


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name, text in {
        "own/rosa.md": "# Rosa\n\nRosa Lind lives in Lisbon. Rosa Lind met Otto Brask there.",
        "own/garden.md": "# Garden\n\nRosa Lind planted the quince in 2019.",
        "work/plan.md": "# Plan\n\nDagmar Quist leads the Zyzzyva project. Dagmar Quist lives in Malmo.",
        "work/people.md": "# People\n\nRosa Lind works at Acmecorp. Dagmar Quist works at Acmecorp.",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def chat(number: int, title: str, turns: list[str]) -> dict[str, Any]:
    """A conversation of ChatGPT with the user's turns."""
    mapping = {
        f"{number}-{place}": {
            "id": f"{number}-{place}",
            "parent": f"{number}-{place - 1}" if place else None,
            "children": [f"{number}-{place + 1}"] if place + 1 < len(turns) else [],
            "message": {
                "id": f"{number}-{place}",
                "author": {"role": "user"},
                "create_time": 1700000000 + number * 1000 + place,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        for place, text in enumerate(turns)
    }
    return {
        "id": f"c{number}",
        "title": title,
        "create_time": 1700000000,
        "update_time": 1700000000 + len(turns),
        "mapping": mapping,
        "current_node": f"{number}-{len(turns) - 1}",
    }


@pytest.fixture
def exports(tmp_path: Path) -> tuple[Path, Path]:
    """Two exports: the second one has a turn more, and a chat that the first one does not have."""
    rome = ["I saw the Pantheon in Rome.", "Ottoline booked the hotel."]
    jelly = chat(2, "Jelly", ["Quince jelly needs sugar."])
    paths = tmp_path / "january" / "conversations.json", tmp_path / "february" / "conversations.json"
    for path, chats in zip(
        paths,
        ([chat(1, "Rome", rome[:1]), jelly], [chat(1, "Rome", rome), jelly, chat(3, "Bees", ["The bees swarm."])]),
        strict=True,
    ):
        path.parent.mkdir()
        path.write_text(json.dumps(chats))
    return paths


def known(db: MemoryDatabase) -> list[str]:
    return [row[0] for row in db.conn.execute("select text from memories where archived_at is null order by text")]


def state(db: MemoryDatabase) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables; but for when relations were told, which is now when their evidence comes back."""
    names = {table: [row[1] for row in db.conn.execute(f"pragma table_info({table})")] for table in TABLES}
    left = {table: [name for name in of if name not in ("key", "created_at", "at")] for table, of in names.items()}
    query = {
        table: f"select {', '.join(left[table])} from {table}"
        + (" where expired_at is null" if table == "relations" else "")
        for table in TABLES
    }
    return {table: sorted(map(tuple, db.conn.execute(query[table])), key=repr) for table in TABLES}


def test_what_only_a_folder_said_is_said_no_more(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    report = db.forget_source(notes / "work")
    assert report.told == "2 memories of 2 documents hidden"
    assert [text for text in known(db) if "Dagmar" in text or "Acmecorp" in text] == []
    assert [str(one) for one in db.about("Rosa Lind").relations] == ["Rosa Lind -lives in-> Lisbon"]
    assert len(known(db)) == 2
    check_indexes(db)


def test_names_that_only_it_said_are_nowhere(db: MemoryDatabase, notes: Path, tmp_path: Path) -> None:
    """Also not as a suggestion, a number, or a proposal; what was a name before is one after it came back."""
    (notes / "work" / "again.md").write_text("# Again\n\nDagmar Quist lives in Malmo. She likes the Zyzzyva project.")
    (notes / "work" / "rows.jsonl").write_text(
        '{"text": "Dagmar likes oolong tea."}\n{"text": "Dagmar likes oolong tea!"}'
    )
    db.ingest(notes)
    db.maintain(only="propose")

    def told() -> str:
        db.export_graph(tmp_path / "graph.json")
        parts = [str(one) for one in (db.graph_stats(), db.choices(), db.proposals("open"), db.neighborhood())]
        parts += [str(db.completions(word)) for word in ("dag", "mal", "acme", "pla")]
        parts += [str(db.context("Rosa Lind and tea", strategy=name)) for name in ("memkit", "kira", "construct")]
        return " ".join([*parts, (tmp_path / "graph.json").read_text()])

    def names() -> list[str]:
        return [name for name in ("Dagmar", "Quist", "Malmo", "Acmecorp", "oolong", "'Plan'") if name in told()]

    assert names() == ["Dagmar", "Quist", "Malmo", "Acmecorp", "oolong", "'Plan'"]
    run = db.forget_source(notes / "work").run
    assert names() == []
    for ask in (db.about, db.neighborhood, db.neighbors):
        with pytest.raises(NotFound, match=r"nothing called 'Dagmar Quist'\. `memkit"):
            ask("Dagmar Quist")
    db.undo(run)
    assert len(names()) == 6


def test_what_is_found_by_meaning_is_found_no_more(notes: Path) -> None:
    (notes / "work" / "rows.jsonl").write_text('{"text": "Dagmar Quist likes oolong tea."}')
    db = MemoryDatabase()
    db.ingest(notes)
    assert "oolong tea" in str(db.context("Rosa Lind and tea", strategy="kira"))
    db.forget_source(notes / "work")
    assert "oolong" not in str(db.context("Rosa Lind and tea", strategy="kira"))


def test_it_is_in_no_part_that_is_given_away(db: MemoryDatabase, notes: Path, tmp_path: Path) -> None:
    db.ingest(notes)
    db.forget_source(notes / "work")
    db.export(tmp_path / "part.jsonl", project="global")
    assert "Dagmar" not in (tmp_path / "part.jsonl").read_text()
    db.publish(tmp_path / "out", project="global", keep=["history", "sources"])
    said = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [word for word in (b"Dagmar", b"Zyzzyva", b"Acmecorp") if word in said] == []


def test_undo_brings_it_back_as_it_was(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    before = state(db)
    run = db.forget_source(notes / "work").run
    assert len(db.undo(run)) == 2
    assert state(db) == before
    again = db.ingest(notes)
    assert (again.added, again.updated, again.unchanged, again.left_out) == (0, 0, 4, [])
    check_indexes(db)


def test_it_comes_back_by_its_name_also_when_its_state_is_no_longer_kept(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    before = state(db)
    db.forget_source(notes / "work" / "plan.md")
    db.forget_source(notes / "work")
    db.vacuum()
    assert db.bring_back(notes / "work").memories == 2
    assert db.ingest(notes).unchanged == 4
    after = state(db)
    assert {name: after[name] for name in ("memories_fts", "mentions")} == {
        name: before[name] for name in ("memories_fts", "mentions")
    }
    assert "Dagmar Quist -lives in-> Malmo" in [str(one) for one in db.about("Dagmar Quist").relations]


def test_it_stays_forgotten_and_an_ingest_and_a_sync_say_so(db: MemoryDatabase, notes: Path) -> None:
    db.add_source(notes)
    db.sync()
    db.forget_source(notes / "work")
    (notes / "work" / "new.md").write_text("Dagmar Quist got a new desk.")
    (notes / "work" / "plan.md").write_text("Dagmar Quist leads nothing any more, she left in June.")
    told = known(db)
    for report in (db.ingest(notes), db.ingest(notes / "work"), *db.sync().reports.values()):
        assert (report.added, report.updated, report.removed) == (0, 0, 0)
        assert "forgotten before" in report.left_out_text
    assert known(db) == told
    db.bring_back(notes / "work")
    assert len(known(db)) == 4
    (report,) = db.sync().reports.values()
    assert (report.added, report.left_out_text) == (2, "")  # the new note, and what is new in the plan


def test_a_followed_folder_that_is_forgotten_is_followed_no_more(db: MemoryDatabase, notes: Path) -> None:
    db.add_source(notes / "work")
    db.add_source(notes / "own")
    db.sync()
    assert db.forget_source(notes / "work").unfollowed == [(notes / "work").as_posix()]
    assert [one.path for one in db.sources()] == [(notes / "own").as_posix()]


def test_it_stays_forgotten_where_its_files_are_moved_to(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    run = db.forget_source(notes / "work").run
    (notes / "work").rename(notes / "archive")
    for _ in range(2):
        report = db.ingest(notes, sync=True)
        assert (report.added, report.left_out_text) == (0, "2 .md (forgotten before)")
    db.undo(run)
    report = db.ingest(notes)
    assert (report.added, report.updated + report.unchanged, len(known(db))) == (0, 4, 4)


def test_what_another_export_says_too_stays(db: MemoryDatabase, exports: tuple[Path, Path]) -> None:
    january, february = exports
    db.ingest([january, february])
    report = db.forget_source(february)
    assert (report.memories, report.kept) == (2, {january.as_posix(): 2})
    assert known(db) == ["I saw the Pantheon in Rome.", "Quince jelly needs sugar."]
    assert db.forget_source(january).memories == 2
    assert known(db) == []
    assert db.bring_back(february).memories == 2
    assert known(db) == ["Ottoline booked the hotel.", "The bees swarm."]


def test_several_sources_are_forgotten_together(db: MemoryDatabase, exports: tuple[Path, Path]) -> None:
    db.ingest(list(exports))
    assert db.forget_source(exports).kept == {}
    assert known(db) == []


def test_a_message_that_a_later_export_has_in_other_words_is_of_that_export(
    db: MemoryDatabase, exports: tuple[Path, Path]
) -> None:
    january, february = exports
    db.ingest(january)
    february.write_text(february.read_text().replace("Pantheon", "Colosseum"))
    db.ingest(february)
    db.forget_source(february)
    assert known(db) == ["Quince jelly needs sugar."]


@pytest.mark.parametrize("name", [{"title": "rome "}, {"source": "chatgpt:c1"}])
def test_one_chat_of_an_export_is_forgotten(
    db: MemoryDatabase, exports: tuple[Path, Path], name: dict[str, str]
) -> None:
    db.ingest(list(exports))
    assert db.forget_source(**name).told == "2 memories of 1 document hidden"
    assert known(db) == ["Quince jelly needs sugar.", "The bees swarm."]
    report = db.ingest(exports[1])
    assert (report.added, report.left_out_text) == (0, "1 .json (1 document in it forgotten before)")
    assert db.bring_back(**name).memories == 2
    assert len(known(db)) == 4


def test_a_zip_of_the_same_notes_lets_them_stay(db: MemoryDatabase, tmp_path: Path) -> None:
    from zipfile import ZipFile

    for name in ("one", "two"):
        with ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("a.md", "Rosa planted the quince.")
            archive.writestr("b.md" if name == "one" else "c.md", f"The {name} train was late.")
    db.ingest([tmp_path / "one.zip", tmp_path / "two.zip"])
    assert db.forget_source(tmp_path / "one.zip").memories == 1
    assert known(db) == ["Rosa planted the quince.", "The two train was late."]


def test_for_good_it_is_in_no_byte_and_stays_out(tmp_path: Path, notes: Path) -> None:
    db = MemoryDatabase(tmp_path / "m.db", embed="none")
    db.ingest(notes, project="garden")
    db.ingest(notes / "work", own_voice=True)
    db.forget_source(notes / "work")
    assert db.forget_source(notes / "work", hard=True).told == "2 memories of 2 documents deleted for good"
    stored = (tmp_path / "m.db").read_bytes().lower()
    assert [word for word in (b"dagmar", b"zyzzyva", b"acmecorp", b"notes/work") if word in stored] == []
    report = db.ingest(notes)
    assert (report.added, report.left_out_text) == (0, "2 .md (forgotten before)")
    assert db.forgotten_sources() == []
    assert db.bring_back(notes / "work").memories == 0
    assert db.ingest(notes).added == 2
    check_indexes(db)


def test_summaries_of_it_are_taken_back_and_others_stay(db: MemoryDatabase, tmp_path: Path) -> None:
    whole = {"compact_kinds": "turn", "compress_share": "1", "distil_share": "1", "part_tokens": "8000"}
    db.set_policy(settings={f"episodes.{name}": value for name, value in whole.items()})
    rows = [
        {"id": str(n), "session": f"s{n % 2}", "text": f"Rosa said word{n} about the old boat in the harbour of Porto.",
         "kind": "turn", "timestamp": f"2025-01-01T10:{n:02}:00Z"}
        for n in range(20)
    ]  # fmt: skip
    for name in ("even", "odd"):
        lines = [json.dumps(row) for row in rows if (int(row["id"]) % 2 == 0) == (name == "even")]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    db.ingest(tmp_path, now="2025-01-01T12:00:00Z")
    for day in ("03", "12"):
        db.maintain(now=f"2025-01-{day}T12:00:00Z")

    def said(rest: int) -> list[int]:
        texts = " ".join(known(db))
        return [n for n in range(rest, 20, 2) if f"word{n} " in texts]

    evens = said(0)
    assert said(1) != []
    db.forget_source(tmp_path / "odd.jsonl", now="2025-01-13T12:00:00Z")
    assert (said(0), said(1)) == (evens, [])
    db.maintain(now="2025-01-14T12:00:00Z")
    assert (said(0), said(1)) == (evens, [])


def test_what_is_unknown_is_said_with_what_may_be_meant(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    with pytest.raises(NotFound, match=r"Nothing here was read from .*elsewhere/plan.md. Did you mean .*work/plan.md"):
        db.forget_source("elsewhere/plan.md")
    with pytest.raises(NotFound, match="Nothing here has the title 'Plans'"):
        db.forget_source(title="Plans")
    with pytest.raises(BadArgument, match="name a source or a title"):
        db.forget_source()
    with pytest.raises(NotFound, match="was not forgotten"):
        db.bring_back(notes)
    db.forget_source(notes / "work")
    with pytest.raises(MemkitError, match="work was forgotten as a whole"):
        db.bring_back(notes / "work" / "plan.md")
    assert len(known(db)) == 2


def test_a_memory_that_was_brought_back_alone_stays_where_the_rest_is_left_out(db: MemoryDatabase, notes: Path) -> None:
    db.ingest(notes)
    (id,) = db.conn.execute("select id from memories where instr(text, 'Zyzzyva')").fetchone()
    db.forget_source(notes / "work")
    db.unprune(id)
    db.ingest(notes, sync=True)
    assert [text for text in known(db) if "Zyzzyva" in text] != []


def test_a_memory_that_was_forgotten_by_its_id_is_listed_with_its_way_back(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")

    def run(*words: str) -> str:
        return CliRunner().invoke(cli, [*words]).output

    with MemoryDatabase(path, embed="none") as db:
        id = db.remember("Rosa Lind likes oolong tea.").id
        db.remember("Rosa Lind lives in Lisbon.")
    assert run("forget", path, id).count("forgotten by hand") == 1
    assert run("unprune", path) == f"{id}  Rosa Lind likes oolong tea.  (forgotten by hand)\n"
    assert [row["memory_id"] for row in json.loads(run("unprune", path, "--json"))] == [id]
    assert (
        run("undo", path, id) == f"Error: {id!r} is a forgotten memory. To bring it back: memkit unprune {path} {id}\n"
    )
    assert run("unprune", path, id) == f"{id}  Rosa Lind likes oolong tea.\n"
    assert run("unprune", path) == "There is nothing to restore.\n"
    assert run("forget", path, id).count("forgotten by hand") == run("unprune", path).count(id) == 1
    assert "forgotten by hand" not in run("forget", path, id, "--hard")
    assert run("unprune", path) == "There is nothing to restore.\n"


def test_on_the_command_line_it_says_how_much_asks_and_names_the_way_back(tmp_path: Path, notes: Path) -> None:
    path = str(tmp_path / "m.db")

    def run(*words: str, typed: str = "") -> tuple[int, str]:
        done = CliRunner().invoke(cli, [*words], input=typed)
        return done.exit_code, done.output

    run("ingest", path, str(notes), "--no-embed")
    code, said = run("forget", path, "--source", str(notes / "work"), typed="n\n")
    assert code == 1
    assert said.startswith("Would hide 2 memories of 2 documents.\nForget this? [y/N]:")
    code, said = run("forget", path, "--source", str(notes / "work"), typed="y\n")
    assert (code, "bring it back: memkit undo " in said) == (0, True)
    assert "forgotten before" in run("ingest", path, str(notes))[1]
    assert f"memkit unprune {path} --source {notes / 'work'}" in run("unprune", path)[1]
    assert run("unprune", path, "--source", str(notes / "work"))[1].startswith(
        "2 memories of 2 documents brought back."
    )
    assert run("forget", path)[0] == run("forget", path, "x", "--title", "y")[0] == 2
    assert run("forget", path, "--title", "Plan", "--hard", "--yes")[1] == (
        "1 memory of 1 document deleted for good.\n"
    )


def test_what_was_told_of_files_is_not_in_an_export(db: MemoryDatabase, exports: tuple[Path, Path]) -> None:
    db.ingest(list(exports))
    db.forget_source(exports[1])
    target = exports[0].with_name("all.jsonl")
    db.export(target)
    assert "read from" not in target.read_text()
    assert "forgotten_sources" not in target.read_text()
