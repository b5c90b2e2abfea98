"""A memory outlives its embedding model: whatever happens to the model, everything is stored, and recall goes on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llm
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import NOW, check_indexes
from llm.plugins import pm
from llm_models import MOODS, Moody

import memkit.embedding
from memkit import MemoryDatabase
from memkit.core import time_limit
from memkit.core.errors import BadArgument, EmbedderFailed, EmbedderMismatch, NotFound, VectorsMissing
from memkit.embedding import circuit_breaker
from memkit.frontends.cli.main import cli
from memkit.storage.doctor import doctor


class Plugin:
    """A plugin of llm with the model; `installed` is whether it is there."""

    def __init__(self, model: Moody):
        self.model = model

    @llm.hookimpl
    def register_embedding_models(self, register):
        register(self.model)


class Embedding:
    """The model of a test, which can be given a mood, and become well again as in a new process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self._patch, self.model = monkeypatch, Moody()
        self._plugin = Plugin(self.model)
        pm.register(self._plugin)
        self.turns("well")

    def turns(self, mood: str) -> None:
        """Gives the model a mood from now on. It is loaded anew, as by another process."""
        self._patch.setattr(memkit.embedding, "_loaded", {})
        self._patch.setenv("MEMKIT_EMBED_SECONDS", "0.05" if mood == "hangs" else "60")
        self.model.answered.set()
        for late in time_limit._hanging.values():
            late.wait(60)
        self.model = self._plugin.model = Moody()
        self.model.mood = mood
        if (mood != "not installed") != pm.is_registered(self._plugin):
            (pm.unregister if mood == "not installed" else pm.register)(self._plugin)

    def end(self) -> None:
        self.turns("not installed")


@pytest.fixture
def moody(monkeypatch: pytest.MonkeyPatch) -> Iterator[Embedding]:
    monkeypatch.setattr(circuit_breaker, "SECONDS_EACH", 0.0)
    embedding = Embedding(monkeypatch)
    yield embedding
    embedding.end()


@pytest.fixture
def path(tmp_path: Path, moody: Embedding) -> Path:
    """A file whose vectors the model made while it was well."""
    return filled(tmp_path / "m.db")


def filled(path: Path) -> Path:
    with MemoryDatabase(path, embed="llm:moody") as db:
        notes = path.parent / "notes"
        notes.mkdir(exist_ok=True)
        (notes / "garden.md").write_text("# Garden\n\nA bad hedge faces the beech.\n\n## Bees\n\nThe bees came back.\n")
        db.ingest(notes, now=NOW)
        db.remember("Rosa feeds the bees.", now=NOW)
        db.remember("A cabbage was bad.", slot="user", key="cabbage", now=NOW)
    return path


def opened(path: Path) -> tuple[MemoryDatabase, list[str]]:
    db, told = MemoryDatabase(path), []
    db.warn = told.append
    return db, told


def stored_vectors(path: Path) -> dict[str, list[float]]:
    """What every memory's vector is, by its text; None for a memory without one."""
    with MemoryDatabase(path, embed="none", read_only=True) as db:
        rows = db.conn.execute(
            "select m.text, e.vector from memories as m left join embeddings as e on e.memory_key = m.key"
            " where m.archived_at is null"
        ).fetchall()
    return {text: None if blob is None else np.frombuffer(blob, "<f4").tolist() for text, blob in rows}


def id_of(db: MemoryDatabase, text: str) -> str:
    return db.conn.execute("select id from memories where text like ?", [f"%{text}%"]).fetchone()[0]


def edited(db: MemoryDatabase) -> None:
    note = Path(db.file).parent / "notes" / "garden.md"
    note.write_text(note.read_text().replace("came back", "had a feast"))
    db.ingest(note.parent, now=NOW)


WRITES: dict[str, Callable[[MemoryDatabase], object]] = {
    "remember": lambda db: db.remember("Each egg had a beak.", now=NOW),
    "correct": lambda db: db.correct(id_of(db, "Rosa feeds"), "Rosa had fed the bees.", now=NOW),
    "slot": lambda db: db.remember("The cabbage is fed.", slot="user", key="cabbage", now=NOW),
    "ingest": lambda db: db.ingest([{"text": f"A badge faced day {n}."} for n in range(30)], now=NOW),
    "ingest an edit": edited,
    "observe": lambda db: db.observe(
        [{"role": "user", "content": "I had decided to feed the bees each day."}], threshold=1, now=NOW
    ),
    "forget": lambda db: db.forget(id_of(db, "The bees came back"), now=NOW),
    "forget for good": lambda db: db.forget(id_of(db, "The bees came back"), hard=True, now=NOW),
}


