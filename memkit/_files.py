"""Where memkit's own files lie: in an installed wheel inside the package, in a checkout beside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """The folder `name` that the wheel carries inside the package and the checkout at its top level."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"memkit's folder {name!r} is missing: neither {_PACKAGE / name} nor {_PACKAGE.parent / name}"
    )


def data_file(name: str) -> Path:
    """The file `name` that the wheel carries inside the package and the checkout at its top level."""
    for folder in (_PACKAGE, _PACKAGE.parent):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"memkit's file {name!r} is missing: neither in {_PACKAGE} nor in {_PACKAGE.parent}")


def template_dir() -> Path:
    """The folder of memkit's templates."""
    return data_dir("templates")
