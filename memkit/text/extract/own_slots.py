"""What somebody says of himself that belongs into a slot: name, how to answer, telephone number, allergy and the like.

Rules for plain sentences of the user, in English, German, Spanish, French and Chinese. What is asked, denied, supposed
or said of others gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.text.extract.grammar import NAME
from memkit.text.extract.voice import quotations
from memkit.text.words import sentences


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A value for a key of the slot `user`, with the sentence that says it."""

    key: str
    value: str
    quote: str


_NAME = rf"(?P<v>{NAME})"
_NUMBER = r"(?P<v>\+?\d[\d ()/.-]{5,20}\d)"
_MAIL = r"(?P<v>[\w.+-]+@[\w-]+\.[\w.-]*\w)"
_THING = r"(?P<v>[^\W\d_][\w -]{1,40}?)"
_END = r"(?=\s*(?:[.!,;。！，]|$))"
_STYLES = "short|brief|long|full|complete|simple|plain|bullet points|German|English|Spanish|French|Chinese|metric units"

_RULES = tuple(
    (key, re.compile(form))
    for key, form in (
        ("name", rf"(?:[Mm]y name is|[Mm]ein Name ist|[Ii]ch heiße|[Mm]e llamo|[Mm]i nombre es|[Jj]e m['’]appelle) {_NAME}{_END}"),
        ("name", rf"我(?:的名字)?叫(?P<v>[\u4e00-\u9fff]{{2,4}}|{NAME}){_END}"),
        ("nickname", rf"(?:[Pp]lease |[Yy]ou can |[Jj]ust )*[Cc]all me {_NAME}{_END}"),
        ("nickname", rf"(?:[Nn]enn mich|[Ll]lámame|[Aa]ppelle-moi|叫我) ?(?P<v>{NAME}|[\u4e00-\u9fff]{{2,4}}){_END}"),
        ("style", rf"(?P<v>(?:[Pp]lease |[Aa]lways )*(?:[Aa]nswer|[Rr]eply|[Rr]espond|[Ww]rite)(?: me)?(?: always)? (?:in|with|using) (?:{_STYLES})[\w ]{{0,30}}){_END}"),
        ("style", rf"(?P<v>(?:[Bb]itte )?(?:[Aa]ntworte|[Ss]chreib)(?: mir)?(?: bitte| immer)* (?:kurz|knapp|ausführlich|einfach|auf \w+|in kurzen Sätzen)[\w ]{{0,30}}){_END}"),
        ("style", rf"(?P<v>(?:[Pp]or favor,? )?(?:[Rr]esponde|[Cc]ontesta)(?: siempre)? (?:en|con|de forma) [\w ]{{3,40}}){_END}"),
        ("style", rf"(?P<v>(?:[Rr]éponds|[Rr]épondez)(?:-moi)?(?: toujours)? (?:en|avec|de façon|brièvement) ?[\w ]{{0,40}}){_END}"),
        ("style", rf"(?P<v>请?(?:总是)?用[\u4e00-\u9fff]{{2,8}}(?:回答|回复)){_END}"),
        ("phone", rf"[Mm]y (?:new )?(?:phone|mobile|cell|telephone)(?: number)? is(?: now)? {_NUMBER}"),
        ("phone", rf"(?:[Mm]eine (?:neue )?(?:Telefonn|Handyn|N)ummer (?:ist|lautet)|[Mm]i (?:nuevo )?(?:número(?: de teléfono)?|teléfono|móvil) es|[Mm]on (?:nouveau )?(?:numéro(?: de téléphone)?|téléphone) est(?: le)?|我的?(?:电话|手机)(?:号码?)?是) ?{_NUMBER}"),
        ("email", rf"(?:[Mm]y (?:new )?e-?mail(?: address)? is|[Mm]eine (?:neue )?(?:E-?)?[Mm]ail(?:-?[Aa]dresse)? ist|[Mm]i (?:nuevo )?(?:correo|email) es|[Mm]on (?:nouvel )?(?:e-?mail|courriel) est|我的?邮箱是) ?{_MAIL}"),
        ("allergy", rf"(?:I(?: am|['’]m)(?: \w+ly)? allergic to|[Ii]ch bin allergisch gegen|[Ss]oy alérgic[oa] al?(?: los| las)?|[Jj]e suis allergique (?:à la|à l['’]|aux|au|à)) ?{_THING}{_END}"),
        ("allergy", rf"我对(?P<v>[\u4e00-\u9fff]{{1,6}})过敏{_END}"),
    )
)  # fmt: skip
_DOUBT = re.compile(
    r"[?？]|\b(?:if|not|n['’]t|used to|would|maybe|wenn|nicht|falls|vielleicht|si|no|quizás|peut-être|ne|pas)\b|如果|不|吗"
    r"|\b(?:said|says|told|sagte?|dijo|dit)\b",
)
_LEADS = re.compile(
    r"(?:(?:[Hh]i|[Hh]ello|[Hh]ey|[Yy]es|[Nn]o|[Aa]nd|[Bb]ut|[Ss]o|[Bb]y the way|[Bb]tw|[Oo]h|[Hh]allo|[Uu]nd|[Hh]ola|[Yy]|[Bb]onjour"
    r"|[Ss]alut|[Ee]t|[Ff]rom now on|[Aa]b jetzt|你好)(?![a-zß-ÿ'’])[,:!，]? ?)*"
)


def find_slots(text: str) -> list[SlotValue]:
    """The slots that a text of the user fills, in order; the last value of a key counts."""
    quoted = quotations(text)
    found: dict[str, SlotValue] = {}
    for start, end in sentences(text):
        sentence = text[start:end].strip()
        if len(sentence) > 200 or _DOUBT.search(sentence) or any(a < end and start < b for a, b in quoted):
            continue
        at = _LEADS.match(sentence).end()  # type: ignore[union-attr]
        for key, form in _RULES:
            if said := form.match(sentence, at):
                value = " ".join(said["v"].split()).strip(" .,-")
                found.pop(key, None)
                found[key] = SlotValue(key, value, sentence)
                break
    return list(found.values())
