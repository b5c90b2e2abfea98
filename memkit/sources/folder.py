"""Directory walk: the files of a folder that may hold memories."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memkit.core.opening import check_regular, open_regular
from memkit.core.types import SHOWN, Failure, LeftOut
from memkit.sources.contents import LEADS_OUT, within
from memkit.sources.detect import folder_format, is_found_by_beginning
from memkit.sources.format import Format, any_of
from memkit.sources.gzips import ENDING
from memkit.sources.journals import settings
from memkit.sources.limits import OverLimit
from memkit.sources.options import ReadOptions
from memkit.sources.registry import formats
from memkit.sources.sample import HEAD, Sample
from memkit.storage.driver import BESIDE

TEMPLATES = "a folder of templates"
BACKUPS = "earlier versions of the notes, which their program keeps"
COPY = "a packed copy of what lies beside it"
NO_FORMAT = "no format that memkit reads"
# Pages with which an export can be looked at, and beside what they show it.
_SHOWING = {
    "archive_browser.html": None,  # Google
    "chat.html": re.compile(r"conversations(?:-\d+)?\.json"),  # ChatGPT
}
LABELS = "the labels of the notes beside it"
MEMBERS = "who is in the chat beside it"
OUTLINED = "the words of the outline beside it"  # Dynalist writes each document twice
AGAIN = "the same as the file of this name beside it, in another format"
MAILS = "a page of the mails that lie beside its folder"
# What programs write in several formats, of which the first that is there is read.
_FORMATS = {"srt": ("vtt",), "sbv": ("vtt", "srt"), "ris": ("bib",)}
_OF_WHISPER = ("vtt", "srt", "txt", "tsv", "json")  # which writes each transcript in all of these
_LIVE = ".cc.vtt"  # captions of Zoom, which writes a transcript afterwards
_OF_TEAMS = re.compile(r".+-\d{8}_\d{6}(?:UTC)?(?:-.+)?\.docx")
# Pages beside the same as JSON, which has more: of Facebook and of Google each, of Telegram all.
_PAGES, _PAGES_OF_TELEGRAM = re.compile(r"message_\d+|MyActivity"), re.compile(r"messages\d*")
_LISTS = {f"{one}.html" for one in ("thread", "subject", "author", "date")}  # of the mails of a month, by pipermail
_MAIL = re.compile(r"\d{6}\.html|index\.html")
_PROSE = (".txt", ".md")
_LOGSEQ_BACKUPS = ("bak", "version-files")  # in its folder `logseq`, beside its `config.edn`
_DOKUWIKI, _DOKUWIKI_BACKUPS = {"pages", "meta", "attic"}, ("attic", "media_attic")  # folders in its folder `data`
# Where Obsidian keeps the name of the templates folder: the core plugin, and Templater.
_TEMPLATE_SETTINGS = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)


def sources(root: Path, options: ReadOptions, *, root_too: bool = False) -> Iterator[Path | Failure | LeftOut]:
    """The files and folders under a folder that may each be a source, by name; a Failure for what cannot be read.

    An export that lies unpacked among other files is a source, the folder's path, and each of the others is one, too.
    Whether the root itself may hold one is `root_too`.

    A LeftOut names each folder of templates (named in the settings of an Obsidian vault, or called Templates), each of
    earlier versions of notes, and each file with a name that no format has. Hidden files and
    folders (`.obsidian`, `.trash`) are left out without a word. Links to folders are not followed. Links to files are,
    but not out of the folder, and what is no regular file (a pipe, a device) is not opened.
    """
    failures: list[Failure] = []
    templates: set[Path] = set()
    exports: dict[Path, Format] = {}
    unreadable = lambda error: failures.append(Failure(str(error.filename), error.strerror))  # noqa: E731
    visible, hidden = wanted()
    for folder, inner, found in os.walk(root, onerror=unreadable):
        yield from failures
        failures.clear()
        here = Path(folder)
        name = folder_format(here, frozenset([*inner, *found])) if root_too or here != root else None
        around = _around(here, exports)
        if name and formats()[name] not in around.values():
            yield here
            if not formats()[name].own:
                inner.clear()
                continue
            exports[here] = around[here] = formats()[name]
        found = [one for one in found if not _is_part(here / one, around)]
        templates |= template_folders(here)
        shown = sorted(name for name in inner if not name.startswith("."))
        backups = _backups(here, shown, found)
        inner.clear()
        for name in shown:
            if name in backups:
                yield LeftOut((here / name).as_posix(), BACKUPS)
            elif _is_templates(here / name, templates):
                yield LeftOut((here / name).as_posix(), TEMPLATES)
            else:
                inner.append(name)
        if inner and len(here.parts) - len(root.parts) >= options.limits.depth:
            inner.clear()
            yield Failure(here.as_posix(), f"its folders are left out: {OverLimit('depth', options.limits, 'levels')}")
        for name in sorted(found):
            if one := _file(here / name, found, hidden if name.startswith(".") else visible, root):
                yield one
    yield from failures


def _backups(here: Path, folders: Collection[str], files: Collection[str]) -> tuple[str, ...]:
    """The names of the folders here in which a program keeps what notes said before."""
    if "config.edn" in files or here.name == "logseq":
        return _LOGSEQ_BACKUPS
    return _DOKUWIKI_BACKUPS if _DOKUWIKI.issubset(folders) else ()


def _file(path: Path, beside: Sequence[str], wanted: re.Pattern[str], root: Path) -> Path | Failure | LeftOut | None:
    """A file that may be a source, or why it is left out; None for what nobody would look for among memories."""
    name, packed = path.name, path.name.lower().removesuffix(ENDING)
    is_copy = len(packed) < len(name) and name[: len(packed)] in beside
    why = COPY if is_copy else repeats(name, beside) or _of_mails(path.parent, name, beside)
    why = why or (AGAIN if are_references(path, beside, lambda most: _head(path, most)) else "")
    if why:
        return LeftOut(path.as_posix(), why)
    if wanted.match(packed):
        return _looked_at(path, root)
    if name.startswith("."):
        return None
    if _is_found_by_beginning(path, root):
        return path
    return None if name.endswith(BESIDE) else LeftOut(path.as_posix(), NO_FORMAT)  # SQLite's own, beside a database


def _around(folder: Path, exports: Mapping[Path, Format]) -> dict[Path, Format]:
    """The exports that lie in this folder, or in one around it."""
    return {place: format for place, format in exports.items() if folder.is_relative_to(place)}


def _is_part(file: Path, exports: Mapping[Path, Format]) -> bool:
    """Whether a file belongs to one of these exports."""
    return any(one.owns(file.relative_to(place).as_posix()) for place, one in exports.items())


def repeats(name: str, beside: Collection[str]) -> str:
    """Why a file of an export says nothing that is not in the others of its folder; empty if it may say something."""
    if name == "Labels.txt":  # of Keep, among pages and JSON
        others = [one for one in beside if one != name]
        prose = any(one.endswith(_PROSE) for one in others)
        return LABELS if not prose and any(one.endswith(".html") for one in others) else ""
    if name == "group_info.json" and "messages.json" in beside:  # of Google Chat
        return MEMBERS
    if name.endswith(".txt") and f"{name.removesuffix('.txt')}.opml" in beside:
        return OUTLINED
    stem, _, ending = name.rpartition(".")
    is_of_whisper = ending in _OF_WHISPER[1:] and all(f"{stem}.{other}" in beside for other in _OF_WHISPER)
    if is_of_whisper or any(f"{stem}.{other}" in beside for other in _FORMATS.get(ending, ())):
        return AGAIN
    if (recorded := _recorded(name)) and recorded in beside:
        return AGAIN
    as_json = f"{stem}.json" if _PAGES.fullmatch(stem) else "result.json" if _PAGES_OF_TELEGRAM.fullmatch(stem) else ""
    if ending == "html" and as_json and as_json in beside:
        return SHOWN
    if name in _LISTS and _LISTS.issubset(beside):
        return SHOWN
    if name not in _SHOWING:
        return ""
    what = _SHOWING[name]
    return SHOWN if what is None or any(map(what.fullmatch, beside)) else ""


def _recorded(name: str) -> str:
    """The file in which a recording of Zoom or Teams tells what this one does; empty if it is none of those."""
    if name.startswith("GMT") and name.endswith(_LIVE):
        return f"{name.removesuffix(_LIVE)}.transcript.vtt"
    return name.removesuffix(".docx") + ".vtt" if _OF_TEAMS.fullmatch(name) else ""


def _of_mails(here: Path, name: str, beside: Collection[str]) -> str:
    """Why a page of a month of a mailing list is left out: its mails lie beside the folder; empty if it is none."""
    if not _MAIL.fullmatch(name) or not _LISTS.issubset(beside):
        return ""
    return MAILS if any((here.parent / f"{here.name}.txt{packed}").is_file() for packed in ("", ENDING)) else ""


def are_references(path: Path, beside: Collection[str], head: Callable[[int], bytes]) -> bool:
    """Whether a file holds references as JSON, which lie beside it in BibTeX or RIS under the same name.

    `head` gives its first bytes.
    """
    if path.suffix != ".json" or not {f"{path.stem}.bib", f"{path.stem}.ris"} & {*beside}:
        return False
    matches = formats()["csl-json"].matches
    with suppress(OSError, ValueError):
        return matches is not None and matches(Sample(path, head(HEAD)))
    return False


def wanted() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What the names of visible and of hidden files must be like for a format to read them."""
    patterns = {pattern for format in formats().values() for pattern in format.files}
    hidden = {pattern for pattern in patterns if pattern.startswith(".")}
    return any_of(patterns - hidden), any_of(hidden)


