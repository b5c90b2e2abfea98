"""Damaged memory files: flipped bytes, cut pages, foreign rows. Every call answers, or says in words what is wrong."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from fuzz import databases, soundness
from memkit import MemkitError, MemoryDatabase
from memkit.storage import doctor
from memkit.storage.driver import sqlite3

BLOCK = 20


@cache
def sound_file() -> bytes:
    """The bytes of a small memory database."""
    with TemporaryDirectory() as folder:
        with databases.copy() as db:
            db.conn.execute("vacuum into ?", [f"{folder}/small.db"])
        return Path(f"{folder}/small.db").read_bytes()


def make(random: Random) -> Any:
    """Places of the file and the bytes to put there; or a length to cut it to."""
    size = len(sound_file())
    patches = []
    for _ in range(random.choice((1, 1, 2, 8, 40))):
        place = random.choice((random.randrange(size), random.randrange(120), random.randrange(size // 4096) * 4096))
        patches.append([place, random.randbytes(random.choice((1, 1, 4, 60)))])
    return {"patches": patches, "cut": random.randrange(size) if random.random() < 0.1 else size}


class World:
    """A folder for the damaged file."""

    def __init__(self, folder: Path):
        self.file = folder / "damaged.db"

    def run(self, case: Any) -> None:
        """Opens it, asks it, writes to it, and has it looked at by `doctor`."""
        data = bytearray(sound_file())
        for place, patch in case["patches"]:
            data[place : place + len(patch)] = patch
        self.file.write_bytes(bytes(data[: case["cut"]]))
        repr(doctor.doctor(self.file))
        for work in (_reads, _writes):
            try:
                with MemoryDatabase(self.file, embed="none") as db:
                    work(db)
            except MemkitError as error:
                soundness.must(str(error), "an error without words")
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # also a message with damaged text in it
                soundness.must(str(error), "an error without words")
        for file in self.file.parent.glob("damaged.db*"):
            file.unlink()

    def check(self) -> None:
        """It was damaged before."""

    def close(self) -> None:
        """Nothing is open."""


def _reads(db: Any) -> None:
    db.info()
    repr(db.recall("who planted the quince?"))
    repr(db.about("Rosa"))


def _writes(db: Any) -> None:
    kept = db.remember("A new day begins.", now=databases.NOW)
    db.forget(kept.id, now=databases.NOW)
    db.maintain(now=databases.NOW)
