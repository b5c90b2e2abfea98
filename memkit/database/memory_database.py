"""MemoryDatabase, the main object of memkit: opens a file, ingests, recalls, evaluates, exports and publishes."""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from memkit.core.addresses import is_server
from memkit.core.arguments import AnyText, check, checked
from memkit.core.clock import utc_now
from memkit.core.errors import (
    BadArgument,
    BadQuestion,
    EmbedderFailed,
    EmbedderMismatch,
    IntentUnknown,
    MemkitError,
    NotFound,
    VectorsMissing,
)
from memkit.core.files import expanded
from memkit.core.frames import Rows
from memkit.core.progress import watched
from memkit.core.types import Memory
from memkit.database.knowledge import Knowledge
from memkit.database.upkeep import Upkeep
from memkit.embedding import BUILT_IN, MODEL_VARIABLE, load_embedder
from memkit.embedding.circuit_breaker import FOREVER, CircuitBreaker, patience
from memkit.embedding.kept_vectors import Kept, KeptVectors
from memkit.retrieval.fitting import LEAST
from memkit.retrieval.results import Recall
from memkit.storage import driver, schema, store, vectors
from memkit.storage.borrowed import borrowed
from memkit.storage.connection import Connection
from memkit.storage.damaged_rows import explained
from memkit.storage.filters import Scope, eligible

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

    from memkit.database.tables import Tables
    from memkit.embedding import Embedder
    from memkit.ingestion.report import IngestReport
    from memkit.ingestion.source_list import Source, Sources
    from memkit.ingestion.sync import SyncReport
    from memkit.ingestion.writer import Progress
    from memkit.retrieval.by_time import Period
    from memkit.retrieval.context.values import Context
    from memkit.retrieval.evaluation.evaluate import AnyStrategies, EvalReport
    from memkit.retrieval.evaluation.query_files import Query
    from memkit.retrieval.evaluation.tuning import Tuning
    from memkit.retrieval.fitting import Fitting
    from memkit.retrieval.registry import AnyStrategy
    from memkit.retrieval.saved_questions import SavedQuestion
    from memkit.retrieval.strategies import Strategy
    from memkit.retrieval.surroundings import Choices, Document, Surroundings
    from memkit.sharing.export import ExportReport, RestoreReport
    from memkit.sharing.postgres import ExchangeReport
    from memkit.sharing.publish import CheckReport, PublishReport
    from memkit.storage.backup import BackupReport
    from memkit.storage.info import Info
    from memkit.storage.reindex import ReindexReport
    from memkit.storage.table_sizes import TableSizes


ITERATED_AT_ONCE = 1000  # memories that are read at once for a loop over all


def _python_warning(sentence: str, category: type[Warning] = VectorsMissing) -> None:
    warnings.warn(sentence, category, stacklevel=2)


