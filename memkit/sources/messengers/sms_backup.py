"""SMS loader: the texts of an Android phone, as the app SMS Backup & Restore writes them (XML)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.xml_parser import xml_parser
from memkit.sources.zips import BLOCK

_RECEIVED, _SENT = "1", "2"  # other kinds are drafts, and what was never sent
_FROM = "137"  # the kind of a number in a message of several parts
_MOMENT = re.compile(r"[0-9]{1,19}")  # milliseconds
_NOTHING = ("null", "", "(Unknown)")
_TEXT, _LAYOUT = "text/plain", "application/smil"
_DATA = b' data="'  # before a picture, as letters
_AND = "~"  # between the numbers of a group
# Half a character each: XML forbids them, and the app wrote emojis so for years.
_HIGH = rb"&#(5529[6-9]|55[3-9]\d\d|56[0-2]\d\d|563[01]\d);"
_LOW = rb"&#(563[2-9]\d|56[4-9]\d\d|57[0-2]\d\d|573[0-3]\d|5734[0-3]);"
_TWO, _ONE = re.compile(_HIGH + _LOW), re.compile(_HIGH + b"|" + _LOW)
_BEGUN = re.compile(rb"&(?:#(?:\d{1,5}(?:;(?:&(?:#\d{0,5})?)?)?)?)?\Z")  # two halves, of which the end is not read yet
_LONGEST = 16  # bytes of two halves


@dataclass
class _Text:
    """A message: with whom, when, and what; of one that was received, from whom."""

    with_whom: str
    named: str
    at: int
    kind: str
    sender: str = ""
    words: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with each number or group, the oldest first. Calls, drafts and pictures are left out."""
    found, failure = _Reader(), None
    try:
        with opened(path, options) as stream:
            found.parse(stream, options.limits)
    except OverLimit as error:
        failure = Failure(path.as_posix(), str(error))
    except (expat.ExpatError, LookupError, ValueError) as error:
        failure = Failure(path.as_posix(), f"broken XML: {error}")
    names = {one.with_whom: one.named for one in found.texts if one.named and _AND not in one.with_whom}
    chats: dict[str, list[_Text]] = defaultdict(list)
    for one in found.texts:
        chats[one.with_whom].append(one)
    for whom, texts in chats.items():
        yield from _chat(path, whom, sorted(texts, key=lambda one: one.at), names, options)
    if failure:
        yield failure


class _Reader:
    """Gathers the messages while the XML is read; what is in pictures is not kept."""

    def __init__(self) -> None:
        self.texts: list[_Text] = []
        self._parser = xml_parser(self._start, lambda tag: None, lambda text: None)

    def parse(self, stream: BinaryIO, limits: ReadLimits) -> None:
        """Reads on to the end. Raises OverLimit, and ExpatError, LookupError and ValueError as the parser does."""
        for block in _mended(_blocks(stream, limits)):
            self._parser.Parse(block, False)
        self._parser.Parse(b"", True)

    def _start(self, tag: str, about: dict[str, str]) -> None:
        if tag in ("sms", "mms"):
            kind = about.get("type" if tag == "sms" else "msg_box", "")
            numbers = sorted(filter(None, map(_number, about.get("address", "").split(_AND))))
            named = about.get("contact_name", "")
            at = int(date) if _MOMENT.fullmatch(date := about.get("date", "")) else 0
            text = _Text(_AND.join(numbers), "" if named in _NOTHING else named, at, kind)
            text.words += [words for words in [about.get("body", "")] if words not in _NOTHING]
            self.texts.append(text)
        elif self.texts:
            self._part(tag, about, self.texts[-1])

    def _part(self, tag: str, about: dict[str, str], text: _Text) -> None:
        """What stands in a message of several parts."""
        kind = about.get("ct", "")
        if tag == "part" and kind == _TEXT:
            text.words.append(about.get("text", ""))
        elif tag == "part" and kind != _LAYOUT:
            names = (about.get(key, "") for key in ("cl", "name", "fn"))
            text.files.append(next((one for one in names if "." in one), kind.partition("/")[0]))
        elif tag == "addr" and about.get("type") == _FROM:
            text.sender = _number(about.get("address", ""))


def _blocks(stream: BinaryIO, limits: ReadLimits) -> Iterator[bytes]:
    """The blocks of a file without what is in its pictures. Raises OverLimit for a line that is too long without it."""
    rest, hidden, line = b"", False, 0
    while block := stream.read(BLOCK):
        parts, data, rest = list[bytes](), rest + block, b""
        while data:
            found = data.find(b'"' if hidden else _DATA)
            if found < 0:
                kept = b"" if hidden else data
                cut = max(0, len(kept) - len(_DATA) + 1)
                parts, data, rest = [*parts, kept[:cut]], b"", kept[cut:]
            else:
                cut = found if hidden else found + len(_DATA)
                parts, data, hidden = [*parts, b"" if hidden else data[:cut]], data[cut:], not hidden
        told = b"".join(parts)
        line = len(told) - told.rfind(b"\n") if b"\n" in told else line + len(told)
        if line > limits.line_size:
            raise OverLimit("line_size", limits, "bytes in a line")
        yield told
    yield rest


def _mended(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks with whole characters in place of two halves."""
    rest = b""
    for block in blocks:
        data = _TWO.sub(_whole, rest + block)
        begun = _BEGUN.search(data, max(0, len(data) - _LONGEST))
        rest = begun[0] if begun else b""
        yield _ONE.sub(_whole, data[: len(data) - len(rest)])
    yield _ONE.sub(_whole, rest)


def _whole(found: re.Match[bytes]) -> bytes:
    """The character of two halves; of one, the mark for a missing character."""
    halves = b"".join(int(one).to_bytes(2, "big") for one in found.groups() if one)
    return halves.decode("utf-16-be", "replace").encode()


def _number(address: str) -> str:
    """A number without the marks in it: `(555) 010-2030`; a name in place of one as it is."""
    bare = re.sub(r"[\s().-]", "", address)
    return "" if address in _NOTHING else bare if bare.lstrip("+").isdigit() else address.strip()


def _chat(
    path: Path, whom: str, texts: list[_Text], names: dict[str, str], options: ReadOptions
) -> Iterator[Draft | Failure]:
    title = next((one.named for one in reversed(texts) if one.named), whom.replace(_AND, ", "))
    chat = conversation(path, f"sms:{whom}", title, options, whole=False)
    ids = RecordIds()
    for one in texts:
        if one.kind not in (_RECEIVED, _SENT):
            options.skip("drafts, and messages that were not sent")
            continue
        sender = one.sender or whom
        speaker = "user" if one.kind == _SENT else chosen_name(names.get(sender) or sender or "unknown")
        text, attached = "\n".join(filter(None, one.words)), ", ".join(one.files)
        id = ids.next(one.at, one.kind + sender, text or attached)
        yield from chat.turn(speaker, text or attached, id=id, at=one.at, attachment=attached or None)


def _matches(sample: Sample) -> bool:
    return sample.text.startswith("<") and "<smses" in sample.text[:4000]


FORMAT = Format("sms-backup", "Texts of an Android phone, by SMS Backup & Restore (XML)", read, _matches, ("sms*.xml",))
