"""What a coding agent is told before it reads a prompt: the memories that matter, soon, or nothing.

An agent runs this as a hook and waits. So it gives up at a deadline, counted from when its process began, and says so;
and nothing that goes wrong here is ever the prompt's problem. What the words alone find is there first: in a large
memory that is what there is to tell when the time is over.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from memkit.strategies import Strategy

DEADLINE = 800  # milliseconds
LONGEST_PROMPT = 8_000  # characters that are looked up
LONGEST_INPUT = 4_000_000
OLDEST = 60  # seconds: what says that this process is older does not know


@dataclass(frozen=True)
class Advice:
    """What goes to the agent: a page of memories, which event asked, and a notice to the person of what went wrong."""

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


def advise(hook: Mapping[str, Any], path: str, *, project: str | None = None, **how: Any) -> Iterator[Advice]:
    """The page for a hook's prompt, {"prompt", "cwd", "hook_event_name"}: by words alone, and then the whole of it.

    Nothing where nothing is asked, and an empty page where nothing is found.
    """
    from memkit.usual import open_to_read

    event = str(hook.get("hook_event_name") or Advice.event)
    prompt = hook.get("prompt")
    if not isinstance(prompt, str) or not says_something(prompt):
        return
    folder = hook.get("cwd")
    project = project or project_of(folder if isinstance(folder, str) else None)
    with open_to_read(path) as memory:
        for strategy in quickest_first(how.pop("strategy", None)):
            found = memory.context(prompt[:LONGEST_PROMPT], project=project, fenced=True, strategy=strategy, **how)
            yield Advice(str(found) if found.shown else "", event=event)


def quickest_first(chosen: Any = None) -> Iterator[Strategy]:
    """The strategy without what needs vectors or the graph to be loaded, if it goes by words too, and itself."""
    from memkit.strategies import strategy

    whole = strategy(chosen)
    quick = whole.replace(vector=None, sentence=None, graph=None)
    if whole.fulltext and quick != whole:
        yield quick
    yield whole


def read_hook(text: str) -> Mapping[str, Any]:
    """The JSON that an agent hands over. Raises ValueError with what is wrong with it."""
    try:
        hook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the hook's input is no JSON ({error})") from error
    if not isinstance(hook, dict):
        raise ValueError("the hook's input is no JSON object")
    return hook


def within(seconds: float, work: Callable[[], Iterator[Advice]], said: str = "the deadline") -> Advice:
    """The last that the work gives before the seconds are over; it is then left to itself.

    The notice says that it failed, or did not come to its end within what was `said`.
    """
    found, over = [Advice()], Event()

    def run() -> None:
        try:
            for better in work():
                found.append(better)
        except Exception as error:  # noqa: BLE001 (whatever it is, the prompt goes on without memories)
            found.append(_noticed(found[-1], str(error) or type(error).__name__))
        over.set()

    Thread(target=run, daemon=True).start()
    if over.wait(max(0.0, seconds)):
        return found[-1]
    return _noticed(found[-1], f"looking took longer than {said}.")


def _noticed(found: Advice, why: str) -> Advice:
    return replace(found, notice=f"memkit: {'found by words only' if found.text else 'no memories this time'}: {why}")


def age() -> float:
    """The seconds since this process began; 0 where the system does not tell."""
    try:
        after_boot = float(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - after_boot / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError, ValueError):
        return 0.0
    return seconds if 0 < seconds < OLDEST else 0.0


def hook(path: str, *, deadline: int = DEADLINE, as_json: bool = False, **how: Any) -> None:
    """Answers the hook whose JSON is on standard input, and ends the process with exit code 0.

    The page goes to standard output, a notice to standard error, where it is no part of the prompt; with `as_json` both
    go to standard output. The `deadline` is in milliseconds.
    """
    stdin = sys.stdin

    def work() -> Iterator[Advice]:
        return advise(read_hook(stdin.buffer.read(LONGEST_INPUT).decode("utf-8", "replace")), path, **how)

    found = within(deadline / 1000 - age(), work, f"{deadline} ms")
    _print(found.as_json() if as_json else found.text, sys.stdout)
    _print("" if as_json else found.notice, sys.stderr)
    # What is still being looked up, or waits for input that never ends, must not hold the agent up.
    os._exit(0)


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError):  # nobody listens
        stream.buffer.write(f"{text}\n".encode("utf-8", "replace") if text else b"")
        stream.flush()
