"""What people install: the wheel, alone, in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import memkit

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path) -> str:
    """What a command prints; it sees nothing of this checkout or this environment."""
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.whl"))


def files(folder: Path) -> set[str]:
    """The paths in a folder of the checkout, as they are in a wheel."""
    found = (path.relative_to(ROOT) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.as_posix() if path.parts[0] == "memkit" else f"memkit/{path.as_posix()}" for path in found}


def test_the_wheel_carries_everything_and_nothing_else(wheel: Path) -> None:
    """Code, types, SQL, the model, templates, samples; no tests."""
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {"memkit/metadata.yml"}.union(*(files(ROOT / name) for name in ("memkit", "templates", "samples")))
    assert {name for name in names if ".dist-info/" not in name} == wanted
    parts = "py.typed storage/schema.sql embedding/models/minilm-static/model.safetensors samples/facts.jsonl"
    assert wanted >= {f"memkit/{part}" for part in parts.split()}


def test_the_version_of_the_wheel_is_that_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [metadata] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        assert f"\nVersion: {memkit.__version__}\n" in packed.read(metadata).decode()
    assert wheel.name.startswith(f"datasette_memkit-{memkit.__version__}-")


def test_the_wheel_in_an_empty_environment_runs_the_demo(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "venv")
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = ("install", "--quiet", "--no-compile", wheel)  # compiled is what gets used
    run(sys.executable, "-m", "pip", "--python", scripts / "python", *install, cwd=tmp_path)
    said = run(scripts / "memkit", "demo", "--no-serve", cwd=tmp_path)
    assert "0 failed" in said
    assert said.count("3 memories") == 3
    assert "Rosa planted the quince in 2019" in said
    where = run(scripts / "python", "-c", "import memkit; print(memkit.__file__)", cwd=tmp_path)
    assert str(ROOT) not in where
    assert "broken" not in run(scripts / "memkit", "doctor", "demo.db", cwd=tmp_path)
    # Plain Datasette has the pages, with the templates of the wheel; strangers see nothing until the owner says so.
    recall = (scripts / "datasette", "demo.db", "--get", "/recall?q=who+planted+the+quince%3F")
    assert "no memory database here that you may see" in run(*recall, cwd=tmp_path)
    monkeypatch.setenv("MEMKIT_PUBLIC", "1")
    assert 'class="mk-hit"' in run(*recall, cwd=tmp_path)
