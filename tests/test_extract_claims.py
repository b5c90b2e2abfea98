"""What plain sentences state."""

import pytest
from growth import grows_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.instants import Interval
from memkit.text.extract import claims
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.claims import find_claims, find_statements
from memkit.text.extract.predicates import SINGLE_VALUED, predicate_id


def triples(text, **options):
    return [(s.subject, s.predicate, s.object) for s in find_statements(text, **options)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Dr. Martinez is Reed's dentist.", ("Dr. Martinez", "dentist_of", "Reed")),
        ("My dentist is Dr. Martinez.", ("Dr. Martinez", "dentist_of", "user")),
        ("Kofi's boss is Anouk.", ("Anouk", "boss_of", "Kofi")),
        ("My sister Leila sings.", ("Leila", "sister_of", "user")),
        ("Wren is the founder of Harrow & Finch.", ("Wren", "founder_of", "Harrow & Finch")),
        ("Wren is the CEO of Harrow & Finch.", ("Wren", "ceo_of", "Harrow & Finch")),
        ("Wren is CTO of Harrow & Finch.", ("Wren", "cto_of", "Harrow & Finch")),
        ("Wren is the new director of Orbis Labs.", ("Wren", "director_of", "Orbis Labs")),
        ("Bo is Harrow & Finch's CFO.", ("Bo", "cfo_of", "Harrow & Finch")),
        ("Priya works at Siemens.", ("Priya", "works_at", "Siemens")),
        ("I'm currently working for Harrow & Finch.", ("user", "works_at", "Harrow & Finch")),
        ("Tomasz works as a gardener.", ("Tomasz", "works_as", "gardener")),
        ("I moved to Lisbon.", ("user", "lives_in", "Lisbon")),
        ("Edda moved from Utrecht to Ghent.", ("Edda", "lives_in", "Ghent")),
        ("My sister lives in Ghent.", ("user's sister", "lives_in", "Ghent")),
        ("I work at Brandtner & Co.", ("user", "works_at", "Brandtner & Co.")),
        ("I work at Brandtner & Co. since May.", ("user", "works_at", "Brandtner & Co.")),
        ("I work at Tuller GmbH & Co. KG in Linz.", ("user", "works_at", "Tuller GmbH & Co. KG")),
        ("Tom Reed Jr. lives in Ghent.", ("Tom Reed Jr.", "lives_in", "Ghent")),
        ("I live in Washington D.C. now.", ("user", "lives_in", "Washington D.C.")),
        ("I live in Fort St. John with my cat.", ("user", "lives_in", "Fort St. John")),
        ("I live in St. Gallen.", ("user", "lives_in", "St. Gallen")),
        ("I prefer dark roast coffee over tea.", ("user", "prefers", "dark roast coffee")),
        ("Max loves playing fetch!", ("Max", "loves", "playing fetch")),
        ("Wren really likes pizza.", ("Wren", "likes", "pizza")),
        ("I'm allergic to peanuts, so no cake.", None),
        ("I'm allergic to peanuts.", ("user", "allergic_to", "peanuts")),
        ("Nightshade is a restaurant in Ghent.", ("Nightshade", "is_a", "restaurant")),
        ("Rosa was born in Porto.", ("Rosa", "born_in", "Porto")),
        ("Duarte is married to Inês.", ("Duarte", "married_to", "Inês")),
        ("Harrow & Finch was founded by Edda van der Meulen.", ("Edda van der Meulen", "founded", "Harrow & Finch")),
        ("I use Obsidian for my notes.", ("user", "uses", "Obsidian")),
        ("Postgres replaced SQLite last year.", ("Postgres", "replaced", "SQLite")),
        ("My timezone is Europe/Lisbon.", ("user", "timezone", "Europe/Lisbon")),
        ("Birger's birthday is May 3.", ("Birger", "birthday", "May 3")),
        ("My favourite colour is green.", ("user", "favourite_colour", "green")),
        ("Hey Anna, I'm from Porto.", ("user", "comes_from", "Porto")),
    ],
)
def test_a_sentence_states(text, stated):
    assert triples(text)[:1] == ([stated] if stated else [])


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("My phone number is 0170 1234567.", ("user", "phone", "0170 1234567")),
        ("Rosa's phone is 0170 1234567.", ("Rosa", "phone", "0170 1234567")),
        ("My birthday is on May 3.", ("user", "birthday", "May 3")),
        ("Mein Geburtstag ist am 3. Mai.", None),  # the point ends what is read of it
        ("Mon anniversaire est le 3 mai.", ("user", "birthday", "3 mai")),
        ("My address is 12 Hill Road.", ("user", "address", "12 Hill Road")),
        ("My hometown is Leeds.", ("user", "hometown", "Leeds")),
        ("My nickname is Bo.", ("user", "nickname", "Bo")),
        ("My job is gardener.", ("user", "job", "gardener")),
        ("Rosa's job is software engineer.", ("Rosa", "job", "software engineer")),
        ("Mein Beruf ist Gärtner.", ("user", "profession", "Gärtner")),
    ],
)
def test_an_attribute_has_a_value_of_its_kind(text, stated):
    assert triples(text)[:1] == ([stated] if stated else [])


