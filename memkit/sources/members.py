"""The files that one export is made of: those of a folder, of a zip (and of the zips in it), or of a tar."""

from __future__ import annotations

import io
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memkit.sources.contents import opened, whole
from memkit.sources.cut_zips import is_zip
from memkit.sources.limits import OverLimit, ReadLimits
from memkit.sources.options import ReadOptions
from memkit.sources.zips import bounded, entries, opened_zip, unpacked

_DEEPEST = 3  # zips in zips
_OTHERS = re.compile(r"(?:^|/)(?:__MACOSX/|\._)")  # what macOS adds to a zip


def members(path: Path, options: ReadOptions, wanted: str) -> Iterator[tuple[str, bytes]]:
    """The name in the export and the bytes of each file whose own name matches a pattern, sorted by name.

    In a folder links are not followed. Raises OverLimit if together they unpack to more than `file_size`, and a
    ValueError (BrokenZip) for a broken archive.
    """
    if path.is_dir():
        yield from _in_folder(path, options, wanted)
        return
    with opened(path, options) as stream:
        yield from bounded(_in_archive(stream, options.limits, wanted, _DEEPEST), options.limits)


def is_zip_file(path: Path, options: ReadOptions) -> bool:
    """Whether a file is a zip, by its content."""
    with opened(path, options) as stream:
        return is_zip(stream)


def _in_folder(root: Path, options: ReadOptions, wanted: str) -> Iterator[tuple[str, bytes]]:
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if re.fullmatch(wanted, name) and not file.is_symlink():
                yield file.relative_to(root).as_posix(), whole(file, options)


def _in_archive(stream: BinaryIO, limits: ReadLimits, wanted: str, deepest: int) -> Iterator[tuple[str, bytes]]:
    if not is_zip(stream):
        yield from _in_tar(stream, limits, wanted)
        return
    with opened_zip(stream, limits) as archive:
        for entry in entries(archive, ".+"):
            name = entry.filename.rsplit("/", 1)[-1]
            if _OTHERS.search(entry.filename):
                continue
            if re.fullmatch(wanted, name):
                yield entry.filename, unpacked(archive, entry, limits)
            elif deepest and name.lower().endswith(".zip"):
                inner = io.BytesIO(unpacked(archive, entry, limits))
                if is_zip(inner):
                    yield from _in_archive(inner, limits, wanted, deepest - 1)


def _in_tar(stream: BinaryIO, limits: ReadLimits, wanted: str) -> Iterator[tuple[str, bytes]]:
    stream.seek(0)
    try:
        # Not packed: what is in it cannot be larger than the file itself.
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for number, entry in enumerate(archive):
                if number == limits.entries:
                    raise OverLimit("entries", limits, "files in the archive")
                if entry.isreg() and re.fullmatch(wanted, entry.name.rsplit("/", 1)[-1]):
                    yield entry.name, archive.extractfile(entry).read()  # type: ignore[union-attr]
    except tarfile.TarError as error:
        raise ValueError(f"the archive cannot be read: {error}") from error
