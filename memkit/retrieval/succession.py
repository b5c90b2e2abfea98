"""Succession: a later hit that says what an earlier one says differently by now stands above it.

"Where does Clara live?" finds "Clara lives in Lisbon" first, for it has both words; but "Clara has moved to Ghent" was
said a year later. A question about now wants the later one first, and is told that the earlier one was followed.

What a link says was replaced is no hit; but another note may say the same. It counts as followed by the same memory.

Otherwise only words tell: the later memory says a change (`text/change.py`), and has most of the question's words that
the earlier one was found by. That is a guess. So it orders hits, hides none, and does not say since when something
holds: what the graph knows of times says that (`db.about`). The numbers are from docs/recall.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memkit.core.classes import dataclass
from memkit.core.patterns import pattern
from memkit.core.roles import MAYBE_OWN, is_user
from memkit.retrieval.question import Question
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN, Scope
from memkit.storage.store import keys_json
from memkit.text.change import (
    asks_of_several,
    asks_of_the_past,
    is_to_live,
    said_changed,
    says_moved,
)
from memkit.text.pronouns import in_first_person
from memkit.text.stems import stem
from memkit.text.words import has_cjk, words

if TYPE_CHECKING:
    from memkit.retrieval.channels.fulltext import TermPostings

FIRST, AMONG = 10, 20  # the first candidates may be followed by others, of so many
LONGEST = 400  # characters of a memory that are read: a statement stands at its beginning, or is one
STATEMENT = 300  # characters of a text that says one thing

# Shares of the question's words, by rarity:
LEAST_FOUND = 0.5  # of all, in the earlier memory: else it is no answer, and nothing follows it
LEAST_SHARED = 0.45  # of those in the earlier memory, in a later statement with the rarest of them or with a name
MOST_SHARED = 0.7  # and in any other later text
PAIRS_SHARED = 0.4  # of pairs of characters, half of which belong to two words
LEAST_SCORE = 0.4  # of the earlier memory's score, that the later one has without help if it lacks a word
REPEATED = 0.5  # of the words of two texts, that both have if one repeats the other
ABOVE = 1.000001  # times the score of the earlier memory

SELECT_SAID = f"""
select m.key, substr(m.text, 1, {LONGEST}) as text, {WHEN} as at, coalesce(m.speaker, '') as speaker,
    coalesce(d.kind, '') as document_kind
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys)) and {WHEN} is not null
order by at, m.key
"""


SELECT_REPLACED = f"""
with recursive replaced(new, old) as (
    select from_key, to_key from links
    where type = 'supersedes' and from_key in (select value from json_each(:keys))
    union
    select r.new, l.to_key from replaced as r join links as l on l.from_key = r.old and l.type = 'supersedes'
)
select r.new, substr(m.text, 1, {LONGEST}) as text, coalesce(m.valid_until, '') as at
from replaced as r join memories as m on m.key = r.old
order by r.new, r.old
"""


class Later(NamedTuple):
    """That a memory (key) was followed by a later one, which has this share of the words the first was found by.

    `at` is when, if that is stored; else it was when the later one was said.
    """

    old: int
    new: int
    shared: float
    at: str = ""


def apply(question: Question, scope: Scope) -> bool:
    """Whether a question asks for one thing that holds now, as far as its filters, times and words tell."""
    return not (scope.as_of or scope.until or question.interval or asks_of_several(question.text))


def later(conn: Connection, question: Question, terms: Sequence[TermPostings], keys: Sequence[int]) -> list[Later]:
    """Which of these memories (best first) are followed by others of them, in the order of their days."""
    asked = Asked.of(question, terms)
    rows = conn.execute(SELECT_SAID, {"keys": keys_json(keys[:AMONG])}).fetchall()
    had = cache(lambda place: asked.found_in(f"{rows[place]['speaker']}: {rows[place]['text']}"))
    changed = cache(lambda place: asked.changed(rows[place]))
    first = set(keys[:FIRST])
    found = _repeated(conn, rows, first)
    for place, old in enumerate(rows):
        if old["key"] not in first or not asked.is_answer(had(place)):
            continue
        after = [
            Later(old["key"], rows[n]["key"], asked.shared(had(place), changed(n), rows[n]))
            for n in range(place + 1, len(rows))
            if rows[n]["at"] > old["at"] and asked.shared(had(place), had(n), rows[n])
            if not (_is_of_another(old, rows[n]) or _is_of_another(rows[n], old))
        ]
        most = max((one.shared for one in after), default=0.0)
        found += [one for one in after if one.shared == most > 0]
    return found


def _repeated(conn: Connection, rows: Sequence[Any], first: Collection[int]) -> list[Later]:
    """The first hits that say what was replaced, in the words that its successor among these rows no longer has."""
    places = {row["key"]: place for place, row in enumerate(rows)}
    replaced = conn.execute(SELECT_REPLACED, {"keys": keys_json(places)}).fetchall()
    return [
        Later(row["key"], one["new"], 1.0, one["at"])
        for one in replaced
        for row in rows[: places[one["new"]]]
        if row["key"] in first and row["at"] < rows[places[one["new"]]]["at"]
        if _says_still(row["text"], one["text"], rows[places[one["new"]]]["text"])
    ]


def _says_still(text: str, old: str, new: str) -> bool:
    """Whether a text says what an old one said and a new one does not, in much the same words."""
    here, before, now = (set(words(one)) for one in (text, old, new))
    return bool(before - now) and before - now <= here and len(here & before) >= REPEATED * len(here | before)


def raised(best: Sequence[tuple[int, float]], found: Sequence[Later]) -> dict[int, float]:
    """The factors that bring the later memories above the earlier ones, by key."""
    before = dict(best)
    scores = dict(before)
    for one in found:
        if one.shared >= 1 or before[one.new] >= LEAST_SCORE * before[one.old]:
            scores[one.new] = max(scores[one.new], scores[one.old] * ABOVE)
    return {key: scores[key] / before[key] for key in scores if scores[key] > before[key] > 0}


@dataclass(frozen=True)
class Asked:
    """What a question asks of: its terms and their rarity, the names among them; of its writer (I, my); of the past."""

    rarity: Mapping[str, float]
    names: frozenset[str]
    own: bool
    past: bool

    @classmethod
    def of(cls, question: Question, terms: Sequence[TermPostings]) -> Asked:
        """The terms of a question that some memory has; without single characters, which are in every text."""
        rarity = {one.term: one.rarity for one in terms if one.rarity > 0 and len(one.keys) and " " not in one.term}
        capital = {stem(word) for word in _CAPITAL.findall(question.text)}
        names = frozenset(term for term in rarity if stem(term) in capital)
        return cls(rarity, names, in_first_person(question.text), asks_of_the_past(question.text))

    @cached_property
    def _stems(self) -> Mapping[str, str]:
        return {term: stem(term) for term in self.rarity}

    @cached_property
    def _begins(self) -> tuple[str, ...]:
        return tuple(self._stems.values())

    @cached_property
    def _in_pairs(self) -> frozenset[str]:
        return frozenset(filter(has_cjk, self.rarity))

    @cached_property
    def _living(self) -> frozenset[str]:
        return frozenset(filter(_lives, self.rarity))

    @cached_property
    def _total(self) -> float:
        return self._sum(self.rarity)

    def has(self, word: str) -> bool:
        """Whether the question has a form of this word."""
        return stem(word) in self._begins

    def found_in(self, text: str) -> frozenset[str]:
        """The terms that a text has, other forms of a word included; who moved lives somewhere."""
        stems = {stem(word) for word in _words_of(text) if word.startswith(self._begins) or not word.isascii()}
        found = {term for term, own in self._stems.items() if own in stems}
        found.update(term for term in self._in_pairs if term in text)
        return frozenset(found | self._living if self._living and says_moved(text) else found)

    def is_answer(self, has: frozenset[str]) -> bool:
        """Whether a memory with these terms may answer the question at all."""
        return self._sum(has) >= LEAST_FOUND * self._total > 0

    def changed(self, row: Any) -> frozenset[str]:
        """The terms in those sentences of a memory that say a change, and of its speaker."""
        said = said_changed(row["text"], self.has, corrected=self.past)
        return self.found_in(f"{row['speaker']}: {said}") if said else frozenset()

    def shared(self, there: frozenset[str], has: frozenset[str], new: Any) -> float:
        """The share of an earlier memory's terms (`there`) among those that a later one `has`; 0 for too few."""
        here = has & there
        if not here or not self.names & there <= here:
            return 0.0
        if self.own and len(here) < 2 and not self.names & here and not _is_mine(new):
            return 0.0  # somebody else's
        share = self._sum(here) / self._sum(there)
        return share if share >= self._least(there, here, new["text"]) else 0.0

    def _least(self, there: frozenset[str], here: frozenset[str], text: str) -> float:
        if any(map(has_cjk, there)):
            return PAIRS_SHARED
        rarest = max(self.rarity[term] for term in there)
        telling = bool(self.names & here) or any(self.rarity[term] >= rarest for term in here)
        return LEAST_SHARED if telling and len(text) <= STATEMENT else MOST_SHARED

    def _sum(self, terms: Iterable[str]) -> float:
        return sum(sorted(self.rarity[term] for term in terms))  # sorted: the same sum in every run


@lru_cache(maxsize=1 << 10)  # the same memories are found for many questions
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words(text))


_CAPITAL = pattern(r"(?<=[\w,;:] )[^\W\d_a-zà-öø-ÿ]\w*")  # inside a sentence


def _is_mine(row: Any) -> bool:
    """Whether a text tells of its writer, and that may be the user: not in a web page, a book or captions."""
    own = is_user(row["speaker"]) if row["speaker"] else row["document_kind"] in MAYBE_OWN
    return own and in_first_person(row["text"])


def _is_of_another(row: Any, other: Any) -> bool:
    """Whether somebody with a name tells of themself in a text, and the other text neither is theirs nor names them."""
    speaker = row["speaker"]
    if not speaker or is_user(speaker) or speaker == other["speaker"] or not in_first_person(row["text"]):
        return False
    return _words_of(other["text"]).isdisjoint(_words_of(speaker))


def _lives(term: str) -> bool:
    return is_to_live(term[0] if has_cjk(term) else term)  # the other character of a pair may be a name's
