"""How English speaks of changes, plans and hearsay: the rules of `readings`."""

from __future__ import annotations

import re

from memkit.core.patterns import alternatives
from memkit.text.extract.grammar import IN_FICTION, NAME, ROLES, SOMEBODY
from memkit.text.extract.readings import (
    ALL_OVER,
    CLAUSE_START,
    DENIED,
    DROPPED,
    ELSE,
    ELSE_OVER,
    FOLLOWS,
    HOLDS,
    LEFT,
    NEVER,
    OVER,
    PLANNED,
    STAND_IN,
    Changes,
    rules,
)

_ROLE = alternatives(map(re.escape, ROLES))
_SUBJECT = rf"(?P<s>I(?!\w)|{SOMEBODY})"
_S = rf"(?P<s>I(?!\w)|I['’]\w+|{STAND_IN})"
_NOT = r"(?:n['’]t| not)"
_BE = r"(?: am| is| are|['’]m|['’]s|['’]re)"
_HAVE = r"(?: have| has|['’]ve|['’]s| had)?(?: just| recently| finally| already| since)?"
_ANY_MORE = r"(?: any ?more| any longer)"
_WISH = (
    r"(?:(?: really| also| still| now)* (?:wants?|plans?|intends?|hopes?|would like|would love|aims?|means?) to"
    r"|['’]d (?:like|love) to"
    rf"|{_BE}(?: still| now)? (?:going|planning|hoping|about|set) to| will|['’]ll"
    r"|(?: have| has|['’]ve|['’]s)? decided to)(?: (?:also|soon|finally|definitely))? "
)
_VERB = r"(?P<v>live|work|study|move|start|begin|join|marry|get married|visit|travel|fly|go|switch|use|like|love|prefer|own|speak)"
_ING = r"(?P<v>living|working|studying|using|liking|loving|preferring|speaking|owning|moving|joining|visiting|travelling|traveling|flying|going|switching|starting|marrying)"
_PAST = r"(?P<v>lived|worked|studied|used|liked|loved|preferred|spoken|spoke|owned|moved|joined|visited|been to|been)"
_PLACED = (
    r"(?= (?:last|this) (?:year|month|week|spring|summer|autumn|fall|winter)| in (?:\w+ )?\d{4}| in [A-Z][a-z]+\b"
    r"| for good| (?:\w+|a couple of) (?:years?|months?|weeks?) ago| and | after | to |[.,;!]|\Z)"
)
_BASES = {
    "living": "live",
    "lived": "live",
    "working": "work",
    "worked": "work",
    "studying": "study",
    "studied": "study",
    "using": "use",
    "used": "use",
    "liking": "like",
    "liked": "like",
    "loving": "love",
    "loved": "love",
    "preferring": "prefer",
    "preferred": "prefer",
    "speaking": "speak",
    "spoken": "speak",
    "spoke": "speak",
    "owning": "own",
    "owned": "own",
    "moving": "move",
    "joining": "join",
    "joined": "join",
    "visiting": "visit",
    "marrying": "marry",
    "starting": "start",
    "switching": "switch",
}
_DEEDS = {
    "move": "moved",
    "moved": "moved",
    "start": "started",
    "begin": "began",
    "join": "joined",
    "marry": "married",
    "get married": "married",
    "switch": "switched",
    "visit": "visited",
    "visited": "visited",
    "been to": "visited",
    "travel": "travelled",
    "travelling": "travelled",
    "traveling": "travelled",
    "fly": "travelled",
    "flying": "travelled",
    "go": "travelled",
    "going": "travelled",
}


def _plain(found: re.Match[str]) -> str:
    """The clause as a statement of what is: `Noah` + `live` + ` in Paris`, with the verb as the patterns know it."""
    subject, rest = found["s"], found["rest"]
    verb = " ".join(found["v"].lower().split())
    base = _BASES.get(verb, verb)
    if base == "start" and rest.startswith((" to work", " work")):
        base, rest = "work", re.sub(r"\A (?:to )?work(?:ing)?", "", rest)
    verb = _DEEDS.get(base) or (base if subject == "I" else _third(base))
    return f"{subject} {verb}{rest}"


