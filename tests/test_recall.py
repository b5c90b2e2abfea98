"""How an answer comes out: any question, any filter, always the same order, with reasons."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import NOW, LetterEmbedder, everything
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import STRATEGIES, MemoryDatabase, Recall
from memkit.core.errors import BadQuestion, EmbedderMismatch, MemkitError, NotFound, VectorsMissing
from memkit.core.types import Memory
from memkit.graph.walk_results import WalkStep
from memkit.retrieval.channels import vector
from memkit.retrieval.confidence import Judged
from memkit.retrieval.expansion import Came
from memkit.retrieval.ledger import recorded
from memkit.retrieval.recall import _Builder, recall
from memkit.retrieval.results import Finding, Hit
from memkit.retrieval.retrievers import Found
from memkit.storage import store, vectors
from memkit.storage.driver import writing
from memkit.storage.filters import Scope

WORDS = {"vector": None, "graph": None}  # a strategy of words alone
MEANING = {"fulltext": None, "graph": None}  # and one of meaning alone


@pytest.fixture
def garden(mem: MemoryDatabase) -> MemoryDatabase:
    """A few memories of different times, kinds and projects."""
    for text, fields in [
        ("Rosa planted the quince tree.", {"kind": "fact", "happened_at": "2019-04-01", "project": "garden"}),
        (
            "The quince tree had blossoms.",
            {"kind": "episode", "happened_at": "2024-05-01T08:00:00Z", "project": "garden"},
        ),
        ("A quince tree needs sun.", {"kind": "fact", "happened_at": "2025-01-01"}),
        ("The plum tree is old.", {"kind": "fact", "project": "trip", "happened_at": "2023-01-01"}),
        ("王さんは東京の木を見た。", {"kind": "episode", "happened_at": "2022-01-01"}),
    ]:
        mem.remember(text, now=NOW, **fields)
    return mem


def first_words(found: Recall) -> list[str]:
    """The first two words of each hit, sorted."""
    return sorted(" ".join(hit.memory.text.split()[:2]) for hit in found)


# ---------------------------------------------------------------------------------------------- any question

LEGAL = [
    "C++?", "a AND", 'foo"bar', "NEAR(", "*", "🙂", "", " \n", "e-mail", "col:val", "text:quince", "-quince", "^quince",
    "quince*", "{quince tree}", "'; drop table memories; --", "a\0b", "\ud800", "AND OR NOT", "()", "木", "東京",
    "? ? ?",    "quince " * 12_500,
    "the of and", "%", "_", "\\", "NULL", "1e999", "\u202equince", "<script>alert(1)</script>",
]  # fmt: skip


@pytest.mark.parametrize("question", LEGAL, ids=lambda question: ascii(question[:20]))
def test_every_text_is_a_legal_question(garden: MemoryDatabase, question: str) -> None:
    found = garden.recall(question)
    assert found.question == question
    assert len(found) <= 5
    for show in (repr, Recall._repr_html_, Recall._repr_markdown_, Recall.to_dicts, Recall.to_json):
        assert show(found) is not None


@pytest.fixture(scope="module")
def shared() -> Any:
    """One database for many questions."""
    with MemoryDatabase(embed=LetterEmbedder()) as db:
        db.ingest(
            [{"text": text, "session": "s"} for text in ("Rosa's quince", "a plum AND a pear", "東京の木", "C++ {x}")]
        )
        yield db


@given(st.text(st.characters(), max_size=300), st.integers(0, 20))
@example('"quince" NEAR/2', 3)
def test_no_text_raises(shared: MemoryDatabase, question: str, k: int) -> None:
    found = shared.recall(question, k)
    assert len(found) <= k
    assert shared.recall(question, k).ids == found.ids


@pytest.mark.parametrize("strategy", [None, WORDS, MEANING])
def test_nothing_found_is_an_empty_recall(mem: MemoryDatabase, strategy: Any) -> None:
    found = mem.recall("anything?", strategy=strategy)
    assert (len(found), list(found), found.ids, found.to_dicts(), found.to_json()) == (0, [], [], [], "[]")
    assert found.to_df().empty
    assert repr(found).startswith("\"'anything?': 0 memories") or "0 memories" in repr(found)
    assert "0 memories" in found._repr_html_()


def test_one_memory_is_found(mem: MemoryDatabase) -> None:
    made = mem.remember("quince")
    assert mem.recall("Quinces?").ids == [made.id]


@pytest.mark.parametrize("k", [0, 1, 2, 1_000_000, 10**30])
def test_at_most_k_are_found(garden: MemoryDatabase, k: int) -> None:
    assert len(garden.recall("tree", k)) == min(k, len(garden.recall("tree", 5)))


def test_a_negative_k_makes_no_sense(mem: MemoryDatabase) -> None:
    with pytest.raises(BadQuestion, match="0 or more, not -1"):
        mem.recall("x", -1)


# ---------------------------------------------------------------------------------------------- filters


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, ["A quince", "Rosa planted", "The plum", "The quince"]),
        ({"kinds": "fact"}, ["A quince", "Rosa planted", "The plum"]),
        ({"kinds": ["episode", "note"]}, ["The quince"]),
        ({"kinds": []}, []),
        ({"project": "garden"}, ["A quince", "Rosa planted", "The plum", "The quince"]),
        ({"project": "garden", "only_project": True}, ["A quince", "Rosa planted", "The quince"]),  # global is eligible
        ({"project": "nowhere", "only_project": True}, ["A quince"]),
        ({"since": "2023-01-01"}, ["A quince", "The plum", "The quince"]),
        ({"since": date(2024, 5, 1)}, ["A quince", "The quince"]),
        ({"until": "2023-01-01"}, ["Rosa planted"]),
        ({"since": "2023-01-01", "until": "2024-05-01T08:00:00+00:00"}, ["The plum"]),
        ({"since": "2023-01-01", "until": "2024-05-01T10:00:01+02:00"}, ["The plum", "The quince"]),
        ({"as_of": "2023-06-01"}, ["Rosa planted", "The plum"]),
    ],
)
@pytest.mark.parametrize("strategy", [WORDS, MEANING])
def test_filters(garden: MemoryDatabase, options: dict[str, Any], found: list[str], strategy: Any) -> None:
    if strategy is MEANING:
        garden.forget(garden.recall("東京", 1, strategy=WORDS).ids[0])  # the only one without "tree"
    assert first_words(garden.recall("tree", strategy=strategy, now=NOW, **options)) == found


def test_the_project_is_preferred(garden: MemoryDatabase) -> None:
    garden.remember("The old tree.", project="a", now=NOW)
    garden.remember("The old tree.", project="b", now=NOW)
    for project in "ab":
        assert garden.recall("the old tree", project=project)[0].memory.project == project


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"since": "last week-ish"}, "since: 'last week-ish' is not a time"),
        ({"until": "2024-13-01"}, "until: "),
        ({"as_of": []}, "as_of must be a time"),
        ({"only_project": True}, "only_project needs a project"),
        ({"strategy": {"nope": 1}}, "nope"),
    ],
)
def test_parameters_that_make_no_sense_are_said_to(mem: MemoryDatabase, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadQuestion, match=said):
        mem.recall("x", **options)


def test_an_unknown_strategy_is_answered_with_the_known_ones(mem: MemoryDatabase) -> None:
    with pytest.raises(NotFound, match=r"'memkat' is not a strategy\. Did you mean 'memkit'"):
        mem.recall("x", strategy="memkat")


def test_expired_and_future_values_are_hidden(mem: MemoryDatabase) -> None:
    mem.remember("a tree now", now=NOW)
    mem.remember("a tree then", now=NOW, expires_at="2026-02-01")
    mem.remember("a tree soon", now=NOW, valid_from="2026-04-01")
    assert first_words(mem.recall("tree", now=NOW)) == ["a tree"]
    assert len(mem.recall("tree", now="2026-05-01")) == 2
    assert len(mem.recall("tree", now=NOW, everything=True)) == 3


# ---------------------------------------------------------------------------------------------- order and reasons


def test_ties_are_broken_by_id(mem: MemoryDatabase) -> None:
    made = [mem.remember("the very same text", now=NOW).id for _ in range(40)]
    for k in (5, 40):
        assert mem.recall("very same text", k, strategy=WORDS).ids == sorted(made)[:k]


def test_the_same_question_gives_the_same_order(garden: MemoryDatabase) -> None:
    found = [garden.recall("the quince tree", now=NOW) for _ in range(3)]
    assert found[0].to_dicts() == found[1].to_dicts() == found[2].to_dicts()


def test_contributions_and_boosts_make_the_score(garden: MemoryDatabase) -> None:
    for question in ("quince tree", "old plum", "東京", "Rosa"):
        found = garden.recall(question, project="garden", now=NOW)
        assert found, question
        for hit in found:
            total = sum(finding.contribution for finding in hit.why.values()) * np.prod(list(hit.boosts.values()))
            assert hit.score == pytest.approx(total)
            assert all(finding.rank >= 1 for finding in hit.why.values())


def test_every_channel_says_whether_it_ran(garden: MemoryDatabase) -> None:
    found = garden.recall("quince")
    assert found.channels["fulltext"] == found.channels["vector"] == "ran"
    assert garden.recall("🙂").channels["fulltext"] == "the question has no word"
    assert garden.recall("123").channels["vector"] == "the model knows no word of the question"


def test_without_vectors_there_are_words(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        made = db.remember("quince")
        found = db.recall("quince")
        assert found.ids == [made.id]
        assert "memkit reindex" in found.channels["vector"]
        assert repr(found).count("this database has no vectors") == 1
        assert "(meaning, a sentence: this database has no vectors" in repr(found)


def test_a_database_without_memories_says_so_and_nothing_about_vectors(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db") as db:
        assert db.recall("quince").channels["vector"] == "there is no memory yet"


@pytest.mark.parametrize("asked", [{"question": None}, {"question": 5}, {"question": "tea", "k": "ten"}])
def test_what_is_no_question_and_no_number_is_said(asked: dict[str, Any]) -> None:
    with MemoryDatabase(embed="none") as db, pytest.raises(BadQuestion, match=r"not (None|5|'ten')"):
        db.recall(**asked)


def test_without_its_model_there_are_words(tmp_path: Path, letters: LetterEmbedder) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed=letters) as db:
        made = db.remember("quince")
    for embed in (None, "none"):  # nothing is registered under the name "letters"
        with MemoryDatabase(tmp_path / "m.db", embed=embed) as db:
            found = db.recall("quince")
            assert found.ids == [made.id]
            assert "'letters' is not loaded" in found.channels["vector"]


def test_another_model_is_refused_with_both_names_and_the_way_out(tmp_path: Path, letters: LetterEmbedder) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed=letters) as db:
        db.remember("quince")
    with pytest.raises(EmbedderMismatch, match=r"'letters'.*26.*'memkit'.*run: memkit reindex .*m\.db --model memkit"):
        MemoryDatabase(path, embed="memkit")


def test_a_model_that_has_changed_since_is_no_question_for_old_vectors(tmp_path: Path, letters: LetterEmbedder) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed=letters) as db:
        made = db.remember("quince")
        db.conn.execute("update models set version = '0'")
        found = db.recall("quince")
        assert found.ids == [made.id]
        assert "memkit reindex" in found.channels["vector"]


WRITERS: dict[str, Callable[[MemoryDatabase], object]] = {
    "ingest": lambda db: db.ingest(["plum"]),
    "remember": lambda db: db.remember("plum"),
    "observe": lambda db: db.observe([{"role": "user", "content": "I planted a plum."}]),
    "extract": lambda db: db.extract(),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_no_vector_is_written_beside_those_of_another_version_of_the_model(
    tmp_path: Path, letters: LetterEmbedder, write: Callable[[MemoryDatabase], object]
) -> None:
    """The memory comes first: it is stored, and a warning says why it has no vector yet."""
    with MemoryDatabase(tmp_path / "m.db", embed=letters) as db:
        db.remember("quince")
        db.conn.execute("update models set version = '0'")
        before = everything(db)
        with pytest.warns(VectorsMissing, match=r"'letters' is no longer the one .* memkit reindex m\.db"):
            write(db)
        after = everything(db)
        for table in ("models", "embeddings", "entity_embeddings"):
            assert after.get(table) == before.get(table)


def test_no_model_becomes_the_active_one_beside_another(tmp_path: Path, letters: LetterEmbedder) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed=letters) as db:
        db.remember("quince")
        assert vectors.register(db.conn, letters, NOW, active=True) == 1
        db.conn.execute("update models set version = '0'")
        with pytest.raises(EmbedderMismatch):
            vectors.register(db.conn, letters, NOW, active=True)
        assert vectors.register(db.conn, letters, NOW, active=False) == 2


# ---------------------------------------------------------------------------------------------- words and meaning


@pytest.mark.parametrize("question", ["木", "東京", "王さん", "東京の木", "見", "木を見た"])
def test_cjk_words_of_one_character_and_more_are_found(garden: MemoryDatabase, question: str) -> None:
    assert [hit.memory.text for hit in garden.recall(question, strategy=WORDS)] == ["王さんは東京の木を見た。"]


@pytest.mark.parametrize(
    ("question", "found"), [("AWS", "wide"), ("ＧＣＰ", "usual"), ("12月", "wide"), ("３月", "usual")]
)
def test_words_as_wide_as_cjk_signs_are_the_usual_ones(mem: MemoryDatabase, question: str, found: str) -> None:
    mem.ingest([{"id": "wide", "text": "ＡＷＳの設定は１２月に。"}, {"id": "usual", "text": "GCPの設定は3月に。"}])
    assert mem.recall(question).hits[0].memory.source_id == found


@pytest.mark.parametrize("question", ["Python", "2020", "python コード", "iPhone", "13"])
def test_words_inside_cjk_text_are_found(mem: MemoryDatabase, question: str) -> None:
    mem.remember("2020年にPythonでiPhone13のコードを書いた")
    assert len(mem.recall(question, strategy=WORDS)) == 1


def test_neighbours_and_titles_find_a_turn(mem: MemoryDatabase) -> None:
    mem.ingest([{"text": text, "session": "s", "speaker": "Rosa"} for text in ("Where is the quince?", "By the wall.")])
    mem.ingest([{"text": "It is old.", "title": "The medlar"}])
    assert {hit.memory.text for hit in mem.recall("quince", strategy=WORDS)} == {"Where is the quince?", "By the wall."}
    assert [hit.memory.text for hit in mem.recall("medlar", strategy=WORDS)] == ["It is old."]
    assert len(mem.recall("Rosa", strategy=WORDS)) == 2


@pytest.mark.parametrize("n", [1, 40, 400])
def test_vector_search_is_brute_force(mem: MemoryDatabase, n: int) -> None:
    letters, chance = LetterEmbedder(), np.random.default_rng(n)
    said = ["".join(chance.choice(list("abcdefgh"), 9)) for _ in range(n)]
    mem.ingest([{"id": i, "text": text} for i, text in enumerate(said)])
    for again in range(2):  # a third of them are embedded anew, some are deleted: what the cache holds of them is old
        question = letters.encode(["a bad cafe"])[0]
        found = vector.search(mem.conn, 1, question, Scope(NOW), limit=50)
        rows = mem.conn.execute("select key, text from memories").fetchall()
        cosines = letters.encode([row["text"] for row in rows]) @ question
        best = sorted(
            zip(cosines.tolist(), (row["key"] for row in rows), strict=True), key=lambda row: (-row[0], row[1])
        )
        assert list(found.values()) == pytest.approx([score for score, _ in best[:50]], abs=1e-6)
        assert {key: found[key] for key in found} == pytest.approx(
            {key: score for score, key in best if key in found}, abs=1e-6
        )
        if not again:
            mem.ingest([{"id": i, "text": text[::-1] + "h"} for i, text in enumerate(said) if i % 3 == 0])
            mem.conn.execute("delete from memories where key % 7 = 5")


@pytest.mark.parametrize("go", ["update memories set archived_at = ? where kind = 'turn'",
                                "delete from memories where kind = 'turn' and '' < ?"])  # fmt: skip
def test_what_is_hidden_or_gone_takes_no_place_among_the_nearest(mem: MemoryDatabase, go: str) -> None:
    mem.ingest([{"id": i, "text": "aaaa", "kind": "turn" if i < 9 else "fact"} for i in range(10)])
    mem.ingest([{"id": f"far {i}", "text": "abbb" if i else "aabb"} for i in range(90)])
    question = mem.embedder.encode(["a"])[0]
    assert len(vector.search(mem.conn, 1, question, Scope(NOW), limit=2, rescore=4)) == 2
    mem.conn.execute(go, (NOW,))
    found = vector.search(mem.conn, 1, question, Scope(NOW), limit=2, rescore=4)
    assert list(found.values()) == pytest.approx([1, 0.5**0.5], abs=1e-6)


# ---------------------------------------------------------------------------------------------- as a value


def test_hits_are_dicts_frames_and_tables(garden: MemoryDatabase) -> None:
    found = garden.recall("quince", 2, now=NOW)
    [one, two] = found.to_dicts()
    assert json.loads(found.to_json()) == [one, two]
    assert one["why"]["fulltext"]["rank"] in (1, 2, 3)
    assert set(one) >= {"id", "source_id", "score", "text", "kind", "title", "happened_at", "project", "why", "path"}
    frame = found.to_df()
    assert list(frame.index) == [1, 2]
    assert frame.index.name == "rank"
    assert list(frame["id"]) == found.ids
    assert isinstance(frame["happened_at"].dtype, pd.DatetimeTZDtype)
    assert frame["fulltext"].notna().all()
    assert found[0].memory.text in repr(found)
    assert found[0] is found.hits[0]
    assert found[:1] == found.hits[:1]


def test_X06_a_hit_tells_its_channels_places_and_numbers(mem: MemoryDatabase) -> None:
    memory = mem.remember("the quince", now=NOW)
    why = {"fulltext": Finding(2, 1.23456789, 0.12345678), "vector": Finding(1, 0.98765432, 0.55555567)}
    hit = Hit(memory, 7.123456789, why, {"recency": 1.23456789}, confidence=0.98765)
    assert (hit.match, hit.why_text) == ("vector", "words #2, meaning #1")
    told = hit.to_dict()
    assert told["why"] == {
        "fulltext": {"rank": 2, "score": 1.234568, "contribution": 0.123457},
        "vector": {"rank": 1, "score": 0.987654, "contribution": 0.555556},
    }
    assert (told["score"], told["confidence"], told["boosts"]) == (7.123457, 0.988, {"recency": 1.234568})
    linked = Hit(memory, 1.0, via="contradicts")
    assert (linked.match, linked.why_text) == ("contradicts", "contradicts")
    assert (Hit(memory, 1.0).match, Hit(memory, 1.0).why_text) == ("", "")


@pytest.mark.parametrize(
    ("parts", "over"),
    [
        ({}, False),
        ({"fulltext": 1.0}, False),
        ({"graph": 0.0}, False),
        ({"graph": 0.1}, True),
        ({"graph": 0.1, "bridge": 0.1}, True),
        ({"graph": 0.1, "bridge": 0.2}, False),
        ({"graph": 0.3, "bridge": 0.2}, True),
        ({"bridge": 0.2}, False),
        ({"graph": -0.1, "bridge": -0.2}, False),
    ],
)
def test_a_path_is_that_of_the_graph_where_it_brought_most(
    mem: MemoryDatabase, parts: dict[str, float], over: bool
) -> None:
    memory = mem.remember("the quince", now=NOW)
    step = {name: (WalkStep("question", name, "link"),) for name in ("walk", "bridge")}
    found = Found(path=lambda key: step["walk"], bridge_path=lambda key: step["bridge"])
    judged = Judged(0.25, {memory.key: 0.75}, {}, {})
    builder = _Builder(found, {memory.key: parts}, {}, {memory.key: memory}, judged)
    (hit,) = builder.hits([(memory.key, 0.5)], [])
    assert builder._over_graph(memory.key) is over
    nothing = not parts.get("graph") and not parts.get("bridge")
    assert hit.path == (() if nothing else step["walk"] if over else step["bridge"])
    assert (hit.score, hit.confidence) == (0.5, 0.75)


def test_what_is_no_hit_is_left_out_with_the_reason(mem: MemoryDatabase) -> None:
    memories = {one.key: one for one in (mem.remember(f"note {n}", now=NOW) for n in range(3))}
    one, other, third = memories
    found = Found(rankings={"fulltext": {one: 3.0, other: 2.0}, "vector": {other: 0.5}})
    fused = {one: {"fulltext": 1.0}, other: {"fulltext": 0.5, "vector": 0.25}, third: {}}
    builder = _Builder(found, fused, {other: {"recency": 0.9}}, memories, Judged(0.1, {}, {}, {}))
    assert builder.why(other) == {"fulltext": Finding(2, 2.0, 0.5), "vector": Finding(1, 0.5, 0.25)}
    left = builder.left_out([(one, 3.0), (other, 2.0), (third, 1.0)], {one, other}, 1, {one})
    assert [(left_out.memory.key, left_out.score, left_out.reason) for left_out in left] == [
        (other, 2.0, "after the first 1"),
        (third, 1.0, "below the cut"),
    ]
    assert (left[0].why, left[0].boosts) == (builder.why(other), {"recency": 0.9})
    before, after = Came(third, "supersedes", one), Came(other, "contradicts", one)
    hits = builder.hits([(one, 3.0)], [after, before])
    assert [(hit.memory.key, hit.via, hit.score) for hit in hits] == [
        (third, "supersedes", 3.0),
        (one, None, 3.0),
        (other, "contradicts", 3.0),
    ]


@pytest.mark.parametrize("k", [True, 0, 1, 3])
def test_so_many_hits_come_as_are_asked_for_and_ten_if_nobody_says(mem: MemoryDatabase, k: int) -> None:
    mem.ingest([{"text": f"quince {n}"} for n in range(12)])
    found = recall(mem.conn, "quince", strategy=STRATEGIES["memkit"], scope=Scope(NOW), k=k)
    assert len(found) == k
    assert len(recall(mem.conn, "quince", strategy=STRATEGIES["memkit"], scope=Scope(NOW))) == 10
    assert len(found.left_out) == min(10, 12 - k)
    assert {left.reason for left in found.left_out} == {f"after the first {k}"}


def test_text_is_escaped_where_it_is_shown(mem: MemoryDatabase) -> None:
    mem.remember("<script>alert('quince')</script> | **bold** [x](y)", title="<b>t</b>", speaker="<i>")
    found = mem.recall("quince <script>")
    page = found._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;" in page
    table = found._repr_markdown_()
    assert "<script>" not in table.replace("\\<", "")
    assert "\\*\\*bold\\*\\*" in table
    assert all(line.startswith(("|", "**")) for line in table.splitlines() if line)


def test_a_question_of_many_lines_is_one_line_of_markdown() -> None:
    hit = Hit(Memory(1, "a", "x\n\n# y\r\nz"), 1.0, {"fulltext": Finding(1, 2.0, 1.0)})
    table = Recall("one\n\n# two\rthree", (hit,))._repr_markdown_()
    assert len(table.splitlines()) == 5


def test_a_recall_reads_only(garden: MemoryDatabase) -> None:
    before = garden.conn.total_changes
    version = garden.conn.execute("pragma data_version").fetchone()[0]
    garden.recall("quince tree")
    assert garden.conn.execute("pragma data_version").fetchone()[0] == version
    assert isinstance(before, int)
    assert garden.conn.execute("select count(*) from access").fetchone()[0] == 0


class Interrupted(LetterEmbedder):
    """The embedder, while whose first sentences are being embedded something else happens."""

    instant = True

    def __init__(self, meanwhile: Callable[[], None]):
        self.meanwhile = meanwhile

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The same."""
        if len(texts) > 1:
            self.meanwhile()
        return super().encode(texts)


