"""Recall filters: a value that says which memories a question may find, and the same as one SQL condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memkit.core.classes import dataclass
from memkit.core.clock import utc_now
from memkit.core.dates import iso
from memkit.core.errors import BadQuestion
from memkit.core.instants import first_moment
from memkit.storage.caches import is_kept, unchanged
from memkit.storage.connection import Connection
from memkit.storage.store import dumps, keys_json

if TYPE_CHECKING:
    import numpy as np

PROJECT = "project"  # the slot of a memory without one
MOST_KEPT = 4  # narrow scopes of which the keys are kept
MOST_MAYBE_HIDDEN = 10_000  # memories whose keys are kept; of more, SQLite looks up each

# When a memory is from, as `Memory.when`: null for a part of an undated document.
WHEN = "coalesce(m.happened_at, iif(m.document_key is null, m.created_at, null))"
# Times are as precise as what is known (`2023`, `2023-03`), and compared as far as that: what happened in 2023 may
# have happened since March. `until` is as short as it can be (Scope), so 2023 itself is not before 2023.
SINCE = f"{WHEN} >= substr(:since, 1, length({WHEN}))"
UNTIL = f"{WHEN} < :until"

# A condition on `m`, a row of memories. Hidden by default: archived, superseded, expired (X05). A summary's
# valid_from is when it replaced its sources, not a time in the world.
ELIGIBLE = f"""
    (:everything or (
        m.archived_at is null
        and (m.valid_until is null or m.valid_until > :as_of)
        and (m.valid_from is null or m.valid_from <= iif(m.compression = 'raw', :as_of, :now))
        and (m.expires_at is null or m.expires_at > :as_of)
    ) or (
        :superseded and m.archived_at is null
        and exists (select 1 from links where to_key = m.key and type = 'supersedes')
    ))
    and (:past is null or coalesce(m.happened_at, '') <= :past)
    and (:only_project is null or m.project in (:only_project, 'global'))
    and (:kinds is null or m.kind in (select value from json_each(:kinds)))
    and (:but_kinds is null or m.kind not in (select value from json_each(:but_kinds)))
    and (:among is null or m.key in (select value from json_each(:among)))
    and (:slot is null or coalesce(m.slot, 'project') = :slot)
    and (not :but_noted or m.kind <> 'observation' or not exists (
        select 1 from links as l join memories as told on told.key = l.to_key
        where l.from_key = m.key and l.type = 'derived_from' and told.archived_at is null
    ))
    and (:since is null or {SINCE})
    and (:until is null or {UNTIL})
"""
# Whether upkeep has made any observations; documents are looked up by their source.
HAS_NOTES = "select exists (select 1 from documents where source >= 'observations:' and source < 'observations;')"
SELECT_ELIGIBLE_AMONG = f"""
select m.key from memories as m where m.key in (select value from json_each(:keys)) and {ELIGIBLE}
"""
# The memories that a plain scope hides. Only memories in this small index can be hidden.
SELECT_HIDDEN_AMONG = f"""
select m.key from memories as m indexed by memories_hidden
where m.key in (select value from json_each(:keys))
    and (m.archived_at is not null or m.valid_from is not null or m.valid_until is not null or m.expires_at is not null)
    and not ({ELIGIBLE})
"""
# The observations that a scope leaves out which is `but_noted`. Few memories have such links.
SELECT_NOTED_AMONG = """
select distinct l.from_key
from json_each(:keys) as k cross join links as l on l.from_key = k.value and l.type = 'derived_from'
    cross join memories as told on told.key = l.to_key and told.archived_at is null
    cross join memories as m on m.key = l.from_key and m.kind = 'observation'
