"""Entity linking: finds the entities and statements in memories without a language model, and writes them to the graph.

It reads the memories that it has not read yet, or not in their present form. Each batch is one transaction: after an
interruption, a second run does the rest. It finds new names in old memories through the full-text index.
`relation_extraction` writes relations and links, `front_matter` what notes state in their front matter.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

from memkit.core.batches import batched
from memkit.core.errors import Busy, DiskFull, EmbedderFailed, EmbedderMismatch
from memkit.core.frames import OneRow
from memkit.core.progress import advance, in_phase, phase
from memkit.core.roles import is_nobody, is_role, is_user
from memkit.core.second_process import Part, SecondProcess
from memkit.graph import duplicates, entities, entity_vectors, nesting, orphans
from memkit.graph.me import me as me_of
from memkit.graph.name_similarity import KnownNames
from memkit.graph.version import bump
from memkit.ingestion import (
    boilerplate,
    corrections,
    former_page_names,
    front_matter,
    mail_addresses,
    own_voice,
    page_names,
    parts,
    relation_extraction,
)
from memkit.ingestion.counting_ahead import Counted, CountingAhead
from memkit.ingestion.relation_extraction import NamedTriple
from memkit.ingestion.subjects import link_names, links_in, subjects
from memkit.storage import phrases, store
from memkit.storage.connection import Connection
from memkit.storage.driver import after_commit, hold_less, writing
from memkit.storage.filters import WHEN
from memkit.storage.json_columns import or_empty
from memkit.storage.store import dumps, keys_json
from memkit.text.composed import as_written, composed, is_composed
from memkit.text.extract.case import CaseStatistics, case_counts
from memkit.text.extract.identifiers import is_card, names_nothing
from memkit.text.extract.matcher import Match, runs
from memkit.text.extract.tokens import kept_texts, written
from memkit.text.statements import named_speakers
from memkit.text.words import has_cjk, normal_name, without_bracket, words

if TYPE_CHECKING:
    from memkit.embedding import Embedder

Item = TypeVar("Item")
Found = TypeVar("Found")

EXTRACTOR = "text 27"  # with a new number, everything is read again
CASES = "case statistics 1"
NAMES_LOOKED_FOR = "names_looked_for"  # setting: the last alias (key) that was searched for in all older memories
BATCH = 2000
PART, PART_CHARACTERS = 250, 50_000  # memories that one process reads at once, or so much text
COUNTED_TOGETHER = 8  # batches whose words are counted in one transaction, because most words are in all of them
# Fingerprints lie all over their table: to add few at a time to many would write every page again for each of them. So
# this part of all that there are is added at once.
LINKED_TOGETHER = 16
MANY_NAMES = 2000  # with so many new names, reading everything again is faster than searching the index
FEW = 64  # for at most so many memories, only the names that they may contain are looked up, not all names
FEW_CHARACTERS = 30_000

SELECT_PENDING = """
select m.key from memories as m
where m.archived_at is null and not exists (
    select 1 from extractions as x
    where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
order by m.key
"""
SELECT_PENDING_AMONG = """
select m.key from memories as m
where m.key in (select value from json_each(:keys)) and m.archived_at is null and not exists (
    select 1 from extractions as x
    where x.memory_key = m.key and x.extractor = :extractor and x.hash = m.hash
)
order by m.key
"""
SELECT_TEXTS = f"""
select m.key, m.text, m.title, m.speaker, m.hash, coalesce(m.happened_at, m.created_at) as said_at, {WHEN} as dated,
    m.slot, m.slot_key, m.valid_from, m.valid_until, m.confidence, m.position,
    json_extract({or_empty("m.meta")}, '$.heading') as heading, d.key as document_key, d.kind as document_kind,
    d.meta, d.source, null as written, json_extract({or_empty("m.meta")}, '$.forwarded_from') as forwarded_from
from memories as m left join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys))
order by m.key
"""
READ = ("text", "title", "speaker", "heading")
SELECT_WORDS = "select key, text, hash from memories where key in (select value from json_each(:keys)) order by key"
SELECT_HASHES = "select key, hash from memories where key in (select value from json_each(:keys))"
SELECT_NOTES = """
select m.text, d.key as document_key, d.kind as document_kind, d.source
from memories as m join documents as d on d.key = m.document_key
where m.key in (select value from json_each(:keys)) and d.kind = 'note'
"""
SELECT_LENGTH = "select coalesce(sum(length(text)), 0) from memories where key in (select value from json_each(:keys))"
SELECT_READ = "select memory_key from extractions where extractor = :extractor"
SELECT_READ_AMONG = """
select memory_key from extractions
where extractor = :extractor and memory_key in (select value from json_each(:keys))
"""
COUNT_WORD = """
insert into word_cases (word, lower, upper) values (?, ?, ?)
on conflict (word) do update set lower = lower + excluded.lower, upper = upper + excluded.upper
"""
SET_COUNT = """
insert into word_cases (word, lower, upper) values (:word, :lower, 0)
on conflict (word) do update set lower = excluded.lower
"""
SELECT_CASES = """
select word, lower + 0 as lower, upper + 0 as upper from word_cases
where :words is null or word in (select value from json_each(:words))
"""
SELECT_NAMES_OF = """
select distinct a.alias, a.entity_key, a.source
from mentions as x join aliases as a on a.entity_key = x.entity_key
where x.memory_key in (select value from json_each(:keys)) and a.source not in ('bare', 'file', 'plural')
"""


@dataclass
class ConnectReport(OneRow):
    """The result of entity linking: how many memories were read; how many entities, mentions, relations and links made.

    `unsure` maps ambiguous names to the reason.
    """

    memories: int = 0
    entities: int = 0
    mentions: int = 0
    relations: int = 0
    links: int = 0
    unsure: dict[str, str] = field(default_factory=dict)


def connect(
    conn: Connection,
    now: str,
    *,
    keys: Iterable[int] | None = None,
    embedder: Embedder | None = None,
    known: KnownNames | None = None,
    whole: bool = False,
    moved: bool = True,
    batch: int = BATCH,
    other: SecondProcess | None = None,
    counting: CountingAhead | None = None,
) -> ConnectReport:
    """Reads the memories not read yet (among `keys`, if given), writes their entities and relations, and reports.

    `embedder` makes the vectors of entities, and compares descriptions. `known` are the known names, if the caller has
    them already. Without `keys`, or with `whole`, the evidence from archived memories is removed, too, and so are
    former names of pages (what has them is read again) and entities of which nothing speaks. `moved` means that
    memories may have changed their positions, or may have been deleted. The `other` process reads some of many
    memories; it has counted the words of some already (`counting`).
    """
    with nullcontext(other) if other else SecondProcess() as second:
        names, ahead = known or KnownNames(conn, embedder), counting or CountingAhead(second)
        run = _Run(conn, now, names, batch, second, ahead, whole or keys is None)
        if run.whole:
            run.tidy(moved)
            run.forget_titles()
        pending = unread(conn, keys)
        changed = run.whole and bool(pending or moved)
        if pending:
            run.read(pending)
        if changed:
            run.read_renamed()
        run.find_new_names(pending)
        if run.whole or pending:
            with writing(conn):
                run.report.relations += front_matter.read_fields(conn, keys=None if run.whole else pending, now=now)
                if changed:
                    nesting.link_folder_notes(conn, now)
                relation_extraction.merge_speaker(conn, now)
                mail_addresses.unite(conn, pending, now)
        if changed:
            run.delete_orphans()
    if embedder is not None:
        after_commit(conn, partial(_embed_entities, conn, embedder, now))
    return run.report


def _embed_entities(conn: Connection, embedder: Embedder, now: str) -> None:
    with suppress(EmbedderFailed, EmbedderMismatch, Busy, DiskFull):  # the entities are stored
        entity_vectors.write_missing(conn, embedder, now)


class _Readings:
    """Which memories were read, and in which form: in 16 bytes each, for a run may read millions."""

    def __init__(self, rows: Iterable[Any]):
        self.keys = array("q", [row["key"] for row in rows])
        self._forms = array("q", [hash(row["hash"]) for row in rows])

    def is_same(self, row: Any) -> bool:
        """Whether a memory was read in its present form."""
        at = bisect_left(self.keys, row["key"])
        return at < len(self.keys) and self.keys[at] == row["key"] and self._forms[at] == hash(row["hash"])

    def changed(self, hashes: Mapping[int, str]) -> set[int]:
        """The memories that have another form now, or none."""
        return {key for key, form in zip(self.keys, self._forms, strict=True) if hash(hashes.get(key)) != form}


class _Run:
    """One run: the case statistics, the known names, the report, and another process if many memories are read."""

    def __init__(
        self,
        conn: Connection,
        now: str,
        known: KnownNames,
        batch: int,
        other: SecondProcess,
        counting: CountingAhead,
        whole: bool,
    ):
        self.conn, self.now, self.known, self.batch = conn, now, known, batch
        self.other, self.counting = other, counting
        self.whole = whole  # what is not named here is no name any more
        self.report = ConnectReport(unsure=known.unsure)
        self.about: dict[int, str] = {}
        self.said: dict[int, list[NamedTriple]] = {}
        self.bands = duplicates.Fingerprints()  # of memories that are not linked yet
        self.unlinked: list[_Readings] = []  # what these memories were
        self.read_before: deque[_Readings] = deque()  # what each slice was when its names were collected
        self.statistics = CaseStatistics()
        self.again: set[int] = set()  # memories to read again
        self.linked: set[int] = set()  # entities to which there were links in texts that changed
        self.new: set[int] = set()  # entities whose names were looked for in older memories

    def tidy(self, moved: bool) -> None:
        """Removes the evidence from memories that were archived."""
        with writing(self.conn):
            if moved:
                bump(self.conn)
            archived = relation_extraction.withdraw_archived(self.conn, self.now)
            self.linked |= former_page_names.linked_in(self.conn, archived)

    def read(self, pending: array[int]) -> None:
        """Reads these memories: counts their words, collects names, then writes mentions, relations and links."""
        conn, whole = self.conn, memoryview(pending)  # whose slices are no copies
        slices = [whole[at : at + self.batch] for at in range(0, len(pending), self.batch)]
        again = any(
            conn.execute(SELECT_READ_AMONG, {"extractor": EXTRACTOR, **_keys(keys)}).fetchone() for keys in slices
        )
        length = sum(_length(conn, keys) for keys in slices)
        few = len(pending) <= FEW and length <= FEW_CHARACTERS
        if self.other.works or length >= parts.MANY_CHARACTERS:
            hold_less(conn)
            self.other.start()
        with writing(conn):
            boilerplate.learn(conn, (row for keys in slices for row in conn.execute(SELECT_NOTES, _keys(keys))))
            lines = boilerplate.lines_in(
                conn, (row for keys in slices for row in conn.execute(SELECT_WORDS, _keys(keys)))
            )
        with nullcontext() if few or self.other.works else kept_texts():
            self._read(pending, slices, lines, few)
        if again:
            with writing(conn):
                bump(conn)

    def _read(self, pending: array[int], slices: list[memoryview[int]], lines: frozenset[str], few: bool) -> None:
        conn = self.conn
        phase("counting words", len(pending))
        for some, counted in self.counting.slices(pending, COUNTED_TOGETHER * self.batch):
            with writing(conn):
                self._count_cases(some, lines, counted)
            advance(len(some))
        self.statistics = _statistics_among(conn, _rows(conn, pending, lines)) if few else case_statistics(conn)
        self.other.tell(statistics=self.statistics, me=me_of(conn), voices=own_voice.voices(conn))
        with writing(conn):
            self.read_again(page_names.collect(conn, pending, self.statistics, self.now, whole=self.whole))
        said_in = self._in_parts(slices, lines, parts.read, self._with_subjects)
        for keys, (rows, said) in zip(in_phase("finding names", slices, len(pending)), said_in, strict=True):
            with writing(conn):
                self._collect_names(rows, said)
                # Meanwhile the other process goes on; later there would be less to do for it.
                if keys is slices[-1] or len(self.bands) >= pending[-1] / LINKED_TOGETHER:
                    self._link_near(lines)
        names = _names_among(conn, _rows(conn, pending, lines)) if few else entities.names_since(conn)[0]
        cjk = _count_cjk(conn, names)
        self.other.tell(names=names, cjk=cjk)
        found_in = self._in_parts(slices, lines, parts.find, _texts)
        for _, (rows, found) in zip(in_phase("connecting", slices, len(pending)), found_in, strict=True):
            with writing(conn):
                self._write(rows, found)

    def _in_parts(
        self,
        slices: Iterable[memoryview[int]],
        lines: frozenset[str],
        work: Callable[[parts.Known, Any], list[Found]],
        given: Callable[[list[Any]], list[Any]],
    ) -> Iterator[tuple[list[Any], list[Found]]]:
        """The memories of each slice, with what `work` finds in what it is `given` of each."""

        def each() -> Iterator[tuple[list[Any] | None, Part]]:
            for keys in slices:
                rows = _rows(self.conn, keys, lines)
                long = sum(len(row["text"]) for row in rows) // PART_CHARACTERS
                some = list(batched(given(rows), min(PART, len(rows) // (long + 1) + 1)))
                yield from ((None, (work, part)) for part in some[:-1])
                yield rows, (work, some[-1])

        found: list[Found] = []
        for rows, some in self.other.in_order(each()):
            found += some
            if rows is not None:
                yield rows, found
                found = []

    def _with_subjects(self, rows: list[Any]) -> list[tuple[dict[str, Any], str | None]]:
        """These memories, each with what it is about."""
        about = subjects(self.conn, rows)
        self.about |= about
        return [(dict(row), about.get(row["key"])) for row in rows]

    def _count_cases(self, keys: array[int], lines: frozenset[str], counted: Counted | None) -> None:
        """Adds the words of these memories to the database's case statistics, each memory once.

        They may have been `counted` already, as they were then.
        """
        conn = self.conn
        seen = {row[0] for row in conn.execute(SELECT_READ_AMONG, {"extractor": CASES, "keys": keys_json(keys)})}
        rows = conn.execute(SELECT_WORDS, _keys(key for key in keys if key not in seen)).fetchall()
        texts = [boilerplate.blank(row["text"], lines) for row in rows]
        counts = counted.of(texts) if counted else None
        if counts is None:
            counts = self._counts(texts)
        conn.executemany(COUNT_WORD, [(word, *pair) for word, pair in sorted(counts.items())])
        store.mark_read(conn, CASES, {row["key"]: row["hash"] for row in rows}, self.now)

    def _counts(self, texts: list[str]) -> parts.Counts:
        """The case counts of these texts together."""
        found = CaseStatistics()
        each = ((None, (parts.count, some)) for some in batched(texts, parts.COUNTED_AT_ONCE))
        for _, counts in self.other.in_order(each):
            found.add(counts)
        return found.counts

    # ------------------------------------------------------------------------------------------ names

    def _collect_names(self, rows: list[Any], found: list[parts.Said]) -> None:
        """Makes entities of titles, speakers, link targets, names in running text, and the entities of statements.

        `found` is what each memory says.
        """
        conn, now = self.conn, self.now
        links = [link for row in rows for link in links_in(row, self.about.get(row["key"]))]
        targets = link_names(conn, links)
        shared = _of_several({(normal_name(link.display), normal_name(link.name)) for link in links})
        linked = {targets[link.target]: link.name for link in links}
        linked |= {
            targets[link.target]: link.display
            for link in links
            if normal_name(link.display) not in shared and not link.names_section
        }
        linked |= {targets[link.target]: link.heading for link in links if is_card(link.name) and link.heading}
        sections = {link.display for link in links if link.names_section}
        linked |= {name: name for name in sorted(sections - linked.keys()) if self._is_bearer(name)}
        texts: dict[str, str] = {}
        readings = _Readings(rows)
        self.read_before.append(readings)
        self.unlinked.append(readings)
        me = me_of(conn)
        speakers = {name: entities.PERSON for row in rows for name in speakers_of(row["speaker"], me)}
        for row, (names, said, bands) in zip(rows, found, strict=True):
            self.bands.add(row["key"], bands)
            texts |= dict.fromkeys(names, entities.THING)
            if said:
                self.said[row["key"]] = said
        self.said |= corrections.resolved(conn, rows, self.said)
        meant = corrections.meant([self.said[row["key"]] for row in rows if row["key"] in self.said])
        entities.ensure(conn, dict.fromkeys(meant, entities.THING), now, source="text")  # like another, and another
        entities.ensure(conn, speakers, now, source="speaker", likeness=self.known)
        keys_of_links = entities.ensure(conn, dict.fromkeys(linked, entities.THING), now, source="wikilink")
        entities.ensure(conn, texts, now, source="text", likeness=self.known)
        known = entities.by_keys(conn, keys_of_links.values())
        for name, display in linked.items():
            if name in keys_of_links and _is_name(display, self.statistics):
                entity = known[keys_of_links[name]]
                if not self._tells_of(display, entity.name):
                    entities.add_alias(conn, entity.key, display, "wikilink")
        said_here = [one for row in rows for one in self.said.get(row["key"], ())]
        relation_extraction.make_entities(conn, said_here, self.known, now)

    def _is_bearer(self, section: str) -> bool:
        """Whether what has a section of a page has a name of its own: `Nadia Ferro`, but not `Installation`."""
        return len(section.split()) > 1 and not names_nothing(section) and _is_name(section, self.statistics)

    def _tells_of(self, display: str, name: str) -> bool:
        """Whether the words of a link say only what an article is about, or more than a name."""
        part = page_names.is_part
        return part(display, name, self.statistics) or part(name, display, self.statistics)

    # ------------------------------------------------------------------------------------------ links and mentions

    def _hashes(self, keys: Iterable[int]) -> dict[int, str]:
        """What tells the present form of each memory. What another program has changed is left to the next run."""
        return dict(map(tuple, self.conn.execute(SELECT_HASHES, _keys(keys))))

    def _link_near(self, lines: frozenset[str]) -> None:
        """Links the memories whose fingerprints were found to those that say nearly the same."""
        found, self.bands = self.bands, duplicates.Fingerprints()
        before, self.unlinked = self.unlinked, []
        changed = {key for one in before for key in one.changed(self._hashes(one.keys))}

        def texts(keys: Iterable[int]) -> dict[int, str]:
            return {row["key"]: row["text"] for row in _rows(self.conn, keys, lines)}

        self.report.links += duplicates.link_near(self.conn, found, texts, self.now, changed)

    def _write(self, rows: list[Any], found: list[list[Match]]) -> None:
        """Writes the mentions and relations of these memories, in place of the old ones.

        `found` are the known names in the text of each.
        """
        conn, before = self.conn, self.read_before.popleft()
        hashes = self._hashes(row["key"] for row in rows)
        same = [before.is_same(row) and hashes.get(row["key"]) == row["hash"] for row in rows]
        rows, found = list(compress(rows, same)), list(compress(found, same))
        keys = [row["key"] for row in rows]
        if self.whole:
            self.linked |= former_page_names.linked_in(conn, keys)
        conn.execute(entities.DELETE_MENTIONS, {"keys": keys_json(keys)})
        roles = _own_names(conn, rows, self.about)
        mentions = []
        for row, matches in zip(rows, found, strict=True):
            own = roles.get(row["key"], {})
            mentions += [_mention(row["key"], key, role, name) for key, (role, name) in own.items()]
            mentions += [m for m in _mentions(row, matches) if m["entity_key"] not in own]
        conn.executemany(entities.INSERT_MENTION, mentions)
        self.report.mentions += len(mentions)
        self.report.relations += relation_extraction.write(conn, rows, self.said, self.now)
        for key in keys:
            self.said.pop(key, None)
            self.about.pop(key, None)
        store.mark_read(conn, EXTRACTOR, {row["key"]: row["hash"] for row in rows}, self.now)
        self.report.memories += len(keys)

    def find_new_names(self, new: array[int]) -> None:
        """Finds names that were added since the last run, by any program, in memories that were read before."""
        before = store.setting(self.conn, NAMES_LOOKED_FOR, 0)
        names, last = entities.names_since(self.conn, before)
        self.new = {name.entity_key for name in names}
        self.report.entities = len(self.new)
        if names:
            self._find_in_old(new, names)
        if last != before:
            with writing(self.conn):
                store.set_setting(self.conn, NAMES_LOOKED_FOR, last)

    def read_again(self, keys: Iterable[int]) -> None:
        """Makes these memories some that were not read. Call it in a transaction."""
        keys = set(keys)
        for reader in (EXTRACTOR, front_matter.READER):
            store.read_again(self.conn, keys, reader)
        self.again |= keys

    def forget_titles(self) -> None:
        """Makes memories that name notes by their titles some that were not read, where other notes have these, too."""
        with writing(self.conn):
            self.read_again(former_page_names.called_otherwise(self.conn, self.now))

    def read_renamed(self) -> None:
        """Reads the memories again that have names of pages which are called otherwise now, or are gone."""
        with writing(self.conn):
            self.read_again(former_page_names.release(self.conn, (), (), self.now))
            self.read_again(former_page_names.shown_no_more(self.conn, self.linked))
        if again := unread(self.conn, self.again):
            self.read(again)

    def delete_orphans(self) -> None:
        """Deletes entities of which nothing speaks, unless another process reads: it may have made them just now."""
        with writing(self.conn):
            if not unread(self.conn):
                self.report.entities -= len(self.new & orphans.delete_orphans(self.conn))

    def _find_in_old(self, new: array[int], names: list[entities.Alias]) -> None:
        conn = self.conn
        if len(names) < MANY_NAMES:
            found = {key for alias in names for key in phrases.in_texts(conn, alias.name) if not _is_among(key, new)}
            parameters = {"extractor": EXTRACTOR, "keys": keys_json(found)}
            old = [row[0] for row in conn.execute(SELECT_READ_AMONG, parameters)]
        else:
            old = [row[0] for row in conn.execute(SELECT_READ, {"extractor": EXTRACTOR}) if not _is_among(row[0], new)]
        if not old:
            return
        all_names = [*names, *_longer_names(conn, old, names)]
        spelled = [word for alias in all_names for word in words(alias.name)]
        links = [f"[{alias.name}]" for alias in all_names]
        statistics = _statistics_of(conn, [*spelled, *links]) if len(names) < MANY_NAMES else case_statistics(conn)
        statistics.counts |= _count_cjk(conn, all_names)
        matcher = parts.matcher_of(all_names, statistics)
        new_keys = {name.entity_key for name in names}
        for keys in in_phase("finding new names in old memories", batched(old, self.batch), len(old)):
            with writing(conn):
                mentions = [
                    mention
                    for row in _rows(conn, keys)
                    for mention in _mentions(row, matcher.find(written(row["text"])))
                ]
                rows = [m for m in mentions if m["entity_key"] in new_keys]
                conn.executemany(entities.INSERT_MENTION_IF_NEW, rows)
                self.report.mentions += len(rows)


def unread(conn: Connection, keys: Iterable[int] | None = None) -> array[int]:
    """The keys of the memories (among these, if given) that were not read yet, or not in their present form, in order.

    They may be millions.
    """
    if keys is None:
        rows = conn.execute(SELECT_PENDING, {"extractor": EXTRACTOR})
    else:
        rows = conn.execute(SELECT_PENDING_AMONG, {"extractor": EXTRACTOR, "keys": keys_json(keys)})
    return array("q", (row[0] for row in rows))


def _is_among(key: int, keys: array[int]) -> bool:
    """Whether a key is among others in order."""
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key


def _keys(keys: Iterable[int]) -> dict[str, str]:
    return {"keys": keys_json(keys)}


def _raw_rows(conn: Connection, keys: Iterable[int]) -> list[Any]:
    return conn.execute(SELECT_TEXTS, _keys(keys)).fetchall()


def _rows(conn: Connection, keys: Iterable[int], lines: frozenset[str] | None = None) -> list[Any]:
    """The memories with what is read of them; boilerplate in their texts (`lines`, if known) is blank.

    Decomposed text is read in a composed copy; `written` has it as it is stored.
    """
    rows = _raw_rows(conn, keys)
    lines = boilerplate.lines_in(conn, rows) if lines is None else lines
    rows = [{**row, "text": boilerplate.blank(row["text"], lines)} for row in rows] if lines else rows
    said = filter(None, [row[name] for row in rows for name in READ])
    return rows if is_composed("\n".join(said)) else [_composed(row) for row in rows]


def _composed(row: Any) -> Any:
    """A memory with composed letters in what it says; itself if all are."""
    if all(is_composed(row[name]) for name in READ):
        return row
    return {**row, **{name: row[name] and composed(row[name]) for name in READ}, "written": row["text"]}


def _texts(rows: Iterable[Any]) -> list[str]:
    return [row["text"] for row in rows]


def _length(conn: Connection, keys: Iterable[int]) -> int:
    length: int = conn.execute(SELECT_LENGTH, {"keys": keys_json(keys)}).fetchone()[0]
    return length


# ---------------------------------------------------------------------------------------------- case statistics


def _count_cjk(conn: Connection, names: Iterable[entities.Alias]) -> dict[str, tuple[int, int]]:
    """Counts in how many memories the names of two CJK characters stand: in these scripts, nothing else tells a word.

    The counts are added to the case statistics, as words in lower case. The full-text index has a term for each pair.
    """
    found = {without_bracket(one.name) for one in names} | {one.name for one in names}
    pairs = sorted(name for name in found if len(name) == 2 and all(map(has_cjk, name)))
    if not pairs:
        return {}
    select = "select term, doc from temp.cjk_terms where col = 'text' and term in (select value from json_each(?))"
    with writing(conn):
        conn.execute("create virtual table temp.cjk_terms using fts5vocab(main, memories_cjk, col)")
        counts = {row["term"]: (row["doc"], 0) for row in conn.execute(select, (dumps(pairs),))}
        conn.execute("drop table temp.cjk_terms")
        conn.executemany(SET_COUNT, [{"word": word, "lower": lower} for word, (lower, _) in counts.items()])
    return counts


def case_statistics(conn: Connection) -> CaseStatistics:
    """The case statistics of this database: how often each word has a capital inside sentences."""
    return _statistics(conn, None)


def _statistics(conn: Connection, words: str | None) -> CaseStatistics:
    return CaseStatistics({word: (lower, upper) for word, lower, upper in conn.execute(SELECT_CASES, {"words": words})})


def _statistics_of(conn: Connection, spelled: Iterable[str]) -> CaseStatistics:
    """The case statistics of some words only."""
    return _statistics(conn, dumps(sorted(set(spelled))))


def _statistics_among(conn: Connection, rows: list[Any]) -> CaseStatistics:
    """The case statistics of the words of some memories, for each way of splitting the text into words."""
    spelled: set[str] = set()
    for row in rows:
        here = {*words(row["text"]), *case_counts(row["text"]), *row["text"].lower().split()}
        spelled |= here | {f"[{word}]" for word in here} | {f"{word}:" for word in here}
    return _statistics_of(conn, spelled)


# ---------------------------------------------------------------------------------------------- names


@lru_cache(maxsize=1 << 10)
def speakers_of(speaker: str | None, me: str) -> tuple[str, ...]:
    """The people in a speaker field: `LiHua, WolfgangSchulz` are two; `user` is `me`, if that name is known."""
    people = [me if is_user(name) else name for name in named_speakers(speaker)]
    return tuple(name for name in people if not is_role(name) and not is_nobody(name))


def _is_name(display: str, statistics: CaseStatistics) -> bool:
    """Whether the shown text of a link can be an alias of its target; for example, not `she` in `[[Rosa|she]]`."""
    if len(display) > 60 or not display[:1].isupper():
        return False
    return any(not statistics.is_common_word(word) for word in words(display))


def _of_several(displays: Iterable[tuple[str, str]]) -> set[str]:
    """The words that links to several notes show, as `next chapter`: they are the name of none."""
    found = Counter(shown for shown, _ in displays)
    return {shown for shown, n in found.items() if n > 1}


def _names_among(conn: Connection, rows: list[Any]) -> list[entities.Alias]:
    """The known names that these memories may contain: every run of words in them is looked up."""
    return entities.names_among(conn, {run for row in rows for run in runs(row["text"])})


def _longer_names(conn: Connection, keys: list[int], names: list[entities.Alias]) -> list[entities.Alias]:
    """The longer names in these memories that contain one of these names: `Rosa Grizan` is no mention of `Rosa`."""
    short = {normal_name(one.name) for one in names}
    here = [entities.Alias(*row) for row in conn.execute(SELECT_NAMES_OF, {"keys": keys_json(keys)})]
    return [one for one in here if short & (runs(one.name) - {normal_name(one.name)})]


def _own_names(conn: Connection, rows: list[Any], about: Mapping[int, str]) -> dict[int, dict[int, tuple[str, str]]]:
    """For each memory, the entities of its subject (`about`), speakers and links, with the role and the words."""
    me = me_of(conn)
    links = {row["key"]: links_in(row, about.get(row["key"])) for row in rows}
    targets = link_names(conn, [link for found in links.values() for link in found])
    named = [
        (row["key"], role, name, target)
        for row in rows
        for role, name, target in (
            *((("title", row["title"], about[row["key"]]),) if row["key"] in about else ()),
            *(("speaker", name, name) for name in speakers_of(row["speaker"], me)),
            *(("wikilink", link.display, targets[link.target]) for link in links[row["key"]]),
        )
    ]
    known = entities.by_names(conn, {target for *_, target in named}, files="first")
    own: dict[int, dict[int, tuple[str, str]]] = {}
    for key, role, name, target in named:
        for entity in known.get(normal_name(target), ())[:1]:
            own.setdefault(key, {}).setdefault(entity.key, (role, name))
    return own


def _mention(
    memory_key: int,
    entity_key: int,
    role: str,
    surface: str,
    start: int | None = None,
    count: int = 1,
    bearers: int = 1,
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


def _mentions(row: Any, matches: Sequence[Match]) -> list[dict[str, Any]]:
    """The mentions in a text, one for each entity. A name of several entities mentions each, with less confidence."""
    memory_key, text = row["key"], row["text"]
    if row["written"] is not None:
        text = row["written"]
        matches = [Match(*as_written(text, (match.start, match.end)), match.ids) for match in matches]
    mentions: dict[int, dict[str, Any]] = {}
    for match in matches:
        for key in match.ids:
            if key in mentions:
                mentions[key]["count"] += 1
            else:
                surface = text[match.start : match.end]
                mentions[key] = _mention(memory_key, key, "text", surface, match.start, 1, len(match.ids))
    return list(mentions.values())