def _owner(found: re.Match[str]) -> str:
    """The subject of `my last day`, `Noah's last day`."""
    return "I" if found["o"].lower() == "my" else re.sub(r"['’]s?\Z", "", found["o"])


def _third(verb: str) -> str:
    return verb[:-1] + "ies" if verb.endswith("dy") else f"{verb}s"


_ENGLISH_RULES = rules(
    # plans that are over, before plans
    (rf"<S>(?: no longer (?:wants?|plans?|intends?) to| (?:do|does){_NOT} (?:want|plan|intend) to"
     rf"| will not| won['’]t|['’]ll not|{_BE}{_NOT} (?:going|planning) to| (?:am|is|are) no longer (?:going|planning) to"
     rf"|{_HAVE} decided not to) {_VERB}\b(?P<rest>.*)", _plain, DROPPED),
    (rf"<S>{_HAVE} (?:cancell?ed|called off|dropped|gave up|given up|scrapped|abandoned) (?:my|the|his|her|our|their)"
     r"(?: planned| plans?)?(?: (?:to|for|of|a|the))* (?P<v>move|trip|visit|travel|flight|journey|moving|visiting)\b"
     r"(?P<rest>.*)", lambda m: f"{m['s']} {'moved' if m['v'].startswith('mov') else 'travelled'}"
     f"{'' if m['rest'].startswith(' to ') else ' to'}{m['rest']}", DROPPED),
    (rf"<S>{_HAVE} (?:cancell?ed|dropped|gave up|given up|scrapped) (?:my|the|his|her|our) plans? (?:to|of) (?:{_VERB}|"
     rf"{_ING.replace('?P<v>', '?P<w>')})\b(?P<rest>.*)",
     lambda m: _plain(re.fullmatch(rf"{_S} {_VERB}(?P<rest>.*)", f"{m['s']} {m['v'] or _BASES.get(m['w'], m['w'])}{m['rest']}") or m),
     DROPPED),
    (rf"<S>{_HAVE} (?:cancell?ed|called off|dropped|gave up on|given up on|scrapped|abandoned) {_ING}\b(?P<rest>.*)",
     _plain, DROPPED),
    (rf"(?:[Tt]he|[Mm]y|[Oo]ur) (?:planned )?(?P<v>move|relocation|trip|visit) to (?P<x>{NAME}) (?:fell through|is off\b|won['’]t happen"
     r"|(?:was|is|has been) (?:cancell?ed|called off|dropped)|is(?:n['’]t| not) happening|did(?:n['’]t| not) work out).*",
     lambda m: f"I {'moved' if m['v'] in ('move', 'relocation') else 'travelled'} to {m['x']}", DROPPED),
    (rf"<S>{_HAVE} (?:changed (?:my|his|her|their) mind|decided against)(?: about)? {_ING}\b(?P<rest>.*)", _plain, DROPPED),
    (rf"<S>{_HAVE} changed (?:my|his|her|their) mind about (?P<x>{NAME})(?P<rest>.*)", [
        (r"\g<s> moved to \g<x>", DROPPED), (r"\g<s> visited \g<x>", DROPPED), (r"\g<s> works at \g<x>", DROPPED)]),
    (rf"<S>(?: am|['’]m| is|['’]s)(?:{_NOT}| no longer) (?P<v>moving)(?P<rest> to .*)", _plain, DROPPED),
    # plans
    (rf"<S>{_WISH}{_VERB}\b(?P<rest>.*?) instead of (?:in |at |to )?(?P<x>{NAME})(?P<tail>.*)", [
        (_plain, PLANNED),
        (lambda m: f"{m['s']} {_DEEDS.get(m['v'], m['v'])}{re.sub(NAME + r'.*', '', m['rest'])}{m['x']}", DROPPED)]),
    (rf"<S>{_WISH}{_VERB}\b(?P<rest>.*)", _plain, PLANNED),
    (r"<S>(?: am|['’]m| is|['’]s) (?P<v>moving)(?P<rest> to .*)", _plain, PLANNED),
    (rf"<S>{_BE}(?: still| now| also| seriously)? (?:thinking (?:of|about)|considering|toying with the idea of) {_ING}\b(?P<rest>.*)",
     _plain, PLANNED),
    # what is over
    (rf"(?:(?:\w+ )?(?:is|was) )?(?P<o>[Mm]y|{NAME}['’]s) (?:very )?last day (?:of work )?(?:at|with) (?P<x>{NAME}).*",
     lambda m: f"{_owner(m)} {'work' if _owner(m) == 'I' else 'works'} at {m['x']}", OVER),
    (rf"<S>{_BE} no longer (?:at|with) (?P<x>{NAME}).*", [
        (r"\g<s> works at \g<x>", LEFT), (r"\g<s> studies at \g<x>", LEFT)]),
    (rf"<S>(?P<be>{_BE}| no longer)?(?: no longer) (?P<rest>(?:an? |the |married|engaged|from|in|at|with|my ).*)",
     lambda m: f"{m['s']}{m['be'] or ''} {m['rest']}", OVER),
    (rf"<S>{_BE} no longer {_ING}\b(?P<rest>.*)", _plain, OVER),
    (rf"<S> no longer {_VERB}s?\b(?P<rest>.*)", _plain, OVER),
    (r"<S> no longer (?P<v>stud)ies(?P<rest>.*)", r"\g<s> studies\g<rest>", OVER),
    (rf"<S> (?:do|does){_NOT} {_VERB}\b(?P<rest>.*?){_ANY_MORE}.*", _plain, OVER),
    (rf"<S>{_BE}{_NOT} {_ING}\b(?P<rest>.*?){_ANY_MORE}.*", _plain, OVER),
    (rf"<S>(?P<be>{_BE}){_NOT}(?P<rest> .*?){_ANY_MORE}.*", r"\g<s>\g<be>\g<rest>", OVER),
    (rf"<S> used to {_VERB}\b(?P<rest>.*)", _plain, OVER),
    (r"<S> used to be(?P<rest> .*)", r"\g<s> is\g<rest>", OVER),
    (rf"<S> (?:was|were)(?: still| then| briefly)? {_ING}\b(?P<rest> (?:in|at|for) .*)", _plain, OVER),
    (rf"<S>{_HAVE} (?:stopped|quit|finished|gave up|given up|ceased) {_ING}\b(?P<rest>.*)", _plain, OVER),
    (rf"<S>{_HAVE} (?:quit|left|lost) (?:my|his|her|the|their) (?:\w+ )?(?:job|position|post) (?:at|with) (?P<rest>.*)",
     r"\g<s> works at \g<rest>", OVER),
    (rf"<S>(?:{_HAVE}| was| got|{_BE}) (?:resigned from|retired from|fired (?:from|by)|laid off (?:from|by)|let go (?:from|by)"
     r"|handed in (?:my|his|her) notice at) (?P<rest>.*)", r"\g<s> works at \g<rest>", OVER),
    (rf"<S>(?:{_BE}(?: now| currently)? (?:retired|unemployed|jobless|out of work|between jobs)|{_HAVE} (?:retired(?! (?:the|my|our|his|her|an?|it|this|that|these|those|early|late|to|in lap|for the)\b)"
     r"|(?:quit|lost|left) (?:my|his|her|their|the) job)|(?: was| got| were| have been| has been|['’]ve been) (?:fired|laid off|let go|made redundant))"
     rf"(?! (?:from|by|at) (?:the )?{NAME}).*", r"\g<s>", ALL_OVER),
    (rf"<S>{_HAVE} dropped out of (?P<rest>.*)", r"\g<s> studies at \g<rest>", OVER),
    (rf"<S>{_HAVE} moved (?:away from|out of|out from) (?P<rest>.*)", r"\g<s> lives in \g<rest>", OVER),
    (rf"<S>{_HAVE} moved(?P<back> back)? from (?:the )?(?P<x>{NAME}) to (?P<rest>.*)", [
        (r"\g<s> lives in \g<x>", OVER), (r"\g<s> moved to \g<rest>", HOLDS)]),
    (rf"<S>{_HAVE} (?:switched|changed|transferred|jumped|gone|went)(?: jobs| employers| schools)? from (?P<x>{NAME}) (?:back |over )?to (?:the )?"
     rf"(?P<y>{NAME})(?P<rest>.*)", [
        (r"\g<s> works at \g<x>", LEFT), (r"\g<s> works at \g<y>", FOLLOWS),
        (r"\g<s> studies at \g<x>", LEFT), (r"\g<s> studies at \g<y>", FOLLOWS),
        (r"\g<s> uses \g<x>", ELSE_OVER), (r"\g<s> switched to \g<y>\g<rest>", ELSE)]),
    (rf"<S>{_HAVE} switched from (?P<x>{NAME}) (?:back )?to (?P<rest>.*)", [
        (r"\g<s> uses \g<x>", OVER), (r"\g<s> switched to \g<rest>", HOLDS)]),
    (rf"<S>{_HAVE} (?:divorced|separated from|split up with|broken? up with|left) (?P<x>{NAME})(?= after| last|[.,]|\Z).*"
     r"(?<!\d)\Z", [
        (r"\g<s> is married to \g<x>", DENIED), (r"\g<s> is engaged to \g<x>", DENIED),
        (r"\g<s> works at \g<x>", DENIED), (r"\g<s> is a member of \g<x>", DENIED),
        (r"\g<s> studies at \g<x>", DENIED), (r"\g<s> lives in \g<x>", DENIED)]),
    (rf"<S>{_HAVE} left (?:the )?(?P<x>{NAME}) for (?P<y>{NAME})(?= and |[.,;!]| (?:last|this) \w+| in |\Z).*", [
        (r"\g<s> works at \g<x>", LEFT), (r"\g<s> works at \g<y>", FOLLOWS),
        (r"\g<s> lives in \g<x>", LEFT), (r"\g<s> lives in \g<y>", FOLLOWS)]),
    (rf"<S>{_HAVE} (?:quit|left) (?P<x>{NAME}){_PLACED}.*", [
        (r"\g<s> works at \g<x>", DENIED), (r"\g<s> is a member of \g<x>", DENIED),
        (r"\g<s> studies at \g<x>", DENIED), (r"\g<s> lives in \g<x>", DENIED), (r"\g<s> uses \g<x>", DENIED)]),
    (rf"(?P<x>{NAME})(?: is|['’]s) (?P<o>my|{NAME}['’]s) (?:ex-|ex |former |old )(?P<role>{_ROLE})\b.*",
     r"\g<x> is \g<o> \g<role>", OVER),
    (rf"(?P<o>[Mm]y|{NAME}['’]s) (?:ex-|ex |former |old )(?P<role>{_ROLE}) (?:is|was) (?P<x>{NAME}).*",
     r"\g<x> is \g<o> \g<role>", OVER),
    (r"(?P<s>(?:[Mm]y|\S+['’]s) (?:favou?rite )?[\w-]+(?: [\w-]+)?) is no longer (?P<x>.*)", r"\g<s> is \g<x>", OVER),
    (rf"(?P<s>(?:[Mm]y|\S+['’]s) (?:favou?rite )?[\w-]+(?: [\w-]+)?) is{_NOT} (?P<x>.*?){_ANY_MORE}.*", r"\g<s> is \g<x>", OVER),
    # what never was, and what is not so
    (rf"<S>(?: have| has|['’]ve|['’]s)? never(?: ever| actually| really)* {_PAST}\b(?P<rest>.*)", _plain, NEVER),
    (rf"<S> (?:have|has)(?:n['’]t| not) ever {_PAST}\b(?P<rest>.*)", _plain, NEVER),
    (r"<S> (?:was|were) never(?P<rest> (?:an? |the |born|married|engaged).*)", r"\g<s> was\g<rest>", NEVER),
    (r"<S> was(?:n['’]t| not) (?P<rest>born in .*)", r"\g<s> was \g<rest>", NEVER),
    (rf"<S>(?P<be>{_BE}){_NOT}(?P<rest> (?:originally )?from .*)", r"\g<s>\g<be>\g<rest>", NEVER),
    (r"<S>(?: have| has)(?:n['’]t| not) (?P<v>lived|worked|studied)\b(?!.*\b(?:long|until|before|yet|only|just|[Ss]ince\b.*\bago)\b)"
     r"(?P<rest> (?:in|at|for) .*)", _plain, DENIED),
    (rf"<S> did(?:n['’]t| not) {_VERB}\b(?P<rest>(?!.*\d{{4}}).*)", _plain, NEVER),
    (rf"<S> (?:do|does){_NOT} {_VERB}\b(?P<rest>.*)", _plain, DENIED),
    (rf"<S>{_BE}{_NOT} {_ING}\b(?P<rest>.*)", _plain, DENIED),
    (rf"<S>(?P<be>{_BE}){_NOT}(?P<rest> (?:an? |the |married|engaged|my |allergic|(?:{NAME})['’]s).*)", r"\g<s>\g<be>\g<rest>", DENIED),
    # one value for another
    (rf"<S> (?P<v>lives?|works?) not (?P<p>in|at|for) (?P<x>{NAME}),? but (?:in |at |for )?(?P<y>{NAME}).*", [
        (r"\g<s> \g<v> \g<p> \g<x>", DENIED), (r"\g<s> \g<v> \g<p> \g<y>", HOLDS)]),
    (rf"(?P<s>{_S.replace('?P<s>', '?:')} .*?\b(?:in|at|for|uses?|to|is) )not (?:in |at |for )?(?P<x>{NAME}) but (?:in |at |for )?(?P<y>{NAME}).*",
     [(r"\g<s>\g<x>", DENIED), (r"\g<s>\g<y>", HOLDS)]),
    (rf"(?P<s>{_S.replace('?P<s>', '?:')} .*?\b(?:in|at|for|uses?|to|is|with|prefers?|likes?|loves?) )(?P<y>(?:the )?(?:{NAME}|[a-z]+)(?: now| again)?)"
     rf"(?:,? instead of|, not|, rather than|,? and not|,? but not|,? not)(?: in| at| for| with)? (?P<x>{NAME}|[a-z]+)(?: any ?more| now| these days| again)*[.!]?\Z",
     [(r"\g<s>\g<x>", DENIED), (r"\g<s>\g<y>", HOLDS)]),
    (rf"<S>(?:{_HAVE}|{_HAVE} got| got|{_HAVE} found| found) a (?:new |better )?(?:job|position) (?:at|with) (?P<rest>.*)",
     r"\g<s> started at \g<rest>", HOLDS),
    (rf"<S>(?: was|{_HAVE} been| got) (?:hired|employed) (?:by|at) (?P<rest>.*)", r"\g<s> started at \g<rest>", HOLDS),
    (rf"<S>{_HAVE} (?:gave up|given up|sold|left|moved out of) (?:my|his|her|our|their|the) (?:\w+ )?(?:flat|apartment|house|home|place|room) in "
     r"(?P<rest>.*)", r"\g<s> lives in \g<rest>", OVER),
    (rf"I(?: have|['’]ve)?(?: got| found)? a new (?P<role>{_ROLE})(?:,|:| called| named) (?P<x>{NAME}).*", r"My \g<role> is \g<x>", HOLDS),
    (rf"(?:[Mm]y (?:company|employer|firm|boss)|{NAME}) (?:has |have )?(?:relocated|transferred|moved) me to (?P<x>{NAME}).*", r"I moved to \g<x>", HOLDS),
    (rf"[Ww]e(?P<v>(?: now)? live in|['’]re(?: now)? living in|{_HAVE} moved (?:house|home|in|our family|with the (?:kids|family)) to) (?P<x>{NAME}).*",
     lambda m: f"I {'moved to' if 'moved' in m['v'] else 'live in'} {m['x']}", HOLDS),
    (r"<S> now(?:adays)? (?P<rest>.*)", r"\g<s> \g<rest>", HOLDS),
    S=_S,
)  # fmt: skip

