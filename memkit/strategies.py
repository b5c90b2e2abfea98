"""Strategies: how a question is answered, as one frozen value that serialises to JSON.

A strategy names its channels and their settings, and how they are fused, ranked, cut, expanded and packed. Every
setting is a field, so that a URL, an SQL option, a slider and a test all speak of the same thing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isnan
from numbers import Integral, Real
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from memkit.errors import BadQuestion, NotFound, one_of
from memkit.render import html_table, short, table


@dataclass(frozen=True)
class Fulltext:
    """Words, by BM25.

    `query` names how a question becomes search terms (`queries.QUERIES`); `columns` weighs text, title, speaker, tags
    and neighbours; a term found in more than `common` memories is dropped while rarer ones remain; `lists` names how
    the memories are parted into lists that are ranked each on its own (`find.LISTS`). A term that stands only outside
    the sentences that ask counts `aside` times; with `own_statistics` a project that is searched alone is judged by how
    often words occur in it, not in the whole database.
    """

    weight: float = 1.0
    query: str = "content"
    columns: tuple[float, float, float, float, float] = (1.0, 1.0, 1.0, 1.0, 0.3)
    limit: int = 200
    common: int = 20_000
    lists: str = "one"
    aside: float = 1.0
    own_statistics: bool = False


@dataclass(frozen=True)
class Vector:
    """Meaning, by cosine. Cosines below `threshold` do not count; `complete` also compares what other channels found.

    With a `limit` of 0 memories are not searched by it: only what the graph leads to is compared.
    """

    weight: float = 0.3
    limit: int = 200
    threshold: float = -1.0
    complete: bool = True


@dataclass(frozen=True)
class Sentence:
    """The nearest single sentence of the best `limit` memories so far, by cosine: where the built-in model, or another
    that is as quick, made the vectors."""

    weight: float = 0.3
    limit: int = 40


@dataclass(frozen=True)
class Edges:
    """What each type of edge weighs in a walk, by the direction it is walked in; 0 switches it off.

    `names` leads from a memory that names a title to the memory of that title, as a reader would follow a link, `named`
    back. `mention` leads from a memory to an entity in it, `mentioned` from the entity to all that mention it; `title`
    and `titled` do so for the entity that a memory's title is.
    """

    names: float = 1.0
    named: float = 0.0
    mention: float = 0.1
    mentioned: float = 1.0
    title: float = 0.1
    titled: float = 1.0
    relation: float = 1.0
    link: float = 1.0
    neighbour: float = 0.0
    speaker: float = 0.0


@dataclass(frozen=True)
class Graph:
    """Connection, by a walk (`channels.graph.WALKS`) from what was found and named.

    Seeds are the best `seeds` memories so far, each with its score to the power of `sharpness`, and the entities named
    in the question with `entities`. `damping` is the walker's chance to go on; `depth`, `decay` and `fan_out` belong to
    the other walks. With `append` above 0 the walk adds that many memories at the end instead of being fused.

    The published designs walk over relations alone (`channels.facts.WAYS`): `construct` from `seeds` nodes, `kira` and
    `membox` from the named entities; relations must be surer than `least_confidence`.
    """

    weight: float = 2.5
    walk: str = "pagerank"
    seeds: int = 50
    sharpness: float = 4.0
    entities: float = 10.0
    titled: float = 4.0
    damping: float = 0.55
    least_strength: float = 0.17
    depth: int = 2
    decay: float = 0.7
    fan_out: int = 10
    specificity: float = 1.0
    edges: Edges = field(default_factory=Edges)
    limit: int = 200
    append: int = 0
    least_confidence: float = 0.0


@dataclass(frozen=True)
class Recent:
    """The newest memories, whatever the question. With a weight of 0 they are beside the hits, never among them."""

    weight: float = 0.1
    limit: int = 10


@dataclass(frozen=True)
class Fuse:
    """How rankings become one: `method` names a fuser (`fuse.FUSERS`), `normalise` what is done to scores before, `k`
    is RRF's constant, `alpha` and `decay` belong to membox."""

    method: str = "weighted"
    normalise: str = "max"
    k: float = 60.0
    alpha: float = 0.6
    decay: float = 0.7


