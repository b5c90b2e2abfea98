"""Antecedents: what `he`, `them` or `it` in a sentence may mean, and for which of them it names nothing itself.

There is no grammar here, only the order of words: a pronoun is named if a word that can be its noun stands before it in
the sentence. A noun follows an article, a preposition or a verb; a person is a name, or one of a list. What is unsure
counts as named, because whatever is kept for a pronoun's sake takes the place of something else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal, get_args

from memkit.core.patterns import pattern
from memkit.text.extract.chinese import KIN_ROLES
from memkit.text.extract.grammar import JOBS, ROLES
from memkit.text.extract.words import CALENDAR, FUNCTION, OPENERS
from memkit.text.words import STOP_WORDS, fold, has_cjk

Kind = Literal["person", "several", "thing"]
Kinds = frozenset[Kind]

EVERY: Kinds = frozenset(get_args(Kind))
_NAMED: Kinds = frozenset(["person", "several", "thing"])
_PERSON: Kinds = frozenset(["person", "several"])
_NOUN: Kinds = frozenset(["several", "thing"])  # `they` is also said of a shop or a school
_SEVERAL: Kinds = frozenset(["several"])
_THING: Kinds = frozenset(["thing"])
_NOTHING: Kinds = frozenset()

_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_PRONOUN = pattern(  # with the spellings of chats: hes, theyre, himmm
    r"""(?x)
    (?P<person>(?:s?he)(?:['’]?s|['’](?:d|ll))?|him+|his|her+s?|(?:him|her)self|er|ihn|ihm|él|ella|elle|lui)
    |(?P<several>they(?:['’]?(?:re|ve|ll|d))?|them+|theirs?|themselves|em|sie|ihnen|ellos|ellas|ils|elles|eux)
    |(?P<thing>it(?:['’]?s|['’](?:d|ll)|ll)?|ones|ello)
    """
)
_CRY = pattern("o+h+|a+h+|w+o+w+|omg|o+o+h*|a+w+|hm+|wo+a+h|dang|damn|yay|ye+s+|nice")
_THAT_IS = pattern(r"that['’]?(?:s|d|ll)")
_FILLERS = r"""(?:
    (?:is|was|were|be|been|being|ha[sd]|would|will|can|could|might|may|must|should|gets?|got|feels?|felt|seems?|sounds?
    |looks?|really|so|just|also|still|always|very|not|pretty|super|kinda|more|quite|too|actually|truly|definitely|all
    |an?|the|only|about|like)\ )*"""
# "It is hard to say", "it rained" and "we made it" mean nothing that was named.
_IDLE = pattern(
    rf"""(?xi)
    \b(?:f(?:i|ou)nd|call|g[eo]t|tak(?:e|ing)|worth|that['’]?s|as|way|how)
        \ it\b(?!\ (?:turned|went))
    |\bma(?:de?|kes?|king)\ it\ (?:
        to|through|home|here|there|back|work|out|in|by|past|up|hard\w*|eas\w+|difficult|possible|impossible|clear|worth
        |sound|seem|feel|look|a|an|all|so|much|very|more|less|really
    )\b
    |\bit(?:['’]?s|['’]ll|['’]d|(?=\ (?:is|was|be|ha[sd]|would|will|can|could|might|may|must|should|gets?|got|feels?
            |felt|seems?|sounds?|looks?|takes?|took)\b))\ {_FILLERS}
        (?!\w+ing\b)[\w-]+(?:\ (?!to\b)[\w-]+)?\ (?:to|that|when|how|if|because|for|since|cause|who|what)\b
    |\bit(?:['’]?s|['’]ll|['’]d)?\ {_FILLERS}
        (?:rain\w*|snow\w*|cold|hot|warm|sunny|freezing|windy|late|early|time|dark|been|\d+|\w+day|christmas|weekend
        |winter|summer|spring|fall|night|morning|depends|turns\ out|hard|easy|weird|crazy|funny|cool)\b
    """
)
# 其他 is "other"
_CJK_PRONOUN = pattern(r"\A[^，。！？、,]{0,8}?(?<![其吉])[他她它](?!人)")

_PERSONS = frozenset(
    """
    man woman guy girl boy lady dude kid child baby ex crush relative bro sis mil fil mate buddy bestie gf bf stranger
    customer patient player actor actress singer artist author king queen hero heroine villain character host guest
    driver officer detective soldier witch wizard captain waiter cashier mayor priest judge victim killer thief puppy
    kitten
    mann frau junge mädchen kind freund freundin mutter vater schwester bruder chefin arzt ärztin nachbar nachbarin
    hombre mujer chico chica niño niña amigo amiga madre padre hermano hermana jefe jefa médico médica vecino vecina
    homme femme garçon fille ami amie mère père frère sœur patron patronne médecin voisin voisine
    """.split()
).union(map(str.lower, ROLES), map(str.lower, JOBS))
# Who is meant by these is said in their own sentence only.
_ANYBODY = frozenset(
    "someone somebody anyone anybody everyone everybody nobody person jemand niemand alguien nadie quelqu'un".split()
)
_CALLED = frozenset("man boy girl dude bro".split())  # "Man up!"
_GROUPS = frozenset("people children men women kids family police staff team leute gente gens".split())
_BEFORE_NOUN = frozenset(
    """
    a an the my your our his her its their this that these those some any no every each another other
    of in on at by with from for about into like than as between under over
    der die das den dem des ein eine einen einem einer mein meine meinen meiner meinem unser unsere
    el la los las un una unos unas mi mis nuestro nuestra le les des une mon ma mes notre nos
    """.split()
)
_BEFORE_VERB = frozenset(
    "i you he she it we they who which that to im ive youve weve ill youll not gonna wanna gotta tryna lemme".split()
)
_OBJECTS = frozenset("it them him her that those these this one".split())
_HAVING = frozenset("have has had got get gets".split())
_AFTER_NAME = frozenset("is was has had will would can could said says told and or does did just".split())
_NO_NOUN = frozenset(
    """
    lol lmao haha hahaha gonna wanna gotta kinda tryna dunno gimme lemme dang damn whoa wow ooh ohh aw aww umm hmm
    eww god yeah yes yep nah oh ok okay well really just also still even already always never maybe pretty very
    quite too sure sometimes once twice again back away much many more most less good great nice bad new old big
    last first next best worst same whole only time times day days week weeks year years bit lot kind sort way thing
    things stuff one two three couple few im ive id ill youre thats its theres whats dont didnt doesnt isnt wasnt
    cant couldnt wont wouldnt hes shes theyre
    """.split()
)
# `that` and `one` are pronouns at an end, and `that` before a noun after these: "in that case".
_ENDS = frozenset(
    """
    lol haha lmao too yet though tho either anymore again and but or so because cause when if as think guess hope
    """.split()
)
_BEFORE_THAT = frozenset(
    "of in on at by with from for about into like than after before do did make made have had to".split()
)
_BEFORE_ONE = frozenset(
    "this that the another which good bad new old big small first last next other only best favorite favourite".split()
)
_BEFORE_ANYBODY = frozenset("no any some every each number day".split())
_AFTER_DO = _BEFORE_NOUN | frozenset("i you we they he she".split())
_AFTER_NOUN = frozenset("once in at on for to from of and but because last yesterday today tomorrow with too".split())
_AFTER_THAT = frozenset(
    "is was seems seemed sounds looks looked will would could might makes made helps happens".split()
)
_BEFORE_THERE = frozenset("hi hey hello out over right up down ya you hang is are was were isn’t isn't aren't".split())
_AFTER_THERE = frozenset(
    """
    is are was were will has have had would could can might must may should isn't isn’t aren't aren’t wasn't wasn’t isnt
    arent s a an no some so seems used
    """.split()
)
_TIMES = frozenset("day days time week weekend month year night morning evening afternoon moment point way".split())


def unnamed(sentence: str, called: Collection[str] = ()) -> Kinds:
    """The kinds of pronouns of a sentence for which nothing before them in it is a name or noun.

    The names in `called` (folded) are those of the speakers, who are `I` and `you`.

    >>> sorted(unnamed("I know who he is.")), sorted(unnamed("My sister said she sold them."))
    (['person'], ['several'])
    """
    if has_cjk(sentence):
        found = _CJK_PRONOUN.match(sentence)
        return _PERSON if found and not any(role in found[0] for role in KIN_ROLES) else _NOTHING
    return _read(sentence, frozenset(called))[0]


def offered(sentence: str, called: Collection[str] = ()) -> Kinds:
    """The kinds of pronouns that may mean a name or noun of a sentence when they stand in one after it.

    >>> sorted(offered("My sister left.")), sorted(offered("We sold the boat."))
    (['person', 'several'], ['several', 'thing'])
    """
    if has_cjk(sentence):
        return _NOTHING if _CJK_PRONOUN.match(sentence) else EVERY
    return _read(sentence, frozenset(called))[1]


@lru_cache(maxsize=1 << 12)  # the sentences before one are asked again for the next
def _read(sentence: str, called: frozenset[str]) -> tuple[Kinds, Kinds]:
    """The kinds of pronouns that are not named, and the kinds that later sentences may mean."""
    lacking, inside, after = _NOTHING, _NOTHING, _NOTHING
    found = _WORD.findall(_IDLE.sub(" ", sentence))
    low = [word.lower() for word in found]
    for at, word in enumerate(low):
        if _points_with_noun(low, at):
            lacking |= _THING
        elif kind := _pronoun(low, at):
            lacking |= kind - (after if word in ("him", "them") else inside)  # "I need someone to call him"
        elif word in _ANYBODY:
            inside |= _PERSON
        elif word[0].isalpha() and fold(word) not in called:
            offers = _offers(found[at], low, at)
            inside, after = inside | offers, after | offers
    return lacking, after


def _pronoun(low: Sequence[str], at: int) -> Kinds:
    """The kind of pronoun that a word is; none for another word."""
    if found := _PRONOUN.fullmatch(low[at]):
        return frozenset([found.lastgroup])  # type: ignore[list-item]
    return _THING if _points(low, at) else _NOTHING


def _points(low: Sequence[str], at: int) -> bool:
    """Whether a word points at what was said: `do that`, `the other one`."""
    word, before, after = low[at], low[at - 1] if at else "", low[at + 1] if at + 1 < len(low) else ""
    starts, ends = (
        not before[:1].isalnum() or before in _ENDS or _CRY.fullmatch(before) is not None,
        not after[:1].isalnum() or after in _ENDS,
    )
    if word == "one":
        return before in _BEFORE_ONE or (
            (ends or after == "for") and before[:1].isalpha() and before not in _BEFORE_ANYBODY
        )
    if word in ("mine", "yours", "ours"):
        return True
    if word == "that" and before in ("find", "found"):
        return True
    if word == "there":
        return before not in _BEFORE_THERE and after not in _AFTER_THERE
    if word in ("that", "this", "those", "these"):
        return ends or (starts and after in _AFTER_THAT) or (before in _BEFORE_THAT and after in _AFTER_DO)
    return starts and _THAT_IS.fullmatch(word) is not None


def _points_with_noun(low: Sequence[str], at: int) -> bool:
    """Whether a word and its noun mean what was said: `those plants`, `in that case`; no noun before it names that.

    So does `videos like this`.
    """
    word, before, (after, then) = low[at], low[at - 1] if at else "", (*low[at + 1 : at + 3], "", "")[:2]
    if word == "that":
        noun = after[:1].isalpha() and after not in STOP_WORDS and after not in _TIMES
        return noun and (before in _BEFORE_THAT or (at > 0 and (not then[:1].isalpha() or then in _AFTER_NOUN)))
    if word == "this":
        return before == "like" and (not after[:1].isalpha() or after in _ENDS)
    return word in ("those", "these") and after not in ("days", "who", "that")


def _offers(written: str, low: Sequence[str], at: int) -> Kinds:
    """The kinds of pronouns that may mean the word at this place."""
    word, before, after = low[at], low[at - 1] if at else "", low[at + 1] if at + 1 < len(low) else ""
    if word in _NO_NOUN or word in CALENDAR or (not at and word in _CALLED):
        return _NOTHING
    if _is_name(written, low, at):
        return _NAMED
    if word in _GROUPS:
        return _SEVERAL
    if _is_person(word) and before not in _BEFORE_VERB:
        return _PERSON if word in _PERSONS else _SEVERAL
    if word in STOP_WORDS or word in FUNCTION or word.endswith("ly") or after == "of":
        return _NOTHING
    if before in _BEFORE_NOUN or (_is_plural(word) and before not in _BEFORE_VERB):
        return _NOUN
    if before in _HAVING:
        return _THING if not word.endswith(("ed", "en", "ing", "n")) else _NOTHING
    if after in _OBJECTS:
        return _NOTHING  # "playing it"
    verb = before[:1].isalpha() and not (_is_person(before) or _is_plural(before) or before.endswith("ly"))
    return _THING if not at or (verb and not {before} & (STOP_WORDS | FUNCTION | _NO_NOUN)) else _NOTHING


def _is_person(word: str) -> bool:
    return word in _PERSONS or word.removesuffix("s") in _PERSONS


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith("ss")


def _is_name(written: str, low: Sequence[str], at: int) -> bool:
    """Whether a word is a name: it has a capital inside the sentence, or begins it as a subject does."""
    word, after = low[at], low[at + 1] if at + 1 < len(low) else ""
    if (
        not written[0].isupper()
        or word in FUNCTION
        or word in STOP_WORDS
        or word in OPENERS
        or word[:2] in ("i'", "i’")
    ):
        return False
    if at and low[at - 1] not in '.!?…"“(':
        return True
    return after in _AFTER_NAME and not word.endswith("ly")
