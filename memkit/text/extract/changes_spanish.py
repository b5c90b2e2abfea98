"""How Spanish speaks of changes, plans and hearsay: the rules of `readings`."""

from __future__ import annotations

import re

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
from memkit.text.extract.spanish import IN_FICTION
from memkit.text.times.translated import without_dates

_S = rf"(?:(?P<s>[Mm]i [a-záéíóúñ]+|(?!Yo\b|Vivo|Trabajo|Quiero|Voy|Dejé|Renuncié|Nunca|Ya|No\b|Me\b|Estudio|Pienso|Espero|Planeo|Vivía|Trabajaba|Solía|Fui|Estoy|Cambié){NAME}) |(?:[Yy]o )?)"
_X = rf"(?P<x>(?:el |la )?{NAME})"
_Y = rf"(?P<y>{NAME})"
_NOW = r"(?: (?:ahora|actualmente|hoy|todavía|de nuevo|otra vez|nuevamente|también|ya))*"
_LIVE, _WORK, _STUDY = r"(?:viv\w+|resid\w+)", r"trabaj\w+", r"estudi\w+"
_DO = rf"(?P<v>(?i:{_LIVE}|{_WORK}|{_STUDY}))"
_IN = rf"(?P<p>en|para) {_X}"
_WANT = r"(?i:quiero|quiere|voy a|va a|planeo|planea|pienso|piensa|espero|espera|deseo|desea|tengo pensado|tiene pensado|me gustaría|le gustaría|me encantaría|pretendo|pretende|estoy pensando en|está pensando en|me planteo|se plantea|estoy considerando|está considerando)"
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


def _undated(clause: str) -> str:
    """The clause without its dates; `nos mudamos` next week is a plan, so there the date says how it is meant."""
    return clause if re.search(r"(?i)próxim|que viene|mañana|siguiente", clause) else without_dates(clause)


def _works(found: re.Match[str]) -> str:
    return _present(found, "trabajo", found["x"])


def _lives(found: re.Match[str]) -> str:
    return _present(found, "vivo", found["x"])


