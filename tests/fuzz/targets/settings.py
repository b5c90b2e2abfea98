"""Settings as text: strategies, retention policies, questions with answers; understood, or refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from fuzz import databases, soundness, values
from memkit import MemkitError
from memkit.core.validation import settings
from memkit.maintenance import policy_toml
from memkit.maintenance.policy import Policy
from memkit.retrieval.evaluation.query_files import read_queries
from memkit.retrieval.registry import STRATEGIES, strategy

BLOCK = 100
QUESTIONS = [
    {
        "id": "1",
        "text": "who planted the quince?",
        "relevant": ["a"],
        "group": "p",
        "category": "c",
        "timestamp": "2026-01-01",
    },
    {"id": 2, "text": "where?", "relevant": []},
]
POLICY = settings(Policy())


def make(random: Random) -> Any:
    """One of the kinds, with a value that was valid before it was changed."""
    kind = random.choice(("strategy", "toml", "settings", "questions"))
    if kind == "strategy":
        whole = json.loads(strategy(random.choice(list(STRATEGIES))).to_json())
        found = values.changed(random, whole)
        return {
            "kind": kind,
            "value": found if random.random() < 0.5 else values.spliced(random, values.as_json(found)),
        }
    if kind == "toml":
        lines = [f"{name} = {value(random)}" for name in random.sample(list(POLICY), 3)]
        text = "\n".join(lines) if random.random() < 0.5 else values.spliced(random, policy_toml.write(Policy()))
        return {"kind": kind, "value": text}
    if kind == "settings":
        names = [random.choice((*POLICY, "preset", values.text(random, 1))) for _ in range(2)]
        return {"kind": kind, "value": {name: value(random) for name in names}}
    return {"kind": kind, "value": "\n".join(values.as_json(values.changed(random, row)) for row in QUESTIONS)}


def value(random: Random) -> str:
    """A value in TOML, more or less."""
    return random.choice(
        (values.text(random, 2), json.dumps(values.scalar(random)), "[[1]]", "'a'", "1979-05-27", "{a = 1}")
    )


class World:
    """A database whose policy is set, and which is asked by the strategies."""

    def __init__(self, folder: Path):
        self.db, self.file = databases.copy(), folder / "questions.jsonl"

    def run(self, case: Any) -> None:
        """Reads it; what is understood must also work."""
        try:
            getattr(self, f"_{case['kind']}")(case["value"])
        except MemkitError as error:
            soundness.must(str(error), "an error without words")

    def _strategy(self, given: Any) -> None:
        chosen = strategy(given)
        soundness.must(strategy(chosen.to_json()) == chosen, "a strategy is another one after it was written")
        self.db.recall("who planted the quince?", 3, strategy=chosen)

    def _toml(self, given: str) -> None:
        policy = policy_toml.read(given)
        soundness.must(policy_toml.read(policy_toml.write(policy)) == policy, "a policy is another one once written")
        self.db.set_policy(toml=given)

    def _settings(self, given: dict[str, str]) -> None:
        self.db.set_policy(settings=given)
        self.db.due(now=databases.NOW)

    def _questions(self, given: str) -> None:
        self.file.write_bytes(given.encode("utf-8", "surrogatepass"))
        read_queries(self.file)

    def check(self) -> None:
        """The policy that is kept is one."""
        self.db.policy()
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
