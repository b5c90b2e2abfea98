"""Toolbox for `llm` (active recall): the tools that a model calls itself."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import llm

from memkit.database.locations import usual_database
from memkit.frontends.agents.tools import TOOLS, Tool, Tools


class Memory(llm.Toolbox):
    """The memory of the person you talk with: recall, about, path, remember, forget, feedback."""

    def __init__(
        self,
        readonly: bool = False,
        project: str | None = None,
        strategy: str | None = None,
        budget: int = 2000,
        database: str | None = None,
    ):
        self._readonly = readonly
        self._tools = Tools(database or usual_database(), readonly, project, strategy, budget)

    def tools(self) -> Iterable[llm.Tool]:
        """The tools for a model; without those that write if `readonly`."""
        writing = {f"{type(self).__name__}_{name}" for name, tool in TOOLS.items() if tool.writes}
        return [tool for tool in super().tools() if not (self._readonly and tool.name in writing)]


def _method(tool: Tool) -> Callable[..., str]:
    """A tool in the form of `llm`: a method with a docstring."""

    @wraps(tool.work)
    def method(self: Memory, *given: Any, **named: Any) -> str:
        return tool.work(self._tools, *given, **named)

    method.__name__, method.__doc__ = tool.name, tool.description
    return method


for _tool in TOOLS.values():
    setattr(Memory, _tool.name, _method(_tool))
