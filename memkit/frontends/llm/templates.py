"""Templates for `llm` that add memories before each message: `-t memory:default`, `-t memory:kira`.

The system prompt tells the model how to use them, and does not change, so that a provider's cache of it stays valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from llm import Template
from pydantic import PrivateAttr

from memkit.core.errors import NotFound, nearest, one_of
from memkit.frontends.llm.options import KNOWN, split, typed
from memkit.frontends.llm.telling import in_sentences, memories, warn, warn_degraded

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
        with in_sentences():
            options = {**self._options, **typed(_own(params or {}))}
        if not says_something(message) and not self._said:
            return message, HOW_TO_USE
        with memories() as memory:
            found = memory.context(message, history=[*self._shown, *self._said], fenced=True, **options)
        warn_degraded(found.recall)
        self._said.append(message)
        shown = {item.id for item in found.shown}
        self._shown += [hit.memory.text for hit in found.recall or () if hit.memory.id in shown]
        return found.prompt if found.shown else message, HOW_TO_USE


def _own(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are for this template: all, unless there are others that they may be for.

    Then one that is not known, but resembles a setting, is told: it may be misspelt.
    """
    given = {name: value for name, value in params.items() if name != "input"}
    context = click.get_current_context(silent=True)
    templates = context.params.get("template") if context else None  # `llm chat` takes one, as a text
    if not isinstance(templates, list | tuple) or len(templates) < 2:
        return given
    for name in given.keys() - KNOWN.keys():
        if near := nearest(name, KNOWN):
            warn(f"No setting of the memory template is called {name!r}.{near}")
    return {name: value for name, value in given.items() if name in KNOWN}


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
