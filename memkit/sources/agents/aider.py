"""aider loader: `.aider.chat.history.md`, in which all sessions of a project follow each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby, pairwise
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, told
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.jsonl_lines import lines
from memkit.sources.limits import OverLimit
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8

_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
# Commands whose words go to the model; the others are told to aider.
_COMMAND = re.compile(r"/(?:ask|code|architect|chat-mode|context)\b[ \t]*|/\S+.*")
_FILE = ".aider.chat.history.md"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each session, with the time when it was begun; what aider itself says or is told is left out."""
    starts: Counter[str] = Counter()
    for start, said in _sessions(path, options):
        starts[start] += 1
        number = f"-{starts[start]}" if starts[start] > 1 else ""
        at = from_clocks(datetime.fromisoformat(start), options.timezone) if start else None
        source = f"{path.as_posix()}#{start}{number}"
        yield from told(path, source, [Message(who, text, at=at) for who, text in said], options, times=(at, None))


def _sessions(path: Path, options: ReadOptions) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The start of each session on aider's clock, and what was said in it by turns."""
    start = ""
    found: list[tuple[str, str]] = []
    with opened(path, options) as file, as_utf8(file, options.limits) as stream:
        for _, line in lines(stream, options.limits.line_size, blank=True):
            if line is None:
                raise OverLimit("line_size", options.limits, "bytes in a line")
            text = line.decode().rstrip()
            if begun := _START.fullmatch(text):
                yield start, _turns(start, found, options)
                start, found = begun[1], []
            else:
                found.append(_told(text))
    yield start, _turns(start, found, options)


def _told(line: str) -> tuple[str, str]:
    """Who says a line, and its words."""
    if line == "####" or line.startswith("#### "):
        return "user", line[5:]
    if line == ">" or line.startswith("> "):
        return "tool", line[2:]
    return ("", "") if not line else ("assistant", line)


def _turns(start: str, found: list[tuple[str, str]], options: ReadOptions) -> list[tuple[str, str]]:
    """Lines of one speaker together. A blank line belongs to who spoke before it.

    What stands at the start of a session before anybody asked (maps of the repository) is aider's own, too.
    """
    speaker, owned, asked = "", [], not start
    _as_code(found)
    for who, line in found:
        asked = asked or who == "user"
        speaker = (who if asked or who != "assistant" else "tool") or speaker
        owned.append((speaker, line))
    told = [(who, "\n".join(line for _, line in lines).strip()) for who, lines in groupby(owned, lambda one: one[0])]
    kept = ("user", "assistant", "tool") if options.include_tools else ("user", "assistant")
    spoken = [(who, text if options.include_system else _words(who, text)) for who, text in told if who in kept]
    # What /ask says to the model follows it once more.
    return [one for before, one in pairwise([("", ""), *spoken]) if one[1] and one != before]


def _as_code(found: list[tuple[str, str]]) -> None:
    """Gives the lines with `>` in a block of code back to the model, which ended the block."""
    begun: int | None = None
    for at, (who, line) in enumerate(found):
        if who == "user":
            begun = None
        elif who == "assistant" and line.startswith("```"):
            for place in range(begun or 0, at if begun is not None else 0):
                if found[place][0] == "tool":
                    found[place] = ("assistant", f"> {found[place][1]}".rstrip())
            begun = at if begun is None else None


def _words(who: str, text: str) -> str:
    """What a person says without commands to aider."""
    if who != "user" or not text.startswith("/"):
        return text
    lines = [words for line in text.split("\n") if (words := _COMMAND.sub("", line, count=1).strip())]
    return "\n".join(one for before, one in pairwise(["", *lines]) if one != before)


def _matches(sample: Sample) -> bool:
    return sample.name == _FILE or _START.match(sample.text) is not None


FORMAT = Format("aider", "The chat history of aider", read, _matches, (_FILE, "*.md"))
