"""CherryTree loader: the nodes of a document of CherryTree, as XML (`.ctd`) or as a database (`.ctb`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy, web_link
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only
from memkit.sources.sample import Sample
from memkit.sources.values import short_name
from memkit.sources.xml_records import Element, xml_element, xml_records

NODES = """
select node.node_id, node.name, node.txt, node.syntax, node.tags, node.ts_creation, node.ts_lastsave,
    children.father_id
from node left join children on children.node_id = node.node_id
order by children.father_id, children.sequence, node.node_id
"""
CODE = 'select node_id, "offset", txt, syntax from codebox order by node_id, "offset"'
GRIDS = 'select node_id, "offset", txt, null from grid order by node_id, "offset"'
PICTURES = 'select node_id, "offset", null, null from image order by node_id, "offset"'
_RICH, _PLAIN = "custom-colors", "plain-text"
_BULLET = pattern(r"^([ \t]*)(?:[•◇▪][ \t]*|[→⇒][ \t]+)", re.MULTILINE)
_BOX = pattern(r"^([ \t]*)([☐☑☒])[ \t]*", re.MULTILINE)
_HEADING = re.compile(r"h([1-6])")
_MOST_DEEP = 100


@dataclass
class _Node:
    """A node: what it is known by, its text as runs with what lies between them, and the node that it lies in."""

    id: str
    name: str
    syntax: str
    tags: str
    created: object
    changed: object
    runs: list[Element] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)  # the place in the text, and the Markdown there
    above: str = ""
    has_others: bool = False  # other nodes lie in it


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """Each node as a note in the folder of those around it, with its tags and times. Pictures are left out."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    nodes: dict[str, _Node] = {}
    for found in _of_database(path, options) if path.suffix.lower() == ".ctb" else _of_xml(path, options):
        if isinstance(found, Failure):
            yield found
        else:
            nodes[found.id] = found
    for node in nodes.values():
        if node.above in nodes:
            nodes[node.above].has_others = True
    for node in nodes.values():
        text = _markdown(node, nodes)
        if not text and node.has_others:  # its name is that of a folder
            continue
        yield Note(
            source=f"{path.as_posix()}#{node.id}",
            title=node.name,
            text=text,
            created=_time(node.created),
            updated=_time(node.changed),
            tags=node.tags.replace(",", " ").split(),
            folder=_folder(node, nodes),
        )


def _folder(node: _Node, nodes: Mapping[str, _Node]) -> str:
    names: list[str] = []
    while (above := nodes.get(node.above)) and len(names) < _MOST_DEEP:
        names.insert(0, above.name.replace("/", " "))
        node = above
    return "/".join(names)


def _time(seconds: object) -> object:
    """Seconds since 1970, or None for what was not noted."""
    text = str(seconds or "").partition(".")[0]
    return int(text) if text.isdecimal() and 0 < len(text) < 12 else None


# ---------------------------------------------------------------------------------------------- the two forms of files


def _of_xml(path: Path, options: ReadOptions) -> Iterator[_Node | Failure]:
    for one in xml_records(path, options, ("node",)):
        if isinstance(one, Failure):
            yield one
        else:
            yield from _with_others(one, "")


def _with_others(element: Element, above: str) -> Iterator[_Node]:
    """A node, and those in it."""
    given = element.attributes
    node = _Node(
        id=given.get("unique_id", ""),
        name=given.get("name", ""),
        syntax=given.get("prog_lang", _RICH),
        tags=given.get("tags", ""),
        created=given.get("ts_creation"),
        changed=given.get("ts_lastsave"),
        runs=element.all("rich_text"),
        inserted=[*_inserted(element)],
        above=above,
    )
    yield node
    for other in element.all("node"):
        yield from _with_others(other, node.id)


def _inserted(element: Element) -> Iterator[tuple[int, str]]:
    for one in element.children:
        at = one.attributes.get("char_offset", "")
        if not at.isdecimal() or len(at) > 9:
            continue
        if one.tag == "codebox":
            yield int(at), _fenced(one.words, one.attributes.get("syntax_highlighting", ""))
        elif one.tag == "table":
            yield int(at), _table(one)
        else:
            yield int(at), ""


