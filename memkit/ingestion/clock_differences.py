"""Clock differences: how far one clock was ahead of another, as messages tell that are known by both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

FEWEST = 5  # messages that tell it
_MOST_OF = 0.8  # share of what is known of a time that an export of this time has
DAY = 24 * 60 * 60  # seconds
_QUARTER = 15 * 60
_SUMMER = (0, 30 * 60, 60 * 60)  # how far a clock is put on in summer; half an hour on Lord Howe Island


class Spoken(NamedTuple):
    """Who said what (the hash of a text), when by some clock, in seconds, and by which id it is known."""

    speaker: str | None
    words: str
    at: int
    id: str


def likely(differences: Iterable[int | None]) -> list[int]:
    """The differences of two clocks that messages tell, in seconds, the likeliest first; empty if they tell none.

    Time zones differ by quarters of an hour, and by an hour more or less where only one of them has summer time. By a
    whole day only days differ: what is said every morning is not the same message.
    """
    possible = (one for one in differences if one is not None and abs(one) < DAY and one % _QUARTER == 0)
    counts = Counter(possible).most_common()
    if not counts or counts[0][1] < FEWEST:
        return []
    return [one for one, count in counts if abs(one - counts[0][0]) in _SUMMER and count > 1]


class KnownWords:
    """What is known of a chat, by its words."""

    def __init__(self, known: Iterable[Spoken]):
        self._moments: dict[tuple[str | None, str], dict[int, list[str]]] = defaultdict(dict)
        for one in known:
            self._moments[one[:2]].setdefault(one.at, []).append(one.id)
        self._all = sorted(at for moments in self._moments.values() for at in moments)

    def differences(self, spoken: Sequence[Spoken | None]) -> list[int | None]:
        """How many seconds later each was spoken than it is known; None for words that came twice, or never."""
        times = Counter(one[:2] for one in spoken if one)
        found: list[int | None] = []
        for one in spoken:
            moments = self._moments.get(one[:2], ()) if one else ()
            near = [one.at - at for at in moments if abs(one.at - at) < DAY] if one else []
            found.append(near[0] if one and len(near) == times[one[:2]] == 1 else None)
        return found

    def are_said(self, spoken: Sequence[Spoken | None], differences: Sequence[int]) -> bool:
        """Whether these say nearly all that is known of their time: what only looks like the same chat does not."""
        said = {
            (one[:2], at)
            for one in spoken
            for difference in differences
            if one and (at := one.at - difference) in self._moments.get(one[:2], ())
        }
        moments = sorted(at for _, at in said)
        return len(said) >= _MOST_OF * (bisect_right(self._all, moments[-1]) - bisect_left(self._all, moments[0]))

    def take(self, one: Spoken, differences: Iterable[int]) -> tuple[int, str] | None:
        """When it was spoken as it is known, and its id; each once. None for what is not known."""
        moments = self._moments.get(one[:2], {})
        for difference in differences:
            if ids := moments.get(one.at - difference):
                return one.at - difference, ids.pop()
        return None
