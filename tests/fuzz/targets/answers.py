"""Answers of language models: whatever a model says is read as what it states, or counted as a failure."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from maintenance_models import Scripted

from fuzz import databases, soundness, values
from fuzz.targets.question import show
from memkit import MemkitError

BLOCK = 25
EXTRACTED = {
    "entities": [{"memory": "m", "name": "Rosa", "kind": "person", "description": "She plants."}],
    "relations": [
        {
            "memory": "m",
            "subject": "Rosa",
            "predicate": "planted",
            "object": "the quince",
            "quote": "Rosa",
            "confidence": 0.9,
        }
    ],
    "facts": [{"memory": "m", "text": "Rosa plants quinces.", "quote": "Rosa", "confidence": 1}],
    "preferences": [{"memory": "m", "text": "Rosa likes quinces.", "quote": "Rosa"}],
    "procedures": [],
}
POINTS = {"points": [{"text": "Rosa planted a quince.", "priority": "high", "from": [1, 2]}]}
CALLS = ("extract", "observe", "compact", "reflect")
TURNS = [
    {"role": "user", "content": f"Rosa planted the {n}. quince in the yard of Otto, by the wall."} for n in range(8)
]


def make(random: Random) -> Any:
    """A call that asks a model, and its answers."""
    answers = []
    for _ in range(2):
        whole = values.changed(random, random.choice((EXTRACTED, POINTS)))
        text = json.dumps(whole)
        if random.random() < 0.3:
            text = values.spliced(random, text)
        answers.append(random.choice((text, f"```json\n{text}\n```", f"Sure!\n{text}", values.text(random))))
    return {"call": random.choice(CALLS), "answers": answers}


class World:
    """A database whose memories a model is asked about."""

    def __init__(self, folder: Path):
        self.db = databases.copy()
        self.db.extract(model=Scripted(lambda prompt: "{}"), now=databases.NOW)
        self.asked = 0

    def run(self, case: Any) -> None:
        """Asks; the answers name the memories that were asked about."""
        said = iter(case["answers"] * 50)

        def answer(prompt: str) -> str:
            shown = [line for line in prompt.splitlines() if line.startswith('{"memory": ')]
            asked = [json.loads(line)["memory"] for line in shown] or ["m"]
            return str(next(said)).replace('"memory": "m"', f'"memory": {json.dumps(asked[0])}')

        model = Scripted(answer)
        try:
            if case["call"] == "extract":
                self.asked += 1
                self.db.remember(f"Rosa planted the {self.asked}. quince.", now=databases.NOW)
                found = self.db.extract(model=model, now=databases.NOW)
            elif case["call"] == "observe":
                found = self.db.observe(TURNS, threshold=1, model=model, now=databases.NOW)
            elif case["call"] == "compact":
                found = self.db.compact(TURNS, 60, model=model, now=databases.NOW)
            else:
                found = self.db.reflect(model=model, now=databases.NOW)
        except MemkitError as error:
            soundness.must(str(error), "an error without words")
            return
        show(found)

    def check(self) -> None:
        """What was believed is whole."""
        soundness.check(self.db.conn)

    def close(self) -> None:
        """Closes it."""
        self.db.close()
