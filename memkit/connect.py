"""How the graph gets in: what memories name, out of their text, without a language model.

It works through the memories that it has not read yet, or not in their present form, one transaction a batch; stopped at
any moment, a second run does the rest. New names are looked for in old memories through the full-text index.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memkit.driver import writing
from memkit.extract.case import CaseStatistics, case_counts
from memkit.extract.matcher import NameMatcher
from memkit.extract.names import find_names
from memkit.extract.wikilinks import find_links
from memkit.graph import adjacency, entities
from memkit.store import keys_json
from memkit.text import cjk_pairs, has_cjk, normal_name, quoted, words

EXTRACTOR = "text 1"  # a new number reads everything again
CASES = "case statistics 1"
BATCH = 2000
MANY_NAMES = 2000  # from so many new names on it is quicker to read everything again than to ask the index

SELECT_PENDING = """
select m.key from memories as m
where m.archived_at is null and not exists (
    select 1 from extractions as x
    where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
order by m.key
"""
SELECT_TEXTS = """
select m.key, m.text, m.title, m.speaker, m.hash, m.happened_at, d.key as document_key, d.kind as document_kind, d.meta
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys))
order by m.key
"""
MARK_READ = """
insert into extractions (memory_key, extractor, hash, at) values (:key, :extractor, :hash, :now)
on conflict (memory_key, extractor) do update set hash = excluded.hash, at = excluded.at, error = null
"""
SELECT_READ = "select memory_key from extractions where extractor = :extractor"
SELECT_READ_AMONG = """
select memory_key from extractions
where extractor = :extractor and memory_key in (select value from json_each(:keys))
"""
COUNT_WORD = """
insert into word_cases (word, lower, upper) values (:word, :lower, :upper)
on conflict (word) do update set lower = lower + excluded.lower, upper = upper + excluded.upper
"""
SELECT_CASES = "select word, lower, upper from word_cases"
FIND_PHRASE = "select rowid from memories_fts where memories_fts match :query"
FIND_CJK = "select rowid from memories_cjk where memories_cjk match :query"


@dataclass
class ConnectReport:
    """What was found: memories read, entities and mentions made."""

    memories: int = 0
    entities: int = 0
    mentions: int = 0


def connect(conn: Any, now: str, *, batch: int = BATCH) -> ConnectReport:
    """Finds names in the memories not read yet, and writes entities and mentions."""
    report = ConnectReport()
    pending = [row[0] for row in conn.execute(SELECT_PENDING, {"extractor": EXTRACTOR})]
    if not pending:
        return report
    before = entities.names_since(conn)[1]
    for keys in _slices(pending, batch):
        with writing(conn):
            _count_cases(conn, keys, now)
    statistics = case_statistics(conn)
    for keys in _slices(pending, batch):
        with writing(conn):
            _collect_names(conn, keys, statistics, now)
    names, _ = entities.names_since(conn)
    matcher = matcher_of(names, statistics)
    for keys in _slices(pending, batch):
        with writing(conn):
            report.mentions += _write_mentions(conn, keys, matcher, now)
            report.memories += len(keys)
    new_names, _ = entities.names_since(conn, before)
    report.entities = len({key for _, key in new_names})
    report.mentions += _find_in_old(conn, set(pending), new_names, statistics, now, batch)
    with writing(conn):
        adjacency.bump(conn)
    return report


def _slices(keys: list[int], size: int) -> Iterable[list[int]]:
    return (keys[i : i + size] for i in range(0, len(keys), size))


def _rows(conn: Any, keys: Iterable[int]) -> list[Any]:
    return conn.execute(SELECT_TEXTS, {"keys": keys_json(keys)}).fetchall()


def _mark(conn: Any, rows: list[Any], extractor: str, now: str) -> None:
    conn.executemany(
        MARK_READ, [{"key": row["key"], "extractor": extractor, "hash": row["hash"], "now": now} for row in rows]
    )


# ---------------------------------------------------------------------------------------------- how words are written


def _count_cases(conn: Any, keys: list[int], now: str) -> None:
    """Adds to the database's case statistics what these memories show, each of them once."""
    seen = {row[0] for row in conn.execute(SELECT_READ_AMONG, {"extractor": CASES, "keys": keys_json(keys)})}
    rows = _rows(conn, [key for key in keys if key not in seen])
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for row in rows:
        for word, (low, up) in case_counts(row["text"]).items():
            lower[word] += low
            upper[word] += up
    words = lower.keys() | upper.keys()
    conn.executemany(COUNT_WORD, [{"word": word, "lower": lower[word], "upper": upper[word]} for word in words])
    _mark(conn, rows, CASES, now)


