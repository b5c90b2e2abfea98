"""Retention policy: which maintenance steps run automatically, and the thresholds that they use.

Every number has its bounds and a short description here; `policy_toml` reads and writes them. The values come from the
published designs (docs/behaviours.md: K37-K42, S11, M18 and their neighbours). Where the description says "memkit's",
memkit chose the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.formatting import html_table
from memkit.retrieval.registry import DESIGNS

LONGEST = 36_500.0  # days: a century
OBSERVE, REFLECT, FACTS, SLOTS, COMPRESS, DISTIL = "observe", "reflect", "facts", "slots", "compress", "distil"
PROMOTE, CRYSTALS, PROPOSE, PRUNE, EXPIRE, PURGE = "promote", "crystals", "propose", "prune", "expire", "purge"
# In the order in which they run: what a memory states is stored elsewhere before the memory is removed.
STEP_NAMES = (OBSERVE, REFLECT, FACTS, SLOTS, COMPRESS, DISTIL, PROMOTE, CRYSTALS, PROPOSE, PRUNE, EXPIRE, PURGE)
# All steps in the log, including those that run only on request.
LOGGED = (*STEP_NAMES, "compact", "feedback", "forget")


def _number(default: float, low: float, high: float, words: str) -> Any:
    """A number between two bounds; it must be whole if its default is."""
    return field(default=default, metadata={"low": low, "high": high, "words": words})


def _said(default: Any, words: str) -> Any:
    return field(default=default, metadata={"words": words})


@dataclass(frozen=True)
class EpisodePolicy:
    """How episodes age: raw, then compressed, then distilled (K37, K40-K42)."""

    compact_kinds: tuple[str, ...] = _said(("episode",), "kinds that age like this; add turn for imported chats")
    compress_after_hours: float = _number(24.0, 0, 24 * LONGEST, "raw episodes older than this are summarised")
    raw_days: float = _number(6.0, 0, LONGEST, "days until summarised raw episodes expire; their facts are kept")
    keep_importance: float = _number(8.0, 1, 11, "raw episodes of at least this importance stay")
    distil_after_days: float = _number(7.0, 0, LONGEST, "summaries older than this are distilled")
    compressed_days: float = _number(90.0, 0, LONGEST, "a summary that was not distilled expires after so many days")
    compress_share: float = _number(0.567, 0.01, 1, "length of a session's summaries, as a share of it (memkit's)")
    distil_share: float = _number(0.97, 0.01, 1, "length of distilled summaries, as a share of them (memkit's)")
    least_tokens: int = _number(40, 1, 100_000, "no summary needs to be shorter than this (memkit's)")
    single_tokens: int = _number(80, 1, 100_000, "a single message of at most so many tokens stays raw (memkit's)")
    part_tokens: int = _number(70, 50, 1_000_000, "a summary of more tokens is divided (memkit's)")


@dataclass(frozen=True)
class SlotRule:
    """When a slot is too full, and which memories may then be pruned (S11, S12; the numbers are memkit's)."""

    cap: int = _number(0, 0, 10_000_000, "largest number of memories in the slot; 0 means no limit")
    min_age_days: float = _number(30.0, 0, LONGEST, "a memory that was read in these last days stays")
    min_access: int = _number(3, 0, 1_000_000, "and so does a memory that was read this often")


@dataclass(frozen=True)
class PrunePolicy:
    """How many memories each slot keeps, and how long a removed one can be restored."""

    keep_days: float = _number(30.0, 0, LONGEST, "days in which restore and undo are possible (memkit's)")
    user: SlotRule = SlotRule()
    project: SlotRule = SlotRule()
    agent: SlotRule = SlotRule()


OFF, _, WRITE = FILL = ("off", "propose", "write")


@dataclass(frozen=True)
class SlotsPolicy:
    """What becomes of the values of slots that the user's own words say (S01)."""

    fill: str = _said(WRITE, "off, propose (all for you to decide) or write (only what is unsure is proposed)")


@dataclass(frozen=True)
class ConversationPolicy:
    """When a running conversation is summarised, and how many turns stay word for word (K38)."""

    budget_share: float = _number(0.75, 0.01, 1, "share of the budget above which old turns are summarised")
    keep_last: int = _number(10, 0, 100_000, "at most this many turns stay as they are")
    keep_share: float = _number(0.3, 0, 1, "and at most this share of the turns")


@dataclass(frozen=True)
class ObservePolicy:
    """When conversations are observed, and when observations are condensed (Construct)."""

    observer_tokens: int = _number(3_000, 1, 10_000_000, "a conversation with this many unobserved tokens is observed")
    reflector_tokens: int = _number(4_000, 1, 10_000_000, "observations with this many tokens in all are condensed")
    batch_tokens: int = _number(16_000, 100, 10_000_000, "at most this many tokens are observed at once")


@dataclass(frozen=True)
class TriggerPolicy:
    """What starts a new recall in a conversation (K32, K33)."""

    topic_cosine: float = _number(0.3, -1, 1, "a message with a lower cosine starts a new topic")
    recent_messages: int = _number(3, 1, 1_000, "number of last messages that a message is compared with")
    act: bool = _said(True, "whether triggers change what is looked up for a message")


@dataclass(frozen=True)
class PromotePolicy:
    """When a statement has enough support to become part of a crystal (membox)."""

    sources: int = _number(3, 1, 10_000, "independent sources that a statement needs")
    per_source: float = _number(0.05, 0, 1, "confidence gained with each further source")
    most: float = _number(0.95, 0, 1, "highest confidence that sources can give")
    crystal_characters: int = _number(1_500, 50, 1_000_000, "largest number of characters in a crystal")


@dataclass(frozen=True)
class FeedbackPolicy:
    """How feedback (useful, not useful) changes a memory."""

    adjust: bool = _said(False, "whether feedback changes importance")
    step: float = _number(0.25, 0, 9, "importance gained or lost with each piece of feedback")
    most: float = _number(1.0, 0, 9, "largest change of importance, up or down")


@dataclass(frozen=True)
class FilePolicy:
    """What the database file holds (K37 names no size)."""

    size_limit_mb: float = _number(0.0, 0, 1e9, "above it, ages are halved and the file vacuumed; 0 is no limit")
    sentences: bool = _said(True, "whether the sentences' words are stored, by which long texts are compared at once")


@dataclass(frozen=True)
class Policy:
    """What maintenance does automatically, and its thresholds. `preset` names the design with the default values."""

    preset: str = "memkit"
    steps: tuple[str, ...] = _said(
        (FACTS, SLOTS, COMPRESS, DISTIL, PRUNE, EXPIRE, PURGE), "steps that run automatically"
    )
    episodes: EpisodePolicy = EpisodePolicy()
    slots: SlotsPolicy = SlotsPolicy()
    prune: PrunePolicy = PrunePolicy()
    conversation: ConversationPolicy = ConversationPolicy()
    observe: ObservePolicy = ObservePolicy()
    triggers: TriggerPolicy = TriggerPolicy()
    promote: PromotePolicy = PromotePolicy()
    feedback: FeedbackPolicy = FeedbackPolicy()
    file: FilePolicy = FilePolicy()

    def _repr_html_(self) -> str:
        return html_table(f"Maintenance policy, preset {self.preset}", ("setting", "value", "meaning"), _settings(self))


def _settings(part: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Every setting: its name as `set_policy` takes it, its value, and its meaning."""
    for each in fields(part):
        value = getattr(part, each.name)
        if is_dataclass(value):
            yield from _settings(value, f"{path}{each.name}.")
        elif "words" in each.metadata:
            yield (f"{path}{each.name}", _written(value), each.metadata["words"])


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,g}" if isinstance(value, float) else str(value).lower()


# The policy of each published design, as differences from the values above.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "memkit": {},
    **{name: design.policy for name, design in DESIGNS.items()},
}
