"""Few words for many, by a language model or without one: what observing, reflecting and compacting have in common.

A Summariser makes points of turns. `Extractive` takes sentences word for word; `WithModel` asks any `llm` model by
schema and, where it answers nonsense twice, lets the extractive one answer and says so. What asks for points neither
knows nor cares which it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memkit._files import template_dir
from memkit.budget import fit
from memkit.compress import GAP, terms
from memkit.errors import BadSource, MemkitError, ModelFailed, NotFound
from memkit.extract.guard import strip_context
from memkit.extract.llm_answer import Malformed, json_object
from memkit.summarize import Sentence, summarize
from memkit.text import est_tokens

if TYPE_CHECKING:
    from jinja2 import Environment

Task = Literal["observe", "reflect", "summary"]
PRIORITIES = ("high", "medium", "low")
EXTRACTIVE = "extractive"

BATCH = 16_000  # tokens of turns that a model is shown at once (Construct)
LONGEST_TURN = 2_000  # tokens of one of them: of a longer one the sentences that say most
LONGEST_POINT = 400  # tokens; a longer "sentence" of a model is none
MISSED = 3  # times in a row without any answer: it cannot be asked
ATTEMPTS = 2

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "priority": {"type": "string", "enum": list(PRIORITIES)},
                    "from": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "priority", "from"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["points"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that is summarised: a message, an observation, an episode. `weight` says how much it counts."""

    text: str
    speaker: str | None = None
    at: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that a summary says, the turns that say it (their places, from 0), and how much it matters."""

    text: str
    sources: tuple[int, ...]
    priority: str = "medium"


@dataclass(frozen=True, slots=True)
class Summary:
    """The points, who made them (`extractive` or `llm <model>`), and what was wrong with a model that did not."""

    points: tuple[Point, ...]
    by: str
    trouble: str | None = None

    @property
    def text(self) -> str:
        """The points, a line each."""
        return "\n".join(point.text for point in self.points)

    @property
    def told(self) -> str:
        """Who made it, in words for a log."""
        return f"{self.by} ({self.trouble})" if self.trouble else self.by


class Summariser(Protocol):
    """What makes points of turns."""

    @property
    def name(self) -> str:
        """`extractive`, or `llm` and the model's name."""

    def summarise(
        self, turns: Sequence[Turn], budget: int, *, task: Task = "summary", known: Sequence[str] = ()
    ) -> Summary:
        """The points of these turns in at most `budget` tokens, in order, without what is `known` already."""


def summariser(model: Any = None, *, templates: str | Path | None = None) -> Summariser:
    """The extractive summariser, or one that asks this `llm` model (a name, or a model).

    `templates` is a folder whose `observe.md`, `reflect.md` and `summary.md` are used instead of memkit's own. Raises
    NotFound for an unknown model, BadSource for a folder that is none.
    """
    if model is None or model == EXTRACTIVE:
        return Extractive()
    return WithModel(_model(model), templates=templates)


# ---------------------------------------------------------------------------------------------- without a model


class Extractive:
    """Sentences of the turns, word for word: one point for each turn that has any."""

    name = EXTRACTIVE

    def summarise(
        self, turns: Sequence[Turn], budget: int, *, task: Task = "summary", known: Sequence[str] = ()
    ) -> Summary:
        """The sentences that say most in at most `budget` tokens; of their turns a third is of high, a third of low
        priority. Observations are taken whole. Raises ValueError for a budget below 0."""
        labels = [f"{turn.speaker}: " if turn.speaker else "" for turn in turns]
        found = summarize(
            [strip_context(turn.text) for turn in turns],
            budget,
            weights=[turn.weight for turn in turns],
            known=known if known or task == "observe" else None,
            cost=lambda one: est_tokens(labels[one.text] + one.words) + 1,
            whole=task == "reflect",  # an observation is a sentence, with who says it in front
        )
        said = {number: list(group) for number, group in groupby(found, key=lambda one: one.text)}
        ranks = _priorities({number: max(one.gain for one in group) for number, group in said.items()})
        points = [Point(labels[number] + _joined(group), (number,), ranks[number]) for number, group in said.items()]
        return Summary(tuple(points), EXTRACTIVE)


