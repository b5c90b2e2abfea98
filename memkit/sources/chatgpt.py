"""ChatGPT loader: the data export as `conversations.json`, or the zip that contains it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import as_dict, as_list, conversation, records
from memkit.sources.options import ReadOptions

Node = dict[str, Any]

_THOUGHTS = ("thoughts", "reasoning_recap")
_CUSTOM_INSTRUCTIONS = ("user_editable_context", "model_editable_context")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of each conversation, along its current branch at the time of the export."""
    for number, found in enumerate(records(path, options, r"conversations.*\.json"), 1):
        if isinstance(found, Failure):
            yield found
        elif isinstance(found.get("mapping"), dict):
            yield from _conversation(path, found, number, options)
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
            yield from chat.turn(speaker, _text(message), id=id, at=message.get("create_time"))


def branch(mapping: dict[str, Any], current: object) -> list[tuple[str, Node]]:
    """The nodes from the root to the current node, else to the newest leaf; all nodes if none has a parent."""
    nodes = {id: node for id, node in mapping.items() if isinstance(node, dict)}
    parents = {id: parent for id, node in nodes.items() if isinstance(parent := node.get("parent"), str)}
    if not parents:
        return list(nodes.items())
    at: str | None = current if isinstance(current, str) and current in nodes else _newest_leaf(nodes, parents)
    chain: dict[str, Node] = {}
    while at in nodes and at not in chain:
        chain[at] = nodes[at]
        at = parents.get(at)
    return list(chain.items())[::-1]


def _newest_leaf(nodes: dict[str, Node], parents: dict[str, str]) -> str:
    """The node without a child that was written last; if several were, the one listed last."""
    inner = set(parents.values())
    leaves = [id for id in nodes if id not in inner] or list(nodes)
    return max(reversed(leaves), key=lambda id: _written(nodes[id]))


def _written(node: Node) -> float:
    at = as_dict(node.get("message")).get("create_time")
    return at if isinstance(at, int | float) else 0.0


def _speaker(message: Node, options: ReadOptions) -> str | None:
    """The speaker of a message, or None if the options leave it out."""
    role = as_dict(message.get("author")).get("role")
    kind = as_dict(message.get("content")).get("content_type")
    hidden = as_dict(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if kind in _THOUGHTS:
        return "assistant" if options.include_thinking else None
    if role == "system" or hidden or kind in _CUSTOM_INSTRUCTIONS:
        return "system" if options.include_system else None
    if role == "tool" or message.get("recipient") not in (None, "all"):
        return "tool" if options.include_tools else None
    return role if role in ("user", "assistant") else None


def _text(message: Node) -> str:
    content = message.get("content")
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    found = [*as_list(content.get("parts")), *as_list(content.get("thoughts"))]
    found += [content.get(key) for key in ("text", "result", "content", "user_profile", "user_instructions")]
    return "\n\n".join(text for part in found if (text := _part(part).strip()))


def _part(part: object) -> str:
    if isinstance(part, dict):  # a transcript, or a thought; images have neither
        part = part.get("text") or part.get("content")
    return part if isinstance(part, str) else ""
