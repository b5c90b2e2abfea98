"""A cross-encoder orders the best memories anew. The one here is a real ONNX model, run by fastembed, made in the test.

It counts the tokens of a text that the question has, too, where the same token stands right behind the same other one:
so it knows word order, which no channel does.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, NeedsPackage, NotFound
from memkit.embedding import cross_encoder
from memkit.retrieval.limits import Bounded

onnx = pytest.importorskip("onnx")
pytest.importorskip("fastembed")

QUESTION = "did the dog bite the man"
TEXTS = {
    "man": "Man did bite dog: man did bite dog.",
    "dog": "Yesterday in the old park near the river the dog bite the man again.",
    "cat": "The cat slept.",
    "long": "The dog bite the man. " + "Nothing else happened that day. " * 60,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a cross-encoder whose score is the number of pairs of tokens that both texts have."""
    from onnx import TensorProto, helper
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("pairs-in-common")
    words = sorted({w.strip(".").lower() for text in [QUESTION, *TEXTS.values()] for w in text.split()})
    vocabulary = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, **{word: n for n, word in enumerate(words, 4)}}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))

    ids, types = ("input_ids", "token_type_ids")
    number = {name: helper.make_tensor(name, TensorProto.INT64, [1], [value]) for name, value in
              {"begin": 0, "one": 1, "last": -1, "end": 9999, "axis": 1, "middle": 1, "third": 2, "first known": 4,
               "base": 1000}.items()}  # fmt: skip

    def node(kind: str, takes: list[str], gives: str, **how: object) -> object:
        return helper.make_node(kind, takes, [gives], **how)

    nodes = [  # a pair is a token and the next one, as one number; it counts if both are words of the same text
        node("Slice", [ids, "begin", "last", "axis"], "here"),
        node("Slice", [ids, "one", "end", "axis"], "next"),
        node("Mul", ["here", "base"], "thousands"),
        node("Add", ["thousands", "next"], "pair"),
        node("GreaterOrEqual", ["here", "first known"], "known here"),
        node("GreaterOrEqual", ["next", "first known"], "known next"),
        node("And", ["known here", "known next"], "known"),
        node("Slice", [types, "begin", "last", "axis"], "type"),
        node("Cast", ["type"], "in text", to=TensorProto.BOOL),
        node("Not", ["in text"], "in question"),
        node("And", ["known", "in text"], "pair of text"),
        node("And", ["known", "in question"], "pair of question"),
        node("Unsqueeze", ["pair", "third"], "pairs down"),
        node("Unsqueeze", ["pair", "middle"], "pairs across"),
        node("Equal", ["pairs down", "pairs across"], "equal"),
        node("Unsqueeze", ["pair of text", "third"], "text down"),
        node("Unsqueeze", ["pair of question", "middle"], "question across"),
        node("And", ["text down", "question across"], "between"),
        node("And", ["equal", "between"], "shared"),
        node("Cast", ["shared"], "ones", to=TensorProto.FLOAT),
        node("ReduceSum", ["ones", "third"], "by token", keepdims=0),
        node("ReduceSum", ["by token", "axis"], "logits", keepdims=1),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in (ids, types)]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])]
    graph = helper.make_graph(nodes, "pairs", inputs, outputs, list(number.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    return folder


@pytest.fixture
def db(mem: MemoryDatabase) -> MemoryDatabase:
    mem.ingest([{"id": id, "text": text} for id, text in TEXTS.items()])
    return mem


def order(db: MemoryDatabase, folder: Path | str, **settings: object) -> list[str | None]:
    found = db.recall(QUESTION, strategy={"rerank": {"model": str(folder), **settings}})
    return [hit.memory.source_id for hit in found]


def test_the_model_of_this_test_counts_pairs(folder: Path) -> None:
    model = cross_encoder.load_cross_encoder(str(folder))
    assert model.score("the dog bite the man", ["The dog bite the man", "the man bite the dog", "cat", ""]) == [
        4,
        3,
        0,
        0,
    ]


def test_what_answers_comes_before_what_only_has_the_words(db: MemoryDatabase, folder: Path) -> None:
    without = [hit.memory.source_id for hit in db.recall(QUESTION)]
    assert without.index("man") < without.index("dog")
    found = order(db, folder, weight=5.0)
    assert found.index("dog") < found.index("man")
    assert sorted(map(str, found)) == sorted(map(str, without))


def test_a_hit_has_the_score_of_its_place_and_says_what_moved_it(db: MemoryDatabase, folder: Path) -> None:
    before = {hit.memory.source_id: hit.score for hit in db.recall(QUESTION)}
    found = db.recall(QUESTION, strategy={"rerank": {"model": str(folder), "weight": 5.0}})
    assert [hit.score for hit in found] == sorted(before.values(), reverse=True)
    moved = {hit.memory.source_id: hit.boosts.get("rerank") for hit in found}
    dog = next(hit for hit in found if hit.memory.source_id == "dog")
    assert moved["dog"] == pytest.approx(dog.score / before["dog"])
    assert found.ms["rerank"] > 0
    assert "rerank" not in db.recall(QUESTION).ms


def test_a_long_memory_keeps_its_place(db: MemoryDatabase, folder: Path) -> None:
    without = [hit.memory.source_id for hit in db.recall(QUESTION)]
    assert order(db, folder, weight=5.0).index("long") == without.index("long")


def test_only_the_best_are_read(db: MemoryDatabase, folder: Path) -> None:
    without = [hit.memory.source_id for hit in db.recall(QUESTION)]
    assert order(db, folder, weight=5.0, limit=1) == without
    with pytest.raises(BadQuestion, match=r"rerank\.limit"):
        order(db, folder, limit=0)


def test_without_weight_the_model_moves_nothing(db: MemoryDatabase, folder: Path) -> None:
    assert order(db, folder, weight=0.0) == [hit.memory.source_id for hit in db.recall(QUESTION)]


def test_a_model_that_a_caller_names_and_nobody_knows_is_told(db: MemoryDatabase, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="neither a folder nor a cross-encoder of fastembed"):
        order(db, "no/such-model")
    with pytest.raises(NotFound, match=r"has no onnx/model\.onnx"):
        order(db, tmp_path)


def test_a_model_that_the_file_names_and_is_not_here_is_not_fetched_and_recall_goes_on(db: MemoryDatabase) -> None:
    with db.tables.conn:
        db.tables["settings"].upsert(
            {"name": "strategy", "value": json.dumps({"rerank": {"model": "Xenova/ms-marco-MiniLM-L-6-v2"}})}, pk="name"
        )
    found = db.recall(QUESTION)
    assert [hit.memory.source_id for hit in found] == [
        hit.memory.source_id for hit in db.recall(QUESTION, strategy="memkit")
    ]
    assert "is not on this machine" in found.degraded
    assert found.degraded in found.warnings


@pytest.mark.parametrize("made", ["by the file", "by a caller"])
def test_a_folder_that_came_along_with_the_file_is_not_read(
    db: MemoryDatabase, folder: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    """What a file names may be a stranger's: only a whole path on this machine counts there."""
    monkeypatch.chdir(folder.parent)
    settings = {"rerank": {"model": f"./{folder.name}", "weight": 5.0}}
    if made == "by a caller":
        assert not db.recall(QUESTION, strategy=settings).degraded
        return
    with db.tables.conn:
        db.tables["settings"].upsert({"name": "strategy", "value": json.dumps(settings)}, pk="name")
    monkeypatch.setattr(cross_encoder, "once", lambda name, make: make())
    for name in (f"./{folder.name}", f"/{folder}", "\\\\server\\share"):
        db.tables["settings"].upsert(
            {"name": "strategy", "value": json.dumps({"rerank": {"model": name, "weight": 5.0}})}, pk="name"
        )
        assert "neither a folder nor" in db.recall(QUESTION).degraded


def test_inside_another_programs_query_no_model_is_loaded(db: MemoryDatabase, folder: Path) -> None:
    with MemoryDatabase(conn=Bounded(db.conn)) as bounded:
        found = bounded.recall(QUESTION, strategy={"rerank": {"model": "no/such-model"}})
        assert found.strategy.rerank is None
        assert len(found)


def test_without_fastembed_the_message_has_the_command(db: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(NeedsPackage, match=r"pip install 'datasette-memkit\[rerank\]'"):
        order(db, "Xenova/ms-marco-MiniLM-L-6-v2")


def test_a_strategy_with_a_model_is_kept_for_the_database(db: MemoryDatabase, folder: Path) -> None:
    db.set_strategy({"rerank": {"model": str(folder), "weight": 5.0}})
    found = [hit.memory.source_id for hit in db.recall(QUESTION)]
    assert found.index("dog") < found.index("man")
    with pytest.raises(NotFound):
        db.set_strategy({"rerank": {"model": "no/such-model"}})
