"""Claimed memories are a dict of keys and files, in less room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memkit.ingestion.claimed import Claimed

KEYS = st.integers(-2, 30)
NOTED = st.lists(st.tuples(st.one_of(KEYS, st.integers(0, 3)), st.sampled_from([None, "a", "b"])), max_size=60)


@given(NOTED)
def test_the_first_file_of_each_key_is_known(noted: list[tuple[int, str | None]]) -> None:
    claimed, oracle = Claimed(), dict[int, str | None]()
    for key, file in noted:
        claimed.add(key, file)
        oracle.setdefault(key, file)
    for key in range(-3, 32):
        assert (key in claimed, claimed.file_of(key)) == (key in oracle, oracle.get(key))


def test_a_million_keys_of_one_file_are_one_range() -> None:
    claimed = Claimed()
    for key in range(1, 1_000_001):
        claimed.add(key, "turns.jsonl")
    assert len(claimed._files) == 1
    assert not claimed._others
    assert 1_000_000 in claimed
    assert 1_000_001 not in claimed
