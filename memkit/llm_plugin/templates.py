"""Templates that put memories in front of each message: `-t memory:default`, `-t memory:kira`.

The system prompt stays as it is, so that what a provider has cached of it holds.
"""

from __future__ import annotations

from typing import Any

from llm import Template
from pydantic import PrivateAttr

from memkit.errors import NotFound, one_of
from memkit.llm_plugin.options import KNOWN, split, typed
from memkit.strategies import MEMKIT, STRATEGIES
from memkit.usual import open_to_read, usual_database

DEFAULT = "default"


class WithMemories(Template):
    """A template whose prompt is what memory has for the message, and then the message.

    In a chat it knows the messages before: one that says nothing by itself is read with them, and what memory has
    shown once it does not show again.
    """

    _options: dict[str, Any] = PrivateAttr(default_factory=dict)
    _said: list[str] = PrivateAttr(default_factory=list)
    _shown: list[str] = PrivateAttr(default_factory=list)

    def evaluate(self, input: str, params: dict[str, Any] | None = None) -> tuple[str | None, str | None]:
        """The prompt, and no system prompt. Options may come as parameters, too: `-p budget 800`."""
        from memkit.advise import says_something

        message = input or ""
        options = {**self._options, **typed({name: value for name, value in (params or {}).items() if name in KNOWN})}
        if not says_something(message) and not self._said:
            return message, None
        with open_to_read(usual_database()) as memory:
            found = memory.context(message, history=[*self._shown, *self._said], fenced=True, **options)
        self._said.append(message)
        shown = {item.id for item in found.shown}
        self._shown += [hit.memory.text for hit in found.recall or () if hit.memory.id in shown]
        return found.prompt if found.shown else message, None


def load(name: str) -> WithMemories:
    """memory:default, or memory:STRATEGY, which puts memories in front of the message; with ?options.

    Such as: memory:kira?budget=800&project=garden
    """
    chosen, options = split(name)
    names = {DEFAULT: MEMKIT.name, **{one: one for one in STRATEGIES}}
    if chosen not in names:
        raise NotFound(one_of("template of memory", chosen, names))
    made = WithMemories(name=f"memory:{name}", prompt="$input")
    made._options = {"strategy": names[chosen], **options}
    return made
