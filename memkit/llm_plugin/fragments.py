"""Passive recall by name: what `-f` puts in front of a message."""

from __future__ import annotations

from llm import Fragment

from memkit.llm_plugin.options import split
from memkit.tools import fenced
from memkit.usual import open_to_read, usual_database


def matching(argument: str) -> list[Fragment]:
    """`-f memory:QUERY`: what memory has for a query, as a page for a model; with ?options.

    Such as: memory:trip to Portugal?budget=800&strategy=kira
    """
    query, options = split(argument)
    with open_to_read(usual_database()) as memory:
        text = str(memory.context(query, fenced=True, **options))
    return [Fragment(text, f"memory:{argument}")] if text else []


def about(argument: str) -> Fragment:
    """`-f memory-about:NAME`: what is known about somebody or something."""
    with open_to_read(usual_database()) as memory:
        return Fragment(fenced(repr(memory.about(argument))), f"memory-about:{argument}")
