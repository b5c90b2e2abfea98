"""Chats of meetings, as Zoom saves them."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written

from memkit.sources import ReadOptions, detect

UTC = ReadOptions(timezone="UTC")
# The same in the form of each time and language.
FORMS = {
    "old": "09:03:42\t From  Rosa Marsh : Who planted it?\n09:04:41\t From  Ben : Ida:\nlong ago\n"
    "09:05:00\t From  Ben to  Rosa Marsh(Privately) : or Nils\n",
    "of 2021": "09:03:42 From  Rosa Marsh  to  Everyone : Who planted it?\n09:04:41 From  Ben  to  Everyone : Ida:\n"
    "long ago\n09:05:00 From  Ben  to  Rosa Marsh(Direct Message) : or Nils\n",
    "new": "09:03:42 From Rosa Marsh To Everyone:\n\tWho planted it?\n"
    "09:04:41 From Ben to Everyone:\n\tIda:\n\tlong ago\n"
    "09:05:00 From Ben to Rosa Marsh(Direct Message):\n\tor Nils\n",
    "Spanish": "09:03:42 De  Rosa Marsh  a  Todos:\n\tWho planted it?\n"
    "09:04:41 De  Ben  a  Todos:\n\tIda:\n\tlong ago\n"
    "09:05:00 De  Ben  a  Rosa Marsh(mensaje directo):\n\tor Nils\n",
    "Japanese": "09:03:42 開始 Rosa Marsh 終了 皆様 : Who planted it?\n09:04:41 開始 Ben 終了 皆様 : Ida:\nlong ago\n"
    "09:05:00 開始 Ben 終了 Rosa Marsh（ダイレクトメッセージ） : or Nils\n",
    "Chinese": "\n09:03:42  Rosa Marsh 對 所有人:\n\tWho planted it?\n09:04:41  Ben 對 所有人:\n\tIda:\n\tlong ago\n"
    "09:05:00  Ben 對 Rosa Marsh(直接訊息):\n\tor Nils\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_chat_in_each_form(tmp_path: Path, form: str) -> None:
    path = written(tmp_path / "meeting_saved_chat.txt", FORMS[form].replace("\n", "\r\n"))
    assert detect(path) == "zoom"
    assert [(one.speaker, one.text, one.happened_at, one.meta) for one in drafts(path)] == [
        ("Rosa Marsh", "Who planted it?", None, {"clock": "09:03:42"}),
        ("Ben", "Ida:\nlong ago", None, {"clock": "09:04:41"}),
        ("Ben", "or Nils", None, {"clock": "09:05:00", "to": "Rosa Marsh"}),
    ]


def test_the_folder_tells_the_meeting_and_the_day(tmp_path: Path) -> None:
    text = "23:59:42 From Rosa to Everyone:\n\tGood night\n00:01:00 From Ben to Everyone:\n\tBye\n"
    path = written(tmp_path / "2021-03-01 22.00.12 Garden club 99" / "meeting_saved_chat.txt", text)
    assert [(one.title, one.happened_at, one.meta) for one in drafts(path, UTC)] == [
        ("Garden club 99", "2021-03-01T23:59:42Z", {}),
        ("Garden club 99", "2021-03-02T00:01:00Z", {}),
    ]


def test_the_chat_of_a_recording_in_the_cloud_tells_how_long_it_runs(tmp_path: Path) -> None:
    path = written(tmp_path / "GMT20250301-140000_Recording.txt", "00:12:33\tRosa Marsh:\tHello\n00:13:00 Ben:\tHi\n")
    assert detect(path) == "zoom"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path)] == [
        ("Rosa Marsh", "Hello", "2025-03-01T14:12:33Z"),
        ("Ben", "Hi", "2025-03-01T14:13:00Z"),
    ]


def test_captions_that_zoom_saved_are_what_was_said(tmp_path: Path) -> None:
    text = "[Rosa Marsh] 23:59:42\nWho planted it?\n\n[Ben] 00:00:03\nIda:\nlong ago\n\n"
    folder = tmp_path / "2021-03-01 22.00.12 Garden club"
    path = written(folder / "meeting_saved_closed_caption.txt", text)
    assert detect(path) == "zoom"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path, UTC)] == [
        ("Rosa Marsh", "Who planted it?", "2021-03-01T23:59:42Z"),
        ("Ben", "Ida:\nlong ago", "2021-03-02T00:00:03Z"),
    ]


def test_reactions_are_no_messages_and_a_reply_is_what_was_replied(tmp_path: Path) -> None:
    head = "09:03:4{} From Rosa to Everyone:\n\t"
    said = [
        'Reacted to "Who planted ..." with 🫂',
        'Removed a 😂 reaction from "Who"',
        'Replying to "Who ..."\n\t\n\tIda did',
    ]
    path = written(tmp_path / "chat.txt", "".join(f"{head.format(n)}{one}\n" for n, one in enumerate(said)))
    assert [one.text for one in drafts(path)] == ["Ida did"]


@pytest.mark.parametrize(
    "text",
    [
        "09:03:42 INFO:\tstarted\n",
        "09:03:42 the gate was open: why?\n",
        "09:03:42 Breakfast:\n\teggs\n",
        "[INFO] 09:03:42\nstarted\n",
    ],
)
def test_logs_and_notes_that_begin_with_a_clock_are_no_chat(tmp_path: Path, text: str) -> None:
    assert detect(written(tmp_path / "notes.txt", text)) == "markdown"
