"""A simulated year: memories come day by day, and upkeep runs every evening. What is kept, and what is still found?

    python bench/year.py                          the default ages, turns of conversations among what grows older
    python bench/year.py --set episodes.compress_share=0.4 --set episodes.distil_share=0.9
    python bench/year.py --every 3                measured at the end of each third month only: a third of the time
    python bench/year.py --samples                the samples, where ../shared/eval is not there

Two databases get the same rows: one keeps everything, the other is maintained. Month by month: the size of both files,
the text that recall can find (tokens), and of the questions whose answers have happened by then: R@5, and the share of
the words of the answers in a context of 1,000 tokens (of at most 200 questions). A hit on a summary counts as a hit on
what it was made from, as the log of maintenance tells it. At the end: which relations are gone, whether every change
leads back to a source, and whether what is within its window can be undone. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from upkeep import MOST, SELECT_TEXT, answer_words, words_found

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError

ROOT = Path(__file__).parent.parent
LIHUA = ROOT.parent / "shared" / "eval" / "lihua_world"
SAMPLES = ROOT / "samples"
K = 5
BUDGET = 1000  # tokens of the contexts in which the words of answers are looked for
GROWS_OLDER = '["episode", "turn", "fact", "observation"]'

SELECT_RELATIONS = """
select s.name, r.predicate, o.name
from relations as r join entities as s on s.key = r.subject_key join entities as o on o.key = r.object_key
where r.expired_at is null and exists (select 1 from evidence as e where e.relation_key = r.key)
"""
SELECT_LINKED = """
select a.id, b.id from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
where l.type = 'derived_from'
"""


# ---------------------------------------------------------------------------------------------- what happens


def read(samples: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows in order of time, and the questions that have an answer among them."""
    folder, corpus, queries = (
        (SAMPLES, "facts.jsonl", "questions.jsonl")
        if samples or not LIHUA.exists()
        else (LIHUA, "corpus.jsonl", "queries.jsonl")
    )
    rows = [json.loads(line) for line in (folder / corpus).read_text("utf-8").splitlines()]
    rows = sorted((row for row in rows if row.get("timestamp")), key=lambda row: row["timestamp"])
    known = {row["id"] for row in rows}
    asked = [json.loads(line) for line in (folder / queries).read_text("utf-8").splitlines()]
    asked = [{**one, "relevant": [id for id in one["relevant"] if id in known]} for one in asked]
    return rows, [one for one in asked if one["relevant"]]


