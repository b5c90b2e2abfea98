"""How German speaks of changes, plans and hearsay: the rules of `readings`."""

from __future__ import annotations

import re

from memkit.text.extract.german import IN_FICTION
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

_SOMEBODY = rf"meine? {NAME}|{NAME}"
_S = rf"(?P<s>[Ii]ch\b|{_SOMEBODY})"
_WHEN = r"(?P<t>(?: (?:ja|halt|eben|gerade|aktuell|momentan|derzeit|zurzeit|immer noch|jetzt|nun|inzwischen|mittlerweile|heute|wieder|seit(?: (?:letzte[mnr] )?\w+(?: \d{4})?)?|im \w+(?: \d{4})?|bald|nächstes Jahr|doch|auch|noch|schon|lieber|stattdessen|bereits|eigentlich|irgendwann|eines Tages))*)"
_BE = r"(?:bin|ist)"
_HAVE = r"(?:habe|hat|hab)"
_VERB = r"(?P<v>wohnt?e?|lebt?e?|arbeitet?e?|studiert?e?)"
_WILL = r"(?:will|möchte|werde|wird|würde gerne?|plane|plant|habe vor|hat vor|beabsichtige|beabsichtigt|hoffe|hofft|überlege|überlegt|erwäge|erwägt|denke darüber nach|denkt darüber nach)"


def _verb(word: str, subject: str) -> str:
    """`gewohnt` and `wohnen` as the present tense after a subject: `ich wohne`, `Noah wohnt`."""
    stem = re.sub(r"\A(?:ge)?(wohn|leb|arbeit|studier).*", r"\1", word)
    if subject.lower() == "ich":
        return f"{stem}e"
    return f"{stem}et" if stem == "arbeit" else f"{stem}t"


def _plain(found: re.Match[str]) -> str:
    return f"{found['s']} {_verb(found['v'], found['s'])} {found['rest'].strip()}"


def _moved(found: re.Match[str]) -> str:
    return f"{found['s']} {'bin' if found['s'].lower() == 'ich' else 'ist'} nach {found['x']} gezogen"


def _lives(found: re.Match[str]) -> str:
    return f"{found['s']} {_verb('wohn', found['s'])} in {found['x']}"


def _works(found: re.Match[str]) -> str:
    return f"{found['s']} {_verb('arbeit', found['s'])} bei {found['x']}"


_X = rf"(?P<x>{NAME})"
_PLACE = rf"(?P<rest>(?:in|bei|für|an|an der) {NAME})"
_POST = r"(?:(?:den|meinen|seinen|ihren) (?:Job|Arbeitsplatz)|(?:die|meine|seine|ihre) (?:Stelle|Arbeit|Anstellung))"
_INFINITIVE = r"(?P<v>wohnen|leben|arbeiten|studieren)"
_PARTICIPLE = r"(?P<v>gewohnt|gelebt|gearbeitet|studiert)"


def _undated(clause: str) -> str:
    """The clause without its dates, but where they say how it is meant: who `moves in May` plans it."""
    return clause if re.search(r"\b(?:ziehe|zieht|letzter (?:Arbeitst|T)ag)\b", clause) else without_dates(clause)


