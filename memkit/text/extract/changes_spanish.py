"""How Spanish speaks of changes, plans and hearsay: the rules of `readings`."""

from __future__ import annotations

import re

from memkit.text.extract.grammar import NAME
from memkit.text.extract.readings import DENIED, DROPPED, HOLDS, NEVER, OVER, PLANNED, Changes, rules
from memkit.text.times.translated import without_dates

_S = rf"(?:(?P<s>(?!Yo\b|Vivo|Trabajo|Quiero|Voy|Dejé|Renuncié|Nunca|Ya|No\b|Me\b|Estudio|Pienso|Espero|Planeo|Vivía|Trabajaba|Solía|Fui|Estoy|Cambié){NAME}) |(?:[Yy]o )?)"
_X = rf"(?P<x>(?:el |la )?{NAME})"
_Y = rf"(?P<y>{NAME})"
_NOW = r"(?: (?:ahora|actualmente|hoy|todavía|de nuevo|otra vez|nuevamente|también|ya))*"
_LIVE, _WORK, _STUDY = r"(?:viv\w+|resid\w+)", r"trabaj\w+", r"estudi\w+"
_DO = rf"(?P<v>(?i:{_LIVE}|{_WORK}|{_STUDY}))"
_IN = rf"(?P<p>en|para) {_X}"
_WANT = r"(?i:quiero|quiere|voy a|va a|planeo|planea|pienso|piensa|espero|espera|deseo|desea|tengo pensado|tiene pensado|me gustaría|le gustaría|pretendo|pretende)"
_MOVE = r"(?:mudar(?:me|se)|trasladar(?:me|se)|ir(?:me|se) a vivir|ir(?:me|se))"


def _plain(found: re.Match[str]) -> str:
    """The present tense after a subject, or of the speaker: `Noah vive en Roma`, `Yo vivo en Roma`."""
    return _present(found, found["v"], found["x"])


def _present(found: re.Match[str], word: str, place: str) -> str:
    stem = word.lower()[:3]
    subject = found["s"] or ""
    verb = {"viv": "vive", "res": "vive", "tra": "trabaja", "est": "estudia"}[stem]
    return f"{subject} {verb} en {place}" if subject else f"Yo {verb[:-1]}o en {place}"


def _moved(found: re.Match[str]) -> str:
    return f"{found['s']} se mudó a {found['x']}" if found["s"] else f"Me mudé a {found['x']}"


_RULES = rules(
    # plans
    (rf"<S>(?i:ya no|no) {_WANT} {_MOVE} a {_X}.*", _moved, DROPPED),
    (rf"<S>(?i:ya no|no) {_WANT} {_DO} {_IN}.*", _plain, DROPPED),
    (rf"<S>(?i:ya no|no) (?i:(?:me|se) (?:mudaré|mudará|trasladaré|trasladará|iré|irá)) a {_X}.*", _moved, DROPPED),
    (rf"<S>(?i:(?:me|se) (?:mudaré|mudará|trasladaré|trasladará)) a {_X}.*", _moved, PLANNED),
    (rf"<S>{_WANT}(?: ahora)? {_MOVE} a {_X}.*", _moved, PLANNED),
    (rf"<S>{_WANT}(?: ahora)? {_DO} {_IN}.*", _plain, PLANNED),
    (rf"<S>(?i:cancelé|canceló|abandoné|abandonó|descarté|descartó) (?:mi|la|el|su) (?:mudanza|traslado|plan de {_MOVE}) a {_X}.*", _moved, DROPPED),
    # what is over
    (rf"<S>(?i:ya no|no) {_DO} más {_IN}.*", _plain, OVER),
    (rf"<S>(?i:ya no) {_DO} {_IN}.*", _plain, OVER),
    (rf"<S>(?i:dejé|dejó|paré|paró) de {_DO} {_IN}.*", _plain, OVER),
    (rf"<S>(?i:renuncié|renunció)(?: a (?:mi|su) (?:trabajo|puesto) en| a| en| de) {_X}.*", lambda m: _present(m, "trabajo", m["x"]), OVER),
    (rf"A (?P<s>{NAME}) l[oea] (?:despidieron|echaron) (?:de|en) {_X}.*", lambda m: _present(m, "trabajo", m["x"]), OVER),
    (rf"<S>(?i:me despidieron|lo despidieron|la despidieron|fue despedid[oa]|fui despedid[oa]|me jubilé|se jubiló) (?:de|en) {_X}.*", lambda m: _present(m, "trabajo", m["x"]), OVER),
    (rf"<S>(?i:dejé|dejó) (?:mi|su|el) (?:trabajo|puesto|empleo) en {_X}.*", lambda m: _present(m, "trabajo", m["x"]), OVER),
    (rf"<S>(?i:(?:me )?mudé|(?:se )?mudó|me trasladé|se trasladó) de {_Y} a {_X}.*", [
        (lambda m: _present(m, "vivo", m["y"]), OVER), (_moved, HOLDS)]),
    (rf"<S>(?i:me fui|se fue|me marché|se marchó|me mudé|se mudó) de {_X}.*", lambda m: _present(m, "vivo", m["x"]), OVER),
    (rf"<S>(?i:dejé|dejó|abandoné|abandonó) {_X}.*", [
        (lambda m: _present(m, "trabajo", m["x"]), DENIED), (lambda m: _present(m, "vivo", m["x"]), DENIED)]),
    (rf"<S>(?i:solía) {_DO} {_IN}.*", _plain, OVER),
    (rf"<S>(?P<v>(?i:vivía|residía|trabajaba|estudiaba)) {_IN}.*", _plain, OVER),
    # what never was, and what is not so
    (rf"<S>(?i:nunca|jamás)(?: he| ha)? {_DO} {_IN}.*", _plain, NEVER),
    (rf"<S>(?i:no)(?: he| ha) {_DO} (?:nunca |jamás ){_IN}.*", _plain, NEVER),
    (rf"<S>(?i:no) {_DO} (?:en|para) {_Y},? sino (?:en |para )?{_X}.*", [
        (lambda m: _present(m, m["v"], m["y"]), DENIED), (_plain, HOLDS)]),
    (rf"<S>{_DO} {_IN},? (?:y )?(?:no en|en vez de(?: en)?|en lugar de(?: en)?) {_Y}.*", [
        (lambda m: _present(m, m["v"], m["y"]), DENIED), (_plain, HOLDS)]),
    (rf"<S>(?i:no) {_DO} {_IN}.*", _plain, DENIED),
    # what is so now
    (rf"<S>(?i:volví|volvió) a {_DO} {_IN}.*", _plain, HOLDS),
    (rf"<S>(?P<v>(?i:vivo|vive|trabajo|trabaja|estudio|estudia))(?: de nuevo| otra vez| ahora| nuevamente| desde \w+| actualmente)? {_IN}.*", _plain, HOLDS),
    S=_S,
)  # fmt: skip

