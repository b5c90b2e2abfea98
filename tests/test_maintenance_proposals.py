"""What may be one, and what contradicts each other: proposed, decided by a person, undone exactly (E15)."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import check_indexes
from maintenance_helpers import facts, rows
from published_helpers import Angles, database

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, NotFound
from memkit.frontends.cli.main import cli
from memkit.maintenance import consolidate
from memkit.maintenance.consolidate import Pair
from memkit.maintenance.proposals import Proposal

NOW = "2026-03-01T12:00:00Z"
LATER = "2026-03-02T12:00:00Z"
QUINCE = "The quince by the wall bears yellow fruit in October every single year."
LONGER = "The quince by the wall bears yellow fruit in October every single year. Rosa planted it."


def twice(db: MemoryDatabase) -> list[str]:
    """Two memories that may be one; their ids."""
    return [db.remember(text, now=NOW, importance=n + 5, tags=[f"t{n}"]).id for n, text in enumerate((QUINCE, LONGER))]


def asked(db: MemoryDatabase, now: str = NOW) -> list[Proposal]:
    """The open proposals, after upkeep looked for more."""
    db.maintain(now=now, only=["propose"])
    return db.proposals()


# ---------------------------------------------------------------------------------------------- what is proposed


def test_e15_near_duplicates_are_proposed_with_their_text_and_never_merged_silently(mem: MemoryDatabase) -> None:
    ids = twice(mem)
    before = rows(mem)
    (found,) = asked(mem)
    assert (found.kind, found.members, found.text) == ("merge", tuple(sorted(ids)), LONGER)
    assert rows(mem) == before
    assert {side.text for side in mem.proposed(found.id)} == {QUINCE, LONGER}


def test_e15_upkeep_counts_what_it_would_propose_and_tells_of_each_at_its_first_member(mem: MemoryDatabase) -> None:
    twice(mem)
    one, other = (mem.remember(text, now=NOW) for text in ("Prune in winter.", "Prune after harvest."))
    mem.link(one.id, other.id, "contradicts", now=NOW)
    mem.set_policy(settings={"steps": "propose"})
    assert mem.due(now=NOW)["propose"] == 2
    changes = mem.maintain(now=NOW, only=["propose"]).changes
    told = {found.id: found.members for found in mem.proposals()}
    assert {change.id: (change.memory_id, *change.sources[1:]) for change in changes} == told
    assert {change.id: change.sources for change in changes} == told
    assert mem.due(now=NOW)["propose"] == 0


def test_the_same_words_of_short_statements_are_proposed_as_one(mem: MemoryDatabase) -> None:
    for text in ("No olives.", "No olives.", "No olives.", "No figs.", "No figs."):
        mem.remember(text, kind="preference", now=NOW)
    assert {(len(found.members), found.text, found.why) for found in asked(mem)} == {
        (3, "No olives.", "the same words"),
        (2, "No figs.", "the same words"),
    }


def test_e15_statements_close_in_meaning_with_words_in_common_are_proposed_the_longer_first() -> None:
    near = ("Tea .9 with milk at four", "Tea .9 with lemon cake at five")  # their cosine is .81
    db = database([{"text": text, "kind": "fact"} for text in near], Angles())
    (found,) = asked(db)
    assert (found.why, found.text) == ("close in meaning, cosine 0.81", f"{near[1]} {near[0]}")
    others = [
        ("Tea .89 with milk at four", "Tea .89 with lemon at five"),  # a cosine of .79
        ("Tea .6 with milk at four", "Tea .6 with lemon at five"),  # far in meaning
        ("Tea .9 with milk at four", "Coffee .9, black, before noon"),  # other words
    ]
    for pair in others:
        assert asked(database([{"text": text, "kind": "fact"} for text in pair], Angles())) == []


OPPOSITES = (
    ("I do not eat pork.", "I eat pork again."),
    ("I never drink coffee in the evening.", "I drink coffee in the evening."),
    ("Ich esse kein Fleisch mehr.", "Ich esse wieder Fleisch."),
    ("我不吃猪肉了。", "我吃猪肉了。"),
    ("The quince by the wall bears fruit every year.", "The quince by the wall bears no fruit every year."),
)


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_a_statement_and_its_denial_are_never_proposed_as_one(mem: MemoryDatabase, one: str, other: str) -> None:
    around = " It is said in the house by the river, where the long table stands under the window of the kitchen."
    for text in (one, other, one + around, other + around):
        mem.remember(text, kind="preference", now=NOW)
    for found in asked(mem):
        texts = [side.text.replace(around, "") for side in mem.proposed(found.id)]
        assert not {one, other} <= set(texts)


def test_what_two_people_say_is_never_proposed_as_one(mem: MemoryDatabase) -> None:
    for speaker in ("Rosa", "Otto", None):
        mem.remember(LONGER, speaker=speaker, now=NOW)
    assert asked(mem) == []
    mem.remember(LONGER, speaker="rosa", now=LATER)
    assert len(asked(mem)) == 1


def test_what_stands_in_many_notes_is_a_template_and_is_not_proposed(tmp_path: Path) -> None:
    template = "Every note of this garden begins with the weather, the birds at the feeder and what is in flower."
    with MemoryDatabase() as db:
        for n in range(2):
            (tmp_path / f"{n}.md").write_text(f"# Today\n\n{template}\n\n# Seen\n\n{'heron carp newt'.split()[n]}")
        db.ingest(tmp_path)
        (found,) = asked(db)
        assert template in found.text
        for n in range(2, 7):
            (tmp_path / f"{n}.md").write_text(f"# Today\n\n{template}")
        (tmp_path / "a.md").write_text(f"# Jelly\n\n- quinces\n- sugar\n\n{LONGER}")
        (tmp_path / "b.md").write_text(f"# Jelly\n\n- quinces\n- sugar\n\n{LONGER}")
        db.ingest(tmp_path)
        (found,) = asked(db)
        assert found.text == f"# Jelly\n\n- quinces\n- sugar\n\n{LONGER}"


@pytest.mark.parametrize(("notes", "common"), [(4, False), (5, True), (6, True)])
def test_passages_nearly_the_same_in_five_notes_are_a_template(notes: int, common: bool) -> None:
    """Pairs may come in any order, and those of other kinds, and of passages in one note, do not count."""
    rows = {n: {"kind": "passage", "text": f"the weather of day {n}", "document_key": n} for n in range(notes)}
    apart = {20 + n: {"kind": "passage", "text": f"the birds {n}", "document_key": n % 4} for n in range(8)}
    others = {40 + n: {"kind": "fact", "text": f"a fact {n}", "document_key": n} for n in range(8)}
    chains = [list(rows), list(apart), list(others), [40, 0], [0, 99]]
    pairs = [Pair(one, other, 0.9, "x") for chain in chains for one, other in pairwise(chain)]
    with MemoryDatabase(embed="none") as db:
        for order in (pairs, pairs[::-1], pairs[1::2] + pairs[::2]):
            found = consolidate._boilerplate(db.conn, order, {**rows, **apart, **others})
            assert found == (set(rows) if common else set())


SIDE = {"slot_key": None, "project": "p", "speaker": "Rosa", "text": "tea at four", "kind": "fact", "day": "2026-01-01"}


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ({}, {"day": "2026-01-02", "speaker": "ROSA", "kind": "preference"}, True),
        ({"speaker": None}, {"speaker": ""}, True),
        ({"speaker": None}, {}, False),
        ({"speaker": "Otto"}, {}, False),
        ({"slot_key": "tea"}, {}, False),
        ({"project": "q"}, {}, False),
        ({"project": "o"}, {}, False),
        ({"text": "no tea at four"}, {}, False),
        ({"kind": "turn"}, {"kind": "turn"}, True),
        ({"kind": "episode"}, {"kind": "turn"}, False),
        ({"kind": "turn"}, {"kind": "passage"}, False),
        ({"kind": "turn"}, {"kind": "turn", "day": "2026-01-02"}, False),
    ],
)
def test_which_two_may_become_one(one: dict[str, Any], other: dict[str, Any], may: bool) -> None:
    for a, b in ((one, other), (other, one)):
        assert consolidate._mergeable(SIDE | a, SIDE | b) is may


@pytest.mark.parametrize(
    ("pairs", "groups"),
    [
        ([(0, 1, 0.9, "a"), (1, 2, 0.8, "b")], [({0, 1, 2}, "a")]),
        ([(1, 2, 0.9, "a"), (0, 1, 0.8, "b")], [({0, 1, 2}, "a")]),
        ([(1, 2, 0.9, "a"), (0, 2, 0.8, "b")], [({0, 1, 2}, "a")]),
        ([(1, 2, 0.8, "b"), (0, 1, 0.9, "a")], [({0, 1, 2}, "a")]),
        ([(0, 1, 0.9, "a"), (2, 3, 0.8, "b")], [({0, 1}, "a"), ({2, 3}, "b")]),
        ([(2, 3, 0.9, "b"), (0, 1, 0.8, "a"), (1, 2, 0.7, "c")], [({0, 1, 2, 3}, "a")]),
        ([(0, 1, 0.9, "a"), (1, 99, 0.8, "b"), (98, 0, 0.8, "b")], [({0, 1}, "a")]),
    ],
)
def test_a_group_is_all_that_hangs_together_with_the_reason_of_a_first_pair(
    monkeypatch: pytest.MonkeyPatch, pairs: list[tuple[int, int, float, str]], groups: list[tuple[set[int], str]]
) -> None:
    with MemoryDatabase(embed="none") as db:
        keys = [db.remember(f"note {n}", now=NOW).key for n in range(4)]
        keys += range(1000, 1100)
        made = [Pair(keys[one], keys[other], share, why) for one, other, share, why in pairs]
        monkeypatch.setattr(consolidate, "_pairs", lambda conn: made)
        found = [({keys.index(row["key"]) for row in rows}, why) for rows, why in consolidate.clusters(db.conn)]
        assert found == groups
        for members, _ in consolidate.clusters(db.conn):
            assert [row["key"] for row in members] == sorted((row["key"] for row in members), reverse=True), (
                "newest first"
            )


def test_of_more_than_eight_that_are_the_same_eight_are_one_and_a_person_is_asked_so_much_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mem = MemoryDatabase(embed="none")
    for text in ("No olives.", "No figs.", "No dates.", "No plums."):
        for _ in range(9):
            mem.remember(text, kind="preference", now=NOW)
    monkeypatch.setattr(consolidate, "MOST_OPEN", 3)
    first = asked(mem)
    assert [len(found.members) for found in first] == [8, 8, 8]
    assert asked(mem, LATER) == first
    for found in first[:2]:
        mem.refuse(found.id, now=LATER)
    assert len(asked(mem, LATER)) == 3
    monkeypatch.setattr(consolidate, "MOST_OPEN", 2)
    assert len(asked(mem, LATER)) == 3, "what is open stays open"


def test_e15_of_two_near_duplicates_the_longer_text_is_first_whichever_is_newer(mem: MemoryDatabase) -> None:
    other = "Rosa prunes it in March, before the leaves. " + QUINCE
    for text in (other, LONGER):
        mem.remember(text, now=NOW)
    (found,) = asked(mem)
    assert found.text == f"{other} Rosa planted it."


def test_asking_again_asks_nothing_new(mem: MemoryDatabase) -> None:
    twice(mem)
    assert asked(mem) == asked(mem, LATER)
    assert mem.maintain(now=LATER, only=["propose"]).changes == []


@pytest.mark.parametrize(
    "pair",
    [
        [{"text": QUINCE, "project": "a"}, {"text": QUINCE, "project": "b"}],
        [{"text": QUINCE.replace("year", "2019")}, {"text": QUINCE.replace("year", "2020")}],
        [{"text": QUINCE, "slot": "user", "key": "quince"}, {"text": QUINCE, "slot": "agent", "key": "quince"}],
        [
            {"text": QUINCE, "kind": "episode", "happened_at": "2026-01-01"},
            {"text": QUINCE, "kind": "episode", "happened_at": "2026-01-02"},
        ],
    ],
    ids=["projects", "numbers", "slots", "days"],
)
def test_what_is_not_one_is_not_proposed(mem: MemoryDatabase, pair: list[dict[str, Any]]) -> None:
    for fields in pair:
        mem.remember(**fields, now=NOW)
    assert asked(mem) == []


def test_a_proposal_about_what_is_gone_is_taken_back(mem: MemoryDatabase) -> None:
    one, _ = twice(mem)
    assert len(asked(mem)) == 1
    mem.forget(one, now=NOW)
    assert asked(mem, LATER) == []


def test_a_larger_group_takes_the_place_of_a_smaller_one(mem: MemoryDatabase) -> None:
    ids = twice(mem)
    asked(mem)
    ids.append(mem.remember(QUINCE, now=LATER).id)
    (found,) = asked(mem, LATER)
    assert found.members == tuple(sorted(ids))


# ---------------------------------------------------------------------------------------------- a merge


def test_e15_what_is_accepted_is_one_memory_with_its_sources_put_away(mem: MemoryDatabase) -> None:
    ids = twice(mem)
    (found,) = asked(mem)
    assert mem.accept(found.id, text="The quince bears in October.", now=LATER).state == "accepted"
    (hit,) = mem.recall("quince October", now=LATER)
    new = hit.memory
    assert (new.text, new.importance, set(new.tags)) == ("The quince bears in October.", 6, {"t0", "t1"})
    assert {mem.memory(id).meta["archived_because"] for id in ids} == {"merged"}
    (change,) = mem.maintenance(memory=new.id)
    assert (change.action, set(change.sources), change.run) == ("merged", set(ids), found.id)
    check_indexes(mem)


def test_what_the_old_ones_vouched_for_the_new_one_does(mem: MemoryDatabase) -> None:
    ids = twice(mem)
    mem.relate("Rosa", "planted", "the quince", memory=ids[0], quote="quince", confidence=0.8, now=NOW)
    before = {row[1:4] for row in facts(mem)}
    (found,) = asked(mem)
    mem.accept(found.id, now=LATER)
    assert {row[1:4] for row in facts(mem)} == before


def test_a_merge_is_undone_exactly(mem: MemoryDatabase) -> None:
    ids = twice(mem)
    mem.relate("Rosa", "planted", "the quince", memory=ids[0], quote="quince", confidence=0.8, now=NOW)
    (found,) = asked(mem)
    before = rows(mem)
    mem.accept(found.id, now=LATER)
    mem.undo(found.id, now=LATER)
    assert rows(mem) == before
    check_indexes(mem)


def test_the_same_words_in_another_project_hide_no_two_that_may_be_one() -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("No olives.", project="private", now=NOW)
        ids = {db.remember("No olives.", project="work", now=NOW).id for _ in range(2)}
        assert [set(found.members) for found in asked(db)] == [ids]


def test_e15_an_undone_decision_is_open_again_as_it_was_proposed_and_can_be_decided_anew(mem: MemoryDatabase) -> None:
    twice(mem)
    (found,) = asked(mem)
    mem.accept(found.id, text="The quince bears in October.", now=LATER)
    mem.undo(found.id, now=LATER)
    assert mem.proposals() == asked(mem, LATER) == [found]
    assert mem.proposals("accepted") == []
    assert mem.accept(found.id, text="A quince.", now=LATER).text == "A quince."
    assert mem.proposals() == []
    mem.undo(found.id, now=LATER)
    mem.refuse(found.id, now=LATER)
    assert asked(mem, LATER) == []


def test_e15_what_is_refused_does_not_come_back_in_any_company(mem: MemoryDatabase) -> None:
    one, other = twice(mem)
    (found,) = asked(mem)
    assert mem.refuse(found.id, now=NOW).state == "refused"
    assert asked(mem, LATER) == []
    mem.remember(QUINCE, now=LATER)
    assert all(not {one, other} <= set(again.members) for again in asked(mem, LATER))


# ---------------------------------------------------------------------------------------------- a contradiction


def born_twice(db: MemoryDatabase, *projects: str) -> list[str]:
    """Two memories that say where Otto was born; their ids."""
    ids = []
    for n, place in enumerate(("Lund", "Oslo")):
        project = projects[n] if projects else None
        ids.append(db.remember(f"A letter, number {n}.", project=project, now=f"2026-02-0{n + 1}T00:00:00Z").id)
        db.relate("Otto", "born in", place, memory=ids[-1], valid_from="1980", now=f"2026-02-0{n + 1}T00:00:00Z")
    return ids


def places(db: MemoryDatabase) -> set[str]:
    """Where Otto was born, as far as it holds."""
    return {row[3] for row in facts(db) if row[2] == "born_in"}


def test_relations_that_cannot_both_hold_are_listed_for_a_decision(mem: MemoryDatabase) -> None:
    born_twice(mem)
    (found,) = asked(mem)
    assert found.kind == "contradiction"
    assert {side.text for side in mem.proposed(found.id)} == {"Otto born in Lund", "Otto born in Oslo"}


@pytest.mark.parametrize("right", ["Lund", "Oslo"])
def test_the_side_that_says_the_text_stays_and_the_other_one_is_undone_exactly(mem: MemoryDatabase, right: str) -> None:
    born_twice(mem)
    (found,) = asked(mem)
    before = rows(mem)
    mem.accept(found.id, text=f"Otto born in {right}", now=LATER)
    assert places(mem) == {right}
    mem.undo(found.id, now=LATER)
    assert rows(mem) == before
    assert asked(mem, LATER) == [found]


def test_another_text_is_a_new_memory_and_both_give_way(mem: MemoryDatabase) -> None:
    born_twice(mem)
    (found,) = asked(mem)
    mem.accept(found.id, text="Otto was found in a basket.", now=LATER)
    assert places(mem) == set()
    assert "Otto was found in a basket." in {hit.memory.text for hit in mem.recall("Otto basket", now=LATER)}


@pytest.mark.parametrize("first", ["private", "work"])
def test_another_text_is_no_wider_known_than_what_was_said_last(mem: MemoryDatabase, first: str) -> None:
    born_twice(mem, first, "private")
    (found,) = asked(mem)
    mem.accept(found.id, text="Otto was found in a basket.", now=LATER)
    made = next(hit.memory for hit in mem.recall("Otto basket", now=LATER) if "basket" in hit.memory.text)
    assert made.project == "private"


def test_a_memory_that_contradicts_another_supersedes_it_when_it_is_right(mem: MemoryDatabase) -> None:
    one = mem.remember("Prune in winter.", now=NOW)
    other = mem.remember("Prune after harvest.", now=LATER)
    mem.link(one.id, other.id, "contradicts", now=LATER)
    (found,) = asked(mem, LATER)
    assert found.text == other.text
    before = rows(mem)
    mem.accept(found.id, text=one.text, now=LATER)
    assert [hit.memory.id for hit in mem.recall("prune", now="2026-03-03T12:00:00Z")] == [one.id]
    assert asked(mem, LATER) == []
    mem.undo(found.id, now=LATER)
    assert rows(mem) == before


def test_what_takes_the_place_of_two_that_contradict_is_where_and_as_the_newer_one_is(mem: MemoryDatabase) -> None:
    old = mem.remember("The gate is red.", project="old", kind="note", tags=["red"], happened_at=NOW, now=NOW)
    new = mem.remember("The gate is blue.", project="new", kind="fact", tags=["blue"], happened_at=LATER, now=NOW)
    mem.link(new.id, old.id, "contradicts", now=LATER)
    (found,) = asked(mem, LATER)
    mem.accept(found.id, text="The gate is green.", now=LATER)
    (green,) = mem.conn.execute("select * from memories where text = 'The gate is green.'").fetchall()
    assert (green["project"], green["kind"], green["tags"]) == ("new", "fact", '["blue", "red"]')
    assert green["happened_at"] == LATER


# ---------------------------------------------------------------------------------------------- bad input


def test_what_cannot_be_decided_is_said(mem: MemoryDatabase) -> None:
    one, _ = twice(mem)
    (found,) = asked(mem)
    with pytest.raises(NotFound, match="There is no proposal 'nothing'"):
        mem.accept("nothing")
    with pytest.raises(BadQuestion, match="cannot be accepted with an empty text"):
        mem.accept(found.id, text="  ")
    with pytest.raises(BadQuestion, match="'closed' is not a state of a proposal"):
        mem.proposals("closed")
    mem.forget(one, now=NOW)
    with pytest.raises(BadQuestion, match="no longer exist"):
        mem.accept(found.id, now=NOW)
    mem.refuse(found.id, now=NOW)
    with pytest.raises(BadQuestion, match="was already refused"):
        mem.accept(found.id, now=NOW)
    assert mem.undo(found.id) == []
    assert mem.proposals() == []  # it would say what was forgotten
    mem.unprune(one, now=NOW)
    assert mem.proposals() == [found]
    with pytest.raises(NotFound):
        mem.undo(found.id)  # it is open


def test_the_command_lists_accepts_and_refuses(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with MemoryDatabase(path, embed="none") as db:
        twice(db)
        born_twice(db)
        db.maintain(now=NOW, only=["propose"])
    run = CliRunner()
    listed = json.loads(run.invoke(cli, ["proposals", path, "--format", "json"]).output)
    ids = {one["kind"]: one["id"] for one in listed}
    assert QUINCE in run.invoke(cli, ["proposals", path]).output
    assert run.invoke(cli, ["proposals", path, "accept", ids["merge"], "--text", "A quince."]).exit_code == 0
    assert run.invoke(cli, ["proposals", path, "refuse", ids["contradiction"]]).exit_code == 0
    assert run.invoke(cli, ["proposals", path]).output.startswith("There is nothing to decide.")
    assert "accepted" in run.invoke(cli, ["proposals", path, "--state", "all"]).output
    assert run.invoke(cli, ["undo", path, ids["merge"]]).exit_code == 0
    assert ids["merge"] in run.invoke(cli, ["proposals", path]).output
    assert ids["merge"] not in run.invoke(cli, ["proposals", path, "--state", "accepted"]).output
    assert run.invoke(cli, ["proposals", path, "accept"]).exit_code == 2
    assert run.invoke(cli, ["proposals", path, "refuse", "x", "--text", "y"]).exit_code == 2


# ---------------------------------------------------------------------------------------------- the notebook


def test_the_widget_shows_one_at_a_time_and_decides_it(mem: MemoryDatabase) -> None:
    from memkit.widgets import ProposalBox

    twice(mem)
    born_twice(mem)
    mem.remember("<script>alert(1)</script> no olives", kind="preference", now=NOW)
    mem.remember("<script>alert(1)</script> no olives", kind="preference", now=NOW)
    asked(mem)
    box = ProposalBox(mem)
    shown = box.proposal
    assert shown is not None
    assert box.text.value == shown.text
    assert "<script>" not in box.out.value
    box.text.value = "  "
    box.accept.click()
    assert box.error is not None
    assert "cannot be accepted with an empty text" in box.out.value
    box.later.click()
    assert box.proposal != shown
    while box.proposal:
        (box.refuse if box.proposal.kind == "contradiction" else box.accept).click()
    assert sorted(one.state for one in box.decided) == ["accepted", "accepted", "refused"]
    assert "nothing to decide" in box.out.value
    assert repr(box) == "<ProposalBox 0 to decide, 3 decided>"
    mem.undo(next(one.id for one in box.decided if one.state == "accepted"))
    box.refresh()
    assert repr(box) == "<ProposalBox 1 to decide, 2 decided>"
