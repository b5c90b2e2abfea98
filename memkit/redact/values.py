"""The values of redaction: whom to hide, and what was done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """Somebody (or something) to hide: what is written instead, and the names that go.

    From `Rosa Lindqvist` follow `Rosa`, `Lindqvist`, `R. Lindqvist`, `Lindqvist, Rosa` and `Rosa L.` of their own. A
    name that is also a common word (`Will`) goes where it has a capital; with `certain=("Will",)` it goes however it is
    written, with `spared=("Will",)` it stays where it stands alone.
    """

    label: str
    forms: tuple[str, ...]
    certain: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """One thing that went: by which rule, what it was, what stands there now, where it began, what was around it.

    `start` counts characters of the text as it was given. `original` and `context` are private, like that text.
    """

    rule: str
    original: str
    replacement: str
    start: int
    context: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without what is private, and what went, in order."""

    text: str
    replacements: tuple[Replacement, ...] = ()
