"""Fidelity check: whether what a model wrote stands in what it read, by its numbers, names and negations.

It cannot prove that a sentence is true. It finds what models get wrong most: a number, a date or a name that nobody
said, and a statement turned into its denial.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memkit.text.compress import terms
from memkit.text.statements import NUMBER, denies, names, whole_sentences
from memkit.text.words import STOP_WORDS, normal_name

# The first word of a sentence may be a name if a verb follows it: `Noah lives`, `Mia said`.
_FIRST = re.compile(
    r"([A-ZÀ-ÖØ-Þ][\w'’-]*) (?:is|was|has|had|will|[a-z]+(?:s|ed)|ate|bought|came|felt|gave|got|kept|left|lost|made|met"
    r"|paid|ran|said|saw|sold|spent|told|took|went|won|wrote)\b"
)


def unfounded(text: str, sources: Sequence[str], about: str = "") -> str | None:
    """What a text says that no source says, in words; None if every number, name and negation of it stands there.

    `about` is what is also known of the sources: speakers and times. Each sentence is compared with the sentence of the
    sources that shares most of its terms: both deny, or neither does.
    """
    whole = " ".join([*sources, about])
    known, numbers = f" {normal_name(whole)} ", frozenset(NUMBER.findall(whole))
    read = [(terms(part), denies(part)) for source in sources for part in _sentences(source)]
    for sentence in _sentences(text):
        for number in NUMBER.findall(sentence):
            if number not in numbers:
                return f"the number {number!r}"
        for name in sorted(names(sentence) | _first_name(sentence)):
            if f" {normal_name(name)} " not in known:
                return f"the name {name!r}"
        said = terms(sentence)
        nearest = max((len(said & own) for own, _ in read), default=0)
        if nearest and denies(sentence) not in {denied for own, denied in read if len(said & own) == nearest}:
            return f"the denial of what was said: {sentence!r}"
    return None


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in whole_sentences(text)]


def _first_name(sentence: str) -> set[str]:
    """The first word of a sentence, if it may be a name."""
    found = _FIRST.match(sentence)
    return {found[1]} if found and found[1].lower() not in STOP_WORDS else set()
