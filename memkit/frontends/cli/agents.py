"""Commands for coding agents: advise, mcp."""

from __future__ import annotations

from typing import Any

import click

from memkit.frontends.cli.hosting import command, path_only


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
def advise(path: str | None, deadline: int, as_json: bool, **how: Any) -> None:
    """Tell a coding agent what is remembered about a prompt, before it reads it.

    A hook: reads the agent's JSON (prompt, cwd) from standard input, prints a page of memories or nothing, and always
    exits with 0. Without DATABASE it is MEMKIT_DATABASE, or memory.db beside the log of llm.
    """
    from memkit.database.locations import usual_database
    from memkit.frontends.agents.hook import hook

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
