"""A small valid file of every format, as bytes or as a tree that is written as one; changed, it is a hostile file."""

from __future__ import annotations

import gzip
import io
import json
import re
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from compound_files import compound
from old_office_files import slides, workbook
from word_files import document, plain

from fuzz import inside, values

DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # the one in C is ten times as fast
SAMPLES = Path(__file__).parents[2] / "samples"

NOTE = """---
title: Quince
aliases: [quince tree, kvitten]
tags: [garden/trees, fruit]
created: 2025-03-01
planted_by: "[[Rosa]]"
related: {kind: Tree, near: [[Quince Yard]]}
---
# Quince

Rosa planted the quince on 1 March 2025 in [[Quince Yard|the yard]]. #garden

- [ ] prune it before the 5th of May
- likes:: sun

```python
print("no memory")
```

| what | when |
|---|---|
| bloom | May |
"""
ROWS = [
    {"id": "a", "session": "s1", "speaker": "Rosa", "timestamp": "2025-01-01T10:00:00Z", "text": "I planted a quince."},
    {
        "id": "b",
        "session": "s1",
        "speaker": "Otto",
        "timestamp": 1735725600,
        "text": "Where?",
        "tags": ["q"],
        "importance": 7,
    },
    {
        "text": "Otto lives in Lund.",
        "kind": "fact",
        "slot": "user",
        "key": "home",
        "valid_from": "2024",
        "confidence": 0.5,
        "valid_until": "2026-01-01",
        "expires_at": "2030-01-01",
        "project": "p",
        "category": "c",
        "title": "t",
        "extra": {"a": [1]},
    },
]
TRIPLES = [
    {
        "subject": "Rosa",
        "predicate": "planted",
        "object": "the quince",
        "passage_id": "a",
        "quote": "I planted a quince.",
        "confidence": 0.9,
        "valid_from": "2025-01-01",
        "valid_until": None,
        "subject_kind": "person",
        "object_kind": "thing",
    },
    {"subject": "Otto", "predicate": "lives_in", "object": "Lund"},
]
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "language": "python"}, "title": "Trees"},
    "cells": [
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# Trees\n", "Rosa counts quinces."]},
        {
            "cell_type": "code",
            "id": "c",
            "metadata": {"tags": ["x"]},
            "execution_count": 1,
            "source": "1 + 1",
            "outputs": [
                {"output_type": "execute_result", "data": {"text/plain": ["2"]}, "metadata": {}, "execution_count": 1}
            ],
        },
    ],
}


@cache
def _file(name: str) -> Any:
    return json.loads((SAMPLES / "chats" / name).read_text())


def chatgpt(random: Random) -> Any:
    """One conversation of the sample, with at most eight messages."""
    one = dict(random.choice(_file("chatgpt_conversations.json")))
    one["mapping"] = dict(list(one["mapping"].items())[:8])
    return [one]


def claude(random: Random) -> Any:
    """One conversation of the sample, with at most six messages."""
    one = dict(random.choice(_file("claude_conversations.json")))
    one["chat_messages"] = one["chat_messages"][:6]
    return [one]


@cache
def _claude_code() -> list[Any]:
    return [json.loads(line) for line in (SAMPLES / "chats" / "claude_code_session.jsonl").read_text().splitlines()]


def export_lines() -> list[Any]:
    """All lines of an export of a small database."""
    return [json.loads(line) for line in _export().splitlines()]


@cache
def _export() -> str:
    """An export of a small database that has rows in most tables. No id depends on a path or on the clock."""
    from memkit import MemoryDatabase

    with TemporaryDirectory() as folder, MemoryDatabase(embed="none") as db:
        db.ingest(ROWS, now="2026-01-01T00:00:00Z")
        db.ingest([{"text": "Rosa planted the quince.", "session": "s2", "id": n} for n in range(3)], now="2026-01-01")
        db.relate("Rosa", "planted", "the quince", now="2026-01-01T00:00:00Z")
        db.recall("quince", ledger=True, track=True, now="2026-01-02T00:00:00Z")
        bees = db.remember("Otto keeps bees.", now="2026-01-02T00:00:00Z")
        db.correct(bees.id, "Otto keeps wasps.", now="2026-01-03T00:00:00Z")
        db.set_policy(settings={"episodes.compact_kinds": "episode, turn"})
        db.maintain(now="2026-02-01T00:00:00Z")
        db.export(Path(folder) / "all.jsonl", now="2026-02-02T00:00:00Z")
        text = (Path(folder) / "all.jsonl").read_text()
    # These two are another number every time.
    return re.sub(r'("database": |"ms": )("\w+"|[\d.]+)', r'\g<1>"0"', text)


@cache
def logs() -> bytes:
    """A log of llm with its first rows, as small as SQLite makes it."""
    with closing(sqlite3.connect(f"{(SAMPLES / 'chats' / 'logs.db').as_uri()}?mode=ro", uri=True)) as whole:
        few = sqlite3.connect(":memory:")
        whole.backup(few)
    unread = (
        "select type, name from sqlite_master where type = 'trigger' or name like '%\\_fts' escape '\\' order by 1 desc"
    )
    for kind, name in few.execute(unread).fetchall():
        few.execute(f'drop {kind} "{name}"')
    for table, most in (("responses", 4), ("turns", 4), ("messages", 12), ("parts", 12)):
        few.execute(f"delete from {table} where rowid not in (select rowid from {table} limit {most})")
    return _bytes(few)


@cache
def table() -> bytes:
    """A SQLite file with one table of rows."""
    conn = sqlite3.connect(":memory:")
    conn.execute("create table visits(id integer primary key, text, title, timestamp, b blob)")
    conn.execute("insert into visits values (1, 'We saw a quince.', 't', '2025-01-01', x'ff')")
    return _bytes(conn)


@cache
def opencode() -> bytes:
    """A database of OpenCode with one exchange."""
    conn = sqlite3.connect(":memory:")
    conn.executescript("""
        create table session (id, title, directory, time_created, time_updated);
        create table message (id, session_id, time_created, data);
        create table part (id, message_id, session_id, data);
        insert into session values ('s', 'The quince', '/garden', 1769936400000, null);
        insert into message values ('m', 's', 1769936401000, '{"role": "user"}');
        insert into part values ('p', 'm', 's', '{"type": "text", "text": "Who planted it?"}');
    """)
    return _bytes(conn)


@cache
def cursor_agent() -> bytes:
    """A database of Cursor's agent: a root that leads to two messages."""
    conn = sqlite3.connect(":memory:")
    conn.execute("create table meta (key text primary key, value text)")
    conn.execute("create table blobs (id text primary key, data blob)")
    said = [{"role": "user", "id": "1", "content": "Who planted it?"}, {"role": "assistant", "content": "Rosa."}]
    blobs = [json.dumps(one).encode() for one in said]
    ids = [bytes([number]) * 32 for number in range(3)]
    blobs.append(b"".join(b"\x0a\x20" + id for id in ids[:2]))
    conn.executemany("insert into blobs values (?, ?)", [(id.hex(), data) for id, data in zip(ids, blobs, strict=True)])
    about = {"agentId": "a", "latestRootBlobId": ids[2].hex(), "name": "The quince", "createdAt": 1769936400000}
    conn.execute("insert into meta values ('0', ?)", (json.dumps(about).encode().hex(),))
    return _bytes(conn)


@cache
def cursor_editor() -> bytes:
    """A database of Cursor's editor with a chat of each of its three versions."""
    conn = sqlite3.connect(":memory:")
    conn.execute("create table cursorDiskKV (key text unique, value blob)")
    conn.execute("create table ItemTable (key text unique, value blob)")
    said = {"type": 1, "bubbleId": "b", "text": "Who planted it?", "createdAt": "2026-02-01T09:00:07Z"}
    heads = [{"bubbleId": "b", "type": 1}, {"bubbleId": "gone", "type": 2}]
    rows = {
        "composerData:c": {"composerId": "c", "createdAt": 1769936400000, "fullConversationHeadersOnly": heads},
        "composerData:d": {"composerId": "d", "conversation": [said]},
        "bubbleId:c:b": said,
    }
    conn.executemany("insert into cursorDiskKV values (?, ?)", [(key, json.dumps(row)) for key, row in rows.items()])
    tabs = {"tabs": [{"tabId": "t", "chatTitle": "Old", "bubbles": [{"type": "ai", "rawText": "Rosa."}]}]}
    key = "workbench.panel.aichat.view.aichat.chatdata"
    conn.execute("insert into ItemTable values (?, ?)", (key, json.dumps(tabs)))
    return _bytes(conn)


def _bytes(conn: sqlite3.Connection) -> bytes:
    """The smallest file with what a connection in memory has."""
    with TemporaryDirectory() as folder:
        with closing(conn), closing(sqlite3.connect(f"{folder}/small.db")) as small:
            small.executescript("pragma page_size = 512;" + "\n".join(conn.iterdump()))
        return Path(f"{folder}/small.db").read_bytes()


