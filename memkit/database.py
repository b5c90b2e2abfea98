"""MemoryDatabase: the object people hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain
from os import PathLike
from os.path import exists
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from memkit import driver, schema, store, vectors
from memkit.arguments import AnyText, check, checked
from memkit.clock import utc_now
from memkit.errors import BadArgument, BadQuestion, BadSource, MemkitError, NotFound, one_of
from memkit.knowledge import Knowledge
from memkit.progress import watched
from memkit.results import Recall
from memkit.types import DocumentDraft, Draft, Memory
from memkit.upkeep import Upkeep

if TYPE_CHECKING:
    import pandas as pd

    from memkit.context import Context
    from memkit.embed import Embedder
    from memkit.evaluate import EvalReport
    from memkit.export import ExportReport
    from memkit.info import Info
    from memkit.ingest import IngestReport, Progress
    from memkit.publish import CheckReport, PublishReport
    from memkit.reindex import ReindexReport
    from memkit.scope import Scope


def _paths(source: Any) -> list[Any]:
    """The paths in a source; none if it is an iterable of rows. A list of texts that all exist as files is paths."""
    if isinstance(source, str | PathLike):
        return [source]
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | PathLike) for one in source):
        return list(source) if all(isinstance(one, PathLike) or exists(one) for one in source) else []
    return []


def _sound(text: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a memory made by hand, checked and written as those of a row are. Raises BadSource."""
    from memkit.sources.rows import FIELDS

    given = {name: value for name, value in {"text": text, **fields}.items() if value is not None}
    if not text.strip():
        raise BadSource("There is nothing to remember: the text is empty.")
    for name in given:
        if name not in FIELDS:
            raise BadArgument(f"remember(): {one_of('field of a memory', name, FIELDS)}")
    try:
        return {name: FIELDS[name](value, name) for name, value in given.items()}
    except ValueError as error:
        raise BadSource(f"This cannot be remembered: {error}.") from error


def _draft(text: str, fields: dict[str, Any]) -> Draft:
    """A memory made by hand, of no document. Raises BadSource."""
    fields = {"kind": "fact", **fields, "slot_key": fields.get("key", fields.get("slot_key"))}
    fields.pop("key", None)
    return Draft(document=DocumentDraft(source="memory:remembered"), sequential=False, **_sound(text, fields))


def _time(value: Any, name: str) -> str | None:
    """A bound of a recall as ISO text: a text, a date, a datetime. Raises BadQuestion."""
    from memkit.sources.dates import iso

    try:
        return None if value is None else iso(value)
    except ValueError as error:
        raise BadQuestion(f"{name}: {error}.") from error


def _scope(now: Any, since: Any, until: Any, as_of: Any, where: dict[str, Any]) -> Scope:
    """The filters of a recall, checked. Raises BadQuestion."""
    from memkit.scope import Scope

    kinds = where.pop("kinds")
    return Scope(
        now=_time(now, "now") or utc_now(),
        since=_time(since, "since"),
        until=_time(until, "until"),
        as_of=_time(as_of, "as_of"),
        kinds=(kinds,) if isinstance(kinds, str) else None if kinds is None else tuple(kinds),
        **where,
    )


