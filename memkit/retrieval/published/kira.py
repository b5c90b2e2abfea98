"""Kira: RRF over several lists, bonuses from the graph, boosts, and a prompt with a share of the budget for each kind.

K01 to K31 and K43 in docs/behaviours.md. The policy at the end says what Kira does with old memories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memkit.core.types import Memory
from memkit.graph import facts
from memkit.graph.facts import Around, around
from memkit.retrieval import packing
from memkit.retrieval.boosts import About
from memkit.retrieval.channels.facts import ENTITY, MOST_MENTIONS, RELATION, Connected, Rankings, entities_at, paths
from memkit.retrieval.channels.kinds import PROCEDURE
from memkit.retrieval.context.layout import Layout
from memkit.retrieval.context.triggers import profile
from memkit.retrieval.designs import Design, register
from memkit.retrieval.fusion import Contributions, Fuser, Ranking, best_first, constant, rrf
from memkit.retrieval.intents import doing
from memkit.retrieval.lists import Part
from memkit.retrieval.queries import content
from memkit.retrieval.query_cache import QueryCache
from memkit.retrieval.question import Question
from memkit.retrieval.results import Hit, Recall
from memkit.retrieval.strategies import PLAIN, Fulltext, Fuse, Graph, Pack, Strategy, Vector
from memkit.storage.connection import Connection
from memkit.storage.filters import ELIGIBLE, Scope, eligible_among
from memkit.storage.store import dumps, keys_json

if TYPE_CHECKING:
    from memkit.retrieval.context.data import View
    from memkit.retrieval.context.values import Item, Plan, Room

KIRA = Strategy(
    name="kira",
    fulltext=Fulltext(weight=1.0, query="kira", columns=(1.0, 1.0, 0.5, 0.3, 0.0), limit=20, lists="kira"),
    vector=Vector(weight=1.0, limit=20, threshold=-1.0, complete=False),
    graph=Graph(weight=1.0, walk="kira", depth=2, fan_out=10, least_confidence=0.3),
    fuse=Fuse(method="kira", k=60.0),
    rank=replace(PLAIN, recency="kira", importance="kira", confidence="kira"),
    pack=Pack(layout="kira"),
)
BY_WORDS = 10  # entities, and relations

# ---------------------------------------------------------------------------------------------- words

# Besides function words: words that are neither nouns nor verbs, or are verbs only in form.
_NO_NOUN_NO_VERB = frozenset(
    """
    actually again ago almost already always anyway anyhow away back bad best better big certain different early easy
    else enough especially exactly far fine first former full good great happy hard here high hopefully important
    instead kind large last late later least less like little long low main maybe mostly much nearly never new next nice
    often okay old perhaps possible previous probably quick quickly quite rather ready real really recent recently right
    short similar simply slow small sometimes somehow soon special still sure thanks thing things time times today
    together tomorrow tonight usual usually well whole wrong yesterday yet young
    """.split()
)


def terms(text: str) -> list[str]:
    """Nouns and verbs of a text, as far as lists of other words can tell (K02); all content words if none is left."""
    found = content(text)
    return [word for word in found if word not in _NO_NOUN_NO_VERB] or found


# ---------------------------------------------------------------------------------------------- lists

KIRA_FACT_KINDS = ("fact", "preference")  # kinds that Kira keeps as facts


def lists(scope: Scope, question: Question, most: int, limit: int) -> list[Part]:
    """Episodes (only of the time that the question speaks of, if any), facts and procedures (K08, K09, K11).

    Procedures are searched by what the message wants done, too (K04). Both ends of the time count. BM25 scores of
    different tables cannot be compared, so each list has its own ranking (K10).
    """
    episodes = replace(scope, but_kinds=(*KIRA_FACT_KINDS, PROCEDURE))
    if question.interval:
        since = max(filter(None, (scope.since, question.interval.start)), default=None)
        until = min(filter(None, (scope.until, question.interval.end)), default=None)
        episodes = replace(episodes, since=since, until=until)
    return [
        Part("episodes", episodes, most),
        Part("facts", _of_kinds(scope, KIRA_FACT_KINDS), max(10, most // 2)),
        Part("procedures", _of_kinds(scope, (PROCEDURE,)), max(10, most // 2), also=doing(question.intent)),
    ]


def _of_kinds(scope: Scope, kinds: tuple[str, ...]) -> Scope:
    """The scope with only those of its kinds that are in `kinds`."""
    return replace(scope, kinds=kinds if scope.kinds is None else tuple(set(kinds) & set(scope.kinds)))


# ---------------------------------------------------------------------------------------------- the graph

# Of a relation's score, for its evidence: memories that only the graph found come after the best by words.
EVIDENCE_SHARE = 0.5

SELECT_STATED = f"""
with near as (
    select x.entity_key, m.key, m.confidence,
        row_number() over (partition by x.entity_key order by m.confidence desc, m.key) as place
    from mentions as x join memories as m on m.key = x.memory_key
    where x.entity_key in (select value from json_each(:keys))
        and m.kind in (select value from json_each(:stated)) and {ELIGIBLE}
)
select entity_key, key, confidence from near where place <= :limit order by entity_key, place
"""


def walk(
    conn: Connection, question: Question, strategy: Strategy, scope: Scope, rankings: Rankings, k: int
) -> Connected:
    """Entities, facts and relations within two relations of the named entities, each with a bonus (K14 to K19).

    Entities and relations are also found by words, as lists of their own in `rankings`, and by meaning, in the ranking
    `vector` among the memories (K09, K10, K12).
    """
    connected = _around_the_named(conn, question, strategy, scope)
    if strategy.fulltext:
        entities, relations = things_by_words(conn, question, scope)
        lists = {"fulltext entities": entities, "fulltext relations": relations}
        rankings.update({name: ranking for name, ranking in lists.items() if ranking})
    if strategy.vector and "vector" in rankings:
        most = max(strategy.vector.limit, k)
        similar = rankings["vector"] | things_by_meaning(conn, question, scope, strategy.vector.limit)
        rankings["vector"] = dict(list(best_first(similar.items()).items())[:most])
    keys = {key for ranking in rankings.values() for key in ranking if isinstance(key, tuple)}
    return _with_things(conn, sorted(keys), connected, scope)


def _around_the_named(conn: Connection, question: Question, strategy: Strategy, scope: Scope) -> Connected:
    """Bonuses for the entities and relations around the named entities, and for the facts that name them."""
    assert strategy.graph is not None
    settings = strategy.graph
    seeds = [one.entity.key for one in question.named]
    found = around(conn, seeds, scope, depth=settings.depth, fan_out=settings.fan_out, least=settings.least_confidence)
    out = _things(conn, found, scope)
    bonuses: dict[Any, float] = {(ENTITY, key): bonus(found.depths[key]) for key in out.entities}
    bonuses |= {(RELATION, key): bonus(fact.depth, fact.confidence) for key, fact in out.facts.items()}
    for entity, believed in stated(conn, found.depths, scope, settings.fan_out).items():  # nearest first
        for memory, confidence in believed.items():
            bonuses[memory] = max(bonuses.get(memory, 0.0), bonus(found.depths[entity], confidence))
    out.ranking = best_first(bonuses.items())
    return out


def stated(conn: Connection, entities: Iterable[int], scope: Scope, limit: int = 10) -> dict[int, dict[int, float]]:
    """Entity to the facts and preferences that name it, with their confidence; the `limit` surest of each (K15)."""
    found: dict[int, dict[int, float]] = {}
    own = {"keys": keys_json(entities), "stated": dumps(list(KIRA_FACT_KINDS)), "limit": limit}
    for row in conn.execute(SELECT_STATED, {**scope.parameters(), **own}):
        found.setdefault(row["entity_key"], {})[row["key"]] = row["confidence"]
    return found


def _things(conn: Connection, found: Around, scope: Scope) -> Connected:
    """The entities and facts of a walk, each with the memories behind it, and the paths to those.

    Behind a relation stand the memories that are its evidence; each gets half of its score. Behind an entity stand the
    memories with this title, or, if there are none, all that name it, with equal shares.
    """
    said = facts.facts(conn, found.relations, scope)
    names = entities_at(conn, found.depths)
    naming = facts.mentions(conn, names, MOST_MENTIONS)
    allowed = eligible_among(conn, sorted({memory for roles in naming.values() for memory in roles}), scope)
    behind: dict[Any, dict[int, float]] = {}
    last: dict[int, tuple[str, int]] = {}
    for key, fact in said.items():
        behind[RELATION, key] = dict.fromkeys((one.memory_key for one in fact.evidence), EVIDENCE_SHARE)
        for one in fact.evidence:
            last.setdefault(one.memory_key, (RELATION, key))
    for key, roles in naming.items():
        titled = [memory for memory, role in roles.items() if role == "title"]
        own = [memory for memory in titled or roles if memory in allowed]
        behind[ENTITY, key] = {memory: 1.0 / len(own) for memory in own}
        for memory in own:
            last.setdefault(memory, (ENTITY, key))
    return Connected(facts=said, entities=names, behind=behind, path=paths(found, said, names, last))


def things_by_words(conn: Connection, question: Question, scope: Scope) -> tuple[dict[Any, float], dict[Any, float]]:
    """Two rankings by words: one of ten entities, one of ten relations (K09, K10)."""
    from memkit.graph.entity_search import words

    index = words(conn)
    entities_found = index.entities(question.terms, question.cjk, BY_WORDS)
    scores = index.relations(question.terms, question.cjk, 2 * BY_WORDS)
    hold = facts.relations(conn, scores, scope)
    kept = [key for key in scores if key in hold][:BY_WORDS]
    return (
        {(ENTITY, key): score for key, score in entities_found.items()},
        {(RELATION, key): scores[key] for key in kept},
    )


def things_by_meaning(conn: Connection, question: Question, scope: Scope, limit: int) -> dict[Any, float]:
    """Entities by the cosine of "name: description", and their relations with the same score (K12)."""
    from memkit.graph.entity_vectors import nearest_entities

    if question.vector is None or question.model_key is None:
        return {}
    found = nearest_entities(conn, question.vector, question.model_key, threshold=0.0, limit=limit)
    near = {entity.key: cosine for entity, cosine in found}
    inherited: dict[Any, float] = {(ENTITY, key): score for key, score in near.items()}
    for relation in around(conn, near, scope, depth=0, fan_out=10).relations.values():
        scores = [near[end] for end in (relation.subject_key, relation.object_key) if end in near]
        inherited[RELATION, relation.key] = max(scores)
    return inherited


def _with_things(conn: Connection, keys: Sequence[Any], known: Connected, scope: Scope) -> Connected:
    """What the walk found (`known`), with the entities and relations that only words or meaning found."""
    fresh = {key for kind, key in keys if kind == ENTITY and key not in known.entities}
    said = {key for kind, key in keys if kind == RELATION and key not in known.facts}
    relations = facts.relations(conn, sorted(said), scope) if said else {}
    more = _things(conn, Around(dict.fromkeys(sorted(fresh), 0), relations), scope)
    return Connected(
        known.ranking,
        {**known.facts, **more.facts},
        {**known.entities, **more.entities},
        {**known.behind, **more.behind},
        lambda memory: known.path(memory) or more.path(memory),
    )


# ---------------------------------------------------------------------------------------------- fusion

BOOST = 2 * 1.2  # the highest boost: new and important
MOST = (2 / 61 + 0.02) * BOOST  # the best possible score: first in both channels and named, with that boost (K24)


def fuse(rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: float = 60.0) -> Contributions:
    """RRF of every list, plus the graph's bonuses, as shares of the best possible score (K18, K19, K24)."""
    fused = rrf({name: ranking for name, ranking in rankings.items() if name != "graph"}, weights, k)
    for key, extra in rankings.get("graph", {}).items():
        fused.setdefault(key, {})["graph"] = weights.get("graph", 1.0) * extra
    return {key: {name: part / MOST for name, part in parts.items()} for key, parts in fused.items()}


