"""How French speaks of changes, plans and hearsay: the rules of `readings`."""

from __future__ import annotations

import re

from memkit.text.extract.french import IN_FICTION
from memkit.text.extract.grammar import NAME
from memkit.text.extract.readings import (
    ALL_OVER,
    CLAUSE_START,
    DENIED,
    DROPPED,
    FOLLOWS,
    HOLDS,
    LEFT,
    NEVER,
    OVER,
    PLANNED,
    Changes,
    rules,
)
from memkit.text.times.translated import without_dates

_KIN = r"[Mm](?:a|on) [a-zàâéèêëîïôœùûç]\w+"
_S = rf"(?:[Jj]e |[Jj]['’]|(?P<s>{_KIN}|(?!J['’]|Je\b){NAME}) )"
_NE = r"(?:ne |n['’])"
_TO = r"(?:à la |à l['’]|à |en |au |aux |chez |pour )"
_X = rf"(?P<x>{NAME})"
_Y = rf"(?P<y>{NAME})"
_DO = r"(?P<v>habit\w*|viv\w+|vis|vit|vécu|résid\w+|travaill\w*|étudi\w*)"
_INFINITIVE = r"(?P<v>habiter|vivre|travailler|étudier)"
_WANT = r"(?:veux|veut|vais|va|compte|comptes|pense|prévois|prévoit|voudrais|voudrait|souhaite|espère|aimerais|aimerait|songe à|envisage d[e'’]|réfléchis à|réfléchit à|pense à|ai l['’]intention d[e'’]|a l['’]intention d[e'’]|ai décidé d[e'’]|a décidé d[e'’])"
_SOON = r"(?: maintenant| bientôt| plutôt)?(?: de| d['’])? ?"
_AGAIN = r"(?: (?:de nouveau|à nouveau|encore|maintenant|désormais|actuellement|depuis \w+))*"


def _plain(found: re.Match[str]) -> str:
    """The present tense after a subject, or of the speaker: `Noah habite à Rome`, `J'habite à Rome`."""
    return _present(found, found["v"], found["x"])


def _present(found: re.Match[str], word: str, place: str) -> str:
    stem = word.lower()[:2]
    subject = found["s"]
    if stem == "tr":
        return f"{subject or 'Je'} travaille chez {place}"
    if stem == "ét":
        return f"{subject} étudie à {place}" if subject else f"J'étudie à {place}"
    return f"{subject} habite à {place}" if subject else f"J'habite à {place}"


def _lives(found: re.Match[str]) -> str:
    return _present(found, "habite", found["x"])


def _moved(found: re.Match[str]) -> str:
    return f"{found['s']} a déménagé à {found['x']}" if found["s"] else f"J'ai déménagé à {found['x']}"


def _works(found: re.Match[str]) -> str:
    return _present(found, "travaille", found["x"])


