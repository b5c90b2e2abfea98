"""Commands for coding agents: advise, mcp."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from memkit.core.errors import MemkitError
from memkit.core.files import expanded
from memkit.core.formatting import counted
from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, in_one_thread, path_only
from memkit.frontends.cli.output import say, warn


@command("{run} advise {db}--deadline 800", path_only, required=False)
@click.option(
    "--deadline",
    default=800,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="MS",
    help="Give up after so many milliseconds.",
)
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="How many tokens at most.  [default: 2000]")
@click.option("--strategy", help="How to search and what to show: a strategy's name, or JSON.")
@click.option("--project", help="The project that is preferred, if not the directory's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for agents that do not take text.")
@click.option("--stop", is_flag=True, help="Take in the transcript of the session instead, at its end.")
def advise(path: str | None, deadline: int, as_json: bool, stop: bool, **how: Any) -> None:
    """Tell a coding agent what is remembered about a prompt, before it reads it.

    A hook: reads the agent's JSON (prompt, cwd) from standard input, prints a page of memories or nothing, and always
    exits with 0. Without DATABASE it is MEMKIT_DATABASE, or memory.db beside the log of llm. With --stop it reads the
    session's transcript (transcript_path) into the memory; what is known already stays as it is, and what the session
    teaches for the next time waits among the proposals.
    """
    from memkit.database.locations import usual_database
    from memkit.frontends.agents.hook import LONGEST_INPUT, hook, read_hook

    in_one_thread()
    if stop:
        from memkit.frontends.agents.transcript import take_in

        try:
            said = read_hook(sys.stdin.buffer.read(LONGEST_INPUT).decode("utf-8", "replace"))
            waiting = take_in(said, path or usual_database(), project=how["project"])
        except (MemkitError, ValueError) as error:  # the agent goes on
            warn(f"memkit: the session is not in the memory: {error}")
            return
        if waiting:
            listed = hints.typed("proposals", database=path or usual_database())
            told = f"memkit: {counted(waiting, 'lessons')} to confirm: {listed}"
            say(json.dumps({"systemMessage": told}) if as_json else told, err=not as_json)
        return
    given = {name: value for name, value in how.items() if value is not None}
    hook(path or usual_database(), deadline=deadline, as_json=as_json, **given)


@command("{run} mcp {db}--project garden", path_only, required=False)
@click.option("--readonly", is_flag=True, help="Without the tools that write.")
@click.option("--project", help="Only memories of this project, and of no project.")
@click.option("--strategy", help="How to search: a strategy's name, or JSON.")
@click.option(
    "--budget",
    default=2000,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="How many tokens an answer may take.",
)
def mcp(path: str | None, **how: Any) -> None:
    """Serve recall, about, path and remember to agents that speak MCP, on standard input and output.

    Without DATABASE it is MEMKIT_DATABASE, or memory.db beside the log of llm. Needs the package mcp.
    """
    from memkit.database.locations import usual_database
    from memkit.frontends.agents.mcp_server import server
    from memkit.frontends.agents.tools import Tools

    server(Tools(path or usual_database(), **how)).run()


@command("{run} agents install {db}", path_only, required=False, name="agents install")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".claude/skills"),
    show_default=True,
    help="The agent's folder of skills; ~/.claude/skills is for all projects.",
)
@click.option("--force", is_flag=True, help="Replace a skill that somebody has changed.")
def agents_install(path: str | None, folder: Path, force: bool) -> None:
    """Write the skill that tells a coding agent how to use the memory, and print the settings for its hooks.

    Without DATABASE it is MEMKIT_DATABASE, or memory.db beside the log of llm.
    """
    from memkit.database.locations import usual_database
    from memkit.frontends.agents.install import hooks, install

    database = str(Path(path or usual_database()).absolute())
    say(f"Written: {install(expanded(folder), database, force=force)}")
    say("For memories before each prompt, and for sessions that are remembered, put this into the agent's settings")
    say("(Claude Code: .claude/settings.json):")
    say(hooks(database))
