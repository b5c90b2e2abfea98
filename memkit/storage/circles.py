"""Circles: an entity merged into itself over others, or a relation that replaced itself; following them never ends.

memkit never writes one; a file or an export from elsewhere may hold one.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from memkit.storage.connection import Connection

# For each column that names another row of its table: the rows that have it, and the ids for the message.
SELECT_STEPS: Mapping[str, str] = {
    "entities.merged_into": "select key, merged_into, id from entities where merged_into is not null",
    "relations.superseded_by": "select key, superseded_by, id from relations where superseded_by is not null",
}
OPEN_CIRCLE: Mapping[str, str] = {
    "entities.merged_into": "update entities set merged_into = null where id in (select value from json_each(:ids))",
    "relations.superseded_by": """
        update relations set superseded_by = null where id in (select value from json_each(:ids))
    """,
}


def circles(conn: Connection) -> dict[str, list[str]]:
    """For each column of OPEN_CIRCLE that has circles, the ids of the rows in the first one that is found."""
    found = {}
    for column, query in SELECT_STEPS.items():
        rows = conn.execute(query).fetchall()
        try:
            TopologicalSorter({row[0]: (row[1],) for row in rows}).prepare()
        except CycleError as error:
            within = set(error.args[1])
            found[column] = [row[2] for row in rows if row[0] in within]
    return found
