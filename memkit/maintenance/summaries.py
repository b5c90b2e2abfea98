"""Summarisation, extractive or by a language model, shared by observation, reflection and compaction.

A Summariser turns a list of turns into points. `Extractive` takes sentences word for word. `WithModel` asks any `llm`
model with a JSON schema. If its answer is unusable twice, `Extractive` answers instead, and the summary says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from memkit.core.errors import BadSource, MemkitError, ModelFailed
from memkit.core.files import template_dir, text_templates
from memkit.retrieval.packing import fit
from memkit.text.chunking import parts
from memkit.text.compress import terms
from memkit.text.extract.guard import strip_context
from memkit.text.extract.llm_answer import Malformed, json_object
from memkit.text.extract.llm_extract import find_model
from memkit.text.fidelity import unfounded
from memkit.text.sanitize import json_line
from memkit.text.statements import Statement, labelled, named_speakers, speaker_label, written
from memkit.text.summarize import Rarity, summarize
from memkit.text.words import est_tokens

if TYPE_CHECKING:
    from jinja2 import Environment

Item = TypeVar("Item")
Task = Literal["observe", "reflect", "summary"]
PRIORITIES = ("high", "medium", "low")
EXTRACTIVE = "extractive"

BATCH = 16_000  # tokens of turns that a model is shown at once (Construct)
LONGEST_TURN = 2_000  # tokens of one turn; a longer one is cut to its most informative sentences
LONGEST_POINT = 400  # tokens; a longer point from a model is dropped
MISSED = 3  # calls in a row without an answer, after which the model counts as unavailable
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
    """One text to summarise: a message, an observation or an episode. `at` is its time, `weight` its importance."""

    text: str
    speaker: str | None = None
    at: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Point:
    """One statement of a summary: its text, its sources (indexes of turns, from 0), and one of PRIORITIES.

    It says something only together with the lines in `needs`: each is (turn, place in it, text with its speaker).
    """

    text: str
    sources: tuple[int, ...]
    priority: str = "medium"
    needs: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The points, who made them (`extractive` or `llm <model>`), and why a model's answer was not used."""

    points: tuple[Point, ...]
    by: str
    trouble: str | None = None

    @property
    def text(self) -> str:
        """The points, one on each line."""
        return "\n".join(point.text for point in self.points)

    @property
    def told(self) -> str:
        """Who made the summary, and any problem, as text for the log."""
        return f"{self.by} ({self.trouble})" if self.trouble else self.by


class Summariser(Protocol):
    """Anything that turns a list of turns into a summary."""

    @property
    def name(self) -> str:
        """`extractive`, or `llm <model>`."""

    def summarise(
        self,
        turns: Sequence[Turn],
        budget: int,
        *,
        task: Task = "summary",
        known: Sequence[str] = (),
        rarity: Rarity | None = None,
    ) -> Summary:
        """The points of these turns, in order, in at most `budget` tokens. Texts that are `known` are not repeated.

        `rarity` is how rare a term is, for a choice without a model.
        """


def summariser(model: Any = None, *, templates: str | Path | None = None) -> Summariser:
    """The extractive summariser, or one that asks this `llm` model (a name, or a model).

    `templates` is a folder whose `observe.md`, `reflect.md` and `summary.md` replace memkit's own prompts. Raises
    NotFound for an unknown model, BadSource if `templates` is not a folder.
    """
    if model is None or model == EXTRACTIVE:
        return Extractive()
    return WithModel(_model(model), templates=templates)


# ---------------------------------------------------------------------------------------------- without a model


class Extractive:
    """A summariser without a model: whole sentences, word for word, one point for each turn that has any."""

    name = EXTRACTIVE

    def summarise(
        self,
        turns: Sequence[Turn],
        budget: int,
        *,
        task: Task = "summary",
        known: Sequence[str] = (),
        rarity: Rarity | None = None,
    ) -> Summary:
        """The most informative sentences in at most `budget` tokens, each with its speaker. Observations stay whole.

        A third of the points has high priority, a third low. Raises ValueError for a budget below 0.
        """
        labels = _labels(turns)
        found = summarize(
            [strip_context(turn.text) for turn in turns],
            budget,
            weights=[turn.weight for turn in turns],
            speakers=[named_speakers(turn.speaker) for turn in turns],
            known=known if known or task == "observe" else None,
            labels=labels,
            whole=task == "reflect",  # an observation is one sentence, with its speaker in front
            rarity=rarity,
        )
        said = {number: list(group) for number, group in groupby(found, key=lambda one: one.text)}
        ranks = _priorities({number: max(one.gain for one in group) for number, group in said.items()})
        points = [
            Point(_with_label(labels[number], group), (number,), ranks[number], _needs(labels, group))
            for number, group in said.items()
        ]
        return Summary(tuple(points), EXTRACTIVE)


