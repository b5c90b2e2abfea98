"""Prompt assembler: several contributors give parts of a prompt, and one budget is divided among them.

    prompt = assemble_prompt([
        PromptPart("system", "You are a gardener.", priority=100, sticky=True),
        PromptPart("memory", lambda room: str(db.context(message, budget=room)), priority=80, most=0.5),
        PromptPart("conversation", turns, priority=60, newest=True),
    ], budget=2000, margin=0.05)

Contributors are served by their priority, the highest first, whatever their order in the prompt is. A sticky part is
served before all others, and while its text found no room, no part with a lower priority is shown (S14). `str(prompt)`
is the text; `prompt.ledger` says of each part what it took, and what was cut. memkit needs no database for it, so any
program can divide a budget with it (K25).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memkit.core.errors import BadQuestion
from memkit.core.formatting import counted, html_table
from memkit.retrieval.packing import fit_together, retrieval_budget
from memkit.text.words import est_tokens

Content = str | Sequence[str] | Callable[[int], "str | Sequence[str]"]
HEADINGS = ("part", "tokens", "of at most", "shown", "cut", "")
NO_ROOM, YIELDED, NOTHING = "no room left", "a sticky part found no room", "it had nothing to say"


@dataclass(frozen=True)
class PromptPart:
    """What one contributor gives: its name, its content and its priority (higher is served first).

    The content is a text, which is shown whole or not at all; a list of texts, of which those are shown that fit, the
    first ones first (with `newest`, the last ones, in their order); or a function from the number of tokens that are
    left for it to one of both. `most` is its largest share of the budget, 0 to 1. `sticky` is for what must not be
    missing. `heading` stands above it, if it is shown.
    """

    name: str
    content: Content
    priority: float = 50.0
    sticky: bool = False
    most: float = 1.0
    newest: bool = False
    heading: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.most <= 1:
            raise BadQuestion(f"The share of {self.name!r} must be between 0 and 1, not {self.most!r}.")


@dataclass(frozen=True)
class Entry:
    """A line of the ledger: a part, its tokens, the most that it could have, how many texts are shown and cut, why."""

    name: str
    tokens: int
    room: int
    shown: int
    cut: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Prompt:
    """An assembled prompt: its text, the tokens used of the budget, and the ledger, a line for each part in order."""

    text: str
    used: int
    budget: int
    ledger: tuple[Entry, ...]

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The prompt as values that JSON can hold."""
        return asdict(self)

    def _repr_html_(self) -> str:
        rows = [(e.name, f"{e.tokens:,}", f"{e.room:,}", str(e.shown), str(len(e.cut)), e.why) for e in self.ledger]
        return html_table(f"{counted(self.used, 'tokens')} of {self.budget:,}", HEADINGS, rows)


def assemble_prompt(
    parts: Iterable[PromptPart],
    budget: int = 16_384,
    *,
    tokens: Callable[[str], int] = est_tokens,
    margin: float = 0.0,
    joint: str = "\n\n",
) -> Prompt:
    """The prompt of all parts that fit into `budget` tokens, in the order in which they are given.

    `tokens` counts exactly; without it tokens are estimated. `margin` is a share of the budget that stays free, `joint`
    stands between parts and between the texts of one. A function as content is called once, when its turn comes; the
    tokens of what it returns count, not what it was asked for. Raises BadQuestion for a budget below 0, and for two
    parts of one name.
    """
    given = list(parts)
    names = [part.name for part in given]
    if budget < 0:
        raise BadQuestion(f"budget is 0 or more, not {budget}.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadQuestion(f"Two parts are called {twice!r}: each needs a name of its own.")
    whole = retrieval_budget(budget, margin=margin)
    texts: dict[str, str] = {}
    ledger: dict[str, Entry] = {}
    missed = float("-inf")  # the highest priority of a sticky part without room
    for part in sorted(given, key=lambda one: (not one.sticky, -one.priority, names.index(one.name))):
        page = _Page(names, texts, tokens, joint)
        room = min(whole - page.used, int(part.most * whole))
        if part.priority < missed:
            ledger[part.name] = Entry(part.name, 0, 0, 0, tuple(_texts(part, 0)), YIELDED)
            continue
        text, ledger[part.name] = _served(part, page, room, joint)
        if text:
            texts[part.name] = text
        if part.sticky and ledger[part.name].cut:
            missed = max(missed, part.priority)
    page = _Page(names, texts, tokens, joint)
    return Prompt(page.text(), page.used, budget, tuple(ledger[name] for name in names))


class _Page:
    """The prompt with the parts that have been served so far."""

    def __init__(self, names: list[str], texts: dict[str, str], tokens: Callable[[str], int], joint: str):
        self.names, self.texts, self.tokens, self.joint = names, texts, tokens, joint
        self.used = tokens(self.text())

    def text(self, **more: str) -> str:
        texts = {**self.texts, **more}
        return self.joint.join(texts[name] for name in self.names if texts.get(name))

    def adds(self, name: str, text: str) -> int:
        """The tokens that a part adds to the page."""
        return max(0, self.tokens(self.text(**{name: text})) - self.used) if text else 0


def _texts(part: PromptPart, room: int) -> list[str]:
    content = part.content(room) if callable(part.content) else part.content
    texts = [content] if isinstance(content, str) else list(content)
    return [text for text in texts if text.strip()]


def _served(part: PromptPart, page: _Page, room: int, joint: str) -> tuple[str, Entry]:
    """The text of a part in at most `room` tokens, and its line of the ledger."""
    texts = _texts(part, max(0, room))
    places = list(range(len(texts)))

    def written(chosen: Sequence[int]) -> str:
        body = joint.join(texts[place] for place in sorted(chosen))
        return f"{part.heading}\n{body}" if part.heading and body else body

    wanted = places[::-1] if part.newest else places
    packed = fit_together(wanted, room, lambda chosen: page.adds(part.name, written(chosen))) if room > 0 else None
    kept = list(packed.items) if packed else []
    if part.newest:  # a conversation has no gaps
        kept = _without_gaps(kept, len(texts))
    text = written(kept)
    cut = tuple(texts[place] for place in places if place not in kept)
    why = NO_ROOM if cut else NOTHING if not texts else ""
    return text, Entry(part.name, page.adds(part.name, text), max(0, room), len(kept), cut, why)


def _without_gaps(kept: Sequence[int], count: int) -> list[int]:
    """The places from the last one back to the first that is missing."""
    there = set(kept)
    first = next((place for place in range(count - 1, -1, -1) if place not in there), -1)
    return [place for place in kept if place > first]
