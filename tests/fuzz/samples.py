"""A small valid file of every format, as bytes or as a tree that is written as one; changed, it is a hostile file."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from fuzz import values

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
    "csv": ("rows.csv", lambda random: ROWS, lambda value: csv_of(_list(value), ",")),
    "json": ("rows.json", lambda random: ROWS, _json),
    "jsonl": ("rows.jsonl", lambda random: ROWS, lambda value: lines(_list(value))),
    "markdown": ("note.md", lambda random: FIELDS, front_matter),
    "notebook": ("book.ipynb", lambda random: NOTEBOOK, _json),
    "triples": ("triples.jsonl", lambda random: TRIPLES, lambda value: lines(_list(value))),
    "tsv": ("rows.tsv", lambda random: ROWS, lambda value: csv_of(_list(value), "\t")),
}
# The ones that are bytes and no trees.
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "llm": ("logs.db", logs),
    "sqlite": ("table.db", table),
    "memkit": ("all.jsonl", lambda: _export().encode()),
}


def file(random: Random) -> tuple[str, str, bytes]:
    """A hostile file: its format, its name and its bytes."""
    format = random.choice((*SHAPES, *FILES, "markdown", "note", "zip"))
    if format in FILES:
        name, made = FILES[format]
        return format, name, values.mutated(random, made())
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
