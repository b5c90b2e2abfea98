"""Facts about the widgets, without a browser: set a value, read the result."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import os
import re
import sys
import threading
from collections.abc import Iterator
from datetime import date
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ipywidgets as W
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit import STRATEGIES, MemoryDatabase, widgets
from memkit.core.errors import BadArgument, NotAMemoryDatabase, NotFound
from memkit.graph.timeline_view import Moment
from memkit.retrieval.strategies import Strategy, part_of
from memkit.text.prose import plain
from memkit.widgets import (
    CompareBox,
    ContextPreview,
    GraphView,
    ProposalBox,
    RecallBox,
    StrategyLab,
    Timeline,
    drawing,
)
from memkit.widgets.compare_box import places
from memkit.widgets.debounce import Latest
from memkit.widgets.marking import marked
from memkit.widgets.scripted import scripted
from memkit.widgets.settings import OPTIONAL, knobs, turned
from memkit.widgets.strategy_lab import moves
from memkit.widgets.timeline_drawing import drawing as drawn_timeline

QUESTIONS = Path(__file__).parent.parent / "samples" / "questions.jsonl"
QUINCE = "who planted the quince?"
HOSTILE = "<script>alert('x')</script> & [[\"quoted\"]]"
EVERY_WIDGET = [getattr(widgets, name) for name in widgets.__all__]


class Balanced(HTMLParser):
    """Collects the tags of a piece of HTML, and fails where one is closed that was not opened."""

    VOID = ("br", "hr", "img")

    def __init__(self, html: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Remembers it."""
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """Remembers it."""
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes the last one."""
        assert self.open.pop() == tag


@pytest.fixture
def hostile(letters: Any) -> Iterator[MemoryDatabase]:
    """A database whose texts, names and projects would be markup."""
    with MemoryDatabase(embed=letters) as db:
        for n in range(3):
            db.remember(f"{HOSTILE} Rosa {n}", title=HOSTILE, project="<i>p</i>", kind="<u>", happened_at="2025-01-01")
        db.relate(HOSTILE, "<b>likes", "Rosa", valid_from="2025-01-01")
        yield db


def undecided(db: MemoryDatabase) -> MemoryDatabase:
    """The database, in which two memories may be one."""
    for _ in range(2):
        db.remember(f"{HOSTILE} no olives", kind="preference")
    db.maintain(only=["propose"])
    return db


def test_who_the_user_is_is_confirmed_with_one_click(letters: Any) -> None:
    with MemoryDatabase(embed=letters) as db:
        rows = [
            {"id": f"{n}{who}", "text": "Hello there.", "session": f"s{n}", "speaker": who, "kind": "turn"}
            for n in range(3)
            for who in ("Sam Reed", "Mia" if n else "Bo")
        ]
        db.ingest(rows)
        box = ProposalBox(db)
        assert box.name.value == "Sam Reed"
        assert db.me() == "user"  # only a guess so far
        box.me.click()
        assert db.me() == "Sam Reed"
        box.name.value = "!!"
        box.me.click()
        assert "is not a name" in (box.error or "")
        assert db.me() == "Sam Reed"


# ---------------------------------------------------------------------------------------------- asking


def test_what_is_typed_is_what_is_found(year: MemoryDatabase) -> None:
    box = RecallBox(year)
    assert list(box.found or ()) == []
    box.question.value = QUINCE
    assert box.found == dataclasses.replace(year.recall(QUINCE, now=box.found.now), ms=box.found.ms)
    assert "<mark>quince</mark>" in box.out.value
    assert "words 1" in box.out.value


def test_a_recall_box_asks_with_all_of_its_inputs(year: MemoryDatabase) -> None:
    box = RecallBox(year, QUINCE)
    box.k.value = 3
    box.strategy.value = STRATEGIES["slots"]
    assert (len(box.found), box.found.strategy.name) == (3, "slots")
    box.strategy.value = STRATEGIES["memkit"]
    box.where.project.value, box.where.only.value = "garden", True
    assert {hit.memory.project for hit in box.found} <= {"garden", "global"}
    box.where.kinds.value = ("fact",)
    assert {hit.memory.kind for hit in box.found} == {"fact"}
    box.where.since.value = box.where.until.value = date(2025, 3, 8)
    assert {hit.memory.happened_at[:10] for hit in box.found} == {"2025-03-08"}


def test_a_hit_is_judged_below_the_hits_with_the_question(letters: Any, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed=letters) as db:
        first = db.remember("Rosa planted the quince.")
        db.remember(f"{HOSTILE} also has a quince.")
        box = RecallBox(db, QUINCE)
        assert box.judging.layout.display == "flex"
        assert [label[:2] for label, _ in box.judging.hit.options] == ["1.", "2."]
        assert box.judging.hit.value == box.found[0].memory.id
        box.judging.hit.value = first.id
        box.judging.useful.click()
        box.judging.useless.click()  # the last word on a memory and a question counts
        assert (box.judging.last.id, box.judging.last.useful, box.judging.last.useless) == (first.id, 0, 1)
        assert "not useful 1" in box.judging.said.value
        assert tuple(db.conn.execute("select question, useful from feedback").fetchone()) == (QUINCE, 0)
        db.forget(first.id, hard=True)
        box.judging.useful.click()
        assert "There is no memory" in box.judging.said.value
        box.question.value = "zebra"
        box.strategy.value = STRATEGIES["slots"]
        assert (len(box.found), box.judging.layout.display) == (0, "none")
    with MemoryDatabase(tmp_path / "memory.db", embed=letters, read_only=True) as db:
        assert RecallBox(db, "quince").judging.layout.display == "none"


def test_an_unknown_strategy_is_refused_and_an_own_one_offered(year: MemoryDatabase) -> None:
    own = STRATEGIES["memkit"].replace(vector=None)
    box = RecallBox(year, QUINCE, strategy=own)
    assert (box.strategy.label, box.found.strategy) == ("memkit (yours)", own)
    with pytest.raises(Exception, match="not a strategy"):
        RecallBox(year, strategy="nonsense")


def test_an_error_is_a_sentence_in_place_and_goes_away(year: MemoryDatabase) -> None:
    view = GraphView(year, "Rosa")
    view.name.value = "Nobody <b>"
    assert view.selected is None
    assert 'role="alert"' in view.out.value
    assert "Nobody &lt;b&gt;" in view.out.value
    view.name.value = "Rosa"
    assert (view.selected.name, view.error) == ("Rosa", None)


def test_a_closed_database_is_told_in_a_sentence(letters: Any) -> None:
    db = MemoryDatabase(embed=letters)
    db.remember("Rosa planted the quince.")
    box = RecallBox(db)
    db.close()
    box.question.value = "Rosa"
    assert box.found is None
    assert "Open it again" in box.error
    assert "Open it again" in repr(box)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_a_deleted_file_is_still_answered_from_or_told_in_a_sentence(letters: Any, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed=letters) as db:
        db.remember("Rosa planted the quince.")
        box = RecallBox(db)
        for file in tmp_path.iterdir():
            file.unlink()
        box.question.value = "Rosa"
        assert (len(box.found) == 1) if box.error is None else box.error.endswith("Open it again.")


def test_a_question_of_100_000_characters_is_a_question(year: MemoryDatabase) -> None:
    box = RecallBox(year)
    box.question.value = "quince " * 15_000
    assert len(box.found) == 10
    assert len(repr(box)) < 200


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_every_widget_escapes_what_memories_say(widget: Any, hostile: MemoryDatabase) -> None:
    shown = {GraphView: lambda: widget(hostile, HOSTILE), ProposalBox: lambda: widget(undecided(hostile))}
    box = shown.get(widget, lambda: widget(hostile))()
    for name in ("question", "message"):
        if hasattr(box, name):
            getattr(box, name).value = HOSTILE
    assert box.error is None
    assert "alert(" in box.still
    html = Balanced(box.still)
    assert html.open == []
    assert not html.tags & {"script", "i", "u"}


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_every_widget_takes_the_path_of_a_database(widget: Any, tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "memory.db", embed="none").close()
    for path in (tmp_path / "memory.db", str(tmp_path / "memory.db")):
        box = widget(path)
        assert repr(box).startswith(f"<{widget.__name__} ")
        box.db.close()


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_a_widget_says_what_it_needs(widget: Any, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match=rf"{widget.__name__}\(\): db must be a MemoryDatabase or its path, not 5\."):
        widget(5)
    with pytest.raises(NotFound, match=r"There is no database '.*none\.db'"):
        widget(tmp_path / "none.db")
    (tmp_path / "notes.txt").write_text("Rosa planted the quince.")
    with pytest.raises(NotAMemoryDatabase):
        widget(tmp_path / "notes.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_every_widget_lives_on_an_empty_database(widget: Any) -> None:
    with MemoryDatabase(embed="none") as db:
        box = widget(db)
        assert Balanced(box.still).open == []
        assert repr(box).startswith(f"<{widget.__name__} ")


def test_a_graph_without_a_name_says_what_to_do() -> None:
    with MemoryDatabase(embed="none") as db:
        assert "No names are known yet" in GraphView(db).out.value
        db.remember("Rosa planted the quince.")
        view = GraphView(db, "")
        assert (view.error, view.selected) == (None, None)
        assert "Type a name." in view.out.value


def test_nothing_found_is_no_table(year: MemoryDatabase) -> None:
    with MemoryDatabase(embed="none") as db:
        shown = db.recall("quince")._repr_html_()
    assert "quince — 0 memories" in shown
    assert "<table" not in shown


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_a_widget_saved_in_a_notebook_is_still_readable(widget: Any, year: MemoryDatabase) -> None:
    bundle = widget(year)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert bundle["text/plain"].startswith(f"<{widget.__name__} ")


def test_a_proposal_saved_in_a_notebook_shows_its_members_and_what_would_become_of_them(
    hostile: MemoryDatabase,
) -> None:
    html = ProposalBox(undecided(hostile))._repr_mimebundle_()["text/html"]
    assert html.count("no olives") == 3
    assert "Becomes: " in html
    assert "<script>" not in html


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_every_input_has_a_label(widget: Any, year: MemoryDatabase) -> None:
    def inputs(box: Any) -> Iterator[Any]:
        for child in getattr(box, "children", ()):
            yield from inputs(child)
        drawn = type(box).__name__ in ("HTML", "Picture", "HitTable", "SliderNames")
        if hasattr(box, "value") and not hasattr(box, "children") and not drawn:
            yield box

    made = list(inputs(widget(year)))
    assert [one for one in made if not one.description] == []
    assert [one.description for one in made if not one.tooltip] == []  # and says what it is for


@pytest.mark.parametrize(
    ("widget", "labels"),
    [(RecallBox, {"How many"}), (CompareBox, {"How many"}), (GraphView, {"Steps"}), (ContextPreview, {"Tokens"})],
)
def test_a_number_is_typed_into_an_input_whose_name_is_read_aloud(
    widget: Any, labels: set[str], year: MemoryDatabase
) -> None:
    """A slider of ipywidgets has no name for a screen reader."""
    numbers = [one.description for one in vars(widget(year)).values() if isinstance(one, W.BoundedIntText)]
    assert labels == set(numbers)


@pytest.mark.parametrize("widget", [RecallBox, CompareBox, ContextPreview])
def test_the_limits_of_a_search_are_shown_by_a_tick_which_the_tab_key_reaches(
    widget: Any, year: MemoryDatabase
) -> None:
    def within(box: Any) -> Iterator[Any]:
        yield box
        for child in getattr(box, "children", ()):
            yield from within(child)

    every = list(within(widget(year)))
    assert not any(isinstance(one, W.Accordion) for one in every)
    (tick,) = [one for one in every if getattr(one, "description", "") == "Where and when to look"]
    (limits,) = [
        one
        for one in every
        if isinstance(one, W.VBox)
        and one.layout.display == "none"
        and len(one.children) == 2
        and isinstance(one.children[0], W.HBox)
    ]
    tick.value = True
    assert limits.layout.display == ""
    tick.value = False
    assert limits.layout.display == "none"


def test_names_that_begin_alike_are_told_apart_in_the_picture_and_on_the_buttons() -> None:
    with MemoryDatabase(embed="none") as db:
        for topic in ("pruning in March", "grafting in April"):
            db.relate("Rosa", "wrote", f"[garden-and-orchard-friends] {topic}")
        view = GraphView(db, "Rosa")
    assert {door.description for door in view.doors.children} == {"…pruning in March", "…grafting in April"}
    assert "…pruning" in view.picture.value
    assert "…grafting" in view.picture.value


def test_ten_widgets_on_one_database_from_ten_threads(year: MemoryDatabase) -> None:
    boxes = [RecallBox(year) for _ in range(10)]
    questions = [f"{QUINCE} {n}" for n in range(10)]
    pairs = zip(boxes, questions, strict=True)
    threads = [threading.Thread(target=setattr, args=(box.question, "value", q)) for box, q in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [box.found.question for box in boxes] == questions


# ---------------------------------------------------------------------------------------------- waiting


async def test_of_many_changes_only_the_last_is_answered() -> None:
    worked, shown = [], []
    latest = Latest(lambda: worked.append(0) or len(worked), shown.append, pause=0.01)
    for _ in range(5):
        latest.later()
    await asyncio.sleep(0.1)
    assert (len(worked), shown) == (1, [1])


async def test_an_answer_that_comes_late_is_not_shown() -> None:
    begun, go_on = threading.Event(), threading.Event()
    answers = iter(["old", "new"])
    shown: list[str] = []

    def work() -> str:
        answer = next(answers)
        if answer == "old":
            begun.set()
            go_on.wait(5)
        return answer

    latest = Latest(work, shown.append, pause=0, aside=True)
    latest.later()
    await asyncio.to_thread(begun.wait, 5)
    latest.later()
    await asyncio.sleep(0.05)
    go_on.set()
    await asyncio.sleep(0.1)
    assert shown == ["new"]


async def test_reading_a_value_does_not_wait_for_the_pause(year: MemoryDatabase) -> None:
    box = RecallBox(year)
    box.question.value = QUINCE
    assert box.found.question == QUINCE
    await asyncio.sleep(0.2)
    assert box.found.question == QUINCE


# ---------------------------------------------------------------------------------------------- strategies


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_setting_of_every_strategy_has_a_knob_that_leaves_it_as_it_is(name: str) -> None:
    strategy = STRATEGIES[name]
    widgets = {knob.path: knob.widget() for knob in knobs(strategy)}
    values = {path: widget.value for path, widget in widgets.items()}
    assert turned(strategy, values) == strategy
    named = {path[0] for path in widgets}
    assert named == {f.name for f in dataclasses.fields(Strategy) if f.name != "name" and getattr(strategy, f.name)}


def test_a_lab_of_a_strategy_changes_nothing_until_a_knob_is_turned(year: MemoryDatabase) -> None:
    for name in STRATEGIES:
        assert StrategyLab(year, strategy=name).strategy == STRATEGIES[name]


def test_turning_a_knob_moves_the_ranking_and_gives_the_strategy(year: MemoryDatabase) -> None:
    lab = StrategyLab(year, question=QUINCE)
    before = lab.found.ids
    lab.knobs["vector", "weight"].value = 5.0
    assert lab.strategy == STRATEGIES["memkit"].replace(vector={"weight": 5.0})
    assert lab.found.ids == year.recall(QUINCE, strategy=lab.strategy).ids != before
    assert "▲" in lab.out.value
    assert repr(lab).startswith("<StrategyLab memkit, with vector.weight 5;")


def test_channels_can_be_switched_off_and_on_but_not_all_off(year: MemoryDatabase) -> None:
    lab = StrategyLab(year, question=QUINCE, strategy="slots")
    lab.parts["vector"].value = True
    assert lab.strategy.vector is not None
    lab.parts["vector"].value = lab.parts["fulltext"].value = False
    assert (lab.found, lab.error) == (None, "A strategy needs a channel: switch one on.")


def test_another_start_gives_other_knobs(year: MemoryDatabase) -> None:
    lab = StrategyLab(year, question=QUINCE)
    lab.knobs["vector", "weight"].value = 5.0
    lab.start.value = STRATEGIES["kira"]
    assert lab.strategy == STRATEGIES["kira"]
    assert lab.knobs["fuse", "k"].value == 60


def test_a_lab_with_questions_measures_what_db_evaluate_does(year: MemoryDatabase) -> None:
    lab = StrategyLab(year, QUESTIONS)
    lab.parts["graph"].value = False
    start, yours = lab.report.runs
    measured = year.evaluate(QUESTIONS, ["memkit", lab.strategy], bootstrap=False).runs
    assert [start.figures, yours.figures] == [run.figures for run in measured]
    assert "nDCG@10" in lab.figures.value


def test_moves_tell_who_rose_and_who_fell(year: MemoryDatabase) -> None:
    found = year.recall(QUINCE, 3)
    first, second, third = found.ids
    before = dataclasses.replace(found, hits=(found[1], found[0]))
    assert moves(before, found) == {first: "▲1", second: "▼1", third: "new"}
    assert places(found, before) == {first: "2 there", second: "1 there", third: "only here"}


def test_a_comparison_marks_what_is_only_on_one_side(year: MemoryDatabase) -> None:
    box = CompareBox(year, "slots", "memkit", question=QUINCE)
    left, right = box.found
    assert (left.strategy.name, right.strategy.name) == ("slots", "memkit")
    assert set(box.shared) == set(left.ids) & set(right.ids)
    assert box.out.value.count("only here") == len(left) + len(right) - 2 * len(box.shared)


# ---------------------------------------------------------------------------------------------- marking


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Rosa planted it.", "who plants?", "Rosa <mark>planted</mark> it."),
        ("A planet.", "who planted it?", "A planet."),
        ("a <b> c", "b", "a &lt;<mark>b</mark>&gt; c"),
        ("[[Rosa|She]] & it", "she Rosa", "She &amp; it"),
        ("## Health\n\nLeaf blight", "blight", "Health: Leaf <mark>blight</mark>"),
        ("榅桲是蔷薇科", "榅桲", "<mark>榅桲</mark>是蔷薇科"),
        ("北京的天安门广场很大", "天安门在哪里", "北京的<mark>天安门</mark>广场很大"),
    ],
)
def test_the_words_of_the_question_are_marked(text: str, question: str, expected: str) -> None:
    assert marked(text, question) == expected


@given(st.text(), st.text())
def test_marking_never_makes_other_markup(text: str, question: str) -> None:
    plain = marked(text, question).replace("<mark>", "").replace("</mark>", "")
    assert "<" not in plain
    assert ">" not in plain


def test_a_long_text_begins_shortly_before_its_first_marked_word() -> None:
    shown = marked("word " * 300 + "quince " + "word " * 300, "quince")
    assert shown.startswith("… word")
    assert "<mark>quince</mark>" in shown
    assert len(shown) < 400


# ---------------------------------------------------------------------------------------------- the graph and time


def test_a_walk_leads_to_a_neighbour_and_back(year: MemoryDatabase) -> None:
    view = GraphView(year, "Rosa")
    door = next(button for button in view.doors.children if button.description == "Quince")
    door.click()
    assert view.selected.name == "Quince"
    view.doors.children[0].click()
    assert (view.selected.name, view.visited) == ("Rosa", [])


def test_a_view_shows_the_way_to_another_name(year: MemoryDatabase) -> None:
    view = GraphView(year, "Alice", goal="Nightshade")
    assert str(view.path) == str(year.path("Alice", "Nightshade"))
    assert "introduced" in view.out.value
    view.goal.value = ""
    assert view.path is None


def test_a_view_as_of_a_day_shows_what_held_then() -> None:
    with MemoryDatabase(embed="none") as db:
        db.relate("Otto", "works_at", "Mill", valid_from="2020-01-01")
        db.relate("Otto", "works_at", "Harbour", valid_from="2024-01-01")
        view = GraphView(db, "Otto")
        assert view.as_of.options == ("2020-01-01", "2024-01-01", "now")
        assert [node.entity.name for node in view.drawn.nodes] == ["Otto", "Harbour"]
        view.as_of.value = "2020-01-01"
        assert [node.entity.name for node in view.drawn.nodes] == ["Otto", "Mill"]
        assert [relation.object for relation in view.selected.relations] == ["Mill"]


def test_a_drawing_has_every_node_and_says_what_it_is(year: MemoryDatabase) -> None:
    view = GraphView(year, "Rosa")
    svg = view.picture.value
    assert svg.count("<svg ") == 2  # for a wide column and for a narrow one
    assert all(one.count("data-entity=") == len(view.drawn.nodes) for one in svg.split("<svg ")[1:])
    assert "<title>Rosa, and around it: " in svg
    assert view.still == GraphView(year, "Rosa").still
    assert svg in view._repr_mimebundle_()["text/html"]


def test_a_label_of_an_edge_hides_no_name(year: MemoryDatabase) -> None:
    for name in ("Rosa", "Quince", "Otto", "Alice"):
        found = drawing.strongest(GraphView(year, name).drawn, 0, max)
        for paper in (drawing.WIDE, drawing.NARROW):
            made = drawing.laid_out(found, paper)
            names = [box for dot in made.dots for box in drawing.boxes(dot, paper)]
            placed = drawing.labels(made, paper)
            assert not any(drawing.overlap(place, other) for place in placed.values() for other in names)
            assert not any(drawing.overlap(*pair) for pair in itertools.combinations(placed.values(), 2))
            assert placed or not any(edge.labels for edge in made.edges)


def test_tables_show_the_words_of_notes_without_their_markup() -> None:
    with MemoryDatabase() as db:
        db.remember("## Early\n\nI met [[Otto Lind|Otto]] here.", happened_at="2020-05-01")
        db.relate("Otto", "met", "Rosa")
        assert "Early: I met Otto here." in Timeline(db).still
        assert "Early: I met Otto here." in GraphView(db, "Otto").still
        assert "Early: I met Otto here." in db.recall("whom did I meet?")._repr_html_()


def test_what_is_chosen_in_the_picture_is_walked_to(year: MemoryDatabase) -> None:
    """What the browser does at a click, and at Enter: it sends the id."""
    pytest.importorskip("anywidget")
    view = GraphView(year, "Rosa")
    quince = next(node.entity for node in view.drawn.nodes if node.entity.name == "Quince")
    view.picture.chosen = quince.id
    assert (view.selected.id, view.name.value, view.visited) == (quince.id, "Quince", ["Rosa"])
    assert "<title>Quince, and around it: " in view.picture.value
    for chosen in ("", quince.id, "", "nonsense"):
        view.picture.chosen = chosen
    assert (view.selected.id, view.visited) == (quince.id, ["Rosa"])


@pytest.mark.parametrize("name", ["picture", "hit_table", "slider_names"])
def test_scripts_need_nothing_from_elsewhere(name: str) -> None:
    script = (Path(memkit.__file__).parent / "widgets" / f"{name}.js").read_text("utf-8")
    assert "//" not in script.replace("// ", "")
    assert "import" not in script


def test_without_anywidget_the_picture_stands_still(year: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    scripted.cache_clear()
    view = GraphView(year, "Rosa")
    scripted.cache_clear()
    assert type(view.picture).__name__ == "HTML"
    assert "<svg " in view.picture.value
    assert view.walk("Quince").name == "Quince"
    assert "<title>Quince, and around it: " in view.picture.value


def test_a_timeline_gives_a_span_for_a_recall(year: MemoryDatabase) -> None:
    line = Timeline(year)
    dated = [
        row[0] for row in year.sql("select id from memories where happened_at is not null").itertuples(index=False)
    ]
    assert sorted(one.id for one in line.memories) == sorted(dated)  # the import of an undated note is no moment of it
    line.span.value = (date(2025, 3, 1), date(2025, 4, 1))
    assert (line.since, line.until) == ("2025-03-01", "2025-04-02")
    assert 0 < len(line.memories) < year.info().memories
    assert {one.start[:7] for one in line.memories} <= {"2025-03", "2025-04"}
    line.name.value = "Rosa"
    assert {one.id for one in line.memories} <= {one.id for one in year.about("Rosa").memories}


def test_names_outside_the_span_of_a_timeline_can_still_be_read(year: MemoryDatabase) -> None:
    svg = drawn_timeline(year.timeline(), since="1999-01-01", until="1999-01-02")
    faint = {float(found) for found in re.findall(r'<g opacity="([\d.]+)"><text', svg)}
    assert faint
    assert min(faint) >= 0.7


def test_a_timeline_draws_a_fact_in_doubt_otherwise_and_says_so() -> None:
    with MemoryDatabase() as db:
        db.remember("I live in Leeds.", happened_at="2023-01-10")
        db.remember("We finally moved last week.", happened_at="2023-06-05")
        svg = drawn_timeline(db.timeline())
    sure, doubtful = re.findall(r"<g><title>.*?</g></g>", svg)
    assert "in doubt" not in sure
    assert "stroke-dasharray" not in sure
    assert "stroke-dasharray" in doubtful
    assert "in doubt</text>" in doubtful
    assert "Leeds, in doubt, 2023-06-05 to …</title>" in doubtful


@pytest.mark.parametrize(
    ("start", "end", "since", "until", "expected"),
    [
        ("2025-02", "2025-03", "2025-01", "2025-02", False),
        ("2025-02", "2025-03", "2025-01", "2025-02-02", True),
        ("2025-02", None, "2026", None, True),
        (None, "2025-02", None, "2020", True),
        ("2025-02", "2025-03", "2025-04", None, False),
    ],
)
def test_a_fact_lies_in_a_span_that_it_touches(
    start: str | None, end: str | None, since: str | None, until: str | None, expected: bool
) -> None:
    assert Moment("id", "kind", "text", start, end).within(since, until) is expected


# ---------------------------------------------------------------------------------------------- contexts


def test_a_preview_is_the_context_and_keeps_to_its_budget(year: MemoryDatabase) -> None:
    preview = ContextPreview(year, "what should I bring to Rosa?", budget=300)
    assert preview.context.text == year.context("what should I bring to Rosa?", budget=300).text
    preview.budget.value = 150
    assert preview.context.used <= 150
    assert "What was left out" in preview.out.value
    texts = [year.get(one.id).text for one in preview.context.left_out if one.kind == "memory"]
    assert texts
    assert all(escape(plain(text)[:30]) in preview.out.value for text in texts)
    preview.layouts.value = "kira"
    assert preview.context.layout == "kira"


def test_a_sliders_rounding_is_no_change() -> None:
    memkit = STRATEGIES["memkit"]
    assert turned(memkit, {("graph", "damping"): 0.55 + 1e-12}) == memkit
    assert turned(memkit, {("graph", "damping"): 0.1 + 0.2}).graph.damping == 0.3


# ---------------------------------------------------------------------------------------------- saved, and opened again


@pytest.fixture
def in_jupyter(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What is sent to the screen by a kernel that a Jupyter server started: bundles, with how they are sent."""
    import IPython.display

    for name in [name for name in os.environ if name.startswith(("VSCODE_", "COLAB_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("JPY_SESSION_NAME", "asking.ipynb")
    sent: list[tuple[dict[str, Any], dict[str, Any]]] = []
    monkeypatch.setattr(IPython.display, "display", lambda bundle, **how: sent.append((bundle, how)))
    return sent


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_in_jupyter_a_widget_and_its_html_are_two_outputs(widget: Any, in_jupyter: Any, year: MemoryDatabase) -> None:
    box = widget(year)
    box._ipython_display_()
    (live, _), (still, how) = in_jupyter
    assert set(live) == {"application/vnd.jupyter.widget-view+json"}
    assert box.still in still["text/html"]
    assert how["display_id"]
    assert repr(box)[1:-1].split()[0] in box.still


def test_the_saved_html_is_what_was_shown_last(in_jupyter: Any, year: MemoryDatabase) -> None:
    box = RecallBox(year)
    box.question.value = "roses"
    assert in_jupyter == []  # nobody sees it yet
    box._ipython_display_()
    box.question.value = QUINCE
    bundle, how = in_jupyter[-1]
    assert how == {"raw": True, "display_id": in_jupyter[1][1]["display_id"], "update": True}
    assert "<mark>quince</mark>" in bundle["text/html"]
    assert QUINCE in bundle["text/html"]
    assert bundle["text/plain"] == repr(box)


def test_a_lab_is_saved_with_its_figures(in_jupyter: Any, year: MemoryDatabase) -> None:
    lab = StrategyLab(year, QUESTIONS)
    lab._ipython_display_()
    lab.parts["graph"].value = False
    assert lab.report
    assert "nDCG@10" in in_jupyter[-1][0]["text/html"]


def test_outside_of_jupyter_one_bundle_has_both(year: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    box = RecallBox(year)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    with pytest.raises(NotImplementedError):
        box._ipython_display_()
    monkeypatch.setenv("JPY_SESSION_NAME", "asking.ipynb")
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    with pytest.raises(NotImplementedError):
        box._ipython_display_()


# ---------------------------------------------------------------------------------------------- small things


@pytest.mark.parametrize("widget", EVERY_WIDGET)
def test_no_choice_is_drawn_as_a_blank(widget: Any, year: MemoryDatabase) -> None:
    """A choice of None is, in ipywidgets."""

    def choices(box: Any) -> Iterator[Any]:
        for child in getattr(box, "children", ()):
            yield from choices(child)
        if type(box).__name__ == "Dropdown":
            yield box

    box = widget(year)
    for choice in choices(box):
        for _, value in [option if isinstance(option, tuple) else (option, option) for option in choice.options]:
            assert value is not None
    if hasattr(box, "where"):
        box.where.project.value = "garden"
        box.where.project.label = "all"
        assert (box.where.project.index, box.where.options()["project"]) == (0, None)


def test_every_knob_says_what_it_does() -> None:
    for strategy in STRATEGIES.values():
        whole = strategy.replace(**{name: part_of(name) for name in OPTIONAL if getattr(strategy, name) is None})
        for knob in knobs(whole):
            assert len(knob.tooltip) > 20, knob.path
            assert knob.widget().tooltip == knob.tooltip
    edges = [knob for knob in knobs(STRATEGIES["memkit"]) if "edges" in knob.path]
    assert len({knob.tooltip for knob in edges}) == len(edges) == 10


def test_a_goal_is_in_the_picture(year: MemoryDatabase) -> None:
    view = GraphView(year, "Alice")
    alone = {node.entity.name for node in view.drawn.nodes}
    far = next(
        name for name in year.graph_stats(most=200).most_mentioned if name not in alone and year.path("Alice", name)
    )
    view.goal.value = far
    assert alone | {step.target for step in view.path} <= {node.entity.name for node in view.drawn.nodes}
    assert year.entity_ids(far)[far] in view.picture.value
    ends = {
        frozenset((view.drawn.nodes[e.source].entity.name, view.drawn.nodes[e.target].entity.name))
        for e in view.drawn.edges
    }
    assert {frozenset((step.source, step.target)) for step in view.path} <= ends


def test_who_judges_a_hit_is_told_at_once_that_it_is_being_noted(
    letters: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed=letters) as db:
        db.remember("Rosa planted the quince.")
        box = RecallBox(db, QUINCE)
        said, note = [], db.feedback
        monkeypatch.setattr(db, "feedback", lambda *given: said.append(box.judging.said.value) or note(*given))
        box.judging.useful.click()
        assert "waits" in said[0]
        assert "useful 1" in box.judging.said.value


def test_a_proposal_box_says_what_it_did(letters: Any) -> None:
    with MemoryDatabase(embed=letters) as db:
        box = ProposalBox(undecided(db))
        box.later.click()
        assert "Put off" in box.said.value
        box.accept.click()
        assert "in place of 2 memories" in box.said.value
        assert "&lt;script&gt;" in box.said.value
        assert f"db.undo(&#x27;{box.decided[0].id}&#x27;)" in box.said.value
        db.undo(box.decided[0].id)
        assert len(db.proposals()) == 1
    with MemoryDatabase(embed=letters) as db:
        box = ProposalBox(undecided(db))
        box.refuse.click()
        assert "Refused" in box.said.value
        assert f"db.undo(&#x27;{box.decided[0].id}&#x27;)" in box.said.value
        db.undo(box.decided[0].id)
        box.refresh()
        assert (len(box.waiting), box.decided) == (1, [])


def test_the_slider_of_a_timeline_has_the_days_of_its_axis_at_equal_distances(year: MemoryDatabase) -> None:
    line = Timeline(year)
    days = [day for _, day in line.span.options]
    assert {(later - day).days for day, later in itertools.pairwise(days)} == {1}
    whole = line.out.value
    line.name.value = "Rosa"  # has memories of a part of the time
    ends = f"{days[0]} to {days[-1]}</title>"
    assert ends in whole
    assert ends in line.out.value
