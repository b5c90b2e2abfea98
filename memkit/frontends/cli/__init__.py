"""memkit's commands, defined once and added to several command lines: `memkit` and `llm memory`.

A command is a function whose first argument is the opened database. Its options are the keyword arguments of the method
that it calls. `mount` adds the argument or option for the database file, which depends on the command line.
"""

from __future__ import annotations

# The order of these imports is the order of commands in --help: those that are needed first come first.
# isort: off
from memkit.frontends.cli import ingest, sources, recall, graph
from memkit.frontends.cli import publish, export, admin
from memkit.frontends.cli import maintenance, conversation, proposals, agents
# isort: on

from memkit.frontends.cli.host import Host
from memkit.frontends.cli.hosting import COMMANDS, mount

__all__ = [
    "COMMANDS",
    "Host",
    "admin",
    "agents",
    "conversation",
    "export",
    "graph",
    "ingest",
    "maintenance",
    "mount",
    "proposals",
    "publish",
    "recall",
    "sources",
]
