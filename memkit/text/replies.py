"""Replies: what a message says only together with the one before it ("Never.", "me neither", "und du?").

In English, German, Spanish, French and Chinese. A denial and a "same" need what they answer, however long they are;
a yes with a clause of its own ("Yes, I sold the house last week.") needs nothing.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern
from memkit.text.fragments import TO, begins_fragment, is_bare, is_short
from memkit.text.words import content_words, is_question

FEWEST_TOLD, FEWEST_ASKED = 3, 7  # content words with which an affirmation says something by itself

_END = r"(?=\s*(?:[.,!;]|$|lol\b|haha|lmao|though?\b|too\b))"  # of a clause, also in chats without commas
_LEANS = pattern(
    rf"""{TO}(?:
        no(?:pe)?|nah|never|not|neither|nothing\ (?:new|much|special|really|yet)
        |me\ (?:neither|too)|same|likewise|agreed|so\ (?:do|did|am|have|would|will)\ i
        |i\ (?:(?:fully|totally|completely|really|also|strongly)\ )?(?:agree|disagree)
        |i\ (?:really\ |still\ )?(?:don|didn|haven|hadn|wouldn|couldn|won|can|wasn)['’]?t(?:(?=\ (?:either|yet))|{_END})
        |(?:h+m+\W+)?(?:i\ (?:ca|do)n['’]?t\ (?:remember|recall|know)|i\ forg[eo]t|idk|i\ dunno|no\ idea|not\ sure)
        |nein|nicht|nie|niemals|ich\ auch|nunca|jamás|tampoco|yo\ tampoco|yo\ también|todavía\ no|aún\ no
        |non|jamais|pas|moi\ (?:non\ plus|aussi)
    )(?!\w)|[\W_]*(?:不(?!但|过|仅|如|少|久)|没有?(?=[，。！,.!]|$)|从不|从来|还没|我也)""",
    re.IGNORECASE | re.VERBOSE,
)
_ANSWERS = pattern(
    rf"""{TO}(?:
        yes|yeah|yea|yep|yup|sure|of\ course|exactly|absolutely|definitely|totally|certainly|indeed|agreed|correct|right
        |true|both|either|ok(?:ay)?|none|nobody|nothing|nowhere|hardly|wrong
        |i\ (?:do|did|am|was|have|would|will|can|could|should|must|think\ so|hope\ so|guess\ so){_END}
        |(?:it|that|they|he|she|we)\ (?:is|was|does|did|are|were|do|has|have|will|would)(?:n['’]t)?{_END}
        |ja|jawohl|doch|klar|genau|stimmt|natürlich|beide[sn]?|sicher|niemand|nichts|kein\w*|falsch
        |sí|claro|por\ supuesto|exacto|cierto|ambos|ambas|de\ acuerdo|nada|nadie|ninguno|ninguna
        |oui|si|bien\ sûr|exactement|d['’]accord|les\ deux|tout\ à\ fait|rien|personne|aucun|aucune
    )(?!\w)|[\W_]*(?:是的?|对(?!于|不起)|嗯|当然|没错|有(?=[，。！,.!]|$))""",
    re.IGNORECASE | re.VERBOSE,
)
_GOES_ON = pattern(
    r"[\W_]*(?:(?:and|but|or|so|then|because|cause|cuz|like|with|which|where|whereas|though|plus|unless|except|otherwise"
    r"|und|aber|oder|weil|mit|y|pero|o|porque|con|et|mais|ou|parce|avec)(?!\w)|而且|但是|因为|还有)"
    r"|[\W_]*(?:for|especially|having|being|without|than)(?!\w)(?:\W+\w+){0,9}\W*\Z",
    re.IGNORECASE,
)
# Chats leave the question mark out: "did you know engineers earn more".
_ASKS = pattern(
    r"\A(?:\W*\w+[.,!]\ )?\W*(?:(?:do|did|have|are|were|would|can|could|will|should)(?:n['’]?t)?\ (?:you|ya|u|they|we)"
    r"|(?:what|where|when|why|who|how)(?:['’]?s|re)?\ (?:is|are|was|were|do|does|did|about|long|many|much|old|you|ya|u"
    r"|your|would|will|can)|(?:hast|bist|willst|kannst|magst)\ du|est-ce\ que|as-tu|¿)(?!\w)|[吗呢][。!！]?\Z",
    re.IGNORECASE,
)
_RETURNED = pattern(
    r"\b(?:(?:what|how) about|and) (?:you|yours?|yourself)\b|\bund (?:du|dir|dich|sie|ihr|ihnen|bei dir)\b"
    r"|\A\W*(?:do|did|have|are|were|would|can|will) (?:you|they|he|she)(?: too| either)?\W*\Z"
    r"|[¿y] ?(?:tú|vos|usted)\b|\bet (?:toi|vous)\b|[你您]呢",
    re.IGNORECASE,
)


def is_reply(message: str, *, asked: bool = False) -> bool:
    """Whether the beginning of a message says something only together with what it answers.

    If that was a question (`asked`), so does a longer affirmation, and what has no subject or verb: `Probably in May.`

    >>> is_reply("Never been there."), is_reply("Yes, I sold the house last week."), is_reply("telnet")
    (True, False, True)
    """
    if _LEANS.match(message) or is_short(message):
        return True
    if asked and (begins_fragment(message) or is_bare(message)):
        return True
    fewest = FEWEST_ASKED if asked else FEWEST_TOLD
    return _ANSWERS.match(message) is not None and len(content_words(message)) < fewest


def goes_on(message: str) -> bool:
    """Whether a message goes on with the one before it: `with prompts in between of course`.

    >>> goes_on("and two ducks"), goes_on("Two ducks live here.")
    (True, False)
    """
    return _GOES_ON.match(message) is not None


def asks(sentence: str) -> bool:
    """Whether a sentence asks something, also without a question mark.

    >>> asks("did you know that engineers earn more"), asks("Did it rain?"), asks("I know what you did")
    (True, True, False)
    """
    return is_question(sentence) or _ASKS.search(sentence) is not None


def returns_question(sentence: str) -> bool:
    """Whether a sentence asks what was just said of the other: `And you?`.

    >>> returns_question("What about you, Otto?"), returns_question("What is new?")
    (True, False)
    """
    return _RETURNED.search(sentence) is not None
