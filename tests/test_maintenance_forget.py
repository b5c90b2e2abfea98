"""What is forgotten for good is nowhere in the file: neither in what was made of it nor in what could bring it back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import check_indexes
from hypothesis import given
from hypothesis import strategies as st
from maintenance_helpers import SAID, START, add_session, day, facts, of_compression, rows

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.frontends.cli.main import cli

SECRET = "Rosa moved to Zyzzyville, and Qwertzberg is her middle name."
WORDS = (b"zyzzy", b"qwertz")
TOLD = (*SAID[:2], SECRET, *SAID[2:])


@pytest.fixture
def db(tmp_path: Path, letters) -> MemoryDatabase:
    """A database in a file, in which summaries hold all that they sum up."""
    made = MemoryDatabase(tmp_path / "m.db", embed=letters)
    whole = {"compress_share": "1", "distil_share": "1", "part_tokens": "8000"}
    made.set_policy(settings={f"episodes.{name}": value for name, value in whole.items()})
    return made


def left(db: MemoryDatabase) -> list[bytes]:
    """Which of the secret's words are still in the file, or in the log beside it, as stored or as indexed."""
    path = Path(db.file)
    files = [path, path.with_name(f"{path.name}-wal")]
    bytes_ = b"".join(file.read_bytes() for file in files if file.exists()).lower()
    return [word for word in WORDS if word in bytes_]


def session(db: MemoryDatabase) -> str:
    """A session with the secret in it; the id of the episode that says it."""
    return add_session(db, 0, TOLD)[2]


# ---------------------------------------------------------------------------------------------- summaries


@pytest.mark.parametrize("days", [(), (2,), (2, 8), (2, 8, 10), (2, 8, 10, 20)], ids=str)
def test_a_secret_is_in_no_summary_at_any_age(db: MemoryDatabase, days: tuple[int, ...]) -> None:
    """Raw, compressed, let go, distilled: whatever upkeep has done with it by then."""
    id = session(db)
    for number in days:
        db.maintain(now=day(number))
    assert left(db) == list(WORDS)
    assert db.forget(id, hard=True, now=day(21)).text == SECRET
    assert left(db) == []
    check_indexes(db)
    with pytest.raises(NotFound):
        db.memory(id)


def test_the_other_sources_stand_for_themselves_until_upkeep_sums_them_up_again(db: MemoryDatabase) -> None:
    id = session(db)
    known = {("Rosa", "lives_in", "Lisbon"), ("Hana", "works_at", "Nightshade")}  # as before Rosa moved
    for number in (2, 8, 10):
        db.maintain(now=day(number))
    assert {row["text"] for row in of_compression(db, "raw")} == set()
    db.forget(id, hard=True, now=day(11))
    assert {row["text"] for row in of_compression(db, "raw")} == set(SAID)
    assert {row[1:4] for row in facts(db)} == known
    assert db.maintain(now=day(12)).counts == {"compress: made": 1}
    (summary,) = of_compression(db, "compressed")
    assert all(line.split(".")[0] in summary["text"] for line in SAID[:1])
    db.maintain(now=day(30))
    assert {row[1:4] for row in facts(db)} == known
    assert of_compression(db, "raw") == []


def test_after_the_window_the_summary_goes_and_facts_that_others_said_stay(db: MemoryDatabase) -> None:
    id = add_session(db, 0, SAID)[0]
    secret = db.remember(SECRET, kind="episode", importance=9, now=day(0.1), meta={"session": "session 0"}).id
    for number in (2, 8, 10, 60):
        db.maintain(now=day(number))
    assert db.restorable() == []
    assert [row["id"] for row in of_compression(db, "raw")] == [secret]  # it was too important to go
    db.forget(secret, hard=True, now=day(61))
    assert left(db) == []
    assert {(row[1], row[3]) for row in facts(db)} == {("Rosa", "Lisbon"), ("Hana", "Nightshade")}
    assert {change.action for change in db.maintenance(memory=secret, step="forget")} == {"gone for good"}
    assert id not in {row["id"] for row in of_compression(db, "raw")}
    check_indexes(db)


