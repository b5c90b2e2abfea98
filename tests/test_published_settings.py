"""The numbers of the published designs, as their pages give them: one table a design, each number beside its line.

What a number does is tested where its line is; that it does so at the number, and not at one more or less, is here.
"""

from __future__ import annotations

from operator import attrgetter

import pytest

from memkit import STRATEGIES
from memkit.maintenance.policy import Policy
from memkit.retrieval.context import triggers
from memkit.retrieval.designs import Design
from memkit.retrieval.published import DESIGNS, construct, engram, kira, membox, slots
from memkit.retrieval.strategies import PLAIN, Strategy

WORDS_OF_A_MEMORY = (1.0, 1.0, 1.0, 1.0, 0.0)  # text, title, speaker and tags alike; not the memories beside it

CONSTRUCT = [
    ("C16", "fulltext.limit", 10),
    ("C17", "fulltext.query", "construct"),
    ("C19", "fulltext.columns", WORDS_OF_A_MEMORY),
    ("C23", "vector.limit", 10),
    ("C23", "vector.threshold", 0.3),
    ("C24", "vector.complete", False),
    ("C28", "fuse.method", "waterfall"),
    ("C29", "graph.seeds", 5),
    ("C30", "graph.depth", 2),
    ("C31", "graph.append", 5),
]
BEFORE_A_MESSAGE = [("C01", "graph", None), ("C03", "recent.limit", 10), ("C05", "vector.threshold", 0.4)]
KIRA = [
    ("K08", "fulltext.columns", (1.0, 1.0, 0.5, 0.3, 0.0)),
    ("K08", "fulltext.limit", 20),
    ("K12", "vector.limit", 20),
    ("K12", "vector.threshold", -1.0),
    ("K12", "vector.complete", False),
    ("K14", "graph.depth", 2),
    ("K15", "graph.fan_out", 10),
    ("K16", "graph.least_confidence", 0.3),
    ("K18", "fuse.k", 60.0),
    ("K21", "rank.recency", "kira"),
    ("K22", "rank.importance", "kira"),
    ("K23", "rank.confidence", "kira"),
]
SLOTS = [
    ("S02", "fulltext.limit", 10),
    ("S05", "fulltext.columns", WORDS_OF_A_MEMORY),
    ("S09", "fuse.normalise", "none"),
    ("S16", "rank.confidence", "plain"),
    ("S16", "vector", None),
    ("S16", "graph", None),
]
MEMBOX = [
    ("M03", "fuse.alpha", 0.6),
    ("M03", "fuse.decay", 0.7),
    ("M05", "vector.limit", 0),  # no list of its own: meaning only scores triples
    ("M08", "fulltext.query", "content"),
    ("M08", "fulltext.columns", WORDS_OF_A_MEMORY),
    ("M08", "fulltext.limit", 10),
    ("M08", "fulltext.forms", 0.5),
    ("M10", "pack.budget", 2000),
    ("M04", "graph.depth", 3),
    ("M04", "graph.fan_out", 100),
]
ENGRAM = [
    ("E02", "vector.limit", 30),  # three times as many as are wanted
    ("E02", "vector.threshold", -1.0),
    ("E02", "vector.complete", True),
    ("E04", "fulltext.query", "content"),
    ("E04", "fulltext.limit", 30),
    ("E04", "fulltext.columns", WORDS_OF_A_MEMORY),
    ("E05", "fulltext.weight", 0.3),
    ("E05", "rank.importance", "engram"),
    ("E05", "rank.recency", "engram"),
    ("E05", "rank.access", "engram"),
    ("E06", "cut.value", 1.2),
    ("E07", "expand.depth", 0),
    ("E08", "expand.children", 10),
    ("E09", "expand.latest", True),
    ("E10", "expand.opposite", True),
    ("E10", "expand.similar", 0.45),  # a cosine; published is a distance of .55
    ("E10", "expand.related", True),
    ("E12", "rank.project", 1 / 0.7),
    ("E12", "rank.global_project", 1 / 0.85),
]
ADVISE = [("E11", "expand.depth", 1)]


def rows(strategy: Strategy, published: list[tuple[str, str, object]]) -> list[object]:
    return [pytest.param(strategy, *row, id=f"{strategy.name} {row[0]} {row[1]}") for row in published]


