"""docs/behaviours.md says of each code what it means, and what it says of files and tests is so."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "behaviours.md"
FOLDERS = ("memkit", "tests", "bench", "docs", "templates", "plugins")
WRITTEN = {".py", ".md", ".sql", ".js", ".css", ".html", ".toml", ".yml", ".json"}
STATES = ("done", "partly", "different", "missing")

ENTRY = re.compile(r"^- (?:\*\*(?P<code>[CKSMEX]\d\d)\*\* )?\((?P<state>\w+)\) ")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)(?:::([\w.]+))?`")
CODE = re.compile(r"(?<![A-Za-z0-9#&\\])[CKSMEX]\d\d(?![A-Za-z0-9])")
NAMED = re.compile(r"(?<=_)[cksmex]\d\d(?=_)")
RANGE = re.compile(r"\b([CKSMEX])(\d\d)(?:-|–| to |_to_)\1(\d\d)(?!\d)")


class Entry:
    """A line of the page: its code (if any), its state, and the modules, parts of them and tests that it names."""

    def __init__(self, text: str):
        found = ENTRY.match(text)
        assert found, f"neither a code nor a state: {text[:80]}"
        self.text, self.code, self.state = text, found["code"], found["state"]
        named = PATH.findall(text)
        self.modules = [path for path, _ in named if not path.startswith("tests/")]
        self.parts = [(path, part) for path, part in named if part and not path.startswith("tests/")]
        self.tests = [(path, test) for path, test in named if test and path.startswith("tests/")]

    def __repr__(self) -> str:
        return self.text.splitlines()[0]


def entries() -> list[Entry]:
    """Every line of the designs, with and without a code."""
    lines = PAGE.read_text("utf-8").partition("\n## Construct\n")[2]
    return [Entry(text) for text in re.split(r"\n(?=- )", lines)[1:]]


def cited(text: str) -> Iterator[str]:
    """The codes in a text, in the names of its tests, and between the ends of its ranges."""
    names = "\n".join(re.findall(r"def (test_\w+)", text))
    yield from CODE.findall(text.replace("_", " "))
    yield from (code.upper() for code in NAMED.findall(names))
    for letter, first, last in RANGE.findall(f"{text}\n{names.upper().replace('_TO_', '_to_').replace('_', ' ')}"):
        yield from (f"{letter}{number:02}" for number in range(int(first), int(last) + 1))


def sources() -> list[Path]:
    """What people wrote: no weights, no pictures."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return [path for path in files if path.suffix in WRITTEN and "models" not in path.parts and path.is_file()]


def names_in(path: str) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("by reciprocal ranks (Kira, K18)", {"K18"}),
        ("C16 to C18", {"C16", "C17", "C18"}),
        ("S11-S13, M18", {"S11", "S12", "S13", "M18"}),
        ("def test_X02_X10_any():", {"X02", "X10"}),
        ("def test_k14_to_k16_near():", {"K14", "K15", "K16"}),
        ("def test_k18_ties():", {"K18"}),
        (r"#E15 \x08 \C08 m01 K180 MK18 UTF8", set()),
    ],
)
def test_codes_are_read_as_people_write_them(text: str, codes: set[str]) -> None:
    assert set(cited(text)) == codes


def test_every_code_that_is_cited_has_its_line() -> None:
    known = {entry.code for entry in entries()}
    files = [path for path in sources() if path != Path(__file__)]
    unknown = {
        f"{path.relative_to(ROOT)}: {code}"
        for path in files
        for code in cited(path.read_text("utf-8"))
        if code not in known
    }
    assert unknown == set()


def test_every_code_has_one_line_and_none_is_left_out() -> None:
    codes = [entry.code for entry in entries() if entry.code]
    last = {"C": 43, "K": 43, "S": 16, "M": 18, "E": 15, "X": 12}
    assert codes == [f"{letter}{number:02}" for letter, most in last.items() for number in range(1, most + 1)]