@dataclass(frozen=True)
class Rank:
    """What multiplies a fused score. `recency`, `importance`, `confidence` and `access` name a rule of `rank.py`;
    `project` and `global_project` are factors for memories of the question's project and of none; `interval` is a
    factor for what happened in the time that the question speaks of."""

    recency: str = "none"
    importance: str = "none"
    confidence: str = "none"
    access: str = "none"
    project: float = 1.2
    global_project: float = 1.1
    interval: float = 1.5


@dataclass(frozen=True)
class Cut:
    """Which candidates are no answer: `method` names a rule of `rank.CUTS`, `value` is its threshold.

    `similar` wants a cosine of `value`, of the memory or of one sentence in it, where there are vectors.
    """

    method: str = "none"
    value: float = 0.0


@dataclass(frozen=True)
class Expand:
    """Which memories come along by a link of a hit, up to `depth` links away (0 is none).

    `latest` of a chain of `supersedes`, however long; the `opposite` of `contradicts`; up to `children` parts of a hub;
    with `related` also what hangs on any other link. `similar` is the least cosine with the question that the weak
    links `relates_to` and `contradicts` need to be followed.
    """

    depth: int = 0
    latest: bool = True
    opposite: bool = False
    children: int = 0
    similar: float = 0.0
    related: bool = False


@dataclass(frozen=True)
class Pack:
    """How hits become a prompt: the `layout` (a template in `templates/context/`), and the `budget` in tokens."""

    layout: str = "memkit"
    budget: int = 2000


@dataclass(frozen=True)
class Strategy:
    """How a question is answered. Change one with `replace(...)`."""

    name: str = "memkit"
    fulltext: Fulltext | None = field(default_factory=Fulltext)
    vector: Vector | None = field(default_factory=Vector)
    sentence: Sentence | None = None
    graph: Graph | None = field(default_factory=Graph)
    recent: Recent | None = None
    fuse: Fuse = field(default_factory=Fuse)
    rank: Rank = field(default_factory=Rank)
    cut: Cut = field(default_factory=Cut)
    expand: Expand = field(default_factory=Expand)
    pack: Pack = field(default_factory=Pack)

    def replace(self, **changes: Any) -> Strategy:
        """A changed copy. A part may be given as a dict of its own changes: `replace(vector={"weight": .5})`.

        Raises BadQuestion for a field or part that does not exist, and lists what there is; and for a value of another
        kind than the field's.
        """
        return _changed(self, changes)

    def to_dict(self) -> dict[str, Any]:
        """The strategy as JSON-able values, every field written out."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        """The strategy as JSON text."""
        return json.dumps(self.to_dict(), sort_keys=True)

    # ------------------------------------------------------------------------------------------ showing it

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that are not those of the named strategy of this name, by `part.field`: `{"vector.weight": .5}`.

        A part that is off is None. Where no strategy has this name, the default one is compared with.
        """
        base = _settings(STRATEGIES.get(self.name, MEMKIT))
        return {name: value for name, value in _settings(self).items() if base.get(name, base) != value}

    @property
    def summary(self) -> str:
        """The strategy in a line: its name, and what was changed."""
        told = ", ".join(_told(name, value) for name, value in self.changes.items())
        return f"{self.name}, with {told}" if told else self.name

    def _rows(self) -> list[tuple[str, str]]:
        parts = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "name")
        return [(name, _part_text(part)) for name, part in parts]

    def __repr__(self) -> str:
        return f"Strategy {self.summary}\n{table(self._rows(), '  ')}"

    def _repr_html_(self) -> str:
        return html_table(f"Strategy {self.summary}", ("part", "settings"), self._rows())


def part_of(name: str) -> Any:
    """A part of a strategy as it is if nothing else is said: `part_of("vector")`. Raises BadQuestion."""
    parts = [f.name for f in dataclasses.fields(Strategy) if f.name != "name"]
    if name not in parts:
        raise BadQuestion(one_of("part of a strategy", name, parts))
    part = _part_type(Strategy, name)
    assert part is not None
    return part()


