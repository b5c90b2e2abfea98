"""Reranking: scores of entities and relations go to memories; then come boosts and the final order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from math import prod
from typing import Any

from memkit.core.instants import parse_iso
from memkit.graph.facts import scored
from memkit.graph.walk_results import Fact, FoundEntity
from memkit.retrieval import boosts, fusion, turns
from memkit.retrieval.channels.facts import MOST_LISTED, RELATION, Connected
from memkit.retrieval.registry import RULES
from memkit.retrieval.retrievers import Found, Search, channel_of
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN
from memkit.storage.store import keys_json
from memkit.storage.template_lines import empty_forms
from memkit.text.prose import LONGEST_WORDLESS, has_words

SELECT_ABOUT = f"""
select m.key, m.project, {WHEN} as at, m.kind, m.importance, m.confidence,
    coalesce(a.count, 0) as accesses, a.last_at
from memories as m left join access as a on a.memory_key = m.key
where m.key in (select value from json_each(:keys))
"""
SELECT_PLACE = f"""
select m.key, m.project, {WHEN} as at from memories as m where m.key in (select value from json_each(:keys))
"""
SELECT_IDS = """
select key, id, iif(length(text) <= :longest, text, null) as short
from memories where key in (select value from json_each(:keys))
"""
NEARLY = 1 - 1e-9  # for what multiplying in another order makes of a number
BELIEVED_KINDS = ("fact", "preference", "procedure")  # here confidence says how likely the memory is to be true


def settled(found: Found, fused: fusion.Contributions, most: float) -> fusion.Contributions:
    """The contributions of memories alone; those of entities and relations go to the memories behind them.

    None has more than `most` together (K24). A relation's score is multiplied by its confidence (K23). The scores of
    entities and relations are also kept in `found.connected`, and those of the memories become the ranking `graph`.
    """
    connected = found.connected
    if connected is None or not any(isinstance(key, tuple) for key in fused):
        return fused
    things: dict[Any, float] = {}
    for key, parts in fused.items():
        if isinstance(key, tuple):
            fact = connected.facts.get(key[1]) if key[0] == RELATION else None
            things[key] = sum(parts.values()) * (fact.confidence if fact else 1.0)
    _note_scores(connected, things)
    out = fusion.settle(fused, things, connected.behind, most)
    found.rankings["graph"] = fusion.best_first((key, parts["graph"]) for key, parts in out.items() if "graph" in parts)
    return out


def _note_scores(connected: Connected, things: Mapping[Any, float]) -> None:
    for (kind, key), score in things.items():
        if kind == RELATION and key in connected.facts:
            connected.facts[key] = scored(connected.facts[key], score)
        elif kind != RELATION and key in connected.entities:
            connected.entities[key] = replace(connected.entities[key], score=score)


def facts_and_entities(connected: Connected | None) -> tuple[tuple[Fact, ...], tuple[FoundEntity, ...]]:
    """The best facts and the best entities that were found in the graph; ties by depth, then in the order found."""
    if connected is None:
        return (), ()
    facts = sorted(connected.facts.values(), key=lambda one: (-one.score, one.depth))
    entities = sorted(connected.entities.values(), key=lambda one: (-one.score, one.depth))
    return tuple(facts[:MOST_LISTED]), tuple(entities[:MOST_LISTED])


def factors(search: Search, scores: Mapping[int, float], found: Found, most: int) -> dict[int, dict[str, float]]:
    """The boosts of each memory that may be among the `most` best by its score: name to factor, without those of 1.

    Nothing is read if no boost can apply.
    """
    out: dict[int, dict[str, float]] = {}
    scores, rules = dict(scores), search.strategy.rank
    if turns.apply(rules) and not found.only_time:
        best = fusion.best_of(scores, turns.MOST_TURNS)
        out = turns.factors(search.conn, best, search.question, found.terms, rules)
    for key, by_turn in out.items():
        scores[key] *= prod(by_turn.values())
    for key, by_row in _factors_of_rows(search, scores, most).items():
        out[key] = {**by_row, **out.get(key, {})}
    return out


def _factors_of_rows(search: Search, scores: Mapping[int, float], most: int) -> dict[int, dict[str, float]]:
    """The boosts by what stands in a memory's row: time, project, importance, confidence, accesses."""
    rules, scope, interval = search.strategy.rank, search.scope, search.question.interval
    chosen = {name: table[getattr(rules, name)] for name, table in RULES.items() if getattr(rules, name) != "none"}
    in_project = bool(scope.project) and (rules.project != 1.0 or rules.global_project != 1.0)
    in_time = interval is not None and rules.interval != 1.0
    if not (chosen or in_project or in_time):
        return {}
    now = parse_iso(scope.now)
    steps = [(1.0, rules.project, rules.global_project)] * in_project + [(1.0, rules.interval)] * in_time
    keys = scores if chosen else _within_reach(scores, prod(map(min, steps)), prod(map(max, steps)), most)
    out: dict[int, dict[str, float]] = {}
    for row in search.conn.execute(SELECT_ABOUT if chosen else SELECT_PLACE, {"keys": keys_json(keys)}):
        about = _about(row, now) if chosen else None  # reading times costs more than all the rest
        factors = {name: rule(about) for name, rule in chosen.items()} if about else {}
        key, project, at = row[:3]
        if in_project:
            same, everyone = project == scope.project, project == "global"
            factors["project"] = rules.project if same else rules.global_project if everyone else 1.0
        if in_time and at and interval and interval.contains(at):
            factors["interval"] = rules.interval
        out[key] = {name: factor for name, factor in factors.items() if factor != 1.0}
    return out