def lines(rows: list[Any]) -> bytes:
    """Values as lines of JSON."""
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def zipped(name: str, data: bytes) -> bytes:
    """A zip with one file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def csv_of(rows: list[Any], mark: str) -> bytes:
    """Rows as a table."""
    names = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)) or ["text"]
    found = [mark.join(names)]
    for row in rows:
        cells = [str(row.get(name, "")) if isinstance(row, dict) else str(row) for name in names]
        found.append(mark.join(f'"{cell}"' if mark in cell or '"' in cell else cell for cell in cells))
    return "\n".join(found).encode("utf-8", "surrogatepass")


def front_matter(fields: Any) -> bytes:
    """A note with these fields."""
    return f"---\n{yaml.dump(fields, Dumper=DUMPER, allow_unicode=True)}---\n# A note\n\nRosa planted it.\n".encode(
        "utf-8", "surrogatepass"
    )


FIELDS = {
    "title": "Quince",
    "aliases": ["kvitten", "quince tree"],
    "tags": ["garden", "trees/fruit"],
    "created": "2025-03-01",
    "updated": "2025-06-01T10:00:00Z",
    "date": "2025-04-01",
    "planted_by": "[[Rosa]]",
    "near": ["[[Yard]]", {"of": "[[Otto]]"}],
    "count": 3,
    "project": "garden",
    "type": "Tree",
}

_ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Who planted it?"}]}
CODEX = [
    {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {
        "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/garden", "forked_from_id": "r"}},
    {"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": _ASKED},
    {"timestamp": "2026-01-01T00:01:00Z", "type": "response_item", "payload": {**_ASKED, "id": "msg_1"}},
]  # fmt: skip
GEMINI = [
    {"sessionId": "g", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"},
    {"id": "a", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": [{"text": "Who planted it?"}]},
    {"$set": {"summary": "The quince", "messages": [{"id": "b", "type": "gemini", "content": "Rosa."}]}},
    {"$rewindTo": "b"},
]
COPILOT = [
    {"kind": 0, "v": {"sessionId": "c", "creationDate": 1735689600000, "requests": []}},
    {"kind": 2, "k": ["requests"], "v": [{"requestId": "r", "message": {"text": "Who planted it?"}}]},
    {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Rosa."}], "i": 0},
    {"kind": 1, "k": ["customTitle"], "v": "The quince"},
    {"type": "user.message", "id": "e", "timestamp": "2026-01-01T00:00:00Z", "data": {"content": "Who?"}},
]
CURSOR = [{"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>Who?</user_query>"}]}}]
CLINE = [
    {"ts": 1735689600000, "type": "say", "say": "text", "text": "Who planted it?"},
    {"ts": 1735689600001, "type": "ask", "ask": "followup", "text": '{"question": "Which one?"}'},
]
SHAREGPT = [{"id": "a", "conversations": [{"from": "human", "value": "Who?"}, {"from": "gpt", "value": "Rosa."}]}]
AI_STUDIO = {"id": "p", "chunkedPrompt": {"chunks": [{"role": "user", "text": "Who?", "createTime": "2026-01-01"}]}}

OMNIVORE = {
    "id": "o",
    "slug": "quince",
    "title": "Quinces",
    "description": "It blooms.",
    "url": "https://example.org",
    "readingProgress": 0,
    "labels": ["garden"],
    "savedAt": "2025-01-01T00:00:00Z",
}
CSL_JSON = {
    "id": "marsh2001",
    "type": "book",
    "title": "<i>Quinces</i>",
    "author": [{"family": "Marsh", "given": "Rosa"}, {"literal": "Club"}],
    "issued": {"date-parts": [[2001, 3]]},
    "URL": "https://example.org",
    "note": "Lent",
    "keyword": "a, b",
}
HYPOTHESIS = {
    "id": "h",
    "created": "2025-01-01T00:00:00Z",
    "user": "acct:rosa@hypothes.is",
    "uri": "https://example.org",
    "text": "True.",
    "target": [{"selector": [{"type": "TextQuoteSelector", "exact": "It blooms."}]}],
}

KEEP = {
    "title": "Quince",
    "textContent": "It blooms. #garden",
    "isTrashed": False,
    "userEditedTimestampUsec": 1690866308447000,
    "labels": [{"name": "two words"}],
    "listContent": [{"text": "prune", "isChecked": False}],
}
KEEP_PAGE = """<html><body><div class="note"><div class="heading"><div class="meta-icons">
<span class="pinned"></span></div>
2018. 3. 27. 오후 5:09:06</div><div class="title">Quince</div>
<div class="content"><ul class="list"><li class="listitem">
<span class="bullet">&#9744;</span> <span class="text">prune</span></li></ul></div>
<div class="chips"><span class="chip label"><span class="label-name">garden</span></span></div></div></body></html>"""
DAY_ONE = {
    "metadata": {"version": "1.0"},
    "entries": [{"uuid": "E1", "creationDate": "2024-04-16T23:00:00Z", "text": "It rained\\.", "tags": ["walk"]}],
}
STANDARD_NOTES = {
    "items": [
        {
            "uuid": "n",
            "content_type": "Note",
            "created_at": "2024-04-28T09:29:22Z",
            "content": {"title": "Quince", "text": "It blooms."},
        },
        {
            "uuid": "t",
            "content_type": "Tag",
            "content": {"title": "x", "references": [{"uuid": "n", "content_type": "Note"}]},
        },
    ]
}
SIMPLENOTE = {
    "activeNotes": [
        {
            "id": "a",
            "content": "Quince\r\n\r\nIt blooms: [Pear](simplenote://note/b).",
            "creationDate": "2024-04-28T09:29:22.642Z",
            "lastModified": "2024-04-28T09:29:42.628Z",
            "tags": ["garden"],
            "pinned": True,
        },
        {"id": "b", "content": "Pear"},
    ],
    "trashedNotes": [{"id": "c", "content": "Gone."}],
}
ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export><note><title>Quince &amp; pear</title><content><![CDATA[<en-note><div>It <b>blooms</b>.</div>
<ul><li><en-todo checked="true"/>prune</li></ul><table><tr><td>a</td><td>b</td></tr></table>
<a href="evernote:///view/1/">Pear</a></en-note>]]></content><created>20230121T093733Z</created><tag>garden</tag>
<task><title>plant</title><taskStatus>open</taskStatus><dueDate>20230301T215959Z</dueDate></task></note></en-export>
"""

WORDPRESS = """<?xml version="1.0"?>
<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:author><wp:author_login>rosa</wp:author_login>
<wp:author_display_name>Rosa</wp:author_display_name></wp:author><item><title>Quince &amp;amp; pear</title>
<dc:creator>rosa</dc:creator><guid>https://example.org/?p=1</guid><content:encoded><![CDATA[It <b>blooms</b>.

[caption id="a"]<img src="b"/> ours[/caption]
<pre>a
b</pre>]]></content:encoded><wp:post_date>2023-01-21 09:37:33</wp:post_date><wp:status>publish</wp:status>
<wp:post_type>post</wp:post_type><category domain="post_tag" nicename="a">garden</category><wp:comment>
<wp:comment_id>1</wp:comment_id><wp:comment_author>Otto</wp:comment_author><wp:comment_approved>1</wp:comment_approved>
<wp:comment_content>Ours, too</wp:comment_content></wp:comment></item></channel></rss>
"""

BLOGGER = """<?xml version='1.0'?>
<feed xmlns='http://www.w3.org/2005/Atom' xmlns:blogger='http://schemas.google.com/blogger/2018'><entry><id>5</id>
<blogger:type>POST</blogger:type><blogger:status>LIVE</blogger:status><author><name>Rosa</name></author>
<title>Quinces</title>
<content type='html'>It &lt;b&gt;blooms&lt;/b&gt;.</content><published>2024-03-01T22:30:00Z</published>
<category scheme='tag:blogger.com,1999:blog-1' term='garden'/></entry><entry><id>6</id>
<blogger:parent>5</blogger:parent>
<blogger:type>COMMENT</blogger:type><content type='html'>Ours, too</content></entry></feed>
"""

SUBSTACK = """post_id,post_date,is_published,type,audience,title,subtitle
1.quinces,2024-01-15T10:00:00.000Z,true,newsletter,everyone,Quinces,In May
"""

ROAM = [
    {
        "title": "June 19th, 2020",
        "uid": "06-19-2020",
        "children": [{"string": "{{[[TODO]]}} plant ((block0001)) [[Pear]]", "uid": "block0001", "children": []}],
    }
]
TIDDLERS = [{"title": "Quince", "text": "! It\n* [[blooms|Pear]] {{x}}", "created": "20130822170200000", "tags": "a"}]
OPML = """<?xml version="1.0"?>
<opml version="2.0"><head><title>Garden</title><dateModified>Sat, 01 Mar 2025 10:00:00 GMT</dateModified></head><body>
<outline text="Trees"><outline text="&lt;b&gt;Quince&lt;/b&gt; &amp;amp; pear" _note="in bloom" _complete="true"/>
<outline text="Figs" xmlUrl="https://b.org/feed" htmlUrl="https://b.org" description="All of them"/></outline>
</body></opml>"""
DRAFTS = [
    {
        "uuid": "A",
        "content": "Quince\n\n[it](drafts://open?uuid=A) [[u:A]]",
        "created_at": "2025-01-01T00:00:00Z",
        "modified_at": "2025-01-02T00:00:00Z",
        "tags": ["garden"],
        "flagged": True,
        "folder": 1,
        "languageGrammar": "Markdown",
    }
]
JRNL = """[2024-03-01 10:00] It blooms. *
In the @garden.

[01.04.2024 03:39:00 PM] The frost came
[1] late
"""
JRNL_EXPORT = {
    "tags": {"@garden": 1},
    "entries": [{"title": "It blooms.", "body": "@garden", "date": "2024-03-01", "time": "10:00", "starred": True}],
}
ORG = """#+TITLE: Garden
* TODO [#A] Prune [[file:pear.org][the pear]]  :work:
  SCHEDULED: <2024-03-01 Fri 10:00>
  :PROPERTIES:
  :CREATED: [2024-02-03 Sat 10:30]
  :END:
#+begin_src sh
ls
#+end_src
"""
WIKI = """%title Garden
:work:pear:
= Garden =
* [X] Prune [[diary:2024-03-01|the pear]] {{x.png}}
{{{sh
ls
}}}
"""


def cbor(value: Any) -> bytes:
    """A value in CBOR; a tuple of bytes is the address of a block."""

    def head(major: int, number: int) -> bytes:
        size = 0 if number < 24 else 1 if number < 256 else 2
        return bytes([major << 5 | (number if not size else 23 + size)]) + (
            number.to_bytes(size, "big") if size else b""
        )

    if value is None or isinstance(value, bool):
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, tuple):
        return b"\xd8\x2a" + cbor(b"\0" + value[0])
    if isinstance(value, bytes | str):
        data = value if isinstance(value, bytes) else value.encode()
        return head(2 if isinstance(value, bytes) else 3, len(data)) + data
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(one) for key, one in value.items())


def car(values: list[Any]) -> bytes:
    """A CAR file with a block for each value; the address of the block n is `address(n)`."""
    parts = [
        cbor({"roots": [(address(0),)], "version": 1}),
        *(address(at) + cbor(one) for at, one in enumerate(values)),
    ]
    return b"".join(_varint(len(part)) + part for part in parts)


def address(number: int) -> bytes:
    """The address of a block."""
    return b"\x01\x71\x12\x04" + number.to_bytes(4, "big")


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + _varint(number >> 7)


