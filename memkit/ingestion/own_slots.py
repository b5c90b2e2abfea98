"""What the user's own words say for slots, read once from each text, and the values that they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memkit.core.roles import USERS, is_user
from memkit.core.types import GLOBAL, Memory
from memkit.graph.me import USER, me, my_names
from memkit.ingestion.own_voice import voices, who_says_i
from memkit.ingestion.remember import draft_of, remembered
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps
from memkit.text.extract.lessons import Said, may_teach
from memkit.text.extract.lessons import lessons as find_lessons
from memkit.text.extract.own_slots import PROJECT, SlotValue, find_slots, slot_lines
from memkit.text.extract.own_slots import USER as USER_SLOT
from memkit.text.words import normal_name

if TYPE_CHECKING:
    from memkit.embedding import Embedder

EXTRACTOR = "own slots 2"  # with a new number, everything is read again
PREFERENCES = ("style", "prefers", "favourite")
KINDS = ("turn", "episode", "fact", "preference", "note", "passage")
CONVERSATIONS = ("chat", "log")  # kinds of documents in which an assistant answers
BEFORE = 20  # messages before a text that are read for its lessons
TALKS = ("chat", "log", "memory", "note", "notebook")  # kinds of documents in which somebody speaks for himself

_OWN = f"""
    m.archived_at is null and m.slot is null and m.compression = 'raw'
    and m.kind in (select value from json_each(:kinds))
    and (m.speaker is null or lower(m.speaker) in ({", ".join(f"'{one}'" for one in sorted(USERS))})
        or lower(m.speaker) in (select value from json_each(:names)))
"""
SELECT_UNREAD = f"""
select m.key, m.id, m.hash, m.text, m.speaker, m.title, d.meta, m.project,
    json_extract({or_empty("m.meta")}, '$.forwarded_from') as forwarded_from, coalesce(d.source, '') as source,
    coalesce(d.kind, '') as document_kind, coalesce(m.happened_at, m.created_at) as said_at
