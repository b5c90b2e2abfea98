"""Sentences, whole, with who says them."""

from __future__ import annotations

import pytest
from growth import grows_in_proportion
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.maintenance.rarity import rarity_in, usual_share
from memkit.maintenance.summaries import Extractive, Turn
from memkit.text.compress import compress
from memkit.text.statements import denies, named_speakers, statements, telling, written
from memkit.text.summarize import summarize
from memkit.text.words import est_tokens

CHAT = """Rosa: Hey there! How are you doing today?
Otto: Great, thanks! I sold the barometer to Wolfgang in Uppsala on Tuesday.
Rosa: Awesome! Sounds great. See you soon!
Otto: Great! See you soon."""


def said(text: str, *speakers: str) -> list[tuple[str, str]]:
    return [(one.speaker, one.words) for one in statements(text, speakers)]


def test_each_sentence_of_a_transcript_has_the_speaker_of_its_line() -> None:
    assert said(CHAT, "Rosa", "Otto")[2:5] == [
        ("Otto: ", "Great, thanks!"),
        ("Otto: ", "I sold the barometer to Wolfgang in Uppsala on Tuesday."),
        ("Rosa: ", "Awesome!"),
    ]


def test_a_line_without_a_name_goes_on_with_who_spoke_last() -> None:
    text = "Rosa: I need two things:\n- flour\n- quinces\n\nThat is all.\nOtto: Fine."
    assert [speaker for speaker, _ in said(text, "Rosa", "Otto")] == ["Rosa: "] * 4 + ["Otto: "]


def test_a_colon_after_anything_but_a_speaker_is_a_part_of_the_sentence() -> None:
    assert said("I told Rosa: never again. I like pork.", "Otto") == [
        ("", "I told Rosa: never again."),
        ("", "I like pork."),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "See you at 6 p.m. on Friday.",
        "We meet at 6 p.m. Friday works.",
        "I live on St. Mary Street now.",
        "Never... mind what I said.",
        "It was approx. 1,240 kg, e.g. Two of them.",
        "I asked J. R. Hartley.",
        "Am 3. Mai komme ich nicht.",
    ],
)
def test_what_may_be_the_middle_of_a_sentence_does_not_end_it(sentence: str) -> None:
    assert said(sentence) == [("", sentence)]


def test_a_sentence_that_was_wrapped_is_one() -> None:
    assert said("I will never go\nback to Rome. It was in\nMay.") == [
        ("", "I will never go\nback to Rome."),
        ("", "It was in\nMay."),
    ]


def test_a_speaker_field_names_one_or_several() -> None:
    assert named_speakers("Li Hua, Bo ,") == ("Li Hua", "Bo")
    assert named_speakers(None) == ()


NOTE = """# Quince jelly

- quinces
  - ripe ones
- sugar

```python
jars = 4

weeks = 2
```

Rosa boils it slowly. Otto stirs it well."""


CODE = "```python\nquinces = 4\n\nweeks = 2\n```"
CODE_CHAT = f"""Rosa: How many jars shall we fill?
Otto: {CODE}
That fills eleven jars.
Rosa: Good."""


def test_a_code_block_right_after_a_speakers_name_is_whole_or_not_there() -> None:
    assert said(CODE_CHAT, "Rosa", "Otto")[1:3] == [("Otto: ", CODE), ("Otto: ", "That fills eleven jars.")]
    for budget in range(90):
        text = written(summarize([CODE_CHAT], budget, speakers=[("Rosa", "Otto")]))
        assert "quinces" not in text or f"Otto: {CODE}" in text


@pytest.mark.parametrize(("text", "speakers"), [(CHAT, ("Rosa", "Otto")), (CODE_CHAT, ("Rosa", "Otto")), (NOTE, ())])
def test_all_statements_written_are_the_text(text: str, speakers: tuple[str, ...]) -> None:
    assert written(statements(text, speakers)) == text


def test_a_code_block_is_whole_or_not_there_and_lists_keep_their_indentation() -> None:
    for budget in range(90):
        text = written(summarize([NOTE], budget))
        assert "jars" not in text or "```python\njars = 4\n\nweeks = 2\n```" in text
        assert "ripe" not in text or "\n  - ripe" in f"\n{text}"
        assert est_tokens(text) <= budget


TEXTS = st.lists(
    st.text(max_size=200) | st.text("ab 的是猫はA.'’-\n\"", max_size=80) | st.sampled_from([CHAT, CODE_CHAT, NOTE]),
    max_size=5,
)


