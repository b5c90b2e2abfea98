"""The table of hits: its order, filter and selection as values, and its HTML. `test_jupyterlab.py` clicks in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.types import Memory
from memkit.retrieval.results import Hit, Recall
from memkit.widgets import RecallBox, hit_table
from memkit.widgets.hit_rows import COLUMNS, TableState, rows, table_html

QUESTION = "who likes the quince?"


@pytest.fixture
def db(letters: Any) -> Iterator[MemoryDatabase]:
    """Four memories of which three have a date."""
    with MemoryDatabase(embed=letters) as memory:
        memory.ingest(
            [
                {"id": "old", "text": "Rosa likes the quince.", "timestamp": "2024-05-01", "title": "Garden"},
                {"id": "new", "text": "Theo likes the quince jelly.", "timestamp": "2026-05-01", "title": "kitchen"},
                {"id": "mid", "text": "Anna likes no quince.", "timestamp": "2025-05-01"},
                {"id": "none", "text": "The quince is liked by <b>wasps</b>.", "tags": ["pests"]},
            ]
        )
        yield memory


@pytest.fixture
def box(db: MemoryDatabase) -> RecallBox:
    return RecallBox(db, QUESTION, view="table")


def names(box: RecallBox) -> list[str]:
    """The memories of the table, as it stands there."""
    return [hit.memory.source_id for _, hit in box.table._rows()]


def id_of(box: RecallBox, name: str) -> str:
    return next(hit.memory.id for hit in box.found if hit.memory.source_id == name)


def test_a_click_on_a_heading_sorts_and_a_second_one_turns_the_order(box: RecallBox) -> None:
    assert names(box) == [hit.memory.source_id for hit in box.found]
    box.table.click("sort:when")
    assert names(box) == ["new", "mid", "old", "none"]  # what has no date is last
    box.table.click("sort:when")
    assert names(box) == ["old", "mid", "new", "none"]
    box.table.click("sort:where")
    assert names(box)[:2] == ["old", "new"]  # Garden, kitchen: whatever the case
    assert 'aria-sort="ascending" class="wide"><button type="button" data-key="sort:where"' in box.table.body.value


def test_a_filter_leaves_what_has_all_of_its_words_anywhere(box: RecallBox) -> None:
    box.table.filter.value = "LIKES 2026"
    assert names(box) == ["new"]
    assert "1 of 4 hits, 0 selected" in box.table.body.value
    box.table.filter.value = "pests"
    assert names(box) == ["none"]
    box.table.filter.value = "nowhere"
    assert names(box) == []


def test_what_is_selected_is_a_recall_best_first(box: RecallBox) -> None:
    assert box.selected.ids == []
    ids = box.found.ids
    box.table.click(f"choose:{ids[2]}")
    box.table.click(f"choose:{ids[0]}")
    assert box.selected.ids == box.table.selected == [ids[0], ids[2]]
    assert box.selected[0] == box.found[0]
    assert list(box.selected.to_df()["id"]) == [ids[0], ids[2]]
    assert box.found[0].memory.text in box.selected.context(500)
    box.table.click(f"choose:{ids[0]}")
    assert box.selected.ids == [ids[2]]


def test_code_selects_and_hears_of_a_selection(box: RecallBox) -> None:
    heard: list[Any] = []
    box.table.observe(lambda change: heard.append(change["new"]), "selected")
    ids = box.found.ids
    box.table.selected = [ids[1], "no such memory"]
    assert heard == [[ids[1]]]
    assert box.selected.ids == [ids[1]]


def test_all_that_the_filter_leaves_are_selected_and_unselected_together(box: RecallBox) -> None:
    other = id_of(box, "none")
    box.table.click(f"choose:{other}")
    box.table.filter.value = "likes"
    box.table.click("all:")
    assert set(box.selected.ids) == set(box.found.ids)
    box.table.click("all:")
    assert box.selected.ids == [other]


def test_a_selection_outlives_a_question_as_far_as_it_is_found_again(box: RecallBox, db: MemoryDatabase) -> None:
    kept, gone = id_of(box, "old"), id_of(box, "new")
    box.table.selected = [kept, gone]
    box.table.opened = gone
    db.forget(gone)
    box.question.value = "Rosa quince"
    assert box.selected.ids == [kept]
    assert box.table.opened == ""


def test_a_click_opens_a_memory_in_full_with_its_source(db: MemoryDatabase, tmp_path: Any) -> None:
    note = tmp_path / "note.md"
    note.write_text("quince " + "and more " * 60 + "to the last word.")
    db.ingest(note)
    box = RecallBox(db, "quince and more", view="table")
    id = next(hit.memory.id for hit in box.found if hit.memory.source == str(note))
    assert "to the last word." not in box.table.body.value
    box.table.click(f"open:{id}")
    assert "to the last word." in box.table.body.value
    assert f"Source: {note}" in box.table.body.value
    box.table.click(f"open:{id}")
    assert "to the last word." not in box.table.body.value


def test_a_saved_notebook_has_the_table_as_it_was_without_what_needs_a_kernel(box: RecallBox) -> None:
    box.table.click("sort:when")
    box.table.click(f"choose:{id_of(box, 'mid')}")
    box.table.click(f"open:{id_of(box, 'new')}")
    saved = box.still
    order = [saved.index(f">{day}</td>") for day in ("2026-05-01", "2025-05-01", "2024-05-01")]
    assert order == sorted(order)
    assert (saved.count("✓"), "1 selected" in saved, "The whole memory" in saved) == (1, True, True)
    assert not re.search("<button|<input|data-key", saved)
    box.view.value = "cards"
    assert box.found is not None
    assert "<table" not in box.still


def test_cards_have_no_table_and_an_unanswered_question_has_none(box: RecallBox, db: MemoryDatabase) -> None:
    assert box.table.layout.display == ""
    box.question.value = ""
    assert box.found is not None
    assert (box.table.layout.display, box.selected.ids) == ("none", [])
    assert RecallBox(db, QUESTION).table.layout.display == "none"


def test_an_unknown_click_does_nothing(box: RecallBox) -> None:
    before = box.table.body.value
    for key in ("", "sort:", "sort:nothing", "open:nothing", "choose:nothing", "drop:everything"):
        box.table.click(key)
    assert box.table.body.value == before


def test_without_anywidget_the_table_stands_still_and_says_what_is_missing(
    db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_table, "scripted", lambda _name: None)
    box = RecallBox(db, QUESTION, view="table")
    assert "<button" not in box.table.body.value
    assert "datasette-memkit[graph]" in box.table.children[-1].value
    box.table.filter.value = "2026"
    assert "1 of 4 hits" in box.table.body.value


# ---------------------------------------------------------------------------------------------- any text

TEXTS = st.text(max_size=20) | st.sampled_from(['"><script>x()</script>', "' onclick=x() '", "<b>", "&lt;"])
MEMORIES = st.builds(
    Memory,
    key=st.just(1),
    id=TEXTS,
    text=TEXTS,
    kind=st.sampled_from(["fact", "turn"]),
    title=st.none() | TEXTS,
    speaker=st.none() | TEXTS,
    tags=st.lists(TEXTS, max_size=2).map(tuple),
    happened_at=st.none() | st.sampled_from(["2024", "2024-05", "2024-05-01", "2025-01-01T10:00:00Z"]),
    source=st.none() | TEXTS,
)
RECALLS = st.lists(st.builds(Hit, memory=MEMORIES, score=st.floats(0, 9)), max_size=6).map(
    lambda hits: Recall("quince", tuple(hits))
)


class Tags(HTMLParser):
    """The names of tags and attributes of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}