def _looked_at(path: Path, root: Path) -> Path | Failure:
    """The path of a file that may be opened; a Failure if it leads out of the folder, or is no file."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            if not within(root, os.path.realpath(path)):
                return Failure(path.as_posix(), LEADS_OUT)
            mode = os.stat(path).st_mode
        check_regular(mode, path)
    except OSError as error:
        return Failure(path.as_posix(), error.strerror or str(error))
    return path


def _is_found_by_beginning(path: Path, root: Path) -> bool:
    """Whether a file with a name of no format begins as those that may have any name."""

    with suppress(OSError):
        return isinstance(_looked_at(path, root), Path) and is_found_by_beginning(path, lambda most: _head(path, most))
    return False


def _head(path: Path, most: int) -> bytes:
    with open_regular(path) as stream:
        return stream.read(most)


def template_folders(vault: Path) -> set[Path]:
    """The template folders in the settings of an Obsidian vault; an empty set if the folder is not a vault."""
    given = (settings(vault / ".obsidian" / file).get(key) for file, key in _TEMPLATE_SETTINGS)
    return {vault / name for one in given if isinstance(one, str) and (name := one.strip("/"))}


def _is_templates(folder: Path, templates: set[Path]) -> bool:
    return folder.name.lower() == "templates" or folder in templates