def _of_database(path: Path, options: ReadOptions) -> Iterator[_Node | Failure]:
    with read_only(path, options) as conn:
        between: dict[object, list[tuple[int, str, str | None]]] = {}
        for query in (CODE, GRIDS, PICTURES):
            for id, at, text, syntax in conn.execute(query):
                kind = None if query is GRIDS else _said(syntax)
                between.setdefault(id, []).append((at if isinstance(at, int) else 0, _said(text), kind))
        for id, name, text, syntax, tags, created, changed, above in conn.execute(NODES):
            node = _Node(
                _said(id), _said(name), _said(syntax), _said(tags), created, changed, above=_said(above)
            )  # fmt: skip
            try:
                node.runs = _runs(node, _said(text), options)
                node.inserted = [(at, _between(text, kind, options)) for at, text, kind in between.get(id, ())]
                yield node
            except ValueError as error:
                yield Failure(path.as_posix(), f"the node {short_name(node.name)!r}: {error}")


def _said(value: object) -> str:
    return str(value or "")


def _runs(node: _Node, text: str, options: ReadOptions) -> list[Element]:
    if node.syntax != _RICH or not text:
        return [Element("rich_text", {}, [text])]
    return xml_element(text, options, "node").all("rich_text")


def _between(text: str, syntax: str | None, options: ReadOptions) -> str:
    """A table (without a syntax), a box of code, or nothing for a picture."""
    if syntax is None:
        return _table(xml_element(text, options, "table"))
    return _fenced(text, syntax) if text else ""


# ---------------------------------------------------------------------------------------------- text


def _markdown(node: _Node, nodes: Mapping[str, _Node]) -> str:
    if node.syntax not in (_RICH, _PLAIN):
        text = "".join(run.words for run in node.runs)
        return _fenced(text, node.syntax).strip() if text.strip() else ""
    parts, at = list[str](), 0
    waiting = sorted(node.inserted, key=lambda one: one[0])
    for run in node.runs:
        words = run.words
        while waiting and waiting[0][0] <= at + len(words):
            place, markdown = waiting.pop(0)
            before, words = words[: place - at], words[max(0, place - at) :]
            parts += [_run(before, run.attributes, nodes), markdown]
            at = place + 1  # what is inserted counts as a character
        parts.append(_run(words, run.attributes, nodes))
        at += len(words)
    parts += [markdown for _, markdown in waiting]
    return tidy(_BOX.sub(_box, _BULLET.sub(_bullet, "".join(parts))))


def _run(words: str, attributes: Mapping[str, str], nodes: Mapping[str, _Node]) -> str:
    """A run of text with one look: a heading, a link, code; other looks go."""
    said = words.strip()
    if not said:
        return words
    kind, _, target = attributes.get("link", "").partition(" ")
    if kind == "webs":
        shown = web_link(target, said)
    elif kind == "node":
        other = nodes.get(target.partition(" ")[0])
        shown = wikilink(other.name, said) if other else said
    elif heading := _HEADING.fullmatch(attributes.get("scale", "")):
        shown = "\n".join(f"{'#' * int(heading[1])} {line}" if line.strip() else "" for line in said.split("\n"))
    elif attributes.get("family") == "monospace" and "\n" not in said and "`" not in said:
        shown = f"`{said}`"
    else:
        return words
    before, after = words[: words.index(said)], words[words.index(said) + len(said) :]
    if shown.startswith("#"):  # a heading begins its line
        before = before.rstrip(" \t")
    return f"{before}{shown}{after}"


def _fenced(text: str, syntax: str) -> str:
    language = syntax if syntax.isalnum() else ""
    return f"\n\n```{language}\n{text.strip(chr(10))}\n```\n\n"


def _table(table: Element) -> str:
    """The rows of a table. The last of the file is that of the headings."""
    rows = [[" ".join(cell.text.split()) for cell in row.all("cell")] for row in table.all("row")]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows[-1:] + rows[:-1]]
    return "\n".join(["\n", *lines[:1], f"|{' --- |' * len(rows[-1])}", *lines[1:], "\n"]) if rows else ""


def _bullet(found: re.Match[str]) -> str:
    return f"{_indent(found[1])}- "


def _box(found: re.Match[str]) -> str:
    return f"{_indent(found[1])}- [{' ' if found[2] == '☐' else 'x'}] "


def _indent(blanks: str) -> str:
    return "  " * (len(blanks.expandtabs(3)) // 3)  # three blanks a level


def _matches(sample: Sample) -> bool:
    if sample.is_database:
        return sample.suffix == ".ctb" and {"node_id", "txt", "syntax"} <= sample.tables.get("node", set())
    return sample.text.startswith("<") and "<cherrytree" in sample.text[:500]


FORMAT = Format("cherrytree", "Documents of CherryTree", read, _matches, ("*.ctd", "*.ctb"))
