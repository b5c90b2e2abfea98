"""Explanation of a hit as a picture: each way from the question to the memory, for readers who know no channels."""

import re
from pathlib import Path

import pytest
from datasettes import build_demo, datasette, root

from memkit import MemoryDatabase
from memkit.core.types import Memory
from memkit.frontends import datasette as datasette_pages
from memkit.frontends.datasette import memory_page
from memkit.frontends.datasette.explanation import THICKEST, THINNEST, explained
from memkit.graph.adjacency import BACKWARD_NAMES, TYPE_NAMES
from memkit.graph.walk_results import WalkStep
from memkit.retrieval.everyday import CHANNELS, LOOKS_AT, SAYS, STEPS
from memkit.retrieval.registry import STRATEGIES, strategy
from memkit.retrieval.results import Finding, Hit, Recall
from memkit.retrieval.strategies import Strategy
from memkit.widgets.hit_cards import cards

WAYS = {
    "vector": Finding(2, 0.5, 0.3),
    "fulltext": Finding(1, 4.2, 0.9),
    "graph": Finding(13, 0.1, 0.1),
    "bridge": Finding(23, 0.1, 0.0),
}
WALKED = [{"source": {"name": "Rosa"}, "label": "planted", "target": {"name": "quince"}}]


@pytest.fixture
def memory() -> Memory:
    with MemoryDatabase(embed="none") as db:
        return db.remember("Rosa planted the quince.")


def test_the_way_that_counted_most_comes_first_and_is_the_thickest(memory: Memory) -> None:
    ways = explained(Hit(memory, 1.0, WAYS), [], "", [])["ways"]
    assert [way["channel"] for way in ways] == ["fulltext", "vector", "graph", "bridge"]
    assert [way["thick"] for way in ways] == [THICKEST, 4, 3, THINNEST]
    assert [way["place"] for way in ways] == ["best of all", "2nd best", "13th best", "23rd best"]


def test_the_words_are_those_that_a_reader_sees_marked_each_once(memory: Memory) -> None:
    heading = [("The ", False), ("Quince", True)]
    html = "<p>Rosa <mark>planted</mark> the <mark>quince</mark> &amp; <mark>a&amp;b</mark></p>"
    (words,) = (way["words"] for way in explained(Hit(memory, 1.0, WAYS), heading, html, [])["ways"] if way["words"])
    assert words == ["Quince", "planted", "a&b"]


def test_the_names_of_a_walk_are_shown_once(memory: Memory) -> None:
    hit = Hit(memory, 1.0, WAYS, path=(WalkStep("Rosa", "planted", "quince"),))
    ways = explained(hit, [], "", WALKED)["ways"]
    assert [(way["channel"], way["steps"]) for way in ways if way["steps"]] == [("graph", WALKED)]


def test_what_moved_a_hit_is_said_if_it_moved_it(memory: Memory) -> None:
    shown = explained(Hit(memory, 1.0, WAYS, {"interval": 1.2, "asking": 0.7, "length": 1.001, "new": 2.0}), [], "", [])
    assert shown["moved"] == "Moved up for its time, new. Moved down for that it asks rather than tells."


def test_a_linked_memory_says_what_it_is_to_the_answer(memory: Memory) -> None:
    (way,) = explained(Hit(memory, 1.0, via="supersedes"), [], "", [])["ways"]
    assert way["says"] == "It replaces another answer"


def test_every_channel_and_boost_of_the_strategies_has_everyday_words(tmp_path: Path) -> None:
    with MemoryDatabase(build_demo(tmp_path / "demo.db")) as db:
        hits = [
            hit
            for name in STRATEGIES
            for q in ("who planted the quince?", "what did I do in May 2025?")
            for hit in db.recall(q, 20, strategy=strategy(name), project="garden")
        ]
    assert {channel.split()[0] for hit in hits for channel in hit.why} <= SAYS.keys()
    assert {name for hit in hits for name in hit.boosts} <= LOOKS_AT.keys()
    assert {*TYPE_NAMES, *BACKWARD_NAMES} - {"", "names"} <= STEPS.keys()


def test_a_notebook_says_why_in_the_words_of_the_page(memory: Memory) -> None:
    """Badges, sentences, places and steps are the same."""
    step = WalkStep("Rosa", "mentioned", "the quince")
    hit = Hit(memory, 1.5, WAYS, {"interval": 1.2}, path=(step,))
    said = cards(Recall("who planted the quince?", (hit,)))
    page = explained(hit, [("planted", True)], "", [])
    for words in (*(way["says"] for way in page["ways"]), *(way["place"] for way in page["ways"]), page["moved"]):
        assert words in said
    for badge in ("words 1", "meaning 2", "connection 13", "a shared name 23", "interval × 1.20"):
        assert badge in said
    assert "It has words of your question: <mark>planted</mark> <mark>quince</mark>" in said
    assert "How it is connected: Rosa — <em>is named in</em> → the quince" in said
    assert not any(name in said for name in ("fulltext", "vector", "mentioned"))


def test_every_channel_has_a_colour_in_the_bar_and_beside_its_name() -> None:
    style = (Path(datasette_pages.__file__).parent / "static" / "memkit.css").read_text("utf-8")
    for channel in CHANNELS:
        assert {f".mk-bar .ch-{channel}", f".mk-dot.ch-{channel}", f".mk-badge.ch-{channel}"} <= set(
            re.findall(rf"\.mk-(?:bar |dot|badge)\.ch-{channel}(?![\w-])", style)
        )


async def test_each_hit_of_the_page_can_be_asked_why(tmp_path: Path) -> None:
    owner = root(datasette(build_demo(tmp_path / "demo.db")))
    page = await owner.page("/demo/-/recall?q=who+planted+the+quince%3F")
    assert page.count('<details class="mk-explain">') == page.count('<li class="mk-hit')
    first = page[page.index('<div class="mk-flow">') :]
    first = first[: first.index("</div>")]
    assert "It has words of your question" in first
    assert "<mark>Quince</mark>" in first
    assert "This memory" in first


def test_similar_memories_are_looked_for_by_meaning_alone_or_by_words_alone() -> None:
    def on(strategy: Strategy) -> list[str]:
        return [name for name in CHANNELS if getattr(strategy, name) is not None]

    assert on(memory_page.MEANING) == ["vector"]
    assert on(memory_page.WORDS) == ["fulltext"]