def _joined(group: Sequence[Sentence]) -> str:
    """The sentences of one turn on one line."""
    return " ".join(" ".join(one.words.split()) for one in group)


def _priorities(gains: dict[int, float]) -> dict[int, str]:
    """The best third high, the last third low; where all gain the same, nothing is above the others."""
    if len(set(gains.values())) < 2:
        return dict.fromkeys(gains, "medium")
    order = sorted(gains, key=lambda number: (-gains[number], number))
    return {number: PRIORITIES[3 * place // len(order)] for place, number in enumerate(order)}


# ---------------------------------------------------------------------------------------------- with a model


class WithModel:
    """Points by a language model; an answer of no use is asked for once more, then the extractive one answers.

    No answer at all is another thing: without a key or a network nothing must pass as done by this model. Raises
    ModelFailed if it has never answered, or MISSED times in a row not.
    """

    def __init__(self, model: Any, *, templates: str | Path | None = None):
        self.model, self.templates = model, templates
        self.name = f"llm {model.model_id}"
        self._left = 1  # how often it may still not answer
        _environment(str(templates) if templates else None)

    def summarise(
        self, turns: Sequence[Turn], budget: int, *, task: Task = "summary", known: Sequence[str] = ()
    ) -> Summary:
        """The points of the turns. More than BATCH tokens of them are asked about in parts, each with its share of the
        budget; where a part got no useful answer, its points are extractive, and `trouble` says why."""
        groups = list(_batches(turns))
        whole = max(1, sum(map(_size, turns)))
        answers = [
            (start, self._points(group, budget * sum(map(_size, group)) // whole, task, known))
            for start, group in groups
        ]
        points = tuple(
            replace(point, sources=tuple(start + number for number in point.sources))
            for start, answer in answers
            for point in answer.points
        )
        troubles = [answer.trouble for _, answer in answers if answer.trouble]
        by = EXTRACTIVE if troubles and len(troubles) == len(groups) else self.name
        return Summary(points, by, troubles[0] if troubles else None)

    def heard(self, answered: bool, problem: object = None) -> None:
        """Counts whether the model has answered. Raises ModelFailed where it seems that it cannot."""
        self._left = MISSED if answered else self._left - 1
        if self._left == 0:
            self._left = 1
            raise ModelFailed(
                f"{self.name} does not answer: {problem}. What is done stays; the rest waits until the model can be "
                "asked, or is done without one."
            )

    def _points(self, turns: Sequence[Turn], budget: int, task: Task, known: Sequence[str]) -> Summary:
        problem: Exception | None = None
        answered = False
        for _ in range(ATTEMPTS):
            complaint = str(problem) if isinstance(problem, Malformed) else None
            try:
                said = self._answer(turns, budget, task, known, complaint)
                answered = True
                points = read_points(said, turns, task)
            except MemkitError:  # a template that cannot be filled: the same next time
                raise
            except Exception as error:  # noqa: BLE001  plugins raise what they like: told in the log, and life goes on
                problem = error
            else:
                self.heard(True)
                return Summary(_within(points, budget), self.name)
        self.heard(answered, problem)
        found = Extractive().summarise(turns, budget, task=task, known=known)
        return replace(found, trouble=f"the answer of {self.name} could not be used: {problem}")

    def _answer(
        self, turns: Sequence[Turn], budget: int, task: Task, known: Sequence[str], complaint: str | None
    ) -> str:
        from jinja2 import TemplateError

        schema_supported = bool(self.model.supports_schema)
        folder = str(self.templates) if self.templates else None
        try:
            prompt = (
                _environment(folder)
                .get_template(f"{task}.md")
                .render(
                    turns=[_shown(number, turn) for number, turn in enumerate(turns, 1)],
                    known=[json.dumps(text, ensure_ascii=False) for text in known],
                    budget=budget,
                    words=max(1, budget * 3 // 4),
                    schema=json.dumps(SCHEMA),
                    schema_supported=schema_supported,
                    complaint=complaint,
                )
            )
        except TemplateError as error:
            raise BadSource(f"The prompt template {task}.md cannot be filled: {error}.") from error
        return self.model.prompt(prompt, **({"schema": SCHEMA} if schema_supported else {})).text()


def _model(model: Any) -> Any:
    """The `llm` model of that name or alias, its synchronous form. Raises NotFound."""
    import llm

    if isinstance(model, (llm.Model, llm.KeyModel)):
        return model
    name = getattr(model, "model_id", model)
    try:
        return llm.get_model(name)
    except llm.UnknownModelError as error:
        raise NotFound(f"There is no llm model {name!r}. See which there are with: llm models") from error


@lru_cache(maxsize=8)
def _environment(folder: str | None) -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if folder and not Path(folder).is_dir():
        raise BadSource(f"{folder!r}, the folder of prompts, is no folder.")
    folders = [*([folder] if folder else []), str(template_dir() / "life")]
    # A prompt is no HTML; what turns say is kept apart as JSON strings.
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def _batches(turns: Sequence[Turn]) -> Iterator[tuple[int, list[Turn]]]:
    """The turns in runs of at most BATCH tokens, each with the place of its first one."""
    start, used = 0, 0
    for place, turn in enumerate(turns):
        size = _size(turn)
        if place > start and used + size > BATCH:
            yield start, list(turns[start:place])
            start, used = place, 0
        used += size
    if turns:
        yield start, list(turns[start:])


def _size(turn: Turn) -> int:
    """The tokens of a turn as a model is shown it."""
    return min(LONGEST_TURN, est_tokens(turn.text))


def _shown(number: int, turn: Turn) -> str:
    """A turn as one line of JSON: nothing in its text can end the line and speak to the model."""
    text = strip_context(turn.text)
    if est_tokens(text) > LONGEST_TURN:
        text = GAP.join(one.words for one in summarize([text], LONGEST_TURN))
    about = {"speaker": turn.speaker, "when": (turn.at or "")[:16]}
    shown = {name: value for name, value in about.items() if value}
    return json.dumps({"number": number, **shown, "text": text}, ensure_ascii=False)


def read_points(answer: str, turns: Sequence[Turn], task: Task = "summary") -> list[Point]:
    """What of a model's answer is believed: points of turns that there are, with a word in common with them.

    Raises Malformed for an answer that is no JSON object with a list `points`, for one whose points are all unfounded,
    and for one without any, except of observing: there may be nothing worth it.
    """
    entries = _parsed(answer)
    points = [point for entry in entries if (point := _point(entry, turns))]
    if entries and not points:
        raise Malformed("none of its points says what the turns that it names say")
    if not points and task != "observe":
        raise Malformed("it has no points")
    return points


def _parsed(answer: str) -> list[Any]:
    data = json_object(answer)
    if not isinstance(data.get("points"), list):
        raise Malformed("it has no list of points")
    return data["points"]


def _point(entry: Any, turns: Sequence[Turn]) -> Point | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not isinstance(entry.get("from"), list):
        return None
    text = " ".join(strip_context(entry["text"]).split())
    numbers = {number for number in entry["from"] if type(number) is int and 1 <= number <= len(turns)}
    sources = tuple(sorted(number - 1 for number in numbers))
    if not text or not sources or est_tokens(text) > LONGEST_POINT:
        return None
    said = " ".join(f"{turns[place].speaker or ''} {turns[place].text}" for place in sources)
    if terms(text).isdisjoint(terms(said)):
        return None
    return Point(text, sources, entry["priority"] if entry.get("priority") in PRIORITIES else "medium")


def _within(points: Sequence[Point], budget: int) -> tuple[Point, ...]:
    """The points that fit the budget, the most important first; in their order."""
    order = sorted(range(len(points)), key=lambda i: (PRIORITIES.index(points[i].priority), i))
    kept = fit(order, budget, lambda i: est_tokens(points[i].text) + 1).items
    return tuple(points[i] for i in sorted(kept))
