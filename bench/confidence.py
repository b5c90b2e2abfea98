"""How honest a recall's confidence is, and the fitting of it.

    python bench/confidence.py SETS... [--keep DIR]         figures, each set left out of the fitting in turn
    python bench/confidence.py SETS... --write              also writes confidence.json and docs/images/confidence.svg
    python bench/confidence.py SETS... --check SETS         and the figures of sets that have no part in the fitting

SETS is a folder of evaluation sets: folders with corpus.jsonl and queries.jsonl, as in docs/recall.md; those of
bench/more_sets.py may be added. The project's own samples are one more: everyday questions to a small memory. Each
question is asked where it belongs; where nothing answers it (in another group of its set, if the set has groups:
another person's conversation); and of other sets in the same kind of script. A recall is right if one of its first five
hits is wanted.

`area` is the area under the ROC curve of the confidence against right, `error` the expected calibration error (ten bins
of equal width), `quieted` the share of wrong recalls below the bound of the default strategy, and `lost` the share of
right ones. Nothing is written beside the sets; with --keep, the databases stay for the next time.
"""

# ruff: noqa: T201  (printing is what a benchmark is for)

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memkit import MemoryDatabase
from memkit.frontends import demo
from memkit.retrieval import confidence
from memkit.retrieval.confidence import chance
from memkit.retrieval.strategies import MEMKIT
from memkit.text.words import has_cjk

FIRST, JUDGED = 5, 10  # hits that decide whether a recall is right; hits that are judged one by one
SAMPLES = Path(__file__).parent.parent / "samples"
DIAGRAM = Path(__file__).parent.parent / "docs/images/confidence.svg"
SAMPLE, ELSEWHERE = 400, 60  # questions of a set; of each other set
PENALTY = 3.0  # of squared coefficients of scaled numbers: ridge regression
BOUNDS = (0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.12, 0.15, 0.2)
QUIET = {"pack": {"least_confidence": 1.0}}  # whatever may be called weak is
STRATEGIES = {"walking": QUIET, "words": QUIET | dict.fromkeys(("vector", "sentence", "graph", "bridge"))}
RECALL = {
    "walking": ("bm25", "covered", "known", "ahead", "walked", "meant"),
    "words": ("bm25", "covered", "known", "ahead"),
}
HIT = {
    "walking": ("odds", "covered", "score", "bm25", "rank", "graph", "bridge"),
    "words": ("odds", "covered", "score", "bm25", "rank"),
}


@dataclass(frozen=True)
class Asked:
    """A recall: the set, where it was asked (`home`, `group`, `set`), its numbers, and which hits were wanted.

    `may_be_weak` says that it is of those for which a low confidence counts (`confidence.is_weak`).
    """

    set: str
    where: str
    numbers: dict[str, float]
    hits: tuple[dict[str, float], ...]
    wanted: tuple[bool, ...]
    may_be_weak: bool

    @property
    def right(self) -> bool:
        """Whether one of the first five hits was wanted."""
        return any(self.wanted[:FIRST])


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# ---------------------------------------------------------------------------------------------- asking


def asked_in(folder: Path) -> Path:
    """The file with the questions of a set."""
    return folder / ("questions.jsonl" if folder == SAMPLES else "queries.jsonl")


def questions(folder: Path, others: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any], str | None]]:
    """Where a question is asked, the question, and the group that it is asked of."""
    mine = rows(asked_in(folder))
    groups = sorted({row["group"] for row in mine if row.get("group")})
    random.Random(1).shuffle(mine)
    for row in mine[:SAMPLE]:
        yield "home", row, row.get("group")
        elsewhere = [group for group in groups if group != row.get("group")]
        if elsewhere:
            yield "group", row, random.Random(row["id"]).choice(elsewhere)
    for other in others:
        theirs = rows(asked_in(other))
        random.Random(2).shuffle(theirs)
        for row in theirs[:ELSEWHERE]:
            yield "set", row, random.Random(row["id"]).choice(groups) if groups else None


