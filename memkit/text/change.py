"""Words of change: whether a text says that something is different from now on, and whether one asks of the past.

In English, German, French, Spanish, Chinese and Japanese. "The meeting was moved to Thursday" says a change; "we might
move it" and "there is also one on Friday" do not. A question about the past ("where did I live before?") has words of
its own. Where a text is unclear, both functions say no.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial

from memkit.core.patterns import pattern
from memkit.text.words import is_question, sentences

_CHANGES = r"""
    now|nowadays|these\ days|no\ longer|any\ ?more|any\ longer|moved|relocat\w+|switch\w+|replac\w+|migrat\w+
    |upgraded|downgraded|instead\ of|latest|from\ [\w ]{1,20}\ on|from\ today|as\ of|by\ now|became|promoted
    |since\ (?:the|they)|i\ put\ the|left(?=\ (?-i:[A-Z])|\W*\Z)|(?:has|have|'ve)\ left|quit|retired|resigned
    |step(?:s|ped)\ down|elected|appointed|hand(?:s|ed)\b.{1,40}?\bover|took\ over|postponed
    |rescheduled|brought\ forward|slips|slipped|delayed|correct(?:ion|ed)|actually|was\ wrong|got\ it\ wrong
    |my\ mistake
    |after\ all|stopped|gave\ up|given\ up|cancel\w*|sold|renam\w+|raised\ (?:its|the|our|my)|reduced|increased
    |lowered|repaired|fixed
    |closed|finished|dropped|broke\ up|divorced|died|lent|got\ rid\ of|signed\ with|found\ work|is\ over
    |jetzt|nun|inzwischen|mittlerweile|nicht\ mehr|keine?[nrs]?\b.{1,30}?\bmehr|umgezogen|gezogen|verlegt|verschoben
    |gewechselt|umgestiegen|ersetzt|statt|stattdessen|anstatt|ab\ (?:sofort|morgen|heute|\d|[A-ZÄÖÜ])\w*
    |korrektur|korrigier\w+|eigentlich|doch\ nicht|gekündigt|(?:im|in)\ (?:ruhestand|rente)|verkauft|abgelöst
    |aufgehört|aufgegeben|nur\ noch|seit\ kurzem|erhöht|gesenkt|gestiegen|umbenannt|repariert|erledigt|abgesagt
    |maintenant|désormais|à\ présent|dorénavant|n(?:e\ |['’])\w+\ plus|déménag\w+|remplac\w+
    |finalement|en\ fait|quitt\w+|report[ée]\w*|déplac\w+|au\ lieu\ de?|à\ partir\ de?|devenue?s?|arrêté|augment\w+
    |baiss\w+|vendue?s?|annul\w+|réparée?s?
    |ahora|ya\ no|mud(?:é|ó|ado|amos|aron)|reemplaz\w+|sustitu\w+|cambi(?:ado|aron)\ al?|en\ realidad|corrección
    |equivoqu\w+
    |dej(?:é|ó|ado)|aplaz\w+|en\ (?:vez|lugar)\ de|sino|a\ partir\ de|sube|subi(?:ó|do)|baj(?:ó|ado)|vendi\w+
    |cancel\w+
"""
ASKED = 1000  # characters of a question that are read
SHORT = 200  # characters of a text that says one thing: what its sentences say belongs together

# What has changed is said behind these, and has to be what the question is about: "a new dentist".
_OF_SOMETHING = r"""
    (?:new|newest|chang(?:ed?|es)|neue[nrms]?|geändert|nouveaux?|nouvel(?:le)?s?|nuev[oa]s?|cambi(?:é|ó|amos))
    (?:\ (?:the|his|her|its|my|our|their|to|has|is|in|die|den|das|de|le|la|les|el|los|las))*\ (?P<what>\w+)
    |(?P<before>\w+)\ (?:has|have|was|were|is)\ changed
"""
# And these say that something was said wrong: so it is with what was, too.
_CORRECTS = r"""
    correct(?:ion|ed)|actually|was\ wrong|got\ it\ wrong|my\ mistake|not\ in\ \d+|korrektur|korrigier\w+|eigentlich
    |correction|en\ fait|en\ realidad|corrección|equivoqu\w+
"""
# Who moved lives elsewhere: the words of the one stand for those of the other.
_MOVES = r"(?:moved|relocat\w+|umgezogen|gezogen|déménag\w+|mud(?:é|ó|ado|amos))"
_LIVES = r"(?:liv(?:e|es|ing)|wohn\w*|leb[est]\w*|habit\w*|viv[eoi]\w*)"
_SEVERAL = r"""
    (?:what|which|who)\ are|names\ of|how\ (?:many|often)\ (?:times|different)|which\ \w+s\ (?:do|does)
    |welche\ \w+(?:en|er|s)|quels|quelles|cuáles|quiénes
"""
_OPEN = r"""
    also|too(?=[.,;!]|\W*\Z)|as\ well|another|might|maybe|perhaps|would|could|dream\w*|some\ day
    |not\ (?:yet\ )?decided|undecided|if
    |still\ (?:is|am|are|has|have|liv|work|us|at|on|in)\w*|confirmed|(?:wants?|hopes?|plans?)\ to
    |thinking\ (?:of|about)|for\ the\ (?:weekend|day|week)|temporar\w+
    |auch|außerdem|zusätzlich|vielleicht|würde[nt]?|könnte[nt]?|möchte[nt]?
    |(?:will|wollen)\ (?:vielleicht|einmal|gern)|träum\w+|noch\ nicht
    |immer\ noch|weiterhin|falls|vorübergehend
    |aussi|également|peut-être|pourrai\w+|voudrai\w+|rêv\w+|toujours|encore|si
    |también|además|quizás?|tal\ vez|podría\w*|quiere|quiero|sueñ\w+|todavía|aún|sigue
"""
_PAST = r"""
    did|didn|(?<=[\w,]\ )was|were|wasn|weren|had|hadn|used\ to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?
    |first|initial(?:ly)?
    |earlier|once|old|ago|past|back\ then|at\ the\ time|ever
    |war|waren|warst|hatte[nst]*|wurde[nst]*|sollte[nst]*|früher\w*|vorher\w*|zuvor|damals|einst|ehemalig\w*
    |ursprünglich\w*
    |zuerst|anfangs|alte[nrms]?|lag|(?:hat|habe|haben|habt|bin|bist|ist|sind)\b.{1,80}?\b\w*ge\w+(?:t|en)
    |(?:wohn|leb|arbeite|mach|nutz|spiel)te(?:n|st)?|fuhr|trank|ging|hieß
    |étai\w+|avai\w+|avant|autrefois|ancien\w*|d['’]abord|à\ l['’]origine|\w{3,}(?:ais|ait|aient)
    |era[ns]?|fue|fueron|había\w*|antes|anterior\w*|antigu[oa]s?|primero|al\ principio
    |\w{2,}(?:aba|abas|aban|ía|ías|ían)
"""

_CHANGES_CJK = (
    "现在|現在|不再|改到|改用|改为|改為|改成|改在|换了|换成|換了|換成|搬到|搬去|搬家|离开|離開|转学|转到|更正|其实|其實|新的"
    "|涨到|降到|已经|已經|取消|推迟|延期|卖了|辞职|今は|もう|引っ越|変わ|変え|変更|訂正|辞め|になった|代わりに"
)
_OPEN_CJK = "也|还没|還沒|想|可能|也许|也許|打算|仍然|还是|かもしれ|たい|まだ"
_PAST_CJK = "以前|之前|原来|原來|原先|从前|從前|曾|最初|当时|當時|那时|過去|过去|昔|元々|当初|でした|ました|だった"


@cache  # compiled when first needed: few questions need them all
def _either(words: str, characters: str = "(?!)") -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|{characters}", re.IGNORECASE | re.VERBOSE)


_CHANGE = partial(_either, _CHANGES, _CHANGES_CJK)
_SOMETHING = partial(_either, _OF_SOMETHING)
_CORRECTION = partial(_either, _CORRECTS, "更正|其实|其實|訂正")
_UNSURE = partial(_either, _OPEN, _OPEN_CJK)
_BEFORE = partial(_either, _PAST, _PAST_CJK)
_LIST = partial(_either, _SEVERAL, "哪些|有几")
_NEW_CJK = pattern("新([一-鿿]{2})")
_MOVED = partial(_either, _MOVES, "搬到|搬去|搬家|引っ越")
_LIVED = partial(_either, _LIVES, "住")


def said_changed(text: str, asked: Callable[[str], bool], *, corrected: bool = False) -> str:
    """The sentences of a text that say a change; in a short text, also those before and after them. Empty if none does.

    A sentence that asks, adds something, or says what may come, says no change; nor does a new supervisor say one of
    a question that has (`asked`) no such word. With `corrected`, only corrections count.
    """
    told = _told(text, corrected)
    at = {i for i, (one, says) in enumerate(told) if says or (says is None and _of_what(one, asked))}
    around = 1 if len(text) <= SHORT else 0
    near = sorted({j for i in at for j in range(i - around, i + around + 1) if 0 <= j < len(told)})
    return " ".join(told[j][0] for j in near)


@lru_cache(maxsize=1 << 10)  # the same memories are found for many questions
def _told(text: str, corrected: bool) -> tuple[tuple[str, bool | None], ...]:
    """The sentences of a text, and whether each says a change; None if it may say one of what is asked."""
    return tuple((text[start:end], _says(text[start:end], corrected)) for start, end in sentences(text))


def _says(sentence: str, corrected: bool) -> bool | None:
    if is_question(sentence):
        return False
    if (_CORRECTION if corrected else _CHANGE)().search(sentence):
        return not _UNSURE().search(sentence)
    something = not corrected and (_SOMETHING().search(sentence) or _NEW_CJK.search(sentence))
    return None if something and not _UNSURE().search(sentence) else False


def _of_what(sentence: str, asked: Callable[[str], bool]) -> bool:
    if any(asked(one["what"] or one["before"]) for one in _SOMETHING().finditer(sentence)):
        return True
    return any(asked(one[1]) and not asked(f"新{one[1][0]}") for one in _NEW_CJK.finditer(sentence))


def asks_of_the_past(text: str) -> bool:
    """Whether a question may ask for what was, not for what is."""
    return _BEFORE().search(text[:ASKED]) is not None


def asks_of_several(text: str) -> bool:
    """Whether a question asks for a list, to which a later answer adds."""
    return _LIST().search(text[:ASKED]) is not None


def says_moved(text: str) -> bool:
    """Whether a text says that somebody moved, and so lives elsewhere."""
    return _MOVED().search(text) is not None


def is_to_live(word: str) -> bool:
    """Whether a word says where somebody lives."""
    return _LIVED().search(word) is not None
