"""A shorter text that the same questions find."""

from __future__ import annotations

import re

import pytest
from growth import grows_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.maintenance.extractive_summaries import Digests, usual_share
from memkit.maintenance.summaries import Turn
from memkit.text.compress import compress, terms
from memkit.text.digest import MORE, digest, written
from memkit.text.words import est_tokens, quarter_tokens

CHAT = """Rosa: Hey there! How are you doing today?
Otto: Great, thanks! I sold the barometer to Wolfgang in Uppsala on Tuesday.
Rosa: Awesome! Sounds great. See you soon!
Otto: Great! See you soon."""


def same(term: str) -> float:
    return 1.0


def rare(term: str) -> float:
    return 0.1 if term in terms("hey great thanks awesome sounds see soon today doing") else 2.0


def test_what_few_texts_have_is_kept_and_courtesy_is_not() -> None:
    assert written(digest([CHAT], 12, rare)) == "Otto: sold barometer Wolfgang Uppsala Tuesday…"


def test_with_more_room_what_says_most_is_a_whole_sentence() -> None:
    assert "\nOtto: Great, thanks! I sold the barometer to Wolfgang in Uppsala on Tuesday." in written(
        digest([CHAT], 40, rare)
    )


def test_sentences_are_noted_in_their_place_after_who_says_them() -> None:
    text = "Rosa: The client is never satisfied with it.\nOtto: Then you could keep a log of what they have asked for."
    assert written(digest([text], 14, same)) == "Rosa: client never satisfied…\nOtto: keep log asked…"


def test_with_room_for_everything_everything_is_kept() -> None:
    assert written(digest([CHAT], 1000, same)) == CHAT


def test_phrases_that_had_others_between_them_are_told_apart() -> None:
    text = "Marta told me that the boiler needs a rewrite, she said, of entry 184."
    worth = {"marta": 9.0, "need": 8.0, "rewrit": 8.0, "184": 9.0}
    assert written(digest([text], 8, lambda term: worth.get(term, 0.0))) == "Marta, needs rewrite, 184…"


def test_a_digest_of_a_digest_keeps_what_was_noted() -> None:
    once = written(digest([CHAT], 30, rare))
    assert "sold barometer Wolfgang Uppsala Tuesday…" in once
    assert written(digest([once], 12, rare)) == "Otto: sold barometer Wolfgang Uppsala Tuesday…"


def test_a_word_that_was_said_already_gives_way_to_one_that_was_not() -> None:
    text = "The heron is a heron. It is the heron. It is the weir. It is the alder."
    assert "weir" in (kept := written(digest([text], 6, same)))
    assert "alder" in kept


def test_a_title_is_noted_whole_and_before_words() -> None:
    text = 'I have just begun with "The Last of Us" and it is said to be really intense.'
    known = {"last": 0.5, "begun": 1.0, "really": 0.2, "intens": 1.0}
    noted = written(digest([text], 7, lambda term: known.get(term, 3.0 if " " in term else 0.0)))
    assert noted == 'begun "The Last of Us"…'


def test_a_text_that_counts_more_comes_first() -> None:
    pieces = digest(["Rosa sold a barometer.", "Otto saw a heron."], 5, same, weights=[1, 9])
    assert [one.words for one in pieces] == ["Otto saw a heron."]


def test_a_negative_budget_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="0 or more, not -1"):
        digest([CHAT], -1, same)


TEXTS = st.lists(st.text(max_size=200) | st.text("ab 的是猫はA.'’-\n\"", max_size=80), max_size=5)


@given(TEXTS, st.integers(0, 200))
def test_a_digest_has_whole_sentences_and_phrases_of_them_within_its_budget(texts: list[str], budget: int) -> None:
    pieces = digest(texts, budget, same)
    assert est_tokens(written(pieces)) <= budget
    for one in pieces:
        noted = re.split(",? ", one.words.removesuffix(MORE))
        assert one.words in texts[one.text] or all(word in texts[one.text] for word in noted)


ODD = {
    "sentences on one line": "Rosa saw one. ",
    "titles in quotes": '"ab" ',
    "open quotes": "“abc ",
    "full stops": ".",
    "marks and quotes": '!?"',
    "names": "Rosa of ",
    "capitals": "ABCD ",
    "letters": "abcdefghij",
    "abbreviations": "a.a.",
    "Chinese without a stop": "".join(map(chr, range(0x4E00, 0x6E00))),
    "Chinese sentences": "私は京都で映画を見た。",
    "list": "\n1. ",
}


@pytest.mark.parametrize("unit", ODD.values(), ids=ODD)
def test_a_text_of_any_shape_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """Each of these takes minutes where anything grows with the square of it."""

    def shorten(text: str) -> None:
        most = len(text) // 10
        assert est_tokens(Digests(db.conn).summarise([Turn(text)], most).text) <= most
        assert est_tokens(compress(text, "", most)) <= most

    with MemoryDatabase(embed="none") as db:
        assert grows_in_proportion(shorten, (unit * 100_000)[:100_000])


def test_usual_words_are_known_from_the_start() -> None:
    assert 1 >= usual_share("the") > 0.9 > usual_share("great") > usual_share("bread") > usual_share("barometer")
    assert usual_share("xyzzyquux") == 0


def test_an_empty_database_tells_courtesy_from_news() -> None:
    with MemoryDatabase() as db:
        summary = Digests(db.conn).summarise([Turn(line) for line in CHAT.splitlines()], 12)
    assert summary.text == "Otto: sold barometer Wolfgang Uppsala Tuesday…"


NOTE = """# Quince jelly

- quinces
  - ripe ones
- sugar

```python
jars = 4

weeks = 2
```

Rosa boils it slowly. Otto stirs it well."""


def test_what_fits_stays_as_it_was_written() -> None:
    assert written(digest([NOTE], 500, rare)) == NOTE


def test_a_code_block_is_whole_or_not_there_and_lists_keep_their_indentation() -> None:
    for budget in range(90):
        text = written(digest([NOTE], budget, rare))
        assert "jars" not in text or "```python\njars = 4\n\nweeks = 2\n```" in text
        assert "ripe" not in text or "\n  - ripe" in f"\n{text}"
        assert quarter_tokens(text) <= 4 * budget


def test_the_code_in_a_turn_has_no_speaker_in_its_lines() -> None:
    told = "So it goes:\n\n```python\njars = 4\n```\n\nThat is all of it."
    with MemoryDatabase() as db:
        found = Digests(db.conn).summarise([Turn(told, "Otto")], 200)
    assert found.text == "Otto: So it goes:\n```python\njars = 4\n```\nOtto: That is all of it."