def test_a_summary_is_forgotten_with_the_let_go_ones_that_it_sums_up_and_living_ones_stay(db: MemoryDatabase) -> None:
    session(db)
    important = db.remember("Stay.", kind="episode", importance=9, now=day(0.2), meta={"session": "session 0"}).id
    for number in (2, 8):
        db.maintain(now=day(number))
    (summary,) = of_compression(db, "compressed")
    db.forget(summary["id"], hard=True, now=day(9))
    assert left(db) == []
    assert db.restorable() == []
    assert [row["id"] for row in of_compression(db, "raw")] == [important]


def test_a_summary_that_is_forgotten_early_lets_its_episodes_stay(db: MemoryDatabase) -> None:
    session(db)
    before = rows(db, "memories")
    db.maintain(now=day(2))
    (summary,) = of_compression(db, "compressed")
    db.forget(summary["id"], hard=True, now=day(3))
    assert rows(db, "memories") == before
    assert db.maintain(now=day(4)).counts == {"compress: made": 1}


def test_what_was_let_go_can_be_forgotten_for_good(db: MemoryDatabase) -> None:
    id = db.remember(SECRET, expires_at=day(1), now=day(0)).id
    db.maintain(now=day(2))
    assert len(db.restorable()) == 1
    assert db.forget(id, hard=True, now=day(3)).text == SECRET
    assert (db.restorable(), left(db)) == ([], [])


def test_turns_of_imported_chats_that_were_let_go_do_not_come_again(db: MemoryDatabase) -> None:
    db.set_policy(settings={"episodes.compact_kinds": "turn"})
    turns = [
        {"id": n, "session": "s", "text": text, "kind": "turn", "timestamp": day(0)} for n, text in enumerate(TOLD)
    ]
    db.ingest(turns, now=day(0))
    ids = {row[1]: row[0] for row in db.conn.execute("select id, source_id from memories")}
    for number in (2, 8):
        db.maintain(now=day(number))
    (summary,) = of_compression(db, "compressed")
    db.forget(summary["id"], hard=True, now=day(9))
    assert left(db) == []
    assert (db.ingest(turns, now=day(10)).added, left(db)) == (0, [])
    assert db.memory(ids["2"]).text == ""


# ---------------------------------------------------------------------------------------------- everything else


def observed(db: MemoryDatabase) -> str:
    """Observed, and condensed."""
    said = [{"role": "user", "content": text} for text in TOLD]
    db.observe(said, session="s", threshold=0, now=START)
    db.reflect(threshold=1, now=day(1))
    return db.recall("Zyzzyville Qwertzberg", kinds="turn", now=day(1))[0].memory.id


def crystallised(db: MemoryDatabase) -> str:
    """In the crystal of its project, beside what three others say; rebuilt once."""
    for _ in range(3):
        db.remember("The quince bears in October.", project="garden", now=START)
    db.maintain(now=START, only=["promote", "crystals"])
    id = db.remember(SECRET, confidence=1, importance=9, category="decision", project="garden", now=START).id
    db.maintain(now=day(1), only=["promote", "crystals"])
    return id


def merged(db: MemoryDatabase) -> str:
    """One of two that were merged by decision."""
    id = db.remember(SECRET, now=START).id
    db.remember(f"{SECRET} She said so herself.", now=START)
    db.maintain(now=START, only=["propose"])
    db.accept(db.proposals()[0].id, now=day(1))
    return id


def proposed(db: MemoryDatabase) -> str:
    """In the text of a proposal that nobody has decided."""
    id = db.remember(SECRET, now=START).id
    db.relate("Otto", "born in", "Zyzzyville", memory=id, valid_from="1980", now=START)
    db.relate("Otto", "born in", "Lund", memory=db.remember("No.", now=START).id, valid_from="1980", now=day(-1))
    db.maintain(now=day(1), only=["propose"])
    assert "Zyzzyville" in {one.text.split()[-1] for one in db.proposals()}
    return id


