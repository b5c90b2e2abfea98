"""Compacting a running conversation, and what calls for a recall (K32, K33, K38, K39)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import check_indexes
from hypothesis import given
from hypothesis import strategies as st
from maintenance_helpers import rows
from maintenance_models import Scripted, Silent, points

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.frontends.cli.main import cli
from memkit.maintenance.conversation import CLOSE, OPEN, compact, split_for_summary
from memkit.maintenance.policy import Policy
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import Extractive, WithModel
from memkit.maintenance.triggers import asks_to_remember, cosine, topic_changed, triggers
from memkit.text.messages import tokens

NOW = "2026-03-01T12:00:00Z"


def said(
    n: int, text: str = "Rosa counted {n} ships called Aquila{n} in the harbour of Lisbon today."
) -> list[dict[str, str]]:
    """A conversation of n turns of about 20 tokens."""
    return [{"role": ("user", "assistant")[i % 2], "content": text.format(n=i)} for i in range(n)]


def work(db: MemoryDatabase, summariser=None) -> RunContext:
    return RunContext(db.conn, Policy(), NOW, "r1", None, summariser or Extractive())


def episodes(db: MemoryDatabase) -> list:
    found = db.conn.execute("select id from memories where kind = 'episode' order by key").fetchall()
    return [db.memory(row[0]) for row in found]


# ---------------------------------------------------------------------------------------------- K38


def test_K38_below_three_quarters_of_the_budget_nothing_is_done(db) -> None:
    messages = said(20)
    limit = tokens(messages)
    same = db.compact(messages, int(limit / 0.75) + 2, now=NOW)
    assert (same.messages, same.episode, same.before, same.after) == (messages, None, limit, limit)
    assert episodes(db) == []
    assert db.compact(messages, int(limit / 0.75) - 2, now=NOW).episode


@pytest.mark.parametrize(("turns", "kept"), [(3, 1), (4, 1), (7, 2), (10, 3), (33, 9), (34, 10), (100, 10)])
def test_K38_the_last_ten_or_thirty_per_cent_stay_word_for_word(db, turns, kept) -> None:
    """min(10, floor(.3 n)), but never none, as the published rule has it below four turns."""
    messages = said(turns)
    made = db.compact(messages, 30, now=NOW).messages
    assert made[1:] == messages[-kept:]
    assert made[0]["role"] == "system"
    assert made[0]["content"].startswith(OPEN)
    assert made[0]["content"].endswith(CLOSE)


def test_K38_a_conversation_never_gets_longer_by_being_compacted(db) -> None:
    """Of one short turn a summary with its brackets would be longer than that turn."""
    for turns in (said(2), [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}], said(5)):
        for budget in (1, 10, 30):
            done = db.compact(turns, budget, now=NOW)
            assert done.after <= done.before
            assert (done.messages == turns) == (done.episode is None)
    assert db.compact(said(2), 10, now=NOW).messages == said(2)


def test_K38_a_model_that_says_more_than_it_was_told_makes_no_conversation_longer(db) -> None:
    model = Scripted(lambda prompt: points(("Rosa counted ships in the harbour, " * 20, "high", [1])))
    done = compact(work(db, WithModel(model)), said(3), 10)
    assert (done.messages, done.episode) == (said(3), None)
    assert episodes(db) == []


def test_K38_the_summary_says_what_the_old_turns_said_in_less(db) -> None:
    messages = [*said(20), {"role": "user", "content": "And now?"}]
    done = db.compact(messages, 300, now=NOW)
    summary = done.messages[0]["content"].removeprefix(OPEN).removesuffix(CLOSE)
    assert done.after <= 150 + 30  # about half of the budget
    assert done.fits
    for line in summary.splitlines():
        speaker, _, text = line.partition(": ")
        assert {"role": speaker, "content": text} in messages[:-6]


def test_a_system_prompt_stays_and_an_answer_of_a_tool_stays_with_its_question(db) -> None:
    system = {"role": "system", "content": "You help."}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "count"}}]}
    messages = [system, *said(8), call, {"role": "tool", "content": "7"}, {"role": "tool", "content": "8"}, *said(1)]
    made = db.compact(messages, 60, now=NOW).messages
    assert made[0] == system
    assert made[2:] == messages[-4:]


def test_one_conversation_has_one_summary_the_old_one_goes_into_the_new_one(db) -> None:
    first = db.compact(said(20), 200, now=NOW)
    second = db.compact(
        [*first.messages, *said(20, "Ben painted {n} walls called Wall{n} in the house of Porto.")], 300, now=NOW
    )
    assert sum(one["content"].startswith(OPEN) for one in second.messages) == 1
    links = """
        select l.type, a.id, b.id
        from links as l join memories as a on a.key = from_key join memories as b on b.key = to_key
        where l.type in ('derived_from', 'summarized_by')
    """
    assert {tuple(row) for row in db.conn.execute(links)} == {
        ("derived_from", second.episode.id, first.episode.id),
        ("summarized_by", first.episode.id, second.episode.id),
    }


def test_a_summary_goes_into_one_of_its_own_project_and_not_into_anothers(db) -> None:
    """Two projects may have summaries of the same words."""
    first = {name: db.compact(said(20), 200, project=name, now=NOW) for name in ("work", "private")}
    second = db.compact([*first["work"].messages, *said(20)], 200, project="work", now=NOW)
    query = "select to_key from links where from_key = ? and type = 'derived_from'"
    (found,) = db.conn.execute(query, (second.episode.key,)).fetchall()
    assert found[0] == first["work"].episode.key


def test_turns_that_alone_are_too_long_stay_and_it_is_said_that_they_do_not_fit(db) -> None:
    messages = [*said(2), {"role": "user", "content": "a long text " * 200}]
    done = db.compact(messages, 100, now=NOW)
    assert done.messages[-1] == messages[-1]
    assert not done.fits
    again = db.compact(done.messages[-1:], 100, now=NOW)
    assert (again.messages, again.episode) == (messages[-1:], None)


roles = st.sampled_from(["system", "user", "assistant", "tool"])
messages = st.lists(st.fixed_dictionaries({"role": roles, "content": st.text(max_size=80) | st.none()}), max_size=30)


@given(messages, st.integers(0, 12), st.floats(0, 1))
def test_parting_a_conversation_loses_nothing_and_keeps_its_order(given_, most, share) -> None:
    head, old, kept = split_for_summary(given_, most, share)
    assert head + old + kept == given_
    assert all(one["role"] == "system" for one in head)
    assert len(kept) >= min(1, len(given_) - len(head))


@given(messages, st.integers(1, 400))
def test_any_messages_can_be_compacted_and_the_last_one_stays(given_, budget) -> None:
    db = MemoryDatabase(embed="none")
    done = compact(work(db), given_, budget)
    assert done.messages[-1:] == given_[-1:]
    assert done.before == tokens(given_)
    assert done.after == tokens(done.messages) <= done.before
    assert (done.messages == given_) == (done.episode is None)
    assert len(episodes(db)) == (done.episode is not None)


def test_what_is_no_message_is_said_and_nothing_is_stored(db) -> None:
    with pytest.raises(BadSource, match="Message 2 has no role and content: 'text'"):
        db.compact([*said(1), "text"], 10)
    with pytest.raises(BadSource, match="content of message 1 is neither text nor a list of parts"):
        db.compact([{"role": "user", "content": 3}], 10)
    with pytest.raises(ValueError, match="at least 1 token, not 0"):
        db.compact(said(3), 0)
    assert db.info().memories == 0
    assert db.compact([], 10).messages == []


# ---------------------------------------------------------------------------------------------- K39


def test_K39_the_summary_is_an_episode_with_the_turns_in_its_details(mem) -> None:
    messages = [{**message, "timestamp": f"2026-02-01T10:{n:02}:00Z"} for n, message in enumerate(said(20))]
    done = mem.compact(messages, 200, project="harbour", now=NOW)
    (stored,) = episodes(mem)
    assert stored == done.episode
    assert (stored.category, stored.speaker, stored.compression) == ("conversation", "system", "compressed")
    assert (stored.importance, stored.tags, stored.project) == (5, ("auto-compaction",), "harbour")
    assert stored.meta["details"] == messages[:14]
    assert stored.happened_at == "2026-02-01T10:13:00Z"
    assert f"{OPEN}{stored.text}{CLOSE}" == done.messages[0]["content"]
    check_indexes(mem)


def test_K39_the_same_compaction_again_is_the_same_episode(db) -> None:
    """A caller that lost the answer asks again."""
    first, second = (db.compact(said(20), 200, now=NOW) for _ in range(2))
    assert first.episode == second.episode
    assert len(episodes(db)) == 1


def test_K39_the_same_compaction_again_is_no_change(db) -> None:
    """Undone, a change that made nothing would take away what the one before it made."""
    turns = compact(work(db), said(20), 200).messages + said(20)
    first, second = (db.compact(turns, 200, now=NOW) for _ in range(2))
    assert first.messages == second.messages
    assert [change.action for change in db.maintenance()] == ["summarised"] * 2
    assert db.maintenance()[0].memory_id == first.episode.id
    before = rows(db)
    db.compact(turns, 200, now="2026-03-02T12:00:00Z")  # nobody said when the turns were
    assert rows(db) == before


def test_K39_the_same_messages_in_other_words_are_a_change_that_is_undone_alone(mem) -> None:
    where = {"role": "user", "content": "Rosa Lind lives in Lisbon. Otto Berg lives in Malmö."}
    answers = iter(["Rosa Lind lives in Lisbon.", "Otto Berg lives in Malmö."])
    model = Scripted(lambda prompt: points((next(answers), "high", [1])))
    make = replace(mem._work(mem.conn, NOW, "r1"), summariser=WithModel(model))
    first = compact(make, [where, *said(19)], 200)
    before = rows(mem)
    assert [row[1] for row in before["relations"]] == ["Rosa Lind"]
    second = compact(replace(make, run="r2"), [where, *said(19)], 200)
    assert (second.episode.id, second.episode.text) == (first.episode.id, "Otto Berg lives in Malmö.")
    mem.undo("r2", now=NOW)
    assert rows(mem) == before
    check_indexes(mem)
    mem.undo("r1", now=NOW)
    assert episodes(mem) == []


def test_K39_the_compaction_is_in_the_log_and_can_be_undone(db) -> None:
    long = {"role": "user", "content": f"Rosa Lind lives in Lisbon. {'And then we talked about nothing much. ' * 5}"}
    db.compact([long, *said(1)], 20, now=NOW)
    (change,) = db.maintenance()
    assert (change.step, change.action, change.why) == ("compact", "summarised", "1 messages, extractive")
    relations = "select count(*) from relations where expired_at is null"
    assert db.conn.execute(relations).fetchone()[0] == 1  # nowhere else is it said
    db.undo(change.id, now=NOW)
    assert episodes(db) == []
    assert db.conn.execute(relations).fetchone()[0] == 0


def test_K39_a_model_summarises_by_schema_and_the_episode_is_recalled(db) -> None:
    model = Scripted(lambda prompt: points(("Rosa counted ships in Lisbon.", "high", [1, 2, 14])))
    done = compact(work(db, WithModel(model)), said(20), 200)
    assert done.messages[0]["content"] == f"{OPEN}Rosa counted ships in Lisbon.{CLOSE}"
    assert done.by == "llm scripted"
    assert db.recall("Who counted ships?", now=NOW)[0].memory.id == done.episode.id


@pytest.mark.parametrize("answer", ["", "no", points(), points(("The moon is green cheese", "high", [1]))])
def test_K39_a_model_that_answers_nonsense_twice_is_replaced_and_that_is_said(db, answer) -> None:
    model = Scripted(lambda prompt: answer)
    done = compact(work(db, WithModel(model)), said(20), 200)
    assert len(model.asked) == 2
    assert done.by.startswith("extractive (the answer of llm scripted could not be used")
    assert "could not be used" in db.maintenance()[0].why


def test_a_model_without_schemas_is_told_the_schema_in_the_prompt(db) -> None:
    model = Scripted(
        lambda prompt: f"Here you are: {points(('Rosa counted ships.', 'high', [1]))}", supports_schema=False
    )
    assert compact(work(db, WithModel(model)), said(20), 200).by == "llm scripted"
    assert '"additionalProperties": false' in model.asked[0]
    assert model.options == [{}]


def test_a_long_conversation_is_shown_to_a_model_in_parts_each_with_its_share(db) -> None:
    long = said(40, "Rosa counted {n} ships. " + "The harbour of Lisbon is full of ships today. " * 60)
    model = Scripted(lambda prompt: points(("Rosa counted ships.", "high", [1])))
    summary = WithModel(model)
    found = summary.summarise([*map(turn_of, long)], 400)
    assert 1 < len(model.asked) < 6
    assert [point.sources[0] for point in found.points] == sorted({point.sources[0] for point in found.points})
    assert found.points[0].sources == (0,)
    assert found.points[1].sources[0] > 1


def turn_of(message):
    from memkit.maintenance.summaries import Turn

    return Turn(message["content"], message["role"])


def test_a_real_llm_model_that_echoes_is_replaced_by_sentences(db, home) -> None:
    done = db.compact(said(20), 200, model="plain", now=NOW)
    assert done.by.startswith("extractive (the answer of llm plain could not be used")


# ---------------------------------------------------------------------------------------------- K32, K33

VECTORS = {
    "ships": [1.0, 0.0],
    "ships and the harbour": [0.9, 0.1],
    "soup": [0.0, 1.0],
    "a bit of both": [0.31, 0.95],
    "a bit less": [0.29, 0.957],
    "👍": [0.0, 0.0],
}


def encode(texts):
    """Planned vectors; of several messages joined that of the last one."""
    return [next(VECTORS[name] for name in VECTORS if text.endswith(name)) for text in texts]


def test_K33_a_topic_changes_below_a_cosine_of_three_tenths_with_the_last_three() -> None:
    asked = []

    def spy(texts):
        asked.append(texts)
        return encode(texts)

    assert topic_changed("soup", ["x", "ships", "ships", "ships"], spy)
    assert asked == [["soup", "ships ships ships"]]
    assert not topic_changed("ships and the harbour", ["ships", "ships"], encode)
    assert not topic_changed("a bit of both", ["ships", "ships"], encode)  # .31
    assert topic_changed("a bit less", ["ships", "ships"], encode)  # .29


def test_K33_with_fewer_than_two_messages_before_there_is_no_topic_to_change() -> None:
    assert not topic_changed("soup", ["ships"], encode)
    assert not topic_changed("soup", [], encode)


def test_K33_a_message_without_meaning_changes_no_topic() -> None:
    assert not topic_changed("👍", ["ships", "ships"], encode)
    assert cosine([0.0, 0.0], [1.0, 0.0]) is None
    assert cosine([3.0, 4.0], [4.0, 3.0]) == pytest.approx(24 / 25)


def test_K32_each_trigger_has_its_moment() -> None:
    assert triggers("ships").names == ("session_start",)
    assert triggers("ships", ["ships"]).names == ("message",)
    assert triggers("soup", ["ships", "ships"], encode=encode).names == ("message", "topic_change")
    named = triggers("ships", ["ships"], entities=["Rosa"])
    assert (named.names, named.entities) == (("message", "entity_mention"), ("Rosa",))
    deep = triggers("Remember when we counted the ships", ["ships"])
    assert ("remember_when" in deep, deep.scale) == (True, 2.0)
    assert "compact" in triggers("ships", ["ships"], tokens=75, budget=100)
    assert "compact" not in triggers("ships", ["ships"], tokens=74, budget=100)


@pytest.mark.parametrize(
    "message",
    [
        "Remember when we met?",
        "do you still remember Rosa",
        "Back when I lived in Porto",
        "还记得那次旅行吗",
        "あの日を覚えていますか",
    ],
)
def test_K32_asking_about_the_past_in_so_many_words(message) -> None:
    assert asks_to_remember(message)


@pytest.mark.parametrize("message", ["Remember to buy milk", "I remembered my keys", "a memorable day", ""])
def test_K32_what_only_looks_like_it_does_not(message) -> None:
    assert not asks_to_remember(message)


def test_K32_a_database_knows_the_names_and_the_policy() -> None:
    db = MemoryDatabase()
    db.remember("Rosa Lindqvist restores ship models in Lisbon.", now=NOW)
    history = said(4)
    found = db.triggers("Do you remember when Rosa Lindqvist moved?", history, budget=tokens(history))
    assert found.entities == ("Rosa Lindqvist",)
    assert {"message", "entity_mention", "remember_when", "compact"} <= set(found.names)
    db.set_policy(settings={"conversation.budget_share": "1", "triggers.topic_cosine": "-1"})
    assert db.triggers("Soup?", history, budget=tokens(history) + 1).names == ("message",)
    assert db.triggers("hello").names == ("session_start",)


# ---------------------------------------------------------------------------------------------- the command line


def run(*arguments: object, stdin: str | None = None):
    return CliRunner().invoke(cli, [str(one) for one in arguments], input=stdin)


def test_the_command_prints_the_messages_and_keeps_the_episode(tmp_path: Path) -> None:
    path, file = tmp_path / "m.db", tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": said(20)}))
    done = run("compact", path, file, "--budget", 200)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[1:] == said(20)[-6:]
    assert "episode" in done.stderr
    piped = run("compact", path, "-", "--budget", 20_000, stdin=json.dumps(said(2)))
    assert json.loads(piped.stdout) == said(2)
    with MemoryDatabase(path) as db:
        assert len(episodes(db)) == 1


def test_the_commands_observe_and_reflect_say_what_they_did(tmp_path: Path) -> None:
    path, file = tmp_path / "m.db", tmp_path / "chat.json"
    file.write_text(json.dumps(said(20)))
    assert "nothing was due" in run("observe", path, "--messages", file).output
    done = run("observe", path, "--messages", file, "--threshold", 1)
    assert " notes made" in done.output
    assert "user: Rosa counted" in done.output
    assert json.loads(run("observe", path, "--json").stdout)["changes"] == []
    assert " put away" in run("reflect", path, "--threshold", 40).output


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("compact", "{db}", "{file}", "--budget", 9), "{", "is not JSON"),
        (("compact", "{db}", "{file}", "--budget", 9), '{"a": 1}', "has no list of messages"),
        (("compact", "{db}", "{file}.none", "--budget", 9), "", "cannot be read: No such file"),
        (("compact", "{db}", "{file}", "--budget", 0), "[]", "0 is not in the range"),
        (("observe", "{db}", "--session", "x"), "", "can only be used with --messages"),
        (("observe", "{db}", "--messages", "{file}", "--document", "x"), "[]", "Give either --messages or --document"),
    ],
)
def test_wrong_use_of_the_commands_is_said_in_a_sentence(tmp_path: Path, arguments, text, message) -> None:
    file = tmp_path / "chat.json"
    file.write_text(text)
    done = run(*(str(one).format(db=tmp_path / "m.db", file=file) for one in arguments))
    assert done.exit_code != 0
    assert message in done.output


@pytest.mark.parametrize("budget", [60, 150, 300, 500, 700])
def test_K38_a_summary_may_fill_half_of_the_budget_with_what_stays_and_never_more_than_it_replaces(db, budget) -> None:
    silent = Silent()
    messages = [{"role": "system", "content": "You help."}, *said(30)]
    assert compact(work(db, silent), messages, budget).episode is None
    old, kept = messages[1:-9], [messages[0], *messages[-9:]]
    ((turns, room),) = silent.asked
    assert [turn.text for turn in turns] == [one["content"] for one in old]
    wanted = max(20, int(budget / 10), int(budget / 2) - tokens(kept))
    brackets = tokens([{"role": "system", "content": OPEN + CLOSE}])
    assert room == min(wanted, tokens(old) - brackets)


def test_K38_an_earlier_summary_has_double_weight_and_turns_their_speaker_and_time(db) -> None:
    silent = Silent()
    messages = [
        {"role": "system", "content": f"{OPEN}Rosa moved to Lisbon, and Otto stayed in Porto with both dogs.{CLOSE}"},
        {"role": "user", "name": "Rosa", "content": "I counted ships in the harbour of Lisbon.", "at": "2026-02-01"},
        {"role": "assistant", "content": "How many ships did you count there in the end?", "created_at": "2026-02-02"},
        *said(2),
    ]
    compact(work(db, silent), messages, 40)
    ((turns, _),) = silent.asked
    assert [(turn.speaker, turn.at, turn.weight) for turn in turns[:3]] == [
        (None, None, 2.0),
        ("Rosa", "2026-02-01", 1.0),
        ("assistant", "2026-02-02", 1.0),
    ]
    assert turns[0].text == "Rosa moved to Lisbon, and Otto stayed in Porto with both dogs."


@pytest.mark.parametrize(
    ("roles", "most", "share", "parts"),
    [
        ("suauaua", 10, 0.3, (1, 5, 1)),
        ("ssuaua", 10, 0.5, (2, 2, 2)),
        ("uauat", 10, 0.3, (0, 3, 2)),
        ("uautt", 1, 1.0, (0, 2, 3)),
        ("tt", 1, 1.0, (0, 0, 2)),
        ("ss", 10, 0.3, (2, 0, 0)),
        ("", 10, 0.3, (0, 0, 0)),
        ("ua", 0, 0.0, (0, 1, 1)),
        ("usau", 10, 0.5, (0, 2, 2)),
        ("cua", 10, 0.4, (0, 2, 1)),
        ("uaufua", 2, 1.0, (0, 4, 2)),
        ("uafua", 3, 1.0, (0, 1, 4)),
    ],
)
def test_K38_where_a_conversation_is_divided(roles, most, share, parts) -> None:
    """s a prompt of the system, u a user, a an assistant, t a tool, f a function, c an earlier summary."""
    names = {"s": "system", "c": "system", "u": "user", "a": "assistant", "t": "tool", "f": "function"}
    messages = [
        {"role": names[one], "content": f"{OPEN}so far{CLOSE}" if one == "c" else str(n)} for n, one in enumerate(roles)
    ]
    found = split_for_summary(messages, most, share)
    assert [one for part in found for one in part] == messages
    assert tuple(map(len, found)) == parts
