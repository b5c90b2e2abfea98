"""Pattern grammar of German. Verbs may stand at the end, and all nouns have a capital: objects are checked again."""

from __future__ import annotations

from memkit.text.extract.grammar import NAME, language

IN_FICTION = r"\b[Ii]m (?:Roman|Buch|Film|Spiel|Traum)\b"  # what is so there is so nowhere else
_YEARS = r"(?: (?:seit|von|im Jahr|im Jahre|bis|\d{4}|derzeit|heute|jetzt|inzwischen|noch|auch|immer))*"
_WORK = r"(?:(?:Roman|Buch|Essay|Gedicht|Lied|Film|Firma|Verlag|Band|Oper|Stück|Unternehmen) )?"

GERMAN = language(
    {
        "lebt wohnt lebte wohnte": ((r"<S> (?:lebte?|wohnte?|lebt|wohnt)<WHEN> in <O>", "lives_in"),),
        "lebe wohne": ((r"[Ii]ch (?:lebe|wohne)<WHEN> in <O>", "lives_in"),),
        "geboren": (
            (r"<S> (?:wurde|ist)<WHEN>(?: am [^,]{1,25})? in <O> geboren", "born_in"),
            (r"[Ii]ch (?:wurde|bin)<WHEN>(?: am [^,]{1,25})? in <O> geboren", "born_in"),
        ),
        "arbeitet arbeitete": ((r"<S> arbeitete?t?<WHEN> (?:bei|für) <O>", "works_at"),),
        "arbeite": ((r"[Ii]ch arbeite<WHEN> (?:bei|für) <O>", "works_at"),),
        "studiert studierte": ((r"<S> studierte?t?<WHEN>(?: \w+)? an (?:der )?<O>", "studies_at"),),
        "studiere": ((r"[Ii]ch studiere<WHEN>(?: \w+)? an (?:der )?<O>", "studies_at"),),
        "zog": ((r"<S> zog<WHEN> nach <O>", "+lives_in"), (r"[Ii]ch zog<WHEN> nach <O>", "+lives_in")),
        "gezogen": (
            (r"<S> ist<WHEN> nach <O> gezogen", "+lives_in"),
            (r"[Ii]ch bin<WHEN> nach <O> gezogen", "+lives_in"),
        ),
        "verheiratet": (
            (r"<S> ist<WHEN> mit <O> verheiratet", "married_to"),
            (r"[Ii]ch bin<WHEN> mit <O> verheiratet", "married_to"),
        ),
        "angestellt beschäftigt": (
            (r"<S> ist<WHEN>(?: fest)? bei <O> (?:angestellt|beschäftigt)", "works_at"),
            (r"[Ii]ch bin<WHEN>(?: fest)? bei <O> (?:angestellt|beschäftigt)", "works_at"),
        ),
        "ist": (
            (r"<S> ist (?:der|die|das|eine?) <ROLE> (?:von|der|des) <Y>", "{role}_of"),
            (r"<S> ist<WHEN> Mitglied (?:der|des|von|bei|im|in der) <O>", "member_of"),
            (r"<S> ist eine? (?:Art )?<KIND>", "is_a"),
        ),
        "mein meine": (
            (r"[Mm]eine?(?: neuer?)? <ROLE> (?:ist|heißt)(?: jetzt| nun)? <S>", "{role}_of"),
            (r"[Mm]eine? <ROLE>,? <S>", "{role}_of"),
            (r"[Mm]eine?(?: neuer?s?)? <ATTRIBUTE> (?:ist|lautet)(?: jetzt| nun)? <THING>", "{role}"),
        ),
        "liegt befindet": ((r"<S> (?:liegt|befindet sich) in <O>", "located_in"),),
        "gehört": ((r"<S> gehört zu[rm]? <O>", "part_of"),),
        "gründete schrieb entwickelte erfand komponierte übersetzte malte entwarf": (
            (rf"<S> <ROLE><WHEN> (?:den |die |das )?{_WORK}[\"„»]?<O>", "{role}"),
        ),
        "wurde": ((r"<S> wurde<WHEN> von <NAMES><WHEN>(?: \w+)? <ROLE>", "<{role}"),),
    },
    {
        "<O>": rf"(?P<o>{NAME})",
        "<Y>": rf"(?P<y>{NAME})",
        "<NAMES>": rf"(?P<o>{NAME})(?P<more>(?:(?:, {NAME})* und {NAME})?)",
        "<WHEN>": _YEARS,
    },
    joints="und|aber|weil|dass|denn",
    leads="heute|gestern|im Jahr (?:19|20)\\d\\d|seit (?:19|20)\\d\\d|hallo|auch|außerdem",
    doubt=rf"\?|\b(?:sagte?|meinte?|behauptete?t?|erzählte?|schreibt|schrieb|berichtete?t?)(?: \w+)?, |{IN_FICTION}"
    r"|\b(?:nicht|nie|niemals|kein\w*|weder|noch nie|ob|wenn|falls|vielleicht|wohl|möglicherweise|angeblich"
    r"|wäre\w*|würde\w*|könnte\w*|sollte\w*|möchte\w*|glaub\w+|denk\w+|hoff\w+|wünsch\w*|ohne|fast|beinahe|als ob)\b",
    cut="der|die|das|den|dem|für|von|mit|aus|in|im|zum|zur|und|oder|um|bei|auf|an|am|als|wie|über|zwischen|nach|vor|unter",
    roles="""
    Schwester sister Bruder brother Mutter mother Vater father Mama mother Papa father Frau wife Mann husband
    Ehefrau wife Ehemann husband Freundin friend Freund friend Tochter daughter Sohn son Oma grandmother Opa
    grandfather Großmutter grandmother Großvater grandfather Tante aunt Onkel uncle Cousine cousin Cousin cousin
    Nichte niece Neffe nephew Chefin boss Chef boss Nachbarin neighbour Nachbar neighbour Kollegin colleague Kollege
    colleague Lehrerin teacher Lehrer teacher Zahnärztin dentist Zahnarzt dentist Ärztin doctor Arzt doctor Anwältin
    lawyer Anwalt lawyer Katze cat Kater cat Hund dog Hündin dog Gründerin founder Gründer founder Besitzerin owner
    Besitzer owner Hauptstadt capital Autorin author Autor author Leiterin director Leiter director gründete founded
    schrieb wrote entwickelte developed erfand invented komponierte composed übersetzte translated malte painted
    entwarf designed gegründet founded geschrieben wrote entwickelt developed erfunden invented komponiert composed
    übersetzt translated gemalt painted entworfen designed erbaut built inszeniert directed herausgegeben edited
    verfasst wrote
    """,
    mine="meine mein meiner meinem meinen",
    who="der|die|das",
    attributes="""
    Adresse address Anschrift address Telefonnummer phone Handynummer phone Nummer phone Telefon phone Beruf profession
    Job job Geburtstag birthday Zeitzone timezone Heimatstadt hometown Spitzname nickname Muttersprache native_language
    E-Mail-Adresse email Mailadresse email Lieblingsfarbe favourite_colour Lieblingsessen favourite_food Lieblingsbuch
    favourite_book Lieblingsfilm favourite_film
    """,
)