def bonus(depth: int, confidence: float = 1.0) -> float:
    """The graph's bonus at `depth` relations from a named entity: 0.02 / (1 + depth / 2) x confidence (K19)."""
    return 0.02 / (1 + 0.5 * depth) * confidence


# ---------------------------------------------------------------------------------------------- boosts


def recency(about: About) -> float:
    """2 now, falling to 1 within a week: 1 + max(0, 1 - hours / 168) (K21)."""
    return 1.0 if about.age is None else 1.0 + max(0.0, 1.0 - max(about.age, 0.0) / 7.0)


def importance(about: About) -> float:
    """0.8 to 1.2: 0.8 + importance / 10 x 0.4 (K22)."""
    return 0.8 + about.importance / 10.0 * 0.4


def confidence(about: About) -> float:
    """The confidence of facts, preferences and procedures; 1 for other memories (K23)."""
    return about.confidence if about.stated else 1.0


# ---------------------------------------------------------------------------------------------- the page

# Shares of the retrieval budget (K27), the most important first.
SHARES: Mapping[str, float] = {
    "profile": 0.15,
    "referenced": 0.30,
    "episodes": 0.30,
    "neighbours": 0.15,
    "procedures": 0.10,
}
PREFERENCES = 50
CANDIDATES = 120  # memories recalled, so that there are enough for each category
MOST_SHOWN = {"referenced": 20, "episodes": 40, "neighbours": 20, "procedures": 10}  # of them, by share (K08 to K12)
MARGIN = 0.05  # of the budget, kept for errors of the token estimate (K25)

