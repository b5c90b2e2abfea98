"""Consent: whether a person allows a call of a tool, asked at the terminal of `llm` or by pausing the chain."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import click
import llm

from memkit.core.errors import MemkitError

REFUSED = "The user does not want this. Nothing was changed."
NOBODY = "Nobody could be asked whether the user wants this. Nothing was changed."
Key = tuple[str, str]


class Consent:
    """The decisions about calls. Each holds for one call of this tool with these arguments."""

    def __init__(self) -> None:
        self.at_terminal = _in_llm_command()
        self._decided: dict[Key, list[bool]] = {}
        if not self.at_terminal and not hasattr(llm, "PauseChain"):
            raise MemkitError("Memory(ask=True) needs llm 0.32 or newer, in which a tool can pause a chain.")

    def decide(self, call: llm.ToolCall, allowed: bool) -> None:
        """Notes a decision about a call at which the chain paused."""
        self._decided.setdefault(_key(call.name, call.arguments), []).append(allowed)

    def refusal(self, name: str, arguments: Mapping[str, Any], question: str) -> str | None:
        """None if the call is allowed, or else what the model is told. Raises llm.PauseChain if it is not decided."""
        if self.at_terminal:
            return _ask(question)
        decided = self._decided.get(_key(name, arguments))
        if not decided:
            raise llm.PauseChain(question)
        return None if decided.pop(0) else REFUSED


def _key(name: str, arguments: Mapping[str, Any]) -> Key:
    return name, json.dumps(dict(arguments), sort_keys=True, default=str)


def _in_llm_command() -> bool:
    """Whether llm's own command runs: it does not handle PauseChain, but has a terminal."""
    context = click.get_current_context(silent=True)
    command = getattr(sys.modules.get("llm.cli"), "cli", None)
    return context is not None and context.find_root().command is command


def _ask(question: str) -> str | None:
    try:
        return None if click.confirm(question, err=True) else REFUSED
    except click.Abort:  # the terminal is closed, or the standard input was the prompt
        click.echo(err=True)
        return NOBODY
