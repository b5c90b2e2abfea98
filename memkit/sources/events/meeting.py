"""Meetings loader: transcripts as text, of Teams, Google Meet, Otter and others. A memory is what one says in a go.

What stands above them, such as a summary or who was there, is a note of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from memkit.core.patterns import pattern
from memkit.core.roles import chosen_name
from memkit.core.written_dates import written_date
from memkit.sources.format import Format
from memkit.sources.notes.note import Note, Record, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.recordings import Recording, named_recording
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment
from memkit.sources.text_file import text_of
from memkit.sources.values import short_name

_CLOCK = r"(?:(?P<h>\d{1,2}):)?(?P<m>\d\d?):(?P<s>\d\d?)"
_WHO = r"(?P<who>[^\s:][^:\n]{0,80}?)"
# What stands above that which somebody says, in one form in a file.
_HEADS = tuple(
    pattern(rf"^(?:{head})$", re.MULTILINE)
    for head in (
        rf"{_WHO}[ \t]{{2,}}{_CLOCK}",  # Otter and Teams: `Rosa Marsh  0:03`
        rf"(?<![^\n]\n){_WHO} {_CLOCK}",  # the same, copied, below an empty line
        rf"{_CLOCK} - {_WHO}",  # Fathom: `0:03 - Rosa Marsh (Garden club)`
        rf"{_WHO} \({_CLOCK}\):?",  # Rev: `Rosa Marsh (00:03):`
        rf"{_CLOCK}\.\d{{1,3}} --> [\d:.]{{5,15}}\n{_WHO}",  # Teams in 2021: a line of times, and one of the name
        r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?P<who>)",  # Meet: below it are lines that begin with a name
    )
)
_TIME_ALONE = pattern(rf"^{_CLOCK}$", re.MULTILINE)  # Otter, where it knows no speakers
_NAMED = pattern(rf"^{_WHO}:(?:[ \t]+|$)", re.MULTILINE)  # Meet: `Rosa Marsh: It is late.`
_ENDED = pattern(r"^[^\d:\n]{5,80} \d\d:\d\d:\d\d$", re.MULTILINE)  # Meet, in the language of the account
_MARKUP = pattern(r"(?:#{1,6} +)?\*\*([^*\n]{1,100})\*\*|^#{1,6} +|^\*(?=[^*\n]+\*$)|\\(?=[!-/:-@\[-`{-~])")
# What only programs write: what has such a line is a transcript.
_OF_PROGRAM = pattern(
    r"^(?:.{1,100} (?:started|stopped) transcription|Transcribed by https?://otter\.ai/?|VIEW RECORDING - .*"
    r"|Transcription ended after \d\d:\d\d:\d\d|This editable transcript was computer generated.*)$\n?",
    re.MULTILINE,
)
_NO_WORDS = pattern(r"[\W_]*|(?:\d{1,2} ?[^\W\d]{1,8}\.? ?){1,3}")  # a rule, or how long it was, in any language
_OF_MEET = pattern(r"(?P<title>.+?) [-–] \w+")  # `Garden club - Transcript`, in the language of the account
_OF_TEAMS = pattern(r"-\d{8}_\d{6}")  # in the first line
_HAS_CLOCK = pattern(r"\d:\d\d?")
_LATEST_START = 600  # seconds
_LONGEST_NOTICE = 120  # characters
_EDGE = 5  # lines with words, of those around a transcript


class _Turn(NamedTuple):
    """What one speaker says in a go, and how many seconds after the beginning."""

    start: int
    speaker: str
    text: str


class Meeting(NamedTuple):
    """A transcript: what was said, and the text around it."""

    turns: Sequence[_Turn]
    around: str


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """What was said, with its speakers and times; what stands above it is a note."""
    text = text_of(path, options)
    yield from records(meeting(text) or Meeting((), text), path, options)


def records(found: Meeting, path: Path, options: ReadOptions) -> Iterator[Record]:
    """The turns of a meeting, and a note of what stands around them."""
    about, note = _about(found.around, path, options)
    chat, ids = about.conversation(path, options), RecordIds()
    for turn in found.turns:
        speaker = chosen_name(short_name(turn.speaker))
        id = ids.next(turn.start, speaker, turn.text)
        yield from about.said(chat, speaker, turn.text, turn.start, id=id)
    if note:
        yield from drafts([Note(f"{path.as_posix()}#notes", about.title, note, happened=about.began)], path, options)


def meeting(text: str) -> Meeting | None:
    """The transcript that a text is; None for other text."""
    if not _HAS_CLOCK.search(text):
        return None
    text = "\n".join([_MARKUP.sub(r"\1", line.strip()).strip() for line in text.split("\n")])
    is_sure = _OF_PROGRAM.search(text) is not None
    found = [_turns(text, [*head.finditer(text)]) for head in _HEADS]
    if is_sure and (best := max([*found, _turns(text, [*_TIME_ALONE.finditer(text)])], key=lambda one: len(one.turns))):
        return best if best.turns else None
    return next((one for one in found if _is_meeting(one.turns)), None)


def _turns(text: str, heads: list[re.Match[str]]) -> Meeting:
    """What is said below these heads, and what stands around it."""
    if not heads:
        return Meeting((), text)
    above, below, turns = text[: heads[0].start()], "", list[_Turn]()
    for head, end in zip(heads, [*(one.start() for one in heads[1:]), len(text)], strict=True):
        start, said = 3600 * int(head["h"] or 0) + 60 * int(head["m"]) + int(head["s"]), text[head.end() : end]
        if (who := head.groupdict().get("who", "")) or head.re.groups < 4:
            turns.append(_Turn(start, who.strip(), said))
            continue
        if ended := _ENDED.search(said):
            said, below = said[: ended.start()], said[ended.end() :]
        named = _NAMED.split(said)  # what stands before the first name, then each name and its words
        turns += [_Turn(start, *one) for one in zip(["", *named[1::2]], named[::2], strict=True)]
    told = [one._replace(text=_OF_PROGRAM.sub("", one.text).strip()) for one in turns]
    if _OF_TEAMS.search(above):
        above, told[-1] = _untold(above, told), told[-1]._replace(text=_untold(told[-1].text, told))
    return Meeting([one for one in told if one.text], f"{above}\n{below}")


def _untold(text: str, turns: Sequence[_Turn]) -> str:
    """A text without its last line if Teams says there, in any language, who started or stopped the transcription."""
    rest, _, last = text.rstrip().rpartition("\n")
    is_told = len(last) <= _LONGEST_NOTICE and not last.endswith((".", "?", "!"))
    return rest if is_told and any(one.speaker and last.startswith(f"{one.speaker} ") for one in turns) else text


def _is_meeting(turns: Sequence[_Turn]) -> bool:
    """Whether these are turns, and no plan, chapters or chat on a clock: names recur, and times begin at nothing."""
    names = Counter(one.speaker for one in turns if one.speaker)
    return (
        2 * names.total() > len(turns) > 2
        and len(names) < names.total()
        and turns[0].start < _LATEST_START
        and all(one.start <= after.start for one, after in pairwise(turns))
        and (any(one.start % 60 % 5 for one in turns) or not any(one.start for one in turns))
    )


def _about(around: str, path: Path, options: ReadOptions) -> tuple[Recording, str]:
    """What the name of the file and the lines around a transcript tell of it, and the lines that say more."""
    lines = [line for line in _OF_PROGRAM.sub("", around).split("\n") if not _NO_WORDS.fullmatch(line)]
    named, title, began, kept = named_recording(path.stem, options), "", None, list[str]()
    for number, line in enumerate(lines):
        is_last = number >= len(lines) - 2
        if (number < _EDGE or is_last) and (told := _day(line)):
            began = began or told
        elif is_last and (found := _OF_MEET.fullmatch(line)):
            title = found["title"]
        elif number < _EDGE and (of_teams := named_recording(line, options)):
            named = named or of_teams
        else:
            kept.append(line)
    if not named or not named.began or (began and "T" in began):
        named = Recording(named.title if named else "", began)  # Teams tells it in UTC
    if not (title := named.title or title) and len(kept) == 1 and " " in kept[0]:
        title = kept.pop()
    return named._replace(title=title or path.stem), "\n".join(kept)


def _day(line: str) -> str | None:
    """The day or moment that a line tells and nothing else: `January 15, 2026, 5:30PM`."""
    return moment(line, "UTC") if written_date(line) else None


def _matches(sample: Sample) -> bool:
    return sample.suffix in (".txt", ".md") and not sample.text.startswith("---\n") and meeting(sample.text) is not None


FORMAT = Format(
    "meeting", "Transcripts of meetings as text: Teams, Google Meet, Otter", read, _matches, ("*.txt", "*.md")
)
