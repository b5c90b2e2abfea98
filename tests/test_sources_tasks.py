"""Tasks of Google, TickTick, Todoist and Trello: what is to be done, by when, and whether it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.sources import detect

GOOGLE: dict[str, Any] = {"kind": "tasks#taskLists", "items": [
    {"kind": "tasks#tasks", "id": "L1", "title": "Garden", "updated": "2023-01-03T00:00:00Z", "items": [
        {"id": "a", "title": "Prune the quince", "notes": "Only the water shoots.", "status": "completed",
         "due": "2023-02-01T00:00:00Z", "completed": "2023-02-02T17:20:00.000Z", "created": "2023-01-01T00:00:00Z"},
        {"id": "b", "title": "Sharpen the saw", "status": "needsAction", "parent": "a",
         "created": "2023-01-02T00:00:00Z"},
        {"id": "c", "title": "Gone", "deleted": True},
        {"id": "d", "title": "Order compost", "status": "needsAction", "due": "2023-03-01T00:00:00Z",
         "scheduled_time": [{"current": True, "start": "2023-03-01T08:30:00Z"}]},
    ]},
    {"kind": "tasks#tasks", "id": "L2", "title": "Empty"},
]}  # fmt: skip
TICKTICK = """\ufeff"Date: 2026-06-25+0000"
"Version: 7.1"
"Status:
0 Normal
1 Completed
2 Archived"
"Folder Name","List Name","Title","Kind","Tags","Content","Is Check list","Start Date","Due Date","Reminder","Repeat",\
"Priority","Status","Created Time","Completed Time","Order","Timezone","Is All Day","Is Floating","Column Name",\
"Column Order","View Mode","taskId","parentId"
"Home","Garden","Prune","TEXT","tree, june","Ask Ben.","N","","2026-06-25T22:00:00+0000","","","5","0",\
"2026-06-20T10:00:00+0000","","1","Europe/Amsterdam","true","false","","","list","1",""
"","Garden","Stretch","TEXT","","","N","","2026-06-27T07:30:00+0000","","RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO","0","2",\
"2026-06-21T08:00:00+0000","2026-06-27T07:35:00+0000","2","Europe/Amsterdam","false","false","","","list","2","1"
"","Inbox","Shopping","CHECKLIST","","▫ Milk
▪ Bread","Y","","","","","0","-1","2026-06-22T09:00:00+0000","","3","Europe/Amsterdam","","false","","","list","3",""
"""
TODOIST = """\ufeffTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION
meta,view_style=list,,,,,,,,,
section,Orchard,,,,,,,,,,
task,Call Ben @phone,"About the saw, please",1,1,Rosa (12),Ben (34),2026-10-06 15:30,en,Europe/Berlin,,
task,Find the number,,4,2,Rosa (12),,every day,en,Europe/Berlin,,
note,He is at rosa@example.org,,,,,,,,,,

