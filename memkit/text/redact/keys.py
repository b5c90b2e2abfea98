"""Secret detection: keys, tokens and passwords are found by their shape, and by the word before them."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.text.redact.credentials import named
from memkit.text.redact.vendors import shaped
from memkit.text.spans import Span


def keys(text: str) -> Iterator[Span]:
    """The spans of keys of known services, private key blocks, and what a text calls a password, a key or a token."""
    yield from shaped(text)
    yield from named(text)
