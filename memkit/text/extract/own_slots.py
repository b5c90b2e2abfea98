"""What somebody says of himself that belongs into a slot: name, how to answer, telephone number, allergy and the like.

Rules for plain sentences of the user, in English, German, Spanish, French and Chinese. What is asked, denied, supposed,
quoted or said of others gives nothing. A value is `sure` if its sentence can hardly mean anything else: it begins with
the statement, in a short message that is no task, no story and no pasted text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from memkit.text.extract.grammar import NAME
from memkit.text.extract.voice import quotations
from memkit.text.spans import Spans
from memkit.text.words import sentences

USER, PROJECT, AGENT = "user", "project", "agent"
LESSON = "lesson: "  # begins the key of what an assistant should know the next time, in the agent's slot


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A value for a key of a slot, with the sentence that says it.

    A key with a colon has one value of several: `allergy: peanuts`. `ended` means that the value holds no longer.
    """

    key: str
    value: str
    quote: str
    slot: str = USER
    sure: bool = True
    ended: bool = False

    @property
    def is_lesson(self) -> bool:
        """Whether it is a lesson for an assistant."""
        return self.slot == AGENT and self.key.startswith(LESSON)

    @property
    def line(self) -> str:
        """The value as people read it in a proposal: `user.nickname: Sam`."""
        return f"{self.slot}.{self.key} = {self.value}"


LINE = re.compile(r"\s*(?P<slot>user|project|agent)\.(?P<key>[^=\n]{1,80}?)\s*=\s*(?P<value>\S.*?)\s*")


