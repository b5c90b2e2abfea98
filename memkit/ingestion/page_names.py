"""Page names: the titles, aliases and files of notes as names of entities.

What an author calls a page is that page, so an entity that texts and links made of such a name before becomes the
page's. A title comes before an alias: where a page has the name, an alias of another page does not take it.

The name of a file is a name for links. It is one for texts, too, unless it says only a part of the title, or is a word
of everybody: what is said of Docker does not speak of the article `Docker explained` in `docker.md`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from memkit.graph import entities, merging
from memkit.ingestion import former_page_names
from memkit.ingestion.subjects import subjects
from memkit.sources.notes.page_title import page_name
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_object, list_in, object_in
from memkit.storage.store import dumps, keys_json
from memkit.text.extract import dictionary, words
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.identifiers import DATE, names_nothing
from memkit.text.extract.marked_names import abbreviates
from memkit.text.words import has_cjk, normal_name

# One memory of each note or other document, and each memory without one.
SELECT_PAGES = """
select min(m.key) as key, m.title, d.kind as document_kind, d.meta, d.source
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys)) and m.title is not null
group by coalesce(d.key, -m.key), m.title
order by 1
"""
# The entities that have these names, and nothing but texts and links to show for it.
SELECT_ONLY_SAID = """
select a.normal, e.key
from aliases as a join entities as e on e.key = a.entity_key
where a.normal in (select value from json_each(:normals)) and e.merged_into is null and e.kind in ('thing', 'concept')
    and not exists (
        select 1 from aliases as o
        where o.entity_key = e.key and o.source not in ('text', 'wikilink', 'alike', 'bare', 'plural')
    )
    and not exists (select 1 from merges as w where w.kept_key = e.key)
order by e.key
"""
# What another note calls its page by a name that is the title of one.
DROP_ALIASES = """
delete from aliases
where normal in (select value from json_each(:normals)) and source in ('alias', 'file') and exists (
    select 1 from entities as e join documents as d on d.title = e.name
    where e.key = aliases.entity_key and e.normal <> aliases.normal and d.archived_at is null
)
returning entity_key, normal
"""
_ACRONYM = re.compile(r"(.+) \(([^\W\d_]{2,8})\)")
_WORD = re.compile(r"[^\W_]+")
_BRACKET = re.compile(r"[(（\[][^()（）\[\]]*[)）\]]")


def collect(
    conn: Connection, pending: Iterable[int], statistics: CaseStatistics, now: str, *, whole: bool
) -> list[int]:
    """Makes the entities of the pages of these memories, with all their names and no others.

    Returns the keys of the memories to read again, because a name in them means another page now, or none. In a run
    over the `whole` database, what was called a page by these memories alone, and is not now, is one no more.
    """
    rows = conn.execute(SELECT_PAGES, {"keys": keys_json(pending)}).fetchall()
    about = subjects(conn, rows)
    pages = [row for row in rows if row["key"] in about]
    titles = {about[row["key"]]: kind_of(row) for row in pages}
    normals = {normal_name(title) for title in titles}
    naming = former_page_names.release(conn, pending, titles, now) if whole else []
    dropped = conn.execute(DROP_ALIASES, {"normals": dumps(sorted(normals))}).fetchall()
    naming += former_page_names.taken(conn, dropped, now)
    keys = entities.ensure(conn, titles, now, source="title")
    given: dict[str, set[int]] = {}
    called: dict[int, set[str]] = {key: set() for key in keys.values()}
    known = former_page_names.known(conn, keys.values())
    for row in pages:
        title = about[row["key"]]
        if title not in keys:
            continue
        key = keys[title]
        entities.add_alias(conn, key, title, "title")
        for name, source in _other_names(row, title, statistics):
            called[key].add(normal_name(name))
            if normal_name(name) not in normals:
                entities.add_alias(conn, key, name, source)
                if source == "alias":
                    given.setdefault(normal_name(name), set()).add(key)
    naming += former_page_names.drop(conn, called, pending, now)
    new = {name for key, names in called.items() for name in names - known.get(key, set())}
    naming += former_page_names.linking(conn, new - given.keys())
    _take_over(conn, {name: min(bearers) for name, bearers in given.items() if len(bearers) == 1}, now)
    return naming


def kind_of(row: Any) -> str:
    """The kind of a note's subject, from its front matter (`type: person`); else `thing`."""
    return kind_in(object_in(json_object(row["meta"]), "fields")) or entities.THING


def kind_in(fields: Mapping[str, Any]) -> str | None:
    """The kind that these fields of front matter give."""
    given = fields.get("type") or fields.get("kind")
    return given.strip(" []").lower() or None if isinstance(given, str) and len(given) <= 40 else None


def is_part(name: str, title: str, statistics: CaseStatistics) -> bool:
    """Whether a name says only a part of a title: without common words that say what is told of it."""
    given, whole = normal_name(name).split(), normal_name(_BRACKET.sub("", title)).split()
    rest = Counter(whole) - Counter(given)
    if not given or set(given) - set(whole) or not rest:
        return False
    small = {normal_name(word) for word in title.split() if word[:1].islower()}
    return any(
        word not in words.FUNCTION and (word in small or dictionary.is_common(word) or statistics.is_common_word(word))
        for word in rest
    )


def _is_word(name: str, statistics: CaseStatistics) -> bool:
    """Whether a file in lower case is called by a word of the texts here, in any language: `elemente.md`."""
    return name.islower() and " " not in name and statistics.is_common_word(name)


def _other_names(row: Any, title: str, statistics: CaseStatistics) -> Iterable[tuple[str, str]]:
    """The other names of a page, with the source that they come from."""
    file = page_name(PurePosixPath(row["source"] or "").stem)
    for alias in map(str, list_in(json_object(row["meta"]), "aliases")):
        if DATE.fullmatch(alias):
            continue
        hidden = normal_name(alias) == normal_name(file) and (
            names_nothing(alias) or _is_word(alias, statistics) or is_part(alias, title, statistics)
        )
        yield alias, "file" if hidden else "alias"
    if (short := _ACRONYM.fullmatch(title)) and abbreviates(short[2], _WORD.findall(short[1])):
        yield short[2], "alias"
    folder, _, last = title.rpartition("/")
    if folder and last and not has_cjk(folder[-1]) and last.count("(") == last.count(")"):
        yield last, "file"  # `[[Unity/UI]]` may be shown as UI


def _take_over(conn: Connection, names: Mapping[str, int], now: str) -> None:
    """Merges what texts and links called by these names (to the pages' entities) into the pages."""
    rows = conn.execute(SELECT_ONLY_SAID, {"normals": dumps(sorted(names))}).fetchall()
    others: dict[int, set[int]] = {}
    for row in rows:
        if row["key"] != names[row["normal"]]:
            others.setdefault(row["key"], set()).add(names[row["normal"]])
    for other, pages in others.items():
        if len(pages) == 1:
            merging.merge_found(conn, min(pages), other, now)
