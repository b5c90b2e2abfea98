"""Prompt echo removal: text that memkit itself added to a prompt is not extracted again."""

from __future__ import annotations

import re

CONTEXT_OPEN = "<memkit-context>"
CONTEXT_CLOSE = "</memkit-context>"

_BLOCK = re.compile(r"<memkit-context(?:\s[^<>]*)?>.*?(?:</memkit-context\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def strip_context(text: str) -> str:
    """The text without memkit's own context blocks; a block without an end tag extends to the end of the text."""
    if "<memkit-context" not in text.lower():
        return text
    return _BLOCK.sub("", text).strip()
