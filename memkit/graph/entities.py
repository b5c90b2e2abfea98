"""Entity store: the people, places and things in memories. Each has a name, a kind, and any number of aliases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from memkit.core.classes import dataclass
from memkit.core.errors import NotFound
from memkit.core.roles import ROLES
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.composed import composed
from memkit.text.words import has_cjk, normal_name, short_id, without_bracket

SHORT = 3  # letters: such a name is spelt within many longer ones, and means none of them
LONGEST_NAME = 200
THING = "thing"  # the kind of an entity about which nothing more is known
PERSON = "person"
CONCEPT = "concept"  # a common noun, such as `restaurant`: it has relations, but is never searched in running text
VALUE = "value"  # a date, a setting, or another word that has a meaning only with its predicate

_IS_RELATED = """
exists (select 1 from relations as own where own.subject_key = e.key and own.expired_at is null)
    or exists (select 1 from relations as own where own.object_key = e.key and own.expired_at is null)
"""
# Whether something speaks of an entity `e` now, or a person named it.
IS_CURRENT = f"""(
    exists (
        select 1 from mentions as own join memories as naming on naming.key = own.memory_key
        where own.entity_key = e.key and naming.archived_at is null
    )
    or {_IS_RELATED}
    or exists (select 1 from aliases as own where own.entity_key = e.key and own.source = 'hand')
)"""
# Whether it is one that is shown, also as history: not if all that named it was forgotten.
IS_SHOWN = f"""(
    exists (
        select 1 from mentions as own join memories as naming on naming.key = own.memory_key
        where own.entity_key = e.key and (
            naming.archived_at is null
            or json_extract({or_empty("naming.meta")}, '$.archived_because') is not 'forgotten'
        )
    )
    or (e.kind not in ('concept', 'value') and not exists (select 1 from mentions as own where own.entity_key = e.key))
    or {_IS_RELATED}
)"""
_COLUMNS = "e.key, e.id, e.name, e.kind, e.description"
SELECT_IS_SHOWN = f"select {IS_SHOWN} from entities as e where e.key = :key"
SELECT_BY_NORMALS = f"""
select distinct a.normal as alias_normal, {_COLUMNS}, a.source = 'file' as is_file
from aliases as a join entities as e on e.key = a.entity_key
where a.normal in (select value from json_each(:normals)) and e.merged_into is null and a.source <> 'bare'
    and (:plurals or a.source <> 'plural') and (:files <> 'none' or a.source <> 'file')
order by
    a.source = 'plural',
    case when :files = 'first' then (case a.source when 'title' then 0 when 'file' then 1 else 2 end) end,
    e.key
"""
SELECT_BY_KEYS = f"select {_COLUMNS} from entities as e where e.key in (select value from json_each(:keys))"
SELECT_BY_ID = f"select {_COLUMNS} from entities as e where e.id = :id"
SELECT_ALIASES = """
select alias, source from aliases where entity_key = :key and source not in ('bare', 'file', 'plural') order by key
"""
# The names to search in running text, without the roles of a chat: they name no particular entity. Of AI people write.
_ROLES = ", ".join(f"'{role}'" for role in sorted(ROLES - {"ai"}))
SELECT_NAMES = f"""
select a.alias, a.entity_key, a.source from aliases as a join entities as e on e.key = a.entity_key
where e.merged_into is null and a.key > :after and a.source not in ('bare', 'file', 'plural')
    and e.kind not in ('concept', 'value')
    and a.normal not in ({_ROLES})
order by a.key
"""
SELECT_NAMES_AMONG = f"""
select distinct n.alias, n.entity_key, n.source
from aliases as a
    join aliases as n on n.entity_key = a.entity_key and (n.normal = a.normal or a.source = 'bare')
    join entities as e on e.key = n.entity_key
where a.normal in (select value from json_each(:normals)) and e.merged_into is null
    and n.source not in ('bare', 'file', 'plural') and e.kind not in ('concept', 'value')
    and n.normal not in ({_ROLES})