from memories as m left join documents as d on d.key = m.document_key
where {_OWN} and not exists (
    select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
order by said_at, m.key
limit :limit
"""
COUNT_UNREAD = f"""
select count(*) from memories as m
where {_OWN} and not exists (
    select 1 from extractions as x where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
"""
SELECT_BEFORE = """
select m.speaker, m.text from memories as here join memories as m
    on m.document_key = here.document_key and m.position < here.position
where here.key = :key and m.kind = here.kind
order by m.position desc limit :limit
"""
SELECT_KNOWN = """
select 1 from memories
where slot = :slot and slot_key = :key and project = :project and text = :value
    and (coalesce(valid_from, happened_at, created_at) >= :said or (valid_until is null and archived_at is null))
"""
SELECT_CURRENT = """
select key, id from memories
where slot = :slot and slot_key = :key and project = :project and lower(text) = lower(:value)
    and valid_until is null and archived_at is null
"""
SELECT_MODELLED = f"""
select json_extract({or_empty("m.meta")}, '$.slot') as line, json_extract({or_empty("m.meta")}, '$.quote') as quote
from links as l join memories as m on m.key = l.from_key
where l.to_key = :key and l.type = 'derived_from' and m.archived_at is null
    and json_extract({or_empty("m.meta")}, '$.extracted_by') is not null
order by m.key
"""


def _own(conn: Connection) -> dict[str, Any]:
    names = sorted({name.casefold() for name in my_names(conn)})
    return {"kinds": dumps(KINDS), "names": dumps(names), "extractor": EXTRACTOR}


def unread(conn: Connection, limit: int) -> list[Any]:
    """The next texts (rows) that may be the user's own words and were not read yet, earliest first."""
    return conn.execute(SELECT_UNREAD, {**_own(conn), "limit": limit}).fetchall()


def count_unread(conn: Connection) -> int:
    """The number of texts that `unread` would return without a limit."""
    return int(conn.execute(COUNT_UNREAD, _own(conn)).fetchone()[0])


class User(NamedTuple):
    """Who the user is: his name, all names in normal form, and which notes are in his own voice."""

    name: str
    names: frozenset[str]
    voices: Mapping[str, bool]


def user_of(conn: Connection) -> User:
    """The user of this database."""
    return User(me(conn), frozenset(map(normal_name, my_names(conn))), voices(conn))


def values(row: Any, user: User) -> list[SlotValue]:
    """The values that a text says, if it is the user's own; a value is sure only where nothing speaks against it."""
    if not _is_own(row, user):
        return []
    to_assistant = row["speaker"] is None or is_user(row["speaker"])
    found = find_slots(row["text"], to_assistant=to_assistant)
    return [replace(one, sure=one.sure and _fits(one, row, user)) for one in found]


def modelled(conn: Connection, row: Any, user: User) -> list[SlotValue]:
    """The values that a language model found in a text of the user's own, always for a person to confirm (S15)."""
    if not _is_own(row, user):
        return []
    made = conn.execute(SELECT_MODELLED, {"key": row["key"]}).fetchall()
    return [
        replace(one, quote=str(said["quote"]), sure=False)
        for said in made
        if isinstance(said["line"], str)
        for one in slot_lines(said["line"]) or ()
    ]


def _is_own(row: Any, user: User) -> bool:
    return normal_name(who_says_i(row, user.name, user.voices)) in user.names


def lessons(conn: Connection, row: Any) -> list[SlotValue]:
    """What a text of the user teaches an assistant that has just answered; always for a person to confirm."""
    if row["document_kind"] not in CONVERSATIONS or not is_user(row["speaker"] or "") or not may_teach(row["text"]):
        return []
    before = conn.execute(SELECT_BEFORE, {"key": row["key"], "limit": BEFORE}).fetchall()
    return find_lessons([Said(is_user(one["speaker"] or ""), one["text"]) for one in reversed(before)], row["text"])


def _fits(one: SlotValue, row: Any, user: User) -> bool:
    """Whether a value agrees with what is known: one name, a project for its decisions, a source that speaks."""
    if one.key == "name" and user.name != USER and normal_name(one.value) not in user.names:
        return False
    if one.slot == PROJECT and row["project"] == GLOBAL:
        return False
    return row["document_kind"] in TALKS or not row["document_kind"]


def is_known(conn: Connection, one: SlotValue, project: str, said: str) -> bool:
    """Whether a slot has this value already, or had it later than it was said."""
    wanted = {"slot": one.slot, "key": one.key, "value": one.value, "project": _place(one, project), "said": said}
    return conn.execute(SELECT_KNOWN, wanted).fetchone() is not None


def current(conn: Connection, one: SlotValue, project: str) -> Any:
    """The memory (key, id) that holds this value of a slot now; None without one."""
    wanted = {"slot": one.slot, "key": one.key, "value": one.value, "project": _place(one, project)}
    return conn.execute(SELECT_CURRENT, wanted).fetchone()


def write(conn: Connection, one: SlotValue, row: Any, embedder: Embedder | None, now: str) -> Memory:
    """The new memory that is the value of a slot, dated by when it was said, and linked to the text that says it.

    `row` has the key, said_at and project of that text. Call it in a transaction.
    """
    kind = "preference" if one.key.startswith(PREFERENCES) else "fact"
    fields = {"slot": one.slot, "key": one.key, "kind": kind, "happened_at": row["said_at"]}
    new = remembered(conn, draft_of(one.value, {**fields, "project": _place(one, row["project"])}), embedder, now)
    store.link(conn, new.key, row["key"], "derived_from", now, why=one.quote)
    return new


def _place(one: SlotValue, project: str) -> str:
    """The project of a value: decisions and lessons stay in theirs; what the user says of himself holds everywhere."""
    return GLOBAL if one.slot == USER_SLOT else project
