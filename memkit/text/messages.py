"""Messages of a conversation: their texts, and the tokens that they take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memkit.text.words import est_tokens

Message = Mapping[str, Any]  # {"role": ..., "content": ...}, as language models take it

PER_MESSAGE = 4  # tokens around a message (Construct)


def text_of(message: str | Message) -> str:
    """The text of a message; if it has parts, all their texts, one on each line."""
    if isinstance(message, str):
        return message
    content = message.get("content") or message.get("text") or ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text"))


def tokens(messages: Iterable[Message]) -> int:
    """The estimated tokens of messages, including their tool calls."""
    return sum(est_tokens(text_of(message)) + _called(message) + PER_MESSAGE for message in messages)


def _called(message: Message) -> int:
    calls = message.get("tool_calls")
    return est_tokens(json.dumps(calls, ensure_ascii=False, default=str)) if calls else 0
