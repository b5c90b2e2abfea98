"""Questions: any text with any options gives hits or an error of memkit's own, as text, as HTML and as JSON."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness, values
from memkit import MemkitError

BLOCK = 50
CALLS = (
    "recall",
    "recall",
    "recall",
    "context",
    "about",
    "path",
    "neighbors",
    "neighborhood",
    "timeline",
    "entity_ids",
)
FRAMES = (
    "when did {} and what happened {}?",
    "what did {} say about {} {}",
    "{} since {}",
    "{} before {}",
    "{} in {}",
    "{}",
)
OPTIONS = {
    "about": ("as_of", "known_at", "project", "now"),
    "path": ("max_depth", "as_of", "project"),
    "neighbors": ("fan_out", "as_of"),
    "neighborhood": ("limit", "as_of"),
    "timeline": ("project", "kinds"),
}
STRATEGIES = (None, "memkit", "kira", "construct", "slots", "membox", "engram")
NAMES = ("Rosa", "Otto", "Quince", "the quince", "Lund", "bees", "剪定", "Rosa's sister")


def question(random: Random) -> str:
    """A text that asks for something, at least in part."""
    if random.random() < 0.4:
        return values.text(random, 8)
    parts = [random.choice((*NAMES, *values.PIECES, *values.TIMES)) for _ in range(3)]
    return random.choice(FRAMES).format(*parts)


def make(random: Random) -> Any:
    """A call with its arguments."""
    call = random.choice(CALLS)
    given: dict[str, Any] = {}
    if call in ("recall", "context"):
        given["strategy"] = random.choice(STRATEGIES)
        for name in ("project", "since", "until", "as_of", "kinds", "now"):
            if random.random() < 0.12:
                given[name] = random.choice((values.scalar(random), random.choice(values.TIMES), "garden", ["fact"]))
        for name in ("only_project", "everything") if call == "recall" else ("only_project", "fenced"):
            if random.random() < 0.2:
                given[name] = random.random() < 0.5
    if call == "context":
        if random.random() < 0.5:
            given["history"] = [question(random) for _ in range(random.randrange(3))]
        given["budget"] = random.choice((None, 0, 1, 50, 2000, 10**7, values.scalar(random)))
        if random.random() < 0.2:
            given["timezone"] = random.choice(
                ("Europe/Stockholm", "UTC", "../../etc/passwd", "", values.text(random, 2))
            )
    first = question(random) if random.random() < 0.7 else random.choice(NAMES)
    arguments = [first]
    if call == "recall" and random.random() < 0.3:
        arguments.append(random.choice((0, 1, 3, 10**9, values.scalar(random))))
    if call == "path":
        arguments.append(random.choice((*NAMES, question(random))))
    if call in ("neighbors", "neighborhood") and random.random() < 0.3:
        arguments.append(random.choice((0, 1, 2, 3, 50, values.scalar(random))))
    for name in OPTIONS.get(call, ()):
        if random.random() < 0.25:
            given[name] = random.choice((*values.TIMES, values.scalar(random), "garden", 2, None))
    return {"call": call, "arguments": arguments, "given": given}


class World:
    """A database that questions must not change."""

    def __init__(self, folder: Path):
        self.db = databases.copy()
        self.before = self.db.conn.total_changes

    def run(self, case: Any) -> None:
        """Asks, and shows the answer in every way."""
        try:
            found = getattr(self.db, case["call"])(*case["arguments"], **case["given"])
        except MemkitError as error:
            soundness.must(str(error), "an error without words")
            return
        show(found)

    def check(self) -> None:
        """Nothing was written."""
        assert self.db.conn.total_changes == self.before
        assert not self.db.conn.in_transaction
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()


def show(found: Any) -> None:
    """Each view of a value."""
    repr(found), str(found)
    for view in ("_repr_html_", "_repr_markdown_", "to_json", "to_dicts", "context"):
        if callable(made := getattr(found, view, None)):
            made()
