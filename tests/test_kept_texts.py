"""The sentences of a run's texts: kept from the counting of words until names are looked for, and no longer."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.text.extract import tokens
from memkit.text.extract.tokens import kept_texts, worded_sentences

TEXT = "Rosa met Bo in Porto. They had soup."


def read_others() -> None:
    for number in range(200):
        worded_sentences(f"Text number {number}.")


def test_within_the_block_a_text_is_split_once() -> None:
    with kept_texts():
        first = worded_sentences(TEXT)
        read_others()
        assert worded_sentences(TEXT) is first
    assert worded_sentences(TEXT) is not first
    assert worded_sentences(TEXT) == first


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST_KEPT", 2 * len(TEXT))
    with kept_texts():
        first = worded_sentences(TEXT)
        read_others()
        assert worded_sentences(TEXT) is first
        assert tokens._kept.sentences is not None
        assert sum(map(len, tokens._kept.sentences)) <= 2 * len(TEXT)


def test_nothing_is_kept_after_an_ingest_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkit.ingestion.parts.find_names", lambda *_: 1 / 0)
    with MemoryDatabase(embed="none") as db:
        with pytest.raises(ZeroDivisionError):
            db.ingest([{"text": f"Rosa met Bo {number}."} for number in range(100)])
        assert tokens._kept.sentences is None


@given(st.text("aZé9 .-'’@&_,", max_size=20))
@example("a  b")
@example("é_b")
@example("é  b")
def test_the_quicker_pattern_for_words_finds_the_same(text: str) -> None:
    slow = tokens._ASCII_RUN if text.isascii() else tokens._RUN
    assert [run.span() for run in tokens._run_in(text).finditer(text)] == [run.span() for run in slow.finditer(text)]
