"""Text merging: several near-duplicate texts become one, which keeps every sentence that adds something. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.text.words import has_cjk, sentences, word_set

COVERED = 0.8  # a sentence adds nothing if another one has this share of its words
# Negations: a sentence with one of them is never covered by a sentence without it.
NEGATIONS = frozenset("no not never none nobody nothing neither nor without t".split())


def merge_sentences(texts: Iterable[str]) -> str:
    """One text with the sentences of all texts, unchanged and in order.

    A sentence is left out if another one covers it: that one has COVERED of its words, all its numbers and the same
    negations. A later sentence that covers earlier ones takes the place of the first of them.
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for text in texts:
        for start, end in sentences(text):
            _add(kept, text[start:end])
    return "".join(sentence + _gap(sentence) for sentence, _ in kept).strip()


def _add(kept: list[tuple[str, frozenset[str]]], sentence: str) -> None:
    said = word_set(sentence)
    if any(_covers(other, said) for _, other in kept):
        return
    covered = [i for i, (_, other) in enumerate(kept) if _covers(said, other)]
    for i in covered[:0:-1]:
        del kept[i]
    if covered:
        kept[covered[0]] = (sentence, said)
    else:
        kept.append((sentence, said))


def _covers(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the words of the first sentence cover those of the second."""
    if any(word[0].isdigit() for word in other - one) or one & NEGATIONS != other & NEGATIONS:
        return False
    return len(other & one) >= COVERED * len(other)


def _gap(sentence: str) -> str:
    """The separator after a sentence: a space, or nothing in a script without spaces."""
    return "" if has_cjk(sentence[-2:]) else " "