def _needs(labels: Sequence[str], said: Sequence[Statement]) -> tuple[tuple[int, int, str], ...]:
    """The lines of other turns that what was chosen of a turn needs, in their order."""
    found = {(one.text, one.place): one for told in said for one in told.needs if one.text != told.text}
    return tuple((*place, _with_label(labels[place[0]], [found[place]])) for place in sorted(found))


def _with_label(label: str, said: Sequence[Statement]) -> str:
    """What was chosen of a turn, with its speaker. In a transcript, the lines have speakers of their own."""
    if said[0].speaker:
        return written(said)
    return label + written(said) if any(one.speaker for one in said) else labelled(label, written(said))


def _labels(turns: Sequence[Turn]) -> list[str]:
    """What stands before each turn's first words: its speaker, unless they begin with the name of one.

    A long transcript is stored in parts, and a part may begin in the middle of what somebody says: that is who spoke
    last in the part before.
    """
    labels: list[str] = []
    last = ""
    for turn in turns:
        names = named_speakers(turn.speaker)
        label = speaker_label(names, turn.text)
        spoken = [] if label is None else [found[0] for line in turn.text.splitlines() if (found := label.match(line))]
        begins = label is not None and label.match(turn.text) is not None
        alone = len(names) == 1 and not spoken
        own = f"{names[0]}: " if alone else last if label and label.match(f"{last}.") else ""
        labels.append("" if begins else own)
        last = spoken[-1] if spoken else own
    return labels


