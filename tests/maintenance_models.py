"""A language model that answers as a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from memkit.maintenance.summaries import Summary, Turn


def points(*said: tuple[str, str, list[int]]) -> str:
    """The answer of a model by the schema of summaries: texts, priorities, and the numbers of the turns."""
    return json.dumps({"points": [{"text": text, "priority": how, "from": turns} for text, how, turns in said]})


def stated(prompt: str, *said: tuple[str, str, str, str]) -> str:
    """The answer of a model that extracts: subject, predicate, object, quote, each of the memories with that quote."""
    shown = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"memory": ')]
    relations = [
        {"memory": one["memory"], "subject": a, "predicate": is_, "object": b, "quote": quote, "confidence": 0.9}
        for a, is_, b, quote in said
        for one in shown
        if quote in one["text"]
    ]
    return json.dumps({"entities": [], "relations": relations, "facts": [], "preferences": [], "procedures": []})


def extracts(prompt: str) -> bool:
    """Whether a model is asked what memories state, and not for a summary."""
    return "knowledge graph" in prompt


class Answer:
    """What a model's prompt gives."""

    def __init__(self, said: Any):
        self.said = said

    def text(self) -> str:
        """The answer; an error that was scripted is raised."""
        if isinstance(self.said, BaseException):
            raise self.said
        return self.said


class Scripted:
    """An `llm` model whose answers are those of a function of the prompt."""

    model_id = "scripted"

    def __init__(self, answer: Callable[[str], Any], *, supports_schema: bool = True):
        self.answer, self.supports_schema = answer, supports_schema
        self.asked: list[str] = []
        self.options: list[dict[str, Any]] = []

    def prompt(self, prompt: str, **options: Any) -> Answer:
        """The answer to a prompt, which is kept."""
        self.asked.append(prompt)
        self.options.append(options)
        return Answer(self.answer(prompt))


class Silent:
    """A summariser that says nothing, and keeps the turns and the budget that it was given."""

    name = "silent"

    def __init__(self) -> None:
        self.asked: list[tuple[list[Turn], int]] = []

    def summarise(self, turns: Sequence[Turn], budget: int, **more: Any) -> Summary:
        """No point at all."""
        self.asked.append((list(turns), budget))
        return Summary((), self.name)