@given(found=RECALLS, live=st.booleans(), opened=st.integers(0, 5))
def test_no_text_of_a_memory_becomes_html(found: Recall, live: bool, opened: int) -> None:
    shown = rows(found)
    id = found.ids[opened] if opened < len(found) else ""
    tags = Tags()
    tags.feed(table_html(found, shown, TableState(frozenset(found.ids[:1]), id, live=live)))
    ours = {
        "div",
        "p",
        "ul",
        "li",
        "small",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "mark",
        "class",
        "style",
        "role",
        "scope",
        "colspan",
    }
    assert tags.seen <= ours | {"aria-sort", "aria-label", "aria-expanded", "button", "input", "type", "checked"} | {
        "title",
        "data-key",
        "data-row",
        "tabindex",
    }


@given(found=RECALLS, by=st.sampled_from(list(COLUMNS)), descending=st.booleans())
def test_any_order_has_every_hit_once_and_is_one(found: Recall, by: str, descending: bool) -> None:
    shown = rows(found, "", by, descending)
    assert sorted(rank for rank, _ in shown) == list(range(1, len(found) + 1))
    values = [COLUMNS[by].value(row) for row in shown]
    known = [value for value in values if value is not None]
    assert values == known + [None] * (len(values) - len(known))
    assert known == sorted(known, reverse=descending)
