"""Words that tell of a change: in which languages a sentence may speak of one, asked before it is read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from memkit.text.extract import readings
from memkit.text.extract.changes_chinese import CHINESE_CHANGES
from memkit.text.extract.changes_english import ENGLISH_CHANGES
from memkit.text.extract.changes_french import FRENCH_CHANGES
from memkit.text.extract.changes_german import GERMAN_CHANGES
from memkit.text.extract.changes_spanish import SPANISH_CHANGES
from memkit.text.extract.readings import Changes

CHANGES = (ENGLISH_CHANGES, GERMAN_CHANGES, SPANISH_CHANGES, FRENCH_CHANGES)
SIGNAL_BITS = 2 * len(CHANGES)  # of what `signals_of` gives


def signals_of(word: str) -> int:
    """Of which languages a word, as written, may begin a signal: a bit for each. Most words are of none.

    Behind these bits is one for each language of which the word is a signal by itself, not only the first of a phrase.
    """
    found = 0
    for number in _signals().begun_by(word):
        found |= 1 << number | readings.signals(word, CHANGES[number].signal) << len(CHANGES) + number
    return found


def spoken_of(told: int) -> Sequence[tuple[Changes, bool]]:
    """The languages in which a sentence may speak of a change, by the `signals_of` all its words together.

    For each language, whether one of the words is a signal by itself.
    """
    return [(one, bool(told >> len(CHANGES) + i & 1)) for i, one in enumerate(CHANGES) if told >> i & 1]


@cache
def _signals() -> readings.Signals:
    return readings.Signals(changes.signal for changes in CHANGES)


def who_reports(quote: str) -> str:
    """Who says what a sentence reports, as it names them (`Mia`, `My sister`); empty for a rumour."""
    return readings.source_of(quote, (*CHANGES, CHINESE_CHANGES))
