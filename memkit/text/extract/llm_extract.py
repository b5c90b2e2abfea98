"""Extraction with a language model: memories are sent in batches, answers follow a schema, entries need a quote.

If an answer fails or is malformed, the batch is sent once more; then the error is recorded and the batch is skipped.
Async models answer several batches at once. Users can replace the prompt template `templates/extract/prompt.md`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.batches import batched
from memkit.core.errors import BadSource, NotFound
from memkit.core.files import template_dir, text_templates
from memkit.core.types import Memory
from memkit.core.workers import Lost, in_order
from memkit.text.extract.guard import strip_context
from memkit.text.extract.llm_answer import SCHEMA, Extraction, Malformed, read_answer
from memkit.text.sanitize import json_line
from memkit.text.words import est_tokens

if TYPE_CHECKING:
    import llm
    from distributed import Client

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

_BATCH = 8  # most memories in a prompt
_BATCH_TOKENS = 2_000  # most tokens of their texts; a longer memory gets its own prompt
_AT_ONCE = 4  # prompts that an async model answers at a time
_ATTEMPTS = 2
_LOOK_UP = 0.5  # seconds: on some systems Ctrl-C does not end a wait without a timeout


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of prompts that an extraction will send, and their estimated tokens (without the answers)."""

    calls: int
    tokens: int


def estimate(memories: Iterable[Memory], *, template: Path | None = None) -> Estimate:
    """The number of prompts and tokens that extracting from these memories would send to a model."""
    prompt = _Prompt(_written(template), schema_supported=True)
    groups = ([memory for memory in group if _readable(memory)] for group in _batches(memories, _BATCH))
    sizes = [est_tokens(prompt.render(group)) for group in groups if group]
    return Estimate(len(sizes), sum(sizes))


def find_model(name: str, *, forms: tuple[str, ...] = ("get_async_model", "get_model")) -> Model:
    """The `llm` model with this name or alias, in the first form that it has. Raises NotFound."""
    import llm

    for form in forms:
        with suppress(llm.UnknownModelError):
            found: Model = getattr(llm, form)(name)
            return found
    raise NotFound(f"There is no llm model {name!r}. To list the models, run: llm models")


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
    client: Client | None = None,
) -> Iterator[list[Extraction]]:
    """One list of Extractions per prompt, so that a caller can store each list before the next prompt is sent.

    `batch`: memories per prompt; `at_once`: prompts at a time for an async model; `template`: a Jinja file instead of
    memkit's own; `client`: a Dask client whose workers ask, each of its threads one prompt at a time. Raises NotFound,
    BadSource or ValueError at once for a wrong model, template or number, and NotFound later if a worker does not know
    the model. Another later failure is the `error` of an Extraction.
    """
    import llm

    if batch < 1 or at_once < 1:
        raise ValueError(f"batch and at_once must be 1 or more, not {batch} and {at_once}.")
    found = find_model(model) if isinstance(model, str) else model
    prompt = _Prompt(_written(template), schema_supported=bool(found.supports_schema))
    groups = _batches(memories, batch)
    if client is not None:
        return _on_workers(client, model, _written(template), groups)
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
            _ask(prompt, group, answer).send(None)  # no event loop: a synchronous model never awaits
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

    # The loop runs in its own thread, because the caller may be inside a running loop: a notebook, or Datasette.
    with (
        closing(asyncio.new_event_loop()) as loop,
        ThreadPoolExecutor(1, thread_name_prefix="memkit-extract") as thread,
    ):
        for wave in batched(groups, at_once):
            task = loop.create_task(all_of(wave))
            try:
                answered = thread.submit(loop.run_until_complete, task)
                while not wait([answered], timeout=_LOOK_UP).done:
                    pass
            except BaseException:  # an interrupt: the answers are no longer needed
                loop.call_soon_threadsafe(task.cancel)
                raise
            yield from answered.result()


