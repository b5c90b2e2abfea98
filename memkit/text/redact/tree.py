"""Trie as a regular expression: common beginnings are written once, so that many names are found as fast as a few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Tree = dict[str, "Tree"]
_END = ""


def any_of(sequences: Iterable[Sequence[str]]) -> str:
    """A regular expression that matches the longest of some sequences of steps.

    A step of one character matches itself; a longer step is an expression. After each step, the next character must
    decide which step follows.
    """
    root: Tree = {}
    for steps in sequences:
        node = root
        for step in steps:
            node = node.setdefault(step, {})
        node[_END] = {}
    return _pattern(root)


def _pattern(node: Tree) -> str:
    """The expression for all steps below a node."""
    steps = [(re.escape(step) if len(step) == 1 else step) + _pattern(node[step]) for step in sorted(node) if step]
    if not steps:
        return ""
    either = steps[0] if len(steps) == 1 and _END not in node else f"(?:{'|'.join(steps)})"
    return f"{either}?" if _END in node else either
