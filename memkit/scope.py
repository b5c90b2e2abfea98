"""Which memories a question may find: a value, and the one SQL condition that says the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from memkit.errors import BadQuestion
from memkit.store import dumps, keys_json

PROJECT = "project"  # the slot of what has none

# A condition on `m`, a row of memories. Hidden by default: archived, superseded, expired (systems.md X05). A summary's
# valid_from says when it took the place of what it sums up, nothing of the world.
ELIGIBLE = """
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
    and (:slot is null or coalesce(m.slot, 'project') = :slot)
    and (not :but_noted or m.kind <> 'observation' or not exists (
        select 1 from links as l join memories as told on told.key = l.to_key
        where l.from_key = m.key and l.type = 'derived_from' and told.archived_at is null
    ))
    and (:since is null or coalesce(m.happened_at, m.created_at) >= :since)
    and (:until is null or coalesce(m.happened_at, m.created_at) < :until)
"""
# Whether upkeep has noted anything here; documents are looked up by their source.
HAS_NOTES = "select exists (select 1 from documents where source >= 'observations:' and source < 'observations;')"
SELECT_ELIGIBLE_AMONG = f"""
select m.key from memories as m where m.key in (select value from json_each(:keys)) and {ELIGIBLE}
"""
# What a plain scope does not let through; only of the memories in the small index there is anything to ask.
SELECT_HIDDEN_AMONG = f"""
select m.key from memories as m indexed by memories_hidden
where m.key in (select value from json_each(:keys))
    and (m.archived_at is not null or m.valid_from is not null or m.valid_until is not null or m.expires_at is not null)
    and not ({ELIGIBLE})
"""
SELECT_ELIGIBLE = f"select m.key from memories as m where {ELIGIBLE} order by m.key"
SELECT_ELIGIBLE_IN_PROJECT = f"""
select m.key from memories as m where m.project in (:only_project, 'global') and {ELIGIBLE} order by m.key
"""
SELECT_ELIGIBLE_IN_SLOT = f"select m.key from memories as m where m.slot = :slot and {ELIGIBLE} order by m.key"


@dataclass(frozen=True)
class Scope:
    """The filters of a recall. `now` is the question's own time; `as_of` asks for what held at another one.

    A memory without a slot counts as one of the slot `project`. With `superseded` also what a link says was replaced;
    `but_noted` leaves out observations of turns that can be found themselves.
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

    def __post_init__(self) -> None:
        if self.only_project and not self.project:
            raise BadQuestion("only_project needs the project to look in.")

    @property
    def narrow(self) -> bool:
        """Whether it may leave out most of what there is: then it is asked first, and else afterwards."""
        filters = (self.only_project, self.since, self.until, self.as_of, self.slot not in (None, PROJECT))
        return any(filters) or self.kinds is not None

    @property
    def plain(self) -> bool:
        """Whether it leaves out nothing but what is hidden anyway."""
        return not (self.narrow or self.slot or self.but_kinds or self.but_noted)

    def options(self) -> dict[str, Any]:
        """What was asked for, without what was left as it is."""
        return {name: value for name, value in asdict(self).items() if value}

    def parameters(self) -> dict[str, Any]:
        """The values of ELIGIBLE's names."""
        return {
            "everything": self.everything,
            "now": self.now,
            "as_of": self.as_of or self.now,
            "past": self.as_of,
            "only_project": self.project if self.only_project else None,
            "kinds": None if self.kinds is None else dumps(list(self.kinds)),
            "since": self.since,
            "until": self.until,
            "slot": self.slot,
            "superseded": self.superseded,
            "but_noted": self.but_noted,
            "but_kinds": None if self.but_kinds is None else dumps(list(self.but_kinds)),
        }


def without_notes(conn: Any, scope: Scope) -> Scope:
    """The scope without the observations that upkeep made of conversations, unless kinds are asked for.

    They say again, shorter, what their turns say: among the answers they take the places of what they were made of.
    """
    if scope.kinds is not None or not conn.execute(HAS_NOTES).fetchone()[0]:
        return scope
    return replace(scope, but_noted=True)


def eligible_among(conn: Any, keys: list[int], scope: Scope) -> set[int]:
    """Those of the keys that the scope lets through."""
    if scope.plain:
        hidden = conn.execute(SELECT_HIDDEN_AMONG, {**scope.parameters(), "keys": keys_json(keys)})
        return set(keys).difference(row[0] for row in hidden)
    rows = conn.execute(SELECT_ELIGIBLE_AMONG, {**scope.parameters(), "keys": keys_json(keys)})
    return {row[0] for row in rows}


def eligible(conn: Any, scope: Scope) -> list[int]:
    """Every key that the scope lets through, ascending."""
    query = SELECT_ELIGIBLE_IN_PROJECT if scope.only_project else SELECT_ELIGIBLE
    if scope.slot not in (None, PROJECT):
        query = SELECT_ELIGIBLE_IN_SLOT
    return [row[0] for row in conn.execute(query, scope.parameters())]