_SOURCE = rf"(?P<source>[Mm]i \w+|{NAME}|[Éé]l|[Ee]lla|[Aa]lguien)"
_SAYS = r"(?:dice|dijo|cuenta|contó|comentó|comenta|afirma|afirmó|cree|escribió|mencionó|ha dicho|piensa|asegura|aseguró|explicó)"

SPANISH_CHANGES = Changes(
    signal=r"(?i)\b(?:no|nunca|jamás|dejé|dejó|renuncié|renunció|despid\w+|jubil\w+|mudé|mudó|trasladé|trasladó|fui|fue|marché|marchó|abandon\w+|solía"
    r"|vivía|residía|trabajaba|estudiaba|ahora|actualmente|antes|desde|hace|ayer|pasad[oa]|de nuevo|otra vez|nuevamente|volví|volvió|quiero|quiere|voy|va|planeo|planea|pienso"
    r"|piensa|espero|espera|deseo|desea|pensado|gustaría|pretend\w+|cancel\w+|descart\w+|dice|dijo|dicen|cuenta|contó|comentó|comenta|afirm\w+|cree|escribió"
    r"|mencionó|dicho|según|parece|aseguró|oí|escuché|sino|lugar|vez|explicó)\b",
    hearsay=(
        rf"{_SOURCE} (?:(?:me|nos|le) )?{_SAYS} que (?P<rest>(?:{NAME}|[Mm]i ).*)",
        rf"[Ss]egún {_SOURCE},? (?P<rest>.*)",
        r"(?:[Dd]icen|[Ss]e dice|[Pp]arece|[Aa]l parecer,?|[Oo]í|[Hh]e oído|[Ee]scuché)(?: que)? (?P<rest>.*)",
        rf"(?P<rest>.*?), según (?P<source>{NAME}|mi \w+)[.!]?\Z",
    ),
    joint=r"; |, (?=(?:quiero|voy|ahora|pero|y)\b)(?:pero |y )?| (?:y|pero) (?=(?:ahora|yo|vivo|vive|trabajo|trabaja|quiero|quiere|voy|va|me mud|se mud|no|ya no)\b)",
    leads=r"(?i:(?:(?:y|pero|no,|sí|corrección|perdón|en realidad|ahora|actualmente|antes|hoy|entonces|finalmente|al final|desde (?!que\b|el\b|la\b)\w+(?: de \d{4})?|en \d{4}"
    r"|en vez de eso|en lugar de eso|en cambio|últimamente|por cierto|hola|después)(?:[,:!.])? )+)",
    subject=_S.replace("(?:[Yy]o )?", "[Yy]o "),
    inherits=r"(?P<pronoun>(?:[Éé]l|[Ee]lla)(?= ))?(?:ahora |actualmente )?(?:vive|trabaja|estudia|quiere|va|se|ya|no|está)\b",
    rules=_RULES,
    undated=without_dates,
)
