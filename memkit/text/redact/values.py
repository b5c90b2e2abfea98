"""Redaction values: the names to hide, and the replacements that were made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """A person (or thing) to hide: `label` is written instead of the names in `forms`.

    `Rosa Lindqvist` also hides `Rosa`, `Lindqvist`, `R. Lindqvist`, `Lindqvist, Rosa` and `Rosa L.` A name that is also
    a common word (`Will`) is hidden only with a capital. `certain=("Will",)` hides it in any case, `spared=("Will",)`
    keeps it where it is the only name.
    """

    label: str
    forms: tuple[str, ...]
    certain: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement: the rule, the original, the new text, where the original started, and the text around it.

    `start` counts characters of the given text. `original` and `context` are as private as that text.
    """

    rule: str
    original: str
    replacement: str
    start: int
    context: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without private data, and the replacements in order."""

    text: str
    replacements: tuple[Replacement, ...] = ()
