"""Comments of Facebook and Instagram: what somebody wrote below the posts of others, as a download has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, conversation
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

FILES = r"(?:post_|reels_)?comments(?:_\d+)?\.json"  # in the zip
_OF_FACEBOOK = ("comments_v2", "comments")
_OF_INSTAGRAM = ("comments_media_comments", "comments_reels_comments", "media_comments")
_FIELDS = "string_map_data"  # under names in the language of the account


def are_comments(sample: Sample) -> bool:
    """Whether a file holds comments. Other files of Instagram have the same form under other names."""
    if re.fullmatch(FILES, sample.name) is None:
        return False
    if any(sample.has_keys(key) for key in _OF_FACEBOOK):
        return '"comment":' in sample.text
    return any(sample.has_keys(key) for key in (*_OF_INSTAGRAM, _FIELDS))


def comments(path: Path, record: Record, ids: RecordIds, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The comments in a file of Facebook, or in a file or a record of Instagram; nothing of other records."""
    for key in _OF_FACEBOOK:
        for one in map(as_dict, as_list(record.get(key))):
            said = (as_dict(as_dict(part).get("comment")) for part in as_list(one.get("data")))
            text = next((str(part["comment"]) for part in said if part.get("comment")), "")
            yield from _comment(path, "Facebook", text, one.get("timestamp"), one.get("title"), ids, options)
    for one in (record, *(each for key in _OF_INSTAGRAM for each in as_list(record.get(key)))):
        if isinstance(one, list):  # until 2020
            at, text, whose = (*one, None, None, None)[:3]
            yield from _comment(path, "Instagram", str(text or ""), at, whose, ids, options)
        elif fields := as_dict(as_dict(one).get(_FIELDS)):
            found = [as_dict(field) for field in fields.values()]
            at = next((field["timestamp"] for field in found if field.get("timestamp")), None)
            # The comment comes first, then whose post it is below.
            text, whose, *_ = (*(str(field["value"]) for field in found if field.get("value")), "", "")
            yield from _comment(path, "Instagram", text, at, whose, ids, options)


def _comment(
    path: Path, place: str, text: str, at: object, below: object, ids: RecordIds, options: ReadOptions
) -> Iterator[Draft | Failure]:
    here = conversation(path, f"{place.lower()}:comments", f"Comments on {place}", options, whole=False)
    yield from here.turn("user", text, id=ids.next(at, "user", text), at=at, below=below or None)