def asked(folder: Path, sets: Sequence[Path], keep: Path, strategy: dict[str, Any]) -> Iterator[Asked]:
    """The recalls of all questions that are asked of a set."""
    script = _script(folder)
    others = [one for one in sets if one != folder and _script(one) == script]
    with MemoryDatabase(keep / f"{folder.name}.db") as db:
        if not len(db):
            _ = demo.build(db) if folder == SAMPLES else db.ingest(folder / "corpus.jsonl")
        for where, row, group in questions(folder, others):
            scope = {"project": group, "only_project": True} if group else {}
            found = db.recall(row["text"], JUDGED, strategy=strategy, now=row.get("timestamp"), **scope)
            relevant = {str(id) for id in row.get("relevant") or ()} if where == "home" else set()
            wanted = tuple(str(hit.memory.source_id) in relevant for hit in found)
            if found.measures:
                each = tuple(dict(hit.measures) for hit in found)
                yield Asked(folder.name, where, dict(found.measures), each, wanted, found.weak)


def _script(folder: Path) -> bool:
    return has_cjk(rows(asked_in(folder))[0]["text"])


# ---------------------------------------------------------------------------------------------- fitting


def fitted(numbers: list[dict[str, float]], right: list[bool], weights: np.ndarray, names: Sequence[str]) -> Any:
    """The coefficients of a logistic regression, by Newton's method: name to coefficient, and `always`."""
    values = np.array([[one[name] for name in names] for one in numbers])
    mean, spread = values.mean(0), values.std(0) + 1e-9
    scaled = np.c_[np.ones(len(values)), (values - mean) / spread]
    ridge = np.diag([0.0] + [PENALTY] * len(names))
    found = np.zeros(scaled.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (chance - np.array(right))) + ridge @ found
        found -= np.linalg.solve((scaled * (weights * chance * (1 - chance))[:, None]).T @ scaled + ridge, slope)
    plain = found[1:] / spread
    return {"always": found[0] - plain @ mean} | dict(zip(names, plain, strict=True))


def models(recalls: Sequence[Asked], kind: str) -> tuple[dict[str, float], dict[str, float]]:
    """The regression for recalls, and the one for hits; every set counts the same."""
    whole = fitted([one.numbers for one in recalls], [one.right for one in recalls], even(recalls), RECALL[kind])
    pairs = [(one, at) for one in recalls for at in range(len(one.hits))]
    each = [hit_numbers(whole, one)[at] for one, at in pairs]
    of_hits = fitted(each, [one.wanted[at] for one, at in pairs], even([one for one, _ in pairs]), HIT[kind])
    return whole, of_hits


def hit_numbers(whole: dict[str, float], one: Asked) -> list[dict[str, float]]:
    """The numbers of each hit, with the odds of its recall."""
    sure = chance(whole, one.numbers)
    return [{**hit, "odds": float(np.log(sure / (1 - sure)))} for hit in one.hits]


def even(recalls: Sequence[Asked]) -> np.ndarray:
    """A weight for each, so that every set has the same in all, and its questions asked at home the half of that.

    What is asked elsewhere is of two kinds, of another group and of another set, each half of the rest.
    """
    kinds = {one.set: set[str]() for one in recalls}
    for one in recalls:
        kinds[one.set].add(one.where)
    sizes = Counter((one.set, one.where) for one in recalls)
    parts = {name: max(len(where) - 1, 1) for name, where in kinds.items()}
    return np.array(
        [1000 / sizes[one.set, one.where] / (1 if one.where == "home" else parts[one.set]) for one in recalls]
    )


# ---------------------------------------------------------------------------------------------- figures


