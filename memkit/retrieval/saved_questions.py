"""Saved questions: questions of a database under a name, each with where it looks and what narrows its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from memkit.core.errors import BadQuestion, NotFound, one_of
from memkit.core.formatting import short
from memkit.core.validation import is_list_of_texts
from memkit.retrieval.strategies import Strategy
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

SETTING = "questions"  # {name: {"question": ..., "options": {...}, "has": {"kind": ["note"], ...}}}
MOST, LONGEST_NAME = 200, 80


@dataclass(frozen=True)
class SavedQuestion:
    """A question under a name. `options` are what `db.recall` takes besides it; `has` are the values that its answers
    must have, by column: `{"kind": ["note"], "year": ["2025"]}`."""

    name: str
    question: str
    options: Mapping[str, Any] = field(default_factory=dict)
    has: Mapping[str, Sequence[str]] = field(default_factory=dict)


def is_saved(value: object) -> bool:
    """Whether a stored value is what `keep` writes."""
    return (
        isinstance(value, Mapping)
        and len(value) <= MOST
        and all(
            isinstance(name, str)
            and len(name) <= LONGEST_NAME
            and isinstance(one, Mapping)
            and isinstance(one.get("question"), str)
            and isinstance(one.get("options", {}), Mapping)
            and is_list_of_texts(one.get("options", {}).get("kinds", []))
            and isinstance(one.get("has", {}), Mapping)
            and all(map(is_list_of_texts, one.get("has", {}).values()))
            for name, one in value.items()
        )
    )


def saved(conn: Connection) -> list[SavedQuestion]:
    """The saved questions, the latest first; none where the setting is not one that memkit wrote."""
    stored = store.setting(conn, SETTING, {})
    if not is_saved(stored):
        return []
    found = [
        SavedQuestion(name, one["question"], one.get("options", {}), one.get("has", {})) for name, one in stored.items()
    ]
    return found[::-1]


def keep(conn: Connection, one: SavedQuestion) -> SavedQuestion:
    """Saves a question, as the latest; one with the same name is replaced.

    Without a name it has its own words. Raises BadQuestion without a question, for a long name, and for more than
    MOST questions.
    """
    question = one.question.strip()
    name = " ".join((one.name or short(question, LONGEST_NAME)).split())
    if not question:
        raise BadQuestion("There is no question to save.")
    if len(name) > LONGEST_NAME:
        raise BadQuestion(f"The name of a question has at most {LONGEST_NAME} characters, not {len(name):,}.")
    with writing(conn):
        others = {other.name: other for other in saved(conn)[::-1] if other.name != name}
        if len(others) >= MOST:
            raise BadQuestion(f"There are {MOST} saved questions already. Remove one first.")
        options = {option: _plain(value) for option, value in one.options.items()}
        made = SavedQuestion(name, question, options, {facet: list(values) for facet, values in one.has.items()})
        _write(conn, [*others.values(), made])
    return made


def drop(conn: Connection, name: str) -> SavedQuestion:
    """Removes a saved question, and returns it. Raises NotFound."""
    with writing(conn):
        known = {one.name: one for one in saved(conn)[::-1]}
        if name not in known:
            raise NotFound(one_of("saved question", name, known))
        gone = known.pop(name)
        _write(conn, list(known.values()))
    return gone


def _plain(value: Any) -> Any:
    """An option as JSON has it."""
    if isinstance(value, Strategy):
        return value.to_dict()
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple | set | frozenset) else value


def _write(conn: Connection, questions: Sequence[SavedQuestion]) -> None:
    stored = {one.name: {"question": one.question, "options": one.options, "has": one.has} for one in questions}
    store.set_setting(conn, SETTING, stored)
