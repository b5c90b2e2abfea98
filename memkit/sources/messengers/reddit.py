"""Reddit loader: comments, posts, messages and chats of an account, as its data come: the zip, unpacked, or a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation, whole_records
from memkit.sources.format import Format
from memkit.sources.messengers.tables_of_export import export_tables
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows_of
from memkit.sources.reading.item import joined
from memkit.sources.sample import Sample

_TABLES = r"(?i)(?:comments|posts|messages|messages_archive|chat_history)\.csv"
_OWN = r"(?:[^/]+/)?[^/]+\.csv"
_KNOWN_BY = ({"comments.csv", "comment_headers.csv"}, {"posts.csv", "post_headers.csv"})
_GONE = ("[deleted]", "[removed]")


class _Said(NamedTuple):
    """What one row says: in which document, called how, who, what, and when."""

    source: str
    title: str
    speaker: str
    text: str
    id: str
    at: str
    meta: dict[str, Any]


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was written in each subreddit, and the messages of each thread and chat, the oldest first."""
    for source, data in export_tables(path, options, _TABLES):
        rows = yield from whole_records(rows_of(BytesIO(data), source, options))
        made = next((made for columns, made in _SHAPES if rows and set(columns) <= set(rows[0])), None)
        threads: dict[str, list[_Said]] = defaultdict(list)
        for said in map(made, rows) if made else ():
            threads[said.source].append(said)
        for thread in threads.values():
            yield from _thread(path, sorted(thread, key=lambda one: one.at), options)


def _thread(path: Path, thread: list[_Said], options: ReadOptions) -> Iterator[Draft | Failure]:
    chat = conversation(path, thread[0].source, thread[0].title, options, whole=False)
    for one in thread:
        if one.text.strip() not in _GONE:
            yield from chat.turn(one.speaker, one.text, id=one.id, at=one.at, **one.meta)


def _comment(row: Row) -> _Said:
    where = row.get("subreddit", "")
    meta = {"url": row.get("permalink") or None, "reply_to": row.get("parent") or None}
    return _Said(
        f"reddit:comments:{where}", f"Comments in {_place(where)}", "user",
        row.get("body", ""), row.get("id", ""), row.get("date", ""), meta,
    )  # fmt: skip


def _post(row: Row) -> _Said:
    where, url = row.get("subreddit", ""), row.get("url", "")
    shown = url if url.startswith("http") and url != row.get("permalink") else ""
    text = joined(row.get("title"), row.get("body"), shown)
    return _Said(
        f"reddit:posts:{where}", f"Posts in {_place(where)}", "user",
        text, row.get("id", ""), row.get("date", ""), {"url": row.get("permalink") or None},
    )  # fmt: skip


def _place(subreddit: str) -> str:
    return subreddit if subreddit.startswith("u_") else f"r/{subreddit}" if subreddit else "Reddit"


def _message(row: Row) -> _Said:
    about = row.get("subject", "")
    thread, speaker = row.get("thread_id") or row.get("id", ""), chosen_name(row.get("from") or "unknown")
    return _Said(
        f"reddit:messages:{thread}", about.removeprefix("re: ") or "Messages", speaker,
        row.get("body", ""), row.get("id", ""), row.get("date", ""), {"to": row.get("to") or None},
    )  # fmt: skip


def _chat(row: Row) -> _Said:
    channel = row.get("channel_url", "")
    return _Said(
        f"reddit:chat:{channel}", row.get("channel_name") or "Chat", chosen_name(row.get("username") or "unknown"),
        row.get("message", ""), row.get("message_id", ""), row.get("created_at", ""),
        {"reply_to": row.get("thread_parent_message_id") or None},
    )  # fmt: skip


_SHAPES: tuple[tuple[tuple[str, ...], Callable[[Row], _Said]], ...] = (
    (("message_id", "created_at", "username", "message", "channel_url"), _chat),
    (("id", "permalink", "date", "from", "to", "subject", "body"), _message),
    (("id", "permalink", "date", "subreddit", "title", "url", "body"), _post),
    (("id", "permalink", "date", "subreddit", "parent", "body"), _comment),
)


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return _is_export(sample.path, frozenset(PurePosixPath(name).name for name in sample.entries))
    return any(has_columns(sample, *columns) for columns, _ in _SHAPES)


def _is_export(folder: Path, names: frozenset[str]) -> bool:
    return any(names >= known for known in _KNOWN_BY)


FORMAT = Format(
    "reddit",
    "Comments, posts and messages of Reddit: the zip of one's data, unpacked, or a table of it",
    read,
    _matches,
    ("*.csv", "*.zip"),
    folder=_is_export,
    own=_OWN,
)
