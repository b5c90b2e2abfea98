"""Corrections: a short text that only says what was meant before. "Sorry, I meant Ashby." says nothing of where or who.

What it corrects is known from the turn before it (`ingestion/corrections.py`). In English, German, Spanish, French and
Chinese.
"""

from __future__ import annotations

from memkit.core.patterns import pattern
from memkit.text.extract.grammar import CAPITALISED

LONGEST = 120  # characters; a longer text does not only correct

_NAME = rf"(?P<x>{CAPITALISED}(?:(?: (?:of|de|del|la|le|du|des|von|der|y|and|&))* {CAPITALISED})*)"
# Words that open a correction, words before what was meant, and words that may stand behind it.
_OPENING = r"""
    (?:(?:oh|ah|ach|ay|ups|oops|sorry|pardon|excuse\ me|my\ mistake|my\ bad|no|nein|non|wait|quatsch|entschuldigung
    |entschuldige|verzeihung|moment|stopp?|perdón|perdona|disculpa|espera|désolée?|excuse[sz]?(?:-moi)?|attends|enfin
    |correction|corrección|rectificación|rectification|korrektur|das\ war\ falsch|me\ equivoqué|je\ me\ suis\ trompée?)
    (?!\w)\ ?[,:;.!–-]*\ *)+
"""
_MEANT = r"""
    (?:i\ (?:meant|mean)(?:\ to\ say)?|it['’]s|that['’]s|make\ that|ich\ mein(?:t)?e|das\ war|es\ ist|es\ heißt
    |quería\ decir|quise\ decir|digo|es|era|je\ voulais\ dire|je\ veux\ dire|c['’]est)(?!\w)\ ?[,:]?\ *
"""
_AT = r"(?:(?:at|in|for|the|bei|an|der|die|das|dem|en|el|la|chez|à|au|le)\ )*"
_CLOSING = r",?\ (?:i\ meant?|meinte?\ ich|meine\ ich|quería\ decir|je\ voulais\ dire)(?!\w)"
# Openings that correct by themselves: "Sorry, Ashby!" may call somebody, "No wait, Ashby" does not.
_TAKES_BACK = pattern(
    r"(?i)\b(?:no|nein|non|wait|quatsch|moment|espera|attends|corr\w+|korrektur|rect\w+|rekt\w+|falsch|equivoqu\w+|tromp\w+"
    r"|my (?:mistake|bad))(?!\w)|[不错误等正]"
)
_FORM = pattern(
    rf"\s*(?ix:(?P<opening>{_OPENING})?(?P<meant>{_MEANT})?{_AT}){_NAME}(?ix:(?P<closing>{_CLOSING})?)(?=[.,;!]|\s*\Z)"
)
_CHINESE = pattern(
    r"\s*(?P<opening>(?:(?:哦|啊|噢|不好意思|抱歉|对不起|不对|不是|不|等等|更正(?:一下)?|我?(?:刚才)?[说写打]错了?|口误)[,，。!！:：]?)+)"
    r"(?P<meant>我(?:的意思)?是(?:想)?说?(?:的是)?|应该是|是)?(?P<closing>)在?(?P<x>[一-鿿]{2,12}?)(?:才对)?(?=[,，。!！]|\Z)"
)


def corrected(text: str) -> tuple[str, int, int] | None:
    """The name that a text says was meant, and its place in the text; None for a text that does not only say that.

    >>> corrected("Sorry, I meant Ashby."), corrected("No wait, at Merrow Lane.")
    (('Ashby', 15, 20), ('Merrow Lane', 12, 23))
    >>> corrected("I meant well."), corrected("Sorry, Ashby!")
    (None, None)
    """
    if len(text) > LONGEST:
        return None
    for form in (_FORM, _CHINESE):
        found = form.match(text)
        if found and (found["meant"] or found["closing"] or _TAKES_BACK.search(found["opening"] or "")):
            return found["x"], found.start("x"), found.end("x")
    return None
