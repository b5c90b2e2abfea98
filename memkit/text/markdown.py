"""Markdown as a flat list of parts, for writing it as HTML: tags that open and close, and texts between them. Pure.

The parser is markdown-it-py: CommonMark with tables and strikethrough, and wikilinks beside it. Raw HTML is off, so
that a tag in a memory is a text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from memkit.core.patterns import pattern
from memkit.text.link_places import places, shown
from memkit.text.prose import unlinked

REMEMBERED = 500  # parsed texts
WRAPPED = 60  # characters; a line of so many was ended by an editor at its margin, a shorter one by its writer

BLOCKS = frozenset("p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre table thead tbody tr th td hr".split())
INLINE = {"em": "em", "strong": "strong", "s": "s", "sup": "sup"}

# A text without any of these is one paragraph: most facts and turns are.
_ANY = pattern(r"[*_`#>\[\]|~\\<&\n\t\r\0]|\A\s|\A(?:[-+=]|\d{1,9}[.)])|\s\Z")
_FRONT_MATTER = pattern(r"\A---[ \t]*\r?\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_WIKILINK = pattern(r"(!?)\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")
# Where Hugo's link to another note leads; not in code.
_SHORTCODE = pattern(
    r"(?P<code>(`+)[^`\n]*\2)|\]\(\{\{[<%][ \t]*(?:rel)?ref[ \t]+\"(?P<target>[^\"\n<>]{1,200})\"[ \t]*[%>]\}\}\)"
)
_FORMULA = pattern(r"\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,500}(?<![\s\\$])\$(?!\d)")
_FOOTNOTE = pattern(r"\[\^([^\[\]\s]{1,40})\](?!\()")
_FILE = pattern(r"\.(?!md\Z)[A-Za-z0-9]{2,5}\Z")
_SIZE = pattern(r"\d+(?:x\d+)?\Z")  # of a picture in Obsidian: `![[tree.png|300]]`
_HEADING_ID = pattern(r"[ \t]+\{#[^{}\s]+\}[ \t]*\Z")
_ITEM_DEEP_IN = pattern(r"(?:\t[ \t]*|[ \t]{4,})(?=(?:[-*+]|\d{1,9}[.)])[ \t])")
_TASK = pattern(r"\[([ xX])\](?=\s)")


class Part(NamedTuple):
    """A part of a text. `kind` is open, close, void (a tag), text, break, image or link, and `tag` that of HTML.

    A `text` is what a reader sees of it. `target` is where a link leads, or where an image lies: as written in a
    Markdown link; `wiki` if it is the name in a wikilink.
    """

    kind: str
    tag: str = ""
    text: str = ""
    target: str = ""
    wiki: bool = False
    attrs: tuple[tuple[str, str], ...] = ()


@lru_cache(REMEMBERED)
def parts(text: str) -> tuple[Part, ...]:
    """The parts of a Markdown text, without its front matter. What cannot be parsed is one paragraph."""
    text = _FRONT_MATTER.sub("", text, count=1) if text.startswith("---") else text
    text = _outdented(text) if text[:1] in ("\t", " ") else text
    parser = _parser() if _ANY.search(text) else None
    if parser is None:
        lines = chain.from_iterable(
            (Part("break", text="\n"), Part("text", text=x)) for x in unlinked(text).split("\n")
        )
        return (Part("open", "p"), *islice(lines, 1, None), Part("close", "p"))
    return tuple(_tasks(_flat(parser.parse(text))))


def _outdented(text: str) -> str:
    """A passage out of the middle of nested lists, without the margin of its first item: else it were code."""
    found = _ITEM_DEEP_IN.match(text)
    return re.sub(rf"^[ \t]{{1,{found.end()}}}", "", text, flags=re.MULTILINE) if found else text


@cache
def _parser() -> Any:
    """The parser; None where its package is missing, as in an environment that is older than this use of it."""
    try:
        from markdown_it import MarkdownIt
        from markdown_it.rules_block import reference
    except ImportError:
        return None
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.inline.ruler.before("link", "wikilink", _wikilink)
    made.inline.ruler.before("link", "footnote", _footnote)
    made.inline.ruler.before("escape", "formula", _formula)
    made.block.ruler.at(
        "reference", lambda state, line, *rest: not _is_footnote(state, line) and reference(state, line, *rest)
    )
    made.core.ruler.before("inline", "generators", _for_generators)
    return made


def _for_generators(state: Any) -> None:
    """Reads what is written for the generator of a site: its links to other notes, and the names of headings."""
    for before, token in zip([None, *state.tokens], state.tokens, strict=False):
        if token.type == "inline" and "{" in token.content:
            token.content = _SHORTCODE.sub(lambda m: m[0] if m["code"] else f"](<{m['target']}>)", token.content)
            if before is not None and before.type == "heading_open":
                token.content = _HEADING_ID.sub("", token.content)


def _wikilink(state: Any, silent: bool) -> bool:
    match = _WIKILINK.match(state.src, state.pos, state.posMax) if state.src[state.pos] in "![" else None
    if match is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[3] or shown(match[2])
        token.meta = {"target": places(match[2])[0], "image": bool(match[1])}
    state.pos = match.end()
    return True


def _formula(state: Any, silent: bool) -> bool:
    """Reads `$x_1$` and `$$x_1$$` as written: a stroke or a star in it belongs to the formula. `$5 and $6` is none."""
    match = _FORMULA.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "$" else None
    if match is None:
        return False
    if not silent:
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _footnote(state: Any, silent: bool) -> bool:
    """Reads `[^2]` as a raised 2, where it refers to a footnote and where the footnote begins."""
    match = _FOOTNOTE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "[" else None
    if match is None:
        return False
    if not silent:
        state.push("sup_open", "sup", 1)
        state.push("text", "", 0).content = match[1]
        state.push("sup_close", "sup", -1)
    state.pos = match.end()
    return True


def _is_footnote(state: Any, line: int) -> bool:
    """Whether a line that looks like the target of a link is a note, which would not be shown."""
    return bool(state.src.startswith("[^", state.bMarks[line] + state.tShift[line]))


def _flat(tokens: Sequence[Any]) -> Iterator[Part]:
    for n, token in enumerate(tokens):
        if token.type == "inline":
            yield from _flat(token.children)
        elif token.type in ("text", "html_inline", "html_block"):
            yield Part("text", text=token.content)
        elif token.type in ("softbreak", "hardbreak"):
            wrapped = token.type == "softbreak" and _length_of_line(tokens, n) >= WRAPPED
            yield Part("text", text=" ") if wrapped else Part("break", text="\n")
        elif token.type == "code_inline":
            yield from (Part("open", "code"), Part("text", text=token.content), Part("close", "code"))
        elif token.type in ("fence", "code_block"):
            yield from (Part("open", "pre"), Part("text", text=token.content.rstrip("\n")), Part("close", "pre"))
        elif token.type == "wikilink":
            yield from _to_a_name(token)
        elif token.type == "image":
            yield Part("image", text=token.content, target=str(token.attrs.get("src", "")))
        elif token.type == "link_open":
            yield Part("link", "a", target=str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            yield Part("close", "a")
        elif token.type == "hr":
            yield Part("void", "hr")
        elif not token.hidden:
            yield _tag(token)


def _tag(token: Any) -> Part:
    tag = token.tag if token.tag in BLOCKS else INLINE[token.tag]
    return Part("open" if token.nesting == 1 else "close", tag, attrs=tuple(_attributes(token.attrs)))


def _attributes(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Those that a list or a table cell may have: where it begins to count, and to which side it is aligned."""
    if "start" in given:
        yield "start", str(int(given["start"]))
    if side := re.fullmatch(r"text-align:(left|right|center)", str(given.get("style", ""))):
        yield "class", f"mk-{side[1]}"


def _length_of_line(tokens: Sequence[Any], end: int) -> int:
    """How many characters the line has that ends before this token."""
    length = 0
    for token in reversed(tokens[:end]):
        if token.type in ("softbreak", "hardbreak"):
            break
        length += len(token.content)
        if length >= WRAPPED:
            break
    return length


def _to_a_name(token: Any) -> Iterator[Part]:
    target = token.meta["target"]
    if token.meta["image"] and _FILE.search(target):
        words = "" if token.content == target or _SIZE.match(token.content) else token.content
        yield Part("image", text=words, target=target, wiki=True)
    else:
        yield from (Part("link", "a", target=target, wiki=True), Part("text", text=token.content), Part("close", "a"))


def _tasks(found: Iterable[Part]) -> Iterator[Part]:
    """`[ ] buy tea` at the beginning of an item gets a box."""
    begins = False
    for part in found:
        if begins and part.kind == "text" and (task := _TASK.match(part.text)):
            part = part._replace(text=("☐" if task[1] == " " else "☑") + part.text[task.end() :])
        begins = part.kind == "open" and (part.tag == "li" or (begins and part.tag == "p"))
        yield part
