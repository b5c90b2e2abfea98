"""What is to become of memories, as one value: which steps run by themselves, and the numbers that they go by.

Every number has its bounds and is said in words here; `policy_toml` reads and writes it. The values are the published
designs' own (systems.md, K37-K42, S11, M18 and what stands beside them), unless the words say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST = 36_500.0  # days: a century
OBSERVE, REFLECT, FACTS, COMPRESS, DISTIL = "observe", "reflect", "facts", "compress", "distil"
PROMOTE, CRYSTALS, PROPOSE, PRUNE, EXPIRE, PURGE = "promote", "crystals", "propose", "prune", "expire", "purge"
# In the order in which they run: nothing goes before what follows from it is kept.
STEP_NAMES = (OBSERVE, REFLECT, FACTS, COMPRESS, DISTIL, PROMOTE, CRYSTALS, PROPOSE, PRUNE, EXPIRE, PURGE)
# All that the log knows: also what is done when somebody asks for it.
LOGGED = (*STEP_NAMES, "compact", "feedback", "forget")


def _number(default: float, low: float, high: float, words: str) -> Any:
    """A number between two bounds; a whole one if its default is."""
    return field(default=default, metadata={"low": low, "high": high, "words": words})


def _said(default: Any, words: str) -> Any:
    return field(default=default, metadata={"words": words})


@dataclass(frozen=True)
class Episodes:
    """How episodes grow older: raw, compressed, distilled (K37, K40-K42)."""

    compact_kinds: tuple[str, ...] = _said(("episode",), "what grows older like this; add turn for imported chats")
    compress_after_hours: float = _number(24.0, 0, 24 * LONGEST, "raw ones older than this are summarised")
    raw_days: float = _number(6.0, 0, LONGEST, "and go so many days later, their facts kept")
    keep_importance: float = _number(8.0, 1, 11, "unless they are this important")
    distil_after_days: float = _number(7.0, 0, LONGEST, "summaries older than this are distilled")
    compressed_days: float = _number(90.0, 0, LONGEST, "a summary that was never distilled goes after so many days")
    compress_share: float = _number(0.5, 0.01, 1, "a summary's length as a share of what it sums up (memkit's)")
    distil_share: float = _number(0.9, 0.01, 1, "and a distilled one's as a share of the summary (memkit's)")
    least_tokens: int = _number(40, 1, 100_000, "no summary needs to be shorter (memkit's)")
    part_tokens: int = _number(8_000, 100, 1_000_000, "a longer session is summarised in parts (memkit's)")


@dataclass(frozen=True)
class SlotRule:
    """When a slot is too full, and what may go then (S11, S12; the numbers are memkit's)."""

    cap: int = _number(0, 0, 10_000_000, "how many memories it holds; 0 is any number")
    min_age_days: float = _number(30.0, 0, LONGEST, "what was read since then stays, even over the cap")
    min_access: int = _number(3, 0, 1_000_000, "and so does what was read this often")


@dataclass(frozen=True)
class Prune:
    """How much is let go, and how long it can be brought back."""

    keep_days: float = _number(30.0, 0, LONGEST, "so long what went can be restored, and changes be undone (memkit's)")
    user: SlotRule = SlotRule()
    project: SlotRule = SlotRule()
    agent: SlotRule = SlotRule()


@dataclass(frozen=True)
class Conversation:
    """When a running conversation is summarised, and how much of it stays word for word (K38)."""

    budget_share: float = _number(0.75, 0.01, 1, "of the budget: beyond it the oldest turns are summarised")
    keep_last: int = _number(10, 0, 100_000, "turns stay as they are, at most")
    keep_share: float = _number(0.3, 0, 1, "and at most this share of the turns")


@dataclass(frozen=True)
class Observe:
    """When conversations are observed, and observations condensed (Construct)."""

    observer_tokens: int = _number(3_000, 1, 10_000_000, "unobserved tokens from which on a conversation is observed")
    reflector_tokens: int = _number(4_000, 1, 10_000_000, "tokens of observations from which on they are condensed")
    batch_tokens: int = _number(16_000, 100, 10_000_000, "tokens that are observed at once")


@dataclass(frozen=True)
class Triggers:
    """What starts a fresh recall in a conversation (K32, K33)."""

    topic_cosine: float = _number(0.3, -1, 1, "a message less like the last ones than this is another topic")
    recent_messages: int = _number(3, 1, 1_000, "how many last ones it is compared with")


@dataclass(frozen=True)
class Promote:
    """When a statement is believed enough to become part of a crystal (membox)."""

    sources: int = _number(3, 1, 10_000, "sources that say so")
    per_source: float = _number(0.05, 0, 1, "confidence gained with each")
    most: float = _number(0.95, 0, 1, "and no more than this")
    crystal_characters: int = _number(1_500, 50, 1_000_000, "the length of a crystal at most")


@dataclass(frozen=True)
class Feedback:
    """What becomes of useful and not useful."""

    adjust: bool = _said(False, "whether it changes importance")
    step: float = _number(0.25, 0, 9, "importance gained or lost with each")
    most: float = _number(1.0, 0, 9, "and no more than this, up or down")


@dataclass(frozen=True)
class File:
    """How large the file may be (K37 names no size)."""

    size_limit_mb: float = _number(0.0, 0, 1e9, "beyond it, ages are halved and the file is vacuumed; 0 is any size")


@dataclass(frozen=True)
class Policy:
    """What upkeep does by itself and by which numbers; a preset says what is meant where nothing else is said."""

    preset: str = "memkit"
    steps: tuple[str, ...] = _said((FACTS, COMPRESS, DISTIL, PRUNE, EXPIRE, PURGE), "what runs by itself")
    episodes: Episodes = Episodes()
    prune: Prune = Prune()
    conversation: Conversation = Conversation()
    observe: Observe = Observe()
    triggers: Triggers = Triggers()
    promote: Promote = Promote()
    feedback: Feedback = Feedback()
    file: File = File()

    def _repr_html_(self) -> str:
        from memkit.render_life import policy_html

        return policy_html(self)


# What each published design does of all this, as differences from the values above.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "memkit": {},
    "kira": {"steps": (FACTS, COMPRESS, DISTIL, EXPIRE, PURGE)},
    "slots": {
        "steps": (PRUNE, PURGE),
        "prune": {name: {"cap": 200} for name in ("user", "project", "agent")},
    },
    "construct": {"steps": (OBSERVE, REFLECT, PURGE)},
    "membox": {"steps": (PROMOTE, CRYSTALS, PURGE)},
    "engram": {"steps": (PROPOSE, PURGE)},
}
