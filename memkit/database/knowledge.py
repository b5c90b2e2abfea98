"""Knowledge graph methods of MemoryDatabase: entity cards, paths, neighbours, and relations stated by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import check, checked
from memkit.core.clock import utc_now
from memkit.core.errors import MemkitError, one_of
from memkit.core.files import open_to_write
from memkit.core.frames import Rows
from memkit.core.instants import canonical_time
from memkit.core.progress import watched
from memkit.storage import store
from memkit.storage.driver import writing
from memkit.text.words import normal_name

if TYPE_CHECKING:
    from llm import Model

    from memkit.embedding import Embedder
    from memkit.graph.cards import EntityCard, Neighbour
    from memkit.graph.entities import Entity
    from memkit.graph.neighborhood import Neighborhood
    from memkit.graph.paths import Path
    from memkit.graph.relations import Relation
    from memkit.graph.stats import GraphStats
    from memkit.graph.timeline_view import Moments
    from memkit.ingestion.entity_linking import ConnectReport
    from memkit.ingestion.llm_extraction import ExtractReport
    from memkit.storage.connection import Connection

FORMATS = ("graphml", "json")


@checked
class Knowledge:
    """The knowledge graph of a MemoryDatabase: entities, relations between them, and links between memories.

    Times are ISO 8601. Names are compared without case, accents and punctuation. Wherever a method takes the name of
    an entity, it also takes its id.
    """

    if TYPE_CHECKING:

        def _turn(self) -> AbstractContextManager[Connection]: ...
        def _writing_embedder(self) -> Embedder | None: ...

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
        """The card of an entity: kind, aliases, relations with evidence, history, memories and neighbours.

        `as_of` asks for what was true at that time, `known_at` for what this database knew at that time. With a
        `project`, only its memories and those of `global` count, with the names that they use and the relations that
        they state. Raises NotFound for an unknown name, with the most similar names.
        """
        from memkit.graph import entities
        from memkit.graph.entity_card import about
        from memkit.graph.project_view import view_of_project

        with self._turn() as conn:
            seen = view_of_project(conn, project)
            if known_at is None:
                entities.find_shown(seen, name)
            return about(
                seen, name, as_of=_moment(as_of, "as_of") or now or utc_now(), known_at=_moment(known_at, "known_at")
            )

    def me(self, name: str | None = None, *, aliases: Sequence[str] | str = ()) -> str:
        """The name of who says "I" here; with a name, and maybe others of the same person, says first who it is.

        `I` and `my` in questions and in the user's own turns mean this entity; what was read as the user's own words is
        read again. Without a name of their own the user is called `user`. Raises MemkitError for an invalid name.
        """
        from memkit.database.identity import set_me
        from memkit.graph.me import me

        with self._turn() as conn:
            if name is None:
                return me(conn)
            others = [aliases] if isinstance(aliases, str) else list(aliases)
            return set_me(conn, [name, *others], utc_now(), self._writing_embedder())

    def likely_me(self) -> str | None:
        """Who is most probably the user: who speaks in every conversation, if that is one person; None if unsure."""
        from memkit.graph.me import likely_me

        with self._turn() as conn:
            return likely_me(conn)

    def path(self, a: str, b: str, *, max_depth: int = 4, as_of: str | None = None, project: str | None = None) -> Path:
        """The shortest path between two entities. Each step has a quote as evidence. It is falsy if there is no path.

        A path has at most `max_depth` steps, and never more than 6. `as_of` uses the relations that were true at that
        time. With a `project`, only its memories and those of `global` count. Raises NotFound for an unknown name.
        """
        from memkit.graph.project_view import view_of_project
        from memkit.graph.shortest_path import path

        with self._turn() as conn:
            return path(view_of_project(conn, project), a, b, max_depth=max_depth, as_of=_moment(as_of, "as_of"))

    def neighbors(self, name: str, depth: int = 2, *, fan_out: int = 10, as_of: str | None = None) -> Rows[Neighbour]:
        """The entities within `depth` relations of an entity (at most 6), nearest first, then by confidence.

        At each entity, the `fan_out` relations with the highest confidence are followed. Raises NotFound for an
        unknown name.
        """
        from memkit.graph import entities
        from memkit.graph.cards import Neighbour
        from memkit.graph.entity_card import neighbours

        with self._turn() as conn:
            found = entities.find_shown(conn, name)
            near = neighbours(conn, found, depth=depth, fan_out=fan_out, as_of=_moment(as_of, "as_of"))
            return Rows(Neighbour, near)

    def neighborhood(
        self,
        name: str | None = None,
        depth: int = 1,
        *,
        limit: int = 150,
        as_of: str | None = None,
        project: str | None = None,
        kinds: Sequence[str] | str | None = None,
        since: str | None = None,
        until: str | None = None,
        dates: bool = True,
        also: Sequence[str] | str = (),
    ) -> Neighborhood:
        """The graph around an entity within `depth` steps, as nodes and edges to draw, nearest first.

        An edge is a relation that is true at `as_of` (now by default), or a memory that names both entities. There are
        at most `limit` nodes, and never more than 150. Without a name, the nodes are the most mentioned entities: of
        these `kinds`, named in memories of `since` to before `until`, without names that are `dates` if that is false;
        those named in `also` come first, whatever they are. With a `project`, only its memories and those of `global`
        count. Raises NotFound for an unknown name, with the most similar names.
        """
        from memkit.graph import entities, neighborhood
        from memkit.graph.project_view import view_of_project

        when, limit = _moment(as_of, "as_of") or utc_now(), min(limit, neighborhood.MOST)
        chosen = (kinds,) if isinstance(kinds, str) else tuple(kinds or ())
        span = _moment(since, "since"), _moment(until, "until")
        with self._turn() as conn:
            view = view_of_project(conn, project)
            if name is None:
                first = tuple(entities.find(view, one).key for one in ([also] if isinstance(also, str) else also))
                shown = neighborhood.Shown(chosen, *span, dates, first)
                return neighborhood.busiest(view, when, limit=limit, shown=shown)
            return neighborhood.neighborhood(view, entities.find_shown(view, name).key, when, depth=depth, limit=limit)

    def entity_ids(self, names: Iterable[str] | str) -> dict[str, str]:
        """The ids of entities, by name. Unknown names are left out."""
        from memkit.graph import entities

        wanted = [names] if isinstance(names, str) else list(names)
        with self._turn() as conn:
            known = entities.by_names(conn, wanted)
        return {name: known[normal][0].id for name in wanted if (normal := normal_name(name)) in known}

    def timeline(
        self,
        name: str | None = None,
        *,
        project: str | None = None,
        kinds: Sequence[str] | str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Moments:
        """The timeline of memories and facts, earliest first: of an entity, or of everything.

        With a `project`, only its memories and those of `global` count, also for facts and names. `kinds` filters the
        memories. Of more than 2,000 memories from `since` to before `until`, those at equal distances are listed, and
        the rest is counted (`more`). Raises NotFound for an unknown name, with the most similar names.
        """
        from memkit.graph.project_view import view_of_project
        from memkit.graph.timeline_view import moments

        chosen = (kinds,) if isinstance(kinds, str) else kinds
        start, end = _moment(since, "since"), _moment(until, "until")
        with self._turn() as conn:
            return moments(view_of_project(conn, project), name=name, kinds=chosen, since=start, until=end)

    def turning_days(self) -> list[str]:
        """The days on which a fact began or ended, earliest first. Between two of them, no fact changes."""
        from memkit.graph.timeline_view import turning_days

        with self._turn() as conn:
            return turning_days(conn)

    def alike_names(self, most: int = 10) -> list[tuple[Entity, Entity]]:
        """Pairs of entities whose names may mean the same, likeliest first: candidates for `merge`.

        In each pair, the one that more memories name comes first. The 3,000 names that most memories name are compared.
        """
        from memkit.graph.alike_names import alike_names

        with self._turn() as conn:
            return alike_names(conn, max(most, 0))

    def names_beginning(self, typed: str, most: int = 8) -> list[str]:
        """The names, then the titles, that begin with what was typed so far, most mentioned first; for type-ahead."""
        from memkit.retrieval.completion import beginning

        with self._turn() as conn:
            return beginning(conn, typed, most)

    def completions(self, question: str, most: int = 8) -> list[str]:
        """The ways to go on with a question whose last words begin a name or a title; for type-ahead."""
        from memkit.retrieval.completion import completing

        with self._turn() as conn:
            return completing(conn, question, most)

    def graph_stats(self, most: int = 10) -> GraphStats:
        """The size of the graph, and its `most` frequent kinds, predicates, link types and entities."""
        from memkit.graph.entity_card import stats

        with self._turn() as conn:
            return stats(conn, most)

    def to_networkx(self, *, memories: bool = True) -> Any:
        """The graph as a `networkx.MultiDiGraph`; with `memories=False`, only entities and their relations.

        Raises NeedsPackage if networkx is not installed.
        """
        from memkit.graph.export import to_networkx

        with self._turn() as conn:
            return to_networkx(conn, memories=memories)

    def export_graph(self, path: str | File, *, format: str | None = None, memories: bool = True) -> File:
        """Writes the graph to a file, and returns the path. `format` is `graphml` or `json`.

        Without a format, the file's ending decides. Raises MemkitError for another format.
        """
        from memkit.graph.export import to_dict, to_graphml

        file = File(path)
        chosen = (format or file.suffix.lstrip(".")).lower()
        if chosen not in FORMATS:
            raise MemkitError(one_of("format of a graph", chosen, FORMATS))
        with self._turn() as conn:
            text = to_graphml(conn, memories=memories) if chosen == "graphml" else None
            text = text or store.dumps(to_dict(conn, memories=memories))
        with open_to_write(file) as opened:
            opened.write(text)
        return file

    # ------------------------------------------------------------------------------------------ writing

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
        """Stores a relation that you state by hand, and returns it. Entities that do not exist yet are made.

        `memory` is the id of a memory that says so, `quote` its words. Stating a relation again adds evidence. Some
        predicates have one value at a time (`lives_in`, `works_at` ...): a new value ends the old one. What something
        `is a`, without a capital, is a concept, and found in the plural, too. `confidence` is 0 to 1. Raises NotFound
        for an unknown memory, MemkitError for a name, predicate or time that cannot be used.
        """
        from memkit.graph.entities import THING
        from memkit.graph.relations import relate
        from memkit.ingestion.entity_linking import connect
        from memkit.ingestion.relation_extraction import kind_of
        from memkit.text.extract.predicates import predicate_id

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
                kinds=(THING, kind_of(object) if predicate_id(predicate) == "is_a" else THING),
            )
            connect(conn, now, keys=[])
            return made

    def merge(self, kept: str, merged: str, *, now: str | None = None) -> EntityCard:
        """Merges the second entity into the first one, with its names and relations; returns the card of the first.

        `unmerge` undoes it. Raises NotFound for an unknown name, MemkitError if both are one entity already.
        """
        from memkit.graph import entities, merging
        from memkit.graph.entity_card import about

        now = now or utc_now()
        with self._turn() as conn:
            with writing(conn):
                one, other = entities.find(conn, kept), entities.find(conn, merged)
                merging.merge(conn, one.key, other.key, now)
            return about(conn, one.id, as_of=now)

    def last_merge(self, name: str) -> tuple[str, str] | None:
        """The names of the two entities that `unmerge` would make of this one; None if it was never merged."""
        from memkit.graph import merging

        with self._turn() as conn:
            row = merging.last(conn, name)
            return (row["kept_name"], row["merged_name"]) if row else None

    def unmerge(self, name: str, *, now: str | None = None) -> tuple[EntityCard, EntityCard]:
        """Undoes the last merge of an entity, and returns the cards of the two entities.

        Raises NotFound if this entity was never merged, MemkitError if a later merge has to be undone first.
        """
        from memkit.graph import entities, merging
        from memkit.graph.entity_card import about
        from memkit.ingestion.entity_linking import connect

        now = now or utc_now()
        with self._turn() as conn:
            embedder = self._writing_embedder()
            with writing(conn):
                kept, merged, again = merging.unmerge(conn, name, now)
                connect(conn, now, keys=again, embedder=embedder)
            found = entities.by_keys(conn, [kept, merged])
            return about(conn, found[kept].id, as_of=now), about(conn, found[merged].id, as_of=now)

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
        """Links one memory to another (by id). `type` is one of `memkit.graph.links.TYPES`, `weight` is 0 to 1.

        Linking again changes the weight and the reason. Raises NotFound for an unknown id, MemkitError for an unknown
        type, a weight out of range, a link of a memory to itself, or a circle of `supersedes`.
        """
        from memkit.graph.links import link

        with self._turn() as conn, writing(conn):
            ends = store.memory(conn, one), store.memory(conn, other)
            link(conn, *ends, type, now or utc_now(), weight=weight, why=why or "by hand")

    def supersede(self, old: str, new: str, *, why: str = "", now: str | None = None) -> None:
        """Marks a memory (by id) as replaced by another one. The old memory ends when the new one begins.

        It is kept as history, and what it states as still so is no fact any more, unless another memory states it.
        Raises NotFound for an unknown id.
        """
        from memkit.graph.links import supersede
        from memkit.ingestion.relation_extraction import end_statements

        now = now or utc_now()
        with self._turn() as conn, writing(conn):
            former = store.memory(conn, old)
            supersede(conn, former, store.memory(conn, new), now, why=why)
            end_statements(conn, former.key, now)

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
        """Finds entities and relations in the memories that were not read yet, and returns a report.

        Without a `model`, memkit's own rules find them by names, links and simple sentences; `ingest` has done this
        already. With the name of an `llm` model, the model is asked. Each batch is stored at once: after an
        interruption, the same call continues.

        `dry_run` only reports how many calls and tokens it would take. `retry` asks again about memories whose answer
        failed. `progress(done, total)` is called after each batch. Options: `batch`, `at_once`, `template`, and
        `client`, a Dask client whose workers ask the model (docs/scale.md).
        """
        now = now or utc_now()
        with watched(progress) as progress, self._turn() as conn:
            if model is None:
                from memkit.ingestion.entity_linking import connect

                return connect(conn, now, embedder=self._writing_embedder())
            from memkit.ingestion.llm_extraction import extract
            from memkit.text.extract.llm_extract import extract_in_batches

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
    """A time in canonical form. Raises MemkitError for a text that is no time."""
    try:
        return canonical_time(when) if when else None
    except ValueError as error:
        raise MemkitError(f"{name}: {error}") from error
