"""Definitions: what kind of thing something is, from the words after `is a`."""

from __future__ import annotations

import re

from memkit.core.patterns import pattern
from memkit.text.extract import words
from memkit.text.extract.grammar import compiled
from memkit.text.extract.tokens import HIDDEN
from memkit.text.extract.unmarked import CLOSE, OPEN, name_of, shown_in

_LONGEST = 8  # words
_JOINED = pattern(r"(?:^|\s)(?:and|or|&|y|und|et|/|an?|the)(?:\s|$)")
_IN_BRACKETS = pattern(r" \([^()]{2,40}\)")
_CUT_OFF = pattern(
    r"(?!(?:seed|breed|feed|shed|speed)\Z)[a-z]{3,}ed|[a-z]+ly|[^\W\d_]+mente"
)  # a dynamically typed (language)
_AFTER = """
    for in by from between among about on at to with that which who whose where when while because but as so if
    since until these nowadays now too anymore this last every over through via without under within near like
    similar such instead directed written produced starring held located known made set working created designed
    published released played born used using built owned run containing consisting called named filled equipped
    combined composed capable featuring responsible defined described inspired developed founded maintained hosted
    sold given taken found done meant intended aimed focused led dedicated devoted associated related spanning
    covering living working sitting lying standing serving teaching acting showing telling depicting describing
    involving including allowing enabling making providing offering helping combining giving trying bringing letting
    native you we they he she
    """.split()
_CUT = (
    rf"(?s:\s(?:(?:{'|'.join(_AFTER)}|based (?:in|on|at))\b(?<!\sas(?= code\b))(?<!\sas(?= an? service\b))|[-–—]\s).*)"
)
_ADJECTIVE = pattern(
    r"[\w-]*-[\w-]+|[\w]+(?:ed|ing|ive|al|ful|ous|ic|able|ible|less|ent|ant|ary|ory)|fast|small|free|open|large|light|short|long"
)
# Such a word is never a noun: `a close to bare-metal API`, `a meaningful (rather small) part`.
_NO_NOUN = pattern(r"(?!(?:hand|spoon|mouth|cup)ful\Z|wireless\Z)[a-z]+(?:ful|ous|less)|close|similar|different|likely")
_DETERMINED = pattern(r"(?:this|that|these|those|the|an?|its|their|every)\b")  # a sign of people leaving the town
_LISTED = pattern(r"[^\W_a-z][\w-]*(?:, [^\W_a-z][\w-]*)*,? (?:&|and|und|y|et) [^\W_a-z]")
_IN_FACT = pattern(r"\A(?:type|kind|sort|form|variety|species|example|instance|flavou?r) of (?:an? |the )?")
_ONE_OF = frozenset("de del des du der von da do das dos dei delle".split())  # una de las más populares
# A participle before a noun is a part of the kind: a mission focused company, but not: a company focused on missions.
_BEFORE_NOUN = pattern(
    rf"\s(?:[a-z]+ed|led|run|made|built)\s(?!(?:{'|'.join(sorted(words.FUNCTION))})\b|[a-z]+ly\b)[a-z]"
)
_CLAUSE = pattern(r"(?:(?!\b(?:that|which|who|whose|where|when|what)\b).)*\b(?:is|are|was|were)\b")
_AND = pattern(r"(?:and|or|&|und|y|et) \S+ \S")
_NO_THING = pattern(r"(?:[\w-]* )?(?:\w+(?:ment|tion|ing|ance|ence|ity)|research|art|music|data|media|software)")
_DOING = pattern(r"(?:example|instance) of [a-z]+ing [a-z]")  # an example of watering plants is no watering
# Such a word alone tells nothing: nearly everything is a system or a way.
_VAGUE = frozenset(
    """
    system systems tool way method thing set collection part feature mechanism concept feeling attempt process term
    instance section number idea example kind type sort form group series lot pair case fact result question list
    matter approach technique strategy service object item value element aspect means piece moment time problem
    solution reason point bunch step request response state state-of-the-art mess pain model notion combination mix
    measure source sign level project program alternative factor representation evolution practice principle
    open-source relationship focus requirement exercise goal challenge consequence choice effort synonym antonym
    abbreviation acronym shorthand alias manera forma cosa tipo parte conjunto sistema herramienta proceso concepto
    método ejemplo sinónimo art weise sache teil sammlung werkzeug prozess beispiel abkürzung façon manière chose
    partie ensemble système outil processus exemple synonyme
    """.split()
)
# It praises, and does not say what something is: "Kofi is a legend".
_PRAISE = frozenset(
    """
    great good nice popular fantastic excellent perfect amazing wonderful beautiful total huge big fun cool lovely
    brilliant must-see must-visit must fan fans sucker legend paradise beast gem choice spot option blast treat
    lifesaver star champ hero genius angel sweetheart place person guy nightmare must-read classic favorite
    favourite delight dream joy bit reminder lot useful powerful important simple single general particular
    awesome super duper
    different better best bad key core trap interesting success disaster start shame pity pleasure joke mistake
    threat barrier burden blessing wealth treasure menace mystery
    little real new common certain whole buen bueno buena gran nuevo nueva gut guter gute gutes toller tolle tolles
    bon bonne grand grande puissant puissante incontournable formidable polyvalent polyvalente vrai vraie excellente
    indispensable
    """.split()
)


