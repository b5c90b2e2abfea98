"""What plain sentences state in Spanish, German, French and Chinese, and in English lines with links."""

import pytest
from growth import grows_in_proportion

from memkit.core.instants import Interval
from memkit.text.extract.claims import find_statements
from memkit.text.extract.plain_statements import Topic

SAID = "2024-05-01T00:00:00Z"


def triples(text, **options):
    return [(s.subject, s.predicate, s.object) for s in find_statements(text, **options)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Inés Pardo vive en Ciudad Real.", ("Inés Pardo", "lives_in", "Ciudad Real")),
        ("Hola, vivo en Lima y canto.", ("user", "lives_in", "Lima")),
        ("Estoy estudiando dibujo en la Escuela Goya.", ("user", "studies_at", "Escuela Goya")),
        ("Mi hermana Lucía canta.", ("Lucía", "sister_of", "user")),
        ("Luis es el hermano de Inés.", ("Luis", "brother_of", "Inés")),
        ("La Espiral fue escrita por Inés Pardo.", ("Inés Pardo", "wrote", "La Espiral")),
        ("Inés Pardo fundó la empresa Nordlys.", ("Inés Pardo", "founded", "Nordlys")),
        ("Nightshade es un restaurante pequeño en Gante.", ("Nightshade", "is_a", "restaurante pequeño")),
        ("Edda Meulen wohnt seit 2019 in Gent.", ("Edda Meulen", "lives_in", "Gent")),
        ("Ich arbeite bei Nordlys.", ("user", "works_at", "Nordlys")),
        ("Edda wurde 1980 in Porto geboren.", ("Edda", "born_in", "Porto")),
        ("Nordlys wurde 1990 von Edda Meulen gegründet.", ("Edda Meulen", "founded", "Nordlys")),
        ("Kofi ist mit Edda Meulen verheiratet.", ("Kofi", "married_to", "Edda Meulen")),
        ("Meine Schwester Leila singt.", ("Leila", "sister_of", "user")),
        ("Edda Meulen schrieb den Roman „Die Welle“.", ("Edda Meulen", "wrote", "Die Welle")),
        ("Nachtschatten ist ein kleines Restaurant in Gent.", ("Nachtschatten", "is_a", "kleines Restaurant")),
        ("Claire Morel habite à Lyon.", ("Claire Morel", "lives_in", "Lyon")),
        ("J'habite à Gand depuis 2019.", ("user", "lives_in", "Gand")),
        ("Je travaille chez Nordlys.", ("user", "works_at", "Nordlys")),
        ("La Vague a été écrit par Claire Morel.", ("Claire Morel", "wrote", "La Vague")),
        ("我住在青岛。", ("user", "lives_in", "青岛")),
        ("王小明在北光公司工作。", ("王小明", "works_at", "北光公司")),
        ("我的妹妹叫李娜。", ("李娜", "sister_of", "user")),
        ("李娜是王伟的妻子。", ("李娜", "wife_of", "王伟")),
        ("《海浪》由王小明翻译。", ("王小明", "translated", "海浪")),
        ("王小明的《海浪》很好看。", ("王小明", "wrote", "海浪")),
        ("Nordlys由Edda Meulen于1990年创立。", ("Edda Meulen", "founded", "Nordlys")),
        ("[[北光]]是一种用[[羊毛]]做的[[地毯]]。", ("北光", "is_a", "地毯")),
    ],
)
def test_a_sentence_states_in_its_language(text, stated):
    assert triples(text)[:1] == [stated]


@pytest.mark.parametrize(
    "text",
    [
        "Inés no vive en Lima.", "¿Inés vive en Lima?", "Creo que Inés vive en Lima.", "Ich wohne nicht in Gent.",
        "Hoffnung wohnt in Menschen.", "Vielleicht arbeitet Edda bei Nordlys.", "Claire n'habite pas à Lyon.",
        "我不住在青岛。", "我想住在青岛。", "你住在青岛吗？", "如果我住在青岛，我会游泳。",
        "Nordlys是一种方法。",
        "Wodurch ist ein Garten im Sinne der Satzung beschrieben.", "Cómo es un jardín en Gante.",
        "Qui est un jardinier.", "So is Kira's name is majestic.", "Kira's name is majestic.",
        "Kira is a synonym for a star.", "Kira ist eine Abkürzung von Otto.",
    ],
)  # fmt: skip
def test_doubt_states_nothing_in_any_language(text):
    assert triples(text) == []


