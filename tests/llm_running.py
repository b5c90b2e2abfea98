"""The real `llm` command in tests: in this process, and as a process of its own, with a user folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import llm_models
from click.testing import CliRunner, Result
from llm.cli import cli
from llm.plugins import pm

ROOT = Path(__file__).parent.parent


def run(*arguments: object, stdin: str | None = None) -> Result:
    """What `llm ARGUMENTS` does."""
    return CliRunner().invoke(cli, [str(one) for one in arguments], input=stdin)


def out(*arguments: object, stdin: str | None = None) -> str:
    """What `llm ARGUMENTS` prints, if all is well."""
    done = run(*arguments, stdin=stdin)
    assert done.exit_code == 0, done.output
    return done.stdout


def models() -> None:
    """Registers the scripted models in this process."""
    if not pm.has_plugin("scripted"):
        pm.register(llm_models, "scripted")


def process(*arguments: str, home: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """`python -m ARGUMENTS` to its end, with the scripted models installed."""
    environment = {**os.environ, "LLM_USER_PATH": str(home), "PYTHONPATH": installed(home)}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, env=environment, **options
    )


def installed(home: Path) -> str:
    """A PYTHONPATH on which the scripted models are an installed plugin of llm."""
    site = home.parent / "site"
    about = site / "scripted-1.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[llm]\nscripted = llm_models\n")
    return os.pathsep.join([str(site), str(ROOT), str(ROOT / "tests")])
