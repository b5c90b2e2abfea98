"""How often recall tells what is no longer true: facts that changed, asked for now, before, and as of an earlier day.

    python bench/stale.py [--misses] [--strategy NAME]

A line of tests/data/stale.jsonl is a fact that changed: what was said before (`old`), what was said later (`new`), a
question about now and often one about the past. The controls have a statement (`first`) and a later one that looks as
if it replaced something (`later`) but does not. All lines of a language are in one database: every second one as
dated notes in a folder, the others remembered one by one.

`stale` is the share of questions about now with an old statement above the first new one in the first five hits;
`answered` the share with a new one among them; `marked` that of those with old ones among them where each of these says
"perhaps until". `marked_wrongly` is the share of controls whose first statement says so. `past` and `as_of` are the
shares with an old one among the first five hits of the question about the past, and of the question about now asked as
of the earlier day. `controls` is the share of controls with the first statement as the first hit, and among the first
five.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase

LINES = Path(__file__).parent.parent / "tests" / "data" / "stale.jsonl"
FIVE = 5
FIGURES = ("stale", "answered", "marked", "past", "as_of", "marked_wrongly", "first", "among")
BEFORE, BETWEEN, AFTER, NOW = date(2024, 3, 1), "2024-09-01", date(2025, 2, 1), "2025-10-01"


@dataclass(frozen=True)
class Outcome:
    """What recall answers for a line; None where the line asks nothing of the kind."""

    id: str
    stale: bool | None = None
    answered: bool | None = None
    past: bool | None = None
    as_of: bool | None = None
    marked: bool | None = None
    marked_wrongly: bool | None = None
    first: bool | None = None
    among: bool | None = None
    hits: tuple[str, ...] = ()


def lines() -> list[dict[str, Any]]:
    """The lines of the file."""
    return [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]


def statements(line: Mapping[str, Any], place: int) -> Iterable[tuple[str, str]]:
    """What is said, with its day: the later ones of a line about a year after the earlier ones."""
    first, later = BEFORE + timedelta(days=place), AFTER + timedelta(days=place)
    for texts, begin in ((line.get("old") or [line["first"]], first), (line.get("new") or [line["later"]], later)):
        for n, text in enumerate(texts):
            yield text, str(begin + timedelta(days=7 * n))


def filled(db: MemoryDatabase, told: Sequence[Mapping[str, Any]]) -> None:
    """Writes the statements of these lines, in the order of their days."""
    said = [(day, place, text, line) for place, line in enumerate(told) for text, day in statements(line, place)]
    with tempfile.TemporaryDirectory() as folder:
        for day, place, text, line in sorted(said, key=lambda one: one[:2]):
            if place % 2 or line.get("speaker"):
                db.remember(text, happened_at=day, speaker=line.get("speaker"))
            else:
                Path(folder, f"{day} {place}.md").write_text(f"---\ndate: {day}\n---\n{text}\n", encoding="utf-8")
        db.ingest(folder)


def outcome(db: MemoryDatabase, line: Mapping[str, Any], strategy: Any = None) -> Outcome:
    """What recall answers for one line."""

    def asked(question: str, **options: Any) -> list[str]:
        found = db.recall(question, FIVE, strategy=strategy, now=NOW, **options)
        return [hit.memory.text.strip() for hit in found]

    found = db.recall(line["question"], FIVE, strategy=strategy, now=NOW)
    now = [hit.memory.text.strip() for hit in found]
    marks = [
        bool(hit.later) for hit, text in zip(found, now, strict=True) if text in (line.get("old") or [line["first"]])
    ]
    if "first" in line:
        first, wrong = now[:1] == [line["first"]], any(marks)
        return Outcome(line["id"], marked_wrongly=wrong, first=first, among=line["first"] in now, hits=tuple(now))
    new = min((now.index(text) for text in line["new"] if text in now), default=FIVE)
    return Outcome(
        line["id"],
        stale=any(text in now[:new] for text in line["old"]),
        answered=new < FIVE,
        marked=all(marks) if marks else None,
        past=any(text in asked(line["past"]) for text in line["old"]) if "past" in line else None,
        as_of=any(text in asked(line["question"], as_of=BETWEEN) for text in line["old"]),
        hits=tuple(now),
    )


def outcomes(strategy: Any = None) -> list[Outcome]:
    """The outcomes of all lines; those of each language in a database of their own."""
    every = lines()
    found: list[Outcome] = []
    for language in dict.fromkeys(line["lang"] for line in every):
        told = [line for line in every if line["lang"] == language]
        with MemoryDatabase() as db:
            filled(db, told)
            found += [outcome(db, line, strategy) for line in told]
    return found


def share(found: Iterable[Outcome], name: str) -> float:
    """The share of those outcomes that have this figure for which it is true."""
    said = [getattr(one, name) for one in found if getattr(one, name) is not None]
    return sum(said) / len(said)


def main() -> None:
    """Prints the shares; with --misses, each line that is stale, not answered, not found before, or lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--strategy")
    options = parser.parse_args()
    found = outcomes(options.strategy)
    if options.misses:
        for one in found:
            wrong = [n for n in ("answered", "past", "as_of", "among", "first") if getattr(one, n) is False]
            if one.stale or wrong:
                print(one.id, *["stale"] * bool(one.stale), *wrong, *(f"\n    {text}" for text in one.hits))
    figures = {name: share(found, name) for name in FIGURES}
    print("  ".join(f"{name} {value:.3f}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
