"""Definite nouns: what a sentence speaks of as known (`the boat`, `each session`), for which another has introduced it.

There is no grammar here: what follows the article counts, and the last word of it that was said before is the noun.
What says itself which one is meant (`the boat that I sold`, `the name of it`, `the film Selma`) is not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache

from memkit.core.patterns import pattern
from memkit.text.compress import terms
from memkit.text.extract.words import CALENDAR
from memkit.text.words import STOP_WORDS

LONGEST = 3  # words after an article in which its noun is looked for

_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_ARTICLES = frozenset(
    """
    the this these those each such both
    der die das den dem des dieser diese dieses diesen diesem el los las este esta estos estas le les ce cet cette ces
    """.split()
)
_IN_SIGHT = frozenset("this these dieser diese dieses diesen diesem este esta estos estas ce cet cette ces".split())
_SAYS_WHICH = frozenset(
    """
    of that who whom whose which i you we he she they ive youve weve im youre called named
    von vom der die das den dem des ich du wir sie que de del yo qui dont je tu nous vous
    """.split()
)
# Everybody knows which of these is meant.
_KNOWN = frozenset(
    """
    way thing things same other others rest first second third last next only best worst most one ones kind sort lot
    whole world internet web sun moon sky weather air ground floor bathroom beginning start end middle side top bottom
    past future present time times day days week weeks weekend weekends month months year years morning afternoon
    evening night minute hour moment holidays people point fact truth idea reason case
    """.split()
)


@lru_cache(maxsize=1 << 12)  # the sentences before one are asked again for the next
def presupposed(sentence: str) -> tuple[tuple[str, ...], ...]:
    """For each definite noun that says not itself which one is meant, the terms that may be it, the likeliest first.

    >>> presupposed("I sold the old boat"), presupposed("The boat that I sold")
    ((('boat', 'old'),), ())
    """
    return tuple(found for found in _definite(sentence) if found)


@lru_cache(maxsize=1 << 12)
def introduced(sentence: str) -> frozenset[str]:
    """The terms of a sentence that it does not speak of as known; `this boat` may be in sight, and new."""
    return frozenset(terms(sentence)) - {term for found in _definite(sentence, _ARTICLES - _IN_SIGHT) for term in found}


def _definite(sentence: str, articles: Set[str] = _ARTICLES) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(sentence)
    said: set[str] = set()
    for at, word in enumerate(words):
        if word.lower() in articles:
            noun = _noun(words[at + 1 : at + 2 + LONGEST])
            found = tuple(term for one in reversed(noun) for term in sorted(terms(one)))
            yield found if said.isdisjoint(found) else ()
        said |= terms(word)


def _noun(after: list[str]) -> list[str]:
    """The words after an article that may be its noun; none if they say themselves which one is meant."""
    noun: list[str] = []
    for word in after:
        low = word.lower()
        if noun and (low in _SAYS_WHICH or word[0].isupper()):
            return []
        if len(noun) == LONGEST or not low[0].isalpha() or low in STOP_WORDS:
            break
        noun.append(low)
    return [one for one in noun if one not in _KNOWN and one not in CALENDAR]
