"""Whether the tests of a published behaviour notice when exactly that is broken: a list of changes, each put to them.

    python bench/sabotages.py            # all of them
    python bench/sabotages.py K09 E05    # those of these codes

Each change is made in a copy of this checkout, alone. The tests are those that docs/behaviours.md names for the code,
without the slow ones. Prints, for each change, the first test that fails; the last line says how many were noticed.
`tests/test_behaviours.py` checks that what is to be changed is still there. bench/mutants.py does the same with changes
drawn at random.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGE = "docs/behaviours.md"
TEST = re.compile(r"`(tests/[\w./-]+)::(test_\w+)`")
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
PUBLISHED = "memkit/retrieval/published"


class Sabotage(NamedTuple):
    """One change: the code of the line that it breaks, what that means, and a text in the place of another."""

    code: str
    what: str
    module: str
    old: str
    new: str


SABOTAGES = (
    Sabotage(
        "C07",
        "a model that fails ends the recall",
        "memkit/retrieval/understanding.py",
        "except EmbedderFailed as error:\n            why",
        "except ZeroDivisionError as error:\n            why",
    ),
    Sabotage(
        "C29",
        "the walk begins at fifty nodes, not five",
        f"{PUBLISHED}/construct.py",
        'walk="construct", seeds=5,',
        'walk="construct", seeds=50,',
    ),
    Sabotage(
        "C30",
        "the walk goes three relations far",
        f"{PUBLISHED}/construct.py",
        "depth=2, append=5",
        "depth=3, append=5",
    ),
    Sabotage(
        "C35",
        "of nodes with a name the one changed first comes first",
        f"{PUBLISHED}/construct.py",
        "order by updated_at desc, key limit :limit",
        "order by updated_at, key limit :limit",
    ),
    Sabotage(
        "C35",
        "eleven nodes by name",
        f"{PUBLISHED}/construct.py",
        "limit: int = 10,\n    vector",
        "limit: int = 11,\n    vector",
    ),
    Sabotage(
        "C42",
        "the block shows other kinds than preference, fact and note",
        "templates/context/construct.md",
        '{{ m.kind if m.kind in ("preference", "fact") else "note" }}',
        "{{ m.kind }}",
    ),
    Sabotage(
        "C42",
        "the tool shows other kinds than preference, fact and note",
        "templates/context/construct_tool.md",
        '{{ m.kind if m.kind in ("preference", "fact") else "note" }}',
        "{{ m.kind }}",
    ),
    Sabotage(
        "K09", "all relations that words find", f"{PUBLISHED}/kira.py", "if key in hold][:BY_WORDS]", "if key in hold]"
    ),
    Sabotage(
        "K12",
        "the list of meaning is as long as it comes",
        f"{PUBLISHED}/kira.py",
        "best_first(similar.items()).items())[:most]",
        "best_first(similar.items()).items())",
    ),
    Sabotage(
        "K12",
        "relations do not inherit the vector of their entity",
        f"{PUBLISHED}/kira.py",
        "inherited[RELATION, relation.key] = max(scores)",
        "del scores",
    ),
    Sabotage(
        "K15",
        "the least sure facts of an entity first",
        f"{PUBLISHED}/kira.py",
        "order by m.confidence desc, m.key",
        "order by m.confidence, m.key",
    ),
    Sabotage(
        "K15",
        "eleven facts of an entity",
        f"{PUBLISHED}/kira.py",
        "found.depths, scope, settings.fan_out).items()",
        "found.depths, scope, 11).items()",
    ),
    Sabotage(
        "K19",
        "what is far from the named entity gets as much",
        f"{PUBLISHED}/kira.py",
        "bonus(fact.depth, fact.confidence)",
        "bonus(0, fact.confidence)",
    ),
    Sabotage(
        "K19",
        "what is not sure gets as much",
        f"{PUBLISHED}/kira.py",
        "bonus(fact.depth, fact.confidence)",
        "bonus(fact.depth)",
    ),
    Sabotage(
        "K22",
        "importance does not count",
        f"{PUBLISHED}/kira.py",
        'recency="kira", importance="kira"',
        'recency="kira", importance="none"',
    ),
    Sabotage(
        "K37",
        "raw episodes are compacted after two days",
        "memkit/maintenance/policy.py",
        "_number(24.0, 0, 24 * LONGEST,",
        "_number(48.0, 0, 24 * LONGEST,",
    ),
    Sabotage(
        "K37",
        "summaries are made shorter after two weeks",
        "memkit/maintenance/policy.py",
        "distil_after_days: float = _number(7.0,",
        "distil_after_days: float = _number(14.0,",
    ),
    Sabotage(
        "K37",
        "a file that is too large ages as others do",
        "memkit/maintenance/maintain.py",
        "return replace(work, policy=replace(work.policy, episodes=halved))",
        "return work",
    ),
    Sabotage(
        "M03",
        "a recall counts farther triples as much",
        f"{PUBLISHED}/membox.py",
        "score(fact.depth, sim,",
        "score(0, sim,",
    ),
    Sabotage(
        "M03",
        "words weigh what meaning weighs",
        f"{PUBLISHED}/membox.py",
        "(alpha * sim + (1 - alpha) * bm25)",
        "((1 - alpha) * sim + alpha * bm25)",
    ),
    Sabotage(
        "M08",
        "another form of a word counts in full",
        f"{PUBLISHED}/membox.py",
        "OTHER_FORMS = 0.5\n",
        "OTHER_FORMS = 1.0\n",
    ),
    Sabotage(
        "M13", "half of the places for raw text", f"{PUBLISHED}/membox.py", "CHUNK_SHARE = 0.4", "CHUNK_SHARE = 0.5"
    ),
    Sabotage(
        "M13",
        "nothing is kept for raw text",
        f"{PUBLISHED}/membox.py",
        "reserved = min(int(CHUNK_SHARE * budget), sum(map(chunk_cost, chunks)))",
        "reserved = 0",
    ),
    Sabotage(
        "E05",
        "importance does not count",
        f"{PUBLISHED}/engram.py",
        'recency="engram", importance="engram"',
        'recency="engram", importance="none"',
    ),
    Sabotage(
        "E05",
        "what was read lately is no nearer",
        f"{PUBLISHED}/engram.py",
        'recency="engram", importance="engram"',
        'recency="none", importance="engram"',
    ),
    Sabotage(
        "E05",
        "what is read often is no nearer",
        f"{PUBLISHED}/engram.py",
        'access="engram", project',
        'access="none", project',
    ),
    Sabotage(
        "E05",
        "words do not make a distance shorter",
        f"{PUBLISHED}/engram.py",
        'fulltext=Fulltext(weight=0.3, query="content"',
        'fulltext=Fulltext(weight=0.0, query="content"',
    ),
)


def tests_of(code: str) -> list[str]:
    """The tests that docs/behaviours.md names for a code."""
    page = (ROOT / PAGE).read_text("utf-8")
    (line,) = (part for part in re.split(r"\n(?=- |#)", page) if part.startswith(f"- **{code}**"))
    return [f"{path}::{test}" for path, test in TEST.findall(line)]


def noticed(copy: Path, one: Sabotage) -> str | None:
    """The first test that fails with this change; None if none does."""
    path = copy / one.module
    source = path.read_text("utf-8")
    if source.count(one.old) != 1:
        raise SystemExit(f"{one.module}: {one.old!r} is there {source.count(one.old)} times")
    path.write_text(source.replace(one.old, one.new), "utf-8")
    try:
        call = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-m",
            "not slow",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
        ]
        ran = subprocess.run([*call, *tests_of(one.code)], cwd=copy, capture_output=True, text=True, check=False)
    finally:
        path.write_text(source, "utf-8")
    if ran.returncode not in (0, 1):
        raise SystemExit(f"{one.code}: the tests could not be run\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    found = FAILED.search(ran.stdout)
    return found[1].partition("::")[2] if found else None


def main() -> None:
    """Prints what each change breaks, and which test says so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", nargs="*", help="all, if none is given")
    codes = parser.parse_args().codes
    chosen = [one for one in SABOTAGES if not codes or one.code in codes]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "memkit").resolve()
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "node_modules", "__pycache__"))
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.environ["PYTHONPATH"] = os.pathsep.join([str(copy), *filter(None, [os.environ.get("PYTHONPATH")])])
        for one in chosen:
            test = noticed(copy, one)
            count += test is not None
            sys.stdout.write(f"| {one.code} | {one.what} | {f'`{test}`' if test else '**no test**'} |\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count} of {len(chosen)} noticed\n")


if __name__ == "__main__":
    main()
