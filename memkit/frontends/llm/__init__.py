"""memkit in `llm`: commands, fragments, templates, tools and an embedding model.

`llm` imports this module at every start, so each hook imports what it needs when it is called.

group       `llm memory ...`; its commands are in `commands`
fragments   `-f memory:QUERY`, `-f memory-about:NAME`
templates   `-t memory:default`, one for each strategy
toolbox     `-T Memory`
embedding   `llm embed -m memkit`
options     `?budget=800&strategy=kira` at the end of a fragment's or a template's name
"""

from __future__ import annotations

from typing import Any

from llm import hookimpl


@hookimpl
def register_commands(cli: Any) -> None:
    """Adds `llm memory`."""
    from memkit.frontends.llm.group import memory_group

    cli.add_command(memory_group())


@hookimpl
def register_fragment_loaders(register: Any) -> None:
    """Adds the fragments `memory:` and `memory-about:`."""
    from memkit.frontends.llm.fragments import about, matching

    register("memory", matching)
    register("memory-about", about)


@hookimpl
def register_template_loaders(register: Any) -> None:
    """Adds the templates `memory:`."""
    from memkit.frontends.llm.templates import load

    register("memory", load)


@hookimpl
def register_tools(register: Any) -> None:
    """Adds the toolbox Memory."""
    from memkit.frontends.llm.toolbox import Memory

    register(Memory)


@hookimpl
def register_embedding_models(register: Any) -> None:
    """Adds memkit's built-in model."""
    from memkit.frontends.llm.embedding import BuiltIn

    register(BuiltIn())
