"""A zip as a folder: which of the files in it are read, and why others are left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memkit.core.types import Failure, LeftOut
from memkit.sources import folder
from memkit.sources.contents import opened
from memkit.sources.detect import is_found_by_beginning
from memkit.sources.format import Format
from memkit.sources.gzips import ENDING
from memkit.sources.options import ReadOptions
from memkit.sources.sample import unpack_first
from memkit.sources.tars import NOWHERE, Tarred
from memkit.sources.zips import Packed, entries, is_hidden, leads_out, opened_zip

LEADS_OUT = "names that lead out of the zip; to read them, unpack it"
SAME_NAME = "of the name of another file in the zip"
BESIDE_EXPORT = "beside an export in its zip; to read them, unpack it"
OF_EXPORTS = (".json", ".html", ".csv", ".zip")  # what exports are made of, and show
AS_JSON = "pages of what lies beside them as JSON"


def sources(path: Path, options: ReadOptions, export: Format | None = None) -> Iterator[Packed | Failure | LeftOut]:
    """Each file in a zip that is to be read, and a LeftOut for each other one; none of those of the `export` in it."""
    visible, _ = folder.wanted()
    with opened(path, options) as stream, opened_zip(stream, options.limits) as archive:
        for name, why in options.packed.left_out.items() if isinstance(options.packed, Tarred) else ():
            # What a link was before is not forgotten because nobody can follow it now.
            yield (Failure if why == NOWHERE else LeftOut)(f"{path.as_posix()}/{name}", why)
        names, seen = set(archive.namelist()), set()
        beside: dict[Path, list[str]] = defaultdict(list)
        for name in names:
            if not name.endswith("/"):  # a folder
                beside[(path / name).parent].append(name.rpartition("/")[2])
        for entry in entries(archive, ".+"):
            packed = Packed(path / entry.filename, archive, entry)
            if is_hidden(entry.filename) or (export and export.owns(entry.filename, deeper=True)):
                continue
            if leads_out(entry.filename):
                yield LeftOut(f"{path.as_posix()}/{entry.filename}", LEADS_OUT)
                continue
            near = beside[packed.path.parent]
            why = SAME_NAME if packed.path in seen else _why_not(packed, names, near, visible, options)
            seen.add(packed.path)
            yield LeftOut(packed.path.as_posix(), why) if why else packed


def _why_not(packed: Packed, names: set[str], beside: list[str], visible: re.Pattern[str], options: ReadOptions) -> str:
    """Why a file is not read, of a zip with these `names` in it, some of them `beside` it; empty if it is."""
    inner, entry = packed.path, packed.entry.filename
    name = inner.name.lower()
    if "templates" in entry.lower().split("/")[:-1]:
        return folder.TEMPLATES
    if name.endswith(ENDING) and visible.match(name.removesuffix(ENDING)):
        return unpack_first(inner, "zip").reason
    if not visible.match(name) and not _is_found(packed, options):
        return folder.NO_FORMAT
    if why := folder.repeats(inner.name, beside):
        return why
    if folder.are_references(inner, beside, lambda most: packed.head(options.limits, most)):
        return folder.AGAIN
    return AS_JSON if inner.suffix == ".html" and f"{entry.removesuffix('.html')}.json" in names else ""


def _is_found(packed: Packed, options: ReadOptions) -> bool:
    """Whether a file with a name of no format begins as those that may have any name."""
    with suppress(OSError, ValueError):
        return is_found_by_beginning(packed.path, lambda most: packed.head(options.limits, most))
    return False


def beside(path: Path, options: ReadOptions, export: Format) -> Iterator[LeftOut]:
    """A LeftOut for each file in the zip of an export that may be a source of its own, such as a letter or a mail."""
    visible, _ = folder.wanted()
    with opened(path, options) as stream, opened_zip(stream, options.limits) as archive:
        for entry in entries(archive, ".+"):
            name = entry.filename.rpartition("/")[2].lower()
            known = is_hidden(entry.filename) or export.has_name(name) or name.endswith(OF_EXPORTS)
            if not known and visible.match(name):
                yield LeftOut(f"{path.as_posix()}/{entry.filename}", BESIDE_EXPORT)
