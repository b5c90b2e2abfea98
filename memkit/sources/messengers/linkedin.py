"""LinkedIn loader: messages, posts and comments of an account, as its data come: the zip, unpacked, or a table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from io import BytesIO
from itertools import chain
from pathlib import Path, PurePosixPath

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation, whole_records
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.messengers.tables_of_export import export_tables
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, has_columns, rows_of
from memkit.sources.reading.item import joined
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

_TABLES = r"(?i)(?:messages|comments|shares)\.csv"
_OWN = r"(?:[^/]+/)?[^/]+\.csv"
_MESSAGES = ("CONVERSATION ID", "FROM", "DATE", "CONTENT")
_COMMENTS = ("Date", "Link", "Message")
_SHARES = ("Date", "ShareLink", "ShareCommentary")
_KNOWN_BY = frozenset(("messages.csv", "Connections.csv"))
_TAG = re.compile(r"<(?:p|br|a|ul|ol|strong|em|span|div)\b")
_ADVERTISED = re.compile(r'<p class="spinmail|%(?:FIRST|LAST)NAME%')  # if nobody with a profile sent it
_SPONSORED = "Sponsored Conversation"
_BROKEN = '"\r\n"'  # how a line ends in a post


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each conversation, the oldest first, and posts and comments. Advertising is left out."""
    for source, data in export_tables(path, options, _TABLES):
        rows = yield from whole_records(rows_of(BytesIO(data), source, options))
        if rows and set(_MESSAGES) <= set(rows[0]):
            yield from _conversations(path, rows, options)
        elif rows and set(_COMMENTS) <= set(rows[0]):
            yield from _written(path, "Comments on LinkedIn", rows, options)
        elif rows and set(_SHARES) <= set(rows[0]):
            yield from _written(path, "Posts on LinkedIn", rows, options)


def _conversations(path: Path, rows: list[Row], options: ReadOptions) -> Iterator[Draft | Failure]:
    chats: dict[str, list[Row]] = defaultdict(list)
    if not any("\n" in row.get("CONTENT", "") for row in rows):  # older exports have spaces in place of line breaks
        rows = [row | {"CONTENT": re.sub(" {2,}", "\n", row.get("CONTENT", ""))} for row in rows]
    for row in rows:
        chats[row.get("CONVERSATION ID", "")].append(row)
    me = _owner(chats.values())
    for id, chat in chats.items():
        yield from _conversation(path, id, sorted(chat, key=lambda row: row.get("DATE", "")), me, options)


def _owner(chats: Iterable[list[Row]]) -> str:
    """The name of who has the account: who takes part in more conversations than anybody else."""
    (me, most), (_, next_most) = [*Counter(chain(*map(_people, chats))).most_common(2), ("", 0), ("", 0)][:2]
    return me if most > next_most else ""


def _people(chat: list[Row]) -> dict[str, None]:
    """Who said something in a conversation, and, if only one did, to whom."""
    said = dict.fromkeys(row["FROM"] for row in chat if row.get("FROM"))
    return said if len(said) > 1 else said | dict.fromkeys(row["TO"] for row in chat if row.get("TO"))


def _conversation(path: Path, id: str, chat: list[Row], me: str, options: ReadOptions) -> Iterator[Draft | Failure]:
    title = chat[0].get("CONVERSATION TITLE") or ", ".join(name for name in _people(chat) if name != me)
    here = conversation(path, f"linkedin:{id}" if id else path.as_posix(), title, options, whole=False)
    ids = RecordIds()
    for row in chat:
        at, speaker, text = row.get("DATE"), row.get("FROM", ""), row.get("CONTENT", "")
        if not row.get("SENDER PROFILE URL") and (_ADVERTISED.search(text) or title == _SPONSORED):
            options.skip("messages that are advertising")
            continue
        if row.get("IS MESSAGE DRAFT") == "Yes":
            options.skip("drafts of messages")
            continue
        if not speaker and not options.include_system:  # `Message request accepted`
            continue
        text = html_markdown(text) if _TAG.search(text) else unescape(text)
        attached = ", ".join(PurePosixPath(one).name for one in row.get("ATTACHMENTS", "").split(","))
        yield from here.turn(
            _name(speaker) if speaker else "system",
            text.strip() or attached,
            id=ids.next(at, speaker, text),
            at=at,
            attachment=attached or None,
        )


def _name(shown: str) -> str:
    """A name without the titles that people put behind it: `Ida Moss, PhD`."""
    name, _, _ = shown.partition(",")
    return chosen_name(name if " " in name.strip() else shown.replace(",", " "))


def _written(path: Path, title: str, rows: list[Row], options: ReadOptions) -> Iterator[Draft | Failure]:
    """Posts, or comments on those of others: who has the account wrote them."""
    kind = title.partition(" ")[0].lower()
    here = conversation(path, f"linkedin:{kind}", title, options, whole=False)
    ids = RecordIds()
    for row in sorted(rows, key=lambda row: row.get("Date", "")):
        at, text = row.get("Date"), _words(row)
        yield from here.turn("user", text, id=ids.next(at, "user", text), at=at, url=_address(row))


def _words(row: Mapping[str, str]) -> str:
    said = row.get("Message") or row.get("ShareCommentary") or ""
    return joined(said.replace(_BROKEN, "\n"), row.get("SharedURL") or "")


def _address(row: Mapping[str, str]) -> str | None:
    return row.get("Link") or row.get("ShareLink") or None


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return {PurePosixPath(name).name for name in sample.entries} >= _KNOWN_BY
    return any(has_columns(sample, *columns) for columns in (_MESSAGES, _COMMENTS, _SHARES))


def _is_export(folder: Path, names: frozenset[str]) -> bool:
    return names >= _KNOWN_BY


FORMAT = Format(
    "linkedin",
    "Messages, posts and comments of LinkedIn: the zip of one's data, unpacked, or a table of it",
    read,
    _matches,
    ("messages.csv", "comments.csv", "shares.csv", "*.zip"),
    folder=_is_export,
    own=_OWN,
)
