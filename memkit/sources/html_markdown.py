"""HTML as Markdown: what a page says, with its headings, lists, tables, code and links. Emphasis and pictures go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memkit.sources.html_tokens import Token, html_tokens

Attributes = dict[str, str]
Link = Callable[[str, str], str]  # address and words of a link -> Markdown

_VOID = {*"area base br col embed en-media en-todo hr img input link meta param source track wbr".split()}
_HIDDEN = {*"script style head title template noscript svg math object iframe select textarea".split()}
_PARAGRAPHS = {*"p ul ol dl table blockquote pre figure figcaption article section main aside details".split()}
_LINES = {*"div dt dd summary address form fieldset header footer nav hgroup caption center".split()}
# A new one of these ends an open one, up to what holds both: end tags may be left out.
_CELLS = {"td", "th"}
_ROWS = ("tr", "thead", "tbody", "tfoot")
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_ENDS: dict[str, tuple[set[str], set[str]]] = {
    "li": ({"li"}, {"ul", "ol"}),
    "p": ({"p"}, {"li", "td", "th", "blockquote", "div"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    "tr": ({"tr", *_CELLS}, {"table"}),
    "td": (_CELLS, {"tr", "table"}),
    "th": (_CELLS, {"tr", "table"}),
}
_DEEPEST = 100  # elements inside each other; the words of deeper ones are read without their marks
_CODE_STYLE = re.compile(r"-en-codeblock:\s*true")
_RULE = "---"
_SPACE = re.compile(r"[ \t\r\n\f]+")
_CHECKED_STYLE = re.compile(r"--en-checked:\s*(true|false)")


def html_markdown(
    html: str, *, link: Link | None = None, skipped: Callable[[str, Attributes], bool] | None = None
) -> str:
    """The text of HTML as Markdown. `link` writes a link, `skipped` says which elements are left out with all in them.

    Scripts, styles and other hidden parts are left out always. Check boxes become `[ ]` and `[x]`.
    """
    return _Page(link or web_link, skipped or (lambda tag, attributes: False)).read(html_tokens(html))


def web_link(address: str, words: str) -> str:
    """A link in Markdown, if it leads to the web; of others only the words."""
    if not address.startswith(("http://", "https://", "mailto:")):
        return words
    return (
        words
        if words in ("", address, address.removeprefix("mailto:"))
        else f"[{words}]({address.replace(' ', '%20')})"
    )


@dataclass(slots=True)
class _Element:
    """An open element: what has been written in it so far, and for a list or a table how many items or which rows.

    `laid_out` is whether a table, or a part of one, is only there for the looks: a cell of it holds parts of a page.
    """

    tag: str
    attributes: Attributes = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    items: int = 0
    rows: list[list[str]] = field(default_factory=list)
    laid_out: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)


class _Page:
    """A page while it is read: its open elements, outermost first, and how deep in a hidden one we are."""

    def __init__(self, link: Link, skipped: Callable[[str, Attributes], bool]):
        self.link, self.skipped = link, skipped
        self.open = [_Element("")]
        self.hidden: list[str] = []  # the hidden element, and those of the same name in it
        self.code = 0  # how many of the open elements keep their white space

    def read(self, tokens: Iterable[Token]) -> str:
        for token in tokens:
            if self.hidden:
                self._in_hidden(token)
            elif not token.tag:
                self._words(token.text)
            elif token.ends:
                self._end(token.tag)
            else:
                self._start(token.tag, token.attributes)
        while len(self.open) > 1:
            self._close()
        return tidy(self.open[0].text)

    def _in_hidden(self, token: Token) -> None:
        if token.tag == self.hidden[0]:
            self.hidden.pop() if token.ends else self.hidden.append(token.tag)

    def _words(self, text: str) -> None:
        parts = self.open[-1].parts
        if not self.code:
            text = _SPACE.sub(" ", text)
            if not parts or parts[-1].endswith((" ", "\n")):
                text = text.lstrip(" ")
        if text:
            parts.append(text.replace("\xa0", " "))

    def _start(self, tag: str, attributes: Attributes) -> None:
        if tag in _VOID:
            self._mark(tag, attributes)
            return
        if tag in _HIDDEN or self.skipped(tag, attributes):
            self.hidden.append(tag)
            return
        if tag in _ENDS:
            ended, within = _ENDS[tag]
            self._end_any(ended, within)
        if len(self.open) < _DEEPEST:
            self.open.append(_Element(tag, attributes))
            self.code += _is_code(self.open[-1])

    def _mark(self, tag: str, attributes: Attributes) -> None:
        """An element without content: a line break, a rule, a check box."""
        if tag == "br":
            self.open[-1].parts.append("\n")
        elif tag == "hr":
            self.open[-1].parts.append(f"\n\n{_RULE}\n\n")
        elif tag == "en-todo" or (tag == "input" and attributes.get("type", "").lower() == "checkbox"):
            checked = attributes.get("checked", "false" if tag == "en-todo" else None)
            box = "[ ] " if checked in ("false", None) else "[x] "
            here = self.open[-1].parts
            here.append(box if any(one.tag == "li" for one in self.open) else f"{chr(10) if here else ''}- {box}")

    def _end(self, tag: str) -> None:
        if any(one.tag == tag for one in self.open[1:]):
            while self._close() != tag:
                pass
        elif tag == "p":
            self.open[-1].parts.append("\n\n")

    def _end_any(self, ended: set[str], within: set[str]) -> None:
        """Closes the outermost element of these names that is open within the innermost of the others."""
        first = None
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag in within:
                break
            if self.open[place].tag in ended:
                first = place
        while first is not None and len(self.open) > first:
            self._close()

    def _close(self) -> str:
        """Writes the innermost element into the one that holds it; its name."""
        done, around = self.open.pop(), self.open[-1]
        self.code -= _is_code(done)
        written = self._written(done, around)
        if written[:1] == "\n" and written[:2] != "\n\n" and around.parts and around.parts[-1].endswith("\n"):
            written = written[1:]  # one line under the other
        if written[:1] == "\n" or not around.parts or not around.parts[-1].endswith((" ", "\n")):
            around.parts.append(written)
        else:
            around.parts.append(written if self.code else written.lstrip(" "))
        return done.tag

    def _in_a_cell(self) -> None:
        """Notes of the cell around this place, if there is one, that it holds a part of the page."""
        for one in reversed(self.open):
            if one.tag in _CELLS:
                one.laid_out = True
            if one.tag in (*_CELLS, "table"):
                return

    def _written(self, done: _Element, around: _Element) -> str:
        tag, text = done.tag, done.text
        if tag in _CELLS:
            if not around.rows:
                around.rows.append([])
            around.rows[-1].append("" if text.strip() == _RULE else text.strip())
            around.laid_out = around.laid_out or done.laid_out
            return ""
        if tag in _ROWS:
            around.rows += [row for row in done.rows if tag != "tr" or any(row)]
            around.laid_out = around.laid_out or done.laid_out
            return text if tag != "tr" or text.strip() else ""
        if tag == "table" or tag in _HEADINGS:
            self._in_a_cell()
        if tag == "table":
            laid_out = done.laid_out or done.attributes.get("role", "").lower() in ("presentation", "none")
            return f"\n\n{text.strip()}\n\n{_blocks(done.rows) if laid_out else _table(done.rows)}\n\n"
        if tag == "li":
            around.items += 1
            return _item(done, around)
        if tag in ("ul", "ol") and around.tag in ("ul", "ol"):
            return "\n" + _indented(text.strip("\n"), "  ")
        if tag == "a" and (address := done.attributes.get("href", "").strip()) and text.strip() and not self.code:
            words = _one_line(text)
            before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            return before + self.link(address, words) + after
        if self.code:  # a line of a block of code
            return text if tag not in ("div", "p") or text.endswith("\n") else f"{text}\n"
        return _block(done, text)


def _block(done: _Element, text: str) -> str:
    """An element that only its name, or its style, tells apart."""
    tag = done.tag
    if _is_code(done):
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        return f"\n\n{fence}\n{text.strip(chr(10))}\n{fence}\n\n" if text.strip() else ""
    if tag in _HEADINGS:
        return f"\n\n{'#' * int(tag[1])} {line}\n\n" if (line := _one_line(text).rstrip("\u200b¶ ")) else ""
    if tag in ("code", "kbd", "samp", "tt"):
        return f"`{text}`" if text.strip() and "`" not in text and "\n" not in text else text
    if tag == "blockquote":
        return "\n\n" + _indented(tidy(text), "> ") + "\n\n"
    if tag in _PARAGRAPHS:
        return f"\n\n{text.strip(' ')}\n\n"
    return f"\n{text.strip(' ')}\n" if tag in _LINES else text


def _is_code(element: _Element) -> bool:
    return element.tag in ("pre", "listing") or _CODE_STYLE.search(element.attributes.get("style", "")) is not None


def _item(done: _Element, around: _Element) -> str:
    text = re.sub(r"\n{2,}", "\n", tidy(done.text))
    checked = _CHECKED_STYLE.search(done.attributes.get("style", ""))
    box = "" if not checked else "[x] " if checked[1] == "true" else "[ ] "
    if not text:
        return ""
    mark = f"{around.items}. " if around.tag == "ol" else "- "
    return f"\n{mark}{box}{_indented(text, ' ' * len(mark)).lstrip(' ')}"


def _blocks(rows: list[list[str]]) -> str:
    """The cells of a table that is only there for the looks, one under the other."""
    return "\n\n".join(cell for row in rows for cell in row if cell)


def _table(rows: list[list[str]]) -> str:
    """Rows as a table in Markdown, without empty columns; a table of one column is only there for the looks."""
    used = {column for row in rows for column, cell in enumerate(row) if cell}
    if len(used) < 2:
        return _blocks(rows)
    lines = []
    for row in filter(any, rows):
        cells = (_one_line(row[column]).replace("|", "\\|") if column < len(row) else "" for column in sorted(used))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([lines[0], "|" + " --- |" * len(used), *lines[1:]])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _indented(text: str, mark: str) -> str:
    return "\n".join(f"{mark}{line}" if line else mark.rstrip() for line in text.split("\n"))


def tidy(text: str) -> str:
    """The text without blanks at the ends of its lines, and without more than one blank line in a row."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
