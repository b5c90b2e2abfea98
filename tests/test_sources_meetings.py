"""Transcripts of meetings as text, as Teams, Google Meet, Otter and others write them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chat_files import drafts, written
from growth import takes_at_most

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

BERLIN = ReadOptions(timezone="Europe/Berlin")
TEAMS = """Garden & gate-20250301_150001-Meeting Recording
March 1, 2025, 2:00PM
27m 18s

Rosa Marsh started transcription

Rosa Marsh   0:03
Who planted it? We meet at 10:30
And when.
(Shed)   0:04
Ida: long ago.
Marsh, Ben   1:02:07
Nils
Rosa Marsh stopped transcription
"""
MEET = """Mar 1, 2025

## Garden / gate \\- Transcript

### 00:00:00


**Rosa Marsh:** Who planted it?
**Ben:** Ida: long ago.

### 00:01:13


**Ben:** or Nils

### Transcription ended after 00:02:31

*This editable transcript was computer generated and might contain errors. People can also change the text.*
"""
OTTER = """Rosa Marsh  0:03
Who planted it? We meet at 10:30

Unknown Speaker  0:15
Ida: long ago.

Rosa Marsh  1:02:07
or Nils

Transcribed by https://otter.ai
"""


def said(path: Path) -> list[tuple[str | None, str, str | None, object]]:
    return [
        (one.speaker, one.text, one.happened_at, one.meta.get("start"))
        for one in drafts(path, BERLIN)
        if one.kind == "turn"
    ]


def test_a_transcript_of_teams_has_speakers_and_the_moment_in_utc(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", TEAMS.replace("\n", "\r\n"))
    assert detect(path) == "meeting"
    assert said(path) == [
        ("Rosa Marsh", "Who planted it? We meet at 10:30\nAnd when.", "2025-03-01T14:00:03Z", "00:00:03"),
        ("(Shed)", "Ida: long ago.", "2025-03-01T14:00:04Z", "00:00:04"),
        ("Marsh, Ben", "Nils", "2025-03-01T15:02:07Z", "01:02:07"),
    ]
    assert {(one.title, one.document.kind) for one in drafts(path)} == {("Garden & gate", "transcript")}


def test_what_teams_tells_in_another_language_is_nobodys_word(tmp_path: Path) -> None:
    german = TEAMS.replace("started transcription", "hat die Transkription gestartet").replace(
        "27m 18s", "27 Min. 18 Sek."
    )
    german = german.replace("stopped transcription", "hat die Transkription beendet")
    german = german.replace("March 1, 2025, 2:00PM", "1. März 2025, 14:00")
    path = written(tmp_path / "a.txt", german.replace("(Shed)", "Rosa Marsh"))
    assert [(one.speaker, one.text, one.happened_at) for one in drafts(path)] == [
        ("Rosa Marsh", "Who planted it? We meet at 10:30\nAnd when.", "2025-03-01T14:00:03Z"),
        ("Rosa Marsh", "Ida: long ago.", "2025-03-01T14:00:04Z"),
        ("Marsh, Ben", "Nils", "2025-03-01T15:02:07Z"),
    ]


def test_the_name_of_the_file_tells_the_moment_if_the_text_does_not(tmp_path: Path) -> None:
    copied = re.sub(r"^(.+?) +(\d+:)", r"\n\1 \2", TEAMS.partition("\n\n")[2], flags=re.MULTILINE)
    copied = copied.replace("\nWho planted it? We meet at 10:30", "Who planted it? We meet at 10:30").replace(
        "(Shed)", "Rosa"
    )
    one, *_ = said(written(tmp_path / "Garden-20250301_150000-Meeting Recording.txt", copied))
    assert one[:3] == ("Rosa Marsh", "Who planted it? We meet at 10:30\nAnd when.", "2025-03-01T14:00:03Z")


def test_a_word_document_of_teams_is_a_transcript(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    for line in ("Garden-20250301_150001-Meeting Recording", "March 1, 2025, 2:00PM", "27m 18s"):
        document.add_paragraph(line)
    document.add_paragraph().add_run("Rosa Marsh").bold = True
    document.paragraphs[-1].add_run(" started transcription")
    for name, clock, text in (("Rosa Marsh", "0:03", "Who planted it?"), ("Ben", "0:09", "Ida.")):
        document.add_paragraph().add_run(name).bold = True
        document.paragraphs[-1].add_run(f"   {clock}").add_break()
        document.paragraphs[-1].add_run(text)
    document.save(tmp_path / "a.docx")
    assert said(tmp_path / "a.docx") == [
        ("Rosa Marsh", "Who planted it?", "2025-03-01T14:00:03Z", "00:00:03"),
        ("Ben", "Ida.", "2025-03-01T14:00:09Z", "00:00:09"),
    ]


def test_a_word_document_of_2021_has_its_times_above_the_names(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    for time, name, text in (("0:0:0.0", "Rosa", "Late?"), ("0:0:5.10", "Ben", "Yes."), ("0:1:7.250", "Rosa", "Oh.")):
        document.add_paragraph(f"{time} --> 0:2:0.0\n{name}\n{text}")
    document.save(tmp_path / "a.docx")
    assert [one[:2] + one[3:] for one in said(tmp_path / "a.docx")] == [
        ("Rosa", "Late?", "00:00:00"),
        ("Ben", "Yes.", "00:00:05"),
        ("Rosa", "Oh.", "00:01:07"),
    ]


def test_a_transcript_of_meet_has_the_names_in_its_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "a.md", MEET)
    assert detect(path) == "meeting"
    assert [(one.title, one.kind) for one in drafts(path)] == [("Garden / gate", "turn")] * 3
    expected = [
        ("Rosa Marsh", "Who planted it?", "2025-03-01", "00:00:00"),
        ("Ben", "Ida: long ago.", "2025-03-01", "00:00:00"),
        ("Ben", "or Nils", "2025-03-01", "00:01:13"),
    ]
    assert said(path) == expected
    other = MEET.replace("Transcription ended after", "Trascrizione terminata dopo").replace("*", "").replace("#", "")
    italian = other.partition("This editable")[0].replace("- Transcript", "- Trascrizione")
    assert said(written(tmp_path / "b.txt", italian)) == expected
    dated = "Garden - 2025_03_01 14_00 CET - Transcript.txt"
    assert said(written(tmp_path / dated, italian))[2][2] == "2025-03-01T13:01:13Z"


def test_a_summary_above_a_transcript_is_a_note(tmp_path: Path) -> None:
    above = (
        "📝 Notes\nFeb 9, 2025\nGarden / gate\n\nSummary\nThe gate will be painted on\nMarch 3, 2025.\n\nIda: paint\n\n"
    )
    path = written(tmp_path / "a.txt", above + MEET.replace("*", "").replace("#", ""))
    *turns, note = drafts(path)
    assert {one.kind for one in turns} == {"turn"}
    assert (note.kind, note.happened_at) == ("passage", "2025-02-09")
    assert "painted on\nMarch 3, 2025." in note.text
    assert "Transcription ended" not in note.text
    planned = written(tmp_path / "b.txt", "Next meeting March 3, 2026\n\n" + OTTER)
    assert {one.happened_at for one in drafts(planned)} == {None}


def test_a_transcript_of_otter_may_know_no_speakers(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", OTTER)
    assert [one[:2] + one[3:] for one in said(path)] == [
        ("Rosa Marsh", "Who planted it? We meet at 10:30", "00:00:03"),
        ("Unknown Speaker", "Ida: long ago.", "00:00:15"),
        ("Rosa Marsh", "or Nils", "01:02:07"),
    ]
    alone = OTTER.replace("Rosa Marsh", "").replace("Unknown Speaker", "")
    assert [one[:2] for one in said(written(tmp_path / "b.txt", alone))] == [
        (None, "Who planted it? We meet at 10:30"),
        (None, "Ida: long ago."),
        (None, "or Nils"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Garden and gate - April 16\nVIEW RECORDING - 131 mins (No highlights): https://example.org/1\n\n---\n\n"
        "0:00 - Rosa Marsh\n  Late?\n\n0:12 - Ben\n  Yes.\n\n1:00:02 - Rosa Marsh\n  Oh.\n",
        "Rosa Marsh (00:00):\nLate?\nBen (00:12):\nYes.\n\nRosa Marsh (1:00:02):\nOh.\n",
    ],
)
def test_transcripts_of_fathom_and_rev_are_read(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "Garden and gate - April 16.txt", text)
    assert [one[:2] + one[3:] for one in said(path)] == [
        ("Rosa Marsh", "Late?", "00:00:00"),
        ("Ben", "Yes.", "00:00:12"),
        ("Rosa Marsh", "Oh.", "01:00:02"),
    ]
    assert [one.title for one in drafts(path)] == ["Garden and gate - April 16"] * 3


@pytest.mark.parametrize(
    "text",
    [
        "Saturday\n\nBreakfast  8:00\nEggs\nTalk  9:30\nby Rosa\nBreakfast  10:10\nagain\n",
        "Intro  0:03\nwhat\nThe gate  1:23\nhow\nThe end  5:17\nbye\n",
        "0:00 Intro\n1:23 The gate\n5:17 The end\n",
        "Rosa  9:03\nwent out\nBen  8:17\ncame\nRosa  7:02\nslept\n",
        "Rosa  14:03\nhello\nBen  14:17\nhi\nRosa  15:02\nbye\n",
        "Ida: tell them that we meet\nBen: at 10:31\nIda: good\n",
        "---\ntitle: Garden\n---\n" + OTTER,
    ],
)
def test_plans_chapters_and_notes_are_no_transcripts(tmp_path: Path, text: str) -> None:
    assert detect(written(tmp_path / "a.md", text)) == "markdown"


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", TEAMS)
    with MemoryDatabase(tmp_path / "memory.db") as db:
        assert db.ingest(path).added == 3
        again = db.ingest(path)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)


@pytest.mark.parametrize(
    "shape", ["Rosa  0:03\na\n", "0:03 - Rosa\na\n", "00:00:03\nRosa: a\n", "**", "Rosa:" * 20 + "\n"]
)
def test_reading_grows_with_the_length(tmp_path: Path, shape: str) -> None:
    sizes = {size: written(tmp_path / f"{size}.txt", shape * size) for size in (500, 4000)}
    large, small = (lambda size=size: list(read(sizes[size], format="meeting")) for size in (4000, 500))
    assert takes_at_most(20, large, small)


def test_every_turn_has_an_id_of_its_own(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.txt", OTTER.replace("0:15", "0:03").replace("Ida: long ago.", "Yes.") + "Rosa  1:02:07\nNo\n"
    )
    ids = [one.source_id for one in read(path) if isinstance(one, Draft)]
    assert len(set(ids)) == len(ids) > 2
