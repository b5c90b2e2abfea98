"""Exceptions of memkit. Each message says what is wrong and what to do.

    MemkitError
    ├── NotAMemoryDatabase   the file is something else, or was written by a newer memkit
    ├── ReadOnly             a write to a database that was opened read-only
    ├── Closed               a database is used after its close()
    ├── Busy                 another process held the write lock for too long
    ├── DiskFull             there is no room for a write; nothing of it was written
    ├── DamagedRows          another program has written rows that memkit cannot work with
    ├── NeedsPackage         an optional package is missing; the message has the command that installs it
    ├── EmbedderMismatch     the vectors in the file were made by another model
    ├── EmbedderFailed       an embedding model gave no vectors
    ├── ModelFailed          a language model gave no answer
    ├── BadSource            a file or folder that memkit cannot read
    ├── BadQuestion          an impossible value of a parameter (the text of a question is never one)
    │   └── BadArgument      a value of the wrong type; also a TypeError
    └── NotFound             no such memory, entity, document, project or strategy

Front ends catch `MemkitError` and show its message; everything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable


class MemkitError(Exception):
    """Base class. A failure that the user can do something about: the message says what."""


class NotAMemoryDatabase(MemkitError):
    """The file is not a memory database, or only a newer memkit understands it."""


class ReadOnly(MemkitError):
    """The call would write, but the database was opened read-only."""


class Closed(MemkitError):
    """The database is used after it was closed."""


class Busy(MemkitError):
    """Another process is writing, and did not finish in time."""


class DiskFull(MemkitError):
    """There is no room on the disk for a write. Nothing of it was written; an ingest says what it wrote before it."""


class IndexDamaged(MemkitError):
    """The full-text index cannot be read, because something other than memkit has written to it."""


class DamagedRows(MemkitError):
    """The file holds rows that memkit never writes, and what was asked for stumbles over them."""


class NeedsPackage(MemkitError):
    """An optional package is missing. Attributes: `package`, and `purpose`, which is what needs it."""

    def __init__(self, package: str, purpose: str, install: str | None = None):
        self.package, self.purpose = package, purpose
        super().__init__(f"{purpose} needs the package {package!r}. Run: pip install {install or package}")


class EmbedderMismatch(MemkitError):
    """The vectors in the file were made by another embedding model than the requested one."""


class EmbedderFailed(MemkitError):
    """An embedding model gave no vectors: it is not installed, has no key or network, is too slow, or answers wrongly.

    `reason` is a short one that strangers may read ("did not answer in time"): the message may quote a server.
    """

    def __init__(self, message: str, reason: str = ""):
        self.reason = reason or "failed"
        super().__init__(message)


class VectorsMissing(UserWarning):
    """Memories were stored without vectors, because their embedding model failed. The message says what to do."""


class IntentUnknown(UserWarning):
    """The language model that was to say what a message wants failed. Recall went on without it."""


class ModelFailed(MemkitError):
    """A language model gave no answer at all: there is no key, no network, or its plugin failed."""


class BadSource(MemkitError):
    """The file or folder cannot be read as any format that memkit knows."""


class BadQuestion(MemkitError):
    """A parameter of a recall or of another call has an impossible value."""


class BadArgument(BadQuestion, TypeError):
    """A parameter has a value of the wrong type: the message says what to pass."""


class NotFound(MemkitError):
    """The memory, entity, document, project, strategy or other thing that the caller named does not exist.

    `near` are the names of entities with a similar spelling.
    """

    def __init__(self, sentence: str = "", near: Iterable[str] = ()):
        super().__init__(sentence)
        self.near = tuple(near)


def one_of(kind: str, name: object, known: Iterable[str]) -> str:
    """The message for an unknown name: the name, the most similar known names, and all known names."""
    names = sorted(known)
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{name!r} is not {article} {kind}.{nearest(name, names)} There are: {', '.join(names)}."


def nearest(name: object, known: Iterable[str]) -> str:
    """` Did you mean 'a' or 'b'?` with up to three similar known names; empty text if none is similar."""
    from difflib import get_close_matches  # only where something is wrong

    near = get_close_matches(str(name), list(known), n=3)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
