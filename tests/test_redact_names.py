"""Names of people go, however they are written, and nothing else does."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.errors import BadQuestion
from memkit.text.redact import Names, Redactor
from memkit.text.words import fold

ROSA = Names("Person 1", ("Rosa Lindqvist",))
PEOPLE = [
    ROSA,
    Names("Person 2", ("Åsa Öberg", "Asta")),
    Names("Person 3", ("王小明",)),
    Names("Person 4", ("José García Moreno",)),
    Names("Person 5", ("Анна Каренина",)),
    Names("Person 6", ("Anna-Lena O’Brien",)),
    Names("Person 7", ("ローザ・リンドクヴィスト",)),
]
REDACTOR = Redactor(PEOPLE, common=False)

# -------------------------------------------------------------------------------------------- a thousand ways to write

SEPARATORS = (" ", "  ", "\u00a0", "\u202f", "\n", "\r\n", "\n> ", "-", "‑", "_", ".", "+", ", ", "%20", "&nbsp;", "")
CASES: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.title, str.swapcase)
WRITTEN: tuple[Callable[[str], str], ...] = (
    str,
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: unicodedata.normalize("NFC", name),
    lambda name: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name),  # full width
    lambda name: "\u200b".join(name),
    lambda name: name[:2] + "\u00ad" + name[2:],
    lambda name: name[:3] + "-\n" + name[3:],  # hyphenated at the end of a line
    quote,
    lambda name: quote(quote(name)),
    lambda name: "".join(f"%{byte:02x}" for byte in name.encode()),
    lambda name: "".join(f"&#{ord(c)};" for c in name),
    lambda name: "".join(f"&#x{ord(c):X};" for c in name),
    lambda name: "".join(f"\\u{ord(c):04x}" if ord(c) > 127 else c for c in name),
    lambda name: name.replace("ö", "o").replace("å", "a").replace("í", "i").replace("é", "e"),
)
AROUND = (
    "{}",
    "with {}.",
    "{}'s garden",
    "{}’s",
    "{}'",
    "[[{}]]",
    "[[{}|the gardener]]",
    "[[people/{}#1999|she]]",
    "#{}",
    "@{}",
    "https://example.org/people/{}?q=1",
    "https://example.org/?who={}&x=1",
    "mailto:{}@example.org",
    "昨日{}さんと会った",
    "今天{}来了",
    "photo_{}_2019.jpg",
    "{}2019",
    "**{}**",
    "<b>{}</b>",
    '{{"name": "{}"}}',
    "\u201c{}\u201d",
    "({})",
)
FORMS = [
    ("Rosa", "Lindqvist"),
    ("Lindqvist", "Rosa"),
    ("Rosa",),
    ("Lindqvist",),
    ("R.", "Lindqvist"),
    ("Åsa", "Öberg"),
    ("Öberg",),
    ("José", "García", "Moreno"),
    ("Moreno",),
    ("王小明",),
    ("Анна", "Каренина"),
    ("Каренина",),
    ("Asta",),
]
SECRET = re.compile("rosa|lindqvist|asa|oberg|asta|jose|garcia|moreno|王小明|анна|каренина")


def variants() -> list[str]:
    """A thousand and more texts with a name, the same ones each time."""
    chance = random.Random(8)
    made = []
    for _ in range(1_500):
        parts = chance.choice(FORMS)
        case = chance.choice(CASES)
        name = chance.choice(SEPARATORS).join(chance.choice(WRITTEN)(case(part)) for part in parts)
        made.append(chance.choice(AROUND).format(name))
    return made


@pytest.mark.parametrize("redactor", [REDACTOR, Redactor(PEOPLE)], ids=["names alone", "with the common rules"])
def test_of_a_thousand_ways_to_write_a_name_none_is_left(redactor: Redactor) -> None:
    from memkit.text.redact.view import as_read, unhyphenated

    texts = variants()
    assert len(set(texts)) > 1_000
    for text in texts:
        done = redactor.redact(text).text
        for view in (as_read(done), unhyphenated(done)):
            assert view is None or not SECRET.search(view.text.lower()), (text, done)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Rosa Lindqvist's garden", "Person 1's garden"),
        ("[[Rosa Lindqvist|Rosa]] said", "[[Person 1|Person 1]] said"),
        ("Lindqvist, Rosa", "Person 1"),
        ("rosaLindqvist, RosaLindqvist, rosalindqvist", "Person 1, Person 1, Person 1"),
        ("planRosaLindqvist2019", "plan Person 1 2019"),
        ("Rosas Garten, Lindqvists' Haus", "Person 1 Garten, Person 1' Haus"),
        ("ROSAs", "Person 1"),
        ("R. Lindqvist, R Lindqvist, r_lindqvist, Rosa L. too", "Person 1, Person 1, Person 1, Person 1. too"),
        ("Asa Oeberg", "Person 2"),
        ("anna_lena_o_brien", "Person 6"),
        ("Lena and Miss O'Brien", "Person 6 and Miss Person 6"),
        ("ローザさん", "Person 7さん"),
        ("Ro\u200bsa", "Person 1"),
        ("R%6Fsa%20Lindqvist.html", "Person 1.html"),
    ],
)
def test_what_stands_around_a_name_stays(text: str, redacted: str) -> None:
    assert REDACTOR.redact(text).text == redacted


@pytest.mark.parametrize(
    "text", ["rosary", "Rosalind", "prosa", "a Lindqvistian plan", "Astarte", "besides Anne", "Obert"]
)
def test_a_word_that_only_holds_a_name_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_a_replacement_says_what_went_and_where() -> None:
    text = "In May Rosa planted the quince."
    (one,) = Redactor([ROSA]).redact(text).replacements
    assert (one.rule, one.original, one.replacement, one.start, one.context) == ("name", "Rosa", "Person 1", 7, text)
    hyphenated = "see Lind-\nqvist there"
    (other,) = Redactor([ROSA]).redact(hyphenated).replacements
    assert hyphenated[other.start :].startswith(other.original)
    assert other.original == "Lind-\nqvist"


# ---------------------------------------------------------------------------------------------- words that are names


def test_a_name_that_is_a_common_word_goes_where_it_has_a_capital_and_is_told() -> None:
    redactor = Redactor([Names("Person 1", ("Will Green",))])
    assert redactor.ambiguous == ("green", "will")
    assert redactor.redact("Will you go, will you? A green door; will green; @will").text == (
        "Person 1 you go, will you? A green door; Person 1; @Person 1"
    )


def test_a_person_may_say_that_such_a_name_always_goes_or_never() -> None:
    certain = Redactor([Names("Person 1", ("Will Green",), certain=("will",), spared=("green",))])
    assert certain.ambiguous == ()
    assert certain.redact("will saw Green; Will Green").text == "Person 1 saw Green; Person 1"


def test_words_of_ones_own_may_be_common_too() -> None:
    assert Redactor([ROSA], words=["rosa"]).ambiguous == ("rosa",)
    assert Redactor([ROSA], words=["rosa"]).redact("rosa Blumen von Rosa").text == "rosa Blumen von Person 1"


def test_a_name_that_two_people_bear_names_neither() -> None:
    redactor = Redactor([ROSA, Names("Person 2", ("Olof Lindqvist",))])
    assert redactor.redact("Rosa, Olof Lindqvist, a Lindqvist").text == "Person 1, Person 2, a [name]"


def test_particles_and_single_letters_are_no_names() -> None:
    redactor = Redactor([Names("Person 1", ("Ludwig van Beethoven", "王"))])
    assert redactor.redact("van, 国王, Ludwig van Beethoven, Beethoven").text == "van, 国王, Person 1, Person 1"
    assert Redactor([Names("Person 1", ("王",), certain=("王",))]).redact("王さん").text == "Person 1さん"


@pytest.mark.parametrize("form", ["", "…", "x" * 201])
def test_a_name_without_letters_or_without_end_is_refused(form: str) -> None:
    with pytest.raises(BadQuestion, match="is not a name to redact"):
        Redactor([Names("Person 1", (form,))])


def test_a_label_that_holds_a_name_is_refused() -> None:
    with pytest.raises(BadQuestion, match="'Rosa 1' cannot be a label"):
        Redactor([Names("Rosa 1", ("Rosa",))])


# ---------------------------------------------------------------------------------------------- for any text

PIECES = st.sampled_from(
    "Rosa|Lindqvist|rosa|Person 1|Person|[name]|[phone]|1|234 5678901|+46 70|-\n|Lind|qvist|R.|%20|&amp;|\u200b|a|Å|"
    "王小明| |@x.org|[[|]]|12 Baker Street|4111 1111 1111 1111|key=|a1b2c3d4e5f6a7b8|s|'|ß|İ|\u0301|10.0.0.1|:".split(
        "|"
    )
)
ANY_TEXT = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join))
EVERYTHING = Redactor(PEOPLE, {"badge": r"B-\d{4}", "blank": r"\s\d"})


@given(ANY_TEXT)
def test_to_redact_twice_is_to_redact_once(text: str) -> None:
    for redactor in (REDACTOR, EVERYTHING):
        once = redactor.redact(text).text
        assert redactor.redact(once) == type(redactor.redact(""))(once)


@given(ANY_TEXT)
def test_a_text_without_any_letter_of_a_name_stays_as_it_is(text: str) -> None:
    redactor = Redactor([Names("Person 1", ("Zyx Qwvut",))], common=False)
    if not set(fold(text)) & set("zyxqwvut"):
        assert redactor.redact(text).text == text


@given(ANY_TEXT)
def test_what_went_stood_in_the_text(text: str) -> None:
    for one in REDACTOR.redact(text).replacements:
        assert text[one.start : one.start + len(one.original)] == one.original
