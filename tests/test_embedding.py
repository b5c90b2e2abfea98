"""Embedders: the built-in table, llm's models, model2vec's, and vectors as bytes and bits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import unicodedata
from hashlib import sha256
from unicodedata import normalize

import llm
import numpy as np
import pytest
import sqlite_vec
from conftest import environment
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from llm.plugins import pm
from sqlite_utils.utils import sqlite3

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound
from memkit.embedding import binary_code, from_blob, load_embedder, stored_model, to_blob, unit_rows
from memkit.embedding.static import FOLDER
from memkit.embedding.stored_model import StoredVocabulary
from memkit.embedding.wordpiece import _CLEAN, WordPiece, read, words
from memkit.storage.doctor import doctor
from memkit.storage.recover import recover

RECORDED = [0.0130642, 0.0745569, 0.0606042, 0.0344997, 0.0043514, 0.0341346]
ANY_TEXT = st.text(st.characters(), max_size=300)  # includes lone surrogates, controls and every script


class LetterEmbedding(llm.EmbeddingModel):
    """A model to read by eye: how often each letter from a to h occurs."""

    model_id = "letters"
    batch_size = 2
    seen: list[str]

    def __init__(self):
        self.seen = []

    def embed_batch(self, items, key=None):
        for text in items:
            self.seen.append(text)
            yield [float(text.count(letter)) for letter in "abcdefgh"]


class BrokenEmbedding(llm.EmbeddingModel):
    model_id = "broken"

    def embed_batch(self, items, key=None):
        raise llm.NeedsKeyException("No key found")


class OneForAllEmbedding(llm.EmbeddingModel):
    model_id = "one-for-all"

    def embed_batch(self, items, key=None):
        list(items)
        yield [1.0, 2.0]


@pytest.fixture
def letters(monkeypatch):
    """An llm plugin with three embedding models, in the real plugin manager. Yields the one that works."""
    model = LetterEmbedding()

    class Plugin:
        @llm.hookimpl
        def register_embedding_models(self, register):
            register(model, aliases=("abc",))
            register(BrokenEmbedding())
            register(OneForAllEmbedding())

    monkeypatch.setattr("memkit.embedding._loaded", {})
    plugin = Plugin()
    pm.register(plugin)
    yield model
    pm.unregister(plugin)


# ------------------------------------------------------------------------------------------------ the built-in model


def test_the_built_in_model_is_the_default_and_has_256_dimensions():
    model = load_embedder()
    assert (model.id, model.dims) == ("memkit", 256)
    assert load_embedder("memkit") is model
    assert load_embedder("llm:memkit") is model


def test_the_version_is_a_hash_of_the_files():
    content = (FOLDER / "model.safetensors").read_bytes() + (FOLDER / "tokenizer.json").read_bytes()
    assert load_embedder().version == sha256(content).hexdigest()[:12]


def test_the_files_stay_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 15_000_000


def test_the_teachers_licence_lies_beside_the_weights():
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (FOLDER / "NOTICE").read_text(encoding="utf-8")


def test_a_text_is_nearer_to_its_paraphrase_than_to_others():
    texts = ["Rosa planted a pear tree behind the house", "The car needs new brakes", "We watched a film at the cinema"]
    questions = [
        "who put fruit trees in the garden?",
        "what must be repaired on the vehicle?",
        "which movie did we see?",
    ]
    model = load_embedder()
    assert (model.encode(questions) @ model.encode(texts).T).argmax(axis=1).tolist() == [0, 1, 2]


def test_a_vector_does_not_depend_on_its_neighbours_in_the_list():
    model = load_embedder()
    texts = ["a short one", "", "another " * 900, "🙂", "quince jam"]
    together = model.encode(texts)
    alone = np.vstack([model.encode([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize(
    "text", ["", "   \n\t", "?! ...", "🙂🙃", "\ud800", "\x00", "東京都に住んでいます", "我喜欢喝茶", "Привет"]
)
def test_a_text_without_a_known_word_gets_the_zero_vector(text):
    assert not load_embedder().encode([text]).any()


def test_nothing_in_is_nothing_out():
    assert load_embedder().encode([]).shape == (0, 256)


@settings(deadline=None)
@given(st.lists(ANY_TEXT, max_size=5))
def test_any_text_gets_a_row_of_length_one_or_zero(texts):
    rows = load_embedder().encode(texts)
    assert rows.shape == (len(texts), 256)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == 0 or length == pytest.approx(1, abs=1e-5) for length in lengths)


def test_a_very_long_text_is_read_up_to_its_512th_token():
    model = load_embedder()
    np.testing.assert_array_equal(
        *model.encode(["tea " * 25_000, "tea " * 512 + "coffee"])[:, None], err_msg="the same first 512 tokens"
    )
    assert model.encode(["x" * 100_000, "a" * 99 + " "]).shape == (2, 256)


def test_model2vec_gives_the_same_vectors_for_the_built_in_table():
    texts = [
        "Rosa planted the quince in 2019.",
        "Crème brûlée, naïvely!",
        "unspellablewordishness",
        "tea & coffee",
        "x",
    ]
    theirs = load_embedder(f"model2vec:{FOLDER}").encode(texts)
    np.testing.assert_allclose(load_embedder().encode(texts), theirs, atol=1e-6)


def test_vectors_are_the_same_on_every_machine():
    """The first figures as they were on the machine that made the model; write them anew when the model changes."""
    vector = load_embedder().encode(["Rosa planted the quince in 2019."])[0]
    np.testing.assert_allclose(vector[:6], RECORDED, atol=1e-6)


def test_importing_is_light_and_loading_is_quick():
    """Of thirty thousand words, each costs two lines of Python or three; `bench/llm.py` has the milliseconds."""
    code = """if True:
        import sys
        import memkit.embedding
        assert not {"numpy", "llm", "model2vec"} & set(sys.modules), "import memkit.embedding brings in a library"
        import numpy
        from growth import steps
        taken = steps(lambda: memkit.embedding.load_embedder().encode(["tea"]))
        assert not {"llm", "model2vec", "tokenizers", "huggingface_hub"} & set(sys.modules)
        assert taken < 200_000, taken
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment())
    assert run.returncode == 0, run.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_can_encode_and_nothing_is_printed():
    code = """if True:
        import os
        from memkit.embedding import load_embedder
        before = load_embedder().encode(["tea"])
        child = os.fork()
        if child == 0:
            os._exit(0 if (load_embedder().encode(["tea"]) == before).all() else 3)
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    environment = {key: value for key, value in os.environ.items() if key != "TOKENIZERS_PARALLELISM"}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_threads_that_load_at_once_get_one_model(monkeypatch):
    monkeypatch.setattr("memkit.embedding._loaded", {})
    models: list[object] = []
    threads = [threading.Thread(target=lambda: models.append(load_embedder())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(models) == 8
    assert len(set(map(id, models))) == 1


# ------------------------------------------------------------------------------------------------------- word pieces


def test_words_are_lower_case_without_accents_and_marks_stand_alone():
    assert words("Crème brûlée, naïve!  C3PO\tIstanbul İ") == [
        "creme", "brulee", ",", "naive", "!", "c3po", "istanbul", "i"
    ]  # fmt: skip
    assert words("我爱tea") == ["我", "爱", "tea"]
    assert words("thanks🙂 for the €20") == ["thanks", "🙂", "for", "the", "€", "20"]


def test_the_longest_known_piece_wins_and_an_unspellable_word_is_skipped():
    pieces = WordPiece({"un": 0, "##able": 1, "##a": 2, "##ble": 3, "unable": 4, "tea": 5})
    assert pieces.numbers("unable una unble tea untea") == [4, 0, 2, 0, 3, 5]
    assert pieces.numbers("tea" * 40) == []


@given(st.lists(st.text("aB7 .,'-_\t\n\x0b\x1e\x7fé🙂", max_size=12), max_size=5))
def test_texts_that_are_split_together_have_the_numbers_that_each_has_alone(texts):
    pieces = WordPiece(
        {piece: number for number, piece in enumerate(["a", "b", "##a", "##b", "7", ".", ",", "'", "e"])}
    )
    assert pieces.numbers_of_each(texts) == [pieces.numbers(text) for text in texts]
    assert [words(text) for text in texts] == [normalize("NFD", text).translate(_CLEAN).split() for text in texts]


@pytest.fixture(scope="module")
def both_tokenizers():
    from tokenizers import Tokenizer

    return WordPiece(read(FOLDER / "tokenizer.json")), Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


@settings(deadline=None)
@given(text=ANY_TEXT)
def test_word_pieces_are_those_of_the_tokenizers_library(both_tokenizers, text):
    """Characters that one of the two Unicode tables may not know yet are left out: those younger than Unicode 3.2."""
    ours, theirs = both_tokenizers
    old = unicodedata.ucd_3_2_0
    text = "".join(c for c in text if old.category(c) not in ("Cn", "Cs", "Co") and ord(c) < 0x1E000)
    assert ours.numbers(text) == [number for number in theirs.encode(text, add_special_tokens=False).ids if number > 1]


# ------------------------------------------------------------------------------------------------------ llm's models


def test_an_llm_model_is_found_by_id_by_alias_and_with_its_scheme(letters):
    model = load_embedder("llm:letters")
    assert model is load_embedder("letters") is load_embedder("abc") is load_embedder("llm:abc")
    assert (model.id, model.dims, model.version) == ("llm:letters", 8, "8d")


def test_llm_vectors_are_normalised_and_blank_texts_are_not_sent(letters):
    model = load_embedder("llm:letters")
    assert model.dims == 8
    letters.seen.clear()
    rows = model.encode(["aaab", "", "  ", "zzz"])
    np.testing.assert_allclose(rows[0], np.array([3, 1, 0, 0, 0, 0, 0, 0]) / np.sqrt(10), rtol=1e-6)
    assert not rows[1:].any()
    assert letters.seen == ["aaab", "zzz"]
    assert model.encode([]).shape == (0, 8)


def test_texts_reach_an_llm_model_in_a_form_that_it_can_send(letters):
    model = load_embedder("llm:letters")
    model.encode(["a\ud800", "b" * 100_000])
    assert letters.seen[-2:] == ["a?", "b" * 8_000]


def test_a_failing_llm_model_says_which_and_why(letters):
    with pytest.raises(MemkitError, match=r"'llm:broken' failed: No key found"):
        load_embedder("llm:broken").encode(["tea"])


def test_a_model_that_returns_too_few_vectors_is_refused(letters):
    with pytest.raises(MemkitError, match=r"shape \(1, 2\) for 2 texts"):
        load_embedder("llm:one-for-all").encode(["tea", "coffee"])


def test_an_unknown_name_is_answered_with_the_known_ones(letters):
    with pytest.raises(
        NotFound, match=r"'lettres' is not a known embedding model.*'llm:letters'.*memkit.*model2vec:NAME"
    ):
        load_embedder("lettres")


# ------------------------------------------------------------------------------------------------- model2vec's models


@pytest.fixture
def tea_folder(tmp_path):
    """A model2vec model of three words: tea points up, coffee right, milk between them."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "tea": 1, "coffee": 2, "milk": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.array([[0, 0], [0, 5], [3, 0], [1, 1]], np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(tmp_path)
    return tmp_path


