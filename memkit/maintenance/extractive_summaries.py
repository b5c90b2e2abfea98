"""Episode digests: extractive summaries without a model, made of the sentences that help recall to find the episode.

The rarity of a word comes from the full-text index (the number of memories that contain it) and from the word counts of
entity extraction, which still include memories that were summarised and removed. A new database has few words, so
EXPECTED further memories are assumed. In these, the frequency of a word follows from its rank in the vocabulary of the
built-in model (Zipf's law: that list is sorted by frequency).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from math import log

from memkit.embedding.static import FOLDER
from memkit.embedding.wordpiece import WordPiece
from memkit.maintenance.summaries import EXTRACTIVE, Extractive, Point, Summary, Task, Turn
from memkit.storage.connection import Connection
from memkit.storage.store import dumps
from memkit.text.chunking import lines_and_code
from memkit.text.compress import terms
from memkit.text.digest import Rarity, digest, written
from memkit.text.extract.guard import strip_context
from memkit.text.words import STOP_WORDS, content_words, fold, has_cjk, quoted

EXPECTED = 200  # assumed memories with ordinary words
FREQUENT = 100  # words up to this rank are in every one of them
MOST = 1000  # memories are counted up to this; a word in more of them is common
COUNT_WORD = """
select count(*) from (select 1 from memories_fts where memories_fts match :query limit :most)
"""
COUNT_PAIR = """
select count(*) from (select 1 from memories_cjk where memories_cjk match :query limit :most)
"""
COUNT_READ = """
select coalesce(sum(lower + upper), 0) from word_cases where word in (select value from json_each(:words))
"""
COUNT_MEMORIES = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'memories'"  # including deleted ones


class Digests(Extractive):
    """A summariser for episodes: distinctive sentences word for word, and short notes of the rest."""

    def __init__(self, conn: Connection):
        self.conn = conn

    def summarise(
        self, turns: Sequence[Turn], budget: int, *, task: Task = "summary", known: Sequence[str] = ()
    ) -> Summary:
        """The points of these turns in at most `budget` tokens. Other tasks than a summary are left to Extractive."""
        if task != "summary" or known:
            return super().summarise(turns, budget, task=task, known=known)
        texts = [_told(turn) for turn in turns]
        pieces = digest(texts, budget, self.rarity(texts), weights=[turn.weight for turn in turns])
        points = [Point(written(group), (number,)) for number, group in groupby(pieces, key=lambda one: one.text)]
        return Summary(tuple(points), EXTRACTIVE)

    def rarity(self, texts: Iterable[str]) -> Rarity:
        """The rarity of each term of these texts, as a function: log(1 + all memories / memories with the term).

        A name of several words counts as rare as the rarest term here; a stop word has rarity 0.
        """
        known = self._known(texts)
        rarest = max(known.values(), default=0.0)
        return lambda term: known.get(term, rarest if " " in term else 0.0)

    def _known(self, texts: Iterable[str]) -> dict[str, float]:
        total = self.conn.execute(COUNT_MEMORIES).fetchone()[0]
        share = {word: usual_share(word) for word in sorted({word for text in texts for word in content_words(text)})}
        forms: dict[str, set[str]] = {}
        for word in share:
            for term in terms(word):
                forms.setdefault(term, set()).add(word)

        def worth(term: str, words: set[str]) -> float:
            expected = EXPECTED * max(share[word] for word in words)
            return log(1 + (total + EXPECTED) / max(self._count(term, words) + expected, 1))

        return {term: worth(term, words) for term, words in forms.items() if not words <= STOP_WORDS}

    def _count(self, term: str, words: set[str]) -> int:
        """The number of memories with a term in any of these forms, or of times it was read, whichever is larger."""
        if has_cjk(term):
            return int(self.conn.execute(COUNT_PAIR, {"query": f"text : {quoted(term)}", "most": MOST}).fetchone()[0])
        query = "text : (" + " OR ".join(map(quoted, sorted(words))) + ")"
        stands = int(self.conn.execute(COUNT_WORD, {"query": query, "most": MOST}).fetchone()[0])
        return max(stands, int(self.conn.execute(COUNT_READ, {"words": dumps(sorted(words))}).fetchone()[0]))


def usual_share(word: str) -> float:
    """The expected share of texts (0 to 1) with a word, from its rank in the vocabulary; 0 for an unknown word."""
    place = _vocabulary().get(fold(word))
    return 0.0 if place is None else min(1.0, FREQUENT / max(place, 1))


@lru_cache(1)
def _vocabulary() -> dict[str, int]:
    return WordPiece.from_file(FOLDER / "tokenizer.json").vocabulary


def _told(turn: Turn) -> str:
    """A turn as text, with the speaker in front of its lines, unless it already begins with one; code stays code."""
    text = strip_context(turn.text)
    single = turn.speaker and "," not in turn.speaker and not text.startswith(f"{turn.speaker}: ")
    if not single:
        return text
    lines = ((line, code) for line, code in lines_and_code(text) if line.strip())
    return "\n".join(line if code else f"{turn.speaker}: {line}" for line, code in lines)
