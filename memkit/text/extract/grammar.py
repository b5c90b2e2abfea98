"""Pattern grammar for relation extraction: one table of sentence patterns, and their small vocabulary."""

from __future__ import annotations

import re
from dataclasses import dataclass

ROLES = """dentist doctor therapist vet boss manager supervisor mentor teacher tutor coach trainer lawyer accountant
    landlord landlady neighbour neighbor roommate flatmate housemate colleague coworker assistant student client friend
    girlfriend boyfriend partner fiancé fiancée fiance fiancee wife husband spouse mother father mom mum dad parent son
    daughter child sister brother sibling twin cousin aunt uncle niece nephew grandmother grandfather grandma grandpa
    grandson granddaughter godmother godfather stepmother stepfather stepsister stepbrother mother-in-law father-in-law
    sister-in-law brother-in-law hairdresser barber physiotherapist pediatrician nurse babysitter nanny plumber
    electrician gardener editor publisher agent advisor adviser professor cat dog pet horse rabbit parrot employer
    bandmate teammate classmate owner founder director ceo cto president""".split()
ATTRIBUTES = """timezone time-zone birthday birthplace email phone address hometown nationality job name nickname
    native-language occupation profession""".split()

# A name in a text: capitalised words, small words between them, a number after them.
CAPITALISED = r"(?:[^\W\d_a-zà-öø-ÿß](?:[\w-]|['’](?![sS]\b)\w)*|[a-z][A-Z]\w+)"
NAME = (
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof|St|Mt)\. )?{CAPITALISED}"
    r"(?:(?: (?:of|de|del|della|di|da|van|von|der|la|le|y|the|&)){0,2} (?:[A-Z]\. )?"
    rf"(?:{CAPITALISED}|\d{{1,3}}(?![\w.])))*"
)
_ROLE = "|".join(sorted(map(re.escape, ROLES), key=len, reverse=True))

SUBJECT = re.compile(rf"(?P<s>I(?!\w)|[Mm]y (?:\w+[ -])?(?:{_ROLE})\b(?!['’])|{NAME})")
OWNER = re.compile(rf"(?P<y>[Mm]y\b|{NAME})['’]?s?(?= )")