def test_years_are_validity_in_any_language():
    five = Interval("2015-01-01T00:00:00Z", "2020-01-01T00:00:00Z")
    for text in ("Inés trabajó en Nordlys de 2015 a 2019.", "Edda arbeitete von 2015 bis 2019 bei Nordlys."):
        (one,) = find_statements(text, happened_at=SAID)
        assert (one.predicate, one.valid) == ("works_at", five)
    (joined,) = find_statements("Kira joined Nordlys in 2020.", happened_at=SAID)
    assert joined.valid == Interval("2020-01-01T00:00:00Z", None)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The [[maps/Garden wall]] was built by **Edda Meulen** and [[Bo Ek]].", [
            ("Edda Meulen", "built", "Garden wall"), ("Bo Ek", "built", "Garden wall")]),
        ("[[quince]] is a small, fragrant [[fruit]] tree.", [("quince", "is_a", "fragrant fruit tree")]),
        ("[[Rosa Tamsin|Rosa]] works at [[Nordlys AG|Nordlys]].", [("Rosa Tamsin", "works_at", "Nordlys AG")]),
        ("Kira is a senior engineer at Nordlys.", [
            ("Kira", "works_at", "Nordlys"), ("Kira", "works_as", "senior engineer")]),
        ("Kira graduated from Harrow College.", [("Kira", "studied_at", "Harrow College")]),
        ("Kira is a member of Nordlys.", [("Kira", "member_of", "Nordlys")]),
        ("Nordlys is based in Ghent.", [("Nordlys", "located_in", "Ghent")]),
    ],
)  # fmt: skip
def test_links_are_names_and_marks_are_none(text, stated):
    assert triples(text) == stated


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Nordlys is a fast, batteries-included weather station that hums.", "batteries-included weather station"),
        ("Nordlys is a kind of lichen.", "lichen"),
        ("Nordlys is a system.", None),  # nearly everything is
        ("Nordlys is a small tool.", None),
        ("Nordlys is a dynamically typed, small language.", None),  # where it ends is unsure
        ("Nordlys is a framework and protocol.", None),
        ("Nordlys is an AI, Weather & Tides Specialist.", None),
        ("Nordlys is a UNIX tide clock.", "UNIX tide clock"),
        ("Nordlys is a useful idea.", None),
        ("Nordlys is a trap.", None),
        ("Nordlys is a significant barrier to it.", None),
        ("Nordlys is a wealth of knowledge.", None),
        ("Often, Nordlys is a lichen.", None),
        ("Nordlys is a Nordlys concept station.", None),
        ("Nordlys is a Small Weather Station (SWS) network.", "Small Weather Station network"),
    ],
)
def test_a_definition_says_a_kind_or_nothing(text, kind):
    assert [o for _, p, o in triples(text) if p == "is_a"] == ([kind] if kind else [])


def test_a_tool_is_a_name_and_not_the_beginning_of_one():
    assert triples("Nordlys uses SQLite to store rows.") == [("Nordlys", "uses", "SQLite")]
    assert triples("Nordlys uses DNS records.") == []


def test_lines_without_a_subject_are_about_the_page():
    person = Topic("Edda Meulen", person=True)
    text = "- Works at [[Nordlys AG|Nordlys]]\n- Born in Porto\n- Vive en Gante\n- likes tea\n- uses a cane"
    assert triples(text, speaker="", topic=person) == [
        ("Edda Meulen", "works_at", "Nordlys AG"),
        ("Edda Meulen", "born_in", "Porto"),
        ("Edda Meulen", "lives_in", "Gante"),
    ]
    wall = Topic("The Wall")
    assert triples("It was designed by Bo Ek, around 1990.", topic=wall) == [("Bo Ek", "designed", "The Wall")]
    assert triples("Written by [[Bo Ek]] and [[Edda]].", topic=wall) == [
        ("Bo Ek", "wrote", "The Wall"),
        ("Edda", "wrote", "The Wall"),
    ]
    assert triples("Works at Nordlys.", topic=wall) == []  # only a person works
    assert triples("He was glad. It was designed by Bo Ek.", topic=wall) == []  # inside a paragraph, it is unsure
    for before in ("### Who built our mill? And when?\n\t", "- Who built our mill?\n- "):  # it is the mill
        assert triples(f"{before}It was designed by Bo Ek, around 1990.", topic=wall) == []
    assert triples("## Origin\n\nIt was designed by Bo Ek.", topic=wall) == [("Bo Ek", "designed", "The Wall")]
    assert triples("Works at Nordlys.") == []


