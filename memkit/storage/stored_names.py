"""Stored names: whether each name is compared as this memkit compares names, and what mends those that are not.

An older memkit took the vowels of India's and other scripts for the ends of words, and left out the signs of names:
`राम` and `रोम` were the same to it, and so were `C++` and `C#`.
"""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.formatting import counted
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.text.words import normal_name

# Only in letters beyond Latin, Greek and Cyrillic, and in names with these signs has that changed.
SELECT_NAMES = """
select 'entities' as held, key, name, normal from entities where name glob '*[\u0591-\u1fff+#]*'
union all
select 'aliases', key, alias, normal from aliases where alias glob '*[\u0591-\u1fff+#]*'
"""
UPDATE_NAME = {
    "entities": "update entities set normal = :normal where key = :key",
    # What is the same name of the same entity now is there already.
    "aliases": "update or ignore aliases set normal = :normal where key = :key",
}


def outdated(conn: Connection) -> list[tuple[str, int, str]]:
    """The table, the key and the new form of each name that is stored in another form."""
    rows = conn.execute(SELECT_NAMES)
    return [(held, key, new) for held, key, name, old in rows if (new := normal_name(name)) != old and new]


def mend(conn: Connection) -> Iterator[str]:
    """Stores them as they are compared; says how many."""
    if not (names := outdated(conn)):
        return
    with writing(conn):
        done = sum(conn.execute(UPDATE_NAME[held], {"key": key, "normal": new}).rowcount for held, key, new in names)
    if done:
        yield f"compared anew: {counted(done, 'names')}"
