"""Explanation of a hit as a picture: the ways from the question to the memory as lines, the thicker the more. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from memkit.retrieval.explanation import moves_text, ways
from memkit.retrieval.results import Hit
from memkit.text.marking import Piece

THINNEST, THICKEST = 2, 8  # pixels of a line: the more a way counted, the thicker
_MARK = re.compile(r"<mark>([^<]*)</mark>")


def explained(hit: Hit, heading: Sequence[Piece], html: str, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The ways to a hit, the one that counted most first, and what moved it up or down afterwards.

    In `heading` and `html` the words of the question are marked; `steps` are the way through the names.
    """
    marked = [piece for piece, is_marked in heading if is_marked] + [unescape(word) for word in _MARK.findall(html)]
    lines = [
        {
            "channel": way.channel,
            "says": way.says,
            "words": list(way.words),
            "steps": steps if way.on_the_path else [],
            "place": way.place,
            "thick": round(THINNEST + (THICKEST - THINNEST) * way.share),
        }
        for way in ways(hit, marked)
    ]
    return {"ways": lines, "moved": moves_text(hit)}
