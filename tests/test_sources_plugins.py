"""Other packages bring formats: a hook, as Datasette and llm have it."""

import json
import sys
import textwrap
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.frontends.cli.main import cli
from memkit.sources import registry

# What the page for people who write such a package shows.
PAGE = (Path(__file__).parents[1] / "docs" / "formats.md").read_text("utf-8").partition("## Formats of your own")[2]
PLUGIN = PAGE.partition("```python\n")[2].partition("```")[0]
NEEDY = (
    PLUGIN
    + """
    register(Format("sonar", "Soundings", read, lambda seen: seen.suffix == ".snr", ("*.snr",), needs=("no_such_one",)))
"""
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a module as a package with an entry point of memkit's."""

    def install(code: str) -> None:
        site = tmp_path / "site"
        about = site / "ship_log-1.0.dist-info"
        about.mkdir(parents=True)
        (site / "ship_log_plugin.py").write_text(textwrap.dedent(code))
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: memkit-ship-log\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("[memkit]\nship_log = ship_log_plugin\n")
        monkeypatch.syspath_prepend(str(site))
        sys.modules.pop("ship_log_plugin", None)
        registry._brought.cache_clear()

    yield install
    monkeypatch.undo()
    sys.modules.pop("ship_log_plugin", None)
    registry._brought.cache_clear()


def test_a_plugin_brings_a_format(installed, tmp_path):
    installed(PLUGIN)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "june.log").write_text("LOG\nGale from the west.\nThe mast holds.\n")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(logs).added == 2
        assert db.ingest(logs / "june.log").unchanged == 2
        assert [hit.memory.text for hit in db.recall("mast")][:1] == ["The mast holds."]
    assert registry.formats()["ship-log"].origin == "memkit-ship-log"


def test_a_format_whose_library_is_missing_says_what_to_install(installed, tmp_path):
    installed(NEEDY)
    (tmp_path / "deep.snr").write_text("x")
    with MemoryDatabase(embed="none") as db, pytest.raises(BadSource, match=r"pip install 'no_such_one'"):
        db.ingest(tmp_path / "deep.snr")


@pytest.mark.parametrize("code", ["import no_such_module", "raise SystemError('bad day')", PLUGIN + "\n    1 / 0\n"])
def test_a_broken_plugin_is_left_out_with_a_warning(installed, code):
    installed(code)
    with pytest.warns(UserWarning, match="The plugin 'ship_log' of memkit is left out"):
        assert "markdown" in registry.formats()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "ship-log" not in registry.formats()


def test_the_list_of_formats_says_where_each_is_from_and_what_it_needs(installed):
    installed(NEEDY)
    done = CliRunner().invoke(cli, ["formats", "--json"])
    found = {one["name"]: one for one in json.loads(done.output)}
    assert set(found) == set(registry.formats()) >= {*registry.FORMATS, "ship-log", "sonar"}
    assert (found["sonar"]["origin"], found["sonar"]["install"], found["sonar"]["installed"]) == (
        "memkit-ship-log", "no_such_one", False,
    )  # fmt: skip
    assert (found["markdown"]["origin"], found["markdown"]["install"], found["markdown"]["installed"]) == (
        "memkit", "", True,
    )  # fmt: skip
    assert found["ics"]["install"] == "datasette-memkit[calendar]"
    assert found["ship-log"]["files"] == ["*.log"]


def test_formats_are_a_table_in_the_order_of_their_names(installed):
    installed(NEEDY.replace("Soundings", "<b>Soundings</b>"))
    printed = CliRunner().invoke(cli, ["formats"]).output.splitlines()
    names = [line.split()[0] for line in printed]
    assert names == ["format", *sorted(registry.formats())]
    (line,) = [line for line in printed if line.startswith("sonar ")]
    assert "Soundings" in line
    assert "; of memkit-ship-log; needs no_such_one (missing)  " in line
    assert "; of" not in next(one for one in printed if one.startswith("markdown "))
    assert "&lt;b&gt;Soundings" in registry.formats()._repr_html_()
