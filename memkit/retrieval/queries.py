"""Query building: the search terms of a question, and the intent of a message. Pure functions.

The terms are plain words. Full-text search quotes them for SQLite, so no word is read as query syntax (X02).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memkit.text.words import content_words, words

QueryBuilder = Callable[[str], Sequence[str]]

_CJK_WORD = re.compile(r"[⺀-鿿가-힯\uf900-\ufaff\U00020000-\U0003134f]+")


def content(text: str) -> list[str]:
    """The content words of a text (Engram, E04), without CJK words, which have their own index."""
    return [word for word in content_words(text) if not _CJK_WORD.fullmatch(word)]


QUERIES: dict[str, QueryBuilder] = {"content": content}


# ---------------------------------------------------------------------------------------------- intent

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
    """What a message wants: its first verb with an object (`deploy_application`), `ask_time`, `question`, `statement`.

    Rules over words decide. If no rule applies, `fallback(text)` decides, for example a language model (K04).
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
