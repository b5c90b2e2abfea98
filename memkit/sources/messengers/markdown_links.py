"""Links in messages, written in Markdown as those in notes are."""

from __future__ import annotations


def link(text: str, address: str) -> str:
    """`[text](address)`; the address alone if the text is only that address again, or missing."""
    text = " ".join(text.replace("[", "(").replace("]", ")").split())
    if not text or text in address or address.rstrip("/").endswith(text):
        return address
    return f"[{text}]({address})"
