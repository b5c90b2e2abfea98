"""What people wrote to each other: every message once, with its speaker and its time."""

from __future__ import annotations

import itertools
import json
import sqlite3
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_files import unpacked, zipped
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read
from memkit.sources.messengers.facebook import mended
from memkit.sources.messengers.facebook import read as read_facebook
from memkit.sources.messengers.imessage import typed
from memkit.sources.record_ids import RecordIds
from memkit.storage.reindex import COUNT_WRONG_TEXTS

UTC = ReadOptions(timezone="UTC")
LRM, NARROW = "\u200e", "\u202f"


def drafts(path: Path, options: ReadOptions = UTC, format: str | None = None) -> list[Draft]:
    found = list(read(path, format=format, options=options))
    assert not [one for one in found if isinstance(one, Failure)]
    return [one for one in found if isinstance(one, Draft)]


def said(path: Path, options: ReadOptions = UTC, format: str | None = None) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in drafts(path, options, format)]


def written(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), "utf-8")
    return path


def as_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def again(*paths: Path) -> list[int]:
    """What a second ingest of the same changes."""
    with MemoryDatabase(embed="none") as db:
        for path in paths:
            assert not db.ingest(path, timezone="UTC").failures
        reports = [db.ingest(path, timezone="UTC") for path in paths]
        return [one.added + one.updated + one.removed for one in reports]


# ------------------------------------------------------------------------------------------------------- WhatsApp


def test_an_iphone_tells_what_members_did_as_if_they_had_said_it(tmp_path: Path) -> None:
    path = written(
        tmp_path / "_chat.txt",
        f"[13.06.18, 21:25:00] Garden: {LRM}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.",
        f"[13.06.18, 21:25:01] Rosa: {LRM}Rosa hat die Gruppe erstellt.",
        f"[13.06.18, 21:25:02] Ben: {LRM}~{NARROW}Rosa hat Ben hinzugefügt.",
        f"[13.06.18, 21:25:03] Ben: {LRM}{LRM}Ben hat eine Nachricht fixiert.",
        f"[13.06.18, 21:25:04] Ben: {LRM}Du hast Carl hinzugefügt.",
        "[13.06.18, 21:25:05] Ben: Rosa hat die Gruppe erstellt, oder?",
        f"[13.06.18, 21:25:06] Rosa: {LRM}Bild weggelassen",
        f"[13.06.18, 21:25:07] Rosa: {LRM}UMFRAGE:",
        "Wann ernten wir?",
        f"[13.06.18, 21:25:08] Rosa: {LRM}Diese Nachricht wurde von Admin Ben gelöscht.",
    )
    assert [(one.speaker, one.text) for one in drafts(path)] == [
        ("Ben", "Rosa hat die Gruppe erstellt, oder?"),
        ("Rosa", "Bild weggelassen"),
        ("Rosa", "UMFRAGE:\nWann ernten wir?"),
    ]
    told = drafts(path, ReadOptions(include_system=True))
    assert [one.text for one in told if one.speaker == "system"][1:] == [
        "Rosa hat die Gruppe erstellt.",
        f"~{NARROW}Rosa hat Ben hinzugefügt.",
        "Ben hat eine Nachricht fixiert.",
        "Du hast Carl hinzugefügt.",
    ]


JOINED = [f"7/25/19, 23:{n:02} - Member {n} joined using this group's invite link" for n in range(60)]