@given(TEXTS, st.integers(0, 200))
def test_a_summary_has_whole_sentences_of_their_speakers_within_its_budget(texts: list[str], budget: int) -> None:
    names = [("Rosa", "Otto")] * len(texts)
    whole = {(one.text, one.place): one for n, text in enumerate(texts) for one in statements(text, names[n], number=n)}
    found = summarize(texts, budget, speakers=names)
    assert est_tokens(written(found)) <= budget or not found
    for one in found:
        source = whole[one.text, one.place]
        assert (one.speaker, one.mark, one.words) == (source.speaker, source.mark, source.words)
        assert one.words in texts[one.text]


@given(st.text(max_size=300) | st.text("ab 的。A.!\n:->", max_size=80))
@example("a\n>\n>")
@example(">\n\n0")
def test_statements_lose_nothing_but_blanks_and_marks(text: str) -> None:
    marks: dict[int, str] = {}
    kept = ""
    for one in statements(text):
        kept += ("" if one.line in marks else marks.setdefault(one.line, one.mark)) + one.words
    # A mark on a line without words is one of nothing.
    assert "".join(kept.split()).replace(">", "") == "".join(text.split()).replace(">", "")


ODD = {
    "sentences on one line": "Rosa saw one. ",
    "full stops": ".",
    "abbreviations": "a.a.",
    "small letters": "and so on. ",
    "lines": "Rosa\n",
    "speakers": "Rosa: yes\n",
    "marks and quotes": '!?"',
    "capitals": "ABCD ",
    "letters": "abcdefghij",
    "Chinese without a stop": "".join(map(chr, range(0x4E00, 0x6E00))),
    "Chinese sentences": "私は京都で映画を見た。",
    "list": "\n1. ",
}


@pytest.mark.parametrize("unit", ODD.values(), ids=ODD)
def test_a_text_of_any_shape_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """Each of these takes minutes where anything grows with the square of it."""

    def shorten(text: str) -> None:
        most = len(text) // 10
        rarity = rarity_in(db.conn, [text])
        assert est_tokens(Extractive().summarise([Turn(text, "Rosa")], most, rarity=rarity).text) <= most
        assert est_tokens(compress(text, "", most)) <= most

    with MemoryDatabase(embed="none") as db:
        assert grows_in_proportion(shorten, (unit * 100_000)[:100_000])


def test_the_numbers_names_and_negations_of_a_sentence_are_what_it_tells() -> None:
    assert telling("Yes, Otto paid $1,240 at 6:30 in Rome.") == {"Otto", "1,240", "6:30", "Rome"}
    assert telling("I do not eat pork.") != telling("I eat pork again.")
    for denial in ("I don't know.", "Never!", "Ich esse kein Fleisch.", "我不吃猪肉。", "No como carne."):
        assert denies(denial)
    assert not denies("I know nobility.")


def test_usual_words_are_known_from_the_start() -> None:
    assert 1 >= usual_share("the") > 0.9 > usual_share("great") > usual_share("bread") > usual_share("barometer")
    assert usual_share("xyzzyquux") == 0


def test_an_empty_database_tells_courtesy_from_news() -> None:
    with MemoryDatabase() as db:
        rarity = rarity_in(db.conn, [CHAT])
    summary = Extractive().summarise([Turn(CHAT, "Rosa, Otto")], 20, rarity=rarity)
    assert summary.text == "Otto: I sold the barometer to Wolfgang in Uppsala on Tuesday."


def test_a_turn_has_its_speaker_in_front_once() -> None:
    told = "So it goes:\n\n```python\njars = 4\n```\n\nThat is all of it."
    assert Extractive().summarise([Turn(told, "Otto")], 200).text == f"Otto: {told}"
    assert Extractive().summarise([Turn("Otto: Fine.", "Otto")], 200).text == "Otto: Fine."


def test_a_part_that_begins_in_the_middle_of_what_somebody_says_is_his() -> None:
    turns = [
        Turn("Rosa: Hello.\nOtto: I moved to Uppsala.", "Rosa, Otto"),
        Turn("And I sold the boat.\nRosa: Oh.", "Rosa, Otto"),
    ]
    told = Extractive().summarise(turns, 100).text
    assert told == "Rosa: Hello.\nOtto: I moved to Uppsala.\nOtto: And I sold the boat.\nRosa: Oh."


def test_in_a_transcript_others_speak_than_those_who_are_known() -> None:
    chat = "And so on.\nOtto: Fine.\nSong-hwa: Busy as always! I enjoy what I know.\nOtto: Good."
    assert said(chat, "Otto")[2:4] == [("Song-hwa: ", "Busy as always!"), ("Song-hwa: ", "I enjoy what I know.")]
    assert Extractive().summarise([Turn(chat, "Otto")], 100).text == chat
