"""Entry nodes: where a walk over the graph begins for a question, and with which weights.

A walk begins at the memories that words and meaning found, and at what the question names. A name counts as much as its
words speak for it: `we` may be the alias of a film, but in a question it is a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memkit.graph.adjacency import MemoryGraph, graph
from memkit.graph.question_entities import NamedEntity
from memkit.graph.random_walk import MOST_NAMED
from memkit.graph.whole_counts import naming
from memkit.retrieval.fusion import Contributions, ranked
from memkit.retrieval.question import Question
from memkit.retrieval.strategies import Graph
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json
from memkit.text.extract.tokens import worded_sentences
from memkit.text.words import bigrams, has_cjk, quoted, words

USES = 4  # a name of which at least one in so many uses is a mention counts in full
MOST_USES = 100  # a name with more uses for each mention is a word: it leads nowhere
FOUND = 0.5  # a title counts in full if its memory was found at least this well; the best one has 1
UNFOUND = 0.01  # the share of a memory with the right title that no channel found; the best one found has 1

COUNT_MENTIONS = """
select entity_key, count(*) from mentions
where entity_key in (select value from json_each(:keys)) group by entity_key
"""
COUNT_USES = "select count(*) from (select 1 from memories_fts where memories_fts match :query limit :limit)"
COUNT_USES_CJK = "select count(*) from (select 1 from memories_cjk where memories_cjk match :query limit :limit)"


class EntryNodes(NamedTuple):
    """The weights of what a walk begins at, by key: found memories, entities, and memories whose title is named."""

    found: Mapping[int, float]
    entities: Mapping[int, float]
    titled: Mapping[int, float]


def entry_nodes(conn: Connection, question: Question, fused: Contributions, settings: Graph) -> EntryNodes:
    """Where a walk begins.

    The best memories so far have their score (the best is 1) to the power of `sharpness`. A named entity has its weight
    divided by the memories that mention it: a name that everything mentions says little (node specificity, HippoRAG).
    The memories with a named title share its weight. Both count only as much as the name is used as one.
    """
    best = {key: score for key, score in ranked(fused, settings.seeds).items() if score > 0}
    top = max(best.values(), default=1.0)
    support = {key: score / top for key, score in best.items()}
    found = {key: share**settings.sharpness for key, share in support.items()}
    mentions = _mentions(conn, question)
    weights = {named.entity.key: named.weight * share for named, share in _names(conn, question, mentions) if share > 0}
    entities = {key: settings.entities * weight / mentions[key] for key, weight in weights.items()}
    titles = {key: settings.titled * weight * min(1.0, MOST_NAMED / mentions[key]) for key, weight in weights.items()}
    return EntryNodes(found, entities, _titled(graph(conn), titles, found, support))


def _mentions(conn: Connection, question: Question) -> dict[int, int]:
    """How many memories mention each named entity; at least 1."""
    keys = [named.entity.key for named in question.named]
    counts = {row[0]: row[1] for row in conn.execute(COUNT_MENTIONS, {"keys": keys_json(keys)})}
    whole = naming(conn)
    return {key: max(counts.get(key, 1), whole.get(key, 1), 1) for key in keys}


# ---------------------------------------------------------------------------------------------- names and words


def _names(conn: Connection, question: Question, mentions: Mapping[int, int]) -> Iterator[tuple[NamedEntity, float]]:
    """The named entities, each with the share to which its words are a name here: 0 to 1."""
    capitalised = _capitalised(question.text) if question.named else set()
    for named in question.named:
        written_as_name = not capitalised.isdisjoint(words(named.words))
        yield named, 1.0 if written_as_name else _name_share(conn, named.words, mentions[named.entity.key])


def _capitalised(text: str) -> set[str]:
    """The words of a question that have a capital where a word has none: not at the start, nor in German."""
    return {
        word
        for sentence in worded_sentences(text)
        if not (sentence.german or sentence.mute)
        for token in sentence.tokens
        if token.capital and not token.first
        for word in words(token.word)
    }


def _name_share(conn: Connection, name: str, mentions: int) -> float:
    """How much of the use of these words is as the name of something that so many memories mention."""
    query, count = _phrase(name)
    if not query:
        return 1.0
    uses: int = conn.execute(count, {"query": query, "limit": MOST_USES * mentions}).fetchone()[0]
    if uses >= MOST_USES * mentions:
        return 0.0
    return min(1.0, USES * mentions / max(uses, 1))


def _phrase(name: str) -> tuple[str, str]:
    """The FTS5 expression for texts and titles with these words, and the statement that counts them."""
    if not has_cjk(name):
        said = " ".join(words(name))
        return f"{{text title}} : {quoted(said)}" if said else "", COUNT_USES
    pairs = bigrams(name).split()
    return f"{{text title}} : {quoted(' '.join(pairs))}" if pairs else f"characters : {quoted(name)}", COUNT_USES_CJK


# ---------------------------------------------------------------------------------------------- titles


def _titled(
    whole: MemoryGraph, entities: Mapping[int, float], found: Mapping[int, float], support: Mapping[int, float]
) -> dict[int, float]:
    """The memories whose title is a named entity. They share its weight; those that were found get more of it.

    If words and meaning found none of them well, the weight is the less: the name may mean something else. Nor does a
    title say much that many memories bear, as the sections of a long note do: its weight is divided by the square
    of their number.
    """
    shared: dict[int, float] = {}
    for entity in sorted(entities):
        keys = whole.titled(entity)
        if not keys:
            continue
        likely = {key: found.get(key, 0.0) + UNFOUND for key in keys}
        weight = entities[entity] / len(keys) ** 2 * min(1.0, max(support.get(key, 0.0) for key in keys) / FOUND)
        for key, part in likely.items():
            shared[key] = shared.get(key, 0.0) + weight * part / sum(likely.values())
    return shared
