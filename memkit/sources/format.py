"""Format: how files of one kind are recognised and read, as one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from memkit.sources.options import Reader
from memkit.sources.sample import Sample

OWN = "memkit"  # whose a format is that no plugin brought


@dataclass(frozen=True)
class Format:
    """A format of files. `about` says in one line what it holds; `read` is its reader.

    `files` are patterns of names (`*.md`, `History`) under which a folder may hold it; a pattern that begins with a
    dot also finds a hidden file. A format that `has_any_name` is also found where a name has no ending (a mailbox
    `Sent-1`): the beginning of such files is looked at. `matches` decides by a file's beginning; without it the format
    is only read when it is named, or when nothing else fits. `folder` decides by the names in a folder whether the
    folder as a whole is one source (a Maildir). An export often lies among other files: `own` is a pattern of the
    paths, in such a folder or zip, that belong to it, and what else is there is read by its own format; without it,
    all belongs to it. `needs` are libraries that the reader imports, and `extra` is the extra of memkit, or the
    package, that brings them. Of a zip of a format that `holds_files`, each file is read by its own format. `origin`
    is the package that registered the format.
    """

    name: str
    about: str
    read: Reader
    matches: Callable[[Sample], bool] | None = None
    files: tuple[str, ...] = ()
    folder: Callable[[Path, frozenset[str]], bool] | None = None
    own: str = ""
    needs: tuple[str, ...] = ()
    extra: str = ""
    holds_files: bool = False
    has_any_name: bool = False
    origin: str = OWN

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return any_of(self.files)

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        return tuple(re.split(r"[*?\]]", pattern.lower())[-1] for pattern in self.files)

    def has_name(self, name: str) -> bool:
        """Whether files of this format have such names, in lower case."""
        # Each file of a folder asks all formats: most are told apart without their pattern.
        return name.endswith(self._endings) and self._names.match(name) is not None

    def owns(self, path: str, *, deeper: bool = False) -> bool:
        """Whether a path belongs to the export in a folder (`deeper`: or in one of its folders, as in a zip)."""
        return re.fullmatch(f"(?:.*/)?(?:{self.own})" if deeper else self.own, path) is not None

    @property
    def package(self) -> str:
        """What brings the libraries that the reader needs, as one types it after `pip install`; empty if none."""
        if not self.needs:
            return ""
        return f"datasette-memkit[{self.extra}]" if self.origin == "memkit" else self.extra or " ".join(self.needs)

    @property
    def missing(self) -> str:
        """What has to be installed before files can be read; empty if nothing."""
        return "" if all(find_spec(library) for library in self.needs) else self.package


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """A pattern for names in lower case that fit any of these (`*` stands for anything)."""
    return re.compile("|".join(translate(pattern.lower()) for pattern in patterns) or r"(?!)")