_RULES = rules(
    (rf"[Nn]ous avons (?:récemment |enfin )?(?:em|dé)ménagé {_TO}{_X}.*", r"J'ai déménagé à \g<x>", HOLDS),
    (rf"[Nn]ous (?:habitons|vivons){_AGAIN} {_TO}{_X}.*", r"J'habite à \g<x>", HOLDS),
    (rf"(?:[Cc]['’]est|[Cc]['’]était) {_TO}{_X} que (?P<s>{NAME}) (?P<v>habite|vit|travaille|étudie)(?:,? (?:et )?pas {_TO}{_Y})?.*", [
        (lambda m: _present(m, m["v"], m["y"]) if m["y"] else "", DENIED), (_plain, HOLDS)]),
    # plans
    (rf"<S>{_NE}(?:déménage|m['’]installe|s['’]installe) (?:pas|plus) {_TO}{_X}.*", _lives, DROPPED),
    (rf"(?:[Ll]e|[Mm]on|[Nn]otre) déménagement {_TO}{_X} (?:est|a été) (?:annulé|abandonné).*", r"J'habite à \g<x>", DROPPED),
    (rf"<S>{_NE}{_WANT} (?:plus|pas|finalement pas) (?:me |se |m['’]|s['’])?(?:déménager|installer) {_TO}{_X}.*", _lives, DROPPED),
    (rf"<S>{_NE}{_WANT} (?:plus|pas) {_INFINITIVE} {_TO}{_X}.*", _plain, DROPPED),
    (rf"<S>{_NE}(?:me |m['’]|se |s['’])?(?:déménager(?:ai|a)|installer(?:ai|a)) (?:plus|pas) {_TO}{_X}.*", _lives, DROPPED),
    (rf"<S>(?:me |m['’]|se |s['’])?(?:déménager(?:ai|a)|installer(?:ai|a)) {_TO}{_X}.*", _lives, PLANNED),
    (rf"<S>{_WANT}{_SOON}(?:me |se |m['’]|s['’])?(?:déménager|installer) {_TO}{_X}.*", _lives, PLANNED),
    (rf"<S>{_WANT}{_SOON}{_INFINITIVE} {_TO}{_X}.*", _plain, PLANNED),
    (rf"<S>(?:ai|a) (?:annulé|abandonné) (?:mon|le|son) (?:déménagement|projet de déménager) {_TO}{_X}.*", _lives, DROPPED),
    # what is over
    (rf"(?:[Cc]['’](?:est|était) )?(?:\w[\w'’]* )?mon dernier jour (?:de travail )?(?:chez|à) {_X}.*", r"Je travaille chez \g<x>", OVER),
    (rf"<S>{_NE}(?:suis|est) plus (?:chez|à|en) {_X}.*", [(_works, LEFT), (_lives, LEFT)]),
    (rf"<S>(?:suis|est|ai|a) passée? (?:de chez |de |d['’]){_Y} (?:à|chez) {_X}.*", [
        (lambda m: _present(m, "travaille", m["y"]), LEFT), (_works, FOLLOWS)]),
    (rf"<S>(?:(?:suis|est) (?:maintenant |désormais )?(?:à la retraite|retraitée?|au chômage|sans emploi)|(?:ai|a) (?:pris (?:ma|sa) retraite"
     rf"|perdu (?:mon|son) (?:travail|emploi|poste)|été (?:licenciée?|virée?|renvoyée?)))(?! (?:de |d['’]|par |chez )(?:chez )?{NAME}).*",
     lambda m: m["s"] or "I", ALL_OVER),
    (rf"<S>{_NE}{_DO} plus {_TO}{_X}.*", _plain, OVER),
    (rf"<S>(?:ai|a) (?:démissionné|été licenciée?|été virée?|été renvoyée?) (?:de chez |de la |de l['’]|de |d['’]|par |chez ){_X}.*", _works, OVER),
    (rf"<S>(?:ai|a) (?:arrêté|cessé|fini) d(?:e |['’]){_INFINITIVE} {_TO}{_X}.*", _plain, OVER),
    (rf"<S>(?:ai|a) (?:quitté|perdu) (?:mon|son) (?:travail|poste|emploi) (?:chez|à) {_X}.*", _works, OVER),
    (rf"<S>(?:ai|a) quitté (?:la |le |l['’])?{_X}.*", [(_works, DENIED), (_lives, DENIED)]),
    (rf"<S>(?:ai|a|suis|est) (?:déménagée?|partie?) d(?:e |['’]){_Y} {_TO}{_X}.*", [
        (lambda m: _present(m, "habite", m["y"]), OVER), (_moved, HOLDS)]),
    (rf"<S>(?:suis|est) partie? de {_X}.*", [(_lives, LEFT), (_works, LEFT)]),
    (rf"<S>(?:ai|a) (?:re|em)?(?:dé)?ménagé {_TO}{_X}.*", _moved, HOLDS),
    (rf"<S>(?:suis|est) (?:revenue?|retournée?) (?:habiter|vivre) {_TO}{_X}.*", _moved, HOLDS),
    (rf"<S>me suis installée? {_TO}{_X}.*", _moved, HOLDS),
    (rf"<S>s['’]est installée? {_TO}{_X}.*", _moved, HOLDS),
    (rf"<S>(?P<v>habitai[st]|vivai[st]|résidai[st]|travaillai[st]|étudiai[st])(?: avant| autrefois)? {_TO}{_X}.*", _plain, OVER),
    (rf"<S>(?:ai|a) (?P<v>habité|vécu|résidé|travaillé|étudié) {_TO}{_X}.*", _plain, OVER),
    # what never was, and what is not so
    (rf"<S>{_NE}(?:ai|a) jamais {_DO} {_TO}{_X}.*", _plain, NEVER),
    (rf"<S>{_NE}{_DO} pas {_TO}{_Y},? mais {_TO}?{_X}.*", [
        (lambda m: _present(m, m["v"], m["y"]), DENIED), (_plain, HOLDS)]),
    (rf"<S>{_DO} {_TO}{_X},? (?:et )?(?:pas|non|au lieu de|plutôt que) {_TO}?{_Y}.*", [
        (lambda m: _present(m, m["v"], m["y"]), DENIED), (_plain, HOLDS)]),
    (rf"<S>{_NE}{_DO} pas {_TO}{_X}.*", _plain, DENIED),
    # what is so now
    (rf"<S>(?P<v>habiterait|vivrait|travaillerait|étudierait){_AGAIN} {_TO}{_X}.*", _plain, HOLDS),  # as one hears
    (rf"<S>(?P<v>habite|vis|vit|réside|travaille|étudie){_AGAIN} {_TO}{_X}.*", _plain, HOLDS),
    S=_S,
)  # fmt: skip

