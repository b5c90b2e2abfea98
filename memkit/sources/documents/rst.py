"""reStructuredText loader: headings, links and code become Markdown; directives give their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy
from memkit.sources.notes.markdown import note_text
from memkit.sources.notes.note import Note, Record, drafts
from memkit.sources.notes.page_title import first_heading
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:-]+)::[ \t]*(.*)")
_TARGET = re.compile(r"[ \t]*\.\.[ \t]+_`?([^:`\n]+)`?:[ \t]*(\S*)")
_COMMENT = re.compile(r"([ \t]*)\.\.(?:[ \t]+|$)")
_OPTION = re.compile(r"[ \t]*:[\w -]+:(?:[ \t]|$)")
_LINK = re.compile(r"`([^`<>\n]+)<([^<>`\n]+)>`__?")
_NAMED = re.compile(r"`([^`\n]+)`__?(?!\w)")
_ROLE = re.compile(r":[\w:.+-]+:`(?:([^`<>\n]+)<[^<>`\n]*>|~?([^`\n]+))`")
_LITERAL = re.compile(r"``([^\n]+?)``")
_CODE = {"code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "highlight", "doctest", "math"}
_NO_TEXT = {"image", "toctree", "include", "raw", "contents", "index", "meta", "role", "default-role", "only"}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings; comments, pictures and lists of contents are left out."""
    text = rst_markdown(note_text(path, options))
    title = first_heading(text) or path.stem
    yield from drafts([Note(path.as_posix(), title, text, aliases=[path.stem])], path, options)


def rst_markdown(text: str) -> str:
    """reStructuredText as Markdown."""
    lines = text.expandtabs(4).split("\n")
    targets = {" ".join(match[1].lower().split()): match[2] for line in lines if (match := _TARGET.match(line))}
    found, levels = [], list[str]()
    at = 0
    while at < len(lines):
        heading, used = _heading(lines, at, levels)
        if heading:
            found += ["", heading, ""]
        else:
            written, used = _block(lines, at)
            found += written
        at += used
    parts = re.split(r"(^```.*?(?:^```$|\Z))", "\n".join(found), flags=re.DOTALL | re.MULTILINE)
    return tidy("".join(part if number % 2 else _inline(part, targets) for number, part in enumerate(parts)))


def _heading(lines: list[str], at: int, levels: list[str]) -> tuple[str, int]:
    """The heading that begins here, and how many lines it takes; the order of their marks gives the levels."""
    over = at + 2 < len(lines) and _LINE.fullmatch(lines[at]) and lines[at].strip() == lines[at + 2].strip()
    first = at + 1 if over else at
    if first + 1 >= len(lines) or not lines[first].strip() or _LINE.fullmatch(lines[first]):
        return "", 0
    under = lines[first + 1].strip()
    if not _LINE.fullmatch(under) or len(under) < min(len(lines[first].strip()), 4) or lines[first + 1][:1] == " ":
        return "", 0
    mark = under[0] * (2 if over else 1)
    if mark not in levels:
        levels.append(mark)
    return f"{'#' * min(levels.index(mark) + 1, 6)} {lines[first].strip()}", 3 if over else 2


def _block(lines: list[str], at: int) -> tuple[list[str], int]:
    """A line, or a directive with what is indented under it, as lines of Markdown; and how many lines it took."""
    line = lines[at]
    if match := _DIRECTIVE.match(line):
        body, used = _indented(lines, at + 1, len(match[1]))
        return _directive(match[2].lower().removesuffix(":"), match[3], body), used + 1
    if _TARGET.match(line):
        return [], 1
    if match := _COMMENT.match(line):
        return [], 1 + _indented(lines, at + 1, len(match[1]))[1]
    if line.rstrip().endswith("::"):
        body, used = _indented(lines, at + 1, len(line) - len(line.lstrip()))
        said = re.sub(r"\s*::$|:$", lambda match: "" if line.strip() == "::" else ":", line.rstrip())
        return [said.replace("::", ":"), *_fenced(body, "")], used + 1
    return [line], 1


def _indented(lines: list[str], at: int, depth: int) -> tuple[list[str], int]:
    """The lines from here on that are blank or indented deeper, without that indent; and how many they are."""
    end = at
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    while end > at and not lines[end - 1].strip():
        end -= 1
    given = [line for line in lines[at:end] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in given), default=0)
    return [line[indent:] for line in lines[at:end]], end - at


def _directive(name: str, argument: str, body: list[str]) -> list[str]:
    while body and _OPTION.match(body[0]):
        body = body[1:]
    if name in _NO_TEXT:
        return []
    if name in _CODE:
        return _fenced(body, argument.strip())
    if name == "figure":  # the first line is the picture's file
        argument = ""
    return ["", *filter(None, [argument.strip()]), *body, ""]


def _fenced(body: list[str], language: str) -> list[str]:
    while body and not body[0].strip():
        body = body[1:]
    return ["", f"```{language}", *body, "```", ""] if body else [""]


def _inline(text: str, targets: dict[str, str]) -> str:
    text = _LITERAL.sub(r"`\1`", text)
    text = _ROLE.sub(lambda match: (match[1] or match[2]).rstrip(), text)
    text = _LINK.sub(_linked, text)
    return _NAMED.sub(lambda match: _named(match, targets), text)


def _linked(match: re.Match[str]) -> str:
    words = match[1].rstrip()
    return f"[{words}]({match[2]})" if "://" in match[2] else words


def _named(match: re.Match[str], targets: dict[str, str]) -> str:
    address = targets.get(" ".join(match[1].lower().split()), "")
    return f"[{match[1]}]({address})" if "://" in address else match[1]


def _matches(sample: Sample) -> bool:
    return sample.suffix == ".rst"


FORMAT = Format("rst", "reStructuredText", read, _matches, ("*.rst",))
