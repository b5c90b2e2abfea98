"""A life: public methods that write, in any order, with any arguments; the database and its texts stay whole."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness, values
from fuzz.targets.question import show
from memkit import MemkitError

BLOCK = 40
FIELDS = (
    *("kind", "title", "speaker", "category", "tags", "project", "slot", "key", "importance", "confidence"),
    *("happened_at", "valid_from", "valid_until", "expires_at", "meta"),
)
# The positional arguments of each call: a name, an id, a text, or any value.
CALLS: dict[str, tuple[str, ...]] = {
    "remember": ("text",),
    "correct": ("id", "text"),
    "forget": ("id",),
    "relate": ("name", "text", "name"),
    "merge": ("name", "name"),
    "unmerge": ("name",),
    "link": ("id", "id"),
    "supersede": ("id", "id"),
    "feedback": ("id", "flag", "text"),
    "undo": ("change",),
    "unprune": ("id",),
    "ingest": ("rows",),
    "maintain": (),
    "observe": ("turns",),
    "compact": ("turns", "count"),
    "reflect": (),
    "prune": (),
    "recall": ("text",),
}
OPTIONS = {
    "forget": ("hard",),
    "link": ("type", "weight", "why"),
    "relate": ("memory", "quote", "confidence", "valid_from", "valid_until"),
    "recall": ("ledger", "track"),
    "maintain": ("only",),
    "correct": ("why", *FIELDS[:4]),
    "remember": FIELDS,
    "supersede": ("why",),
}


def make(random: Random) -> Any:
    """A call and its arguments; ids and names that exist are given by their number."""
    call = random.choice([*CALLS, "remember", "remember", "ingest", "ingest"])
    given: dict[str, Any] = {}
    for name in OPTIONS.get(call, ()):
        if random.random() < 0.2:
            given[name] = option(random, name)
    if random.random() < 0.1:
        given["now"] = random.choice((*values.TIMES, values.scalar(random)))
    return {"call": call, "arguments": [argument(random, one) for one in CALLS[call]], "given": given}


def option(random: Random, name: str) -> Any:
    """A value that may fit the option."""
    if name in ("hard", "ledger", "track") and random.random() < 0.9:
        return True
    if name == "tags":
        return random.choice(([values.text(random, 2)], values.tree(random, 2)))
    if name == "meta":
        return values.tree(random, 3) if random.random() < 0.3 else {values.text(random, 2): values.tree(random, 2)}
    if name.startswith("valid") or name.endswith("_at"):
        return random.choice((*values.TIMES, values.scalar(random)))
    return random.choice((values.text(random, 3), values.scalar(random), "user", "fact", "garden"))


def argument(random: Random, kind: str) -> Any:
    """An argument; a number stands for something that exists."""
    if kind in ("id", "name", "change"):
        return random.randrange(40) if random.random() < 0.85 else values.text(random, 2)
    if kind == "count":
        return random.choice((1, 20, 1000, values.text(random, 2)))
    if kind == "flag":
        return random.random() < 0.5
    if kind == "rows":
        rows = [
            {"text": values.text(random), "session": random.choice("ab"), "id": random.randrange(4)} for _ in range(3)
        ]
        return [values.changed(random, row) if random.random() < 0.3 else row for row in rows]
    if kind == "turns":
        turns = [{"role": random.choice(("user", "assistant")), "content": values.text(random)} for _ in range(4)]
        return [values.changed(random, turn) if random.random() < 0.2 else turn for turn in turns]
    return values.text(random, 20) if random.random() < 0.95 else values.scalar(random)


KNOWN = {
    "id": "select id from memories order by key",
    "name": "select name from entities order by key",
    "change": "select id from maintenance order by id",
}


class World:
    """One database to which all of it happens."""

    def __init__(self, folder: Path):
        self.db = databases.copy()

    def run(self, case: Any) -> None:
        """Calls it, and shows what it gives."""
        kinds = CALLS[case["call"]]
        given = [self._meant(kind, value) for kind, value in zip(kinds, case["arguments"], strict=True)]
        try:
            found = getattr(self.db, case["call"])(*given, **{"now": databases.NOW, **case["given"]})
        except MemkitError as error:
            soundness.must(str(error), "an error without words")
            soundness.must(not self.db.conn.in_transaction, "a transaction is left open")
            return
        show(found)
        if case["call"] in ("remember", "correct"):
            soundness.must(found.text == given[-1], "a text is stored otherwise than it was given")
            soundness.must(self.db.memory(found.id).text == given[-1], "a text is read otherwise than it was stored")

    def _meant(self, kind: str, value: Any) -> Any:
        if kind not in KNOWN or not isinstance(value, int):
            return value
        known = [row[0] for row in self.db.conn.execute(KNOWN[kind])]
        return known[value % len(known)] if known else "none"

    def check(self) -> None:
        """All rows fit together."""
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
