"""memkit in `llm`: commands, fragments, templates, tools and an embedding model.

`llm` imports this whenever it starts, so each hook brings in what it needs when it is called.

group       `llm memory ...`, whose commands are in `commands`
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
    """Adds `llm memory`, and makes `llm` catch the errors of the SQLite library that memkit's dependencies bring."""
    from memkit.llm_plugin.group import memory_group, one_sqlite

    one_sqlite()
    cli.add_command(memory_group())


@hookimpl
def register_fragment_loaders(register: Any) -> None:
    """Adds `memory:` and `memory-about:`."""
    from memkit.llm_plugin.fragments import about, matching

    register("memory", matching)
    register("memory-about", about)


@hookimpl
def register_template_loaders(register: Any) -> None:
    """Adds `memory:`."""
    from memkit.llm_plugin.templates import load

    register("memory", load)


@hookimpl
def register_tools(register: Any) -> None:
    """Adds the toolbox Memory."""
    from memkit.llm_plugin.toolbox import Memory

    register(Memory)


@hookimpl
def register_embedding_models(register: Any) -> None:
    """Adds memkit's built-in model."""
    from memkit.llm_plugin.embedding import BuiltIn

    register(BuiltIn())
