"""A quote and its speaker are one: through summaries, facts, distilling, corrections and reading again."""

from __future__ import annotations

import pytest
from maintenance_helpers import day

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError

CHAT = (
    ("Ana", "I live in Lisbon. I have no car there. The weather was grey, and it rained all day long, as it does."),
    ("Bo", "I live in Uppsala. I work at Nightshade since May. It was windy at the harbour, and nobody was out there."),
    (
        "Cy",
        "I grew up in Porto. The market had apples and pears, and people were talking about the football match again.",
    ),
    (
        "Dee",
        "I paid $1,240 at 6:30 on September 28th. I don't eat pork. The bus was late, and the driver was in a hurry.",
    ),
)
SETTINGS = {"episodes.compact_kinds": "episode, turn", "episodes.compress_share": "0.01", "episodes.least_tokens": "25"}


@pytest.fixture
def chat(mem: MemoryDatabase) -> MemoryDatabase:
    """A conversation of four people, of which nothing is raw any more."""
    rows = [
        {"id": f"t{n}", "session": "s", "speaker": who, "text": text, "timestamp": day(0)[:-2] + f"{n}Z"}
        for n, (who, text) in enumerate(CHAT)
    ]
    mem.ingest(rows, now=day(0))
    mem.set_policy(settings=SETTINGS)
    for number in (2, 9, 17):
        mem.maintain(now=day(number))
    return mem


def made(mem: MemoryDatabase) -> list[tuple[str | None, str]]:
    found = mem.conn.execute("select speaker, text from memories where archived_at is null and text <> '' order by key")
    return [tuple(row) for row in found]


def homes(mem: MemoryDatabase) -> set[tuple[str, str]]:
    return {
        tuple(row)
        for row in mem.conn.execute("select subject, object from current_relations where predicate = 'lives_in'")
    }


def test_every_sentence_that_is_left_is_whole_and_its_speakers(chat: MemoryDatabase) -> None:
    assert len(made(chat)) > 1
    for speaker, text in made(chat):
        for line in text.splitlines():
            name, _, words = line.partition(": ") if ": " in line else (speaker, "", line)
            (source,) = (said for who, said in CHAT if who == name)
            assert words in source
            assert source.find(words) == 0 or source[source.find(words) - 2] == "."
            assert words.endswith(".")


def test_no_fact_joins_two_people(chat: MemoryDatabase) -> None:
    facts = list(chat.conn.execute("select speaker, text, happened_at from memories where kind = 'fact'"))
    assert facts
    for speaker, text, at in facts:
        assert at[:10] == day(0)[:10]
        assert all(line in dict(CHAT)[speaker] for line in text.splitlines())


def test_reading_everything_again_adds_nothing_about_the_user(chat: MemoryDatabase) -> None:
    known = homes(chat)
    assert {("Ana", "Lisbon"), ("Bo", "Uppsala")} <= known
    chat.conn.execute("delete from extractions where extractor not like 'case%'")
    chat.extract(now=day(18))
    assert homes(chat) == known


def test_correcting_what_somebody_said_is_not_about_the_user(chat: MemoryDatabase) -> None:
    id, speaker = chat.conn.execute("select id, speaker from memories where kind = 'fact'").fetchone()
    chat.correct(id, "I live in Umeå.", now=day(18))
    assert (speaker, "Umeå") in homes(chat)
    assert {name for name, _ in homes(chat)} <= {name for name, _ in CHAT}


def test_the_sides_of_a_chat_are_no_names_in_a_summary_of_both(mem: MemoryDatabase) -> None:
    summary = "user: I live in Lisbon.\nassistant: I live in the cloud.\nRosa: I live in Porto."
    mem.remember(summary, speaker="user, assistant, Rosa", now=day(0))
    assert {where for _, where in homes(mem)} == {"Lisbon", "Porto"}
    assert ("Rosa", "Porto") in homes(mem)


def test_a_single_message_of_eighty_tokens_stays_as_it_is(mem: MemoryDatabase) -> None:
    text = " ".join(said for _, said in CHAT)[:320]
    mem.remember(text, kind="episode", now=day(0))
    assert mem.maintain(now=day(2)).changes == []


