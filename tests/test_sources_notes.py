"""Notes of other programs: each note once, with its title, tags, folder and times, and its links as links."""

from __future__ import annotations

import gzip
import io
import json
import plistlib
import sqlite3
import tarfile
import zipfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from chat_files import ingested_twice, written, zipped

from memkit import MemoryDatabase
from memkit.core.types import DocumentDraft, Draft, Failure, LeftOut, ReadWarning
from memkit.sources import ReadLimits, ReadOptions, detect, read


def drafts(path: Path, **options: Any) -> list[Draft]:
    found = list(read(path, options=ReadOptions(**options)))
    assert not [one for one in found if isinstance(one, Failure | LeftOut | ReadWarning)]
    return [one for one in found if isinstance(one, Draft)]


def failures(path: Path) -> list[str]:
    return [one.reason for one in read(path) if isinstance(one, Failure | LeftOut | ReadWarning)]


def texts(path: Path) -> list[str]:
    return [one.text for one in drafts(path)]


# ---------------------------------------------------------------------------------------------------------- Evernote


def enex(*notes: str, start: str = "") -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{start}<en-export version="10">{"".join(notes)}</en-export>'


def evernote(content: str, title: str = "Quince", rest: str = "", created: str = "20230121T093733Z") -> str:
    body = f'<!DOCTYPE en-note SYSTEM "http://x/enml2.dtd"><en-note>{content}</en-note>'
    times = f"<created>{created}</created><updated>20230122T000000Z</updated>"
    return f"<note><title>{title}</title><content><![CDATA[{body}]]></content>{times}{rest}</note>"


def test_a_note_of_evernote_has_its_title_times_tags_author_and_address(tmp_path):
    rest = (
        "<tag>garden</tag><tag>two words</tag><note-attributes><author>Rosa</author>"
        "<source-url>https://example.org/q</source-url></note-attributes>"
    )
    path = written(tmp_path / "a.enex", enex(evernote("<div>It blooms.</div>", rest=rest)))
    assert detect(path) == "enex"
    (found,) = drafts(path)
    assert (found.text, found.title, found.speaker) == ("It blooms.", "Quince", "Rosa")
    assert found.tags == ("garden", "two words")
    assert found.happened_at == found.document.created_at == "2023-01-21T09:37:33Z"
    assert found.document.updated_at == "2023-01-22T00:00:00Z"
    assert found.document.fields == {"author": "Rosa", "url": "https://example.org/q"}


def test_the_bytes_of_attachments_are_no_text_and_their_names_are_only_where_nothing_else_is_said(tmp_path):
    resource = (
        '<resource><data encoding="base64">JVBERi0xLjM=</data><recognition><![CDATA[<t>seen</t>]]></recognition>'
        "<resource-attributes><file-name>plan.pdf</file-name></resource-attributes></resource>"
    )
    media = '<en-media hash="x" type="application/pdf"/>'
    said, silent = evernote(f"<div>The plan {media}</div>", "A", resource), evernote(media, "B", resource)
    assert texts(written(tmp_path / "a.enex", enex(said, silent))) == ["The plan", "plan.pdf"]


@pytest.mark.parametrize(
    "content",
    [
        '<ul><li style="--en-checked:true;">done</li><li style="--en-checked:false;">open</li></ul>',
        '<ul><li><en-todo checked="true"/>done</li><li><en-todo checked="false"/>open</li></ul>',
        '<div><en-todo checked="true"/>done</div><div><en-todo/>open</div>',
    ],
)
def test_each_way_in_which_evernote_wrote_checklists_gives_boxes(tmp_path, content):
    assert texts(written(tmp_path / "a.enex", enex(evernote(content)))) == ["- [x] done\n- [ ] open"]


def test_tasks_beside_the_text_are_read_and_their_placeholder_in_it_is_not(tmp_path):
    content = '<div>Spring</div><div style="--en-task-group:true;"><div>Content not supported</div></div>'
    tasks = (
        "<task><title>prune</title><taskStatus>open</taskStatus><dueDate>20230301T215959Z</dueDate></task>"
        "<task><title>plant</title><taskStatus>completed</taskStatus><reminder><created>x</created></reminder></task>"
    )
    (found,) = drafts(written(tmp_path / "a.enex", enex(evernote(content, rest=tasks))))
    assert found.text == "Spring\n\n- [ ] prune (due 2023-03-01)\n- [x] plant"
    assert found.title == "Quince"


def test_links_between_notes_of_evernote_become_links_and_those_to_the_web_stay(tmp_path):
    content = (
        '<div>See <a href="evernote:///view/1/s1/a/b/">Pear tree</a> and <a href="https://x.org/a">this page</a>,'
        ' <a href="https://x.org/a">https://x.org/a</a></div>'
    )
    assert texts(written(tmp_path / "a.enex", enex(evernote(content)))) == [
        "See [[Pear tree]] and [this page](https://x.org/a), https://x.org/a"
    ]


def test_a_note_of_evernote_that_is_nothing_but_links_without_words_is_their_addresses(tmp_path):
    bare = evernote('<div><a style="x" href="https://x.org/a?b=1&amp;c=2"></a><a href="https://y.org"></a></div>')
    said = evernote('<div>See <a href="https://x.org"></a>this</div>', "Said")
    path = written(tmp_path / "a.enex", enex(bare, said))
    assert texts(path) == ["https://x.org/a?b=1&c=2\nhttps://y.org", "See this"]


def test_what_is_encrypted_in_a_note_of_evernote_is_said(tmp_path):
    part = evernote('<div>open</div><en-crypt cipher="AES">RU5DMAo=</en-crypt>', "Half")
    whole = '<note><title>All</title><content encoding="base64:aes">RU5DMAo=</content></note>'
    path = written(tmp_path / "a.enex", enex(part, whole))
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["open", "All"]
    assert failures(path) == [
        f"the note {name!r} is encrypted, or a part of it: that was not read" for name in ("Half", "All")
    ]


def test_notes_with_the_same_second_and_title_are_both_kept_and_the_same_note_only_once(tmp_path):
    path = written(tmp_path / "a.enex", enex(evernote("one"), evernote("two"), evernote("one"), evernote("x", "Pear")))
    assert texts(path) == ["one", "two", "x"]
    assert len({one.document.source for one in drafts(path)}) == 3
    assert ingested_twice(path) == (0, 0, 0)
    other = written(tmp_path / "later.enex", enex(evernote("new", "New"), evernote("one")))
    assert drafts(other)[1].document.source == drafts(path)[0].document.source


def test_an_export_of_evernote_declares_no_entities_and_reads_no_other_file(tmp_path):
    secret = written(tmp_path / "secret.txt", "secret")
    bomb = f'<!DOCTYPE en-export [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "{secret.as_uri()}">]>'
    path = written(tmp_path / "a.enex", enex("<note><title>&a;&b;</title></note>", start=bomb))
    assert failures(path) == ["it declares entities of its own, which an export does not do"]
    usual = '<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n'
    assert texts(written(tmp_path / "b.enex", enex(evernote("a"), start=usual))) == ["a"]


def test_an_export_of_evernote_that_was_cut_off_gives_the_notes_before(tmp_path):
    path = written(tmp_path / "a.enex", enex(evernote("one"), evernote("two"))[:-120])
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["one"]
    assert "broken XML" in failures(path)[0]


@pytest.mark.parametrize("size", [1, 7, 100, 1 << 18])
def test_a_broken_note_of_evernote_fails_alone(tmp_path, monkeypatch, size):
    monkeypatch.setattr("memkit.sources.notes.enex._BLOCK", size)
    nested = evernote("<![CDATA[IMG.JPG]]>", "Nested")  # as Evernote itself has written it
    tags = "<note><title>Tags</title><tag>a</tga><content>b</content></note>"
    notes = [
        evernote("one"),
        nested,
        evernote("two", "Pear"),
        tags,
        tags,
        evernote("three", "Plum"),
        "<note><title>Cut",
    ]
    path = written(tmp_path / "a.enex", enex(*notes).removesuffix("</en-export>"))
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["one", "two", "three"]
    assert failures(path) == [
        *[f"the note {name!r} is left out: broken XML: mismatched tag" for name in ("Nested", "Tags", "Tags")],
        "the note '' is left out: broken XML: no element found",
    ]


