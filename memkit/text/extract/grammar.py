"""Pattern grammar for relation extraction: what a pattern is, and those of English with their small vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from memkit.core.patterns import alternatives
from memkit.text.extract.abbreviations import LAST, LETTERS
from memkit.text.extract.literals import may_match, one_of
from memkit.text.extract.unmarked import CLOSE, LINKED, OPEN

ROLES = """
    dentist doctor therapist vet boss manager supervisor mentor teacher tutor coach trainer lawyer accountant
    landlord landlady neighbour neighbor roommate flatmate housemate colleague coworker assistant student client
    friend girlfriend boyfriend partner fiancé fiancée fiance fiancee wife husband spouse mother father mom mum dad
    parent son daughter child sister brother sibling twin cousin aunt uncle niece nephew grandmother grandfather
    grandma grandpa grandson granddaughter godmother godfather stepmother stepfather stepsister stepbrother
    mother-in-law father-in-law sister-in-law brother-in-law hairdresser barber physiotherapist pediatrician nurse
    babysitter nanny plumber electrician gardener editor publisher agent advisor adviser professor cat dog pet horse
    rabbit parrot employer bandmate teammate classmate owner founder director ceo cto president
    CEO CTO CFO COO
    """.split()
ATTRIBUTES = """timezone time-zone birthday birthplace email phone address hometown nationality job name nickname
    native-language occupation profession""".split()
# What people do to works.
MADE = """founded co-founded established created invented composed developed designed directed authored written
    translated illustrated painted edited published produced built coined discovered maintained hosted organized
    organised moderated narrated photographed drawn""".split()
JOBS = """engineer developer designer manager director professor teacher lecturer researcher scientist analyst
    consultant architect writer editor nurse doctor lawyer accountant assistant intern fellow programmer
    administrator journalist chef curator librarian producer physicist chemist biologist economist historian
    CEO CTO CFO COO""".split()

# A name in a text: capitalised words and letters with full stops (`D.C.`), small words between them, a number after
# them, and the full stop of an abbreviation that ends it.
CAPITALISED = r"(?:[^\W\d_a-zà-öø-ÿß](?:[\w-]|['’](?![sS]\b)\w)*|[a-z][A-Z]\w+)"
_LETTERS = rf"{LETTERS}\.?"
_LAST = "|".join(rf"(?<= {word})" for word in LAST)
_WRITTEN = (
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof|St|Mt)\. )?(?:{_LETTERS}|{CAPITALISED})"
    r"(?:(?: (?:of|de|del|della|di|da|van|von|der|la|le|y|the|&)){0,2} (?:(?:[A-Z]|St|Co(?=\. KG))\. )?"
    rf"(?:{_LETTERS}|{CAPITALISED}|\d{{1,3}}(?![\w.])))*(?:(?:{_LAST})\.)?"
)
NAME = rf"(?:{LINKED}|{_WRITTEN})"
_ROLE = alternatives(map(re.escape, ROLES))
_ROLE_NAMES = frozenset(ROLES)

SOMEBODY = rf"[Mm]y (?:\w+[ -])?(?:{_ROLE})\b(?!['’])|{NAME}"
_WHO = r", who(?=['’ ])"
SUBJECT = re.compile(rf"(?P<s>I(?!\w)|{SOMEBODY})(?:{_WHO})?")
# Where a subject stands behind other words, and a clause of its own follows: "I met Bo, who works at Orbis".
# What is so in a story is so nowhere else.
IN_FICTION = (
    r"\b[Ii]n (?:the|this|that|my|his|her|an?) (?:\w+ )?(?:novel|book|film|movie|play|game|story|dream|song)"
    r"(?=,| I\b|[.!]?\Z)"
)
APPOSED = re.compile(rf"(?<![\w'’-])(?=(?P<apposed>{SOMEBODY}){_WHO})")
OWNER = re.compile(rf"(?P<y>[Mm]y\b(?= )|{NAME}(?=['’]))(?:['’]s?)?(?= )")
# What may follow a subject: most sentences go on otherwise, and need not be tried with each pattern.
_VERBS = """
    is am are was were has have had just recently finally always currently now still also really usually generally
    absolutely actually mostly work stud joined live moved grew come belongs prefer love like hate dislike speak use
    switched own replaced founded cofounded co-founded started began wrote written introduced married graduated became
    invented composed directed translated illustrated painted coined""".split()


# Each apostrophe begins an alternative: so the engine finds the places by their first character.
VERB = re.compile(rf"'(?:m|s|ve)\b|’(?:m|s|ve)\b| (?:{one_of(_VERBS)})")

_GOES_ON = "to|for|as|in|on|with|and|or|via|by|under|which|that|because|when"
_AND_THEN = "since|from|at|until|after|before|during|now|but|who|where|while|is|was|has|had"
_DEEDS = "invented|composed|directed|translated|illustrated|painted|coined"
_MACROS = {
    "<S>": rf"(?P<s>{NAME})",
    "<O>": rf"(?:the )?(?P<o>{NAME})",
    "<Y>": rf"(?P<y>{NAME})",
    "<NAME>": NAME,
    "<NAMES>": rf"(?:the )?(?P<o>{NAME})(?P<more>(?:(?:, {NAME})*,? and {NAME})?)",
    "<MADE>": rf"(?P<role>{'|'.join(MADE)})",
    "<JOB>": rf"(?P<job>(?:[\w-]+ ){{0,3}}(?:{'|'.join(JOBS)}))",
    # the object of `uses`: a name that is not the beginning of `DNS TXT records`
    "<TOOL>": rf"(?:the )?(?P<o>{NAME})(?=[.,;:)!]|\Z| [+(–—-]| (?:{_GOES_ON})\b)",
    # the end of a name: not the beginning of `Mindful return`
    "<END>": rf"(?:(?<={CLOSE})|(?=[.,;:!?)\]\"”]|\Z| \(| [–—-] | (?:{_GOES_ON}|{_AND_THEN})\b))",
    "<THING>": r"(?P<o>[^\W_][^,;:.!?()\n\"“”]{0,80}(?:\.(?=\w)[^,;:.!?()\n\"“”]{0,40}){0,3})",
    # adjectives may stand before the last comma: `a fast, small shell`
    "<KIND>": rf"(?P<o>(?:[^\W_][\w-]*, ){{0,3}}(?:[^\W_]|{OPEN})"
    r"[^,;:.!?()\n\"“”]{0,80}(?:\.(?=\w)[^,;:.!?()\n\"“”]{0,40}){0,3}"
    r"(?:\([^()\n\"“”]{2,40}\) [^,;:.!?()\n\"“”]{1,60})?)",
    "<ROLE>": rf"(?P<role>{_ROLE})\b",
    "<ATTRIBUTE>": "(?P<role>" + "|".join(ATTRIBUTES).replace("-", " ") + ")",
    "<IS>": r"(?: is| am|['’]m|['’]s)",
    "<BEEN>": r"(?: have|['’]ve| has|['’]s) been",
    "<HAVE>": r"(?:['’]ve|['’]s| have| has| had)?(?: just| recently| finally| always| since| already| now)?",
    "<NOW>": r"(?: (?:currently|now|still|also|really|just|usually|generally|always|absolutely|actually|mostly))*",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence form and its predicate. With `inverse`, the object of the sentence is the subject of the relation."""

    form: str
    predicate: str  # `{role}` is filled from the group of that name
    confidence: float
    inverse: bool
    begins: bool  # a date in the sentence is the start of the relation


