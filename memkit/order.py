"""What becomes of fused scores: boosts, the order, the cut; and what entities and relations got goes to memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memkit import fuse, rank
from memkit.channels.facts import MOST_LISTED, RELATION, Connected
from memkit.find import Found, best_first
from memkit.graph.facts import scored
from memkit.results import Fact, FoundEntity
from memkit.scope import Scope
from memkit.store import keys_json
from memkit.strategies import Strategy
from memkit.times import parse_iso
from memkit.understand import Question

SELECT_ABOUT = """
select m.key, m.kind, m.importance, m.confidence, m.project, coalesce(m.happened_at, m.created_at) as at,
    coalesce(a.count, 0) as accesses, a.last_at
from memories as m left join access as a on a.memory_key = m.key
where m.key in (select value from json_each(:keys))
"""
SELECT_IDS = "select key, id from memories where key in (select value from json_each(:keys))"
STATED = ("fact", "preference", "procedure")  # what a confidence is a confidence in


def settled(found: Found, fused: fuse.Contributions) -> fuse.Contributions:
    """The contributions of memories alone; what entities and relations got goes on to the memories behind them.

    A relation's score is weighed by its confidence, as its kind of thing is (K23); both keep their scores.
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
    out = fuse.settle(fused, things, connected.behind)
    found.rankings["graph"] = best_first((key, parts["graph"]) for key, parts in out.items() if "graph" in parts)
    return out


def _note_scores(connected: Connected, things: Mapping[Any, float]) -> None:
    for (kind, key), score in things.items():
        if kind == RELATION and key in connected.facts:
            connected.facts[key] = scored(connected.facts[key], score)
        elif kind != RELATION and key in connected.entities:
            connected.entities[key] = replace(connected.entities[key], score=score)


def facts_and_entities(connected: Connected | None) -> tuple[tuple[Fact, ...], tuple[FoundEntity, ...]]:
    """What a recall shows of the graph: the best facts, and the best entities; equal ones by depth, then as found."""
    if connected is None:
        return (), ()
    facts = sorted(connected.facts.values(), key=lambda one: (-one.score, one.depth))
    entities = sorted(connected.entities.values(), key=lambda one: (-one.score, one.depth))
    return tuple(facts[:MOST_LISTED]), tuple(entities[:MOST_LISTED])


def boosts(
    conn: Any, fused: fuse.Contributions, question: Question, strategy: Strategy, scope: Scope
) -> dict[int, dict[str, float]]:
    """What multiplies each memory's fused score, by name; nothing is asked of the database where nothing can."""
    rules = strategy.rank
    chosen = {name: table[getattr(rules, name)] for name, table in rank.RULES.items() if getattr(rules, name) != "none"}
    in_project = bool(scope.project) and (rules.project != 1.0 or rules.global_project != 1.0)
    in_time = question.interval is not None and rules.interval != 1.0
    if not (chosen or in_project or in_time):
        return {}
    now = parse_iso(scope.now)
    out: dict[int, dict[str, float]] = {}
    for row in conn.execute(SELECT_ABOUT, {"keys": keys_json(fused)}):
        about = _about(row, now)
        factors = {name: rule(about) for name, rule in chosen.items()}
        if in_project:
            same, everyone = row["project"] == scope.project, row["project"] == "global"
            factors["project"] = rules.project if same else rules.global_project if everyone else 1.0
        if in_time and question.interval and question.interval.contains(row["at"]):
            factors["interval"] = rules.interval
        out[row["key"]] = {name: factor for name, factor in factors.items() if factor != 1.0}
    return out


def _about(row: Any, now: datetime) -> rank.About:
    return rank.About(
        importance=row["importance"],
        confidence=row["confidence"],
        age=_days(row["at"], now),
        accesses=row["accesses"],
        unread=_days(row["last_at"], now),
        stated=row["kind"] in STATED,
    )


def _days(when: str | None, now: datetime) -> float | None:
    try:
        return None if not when else (now - parse_iso(when)).total_seconds() / 86400
    except ValueError:
        return None


def ordered(
    conn: Any, fused: fuse.Contributions, boosts: Mapping[int, Mapping[str, float]], most: int
) -> list[tuple[int, float]]:
    """Keys with their final scores, best first, equal ones by id."""
    scores = {key: sum(parts.values()) for key, parts in fused.items()}
    for key, factors in boosts.items():
        for factor in factors.values():
            scores[key] *= factor
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    kept = [item for item in best if item[1] >= best[min(most, len(best)) - 1][1]]  # ties at the end are decided by id
    ids = dict(tuple(row) for row in conn.execute(SELECT_IDS, {"keys": keys_json(key for key, _ in kept)}))
    return sorted((item for item in kept if item[0] in ids), key=lambda item: (-item[1], ids[item[0]]))[:most]