# The section that shows a kind of memory, and the share that pays for it (K27). Other kinds are history if they have a
# time, and known context if they have none.
PLACES = {"fact": ("known", "referenced"), PROCEDURE: ("procedures", "procedures")}
DATED, UNDATED = ("history", "episodes"), ("known", "neighbours")


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The injected context, by kind: preferences, entities and facts, episodes, procedures (K25 to K31, K43).

    Preferences and the user's profile are always there (K27). A relation is left out if a fact that is its evidence is
    shown, because the fact says the same, and if it only says that a note links to another.
    """
    from memkit.retrieval.context.data import VAGUE
    from memkit.retrieval.context.values import NOT_HERE, Plan

    preferences = [view.memory("preferences", memory, share="profile") for memory in _profile(conn, found, scope)]
    keys = {item.key for item in preferences}
    new, said = view.unsaid(_placed(view, hit) for hit in found if ("memory", hit.memory.key) not in keys)
    items = _best(new)
    shown = {item.key[1] for item in items if item.section == "known"}
    repeated = [
        fact for fact in found.facts if fact.predicate in VAGUE or shown & {one.memory_key for one in fact.evidence}
    ]
    things = [
        *(
            view.entity("known", one, share=_share(one.depth))
            for one in found.entities
            if one.depth == 0 or one.description
        ),
        *(view.fact("known", one, share=_share(one.depth)) for one in found.facts if one not in repeated),
        *(item for item in items if item.section == "known"),
    ]
    return Plan(
        {
            "preferences": preferences,
            "known": sorted(things, key=_rank),
            "history": [item for item in items if item.section == "history"],
            "procedures": [item for item in items if item.section == "procedures"],
        },
        choose=choose,
        left_out=[*said, *(view.fact("known", fact).left_out(NOT_HERE) for fact in repeated)],
    )


def choose(items: Sequence[Item], room: Room) -> list[Item]:
    """The items that fit: each category has its share of the budget, and no more where others need less (K26, K27)."""
    most = packing.retrieval_budget(room.budget, margin=MARGIN)
    packed = [
        packing.fit([item for item in items if item.share == name], int(share * most), room.cost, room.shorten)
        for name, share in SHARES.items()
    ]
    return [item for category in packed for item in category.items]


def _profile(conn: Connection, found: Recall, scope: Scope) -> list[Memory]:
    """The user's profile and preferences: hits for the question first."""
    return profile(conn, scope, PREFERENCES, {hit.memory.key: n for n, hit in enumerate(found)})


