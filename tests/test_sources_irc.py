"""Logs of IRC, as the usual programs write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.core.types import Draft, LeftOut
from memkit.sources import ReadOptions, detect, read

UTC = ReadOptions(timezone="UTC")
SAID = [
    ("rosa", "Who planted it?", "2024-03-01T23:58"),
    ("ben", "ben looks for the spade", "2024-03-01T23:59"),
    ("rosa", "Ida: did you?", "2024-03-02T00:01"),
]
# The same in the form of each program, by the names that it gives its files.
LOGS = {
    "irssi/#garden.log": """--- Log opened Fri Mar 01 23:50:00 2024
23:50 -!- rosa [~rosa@host.example] has joined #garden
23:50 [Users #garden]
23:58 <@rosa> Who planted it?
23:59  * ben looks for the spade
--- Day changed Sat Mar 02 2024
00:01 <@rosa> Ida: did you?
00:02 -!- ben [~ben@host.example] has quit [Ping timeout]
--- Log closed Sat Mar 02 00:03:00 2024
""",
    "irc.example.#garden.weechatlog": """2024-03-01 23:50:00\t-->\trosa (~rosa@host.example) has joined #garden
2024-03-01 23:50:01\t--\tMode #garden [+o rosa] by ChanServ
2024-03-01 23:58:00\t@rosa\tWho planted it?
2024-03-01 23:59:00\t *\tben looks for the spade
2024-03-02 00:01:00\t@rosa\tIda: did you?
2024-03-02 00:02:00\t<--\tben (~ben@host.example) has quit (Ping timeout)
""",
    "hexchat/#garden.log": """**** BEGIN LOGGING AT Fri Mar  1 23:50:00 2024

Mar 01 23:50:00 *\tNow talking on #garden
Mar 01 23:50:00 *\tben (~ben@host.example) has joined
Mar 01 23:58:00 <rosa>\tWho planted it?
Mar 01 23:59:00 *\tben looks for the spade
Mar 02 00:01:00 <rosa>\tIda: did you?
Mar 02 00:02:00 *\tben has quit (Ping timeout)
**** ENDING LOGGING AT Sat Mar  2 00:03:00 2024

""",
    "mirc/garden.log": """Session Start: Fri Mar 01 23:50:00 2024
Session Ident: #garden
\x0303[23:50] * Now talking in #garden
[23:58] <@rosa> Who \x02planted\x02 it?
\x0306[23:59] * ben looks for the spade
[00:01] <@rosa> Ida: did you?
[00:02] * ben (~ben@host.example) Quit (Ping timeout)
Session Close: Sat Mar 02 00:03:00 2024
""",
    "a bot/#garden.log": """2024-03-01T23:50:00  *** rosa <rosa!~rosa@host.example> has joined #garden
2024-03-01T23:58:00  <rosa> Who planted it?
2024-03-01T23:59:00  * ben looks for the spade
2024-03-02T00:01:00  <rosa> Ida: did you?
""",
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_each_program(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, LOGS[name].replace("\n", "\r\n"))
    assert detect(path) == "irc"
    found = drafts(path, UTC)
    assert [(one.speaker, one.text, (one.happened_at or "")[:16]) for one in found] == SAID
    assert {one.title for one in found} == {"garden" if "mirc" in name else "#garden"}


@pytest.mark.parametrize("name", ["#garden/2024-03-01.log", "net_#garden_20240301.log", "2024/03/01.txt"])
def test_a_log_of_one_day_has_the_day_in_its_path(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, "[09:00:01] *** Joins: rosa (~r@host.example)\n[09:00:02] <rosa> Hello\n")
    assert detect(path) == "irc"
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path, UTC)] == [
        ("rosa", "Hello", "2024-03-01T09:00:02Z")
    ]


def test_without_a_day_the_clock_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "meeting.log", "14:02 < rosa> 0) hi\n14:02 < rosa> 1) the gate\n      and its hinge\n")
    assert [(one.text, one.happened_at, one.meta) for one in drafts(path)] == [
        ("0) hi", None, {"clock": "14:02"}),
        ("1) the gate\nand its hinge", None, {"clock": "14:02"}),
    ]


def test_a_year_ends_in_a_log_whose_lines_leave_it_out(tmp_path: Path) -> None:
    log = (
        "**** BEGIN LOGGING AT Tue Dec 31 23:00:00 2024\n\nDec 31 23:58:00 <rosa>\tSoon\nJan 01 00:01:00 <rosa>\tNow\n"
    )
    assert [one.happened_at for one in drafts(written(tmp_path / "#a.log", log), UTC)] == [
        "2024-12-31T23:58:00Z", "2025-01-01T00:01:00Z",
    ]  # fmt: skip


def test_somebody_leaves_a_building_and_no_channel(tmp_path: Path) -> None:
    log = LOGS["hexchat/#garden.log"].replace("looks for the spade", "has left the building")
    assert drafts(written(tmp_path / "#a.log", log), UTC)[1].text == "ben has left the building"


def test_each_line_may_be_in_an_encoding_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "#a.log"
    path.write_bytes(
        "2024-03-01T09:00:00  <rosa> Ümit\n".encode() * 9 + "2024-03-01T09:01:00  <ben> Übel\n".encode("cp1252")
    )
    assert [one.text for one in drafts(path, UTC)][-2:] == ["Ümit", "Übel"]


def test_a_log_that_grew_adds_what_is_new(tmp_path: Path) -> None:
    path = written(tmp_path / "#garden.log", LOGS["irssi/#garden.log"])
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 3
        again = db.ingest(path)
        assert (again.added, again.unchanged) == (0, 3)
        path.write_text(path.read_text() + "--- Log opened Sun Mar 03 09:00:00 2024\n09:01 <@rosa> Who planted it?\n")
        assert (grown := db.ingest(path)).added == 1
        assert (grown.unchanged, grown.removed) == (3, 0)
        path.write_text("--- Log opened Sun Mar 03 09:00:00 2024\n09:01 <@rosa> Who planted it?\n")
        assert db.ingest(path).removed == 0  # a log that was rotated takes nothing back


PROGRAMS = [
    "2024-03-01 23:58:00 INFO started\n2024-03-01 23:58:01 <worker-1> listens\n2024-03-01 23:58:02 stopped\n",
    "23:58:00 <info> device up\n23:58:01 <warn> device down\n",
    "2024-03-01 23:58:00\tGET\t/quince\n2024-03-01 23:58:01\tGET\t/pear\n",
    "Rosa planted the quince.\n",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_in_a_folder_logs_of_other_programs_are_left_out(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "logs" / "a.log", text)
    assert detect(path) == "markdown"  # if it is named
    assert [(one.reason) for one in read(path.parent) if isinstance(one, LeftOut)] == ["no format that memkit reads"]


def test_a_log_in_which_nobody_says_anything_is_named_as_that(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "#garden.log", "[09:00:01] *** Joins: rosa (~r@host.example)\n")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path / "logs")
        assert (report.added, report.failures) == (0, [])
        assert [(Path(one.source).name, one.reason) for one in report.left_out] == [
            ("#garden.log", "nothing in it to remember")
        ]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("#garden/2024/03/01.log", "#garden"),
        ("garden/2024-03/01.log", "garden"),
        ("garden/2024/2024-03-01.log", "garden"),
        ("garden/orchard_2024-03-01.log", "orchard"),
    ],
)
def test_folders_of_years_and_months_are_no_channel(tmp_path: Path, path: str, title: str) -> None:
    """The talks of a July were called `07`."""
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text("[09:00:00] <rosa> The quince is ripe.\n[09:01:00] <ben> Then pick it.\n" * 3)
    assert {one.title for one in read(file) if isinstance(one, Draft)} == {title}
