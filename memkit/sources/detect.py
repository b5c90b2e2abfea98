"""Format detection: by the contents of a file, and by the ending of its name where the contents leave a choice."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path

from memkit.core.errors import BadSource
from memkit.sources.cut_zips import is_cut
from memkit.sources.encoding import marked
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.limits import LIMITS
from memkit.sources.registry import formats
from memkit.sources.sample import HEAD, Sample, Unknown, sample
from memkit.sources.tables.rows import delimiter
from memkit.sources.zips import is_hidden, leads_out

_JSON_LINES = {".jsonl", ".ndjson"}
# Types of files, by their names, that hold prose.
_PROSE = {"text/plain", "text/markdown", "text/x-rst", "text/x-org", "text/org", "text/troff", "application/x-troff-me"}
_MARKUP = re.compile(r"<(?:\?xml|!doctype|html|head|body)\b", re.IGNORECASE)
_ENCODED = re.compile(r"(?=.{200})(?:[A-Za-z0-9+/_=-]{60,}\s+)*[A-Za-z0-9+/_=-]+\s*", re.DOTALL)  # no word ends in it
_ELEMENT = re.compile(r"<([A-Za-z][\w:-]{0,40})(?:\s[^<>]{0,2000})?>")
_LINES = 50
_FEWEST_ROWS, _FEWEST_TABS = 10, 2  # of a table that is called a text
_PEEKED = 4096  # bytes of a file without an ending
_TEXT = {*_JSON_LINES, ".csv", ".tsv", ".json", ".txt"}  # text, even if a NUL is in it


def detect(path: str | Path, text_column: str = "text") -> str:
    """The name of a file's format (a key of `formats()`), or "folder". Raises BadSource with the reason if unknown."""
    path = Path(path)
    if path.is_dir():
        return folder_format(path, frozenset(one.name for one in path.iterdir())) or "folder"
    return detected(sample(path, text_column))


def detected(seen: Sample) -> str:
    """The name of the format of a file of which this is the sample. Raises BadSource as `detect`."""
    # A note may well hold JSON: those formats are asked first that files of such a name have.
    name = seen.name
    for format in sorted(formats().values(), key=lambda format: not format.has_name(name)):
        if _is_of(format, seen):
            return format.name
    return _rows_or_prose(seen)


def _is_of(format: Format, seen: Sample) -> bool:
    """Whether a file is of a format. What its `matches` stumbles over is none: a list where it has a name, for example.

    Raises BadSource where the file is known to be of the format, and is damaged.
    """
    try:
        return format.matches is not None and format.matches(seen)
    except (BadSource, OSError):
        raise
    except Exception:  # noqa: BLE001 (of one of fifty formats, perhaps another package's, whatever it is)
        return False


def folder_format(path: Path, names: frozenset[str]) -> str | None:
    """The format of a folder, with these names in it, that is one source as a whole, such as a Maildir; else None."""
    every = formats().values()
    return next((format.name for format in every if format.folder and format.folder(path, names)), None)


def is_source(format: Format, path: Path) -> bool:
    """Whether a folder is one source of a format that was named, and not a folder with files of it."""
    if not format.folder or not format.files:
        return format.folder is not None
    return format.folder(path, frozenset(one.name for one in path.iterdir()))


def _rows_or_prose(seen: Sample) -> str:
    """The format of a file that no format recognises as its own: rows of some program, or prose."""
    path, text = seen.path, seen.text
    if seen.is_tar:
        return "zip"
    if seen.is_zip:
        if seen.suffix == ".zip" and any(map(_is_named_like_a_source, seen.entries)):
            return "zip"
        if is_cut(path):
            raise Unknown(path, "a zip that is cut off, and what is whole in it is no export that memkit knows")
        raise Unknown(path, "a zip that holds no export that memkit knows", "Unpack it first.")
    if b"\0" in seen.head and not marked(seen.head) and seen.suffix not in _TEXT:
        raise Unknown(path, "not text, and in no format that memkit knows")
    if seen.suffix in _JSON_LINES or (text[:1] == "{" and _is_object(text.split("\n", 1)[0])):
        return _lines(seen)
    if text[:1] == "{" or re.match(r'\[\s*["{\]]', text) or seen.suffix == ".json":
        if seen.text_column in seen.keys:
            return _not_questions(seen, "json")
        is_json = seen.suffix in (".json", ".ipynb")
        if re.match(r'\[\s*["\]]', text) and (is_json or _is_json(seen)):
            return "json"
        if is_json or _is_json(seen):
            raise (_broken(seen) or _unknown_shape(seen)) if text else Unknown(path, "empty")
    if looks := _looks_like(seen):
        raise Unknown(path, f"no notes, but looks like {looks}", "To read it as text all the same: --format markdown.")
    header = text.split("\n", 1)[0].strip()
    mark = delimiter(header) if mark_splits(header, seen.text_column) else ""
    return {"": "markdown", "\t": "tsv"}.get(mark, "csv")


