"""Explanation of a hit: each way that led from the question to the memory, in everyday words. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.core.classes import dataclass
from memkit.retrieval.everyday import LINKED, LOOKS_AT, SAYS
from memkit.retrieval.results import Hit
from memkit.text.words import fold

MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a hit: what led there (`says`), the words that both have, its place, and what it added to the score.

    `share` is its part of what the best way added: 1 for the way that counted most. `on_the_path` says that the path
    of the hit belongs to it.
    """

    channel: str
    says: str
    words: tuple[str, ...] = ()
    place: str = ""
    contribution: float = 0.0
    share: float = 0.0
    on_the_path: bool = False


def ways(hit: Hit, marked: Iterable[str]) -> list[Way]:
    """The ways to a hit, the one that counted most first. `marked` are the words that a reader sees marked in it."""
    counted = sorted(hit.why.items(), key=lambda one: -one[1].contribution)
    most = max((finding.contribution for _, finding in counted), default=0.0)
    channels = [(channel.split()[0], finding) for channel, finding in counted]
    with_path = next((channel for channel, _ in channels if channel in ("graph", "bridge")), "") if hit.path else ""
    if not channels and hit.via:
        return [Way("link", LINKED.get(hit.via, "It is linked to another answer"))]
    return [
        Way(
            channel,
            SAYS.get(channel, f"It was found by {channel}"),
            _each_once(marked) if channel == "fulltext" else (),
            place(finding.rank),
            finding.contribution,
            max(finding.contribution, 0.0) / most if most > 0 else 0.0,
            channel == with_path,
        )
        for channel, finding in channels
    ]


def moved(hit: Hit, *, up: bool) -> list[str]:
    """What the boosts looked at that moved the hit in this direction by more than a percent."""
    strong = {name: factor for name, factor in hit.boosts.items() if (factor > 1.01 if up else factor < 0.99)}
    return [LOOKS_AT.get(name, name.replace("_", " ")) for name in strong]


def moves_text(hit: Hit) -> str:
    """What moved a hit, as sentences: `Moved up for its time. Moved down for its age.`; empty if nothing did."""
    told = (("up", moved(hit, up=True)), ("down", moved(hit, up=False)))
    return " ".join(f"Moved {where} for {', '.join(looked_at)}." for where, looked_at in told if looked_at)


def place(rank: int) -> str:
    """`best of all`, `2nd best`, `13th best`."""
    if rank <= 1:
        return "best of all"
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending} best"


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(fold(word), word)
    return tuple(first.values())[:MOST_WORDS]
