"""What goes into a public file, and what stays behind: chosen memories, what they say, and nothing that others say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLES, published_file

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, NotFound
from memkit.graph import entities
from memkit.sharing.publish import Ambiguous
from memkit.sharing.publish.options import named

NOW = "2026-03-10T12:00:00Z"
CAME_IN = "2026-02-03T04:05:06Z"


@pytest.fixture
def db() -> Iterator[MemoryDatabase]:
    """Two projects, and a person who is called otherwise in each."""
    with MemoryDatabase(embed="none") as made:
        made.remember(
            "Rosa planted the quince in 2019.", project="garden", tags=["quince"], happened_at="2025-03-08", now=CAME_IN
        )
        made.remember("Rosa lives in Lund.", project="garden", kind="episode", now=CAME_IN)
        made.remember("Rosa Lindqvist lives in Malmö.", happened_at="2025-06-01", now=CAME_IN)
        yield made


class Public:
    """A published folder, opened."""

    def __init__(self, db: MemoryDatabase, out: Path, **what: Any):
        self.report = db.publish(out, now=NOW, **what)
        self.db = MemoryDatabase(published_file(out), read_only=True)

    def __call__(self, query: str) -> list[Any]:
        """The rows of a query; of one column its values."""
        rows = [tuple(row) for row in self.db.conn.execute(query)]
        return [row[0] for row in rows] if rows and len(rows[0]) == 1 else rows


@pytest.mark.parametrize(
    ("what", "count"),
    [
        ({"project": "garden"}, 2),
        ({"project": ["garden", "global"]}, 3),
        ({"project": "garden", "kind": "episode"}, 1),
        ({"tag": "quince"}, 1),
        ({"entity": "Rosa"}, 2),
        ({"since": "2025-05-01"}, 2),
        ({"until": "2025-05-01"}, 1),
        ({"sql": "select id from memories where text like '%quince%'"}, 1),
    ],
)
def test_a_choice_by_what_is_known_of_a_memory(db: MemoryDatabase, tmp_path: Path, what: Any, count: int) -> None:
    assert db.publish(tmp_path / "out", **what, now=NOW).memories == count


def test_a_choice_by_document(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest([{"text": "Dig.", "title": "Digging", "session": "one"}, {"text": "Sow.", "session": "two"}], now=NOW)
    title = db.conn.execute("select title from documents where title is not null").fetchone()[0]
    assert Public(db, tmp_path / "out", document=title)("select text from memories") == ["Dig."]


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        ({}, BadQuestion, "Nothing is chosen"),
        ({"project": "gardn"}, NotFound, "Did you mean 'garden'"),
        ({"tag": "nope"}, NotFound, "is not a tag"),
        ({"entity": "Nobody at all"}, NotFound, "nothing called"),
        ({"slot": "user"}, NotFound, "No memory has a slot"),
        ({"project": "garden", "since": "2030-01-01"}, BadQuestion, "No memory is chosen"),
        ({"sql": "delete from memories"}, BadQuestion, "does not run"),
        ({"sql": "select nonsense"}, BadQuestion, "no such column"),
        ({"project": "garden", "keep": "everything"}, BadQuestion, "is not a detail to keep"),
        ({"project": "garden", "title": "{{ 1 }}"}, BadQuestion, "template syntax"),
        ({"project": "garden", "license_url": "javascript:alert(1)"}, BadQuestion, "http address"),
    ],
)
def test_a_choice_that_makes_no_sense_is_said_in_words(
    db: MemoryDatabase, tmp_path: Path, what: Any, error: Any, words: str
) -> None:
    with pytest.raises(error, match=words):
        db.publish(tmp_path / "out", **what, now=NOW)
    assert list(tmp_path.iterdir()) == []


def test_an_option_that_there_is_not_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="Did you mean 'project'"):
        named({"projct": "garden"})


def test_a_name_goes_along_only_as_the_chosen_memories_say_it(db: MemoryDatabase, tmp_path: Path) -> None:
    db.merge("Rosa Lindqvist", "Rosa", now=NOW)
    public = Public(db, tmp_path / "out", project="garden")
    assert "Rosa" in public("select name from entities")
    assert [name for name in public("select alias from aliases") if "Lindqvist" in name] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "The quince", "text": "Paste is old."},
        {"text": "It is old.", "tags": ["quince", "paste"]},
        {"text": "Planted a quince", "category": "paste"},
        {"text": "Paste is old.", "speaker": "Quince"},
    ],
)
def test_a_name_across_two_columns_or_tags_is_said_by_none(
    db: MemoryDatabase, tmp_path: Path, fields: dict[str, Any]
) -> None:
    entities.add_alias(db.conn, entities.find(db.conn, "Rosa").key, "Quince Paste", "text")
    db.remember(fields.pop("text") + " Rosa, too.", project="garden", now=NOW, **fields)
    assert "Quince Paste" not in Public(db, tmp_path / "out", project="garden")("select alias from aliases")


def test_a_name_within_what_was_taken_out_goes_with_it(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Write to rosa.lindqvist@example.org about Hunter2.", project="garden", now=NOW)
    db.remember("The password: Hunter2!x", title="Hunter2!x", project="garden", now=NOW)
    public = Public(db, tmp_path / "out", project="garden")
    assert [name for name in public("select alias from aliases") if "Lindqvist" in name] == []
    assert public("select surface from mentions where surface like '%Lindqvist%'") == []
    assert set(public("select name from entities")) >= {"Rosa", "Hunter2"}
    about = (
        "select m.text from mentions x join entities e on e.key = x.entity_key join memories m on m.key = x.memory_key"
    )
    assert public(f"{about} where e.name = 'Hunter2'") == ["Write to [email] about Hunter2."]


def test_a_quote_that_ends_within_a_word_is_as_public_as_its_memory(db: MemoryDatabase, tmp_path: Path) -> None:
    memory = db.remember("Rosa knows Anna, says the almanac.", project="garden", now=NOW)
    db.relate("Rosa", "knows", "Anna", memory=memory.id, quote="Rosa knows Anna, says the almana", now=NOW)
    public = Public(db, tmp_path / "out", project="garden")
    assert "Rosa knows Anna, says the almana" in public("select quote from evidence")
    assert db.check_published(tmp_path / "out").sound


def test_a_quote_of_something_else_than_its_memory_stays_private(db: MemoryDatabase, tmp_path: Path) -> None:
    memory = db.remember("Rosa knows Anna.", project="garden", now=NOW)
    db.relate("Rosa", "knows", "Anna", memory=memory.id, quote="Zebediah told us so", now=NOW)
    assert (
        Public(db, tmp_path / "out", project="garden")("select quote from evidence where quote like '%Zebediah%'") == []
    )
    (tmp_path / "out" / "more.txt").write_text("Zebediah", "utf-8")
    assert not db.check_published(tmp_path / "out").sound


def test_relations_follow_from_public_evidence_alone(db: MemoryDatabase, tmp_path: Path) -> None:
    """In private she lives in Malmö since June; that she no longer lives in Lund is nobody's business."""
    db.merge("Rosa", "Rosa Lindqvist", now=NOW)
    assert len(Public(db, tmp_path / "out", project="garden")("select * from relations")) >= 1
    lives = "select object, valid_until from current_relations where predicate = 'lives_in'"
    assert Public(db, tmp_path / "out", project="garden")(lives) == [("Lund", None)]


