"""What a sentence needs before it: without it, "It was delicious." or "Never." would be about something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from memkit.core.patterns import pattern
from memkit.text.antecedents import offered, unnamed
from memkit.text.definite import introduced, presupposed
from memkit.text.fragments import is_bare, is_fragment, is_short, is_unfinished, leaves_out
from memkit.text.leaning import leans
from memkit.text.replies import asks, goes_on, is_reply, returns_question
from memkit.text.small_talk import is_small_talk
from memkit.text.statements import Statement, names
from memkit.text.words import content_words, fold

MOST_BEFORE = 6  # statements that are taken along with one
LONGEST_LIST = 40  # statements between a heading and the last item that is kept with it
TURNS_BEFORE = 3  # turns in which the question is looked for that a turn answers

FEWEST_TOLD = 4  # content words with which an answer may stand without its question
TURNS_NAMED = 12  # and in which a name or noun is looked for that a pronoun means
TURNS_CALLED = 24  # and in which that is looked for which somebody said who is called by name

_POINTS = pattern(r"(?<!\w)(?:him|her|it|they|them|those|these)(?!\w)", re.IGNORECASE)
_ITEM = pattern(r"\s*(?:[-*+•]|\d+[.)])\s")
_CALL = pattern(r"[^\s:,]{2,24}[:,]\s")

Who = Callable[[int], str]


def needed(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """The place of a statement, after the places of those that it needs; `who` says who says the one at a place.

    A sentence with a word for something that was named needs the one before it, a reply what it answers, an answer with
    a word for what was asked (`I met him once.`) the question, a message that goes on with another the end of that, and
    an item of a list its heading and its beginning. What they need is needed, too.
    """
    places, waiting = {i}, [i]
    while waiting:
        last = waiting.pop(0)  # what is needed directly comes before what that needs
        for at in (*_before(found, last, who), *_after(found, last, who)):
            if at not in places and len(places) <= MOST_BEFORE:
                places.add(at)
                waiting.append(at)
    return sorted(places.union(_introductions(found, i, who)))


def _before(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    named = _named(found, i, who)[0]
    leaning = _follows(found, i) and (leans(found[i].words) or _goes_on_in_turn(found, i))
    if leaning or _is_carried_on(found, i, who):
        return [i - 1, *named]
    heading = _heading(found, i)
    return [*(_answered(found, i, who) if heading is None else [heading]), *named]


def is_lost(found: Sequence[Statement], i: int, who: Who) -> bool:
    """Whether nothing near enough names what the pronouns of a statement mean."""
    return bool(_named(found, i, who)[1])


def _named(found: Sequence[Statement], i: int, who: Who) -> tuple[list[int], set[str]]:
    """The places of the last statements before this one that name what its pronouns mean, and what none names."""
    words = _told_to_all(found, i, who)
    if not unnamed(words):
        return [], set()
    called = frozenset(word for name in _speakers(i, who).values() for word in (name, *name.split()))
    lacking: set[str] = set(unnamed(words, called))
    places = []
    for at in _heard(found, i, who, TURNS_NAMED):
        if not lacking:
            break
        offers = offered(found[at].words, called)
        if lacking & offers or (at == i - 1 and _follows(found, i)):
            places.append(at)
            lacking -= offers
    return places, lacking


def _introductions(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """The places of the last statements before this one that introduce what it speaks of as known (`the boat`).

    For one that is not the first of its turn, they are of the same turn.
    """
    nouns = presupposed(found[i].words)
    heard = list(_heard(found, i, who, 0 if _follows(found, i) else TURNS_NAMED)) if nouns else []
    places = (_introduction(found, heard, noun) for noun in nouns)
    return [at for at in places if at is not None]


def _introduction(found: Sequence[Statement], heard: Sequence[int], noun: Sequence[str]) -> int | None:
    """The nearest place that introduces the likeliest of the terms that may be a noun. Or None."""
    return next((at for term in noun for at in heard if term in introduced(found[at].words)), None)


def _is_carried_on(found: Sequence[Statement], i: int, who: Who) -> bool:
    """Whether a message goes on in the middle of the sentence with which the message before it ends, of the same."""
    if i == 0 or found[i - 1].of_turn == found[i].of_turn or found[i - 1].code or who(i) != who(i - 1):
        return False
    before, words = found[i - 1].words, found[i].words
    open_ended = before[-1:].isalnum() or before.endswith(",")
    return is_unfinished(before) or (open_ended and before[0].isupper() and words[0].islower())


def _after(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """The place after a statement that ends in the middle of a sentence, if that goes on with it."""
    return [i + 1] if i + 1 < len(found) and is_unfinished(found[i].words) and _is_carried_on(found, i + 1, who) else []


def _goes_on_in_turn(found: Sequence[Statement], i: int) -> bool:
    """Whether a statement goes on with the one before it in its turn.

    So does one that begins with `But`, a fragment, and in an item of a list all but the first, which says what the item
    is about.
    """
    words = found[i].words
    item = found[i].line == found[i - 1].line and _ITEM.match(found[i].mark) is not None
    return (
        item
        or goes_on(words)
        or leaves_out(words)
        or ((is_short(words) or is_fragment(words)) and not found[i].mark.strip())
    )


def _heading(found: Sequence[Statement], i: int) -> int | None:
    """The place of the heading of the list in which a statement is an item: a line that ends with a colon. Or None."""
    for at in range(i - 1, max(-1, i - LONGEST_LIST), -1):
        one, after = found[at], found[at + 1]
        if one.of_turn != found[i].of_turn or one.code or one.line == found[i].line:
            return None
        if one.words.rstrip("*_ ").endswith((":", "：")):
            return at
        if after.apart and not after.mark.strip():
            return None
    return None


def _follows(found: Sequence[Statement], i: int) -> bool:
    """Whether the statement before this one is of the same turn, and no code."""
    return i > 0 and found[i - 1].of_turn == found[i].of_turn and not found[i - 1].code


def _is_greeting(words: str) -> bool:
    """Whether a sentence only greets or calls somebody: `Hey Emily!`."""
    return is_small_talk(words) or (len(content_words(words)) < 3 and words.endswith(("!", "！", ",")))


def _answered(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """What the first statement of a turn answers or goes on with; nothing for another statement."""
    words = _told_to_all(found, i, who)
    while _follows(found, i) and _is_greeting(found[i - 1].words):
        i -= 1
    if i == 0 or found[i - 1].of_turn == found[i].of_turn or found[i - 1].code:
        return []
    if goes_on(words):
        return _told(found, i, who)
    own = who(i) == who(i - 1)
    asked = asks(found[i - 1].words) and not own
    replies = is_reply(words, asked=asked) or (asked and _says_little(words))
    if not (replies or leans(words) or leaves_out(words) or (own and _is_part(words))):
        return []
    question = _question(found, i, who) if replies or asked else None
    if question is None:
        return _told(found, i, who)
    return [*_told(found, question, who), question] if returns_question(found[question].words) else [question]


def _says_little(words: str) -> bool:
    """Whether an answer names nothing, and is short or has a word for what was asked: it may seem to answer another."""
    return not names(words) and (len(content_words(words)) < FEWEST_TOLD or _POINTS.search(words) is not None)


def _is_part(words: str) -> bool:
    """Whether a message of one who goes on is a part of a sentence: `networks, code and assembly`."""
    return words[0].islower() and is_bare(words)


def _told(found: Sequence[Statement], i: int, who: Who) -> list[int]:
    """The place of the last statement before this one, in a few turns, that tells something, and not to others."""
    return [at for at in _heard(found, i, who, TURNS_BEFORE) if len(content_words(found[at].words)) > 1][:1]


def _question(found: Sequence[Statement], i: int, who: Who) -> int | None:
    """The place of what this statement answers: the last question of somebody else, in a few turns before it.

    If it calls somebody (`ada: never`), it is that person's last statement; and a question to others is none.
    """
    speakers = _speakers(i, who)
    calls = bool(_called(found[i], speakers))
    for at in _heard(found, i, who, TURNS_BEFORE):
        answered = len(content_words(found[at].words)) > 1 if calls else asks(found[at].words)
        if answered and speakers.get(at) != speakers[i]:
            return at
    return None


def _heard(found: Sequence[Statement], i: int, who: Who, turns: int) -> Iterator[int]:
    """The places in so many turns before a statement, the nearest first, of what was not said to others.

    If it calls somebody (`ada: never`), these are what the two said, in more turns.
    """
    speakers = _speakers(i, who)
    called = _called(found[i], speakers)
    for at in _turns_before(found, i, TURNS_CALLED if called else turns):
        speaker, to = speakers.get(at), _called(found[at], speakers)
        both = not called or speaker in (called, speakers[i])
        if both and to in ("", speakers[i], *([called] if speaker == speakers[i] else [])):
            yield at


def _told_to_all(found: Sequence[Statement], i: int, who: Who) -> str:
    """The words of a statement without the name of whom it calls."""
    words = found[i].words
    call = _CALL.match(words)
    return words[call.end() :] if call and _called(found[i], _speakers(i, who)) else words


def _turns_before(found: Sequence[Statement], i: int, most: int) -> Iterator[int]:
    """The places before a statement, the nearest first, in so many turns before its own, up to a block of code."""
    turns = 0
    for at in range(i - 1, -1, -1):
        turns += found[at].of_turn != found[at + 1].of_turn
        if turns > most or found[at].code:
            return
        yield at


def _speakers(i: int, who: Who) -> dict[int, str]:
    """Who says this statement and those before it, as far as somebody may answer them."""
    return {at: _name(who(at)) for at in range(max(0, i - LONGEST_LIST), i + 1)}


def _called(one: Statement, speakers: Mapping[int, str]) -> str:
    """Which of these speakers a statement calls at its beginning (`Ada: never`, `ada, never`); empty if nobody."""
    found = _CALL.match(one.words)
    name = _name(found[0]) if found else ""
    return name if name in speakers.values() else ""


def _name(label: str) -> str:
    return fold(label.rstrip(":：, "))
