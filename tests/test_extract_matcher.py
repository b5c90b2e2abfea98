"""Known names found in one pass."""

from itertools import pairwise

import pytest
from growth import takes_at_most
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.extract.matcher import Match, NameMatcher, runs
from memkit.text.extract.names import CaseStatistics
from memkit.text.words import normal_name


def found(names, text, statistics=None):
    matcher = NameMatcher({name: key for key, name in enumerate(names)}, statistics)
    return [(text[m.start : m.end], *(names[i] for i in m.ids)) for m in matcher.find(text)]


@pytest.mark.parametrize(
    "text", ["Do you know Kira?", "(Kira)", "Kira's bike", "**Kira**!", "“Kira”", "Kira’s", "KIRA!"]
)
def test_punctuation_and_possessives_do_not_hide_a_name(text):
    """K07: the published matcher missed "Kira?"."""
    assert NameMatcher({"Kira": 7}).ids(text) == {7}


FEW_CAPITALS = CaseStatistics({"nie": (40, 1), "open": (9, 0), "rate": (9, 0), "york": (0, 5), "x": (9000, 0)})


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("Thank You", "We thank you for it.", False),
        ("Thank You", "Send the Thank You cards.", True),
        ("AI Nie", "To AI nie wystarczy.", False),
        ("Open Rate", "Our open rate fell.", True),
        ("New York", "we met in new york", True),
        ("Toki pona", "They speak toki pona there.", True),
        ("Bank of England", "The Bank Of England said so.", True),
    ],
)
def test_a_small_word_of_a_name_that_only_texts_say_needs_its_capital(name, text, there):
    matcher = NameMatcher(statistics=FEW_CAPITALS)
    matcher.add(name, 7, cased=True)
    assert (matcher.ids(text) == {7}) is there
    matcher.add(name, 8)  # a page is called so
    assert matcher.ids(text) == {7, 8}


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("Rosa Weg", "Rosa, Weg damit", False),
        ("Rosa Weg", "Rosa: Weg damit", False),
        ("Rosa Weg", "for Rosa (Weg 3)", False),
        ("Rosa Weg", 'of "Rosa" Weg', False),
        ("Rosa Weg", "to Rosa – Weg 3", False),
        ("Rosa Weg", "the Rosa-Weg, the Rosa  Weg and Rosa\nWeg", True),
        ("Tides: A Study", "I read Tides: A Study twice", True),
        ("Tides: A Study", "I read Tides A Study twice", True),
        ("Lind, Rosa & Co", "of Lind, Rosa & Co", True),
    ],
)
def test_a_sign_that_divides_words_stands_in_a_name_only_if_it_is_the_names(name, text, there):
    assert (NameMatcher({name: 7}).ids(text) == {7}) is there


@pytest.mark.parametrize("text", ["Kirara", "Shakira", "kira", "KiraNovak"])
def test_a_name_is_whole_words_and_written_as_a_name(text):
    assert NameMatcher({"Kira": 7}).ids(text) == set()


def test_letters_after_an_apostrophe_make_another_word():
    assert found(["Don", "Kofi"], "I don't know, don’t ask. Don's is Kofi's.") == [("Don", "Don"), ("Kofi", "Kofi")]
    assert found(["Università"], "Siamo all'Università.") == [("Università", "Università")]


def test_an_accent_of_its_own_belongs_to_the_word():
    assert found(["Halkomëlem"], "They speak Halkome\u0308lem.") == [("Halkome\u0308lem", "Halkomëlem")]
    assert found(["Halkom"], "They speak Halkome\u0308lem.") == []


def test_the_longest_name_wins():
    names = ["York", "New York", "New York Times"]
    assert found(names, "The New York Times of New York, not York.") == [
        ("New York Times", "New York Times"),
        ("New York", "New York"),
        ("York", "York"),
    ]


def test_several_words_match_in_any_case_and_without_diacritics():
    assert found(["Café Ñandú"], "we went to CAFE nandu") == [("CAFE nandu", "Café Ñandú")]


def test_several_words_match_across_a_line_break_but_not_across_sentences():
    assert found(["Anna Lind"], "we met Anna\nLind") == [("Anna\nLind", "Anna Lind")]
    assert found(["Anna Lind"], "We met Anna. Lind is a town.") == []
    assert found(["Dr. Lind"], "We met Dr Lind and Dr. Lind.") == [("Dr Lind", "Dr. Lind"), ("Dr. Lind", "Dr. Lind")]