compiled = cache(re.compile)


def outermost(clauses: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The clauses whose subject does not begin inside the one before: of `General Ida Moss, who ...`, not `Moss`."""
    end = 0
    for clause in clauses:
        if clause["apposed"] is None:
            yield clause
        elif clause.start() >= end:
            end = clause.end("apposed")
            yield clause


def matched(form: str, text: str, at: int = 0) -> re.Match[str] | None:
    """The match of a form at a place in a text. A form is compiled when a text has its words: most need few forms."""
    return compiled(form).match(text, at) if may_match(form, text) else None


def needs(form: str) -> str:
    """A form in which names and roles are short: it requires the same literals, which are found in half the time."""
    return form.replace(NAME, "(?:[N])").replace(_ROLE, "[R]")


@dataclass(frozen=True, slots=True)
class Language:
    """The sentence forms of a language beside English: each is tried only in sentences with one of its words.

    A form without the group `s` is about the speaker. `roles` are the language's words for relatives and deeds with
    those of the predicates; `cut` ends the kind of thing that something is.
    """

    forms: Mapping[str, tuple[Pattern, ...]]
    clause: str
    doubt: str
    cut: str
    roles: Mapping[str, str] = field(default_factory=dict)
    kin: Mapping[str, str] = field(default_factory=dict)  # `meine schwester` to `sister`


def _pattern(
    form: str,
    predicate: str,
    confidence: float = 0.9,
    *,
    inverse: bool = False,
    begins: bool = False,
    use: Mapping[str, str] | None = None,
) -> Pattern:
    for macro, regex in (use or _MACROS).items():
        form = form.replace(macro, regex)
    return Pattern(form, predicate, confidence, inverse, begins)


def language(
    forms: Mapping[str, tuple[tuple[str, str], ...]],
    macros: Mapping[str, str],
    *,
    joints: str,
    leads: str,
    doubt: str,
    cut: str,
    roles: str,
    mine: str,
    who: str,
    attributes: str = "",
) -> Language:
    """A language from its forms: words that a sentence must have, to (form, predicate) with `macros` of its own.

    A predicate that begins with `<` has its subject last, one that begins with `+` begins with a date. `joints`
    are the words between clauses, `leads` those that may open one, `roles` are pairs `hermana sister`, `attributes`
    pairs `dirección address` (`_` for a space in the first); `mine` are the
    words for `my`, `who` those that join a clause to a person.
    """
    given, owned = pairs(roles), {word.replace("_", " "): name for word, name in pairs(attributes).items()}
    kin = {f"{my} {word}".lower(): role for word, role in given.items() if role in _ROLE_NAMES for my in mine.split()}
    somebody = rf"(?:{'|'.join(f'[{my[0].upper()}{my[0]}]{my[1:]}' for my in mine.split())}) [^\W\d_A-Z]\w+|{NAME}"
    all_macros = {
        **_MACROS,
        "<S>": rf"(?P<s>{somebody})(?:, (?:{who})(?= ))?",
        **macros,
        "<ROLE>": rf"(?P<role>{_any(given)})",
        "<ATTRIBUTE>": rf"(?P<role>{_any(owned)})",
    }
    found: dict[str, tuple[Pattern, ...]] = {}
    for words, patterns in forms.items():
        made = tuple(
            _pattern(
                form, predicate.lstrip("<+"), inverse=predicate[0] == "<", begins=predicate[0] == "+", use=all_macros
            )
            for form, predicate in patterns
        )
        for word in words.split():
            found[word] = (*found.get(word, ()), *made)
    clause = rf"(?:(?i:(?:\A|[,;:] |\b(?:{joints}) )(?:(?:{leads}),? )?)|(?<= )(?=(?P<apposed>{somebody}), (?:{who}) ))"
    return Language(found, clause, f"(?i:{doubt})", rf"(?s:\s(?:{cut})\b.*)", {**given, **owned}, kin)


def pairs(words: str) -> dict[str, str]:
    """Words and what each stands for, written one after the other."""
    each = words.split()
    return dict(zip(each[::2], each[1::2], strict=True))


def _any(words: Mapping[str, str]) -> str:
    return alternatives(map(re.escape, words))


# Patterns after an owner (`My`, `Kofi's`) at the start of a clause, tried in order; the first match counts.
AFTER_OWNER = (
    _pattern(r" (?:\w+ )?<ROLE>(?: is(?: called| named)?|['’]s name is) <S>", "{role}_of", 0.95),
    _pattern(r" <ROLE>,? <S>", "{role}_of"),
    _pattern(r" (?:new |current )?<ATTRIBUTE>(?: number)? is(?: now)?(?: on)? <THING>", "{role}"),
    _pattern(r" (?:new )?favou?rite (?P<role>\w+) (?:is|are)(?: now)? <THING>", "favourite_{role}"),
)

# Patterns after a subject (`I`, `My sister`, `Kofi Abara`).
AFTER_SUBJECT = (
    # people and their roles
    _pattern(r"<IS> <Y>['’]s? (?:\w+ )?<ROLE>(?! of\b)", "{role}_of", 0.95),
    _pattern(r"<IS> (?P<y>my) (?:\w+ )?<ROLE>(?! of\b|['’])", "{role}_of", 0.95),
    _pattern(r"<IS>(?: the)?(?: new| current)? <ROLE> of (?:the )?<Y><END>", "{role}_of"),
    _pattern(r"<IS>(?: now| happily)? married to <O>", "married_to", 0.95),
    _pattern(r"<HAVE> married <O>", "married_to", begins=True),
    _pattern(r"<IS> engaged to <O>", "engaged_to"),
    # work, home, origin
    _pattern(r"(?:<NOW> work(?:s|ed)?|(?:<IS>|<BEEN>)<NOW> working) (?:at|for) <O>", "works_at"),
    _pattern(r"<HAVE> (?:(?:started|began) work(?:ing)?|started) (?:at|for) <O>", "works_at", 0.85, begins=True),
    _pattern(r"(?:<NOW> work(?:s|ed)?|<IS><NOW> working) as (?:an?|the) <THING>", "works_as"),
    _pattern(r"(?:<IS>| was) an? <JOB> (?:at|for) <O>", "works_at"),
    _pattern(r"(?:<NOW> stud(?:y|ies|ied)|<IS><NOW> studying) at <O>", "studies_at"),
    _pattern(r"(?: graduated|<HAVE> graduated) from <O>", "studied_at"),
    _pattern(r"<HAVE> joined <O>", "member_of", 0.8, begins=True),
    _pattern(r"(?:<IS>| was| became) (?:a|an|the)? ?(?:\w+ )?member of <O>", "member_of"),
    _pattern(r"(?:<NOW> live[sd]?|(?:<IS>|<BEEN>)<NOW> living) in <O>", "lives_in"),
    _pattern(r"<HAVE> moved(?: back)?(?: from (?:the )?<NAME>)? to <O>", "lives_in", 0.85, begins=True),
    _pattern(r" was born in <O>", "born_in", 0.95),
    _pattern(r"(?: grew up in| comes? from|<IS>(?: originally)? from) <O>", "comes_from"),
    _pattern(r" (?:is|are) (?:located|based|headquartered|situated) in <O>", "located_in"),
    _pattern(r" (?:belongs to|is (?:a )?part of) <O>", "part_of"),
    # tastes and tools
    _pattern(r"(?:(?<=\bI)<NOW> prefer|<NOW> prefers) <THING>", "prefers"),
    _pattern(r"(?:(?<=\bI)<NOW> love|<NOW> loves) <THING>", "loves", 0.85),
    _pattern(r"(?:(?<=\bI)<NOW> like|<NOW> likes) <THING>", "likes", 0.85),
    _pattern(r"(?:(?<=\bI)<NOW> (?:hate|dislike)|<NOW> (?:hates|dislikes)) <THING>", "dislikes", 0.85),
    _pattern(r"<IS>(?: \w+)? allergic to <THING>", "allergic_to", 0.95),
    _pattern(r" speaks? (?:fluent )?(?P<o>[A-Z]\w+)", "speaks"),
    _pattern(r"(?:(?<=\bI)<NOW> use|<NOW> uses) <TOOL>", "uses", 0.85),
    _pattern(r"<HAVE> switched(?: from [^,.;]{1,40}?)? to <O>", "uses", 0.85, begins=True),
    _pattern(r"<NOW> owns? (?:an?|the) <THING>", "owns", 0.85),
    # actions
    _pattern(r"<HAVE> replaced (?:the |my |our )?<THING>", "replaced", 0.85),
    _pattern(r"<HAVE> (?:(?:co-?)?founded|started a company called) <O>", "founded", 0.95),
    _pattern(rf" (?P<role>{_DEEDS}) (?:the (?:\w+ )?)?[\"“]?<O>", "{role}"),
    _pattern(
        r" (?:was|is|were|are|has been)(?: \w+ly)? <MADE>(?: and \w+ed)? by <NAMES>", "{role}", 0.95, inverse=True
    ),
    _pattern(r"<HAVE> (?:wrote|written) (?:the (?:book|novel|essay|song) )?[\"“]?<O>", "wrote"),
    _pattern(r"<HAVE> introduced (?P<y>me|us|<NAME>) to <THING>", "introduced_to"),
    # kinds; last, because the forms above are special cases of this one
    _pattern(r"<IS> an? <KIND>", "is_a", 0.8),
)  # fmt: skip
