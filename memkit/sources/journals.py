"""Journal settings: how Obsidian and Logseq name the files of daily, weekly and monthly notes.

Both write a pattern of their own, such as `YYYY/MM-MMMM/DD` (Obsidian, as Moment.js has it) or `yyyy_MM_dd` (Logseq,
as Java has it). A file that fits the pattern of its vault is a page of that day, month or year.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memkit.core.opening import open_regular
from memkit.core.patterns import alternatives
from memkit.core.written_dates import MONTHS, folded, known_date, month_of_week

_LONGEST_SETTINGS = 1_000_000  # bytes
_LONGEST_PATTERN = 200  # characters
_WORD = r"[^\W\d_]+\.?"
_SHARED = {"MMMM": rf"(?P<name>{_WORD})", "MMM": rf"(?P<name>{_WORD})", "MM": r"(?P<month>\d\d)"}
_SHARED |= {"M": r"(?P<month>\d\d?)", "Q": r"\d", "HH": r"\d\d", "mm": r"\d\d", "ss": r"\d\d"}
# What each letter of a pattern stands for; longer ones are tried first.
_MOMENT = _SHARED | {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d\d)",
    "GGGG": r"(?P<year>\d{4})",
    "gggg": r"(?P<year>\d{4})",
    "DD": r"(?P<day>\d\d)",
    "Do": rf"(?P<day>\d\d?)(?:{_WORD}|[.º])?",
    "D": r"(?P<day>\d\d?)",
    "dddd": _WORD,
    "ddd": _WORD,
    "dd": _WORD,
    "WW": r"(?P<week>\d\d)",
    "ww": r"(?P<week>\d\d)",
    "W": r"(?P<week>\d\d?)",
    "w": r"(?P<week>\d\d?)",
}
_JAVA = _SHARED | {
    "yyyy": r"(?P<year>\d{4})",
    "yy": r"(?P<year>\d\d)",
    "dd": r"(?P<day>\d\d)",
    "do": rf"(?P<day>\d\d?)(?:{_WORD})?",
    "d": r"(?P<day>\d\d?)",
    **{"E" * count: _WORD for count in range(1, 5)},
}
_PERIODS = ("daily", "weekly", "monthly", "quarterly", "yearly")
_EDN = re.compile(
    r'^[^;"\n]*?:(journals-directory|journal/(?:file-name|page-title)-format)\s+"([^"\n]*)"', re.MULTILINE
)


class Journals:
    """The journals of the vaults in a folder that is being read; the settings of each are read once."""

    def __init__(self) -> None:
        self._vaults: dict[Path, list[re.Pattern[str]]] = {}
        self._above: dict[Path, list[tuple[Path, re.Pattern[str]]]] = {}  # by folder

    def day(self, path: Path, root: Path | None) -> str | None:
        """The day, month or year of a journal's page as ISO text; None for another file.

        The settings of a vault count for the files below it, those outside of `root` do not count.
        """
        if root is None:
            return None
        folder = path.parent
        if folder not in self._above:
            self._above[folder] = list(self._patterns(folder, root))
        for vault, pattern in self._above[folder]:
            name = path.relative_to(vault).with_suffix("").as_posix()
            if (match := pattern.fullmatch(name)) and (found := _day(match.groupdict())):
                return found
        return None

    def _patterns(self, folder: Path, root: Path) -> Iterator[tuple[Path, re.Pattern[str]]]:
        """The patterns of the vaults that a folder lies in, the innermost first."""
        for vault in (folder, *folder.parents):
            if vault not in self._vaults:
                self._vaults[vault] = [*_obsidian(vault), *_logseq(vault)]
            yield from ((vault, pattern) for pattern in self._vaults[vault])
            if vault == root:
                return


def _day(part: Mapping[str, str | None]) -> str | None:
    year, month, day, week = (int(part.get(name) or 0) for name in ("year", "month", "day", "week"))
    if name := part.get("name"):
        month = MONTHS.get(folded(name).rstrip("."), 0)
        if not month:
            return None  # in a language that is not known here
    if not year or (day and not month):
        return None
    year += 2000 if year < 100 else 0
    return month_of_week(year, week) if week and not month else known_date(year, month or None, day or None)


def _obsidian(vault: Path) -> Iterator[re.Pattern[str]]:
    """The patterns in the settings of Obsidian: of its daily notes, and of the plugin for other periods."""
    folder = vault / ".obsidian"
    if not folder.is_dir():
        return
    daily = settings(folder / "daily-notes.json")
    plugin = settings(folder / "plugins" / "periodic-notes" / "data.json")
    for one in (daily, *(plugin.get(period) for period in _PERIODS)):
        if isinstance(one, dict):
            yield from _pattern(str(one.get("folder") or ""), str(one.get("format") or ""), _MOMENT, "[]")


def _logseq(vault: Path) -> Iterator[re.Pattern[str]]:
    """The patterns in the settings of Logseq: older versions name a file as the page is called."""
    found: dict[str, str] = {}
    with suppress(OSError), open_regular(vault / "logseq" / "config.edn") as stream:
        found = dict(_EDN.findall(stream.read(_LONGEST_SETTINGS).decode("utf-8", "replace")))
    for name in ("journal/file-name-format", "journal/page-title-format"):
        yield from _pattern(found.get("journals-directory", "journals"), found.get(name, ""), _JAVA, "''")


def settings(path: Path) -> dict[str, Any]:
    """What a program keeps in a file of JSON; nothing if it is not there, or holds something else."""
    with suppress(OSError, ValueError, RecursionError):
        with open_regular(path) as stream:
            found = json.loads(stream.read(_LONGEST_SETTINGS))
        return found if isinstance(found, dict) else {}
    return {}


def _pattern(folder: str, written: str, letters: Mapping[str, str], quotes: str) -> Iterator[re.Pattern[str]]:
    """The pattern of a journal's files, as paths in the vault without their ending; none if it names no year."""
    if not written or len(written) > _LONGEST_PATTERN:
        return
    first, last = map(re.escape, quotes)
    known = alternatives(letters)
    parts: list[str] = []
    for literal, letter, other in re.findall(rf"{first}([^{first}{last}]*){last}|({known})|(.)", written):
        parts.append(letters[letter] if letter else re.escape(literal or other))
    seen: set[str] = set()
    # A part that is named again must be the same, as in `YYYY/MM/YYYY-MM-DD`.
    once = re.sub(r"\(\?P<(\w+)>[^()]*\)", lambda m: _again(m[1], seen) or m[0], "".join(parts))
    if "year" in seen:
        yield re.compile(re.escape(f"{folder.strip('/')}/" if folder.strip("/") else "") + once)


def _again(name: str, seen: set[str]) -> str:
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return ""
