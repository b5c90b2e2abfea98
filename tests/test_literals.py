"""The literals that a form requires: no text that the form matches is without them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.text.extract.change_signals import CHANGES
from memkit.text.extract.changes_chinese import CHINESE_CHANGES
from memkit.text.extract.grammar import AFTER_OWNER, AFTER_SUBJECT, matched, needs
from memkit.text.extract.literals import MOST, Forms, may_match, required
from memkit.text.extract.plain_statements import FOREIGN
from memkit.text.extract.readings import Signals, _first_words

FORMS = sorted(
    {
        form
        for changes in (*CHANGES, CHINESE_CHANGES)
        for form in (*changes.hearsay, *(one.form for one in changes.rules))
    }
    | {one.form for one in (*AFTER_OWNER, *AFTER_SUBJECT)}
    | {one.form for languages in FOREIGN.values() for _, patterns in languages for one in patterns}
)


@pytest.mark.parametrize(
    ("form", "literals"),
    [
        ("abcd", ["abcd"]),
        ("abcd?efgh", ["efgh"]),
        ("abcd+ef", ["abcd"]),
        ("abcd*ef", ["abc"]),
        ("abcd{2}ef", ["abcd"]),
        ("abcd{0,2}efgh", ["efgh"]),
        ("abcd{,2}efgh", ["efgh"]),
        (r"abc\.def\w+", ["abc.def"]),
        ("[abc]def[^]x]", ["def"]),
        ("n['’]t", ["n't", "n’t"]),
        ("n['’]?too", ["too"]),
        ("a[bc][de][fg]hi", ["abd", "abe", "acd", "ace"]),
        ("abc|defg", ["abc", "defg"]),
        ("abc|[de]", []),
        ("(?:abc|defg) h", ["abc", "defg"]),
        ("(?P<s>abc|(defg|hijk))?lmn", ["lmn"]),
        ("x(?=abc)def", ["def"]),
        ("x(?!abc(?:def))ghi", ["ghi"]),
        ("(?<=abc)def", ["def"]),
        ("(?i:ABC)de", ["abc"]),
        ("(?i)abC", ["abc"]),
        ("(?s:abc)def", ["def"]),
        ("ab", ["ab"]),
        ("a", []),
        ("以前", ["以前"]),
        ("", []),
        ("|".join(f"word{n:02}" for n in range(MOST + 1)), []),
        ("the|unhappily", ["the", "unhappily"]),
        (r"(?:I|We) (?:used to|no longer) \w+ in ", ["no longer", "used to"]),
    ],
)
def test_the_literals_of_a_form(form: str, literals: list[str]) -> None:
    assert list(required(form)) == literals


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_what_a_form_matches_has_what_it_requires(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    text = data.draw(st.from_regex(form))
    found = re.search(form, text)
    assert found is None or may_match(form, found[0])


def expressions() -> st.SearchStrategy[str]:
    """Regular expressions of letters, classes, groups, alternatives and repetitions."""
    parts = st.text("abc ", min_size=1, max_size=5) | st.sampled_from(["[abc]", r"\w", ".", r"\.", "以前"])
    return st.recursive(
        parts,
        lambda inner: (
            st.lists(inner, min_size=1, max_size=3).map("".join)
            | st.lists(inner, min_size=1, max_size=3).map(lambda several: f"(?:{'|'.join(several)})")
            | st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{1,3}?"])).map(
                lambda two: f"(?:{two[0]}){two[1]}"
            )
            | st.tuples(inner, inner).map(lambda two: f"(?={two[0]}|){two[1]}")
        ),
        max_leaves=12,
    )


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_expression_is_said_not_to_match_a_text_that_it_matches(data: st.DataObject) -> None:
    form = data.draw(expressions())
    text = data.draw(st.from_regex(form, fullmatch=True))
    assert may_match(form, text)


def test_most_forms_are_not_tried_in_a_sentence_without_their_words() -> None:
    tried = [form for form in FORMS if may_match(form, "The weather was fine all day, and we had soup.")]
    assert len(tried) < len(FORMS) / 4


def test_a_form_matches_at_a_place() -> None:
    found = matched("used to (?P<what>.*)", "I used to sing", 2)
    assert found
    assert found["what"] == "sing"
    assert matched("used to (?P<what>.*)", "I used to sing") is None
    assert matched("used to (?P<what>.*)", "I sing") is None


def test_forms_that_are_tried_in_turn_are_those_that_may_match() -> None:
    tried = Forms(FORMS)
    for text in ("I no longer live in Porto.", "Anna's dentist is Dr. Reed.", "我不再住在波尔图", "The soup was fine."):
        assert list(tried.possible(text)) == [i for i, form in enumerate(FORMS) if may_match(form, text)]


def test_forms_may_be_asked_for_texts_in_any_order() -> None:
    tried, texts = Forms(FORMS), ("I no longer live in Porto.", "The soup was fine.", "")
    expected = {text: [i for i, form in enumerate(FORMS) if may_match(form, text)] for text in texts}
    for text in (*texts, *reversed(texts), texts[0]):
        assert list(tried.possible(text)) == expected[text]


@given(st.lists(st.text("abc '", min_size=1, max_size=5), min_size=1, max_size=4), st.text("abc '", max_size=20))
@settings(max_examples=100, deadline=None)
def test_forms_of_any_words_are_those_that_may_match(forms: list[str], text: str) -> None:
    for whole in (text, text + forms[0] + text):
        assert list(Forms(forms).possible(whole)) == [i for i, form in enumerate(forms) if may_match(form, whole)]


def test_the_quick_look_at_a_word_finds_the_signals_that_the_whole_expressions_find() -> None:
    every = [changes.signal for changes in CHANGES]
    signals, listed = Signals(every), re.findall(r"[^\W\d_]+", " ".join(every))
    for word in {made for one in listed for made in (one, one.upper(), one.title(), one + "s", "un" + one, one[:-1])}:
        assert signals.begun_by(word) == [i for i, one in enumerate(every) if _first_words(one).search(word)], word


@pytest.mark.parametrize("changes", [*CHANGES, CHINESE_CHANGES])
def test_a_form_that_begins_with_the_subject_matches_nothing_without_one(changes) -> None:
    for rule, about in zip(changes.rules, changes.about_subjects, strict=True):
        assert not about or not re.match(
            rule.form, "quince no longer not never moved to Porto, instead of Lisbon any more"
        )


def test_a_form_with_short_names_requires_the_same() -> None:
    assert [required(needs(form)) for form in FORMS] == [required(form) for form in FORMS]
