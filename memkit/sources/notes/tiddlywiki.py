"""TiddlyWiki loader: tiddlers from their `.tid` files, from JSON, or from the one page that a wiki is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from memkit.core.patterns import pattern
from memkit.core.types import Failure
from memkit.sources.chat import as_list
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown, tidy, web_link
from memkit.sources.html_tokens import html_tokens
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.notes.note import Found, Note, Record, drafts, wikilink, without_pictures
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_STAMP = pattern(r"(\d{8})(\d{6})\d*")
_TAG = pattern(r"\[\[([^\[\]\n]+)\]\]|(\S+)")
_MARKDOWN = ("text/x-markdown", "text/markdown", "text/plain")
_WIKI_TEXT = ("", "text/vnd.tiddlywiki")
# Fields that are stored elsewhere, or are about how a tiddler is shown.
_PLACED = {*"title text tags created modified creator modifier type caption bag revision color icon list".split()}

# A definition goes on to its `\end` if its first line ends with its parameters.
_PRAGMA = pattern(
    r"^\\(?:define|procedure|function|widget)\b[^\n]*\)[ \t]*\n.*?(?:^\\end\b[^\n]*\n?|\Z)|^\\\w+[^\n]*\n?", re.S | re.M
)
_CODE = pattern(r"(^```.*?(?:^```[^\n]*$|\Z)|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = pattern(r"\[(?:ext)?\[([^\[\]\n|]+)(?:\|([^\[\]\n]+))?\]\]")
_EMBED = pattern(r"\{\{([^{}|!\n]*)[^{}\n]*\}\}")
_DROPPED = pattern(
    r"\{\{\{[^{}\n]*\}\}\}|<<[^<>\n]*>>|\[img[^\[\]\n]*\[[^\[\]\n]*\]\]|<!--.*?(?:-->|\Z)|</?[$a-zA-Z][^<>]*>",
    re.DOTALL,
)
_QUOTE = pattern(r"^<<<[^\n]*", re.MULTILINE)  # begins and ends a quotation
_HEADING = pattern(r"^(!{1,6})[ \t]*(?:\.[\w.]+[ \t]+)?", re.MULTILINE)
_ITEM = pattern(r"^([*#]+)[ \t]+", re.MULTILINE)
_EMPHASIS = pattern(r"''|__|\^\^|,,|~~|(?<![\w:/])//|//(?![\w/])|(?<![\w~])~(?=[A-Z])")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The tiddlers that a person wrote: those of the system (`$:/...`), drafts, pictures and styles are left out."""
    yield from drafts(_notes(path, options), path, options)


def _notes(path: Path, options: ReadOptions) -> Iterator[Found]:
    is_note = path.suffix.lower() == ".tid"
    data = whole(path, options, "note_size" if is_note else "file_size")
    if is_note:
        yield from _note(_tid(data.decode("utf-8-sig", "replace")), path, path.as_posix())
        return
    stores = [data] if path.suffix.lower() == ".json" else _stores(data.decode("utf-8-sig", "replace"))
    for store in stores:
        try:
            found = as_list(load_json(store, options.limits))
        except BrokenJSON as error:
            yield Failure(path.as_posix(), str(error), line=error.line)
            continue
        for fields in found:
            if isinstance(fields, dict):
                # Nothing in a tiddler tells which wiki it is of: another file is another wiki.
                yield from _note(fields, path, f"{path.as_posix()}#{fields.get('title')}")


def _tid(text: str) -> dict[str, str]:
    """The fields of a file: lines of `name: value`, a blank line, and the text."""
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    fields = {}
    for line in head.split("\n"):
        name, _, value = line.partition(":")
        fields[name.strip()] = value.strip()
    return {**fields, "text": body}


def _stores(html: str) -> Iterator[bytes]:
    """The JSON texts in the page of a wiki."""
    inside = False
    for token in html_tokens(html):
        if token.tag == "script":
            inside = not token.ends and "tiddlywiki-tiddler-store" in token.attributes.get("class", "")
        elif inside and not token.tag:
            yield token.text.encode()


def _note(fields: dict[str, Any], path: Path, source: str) -> Iterator[Note]:
    title, kind, text = (str(fields.get(name) or "") for name in ("title", "type", "text"))
    title = title or path.stem
    if fields.get("_canonical_uri"):  # the picture lies elsewhere, and the text is what was written about it
        kind = ""
    if title.startswith("$:/") or "draft.of" in fields or kind not in (*_WIKI_TEXT, *_MARKDOWN, "text/html"):
        return
    if kind in _WIKI_TEXT:
        text = wiki_markdown(text)
    yield Note(
        source=source,
        title=title,
        text=html_markdown(text) if kind == "text/html" else without_pictures(text),
        created=_time(fields.get("created")) or _time(fields.get("modified")),
        updated=_time(fields.get("modified")),
        tags=_tags(fields.get("tags")),
        aliases=[str(fields["caption"])] if fields.get("caption") else [],
        author=str(fields.get("creator") or fields.get("modifier") or ""),
        fields={str(key): value for key, value in fields.items() if key not in _PLACED and isinstance(value, str)},
    )


def _time(value: object) -> str:
    """`20130822170200000`, which is in UTC, as ISO 8601."""
    match = _STAMP.fullmatch(str(value))
    return f"{match[1]}T{match[2]}Z" if match else ""


def _tags(value: object) -> list[str]:
    given = [str(one) for one in value] if isinstance(value, list) else [str(value or "")]
    return [
        long or short for one in given for long, short in (_TAG.findall(one) if isinstance(value, str) else [(one, "")])
    ]


def wiki_markdown(text: str) -> str:
    """Wikitext as Markdown: headings, lists, links and what is shown from other tiddlers; macros and HTML go."""
    parts = _CODE.split(_PRAGMA.sub("", text.replace("\r\n", "\n")))
    return tidy("".join(part if number % 2 else _marks(part) for number, part in enumerate(parts)))


def _marks(text: str) -> str:
    text = _DROPPED.sub("", _QUOTE.sub("", text))
    text = _EMBED.sub(lambda match: "" if match[1].startswith("$:/") else wikilink(match[1]), text)
    text = _LINK.sub(lambda match: _link(match[2] or match[1], match[1]), text)
    text = _ITEM.sub(lambda match: "  " * (len(match[1]) - 1) + ("- " if match[1][-1] == "*" else "1. "), text)
    text = _HEADING.sub(lambda match: "#" * len(match[1]) + " ", text)
    return unescape(_EMPHASIS.sub("", text))


def _link(target: str, words: str) -> str:
    return web_link(target, words) if re.match(r"https?:|mailto:", target) else wikilink(target, words)


def _matches(sample: Sample) -> bool:
    if sample.suffix == ".tid":
        return re.match(r"(?:[\w.$/-]+:[^\n]*\r?\n)+", sample.text) is not None
    if sample.suffix == ".json":
        return (
            sample.keys >= {"title", "text"}
            and re.search(r'"(?:created|modified)":\s*"\d{17}"', sample.text) is not None
        )
    return sample.text.startswith("<") and 'name="application-name" content="TiddlyWiki"' in sample.text


FORMAT = Format(
    "tiddlywiki",
    "TiddlyWiki: .tid files, tiddlers as JSON, or the wiki's page",
    read,
    _matches,
    ("*.tid", "*.json", "*.html", "*.htm"),
)
