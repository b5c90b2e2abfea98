"""The graph's side of a MemoryDatabase: who somebody is, how things are connected, and saying so by hand."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from memkit import store
from memkit.arguments import check, checked
from memkit.clock import utc_now
from memkit.driver import writing
from memkit.errors import MemkitError, one_of
from memkit.progress import watched
from memkit.times import canonical

if TYPE_CHECKING:
    from llm import Model

    from memkit.cards import EntityCard, GraphStats, Neighbour, Path
    from memkit.connect import ConnectReport
    from memkit.extracting import ExtractReport
    from memkit.graph.relations import Relation

FORMATS = ("graphml", "json")


@checked
class Knowledge:
    """What a MemoryDatabase knows beside its memories: entities, relations between them, links between memories.

    Times are ISO 8601; names are compared without case, accents and punctuation, and an entity's id will do as well.
    """

    if TYPE_CHECKING:

        def _turn(self) -> AbstractContextManager[Any]: ...
        def _writing_embedder(self) -> Any: ...

    # ------------------------------------------------------------------------------------------ reading

    def about(
        self,
        name: str,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
        project: str | None = None,
        now: str | None = None,
    ) -> EntityCard:
        """Who or what something is: kinds and names, what holds about it with evidence, history, memories, neighbours.

        `as_of` asks for what held then; `known_at` for what was known then; with a `project` only what its memories
        say, those that belong to none, and people by hand. Raises NotFound with the nearest names.
        """
        from memkit.graph.about import about
        from memkit.graph.narrow import narrowed

        with self._turn() as conn, narrowed(conn, project):
            return about(
                conn, name, as_of=_moment(as_of, "as_of") or now or utc_now(), known_at=_moment(known_at, "known_at")
            )

    def path(self, a: str, b: str, *, max_depth: int = 4, as_of: str | None = None, project: str | None = None) -> Path:
        """The shortest way from one entity to another, each step with the words that say so; false if there is none.

        With a `project` only over what its memories say, those that belong to none, and people by hand.
        """
        from memkit.graph.narrow import narrowed
        from memkit.graph.ways import path

        with self._turn() as conn, narrowed(conn, project):
            return path(conn, a, b, max_depth=max_depth, as_of=_moment(as_of, "as_of"))

    def neighbors(self, name: str, depth: int = 2, *, fan_out: int = 10, as_of: str | None = None) -> list[Neighbour]:
        """The entities that are related to one, nearest and surest first."""
        from memkit.graph import entities
        from memkit.graph.about import neighbours

        with self._turn() as conn:
            found = entities.find(conn, name)
            return list(neighbours(conn, found, depth=depth, fan_out=fan_out, as_of=_moment(as_of, "as_of")))

    def graph_stats(self, most: int = 10) -> GraphStats:
        """How large the graph is, and what it is made of."""
        from memkit.graph.about import stats

        with self._turn() as conn:
            return stats(conn, most)

    def to_networkx(self, *, memories: bool = True) -> Any:
        """The graph as a `networkx.MultiDiGraph`; without `memories` only entities and their relations.

        Raises NeedsPackage where networkx is not installed.
        """
        from memkit.graph.export import to_networkx

        with self._turn() as conn:
            return to_networkx(conn, memories=memories)

    def export_graph(self, path: str | File, *, format: str | None = None, memories: bool = True) -> File:
        """Writes the graph to a file as `graphml` or `json` (by the file's ending if not given); the path."""
        from memkit.graph.export import to_dict, to_graphml

        file = File(path)
        chosen = (format or file.suffix.lstrip(".")).lower()
        if chosen not in FORMATS:
            raise MemkitError(one_of("format of a graph", chosen, FORMATS))
        with self._turn() as conn:
            text = to_graphml(conn, memories=memories) if chosen == "graphml" else None
            file.write_text(text or store.dumps(to_dict(conn, memories=memories)), encoding="utf-8")
        return file

    # ------------------------------------------------------------------------------------------ saying

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        memory: str | None = None,
        quote: str = "",
        confidence: float = 1.0,
        valid_from: str | None = None,
        valid_until: str | None = None,
        now: str | None = None,
    ) -> Relation:
        """The relation that is said by hand; `memory` is the id of one that says so. The same again adds evidence.

        Of a predicate with one value at a time (`lives_in`, `works_at` ...) a new value closes the old one.
        """
        from memkit.connect import connect
        from memkit.graph.relations import relate

        now = now or utc_now()
        with self._turn() as conn, writing(conn):
            made = relate(
                conn,
                subject,
                predicate,
                object,
                now=now,
                memory=store.memory(conn, memory).key if memory else None,
                quote=quote,
                confidence=confidence,
                valid_from=valid_from,
                valid_until=valid_until,
            )
            connect(conn, now, keys=[])
            return made

    def merge(self, kept: str, merged: str, *, now: str | None = None) -> EntityCard:
        """The card of the first entity, which the second one is part of now, names and all. `unmerge` takes it back."""
        from memkit.graph import entities, merging

        now = now or utc_now()
        with self._turn() as conn:
            with writing(conn):
                one, other = entities.find(conn, kept), entities.find(conn, merged)
                merging.merge(conn, one.key, other.key, now)
            return self.about(one.id, now=now)

    def unmerge(self, name: str, *, now: str | None = None) -> tuple[EntityCard, EntityCard]:
        """The cards of the two that the last merge of this entity had made one, as they were."""
        from memkit.connect import connect
        from memkit.graph import entities, merging

        now = now or utc_now()
        with self._turn() as conn:
            with writing(conn):
                kept, merged, again = merging.unmerge(conn, name, now)
                connect(conn, now, keys=again, embedder=self._writing_embedder())
            found = entities.by_keys(conn, [kept, merged])
            return self.about(found[kept].id, now=now), self.about(found[merged].id, now=now)

    def link(
        self,
        one: str,
        other: str,
        type: str = "relates_to",
        *,
        weight: float = 1.0,
        why: str = "",
        now: str | None = None,
    ) -> None:
        """Links a memory to another (ids); `type` is one of `graph.links.TYPES`."""
        from memkit.graph.links import link

        with self._turn() as conn, writing(conn):
            ends = store.memory(conn, one), store.memory(conn, other)
            link(conn, *ends, type, now or utc_now(), weight=weight, why=why or "by hand")

    def supersede(self, old: str, new: str, *, why: str = "", now: str | None = None) -> None:
        """A memory (id) takes the place of an older one, which holds until the new one begins, and stays as history."""
        from memkit.graph.links import supersede

        with self._turn() as conn, writing(conn):
            supersede(conn, store.memory(conn, old), store.memory(conn, new), now or utc_now(), why=why)

    # ------------------------------------------------------------------------------------------ extracting

    def extract(
        self,
        model: str | Model | None = None,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        retry: bool = False,
        progress: Callable[..., None] | None = None,
        now: str | None = None,
        **options: Any,
    ) -> ExtractReport | ConnectReport:
        """Finds entities and relations in the memories not read yet; what is done stays, a second run does the rest.

        Without a `model` (which ingesting has done already) by names, links and plain sentences; with the name of an
        `llm` model by asking it. `dry_run` says how many calls and tokens that would take; `retry` asks again where an
        answer failed. `progress(done, total)` is told of each batch. Options: `batch`, `at_once`, `template`.
        """
        now = now or utc_now()
        with watched(progress) as progress, self._turn() as conn:
            if model is None:
                from memkit.connect import connect

                return connect(conn, now, embedder=self._writing_embedder())
            from memkit.extract.llm_extract import extract_in_batches
            from memkit.extracting import extract

            options = check(extract_in_batches, options, "extract")
            return extract(
                conn,
                model,
                now,
                embedder=None if dry_run else self._writing_embedder(),
                limit=limit,
                dry_run=dry_run,
                retry=retry,
                progress=progress,
                **options,
            )


def _moment(when: str | None, name: str) -> str | None:
    """A moment in canonical form. Raises MemkitError."""
    try:
        return canonical(when) if when else None
    except ValueError as error:
        raise MemkitError(f"{name}: {error}") from error
