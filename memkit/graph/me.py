"""Who says I: the entity of the user, by the setting `me` or the slot `user.name`."""

from __future__ import annotations

from memkit.core.roles import is_role
from memkit.graph import entities
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.text.pronouns import first_person
from memkit.text.statements import named_speakers
from memkit.text.words import normal_name

USER = "user"  # the speaker of a chat without names; the setting `me`, or the slot user.name, has the real name
SETTING = "me"
FEWEST = 2  # conversations in which somebody must speak to be the likely user

SELECT_ME = """
select text from memories
where slot = 'user' and slot_key = 'name' and valid_until is null and archived_at is null
order by key desc limit 1
"""
SELECT_SPEAKERS = """
select distinct m.document_key, m.speaker
from memories as m join documents as d on d.key = m.document_key
where m.speaker is not null and m.archived_at is null and d.kind in ('chat', 'log')
"""
FORGET_OWN = """
delete from extractions
where extractor <> 'case statistics 1' and memory_key in (
    select key from memories where speaker is null or lower(speaker) in ('user', 'human', 'me')
)
"""


def me(conn: Connection) -> str:
    """The name of the user: the setting `me`, the user's slot `name`, or `user`."""
    if isinstance(given := store.setting(conn, SETTING), str) and entities.valid_name(given):
        return given
    row = conn.execute(SELECT_ME).fetchone()
    return row[0].strip() if row and entities.valid_name(row[0].strip()) else USER


def my_names(conn: Connection) -> list[str]:
    """All names of the user: the main one, and the aliases of that entity."""
    name = me(conn)
    bearers = entities.by_names(conn, [name]).get(normal_name(name), ())
    return [name, *(alias for one in bearers for alias in entities.aliases(conn, one.key))]


def likely_me(conn: Connection) -> str | None:
    """Who is most probably the user: who speaks in every conversation, and nobody else does. None if unsure."""
    talks: dict[str, set[int]] = {}
    conversations = set()
    for document, speakers in conn.execute(SELECT_SPEAKERS):
        conversations.add(document)
        for name in named_speakers(speakers):
            if not is_role(name):
                talks.setdefault(name, set()).add(document)
    everywhere = [name for name, where in talks.items() if where == conversations]
    return everywhere[0] if len(everywhere) == 1 and len(conversations) >= FEWEST else None


def called_me(conn: Connection, text: str) -> tuple[entities.Entity, str] | None:
    """The user's entity, and the word by which a question names it (`I`, `my`); None without one."""
    said = first_person(text)
    if said is None:
        return None
    name = me(conn)
    known = entities.by_names(conn, [name, USER])
    for bearers in (known.get(one) for one in (normal_name(name), USER)):
        if bearers:
            return bearers[0], said
    return None