# After "j'ai démissionné de X et": what one joins then is an employer.
_THEN = rules(
    (rf"<S>(?:(?:ai|a) (?:rejoint|intégré|commencé chez|commencé à)|(?:suis|est)(?: maintenant| désormais)? chez) {_X}.*", _works, HOLDS),
    S=_S,
)  # fmt: skip

# What says that something has changed, and not to what.
_WE = r"(?<!\w)(?:[Jj]['’]ai|[Nn]ous avons|[Oo]n a) (?:enfin |déjà )?"
_DONE = r"(?=[.,;!]|\Z| (?:et|hier|aujourd['’]hui|la semaine dernière|le mois dernier)\b)"
_POST = r"(?:travail|emploi|boulot|poste|job)"
_SHAKING = (
    ("lives_in", rf"{_WE}déménagé{_DONE}"),
    ("works_at", rf"{_WE}(?:démissionné|changé (?:de (?:{_POST}|boîte)|d['’]employeur)|été (?:licenciée?|virée?)){_DONE}"),
    ("works_at", rf"(?P<s>{_KIN}|{NAME}) a changé (?:de (?:{_POST}|boîte)|d['’]employeur){_DONE}"),
    ("works_at", rf"{_WE}(?:trouvé|décroché|commencé) (?:un|mon) nouve(?:au|l) {_POST}{_DONE}"),
    ("studies_at", rf"{_WE}(?:eu|obtenu) mon diplôme{_DONE}"),
    ("married_to", rf"{_WE}divorcé{_DONE}|\b[Mm]on ex-?(?:mari|femme)\b"),
)  # fmt: skip
_UNSHAKEN = r"(?i)\?|\b(?:ne|pas|jamais|presque|si|quand|avant|il y a|(?:19|20)\d\d|rêv\w+|roman|livre|film|dit|dis|pense|croit|peut-être|veux|vais)\b|\bn['’]"

_SOURCE = rf"(?P<source>[Mm](?:a|on) \w+|(?!On\b){NAME}|[Ii]l|[Ee]lle|[Qq]uelqu['’]un)"
_SAYS = (
    r"(?:dit|a dit|affirme|a affirmé|raconte|a raconté|pense|croit|a écrit|écrit|prétend|a mentionné|a expliqué|assure)"
)

