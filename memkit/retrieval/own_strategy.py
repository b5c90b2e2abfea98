"""Own strategy: the one that a database answers with when a question names none. Without one it is memkit's."""

from __future__ import annotations

from collections.abc import Mapping

from memkit.core.errors import MemkitError
from memkit.retrieval.registry import AnyStrategy, strategy
from memkit.retrieval.strategies import MEMKIT, Strategy
from memkit.retrieval.strategy_check import check
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

SETTING = "strategy"


def _read(value: object) -> Strategy | None:
    if not isinstance(value, Mapping):
        return None
    try:
        found = strategy(value)
        check(found)
    except (MemkitError, ValueError, TypeError):
        return None
    return found


def is_strategy(value: object) -> bool:
    """Whether a stored value is a strategy that this memkit can use."""
    return _read(value) is not None


def own(conn: Connection) -> Strategy:
    """The strategy of this database; memkit's if it has none, or one that this memkit does not know."""
    return _read(store.setting(conn, SETTING)) or MEMKIT


def keep(conn: Connection, given: AnyStrategy | None) -> Strategy:
    """Makes a strategy that of this database; None gives memkit's back. Returns the strategy.

    A dict is stored as it is: what it does not name stays what memkit thinks best. Raises NotFound for an unknown name,
    BadQuestion for a field or value that no strategy has.
    """
    chosen = strategy(given)
    check(chosen)
    stored = dict(given) if isinstance(given, Mapping) else chosen.to_dict()
    with writing(conn):
        store.set_setting(conn, SETTING, None if given is None else stored)
    return chosen
