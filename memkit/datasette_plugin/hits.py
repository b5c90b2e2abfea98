"""A recall as a page shows it: JSON-able values for cards, facets, what was left out and what a model would read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memkit.bounded import bounded
from memkit.datasette_plugin.marks import marked
from memkit.datasette_plugin.parameters import Asked
from memkit.datasette_plugin.prose import plain, section, unlinked
from memkit.errors import BadQuestion
from memkit.graph.entities import by_names
from memkit.render import short, when_text
from memkit.results import Hit, Recall
from memkit.strategies import STRATEGIES, strategy
from memkit.text import normal_name
from memkit.types import Memory

POOL = 100  # the best so many are counted in facets
SPEAKING = 1000  # among the best so many a speaker's are looked for
MOST_FACETS = 8

ID = re.compile(r"[a-z_]+:[\w.-]+")  # where a source is no file: `chatgpt:5004d3de`, `memory:remembered`

# What channels are called on pages.
CHANNELS = {
    "fulltext": "words",
    "vector": "meaning",
    "sentence": "a sentence",
    "graph": "connection",
    "recent": "recent",
}


def found(memory: Any, asked: Asked, name: str, url: Callable[..., str]) -> dict[str, Any]:
    """What one database has for a recall, by the strategy of this name; `url` makes addresses of kinds and ids."""
    most = asked.page * asked.k
    pool = max(SPEAKING if asked.speaker else POOL, most + 1)
    chosen = bounded(strategy(name or None), memory.conn.candidates)
    try:
        recall = memory.recall(asked.q, pool, strategy=chosen, **asked.options())
    except ValueError as error:
        if name in STRATEGIES or not name:
            raise
        raise BadQuestion(f"This strategy cannot be used: {error}.") from error
    hits = [hit for hit in recall if not asked.speaker or hit.memory.speaker == asked.speaker]
    shown = hits[most - asked.k : most]
    return {
        "strategy": recall.strategy.name,
        "hits": _cards(memory.conn, recall, shown, most - asked.k, url),
        "more": len(hits) > most,
        "channels": [{"key": c, "name": CHANNELS.get(c, c), "state": state} for c, state in recall.channels.items()],
        "left_out": [
            {
                "id": left.memory.id,
                "text": short(plain(left.memory.text), 90),
                "score": round(left.score, 4),
                "reason": left.reason,
                "url": url("memory", left.memory.id),
            }
            for left in (*_after(hits[most:]), *recall.left_out)[:10]
            if not asked.speaker
        ],
        "facets": facets([hit.memory for hit in hits]),
        "counted": len(hits),
        "ms": {stage: round(ms, 1) for stage, ms in recall.ms.items()},
        "interval": str(recall.interval) if recall.interval else None,
        "warnings": list(recall.warnings),
        "context": recall.context(asked.budget) if asked.budget and asked.page == 1 else None,
    }


class _Next:
    """A hit of a later page, as what was left out is told."""

    def __init__(self, hit: Hit):
        self.memory, self.score, self.reason = hit.memory, hit.score, "on the next page"


def _after(hits: Iterable[Hit]) -> list[Any]:
    return [_Next(hit) for hit in hits]


# ---------------------------------------------------------------------------------------------- cards


def _cards(
    conn: Any, recall: Recall, hits: Sequence[Hit], before: int, url: Callable[..., str]
) -> list[dict[str, Any]]:
    pieces = marked(conn, recall.question, {hit.memory.key: hit.memory.text for hit in hits})
    names = _entity_ids(conn, {name for hit in hits for step in hit.path for name in (step.source, step.target)})
    top = max((hit.score for hit in recall), default=0.0)
    cards = []
    for place, hit in enumerate(hits, before + 1):
        card = hit.to_dict() | describe(hit.memory, url)
        card["place"] = place
        card["pieces"] = pieces[hit.memory.key]
        card["found_by"] = _found_by(hit, top)
        card["via"] = hit.via
        card["steps"] = [_step(step, names, url) for step in hit.path]
        cards.append(card)
    return cards


def describe(memory: Memory, url: Callable[..., str]) -> dict[str, Any]:
    """Where and when a memory is from, as people read it."""
    source = memory.source or ""
    return {
        "url": url("memory", memory.id),
        "kind": memory.kind,
        "title": memory.title,
        "section": unlinked(section(memory.text)[0]),
        "speaker": memory.speaker,
        "project": memory.project,
        "when": when_text(memory.happened_at),
        "known": when_text(memory.created_at),
        "source": source.partition(":")[0] if ID.fullmatch(source) else source.rsplit("/", 1)[-1],
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "tokens": memory.tokens,
        "archived": when_text(memory.archived_at),
        "valid_until": when_text(memory.valid_until),
    }


def _found_by(hit: Hit, top: float) -> list[dict[str, Any]]:
    """Each channel with its rank, and how much of the bar is its own; the best hit's bar is full."""
    total = sum(max(finding.contribution, 0) for finding in hit.why.values())
    length = 100 * hit.score / top if top > 0 else 0.0
    return [
        {
            "channel": channel.split()[0],
            "name": CHANNELS.get(channel.split()[0], channel.split()[0]),
            "rank": finding.rank,
            "percent": round(length * max(finding.contribution, 0) / total, 1) if total else 0.0,
        }
        for channel, finding in hit.why.items()
    ]


def _entity_ids(conn: Any, names: set[str]) -> dict[str, str]:
    """The id of the entity that each name means, by normalised name."""
    return {normal: known[0].id for normal, known in by_names(conn, names).items()} if names else {}


def _step(step: Any, names: Mapping[str, str], url: Callable[..., str]) -> dict[str, Any]:
    def end(name: str) -> dict[str, Any]:
        id = names.get(normal_name(name))
        return {"name": short(name, 60), "url": url("entity", id) if id else None}

    label = LABELS.get(step.label, step.label.replace("_", " "))
    return {
        "source": end(step.source),
        "label": label,
        "target": end(step.target),
        "quote": short(unlinked(step.quote), 200),
    }


LABELS = {
    "names": "names",
    "mention": "names",
    "title": "is about",
    "neighbour": "stands beside",
    "speaker": "says",
    "link": "is linked to",
    "relation": "is related to",
}


# ---------------------------------------------------------------------------------------------- facets


def facets(memories: Sequence[Memory]) -> list[dict[str, Any]]:
    """How many of these memories are of each kind, project, speaker and year."""
    counted = {
        "kind": Counter(memory.kind for memory in memories),
        "project": Counter(memory.project for memory in memories),
        "speaker": Counter(memory.speaker for memory in memories if memory.speaker),
        "year": Counter(memory.happened_at[:4] for memory in memories if memory.happened_at),
    }
    return [
        {"name": name, "values": [{"value": value, "count": count} for value, count in _most(counts)]}
        for name, counts in counted.items()
        if counts
    ]


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_FACETS]


def merged_facets(parts: Iterable[Sequence[Mapping[str, Any]]], counted: int) -> list[dict[str, Any]]:
    """The facets of several databases as one; only what would narrow: not one value that all that were counted have."""
    counts: dict[str, Counter[str]] = {}
    for part in parts:
        for facet in part:
            for value in facet["values"]:
                counts.setdefault(facet["name"], Counter())[value["value"]] += value["count"]
    return [
        {"name": name, "values": [{"value": value, "count": n} for value, n in _most(found)]}
        for name, found in counts.items()
        if len(found) > 1 or sum(found.values()) < counted
    ]
