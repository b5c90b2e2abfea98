"""ChatGPT loader: the data export as `conversations.json`, or the zip that contains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, conversation, names_of, records, time_or_none
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.web_chats.branches import way_to
from memkit.sources.web_chats.chatgpt_marks import without_marks

FILES = r"conversations.*\.json"  # in the zip
Node = dict[str, Any]

_THOUGHTS = ("thoughts", "reasoning_recap")
_CANVAS = "canmore."  # a document beside the chat: what is written to it is JSON
_MEMORY = "bio"  # what ChatGPT notes about a person
_CUSTOM_INSTRUCTIONS = ("user_editable_context", "model_editable_context")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation, along its current branch at the time of the export."""
    return each_mapping(path, options, _conversation)


def each_mapping(
    path: Path, options: ReadOptions, one: Callable[[Path, Node, int, ReadOptions], Iterator[Draft | Failure]]
) -> Iterator[Draft | Failure]:
    """What `one` gives for each conversation, with its number, whose messages are a tree (`mapping`); others fail."""
    for number, found in enumerate(records(path, options, FILES), 1):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("mapping"), dict):
            yield from one(path, found, number, options)
        else:
            yield Failure(path.as_posix(), f"conversation {number} has no messages (no 'mapping')")


def _conversation(path: Path, found: Node, number: int, options: ReadOptions) -> Iterator[Draft | Failure]:
    id = found.get("conversation_id") or found.get("id")
    source = f"chatgpt:{id}" if id else f"{path.as_posix()}#{number}"
    times = (found.get("create_time"), found.get("update_time"))
    chat = conversation(path, source, found.get("title"), options, times=times)
    for node_id, node in branch(found["mapping"], found.get("current_node")):
        message = as_dict(node.get("message"))
        if speaker := _speaker(message, options):
            id = message.get("id") or node_id
            text = _text(message, options)
            yield from chat.turn(speaker, text, id=id, at=message.get("create_time"), **_about(message))


def branch(mapping: dict[str, Any], current: object) -> list[tuple[str, Node]]:
    """The nodes from the root to the current node, else to the newest leaf; all nodes if none has a parent."""
    nodes = {id: node for id, node in mapping.items() if isinstance(node, dict)}
    parents = {id: parent for id, node in nodes.items() if isinstance(parent := node.get("parent"), str)}
    if not parents:
        return list(nodes.items())
    at: str | None = current if isinstance(current, str) and current in nodes else _newest_leaf(nodes, parents)
    return [(id, nodes[id]) for id in way_to(at, {id: parents.get(id, "") for id in nodes})]


def _newest_leaf(nodes: dict[str, Node], parents: dict[str, str]) -> str:
    """The node without a child that was written last; if several were, the one listed last."""
    inner = set(parents.values())
    leaves = [id for id in nodes if id not in inner] or list(nodes)
    return max(reversed(leaves), key=lambda id: _written(nodes[id]))


def _written(node: Node) -> tuple[float, str]:
    """When a node was written: seconds, or, at DeepSeek, a text."""
    message = as_dict(node.get("message"))
    at = message.get("create_time")
    return (at if isinstance(at, int | float) else 0.0), time_or_none(message.get("inserted_at")) or ""


def _speaker(message: Node, options: ReadOptions) -> str | None:
    """The speaker of a message, or None if the options leave it out."""
    role = as_dict(message.get("author")).get("role")
    kind = as_dict(message.get("content")).get("content_type")
    hidden = as_dict(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if kind in _THOUGHTS:
        return "assistant" if options.include_thinking else None
    if role == "system" or hidden or kind in _CUSTOM_INSTRUCTIONS:
        return "system" if options.include_system else None
    if role == "assistant" and _written_beside(message):
        return "assistant"
    if role == "tool" or (role == "assistant" and message.get("recipient") not in (None, "all")):
        return "tool" if options.include_tools else None
    return role if role in ("user", "assistant") else None


def _written_beside(message: Node) -> str | None:
    """Whether the assistant writes to a canvas or to its memory: `canvas`, `memory`, or None."""
    recipient = str(message.get("recipient"))
    return "canvas" if recipient.startswith(_CANVAS) else "memory" if recipient == _MEMORY else None


def _about(message: Node) -> dict[str, Any]:
    beside = _written_beside(message)
    return {beside: True} if beside else {}


def _text(message: Node, options: ReadOptions) -> str:
    """The text of a message; of one that only has files, their names."""
    content = message.get("content")
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    several = (
        as_list(content.get("parts")),
        as_list(content.get("thoughts")),
        [content.get(key) for key in ("text", "result", "content", "user_profile", "user_instructions")],
    )
    found = ("\n\n".join(text for part in parts if (text := _part(part).strip())) for parts in several)
    text = next((text for text in found if text), "")
    if _written_beside(message) == "canvas":
        return _canvas(text, options)
    return text or names_of(as_dict(message.get("metadata")).get("attachments"), "name")


def _part(part: object) -> str:
    if isinstance(part, dict):  # the transcript of a voice, or a thought; images have neither
        part = part.get("text") or part.get("content")
    return without_marks(part) if isinstance(part, str) else ""


def _canvas(text: str, options: ReadOptions) -> str:
    """What is written to a canvas: a document with its name, the new text of places in it, or comments on them."""
    try:
        found = as_dict(load_json(text.encode("utf-8", "surrogatepass"), options.limits))
    except BrokenJSON:
        return text
    changes = map(as_dict, [*as_list(found.get("updates")), *as_list(found.get("comments"))])
    texts = [found.get("name"), found.get("content")]
    texts += [change.get("replacement") or change.get("comment") for change in changes]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def _matches(sample: Sample) -> bool:
    return any(one.has_keys("mapping") for one in sample.inside(FILES))


FORMAT = Format("chatgpt", "ChatGPT's data export, or the zip of it", read, _matches, ("*.json", "*.zip"))
