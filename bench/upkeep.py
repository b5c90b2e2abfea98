"""What upkeep leaves of what was said: `python bench/upkeep.py [--data ../shared/eval] [--set NAME=VALUE] [SET...]`.

Each set is taken in as one person's log (each of its groups is a project), with turns among what grows old, and
maintained until nothing is raw. Before and after, the same questions are asked. Reported are:

- the share of the words of the answers that are in `context`, at 500, 1,000 and 2,000 tokens;
- the share of the text that is left, in tokens that recall can find;
- of the source sentences that a summary or fact has at least half of the words of: the share of their numbers, dates,
  clock times, names and negations that stand in it unchanged (must be 1);
- sentences of summaries and facts that are no whole sentence of a source (must be 0), and those with another speaker
  than their source has (must be 0).

Without the folder of sets it says so and ends. Prints Markdown.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memkit import MemoryDatabase
from memkit.maintenance.dates import days_later
from memkit.text.statements import named_speakers, speaker_label
from memkit.text.words import content_words, sentences, word_set

DATA = Path(__file__).parent.parent.parent / "shared" / "eval"
SETS = ("lihua_world", "locomo", "longmemeval_evidence", "memdaily_persona")
BUDGETS = (500, 1000, 2000)
EVENINGS = (2, 9, 17, 60)  # days after the last message: summarised, expired, distilled, purged
GROWS_OLDER = '["episode", "turn", "passage", "fact", "observation"]'
MOST = 200  # questions of a set
SAYS_NOTHING = frozenset(["yes", "no", "是", "否"])  # answers that no word of a memory gives

SELECT_TEXT = """
select coalesce(sum(tokens), 0) from memories
where archived_at is null and (expires_at is null or expires_at > :now)
    and (valid_from is null or valid_from <= :now) and (valid_until is null or valid_until > :now)
"""
SELECT_MADE = """
select text, speaker from memories where archived_at is null and (compression <> 'raw' or kind = 'fact')
"""
TELLING = re.compile(
    r"\d+(?:[.,:/-]\d+)*|(?<=[a-z,] )[A-Z]\w+|\b(?:not|never|no|nobody|nothing|none|without)\b|\b\w+n['’]t\b|[不没未]"
)


def answer_words(answer: Any) -> frozenset[str]:
    """The words of an answer that must be in a context; none of an answer that only says yes or no."""
    text = str(answer or "")
    return frozenset() if text.strip(" .。").casefold() in SAYS_NOTHING else word_set(" ".join(content_words(text)))


def words_found(db: MemoryDatabase, asked: Sequence[dict[str, Any]], budget: int, now: str) -> float:
    """The mean share of an answer's words in the context for its question."""
    shares = []
    for one in asked:
        scope = {"project": one["group"], "only_project": True} if one.get("group") else {}
        text = str(db.context(one["text"], budget=budget, now=now, **scope))
        wanted = answer_words(one["answer"])
        shares.append(len(wanted & word_set(text)) / len(wanted))
    return sum(shares) / len(shares)


# ---------------------------------------------------------------------------------------------- what was changed


def lines(text: str, speaker: str | None) -> Iterator[tuple[str | None, str]]:
    """The lines of a text with their speakers: the name in front, else who spoke last, else the only speaker.

    In a transcript, others may speak than its speaker field names.
    """
    names = named_speakers(speaker)
    label, now = speaker_label(names, text), names[0] if len(names) == 1 else None
    for line in text.splitlines():
        opening = label.match(line) if label else None
        now, line = (opening["name"], line[opening.end() :]) if opening else (now, line)
        if line.strip():
            yield now, re.sub(r"^\s*(?:[-*+•]|\d+[.)]|>|#+)\s+", "", line)


