"""Killed at a random moment, each operation that writes leaves a whole database, and can be done again.

`bench/kills.py` kills a thousand times; here the seed is always the same, but the moments are the machine's.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from fuzz.soundness import Harmed
from killing import Kills, live, warm
from operations import NOW, OPERATIONS, Operation, held, nothing, nothing_told, remembered

from memkit import MemoryDatabase

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_kill_at_any_moment_loses_nothing(operation: Operation, tmp_path: Path) -> None:
    warm()
    kills = Kills(operation, tmp_path, Random(operation.name))
    for _ in range(3):
        kills.once()
    assert kills.kills == 3


def forgetful(db: MemoryDatabase, folder: Path, tell) -> None:
    """Acknowledges what it does not keep."""
    db.remember("Rosa planted the quince.", now=NOW)
    tell("Rosa planted the quince.")
    tell("Otto watered it.")


def test_a_lost_acknowledgement_is_noticed(tmp_path: Path) -> None:
    operation = Operation("forgetful", nothing, forgetful, remembered, held)
    with pytest.raises(Harmed, match="lost: "):
        Kills(operation, tmp_path, Random(1))


def endless(db: MemoryDatabase, folder: Path, tell) -> None:
    """Never ends."""
    number = 0
    while True:
        number += 1
        db.remember(f"Rosa planted {number} quinces.", now=NOW)
        tell(f"Rosa planted {number} quinces.")


def test_a_killed_process_was_killed_and_had_told_what_it_kept(tmp_path: Path) -> None:
    nothing(tmp_path)
    found = live(Operation("endless", nothing, endless, nothing_told, held), tmp_path, 0.5)
    assert found.killed
    assert found.trouble == ""
    remembered(tmp_path, found.told)
