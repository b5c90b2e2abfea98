"""Turns of a conversation between people: whose turn it is, and whether it tells something or asks.

"Where did Anna move to?" is answered by what Anna says, not by who asks her; and rather by a turn that tells something
than by one that only asks or agrees. With an assistant it is different: who asks one for advice tells of himself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memkit.core.roles import is_role
from memkit.retrieval.strategies import Rank
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.words import is_question, sentences

MOST_TURNS = 60  # of the best candidates; turns further behind do not come among the hits
MOST_CHARACTERS = 2000  # of a turn: who pastes a page does not ask with it
USUAL_LENGTH = 150  # characters of a turn of which the length is neither gain nor loss
SHORTEST, LONGEST = 0.3, 2.0  # times the usual length: from here on it makes no difference

SELECT_TURNS = """
select key, speaker, substr(text, 1, :most) as text
from memories where key in (select value from json_each(:keys)) and speaker is not null
"""
SELECT_SPOKEN = """
select entity_key, memory_key from mentions
where memory_key in (select value from json_each(:keys)) and entity_key in (select value from json_each(:named))
    and role = 'speaker'
"""


def apply(rules: Rank) -> bool:
    """Whether any of these rules changes a score: if none does, no turn has to be read."""
    return (rules.speaker, rules.asking, rules.length) != (1.0, 1.0, 0.0)


def factors(conn: Connection, keys: Iterable[int], named: Iterable[int], rules: Rank) -> dict[int, dict[str, float]]:
    """The factors of those of `keys` (memories, best first) that are turns between people, without those of 1.

    `speaker` is for the turns of the one entity among `named` (of the question) that speaks; if several do, it is for
    none. `asking` and `length` say how much a turn tells: see `asking` and `length`.
    """
    turns = _turns(conn, list(keys)[:MOST_TURNS])
    asked = set(named)
    said = _said_by_the_named(conn, turns, asked) if turns and asked else frozenset()
    found = {
        key: {
            "speaker": rules.speaker if key in said else 1.0,
            "asking": asking(text, rules.asking),
            "length": length(text, rules.length),
        }
        for key, text in turns.items()
    }
    return {key: {name: by for name, by in each.items() if by != 1.0} for key, each in found.items()}


def asking(text: str, factor: float) -> float:
    """1 for a text that asks nothing, `factor` for one of questions alone, and between them by the share of sentences.

    >>> asking("I moved to Oslo. And you?", 0.7)
    0.85
    """
    if "?" not in text and "？" not in text:
        return 1.0
    spans = sentences(text)
    share = sum(is_question(text[start:end]) for start, end in spans) / max(len(spans), 1)
    return 1.0 - (1.0 - factor) * share


def length(text: str, power: float) -> float:
    """The text's length as a share of the usual one (between .3 and 2), to this power: 0 makes no difference."""
    share = min(max(len(text) / USUAL_LENGTH, SHORTEST), LONGEST)
    return float(share**power)


def _turns(conn: Connection, keys: list[int]) -> dict[int, str]:
    rows = conn.execute(SELECT_TURNS, {"keys": keys_json(keys), "most": MOST_CHARACTERS})
    return {row["key"]: row["text"] for row in rows if not is_role(row["speaker"])}


def _said_by_the_named(conn: Connection, turns: Mapping[int, str], named: Iterable[int]) -> frozenset[int]:
    """The turns of the one named entity that speaks in them; none if it is not one."""
    asked = {"keys": keys_json(turns), "named": dumps(sorted(named))}
    spoken = [(row["entity_key"], row["memory_key"]) for row in conn.execute(SELECT_SPOKEN, asked)]
    speakers = {entity for entity, _ in spoken}
    return frozenset(memory for _, memory in spoken) if len(speakers) == 1 else frozenset()
