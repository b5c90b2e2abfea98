"""What a message calls for before it is answered: which recall, how deep, and whether to compact first (K32, K33).

Pure decisions: vectors, names and tokens are handed in. What is done about them is the caller's business, in these
terms: `session_start` asks for profile, preferences and the latest episodes; `message` for what is relevant; on
`topic_change` what was found for the old topic is thrown away; `entity_mention` asks for what is known of the names;
`remember_when` for a deep search in time with a larger budget; `compact` for `db.compact`, keeping what was recalled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from memkit.life.policy import Conversation
from memkit.life.policy import Triggers as Rules

SESSION_START, MESSAGE, TOPIC_CHANGE = "session_start", "message", "topic_change"
ENTITY_MENTION, REMEMBER_WHEN, COMPACT = "entity_mention", "remember_when", "compact"
DEEP = 2.0  # how much larger the budget of a search in the past is
LEAST_RECENT = 2  # messages without which there is no topic yet

_REMEMBER = re.compile(
    r"\bremember (?:when|how|that (?:time|day|one)|the (?:time|day)|what|where|who)\b"
    r"|\b(?:do|don't|can) you (?:still )?(?:remember|recall)\b|\b(?:back when|the last time (?:we|i|you))\b"
    r"|(?:还|還)?(?:记得|記得)|覚えて(?:い?る|い?ます)|기억(?:나|하)",
    re.IGNORECASE,
)

Encode = Callable[[Sequence[str]], Sequence[Sequence[float]]]  # texts to vectors


@dataclass(frozen=True, slots=True)
class Triggers:
    """Which of the six apply to a message, in the published order, the names in it, and how much larger a budget."""

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
    conversation: Conversation | None = None,
) -> Triggers:
    """What this message calls for. `history` are the texts before it, `entities` the known names in it, `tokens` what
    the conversation takes of its `budget`. Without `encode` nobody can tell a new topic.
    """
    found = [SESSION_START if not history else MESSAGE]
    if encode is not None and topic_changed(message, history, encode, rules):
        found.append(TOPIC_CHANGE)
    if entities:
        found.append(ENTITY_MENTION)
    if deep := asks_to_remember(message):
        found.append(REMEMBER_WHEN)
    if budget is not None and tokens >= (conversation or Conversation()).budget_share * budget:
        found.append(COMPACT)
    return Triggers(tuple(found), tuple(entities), DEEP if deep else 1.0)


def topic_changed(message: str, recent: Sequence[str], encode: Encode, rules: Rules | None = None) -> bool:
    """Whether a message is about something else than the last three: a cosine below .3 (K33).

    With fewer than two messages before it there is no topic to change. A message without a direction of its own (an
    empty vector: "👍") changes none.
    """
    rules = rules or Rules()
    if len(recent) < LEAST_RECENT:
        return False
    one, other = encode([message, " ".join(recent[-rules.recent_messages :])])
    likeness = cosine(one, other)
    return likeness is not None and likeness < rules.topic_cosine


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The cosine of two vectors of one length; None where either has no direction."""
    norms = sqrt(sum(float(a) * float(a) for a in one) * sum(float(b) * float(b) for b in other))
    return sum(float(a) * float(b) for a, b in zip(one, other, strict=True)) / norms if norms else None


def asks_to_remember(message: str) -> bool:
    """Whether a message asks about the past in so many words ("remember when ..."): English, CJK."""
    return _REMEMBER.search(message) is not None
