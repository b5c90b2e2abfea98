"""Which names in Cyrillic letters are cases of one name."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.text.extract.declension import are_cases, case_keys, is_first_case
from memkit.text.extract.resolve import Candidate, blocking_keys, resolve


@pytest.mark.parametrize(
    "names",
    [
        "Даша Дашу Даше Даши Дашей",
        "Ваня Вани Ване",
        "Мария Марии Марию",
        "Маркс Маркса Марксом Марксу",
        "Сергей Сергея Сергеем Сергею",
        "Григорий Григория Григории",
        "Игорь Игоря Игорем",
        "Сибирь Сибири Сибирью",
        "Чехов Чеховым Чехову",
        "Достоевский Достоевского Достоевскому",
        "Вселенная Вселенной Вселенную",
        "Болливуда Болливуду",
        "Поволжие Поволжия",
    ],
)
def test_cases_of_a_name_are_one_name(names: str) -> None:
    forms = names.split()
    assert are_cases(forms)
    for one, other in permutations(forms, 2):
        assert case_keys(one) & case_keys(other)
        assert blocking_keys(one) & blocking_keys(other)
        assert resolve(one, [Candidate(1, other)]).key == 1


@pytest.mark.parametrize(
    "names",
    [
        ("Эрик Эванс", "Эрика Эванса", "Эриком Эвансом"),
        ("Роза Линд", "Розы Линд"),
        ("Большая Поломка", "Большой Поломкой", "Большую Поломку"),
    ],
)
def test_all_words_of_a_name_have_a_case(names: tuple[str, ...]) -> None:
    assert are_cases(names)
    assert all(is_first_case(names[0], other) and not is_first_case(other, names[0]) for other in names[1:])


@pytest.mark.parametrize(
    "names",
    [
        ("Александр", "Александра"),
        ("Александр", "Александру", "Александра"),
        ("Валерий", "Валерия"),
        ("Станислав", "Станислава"),
        ("Чехов", "Чехова"),
        ("Александр Иванов", "Александра Иванова"),
        ("Марк", "Маркс"),
        ("Мари", "Мария"),
        ("Роза Линд", "Розы Эк"),
        ("Даша", "Даша Линд"),
        ("Даша", "дашу"),
        ("Anna", "Annu"),
        ("Ян", "Яна"),
    ],
)
def test_what_may_be_two_is_two(names: tuple[str, ...]) -> None:
    assert not are_cases(names)
    assert resolve(names[-1], [Candidate(1, names[0], None, names)]).decision == "same"  # it is its own name
    assert resolve(names[-1], [Candidate(1, names[0], None, names[:-1])]).decision == "new"


def test_a_case_of_two_names_is_of_none() -> None:
    known = [Candidate(1, "Александр"), Candidate(2, "Александра")]
    assert resolve("Александру", known).decision == "ambiguous"


@pytest.mark.parametrize("order", list(permutations(["Мы видели Дашу.", "Там живёт Даша.", "Мы поехали к Даше."])))
def test_a_name_is_shown_in_the_nominative_whatever_text_comes_first(order: tuple[str, ...]) -> None:
    db = MemoryDatabase(embed="none")
    for n, text in enumerate(order):
        db.ingest([{"text": f"И вот мы здесь. {text}", "id": str(n)}])
    names = [row["name"] for row in db.tables["entities"].rows if not row["merged_into"]]
    assert names == ["Даша"]
    assert db.tables["mentions"].count == 3


def test_a_page_keeps_its_title(tmp_path) -> None:
    (tmp_path / "Москве.md").write_text("Всё о ней.", "utf-8")
    (tmp_path / "day.md").write_text("Мы видели, как Москва горит.", "utf-8")
    db = MemoryDatabase(embed="none")
    db.ingest(tmp_path)
    assert "Москве" in {row["name"] for row in db.tables["entities"].rows}


@given(st.lists(st.text("абвгдейоуьыяюАДМ -", max_size=9), min_size=1, max_size=4))
def test_any_names_can_be_compared(names: list[str]) -> None:
    assert are_cases(names) in (True, False)
    assert not is_first_case(names[0], names[0])
