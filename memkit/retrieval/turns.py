"""Turns of a conversation: whose turn it is, and how much it says of what is asked.

"Where did Anna move to?" is answered by what Anna says, not by who asks her; and rather by a turn that tells something
than by one that only asks or agrees. With an assistant it is different: who asks one for advice tells of himself, and
what somebody wants to know of his own life stands in his own words, not in the long answer that repeats them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from memkit.core.patterns import pattern
from memkit.core.roles import is_role, is_user
from memkit.retrieval.question import Question
from memkit.retrieval.strategies import PLAIN, Rank
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json
from memkit.text.pronouns import asks_of_oneself
from memkit.text.statements import named_speakers, statements
from memkit.text.words import ASKS, is_question, sentences

if TYPE_CHECKING:
    from memkit.retrieval.channels.fulltext import TermPostings

MOST_TURNS = 60  # of the best candidates; turns further behind do not come among the hits
MOST_CHARACTERS = 2000  # of a turn: who pastes a page does not ask with it
# The fields of Rank that are for turns, each with the value that changes no score.
NEUTRAL = {name: getattr(PLAIN, name) for name in ("speaker", "asking", "length", "covered", "assistant")}
USUAL_LENGTH = 150  # characters of a turn of which the length is neither gain nor loss
_ASKS = pattern(ASKS)
SHORTEST, LONGEST = 0.3, 2.0  # times the usual length: from here on it makes no difference

Turn = tuple[str, str]  # its speaker field and its text

SELECT_TURNS = """
select key, speaker, substr(text, 1, :most) as text
from memories where key in (select value from json_each(:keys)) and speaker is not null
"""
SELECT_SPOKEN = """
select entity_key, memory_key, surface from mentions
where memory_key in (select value from json_each(:keys)) and entity_key in (select value from json_each(:named))
    and role = 'speaker'
"""


def apply(rules: Rank) -> bool:
    """Whether any of these rules changes a score: if none does, no turn has to be read."""
    return any(getattr(rules, name) != value for name, value in NEUTRAL.items())


def factors(
    conn: Connection, keys: Iterable[int], question: Question, terms: Sequence[TermPostings], rules: Rank
) -> dict[int, dict[str, float]]:
    """The factors of those of `keys` (memories, best first) that are turns, without those of 1; see `Rank`.

    `speaker` is for the turns of the one entity of the question that speaks; if several do, it is for none. `asking`,
    `length` and `covered` say how much a turn tells: see the functions of these names. These four are for turns between
    people, `assistant` is for the others. Of a text in which several speak, `speaker` and `assistant` count by the
    share that is theirs.
    """
    turns = _turns(conn, list(keys)[:MOST_TURNS])
    between = {key: turn for key, turn in turns.items() if not all(map(is_role, named_speakers(turn[0])))}
    found = _between_people(conn, between, question, terms, rules)
    if len(between) < len(turns) and asks_of_oneself(question.text):
        found |= {
            key: {"assistant": _partly(rules.assistant, said_by(*turn, lambda name: not is_user(name)))}
            for key, turn in turns.items()
            if key not in between
        }
    return {key: {name: by for name, by in each.items() if by != 1.0} for key, each in found.items()}


def _between_people(
    conn: Connection, turns: Mapping[int, Turn], question: Question, terms: Sequence[TermPostings], rules: Rank
) -> dict[int, dict[str, float]]:
    if not turns:
        return {}
    from memkit.retrieval.channels import coverage

    asked = {one.entity.key for one in question.named}
    said = _said_by_the_named(conn, turns, asked) if asked else {}
    covered = dict(zip(turns, coverage.covered(terms, list(turns)), strict=True))
    return {
        key: {
            "speaker": _partly(rules.speaker, said.get(key, 0.0)),
            "asking": asking(text, rules.asking),
            "length": length(text, rules.length),
            "covered": 1.0 + rules.covered * covered[key] ** 2,
        }
        for key, (_, text) in turns.items()
    }


def _partly(factor: float, share: float) -> float:
    """A factor for what is only this share of a text."""
    return 1.0 + (factor - 1.0) * share


@lru_cache(maxsize=2048)
def _told_by_each(speaker: str, text: str) -> Mapping[str, int]:
    """The characters that each speaker says, by the labels of the lines; those before any label are nobody's."""
    told: dict[str, int] = {}
    for one in statements(text, named_speakers(speaker)):
        name = one.speaker.rstrip(":： \t")
        told[name] = told.get(name, 0) + len(one.words)
    return told


def said_by(speaker: str, text: str, wanted: Callable[[str], bool]) -> float:
    """The share (0 to 1) of a text that is said by the `wanted` ones of its speakers (a speaker field).

    >>> said_by("Anna, Ben", "Anna: I moved.\\nBen: Oh! To Oslo", lambda name: name == "Anna")
    0.5
    """
    names = named_speakers(speaker)
    if len(names) == 1:
        return float(wanted(names[0]))
    told = _told_by_each(speaker, text)
    labelled = sum(count for name, count in told.items() if name)
    if not labelled:  # nobody knows who says what
        return float(any(map(wanted, names)))
    return sum(count for name, count in told.items() if name and wanted(name)) / labelled


def asking(text: str, factor: float) -> float:
    """1 for a text that asks nothing, `factor` for one of questions alone, and between them by the share of sentences.

    >>> asking("I moved to Oslo. And you?", 0.7)
    0.85
    """
    if "?" not in text and text.isascii():
        return 1.0
    return 1.0 - (1.0 - factor) * _share_of_questions(text)


@lru_cache(maxsize=2048)  # the same turns are found for many questions, and a long one has many sentences
def _share_of_questions(text: str) -> float:
    if not _ASKS.search(text):
        return 0.0
    spans = sentences(text)
    return sum(is_question(text[start:end]) for start, end in spans) / max(len(spans), 1)


def length(text: str, power: float) -> float:
    """The text's length as a share of the usual one (between .3 and 2), to this power: 0 makes no difference."""
    share = min(max(len(text) / USUAL_LENGTH, SHORTEST), LONGEST)
    return float(share**power)


def _turns(conn: Connection, keys: list[int]) -> dict[int, Turn]:
    """The speaker and the text of each memory that is a turn."""
    rows = conn.execute(SELECT_TURNS, {"keys": keys_json(keys), "most": MOST_CHARACTERS})
    return {key: (speaker, text) for key, speaker, text in rows}


def _said_by_the_named(conn: Connection, turns: Mapping[int, Turn], named: Iterable[int]) -> dict[int, float]:
    """The turns of the one named entity that speaks in them, with the share that it says; none if it is not one."""
    asked = {"keys": keys_json(turns), "named": dumps(sorted(named))}
    spoken = conn.execute(SELECT_SPOKEN, asked).fetchall()
    if len({row["entity_key"] for row in spoken}) != 1:
        return {}
    return {row["memory_key"]: said_by(*turns[row["memory_key"]], row["surface"].__eq__) for row in spoken}