def test_a_sentence_longer_than_its_budget_is_not_cut_but_stays_raw(mem: MemoryDatabase) -> None:
    text = "and then we went on " * 60
    mem.remember(text, kind="episode", now=day(0))
    assert mem.maintain(now=day(2)).changes == []
    with pytest.raises(MemkitError):
        mem.undo("nothing", now=day(2))


def test_a_dialogue_that_somebody_quotes_is_said_by_who_quotes_it(mem: MemoryDatabase) -> None:
    """Its lines begin with names, too: without the speaker before each, what follows would be of the last quoted."""
    scene = "\n".join(
        [
            "The scene that I wrote for the village theatre in Ronda is this one, with two fishermen at night:",
            "Ramón: I have sold the boat to my cousin in Cádiz for 900 euros.",
            "(Both look at the sea, and an owl cries three times from the old lighthouse.)",
            "I wrote it in 2019, and my sister Clara played the owl.",
        ]
    )
    rows = [
        {"id": f"s{n}", "session": "s", "speaker": who, "text": text, "timestamp": day(0)[:-2] + f"{n}Z"}
        for n, (who, text) in enumerate([("Ana", scene), ("Bo", CHAT[1][1])])
    ]
    mem.ingest(rows, now=day(0))
    mem.set_policy(settings={**SETTINGS, "episodes.compress_share": "0.9", "episodes.part_tokens": "8000"})
    for number in (2, 9, 17):
        mem.maintain(now=day(number))
        told = [line for speaker, text in made(mem) if speaker == "Ana, Bo" for line in text.splitlines()]
        assert {line.partition(": ")[0] for line in told} == {"Ana", "Bo"}
        assert "Ana: Ramón: I have sold the boat to my cousin in Cádiz for 900 euros." in told


def test_who_speaks_in_a_transcript_is_a_speaker_of_its_summary(mem: MemoryDatabase) -> None:
    """The field of a transcript may name its owner alone; what the other said would be read as the owner's."""
    lines = [f"Bo: {CHAT[1][1]}", "Ana: I see. Oh, that is so nice of you to say!", f"Bo: {CHAT[3][1]}"]
    mem.ingest(
        [{"id": "t", "session": "s", "speaker": "Ana", "text": "\n".join(lines), "timestamp": day(0)}], now=day(0)
    )
    mem.set_policy(settings={**SETTINGS, "episodes.compress_share": "0.7", "episodes.single_tokens": "1"})
    for number in (2, 9, 17):
        mem.maintain(now=day(number))
    ((speaker, text),) = [one for one in made(mem) if "Bo: " in one[1]]
    assert "Ana" not in text
    assert speaker == "Ana, Bo"


def test_a_fact_that_is_kept_ends_with_a_whole_sentence_where_its_quote_does_not(mem: MemoryDatabase) -> None:
    """The evidence for who wrote a book quotes what follows, too, up to a length."""
    said = [
        'I think I\'ll begin with "The Long Way" by Clara Moreno, since her books are short.',
        "I've heard good things about it from everybody at the library in town.",
        "I'm also curious about the second one, which is about bridges and the people who built them.",
        "I've seen her talks, and they were clear and rather funny.",
        "I'll probably look at that one as well when I'm done with the first.",
        "By the way, I was thinking of the harbour, where I used to read all day long when it rained.",
    ]
    mem.remember(" ".join(said), kind="episode", speaker="Ana", now=day(0))
    (quote,) = mem.conn.execute("select quote from evidence").fetchone()
    assert not any(quote.endswith(one) for one in said)
    mem.set_policy(settings={**SETTINGS, "episodes.single_tokens": "1"})
    for number in (2, 9, 17):
        mem.maintain(now=day(number))
    (fact,) = mem.conn.execute("select text from memories where kind = 'fact'").fetchone()
    assert quote in fact
    assert fact in " ".join(said)
    assert any(fact.endswith(one) for one in said)
