"""Words of others that no mark sets off: texts handed over for work, parts that are played, what a sentence tells of.

Whoever writes "Proofread this: I left Halberd" or "I live in Rome, she said" says nothing of himself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.core.patterns import pattern
from memkit.text.spans import Span

LONGEST = 400  # characters of a sentence before `she said`

_WORK = (
    r"(?:summari[sz]e|translate|proof-?read|paraphrase|rephrase|reword|rewrite|shorten|polish|conjugate|correct|fix|edit"
    r"|fasse?|übersetze?|korrigiere?|kürze?|formuliere|resum[ea]|traduc[ei]\w*|corrig[ea]|reescribe|résume[rz]?|tradui[ts]\w*"
    r"|corrige[rz]?|réécri[st]|lis|lies)\b[^\n:：.?!]{0,100}"
    r"|(?:check|improve|review|explain|analy[sz]e|answer|reply|respond|continue|complete|convert|format|read|prüfe?"
    r"|verbessere?|beantworte|mejora|responde|améliore[rz]?|réponds)\b[^\n:：.?!]{0,60}"
    r"\b(?:this|following|texts?|e?-?mails?|messages?|letter|sentences?|paragraph|essay|post|poem|grammar|spelling|dies\w*"
    r"|folgende\w*|satz|brief|est[ea]|siguiente|frase|carta|ce(?:tte)?|suivante?|phrase|lettre)\b[^\n:：.?!]{0,40}"
)
_ASKS = (
    r"(?:(?:please|pls|hi|hey|now|then|bitte|por favor|s['’]il (?:te|vous) pla[îi]t),? )*"
    r"(?:(?:can|could|would|will) you (?:please )?|(?:help me|i (?:need|want) you) to |kannst du (?:bitte )?|puedes "
    r"|peux-tu )?"
)
# A line that asks for work on a text; what follows its colon, or the line, is that text.
_TASK = pattern(
    rf"^[ \t]*{_ASKS}(?:{_WORK})(?:[:：]|[.?!]?[ \t]*\n)"
    r"|(?:翻译|总结|概括|改写|润色|校对|修改|要約|翻訳)[^\n:：。]{0,30}[:：\n]",
    re.IGNORECASE | re.MULTILINE,
)
_PART = pattern(
    r"(?:^|[.!?:] |\b(?:you to|please|now|let['’]s) )(?:pretend|imagine|act as|role-?play"
    r"|play (?:the|a) (?:role|part|character)|stell dir vor|tu so|spiele? (?:die|eine) rolle|imagina|finge"
    r"|haz de cuenta|fais comme si|joue le rôle)\b"
    r"|假装|扮演|假设你",
    re.IGNORECASE | re.MULTILINE,
)
# What stands after such a label is an example, a draft or what a machine writes.
_LABEL = pattern(
    r"(?:^|[.!?] )(?:(?:error|warning|fatal|debug|fehler)|[^\n:.!?]{0,60}\b(?:"
    r"examples?|sample|sentence|phrase|character|story|novel|game|joke|lyrics|poem"
    r"|script|scene"
    r"|bio|tweet|caption|headline|template|draft|prompt|quote|beispiel\w*|satz|figur|spiel|witz"
    r"|entwurf|ejemplo|frase|personaje|juego|chiste|borrador|exemple|phrase|personnage|jeu|blague|brouillon)\b"
    r"[^\n:.!?]{0,30}): .*$",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD = pattern(
    r"[,!?][\"”’]? (?:(?:she|he|they|[A-Z]\w{1,20}|the [a-z]{2,20}) (?:said|says|wrote|writes|sang|sings"
    r"|thought|thinks|replied)"
    r"|(?:said|says|wrote|writes|sang|sings|replied) (?:she|he|they|the [a-z]{2,20}|[A-Z]\w{1,20})"
    r"|(?:sagte?|schrieb|schreibt|denkt|dachte) (?:sie|er|der \w+|die \w+|[A-Z]\w{1,20})|dijo (?:ella|él|[A-Z]\w{1,20})"
    r"|dit-(?:elle|il)|a (?:dit|écrit) [A-Z]\w{1,20})\b"
)
_DREAMT = pattern(
    r"\b(?:geträumt|träumte|träume|soñé|soñaba|he soñado|j['’]ai rêvé|je rêvais"
    r"|(?:was|am|been) (?:told|asked|made|paid) to (?:say|write|claim)"
    r"|sollte sagen|soll sagen)\b|梦见|梦到",
    re.IGNORECASE,
)
_ENDS = pattern(r"[.!?…。！？\n]|\Z")


def handed_over(text: str) -> list[Span]:
    """The spans (start, end) in which `I` and `my` are not the author, in no order."""
    return [*_rest(text), *(label.span() for label in _LABEL.finditer(text)), *_sentences(text)]


def _rest(text: str) -> Iterator[Span]:
    """From the first line that asks for work on a text, or that gives a part to play, to the end."""
    if task := _TASK.search(text):
        yield task.end(), len(text)
    if part := _PART.search(text):
        yield part.start(), len(text)


def _sentences(text: str) -> Iterator[Span]:
    """The sentences in which somebody else says it, or in which it is dreamt."""
    for said in _TOLD.finditer(text):
        first = max(said.start() - LONGEST, 0)
        yield max([first, *(text.rfind(end, first, said.start()) + 1 for end in (". ", "? ", "! ", "\n"))]), said.end()
    for dreamt in _DREAMT.finditer(text):
        ends = _ENDS.search(text, dreamt.end())
        yield dreamt.start(), ends.end() if ends else len(text)
