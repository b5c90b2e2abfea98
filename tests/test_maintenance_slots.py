"""The step "slots": what the user says of himself is written or proposed, logged, undone, and never asked again."""

from __future__ import annotations

from typing import Any

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, MemkitError

NOW = "2024-01-01T00:00:00Z"


def values(db: MemoryDatabase) -> dict[str, str]:
    """What the slots hold now."""
    query = """
        select slot || '.' || slot_key, text from memories
        where slot is not null and valid_until is null and archived_at is null
    """
    return dict(tuple(row) for row in db.conn.execute(query))


def say(db: MemoryDatabase, *said: str, **fields: Any) -> list[str]:
    return [db.remember(text, happened_at=f"2023-01-{day:02}", **fields).id for day, text in enumerate(said, 1)]


def test_S01_upkeep_fills_slots_by_itself_and_logs_each_with_its_sentence(mem: MemoryDatabase) -> None:
    (id,) = say(mem, "Call me Sam.")
    report = mem.maintain(now=NOW)
    assert report.counts == {"slots: filled": 1}
    assert report.changes[0].why == "user.nickname, as you said"
    assert report.changes[0].sources == (id,)
    assert values(mem) == {"user.nickname": "Sam"}
    assert mem.maintain(now=NOW).changes == []
    assert mem.due()["slots"] == 0


def test_a_changed_statement_replaces_and_undo_of_any_value_leaves_one(mem: MemoryDatabase) -> None:
    say(mem, "Call me Sam.", "Call me Samuel now.", "Just call me Sammy.")
    first, second, third = mem.maintain(only="slots", now=NOW).changes
    assert values(mem) == {"user.nickname": "Sammy"}
    mem.undo(second.id)
    assert values(mem) == {"user.nickname": "Sammy"}
    query = "select text, valid_until from memories where slot = 'user' order by key"
    assert [tuple(row) for row in mem.conn.execute(query)] == [("Sam", "2023-01-03"), ("Sammy", None)]
    mem.undo(third.id)
    assert values(mem) == {"user.nickname": "Sam"}
    mem.undo(first.id)
    assert values(mem) == {}
    say(mem, "Call me Sam.")
    assert mem.maintain(only="slots", now=NOW).changes == []  # what was undone is not written again


def test_what_is_unsure_is_proposed_and_kept_when_accepted(mem: MemoryDatabase) -> None:
    (id,) = say(mem, "Hi there, I'm new here and my name is Sam.")
    assert mem.maintain(only="slots", now=NOW).counts == {"slots: proposed": 1}
    (found,) = mem.proposals(kind="slot")
    assert (found.kind, found.members, found.text) == ("slot", (id,), "user.name = Sam")
    assert mem.proposed(found.id)[0].text.startswith("Hi there")
    assert mem.proposals(kind="merge") == []
    mem.accept(found.id, text="user.name = Sam Reed", now=NOW)
    assert values(mem) == {"user.name": "Sam Reed"}
    assert mem.me() == "Sam Reed"
    mem.undo(found.id)
    assert values(mem) == {}
    assert [one.id for one in mem.proposals()] == [found.id]


def test_what_is_refused_is_not_asked_again_whoever_says_it_where(mem: MemoryDatabase) -> None:
    say(mem, "I prefer tea.")
    mem.maintain(only="slots", now=NOW)
    (found,) = mem.proposals()
    mem.refuse(found.id)
    say(mem, "Well, I prefer tea.", "I prefer coffee.")
    mem.maintain(only="slots", now=NOW)
    assert [one.text for one in mem.proposals()] == ["user.prefers: coffee = coffee"]


def test_an_accepted_text_must_have_the_form_of_values(mem: MemoryDatabase) -> None:
    say(mem, "I prefer tea.")
    mem.maintain(only="slots", now=NOW)
    (found,) = mem.proposals()
    with pytest.raises(BadQuestion, match=r"user\.nickname = Sam"):
        mem.accept(found.id, text="tea, of course")
    assert [one.state for one in mem.proposals(None)] == ["open"]


@pytest.mark.parametrize(
    ("how", "counts"), [("off", {}), ("propose", {"slots: proposed": 1}), ("write", {"slots: filled": 1})]
)
def test_the_policy_says_whether_slots_are_filled(mem: MemoryDatabase, how: str, counts: dict[str, int]) -> None:
    mem.set_policy(settings={"slots.fill": how})
    say(mem, "Call me Sam.")
    assert mem.due()["slots"] == (0 if how == "off" else 1)
    assert mem.maintain(only="slots", now=NOW).counts == counts
    assert mem.due()["slots"] == 0


def test_what_was_said_again_is_written_once_and_ended_once(mem: MemoryDatabase) -> None:
    allergic, not_any_more = "I'm allergic to peanuts.", "I'm no longer allergic to peanuts."
    say(mem, allergic, allergic, not_any_more, not_any_more)
    changes = mem.maintain(only="slots", now=NOW).changes
    assert [(one.action, one.why) for one in changes] == [
        ("filled", "user.allergy, as you said"),
        ("ended", "user.allergy, as you said"),
    ]
    query = "select text, valid_until from memories where slot = 'user'"
    assert [tuple(row) for row in mem.conn.execute(query)] == [("peanuts", "2023-01-03")]


def test_where_a_person_decides_nothing_ends_by_itself(mem: MemoryDatabase) -> None:
    say(mem, "I'm allergic to peanuts.")
    mem.maintain(only="slots", now=NOW)
    mem.set_policy(settings={"slots.fill": "propose"})
    mem.remember("I'm no longer allergic to peanuts.", happened_at="2023-05-01")
    assert mem.maintain(only="slots", now=NOW).changes == []
    assert values(mem) == {"user.allergy: peanuts": "peanuts"}


