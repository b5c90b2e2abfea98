"""Mastodon loader: the posts of an account, as its archive has them (`outbox.json`, ActivityPub)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, as_text, conversation, records
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_OUTBOX = r"outbox\.json"
_POSTS = ("Note", "Article", "Question", "Page")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each post with its warning and the descriptions of its pictures. What was boosted are the words of others."""
    for outbox in records(path, options, _OUTBOX):
        if isinstance(outbox, Failure):
            yield outbox
            continue
        for activity in map(as_dict, as_list(outbox.get("orderedItems"))):
            post = as_dict(activity.get("object"))
            if activity.get("type") in ("Create", "Update") and post.get("type") in _POSTS:
                yield from _post(path, str(post.get("attributedTo") or activity.get("actor") or ""), post, options)


def _post(path: Path, actor: str, post: dict[str, Any], options: ReadOptions) -> Iterator[Draft | Failure]:
    account = _account(actor)
    chat = conversation(path, f"mastodon:{actor}", f"Posts of {account}", options, whole=False)
    shown = [as_dict(one).get("name") for one in as_list(post.get("attachment"))]
    choices = [as_dict(one).get("name") for one in as_list(post.get("oneOf") or post.get("anyOf"))]
    texts = [post.get("name"), post.get("summary"), html_markdown(as_text(post.get("content")))]
    texts += [f"- {one}" for one in choices if isinstance(one, str)]
    texts += [f"[{one}]" for one in shown if isinstance(one, str) and one]
    yield from chat.turn(
        chosen_name(account),
        "\n\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip()),
        id=post.get("id"),
        at=post.get("published"),
        url=as_text(post.get("url")) or None,
        reply_to=as_text(post.get("inReplyTo")) or None,
    )


def _account(actor: str) -> str:
    """The name of an account from its address: `rosa@example.org`."""
    try:
        parts = urlsplit(actor)
    except ValueError:  # a broken address of a host
        return actor
    name = parts.path.rstrip("/").rsplit("/", 1)[-1].removeprefix("@")
    return f"{name}@{parts.netloc}" if name and parts.netloc else actor or "unknown"


def _matches(sample: Sample) -> bool:
    return any(
        one.has_keys("orderedItems") and ('"Create"' in one.text or '"Announce"' in one.text)
        for one in sample.inside(_OUTBOX)
    )


FORMAT = Format(
    "mastodon", "Posts of Mastodon: outbox.json, or the zip of an archive", read, _matches, ("*.json", "*.zip")
)
