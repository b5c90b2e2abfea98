"""A store on a PostgreSQL server, to ask and to write: each call fetches what it needs, and does it as in a file.

What is not here is done in a file that pulls, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from inspect import isfunction
from os import PathLike
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import AnyText
from memkit.core.clock import utc_now
from memkit.core.errors import EmbedderFailed, MemkitError, NeedsPackage, NotFound, ReadOnly
from memkit.core.instants import parse_iso
from memkit.core.progress import watched
from memkit.embedding.kept_vectors import Kept, KeptVectors
from memkit.graph.entities import valid_name
from memkit.storage.filters import Scope

if TYPE_CHECKING:
    from memkit.core.types import Memory
    from memkit.embedding import Embedder
    from memkit.graph.cards import EntityCard
    from memkit.graph.paths import Path
    from memkit.graph.relations import Relation
    from memkit.ingestion.report import IngestReport
    from memkit.maintenance.log import Changes
    from memkit.retrieval.context.values import Context
    from memkit.retrieval.evaluation.evaluate import EvalReport
    from memkit.retrieval.evaluation.query_files import Query
    from memkit.retrieval.results import Recall
    from memkit.sharing.export import ExportReport
    from memkit.sharing.postgres.needs import Needs
    from memkit.sharing.postgres.part import Asked, Model
    from memkit.sharing.postgres.units import Name, Unit
    from memkit.sharing.postgres.writing import Written
    from memkit.storage.connection import Connection

IN_A_FILE = "{}() does not work on a server: it works in a file that has pulled the store (memkit pull NEW.db URL)."
TO_READ = "This store was opened for reading only. Open it without read_only to write."
NOT_PUSHED = "This store has no index to search yet: a push by this version of memkit makes it."
MOST_OF_ONE = 5000  # memories that name an entity, for its card
# What needs no store, or is about the object itself.
KEPT = {"strategy", "embedder", "policy", "fitting"}
FILTERS = ("now", "since", "until", "as_of", "kinds", "project", "only_project", "everything")


class FromServer:
    """The methods of a MemoryDatabase that is a store on a server. Its `conn` is an empty database."""

    base: Any  # the class of the parts: MemoryDatabase
    url: str
    read_only: bool
    _embed: str | Embedder | None
    intent_model: Any
    warn: Callable[[str], None]
    strategy: Any
    _load: Any
    _model_name: Callable[[], str]
    _kept_vectors: Kept
    _lock: Any
    conn: Any

    def __init__(
        self,
        path: str | PathLike[str] = ":memory:",
        *,
        read_only: bool = False,
        embed: str | Embedder | None = None,
        conn: None = None,
    ):
        from memkit.sharing.postgres.server import Kept as KeptConnection
        from memkit.sharing.postgres.server import without_password

        self.base.__init__(self, embed=embed)
        self.url, self.read_only = str(path), read_only
        self._me: str | None = None
        self._server = KeptConnection(self.url)
        self.file = without_password(self.url, self.url)
        self._fetched("")

    def close(self) -> None:
        """Closes the connection. Any later call raises Closed."""
        self.base.close(self)
        self._server.close()

    def recall(self, question: AnyText, k: int = 10, **how: Any) -> Recall:
        """As `MemoryDatabase.recall`, but `track` and `ledger`, which would write, raise MemkitError."""
        if how.get("track") or how.get("ledger"):
            raise MemkitError(IN_A_FILE.format("recall with track or ledger"))
        found: Recall = self._fetched(question, how).recall(question, k, **how)
        return found

    def context(self, message: AnyText, **how: Any) -> Context:
        """As `MemoryDatabase.context`."""
        found: Context = self._fetched(message, how).context(message, **how)
        return found

    def about(self, entity: str, **how: Any) -> EntityCard:
        """As `MemoryDatabase.about`, from the entity's relations and its newest 5000 memories."""
        found: EntityCard = self._fetched(entity, naming=MOST_OF_ONE).about(entity, **how)
        return found

    def path(self, a: str, b: str, *, max_depth: int = 4, as_of: str | None = None, project: str | None = None) -> Path:
        """As `MemoryDatabase.path`; a step goes on from at most 500 names, over the newest memories of each."""
        from memkit.sharing.postgres.connections import between

        with self._lock, self._server.transaction() as server:
            given = between(server, (a, b), max_depth)
        found: Path = self._filled(given).path(a, b, max_depth=max_depth, as_of=as_of, project=project)
        return found

    def evaluate(self, queries: Any, strategies: Any = None, *, tune: bool = False, **how: Any) -> EvalReport:
        """As `MemoryDatabase.evaluate`, without `tune`, which would write."""
        if tune:
            raise MemkitError(IN_A_FILE.format("evaluate with tune"))
        report: EvalReport = self.base.evaluate(self, queries, strategies, **how)
        return report

    def export(self, path: str | PathLike[str], **how: Any) -> ExportReport:
        """As `MemoryDatabase.export`: what is shared, all of which comes into a database in memory for it."""
        with self._lock, self._server.transaction() as server:
            given = server.units()
        report: ExportReport = self._filled(given).export(path, **how)
        return report

    def _filled(self, given: Mapping[Name, Unit]) -> Any:
        """Some units of the store as a database in memory."""
        from memkit.sharing.postgres import small_database

        conn = small_database.empty()
        small_database.fill(conn, given)
        return self._part(conn)

    def _unknown(self, queries: Sequence[Query]) -> list[str]:
        from memkit.sharing.postgres.needs import unknown

        with self._lock, self._server.transaction() as server:
            return unknown(server, {id for query in queries for id in query.relevant})

    def memory(self, id: str) -> Memory:
        """The memory with this id. Raises NotFound for an unknown id."""
        found: Memory = self._fetched("", ids=(id,)).memory(id)
        return found

    def get(self, id: str) -> Memory | None:
        """The memory with this id, or None."""
        found: Memory | None = self._fetched("", ids=(id,)).get(id)
        return found

    def filter_warnings(self, **filters: Any) -> tuple[str, ...]:
        """As `MemoryDatabase.filter_warnings`."""
        asked = {name: value for name, value in filters.items() if value and name != "only_project"}
        found: tuple[str, ...] = self._fetched(" ", asked).filter_warnings(**filters)
        return found

    def maintenance(self, **chosen: Any) -> Changes:
        """No changes: the log of upkeep is kept in files."""
        found: Changes = self._fetched("").maintenance(**chosen)
        return found

    # ------------------------------------------------------------------------------------------ in

    def me(self, name: str | None = None) -> str:
        """Who says "I" in what is written here; with a name, says first who that is. A store does not keep it."""
        if name is not None:
            if not valid_name(name):
                raise MemkitError(f"{name[:40]!r} is not a name: it has no letter, or is too long.")
            self._me = name
        return self._me or "user"

    def ingest(
        self,
        source: Any,
        *,
        project: str | None = None,
        format: str | None = None,
        sync: bool = False,
        dry_run: bool = False,
        own_voice: bool | None = None,
        client: Any = None,
        progress: Any = None,
        now: str | None = None,
        **options: Any,
    ) -> IngestReport:
        """As `MemoryDatabase.ingest`, in transactions of 5,000 records, but without `sync` and `dry_run`."""
        from memkit.ingestion.pipeline import Intake
        from memkit.sharing.postgres.ingest import ingest

        if sync or dry_run:
            raise MemkitError(IN_A_FILE.format("ingest with sync or dry_run"))
        intake = Intake(source, project=project, format=format, options=options, client=client)
        now = now or utc_now()

        def write(needs: Needs, work: Callable[..., Any]) -> Written[Any]:
            return self._written(needs, lambda db: db._worked(work, client), now)

        with watched(progress) as progress, self._lock:
            return ingest(write, intake, now, own_voice, progress)

    def remember(self, text: AnyText, *, now: str | None = None, **fields: Any) -> Memory:
        """As `MemoryDatabase.remember`."""
        from memkit.ingestion.remember import draft_of
        from memkit.sharing.postgres.needs import of_drafts

        now = now or utc_now()
        needs = of_drafts([draft_of(text, fields)])
        made: Memory = self._result(needs, lambda db: db.remember(text, now=now, **fields), now)
        return made

    def correct(self, id: str, text: str, *, why: str = "", now: str | None = None, **fields: Any) -> Memory:
        """As `MemoryDatabase.correct`."""
        now = now or utc_now()
        needs = self._needs(memories=(id,), texts=(text,))
        made: Memory = self._result(needs, lambda db: db.correct(id, text, why=why, now=now, **fields), now)
        return made

    def forget(self, id: str, *, hard: bool = False, project: str | None = None, now: str | None = None) -> Memory:
        """As `MemoryDatabase.forget`, but the text is deleted from the store in any case, for all."""
        now = now or utc_now()
        needs = self._needs(memories=(id,), derived=(id,))
        made: Memory = self._result(needs, lambda db: db.forget(id, hard=hard, project=project, now=now), now)
        return made

    def relate(
        self, subject: str, predicate: str, object: str, *, memory: str, now: str | None = None, **how: Any
    ) -> Relation:
        """As `MemoryDatabase.relate`; it needs the `memory` that says so, because a store has what memories state."""
        now = now or utc_now()
        needs = self._needs(memories=(memory,), texts=(subject, object))

        def relate(db: Any) -> Any:
            return db.relate(subject, predicate, object, memory=memory, now=now, **how)

        made: Relation = self._result(needs, relate, now)
        return made

    def link(self, one: str, other: str, type: str = "relates_to", *, now: str | None = None, **how: Any) -> None:
        """As `MemoryDatabase.link`, of two memories of one project."""
        now = now or utc_now()

        def link(db: Any) -> None:
            if db.memory(one).project != db.memory(other).project:
                raise MemkitError("A store has no links between two projects: they stay in a file.")
            db.link(one, other, type, now=now, **how)

        self._result(self._needs(memories=(one, other)), link, now)

    def supersede(self, old: str, new: str, *, why: str = "", now: str | None = None) -> None:
        """As `MemoryDatabase.supersede`."""
        now = now or utc_now()
        needs = self._needs(memories=(old, new))
        self._result(needs, lambda db: db.supersede(old, new, why=why, now=now), now)

    def _needs(self, memories: Sequence[str] = (), texts: Sequence[str] = (), derived: Sequence[str] = ()) -> Needs:
        from memkit.sharing.postgres.needs import Needs, named
        from memkit.sharing.postgres.units import Name

        units = frozenset(Name("memories", id) for id in memories)
        return Needs(units=units, names=named(texts), derived=frozenset(derived))

    def _result(self, needs: Needs, work: Callable[[Any], Any], now: str) -> Any:
        return self._written(needs, work, now).result

    def _written(self, needs: Needs, work: Callable[[Any], Any], now: str) -> Written[Any]:
        """Does some work in the part of the store that it needs, and writes what it changed."""
        from memkit.sharing.postgres import writing

        if self.read_only:
            raise ReadOnly(TO_READ)
        made: dict[str, Any] = {}

        def worked(conn: Connection) -> Any:
            part = self._part(conn)
            part._load = lambda name: writing.Once(self._load(name), made)
            return work(part)

        with self._lock:
            return writing.write(self._server, needs, worked, now, me=self._me)

    def _part(self, conn: Connection) -> Any:
        """A part of the store as a database in memory, which warns and asks as this one does."""
        part = self.base(conn=conn, embed=self._embed)
        part.warn, part.intent_model = self.warn, self.intent_model
        return part

    # ------------------------------------------------------------------------------------------ asking

    def _fetched(
        self, text: str, how: Mapping[str, Any] | None = None, *, naming: int | None = None, ids: tuple[str, ...] = ()
    ) -> Any:
        """The part of the store that this text asks for, or these memories, as a database in memory."""
        from memkit.sharing.postgres import part, small_database

        how = how or {}
        scope = Scope.of(**{name: how[name] for name in FILTERS if name in how})
        conn = small_database.empty()
        with self._lock, self._server.transaction() as server:
            if not part.is_indexed(server):
                raise MemkitError(NOT_PUSHED)
            model = part.model_of(server) if self._embed != "none" else None
            if text or ids:
                asked = self._request(text, how, scope, model, naming, ids)
                part.fetch(server, conn, asked, scope, model, scope.now)
        found = self._part(conn)
        found._kept_vectors = self._kept_vectors  # the question is embedded once, for the server and for the part
        return found

    def _request(
        self,
        text: str,
        how: Mapping[str, Any],
        scope: Scope,
        model: Model | None,
        naming: int | None,
        ids: tuple[str, ...],
    ) -> Asked:
        """What the server is asked for."""
        from memkit.graph.question_entities import names_in
        from memkit.retrieval.channels import time
        from memkit.retrieval.understanding import understand
        from memkit.sharing.postgres import part

        question = understand(self.conn, text, None, self.strategy(how.get("strategy")), parse_iso(scope.now))
        vector = None
        if model is not None and text.strip():
            with suppress(EmbedderFailed, NotFound, NeedsPackage):
                embedder = self._load(model.id)
                if (embedder.id, embedder.version) == (model.id, model.version):
                    name = model.id if self._embed is None else self._model_name()
                    vector = KeptVectors(embedder, name, self._kept_vectors).encode([question.text])[0]
        has_vector = vector is not None and bool(vector.any())
        return part.Asked(
            question.terms,
            question.cjk,
            names_in(question.text),
            vector if has_vector else None,
            ids,
            part.NAMING if naming is None else naming,
            [time.bounds(one) for one in time.meant(question.text, scope.now)],
        )


def class_of(base: type[Any]) -> type[Any]:
    """The class of stores on a server, for the class of files: what is not in FromServer raises MemkitError."""
    names = {name for cls in base.__mro__[:-1] for name, value in vars(cls).items() if _is_public(name, value)}
    names |= {"__len__", "__iter__"}
    refused = {name: _refused(name) for name in names - KEPT - vars(FromServer).keys()}
    return type("ServerDatabase", (FromServer, base), {**refused, "base": base})


def _is_public(name: str, value: object) -> bool:
    return not name.startswith("_") and (isfunction(value) or isinstance(value, property))


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise MemkitError(IN_A_FILE.format(name.strip("_")))

    refuse.__name__ = name
    return refuse
