"""Summaries of episodes without a model: sentences and notes of the others, chosen for being found again (digest.py).

How rare a word is, is asked of the full-text index (in how many memories it stands) and of the counts that reading
leaves behind: those still know what the memories said that have been summarised since. A young database knows little of
words yet, so that it is asked as if it held EXPECTED more memories, in which a word is as frequent as its place in the
vocabulary of the built-in model says (Zipf's law: that list is sorted by frequency).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from math import log
from typing import Any

from memkit.compress import terms
from memkit.digest import Rarity, digest, written
from memkit.embed.static import FOLDER
from memkit.embed.wordpiece import WordPiece
from memkit.extract.guard import strip_context
from memkit.life.summaries import EXTRACTIVE, Extractive, Point, Summary, Task, Turn
from memkit.store import dumps
from memkit.text import STOP_WORDS, content_words, fold, has_cjk, quoted

EXPECTED = 200  # memories that nobody has seen, of usual words
FREQUENT = 100  # the word at this place, and those before it, is in every one of them
MOST = 1000  # memories that are counted: a word of more is common
COUNT_WORD = """
select count(*) from (select 1 from memories_fts where memories_fts match :query limit :most)
"""
COUNT_PAIR = """
select count(*) from (select 1 from memories_cjk where memories_cjk match :query limit :most)
"""
COUNT_READ = """
select coalesce(sum(lower + upper), 0) from word_cases where word in (select value from json_each(:words))
"""
COUNT_MEMORIES = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'memories'"  # that ever were


class Digests(Extractive):
    """A Summariser for episodes: distinctive sentences word for word, and notes of the rest."""

    def __init__(self, conn: Any):
        self.conn = conn

    def summarise(
        self, turns: Sequence[Turn], budget: int, *, task: Task = "summary", known: Sequence[str] = ()
    ) -> Summary:
        """The points of these turns in at most `budget` tokens; what is no summary is left to Extractive."""
        if task != "summary" or known:
            return super().summarise(turns, budget, task=task, known=known)
        texts = [_told(turn) for turn in turns]
        pieces = digest(texts, budget, self.rarity(texts), weights=[turn.weight for turn in turns])
        points = [Point(written(group), (number,)) for number, group in groupby(pieces, key=lambda one: one.text)]
        return Summary(tuple(points), EXTRACTIVE)

    def rarity(self, texts: Iterable[str]) -> Rarity:
        """How much a term of these texts tells memories apart: log(1 + memories / those that have it).

        A title of several words is taken to be as rare as anything here; a function word tells nothing.
        """
        known = self._known(texts)
        rarest = max(known.values(), default=0.0)
        return lambda term: known.get(term, rarest if " " in term else 0.0)

    def _known(self, texts: Iterable[str]) -> dict[str, float]:
        total = self.conn.execute(COUNT_MEMORIES).fetchone()[0]
        share = {word: usual(word) for word in sorted({word for text in texts for word in content_words(text)})}
        forms: dict[str, set[str]] = {}
        for word in share:
            for term in terms(word):
                forms.setdefault(term, set()).add(word)

        def worth(term: str, words: set[str]) -> float:
            expected = EXPECTED * max(share[word] for word in words)
            return log(1 + (total + EXPECTED) / max(self._count(term, words) + expected, 1))

        return {term: worth(term, words) for term, words in forms.items() if not words <= STOP_WORDS}

    def _count(self, term: str, words: set[str]) -> int:
        """In how many memories a term stands, or how often it was read, in any of these forms."""
        if has_cjk(term):
            return int(self.conn.execute(COUNT_PAIR, {"query": f"text : {quoted(term)}", "most": MOST}).fetchone()[0])
        query = "text : (" + " OR ".join(map(quoted, sorted(words))) + ")"
        stands = int(self.conn.execute(COUNT_WORD, {"query": query, "most": MOST}).fetchone()[0])
        return max(stands, int(self.conn.execute(COUNT_READ, {"words": dumps(sorted(words))}).fetchone()[0]))


def usual(word: str) -> float:
    """In what share of texts one may expect a word, by its place among all words; 0 for one that is in no list."""
    place = _vocabulary().get(fold(word))
    return 0.0 if place is None else min(1.0, FREQUENT / max(place, 1))


@lru_cache(1)
def _vocabulary() -> dict[str, int]:
    return WordPiece.from_file(FOLDER / "tokenizer.json").vocabulary


def _told(turn: Turn) -> str:
    """A turn as text, with who says it in front of each line that does not say so itself."""
    text = strip_context(turn.text)
    single = turn.speaker and "," not in turn.speaker and not text.startswith(f"{turn.speaker}: ")
    return "\n".join(f"{turn.speaker}: {line}" for line in text.splitlines() if line.strip()) if single else text
