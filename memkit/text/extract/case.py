"""Truecasing statistics: how often words have a capital inside sentences, to tell names from words at the start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from memkit.text.extract import words
from memkit.text.extract.tokens import Form, Sentence, worded_sentences

Counts = dict[str, tuple[int, int]]

_ENOUGH = 5  # with this many occurrences, the counts of a database outweigh the built-in lists


def case_counts(text: str) -> Counts:
    """For each word (lower case) of a text: its mid-sentence occurrences in lower case, and those with a capital.

    Headings, Title Case, all capitals, code and sentences without a capital are left out, because their case has no
    meaning. German nouns all have a capital. So a German noun after a determiner counts as lower case, and only a run
    of two or more (a first name and a family name) counts as capitalised.
    """
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for form, upper in _telling(text):
        counts[form.lower][upper] += 1
    return {word: (lower, upper) for word, (lower, upper) in counts.items()}


def _telling(text: str) -> Iterator[tuple[Form, bool]]:
    """The words of a text whose case has a meaning, and whether each has a capital."""
    for sentence in worded_sentences(text):
        if any(form.upper for form in sentence.forms) and not sentence.mute:
            yield from _german(sentence) if sentence.german else _plain(sentence)


def _plain(sentence: Sentence) -> Iterator[tuple[Form, bool]]:
    for piece in sentence.pieces:
        for form in piece.forms[1:] if piece.first else piece.forms:
            if form.counts:
                yield form, form.capital


def _german(sentence: Sentence) -> Iterator[tuple[Form, bool]]:
    tokens = sentence.tokens
    for i, token in enumerate(tokens):
        if token.first or not token.form.counts:
            continue
        before, after = tokens[i - 1], tokens[i + 1] if i + 1 < len(tokens) else None
        if not token.capital or before.lower in words.GERMAN_DETERMINERS:
            yield token.form, False
        elif (before.capital and not before.first and token.joined) or (after and after.capital and after.joined):
            yield token.form, True


class CaseStatistics:
    """Mid-sentence counts of a database: word (lower case) to (number in lower case, number with a capital)."""

    def __init__(self, counts: Mapping[str, tuple[int, int]] | None = None):
        self.counts: Counts = dict(counts or {})

    @classmethod
    def of(cls, texts: Iterable[str]) -> CaseStatistics:
        """The statistics of some texts."""
        counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        for text in texts:
            for form, upper in _telling(text):
                counts[form.lower][upper] += 1
        return cls({word: (lower, upper) for word, (lower, upper) in counts.items()})

    def add(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Adds the `case_counts` of another text."""
        for word, (lower, upper) in counts.items():
            old_lower, old_upper = self.counts.get(word, (0, 0))
            self.counts[word] = (old_lower + lower, old_upper + upper)

    def is_name_word(self, word: str) -> bool:
        """Whether the word has a capital mid-sentence more often than not."""
        word = word.lower()
        lower, upper = self.counts.get(word, (0, 0))
        if word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND:
            return word in MAY_BE_A_FIRST_NAME and upper > 3 * lower + _ENOUGH
        return upper > lower and not (word in words.OPENERS and upper < _ENOUGH)

    def is_common_word(self, word: str) -> bool:
        """Whether the word is normally in lower case, by these counts or by the built-in lists."""
        word = word.lower()
        if word in words.FUNCTION or word in words.OPENERS or word in words.CALENDAR or word in words.PEOPLES:
            return not self.is_name_word(word)
        lower, upper = self.counts.get(word, (0, 0))
        return lower > 0 and lower >= upper


# Words of the built-in lists that are also first names: enough capitals make them name words.
MAY_BE_A_FIRST_NAME = frozenset("will christian".split())
