"""What fuzzing found once is tried again, and each target tries some new inputs, always the same ones.

`make fuzz` tries new ones for as long as one likes; tests/fuzz/__init__.py tells how it works.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import environment
from fuzz import cases, inside, samples, targets, trial
from fuzz.soundness import Harmed
from fuzz.targets import read as read_target

from memkit.core.errors import BadSource
from memkit.core.types import Draft, LeftOut, ReadWarning
from memkit.sources import FORMATS, detect, read
from memkit.sources.tables.triples import TripleDraft

BLOCKS = 2


@pytest.mark.parametrize("path", cases.corpus(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_found_once_does_no_harm(path: Path) -> None:
    found = list(trial.tried(path.parent.name, cases.loaded(path.read_text())))
    assert [outcome for _, outcome in found if not outcome.sign.startswith("Slow")] == []


@pytest.mark.slow
def test_new_inputs_harm_no_target(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fuzz", "--seed", "1", "--blocks", str(BLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment())
    said = done.stdout + done.stderr + "".join(path.read_text() for path in tmp_path.rglob("*.txt"))
    assert done.returncode == 0, said
    assert all(f"| {name} |" in done.stdout for name in targets.NAMES)


def test_a_whole_file_of_every_format_is_what_the_readers_are_tried_with(tmp_path: Path) -> None:
    files = [*samples.whole(Random(1))]
    assert {format for format, _, _ in files} == set(FORMATS)
    for number, (format, name, data) in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        with read_target.written(folder, {"name": name, "data": data}) as path:
            assert detect(path) == format
            found = [one for one in read(path) if isinstance(one, Draft | TripleDraft)]
        assert found or format == "memkit"  # which is no source, and is left out


@pytest.mark.parametrize("format", sorted({*samples.FILES, *samples.MORE} - {"memkit"}))
def test_a_file_is_changed_inside_and_is_still_of_its_format(format: str, tmp_path: Path) -> None:
    _, name, made = samples.MORE.get(format) or (format, *samples.FILES[format])
    assert len({inside.changed(Random(seed), made()) for seed in range(10)}) > 5
    read_anyway = 0
    for seed in range(20):
        case = {"name": name, "data": inside.changed(Random(seed), made())}
        with read_target.written(tmp_path, case) as path, suppress(BadSource):
            read_anyway += any(isinstance(one, Draft | LeftOut | ReadWarning) for one in read(path))
    assert read_anyway


class Careless:
    """A world in which everything that can go wrong does, as the input says."""

    BLOCK = 1

    def __init__(self, folder: Path):
        self.harmed = False

    def run(self, case: Any) -> None:
        if case == "raises":
            raise KeyError(case)
        self.harmed = case == "harms"

    def check(self) -> None:
        if self.harmed:
            raise Harmed("by the last one")

    def close(self) -> None:
        self.harmed = False


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Careless as a target."""
    monkeypatch.setattr(trial, "target", lambda name: type("module", (), {"World": Careless}))


@pytest.mark.usefixtures("careless")
def test_an_exception_and_a_harmed_world_are_findings() -> None:
    assert [outcome.sign.split()[0] for _, outcome in trial.tried("careless", ["fine", "raises", "harms"])] == [
        "KeyError",
        "Harmed",
    ]
    assert list(trial.tried("careless", ["harms", "fine"])) == []


@pytest.mark.usefixtures("careless")
def test_a_finding_is_made_as_small_as_it_can_be() -> None:
    (_, outcome) = next(trial.tried("careless", ["raises"]))
    assert trial.smaller("careless", ["fine", "fine", "raises"], outcome.sign) == ["raises"]
    assert trial.smaller("careless", ["fine"], outcome.sign) == []


def test_an_input_is_the_same_after_it_was_saved() -> None:
    case = [{"data": b"\x00\xff", "text": "\ud800 é \0", "number": float("inf"), "list": [None, True, 10**30]}]
    assert cases.loaded(cases.dumped(case)) == case


@pytest.mark.parametrize("name", targets.NAMES)
def test_a_seed_gives_the_same_inputs_always(name: str) -> None:
    assert cases.dumped(targets.cases(name, 7, 3)) == cases.dumped(targets.cases(name, 7, 3))
    assert cases.dumped(targets.cases(name, 7, 3)) != cases.dumped(targets.cases(name, 8, 3))