_RULES = rules(
    # the verb before its subject: `Jetzt wohne ich`, `Seit Mai wohnt Bo`
    (rf"(?P<v>wohnt?e?|lebt?e?|arbeitet?e?|studiert?e?|bin|ist|habe|hat|will|möchte|werde|wird|plane|plant|zog) (?P<s>ich|{NAME})\b(?P<rest>.*)",
     r"\g<s> \g<v>\g<rest>", HOLDS),
    (rf"[Ww]ir sind(?P<rest> .*?nach {NAME} (?:um|zurück)?gezogen.*)", r"Ich bin\g<rest>", HOLDS),
    (rf"[Ww]ir (?:wohnen|leben){_WHEN}(?P<rest> in {NAME}.*)", r"Ich wohne\g<rest>", HOLDS),
    (rf"(?:wohnen|leben) wir{_WHEN}(?P<rest> in {NAME}.*)", r"Ich wohne\g<rest>", HOLDS),
    # plans
    (rf"(?:[Aa]us (?:dem|meinem|unserem) Umzug nach {_X} wird (?:doch |leider |wohl )*nichts"
     rf"|(?:[Dd]er|[Mm]ein|[Uu]nser) Umzug nach (?P<y>{NAME}) (?:fällt aus|ist abgesagt|ist geplatzt|klappt (?:doch )?nicht|wurde abgesagt)).*",
     lambda m: f"Ich bin nach {m['x'] or m['y']} gezogen", DROPPED),
    (rf"<S> {_HAVE}{_WHEN} (?:den|meinen|seinen|ihren|unseren) (?:Umzug|Wegzug) nach {_X} (?:abgesagt|aufgegeben|verworfen|gestrichen).*",
     _moved, DROPPED),
    (rf"<S> {_WILL}{_WHEN} (?:nicht mehr|nicht|doch nicht)(?P<u>) nach {_X},? (?:um|zu )?ziehen.*", _moved, DROPPED),
    (rf"<S> {_WILL}{_WHEN},? nach {_X},? (?:um(?:zu)?|zu )?ziehen.*", _moved, PLANNED),
    (rf"<S> (?:ziehe|zieht){_WHEN}(?: nicht mehr| doch nicht| nicht) nach {_X}.*", _moved, DROPPED),
    (rf"<S> (?:ziehe|zieht)(?: bald| nächst\w+ \w+| im \w+)+ nach {_X}.*", _moved, PLANNED),
    (rf"<S> {_WILL}{_WHEN} (?:nicht mehr|nicht|doch nicht) {_PLACE},? (?:zu )?{_INFINITIVE}.*", _plain, DROPPED),
    (rf"<S> {_WILL}{_WHEN},? {_PLACE},? (?:zu )?{_INFINITIVE}.*", _plain, PLANNED),
    (rf"<S> {_WILL}{_WHEN},? bei {_X},? (?:anzufangen|anfangen).*", _works, PLANNED),
    # what is over
    (rf"(?:(?:\w+ )?(?:war|ist) (?:\w+ )?)?[Mm]ein (?:aller)?letzter (?:Arbeitst|T)ag bei {_X}.*",
     lambda m: f"Ich arbeite bei {m['x']}", OVER),
    (rf"<S> {_BE}{_WHEN} (?:nicht mehr|nicht länger) (?P<p>bei|in) {_X}.*", [(_works, LEFT), (_lives, LEFT)]),
    (rf"<S> {_BE}{_WHEN} von (?P<y>{NAME}) (?:zu|zur|zum) {_X} gewechselt.*", [
        (lambda m: f"{m['s']} {_verb('arbeit', m['s'])} bei {m['y']}", LEFT), (_works, FOLLOWS)]),
    (rf"<S> (?:{_BE}{_WHEN} (?:in (?:Rente|Pension)|im Ruhestand|arbeitslos|pensioniert|ohne (?:Job|Arbeit))"
     rf"|arbeitet?e?{_WHEN.replace('?P<t>', '?:')} nicht mehr(?=[.,;!]|\Z)|wurde{_WHEN.replace('?P<t>', '?:')} (?:entlassen|gefeuert|pensioniert)"
     rf"|{_HAVE} (?:gekündigt(?=[.,;!]|\Z)|{_POST} (?:verloren|gekündigt|aufgegeben))).*",
     r"\g<s>", ALL_OVER),
    (rf"<S> {_VERB}{_WHEN} (?:nicht mehr|nicht länger) {_PLACE}.*", _plain, OVER),
    (rf"<S> {_BE}{_WHEN} (?:nicht mehr|nicht länger)(?P<rest> (?:mit|Mitglied|der|die|das|eine?|mein).*)", r"\g<s> ist\g<rest>", OVER),
    (rf"<S> (?:habe|hat|hab){_WHEN} bei (?P<y>{NAME}) aufgehört und{_WHEN.replace('?P<t>', '?:')} bei {_X} angefangen.*", [
        (lambda m: f"{m['s']} {_verb('arbeit', m['s'])} bei {m['y']}", OVER), (_works, HOLDS)]),
    (rf"<S> {_HAVE}{_WHEN} (?:bei|von) {_X}(?: \w+)? (?:gekündigt|aufgehört).*", _works, OVER),
    (rf"<S> {_HAVE}{_WHEN} {_POST} bei {_X} (?:gekündigt|verloren|aufgegeben).*", _works, OVER),
    (rf"<S> (?:kündigte|kündige|kündigt){_WHEN} bei {_X}.*", _works, OVER),
    (rf"<S> wurde{_WHEN} (?:von|bei) {_X} (?:entlassen|gekündigt|gefeuert|rausgeworfen|freigestellt).*", _works, OVER),
    (rf"<S> {_HAVE}{_WHEN} aufgehört,? {_PLACE} zu {_INFINITIVE}.*", _plain, OVER),
    (rf"<S> (?:{_HAVE}{_WHEN} {_X} verlassen|verließ{_WHEN.replace('?P<t>', '?:')} (?P<y>{NAME})).*", [
        (lambda m: f"{m['s']} {_verb('arbeit', m['s'])} bei {m['x'] or m['y']}", DENIED),
        (lambda m: f"{m['s']} {_verb('wohn', m['s'])} in {m['x'] or m['y']}", DENIED)]),
    (rf"<S> {_BE}{_WHEN} (?:aus|von) {_X} (?:weggezogen|ausgezogen|fortgezogen).*", _lives, OVER),
    (rf"<S> {_BE}{_WHEN} (?:von|aus) (?P<y>{NAME}){_WHEN.replace('?P<t>', '?:')} nach {_X} (?:um)?gezogen.*", [
        (lambda m: f"{m['s']} {_verb('wohn', m['s'])} in {m['y']}", OVER), (_moved, HOLDS)]),
    (rf"<S> {_BE}{_WHEN} nach {_X} (?:umgezogen|zurückgezogen).*", _moved, HOLDS),
    (rf"<S> {_BE}{_WHEN} zurück nach {_X} (?:um)?gezogen.*", _moved, HOLDS),
    (rf"<S> {_HAVE}{_WHEN} {_PLACE} {_PARTICIPLE}.*", _plain, OVER),
    (rf"<S> {_HAVE} (?:früher|damals|einmal|mal|vorher|zuvor|einst) {_PLACE} {_PARTICIPLE}.*", _plain, OVER),
    (rf"<S> (?P<v>wohnte|lebte|arbeitete|studierte) (?:früher|damals|einmal|mal|vorher|zuvor|einst)? ?{_PLACE}.*", _plain, OVER),
    (rf"<S> (?P<v>wohnen|leben|arbeiten|studieren) {_PLACE}.*", _plain, HOLDS),  # `soll ... wohnen`
    # what never was, and what is not so
    (rf"<S> {_HAVE} (?:noch nie|nie|niemals|nie wirklich) {_PLACE} {_PARTICIPLE}.*", _plain, NEVER),
    (rf"<S> (?P<v>wohnte|lebte|arbeitete|studierte) (?:nie|niemals) {_PLACE}.*", _plain, NEVER),
    (rf"<S> {_VERB}{_WHEN} nicht (?P<p>in|bei|für) (?P<y>{NAME}),? sondern (?:in |bei |für )?{_X}.*", [
        (lambda m: f"{m['s']} {_verb(m['v'], m['s'])} {m['p']} {m['y']}", DENIED),
        (lambda m: f"{m['s']} {_verb(m['v'], m['s'])} {m['p']} {m['x']}", HOLDS)]),
    (rf"<S> {_VERB}{_WHEN} (?P<p>in|bei|für) {_X}(?:,? nicht|,? und nicht|,? statt) (?:mehr )?(?:in |bei |für )?(?P<y>{NAME}).*", [
        (lambda m: f"{m['s']} {_verb(m['v'], m['s'])} {m['p']} {m['y']}", DENIED),
        (lambda m: f"{m['s']} {_verb(m['v'], m['s'])} {m['p']} {m['x']}", HOLDS)]),
    (rf"<S> {_VERB}{_WHEN} nicht {_PLACE}.*", _plain, DENIED),
    (rf"<S> {_VERB}{_WHEN} (?P<rest>(?:in|bei|für|an) .*)", _plain, HOLDS),
    (rf"<S> (?:bin|ist){_WHEN}(?: fest)? bei {_X} (?:angestellt|beschäftigt).*", _works, HOLDS),
    S=_S,
)  # fmt: skip