_MACROS = {
    "<S>": rf"(?P<s>{NAME})",
    "<O>": rf"(?:the )?(?P<o>{NAME})",
    "<Y>": rf"(?P<y>{NAME})",
    "<NAME>": NAME,
    "<THING>": r"(?P<o>[^\W_][^,;:.!?()\n\"“”]{0,80}(?:\.(?=\w)[^,;:.!?()\n\"“”]{0,40}){0,3})",
    "<ROLE>": rf"(?P<role>{_ROLE})\b",
    "<ATTRIBUTE>": "(?P<role>" + "|".join(ATTRIBUTES).replace("-", " ") + ")",
    "<IS>": r"(?: is| am|['’]m|['’]s)",
    "<HAVE>": r"(?:['’]ve|['’]s| have| has| had)?(?: just| recently| finally| always)?",
    "<NOW>": r"(?: (?:currently|now|still|also|really|just|usually|generally|always|absolutely|actually|mostly))*",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence form and its predicate. With `inverse`, the object of the sentence is the subject of the relation."""

    regex: re.Pattern[str]
    predicate: str  # `{role}` is filled from the group of that name
    confidence: float
    inverse: bool
    begins: bool  # a date in the sentence is the start of the relation


def _pattern(
    form: str, predicate: str, confidence: float = 0.9, *, inverse: bool = False, begins: bool = False
) -> Pattern:
    for macro, regex in _MACROS.items():
        form = form.replace(macro, regex)
    return Pattern(re.compile(form), predicate, confidence, inverse, begins)


# Patterns after an owner (`My`, `Kofi's`) at the start of a clause, tried in order; the first match counts.
AFTER_OWNER = (
    _pattern(r" (?:\w+ )?<ROLE>(?: is(?: called| named)?|['’]s name is) <S>", "{role}_of", 0.95),
    _pattern(r" <ROLE>,? <S>", "{role}_of"),
    _pattern(r" <ATTRIBUTE> is <THING>", "{role}"),
    _pattern(r" favou?rite (?P<role>\w+) (?:is|are) <THING>", "favourite_{role}"),
)

# Patterns after a subject (`I`, `My sister`, `Kofi Abara`).
AFTER_SUBJECT = (
    # people and their roles
    _pattern(r"<IS> <Y>['’]s? (?:\w+ )?<ROLE>(?! of\b)", "{role}_of", 0.95),
    _pattern(r"<IS> (?P<y>my) (?:\w+ )?<ROLE>(?! of\b|['’])", "{role}_of", 0.95),
    _pattern(r"<IS> the <ROLE> of (?:the )?<Y>", "{role}_of"),
    _pattern(r"<IS>(?: now| happily)? married to <O>", "married_to", 0.95),
    _pattern(r"<HAVE> married <O>", "married_to", begins=True),
    _pattern(r"<IS> engaged to <O>", "engaged_to"),
    # work, home, origin
    _pattern(r"(?:<NOW> work(?:s|ed)?|<IS><NOW> working) (?:at|for) <O>", "works_at"),
    _pattern(r"<HAVE> (?:(?:started|began) work(?:ing)?|started) (?:at|for) <O>", "works_at", 0.85, begins=True),
    _pattern(r"(?:<NOW> work(?:s|ed)?|<IS><NOW> working) as (?:an?|the) <THING>", "works_as"),
    _pattern(r"(?:<NOW> stud(?:y|ies|ied)|<IS><NOW> studying) at <O>", "studies_at"),
    _pattern(r"<HAVE> joined <O>", "member_of", 0.8, begins=True),
    _pattern(r"(?:<NOW> live[sd]?|<IS><NOW> living) in <O>", "lives_in"),
    _pattern(r"<HAVE> moved(?: back)?(?: from (?:the )?<NAME>)? to <O>", "lives_in", 0.85, begins=True),
    _pattern(r" was born in <O>", "born_in", 0.95),
    _pattern(r"(?: grew up in| comes? from|<IS>(?: originally)? from) <O>", "comes_from"),
    _pattern(r" (?:is|are) (?:located|based) in <O>", "located_in"),
    _pattern(r" (?:belongs to|is part of) <O>", "part_of"),
    # tastes and tools
    _pattern(r"<NOW> prefers? <THING>", "prefers"),
    _pattern(r"<NOW> loves? <THING>", "loves", 0.85),
    _pattern(r"<NOW> likes? <THING>", "likes", 0.85),
    _pattern(r"<NOW> (?:hates?|dislikes?) <THING>", "dislikes", 0.85),
    _pattern(r"<IS>(?: \w+)? allergic to <THING>", "allergic_to", 0.95),
    _pattern(r" speaks? (?:fluent )?(?P<o>[A-Z]\w+)", "speaks"),
    _pattern(r"<NOW> uses? <O>", "uses", 0.85),
    _pattern(r"<HAVE> switched(?: from [^,.;]{1,40}?)? to <O>", "uses", 0.85, begins=True),
    _pattern(r"<NOW> owns? (?:an?|the) <THING>", "owns", 0.85),
    # actions
    _pattern(r"<HAVE> replaced (?:the |my |our )?<THING>", "replaced", 0.85),
    _pattern(r"<HAVE> (?:(?:co-?)?founded|started a company called) <O>", "founded", 0.95),
    _pattern(r" was (?:co-?)?founded by <O>", "founded", 0.95, inverse=True),
    _pattern(r"<HAVE> (?:wrote|written) (?:the (?:book|novel|essay|song) )?[\"“]?<O>", "wrote"),
    _pattern(r" was written by <O>", "wrote", 0.95, inverse=True),
    _pattern(r" was directed by <O>", "directed", 0.95, inverse=True),
    _pattern(r"<HAVE> introduced (?P<y>me|us|<NAME>) to <THING>", "introduced_to"),
    # kinds; last, because the forms above are special cases of this one
    _pattern(r"<IS> an? <THING>", "is_a", 0.8),
)  # fmt: skip
