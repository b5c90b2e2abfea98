"""What was read: highlights, saved pages, books, references."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Write
from growth import reads_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read
from memkit.sources.reading import kindle

NOW = "2026-03-01T12:00:00Z"
PARIS = ReadOptions(timezone="Europe/Paris")


def drafts(path: Path, options: ReadOptions = PARIS) -> list[Draft]:
    found = list(read(path, options=options))
    assert [one for one in found if isinstance(one, Failure)] == []
    return [one for one in found if isinstance(one, Draft)]


def changed(db: MemoryDatabase, path: Path) -> tuple[int, int, int]:
    report = db.ingest(path, now=NOW)
    return report.added, report.updated, report.removed


# ------------------------------------------------------------------------------------------------------------ Kindle


def clipping(about: str, text: str, book: str = "Quinces (Rosa Marsh)") -> str:
    return f"{book}\r\n- {about}\r\n\r\n{text}\r\n==========\r\n"


ENGLISH = "Your Highlight on page 5 | Location 100-105 | Added on Friday, January 3, 2025 10:30:45 PM"


@pytest.mark.parametrize(
    ("book", "title", "author"),
    [
        ("The Daily Stoic (Holiday, Ryan)", "The Daily Stoic", "Ryan Holiday"),
        ("Second Brain (Tiago Forte) (z-lib.org) (1)", "Second Brain", "Tiago Forte"),
        ("Second Brain (Tiago Forte) (Z-Library)", "Second Brain", "Tiago Forte"),
        ("Ownership (Willink, Jocko;Babin, Leif)", "Ownership", "Jocko Willink, Leif Babin"),
        ("Case Training (Unknown)", "Case Training", None),
        ("Second Brain (1)", "Second Brain", None),
        ("La Servante -- Atwood, Margaret -- Laffont -- 35a59d -- Anna’s Archive", "La Servante", "Margaret Atwood"),
        ("1984 (Signet Classics) (George Orwell)", "1984 (Signet Classics)", "George Orwell"),
    ],
)
def test_a_book_on_a_kindle_has_a_title_and_authors(write: Write, book: str, title: str, author: str | None) -> None:
    (found,) = drafts(write("My Clippings.txt", clipping(ENGLISH, "It blooms late.", book)))
    assert (found.document and found.document.title, found.meta.get("author")) == (title, author)


SAID = """
select s.name, r.predicate, o.name
from relations as r join entities as s on s.key = r.subject_key join entities as o on o.key = r.object_key
"""


def test_a_book_is_one_entity_with_its_authors(write: Write) -> None:
    book = "Extreme Ownership (Willink, Jocko;Babin, Leif)"
    with MemoryDatabase(embed="none") as db:
        db.ingest(write("My Clippings.txt", clipping(ENGLISH, "It blooms late.", book)), now=NOW)
        said = set(map(tuple, db.conn.execute(SAID)))
        named = {row[0] for row in db.conn.execute("select name from entities")}
    title = "Extreme Ownership (Jocko Willink, Leif Babin)"
    assert said == {(title, "author", "Jocko Willink"), (title, "author", "Leif Babin")}
    assert named == {title, "Jocko Willink", "Leif Babin"}


NOTE = "Your Note on page 5 | Location 105 | Added on Friday, January 3, 2025 10:31:00 PM"


def test_kindle_clippings_know_their_book_place_and_time(write: Write) -> None:
    text = (
        "\ufeff" + clipping(ENGLISH, "It blooms late.") + "\ufeff" + clipping(NOTE, "True here.")
        + clipping("Your Bookmark on page 9 | Location 200 | Added on Friday, January 3, 2025 11:00:00 PM", "")
        + clipping(ENGLISH, "<You have reached the clipping limit for this item>")
        + clipping(ENGLISH, "Alone.", "Letter (1) ((tr.) Otto)")
    )  # fmt: skip
    path = write("My Clippings.txt", text)
    assert detect(path) == "kindle"
    assert [(one.kind, one.text, one.title, one.happened_at) for one in drafts(path)] == [
        ("highlight", "It blooms late.", "Quinces (Rosa Marsh)", "2025-01-03T21:30:45Z"),
        ("note", "True here.", "Quinces (Rosa Marsh)", "2025-01-03T21:31:00Z"),
        ("highlight", "Alone.", "Letter (1) ((tr.) Otto)", "2025-01-03T21:30:45Z"),
    ]
    first, note, alone = drafts(path)
    assert first.document.source == "kindle:Quinces (Rosa Marsh)"
    assert dict(first.meta) == {"author": "Rosa Marsh", "page": "5", "location": "100-105"}
    assert note.meta["on"] == "It blooms late."
    assert alone.meta["author"] == "(tr.) Otto"


@pytest.mark.parametrize(
    "kept_back",
    [
        "<You have reached the clipping limit for this item>", "<このアイテムのクリップの上限に達しました>",
        "<您已达到本内容的剪贴上限>", "<Has alcanzado el límite de recortes de este elemento>",
        "<Vous avez atteint la limite d'extraits pour cet élément>", "<Hai raggiunto il limite di ritagli>",
    ],
)  # fmt: skip
def test_what_a_publisher_kept_back_is_no_highlight_in_any_language(write: Write, kept_back: str) -> None:
    path = write("My Clippings.txt", clipping(ENGLISH, "It blooms late.") + clipping(ENGLISH, kept_back))
    assert [one.text for one in drafts(path)] == ["It blooms late."]
    skipped = Counter[str]()
    list(kindle.read(path, replace(PARIS, skipped=skipped), path.name))
    assert skipped == {"clippings that the publisher kept back": 1}


def test_what_is_no_clipping_is_counted(write: Write) -> None:
    path = write("My Clippings.txt", clipping(ENGLISH, "It blooms late.") + "Words of another shape\r\n==========\r\n")
    skipped = Counter[str]()
    assert len(list(kindle.read(path, replace(PARIS, skipped=skipped), path.name))) == 1
    assert skipped == {"clippings of a shape that is not known": 1}


@pytest.mark.parametrize("marked", ["<limit>", '<input type="number" limit="10">', "</limits of the garden>", "a < b"])
def test_a_highlight_of_code_is_one(write: Write, marked: str) -> None:
    assert [one.text for one in drafts(write("My Clippings.txt", clipping(ENGLISH, marked)))] == [marked]


ADDED = [
    ("Your Highlight on page 27 | location 398-399 | Added on Thursday, 24 August 2017 22:31:50", "highlight"),
    ("- Highlight Loc. 398-99 | Added on Thursday, August 24, 2017, 10:31 PM", "highlight"),
    (
        "Tu subrayado en la página 10 | Ubicación 150-160 | Añadido el jueves, 24 de agosto de 2017 22:31:50",
        "highlight",
    ),
    ("Tu nota en la página 10 | Ubicación 150 | Añadido el jueves, 24 de agosto de 2017 22:31:50", "note"),
    ("Votre surlignement sur la page 7 | emplacement 98-99 | Ajouté le jeudi 24 août 2017 22:31:50", "highlight"),
    ("Ihre Markierung auf Seite 7 | Position 98-99 | Hinzugefügt am Donnerstag, 24. August 2017 22:31:50", "highlight"),
    ("Ihre Notiz bei Position 98 | Hinzugefügt am Donnerstag, 24. August 2017 um 22:31:50 Uhr", "note"),
    ("La tua evidenziazione a pagina 7 | Aggiunto in data giovedì 24 agosto 2017 22:31:50", "highlight"),
    ("Seu destaque na página 7 | Adicionado: quinta-feira, 24 de agosto de 2017 22:31:50", "highlight"),
    ("Uw notitie op pagina 7 | Toegevoegd op donderdag 24 augustus 2017 22:31:50", "note"),
    ("您在位置 #98-99的标注 | 添加于 2017年8月24日星期四 下午10:31:50", "highlight"),
    ("您在位置 #98 的笔记 | 添加于 2017年8月24日星期四 下午10:31:50", "note"),
    ("我的标注 位置 #98-99 | 添加于2017年8月24日星期四 下午10:31:50", "highlight"),
    ("Ваш выделенный отрывок в месте 98–99 | Добавлено: четверг, 24 августа 2017 г. в 22:31:50", "highlight"),
    ("7ページ|位置No. 98-99のハイライト |作成日: 2017年8月24日木曜日 22:31:50", "highlight"),
]


@pytest.mark.parametrize(("about", "kind"), ADDED)
def test_kindle_speaks_many_languages(write: Write, about: str, kind: str) -> None:
    (found,) = drafts(write("My Clippings.txt", clipping(about.removeprefix("- "), "It blooms.")))
    assert (found.kind, (found.happened_at or "")[:16]) == (kind, "2017-08-24T20:31")


def test_a_japanese_page_is_one(write: Write) -> None:
    about = "7ページ|位置No. 98-99のハイライト |作成日: 2017年8月24日木曜日 22:31:50"
    (found,) = drafts(write("My Clippings.txt", clipping(about, "It blooms.")))
    assert (found.meta["page"], found.meta["location"]) == ("7", "98-99")


def test_a_kindle_may_begin_its_lines_with_a_long_dash(write: Write) -> None:
    marked = "Ваш выделенный отрывок в месте 98–99 | Добавлено: четверг, 24 августа 2017 г. в 22:31:50"
    noted = "Ваша заметка в месте 99 | Добавлено: четверг, 24 августа 2017 г. в 22:32:50"
    path = write("My Clippings.txt", (clipping(marked, "Цветёт.") + clipping(noted, "Да.")).replace("\n- ", "\n– "))
    assert detect(path) == "kindle"
    assert [(one.kind, one.meta["location"]) for one in drafts(path)] == [("highlight", "98-99"), ("note", "99")]
    assert drafts(path)[1].meta["on"] == "Цветёт."


def test_midnight_and_noon_of_a_kindle(write: Write) -> None:
    text = "".join(
        clipping(f"Your Highlight | Added on January 3, 2025 12:00:00 {half}", half) for half in ("AM", "PM")
    )
    found = [one.happened_at for one in drafts(write("a.txt", text), ReadOptions(timezone="UTC"))]
    assert found == ["2025-01-03T00:00:00Z", "2025-01-03T12:00:00Z"]


def test_a_clipping_in_an_unknown_language_is_kept_with_its_year(write: Write) -> None:
    (found,) = drafts(write("a.txt", clipping("Markatu 3. orrian | Gehitua 24. abuztua 2017 22:31:50", "It blooms.")))
    assert (found.kind, found.text, found.happened_at) == ("highlight", "It blooms.", "2017")


def test_clippings_that_come_again_change_nothing_and_new_ones_are_added(write: Write) -> None:
    with MemoryDatabase(embed="none") as db:
        once = clipping(ENGLISH, "It blooms.")
        assert changed(db, write("a.txt", once)) == (1, 0, 0)
        # The whole file of another device begins with others, and has one of them twice.
        assert changed(db, write("b.txt", clipping(ENGLISH, "Late.") + once + once)) == (1, 0, 0)
        assert changed(db, write("a.txt", once)) == (0, 0, 0)


def test_a_text_with_lines_of_equals_signs_is_a_note(write: Write) -> None:
    assert detect(write("a.txt", "Title\n==========\n- one\n- two | three\n==========\n")) == "markdown"


# ------------------------------------------------------------------------------------------------------- saved pages

POCKET = """title,url,time_added,tags,status
"Quinces, all of them",https://example.org/a?b=(c),1599806347,garden|trees,archive
https://example.org/x,https://example.org/x,1599806348,,unread
"""
RIL = """<!DOCTYPE html><html><head><title>Pocket Export</title></head><body><h1>Unread</h1><ul>
<li><a href="https://example.org/a" time_added="1599806347" tags="garden,trees">Quinces &amp; <b>pears</b></a></li>
</ul><h1>Read Archive</h1><ul><li><a href="https://example.org/b" time_added="1599806348" tags="">Figs</a></li></ul>"""


def test_pocket_tables(write: Write) -> None:
    path = write("part_000000.csv", POCKET)
    assert detect(path) == "pocket"
    first, second = drafts(path)
    assert (first.text, first.title) == (
        "[Quinces, all of them](https://example.org/a?b=(c%29)", "Quinces, all of them",
    )  # fmt: skip
    assert (first.tags, first.happened_at, first.kind) == (
        ("garden", "trees", "archive"), "2020-09-11T06:39:07Z", "bookmark",
    )  # fmt: skip
    assert (first.meta["status"], first.source_id, first.document.source) == (
        "archive", "https://example.org/a?b=(c)", "pocket",
    )  # fmt: skip
    assert (second.text, second.tags) == ("https://example.org/x", ("unread",))


def test_pocket_pages(write: Write) -> None:
    path = write("ril_export.html", RIL)
    assert detect(path) == "pocket"
    assert [(one.text, one.tags, one.meta["status"]) for one in drafts(path)] == [
        ("[Quinces & pears](https://example.org/a)", ("garden", "trees", "unread"), "unread"),
        ("[Figs](https://example.org/b)", ("archive",), "archive"),
    ]


def test_readability_may_keep_its_pages_in_a_list(write: Write) -> None:
    page = {"article__title": "Figs", "article__url": "https://example.org", "date_added": "2015-05-01 10:00:00"}
    path = write("readability.json", json.dumps({"bookmarks": [page, None, 7], "recommendations": []}))
    assert detect(path) == "readability"
    assert [(one.text, one.happened_at) for one in drafts(path)] == [
        ("[Figs](https://example.org)", "2015-05-01T10:00:00Z")
    ]


POCKET_API = {
    "status": 1,
    "complete": 1,
    "list": {
        "229279689": {
            "item_id": "229279689", "given_url": "https://example.org/a", "given_title": "Quinces", "status": "1",
            "time_added": "1599806347", "excerpt": "It blooms late.", "resolved_url": "https://example.org/a/1",
            "resolved_title": "Quinces, all", "tags": {"garden": {"item_id": "229279689", "tag": "garden"}},
            "annotations": [{"annotation_id": "1", "quote": "late"}],
        },
        "2": {"item_id": "2", "resolved_url": "https://example.org/b", "resolved_title": "Figs", "status": "0"},
        "3": {"item_id": "3", "given_url": "https://example.org/c", "status": "2"},
    },
    "since": 1599806348,
}  # fmt: skip


def test_what_the_api_of_pocket_gave(write: Write) -> None:
    path = write("pocket.json", json.dumps(POCKET_API))
    assert detect(path) == "pocket"
    first, second = drafts(path)
    assert (first.text, first.tags, first.happened_at) == (
        "[Quinces](https://example.org/a)\n\nIt blooms late.\n\n> late", ("garden", "archive"), "2020-09-11T06:39:07Z",
    )  # fmt: skip
    assert (first.source_id, first.meta["status"]) == ("https://example.org/a", "archive")
    assert (second.text, second.meta["status"]) == ("[Figs](https://example.org/b)", "unread")


def test_the_highlights_of_pocket(write: Write) -> None:
    marked = [{"quote": "late", "created_at": 1599806347}, {"quote": "It\nblooms.", "created_at": 1599806348}]
    page = {"url": "https://example.org/a", "title": "Quinces", "highlights": marked}
    path = write("part_000000.json", json.dumps([page, {**page, "highlights": []}]))
    assert detect(path) == "pocket"
    assert [(one.text, one.kind, one.title, one.happened_at, one.meta["url"]) for one in drafts(path)] == [
        ("late", "highlight", "Quinces", "2020-09-11T06:39:07Z", "https://example.org/a"),
        ("It\nblooms.", "highlight", "Quinces", "2020-09-11T06:39:08Z", "https://example.org/a"),
    ]


def test_a_page_in_two_exports_is_one_memory_with_its_newest_state(write: Write) -> None:
    with MemoryDatabase(embed="none") as db:
        assert changed(db, write("a.csv", POCKET)) == (2, 0, 0)
        later = POCKET.replace("unread", "archive").replace('"Quinces', '"More", https://x\n"Quinces', 0)
        assert changed(db, write("b.csv", later)) == (0, 1, 0)
        assert changed(db, write("b.csv", later)) == (0, 0, 0)


def test_instapaper(write: Write) -> None:
    rows = 'https://example.org/a,Quinces,"It blooms, late.",Archive,1599806347,"[""garden""]"\n'
    path = write("instapaper-export.csv", "URL,Title,Selection,Folder,Timestamp,Tags\n" + rows)
    assert detect(path) == "instapaper"
    (found,) = drafts(path)
    assert found.text == "[Quinces](https://example.org/a)\n\nIt blooms, late."
    assert (found.tags, found.happened_at) == (("garden", "Archive"), "2020-09-11T06:39:07Z")
    assert found.meta["folder"] == "Archive"
    old = write("old.csv", "URL,Title,Selection,Folder\nhttps://example.org/a,Quinces,,Unread\n")
    assert (detect(old), drafts(old)[0].happened_at) == ("instapaper", None)


def test_raindrop(write: Write) -> None:
    header = "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
    row = '7,Quinces,My note,An excerpt,https://example.org,Garden/Trees,"two words, b",2023-05-15T10:30:00.000Z,,'
    path = write("raindrop.csv", header + row + '"It blooms.\nLate.",true\n')
    assert detect(path) == "raindrop"
    (found,) = drafts(path)
    assert found.text == "[Quinces](https://example.org)\n\nAn excerpt\n\nMy note\n\n> It blooms.\n> Late."
    assert (found.source_id, found.happened_at) == ("7", "2023-05-15T10:30:00Z")
    assert found.tags == ("two words", "b", "favorite", "Garden", "Trees")
    assert (found.meta["folder"], found.meta["favorite"]) == ("Garden/Trees", True)


def test_omnivore_alone_and_with_its_highlights(write: Write, tmp_path: Path) -> None:
    page = {
        "id": "o1", "slug": "quinces-1", "title": "Quinces", "description": "Of the quince.", "author": "Rosa",
        "url": "https://example.org", "state": "Archived", "readingProgress": 0, "labels": ["garden", {"name": "b"}],
        "savedAt": "2024-10-29T16:30:11.000Z",
    }  # fmt: skip
    path = write("metadata_0_to_20.json", json.dumps([page]))
    assert detect(path) == "omnivore"
    (found,) = drafts(path)
    assert (found.text, found.tags) == ("[Quinces](https://example.org)\n\nOf the quince.", ("garden", "b"))
    assert found.title == "Quinces (Rosa)"
    assert (found.happened_at, found.source_id, found.meta["author"]) == ("2024-10-29T16:30:11Z", "o1", "Rosa")
    archive = tmp_path / "omnivore.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("metadata_0_to_20.json", json.dumps([page]))
        out.writestr("highlights/quinces-1.md", "> It blooms.\n")
    assert detect(archive) == "omnivore"
    assert [one.text for one in drafts(archive)] == [found.text + "\n\n> It blooms."]


@pytest.mark.parametrize(
    ("format", "page", "text", "tags"),
    [
        (
            "pinboard",
            {"href": "https://example.org", "description": "Quinces", "extended": "True here.", "hash": "2",
             "meta": "1", "time": "2024-05-01T10:00:00Z", "shared": "no", "toread": "yes", "tags": "garden trees"},
            "[Quinces](https://example.org)\n\nTrue here.",
            ("garden", "trees"),
        ),
        (
            "wallabag",
            {"id": 7, "url": "https://example.org", "title": "Quinces", "is_archived": 0, "is_starred": 1,
             "created_at": "2024-05-01T12:00:00+0200", "content": "<p>It blooms <b>late</b>.</p>", "tags": ["garden"],
             "annotations": [{"quote": "blooms late", "text": "True here."}]},
            "[Quinces](https://example.org)\n\n> blooms late\n\nTrue here.\n\nIt blooms late.",
            ("garden", "starred"),
        ),
        (
            "wallabag",  # its first version
            {"id": "7", "url": "https://example.org", "title": "Quinces", "is_read": "0", "is_fav": "0",
             "content": "<p>It blooms.</p>", "tags": "garden,trees", "created_at": "2024-05-01T10:00:00Z"},
            "[Quinces](https://example.org)\n\nIt blooms.",
            ("garden", "trees"),
        ),
        (
            "delicious",
            {"title": "Quinces", "url": "https://example.org", "description": "True here.", "created": "1714557600",
             "tags": ["garden", ""], "others": 9, "owner": "rosa", "private": "0"},
            "[Quinces](https://example.org)\n\nTrue here.",
            ("garden",),
        ),
        (
            "readability",
            {"article__title": "Quinces", "article__url": "https://example.org", "article__excerpt": "It blooms.",
             "date_added": "2024-05-01T10:00:00Z", "favorite": False, "date_favorited": None, "archive": True,
             "date_archived": None},
            "[Quinces](https://example.org)\n\nIt blooms.",
            ("archived",),
        ),
    ],
)  # fmt: skip
def test_the_json_of_bookmark_services(
    write: Write, format: str, page: dict[str, Any], text: str, tags: tuple[str, ...]
) -> None:
    path = write("saved.json", json.dumps([page, dict.fromkeys(page)]))
    assert detect(path) == format
    (found,) = drafts(path)
    assert (found.text, found.tags, found.title) == (text, tags, "Quinces")
    assert (found.happened_at, found.meta["url"]) == ("2024-05-01T10:00:00Z", "https://example.org")
    with MemoryDatabase(embed="none") as db:
        assert [changed(db, path), changed(db, path)] == [(1, 0, 0), (0, 0, 0)]


@pytest.mark.parametrize(
    "text", ["title,url,text\na,b,c\n", "URL,Title,text\na,b,c\n", "title,url,time_added\n1,2,3\n", '"\n', "\n\n"]
)
def test_other_tables_are_rows(write: Write, text: str) -> None:
    assert detect(write("a.csv", text)) == "csv"


# ------------------------------------------------------------------------------------------- highlights and reviews


def test_blank_lines_may_stand_before_a_table(write: Write) -> None:
    text = "\ntitle,url,time_added,tags,status\nOn quinces,https://example.org/quinces,1735689600,,unread\n"
    assert [one.title for one in drafts(write("part_000000.csv", text))] == ["On quinces"]


def test_readwise(write: Write) -> None:
    header = "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at"
    row = '"It blooms,\nlate.",Quinces,Rosa,,True here.,yellow,"garden, b",page,7,2024-05-01 10:00:00+00:00,articles'
    path = write("readwise-data.csv", f"{header},Document tags\n{row}\n")
    assert detect(path) == "readwise"
    (found,) = drafts(path)
    assert (found.text, found.title) == ("It blooms,\nlate.\n\nTrue here.", "Quinces (Rosa)")
    assert (found.document.source, found.happened_at) == ("readwise:Quinces|Rosa", "2024-05-01T10:00:00Z")
    assert (found.tags, dict(found.meta)) == (
        ("garden", "b", "articles"), {"author": "Rosa", "page": "7", "color": "yellow"},
    )  # fmt: skip
    with MemoryDatabase(embed="none") as db:
        assert changed(db, path) == (1, 0, 0)
        assert changed(db, write("later.csv", f"{header}\n{row.replace('True here.', '')}\n")) == (0, 1, 0)


def test_goodreads(write: Write) -> None:
    header = "Book Id,Title,Author,ISBN,ISBN13,My Rating,Date Read,Date Added,Bookshelves,Exclusive Shelf,My Review"
    rows = (
        '1,Quinces,Rosa Marsh,"=""0765326388""","=""9780765326386""",4,2020/12/27,2020/01/02,"garden, b",read,'
        "It <b>blooms</b>.<br/>Late.,Lent to Otto.\n"
        '2,Figs,Otto,"=""""","=""""",0,,2021/03/04,to-read,to-read,,\n'
    )
    path = write("goodreads_library_export.csv", f"{header},Private Notes\n{rows}")
    assert detect(path) == "goodreads"
    first, second = drafts(path)
    assert first.text == "Quinces by Rosa Marsh. Read 2020-12-27. rated 4 of 5.\n\nIt blooms.\nLate.\n\nLent to Otto."
    assert (first.happened_at, first.tags, first.meta["isbn"]) == ("2020-12-27", ("garden", "b"), "9780765326386")
    assert (second.text, second.happened_at) == ("Figs by Otto. To read.", "2021-03-04")
    assert "rating" not in second.meta