def test_a_model2vec_folder_is_an_embedder_with_rows_of_length_one(tea_folder):
    model = load_embedder(f"model2vec:{tea_folder}")
    assert (model.id, model.dims) == (f"model2vec:{tea_folder}", 2)
    rows = model.encode(["tea", "coffee", "milk", "water", "", "\ud800 tea"])
    np.testing.assert_allclose(rows, [[0, 1], [1, 0], [2**-0.5] * 2, [0, 0], [0, 0], [0, 1]], atol=1e-6)
    assert model.encode([]).shape == (0, 2)


def test_the_version_of_a_model2vec_model_changes_with_its_weights(tea_folder, monkeypatch):
    from model2vec import StaticModel

    before = load_embedder(f"model2vec:{tea_folder}").version
    changed = StaticModel.from_pretrained(tea_folder)
    changed.embedding = changed.embedding * 2
    changed.save_pretrained(tea_folder)
    monkeypatch.setattr("memkit.embedding._loaded", {})
    assert load_embedder(f"model2vec:{tea_folder}").version != before


def test_threads_can_share_a_model2vec_model(tea_folder):
    model = load_embedder(f"model2vec:{tea_folder}")
    rows: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: rows.extend(model.encode(["tea"] * 200))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 1600
    assert all(row.tolist() == [0, 1] for row in rows)


