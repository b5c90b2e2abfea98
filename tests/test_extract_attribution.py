"""Who made what, as notes say it without sentences."""

import pytest

from memkit.text.extract.attribution import find_attributions


def said(text, topic=None, **options):
    return [(one.subject, one.predicate, one.object) for one in find_attributions(text, topic, **options)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("from _Stone Weather_ by Edda Meulen", [("Stone Weather", "by", "Edda Meulen")]),
        ("- **Stone Weather** by Edda Meulen", [("Stone Weather", "by", "Edda Meulen")]),
        ("Read [Stone Weather](https://example.com/a_(b)) by [[Edda]].", [("Stone Weather", "by", "Edda")]),
        ("[[Stone Weather]] by @edda", [("Stone Weather", "by", "@edda")]),
        ("„Steinwetter“ von Edda Meulen", [("Steinwetter", "by", "Edda Meulen")]),
        ("„Steinwetter“ von [[Edda]]", [("Steinwetter", "by", "Edda")]),
        ("_From Stone & Weather by Edda Meulen, Bo Ek_", [
            ("Stone & Weather", "by", "Edda Meulen"), ("Stone & Weather", "by", "Bo Ek")]),
        ("- ### Walls in Stone (Dry) by [[Edda Meulen]]", [("Walls in Stone (Dry)", "by", "Edda Meulen")]),
        ("Meulen, E., & Ek, B. K. (2019). _Stone weather_. Nordlys.", [
            ("Stone weather", "by", "E. Meulen"), ("Stone weather", "by", "B. K. Ek")]),
        ("Meulen, E. (1951). Stone, Weather, Nordlys Press: London.", [("Stone, Weather", "by", "E. Meulen")]),
        ("Meulen, E. (1951). Stone Weather, D. Van Nordlys:", [("Stone Weather", "by", "E. Meulen")]),
        ("Meulen, E. (1951). Stone Weather, University of", [("Stone Weather", "by", "E. Meulen")]),
        ("Meulen, E. (1951). Stone, Weather: Memories.", [("Stone, Weather: Memories", "by", "E. Meulen")]),
        ("Fuente: Meulen, E. (s.\xa0f.). El clima. Página 2", [("El clima", "by", "E. Meulen")]),
        ("Stone_Weather_(Edda_Meulen,_Bo_Ek)_(Z-Library)_17.pdf", [
            ("Stone Weather", "by", "Edda Meulen"), ("Stone Weather", "by", "Bo Ek")]),
    ],
)  # fmt: skip
def test_a_work_is_by_somebody(text, stated):
    assert said(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "**Note** by Edda Meulen", "[Docs](https://example.com) by Tuesday", "_Stone Weather_ by default",
        "done by Edda Meulen", "the path from [[balance]] by [[heat|heat]]", "[photo](https://example.com) by Bo Ek",
        "Nordlys. (2025). Recuperado el 2 de mayo de https://example.com", "_Stone Weather_ by a friend",
        'Das ist ein geschlossener "Ring" von Elementen.', "Eine **Verwaltung** von Objekten",
        "- Berechnung von [[Diskreter Logarithmus]]", "[[Relaxierung]] von [[Ganzzahliges Problem|GP]] mit Schranke",
        "[A good study of tides](https://example.com) by Edda Meulen",
        "- The wall was mended by [[Edda Meulen]]", "- Walls in Stone by [[Edda]] are old", "- Made by [[Edda Meulen]]",
        "- A Walk in Stone by Edda Meulen", "[Ce billet](https://example.com) par Edda Meulen",
        "“Stone Weather” ([PDF](https://example.com)) by Edda Meulen",
        "The inn, dubbed “Stone Weather” by Edda Meulen, closed.", "It was called “Stone Weather” by RPF soldiers.",
    ],
)  # fmt: skip
def test_what_is_no_work_or_nobody_is_left_out(text):
    assert said(text) == []


def test_a_line_under_the_title_names_who_made_it():
    assert said("# Stone Weather\n\n_by Edda Meulen_\n\nA book.", "Stone Weather", opening=True) == [
        ("Stone Weather", "by", "Edda Meulen")
    ]
    assert said("A book.\n\nby Edda Meulen", "Stone Weather", opening=True) == []
    assert said("by Edda Meulen", "Stone Weather") == []


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("Author: Edda Meulen, [[Bo Ek]]", [("author", "Edda Meulen"), ("author", "Bo Ek")]),
        ("Author: [[Edda Meulen]] [[Bo Ek]]", [("author", "Edda Meulen"), ("author", "Bo Ek")]),
        ("- **Lead:** @edda", [("lead", "@edda")]),
        ("#### Lead: Edda Meulen (@edda on GitHub)", [("lead", "Edda Meulen")]),
        ("**Speaker: **Edda - [home](https://example.com)", [("speaker", "Edda")]),
        ("Regie: Edda Meulen", [("director", "Edda Meulen")]),
        ("Autora: Edda Meulen y Bo Ek", [("author", "Edda Meulen"), ("author", "Bo Ek")]),
        ("译者：王小明", [("translator", "王小明")]),
        ("Attendees: Edda Meulen, Bo Ek", []),
        ("Author: somebody whom I met", []),
        ("Author: [[edda@example.com]]", []),
        ("Date: Edda Meulen", []),
        ("Lead: TBD", []),
    ],
)
def test_a_labelled_line_is_about_the_topic(line, stated):
    assert said(line, "Stone Weather") == [("Stone Weather", *one) for one in stated]
    assert said(line) == []


def test_a_label_of_an_item_inside_another_is_about_that():
    assert said("- A quiet wall\n    - Author: [[Bo Ek]]\n- Author: [[Edda]]", "Walls") == [("Walls", "author", "Edda")]


def test_in_a_list_of_works_no_author_is_that_of_the_list():
    books = "#### Stone Weather\n*Author*: Edda Meulen\n\n#### Cloud Forms\n*Author*: Bo Ek\n"
    assert said(books, "Books of 2023") == []
    passage = "#### Stone Weather\n*Author*: Edda Meulen\n"  # as it is stored
    assert said(passage, "Books of 2023") == []
    assert said(passage, "Stone Weather") == [("Stone Weather", "author", "Edda Meulen")]
    assert said("*Author*: Kira Toft\n\n" + books, "Books of 2023") == [("Books of 2023", "author", "Kira Toft")]


def test_a_label_below_the_next_heading_is_about_something_else():
    assert said("# Books\n\n## One\n\nText.\n\n## Two\n\nAuthor: Bo Ek", "Books") == []
    for heading in ("Metadata", "Book info", "Steckbrief", "Ficha técnica", "基本信息"):
        note = f"# Stone Weather\n\n# {heading}\n\n- Author: [[Edda]]\n\n# Cloud forms\n\n- Author: Bo Ek"
        assert said(note, "Stone Weather") == [("Stone Weather", "author", "Edda")]
        passage = note.removeprefix("# Stone Weather\n\n")  # as it is stored
        assert said(passage, "Stone Weather") == [("Stone Weather", "author", "Edda")]
    assert said("# Weekly\n\n## April 2, 2019\n\n- **Lead:** @edda", "Weekly") == [("Weekly", "lead", "@edda")]
