"""Standard input as text: UTF-8, as files and programs write it, whatever the terminal's own encoding is."""

from __future__ import annotations

import io
import sys


def standard_input() -> str:
    """All of standard input. What is no UTF-8 is read in the encoding of the terminal, such as Windows' cp1252."""
    raw = sys.stdin.buffer.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode(sys.stdin.encoding or "utf-8", sys.stdin.errors or "strict")
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
