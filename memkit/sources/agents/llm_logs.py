"""Loader for the log of the `llm` command: `logs.db` in the old layout, the new layout, or both at once.

Until 0.31 `llm` wrote conversations and responses. Since 0.32 it writes threads, turns, messages and their parts, and
keeps the old rows. A turn that is in both layouts has the same id there, and is read from the new tables.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, short_title
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only, tables
from memkit.sources.sample import Sample
from memkit.sources.values import clean
from memkit.storage.connection import Connection
from memkit.text.extract.guard import strip_context

MOST_MESSAGES = 10_000  # of one turn
LONGEST_FRAGMENT = 8_000  # characters: if a question has a whole book attached, the book does not become a memory

TURNS = """
select coalesce(turns.thread_id, turns.id), turns.datetime_utc, turns.id, threads.name, turns.model,
    turns.parent_message_hash, turns.tip_message_hash
from turns left join threads on threads.id = turns.thread_id
order by 1, 2, 3
"""
# The messages of one turn, found from the newest back: its answers up to the parent, then the input before them.
MESSAGES = """
with recursive chain(hash, parent_hash, role, input, depth) as (
    select hash, parent_hash, role, hash = :parent, 0 from messages where hash = :tip
    union all
    select m.hash, m.parent_hash, m.role, chain.input or m.hash = :parent, chain.depth + 1
    from chain join messages m on m.hash = chain.parent_hash
    where chain.depth < :most
        and (not (chain.input or m.hash = :parent) or m.role in ('user', 'tool', 'system'))
)
select chain.depth, chain.role, parts.type, parts.text, parts.payload
from chain join parts on parts.message_hash = chain.hash
order by chain.depth desc, parts.position
"""
FRAGMENT = "select content, coalesce(source, hash) from fragments where id = :id"

RESPONSES = """
select coalesce(responses.conversation_id, responses.id), responses.datetime_utc, responses.id, conversations.name,
    responses.model, responses.system, responses.prompt, responses.response
from responses left join conversations on conversations.id = responses.conversation_id
order by 1, 2, 3
"""
HAS_TURN = "select 1 from turns where id = :id"
PROMPT_FRAGMENTS = """
select fragments.content, coalesce(fragments.source, fragments.hash)
from prompt_fragments join fragments on fragments.id = prompt_fragments.fragment_id
where prompt_fragments.response_id = :id
order by prompt_fragments."order"
"""


class Turn(NamedTuple):
    """One exchange; `said` has the speakers and their texts, in order."""

    thread: str
    at: str | None
    id: str
    name: str | None
    model: str | None
    said: list[tuple[str, str]]
    broken: str = ""  # why it cannot be read


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Prompts and answers, thread by thread, oldest first; `source_id` is the id of the turn and the speaker."""
    with read_only(path, options) as conn:
        known = set(tables(conn))
        new = _turns(conn) if {"turns", "messages", "parts"} <= known else iter(())
        old = _responses(conn, known) if "responses" in known else iter(())
        chat: Conversation | None = None
        for turn in heapq.merge(new, old, key=lambda turn: (turn.thread, turn.at or "", turn.id)):
            source = f"llm:{turn.thread}"
            if chat is None or chat.document.source != clean(source):
                chat = conversation(path, source, _title(turn), options, kind="log", times=(turn.at, None))
            yield from _drafts(chat, turn, options)


def _title(turn: Turn) -> str | None:
    """The name of a conversation: `llm` takes the start of its first prompt, which may be what memkit put there."""
    if not turn.name or strip_context(turn.name) == turn.name:
        return turn.name
    asked = (strip_context(text) for speaker, text in turn.said if speaker == "user")
    return strip_context(turn.name) or short_title(next(asked, "")) or None