# After "habe bei X gekündigt und": what one is at then is an employer.
_THEN = rules(
    (rf"<S> (?:{_BE}{_WHEN} (?:bei|zu) {_X}|{_HAVE}{_WHEN.replace('?P<t>', '?:')} bei (?P<y>{NAME}) angefangen).*",
     lambda m: f"{m['s']} {_verb('arbeit', m['s'])} bei {m['x'] or m['y']}", HOLDS),
    S=_S,
)  # fmt: skip

# What says that something has changed, and not to what.
_I_AM = rf"(?:\b(?:[Ii]ch bin|[Ww]ir sind|(?P<s>{_SOMEBODY}) ist)|\b(?:bin ich|sind wir))\b[^.,;!?]{{0,40}}"
_I_HAVE = (
    rf"(?:\b(?:[Ii]ch hab|[Ii]ch habe|[Ww]ir haben|(?P<s>{_SOMEBODY}) hat)|\b(?:habe ich|haben wir))\b[^.,;!?]{{0,30}}"
)
_DONE = r"(?=[.,;!]|\Z| und\b)"
_SHAKING = (
    ("lives_in", rf"{_I_AM} (?:um|weg|fort)gezogen{_DONE}"),
    ("works_at", rf"{_I_HAVE} (?:einen neuen Job|eine neue Stelle|eine neue Arbeit)\b[^.,;!?]{{0,20}} (?:gefunden|angetreten|angefangen|bekommen){_DONE}"),
    ("works_at", rf"{_I_HAVE} (?:den|meinen|seinen|ihren|die|meine|seine|ihre) (?:Job|Stelle|Arbeitgeber) (?:gewechselt|gekündigt|verloren){_DONE}"),
    ("studies_at", rf"{_I_HAVE} (?:das|mein|sein|ihr) Studium (?:abgeschlossen|abgebrochen|beendet){_DONE}"),
    ("married_to", rf"{_I_HAVE} scheiden lassen{_DONE}"),
    ("married_to", r"\b[Mm]eine? Ex-?(?:[Ff]rau|[Mm]ann)\b"),
)  # fmt: skip
_UNSHAKEN = r"(?i)\?|\b(?:nicht|nie|kein\w*|fast|beinahe|wenn|falls|ob|als|bevor|vor|damals|früher|(?:19|20)\d\d|\w*träum\w*|Traum|Roman|Buch|Film|Spiel|sagt\w*|erzählt\w*|meint\w*|glaubt\w*|angeblich|vielleicht|will|möchte|würde|werde)\b"

