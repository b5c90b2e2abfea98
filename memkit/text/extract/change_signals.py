"""Words that tell of a change: in which languages a sentence may speak of one, asked before it is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from memkit.text.extract import readings
from memkit.text.extract.changes_chinese import CHINESE_CHANGES
from memkit.text.extract.changes_english import ENGLISH_CHANGES
from memkit.text.extract.changes_french import FRENCH_CHANGES
from memkit.text.extract.changes_german import GERMAN_CHANGES
from memkit.text.extract.changes_spanish import SPANISH_CHANGES
from memkit.text.extract.readings import Changes

CHANGES = (ENGLISH_CHANGES, GERMAN_CHANGES, SPANISH_CHANGES, FRENCH_CHANGES)
_MOST_SIGNALS = 1 << 14  # words for which is known of which languages they are signals
_NO_SIGNAL: frozenset[tuple[int, bool]] = frozenset()


def spoken_of(words_: Iterable[str]) -> Sequence[tuple[Changes, bool]]:
    """The languages in which a sentence may speak of a change, by its single words: for most sentences, none.

    For each language, whether one of the words is a signal by itself, and not only the first one of a phrase.
    """
    said: set[tuple[int, bool]] = set()
    for word in set(words_):
        said |= _signalled(word)
    return [(changes, (i, True) in said) for i, changes in enumerate(CHANGES) if (i, False) in said] if said else ()


def may_signal(word: str) -> bool:
    """Whether a word, as written, may begin a signal of a language: most do not."""
    return bool(_signals().begun_by(word))


@lru_cache(maxsize=_MOST_SIGNALS)
def _signalled(word: str) -> frozenset[tuple[int, bool]]:
    may = _signals().begun_by(word)
    sure = [(i, True) for i in may if readings.signals(word, CHANGES[i].signal)]
    return frozenset([*((i, False) for i in may), *sure]) if may else _NO_SIGNAL


@cache
def _signals() -> readings.Signals:
    return readings.Signals(changes.signal for changes in CHANGES)


def who_reports(quote: str) -> str:
    """Who says what a sentence reports, as it names them (`Mia`, `My sister`); empty for a rumour."""
    return readings.source_of(quote, (*CHANGES, CHINESE_CHANGES))