def test_hypothesis(write: Write) -> None:
    def annotation(id: str, **more: Any) -> dict[str, Any]:
        return {
            "id": id, "created": "2024-05-01T10:00:00.123+00:00", "user": "acct:rosa@hypothes.is", "tags": ["garden"],
            "uri": "https://example.org", "document": {"title": ["Quinces"]}, "target": [], "text": "", **more,
        }  # fmt: skip

    quote = {"type": "TextQuoteSelector", "exact": "It blooms."}
    rows = [
        annotation("a", text="True here.", target=[{"selector": [{"type": "RangeSelector"}, quote]}]),
        annotation("b", target=[{"selector": [quote]}]),
        annotation("c", text="Is it?", references=["a"]),
    ]
    path = write("annotations.json", json.dumps({"total": 3, "rows": rows}))
    assert detect(path) == "hypothesis"
    assert [(one.kind, one.text) for one in drafts(path)] == [
        ("note", "> It blooms.\n\nTrue here."), ("highlight", "> It blooms."), ("note", "Is it?"),
    ]  # fmt: skip
    last = drafts(path)[-1]
    assert (last.title, last.document.source) == ("Quinces", "hypothesis:https://example.org")
    assert dict(last.meta) == {"url": "https://example.org", "user": "rosa", "reply_to": "a"}
    bare = write("list.json", json.dumps(rows))
    assert detect(bare) == "hypothesis"
    assert [one.text for one in drafts(bare)] == [one.text for one in drafts(path)]


