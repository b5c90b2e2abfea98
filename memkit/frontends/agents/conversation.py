"""Conversation so far: what the user wrote before a prompt, from the end of the transcript that an agent names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memkit.core.files import expanded
from memkit.core.opening import open_regular

READ = 256 * 1024  # bytes at the end of a transcript: a hook has no time for all of it
MOST = 5  # messages


def said_before(hook: Mapping[str, Any], prompt: str) -> list[str] | None:
    """The user's last messages before a prompt, oldest first: none where a session begins.

    None means that it is not known: the hook names no transcript (`transcript_path`), or one that cannot be read.
    """
    named = hook.get("transcript_path")
    if not isinstance(named, str) or not named:
        return None
    try:
        lines = _end(expanded(named))
    except FileNotFoundError:  # an agent begins it with the first prompt
        return []
    except (OSError, ValueError):  # such as a pipe, or a path with NUL
        return None
    said = [text for line in lines if (text := _user_text(line))]
    if said and said[-1] == prompt.strip():  # some agents write a prompt down before they call the hook
        said.pop()
    return said[-MOST:]


def _end(file: Path) -> list[bytes]:
    """The last whole lines of a file."""
    with open_regular(file) as transcript:
        size = transcript.seek(0, 2)
        transcript.seek(max(0, size - READ))
        lines = transcript.read(READ).splitlines()
    return lines if size <= READ else lines[1:]


def _user_text(line: bytes) -> str:
    """What the user wrote in a line of a transcript of Claude Code, Codex or another agent; empty for other lines."""
    from memkit.text.extract.guard import strip_context

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(record, dict) or record.get("isMeta") or record.get("isSidechain"):
        return ""
    message = next((one for one in _messages(record) if one.get("role") == "user"), {})
    text = strip_context("\n".join(_texts(message.get("content")))).strip()
    return "" if text.startswith(("<", "Caveat:")) else text  # what an agent puts in stands in tags


def _messages(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in (record.get("message"), record.get("payload"), record) if isinstance(one, dict))


def _texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
