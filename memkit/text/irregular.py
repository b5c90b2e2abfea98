"""Irregular forms of English words: `ran` and `run` are one word, which no stemmer knows.

Left out is what is more often another word: `found`, `left`, `lives`, `leaves`, `meant`, `lit`, `wound`, `laid`.
"""

from __future__ import annotations

_FORMS = """
    arise/arose/arisen awake/awoke/awoken beat/beaten become/became begin/began/begun bend/bent bite/bit/bitten
    bleed/bled blow/blew/blown break/broke/broken breed/bred bring/brought build/built buy/bought catch/caught
    choose/chose/chosen come/came creep/crept deal/dealt dig/dug draw/drew/drawn drink/drank/drunk
    drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed feel/felt fight/fought fly/flew/flown
    forbid/forbade/forbidden forget/forgot/forgotten forgive/forgave/forgiven freeze/froze/frozen get/got/gotten
    give/gave/given go/went/gone grind/ground grow/grew/grown hang/hung hear/heard hide/hid/hidden hold/held
    keep/kept kneel/knelt know/knew/known lead/led lend/lent lose/lost make/made meet/met pay/paid ride/rode/ridden
    ring/rang/rung rise/rose/risen run/ran say/said see/saw/seen seek/sought sell/sold send/sent shake/shook/shaken
    shine/shone shoot/shot shrink/shrank/shrunk sing/sang/sung sink/sank/sunk sit/sat sleep/slept slide/slid
    speak/spoke/spoken spend/spent spin/spun stand/stood steal/stole/stolen stick/stuck strike/struck
    swear/swore/sworn sweep/swept swim/swam/swum swing/swung take/took/taken teach/taught tear/tore/torn tell/told
    think/thought throw/threw/thrown understand/understood wake/woke/woken wear/wore/worn weave/wove/woven weep/wept
    win/won write/wrote/written child/children foot/feet goose/geese man/men mouse/mice person/people tooth/teeth
    wife/wives wolf/wolves woman/women knife/knives loaf/loaves shelf/shelves thief/thieves calf/calves half/halves
"""
_GROUPS = [tuple(group.split("/")) for group in _FORMS.split()]
_OF = {form: group for group in _GROUPS for form in group}


def forms(word: str) -> tuple[str, ...]:
    """The other irregular forms of a word (in lower case), none for most words.

    >>> forms("ran"), forms("garden")
    (('run',), ())
    """
    return tuple(form for form in _OF.get(word, ()) if form != word)