def test_a_model2vec_name_that_cannot_be_had_is_not_found(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(NotFound, match=r"'model2vec:nobody/nothing' cannot be loaded.*give the folder"):
        load_embedder("model2vec:nobody/nothing")


@pytest.mark.parametrize("name", ["nobody/nothing", "//elsewhere/share", "\\\\elsewhere\\share", "a b c", ""])
def test_a_model_that_only_a_file_names_is_not_downloaded(name, tmp_path, monkeypatch):
    """A file may come from somebody else; whoever names a model there must not make memkit ask the hub for it."""
    from model2vec import StaticModel

    asked = []
    monkeypatch.setattr(StaticModel, "from_pretrained", lambda *given, **_: asked.append(given))
    with MemoryDatabase(tmp_path / "received.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
        db.conn.execute(
            "insert into models (id, version, dims, active, created_at) values (?, 'x', 2, 1, '2026-01-01')",
            [f"model2vec:{name}"],
        )
    with MemoryDatabase(tmp_path / "received.db") as db:
        assert len(db.recall("who planted the quince?")) == 1
        with pytest.warns(UserWarning, match="is not loaded"):
            db.remember("Otto planted the fig.")
        with pytest.raises(MemkitError, match="which is not on this machine"):
            db.reindex()
    assert [check.state for check in doctor(tmp_path / "received.db").checks if check.name == "model"][-1] == "broken"
    doctor(tmp_path / "received.db", fix=True)
    recover(tmp_path / "received.db", tmp_path / "new.db", "2026-01-01T00:00:00Z")
    assert asked == []


@pytest.mark.parametrize("name", ["", "a b c", "nobody/not/a/name"])
def test_an_impossible_model2vec_name_is_not_found(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound):
        load_embedder(f"model2vec:{name}")


def test_damaged_model2vec_files_are_said_to_be_damaged(tea_folder):
    (tea_folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(MemkitError, match="damaged"):
        load_embedder(f"model2vec:{tea_folder}")


# ---------------------------------------------------------------------------------------------------- bytes and bits


@settings(deadline=None)
@given(arrays(np.float32, st.integers(0, 20), elements=st.floats(allow_nan=False, width=32)))
def test_a_vector_comes_back_from_its_blob(vector):
    assert to_blob(vector) == sqlite_vec.serialize_float32(vector.tolist())
    np.testing.assert_array_equal(from_blob(to_blob(vector)), vector)


def test_a_blob_that_is_no_vector_is_refused():
    with pytest.raises(ValueError, match="multiple"):
        from_blob(b"abcde")


@settings(deadline=None)
@given(arrays(np.float32, (3, 16), elements=st.floats(-2, 2, width=32)))
def test_the_binary_code_is_that_of_sqlite_vec(vectors):
    connection = sqlite3.connect(":memory:")
    if not hasattr(connection, "enable_load_extension"):
        pytest.skip("this Python's sqlite3 cannot load extensions")
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    theirs = [connection.execute("select vec_quantize_binary(?)", (to_blob(row),)).fetchone()[0] for row in vectors]
    codes = binary_code(vectors)
    assert codes.shape == (3, 2)
    assert [code.tobytes() for code in codes] == theirs


@pytest.mark.parametrize("length", [1e300, 3e38, 1e30, 1e-30, 1e-42, 5e-324])
def test_a_row_of_any_length_has_a_direction(length: float) -> None:
    rows = np.array([[length, 0], [length, length], [0, 0], [3, 4]])
    units = unit_rows(rows)
    assert units.dtype == np.float32
    assert np.allclose(units, [[1, 0], [2**-0.5, 2**-0.5], [0, 0], [0.6, 0.8]])
    assert (units[3] == unit_rows(rows[3:])[0]).all()  # and changes no other row


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_row_without_a_length_stays_what_it_is(odd: float) -> None:
    assert not np.isfinite(unit_rows(np.array([[odd, 1.0], [3, 4]]))[0]).all()


def test_unit_rows_leaves_zero_rows_alone():
    np.testing.assert_allclose(unit_rows(np.array([[3, 4], [0, 0]])), [[0.6, 0.8], [0, 0]], rtol=1e-6)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.one_of(ANY_TEXT, st.sampled_from(["quince", "##s", "[PAD]", "[UNK]", "ß", '"', "\\", "的", ","])),
        max_size=90,
    )
)
def test_the_stored_vocabulary_says_what_the_file_says(asked: list[str]) -> None:
    expected = read(FOLDER / "tokenizer.json")
    found = StoredVocabulary(FOLDER / "tokenizer.json")
    assert [found.get(word) for word in asked] == [expected.get(word) for word in asked]


def test_every_word_of_the_stored_vocabulary_is_found_by_its_text() -> None:
    found = StoredVocabulary(FOLDER / "tokenizer.json")
    for word, number in list(read(FOLDER / "tokenizer.json").items())[::397]:
        assert found._found(word) == number


def test_the_mapped_arrays_are_those_of_safetensors() -> None:
    from safetensors.numpy import load_file

    mapped = stored_model.arrays(FOLDER / "model.safetensors")
    loaded = load_file(FOLDER / "model.safetensors")
    assert mapped.keys() == loaded.keys()
    assert all(
        np.array_equal(mapped[name], array) and mapped[name].dtype == array.dtype for name, array in loaded.items()
    )
