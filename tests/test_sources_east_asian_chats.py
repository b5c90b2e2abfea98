"""Chats of LINE and KakaoTalk, in the forms that their apps write."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

UTC = ReadOptions(timezone="UTC")
Told = list[tuple[str | None, str | None, str]]  # speakers, times and texts


def told(path: Path, options: ReadOptions = UTC) -> Told:
    return [(one.speaker, one.happened_at, one.text) for one in drafts(path, options)]


JAPANESE = """\ufeff[LINE] Rosaとのトーク履歴
保存日時：2024/01/02 10:00

2024/01/02(火)
10:00\tRosa\tこんにちは
10:01\tBen\t"はい ""また""
明日"
10:02\tRosa\t[写真]
10:03\tRosaがメッセージの送信を取り消しました

2024/01/03(水)
午後3:04\tme\tおはよう
"""
ENGLISH = """[LINE] Chat history with Travel Friends
Saved on: 26/04/2026, 04:36PM

Sat, 25/04/2026
04:35PM\tAlex\tLet's go: https://example.com
and on
04:37PM\tMaya joined the group.

Sun, 26/04/2026
12:05AM\tAlex\t"Well"
"""


def test_a_chat_of_line(tmp_path: Path) -> None:
    path = written(tmp_path / "[LINE] Rosaとのトーク.txt", JAPANESE)
    assert detect(path) == "line"
    assert told(path) == [
        ("Rosa", "2024-01-02T10:00:00Z", "こんにちは"),
        ("Ben", "2024-01-02T10:01:00Z", 'はい "また"\n明日'),
        ("Rosa", "2024-01-02T10:02:00Z", "[写真]"),
        ("me (name)", "2024-01-03T15:04:00Z", "おはよう"),
    ]
    assert {
        (one.title, one.document.source) for one in read(path, options=UTC) if isinstance(one, Draft) and one.document
    } == {("Rosa", "line:Rosa")}


def test_a_chat_of_line_in_english(tmp_path: Path) -> None:
    assert told(written(tmp_path / "chat.txt", ENGLISH)) == [
        ("Alex", "2026-04-25T16:35:00Z", "Let's go: https://example.com\nand on"),
        ("Alex", "2026-04-26T00:05:00Z", '"Well"'),
    ]


def test_a_chat_of_line_whose_days_fit_two_orders_asks(tmp_path: Path) -> None:
    path = written(tmp_path / "chat.txt", "[LINE] Chat history with Al\n\nTue, 04/05/2026\n10:00\tAl\thi\n")
    with pytest.raises(BadSource, match="--day-first or --month-first"):
        told(path)
    assert told(path, ReadOptions(timezone="UTC", day_first=False))[0][1] == "2026-04-05T10:00:00Z"


PHONE = """\ufeffRosa 님과 카카오톡 대화
저장한 날짜 : 2013년 3월 1일 오전 11:22


2013년 2월 28일 오후 11:17
2013년 2월 28일 오후 11:17, Rosa : 안녕하세요 : 네
2013년 2월 28일 오후 11:18, Ben님이 들어왔습니다.
2013년 2월 28일 오후 11:19, 회원님 : 1. 하나

2. 둘
2013년 3월 1일 오전 12:05
2013년 3월 1일 오전 12:05, Rosa : 삭제된 메시지입니다.
2013년 3월 1일 오전 12:06, Rosa : (이모티콘)
"""
COMPUTER = """Rosa 님과 카카오톡 대화
저장한 날짜 : 2024-01-02 10:00:00

--------------- 2024년 1월 2일 화요일 ---------------
[Rosa] [오후 3:04] 안녕하세요
[Ben] [오후 3:05] 네
다음 줄
Ben님이 나갔습니다.
--------------- 2024년 1월 3일 수요일 ---------------
[Rosa] [오전 9:00] [사진] 봐
"""


def test_a_chat_of_kakaotalk_from_a_phone(tmp_path: Path) -> None:
    path = written(tmp_path / "KakaoTalkChats.txt", PHONE)
    assert detect(path) == "kakaotalk"
    assert told(path) == [
        ("Rosa", "2013-02-28T23:17:00Z", "안녕하세요 : 네"),
        ("user", "2013-02-28T23:19:00Z", "1. 하나\n\n2. 둘"),
        ("Rosa", "2013-03-01T00:06:00Z", "(이모티콘)"),
    ]


def test_a_chat_of_kakaotalk_from_a_computer_and_in_english(tmp_path: Path) -> None:
    path = written(tmp_path / "KakaoTalk_20240102.txt", COMPUTER)
    assert detect(path) == "kakaotalk"
    assert told(path) == [
        ("Rosa", "2024-01-02T15:04:00Z", "안녕하세요"),
        ("Ben", "2024-01-02T15:05:00Z", "네\n다음 줄\nBen님이 나갔습니다."),
        ("Rosa", "2024-01-03T09:00:00Z", "[사진] 봐"),
    ]
    korean = tmp_path / "cp949.txt"
    korean.write_bytes(COMPUTER.encode("cp949"))
    assert (detect(korean), told(korean)) == ("kakaotalk", told(path))
    english = "KakaoTalk Chats with Rosa\nDate Saved : 2024-01-02 10:00:00\n\nJanuary 2, 2024 at 3:04 PM, Rosa : hi\n"
    assert told(written(tmp_path / "en.txt", english)) == [("Rosa", "2024-01-02T15:04:00Z", "hi")]


@pytest.mark.parametrize(("text", "lines"), [(JAPANESE, 5), (ENGLISH, 6), (PHONE, 6), (COMPUTER, 5)])
def test_a_chat_that_grew_and_was_exported_again_has_each_message_once(tmp_path: Path, text: str, lines: int) -> None:
    shorter = "\n".join(text.splitlines()[:lines]) + "\n"
    (tmp_path / "old").mkdir()
    with MemoryDatabase(embed="none") as db:
        first = db.ingest(written(tmp_path / "old" / "chat.txt", shorter), timezone="UTC").added
        later = db.ingest(written(tmp_path / "chat.txt", text), timezone="UTC")
        assert (later.updated, later.removed) == (0, 0)
        assert first + later.added == len(told(tmp_path / "chat.txt"))
        assert db.ingest(tmp_path, timezone="UTC").added == 0


def test_other_texts_that_begin_like_a_chat_are_notes(tmp_path: Path) -> None:
    for text in ("[LINE] is an app.\nIt has 2 parts.", "KakaoTalk Chats with Rosa\nwere long.", "카카오톡 대화"):
        assert detect(written(tmp_path / "note.txt", text)) == "markdown"
