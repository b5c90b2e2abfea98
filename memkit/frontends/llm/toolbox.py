"""Toolbox for `llm` (active recall): the tools that a model calls itself."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

import llm

from memkit.core.errors import MemkitError
from memkit.database.locations import usual_database
from memkit.frontends.agents.tools import TOOLS, Tool, Tools
from memkit.frontends.llm.consent import Consent


class Memory(llm.Toolbox):
    """The memory of the person you talk with: recall, about, path, remember, forget, feedback.

    With `ask`, a person is asked before a memory is kept or hidden: at the terminal by the command `llm`; in Python the
    chain raises llm.PauseChain, whose text is the question and whose `tool_call` goes to `allow` or `refuse`.
    """

    # For the host, and no tools of the model.
    _blocked: tuple[str, ...] = (*llm.Toolbox._blocked, "allow", "refuse")  # type: ignore[assignment]

    def __init__(
        self,
        readonly: bool = False,
        project: str | None = None,
        strategy: str | None = None,
        budget: int = 2000,
        database: str | None = None,
        ask: bool = False,
    ):
        self._readonly = readonly
        self._consent = Consent() if ask else None
        self._tools = Tools(database or usual_database(), readonly, project, strategy, budget)

    def tools(self) -> Iterable[llm.Tool]:
        """The tools for a model; without those that write if `readonly`."""
        writing = {f"{type(self).__name__}_{name}" for name, tool in TOOLS.items() if tool.writes}
        return [tool for tool in super().tools() if not (self._readonly and tool.name in writing)]

    def allow(self, call: llm.ToolCall) -> None:
        """Lets a call happen once, when the chain that paused at it is run again from its messages."""
        if self._consent:
            self._consent.decide(call, True)

    def refuse(self, call: llm.ToolCall) -> None:
        """Tells the model, when the chain is run again, that the user does not want this call."""
        if self._consent:
            self._consent.decide(call, False)

    def _refusal(self, tool: Tool, given: tuple[Any, ...], named: dict[str, Any]) -> str | None:
        """What the model is told instead of a call that is not allowed, or None. Raises llm.PauseChain to ask."""
        if self._consent is None or tool.before is None:
            return None
        arguments = dict(signature(tool.work).bind(self._tools, *given, **named).arguments)
        del arguments["self"]
        try:
            question = tool.before(self._tools, **arguments)
        except MemkitError:  # such as an unknown id: the call itself says so, and changes nothing
            return None
        return self._consent.refusal(f"{type(self).__name__}_{tool.name}", arguments, question)


def _method(tool: Tool) -> Callable[..., str]:
    """A tool in the form of `llm`: a method with a docstring."""

    @wraps(tool.work)
    def method(self: Memory, *given: Any, **named: Any) -> str:
        return self._refusal(tool, given, named) or tool.work(self._tools, *given, **named)

    method.__name__, method.__doc__ = tool.name, tool.description
    return method


for _tool in TOOLS.values():
    setattr(Memory, _tool.name, _method(_tool))
