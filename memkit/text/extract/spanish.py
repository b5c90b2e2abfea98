"""Pattern grammar of Spanish."""

from __future__ import annotations

from memkit.text.extract.grammar import NAME, language

IN_FICTION = r"\b[Ee]n (?:la novela|el libro|la película|el juego|mi sueño)\b"  # what is so there is so nowhere else
_THE = r"(?:el |la |los |las )?"
_WORK = r"(?:(?:novela|libro|ensayo|cuento|poema|artículo|película|canción|obra|empresa|compañía|revista) )?"

SPANISH = language(
    {
        "vive reside radica": ((r"<S><NOW> (?:vive|reside|radica) en <O>", "lives_in"),),
        "vivo resido radico": ((r"(?:[Yy]o )?<ME>(?:vivo|resido|radico|Vivo|Resido|Radico) en <O>", "lives_in"),),
        "nació": ((r"<S> nació (?:el [^,.]{1,25} |en \d{4} )?en <O>", "born_in"),),
        "nací": ((r"(?:[Yy]o )?[Nn]ací (?:el [^,.]{1,25} |en \d{4} )?en <O>", "born_in"),),
        "trabaja trabajó": ((r"<S><NOW> trabaj(?:a|ó)(?: desde \d{4})? (?:en|para) <O>", "works_at"),),
        "trabajo": (
            (r"(?:[Yy]o |[Aa]ctualmente |[Aa]hora )trabajo (?:en|para) <O>", "works_at"),
            (r"Trabajo (?:en|para) <O>(?=[.!;,]| desde | y |\Z)", "works_at"),
        ),
        "estudia estudió": ((r"<S><NOW> estudi(?:a|ó) (?:[a-zá-ú]+ ){0,3}?en <O>", "studies_at"),),
        "estudiando": (
            (r"<S> está estudiando (?:[a-zá-ú]+ ){0,4}?en <O>", "studies_at"),
            (r"(?:[Yy]o )?[Ee]stoy estudiando (?:[a-zá-ú]+ ){0,4}?en <O>", "studies_at"),
        ),
        "graduó": ((r"<S> se graduó (?:de|en) <O>", "studied_at"),),
        "unió incorporó": ((r"<S> se (?:unió|incorporó) al? <O>", "+member_of"),),
        "mudó": ((r"<S> se mudó al? <O>", "+lives_in"),),
        "mudé": ((r"(?:[Yy]o )?[Mm]e mudé al? <O>", "+lives_in"),),
        "casado casada": (
            (r"<S> está casad[oa] con <O>", "married_to"),
            (r"[Ee]stoy casad[oa] con <O>", "married_to"),
        ),
        "es": (
            (r"<S> es (?:el|la|mi|una?) <ROLE> de <Y>", "{role}_of"),
            (r"<S> es (?:el|la|una?)? ?miembro (?:del? )<O>", "member_of"),
            (r"<S> es una? <KIND>", "is_a"),
        ),
        "mi": (
            (r"[Mm]i (?:nuev[oa] )?<ROLE> (?:nuev[oa] )?(?:ahora )?(?:es|se llama)(?: ahora)? <S>", "{role}_of"),
            (r"[Mm]i <ROLE>,? <S>", "{role}_of"),
            (r"[Mm]i (?:nuev[oa] )?<ATTRIBUTE> (?:nuev[oa] )?(?:ahora )?es(?: ahora)? (?:el |la )?<THING>", "{role}"),
        ),
        "miembro": ((r"<S> (?:fue|ha sido) miembro (?:del? )<O>", "member_of"),),
        "ubicado ubicada situado situada encuentra ubica": (
            (r"<S> (?:está (?:ubicad|situad)[oa]|se (?:encuentra|ubica)) en <O>", "located_in"),
        ),
        "pertenece parte": ((r"<S> (?:pertenece al?|forma parte del?) <O>", "part_of"),),
        "fundó escribió dirigió diseñó desarrolló inventó compuso tradujo pintó": (
            (rf"<S> <ROLE> (?:en \d{{4}} )?{_THE}{_WORK}[\"“«]?<O>", "{role}"),
        ),
        "fue": ((r"<S> fue <ROLE> (?:en \d{4} )?por <NAMES>", "<{role}"),),
    },
    {
        "<O>": rf"(?:el |la |los |las )?(?P<o>{NAME})",
        "<Y>": rf"(?:el |la )?(?P<y>{NAME})",
        "<NAMES>": rf"(?:el |la )?(?P<o>{NAME})(?P<more>(?:(?:, {NAME})*,? [ye] {NAME})?)",
        "<NOW>": r"(?: actualmente| ahora| aún| todavía| también)?",
        "<ME>": r"(?:actualmente |ahora |Actualmente |Ahora )?",
    },
    joints="y|pero|porque|que",
    leads="además|actualmente|ahora|hoy|ayer|también|en (?:19|20)\\d\\d|desde (?:19|20)\\d\\d|hola",
    doubt=rf"[?¿]|{IN_FICTION}"
    r"|\b(?:no|nunca|jamás|ni|si|quizás?|tal vez|ojalá|podría\w*|debería\w*|parece\w*|creo|cree|dicen|quiero"
    r"|quiere|quería|espero|sin|casi|supuestamente|como si|soñ\w+|imagin\w+"
    r"|(?:dice|dijo|cuenta|contó|piensa|afirma|afirmó|escribió) que)\b",
    cut="que|para|en|por|con|donde|cuy[oa]s?|y|o|desde|entre|sobre|cuando|como|muy|fundad[oa]|cread[oa]|basad[oa]|escrit[oa]"
    "|desarrollad[oa]|diseñad[oa]|dirigid[oa]|usad[oa]|utilizad[oa]|\\w+[ai]d[oa]s? (?:en|por|con|para|a|al|sobre)",
    roles="""
    hermana sister hermano brother madre mother padre father mamá mother papá father esposa wife esposo husband
    mujer wife marido husband novia girlfriend novio boyfriend hija daughter hijo son abuela grandmother abuelo
    grandfather tía aunt tío uncle prima cousin primo cousin sobrina niece sobrino nephew jefa boss jefe boss amiga
    friend amigo friend vecina neighbour vecino neighbour colega colleague profesora teacher profesor teacher
    maestra teacher maestro teacher dentista dentist médico doctor médica doctor doctora doctor doctor doctor
    abogada lawyer abogado lawyer gata cat gato cat perra dog perro dog socia partner socio partner fundadora
    founder fundador founder directora director director director dueña owner dueño owner capital capital autora
    author autor author creadora creator creador creator fundó founded escribió wrote dirigió directed diseñó
    designed desarrolló developed inventó invented compuso composed tradujo translated pintó painted fundado founded
    fundada founded escrito wrote escrita wrote creado created creada created dirigido directed dirigida directed
    diseñado designed diseñada designed desarrollado developed desarrollada developed inventado invented inventada
    invented compuesto composed compuesta composed traducido translated traducida translated pintado painted pintada
    painted editado edited editada edited publicado published publicada published
    """,
    mine="mi",
    who="que|quien",
    attributes="""
    dirección address teléfono phone móvil phone celular phone profesión profession oficio profession trabajo job
    color_favorito favourite_colour comida_favorita favourite_food libro_favorito favourite_book película_favorita
    favourite_film cumpleaños birthday apodo nickname correo email nacionalidad nationality
    """,
)