BLUESKY = [
    {"did": "did:plc:rosa", "rev": "3k", "sig": b"x", "data": (address(1),), "version": 3},
    {"l": None, "e": [
        {"p": 0, "k": b"app.bsky.actor.profile/self", "v": (address(2),), "t": None},
        {"p": 9, "k": b"feed.like/3k1", "v": (address(3),), "t": None},
        {"p": 14, "k": b"post/3k2", "v": (address(4),), "t": None},
        {"p": 21, "k": b"3", "v": (address(5),), "t": None},
    ]},
    {"$type": "app.bsky.actor.profile", "displayName": "Rosa"},
    {"$type": "app.bsky.feed.like", "createdAt": "2024-03-01T10:00:00Z"},
    {"$type": "app.bsky.feed.post", "text": "See é a.org/pear...", "createdAt": "2024-03-01T10:00:00.123Z",
     "facets": [{"index": {"byteStart": 7, "byteEnd": 20},
                 "features": [{"$type": "app.bsky.richtext.facet#link", "uri": "https://a.org/pear-tree"}]}],
     "embed": {"$type": "app.bsky.embed.images", "images": [{"alt": "a pear"}]}},
    {"$type": "app.bsky.feed.post", "text": "Yes.", "createdAt": "2024-03-02T10:00:00Z",
     "reply": {"parent": {"uri": "at://did:plc:ben/app.bsky.feed.post/3k0"}},
     "embed": {"$type": "app.bsky.embed.external", "external": {"uri": "https://b.org", "title": "Trees"}}},
    {"$type": "app.bsky.feed.post", "text": "It was deleted.", "createdAt": "2024-03-02T10:00:00Z"},
]  # fmt: skip
ASCIIDOC = """= Pears
Ida Moss
:keywords: trees, old
:revdate: 2024-03-01
:site: https://a.org

// not this
== Work [[work]]
See *{site}[the page]*, <<work,above>> and xref:quince.adoc[]. footnote:[Late.]

. dig
** [x] `deep`

[source,python]
----
# dig
----
|===
|what |when
|bloom |May
|===
image::pear.png[a pear]
"""
TODO_TXT = (
    "(A) 2026-03-01 Prune it +garden @yard due:2026-03-10\nx 2026-03-03 2026-03-02 Dig +garden\nSee https://a.org\n"
)
ANKI = """#separator:tab
#html:true
#guid column:1
#notetype column:2
#deck column:3
#tags column:6
x1\tBasic\tGarden::Trees\tWhen does the {{c1::pear::tree}} bloom?[sound:a]\t"In<br>""May"" <img>"\told yard
"""
GITHUB = {
    "number": 12, "title": "The pear leans", "state": "CLOSED", "url": "https://github.com/rosa/garden/issues/12",
    "author": {"login": "rosa"}, "body": "<!-- What is so? -->\r\nSince March.", "createdAt": "2025-03-01T10:00:00Z",
    "closedAt": "2025-04-01T10:00:00Z", "labels": [{"name": "trees"}], "assignees": [{"login": "ben"}],
    "milestone": {"title": "Spring"},
    "comments": [{"id": "IC_1", "author": {"login": "ben"}, "body": "I tied it.", "createdAt": "2025-03-02T10:00:00Z",
                  "url": "https://github.com/rosa/garden/issues/12#issuecomment-1"}],
}  # fmt: skip
TOMBOY = """<?xml version="1.0"?>
<note version="0.3" xmlns:link="http://beatniksoftware.com/tomboy/link" xmlns="http://beatniksoftware.com/tomboy">
<title>Pear</title><text xml:space="preserve"><note-content version="0.1">Pear

See <link:internal>Quince</link:internal> &amp; <link:url>https://a.org</link:url>

<size:huge>Work</size:huge>
<list><list-item dir="ltr">prune</list-item><list-item dir="ltr"><monospace>dig</monospace></list-item></list>
</note-content></text><last-change-date>2024-09-19T15:22:47,857916+02:00</last-change-date>
<create-date>2024-09-18T15:22:47.1188892Z</create-date><tags><tag>old</tag><tag>system:notebook:yard</tag></tags></note>
"""
CHERRYTREE = """<?xml version="1.0" encoding="UTF-8"?>
<cherrytree><bookmarks list=""/>
<node name="Trees" unique_id="1" prog_lang="custom-colors" tags="">
<node name="Pear" unique_id="2" prog_lang="custom-colors" tags="old" ts_creation="1683703170" ts_lastsave="1719048207">
<rich_text scale="h1">Bark</rich_text><rich_text>
See </rich_text><rich_text link="node 3">Saw</rich_text><rich_text>. Now
and

• one
   ☑ done</rich_text><codebox char_offset="18" syntax_highlighting="python3">dig()</codebox>
<table char_offset="22"><row><cell>1</cell></row><row><cell>head</cell></row></table></node>
<node name="Saw" unique_id="3" prog_lang="sh" ts_creation="1683703170"><rich_text>ls
</rich_text></node></node></cherrytree>
"""
ASANA = """Task ID,Created At,Completed At,Name,Section/Column,Assignee,Due Date,Tags,Notes,Projects,Parent task
1,2026-03-01,,Prune the pear,Garden,Rosa,2026-03-10,"trees,old",Not deep.,Yard,
"""
JIRA = """\
Summary,Issue key,Issue Type,Status,Project name,Assignee,Created,Resolved,Labels,Labels,Description,Comment,Comment
Prune it,YARD-1,Task,Done,Yard,Rosa,05/Mar/26 9:05 AM,,a,b,Not deep.,06/Mar/26 9:05 AM;Ben;Why; so?,
"""
LINEAR = """\
ID,Team,Title,Description,Status,Project,Creator,Assignee,Labels,Cycle Number,Created,Completed,Canceled,Due Date
Y-1,Yard,Prune it,Not deep.,Done,Pear,Rosa,Ben,"a, b",,Thu Mar 05 2026 17:02:23 GMT+0000 (GMT),,,2026-03-10
"""
TOODLEDO = """"TASK","FOLDER","CONTEXT","STARTDATE","DUEDATE","REPEAT","TAG","STATUS","NOTE","COMPLETED"
"Prune it","Yard","work",,"2026-03-10","Every week","old","Delegated","Not deep.","2026-03-11"
"""
IMDB = """Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,Year,Directors
tt1,9,2026-03-01,The Pear,Päron,https://a.org/tt1,Movie,1999,Ida Moss
"""
STORYGRAPH = """\
Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Moods,Star Rating,Review,Tags
Pears,Ida Moss,,978,paperback,read,2026/02/01,2026/03/01,calm,4.5,<div>Fine.</div>,"trees, old"
"""
CANVAS = {
    "nodes": [
        {"id": "g", "type": "group", "label": "Trees", "x": 0, "y": 0, "width": 9, "height": 9},
        {"id": "a", "type": "text", "text": "# Pear\n#spring", "x": 1, "y": 1, "width": 1, "height": 1},
        {"id": "b", "type": "file", "file": "garden/Quince.md", "x": 1.5, "y": 2, "width": 1, "height": 1},
        {"id": "c", "type": "link", "url": "https://a.org", "x": 1, "y": -2, "width": 1, "height": 1},
    ],
    "edges": [{"fromNode": "a", "toNode": "b", "label": "beside"}],
}
ZIM = """Content-Type: text/x-zim-wiki
Creation-Date: 2023-05-10T20:04:04+02:00

====== Pear ======
Created Wednesday 10 May 2023

[*] //prune// [[a:b|it]] ''x'' {{a.png}} @spring
"""
DOKUWIKI = "====== Pear ======\n  * [[a:b|it]] //x// ''y''\\\\ ((z))\n^ a ^ b ^\n| c | {{d}} |\n<code c>\n//\n</code>\n"
REDNOTEBOOK = "8:\n  Ideas: {plant: null}\n  Tags: {garden: null}\n  text: '= a =\n\n    //b// --c--'\n"
TID = "created: 20130822170200000\ntags: a [[b c]]\ntitle: Quince\n\n! It\n# [[blooms|Pear]] ''b'' <<m>> {{x}}\n"


def notion() -> bytes:
    """An export of Notion with two pages, in a zip in a zip."""
    ids = ["a" * 32, "b" * 32]
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        home = f"# Home\n\nCreated: October 4, 2024 9:15 AM\n\n[Pear](Pear%20{ids[1]}.md)"
        archive.writestr(zipfile.ZipInfo(f"Home {ids[0]}.md"), home)
        archive.writestr(zipfile.ZipInfo(f"Pear {ids[1]}.html"), '<div class="page-body"><p>ripe</p></div>')
    return zipped("Export-950ad927-7171-4abf-9001-821e5310d286-Part-1.zip", inner.getvalue())


@cache
def apple_notes() -> bytes:
    """A NoteStore.sqlite with one note, whose text is `Quince`."""
    conn = sqlite3.connect(":memory:")
    conn.execute("create table ZICCLOUDSYNCINGOBJECT (Z_PK integer, ZIDENTIFIER, ZTITLE1, ZNOTEDATA, ZCREATIONDATE3)")
    conn.execute("create table ZICNOTEDATA (Z_PK integer primary key, ZDATA blob)")
    conn.execute("insert into ZICCLOUDSYNCINGOBJECT values (5, 'N', 'Quince', 1, 775579170.6)")
    note = b"\x12\x06Quince\x2a\x02\x08\x06"
    packed = zlib.compress(b"\x12" + bytes([len(note) + 2]) + b"\x1a" + bytes([len(note)]) + note)
    conn.execute("insert into ZICNOTEDATA values (1, ?)", (packed,))
    return _bytes(conn)


RST = (
    "Title\n=====\n\nSee `a <https://x.org>`_ and ``b``::\n\n    code\n\n.. note:: Mind\n   it.\n\nInner\n-----\n* x\n"
)
HTML = """<!doctype html><html><head><meta charset="utf-8"><title>Quince</title></head><body><nav>menu</nav><main>
<h1>Quince</h1><p>It <b>blooms</b> &amp; <a href="https://x.org">bears</a>.</p><ul><li>a<li>b</ul><pre>x
y</pre><table><tr><td>a<td>b</table></main></body></html>"""
PDF = b"""%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [5 0 R] /Count 1 >> endobj
3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
4 0 obj << /Length 58 >> stream
BT /F1 12 Tf 72 720 Td (It blooms.) Tj 0 -16 Td (May) Tj ET
endstream endobj
5 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >> endobj
trailer << /Size 6 /Root 1 0 R >>
startxref
0
%%EOF
"""


@cache
def docx() -> bytes:
    """A Word document with a heading and a table."""
    from docx import Document

    document, made = Document(), io.BytesIO()
    document.add_heading("Quince", 1)
    document.add_table(rows=1, cols=2).rows[0].cells[0].text = "It blooms."
    document.save(made)
    return made.getvalue()


