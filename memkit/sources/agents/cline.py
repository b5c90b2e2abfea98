"""Cline loader, and of its kin Roo Code and Kilo Code: the messages of a task as it shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry
from memkit.sources.chat import Message, as_dict, as_list, told
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import json_within, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import between, without

_SHOWN = "ui_messages.json"
_SENT = "api_conversation_history.json"
# Kinds of rows, and who speaks in them. The first text of a task is the person's.
_SAID = {
    "text": "assistant",
    "completion_result": "assistant",
    "plan_mode_respond": "assistant",
    "followup": "assistant",
}
_SAID |= {"task": "user", "user_feedback": "user", "reasoning": "thinking"}
_SAID |= dict.fromkeys(("tool", "command", "command_output", "browser_action", "use_mcp_server"), "tool")
# In what is sent to the model: what a person wrote, what an answer says to the person, and what neither says.
_WRITTEN = ("task", "feedback", "answer", "user_message")
_ANSWERED = ("result", "question", "response")
_ADDED = ("environment_details", "thinking")
_TOOL = re.compile(r"<[a-z]+(?:_[a-z]+)+>")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was said in a task; rows that were not finished, requests, tools and thinking are left out."""
    rows = [as_dict(row) for row in as_list(load_json(whole(path, options), options.limits))]
    sent = any("role" in row for row in rows)
    messages = [message for row in rows for message in (_sent(row) if sent else _shown(row, options))]
    if messages and not sent:
        messages[0] = messages[0]._replace(speaker="user")
    yield from told(path, f"cline:{path.parent.name}", messages, options)


def _shown(row: Entry, options: ReadOptions) -> Iterator[Message]:
    """The message of a row that a person saw. A partial one is followed by the same with more words."""
    speaker = _SAID.get(str(row.get(str(row.get("type")))), "")
    text = row.get("text")
    if speaker == "thinking":
        speaker = "assistant" if options.include_thinking else ""
    if speaker == "tool" and not options.include_tools:
        speaker = ""
    if speaker and isinstance(text, str) and not row.get("partial"):
        yield Message(speaker, _asked(text, options) if row.get("type") == "ask" else text, at=row.get("ts"))


def _asked(text: str, options: ReadOptions) -> str:
    """The words of a question, which is JSON with the answers to choose from."""
    found = as_dict(json_within(text, options.limits)) if text.startswith("{") else {}
    return str(found.get("question") or found.get("response") or text)


def _sent(row: Entry) -> Iterator[Message]:
    """The message of a row that was sent to the model, or came from it."""
    content: Any = row.get("content")
    blocks = [content] if isinstance(content, str) else [as_dict(one).get("text") for one in as_list(content)]
    kept = _person if row.get("role") == "user" else _answer
    text = "\n\n".join(words for block in blocks if isinstance(block, str) and (words := kept(block)))
    if text:
        yield Message("user" if row.get("role") == "user" else "assistant", text, at=row.get("ts"))


def _person(text: str) -> str:
    return "\n\n".join(words for tag in _WRITTEN for words in between(text, f"<{tag}>", f"</{tag}>"))


def _answer(text: str) -> str:
    """The words before a tool is called, and those that it tells the person."""
    for tag in _ADDED:
        text = without(text, f"<{tag}>", f"</{tag}>")
    told = [words for tag in _ANSWERED for words in between(text, f"<{tag}>", f"</{tag}>")]
    return "\n\n".join(words for words in (_TOOL.split(text, maxsplit=1)[0].strip(), *told) if words)


def _matches(sample: Sample) -> bool:
    if sample.name == _SENT:  # the other half of what is shown
        return not sample.path.with_name(_SHOWN).exists() and {"role", "content"} <= sample.keys
    return {"ts", "type"} <= sample.keys and bool({"say", "ask"} & sample.keys)


FORMAT = Format("cline", "Tasks of Cline, Roo Code and Kilo Code", read, _matches, ("*.json",))