@pytest.mark.parametrize(
    "text",
    """My phone is broken|My phone is bad|My phone is on silent|Rosa's phone is dead|My email is full
    |My birthday is soon|Rosa's birthday is next week|My birthday is tomorrow|My address is wrong|My hometown is far
    |My job is stressful|My job is harder now|Rosa's job is hard work|My nationality is irrelevant
    |My timezone is weird|My nickname is stupid|Mein Geburtstag ist bald|Mein Job ist langweilig
    |Mi correo es malo|Mon travail est dur|I moved to Tuesday|I was born in May|Ich wohne im Winter hier""".split("|"),
)
def test_how_an_attribute_is_at_the_moment_is_no_value(text):
    assert triples(text.strip()) == []


def test_an_introduction_names_what_it_led_to():
    """C38: Alice - introduced to - Nightshade - is a - restaurant."""
    assert triples("Alice introduced me to the restaurant Nightshade.") == [
        ("Alice", "introduced_to", "Nightshade"),
        ("Nightshade", "is_a", "restaurant"),
        ("user", "knows", "Nightshade"),
    ]
    # Kira was introduced to nobody; and nobody is said to know a thing, or what begins with a small letter.
    assert triples("Kira introduced Bob to Anouk.") == [("Bob", "knows", "Anouk")]
    assert triples("Kira introduced Bob to climbing.") == []


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Paris.", "Priya never worked there.", "Does Kira work at Siemens?", "If I lived there",
        "Maybe Kofi works at Siemens.", "I might move to Lisbon.", "I want to live in Porto.",
        "I used to live in Bath.",
        "I think Kofi works at Siemens.", "I wish I lived in Porto.", "She works at Siemens.", "It is a restaurant.",
        "I love it!", "I like the idea.", "Kofi is a legend!", "Toto and Cleopatra is a film.", "Running is a joy.",
        "`Kira works at Siemens.`", "# Kira Works At Siemens", "", "Everyone loves pizza.",
    ],
)  # fmt: skip
def test_doubt_and_pronouns_state_nothing(text):
    assert triples(text) == []


def test_a_name_that_goes_on_in_lower_case_is_no_owner():
    assert triples("Ida is the owner of Nightshade gardens.") == []
    assert triples("Ida is the owner of Orbis Labs gardens.") == []
    assert triples("Ida is the owner of Nightshade since 2019.") == [("Ida", "owner_of", "Nightshade")]
    assert triples("Ida is the owner of [[Nightshade gardens]] there.") == [("Ida", "owner_of", "Nightshade gardens")]


def test_a_person_with_several_names_is_one_subject():
    told = triples("They met Lt General Ida Moss, who founded Orbis.")
    assert told == [("Lt General Ida Moss", "founded", "Orbis")]


def test_the_adjective_of_a_people_is_no_object():
    assert triples("Ida Moss directed German pilots.") == []
    assert triples("Ida Moss comes from Westphalian stock.") == []
    assert triples("Ida Moss moved to British Columbia.") == [("Ida Moss", "lives_in", "British Columbia")]
    assert triples("Ida Moss speaks German fluently.") == [("Ida Moss", "speaks", "German")]


@pytest.mark.parametrize(
    "text",
    ["[[Slow walks]] is a focus on one thing", "Pome is an example of grafting trees", "[[Rest]] is a requirement."],
)
def test_what_says_no_kind_gives_none(text):
    assert triples(text) == []


def test_a_common_word_is_no_subject():
    assert triples("Dinner is a habit.") != []
    assert triples("Dinner is a habit.", statistics=CaseStatistics.of(["We had dinner."])) == []