MAKERS = [observed, crystallised, merged, proposed]


@pytest.mark.parametrize("make", MAKERS)
def test_a_secret_is_in_nothing_that_was_made_of_it(db: MemoryDatabase, make: Callable[[MemoryDatabase], str]) -> None:
    id = make(db)
    assert left(db) == list(WORDS)
    db.forget(id, hard=True, now=day(2))
    if make is merged:  # the other one, which says the same, is back: it is a memory of its own
        (other,) = db.recall("Zyzzyville", now=day(2))
        assert other.memory.text.endswith("She said so herself.")
        db.forget(other.memory.id, hard=True, now=day(2))
    assert left(db) == []
    check_indexes(db)


def test_the_log_does_not_say_of_whom_a_crystal_was(db: MemoryDatabase) -> None:
    ids = [db.remember(f"{SECRET} So says a friend, number {n}.", now=START).id for n in range(3)]
    for id in ids:
        db.relate("Qwertzberg", "cook of", "Zyzzyville", memory=id, now=START)
    report = db.maintain(now=day(1), only=["crystals"])
    assert "1 promoted statement about Qwertzberg" in {change.why for change in report.changes}
    for id in ids:
        db.forget(id, hard=True, now=day(2))
    assert left(db) == []
    assert {change.why for change in db.maintenance(run=report.run)} == {"forgotten"}


def test_a_crystal_is_made_anew_of_what_the_others_say(db: MemoryDatabase) -> None:
    db.forget(crystallised(db), hard=True, now=day(2))
    assert db.maintain(now=day(3), only=["crystals"]).counts == {"crystals: made": 1}
    assert db.recall("quince", kinds="crystal", now=day(3))[0].memory.text == "The quince bears in October."


def test_a_merge_that_is_forgotten_takes_the_memories_along_that_went_into_it(db: MemoryDatabase) -> None:
    merged(db)
    (hit,) = db.recall("Zyzzyville", now=day(1))
    db.forget(hit.memory.id, hard=True, now=day(2))
    assert left(db) == []
    assert db.info().memories == 0


def test_a_merge_past_its_window_gives_the_other_one_back(db: MemoryDatabase) -> None:
    id = merged(db)
    db.maintain(now=day(40))
    db.forget(id, hard=True, now=day(41))
    assert [hit.memory.text for hit in db.recall("Rosa", now=day(41))] == [f"{SECRET} She said so herself."]


def test_a_condensed_note_takes_along_those_that_went_into_it_and_leaves_the_turns(db: MemoryDatabase) -> None:
    observed(db)
    notes = [row[0] for row in db.conn.execute("select id from memories where kind = 'observation'")]
    turns = db.conn.execute("select count(*) from memories where kind = 'turn'").fetchone()[0]
    for id in notes:
        if db.conn.execute("select 1 from memories where id = ? and archived_at is null", (id,)).fetchone():
            db.forget(id, hard=True, now=day(2))
    assert db.conn.execute("select count(*) from memories where kind = 'turn'").fetchone()[0] == turns


def test_a_forgotten_crystal_leaves_what_it_was_made_of(db: MemoryDatabase) -> None:
    for _ in range(3):
        db.remember("The quince bears in October.", project="garden", now=START)
    db.maintain(now=START, only=["promote", "crystals"])
    db.maintain(now=START, only=["propose"])
    before = db.info().memories
    (crystal,) = db.recall("quince", kinds="crystal", now=START)
    db.accept(db.proposals()[0].id, now=day(1))
    db.forget(crystal.memory.id, hard=True, now=day(2))
    assert db.info().memories == before - 1 + 1  # without the crystal, with the merged one
    assert db.conn.execute("select count(*) from memories where archived_at is not null").fetchone()[0] == 3