def _on_workers(
    client: Client, model: Model | str, template: str, groups: Iterator[list[Memory]]
) -> Iterator[list[Extraction]]:
    asked = ((group, (model, template, group)) for group in groups)
    for group, answer in in_order(client, _answered, asked):
        if isinstance(answer, str):
            raise NotFound(f"On a Dask worker: {answer}")
        if isinstance(answer, Lost):
            yield [Extraction(memory.key, error=str(answer)) for memory in group]
        elif answer is not None:
            yield answer


def _answered(asked: tuple[Model | str, str, list[Memory]]) -> list[Extraction] | str:
    """What a model says of a group of memories, asked in a worker; a text says why it is not there."""
    import llm

    model, template, group = asked
    try:  # not every error of memkit can be sent from process to process
        found = find_model(model, forms=("get_model", "get_async_model")) if isinstance(model, str) else model
    except NotFound as error:
        return str(error)
    prompt = _Prompt(template, schema_supported=bool(found.supports_schema))
    if isinstance(found, (llm.AsyncModel, llm.AsyncKeyModel)):
        return next(_together(found, prompt, iter([group]), 1))
    return next(_in_turn(found, prompt, iter([group])))


async def _ask(prompt: _Prompt, group: list[Memory], answer: _Answer) -> list[Extraction]:
    """One Extraction for each memory of a group; the model is asked again if the first answer is unusable."""
    readable = [memory for memory in group if _readable(memory)]
    problem: Exception | None = None
    answered = False
    for _ in range(_ATTEMPTS if readable else 0):
        try:
            complaint = str(problem) if isinstance(problem, Malformed) else None
            said = await answer(prompt.render(readable, complaint))
            answered = True
            found = read_answer(said, readable)
        except Exception as error:  # noqa: BLE001  plugins raise any type: record it and continue
            problem = error
        else:
            by_key = {extraction.key: extraction for extraction in found}
            return [by_key.get(memory.key, Extraction(memory.key)) for memory in group]
    reason = f"{type(problem).__name__}: {problem}" if problem else None
    failed = {memory.key: Extraction(memory.key, error=reason, answered=answered) for memory in readable}
    return [failed.get(memory.key, Extraction(memory.key)) for memory in group]


# ---------------------------------------------------------------------------------------------- prompts


class _Prompt:
    """The prompt for a group of memories, and the options for the model."""

    def __init__(self, written: str, *, schema_supported: bool):
        self.schema_supported = schema_supported
        self.options: dict[str, Any] = {"schema": SCHEMA} if schema_supported else {}
        self._template = text_templates().from_string(written)

    def render(self, memories: list[Memory], complaint: str | None = None) -> str:
        numbered = [_shown(number, memory) for number, memory in enumerate(memories, start=1)]
        return self._template.render(
            memories=numbered,
            schema=json.dumps(SCHEMA),
            schema_supported=self.schema_supported,
            complaint=complaint,
        )


def _written(template: Path | None) -> str:
    """The text of a template that can be used. Raises BadSource."""
    from jinja2 import TemplateSyntaxError

    path = template or template_dir() / "extract" / "prompt.md"
    try:
        written = path.read_text(encoding="utf-8")
        text_templates().from_string(written)
        return written
    except OSError as error:
        raise BadSource(f"The prompt template {str(path)!r} cannot be read: {error.strerror}.") from error
    except TemplateSyntaxError as error:
        raise BadSource(
            f"The prompt template {str(path)!r} is not valid Jinja, line {error.lineno}: {error.message}."
        ) from error


def _shown(number: int, memory: Memory) -> str:
    """A memory as one line of JSON, so that its text cannot end the line and give the model instructions."""
    about = {"speaker": memory.speaker, "title": memory.title, "when": memory.when[:10] or None}
    shown = {name: value for name, value in about.items() if value}
    return json_line({"memory": number, **shown, "text": strip_context(memory.text)})


def _readable(memory: Memory) -> bool:
    """Whether a memory has text besides context that memkit itself added to a prompt."""
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
