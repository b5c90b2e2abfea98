"""memkit's commands, defined once and mounted on any command line: on `memkit`, and on `llm memory`.

A command is a function whose first argument is the opened database; its options are the keyword arguments of the call
that it makes. How the file is named on the command line is the host's business: `mount` adds that.
"""

from __future__ import annotations

from memkit.commands import taking_in, finding, knowing, sharing, moving, keeping, upkeep, conversing, deciding, agents  # isort: skip
from memkit.commands.hosting import COMMANDS, Host, mount

__all__ = [
    "COMMANDS",
    "Host",
    "agents",
    "conversing",
    "deciding",
    "finding",
    "keeping",
    "knowing",
    "mount",
    "moving",
    "sharing",
    "taking_in",
    "upkeep",
]
