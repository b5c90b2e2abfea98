"""Publishing: choose, take out what is private, build, prove, and put in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import driver
from memkit.errors import BadQuestion
from memkit.publish import again, files
from memkit.publish.about import About
from memkit.publish.build import build, own_texts
from memkit.publish.cleaning import Cleaner, Redaction, Replaced, owners, redactor
from memkit.publish.files import DATABASE, INSPECTED, MARKER, Marked
from memkit.publish.ids import Ids
from memkit.publish.names import OWN_WORDS
from memkit.publish.options import options
from memkit.publish.proof import leaks
from memkit.publish.report import Leaked, PublishReport
from memkit.publish.rows import Rows, rows, texts
from memkit.publish.selection import chosen, kept
from memkit.publish.staging import marker, replacing

if TYPE_CHECKING:
    from memkit.embed import Embedder

SELECT_FILE = "select file from pragma_database_list where name = 'main'"
SELECT_HASHES = "select id, hash from memories"
COUNTED = {"entities": "select count(*) from entities", "relations": "select count(*) from relations"}
_PLACE = re.compile(r"(?:^|[:/])(?:[/~]|\.\.?/)|\\")  # in a model's name: a folder or an address

Review = Callable[[Replaced], bool]


def publish(
    conn: Any,
    out: str | Path,
    given: Mapping[str, Any],
    *,
    now: str,
    embedder: Embedder | None = None,
    review: Review | None = None,
    dry_run: bool = False,
    anew: bool = False,
) -> PublishReport:
    """Writes the chosen memories, and nothing else, into a folder that Datasette serves; what that did.

    `given` are named options (`options.named`); of a folder that was published before, the others are as they were,
    unless it is to be published `anew`. `embedder` stands for the option `embed`. `review` is asked about each
    different text that redaction would take out: False spares it. `dry_run` chooses and redacts, and writes nothing.
    Raises BadQuestion for a selection of nothing and for a model that readers cannot have, Ambiguous for a name that is
    a common word, NotOurs for a folder of somebody else's, and Leaked (nothing is published then) if the proof finds
    anything.
    """
    folder = Path(out).absolute()
    said = marker(folder)
    _apart_from(folder, conn)
    record = again.joined({} if anew else again.before(conn, folder, said, given), given)
    asked = options(folder, record)
    embedder = _readable(embedder or _embedder(asked.embed))
    keep = kept(asked.keep)
    keys = chosen(conn, asked.selection, now, keep)
    made = f"{now[:10]}T00:00:00Z"  # to the hour it would tell when its owner is awake
    ids = Ids.of(conn, folder.name)
    redaction = asked.redaction
    if review is not None:
        redaction = _reviewed(conn, keys, ids, redaction, keep, made, review)
        record = again.joined(record, {"spare": list(redaction.spare)})
    clean = Cleaner(redactor(conn, redaction), redaction.spare)
    about = _said(asked.about, folder.name, clean, owners(conn, redaction))
    if dry_run:
        return _report(folder, rows(conn, keys, ids, clean, keep, made), clean, {}, 0, dry_run=True)
    mark = Marked(ids.name, made, tuple(sorted(keep)), again.number(ids, folder, record), redaction.own)
    with replacing(folder) as staging:
        found = build(conn, keys, staging / DATABASE, ids=ids, clean=clean, embedder=embedder, now=made, keep=keep)
        counts = _counts(staging / DATABASE, found)
        own = [*own_texts(embedder), *_write_files(staging, about, counts, mark), *OWN_WORDS, again.OWN_NAMES]
        if leaked := leaks(conn, staging, [*texts(conn, found, clean), *about.texts], own, clean.originals):
            raise Leaked(leaked)
        size = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file())
        remembered = again.keep(conn, mark.asked, record)
        report = _report(folder, found, clean, counts, size, kept=remembered)
    if said is not None and said.get("asked") != mark.asked:
        again.drop(conn, said.get("asked"))
    return report


def _embedder(name: str | None) -> Embedder | None:
    from memkit.embed import load_embedder

    return None if name == "none" else load_embedder(name)


def _readable(embedder: Embedder | None) -> Embedder | None:
    """The same model, if readers can have it, too. Raises BadQuestion."""
    if embedder is not None and _PLACE.search(embedder.id):
        raise BadQuestion(
            f"{embedder.id!r} is a place that readers cannot load a model from, and it would be told to them. "
            "Take the built-in model, one by its name, or none (--no-embed)."
        )
    return embedder


def _reviewed(
    conn: Any, keys: list[int], ids: Ids, asked: Redaction, keep: frozenset[str], now: str, review: Review
) -> Redaction:
    """The redaction without what its owner wants to leave in: each different text is shown once."""
    clean = Cleaner(redactor(conn, asked), asked.spare)
    rows(conn, keys, ids, clean, keep, now)
    each = {one.replacement.original: one for one in reversed(clean.replaced)}
    spare = [original for original, one in reversed(each.items()) if not review(one)]
    return replace(asked, spare=(*asked.spare, *spare))


def _apart_from(folder: Path, conn: Any) -> None:
    """Raises BadQuestion for a folder that the private database itself lies in: it would be put aside with it."""
    file = conn.execute(SELECT_FILE).fetchone()[0]
    if file and folder.resolve() in Path(file).resolve().parents:
        raise BadQuestion(f"The database itself is in {folder}, and would be published with it. Move it first.")


def _said(about: About, folder: str, clean: Cleaner, own: Cleaner) -> About:
    """What the owner says of it all, without what is taken out. The title may be a project's name, and goes as one.

    Raises BadQuestion for a folder whose name would have to be another one.
    """
    if own.name(folder) != folder:
        raise BadQuestion(f"The folder's name {folder!r} says what is to be taken out. Give it another one.")
    return replace(
        about,
        title=clean.name(about.title),
        description=own.name(about.description),
        license=own.name(about.license),
        license_url=own.name(about.license_url),
        about=own.name(about.about),
    )


def _counts(file: Path, found: Rows) -> dict[str, int]:
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        counts = {table: conn.execute(query).fetchone()[0] for table, query in COUNTED.items()}
    finally:
        conn.close()
    return {"memories": len(found.memories), "documents": len(found.documents), **counts}


def _write_files(folder: Path, about: About, counts: dict[str, int], mark: Marked) -> list[str]:
    """Writes everything beside the database; the texts that were written."""
    written = files.texts(about, counts)
    written[INSPECTED] = files.inspected(folder / DATABASE)
    written[MARKER] = files.marked(mark, about, counts, [DATABASE, *written])
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [*written.values()]


def hashes(file: Path) -> dict[str, str]:
    """The public ids in a published database, each with the hash of what it says; none if there is no such file."""
    if not file.is_file():
        return {}
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        return {row["id"]: row["hash"] for row in conn.execute(SELECT_HASHES)}
    finally:
        conn.close()


def _report(
    folder: Path,
    found: Rows,
    clean: Cleaner,
    counts: dict[str, int],
    size: int,
    *,
    dry_run: bool = False,
    kept: bool = True,
) -> PublishReport:
    before = hashes(folder / DATABASE)
    after = {row["id"]: row["hash"] for row in found.memories.values()}
    return PublishReport(
        folder=str(folder),
        memories=len(after),
        documents=len(found.documents),
        entities=counts.get("entities", 0),
        relations=counts.get("relations", 0),
        bytes=size,
        new=tuple(id for id in after if id not in before),
        changed=tuple(id for id, hash in after.items() if before.get(id, hash) != hash),
        gone=tuple(id for id in before if id not in after),
        replaced=tuple(clean.replaced),
        dry_run=dry_run,
        kept=kept,
    )
