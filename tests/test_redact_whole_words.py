"""Whole words: what they find is what one expression of all of them would find, only sooner."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memkit.text.redact.whole_words import WholeWords
from memkit.text.words import has_cjk


def by_one_expression(texts, text, flags=0):
    each = [
        ("" if has_cjk(one[0]) else r"(?<!\w)") + re.escape(one) + ("" if has_cjk(one[-1]) else r"(?!\w)")
        for one in sorted(filter(str.strip, texts), key=len, reverse=True)
    ]
    return [match.span() for match in re.finditer("|".join(each), text, flags)] if each else []


said = st.text("abA1 _-+.\n名かé\u0301", max_size=30)
few = st.lists(st.text("abA1 _-+名é", min_size=1, max_size=4), max_size=6)


@given(few, said)
def test_they_are_found_where_an_expression_finds_them(texts, text):
    assert list(WholeWords(texts).spans(text)) == by_one_expression(texts, text)


@given(few, said)
def test_in_any_case_too(texts, text):
    assert list(WholeWords(texts, any_case=True).spans(text)) == by_one_expression(texts, text, re.IGNORECASE)


def test_the_longest_is_found_and_no_part_of_a_word():
    words = WholeWords(["Rosa", "Rosa Tamsin", "+49 30 12", "(030)", "東京", "e-mail"])
    text = "Rosa Tamsin, Rosalind and Rosa: +49 30 12, ((030) 5, 新東京市, my e-mail, e-mails"
    assert [text[start:end] for start, end in words.spans(text)] == [
        "Rosa Tamsin",
        "Rosa",
        "+49 30 12",
        "(030)",
        "東京",
        "e-mail",
    ]
