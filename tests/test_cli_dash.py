"""Every command that writes one file writes it to standard output for `-`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.frontends.cli.main import cli

# What each begins with on standard output.
WRITES = {
    ("export",): b'{"memkit_export"',
    ("graph", "export"): b"<?xml",
    ("backup",): b"SQLite format 3\0",
    ("recover",): b"SQLite format 3\0",
}
# An argument after the database that is no file to write: a folder of many files, or something to read.
OTHERS = {("publish",), ("ingest",), ("sources",), ("restore",), ("eval",), ("compact",)}


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def places(command: click.Command) -> list[click.Parameter]:
    """The arguments of a command that are paths, without the database."""
    return [
        one
        for one in command.params
        if isinstance(one, click.Argument) and isinstance(one.type, click.Path) and one.name != "database"
    ]


def test_every_command_with_a_path_is_known_to_write_one_file_or_not() -> None:
    found = {path for path, command in commands(cli) if places(command)}
    assert found == set(WRITES) | (OTHERS & found)


@pytest.mark.parametrize("path", WRITES, ids=" ".join)
def test_a_command_that_writes_a_file_writes_to_standard_output_for_a_dash(
    path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryDatabase(tmp_path / "mine.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [*path, str(tmp_path / "mine.db"), "-"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout_bytes.startswith(WRITES[path])
    assert not (tmp_path / "-").exists()
