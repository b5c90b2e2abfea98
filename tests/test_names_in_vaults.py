"""What vaults write with capitals that names nobody: tasks, parts, abbreviations, initials, nouns."""

from __future__ import annotations

import pytest

from memkit import MemoryDatabase
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.german_nouns import is_german_noun
from memkit.text.extract.names import find_names
from memkit.text.extract.words import GERMAN_FIRST_NAMES


def names(text: str, statistics: CaseStatistics | None = None) -> list[str]:
    return [span.name for span in find_names(text, statistics)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- DONE Aller voir Nigel Moss", ["Nigel Moss"]),
        ("- TODO [#B] Réparer avec Bo Ek", ["Bo Ek"]),
        ("- CANCELLED Support", []),
        ("Then it was DONE Anna said.", ["Anna"]),
    ],
)
def test_after_the_state_of_a_task_its_sentence_begins(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Das Programm, z. B. Claude Desktop, ist gut.", ["Claude Desktop"]),
        ("Sie sind bei Teichfreunde Halden e. V. schon lange.", ["Teichfreunde Halden"]),
        ("We take option b. The rest is for Anna.", ["Anna"]),
    ],
)
def test_an_abbreviation_with_a_blank_begins_no_name(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We read Chapter 2, Book IV and Books X-XII of it.", []),
        ("See Option A and Übung 02.", []),
        ("It is in the Annals (Vol. 16, pp. 3-9).", ["Annals"]),
        ("Das steht bei Bo Halden, S. 154f. und in § 2 II Nr. 4 des Gesetzes.", ["Bo Halden"]),
        ("They watched Apollo 11 from Area 51.", ["Apollo 11", "Area 51"]),
        ("**OPTION N°1** : je peux", []),
    ],
)
def test_a_part_with_its_number_is_no_name(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- Mihov, K. M., M. Denzler, and J. Forster wrote it.", ["Mihov, K. M.", "M. Denzler", "J. Forster"]),
        ("We read E.M. Halden and J.R.R. Okoro.", ["E.M. Halden", "J.R.R. Okoro"]),
        ("Мы читали А.В. Лунина вчера.", ["А.В. Лунина"]),
        ("мы с В.В. сидели в кафе", []),
        ("She left Washington D.C. Later Anna came.", ["Washington D.C.", "Anna"]),
        ("Pakete u.a. von dort. Z.B. Anna Lind war da.", ["Anna Lind"]),
    ],
)
def test_initials_belong_to_the_name_behind_them(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We asked Anna Lindqvist & Bo Ekholm.", ["Anna Lindqvist", "Bo Ekholm"]),
        ("She works for Harrow & Finch now.", ["Harrow & Finch"]),
        ("They had the Department of Health & Human Services.", ["Department of Health & Human Services"]),
        ("We use D365 F&SCM Orbis here.", ["D365 F&SCM Orbis"]),
        ("- Other Ideas & Resources", []),
    ],
)
def test_two_people_are_two(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize("word", ["isFault", "pwmChannel", "toString", "160Mhz", "45USD"])
def test_what_programs_and_measures_are_called_is_no_name(word: str) -> None:
    assert names(f"We look at the {word} here, on arXiv with an iPhone.") == ["arXiv", "iPhone"]


def test_the_title_of_a_page_is_not_read_for_names() -> None:
    assert names("title:: Readwise/Highlights/Orbis\nauthor:: Bo Ek") == ["Bo Ek"]
    assert names("- about\n  title:: the book Orbis") == ["Orbis"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Das ist Religion Opium und nicht mehr.", []),
        ("Es gibt auch Leistungspaket Pflicht und Millisekunden Latenz.", []),
        ("Dort ist auch Systemlogik OKP zu sehen.", ["OKP"]),
        ("Dann kam noch Drehbuchautor Bernd Lange dazu.", ["Bernd Lange"]),
        ("Wir haben von Heike Baumann und Otto Bader gehört.", ["Heike Baumann", "Otto Bader"]),
        ("Auch Hof & Garten ist nicht hier.", ["Hof & Garten"]),
        ("Sie wirft Michaelas Uni-Kleider und nicht mehr.", []),
    ],
)
def test_german_nouns_in_a_row_are_no_name(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_german_noun_is_none_in_an_english_line_of_a_german_database() -> None:
    german = CaseStatistics({"und": (50, 0), "konsolen": (0, 1)})
    assert names("We sell it to Amazon, Konsolen, Tamsin.", german) == ["Amazon", "Tamsin"]
    assert names("We sell it to Amazon, Konsolen, Tamsin.", CaseStatistics({"and": (50, 0)})) == [
        "Amazon",
        "Konsolen",
        "Tamsin",
    ]


def test_common_nouns_and_their_compounds_are_told_from_names_of_people_and_places() -> None:
    assert all(map(is_german_noun, "Hilfen Pläne Leistungspaket Wärmepumpen Uni-Kleider Wochentage".split()))
    assert not any(map(is_german_noun, "Neumann Hoffmann Lindberg Deutschland Österreich Kasimir".split()))
    assert {name for name in GERMAN_FIRST_NAMES if is_german_noun(name)} <= {"volker", "roman", "manne"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "We read _The Walls of the Pond: A Life_ and *Letters Concerning the Two Gardens*.",
            ["The Walls of the Pond: A Life", "Letters Concerning the Two Gardens"],
        ),
        ("It is *Anna Lindqvist and Bo Ekholm* here.", ["Anna Lindqvist", "Bo Ekholm"]),
        ("I _really like it_ and *Do Not*.", []),
        ("See *Notes for Halden 451A - Walls of the Mind*.", ["Halden 451A", "Walls of the Mind"]),
    ],
)
def test_the_title_of_a_work_in_emphasis_is_one_name(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_what_a_link_says_in_words_of_everybody_is_no_name() -> None:
    often = CaseStatistics({"view": (0, 9), "highlight": (0, 9)})
    assert names("这很好 ([View Highlight](https://read.example.com/abc))", often) == []
    assert names("We give to [Open Collective](https://opencollective.com) often.") == ["Open Collective"]
    assert names("We give to [Open Halden](https://example.com) often.") == ["Open Halden"]


def test_courtesy_and_participles_in_japanese_quotes_are_no_name() -> None:
    assert names("ポストへ「ご不在連絡票」を入れる。「適切に管理された森林」や「荷姿について」もある。") == []
    assert names("「坂道の庭園」という本を読んだ。「おかあさんの庭園」も。") == ["坂道の庭園", "おかあさんの庭園"]


@pytest.mark.parametrize(
    "text",
    [
        "The stack grows.[^1] Dessarte the heap shrinks.[^note] Dessarte it rests.",
        "A routine waits.[12] Dessarte, ela pode esperar.[3, 4] Dessarte ela dorme.",
        "Réglages -&gt; Conserver le mot, puis -&gt; Conserver&nbsp;le mot",
        "the store nearest to the processor ;; Caching\nan order of things ;; Scheduling of parts",
    ],
)
def test_a_sentence_begins_after_a_footnote_a_sign_or_the_front_of_a_card(text: str) -> None:
    assert names(text) == []


def test_a_name_in_a_footnote_and_after_a_number_of_a_source_is_one() -> None:
    assert names("It was shown in [12] that Rosa Lind was right.\n\n[^1]: Ask Nadia Ferro.") == [
        "Rosa Lind",
        "Nadia Ferro",
    ]
    assert names("We bought it at Lind & Ek; they know it.") == ["Lind & Ek"]


def test_in_a_table_of_contents_only_known_names_count() -> None:
    text = (
        "- [Otimização de Desempenho](#otimizacao)\n10.2. Causas Comuns de Vazamentos\n10.3 Usando o Vazamento Rondel"
    )
    assert names(text) == []
    assert names(text, CaseStatistics.of(["usamos o Rondel e a casa de Rondel agora"])) == ["Rondel"]
    assert names("2.1 The wall was built by Otto Brandt.") == ["Otto Brandt"]  # a paragraph with its number


def test_words_of_a_longer_link_are_names_only_if_they_are_known() -> None:
    text = "We read [[13. What Is a Rondel Wirrel?]], [[Call with Rosa Grizan]] and [[garden/Open Questions]]."
    assert names(text) == []
    assert names(text, CaseStatistics.of(["we met Rosa Grizan, and she knew Rosa Grizan"])) == ["Rosa Grizan"]
    assert names("We met [[Rosa Grizan]] and [[people/rosa|Rosa Grizan]].") == ["Rosa Grizan", "Rosa Grizan"]


def test_a_login_is_no_handle() -> None:
    assert names("Man meldet sich mit auf@pond an, so wie zu@pond.") == []
    assert names("- _@pond_\n- @pond") == ["@pond_", "@pond"]


def test_what_somebody_shouts_within_a_sentence_is_no_name() -> None:
    assert names("so we swam DIO NON PUOI SUPERARMI A PRESCINDERE near the wall") == []


def test_a_part_and_its_number_may_be_one_word() -> None:
    assert names("## TOP7 Wahl des Vorstands\n\nTOP7.2 Wahl des Kassenwarts, die nicht mehr in Kap3 ist") == []


def test_an_amount_with_its_unit_is_no_name() -> None:
    assert names("We pay 0.25ETH to Rosa Lind.") == ["Rosa Lind"]


def test_the_address_of_a_machine_is_no_name_where_a_link_shows_it() -> None:
    assert names("See [pond.garden.space](https://pond.garden.space).") == []
    assert names("See [Pond.io](https://pond.io).") == ["Pond.io"]


def test_a_language_is_no_name_in_its_own_words() -> None:
    assert names("We read it in [[Spanish / Español]], then in Français and Polski.") == []


def test_a_german_title_in_another_case_is_no_part_of_a_name() -> None:
    assert names("Der Antrag wurde von Herrn Otto Brandt gestellt, und nicht von Frau Lind.")[0] == "Otto Brandt"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- Mossing, D. E. (1997). It rains.", ["Mossing, D. E."]),
        ("It is known (Okorano, J. R., & Le Goff, J.-P., 2001).", ["Okorano, J. R.", "Le Goff, J.-P."]),
        ("Snowdane, D.J., Boonet, M.E. (2007) and O'Neil, S. A.", ["Snowdane, D.J.", "Boonet, M.E.", "O'Neil, S. A."]),
        ("LINDT, Anna Maria. O jardim.", ["LINDT, Anna Maria"]),
        ("We met Rosa, B. Lind and Kofi in Washington, D.C. (and Anouk Ferro, M.D.).", ["Rosa", "B. Lind", "Kofi"]),
        ("In the summary, B. Lind is told.", ["B. Lind"]),
    ],
)
def test_who_is_cited_by_the_family_name_has_the_initials_too(text: str, found: list[str]) -> None:
    assert [name for name in names(text) if "Washington" not in name and "Anouk" not in name] == found


