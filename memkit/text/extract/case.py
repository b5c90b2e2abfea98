"""Truecasing statistics: how often words have a capital inside sentences, to tell names from words at the start."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from memkit.text.extract import dictionary, words
from memkit.text.extract.tokens import Form, Sentence, worded_sentences
from memkit.text.extract.wikilinks import find_links

Counts = dict[str, tuple[int, int]]
MARKS = "[]:"  # around words that are counted as what stands in a link (`[quince]`), or as a label (`lead:`)

_ENOUGH = 5  # with this many occurrences, the counts of a database outweigh the built-in lists
_LABELS = 3  # a label of a template stands in at least this many texts
_UNLINKED = 4  # a word that is linked at least once in so many uses is the name of its note
_LABEL = re.compile(r"^([^\n:]{2,40}):(?!//|\w)", re.MULTILINE)
_SECTION = re.compile(r"^[> \t]*#{2,6}[ \t]+([^\n]{2,40}?)[ \t:]*$", re.MULTILINE)
_WORDS = re.compile(r"[^\W\d_][\w-]*(?: [\w-]+){0,2}")


def case_counts(text: str) -> Counts:
    """For each word (lower case) of a text: its mid-sentence occurrences in lower case, and those with a capital.

    Headings, Title Case, all capitals, code and sentences without a capital are left out, because their case has no
    meaning. German nouns all have a capital. So a German noun after a determiner counts as lower case, and only a run
    of two or more (a first name and a family name) counts as capitalised.
    """
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    _count(text, counts)
    return {word: (lower, upper) for word, (lower, upper) in counts.items()}


def _count(text: str, counts: defaultdict[str, list[int]]) -> None:
    for form, upper in _telling(text):
        counts[form.lower][upper] += 1
    for label in _labels(text) if "#" in text or ":" in text else ():
        counts[label][0] += 1
    for link in find_links(text) if "[[" in text else ():
        if link.display and not link.display[0].isupper() and " " not in link.display:
            counts[f"[{link.display.lower()}]"][1] += 1


def _labels(text: str) -> list[str]:
    """What stands as a heading, or once before a colon at the start of a line (`lead:`), where speakers stand often."""
    headings = _SECTION.findall(text) if "#" in text else []
    found = Counter(label.strip(" \t>#*+_-").lower() for label in (_LABEL.findall(text) if ":" in text else []))
    labels = {label for label, n in found.items() if n == 1} | {heading.strip(" *_").lower() for heading in headings}
    return [f"{label}:" for label in labels if _WORDS.fullmatch(label)]


def _telling(text: str) -> Iterator[tuple[Form, bool]]:
    """The words of a text whose case has a meaning, and whether each has a capital."""
    for sentence in worded_sentences(text):
        if any(form.upper for form in sentence.forms) and not sentence.mute:
            found = _german(sentence) if sentence.german_in(text) else _plain(sentence)
            yield from _unusual(found) if sentence.bare else found


def _unusual(found: Iterable[tuple[Form, bool]]) -> Iterator[tuple[Form, bool]]:
    """What is not in the dictionary: where every word has a capital, that of an everyday word has no meaning."""
    return ((form, upper) for form, upper in found if not (upper and dictionary.is_common(form.word)))


def _plain(sentence: Sentence) -> Iterator[tuple[Form, bool]]:
    for piece in sentence.pieces:
        start = 0 if not piece.first else 2 if piece.forms[0].word.isdigit() else 1
        forms = piece.forms[start:] if start else piece.forms
        for i, form in enumerate(forms, 1):
            # Step 2, but also Python 3
            if form.counts and not (form.capital and i < len(forms) and forms[i].raw.isdigit()):
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
            _count(text, counts)
        return cls({word: (lower, upper) for word, (lower, upper) in counts.items()})

    def add(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Adds the `case_counts` of another text."""
        for word, (lower, upper) in counts.items():
            old_lower, old_upper = self.counts.get(word, (0, 0))
            self.counts[word] = (old_lower + lower, old_upper + upper)

    @cached_property
    def english(self) -> bool:
        """Whether most words in lower case are English."""
        lower = {word: n for word, (n, _) in self.counts.items() if n and word.isalpha()}
        known = sum(n for word, n in lower.items() if word in words.FUNCTION or dictionary.is_known(word))
        return known > 0.8 * sum(lower.values())

    @cached_property
    def german(self) -> bool:
        """Whether these are the words of German texts."""
        return self.counts.get("und", (0, 0))[0] > self.counts.get("and", (0, 0))[0]

    def is_name_word(self, word: str) -> bool:
        """Whether the word has a capital mid-sentence more often than not."""
        word = word.lower()
        lower, upper = self.counts.get(word, (0, 0))
        if word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND:
            return word in MAY_BE_A_FIRST_NAME and upper > 3 * lower + _ENOUGH
        return upper > lower and not (word in words.OPENERS and upper < _ENOUGH)

    def is_everyday(self, word: str) -> bool:
        """Whether a word in lower case is used far more often than it is linked: `life` in most notes is no mention."""
        word = word.lower()
        lower, _ = self.counts.get(word, (0, 0))
        return lower > _UNLINKED * self.counts.get(f"[{word}]", (0, 0))[1]

    def is_mixed(self, word: str) -> bool:
        """Whether a word is more often a name than not, but not always: `the Express server` and `they express it`."""
        lower, upper = self.counts.get(word.lower(), (0, 0))
        return 2 * lower > upper

    def is_label(self, name: str) -> bool:
        """Whether a name is a label that a template sets before a colon (`Lead: ...`), more often than it is a name."""
        name = name.lower()
        labels, _ = self.counts.get(f"{name}:", (0, 0))
        return labels >= _LABELS and labels > min(self.counts.get(word, (0, 0))[1] for word in name.split())

    def is_common_word(self, word: str) -> bool:
        """Whether the word is normally in lower case, by these counts or by the built-in lists."""
        word = word.lower()
        if word in words.FUNCTION or word in words.OPENERS or word in words.CALENDAR or word in words.PEOPLES:
            return not self.is_name_word(word)
        lower, upper = self.counts.get(word, (0, 0))
        return lower > 0 and lower >= upper


# Words of the built-in lists that are also first names: enough capitals make them name words.
MAY_BE_A_FIRST_NAME = frozenset("will christian".split())
