"""Subjects and objects: whom and what the words mean that a pattern has found in their places.

`I` is the speaker, `my sister` Kofi's sister; a pronoun is nobody; an object ends before words about time and degree.
"""

from __future__ import annotations

import re

from memkit.core.patterns import pattern as later
from memkit.text.extract import chinese, words
from memkit.text.extract.abbreviations import has_its_own_stop
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.definitions import kind_in
from memkit.text.extract.french import FRENCH
from memkit.text.extract.german import GERMAN
from memkit.text.extract.grammar import NAME, Language
from memkit.text.extract.sounds import without_sounds
from memkit.text.extract.spanish import SPANISH
from memkit.text.extract.tokens import HIDDEN
from memkit.text.extract.unmarked import CLOSE, OPEN, name_of
from memkit.text.words import has_cjk

_KIN = {**SPANISH.kin, **GERMAN.kin, **FRENCH.kin, **chinese.KIN_ROLES}  # `mi hermana` to `sister`
_MINE = later(r"(?:[Mm]eine?[rmn]? [A-ZÄÖÜ]|(?:[Mm]i|[Mm]a|[Mm]on) [^\W\d_A-Z]|我的?(?=\w))\w+\Z")
_LONGEST_OBJECT = 8  # words
# An object ends before a new clause or a word about time or degree.
_CUT = later(
    r"(?:^|\s)(?:(?:since|until|till|because|but|and|so|when|while|whenever|if|which|who|whose|where|that|though|although"
    r"|as|after|before|more than|over|these days|nowadays|right now|now|too|anymore|lately|recently|today|yesterday"
    r"|already|again|for (?:\w+ ){1,3}?(?:years?|months?|weeks?|days?|ages)|for (?:me|him|her|us|them)|from \d"
    r"|in \d{4}|(?:last|this|every) \w+|a lot|so much|very much|with|to)\b|[-–—]\s).*",
    re.DOTALL,
)
_NO_OBJECT = frozenset(
    """it that this them him her me us you those these one ones lot bit mess matter kind sort joke shame pity pleasure
    pain problem great good big huge real little way fan mistake success disaster start thing things something few
    everything anything nothing everyone someone what how to being the a an there here all each both your his their
    our its seeing having going getting doing making""".split()
)
_POINTING = frozenset("it this that these those them him her you your what".split())
_TASTES = frozenset("likes loves dislikes".split())
_ABSTRACT = later(r"[a-z](?:ing|ness|ment|tion|sion|ity|ism|ship|ance|ence)s?\Z")
_TRAIL = later(r"[\s,.;:!?'\"’”)]+\Z")
_POSSESSIVE = later(r"['’]s?\Z")
_DETERMINER = later(r"\A(?:the|a|an|some|any) (?=\S)", re.IGNORECASE)
_APPOSITION = later(rf"(?:the|an?) (?P<kind>[a-z]+(?: [a-z]+)?)(?: called| named)? [\"“]?(?P<name>{NAME})")
_ELIDED = re.compile(r"[Ll]['’]")
_INDEFINITE = frozenset("ein eine un una une um uma uno unos unas".split())
NO_STATISTICS = CaseStatistics()


def who(written: str, me: str) -> str:
    """The name that is meant: the speaker for `I`, `Kofi's sister` for `my sister` of Kofi; empty if not a name."""
    if written in ("I", "me", "my", "My"):
        return me
    if written[0] == OPEN:
        return name_of(written[: written.find(CLOSE) + 1])
    if written[:3] in ("My ", "my ") and written[3].islower():
        return f"{me}'s {written[3:]}" if me else ""
    if written[0] in "Mm我" and (mine := _MINE.match(written)):
        role = _KIN.get(mine[0].lower())
        return f"{me}'s {role}" if role and me else ""
    return "" if is_nobody(written) else _tidy(written)


