"""Text that memkit itself put into a prompt, and how it is kept from being extracted again."""

from __future__ import annotations

import re

CONTEXT_OPEN = "<memkit-context>"
CONTEXT_CLOSE = "</memkit-context>"

_BLOCK = re.compile(r"<memkit-context(?:\s[^<>]*)?>.*?(?:</memkit-context\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def strip_context(text: str) -> str:
    """The text without memkit's own context blocks; one that was cut off before its end goes to the end of the text."""
    if "<memkit-context" not in text.lower():
        return text
    return _BLOCK.sub("", text).strip()
