"""Truecasing statistics: how often words have a capital inside sentences, to tell names from words at the start."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary, words
from memkit.text.extract.tokens import (
    NUMBER,
    UPPER,
    Form,
    Sentence,
    Token,
    describes_german,
    determines_german,
    is_english,
    worded_sentences,
)
from memkit.text.extract.wikilinks import find_links
from memkit.text.words import has_cjk

Counts = dict[str, tuple[int, int]]
MARKS = "[]:"  # around words that are counted as what stands in a link (`[quince]`), or as a label (`lead:`)

_ENOUGH = 5  # with this many occurrences, the counts of a database outweigh the built-in lists
_LABELS = 3  # a label of a template stands in at least this many texts
SURE_LENGTH = 6  # letters of a well-known name that no other language has as a word
_OFTEN = 20  # uses of a small word, at least, and of so many words it is one
_RARER = 1000
_UNLINKED = 4  # a word that is linked at least once in so many uses is the name of its note
_LABEL = pattern(r"^([^\n:]{2,40}):(?!//|\w)", re.MULTILINE)
_SECTION = pattern(r"^[> \t]*#{2,6}[ \t]+([^\n]{2,40}?)[ \t:]*$", re.MULTILINE)
_WORDS = pattern(r"[^\W\d_][\w-]*(?: [\w-]+){0,2}")


def case_counts(text: str) -> Counts:
    """For each word (lower case) of a text: its mid-sentence occurrences in lower case, and those with a capital.

    Headings, Title Case, all capitals, code and sentences without a capital are left out, because their case has no
    meaning. German nouns all have a capital. So a German noun after a determiner or an adjective counts as lower case,
    and only a run of two or more (a first name and a family name) counts as capitalised.
    """
    return _counts([text])


def _counts(texts: Iterable[str]) -> Counts:
    """The case counts of some texts together."""
    other: Counter[tuple[str, bool]] = Counter()
    unsure: tuple[Counter[Form], Counter[tuple[str, bool]]] = Counter(), Counter()
    forms = Counter(chain.from_iterable(_forms(texts, other, unsure)))  # each counts as it is written
    if sum(n for form, n in forms.items() if form.lower == "and") < other["und", False]:
        other += unsure[1]  # what tells no language is in that of most
    else:
        forms += unsure[0]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for form, n in forms.items():
        if form.counts:
            counts[form.lower][form.capital] += n
    for (word, upper), n in other.items():
        counts[word][upper] += n
    return {word: (lower, upper) for word, (lower, upper) in counts.items()}


def _forms(
    texts: Iterable[str],
    other: Counter[tuple[str, bool]],
    unsure: tuple[Counter[Form], Counter[tuple[str, bool]]],
) -> Iterator[list[Form]]:
    """The words inside sentences that are not German; `other` gets the words of those that are, labels and links.

    `unsure` gets those of sentences that tell no language (`Jonas sucht Termine`): as of another one, and as of German.
    """
    for text in texts:
        for sentence in worded_sentences(text):
            if sentence.traits & UPPER and not sentence.mute:
                if sentence.german_in(text):
                    other.update(_german(sentence))
                elif sentence.english or is_english(text):
                    yield _plain(sentence)
                else:
                    unsure[0].update(_plain(sentence))
                    unsure[1].update(_german(sentence))
        if "#" in text or ":" in text:
            other.update((label, False) for label in _labels(text))
        if "[[" in text:
            other.update((label, True) for label in _linked(text))


def _linked(text: str) -> Iterator[str]:
    """The words of links in lower case, in brackets: `[quince]`."""
    for link in find_links(text):
        if link.display and not link.display[0].isupper() and " " not in link.display:
            yield f"[{link.display.lower()}]"


def _labels(text: str) -> list[str]:
    """What stands as a heading, or once before a colon at the start of a line (`lead:`), where speakers stand often."""
    labels = {label for label, n in Counter(_before_colons(text)).items() if n == 1}.union(_headings(text))
    return [f"{label}:" for label in labels if _WORDS.fullmatch(label)]


def _before_colons(text: str) -> list[str]:
    return [label.strip(" \t>#*+_-").lower() for label in _LABEL.findall(text)] if ":" in text else []


def _headings(text: str) -> list[str]:
    return [heading.strip(" *_").lower() for heading in _SECTION.findall(text)] if "#" in text else []


def countable(text: str) -> set[str]:
    """The words, links and labels of a text in the form in which they are counted, wherever they stand in it."""
    forms = {form.lower for sentence in worded_sentences(text) for form in sentence.forms}
    return forms.union(_linked(text), (f"{label}:" for label in (*_before_colons(text), *_headings(text))))


def _plain(sentence: Sentence) -> list[Form]:
    """The words inside a sentence; those whose case never has a meaning (`Form.counts`) are to be left out."""
    found: list[Form] = []
    for piece in sentence.pieces:
        forms = piece.forms
        if piece.first:
            start = next((n for n, form in enumerate(forms, 1) if not form.leads), len(forms))
            forms = forms[start:]
        if sentence.traits & NUMBER:  # Step 2, but also Python 3
            after = [*(form.raw.isdigit() for form in forms[1:]), False]
            forms = [form for form, number in zip(forms, after, strict=False) if not (form.capital and number)]
        found += forms
    if sentence.bare:  # where every word has a capital, that of an everyday word has no meaning
        return [form for form in found if not (form.capital and dictionary.is_common(form.word))]
    return found


def _german(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    """The words inside a German sentence in lower case, and whether each has a capital that has a meaning."""
    tokens, bare = sentence.tokens, sentence.bare
    for i, token in enumerate(tokens):
        if token.first or not token.form.counts:
            continue
        before, after = tokens[i - 1], tokens[i + 1] if i + 1 < len(tokens) else None
        determined = determines_german(before.form) or describes_german(before.lower)
        if not token.capital or describes_german(token.lower) or (determined and token.word[1:].islower()):
            yield token.lower, False
            continue
        of_two = _beside_name(before, not before.first and token.joined) or (
            after and _beside_name(after, after.joined)
        )
        if of_two and not (bare and dictionary.is_common(token.word)):
            yield token.lower, True


def _beside_name(other: Token, joined: bool) -> bool:
    """Whether a word may be the other half of a full name: no acronym (`TU Info`) and no adjective is."""
    return joined and other.capital and other.form.counts and not describes_german(other.lower)


class CaseStatistics:
    """Mid-sentence counts of a database: word (lower case) to (number in lower case, number with a capital)."""

    def __init__(self, counts: Mapping[str, tuple[int, int]] | None = None):
        self.counts: Counts = dict(counts or {})

    @classmethod
    def of(cls, texts: Iterable[str]) -> CaseStatistics:
        """The statistics of some texts."""
        return cls(_counts(texts))

    def add(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Adds the `case_counts` of another text."""
        for word, (lower, upper) in counts.items():
            old_lower, old_upper = self.counts.get(word, (0, 0))
            self.counts[word] = (old_lower + lower, old_upper + upper)

    @cached_property
    def english(self) -> bool:
        """Whether most words in lower case are English."""
        lower = {word: n for word, (n, _) in self.counts.items() if n and word.isalpha() and not has_cjk(word)}
        known = sum(n for word, n in lower.items() if word in words.FUNCTION or dictionary.is_known(word))
        return known > 0.8 * sum(lower.values())

    @cached_property
    def german(self) -> bool:
        """Whether these are the words of German texts."""
        return self.counts.get("und", (0, 0))[0] > self.counts.get("and", (0, 0))[0]

    def is_name_word(self, word: str) -> bool:
        """Whether the word has a capital mid-sentence more often than not."""
        word = word.lower()
        if word in words.THANKS:
            return False
        lower, upper = self.counts.get(word, (0, 0))
        if word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND:
            return word in MAY_BE_A_FIRST_NAME and upper > 3 * lower + _ENOUGH
        return upper > lower and not (word in words.OPENERS and upper < _ENOUGH)

    def is_sure_name(self, word: str) -> bool:
        """Whether a word is a name also where every noun has a capital: seen in several full names, and in no more."""
        lower, upper = self.counts.get(word.lower(), (0, 0))
        return upper > 1 and upper > 4 * lower and not dictionary.is_common(word) and self.is_name_word(word)

    def is_everyday(self, word: str) -> bool:
        """Whether a word in lower case is used far more often than it is linked: `life` in most notes is no mention."""
        word = word.lower()
        lower, _ = self.counts.get(word, (0, 0))
        return lower > _UNLINKED * self.counts.get(f"[{word}]", (0, 0))[1] and not self.is_well_known(word)

    @cached_property
    def _often(self) -> int:
        return max(_OFTEN, sum(lower for lower, _ in self.counts.values()) // _RARER)

    def is_small_word(self, word: str) -> bool:
        """Whether a word is one of those that sentences are made of, in any language: `the`, `thank`, `nie`."""
        word = word.lower()
        if word in words.FUNCTION or (word in words.OPENERS and word not in words.NAME_FORMING):
            return True
        return self.counts.get(word, (0, 0))[0] > self._often

    def is_mixed(self, word: str) -> bool:
        """Whether a word is more often a name than not, but not always: `the Express server` and `they express it`."""
        lower, upper = self.counts.get(word.lower(), (0, 0))
        return 2 * lower > upper and not self.is_well_known(word)

    def is_well_known(self, word: str) -> bool:
        """Whether everybody knows a word as a name: `ubuntu`. A short one may be a word of another language: `vite`."""
        return dictionary.is_well_known(word) and (len(word) >= SURE_LENGTH or has_cjk(word) or self.english)

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
        return lower > 0 and lower >= upper and not self.is_well_known(word)


# Words of the built-in lists that are also first names: enough capitals make them name words.
MAY_BE_A_FIRST_NAME = frozenset("will christian".split())