order by n.key
"""
SELECT_SHOWN_NAMES = f"""
select distinct a.alias from aliases as a join entities as e on e.key = a.entity_key
where e.merged_into is null and a.source not in ('bare', 'file', 'plural') and e.kind not in ('concept', 'value')
    and a.normal not in ({_ROLES}) and {IS_SHOWN}
"""
LAST_ALIAS = "select coalesce(max(key), 0) from aliases"
INSERT_ENTITY = """
insert into entities (id, name, normal, kind, description, created_at, updated_at)
values (:id, :name, :normal, :kind, :description, :now, :now)
on conflict (id) do nothing
returning key
"""
# Names up to a key were looked for in all older memories (`entity_linking`): no new one gets the key of a deleted one.
_NEXT = """(
    select 1 + max(
        coalesce((select max(key) from aliases), 0),
        coalesce((select cast(value as integer) from settings where name = 'names_looked_for'), 0)
    )
)"""
INSERT_ALIAS = f"""
insert into aliases (key, entity_key, alias, normal, source) values ({_NEXT}, :entity_key, :alias, :normal, :source)
on conflict (entity_key, normal) do update set source = excluded.source
    where source = 'file' or (excluded.source = 'title' and source in ('text', 'wikilink', 'alike'))
"""
# What only texts had said is now called so by a page, a link or a speaker. With a new key, it is looked for again.
CONFIRM_ALIAS = f"""
update aliases set source = :source, key = {_NEXT}
where entity_key = :key and normal = :normal and source = 'text'
"""
_CALLED_SO = ("title", "wikilink", "speaker", "hand")
INSERT_PLURAL = f"""
insert into aliases (key, entity_key, alias, normal, source)
select {_NEXT}, :entity_key, :alias, :normal, 'plural' where not exists (select 1 from aliases where normal = :normal)
returning key
"""
# A more specific kind replaces a less specific one: first concept and value, then thing, then any other kind.
DESCRIBE = """
update entities set
    kind = case
        when kind in ('concept', 'value') and :kind not in ('concept', 'value') then :kind
        when kind = 'thing' and :kind not in ('concept', 'value', 'thing') then :kind
        else kind
    end,
    description = coalesce(description, :description),
    updated_at = :now
where key = :key and (
    (kind in ('concept', 'value') and :kind not in ('concept', 'value'))
    or (kind = 'thing' and :kind not in ('concept', 'value', 'thing'))
    or (description is null and :description is not null)
)
"""
# What the page of an entity says of it, in place of what it or a text said before. `meta` keeps that it was the page:
# what it does not say any more does not hold.
SET_BY_PAGE = {
    column: f"""
update entities set
    {column} = coalesce(:value, {otherwise}), updated_at = :now,
    meta = iif(
        :value is null,
        json_remove({or_empty("meta")}, '$.{column}_of_page'),
        json_set({or_empty("meta")}, '$.{column}_of_page', json('true'))
    )
where key = :key and (
    (:value is not null and ({column} is not :value or {or_empty("meta")}->>'$.{column}_of_page' is null))
    or (:value is null and {or_empty("meta")}->>'$.{column}_of_page' is not null)
)
"""
    for column, otherwise in (("kind", "'thing'"), ("description", "null"))
}
SHOW_AS = """
update entities set name = :name, normal = :normal, updated_at = :now
where key = :key and not exists (
    select 1 from aliases where entity_key = :key and source not in ('text', 'alike', 'bare')
)
"""
FORGET_VECTOR = "delete from entity_embeddings where entity_key = :key"
INSERT_MENTION = """
insert into mentions (memory_key, entity_key, role, surface, start, count, confidence)
values (:memory_key, :entity_key, :role, :surface, :start, :count, :confidence)
on conflict (memory_key, entity_key, role) do update set
    surface = excluded.surface, start = excluded.start, count = excluded.count, confidence = excluded.confidence