def test_an_export_of_evernote_in_an_encoding_that_there_is_not_says_so(tmp_path):
    text = enex(evernote("a")).replace('encoding="UTF-8"', 'encoding="UTF-9"')
    assert failures(written(tmp_path / "a.enex", text)) == ["broken XML: unknown encoding: UTF-9"]


def test_a_note_of_evernote_may_not_be_longer_than_a_note(tmp_path):
    path = written(tmp_path / "a.enex", enex(evernote("x" * 5_000)))
    (failure,) = read(path, options=ReadOptions(limits=ReadLimits(note_size=1_000)))
    assert isinstance(failure, Failure)
    assert "more than 1,000 characters in a note" in failure.reason


# ------------------------------------------------------------------------------------------------------- Google Keep

KEEP: dict[str, Any] = {
    "title": "Quince", "textContent": "It blooms. #garden", "isTrashed": False, "isArchived": False, "isPinned": True,
    "createdTimestampUsec": 1690372692755000, "userEditedTimestampUsec": 1690866308447000,
    "labels": [{"name": "two words"}], "annotations": [{"url": "https://example.org"}],
    "listContent": [{"text": "prune", "isChecked": False}, {"text": "plant", "isChecked": True}],
    "attachments": [{"filePath": "a.png", "mimetype": "image/png"}],
}  # fmt: skip


def test_a_note_of_keep_is_its_text_and_its_list(tmp_path):
    path = written(tmp_path / "Quince.json", KEEP)
    assert detect(path) == "google-keep"
    (found,) = drafts(path)
    assert found.text == "It blooms. #garden\n\n- [ ] prune\n- [x] plant"
    assert (found.title, found.tags) == ("Quince", ("two words", "pinned", "garden"))
    assert (found.happened_at, found.document.updated_at) == ("2023-07-26T11:58:12Z", "2023-08-01T05:05:08Z")
    assert found.document.fields == {"url": ["https://example.org"], "pinned": True}
    assert ingested_twice(path) == (0, 0, 0)


def test_what_is_in_the_trash_of_keep_is_left_out_and_what_is_archived_is_not(tmp_path):
    folder = tmp_path / "Takeout/Keep"
    written(folder / "a.json", {**KEEP, "isTrashed": True})
    written(folder / "b.json", {**KEEP, "isArchived": True, "createdTimestampUsec": 1690372692755001})
    (found,) = drafts(tmp_path)
    assert found.document.fields["folder"] == "Archive"


