"""Transcript of a session that ended: what an agent's hook names is taken in, so that nobody has to think of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from memkit.core.errors import BadSource, Busy
from memkit.core.files import expanded
from memkit.frontends.agents.hook import project_of

# The formats that agents write; a hook that names any other file is wrong, or not from an agent.
FORMATS = (
    *("claude-code", "codex", "gemini-cli", "copilot", "cline", "cursor", "opencode", "aider"),
    *("qwen-code", "kimi", "pi", "goose", "amp"),
)


def take_in(hook: Mapping[str, Any], path: str, *, project: str | None = None) -> int:
    """Takes in the transcript that a hook names (`transcript_path`, `cwd`); returns how many lessons wait for you.

    What is known already changes nothing. A lesson is what a correction, or the end of a row of failures, teaches for
    the next time. It is a proposal, and not kept before somebody accepts it. Raises BadSource if the hook names no
    transcript, or a file that no agent has written.
    """
    from memkit.database.locations import open_to_write
    from memkit.maintenance.policy import SLOTS
    from memkit.sources import detect
    from memkit.text.extract.own_slots import AGENT, LESSON

    named, folder = hook.get("transcript_path"), hook.get("cwd")
    if not isinstance(named, str) or not named:
        raise BadSource("The input of the hook has no 'transcript_path'.")
    file = expanded(named)
    if not file.is_file():
        raise BadSource(f"There is no transcript {named!r}.")
    if (format := detect(file)) not in FORMATS:
        raise BadSource(f"{named!r} is no transcript of an agent, but {format}.")
    project = project or project_of(folder if isinstance(folder, str) else None)
    with open_to_write(path) as memory:
        memory.ingest(file, format=format, project=project)
        with suppress(Busy):  # upkeep does the same, later
            memory.maintain(only=SLOTS)
        return sum(f"{AGENT}.{LESSON}" in one.text for one in memory.proposals(kind="slot"))