"""
INSERT_MENTION_IF_NEW = """
insert into mentions (memory_key, entity_key, role, surface, start, count, confidence)
select :memory_key, :entity_key, :role, :surface, :start, :count, :confidence
where not exists (select 1 from mentions where memory_key = :memory_key and entity_key = :entity_key)
    and exists (select 1 from entities where key = :entity_key)
"""
DELETE_MENTIONS = "delete from mentions where memory_key in (select value from json_each(:keys))"


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, a place or a thing that memories name, or the subject of a note."""

    key: int
    id: str
    name: str
    kind: str = THING
    description: str | None = None


Bearers = dict[str, list[Entity]]
OF_PAGES = frozenset(("title", "alias", "file", "wikilink", "bare"))  # sources of names: what pages say of themselves
Files = Literal["first", "last", "none"]
OfPage = Literal["kind", "description"]


def _entity(row: Any) -> Entity:
    return Entity(row["key"], row["id"], row["name"], row["kind"], row["description"])


def by_keys(conn: Connection, keys: Iterable[int]) -> dict[int, Entity]:
    """The entities with these keys, by key."""
    return {row["key"]: _entity(row) for row in conn.execute(SELECT_BY_KEYS, {"keys": keys_json(keys)})}


def by_names(conn: Connection, names: Iterable[str], *, plurals: bool = True, files: Files = "last") -> Bearers:
    """The entities with each of these names, by normalised name. Several entities may have one name.

    With `plurals`, a concept is also found by its plural, after the entities that have this very name. What a note's
    file is called is its name for links (`first`, after titles), and otherwise only if nothing else has this name.
    """
    return by_normals(conn, map(normal_name, names), plurals=plurals, files=files)


def by_normals(conn: Connection, normals: Iterable[str], *, plurals: bool = True, files: Files = "last") -> Bearers:
    """The same for names that are normalised already."""
    found: Bearers = {}
    asked = {"normals": dumps([*normals]), "plurals": plurals, "files": files}
    rows = conn.execute(SELECT_BY_NORMALS, asked).fetchall()
    taken = {row["alias_normal"] for row in rows if not row["is_file"]} if files == "last" else set()
    for row in rows:
        if not (row["is_file"] and row["alias_normal"] in taken):
            found.setdefault(row["alias_normal"], []).append(_entity(row))
    return found


def find(conn: Connection, name: str) -> Entity:
    """The entity with this id or name. Raises NotFound, with the most similar names."""
    row = conn.execute(SELECT_BY_ID, {"id": name}).fetchone()
    if row is not None:
        return _entity(row)
    found = by_names(conn, [name]).get(normal_name(name), [])
    if found:
        return found[0]
    raise unknown(conn, name)


def find_shown(conn: Connection, name: str) -> Entity:
    """As `find`. An entity that only forgotten memories name is unknown, too."""
    found = find(conn, name)
    if not conn.execute(SELECT_IS_SHOWN, {"key": found.key}).fetchone()[0]:
        raise unknown(conn, name)
    return found


def unknown(conn: Connection, name: str) -> NotFound:
    """The error for a name that nothing has, with the most similar names."""
    near = nearest(conn, name)
    hint = f" Similar names: {', '.join(near)}." if near else " `memkit extract` finds names in the memories."
    return NotFound(f"There is nothing called {name!r}.{hint}", near)


def nearest(conn: Connection, name: str, n: int = 5) -> list[str]:
    """The known names with the most similar spelling, best first."""
    from rapidfuzz import fuzz, process

    least = min(SHORT, len(name) / 2)
    known = {row["alias"] for row in conn.execute(SELECT_SHOWN_NAMES)}
    names = sorted(one for one in known if len(one) > least or not one.isascii())
    return [match[0] for match in process.extract(name, names, scorer=fuzz.WRatio, limit=n, score_cutoff=60)]


def valid_name(name: str) -> bool:
    """Whether a text can be an entity's name: it has a letter or digit, and at most 200 characters."""
    return 0 < len(name) <= LONGEST_NAME and bool(normal_name(name))


