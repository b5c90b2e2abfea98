"""Prompt hook for coding agents: memories for a prompt, found before a deadline, or nothing.

An agent runs this hook and waits for it. So the hook gives up at a deadline, counted from the start of its process, and
says so. An error here never stops the prompt. The search by words runs first: in a large memory, its result is often
all that is ready at the deadline.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TextIO

from memkit.core.classes import dataclass
from memkit.core.unicode import well_formed

if TYPE_CHECKING:
    from memkit.retrieval.strategies import Strategy

DEADLINE = 800  # milliseconds
LONGEST_PROMPT = 8_000  # characters of a prompt that are searched for
LONGEST_INPUT = 4_000_000
OLDEST = 60  # seconds: a greater age of this process cannot be right


@dataclass(frozen=True)
class Advice:
    """The answer to the agent: a page of memories (`text`), a `notice` for the user about an error, and the event."""

    text: str = ""
    notice: str = ""
    event: str = "UserPromptSubmit"

    def as_json(self) -> str:
        """The answer as JSON for hooks of Claude Code, Codex and Gemini CLI."""
        told: dict[str, Any] = {}
        if self.text:
            told["hookSpecificOutput"] = {"hookEventName": self.event, "additionalContext": self.text}
        if self.notice:
            told["systemMessage"] = self.notice
        return json.dumps(told, ensure_ascii=False)

    def __str__(self) -> str:
        return self.text or self.notice


def says_something(message: str) -> bool:
    """Whether a message has something to search for: small talk and commands to the agent (`/clear`) do not."""
    from memkit.text.small_talk import is_small_talk, telling

    if is_small_talk(message):
        return False
    if message.lstrip().startswith(("/", "!", "#")) and len(message.split()) == 1:
        return False
    return bool(telling(message))


def project_of(folder: str | None) -> str | None:
    """The project of a folder: the name of its Git repository, or its own name."""
    if not folder:
        return None
    path = Path(folder)
    root = next((one for one in (path, *path.parents) if os.path.exists(one / ".git")), path)  # any text is a path here
    return well_formed(root.name) or None


def advise(hook: Mapping[str, Any], path: str, *, project: str | None = None, **how: Any) -> Iterator[Advice]:
    """The pages for the prompt of a hook (`prompt`, `cwd`, `hook_event_name`): first by words only, then complete.

    `transcript_path` tells what was said before. Yields nothing if there is no such file, or nothing in the prompt to
    search for; an empty page if nothing is found.
    """
    if not Path(path).exists():
        return
    from memkit.database.locations import open_to_read
    from memkit.frontends.agents.conversation import said_before

    event = str(hook.get("hook_event_name") or Advice.event)
    prompt = hook.get("prompt")
    if not isinstance(prompt, str) or not says_something(prompt):
        return
    folder, history = hook.get("cwd"), said_before(hook, prompt)
    project = project or project_of(folder if isinstance(folder, str) else None)
    with open_to_read(path) as memory:
        for strategy in quickest_first(memory.strategy(how.pop("strategy", None))):
            given = {"project": project, "history": history, "strategy": strategy, **how}
            found = memory.context(prompt[:LONGEST_PROMPT], fenced=True, **given)
            trouble = found.recall.degraded if found.recall is not None else ""
            yield Advice(str(found) if found.shown else "", f"memkit: {trouble}" if trouble else "", event)


def quickest_first(whole: Strategy) -> Iterator[Strategy]:
    """The strategy without vectors and graph (if it also searches by words), then the strategy itself."""
    quick = whole.replace(vector=None, sentence=None, graph=None, bridge=None)
    if whole.fulltext and quick != whole:
        yield quick
    yield whole


def read_hook(text: str) -> Mapping[str, Any]:
    """The JSON object from an agent. Raises ValueError with the reason if it is not one."""
    try:
        hook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the input of the hook is not JSON ({error})") from error
    if not isinstance(hook, dict):
        raise ValueError("the input of the hook is not a JSON object")
    return hook


def within(seconds: float, work: Callable[[], Iterator[Advice]], said: str = "the deadline") -> Advice:
    """The last Advice that the work yields in time; after that, the work goes on in its thread unused.

    The notice says if the work failed, or took longer than `said` (the deadline in words).
    """
    late = f"looking took longer than {said}."
    if seconds <= 0:  # on a busy machine something might be found before anybody waits
        return _noticed(Advice(), late)
    found, over = [Advice()], Event()

    def run() -> None:
        try:
            for better in work():
                found.append(better)
        except Exception as error:  # noqa: BLE001 (after any error the prompt goes on without memories)
            found.append(_noticed(found[-1], str(error) or type(error).__name__))
        over.set()

    Thread(target=run, daemon=True).start()
    if over.wait(seconds):
        return found[-1]
    return _noticed(found[-1], late)


def _noticed(found: Advice, why: str) -> Advice:
    return replace(found, notice=f"memkit: {'found by words only' if found.text else 'no memories this time'}: {why}")


def age() -> float:
    """The seconds since this process began; 0 if the system does not tell."""
    try:
        after_boot = float(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        seconds = time.clock_gettime(time.CLOCK_BOOTTIME) - after_boot / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError, ValueError):
        return 0.0
    return seconds if 0 < seconds < OLDEST else 0.0


def hook(path: str, *, deadline: int = DEADLINE, as_json: bool = False, **how: Any) -> None:
    """Reads the JSON of a hook from standard input, prints the answer, and ends the process with exit code 0.

    The page is printed to standard output, and a notice to standard error, which does not become part of the prompt.
    With `as_json` both are printed to standard output. `deadline` is in milliseconds.
    """
    stdin = sys.stdin

    def work() -> Iterator[Advice]:
        return advise(read_hook(stdin.buffer.read(LONGEST_INPUT).decode("utf-8", "replace")), path, **how)

    found = within(deadline / 1000 - age(), work, f"{deadline} ms")
    _print(found.as_json() if as_json else found.text, sys.stdout)
    _print("" if as_json else found.notice, sys.stderr)
    # A search that still runs, or that waits for endless input, must not delay the agent.
    os._exit(0)


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError):  # the reader has closed the stream
        stream.buffer.write(f"{text}\n".encode("utf-8", "replace") if text else b"")
        stream.flush()