@pytest.mark.parametrize("ask", [MemoryDatabase.recall, MemoryDatabase.context])
def test_a_recall_sees_nothing_of_what_others_delete_meanwhile(
    tmp_path: Path, letters: LetterEmbedder, ask: Callable[..., Any]
) -> None:
    with MemoryDatabase(tmp_path / "memory.db", embed=letters) as other:
        texts = [f"Rosa planted quince {n}" for n in ("one", "two", "three")]
        keys = [other.remember(text, now=NOW).key for text in texts]

        def meanwhile() -> None:
            with writing(other.conn):
                store.delete(other.conn, keys[1:2])

        with MemoryDatabase(other.file, embed=Interrupted(meanwhile)) as db:
            first, second = (str(ask(db, "quince", now=NOW)) for _ in range(2))
        assert [text in first for text in texts] == [True, True, True]
        assert [text in second for text in texts] == [True, False, True]


def test_a_hit_that_was_deleted_since_is_not_recorded(mem: MemoryDatabase) -> None:
    gone, kept = (mem.remember(f"Rosa planted quince {n}", now=NOW) for n in (1, 2))
    found = mem.recall("quince", now=NOW)
    mem.forget(gone.id, hard=True)
    assert recorded(mem.conn, found, NOW, track=True, ledger=True).warnings == ()
    for table in ("access", "recall_hits"):
        assert {row[0] for row in mem.conn.execute(f"select memory_key from {table}")} == {kept.key}