class Likeness(Protocol):
    """Finds the known entity that a new spelling may mean (see `name_similarity.py`)."""

    def resolve(self, name: str, kind: str) -> int | None: ...
    def add(self, key: int, name: str, kind: str) -> None: ...
    def compare(self, key: int, now: str) -> None: ...


def ensure(
    conn: Connection,
    names: Mapping[str, str],
    now: str,
    *,
    source: str,
    descriptions: Mapping[str, str] | None = None,
    likeness: Likeness | None = None,
) -> dict[str, int]:
    """The key of the entity of each name; missing entities are made. `names` maps a name to its kind.

    If several entities have a name, it means the one of the same kind, else the oldest; a title rather the one that has
    it as its first name. Only a link means the note whose file has this name. The plural of a concept means that
    concept, but the name `Cars` does not mean the concept `car`. A kind more specific than `thing` and a missing
    description are added. With `likeness`, an unknown name may be another spelling of a known one; a new one with a
    description is compared with the known ones later. Invalid names (`valid_name`) are left out, and a page or a link
    called `User`. The result does not depend on whether names come in one call or in several.
    """
    wanted = {
        name: kind
        for name, kind in names.items()
        if valid_name(name) and not (source in OF_PAGES and is_word_for_user(name))
    }
    files: Files = "first" if source == "wikilink" else "none"
    concepts = {name for name, kind in wanted.items() if kind == CONCEPT}
    known = {
        plurals: by_names(conn, names, plurals=plurals, files=files) if names else {}
        for plurals, names in ((False, wanted.keys() - concepts), (True, concepts))
    }
    keys: dict[str, int] = {}
    made: dict[str, int] = {}
    plurals: dict[str, int] = {}
    for name, kind in wanted.items():
        normal = normal_name(name)
        description = (descriptions or {}).get(name)
        bearers = known[kind == CONCEPT].get(normal, ())
        own = [one for one in bearers if source == "title" and normal_name(one.name) == normal]
        match = _bearer(own or bearers, kind)
        key = match.key if match else plurals.get(normal) if kind == CONCEPT else None
        if key is None:
            key = made.get(normal)
        if key is None and likeness:
            key = likeness.resolve(name, kind)
            if key is not None:
                add_alias(conn, key, name, "alike")
                _show_better(conn, key, name, now)
        if key is None:
            key = made[normal] = _insert(conn, name, kind, description, source, now)
            if kind == CONCEPT and (plural := _add_plural(conn, key, normal)):
                plurals[plural] = key
            if likeness:
                likeness.add(key, name, kind)
                if description and kind not in (CONCEPT, VALUE):
                    likeness.compare(key, now)
        elif description or match is None or match.kind != kind:
            describe(conn, key, now, kind=kind, description=description)
        keys[name] = key
    if source in _CALLED_SO:
        new = set(made.values())
        known_before = ((normal_name(name), key) for name, key in keys.items() if key not in new)
        conn.executemany(CONFIRM_ALIAS, ({"key": key, "normal": name, "source": source} for name, key in known_before))
    return keys


def _show_better(conn: Connection, key: int, name: str, now: str) -> None:
    """Shows an entity that only texts name by the better of two names, once that is known.

    That is the nominative (Даша, not Дашу), and the family name behind the others (D. E. Knuth, not Knuth, D. E.).
    """
    if name.isascii() and ", " in name:
        return
    from memkit.text.extract.declension import is_first_case  # which no question needs
    from memkit.text.extract.resolve import canonical_name

    shown = by_keys(conn, [key])[key].name
    if is_first_case(name, shown) or (
        ", " in shown and ", " not in name and canonical_name(shown) == canonical_name(name)
    ):
        parameters = {"key": key, "name": composed(name), "normal": normal_name(name), "now": now}
        if conn.execute(SHOW_AS, parameters).rowcount > 0:
            conn.execute(FORGET_VECTOR, {"key": key})


