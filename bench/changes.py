"""How well memkit follows what changes: sentences about changes, plans, hearsay and corrections in five languages.

    python bench/changes.py [FILE.jsonl] [--misses]     tests/data/changes.jsonl, or another changes*.jsonl there

A line of a file is what somebody said (`said`: date, speaker, text), the relation that is asked for (`subject`,
`predicate`; an `object` without a subject asks whom `user` has as a boss), its values at three dates (`state`), and who
said the last of it (`by`; `?` for a rumour without a name).
A value that begins with `~` is only hearsay: it must be there with a confidence of at most .5, the others with more.
`right` counts lines with all three dates and the source right, `wrong presents` values that are stated with a
confidence over .5 at a date at which they are not true. Each `changes_unseen*` was written before the
rules that its misses led to; bench/RESULTS.md has the figures of both times.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase
from memkit.core.errors import NotFound

DATA = Path(__file__).parent.parent / "tests" / "data"
SURE = 0.5  # what is stated with more confidence counts as said at first hand


def outcome(line: dict[str, Any]) -> dict[str, Any]:
    """What memkit answers: `state` at each date in the form of the file, `by`, `right` and the `wrong` presents."""
    with MemoryDatabase() as db:
        for turn in line["said"]:
            speaker = None if turn["speaker"] == "user" else turn["speaker"]
            db.remember(turn["text"], happened_at=turn["date"], speaker=speaker)
        state, by = {}, set()
        for date in line["state"]:
            found = _relations(db, line, date)
            state[date] = sorted(f"{'' if one.confidence > SURE else '~'}{_value(one, line)}" for one in found)
        for one in _relations(db, line, None):
            by |= {evidence.said_by for evidence in one.evidence}
    wrong = [
        (date, value)
        for date, values in state.items()
        for value in values
        if not value.startswith("~") and value not in line["state"][date]
    ]
    right = all(state[date] == sorted(line["state"][date]) for date in state)
    said = line["by"].replace("?", "").replace("user", "") in by or not any(line["state"].values())
    return {"state": state, "by": sorted(by), "right": right and said, "wrong": wrong}


def _relations(db: MemoryDatabase, line: dict[str, Any], date: str | None) -> list[Any]:
    try:
        card = db.about(line.get("subject") or line["object"], as_of=date)
    except NotFound:
        return []
    relations = card.relations if date else (*card.relations, *card.history)
    asked = {name: line[name] for name in ("subject", "object", "predicate") if name in line}
    return [one for one in relations if all(getattr(one, name) == value for name, value in asked.items())]


def _value(relation: Any, line: dict[str, Any]) -> str:
    return str(relation.object if "subject" in line else relation.subject)


def main() -> None:
    """Prints the figures, by language and together; with --misses, each line that is not right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=DATA / "changes.jsonl")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    right: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    wrong = 0
    for line in map(json.loads, options.file.read_text(encoding="utf-8").splitlines()):
        answer = outcome(line)
        language = line["id"].split("-")[0]
        lines[language] += 1
        right[language] += answer["right"]
        wrong += len(answer["wrong"])
        if options.misses and not answer["right"]:
            print(line["id"], *(f"\n    {turn['date']} {turn['speaker']}: {turn['text']}" for turn in line["said"]))
            print(f"    {line['predicate']}: {answer['state']}, wanted {line['state']}; {answer['by']}, {line['by']}")
    print(", ".join(f"{language} {right[language]}/{lines[language]}" for language in lines))
    print(f"right: {sum(right.values())} of {sum(lines.values())}; wrong presents: {wrong}")


if __name__ == "__main__":
    main()