def test_what_others_were_noted_for_is_noted_again(db: MemoryDatabase) -> None:
    db.observe([{"role": "user", "content": text} for text in TOLD], session="s", threshold=0, now=START)
    turn = db.recall("Zyzzyville", kinds="turn", now=START)[0].memory.id
    many = db.info().memories
    db.forget(turn, hard=True, now=day(1))
    assert db.info().memories < many
    before = db.info().memories
    db.observe(threshold=0, now=day(2))
    assert db.info().memories >= before
    assert left(db) == []


def test_a_relation_and_a_name_that_only_it_gave_are_gone(db: MemoryDatabase) -> None:
    id = db.remember("Rosa lives in Zyzzyville.", now=START).id
    db.remember("Rosa is a cook, and she likes it.", now=START)
    db.forget(id, hard=True, now=day(1))
    assert left(db) == []
    assert db.conn.execute("select count(*) from relations where predicate = 'lives_in'").fetchone()[0] == 0


def test_what_was_believed_once_and_is_not_any_more_is_gone(db: MemoryDatabase) -> None:
    """Each version of a relation is a row of its own; evidence stays with the last one."""
    ids = [db.remember(f"Rosa moved to {to}.", now=day(n)).id for n, to in enumerate(("Zyzzyville", "Lund", "Porto"))]
    known = facts(db)
    db.forget(ids[0], hard=True, now=day(3))
    assert left(db) == []
    assert facts(db) == known
    assert db.conn.execute("select count(*) from entities where name = 'Lund'").fetchone()[0] == 1
    check_indexes(db)


COUNTED = {
    "a label": "Doctor Qwertzberg: nothing was found.",
    "a heading": "## Clinic Qwertzberg\n\nNothing was found.",
    "a link": "He lives near the [[Lake|qwertzberg]] now.",
    "words with hyphens": "He is at the zyzzy-on-the-lake, and well.",
}


@pytest.mark.parametrize("text", COUNTED.values(), ids=COUNTED)
def test_what_is_counted_of_its_words_is_gone(db: MemoryDatabase, text: str) -> None:
    db.remember("Rosa is a cook, and she likes it.", now=START)
    db.forget(db.remember(text, now=START).id, hard=True, now=day(1))
    assert left(db) == []
    id = edited(db, text, "Rosa is fine.")
    db.forget(id, hard=True, now=day(4))
    assert left(db) == []


def test_what_another_one_says_too_stays_counted(db: MemoryDatabase) -> None:
    for text in (SAID[0], *COUNTED.values()):
        db.remember(text, now=START)
    counted = [tuple(row) for row in db.conn.execute("select * from word_cases")]
    for text in COUNTED.values():
        db.forget(db.remember(text, now=START).id, hard=True, now=day(1))
    assert {word for word, *_ in counted} == {row[0] for row in db.conn.execute("select word from word_cases")}


def test_what_was_hidden_first_is_forgotten_as_well(db: MemoryDatabase) -> None:
    id = db.remember("Rosa moved to Zyzzyville.", now=START).id
    db.remember("Rosa is a cook, and she likes it.", now=START)
    db.forget(id, now=day(1))
    db.forget(id, hard=True, now=day(2))
    assert left(db) == []


def edited(db: MemoryDatabase, *texts: str, id: str = "1") -> str:
    """The id of a memory that said one text after the other."""
    for number, text in enumerate(texts):
        db.ingest([{"id": id, "text": text}], now=day(number))
    return str(db.conn.execute("select id from memories where source_id = ?", [id]).fetchone()[0])


def believed_once(db: MemoryDatabase) -> set[tuple[str, str]]:
    """Predicates and objects of the relations that nobody vouches for any more."""
    query = """
        select r.predicate, o.name from relations as r join entities as o on o.key = r.object_key
        where r.expired_at is not null
    """
    return {(row[0], row[1]) for row in db.conn.execute(query)}


SECRETS = (SECRET, "Rosa likes Zyzzyville.", "Qwertzberg: nothing.")