@dataclass
class Fidelity:
    """What stands in summaries and facts, counted."""

    telling: int = 0
    unchanged: int = 0
    said: int = 0
    changed: int = 0
    misattributed: int = 0
    examples: list[str] = field(default_factory=list)

    def count(self, sources: Sequence[tuple[str | None, str]], made: Sequence[tuple[str | None, str]]) -> None:
        """Compares what was made with the lines of the sources, each with its speaker."""
        by_text: dict[str, set[str | None]] = defaultdict(set)
        holders: dict[str, set[int]] = defaultdict(set)
        for place, (speaker, line) in enumerate(sources):
            by_text[line.strip()].add(speaker)
            for start, end in sentences(line):
                by_text[line[start:end]].add(speaker)
            for word in word_set(line):
                holders[word].add(place)
        for speaker, line in made:
            body = line.strip()
            parts = [body] if body in by_text else [body[start:end] for start, end in sentences(body)]
            for part in parts:
                self.said += 1
                if part not in by_text:
                    self.changed += 1
                    self.examples.append(f"changed: {part!r}")
                    self._count_telling(sources, holders, part)
                    continue
                self.telling += len(TELLING.findall(part))
                self.unchanged += len(TELLING.findall(part))
                if speaker is not None and speaker not in by_text[part]:
                    self.misattributed += 1
                    self.examples.append(f"said by {sorted(map(str, by_text[part]))}, not by {speaker}: {part!r}")

    def _count_telling(
        self, sources: Sequence[tuple[str | None, str]], holders: dict[str, set[int]], body: str
    ) -> None:
        """Looks up the source line with most of these words; what its kept sentences tell must stand in the body."""
        counts: dict[int, int] = defaultdict(int)
        own = word_set(body)
        for word in own:
            for place in holders.get(word, ()):
                counts[place] += 1
        if not counts:
            return
        line = sources[max(counts, key=lambda place: (counts[place], -place))][1]
        for start, end in sentences(line):
            sentence = line[start:end]
            words = frozenset(content_words(sentence))
            if words and len(words & frozenset(content_words(body))) >= 0.5 * len(words):
                for telling in TELLING.findall(sentence):
                    self.telling += 1
                    self.unchanged += re.search(rf"(?<!\w){re.escape(telling)}(?!\w)", body) is not None or (
                        not telling.isascii() and telling in body
                    )


# ---------------------------------------------------------------------------------------------- one set


def measure(folder: Path, settings: dict[str, str], keep: Path | None, examples: int) -> None:
    """Prints a set's line of the table."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    asked = [one for one in questions if one["relevant"] and answer_words(one.get("answer"))]
    asked = random.Random(1).sample(asked, min(MOST, len(asked)))
    last = max(row["timestamp"] for row in rows)[:10] + "T23:59:00Z"
    end = days_later(last, EVENINGS[-1])
    with MemoryDatabase(keep / f"{folder.name}.db" if keep else ":memory:") as db:
        db.ingest(rows, now=last)
        whole = db.conn.execute(SELECT_TEXT, {"now": end}).fetchone()[0]
        before = [words_found(db, asked, budget, end) for budget in BUDGETS]
        db.set_policy(settings=settings)
        for days in EVENINGS:
            db.maintain(now=days_later(last, days))
        left = db.conn.execute(SELECT_TEXT, {"now": end}).fetchone()[0]
        after = [words_found(db, asked, budget, end) for budget in BUDGETS]
        found = Fidelity()
        sources = [line for row in rows for line in lines(row["text"], row.get("speaker"))]
        found.count(sources, [line for row in db.conn.execute(SELECT_MADE) for line in lines(*row)])
    cells = [f"{one:.3f} → {other:.3f} ({other / one:.3f})" for one, other in zip(before, after, strict=True)]
    kept = f"{found.unchanged / max(1, found.telling):.3f}"
    print(
        f"| {folder.name} | {len(asked)} | {' | '.join(cells)} | {left / whole:.2f} | {kept} of {found.telling:,} "
        f"| {found.changed:,} of {found.said:,} | {found.misattributed:,} |",
        flush=True,
    )
    for line in random.Random(1).sample(found.examples, min(examples, len(found.examples))):
        print(f"    {line}")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the maintained databases stay")
    parser.add_argument("--examples", type=int, default=0, metavar="N", help="show so many sentences that are wrong")
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        parser.exit(0, f"{chosen.data} is not there: nothing to measure. Give a folder of sets with --data.\n")
    if chosen.keep:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    settings = {"episodes.compact_kinds": GROWS_OLDER, **dict(one.split("=", 1) for one in chosen.set)}
    heads = [f"words of answers at {budget:,} tokens" for budget in BUDGETS]
    print(
        "| "
        + " | ".join(["set", "questions", *heads, "text", "unchanged", "changed sentences", "wrong speaker"])
        + " |"
    )
    print("|---" * (len(heads) + 6) + "|")
    for name in chosen.sets:
        measure(chosen.data / name, settings, chosen.keep, chosen.examples)


if __name__ == "__main__":
    main()
