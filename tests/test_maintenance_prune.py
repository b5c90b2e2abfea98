"""Slots that hold too much (S10-S13), memories past their time, and how what went comes back exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import check_indexes, vectors_by_id
from hypothesis import given
from hypothesis import strategies as st
from maintenance_helpers import SAID, add_session, day, of_compression, rows

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound
from memkit.frontends.cli.main import cli
from memkit.maintenance import pruned
from memkit.storage.driver import writing

RULE = {"prune.user.cap": "3", "prune.user.min_age_days": "30", "prune.user.min_access": "2"}


def fill(db: MemoryDatabase, many: int, slot: str = "user") -> list[str]:
    """The ids of values in a slot, each a day younger than the one before."""
    return [db.remember(f"value {n}", slot=slot, key=f"key{n}", now=day(n)).id for n in range(many)]


def read(db: MemoryDatabase, id: str, times: int, now: str) -> None:
    """Says that a memory was recalled so often, and when last."""
    query = "insert into access (memory_key, count, last_at) select key, ?, ? from memories where id = ?"
    db.conn.execute(query, (times, now, id))


def slot(db: MemoryDatabase) -> list[str]:
    """The ids in the slot user."""
    return [row[0] for row in db.conn.execute("select id from memories where slot = 'user' order by key")]


def test_s11_no_more_goes_than_is_over_the_cap_the_least_read_first(mem: MemoryDatabase) -> None:
    mem.set_policy(settings=RULE)
    ids = fill(mem, 6)
    read(mem, ids[0], 1, day(0))
    report = mem.prune(apply=True, now=day(100))
    assert {change.memory_id for change in report.changes} == set(ids[1:4])
    whys = {change.memory_id: change.why for change in report.changes}
    assert whys[ids[1]] == f"slot user over 3, read 0 times, last {day(1)[:10]}"
    assert slot(mem) == [ids[0], *ids[4:]]
    check_indexes(mem)


def test_s11_a_slot_within_its_cap_loses_nothing(mem: MemoryDatabase) -> None:
    mem.set_policy(settings=RULE)
    fill(mem, 3)
    assert mem.prune(apply=True, now=day(1000)).changes == []


@pytest.mark.parametrize(("days", "goes"), [(30, 0), (31, 1), (33, 3)])
def test_s11_only_what_was_last_read_before_the_cutoff_goes(mem: MemoryDatabase, days: int, goes: int) -> None:
    mem.set_policy(settings={**RULE, "prune.user.cap": "1"})
    fill(mem, 6)
    assert len(mem.prune(apply=True, now=day(days)).changes) == goes


def test_s12_what_is_often_or_lately_read_stays_even_over_the_cap(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={**RULE, "prune.user.cap": "1"})
    ids = fill(mem, 5)
    read(mem, ids[0], 2, day(0))
    read(mem, ids[1], 1, day(99))
    mem.prune(apply=True, now=day(100))
    assert slot(mem) == ids[:2]


def test_s11_history_does_not_count_and_does_not_go(mem: MemoryDatabase) -> None:
    mem.set_policy(settings=RULE)
    for number in range(6):
        mem.remember(f"town {number}", slot="user", key="town", now=day(number))
    assert mem.prune(apply=True, now=day(100)).changes == []


def test_s13_the_command_only_shows_and_does_it_when_told(tmp_path: Path) -> None:
    path, run = tmp_path / "m.db", CliRunner()
    with MemoryDatabase(path, embed="none") as db:
        db.set_policy(settings=RULE)
        for n in range(5):
            db.remember(f"value {n}", slot="user", key=f"key{n}", now="2020-01-01T00:00:00Z")
    before = path.read_bytes()
    shown = run.invoke(cli, ["prune", str(path)])
    assert "Would be done" in shown.output
    assert "2 memories let go from full slots" in shown.output
    assert path.read_bytes() == before
    done = run.invoke(cli, ["prune", str(path), "--apply", "--json"])
    assert '"prune: pruned": 2' in done.output
    assert "There are 2" not in run.invoke(cli, ["prune", str(path)]).output
    listed = run.invoke(cli, ["unprune", str(path)]).output.splitlines()
    assert len(listed) == 2
    back = run.invoke(cli, ["unprune", str(path), listed[0].split()[0]])
    assert back.output.startswith(listed[0].split()[0])


def test_s13_upkeep_prunes_by_itself_and_each_slot_by_its_own_rule(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={**RULE, "prune.agent.cap": "1"})
    fill(mem, 5)
    fill(mem, 5, "agent")
    fill(mem, 5, "project")
    assert mem.maintain(now=day(100)).counts == {"prune: pruned": 6}
    assert mem.maintain(now=day(100)).counts == {}


# ---------------------------------------------------------------------------------------------- there and back


def lived(db: MemoryDatabase) -> list[str]:
    """The ids of memories on which hangs whatever can hang on one."""
    ids = [
        *add_session(db, 0),
        db.remember("Rosa lives in Porto.", slot="user", key="rosa", expires_at=day(9), now=day(1)).id,
        db.remember("木 在 里斯本 种", now=day(1), tags=["tree"], expires_at=day(9)).id,
    ]
    db.link(ids[0], ids[1], why="by hand", now=day(1))
    db.supersede(ids[3], ids[4], now=day(1))
    db.relate("Rosa", "likes", "quinces", memory=ids[6], now=day(1))
    db.recall("Rosa Lisbon", track=True, ledger=True, now=day(1))
    key = db.memory(ids[6]).key
    db.conn.execute("insert into feedback (memory_key, question, useful, at) values (?, 'q', 1, ?)", (key, day(1)))
    return ids


def test_what_was_let_go_comes_back_exactly(mem: MemoryDatabase) -> None:
    ids = lived(mem)
    mem.conn.execute("update memories set expires_at = ?", (day(9),))
    before, vectors = rows(mem), vectors_by_id(mem)
    assert mem.maintain(now=day(10), only="expire").counts == {"expire: expired": len(ids)}
    assert mem.conn.execute("select count(*) from memories").fetchone()[0] == 0
    mem.conn.execute(
        "update pruned set rows = json_set(rows, '$.memories[0].expires_at', ?)", (day(99),)
    )  # or restoring would take the date off
    for id in reversed(ids):
        mem.unprune(id, now=day(11))
    mem.conn.execute("update memories set expires_at = ?", (day(9),))
    assert rows(mem) == before
    assert {id: vector.tobytes() for id, vector in vectors_by_id(mem).items()} == {
        id: vector.tobytes() for id, vector in vectors.items()
    }
    check_indexes(mem)


def test_a_whole_run_is_undone_exactly(mem: MemoryDatabase) -> None:
    lived(mem)
    mem.maintain(now=day(3))
    before = rows(mem)
    dates = mem.conn.execute("select expires_at, id from memories").fetchall()
    report = mem.maintain(now=day(10.5))
    assert report.counts == {"expire: expired": 7, "distil: distilled": 1}
    undone = mem.undo(report.run, now=day(10.6))
    assert all(change.undone_at == day(10.6) for change in undone)
    mem.conn.executemany("update memories set expires_at = ? where id = ?", map(tuple, dates))  # past: taken off
    assert rows(mem) == before
    check_indexes(mem)


def test_what_is_brought_back_is_left_alone_from_then_on(mem: MemoryDatabase) -> None:
    gone = mem.remember("gone", expires_at=day(1), now=day(0)).id
    mem.maintain(now=day(2))
    assert mem.unprune(gone, now=day(2)).expires_at is None
    assert mem.maintain(now=day(3)).changes == []
    assert [hit.memory.id for hit in mem.recall("gone", now=day(3))] == [gone]


def test_it_can_be_restored_for_thirty_days_and_then_it_is_gone(mem: MemoryDatabase) -> None:
    one, other = (mem.remember(text, expires_at=day(1), now=day(0)).id for text in ("one", "other"))
    mem.maintain(now=day(1))
    assert {row["text"] for row in mem.restorable()} == {"one", "other"}
    mem.maintain(now=day(30.9))
    mem.unprune(one, now=day(30.9))
    report = mem.maintain(now=day(31))
    assert [(change.action, change.why) for change in report.changes] == [("gone for good", "pruned over 30 days ago")]
    with pytest.raises(NotFound, match=r"No memory with the id .* can be restored"):
        mem.unprune(other, now=day(31))


def test_a_value_whose_slot_was_taken_meanwhile_comes_back_as_history(mem: MemoryDatabase) -> None:
    old = mem.remember("Lisbon", slot="user", key="town", expires_at=day(1), now=day(0)).id
    mem.maintain(now=day(1))
    new = mem.remember("Porto", slot="user", key="town", now=day(2)).id
    assert mem.unprune(old, now=day(3)).valid_until == day(3)
    assert mem.memory(new).valid_until is None


def test_a_value_that_had_ended_before_it_went_keeps_its_end(mem: MemoryDatabase) -> None:
    old = mem.remember("Lisbon", slot="user", key="town", expires_at=day(3), now=day(0)).id
    new = mem.remember("Porto", slot="user", key="town", now=day(1)).id
    mem.maintain(now=day(3))
    assert mem.unprune(old, now=day(4)).valid_until == day(1)
    assert mem.memory(new).valid_until is None


@pytest.mark.parametrize(("ends", "left"), [(1, None), (4, None), (5, day(5))])
def test_an_end_that_has_passed_is_taken_off_and_one_to_come_stays(
    mem: MemoryDatabase, ends: int, left: str | None
) -> None:
    id = mem.remember("gone", expires_at=day(1), now=day(0)).id
    mem.maintain(now=day(2))
    mem.conn.execute("update pruned set rows = json_set(rows, '$.memories[0].expires_at', ?)", (day(ends),))
    assert mem.unprune(id, now=day(4)).expires_at == left


def test_what_never_ends_comes_back_without_an_end(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={**RULE, "prune.user.cap": "1"})
    first, _ = fill(mem, 2)
    mem.prune(apply=True, now=day(100))
    assert mem.unprune(first, now=day(101)).expires_at is None
    assert slot(mem)[0] == first


def test_new_vectors_are_for_the_neighbours_that_stay(mem: MemoryDatabase) -> None:
    mem.ingest([{"id": f"t{n}", "text": f"turn {n}", "document": "d"} for n in range(7)], now=day(0))
    mem.conn.execute("update memories set position = key")
    alone = mem.remember("alone", now=day(0))
    keys = [row[0] for row in mem.conn.execute("select key from memories where source_id like 't%' order by position")]
    reasons = {keys[2]: "x", keys[3]: "x", alone.key: "x"}
    with writing(mem.conn):
        assert pruned.prune_memories(mem.conn, reasons, day(1), 1.0) == {keys[n] for n in (0, 1, 4, 5)}
    assert {row["kept_until"] for row in mem.restorable()} == {day(2)}
    assert [
        mem.conn.execute("select text from memories where key = ?", [key]).fetchone() is None for key in reasons
    ] == [
        False,
        False,
        True,
    ], "what its source may still have stays as an empty row, or it would be taken in again"
    with writing(mem.conn):
        assert pruned.prune_memories(mem.conn, {}, day(1), 1.0) == set()


def test_relations_that_others_vouch_for_meanwhile_are_one_again(mem: MemoryDatabase) -> None:
    first = mem.remember("Rosa lives in Lisbon.", expires_at=day(2), now=day(0)).id
    mem.maintain(now=day(2))
    assert mem.about("Rosa", now=day(2)).relations == ()
    mem.remember("Rosa lives in Lisbon, still.", now=day(3))
    mem.unprune(first, now=day(4))
    (relation,) = mem.about("Rosa", now=day(5)).relations
    assert len(relation.evidence) == 2


def test_restoring_goes_with_what_is_still_there(mem: MemoryDatabase) -> None:
    one, other = mem.remember("Rosa knows Hana.", expires_at=day(1), now=day(0)), mem.remember("other", now=day(0))
    mem.link(one.id, other.id, now=day(0))
    mem.maintain(now=day(1))
    mem.forget(other.id, hard=True)
    mem.conn.execute("delete from entities")
    assert mem.unprune(one.id, now=day(2)).text == "Rosa knows Hana."
    check_indexes(mem)


def test_vacuum_ends_it_and_leaves_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("a quincunx of zyzzyvas", expires_at=day(1), now=day(0))
        db.remember("Something else that stays, and says a little more than that.", kind="episode", now=day(0))
        db.maintain(now=day(2))
        assert len(db.restorable()) == 1
        report = db.vacuum(now=day(2))
        assert report.counts == {"purge: gone for good": 1}
        assert [change.why for change in report.changes] == ["on request"]
        assert db.restorable() == []
    assert b"zyzzyva" not in path.read_bytes().lower()


def test_vacuum_ends_undoing_too(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    run = mem.maintain(now=day(2)).run
    mem.vacuum(now=day(2))
    with pytest.raises(MemkitError, match="cannot be undone: the state before it is no longer kept"):
        mem.undo(run, now=day(3))


def test_vacuum_says_what_it_ended(tmp_path: Path) -> None:
    """A memory that was let go can be restored, and letting it go is a change that could have been undone."""
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db:
        for number in range(3):
            add_session(db, number)
        db.remember("gone", expires_at=day(1), now=day(0))
        report = db.maintain(now=day(4))
        assert report.counts == {"compress: made": 3, "expire: expired": 1}
        db.undo(report.changes[0].id, now=day(4))
        ended = db.vacuum(now=day(4))
        assert (ended.restorable, ended.undoable, ended.to_dict()["ended"]) == (1, 3, {"restorable": 1, "undoable": 3})
        said = "1 memory can no longer be restored, and 3 changes can no longer be undone"
        assert str(ended).startswith(f"Run {ended.run} at {day(4)}: {said}\nThe file size was ")
        assert said in ended._repr_html_()
        assert not any(change.undoable for change in db.maintenance())
        add_session(db, 5)
        db.maintain(now=day(7))
    shown = CliRunner().invoke(cli, ["vacuum", str(path)]).output
    assert ": 0 memories can no longer be restored, and 1 change can no longer be undone\n" in shown
    again = CliRunner().invoke(cli, ["vacuum", str(path)]).output
    assert ": there was nothing to restore or undo\n" in again
    as_json = json.loads(CliRunner().invoke(cli, ["vacuum", str(path), "--json"]).output)
    assert as_json["ended"] == {"restorable": 0, "undoable": 0}


def test_what_is_forgotten_for_good_is_not_kept_by_the_log(file: MemoryDatabase) -> None:
    add_session(file, 0, tuple(f"{text} Zyzzyva {n}." for n, text in enumerate(SAID)))
    file.set_policy(settings={"episodes.compress_share": "1"})
    file.maintain(now=day(2))
    file.maintain(now=day(10))
    for row in [*of_compression(file, "raw"), *of_compression(file, "compressed"), *of_compression(file, "distilled")]:
        file.forget(row["id"], hard=True, now=day(11))
    kept = "select count(*) from maintenance where before like '%zyzzyva%'"
    assert file.conn.execute(kept).fetchone()[0] == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60)), min_size=1, max_size=12), st.integers(1, 8))
def test_pruning_and_undoing_is_nothing_for_any_slot(reads: list[tuple[int, int]], cap: int) -> None:
    with MemoryDatabase(embed="none") as db:
        db.set_policy(settings={**RULE, "prune.user.cap": str(cap)})
        for n, (times, at) in enumerate(reads):
            read(db, db.remember(f"value {n}", slot="user", key=f"key{n}", now=day(0)).id, times, day(at))
        before = rows(db)
        report = db.prune(apply=True, now=day(61))
        protected = sum(1 for times, at in reads if times >= 2 or at >= 31)
        assert len(slot(db)) == max(min(len(reads), cap), protected)
        if report.changes:
            db.undo(report.run, now=day(61))
        assert rows(db) == before
