"""WebVTT, SBV and SubRip loaders: transcripts of meetings and videos. A memory is what a speaker says in one cue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import zip_longest
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.recordings import recording
from memkit.sources.sample import Sample
from memkit.sources.text_file import text_of
from memkit.text.words import short_id

_CLOCK = r"(?:(\d{1,4}):)?(\d\d?):(\d\d?)[.,](\d{1,3})"  # Teams has written `0:0:0.0`
# Webex names the speaker in the line before: `12 "Rosa Marsh" (1262511360)`. Between two times SBV has a comma.
_TIMING = pattern(
    rf"^(?:\d+[ \t]+\"([^\"\n]*)\"[^\n]*\n)?[ \t]*{_CLOCK}[ \t]*(?:-->|,)[ \t]*{_CLOCK}(?=\s|\Z)[^\n]*\n?", re.MULTILINE
)
_VOICE = pattern(r"<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>")
_TAG = pattern(r"</?[A-Za-z0-9][^<>]*>|\{\\[^{}]*\}")
_SPEAKER = pattern(r"([^\W\d_][^:.?!,<>\n]{0,60}):[ \t]+(?=\S)")  # `Rosa Marsh: text`, as Zoom writes it
_AT_ONCE = 0.1  # seconds between two cues of which the second repeats the first


def read_vtt(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each cue once. Notes, styles and regions are none: an empty line ends a cue."""
    cues = [replace(one, text=f"\n{one.text}".partition("\n\n")[0]) for one in _cues(text_of(path, options))]
    yield from _drafts(cues, path, options)


def read_srt(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each cue once. Its number stands in the line before its time, after the text of the one before it."""
    cues = list(_cues(text_of(path, options)))
    yield from _drafts([replace(one, text=_unnumbered(one.text)) for one in cues[:-1]] + cues[-1:], path, options)


def _unnumbered(text: str) -> str:
    before, _, last = text.rstrip().rpartition("\n")
    return before if last.strip().isdigit() else text


@dataclass(frozen=True)
class _Cue:
    """What is shown, or said by one speaker, from one time to another, in seconds from the start."""

    start: float
    end: float
    text: str
    speaker: str = ""


def _cues(text: str) -> Iterator[_Cue]:
    """The cues, with all that stands between them."""
    timings = list(_TIMING.finditer(text))
    for timing, following in zip_longest(timings, timings[1:]):
        speaker, *clocks = timing.groups()
        said = text[timing.end() : following.start() if following else len(text)]
        yield _Cue(_seconds(clocks[:4]), _seconds(clocks[4:]), said, speaker or "")


def _seconds(clock: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = clock
    return 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0) + float(f"0.{fraction}")


def _voices(cue: _Cue) -> Iterator[_Cue]:
    """A cue by those who speak in it (`<v Rosa>`)."""
    pieces = _VOICE.split(cue.text)  # what stands before the first voice, then each voice and its words
    for speaker, text in zip([cue.speaker, *pieces[1::2]], pieces[::2], strict=True):
        lines = (" ".join(unescape(_TAG.sub("", line)).split()) for line in text.split("\n"))
        if kept := "\n".join(filter(None, lines)):
            yield replace(cue, text=kept, speaker=" ".join(unescape(speaker).split()))


def _once(cues: list[_Cue]) -> Iterator[_Cue]:
    """The cues without the lines that the one before them ends with: captions that roll show each line twice."""
    before = _Cue(-1, -1, "")
    for cue in cues:
        lines, shown = cue.text.split("\n"), before.text.split("\n")
        follows = cue.speaker == before.speaker and abs(cue.start - before.end) <= _AT_ONCE
        most = min(len(lines), len(shown)) if follows else 0
        same = next((count for count in range(most, 0, -1) if shown[-count:] == lines[:count]), 0)
        before = cue
        if same < len(lines):
            yield replace(cue, text="\n".join(lines[same:]))


def _named(cues: list[_Cue]) -> list[_Cue]:
    """The cues with the speakers that stand before their texts, if that is how most of them begin."""
    found = [None if cue.speaker else _SPEAKER.match(cue.text) for cue in cues]
    names = Counter(one[1] for one in found if one)
    if 2 * names.total() < len(cues) or len(names) == names.total() > 1:
        return cues
    return [
        replace(cue, speaker=one[1].strip(), text=cue.text[one.end() :]) if one else cue
        for cue, one in zip(cues, found, strict=True)
    ]


def _drafts(cues: list[_Cue], path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    about = recording(path, options)
    chat = about.conversation(path, options)
    seen = set()
    voices = [voice for one in cues for voice in _voices(one)]
    for cue in _named(list(_once(voices))):
        id = short_id(str(cue.start), cue.speaker, cue.text)
        if id not in seen:
            seen.add(id)
            yield from about.said(chat, chosen_name(cue.speaker), cue.text, cue.start, id=id, end=cue.end)


_SRT = pattern(rf"\d+[ \t]*\r?\n[ \t]*{_CLOCK}[ \t]*-->[ \t]*{_CLOCK}\s")


def _is_vtt(sample: Sample) -> bool:
    if sample.suffix in (".vtt", ".sbv") and _TIMING.match(sample.text.replace("\r", "\n")):
        return True  # SBV, or WebVTT without its first line, as some programs write it
    return re.match(r"WEBVTT(?:[ \t\r\n]|\Z)", sample.text) is not None and (
        sample.suffix == ".vtt" or _TIMING.search(sample.text.replace("\r", "\n")) is not None
    )


def _is_srt(sample: Sample) -> bool:
    return _SRT.match(sample.text) is not None or (
        sample.suffix == ".srt" and _TIMING.search(sample.text.replace("\r", "\n")) is not None
    )


VTT = Format("vtt", "A transcript or captions (WebVTT, SBV)", read_vtt, _is_vtt, ("*.vtt", "*.sbv"))
SRT = Format("srt", "Subtitles or a transcript (SubRip)", read_srt, _is_srt, ("*.srt",))
