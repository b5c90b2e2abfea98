"""What a sentence needs before it: without it, "It was delicious." or "Never." would be about something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memkit.text.leaning import leans
from memkit.text.replies import goes_on, is_reply, returns_question
from memkit.text.small_talk import is_small_talk
from memkit.text.statements import Statement
from memkit.text.words import content_words, is_question

MOST_BEFORE = 2  # sentences that are taken along with one that leans on them
LONGEST_LIST = 40  # statements between a heading and the last item that is kept with it
TURNS_BEFORE = 3  # turns in which the question is looked for that a turn answers

Who = Callable[[int], str]


def needed(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """The place of a statement, after the places of those that it needs; `who` says who says the one at a place.

    A sentence with a word for something that was named needs the one before it, a reply what it answers, a message that
    goes on with another the end of that, and an item of a list its heading.
    """
    first = i
    while i - first < MOST_BEFORE and _follows(found, first) and leans(found[first].words):
        first -= 1
    heading = _heading(found, first)
    before = _answered(found, first, who) if heading is None else [heading]
    return [*before, *range(first, i + 1)]


def needs_another_turn(one: Statement) -> bool:
    """Whether a statement opens its text, and says something only together with what was said before it."""
    return one.place == 0 and (is_reply(one.words) or goes_on(one.words) or leans(one.words))


def _heading(found: Sequence[Statement], i: int) -> int | None:
    """The place of the heading of the list in which a statement is an item: a line that ends with a colon. Or None."""
    for at in range(i - 1, max(-1, i - LONGEST_LIST), -1):
        one, after = found[at], found[at + 1]
        if _turn(one) != _turn(found[i]) or one.code or one.line == found[i].line:
            return None
        if one.words.rstrip("*_ ").endswith((":", "：")):
            return at
        if after.apart and not after.mark.strip():
            return None
    return None


def _follows(found: Sequence[Statement], i: int) -> bool:
    """Whether the statement before this one is of the same turn, and no code."""
    return i > 0 and _turn(found[i - 1]) == _turn(found[i]) and not found[i - 1].code


def _is_greeting(words: str) -> bool:
    """Whether a sentence only greets or calls somebody: `Hey Emily!`."""
    return is_small_talk(words) or (len(content_words(words)) < 3 and words.endswith(("!", "！", ",")))


def _turn(one: Statement) -> tuple[int, int]:
    return one.text, one.turn


def _answered(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """What the first statement of a turn answers or goes on with; nothing for another statement."""
    words = found[i].words
    while _follows(found, i) and _is_greeting(found[i - 1].words):
        i -= 1
    if i == 0 or _turn(found[i - 1]) == _turn(found[i]) or found[i - 1].code:
        return []
    if goes_on(words):
        return _told(found, i)
    if not is_reply(words) and not leans(words):
        return []
    asked = _question(found, i, who)
    if asked is None:
        return _told(found, i)
    return [*_told(found, asked), asked] if returns_question(found[asked].words) else [asked]


def _told(found: Sequence[Statement], i: int) -> list[int]:
    """The place of the last statement before this one, in a few turns, that tells something."""
    turns = 0
    for at in range(i - 1, -1, -1):
        turns += _turn(found[at]) != _turn(found[at + 1])
        if turns > TURNS_BEFORE or found[at].code:
            break
        if len(content_words(found[at].words)) > 1:
            return [at]
    return []


def _question(found: Sequence[Statement], i: int, who: Who) -> int | None:
    """The place of the last question of somebody else in the turns before this one."""
    turns = 0
    for at in range(i - 1, -1, -1):
        turns += _turn(found[at]) != _turn(found[at + 1])
        if turns > TURNS_BEFORE:
            break
        if is_question(found[at].words) and who(at) != who(i):
            return at
    return None
