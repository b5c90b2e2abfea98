"""Packing keeps the order of ranks, never exceeds its budget, and is never ended by something too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.retrieval.packing import Packed, fit, fit_together, retrieval_budget, rooms, shares
from memkit.retrieval.published.kira import SHARES
from memkit.retrieval.published.membox import footer, two_pools

SIZES = st.lists(st.integers(0, 60), max_size=20)
BUDGETS = st.integers(-5, 200)


def cut(item, room):
    return item[:room] or None


def test_x01_an_item_too_long_never_ends_packing():
    assert fit(["aa", "bbbbbbbbb", "cc"], 5, len) == Packed(("aa", "cc"), 4, ("bbbbbbbbb",))


def test_k26_an_item_too_long_is_compressed_when_that_fits():
    assert fit(["aa", "bbbb", "cc"], 5, len, cut) == Packed(("aa", "bbb"), 5, ("cc",))


def test_k26_a_compressed_item_that_is_still_too_long_is_passed_over():
    assert fit(["aa", "bbbb", "cc"], 4, len, lambda item, room: item[:3]) == Packed(("aa", "cc"), 4, ("bbbb",))


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_of_nothing_packs_nothing(budget):
    assert fit(["a"], budget, len, cut) == Packed((), 0, ("a",))


@given(SIZES, BUDGETS, st.booleans())
def test_packing_keeps_the_order_and_the_budget(sizes, budget, compressing):
    items = [(rank, "x" * size) for rank, size in enumerate(sizes)]
    compress = (lambda item, room: (item[0], item[1][:room])) if compressing else None
    packed = fit(items, budget, lambda item: len(item[1]), compress)
    ranks = [rank for rank, _ in packed.items]
    assert ranks == sorted(ranks)
    assert packed.used == sum(len(text) for _, text in packed.items) <= max(0, budget)
    assert sorted(ranks + [rank for rank, _ in packed.left_out]) == list(range(len(items)))


def test_k27_a_share_of_nothing_is_allowed_and_gets_what_the_others_leave():
    assert rooms({"a": 10, "b": 30}, 30, {"a": 0.0, "b": 1.0}) == {"a": 0, "b": 30}
    assert rooms({"a": 10, "b": 10}, 30, {"a": 0.0, "b": 1.0}) == {"a": 10, "b": 10}


def test_k26_an_item_that_a_category_shortens_keeps_its_place():
    assert shares({"a": ["zz", "yyyy", "x"]}, 5, {"a": 1.0}, len, cut)["a"] == Packed(("zz", "yyy"), 5, ("x",))
    packed = shares({"a": ["zz", "yyyy", "x"], "b": ["ww"]}, 7, {"a": 0.8, "b": 0.2}, len, cut)
    assert packed == {"a": Packed(("zz", "yyyy"), 6, ("x",)), "b": Packed(("w",), 1, ())}


def test_a_page_that_is_too_long_without_any_item_has_none():
    def page(items):
        return 10 + sum(map(len, items))

    assert fit_together(["a", "b"], 9, page) == Packed((), 0, ("a", "b"))
    assert fit_together(["a", "b"], 10, page, cut) == Packed((), 10, ("a", "b"))
    assert fit_together(["a", "b"], 11, page) == Packed(("a",), 11, ("b",))
    assert fit_together([], 10, page) == Packed((), 10, ())


def test_what_is_together_too_long_is_tried_one_by_one():
    asked = []

    def shorter(item, room):
        asked.append((item, room))
        return item[:room] or None

    found = fit_together(["aaa", "bbbb", "c", "dd"], 6, lambda items: sum(map(len, items)), shorter)
    assert found == Packed(("aaa", "bbb"), 6, ("c", "dd"))
    assert asked == [("bbbb", 3)], "with no room left nothing is shortened"


def test_k25_the_retrieval_budget_is_what_others_and_the_margin_leave():
    assert retrieval_budget(8000, 1000, 200, 100, 2000, 1500) == 8000 - 4800 - 400
    assert retrieval_budget(1000, 2000) == 0


def test_k27_the_shares_sum_to_the_whole():
    assert sum(SHARES.values()) == pytest.approx(1)


def test_k27_a_category_gets_at_most_its_share_when_all_want_more():
    assert rooms(dict.fromkeys(SHARES, 1000), 1000, SHARES) == {
        "profile": 150,
        "referenced": 300,
        "episodes": 300,
        "neighbours": 150,
        "procedures": 100,
    }


def test_k27_what_one_category_does_not_want_flows_to_the_most_important_other():
    assert rooms({"a": 10, "b": 90, "c": 90}, 100, {"a": 0.4, "b": 0.3, "c": 0.3}) == {"a": 10, "b": 60, "c": 30}


def test_a_category_without_a_cap_lives_on_leftovers():
    assert rooms({"other": 50, "a": 20}, 60, {"a": 0.5}) == {"a": 20, "other": 40}


def test_a_negative_share_is_refused():
    with pytest.raises(ValueError, match="cannot be negative"):
        rooms({"a": 1}, 10, {"a": -0.1})


def test_items_that_came_in_by_leftovers_keep_their_rank():
    """The room of `a` is 5 tokens, so `bb` waits; `c` leaves 3 of its 5 over."""
    packed = shares({"a": ["aaaa", "bb", "d"], "c": ["ccccccc", "cc"]}, 10, {"a": 0.5, "c": 0.5}, len)
    assert packed["a"] == Packed(("aaaa", "bb", "d"), 7, ())
    assert packed["c"] == Packed(("cc",), 2, ("ccccccc",))


@given(st.dictionaries(st.sampled_from([*SHARES, "other"]), SIZES), BUDGETS, st.booleans())
def test_shares_keep_the_budget_and_lose_nothing(sizes, budget, compressing):
    categories = {name: ["x" * size for size in row] for name, row in sizes.items()}
    packed = shares(categories, budget, SHARES, len, cut if compressing else None)
    assert set(packed) == set(categories)
    assert sum(one.used for one in packed.values()) <= max(0, budget)
    for name, one in packed.items():
        assert one.used == sum(map(len, one.items))
        assert len(one.items) + len(one.left_out) == len(categories[name])


def test_m11_a_triple_too_long_is_passed_over():
    assert two_pools(["aaaa", "b" * 30, "cc"], [], 10, len, len).triples == ("aaaa", "cc")


def test_m12_evidence_is_shown_for_the_three_best_triples():
    packed = two_pools(["a", "b", "c", "d"], [], 50, len, len, evidence=lambda triple: triple * 3)
    assert packed.evidence == (("a", "aaa"), ("b", "bbb"), ("c", "ccc"))


def test_m13_chunks_keep_their_share_of_the_budget():
    packed = two_pools(["t" * 4] * 5, ["c" * 8] * 2, 20, len, len)
    assert packed.chunks == ("c" * 8,)
    assert packed.triples == ("tttt",) * 3


def test_m13_what_triples_leave_over_flows_to_chunks():
    assert two_pools(["tt"], ["c" * 8, "d" * 8], 20, len, len).chunks == ("c" * 8, "d" * 8)


def test_m13_what_chunks_leave_over_is_filled_with_more_triples_in_rank_order():
    packed = two_pools(["a" * 7, "b" * 6, "c" * 5], ["d" * 30], 20, len, len)
    assert (packed.triples, packed.chunks) == (("a" * 7, "b" * 6, "c" * 5), ())


def test_m13_a_chunk_shown_as_evidence_is_not_shown_again():
    packed = two_pools(["t"], ["same", "next"], 40, len, len, evidence=lambda triple: "same")
    assert packed.evidence == (("t", "same"),)
    assert packed.chunks == ("next",)


@given(SIZES, SIZES, BUDGETS, st.booleans())
def test_two_pools_keep_the_budget_and_the_order(triple_sizes, chunk_sizes, budget, compressing):
    triples = [(rank, size) for rank, size in enumerate(triple_sizes)]
    chunks = [(rank, size) for rank, size in enumerate(chunk_sizes)]

    def cost(item):
        return item[1]

    compress = (lambda item, room: (item[0], room)) if compressing else None
    proof = dict(zip(triples, chunks, strict=False)).get
    packed = two_pools(triples, chunks, budget, cost, cost, evidence=proof, compress=compress)
    shown = [*packed.triples, *(chunk for _, chunk in packed.evidence), *packed.chunks]
    assert sum(map(cost, shown)) <= max(0, budget)
    assert list(packed.triples) == sorted(packed.triples)
    assert [rank for rank, _ in packed.chunks] == sorted(rank for rank, _ in packed.chunks)


def test_m14_the_footer_says_what_was_returned():
    assert footer((45, 120), (1980, 2000)) == "(returned 45/120 triples, ~1980/2000 tokens)"
    assert footer((45, 120), (1980, 2000), chunks=(3, 9)) == (
        "(returned 45/120 triples, 3/9 FTS chunks, ~1980/2000 tokens; raise --budget for more)"
    )


def test_k26_nothing_is_compressed_into_no_room() -> None:
    asked: list[int] = []
    packed = fit(["ab", "cd"], 2, len, lambda item, room: asked.append(room))
    assert (packed.items, packed.left_out, asked) == (("ab",), ("cd",), [])