def _settings(value: Any, within: str = "") -> dict[str, Any]:
    """Every setting by its path; a part that is off is one setting."""
    found: dict[str, Any] = {}
    for f in dataclasses.fields(value):
        inner = getattr(value, f.name)
        if dataclasses.is_dataclass(inner):
            found |= _settings(inner, f"{within}{f.name}.")
        elif within or f.name != "name":
            found[f"{within}{f.name}"] = inner
    return found


def _told(name: str, value: Any) -> str:
    if value is None:
        return f"{name} off"
    if isinstance(value, tuple):
        return f"{name} {'/'.join(_told('', one) for one in value)}".strip()
    return f"{name} {value:.4g}".strip() if isinstance(value, float) else f"{name} {value}".strip()


def _part_text(part: Any) -> str:
    return "off" if part is None else ", ".join(_told(name, value) for name, value in _settings(part).items())


@cache
def _hints(owner: type) -> dict[str, Any]:
    return get_type_hints(owner)


def _part_type(owner: type, name: str) -> type | None:
    """The dataclass that a field holds, or None for a plain value."""
    hint = _hints(owner)[name]
    options = getattr(hint, "__args__", (hint,))
    return next((option for option in options if isinstance(option, type) and dataclasses.is_dataclass(option)), None)


def _changed(value: Any, changes: Mapping[str, Any]) -> Any:
    names = {f.name for f in dataclasses.fields(value)}
    for name in changes:
        if name not in names:
            raise BadQuestion(one_of(f"field of {type(value).__name__}", name, names))
    return dataclasses.replace(value, **{name: _field(value, name, change) for name, change in changes.items()})


def _field(owner: Any, name: str, change: Any) -> Any:
    part = _part_type(type(owner), name)
    if part is not None and isinstance(change, Mapping):
        return _changed(getattr(owner, name) or part(), change)
    given = tuple(change) if isinstance(change, list) else change
    hint = _hints(owner.__class__)[name]
    if not _fits(given, hint):
        where = name if isinstance(owner, Strategy) else f"{type(owner).__name__.lower()}.{name}"
        kind = "an object of its settings" if part else _KINDS.get(hint, f"like {getattr(owner, name)}")
        raise BadQuestion(f"{where} must be {kind}, not {short(repr(change), 80)}.")
    return given


