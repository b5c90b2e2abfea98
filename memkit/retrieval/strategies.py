"""Strategies: how a question is answered, as one frozen value that serialises to JSON.

A strategy names its channels and their settings, and how they are fused, ranked, cut, expanded and packed. Every
setting is a field. So a URL, an SQL option, a slider and a test all call a setting by the same name.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import field
from typing import Any

from memkit.core.classes import dataclass
from memkit.core.errors import BadQuestion, one_of
from memkit.core.formatting import html_table, short
from memkit.core.terminal_text import table
from memkit.core.validation import LARGEST, Refusal, changed, field_types, inner_type, settings

PAGERANK = "pagerank"  # the walk over the whole graph; all other walks use only its relations


def _weight(default: float, most: float = LARGEST) -> Any:
    """A number that is not negative."""
    return field(default=default, metadata={"low": 0, "high": most})


@dataclass(frozen=True)
class Fulltext:
    """Full-text search: words, scored by BM25.

    `query` names how a question becomes search terms (`registry.QUERIES`). `columns` are the weights of text, title,
    speaker, tags and neighbours. A term found in more than `common` memories is dropped if a rarer one remains. `lists`
    names how memories are split into lists, each ranked on its own (`registry.LISTS`). `aside` multiplies the score of
    terms outside the sentences that ask, such as `broke` in "My oven broke. Who repairs ovens?". With `own_statistics`,
    a search in one project alone takes the word statistics of that project, not those of the whole database. `forms`
    multiplies the score of a word that a memory has only in another form, such as `tables` where `table` is asked.
    """

    weight: float = 1.0
    query: str = "content"
    columns: tuple[float, float, float, float, float] = (1.0, 1.0, 1.0, 1.0, 0.3)
    limit: int = 200
    common: int = 20_000
    lists: str = "one"
    aside: float = 1.0
    own_statistics: bool = False
    forms: float = _weight(1.0, 1.0)


@dataclass(frozen=True)
class Vector:
    """Vector search: meaning, by cosine. Memories with a cosine below `threshold` are dropped.

    With `complete`, the memories that only full-text search found are compared, too. With a `limit` of 0 this channel
    does not run, but a walk over relations can still compare vectors (membox).
    """

    weight: float = 0.3
    limit: int = 100
    threshold: float = -1.0
    complete: bool = True


@dataclass(frozen=True)
class Sentence:
    """Sentence search: the cosine of the nearest single sentence, for the best `limit` memories so far.

    It embeds the sentences while the question waits, so it runs only with a fast model such as the built-in one.
    """

    weight: float = 0.3
    limit: int = 40


@dataclass(frozen=True)
class Edges:
    """The weight of each type of edge in a walk, by the direction of the step; 0 switches it off.

    `names` leads from a memory whose text names a title to the memory with that title, as a reader follows a link;
    `named` leads back. `mention` leads from a memory to an entity in it, `mentioned` from the entity to all memories
    that mention it. `title` and `titled` do the same for the entity that is a memory's title. `relation` joins two
    entities, `link` two memories, `neighbour` two memories that follow each other in a document, and `speaker` a memory
    and its speaker.
    """

    names: float = _weight(1.0)
    named: float = _weight(0.0)
    mention: float = _weight(0.1)
    mentioned: float = _weight(1.0)
    title: float = _weight(0.1)
    titled: float = _weight(1.0)
    relation: float = _weight(1.0)
    link: float = _weight(1.0)
    neighbour: float = _weight(0.0)
    speaker: float = _weight(0.0)


@dataclass(frozen=True)
class Graph:
    """Graph search: a walk from the memories found so far and the entities named in the question.

    The walk `pagerank` begins at three kinds of seeds: the best `seeds` memories so far, each with its score (the best
    is 1) to the power of `sharpness`; the memories whose title the question names, with the weight `titled`; and the
    named entities, with the weight `entities`. `damping` is the probability that the walk goes on. `specificity`
    weakens entities with many edges. A node whose edges weigh less than `least_strength` together passes on only their
    share of it.

    The published designs walk over relations only (`registry.RELATION_WALKS`), each as its file says: up to `depth`
    relations away, over the `fan_out` surest relations of each entity with a confidence above `least_confidence`. With
    `append` above 0, such a walk adds at most that many memories, all of which no other channel found.
    """

    weight: float = 2.5
    walk: str = PAGERANK
    seeds: int = 50
    sharpness: float = 4.0
    entities: float = 10.0
    titled: float = 4.0
    damping: float = _weight(0.55, 0.99)  # at 1, the walk never begins again
    least_strength: float = _weight(0.17)
    depth: int = 2
    fan_out: int = 10
    specificity: float = _weight(1.0)
    edges: Edges = field(default_factory=Edges)
    limit: int = 200
    append: int = 0
    least_confidence: float = 0.0


@dataclass(frozen=True)
class Bridge:
    """Bridges: from the best `sources` memories so far, over an entity that at most `most` memories mention, to others.

    What is reached has to bring words of the question that the source lacks; `base` counts even without any. It is the
    last channel: its score is a share of the best fused score, and `weight` multiplies it.
    """

    weight: float = 1.0
    sources: int = 5
    most: int = 30
    base: float = 0.1


@dataclass(frozen=True)
class Time:
    """Time search: what happened in the time that the question speaks of, if that is no longer than a year.

    `weight` is for a question that also says something else, `alone` for one that asks for nothing but a time.
    """

    weight: float = _weight(0.5)
    alone: float = _weight(2.0)
    limit: int = 50


@dataclass(frozen=True)
class Recent:
    """The newest memories, for any question. With a `weight` of 0 they are shown beside the hits, never among them."""

    weight: float = 0.1
    limit: int = 10


@dataclass(frozen=True)
class Fuse:
    """How several rankings become one.

    `method` names a fuser (`registry.FUSERS`), `normalise` how scores are rescaled before (`fusion.NORMALISERS`). `k`
    is the constant of RRF. `alpha` and `decay` score a relation (membox, M03): `alpha` is the share of meaning, the
    rest is the share of words; `decay` is the factor for each step away from the named entities. With `compound`, a
    text of 2 to 4 questions is searched as a whole and question by question, and of each memory the best place counts.
    """

    method: str = "weighted"
    normalise: str = "max"
    k: float = _weight(60.0)
    alpha: float = _weight(0.6, 1)
    decay: float = _weight(0.7, 1)
    compound: bool = False


@dataclass(frozen=True)
class Rank:
    """Boosts: the factors that multiply a fused score.

    `recency`, `importance`, `confidence` and `access` name a rule (`registry.RULES`). `project` is the factor for
    memories of the question's project, `global_project` for memories of no project, `interval` for memories that
    happened in the time that the question speaks of. The others are for turns of a conversation (`turns`). Between
    people: `speaker` for those of the one whom the question names (by the share that is theirs), `asking` for one
    that only asks; `length` is the power of a turn's length, as a share of 150 characters; and with the share c of
    the question's words, by rarity, in a turn or beside it, the factor is 1 + `covered` c^2. `assistant` is for an
    assistant's turns where the question is about the one who asks. With `later`, what was said differently since
    stands above what was said before, unless the question is about the past (`succession`).
    """

    recency: str = "none"
    importance: str = "none"
    confidence: str = "none"
    access: str = "none"
    project: float = 1.2
    global_project: float = 1.1
    interval: float = 1.5
    speaker: float = 1.25
    asking: float = 0.7
    length: float = _weight(0.15, 1.0)
    covered: float = _weight(1.5, 10.0)
    assistant: float = 0.6
    later: bool = True


@dataclass(frozen=True)
class Rerank:
    """Cross-encoding: a model that reads the question and a memory together orders the best `limit` memories anew.

    `model` is a cross-encoder that fastembed knows, or the folder of one (`embedding.cross_encoder`). Only memories of
    at most `longest` characters change places among themselves: such models read the beginning of a text. A memory's
    new place is that of 1 / (60 + its place by score) + `weight` / (60 + its place by the model).
    """

    model: str = ""
    limit: int = field(default=20, metadata={"low": 1, "high": 200})
    weight: float = _weight(1.0)
    longest: int = field(default=1000, metadata={"low": 0, "high": LARGEST})


@dataclass(frozen=True)
class Cut:
    """Which candidates are dropped: `method` names a rule (`registry.CUTS`), `value` is its threshold.

    `similar` keeps memories with a cosine of at least `value`, either of the whole memory or of one sentence in it.
    Without vectors it drops nothing. Hits with a confidence below `least_confidence` are dropped, too.
    """

    method: str = "none"
    value: float = 0.0
    least_confidence: float = _weight(0.0, 1.0)


@dataclass(frozen=True)
class Expand:
    """Which linked memories are added to the hits, up to `depth` links away (0 is none).

    `latest` adds the end of a chain of `supersedes`, however long. `opposite` adds the other side of `contradicts`.
    `children` is how many parts of a hub are added at most. `related` adds the memories on all other links. The weak
    links `relates_to` and `contradicts` are followed only to memories whose cosine with the question is at least
    `similar`.
    """

    depth: int = field(default=0, metadata={"low": 0, "high": 3})
    latest: bool = True
    opposite: bool = False
    children: int = 0
    similar: float = 0.0
    related: bool = False


@dataclass(frozen=True)
class Pack:
    """How hits become a prompt: the `layout` (a template in `templates/context/`), and the `budget` in tokens.

    If the recall's confidence is below `least_confidence`, its hits most likely do not answer, and the prompt has none.
    """

    layout: str = "memkit"
    budget: int = 2000
    least_confidence: float = _weight(0.0, 1.0)


@dataclass(frozen=True)
class Strategy:
    """How a question is answered. A channel that is None is off. Change a strategy with `replace(...)`."""

    name: str = "memkit"
    fulltext: Fulltext | None = field(default_factory=Fulltext)
    vector: Vector | None = field(default_factory=Vector)
    sentence: Sentence | None = None
    graph: Graph | None = field(default_factory=Graph)
    bridge: Bridge | None = None
    time: Time | None = None
    recent: Recent | None = None
    fuse: Fuse = field(default_factory=Fuse)
    rank: Rank = field(default_factory=Rank)
    rerank: Rerank | None = None
    cut: Cut = field(default_factory=Cut)
    expand: Expand = field(default_factory=Expand)
    pack: Pack = field(default_factory=Pack)

    def replace(self, **changes: Any) -> Strategy:
        """A changed copy. A part may be given as a dict of its own changes: `replace(vector={"weight": .5})`.

        Raises BadQuestion for an unknown field or part (the message lists the known ones), and for a value of the wrong
        type.
        """
        return changed(self, changes, REFUSAL)

    def to_dict(self) -> dict[str, Any]:
        """The strategy as JSON-able values, every field written out."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        """The strategy as JSON text."""
        return json.dumps(self.to_dict(), sort_keys=True)

    # ------------------------------------------------------------------------------------------ showing it

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that differ from the named strategy, by `part.field`: `{"vector.weight": .5}`.

        A part that is off is None. A strategy with a name of its own is compared with the default one.
        """
        base = settings(STRATEGIES.get(self.name, MEMKIT))
        mine = settings(self).items()
        return {name: value for name, value in mine if name != "name" and base.get(name, base) != value}

    @property
    def summary(self) -> str:
        """The strategy in one line: its name and its changes."""
        changed_settings = ", ".join(_setting_text(name, value) for name, value in self.changes.items())
        return f"{self.name}, with {changed_settings}" if changed_settings else self.name

    def _rows(self) -> list[tuple[str, str]]:
        parts = ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "name")
        return [(name, _part_text(part)) for name, part in parts]

    def __repr__(self) -> str:
        return f"Strategy {self.summary}\n{table(self._rows(), '  ')}"

    def _repr_html_(self) -> str:
        return html_table(f"Strategy {self.summary}", ("part", "settings"), self._rows())


