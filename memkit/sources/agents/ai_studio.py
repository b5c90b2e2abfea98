"""Google AI Studio loader: a prompt as it lies on Google Drive, with its chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry
from memkit.sources.chat import Message, as_dict, as_list, records, told
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The turns of a prompt; thoughts and the system instruction are left out unless the options ask."""
    for found in records(path, options, ".*"):
        if isinstance(found, Failure):
            yield found
            continue
        source = f"ai-studio:{found['id']}" if found.get("id") else path.as_posix()
        chunks = [as_dict(chunk) for chunk in as_list(as_dict(found.get("chunkedPrompt")).get("chunks"))]
        messages = [_message(chunk) for chunk in chunks if options.include_thinking or not chunk.get("isThought")]
        if options.include_system and (system := _text(as_dict(found.get("systemInstruction")))):
            messages.insert(0, Message("system", system))
        times = (found.get("createTime"), found.get("updateTime"))
        yield from told(path, source, messages, options, found.get("displayName") or path.stem, times=times)


def _message(chunk: Entry) -> Message:
    replaced = {"rewound": True} if chunk.get("branchChildren") else {}
    speaker = "assistant" if chunk.get("role") == "model" else "user"
    return Message(speaker, _text(chunk), chunk.get("id"), chunk.get("createTime"), replaced)


def _text(chunk: Entry) -> str:
    """The text of a chunk; its parts repeat it in pieces, or have it alone."""
    text = chunk.get("text")
    pieces = [as_dict(part).get("text") for part in as_list(chunk.get("parts"))]
    return text if isinstance(text, str) and text else "".join(one for one in pieces if isinstance(one, str))


def _matches(sample: Sample) -> bool:
    return sample.has_keys("chunkedPrompt")


FORMAT = Format("ai-studio", "Prompts of Google AI Studio", read, _matches, ("*.json",))
