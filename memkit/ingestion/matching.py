"""Record matching: finds the existing memory of each record, by what they have in common."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    """The features by which records and memories are matched. `hash` is of all fields, `text_hash` of the text."""

    document_key: int | None
    source_id: str | None
    hash: str
    text_hash: str | None
    archived: bool = False
    moment: tuple[str, str] | None = None  # of a message that may be edited: who said it, and when


Criterion = Callable[[Marks], Hashable | None]  # the value that must be equal; None means no match


def _all(marks: Marks) -> Hashable:
    return marks.document_key, marks.hash


def _source_and_text(marks: Marks) -> Hashable:
    return marks.document_key, marks.source_id, marks.text_hash


def _text(marks: Marks) -> Hashable:
    return marks.document_key, marks.text_hash


def _source(marks: Marks) -> Hashable | None:
    """A changed text replaces the text of a current memory, never that of an archived one."""
    return None if marks.source_id is None or marks.archived else (marks.document_key, marks.source_id)


def _moment(marks: Marks) -> Hashable | None:
    """What another file has under the same id is the same message, edited, if the same speaker said it then."""
    return None if None in (marks.source_id, marks.moment) else (marks.document_key, marks.source_id, marks.moment)


def _id_and_text(marks: Marks) -> Hashable | None:
    return None if marks.source_id is None else (marks.source_id, marks.text_hash)


# A passage of a note may move under another heading (WHOLE). A table row with another id is another row (PARTIAL).
WHOLE: tuple[Criterion, ...] = (_all, _source_and_text, _text, _source)
PARTIAL: tuple[Criterion, ...] = (_all, _source_and_text, _source, _moment)
# A record that keeps its id wherever it is copied to may be in another document (SHARED).
SHARED: tuple[Criterion, ...] = (_source_and_text, _id_and_text, _source)


def match(records: Sequence[Marks], known: Sequence[Marks], rules: Sequence[Criterion]) -> list[int | None]:
    """For each record, the index in `known` of its memory, or None for a new record.

    A memory matches at most one record. Of equal ones, the first record gets the first memory.
    """
    found: list[int | None] = [None] * len(records)
    if not known:
        return found
    free = dict.fromkeys(range(len(known)))
    for rule in rules:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for place in free:
            waiting[rule(known[place])].append(place)
        for i, record in enumerate(records):
            common = rule(record) if found[i] is None else None
            if common is not None and waiting.get(common):
                found[i] = waiting[common].popleft()
                del free[found[i]]  # type: ignore[arg-type]
    return found
