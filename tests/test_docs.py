"""The generated pages say what the code says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from memkit.commands import COMMANDS
from memkit.sources import FORMATS

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """docs/generate.py, which is no package."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["schema.md", "cli.md", "context.md"])
def test_a_generated_page_is_what_the_code_makes(generate: ModuleType, name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == generate.PAGES[name](), f"docs/{name} is out of date: make docs"


def test_every_table_and_column_is_said_in_words(generate: ModuleType) -> None:
    page = generate.schema_page()
    silent = [line for line in page.splitlines() if line.endswith("` |  |")]
    assert silent == []
    for name in generate._columns():
        if not name.startswith(("sqlite_", "_sqlite", "memories_fts_", "memories_cjk_", "index_stale")):
            assert f"### `{name}`" in page
    paragraphs = page.split("\n### ")[1:]
    assert [text.splitlines()[0] for text in paragraphs if not text.splitlines()[2].strip()] == []


def test_every_command_is_on_its_page() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    for name in COMMANDS:
        assert f"## {name}\n" in page


def test_every_format_has_a_section() -> None:
    page = (DOCS / "formats.md").read_text("utf-8")
    for name in FORMATS:
        assert f"`{name}`" in page


def test_the_readme_says_what_each_extra_adds() -> None:
    declared = (DOCS.parent / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]\n")[2]
    extras = re.findall(r"^(\w+) = ", declared.partition("\n[")[0], re.M)
    table = (DOCS.parent / "README.md").read_text("utf-8").partition("| extra |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == extras


def test_every_page_is_reached_from_the_index() -> None:
    index = (DOCS / "index.md").read_text("utf-8")
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index