def case_statistics(conn: Any) -> CaseStatistics:
    """How this database writes its words in the middle of sentences."""
    return CaseStatistics({row["word"]: (row["lower"], row["upper"]) for row in conn.execute(SELECT_CASES)})


# ---------------------------------------------------------------------------------------------- which names there are


def _collect_names(conn: Any, keys: list[int], statistics: CaseStatistics, now: str) -> None:
    """Makes entities of the titles, speakers, link targets and names in running text of these memories."""
    rows = _rows(conn, keys)
    titles = {row["title"]: _kind(row) for row in rows if _names_something(row)}
    speakers = {name: "person" for row in rows for name in speakers_of(row["speaker"])}
    linked = {link.name: link.display for row in rows for link in find_links(row["text"]) if not link.embed}
    texts = {span.name: _text_kind(span.name) for row in rows for span in find_names(row["text"], statistics)}
    keys_of_titles = entities.ensure(conn, titles, now, source="title")
    entities.ensure(conn, speakers, now, source="speaker")
    keys_of_links = entities.ensure(conn, dict.fromkeys(linked, entities.THING), now, source="wikilink")
    entities.ensure(conn, texts, now, source="text")
    for row in rows:
        for alias in json.loads(row["meta"] or "{}").get("aliases", ()):
            if row["title"] in keys_of_titles:
                entities.add_alias(conn, keys_of_titles[row["title"]], str(alias), "alias")
    for name, display in linked.items():
        if name in keys_of_links and _is_name(display, statistics):
            entities.add_alias(conn, keys_of_links[name], display, "wikilink")


def _names_something(row: Any) -> bool:
    """Whether a title is what the text is about: a note's or an article's, not a conversation's."""
    return bool(row["title"]) and row["document_kind"] not in ("chat", "log")


def _kind(row: Any) -> str:
    """What a note says its subject is (`type: person`), or a thing."""
    fields = json.loads(row["meta"] or "{}").get("fields", {})
    given = fields.get("type") or fields.get("kind")
    return str(given).strip().lower() if isinstance(given, str) and len(given) <= 40 else entities.THING


def _text_kind(name: str) -> str:
    return "person" if name.startswith("@") else entities.THING


def speakers_of(speaker: str | None) -> list[str]:
    """The people that a speaker field names: `LiHua, WolfgangSchulz` are two."""
    return [name for part in (speaker or "").split(",") if (name := part.strip())]


def _is_name(display: str, statistics: CaseStatistics) -> bool:
    """Whether the words that a link shows can stand for its target elsewhere: `[[Rosa|she]]` does not make her `she`."""
    if len(display) > 60 or not display[:1].isupper():
        return False
    return any(not statistics.is_common_word(word) for word in words(display))


def matcher_of(names: Iterable[tuple[str, int]], statistics: CaseStatistics) -> NameMatcher:
    """A matcher for these (alias, entity key) pairs."""
    by_alias: dict[str, list[int]] = {}
    for alias, key in names:
        by_alias.setdefault(alias, []).append(key)
    return NameMatcher(by_alias, statistics)


# ---------------------------------------------------------------------------------------------- who is named where