def _priorities(gains: dict[int, float]) -> dict[int, str]:
    """The best third is high, the last third low. If all gains are equal, all are medium."""
    if len(set(gains.values())) < 2:
        return dict.fromkeys(gains, "medium")
    order = sorted(gains, key=lambda number: (-gains[number], number))
    return {number: PRIORITIES[3 * place // len(order)] for place, number in enumerate(order)}


# ---------------------------------------------------------------------------------------------- with a model


class WithModel:
    """A summariser that asks a language model. After two unusable answers in a row, `Extractive` answers instead.

    No answer at all (no key, no network) is an error, so that nothing counts as done by this model. Raises ModelFailed
    if the model does not answer the first time, or MISSED times in a row later.
    """

    def __init__(self, model: Any, *, templates: str | Path | None = None):
        self.model, self.templates = model, templates
        self.name = f"llm {model.model_id}"
        self._left = 1  # calls without an answer until ModelFailed is raised
        _environment(str(templates) if templates else None)

    def summarise(
        self,
        turns: Sequence[Turn],
        budget: int,
        *,
        task: Task = "summary",
        known: Sequence[str] = (),
        rarity: Rarity | None = None,
    ) -> Summary:
        """The points of the turns. More than BATCH tokens are sent in parts, which share the budget.

        If the answer for a part is unusable, its points are extractive, and `trouble` gives the reason. Raises
        ModelFailed if the model does not answer, BadSource for a prompt template that cannot be filled.
        """
        groups = list(batches(turns, _size))
        whole = max(1, sum(map(_size, turns)))
        answers = [
            (start, self._points(group, budget * sum(map(_size, group)) // whole, task, known, rarity))
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
        """Counts missing answers. Raises ModelFailed if the model seems to be unavailable."""
        self._left = MISSED if answered else self._left - 1
        if self._left == 0:
            self._left = 1
            raise ModelFailed(
                f"{self.name} does not answer: {problem}. Finished work stays. Run it again when the model is "
                "available, or without a model."
            )

    def _points(
        self, turns: Sequence[Turn], budget: int, task: Task, known: Sequence[str], rarity: Rarity | None
    ) -> Summary:
        problem: Exception | None = None
        answered = False
        for _ in range(ATTEMPTS):
            complaint = str(problem) if isinstance(problem, Malformed) else None
            try:
                said = self._answer(turns, budget, task, known, complaint)
                answered = True
                points = read_points(said, turns, task)
            except MemkitError:  # a template that cannot be filled: asking again would fail again
                raise
            except Exception as error:  # noqa: BLE001  a plugin may raise anything; it is logged as the problem
                problem = error
            else:
                self.heard(True)
                return Summary(_within(points, budget), self.name)
        self.heard(answered, problem)
        found = Extractive().summarise(turns, budget, task=task, known=known, rarity=rarity)
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
                    known=[json_line(text) for text in known],
                    budget=budget,
                    words=max(1, budget * 3 // 4),
                    schema=json.dumps(SCHEMA),
                    schema_supported=schema_supported,
                    complaint=complaint,
                )
            )
        except TemplateError as error:
            raise BadSource(f"The prompt template {task}.md cannot be filled: {error}.") from error
        return str(self.model.prompt(prompt, **({"schema": SCHEMA} if schema_supported else {})).text())


def _model(model: Any) -> Any:
    """The `llm` model of that name or alias, in its synchronous form. Raises NotFound for an unknown name."""
    import llm

    if isinstance(model, (llm.Model, llm.KeyModel)):
        return model
    return find_model(getattr(model, "model_id", model), forms=("get_model",))


@lru_cache(maxsize=8)
def _environment(folder: str | None) -> Environment:
    if folder and not Path(folder).is_dir():
        raise BadSource(f"The folder of prompt templates, {folder!r}, is not a folder.")
    return text_templates(*([folder] if folder else []), str(template_dir() / "life"))


def batches(items: Sequence[Item], size: Callable[[Item], int]) -> Iterator[tuple[int, list[Item]]]:
    """The items in batches of at most BATCH tokens, as `size` gives them, each with the index of its first item."""
    start, used = 0, 0
    for place, item in enumerate(items):
        tokens = size(item)
        if place > start and used + tokens > BATCH:
            yield start, list(items[start:place])
            start, used = place, 0
        used += tokens
    if items:
        yield start, list(items[start:])


def _size(turn: Turn) -> int:
    """The tokens of a turn as it is shown to a model."""
    return min(LONGEST_TURN, est_tokens(turn.text))


def _shown(number: int, turn: Turn) -> str:
    """A turn as one line of JSON, so that its text cannot end the line and pose as an instruction to the model."""
    text = strip_context(turn.text)
    if est_tokens(text) > LONGEST_TURN:
        text = written(summarize([text], LONGEST_TURN)) or parts(text, LONGEST_TURN)[0]
    about = {"speaker": turn.speaker, "when": (turn.at or "")[:16]}
    shown = {name: value for name, value in about.items() if value}
    return json_line({"number": number, **shown, "text": text})


def read_points(answer: str, turns: Sequence[Turn], task: Task = "summary") -> list[Point]:
    """The valid points of a model's answer: those that name existing turns and share a word with them.

    Raises Malformed if the answer is not a JSON object with a list `points`, if no point is valid, if one says what its
    turns do not (a number, a name, a denial), or if the list is empty. When observing, an empty list is allowed: there
    may be nothing worth noting.
    """
    entries = _parsed(answer)
    points = [point for entry in entries if (point := _point(entry, turns))]
    if entries and not points:
        raise Malformed("none of its points shares a word with the turns that it names")
    if not points and task != "observe":
        raise Malformed("it has no points")
    return points


def _parsed(answer: str) -> list[Any]:
    points = json_object(answer).get("points")
    if not isinstance(points, list):
        raise Malformed("it has no list of points")
    return points


def _point(entry: Any, turns: Sequence[Turn]) -> Point | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not isinstance(entry.get("from"), list):
        return None
    text = " ".join(strip_context(entry["text"]).split())
    numbers = {number for number in entry["from"] if type(number) is int and 1 <= number <= len(turns)}
    sources = tuple(sorted(number - 1 for number in numbers))
    if not text or not sources or est_tokens(text) > LONGEST_POINT:
        return None
    told = [turns[place] for place in sources]
    about = " ".join(f"{turn.speaker or ''} {turn.at or ''}" for turn in told)
    if terms(text).isdisjoint(terms(" ".join([about, *(turn.text for turn in told)]))):
        return None
    if problem := unfounded(text, [turn.text for turn in told], about):
        raise Malformed(f"a point says what its turns do not: {problem}")
    return Point(text, sources, entry["priority"] if entry.get("priority") in PRIORITIES else "medium")


def _within(points: Sequence[Point], budget: int) -> tuple[Point, ...]:
    """The points that fit the budget, chosen by priority, in their original order."""
    order = sorted(range(len(points)), key=lambda i: (PRIORITIES.index(points[i].priority), i))
    kept = fit(order, budget, lambda i: est_tokens(points[i].text) + 1).items
    return tuple(points[i] for i in sorted(kept))
