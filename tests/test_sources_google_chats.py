"""Google Chat and Hangouts, as Google Takeout has them: in a folder, in a zip, and as a file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import Draft, LeftOut
from memkit.sources import detect, read
from memkit.sources.messengers.google_chat import _time

IDA = {"name": "Ida Moss", "email": "ida@example.org", "user_type": "Human"}
BO = {"name": "Bo Ek", "email": "bo@example.org", "user_type": "Human"}
CALL = [{"gsuite_integration_metadata": {"call_data": {"call_status": "CALL_MISSED"}}}]


def said(who: dict[str, str], text: str, at: str, id: str, **more: Any) -> dict[str, Any]:
    return {
        "creator": who,
        "created_date": f"Friday, November 4, 2016 at {at} UTC",
        "text": text,
        "topic_id": "t",
        **more,
    } | ({"message_id": id} if id else {})


MESSAGES = [
    said(IDA, "We should prune the quince", "11:59:50 AM", "k6o/T1/T1"),
    said(BO, "On Sunday", "12:10:05\u202fPM", "k6o/T1/T2", reactions=[{"emoji": {"unicode": "x"}}]),
    said(IDA, "", "9:46:26 PM", "k6o/T3/T3", attached_files=[{"original_name": "plan.pdf"}]),
    said(BO, "Missed call", "9:47:00 PM", "k6o/T6/T6", annotations=CALL),
    said(BO, "Taken back", "9:48:00 PM", "k6o/T7/T7", message_state="DELETED"),
    {
        "creator": BO,
        "text": "On Monday",
        "updated_date": "Friday, November 4, 2016 at 9:59:00 PM UTC",
        "previous_message_versions": [{"created_date": "Friday, November 4, 2016 at 9:50:00 PM UTC", "text": "No"}],
        "topic_id": "T4",
        "message_id": "k6o/T4/T4",
    },
    None,
]  # fmt: skip


@pytest.fixture
def takeout(tmp_path: Path) -> Path:
    chat = tmp_path / "Takeout" / "Google Chat"
    written(chat / "Groups" / "DM k6o" / "messages.json", {"messages": MESSAGES})
    written(chat / "Groups" / "DM k6o" / "group_info.json", {"members": [IDA, BO]})
    written(chat / "Groups" / "Space AA" / "messages.json", {"messages": [said(BO, "Welcome", "8:00:00 AM", "")]})
    written(chat / "Groups" / "Space AA" / "group_info.json", {"name": "Garden", "members": [IDA, BO]})
    written(chat / "Users" / "User 1" / "user_info.json", {"user": IDA, "membership_info": []})
    return tmp_path / "Takeout"


def told(path: Path) -> list[tuple[Any, ...]]:
    return [(one.document.source, one.title, one.speaker, one.happened_at, one.text) for one in drafts(path)]


TOLD = [
    ("google-chat:k6o", "Ida Moss, Bo Ek", "Ida Moss", "2016-11-04T11:59:50Z", "We should prune the quince"),
    ("google-chat:k6o", "Ida Moss, Bo Ek", "Bo Ek", "2016-11-04T12:10:05Z", "On Sunday"),
    ("google-chat:k6o", "Ida Moss, Bo Ek", "Ida Moss", "2016-11-04T21:46:26Z", "plan.pdf"),
    ("google-chat:k6o", "Ida Moss, Bo Ek", "Bo Ek", "2016-11-04T21:50:00Z", "On Monday"),
    ("google-chat:AA", "Garden", "Bo Ek", "2016-11-04T08:00:00Z", "Welcome"),
]


def test_a_takeout_gives_each_message_with_its_speaker_time_and_chat(takeout: Path) -> None:
    assert told(takeout) == TOLD


@pytest.mark.parametrize("kind", ["zip", "gztar"])
def test_a_packed_takeout_says_the_same(takeout: Path, kind: str) -> None:
    packed = shutil.make_archive(str(takeout.parent / "takeout-1"), kind, takeout.parent, "Takeout")
    shutil.rmtree(takeout)
    assert told(Path(packed)) == TOLD


def test_a_reply_and_an_edit_are_told(takeout: Path) -> None:
    drafts = [one for one in read(takeout / "Google Chat" / "Groups" / "DM k6o") if isinstance(one, Draft)]
    assert [one.meta for one in drafts] == [
        {},
        {"reply_to": "k6o/T1/T1"},
        {"attachment": "plan.pdf"},
        {"edited": "2016-11-04T21:59:00Z"},
    ]


def test_a_group_without_a_name_is_called_by_its_members(takeout: Path) -> None:
    written(
        takeout / "Google Chat" / "Groups" / "Space AA" / "group_info.json",
        {"name": "Group Chat", "members": [IDA, BO]},
    )
    assert told(takeout)[-1][1] == "Ida Moss, Bo Ek"


def test_who_is_in_a_chat_is_left_out_as_what_it_is(takeout: Path) -> None:
    left = {Path(one.source).name: one.reason for one in read(takeout) if isinstance(one, LeftOut)}
    assert left["group_info.json"] == "who is in the chat beside it"
    assert set(left) == {"group_info.json", "user_info.json"}


def test_a_grown_export_gives_each_message_once_and_what_was_edited_anew(takeout: Path) -> None:
    chat = takeout / "Google Chat" / "Groups" / "DM k6o" / "messages.json"
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(takeout).added == 5
        assert db.ingest(takeout).unchanged == 5
        edited = said(
            IDA, "We must prune it", "11:59:50 AM", "k6o/T1/T1", updated_date="Monday, May 1, 2017 at 1:00:00 PM UTC"
        )
        written(chat, {"messages": [edited, *MESSAGES[1:], said(BO, "Done", "11:00:00 PM", "k6o/T9/T9")]})
        report = db.ingest(takeout)
        assert (report.added, report.updated, report.unchanged, report.removed) == (1, 1, 4, 0)
        written(chat, {"messages": [said(BO, "Done", "11:00:00 PM", "k6o/T9/T9")]})
        assert db.ingest(takeout).removed == 0


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("Thursday, November 3, 2016 at 11:59:50 AM UTC", "2016-11-03T11:59:50Z"),
        ("Thursday, November 3, 2016 at 12:00:05\u202fAM UTC", "2016-11-03T00:00:05Z"),
        ("Tuesday, 14 March 2021 at 22:41:03 UTC", "2021-03-14T22:41:03Z"),
        ("Mittwoch, 3. Februar 2021 um 14:02:00 UTC", "2021-02-03T14:02:00Z"),
        ("mercredi 3 février 2021 à 14:02:00 UTC", "2021-02-03T14:02:00Z"),
        ("martes, 2 de junio de 2020, 9:02:00 UTC", "2020-06-02T09:02:00Z"),
        ("2021年2月3日水曜日 14:02:00 UTC", "2021-02-03T14:02:00Z"),
        ("some day at 9:02:00 UTC", None),
        ("Thursday, November 3, 2016 at 25:00:00 UTC", "2016-11-03"),
        (7, None),
    ],
)
def test_times_are_read_as_google_writes_them_in_the_language_of_an_account(written: object, time: str | None) -> None:
    assert _time(written) == time


HANGOUTS = {
    "conversations": [
        {
            "conversation": {
                "conversation_id": {"id": "Ug1"},
                "conversation": {
                    "id": {"id": "Ug1"},
                    "type": "STICKY_ONE_TO_ONE",
                    "self_conversation_state": {"self_read_state": {"participant_id": {"gaia_id": "1"}}},
                    "participant_data": [
                        {"id": {"gaia_id": "1", "chat_id": "1"}, "fallback_name": "Ida Moss"},
                        {"id": {"chat_id": "2"}, "fallback_name": "Bo Ek"},
                    ],
                },
            },
            "events": [
                {
                    "sender_id": {"gaia_id": "2", "chat_id": "2"},
                    "timestamp": "1569815320729866",
                    "event_id": "e2",
                    "chat_message": {
                        "message_content": {
                            "segment": [
                                {"type": "TEXT", "text": "See "},
                                {"type": "LINK", "text": "https://example.org"},
                                {"type": "LINE_BREAK"},
                                {"type": "TEXT", "text": "Good?"},
                            ]
                        }
                    },
                },
                {"sender_id": {"chat_id": "1"}, "timestamp": "1569073414201730", "event_id": "e1", "chat_message": {
                    "message_content": {"attachment": [{"embed_item": {"plus_photo": {"url": "https://example.org/lzt-Du5"}}}]}}},
                {"sender_id": {"chat_id": "9"}, "timestamp": "1569815320729867", "chat_message": {
                    "message_content": {"segment": [{"type": "TEXT", "text": "Who?"}]}}},
                {"sender_id": {"chat_id": "2"}, "timestamp": "1569815320729868", "hangout_event": {}},
            ],
        }
    ]
}  # fmt: skip


def test_hangouts_gives_messages_and_no_calls(tmp_path: Path) -> None:
    path = written(tmp_path / "Takeout" / "Hangouts" / "Hangouts.json", HANGOUTS)
    assert detect(path) == "hangouts"
    assert told(path) == [
        ("hangouts:Ug1", "Bo Ek", "Ida Moss", "2019-09-21T13:43:34Z", "photo"),
        ("hangouts:Ug1", "Bo Ek", "Bo Ek", "2019-09-30T03:48:40Z", "See https://example.org\nGood?"),
        ("hangouts:Ug1", "Bo Ek", "Deleted User", "2019-09-30T03:48:40Z", "Who?"),
    ]


def test_hangouts_before_2017_says_the_same(tmp_path: Path) -> None:
    [one] = HANGOUTS["conversations"]
    state = {"conversation": one["conversation"]["conversation"], "event": one["events"]}
    old = {"conversation_state": [{"conversation_id": {"id": "Ug1"}, "conversation_state": state}]}
    new = told(written(tmp_path / "new.json", HANGOUTS))
    assert told(written(tmp_path / "old.json", old)) == new
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path / "old.json").added == 3
        assert db.ingest(tmp_path / "new.json").unchanged == 3