task,Buy twine,,4,1,Rosa (12),,2026-10-05,en,,,
"""
BOARD: dict[str, Any] = {
    "id": "5f0000000000000000000001", "name": "Italy", "desc": "", "closed": False, "idOrganization": None,
    "shortUrl": "https://trello.example/b/1", "prefs": {}, "labelNames": {},
    "actions": [
        {"id": "5f0000000000000000000021", "type": "commentCard", "date": "2026-05-04T13:30:44.558Z",
         "memberCreator": {"fullName": "Rosa Marsh", "username": "rosa"},
         "data": {"text": "The train is late.", "card": {"id": "5f0000000000000000000011", "name": "Old name"}}},
        {"id": "5f0000000000000000000022", "type": "updateCard", "data": {}},
    ],
    "cards": [
        {"id": "5f0000000000000000000011", "name": "Train to Rome", "closed": False,
         "idList": "l1", "idMembers": ["m1"],
         "desc": 'See [https://a.example/x](https://a.example/x "smartCard-inline")\n\n'
                 '\u200c\n\nSeats [here](https://b.example "\u200c")',
         "due": "2026-06-18T04:30:00.000Z", "dueComplete": True, "labels": [{"name": "booked"}, {"name": ""}]},
        {"id": "5f0000000000000000000012", "name": "Museum", "closed": True, "idList": "l1", "desc": "", "due": None},
    ],
    "lists": [{"id": "l1", "name": "Day 6/18", "closed": False}],
    "members": [{"id": "m1", "fullName": "Ben Okoye", "username": "ben"}],
    "checklists": [{"idCard": "5f0000000000000000000011", "checkItems": [
        {"name": "Pay", "state": "incomplete", "pos": 2}, {"name": "Book", "state": "complete", "pos": 1}]}],
}  # fmt: skip


def told(path: Path) -> list[tuple[str | None, str, str | None, tuple[str, ...]]]:
    return [(one.document.title, one.text, one.happened_at, one.tags) for one in drafts(path)]


def test_tasks_of_google(tmp_path: Path) -> None:
    path = written(tmp_path / "Tasks.json", GOOGLE)
    assert detect(path) == "google-tasks"
    prune = "Prune the quince\nDue: 2023-02-01\nDone: 2023-02-02 17:20 (UTC)\n\nOnly the water shoots."
    assert told(path) == [
        ("Garden", prune, "2023-02-02T17:20:00Z", ()),
        ("Garden", "Sharpen the saw\nPart of: Prune the quince", "2023-01-02T00:00:00Z", ()),
        ("Garden", "Order compost\nDue: 2023-03-01 08:30 (UTC)", "2023-03-01T08:30:00Z", ()),
    ]
    assert {one.kind for one in drafts(path)} == {"task"}


def test_tasks_of_ticktick(tmp_path: Path) -> None:
    path = written(tmp_path / "TickTick-backup-2026-06-25.csv", TICKTICK)
    assert detect(path) == "ticktick"
    stretch = (
        "Stretch\nDue: 2026-06-27 09:30 (Europe/Amsterdam)\nDone: 2026-06-27 09:35 (Europe/Amsterdam)\n"
        "Part of: Prune\nRepeats: every week on Monday"
    )
    shopping = "Shopping\nStatus: will not be done\n\n- [ ] Milk\n- [x] Bread"
    assert told(path) == [
        ("TickTick", "Prune\nDue: 2026-06-26\n\nAsk Ben.", "2026-06-26", ("tree", "june", "Home", "Garden")),
        ("TickTick", stretch, "2026-06-27T07:35:00Z", ("Garden",)),
        ("TickTick", shopping, "2026-06-22T09:00:00Z", ("Inbox",)),
    ]


def test_tasks_of_todoist(tmp_path: Path) -> None:
    path = written(tmp_path / "Garden [2203306141].csv", TODOIST)
    assert detect(path) == "todoist"
    call = (
        "Call Ben\nDue: 2026-10-06 15:30 (Europe/Berlin)\nSection: Orchard\nAssigned to: Ben\n\nAbout the saw, please"
    )
    number = "Find the number\nDue: every day\nPart of: Call Ben\nSection: Orchard\n\nHe is at rosa@example.org"
    assert told(path) == [
        ("Garden", call, "2026-10-06T13:30:00Z", ("phone", "Orchard")),
        ("Garden", number, None, ("Orchard",)),
        ("Garden", "Buy twine\nDue: 2026-10-05\nSection: Orchard", "2026-10-05", ("Orchard",)),
    ]


def test_a_board_of_trello(tmp_path: Path) -> None:
    path = written(tmp_path / "0xa1.json", BOARD)
    assert detect(path) == "trello"
    train, museum, comment = drafts(path)
    assert train.text == (
        "Train to Rome\nDue: 2026-06-18 04:30 (UTC)\nDone: yes\nList: Day 6/18\nAssigned to: Ben Okoye\n\n"
        "See https://a.example/x\n\nSeats [here](https://b.example)\n\n- [x] Book\n- [ ] Pay"
    )
    assert (train.happened_at, train.tags) == ("2026-06-18T04:30:00Z", ("booked", "Day 6 18"))
    assert (museum.text, museum.happened_at) == ("Museum\nList: Day 6/18", "2020-07-04T04:05:20Z")
    assert museum.tags == ("archived", "Day 6 18")
    assert (comment.text, comment.speaker, comment.title) == ("The train is late.", "Rosa Marsh", "Train to Rome")
    assert comment.happened_at == "2026-05-04T13:30:44Z"
    assert {one.document.source for one in drafts(path)} == {"trello:5f0000000000000000000001"}


def test_a_large_board_is_known_by_its_beginning(tmp_path: Path) -> None:
    long = {**BOARD, "actions": [{"id": str(number), "type": "updateCard", "data": {}} for number in range(9000)]}
    assert detect(written(tmp_path / "a.json", long)) == "trello"


def test_a_card_of_trello_is_the_one_of_its_board(tmp_path: Path) -> None:
    alone = {
        **BOARD["cards"][0], "idBoard": BOARD["id"], "idShort": 1, "checkItemStates": [],
        "checklists": BOARD["checklists"], "members": BOARD["members"], "actions": [],
    }  # fmt: skip
    path = written(tmp_path / "card.json", alone)
    assert detect(path) == "trello"
    (found,) = drafts(path)
    assert (found.document.source, found.source_id) == ("trello:" + BOARD["id"], BOARD["cards"][0]["id"])


@pytest.mark.parametrize(
    ("name", "before", "after", "added"),
    [
        ("Tasks.json", json.dumps(GOOGLE), json.dumps(GOOGLE).replace("Only the water shoots", "In March"), 3),
        ("TickTick.csv", TICKTICK, TICKTICK.replace('"Garden","Prune"', '"Done","Prune"'), 3),
        ("Garden.csv", TODOIST, TODOIST.replace("every day", "every week"), 3),
        ("b.json", json.dumps(BOARD), json.dumps(BOARD).replace('"name": "Museum"', '"name": "Forum"'), 3),
    ],
)
def test_a_task_that_changed_is_there_once(tmp_path: Path, name: str, before: str, after: str, added: int) -> None:
    with MemoryDatabase(embed="none") as db:
        first = db.ingest(written(tmp_path / name, before))
        same = db.ingest(tmp_path / name)
        edited = db.ingest(written(tmp_path / name, after))
        assert (first.added, same.added, same.updated) == (added, 0, 0)
        assert (edited.added, edited.updated, len(db)) == (0, 1, added)


def test_other_tables_and_objects_are_no_tasks(tmp_path: Path) -> None:
    assert detect(written(tmp_path / "a.csv", "Title,List Name,text\na,b,c\n")) == "csv"
    assert detect(written(tmp_path / "b.json", [{"id": 1, "name": "a", "desc": "b", "text": "c"}])) == "json"