def _write_mentions(conn: Any, keys: list[int], matcher: NameMatcher, now: str) -> int:
    """Writes what these memories name, in place of what was written before; how many mentions."""
    rows = _rows(conn, keys)
    conn.execute(entities.DELETE_MENTIONS, {"keys": keys_json(keys)})
    roles = _own_names(conn, rows)
    mentions = []
    for row in rows:
        own = roles.get(row["key"], {})
        mentions += [_mention(row["key"], key, role, name) for key, (role, name) in own.items()]
        mentions += [m for m in _found(row["key"], row["text"], matcher) if m["entity_key"] not in own]
    conn.executemany(entities.INSERT_MENTION, mentions)
    _mark(conn, rows, EXTRACTOR, now)
    return len(mentions)


def _own_names(conn: Any, rows: list[Any]) -> dict[int, dict[int, tuple[str, str]]]:
    """For each memory the entities that its title, its speakers and its links name, with role and words."""
    named = [
        (row["key"], role, name, target)
        for row in rows
        for role, name, target in (
            *((("title", row["title"], row["title"]),) if _names_something(row) else ()),
            *(("speaker", name, name) for name in speakers_of(row["speaker"])),
            *(("wikilink", link.display, link.name) for link in find_links(row["text"]) if not link.embed),
        )
    ]
    known = entities.by_names(conn, {target for *_, target in named})
    own: dict[int, dict[int, tuple[str, str]]] = {}
    for key, role, name, target in named:
        for entity in known.get(normal_name(target), ())[:1]:
            own.setdefault(key, {}).setdefault(entity.key, (role, name))
    return own


def _mention(
    memory_key: int, entity_key: int, role: str, surface: str, start: int | None = None, count: int = 1, bearers: int = 1
) -> dict[str, Any]:
    return {
        "memory_key": memory_key,
        "entity_key": entity_key,
        "role": role,
        "surface": surface,
        "start": start,
        "count": count,
        "confidence": 1.0 / bearers,
    }


def _found(memory_key: int, text: str, matcher: NameMatcher) -> list[dict[str, Any]]:
    """The mentions in a text, one for each entity; a name with several bearers is a mention of each, less sure."""
    mentions: dict[int, dict[str, Any]] = {}
    for match in matcher.find(text):
        for key in match.ids:
            if key in mentions:
                mentions[key]["count"] += 1
            else:
                surface = text[match.start : match.end]
                mentions[key] = _mention(memory_key, key, "text", surface, match.start, 1, len(match.ids))
    return list(mentions.values())


def _find_in_old(
    conn: Any, new: set[int], names: list[tuple[str, int]], statistics: CaseStatistics, now: str, batch: int
) -> int:
    """Looks for new names in memories that were read before they were known; how many mentions that made."""
    old = [row[0] for row in conn.execute(SELECT_READ, {"extractor": EXTRACTOR}) if row[0] not in new]
    if not names or not old:
        return 0
    matcher = matcher_of(names, statistics)
    if len(names) < MANY_NAMES:
        candidates = {key for alias, _ in names for key in _with_phrase(conn, alias)}
        old = [key for key in old if key in candidates]
    made = 0
    for keys in _slices(old, batch):
        with writing(conn):
            rows = [m for row in _rows(conn, keys) for m in _found(row["key"], row["text"], matcher)]
            conn.executemany(entities.INSERT_MENTION_IF_NEW, rows)
            made += len(rows)
    return made


def _with_phrase(conn: Any, name: str) -> list[int]:
    """The memories that may have a name, by the full-text indexes."""
    found = []
    if latin := [word for word in words(name) if not has_cjk(word)]:
        found += conn.execute(FIND_PHRASE, {"query": "text : " + quoted(" ".join(latin))}).fetchall()
    elif pairs := cjk_pairs(name):
        found += conn.execute(FIND_CJK, {"query": " ".join(f"text : {pair}" for pair in pairs)}).fetchall()
    return [row[0] for row in found]