# After "I quit my job at X and": what is joined then is an employer.
_THEN = rules(
    (rf"<S>(?:{_HAVE}(?: then| now)? (?:joined|started (?:at|with)|signed (?:on )?with|went to|gone to|moved to)"
     rf"|{_BE}(?: now)? (?:at|with)) (?P<x>{NAME}).*", r"\g<s> started at \g<x>", HOLDS),
    S=_S,
)  # fmt: skip

# What says that something has changed, and not to what: whoever "got a new job" may no longer have the old one.
_SINCE = r"(?:['’]ve|['’]re|['’]m|['’]s| have| has| had| am| are| is| just| finally| recently| already| both| been)*"
_WE = rf"(?<![\w'’-])(?:[Ww]e(?!\w)|{_SUBJECT}){_SINCE}"
_LATELY = r"(?=[.,;!]|\Z| (?:today|yesterday|last (?:week|month|year|night|spring|summer|autumn|fall|winter|\w+day)|this (?:week|month|morning|year|\w+day)|on \w+day|and|because)\b)"
_JOB, _MINE = r"(?:job|position|role)", r"(?:my|his|her)"
_SHAKING = (
    ("lives_in", rf"{_WE} moved(?: (?:house|home|out))?{_LATELY}"),
    ("lives_in", r"\b[Ww]e(?:['’]ve)? finally moved to (?=[A-Z])"),
    ("lives_in", rf"{_WE} (?:relocated|emigrated) to\b"),
    ("lives_in", rf"{_WE} got a (?:\w+ )?(?:place|flat|apartment) in [A-Z]"),
    ("works_at", rf"{_WE} (?:(?:quit|left|lost) {_MINE} job|resigned|retired|(?:changed|switched) jobs){_LATELY}"),
    ("works_at", rf"{_WE}(?: was| were| got)? (?:fired|sacked|laid off|made redundant){_LATELY}"),
    ("works_at", rf"{_WE} (?:started|got|landed|found|accepted) (?:a|an|{_MINE}) new {_JOB}{_LATELY}"),
    ("works_at", rf"{NAME} (?:fired|sacked|laid off) (?:me|(?P<s>[Mm]y (?:{_ROLE}))){_LATELY}"),
    ("studies_at", rf"{_WE} (?:graduated|dropped out|got {_MINE} (?:degree|diploma)|(?:changed|switched) (?:schools|universities)){_LATELY}"),
    ("married_to", rf"{_WE}(?: got| getting)? divorced{_LATELY}"),
    ("married_to", r"\b[Mm]y ex-?(?: )?(?:wife|husband)\b"),
)  # fmt: skip
# What such a sentence may not say: that it is long ago, not so, planned, dreamt, told, or in a story.
_UNSHAKEN = r"(?i)\?|n['’]t\b|\b(?:(?:19|20)\d\d|ago|when|before|if|unless|whether|not|never|might|may|could|would|will|should|almost|nearly|wish\w*|dream\w*|novel|book|film|movie|play|game|story|said|says|told|tells|thinks?|thought|heard|maybe|perhaps|to do)\b"