def is_nobody(written: str) -> bool:
    """Whether what stands as a name begins with a word that begins none: `It`, `The`, `Well`."""
    if written in ("I", "me", "my", "My") or written[0] == OPEN:
        return False
    if written[:3] in ("My ", "my ") and written[3].islower():
        return False
    first = written.split()[0].lower()
    small = (
        first in words.FUNCTION or first in words.DEMONSTRATIVES or first in words.CALENDAR or first in words.PEOPLES
    ) or (first in words.FOREIGN_PRONOUNS and " " not in written)
    return small or (first in words.OPENERS and first not in words.NAME_FORMING)


def may_be_named(written: str, statistics: CaseStatistics | None) -> bool:
    """Whether this can be a subject: not one common word or abstract noun with the capital of a sentence start."""
    name = _POSSESSIVE.sub("", written)
    if name[0] == OPEN or " " in name or name in ("I", "My", "my"):
        return True
    return not _ABSTRACT.search(name) and not (statistics or NO_STATISTICS).is_common_word(name)


def what(written: str, predicate: str, me: str, language: Language | None = None) -> tuple[str, str | None]:
    """The object without the words after it, and its kind, if stated: `the restaurant Nightshade`."""
    written = without_sounds(written)
    if not written:
        return "", None  # I love youuuu
    if predicate == "is_a":
        kind = kind_in(written, language.cut if language else None)
        adjective = language is GERMAN and kind != "" and kind.split()[-1][0].islower()  # ein azyklischer, ...
        return "" if adjective else kind, None
    if written[0] == OPEN:
        return name_of(written[: written.find(CLOSE) + 1]), None
    if apposition := _APPOSITION.match(written):
        of_it = not words.FUNCTION.isdisjoint(
            apposition["kind"].split()
        )  # "the food from Nightshade" is not Nightshade
        return ("", None) if of_it else (_tidy(apposition["name"]), apposition["kind"])
    cut = _CUT.sub("", written)
    if predicate in _TASTES and re.match(r"(?:the|a|an|that|this) [a-z]", cut):
        return "", None  # "I love the idea", "I like a challenge": about the moment
    own, thing = cut.startswith(("my ", "our ")), _tidy(_DETERMINER.sub("", cut, count=1))
    parts = thing.split()
    if own and len(parts) > 1 and predicate not in _TASTES:
        return (f"{me}'s {thing.split(' ', 1)[1]}" if me else ""), None
    if not 0 < len(parts) <= _LONGEST_OBJECT or parts[0] in words.FUNCTION or parts[-1] in words.FUNCTION:
        return "", None
    parts = thing.casefold().split()
    if parts[0] in _NO_OBJECT or not _POINTING.isdisjoint(parts):
        return "", None
    return ("" if HIDDEN in thing else name_of(thing)), None


def without_article(subject: str, predicate: str, language: Language | None) -> str:
    """The subject without an indefinite article; empty if it is a letter, or any noun with a definite one.

    `Ein LBA` is an LBA, `El CVE` the CVE; `Das Resultat`, `Eine Funktion` and `Menge M` are known only to the text.
    """
    if language and (elided := _ELIDED.match(subject)):
        subject = subject[elided.end() :]  # l'Obelion; any noun with it is known only to its text
        return subject if subject[:1].isupper() else ""
    first, _, rest = subject.partition(" ")
    if language and rest and first.lower() in words.ARTICLES:
        if rest.isupper() or (first.lower() in _INDEFINITE and not _is_german_noun(rest, language)):
            subject = rest
        elif predicate == "is_a":
            return ""
    return "" if len(subject.split()[-1]) == 1 and not has_cjk(subject) else subject


def _is_german_noun(name: str, language: Language) -> bool:
    """Whether it may be any noun: one word with a capital at its start alone."""
    return language is GERMAN and name.isalpha() and name[1:].islower()


def _tidy(written: str) -> str:
    name = " ".join(written.split())
    plain = _TRAIL.sub("", name)
    stop = "." if name.startswith(f"{plain}.") and has_its_own_stop(plain) else ""
    return _POSSESSIVE.sub("", plain) + stop