def test_a_large_group_begins_with_those_who_joined(tmp_path: Path) -> None:
    said = [f"7/26/19, 08:{n % 60:02} - Rosa: the quince is {n} cm" for n in range(80)]
    path = written(tmp_path / "WhatsApp Chat with Garden.txt", *JOINED, *said)
    assert detect(path) == "whatsapp"
    assert {one.speaker for one in drafts(path)} == {"Rosa"}
    diary = written(tmp_path / "diary.txt", *JOINED, "7/26/19, 08:00 - to buy: bread")
    assert detect(diary) != "whatsapp"


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("13/06/2018, 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("13.06.18, 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("13.6.2018 klo 21.25.15 - Rosa: hi", "2018-06-13T21:25:15Z"),
        ("13.06.18 21.25.15: Rosa: hi", "2018-06-13T21:25:15Z"),
        ("6/13/18, 9:25 PM - Rosa: hi", "2018-06-13T21:25:00Z"),
        (f"6/13/18, 9:25{NARROW}PM - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("6/13/18, 12:05 AM - Rosa: hi", "2018-06-13T00:05:00Z"),
        ("13/6/2018, 1:55 p. m. - Rosa: hi", "2018-06-13T13:55:00Z"),
        ("13/6/2018, 1:55 a.m. - Rosa: hi", "2018-06-13T01:55:00Z"),
        ("2018/06/13, 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("2018-06-13 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("2018/6/13 下午9:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("2018/6/13 上午12:05 - Rosa: hi", "2018-06-13T00:05:00Z"),
        ("2018/6/13 中午11:30 - Rosa: hi", "2018-06-13T11:30:00Z"),
        ("2018/6/13 中午1:30 - Rosa: hi", "2018-06-13T13:30:00Z"),
        ("[2018. 6. 13. 오후 9:25:15] Rosa: hi", "2018-06-13T21:25:15Z"),
        ("[13/06/2018, 21:25:15] Rosa: hi", "2018-06-13T21:25:15Z"),
        (f"{LRM}[13.06.18, 21:25:15] Rosa: hi", "2018-06-13T21:25:15Z"),
        ("[06.13.18 21:25:15] Rosa: hi", "2018-06-13T21:25:15Z"),
        ("[2018/06/13 1:55:00 p. m.] Rosa: hi", "2018-06-13T13:55:00Z"),
        ("13.06.2018 г., 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("13/06/2018 às 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("13.06.2018. 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("2018-06-13 21 h 25 - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("\u200f١٣\u200f/٦\u200f/٢٠١٨، ٩:٢٥ م - Rosa: hi", "2018-06-13T21:25:00Z"),
        ("13/6/2561 21:25 - Rosa: hi", "2018-06-13T21:25:00Z"),
    ],
)
def test_the_dates_of_each_phone_and_language(tmp_path, line, time):
    chat = written(tmp_path / "chat.txt", line, line.replace("hi", "ho"))
    assert detect(chat) == "whatsapp"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(chat)] == [
        ("Rosa", "hi", time),
        ("Rosa", "ho", time),
    ]


def test_times_are_those_of_the_clocks_of_a_zone(tmp_path):
    chat = written(tmp_path / "chat.txt", "13/06/2018, 21:25 - Rosa: hi", "13/12/2018, 21:25 - Rosa: ho")
    paris = drafts(chat, ReadOptions(timezone="Europe/Paris"))
    assert [one.happened_at for one in paris] == ["2018-06-13T19:25:00Z", "2018-12-13T20:25:00Z"]


def test_lines_without_a_date_continue_a_message(tmp_path):
    chat = written(
        tmp_path / "chat.txt",
        "13/06/2018, 21:25 - Rosa: Quince:",
        "",
        "- prune it",
        "99/99/2018, 21:25 - no date",
        "13/06/2018, 21:26 - Ben:",
        "in the evening",
    )
    assert said(chat) == [
        ("Rosa", "Quince:\n\n- prune it\n99/99/2018, 21:25 - no date"),
        ("Ben", "in the evening"),
    ]


def test_what_the_program_says_is_left_out(tmp_path):
    chat = written(
        tmp_path / "_chat.txt",
        f"[13/06/2018, 21:25:00] Garden: {LRM}Messages and calls are end-to-end encrypted. No one can read them.",
        f"[13/06/2018, 21:25:01] Garden: {LRM}Rosa created this group",
        "[13/06/2018, 21:25:02] Rosa: Who has the key?",
        f"[13/06/2018, 21:25:03] Garden: {LRM}Rosa changed the subject to “Tools: all”",
        "[13/06/2018, 21:25:04] Rosa changed the subject to “Tools: all”",
        '[13/06/2018, 21:25:04] Rosa created group "Tools: all"',
        f"[13/06/2018, 21:25:05] Ben: {LRM}This message was deleted.",
        f"[13/06/2018, 21:25:06] {LRM}~{NARROW}Ben: Diese Nachricht wurde gelöscht",
        f"[13/06/2018, 21:25:07] ~{NARROW}Ben: I think this message was deleted",
        "[13/06/2018, 21:25:08] \u202a+44 7911 123456\u202c: Me",
    )
    assert said(chat) == [
        ("Rosa", "Who has the key?"),
        ("Ben", "I think this message was deleted"),
        ("+44 7911 123456", "Me"),
    ]
    everything = said(chat, ReadOptions(timezone="UTC", include_system=True))
    assert ("system", "Rosa created this group") in everything
    assert len(everything) == 8


def test_the_notice_on_encryption_stands_behind_the_name_of_somebody_who_speaks(tmp_path):
    chat = written(
        tmp_path / "chat.txt",
        f"[13/06/2018, 21:25:00] Rosa: {LRM}Les messages et les appels sont chiffrés de bout en bout.",
        "[13/06/2018, 21:25:01] Rosa: Bonjour",
        f"[13/06/2018, 21:25:02] Rosa: {LRM}image absente",
    )
    assert said(chat) == [("Rosa", "Bonjour"), ("Rosa", "image absente")]


@pytest.mark.parametrize(
    "notice",
    [
        "Berichten en oproepen worden end-to-end versleuteld. Alleen mensen in deze chat kunnen ze lezen.",
        "Zprávy a hovory jsou koncově šifrované (encrypted). Nikdo mimo tento chat je nemůže číst.",
        "消息和通话均已端到端加密，任何第三方包括 WhatsApp 都无法读取或收听，点击了解更多。",
    ],
)
def test_the_notice_on_encryption_is_known_by_its_stem_where_a_phone_marks_what_nobody_typed(tmp_path, notice):
    for group in ("Garden", "Rosa"):
        chat = written(
            tmp_path / "chat.txt",
            f"[13/06/2018, 21:25:00] {group}: {LRM}{notice}",
            f"[13/06/2018, 21:25:01] Garden: {LRM}Ben heeft Rosa toegevoegd",
            f"[13/06/2018, 21:25:02] Rosa: {notice}",
            f"[13/06/2018, 21:25:03] Rosa: {LRM}Encrypted notes on quinces.pdf • 3 pages {LRM}<attached: 1-notes.pdf>",
        )
        found = said(chat)
        assert ("Rosa", notice) in found
        assert len(found) == (2 if group == "Garden" else 3)


def test_attachments_and_edits_are_notes_on_a_message(tmp_path):
    chat = written(
        tmp_path / "chat.txt",
        f"[13/06/2018, 21:25:00] Rosa: {LRM}<Anhang: 00000012-PHOTO-2018-06-13-21-25-00.jpg>",
        "[13/06/2018, 21:25:01] Rosa: The bed. ‎<This message was edited.>",
        "13/06/2018, 21:26 - Ben: IMG-20180613-WA0003.jpg (file attached)",
        "The quince in bloom",
        "13/06/2018, 21:27 - Ben: <Media omitted>",
        "13/06/2018, 21:28 - Ben: README.md (the old one) is wrong",
    )
    found = drafts(chat)
    assert [(one.text, one.meta) for one in found] == [
        (
            "<Anhang: 00000012-PHOTO-2018-06-13-21-25-00.jpg>",
            {"attachment": "00000012-PHOTO-2018-06-13-21-25-00.jpg"},
        ),
        ("The bed.", {"edited": True}),
        ("The quince in bloom", {"attachment": "IMG-20180613-WA0003.jpg"}),
        ("<Media omitted>", {}),
        ("README.md (the old one) is wrong", {}),
    ]


def test_an_iphone_marks_what_it_writes_behind_the_words_that_were_sent_with_a_file(tmp_path):
    chat = written(
        tmp_path / "chat.txt",
        "[13/06/2018, 21:25:00] Rosa: Look",
        f"{LRM}[13/06/2018, 21:25:01] Rosa: The quince in bloom {LRM}Bild weggelassen",
        f"{LRM}[13/06/2018, 21:25:02] Rosa: The quince,",
        f"in bloom {LRM}<attached: 00000012-PHOTO-2018-06-13-21-25-00.jpg>",
        f"{LRM}[13/06/2018, 21:25:03] Rosa: plan.pdf • {LRM}3 Seiten {LRM}Dokument weggelassen",
        f"{LRM}[13/06/2018, 21:25:04] Rosa: plan.pdf • {LRM}3 pages {LRM}<attached: 00000013-plan.pdf>",
        f"{LRM}[13/06/2018, 21:25:05] Rosa: The plan {LRM}<attached: 00000014-plan.pdf>",
        f"{LRM}[13/06/2018, 21:25:06] Rosa: {LRM}Bild weggelassen",
        f"{LRM}[13/06/2018, 21:25:07] Rosa: Mended {LRM}image omitted {LRM}<This message was edited>",
        f"[13/06/2018, 21:25:08] Rosa: Call me at {LRM}0451 123",
    )
    assert [(one.text, one.meta.get("attachment")) for one in drafts(chat)] == [
        ("Look", None),
        ("The quince in bloom", "Bild weggelassen"),
        ("The quince,\nin bloom", "00000012-PHOTO-2018-06-13-21-25-00.jpg"),
        ("plan.pdf", "Dokument weggelassen"),
        ("plan.pdf", "plan.pdf"),
        ("The plan\n\n[00000014-plan.pdf]", "00000014-plan.pdf"),
        ("Bild weggelassen", None),
        ("Mended", "image omitted"),
        ("Call me at 0451 123", None),
    ]


def test_a_call_is_told_by_an_iphone_and_an_address_sent_by_somebody(tmp_path):
    chat = written(
        tmp_path / "chat.txt",
        f"[13/06/2018, 21:25:01] Rosa: {LRM}Missed voice call, {LRM}Tap to call back",
        f"[13/06/2018, 21:25:02] Rosa: {LRM}Videoanruf, {LRM}4 Min.",
        f"[13/06/2018, 21:25:03] Rosa: {LRM}Sprachchat. {LRM}{LRM}2\xa0Sek. • {LRM}1 beigetreten",
        f"[13/06/2018, 21:25:04] Rosa: {LRM}Standort: {LRM}https://maps.google.com/?q=53.8,10.6",
        f"[13/06/2018, 21:25:05] Rosa: {LRM}plan.pdf • {LRM}3 pages {LRM}document omitted",
    )
    assert said(chat) == [
        ("Rosa", "Standort: https://maps.google.com/?q=53.8,10.6"),
        ("Rosa", "plan.pdf • 3 pages document omitted"),
    ]
    assert len(drafts(chat, ReadOptions(include_system=True))) == 5


def test_a_chat_exported_again_with_its_files_and_more_votes_has_each_message_once(tmp_path):
    poll = f"[13/06/2018, 21:25:03] Rosa: {LRM}POLL:\nWhen?\n{LRM}OPTION: In May (%s)\n{LRM}OPTION: In June (0 votes)"
    first = (
        "[13/06/2018, 21:25:00] Ben: Well?",
        f"{LRM}[13/06/2018, 21:25:01] Rosa: {LRM}image omitted",
        f"{LRM}[13/06/2018, 21:25:02] Rosa: In bloom {LRM}image omitted",
    )
    later = (
        first[0],
        f"{LRM}[13/06/2018, 21:25:01] Rosa: {LRM}<attached: 1-PHOTO.jpg>",
        f"{LRM}[13/06/2018, 21:25:02] Rosa: In bloom {LRM}<attached: 2-PHOTO.jpg>",
    )
    expected = ["Well?", "<attached: 1-PHOTO.jpg>", "In bloom", "POLL:\nWhen?\n- In May (2 votes)\n- In June (0 votes)"]
    with MemoryDatabase(embed="none") as db:
        db.ingest(written(tmp_path / "1" / "WhatsApp Chat with Rosa.txt", *first, poll % "1 vote"))
        path = written(tmp_path / "2" / "WhatsApp Chat with Rosa.txt", *later, poll % "2 votes")
        db.ingest(path)
        db.ingest(path)
        current = "select text from memories where archived_at is null order by happened_at, key"
        assert [row[0] for row in db.conn.execute(current)] == expected


def test_the_order_of_day_and_month_is_that_of_the_whole_file(tmp_path):
    head = "12/6/18, 9:25 AM - Rosa: hi"
    assert drafts(written(tmp_path / "a.txt", head, "13/6/18, 9:25 AM - Rosa: ho"))[0].happened_at[:10] == "2018-06-12"
    assert drafts(written(tmp_path / "b.txt", head, "12/13/18, 9:25 AM - Rosa: ho"))[0].happened_at[:10] == "2018-12-06"
    # A clock of 24 hours, and dots: nobody writes the month first with these.
    assert drafts(written(tmp_path / "c.txt", head, "12/7/18, 19:25 - Rosa: ho"))[0].happened_at[:10] == "2018-06-12"
    picture = "12/6/18, 9:26 AM - Rosa: IMG-20181206-WA0001.jpg (file attached)"
    assert drafts(written(tmp_path / "d.txt", head, picture))[0].happened_at[:10] == "2018-12-06"
    with pytest.raises(BadSource, match="--day-first or --month-first"):
        drafts(written(tmp_path / "e.txt", head, "12/7/18, 9:25 AM - Rosa: ho"))
    given = drafts(tmp_path / "e.txt", ReadOptions(timezone="UTC", day_first=False))
    assert [one.happened_at[:10] for one in given] == ["2018-12-06", "2018-12-07"]


def test_exports_that_overlap_give_each_message_once(tmp_path):
    lines = [f"13/06/2018, 21:{minute} - Rosa: haha" for minute in (25, 25, 26)]
    with MemoryDatabase(embed="none") as db:
        db.ingest(written(tmp_path / "1" / "WhatsApp Chat with Rosa.txt", *lines[:2]), timezone="UTC")
        more = written(tmp_path / "2" / "WhatsApp Chat with Rosa (1).txt", *lines, "14/06/2018, 08:00 - Rosa: so")
        assert db.ingest(more, timezone="UTC").added == 2
        late = written(tmp_path / "3" / "WhatsApp Chat with Rosa.txt", *lines[2:], "14/06/2018, 08:00 - Rosa: so")
        report = db.ingest(late, timezone="UTC")
        assert (report.added, report.updated, report.removed) == (0, 0, 0)
        assert [one["source"] for one in db.tables.query("select source from documents")] == ["whatsapp:Rosa"]


def test_equal_messages_of_a_moment_have_ids_of_their_own():
    ids = RecordIds()
    first, second, other = ids.next("t", "Rosa", "haha"), ids.next("t", "Rosa", "haha"), ids.next("t", "Ben", "haha")
    assert len({first, second, other}) == 3
    later = ids.next("u", "Rosa", "haha")
    assert later != first
    cut = RecordIds()  # of an export that begins there
    assert [cut.next("t", "Rosa", "haha"), cut.next("t", "Rosa", "haha")] == [first, second]


def test_a_chat_in_another_encoding_is_read(tmp_path):
    chat = tmp_path / "chat.txt"
    chat.write_bytes("13/06/2018, 21:25 - Zoë: hi\n13/06/2018, 21:26 - Zoë: ho".encode("utf-16"))
    assert detect(chat) == "whatsapp"
    assert said(chat) == [("Zoë", "hi"), ("Zoë", "ho")]


def test_a_zip_is_read_with_the_name_of_the_chat(tmp_path):
    chat = "[13/06/2018, 21:25:15] Rosa: hi\r\n[13/06/2018, 21:25:16] Ben: ho\r\n"
    files = {"_chat.txt": chat, "00000012-list.txt": "1/2/2018, 10:00 milk", "00000013-PHOTO.jpg": b"\xff\xd8"}
    phone = zipped(tmp_path / "WhatsApp Chat - Garden.zip", files)
    assert detect(phone) == "whatsapp"
    assert [(one.text, one.title, one.document.source) for one in drafts(phone)] == [
        ("hi", "Garden", "whatsapp:Garden"),
        ("ho", "Garden", "whatsapp:Garden"),
    ]


def test_chats_in_a_folder_called_whatsapp_are_not_one_chat(tmp_path):
    folder = tmp_path / "WhatsApp - backup"
    for name in ("rosa", "ben"):
        written(folder / f"{name}.txt", f"13/06/2018, 21:25 - {name}: hi\n13/06/2018, 21:26 - Mia: ho")
    found = drafts(folder)
    assert {one.title for one in found} == {"rosa", "ben"}
    assert len({one.document.source for one in found}) == 2
    chat = "[13/06/2018, 21:25:15] Rosa: hi\n[13/06/2018, 21:25:16] Ben: ho"
    unpacked = drafts(written(tmp_path / "WhatsApp Chat - Garden" / "_chat.txt", chat))
    assert {one.document.source for one in unpacked} == {"whatsapp:Garden"}  # as that of the zip


@pytest.mark.parametrize(
    "text",
    [
        "13/06/2018, 21:25 - Rosa: a single line is not enough",
        "13/06/2018 was a fine day: we planted.\n14/06/2018 was not: it rained.",
        "Notes\n13/06/2018, 21:25 - Rosa: hi\n13/06/2018, 21:26 - Ben: ho",
        "[2018-06-13 21:25:15] app.ERROR: broken\n[2018-06-13 21:25:16] app.INFO: mended",
    ],
)
def test_prose_and_logs_are_no_chats(tmp_path, text):
    assert detect(written(tmp_path / "a.txt", text)) == "markdown"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_is_a_message(tmp_path_factory, text):
    chat = tmp_path_factory.mktemp("any") / "chat.txt"
    chat.write_text(f"13/06/2018, 21:25 - Rosa: {text}\n13/06/2018, 21:26 - Ben: ho", "utf-8")
    assert all(isinstance(one, Draft | Failure) for one in read(chat, format="whatsapp", options=UTC))


HELLO = "01/03/2025, 08:00 - Ivo: Good morning"
EDITED = "<This message was edited>"


def kept(path: Path, *exports: tuple[str, ...]) -> tuple[list[str], list[tuple[int, int, int]]]:
    """The messages that stand after these exports of one chat, one after the other, and what each of them changed."""
    with MemoryDatabase(embed="none") as db:
        reports = [db.ingest(written(path, *lines), timezone="UTC") for lines in exports]
        # Nor do words that were edited or deleted stay in the index of what was said beside them.
        assert db.conn.execute(COUNT_WRONG_TEXTS).fetchone()[0] == 0
        rows = db.conn.execute("select text from memories where archived_at is null order by happened_at, key")
        return [row[0] for row in rows], [(one.added, one.updated, one.removed) for one in reports]


MARKET = "01/03/2025, 09:00 - Rosa: The market is at nine"
BREAD = "01/03/2025, 09:00 - Rosa: Bring bread"
MOVED = f"01/03/2025, 09:00 - Rosa: The market is at ten {EDITED}"
GONE = "01/03/2025, 09:00 - Rosa: This message was deleted"


@pytest.mark.parametrize(
    ("exports", "texts", "last"),
    [
        (((MARKET, BREAD), (MOVED, BREAD)), ["Bring bread", "The market is at ten"], (1, 0, 1)),
        (((MARKET, BREAD), (MOVED, BREAD), (MOVED, BREAD)), ["Bring bread", "The market is at ten"], (0, 0, 0)),
        (((MARKET, BREAD), (MOVED, BREAD), (MARKET, BREAD)), ["Bring bread", "The market is at ten"], (0, 0, 0)),
        (((MOVED, BREAD), (MARKET, BREAD), (MOVED, BREAD)), ["The market is at ten", "Bring bread"], (0, 0, 1)),
        (((MARKET, BREAD), (GONE, BREAD)), ["Bring bread"], (0, 0, 1)),
        (((MARKET,), (GONE,), (MARKET,)), [], (0, 0, 0)),
        # An export that begins later, and one in which another person wrote in the same minute.
        (((MARKET, BREAD), (BREAD,)), ["The market is at nine", "Bring bread"], (0, 0, 0)),
        (((MARKET.replace("Rosa", "Ada"),), (MOVED,)), ["The market is at nine", "The market is at ten"], (1, 0, 0)),
    ],
)
def test_an_edited_message_takes_the_place_of_what_it_was(
    tmp_path: Path, exports: tuple[tuple[str, ...], ...], texts: list[str], last: tuple[int, int, int]
) -> None:
    found, changes = kept(tmp_path / "WhatsApp Chat with Rosa.txt", *((HELLO, *lines) for lines in exports))
    assert (found, changes[-1]) == (["Good morning", *texts], last)


def test_a_message_that_was_edited_again_takes_the_place_of_the_first_edit(tmp_path: Path) -> None:
    """Also if the export before it is read again. What one run brings of both is kept: none of them is the later."""
    again = MOVED.replace("ten", "eleven")
    path = tmp_path / "WhatsApp Chat with Rosa.txt"
    with MemoryDatabase(embed="none") as db:
        for day, line in enumerate((MARKET, MOVED, again, MOVED, MARKET, again), 1):
            db.ingest(written(path, HELLO, line, BREAD), timezone="UTC", now=f"2025-04-0{day}T12:00:00Z")
            rows = db.conn.execute("select text from memories where archived_at is null order by happened_at, key")
            told = [row[0] for row in rows]
            hour = ("nine", "ten", "eleven", "eleven", "eleven", "eleven")[day - 1]
            assert sorted(told[1:]) == ["Bring bread", f"The market is at {hour}"]


def test_the_first_minute_of_an_export_may_be_half_there(tmp_path: Path) -> None:
    later = "01/03/2025, 10:00 - Ivo: On my way"
    found, _ = kept(tmp_path / "WhatsApp Chat with Rosa.txt", (HELLO, MARKET, BREAD, later), (MOVED, later))
    assert found == ["Good morning", "The market is at nine", "Bring bread", "The market is at ten", "On my way"]


# ------------------------------------------------------------------------------------------------------- Telegram


def telegram(*messages: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {"name": "Garden", "type": "private_group", "id": 77, "messages": list(messages), **other}


def tg(id: int, text: Any, **other: Any) -> dict[str, Any]:
    given = {"id": id, "type": "message", "date_unixtime": "1700000000", "from": "Rosa", "from_id": "user1"}
    return {**given, "text": text, **other}


def test_telegram_texts_are_put_together_and_keep_their_links(tmp_path):
    words = [
        "See ",
        {"type": "text_link", "text": "the plan", "href": "https://a.org/plan"},
        {"type": "bold", "text": "!"},
    ]
    link = [{"type": "link", "text": "https://a.org"}, " 👀"]
    file = as_json(tmp_path / "result.json", telegram(tg(1, words), tg(2, link)))
    assert detect(file) == "telegram"
    assert [one.text for one in drafts(file)] == ["See [the plan](https://a.org/plan)!", "https://a.org 👀"]
    assert {one.document.source for one in drafts(file)} == {"telegram:77"}


def test_telegram_replies_edits_and_forwards_are_notes_and_service_records_are_left_out(tmp_path):
    messages = [
        {"id": 1, "type": "service", "date": "2023-01-01T10:00:00", "actor": "Ben", "action": "joined", "text": ""},
        tg(2, "Who planted it?", reply_to_message_id=1, edited="2023-01-01T10:00:00"),
        tg(3, "Read this", forwarded_from="News", **{"from": None}),
    ]
    file = as_json(tmp_path / "result.json", telegram(*messages))
    assert [(one.speaker, one.meta) for one in drafts(file)] == [
        ("Rosa", {"reply_to": "1", "edited": True}),
        ("Deleted Account", {"forwarded_from": "News"}),
    ]
    assert ("system", "Ben joined") in said(file, ReadOptions(timezone="UTC", include_system=True))


def test_telegram_attachments_are_named(tmp_path):
    gone = "(File not included. Change data exporting settings to download.)"
    messages = [
        tg(1, "", photo=gone),
        tg(2, "", file="files/plan.pdf"),
        tg(3, "The plan", file=gone, file_name="plan.pdf"),
        tg(4, "", file=gone, media_type="sticker", sticker_emoji="🌱"),
        tg(5, "", contact_information={"first_name": "Ben", "phone_number": "+44 1"}),
        tg(6, "", location_information={"latitude": 1.5, "longitude": 2.5}),
        tg(7, "", poll={"question": "When?", "answers": [{"text": "May"}, {"text": "June"}]}),
        tg(8, ""),
    ]
    assert [one.text for one in drafts(as_json(tmp_path / "result.json", telegram(*messages)))] == [
        "photo",
        "plan.pdf",
        "The plan\n\n[plan.pdf]",
        "sticker 🌱",
        "contact Ben +44 1",
        "location 1.5, 2.5",
        "When?\n- May\n- June",
    ]


def test_telegram_times_of_old_exports_are_those_of_the_clock(tmp_path):
    old = tg(1, "hi", date="2019-07-12T16:55:32")
    del old["date_unixtime"]
    file = as_json(tmp_path / "result.json", telegram(old, tg(2, "ho"), tg(3, "x", date_unixtime=None, date="1.1.19")))
    found = list(read(file, options=ReadOptions(timezone="Europe/Paris")))
    assert found[0].happened_at == "2019-07-12T14:55:32Z"
    assert found[1].happened_at == "2023-11-14T22:13:20Z"
    assert found[2].happened_at is None


def test_all_chats_of_telegram_are_in_one_file(tmp_path):
    chats = {"about": "…", "chats": {"list": [telegram(tg(1, "a")), telegram(tg(1, "b"), id=78, name="Shed")]}}
    chats["left_chats"] = {"list": [telegram(tg(1, "c"), id=79, name=None, type="saved_messages")]}
    file = as_json(tmp_path / "result.json", chats)
    assert detect(file) == "telegram"
    assert [(one.title, one.text) for one in drafts(file)] == [("Garden", "a"), ("Shed", "b"), ("Saved Messages", "c")]


def test_a_later_export_of_telegram_adds_what_is_new_and_changes_what_was_edited(tmp_path):
    with MemoryDatabase(embed="none") as db:
        db.ingest(as_json(tmp_path / "1" / "result.json", telegram(tg(1, "a"), tg(2, "b"))))
        report = db.ingest(as_json(tmp_path / "2" / "result.json", telegram(tg(2, "b, mended"), tg(3, "c"))))
        assert (report.added, report.updated, report.removed) == (1, 1, 0)


def test_what_was_cut_out_of_an_export_is_read(tmp_path):
    words = {"type": "message", "date_unixtime": "1544006350", "from": "Rosa", "text": "hi"}
    for name, value in (("a", {"messages": [words]}), ("b", {"chats": {"list": [{"name": "x", "messages": [words]}]}})):
        file = as_json(tmp_path / f"{name}.json", value)
        assert detect(file) == "telegram"
        assert said(file) == [("Rosa", "hi")]
    file = as_json(tmp_path / "c.json", {"messages": [fb(1, "hi")]})
    assert detect(file) == "facebook"
    with pytest.raises(BadSource):
        detect(as_json(tmp_path / "d.json", {"messages": [{"role": "user", "content": "of some program"}]}))


# ------------------------------------------------------------------------------------------------------- Slack

TS = "1458210967.000004"


def slack(messages: list[dict[str, Any]], **files: Any) -> dict[str, str]:
    users = [{"id": "U1", "name": "rosa", "real_name": "Rosa Lind"}, {"id": "U2", "name": "ben", "profile": {}}]
    channels = [{"id": "C1", "name": "garden", "members": ["U1"], "topic": {"value": "trees"}}]
    found = {"users.json": users, "channels.json": channels, "garden/2016-03-17.json": messages, **files}
    return {name: json.dumps(value) for name, value in found.items()}


def slack_said(text: str = "hi", **other: Any) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": text, "ts": TS, **other}


def test_slack_is_read_from_its_zip_and_from_its_folder(tmp_path):
    files = slack([slack_said()])
    for source in (zipped(tmp_path / "a.zip", files), unpacked(tmp_path / "export", files)):
        assert detect(source) == "slack"
        (one,) = drafts(source)
        assert (one.speaker, one.text, one.title, one.source_id) == ("Rosa Lind", "hi", "garden", TS)
        assert (one.happened_at, one.document.source) == ("2016-03-17T10:36:07Z", "slack:C1")
        assert one.document.meta == {"topic": "trees"}
    inner = zipped(tmp_path / "b.zip", {f"Our Slack/{name}": text for name, text in files.items()})
    assert detect(inner) == "slack"
    assert said(inner) == [("Rosa Lind", "hi")]
    assert again(tmp_path / "a.zip", tmp_path / "export") == [0, 0]


def test_a_day_of_slack_alone_belongs_to_its_export(tmp_path):
    root = unpacked(tmp_path / "export", slack([slack_said()]))
    day = root / "garden" / "2016-03-17.json"
    assert detect(day) == "slack"
    (whole,) = drafts(root)
    (alone,) = drafts(day)
    assert (alone.speaker, alone.document.source, alone.source_id) == ("Rosa Lind", "slack:C1", whole.source_id)
    for name in ("users.json", "channels.json"):
        (root / name).unlink()
    (alone,) = drafts(day)
    assert (alone.speaker, alone.title, alone.happened_at) == ("U1", "garden", whole.happened_at)
    assert detect(as_json(tmp_path / "notes" / "2016-03-17.json", [{"text": "hi"}])) == "json"


def test_a_folder_that_holds_an_export_of_slack_among_notes(tmp_path):
    unpacked(tmp_path / "export", slack([slack_said()]))
    written(tmp_path / "note.md", "A note")
    assert sorted(one.text for one in drafts(tmp_path)) == ["A note", "hi"]


def test_slack_marks_are_read_as_people_see_them(tmp_path):
    text = (
        "<@U2> and <@U3|mia>: <#C1|garden>, <!here>, <https://a.org/p|the plan>, <https://b.org>, x &lt; y &amp;&amp; z"
    )
    assert said(zipped(tmp_path / "a.zip", slack([slack_said(text)]))) == [
        ("Rosa Lind", "@ben and @mia: #garden, @here, [the plan](https://a.org/p), https://b.org, x < y && z")
    ]


def test_slack_threads_bots_files_and_system_lines(tmp_path):
    messages = [
        slack_said("Who has the key?", thread_ts=TS),
        slack_said("Me", ts="1458210968.000000", thread_ts=TS, user="U2", subtype="thread_broadcast"),
        slack_said("Me", ts="1458210968.000000", thread_ts=TS, user="U2", subtype="thread_broadcast"),
        slack_said("<@U1> has joined the channel", ts="1458210969.0", subtype="channel_join"),
        slack_said("", ts="1458210970.0", user=None, username="ci", subtype="bot_message", attachments=[
            {"pretext": "Build", "text": "failed", "fallback": "Build", "fields": [{"title": "on", "value": "main"}]}]),
        slack_said("", ts="1458210971.0", subtype="bot_message", user=None, attachments=[{"fallback": "only this"}]),
        slack_said("", ts="1458210972.0", files=[{"name": "plan.pdf"}]),
        slack_said("", ts="1458210973.0", blocks=[{"type": "rich_text", "elements": [
            {"type": "rich_text_section", "elements": [{"text": "in "}, {"type": "text", "text": "blocks"}]}]}]),
        slack_said("https://a.org", ts="1458210974.0", attachments=[{"from_url": "https://a.org", "text": "a page"}]),
    ]  # fmt: skip
    export = zipped(tmp_path / "a.zip", slack(messages))
    assert said(export) == [
        ("Rosa Lind", "Who has the key?"),
        ("ben", "Me"),
        ("ci", "Build\nfailed\non: main"),
        ("bot", "only this"),
        ("Rosa Lind", "plan.pdf"),
        ("Rosa Lind", "in blocks"),
        ("Rosa Lind", "https://a.org"),
    ]
    assert [one.meta for one in drafts(export)][:3] == [{"thread": TS}, {"thread": TS, "reply_to": TS}, {}]
    assert ("system", "@Rosa Lind has joined the channel") in said(export, ReadOptions(include_system=True))


def test_a_bot_of_slack_is_called_as_it_was_added(tmp_path):
    added = "added an integration to this channel: <https://x.slack.com/services/B0X|github &amp; co>"
    messages = [
        slack_said("one", user=None, bot_id="B0X", subtype="bot_message"),
        slack_said(added, ts="1458210968.0", subtype="bot_add"),
        slack_said("two", ts="1458210969.0", user=None, bot_id="B0X", subtype="bot_message"),
        slack_said("three", ts="1458210970.0", user=None, bot_id="B0Y", subtype="bot_message"),
    ]
    assert said(zipped(tmp_path / "a.zip", slack(messages))) == [
        ("B0X", "one"), ("github & co", "two"), ("B0Y", "three"),
    ]  # fmt: skip


def test_slack_direct_messages_are_named_by_who_takes_part(tmp_path):
    dms = [{"id": "D1", "members": ["U1", "U2"]}]
    export = zipped(tmp_path / "a.zip", slack([], **{"dms.json": dms, "D1/2016-03-17.json": [slack_said()]}))
    assert [(one.title, one.document.source) for one in drafts(export)] == [("Rosa Lind, ben", "slack:D1")]


def test_a_broken_day_of_slack_fails_alone(tmp_path):
    files = slack([slack_said()]) | {"garden/2016-03-16.json": "[{", "users.json": "nothing"}
    found = list(read(zipped(tmp_path / "a.zip", files), format="slack"))
    assert [one.source.rsplit("/", 1)[-1] for one in found if isinstance(one, Failure)] == [
        "users.json",
        "2016-03-16.json",
    ]
    assert [(one.speaker, one.text) for one in found if isinstance(one, Draft)] == [("U1", "hi")]


# ------------------------------------------------------------------------------------------------------- Discord


def discord(*messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "guild": {"id": "5", "name": "Allotment"},
        "channel": {"id": "6", "type": "GuildTextChat", "category": "Chat", "name": "garden", "topic": None},
        "messages": list(messages),
        "messageCount": len(messages),
    }


def dc(id: str, content: str, **other: Any) -> dict[str, Any]:
    author = {"id": "1", "name": "rosa1", "nickname": "Rosa", "isBot": False}
    given = {"id": id, "type": "Default", "timestamp": "2019-01-04T17:52:39.762+01:00", "author": author}
    return {**given, "content": content, **other}


def test_discord_messages_and_what_belongs_to_them(tmp_path):
    bot = {"id": "2", "name": "helper", "isBot": True}
    messages = [
        dc("1", "Who has the key?", timestampEdited="2019-01-05T00:00:00+00:00"),
        dc("2", "Me", type="Reply", reference={"messageId": "1"}, author={"id": "3", "name": "ben"}),
        dc("3", "Started a call that lasted 251 minutes.", type="Call"),
        dc("4", "", attachments=[{"fileName": "plan.pdf"}], stickers=[{"name": "Laugh"}]),
        dc(
            "5",
            "",
            author=bot,
            embeds=[{"title": "Rain", "description": "at noon", "fields": [{"name": "mm", "value": "3"}]}],
        ),
        dc("6", "https://a.org", embeds=[{"url": "https://a.org", "title": "a page"}]),
    ]
    file = as_json(tmp_path / "Allotment - garden.json", discord(*messages))
    assert detect(file) == "discord"
    found = drafts(file)
    assert [(one.speaker, one.text) for one in found] == [
        ("Rosa", "Who has the key?"),
        ("ben", "Me"),
        ("Rosa", "plan.pdf, sticker Laugh"),
        ("helper", "Rain\nat noon\nmm: 3"),
        ("Rosa", "https://a.org"),
    ]
    assert (found[0].happened_at, found[0].meta["edited"]) == ("2019-01-04T16:52:39Z", "2019-01-05T00:00:00Z")
    assert (found[1].meta["reply_to"], found[3].meta["bot"]) == ("1", True)
    assert (found[0].title, found[0].document.source) == ("Allotment / garden", "discord:6")
    assert again(file) == [0]


def test_discord_messages_of_one_id_are_all_kept_and_stay_the_same(tmp_path):
    file = as_json(tmp_path / "a.json", discord(dc("1", "a"), dc("1", "b"), dc("1", "b")))
    assert [one.text for one in drafts(file)] == ["a", "b", "b"]
    assert again(file) == [0]


# ------------------------------------------------------------------------------------------------------- Facebook


def facebook(*messages: dict[str, Any], **other: Any) -> dict[str, Any]:
    people = [{"name": "Rosa"}, {"name": "Zoë"}]
    return {"participants": people, "messages": list(messages), "title": "Zoë", "thread_path": "inbox/zoe_1", **other}


def fb(at: int, content: str | None, name: str = "Zoë", **other: Any) -> dict[str, Any]:
    return {"sender_name": name, "timestamp_ms": 1415147000000 + at, "content": content, **other}


def escaped(value: Any) -> Any:
    """As Facebook writes it: the bytes of UTF-8 as if each were a character."""
    if isinstance(value, dict):
        return {key: escaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [escaped(item) for item in value]
    return value.encode().decode("latin-1") if isinstance(value, str) else value


def test_facebook_texts_are_mended_and_the_oldest_comes_first(tmp_path):
    value = facebook(fb(2, "Schöne Blüten ❤️"), fb(1, "plain", "Rosa"))
    for name, one in (("a", escaped(value)), ("b", value)):
        file = as_json(tmp_path / name / "message_1.json", one)
        assert detect(file) == "facebook"
        assert said(file) == [("Rosa", "plain"), ("Zoë", "Schöne Blüten ❤️")]
        assert {(one.title, one.document.source) for one in drafts(file)} == {("Zoë", "facebook:inbox/zoe_1")}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_that_facebook_escapes_is_mended(text):
    assert mended(escaped({"a": [text]})) == {"a": [text]}


def test_facebook_attachments_and_what_nobody_typed(tmp_path):
    messages = [
        fb(1, None, files=[{"uri": "messages/inbox/zoe_1/files/plan.docx"}]),
        fb(2, None, sticker={"uri": "messages/stickers_used/1.png"}),
        fb(3, "Look", share={"link": "https://a.org", "share_text": "a page"}),
        fb(4, "Zoë sent an attachment.", share={"link": "https://b.org"}),
        fb(5, "Reacted ❤️ to your message "),
        fb(6, "gone", is_unsent=True),
        fb(7, "Rosa missed your call.", call_duration=0),
        fb(8, "Rosa joined the call.", type="Call"),
        fb(9, "Reacted badly to the frost"),
    ]
    assert said(as_json(tmp_path / "message_1.json", facebook(*messages))) == [
        ("Zoë", "plan.docx"),
        ("Zoë", "sticker"),
        ("Zoë", "Look\na page\nhttps://a.org"),
        ("Zoë", "https://b.org"),
        ("Zoë", "Reacted badly to the frost"),
    ]


def test_a_reaction_is_no_message_in_any_language(tmp_path):
    def reaction(what: str, at: int | None = None, who: str = "Zoë") -> dict[str, Any]:
        return {"reaction": what, "actor": who, **({"timestamp": at} if at else {})}

    second, photo = 1415147000, [{"uri": "a/one.jpg"}]
    messages = [
        fb(0, None, "Rosa", photos=photo, reactions=[reaction("😂"), reaction("❤"), reaction("👍", second + 4)]),
        fb(1, "Two", "Rosa", reactions=[reaction("👍", second + 5), reaction("👍", second + 6)]),
        *(fb(n, f"Auf deine Nachricht mit {heart} reagiert ") for n, heart in ((10, "😂"), (11, "❤️"), (12, "❤️"))),
        fb(20, "Auf deine Nachricht mit 🤷 reagiert"),  # and withdrew it later
        *(fb(1000 * n, "Gefällt eine Nachricht") for n in (4, 5, 6, 9)),
        fb(7000, "Good 😂 one"),  # not often enough
        *(fb(8000 + n, "Good morning 😂") for n in range(4)),
        *(fb(9000 + n, "I ❤️ quinces", "Rosa") for n in range(4)),  # who never reacted
    ]
    found = said(as_json(tmp_path / "message_1.json", escaped(facebook(*messages))))
    assert found == [
        ("Rosa", "one.jpg"),
        ("Rosa", "Two"),
        ("Zoë", "Good 😂 one"),
        *[("Zoë", "Good morning 😂")] * 4,
        *[("Rosa", "I ❤️ quinces")] * 4,
    ]


def message_page(*messages: tuple[str, str, str], title: str = "Zo&#xeb;") -> str:
    """A page of a chat as Facebook writes it, the newest message first."""
    told = [
        f'<div class="pam _3-95 _2ph- _a6-g uiBoxWhite noborder"><div class="_3-95 _2pim _a6-h _a6-i">{who}</div>'
        f'<div class="_3-95 _a6-p"><div><div></div>{body}</div></div><div class="_3-94 _a6-o">{at}</div></div>'
        for who, body, at in messages
    ]
    return f"<html><head><title>{title}</title></head><body>{''.join(told)}</body></html>"


def words(text: str) -> str:
    return f"<div>{text}</div><div></div><div></div>"


PAGE = (
    ("Zo&#xeb;", words("Nag-react ng 😆 sa iyong message"), "Apr 18, 2024, 6:30 AM"),
    ("Zo&#xeb;", words("Nag-react ng 😆 sa iyong message"), "Apr 18, 2024, 6:29 AM"),
    ("Zo&#xeb;", words("Nag-react ng 😆 sa iyong message"), "Apr 18, 2024, 6:28 AM"),
    ("Rosa", words("") + "<div><video src=\"a/pip.mp4\"><a><div>Click for video:</div></a></video></div>",
     "Apr 18, 2024 6:27 am"),
    ("Rosa", words('<a href="https://a.org/x">https://a.org/x</a>').replace("<div></div>", "<div><div>A page</div><div>"
     '<a href="https://a.org/x">https://a.org/x</a></div></div>', 1), "18 avr. 2024, 06:26"),
    ("Rosa", words('<div style="color:gray;font-style:italic;">It was unsent</div>'), "Apr 18, 2024, 6:25 AM"),
    ("Rosa", words("Zo&#xeb; missed a video chat") + "<div><span>4 minutes</span></div>", "Apr 18, 2024, 6:24 AM"),
    ("Rosa", words("It&#039;s late,<br />and blooms") + '<div><ul class="_a6-q"><li>😆Zo&#xeb;</li></ul></div>',
     "Apr 18, 2024, 6:23\u202fAM"),
)  # fmt: skip


def test_pages_of_facebook_are_messages(tmp_path):
    folder = tmp_path / "your_instagram_activity/messages/inbox/zoe_12"
    file = written(folder / "message_1.html", message_page(*PAGE))
    archive = zipped(tmp_path / "instagram.zip", {"messages/inbox/zoe_12/message_1.html": message_page(*PAGE)})
    for path in (file, archive):
        assert detect(path) == "facebook-html"
        found = drafts(path)
        assert [(one.speaker, one.text) for one in found] == [
            ("Rosa", "It's late,\nand blooms"),
            ("Rosa", "https://a.org/x\nA page"),
            ("Rosa", "pip.mp4"),
        ]
        assert [one.happened_at for one in found] == [f"2024-04-18T06:{n}:00Z" for n in (23, 26, 27)]
        assert {(one.document.source, one.title) for one in found} == {("facebook:inbox/zoe_12", "Zoë")}
    assert again(file, archive) == [0, 0]


FACEBOOK_POSTS = [
    {"timestamp": 1373062251, "title": "Zoë shared.", "data": [{"post": "Look at this"}, {"update_timestamp": 1}],
     "attachments": [{"data": [{"external_context": {"name": "A page", "url": "https://a.org/x"}},
                               {"place": {"name": "Lund"}}]}]},
    {"timestamp": 1373062252, "title": "Zoë updated her status.", "data": [{"post": "Schöne Blüten https://a.org"}],
     "attachments": [{"data": [{"external_context": {"url": "https://a.org"}}]}]},
    {"timestamp": 1373062253, "title": "Zoë added a photo.", "data": [],
     "attachments": [{"data": [{"media": {"uri": "photos/1.jpg", "description": "The quince"}}]}]},
    {"timestamp": 1373062254, "title": "Zoë added a photo.", "data": [],
     "attachments": [{"data": [{"media": {"uri": "photos/2.jpg"}}]}]},
]  # fmt: skip
INSTAGRAM_POSTS = [
    {"media": [{"uri": "media/posts/1.jpg", "creation_timestamp": 1423715998, "title": "In bloom 🌸"}]},
    {"media": [{"uri": "media/posts/2.jpg", "creation_timestamp": 1423715999, "title": ""},
               {"uri": "media/posts/3.jpg", "creation_timestamp": 1423715999, "title": ""}],
     "title": "Two of them", "creation_timestamp": 1423716000},
]  # fmt: skip


def test_posts_on_threads_and_reels_are_held_in_an_object(tmp_path):
    said = {
        "uri": "",
        "creation_timestamp": 1776526631,
        "title": "M\u00c3\u00a4rz",
        "text_app_post": {"is_reply": False},
    }
    wordless = {"uri": "a.webp", "creation_timestamp": 1776417076, "title": "", "text_app_post": {"is_reply": False}}
    threads = tmp_path / "threads_and_replies.json"
    threads.write_text(json.dumps({"text_post_app_text_posts": [{"media": [said]}, {"media": [wordless]}]}))
    reel = {"uri": "reels/1.mp4", "creation_timestamp": 1776000000, "title": "The bed"}
    reels = tmp_path / "reels.json"
    reels.write_text(json.dumps({"ig_reels_media": [{"media": [reel]}]}))
    for path, told in ((threads, ("Posts on Threads", "März")), (reels, ("Posts on Instagram", "The bed"))):
        assert detect(path) == "facebook"
        assert [(one.speaker, one.title, one.text) for one in drafts(path)] == [("user", *told)]
    with zipfile.ZipFile(tmp_path / "meta.zip", "w") as archive:
        archive.write(threads, "your_instagram_activity/threads/threads_and_replies.json")
        archive.write(reels, "your_instagram_activity/media/reels.json")
    assert {one.title for one in drafts(tmp_path / "meta.zip")} == {"Posts on Threads", "Posts on Instagram"}


def test_posts_of_facebook_and_instagram_are_the_words_of_the_user(tmp_path):
    skipped: Counter[str] = Counter()
    file = as_json(tmp_path / "your_posts_1.json", escaped(FACEBOOK_POSTS))
    other = as_json(tmp_path / "posts_1.json", escaped(INSTAGRAM_POSTS))
    names = {"posts/your_posts_1.json": FACEBOOK_POSTS, "messages/inbox/zoe_1/message_1.json": facebook(fb(1, "hi"))}
    archive = zipped(tmp_path / "facebook.zip", {name: json.dumps(escaped(one)) for name, one in names.items()})
    posted = ["Look at this\n\n[A page](https://a.org/x)\n\nAt Lund", "Schöne Blüten https://a.org", "The quince"]
    assert [detect(path) for path in (file, other, archive)] == ["facebook"] * 3
    assert said(file) == [("user", text) for text in posted]
    list(read_facebook(file, ReadOptions(timezone="UTC", skipped=skipped), file.name))
    assert skipped == {"posts without words": 1}
    assert said(other) == [("user", "In bloom 🌸"), ("user", "Two of them")]
    assert said(archive) == [("Zoë", "hi"), *(("user", text) for text in posted)]
    assert [one.happened_at for one in drafts(other)] == ["2015-02-12T04:39:58Z", "2015-02-12T04:40:00Z"]
    assert drafts(other)[1].meta == {"attachment": "2.jpg, 3.jpg"}
    assert {one.document.source for one in drafts(other)} == {"instagram:posts"}
    assert again(file, other, archive) == [0, 0, 0]


FACEBOOK_COMMENTS = {
    "comments_v2": [
        {
            "timestamp": 1700000000,
            "data": [{"comment": {"timestamp": 1700000000, "comment": "Schön, Zoë", "author": "Me"}}],
            "title": "Me commented on Zoë's photo.",
        },
        {"timestamp": 1700000001, "attachments": [{"data": [{"media": {"uri": "a.gif"}}]}], "title": "Me commented."},
    ]
}
INSTAGRAM_COMMENT = {
    "media_list_data": [{"uri": ""}],
    "string_map_data": {
        "Kommentar": {"value": "Größer!"},
        "Medieninhaber": {"value": "zoe"},
        "Zeit": {"timestamp": 1700000002},
    },
}


def test_comments_of_facebook_and_instagram_are_what_the_user_said(tmp_path):
    files = {
        "comments_and_reactions/comments.json": json.dumps(escaped(FACEBOOK_COMMENTS)),
        "your_instagram_activity/comments/post_comments_1.json": json.dumps(escaped([INSTAGRAM_COMMENT])),
        "your_instagram_activity/comments/reels_comments.json": json.dumps(
            escaped({"comments_reels_comments": [INSTAGRAM_COMMENT | {"string_map_data": {"C": {"value": "Reel"}}}]})
        ),
        "old/comments.json": json.dumps({"media_comments": [["2019-01-01T00:00:00+00:00", "Old", "zoe"], ["x"]]}),
        "logins/login_activity.json": json.dumps([INSTAGRAM_COMMENT]),
    }
    download = zipped(tmp_path / "download.zip", files)
    folder = unpacked(tmp_path / "folder", files)
    told = {
        ("Comments on Facebook", "user", "Schön, Zoë", "2023-11-14T22:13:20Z", "Me commented on Zoë's photo."),
        ("Comments on Instagram", "user", "Größer!", "2023-11-14T22:13:22Z", "zoe"),
        ("Comments on Instagram", "user", "Reel", None, None),
        ("Comments on Instagram", "user", "Old", "2019-01-01T00:00:00Z", "zoe"),
    }
    for place in (download, folder):
        found = drafts(place)
        assert {(one.title, one.speaker, one.text, one.happened_at, one.meta.get("below")) for one in found} == told
    assert again(download, folder) == [0, 0]


def test_comments_of_another_program_are_none_of_facebook(tmp_path):
    with pytest.raises(BadSource):
        detect(as_json(tmp_path / "comments.json", {"comments": [{"id": 1, "body": "x"}]}))


def test_other_pages_of_that_name_are_documents(tmp_path):
    path = written(tmp_path / "message_1.html", "<html><body><p>A message in the garden.</p></body></html>")
    assert detect(path) == "html"


def test_a_move_in_a_game_is_told_by_the_program(tmp_path):
    messages = [fb(1, "Words With Friends: your move!", type="Share"), fb(2, "Look", type="Share", share={"link": "a"})]
    assert said(as_json(tmp_path / "message_1.json", facebook(*messages))) == [("Zoë", "Look\na")]


def test_the_newer_export_of_messenger_has_other_keys(tmp_path):
    message = {"isUnsent": False, "media": [], "reactions": [], "senderName": "Rosa", "text": "hi", "type": "text"}
    value = {
        "participants": ["Rosa", "Ben"],
        "threadName": "Ben_12",
        "messages": [{**message, "timestamp": 1700000000000}],
    }
    file = as_json(tmp_path / "Ben_12.json", value)
    assert detect(file) == "facebook"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(file)] == [
        ("Rosa", "hi", "2023-11-14T22:13:20Z")
    ]


@pytest.mark.parametrize("name", ["message_1.json", "result.json"])
def test_a_zip_in_a_zip_under_the_name_of_a_chat_is_none(tmp_path, name):
    inner = zipped(tmp_path / "inner.zip", {name: "{}"})
    outer = zipped(tmp_path / "outer.zip", {name: inner.read_bytes()})
    assert (detect(outer), drafts(outer)) == ("zip", [])


def test_the_parts_of_a_chat_of_facebook_are_one_chat_also_in_a_zip(tmp_path):
    files = {
        "messages/inbox/zoe_1/message_1.json": json.dumps(facebook(fb(5, "new"))),
        "messages/inbox/zoe_1/message_2.json": json.dumps(facebook(fb(1, "old"), fb(1, "old"))),
    }
    download = zipped(tmp_path / "facebook.zip", files)
    assert detect(download) == "facebook"
    assert sorted(one.text for one in drafts(download)) == ["new", "old", "old"]
    assert again(download, unpacked(tmp_path / "folder", files)) == [0, 0]


# ------------------------------------------------------------------------------------------------------- Signal


def test_signal_chats_of_both_layouts(tmp_path):
    old = written(tmp_path / "old.txt", "[2019-12-24, 12:23] Jane Doe: Hello", "[2020-01-17, 21:49] Me: Hello", "Jane!")
    new = written(tmp_path / "Rosa" / "chat.md", "[2019-12-24 12:23:05] Rosa: Hello", "")
    assert [detect(one) for one in (old, new)] == ["signal", "signal"]
    assert said(old) == [("Jane Doe", "Hello"), ("Me", "Hello\nJane!")]
    (one,) = drafts(new, ReadOptions(timezone="Europe/Paris"))
    assert (one.title, one.document.source, one.happened_at) == ("Rosa", "signal:Rosa", "2019-12-24T11:23:05Z")
    assert again(old, new) == [0, 0]


def test_signal_quotes_reactions_attachments_and_deletions(tmp_path):
    chat = written(
        tmp_path / "Rosa" / "chat.md",
        "[2019-12-24 12:23:05] Rosa: \n\n> Who has the key?\n> And the spade?\n\nMe\n(- Me: 👍, Ben: 🌱 -)\n",
        "[2019-12-24 12:23:06] Me: (This message was deleted)\n",
        "[2019-12-24 12:23:07] Me: ![IMG 1.jpg](./media/IMG_1.jpg)  \n",
        "[2019-12-24 12:23:08] Me: The plan[plan.pdf](./media/plan.pdf)  \n",
        "[2019-12-24 12:23:09] Me: see [this](https://a.org)\n",
    )
    assert [(one.text, one.meta) for one in drafts(chat)] == [
        ("Me", {"quote": "Who has the key? And the spade?"}),
        ("IMG 1.jpg", {"attachment": "IMG 1.jpg"}),
        ("The plan\n\n[plan.pdf]", {"attachment": "plan.pdf"}),
        ("see [this](https://a.org)", {}),
    ]


def test_a_note_that_begins_with_a_date_is_no_chat_of_signal(tmp_path):
    note = written(tmp_path / "note.md", "[2019-12-24 12:23:05] Planted the quince.", "", "It blooms.")
    assert detect(note) == "markdown"


# ------------------------------------------------------------------------------------------------------- iMessage


def typedstream(text: str) -> bytes:
    """A text as Messages stores it since macOS 11."""
    data = text.encode()
    size = len(data)
    length = bytes([size]) if size < 128 else b"\x81" + size.to_bytes(2, "little")
    if size >= 1 << 15:
        length = b"\x82" + size.to_bytes(4, "little")
    start = (
        b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00\x85"
    )
    return start + b"\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+" + length + data + b"\x86\x84\x02iI\x01"


def chat_db(path: Path, *rows: dict[str, Any], chats: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as conn:
        conn.executescript("""
            create table handle (rowid integer primary key, id text);
            create table message (
                guid text, text text, subject text, attributedBody blob, handle_id integer, date integer,
                is_from_me integer, item_type integer, group_action_type integer, associated_message_type integer,
                thread_originator_guid text, date_edited integer, cache_has_attachments integer);
            create table chat_message_join (chat_id integer, message_id integer);
            create table attachment (transfer_name text);
            create table message_attachment_join (message_id integer, attachment_id integer);
            insert into handle values (1, '+441234');
            insert into attachment values ('IMG_1.heic');
            insert into message_attachment_join values (1, 1);
        """)
        if chats:
            conn.executescript("""
                create table chat (guid text, display_name text, chat_identifier text);
                insert into chat values ('iMessage;-;+441234', '', '+441234'), ('iMessage;+;chat2', 'Garden', 'chat2');
            """)
        for number, row in enumerate(rows, 1):
            given = {"guid": f"g{number}", "handle_id": 1, "date": 720845450393148160 + number * 10**9, **row}
            chat = given.pop("chat", 1)
            names, marks = ", ".join(given), ", ".join("?" * len(given))
            conn.execute(f"insert into message ({names}) values ({marks})", list(given.values()))
            if chat:
                conn.execute("insert into chat_message_join values (?, ?)", (chat, number))
    conn.close()
    return path


def test_imessage_texts_stand_in_one_of_two_columns(tmp_path):
    long, longer = "ä" * 100, "quince " * 6_000
    rows = [{"text": "old"}, {"attributedBody": typedstream("new")}, {"attributedBody": typedstream(long)}]
    db = chat_db(
        tmp_path / "chat.db", *rows, {"attributedBody": typedstream(longer)}, {"attributedBody": b"\x04NSString"}
    )
    assert detect(db) == "imessage"
    texts = [one.text for one in drafts(db)]
    assert texts[:3] == ["old", "new", long]
    assert texts[3].startswith("quince quince")
    assert typed(typedstream(longer)) == longer
    assert drafts(db)[0].happened_at == "2023-11-05T02:50:51Z"
    assert again(db) == [0]


def test_in_a_conversation_of_two_whoever_is_not_me_is_the_other(tmp_path):
    # After an update of macOS, messages may point to a handle that is gone.
    rows = [
        {"text": "It blooms", "handle_id": 67},
        {"text": "Nice", "is_from_me": 1},
        {"text": "?", "handle_id": 67, "chat": 2},
    ]
    path = chat_db(tmp_path / "chat.db", *rows)
    with sqlite3.connect(path) as conn:
        conn.executescript("""
            create table chat_handle_join (chat_id integer, handle_id integer);
            insert into chat_handle_join values (1, 1), (2, 1), (2, 2);
        """)
    conn.close()
    assert [(one.speaker, one.text) for one in drafts(path)] == [
        ("+441234", "It blooms"),
        ("me", "Nice"),
        ("unknown", "?"),
    ]


def test_imessage_conversations_speakers_replies_and_what_is_left_out(tmp_path):
    rows = [
        {"text": "\ufffc", "cache_has_attachments": 1},
        {"text": "Me", "is_from_me": 1, "thread_originator_guid": "g1", "date_edited": 5},
        {"text": "Loved “Me”", "associated_message_type": 2000},
        {"text": "Removed a like", "associated_message_type": 3001},
        {"text": None, "item_type": 1},
        {"text": "In the shed", "subject": "Key", "chat": 2, "date": 720845450},
        {"text": "lost", "chat": None, "handle_id": 0, "date": 0},
    ]
    found = drafts(chat_db(tmp_path / "chat.db", *rows))
    assert [(one.title, one.speaker, one.text, one.meta) for one in found] == [
        (None, "unknown", "lost", {}),
        ("+441234", "+441234", "IMG_1.heic", {"attachment": "IMG_1.heic"}),
        ("+441234", "me", "Me", {"reply_to": "g1", "edited": "2001-01-01T00:00:05Z"}),
        ("Garden", "+441234", "Key\nIn the shed", {}),
    ]
    assert [one.happened_at for one in found][::3] == [None, "2023-11-05T02:50:50Z"]
    assert found[3].document.source == "imessage:iMessage;+;chat2"


EXPORTED = """May 17, 2022  5:29:40 PM Rosa renamed the conversation to Garden

May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)
Rosa
Does the quince bloom?
It should by now.

And the pear?
Reactions:
Loved by Me
Laughed by Otto Lind

    May 17, 2022  5:31:00 PM
    Me
    Yes.
Since Monday.

It is early.

May 17, 2022  5:30:00 PM
Rosa
I was there.

May 17, 2022  5:31:00 PM
Me
Yes.
Since Monday.
This message responded to an earlier message.

May 17, 2022  5:32:00 PM
Me
May 17, 2022  5:32:00 PM The pear to
Edited 9 seconds later: The pear too.
Sent with Invisible Ink

May 17, 2022  5:33:00 PM
Me
attachments/12/IMG_1.jpeg

Feb 31, 2022  5:34:00 PM
Rosa
No day of the calendar

May 17, 2022  5:34:00 PM
Rosa
Rosa unsent a message!

"""


def test_an_export_of_imessages_as_text(tmp_path):
    file = written(tmp_path / "Garden.txt", *EXPORTED.split("\n"))
    assert detect(file) == "imessage-export"
    found = drafts(file)
    assert [(one.speaker, one.text, (one.happened_at or "")[11:16]) for one in found] == [
        ("Rosa", "No day of the calendar", ""),
        ("Rosa", "Does the quince bloom?\nIt should by now.\n\nAnd the pear?\n\nIt is early.", "17:29"),
        ("Rosa", "I was there.", "17:30"),
        ("Me", "Yes.\nSince Monday.", "17:31"),
        ("Me", "The pear too.", "17:32"),
        ("Me", "IMG_1.jpeg", "17:33"),
    ]
    assert {one.title for one in found} == {"Garden"}
    assert [one.meta for one in found[3:]] == [
        {"reply_to": found[1].source_id},
        {"edited": True},
        {"attachment": "IMG_1.jpeg"},
    ]
    told = drafts(file, ReadOptions(timezone="UTC", include_system=True))
    assert ("system", "Rosa renamed the conversation to Garden") in [(one.speaker, one.text) for one in told]
    assert again(file) == [0]


def test_an_export_of_imessages_as_html_has_the_same_messages(tmp_path):
    def box(time: str, who: str, inner: str) -> str:
        return (
            f'<div class="message">\n<div class="received">\n<p><span class="timestamp">{time}</span>\n'
            f'<span class="sender">{who}</span></p>\n<hr>{inner}</div></div>\n'
        )

    def bubble(text: str) -> str:
        return f'<div class="message_part"><span class="bubble">{text}</span></div>'

    reaction = (
        '<div class="reactions"><p>Reactions:</p><div class="reaction"><span><b>Loved</b> by Me</span></div></div>'
    )
    reply = box("May 17, 2022  5:31:00 PM", "Me", bubble("Yes.\nSince <b>Monday</b> &amp; on."))
    edited = '<div class="message_part"><div class="edited"><table><tr><td>5:32</td><td>The pear to</td></tr>'
    edited += (
        '<tfoot><tr><td><span class="timestamp">Edited later</span></td><td>The pear too.</td></tr></tfoot></table>'
    )
    page = (
        '<html><meta charset="UTF-8">\n<div class="announcement"><p><span class="timestamp">May 17, 2022  5:29:40 PM'
        "</span> Rosa renamed the conversation to <b>Garden</b></p></div>"
        + box(
            "May 17, 2022  5:29:42 PM (Read by you after 5 seconds)",
            "Rosa",
            f'{bubble("Does it bloom?")}{reaction}<div class="replies"><div class="reply">{reply}</div></div>'
            + bubble("It is early."),
        )
        + box("May 17, 2022  5:30:00 PM", "Rosa", '<div class="message_part"><img src="attachments/b.jpeg"></div>')
        + box("May 17, 2022  5:32:00 PM", "Me", f"{edited}</div></div>")
        + box("May 17, 2022  5:31:00 PM", "Me", bubble("Yes.\nSince <b>Monday</b> &amp; on."))
    )
    file = written(tmp_path / "Garden.html", page)
    assert detect(file) == "imessage-export"
    found = drafts(file)
    assert [(one.speaker, one.text) for one in found] == [
        ("Rosa", "Does it bloom?\nIt is early."),
        ("Rosa", "b.jpeg"),
        ("Me", "Yes.\nSince Monday & on."),
        ("Me", "The pear too."),
    ]
    assert found[2].meta == {"reply_to": found[0].source_id}
    told = drafts(file, ReadOptions(timezone="UTC", include_system=True))
    assert (told[0].speaker, told[0].text) == ("system", "Rosa renamed the conversation to Garden")
    assert again(file) == [0]


@given(st.lists(st.sampled_from([*EXPORTED.split("\n"), "    ", "Reactions:"]), max_size=40))
def test_any_lines_of_an_export_of_imessages_can_be_read(lines):
    from memkit.sources.messengers.imessage_export import _of_text

    assert all(one.at and one.speaker for one in _of_text("\n".join(lines)))


def test_imessage_without_its_table_of_chats(tmp_path):
    (one,) = drafts(chat_db(tmp_path / "copy.db", {"text": "hi"}, chats=False))
    assert (one.title, one.document.source) == (None, f"{tmp_path.as_posix()}/copy.db#1")


@given(st.binary(max_size=40))
def test_any_bytes_are_a_text_or_none(data):
    assert isinstance(typed(b"NSString\x01\x94\x84\x01+" + data), str)
    assert isinstance(typed(data), str)


# ------------------------------------------------------------------------------------------------------- HTML


def telegram_page(*messages: str) -> str:
    head = '<html><body><div class="page_header"><div class="text bold">\nGarden &amp; Shed\n</div></div>'
    return head + "".join(messages) + "</body></html>"


def in_html(id: int, text: str, who: str = "", time: str = "13.06.2018 21:25:15 UTC+02:00", more: str = "") -> str:
    joined, name = ("", f'<div class="from_name">\n{who}\n</div>') if who else (" joined", "")
    date = f'<div class="pull_right date details" title="{time}">21:25</div>'
    words = f'<div class="text">\n{text}\n</div>' if text else ""
    body = f'<div class="body">{date}{name}{more}{words}</div>'
    return f'<div class="message default clearfix{joined}" id="message{id}">{body}</div>'


def test_telegram_pages_of_html(tmp_path):
    service = '<div class="message service" id="message-1"><div class="body details">\n13 June 2018\n</div></div>'
    reply = '<div class="reply_to details">In reply to <a href="#go_to_message1">this message</a></div>'
    photo = (
        '<div class="media_wrap clearfix"><a class="photo_wrap clearfix pull_left" href="photos/photo_1.jpg"></a></div>'
    )
    forwarded = (
        '<div class="forwarded body"><div class="from_name">\nNews <span class="date details"> 01.01.2018 00:00:00'
        '</span>\n</div><div class="text">Frost</div></div>'
    )
    page = telegram_page(
        service,
        in_html(1, 'See <a href="https://a.org">the plan</a><br>now', "Rosa &lt;3"),
        in_html(2, "and prune", more=reply),
        in_html(3, "", more=photo),
        in_html(4, "", "Ben", more=forwarded),
        in_html(5, "old", "Rosa", time="13.12.2018 21:25:15"),
    )
    file = written(tmp_path / "ChatExport" / "messages2.html", page)
    assert detect(file) == "telegram-html"
    found = drafts(file, ReadOptions(timezone="Europe/Paris"))
    assert [(one.speaker, one.text, one.meta) for one in found] == [
        ("Rosa <3", "See [the plan](https://a.org)\nnow", {}),
        ("Rosa <3", "and prune", {"reply_to": "1"}),
        ("Rosa <3", "photo_1.jpg", {"attachment": "photo_1.jpg"}),
        ("Ben", "Frost", {"forwarded_from": "News"}),
        ("Rosa", "old", {}),
    ]
    assert [one.happened_at for one in found][::4] == ["2018-06-13T19:25:15Z", "2018-12-13T20:25:15Z"]
    assert {(one.title, one.document.source) for one in found} == {("Garden & Shed", "telegram:Garden & Shed")}
    assert ("system", "13 June 2018") in said(file, ReadOptions(timezone="UTC", include_system=True))
    assert again(file) == [0]
    other = written(
        tmp_path / "other" / "messages.html", telegram_page(in_html(1, "Same name", "Mia", time="14.06.2018 08:00:00"))
    )
    with MemoryDatabase(embed="none") as db:
        db.ingest(file, timezone="UTC")
        assert (db.ingest(other, timezone="UTC").added, db.ingest(file, timezone="UTC").updated) == (1, 0)


def test_a_call_in_a_page_of_telegram_is_nobodys_word_and_a_poll_somebodys(tmp_path):
    call = (
        '<div class="media_wrap clearfix"><div class="media clearfix pull_left media_call success"><div class="body">'
        '<div class="title bold">\nBen\n</div><div class="status details">\nOutgoing (56 seconds)\n</div>'
        "</div></div></div>"
    )
    poll = (
        '<div class="media_wrap clearfix"><div class="media_poll"><div class="question bold">\nWhen?\n</div>'
        '<div class="details">\nAnonymous poll\n</div><div class="answer">\n- In May\n</div>'
        '<div class="answer">\n- In June\n</div><div class="total details">\n2 votes\n</div></div></div>'
    )
    page = telegram_page(in_html(1, "", "Rosa", more=call), in_html(2, "He was out"), in_html(3, "", "Ben", more=poll))
    file = written(tmp_path / "messages.html", page)
    assert said(file) == [("Rosa", "He was out"), ("Ben", "When?\n- In May\n- In June")]
    assert said(file, ReadOptions(include_system=True))[0] == ("system", "Outgoing (56 seconds)")


def test_another_page_is_no_chat_of_telegram(tmp_path):
    assert detect(written(tmp_path / "messages.html", "<html><body>My messages</body></html>")) == "html"


# ------------------------------------------------------------------------------------------------- exports that overlap


@pytest.mark.parametrize("batch", [1, 3, 512])
def test_exports_that_overlap_in_one_folder_give_each_message_once(tmp_path, monkeypatch, batch):
    monkeypatch.setattr("memkit.ingestion.writer.BATCH", batch)
    lines = [f"13/12/2024, 18:{minute:02} - Rosa: {text}" for minute, text in enumerate(["a", "b", "a", "c", "c", "d"])]
    lines[4] = lines[3]  # said twice in one minute
    for name, part in (("one", lines[:5]), ("two", lines[1:]), ("three", lines)):
        written(tmp_path / name / "WhatsApp Chat with Rosa.txt", *part)
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path, timezone="UTC")
        assert (report.added, report.updated, report.unchanged) == (6, 0, 10)
        report = db.ingest(tmp_path, timezone="UTC")
        assert (report.added, report.updated, report.unchanged) == (0, 0, 16)


def exported(text: str, edited: bool, speaker: str = "Rosa") -> dict[str, Any]:
    """A chat of Telegram in which the first message says this by now."""
    mark = {"edited_unixtime": "1704200000"} if edited else {}
    first = {"id": 1, "type": "message", "date_unixtime": "1704100000", "from": speaker, "text": text, **mark}
    second = {"id": 2, "type": "message", "date_unixtime": "1704100060", "from": "Ben", "text": "When?"}
    return {"name": "Garden", "type": "private_group", "id": 7, "messages": [first, second]}


MAY, JUNE, JULY = ("It bloms.", False), ("It blooms.", True), ("It bloomed.", True)
PARTS = [f"{number}: {'so it was said there. ' * 90}".strip() for number in range(6)]
LONG, LONGER = ("\n\n".join(PARTS[1:5]), True), ("\n\n".join(PARTS), True)


@pytest.mark.parametrize("together", [True, False], ids=["read at once", "one after the other"])
@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ((MAY, JUNE), JUNE),
        ((MAY, JUNE, JULY), JULY),
        ((JUNE, MAY), JUNE),
        ((MAY, JUNE, MAY), JUNE),  # "result (1).json", "result (2).json", "result.json"
        ((("It bloms.", False), ("It blooms.", False)), ("It blooms.", False)),
        ((MAY, LONG, MAY), LONG),
        ((JUNE, (LONG[0], False)), JUNE),
        (((LONG[0], False), JULY), JULY),
        (((LONG[0], False), LONGER), LONGER),
    ],
)
def test_a_message_that_was_edited_between_two_exports_of_a_folder_stands_once(tmp_path, said, stands, together):
    with MemoryDatabase(embed="none") as db:
        for number, message in enumerate(said):
            as_json(tmp_path / f"ChatExport_{number}" / "result.json", exported(*message))
            if not together:
                db.ingest(tmp_path)
        db.ingest(tmp_path)
        report = db.ingest(tmp_path)
        assert (report.added, report.updated, report.removed) == (0, 0, 0)
        assert current(db, "1") == stands[0]
        assert current(db, "2") == "When?"


def current(db: MemoryDatabase, id: str) -> str:
    """What a message says, with all of its parts."""
    query = "select text from memories where source_id = ? and archived_at is null"
    return "\n\n".join(sorted(row[0].strip() for row in db.conn.execute(query, [id])))


@pytest.mark.parametrize("together", [True, False], ids=["read at once", "one after the other"])
@pytest.mark.parametrize("length", [1, 6], ids=["short", "in parts"])
@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_of_several_edits_the_last_stands_in_whatever_order_they_are_read(tmp_path, order, length, together):
    versions = [
        "\n\n".join(part if number % 2 else f"{part} {edit}" for number, part in enumerate(PARTS[:length]))
        for edit in range(3)
    ]
    for folder, number in enumerate(order):
        export = exported(versions[number], False)
        export["messages"][0] |= {"edited_unixtime": str(1704200000 + 60 * number)} if number else {}
        as_json(tmp_path / f"ChatExport_{folder}" / "result.json", export)
    with MemoryDatabase(embed="none") as db:
        for folder in [] if together else sorted(tmp_path.iterdir()):
            db.ingest(folder)
        db.ingest(tmp_path)
        report = db.ingest(tmp_path)
        assert (report.added, report.updated, report.removed) == (0, 0, 0)
        assert current(db, "1") == versions[2]


def test_an_export_that_is_read_later_takes_no_edit_back(tmp_path):
    with MemoryDatabase(embed="none") as db:
        for message, added, stands in (
            (JUNE, 2, JUNE[0]),
            (MAY, 0, JUNE[0]),
            ((LONG[0], False), 0, JUNE[0]),
            (JULY, 0, JULY[0]),
            (LONG, 3, LONG[0]),
            (MAY, 0, LONG[0]),
        ):
            assert db.ingest(as_json(tmp_path / "result.json", exported(*message))).added == added
            assert current(db, "1") == stands


def test_messages_of_two_accounts_with_one_number_are_two(tmp_path):
    for name, message in (("Rosa", MAY), ("Otto", JUNE)):
        as_json(tmp_path / name / "result.json", exported(*message, speaker=name))
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).added == 3
        assert db.ingest(tmp_path).unchanged == 4


def test_two_exports_with_one_chat_that_is_whole_are_one_chat(tmp_path):
    chat = {"uuid": "c1", "name": "Quince", "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "Does it bloom?", "created_at": "2024-01-01T10:00:00Z"}]}  # fmt: skip
    for name in ("old", "new"):
        as_json(tmp_path / name / "conversations.json", [chat])
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).added == 1
        report = db.ingest(tmp_path)
        assert (report.added, report.updated, report.removed) == (0, 0, 0)


# ------------------------------------------------------------------------------------------------------- Mastodon

ROSA = "https://example.org/users/rosa"


def posted(number: int, content: str, **more: Any) -> dict[str, Any]:
    post = {"id": f"{ROSA}/statuses/{number}", "type": "Note", "published": f"2025-01-0{number}T10:00:00Z",
            "attributedTo": ROSA, "content": content, "url": f"https://example.org/@rosa/{number}", **more}  # fmt: skip
    return {"id": f"{post['id']}/activity", "type": "Create", "actor": ROSA, "object": post}


def outbox(*activities: Any) -> str:
    return json.dumps({"id": "outbox.json", "type": "OrderedCollection", "totalItems": 9, "orderedItems": activities})


POSTS = [
    posted(1, '<p>It <b>blooms</b> late, <a href="https://example.org/tags/quince">#<span>quince</span></a></p>'),
    posted(2, "<p>Look</p>", summary="garden", attachment=[{"name": "A quince in bloom"}, {"name": None}],
           inReplyTo=f"{ROSA}/statuses/1"),
    {"id": "a", "type": "Announce", "actor": ROSA, "object": "https://example.net/users/ben/statuses/7"},
    posted(3, "<p>Which?</p>", type="Question", oneOf=[{"name": "Quince"}, {"name": "Pear"}]),
    {"id": "b", "type": "Delete", "actor": ROSA, "object": f"{ROSA}/statuses/0"},
    None,
]  # fmt: skip


def test_mastodon(tmp_path: Path) -> None:
    path = written(tmp_path / "outbox.json", outbox(*POSTS))
    assert detect(path) == "mastodon"
    first, second, third = drafts(path)
    assert "blooms" in first.text
    assert "quince" in first.text
    assert (second.text, third.text) == ("garden\n\nLook\n\n[A quince in bloom]", "Which?\n\n- Quince\n\n- Pear")
    assert {one.speaker for one in (first, second, third)} == {"rosa@example.org"}
    assert (second.happened_at, second.source_id) == ("2025-01-02T10:00:00Z", f"{ROSA}/statuses/2")
    assert (second.meta["reply_to"], second.document.title) == (f"{ROSA}/statuses/1", "Posts of rosa@example.org")


def test_a_later_archive_of_mastodon_adds_what_is_new_and_mends_what_was_edited(tmp_path: Path) -> None:
    edited = posted(1, "<p>It blooms early.</p>")
    reports = []
    with MemoryDatabase(embed="none") as db:
        for name, posts in (("may", POSTS[:1]), ("june", POSTS), ("july", [edited, *POSTS[1:]]), ("again", [edited])):
            files = {"outbox.json": outbox(*posts), "actor.json": "{}", "likes.json": outbox("https://a.org/1")}
            archive = zipped(tmp_path / f"{name}.zip", files)
            assert detect(archive) == "mastodon"
            reports.append(db.ingest(archive))
    assert [(one.added, one.updated, one.removed) for one in reports] == [(1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 0)]


def test_a_conversation_that_slackdump_wrote_has_its_threads_once(tmp_path):
    asked = {
        "type": "message",
        "user": "U1",
        "text": "Does it <https://a.org|bloom>?",
        "ts": "1736478630.9",
        "thread_ts": "1736478630.9",
    }
    reply = {"type": "message", "user": "U2", "text": "Late.", "ts": "1736554746.4", "thread_ts": "1736478630.9"}
    joined = {"type": "message", "subtype": "channel_join", "user": "U3", "text": "joined", "ts": "1736554000.1"}
    last = {"type": "message", "user": "U1", "text": "Thanks.", "ts": "1736560000.2"}
    messages = [{**asked, "slackdump_thread_replies": [asked, reply]}, joined, last]
    path = tmp_path / "C1.json"
    path.write_text(json.dumps({"channel_id": "C1", "name": "garden", "messages": messages}))
    assert detect(path) == "slack"
    found = [one for one in read(path) if isinstance(one, Draft)]
    assert [(one.speaker, one.text) for one in found] == [
        ("U1", "Does it [bloom](https://a.org)?"),
        ("U2", "Late."),
        ("U1", "Thanks."),
    ]
    assert {(one.document.source, one.document.title) for one in found} == {("slack:C1", "garden")}
    assert found[1].happened_at == "2025-01-11T00:19:06Z"
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(path).added for _ in range(2)] == [3, 0]