@cache
def pptx() -> bytes:
    """A presentation with one slide."""
    from pptx import Presentation

    deck, made = Presentation(), io.BytesIO()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "It blooms."
    deck.save(made)
    return made.getvalue()


@cache
def xlsx() -> bytes:
    """A workbook with two rows."""
    from openpyxl import Workbook

    book, made = Workbook(), io.BytesIO()
    book.active.append(["what", "when"])
    book.active.append(["It blooms.", 5])
    book.save(made)
    return made.getvalue()


def epub() -> bytes:
    """A book with one chapter."""
    package = '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("META-INF/container.xml"), '<rootfile full-path="content.opf"/>')
        archive.writestr(zipfile.ZipInfo("content.opf"), package)
        archive.writestr(zipfile.ZipInfo("a.xhtml"), HTML)
    return made.getvalue()


ODT = """<office:text><text:h text:outline-level="2">Quinces</text:h><text:p>It <text:s text:c="2"/>blooms
<office:annotation><dc:creator>Otto</dc:creator><text:p>So?</text:p></office:annotation></text:p>
<text:list><text:list-item><text:p>prune</text:p></text:list-item></text:list></office:text>"""
ODS = """<office:spreadsheet><table:table table:name="Garden"><table:table-row table:number-rows-repeated="2">
<table:table-cell table:number-columns-repeated="3"/>
<table:table-cell office:value="1.5"><text:p>1,5</text:p></table:table-cell>
<table:table-cell office:date-value="2024-05-01"/></table:table-row></table:table></office:spreadsheet>"""


def opendocument(body: str) -> bytes:
    """A document of LibreOffice with this body."""
    names = "office text table meta dc xlink draw".split()
    known = " ".join(f'xmlns:{name}="urn:{name}"' for name in names)
    content = f"<office:document-content {known}><office:body>{body}</office:body></office:document-content>"
    meta = "<office:meta><meta:creation-date>2024-03-01T10:00:00</meta:creation-date></office:meta>"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in (("content.xml", content), ("meta.xml", meta), ("META-INF/manifest.xml", "<manifest/>")):
            archive.writestr(zipfile.ZipInfo(name), text)
    return made.getvalue()


def bear() -> bytes:
    """A backup of Bear with one note."""
    info = {
        "creatorIdentifier": "net.shinyfrog.bear",
        "net.shinyfrog.bear": {"uniqueIdentifier": "A", "creationDate": "2023-10-11T08:08:52Z"},
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("A.textbundle/info.json"), json.dumps(info))
        archive.writestr(zipfile.ZipInfo("A.textbundle/text.md"), "# Quince\n\n#two words# [[Pear]]")
    return made.getvalue()


def jex() -> bytes:
    """An archive of Joplin with a note in a notebook."""
    files = {
        "a" * 32: "Quince\n\nIt [blooms](:/" + "b" * 32 + ").\n\nid: " + "a" * 32 + "\nparent_id: c\ntype_: 1",
        "b" * 32: "Pear\n\nRipe.\n\nid: " + "b" * 32 + "\ntype_: 1",
        "c" * 32: "Garden\n\nid: c\nparent_id: c\ntype_: 2",
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"{name}.md")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return made.getvalue()


Tree = Callable[[Random], Any]
Writer = Callable[[Any], bytes]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# Format: name of the file, a valid tree, and how it is written.
SHAPES: dict[str, tuple[str, Tree, Writer]] = {
    "chatgpt": ("conversations.json", chatgpt, _json),
    "claude": ("conversations.json", claude, _json),
    "claude-code": ("session.jsonl", lambda random: _claude_code()[:8], lambda value: lines(_list(value))),
    "codex": ("rollout.jsonl", lambda random: CODEX, lambda value: lines(_list(value))),
    "gemini-cli": ("session.jsonl", lambda random: GEMINI, lambda value: lines(_list(value))),
    "copilot": ("chat.jsonl", lambda random: COPILOT, lambda value: lines(_list(value))),
    "cursor": ("chat.jsonl", lambda random: CURSOR, lambda value: lines(_list(value))),
    "cline": ("ui_messages.json", lambda random: CLINE, _json),
    "sharegpt": ("chats.json", lambda random: SHAREGPT, _json),
    "ai-studio": ("prompt.json", lambda random: AI_STUDIO, _json),
    "omnivore": ("metadata_0_to_20.json", lambda random: [OMNIVORE], _json),
    "csl-json": ("library.json", lambda random: [CSL_JSON], _json),
    "hypothesis": ("annotations.json", lambda random: [HYPOTHESIS], _json),
    "csv": ("rows.csv", lambda random: ROWS, lambda value: csv_of(_list(value), ",")),
    "json": ("rows.json", lambda random: ROWS, _json),
    "jsonl": ("rows.jsonl", lambda random: ROWS, lambda value: lines(_list(value))),
    "markdown": ("note.md", lambda random: FIELDS, front_matter),
    "notebook": ("book.ipynb", lambda random: NOTEBOOK, _json),
    "triples": ("triples.jsonl", lambda random: TRIPLES, lambda value: lines(_list(value))),
    "roam": ("graph.json", lambda random: ROAM, _json),
    "tiddlywiki": ("tiddlers.json", lambda random: TIDDLERS, _json),
    "google-keep": ("note.json", lambda random: KEEP, _json),
    "day-one": ("Journal.json", lambda random: DAY_ONE, _json),
    "standard-notes": ("backup.txt", lambda random: STANDARD_NOTES, _json),
    "simplenote": ("notes.json", lambda random: SIMPLENOTE, _json),
    "drafts": ("a.draftsExport", lambda random: DRAFTS, _json),
    "tsv": ("rows.tsv", lambda random: ROWS, lambda value: csv_of(_list(value), "\t")),
}
KINDLE = """Quinces (Rosa (M.))
- Your Highlight on page 5 | Location 100-105 | Added on Friday, January 3, 2025 10:30:45 PM

It blooms late.
==========
Quinces (Rosa (M.))
- 您在位置 #105 的笔记 | 添加于 2025年1月3日星期五 下午10:31:00

True.
==========
"""
BIBTEX = r"""@string{cup = {Cambridge}}
@book{marsh2001, author = {Marsh, Rosa and {\'E}mile M{\"u}ller}, title = "The {Q} " # cup, year = 2001, month = mar}
@misc{b, title = {Figs}, abstract = {It \emph{blooms}.}}
"""
RIS = """TY  - JOUR
AU  - Marsh, Rosa
TI  - Quinces
PY  - 2001/03/14/
AB  - It blooms
      late.
N1  - <p>Lent</p>
KW  - garden
ER  -
"""
POCKET = "title,url,time_added,tags,status\nQuinces,https://example.org,1599806347,a|b,unread\n"
INSTAPAPER = 'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://example.org,Quinces,x,Unread,1599806347,"[""a""]"\n'
RAINDROP = "id,title,note,excerpt,url,folder,tags,created\n1,Quinces,n,e,https://example.org,F,a,2023-05-15\n"
READWISE = "Highlight,Book Title,Book Author,Note,Location,Highlighted at\nIt blooms.,Quinces,Rosa,n,7,2024-05-01\n"
GOODREADS = "Book Id,Title,Author,My Rating,Date Read,My Review\n1,Quinces,Rosa,4,2020/12/27,It <b>blooms\n"
AIDER = """# aider chat started at 2024-08-05 19:33:02

> Aider v0.47.2-dev

#### /ask Who planted it?
#### And when?

Rosa did.
"""
WHATSAPP = """[13/06/2018, 9:25:00\u202fPM] Garden: \u200eMessages and calls are end-to-end encrypted.
[13/06/2018, 9:25:01\u202fPM] ~ Rosa: The quince
needs a stake. \u200e<This message was edited>
13.6.2018 klo 21.25.15 - Ben: IMG-20180613-WA0003.jpg (file attached)
2018/6/14 下午9:25 - Ben: In bloom
"""
IMESSAGES = """May 17, 2022  5:29:00 PM (Read by you after 1 minute)
Rosa
Does the quince bloom?

May 17, 2022  5:31:00 PM
Me
Yes.
Since Monday.
This message responded to an earlier message.

"""
_ROSA = {"sender_name": "Rosa", "timestamp_ms": 1735689600000, "content": "Bl\u00c3\u00bcte"}
_HELLO = {
    "id": "1",
    "type": "Default",
    "timestamp": "2025-01-01T00:00:00Z",
    "content": "hi",
    "author": {"name": "Rosa"},
}
_LINK = {"type": "text_link", "text": "this", "href": "https://a.org"}
FACEBOOK = {"participants": [{"name": "Rosa"}], "thread_path": "inbox/rosa", "messages": [_ROSA]}
DISCORD = {"guild": {"name": "Allotment"}, "channel": {"id": "6", "name": "garden"}, "messages": [_HELLO]}
MATTERMOST = {"type": "post", "post": {
    "team": "allotment", "channel": "garden", "user": "rosa", "message": "It blooms", "create_at": 1704190830000,
    "edit_at": 1704190831000, "attachments": [{"path": "data/plan.pdf"}],
    "replies": [{"user": "ben", "message": "Late", "create_at": 1704190832000}]}}  # fmt: skip