def test_what_it_said_before_it_was_edited_is_gone(db: MemoryDatabase) -> None:
    db.remember("Rosa is a cook, and she likes it.", now=START)
    id = edited(db, *SECRETS, "Rosa Miller is fine.")
    assert left(db) == list(WORDS)
    assert ("lives_in", "Zyzzyville") in believed_once(db)
    db.forget(id, hard=True, now=day(4))
    assert left(db) == []
    assert believed_once(db) == set()
    check_indexes(db)


def test_what_another_one_said_too_before_an_edit_stays_history_until_that_is_forgotten(db: MemoryDatabase) -> None:
    ids = [edited(db, "Rosa lives in Lund.", "Rosa is fine.", id=name) for name in ("1", "2")]
    db.forget(ids[0], hard=True, now=day(3))
    assert believed_once(db) == {("lives_in", "Lund")}
    db.forget(ids[1], hard=True, now=day(3))
    assert believed_once(db) == set()
    assert db.conn.execute("select count(*) from entities").fetchone()[0] == 0


def test_what_it_said_before_an_edit_goes_with_one_that_was_let_go_and_with_one_that_came_back(
    db: MemoryDatabase,
) -> None:
    ids = [edited(db, SECRET, "Rosa Miller is fine.", id=name) for name in ("1", "2")]
    for id in ids:
        db.conn.execute("update memories set expires_at = ? where id = ?", [day(3), id])
    db.conn.commit()
    db.maintain(now=day(4))
    assert len(db.restorable()) == 2
    db.unprune(ids[0], now=day(5))
    for id in ids:
        db.forget(id, hard=True, now=day(6))
    assert left(db) == []


@pytest.mark.slow
@given(st.lists(st.sampled_from([1, 2, 6.5, 8, 10, 20, 33, 50]), max_size=5, unique=True), st.integers(0, 6))
def test_whenever_it_is_forgotten_nothing_of_it_is_left_and_no_other_fact_is_lost(
    days: list[float], which: int
) -> None:
    told = [f"{text} Zyzzy{n}." for n, text in enumerate(TOLD)]
    with MemoryDatabase(embed="none") as db:
        db.set_policy(settings={"episodes.compress_share": "0.3"})
        ids = add_session(db, 0, tuple(told))
        for number in sorted(days):
            db.maintain(now=day(number))
        known = {row[1:4] for row in facts(db)}
        try:
            db.forget(ids[which], hard=True, now=day(60))
        except NotFound:  # it was purged; nobody can name it any more
            return
        tables = [row[0] for row in db.conn.execute("select name from sqlite_master where type = 'table'")]
        assert f"zyzzy{which}" not in str(rows(db, *tables)).lower()
        lost = {row for row in known if row[2] not in told[which] and row not in {one[1:4] for one in facts(db)}}
        assert lost == set()
        check_indexes(db)


# ---------------------------------------------------------------------------------------------- hidden


def recalled(db: MemoryDatabase, when: str) -> str:
    """All that recall finds for the secret, and for what was said beside it."""
    hits = [*db.recall("Where did Rosa move to?", 20, now=when), *db.recall("Qwertzberg", 20, now=when)]
    return " ".join(hit.memory.text for hit in hits)


@pytest.mark.parametrize("days", [(), (2,), (2, 6)], ids=str)
def test_what_is_hidden_is_in_no_summary_either_and_the_others_are_summed_up_anew(
    db: MemoryDatabase, days: tuple[int, ...]
) -> None:
    id = session(db)
    for number in days:
        db.maintain(now=day(number))
    db.forget(id, now=day(7))
    assert db.memory(id).text == SECRET
    for number in (7, 9, 16, 30):
        assert "Zyzzy" not in recalled(db, day(number))
        assert SAID[0].split(".")[0] in recalled(db, day(number))
        db.maintain(now=day(number))
    assert {row["text"] for row in of_compression(db, "raw")} == set()
    check_indexes(db)


