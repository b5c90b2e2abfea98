"""The readers: a file of any bytes is read as drafts and failures, or refused with BadSource.

A failure that says no more than which exception there was is a finding, too: the reader did not foresee it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from fuzz import samples, soundness, values
from memkit.core.errors import BadSource
from memkit.core.types import Failure
from memkit.sources import FORMATS, ReadOptions, read
from memkit.sources.guard import UNEXPECTED

BLOCK = 200


def make(random: Random) -> Any:
    """A file, with a format or none, and options; now and then in a folder, which is read as a whole."""
    format, name, data = samples.file(random)
    if random.random() < 0.1:
        name = f"notes/{name}"
    said = random.random()
    options = {
        flag: random.random() < 0.5 for flag in ("include_tools", "include_system", "include_thinking") if said < 0.3
    }
    if said < 0.05:
        options[random.choice(("text_column", "id_column", "session_column"))] = values.valid_text(random, 2) or "text"
    return {
        "format": format if said < 0.5 else None if said < 0.95 else random.choice(list(FORMATS)),
        "name": name,
        "data": data,
        "options": options,
    }


@contextmanager
def written(folder: Path, case: Any) -> Iterator[Path]:
    """The file of a case, or the folder in which it lies, as long as the block goes on."""
    file = folder / case["name"]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(case["data"])
    top = folder / Path(case["name"]).parts[0]
    try:
        yield top
    finally:
        file.unlink()
        shutil.rmtree(top, ignore_errors=True)


class World:
    """An empty folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, case: Any) -> None:
        """Reads the file to its end."""
        with written(self.folder, case) as path:
            self._read(path, case)

    def _read(self, path: Path, case: Any) -> None:
        try:
            for one in read(path, format=case["format"], options=ReadOptions(**case["options"])):
                repr(one)
                if isinstance(one, Failure) and UNEXPECTED in one.reason:
                    raise soundness.Harmed(re.sub(r".*\((?=\w+: )", "", one.reason))  # a reader's own mistake
                json.dumps(asdict(one), ensure_ascii=False, default=str).encode()
        except BadSource as error:
            soundness.must(str(error), "an error without words")

    def check(self) -> None:
        """Reading leaves nothing behind but what SQLite makes beside a database that is in WAL mode."""
        left = {path.name for path in self.folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}
        soundness.must(not left, f"left behind: {left}")

    def close(self) -> None:
        """Nothing is open."""
