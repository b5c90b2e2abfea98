"""What a memory said before it was edited: relations stay history then, names entities, words counted.

None of that leads back to the memory any more, so it is written down whose it was. Forgetting for good needs to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.store import keys_json
from memkit.text import has_cjk, words

SELECT_TEXTS = "select key, text from memories where key in (select value from json_each(:keys))"
INSERT_FORMER = """
insert into former (memory_key, relation_key, entity_key)
select memory_key, relation_key, null from evidence where memory_key in (select value from json_each(:keys))
union all
select memory_key, null, entity_key from mentions where memory_key in (select value from json_each(:keys))
on conflict do nothing
"""
INSERT_WORD = "insert into former (memory_key, word) values (?, ?) on conflict do nothing"
SELECT_WORDS = """
select distinct word from former
where word is not null and memory_key in (select value from json_each(:keys))
"""


def keep(conn: Any, edited: Mapping[int, str]) -> None:
    """Writes down what memories say that are about to say these texts instead (by key); inside a transaction."""
    if not edited:
        return
    parameters = {"keys": keys_json(edited)}
    for key, before in conn.execute(SELECT_TEXTS, parameters).fetchall():
        conn.executemany(INSERT_WORD, [(key, word) for word in sorted(counted(before) - counted(edited[key]))])
    conn.execute(INSERT_FORMER, parameters)


def counted(text: str) -> set[str]:
    """The words of a text under which reading counts it (`word_cases`)."""
    return {word for word in (*words(text), *text.lower().split()) if not has_cjk(word)}


def said(conn: Any, keys: Iterable[int]) -> set[str]:
    """The words that these memories said before they were edited."""
    return {row[0] for row in conn.execute(SELECT_WORDS, {"keys": keys_json(keys)})}