FRENCH_CHANGES = Changes(
    signal=r"(?i)(?:\b(?:correction|rectification|vécu|résidé|habité|travaillé|étudié|nouvel|retour|vien[st]|diplôm\w+|études|fini|terminé|eu|boulot|ne|plus|pas|jamais|démissionné|licencié\w*|arrêté|cessé|quitté|déménag\w+|partie?|installée?|habitai\w|vivai\w|travaillai\w|étudiai\w"
    r"|maintenant|désormais|avant|autrefois|depuis|il y a|hier|derni[eè]re?|nouveau|nouvelle|encore|veux|veut|vais|va|compte|pense|prévoi\w|voudrai\w|souhaite|espère|aimerai\w|intention"
    r"|décidé|annulé|abandonné|dit|affirme|affirmé|raconte|raconté|croit|écrit|prétend|selon|après|paraît|entendu|assure|expliqué|actuellement|licencié\w*|virée?|renvoyée?|retraite|retraitée?|chômage|emploi|dernier|passée?|emménagé|déménagement|habitons|vivons|songe|envisage|revenue?|retournée?|réfléchi\w|trompée?|\w+rait)\b|\bn['’])",
    hearsay=(
        rf"{_SOURCE} (?:(?:me|nos|nous|lui|m['’]|l['’]) ?)?(?:m['’])?{_SAYS} qu(?:e |['’])(?P<rest>(?:{NAME}|[Mm](?:a|on) ).*)",
        rf"{CLAUSE_START}(?P<source>(?P<name>[Mm](?:a|on) \w+|(?!(?:On|Il|Elle)\b){NAME})) (?:(?:nous|m['’]) ?)?{_SAYS} qu['’](?P<pronoun>il|elle) (?P<tail>(?:habite|vit|travaille|étudie|a|est|ne|n['’]\w+)\b.*)",
        rf"(?:[Ss]elon|[Dd]['’]après) {_SOURCE},? (?P<rest>.*)",
        r"(?:[Ii]l paraît|[Oo]n dit|[Ii]l semble|[Jj]['’]ai entendu(?: dire)?|[Aa]pparemment,?)(?: qu(?:e |['’])| )(?P<rest>.*)",
        rf"(?P<name>{NAME}) (?P<verb>habiterait|vivrait|travaillerait|étudierait)(?!.*\b(?:si|s['’]il|s['’]elle)\b)(?P<tail> .*)",
        rf"(?P<rest>.*?), (?:selon|d['’]après) (?P<source>{NAME})[.!]?\Z",
    ),
    joint=r"; |, (?=(?:je|j['’]|maintenant|mais|et|(?:il|elle) (?:ne |n['’])?(?:habite|vit|travaille|étudie|est|a|va|veut))\b)(?:mais |et )?| (?:et|mais) (?=(?:maintenant|désormais|je|j['’]|il|elle|travaille|habite|vit|étudie|veut|va|a|ne|est|suis)\b| n['’])",
    leads=r"(?i:(?:(?:et|mais|non|oui|correction|pardon|en fait|maintenant|désormais|actuellement|aujourd['’]hui|avant|autrefois|finalement|depuis (?!que)\w+(?: \d{4})?"
    r"|rectification|à la place|au lieu de cela|en \d{4}|bonjour|salut|au fait|ensuite|plutôt|à partir de \w+|[^:.;]{0,25}\b(?:trompée?|erreur|faute|mal écrit|nouvel emploi|nouveau (?:travail|poste|boulot|job))\b[^:.;]{0,20}(?= ?:))(?: ?[,:!.])? )+)",
    subject=_S,
    inherits=r"(?P<pronoun>(?:[Ii]l|[Ee]lle)(?= ))? ?(?:maintenant |désormais )?(?:travaille|habite|vit|étudie|veut|va|a|est|ne|n['’])\b",
    rules=_RULES,
    job=r" travaille chez ",
    doubt=rf"[?¿？]|{IN_FICTION}|\b(?:si|s['’](?:ils?|elles?))\b",
    then=_THEN,
    shaking=_SHAKING,
    unshaken=_UNSHAKEN,
    undated=without_dates,
)