_RULES = rules(
    (rf"(?:[Nn]osotr[oa]s )?[Nn]os (?:hemos )?(?:mudamos|mudado|trasladamos|trasladado) a {_X}.*", r"Me mudé a \g<x>", HOLDS),
    (rf"(?:[Nn]osotr[oa]s )?[Vv]ivimos{_NOW} en {_X}.*", r"Yo vivo en \g<x>", HOLDS),
    # plans
    (rf"<S>(?i:ya no|no) (?:me|se) (?:mudo|muda|traslado|traslada) a {_X}.*", _moved, DROPPED),
    (rf"(?:[Ll]a|[Mm]i|[Nn]uestra) mudanza a {_X} (?:se canceló|no se hará|está cancelada|quedó en nada|se cayó).*", r"Me mudé a \g<x>", DROPPED),
    (rf"<S>(?i:ya no|no) {_WANT} {_MOVE} a {_X}.*", _moved, DROPPED),
    (rf"<S>(?i:ya no|no) {_WANT} {_DO} {_IN}.*", _plain, DROPPED),
    (rf"<S>(?i:ya no|no) (?i:(?:me|se) (?:mudaré|mudará|trasladaré|trasladará|iré|irá)) a {_X}.*", _moved, DROPPED),
    (rf"<S>(?i:(?:me|se) (?:mudaré|mudará|trasladaré|trasladará)) a {_X}.*", _moved, PLANNED),
    (rf"<S>{_WANT}(?: ahora)? {_MOVE} a {_X}.*", _moved, PLANNED),
    (rf"<S>{_WANT}(?: ahora)? {_DO} {_IN}.*", _plain, PLANNED),
    (rf"<S>(?i:cancelé|canceló|abandoné|abandonó|descarté|descartó|he cancelado|ha cancelado|he descartado|ha descartado|he abandonado) (?:mi|la|el|su) (?:mudanza|traslado|plan de {_MOVE}) a {_X}.*", _moved, DROPPED),
    # what is over
    (rf"(?:\w+ )?(?:fue|es) (?:\w+ )?(?:mi|el) último día (?:de trabajo )?en {_X}.*", r"Yo trabajo en \g<x>", OVER),
    (rf"<S>(?i:ya no) (?:estoy|está) (?:más )?en {_X}.*", [(_works, LEFT), (_lives, LEFT)]),
    (rf"<S>(?i:(?:me )?cambié|(?:se )?cambió|pasé|pasó|me pasé|se pasó|salté|saltó) de {_Y} a {_X}.*", [
        (lambda m: _present(m, "trabajo", m["y"]), LEFT), (_works, FOLLOWS)]),
    (rf"(?:(?P<s>{NAME}) )?(?i:me jubilé|se jubiló|(?:estoy|está) (?:jubilad[oa]|desemplead[oa]|en (?:el )?paro|sin (?:trabajo|empleo))"
     r"|(?:me quedé|se quedó) sin (?:trabajo|empleo)|perdí mi (?:trabajo|empleo)|perdió su (?:trabajo|empleo)|me despidieron|fui despedid[oa]|fue despedid[oa])"
     rf"(?! (?:de|en) (?:la |el )?{NAME}).*", lambda m: m["s"] or "I", ALL_OVER),
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
    (rf"<S>(?i:dejé|dejó|he dejado|ha dejado) {_Y} y (?:hoy |ahora |ayer )?(?:empecé|empezó|entré|entró|estoy|está) (?:en|con) {_X}.*", [
        (lambda m: _present(m, "trabajo", m["y"]), OVER), (_works, HOLDS)]),
    (rf"<S>(?i:dejé|dejó|he dejado|ha dejado|abandoné|abandonó) {_X}.*", [
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
    (rf"<S>(?i:llevo|lleva) [^,.;]{{1,30}}? (?P<v>viviendo|trabajando|estudiando) {_IN}.*", _plain, HOLDS),
    (rf"<S>(?P<v>(?i:vivo|vive|trabajo|trabaja|estudio|estudia))(?: de nuevo| otra vez| ahora| nuevamente| desde \w+| actualmente)? {_IN}.*", _plain, HOLDS),
    S=_S,
)  # fmt: skip

# After "renuncié a X y": what one enters then is an employer.
_THEN = rules(
    (rf"<S>(?i:entré|entró|me uní|se unió|me incorporé|se incorporó|empecé|empezó|comencé|comenzó|pasé|pasó|(?:ahora )?(?:estoy|está))(?: ahora)? (?:en|a) {_X}.*",
     _works, HOLDS),
    S=_S,
)  # fmt: skip

# What says that something has changed, and not to what.
_DONE = r"(?=[.,:;!]|\Z| (?:y|ayer|hoy|la semana pasada|el mes pasado|por fin)\b)"
_POST = r"(?:trabajo|empleo|puesto)"
_SHAKING = (
    ("lives_in", rf"\b(?:[Mm]e|[Nn]os) (?:he |hemos )?(?:mudé|mudamos|mudado){_DONE}"),
    ("lives_in", r"\b[Vv]olv(?:í|imos) a [A-ZÁÉÍÓÚÑ]\w+ y (?:vivo|vivimos) (?:allí|allá|ahí)\b"),
    ("works_at", rf"\b[Mm]e (?:han (?:echado|despedido)|echaron|despidieron)(?:{_DONE}| del {_POST}\b)"),
    ("works_at", rf"\b(?:(?:[Hh]e dejado|[Dd]ejé) (?:el|mi) {_POST}|(?:[Cc]ambié|[Hh]e cambiado) de {_POST}){_DONE}"),
    ("works_at", rf"\b(?:[Ee]mpecé|[Ee]ncontré|[Cc]onseguí|[Tt]engo|[Aa]cepté) (?:en )?(?:un|mi) nuevo {_POST}{_DONE}"),
    ("studies_at", rf"\b[Mm]e (?:gradué|he graduado|licencié){_DONE}"),
    ("married_to", rf"\b(?:[Mm]e|[Nn]os) (?:he |hemos )?(?:divorcié|divorciamos|divorciado){_DONE}|\b[Mm]i ex ?(?:mujer|marido)\b"),
)  # fmt: skip
_UNSHAKEN = r"(?i)[?¿]|\b(?:no|nunca|casi|si|cuando|antes|hace|todavía|(?:19|20)\d\d|soñ\w+|sueño|novela|libro|película|dice|dijo|cuenta|contó|cree|quizás?|quiero|voy a)\b"

_SOURCE = rf"(?P<source>[Mm]i \w+|{NAME}|[Éé]l|[Ee]lla|[Aa]lguien)"
_SAYS = r"(?:dice|dijo|cuenta|contó|comentó|comenta|afirma|afirmó|cree|escribió|mencionó|ha dicho|piensa|asegura|aseguró|explicó)"

SPANISH_CHANGES = Changes(
    signal=r"(?i)\b(?:nuevo|han|gradu\w+|licencié|terminé|acabé|carrera|no|nunca|jamás|dejé|dejó|renuncié|renunció|despid\w+|echaron|echado|jubil\w+|mudé|mudó|trasladé|trasladó|fui|fue|marché|marchó|abandon\w+|solía"
    r"|vivía|residía|trabajaba|estudiaba|ahora|actualmente|antes|desde|hace|ayer|pasad[oa]|de nuevo|otra vez|nuevamente|volví|volvió|quiero|quiere|voy|va|planeo|planea|pienso"
    r"|piensa|espero|espera|deseo|desea|pensado|gustaría|pretend\w+|cancel\w+|descart\w+|dice|dijo|dicen|cuenta|contó|comentó|comenta|afirm\w+|cree|escribió"
    r"|mencionó|dicho|según|parece|parecer|visto|supuestamente|llevo|lleva|último|mudo|muda|mudamos|mudado|mudanza|trasladamos|vivimos|cambié|cambió|pasé|pasó|saltó|paro|jubilad[oa]|desemplead[oa]|sin|perdí|perdió|pensando|planteo|plantea|considerando|encantaría|equivoqué|aseguró|oí|escuché|sino|lugar|vez|explicó)\b",
    hearsay=(
        rf"{_SOURCE} (?:(?:me|nos|le) )?{_SAYS} que (?P<rest>(?:{NAME}|[Mm]i ).*)",
        rf"(?:[Mm]e|[Nn]os|[Ll]e) {_SAYS} {_SOURCE} que (?P<rest>(?:{NAME}|[Mm]i ).*)",
        rf"{CLAUSE_START}(?P<source>(?P<name>[Mm]i \w+|(?!(?:Él|Ella)\b){NAME})) (?:(?:me|nos) )?{_SAYS} que (?:él |ella )?(?P<tail>(?:ya )?(?:no )?(?:ahora )?(?:vive|trabaja|estudia|se)\b.*)",
        rf"[Ss]egún {_SOURCE},? (?P<rest>.*)",
        r"(?:[Dd]icen|[Ss]e dice|[Pp]arece|[Aa]l parecer,?|[Pp]or lo visto,?|[Ss]upuestamente,?|[Oo]í|[Hh]e oído|[Ee]scuché)(?: que)? (?P<rest>.*)",
        rf"(?P<rest>.*?), según (?P<source>{NAME}|mi \w+)[.!]?\Z",
    ),
    joint=r"; |, (?=(?:quiero|voy|ahora|pero|y|(?:ahora )?(?:viv[oe]|trabaj[oa]|estudi[oa]) en|(?:ya )?no (?:me|se|voy|va|quier[oe]))\b)(?:pero |y )?| (?:y|pero) (?=(?:ahora|hoy|desde|mi|yo|vivo|vive|trabajo|trabaja|quiero|quiere|voy|va|me mud|se mud|no|ya no|entré|entró|me uní|se unió|me incorpor|se incorpor|empecé|empezó|estoy|está)\b)",
    leads=r"(?i:(?:(?:y|pero|no,|sí|corrección|perdón|en realidad|ahora|actualmente|antes|hoy|entonces|finalmente|al final|desde (?!que\b|el\b|la\b)\w+(?: de \d{4})?|en \d{4}"
    r"|en vez de eso|en lugar de eso|en cambio|últimamente|por cierto|hola|después|a partir de \w+|[^:.;]{0,25}\b(?:equivoqué|error|equivocación|escribí mal|dije mal|nuevo (?:trabajo|empleo|puesto))\b[^:.;]{0,20}(?=:))(?:[,:!.])? )+)",
    subject=_S.replace("(?:[Yy]o )?", "[Yy]o "),
    inherits=r"(?P<pronoun>(?:[Éé]l|[Ee]lla)(?= ))? ?(?:ahora |actualmente )?(?:vive|trabaja|estudia|quiere|va|se|ya|no|está|entró|empezó)\b",
    rules=_RULES,
    job=r" trabaj[oa] en ",
    then=_THEN,
    shaking=_SHAKING,
    unshaken=_UNSHAKEN,
    doubt=rf"[?¿？]|{IN_FICTION}",
    undated=_undated,
)