def slot_lines(text: str) -> list[SlotValue] | None:
    """The values that a text of lines such as `user.nickname = Sam` names; None if a line has another form."""
    found = [LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
    if not all(found):
        return None
    return [SlotValue(one["key"], one["value"], "", one["slot"]) for one in found if one]


_PERSON = rf"(?P<v>{NAME})"
_HAN = r"[\u4e00-\u9fff]"
_NUMBER = r"(?P<v>\+?\d[\d ()/.-]{5,20}\d)(?!\w)"
_MAIL = r"(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)"
_THING = r"(?P<v>[^\W\d_][\w -]{0,40}?\w)"
_END = r"(?=\s*(?:[.!,;。！，]|$))"
_ON = r"(?=\s*(?:[.!,;。！，]|$)|\s+(?:and|but|und|aber|y|pero|et|mais)\b)"
_NOW = r"(?: (?:now|from now on|instead|please|jetzt|bitte|künftig|ahora|por favor|maintenant|désormais|s['’]il (?:te|vous) plaît)|,? please)*"
_MONTH = r"(?:\d{1,2}(?:st|nd|rd|th|\.|er)? (?:of |de )?[^\W\d]{3,10}\.?|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?)(?:,? (?:de )?\d{4})?"
_STYLES = "short|brief|long|full|complete|simple|plain|bullet points|German|English|Spanish|French|Chinese|metric units"
_LIST = r"(?P<v>[^\W\d_][\w ,-]{0,80}?\w)"
_THE = r"(?:(?:el|la|los|las|le|les|l['’]|die|der|das|den) ?)?"
_CONTRAST = (
    rf"(?: (?:to|over|rather than|als|a|al|à|aux?|que|antes que|plutôt que) {_THE}(?P<w>[^\W\d_][\w -]{{0,30}}?\w))?"
)

_RULES = tuple(
    (key, re.compile(form))
    for key, form in (
        ("name", rf"(?:[Mm]y (?:full |real )?name(?: is|['’]s)(?: now)?|[Mm]ein Name ist|[Ii]ch heiße(?: jetzt)?|[Mm]e llamo|[Mm]i nombre es|[Jj]e m['’]appelle) {_PERSON}{_ON}"),
        ("name", rf"我(?:现在)?(?:的名字是|的名字叫|叫)(?P<v>{_HAN}{{2,4}}|{NAME}){_END}"),
        ("nickname", rf"(?:[Pp]lease |[Yy]ou can |[Jj]ust |[Bb]etter )*[Cc]all me {_PERSON}{_NOW}{_ON}"),
        ("nickname", rf"(?:[Nn]enn mich(?: bitte| jetzt)*|[Dd]u kannst mich|[Ll]lámame|[Pp]uedes llamarme|[Aa]ppelle-moi|[Tt]u peux m['’]appeler) {_PERSON}(?: nennen)?{_NOW}{_ON}"),
        ("nickname", rf"(?:请|以后|现在)*叫我 ?(?P<v>{_HAN}{{2,4}}?|{NAME})(?:吧|就行|就好)?{_END}"),
        ("style", rf"(?P<v>(?:[Pp]lease |[Aa]lways )*(?:[Aa]nswer|[Rr]eply|[Rr]espond|[Ww]rite)(?: me)?(?: always)? (?:in|with|using) (?:{_STYLES})[\w ]{{0,30}}){_END}"),
        ("style", rf"(?P<v>(?:[Pp]lease )?(?:[Aa]lways )?[Kk]eep your (?:answers|replies|responses) (?:short|brief|simple|concise)[\w ]{{0,30}}){_END}"),
        ("style", rf"(?P<v>(?:[Bb]itte )?(?:[Aa]ntworte|[Ss]chreib)(?: mir)?(?: bitte| immer)* (?:kurz|knapp|ausführlich|einfach|auf \w+|in kurzen Sätzen)[\w ]{{0,30}}){_END}"),
        ("style", rf"(?P<v>(?:[Pp]or favor,? )?(?:[Rr]esponde|[Cc]ontesta)(?: siempre)? (?:en (?:frases|español|inglés|alemán|francés|chino)|con frases|de forma)[\w ]{{0,40}}){_END}"),
        ("style", rf"(?P<v>(?:[Rr]éponds|[Rr]épondez)(?:-moi)?(?: toujours)? (?:en (?:phrases|français|anglais|allemand|espagnol|chinois)|avec des phrases|de façon|brièvement)[\w ]{{0,40}}){_END}"),
        ("style", rf"(?P<v>请?(?:总是|以后)?用(?:短句|简短|中文|英文|英语|德语|法语|简单){_HAN}{{0,8}}(?:回答|回复)(?:我)?){_END}"),
        ("phone", rf"[Mm]y (?:new )?(?:phone|mobile|cell|telephone)(?: number)? is(?: now)? {_NUMBER}"),
        ("phone", rf"(?:[Mm]eine (?:neue )?(?:Telefonn|Handyn|N)ummer (?:ist|lautet)(?: jetzt)?|[Mm]i (?:nuevo )?(?:número(?: de teléfono)?|teléfono|móvil) es|[Mm]on (?:nouveau )?(?:numéro(?: de téléphone)?|téléphone) est(?: le)?|我的?新?(?:电话|手机)(?:号码?)?是) ?{_NUMBER}"),
        ("email", rf"(?:[Mm]y (?:new )?e-?mail(?: address)? is(?: now)?|[Mm]eine (?:neue )?(?:E-?)?[Mm]ail(?:-?[Aa]dresse)? ist|[Mm]i (?:nuevo )?(?:correo|email) es|[Mm]on (?:nouvel )?(?:e-?mail|courriel) est|我的?新?邮箱是) ?{_MAIL}"),
        ("birthday", rf"(?:[Mm]y birthday is(?: on)?|[Mm]ein Geburtstag ist(?: am)?|[Ii]ch habe am|[Mm]i cumpleaños es(?: el)?|[Mm]on anniversaire est(?: le)?) (?:the )?(?P<v>{_MONTH})(?: Geburtstag)?{_ON}"),
        ("birthday", rf"我的生日是(?P<v>(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号]){_END}"),
        ("pronouns", rf"[Mm]y pronouns are (?P<v>\w{{1,5}}(?:/\w{{1,6}}){{1,3}}){_ON}"),
        ("timezone", rf"(?:[Mm]y time ?zone is|[Mm]eine Zeitzone ist|[Mm]i zona horaria es|[Mm]on fuseau horaire est|我的时区是) ?(?P<v>[A-Z][a-z]+/[A-Z]\w+|[A-Z]{{2,5}}(?:[+-]\d{{1,2}}(?::\d\d)?)?){_ON}"),
        ("allergy: ", rf"(?:I(?: am|['’]m)(?: \w+ly)? allergic to|[Ii]ch bin allergisch gegen|[Ss]oy alérgic[oa] al?(?: los| las)?|[Jj]e suis allergique (?:à la|à l['’]|aux|au|à)) ?{_LIST}(?=\s*(?:[.!;]|$))"),
        ("allergy: ", rf"我对(?P<v>{_HAN}{{1,6}})过敏{_END}"),
        ("favourite ", rf"[Mm]y favou?rite (?P<k>\w+(?: \w+)?) is (?:(?:now|definitely|still|of course|by far) )*(?P<v>(?!not?\b|when\b|how\b|that\b|this\b|to\b)[^\W\d_][\w '’-]{{0,40}}?)(?: now)?{_ON}"),
        ("favourite ", rf"(?:[Mm]eine? Lieblings(?P<k>\w+) ist(?: jetzt)?|[Mm]i (?P<k2>\w+) favorit[oa] es(?: ahora)?|[Mm](?:on|a) (?P<k3>\w+) préférée? est(?: maintenant)?) {_THE}{_THING}(?: jetzt| ahora| maintenant)?{_END}"),
        ("favourite ", rf"我最喜欢的(?P<k>{_HAN}{{1,4}})(?:现在)?是(?P<v>{_HAN}{{1,8}}){_END}"),
        ("prefers: ", rf"I (?:(?:now|always|generally|usually|really|actually) )*prefer {_THING}{_CONTRAST}(?: now)?{_END}"),
        ("prefers: ", rf"(?:[Ii]ch bevorzuge(?: jetzt)?|[Pp]refiero|[Jj]e préfère) {_THE}{_THING}{_CONTRAST}{_END}"),
        ("prefers: ", rf"我(?:更|比较)喜欢(?P<v>{_HAN}{{1,8}}){_END}"),
        ("decision: ", r"[Ww]e(?: have|['’]ve)?(?: just| now| finally)? (?:decided|agreed) (?:to |that we |on |that )(?P<v>\w[^?]{3,140}?)[.!]?$"),
        ("decision: ", r"(?:[Ww]ir haben (?:uns )?(?:entschieden|beschlossen|geeinigt),? |[Hh]emos decidido |[Dd]ecidimos |[Nn]ous avons décidé (?:de |que |d['’])|[Oo]n a décidé (?:de |que |d['’])|我们决定了?)(?P<v>\w[^?？]{2,140}?)[.!。！]?$"),
    )
)  # fmt: skip
_ENDINGS = tuple(
    (key, re.compile(form))
    for key, form in (
        ("nickname", rf"(?:[Pp]lease )?(?:[Dd]on['’]t|[Dd]o not|[Ss]top|[Nn]ever) call(?:ing)? me {_PERSON}(?: any ?more| again)?{_END}"),
        ("nickname", rf"(?:[Nn]enn mich (?:bitte )?nicht(?: mehr)?|[Nn]o me llames(?: más)?|[Nn]e m['’]appelle (?:plus|pas)|(?:请)?(?:别|不要)(?:再)?叫我) ?(?P<v>{_HAN}{{2,4}}?|{NAME})(?:了)?{_END}"),
        ("allergy: ", rf"(?:I(?: am|['’]m) (?:no longer|not) allergic to|[Ii]ch bin nicht(?: mehr)? allergisch gegen|(?:[Yy]a )?[Nn]o soy alérgic[oa] al?(?: los| las)?|[Jj]e ne suis (?:plus|pas) allergique (?:à la|à l['’]|aux|au|à)) ?{_THING}(?: any ?more)?{_END}"),
        ("allergy: ", rf"我(?:已经|现在)?不(?:再)?对(?P<v>{_HAN}{{1,6}})过敏了?{_END}"),
        ("prefers: ", rf"(?:I (?:no longer|don['’]t|do not) prefer|[Ii]ch bevorzuge nicht mehr|[Yy]a no prefiero|[Jj]e ne préfère plus) {_THING}(?: any ?more)?{_END}"),
    )
)  # fmt: skip
_DOUBT = re.compile(
    r"[?？]|\b(?:if|whether|not|n['’]t|used to|would|could|should|might|maybe|perhaps|suppose|imagine|pretend|for example|e\.g\."
    r"|as if|let['’]s say|wenn|ob|nicht|falls|vielleicht|würde|stell dir|zum Beispiel|si|no|quizás|tal vez|supongamos|imagina"
    r"|peut-être|ne|pas|imagine|supposons)\b|n['’]t\b|如果|不|吗|也许|假设|假如|比如"
    r"|\b(?:said|says|told|asked|sagte?|dijo|dit)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"[?？]|\b(?:if|whether|would|said|says|told|wenn|falls|sagte?|dijo|dit)\b|如果|吗", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Yy]es|[Nn]o|[Aa]nd|[Bb]ut|[Ss]o|[Aa]ctually|[Bb]y the way|[Bb]tw|[Oo]h|[Hh]allo|[Uu]nd|[Üü]brigens|[Hh]ola|[Yy]|[Bb]onjour"
    r"|[Ss]alut|[Ee]t|[Ff]rom now on|[Ii]n (?:future|general)|[Aa]b jetzt|[Aa] partir de ahora|[Dd]ésormais|你好|以后|从现在起)(?![a-zß-ÿ'’])[,:!，]? ?)*"
)
_CLAUSE = re.compile(r"(?:[,;:，；]|\s[–—-]|\b(?:and|but|und|aber|y|pero|et|mais)\b) ?")
_STANDING = re.compile(
    r"\b(?:always|from now on|in (?:future|general)|generally|usually|never|immer|ab jetzt|künftig|grundsätzlich|siempre"
    r"|a partir de ahora|toujours|désormais|keep your)\b|总是|以后|从现在起",
    re.IGNORECASE,
)
# A message that asks for a text, plays a part, or was pasted: the `I` in it may be anybody.
_TASK = re.compile(
    r"\b(?:act as|acting as|pretend|role-?play|imagine|you are an?|you['’]re an?|you will be|write|rewrite|draft|edit|proofread|translate|summari[sz]e"
    r"|paraphrase|essay|story|novel|poem|song|lyrics|script|dialogue|scene|character|letter|e-?mail to|prompt|example|quote[sd]?"
    r"|continue|following|game|simulat\w+|schreibe?|übersetze?|geschichte|gedicht|brief an|rolle|stell dir vor|escrib[ea]|traduce|historia|poema|carta"
    r"|personaje|écris|écrivez|tradui[st]\w*|histoire|poème|lettre|personnage)\b|写|翻译|扮演|假装|故事|小说|角色|改写",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"```|^\s*(?:from|to|subject|dear|sehr geehrte|estimad[oa]|cher|chère)\b.*$|^\S{1,30}: .*\n\S{1,30}: ",
    re.IGNORECASE | re.MULTILINE,
)
_LONG = 600  # characters of a message; a longer one is mostly a task or was pasted
_LINES = 8
_POINTING = re.compile(
    r"(?:it|this|that|these|those|the|his|her|your|their|our|both|either|option|version|number|one|when|if|not|them|him|you|dies\w*|jene\w*"
    r"|erste\w*|zweite\w*|est[aeo]s?|es[aeo]s?|primer[oa]|segund[oa]|ça|cela|cette|ces?|premi\w+|deuxième|second[e]?|tout|todo|all\w*)\b|这|那|第",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(
    """
    asap back later now tomorrow today tonight soon maybe crazy old names when if anytime ishmael your tell john-doe
    jane-doe max-mustermann monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december montag dienstag mittwoch donnerstag freitag samstag sonntag
    mañana lunes martes miércoles jueves viernes domingo demain lundi mardi mercredi jeudi vendredi samedi dimanche
    什么 一下 时候 起床 回来 出去
    """.split()
)  # fmt: skip
_NO_NUMBERS = ("123456", "000000", "111111", "999999", "987654")


# Most texts have none of these, and need not be cut into sentences.
_CUE = re.compile(
    r"name|call|answer|reply|respond|writ|keep|phone|mobile|cell|mail|birthday|pronoun|zon|allerg|alérg|favo|prefer|decid|agreed"
    r"|heiße|nenn|kannst mich|antwort|schreib|nummer|geburtstag|habe am|bevorzug|liebling|entschieden|beschlossen|geeinigt"
    r"|llam|llám|nombre|contesta|número|teléfono|móvil|correo|cumpleaños|horaria|prefier|appel|répond|numéro|courriel"
    r"|anniversaire|fuseau|préf|décid|叫|名|用|电话|手机|邮箱|生日|时区|过敏|喜欢|决定"
)


def find_slots(text: str, *, to_assistant: bool = True) -> list[SlotValue]:
    """The slots that a text of the user fills, in order; the last value of a key counts.

    `to_assistant` says that nobody else is spoken to: how to answer is only said to an assistant.
    """
    if not _CUE.search(text.lower()):
        return []
    quoted = Spans(quotations(text))
    plain = len(text) <= _LONG and text.count("\n") < _LINES and not _PASTED.search(text)
    spans = [span for span in sentences(text) if not quoted.overlap(*span)]
    found: dict[tuple[str, str], SlotValue] = {}
    is_task = _TASK.search(text) is not None
    for start, end in spans:
        sentence = text[start:end].strip()
        if len(sentence) > 200:
            continue
        for one in _read(sentence):
            if one.key == "style":  # said with a task, it is meant for this task
                if not to_assistant or not (_STANDING.search(sentence) or not _says_more(text, start, end)):
                    continue
            elif one.slot == USER and is_task:
                one = replace(one, sure=False)
            found.pop((one.slot, one.key), None)
            found[one.slot, one.key] = replace(one, sure=one.sure and plain)
    return list(found.values())


_TAIL = re.compile(r"(?: (?:though|as well|too|ha+|lol|a lot more|best|most|anyway|instead))+$", re.IGNORECASE)
_AND = re.compile(r",? (?:and|or|und|oder|y|o|et|ou) |, |和|、")
_PERSONS = re.compile(
    r"(?:I|my|we|so|but|he|she|they|it|you|please|ich|mein\w*|wir|aber|yo|mi|pero|je|mon|ma|mais|which|who)\b",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W\d_]{2,}|[\u4e00-\u9fff]")
_GREETING = 2  # words of a greeting, or of thanks


def _says_more(text: str, start: int, end: int) -> bool:
    """Whether a text says more around `text[start:end]` than a greeting or thanks."""
    around = chain(_WORD.finditer(text, 0, start), _WORD.finditer(text, end))
    return next(islice(around, _GREETING, None), None) is not None


def _read(sentence: str) -> Iterator[SlotValue]:
    first = _LEADS.match(sentence).end()  # type: ignore[union-attr]
    if not _TOLD.search(sentence):
        for key, form in _ENDINGS:
            if said := form.match(sentence, first):
                yield from _values(key, said, sentence, ended=True)
                return
    if _DOUBT.search(sentence):
        return
    starts = [first, *(mark.end() for mark in _CLAUSE.finditer(sentence, first))]
    for at in dict.fromkeys(starts):
        for key, form in _RULES:
            if said := form.match(sentence, at):
                sure = (at == first and key != "prefers: ") or bool(_STANDING.search(sentence))
                yield from (replace(one, sure=sure) for one in _values(key, said, sentence))
                break


def _values(key: str, said: re.Match[str], sentence: str, *, ended: bool = False) -> Iterator[SlotValue]:
    """The values of one rule: each thing of a list by itself, with the key that they belong to."""
    value = _TAIL.sub("", " ".join(said["v"].split()).strip(" .,-"))
    kind = key.rstrip(": ")
    check = _CHECKS.get(kind)
    if not value or (check and not check(value)):
        return
    if kind == "allergy":
        for part in map(str.strip, _AND.split(value)):
            if not part or len(part.split()) > 3 or _PERSONS.match(part):
                return
            yield SlotValue(f"allergy: {part.lower()}", part, sentence, ended=ended)
    elif kind == "prefers":
        other = said.groupdict().get("w")
        asked = " or ".join(sorted({value.lower(), other.lower()})) if other else value.lower()
        yield SlotValue(f"prefers: {asked}", value, sentence, ended=ended)
    elif kind == "favourite":
        what = next(name for group, name in said.groupdict().items() if group.startswith("k") and name)
        yield SlotValue(f"favourite {what.lower()}", value, sentence)
    elif kind == "decision":
        topic = re.search(
            r"\b(?:for|für|para|pour) (?:the |our |die |das |den |el |la |le |les )?(\w[\w -]{2,40})$", value
        )
        yield SlotValue(
            f"decision: {(topic[1] if topic else ' '.join(value.split()[:8])[:60]).lower()}", value, sentence, PROJECT
        )
    else:
        yield SlotValue(key, value, sentence, ended=ended)


def _is_name(value: str) -> bool:
    parts = value.lower().split()
    return parts[0] not in _NO_NAMES and "-".join(parts) not in _NO_NAMES


def _is_number(value: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return 6 <= len(digits) <= 15 and not any(mark in digits for mark in _NO_NUMBERS)


_MORE = re.compile(
    r"\b(?:but|since|because|when|than|which|who|aber|weil|wenn|als|pero|porque|cuando|mais|car|quand|something)\b"
)
_CHECKS: dict[str, Callable[[str], bool]] = {
    "name": _is_name,
    "nickname": _is_name,
    "phone": _is_number,
    "prefers": lambda value: not _POINTING.match(value) and not _MORE.search(value),
    "favourite": lambda value: not _POINTING.match(value),
    "allergy": lambda value: not _POINTING.match(value),
}