def test_the_page_beside_a_note_of_keep_repeats_it_and_is_left_out(tmp_path):
    written(tmp_path / "a.json", KEEP)
    page = '<html><body><div class="note"><div class="heading">x</div><div class="content">It blooms.</div></div>'
    assert detect(written(tmp_path / "a.html", page)) == "google-keep"
    found = list(read(tmp_path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms. #garden\n\n- [ ] prune\n- [x] plant"]
    (left_out,) = (one for one in found if isinstance(one, LeftOut))
    assert left_out.reason == "pages of notes that lie beside them as JSON"
    assert detect(written(tmp_path / "other.html", page.replace("note", "post"))) == "html"


def keep_page(time: str, content: str, more: str = "", icons: str = "") -> str:
    return (
        f'<html><body><div class="note DEFAULT"><div class="heading"><div class="meta-icons">{icons}</div>\n'
        f"{time}</div>\n"
        f'<div class="content">{content}</div>\n{more}\n</div></body></html>'
    )


def test_a_page_of_an_old_takeout_is_a_note(tmp_path):
    labels = '<div class="chips"><span class="chip label"><span class="label-name">a &amp; b</span></span></div>'
    box = '<li class="listitem"><span class="bullet">&#{};</span>\n<span class="text">{}</span></li>'
    ticked = f'<ul class="list">{box.format(9744, "prune")} {box.format(9745, "plant")}</ul>'
    folder = tmp_path / "Keep"
    written(folder / "Quince.html", keep_page("2018. 3. 27. &#50724;&#54980; 5:09:06", "One<br>two", labels))
    written(folder / "b.html", keep_page("6 de fev. de 2020 19:39:56", ticked, icons='<span class="archived"></span>'))
    written(folder / "c.html", keep_page("Oct 12, 2017, 2:14:33 PM", "Old.", icons='<span class="trashed"></span>'))
    written(folder / "d.html", keep_page("09.10.2017, 10:11:23", "It blooms."))
    written(folder / "Labels.txt", "a & b\nunused")
    (tmp_path / "out.zip").write_bytes(
        zipped(tmp_path / "a.zip", {f"Keep/{one.name}": one.read_text() for one in folder.iterdir()}).read_bytes()
    )
    for source in (folder, tmp_path / "out.zip"):
        found = [*read(source, options=ReadOptions(timezone="UTC", skipped=Counter()))]
        assert [(one.text, one.tags, one.happened_at) for one in found if isinstance(one, Draft)] == [
            ("One\ntwo", ("a & b",), "2018-03-27T17:09:06Z"),
            ("- [ ] prune\n- [x] plant", ("Archive",), "2020-02-06T19:39:56Z"),
            ("It blooms.", (), "2017-10-09T10:11:23Z"),
        ]
        left = {Path(one.source).name: one.reason for one in found if isinstance(one, LeftOut)}
        assert left == {"c.html": "1 note in the trash", "Labels.txt": "the labels of the notes beside it"}


def test_labels_are_a_note_where_they_are_none_of_keep(tmp_path):
    written(tmp_path / "Labels.txt", "For jars.")
    written(tmp_path / "quince.md", "It blooms.")
    written(tmp_path / "page.html", "<html><body><p>A page.</p></body></html>")
    assert len(drafts(tmp_path)) == 3


def test_a_takeout_of_keep_is_read_as_it_is_and_old_notes_have_only_the_time_of_their_change(tmp_path):
    old = {key: value for key, value in KEEP.items() if key != "createdTimestampUsec"}
    html = {**old, "textContent": "", "textContentHtml": "<p>From <b>HTML</b></p>", "listContent": []}
    files = {"Takeout/Keep/a.json": json.dumps(old), "Takeout/Keep/b.json": json.dumps({**html, "title": "B"})}
    path = zipped(tmp_path / "takeout.zip", {**files, "Takeout/Keep/c.json": json.dumps(old)})
    assert detect(path) == "google-keep"
    first, second, same = drafts(path)
    assert first.happened_at == "2023-08-01T05:05:08Z"
    assert second.text == "From HTML"
    assert (same.text, same.document.source) == (first.text, "google-keep:c")  # an old note is known by its file


# ----------------------------------------------------------------------------------------------------------- Day One

ENTRY: dict[str, Any] = {
    "uuid": "E1", "creationDate": "2024-04-16T23:00:00Z", "modifiedDate": "2024-04-19T21:55:51Z",
    "timeZone": "Europe/Dublin", "tags": ["walk"], "starred": True,
    "text": "# Cliffs\n\nIt rained\\. \\(much\\)\n\n```\na\\.b\n```\n\n![](dayone-moment://646F)",
    "location": {"placeName": "Pier", "localityName": "Howth", "country": "Ireland"},
    "weather": {"conditionsDescription": "Rain"}, "photos": [{"md5": "x", "type": "jpeg"}],
}  # fmt: skip


def test_an_entry_of_day_one_is_its_markdown_without_pictures_and_backslashes(tmp_path):
    path = written(tmp_path / "Journal.json", {"metadata": {"version": "1.0"}, "entries": [ENTRY]})
    assert detect(path) == "day-one"
    (found,) = drafts(path)
    assert found.text == "# Cliffs\n\nIt rained. (much)\n\n```\na\\.b\n```"
    assert (found.title, found.tags, found.document.source) == ("Cliffs", ("walk", "starred"), "day-one:E1")
    assert (found.happened_at, found.document.updated_at) == ("2024-04-16T23:00:00Z", "2024-04-19T21:55:51Z")
    assert found.document.fields == {
        "place": "Pier, Howth, Ireland", "weather": "Rain", "starred": True, "timezone": "Europe/Dublin",
    }  # fmt: skip
    assert ingested_twice(path) == (0, 0, 0)


def test_an_entry_without_words_says_what_was_taken_and_where(tmp_path):
    silent = {**ENTRY, "text": "![](dayone-moment://646F)"}
    empty = {"uuid": "E2", "text": "", "creationDate": "2024-01-01T00:00:00Z"}
    journal = json.dumps({"metadata": {}, "entries": [silent, empty]})
    path = zipped(tmp_path / "export.zip", {"Journal.json": journal, "photos/x.jpeg": b"\xff\xd8"})
    assert detect(path) == "day-one"
    assert texts(path) == ["Photo at Pier, Howth, Ireland"]


def test_a_folder_of_day_one_classic_is_one_source(tmp_path):
    entry = {
        "UUID": "C1",
        "Entry Text": "Starred!",
        "Creation Date": datetime(2013, 7, 17, 18, 38, 8),
        "Tags": ["work"],
    }
    folder = tmp_path / "Journal.dayone"
    path = written(folder / "entries/C1.doentry", plistlib.dumps({**entry, "Time Zone": "America/Los_Angeles"}))
    written(folder / "photos/C1.jpg", b"\xff\xd8")
    written(folder / "entries/C2.doentry", "<plist><dict><key>")
    assert (detect(folder), detect(path)) == ("day-one", "day-one")
    for source in (folder, tmp_path):
        found = list(read(source))
        (draft,) = (one for one in found if isinstance(one, Draft))
        assert (draft.text, draft.happened_at, draft.tags) == ("Starred!", "2013-07-17T18:38:08Z", ("work",))
        assert draft.document.source == "day-one:C1"
        assert [one.source for one in found if isinstance(one, Failure)] == [f"{folder}/entries/C2.doentry"]
    assert drafts(path)[0].document == draft.document
    journal = written(tmp_path / "json/J.json", {"metadata": {}, "entries": [ENTRY]})
    named = [one for one in read(journal.parent, format="day-one") if isinstance(one, Draft)]
    assert named == drafts(journal)


# ------------------------------------------------------------------------------------------------------ what all share


def test_a_note_without_words_is_its_title_and_one_without_both_is_only_a_document(tmp_path):
    path = written(
        tmp_path / "a.enex", enex(evernote("<br/>", "Buy bread"), evernote("", "", created="20230101T000000Z"))
    )
    first, second = read(path)
    assert isinstance(first, Draft)
    assert isinstance(second, DocumentDraft)
    assert first.text == "Buy bread"


def test_a_note_that_cannot_be_stored_fails_alone(tmp_path):
    path = written(
        tmp_path / "J.json", {"metadata": {}, "entries": [{**ENTRY, "text": "a\0b"}, {**ENTRY, "uuid": "2"}, 3]}
    )
    found = list(read(path))
    assert [one.document.source for one in found if isinstance(one, Draft)] == ["day-one:2"]
    assert failures(path) == ["the note '' contains a NUL character", "entry 3 is not an entry"]


# ------------------------------------------------------------------------------------------------------------ Joplin

NOTE_ID, OTHER_ID, FOLDER_ID, INNER_ID, TAG_ID = (character * 32 for character in "abcde")


def joplin(id: str, kind: int, text: str = "", **fields: object) -> tuple[str, str]:
    """The name and the text of a file of Joplin."""
    lines = "\n".join(f"{key}: {value}" for key, value in {"id": id, **fields, "type_": kind}.items())
    return f"{id}.md", f"{text}\n\n{lines}" if text else lines


def notebook() -> dict[str, str]:
    times = {"user_created_time": "2024-04-13T16:23:00.000Z", "user_updated_time": "2024-09-29T11:39:00.000Z"}
    links = f"![p.png](:/{'f' * 32}) see [the pear](:/{OTHER_ID}) [file](:/{'f' * 32})"
    body = f"Quince\n\nIt blooms.\n\nkey: value\n\n{links}"
    return dict([
        joplin(NOTE_ID, 1, body, parent_id=INNER_ID, is_todo=1, todo_completed=5, author="Rosa", **times),
        joplin(OTHER_ID, 1, "Pear tree\n\n<b>HTML</b> <ul><li>a</ul>", markup_language=2, parent_id="", **times),
        joplin("1" * 32, 1, "Gone\n\ntrash", deleted_time=1714341193438),
        joplin("2" * 32, 1, "Twice\n\nother version", is_conflict=1),
        joplin(FOLDER_ID, 2, "Garden", parent_id=""),
        joplin(INNER_ID, 2, "Trees", parent_id=FOLDER_ID),
        joplin(TAG_ID, 5, "fruit"),
        joplin("3" * 32, 6, note_id=NOTE_ID, tag_id=TAG_ID),
        joplin("4" * 32, 4, "p.png", mime="image/png"),
        joplin("5" * 32, 13, item_id=NOTE_ID),
    ])  # fmt: skip


def jex(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_notes_of_joplin_have_their_notebooks_tags_and_links(tmp_path):
    path = jex(tmp_path / "a.jex", notebook())
    assert detect(path) == "joplin"
    quince, pear = drafts(path)
    assert quince.text == "It blooms.\n\nkey: value\n\n see [[Pear tree|the pear]] file"
    assert (quince.title, quince.tags, quince.speaker) == ("Quince", ("fruit", "Garden", "Trees"), "Rosa")
    assert quince.document.fields == {"folder": "Garden/Trees", "author": "Rosa", "todo": "done"}
    assert (quince.happened_at, quince.document.updated_at) == ("2024-04-13T16:23:00Z", "2024-09-29T11:39:00Z")
    assert pear.text == "HTML\n\n- a"
    assert ingested_twice(path) == (0, 0, 0)


def test_a_folder_of_joplins_raw_export_is_the_same_as_its_archive(tmp_path):
    folder = tmp_path / "notes/export"
    for name, text in notebook().items():
        written(folder / name, text)
    assert detect(folder) == "joplin"
    assert [one.document for one in drafts(tmp_path / "notes")] == [
        one.document for one in drafts(jex(tmp_path / "a.jex", notebook()))
    ]
    zettel = written(tmp_path / "zettel" / f"{'a' * 32}.md", "Only a name like that.\n")
    assert detect(zettel.parent) == "folder"


def test_an_encrypted_note_of_joplin_is_said_and_a_notebook_in_itself_ends(tmp_path):
    files = dict([
        joplin(NOTE_ID, 1, encryption_cipher_text="JED01", encryption_applied=1),
        joplin(OTHER_ID, 1, "Pear\n\nripe", parent_id=FOLDER_ID),
        joplin(FOLDER_ID, 2, "Loop", parent_id=FOLDER_ID),
    ])  # fmt: skip
    path = jex(tmp_path / "a.jex", files)
    assert failures(path) == ["it is encrypted; decrypt it in Joplin, and export again"]
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["ripe"]


def test_a_broken_archive_of_joplin_says_so(tmp_path):
    path = jex(tmp_path / "a.jex", notebook())
    path.write_bytes(path.read_bytes()[:700])
    assert detect(path) == "joplin"
    assert "archive cannot be read" in failures(path)[0]


# ------------------------------------------------------------------------------------------- Bear and TextBundle


def bundle(name: str, text: str, creator: str = "net.shinyfrog.bear", **about: object) -> dict[str, str | bytes]:
    times = {"creationDate": "2023-10-11T08:08:52Z", "modificationDate": "2023-10-11T08:10:40Z"}
    info = {"creatorIdentifier": creator, "version": 2, creator: {"uniqueIdentifier": name[:1], **times, **about}}
    return {f"Backup/{name}.textbundle/text.md": text, f"Backup/{name}.textbundle/info.json": json.dumps(info)}


def test_notes_of_bear_keep_long_tags_and_links_and_no_pictures(tmp_path):
    text = (
        "# Quince\n\n#garden/trees #two words# and #a or #b\n![](assets/a.jpeg)<!-- {\"embed\":\"true\"} -->\n"
        "See [[Pear]] and [Plum](bear://x-callback-url/open-note?id=7)."
    )  # fmt: skip
    path = zipped(tmp_path / "a.bear2bk", {**bundle("A", text), "Backup/A.textbundle/assets/a.jpeg": b"\xff"})
    assert detect(path) == "bear"
    (found,) = drafts(path)
    assert found.text.endswith("See [[Pear]] and [[Plum]].")
    assert "assets" not in found.text
    assert "embed" not in found.text
    assert found.tags == ("two words", "garden/trees", "two", "a", "b")
    assert (found.title, found.document.source, found.happened_at) == ("Quince", "bear:A", "2023-10-11T08:08:52Z")
    assert ingested_twice(path) == (0, 0, 0)


def test_notes_in_bears_trash_are_left_out_archived_ones_kept_and_encrypted_ones_said(tmp_path):
    files = bundle("T", "# gone", trashed=1) | bundle("E", "", encrypted=1, title="Secret")
    files |= bundle("K", "# \nkept", archived=1, trashedDate="2023-10-11T08:08:52Z")
    path = zipped(tmp_path / "a.bear2bk", files)
    (found,) = (one for one in read(path) if isinstance(one, Draft))
    assert (found.text, found.title, found.document.fields) == ("kept", "kept", {"folder": "Archive"})
    assert failures(path) == ["the note is encrypted; open it in Bear, and export it again"]


def test_a_textbundle_of_another_program_is_one_note_with_the_name_of_its_folder(tmp_path):
    folder = tmp_path / "vault/Plan.textbundle"
    written(folder / "info.json", {"version": 2, "creatorIdentifier": "com.ulyssesapp.mac"})
    written(folder / "text.markdown", "Plant it in spring.")
    written(tmp_path / "vault/other.md", "A note.")
    assert detect(folder) == "bear"
    other, plan = drafts(tmp_path / "vault")
    assert (plan.title, plan.text, plan.document.source) == ("Plan", "Plant it in spring.", folder.as_posix())
    assert other.text == "A note."
    pack = zipped(tmp_path / "a.textpack", {"P.textbundle/info.json": "{}", "P.textbundle/text.html": "<p>Hello"})
    assert [one.text for one in drafts(pack)] == ["Hello"]


# --------------------------------------------------------------------------------------------------- Standard Notes


def standard(uuid: str, text: object, title: str = "Quince", **content: object) -> dict[str, Any]:
    data = {"org.standardnotes.sn": {"client_updated_at": "2024-04-28T09:29:42.628Z", "archived": False}}
    return {
        "uuid": uuid, "content_type": "Note", "created_at": "2024-04-28T09:29:22.642Z",
        "updated_at": "1970-01-01T00:00:00.000Z", "deleted": False,
        "content": {"text": text, "title": title, "appData": data, **content},
    }  # fmt: skip


def label(uuid: str, title: str, *references: dict[str, str]) -> dict[str, Any]:
    return {"uuid": uuid, "content_type": "Tag", "content": {"title": title, "references": list(references)}}


SUPER = {"root": {"type": "root", "children": [
    {"type": "heading", "tag": "h2", "children": [{"type": "text", "text": "Trees"}]},
    {"type": "paragraph", "children": [
        {"type": "text", "text": "See "}, {"type": "snbubble", "itemUuid": "n2"}, {"type": "linebreak"},
        {"type": "link", "url": "https://x.org", "children": [{"type": "text", "text": "this"}]}]},
    {"type": "list", "listType": "check", "children": [
        {"type": "listitem", "checked": True, "children": [{"type": "text", "text": "plant"}]},
        {"type": "listitem", "children": [{"type": "list", "listType": "number", "children": [
            {"type": "listitem", "children": [{"type": "text", "text": "dig"}]}]}]}]},
    {"type": "code", "children": [{"type": "code-highlight", "text": "x = 1"}]},
    {"type": "quote", "children": [{"type": "text", "text": "said"}]}, {"type": "horizontalrule"},
    {"type": "table", "children": [{"type": "tablerow", "children": [
        {"type": "tablecell", "children": [{"type": "paragraph", "children": [{"type": "text", "text": cell}]}]}
        for cell in "ab"]}]},
    {"type": "collapsible-container", "children": [
        {"type": "paragraph", "children": [{"type": "text", "text": "in"}]}]},
]}}  # fmt: skip


def test_notes_of_standard_notes_are_read_once_with_their_tags(tmp_path):
    outer = label("t1", "garden", {"uuid": "n1", "content_type": "Note"})
    inner = label("t2", "trees", {"uuid": "t1", "content_type": "Tag"}, {"uuid": "n1", "content_type": "Note"})
    items = [standard("n1", "It blooms."), standard("n2", "gone", trashed=True), outer, inner]
    backup = json.dumps({"version": "004", "items": items})
    files = {"Standard Notes Backup and Import File.txt": backup, "Items/Note/Quince-n1.txt": "It blooms."}
    path = zipped(tmp_path / "backup.zip", files)
    assert detect(path) == "standard-notes"
    (found,) = drafts(path)
    assert (found.text, found.title, found.tags) == ("It blooms.", "Quince", ("garden", "garden/trees"))
    assert (found.happened_at, found.document.updated_at) == ("2024-04-28T09:29:22Z", "2024-04-28T09:29:42Z")
    assert drafts(written(tmp_path / "x.txt", backup)) == [replace(found, document=replace(found.document))]
    assert ingested_twice(path) == (0, 0, 0)


def test_each_editor_of_standard_notes_gives_markdown(tmp_path):
    tasks = {"groups": [{"name": "May", "tasks": [{"description": "prune", "completed": True}]}]}
    items = [
        standard("n1", json.dumps(SUPER), noteType="super"), standard("n2", "ripe", "Pear [old]"),
        standard("n3", "<p>a <b>b</b></p>", noteType="rich-text"), standard("n4", "x = 1", noteType="code"),
        standard("n5", json.dumps(tasks), noteType="task"), standard("n6", "{broken", noteType="super"),
        standard("n7", '<p dir="auto">an <b>old</b> editor</p>'), standard("n8", "<p> begins a paragraph"),
    ]  # fmt: skip
    path = written(tmp_path / "a.txt", {"items": items})
    assert detect(path) == "standard-notes"
    assert texts(path) == [
        "## Trees\n\nSee [[Pear old]]\n[this](https://x.org)\n\n- [x] plant\n  1. dig\n\n"
        "```\nx = 1\n```\n\n> said\n\n---"
        "\n\n| a | b |\n| --- | --- |\n\nin",
        "ripe", "a b", "```\nx = 1\n```", "## May\n\n- [x] prune", "{broken",
        "an old editor", "<p> begins a paragraph",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [None, "authentication", "spreadsheet"])
def test_secrets_and_sheets_of_old_backups_are_known_by_their_shape(tmp_path, kind):
    vault = json.dumps([{"service": "bank", "account": "rosa", "secret": "JBSWY3DP", "notes": ""}], indent=2)
    sheet = json.dumps({"activeSheet": "S", "sheets": [{"name": "S", "rows": [{"cells": [{"value": "pear"}]}]}]})
    text = sheet if kind == "spreadsheet" else vault
    items = [standard("n1", text, "Kept", **({"noteType": kind} if kind else {})), standard("n2", "It blooms.")]
    path = written(tmp_path / "a.txt", {"items": items})
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms."]
    assert [one.reason for one in found if isinstance(one, ReadWarning)] == [
        f"the note 'Kept' is left out: it holds {'a spreadsheet' if text == sheet else 'secrets of one-time codes'}"
    ]


def test_a_list_that_only_looks_like_secrets_is_a_note(tmp_path):
    path = written(tmp_path / "a.txt", {"items": [standard("n1", '[{"service": "bank"}] is how it begins')]})
    assert len(texts(path)) == 1


def test_the_caption_of_a_picture_elsewhere_is_a_tiddler(tmp_path):
    tiddler = {"title": "Quince", "text": "The one by the well", "type": "image/png", "created": "20240428092922000"}
    assert texts(written(tmp_path / "inside.json", [tiddler])) == []
    path = written(tmp_path / "a.json", [{**tiddler, "_canonical_uri": "file:img/quince.png"}])
    assert detect(path) == "tiddlywiki"
    assert texts(path) == ["The one by the well"]


def test_secrets_and_encrypted_items_of_standard_notes_are_said_and_not_read(tmp_path):
    locked = {"uuid": "e", "content_type": "Note", "content": "004:abc:def"}
    items = [standard("n1", '[{"secret": "JBSW"}]', "Codes", noteType="authentication"), locked, locked]
    path = written(tmp_path / "a.txt", {"items": items})
    assert failures(path) == [
        "2 items of the backup are encrypted. Export a decrypted backup",
        "the note 'Codes' is left out: it holds secrets of one-time codes",
    ]
    assert not [one for one in read(path) if isinstance(one, Draft)]


# ------------------------------------------------------------------------------------------------------------ Notion

HEX = {name: character * 32 for name, character in zip(("home", "pear", "row", "gone"), "abcd", strict=True)}
EXPORT = "Export-950ad927-7171-4abf-9001-821e5310d286"


def notion_markdown() -> dict[str, str | bytes]:
    home = (
        "# Home: a page\n\nCreated: October 4, 2024 9:15 AM\nTags: fruit, two words\nBy: [Rosa](Rosa%20" + HEX["gone"]
        + f".md)\n\nSee [Pear tree](Home/Pear%20tree%20{HEX['pear']}.md), [the web](https://x.org/a_(b)) and "
        f"[it](https://www.notion.so/x/Pear-{HEX['pear']}?pvs=4).\n\n![p.png](Home/p.png)\n\n"
        "<aside>\n💡 Note: this\n</aside>"
    )  # fmt: skip
    return {
        f"{EXPORT}/Home {HEX['home']}.md": home,
        f"{EXPORT}/Home {HEX['home']}/Pear tree {HEX['pear']}.md": "# Pear tree\n\nNote: no property\nbut prose.",
        f"{EXPORT}/Home {HEX['home']}/Visits/Row {HEX['row']}.md": "# @April 1, 2025\n\nStatus: Done\nDate: 2025/04/02",
        f"{EXPORT}/Home {HEX['home']}/Visits {'e' * 32}_all.csv": "Name,Status\nRow,Done",
        f"{EXPORT}/Home {HEX['home']}/p.png": b"\x89PNG",
        f"{EXPORT}/index.html": "<ul><li>Home</ul>",
    }


def as_bytes(path: Path, files: dict[str, str | bytes]) -> bytes:
    return zipped(path, files).read_bytes()


def test_pages_of_notion_in_zips_in_zips_have_titles_properties_and_links(tmp_path):
    inner = as_bytes(tmp_path / "inner/x.zip", notion_markdown())
    path = zipped(tmp_path / "a.zip", {f"{EXPORT}-Part-1.zip": inner, "__MACOSX/._x.zip": b"x"})
    assert detect(path) == "notion"
    home, pear, row = drafts(path, timezone="Europe/Paris")
    assert home.text == (
        "By: [[Rosa]]\n\nSee [[Pear tree]], [the web](https://x.org/a_(b)) and [[Pear tree|it]].\n\n\n\n💡 Note: this"
    )  # fmt: skip
    assert (home.title, home.tags, home.document.source) == (
        "Home: a page",
        ("fruit", "two words"),
        f"notion:{HEX['home']}",
    )
    assert home.happened_at == home.document.created_at == "2024-10-04T07:15:00Z"
    assert home.document.fields == {"By": "[[Rosa]]"}
    assert (pear.text, pear.document.fields) == ("Note: no property\nbut prose.", {"folder": "Home"})
    assert row.text == "@April 1, 2025\n\nStatus: Done\nDate: 2025/04/02"
    assert (row.happened_at, row.document.fields["folder"]) == ("2025-04-02", "Home/Visits")
    assert ingested_twice(path) == (0, 0, 0)


def test_an_unpacked_export_of_notion_is_one_source(tmp_path):
    for name, data in notion_markdown().items():
        written(tmp_path / name, data)
    assert detect(tmp_path / EXPORT) == "notion"
    found = list(read(tmp_path))
    assert [one.title for one in found if isinstance(one, Draft)] == ["Home: a page", "Pear tree", "@April 1, 2025"]
    assert [Path(one.source).name for one in found if not isinstance(one, Draft)] == ["p.png"]


def test_pages_of_notion_in_html_are_like_those_in_markdown(tmp_path):
    head = (
        '<header><h1 class="page-title">Home &amp; yard</h1><table class="properties"><tbody>'
        '<tr class="property-row property-row-date"><th>Date</th><td><time>@October 4, 2024</time></td></tr>'
        '<tr class="property-row property-row-text"><th>Empty</th><td></td></tr></tbody></table></header>'
    )
    body = (
        '<div class="page-body"><nav class="table_of_contents">menu</nav>'
        '<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div><span>plant</span></li></ul>'
        f'<figure class="link-to-page"><a href="Pear%20{HEX["pear"]}.html">Pear</a></figure></div>'
    )
    page = f'<html><body><article id="x" class="page sans">{head}{body}</article></body></html>'
    pear = '<h1 class="page-title">Pear tree</h1><div class="page-body"><p>ripe</p></div>'
    files = {f"{EXPORT}/Home {HEX['home']}.html": page, f"{EXPORT}/Pear {HEX['pear']}.html": pear}
    home, _ = drafts(zipped(tmp_path / "a.zip", {**files, f"{EXPORT}/index.html": "<p>map"}))
    assert (home.title, home.text, home.happened_at) == (
        "Home & yard",
        "- [x] plant\n\n[[Pear tree|Pear]]",
        "2024-10-04",
    )
    assert home.document.fields == {"Date": "@October 4, 2024"}


# -------------------------------------------------------------------------------------------------------------- Roam

ROAM: list[dict[str, Any]] = [
    {"title": "Quince", "uid": "page00001", "create-time": 1591572842475, "edit-time": 1591572843000, "children": [
        {"string": "{{[[TODO]]}} plant [[Pear]] #[[two words]]", "uid": "block0001", "create-time": 1591572842475,
         "children": [{"string": "deep\nline", "uid": "block0002", "edit-time": 1591972842475}, {"string": ""}]},
        {"string": "See ((block0002)) and {{embed: ((block0001))}} [that](((block0002))) [it]([[Pear]]) ((unknown99))"},
        {"string": "{{query: {and: [[a]] [[b]]}}} {{[[DONE]]}} done ![](https://x.org/a.png)", "uid": "block0003"},
        {"string": "Author:: [[Rosa]]", "uid": "block0004"}]},
    {"title": "June 19th, 2020", "uid": "06-19-2020", "children": [{"string": "walked", "uid": "block0005"}]},
    {"title": "Empty", "uid": "page00002", "edit-time": 1591572843000},
]  # fmt: skip


def test_queries_of_roam_inside_each_other_are_left_out_and_code_stays(tmp_path):
    strings = ["a {{query: {and: [[b]] {not: [[c]]}}}} d", "an `{{[[example]]}}` of {{code", "{{[[TODO]]}} e {{{f}}}"]
    page = {"title": "Q", "uid": "q", "children": [{"string": one, "uid": f"u{one}"} for one in strings]}
    (found,) = drafts(written(tmp_path / "a.json", [page]))
    assert found.text == "- a  d\n- an `{{[[example]]}}` of {{code\n- [ ] e"


def test_pages_of_roam_are_outlines_with_what_they_refer_to(tmp_path):
    path = written(tmp_path / "graph.json", ROAM)
    assert detect(path) == "roam"
    quince, day, empty = drafts(path)
    assert quince.text == (
        "- [ ] plant [[Pear]] #[[two words]]\n  - deep\n    line\n"
        "- See deep line and [ ] plant [[Pear]] #[[two words]] that it [[Pear]] ((unknown99))\n"
        "- [x] done\n- Author:: [[Rosa]]"
    )
    assert (quince.happened_at, quince.document.updated_at) == ("2020-06-07T23:34:02Z", "2020-06-12T14:40:42Z")
    assert quince.document.fields == {"author": ["[[Rosa]]"]}
    assert (day.happened_at, day.text, empty.text) == ("2020-06-19", "- walked", "Empty")
    assert drafts(zipped(tmp_path / "a.zip", {"graph.json": json.dumps(ROAM)}))[0].text == quince.text
    assert ingested_twice(path) == (0, 0, 0)


# ------------------------------------------------------------------------------------------------------- Apple Notes


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def proto(**fields: object) -> bytes:
    """A protocol buffer: f1=... is field 1, a number or bytes; a list repeats it."""
    out = b""
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            number = int(name[1:])
            if isinstance(one, int):
                out += varint(number << 3) + varint(one)
            else:
                out += varint(number << 3 | 2) + varint(len(one)) + one
    return out


def apple_text(*runs: tuple[str, dict[str, object]]) -> bytes:
    """The packed text of a note, of runs of text with their fields."""
    parts = [proto(f1=len(text.encode("utf-16-le")) // 2, **fields) for text, fields in runs]
    note = proto(f2="".join(text for text, _ in runs).encode(), f5=parts)
    return gzip.compress(proto(f2=proto(f3=note)))


def apple(path: Path, *notes: dict[str, Any], data: list[bytes | None]) -> Path:
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(
            "create table ZICCLOUDSYNCINGOBJECT (Z_PK integer primary key, ZIDENTIFIER, ZTITLE1, ZTITLE2, ZFOLDER,"
            " ZPARENT, ZFOLDERTYPE, ZNOTEDATA, ZMARKEDFORDELETION, ZISPASSWORDPROTECTED, ZCREATIONDATE3,"
            " ZMODIFICATIONDATE1,"
            " ZALTTEXT, ZTYPEUTI, ZTYPEUTI1, ZNOTE1, ZURLSTRING, ZTITLE, ZSUMMARY)"
        )
        conn.execute("create table ZICNOTEDATA (Z_PK integer primary key, ZDATA blob)")
        for row in notes:
            marks = ", ".join("?" * len(row))
            conn.execute(f"insert into ZICCLOUDSYNCINGOBJECT ({', '.join(row)}) values ({marks})", list(row.values()))
        conn.executemany("insert into ZICNOTEDATA (ZDATA) values (?)", [(one,) for one in data])
    return path


NOTE_UUID = "75BFF397-7226-4FC3-8F71-D73591BFD5E2"
FOLDERS = (
    {"Z_PK": 1, "ZTITLE2": "Garden", "ZFOLDERTYPE": 0},
    {"Z_PK": 2, "ZTITLE2": "Trees", "ZFOLDERTYPE": 0, "ZPARENT": 1},
    {"Z_PK": 3, "ZTITLE2": "Papierkorb", "ZFOLDERTYPE": 1},
)
TIMES = {"ZCREATIONDATE3": 775579170.6, "ZMODIFICATIONDATE1": 775579178.4}


def test_notes_of_apple_have_their_words_styles_tags_and_links(tmp_path):
    style = lambda kind, **more: {"f2": proto(f1=kind, **more)}  # noqa: E731
    text = apple_text(
        ("Quince 🌳\n", style(0)), ("Who\n", style(1)), ("dash\n", style(101)), ("in\n", style(100, f4=1)),
        ("done\n", style(103, f5=proto(f1=b"u", f2=1))), ("open\n", style(103)), ("x = 1\n", style(4)),
        ("See ", {}), ("the other", {"f9": f"applenotes:note/{NOTE_UUID.lower()}".encode()}), (" and ", {}),
        ("a page", {"f9": b"https://x.org"}), (" ", {}), ("\ufffc", {"f12": proto(f1=b"TAG", f2=b"t")}),
        ("\ufffc", {"f12": proto(f1=b"PICTURE", f2=b"public.png")}), ("\n", {}),
        ("\ufffc", {"f12": proto(f1=b"TABLE")}),
    )  # fmt: skip
    path = apple(
        tmp_path / "NoteStore.sqlite",
        *FOLDERS,
        {"Z_PK": 5, "ZIDENTIFIER": "N5", "ZTITLE1": "Quince 🌳", "ZFOLDER": 2, "ZNOTEDATA": 1, **TIMES},
        {"Z_PK": 6, "ZIDENTIFIER": NOTE_UUID, "ZTITLE1": "Pear", "ZFOLDER": 1, "ZNOTEDATA": 2, **TIMES},
        {"Z_PK": 7, "ZIDENTIFIER": "TAG", "ZALTTEXT": "#fruit", "ZNOTE1": 5,
         "ZTYPEUTI1": "com.apple.notes.inlinetextattachment.hashtag"},
        {"Z_PK": 8, "ZIDENTIFIER": "TABLE", "ZTYPEUTI": "com.apple.notes.table", "ZSUMMARY": "a b"},
        data=[text, apple_text(("Pear", {}))],
    )  # fmt: skip
    assert detect(path) == "apple-notes"
    quince, pear = drafts(path, max_tokens=1000)
    assert quince.text == (
        "# Quince 🌳\n## Who\n- dash\n  - in\n- [x] done\n- [ ] open\n```\nx = 1\n```\n"
        "See [[Pear|the other]] and [a page](https://x.org) #fruit\na b"
    )  # fmt: skip
    assert quince.tags == ("fruit", "Garden", "Trees")
    assert quince.document.fields == {"folder": "Garden/Trees"}
    assert (pear.text, pear.document.source) == ("Pear", f"apple-notes:{NOTE_UUID}")


def test_the_text_of_a_note_of_apple_is_cut_by_units_of_utf_16(tmp_path):
    style = lambda kind, **more: {"f2": proto(f1=kind, **more)}  # noqa: E731
    text = apple_text(
        ("🌳🌳\n", {}), ("a\n", style(101)), ("b\n", style(103, f5=proto(f2=1))), ("c\n", style(4)), ("d", {})
    )
    row = {"Z_PK": 5, "ZIDENTIFIER": "N5", "ZTITLE1": "T", "ZNOTEDATA": 1, **TIMES}
    (found,) = drafts(apple(tmp_path / "NoteStore.sqlite", row, data=[text]))
    assert found.text == "🌳🌳\n- a\n- [x] b\n```\nc\n```\nd"
    assert (found.happened_at, found.document.updated_at) == ("2025-07-30T14:39:30Z", "2025-07-30T14:39:38Z")


def test_locked_notes_of_apple_are_said_and_those_in_the_trash_left_out(tmp_path):
    locked = {"Z_PK": 5, "ZIDENTIFIER": "A", "ZTITLE1": "Locked", "ZNOTEDATA": 1, "ZISPASSWORDPROTECTED": 1}
    trashed = {"Z_PK": 6, "ZIDENTIFIER": "B", "ZTITLE1": "Gone", "ZNOTEDATA": 2, "ZFOLDER": 3}
    deleted = {"Z_PK": 7, "ZIDENTIFIER": "C", "ZTITLE1": "Gone too", "ZNOTEDATA": 3, "ZMARKEDFORDELETION": 1}
    broken = {"Z_PK": 8, "ZIDENTIFIER": "D", "ZTITLE1": "Broken", "ZNOTEDATA": 4}
    empty = {"Z_PK": 9, "ZIDENTIFIER": "E", "ZTITLE1": "Only a title", "ZNOTEDATA": 5}
    path = apple(
        tmp_path / "n.sqlite", *FOLDERS, locked, trashed, deleted, broken, empty, data=[b"", b"", b"", b"x", None]
    )
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["Only a title"]
    said, unread = failures(path)
    assert said == "the note 'Locked' is locked by a password, and was not read"
    assert unread.startswith("the text of the note 'Broken' cannot be read: ")


# --------------------------------------------------------------------------------------------------------------- org

ORG = """#+TITLE: Garden log
#+FILETAGS: :garden:
#+DATE: [2024-01-02 Tue]
# a comment
Above, see [[file:pear.org][the pear]] and [[https://x.org][a page]], [[id:1-2][Plum]], =code= and ~more~.

* TODO [#A] Prune the quince   :work:fruit:
  SCHEDULED: <2024-03-01 Fri>
  :PROPERTIES:
  :ID: abc-1
  :CREATED: [2024-02-03 Sat 10:30]
  :END:
  In spring.
** Tools
   :LOGBOOK:
   CLOCK: [2024-02-04 Sun 10:00]--[2024-02-04 Sun 11:00] =>  1:00
   :END:
   #+begin_src sh
   # no comment, * no heading
   #+end_src
* [2024-05-06 Mon] Bloom
#+begin_quote
said
#+end_quote
"""


def test_headings_of_org_are_memories_with_their_times_tags_and_places(tmp_path):
    path = written(tmp_path / "log.org", ORG)
    assert detect(path) == "org"
    top, prune, tools, bloom = drafts(path, timezone="Europe/Paris")
    assert top.text == "Above, see [[pear|the pear]] and [a page](https://x.org), [[Plum]], `code` and `more`."
    assert (top.title, top.happened_at, top.document.aliases) == ("Garden log", "2024-01-02", ("log",))
    assert prune.text == "# TODO [#A] Prune the quince\n\n  SCHEDULED: <2024-03-01 Fri>\n  In spring."
    assert (prune.happened_at, prune.tags) == ("2024-02-03T09:30:00Z", ("garden", "work", "fruit"))
    assert (prune.source_id, prune.meta) == (f"{path}#abc-1", {"heading": "Prune the quince"})
    assert tools.text == "## Tools\n\n```sh\n   # no comment, * no heading\n```"
    assert (tools.happened_at, tools.meta["heading"]) == ("2024-02-04T09:00:00Z", "Prune the quince > Tools")
    assert tools.tags == ("garden", "work", "fruit")
    assert (bloom.text, bloom.happened_at) == ("# [2024-05-06 Mon] Bloom\n\n> said", "2024-05-06")
    assert ingested_twice(path) == (0, 0, 0)


DATETREE = """* 2024
** 2024-05 May
*** 2024-05-06 Monday
**** Bloom
     Pick it before <2024-09-01 Sun>.
**** Rain
     [2024-05-01 Wed] forecast, [2024-05-06 Mon 18:30]
***** In the evening
*** Tuesday, 07-05-2024
*** Tuesday, 14-05-2024
**** Tea
**** [2024-05-20 Mon] Cake
"""


def test_what_stands_under_a_day_of_an_org_journal_happened_on_that_day(tmp_path):
    found = drafts(written(tmp_path / "journal.org", DATETREE), timezone="Europe/Paris")
    assert [(one.meta["heading"].split(" > ")[-1], one.happened_at) for one in found] == [
        ("2024", "2024"),
        ("2024-05 May", None),
        ("2024-05-06 Monday", "2024-05-06"),
        ("Bloom", "2024-05-06"),
        ("Rain", "2024-05-06T16:30:00Z"),
        ("In the evening", "2024-05-06"),
        ("Tuesday, 07-05-2024", None),  # in May or in July
        ("Tuesday, 14-05-2024", "2024-05-14"),
        ("Tea", "2024-05-14"),
        ("[2024-05-20 Mon] Cake", "2024-05-20"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "day"),
    [
        ("2024-05-06.org", "* Rain\n", "2024-05-06"),
        ("2024_05_06.org", "* Rain\n", "2024-05-06"),
        ("20240506183000-rain.org", "#+title: Rain\nIt rains.\n", "2024-05-06"),
        ("rain.org", "#+title: 2024-05-06\n* Rain\n", "2024-05-06"),
        ("2024-05-06.org", "#+date: [2024-05-07 Tue]\n* Rain\n", "2024-05-07"),
        ("2024-05-06.org", "* [2024-05-08 Wed] Rain\n", "2024-05-08"),
        ("rain.org", "* Rain\n", None),
    ],
)
def test_an_org_file_called_after_a_day_is_from_that_day(tmp_path, name, text, day):
    (found,) = drafts(written(tmp_path / name, text))
    assert found.happened_at == day


# -------------------------------------------------------------------------------------------------------- TiddlyWiki

TID = """created: 20130822170200000
modified: 20150518143131326
creator: rosa
tags: Garden [[two words]]
title: Quince
type: text/vnd.tiddlywiki
planted: [[2012]]

\\define x() no
! In ''spring''

See [[the pear|Pear tree]], [[Plum]], [[web|https://x.org]] and https://x.org//a.
# one
## two
* three
{{Bloom||template}} {{$:/core/x}} <<list x>> {{{ [tag[a]] }}} <div class="x">~CamelCase</div> [img[a.png]]
Apples &amp; pears

```
''code''
```
"""


def test_a_tiddler_is_markdown_with_its_fields(tmp_path):
    path = written(tmp_path / "Quince.tid", TID)
    assert detect(path) == "tiddlywiki"
    (found,) = drafts(path)
    assert found.text == (
        "# In spring\n\nSee [[Pear tree|the pear]], [[Plum]], [web](https://x.org) and https://x.org//a.\n"
        "1. one\n  1. two\n- three\n[[Bloom]]    CamelCase\nApples & pears\n\n```\n''code''\n```"
    )  # fmt: skip
    assert (found.title, found.tags, found.speaker) == ("Quince", ("Garden", "two words"), "rosa")
    assert (found.happened_at, found.document.updated_at) == ("2013-08-22T17:02:00Z", "2015-05-18T14:31:31Z")
    assert found.document.fields == {"author": "rosa", "planted": "[[2012]]"}
    assert ingested_twice(path) == (0, 0, 0)


def test_a_wiki_in_one_page_and_its_tiddlers_as_json_give_the_same(tmp_path):
    tiddlers = [
        {"title": "Quince", "text": "It blooms.", "created": "20130822170200000", "tags": "[[two words]] a"},
        {"title": "$:/config", "text": "no", "created": "20130822170200000"},
        {"title": "Draft of 'Quince'", "draft.of": "Quince", "text": "no"},
        {"title": "style", "type": "text/css", "text": "p {}"},
        {"title": "Plain", "type": "text/x-markdown", "text": "''kept''"},
    ]
    page = (
        '<!doctype html><html><head><meta name="application-name" content="TiddlyWiki" /></head><body>'
        f'<script class="tiddlywiki-tiddler-store" type="application/json">{json.dumps(tiddlers)}</script>'
        '<script class="tiddlywiki-tiddler-store" type="application/json">{broken</script></body></html>'
    )  # fmt: skip
    wiki, rows = written(tmp_path / "wiki.html", page), written(tmp_path / "tiddlers.json", tiddlers)
    assert (detect(wiki), detect(rows)) == ("tiddlywiki", "tiddlywiki")
    assert texts(rows) == ["It blooms.", "''kept''"]
    assert [one.text for one in read(wiki) if isinstance(one, Draft)] == texts(rows)
    assert "broken JSON" in failures(wiki)[0]
    assert detect(written(tmp_path / "rows.json", [{"title": "t", "text": "x", "created": "2024"}])) == "json"


# -------------------------------------------------------------------------------------------------------- Simplenote

SIMPLENOTE = {
    "activeNotes": [
        {
            "id": "a1",
            "content": "# Quince\r\n\r\nIt blooms late: [see](simplenote://note/b2).",
            "creationDate": "2025-03-01T10:00:00.000Z",
            "lastModified": "2025-03-02T10:00:00.000Z",
            "tags": ["garden"],
            "pinned": True,
        },
        {"id": "b2", "content": "Frost dates", "creationDate": "2025-03-03T10:00:00.000Z"},
    ],
    "trashedNotes": [{"id": "c3", "content": "Gone.", "creationDate": "2025-03-04T10:00:00.000Z"}],
}


def test_simplenote_as_its_zip_unpacked_and_alone(tmp_path):
    files = {"source/notes.json": json.dumps(SIMPLENOTE), "Quince.txt": "# Quince", "trash-c3.txt": "Gone."}
    packed = tmp_path / "notes.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "vault" / "simplenote")
    for path in (packed, tmp_path / "vault", tmp_path / "vault" / "simplenote" / "source" / "notes.json"):
        quince, frost = drafts(path)
        assert (quince.title, quince.happened_at, quince.tags) == (
            "Quince", "2025-03-01T10:00:00Z", ("garden", "pinned")
        )  # fmt: skip
        assert quince.text.endswith("It blooms late: [[Frost dates|see]].")
        assert (frost.document.source, frost.text) == ("simplenote:b2", "Frost dates")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(packed).left_out_text == "1 .zip (1 note in the trash)"
        assert db.ingest(tmp_path / "vault").added == 0


# ------------------------------------------------------------------------------------------------------------ Drafts


def test_an_export_of_drafts_keeps_tags_times_and_links(tmp_path):
    one = {
        "uuid": "A",
        "content": "\n# Quince\n\nSee drafts://open?uuid=B, [it](drafts://open?uuid=B), [[u:B]] and [[d:Pear]].",
        "created_at": "2025-01-01T00:00:00Z", "modified_at": "2025-01-02T00:00:00Z", "tags": ["garden"],
        "flagged": True, "folder": 0, "languageGrammar": "Markdown",
    }  # fmt: skip
    others = [
        {**one, "uuid": "B", "content": "Pear", "folder": 1},
        {**one, "uuid": "C", "content": "Gone", "folder": 10000},
    ]
    path = written(tmp_path / "all.draftsExport", [one, *others])
    assert detect(path) == "drafts"
    first, second = drafts(path)
    assert first.text == "# Quince\n\nSee [[Pear]], [[Pear|it]], [[Pear]] and [[Pear]]."
    assert (first.title, first.tags, first.document.source) == ("Quince", ("garden", "flagged"), "drafts:A")
    assert (first.happened_at, first.document.updated_at) == ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
    assert (second.text, second.document.fields["folder"]) == ("Pear", "Archive")
    assert ingested_twice(path) == (0, 0, 0)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).left_out_text == "1 .draftsexport (1 note in the trash)"


# -------------------------------------------------------------------------------------------------------------- jrnl

JOURNAL = """[2024-03-01 10:00] It blooms. *
In the @garden, as rosa@example.org said.

[01.04.2024 03:39:00 PM] The frost came
[1] late

[2024-04-02 08:00] Twice.

[2024-04-02 08:00] In one minute.
"""


def test_a_journal_of_jrnl_is_an_entry_for_each_date(tmp_path):
    path = written(tmp_path / "garden.journal", JOURNAL)
    assert detect(path) == "jrnl"
    assert [(one.title, one.text, one.happened_at, one.tags) for one in drafts(path, timezone="UTC")] == [
        (
            "It blooms.",
            "It blooms.\nIn the @garden, as rosa@example.org said.",
            "2024-03-01T10:00:00Z",
            ("garden", "starred"),
        ),
        ("The frost came", "The frost came\n[1] late", "2024-04-01T15:39:00Z", ()),
        ("Twice.", "Twice.", "2024-04-02T08:00:00Z", ()),
        ("In one minute.", "In one minute.", "2024-04-02T08:00:00Z", ()),
    ]
    assert ingested_twice(path) == (0, 0, 0)


def test_an_export_of_jrnl_is_read_entry_by_entry(tmp_path):
    entry = {"title": "It blooms.", "body": "In the @garden.", "date": "2024-03-01", "time": "10:00", "starred": False}
    path = written(tmp_path / "garden.json", {"tags": {"@garden": 1}, "entries": [entry]})
    assert detect(path) == "jrnl"
    (found,) = drafts(path, timezone="UTC")
    assert (found.text, found.happened_at, found.tags) == (
        "It blooms.\nIn the @garden.", "2024-03-01T10:00:00Z", ("garden",),
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[2024-03-01 10:00:00] INFO it began\n\n[2024-03-01 10:00:01] INFO it ended\n",
        "[2024-03-01 10:00] one line\n[2024-03-01 10:01] another of a program\n",
        "[see 10:00] the plan\n",
    ],
)
def test_a_log_and_other_brackets_are_no_journal(tmp_path, text):
    assert detect(written(tmp_path / "a.txt", text)) != "jrnl"


# -------------------------------------------------------------------------------------------------------------- OPML

OUTLINE = """<?xml version="1.0" encoding="{encoding}"?>
<opml version="2.0"><head><title>Gärten</title><dateModified>Sat, 01 Mar 2025 10:00:00 GMT</dateModified></head><body>
<outline text="&lt;b&gt;Quince&lt;/b&gt;" _note="from Rosa &amp;amp; Ben"><outline text="prune it" complete="true"/>
<outline text=""/><outline text="see &lt;a href=&quot;https://example.org&quot;&gt;it&lt;/a&gt;" complete="false"/>
</outline></body></opml>"""
FEEDS = """<opml version="1.0"><head><title>Feeds</title></head><body><outline text="Gardens">
<outline text="Rosa's" title="Rosa's" type="rss" xmlUrl="https://a.org/feed" htmlUrl="https://a.org"/></outline>
<outline text="Figs" xmlUrl="https://b.org/feed" description="All of them"/></body></opml>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_an_outline_is_a_note_of_nested_items(tmp_path, encoding):
    path = tmp_path / "garden.opml"
    path.write_bytes(OUTLINE.replace("{encoding}", encoding).encode(encoding))
    assert detect(path) == "opml"
    [found] = drafts(path)
    assert found.text == ("- Quince\n  from Rosa & Ben\n  - [x] prune it\n  - [ ] see [it](https://example.org)")
    assert (found.title, found.document.updated_at) == ("Gärten", "2025-03-01T10:00:00Z")


def test_a_list_of_feeds_is_a_link_for_each(tmp_path):
    (tmp_path / "feeds.opml").write_text(FEEDS)
    assert [(one.text, one.tags, one.meta["url"]) for one in drafts(tmp_path / "feeds.opml")] == [
        ("[Rosa's](https://a.org)", ("Gardens",), "https://a.org/feed"),
        ("[Figs](https://b.org/feed)\n\nAll of them", (), "https://b.org/feed"),
    ]


MIXED = """<opml version="2.0"><head><title>Mixed</title></head><body>
<outline text="Blogs"><outline text="Inner">
<outline text="A" xmlUrl="https://a.org/f" _note="of Rosa"/></outline></outline>
<outline text="Plans"><outline text="prune it"/><outline text="B" xmlUrl="https://b.org/f">
<outline text="Episode one" type="podcast-episode" url="https://b.org/1"/></outline></outline>
<outline text="To fill" _note="by May"><outline text="C" xmlUrl="https://c.org/f"/></outline>
<outline text="Otto" type="link" url="https://d.org"/></body></opml>"""


@pytest.mark.parametrize("told", ["Sat, 01 Mar 99999999999999999999 10:00:00 GMT", "soon", "1 1 1"])
def test_a_date_that_is_none_is_left_out_of_an_outline(tmp_path, told):
    (tmp_path / "a.opml").write_text(
        f'<opml><head><dateModified>{told}</dateModified></head><body><outline text="a"/></body></opml>'
    )
    assert [(one.text, one.happened_at) for one in drafts(tmp_path / "a.opml")] == [("- a", None)]


def test_the_text_beside_an_outline_repeats_it(tmp_path):
    files = {
        "backup/a.opml": OUTLINE.replace("{encoding}", "utf-8"),
        "backup/a.txt": "Quince",
        "backup/b.txt": "Alone.",
    }
    for name, text in files.items():
        written(tmp_path / name, text)
    zipped(tmp_path / "out.zip", files)
    for source in (tmp_path / "backup", tmp_path / "out.zip"):
        found = [*read(source)]
        assert sorted(one.text[:6] for one in found if isinstance(one, Draft)) == ["- Quin", "Alone."]
        assert [one.reason for one in found if isinstance(one, LeftOut)] == ["the words of the outline beside it"]


def test_what_an_outline_says_beside_its_feeds_is_a_note(tmp_path):
    (tmp_path / "mixed.opml").write_text(MIXED)
    *feeds, note = drafts(tmp_path / "mixed.opml")
    assert [(one.text.split("]")[0], one.tags) for one in feeds] == [
        ("[A", ("Blogs", "Inner")),
        ("[B", ("Plans",)),
        ("[C", ("To fill",)),
    ]
    assert "of Rosa" in feeds[0].text
    assert note.title == "Mixed"
    assert note.text == (
        "- Plans\n  - prune it\n  - B\n    - [Episode one](https://b.org/1)\n"
        "- To fill\n  by May\n- [Otto](https://d.org)"
    )
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(tmp_path).added for _ in range(2)] == [4, 0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<opml><body><outline text="a"/>', "broken XML"),
        ('<!DOCTYPE opml [<!ENTITY a "b">]><opml><body/></opml>', "declares entities of its own"),
        ("<opml><body>" + '<outline text="a">' * 200 + "</outline>" * 200 + "</body></opml>", "depth"),
    ],
)
def test_an_outline_that_is_broken_or_hostile_fails_alone(tmp_path, text, reason):
    (tmp_path / "a.opml").write_text(text)
    [failure] = read(tmp_path / "a.opml", format="opml")
    assert isinstance(failure, Failure)
    assert reason in failure.reason
