"""Adium loader: its logs of conversations (`rosa@chat.example (2013-06-03T18.56.34-0800).chatlog`), which are XML."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation, time_or_none
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.values import short_name

_CHAT = pattern(r"(?:<\?xml[^>]{0,200}\?>\s*)?<chat\s[^<>]{0,300}purl\.org/net/ulf/ns/")
# A log of which the end is missing is read as far as it goes, which a parser of XML would not do.
_MESSAGE = pattern(r"<message\b([^<>]*)>((?:(?!<message\b|</message>)[^\0]){0,200000})</message>")
_ATTRIBUTE = pattern(r"\b(sender|alias|time)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_NAME = pattern(r"(?P<who>.+) \(\d{4}-\d\d-\d\dT[^()]*\)")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with their speakers; what the program tells (who went away, which window was opened) is left out."""
    text = whole(path, options).decode("utf-8", "replace")
    named = _NAME.fullmatch(path.stem)
    chat = conversation(path, path.as_posix(), named["who"] if named else path.stem, options, whole=False)
    ids = RecordIds()
    for message in _MESSAGE.finditer(text):
        about = {key: unescape(one or other) for key, one, other in _ATTRIBUTE.findall(message[1])}
        speaker = chosen_name(short_name(about.get("alias") or about.get("sender") or "")) or "unknown"
        said, at = html_markdown(message[2]).strip(), time_or_none(about.get("time"))
        yield from chat.turn(speaker, said, id=ids.next(at, speaker, said), at=at)


def _matches(sample: Sample) -> bool:
    return _CHAT.match(sample.text) is not None


FORMAT = Format("adium", "Adium's logs of conversations", read, _matches, ("*.chatlog", "*.xml"))