def kind_in(written: str, cut: str | None = None) -> str:
    """The kind in the words after `is a`, without what follows it; empty if the words tell no kind, or more than one.

    `type of language that...` is a language. `cut` is the pattern of what follows a kind in another language.
    """
    if _LISTED.match(written):
        return ""  # an AI, Automations & Systems Specialist
    *adjectives, rest = written.split(", ")
    if adjectives and _AND.match(rest) and any(map(_NO_THING.fullmatch, adjectives)):
        return ""  # a research, development, and deployment laboratory
    if any(map(_CLAUSE.match, [*adjectives[1:], rest][: len(adjectives)])):  # a client, people's gardens are clients
        kind = _without_end(adjectives[0], cut)
    elif adjectives and all(_ADJECTIVE.fullmatch(one) for one in adjectives):
        kind = _without_end(rest, cut)
    elif adjectives and _ADJECTIVE.fullmatch(adjectives[0].rpartition(" ")[2]):
        return ""  # a dynamically typed, ...
    else:
        kind = _without_end(adjectives[0] if adjectives else rest, cut)
    if _DOING.match(kind):
        return ""
    kind = _IN_FACT.sub("", kind)
    linked = kind[:1] == OPEN and kind.find(CLOSE) == len(kind) - 1
    name = _linked_kind(kind) if linked else shown_in(kind)
    return name if _tells(name, linked) else ""


def _without_end(written: str, cut: str | None) -> str:
    end = compiled(cut or _CUT).search(written)
    if end and _BEFORE_NOUN.match(written, end.start()):
        return ""
    kind = " ".join(compiled(cut or _CUT).sub("", written).split()).strip(" \"'”’).:;!?")
    after = written[len(kind) :].lstrip() if written.startswith(kind) else ""
    joined, but = re.match(r"(?:and|or|y|und|et)\b", after), re.match(r"(?:but|yet|aber|pero|mais) (\w+) \w", after)
    if joined or (but and _ADJECTIVE.fullmatch(but[1])) or (kind.endswith("ing") and _DETERMINED.match(after)):
        return ""  # a clunky but working ...
    kind = kind[: kind.rindex("(")].strip() if kind.count("(") > kind.count(")") else kind
    return _IN_BRACKETS.sub("", kind)


def _linked_kind(kind: str) -> str:
    """The note that is linked, if the words that are shown are its name, perhaps in the plural; else these words."""
    name, shown = name_of(kind), shown_in(kind)
    return name if shown.casefold().startswith(name.casefold()[:-1]) and " " not in shown[len(name) :] else shown


def _tells(kind: str, linked: bool) -> bool:
    """Whether a kind says something, and one thing."""
    parts = kind.split()
    if not 0 < len(parts) <= _LONGEST or HIDDEN in kind or _JOINED.search(kind):
        return False
    lower = [part.casefold() for part in parts]
    if (
        lower[0] in _ONE_OF
        or lower[0].isdigit()  # ein 2010 gegründetes Netz
        or lower[0] in words.FUNCTION
        or lower[-1] in words.FUNCTION
        or not _PRAISE.isdisjoint(lower)
    ):
        return False
    head = lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]
    if (
        (len(parts) == 1 and _NO_NOUN.fullmatch(head))
        or _CUT_OFF.fullmatch(head)
        or (len(parts) == 2 and lower[0].endswith("ly") and _ADJECTIVE.fullmatch(head))
    ):
        return False  # a highly scalable, ...
    return linked or head not in _VAGUE or (len(parts) > 2 and "of" not in lower)
