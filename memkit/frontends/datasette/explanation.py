"""Explanation of a hit as a picture: each way that led from the question to the memory, in everyday words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from memkit.retrieval.results import Hit
from memkit.text.marking import Piece
from memkit.text.words import fold

MOST_WORDS = 8
THINNEST, THICKEST = 2, 8  # pixels of a line: the more a way counted, the thicker

# What each channel means to somebody who does not know that there are channels.
SAYS = {
    "fulltext": "It has words of your question",
    "vector": "It means something similar",
    "sentence": "A sentence of it means something similar",
    "graph": "It is connected by names",
    "bridge": "It shares a name with another answer",
    "time": "It happened in the time that you ask for",
    "recent": "It is one of the latest",
}
LINKED = {
    "supersedes": "It replaces another answer",
    "superseded": "Another answer has replaced it",
    "contradicts": "It says otherwise than another answer",
    "part_of": "It belongs to another answer",
}
# What each boost looks at.
LOOKS_AT = {
    "recency": "its age",
    "importance": "how important it is",
    "confidence": "how sure it is",
    "access": "how often it was read",
    "project": "its project",
    "interval": "its time",
    "speaker": "who says it",
    "asking": "that it asks rather than tells",
    "length": "how much it says",
    "covered": "how much of the question is in it",
    "assistant": "that an assistant says it",
    "later": "that it was said later than another answer",
    "rerank": "how a model reads it beside your question",
}
_MARK = re.compile(r"<mark>([^<]*)</mark>")


def explained(hit: Hit, heading: Sequence[Piece], html: str, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The ways to a hit, the one that counted most first, and what moved it up or down afterwards.

    In `heading` and `html` the words of the question are marked; `steps` are the way through the names.
    """
    counted = sorted(hit.why.items(), key=lambda one: -one[1].contribution)
    most = max((finding.contribution for _, finding in counted), default=0.0)
    channels = [(channel.split()[0], finding) for channel, finding in counted]
    on_the_way = next((channel for channel, _ in channels if channel in ("graph", "bridge")), "")
    ways = [
        {
            "channel": channel,
            "says": SAYS.get(channel, f"It was found by {channel}"),
            "words": _words(heading, html) if channel == "fulltext" else [],
            "steps": steps if channel == on_the_way else [],
            "place": _place(finding.rank),
            "thick": _thick(finding.contribution, most),
        }
        for channel, finding in channels
    ]
    if not ways and hit.via:
        ways = [{"channel": "link", "says": LINKED.get(hit.via, "It is linked to another answer"), "thick": THINNEST}]
    return {"ways": ways, "up": _moved(hit, up=True), "down": _moved(hit, up=False)}


def _words(heading: Sequence[Piece], html: str) -> list[str]:
    """The words that a reader sees marked, each once."""
    found = [piece for piece, marked in heading if marked] + [unescape(word) for word in _MARK.findall(html)]
    first: dict[str, str] = {}
    for word in found:
        first.setdefault(fold(word), word)
    return list(first.values())[:MOST_WORDS]


def _place(rank: int) -> str:
    """`best of all`, `2nd best`, `13th best`."""
    if rank <= 1:
        return "best of all"
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending} best"


def _thick(part: float, most: float) -> int:
    return round(THINNEST + (THICKEST - THINNEST) * max(part, 0.0) / most) if most > 0 else THINNEST


def _moved(hit: Hit, *, up: bool) -> list[str]:
    """What the boosts looked at that moved the hit in this direction by more than a percent."""
    strong = {name: factor for name, factor in hit.boosts.items() if (factor > 1.01 if up else factor < 0.99)}
    return [LOOKS_AT.get(name, name.replace("_", " ")) for name in strong]
