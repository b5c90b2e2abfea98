"""How a published folder says that it can be served: its Dockerfile and README, as far as that goes without Docker."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import click
import pytest
from datasette.cli import cli as datasette_cli

from memkit import MemoryDatabase

ROOT = Path(__file__).parent.parent
HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as it is published."""
    out = tmp_path_factory.mktemp("published") / "garden"
    with MemoryDatabase() as db:
        db.remember("Rosa planted the quince.", project="garden")
        db.publish(out, project="garden", title="A garden", cors=True)
    return out


def commands(text: str) -> list[list[str]]:
    """The command lines that call Datasette in a Markdown text, as words."""
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    lines = [shlex.split(line) for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and line[0].split("/")[-1] == "datasette"]


def test_datasette_knows_every_command_and_option_that_the_readme_names(published: Path) -> None:
    found = commands((published / "README.md").read_text("utf-8"))
    assert [line[1] for line in found] == ["serve", "-i", "package", "publish"]
    for _, *words in found:
        command: click.Command = datasette_cli
        words = words if words[0] in datasette_cli.commands else ["serve", *words]
        context = click.Context(command)
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
            context = click.Context(command, parent=context)
        command.make_parser(context).parse_args(words)  # raises for an option that there is not


def test_the_line_for_a_file_serves_it(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(published)
    line = next(line for line in commands((published / "README.md").read_text("utf-8")) if "-i" in line)
    asked = [sys.executable, "-m", *line, "--get", "/recall?q=quince"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert "Rosa planted the" in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------------------------------------- the Dockerfile


def clean() -> dict[str, str]:
    """The environment without this checkout's."""
    return {name: value for name, value in os.environ.items() if name not in HIDDEN}


class Image:
    """A folder and an environment that stand for a container: a Dockerfile's lines, one after the other."""

    def __init__(self, source: Path, place: Path, wheels: Path):
        self.source, self.site, self.wheels = source, place / "site", wheels
        venv.create(place / "venv")
        self.scripts = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.command: list[str] = []
        for line in (source / "Dockerfile").read_text("utf-8").splitlines():
            word, _, rest = line.partition(" ")
            if word == "FROM":
                assert re.fullmatch(r"python:3\.\d+-slim", rest)  # here it is the Python of the tests
            elif word != "#":
                getattr(self, word.lower())(rest)

    def workdir(self, path: str) -> None:
        """Where everything else happens."""
        assert path == "/site"
        self.site.mkdir()

    def copy(self, what: str) -> None:
        """A file, or all of them, into the folder."""
        name, to = what.split()
        assert to == "."
        if name == ".":
            shutil.copytree(self.source, self.site, dirs_exist_ok=True)
        else:
            shutil.copy(self.source / name, self.site)

    def run(self, line: str) -> None:
        """pip's part of it, which finds memkit as it is here; the system's users are left alone."""
        pip, user = (shlex.split(part) for part in line.split("&&"))
        assert (pip[:2], user) == (["pip", "install"], ["useradd", "--system", "reader"])
        python = [sys.executable, "-m", "pip", "--python", str(self.scripts / "python"), *pip[1:]]
        done = subprocess.run(
            [*python, "--quiet", "--no-compile", "--find-links", str(self.wheels)],
            cwd=self.site,
            env=clean(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def user(self, name: str) -> None:
        """One who may only read."""
        assert name == "reader"

    def expose(self, port: str) -> None:
        """The port that the command listens at."""
        assert port == "8001"

    def cmd(self, words: str) -> None:
        """What it does when it is started."""
        self.command = json.loads(words)


@pytest.fixture(scope="module")
def image(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """What the Dockerfile builds, with a wheel of this checkout."""
    wheels = tmp_path_factory.mktemp("wheels")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)],
        check=True,
        env=clean(),
    )
    return Image(published, tmp_path_factory.mktemp("image"), wheels)


@pytest.fixture
def port(image: Image) -> Iterator[int]:
    """The image's command at work, at another port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    words = [str(free) if word == "8001" else word for word in image.command]
    words[words.index("0.0.0.0")] = "127.0.0.1"
    process = subprocess.Popen([str(image.scripts / words[0]), *words[1:]], cwd=image.site, env=clean())
    try:
        yield free
    finally:
        process.terminate()
        process.wait()


def get(port: int, path: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer, for which a minute is time enough."""
    for _ in range(600):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return response.status, headers, response.read().decode()
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("The server does not answer.")


@pytest.mark.slow
def test_what_the_dockerfile_builds_serves_the_folder(image: Image, port: int) -> None:
    status, _, text = get(port, "/recall?q=who+planted+the+quince%3F")
    assert status == 200
    assert 'class="mk-hit"' in text
    for path in ("/recall.json?q=quince", "/a-garden/-/graph.json", "/a-garden/memories.json"):
        assert get(port, path)[1]["access-control-allow-origin"] == "*"
    assert {
        get(port, path)[0] for path in ("/", "/about", "/a-garden/memories", "/a-garden/-/graph", "/robots.txt")
    } == {200}
    assert get(port, "/a-garden.db")[0] == 403
    assert {path.name for path in image.site.iterdir()} == {path.name for path in image.source.iterdir()}