_SOURCE = rf"(?P<source>[Mm]eine? \w+|{NAME}|[Ee]r|[Ss]ie|[Jj]emand|[Mm]an)"
_SAYS = r"(?:sagte?|erzählte?|meinte?|behauptete?t?|schrieb|schreibt|berichtete?t?|glaubte?t?|denkt)"
# Not after these: "Otto sagt, er wohnt in Jena" is hearsay.
_UNSAID = "".join(
    f"(?<!{word})"
    for word in "sagt sagte meint meinte erzählt erzählte behauptet behauptete schreibt schrieb glaubt glaubte glaube denkt denke dachte hofft hoffe weiß mir uns gehört gesagt berichtet gelesen".split()
)
_SAID = r"(?:gesagt|erzählt|gemeint|behauptet|geschrieben|berichtet)"
_WHOM = r"(?: mir| uns| ihm| ihr)?"
_NOW = "(?: (?:jetzt|nun|inzwischen|mittlerweile))?"
_HIMSELF = rf"{CLAUSE_START}(?P<source>(?P<name>[Mm]eine? \w+|(?!(?:Er|Sie|Es|Man|Wir|Ich)\b){NAME})) (?:{_SAYS}(?: mir| uns)?|hat(?: mir| uns)? {_SAID})"
_LAST = rf"(?P<name>{NAME}|mein\w* \w+){_NOW} (?P<object>(?:in|bei|für|an|nach|mit) .*?) (?P<verb>wohnt|lebt|arbeitet|studiert|wohne|arbeite|(?<=gezogen )ist)(?P<tail>)(?:[.!,].*)?\Z"

