"""Format detection: by the contents of a file, and by the ending of its name where the contents leave a choice."""

from __future__ import annotations

import json
import re
from pathlib import Path

from memkit.core.errors import BadSource
from memkit.core.opening import open_regular
from memkit.sources.limits import LIMITS, OverLimit
from memkit.sources.memkit_export import MARK
from memkit.sources.rows import delimiter
from memkit.sources.sqlite_table import read_only, tables
from memkit.sources.zips import BrokenZip, entries, opened_zip, unpacked
from memkit.storage.driver import MAGIC

_HEAD = 256 * 1024  # bytes at the start of a file that are examined
_LINES = 50
_LOOKED_INTO = 100  # files in a zip whose beginnings are examined
# A text that is cut off extends to the end: otherwise a search would begin anew at each quote in it.
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))(\s*:)?|[{}\[\]]', re.DOTALL)
_NOTES = {".md", ".markdown", ".mdown", ".mdx"}
_JSON_LINES = {".jsonl", ".ndjson"}

# Keys that only one format has. They are not used for objects with a `text`: those are rows.
_SHAPES: tuple[tuple[set[str], str], ...] = (
    ({MARK}, "memkit"),
    ({"mapping"}, "chatgpt"),
    ({"chat_messages"}, "claude"),
    ({"uuid", "docs"}, "claude"),
    ({"uuid", "prompt_template"}, "claude"),
    ({"cells"}, "notebook"),
    ({"sessionId", "message"}, "claude-code"),
    ({"leafUuid", "summary"}, "claude-code"),
    ({"passage_id", "subject", "predicate", "object"}, "triples"),
    ({"subject", "predicate", "object"}, "triples"),
)


class Damaged(BadSource):
    """A file whose format is known, but that is damaged, or goes over a limit. `reason` says what, without the path."""

    def __init__(self, path: Path, reason: str):
        self.reason = reason
        super().__init__(f"{path}: {reason}.")


def detect(path: str | Path, text_column: str = "text") -> str:
    """The name of a file's format (a key of `FORMATS`), or "folder". Raises BadSource with the reason if unknown."""
    path = Path(path)
    if path.is_dir():
        return "folder"
    with open_regular(path) as stream:
        head = stream.read(_HEAD)
    if head.startswith(MAGIC):
        return _database(path)
    if head.startswith(b"PK\x03\x04"):
        return _zip(path)
    suffix = path.suffix.lower()
    if b"\0" in head and suffix not in {*_JSON_LINES, *_NOTES, ".csv", ".tsv", ".json", ".txt"}:
        raise BadSource(f"{path} is not text, and is in no format that memkit knows.")
    return _text(path, suffix, head.decode("utf-8-sig", "replace"), text_column)


def _text(path: Path, suffix: str, head: str, text_column: str) -> str:
    if suffix in _NOTES:
        return "markdown"
    if suffix in (".csv", ".tsv"):
        return suffix[1:]
    start = head.lstrip()
    if suffix in _JSON_LINES or (start[:1] == "{" and _is_object(start.split("\n", 1)[0])):
        return _json_lines(path, suffix, start, text_column)
    if start[:1] == "{" or re.match(r'\[\s*[{"\]]', start) or suffix == ".json":
        if found := _json(path, start, text_column):
            return found
        if suffix in (".json", ".ipynb"):
            raise _unknown_shape(path, text_column) if start else BadSource(f"{path} is empty.")
    header = start.split("\n", 1)[0].strip()
    mark = delimiter(header) if mark_splits(header, text_column) else ""
    return {"": "markdown", "\t": "tsv"}.get(mark, "csv")


def _unknown_shape(path: Path, text_column: str) -> BadSource:
    """The error for JSON that is neither a known export nor rows with a text."""
    return BadSource(
        f"{path} is JSON of a shape that memkit does not know: it has no {text_column!r}. "
        "Say which column has the text with --text-column, or name the format with --format."
    )


def mark_splits(header: str, text_column: str) -> bool:
    """Whether a first line is the header of a table: it has the text column and at least one other."""
    names = [cell.strip().strip('"').lower() for cell in re.split(r"[,\t;|]", header)]
    return len(names) > 1 and text_column.lower() in names


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _json_lines(path: Path, suffix: str, head: str, text_column: str) -> str:
    found = set().union(*(keys(line) for line in head.split("\n")[:_LINES]))
    if text_column in found:
        return _not_questions(path, found, "jsonl")
    if shape := _shape(found):
        return shape
    if suffix in _JSON_LINES:
        return "jsonl"
    raise _unknown_shape(path, text_column)


def _json(path: Path, head: str, text_column: str) -> str | None:
    found = keys(head)
    if text_column in found:
        return _not_questions(path, found, "json")
    return _shape(found) or ("json" if re.match(r'\[\s*["\]]', head) else None)


def _not_questions(path: Path, found: set[str], format: str) -> str:
    if "relevant" in found:
        raise BadSource(f"{path} holds questions with their answers ('relevant'), not memories. Run: memkit eval")
    return format


def _shape(found: set[str]) -> str | None:
    return next((name for needed, name in _SHAPES if needed <= found), None)


def keys(text: str) -> set[str]:
    """The keys of the outermost objects in the beginning of a JSON text; the text may end in the middle."""
    level = 2 if text.startswith("[") else 1
    depth, found = 0, set()
    for token in _TOKEN.finditer(text):
        if token[1] is None:
            depth += 1 if token[0] in "{[" else -1
        elif token[2] and depth == level:
            found.add(token[1][1:-1])
    return found


def _database(path: Path) -> str:
    with read_only(path) as conn:
        known = set(tables(conn))
    is_log = {"conversations", "responses"} <= known or {"threads", "turns", "messages", "parts"} <= known
    return "llm" if is_log else "sqlite"


def _zip(path: Path) -> str:
    try:
        with open_regular(path) as stream, opened_zip(stream, LIMITS) as archive:
            for entry in entries(archive, r"conversations.*\.json")[:_LOOKED_INTO]:
                head = unpacked(archive, entry, LIMITS, most=_HEAD)
                found = _shape(keys(head.decode("utf-8-sig", "replace").lstrip()))
                if found in ("chatgpt", "claude"):
                    return found
    except (BrokenZip, OverLimit) as error:
        raise Damaged(path, str(error)) from error
    raise BadSource(f"{path} is a zip without the conversations.json of a ChatGPT or Claude export. Unpack it first.")
