"""Extraction with any `llm` model: memories in batches, an answer by schema, each entry proved by a quote.

A batch whose answer fails or is malformed is asked once more, then recorded and passed over. Async models answer
several batches at once. The prompt is the template `templates/extract/prompt.md`, which users can replace.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit._files import template_dir
from memkit.errors import BadSource, NotFound
from memkit.extract.guard import strip_context
from memkit.extract.llm_answer import SCHEMA, Extraction, Malformed, read_answer
from memkit.text import est_tokens
from memkit.types import Memory

if TYPE_CHECKING:
    import llm
    from jinja2 import Template

    AsyncModel = llm.AsyncModel | llm.AsyncKeyModel
    Model = llm.Model | llm.KeyModel | AsyncModel

__all__ = [
    "Estimate",
    "Extraction",
    "estimate",
    "extract_in_batches",
    "extract_with_model",
    "find_model",
    "read_answer",
]

_BATCH = 8  # memories in a prompt, at most
_BATCH_TOKENS = 2_000  # of their texts; a longer memory has a prompt to itself
_AT_ONCE = 4  # prompts that an async model answers at a time
_ATTEMPTS = 2
_LOOK_UP = 0.5  # seconds: not every system lets Ctrl-C end a wait that has no end


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many prompts an extraction will send, and how many tokens they hold (estimated; the answers not counted)."""

    calls: int
    tokens: int


def estimate(memories: Iterable[Memory], *, batch: int = _BATCH, template: Path | None = None) -> Estimate:
    """What extracting from these memories would send to a model."""
    prompt = _Prompt(template, schema_supported=True)
    groups = ([memory for memory in group if _readable(memory)] for group in _batches(memories, batch))
    sizes = [est_tokens(prompt.render(group)) for group in groups if group]
    return Estimate(len(sizes), sum(sizes))


def find_model(name: str) -> Model:
    """The `llm` model of that name or alias, its async form if it has one; NotFound says how to list them."""
    import llm

    try:
        return llm.get_async_model(name)
    except llm.UnknownModelError:
        pass
    try:
        return llm.get_model(name)
    except llm.UnknownModelError as error:
        raise NotFound(f"There is no llm model {name!r}. See which there are with: llm models") from error


def extract_with_model(model: Model | str, memories: Iterable[Memory], **options: Any) -> list[Extraction]:
    """One Extraction per memory, in order. Options as for `extract_in_batches`."""
    return [one for group in extract_in_batches(model, memories, **options) for one in group]


def extract_in_batches(
    model: Model | str,
    memories: Iterable[Memory],
    *,
    batch: int = _BATCH,
    at_once: int = _AT_ONCE,
    template: Path | None = None,
) -> Iterator[list[Extraction]]:
    """The same, a group of memories at a time, so that a caller can store each before the next is asked for.

    `batch`: memories per prompt; `at_once`: prompts at a time, of an async model; `template`: a Jinja file instead of
    memkit's own. Raises at once if there is no such model or template; what fails later is an Extraction's `error`.
    """
    import llm

    if batch < 1 or at_once < 1:
        raise ValueError(f"batch and at_once are at least 1, not {batch} and {at_once}.")
    found = find_model(model) if isinstance(model, str) else model
    prompt = _Prompt(template, schema_supported=bool(found.supports_schema))
    groups = _batches(memories, batch)
    return (
        _together(found, prompt, groups, at_once)
        if isinstance(found, (llm.AsyncModel, llm.AsyncKeyModel))
        else _in_turn(found, prompt, groups)
    )


# ---------------------------------------------------------------------------------------------- asking

_Answer = Callable[[str], Awaitable[str]]


def _in_turn(
    model: llm.Model | llm.KeyModel, prompt: _Prompt, groups: Iterator[list[Memory]]
) -> Iterator[list[Extraction]]:
    async def answer(question: str) -> str:
        return model.prompt(question, **prompt.options).text()

    for group in groups:
        try:
            _ask(prompt, group, answer).send(None)  # no loop needed: with a synchronous model nothing is ever awaited
        except StopIteration as end:
            yield end.value