def _within_reach(scores: Mapping[int, float], low: float, high: float, most: int) -> Iterable[int]:
    """The keys that may be among the `most` best once each score is multiplied by a number from `low` to `high`."""
    least = low * sorted(scores.values(), reverse=True)[most - 1] if 0 < most < len(scores) else 0.0
    return [key for key, score in scores.items() if high * score >= NEARLY * least] if least > 0 else scores


def _about(row: Any, now: datetime) -> boosts.About:
    return boosts.About(
        importance=row["importance"],
        confidence=row["confidence"],
        age=_days(row["at"], now),
        accesses=row["accesses"],
        unread=_days(row["last_at"], now),
        stated=row["kind"] in BELIEVED_KINDS,
    )


def _days(when: str | None, now: datetime) -> float | None:
    try:
        return None if not when else (now - parse_iso(when)).total_seconds() / 86400
    except ValueError:
        return None


def ordered(
    conn: Connection,
    fused: fusion.Contributions,
    scores: Mapping[int, float],
    boosts: Mapping[int, Mapping[str, float]],
    most: int,
) -> list[tuple[int, float]]:
    """The `most` best keys with their boosted scores, best first.

    A text without words, or of a template's headings only, has a score of 0.
    Of equals those come first that words found, as in Kira's published code; then the ids decide.
    """
    scores = dict(scores)
    for key, factors in boosts.items():
        for factor in factors.values():
            scores[key] *= factor
    kept = list(fusion.best_of(scores, most).items())  # ties at the end are decided by id
    named = conn.execute(
        SELECT_IDS, {"keys": keys_json(key for key, _ in kept), "longest": LONGEST_WORDLESS}
    ).fetchall()
    ids = {row[0]: row[1] for row in named}
    short = {row[0]: row[2] for row in named if row[2] is not None}
    wordless = {key for key, text in short.items() if not has_words(text)} | empty_forms(conn, short)
    found = [(key, 0.0 if key in wordless else score) for key, score in kept if key in ids]
    by_words = {key for key, _ in found if any(channel_of(name) == "fulltext" for name in fused[key])}
    return sorted(found, key=lambda item: (-item[1], item[0] not in by_words, ids[item[0]]))[:most]
