"""The generated pages say what the code says, and what the pages name is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_meta import GRAPH, ROOMS, room

from memkit.frontends.cli import COMMANDS
from memkit.sources import FORMATS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]


@pytest.fixture(scope="module")
def generate() -> SimpleNamespace:
    """docs/generate.py, which is no package."""
    return SimpleNamespace(**runpy.run_path(str(DOCS / "generate.py")))


@pytest.mark.parametrize("name", ["schema.md", "cli.md", "context.md", "formats.md", "../metadata.yml"])
def test_a_generated_page_is_what_the_code_makes(generate: SimpleNamespace, name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == generate.PAGES[name](), f"{name} is out of date: make docs"


def test_every_table_and_column_is_said_in_words(generate: SimpleNamespace) -> None:
    page = generate.schema_page()
    silent = [line for line in page.splitlines() if line.endswith("` |  |")]
    assert silent == []
    for name in generate._columns():
        if not name.startswith(("sqlite_", "_sqlite", "memories_fts_", "memories_cjk_", "index_stale")):
            assert f"### `{name}`" in page
    paragraphs = page.split("\n### ")[1:]
    assert [text.splitlines()[0] for text in paragraphs if not text.splitlines()[2].strip()] == []


def test_a_column_that_a_migration_adds_is_said_in_the_words_beside_it(generate: SimpleNamespace) -> None:
    script = [
        "alter table memories add column mood text;  -- how it felt",
        "alter table links add column seen integer;",
    ]
    assert generate._added(script, "memories") == {"mood": "how it felt"}
    assert generate._added(script, "links") == {"seen": ""}
    assert generate._added(script, "entities") == {}


def test_every_command_is_on_its_page() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    for name in COMMANDS:
        assert f"## {name}\n" in page


def test_every_format_has_a_section() -> None:
    written, _, rest = (DOCS / "formats.md").read_text("utf-8").partition("<!-- memkit formats -->")
    listed, _, after = rest.partition("<!-- end -->")
    for name in FORMATS:
        assert f"`{name}`" in written + after
        assert f"| `{name}` |" in listed


def test_the_readme_says_what_each_extra_adds() -> None:
    declared = (DOCS.parent / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]\n")[2]
    extras = re.findall(r"^(\w+) = ", declared.partition("\n[")[0], re.M)
    table = (DOCS.parent / "README.md").read_text("utf-8").partition("| extra |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == extras


def test_the_figures_for_newcomers_are_the_means_of_the_table_of_recall() -> None:
    table = (DOCS / "recall.md").read_text("utf-8").partition("### R@5\n")[2].partition("###")[0]
    names, _, *sets = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    columns = zip(*([float(cell.strip("*")) for cell in row[1:]] for row in sets), strict=True)
    means = {name: sum(column) / len(column) for name, column in zip(names[1:], columns, strict=True)}
    ours, best = means.pop("memkit"), max(means.values())
    assert len(sets) == 7
    for page in (ROOT / "README.md", DOCS / "first-week.md"):
        text = page.read_text("utf-8")
        for found in (ours, best, means["slots"]):  # the slots are plain BM25
            assert f"{found:.2f}".removeprefix("0") in text, page.name


def test_every_page_is_reached_from_the_index() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index


# ---------------------------------------------------------------------------------------------- the door for newcomers


def test_the_drawing_has_the_rooms_and_the_imports_of_the_code() -> None:
    drawing = (DOCS / "images" / "rooms.svg").read_text("utf-8")
    between = {(room(one), room(other)) for one, found in GRAPH.items() for other in found}
    drawn = set(re.findall(r'data-from="(\w+)" data-to="(\w+)"', drawing))
    assert re.findall(r'data-room="(\w+)"', drawing) == ROOMS[::-1]
    assert drawn == {(one, other) for one, other in between if one != other and {one, other} <= set(ROOMS)}, "make docs"


def test_the_page_of_the_architecture_has_the_rooms_in_their_order() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    assert re.findall(r"^\| \[`(\w+)`\]", page, re.M) == ROOMS


def named(page: Path) -> set[str]:
    """The paths of this checkout that a page names."""
    folders = "memkit|tests|docs|bench|templates|samples|notebooks|plugins"
    return set(re.findall(rf"(?<![\w/.])(?:{folders})/[\w./-]*", page.read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_is_named_is_there(page: Path) -> None:
    assert [path for path in sorted(named(page)) if not (ROOT / path.rstrip(".")).exists()] == []


def names_of_tests(path: str) -> set[str]:
    """The names of the tests in a file."""
    return set(re.findall(r"^(?:async )?def (test_\w+)", (ROOT / path).read_text("utf-8"), re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_is_named_is_there(page: Path) -> None:
    named_tests = re.findall(r"(tests/[\w/]+\.py)::(test_\w+)", page.read_text("utf-8"))
    assert [f"{path}::{test}" for path, test in named_tests if test not in names_of_tests(path)] == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_a_page_for_newcomers_names_paths(page: str) -> None:
    assert len(named(ROOT / page)) > 30


def test_an_answer_to_a_newcomers_question_names_what_its_file_has() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| question | answer |")[2].partition("\n\n")[0]
    answers = re.findall(r"`(memkit/[\w/.]+)`(?: \(`(\w+)`)?", table)
    assert len(answers) >= 10
    assert [name for path, name in answers if name and name not in (ROOT / path).read_text("utf-8")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file that is there, and in a page to a heading that it has."""
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text("utf-8")):
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}"
        assert not heading or heading in headings(target), f"{page.name} links to {link}"


def headings(page: Path) -> set[str]:
    """The headings of a page, as GitHub calls them in addresses."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}
