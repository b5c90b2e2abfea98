"""What a file is, is judged by what is in it."""

import json
import sqlite3
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.core.errors import BadSource
from memkit.sources import FORMATS, detect, read
from memkit.sources.sample import keys


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
        ("a.jsonl", '{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}', "codex"),
        ("a.jsonl", '{"timestamp":"t","type":"session_meta","text":"a row"}', "jsonl"),
        ("a.json", '{"sessionId": "s", "projectHash": "h", "messages": []}', "gemini-cli"),
        ("a.json", '{"responderUsername": "GitHub Copilot", "requests": []}', "copilot"),
        ("a.jsonl", '{"kind":0,"v":{"version":3,"requests":[]}}', "copilot"),
        ("a.jsonl", '{"kind":0,"v":{"text":"a row"}}', "jsonl"),
        ("a.jsonl", '{"role":"user","message":{"content":"x"}}', "cursor"),
        ("a.json", '[{"ts": 1, "type": "say", "say": "text", "text": "x"}]', "cline"),
        ("a.json", '[{"ts": 1, "type": "note", "text": "x"}]', "json"),
        ("a.md", "# aider chat started at 2024-08-05 19:33:02\n", "aider"),
        ("a.json", '[{"id": "a", "conversations": [{"from": "human", "value": "x"}]}]', "sharegpt"),
        ("a", '{"runSettings": {}, "chunkedPrompt": {"chunks": []}}', "ai-studio"),
        ("a.jsonl", '{"passage_id":"p","subject":"a","predicate":"b","object":"c"}', "triples"),
        ("a.jsonl", '{"text":"t","subject":"a","predicate":"b","object":"c"}', "jsonl"),
        ("a.xml", '<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x">\n<en-export>', "enex"),
        ("a.json", '{"isTrashed": false, "title": "t", "userEditedTimestampUsec": 1}', "google-keep"),
        ("a.json", '{"metadata": {}, "entries": [{"creationDate": "2024-01-01"}]}', "day-one"),
        ("a.org", "* A heading", "org"),
        ("a.rst", "Title\n=====", "rst"),
        ("a.html", "<!doctype html><p>text", "html"),
        ("a.md", "<p>A note that begins with HTML</p>", "markdown"),
        ("a", "%PDF-1.4\n", "pdf"),
        ("a.tid", "title: a\ntags: b\n\ntext", "tiddlywiki"),
        ("a.tid", "No header", "markdown"),
        ("a.json", '[{"title": "t", "children": [{"string": "s", "uid": "u"}]}]', "roam"),
        ("a.txt", '{"version": "004", "items": [{"content_type": "Note"}]}', "standard-notes"),
        ("a.bib", "% no entry yet", "bibtex"),
        ("a.html", "\ufeff<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>", "bookmarks"),
        ("a.htm", '<DL><p><DT><A HREF="http://a" ADD_DATE="1">a</A>', "bookmarks"),
        ("a.html", '<dl><dt><a href="http://a">a</a></dl>', "html"),
        ("Bookmarks", '{"checksum": "c", "roots": {"bookmark_bar": {"children": []}}}', "bookmarks"),
        ("a.json", '{"title": "", "type": "text/x-moz-place-container", "children": []}', "bookmarks"),
        ("a.json", '{"roots": {"bookmark_bar": {}}, "text": "a row"}', "jsonl"),
        ("a.json", '[{"header": "Maps", "title": "t", "time": "x", "products": ["Maps"]}]', "google-takeout"),
        ("a.json", '{"locations": [{"timestampMs": "1", "latitudeE7": 1}]}', "google-takeout"),
        ("a.json", '{"semanticSegments": [{"startTime": "x"}]}', "google-takeout"),
        ("a.json", '[{"startTime": "x", "endTime": "y", "visit": {"a": "geo:1,2"}}]', "google-takeout"),
        ("a.json", '[{"header": "Maps", "title": "t", "time": "x", "products": [], "text": "a row"}]', "json"),
        ("a.txt", "@book{marsh, title = {Quinces}}", "bibtex"),
        ("a.txt", "@rosa {says}", "markdown"),
        ("a.vtt", "WEBVTT\n\nNOTE no cue yet", "vtt"),
        ("a.txt", "WEBVTT - of a meeting\n\n00:01.000 --> 00:02.000\nHello", "vtt"),
        ("a.md", "WEBVTT is a format", "markdown"),
        ("a.srt", "\r\n1\r\n00:00:01,000 --> 00:00:02,000\r\nHello", "srt"),
        ("a.txt", "1\n00:00:01,000 --> 00:00:02,000\nHello", "srt"),
        ("a.md", "# 1\n\n00:00:01,000 --> 00:00:02,000\nHello", "markdown"),
        ("a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR", "ics"),
        ("a.txt", "BEGIN:VCALENDAR begins a calendar, they say", "markdown"),
        ("a.txt", "[ ] Prune the quince\n[x] Water it", "markdown"),
        ("a", "[] is an empty list", "markdown"),
        ("a.txt", '["a", "b"] are two letters', "markdown"),
        ("a.txt", '["a text", "another one"]', "json"),
        ("a.md", "<div>\nA note in one element\n</div>", "markdown"),
        ("a.txt", "<rosa> who has the key?\n<ben> me", "markdown"),
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


