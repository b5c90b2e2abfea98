"""Result expansion along links: the latest version, the other side of a contradiction, a hub's parts (E07 to E10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memkit.graph.link_expansion import Link, latest, links_of
from memkit.retrieval.question import Question
from memkit.retrieval.strategies import Expand
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, eligible_among

WEAK = ("relates_to", "contradicts")  # followed only to memories that are similar to the question
SUPERSEDES, SUPERSEDED = "supersedes", "superseded"


class Came(NamedTuple):
    """A linked memory: its key, the type of the link, and the key of the hit that the links begin at.

    `via` is the link's type; for an older version it is `superseded`.
    """

    key: int
    via: str
    hit: int

    @property
    def before(self) -> bool:
        """Whether it stands before its hit: a newer version does, all others stand after it."""
        return self.via == SUPERSEDES


def expand(
    conn: Connection, hits: Sequence[int], question: Question, settings: Expand, scope: Scope, most: int
) -> list[Came]:
    """The memories linked to these hits, at most `most`, nearest first; each once, and none of the hits."""
    if not settings.depth or not hits:
        return []
    origin = {key: key for key in hits}
    came: list[Came] = []
    frontier = list(hits)
    for _ in range(settings.depth):
        steps = _versions(conn, frontier) if settings.latest else []
        steps += _wanted(links_of(conn, frontier), settings)
        allowed = _allowed(conn, [step for step in steps if step[1] not in origin], question, settings, scope)
        frontier = []
        for here, there, via in steps:
            if there not in origin and (there, via) in allowed and len(came) < most:
                origin[there] = origin[here]
                came.append(Came(there, via, origin[here]))
                frontier.append(there)
        if not frontier:
            break
    return came


def replaced(
    conn: Connection, chosen: Sequence[tuple[int, float]], settings: Expand, scope: Scope
) -> tuple[list[tuple[int, float]], set[int]]:
    """The chosen memories, and the keys of the newer versions among them that nothing else has found.

    A superseded memory that the scope hides gives its place to the newest version, the end of its chain (E09). It is
    dropped if the scope hides that one, too. A newest version that was found stands before the older ones, with the
    score of the best of them.
    """
    if not (settings.depth and settings.latest):
        return list(chosen), set()
    keys = [key for key, _ in chosen]
    ends = latest(conn, keys)
    visible = eligible_among(conn, sorted({*keys, *ends.values()}), scope)
    places: dict[int, float] = {}
    for key, score in chosen:
        end = ends.get(key, key)
        found = end in keys and end not in ends  # in a circle of versions none is the newest
        if end in visible and (found or key not in visible):
            places.setdefault(end, score)
        if key in visible:
            places.setdefault(key, score)
    return list(places.items()), set(places) - set(keys)


Move = tuple[int, int, str]  # from a memory to another, and the link's type


def _versions(conn: Connection, keys: Sequence[int]) -> list[Move]:
    """From each memory to the end of its chain of versions."""
    return [(key, end, SUPERSEDES) for key, end in latest(conn, keys).items()]


def _wanted(found: Sequence[Link], settings: Expand) -> list[Move]:
    """The links that the settings follow."""
    moves: list[Move] = []
    children: dict[int, int] = {}
    for link in found:
        if link.type == "part_of" and not link.outwards:
            children[link.here] = children.get(link.here, 0) + 1
            follow = children[link.here] <= settings.children
        elif link.type == "contradicts":
            follow = settings.opposite
        else:  # newer versions are found by `_versions`, at the end of the chain
            follow = settings.related and (link.type != SUPERSEDES or link.outwards)
        if follow:
            moves.append((link.here, link.there, SUPERSEDED if link.type == SUPERSEDES else link.type))
    return moves


def _allowed(
    conn: Connection, moves: Sequence[Move], question: Question, settings: Expand, scope: Scope
) -> set[tuple[int, str]]:
    """The targets, with the link's type, that the scope allows; those of weak links only if they are similar enough.

    Without vectors nothing can be compared, and weak links are followed like the others.
    """
    ends = eligible_among(conn, sorted({there for _, there, _ in moves}), scope)
    weak = sorted({there for _, there, via in moves if via in WEAK and there in ends})
    near = ends
    if weak and question.vector is not None and question.model_key is not None:
        from memkit.retrieval.channels import vector

        cosines = vector.cosines(conn, question.model_key, question.vector, weak)
        near = {key for key in weak if cosines.get(key, 1.0) >= settings.similar}
    return {(there, via) for _, there, via in moves if there in (near if via in WEAK else ends)}
