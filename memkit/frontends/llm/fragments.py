"""Fragments for `llm` (passive recall): `-f memory:QUERY` adds memories before a message."""

from __future__ import annotations

from llm import Fragment

from memkit.frontends.agents.tools import fenced
from memkit.frontends.llm.options import split
from memkit.frontends.llm.telling import memories, warn_degraded


def matching(argument: str) -> list[Fragment]:
    """`-f memory:QUERY`: the memories for a query, as a context for a model. Options follow a question mark.

    Example: memory:trip to Portugal?budget=800&strategy=kira
    """
    query, options = split(argument)
    with memories() as memory:
        found = memory.context(query, fenced=True, **options)
    warn_degraded(found.recall)
    text = str(found)
    return [Fragment(text, f"memory:{argument}")] if text else []


def about(argument: str) -> Fragment:
    """`-f memory-about:NAME`: what is known about a person or thing."""
    with memories() as memory:
        return Fragment(fenced(repr(memory.about(argument))), f"memory-about:{argument}")