@pytest.mark.parametrize("text", ['{"settings": [1, {"a": "b', '{"settings": [1, 2', '[[{"a": 1}, '])
def test_json_that_was_cut_off_is_told_from_json_of_another_shape(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadSource, match="broken JSON: it ends too early, as after a download that was not finished"):
        detect(tmp_path / "a.json")
    (tmp_path / "b.json").write_text('{"settings": [1, 2]}')
    with pytest.raises(BadSource, match="JSON of a shape that memkit does not know"):
        detect(tmp_path / "b.json")


def test_a_zip_with_a_file_without_a_name_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("x"), "no name")
    data = (tmp_path / "a.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        at = archive.start_dir
    central = data[at : at + 28] + b"\0\0" + data[at + 30 : at + 46] + data[at + 47 :]  # the name has no letters
    end = central.rindex(b"PK\x05\x06")
    size = (end).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data[:at] + central[: end + 12] + size + central[end + 16 :])
    with pytest.raises(BadSource, match="a zip that holds no export"):
        detect(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jpg", b"\xff\xd8\xff\x00\x10", r"format that memkit knows\. What is read: memkit formats$"),
        ("app.json", b'{"theme": "dark"}', "JSON of a shape that memkit does not know.*--format"),
        ("a.txt", b'{"body": "x"}', "it has no 'text'.*--text-column"),
        ("a.zip", b"PK\x03\x04 nonsense", r"a\.zip: the zip cannot be read: .*[^.]\. What is read"),
        ("a.json", b" \n", "a.json is empty"),
        ("a.export", b'[\n {\n  "content": "x"\n }\n]\n', "JSON of a shape that memkit does not know"),
        ("a.notes", b'version:2\n{"type": "notes"}\n{"type": "tags"}\n', "looks like lines of JSON"),
        ("a.txt", b"gAAAAABfb4gQBMqqGn_W8v_s7qCi14bX7inuCOKbsBqI" * 9, "looks like encrypted or encoded data"),
        ("b.txt", (b"ab+/" * 16 + b"\n") * 5 + b"ab==\n", "looks like encrypted or encoded data"),
        ("a.note", b"<en-note>\n <div>It blooms.</div>\n</en-note>\n", "looks like XML.*--format markdown"),
        ("q.jsonl", b'{"text": "who?", "relevant": ["a"]}', "is questions with their answers.*memkit eval"),
        ("a.db", b"SQLite format 3\0 but broken", "cannot be read as a SQLite database"),
    ],
)
def test_what_nothing_can_read_is_an_error_at_the_call(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadSource, match=message):
        read(tmp_path / name)


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    with pytest.raises(BadSource, match=r"'jsnl' is not a format\. Did you mean 'jsonl'.*There are: .*chatgpt"):
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


def test_a_database_is_looked_into_also_by_a_path_from_here(tmp_path, monkeypatch):
    with sqlite3.connect(tmp_path / "some.db") as conn:
        conn.execute("create table notes (text)")
    conn.close()
    monkeypatch.chdir(tmp_path)
    assert detect("some.db") == "sqlite"


def test_a_damaged_database_is_refused_with_a_reason(tmp_path):
    path = tmp_path / "chat.db"
    with sqlite3.connect(path) as conn:
        conn.execute("create table message (text)")
        conn.execute("create view broken as select * from message")
    conn.close()
    path.write_bytes(path.read_bytes().replace(b"from message", b"from massage"))
    with pytest.raises(BadSource, match=r"chat\.db: the database cannot be read: "):
        detect(path)


def test_a_format_that_stumbles_over_a_file_does_not_stop_the_others(tmp_path, monkeypatch):
    def stumbles(seen):
        return {"a": 1}[seen.name]

    monkeypatch.setitem(FORMATS, "codex", replace(FORMATS["codex"], matches=stumbles))
    (tmp_path / "a.jsonl").write_text('{"type": [1], "text": "Rosa."}\n')
    assert detect(tmp_path / "a.jsonl") == "jsonl"
    monkeypatch.undo()
    (tmp_path / "b.jsonl").write_text('{"type": [], "payload": {}}\n')  # an unhashable type
    assert detect(tmp_path / "b.jsonl") == "jsonl"
