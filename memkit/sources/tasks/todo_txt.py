"""todo.txt loader: a task a line, in the files `todo.txt` and `done.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.sources.format import Format
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.tasks.task import Task, moment

_DAY = r"\d{4}-\d\d-\d\d"
_LINE = re.compile(
    rf"(?P<done>x )?(?:\((?P<first>[A-Z])\) )?(?:(?P<day>{_DAY}) )?(?:(?P<made>{_DAY}) )?(?P<words>\S.*)"
)
_MARK = re.compile(r"(?<!\S)([+@])(\S*\w)")
_PAIR = re.compile(r"(?<!\S)([a-z][\w-]*):(?!//)(\S+)")
_NAMES = re.compile(r"(?:.*[._-])?(?:todo|done)\.txt")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The list with its tasks, each with its days; projects (`+garden`) and contexts (`@home`) are tags."""
    lines = note_text(path, options).split("\n")
    sections = tuple(_sections(lines))
    yield from drafts([Note(path.as_posix(), path.stem if sections else "", "", sections=sections)], path, options)


def _sections(lines: list[str]) -> Iterator[Section]:
    """A part for each task: what stands in the list no longer is no task any more, as in a note."""
    ids = RecordIds()
    for line in lines:
        if found := _LINE.fullmatch(line.strip()):
            item = _task(found, ids).item()
            yield Section(item.text, id=item.id, happened=item.at, tags=item.tags, meta=item.meta)


def _task(found: re.Match[str], ids: RecordIds) -> Task:
    words, is_done = found["words"], found["done"] is not None
    pairs = dict(_PAIR.findall(words))
    title = " ".join(_PAIR.sub(lambda pair: "" if pair[1] in ("due", "t", "pri", "rec") else pair[0], words).split())
    made = found["made"] or ("" if is_done else found["day"] or "")
    return Task(
        of="todo.txt",
        list="todo.txt",
        id=ids.next(made, "", words),  # the same when it is done
        title=title or words,
        due=moment(pairs.get("due", "")),
        done=moment((found["day"] or "") if is_done else ""),
        is_done=is_done,
        created=made or None,
        tags=[name for _, name in _MARK.findall(words)],
        about={"Priority": found["first"] or pairs.get("pri", ""), "Start": pairs.get("t", "")},
    )


def _matches(sample: Sample) -> bool:
    """Whether a file has such a name, and most of its lines say that they are tasks of this kind."""
    if not _NAMES.fullmatch(sample.name):
        return False
    lines = [line for line in sample.text.split("\n")[:100] if line.strip()]
    told = [line for line in lines if re.match(rf"x |\([A-Z]\) |{_DAY} ", line) or _MARK.search(line)]
    return len(told) * 2 > len(lines)


FORMAT = Format("todo.txt", "Tasks in todo.txt", read, _matches, ("*todo.txt", "*done.txt"))
