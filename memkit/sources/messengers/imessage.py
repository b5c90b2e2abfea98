"""iMessage loader: `chat.db` of Messages on a Mac (~/Library/Messages)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation, edited
from memkit.sources.epochs import since_2001
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only, tables
from memkit.sources.sample import Sample
from memkit.storage.connection import Connection

Row = dict[str, Any]

# All columns, because there are more of them from macOS to macOS.
MESSAGES = """
select message.rowid as message_key, message.*, joined.chat_id as in_chat
from message
left join (
    select message_id, min(chat_id) as chat_id from chat_message_join group by message_id
) as joined on joined.message_id = message.rowid
order by joined.chat_id, message.date, message.rowid
"""
CHATS = "select rowid as chat_key, * from chat"
HANDLES = "select rowid as handle_key, id from handle"
# Who else is in a conversation of two.
OTHERS = "select chat_id, min(handle_id) as handle_id from chat_handle_join group by chat_id having count(*) = 1"
ATTACHMENTS = """
select transfer_name from message_attachment_join join attachment on attachment.rowid = attachment_id
where message_id = :message
"""
_TAPBACKS = range(2000, 4000)
_OBJECT = "\ufffc"  # stands in the text where an attachment is


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each conversation, the oldest first. Tapbacks, and who joined or left, are left out."""
    with read_only(path, options) as conn:
        known = set(tables(conn))
        people = {row["handle_key"]: str(row["id"]) for row in _rows(conn, HANDLES)}
        chats = {row["chat_key"]: row for row in _rows(conn, CHATS)} if "chat" in known else {}
        others = _rows(conn, OTHERS) if "chat_handle_join" in known else ()
        alone = {row["chat_id"]: people[row["handle_id"]] for row in others if row["handle_id"] in people}
        with_files = {"attachment", "message_attachment_join"} <= known
        chat: Conversation | None = None
        before: object = None
        for row in _rows(conn, MESSAGES):
            if chat is None or row["in_chat"] != before:
                before = row["in_chat"]
                chat = _conversation(path, before, chats.get(before, {}), options)
            files = _files(conn, row) if with_files and row.get("cache_has_attachments") else ""
            yield from _turn(chat, row, people, alone.get(before, "unknown"), files)


def _rows(conn: Connection, sql: str, **given: Any) -> Iterator[Row]:
    found = conn.execute(sql, given)
    names = [about[0] for about in found.description]
    return (dict(zip(names, row, strict=True)) for row in found)


def _files(conn: Connection, row: Row) -> str:
    found = _rows(conn, ATTACHMENTS, message=row["message_key"])
    return ", ".join(str(file["transfer_name"] or "attachment") for file in found)


def _conversation(path: Path, key: object, found: Row, options: ReadOptions) -> Conversation:
    source = f"imessage:{found['guid']}" if found.get("guid") else f"{path.as_posix()}#{key}"
    title = found.get("display_name") or found.get("chat_identifier")
    return conversation(path, source, title, options, whole=False)


def _turn(chat: Conversation, row: Row, people: dict[int, str], other: str, files: str) -> Iterator[Draft | Failure]:
    if row.get("associated_message_type") in _TAPBACKS or row.get("item_type") or row.get("group_action_type"):
        return
    said = row.get("text") or typed(row.get("attributedBody"))
    text = "\n".join(str(part).replace(_OBJECT, "").strip() for part in (row.get("subject"), said) if part).strip()
    speaker = "me" if row.get("is_from_me") else people.get(row.get("handle_id") or 0, other)
    yield from chat.turn(
        speaker,
        text or files,
        id=row.get("guid") or row["message_key"],
        at=_time(row.get("date")),
        reply_to=row.get("thread_originator_guid"),
        edited=edited(row.get("date_edited"), _time),
        attachment=files or None,
    )


def _time(value: object) -> str | None:
    """Seconds since 2001, or nanoseconds since macOS 10.13."""
    return since_2001(value / 1e9 if isinstance(value, int | float) and abs(value) > 1e11 else value)


def typed(body: object) -> str:
    """The text in `attributedBody`: NeXT's typedstream, in which the first string is that of the message."""
    if not isinstance(body, bytes):
        return ""
    named = min((at for name in (b"NSString", b"NSMutableString") if (at := body.find(name)) >= 0), default=-1)
    start = body.find(b"\x01+", named) if named >= 0 else -1  # `+`: bytes follow
    if start < 0:
        return ""
    start += 2
    size = body[start : start + 1]
    wide = {b"\x81": 2, b"\x82": 4}.get(size, 0)  # a longer length takes more bytes
    length = int.from_bytes(body[start + 1 : start + 1 + wide] if wide else size, "little")
    start += 1 + wide
    with suppress(UnicodeDecodeError):
        return body[start : start + length].decode()
    return ""


def _matches(sample: Sample) -> bool:
    found = sample.tables
    return {"handle", "chat_message_join"} <= {*found} and {"is_from_me", "handle_id", "date"} <= found.get(
        "message", frozenset()
    )


FORMAT = Format("imessage", "Messages on a Mac: chat.db", read, _matches, ("*.db",))
