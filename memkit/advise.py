"""What a coding agent is told before it reads a prompt: the memories that matter, soon, or nothing.

An agent runs this as a hook and waits. So it gives up at a deadline and says so, and nothing that goes wrong here is
ever the prompt's problem.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

DEADLINE = 800  # milliseconds
LONGEST_PROMPT = 8_000  # characters that are looked up
LONGEST_INPUT = 4_000_000


@dataclass(frozen=True)
class Advice:
    """What goes to the agent: a page of memories, or a notice that there is none, and which event asked."""

    text: str = ""
    notice: str = ""
    event: str = "UserPromptSubmit"

    def as_json(self) -> str:
        """The same as hooks of Claude Code, Codex and Gemini CLI read it."""
        told: dict[str, Any] = {}
        if self.text:
            told["hookSpecificOutput"] = {"hookEventName": self.event, "additionalContext": self.text}
        if self.notice:
            told["systemMessage"] = self.notice
        return json.dumps(told, ensure_ascii=False)

    def __str__(self) -> str:
        return self.text or self.notice


def says_something(message: str) -> bool:
    """Whether there is anything to look up: not in small talk, nor in a command to the agent itself (`/clear`)."""
    from memkit.context import SMALL_TALK
    from memkit.text import STOP_WORDS, words

    if message.lstrip().startswith(("/", "!", "#")) and len(message.split()) == 1:
        return False
    return any(word not in STOP_WORDS and word not in SMALL_TALK for word in words(message))


def project_of(folder: str | None) -> str | None:
    """The name of the project in a folder: that of the repository it is part of, or its own."""
    if not folder:
        return None
    path = Path(folder)
    root = next((one for one in (path, *path.parents) if (one / ".git").exists()), path)
    return root.name or None


def advise(hook: Mapping[str, Any], path: str, *, project: str | None = None, **how: Any) -> Advice:
    """The page for a hook's prompt: {"prompt", "cwd", "hook_event_name"}; nothing where nothing is asked or found."""
    from memkit.usual import open_to_read

    event = str(hook.get("hook_event_name") or Advice.event)
    prompt = hook.get("prompt")
    if not isinstance(prompt, str) or not says_something(prompt):
        return Advice(event=event)
    folder = hook.get("cwd")
    project = project or project_of(folder if isinstance(folder, str) else None)
    with open_to_read(path) as memory:
        found = memory.context(prompt[:LONGEST_PROMPT], project=project, fenced=True, **how)
    return Advice(str(found) if found.shown else "", event=event)


def read_hook(text: str) -> Mapping[str, Any]:
    """The JSON that an agent hands over. Raises ValueError with what is wrong with it."""
    try:
        hook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the hook's input is no JSON ({error})") from error
    if not isinstance(hook, dict):
        raise ValueError("the hook's input is no JSON object")
    return hook


def within(milliseconds: int, work: Callable[[], Advice]) -> Advice:
    """What the work gives, or a notice that it failed, or took too long; it is then left to itself."""
    done: SimpleQueue[Advice] = SimpleQueue()

    def run() -> None:
        try:
            done.put(work())
        except Exception as error:  # noqa: BLE001 (whatever it is, the prompt goes on without memories)
            done.put(Advice(notice=f"memkit: no memories this time: {error or type(error).__name__}"))

    Thread(target=run, daemon=True).start()
    try:
        return done.get(timeout=max(0.0, milliseconds / 1000))
    except Empty:
        return Advice(notice=f"memkit: no memories this time: looking took longer than {milliseconds} ms.")


def hook(path: str, *, deadline: int = DEADLINE, as_json: bool = False, **how: Any) -> None:
    """Answers the hook whose JSON is on standard input, on standard output, and ends the process with exit code 0."""
    stdin, stdout = sys.stdin, sys.stdout

    def work() -> Advice:
        return advise(read_hook(stdin.buffer.read(LONGEST_INPUT).decode("utf-8", "replace")), path, **how)

    found = within(deadline, work)
    told = found.as_json() if as_json else str(found)
    try:
        stdout.buffer.write(f"{told}\n".encode("utf-8", "replace") if told else b"")
        stdout.flush()
    except OSError:
        pass
    # What is still being looked up, or waits for input that never ends, must not hold the agent up.
    os._exit(0)
