"""Own words: the full-text index of each memory's own words, made in a file that indexed those of its neighbours, too.

Until version 6 each row of the index repeated the texts of four neighbours. Recall adds their words itself now.
"""

from __future__ import annotations

from collections.abc import Mapping

from memkit.core.progress import bar
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.schema_check import tokens

AT_ONCE = 1000  # memories

# What version 6 made otherwise, in the order in which it can be dropped, and the hash of each one's SQL.
OF_BEFORE = {
    "memories_index_replace": "b59343a23da057dca30efd57f8e70822957fedb136c1babda6744d4c723142c4",
    "memories_index_insert": "5e410c45503ad10ac561ccacaac9b952dfa20e53ac7d1b15f33e259fc624d597",
    "memories_index_delete": "dc7ba36ab19e771fa0817f65f288209e1ed26d94661a0bb37292f4bf175c9975",
    "memories_index_update": "d9c6375016b04cf8a6b25fe7517e0aa42885da92f532954d863f7987c6445a1b",
    "index_stale_insert": "645419a8b0a140e595d3414f3814c59183d0b57fbf7c785094190d1f553486d9",
    "memories_bigrams": "1b3e30348987fe04697cd8f492fe0e42d0d7fa95607a377b71de046945ae9dcb",
    "memories_indexed": "a6219d023c94f40a47cc9a446077dcab942b389c3facbb4c1a6f11bc05c3e1e4",
    "memories_fts": "89fd3f07d4da96e2360c8acb150506a083dcd58192a84a3d13b1092fb3d02132",
    "memories_cjk": "3d5381205ee175e973cddcf092a7bfeab5e05a94d662024ac1ec53092fb916bf",
    "index_replaced": "7b37baaa30632734bb7e09a1689cce4002e29ed6f77118100f4b029fa736eece",
}
ON_THESE = ("memories_replaced",)  # goes with a table, and is made again as it was

SELECT_SQL = "select sql from sqlite_master where name = :name"
HAS_NEIGHBOURS = "select exists (select 1 from pragma_table_xinfo('memories_fts') where name = 'context')"
SELECT_TYPES = """
select name, type from sqlite_master where name in (select value from json_each(:names)) and type <> 'index'
"""
COUNT_KEYS = "select count(*) from memories"
SELECT_KEYS = "select key from memories where key > :after order by key limit :limit"


def is_of_before(conn: Connection, name: str) -> bool:
    """Whether a view, trigger or table of this name is the one that version 6 made."""
    from hashlib import sha256

    row = conn.execute(SELECT_SQL, {"name": name}).fetchone()
    return row is not None and OF_BEFORE.get(name) == sha256(tokens(row[0]).encode()).hexdigest()


def index(conn: Connection, made: Mapping[str, str]) -> None:
    """Makes the index anew if it has the neighbours' words. Call it in a transaction. `made` is today's SQL by name."""
    if not conn.execute(HAS_NEIGHBOURS).fetchone()[0]:
        return
    there = dict(map(tuple, conn.execute(SELECT_TYPES, {"names": store.dumps([*OF_BEFORE, *ON_THESE])})))
    for name in OF_BEFORE:
        if name in there:
            conn.execute(f"drop {there[name]} {name}")
    for name in (*reversed(OF_BEFORE), *(name for name in ON_THESE if name in there)):
        conn.execute(made[name])
    last = 0
    with bar(conn.execute(COUNT_KEYS).fetchone()[0], "memories of an older file") as tell:
        while keys := [row[0] for row in conn.execute(SELECT_KEYS, {"after": last, "limit": AT_ONCE})]:
            store.reindex_text(conn, keys, fresh=True)
            last = keys[-1]
            tell(len(keys))
