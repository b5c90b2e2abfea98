"""Blogs: what exports of blogs have in common, a post with the comments below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import conversation
from memkit.sources.html_markdown import html_markdown
from memkit.sources.options import ReadOptions


@dataclass(frozen=True)
class Comment:
    """What somebody wrote below a post, as HTML. `post` is the identity of the post, `title` its title."""

    post: str
    title: str
    id: str
    by: str
    at: str
    html: str


def comment_drafts(comments: Iterable[Comment], path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The comments below each post as a conversation: others wrote them, so none belongs to the post's text."""
    for one in comments:
        chat = conversation(path, f"{one.post}:comments", f"Comments on {one.title}", options, whole=False)
        yield from chat.turn(chosen_name(one.by or "unknown"), html_markdown(one.html), id=one.id, at=one.at or None)


def title_of(html: str) -> str:
    """A title without the marks and references that it has in HTML."""
    return " ".join(html_markdown(html).split())