@pytest.mark.parametrize(
    ("strategy", "code", "setting", "value"),
    [
        *rows(STRATEGIES["construct"], CONSTRUCT),
        *rows(construct.PASSIVE, BEFORE_A_MESSAGE),
        *rows(STRATEGIES["kira"], KIRA),
        *rows(STRATEGIES["slots"], SLOTS),
        *rows(STRATEGIES["membox"], MEMBOX),
        *rows(STRATEGIES["engram"], ENGRAM),
        *rows(engram.ADVISE, ADVISE),
    ],
)
def test_a_strategy_has_the_published_settings(strategy, code, setting, value) -> None:
    assert attrgetter(setting)(strategy) == value


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_no_design_is_ranked_by_what_only_memkits_own_strategy_knows(name) -> None:
    """Whose turn it was, whether it asks, the time asked for, what was said later, the words beside a memory.

    Nor is a question taken apart, nor anything cut because memkit's own confidence in it is low.
    """
    strategy = STRATEGIES[name]
    changed = {field for field in vars(PLAIN) if getattr(strategy.rank, field) != getattr(PLAIN, field)}
    named = {"recency", "importance", "confidence", "access", "project", "global_project"}
    assert changed <= named
    assert {getattr(PLAIN, field) for field in ("project", "global_project", "interval", "speaker", "asking")} == {1.0}
    assert (PLAIN.length, PLAIN.covered, PLAIN.assistant, PLAIN.later) == (0.0, 0.0, 1.0, False)
    assert (strategy.sentence, strategy.bridge, strategy.time, strategy.rerank) == (None,) * 4
    assert (strategy.fuse.compound, strategy.cut.least_confidence, strategy.pack.least_confidence) == (False, 0.0, 0.0)
    assert all(channel.weight == 1.0 for channel in (strategy.fulltext, strategy.graph) if channel and name != "engram")


@pytest.mark.parametrize(
    ("name", "recalled", "before"),
    [("construct", 10, 5), ("kira", None, None), ("engram", 10, 5), ("slots", None, None)],
)
def test_so_many_memories_come_before_a_message(name, recalled, before) -> None:
    design: Design = DESIGNS[name]
    assert (design.advising[1] if design.advising else None) == before
    if name == "construct":
        assert (design.layouts["construct"].k, design.layouts["construct_tool"].k) == (before, recalled)
    if name == "engram":
        assert design.layouts["engram"].k == before


def test_the_pages_have_the_published_limits() -> None:
    assert (construct.RECENT, construct.PASSIVE.recent.weight) == (10, 0.0)  # C03, beside the hits
    assert dict(kira.SHARES) == {
        "profile": 0.15,
        "referenced": 0.30,
        "episodes": 0.30,
        "neighbours": 0.15,
        "procedures": 0.10,
    }  # K27
    assert kira.MOST_SHOWN == {"referenced": 20, "episodes": 40, "neighbours": 20, "procedures": 10}  # K08 to K12
    assert kira.MARGIN == 0.05  # K25
    assert pytest.approx(2.4) == kira.BOOST  # K21, K22
    assert pytest.approx((2 / 61 + 0.02) * 2.4) == kira.MOST  # K24
    assert (slots.PAGE, slots.PRIORITIES["user"], slots.PRIORITIES["agent"]) == (10, 88, 70)  # S02, S14
    assert slots.PRIORITIES["agent"] < slots.PRIORITIES["project"] < slots.PRIORITIES["user"]
    assert (membox.CHUNK_SHARE, membox.SNIPPETS) == (0.4, 3)  # M13, M12
    assert (engram.LONG, engram.PREVIEW) == (500, 120)  # Engram's own code
    assert (triggers.DEEP, triggers.PROFILE, triggers.LATEST) == (2, 8, 5)  # K32


def test_the_policies_have_the_published_ages_and_thresholds() -> None:
    policy = Policy()
    ages = policy.episodes
    assert (ages.compress_after_hours, ages.distil_after_days) == (24, 7)  # K37
    assert (ages.raw_days, ages.keep_importance, ages.compressed_days) == (6, 8, 90)  # K40
    talk = policy.conversation
    assert (talk.budget_share, talk.keep_last, talk.keep_share) == (0.75, 10, 0.3)  # K38
    assert (policy.triggers.topic_cosine, policy.triggers.recent_messages) == (0.3, 3)  # K33
    seen = policy.observe
    assert (seen.observer_tokens, seen.reflector_tokens, seen.batch_tokens) == (3_000, 4_000, 16_000)  # C08
    grown = policy.promote
    assert (grown.sources, grown.per_source, grown.most, grown.crystal_characters) == (3, 0.05, 0.95, 1_500)  # M18
