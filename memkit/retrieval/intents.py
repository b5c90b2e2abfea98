"""Intents: what a message wants, in a word or two, by rules over its words, or by a model where they fail (K04)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from memkit.core.files import template_dir, text_templates
from memkit.core.patterns import pattern
from memkit.text.words import words

Classifier = Callable[[str], str]

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
_NO_DOING = ("question", "statement")
_INTENT = pattern(r"[^\W\d_]{2,20}(?:_[^\W\d_]{2,20})?")
MOST_CHARACTERS = 2_000  # of a message, for the model


def intent(text: str, fallback: Classifier | None = None) -> str:
    """What a message wants: its first verb with an object (`deploy_application`), `ask_time`, `question`, `statement`.

    Rules over words decide. If no rule applies, `fallback(text)` decides, if it says anything (K04).
    """
    found = words(text)
    verb = next((_VERB[word] for word in found if word in _VERB), None)
    if verb:
        noun = next((_NOUN[word] for word in found if word in _NOUN), None)
        return f"{verb}_{noun}" if noun else verb
    asked = next((_ASKS[word] for word in found if word in _ASKS), None)
    if asked:
        return f"ask_{asked}"
    said = fallback(text) if fallback else ""
    return said or ("question" if text.rstrip().endswith("?") else "statement")


def doing(said: str) -> tuple[str, ...]:
    """The words for what an intent wants done: `deploy_application` -> deploy, release, ship ...; none for a question.

    A procedure may call the same deed by another of these words.
    """
    verb = said.partition("_")[0]
    return () if verb == "ask" or said in _NO_DOING else tuple(_DOES.get(verb, verb).split())


def by_model(model: Any, warn: Callable[[str], None]) -> Classifier:
    """A classifier that asks a language model of `llm` (a name or a Model). If it fails, it says nothing, and warns."""

    def classify(text: str) -> str:
        from memkit.text.extract.llm_extract import find_model

        try:
            found = find_model(model, forms=("get_model",)) if isinstance(model, str) else model
            answer = str(found.prompt(_template().render(message=text[:MOST_CHARACTERS])).text())
        except Exception as error:  # noqa: BLE001  a plugin may raise anything; the rules have an answer, too
            warn(f"What the message wants was not asked of {getattr(model, 'model_id', model)}: {error}")
            return ""
        said = _INTENT.fullmatch(answer.strip().strip("`'\".").lower())
        return said[0] if said else ""

    return classify


@lru_cache(maxsize=1)
def _template() -> Any:
    return text_templates(str(template_dir() / "life")).get_template("intent.md")
