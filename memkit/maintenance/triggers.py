"""Retrieval triggers: which recall a message calls for, how deep, and whether to compact first (K32, K33).

These functions only decide; vectors, names and tokens are passed in. What each trigger then changes is said in
`retrieval/context/triggers.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from math import sqrt

from memkit.core.classes import dataclass
from memkit.core.patterns import pattern
from memkit.maintenance.policy import ConversationPolicy
from memkit.maintenance.policy import TriggerPolicy as Rules
from memkit.retrieval.context.triggers import (
    COMPACT,
    DEEP,
    ENTITY_MENTION,
    MESSAGE,
    REMEMBER_WHEN,
    SESSION_START,
    TOPIC_CHANGE,
)

LEAST_RECENT = 2  # messages; with fewer there is no topic yet

_REMEMBER = pattern(
    r"\bremember (?:when|how|that (?:time|day|one)|the (?:time|day)|what|where|who)\b"
    r"|\b(?:do|don't|can) you (?:still )?(?:remember|recall)\b|\b(?:back when|the last time (?:we|i|you))\b"
    r"|(?:还|還)?(?:记得|記得)|覚えて(?:い?る|い?ます)|기억(?:나|하)",
    re.IGNORECASE,
)

Encode = Callable[[Sequence[str]], Collection[Collection[float]]]  # texts to vectors


@dataclass(frozen=True, slots=True)
class Triggers:
    """The triggers that apply to a message, in the published order; known names in it; and a factor for the budget."""

    names: tuple[str, ...]
    entities: tuple[str, ...] = ()
    scale: float = 1.0

    def __contains__(self, name: object) -> bool:
        return name in self.names


def triggers(
    message: str,
    history: Sequence[str] = (),
    *,
    encode: Encode | None = None,
    entities: Sequence[str] = (),
    tokens: int = 0,
    budget: int | None = None,
    rules: Rules | None = None,
    conversation: ConversationPolicy | None = None,
) -> Triggers:
    """The triggers that apply to this message.

    `history` are the texts before it, `entities` the known names in it, and `tokens` the part of `budget` that the
    conversation uses. Without `encode`, a change of topic is not detected.
    """
    found = [SESSION_START if not history else MESSAGE]
    if encode is not None and topic_changed(message, history, encode, rules):
        found.append(TOPIC_CHANGE)
    if entities:
        found.append(ENTITY_MENTION)
    if deep := asks_to_remember(message):
        found.append(REMEMBER_WHEN)
    if budget is not None and tokens >= (conversation or ConversationPolicy()).budget_share * budget:
        found.append(COMPACT)
    return Triggers(tuple(found), tuple(entities), DEEP if deep else 1.0)


def topic_changed(message: str, recent: Sequence[str], encode: Encode, rules: Rules | None = None) -> bool:
    """Whether a message starts a new topic: its cosine with the last three messages is below .3 (K33; see the policy).

    Always false after fewer than two messages, and for a message with a zero vector (such as "👍").
    """
    rules = rules or Rules()
    if len(recent) < LEAST_RECENT:
        return False
    one, other = encode([message, " ".join(recent[-rules.recent_messages :])])
    likeness = cosine(one, other)
    return likeness is not None and likeness < rules.topic_cosine


def cosine(one: Collection[float], other: Collection[float]) -> float | None:
    """The cosine (-1 to 1) of two vectors of the same length; None if one of them is zero."""
    norms = sqrt(sum(float(a) * float(a) for a in one) * sum(float(b) * float(b) for b in other))
    return sum(float(a) * float(b) for a, b in zip(one, other, strict=True)) / norms if norms else None


def asks_to_remember(message: str) -> bool:
    """Whether a message asks about the past ("remember when ..."), in English, Chinese, Japanese or Korean."""
    return _REMEMBER.search(message) is not None
