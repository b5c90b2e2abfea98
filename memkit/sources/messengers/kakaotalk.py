"""KakaoTalk loader: a chat as a phone or a computer exports it, in Korean or English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation
from memkit.sources.contents import opened
from memkit.sources.format import Format
from memkit.sources.messengers.dated_lines import decoded, headed
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample
from memkit.sources.spoken_moments import moment
from memkit.sources.text_file import as_utf8
from memkit.sources.values import short_name

_CLOCK = r"(?:(?:오전|오후) \d{1,2}:\d\d|\d{1,2}:\d\d(?: ?[AP]M)?)"
_DAY = r"(?:\d{4}년 \d{1,2}월 \d{1,2}일|\d{4}\. \d{1,2}\. \d{1,2}\.|[A-Z][a-z]{2,8} \d{1,2}, \d{4}(?: at|,)?)"
# On a phone each message has its day; a line with a day alone, or with what the program tells, has no ` : `.
_HEAD = re.compile(rf"(?P<at>{_DAY} {_CLOCK})(?:, (?:(?P<who>[^:\n]{{1,120}}?) : )?(?P<text>.*))?")
# On a computer the days stand between the messages.
_BETWEEN = re.compile(r"-{5,} (?P<day>.{8,40}) -{5,}")
_SAID = re.compile(rf"\[(?P<who>[^\]\n]{{1,120}})\] \[(?P<time>{_CLOCK})\] (?P<text>.*)")
_TITLE = re.compile(
    r"\ufeff?(?:(?P<korean>.{1,200}?)(?: 님과)? 카카오톡 대화|KakaoTalk Chats with (?P<english>.{1,200}))\s*"
)
_OWNER = "회원님"  # what the program calls whose phone it is
_DELETED = ("삭제된 메시지입니다.", "This message was deleted.", "Deleted message.")
_LOOKED_AT = 4000  # characters


class _Message(NamedTuple):
    at: str
    speaker: str | None  # None for what the program tells
    text: str


_NOBODY = _Message("", None, "")  # a new day


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages with their speakers. What the program tells, and deleted messages, are left out."""
    failures: list[Failure] = []
    with opened(path, options) as stream, as_utf8(stream, options.limits) as text:
        lines = decoded(text, path, options, failures)
        first = next(lines, "")
        found = _TITLE.match(first)
        title = (found["korean"] or found["english"]).strip() if found else path.stem
        chat = conversation(
            path, f"kakaotalk:{title}" if found else path.as_posix(), title, options, whole=False, by_clock=True
        )
        ids = RecordIds()
        for message in _messages(lines, options):
            yield from failures
            failures.clear()
            yield from _turn(chat, message, ids)
    yield from failures


def _messages(lines: Iterator[str], options: ReadOptions) -> Iterator[_Message]:
    """The messages in these lines; others continue them."""
    day = ""

    def begun(line: str) -> _Message | None:
        nonlocal day
        if between := _BETWEEN.fullmatch(line):
            day = between["day"]
            return _NOBODY
        if day and (said := _SAID.fullmatch(line)):
            return _Message(moment(f"{day} {said['time']}", options.timezone) or "", said["who"], said["text"])
        if head := _HEAD.fullmatch(line):
            return _Message(moment(head["at"], options.timezone) or "", head["who"], head["text"])
        return None

    for now, rest in headed(lines, begun, options.limits):
        if now.speaker:
            yield now._replace(text="\n".join([now.text, *rest]).rstrip())


def _turn(chat: Conversation, message: _Message, ids: RecordIds) -> Iterator[Draft | Failure]:
    if message.text in _DELETED:
        return
    speaker = "user" if message.speaker == _OWNER else chosen_name(short_name(message.speaker))
    yield from chat.turn(speaker, message.text, id=ids.next(message.at, speaker, message.text), at=message.at or None)


def _matches(sample: Sample) -> bool:
    beginning = sample.text[:_LOOKED_AT].lstrip("\ufeff").replace("\r\n", "\n")
    lines = beginning.split("\n")
    if _TITLE.fullmatch(lines[0]) is None:
        return False
    return any(_BETWEEN.fullmatch(line) or ((head := _HEAD.fullmatch(line)) and head["who"]) for line in lines)


FORMAT = Format("kakaotalk", "KakaoTalk's exported chats", read, _matches, ("*.txt",))
