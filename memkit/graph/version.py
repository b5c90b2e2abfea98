"""Graph version counter: counts the changes of the graph that add no row, such as deletions."""

from __future__ import annotations

from memkit.storage.connection import Connection
from memkit.storage.store import GRAPH_VERSION, count_up


def bump(conn: Connection) -> None:
    """Counts a change or deletion in the graph, so that everything cached from it is rebuilt."""
    count_up(conn, GRAPH_VERSION)
