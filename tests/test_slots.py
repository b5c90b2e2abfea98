"""Slots: one current value for each key, its history, and forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import LetterEmbedder, check_indexes, texts, vectors_by_id
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource, MemkitError, NotFound
from memkit.core.types import Memory
from memkit.storage.filters import Scope, eligible

FIRST, SECOND, THIRD = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3))


def value(mem: MemoryDatabase, text: str, now: str, **fields: object) -> Memory:
    return mem.remember(text, slot="user", key="timezone", **{"now": now, **fields})  # type: ignore[arg-type]


def current(mem: MemoryDatabase, now: str = THIRD, **options: object) -> list[str]:
    """What a question for the time zone finds at a moment, sorted."""
    return sorted(hit.memory.text for hit in mem.recall("timezone Europe America", now=now, **options))  # type: ignore[arg-type]


def supersedes(mem: MemoryDatabase) -> list[tuple[str, str]]:
    """Which text supersedes which."""
    sql = """
    select a.text, b.text from links as l
    join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key where l.type = 'supersedes'
    """
    return [tuple(row) for row in mem.conn.execute(sql)]


def test_a_second_value_closes_the_first_and_supersedes_it(mem: MemoryDatabase) -> None:
    old = value(mem, "Europe/Stockholm", FIRST)
    new = value(mem, "America/New_York", SECOND)
    assert mem.memory(old.id).valid_until == SECOND
    assert new.valid_until is None
    assert supersedes(mem) == [("America/New_York", "Europe/Stockholm")]
    assert current(mem) == ["America/New_York"]
    assert current(mem, everything=True) == ["America/New_York", "Europe/Stockholm"]


def test_the_old_value_is_what_held_before(mem: MemoryDatabase) -> None:
    value(mem, "Europe/Stockholm", FIRST, happened_at=FIRST)
    value(mem, "America/New_York", SECOND, happened_at=SECOND)
    assert current(mem, as_of="2026-01-15") == ["Europe/Stockholm"]
    assert current(mem, as_of="2026-02-15") == ["America/New_York"]
    assert current(mem, as_of="2025-12-01") == []


def test_the_same_key_elsewhere_is_another_value(mem: MemoryDatabase) -> None:
    mem.remember("Europe/Stockholm", slot="user", key="timezone", now=FIRST)
    mem.remember("Europe/Lisbon", slot="agent", key="timezone", now=FIRST)
    mem.remember("Europe/Madrid", slot="user", key="timezone", project="trip", now=FIRST)
    mem.remember("Europe/Oslo", slot="user", key="home", now=FIRST)
    assert current(mem) == ["Europe/Lisbon", "Europe/Madrid", "Europe/Oslo", "Europe/Stockholm"]
    assert supersedes(mem) == []


def test_a_value_told_late_is_history(mem: MemoryDatabase) -> None:
    value(mem, "America/New_York", SECOND)
    late = value(mem, "Europe/Stockholm", THIRD, valid_from=FIRST)
    assert mem.memory(late.id).valid_until == SECOND
    assert current(mem) == ["America/New_York"]
    assert supersedes(mem) == [("America/New_York", "Europe/Stockholm")]


def test_a_value_that_has_ended_closes_nothing(mem: MemoryDatabase) -> None:
    value(mem, "Europe/Stockholm", FIRST)
    value(mem, "America/New_York", SECOND, valid_until=FIRST)
    assert current(mem) == ["Europe/Stockholm"]


def test_a_value_told_between_two_others_holds_between_them(mem: MemoryDatabase) -> None:
    for text, start in (("Europe/Oslo", "2020-01-01"), ("Europe/Bern", "2010-01-01"), ("Europe/Rome", "2015-01-01")):
        value(mem, text, FIRST, valid_from=start)
    held = {year: current(mem, as_of=f"{year}-06-01") for year in (2009, 2012, 2017, 2022)}
    assert held == {2009: [], 2012: ["Europe/Bern"], 2017: ["Europe/Rome"], 2022: ["Europe/Oslo"]}


def test_a_later_value_makes_none_hold_longer_than_it_did(mem: MemoryDatabase) -> None:
    old = value(mem, "Europe/Oslo", FIRST, valid_until="2030-01-01")
    value(mem, "Europe/Rome", SECOND, valid_from="2040-01-01")
    assert mem.memory(old.id).valid_until == "2030-01-01"


def test_before_a_new_value_was_told_only_the_old_one_held(mem: MemoryDatabase) -> None:
    value(mem, "Europe/Oslo", FIRST)
    value(mem, "Europe/Rome", THIRD)
    assert current(mem, as_of=SECOND) == ["Europe/Oslo"]


def test_a_value_with_an_end_that_changes_in_its_source_still_ends_where_the_next_one_begins(
    mem: MemoryDatabase,
) -> None:
    first = {"id": 1, "text": "Europe/Oslo", "valid_from": "2010-01-01", "valid_until": "2030-01-01"}
    second = {"id": 2, "text": "Europe/Rome", "valid_from": "2015-01-01"}
    rows = [{**row, "slot": "user", "key": "timezone"} for row in (first, second)]
    mem.ingest(rows)
    assert mem.ingest([{**rows[0], "title": "Where"}]).updated == 1
    assert current(mem, as_of="2020-01-01") == ["Europe/Rome"]


Told = tuple[int, int | None, str]  # a year in which a value begins, how many it lasts, which field says so
TOLD = st.tuples(st.integers(2000, 2020), st.none() | st.integers(1, 6), st.sampled_from(["valid_from", "happened_at"]))


def timeline(told: list[Told]) -> list[list[int]]:
    """The values, by their years, that hold at the beginning and in the middle of each year when these are told."""
    with MemoryDatabase(embed="none") as db:
        years = {}
        for start, lasts, field in told:
            until = f"{start + lasts}-01-01" if lasts else None
            years[value(db, "Europe", FIRST, valid_until=until, **{field: f"{start}-01-01"}).key] = start
        moments = [f"{year}-{month}-01" for year in range(1999, 2028) for month in ("01", "07")]
        return [[years[key] for key in eligible(db.conn, Scope(now=FIRST, as_of=when))] for when in moments]


@settings(max_examples=40)
@given(values=st.lists(TOLD, max_size=6, unique_by=lambda one: one[0]), data=st.data())
def test_at_any_time_one_value_holds_at_most_in_whatever_order_they_are_told(
    values: list[Told], data: st.DataObject
) -> None:
    found = timeline(values)
    assert max(map(len, found)) <= 1
    assert timeline(data.draw(st.permutations(values))) == found


def test_values_from_a_file_follow_one_another_and_stay_so(mem: MemoryDatabase) -> None:
    rows = [
        {"id": n, "text": text, "slot": "user", "key": "timezone", "timestamp": when}
        for n, (text, when) in enumerate(
            [("Europe/Oslo", SECOND), ("Europe/Stockholm", FIRST), ("America/New_York", "2026-02-10")]
        )
    ]
    mem.ingest(rows)
    assert current(mem) == ["America/New_York"]
    assert sorted(supersedes(mem)) == [("America/New_York", "Europe/Oslo"), ("Europe/Oslo", "Europe/Stockholm")]
    for row in rows:
        row["title"] = "Where"  # each of them changes in place
    assert mem.ingest(rows).updated == 3
    assert current(mem) == ["America/New_York"]
    assert mem.ingest(rows).unchanged == 3
    check_indexes(mem)


def test_a_value_that_comes_back_after_another_was_told_is_history(mem: MemoryDatabase, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    row = '{"id": 1, "text": "Europe/Oslo", "slot": "user", "key": "timezone", "timestamp": "2026-01-01"}\n'
    path.write_text(row)
    mem.ingest(tmp_path, sync=True, now=FIRST)
    path.unlink()
    mem.ingest(tmp_path, sync=True, now=FIRST)
    assert current(mem) == []
    value(mem, "America/New_York", SECOND)
    path.write_text(row)
    assert mem.ingest(tmp_path, sync=True, now=THIRD).updated == 1
    assert current(mem) == ["America/New_York"]


# ---------------------------------------------------------------------------------------------- remembering


def test_remembering_keeps_every_field(mem: MemoryDatabase) -> None:
    made = mem.remember(
        "Rosa planted the quince.", kind="episode", title="Garden", speaker="Rosa", category="plants",
        tags=["garden", "#trees"], project="home", importance=7, confidence=0.5, happened_at="2019-04-01",
        expires_at="2030-01-01", meta={"where": "south wall"}, now=FIRST,
    )  # fmt: skip
    again = mem.memory(made.id)
    assert again == made
    assert (again.kind, again.tags, again.importance, again.confidence) == ("episode", ("garden", "trees"), 7.0, 0.5)
    assert (again.happened_at, again.created_at, again.meta) == ("2019-04-01", FIRST, {"where": "south wall"})


def test_the_same_text_may_be_remembered_twice(mem: MemoryDatabase) -> None:
    assert len({mem.remember("again", now=FIRST).id for _ in range(3)}) == 3


@pytest.mark.parametrize(
    ("text", "fields", "said"),
    [
        ("", {}, "nothing to remember"),
        (" \n", {}, "nothing to remember"),
        ("a\0b", {}, "NUL"),
        ("a\ud800b", {}, "UTF-8"),
        ("a", {"importance": 11}, "'importance' must be a number from 1 to 10, not 11"),
        ("a", {"confidence": "much"}, "from 0 to 1"),
        ("a", {"happened_at": "yesterday-ish"}, "not a time"),
        ("a", {"title": "x\0"}, "NUL"),
    ],
)
def test_what_makes_no_sense_is_not_remembered(
    mem: MemoryDatabase, text: str, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(BadSource, match=said):
        mem.remember(text, **fields)
    assert texts(mem) == []


# ---------------------------------------------------------------------------------------------- forgetting


def test_forgetting_hides_and_keeps(mem: MemoryDatabase) -> None:
    kept, gone = mem.remember("the plum tree"), mem.remember("the quince tree")
    mem.forget(gone.id, now=SECOND)
    assert mem.recall("tree").ids == [kept.id]
    assert set(mem.recall("tree", everything=True).ids) == {kept.id, gone.id}
    assert mem.memory(gone.id).archived_at == SECOND
    assert mem.memory(gone.id).meta == {"archived_because": "forgotten"}
    check_indexes(mem)


def test_forgetting_a_value_makes_room_for_a_new_one(mem: MemoryDatabase) -> None:
    mem.forget(value(mem, "Europe/Stockholm", FIRST).id)
    value(mem, "Europe/Oslo", SECOND)
    assert current(mem) == ["Europe/Oslo"]


@pytest.mark.parametrize("hard", [False, True])
def test_forgetting_changes_what_the_neighbours_say(mem: MemoryDatabase, letters: LetterEmbedder, hard: bool) -> None:
    mem.ingest([{"text": text, "session": "s"} for text in ("aaaa", "zzzz", "aaaa bbbb")])
    gone, first = (
        mem.conn.execute("select id from memories where text = ?", (text,)).fetchone()[0] for text in ("zzzz", "aaaa")
    )
    assert vectors_by_id(mem)[first][25] > 0
    mem.forget(gone, hard=hard)
    assert vectors_by_id(mem)[first][25] == 0
    assert not any("fulltext" in hit.why for hit in mem.recall("zzzz"))
    check_indexes(mem)


def test_what_nobody_remembers_cannot_be_forgotten(mem: MemoryDatabase) -> None:
    for hard in (False, True):
        with pytest.raises(NotFound, match="no memory with the id 'nope'"):
            mem.forget("nope", hard=hard)


def test_forgetting_hard_leaves_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    secrets = [b"xylophonequartz", b"Zebediah", b"Quillfeather", b"quillfeather", b"zebediah"]
    with MemoryDatabase(path) as db:
        rows = [{"text": f"turn {n} about the harbour and the boats", "session": "s"} for n in range(40)]
        rows[20]["text"] = "xylophonequartz is the passphrase of Zebediah Quillfeather, said Zebediah."
        db.ingest(rows)
        assert any(secret in path.read_bytes() + (tmp_path / "memory.db-wal").read_bytes() for secret in secrets)
        [id] = db.recall("xylophonequartz", k=1).ids
        db.forget(id, hard=True)
        for file in tmp_path.iterdir():
            assert [secret for secret in secrets if secret in file.read_bytes()] == [], file.name
        assert len(texts(db)) == 39
        assert id not in db.recall("passphrase", everything=True).ids
        check_indexes(db)


def test_forgetting_hard_says_when_another_reader_keeps_the_log(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as reader:
        id = db.remember("a secret").id
        reader.conn.execute("begin")
        reader.conn.execute("select count(*) from memories").fetchone()
        db.conn.execute("pragma busy_timeout = 50")
        with pytest.raises(MemkitError, match="still reads"):
            db.forget(id, hard=True)
        assert texts(db) == []
        reader.conn.execute("rollback")


def test_an_empty_slot_or_key_is_none(mem: MemoryDatabase) -> None:
    for text in ("one", "two"):
        mem.remember(text, slot="", key="k")
        mem.remember(f"{text} more", slot="user", key="")
    rows = mem.conn.execute("select slot, slot_key, valid_until from memories order by key").fetchall()
    assert [tuple(row) for row in rows] == [(None, "k", None), ("user", None, None)] * 2
