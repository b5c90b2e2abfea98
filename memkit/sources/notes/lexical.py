"""Lexical as Markdown: the tree of an editor that Standard Notes keeps as the text of its Super notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memkit.sources.chat import as_dict, as_list
from memkit.sources.html_markdown import tidy, web_link

Tree = dict[str, Any]


def lexical_markdown(value: Any, linked: Callable[[str], str] = lambda id: "") -> str:
    """The text of a tree as Markdown; `linked` writes the link to the note with an id. Raises RecursionError."""
    root = as_dict(as_dict(value).get("root"))
    return tidy("\n\n".join(filter(None, (_block(one, linked) for one in _children(root)))))


def _children(tree: Tree) -> list[Tree]:
    return [one for one in as_list(tree.get("children")) if isinstance(one, dict)]


def _block(tree: Tree, linked: Callable[[str], str]) -> str:
    kind = tree.get("type")
    if kind == "heading":
        return (
            f"{'#' * int(str(tree.get('tag'))[-1:])} {_line(tree, linked)}" if _has_level(tree) else _line(tree, linked)
        )
    if kind == "list":
        return "\n".join(_items(tree, linked))
    if kind == "quote":
        return "\n".join(f"> {line}" for line in _line(tree, linked).split("\n"))
    if kind == "code":
        return f"```\n{_line(tree, linked)}\n```"
    if kind == "table":
        rows = [[_inside(cell, linked).replace("\n", " ") for cell in _children(row)] for row in _children(tree)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([*lines[:1], "|" + " --- |" * len(rows[0]), *lines[1:]]) if rows else ""
    if kind == "horizontalrule":
        return "---"
    if any(one.get("type") in _BLOCKS for one in _children(tree)):
        return _inside(tree, linked)
    return _line(tree, linked)


_BLOCKS = {"paragraph", "heading", "list", "quote", "code", "table", "collapsible-title", "collapsible-content"}


def _has_level(tree: Tree) -> bool:
    return str(tree.get("tag")) in ("h1", "h2", "h3", "h4", "h5", "h6")


def _inside(tree: Tree, linked: Callable[[str], str]) -> str:
    return "\n\n".join(filter(None, (_block(one, linked) for one in _children(tree))))


def _items(tree: Tree, linked: Callable[[str], str]) -> list[str]:
    """The lines of a list. A list in a list is the only child of an item."""
    found, number = [], 0
    for item in _children(tree):
        inner = [one for one in _children(item) if one.get("type") == "list"]
        words = _line({"children": [one for one in _children(item) if one.get("type") != "list"]}, linked)
        if words:
            number += 1
            box = {"check": "[x] " if item.get("checked") is True else "[ ] "}.get(str(tree.get("listType")), "")
            found.append(f"{f'{number}.' if tree.get('listType') == 'number' else '-'} {box}{words}")
        found += [f"  {line}" for one in inner for line in _items(one, linked)]
    return found


def _line(tree: Tree, linked: Callable[[str], str]) -> str:
    parts = []
    for one in _children(tree):
        kind = one.get("type")
        if kind in ("link", "autolink"):
            parts.append(web_link(str(one.get("url") or ""), _line(one, linked)))
        elif kind == "snbubble":
            parts.append(linked(str(one.get("itemUuid") or "")))
        elif kind in ("linebreak", "tab"):
            parts.append("\n" if kind == "linebreak" else "\t")
        else:
            parts.append(str(one.get("text") or "") or _line(one, linked))
    return "".join(parts).strip()