def test_i_is_the_speaker():
    assert triples("I moved to Lisbon.", speaker="Kofi") == [("Kofi", "lives_in", "Lisbon")]
    assert triples("My vet is Signe.", speaker="Kofi") == [("Signe", "vet_of", "Kofi")]


def test_of_several_speakers_i_is_the_one_whose_line_it_is():
    text = "Kofi: I live in Ghent.\nAnouk: Nice! I live in Bath."
    assert triples(text, speaker="Kofi, Anouk") == [("Kofi", "lives_in", "Ghent"), ("Anouk", "lives_in", "Bath")]
    assert triples("I live in Bath.", speaker="Kofi, Anouk") == []


def test_the_quote_is_the_sentence_in_its_place():
    text = "It rained. Priya works at Siemens, as ever! Bye."
    (statement,) = find_statements(text)
    assert statement.quote == text[statement.start : statement.end] == "Priya works at Siemens, as ever!"
    assert 0 < statement.confidence <= 1


def test_dates_in_the_sentence_are_its_validity():
    said = "2023-06-15T10:00:00Z"
    (since,) = find_statements("Priya works at Siemens since March.", happened_at=said)
    assert since.valid == Interval("2023-03-01T00:00:00Z", None)
    (span,) = find_statements("Kofi worked at Siemens from 2015 to 2019.", happened_at=said)
    assert span.valid == Interval("2015-01-01T00:00:00Z", "2020-01-01T00:00:00Z")
    (moved,) = find_statements("I moved to Lisbon in 2019.", happened_at=said)
    assert moved.valid == Interval("2019-01-01T00:00:00Z", None)
    (plain,) = find_statements("Priya works at Siemens.", happened_at=said)
    assert plain.valid is None


def test_predicates_have_one_spelling():
    assert predicate_id("Works at") == predicate_id("works-at") == predicate_id("works for") == "works_at"
    assert predicate_id("is located in") == "located_in"
    assert predicate_id("is a") == "is_a"
    assert predicate_id("Authors") == predicate_id("author")
    assert predicate_id("countries") == "country"
    assert predicate_id("…") == ""
    assert {"lives_in", "works_at", "timezone"} <= SINGLE_VALUED


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    for statement in find_statements(text, speaker="Kofi", happened_at="2023-06-15T10:00:00Z"):
        assert statement.quote in text
        assert statement.subject != statement.object


_PARTS = "I my Kira Kofi's works at is a the restaurant Siemens moved to Ghent and , . Dr. sister loves introduced me"


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=14))
def test_any_row_of_such_words_is_read(parts):
    for statement in find_statements(" ".join(parts)):
        assert statement.subject
        assert statement.object


@pytest.mark.parametrize("unit", ["Kira ", "A of ", "I love a-", "my my ", "Kira and ", "is a ", "x. ", "Kira's "])
def test_a_long_text_is_read_in_linear_time(unit):
    assert grows_in_proportion(find_statements, unit * 5_000)


def test_a_quote_has_the_whole_mark_with_which_its_sentence_begins():
    for text in ("[[Rosa]] lives in Porto.", "**Rosa** lives in Porto.", "- [[Rosa]] lives in Porto."):
        (found,) = find_statements(text)
        assert found.quote == text.removeprefix("- ")
        assert text[found.start : found.end] == found.quote


PARTS = """
    Anna Porto I My my dentist sister who is lives works at in Fenwick Inc. D.C.'s boss Anna's Moss' I'm it's It The
    army no longer will live to loves tea owner Apollo 11 and but because soup . . , : ( " wohnt arbeitet vive trabaja
    habite *Rosa* [[Ida]] ich bin soy
""".split()


@given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=10))
def test_what_is_not_read_for_want_of_telling_words_states_nothing(parts: list[str]) -> None:
    text = " ".join(parts).replace(" .", ".").replace(" ,", ",")
    found = find_claims(text, "Bo")
    with pytest.MonkeyPatch.context() as patch:
        told_by = claims._tells
        patch.setattr(claims, "_tells", lambda form: told_by(form) | claims._ALONE | claims._VERB)
        assert find_claims(text, "Bo") == found


@pytest.mark.parametrize("text", ["Anna's dentist is Bo.", "Anna is my dentist.", "I'm Anna's boss."])
def test_a_sentence_states_something_by_the_owner_in_it(text: str) -> None:
    assert find_statements(text)
