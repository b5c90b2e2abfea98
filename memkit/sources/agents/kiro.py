"""Loader of sessions of Kiro, Continue and Hermes: a session in a file of JSON, with its messages in one list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.chat import Message, as_dict, as_list, records, said, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was said in a session. Only the session has a time, if any."""
    for session in records(path, options, ".*"):
        if isinstance(session, Failure):
            yield session
            continue
        listed = [as_dict(one) for one in as_list(session.get("history", session.get("messages")))]
        found = [as_dict(one.get("message")) if "message" in one else one for one in listed]
        began = session.get("session_start") or session.get("dateCreated")
        messages = [
            Message(one["role"], said(one.get("content"), options), one.get("id"), one.get("timestamp") or began)
            for one in found
            if one.get("role") in _roles(options)
        ]
        id = session.get("sessionId") or session.get("session_id") or path.stem
        about = {"cwd": session.get("workspacePath") or session.get("workspaceDirectory") or session.get("cwd")}
        yield from told(
            path, f"{'kiro' if 'history' in session else 'hermes'}:{id}", messages, options, session.get("title"),
            times=(began, session.get("last_updated")), meta=about,
        )  # fmt: skip


def _roles(options: ReadOptions) -> tuple[str, ...]:
    more = ("system",) * options.include_system + ("tool",) * options.include_tools
    return ("user", "assistant", *more)


def _matches(sample: Sample) -> bool:
    shapes = ({"sessionId", "history"}, {"session_id", "session_start", "messages"})
    return '"role"' in sample.text and any(sample.has_keys(*shape) for shape in shapes)


FORMAT = Format("kiro", "Sessions of Kiro, Continue and Hermes", read, _matches, ("*.json",))