def _drafts(chat: Conversation, turn: Turn, options: ReadOptions) -> Iterator[Draft | Failure]:
    left_out = {
        role for role, wanted in (("system", options.include_system), ("tool", options.include_tools)) if not wanted
    }
    if turn.broken:
        yield Failure(chat.path.as_posix(), f"turn {turn.id}: {turn.broken}")
    for speaker, text in turn.said:
        if speaker not in left_out:
            yield from chat.turn(speaker, text, id=f"{turn.id}:{speaker}", at=turn.at, model=turn.model)


# ------------------------------------------------------------------------------------------------------ new layout


def _turns(conn: Connection) -> Iterator[Turn]:
    for *about, parent, tip in conn.execute(TURNS):
        try:
            yield _turn(about, _said(conn, parent, tip))
        except (ValueError, OverflowError, RecursionError) as error:
            yield _turn(about, [], str(error))


def _turn(about: list[Any], said: list[tuple[str, str]], broken: str = "") -> Turn:
    thread, at, id, name, model = map(_text, about)
    return Turn(thread or "", at, id or "", name, model, said, broken)


def _text(value: object) -> str | None:
    """A value of a column as text: SQLite holds columns to no type."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str) else str(value)


def _said(conn: Connection, parent: object, tip: object) -> list[tuple[str, str]]:
    """The speakers and their texts. Raises ValueError if a part is broken."""
    said: dict[str, list[str]] = {}
    found = conn.execute(MESSAGES, {"parent": parent, "tip": tip, "most": MOST_MESSAGES})
    for depth, role, kind, text, payload in found:
        if depth >= MOST_MESSAGES:
            raise ValueError(f"it has more than {MOST_MESSAGES:,} messages, or their parents form a circle")
        speaker = "tool" if kind in ("tool_call", "tool_result") else _text(role) or "user"
        if part := _part(conn, kind, _text(text), payload):
            said.setdefault(speaker, []).append(part)
    return [(speaker, "\n\n".join(texts)) for speaker, texts in said.items()]


def _part(conn: Connection, kind: object, text: str | None, payload: Any) -> str:
    """The text of one part of a message, with the fragments it refers to; empty for thoughts and images."""
    if kind == "text" and text is not None:
        return text
    found = as_dict(json.loads(payload)) if isinstance(payload, str | bytes) and payload else {}
    if kind == "text":
        return "".join(_piece(conn, as_dict(piece)) for piece in as_list(found.get("text_ref")))
    if kind == "tool_call":
        return f"{found.get('name')}: {json.dumps(found.get('arguments'), ensure_ascii=False)}"
    return str(found.get("output") or "") if kind == "tool_result" else ""


def _piece(conn: Connection, piece: dict[str, Any]) -> str:
    if "literal" in piece:
        return str(piece["literal"])
    id = piece.get("fragment")
    row = conn.execute(FRAGMENT, {"id": id}).fetchone() if isinstance(id, str | int) else None
    return _fragment(*row) if row else ""


def _fragment(content: object, source: object) -> str:
    content = _text(content) or ""
    return content if len(content) <= LONGEST_FRAGMENT else f"[{source}: {len(content)} characters]"


# ------------------------------------------------------------------------------------------------------ old layout


def _responses(conn: Connection, known: set[str]) -> Iterator[Turn]:
    for thread, at, id, name, model, system, prompt, response in conn.execute(RESPONSES):
        if "turns" in known and conn.execute(HAS_TURN, {"id": id}).fetchone():
            continue
        borrowed = conn.execute(PROMPT_FRAGMENTS, {"id": id}).fetchall() if "prompt_fragments" in known else []
        asked = "\n".join([*(_fragment(*row) for row in borrowed), _text(prompt) or ""])
        said = [("system", _text(system) or ""), ("user", asked), ("assistant", _text(response) or "")]
        yield _turn([thread, at, id, name, model], said)


def _matches(sample: Sample) -> bool:
    found = sample.tables.keys()
    return found >= {"conversations", "responses"} or found >= {"threads", "turns", "messages", "parts"}


FORMAT = Format("llm", "The log of the `llm` command (`logs.db`)", read, _matches, ("*.db",))
