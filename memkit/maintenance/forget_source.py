"""Forgetting a source: all that a file, a folder, or one document said is taken back in one run, and can come back.

What another file says as well stays. An ingest leaves the source out from then on, until it is brought back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memkit.core.errors import MemkitError, NotFound
from memkit.core.files import whole_path
from memkit.core.formatting import counted, html_table
from memkit.core.frames import OneRow
from memkit.ingestion import origins, own_voice, projects, sync
from memkit.ingestion.forgotten import FORGOTTEN
from memkit.ingestion.forgotten_sources import Forgotten, hashed, is_in
from memkit.maintenance import forget, unforget
from memkit.maintenance.run_context import RunContext
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.json_columns import or_empty
from memkit.storage.store import keys_json

SUGGESTED = 5  # sources that a message names

SELECT_DOCUMENTS = "select key, id, source, title from documents order by source"
SELECT_MEMORIES = f"""
select key, id, document_key, archived_at is null and text <> '' as is_current,
    coalesce(json_extract({or_empty("meta")}, '$.archived_because'), '') = :forgotten as is_forgotten
from memories
where document_key in (select value from json_each(:documents)) or key in (select value from json_each(:keys))
order by key
"""
SELECT_DOCUMENTS_OF = """
select distinct document_key from memories
where key in (select value from json_each(:keys)) and document_key is not null
"""
SELECT_SAYING_MORE = """
select distinct document_key from memories
where document_key in (select value from json_each(:documents)) and key not in (select value from json_each(:keys))
    and archived_at is null
"""
DELETE_EMPTY = """
delete from documents
where key in (select value from json_each(:documents))
    and not exists (select 1 from memories as m where m.document_key = documents.key)
