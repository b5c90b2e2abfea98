"""What can go wrong, and what to do about it.

    MemkitError
    ├── NotAMemoryDatabase   the file is something else, or was written by a newer memkit
    ├── ReadOnly             a write to a database that was opened for reading
    ├── Closed               a call of a database after its close()
    ├── Busy                 another process holds the write lock for too long
    ├── NeedsPackage         an optional package is missing; the message is the command that installs it
    ├── EmbedderMismatch     the file's vectors were made by another model
    ├── BadSource            a file that memkit cannot read
    ├── BadQuestion          a parameter that makes no sense (never a question's text)
    │   └── BadArgument      a parameter of another type than the call takes; a TypeError, too
    └── NotFound             no such memory, entity, document, project, strategy

Front ends catch `MemkitError` and show its message; everything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MemkitError(Exception):
    """A failure that a person can do something about: the message says what."""


class NotAMemoryDatabase(MemkitError):
    """The file is no memory database, or one that only a newer memkit understands."""


class ReadOnly(MemkitError):
    """The database was opened read-only, and the call would write."""


class Closed(MemkitError):
    """The database was closed, and is used afterwards."""


class Busy(MemkitError):
    """Another process is writing, and did not finish in time."""


class NeedsPackage(MemkitError):
    """An optional package is missing."""

    def __init__(self, package: str, purpose: str, install: str | None = None):
        self.package, self.purpose = package, purpose
        super().__init__(f"{purpose} needs the package {package!r}. Run: pip install {install or package}")


class EmbedderMismatch(MemkitError):
    """The vectors in the file come from another model than the one asked for."""


class ModelFailed(MemkitError):
    """A language model that gives no answer at all: no key, no network, an error of its plugin."""


class BadSource(MemkitError):
    """A file or folder that cannot be read as any format memkit knows."""


class BadQuestion(MemkitError):
    """A parameter of a recall, or of another call, that makes no sense."""


class BadArgument(BadQuestion, TypeError):
    """A parameter of another type than the call takes: the message says what to pass."""


class NotFound(MemkitError):
    """Something named by the caller does not exist."""


def one_of(kind: str, name: object, known: Iterable[str]) -> str:
    """A sentence for a wrong name: what was given, the nearest right ones, and all of them."""
    names = sorted(known)
    return f"{name!r} is not a {kind}.{nearest(name, names)} There are: {', '.join(names)}."


def nearest(name: object, known: Iterable[str]) -> str:
    """A question after the known names that are most like this one; empty if none is."""
    near = get_close_matches(str(name), list(known), n=3)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