def _placed(view: View, hit: Hit) -> Item:
    section, share = PLACES.get(hit.memory.kind, DATED if hit.memory.happened_at else UNDATED)
    return view.memory(section, hit.memory, hit, share=share)


def _best(items: Sequence[Item]) -> list[Item]:
    """The first items of each share, as many as the published queries return."""
    seen: Counter[str] = Counter()
    kept = []
    for item in items:
        seen[item.share] += 1
        if seen[item.share] <= MOST_SHOWN[item.share]:
            kept.append(item)
    return kept


def _share(depth: int) -> str:
    return "referenced" if depth == 0 else "neighbours"


def _rank(item: Item) -> tuple[bool, float]:
    """A sort key: entities that the question names first, everything else by score."""
    named = item.key[0] == "entity" and item.values["depth"] == 0
    return not named, -(item.values["score"] or 0.0)


# ---------------------------------------------------------------------------------------------- the design

register(
    Design(
        KIRA,
        query=terms,
        lists=lists,
        walk=walk,
        fuser=Fuser(fuse, constant, most=1 / BOOST),
        rules={"recency": recency, "importance": importance, "confidence": confidence},
        layouts={"kira": Layout(plan, k=CANDIDATES, follows=True)},
        policy={"steps": ("facts", "compress", "distil", "expire", "purge")},
        answers=QueryCache(most=100, seconds=60.0),
        compared_first=True,
    )
)
