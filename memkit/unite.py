"""One text out of several that say nearly the same: every sentence that adds something, and nothing twice. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.text import bigrams, has_cjk, sentences, words

COVERED = 0.8  # of a sentence's words in another one: it adds nothing to that
# Words that turn a statement round: a sentence with one of them is never covered by one without it.
NEGATIONS = frozenset("no not never none nobody nothing neither nor without t".split())


def united(texts: Iterable[str]) -> str:
    """One text that says what all of these say, word for word, in their order; the first one leads.

    A sentence that another one covers (COVERED of its words, all its numbers, the same negations) is left out, and one
    that says more takes the place of what it covers.
    """
    kept: list[tuple[str, frozenset[str]]] = []
    for text in texts:
        for start, end in sentences(text):
            _add(kept, text[start:end])
    return "".join(sentence + _gap(sentence) for sentence, _ in kept).strip()


def _add(kept: list[tuple[str, frozenset[str]]], sentence: str) -> None:
    said = _words(sentence)
    if any(_covers(other, said) for _, other in kept):
        return
    covered = [i for i, (_, other) in enumerate(kept) if _covers(said, other)]
    for i in covered[:0:-1]:
        del kept[i]
    if covered:
        kept[covered[0]] = (sentence, said)
    else:
        kept.append((sentence, said))


def _words(sentence: str) -> frozenset[str]:
    """What a sentence is compared by: its words, and of scripts without spaces the pairs of characters."""
    return frozenset(words(bigrams(sentence)) if has_cjk(sentence) else words(sentence))


def _covers(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the first says all that the second does."""
    if any(word[0].isdigit() for word in other - one) or one & NEGATIONS != other & NEGATIONS:
        return False
    return len(other & one) >= COVERED * len(other)


def _gap(sentence: str) -> str:
    """What stands behind a sentence: nothing in a script without spaces."""
    return "" if has_cjk(sentence[-2:]) else " "
