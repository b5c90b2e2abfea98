"""Leaning sentences: those that say something only after the one before them, by a word for what was named there.

Kept without it, "It was delicious." or "I want to visit it once." would be about whatever happens to stand before it.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern
from memkit.text.pronouns import refers_back
from memkit.text.statements import names
from memkit.text.words import content_words, is_question
from memkit.text.words import words as split_words

# With so many words, or so many that are no function words, a sentence names what its pronoun means, most probably.
FEWEST_WORDS, FEWEST_TOLD = 7, 4

# "There is a lake" names the lake.
_NAMES_IT = pattern(
    r"""
    \bthere(?:['’](?:s|re|ll))?(?=\ (?:is|are|was|were|will|has|have|a|an|no|some|so|too|been)\b)
    |\b(?:out|over|hi|hey|hello)\ there\b|\bes\ gibt\b|\b(?:that|make|made|find|found|think|take|call|get|got)\ it\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THING = pattern(
    r"""
    (?<!\w)(?:
        it|them|those|ones|(?:that|this|another|which)\ one|there|then(?=\W*\Z)
        |ihn|dort|dahin|dorthin|davon|damit|darüber|allí|ahí|ello
    )(?!\w)
    |(?<!\w)(?:je|tu|on|nous|vous)\ (?:l['’]|les?\ |y\ |en\ )
    |(?<!\w)(?:yo\ |no\ |me\ |te\ )?l[oae]s?\ (?:he|hemos|vi|compré|tengo)(?!\w)
    |那里|那儿|它们?(?=[，。！,.!了]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DATE = pattern(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October"
    r"|November|December"
)
_BESIDE = pattern(
    r"""
    [\W_]*(?:(?:
        for\ (?:example|instance)|instead|otherwise|after\ (?:that|this)|afterwards|most\ importantly|another
        |not\ (?:only|just)|the\ other(?:\ one)?s?|my\ other|in\ that\ case|that\ way
        |gets|looks|sounds|seems|feels|tastes|smells|makes|made|takes|needs|works
        |zum\ beispiel|stattdessen|sonst|danach|ein\ anderer|eine\ andere
        |por\ ejemplo|en\ cambio|después|otro|otra|par\ exemple|sinon|ensuite|un\ autre|une\ autre
    )(?!\w)|例如|比如|否则|另一)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Have a lot of pacing issues." leaves out who does.
_NO_SUBJECT = pattern(
    r"""
    [\W_]*(?:have|has|had|is|are|was|were|am)\ (?!(?:i|you|we|they|he|she|it|there|that|this|the|any\w*|your?|my|our
    |his|her|their|its|n['’]?t|ur?)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def leans(sentence: str) -> bool:
    """Whether a sentence needs the one before it.

    >>> leans("It was delicious."), leans("I want to visit it once."), leans("I locked the old car and parked it.")
    (True, True, False)
    """
    if refers_back(sentence) or _BESIDE.match(sentence) or (_NO_SUBJECT.match(sentence) and not is_question(sentence)):
        return True
    if not _THING.search(_NAMES_IT.sub(" ", sentence)) or any(not _DATE.match(name) for name in names(sentence)):
        return False
    return len(content_words(sentence)) < FEWEST_TOLD or len(split_words(sentence)) < FEWEST_WORDS