@checked
class MemoryDatabase(Knowledge, Upkeep):
    """One SQLite file of memories: what goes in, and what is found again.

        db = MemoryDatabase("memory.db")        # opens or makes it; MemoryDatabase() lives in memory
        db.ingest("notes/", project="garden")
        db.recall("who planted the quince?")

    `embed` is the model that makes vectors, by its name or as an Embedder: None is the file's own or the built-in one,
    "none" makes none. `read_only` opens a file that is there, to recall from: what would write raises ReadOnly. A
    database may be used from any thread; calls wait for each other. Raises NotAMemoryDatabase for a file that is
    something else, NotFound for one that cannot be opened, EmbedderMismatch for another model than the file's.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        read_only: bool = False,
        embed: str | Embedder | None = None,
        conn: Any = None,
    ):
        self.file = str(path)
        self.read_only = read_only
        self._lock = RLock()
        self._embed = embed
        self._loaded: tuple[Any, Any] | None = None
        if read_only and self.file != ":memory:" and not Path(self.file).exists():
            raise NotFound(f"There is no file {self.file}. Without read_only it would be made.")
        self.conn = conn if conn is not None else driver.connect(self.file, read_only=read_only)
        try:
            schema.ensure(self.conn, Path(self.file).name, read_only=read_only)
            if embed is not None and (embedder := self.embedder) is not None:
                vectors.check(self.conn, embedder)
        except BaseException:
            if conn is None:
                self.conn.close()
            raise

    # ------------------------------------------------------------------------------------------ opening and closing

    def close(self) -> None:
        """Closes the file, when calls in other threads are done. Using the database afterwards raises Closed."""
        with self._lock:
            self.conn.close()
            self.conn = driver.ClosedConnection(self.file)

    def __enter__(self) -> MemoryDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _turn(self) -> Iterator[Any]:
        """The connection, for one call at a time."""
        with self._lock:
            yield self.conn

    @property
    def embedder(self) -> Any:
        """The model that makes this database's vectors, loaded at first use; None where there is to be none."""
        if self._embed == "none":
            return None
        if self._embed is not None and not isinstance(self._embed, str):
            return self._embed
        row = vectors.active_model(self.conn)
        wanted = self._embed or (row["id"] if row else None)
        if self._loaded is None or self._loaded[0] != wanted:
            from memkit.embed import load_embedder

            self._loaded = (wanted, load_embedder(wanted))
        return self._loaded[1]

    def _writing_embedder(self) -> Any:
        """The model for what is about to be written, or None. Raises EmbedderMismatch, before anything is done."""
        embedder = self.embedder
        if embedder is not None:
            vectors.check(self.conn, embedder)
        return embedder

    # ------------------------------------------------------------------------------------------ in

    def ingest(
        self,
        source: Any,
        *,
        project: str | None = None,
        format: str | None = None,
        sync: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        now: str | None = None,
        **options: Any,
    ) -> IngestReport:
        """What there is in a file, a folder, several of them, or an iterable of dicts or texts, as memories.

        The same again changes nothing; what changed is updated in place. `sync` archives documents that have vanished
        from the folders given. `dry_run` only says what would happen. Raises BadSource for what cannot be read at all;
        single bad records are in the report.

        `project` is what all of it belongs to that names none itself. Without it what is known stays where it is, and
        what is new belongs to the project that was last named for this folder or file.

        A DataFrame, a CSV or rows may call their columns differently: `ingest(df, text="body", timestamp="when")` says
        which holds what, for `text`, `id`, `title`, `timestamp`, `session` and `speaker`.
        """
        from memkit.connect import connect
        from memkit.connect_relations import drafts_of, ingest_triples
        from memkit.ingest import ingest as ingest_drafts
        from memkit.sources import ExportDraft, TripleDraft, read
        from memkit.sources.options import named_options

        paths = _paths(source)
        chosen = named_options(options, getattr(source, "columns", None))
        each = dict.fromkeys(paths) or [source]
        readers = [read(one, format=format, project=project, options=chosen) for one in each]
        aside: list[Any] = []
        items = drafts_of(chain.from_iterable(readers), aside)
        roots = [Path(path).expanduser().absolute().as_posix() for path in paths]
        named = dict.fromkeys(roots, project) if project else {}
        now = now or utc_now()
        with watched(progress) as progress, self._turn() as conn, driver.loading(conn):
            embedder = None if dry_run else self._writing_embedder()
            report = ingest_drafts(
                conn,
                items,
                embedder,
                now,
                sync_roots=roots if sync else None,
                named=named,
                dry_run=dry_run,
                progress=progress,
            )
            if not dry_run:
                connect(conn, now, embedder=embedder, moved=report.total > report.added or report.removed > 0)
                triples = [one for one in aside if isinstance(one, TripleDraft)]
                report.relations, failures = ingest_triples(conn, triples, now)
                report.failures += failures
                if triples:
                    connect(conn, now, keys=[], embedder=embedder)
            for export in (one for one in aside if isinstance(one, ExportDraft)):
                from memkit.export import restore

                restore(conn, export.path, embedder, now, report, dry_run=dry_run)
            return report

    def remember(self, text: AnyText, *, now: str | None = None, **fields: Any) -> Memory:
        """The memory made of a text. Fields: kind, title, speaker, category, tags, project, slot, key, importance,
        confidence, happened_at, valid_from, valid_until, expires_at, meta.

        With a slot and a key, the value before it is closed and kept as history.
        """
        from memkit.by_hand import remembered

        draft = _draft(text, fields)
        with self._turn() as conn:
            return remembered(conn, draft, self._writing_embedder(), now or utc_now())

    def correct(self, id: str, text: str, *, why: str = "", now: str | None = None, **fields: Any) -> Memory:
        """The memory that says what is true instead of one (its id), which stays as history and is not recalled.

        Fields are those of `remember()`; kind (a fact, if it was part of a document or made by upkeep), title, project,
        tags, importance, slot and key are the old one's if they are not given. Raises NotFound, and BadSource for a
        text that is empty or says what the old one says.
        """
        from memkit.by_hand import corrected, kept_fields

        with self._turn() as conn, driver.writing(conn):
            old = store.memory(conn, id)
            draft = _draft(text, {**kept_fields(old), **fields})
            return corrected(conn, old, draft, self._writing_embedder(), now or utc_now(), why or "corrected by hand")

    def forget(self, id: str, *, hard: bool = False, now: str | None = None) -> Memory:
        """Hides a memory from recall; with `hard` it is deleted from every page of the file. Raises NotFound.

        What was made of it (summaries, observations, crystals, merges) is taken back; upkeep makes it anew of its other
        sources, which stand for themselves until then. `maintenance(step="forget")` says what went along.
        """
        with self._turn() as conn:
            return self._forgotten(conn, id, now or utc_now(), hard)

    def _embed_again(self, conn: Any, keys: set[int]) -> None:
        """New vectors for memories whose neighbours have changed; none, where their model is not to be had."""
        row = vectors.active_model(conn)
        if row is None or not keys:
            return
        embedder = self._question_embedder()
        if embedder is None or (embedder.id, embedder.version) != (row["id"], row["version"]):
            vectors.drop(conn, keys)
        else:
            vectors.write(conn, embedder, row["key"], keys)

    # ------------------------------------------------------------------------------------------ out

    def recall(
        self,
        question: AnyText,
        k: int = 10,
        *,
        strategy: Any = None,
        project: str | None = None,
        only_project: bool = False,
        since: str | date | None = None,
        until: str | date | None = None,
        as_of: str | date | None = None,
        kinds: Sequence[str] | str | None = None,
        now: str | None = None,
        everything: bool = False,
        track: bool = False,
        ledger: bool = False,
    ) -> Recall:
        """The best k memories for a question, each with its reasons; nothing found is an empty recall.

        `strategy` is a name, JSON, a dict or a Strategy. `project` is preferred, with `only_project` the others (but
        not `global`) are left out. `since` and `until` bound when it happened; `as_of` asks for what held then; `now`
        is the question's own time; `everything` also finds what is archived or superseded. Times are ISO 8601 text,
        dates or datetimes. Raises BadQuestion for a parameter that makes no sense, never for the question's text.

        A kind or a project that no memory has is told among the warnings. Nothing is written, unless `track` asks to
        count the hits as read, or `ledger` to write the recall down.
        """
        from memkit.recall import recall
        from memkit.record import recorded
        from memkit.strategies import strategy as strategy_of
        from memkit.unmet import unmet

        where = {"project": project, "only_project": only_project, "kinds": kinds, "everything": everything}
        scope = _scope(now, since, until, as_of, where)
        chosen = strategy_of(strategy)
        with self._turn() as conn:
            with driver.reading(conn):
                found = recall(conn, question, strategy=chosen, scope=scope, k=k, embedder=self._question_embedder())
                others = unmet(conn, kinds=scope.kinds or (), project=project)
            found = replace(found, warnings=(*found.warnings, *others))
            found = recorded(conn, found, scope.now, track=track, ledger=ledger, options={"k": k, **scope.options()})
            return replace(found, packer=partial(self._page, scope))

    def _page(self, scope: Scope, found: Recall, budget: int | None) -> str:
        """A recall as text for a prompt."""
        from memkit.context import page

        with self._turn() as conn, driver.reading(conn):
            return str(page(conn, found, scope=scope, budget=budget))

    def context(
        self,
        message: AnyText,
        *,
        history: Sequence[str | Mapping[str, Any]] = (),
        budget: int | None = None,
        strategy: Any = None,
        project: str | None = None,
        only_project: bool = False,
        since: str | date | None = None,
        until: str | date | None = None,
        as_of: str | date | None = None,
        kinds: Sequence[str] | str | None = None,
        now: str | None = None,
        **how: Any,
    ) -> Context:
        """What a language model should read before this message, in at most `budget` tokens; `str()` is the text.

        `history` is the conversation so far: texts, or dicts with `content`. `strategy` and what bounds the search are
        those of `recall`. `how`: `channel` and `timezone` (where and by which clocks it is written), `tokens` (counts
        exactly), `layout` and `templates` (another page, a folder of one's own), `fenced` (memkit's marks around it),
        `offset` (the next page), `window` and `reserve` (the budget is what they leave). Raises BadQuestion for a
        parameter that makes no sense, never for a text.
        """
        from memkit.context import context

        how = check(context, how)
        where = {"project": project, "only_project": only_project, "kinds": kinds}
        scope = _scope(now, since, until, as_of, where)
        with self._turn() as conn, driver.reading(conn):
            embedder = self._question_embedder()
            return context(
                conn,
                message,
                scope=scope,
                history=history,
                budget=budget,
                strategy=strategy,
                embedder=embedder,
                **how,
            )

    def _question_embedder(self) -> Any:
        """The model for questions, if it is to be had: without it, recall goes by words and connections."""
        if vectors.active_model(self.conn) is None:
            return None
        try:
            return self.embedder
        except MemkitError:
            return None

    def memory(self, id: str) -> Memory:
        """The memory with this id. Raises NotFound."""
        with self._turn() as conn:
            return store.memory(conn, id)

    def sql(
        self, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None, **frames: pd.DataFrame
    ) -> pd.DataFrame:
        """The rows of an SQL query as a DataFrame; memkit's own times in it are timestamps. It reads, and never writes.

        `frames` are tables of your own for this query: `db.sql("select ... from visits ...", visits=df)`. It runs on
        memkit's own connection, because a second SQLite library on the same file would lose its locks. With
        `register_sql_functions(db.conn)` a query can also ask `recall(...)`. Raises BadQuestion for SQL that does not
        run, NeedsPackage where pandas is not installed.
        """
        from memkit.tables import select

        with self._turn() as conn:
            return select(conn, query, parameters, frames)

    # ------------------------------------------------------------------------------------------ to move on with

    def export(
        self, path: str | PathLike[str], *, format: str | None = None, now: str | None = None, **selection: Any
    ) -> ExportReport:
        """Writes everything to a file or folder: `jsonl`, which `ingest` takes back the same, `markdown` or `graphml`.

        Without a format the path's ending says it; without an ending it is a new folder of notes, as Obsidian has them.
        A part is chosen by `project`, `kind`, `slot`, `tag`, `document`, `entity` (one or several each), `since`,
        `until` and `sql` (a query of memory ids). Raises BadQuestion for a path, a format or a choice that will not do.
        """
        from memkit.export import export, selected

        with self._turn() as conn:
            return export(conn, path, format, selected(selection), now or utc_now())

    # ------------------------------------------------------------------------------------------ for others to read

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
        """Writes a part of this memory into a folder that Datasette serves, and proves that nothing else is in it.

        What: `project`, `kind`, `slot`, `tag`, `document`, `entity` (one or several each), `since`, `until`, `sql` (a
        query of memory ids); nothing is chosen by itself. As what: `title`, `description`, `license`, `license_url`,
        `about`, `download`, `allow_sql`, `robots`, `cors`, `cache`. Without what: `redact` (names), `everywhere`,
        `spare`, `patterns`, `common`, `regions`; with what: `keep` (`memkit.publish.KEEPABLE`). `embed` is the model of
        its vectors, by default the built-in one, which readers have; "none" makes none. `review(replaced)` is asked
        about each text that would be taken out. The same folder again is replaced as a whole; what is not said is as it
        was then, and what is taken out is added to, unless it is published `anew`. Raises BadQuestion, Ambiguous,
        NotOurs and Leaked (`memkit.publish`): then nothing was written.
        """
        from memkit.publish import publish
        from memkit.publish.options import named

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
        """What of this database stands in a published folder and was not meant to.

        What was taken out when it was published is known; `without` is what else is not to be in there: `redact`,
        `everywhere`, `spare`, `patterns`, `common`, `regions`.
        """
        from memkit.publish import check
        from memkit.publish.options import named

        with self._turn() as conn:
            return check(conn, out, named(without))

    # ------------------------------------------------------------------------------------------ measuring it

    def evaluate(
        self,
        queries: Any,
        strategies: Any = None,
        *,
        k: int = 30,
        bootstrap: bool = True,
        progress: Progress | None = None,
    ) -> EvalReport:
        """How well strategies find what answers your own questions: R@1, 2, 5, 10, all@5, nDCG@10, MRR, ms; a table.

        `queries` is a JSONL file or a list of dicts: `{"id", "text", "relevant": [source ids], "group"?, "category"?,
        "timestamp"?}`; with a `group` only that project is searched, `timestamp` is when the question is asked, and an
        empty `relevant` says that nothing answers it. `strategies` are names, JSON, dicts or Strategy values, or a
        mapping from names of your own to them; the default one if none is given. `progress(1)` is told of each answer.
        Raises BadSource, with line numbers, for questions that cannot be read.
        """
        from memkit.evaluate import evaluate, unknown
        from memkit.query_files import Query, read_queries
        from memkit.strategies import Strategy

        def ask(query: Query, chosen: Strategy) -> Recall:
            within: dict[str, Any] = {"project": query.group, "only_project": True} if query.group else {}
            return self.recall(query.text, k, strategy=chosen, now=query.timestamp, **within)

        asked = read_queries(queries)
        with self._turn() as conn:
            missing = unknown(conn, asked)
        with watched(progress, unit="answers") as progress:
            return evaluate(ask, asked, strategies, k=k, bootstrap=bootstrap, unknown=missing, progress=progress)

    # ------------------------------------------------------------------------------------------ looking after it

    def __repr__(self) -> str:
        """What is in here, in a line or two."""
        try:
            return f"<MemoryDatabase {self.info().summary}>"
        except (MemkitError, driver.sqlite3.Error) as error:
            return f"<MemoryDatabase {self.file}: {error}>"

    def _repr_html_(self) -> str:
        """What is in here, as a table."""
        from memkit.render import html_table

        try:
            return self.info()._repr_html_()
        except (MemkitError, driver.sqlite3.Error) as error:
            return html_table(self.file, ("",), [[str(error)]])

    def info(self) -> Info:
        """What is in here: counts by kind and project, the model, the size."""
        from memkit.info import info

        with self._turn() as conn:
            return info(conn)

    def reindex(
        self,
        model: str | None = None,
        *,
        fts: bool = False,
        progress: Callable[..., None] | None = None,
        now: str | None = None,
    ) -> ReindexReport:
        """Makes the vectors of another model and then switches to it; without one, what vectors are missing.

        Recall goes on with the old vectors until all new ones are there. Interrupted, the same call goes on. `fts`
        makes the full-text rows anew instead. `progress(done, total)` is told of each batch.
        """
        from memkit.embed import load_embedder
        from memkit.reindex import reindex_texts, reindex_vectors

        with watched(progress) as progress, self._turn() as conn:
            if fts:
                return reindex_texts(conn, progress=progress)
            row = vectors.active_model(conn)
            embedder = load_embedder(model) if model else self.embedder or load_embedder(row["id"] if row else None)
            report = reindex_vectors(conn, embedder, now or utc_now(), progress=progress)
            if model or self._embed == "none":
                self._embed = None
            return report