def area(pairs: Sequence[tuple[float, bool]]) -> float:
    """The chance that a right one has more confidence than a wrong one; ties count half."""
    right, wrong = (np.array([sure for sure, is_right in pairs if is_right is which]) for which in (True, False))
    if not len(right) or not len(wrong):
        return float("nan")
    return float(((right[:, None] > wrong).mean() + (right[:, None] >= wrong).mean()) / 2)


def bins(pairs: Sequence[tuple[float, bool]]) -> list[list[tuple[float, bool]]]:
    """The pairs in ten bins of confidence."""
    return [[pair for pair in pairs if min(int(pair[0] * 10), 9) == place] for place in range(10)]


def error(pairs: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error: how far confidence and share of right ones are apart, on average."""
    return sum(abs(sum(sure - is_right for sure, is_right in each)) for each in bins(pairs)) / max(len(pairs), 1)


def share(pairs: Sequence[tuple[float, bool]], which: bool, bound: float) -> float:
    """The share of the right (or wrong) ones that are below a bound."""
    below = [sure < bound for sure, is_right in pairs if is_right is which]
    return sum(below) / len(below) if below else float("nan")


def line(name: str, pairs: Sequence[tuple[float, bool]]) -> str:
    """The figures of a set as a row of a table."""
    bound = MEMKIT.pack.least_confidence
    figures = (area(pairs), error(pairs), share(pairs, False, bound), share(pairs, True, bound))
    return f"| {name} | " + " | ".join("" if np.isnan(one) else f"{one:.3f}" for one in figures) + f" | {len(pairs)} |"


def left_out(recalls: Sequence[Asked], kind: str) -> list[tuple[Asked, float, list[float]]]:
    """Each recall with its confidence and those of its hits, by regressions that its set had no part in."""
    judged = []
    for name in sorted({one.set for one in recalls}):
        whole, of_hits = models([one for one in recalls if one.set != name], kind)
        for one in recalls:
            if one.set == name:
                judged.append((one, chance(whole, one.numbers), [chance(of_hits, h) for h in hit_numbers(whole, one)]))
    return judged


def report(recalls: Sequence[Asked], kind: str) -> None:
    """Prints the figures of each set, left out of the fitting, and what bounds would quiet."""
    judged = left_out(recalls, kind)
    print(f"\n{kind}\n\n| set, left out | area | error | quieted | lost | recalls |\n|---|---|---|---|---|---|")
    for name in sorted({one.set for one in recalls}):
        print(line(name, [(sure, one.right) for one, sure, _ in judged if one.set == name and one.where != "set"]))
    print(line("all", plain(judged)))
    print(line("all, also asked of other sets", [(sure, one.right) for one, sure, _ in judged]))
    hits = [pair for one, _, each in judged for pair in zip(each, one.wanted, strict=True)]
    print(line("single hits", hits))
    print("\n| confidence | right | recalls |\n|---|---|---|")
    for place, each in enumerate(bins(plain(judged))):
        print(
            f"| .{place} to {(place + 1) / 10:.1f} | {sum(r for _, r in each) / max(len(each), 1):.2f} | {len(each)} |"
        )
    print("\n| bound | lost | of the samples | quieted in another group | in another set |\n|---|---|---|---|---|")
    for bound in BOUNDS:
        weak = [(one, one.may_be_weak and sure < bound) for one, sure, _ in judged]
        lost, samples, group, other = (
            [is_weak for one, is_weak in weak if holds(one)]
            for holds in (
                lambda one: one.right,
                lambda one: one.right and one.set == SAMPLES.name,
                lambda one: one.where == "group",
                lambda one: one.where == "set",
            )
        )
        shares = [f"{sum(each) / max(len(each), 1):.3f}" for each in (lost, group, other)]
        print(f"| {bound} | {shares[0]} | {sum(samples)} | {shares[1]} | {shares[2]} |")


def plain(judged: Sequence[tuple[Asked, float, list[float]]]) -> list[tuple[float, bool]]:
    """The confidence of each recall and whether it was right, of what was asked at home and in other groups."""
    return [(sure, one.right) for one, sure, _ in judged if one.where != "set"]


def diagram(recalls: Sequence[Asked], kind: str) -> str:
    """A reliability diagram as SVG: the share of the recalls of a confidence that was right.

    A dot is as large as the number of its recalls. On the diagonal, a confidence means what it says. Sets are left out
    of the fitting in turn.
    """
    judged = plain(left_out(recalls, kind))
    grid, dots = [], []
    for tenth in range(11):
        at, label = 40 + 32 * tenth, f"{tenth / 10:g}".removeprefix("0") or "0"
        grid.append(f'<path d="m{at},20 v320 m{40 - at},{at - 360} h320" stroke="#ddd"/>')
        grid.append(f'<text x="{at}" y="358" text-anchor="middle">{label}</text>')
        grid.append(f'<text x="34" y="{344 - 32 * tenth}" text-anchor="end">{label}</text>')
    for each in bins(judged):
        sure, right = (sum(pair[which] for pair in each) / max(len(each), 1) for which in (0, 1))
        size = 3 + 12 * np.sqrt(len(each) / len(judged))
        told = f"confidence {sure:.2f}, right {right:.2f}, {len(each):,} recalls"
        place = f'cx="{40 + 320 * sure:.0f}" cy="{340 - 320 * right:.0f}" r="{size:.1f}"'
        dots.append(f'<circle {place} fill="#2563eb" fill-opacity=".7"><title>{told}</title></circle>')
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 390" width="380" role="img"'
            ' font-family="system-ui,sans-serif" font-size="11" fill="#222">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *grid,
            '<path d="m40,340 l320,-320" stroke="#888" stroke-dasharray="4"/>',
            *dots,
            '<text x="200" y="380" text-anchor="middle">confidence</text>',
            '<text x="46" y="14">share that was right</text>',
            "</svg>\n",
        ]
    )


def check(recalls: Sequence[Asked], whole: dict[str, float]) -> None:
    """Prints the figures of sets that had no part in the fitting."""
    print("\n| set, no part in the fitting | area | error | quieted | lost | recalls |\n|---|---|---|---|---|---|")
    for name in sorted({one.set for one in recalls}):
        mine = [one for one in recalls if one.set == name and one.where != "set"]
        print(line(name, [(chance(whole, one.numbers), one.right) for one in mine]))
        at_home = [(chance(whole, one.numbers), one.right) for one in mine if one.where == "home"]
        print(line(f"{name}, at home", at_home))


def main() -> None:
    """Asks, prints the figures, and writes the coefficients if told to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--check", type=Path, nargs="*", default=[])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sets, checks = [*folders(given.sets), SAMPLES], folders(given.check)
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as folder:
        keep = given.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        written = {}
        for kind, strategy in STRATEGIES.items():
            recalls = [one for each in sets for one in asked(each, sets, keep, strategy)]
            report(recalls, kind)
            if given.write and kind == "walking":
                DIAGRAM.write_text(diagram(recalls, kind), "utf-8")
            whole, of_hits = models(recalls, kind)
            check([one for each in checks for one in asked(each, sets, keep, strategy)], whole)
            written |= {f"recall by {kind}": whole, f"hit by {kind}": of_hits}
    if given.write:
        rounded = {name: {key: round(float(v), 4) for key, v in one.items()} for name, one in written.items()}
        about = (
            "Coefficients of logistic regressions, written by bench/confidence.py; see memkit/retrieval/confidence.py."
        )
        path = Path(confidence.__file__).parent / "confidence.json"
        path.write_text(json.dumps({"about": about, "models": rounded}, indent=2) + "\n", "utf-8")


def folders(several: Iterable[Path]) -> list[Path]:
    """The sets in some folders."""
    return sorted(path.parent for one in several for path in one.glob("*/queries.jsonl"))


if __name__ == "__main__":
    main()
