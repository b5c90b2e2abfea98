"""RTF loader: what TextEdit, WordPad, Word and Scrivener write as rich text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memkit.core.instants import from_clocks
from memkit.sources.contents import whole
from memkit.sources.documents.document import markdown_table, office_note, timed
from memkit.sources.format import Format
from memkit.sources.html_markdown import web_link
from memkit.sources.notes.note import Record, drafts
from memkit.sources.notes.note_dates import day_of_name
from memkit.sources.options import ReadOptions

_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,9})? ?|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<sign>.)"
    r"|(?P<brace>[{}])|[\r\n\0]+|(?P<text>[^\\{}\r\n\0]+)",
    re.DOTALL,
)
# Groups that say nothing themselves: tables of fonts and styles, heads and feet, pictures.
_LEFT_OUT = frozenset(
    """colortbl listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles
    pict objdata header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc
    filetbl xmlnstbl userprops nonshppict bkmkstart bkmkend xe tc template operator company manager comment doccomm
    category subject hlinkbase keywords""".split()
)
_HELD = frozenset("title author creatim revtim fldinst fldrslt listtext pntext footnote stylesheet fonttbl".split())
_MOMENTS = {"creatim": "created", "revtim": "modified"}
_WORDS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "endash": "–", "emdash": "—", "enspace": " ", "emspace": " ", "nestcell": " ", "nestrow": " ",
}  # fmt: skip
_SIGNS = {"~": "\xa0", "_": "-", "\\": "\\", "{": "{", "}": "}", "\t": "\t"}
_ENDS = frozenset(("par", "sect", "page"))
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_PAGES = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_OF_MAC = 10000  # the number of its page of codes
_STYLE = re.compile(r"\0(\d+)\0[^\0;]*?\bheading (\d)")
_NO_LEVEL = 9  # of the text of an outline
_LINK = re.compile(r'HYPERLINK\s+"?([^"\s]+)')
_NUMBER = re.compile(r"[\w.]{1,8}[.)]")
_ITEMS = re.compile(r"^((?:-|[\w.]{1,8}[.)]) .*\n)\n(?=(?:-|[\w.]{1,8}[.)]) )", re.MULTILINE)
_FAR = re.compile(r"\n{3,}")
_CODES = 0x10000


@dataclass(frozen=True)
class _Group:
    """What holds in a group: the codec of its bytes, and how many signs stand for those who know no Unicode.

    `held` names the group whose words are kept apart; one that is `silent` says nothing, one that is `hidden` is not
    shown.
    """

    codec: str = ""
    fallback: int = 1
    held: str = ""
    silent: bool = False
    hidden: bool = False


class _Text:
    """The words of a document while it is read, by paragraphs, and what it tells of itself."""

    def __init__(self) -> None:
        self.about: dict[str, str] = {}
        self.page = _PAGES["ansi"]
        self._group = _Group()
        self._stack: list[tuple[_Group, list[str]]] = []
        self._said: list[str] = []
        self._bytes = bytearray()
        self._skipped = 0  # signs that only repeat a character for those who know no Unicode
        self._is_optional = False  # a group that a program may pass over if it does not know it
        self._level, self._in_table = 0, False
        self._blocks: list[str] = []
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._footnotes: list[str] = []
        self._link, self._clock = "", dict[str, int]()
        self._fonts: dict[int, str] = {}
        self._font, self._default = 0, 0
        self._levels: dict[int, int] = {}

    def take(self, token: re.Match[str]) -> None:
        """Reads the next token."""
        if word := token["word"]:
            self._flush()
            if self._skipped and word != "u":
                self._skipped -= 1
            else:
                self._word(word, int(token["number"] or -1), token["number"] is not None)
        elif token["brace"]:
            self._flush()
            self._skipped = 0
            self._open() if token["brace"] == "{" else self._close()
        elif token["sign"]:
            self._flush()
            self._sign(token["sign"])
        else:
            data = bytes.fromhex(token["byte"]) if token["byte"] else (token["text"] or "").encode("latin-1")
            skipped, self._skipped = self._skipped, max(self._skipped - len(data), 0)
            if not (self._group.silent or self._group.hidden):
                self._bytes += data[skipped:]

    def text(self) -> str:
        """All paragraphs, as Markdown. Empty ones stand between others if the writer has put some there."""
        self._flush()
        self._end()
        self._end_table()
        words = [place for place, block in enumerate(self._blocks) if block]
        blocks = self._blocks[words[0] : words[-1] + 1] if words else []
        text = ("\n" if "" in blocks else "\n\n").join(blocks)
        notes = [f"[^{number}]: {note}" for number, note in enumerate(self._footnotes, 1)]
        return "\n\n".join([_FAR.sub("\n\n", _ITEMS.sub(r"\1", text)), *notes]).strip()

    # ---------------------------------------------------------------------------------------------------- groups

    def _open(self) -> None:
        self._stack.append((self._group, self._said))
        self._is_optional = False

    def _close(self) -> None:
        if not self._stack:
            return
        ended, said = self._group.held, self._said
        self._group, self._said = self._stack.pop()
        if said is not self._said:
            self._keep(ended, _whole("".join(said)))

    def _hold(self, name: str) -> None:
        """From here to the end of the group its words are kept apart."""
        self._group, self._said = replace(self._group, held=name), []

    def _keep(self, name: str, text: str) -> None:
        words = " ".join(text.split())
        if name in ("title", "author"):
            self.about[name] = words
        elif name in _MOMENTS:
            self.about[_MOMENTS[name]] = _moment(self._clock)
            self._clock = {}
        elif name == "stylesheet":
            self._levels = {int(number): int(level) for number, level in _STYLE.findall(text)}
        elif name == "fldinst":
            self._link = found[1] if (found := _LINK.search(text)) else ""
        elif name == "fldrslt":
            link, self._link = self._link, ""
            self._said.append(web_link(link, words))
        elif name in ("listtext", "pntext"):
            self._said.append(f"{words} " if _NUMBER.fullmatch(words) else "- ")
        elif name == "footnote":
            self._footnotes.append(words)
            self._said.append(f"[^{len(self._footnotes)}]")

    # ----------------------------------------------------------------------------------------------------- words

    def _word(self, word: str, number: int, has_number: bool) -> None:
        is_optional, self._is_optional = self._is_optional, False
        is_known = word in _HELD
        if word in _LEFT_OUT or (is_optional and not is_known):
            self._group = replace(self._group, silent=True)
        elif word == "u":
            self._skipped = self._group.fallback
            self._say(chr(number % _CODES))
        elif word in ("uc", "f", "plain", "v", "deleted"):
            self._of_letters(word, number, has_number)
        elif self._group.silent:
            return
        elif is_known and (word != "fldrslt" or self._link):
            self._hold(word)
        elif word in _WORDS:
            self._say(_WORDS[word])
        elif self._group.held:
            self._of_groups(word, number)
        elif word in _ENDS:
            self._end()
        else:
            self._of_paragraphs(word, number)

    def _of_letters(self, word: str, number: int, has_number: bool) -> None:
        if word == "uc":
            self._group = replace(self._group, fallback=max(number, 0))
        elif word == "f" and self._group.held == "fonttbl":
            self._font = number
        elif word in ("f", "plain"):
            font = number if word == "f" else self._default
            hidden = self._group.hidden and word == "f"
            self._group = replace(self._group, codec=self._fonts.get(font, ""), hidden=hidden)
        else:
            self._group = replace(self._group, hidden=not has_number or number != 0)

    def _of_groups(self, word: str, number: int) -> None:
        """What a word says in a group that is kept apart."""
        held = self._group.held
        if held == "fonttbl" and word == "fcharset":
            self._fonts[self._font] = _CHARSETS.get(number, "")
        elif held == "stylesheet" and word == "s":
            self._said.append(f"\0{number}\0")
        elif held in _MOMENTS:
            self._clock[word] = number
        elif word in _ENDS:
            self._say("\n")

    def _of_paragraphs(self, word: str, number: int) -> None:
        if word == "pard":
            self._level, self._in_table = 0, False
        elif word == "intbl":
            self._in_table = True
        elif word == "outlinelevel":
            self._level = number + 1 if number < _NO_LEVEL else 0
        elif word == "s":
            self._level = self._levels.get(number, 0)
        elif word == "cell":
            self._cells.append(_whole("".join(self._said)))
            self._said.clear()
        elif word == "row":
            self._rows.append(self._cells)
            self._cells = []
        elif word == "ansicpg":
            self.page = _PAGES["mac"] if number == _OF_MAC else f"cp{number}"
        elif word in _PAGES:
            self.page = _PAGES[word]
        elif word == "deff":
            self._default = number

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._is_optional = True
        elif sign in "\r\n" and not self._group.silent:
            self._say("\n") if self._group.held else self._end()
        elif self._skipped:
            self._skipped -= 1
        else:
            self._say(_SIGNS.get(sign, ""))

    def _say(self, text: str) -> None:
        if not (self._group.silent or self._group.hidden):
            self._said.append(text)

    def _flush(self) -> None:
        """The bytes that were gathered become letters: some need two."""
        if self._bytes:
            self._said.append(_letters(bytes(self._bytes), self._group.codec or self.page))
            self._bytes.clear()

    # ------------------------------------------------------------------------------------------------ paragraphs

    def _end(self) -> None:
        """The paragraph ends."""
        text = _whole("".join(self._said)).strip()
        if self._in_table:
            self._said.append("\n")
            return
        self._said.clear()
        self._end_table()
        self._blocks.append(f"\n{'#' * self._level} {text}\n" if self._level and text else text)

    def _end_table(self) -> None:
        if self._rows:
            self._blocks.append(f"\n{markdown_table(self._rows)}\n")
            self._rows = []


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The document as passages under its headings: links, lists, tables and footnotes; deleted words are left out."""
    document = _Text()
    for token in timed(_tokens(whole(path, options, "note_size").decode("latin-1")), options):
        document.take(token)
    about = {name: value for name, value in document.about.items() if name in ("title", "created", "modified")}
    for key in {"created", "modified"} & {*about}:
        about[key] = from_clocks(datetime.fromisoformat(about[key]), options.timezone) if about[key] else ""
    about["creator"] = document.about.get("author", "")
    note = office_note(path, about, text=document.text())
    yield from drafts(
        [note if note.created else replace(note, happened=day_of_name(path.stem, options.day_first))], path, options
    )


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a file, of which each character is a byte, without the binary data in it."""
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found["word"] == "bin":
            at += max(int(found["number"] or 0), 0)
        else:
            yield found


def _moment(clock: dict[str, int]) -> str:
    with suppress(ValueError):
        parts = (clock.get(name, 0) for name in ("yr", "mo", "dy", "hr", "min", "sec"))
        return datetime(*parts).isoformat()  # type: ignore[arg-type]
    return ""


def _letters(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec, "replace")
    except LookupError:  # a page of codes that nobody knows
        return data.decode("cp1252", "replace")


def _whole(text: str) -> str:
    """The text with its pairs of surrogates as characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


FORMAT = Format("rtf", "Rich text (RTF)", read, lambda sample: sample.text.startswith(r"{\rtf"), ("*.rtf",))
