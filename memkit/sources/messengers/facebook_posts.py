"""Posts of Facebook, Instagram and Threads: what somebody wrote, as a download has it beside the chats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import joined, link
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

Record = dict[str, Any]

_MOST_ATTACHED = 1000  # to a post
_OF_FACEBOOK = ('"post":', '"attachments":', '"update_timestamp":')  # beside `timestamp` and `data`

# Under these a file holds the posts on Threads, and the reels, films and archived posts of Instagram.
_HELD = ("text_post_app_text_posts", "ig_reels_media", "ig_igtv_media", "ig_archived_post_media")
HOLDERS = r"threads_and_replies\.json|reels\.json|igtv_videos\.json|archived_posts\.json"  # what such files are called


def are_posts(sample: Sample) -> bool:
    """Whether a file is a list of posts."""
    if sample.has_keys("timestamp", "data"):
        return any(key in sample.text for key in _OF_FACEBOOK)
    return any(map(sample.has_keys, ("media", *_HELD))) and '"creation_timestamp":' in sample.text


def posts_in(record: Record) -> list[Record]:
    """The post that an object is, or those that it holds; none if it is none."""
    if isinstance(record.get("data"), list) or _is_of_instagram(record):
        return [record]
    return [found for key in _HELD for one in as_list(record.get(key)) if (found := as_dict(one))]


def post(path: Path, record: Record, ids: RecordIds, options: ReadOptions) -> Iterator[Draft | Failure]:
    """What was written, and what was shared with it. A post of pictures without words is left out."""
    of_instagram, media = _is_of_instagram(record), _attached(record, "media")
    place = "Threads" if any("text_app_post" in one for one in media) else "Instagram" if of_instagram else "Facebook"
    text = joined(*dict.fromkeys(_of_instagram(record) if of_instagram else _of_facebook(record)))
    if not text:
        options.skip("posts without words")
        return
    times = (record.get("timestamp"), *(one.get("creation_timestamp") for one in (record, *media)))
    at = next(filter(None, times), None)
    yield from conversation(path, f"{place.lower()}:posts", f"Posts on {place}", options, whole=False).turn(
        "user",
        text,
        id=ids.next(at, "user", text),
        at=at,
        attachment=", ".join(PurePosixPath(str(one["uri"])).name for one in media if one.get("uri")) or None,
    )


def _is_of_instagram(record: Record) -> bool:
    return any("creation_timestamp" in as_dict(one) for one in as_list(record.get("media")))


def _of_instagram(record: Record) -> Iterator[str]:
    """The caption, which stands at the post or at its pictures."""
    yield from (as_text(one.get("title")) for one in (record, *_attached(record, "media")))


def _of_facebook(record: Record) -> Iterator[str]:
    """The words, those on pictures, what was shared, and where; the title is told by the program."""
    said = [as_text(as_dict(one).get("post")) for one in as_list(record.get("data"))]
    said += [as_text(one.get("description")) for one in _attached(record, "media")]
    yield from said
    for one in _attached(record, "external_context"):
        shared = link(as_text(one.get("name")), as_text(one.get("url")))
        if not any(shared in text for text in said):
            yield shared
    yield from (f"At {name}" for one in _attached(record, "place") if (name := as_text(one.get("name"))))


def _attached(record: Record, kind: str) -> list[Record]:
    """What is attached of a kind: Facebook nests it, Instagram does not."""
    groups = [as_dict(group).get("data") for group in as_list(record.get("attachments"))]
    nested = [as_dict(one).get(kind) for group in groups for one in as_list(group)]
    return [found for one in (*nested, *as_list(record.get(kind)))[:_MOST_ATTACHED] if (found := as_dict(one))]
