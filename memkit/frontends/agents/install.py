"""Set-up of coding agents: the skill that tells an agent how to use the memory, written into its folder of skills."""

from __future__ import annotations

import json
import shlex
from importlib.resources import files
from pathlib import Path
from string import Template

from memkit.core.errors import MemkitError
from memkit.core.files import make_folder, open_to_write, replacing

NAME = "memkit"


def skill(database: str) -> str:
    """The text of SKILL.md, for this database file."""
    text = files("memkit.frontends.agents").joinpath("SKILL.md").read_text("utf-8")
    return Template(text).substitute(database=shlex.quote(database))


def install(folder: Path, database: str, *, force: bool = False) -> Path:
    """Writes `memkit/SKILL.md` into a folder of skills, and returns its path.

    Raises MemkitError if there is another text, unless `force`: somebody may have changed it.
    """
    file, text = folder / NAME / "SKILL.md", skill(database)
    try:
        if file.exists() and not force and file.read_text("utf-8") != text:
            raise MemkitError(f"{file} is there, with another text. To replace it: --force")
        make_folder(file.parent)
        with replacing(file) as made, open_to_write(made) as stream:
            stream.write(text)
    except (OSError, UnicodeDecodeError) as error:
        raise MemkitError(f"{file} cannot be written: {error}") from error
    return file


def hooks(database: str) -> str:
    """The hooks for an agent's settings, as JSON: memories before each prompt, and the session taken in at its end."""
    quoted = shlex.quote(database)
    commands = {"UserPromptSubmit": f"memkit advise {quoted}", "SessionEnd": f"memkit advise {quoted} --stop"}
    return json.dumps(
        {"hooks": {event: [{"hooks": [{"type": "command", "command": line}]}] for event, line in commands.items()}},
        indent=2,
    )
