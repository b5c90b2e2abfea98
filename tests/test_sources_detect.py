"""What a file is, is judged by what is in it."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.errors import BadSource
from memkit.sources import FORMATS, detect, read
from memkit.sources.detect import keys


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.md", "text", "markdown"),
        ("a.md", '{"text": "a note that begins with JSON"}', "markdown"),
        ("LICENSE", "Permission is granted", "markdown"),
        ("a.txt", "[[wikilink]] and [1] more", "markdown"),
        ("a.txt", "{{title}}", "markdown"),
        ("a.txt", "", "markdown"),
        ("noname", '{"text": "a"}\n{"text": "b"}', "jsonl"),
        ("a.json", '{"text": "a"}\n{"text": "b"}', "jsonl"),
        ("a.jsonl", "broken\n", "jsonl"),
        ("a.jsonl", '{"body": "a"}', "jsonl"),
        ("a.txt", '[{"id": 1, "text": "a"}]', "json"),
        ("a.json", '["a", "b"]', "json"),
        ("a.json", "[]", "json"),
        ("a.json", '{\n "text": "a"\n}', "json"),
        ("a.json", '[{"title": "t", "mapping": {"text": {}}}]', "chatgpt"),
        ("a.json", '{"title": "t", "mapping": {}}', "chatgpt"),
        ("a.json", '\ufeff [{"uuid": "u", "name": "chat \\"mapping\\": {", "chat_messages": []}]', "claude"),
        ("a.json", '{"uuid": "u", "chat_messages": [{"text": "x"}]}', "claude"),
        ("a.json", '[{"uuid": "p", "name": "n", "docs": []}]', "claude"),
        ("a.json", '{"cells": [], "nbformat": 4}', "notebook"),
        ("a", '{"type":"user","sessionId":"s","message":{"content":"text"}}', "claude-code"),
        ("a.jsonl", '{"type":"summary","summary":"x","leafUuid":"y"}', "claude-code"),
        ("a.jsonl", '{"passage_id":"p","subject":"a","predicate":"b","object":"c"}', "triples"),
        ("a.jsonl", '{"text":"t","subject":"a","predicate":"b","object":"c"}', "jsonl"),
        ("a.csv", "anything", "csv"),
        ("a.tsv", "anything", "tsv"),
        ("a.txt", "id,text\n1,x", "csv"),
        ("a", "id\ttext\n1\tx", "tsv"),
    ],
)
def test_the_format_of_a_file(tmp_path, name, text, format):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert detect(path) == format


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jpg", b"\xff\xd8\xff\x00\x10", r"format that memkit knows\. Formats: chatgpt, claude"),
        ("app.json", b'{"theme": "dark"}', "JSON of a shape that memkit does not know.*--format"),
        ("a.txt", b'{"body": "x"}', "it has no 'text'.*--text-column"),
        ("a.zip", b"PK\x03\x04 nonsense", r"a\.zip: the zip cannot be read: .*[^.]\. Formats"),
        ("a.json", b" \n", "a.json is empty"),
        ("q.jsonl", b'{"text": "who?", "relevant": ["a"]}', "holds questions.*memkit eval"),
        ("a.db", b"SQLite format 3\0 but broken", "cannot be read as a SQLite database"),
    ],
)
def test_what_nothing_can_read_is_an_error_at_the_call(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadSource, match=message):
        read(tmp_path / name)


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    with pytest.raises(BadSource, match=r"'jsnl' is not a format\. Did you mean 'jsonl'.*There are: chatgpt"):
        read(tmp_path, format="jsnl")


def test_a_folder_is_a_folder(tmp_path):
    assert detect(tmp_path) == "folder"
    assert list(read(tmp_path)) == []


OBJECTS = st.dictionaries(
    st.text(), st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
)


@given(OBJECTS, st.sampled_from([None, 1]), st.booleans())
def test_keys_are_those_of_the_outermost_object(value, indent, ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    escaped = {json.dumps(key, ensure_ascii=ascii)[1:-1] for key in value}
    assert keys(text) == escaped
    assert keys(f"[{text}, {text}]") == escaped


@given(st.binary(max_size=300), st.sampled_from(["a", "a.md", "a.json", "a.jsonl", "a.csv", "a.zip", "a.db", "a.txt"]))
def test_any_bytes_have_a_format_or_none(tmp_path_factory, data, name):
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(data)
    try:
        assert detect(path) in FORMATS
    except BadSource:
        return
    list(read(path))


def test_importing_the_readers_stays_light():
    code = "import sys, memkit.sources; print([m for m in ('numpy', 'pandas', 'yaml', 'llm') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
