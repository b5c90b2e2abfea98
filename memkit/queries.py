"""Questions into search terms, as each design makes them. Pure; a term is quoted before SQLite sees it (X02)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memkit.text import content_words, words

_CJK_WORD = re.compile(r"[⺀-鿿가-힯\uf900-\ufaff\U00020000-\U0003134f]+")
_EDGES = re.compile(r"^\W+|\W+$")
_SLOT_SYNTAX = re.compile(r"[\":*^~(){}\[\]\\]")

# Words that are neither noun nor verb, or verbs only in form, beside the function words: Kira keeps nouns and verbs.
_NO_NOUN_NO_VERB = frozenset(
    """
    actually again ago almost already always anyway anyhow away back bad best better big certain different early easy
    else enough especially exactly far fine first former full good great happy hard here high hopefully important
    instead kind large last late later least less like little long low main maybe mostly much nearly never new next nice
    often okay old perhaps possible previous probably quick quickly quite rather ready real really recent recently right
    short similar simply slow small sometimes somehow soon special still sure thanks thing things time times today
    together tomorrow tonight usual usually well whole wrong yesterday yet young
    """.split()
)


def content(text: str) -> list[str]:
    """Content words; CJK runs have an index of their own (Engram, E04)."""
    return [word for word in content_words(text) if not _CJK_WORD.fullmatch(word)]


def construct(text: str) -> list[str]:
    """Every piece between blanks of over one character, quotes removed, stop words kept (Construct, C17)."""
    return [term for piece in text.split() if len(piece) > 1 and (term := piece.replace('"', ""))]


def kira(text: str) -> list[str]:
    """Nouns and verbs, as far as lists of other words can tell them (Kira, K02); all content words if none is left."""
    found = content(text)
    return [word for word in found if word not in _NO_NOUN_NO_VERB] or found


def slots(text: str) -> list[str]:
    """Pieces of three characters or more, after the published clean-up (three-slot store, S06).

    Punctuation at the ends and apostrophes do not count towards the three, so that `do?` is as short as it is; an
    apostrophe itself stays, because the index holds `don't` as two words, and finds it so (S07).
    """
    pieces = _SLOT_SYNTAX.sub(" ", text).split()
    return [piece for piece in pieces if len(_EDGES.sub("", piece.replace("'", ""))) >= 3]


QUERIES: dict[str, Callable[[str], Sequence[str]]] = {
    "content": content,
    "construct": construct,
    "kira": kira,
    "slots": slots,
}


# ---------------------------------------------------------------------------------------------- what is wanted

_DOES = {
    "deploy": "deploy release ship publish launch rollout",
    "schedule": "schedule book plan arrange postpone remind",
    "remember": "remember recall remind",
    "fix": "fix debug repair solve undo rollback",
    "write": "write draft compose reply answer",
    "make": "make build create cook bake",
    "find": "find search look show list",
    "explain": "explain describe summarize summarise",
    "install": "install update upgrade configure",
    "buy": "buy order pay",
}
_WITH = {
    "application": "app application site website service product page pages",
    "meeting": "meeting call appointment interview",
    "message": "mail email message letter",
    "document": "document note notes file report page",
    "problem": "bug error problem issue crash",
    "task": "task tasks todo chore",
    "trip": "trip flight train journey hotel",
}
_VERB = {word: name for name, group in _DOES.items() for word in group.split()}
_NOUN = {word: name for name, group in _WITH.items() for word in group.split()}
_ASKS = {
    "who": "person",
    "whom": "person",
    "whose": "person",
    "when": "time",
    "where": "place",
    "why": "reason",
    "how": "way",
}


def intent(text: str, fallback: Callable[[str], str] | None = None) -> str:
    """What a message wants: the first thing to be done and what with (`deploy_application`), `ask_time`, `statement`.

    Rules over words; where none applies, `fallback(text)` is asked, a language model for one (K04).
    """
    found = words(text)
    verb = next((_VERB[word] for word in found if word in _VERB), None)
    if verb:
        noun = next((_NOUN[word] for word in found if word in _NOUN), None)
        return f"{verb}_{noun}" if noun else verb
    asked = next((_ASKS[word] for word in found if word in _ASKS), None)
    if asked:
        return f"ask_{asked}"
    return fallback(text) if fallback else "question" if text.rstrip().endswith("?") else "statement"