def test_what_waits_to_be_confirmed_is_not_asked_twice_and_goes_with_its_text(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={"slots.fill": "propose"})
    first, _, other = say(mem, "Call me Sam.", "Call me Sam.", "I'm allergic to peanuts and shellfish.")
    assert mem.maintain(only="slots", now=NOW).counts == {"slots: proposed": 2}
    asked = {one.members[0]: (one.text, one.why) for one in mem.proposals(kind="slot")}
    assert asked == {
        first: ("user.nickname = Sam", "you said: Call me Sam."),
        other: (
            "user.allergy: peanuts = peanuts\nuser.allergy: shellfish = shellfish",
            "you said: I'm allergic to peanuts and shellfish.",
        ),
    }
    mem.forget(first)
    mem.maintain(only="slots", now=NOW)
    assert [one.members for one in mem.proposals(kind="slot")] == [(other,)]
    mem.accept(mem.proposals(kind="slot")[0].id)
    assert values(mem) == {"user.allergy: peanuts": "peanuts", "user.allergy: shellfish": "shellfish"}


def test_an_unknown_way_to_fill_slots_is_refused(mem: MemoryDatabase) -> None:
    with pytest.raises(MemkitError, match=r"slots\.fill = 'maybe' is impossible: it is off, propose or write"):
        mem.set_policy(settings={"slots.fill": "maybe"})


def test_allergies_stand_beside_each_other_and_end_when_the_user_says_so(mem: MemoryDatabase) -> None:
    mem.me("Sam Reed")
    say(mem, "I'm allergic to peanuts and shellfish.", "I'm no longer allergic to peanuts.")
    report = mem.maintain(only="slots", now=NOW)
    assert report.counts == {"slots: filled": 2, "slots: ended": 1}
    assert values(mem) == {"user.allergy: shellfish": "shellfish"}
    relations = [one for one in mem.about("Sam Reed").relations if one.predicate == "allergy"]
    assert [one.object for one in relations] == ["shellfish"]
    mem.undo(report.run)
    assert values(mem) == {}


def test_undo_of_an_end_brings_the_value_and_its_relation_back(mem: MemoryDatabase) -> None:
    mem.me("Sam Reed")
    say(mem, "I'm allergic to peanuts.")
    mem.maintain(only="slots", now=NOW)
    mem.remember("I am not allergic to peanuts.", happened_at="2023-05-01")
    (ended,) = mem.maintain(only="slots", now=NOW).changes
    assert values(mem) == {}
    mem.undo(ended.id)
    assert values(mem) == {"user.allergy: peanuts": "peanuts"}
    assert "peanuts" in [one.object for one in mem.about("Sam Reed").relations]


def test_a_second_name_is_asked_about_and_a_friends_words_fill_nothing(mem: MemoryDatabase) -> None:
    mem.me("Sam Reed", aliases=["Sam"])
    mem.remember("My name is Otto Ek.", happened_at="2023-01-01")
    mem.remember("Call me Mo.", speaker="Mia", happened_at="2023-01-02")
    mem.remember("Call me Sammy.", speaker="Sam", happened_at="2023-01-03")
    mem.remember("Please answer in short sentences.", speaker="Sam", happened_at="2023-01-04")  # to a friend
    mem.maintain(only="slots", now=NOW)
    assert values(mem) == {"user.nickname": "Sammy"}
    assert [one.text for one in mem.proposals()] == ["user.name = Otto Ek"]


def test_a_decision_belongs_to_its_project_and_is_asked_about_without_one(mem: MemoryDatabase) -> None:
    say(mem, "We decided to use pnpm for the builds.", "We decided to use npm for the builds.", project="shop")
    mem.remember("We decided to go hiking on Sunday.", happened_at="2023-01-03")
    mem.maintain(only="slots", now=NOW)
    query = "select project, slot_key, text from memories where slot = 'project' and valid_until is null"
    assert [tuple(row) for row in mem.conn.execute(query)] == [("shop", "decision: builds", "use npm for the builds")]
    assert [one.text for one in mem.proposals()] == ["project.decision: go hiking on sunday = go hiking on Sunday"]


def test_a_value_goes_when_its_text_no_longer_says_it(mem: MemoryDatabase) -> None:
    row = {"id": "1", "speaker": "user", "session": "s", "timestamp": "2023-01-01T00:00:00Z"}
    mem.ingest([{**row, "text": "Call me Sam."}])
    mem.maintain(only="slots", now=NOW)
    mem.ingest([{**row, "text": "Call me Tom."}])
    assert mem.maintain(only="slots", now=NOW).counts == {"slots: taken back": 1, "slots: filled": 1}
    assert values(mem) == {"user.nickname": "Tom"}


def test_forgetting_what_was_said_forgets_the_value(mem: MemoryDatabase) -> None:
    (id,) = say(mem, "My phone number is +49 30 901820.")
    mem.maintain(only="slots", now=NOW)
    mem.forget(id, hard=True)
    assert mem.conn.execute("select count(*) from memories").fetchone()[0] == 0


def test_the_log_has_none_of_the_words_that_may_be_forgotten(mem: MemoryDatabase) -> None:
    say(mem, "I'm allergic to zyzzyva.", "My favourite zyzzyva is Ada.", "I am not allergic to zyzzyva.")
    mem.maintain(only="slots", now=NOW)
    log = [tuple(row) for row in mem.conn.execute("select why from maintenance order by key")]
    assert log == [("user.allergy, as you said",), ("user.favourite, as you said",), ("user.allergy, as you said",)]
