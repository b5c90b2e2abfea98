"""Claude Code loader: session files with one JSON object per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, conversation, said
from memkit.sources.contents import opened
from memkit.sources.jsonl_lines import lines
from memkit.sources.options import ReadOptions
from memkit.sources.rows import parsed
from memkit.sources.values import without

# Text that the program adds to the user's messages: reminders, commands and their output.
_REMINDER = ("<system-reminder>", "</system-reminder>")
_COMMAND = re.compile(r"\s*<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr))>")
_TITLE_LENGTH = 60


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a session; tools, thinking, reminders and sub-agents are left out unless the options ask."""
    chats: dict[str, Conversation] = {}
    title = None
    with opened(path, options) as stream:
        for number, line in lines(stream, options.limits.line_size):
            try:
                entry = parsed(line, options.limits)
            except ValueError as error:
                yield Failure(path.as_posix(), str(error), line=number)
                continue
            title = title or entry.get("summary")
            speaker, text = _said(entry, options)
            if not text.strip():
                continue
            session = str(entry.get("sessionId") or path.stem)
            if session not in chats:
                chats[session] = _chat(path, session, title or _short(text), entry, options)
            yield from chats[session].turn(speaker, text, id=entry.get("uuid"), at=entry.get("timestamp"))


def _chat(path: Path, session: str, title: str, entry: dict[str, Any], options: ReadOptions) -> Conversation:
    about = {"cwd": entry.get("cwd"), "branch": entry.get("gitBranch")}
    times = (entry.get("timestamp"), None)
    return conversation(path, f"claude-code:{session}", title, options, times=times, meta=about)


def _said(entry: dict[str, Any], options: ReadOptions) -> tuple[str, str]:
    """The speaker and the text of an entry; the text is empty if the entry is left out."""
    kind, message = entry.get("type"), entry.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, dict):
        return "", ""
    if entry.get("isSidechain") and not options.include_tools:
        return "", ""
    text = said(message.get("content"), options)
    if not options.include_system:
        text = without(text, *_REMINDER)
        if entry.get("isMeta") or entry.get("isCompactSummary") or _COMMAND.match(text):
            return "", ""
    only_results = isinstance(message.get("content"), list) and all(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in message["content"]
    )
    return ("tool" if kind == "user" and only_results else kind), text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