DISCORD_PACKAGE = [
    {"ID": 500000000000000001, "Timestamp": "2024-01-02 10:20:30", "Contents": "It blooms <:leaf:1>", "Attachments": ""}
]
ZULIP = {
    "zerver_message": [
        {
            "id": 101,
            "sender": 11,
            "recipient": 31,
            "subject": "quince",
            "content": "It blooms",
            "date_sent": 1554100000.5,
        }
    ]
}
ELEMENT = {
    "room_name": "Garden",
    "exported_by": "Rosa",
    "messages": [
        {
            "type": "m.room.message",
            "room_id": "!a:b",
            "sender": "@rosa:b",
            "event_id": "$1",
            "origin_server_ts": 1700000000000,
            "content": {"msgtype": "m.text", "body": "It blooms"},
        }
    ],
}
GOOGLE_CHAT = {
    "messages": [
        {
            "creator": {"name": "Rosa", "email": "rosa@example.org", "user_type": "Human"},
            "created_date": "Thursday, November 3, 2016 at 11:59:50 AM UTC",
            "text": "It blooms",
            "topic_id": "t",
            "message_id": "a/t/t",
        }
    ]
}
HANGOUTS = {
    "conversations": [
        {
            "conversation": {
                "conversation": {
                    "id": {"id": "U"},
                    "participant_data": [{"id": {"chat_id": "2"}, "fallback_name": "Rosa"}],
                }
            },
            "events": [
                {
                    "sender_id": {"chat_id": "2"},
                    "timestamp": "1569073414201730",
                    "event_id": "e",
                    "chat_message": {"message_content": {"segment": [{"type": "TEXT", "text": "It blooms"}]}},
                }
            ],
        }
    ]
}
SKYPE = {
    "userId": "8:rosa",
    "exportDate": "2024-03-05T10:00",
    "conversations": [
        {
            "id": "8:ben",
            "displayName": "Ben",
            "MessageList": [
                {
                    "id": "1",
                    "originalarrivaltime": "2024-03-04T11:20:34.567Z",
                    "messagetype": "RichText",
                    "from": "8:ben",
                    "content": '<quote><legacyquote>x</legacyquote>Does it?</quote>It <a href="b">blooms</a> &lt;',
                }
            ],
        }
    ],
}
SNAPCHAT = {
    "ben": [
        {
            "From": "ben",
            "Media Type": "TEXT",
            "Created": "2024-04-20 01:29:22 UTC",
            "Content": "It blooms",
            "IsSender": False,
        }
    ]
}
QQ = """消息分组:我的QQ群
====================
消息对象:花园
====================

2016-07-19 9:27:15 小明(271147505)
开花了

2016-07-19 9:27:19 小红<a@qq.com>
[图片]
"""
VOICE = """<html><body><div class="hChatLog hfeed">
<div class="message"><abbr class="dt" title="2023-09-01T19:29:20-07:00">x</abbr>:
<cite class="sender vcard"><a class="tel" href="tel:+1"><span class="fn">Rosa</span></a></cite>:
<q>It<br>blooms</q></div>
</div><a rel="tag" href="http://www.google.com/voice#sms">Text</a></body></html>"""
SMS = """<smses count="2">
<sms address="+15550001" date="1696889247396" type="1" body="It &#55357;&#56832;" contact_name="Rosa" />
<mms date="1696900308000" msg_box="2" address="+15550001~+2">
<parts><part ct="text/plain" text="blooms" /></parts></mms></smses>
"""
CONTACTS = """First Name,Middle Name,Last Name,Organization Name,Birthday,Notes,Labels,E-mail 1 - Label,\
E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Formatted
Rosa,,Marsh,"Kew, Ltd",1980-05-03,"Met
at Kew",garden ::: * myContacts,* Home,rosa@example.org ::: r@example.org,Shed,+44 1,"12 Plum Lane
Lund"
"""
GOOGLE_TASKS = {"kind": "tasks#taskLists", "items": [{"kind": "tasks#tasks", "id": "l", "title": "Garden", "items": [
    {"id": "a", "title": "Prune", "notes": "In March", "status": "completed", "due": "2023-02-01T00:00:00Z",
     "completed": "2023-02-02T17:20:00Z", "links": [{"link": "https://example.org"}], "parent": "b",
     "scheduled_time": [{"current": True, "start": "2023-02-01T08:30:00Z"}]}]}]}  # fmt: skip
LETTERBOXD = """Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date
2017-12-20,Plums,2012,https://boxd.it/1,3.5,Yes,"<b>Fine</b>
film","a, b",2017-12-19
"""
DAYLIO = """full_date,date,weekday,time,mood,activities,note_title,note
2017-12-09,December 9,Saturday,1:25 pm,rad,shopping | choir,Concert,"It <b>rang</b>"
"""
SPOTIFY = [{"ts": "2020-02-20T11:02:00Z", "ms_played": 177864, "master_metadata_track_name": "Plums",
    "master_metadata_album_artist_name": "Rosa", "master_metadata_album_album_name": "Orchard"}]  # fmt: skip
JOURNEY = {"id": "1625494049547-4BbDhzcByTFSg6MW", "date_modified": 1625494100149, "date_journal": 1625133600000,
    "timezone": "Europe/Vienna", "text": "<p>Planted.</p>", "lat": 48.2, "lon": 16.37, "address": "Wien",
    "favourite": True, "weather": {"description": "Rain"}, "tags": ["garden"]}  # fmt: skip
PLACES = {"type": "FeatureCollection", "features": [{"geometry": {"coordinates": [-71.1, 42.3], "type": "Point"},
    "properties": {"google_maps_url": "https://www.google.com/maps/x", "date": "2023-01-07T23:00:13Z",
                   "location": {"name": "Orchard", "address": "Lund"}, "five_star_rating_published": 4,
                   "review_text_published": "Fine"}}]}  # fmt: skip
MHTML = """Snapshot-Content-Location: https://example.org
MIME-Version: 1.0
Content-Type: multipart/related; boundary="b"

--b
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<html><title>Plums</title><p>They bl=C3=BChen=
 </p>
--b
Content-Type: text/html

<p>frame</p>
--b--
"""
TICKTICK = """"Date: 2026-06-25+0000"
"Status:
0 Normal"
"Folder Name","List Name","Title","Tags","Content","Is Check list","Due Date","Repeat","Status","Created Time",\
"Completed Time","Timezone","Is All Day","taskId","parentId"
"Home","Garden","Prune","tree, june","▫ Saw
▪ Rope","Y","2026-06-25T22:00:00+0000","RRULE:FREQ=WEEKLY;BYDAY=MO","2","2026-06-20T10:00:00+0000","",\
"Europe/Amsterdam","true","1",""
"""
TODOIST = """TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
section,Orchard,,,,,,,,
task,Call Ben @phone,About the saw,1,1,Rosa (12),Ben (34),2026-10-06 15:30,en,Europe/Berlin
note,He is ill,,,,,,,,
"""
TRELLO = {
    "id": "5f0000000000000000000001", "name": "Italy", "desc": "", "closed": False, "idOrganization": None,
    "shortUrl": "https://trello.example/b/1", "prefs": {}, "labelNames": {}, "actions": [
        {"id": "c1", "type": "commentCard", "date": "2026-05-04T13:30:44.558Z", "memberCreator": {"fullName": "Rosa"},
         "data": {"text": "Late", "card": {"id": "c"}}}],
    "cards": [{"id": "5f0000000000000000000011", "name": "Train", "desc": "To Rome", "idList": "l", "idMembers": ["m"],
               "due": "2026-06-18T04:30:00.000Z", "dueComplete": True, "labels": [{"name": "booked"}]}],
    "lists": [{"id": "l", "name": "Day 1"}], "members": [{"id": "m", "fullName": "Ben"}],
    "checklists": [{"idCard": "c", "checkItems": [{"name": "Pay", "state": "complete", "pos": 1}]}],
}  # fmt: skip
LINKEDIN = """CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,DATE,SUBJECT,CONTENT,FOLDER
2-a==,,"Rosa Marsh, PhD",https://example.org/in/rosa,Ben,2021-06-15 16:37:00 UTC,,"It  blooms, <p>smells</p>",INBOX
"""
REDDIT = """id,permalink,date,ip,subreddit,gildings,link,parent,body,media
a,https://example.org/a,2024-01-12 17:29:56 UTC,,garden,0,https://example.org,b,"It, too, blooms",
"""
TIKTOK = {
    "Activity": {"about": "tiktok"},
    "Comment": {"Comments": {"CommentsList": [{"date": "2025-01-01 00:00:00", "comment": "Lovely"}]}},
    "Direct Message": {
        "Direct Messages": {
            "ChatHistory": {
                "Chat History with ben:": [{"Date": "2025-01-01 00:00:00", "From": "ben", "Content": "Who?"}]
            }
        }
    },
    "Profile": {"Profile Info": {"ProfileMap": {"userName": "rosa"}}},
}
ZOOM = """09:03:42 From Rosa to Everyone:
\tIt blooms
09:04:41\t From  Ben to  Rosa(Privately) : late
09:05:00 Ben:\tvery
"""
IRC = """--- Log opened Fri Mar 01 23:50:00 2024
23:50 -!- rosa [~rosa@host.example] has joined #garden
23:58 <@rosa> It blooms
23:59  * ben digs
Mar 02 00:01:00 <rosa>\tlate
2024-03-02 00:01:30\t-->\tada has joined #garden
2024-03-02 00:02:00\t@ben\tvery
"""
ADIUM = """<?xml version="1.0" encoding="UTF-8" ?>
<chat xmlns="http://purl.org/net/ulf/ns/0.4-02" account="ida" service="Jabber">
<event type="windowOpened" sender="ida" time="2013-06-03T18:56:34-08:00"></event>
<message sender="ida" time="2013-06-03T19:03:19-08:00" alias="Ida"><div><span>Who planted it?</span></div></message>
<message sender="rosa" time="2013-06-03T19:12:31-08:00" alias="Rosa"><div>Nils &amp; I</div></message>
</chat>"""
PIDGIN = """<html><head><title>Conversation with rosa at 11/05/2017 23:58:30 on ida (aim)</title></head><body>
<font color="#16569E"><font size="2">(23:58:30)</font> <b>Ida:</b></font> It blooms<br/>
<font size="2">(23:59:00)</font><b> Rosa has signed off.</b><br/>
<span style="color: #A82F2F"><span style="font-size: smaller">(05/10/2017 11:00:00 PM)</span> <b>***Rosa</b></span> dug
"""
COPILOT_HISTORY = """\ufeffConversation,Time,Author,Message
Gate,2026-07-26T23:20:56,AI,"Oil it, [more](ca://s?q=more)."
Gate,2026-07-26T23:20:56,Human,It creaks
"""
TELEGRAM = {"name": "Garden", "type": "personal_chat", "id": 7, "messages": [
    {"id": 1, "type": "message", "date": "2025-01-01T00:00:00", "from": "Rosa", "text": ["See ", _LINK]}]}  # fmt: skip