def test_when_things_came_in_stays_at_home(db: MemoryDatabase, tmp_path: Path) -> None:
    public = Public(db, tmp_path / "out", project="garden")
    assert set(public("select created_at from memories")) == {"2026-03-10T00:00:00Z"}
    assert public("select happened_at from memories where happened_at is not null") == ["2025-03-08"]
    data = published_file(tmp_path / "out").read_bytes()
    assert b"2026-02-03" not in data


def test_what_is_asked_for_by_name_goes_along(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Europe/Stockholm", slot="user", key="timezone", project="garden", now=CAME_IN)
    db.correct(db.remember("The fig froze.", project="garden", now=CAME_IN).id, "The fig is fine.", now=CAME_IN)
    db.forget(db.remember("The pear froze.", project="garden", now=CAME_IN).id, now=NOW)
    db.recall("quince", track=True, now=NOW)
    keep = ["history", "user-slots", "times", "access", "meta"]
    public = Public(db, tmp_path / "out", project="garden", keep=keep)
    assert {"Europe/Stockholm", "The fig froze."} <= set(public("select text from memories"))
    assert "The pear froze." not in public("select text from memories")
    assert set(public("select created_at from memories")) == {CAME_IN}
    assert public("select count from access") != []
    without = Public(db, tmp_path / "other", project="garden")
    assert set(without("select text from memories")).isdisjoint({"Europe/Stockholm", "The fig froze."})
    assert without("select count from access") == []


def test_keys_are_counted_anew_so_that_they_do_not_tell_how_many_are_missing(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    public = Public(db, tmp_path / "out", sql="select id from memories where text like '%Malmö%'")
    assert public("select key from memories") == [1]


def test_vectors_are_made_anew_or_not_at_all(tmp_path: Path) -> None:
    with MemoryDatabase() as db:
        db.remember("Rosa planted the quince.", project="garden", now=NOW)
        db.remember("The cellar is locked.", now=NOW)
        public = Public(db, tmp_path / "out", project="garden")
        private = db.conn.execute("select vector from embeddings order by key").fetchall()
        assert public("select vector from embeddings") == [private[0][0]]
        assert public.db.recall("an orchard tree")[0].why.keys() & {"vector", "sentence"}
        without = Public(db, tmp_path / "out", project="garden", embed="none")
        assert without("select * from models") == []
        assert without.db.recall("who planted the quince?")[0].memory.text == "Rosa planted the quince."


# ---------------------------------------------------------------------------------------------- redaction


def test_a_person_becomes_a_number_everywhere(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Rosa's plan", title="Rosa", speaker="Rosa", tags=["rosa"], project="garden", now=CAME_IN)
    public = Public(db, tmp_path / "out", project="garden", redact="Rosa")
    assert b"rosa" not in published_file(tmp_path / "out").read_bytes().lower()
    assert "Person 1 planted the quince in 2019." in public("select text from memories")
    assert public.db.about("Person 1").name == "Person 1"
    assert public("select subject from current_relations where predicate = 'lives_in'") == ["Person 1"]
    assert {each.replacement.original for each in public.report.replaced} >= {"Rosa"}
    assert "replaced" in repr(public.report)


def test_addresses_and_numbers_go_unless_they_are_to_stay(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Write to yard@example.org.", project="garden", now=CAME_IN)
    says = "select text from memories where text like 'Write%'"
    assert Public(db, tmp_path / "one", project="garden")(says) == ["Write to [email]."]
    assert Public(db, tmp_path / "two", project="garden", common=False)(says) == ["Write to yard@example.org."]
    spared = Public(db, tmp_path / "three", project="garden", spare="yard@example.org")
    assert spared(says) == ["Write to yard@example.org."]


def test_each_text_that_would_go_is_asked_about_once(db: MemoryDatabase, tmp_path: Path) -> None:
    for n in range(3):
        db.remember(f"Write to yard@example.org, {n} times, or to me@example.org.", project="garden", now=CAME_IN)
    asked: list[str] = []

    def review(one: Any) -> bool:
        asked.append(one.replacement.original)
        return one.replacement.original.startswith("me")

    public = Public(db, tmp_path / "out", project="garden", review=review)
    assert sorted(asked) == ["me@example.org", "yard@example.org"]
    assert public("select text from memories where text like '%times%'")[0] == (
        "Write to yard@example.org, 0 times, or to [email]."
    )


def test_a_name_that_is_a_common_word_must_be_decided(db: MemoryDatabase, tmp_path: Path) -> None:
    db.remember("Will said he will dig.", project="garden", now=CAME_IN)
    with pytest.raises(Ambiguous, match="'will': a name, but also a common word") as error:
        db.publish(tmp_path / "out", project="garden", redact="Will", now=NOW)
    assert error.value.names == ("will",)
    public = Public(db, tmp_path / "out", project="garden", redact="Will", everywhere="will")
    assert "Person 1 said he Person 1 dig." in public("select text from memories")


def test_memories_go_by_in_parts_and_make_the_same_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.ingest([SAMPLES / name for name in ("notes", "chats", "facts.jsonl", "relations.jsonl")], now=CAME_IN)
        everything = {
            "sql": "select id from memories",
            "title": "All",
            "keep": ["meta", "sources", "access"],
            "now": NOW,
        }
        whole = db.publish(tmp_path / "one" / "out", **everything)
        for module in ("rows", "names"):
            monkeypatch.setattr(f"memkit.sharing.publish.{module}.AT_ONCE", 3)
        parts = db.publish(tmp_path / "two" / "out", **everything)
    assert (
        published_file(tmp_path / "one" / "out").read_bytes() == published_file(tmp_path / "two" / "out").read_bytes()
    )
    assert (whole.memories, whole.new, whole.replaced) == (parts.memories, parts.new, parts.replaced)


def test_a_dry_run_writes_nothing(db: MemoryDatabase, tmp_path: Path) -> None:
    report = db.publish(tmp_path / "out", project="garden", redact="Rosa", dry_run=True, now=NOW)
    assert (report.memories, len(report.new), report.dry_run) == (2, 2, True)
    assert not any(word in f"{report!r}{report._repr_html_()}" for word in ("0 names", "0 bytes", ">bytes<"))
    assert report.replaced
    assert not (tmp_path / "out").exists()
