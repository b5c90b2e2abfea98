"""Tokens and sentences for extraction: each word knows whether its capital letter has a meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from memkit.text.extract import words
from memkit.text.words import CJK_CLASS

# Replaces text that is not prose (code, addresses, CJK), so that offsets stay the same; it never joins two words.
HIDDEN = "\ue000"

_ENDINGS = (
    "py|md|js|ts|json|csv|html|css|txt|yml|yaml|toml|sh|sql|db|pdf|png|jpe?g|gif|svg|webp|mp[34]|mov|wav|zip|epub|docx?"
    "|xlsx?|pptx?|cpp|hpp|java|rs|go|tsx|jsx|scss|log|ini|lock|exe|dll|so"
)
# What is no prose, in groups: each is looked for only in a text that has one of its signs. Most texts have few of them.
_NO_PROSE = (
    (
        re.compile(r"[`~<%$\\{]|!\[|\[\[|\(\(|\]\("),
        r"(?=[`~<%$\\{(!\[])(?:"  # most characters begin none of these
        r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)"  # fenced code
        r"|`[^`\n]+`"
        r"|<!--.*?(?:-->|\Z)|%%.*?%%"  # comments
        r"|\$\$.*?\$\$|(?<![\\$\w])\$(?=[^\s$\d])[^$\n]{1,300}(?<=\S)\$(?!\d)"  # formulas
        r"|\\\(.{0,1000}?\\\)|\\\[.{0,1000}?\\\]"
        r"|\{\{[^{}\n]{0,300}\}\}|<%.{0,300}?%>|\(\([\w-]{9,}\)\)"  # placeholders, and references to blocks
        r"|!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*\)"  # what is embedded, such as a picture
        r"|\[\[[^\[\]\n|]*(?:\||/(?=[^\[\]\n|]*\]\]))"  # the target of a link that shows other words; its folders
        r"|</?[a-zA-Z!][^<>\n]{0,300}>"  # tags and autolinks
        r"|(?<=\])\([^()\s]*\)"  # the address of a Markdown link
        r")",
    ),
    (
        re.compile(r"::|\[[ xX]\]"),
        r"^[ \t]*(?:[-*+] \[[ xX]\]|(?:[-*+][ \t]+)?"  # the box of a task, and properties
        r"(?:(?:id|collapsed|file-path|file|logseq\.[\w.-]+)::[^\n]*|[\w-]+::(?!\S)))",
    ),
    (re.compile(r"://|www\."), r"\b(?:https?|ftp|file|obsidian)://\S+|\bwww\.\S+"),
    (re.compile("@"), r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+"),  # e-mail
    (re.compile("/"), r"(?<![\w/.~])~?(?:/[\w.-]+){2,}/?"),  # paths
    (re.compile("#"), r"(?<!\w)#[^\W\d_][\w/-]*"),  # hash tags
    (re.compile(r"\(\)"), r"(?<![\w.])[\w.]{1,80}\(\)"),  # calls
    (re.compile("_"), r"(?<![@\w])[^\W_]+(?:_[^\W_]+)+\b"),  # snake_case
    (
        re.compile(rf"\.(?:{_ENDINGS})\b"),  # names of files
        rf"(?<![\w-])[\w-]{{1,100}}\.(?:{_ENDINGS})\b",
    ),
)
# A text without any of these is all prose.
_MARK = re.compile(r"[`~<@/#\[_$%\\{]|\(\(|\(\)|::|\.[a-z]|www\.")
_CJK = re.compile(f"{CJK_CLASS}+")
_TOKEN = r"(?:@[^\W_][\w.-]*|[^\W_]+(?:['’.\-‐‑][^\W_]+)*['’]?|&)"
_RUN = re.compile(f"{_TOKEN}(?: {_TOKEN})*")  # words with single blanks between them
_POSSESSIVE = re.compile(r"(?:['’][sS]|['’])\Z")
_SAME_SENTENCE = re.compile(r"[^.!?…\n。！？]*\Z|\.[^\S\n]*,")
_INSIDE = re.compile(rf"[ \t\xa0,;()\[\]&/'’\-–+*_~{HIDDEN}]*\Z")
_LINE_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]|[-*+•][ \t]|\d{1,3}[.)][ \t]|\|)")
_HEADING = re.compile(r"[ \t]*(?:>[ \t]*)*#{1,6}[ \t]")
_JOINED = re.compile(r"[ \t\xa0]{1,3}\Z")
_WRAPPED_LINE = 50  # a line of this length that ends with a word continues in the next line


class Form:
    """A word as written, with the properties that do not depend on its place."""

    __slots__ = ("capital", "caps", "counts", "function", "german", "letters", "lower", "opens", "raw", "upper", "word")

    def __init__(self, raw: str):
        self.raw = raw
        self.word = _POSSESSIVE.sub("", raw) if "'" in raw or "’" in raw else raw  # without the possessive ending
        self.lower = self.word.lower().replace("’", "'")
        alphas = sum(map(str.isalpha, self.word))
        self.letters = alphas > 0
        self.upper = self.word[:1].isupper()
        # All letters are capitals, at least two.
        self.caps = self.word.isupper() and alphas > 1
        # It may be a name by its capitals: Kira, NASA, iPhone.
        self.capital = self.word != self.lower and self.lower not in ("i", "i'm", "i've", "i'd", "i'll")
        self.opens = self.capital or raw.startswith("@")  # a name may begin here
        self.function = self.lower in words.FUNCTION
        self.german = self.word in words.GERMAN
        self.counts = not self.caps and self.word[:1].isalpha() and len(self.word) > 1  # its case may have a meaning


_form = lru_cache(maxsize=1 << 16)(Form)


@dataclass(slots=True)
class Token:
    """A word of a text. `first`: its capital may only mark a start. `joined`: only a space is before it."""

    form: Form
    start: int
    first: bool
    joined: bool

    @property
    def raw(self) -> str:
        """The word as written."""
        return self.form.raw

    @property
    def word(self) -> str:
        """The word as written, without its possessive ending."""
        return self.form.word

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.form.lower

    @property
    def caps(self) -> bool:
        """Whether all letters are capitals, at least two."""
        return self.form.caps

    @property
    def capital(self) -> bool:
        """Whether it may be a name by its capitals: Kira, NASA, iPhone."""
        return self.form.capital

    @property
    def end(self) -> int:
        """The end of the word without its possessive ending."""
        return self.start + len(self.form.word)

    @property
    def possessive(self) -> bool:
        return self.form.word != self.form.raw and self.form.raw[-1] in "sS"


class Piece(NamedTuple):
    """Words of a sentence with single spaces between; `first` and `joined` are those of the first word, as in Token."""

    start: int
    first: bool
    joined: bool
    forms: list[Form]


@dataclass(slots=True)
class Sentence:
    """The words of a sentence; `mute` if its capitals have no meaning (a heading, Title Case, all capitals)."""

    start: int
    end: int
    heading: bool = False
    pieces: list[Piece] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)  # its words, without their places
    _mute: bool | None = None

    def add(self, piece: Piece, end: int) -> None:
        """Adds words at the end of the sentence."""
        self.pieces.append(piece)
        self.forms += piece.forms
        self.end = end

    @property
    def tokens(self) -> list[Token]:
        """The words of the sentence with their places."""
        found = []
        for start, first, joined, forms in self.pieces:
            for form in forms:
                found.append(Token(form, start, first, joined))
                start, first, joined = start + len(form.raw) + 1, False, True
        return found

    @property
    def mute(self) -> bool:
        if self._mute is None:
            self._mute = self.heading or self.shouted or self.title_case
        return self._mute

    @property
    def shouted(self) -> bool:
        caps = sum([form.caps for form in self.forms])
        if not caps:  # the usual case
            return False
        letters = sum([form.letters for form in self.forms])
        return letters > 1 and caps > 0.6 * letters

    @property
    def title_case(self) -> bool:
        capitals = [form for form in self.forms[1:] if form.upper]
        if sum([form.function and form.lower != "i" for form in capitals]) < 2:
            return False
        return sum([form.word[:1].islower() for form in self.forms]) <= len(self.forms) / 4

    @property
    def german(self) -> bool:
        """Whether the sentence is in German, which capitalises all nouns."""
        return sum([form.german for form in self.forms]) > 1


@lru_cache(maxsize=4)  # a text is searched for names, and directly after that for statements
def written(text: str) -> str:
    """The text with all that is not prose (code, addresses, formulas, comments) replaced by HIDDEN, at equal length."""
    if not _MARK.search(text):
        return text
    signs = tuple(sign.search(text) is not None for sign, _ in _NO_PROSE)
    return _any_of(signs).sub(lambda match: HIDDEN * len(match[0]), text) if any(signs) else text


@cache
def _any_of(signs: tuple[bool, ...]) -> re.Pattern[str]:
    """The groups of what is no prose whose signs a text has, as one pattern."""
    groups = [group for (_, group), here in zip(_NO_PROSE, signs, strict=True) if here]
    return re.compile("|".join(groups), re.DOTALL | re.MULTILINE)


@lru_cache(maxsize=4)
def prose(text: str) -> str:
    """The same, and CJK characters replaced, too."""
    hidden = written(text)
    return hidden if hidden.isascii() else _CJK.sub(lambda match: HIDDEN * len(match[0]), hidden)


@lru_cache(maxsize=2)
def worded_sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order, each with its words; code, addresses and CJK text are left out."""
    text = prose(text)
    found: list[Sentence] = []
    end, last = 0, None
    for match in _RUN.finditer(text):
        start, forms = match.start(), [_form(raw) for raw in match[0].split(" ")]
        gap = text[end:start]
        new, first, joined = (True, gap[-1:] != HIDDEN, False) if last is None else _boundary(text, gap, last, end)
        if new:
            heading = _HEADING.match(text, text.rfind("\n", 0, start) + 1) is not None
            found.append(Sentence(start, start, heading))
        last, end = forms[-1], match.end()
        found[-1].add(Piece(start, first, joined, forms), end)
    return found


def _boundary(text: str, gap: str, last: Form, end: int) -> tuple[bool, bool, bool]:
    """For the gap after a word: whether it ends the sentence, and `first` and `joined` of the next word."""
    if gap == " ":
        return False, False, True
    if gap.startswith(".") and _abbreviated(last) and not gap[1:].strip(" \t\xa0"):
        return False, False, True
    if "\n" in gap:
        return (False, False, True) if _wrapped(text, gap, end) else (True, True, False)
    if _INSIDE.match(gap):
        return False, False, _JOINED.match(gap) is not None
    return not _SAME_SENTENCE.match(gap), True, False


def _abbreviated(form: Form) -> bool:
    return form.lower in words.ABBREVIATIONS or (len(form.word) == 1 and form.word.isupper() and form.word != "I")


def _wrapped(text: str, gap: str, end: int) -> bool:
    """Whether a line break only wraps a paragraph: the line is long, and neither line is a list item or heading."""
    if gap.strip(" \t,") != "\n":
        return False
    line = text.rfind("\n", 0, end) + 1
    following = end + gap.index("\n") + 1
    return end - line >= _WRAPPED_LINE and not _LINE_MARK.match(text, line) and not _LINE_MARK.match(text, following)