# ------------------------------------------------------------------------------------------------------------ BibTeX

BIBTEX = r"""% Exported by Zotero
@string{cup = {Cambridge University Press}}
@comment{jabref-meta: @ignored{x, title = {No}}}
Words between entries, of rosa@example.org.

@book{marsh2001,
  author       = {Marsh, Rosa and {\'E}mile M{\"u}ller and others},
  title        = {The {Quince}: \emph{its} bl\o{}ssoms \& {LaTeX}},
  subtitle     = "In "# cup # {, 1--9},
  publisher    = cup,
  date         = {2001-03-14},
  keywords     = {garden, fruit trees},
  abstract     = {It blooms
                  late. A \texttt{quince} costs 3\,\$.},
  url          = {https://example.org},
  file         = {Full Text:files/7/quince.pdf:application/pdf},
  note         = {Lent to Otto},
}
@article{fig, title="Fig {"}trees{"}", year=1999, month = mar, journal = {Acta}}
@misc{пункт3, title={Broken,
@misc{last, title={Whole}}
"""


def test_bibtex_is_text_with_what_is_known_of_a_work(write: Write) -> None:
    path = write("library.bib", BIBTEX)
    assert detect(path) == "bibtex"
    found = list(read(path))
    kept = [one for one in found if isinstance(one, Draft)]
    assert [one.text for one in kept] == [
        "Rosa Marsh, Émile Müller, others. [The Quince: its bløssoms & LaTeX: In Cambridge University Press, 1–9]"
        "(https://example.org). Cambridge University Press. 2001-03-14\n\n"
        "It blooms late. A quince costs 3 $.\n\nLent to Otto",
        'Fig "trees". Acta. 1999-03',
        "Whole",
    ]
    first = kept[0]
    assert (first.source_id, first.tags, first.happened_at) == ("marsh2001", ("garden", "fruit trees"), "2001-03-14")
    assert first.meta["authors"] == ["Rosa Marsh", "Émile Müller", "others"]
    assert [(one.line, one.reason) for one in found if isinstance(one, Failure)] == [
        (20, "a bracket or quote does not end: '{Broken,\\n'"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\"U}ber M{\"o}glichkeit", "Über Möglichkeit"),
        (r"Averro{\"e}s \'{\i}ber \c{c}a \v{s} \aa{}", "Averroës íber ça š å"),
        (r"Gro\ss e, C.~A. Kaemmerer", "Große, C. A. Kaemmerer"),
        (r"a \{b\} \_ \% 5--6", "a {b} _ % 5–6"),
        (r"\mkbibquote{Inside} of \unknown{commands}", "Inside of commands"),
        (r"C:\new", "C:"),
        (r"P {\textless} 0.05, {\textgreater}3 {\textbar}x{\textbar}", "P < 0.05, >3 |x|"),
        (r"C:{\textbackslash}{\_}a, {\textasciitilde}3 20{\textdegree}C", r"C:\_a, ~3 20°C"),
    ],
)
def test_latex_becomes_text(write: Write, latex: str, text: str) -> None:
    (found,) = drafts(write("a.bib", "@misc{a, title = {" + latex + "}}"))
    assert found.text == text


