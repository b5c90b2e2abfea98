"""TikTok loader: comments, direct messages and posts of an account, as its data come as JSON, or the zip of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, records
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import joined
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

_FILES = r"user_data.*\.json"  # in the zip
_CHAT = "Chat History with "
_DEEPEST = 3  # in which section a list stands differs by the year
_NOTHING = ("", "N/A", "None")
_SECTIONS = re.compile(
    r'\A\{\s*"(?:Activity|Ads and (?:rich )?data|App Settings?|Comment|Likes and Favorites|Profile)"\s*:\s*\{'
)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of each chat, the comments and the posts with words, the oldest first. The rest are no words."""
    for found in records(path, options, _FILES):
        if isinstance(found, Failure):
            yield found
            continue
        account = _told(as_dict(_section(found, "ProfileMap")), "userName")
        me = chosen_name(account) if account else "user"
        for title, messages in as_dict(_section(found, "ChatHistory")).items():
            whom = title.removeprefix(_CHAT).rstrip(": ")
            yield from _written(path, f"tiktok:{whom}", whom, me, as_list(messages), options)
        comments, posts = (
            as_list(_section(found, "CommentsList")),
            as_list(_section(found, "VideoList", "Post", "Video")),
        )
        yield from _written(path, "tiktok:comments", "Comments on TikTok", me, comments, options)
        yield from _written(path, "tiktok:posts", "Posts on TikTok", me, posts, options)


def _section(found: Record, key: str, *tops: str) -> object:
    """What stands under a key, in the sections of these names, else in any, however deep."""
    level = [one for name, one in found.items() if isinstance(one, dict) and (not tops or name in tops)]
    for _ in range(_DEEPEST):
        if value := next((one[key] for one in level if one.get(key)), None):
            return value
        level = [inner for one in level for inner in one.values() if isinstance(inner, dict)]
    return None


def _told(about: Record, *keys: str) -> str:
    """The text under the first of these keys that tells something, in capitals or not."""
    texts = (as_text(about.get(one)) for key in keys for one in (key, key.lower()))
    return next((text for text in texts if text.strip() not in _NOTHING), "")


def _written(
    path: Path, source: str, title: str, me: str, rows: list[Any], options: ReadOptions
) -> Iterator[Draft | Failure]:
    chat, ids = conversation(path, source, title or "TikTok", options, whole=False), RecordIds()
    for row in sorted(map(as_dict, rows), key=lambda one: _told(one, "Date")):
        at, speaker = _told(row, "Date"), _told(row, "From") or (title if "Content" in row else me) or "unknown"
        text = _told(row, "Content", "Comment") or joined(_told(row, "Title"), _told(row, "AlternateText"))
        named = speaker if speaker == me else chosen_name(speaker)
        yield from chat.turn(named, text, id=ids.next(at, speaker, text), at=at)


def _matches(sample: Sample) -> bool:
    named = (one for one in sample.inside(_FILES) if one.name.startswith("user_data"))
    return any(("tiktok" in one.name or "tiktok" in one.text) and _SECTIONS.match(one.text) for one in named)


FORMAT = Format(
    "tiktok",
    "Messages, comments and posts of TikTok, as JSON, or the zip",
    read,
    _matches,
    ("user_data*.json", "*.zip"),
)
