"""Fragments: messages that are a part of a sentence, or leave a part out that was said before.

In English; begins of fragments also in German, Spanish, French and Chinese.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern
from memkit.text.words import has_cjk
from memkit.text.words import words as split_words

FEWEST_WORDS = 3  # a message of at most so many words is a fragment
LONGEST_FRAGMENT, LONGEST_BARE = 6, 12  # words of what may be a part of a sentence

TO = r"[\W_]*(?:[\w|`^\\-]{1,24}[:,]\s+)?"  # `odie5533: telnet`
_FRAGMENT = pattern(
    rf"""{TO}(?:h+m+\W+|u+h*m+\W+|well\W+)?(?:
        probably|maybe|perhaps|depends|mostly|usually|only|just|still|sometimes|often|every|all\ the\ time|from|for|to
        |since|about|around|with|by|at|until|nah|i['’]?d|i\ (?:would|might|could|guess|suppose)
        |it['’]?(?:d|ll)|that['’]?(?:d|ll)
        |wahrscheinlich|vielleicht|meistens|nur|immer|seit|mit|bei|ich\ würde|probablemente|quizás?|solo|siempre|desde
        |sans\ doute|peut-être|seulement|toujours|depuis|avec|chez
    )(?!\w)|[\W_]*(?:可能|大概|也许|只是|看情况)""",
    re.IGNORECASE | re.VERBOSE,
)
_THINKS = pattern(r"\b(?:i (?:think|guess|suppose|believe)|lol|haha\w*|lmao|probably)\b", re.IGNORECASE)
_CLAUSE = frozenset(
    """
    i im ive ill id my me we our it its that thats there he hes she shes they theyre you your is are am was were have
    has had do does did don doesn didn isn aren wasn can can't will would should could 's 'm 're ve re m s ll
    ich mein wir es er sie ist sind war bin habe hat yo mi es está he ha je mon nous il elle c'est suis j'ai
    """.split()
)
_OPEN_END = pattern(
    r"(?:\b(?:an?|the|my|your|our|his|their|its|of|and|or|but|because|cuz|if|than|is|are|was|were|i|i['’]m|it['’]s|in"
    r"|at|for|with|about|from|into|like to|want to|need to|going to|had to|have to)|,)\Z",
    re.IGNORECASE,
)
# "I started a few days ago" leaves out what, "I plan to someday" what to do.
_ADVERBS = r"(?:(?:just|only|also|already|actually|still|finally|never|really|have|had|did|haven['’]?t)\ )*"
_ELIDED = pattern(
    rf"""
    \b(?:i|we|i['’]?(?:ve|d)|we['’]?ve)\ {_ADVERBS}
    (?:went|gone|been|started|tried|finished|quit|joined|forgot|agreed|signed\ up|gave\ up)
    (?=\ (?:
        once|twice|before|yet|yesterday|today|last|a\ (?:few|couple|year|month|week|while|long)|\d|one|two|over\ the
        |with\ my|when|too|already|recently|earlier|in\ (?:\d|may|june|july|high|middle|college)|and|but|because
        |as\ a\ kid|like
    )\b|\W*\Z|[.,!])
    |\b(?:i['’]?m|i\ am)\ {_ADVERBS}(?:trying|waiting|thinking|planning|watching|reading|playing)
    (?=\ (?:but|and|though|too|hopefully)\b|\W*\Z|[.,!])
    |\b(?:want|plan|love|like|hope|need|going|used|able|supposed|try|tried|have|hoping|wanted|planning)\ to
    (?=\ (?:someday|some\ day|one\ day|too|though|but|lol|haha|as\ well|either|eventually|soon|again)\b|\W*\Z
    |[.,!?])
    |\bgo(?:ing|ne)?\ back(?=\ (?:sometime|soon|again|someday)\b|\W*\Z)
    |\bwhat\ (?:you|u|he|she|they|we)\ (?:did|said|meant?)(?=\W*\Z)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def begins_fragment(message: str) -> bool:
    """Whether a message begins as a part of a sentence does: `Probably in May.`

    >>> begins_fragment("Probably in May."), begins_fragment("We met in May.")
    (True, False)
    """
    return _FRAGMENT.match(message) is not None


def is_fragment(message: str) -> bool:
    """Whether a sentence is a part of one: `Usually in a jeep.`, `Mostly old films.`.

    >>> is_fragment("Usually in a jeep."), is_fragment("Usually I walk to the harbour.")
    (True, False)
    """
    return begins_fragment(message) and len(split_words(message)) <= LONGEST_FRAGMENT


def is_bare(message: str) -> bool:
    """Whether an answer has no verb or subject that is a small word: `341, 314 and 331 i think`.

    >>> is_bare("341, 314 and 331 i think"), is_bare("I took three classes")
    (True, False)
    """
    found = split_words(_THINKS.sub("", message))
    most = 2 * LONGEST_BARE if begins_fragment(message) else LONGEST_BARE
    return len(found) <= most and not has_cjk(message) and _CLAUSE.isdisjoint(found)


def leaves_out(message: str) -> bool:
    """Whether a message leaves out an object or a verb that was named before.

    >>> leaves_out("I started a few days ago"), leaves_out("I started the course a few days ago")
    (True, False)
    """
    return _ELIDED.search(message) is not None


def is_unfinished(message: str) -> bool:
    """Whether a message ends in the middle of a sentence: `I got a degree in`.

    >>> is_unfinished("I got a degree in"), is_unfinished("I got a degree")
    (True, False)
    """
    return _OPEN_END.search(message) is not None


def is_short(message: str) -> bool:
    """Whether a message has so few words that it is a fragment: `telnet`."""
    return len(split_words(message)) <= FEWEST_WORDS and not has_cjk(message)