def part_of(name: str) -> Any:
    """A part of a strategy with its default settings: `part_of("vector")`. Raises BadQuestion for an unknown part."""
    parts = [f.name for f in dataclasses.fields(Strategy) if f.name != "name"]
    if name not in parts:
        raise BadQuestion(one_of("part of a strategy", name, parts))
    part = inner_type(Strategy, name)
    assert part is not None
    return part()


def _setting_text(name: str, value: Any) -> str:
    if value is None:
        return f"{name} off"
    if isinstance(value, tuple):
        return f"{name} {'/'.join(_setting_text('', one) for one in value)}".strip()
    return f"{name} {value:.4g}".strip() if isinstance(value, float) else f"{name} {value}".strip()


def _part_text(part: Any) -> str:
    return "off" if part is None else ", ".join(_setting_text(name, value) for name, value in settings(part).items())


def _unknown(part: Any, name: str, path: str) -> BadQuestion:
    return BadQuestion(one_of(f"field of {type(part).__name__}", name, field_types(type(part))))


def _unfit(path: str, value: Any, wanted: str | type) -> BadQuestion:
    kind = "an object of its settings" if isinstance(wanted, type) else wanted
    return BadQuestion(f"{path} must be {kind}, not {short(repr(value), 80)}.")


REFUSAL = Refusal(_unknown, _unfit)
MEMKIT = Strategy(
    fulltext=Fulltext(aside=0.5, own_statistics=True),
    sentence=Sentence(),
    bridge=Bridge(),
    time=Time(),
    fuse=Fuse(compound=True),
    pack=Pack(least_confidence=0.02),
)

# The named strategies: memkit's own, and those that `designs.register` adds. Import them from `registry`, which loads
# all designs first.
STRATEGIES: dict[str, Strategy] = {MEMKIT.name: MEMKIT}

# ---------------------------------------------------------------------------------------------- for published designs
# A design does not mention every setting. Those are written out where memkit's default would change its results.

# The columns that they search: text, title, speaker and tags. To search the neighbours, too, is memkit's own idea.
OWN_TEXT = (1.0, 1.0, 1.0, 1.0, 0.0)
PLAIN = Rank(
    project=1.0,
    global_project=1.0,
    interval=1.0,
    speaker=1.0,
    asking=1.0,
    length=0.0,
    covered=0.0,
    assistant=1.0,
    later=False,
)
