"""Fitting: which of some described things, such as packs of tools or skills, fit a message (C40)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memkit.core.classes import dataclass

if TYPE_CHECKING:
    from memkit.embedding import Embedder

LEAST = 0.3  # a cosine: as published for packs of tools (for skills it is .45)


@dataclass(frozen=True)
class Fitting:
    """A thing that fits a message: its name, what it is for, and the cosine with the message (-1 to 1)."""

    name: str
    description: str
    similarity: float


def fitting(message: str, described: Mapping[str, str], embedder: Embedder, most: int, least: float) -> list[Fitting]:
    """The `most` things that fit best, best first; those whose cosine is below `least` are left out.

    The message and the descriptions are embedded together: what the model still knows costs nothing.
    """
    vectors = embedder.encode([message, *described.values()])
    similar = (vectors[1:] @ vectors[0]).tolist()
    found = [Fitting(name, text, one) for (name, text), one in zip(described.items(), similar, strict=True)]
    return sorted((one for one in found if one.similarity >= least), key=lambda one: (-one.similarity, one.name))[:most]
