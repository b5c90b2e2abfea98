"""Publishing run: select memories, redact them, build the folder, check it for leaks, and put it in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadQuestion
from memkit.core.files import expanded
from memkit.sharing.publish import files, republish
from memkit.sharing.publish.build import build, own_texts
from memkit.sharing.publish.difference import Difference
from memkit.sharing.publish.files import INSPECTED, MARKER, Marked, database
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.manifest import About, first_usable
from memkit.sharing.publish.names import OWN_WORDS
from memkit.sharing.publish.options import options
from memkit.sharing.publish.proof import leaks
from memkit.sharing.publish.redaction import Cleaner, Redaction, Replaced, cleaner, owners
from memkit.sharing.publish.report import Leaked, PublishReport
from memkit.sharing.publish.rows import PublishedRows, rehearse
from memkit.sharing.publish.spool import Spool
from memkit.sharing.publish.staging import marker, replacing
from memkit.sharing.publish.suspects import standing, suspects
from memkit.sharing.selection import kept_fields, selected_keys
from memkit.storage import driver
from memkit.storage.connection import Connection

if TYPE_CHECKING:
    from memkit.embedding import Embedder

SELECT_HASHES = "select id, hash from memories"
COUNTED = {
    "memories": "select count(*) from memories",
    "entities": "select count(*) from entities",
    "relations": "select count(*) from relations",
}
_PLACE = re.compile(r"(?:^|[:/])(?:[/~]|\.\.?/)|\\")  # a path or an address in the name of a model

Review = Callable[[Replaced], bool]


def publish(
    conn: Connection,
    out: str | Path,
    given: Mapping[str, Any],
    *,
    now: str,
    embedder: Embedder | None = None,
    review: Review | None = None,
    dry_run: bool = False,
    anew: bool = False,
) -> PublishReport:
    """The report of a publication: the chosen memories, and nothing else, in a folder that Datasette serves.

    `given` are named options (`options.named`). If the folder was published before, all other options stay as they
    were, unless `anew` is set. `embedder` replaces the option `embed`. `review` is called for each different text that
    redaction would replace; False keeps it. With `dry_run`, memories are selected and redacted, and nothing is written.

    Raises BadQuestion for an empty selection and for a model that readers cannot load, Ambiguous for a name that is
    also a common word, NotOurs for a folder that memkit did not publish, and Leaked if the check finds private text;
    nothing is published then.
    """
    folder = expanded(out).absolute()
    said = marker(folder)
    _apart_from(folder, conn)
    before = republish.previous_about(said)
    record = republish.merged_request({} if anew else republish.previous_request(conn, folder, said, given), given)
    asked = options(folder, record)
    embedder = _readable(embedder or _embedder(asked.embed))
    keep = kept_fields(asked.keep)
    keys = selected_keys(conn, asked.selection, now, keep)
    made = f"{now[:10]}T00:00:00Z"  # only the day: the hour would tell when the owner is awake
    ids = Ids.of(conn, folder.name)
    redaction = asked.redaction
    if review is not None:
        redaction = _reviewed(conn, keys, ids, redaction, keep, made, review)
        record = republish.merged_request(record, {"spare": list(redaction.spare)})
    clean = cleaner(conn, redaction, keys)
    named = asked.about.name or (before.name if before and not anew else "")
    about = _said(asked.about, named, folder.name, clean, owners(conn, redaction))
    difference = Difference(hashes(database(folder, before)) if before else {})
    found = PublishedRows(conn, keys, ids, clean, keep, made)
    with driver.in_passing(conn), closing(Spool()) as public:
        if dry_run:
            rehearse(conn, found, public, difference.add)
            return _report(folder, found, public, {}, 0, about, difference, dry_run=True)
        mark = Marked(ids.name, made, tuple(sorted(keep)), republish.number(ids, folder, record), redaction.own)
        with replacing(folder) as staging:
            file = database(staging, about)
            build(conn, found, file, embedder=embedder, said=public, report=difference.add)
            counts = _counts(file, found)
            own = [*own_texts(embedder), *_write_files(file, about, counts, mark), *OWN_WORDS, republish.OWN_NAMES]
            if leaked := leaks(conn, staging, chain(public, about.texts), own, clean.gone(conn)):
                raise Leaked(leaked)
            size = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file())
            remembered = republish.save_request(conn, mark.asked, record)
            report = _report(folder, found, public, counts, size, about, difference, kept=remembered)
    if said is not None and said.get("asked") != mark.asked:
        republish.drop(conn, said.get("asked"))
    return report


def _embedder(name: str | None) -> Embedder | None:
    from memkit.embedding import load_embedder

    return None if name == "none" else load_embedder(name)


def _readable(embedder: Embedder | None) -> Embedder | None:
    """The embedder itself. Raises BadQuestion if its model is at a path or address that readers cannot use."""
    if embedder is not None and _PLACE.search(embedder.id):
        raise BadQuestion(
            f"{embedder.id!r} is a path or address from which readers cannot load a model, and they would see it. "
            "Use the built-in model, a model by its name, or none (--no-embed)."
        )
    return embedder


def _reviewed(
    conn: Connection, keys: list[int], ids: Ids, asked: Redaction, keep: frozenset[str], now: str, review: Review
) -> Redaction:
    """The redaction, with the texts that the owner wants to keep as `spare`. Each different text is shown once."""
    clean = cleaner(conn, asked, keys)
    for _ in PublishedRows(conn, keys, ids, clean, keep, now).pairs():
        pass
    each = {one.replacement.original: one for one in reversed(clean.replaced)}
    spare = [original for original, one in reversed(each.items()) if not review(one)]
    return replace(asked, spare=(*asked.spare, *spare))


def _apart_from(folder: Path, conn: Connection) -> None:
    """Raises BadQuestion if the private database is inside the folder, because the folder is replaced."""
    file = driver.file_of(conn)
    if file and folder.resolve() in Path(file).resolve().parents:
        raise BadQuestion(
            f"The private database is in {folder} and would be published, too. Move it, or choose another folder."
        )


def _said(about: About, named: str, folder: str, clean: Cleaner, own: Cleaner) -> About:
    """The owner's texts after redaction. The title may be the name of a project, so all rules apply to it.

    The database is named after `named`, or else after the title. If it was named in an earlier publication after words
    that are redacted now, it gets another name.
    Raises BadQuestion if the name of the folder itself would be redacted.
    """
    if own.name(folder) != folder:
        raise BadQuestion(f"The name of the folder, {folder!r}, contains text that is redacted. Choose another name.")
    title = clean.name(about.title)
    return replace(
        about,
        title=title,
        name=first_usable(clean.name(named), title, folder),
        description=own.name(about.description),
        license=own.name(about.license),
        license_url=own.name(about.license_url),
        about=own.name(about.about),
    )


def _counts(file: Path, found: PublishedRows) -> dict[str, int]:
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        counts = {table: conn.execute(query).fetchone()[0] for table, query in COUNTED.items()}
    finally:
        conn.close()
    return {"memories": counts["memories"], "documents": len(found.documents), **counts}


def _write_files(file: Path, about: About, counts: dict[str, int], mark: Marked) -> list[str]:
    """Writes all files beside the database `file`; returns their texts."""
    written = files.texts(about, counts, mark.made)
    written[INSPECTED] = files.inspected(file)
    written[MARKER] = files.marked(mark, about, counts, [file.name, *written])
    for path, text in written.items():
        (file.parent / path).parent.mkdir(parents=True, exist_ok=True)
        (file.parent / path).write_text(text, encoding="utf-8")
    return [*written.values()]


def hashes(file: Path) -> dict[str, str]:
    """The public ids in a published database, each with the hash of its memory; empty if there is no such file."""
    if not file.is_file():
        return {}
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        return {row["id"]: row["hash"] for row in conn.execute(SELECT_HASHES)}
    finally:
        conn.close()


def _report(
    folder: Path,
    found: PublishedRows,
    public: Iterable[str],
    counts: dict[str, int],
    size: int,
    about: About,
    difference: Difference,
    *,
    dry_run: bool = False,
    kept: bool = True,
) -> PublishReport:
    return PublishReport(
        folder=str(folder),
        database=str(database(folder, about)),
        memories=counts.get("memories", len(found)),
        documents=len(found.documents),
        entities=counts.get("entities", 0),
        relations=counts.get("relations", 0),
        bytes=size,
        new=tuple(difference.new),
        changed=tuple(difference.changed),
        gone=difference.gone,
        replaced=tuple(found.clean.replaced),
        suspects=suspects(public, found.clean.spare),
        standing=standing(public, found.clean.plain_keys),
        dry_run=dry_run,
        kept=kept,
    )