"""


@dataclass
class ForgetReport(OneRow):
    """What forgetting a source has hidden, or deleted with `hard`: how many memories of how many documents.

    `undo(run)` brings it back. `kept` counts memories that stay, by the file that says them as well. `unfollowed` are
    the paths that `sync` no longer reads. With `dry_run` nothing was done.
    """

    run: str
    memories: int = 0
    documents: int = 0
    kept: dict[str, int] = field(default_factory=dict)
    unfollowed: list[str] = field(default_factory=list)
    hard: bool = False
    dry_run: bool = False

    @property
    def told(self) -> str:
        """What was done, in a sentence: `1,203 memories of 14 documents hidden`; `Would hide ...` of a dry run."""
        what = f"{counted(self.memories, 'memories')} of {counted(self.documents, 'documents')}"
        if self.dry_run:
            return f"Would delete {what} for good" if self.hard else f"Would hide {what}"
        return f"{what} {'deleted for good' if self.hard else 'hidden'}"

    def __repr__(self) -> str:
        return f"<ForgetReport {self.told}>"

    def _repr_html_(self) -> str:
        caption = "What would be forgotten" if self.dry_run else "Forgotten"
        row = [str(self.memories), str(self.documents), self.run]
        return html_table(caption, ["memories", "documents", "run"], [row])


class _Document(NamedTuple):
    key: int
    id: str
    source: str
    title: str | None


class _Chosen(NamedTuple):
    """What was named: paths, the documents and files there, and of the documents those that were named themselves.

    A file says memories of documents that are not called by its path, such as the chats of an export.
    """

    paths: list[str]
    documents: dict[int, _Document]
    named: set[int]
    files: dict[str, list[origins.Range]]
    others: dict[str, list[origins.Range]]


def forget_source(
    work: RunContext, names: Sequence[str], title: str | None, *, hard: bool, dry_run: bool
) -> tuple[ForgetReport, forget.Hidden | None]:
    """What was forgotten. Raises NotFound for an unknown source."""
    conn, report = work.conn, ForgetReport(work.run, hard=hard, dry_run=dry_run)
    all_documents, forgotten = _documents(conn), Forgotten(conn)
    chosen = _chosen(conn, all_documents, names, title)
    if not chosen.documents and not chosen.files:
        raise NotFound(_unknown(all_documents, names, title))
    said, report.kept = _said(conn, chosen, forgotten)
    going = [row for row in said if hard or not row["is_forgotten"]]
    counting = [row for row in going if hard or row["is_current"]]
    report.memories, report.documents = len(counting), len({row["document_key"] for row in counting})
    if dry_run:
        return report, None
    marks = [*chosen.paths, *_marked(conn, chosen, all_documents, said)]
    if hard:
        forgotten.lift(marks)
    forgotten.add(map(hashed, marks) if hard else marks, work.run)
    report.unfollowed = sync.unfollow(conn, chosen.paths)
    ids = [row["id"] for row in going]
    gone = (forget.forget(work, ids) if hard else forget.hide(work, ids, why=forget.WITH_SOURCE)) if ids else None
    if hard:
        _forget_names(conn, chosen)
    return report, gone


def bring_back(work: RunContext, names: Sequence[str], title: str | None) -> tuple[ForgetReport, list[str], set[int]]:
    """What came back, by ids, too, and the keys of what needs new vectors; an ingest reads these sources again.

    Raises NotFound for what was not forgotten, MemkitError for a part of what was.
    """
    conn, report = work.conn, ForgetReport(work.run)
    all_documents, forgotten = _documents(conn), Forgotten(conn)
    chosen = _chosen(conn, all_documents, names, title)
    meant = [*chosen.paths, *(chosen.documents[key].source for key in chosen.named)]
    here = {row["id"]: row["document_key"] for row in _rows(conn, chosen) if row["is_forgotten"]}
    sources = [all_documents[key].source for key in {*here.values(), *chosen.documents} if key in all_documents]
    lifted = forgotten.within([*chosen.paths, *names] if title is None else [])
    runs = {forgotten.runs[name] for name in lifted}
    lifted += [one for one in sources if one in forgotten.runs and (not runs or forgotten.runs[one] in runs)]
    if not lifted and not any(map(forgotten.above, meant)):
        raise NotFound(_not_forgotten(forgotten, names, title))
    hidden = {run: unforget.hidden_by(conn, run) for run in sorted({forgotten.runs[name] for name in lifted})}
    came = [[one for one in changes if one.memory_id in here] for changes in hidden.values()]
    around = {key for changes in came for key in unforget.bring_back_all(conn, changes, work.now)}
    forgotten.lift(lifted)
    if whole := next(filter(None, map(forgotten.above, meant)), None):
        raise MemkitError(f"{whole} was forgotten as a whole, so only all of it can be brought back.")
    back = [here[one.memory_id] for changes in came for one in changes]
    report.memories, report.documents = len(back), len(set(back))
    sync.read_again(conn, chosen.paths)
    return report, [one.memory_id for changes in came for one in changes], around


def forgotten_names(conn: Connection) -> list[str]:
    """The sources that were forgotten and can be brought back, without those that went along with another one."""
    runs = Forgotten(conn).runs
    paths = {run for name, run in runs.items() if os.path.isabs(name)}
    return sorted(name for name, run in runs.items() if os.path.isabs(name) or (name[:1] != "#" and run not in paths))


# ---------------------------------------------------------------------------------------------- what was named


def _documents(conn: Connection) -> dict[int, _Document]:
    return {row[0]: _Document(*row) for row in conn.execute(SELECT_DOCUMENTS)}


def _chosen(conn: Connection, documents: dict[int, _Document], names: Sequence[str], title: str | None) -> _Chosen:
    """The sources with these names (paths, or what a document is called), or of these the documents with a title."""
    files = origins.files(conn)
    called = {name: one for one in documents.values() for name in (one.id, one.source) if not os.path.isabs(name)}
    named = {called[name].key for name in names if name in called}
    paths = [whole_path(name).as_posix() for name in names if name not in called]
    said = {file: ranges for file, ranges in files.items() if is_in(file, paths)}
    found = {key for key, one in documents.items() if is_in(one.source, paths)} | named
    if title is not None:
        within = {row[0] for row in conn.execute(SELECT_DOCUMENTS_OF, {"keys": keys_json(_keys_of(said))})}
        there = found | within if names else documents.keys()
        wanted = title.strip().casefold()
        named = found = {key for key in there if (documents[key].title or "").strip().casefold() == wanted}
        paths, said = [], {}
    others = {file: ranges for file, ranges in files.items() if file not in said}
    return _Chosen(paths, {key: documents[key] for key in sorted(found)}, named, said, others)


def _keys_of(files: Mapping[str, list[origins.Range]]) -> set[int]:
    return {key for ranges in files.values() for key in origins.keys_in(ranges)}


def _rows(conn: Connection, chosen: _Chosen) -> list[Any]:
    parameters = {
        "documents": keys_json(chosen.documents),
        "keys": keys_json(_keys_of(chosen.files)),
        "forgotten": FORGOTTEN,
    }
    return list(conn.execute(SELECT_MEMORIES, parameters))


def _said(conn: Connection, chosen: _Chosen, forgotten: Forgotten) -> tuple[list[Any], dict[str, int]]:
    """The memories of these sources that no other file says as well; how many another one does, by the file.

    Of a document that was named itself, all memories are meant.
    """
    rows = _rows(conn, chosen)
    shared = {row["key"]: row["is_current"] for row in rows if row["document_key"] not in chosen.named}
    kept: dict[str, int] = {}
    staying: set[int] = set()
    for file, ranges in chosen.others.items():
        also = shared.keys() & origins.keys_in(ranges)
        if also and not forgotten.above(file):
            staying |= also
            kept[file] = sum(shared[key] for key in also)
    return [row for row in rows if row["key"] not in staying], {file: count for file, count in kept.items() if count}


def _marked(conn: Connection, chosen: _Chosen, documents: Mapping[int, _Document], said: Sequence[Any]) -> list[str]:
    """The documents that are forgotten with these memories, but for those that are in a forgotten path."""
    whole = {row["document_key"] for row in said} | chosen.named
    parameters = {"documents": keys_json(whole - {None}), "keys": keys_json(row["key"] for row in said)}
    whole -= {row[0] for row in conn.execute(SELECT_SAYING_MORE, parameters)} - chosen.named
    sources = [documents[key].source for key in sorted(whole - {None})]
    return [one for one in sources if not is_in(one, chosen.paths)]


def _forget_names(conn: Connection, chosen: _Chosen) -> None:
    """Deletes what the settings say of these paths, and documents of which nothing is left."""
    origins.forget_files(conn, chosen.files)
    for name in (projects.NAMED, own_voice.SETTING):
        known = store.setting(conn, name, {})
        left = {path: value for path, value in known.items() if not is_in(path, chosen.paths)}
        if left != known:
            store.set_setting(conn, name, left)
    conn.execute(DELETE_EMPTY, {"documents": keys_json(chosen.documents)})


# ---------------------------------------------------------------------------------------------- messages


def _unknown(documents: Mapping[int, _Document], names: Sequence[str], title: str | None) -> str:
    if title is not None:
        return f"Nothing here has the title {title!r}" + (f" in {', '.join(names)}." if names else ".")
    said = f"Nothing here was read from {', '.join(names)}."
    ends = tuple(f"/{os.path.basename(whole_path(name))}" for name in names)
    alike = sorted(one.source for one in documents.values() if one.source.endswith(ends))[:SUGGESTED]
    if alike:
        return f"{said} Did you mean {' or '.join(alike)}?"
    return (
        f"{said} An older memkit did not note which file a chat or a mail is from: ingest it once more, then forget it."
    )


def _not_forgotten(forgotten: Forgotten, names: Sequence[str], title: str | None) -> str:
    what = ", ".join(names) or f"a document with the title {title!r}"
    return f"{what} was not forgotten. `memkit unprune DATABASE` lists what was."