def test_a_title_is_also_found_without_its_bracket():
    names = ["Theodred II (Bishop of Elmham)"]
    assert found(names, "after Theodred II died") == [("Theodred II", names[0])]
    assert found(names, "Theodred II (Bishop of Elmham) died") == [("Theodred II (Bishop of Elmham", names[0])]


def test_a_name_of_its_own_goes_before_one_with_its_bracket_left_out():
    names = ["Hamlet (film)", "Hamlet (play)"]
    assert found(names, "we saw Hamlet today") == [("Hamlet", *names)]
    assert found([*names, "Hamlet"], "we saw Hamlet today") == [("Hamlet", "Hamlet")]


def test_words_that_only_a_bracket_makes_a_title_must_be_capitalised():
    assert found(["Second Wife (1936 film)"], "with his second wife") == []
    assert found(["Second Wife (1936 film)"], "he directed Second Wife in Rome") == [
        ("Second Wife", "Second Wife (1936 film)")
    ]
    assert found(["Stephen (song)"], "Stephen King wrote it") == []


def test_a_common_word_is_a_name_only_where_it_is_written_as_one():
    assert found(["Will"], "Will you come? I will.") == []
    assert found(["Will"], "I went with Will.") == [("Will", "Will")]
    assert found(["The Who"], "the who and the why") == []
    assert found(["The Who"], "we heard The Who") == [("The Who", "The Who")]


@pytest.mark.parametrize(
    ("name", "told", "named"),
    [
        ("questo articolo", "Questo articolo parla di api, e questo articolo è lungo.", "Vedi Questo Articolo."),
        ("This Old House", "We bought this old house.", "We watched This Old House."),
        ("Diese eine Frage", "Ich stelle nur diese eine Frage.", "Ich las Diese Eine Frage."),
        ("Ce soir là", "On part ce soir là.", "On a vu Ce Soir Là."),
    ],
)
def test_what_a_word_points_to_is_a_name_only_with_capitals(name, told, named):
    assert found([name], told) == []
    assert found([name], named) == [(named[-len(name) - 1 : -1], name)]


def test_with_statistics_a_rare_name_is_found_in_lower_case_chat():
    statistics = CaseStatistics.of(["I met Kofi.", "She saw the mark there.", "Look at the mark."])
    assert found(["Kofi", "Mark"], "i met kofi and mark", statistics) == [("kofi", "Kofi")]


def test_a_lower_case_name_is_found_as_it_is_written():
    assert found(["quince"], "they planted a quince") == [("quince", "quince")]


def test_cjk_names_need_no_boundary_but_two_characters():
    assert found(["紅楼梦"], "昨天看了紅楼梦呢") == [("紅楼梦", "紅楼梦")]
    assert found(["李"], "桃李") == []
    assert found(["アン"], "アンテナとアン") == [("アン", "アン")]
    assert found(["東京タワー"], "昨日東京タワーに行った") == [("東京タワー", "東京タワー")]


def test_names_can_be_added_later_and_shared():
    matcher = NameMatcher({"Kira": [1, 2]})
    matcher.add("Kira", 3)
    matcher.add("Anna Lind", 4)
    assert matcher.find("Anna Lind, Kira") == [Match(0, 9, (4,)), Match(11, 15, (1, 2, 3))]
    assert len(matcher) == 2


@pytest.mark.parametrize("name", ["", "   ", "?!", "🙂", "a", "x " * 10_000, "\ue000"])
def test_a_name_that_is_none_is_never_found(name):
    matcher = NameMatcher({name: 1})
    assert matcher.find("a x x x ?! 🙂") == []


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=200))
def test_any_names_in_any_text_give_spans_in_order(names, text):
    matches = NameMatcher({name: key for key, name in enumerate(names)}).find(text)
    assert all(0 <= m.start < m.end <= len(text) and m.ids for m in matches)
    assert all(a.end <= b.start for a, b in pairwise(matches))


@given(st.lists(st.sampled_from(["Wren", "Lind", "Kofi", "Abara", "Holm"]), min_size=2, max_size=4))
def test_a_name_of_several_words_is_found_wherever_it_stands(parts):
    name = " ".join(parts)
    assert NameMatcher({name: 1}).ids(f"yesterday {name}, of all people, said: yes") == {1}


