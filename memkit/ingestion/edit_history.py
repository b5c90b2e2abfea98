"""Edit history: the relations, names and words that memories no longer state since they were edited.

Nothing else connects these with the memory any more. But forgetting a memory for good must delete them, too, so they
are stored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.extract.case import countable
from memkit.text.words import has_cjk, words

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


def record_edits(conn: Connection, edited: Mapping[int, str]) -> None:
    """Stores the present relations, entities and words of memories that get new texts (by key); in a transaction."""
    if not edited:
        return
    parameters = {"keys": keys_json(edited)}
    for key, before in conn.execute(SELECT_TEXTS, parameters).fetchall():
        conn.executemany(
            INSERT_WORD, [(key, word) for word in sorted(counted_words(before) - counted_words(edited[key]))]
        )
    conn.execute(INSERT_FORMER, parameters)


def counted_words(text: str) -> set[str]:
    """The words of a text as they are counted in `word_cases`, with the marks of links and labels."""
    return countable(text).union(word for word in (*words(text), *text.lower().split()) if not has_cjk(word))


def words_before(conn: Connection, keys: Iterable[int]) -> set[str]:
    """The words that these memories had before edits."""
    return {row[0] for row in conn.execute(SELECT_WORDS, {"keys": keys_json(keys)})}
