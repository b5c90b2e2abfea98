"""Hooks: how other packages bring formats.

A package with the entry point group `memkit` registers formats as Datasette's and llm's plugins register theirs:

    @memkit.hookimpl
    def memkit_register_sources(register):
        register(Format(...))
"""

from __future__ import annotations

from collections.abc import Callable

import pluggy

from memkit.sources.format import Format

hookspec = pluggy.HookspecMarker("memkit")
hookimpl = pluggy.HookimplMarker("memkit")


@hookspec
def memkit_register_sources(register: Callable[[Format], None]) -> None:
    """Calls `register` with each Format that the package brings."""
