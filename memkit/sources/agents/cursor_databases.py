"""Cursor's databases: of its agent (one chat, a tree of blobs by their hashes), and of the editor (all chats)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry
from memkit.sources.chat import Message, as_dict, as_list, told
from memkit.sources.json_file import json_within
from memkit.sources.options import ReadOptions
from memkit.sources.protobuf import fields
from memkit.sources.read_only import read_only, tables
from memkit.sources.sample import Sample
from memkit.storage.connection import Connection

Words = Callable[[Entry, object, ReadOptions], str]

SELECT_META = "select cast(value as text) from meta order by key"
SELECT_BLOB = "select data from blobs where id = :id"
SELECT_VALUE = "select cast(value as blob) from cursorDiskKV where key = :key"
SELECT_CHATS = """
select key, cast(value as blob) from cursorDiskKV
where key >= 'composerData:' and key < 'composerData;' and value is not null
order by key
"""
SELECT_OLD_CHATS = """
select cast(value as blob) from ItemTable where key = 'workbench.panel.aichat.view.aichat.chatdata'
"""
_HASH = 32  # bytes
_BUBBLES = {1: "user", 2: "assistant", "user": "user", "ai": "assistant"}


def matches(sample: Sample) -> bool:
    """Whether a database is one of Cursor's."""
    found = sample.tables
    return "cursorDiskKV" in found or ({"blobs", "meta"} == found.keys() and found["blobs"] == {"id", "data"})


def read(path: Path, options: ReadOptions, words: Words) -> Iterator[Draft | Failure]:
    """The chats in the database. `words` says what a message of the agent says."""
    with read_only(path, options) as conn:
        names = tables(conn)
        if "blobs" in names:
            yield from _agent(path, conn, options, words)
        if "cursorDiskKV" in names:
            yield from _composers(path, conn, options)
        if "ItemTable" in names:
            yield from _tabs(path, conn, options)


# ------------------------------------------------------------------------------------------------------- the agent


def _agent(path: Path, conn: Connection, options: ReadOptions, words: Words) -> Iterator[Draft | Failure]:
    """The chat of a `store.db`: the messages that its newest root leads to."""
    about: Entry = {}
    for (value,) in conn.execute(SELECT_META):
        about = about or as_dict(_json(_unhexed(value), options))
    source = f"cursor:{about.get('agentId') or path.parent.name}"
    messages = []
    for message in _leaves(conn, str(about.get("latestRootBlobId")), options):
        if text := words(message, message.get("content"), options):
            messages.append(Message(str(message.get("role")), text, message.get("id"), about.get("createdAt")))
    yield from told(path, source, messages, options, about.get("name"), times=(about.get("createdAt"), None))


def _leaves(conn: Connection, root: str, options: ReadOptions) -> Iterator[Entry]:
    """The messages below a blob, in order. A blob is a message in JSON, or has fields with the hashes of others."""
    waiting, seen = [root], set()
    while waiting:
        id = waiting.pop()
        row = conn.execute(SELECT_BLOB, {"id": id}).fetchone() if id not in seen else None
        seen.add(id)
        data = row[0] if row else b""
        data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        if not isinstance(data, bytes):  # nothing, or a number
            continue
        if data.lstrip()[:1] == b"{":
            message = _json(data, options)
            if isinstance(message, dict) and "role" in message:
                yield message
        else:
            waiting.extend(reversed([*_hashes(data)]))


def _hashes(data: bytes) -> Iterator[str]:
    """The hashes among the fields of a blob, as far as it is a message of Protocol Buffers."""
    with suppress(ValueError, IndexError):
        for _, value in fields(data):
            if isinstance(value, bytes) and len(value) == _HASH:
                yield value.hex()


def _unhexed(value: object) -> bytes:
    try:
        return bytes.fromhex(str(value))
    except ValueError:
        return str(value).encode("utf-8", "surrogateescape")


# ------------------------------------------------------------------------------------------------------ the editor


def _composers(path: Path, conn: Connection, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The chats of the editor: a head for each, which lists its messages, or has them itself in old versions."""
    for key, value in conn.execute(SELECT_CHATS):
        about = as_dict(_json(value, options))
        id = str(about.get("composerId") or key.partition(":")[2])
        inline = [as_dict(one) for one in as_list(about.get("conversation"))]
        listed = (as_dict(one).get("bubbleId") for one in as_list(about.get("fullConversationHeadersOnly")))
        bubbles = inline or [_bubble(conn, id, bubble, options) for bubble in listed]
        times = (about.get("createdAt"), about.get("lastUpdatedAt"))
        messages = [_message(one, about.get("createdAt"), options) for one in bubbles]
        yield from told(path, f"cursor:{id}", messages, options, about.get("name"), times=times)


def _bubble(conn: Connection, chat: str, id: object, options: ReadOptions) -> Entry:
    row = conn.execute(SELECT_VALUE, {"key": f"bubbleId:{chat}:{id}"}).fetchone()
    return as_dict(_json(row[0], options)) if row else {}


def _tabs(path: Path, conn: Connection, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The chats of the oldest versions: tabs with bubbles, all in one value."""
    for (value,) in conn.execute(SELECT_OLD_CHATS):
        for tab in map(as_dict, as_list(as_dict(_json(value, options)).get("tabs"))):
            messages = [_message(as_dict(one), None, options) for one in as_list(tab.get("bubbles"))]
            source = f"cursor:{tab.get('tabId')}"
            yield from told(
                path, source, messages, options, tab.get("chatTitle"), times=(tab.get("lastSendTime"), None)
            )


def _message(bubble: Entry, begun: object, options: ReadOptions) -> Message:
    kind: Any = bubble.get("type")
    speaker = _BUBBLES.get(kind, "tool") if isinstance(kind, int | str) else "tool"
    text = bubble.get("text") or bubble.get("rawText")
    if options.include_thinking:
        text = text or as_dict(bubble.get("thinking")).get("text")
    at = bubble.get("createdAt") or as_dict(bubble.get("timingInfo")).get("clientStartTime") or begun
    kept = isinstance(text, str) and (speaker != "tool" or options.include_tools)
    return Message(speaker, str(text) if kept else "", bubble.get("bubbleId") or bubble.get("id"), at)


def _json(value: object, options: ReadOptions) -> Any:
    """The value of JSON in a cell; None if it is none. Some versions store it as a text in JSON."""
    found = json_within(value, options.limits)
    return json_within(found, options.limits) if isinstance(found, str) else found