_SAYS = (
    r"(?:said|says|told|tells|mentioned|mentions|claims?|claimed|thinks?|thought|believes?|believed|wrote|writes|reported|reports"
    r"|heard|texted|swears|insists|suspects|assumes|reckons)"
)
_WHOM = r"(?: (?:to )?(?:me|us|him|her|them|everyone|everybody))?"
_SOURCE = rf"(?P<source>[Mm]y (?:\w+ )?(?:{_ROLE})|(?!I\b){NAME}|[Ss]omeone|[Ss]omebody|[Pp]eople|[Hh]e|[Ss]he|[Tt]hey|[Ee]verybody)"

ENGLISH_CHANGES = Changes(
    signal=r"(?i)\b(?:no longer|any ?more|any longer|used to|quit|left|resigned|retired|fired|laid off|let go|notice|not|never|now"
    r"|new|again|instead|rather|cancell?ed|called off|changed|dropped|gave up|given up|scrapped|abandoned|wants?|will|going to"
    r"|plan\w*|intends?|hopes?|hoping|about to|set to|would|decided|moving|moved|switched|stopped|finished|ceased|said|says"
    r"|told|tells|mention\w*|claim\w*|thinks?|thought|believe\w*|wrote|writes|report\w*|heard|text\w*|swears|insists|suspects"
    r"|assumes|reckons|according|apparently|supposedly|rumou?r|word|allegedly|divorced|separated|split|broken?|former|ex|old"
    r"|hired|employed|unemployed|jobless|redundant|out of work|job|jobs|position|lost|last day|thinking|considering|toying|transferred"
    r"|graduated|degree|diploma|relocated|emigrated|fell through|off|happen\w*|hasn|haven)\b|n['’]t\b|['’]ll\b|['’]d\b",
    doubt=rf"\?|{IN_FICTION}|\b(?:[Ii]f|[Uu]nless|[Ww]hether|[Mm]aybe|[Pp]erhaps|could|might|may|should|[Aa]lmost|[Nn]early|[Ww]ish)\b",
    hearsay=(
        rf"{_SOURCE}(?: (?:just|once|also|recently|always|has|had))? {_SAYS}{_WHOM}(?: (?:yesterday|today|last \w+|once))?(?: that|,|:)? "
        rf"(?P<rest>(?:{NAME}|[Mm]y )(?!\Z).*)",
        rf"{CLAUSE_START}(?P<source>(?P<name>[Mm]y (?:\w+ )?(?:{_ROLE})|(?!I\b|(?:\S+ ){{2}}[A-Z]){NAME}))(?: (?:just|once|also|recently))? {_SAYS}(?: (?:to )?(?:me|us))?(?: that|,)? (?P<pronoun>he|she)(?P<tail>"
        r" (?:now|no longer|just|recently|lives?|works?|studies|moved|joined|left|quit|used to|has|is|does)\b.*)",
        rf"(?:[Aa]ccording to|[Ii]f we believe) {_SOURCE},? (?P<rest>.*)",
        rf"(?:I|[Ww]e)(?:['’]ve)?(?: \w+)? (?:heard|was told|were told|read)(?: from (?P<source>{NAME}|[Mm]y \w+))?(?: that)? "
        rf"(?P<rest>(?:{NAME}|[Mm]y ).*)",
        rf"[Ww]ord from {_SOURCE} is(?: that)?,? (?P<rest>.*)",
        r"(?:[Aa]pparently|[Ss]upposedly|[Aa]llegedly|[Rr]umou?r has it(?: that)?|[Pp]eople say(?: that)?|[Tt]hey say(?: that)?|[Ww]ord is(?: that)?),? (?P<rest>.*)",
        rf"(?P<rest>.*?),? (?:according to|says|said) (?P<source>{NAME}|[Mm]y \w+)[.!]?\Z",
        rf"(?P<rest>.*?), (?P<source>{NAME}|[Mm]y \w+) (?:{_SAYS})(?: me| us)?[.!]?\Z",
        r"(?P<rest>.*?),? (?:or so I heard|I(?:['’]ve)? heard|I was told|apparently|allegedly|supposedly)[.!]?\Z",
    ),
    joint=r"[,;:] (?=(?:and|but|so|then|now|instead|I|[Hh]e|[Ss]he|[Mm]y)(?: |['’]))(?:and |but |so |then )*|; "
    r"| (?:and|but|so|then) (?=(?:now|then|since|instead|have|has|['’]ve|I|[Hh]e|[Ss]he|[Mm]y|works?|lives?|stud(?:y|ies)|moved|joined"
    r"|started|switched|uses?|am|is|wants?|will|likes?|loves?|prefers?|never|no longer|do|does|got|found)\b)(?:then )?",
    leads=r"(?i:(?:(?:and|but|so|no|yes|well|oh|actually|sorry|oops|correction|update|in fact|instead|then|now|these days|nowadays"
    r"|currently|recently|lately|as of (?:today|now|\w+)|from now on|since (?:then|\w+|last \w+|\w+ \d{4})|(?:in|until) (?:\w+ )?\d{4}"
    r"|(?:last|this|next) \w+|back in (?:\w+ )?\d{4}|in the past|formerly|previously|before|yesterday|today|big news|news|fyi|btw|by the way|sadly"
    r"|unfortunately|finally|after all|[^:.;]{0,25}\b(?:mistake|mistyped|typo|misspoke|mixed up|got it wrong|wrong)\b[^:.;]{0,20}(?=:)|i was wrong|i misspoke|i meant|i mean|for the record|to be clear)(?:[,:!.]| -)? )+)",
    subject=_SUBJECT,
    inherits=r"(?P<pronoun>(?:[Hh]e|[Ss]he|[Tt]hey)(?=['’ ]))?(?:now |then |since |instead )?(?:have|has|['’]\w+|works?|lives?|studies"
    r"|study|moved|joined|started|switched|uses?|am|is|was|wants?|will|likes?|loves?|prefers?|never|no longer|do|does|got|found|quit|left)?\b",
    rules=_ENGLISH_RULES,
    job=r" works? at ",
    then=_THEN,
    shaking=_SHAKING,
    unshaken=_UNSHAKEN,
)