_KINDS = {int: "a whole number, 0 or more", float: "a number", str: "a word", bool: "true or false"}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type of a field; what counts something is never negative."""
    if get_origin(hint) is tuple:
        kinds = get_args(hint)
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if isinstance(hint, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
    if hint is float:
        return isinstance(value, Real) and not isinstance(value, bool) and not isnan(value)
    return isinstance(value, hint)


MEMKIT = Strategy(fulltext=Fulltext(aside=0.5, own_statistics=True), sentence=Sentence())

# ---------------------------------------------------------------------------------------------- as published
# What they search of a memory: text, title, speaker and tags. That its neighbours help to find it is memkit's own idea.

# What they do not speak of is written out where the default's own setting would be felt.

_PUBLISHED = (1.0, 1.0, 1.0, 1.0, 0.0)
_ALL = Cut(method="none")
_PLAIN = Rank("none", "none", "none", "none", project=1.0, global_project=1.0, interval=1.0)

# Active recall: words first, then meaning while there is room, then five memories that the graph leads to (C16 to C36).
CONSTRUCT = Strategy(
    name="construct",
    fulltext=Fulltext(weight=1.0, query="construct", columns=_PUBLISHED, limit=10),
    vector=Vector(limit=10, threshold=0.3, complete=False),
    graph=Graph(weight=1.0, walk="construct", seeds=5, depth=2, append=5),
    fuse=Fuse(method="waterfall"),
    rank=_PLAIN,
    cut=_ALL,
    expand=Expand(depth=0),
    pack=Pack(layout="construct"),
)
# Passive recall, before every message: a stricter threshold, no graph, beside the ten newest; five at a time (C01-C06).
CONSTRUCT_PASSIVE = CONSTRUCT.replace(vector={"threshold": 0.4}, graph=None, recent=Recent(weight=0.0, limit=10))

# Reciprocal ranks of every list, bonuses of the graph, and boosts (K01 to K24).
KIRA = Strategy(
    name="kira",
    fulltext=Fulltext(weight=1.0, query="kira", columns=(1.0, 1.0, 0.5, 0.3, 0.0), limit=20, lists="kira"),
    vector=Vector(weight=1.0, limit=20, threshold=-1.0, complete=False),
    graph=Graph(weight=1.0, walk="kira", depth=2, fan_out=10, least_confidence=0.3),
    fuse=Fuse(method="kira", k=60.0),
    rank=dataclasses.replace(_PLAIN, recency="kira", importance="kira", confidence="kira"),
    cut=_ALL,
    expand=Expand(depth=0),
    pack=Pack(layout="kira"),
)

# Words alone, ten memories of each slot, weighed by confidence (S01 to S16).
SLOTS = Strategy(
    name="slots",
    fulltext=Fulltext(weight=1.0, query="slots", columns=_PUBLISHED, limit=10, lists="slots"),
    vector=None,
    graph=None,
    fuse=Fuse(method="weighted", normalise="none"),
    rank=dataclasses.replace(_PLAIN, confidence="plain"),
    cut=_ALL,
    expand=Expand(depth=0),
    pack=Pack(layout="slots"),
)

# Triples around the named entities and raw text, by turns (M03 to M08, M13).
MEMBOX = Strategy(
    name="membox",
    fulltext=Fulltext(weight=1.0, query="content", columns=_PUBLISHED, limit=10),
    vector=Vector(limit=0),
    graph=Graph(weight=1.0, walk="membox", depth=3, fan_out=100),
    fuse=Fuse(method="membox", alpha=0.6, decay=0.7),
    rank=_PLAIN,
    cut=_ALL,
    expand=Expand(depth=0),
    pack=Pack(layout="membox"),
)

# One distance, shortened by words, project, use, importance and recency, and a cutoff that moves with it (E01 to E12).
ENGRAM = Strategy(
    name="engram",
    fulltext=Fulltext(weight=0.3, query="content", columns=_PUBLISHED, limit=30),
    vector=Vector(weight=1.0, limit=30, threshold=-1.0, complete=True),
    graph=None,
    fuse=Fuse(method="engram"),
    rank=Rank("engram", "engram", "none", "engram", project=1 / 0.7, global_project=1 / 0.85, interval=1.0),
    cut=Cut(method="engram", value=1.2),
    expand=Expand(depth=0, latest=True, opposite=True, children=10, similar=0.45, related=True),
    pack=Pack(layout="engram"),
)
# Before every message: five memories, and what is linked to them (E11).
ENGRAM_ADVISE = ENGRAM.replace(expand={"depth": 1})

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy for strategy in (MEMKIT, CONSTRUCT, KIRA, SLOTS, MEMBOX, ENGRAM)
}
# What a context is made with before every message, and how many memories, where that differs from asking outright.
ADVISING: dict[str, tuple[Strategy, int]] = {"construct": (CONSTRUCT_PASSIVE, 5), "engram": (ENGRAM_ADVISE, 5)}


def strategy(given: str | Mapping[str, Any] | Strategy | None = None) -> Strategy:
    """The strategy meant: itself, a name, JSON text, or a dict (`{"name": "memkit", "vector": {"weight": 0.5}}`).

    Raises NotFound for a name that is none, BadQuestion for an unknown field, or one that is given a value of
    another kind; the messages say what there is.
    """
    if given is None:
        return MEMKIT
    if isinstance(given, Strategy):
        return given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise BadQuestion(f"The strategy is no JSON: {error}") from error
    if isinstance(given, Mapping):
        changes = dict(given)
        name = changes.pop("name", MEMKIT.name)
        base = STRATEGIES.get(str(name), MEMKIT)
        return base.replace(**changes, name=name)
    if not isinstance(given, str) or given not in STRATEGIES:
        raise NotFound(one_of("strategy", given, STRATEGIES))
    return STRATEGIES[given]
