"""Grok loader: `chat_history.jsonl` of the Grok CLI, with the `summary.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry, entries
from memkit.sources.chat import Message, as_dict, as_list, said, told
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_SUMMARY = "summary.json"
_SPEAKERS = {"user": "user", "assistant": "assistant", "system": "system", "tool_result": "tool"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """What was typed and answered. A message has no time: it has that at which its session began."""
    about = _summary(path, options)
    info, began = as_dict(about.get("info")), about.get("created_at")
    inside = about.get("session_kind") == "subagent"  # an agent, and no person, asks a sub-agent
    messages = []
    for entry in entries(path, options):
        if isinstance(entry, Failure):
            yield entry
        elif text := _words(entry, options):
            speaker = _SPEAKERS.get(str(entry.get("type")), "assistant")
            speaker = "assistant" if inside and speaker == "user" else speaker
            messages.append(Message(speaker, text, at=began, meta={"sidechain": True} if inside else {}))
    yield from told(
        path, f"grok:{info.get('id') or path.parent.name}", messages, options, about.get("session_summary"),
        times=(began, about.get("updated_at")), meta={"cwd": info.get("cwd"), "branch": about.get("head_branch")},
    )  # fmt: skip


def _summary(path: Path, options: ReadOptions) -> Entry:
    """What Grok notes of the session; empty if it is not there, or broken."""
    with suppress(OSError, ValueError):
        return as_dict(load_json(whole(path.with_name(_SUMMARY), options), options.limits))
    return {}


def _words(entry: Entry, options: ReadOptions) -> str:
    """What an entry says; empty if it is left out."""
    kind = str(entry.get("type"))
    if kind == "reasoning" and options.include_thinking:
        texts = (as_dict(one).get("text") for one in as_list(entry.get("summary")))
        return "\n\n".join(text for text in texts if isinstance(text, str))
    of_the_program = kind == "system" or "synthetic_reason" in entry
    if kind not in _SPEAKERS or (of_the_program and not options.include_system):
        return ""
    if kind == "tool_result" and not options.include_tools:
        return ""
    return said(entry.get("content"), options).strip()


def _matches(sample: Sample) -> bool:
    marks = ("prompt_index", "synthetic_reason", "model_id", "model_fingerprint")
    spoken = (one for one in sample.objects if str(one.get("type")) in _SPEAKERS and "content" in one)
    return any(mark in one for one in spoken for mark in marks)


FORMAT = Format("grok", "Sessions of the Grok CLI (`chat_history.jsonl`)", read, _matches, ("*.jsonl",))