def days(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rows of each day."""
    for day, group in groupby(rows, key=lambda row: row["timestamp"][:10]):
        yield day, list(group)


# ---------------------------------------------------------------------------------------------- what is found


class Sources:
    """Which rows a memory goes back to: itself, or what it was made from, by links and by the log."""

    def __init__(self, db: MemoryDatabase):
        self.ids = dict(db.conn.execute("select id, source_id from memories where source_id is not null").fetchall())
        self.made_from: dict[str, set[str]] = defaultdict(set)
        for made, source in db.conn.execute(SELECT_LINKED):
            self.made_from[made].add(source)
        for change in db.maintenance(limit=None):
            if change.action == "made":
                self.made_from[change.memory_id] |= set(change.sources)

    def of(self, id: str) -> set[str]:
        """The source ids of a memory."""
        found, waiting, seen = set(), [id], set()
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            waiting += self.made_from.get(one, ())
            if one in self.ids and not self.made_from.get(one):
                found.add(self.ids[one])
        return found


def recall_at(db: MemoryDatabase, questions: list[dict[str, Any]], now: str, k: int = K) -> float:
    """The mean share of what is relevant among what the best k hits go back to."""
    sources = Sources(db)
    shares = []
    for one in questions:
        hits = db.recall(one["text"], k, now=now)
        found = set().union(*(sources.of(hit.memory.id) for hit in hits))
        shares.append(len(found & set(one["relevant"])) / len(one["relevant"]))
    return sum(shares) / len(shares) if shares else 0.0


def size(path: Path) -> float:
    """Megabytes of a database with its log."""
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*")) / 1e6


def text(db: MemoryDatabase, now: str) -> int:
    """Tokens that recall can find."""
    return db.conn.execute(SELECT_TEXT, {"now": now}).fetchone()[0]


# ---------------------------------------------------------------------------------------------- the year


def live(
    folder: Path, rows: list[dict[str, Any]], questions: list[dict[str, Any]], settings: dict[str, str], every: int
) -> None:
    """Lives through the rows and prints a table line for each month whose number `every` divides."""
    raw, kept = MemoryDatabase(folder / "raw.db"), MemoryDatabase(folder / "kept.db")
    kept.set_policy(settings=settings)
    last = {row["id"]: row["timestamp"] for row in rows}
    heads = "month, raw MB, kept MB, raw tokens, kept tokens, share, questions, R@5 raw, kept, words raw, kept, s"
    print(f"| {heads.replace(', ', ' | ')} |")  # noqa: T201
    print("|---" * len(heads.split(", ")) + "|")  # noqa: T201
    changes = 0
    for month, group in groupby(days(rows), key=lambda each: each[0][:7]):
        started = time.perf_counter()
        for day, new in group:
            evening = f"{day}T23:59:00Z"
            for db in (raw, kept):
                db.ingest(new, now=evening)
            changes += len(kept.maintain(now=evening).changes)
        seconds = time.perf_counter() - started
        if int(month[5:]) % every:
            continue
        happened = [one for one in questions if max(last[id] for id in one["relevant"]) <= evening]
        texts = text(raw, evening), text(kept, evening)
        found = recall_at(raw, happened, evening), recall_at(kept, happened, evening)
        answered = [one for one in happened if answer_words(one.get("answer"))][:MOST]
        words = [words_found(db, answered, BUDGET, evening) if answered else float("nan") for db in (raw, kept)]
        sizes = size(folder / "raw.db"), size(folder / "kept.db")
        print(  # noqa: T201
            f"| {month} | {sizes[0]:.1f} | {sizes[1]:.1f} | {texts[0]:,} | {texts[1]:,} | {texts[1] / texts[0]:.2f} "
            f"| {len(happened)} | {found[0]:.3f} | {found[1]:.3f} "
            f"| {words[0]:.3f} | {words[1]:.3f} | {seconds:.1f} |",
            flush=True,
        )
    print(f"\n{changes:,} changes. {check(raw, kept, evening)}")  # noqa: T201
    kept.vacuum(now=evening)
    print(f"After vacuum: {size(folder / 'kept.db'):.1f} MB.")  # noqa: T201


def check(raw: MemoryDatabase, kept: MemoryDatabase, now: str) -> str:
    """What is lost, what leads nowhere, and how much of what can be undone is undone, in words."""
    before, after = ({tuple(row) for row in db.conn.execute(SELECT_RELATIONS)} for db in (raw, kept))
    lost = before - after
    changes = kept.maintenance(limit=None)
    rows = {row[0] for row in kept.conn.execute("select id from memories")}
    lost_ways = [one for one in changes if not (one.sources or one.memory_id in rows or one.undoable or one.why)]
    undone, failed = undo_all(kept, now)
    return (
        f"{len(lost)} of {len(before)} relations with evidence lost{f': {sorted(lost)[:5]}' if lost else ''}. "
        f"{len(lost_ways)} changes without a source. {undone:,} changes within their window undone, {failed} not."
    )


def undo_all(kept: MemoryDatabase, now: str) -> tuple[int, int]:
    """Takes back, newest first, every change that can be taken back, in a copy; how many, and how many refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        kept.conn.execute("vacuum into ?", (str(path),))
        with MemoryDatabase(path) as copy:
            undone = failed = 0
            for change in copy.maintenance(limit=None):
                if change.undoable and not change.undone_at:
                    try:
                        copy.undo(change.id, now=now)
                        undone += 1
                    except MemkitError:
                        failed += 1
            return undone, failed


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--every", type=int, default=1, metavar="MONTHS")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the two databases stay")
    chosen = parser.parse_args()
    settings = {"episodes.compact_kinds": GROWS_OLDER, **dict(one.split("=", 1) for one in chosen.set)}
    rows, questions = read(chosen.samples)
    with tempfile.TemporaryDirectory() as folder:
        where = chosen.keep or Path(folder)
        where.mkdir(exist_ok=True, parents=True)
        live(where, rows, questions, settings, chosen.every)


if __name__ == "__main__":
    main()
