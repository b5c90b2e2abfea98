"""Codex loader: the rollouts of sessions, in the old layout (bare messages) and the new one (`type` and `payload`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit.core.instants import parse_iso
from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Conversation, as_dict, as_list, conversation, short_title, time_or_none
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.record_ids import RecordIds
from memkit.sources.sample import Sample

# Messages of the user that nobody typed.
_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions instructions|collaboration_mode|INSTRUCTIONS|skill"
    r"|turn_aborted|user_action|user_shell_command|subagent_notification|personality_spec)>"
    r"|# AGENTS\.md instructions for )"
)
_IN_EDITOR = re.compile(r"\A# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE)
_TOOLS = ("name", "arguments", "input", "output", "action", "result", "function")
_COPYING = 2  # seconds that a fork takes at most to copy what was said before it


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of a session; tools, reasoning and what the program adds are left out unless the options ask.

    A fork begins with what was said in another session, with the time of the fork. It belongs to that session.
    """
    session = _Session(path, options)
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        else:
            yield from session.take(entry)


@dataclass
class _Session:
    """A session while its file is read."""

    path: Path
    options: ReadOptions
    about: Mapping[str, Any] | None = None  # what the file says of itself first
    chats: dict[str, Conversation] = field(default_factory=dict)
    ids: RecordIds = field(default_factory=RecordIds)
    at: str | None = None

    def take(self, entry: Entry) -> Iterator[Draft | Failure]:
        """The drafts of a line."""
        payload = as_dict(entry.get("payload")) if "payload" in entry else entry
        at = entry.get("timestamp") or entry.get("created_at") or payload.get("timestamp")
        self.at = time_or_none(at) or self.at
        kind = entry.get("type")
        if kind == "session_meta" or ("id" in entry and "instructions" in entry):
            self.about = self.about if self.about is not None else payload  # later ones are those of copied sessions
        elif kind in ("response_item", None) or "payload" not in entry:
            speaker, text = _said(payload, self.options)
            if text.strip():
                yield from self._turn(speaker, text, payload)

    def _turn(self, speaker: str, text: str, payload: Entry) -> Iterator[Draft | Failure]:
        about = self.about or {}
        own = str(about.get("id") or self.path.stem)
        forked = str(about.get("forked_from_id") or "") if self._copied(about) else ""
        chat = self.chats.get(forked or own) or self._chat(forked or own, text, about)
        if speaker == "user" and _is_agent(about):  # an agent, and no person, asks a sub-agent
            speaker = "assistant"
        counted = self.ids.next(None, speaker, text)
        more = {"sidechain": True} if _is_agent(about) and not forked else {}
        at = None if forked else self.at
        yield from chat.turn(speaker, text, id=payload.get("id") or counted, at=at, **more)

    def _copied(self, about: Mapping[str, Any]) -> bool:
        """Whether a line of now is one that a fork has copied."""
        begun = time_or_none(about.get("timestamp"))
        if not (begun and self.at and about.get("forked_from_id")):
            return False
        return (parse_iso(self.at) - parse_iso(begun)).total_seconds() <= _COPYING

    def _chat(self, session: str, text: str, about: Mapping[str, Any]) -> Conversation:
        source = f"codex:{session}"
        meta = {"cwd": about.get("cwd"), "branch": as_dict(about.get("git")).get("branch")}
        self.chats[session] = conversation(
            self.path, source, short_title(text), self.options, times=(about.get("timestamp"), None), meta=meta,
            whole=False, shared=source,
        )  # fmt: skip
        return self.chats[session]


def _is_agent(about: Mapping[str, Any]) -> bool:
    return about.get("thread_source") == "subagent" or "subagent" in as_dict(about.get("source"))


def _said(item: Entry, options: ReadOptions) -> tuple[str, str]:
    """The speaker and the text of an item; the text is empty if it is left out."""
    kind, role = item.get("type"), item.get("role")
    if kind == "reasoning":
        return "assistant", _text(item.get("summary")) if options.include_thinking else ""
    if role is None:
        words = [str(item[key]) for key in _TOOLS if item.get(key)] if options.include_tools else []
        return "tool", "\n".join(words)
    text = _text(item.get("content") or item.get("message"))
    if role not in ("user", "assistant"):
        return str(role), text if options.include_system else ""
    if role == "user":
        text = _IN_EDITOR.sub("", text)
        if _INJECTED.match(text) and not options.include_system:
            return "user", ""
    return str(role), text


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (as_dict(block).get("text") for block in as_list(content))
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


_KINDS = {"session_meta", "turn_context", "response_item", "event_msg"}


def _matches(sample: Sample) -> bool:
    return any(_is_line(one) or _is_old_line(one) for one in sample.objects)


def _is_line(one: Mapping[str, Any]) -> bool:
    return one.get("type") in _KINDS and isinstance(one.get("payload"), dict)


def _is_old_line(one: Mapping[str, Any]) -> bool:
    """Whether it is the head of a session, or a message with what only Codex writes beside it."""
    if {"id", "timestamp", "instructions"} <= one.keys() or one.get("record_type") == "state":
        return "text" not in one
    dated = "timestamp" in one or "created_at" in one
    return dated and {"role", "model"} <= one.keys() and isinstance(one.get("content", one.get("message")), str)


FORMAT = Format("codex", "Sessions of the Codex CLI (`rollout-*.jsonl`)", read, _matches, ("*.jsonl",))
