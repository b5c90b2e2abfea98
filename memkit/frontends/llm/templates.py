"""Templates for `llm` that add memories before each message: `-t memory:default`, `-t memory:kira`.

The system prompt tells the model how to use them, and does not change, so that a provider's cache of it stays valid.
"""

from __future__ import annotations

from typing import Any

from llm import Template
from pydantic import PrivateAttr

from memkit.core.errors import NotFound, one_of
from memkit.database.locations import open_to_read, usual_database
from memkit.frontends.cli.output import warn_degraded
from memkit.frontends.llm.options import KNOWN, split, typed

DEFAULT = "default"


class WithMemories(Template):
    """A template with a prompt of memories for the message, followed by the message.

    In a chat it uses the earlier messages: a message without content of its own is searched for together with them, and
    a memory that was shown once is not shown again.
    """

    _options: dict[str, Any] = PrivateAttr(default_factory=dict)
    _said: list[str] = PrivateAttr(default_factory=list)
    _shown: list[str] = PrivateAttr(default_factory=list)

    def evaluate(self, input: str, params: dict[str, Any] | None = None) -> tuple[str | None, str | None]:
        """The prompt, and the system prompt, always the same (C15). Options can also be parameters: `-p budget 800`."""
        from memkit.frontends.agents.hook import says_something
        from memkit.retrieval.context.values import HOW_TO_USE

        message = input or ""
        options = {**self._options, **typed({name: value for name, value in (params or {}).items() if name in KNOWN})}
        if not says_something(message) and not self._said:
            return message, HOW_TO_USE
        with open_to_read(usual_database()) as memory:
            found = memory.context(message, history=[*self._shown, *self._said], fenced=True, **options)
        warn_degraded(found.recall)
        self._said.append(message)
        shown = {item.id for item in found.shown}
        self._shown += [hit.memory.text for hit in found.recall or () if hit.memory.id in shown]
        return found.prompt if found.shown else message, HOW_TO_USE


def load(name: str) -> WithMemories:
    """memory:default or memory:STRATEGY: adds memories before the message. Options follow a question mark.

    Example: memory:kira?budget=800&project=garden
    """
    from memkit.retrieval.registry import STRATEGIES

    chosen, options = split(name)
    names = (DEFAULT, *STRATEGIES)
    if chosen not in names:
        raise NotFound(one_of("memory template", chosen, names))
    made = WithMemories(name=f"memory:{name}", prompt="$input")
    made._options = {**({} if chosen == DEFAULT else {"strategy": chosen}), **options}
    return made