GERMAN_CHANGES = Changes(
    signal=r"\b(?:neue[nrs]?|gefunden|angefangen|abgeschlossen|abgebrochen|scheiden|nicht|nie|niemals|mehr|länger|gekündigt|kündigte?|aufgehört|verlassen|verließ|weggezogen|ausgezogen|umgezogen|gezogen"
    r"|früher|damals|einst|vorher|zuvor|jetzt|Jetzt|nun|inzwischen|Inzwischen|mittlerweile|wieder|Seit|Früher|Nun|Mittlerweile|will|möchte|werde|wird|würde|plane|plant"
    r"|vor|Vor|seit|gestern|Gestern|[Ll]etzte\w*|[Aa]m|[Ii]m|hoffe|hofft|sagte?|erzählte?|meinte?|behauptet\w*|schrieb|gesagt|erzählt|gemeint|laut|Laut|zufolge|angeblich|Angeblich|gehört"
    r"|anscheinend|Anscheinend|sondern|statt|stattdessen|entlassen|gewohnt|gelebt|gearbeitet|Damals|Seitdem|zurückgezogen|wohnte|ziehe|zieht|glaubt|berichtet|letzter|soll|heißt|überleg\w*|erwäg\w*|darüber|Rente|Pension|Ruhestand|arbeitslos|pensioniert|gewechselt|gefeuert|Umzug|verloren|wechselt)\b",
    hearsay=(
        rf"{_SOURCE} (?:{_SAYS}{_WHOM}|(?:hat|habe){_WHOM} {_SAID}),? dass {_LAST}",
        rf"{_SOURCE} (?:{_SAYS}{_WHOM}|(?:hat|habe){_WHOM} {_SAID})[,:] (?P<rest>(?:{NAME}|[Mm]ein).*)",
        rf"{_HIMSELF},? dass (?P<pronoun>er|sie){_NOW} (?P<object>(?:in|bei|für|an) .*?) (?P<verb>wohnt|lebt|arbeitet|studiert)(?P<tail>)(?:[.!,].*)?\Z",
        rf"{_HIMSELF}, (?P<pronoun>er|sie) (?P<tail>(?:wohnt?e?|lebt?e?|arbeitet?e?|studiert?e?)\b.*)",
        rf"(?:hat|habe){_WHOM} {_SOURCE} {_SAID},? dass {_LAST}",
        rf"[Ii]ch habe(?: von (?P<source>{NAME}))? gehört,? dass {_LAST}",
        rf"(?:[Ee]s heißt|[Mm]an (?:sagt|hört|erzählt)|[Ee]s wird (?:gesagt|erzählt)),? dass {_LAST}",
        rf"(?P<name>{NAME}) soll(?: (?:jetzt|nun|inzwischen|mittlerweile|angeblich|wohl))* (?P<object>(?:in|bei|für|an) .*?) (?P<verb>wohnen|leben|arbeiten|studieren)(?P<tail>)[.!]?\Z",
        rf"(?:[Ll]aut|[Nn]ach Angaben von) {_SOURCE} (?P<verb>\w+) (?P<name>{NAME})\b(?P<tail>.*)",
        rf"{_SOURCE} zufolge (?P<verb>\w+) (?P<name>{NAME})\b(?P<tail>.*)",
        rf"(?:[Aa]ngeblich|[Aa]nscheinend|[Vv]ermutlich) (?P<verb>\w+) (?P<name>{NAME})\b(?P<tail>.*)",
        rf"(?P<name>{NAME}) (?P<verb>wohnt|lebt|arbeitet|studiert)(?: \w+)? (?:angeblich|anscheinend|wohl)(?P<tail> .*)",
    ),
    joint=rf", (?=(?:und|aber|sondern) (?:ich|er|sie|jetzt|nun)\b)(?:und |aber )|{_UNSAID}, (?=(?:ich|er|sie) (?:jetzt |nun )?(?:wohnt?e?|lebt?e?|arbeitet?e?|studiert?e?|ziehe?t?|bin|ist|will|werde|wird)\b)|; | (?:und|aber) (?=(?:jetzt|nun|will|möchte|werde|wird|arbeitet?e?|wohnt?e?"
    r"|lebt?e?|studiert?e?|bin|ist|habe|hat|ich|er|sie|zog)\b)",
    leads=r"(?i:(?:(?:und|aber|nein|ja|also|korrektur|eigentlich|tatsächlich|entschuldigung|sorry|jetzt|nun|inzwischen|mittlerweile|heute|früher|damals|vorher"
    r"|seitdem|seit (?!dem \d)\w+(?: \d{4})?|im \w+(?: \d{4})?|seit letztem \w+|seit dem (?!\d)\w+|stattdessen|statt dessen|leider|übrigens|endlich|derzeit|zurzeit|aktuell|neuerdings|ab \w+(?: \d{4})?|[^:.;]{0,30}\b(?:vertippt|verschrieben|versprochen|geirrt|vertan|falsch|Fehler|Irrtum|stimmt nicht)\b[^:.;]{0,20}(?=:))(?:[,:!.])? )+)",
    subject=_S,
    inherits=r"(?P<pronoun>(?:[Ee]r|[Ss]ie)(?= ))? ?(?:jetzt |nun )?(?:will|möchte|werde|wird|arbeitet?e?|wohnt?e?|lebt?e?|studiert?e?|bin|ist|habe|hat|zog)\b",
    rules=_RULES,
    job=r" arbeitet? bei ",
    then=_THEN,
    shaking=_SHAKING,
    unshaken=_UNSHAKEN,
    doubt=rf"[?¿？]|{IN_FICTION}",
    undated=_undated,
)
