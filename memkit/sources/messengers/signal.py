"""Signal loader: chats as Markdown or text, by signal-export (sigexport)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.instants import from_clocks
from memkit.core.patterns import pattern
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import decoded, head, is_chat, messages
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.text_file import as_utf8

_NAMES = ("chat", "index")  # of the file in the folder of a conversation
_LINE = pattern(r"\[\d{4}-\d\d-\d\d(?:, \d\d:\d\d| \d\d:\d\d:\d\d)\] [^:\n]+:")
_REACTIONS = ("\n(- ", " -)")
_ATTACHED = pattern(r"!?\[([^\[\]\n]*)\]\((?:\./)?media/([^)\n]{1,300})\)[ ]*")
_QUOTE = pattern(r"\s*\n(?:> ?[^\n]*\n)+\n?")
_DELETED = "(This message was deleted)"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a conversation with their speakers. Reactions and deleted messages are left out."""
    title = path.parent.name if path.stem in _NAMES else path.stem
    source = f"signal:{title}" if path.stem in _NAMES else path.as_posix()
    chat = conversation(path, source, title, options, whole=False, by_clock=True)
    ids = RecordIds()
    failures: list[Failure] = []
    with opened(path, options) as stream, as_utf8(stream, options.limits) as utf8:
        for message in messages(decoded(utf8, path, options, failures), True, options.limits):
            yield from failures
            failures.clear()
            text, about = _parts(message.text)
            speaker = message.speaker or "system"
            if text and text != _DELETED and (message.speaker or options.include_system):
                id = ids.next(message.at.isoformat(), speaker, text)
                yield from chat.turn(speaker, text, id=id, at=from_clocks(message.at, options.timezone), **about)
    yield from failures


def _parts(text: str) -> tuple[str, dict[str, Any]]:
    """What was written, and what belongs to it: the message that it answers, and the names of attachments."""
    before, reacted, names = text.rstrip().rpartition(_REACTIONS[0])
    text = before if reacted and "\n" not in names and names.endswith(_REACTIONS[1]) else text
    quote = _QUOTE.match(text)
    if quote:
        text = text[quote.end() :]
    files = [name or PurePosixPath(file).name for name, file in _ATTACHED.findall(text)]
    attached = ", ".join(files) or None
    said = re.sub(r"^> ?", "", quote[0].strip(), flags=re.MULTILINE) if quote else None
    return _ATTACHED.sub("", text).strip() or attached or "", {"quote": said, "attachment": attached}


def _matches(sample: Sample) -> bool:
    if sample.suffix not in (".md", ".txt") or not _LINE.match(sample.text):
        return False
    if sample.path.stem in _NAMES and sample.suffix == ".md":
        return True
    found = head(sample.text[:100])
    return is_chat(sample.text) and found is not None and (sample.suffix == ".md" or not found.seconds)


FORMAT = Format("signal", "Signal's chats, by signal-export", read, _matches, ("*.md", "*.txt"))