"""
# The memories that may be hidden, whatever the scope.
SELECT_MAYBE_HIDDEN = f"""
select m.key from memories as m indexed by memories_hidden
where m.archived_at is not null or m.valid_from is not null or m.valid_until is not null or m.expires_at is not null
limit {MOST_MAYBE_HIDDEN + 1}
"""
# In no order: in that of the table SQLite would read all memories. As one text, which takes less time than many rows.
SELECT_ELIGIBLE = f"select group_concat(m.key) from memories as m where {ELIGIBLE}"
SELECT_ELIGIBLE_IN_PROJECT = f"""
select group_concat(m.key) from memories as m where m.project in (:only_project, 'global') and {ELIGIBLE}
"""
SELECT_ELIGIBLE_IN_SLOT = f"select group_concat(m.key) from memories as m where m.slot = :slot and {ELIGIBLE}"
# All of some kinds, hidden or not: read from an index, without the rows.
SELECT_OF_KINDS = """
select group_concat(m.key) from memories as m
where (:only_project is null or m.project in (:only_project, 'global'))
    and m.kind in (select value from json_each(:kinds))
"""


@dataclass(frozen=True)
class Scope:
    """The filters of a recall. `now` is when the question is asked; `as_of` asks for what was true at another time.

    A memory without a slot counts as one of the slot `project`. `superseded` also lets memories through that a link
    marks as replaced. `but_noted` leaves out observations whose turns can be found themselves. `among` are the keys
    that the question itself allows (`query_syntax`).
    """

    now: str
    project: str | None = None
    only_project: bool = False
    kinds: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    everything: bool = False
    slot: str | None = None
    but_kinds: tuple[str, ...] | None = None
    superseded: bool = False
    but_noted: bool = False
    among: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.only_project and not self.project:
            raise BadQuestion("only_project needs a project. Set project, too.")

    @classmethod
    def of(
        cls,
        *,
        now: Any = None,
        since: Any = None,
        until: Any = None,
        as_of: Any = None,
        kinds: Sequence[str] | str | None = None,
        **where: Any,
    ) -> Scope:
        """A Scope from a caller's arguments: times as ISO text, dates or datetimes; one kind or several.

        Raises BadQuestion for a time that makes no sense.
        """
        return cls(
            now=_time(now, "now") or utc_now(),
            since=_time(since, "since"),
            until=_time(until, "until"),
            as_of=_time(as_of, "as_of"),
            kinds=(kinds,) if isinstance(kinds, str) else None if kinds is None else tuple(kinds),
            **where,
        )

    @property
    def narrow(self) -> bool:
        """Whether it may leave out most memories. Then the filter runs before the channels, else after them."""
        filters = (self.only_project, self.since, self.until, self.as_of, self.slot not in (None, PROJECT))
        return any(filters) or self.kinds is not None or self.among is not None

    @property
    def plain(self) -> bool:
        """Whether it leaves out only memories that are hidden by default."""
        return self.usual and not self.but_noted

    @property
    def usual(self) -> bool:
        """Whether it leaves out nothing else but observations whose turns can be found themselves."""
        return not (self.narrow or self.slot or self.but_kinds)

    def options(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        return {name: value for name, value in vars(self).items() if value and name != "among"}

    def parameters(self) -> dict[str, Any]:
        """The parameters of the SQL condition ELIGIBLE."""
        return {
            "everything": self.everything,
            "now": self.now,
            "as_of": self.as_of or self.now,
            "past": self.as_of,
            "only_project": self.project if self.only_project else None,
            "kinds": None if self.kinds is None else dumps(list(self.kinds)),
            "since": self.since,
            "until": self.until and first_moment(self.until),
            "slot": self.slot,
            "superseded": self.superseded,
            "but_noted": self.but_noted,
            "among": None if self.among is None else keys_json(self.among),
            "but_kinds": None if self.but_kinds is None else dumps(list(self.but_kinds)),
        }


def _time(value: Any, name: str) -> str | None:
    try:
        return None if value is None else iso(value)
    except ValueError as error:
        raise BadQuestion(f"{name}: {error}.") from error


def without_notes(conn: Connection, scope: Scope) -> Scope:
    """The scope without the observations that upkeep made from conversations, unless kinds are given.

    Observations repeat their turns in shorter form. Among the answers they would take the places of these turns.
    """
    if scope.kinds is not None or not conn.execute(HAS_NOTES).fetchone()[0]:
        return scope
    return replace(scope, but_noted=True)


def eligible_among(conn: Connection, keys: list[int], scope: Scope) -> set[int]:
    """The keys that the scope lets through, out of the given ones."""
    maybe = _maybe_hidden(conn)
    lasting = _lasting(conn, scope, maybe, read=False)
    if maybe is None and lasting is not None:
        return set(_common(lasting, keys))
    if scope.usual or lasting is not None:
        found = set(keys if lasting is None else _common(lasting, keys))
        if scope.but_noted and lasting is None:
            found.difference_update(row[0] for row in conn.execute(SELECT_NOTED_AMONG, {"keys": keys_json(found)}))
        asked = list(found if maybe is None else maybe.intersection(found))
        if not asked:
            return found
        hidden = conn.execute(SELECT_HIDDEN_AMONG, {**scope.parameters(), "keys": keys_json(asked)})
        return found.difference(row[0] for row in hidden)
    rows = conn.execute(SELECT_ELIGIBLE_AMONG, {**scope.parameters(), "keys": keys_json(keys)})
    return {row[0] for row in rows}


def _maybe_hidden(conn: Connection) -> frozenset[int] | None:
    """The memories that a plain scope may hide, kept until something is written; None if they are many, or not kept."""
    if not is_kept(conn):
        return None
    found: frozenset[int] = unchanged(
        conn, "maybe hidden", lambda: frozenset(row[0] for row in conn.execute(SELECT_MAYBE_HIDDEN))
    )
    return found if len(found) <= MOST_MAYBE_HIDDEN else None


def eligible(conn: Connection, scope: Scope) -> np.ndarray:
    """All keys that the scope lets through, ascending."""
    maybe = _maybe_hidden(conn)
    lasting = _lasting(conn, scope, maybe, read=True)
    if lasting is None:
        return _selected(conn, scope)
    if maybe is None:
        return lasting
    import numpy as np

    asked = _common(lasting, list(maybe))
    hidden = set(asked) - eligible_among(conn, asked, scope)
    return lasting[~np.isin(lasting, list(hidden))] if hidden else lasting


def _lasting(conn: Connection, scope: Scope, maybe: frozenset[int] | None, *, read: bool) -> np.ndarray | None:
    """All keys that a narrow scope lets through at some moment, ascending, kept until something is written.

    If it is not known which `maybe` are hidden, only those of its own moment: a question asks for them several times.
    None for a wide scope, and where they are not kept yet and not to be `read`.
    """
    if not scope.narrow:
        return None
    kept: dict[Scope, np.ndarray] = unchanged(conn, "eligible", dict)
    always = scope
    if maybe is not None:  # a moment hides only what may be hidden
        always = replace(scope, now="", everything=True, superseded=False)
    if always not in kept and read:
        while len(kept) >= MOST_KEPT:
            del kept[next(iter(kept))]
        kept[always] = _selected(conn, always)
    return kept.get(always)


def _selected(conn: Connection, scope: Scope) -> np.ndarray:
    import numpy as np

    query = SELECT_ELIGIBLE_IN_PROJECT if scope.only_project else SELECT_ELIGIBLE
    if scope.slot not in (None, PROJECT):
        query = SELECT_ELIGIBLE_IN_SLOT
    elif scope.kinds and scope == Scope("", scope.project, scope.only_project, scope.kinds, everything=True):
        query = SELECT_OF_KINDS
    return np.sort(np.fromstring(conn.execute(query, scope.parameters()).fetchone()[0] or "", np.int64, sep=","))


def _common(ascending: np.ndarray, keys: Sequence[int]) -> list[int]:
    """Those of some keys that are among others."""
    import numpy as np

    if not len(ascending):
        return []
    asked = np.array(keys, np.int64)
    places = np.minimum(np.searchsorted(ascending, asked), len(ascending) - 1)
    found: list[int] = asked[ascending[places] == asked].tolist()
    return found
