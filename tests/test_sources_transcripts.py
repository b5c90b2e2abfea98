"""Transcripts: WebVTT and SubRip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chat_files import drafts
from conftest import Write
from growth import reads_in_proportion
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import ReadOptions, detect, read

NOW = "2026-03-01T12:00:00Z"


def said(path: Path) -> list[tuple[str | None, str]]:
    return [(one.speaker, one.text) for one in drafts(path)]


def cues(*texts: str, gap: int = 0) -> str:
    """Cues of WebVTT of a second each, one after the other."""
    step = 1 + gap
    times = (f"{at * step // 60:02}:{at * step % 60:02}.000" for at in range(len(texts)))
    ends = (f"{(at * step + 1) // 60:02}:{(at * step + 1) % 60:02}.000" for at in range(len(texts)))
    blocks = (f"{start} --> {end}\n{text}\n" for start, end, text in zip(times, ends, texts, strict=True))
    return "WEBVTT\n\n" + "\n".join(blocks)


def test_a_cue_has_its_speaker_and_offsets(write: Write) -> None:
    path = write(
        "a.vtt",
        "\ufeffWEBVTT - a meeting\r\nKind: captions\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nREGION\r\nid:a\r\n\r\n"
        "NOTE\r\nnobody said this\r\n\r\nfirst\r\n01:00:11.000 --> 01:00:13.500 align:right size:50%\r\n"
        "<v.loud Rosa Marsh>The <i>quinces</i> &amp; <00:12.000>pears</v>\r\nbloom.\r\n\r\n"
        "NOTE nor this\r\n\r\n00:20.000 --> 00:21.000\r\n\r\nNOTE nor that\r\n\r\n"
        "00:30.000 --> 00:31.000\r\n<v Ivo>Late.</v> <v Rosa Marsh>Yes.\r\n\r\nNOTE the end\r\n",
    )
    assert detect(path) == "vtt"
    assert said(path) == [("Rosa Marsh", "The quinces & pears\nbloom."), ("Ivo", "Late."), ("Rosa Marsh", "Yes.")]
    first = drafts(path)[0]
    assert first.meta == {"start": "01:00:11", "end": "01:00:13"}
    assert (first.document.source, first.document.kind, first.happened_at) == (path.as_posix(), "transcript", None)


def test_subtitles_are_without_numbers_and_marks(write: Write) -> None:
    path = write(
        "a.srt",
        "1\r\n00:00:00,500 --> 00:00:07,000\r\n{\\an8}<font color='red'>It blooms</font>\r\n\r\nlate.\r\n\r\n"
        "2\r\n00:00:07,000 --> 00:00:08,000\r\n42\r\n\r\n3\r\n00:00:09,000 --> 00:00:10,000\r\n\r\n"
        "4\r\n00:00:11,000 --> 00:00:12,000\r\n1999",
    )
    assert detect(path) == "srt"
    assert said(path) == [(None, "It blooms\nlate."), (None, "42"), (None, "1999")]


def test_captions_that_roll_are_said_once(write: Write) -> None:
    rolling = cues("the quinces", "the quinces\nbloom <c>late</c>", "bloom late", "bloom late\nthis year")
    assert [text for _, text in said(write("a.vtt", rolling))] == ["the quinces", "bloom late", "this year"]


@pytest.mark.parametrize("text", ["WEBVTT", "WEBVTT\n", "WEBVTT - a title\n\nNOTE nothing was said\n"])
def test_a_transcript_in_which_nothing_was_said_is_no_failure(write: Write, text: str) -> None:
    assert drafts(write("a.vtt", text)) == []


def test_captions_without_their_first_line_are_captions(write: Write) -> None:
    path = write("a.vtt", "00:00:01.000 --> 00:00:02.000\n<v Rosa>It blooms.\n")
    assert said(path) == [("Rosa", "It blooms.")]


def test_what_is_said_again_later_or_by_another_counts(write: Write) -> None:
    assert len(said(write("a.vtt", cues("Yes.", "Yes.", gap=1)))) == 2
    assert said(write("b.vtt", cues("<v Rosa>Yes.", "<v Ivo>Yes."))) == [("Rosa", "Yes."), ("Ivo", "Yes.")]


def test_names_before_the_text_are_speakers_if_most_cues_begin_so(write: Write) -> None:
    zoom = cues("Rosa Marsh: The quinces: late.", "Ivo: Yes.", "And pears.", "Rosa Marsh: Both.")
    assert said(write("a.vtt", zoom)) == [
        ("Rosa Marsh", "The quinces: late."),
        ("Ivo", "Yes."),
        (None, "And pears."),
        ("Rosa Marsh", "Both."),
    ]
    for prose in (cues("Note: it is late.", "It is.", "So it is."), cues("First: dig.", "Second: water.")):
        assert all(speaker is None for speaker, _ in said(write("b.vtt", prose)))


def test_a_recording_of_zoom_knows_when_it_began(write: Write) -> None:
    one, two = drafts(write("GMT20250301-235959_Recording.transcript.vtt", cues("Rosa: Hello.", "Rosa: Bye.")))
    assert (one.happened_at, two.happened_at) == ("2025-03-01T23:59:59Z", "2025-03-02T00:00:00Z")
    assert drafts(write("GMT20251301-999999.vtt", cues("Hello.")))[0].happened_at is None


def test_a_recording_of_teams_knows_its_meeting_and_when_it_began(write: Write) -> None:
    text = cues("<v Rosa>Hello.</v>", "<v Ivo>Bye.</v>")
    options = ReadOptions(timezone="Europe/Berlin")
    for name, began in (
        ("Garden club-20250301_235959UTC-Meeting Recording.vtt", "2025-03-01T23:59:59Z"),
        ("Garden club-20250302_005959-Meeting Transcript.vtt", "2025-03-01T23:59:59Z"),  # on a clock
        ("Garden club - 2025_03_02 00_59 CET - Recording.sbv", "2025-03-01T23:59:00Z"),
        ("Garden club (2025-03-01 at 15_59 GMT-8).vtt", "2025-03-01T23:59:00Z"),
    ):
        one = next(one for one in read(write(name, text), options=options) if isinstance(one, Draft))
        assert (one.title, one.happened_at, one.document.created_at) == ("Garden club", began, began)
    assert drafts(write("Garden club-20251301_999999-Meeting Recording.vtt", text))[0].happened_at is None


def test_times_of_teams_may_have_one_digit(write: Write) -> None:
    path = write(
        "a.vtt", "WEBVTT\n\n0:0:0.0 --> 0:0:5.320\n<v Rosa>Late.</v>\n\n0:1:5.50 --> 0:1:6.0\n<v Ivo>Yes.</v>\n"
    )
    assert [(one.speaker, one.text, one.meta["start"]) for one in drafts(path)] == [
        ("Rosa", "Late.", "00:00:00"),
        ("Ivo", "Yes.", "00:01:05"),
    ]


def test_webex_names_the_speaker_before_the_time(write: Write) -> None:
    head = "WEBVTT\n\n"
    cue = '{} "{}" ({})\n00:00:0{}.000 --> 00:00:0{}.500\n{}\n\n'
    rows = [(1, "", 0, 1, 1, "All right."), (2, "Rosa Marsh", 77, 2, 2, "It is\nlate."), (3, "Ivo", 78, 3, 3, "Yes.")]
    path = write("a.vtt", head + "".join(cue.format(*row) for row in rows))
    assert said(path) == [(None, "All right."), ("Rosa Marsh", "It is\nlate."), ("Ivo", "Yes.")]


def test_captions_of_youtube_and_meet_are_read(write: Write) -> None:
    path = write("a.sbv", "0:00:00.000,0:00:02.500\nRosa: Late.\n\n0:00:03.000,0:00:05.750\nRosa: 42\n")
    assert detect(path) == "vtt"
    assert said(path) == [("Rosa", "Late."), ("Rosa", "42")]


def test_the_same_again_changes_nothing_and_a_corrected_cue_is_the_only_change(write: Write, tmp_path: Path) -> None:
    def changed(text: str) -> tuple[int, int, int]:
        report = db.ingest(write("a.vtt", text), now=NOW)
        return report.added, report.updated, report.removed

    with MemoryDatabase(tmp_path / "memory.db") as db:
        text = cues("It blooms.", "It is late.", "It is.")
        assert [changed(text), changed(text)] == [(3, 0, 0), (0, 0, 0)]
        added, updated, removed = changed(text.replace("is late", "was late"))
        assert added + updated == 1
        assert removed <= 1


@given(st.text(st.sampled_from("01:.,-> \n<v/ab>{}&;")))
def test_any_text_is_read(text: str) -> None:
    from memkit.sources.events import transcript

    for cue in transcript._cues(f"00:01.000 --> 00:02.000\n{text}"):
        list(transcript._voices(cue))
        transcript._unnumbered(cue.text)


LONG: dict[str, Callable[[int], str]] = {
    "cues": lambda n: cues(*["It blooms."] * n),
    "cues that roll": lambda n: cues("\n".join("ab" * n), "\n".join("ab" * n + "c")),
    "names": lambda n: cues(*["Rosa: It blooms."] * n),
    "voices": lambda n: cues("<v " * n + "<v" + " " * n),
    "tags": lambda n: cues("<a " * n + "{\\" * n),
    "no times": lambda n: cues("00:00:" * n + " " * n + "-->" * n),
    "empty lines": lambda n: cues("a" + "\n" * n),
}


@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("format", ["vtt", "srt"])
def test_reading_grows_with_the_length(tmp_path: Path, shape: str, format: str) -> None:
    assert reads_in_proportion(tmp_path, format, LONG[shape], n=800)