@pytest.mark.parametrize(
    "unit", ["[[a]] ", "vive en ", "是一种", "《", "的", "_a_ by B ", "“I ", "> I ", "Author: ", "A (2019). "]
)
def test_a_long_text_with_many_marks_is_read_in_linear_time(unit):
    assert grows_in_proportion(find_statements, unit * 3_000)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Ein LBA ist eine Maschine.", [("LBA", "is_a", "Maschine")]),
        ("El CVE es un identificador de fallos.", [("CVE", "is_a", "identificador de fallos")]),
        ("Eine Funktion ist ein Stück Garten.", []),
        ("Leviathan es una de las series más populares.", []),
        ("Das Resultat ist ein Graph.", []),
        ("Eine Menge M ist ein Tupel.", []),
        ("G ist eine Stammfunktion von F.", []),
        ("Ein Verifizierer ist eine deterministische, totale TM.", []),
        ("Leviathan es un lenguaje interpretado principalmente utilizado en casa.", []),
        ("Leviathan es una serie corta centrada en binarios.", [("Leviathan", "is_a", "serie corta")]),
        ("Kira es un instrumento de gestión (PKM) muy útil.", [("Kira", "is_a", "instrumento de gestión")]),
        ("Nordlys est un outil libre de mesure développé par Orbis.", [("Nordlys", "is_a", "outil libre de mesure")]),
        ("Nordlys est un carnet permettant de garder des notes.", [("Nordlys", "is_a", "carnet")]),
        ("Nordlys ist eine Art Laterne, die leuchtet.", [("Nordlys", "is_a", "Laterne")]),
        ("Nordlys ist ein 2010 ins Leben gerufenes Netz.", []),
        ("Nordlys est un langage compilé mais lent.", [("Nordlys", "is_a", "langage compilé")]),
        ("L’application Nordlys est un carnet.", []),
        ("L’Atelier Nordlys est un carnet.", [("Atelier Nordlys", "is_a", "carnet")]),
        ("Ce Nordlys est un carnet de Kira.", []),
        ("Dieses System ist ein Garten.", []),
        ("Nordlys is a highly scalable, distributed weather station.", []),
        ("Nordlys is a clunky but working weather station.", []),
        ("Nordlys is a kind of clunky but working weather station.", []),
        (
            "Nordlys is an open-source (free license) weather station.",
            [("Nordlys", "is_a", "open-source weather station")],
        ),
        ("Nordlys is a weather as a service (WaaS) station.", []),
        ("Nordlys is a town (pop. 900) in Norway.", [("Nordlys", "is_a", "town")]),
        ("Nordlys is an open garden as code library.", [("Nordlys", "is_a", "open garden as code library")]),
        ("Edda Meulen is a gardener living in Ashby.", [("Edda Meulen", "is_a", "gardener")]),
        ("Nordlys is a super duper station.", []),
        ("Her theory that Nordlys is a garden has few friends.", []),
        ("Kira Toft und Edda Meulen ist ein Garten.", []),
        (
            "Un carnet, Cuaderno De Jardines Nuevos, que es un cuaderno.",
            [("Cuaderno De Jardines Nuevos", "is_a", "cuaderno")],
        ),
        ("古尔蒙·德尔塔在他的《影响力》一书里说过。", [("古尔蒙·德尔塔", "wrote", "影响力")]),
        ("由古尔蒙·德尔塔和巴尔·奥纳主编的《新园艺》，是文集。", []),
        ("Nordlys是一个**Toolkit**(工具箱)，给大家用。", [("Nordlys", "is_a", "Toolkit")]),
        ("Nordlys是一种允许园丁和邻居（如Kira）共享花园的技术。", []),
        ("Nordlys是一种特殊的DMA（直接访问）通道，专门用来浇水。", []),
        ("Nordlys是一种浇水方法,能够减少花园中的虫害和霜害,优点如下:", [("Nordlys", "is_a", "浇水方法")]),
        ("Nordlys is a close to bare-metal station.", []),
        ("Nordlys is a meaningful (rather small) garden.", [("Nordlys", "is_a", "meaningful garden")]),
        ("Nordlys is a weather station you use in winter.", [("Nordlys", "is_a", "weather station")]),
        ("Nordlys is a symptom human society hitting this limit.", []),
    ],
)
def test_only_what_has_a_name_of_its_own_is_something(text, stated):
    assert triples(text) == stated