@given(st.text(alphabet='@{}(),="#\\ab \n', max_size=60))
def test_any_text_is_a_library_or_fails_alone(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "a.bib"
    path.write_text(text)
    for one in read(path):
        assert isinstance(one, Draft | Failure)
        assert "is not as this format should be" not in getattr(one, "reason", "")


# --------------------------------------------------------------------------------------------------- RIS and CSL-JSON

RIS = """\ufeff1.
TY  - JOUR
AU  - Marsh, Rosa
AU  - M\u00fcller, \u00c9.
TI  - The quince: its blossoms
T2  - Acta Pomologica
PY  - 2001
DA  - 2001/03/14/
AB  - It blooms
      late.
N1  - <p>Lent to <b>Otto</b>.</p><p>Not back.</p>
KW  - *garden
KW  - fruit trees; bees
UR  - https://example.org/quince;https://example.org/2
DO  - 10.1234/5
SP  - 7
EP  - 9
ER  -

2.
TY  - BOOK
ID  - 3
T1  - Figs
A1  - Ek, Bo
PB  - Garden Press
Y1  - 1999/03//
ER  -
TY  - BOOK
ID  - 3
T1  - Pears
ED  - Ek, Bo
PY  - in press
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_ris_is_text_with_what_is_known_of_a_work(write: Write, ending: str) -> None:
    path = write("a.txt", RIS.replace("\n", ending))
    assert detect(path) == "ris"
    found = drafts(path)
    assert [one.text for one in found] == [
        "Rosa Marsh, \u00c9. M\u00fcller. [The quince: its blossoms](https://example.org/quince). Acta Pomologica. "
        "2001-03-14\n\nIt blooms\nlate.\n\nLent to Otto.\n\nNot back.",
        "Bo Ek. Figs. Garden Press. 1999-03",
        "Bo Ek. Pears",
    ]
    assert [one.source_id for one in found] == ["10.1234/5", "3", "3: Pears"]
    assert [one.happened_at for one in found] == ["2001-03-14", "1999-03", None]
    assert found[0].tags == ("garden", "fruit trees", "bees")
    assert (found[0].meta["pages"], found[0].meta["doi"]) == ("7-9", "10.1234/5")


def test_stops_of_initials_are_not_doubled(write: Write) -> None:
    path = write("a.ris", "TY  - JOUR\nAU  - Marsh R.\nTI  - Quinces\nER  -\nTY  - JOUR\nDO  - 10.1/2\nER  -\n")
    assert [one.text for one in drafts(path)] == ["Marsh R. Quinces", "10.1/2"]


CSL = [
    {
        "id": "marsh2001", "type": "article-journal", "title": "The <i>quince</i>: its blossoms", "volume": 3,
        "author": [{"family": "Marsh", "given": "Rosa"}, {"literal": "Garden Club"},
                   {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}],
        "container-title": "Acta", "issued": {"date-parts": [["2001", 3, 14]]}, "URL": "https://example.org",
        "abstract": "It blooms, p < 0.05.", "note": "Lent to Otto", "keyword": "garden, bees", "DOI": "10.1234/5",
    },
    {"id": 7, "type": "book", "title": "Figs", "editor": [{"family": "Ek"}], "issued": {"raw": "March 1999"}},
    {"id": "x", "type": "book", "title": "Pears", "issued": {"date-parts": [[]]}},
]  # fmt: skip


def test_csl_json_is_text_with_what_is_known_of_a_work(write: Write) -> None:
    path = write("library.json", json.dumps(CSL))
    assert detect(path) == "csl-json"
    first, second, third = drafts(path)
    assert first.text == (
        "Rosa Marsh, Garden Club, Vincent van Gogh. [The quince: its blossoms](https://example.org). Acta. 2001-03-14"
        "\n\nIt blooms, p < 0.05.\n\nLent to Otto"
    )
    assert (first.source_id, first.tags, first.happened_at) == ("marsh2001", ("garden", "bees"), "2001-03-14")
    assert (second.text, second.source_id) == ("Ek. Figs. 1999-03", "7")
    assert third.text == "Pears"


def test_references_that_grow_are_each_there_once(write: Write) -> None:
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(write("a.json", json.dumps(CSL[:2]))).added == 2
        changed = [{**CSL[0], "note": "Back"}, *CSL[1:]]
        report = db.ingest(write("a.json", json.dumps(changed)))
        assert (report.added, report.updated, report.unchanged, report.removed) == (1, 1, 1, 0)


# ---------------------------------------------------------------------------------------------- encodings and growth


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    words = "Die Quitten blühen spät, und die Vögel hören früh auf zu singen. Schöne Grüße aus Köln."
    (tmp_path / "a.txt").write_bytes(clipping(ENGLISH, words).encode(encoding))
    (tmp_path / "a.bib").write_bytes(("@misc{a, title = {" + words + "}}").encode(encoding))
    (tmp_path / "a.csv").write_bytes(f'title,url,time_added,tags,status\n"{words}",,1599806347,,x\n'.encode(encoding))
    for name, format in (("a.txt", "kindle"), ("a.bib", "bibtex"), ("a.csv", "pocket")):
        assert [one.text for one in read(tmp_path / name, format=format) if isinstance(one, Draft)] == [words]


LONG: dict[str, tuple[str, Callable[[int], str]]] = {
    "clippings": ("kindle", lambda n: clipping(ENGLISH, "It blooms.") * n),
    "brackets of a title": ("kindle", lambda n: clipping(ENGLISH, "x", "a" + "(" * n + ")" * n)),
    "a long date": ("kindle", lambda n: clipping("Your Highlight | Added on " + "1 January, " * n, "x")),
    "pages": ("kindle", lambda n: clipping("page " * n + "| 1", "x")),
    "pocket": ("pocket", lambda n: POCKET + "a,https://example.org/a,1599806347,,x\n" * n),
    "lines of RIS": ("ris", lambda n: "TY  - JOUR\n" + "AB  - a\nb\n" * n),
    "entries": ("bibtex", lambda n: "@misc{a, title = {b}}\n" * n),
    "open brackets": ("bibtex", lambda n: "@misc{a, title = {" * n),
    "open brackets in lines": ("bibtex", lambda n: "@misc{a, title = {\n" * n),
    "concatenation": ("bibtex", lambda n: "@misc{a, title = " + '"x" # ' * n + "{}}"),
    "fields": ("bibtex", lambda n: "@misc{a, " + "x" * n + " " * n + "}"),
    "commands": ("bibtex", lambda n: "@misc{a, title = {" + "\\a " * n + "\\'" * n + "}}"),
    "signs": ("bibtex", lambda n: "@" * n + "@ " * n),
}


@pytest.mark.parametrize("shape", LONG)
def test_reading_grows_with_the_length(tmp_path: Path, shape: str) -> None:
    assert reads_in_proportion(tmp_path, *LONG[shape])