def test_every_state_is_one_of_four_and_what_is_not_as_published_says_why() -> None:
    assert {entry.state for entry in entries()} <= set(STATES)
    others = [entry for entry in entries() if entry.state in ("partly", "different")]
    assert [entry for entry in others if not re.search(r"\s\*[A-Z`]", entry.text)] == []


def test_every_file_that_is_named_is_there() -> None:
    named = {path for entry in entries() for path in (*entry.modules, *(path for path, _ in entry.tests))}
    assert sorted(path for path in named if not (ROOT / path).is_file()) == []


def test_every_part_of_a_module_that_is_named_is_there() -> None:
    bench = runpy.run_path(str(ROOT / "bench" / "mutants.py"))
    for module in {path for entry in entries() for path, _ in entry.parts}:
        tree = ast.parse((ROOT / module).read_text("utf-8"))
        parts = {part for entry in entries() for path, part in entry.parts if path == module}
        assert len(bench["named_parts"](tree, parts)) == len(parts), module


def test_mutants_are_made_of_the_parts_that_are_named() -> None:
    bench = runpy.run_path(str(ROOT / "bench" / "mutants.py"))
    tree = ast.parse(
        "A = B = 1\nC: int = 2\nclass D:\n    def e(self): return 3\n    def f(self): return 4\ndef g(): return 5"
    )
    lines = {
        name: [node.lineno for node in bench["named_parts"](tree, {name})]
        for name in ("B", "C", "D", "D.e", "D.f", "g")
    }
    assert lines == {"B": [1], "C": [2], "D": [3], "D.e": [4], "D.f": [5], "g": [6]}
    assert bench["named_parts"](tree, set()) == tree.body


def test_lines_whose_mutants_make_no_difference_still_stand_in_their_modules() -> None:
    for module, listed in json.loads((ROOT / "bench" / "equal_mutants.json").read_text("utf-8")).items():
        lines = {line.strip() for line in (ROOT / module).read_text("utf-8").splitlines()}
        assert [one for one in listed if one["line"] not in lines] == [], module
        assert [one for one in listed if one["changed"] == one["line"] or not one["why"].endswith(".")] == [], module


def test_every_test_that_is_named_is_there() -> None:
    named = {one for entry in entries() for one in entry.tests}
    there = {path: names_in(path) for path in {path for path, _ in named} if (ROOT / path).is_file()}
    assert sorted(f"{path}::{test}" for path, test in named if test not in there.get(path, ())) == []


def test_every_test_with_a_code_in_its_name_is_named_here() -> None:
    """So `bench/mutants.py` puts to a line's tests what breaks the line."""
    named = {one for entry in entries() for one in entry.tests}
    there = {(f"tests/{path.name}", test) for path in (ROOT / "tests").glob("test_*.py") for test in names_in(path)}
    coded = {(path, test) for path, test in there if re.match("test_[cksmex]\\d\\d_", test.lower())}
    assert sorted(coded - named) == []


def test_what_is_done_names_a_module_and_a_test() -> None:
    assert [entry for entry in entries() if entry.state == "done" and not (entry.modules and entry.tests)] == []


def test_the_sums_are_those_of_the_lines() -> None:
    rows = re.findall(
        r"^\| ([A-Z]?) ?\| .*? \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE.read_text("utf-8"), re.M
    )
    counts = Counter((entry.code[0], entry.state) for entry in entries() if entry.code)
    sums = {letter: [counts[letter, state] for state in STATES] for letter in "CKSMEX"}
    sums[""] = [sum(column) for column in zip(*sums.values(), strict=True)]
    assert {letter: [*map(int, row)] for letter, *row in rows} == {
        letter: [sum(each), *each] for letter, each in sums.items()
    }


def test_what_bench_sabotages_breaks_is_there_and_its_codes_have_tests() -> None:
    bench = runpy.run_path(str(ROOT / "bench" / "sabotages.py"))
    for one in bench["SABOTAGES"]:
        assert (ROOT / one.module).read_text("utf-8").count(one.old) == 1, one
        assert one.new not in (one.old, "")
        assert bench["tests_of"](one.code)
