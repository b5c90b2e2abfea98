"""Which memory a record is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memkit.ingestion.matching import PARTIAL, SHARED, WHOLE, Marks, match

MARKS = st.builds(
    Marks,
    document_key=st.sampled_from([1, 2]),
    source_id=st.sampled_from([None, "a", "b"]),
    hash=st.sampled_from("hijk"),
    text_hash=st.sampled_from("tuv"),
    archived=st.booleans(),
)


def marks(source_id: str | None, text: str, hash: str = "", archived: bool = False) -> Marks:
    return Marks(1, source_id, hash or f"{source_id} {text}", text, archived)


def test_what_is_wholly_the_same_comes_before_what_has_the_same_text() -> None:
    known = [marks("a", "x", "old"), marks("a", "x", "same")]
    assert match([marks("a", "x", "same"), marks("a", "x", "new")], known, WHOLE) == [1, 0]


def test_a_passage_is_found_under_another_heading_but_a_row_not_under_another_id() -> None:
    assert match([marks("a", "x")], [marks("b", "x")], WHOLE) == [0]
    assert match([marks("a", "x")], [marks("b", "x")], PARTIAL) == [None]


def test_a_changed_text_takes_the_place_of_a_living_memory_only() -> None:
    assert match([marks("a", "x")], [marks("a", "y")], PARTIAL) == [0]
    assert match([marks("a", "x")], [marks("a", "y", archived=True)], PARTIAL) == [None]
    assert match([marks("a", "x")], [marks("a", "x", "old", archived=True)], PARTIAL) == [0]


def test_only_a_record_that_keeps_its_id_is_found_in_another_document() -> None:
    elsewhere = Marks(2, "a", "hash", "x")
    assert match([marks("a", "x")], [elsewhere], SHARED) == [0]
    assert match([marks("a", "x")], [elsewhere], PARTIAL) == [None]
    assert match([marks("a", "y"), marks("b", "x")], [elsewhere], SHARED) == [None, None]
    assert match([marks(None, "x")], [Marks(2, None, "hash", "x")], SHARED) == [None]


def test_among_equals_the_first_gets_the_first() -> None:
    same = marks(None, "ok")
    assert match([same, same, same], [same, same], WHOLE) == [0, 1, None]


@given(st.lists(MARKS, max_size=8), st.lists(MARKS, max_size=8), st.sampled_from([WHOLE, PARTIAL]))
def test_no_memory_is_two_records_nor_in_another_document(
    records: list[Marks], known: list[Marks], rules: tuple[object, ...]
) -> None:
    found = match(records, known, rules)  # type: ignore[arg-type]
    taken = [place for place in found if place is not None]
    assert len(found) == len(records)
    assert len(set(taken)) == len(taken)
    for record, place in zip(records, found, strict=True):
        assert place is None or known[place].document_key == record.document_key


@given(st.lists(MARKS, max_size=10), st.sampled_from([WHOLE, PARTIAL]))
def test_everything_finds_itself(known: list[Marks], rules: tuple[object, ...]) -> None:
    found = match(known, known, rules)  # type: ignore[arg-type]
    assert [known[place] if place is not None else None for place in found] == known or all(
        place is not None and known[place].hash == record.hash for record, place in zip(known, found, strict=True)
    )
