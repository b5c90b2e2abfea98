"""Search results of a page as values for JSON: cards, facets, left-out candidates, and the context for a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion
from memkit.core.formatting import short, when_text
from memkit.core.types import Memory
from memkit.frontends.datasette import reading, vault
from memkit.frontends.datasette.explanation import explained
from memkit.frontends.datasette.parameters import FACETS, Asked
from memkit.retrieval.answering import answering
from memkit.retrieval.everyday import channel_name, step_name
from memkit.retrieval.registry import STRATEGIES
from memkit.retrieval.results import Hit, LeftOut, Recall
from memkit.text.markdown_html import Around
from memkit.text.marking import marked
from memkit.text.prose import unlinked

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

SHOWN, BEFORE = 480, 120  # characters shown of a hit, and before the first marked word
POOL = 200  # the best hits: facets count and narrow these, as many as the channels of recall give
SPEAKING = 1000  # hits among which those of a speaker, and those for a feed, are searched
MOST_FACETS = 8
MOST_TOLD = 50  # answers in a feed

ID = re.compile(r"[a-z_]+:[\w.-]+")  # a source that is not a file: `chatgpt:5004d3de`, `memory:remembered`


def found(
    memory: MemoryDatabase,
    asked: Asked,
    name: str,
    url: Callable[..., str],
    *,
    pages_before: bool = False,
    owner: bool = False,
) -> dict[str, Any]:
    """The results of one database by the strategy `name`; `url` makes the address of a page from its kind and an id.

    With `pages_before`, the hits are those of all pages up to the one that is asked for. An `owner` sees images.
    """
    most = asked.page * asked.k
    recall = _recalled(memory, asked, name, max(SPEAKING if asked.speaker else POOL, asked.k))
    every = _of_speaker(recall, asked)
    hits = [hit for hit in every if matches(hit.memory, asked.chosen)]
    first = 0 if pages_before else most - asked.k
    shown = hits[first:most]
    next_page = [LeftOut(hit.memory, hit.score, "on the next page") for hit in hits[most : most + 10]]
    return {
        "strategy": recall.strategy.name,
        "hits": _cards(memory, recall, shown, first, url, owner),
        "more": len(hits) > most,
        "channels": [{"key": c, "name": channel_name(c), "state": state} for c, state in recall.channels.items()],
        "left_out": [
            {
                "id": left.memory.id,
                "text": reading.begins(left.memory.text, 90),
                "score": round(left.score, 4),
                "reason": left.reason,
                "url": url("memory", left.memory.id),
            }
            for left in (*next_page, *recall.left_out)[:10]
            if not asked.speaker and not asked.has
        ],
        "facets": facets([hit.memory for hit in every], asked.chosen),
        "counted": len(every),
        "matching": len(hits),
        "ms": {stage: round(ms, 1) for stage, ms in recall.ms.items()},
        "interval": str(recall.interval) if recall.interval else None,
        "warnings": list(recall.warnings),
        "confidence": round(recall.confidence, 3),
        "weak": recall.weak,
        "context": recall.context(asked.budget) if asked.budget and asked.page == 1 else None,
    }


def told(memory: MemoryDatabase, asked: Asked, *, url: Callable[..., str], owner: bool) -> list[dict[str, Any]]:
    """The cards of a feed: of all that may answer, the MOST_TOLD memories that came last, newest first."""
    recall = _recalled(memory, asked, asked.strategy, SPEAKING)
    narrowed = replace(
        recall, hits=tuple(hit for hit in _of_speaker(recall, asked) if matches(hit.memory, asked.chosen))
    )
    newest = sorted(answering(narrowed, asked.k), key=lambda hit: (hit.memory.created_at, hit.memory.id), reverse=True)
    return _cards(memory, recall, newest[:MOST_TOLD], 0, url, owner)


def _of_speaker(recall: Recall, asked: Asked) -> list[Hit]:
    return [hit for hit in recall if not asked.speaker or hit.memory.speaker == asked.speaker]


def _recalled(memory: MemoryDatabase, asked: Asked, name: str, most: int) -> Recall:
    try:
        return memory.recall(asked.q, most, strategy=memory.strategy(name or None), **asked.options())
    except ValueError as error:
        if name in STRATEGIES or not name:
            raise
        raise BadQuestion(f"This strategy cannot be used: {error}.") from error


# ---------------------------------------------------------------------------------------------- cards


def _cards(
    memory: MemoryDatabase, recall: Recall, hits: Sequence[Hit], before: int, url: Callable[..., str], owner: bool
) -> list[dict[str, Any]]:
    names = memory.entity_ids({name for hit in hits for step in hit.path for name in (step.source, step.target)})
    top = max((hit.score for hit in recall), default=0.0)
    excerpt = Around(recall.searched, SHOWN, BEFORE)
    folders = cache(lambda: vault.folders(memory))
    cards = []
    for place, hit in enumerate(hits, before + 1):
        card = hit.to_dict() | describe(hit.memory, url)
        card["place"] = place
        card["created_at"] = hit.memory.created_at
        card["heading"] = reading.headed(hit.memory)
        card["heading_pieces"] = marked(card["heading"], recall.searched, 2 * SHOWN, 0)
        around = replace(excerpt, image=vault.images(hit.memory, folders, url)) if owner else excerpt
        card["html"] = "" if reading.says_it_all(hit.memory) else reading.text(hit.memory, around)
        card["found_by"] = _found_by(hit, top)
        card["via"] = hit.via
        card["later_url"] = url("memory", hit.later) if hit.later else None
        card["later_at"] = when_text(hit.later_at)
        card["steps"] = [_step(step, names, url) for step in hit.path]
        card["explained"] = explained(hit, card["heading_pieces"], str(card["html"]), card["steps"])
        cards.append(card)
    return cards


def describe(memory: Memory, url: Callable[..., str]) -> dict[str, Any]:
    """The source, times and other fields of a memory in readable form."""
    source = memory.source or ""
    return {
        "url": url("memory", memory.id),
        "kind": memory.kind,
        "title": memory.title,
        "section": reading.heading(memory.text),
        "speaker": memory.speaker,
        "project": memory.project,
        "when": when_text(memory.happened_at),
        "known": when_text(memory.created_at),
        "source": source.partition(":")[0] if ID.fullmatch(source) else reading.file_name(source),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "tokens": memory.tokens,
        "archived": when_text(memory.archived_at),
        "valid_until": when_text(memory.valid_until),
    }


def _found_by(hit: Hit, top: float) -> list[dict[str, Any]]:
    """Each channel with its rank and its percentage of the bar; the bar of the best hit is 100 percent."""
    total = sum(max(finding.contribution, 0) for finding in hit.why.values())
    length = 100 * hit.score / top if top > 0 else 0.0
    return [
        {
            "channel": channel.split()[0],
            "name": channel_name(channel),
            "rank": finding.rank,
            "percent": round(length * max(finding.contribution, 0) / total, 1) if total else 0.0,
        }
        for channel, finding in hit.why.items()
    ]


def _step(step: Any, names: Mapping[str, str], url: Callable[..., str]) -> dict[str, Any]:
    def end(name: str) -> dict[str, Any]:
        id = names.get(name)
        return {"name": short(name, 60), "url": url("entity", id) if id else None}

    return {
        "source": end(step.source),
        "label": step_name(step.label),
        "target": end(step.target),
        "quote": short(unlinked(step.quote), 200),
    }


# ---------------------------------------------------------------------------------------------- facets


def value_of(memory: Memory, facet: str) -> str | None:
    """The value of a facet that a memory has; None if it has none, as an undated memory has no year."""
    if facet == "year":
        return memory.happened_at[:4] if memory.happened_at else None
    return getattr(memory, facet) or None


def matches(memory: Memory, chosen: Mapping[str, Sequence[str]]) -> bool:
    """Whether a memory has one of the chosen values of each facet of which any was chosen."""
    return all(value_of(memory, facet) in values for facet, values in chosen.items() if values)


def facets(memories: Sequence[Memory], chosen: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """How many of these memories have each value of a facet, with the choices in the other facets.

    So a count is the number of memories that one finds by choosing this value alone of its facet.
    """
    counted = {}
    for facet in FACETS:
        others = {name: values for name, values in chosen.items() if values and name != facet}
        left = [one for one in memories if matches(one, others)] if others else memories
        counted[facet] = Counter(value for one in left if (value := value_of(one, facet)))
    return [
        {
            "name": facet,
            "values": [{"value": value, "count": count} for value, count in counts.items()],
            "chosen": list(chosen.get(facet, ())),
        }
        for facet, counts in counted.items()
        if counts or chosen.get(facet)
    ]


def _most(counts: Counter[str], chosen: Collection[str]) -> list[dict[str, Any]]:
    """The most frequent values, and all that were chosen."""
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_FACETS]
    best += [(value, counts[value]) for value in chosen if value not in dict(best)]
    return [{"value": value, "count": count, "chosen": value in chosen} for value, count in best]


def merged_facets(parts: Iterable[Sequence[Mapping[str, Any]]], counted: int) -> list[dict[str, Any]]:
    """The facets of several databases as one: the most frequent values, and the chosen ones, however few they are.

    A facet with one value that all memories have is left out.
    """
    counts: dict[str, Counter[str]] = {}
    chosen: dict[str, list[str]] = {}
    for part in parts:
        for facet in part:
            chosen[facet["name"]] = facet["chosen"]
            counted_here = counts.setdefault(facet["name"], Counter())
            for value in facet["values"]:
                counted_here[value["value"]] += value["count"]
    return [
        {"name": name, "values": _most(found, chosen[name])}
        for name, found in counts.items()
        if len(found) > 1 or sum(found.values()) < counted or chosen[name]
    ]
