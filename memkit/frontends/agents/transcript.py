"""Transcript of a session that ended: what an agent's hook names is taken in, so that nobody has to think of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadSource
from memkit.frontends.agents.hook import project_of

if TYPE_CHECKING:
    from memkit.ingestion.writer import IngestReport

# The formats that agents write; a hook that names any other file is wrong, or not from an agent.
FORMATS = (
    *("claude-code", "codex", "gemini-cli", "copilot", "cline", "cursor", "opencode", "aider"),
    *("qwen-code", "kimi", "pi", "goose", "amp"),
)


def take_in(hook: Mapping[str, Any], path: str, *, project: str | None = None) -> IngestReport:
    """Takes in the transcript that a hook names (`transcript_path`, `cwd`); what is known already changes nothing.

    Raises BadSource if the hook names no transcript, or a file that no agent has written.
    """
    from memkit.database.locations import open_to_write
    from memkit.sources import detect

    named, folder = hook.get("transcript_path"), hook.get("cwd")
    if not isinstance(named, str) or not named:
        raise BadSource("The input of the hook has no 'transcript_path'.")
    file = Path(named).expanduser()
    if not file.is_file():
        raise BadSource(f"There is no transcript {named!r}.")
    if (format := detect(file)) not in FORMATS:
        raise BadSource(f"{named!r} is no transcript of an agent, but {format}.")
    project = project or project_of(folder if isinstance(folder, str) else None)
    with open_to_write(path) as memory:
        return memory.ingest(file, format=format, project=project)
