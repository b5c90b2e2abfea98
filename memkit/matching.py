"""Which of the memories that are already there a record is: found by what they have in common, most first."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    """What a record or a memory is known by. `hash` is of all that its source says of it, `text_hash` of its text."""

    document_key: int | None
    source_id: str | None
    hash: str
    text_hash: str | None
    archived: bool = False


Rule = Callable[[Marks], Hashable | None]  # what has to be equal; None for what cannot match at all


def _all(marks: Marks) -> Hashable:
    return marks.document_key, marks.hash


def _source_and_text(marks: Marks) -> Hashable:
    return marks.document_key, marks.source_id, marks.text_hash


def _text(marks: Marks) -> Hashable:
    return marks.document_key, marks.text_hash


def _source(marks: Marks) -> Hashable | None:
    """A changed text takes its place only where the old one has just gone, not where it went long ago."""
    return None if marks.source_id is None or marks.archived else (marks.document_key, marks.source_id)


# A passage of a note may have moved under another heading; a row of a table is another row if its id is another one.
WHOLE: tuple[Rule, ...] = (_all, _source_and_text, _text, _source)
PARTIAL: tuple[Rule, ...] = (_all, _source_and_text, _source)


def match(records: Sequence[Marks], known: Sequence[Marks], rules: Sequence[Rule]) -> list[int | None]:
    """For each record the place in `known` of the memory that it is, or None for a new one.

    No memory is two records. Among equals the first record gets the first memory.
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