def describe(conn: Connection, key: int, now: str, *, kind: str = THING, description: str | None = None) -> None:
    """Sets a more specific kind, and the description if there is none yet."""
    parameters = {"key": key, "kind": kind, "description": description, "now": now}
    if conn.execute(DESCRIBE, parameters).rowcount > 0:
        conn.execute(FORGET_VECTOR, {"key": key})


def set_by_page(conn: Connection, key: int, now: str, column: OfPage, value: str | None) -> None:
    """Sets the kind or the description that an entity's page gives; without one, what it gave before goes."""
    if conn.execute(SET_BY_PAGE[column], {"key": key, "value": value, "now": now}).rowcount > 0:
        conn.execute(FORGET_VECTOR, {"key": key})


def _insert(conn: Connection, name: str, kind: str, description: str | None, source: str, now: str) -> int:
    name, normal = composed(name), normal_name(name)
    row = {"name": name, "normal": normal, "kind": kind, "description": description, "now": now}
    inserted, n = None, 0
    while inserted is None:  # the id follows from the name: the same in every database
        n += 1
        inserted = conn.execute(INSERT_ENTITY, {**row, "id": short_id("entity", normal, str(n))}).fetchone()
    key: int = inserted[0]
    add_alias(conn, key, name, source)
    return key


def _bearer(bearers: Sequence[Entity], kind: str) -> Entity | None:
    """The entity that a name of this kind means: one of the same kind, else the oldest."""
    return min(bearers, key=lambda entity: (entity.kind != kind, entity.key), default=None)


def _add_plural(conn: Connection, key: int, normal: str) -> str | None:
    """Adds the plural of a one-word concept as an alias, unless it is a name already; returns the plural or None."""
    if " " in normal or has_cjk(normal):
        return None
    plural = _plural(normal)
    return (
        plural
        if conn.execute(INSERT_PLURAL, {"entity_key": key, "alias": plural, "normal": plural}).fetchone()
        else None
    )


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun + "s"


def is_word_for_user(name: str) -> bool:
    """Whether a name is only the word for the person whose memory this is, and not that person's name: `User`.

    A page, a link, a field or a sentence of others that says `User` means somebody or something else.
    """
    return normal_name(name) == "user"


def add_alias(conn: Connection, entity_key: int, alias: str, source: str) -> None:
    """Adds a name of an entity; if it ends in brackets, also the name without them.

    Nobody is called `user` because a page says so.
    """
    if valid_name(alias) and not (source in OF_PAGES and is_word_for_user(alias)):
        alias = composed(alias)
        row = {"entity_key": entity_key, "alias": alias, "normal": normal_name(alias), "source": source}
        conn.execute(INSERT_ALIAS, row)
        if (bare := without_bracket(alias)) != alias and valid_name(bare) and not is_word_for_user(bare):
            conn.execute(INSERT_ALIAS, {**row, "alias": bare, "normal": normal_name(bare), "source": "bare"})


def aliases(conn: Connection, key: int) -> list[str]:
    """All names of an entity, its own first."""
    return [row["alias"] for row in conn.execute(SELECT_ALIASES, {"key": key})]


class Alias(NamedTuple):
    """A name of an entity to look for in texts; `source` says where it came from: text, title, wikilink, speaker ..."""

    name: str
    entity_key: int
    source: str


def names_since(conn: Connection, after: int = 0) -> tuple[list[Alias], int]:
    """All names added after an alias key, and the highest alias key."""
    rows = [Alias(*row) for row in conn.execute(SELECT_NAMES, {"after": after})]
    return rows, conn.execute(LAST_ALIAS).fetchone()[0]


def names_among(conn: Connection, normals: Iterable[str]) -> list[Alias]:
    """The names that match these normalised names; an index look-up, fast for any number of names."""
    return [Alias(*row) for row in conn.execute(SELECT_NAMES_AMONG, {"normals": dumps(sorted(set(normals)))})]