def is_found_by_beginning(path: Path, head: Callable[[int], bytes]) -> bool:
    """Whether a file whose name no format has is read all the same; `head` gives its first bytes.

    Only what has no ending is looked at: a mailbox of Thunderbird (`Sent-1`), a mail in a folder of MH (`12`).
    """
    if "." in path.name.rstrip("."):
        return False
    seen = Sample(path, head(_PEEKED))
    return any(format.has_any_name and _is_of(format, seen) for format in formats().values())


def _is_named_like_a_source(entry: str) -> bool:
    """Whether a file in a zip has a name that some format has."""
    name = entry.rsplit("/", 1)[-1].lower()
    return not (is_hidden(entry) or leads_out(entry)) and any(format.has_name(name) for format in formats().values())


def _lines(seen: Sample) -> str:
    if seen.text_column in seen.keys:
        return _not_questions(seen, "jsonl")
    if seen.suffix in _JSON_LINES:
        return "jsonl"
    raise _unknown_shape(seen)


def _is_json(seen: Sample) -> bool:
    """Whether a text is JSON from its beginning to its end. `[ ] Prune the quince` is none."""
    if len(seen.head) == HEAD:
        return re.match(r'\[\s*[\[{"]|\{\s*"', seen.text) is not None
    return _broken(seen) is None


def _broken(seen: Sample) -> Unknown | None:
    """The error for a small file that is no JSON at all, such as one that was cut off."""
    if len(seen.head) == HEAD:
        return None
    try:
        load_json(seen.text.encode("utf-8", "replace"), LIMITS)
    except BrokenJSON as error:
        return Unknown(seen.path, str(error))
    return None


def _unknown_shape(seen: Sample) -> Unknown:
    """The error for JSON that is neither a known export nor rows with a text."""
    return Unknown(
        seen.path,
        f"JSON of a shape that memkit does not know: it has no {seen.text_column!r}",
        "Say which column has the text with --text-column, or name the format with --format.",
    )


def _looks_like(seen: Sample) -> str:
    """What a text seems to be if it is not prose: markup, or code; empty for prose."""
    if markup := _MARKUP.match(seen.text):
        return "XML" if markup[0].startswith("<?") else "HTML"
    kind = mimetypes.guess_type(seen.name)[0] or "text/plain"
    if kind == "text/markdown":  # which may be one element of HTML
        return ""
    if (element := _ELEMENT.match(seen.text)) and seen.text.rstrip().endswith(f"</{element[1]}>"):
        return "XML"
    if _ENCODED.fullmatch(seen.text):
        return "encrypted or encoded data"
    lines = [line for line in seen.text.split("\n", _LINES)[:_LINES] if line.strip()]
    if sum(line.startswith('{"') for line in lines) * 2 > len(lines):
        return "lines of JSON"
    if len(lines) >= _FEWEST_ROWS and all(line.count("\t") >= _FEWEST_TABS for line in lines):
        return "a table"
    return "" if kind in _PROSE else kind


def mark_splits(header: str, text_column: str) -> bool:
    """Whether a first line is the header of a table: it has the text column and at least one other."""
    names = [cell.strip().strip('"').lower() for cell in re.split(r"[,\t;|]", header)]
    return len(names) > 1 and text_column.lower() in names


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _not_questions(seen: Sample, format: str) -> str:
    if "relevant" in seen.keys:
        raise Unknown(seen.path, "questions with their answers ('relevant'), not memories", "Run: memkit eval")
    return format
