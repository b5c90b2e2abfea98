"""How words are written in the middle of sentences: what tells a name from a word that merely stands first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from memkit.extract import words
from memkit.extract.tokens import Form, Sentence, sentences

Counts = dict[str, tuple[int, int]]

_ENOUGH = 5  # sightings from which a database's own habit outweighs the built-in lists


def case_counts(text: str) -> Counts:
    """For each word of a text: how often it stands mid-sentence in lower case, and how often with a capital.

    Headings, Title Case, shouting, code and sentences without any capital tell nothing and are left out. In German,
    where every noun has a capital, a noun after a determiner counts as lower, and only a run of two or more (a first
    name and a family name) as upper.
    """
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for form, upper in _telling(text):
        counts[form.lower][upper] += 1
    return {word: (lower, upper) for word, (lower, upper) in counts.items()}


def _telling(text: str) -> Iterator[tuple[Form, bool]]:
    """The words of a text whose case tells something, and whether each has a capital."""
    for sentence in sentences(text):
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
    """A database's habit of writing: word (lower case) to (times lower, times with a capital), mid-sentence."""

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
        """Take in what `case_counts` found in one more text."""
        for word, (lower, upper) in counts.items():
            old_lower, old_upper = self.counts.get(word, (0, 0))
            self.counts[word] = (old_lower + lower, old_upper + upper)

    def is_name_word(self, word: str) -> bool:
        """Whether mid-sentence the word has been seen with a capital, and more often so than without."""
        word = word.lower()
        lower, upper = self.counts.get(word, (0, 0))
        if word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND:
            return word in MAY_BE_A_FIRST_NAME and upper > 3 * lower + _ENOUGH
        return upper > lower and not (word in words.OPENERS and upper < _ENOUGH)

    def is_common_word(self, word: str) -> bool:
        """Whether the word is known to be written in lower case: here, or (a word of the built-in lists) anywhere."""
        word = word.lower()
        if word in words.FUNCTION or word in words.OPENERS or word in words.CALENDAR or word in words.PEOPLES:
            return not self.is_name_word(word)
        lower, upper = self.counts.get(word, (0, 0))
        return lower > 0 and lower >= upper


# Of the words in the built-in lists, those that people are called by: many capitals can make them name words.
MAY_BE_A_FIRST_NAME = frozenset("will christian".split())