@pytest.mark.parametrize("mood", MOODS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_everything_is_stored_and_reindex_makes_what_is_missing_as_if_it_had_never_failed(
    tmp_path: Path, moody: Embedding, write: Callable[[MemoryDatabase], object], mood: str
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    twins = filled(tmp_path / "one" / "m.db"), filled(tmp_path / "two" / "m.db")
    with MemoryDatabase(twins[0]) as db:
        write(db)
    moody.turns(mood)
    db, told = opened(twins[1])
    with db:
        write(db)
        check_indexes(db)
    assert len(told) == 1
    assert "'llm:moody'" in told[0]
    assert "SECRET" not in told[0]
    assert "memkit reindex m.db" in told[0]
    assert str(tmp_path) not in told[0]
    expected, found = stored_vectors(twins[0]), stored_vectors(twins[1])
    assert found.keys() == expected.keys()
    assert all(vector in (None, expected[text]) for text, vector in found.items())
    moody.turns("well")
    with MemoryDatabase(twins[1]) as db:
        db.reindex(now=NOW)
        assert db.info().without_vector == 0
    assert stored_vectors(twins[1]) == expected
    asked = "who had bees?"
    with MemoryDatabase(twins[0]) as one, MemoryDatabase(twins[1]) as other:
        hits = [[(hit.memory.text, hit.score) for hit in db.recall(asked, now=NOW)] for db in (one, other)]
    assert hits[0] == hits[1]


@pytest.mark.parametrize("mood", MOODS)
def test_a_new_database_takes_memories_without_its_model(tmp_path: Path, moody: Embedding, mood: str) -> None:
    if mood == "not installed":  # a name that nothing knows may be a typing error, and the file is still empty
        moody.turns(mood)
        with pytest.raises(NotFound, match="'moody' is not a known embedding model"):
            MemoryDatabase(tmp_path / "m.db", embed="llm:moody")
        return
    moody.turns(mood)
    with MemoryDatabase(tmp_path / "m.db", embed="llm:moody") as db:
        db.warn = (told := []).append
        db.ingest([f"A badge faced day {n}." for n in range(5)], now=NOW)
        if mood != "other size":  # a new file takes any size
            assert told[0].endswith("memkit reindex m.db --model llm:moody")
            assert db.info().model is None
        assert len(db) == 5
    moody.turns("well")
    with MemoryDatabase(tmp_path / "m.db") as db:
        db.reindex("llm:moody")
        assert (db.info().model, db.info().without_vector) == ("llm:moody", 0)


def test_a_dead_model_is_asked_once_in_an_ingest(path: Path, moody: Embedding, monkeypatch: Any) -> None:
    monkeypatch.setattr("memkit.ingestion.writer.BATCH", 10)
    moody.turns("raises")
    db, told = opened(path)
    with db:
        report = db.ingest([f"A badge faced day {n}." for n in range(300)], now=NOW)
    assert (report.added, report.failed) == (300, 0)
    assert moody.model.asked == 1
    assert len(told) == 1


def test_a_model_that_dies_on_the_way_has_made_what_it_made(path: Path, moody: Embedding, monkeypatch: Any) -> None:
    monkeypatch.setattr("memkit.ingestion.writer.BATCH", 10)
    db, told = opened(path)
    with db:
        db.ingest(
            [f"A badge faced day {n}." for n in range(50)],
            now=NOW,
            progress=lambda _: setattr(moody.model, "mood", "nan"),
        )
        assert db.info().without_vector == 40
    assert len(told) == 1


def test_python_is_told_by_a_warning(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    with MemoryDatabase(path) as db, pytest.warns(VectorsMissing, match=r"'llm:moody' failed \(NeedsKeyException\)"):
        db.remember("Each egg had a beak.")


def test_a_warning_that_is_made_an_error_comes_after_the_memory_is_stored(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    with MemoryDatabase(path) as db, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(VectorsMissing):
            db.remember("Each egg had a beak.")
        assert db.recall("egg")[0].memory.text == "Each egg had a beak."


def test_without_vectors_by_choice_nothing_is_warned_of(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    with MemoryDatabase(path, embed="none") as db, warnings.catch_warnings():
        warnings.simplefilter("error")
        db.remember("Each egg had a beak.")
        assert db.recall("egg").warnings == ()
        assert db.due() is not None


# ---------------------------------------------------------------------------------------------- recall


@pytest.mark.parametrize("mood", MOODS)
def test_recall_and_context_go_on_by_words_and_connections_and_say_so(path: Path, moody: Embedding, mood: str) -> None:
    asked = "who feeds the bees?"
    with MemoryDatabase(path, embed="none") as db:
        expected, page = db.recall(asked, now=NOW), db.context(asked, now=NOW)
    moody.turns(mood)
    with MemoryDatabase(path, read_only=True) as db:
        found, context = db.recall(asked, now=NOW), db.context(asked, now=NOW)
        assert db.triggers("hello", ["one", "two", "three"]).names == ("message",)
    assert [(hit.memory.id, hit.score) for hit in found] == [(hit.memory.id, hit.score) for hit in expected]
    assert str(context) == str(page)
    for said in (found.warnings, context.warnings, tuple(context.to_dict()["warnings"])):
        assert said == (found.degraded,)
    assert found.degraded.startswith("Not searched by meaning, only by words and connections: the model 'llm:moody' ")
    assert "SECRET" not in found.degraded
    assert found.degraded in repr(found)
    assert found.degraded in found._repr_html_().replace("&#x27;", "'")
    assert found.degraded in repr(context)


def test_a_question_does_not_wait_again_for_a_model_that_still_hangs(path: Path, moody: Embedding) -> None:
    moody.turns("hangs")
    with MemoryDatabase(path, read_only=True) as db:
        reasons = [db.recall("bees").degraded for _ in range(5)]
    assert all("did not answer in time" in reason for reason in reasons)
    assert moody.model.asked <= 1
    moody.turns("well")
    with MemoryDatabase(path, read_only=True) as db:
        assert db.recall("bees").warnings == ()


def test_a_model_that_comes_back_is_used_by_the_same_object(path: Path, moody: Embedding) -> None:
    db, told = opened(path)
    with db:
        moody.model.mood = "raises"
        db.remember("Each egg had a beak.", now=NOW)
        assert db.recall("egg").degraded
        moody.model.mood = "well"
        assert db.info().without_vector == 1
        db.remember("A cage had a bed.", now=NOW)
        assert not db.recall("egg").degraded
        assert db.info().without_vector == 0
    assert len(told) == 1


def test_vectors_of_another_version_of_the_model_are_neither_compared_nor_mixed(path: Path, moody: Embedding) -> None:
    moody.turns("other size")
    db, told = opened(path)
    with db:
        db.remember("Each egg had a beak.", now=NOW)
        found = db.recall("egg", now=NOW)
        assert (
            found.channels["vector"]
            == "the model 'llm:moody' is no longer version 8d: `memkit reindex` makes new vectors"
        )
        assert {row[0] for row in db.conn.execute("select length(vector) from embeddings")} == {32}
        db.reindex(now=NOW)
        assert {row[0] for row in db.conn.execute("select length(vector) from embeddings")} == {64}
        assert not db.recall("egg", now=NOW).degraded
    assert len(told) == 1


def test_the_files_own_model_may_be_named_although_it_is_gone_but_no_other(path: Path, moody: Embedding) -> None:
    moody.turns("not installed")
    for name in ("llm:moody", "moody"):
        with MemoryDatabase(path, embed=name) as db:
            assert db.recall("bees").degraded
    with pytest.raises(EmbedderMismatch):
        MemoryDatabase(path, embed="memkit")
    with pytest.raises(NotFound):
        MemoryDatabase(path, embed="moodie")


@pytest.mark.parametrize("given", ["soon", "0", "-1", "nan", "inf"])
def test_a_time_limit_that_is_none_is_said_at_the_door(tmp_path: Path, monkeypatch: Any, given: str) -> None:
    monkeypatch.setenv("MEMKIT_EMBED_SECONDS", given)
    with pytest.raises(BadArgument, match="MEMKIT_EMBED_SECONDS must be a number of seconds above 0"):
        MemoryDatabase(tmp_path / "m.db")


def test_a_model_that_hangs_while_it_is_loaded_stops_neither_recall_nor_other_models(
    path: Path, moody: Embedding, monkeypatch: Any
) -> None:
    def find(name: str) -> Any:
        moody.model.answered.wait(60)
        raise NotFound("never came")

    moody.turns("hangs")
    with MemoryDatabase(path) as db:
        db.conn.execute("update models set id = ?", [f"model2vec:{path.parent}"])  # a file's own model is no download
        monkeypatch.setattr("memkit.embedding.with_model2vec._load", lambda name: find(name))
        assert "did not answer in time" in db.recall("bees").degraded
    with MemoryDatabase(path.parent / "other.db") as other:
        other.remember("Each egg had a beak.")
        assert other.info().vectors == 1


# ---------------------------------------------------------------------------------------------- asked directly


@pytest.mark.parametrize("mood", [mood for mood in MOODS if mood not in ("hangs", "other size")])
def test_a_model_that_is_asked_for_directly_says_what_is_wrong(path: Path, moody: Embedding, mood: str) -> None:
    from memkit import register_sql_functions

    moody.turns(mood)
    with MemoryDatabase(path) as db:
        db.warn = lambda _: None
        db.remember("Each egg had a beak.", now=NOW)
        before = stored_vectors(path)
        with pytest.raises((EmbedderFailed, NotFound), match="moody"):
            db.reindex()
        with pytest.raises((EmbedderFailed, NotFound), match="moody"):
            db.reindex("llm:moody")
        with pytest.raises(EmbedderFailed, match="moody"):
            db.evaluate([{"id": "1", "text": "who feeds the bees?", "relevant": []}])
        register_sql_functions(db.conn)
        assert "moody" in json.loads(db.conn.execute("select embed('bees')").fetchone()[0])["error"]
        assert len(json.loads(db.conn.execute("select recall('bees', 2)").fetchone()[0])) == 2
    assert stored_vectors(path) == before


def test_doctor_and_info_name_what_is_missing_and_the_command(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    db, _ = opened(path)
    with db:
        db.remember("Each egg had a beak.")
        assert f"1 memory without: memkit reindex {path}" in repr(db.info())
        assert db.info().without_vector == 1
    found = repr(doctor(path))
    assert f"1 of 5 memories have none, 0 are damaged. Run: memkit reindex {path}" in found
    assert "No key found" in found


@pytest.mark.parametrize("mood", ["refused as nan", "refused as infinite", "refused by an error"])
def test_a_text_that_the_model_refuses_keeps_no_other_from_its_vector(
    tmp_path: Path, moody: Embedding, mood: str
) -> None:
    moody.turns(mood)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Bees\n\nThe bees came.\n\n# Egg\n\nAn odd egg.\n\n# Cabbage\n\nA bad cabbage.\n")
    with MemoryDatabase(tmp_path / "m.db", embed="llm:moody") as db:
        db.warn = lambda _: None
        db.ingest(folder, now=NOW)
        db.ingest([{"text": f"A badge faced day {n}."} for n in range(300)], now=NOW)
    moody.turns(mood)
    with MemoryDatabase(tmp_path / "m.db", embed="llm:moody") as db:
        report = db.reindex(now=NOW)
        assert (report.refused, report.vectors) == (1, 2)
        assert "none for 1 text that it refuses" in report.sentence
        assert "An odd egg." in db.recall("odd egg").hits[0].memory.text
    vectors = stored_vectors(tmp_path / "m.db")
    assert [text for text, one in vectors.items() if not any(one or ())] == ["# Egg\n\nAn odd egg."]
    moody.turns("well")
    with MemoryDatabase(tmp_path / "m.db", embed="llm:moody") as db:
        assert (db.reindex(now=NOW).refused, db.reindex(now=NOW).vectors) == (0, 0)
    assert any(stored_vectors(tmp_path / "m.db")["# Egg\n\nAn odd egg."] or ())


def test_a_model_that_refuses_everything_is_given_up_at_once(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    with MemoryDatabase(path) as db:
        db.ingest([{"text": f"A badge faced day {n}."} for n in range(300)], now=NOW)
    moody.turns("raises")
    with MemoryDatabase(path) as db, pytest.raises(EmbedderFailed):
        db.reindex(now=NOW)
    assert moody.model.asked <= 2


def test_descriptions_of_entities_get_their_vectors_by_reindex(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    db, _ = opened(path)
    with db:
        db.remember("Each egg had a beak.")
        key = db.conn.execute("select key from entities limit 1").fetchone()[0]
        db.conn.execute("update entities set description = 'feeds bees' where key = ?", [key])
    moody.turns("well")
    with MemoryDatabase(path) as db:
        db.reindex()
        assert db.conn.execute("select count(*) from entity_embeddings where entity_key = ?", [key]).fetchone()[0] == 1


# ---------------------------------------------------------------------------------------------- the doors


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_the_commands_say_it_on_stderr_and_succeed(path: Path, moody: Embedding) -> None:
    moody.turns("raises")
    for arguments in (("remember", path, "Each egg had a beak."), ("ingest", path, path.parent / "notes")):
        result = run(*arguments)
        assert result.exit_code == 0, result.output
    assert "'llm:moody' failed (NeedsKeyException)" in run("remember", path, "A cage had a bed.").stderr
    for name in ("recall", "context"):
        result = run(name, path, "bees")
        assert result.exit_code == 0
        assert "bees" in result.stdout
        assert "Not searched by meaning" in result.stderr
        assert "Not searched by meaning" not in result.stdout
    for name in ("recall", "context"):  # nothing is found: that may be because of it
        assert "Not searched by meaning" in run(name, path, "zeppelin").stderr
    assert run("reindex", path).exit_code == 1
    assert "No key found" in run("reindex", path).stderr


def test_tools_of_agents_answer_and_note_it(path: Path, moody: Embedding) -> None:
    from memkit.frontends.agents.tools import Tools

    moody.turns("raises")
    tools = Tools(str(path))
    recalled, remembered = tools.recall("bees"), tools.remember("Each egg had a beak.")
    assert "Rosa feeds the bees" in recalled
    assert recalled.splitlines()[-1].startswith("Note: Not searched by meaning")
    assert remembered.startswith("Remembered: ")
    assert remembered.splitlines()[-1].startswith("Note: The embedding model 'llm:moody' failed")
    assert tools.forget(id_of(MemoryDatabase(path, embed="none"), "Each egg")).startswith("Forgotten: ")


def test_the_hook_gives_the_page_and_a_notice(path: Path, moody: Embedding) -> None:
    from memkit.frontends.agents.hook import advise

    moody.turns("raises")
    *_, last = advise({"prompt": "who feeds the bees?"}, str(path))
    assert "Rosa feeds the bees" in last.text
    assert last.notice.startswith("memkit: Not searched by meaning")
    assert "Not searched" not in last.text


def test_fragments_and_templates_of_llm_say_it_on_stderr(
    path: Path, moody: Embedding, monkeypatch: Any, capsys: Any
) -> None:
    from memkit.frontends.llm.fragments import matching
    from memkit.frontends.llm.templates import load

    monkeypatch.setenv("MEMKIT_DATABASE", str(path))
    moody.turns("raises")
    assert "Rosa feeds the bees" in matching("who feeds the bees?")[0]
    assert "Not searched by meaning" in capsys.readouterr().err
    assert "Rosa feeds the bees" in load("default").evaluate("who feeds the bees?")[0]
    assert "Not searched by meaning" in capsys.readouterr().err


def test_widgets_show_it(path: Path, moody: Embedding) -> None:
    from memkit.widgets import ContextPreview, RecallBox

    moody.turns("raises")
    with MemoryDatabase(path, read_only=True) as db:
        assert "Not searched by meaning" in RecallBox(db, "who feeds the bees?")._html(db.recall("bees"))
        assert "Not searched by meaning" in ContextPreview(db, "bees")._html(db.context("bees"))


async def test_pages_and_json_of_datasette_say_it(path: Path, moody: Embedding) -> None:
    from datasettes import datasette, root

    from memkit.frontends.datasette import agents

    moody.turns("raises")
    ds = datasette(path)
    owner = root(ds)
    page = await owner.get("/m/-/recall?q=bees")
    assert "Not searched by meaning" in page.text
    answered = await owner.json("/m/-/recall.json?q=bees")
    assert answered["warnings"][0].startswith("Not searched by meaning")
    assert answered["hits"]
    response = await owner.post("/m/-/remember", text="The ferry leaves at nine.")
    assert response.status_code == 302
    assert (await owner.json(response.headers["location"] + ".json"))["text"] == "The ferry leaves at nine."
    actor = {"id": "root"}
    assert (await agents.recall(ds, actor, "bees"))[-1]["warning"].startswith("Not searched by meaning")
    assert "'llm:moody' failed" in (await agents.remember(ds, actor, "A cage had a bed."))["warnings"][0]
