"""Own voice: whose words a memory is, so that `I` in it is the right person, or nobody.

In a chat it is the speaker. A memory that was written by hand, and a row of a table, is the user's own. A folder of
notes also holds articles, interviews and pages about people. So `I` in a note is nobody, until an ingest has said that
the notes of a folder or file are in the user's own voice (`own_voice=True`); the nearest path decides. A document (a
web page, a PDF, captions) is mostly somebody else's: only one that was named itself is the user's own. What was marked
in books, saved, sent or invited to is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.core.roles import OWN, chosen_name, is_nobody, is_role, is_user
from memkit.ingestion.subjects import is_person
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.json_columns import json_object, object_in, or_empty
from memkit.storage.store import dumps
from memkit.text.words import normal_name

SETTING = "own_voice"  # setting: from a path to whether the notes there are in the user's own voice

_FILES = ("note", "notebook")  # kinds of documents that may be anybody's words
_OTHERS = ("author", "authors", "by", "source", "url", "link")  # fields of a page that was taken from somebody

SELECT_WHOSE = f"""
select m.key, m.speaker, m.title, d.kind as document_kind, d.meta, coalesce(d.source, '') as source,
    json_extract({or_empty("m.meta")}, '$.forwarded_from') as forwarded_from
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys))
"""
FORGET_BELOW = """
delete from extractions
where extractor <> 'case statistics 1' and memory_key in (
    select m.key from memories as m join documents as d on d.key = m.document_key
    where exists (
        select 1 from json_each(:roots) as p
        where d.source = p.value or substr(d.source, 1, length(p.value) + 1) = p.value || '/'
    )
)
"""


def keep(conn: Connection, roots: Iterable[str], own: bool) -> None:
    """Stores whether the notes at these paths are in the user's own voice; if that is new, they are read again."""
    known = store.setting(conn, SETTING, {})
    told = dict.fromkeys(roots, own)
    if told.items() <= known.items():
        return
    with writing(conn):
        store.set_setting(conn, SETTING, {**known, **told})
        conn.execute(FORGET_BELOW, {"roots": dumps(list(told))})


def voices(conn: Connection) -> dict[str, bool]:
    """Whether notes are in the user's own voice, by their path."""
    return {path: own for path, own in store.setting(conn, SETTING, {}).items() if isinstance(own, bool)}


def who_says_i(row: Any, me: str, voices: Mapping[str, bool]) -> str:
    """Who `I` is in a memory: a name, or empty text.

    The row has `speaker`, `title` and who said first what he passed on (`forwarded_from`), and `source`,
    `document_kind` and `meta` of its document.
    """
    speaker: str | None = row["speaker"]
    if speaker and row["forwarded_from"]:
        return chosen_name(str(row["forwarded_from"]))
    if speaker:
        return me if is_user(speaker) else "" if is_role(speaker) or is_nobody(speaker) else speaker
    if (kind := row["document_kind"] or "") in OWN:
        return me
    own = _is_own(row["source"], voices) if kind in _FILES else voices.get(row["source"], False)
    return me if own and not is_person(row) and not _is_taken(row, me) else ""


def whose(conn: Connection, keys: Iterable[int], me: str) -> dict[int, str]:
    """Who `I` is in each of these memories, by their keys; empty text for nobody."""
    told = voices(conn)
    rows = conn.execute(SELECT_WHOSE, {"keys": store.keys_json(keys)}).fetchall()
    return {row["key"]: who_says_i(row, me, told) for row in rows}


def _is_own(source: str, voices: Mapping[str, bool]) -> bool:
    above = [path for path in voices if source == path or source.startswith(f"{path}/")]
    return bool(above) and voices[max(above, key=len)]


def _is_taken(row: Any, me: str) -> bool:
    """Whether a note's front matter says that it is an article, a book or a page of somebody else."""
    fields = object_in(json_object(row["meta"]), "fields")
    said = [str(value) for key, value in fields.items() if str(key).casefold() in _OTHERS and value]
    return any(normal_name(value) != normal_name(me) for value in said)