_WHO = [{"type": "text", "text": "Who planted it?"}]
_AT = 1735689600000
QWEN_CODE = [
    {"uuid": "a", "sessionId": "q", "timestamp": _AT, "type": "user", "message": {"role": "user", "parts": _WHO}},
    {"uuid": "b", "parentUuid": "a", "type": "assistant", "message": {"parts": [{"text": "Hm.", "thought": True}]}},
    {
        "uuid": "c",
        "parentUuid": "a",
        "type": "system",
        "subtype": "custom_title",
        "systemPayload": {"customTitle": "Q"},
    },
]
PI = [
    {"type": "session", "version": 3, "id": "p", "timestamp": _AT, "cwd": "/garden"},
    {"type": "message", "id": "a", "parentId": "p", "message": {"role": "user", "content": _WHO}},
    {"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "content": "Rosa."}},
]
DROID = [
    {"type": "system", "subtype": "init", "session_id": "d", "cwd": "/garden", "timestamp": _AT},
    {"type": "message", "role": "user", "id": "a", "text": "Who planted it?", "timestamp": _AT, "session_id": "d"},
    {"type": "tool_call", "toolName": "grep", "parameters": {"q": "rose"}, "timestamp": _AT, "session_id": "d"},
    {"type": "completion", "finalText": "Rosa.", "timestamp": _AT, "session_id": "d"},
]
KIMI = [
    {"type": "metadata", "protocol_version": "1.4", "created_at": _AT},
    {"type": "context.append_message", "message": {"role": "user", "content": _WHO, "origin": {"kind": "user"}}},
    {"type": "context.append_loop_event", "time": _AT, "event": {"type": "content.part", "uuid": "e", "part": _WHO[0]}},
]
GOOSE = [
    {"working_dir": "/garden", "description": "Quinces", "message_count": 1},
    {"role": "user", "created": 1735689600, "content": _WHO, "metadata": {"userVisible": True}},
]
AMP = {"id": "T", "created": _AT, "messages": [{"role": "user", "messageId": 1, "content": _WHO}]}
KIRO = {"sessionId": "k", "title": "Quinces", "history": [{"message": {"role": "user", "content": _WHO, "id": "m"}}]}
GROK = [
    {"type": "user", "content": _WHO, "prompt_index": 0},
    {"type": "assistant", "content": "Rosa.", "model_id": "g"},
]
ANTIGRAVITY = [
    {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": "Who planted it?"}
]
_SAVED = {"url": "https://example.org", "title": "Quinces", "tags": ["garden"]}
ZED = {
    "id": "z",
    "zed": "context",
    "version": "0.4.0",
    "text": "Who planted it?\nRosa.\n",
    "messages": [
        {"id": {"replica_id": 0, "value": 1}, "start": 0, "metadata": {"role": "user", "status": "Done"}},
        {"id": {"replica_id": 0, "value": 2}, "start": 16, "metadata": {"role": "assistant", "status": "Done"}},
    ],
    "summary": "Quinces",
    "slash_command_output_sections": [{"range": {"start": 0, "end": 3}, "icon": "File", "label": "a.md"}],
}
MASTODON = {
    "id": "outbox.json",
    "type": "OrderedCollection",
    "orderedItems": [
        {
            "type": "Create",
            "actor": "https://example.org/users/rosa",
            "object": {
                "id": "https://example.org/users/rosa/statuses/1",
                "type": "Note",
                "summary": "garden",
                "published": "2025-01-01T00:00:00Z",
                "content": "<p>It <b>blooms</b>.</p>",
                "attachment": [{"type": "Document", "name": "A quince"}],
            },
        },
        {"type": "Announce", "object": "https://example.net/1"},
    ],
}
PINBOARD = [
    {
        "href": "https://example.org",
        "description": "Quinces",
        "extended": "",
        "time": "2025-01-01T00:00:00Z",
        "toread": "no",
        "tags": "garden",
    }
]
WALLABAG = [
    {
        **_SAVED,
        "id": 7,
        "is_archived": 0,
        "is_starred": 1,
        "created_at": "2025-01-01T00:00:00Z",
        "content": "<p>Late.</p>",
        "annotations": [],
    }
]
DELICIOUS = [{**_SAVED, "description": "Late.", "created": "1735689600", "others": 9, "owner": "rosa"}]
READABILITY = [
    {
        "article__title": "Quinces",
        "article__url": "https://example.org",
        "article__excerpt": "Late.",
        "date_added": "2015-05-01T10:00:00Z",
        "favorite": True,
        "archive": False,
    }
]
POCKET_API = {
    "status": 1,
    "list": {
        "1": {
            "item_id": "1",
            "given_url": "https://example.org",
            "given_title": "Quinces",
            "status": "0",
            "time_added": "1599806347",
            "tags": {"garden": {"tag": "garden"}},
            "annotations": [{"quote": "Late."}],
        }
    },
}
GEMINI_APPS = [
    {
        "header": "Gemini Apps",
        "title": "Prompted Who?",
        "titleUrl": "https://gemini.google.com/app/abc123abc",
        "time": "2025-01-01T00:00:00.500Z",
        "products": ["Gemini Apps"],
        "subtitles": [{"name": "-  a.pdf", "url": "a.pdf"}],
        "safeHtmlItem": [{"html": "<p>Rosa.</p>"}],
    }
]
DEEPSEEK = [
    {
        "id": "c",
        "title": "Garden",
        "inserted_at": "2025-01-01T00:00:00.000000+08:00",
        "mapping": {
            "1": {
                "id": "1",
                "parent": None,
                "message": {
                    "inserted_at": "2025-01-01T00:00:00+08:00",
                    "files": [{"file_name": "a.pdf"}],
                    "fragments": [{"type": "REQUEST", "content": "Who?"}],
                },
            },
            "2": {"id": "2", "parent": "1", "message": {"fragments": [{"type": "RESPONSE", "content": "Rosa."}]}},
        },
    }
]
GROK_EXPORT = {
    "conversations": [
        {
            "conversation": {"id": "g", "title": "Garden", "create_time": "2025-01-01T00:00:00Z"},
            "responses": [
                {"response": {"_id": "1", "sender": "human", "message": "Who?", "create_time": {"$date": "1"}}},
                {"response": {"_id": "2", "sender": "assistant", "message": "Rosa.", "parent_response_id": "1"}},
            ],
        }
    ]
}
OPEN_WEBUI = [
    {
        "id": "o",
        "title": "Garden",
        "created_at": 1743456789,
        "meta": {"tags": ["garden"]},
        "chat": {
            "history": {
                "currentId": "b",
                "messages": {
                    "a": {"id": "a", "parentId": None, "role": "user", "content": "Who?", "timestamp": 1743456789},
                    "b": {"id": "b", "parentId": "a", "role": "assistant", "content_list": [{"content": "Rosa."}]},
                },
            }
        },
    }
]
CHAT_JSON = {
    "title": "Garden",
    "conversationId": "c",
    "messages": [
        {"messageId": "1", "isCreatedByUser": True, "text": "Who?", "createdAt": "2025-01-01T00:00:00Z"},
        {
            "currentlySelected": 0,
            "versions": [
                {
                    "role": "assistant",
                    "steps": [{"stepIdentifier": "1736789912980-0.1", "content": [{"type": "text", "text": "Rosa."}]}],
                }
            ],
        },
    ],
}
SHAPES |= {
    "chat-json": ("chat.json", lambda random: CHAT_JSON, _json),
    "gemini": ("MyActivity.json", lambda random: GEMINI_APPS, _json),
    "deepseek": ("conversations.json", lambda random: DEEPSEEK, _json),
    "grok-export": ("prod-grok-backend.json", lambda random: GROK_EXPORT, _json),
    "open-webui": ("chat-export.json", lambda random: OPEN_WEBUI, _json),
    "kiro": ("k.json", lambda random: KIRO, _json),
    "grok": ("chat_history.jsonl", lambda random: GROK, lambda value: lines(_list(value))),
    "antigravity": ("transcript.jsonl", lambda random: ANTIGRAVITY, lambda value: lines(_list(value))),
    "pinboard": ("pinboard.json", lambda random: PINBOARD, _json),
    "wallabag": ("wallabag.json", lambda random: WALLABAG, _json),
    "delicious": ("delicious.json", lambda random: DELICIOUS, _json),
    "readability": ("readability.json", lambda random: READABILITY, _json),
    "qwen-code": ("session.jsonl", lambda random: QWEN_CODE, lambda value: lines(_list(value))),
    "pi": ("session.jsonl", lambda random: PI, lambda value: lines(_list(value))),
    "droid": ("run.jsonl", lambda random: DROID, lambda value: lines(_list(value))),
    "kimi": ("wire.jsonl", lambda random: KIMI, lambda value: lines(_list(value))),
    "goose": ("session.jsonl", lambda random: GOOSE, lambda value: lines(_list(value))),
    "amp": ("T.json", lambda random: AMP, _json),
    "zed": ("Quinces - 1.zed.json", lambda random: ZED, _json),
    "mastodon": ("outbox.json", lambda random: MASTODON, _json),
    "discord": ("garden.json", lambda random: DISCORD, _json),
    "mattermost": (
        "export.jsonl",
        lambda random: [{"type": "version", "version": 1}, MATTERMOST],
        lambda value: lines(_list(value)),
    ),
    "discord-package": ("messages.json", lambda random: DISCORD_PACKAGE, _json),
    "element": ("garden.json", lambda random: ELEMENT, _json),
    "zulip": ("messages-000001.json", lambda random: ZULIP, _json),
    "google-chat": ("messages.json", lambda random: GOOGLE_CHAT, _json),
    "hangouts": ("Hangouts.json", lambda random: HANGOUTS, _json),
    "journey": ("1625494049547-4BbDhzcByTFSg6MW.json", lambda random: JOURNEY, _json),
    "spotify": ("StreamingHistory0.json", lambda random: SPOTIFY, _json),
    "saved-places": ("Saved Places.json", lambda random: PLACES, _json),
    "google-tasks": ("Tasks.json", lambda random: GOOGLE_TASKS, _json),
    "trello": ("trello.json", lambda random: TRELLO, _json),
    "skype": ("messages.json", lambda random: SKYPE, _json),
    "snapchat": ("chat_history.json", lambda random: SNAPCHAT, _json),
    "tiktok": ("user_data_tiktok.json", lambda random: TIKTOK, _json),
    "facebook": ("message_1.json", lambda random: FACEBOOK, _json),
    "telegram": ("result.json", lambda random: TELEGRAM, _json),
}


def slack() -> bytes:
    """An export of Slack with a channel and a day."""
    said = {"type": "message", "user": "U1", "text": "<@U1> &amp; <https://a.org|this>", "ts": "1458210967.000004"}
    files = {
        "users.json": [{"id": "U1", "real_name": "Rosa"}],
        "channels.json": [{"id": "C1", "name": "garden"}],
        "garden/2016-03-17.json": [said],
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, value in files.items():
            archive.writestr(zipfile.ZipInfo(name), json.dumps(value))
    return stream.getvalue()


TELEGRAM_PAGE = """<div class="page_header"><div class="text bold">Garden</div></div>
<div class="message default clearfix" id="message1"><div class="date details" title="13.06.2018 21:25:15 UTC+02:00">
</div><div class="from_name">Rosa</div><div class="text">See <a href="https://a.org">this</a></div></div>
<div class="message default joined" id="message2"><a class="photo_wrap" href="photos/1.jpg"></a></div>"""

MESSENGER_PAGE = """<title>Rosa</title><div class="pam _a6-g"><div class="_2pim _a6-h _a6-i">Rosa</div>
<div class="_3-95 _a6-p"><div><div></div><div>It <a href="https://a.org">blooms</a></div><div></div><div></div><div>
<ul class="_a6-q"><li>x Rosa</li></ul></div></div></div><div class="_3-94 _a6-o">Mar 7, 2024, 8:55 AM</div></div>"""

KAKAOTALK = """Rosa 님과 카카오톡 대화
저장한 날짜 : 2024-01-02 10:00:00

2024년 1월 2일 오후 3:04, Rosa : 안녕하세요
둘째 줄
2024년 1월 2일 오후 3:05, 회원님 : 네
"""
LINE = """[LINE] Rosaとのトーク履歴
保存日時：2024/01/02 10:00

2024/01/02(火)
10:00\tRosa\tこんにちは
10:01\tBen\t"はい
また"
"""

TWEETS = """window.YTD.tweets.part0 = [{"tweet": {"id_str": "1", "full_text": "@ben It blooms https://t.co/a",
"created_at": "Wed Oct 10 20:19:24 +0000 2018", "entities": {"urls": [{"url": "https://t.co/a", "expanded_url": "https://a.org"}],
"user_mentions": [{"id_str": "2", "name": "Ben"}], "media": []}}}]"""

SIGNAL = """[2019-12-24, 12:23] Rosa:

> Who has the key?

Me ![plan](./media/plan.jpg)
(- Me: x -)
[2019-12-24 12:24:00] Me: (This message was deleted)
"""


def imessage() -> bytes:
    """A database of Messages with a text in each of its two columns."""
    body = b"\x84\x08NSString\x01\x94\x84\x01+\x03hey\x86"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chat.db"
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.execute("create table handle (id text)")
            conn.execute("create table chat_message_join (chat_id integer, message_id integer)")
            conn.execute("create table message (text, attributedBody, handle_id, is_from_me, date)")
            conn.executemany("insert into message values (?, ?, 1, 0, 720845450)", [("hi", None), (None, body)])
        return path.read_bytes()


VCARD = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:L=C3=B6f;Rosa;;;
item1.TEL;CELL:0170 1234
item1.X-ABLabel:_$!<Home>!$_
ADR;TYPE=home:;;12 Plum Lane;Lund;;22100;Sweden
BDAY:1980-05-03
NOTE;ENCODING=QUOTED-PRINTABLE:It =
blooms.
UID:urn:uuid:1
PHOTO;ENCODING=b:/9j/
 4AAQ
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Friends
KIND:group
MEMBER:urn:uuid:1
END:VCARD
"""
MAIL = """From: =?utf-8?q?R=C3=B3sa?= <rosa@example.org>
Date: Mon, 6 Jun 2005 22:21:22 +0200
Message-ID: <1@example.org>
References: <0@example.org>
Subject: Re: The quince
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=iso-8859-1; format=flowed
Content-Transfer-Encoding: quoted-printable

Bl=FCte

On Monday Ben wrote:
> Does it?

--
Rosa
--b
Content-Type: text/html

<p>It <b>blooms</b><blockquote type="cite">Does it?</blockquote>
--b
Content-Type: message/rfc822

Subject: inner

text
--b
Content-Disposition: attachment; filename*=utf-8''a%C3%BC.pdf

x
--b--
"""


@cache
def outlook() -> bytes:
    """A mail of Outlook with an attachment."""
    texts = {
        "0037": "Re: The quince",
        "1000": "It blooms.\r\n",
        "0C1A": "Rosa",
        "0C1F": "rosa@example.org",
        "0E04": "Ben",
    }
    sent = struct.pack("<HHIq", 0x40, 0x39, 6, (1_734_855_780 + 11_644_473_600) * 10_000_000)
    texts |= {"0C1A": "Rosa", "0C1F": "rosa@example.org"}
    texts |= {"007D": "From: Rosa <rosa@example.org>\nMessage-ID: <9@x>\nReferences: <8@x>"}
    streams = {f"__substg1.0_{number}001F": text.encode("utf-16-le") for number, text in texts.items()}
    streams["__attach_version1.0_#00000000/__substg1.0_3707001F"] = "plan.pdf".encode("utf-16-le")
    return compound({"__properties_version1.0": b"\0" * 32 + sent, **streams})


RTF = r"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset204 Arial;}}{\stylesheet{\s1 heading 1;}}
{\info{\title Trees}{\author Rosa}{\creatim\yr2012\mo5\dy3}}\pard\s1 Orchard
\par\pard\f0 \'d0\uc1\u1086?{\footnote note}\par
{\field{\*\fldinst{HYPERLINK "https://example.org"}}{\fldrslt link}}{\listtext\'95}\trowd\intbl a\cell b\cell\row}"""
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>Garden</H3><DD>of Rosa<DL><p>
<DT><A HREF="https://a.org" ADD_DATE="1460294956000" TAGS="a,b">Quinces</A><DD>bloom
<HR></DL><p><DT><A HREF="place:sort=8">Recent</A></DL>"""


ICS = """BEGIN:VCALENDAR
X-WR-CALNAME:Garden
BEGIN:VTIMEZONE
TZID:Shed
BEGIN:STANDARD
DTSTART:19701101T020000
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Shed:20250115T100000
DTEND;TZID=Shed:20250115T110000
RRULE:FREQ=WEEKLY;BYDAY=MO,-1FR;UNTIL=20260101T000000Z
EXDATE;TZID=Shed:20250122T100000
SUMMARY:The quinces, and
  their frost
ATTENDEE;CN="Rosa Marsh":mailto:rosa@example.org
CATEGORIES:garden,trees
END:VEVENT
BEGIN:VTODO
UID:2
DUE;VALUE=DATE:20250116
SUMMARY:Water
END:VTODO
END:VCALENDAR
"""


def history() -> bytes:
    """A database of Chrome with two visits of a page."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "History"
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.execute("create table urls (id integer primary key, url, title)")
            conn.execute("create table visits (id integer primary key, url, visit_time, transition)")
            conn.execute("insert into urls values (1, 'https://example.org', 'Quinces')")
            conn.executemany("insert into visits values (?, 1, 13255337775902496, 805306368)", [(1,), (2,)])
        return path.read_bytes()


def apple_books() -> bytes:
    """A database of Apple Books with a highlight and a note on it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "AEAnnotation.sqlite"
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.execute(
                "create table ZAEANNOTATION (Z_PK integer primary key, ZANNOTATIONUUID, ZANNOTATIONASSETID,"
                " ZANNOTATIONSELECTEDTEXT, ZANNOTATIONNOTE, ZANNOTATIONCREATIONDATE, ZANNOTATIONDELETED)"
            )
            conn.execute("insert into ZAEANNOTATION values (1, 'a', 'q', 'rough', 'so', 640400624.4, 0)")
        return path.read_bytes()


def calibre() -> bytes:
    """A library of Calibre with two books and a highlight."""
    mark = {"type": "highlight", "uuid": "h", "highlighted_text": "It is\nrough.", "notes": "So is mine.",
            "timestamp": "2025-02-04T17:16:33.795Z", "toc_family_titles": ["One", "Bark"]}  # fmt: skip
    with TemporaryDirectory() as folder:
        path = Path(folder) / "metadata.db"
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.executescript("""
                create table books (id integer primary key, uuid, title, timestamp, series_index, path);
                create table authors (id integer primary key, name);
                create table books_authors_link (book, author);
                create table tags (id integer primary key, name);
                create table books_tags_link (book, tag);
                create table series (id integer primary key, name);
                create table books_series_link (book, series);
                create table ratings (id integer primary key, rating);
                create table books_ratings_link (book, rating);
                create table annotations (id integer primary key, book, timestamp, annot_type, annot_data);
                insert into books values (1, 'u1', 'Quinces', '2024-07-29 21:04:45.016561+00:00', 2.0, 'a'),
                    (2, 'u2', 'Pears', '2024-07-30 21:04:45.016561+00:00', 1.0, 'b');
                insert into authors values (1, 'Moss| Ida'), (2, 'Ben Root');
                insert into books_authors_link values (1, 1), (1, 2);
                insert into tags values (1, 'fruit');
                insert into books_tags_link values (1, 1);
                insert into series values (1, 'Trees');
                insert into books_series_link values (1, 1);
                insert into ratings values (1, 9);
                insert into books_ratings_link values (1, 1);
            """)
            conn.execute("insert into annotations values (1, 1, 0, 'highlight', ?)", (json.dumps(mark),))
        return path.read_bytes()


def kobo() -> bytes:
    """A database of an e-reader with a highlight and a note on it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "KoboReader.sqlite"
        with closing(sqlite3.connect(path)) as conn, conn:
            conn.execute("create table content (ContentID primary key, Title, Attribution)")
            conn.execute(
                "create table Bookmark (BookmarkID primary key, VolumeID, ContentID, Text, Annotation, DateCreated,"
                " ChapterProgress, Hidden)"
            )
            conn.execute("insert into content values ('q', 'Quinces', 'Ida Moss')")
            conn.execute(
                "insert into Bookmark values ('a', 'q', 'q', 'rough', 'so', '2025-02-04T17:16:33', 0, 'false')"
            )
        return path.read_bytes()


MEETING = """Garden & gate-20250301_150001-Meeting Recording
March 1, 2025, 2:00PM
27m 18s

Rosa Marsh started transcription

Rosa Marsh   0:03
Who planted the quince?
In March.

Ben   0:09
Nils.
Rosa Marsh stopped transcription
"""
VTT = """WEBVTT

NOTE of a meeting

00:01.000 --> 00:02.000 align:start
<v.loud Rosa>The <i>quinces</i> <00:01.500>bloom

00:00:02.000 --> 00:00:03.000
The quinces &amp; pears
Ivo: do
"""
SRT = "1\n00:00:01,000 --> 00:00:02,500\nRosa: It {\\an8}blooms.\n\n2\n00:00:02,500 --> 00:00:04,000\nRosa: Late.\n"


ACTIVITY = """<div class="outer-cell mdl-cell"><p class="mdl-typography--title">Search<br></p>
<div class="content-cell mdl-cell mdl-typography--body-1">Visited&nbsp;<a href="https://a.org">Figs</a><br>
Jan 31, 2018, 10:54:50 PM CET</div></div>"""


# The ones that are bytes and no trees. A name with a folder in it: the folder is read.
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "llm": ("logs.db", logs),
    "eml": ("a.eml", MAIL.encode),
    "maildir": ("mail/cur/1:2,S", MAIL.encode),
    "msg": ("a.msg", outlook),
    "daylio": ("daylio.csv", DAYLIO.encode),
    "letterboxd": ("reviews.csv", LETTERBOXD.encode),
    "netflix": ("NetflixViewingHistory.csv", 'Title,Date\n"Plums: Part 1","10/13/25"\n"Quinces","9/25/21"\n'.encode),
    "ticktick": ("ticktick.csv", TICKTICK.encode),
    "todoist": ("Garden.csv", TODOIST.encode),
    "asana": ("asana.csv", ASANA.encode),
    "jira": ("jira.csv", JIRA.encode),
    "linear": ("linear.csv", LINEAR.encode),
    "bluesky": ("repo.car", lambda: car(BLUESKY)),
    "todo.txt": ("todo.txt", TODO_TXT.encode),
    "toodledo": ("toodledo.csv", TOODLEDO.encode),
    "imdb": ("ratings.csv", IMDB.encode),
    "storygraph": ("storygraph.csv", STORYGRAPH.encode),
    "contact-table": ("contacts.csv", CONTACTS.encode),
    "vcard": ("contacts.vcf", VCARD.encode),
    "mbox": ("a.mbox", lambda: f"From - Mon Nov 07 18:44:27 2016\n{MAIL}\n".encode() * 2),
    "imessage": ("chat.db", imessage),
    "imessage-export": ("Garden.txt", IMESSAGES.encode),
    "signal": ("chat.md", SIGNAL.encode),
    "telegram-html": ("messages.html", TELEGRAM_PAGE.encode),
    "kakaotalk": ("KakaoTalkChats.txt", KAKAOTALK.encode),
    "line": ("[LINE] Rosa.txt", LINE.encode),
    "linkedin": ("messages.csv", LINKEDIN.encode),
    "microsoft-copilot": ("copilot-activity-history.csv", COPILOT_HISTORY.encode),
    "qq": ("qq.txt", QQ.encode),
    "reddit": ("comments.csv", REDDIT.encode),
    "zoom": ("meeting_saved_chat.txt", ZOOM.encode),
    "irc": ("#garden.log", IRC.encode),
    "adium": ("rosa (2013-06-03T18.56.34-0800).chatlog", ADIUM.encode),
    "pidgin": ("2017-05-11.235830+0200CEST.html", PIDGIN.encode),
    "google-voice": ("Rosa - Text - 2023-09-02T02_29_20Z.html", VOICE.encode),
    "sms-backup": ("sms-1.xml", SMS.encode),
    "facebook-html": ("message_1.html", MESSENGER_PAGE.encode),
    "twitter": ("tweets.js", TWEETS.encode),
    "slack": ("slack.zip", slack),
    "zip": ("notes.zip", lambda: zipped("garden/quince.md", b"# Quince\n\nIt blooms in [[May]].")),
    "whatsapp": ("chat.txt", WHATSAPP.encode),
    "vtt": ("meeting.vtt", VTT.encode),
    "srt": ("meeting.srt", SRT.encode),
    "meeting": ("meeting.txt", MEETING.encode),
    "ics": ("garden.ics", ICS.encode),
    "anki": ("Garden.txt", ANKI.encode),
    "apple-books": ("AEAnnotation.sqlite", apple_books),
    "calibre": ("metadata.db", calibre),
    "kobo": ("KoboReader.sqlite", kobo),
    "canvas": ("Garden.canvas", lambda: _json(CANVAS)),
    "kindle": ("My Clippings.txt", KINDLE.encode),
    "bibtex": ("library.bib", BIBTEX.encode),
    "ris": ("library.ris", RIS.encode),
    "bookmarks": ("bookmarks.html", BOOKMARKS.encode),
    "browser-history": ("History", history),
    "google-takeout": ("MyActivity.html", ACTIVITY.encode),
    "pocket": ("pocket.csv", POCKET.encode),
    "instapaper": ("instapaper.csv", INSTAPAPER.encode),
    "raindrop": ("raindrop.csv", RAINDROP.encode),
    "readwise": ("readwise.csv", READWISE.encode),
    "goodreads": ("goodreads.csv", GOODREADS.encode),
    "aider": (".aider.chat.history.md", AIDER.encode),
    "opencode": ("opencode.db", opencode),
    "sqlite": ("table.db", table),
    "enex": ("notes.enex", ENEX.encode),
    "substack": ("letters.zip", lambda: zipped("posts.csv", SUBSTACK.encode())),
    "blogger": ("feed.atom", BLOGGER.encode),
    "wordpress": ("garden.xml", WORDPRESS.encode),
    "bear": ("notes.bear2bk", bear),
    "notion": ("export.zip", notion),
    "apple-notes": ("NoteStore.sqlite", apple_notes),
    "opml": ("garden.opml", OPML.encode),
    "jrnl": ("garden.journal", JRNL.encode),
    "org": ("log.org", ORG.encode),
    "wiki": ("garden.wiki", WIKI.encode),
    "github": ("issues.json", lambda: _json([GITHUB])),
    "tomboy": ("a.note", TOMBOY.encode),
    "cherrytree": ("garden.ctd", CHERRYTREE.encode),
    "zim": ("Pear.txt", ZIM.encode),
    "dokuwiki": ("pear.txt", DOKUWIKI.encode),
    "rednotebook": ("2024-03.txt", REDNOTEBOOK.encode),
    "asciidoc": ("guide.adoc", ASCIIDOC.encode),
    "rst": ("guide.rst", RST.encode),
    "html": ("page.html", HTML.encode),
    "pdf": ("a.pdf", lambda: PDF),
    "doc": ("a.doc", lambda: document(plain("Quinces\x02 bloom\r", "\x02 In \x13 PAGE \x143\x15\r"), 9)),
    "docx": ("a.docx", docx),
    "mhtml": ("a.mhtml", MHTML.encode),
    "rtf": ("a.rtf", RTF.encode),
    "ppt": ("a.ppt", lambda: slides([([(0, "Quinces"), (1, "bloom\rlate")], ["Росток"], "Nils asks")])),
    "pptx": ("a.pptx", pptx),
    "xls": ("a.xls", lambda: workbook({"Trees": [["Plum", "Planted"], ["Ершовка", ("day", 45000.5)]]})),
    "xlsx": ("a.xlsx", xlsx),
    "epub": ("a.epub", epub),
    "opendocument": ("a.odt", lambda: opendocument(ODT)),
    "joplin": ("notes.jex", jex),
    "memkit": ("all.jsonl", lambda: _export().encode()),
}
# Other files of formats that have several.
MORE: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "cursor's agent": ("cursor", "store.db", cursor_agent),
    "a note packed alone": ("markdown", "quince.md.gz", lambda: gzip.compress(NOTE.encode(), mtime=0)),
    "mails packed alone": ("mbox", "2024-May.txt.gz", lambda: gzip.compress(FILES["mbox"][1](), mtime=0)),
    "pocket's API": ("pocket", "pocket.json", lambda: _json(POCKET_API)),
    "a sheet of LibreOffice": ("opendocument", "a.ods", lambda: opendocument(ODS)),
    "jrnl's export": ("jrnl", "garden.json", lambda: _json(JRNL_EXPORT)),
    "claude's web session": ("claude-code", "session.json", lambda: _json({"loglines": _claude_code()[:8]})),
    "keep's page": ("google-keep", "Quince.html", KEEP_PAGE.encode),
    "a document in a zip": ("zip", "plans.zip", lambda: zipped("Drive/a.docx", docx())),
    "simplenote's zip": ("simplenote", "notes.zip", lambda: zipped("source/notes.json", _json(SIMPLENOTE))),
    "cursor's editor": ("cursor", "state.vscdb", cursor_editor),
}


def whole(random: Random) -> Iterator[tuple[str, str, bytes]]:
    """Every file as it should be: its format, its name and its bytes."""
    for format, (name, make, write) in SHAPES.items():
        yield format, name, write(make(random))
    yield from ((format, name, made()) for format, (name, made) in FILES.items())
    yield from ((format, name, made()) for format, name, made in MORE.values())


def file(random: Random) -> tuple[str, str, bytes]:
    """A hostile file: its format, its name and its bytes."""
    format = random.choice((*SHAPES, *FILES, *MORE, "markdown", "note", "zip"))
    if format in MORE:
        format, name, made = MORE[format]
        return format, name, inside.changed(random, made())
    if format in FILES:
        name, made = FILES[format]
        return format, name, (inside.changed if random.random() < 0.7 else values.mutated)(random, made())
    if format == "note":
        text = values.spliced(random, NOTE) if random.random() < 0.6 else values.text(random, 30)
        return (
            "markdown",
            random.choice(("note.md", "2025-01-02.md", "note.txt")),
            text.encode("utf-8", "surrogatepass"),
        )
    if format == "zip":
        format = random.choice(("chatgpt", "claude"))
        _, make, write = SHAPES[format]
        inner = random.choice(
            ("conversations.json", "conversations-1.json", "a/conversations.json", "../conversations.json")
        )
        data = zipped(inner, write(values.changed(random, make(random))))
        return format, "export.zip", values.mutated(random, data) if random.random() < 0.5 else data
    name, make, write = SHAPES[format]
    tree = make(random)
    if random.random() < 0.7:
        tree = values.changed(random, tree)
    try:
        data = write(tree)
    except (ValueError, RecursionError):
        data = write(make(random))
    if random.random() < 0.35:
        data = values.mutated(random, data)
    if random.random() < 0.1:
        name = random.choice(("x", "x.txt", "x.md", "x.json", "x.jsonl", "x.csv", "x.ipynb", "x.db", "x.zip"))
    return format, name, data[: values.LONGEST]