@checked
class MemoryDatabase(Knowledge, Upkeep):
    """One SQLite file of memories: you put them in, and recall finds them again.

        db = MemoryDatabase("memory.db")        # opens the file, or makes it; MemoryDatabase() is in memory only
        db.ingest("notes/", project="garden")
        db.recall("who planted the quince?")

    `embed` is the embedding model, by its name or as an Embedder. None means the model that the file uses, or the
    built-in one; "none" means no vectors. `read_only` opens an existing file to recall from; a call that would write
    raises ReadOnly. `conn` is an open connection to use instead of the path.

    A model that fails stops nothing: memories are stored without vectors, and `warn` is called with a sentence that
    says so. It issues a Python warning; set it to a function of your own to get the sentence.

    `intent_model` is a language model of `llm`, by name or as a Model. A strategy that searches by what a message wants
    done (`kira`) asks it where rules over the words cannot tell. None, as usual, means that nothing is asked.

    The address of a PostgreSQL server (`postgresql://...`) opens a store that was pushed there, to ask it (`recall`,
    `context`, `about`, `memory`, `get`, `path`, `evaluate`, `export`) and to write in it (`remember`, `ingest`,
    `correct`, `forget`, `relate`, `link`, `supersede`). Each call fetches what it needs. All else raises MemkitError,
    and works in a file that has pulled.

    Several threads may use one database: their calls wait for each other. Raises NotAMemoryDatabase for a file that
    is something else, NotFound for a file that cannot be opened and for an unknown model, EmbedderMismatch if the
    file's vectors are from another model.
    """

    def __new__(cls, path: str | Path = ":memory:", **_: Any) -> MemoryDatabase:
        if cls is not MemoryDatabase or not is_server(path):
            return super().__new__(cls)
        from memkit.database.server_database import class_of

        made: MemoryDatabase = super().__new__(class_of(cls))
        return made

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        read_only: bool = False,
        embed: str | Embedder | None = None,
        conn: Connection | None = None,
    ):
        self.file = str(path)
        self.read_only = read_only
        self._lock = RLock()
        self._embed = embed
        self._seconds = patience()
        self._loaded: tuple[str | None, Embedder] | None = None
        self._asked: list[CircuitBreaker] = []  # the models that the calls in progress write with
        self._calls = 0
        self.warn: Callable[[str], None] = _python_warning
        self.intent_model: Any = None
        self._kept_vectors: Kept = OrderedDict()
        self._tables: Tables | None = None
        if read_only and self.file != ":memory:" and not Path(self.file).exists():
            raise NotFound(f"There is no file {self.file}. To make it, open it without read_only.")
        if conn is not None and not hasattr(conn, "memkit_cache"):  # not one of memkit's
            conn = borrowed(conn)
        self.conn = conn if conn is not None else driver.connect(self.file, read_only=read_only)
        try:
            schema.ensure(self.conn, Path(self.file).name, read_only=read_only)
            self._check_embed()
        except BaseException:
            if conn is None:
                self.conn.close()
            raise

    # ------------------------------------------------------------------------------------------ opening and closing

    def close(self) -> None:
        """Closes the file, once calls in other threads are done. Any later call raises Closed."""
        with self._lock:
            self.conn.close()
            self.conn = driver.ClosedConnection(self.file)

    def __enter__(self) -> MemoryDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _turn(self) -> Iterator[Connection]:
        """The connection, held by one call at a time. After the call, warns of vectors that could not be made."""
        with self._lock:
            self._calls += 1
            try:
                with explained(self.conn):
                    yield self.conn
            finally:
                self._calls -= 1
                asked = [] if self._calls else self._asked
                if not self._calls:
                    self._asked = []
            failures = [self._without_vectors(one) for one in asked if one.failure]
        for failure in failures[:1]:
            self.warn(failure)

    @property
    def tables(self) -> Tables:
        """This file as a `sqlite_utils.Database`, for tables of your own: `db.tables["visits"].insert_all(rows)`.

        It uses the same connection. So its tables can be joined with memories, and both can be written in one
        transaction: `with db.tables.atomic(): ...`.
        """
        from memkit.database.tables import Tables

        with self._lock:
            if self._tables is None or self._tables.conn is not self.conn:
                self._tables = Tables(self)
            return self._tables

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model of this database, loaded at first use; None if it was opened with embed="none"."""
        return None if self._embed == "none" else self._load(self._model_name())

    def _model_name(self) -> str:
        """The name of the model that was asked for, or else of the file's, or of MEMKIT_EMBED, or the built-in one."""
        if self._embed is not None:
            return self._embed if isinstance(self._embed, str) else self._embed.id
        row = vectors.active_model(self.conn)
        return row["id"] if row else os.environ.get(MODEL_VARIABLE) or BUILT_IN

    def _load(self, name: str) -> Embedder:
        if self._embed is not None and not isinstance(self._embed, str):
            return self._embed
        if self._loaded is None or self._loaded[0] != name:
            self._loaded = (name, load_embedder(name, download=self._embed is not None))
        return self._loaded[1]

    def _breaker(self, client: Client | None = None) -> CircuitBreaker | None:
        """The model for one call, which goes on without it if it fails; None with embed="none"."""
        if self._embed == "none":
            return None
        name = self._model_name()
        return CircuitBreaker(name, lambda: self._shared_out(self._load(name), client), self._seconds)

    def _shared_out(self, model: Embedder, client: Client | None) -> Embedder:
        """The model on the workers of a Dask client, if there is one."""
        if client is None:
            return model
        from memkit.embedding.on_workers import OnWorkers

        return OnWorkers(model, None if model is self._embed else model.id, client)

    def _check_embed(self) -> None:
        """Raises NotFound for an unknown model, EmbedderMismatch for another one than the file's.

        The file's own model may be missing on this machine, or not answer: memories are stored all the same.
        """
        row = vectors.active_model(self.conn)
        named = self._embed if isinstance(self._embed, str) else None
        if self._embed is None or named == "none" or (row and named and row["id"] in (named, f"llm:{named}")):
            return
        embedder = self._load(self._model_name())
        with suppress(EmbedderFailed):
            vectors.check(self.conn, embedder)

    def _worked(self, work: Callable[[Connection, Embedder | None], Any], client: Client | None = None) -> Any:
        """Some work with the connection and the model for new memories."""
        with self._turn() as conn, driver.loading(conn):
            return work(conn, self._writing_embedder(client))

    def _writing_embedder(self, client: Client | None = None) -> Embedder | None:
        """The model for new memories, or None. If it fails, or has changed, they get no vectors, and `_turn` warns."""
        breaker = self._breaker(client)
        if breaker is None:
            return None
        self._asked.append(breaker)
        try:
            vectors.check(self.conn, breaker)
        except EmbedderMismatch as error:
            breaker.failed(str(error), "is no longer the one that made its vectors")
        except EmbedderFailed:
            pass
        return breaker

    def _without_vectors(self, breaker: CircuitBreaker) -> str:
        """The warning that memories have no vectors, and how they get them."""
        assert breaker.failure is not None
        name = Path(driver.file_of(self.conn) or self.file).name  # no path: strangers may read the warning
        other = vectors.active_model(self.conn) is None and breaker.name != BUILT_IN
        return (
            f"The embedding model {breaker.name!r} {breaker.failure.reason}. Everything was stored, but without new "
            f"vectors: words and connections find it. memkit doctor {name} says more; when the model works, run: "
            f"memkit reindex {name}" + (f" --model {breaker.name}" if other else "")
        )

    # ------------------------------------------------------------------------------------------ in

    def ingest(
        self,
        source: Any,
        *,
        project: str | None = None,
        format: str | None = None,
        sync: bool = False,
        dry_run: bool = False,
        own_voice: bool | None = None,
        client: Client | None = None,
        progress: Progress | None = None,
        now: str | None = None,
        **options: Any,
    ) -> IngestReport:
        """Reads a source into memories, and returns a report of what was added, updated, removed and failed.

        `source` is a file, a folder, a list of them, a DataFrame, or an iterable of dicts or texts. Ingesting the same
        source again changes nothing; texts that have changed are updated in place. `sync` archives documents that have
        vanished from the given folders. `dry_run` writes nothing and only reports. Raises BadSource for a source that
        cannot be read at all; single bad records are listed in the report, and so are a bad file among others and
        exports of a memory database, which only `restore` takes in.

        Each file is read under limits (`memkit.sources.ReadLimits`): `limits={"seconds": 60}` changes them.

        `project` is the project of every record that does not name one itself. Without it, known documents keep their
        project. New documents get the project that was last given for the nearest folder or file.

        `own_voice` says whether the notes of these folders and files are the user's own words: only then does `I` in
        them mean the user. It is remembered for the path, as a project is; without it, nothing changes.

        With a Dask `client`, its workers read the files of a folder and embed the texts; the rows are the same
        (docs/scale.md).

        If the columns of a DataFrame, a CSV file or rows have other names, say which column holds what:
        `ingest(df, text="body", timestamp="when")`. This works for `text`, `id`, `title`, `timestamp`, `session` and
        `speaker`. With `mtime=True`, what has no date gets the time of its file's last change.
        """
        from memkit.ingestion.pipeline import Intake

        intake = Intake(source, project=project, format=format, options=options, client=client)
        now = now or utc_now()
        with watched(progress) as progress, self._turn() as conn, driver.loading(conn):
            embedder = None if dry_run else self._writing_embedder(client)
            return intake.run(conn, embedder, now, sync=sync, dry_run=dry_run, own_voice=own_voice, progress=progress)

    def add_source(
        self, path: str | Path, *, format: str | None = None, project: str | None = None, **options: Any
    ) -> Source:
        """Notes that a file or folder belongs to this database, so that `sync()` takes in what changes there.

        `format`, `project` and the options are those of `ingest()`. Raises BadSource for a path that does not exist.
        """
        from memkit.ingestion.sync import add_source

        with self._turn() as conn:
            return add_source(conn, path, format, project, options)

    def remove_source(self, path: str | Path) -> None:
        """Forgets a source; the memories from it stay. Raises NotFound for a path that is none."""
        from memkit.ingestion.sync import remove_source

        with self._turn() as conn:
            remove_source(conn, path)

    def sources(self) -> Sources:
        """The sources of this database: when each was last read, how many files it had, and what was left out."""
        from memkit.ingestion.source_list import sources

        with self._turn() as conn:
            return sources(conn)

    def sync(self, *, again: bool = False, progress: Progress | None = None, now: str | None = None) -> SyncReport:
        """Takes in what has changed in all sources, archives what has vanished from them, and returns a report.

        Files of the same size and time as at their last reading are passed over, unless `again`. What a source held
        that is not there, or empty all at once, stays, and the report says so.
        """
        from memkit.ingestion.sync import sync

        with watched(progress) as progress, self._turn() as conn, driver.loading(conn):
            return sync(conn, self._writing_embedder, now or utc_now(), again=again, progress=progress)

    def remember(self, text: AnyText, *, now: str | None = None, **fields: Any) -> Memory:
        """Stores a text as a memory, and returns the memory.

        Fields: kind ("fact" by default), title, speaker, category, tags, project, slot, key, importance (1 to 10),
        confidence (0 to 1), happened_at, valid_from, valid_until, expires_at, meta, and the trigger of a procedure: the
        situation that it is for, by which it is found, too. If a slot and a key are given, the previous value of this
        key ends and is kept as history. Raises BadSource for an empty text or a value that cannot be used, BadArgument
        for an unknown field.
        """
        from memkit.ingestion.remember import draft_of, remembered

        draft = draft_of(text, fields)
        with self._turn() as conn:
            return remembered(conn, draft, self._writing_embedder(), now or utc_now())

    def correct(self, id: str, text: str, *, why: str = "", now: str | None = None, **fields: Any) -> Memory:
        """Replaces a memory (by its id) with a new one that has the right text, and returns the new memory.

        The old memory is kept as history; it is not recalled any more, and what it states is no fact any more. The
        fields are those of `remember()`. Where they are not given, title, project, tags, importance, slot and key are
        those of the old memory. So is kind, but part of a document (a passage, a turn) and text that upkeep made become
        a fact. Raises NotFound for an unknown id, and BadSource for a text that is empty or the same as the old one.
        """
        from memkit.ingestion.remember import correct, draft_of, kept_fields

        with self._turn() as conn:
            embedder = self._writing_embedder()
            with driver.writing(conn):
                old = store.memory(conn, id)
                draft = draft_of(text, {**kept_fields(old), **fields})
                return correct(conn, old, draft, embedder, now or utc_now(), why or "corrected by hand")

    def forget(self, id: str, *, hard: bool = False, project: str | None = None, now: str | None = None) -> Memory:
        """Hides a memory from recall, or with `hard` deletes every byte of it; returns the memory.

        Summaries, observations, crystals and merges that were made from it are undone. The next upkeep makes them
        again from their other sources, which are recalled themselves until then. `maintenance(step="forget")` lists
        everything that was hidden or deleted. With a `project`, nothing is hidden if memories of other projects were
        made from it: that raises MemkitError. Raises NotFound for an unknown id.
        """
        if hard and project is not None:
            raise BadArgument("forget(): a project cannot be given with hard=True, which deletes every copy.")
        with self._turn() as conn:
            return self._forgotten(conn, id, now or utc_now(), hard, project)

    def _embed_again(self, conn: Connection, keys: set[int]) -> None:
        """Makes new vectors for memories whose neighbours have changed; without their model, deletes the vectors."""
        if keys and vectors.active_model(conn) is not None:
            vectors.drop(conn, keys)
            driver.after_commit(conn, lambda: vectors.follow(conn, self._maker(), keys, now="", fresh=True))

    # ------------------------------------------------------------------------------------------ out

    def recall(
        self,
        question: AnyText,
        k: int = 10,
        *,
        strategy: AnyStrategy | None = None,
        project: str | None = None,
        only_project: bool = False,
        since: str | date | None = None,
        until: str | date | None = None,
        as_of: str | date | None = None,
        kinds: Sequence[str] | str | None = None,
        now: str | None = None,
        everything: bool = False,
        min_confidence: float | None = None,
        depth: int | None = None,
        track: bool = False,
        ledger: bool = False,
    ) -> Recall:
        """The best k memories for a question, best first, each with its reasons. It is empty if nothing was found.

        Its `confidence` (0 to 1) is the chance that the first five hold an answer. Each hit has its own; those below
        `min_confidence` are left out.

        The question may say where to look: `"exact phrase"`, `-without`, `project:garden`, `kind:`, `speaker:`,
        `before:2025`, `after:2024-03`. It only narrows, and `warnings` say what was read.

        `strategy` is a name, JSON, a dict or a Strategy. Memories of `project` are preferred; with `only_project`, only
        they and those of `global` are found. `kinds` are the kinds of memories to find. `since` and `until` limit when
        a memory happened. `as_of` asks for what was true at that time. `now` is the time at which the question is
        asked. `everything` also finds archived, superseded and expired memories. Times are ISO 8601 text, dates or
        datetimes. With a `depth` of 1 to 3, what is linked to a hit comes along, over so many links; 0 is none.

        A recall writes nothing, except that `track` counts the hits as read, and `ledger` stores the recall in the
        tables `recalls` and `recall_hits`. Raises BadQuestion for a parameter that makes no sense, never for the text
        of a question. A kind or project that no memory has is reported in `warnings`.
        """
        from memkit.retrieval.intents import by_model
        from memkit.retrieval.ledger import recorded
        from memkit.retrieval.query_syntax import narrowed
        from memkit.retrieval.recall import kept, recall
        from memkit.retrieval.spelling import respelled
        from memkit.storage.filter_warnings import nothing_yet, unmatched_filters

        times = {"now": now, "since": since, "until": until, "as_of": as_of}
        scope = Scope.of(**times, kinds=kinds, project=project, only_project=only_project, everything=everything)
        chosen = self._chosen(strategy)
        if min_confidence is not None:
            chosen = chosen.replace(cut={"least_confidence": min_confidence})
        if depth is not None:
            chosen = chosen.replace(expand={"depth": depth})
        with self._turn() as conn:
            with driver.reading(conn):
                text, within, read = narrowed(conn, question, scope)
                text, spelled = respelled(conn, text, within)
                embedder = self._question_embedder()
                warn = partial(_python_warning, category=IntentUnknown) if self.warn is _python_warning else self.warn
                classify = by_model(self.intent_model, warn) if self.intent_model else None
                find = partial(
                    recall, conn, text, strategy=chosen, scope=within, k=k, embedder=embedder, classify=classify
                )
                models = str(self._embed), str(self.intent_model)  # their names may not load
                found = kept(conn, chosen, (text, chosen, replace(within, now=str(now or "")), k, models), find)
                others = unmatched_filters(conn, kinds=scope.kinds or (), project=project, only_project=only_project)
                others = others or (() if found else nothing_yet(conn))
            found = replace(
                found, question=question, read_as=text, warnings=(*read, *spelled, *found.warnings, *others)
            )
            found = recorded(conn, found, scope.now, track=track, ledger=ledger, options={"k": k, **scope.options()})
            return replace(found, packer=partial(self._page, scope))

    def _page(self, scope: Scope, found: Recall, budget: int | None) -> str:
        """A recall as text for a prompt."""
        from memkit.retrieval.context.build import page

        with self._turn() as conn, driver.reading(conn):
            return str(page(conn, found, scope=scope, budget=budget))

    def context(
        self,
        message: AnyText,
        *,
        history: Sequence[str | Mapping[str, Any]] | None = None,
        budget: int | None = None,
        strategy: AnyStrategy | None = None,
        project: str | None = None,
        only_project: bool = False,
        since: str | date | None = None,
        until: str | date | None = None,
        as_of: str | date | None = None,
        kinds: Sequence[str] | str | None = None,
        now: str | None = None,
        triggers: bool = True,
        **how: Any,
    ) -> Context:
        """The memories that a language model should read before this message, in at most `budget` tokens.

        `str()` of it is the text for the prompt. `history` is the conversation so far, as texts or as dicts with
        `content`; what it says already is not repeated. An empty one means that a session begins; then the page also
        says who the user is, and what happened last. That, and what else the message calls for (`db.triggers`), stands
        in `.triggers`; with `triggers=False` it changes nothing. `strategy` and the filters are those of `recall()`.
        Also:

        - `min_confidence`: with a lower one (0 to 1; .02 by default), what was found most likely does not answer, and
          is left out.
        - `window`, `reserve`: the model's whole window and the tokens to keep free. The rest is the default `budget`.
        - `tokens`: a function that counts the tokens of a text exactly, instead of the estimate.
        - `layout`, `templates`: the name of another layout, and a folder with layouts of your own.
        - `fenced`: whether memkit's marks stand around the text. `offset`: memories to skip, for the next page.
        - `channel`, `timezone`: where the message was written.

        Raises BadQuestion for a parameter that makes no sense, NotFound for an unknown strategy or layout; never for
        a text.
        """
        from memkit.retrieval.context.build import context

        how = check(context, how)
        times = {"now": now, "since": since, "until": until, "as_of": as_of}
        scope = Scope.of(**times, kinds=kinds, project=project, only_project=only_project)
        chosen = self._chosen(strategy)
        with self._turn() as conn, driver.reading(conn):
            embedder = self._question_embedder()
            fired = self._acting(conn, message, history, how.get("window")) if triggers else ()
            return context(
                conn,
                message,
                scope=scope,
                history=history or (),
                triggers=fired,
                budget=budget,
                strategy=chosen,
                embedder=embedder,
                **how,
            )

    def fitting(
        self, message: AnyText, described: Mapping[str, str], k: int = 3, *, least: float = LEAST
    ) -> Rows[Fitting]:
        """The k things that fit a message best, of a dict of names and descriptions: packs of tools, skills, personas.

            db.fitting("is it going to rain?", {"weather": "forecasts for places", "mail": "reads and writes letters"})

        Their descriptions are compared with the message by meaning, with the vector that recall has made of it already;
        below a cosine of `least` (0 to 1) nothing fits. Without a model all of them do, with a similarity of 0. Raises
        BadQuestion if `k` is below 0, EmbedderFailed if the model does not answer.
        """
        from memkit.retrieval.fitting import Fitting, fitting

        if k < 0:
            raise BadQuestion(f"k is how many to find: 0 or more, not {k!r}.")
        with self._turn() as conn, driver.reading(conn):
            model = self._kept(self._breaker())
            if model is None:
                return Rows(Fitting, [Fitting(name, text, 0.0) for name, text in described.items()])
            return Rows(Fitting, fitting(message, described, model, k, least) if described else [])

    def strategy(self, given: AnyStrategy | None = None) -> Strategy:
        """The strategy with this name, JSON, or these settings; without any the one that this database answers with.

        Raises NotFound for an unknown name, BadQuestion for a setting that no strategy has.
        """
        from memkit.retrieval.own_strategy import own
        from memkit.retrieval.registry import strategy

        if given is not None:
            return strategy(given)
        with self._turn() as conn:
            return own(conn)

    def set_strategy(self, given: AnyStrategy | None = None) -> Strategy:
        """Makes a strategy that of this database, for all questions that name none; returns it.

        Without one it is memkit's again. A dict changes only what it names. Raises as `strategy`.
        """
        from memkit.retrieval.own_strategy import keep

        self._chosen(given)
        with self._turn() as conn:
            return keep(conn, given)

    def _chosen(self, given: AnyStrategy | None) -> Strategy:
        """The strategy for a call, within the limits of the connection.

        A cross-encoder that the caller names is fetched; one that the file names is not, for it may be a stranger's.
        """
        from memkit.retrieval.limits import limited

        chosen = limited(self.strategy(given), self.conn)
        if chosen.rerank is not None and chosen.rerank != self.strategy().rerank:
            from memkit.embedding.cross_encoder import load_cross_encoder

            load_cross_encoder(chosen.rerank.model)
        return chosen

    def saved_questions(self) -> Rows[SavedQuestion]:
        """The questions that were saved in this database, the latest first."""
        from memkit.retrieval.saved_questions import SavedQuestion, saved

        with self._turn() as conn:
            return Rows(SavedQuestion, saved(conn))

    def save_question(
        self, question: str, *, name: str = "", has: Mapping[str, Sequence[str]] | None = None, **options: Any
    ) -> SavedQuestion:
        """Saves a question with the options that `recall` takes, under a name (its own words without one).

        `has` are the values that its answers must have: `{"kind": ["note"], "year": ["2025"]}`. A question of the same
        name is replaced. Raises BadQuestion, and what `recall` raises with these options.
        """
        from memkit.retrieval.saved_questions import SavedQuestion, keep

        self.recall(question, 1, **options)  # an option that makes no sense is told now
        with self._turn() as conn:
            return keep(conn, SavedQuestion(name, question, options, has or {}))

    def unsave_question(self, name: str) -> SavedQuestion:
        """Removes a saved question, and returns it. Raises NotFound."""
        from memkit.retrieval.saved_questions import drop

        with self._turn() as conn:
            return drop(conn, name)

    def _acting(
        self, conn: Connection, message: str, history: Sequence[str | Mapping[str, Any]] | None, window: int | None
    ) -> tuple[str, ...]:
        """The triggers of a message that change what is looked up; without a history, not those of a conversation."""
        from memkit.maintenance.policy import Policy
        from memkit.maintenance.policy_toml import stored_policy
        from memkit.retrieval.context.triggers import SESSION_START

        try:
            policy = stored_policy(conn)
        except MemkitError:  # `memkit policy` and upkeep say so
            policy = Policy()
        if not policy.triggers.act:
            return ()
        fired = self._triggers_of(conn, message, history or (), window, policy).names
        return fired if history is not None else tuple(name for name in fired if name != SESSION_START)

    def _question_embedder(self) -> Embedder | None:
        """The model for questions; None if there are no vectors. If it fails, recall goes on without its channel."""
        return None if vectors.active_model(self.conn) is None else self._kept(self._breaker())

    def _kept(self, breaker: CircuitBreaker | None) -> Embedder | None:
        """The model, with the vectors that it made of short texts lately: the message, the descriptions of tools."""
        return KeptVectors(breaker, breaker.name, self._kept_vectors) if breaker else None

    def memory(self, id: str) -> Memory:
        """The memory with this id. Raises NotFound for an unknown id; `get` returns None instead."""
        with self._turn() as conn:
            return store.memory(conn, id)

    def get(self, id: str) -> Memory | None:
        """The memory with this id, or None."""
        try:
            return self.memory(id)
        except NotFound:
            return None

    def memories(
        self,
        *,
        kind: Sequence[str] | str | None = None,
        project: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        as_of: str | date | None = None,
        everything: bool = False,
        now: str | None = None,
    ) -> pd.DataFrame:
        """The memories that a recall with these filters could find, as a DataFrame. The index is the id.

        The filters are those of `recall()`; `project` also leaves out all other projects except `global`. Times are
        pandas timestamps. Raises NeedsPackage if pandas is not installed.
        """
        from memkit.retrieval.sql_frames import memories_frame

        times = {"now": now, "since": since, "until": until, "as_of": as_of}
        scope = Scope.of(**times, kinds=kind, project=project, only_project=bool(project), everything=everything)
        with self._turn() as conn, driver.reading(conn):
            return memories_frame(store.memories(conn, eligible(conn, scope).tolist()).values())

    def __len__(self) -> int:
        """The number of memories, without those that are archived, expired or no longer true."""
        with self._turn() as conn:
            return store.count_current(conn)

    def __iter__(self) -> Iterator[Memory]:
        """The same memories, in the order in which they were stored."""
        with self._turn() as conn:
            keys = eligible(conn, Scope.of()).tolist()
        for start in range(0, len(keys), ITERATED_AT_ONCE):
            with self._turn() as conn:
                found = store.memories(conn, keys[start : start + ITERATED_AT_ONCE])
            yield from found.values()

    def __bool__(self) -> bool:
        """Always True, also for an empty database, so that `if db:` asks whether there is a database."""
        return True

    def surroundings(self, id: str) -> Surroundings:
        """The surroundings of a memory: its document, neighbours, entities, links, and the facts taken from it.

        Raises NotFound for an unknown id.
        """
        from memkit.retrieval.surroundings import surroundings

        with self._turn() as conn, driver.reading(conn):
            return surroundings(conn, store.memory(conn, id))

    def document(self, id: str, *, memory: str | None = None, page: int | None = None) -> Document:
        """A whole document: a note, a chat, a table, with its memories in their order, at most 100 on a page.

        `page` counts from 1; without it the page is the one with `memory`, or the first. Raises NotFound for an unknown
        id, MemkitError for a page below 1.
        """
        from memkit.retrieval.surroundings import document

        if page is not None and page < 1:
            raise MemkitError(f"page must be 1 or more, not {page}.")
        with self._turn() as conn, driver.reading(conn):
            return document(conn, id, memory, page)

    def period(self, when: str = "", *, now: str | None = None) -> Period:
        """What happened in a year, a month or a day (`2025`, `2025-03`, `2025-03-14`), or when anything happened.

        Only memories count whose time is known. Raises BadQuestion for another text.
        """
        from memkit.retrieval.by_time import period

        with self._turn() as conn, driver.reading(conn):
            return period(conn, when, now or utc_now())

    def on_this_day(self, most: int = 10, *, now: str | None = None) -> Rows[Memory]:
        """What happened on this day of earlier years, the latest first."""
        from memkit.retrieval.by_time import on_this_day
        from memkit.retrieval.sql_frames import OWN

        with self._turn() as conn, driver.reading(conn):
            return Rows(Memory, on_this_day(conn, now or utc_now(), max(most, 0)), OWN)

    def choices(self) -> Choices:
        """The values to filter a recall by: kinds, projects, and the most mentioned entities with their ids."""
        from memkit.retrieval.surroundings import choices

        with self._turn() as conn:
            return choices(conn)

    def filter_warnings(
        self, *, kinds: Sequence[str] | str | None = None, project: str | None = None, only_project: bool = False
    ) -> tuple[str, ...]:
        """Warnings, one sentence for each given kind or project that no memory has: it may be a typo.

        They list those that exist; with `only_project` they do not, because those may be of other projects.
        """
        from memkit.storage.filter_warnings import unmatched_filters

        with self._turn() as conn:
            chosen = (kinds,) if isinstance(kinds, str) else kinds or ()
            return unmatched_filters(conn, kinds=chosen, project=project, only_project=only_project and bool(project))

    def sql(
        self, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None, **frames: pd.DataFrame
    ) -> pd.DataFrame:
        """The rows of an SQL query as a DataFrame, with memkit's times as pandas timestamps. A query cannot write.

        `frames` are DataFrames that the query can use as tables: `db.sql("select ... from visits ...", visits=df)`.
        After `register_sql_functions(db.conn)`, a query can also call `recall(...)`. The query runs on memkit's own
        connection, because a second SQLite library in the same process would break its locks on the file. Raises
        BadQuestion for SQL that does not run, NeedsPackage if pandas is not installed.
        """
        from memkit.retrieval.sql_frames import select

        with self._turn() as conn:
            return select(conn, query, parameters, frames)

    # ------------------------------------------------------------------------------------------ exporting

    def export(
        self, path: str | PathLike[str], *, format: str | None = None, now: str | None = None, **selection: Any
    ) -> ExportReport:
        """Writes the database to a file or folder, and returns a report of what was written.

        `format` is `jsonl` (`restore` takes it back exactly), `markdown` or `graphml`. Without it, the path's ending
        decides; a path without one becomes a new folder of notes for Obsidian. To export only a part, select by
        `project`, `kind`, `slot`, `tag`, `document`, `entity` (one or several of each), `since`, `until`, or `sql` (a
        query whose first column is memory ids). Raises BadQuestion for a path, format or selection that cannot be used.
        """
        from memkit.sharing.export import export, selected

        with self._turn() as conn:
            return export(conn, path, format, selected(selection), now or utc_now())

    def restore(
        self,
        path: str | PathLike[str],
        *,
        take: Sequence[str] | str = (),
        overwrite: bool = False,
        dry_run: bool = False,
        now: str | None = None,
    ) -> RestoreReport:
        """Restores the JSON lines that `export` wrote: memories, ids, graph and history; returns a report.

        The file may come from anybody: each row is checked, and all is restored or nothing. Rows that are in the
        database already are changed only with `overwrite`; `dry_run` writes nothing, and its report lists them.
        Settings are left out, except those that `take` names: `policy`, `me`, `single_valued`, `slot_predicates`,
        `knowledge_fields`, `projects_of_paths`, `own_voice`, `boilerplate`, `published`. Raises BadSource, with line
        and reason, for a file that cannot be restored, WouldOverwrite (a BadSource) where `overwrite` is needed,
        BadQuestion for another setting.
        """
        from memkit.sharing.export import askable, restore

        wanted = askable((take,) if isinstance(take, str) else take)
        with self._turn() as conn, driver.loading(conn):
            embedder = None if dry_run else self._writing_embedder()
            file = expanded(path)
            return restore(conn, file, embedder, now or utc_now(), take=wanted, overwrite=overwrite, dry_run=dry_run)

    def push(
        self, url: str, *, project: str | None = None, overwrite: bool = False, now: str | None = None
    ) -> ExchangeReport:
        """Brings what changed since the last push into a store on a PostgreSQL server, and returns a report.

        `url` begins with `postgresql://`. With a `project`, only its memories and what belongs to them: their entities
        have the names that its memories use. The user's slots, what only they call somebody, upkeep's log and past
        questions stay here; what was forgotten here is deleted there. What was changed both here and there stays as it
        is there, unless `overwrite`. Raises BadQuestion for another address, NotFound for an unknown project,
        NeedsPackage without psycopg, MemkitError if the server fails.
        """
        from memkit.sharing.export import selected
        from memkit.sharing.postgres import push

        with self._turn() as conn:
            chosen = selected({} if project is None else {"project": project})
            return push(conn, url, chosen, now or utc_now(), overwrite=overwrite)

    def pull(self, url: str, *, overwrite: bool = False, now: str | None = None) -> ExchangeReport:
        """Brings what changed in a store on a PostgreSQL server since the last pull into the file; returns a report.

        The rows are checked as those of `restore`. What is here already is changed, and what was forgotten there is
        hidden here, only with `overwrite`. Raises WouldOverwrite where that is needed, BadSource for rows that memkit
        did not write, BadQuestion for another address, NeedsPackage without psycopg, MemkitError if the server fails.
        """
        from memkit.sharing.postgres import pull

        with self._turn() as conn, driver.loading(conn):
            at = now or utc_now()
            embedder = self._writing_embedder()

            def forget(id: str) -> object:
                return self._forgotten(conn, id, at, False, None)

            return pull(conn, url, embedder, at, forget, overwrite=overwrite)

    # ------------------------------------------------------------------------------------------ backups

    def backup(
        self, path: str | PathLike[str], *, keep: int = 1, recorded: bool = True, now: str | None = None
    ) -> BackupReport:
        """Copies the database to a file while others may write, verifies the copy, and returns a report.

        The copy is one moment of the database. It takes the place of an older one only when its pages, references,
        full-text index and row counts are right and it answers a recall as the database does. With `keep` above 1, the
        copy before stays, with its time in its name, until there are more than `keep` in all. The database notes
        where its last backup is, unless `recorded` is False: for a copy that will not stay there. Raises BadQuestion
        for a path that is no place for a backup of this database, Busy if another program uses the copy that is there,
        MemkitError if the database is damaged or the copy cannot be written.
        """
        from memkit.retrieval.recall import recall
        from memkit.retrieval.registry import strategy
        from memkit.storage.backup import backup

        now = now or utc_now()

        def answers(conn: Connection) -> list[tuple[str, float]]:
            question = store.newest_text(conn)[:500]
            found = recall(conn, question, strategy=strategy(None), scope=Scope.of(now=now), k=10, embedder=None)
            return [(hit.memory.id, hit.score) for hit in found]

        with self._turn() as conn:
            return backup(conn, expanded(path), now, answers, keep=keep, recorded=recorded)

    # ------------------------------------------------------------------------------------------ publishing

    def publish(
        self,
        out: str | Path,
        *,
        embed: str | Embedder | None = None,
        review: Callable[[Any], bool] | None = None,
        dry_run: bool = False,
        anew: bool = False,
        now: str | None = None,
        **what: Any,
    ) -> PublishReport:
        """Writes selected memories into a folder that Datasette serves, and checks that nothing else is in it.

        - Selection: `project`, `kind`, `slot`, `tag`, `document`, `entity` (one or several of each), `since`, `until`,
          `sql` (a query whose first column is memory ids). Without any, nothing is selected.
        - Description: `title`, `description`, `license`, `license_url`, `about`, `name` (of the database, in addresses;
          by default it is made of the first title). Rules for readers: `download`, `allow_sql`, `robots`, `cors`,
          `cache`.
        - Redaction: `redact` (names of people), `everywhere`, `spare`, `patterns`, `common`, `regions`.
          `review(replaced)` is asked about each different text that would be redacted: False leaves it in.
        - `keep`: details that are left out by default (`KEEPABLE`).
        - `embed` is the model of the published vectors: the built-in one by default, because readers have it; "none"
          for no vectors.

        If the folder was published before, it is replaced as a whole. Options that are not given stay as they were, and
        new redactions are added to the old ones; `anew` ignores the old options. Raises BadQuestion, Ambiguous, NotOurs
        or Leaked (see `memkit.sharing.publish`); then nothing was written.
        """
        from memkit.sharing.publish import publish
        from memkit.sharing.publish.options import named

        name = embed if embed is None or isinstance(embed, str) else embed.id
        given = named({**what, "embed": name})
        with self._turn() as conn:
            return publish(
                conn,
                out,
                given,
                embedder=None if name is embed else embed,  # type: ignore[arg-type]
                review=review,
                dry_run=dry_run,
                anew=anew,
                now=now or utc_now(),
            )

    def check_published(self, out: str | Path, **without: Any) -> CheckReport:
        """A report of private content of this database that a published folder contains.

        The redactions of the publication are known. `without` names more content that must not be there: `redact`,
        `everywhere`, `spare`, `patterns`, `common`, `regions`. Raises NotFound if the folder is no publication.
        """
        from memkit.sharing.publish import check
        from memkit.sharing.publish.options import named

        with self._turn() as conn:
            return check(conn, out, named(without))

    # ------------------------------------------------------------------------------------------ evaluation

    def evaluate(
        self,
        queries: Any,
        strategies: AnyStrategies | None = None,
        *,
        k: int = 30,
        bootstrap: bool = True,
        tune: bool = False,
        progress: Progress | None = None,
    ) -> EvalReport:
        """A table of how well strategies answer your own questions: R@1, 2, 5, 10, all@5, nDCG@10, MRR and ms.

        `queries` is a JSONL file, a DataFrame or a list of dicts: `{"id", "text", "relevant": [source ids], "group"?,
        "category"?, "timestamp"?}`. With a `group`, only that project is searched. `timestamp` is when the question is
        asked. An empty `relevant` means that no memory answers the question. `strategies` are names, JSON, dicts or
        Strategy values, or a mapping from names of your own to them; without any, this database's own is evaluated.
        With `tune`, the weights of its channels are fitted to 30 or more questions and kept as the strategy of this
        database if they win on questions left out of the fitting (`.tuning` of the report; `set_strategy()` undoes it).
        Then `queries` may be None: the questions of which somebody said which memory was useful (`feedback`).
        `progress(1)` is called after each answer. Raises BadSource, with line numbers, for questions that cannot be
        read, and EmbedderFailed if the embedding model fails.
        """
        from memkit.retrieval.evaluation.evaluate import evaluate
        from memkit.retrieval.evaluation.query_files import from_feedback, read_queries

        def ask(query: Query, chosen: Strategy) -> Recall:
            within: dict[str, Any] = {"project": query.group, "only_project": True} if query.group else {}
            found = self.recall(query.text, k, strategy=chosen, now=query.timestamp, **within)
            if found.degraded:  # figures of half a strategy would be wrong
                raise EmbedderFailed(found.degraded)
            return found

        with self._turn() as conn:
            asked = from_feedback(conn) if tune and queries is None else read_queries(queries)
        missing = self._unknown(asked)
        with watched(progress, unit="answers") as progress:
            tuning = self._tuned(ask, asked, progress) if tune else None
            chosen = self.strategy() if strategies is None else strategies
            report = evaluate(ask, asked, chosen, k=k, bootstrap=bootstrap, unknown=missing, progress=progress)
            return replace(report, tuning=tuning)

    def _unknown(self, queries: Sequence[Query]) -> list[str]:
        """The relevant ids of these questions that no memory has."""
        from memkit.retrieval.evaluation.evaluate import unknown

        with self._turn() as conn:
            return unknown(conn, queries)

    def _tuned(
        self, ask: Callable[[Query, Strategy], Recall], queries: Sequence[Query], progress: Progress | None
    ) -> Tuning:
        """Fits the weights of this database's strategy to questions, and keeps them if they win."""
        from memkit.retrieval.evaluation.evaluate import tune
        from memkit.retrieval.strategies import MEMKIT

        base = self.strategy()
        found = tune(ask, queries, base, progress)
        if found.wins:
            self.set_strategy(found.changes if base == MEMKIT else base.replace(**found.changes))
        return found

    # ------------------------------------------------------------------------------------------ information and indexes

    def __repr__(self) -> str:
        """The contents in a line or two."""
        try:
            return f"<MemoryDatabase {self.info().summary}>"
        except (MemkitError, driver.sqlite3.Error) as error:
            return f"<MemoryDatabase {self.file}: {error}>"

    def _repr_html_(self) -> str:
        """The contents as an HTML table."""
        from memkit.core.formatting import html_table

        try:
            return self.info()._repr_html_()
        except (MemkitError, driver.sqlite3.Error) as error:
            return html_table(self.file, ("",), [[str(error)]])

    def info(self) -> Info:
        """The contents of the file: counts by kind and project, the embedding model, the size."""
        from memkit.storage.info import info

        with self._turn() as conn:
            return info(conn)

    def table_sizes(self) -> TableSizes:
        """What takes the room in the file: the bytes of each table, with its indexes, the largest first.

        Raises NeedsPackage if this process has a SQLite that cannot tell (without `dbstat`).
        """
        from memkit.storage.table_sizes import table_sizes

        with self._turn() as conn:
            return table_sizes(conn)

    def reindex(
        self,
        model: str | None = None,
        *,
        fts: bool = False,
        client: Client | None = None,
        progress: Callable[..., None] | None = None,
        now: str | None = None,
    ) -> ReindexReport:
        """Makes the vectors of another `model`, then switches to it. Without a model, makes the missing vectors.

        Recall uses the old vectors until all new ones are there. If it is interrupted, the same call continues. `fts`
        rebuilds the full-text index instead. With a Dask `client`, its workers embed. `progress(done, total)` is called
        after each batch. A text that the model refuses gets no vector and stops no other. Raises NotFound for an
        unknown model, EmbedderFailed for one that fails: it is waited for without a limit.
        """
        from memkit.embedding.refused_texts import Forgiving
        from memkit.graph import stored_arrays
        from memkit.graph.entity_vectors import write_missing
        from memkit.storage.reindex import reindex_texts, reindex_vectors

        with watched(progress) as progress, self._turn() as conn:
            if fts:
                return reindex_texts(conn, progress=progress)
            row = vectors.active_model(conn)
            own = row["id"] if row else None
            loaded = load_embedder(model) if model else self.embedder or load_embedder(own, download=False)
            used = self._shared_out(loaded, client)
            embedder, now = Forgiving(loaded.id, lambda: used, FOREVER), now or utc_now()
            report = reindex_vectors(conn, embedder, now, progress=progress)
            write_missing(conn, embedder, now)
            stored_arrays.store(conn)
            if model or self._embed == "none":
                self._embed = None
            return report