def _together(
    model: AsyncModel, prompt: _Prompt, groups: Iterator[list[Memory]], at_once: int
) -> Iterator[list[Extraction]]:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor, wait

    async def answer(question: str) -> str:
        return await model.prompt(question, **prompt.options).text()

    async def all_of(wave: list[list[Memory]]) -> list[list[Extraction]]:
        return await asyncio.gather(*(_ask(prompt, group, answer) for group in wave))

    # A thread of its own, because the caller may be inside a running loop: a notebook, or Datasette.
    with (
        closing(asyncio.new_event_loop()) as loop,
        ThreadPoolExecutor(1, thread_name_prefix="memkit-extract") as thread,
    ):
        while wave := list(islice(groups, at_once)):
            task = loop.create_task(all_of(wave))
            try:
                answered = thread.submit(loop.run_until_complete, task)
                while not wait([answered], timeout=_LOOK_UP).done:
                    pass
            except BaseException:  # an interrupt: nobody waits for the answers any more
                loop.call_soon_threadsafe(task.cancel)
                raise
            yield from answered.result()


async def _ask(prompt: _Prompt, group: list[Memory], answer: _Answer) -> list[Extraction]:
    """One Extraction for each memory of a group: asked once, or twice if the first answer is of no use."""
    readable = [memory for memory in group if _readable(memory)]
    problem: Exception | None = None
    answered = False
    for _ in range(_ATTEMPTS if readable else 0):
        try:
            complaint = str(problem) if isinstance(problem, Malformed) else None
            said = await answer(prompt.render(readable, complaint))
            answered = True
            found = read_answer(said, readable)
        except Exception as error:  # noqa: BLE001  plugins raise what they like: recorded, and the rest goes on
            problem = error
        else:
            by_key = {extraction.key: extraction for extraction in found}
            return [by_key.get(memory.key, Extraction(memory.key)) for memory in group]
    reason = f"{type(problem).__name__}: {problem}" if problem else None
    failed = {memory.key: Extraction(memory.key, error=reason, answered=answered) for memory in readable}
    return [failed.get(memory.key, Extraction(memory.key)) for memory in group]


# ---------------------------------------------------------------------------------------------- prompts


class _Prompt:
    """The prompt for a group of memories, and the options that go with it."""

    def __init__(self, path: Path | None, *, schema_supported: bool):
        self.schema_supported = schema_supported
        self.options: dict[str, Any] = {"schema": SCHEMA} if schema_supported else {}
        self._template = _load(path or template_dir() / "extract" / "prompt.md")

    def render(self, memories: list[Memory], complaint: str | None = None) -> str:
        numbered = [_shown(number, memory) for number, memory in enumerate(memories, start=1)]
        return self._template.render(
            memories=numbered,
            schema=json.dumps(SCHEMA),
            schema_supported=self.schema_supported,
            complaint=complaint,
        )


def _load(path: Path) -> Template:
    from jinja2 import Environment, StrictUndefined, TemplateSyntaxError

    # A prompt is no HTML; what memories hold is kept apart as JSON strings.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    try:
        return environment.from_string(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSource(f"The prompt template {str(path)!r} cannot be read: {error.strerror}.") from error
    except TemplateSyntaxError as error:
        raise BadSource(
            f"The prompt template {str(path)!r} is not valid Jinja, line {error.lineno}: {error.message}."
        ) from error


def _shown(number: int, memory: Memory) -> str:
    """A memory as one line of JSON: nothing in its text can end the line and speak to the model."""
    about = {"speaker": memory.speaker, "title": memory.title, "when": memory.when[:10] or None}
    shown = {name: value for name, value in about.items() if value}
    return json.dumps({"memory": number, **shown, "text": strip_context(memory.text)}, ensure_ascii=False)


def _readable(memory: Memory) -> bool:
    """Whether a memory has text of its own, beside what memkit itself once put into a prompt."""
    return bool(strip_context(memory.text).strip())


def _batches(memories: Iterable[Memory], most: int) -> Iterator[list[Memory]]:
    group: list[Memory] = []
    tokens = 0
    for memory in memories:
        size = est_tokens(memory.text)
        if group and (len(group) >= most or tokens + size > _BATCH_TOKENS):
            yield group
            group, tokens = [], 0
        group.append(memory)
        tokens += size
    if group:
        yield group
