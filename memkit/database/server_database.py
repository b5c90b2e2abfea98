"""A pushed store on a PostgreSQL server, opened to ask: each call fetches what it needs, and asks that as a file.

What is not here is done in a file that pulls, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import AnyText
from memkit.core.errors import EmbedderFailed, MemkitError, NeedsPackage, NotFound
from memkit.core.instants import parse_iso
from memkit.embedding.kept_vectors import Kept, KeptVectors
from memkit.storage.filters import Scope

if TYPE_CHECKING:
    from memkit.core.types import Memory
    from memkit.embedding import Embedder
    from memkit.graph.cards import EntityCard
    from memkit.retrieval.context.values import Context
    from memkit.retrieval.results import Recall
    from memkit.sharing.postgres.part import Asked, Model

IN_A_FILE = "A store on a server is asked only: {}() works in a file that has pulled it (memkit pull FILE URL)."
NOT_PUSHED = "This store has no index to search yet: a push by this version of memkit makes it."
MOST_OF_ONE = 5000  # memories that name an entity, for its card
# What needs no store, or is about the object itself.
KEPT = {"strategy", "embedder", "policy", "fitting"}
FILTERS = ("now", "since", "until", "as_of", "kinds", "project", "only_project", "everything")


class FromServer:
    """The methods of a MemoryDatabase that is a store on a server. Its `conn` is an empty database."""

    base: Any  # the class of the parts: MemoryDatabase
    url: str
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
        path: str | Path = ":memory:",
        *,
        read_only: bool = True,
        embed: str | Embedder | None = None,
        conn: None = None,
    ):
        from memkit.sharing.postgres.server import Asking, without_password

        self.base.__init__(self, embed=embed)
        self.url, self.read_only = str(path), True
        self._asking = Asking(self.url)
        self.file = without_password(self.url, self.url)
        self._fetched("")

    def close(self) -> None:
        """Closes the connection. Any later call raises Closed."""
        self.base.close(self)
        self._asking.close()

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

    def _fetched(
        self, text: str, how: Mapping[str, Any] | None = None, *, naming: int | None = None, ids: tuple[str, ...] = ()
    ) -> Any:
        """The part of the store that this text asks for, or these memories, as a database in memory."""
        from memkit.sharing.postgres import part, small_database

        how = how or {}
        scope = Scope.of(**{name: how[name] for name in FILTERS if name in how})
        conn = small_database.empty()
        with self._lock, self._asking.transaction() as server:
            if not part.is_indexed(server):
                raise MemkitError(NOT_PUSHED)
            model = part.model_of(server) if self._embed != "none" else None
            if text or ids:
                asked = self._request(text, how, scope, model, naming, ids)
                part.fetch(server, conn, asked, scope, model, scope.now)
        found = self.base(conn=conn, embed=self._embed)
        found.warn, found.intent_model = self.warn, self.intent_model
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
