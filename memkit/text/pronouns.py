"""Pronouns: of whom a question speaks, and whether a sentence speaks of what stands before it."""

from __future__ import annotations

import re

from memkit.core.patterns import pattern

_FIRST_PERSON = pattern(
    r"(?<![\w'’])(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself|[Ii]ch|[Mm]ir|[Mm]ich|[Mm]ein(?:e[nmrs]?)?|[Yy]o|[Mm]i|[Mm]ío|[Mm]ía"
    r"|[Mm]is|[Jj]e|[Mm]oi|[Mm]on|[Mm]a|[Mm]es)(?![\w])|\b[Jj]['’](?=\w)|我"
)
# And every word for the writer and those the writer belongs to, in any case.
_OF_US = pattern(
    r"""
    (?<!\w)(?:
        i|my|me|mine|we|our|us|ich|mein\w*|mir|mich|wir|unser\w*|uns|je|j|mon|ma|mes|nous|notre|nos|yo|mis?|nuestr[oa]s?
    )(?!\w)|我|私
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Can you tell me when I moved?" speaks of no earlier answer.
_REQUEST = pattern(
    r"\b(?:can|could|would|will|do|should|thank|if) you\b|\b(?:kannst|könntest|würdest|weißt) du\b"
    r"|\b(?:können|könnten|würden|wissen) sie\b|\b(?:peux|pourrais|sais|veux)-tu\b|\b(?:pouvez|pourriez|savez)-vous\b"
    r"|\b(?:puedes|podrías) tú\b|(?:请)?(?:你|您)(?:能|可以|会|知道)",
    re.IGNORECASE,
)
_WHAT_YOU_SAID = pattern(
    r"\byou(?:['’](?:d|ve))?\b|\byours?\b|\b(?:our|previous|last|earlier) (?:chat|conversation|discussion)s?\b"
    r"|\b(?:du|dir|dich|dein(?:e[nmrs]?)?)\b|\b(?:hatten|haben) sie\b"
    r"|\b(?:dijiste|mencionaste|recomendaste|sugeriste|propusiste|explicaste|aconsejaste|usted|tus?)\b"
    r"|\b(?:vous|ton|ta|tes|votre|vos)\b|你|您|あなた|(?:上次|之前)的?(?:聊天|对话|谈话)|前回の(?:会話|話)",
    re.IGNORECASE,
)
# "How do I prune quinces?" asks for what anybody may do, not for what the asker did.
_ADVICE = pattern(
    r"\bhow (?:do|can|could|should|would|might) I\b|\b(?:can|could|should|shall|may|must) I\b"
    r"|\b(?:kann|soll|sollte|darf|muss) ich\b|\b(?:puis|dois|devrais)-je\b|\b(?:puedo|debo|debería) yo\b"
    r"|我(?:该|应该|可以|能|要)?(?:怎么|如何|怎样)|我(?:该|应该|可以|能)",
    re.IGNORECASE,
)
# "It rained", "It is good to see you" and "That is why" begin with no pronoun for a thing, but cost little to keep.
# Chats leave the apostrophe out ("its", "thats"), and begin with what they think.
_REFERS_BACK = pattern(
    r"""
    [\W_]*(?:(?:
        And|But|So|Then|Also|Yeah|Yes|Well|Oh|Maybe|Because|Actually|Hopefully|Turns\ out
        |I\ (?:just\ |really\ |also\ )?(?:think|guess|hope|know|feel\ like|mean|bet|believe|heard|wonder\ if)(?:\ that)?
        |Und|Aber|Weil|Vielleicht|Y|Pero|Porque|Creo\ que|Et|Mais|Je\ (?:crois|pense)\ qu
    )[, ’']\ ?){0,2}
    (?:
        It(?:['’]?s|['’]ll|['’]d)?|That(?:['’]?s)?|This|These|Those|They(?:['’]?(?:re|ve|ll)|['’]d)?
        |He(?:['’]?s|['’](?:ll|d))?|She(?:['’]?s|['’](?:ll|d))?|Both
        |Es|Das|Dies(?:er|e|es)?|Er|Sie|Beide|Eso|Esto|Ella|Ellos|Ellas|Él
        |Il|Elle|Ils|Elles|Cela|Ça|C['’](?:est|était)
        |它们?|他们?|她们?|这|那
    )(?!\w)
    |[\W_]*(?:它们?|他们?|她们?|这|那)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def first_person(text: str) -> str | None:
    """The first word by which a text speaks of its own author (`I`, `meine`, `我`), or None.

    >>> first_person("Where did my bike go?")
    'my'
    """
    found = _FIRST_PERSON.search(text)
    return found[0] if found else None


def in_first_person(text: str) -> bool:
    """Whether a text speaks of its writer, or of those the writer belongs to: I, my, we, nuestra.

    >>> in_first_person("Unser Garten"), in_first_person("Clara's garden")
    (True, False)
    """
    return _OF_US.search(text) is not None


def asks_of_oneself(text: str) -> bool:
    """Whether a question is about the life of the one who asks.

    It is not if it asks for advice ("How do I prune quinces?"), or for what the one who is asked said before.

    >>> asks_of_oneself("Can you remind me when I moved?"), asks_of_oneself("Which hotel did you recommend to me?")
    (True, False)
    """
    if _WHAT_YOU_SAID.search(_REQUEST.sub(" ", text)):
        return False
    return first_person(_ADVICE.sub(" ", text)) is not None


def refers_back(sentence: str) -> bool:
    """Whether a sentence begins with a pronoun for what was named before it.

    >>> refers_back("It was delicious."), refers_back("Dinner was delicious.")
    (True, False)
    """
    return _REFERS_BACK.match(sentence) is not None