def test_who_is_cited_is_the_same_by_either_name_and_shown_by_the_usual_one() -> None:
    db = MemoryDatabase(embed="none")
    db.ingest([{"text": "It is so (Mossing, D. E., 1997).", "id": "1"}])
    db.ingest([{"text": "They asked D. E. Mossing about it.", "id": "2"}])
    assert [row["name"] for row in db.tables["entities"].rows] == ["D. E. Mossing"]
    assert db.tables["mentions"].count == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Un Mecanismo de TypeScript para eso, y el bypass de UFW.", ["TypeScript", "UFW"]),
        ("Elle est au Panel du CentERdata et au conseil de la UNESCO.", ["Panel", "CentERdata", "UNESCO"]),
        ("Vive en Rio de Janeiro con Luis de McAllister.", ["Rio de Janeiro", "Luis de McAllister"]),
        ("Trabaja en la SDK de UNESCO.", ["SDK de UNESCO"]),  # two acronyms may be one name
    ],
)
def test_an_acronym_behind_of_in_a_romance_language_is_a_name_of_its_own(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_an_abbreviation_of_everybody_is_no_name() -> None:
    assert names("The OS of this HW has no UID, and we met Til and Otto at Wirrel OS.") == ["Til", "Otto", "Wirrel OS"]
