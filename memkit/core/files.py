"""Package data: where memkit's own files lie, in an installed wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_PACKAGE = Path(__file__).resolve().parent.parent


def data_dir(name: str) -> Path:
    """The folder `name`: inside the package in an installed wheel, at the top level in a checkout."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"memkit's folder {name!r} is missing: neither {_PACKAGE / name} nor {_PACKAGE.parent / name} exists. "
        "Install memkit again."
    )


def data_file(name: str) -> Path:
    """The file `name`: inside the package in an installed wheel, at the top level in a checkout."""
    for folder in (_PACKAGE, _PACKAGE.parent):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(
        f"memkit's file {name!r} is missing: it is neither in {_PACKAGE} nor in {_PACKAGE.parent}. "
        "Install memkit again."
    )


def template_dir() -> Path:
    """The folder of memkit's templates."""
    return data_dir("templates")


def text_templates(*folders: str) -> ImmutableSandboxedEnvironment:
    """A sandboxed Jinja environment for prompts and pages of plain text (nothing is escaped as HTML).

    A template is looked for in each folder in turn. The text of memories reaches a template only as a value, which
    Jinja never runs as code.
    """
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
