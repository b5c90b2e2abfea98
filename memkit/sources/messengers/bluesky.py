"""Bluesky loader: the posts of an account, in the repository that the settings give (`repo.car`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.car import blocks
from memkit.sources.chat import as_dict, as_list, as_text, conversation
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.reading.item import link
from memkit.sources.sample import Sample

_POST, _PROFILE = "app.bsky.feed.post", "app.bsky.actor.profile"
_LINK = "app.bsky.richtext.facet#link"


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each post, with whole addresses, the page that it shows and the descriptions of its pictures."""
    try:
        found = dict(blocks(whole(path, options)))
    except ValueError as error:
        yield Failure(path.as_posix(), f"the repository cannot be read: {error}")
        return
    account = next(
        (as_text(one.get("did")) for one in map(as_dict, found.values()) if {"did", "sig", "data"} <= one.keys()), ""
    )
    records = {key: as_dict(found.get(address)) for key, address in _keys(found)}
    shown = as_text(records.get(f"{_PROFILE}/self", {}).get("displayName")).strip()
    chat = conversation(path, f"bluesky:{account}", f"Posts of {shown or account}", options, whole=False)
    posts = {key: one for key, one in records.items() if one.get("$type") == _POST}
    for key, post in sorted(posts.items(), key=lambda one: (as_text(one[1].get("createdAt")), one[0])):
        reply = as_dict(as_dict(post.get("reply")).get("parent"))
        yield from chat.turn(
            chosen_name(shown or account or "unknown"),
            _words(post),
            id=f"at://{account}/{key}",
            at=post.get("createdAt"),
            url=f"https://bsky.app/profile/{account}/post/{key.rpartition('/')[2]}",
            reply_to=as_text(reply.get("uri")) or None,
        )
    for _ in range(len(records) - len(posts)):
        options.skip("likes, reposts, follows and settings")


def _keys(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What each record is called, and the address of its block: nodes of a tree hold them, without what they share."""
    for node in map(as_dict, found.values()):
        before = b""
        for entry in map(as_dict, as_list(node.get("e"))):
            shared, rest, address = entry.get("p"), entry.get("k"), entry.get("v")
            if isinstance(shared, int) and isinstance(rest, bytes) and isinstance(address, str):
                before = before[:shared] + rest
                yield before.decode("utf-8", "replace"), address


def _words(post: Mapping[str, Any]) -> str:
    """What a post says: its text, the page or the pictures that it shows."""
    text = _whole_addresses(as_text(post.get("text")), as_list(post.get("facets")))
    embed = as_dict(post.get("embed"))
    embed = as_dict(embed.get("media")) or embed  # of one that also quotes a post
    page = as_dict(embed.get("external"))
    address = as_text(page.get("uri"))
    pictures = [as_text(as_dict(one).get("alt")).strip() for one in as_list(embed.get("images"))]
    pictures.append(as_text(embed.get("alt")).strip())  # of a film
    said = [text, link(as_text(page.get("title")), address) if address and address not in text else ""]
    return "\n\n".join(filter(None, [*said, *(f"[{one}]" for one in pictures if one)]))


def _whole_addresses(text: str, facets: list[Any]) -> str:
    """The text with addresses as they are: the app shortens them. Places are told in bytes."""
    data = text.encode("utf-8", "replace")
    cuts = []
    for facet in map(as_dict, facets):
        place = as_dict(facet.get("index"))
        start, end = place.get("byteStart"), place.get("byteEnd")
        uris = [
            as_text(one.get("uri")) for one in map(as_dict, as_list(facet.get("features"))) if one.get("$type") == _LINK
        ]
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(data) and any(uris):
            words = data[start:end].decode("utf-8", "replace")
            is_short = words.startswith(("http", "www.")) or uris[0].partition("//")[2].startswith(words.rstrip(".…"))
            cuts.append((start, end, uris[0] if is_short else f"[{words}]({uris[0]})"))
    for start, end, instead in sorted(cuts, reverse=True):
        data = data[:start] + instead.encode() + data[end:]
    return data.decode("utf-8", "replace").strip()


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".car" and b"roots" in sample.head[:100] and b"version" in sample.head[:200]


FORMAT = Format("bluesky", "Posts of Bluesky: the repository of an account (`repo.car`)", read, _matches, ("*.car",))