def test_errors_of_recall_are_memkits_own() -> None:
    assert all(issubclass(error, MemkitError) for error in (BadQuestion, EmbedderMismatch, NotFound))


@pytest.mark.parametrize(
    ("strategy", "way"),
    [
        ({"vector": None}, "Otto has two sons and a dog that walks along the river… -link-> The Tejo is wide."),
        ("membox", "Otto -likes-> Bar tolo"),
    ],
)
def test_a_path_is_one_line_whatever_is_on_it(mem: MemoryDatabase, strategy: Any, way: str) -> None:
    long = (
        "Otto has two\n\nsons and a dog\r\nthat walks along the river every day\nin the evening, whatever the weather."
    )
    otto = mem.remember(long, now=NOW)
    river = mem.remember("The Tejo\nis wide.", now=NOW)
    mem.link(otto.id, river.id, "relates_to", now=NOW)
    mem.relate("Otto", "likes", "Bar\ntolo", memory=river.id, now=NOW)
    found = mem.recall("Otto's sons", strategy=strategy)
    paths = [hit.path_text for hit in found if hit.path]
    assert paths == [f"question -> {way}"]
    assert paths[0] in repr(found)
    assert paths[0].replace(">", "&gt;") in found._repr_html_()
    assert [hit["path"] for hit in found.to_dicts() if hit["path"]] == paths
