"""The scan behind the search by meaning: bits choose what is compared exactly; here it is said naively."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from conftest import LetterEmbedder

from memkit import MemoryDatabase
from memkit.retrieval.channels import vector
from memkit.storage.filters import Scope

NOW = "2026-03-01T12:00:00Z"


def some_codes(n: int, dims: int, seed: int) -> tuple[list[list[int]], vector.Codes, list[int]]:
    """n vectors of small numbers (1) and large ones (3), their codes, and the keys of their memories, in no order."""
    chance = np.random.default_rng(seed)
    vectors = chance.choice([-3, -1, 1, 3], (n, dims))
    vectors[:, :2] = 1, -3  # none has only numbers of one size
    keys = (chance.permutation(n) + 1).tolist()
    return vectors.tolist(), vector.codes_of(np.array(keys, np.int64), vectors.astype(np.float32)), keys


def differ(one: Sequence[float], asked: Sequence[float]) -> int:
    return sum((a > 0) != (b > 0) for a, b in zip(one, asked, strict=True))


def agree(one: Sequence[float], asked: Sequence[float]) -> float:
    return sum(number for number, sign in zip(asked, one, strict=True) if sign > 0)


def cosine(one: Sequence[float], asked: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, asked, strict=True)) / float(np.sqrt(sum(a * a for a in one)))


@pytest.mark.parametrize("dims", [5, 64, 130])
def test_the_distance_of_a_code_is_how_many_signs_differ(dims: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "BLOCK", 7)
    vectors, codes, _ = some_codes(23, dims, dims)
    question = codes.signs[:, 4]
    assert vector._distances(codes.signs, question).tolist() == [differ(one, vectors[4]) for one in vectors]


@pytest.mark.parametrize("dims", [5, 64, 130])
def test_codes_agree_by_the_numbers_at_their_set_bits(dims: int) -> None:
    vectors, codes, _ = some_codes(9, dims, dims)
    numbers = np.arange(1, dims + 1, dtype=np.float32) - dims // 2
    sums = vector._sums(numbers)
    assert vector._agreement(codes.signs, sums).tolist() == [agree(one, numbers.tolist()) for one in vectors]


@pytest.mark.parametrize("dims", [5, 64, 130])
def test_the_likeness_is_the_cosine_of_small_and_large_numbers(dims: int) -> None:
    vectors, codes, _ = some_codes(9, dims, dims)
    numbers = np.arange(1, dims + 1, dtype=np.float32) - dims // 2
    sums = vector._sums(numbers)
    agreed = vector._agreement(codes.signs, sums)
    likeness = vector._likeness(codes.signs, codes.large, agreed, numbers, sums)
    assert likeness.tolist() == [cosine(one, numbers.tolist()) for one in vectors]


@pytest.mark.parametrize("limit", [1, 2, 5, 17, 39, 40])
@pytest.mark.parametrize("chosen", [False, True])
def test_the_smallest_distances_are_taken_and_of_equal_ones_the_lowest_keys(limit: int, chosen: bool) -> None:
    _, codes, keys = some_codes(80, 8, limit)
    rows = np.arange(0, 80, 2) if chosen else None
    distance = np.random.default_rng(limit).integers(0, 6, 40 if chosen else 80).astype(np.uint16)
    key_of = [keys[row] for row in (rows.tolist() if rows is not None else range(80))]
    expected = sorted(range(len(distance)), key=lambda at: (distance[at], key_of[at]))[:limit]
    assert set(vector._smallest(distance, codes, rows, limit).tolist()) == set(expected)


def test_a_sample_that_misleads_loses_none_of_the_smallest() -> None:
    _, codes, keys = some_codes(160, 8, 1)
    distance = np.full(160, 5, np.uint16)
    distance[:: vector.SAMPLED] = 0  # all that is looked at first
    expected = sorted(range(160), key=lambda at: (distance[at], keys[at]))[:100]
    assert vector._smallest(distance, codes, None, 100).tolist() == sorted(expected)


@pytest.mark.parametrize("limit", [1, 3, 10, 99, 100, 150])
@pytest.mark.parametrize(("look", "second", "share"), [(4, 2, 0), (8, 8, 0), (2, 1, 5)])
@pytest.mark.parametrize("chosen", [False, True])
def test_candidates_are_the_likest_of_those_that_agree_most_among_the_nearest(
    limit: int, look: int, second: int, share: int, chosen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`share`: a hundredth of all rows is looked at, where that is more."""
    monkeypatch.setattr(vector, "FEW", 0)
    monkeypatch.setattr(vector, "FIRST_LOOK", look)
    monkeypatch.setattr(vector, "SECOND_LOOK", second)
    n = 100 * share or 100
    vectors, codes, keys = some_codes(n, 20, limit)
    rows = np.arange(0, n, 2) if chosen else None
    numbers = np.random.default_rng(look).integers(-3, 4, 20).astype(np.float32)
    asked = numbers.tolist()
    expected = rows.tolist() if rows is not None else list(range(n))
    if len(expected) > limit:
        most = max(look * limit, len(expected) // 100)
        expected = sorted(expected, key=lambda row: (differ(vectors[row], asked), keys[row]))[:most]
        expected = sorted(expected, key=lambda row: (-agree(vectors[row], asked), keys[row]))[: second * limit]
        expected = sorted(expected, key=lambda row: (-cosine(vectors[row], asked), keys[row]))[:limit]
    assert vector.candidates(codes, numbers, rows, limit).tolist() == sorted(expected)


def test_of_few_all_are_compared_exactly() -> None:
    _, codes, _ = some_codes(vector.FEW, 5, 1)
    numbers = np.ones(5, np.float32)
    assert vector.candidates(codes, numbers, None, 3).tolist() == list(range(vector.FEW))
    assert vector.candidates(codes, numbers, np.arange(0, 9, 2), 3).tolist() == [0, 2, 4, 6, 8]
    _, codes, _ = some_codes(vector.FEW + 1, 5, 1)
    assert len(vector.candidates(codes, numbers, None, 3)) == 3


def test_an_estimate_by_two_bits_loses_few_of_the_nearest() -> None:
    """Of vectors with no pattern, a tenth of which is compared exactly; by the signs alone it would be .93."""
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(2000, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = vector.codes_of(np.arange(2000), vectors)
    kept = []
    for question in vectors[:50] + chance.normal(size=(50, 128)).astype(np.float32) / 8:
        nearest = np.argsort(-(vectors @ question))[:20]
        kept.append(np.isin(nearest, vector.candidates(codes, question, None, 200)).mean())
    assert np.mean(kept) > 0.97


def test_two_hundred_are_compared_exactly_or_twice_as_many_as_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def candidates(codes: vector.Codes, question: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
        looked.append(limit)
        return np.arange(min(limit, 6))

    with MemoryDatabase(embed=LetterEmbedder()) as db:
        db.ingest([{"text": "a" * n + "b"} for n in range(1, 7)])
        question = db.embedder.encode(["a"])[0]
        monkeypatch.setattr(vector, "candidates", candidates)
        for limit, rescore in ((6, 200), (300, 200), (2, 1), (9, 2)):
            found = vector.search(db.conn, 1, question, Scope(NOW), limit=limit, rescore=rescore)
            assert len(found) == min(limit, 6), "where there are no more, nothing is looked for again"
        assert looked == [200, 600, 4, 18]
        looked.clear()
        db.conn.execute("update memories set archived_at = ? where key > 1", (NOW,))
        vector.search(db.conn, 1, question, Scope(NOW), limit=2, rescore=1)
        assert looked == [4, 16], "four times as many, until the rows end"
        looked.clear()
        assert vector.search(db.conn, 1, 0 * question, Scope(NOW), limit=2) == {}
        assert vector.search(db.conn, 1, question, Scope(NOW), limit=1) != {}
        assert looked == [200]


def test_codes_are_read_anew_where_a_tenth_of_them_is_old() -> None:
    def kept(db: MemoryDatabase) -> tuple[list[int], int]:
        codes = vector._codes(db.conn, 1, 26)
        return codes.memory_keys.tolist(), codes.signs.shape[1]

    with MemoryDatabase(embed=LetterEmbedder()) as db:
        db.ingest([{"id": n, "text": f"tea {'abcdefghij'[n % 10]}"} for n in range(20)])
        assert kept(db) == (list(range(1, 21)), 20)
        db.ingest([{"id": 0, "text": "coffee"}, {"id": 1, "text": "milk"}])
        assert kept(db) == ([*range(1, 21), 1, 2], 22), "two old rows are left: 22 of 20"
        db.ingest([{"id": 2, "text": "cake"}])
        assert sorted(kept(db)[0]) == list(range(1, 21)), "23 of 20 are too many"
        db.ingest([{"text": "one more"}])
        assert sorted(kept(db)[0]) == list(range(1, 22))


def test_damaged_vectors_have_no_cosine() -> None:
    with MemoryDatabase(embed=LetterEmbedder()) as db:
        db.ingest([{"text": text} for text in ("abc", "abd", "xyz", "aaa")])
        question = db.embedder.encode(["abc"])[0]
        stored = db.conn.execute("select memory_key, vector from embeddings order by memory_key").fetchall()
        exact = {key: float(np.frombuffer(blob, "<f4") @ question) for key, blob in stored}
        assert vector.cosines(db.conn, 1, question, [1, 2, 3, 99]) == pytest.approx(
            {key: exact[key] for key in (1, 2, 3)}
        )
        damaged = np.full(26, np.nan, "<f4").tobytes()
        db.conn.execute("update embeddings set vector = ? where memory_key = 1", (damaged,))
        assert vector.cosines(db.conn, 1, question, [1, 2]) == pytest.approx({2: exact[2]})
        assert 1 not in vector.search(db.conn, 1, question, Scope(NOW), limit=4)