@given(
    st.text("ABcé' -.&_東京ター", min_size=1, max_size=40), st.sampled_from(["We met {} there.", "昨日{}へ行った。"])
)
def test_a_name_that_is_found_is_a_run_of_the_text(name, sentence):
    text = sentence.format(name)
    pieces = {text[match.start : match.end] for match in NameMatcher({name: 1}).find(text)}
    if any(normal_name(piece) == normal_name(name) for piece in pieces):
        assert normal_name(name) in runs(text)


@pytest.mark.parametrize("count", [1, 12, 13, 24])
def test_runs_are_as_long_as_the_longest_name_that_is_found(count):
    name = " ".join(f"Kalo{n}" for n in range(count))
    assert NameMatcher({name: 1}).ids(f"We met {name} there.") == {1}
    assert normal_name(name) in runs(f"We met {name} there.")


def test_a_text_costs_the_same_however_many_names_there_are():
    words = [f"{a}{b}{c}" for a in "Kalo Miru Teso Vanu".split() for b in "bcdfghklmnprst" for c in range(60)]
    text = " ".join(words[:2_000])

    def knows(count):
        return NameMatcher({f"{words[i % len(words)]} {words[i // 7]}": i for i in range(count)})

    few, many = knows(200), knows(20_000)
    assert len(many) == 100 * len(few)
    assert takes_at_most(5, lambda: many.find(text), lambda: few.find(text))


def test_a_common_word_is_a_mention_where_it_is_linked_often():
    """A note called `life` is not meant by everybody who says the word."""
    rarely = CaseStatistics.of(
        ["What a life, they say.", "In her life. In his life.", "A life! Such life!", "My [[life]]."]
    )
    assert found(["life"], "Otto had a good life.", rarely) == []
    often = CaseStatistics.of(["They spoke of [[consensus]].", "By consensus, they said."])
    assert found(["consensus"], "Otto wants consensus.", often) == [("consensus", "consensus")]


def test_a_link_counts_for_its_word_however_that_is_written():
    statistics = CaseStatistics.of(["She has an iphone, they say.", "My [[iPhone]] rings."])
    assert not statistics.is_everyday("iPhone")
    assert statistics.is_everyday("has")


@pytest.mark.parametrize("text", ["- # Overview\n", "### The Overview of all", "> ## Overview", "- Overview of all"])
def test_in_a_heading_a_capital_makes_no_common_word_a_name(text):
    statistics = CaseStatistics.of(["It gives an overview.", "The overview is short."])
    assert found(["Overview"], text, statistics) == []
    assert found(["Overview"], "We read the Overview.", statistics) == [("Overview", "Overview")]


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("RE", "They're here, but RE is not.", 1),  # a contraction
        ("CRDT", "Two CRDTs and a CRDT.", 2),
        ("CRDTs", "Two CRDTs and a CRDT.", 2),
        ("sub", "A sub-query is no sub, nor a non-sub.", 1),
        ("AI", "J'ai dit: AI. Je n'ai rien.", 1),  # two letters are a word of some language
        ("C++", "C++, C#, C and C++'s; (C++)! C++11 and a C+++", 4),
        ("C#", "C++, C#, C and C#'s; not C#7, C##", 2),
        ("Vela+", "Vela+, Vela and Vela+Rosa", 1),
        ("Vela", "Vela+, Vela and Vela+Rosa", 2),
    ],
)
def test_a_name_is_a_word_of_its_own(name, text, count):
    assert len(found([name], text)) == count
    assert runs(text) >= {normal_name(name)}


def test_a_noun_with_an_article_of_another_language_must_be_capitalised():
    assert len(found(["El Clown", "Los Angeles"], "El Clown y el clown, Los Angeles")) == 2


def test_a_word_that_is_often_no_name_must_be_written_as_one():
    """`Express` is a server, and `they express it` is not."""
    texts = ["I see that Express is here.", "They say Express is new.", "We took Express too."] * 2
    mostly = CaseStatistics.of([*texts, "You can express it."])
    assert len(found(["Express"], "Our Express says what we express.", mostly)) == 2
    mixed = CaseStatistics.of([*texts, "We express it. You can express it so. I like to express it. They express it."])
    assert len(found(["Express"], "Our Express says what we express.", mixed)) == 1
