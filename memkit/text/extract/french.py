"""Pattern grammar of French."""

from __future__ import annotations

from memkit.text.extract.grammar import NAME, language

IN_FICTION = r"\b[Dd]ans (?:le|ce|mon) (?:roman|livre|film|jeu|rêve)\b"  # what is so there is so nowhere else
_WORK = r"(?:(?:roman|livre|essai|poème|film|chanson|entreprise|société|revue) )?"
_TO = r"(?:à |en |au |aux )(?:la |l['’])?"

FRENCH = language(
    {
        "habite vit réside": ((rf"<S> (?:habite|vit|réside)<NOW> {_TO}<O>", "lives_in"),),
        "j'habite j’habite": ((rf"[Jj]['’]habite<NOW> {_TO}<O>", "lives_in"),),
        "vis": ((rf"[Jj]e vis<NOW> {_TO}<O>", "lives_in"),),
        "né née": (
            (rf"<S> est née? (?:en \d{{4}} |le [^,]{{1,25}} )?{_TO}<O>", "born_in"),
            (rf"[Jj]e suis née? (?:en \d{{4}} |le [^,]{{1,25}} )?{_TO}<O>", "born_in"),
        ),
        "travaille travaillait": (
            (r"[Jj]e travaill(?:e|ais)<NOW> (?:chez|pour|à) (?:la |l['’]|le )?<O>", "works_at"),
            (r"<S> travaill(?:e|ait)<NOW> (?:chez|pour|à) (?:la |l['’]|le )?<O>", "works_at"),
        ),
        "étudie": (
            (r"[Jj]['’]étudie<NOW> à (?:la |l['’])?<O>", "studies_at"),
            (r"<S> étudie<NOW> à (?:la |l['’])?<O>", "studies_at"),
        ),
        "j'étudie j’étudie": ((r"[Jj]['’]étudie<NOW> à (?:la |l['’])?<O>", "studies_at"),),
        "marié mariée": ((r"<S> est mariée? (?:à|avec) <O>", "married_to"),),
        "déménagé": (
            (r"<S> a déménagé à <O>", "+lives_in"),
            (r"[Jj]['’]ai déménagé à <O>", "+lives_in"),
        ),
        "rejoint": ((r"<S> a rejoint (?:le |la |l['’])?<O>", "+member_of"),),
        "est": (
            (r"<S> est (?:le |la |l['’]|une? )<ROLE> (?:de |du |d['’]|de la |des )<Y>", "{role}_of"),
            (r"<S> est membre (?:de |du |d['’]|de la |des |de l['’])<O>", "member_of"),
            (rf"<S> est située? {_TO}<O>", "located_in"),
            (r"<S> est une? <KIND>", "is_a"),
        ),
        "ma mon": (
            (
                r"[Mm](?:a|on) (?:nouvel(?:le)? |nouveau )?<ROLE> (?:est|s['’]appelle)(?: maintenant| désormais)? <S>",
                "{role}_of",
            ),
            (r"[Mm](?:a|on) <ROLE>,? <S>", "{role}_of"),
            (r"[Mm](?:a|on) <NEW><ATTRIBUTE> est(?: maintenant| désormais)? (?:le |la |l['’])?<THING>", "{role}"),
        ),
        "trouve": ((rf"<S> se trouve {_TO}<O>", "located_in"),),
        "appartient partie": (
            (r"<S> (?:appartient (?:à |au )|fait partie (?:de |du |des |d['’]))(?:la |l['’])?<O>", "part_of"),
        ),
        "fondé écrit créé développé réalisé composé traduit inventé conçu peint": (
            (rf"<S> a <ROLE> (?:le |la |l['’]|les )?{_WORK}(?:[\"“]|« ?)?<O>", "{role}"),
        ),
        "été": ((r"<S> a été <ROLE>(?: en \d{4})? par <NAMES>", "<{role}"),),
    },
    {
        "<O>": rf"(?P<o>{NAME})",
        "<Y>": rf"(?P<y>{NAME})",
        "<NAMES>": rf"(?P<o>{NAME})(?P<more>(?:(?:, {NAME})* et {NAME})?)",
        "<NEW>": "(?:nouvel(?:le)? |nouveau )?",
        "<NOW>": r"(?: actuellement| maintenant| toujours| aussi| depuis \d{4})?",
    },
    joints="et|mais|parce que|car|que",
    leads="aussi|aujourd'hui|hier|actuellement|en (?:19|20)\\d\\d|depuis (?:19|20)\\d\\d|bonjour|salut",
    doubt=rf"\?|{IN_FICTION}"
    r"|\b(?:ne|n['’]\w+|pas|jamais|ni|si|peut-être|sans|presque|serait|aurait|pourrait|voudrais?|veux|veut|semble|crois|croit"
    r"|pense|espère|paraît|comme si|(?:dit|affirm\w+|prétend|racont\w+|écrit) que?)\b",
    cut=r"\w+(?:ée?|ue?|ite?)s? (?:par|pour|à|en|sur|dans|au|avec|depuis)|mais"
    "|permettant|servant|visant|offrant|contenant|utilisant|facilitant|fournissant"
    "|qui|que|pour|en|dans|par|avec|où|dont|et|ou|sur|entre|depuis|comme|très|à|au|aux|créée?|fondée?|basée?|écrite?",
    roles="""
    sœur sister soeur sister frère brother mère mother père father maman mother papa father femme wife mari husband
    épouse wife époux husband fille daughter fils son grand-mère grandmother grand-père grandfather tante aunt oncle
    uncle cousine cousin cousin cousin nièce niece neveu nephew cheffe boss chef boss patronne boss patron boss amie
    friend ami friend voisine neighbour voisin neighbour collègue colleague professeure teacher professeur teacher
    dentiste dentist médecin doctor avocate lawyer avocat lawyer chatte cat chat cat chien dog chienne dog
    fondatrice founder fondateur founder propriétaire owner capitale capital autrice author auteur author directrice
    director directeur director fondé founded fondée founded écrit wrote écrite wrote créé created créée created
    développé developed développée developed réalisé directed réalisée directed composé composed composée composed
    traduit translated traduite translated inventé invented inventée invented conçu designed conçue designed peint
    painted peinte painted publié published publiée published
    """,
    mine="ma mon",
    who="qui",
    attributes="""
    adresse address téléphone phone portable phone numéro phone métier profession profession profession travail job
    couleur_préférée favourite_colour plat_préféré favourite_food livre_préféré favourite_book film_préféré
    favourite_film anniversaire birthday surnom nickname courriel email nationalité nationality
    """,
)
