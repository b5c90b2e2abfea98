"""The SQL functions: any number of arguments of any type gives a value, and JSON where they promise JSON."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness, values
from memkit.frontends.sql_functions import ABOUT_A_DATABASE, ABOUT_A_TEXT, OPTIONS, register_sql_functions
from memkit.storage.driver import sqlite3

BLOCK = 100
COUNTS = {name: counts for name, (_, counts) in ABOUT_A_DATABASE.items()} | dict.fromkeys(ABOUT_A_TEXT, (1,))
JSON = ("recall", "entity_path", "entity_neighbors")
QUESTIONS = ("who planted the quince?", "Rosa", "Otto", "quince", "剪定", "Lund since 2024", "the quince")


def make(random: Random) -> Any:
    """A function and its arguments."""
    name = random.choice(list(COUNTS))
    return {"name": name, "given": [argument(random, place) for place in range(random.choice(COUNTS[name]))]}


def argument(random: Random, place: int) -> Any:
    """A value that SQL can hold; often a useful one, so that the arguments after it matter."""
    if place == 0 and random.random() < 0.3:
        return random.choice(QUESTIONS)
    if place == 2 and random.random() < 0.8:
        given = {random.choice(OPTIONS): values.tree(random, 1) for _ in range(random.randrange(4))}
        return json.dumps(given) if random.random() < 0.9 else values.spliced(random, json.dumps(given))
    if place == 1 and random.random() < 0.3:
        return random.randrange(60)
    found = values.scalar(random)
    if random.random() < 0.1:
        return values.text(random).encode("utf-8", "surrogatepass")
    return json.dumps(found) if isinstance(found, list | dict) else found


class World:
    """A database that can only be read, with the functions."""

    def __init__(self, folder: Path):
        self.db = databases.copy()
        register_sql_functions(self.db.conn)

    def run(self, case: Any) -> None:
        """Calls the function. Values that SQLite itself cannot bind are no input."""
        marks = ", ".join("?" * len(case["given"]))
        try:
            found = self.db.conn.execute(f"select {case['name']}({marks})", case["given"]).fetchone()[0]
        except (OverflowError, UnicodeEncodeError):
            return
        except sqlite3.DataError as error:
            soundness.must("too big" in str(error), str(error))
            return
        if case["name"] in JSON and found is not None:
            assert isinstance(json.loads(found), list)
        if isinstance(found, str) and '"error"' in found and found.startswith(("{", "[")):
            said = json.loads(found)
            one = said[0] if isinstance(said, list) and said else said
            error = one.get("error", "") if isinstance(one, dict) else ""
            assert "failed:" not in error, error

    def check(self) -> None:
        """The functions only read, but a reader can leave a transaction open."""
        assert not self.db.conn.in_transaction
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