def test_a_summary_that_can_be_undone_no_more_is_hidden_along_and_what_others_said_stays(db: MemoryDatabase) -> None:
    ids = add_session(db, 0, (*SAID, SECRET))
    db.conn.execute("update memories set importance = 9 where id = ?", [ids[-1]])
    known = {("Rosa", "lives_in", "Lisbon"), ("Hana", "works_at", "Nightshade")}  # as before Rosa moved
    for number in (2, 8, 10, 60):
        db.maintain(now=day(number))
    assert "Zyzzy" in of_compression(db, "distilled")[0]["text"]
    db.forget(ids[-1], now=day(61))
    assert "Zyzzy" not in recalled(db, day(61))
    assert [change.action for change in db.maintenance(memory=ids[-1], step="forget")] == ["forgotten", "hidden"]
    assert {row[1:4] for row in facts(db)} == known


@pytest.mark.parametrize("make", [observed, crystallised])
def test_what_is_hidden_is_in_nothing_that_recall_finds(
    db: MemoryDatabase, make: Callable[[MemoryDatabase], str]
) -> None:
    id = make(db)
    db.forget(id, now=day(8))
    assert "Zyzzy" not in recalled(db, day(8))


def test_the_command_says_what_went_along(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        id = session(db)
        db.maintain(now=day(2))
        (summary,) = of_compression(db, "compressed")
    said = CliRunner().invoke(cli, ["forget", str(path), id, "--hard"]).output
    assert said.splitlines()[0].startswith(id)
    assert f"{summary['id']} taken back: made from a forgotten memory; maintenance makes it again" in said
    with MemoryDatabase(path, embed="none") as db:
        assert left(db) == []


def told(db: MemoryDatabase) -> dict[str, list[tuple[object, ...]]]:
    """The rows of memories and of all that is read from them, without their keys and when they were read."""
    queries = {
        "memories": "select * from memories",
        "mentions": "select m.id, e.id, x.role, x.surface, x.start, x.count, x.confidence from mentions as x"
        " join memories as m on m.key = x.memory_key join entities as e on e.key = x.entity_key",
        "names": "select e.id, e.name, e.kind, e.description, a.alias from entities as e"
        " join aliases as a on a.entity_key = e.key",
        "relations": "select r.subject, r.predicate, r.object, r.valid_from, r.valid_until, r.confidence"
        " from current_relations as r",
        "evidence": "select m.id, e.quote, e.method, e.confidence, e.said_at from evidence as e"
        " join memories as m on m.key = e.memory_key",
        "links": "select a.id, b.id, l.type, l.weight, l.why from links as l"
        " join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key",
        "index": "select rowid, * from memories_fts",
    }
    return {name: sorted(map(tuple, db.conn.execute(query)), key=repr) for name, query in queries.items()}


def test_a_forgotten_memory_comes_back_exactly():
    with MemoryDatabase(":memory:", embed="none") as db:
        db.ingest(Path(__file__).parent.parent / "samples" / "notes", now="2026-01-01T12:00:00Z")
        before = told(db)
        id = db.recall("who planted the quince?", 1).ids[0]
        db.forget(id)
        db.forget(id)
        assert id not in db.recall("who planted the quince?", 50).ids
        assert db.unprune(id).id == id
        assert told(db) == before
        assert db.recall("who planted the quince?", 1).ids == [id]
        with pytest.raises(NotFound):
            db.unprune(id)
        db.forget(id, hard=True)
        with pytest.raises(NotFound):
            db.unprune(id)
        assert not db.conn.execute("select before from maintenance where before like '%quince%' ").fetchall()


def test_a_memory_that_an_older_version_has_forgotten_comes_back():
    with MemoryDatabase(":memory:", embed="none") as db:
        id = db.remember("Rosa planted the quince.").id
        db.forget(id)
        db.conn.execute("delete from maintenance")
        db.unprune(id)
        assert db.recall("quince").ids == [id]
        assert db.memory(id).meta.get("archived_because") is None
