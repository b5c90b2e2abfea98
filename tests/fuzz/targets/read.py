"""The readers: a file of any bytes is read as drafts and failures, or refused with BadSource."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from fuzz import samples, soundness, values
from memkit.core.errors import BadSource
from memkit.sources import FORMATS, ReadOptions, read

BLOCK = 200


def make(random: Random) -> Any:
    """A file, with a format or none, and options."""
    format, name, data = samples.file(random)
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


class World:
    """An empty folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, case: Any) -> None:
        """Reads the file to its end."""
        path = self.folder / case["name"]
        path.write_bytes(case["data"])
        try:
            for one in read(path, format=case["format"], options=ReadOptions(**case["options"])):
                repr(one)
                json.dumps(asdict(one), ensure_ascii=False, default=str).encode()
        except BadSource as error:
            soundness.must(str(error), "an error without words")
        finally:
            path.unlink()

    def check(self) -> None:
        """Reading leaves nothing behind but what SQLite makes beside a database that is in WAL mode."""
        left = {path.name for path in self.folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}
        soundness.must(not left, f"left behind: {left}")

    def close(self) -> None:
        """Nothing is open."""
