"""Tokens and sentences for extraction: each word knows whether its capital letter has a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache, reduce
from operator import attrgetter, or_
from typing import NamedTuple

from memkit.core.classes import dataclass
from memkit.core.patterns import pattern
from memkit.core.remembered import Remembered
from memkit.text.extract import dictionary, words
from memkit.text.extract.identifiers import HOST
from memkit.text.words import CJK_CLASS, DAY_OF_MONTH, has_cjk

# Replaces text that is not prose (code, addresses, CJK), so that offsets stay the same; it never joins two words.
HIDDEN = "\ue000"

INSIDE, START = 1, 2  # what `first` of a word says

# The traits of words that a sentence asks for: one look at its words finds those of all of them.
UPPER, CAPS, OPENS, COMPOUND, NUMBER, GERMAN, ENGLISH, SMALL, TITLE, MARKED, KNOWN = (1 << bit for bit in range(11))
DOTTED = 1 << 11  # a full stop after the word may not end the sentence: an abbreviation, or the number of a day

_ENDINGS = (
    "py|md|js|ts|json|csv|html|css|txt|yml|yaml|toml|sh|sql|db|pdf|png|jpe?g|gif|svg|webp|mp[34]|mov|wav|zip|epub|docx?"
    "|xlsx?|pptx?|cpp|hpp|java|rs|go|tsx|jsx|scss|log|ini|lock|exe|dll|so"
)
LIBRARY = r"[A-Z][A-Za-z0-9]*\.js"
# What is no prose, in groups: each is looked for only in a text that has one of its signs. Most texts have few of them.
_NO_PROSE = (
    (
        pattern(r"[`~<%$\\{]|!\[|\[\[|\(\(|\]\("),
        r"(?=[`~<%$\\{(!\[])(?:"  # most characters begin none of these
        r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)"  # fenced code
        r"|`[^`\n]+`|~~[^~\n]{1,300}~~"
        r"|<!--.*?(?:-->|\Z)|%%.*?%%"  # comments
        r"|\$\$.*?\$\$|(?<![\\$\w])\$(?=[^\s$\d])[^$\n]{1,300}(?<=\S)\$(?!\d)"  # formulas
        r"|\\\(.{0,1000}?\\\)|\\\[.{0,1000}?\\\]"
        r"|\\begin\{(?P<env>\w+\*?)\}.{0,5000}?\\end\{(?P=env)\}|\\[a-zA-Z]{2,}(?=[\s{_^\\])"
        r"|\{\{[^{}\n]{0,300}\}\}|<%.{0,300}?%>|\(\([\w-]{9,}\)\)"  # placeholders, and references to blocks
        r"|\{:[a-z][^{}\n]{0,300}\}"  # the size of a picture: {:height 200}
        r"|!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\((?:[^()\n]|\([^()\n]*\))*\)"  # what is embedded, such as a picture
        r"|!\[[^\[\]\n]*\]\[[^\[\]\n]*\]"
        r"|\[\[[^\[\]\n|]*(?:\||/(?=[^\[\]\n|]*\]\]))"  # the target of a link that shows other words; its folders
        r"|</?[a-zA-Z!][^<>\n]{0,300}>"  # tags and autolinks
        r"|\[![\w-]+\][-+]?"  # the kind of a callout
        r"|(?<=\])\((?:[^()\s]|\([^()\s]*\))*\)"  # the address of a Markdown link
        r")",
    ),
    (
        pattern(r"::|\[[ xX]\]"),
        r"\Atitle::[^\n]*|"  # of a page, whose name it is
        r"^[ \t]*(?:[-*+] \[[ xX]\]|(?:[-*+][ \t]+)?"  # the box of a task, and properties
        r"(?:#{1,6}[ \t]+)?(?:(?:id|collapsed|file-path|file|logseq\.[\w.-]+)::[^\n]*"
        r"|[\w-]+(?: [\w-]+){0,2}::(?!\S)))",
    ),
    (pattern(r'":'), r'^[ \t]*"[\w$.-]+"[ \t]*:[^\n]*'),  # a line of JSON
    # The mark of a footnote, the number of a source, and a sign that is written as a word (`&nbsp;`): a sentence may
    # end before it.
    (pattern(r"\[\^"), r"\[\^[^\[\]\s]{1,40}\](?!\()"),
    (pattern(r"\[\d"), r"(?<!\])\[\d{1,3}(?:[,–-] ?\d{1,3})*\](?![(\[:])"),
    (pattern("&#?[A-Za-z0-9]"), r"&(?:#\w{1,6}|[a-z]{2,8}|[A-Z][a-z]{3,7});"),
    # Where a link or a picture leads, below the text: `[2]: /pond.jpg "Photo by Otto Brandt"`.
    (pattern(r"\]:"), r"^ {0,3}\[(?!\^)[^\[\]\n]{1,100}\]:[ \t]+\S+(?:[ \t]+[\"'(][^\n]*)?[ \t]*$"),
    (  # a patch, and the rest of one that was cut: three lines that are added, and are neither a list nor numbers
        pattern(r"^@@ -\d|^\+", re.MULTILINE),
        r"^(?:diff --git |index [0-9a-f]{7,40}\.\.|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null))[^\n]*"
        r"|^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|\+(?! \S|\d)[^\n]*(?:\n\+(?! \S|\d)[^\n]*){2})[^\n]*"
        r"(?:\n(?:[ \t+\-\\][^\n]*|(?=\n(?:[ \t\\]|[+-](?! \S)))))*",
    ),
    (pattern(r"^[!-~]{60}", re.MULTILINE), r"^[!-~]{60,}(?:\n[!-~]{60,}){2,}(?:\n[!-~]+$)?"),  # encoded data, in lines
    (pattern(r"://|www\."), r"\b(?:https?|ftp|file|obsidian)://\S+|\bwww\.\S+"),
    (pattern(r"\.[a-z0-9-]+\.[a-z0-9]"), rf"(?<![\w./-]){HOST}(?![\w-]|\.\w)"),
    (pattern("@"), r"(?<![\w.+-])(?:[\w.+-]{1,64}@[\w-]+\.[\w.-]+|[\w.+-]{0,63}[^\W_]@[\w-]+)"),  # e-mail; a login
    (pattern("/"), r"(?<![\w/.~])~?(?:/[\w.-]+){2,}/?"),  # paths
    (  # the time zone after a time, as calendars write it
        pattern(r":\d\d \("),
        r"(?<=:\d\d )\((?:UTC|GMT|[\w. ]{1,40} Standard Time|/?[\w.+-]{1,60}(?:/[\w+-]{1,40}){1,4})\)",
    ),
    # Hash tags, and colours; how urgent a task is.
    (pattern("#"), r"(?<!\w)#(?:[^\W\d_][\w/-]*|[0-9A-Fa-f]{6}\b)|\[#[A-Z]\]"),
    (pattern("[Ll];"), r"\b[Tt][Ll];\s?[Dd][Rr]\b"),
    (pattern(r"\(\)"), r"(?<![\w.])[\w.]{1,80}\(\)"),  # calls
    (pattern("_"), r"(?<![@\w])[^\W_]+(?:_[^\W_]+)+\b"),  # snake_case
    (
        pattern(rf"\.(?:{_ENDINGS})\b"),  # names of files, but not of libraries: Node.js
        rf"(?<![\w-])(?!(?<!/){LIBRARY}\b)[\w-]{{1,100}}\.(?:{_ENDINGS})\b",
    ),
)
# A text without any of these is all prose. To look for them one by one is quicker than one pattern of all of them.
_MARKS = (*"`~<@/#[_$%\\{", "\n+", '":', "((", "()", "::", "www.", "TL;", "tl;")
_FILE_ENDING, _TIME_ZONE, _ENTITY = pattern(r"\.[a-z]"), pattern(r":\d\d \("), pattern(r"&#?\w{2,7};")
_CJK = pattern(f"{CJK_CLASS}+")


def _run(letters: str) -> re.Pattern[str]:
    """Words with single blanks between. No full stop is inside a word where a blank was forgotten: file.The."""
    inner = r"(?:['’\-‐‑]|\.(?!(?<=[a-z]\.)[A-Z][a-z]))"
    token = rf"(?:@[^\W_][\w.-]*|{letters}(?:{inner}{letters})*['’]?|&)"
    return pattern(f"{token}(?: {token})*")


_RUN, _ASCII_RUN = _run(r"[^\W_]+"), _run("[A-Za-z0-9]+")  # the same in ASCII, but quicker
# The same, quicker by half, for texts in which all blanks are single ones and, if they are not in ASCII, without a `_`.
_SPACED_RUN, _SPACED_ASCII_RUN = _run(r"\w(?:[\w ]*\w)?"), _run("[A-Za-z0-9](?:[A-Za-z0-9 ]*[A-Za-z0-9])?")
_RUN_WITH_ACCENTS = _run(r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")  # that are signs of their own, after the letter
_ACCENT = pattern("[\u0300-\u036f]")
_GERMAN_ADJECTIVE = pattern(
    r"(?:[a-zäöüß]{2,}(?:lich|ig|isch|bar|sam|los|haft|voll|iert|[^aeiou]end)|neu|neust|alt|gut|schlecht|best|groß|größt"
    r"|klein|lang|kurz|frei|ganz|halb|letzt|nächst|erst|zweit|dritt|viert|ander|schön|schwer|leicht|schnell|jung|toll"
    r"|geil|krass|wild|leer|weit|tief|früh|spät|stark|deutsch)e[nrsm]?"
)  # before a noun
_COMPOUND = pattern(r"[a-z]{2,}(?:(?:-[a-z0-9]{2,})+|\d+[a-z]+)\Z")
# An ending of Polish or Russian behind a foreign name: `Google'owi`, `NAT'ом`.
_POSSESSIVE = pattern(r"(?:['’][sS]|['’]|(?<=[^\W\d_]{3})['’](?:owi|ów|ego|emu|[а-яё]{1,4}))\Z")
# Turkish has one behind each name that is not in its plain form: `Ankara'dan`, `Rosa'ya`. Its letters tell its texts.
_TURKISH = pattern("[ğışĞİŞ]")
_TURKISH_ENDING = pattern(
    r"(?<![^\W_])([A-ZÇĞİÖŞÜ][^\W_]+(?<!qu))(['’](?!(?:s|t|m|d|ll|re|ve)(?![^\W_]))[a-zçğıöşü]{1,12})(?![^\W_])"
)
# The article or preposition of a Romance language before a vowel: `d'Obsidian`, `l’Académie`, `dell'Arte`.
_ELIDED = pattern(r"(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|dall|dell|nell|sull|all|un)['’](?=[^\W\d_a-zà-öø-ÿ])")
# The same before a word in lower case: only the start of a sentence gives it a capital (`C’est`, `Qu’est-ce`).
_ELIDED_WORD = pattern(r"(?i:[cdjl]|qu|jusqu|lorsqu|puisqu|dall|dell|nell|sull|all|un)['’][a-zà-öø-ÿ]")
_SAME_SENTENCE = pattern(r"[^.!?…\n。！？]*\Z|\.[^\S\n]*,")
_INSIDE = pattern(rf"[ \t\xa0,;()\[\]&/'’\-–—+*_~{HIDDEN}]*\Z")
# Opens a bracket, a clause after a dash or stroke, or the other side of a flashcard (`;;`): a capital here may only
# mark the start. A link's words do not.
_OPENED = pattern(r"\(|;;|[ \t][-–—/][ \t]|(?<!\[)\[(?!\[)")
_LETTERED = "[A-Za-z]|[IVX]{1,4}|[ivx]{1,4}"  # what counts the parts of a list: a) b) III)
_LINE_MARK = pattern(
    rf"[ \t]*(?:>[ \t]*)*(?:#{{1,6}}[ \t]|[-*+•][ \t]|\d{{1,3}}[.)][ \t]|\(?(?:{_LETTERED})\)[ \t]|\|)"
)
_COUNT = pattern(rf"(?:{_LETTERED}|\d{{1,3}})\Z")
_HEADING = pattern(r"[ \t]*(?:>[ \t]*)*#{1,6}[ \t]")
# A line of a table of contents: a link to a heading of the page, or a heading with its number (`2.1 Open questions`).
_OF_CONTENTS = pattern(
    r"[ \t]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(?:\[[^\[\]\n]+\]\(#[^()\n]*\)"
    r"|\d{1,2}(?:\.\d{1,2})+\.?[ \t]\S[^\n]{1,80}[^\s.!?;:,])[ \t]*$",
    re.MULTILINE,
)
_CALLOUT = pattern(r"[ \t]*(?:>[ \t]*)+\[![\w-]+\]")  # its title is a heading
_JOINED = pattern(r"[ \t\xa0]{1,3}\Z")
_INITIALS = pattern(r"(?!Z\.B|D\.H|U\.A|I\.D|E\.G|I\.E|P\.S|N\.B)[^\W\d_](?:\.[^\W\d_]){1,2}\Z")  # J.R.R. Halloran
_CAPITAL_BEFORE = pattern(r"[A-Z]\w* \Z")  # Washington D.C. Later
_LEADS_ON = pattern(rf"(?:, |[ {HIDDEN}]+)\Z")
_SPACED = pattern(r"\. ?[A-ZÄÖÜ]\.")  # after a small letter: z. B.
TEXTS = 1 << 13  # each is read three times, for its words, its names, and the known names
_FEW_TEXTS = 64
_MOST_FORMS = 1 << 16
_MOST_KEPT = 4_000_000  # characters of the texts of a run whose sentences are kept; they take twelve times as much room
_CJK_COMMAS = "、，"
_WITHIN_CJK = ' \t、，（「《("“'  # signs inside a sentence
_TELLING = 30  # sentences that tell the language of a text
_WRAPPED_LINE = 50  # a line of this length that ends with a word continues in the next line


class Form:
    """A word as written, with the properties that do not depend on its place."""

    __slots__ = (
        "capital",
        "caps",
        "compound",
        "counts",
        "function",
        "german",
        "leads",
        "letters",
        "lower",
        "opens",
        "raw",
        "traits",
        "upper",
        "word",
    )

    def __init__(self, raw: str):
        self.raw = raw
        if raw.isascii() and raw.isalpha() and raw.islower():  # as most words
            self.word = self.lower = raw
            self.letters = True
            self.upper = self.caps = self.capital = self.opens = self.compound = self.leads = False
            self.function, self.german, self.counts = raw in words.FUNCTION, raw in words.GERMAN, len(raw) > 1
            self.traits = self._traits()
            return
        self.word = _POSSESSIVE.sub("", raw) if "'" in raw or "’" in raw else raw  # without the possessive ending
        self.lower = self.word.lower().replace("’", "'")
        alphas = sum(map(str.isalpha, self.word))
        self.letters = alphas > 0
        self.upper = self.word[:1].isupper()
        # All letters are capitals, at least two.
        self.caps = self.word.isupper() and alphas > 1
        # It may be a name by its capitals: Kira, NASA, iPhone.
        self.capital = self.word != self.word.lower() and self.lower not in ("i", "i'm", "i've", "i'd", "i'll")
        if self.capital and ("'" in raw or "’" in raw) and _ELIDED_WORD.match(raw):
            self.capital = False
        self.opens = self.capital or raw.startswith("@")  # a name may begin here
        # In lower case, of several parts or with a digit inside: js-libp2p.
        self.compound = raw[0].islower() and raw.islower() and not raw.isalpha() and _COMPOUND.match(raw) is not None
        # A number, whom a message is sent to, or how far a task is: after it the sentence still begins (`4 Principles`,
        # `@rosa Well`, `DONE Read it`).
        self.leads = self.word.isdigit() or raw.startswith("@") or raw in words.TASKS
        self.function = self.lower in words.FUNCTION
        self.german = self.word in words.GERMAN or self.lower in words.GERMAN_ALONE
        self.counts = not self.caps and self.word[:1].isalpha() and len(self.word) > 1  # its case may have a meaning
        self.traits = self._traits()

    def _traits(self) -> int:
        return (
            UPPER * self.upper
            | CAPS * self.caps
            | OPENS * self.opens
            | COMPOUND * self.compound
            | NUMBER * self.raw.isdigit()
            | GERMAN * self.german
            | ENGLISH * (self.function and self.lower not in words.ENGLISH_AND_GERMAN)
            | SMALL * (not self.function and self.word[:1].islower())
            | TITLE * (self.upper and self.function and self.lower != "i")
            | MARKED * (self.raw != self.raw.lower() or self.raw[-1].isdigit())
            | DOTTED * (_abbreviated(self) or self.word.isdigit() or _is_small_letter(self) or "." in self.word)
            | KNOWN
            * (dictionary.begins_well_known(self.lower) and (self.capital or not dictionary.is_known(self.word)))
        )


_form = Remembered(Form, _MOST_FORMS).__getitem__
_traits_of = attrgetter("traits")


@dataclass(slots=True)
class Token:
    """A word of a text. `joined`: only a space is before it.

    `first`: its capital may only mark a start: that of a sentence (START), or inside one after a bracket (INSIDE).
    """

    form: Form
    start: int
    first: int
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
        """The end of the word without its possessive ending, or another one behind an apostrophe."""
        return self.start + len(self.form.word)

    @property
    def possessive(self) -> bool:
        return self.form.word != self.form.raw and self.form.raw[-1] not in "'’"

    def without_elision(self, *, always: bool = False) -> Token:
        """The word without an elided article before it: `Obsidian` of `d'Obsidian`; of `L'Oréal` where it is sure."""
        elided = elision(self.raw)
        if not elided or (elided[0][0].isupper() and not (self.first or always)):
            return self
        return Token(_form(self.raw[elided.end() :]), self.start + elided.end(), self.first, self.joined)

    def without_noun(self) -> Token:
        """What everybody knows in front of a German noun: `WhatsApp` of `WhatsApp-Gruppe`."""
        front, hyphen, noun = self.word.partition("-")
        if not hyphen or not noun[:1].isupper() or dictionary.is_common(front):
            return self
        return (
            Token(_form(front), self.start, self.first, self.joined) if dictionary.is_well_known_name(front) else self
        )


class NameSpan(NamedTuple):
    """A name in a text: `text[start:end]` is the original, `name` its tidied form."""

    start: int
    end: int
    name: str


class Piece(NamedTuple):
    """Words of a sentence with single spaces between; `first` and `joined` are those of the first word, as in Token."""

    start: int
    first: int
    joined: bool
    forms: list[Form]


@dataclass(slots=True)
class Sentence:
    """The words of a sentence; `mute` if its capitals have no meaning (a heading, Title Case, all capitals)."""

    start: int
    end: int
    heading: bool
    pieces: list[Piece]
    forms: list[Form]  # its words, without their places
    _mute: bool | None = None
    _inner: int | None = None
    _traits: int | None = None

    @property
    def traits(self) -> int:
        """The traits that any of its words has."""
        if self._traits is None:
            self._traits = self.inner | self.forms[0].traits
        return self._traits

    @property
    def inner(self) -> int:
        """The traits that any of its words but the first has."""
        if self._inner is None:
            self._inner = reduce(or_, map(_traits_of, self.forms[1:]), 0)
        return self._inner

    def add(self, piece: Piece, end: int) -> None:
        """Adds words at the end of the sentence."""
        if len(self.pieces) == 1:
            self.forms = self.forms.copy()  # of the first piece
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
                start, first, joined = start + len(form.raw) + 1, first if form.leads else 0, True
        return found

    @property
    def mute(self) -> bool:
        if self._mute is None:
            self._mute = self.heading or self.shouted or self.title_case
        return self._mute

    @property
    def shouted(self) -> bool:
        if not self.traits & CAPS:  # the usual case
            return False
        caps = sum([form.caps for form in self.forms])
        letters = sum([form.letters for form in self.forms])
        if not (letters > 1 and caps > 0.6 * letters):
            return False
        # Acronyms with other signs between them, as in a Chinese sentence, are not shouted.
        return any(sum([form.caps for form in piece.forms]) > 1 for piece in self.pieces)

    @property
    def title_case(self) -> bool:
        if not self.inner & TITLE:
            return False
        capitals = [form for form in self.forms[1:] if form.upper]
        if sum([form.function and form.lower != "i" for form in capitals]) < 2:
            return False
        return sum([form.word[:1].islower() for form in self.forms]) <= len(self.forms) / 4

    @property
    def bare(self) -> bool:
        """Whether all its words but small ones have a capital, as in a heading, a list or a label."""
        return not self.traits & SMALL

    @property
    def german(self) -> bool:
        """Whether the sentence is in German, which capitalises all nouns."""
        if not self.traits & GERMAN:
            return False
        german = sum([form.german for form in self.forms])
        if german == 1 and not self.english:
            return any(form.lower in words.GERMAN_ALONE for form in self.forms)
        return german > 1

    def german_in(self, text: str) -> bool:
        """Whether the sentence is in German, by its own words or by those of its text."""
        return self.german or (not self.english and is_german(text))

    @property
    def english(self) -> bool:
        """Whether the sentence has a function word that is English and not German."""
        return bool(self.traits & ENGLISH)


@lru_cache(maxsize=TEXTS)
def written(text: str) -> str:
    """The text with all that is not prose (code, addresses, formulas, comments) replaced by HIDDEN, at equal length."""
    if not _is_marked(text):
        return text
    signs = tuple(sign.search(text) is not None for sign, _ in _NO_PROSE)
    return _any_of(signs).sub(_hide, text) if any(signs) else text


def _is_marked(text: str) -> bool:
    for mark in _MARKS:  # any() would take twice as long
        if mark in text:
            return True
    if _FILE_ENDING.search(text) is not None or _TIME_ZONE.search(text) is not None:
        return True
    return "&" in text and _ENTITY.search(text) is not None


@cache
def _any_of(signs: tuple[bool, ...]) -> re.Pattern[str]:
    """The groups of what is no prose whose signs a text has, as one pattern."""
    groups = [group for (_, group), here in zip(_NO_PROSE, signs, strict=True) if here]
    return re.compile("|".join(groups), re.DOTALL | re.MULTILINE)


@lru_cache(maxsize=_FEW_TEXTS)
def prose(text: str) -> str:
    """The same, and CJK characters replaced, too, and the endings that Turkish writes behind names."""
    hidden = written(text)
    if hidden.isascii():
        return hidden
    if ("'" in hidden or "’" in hidden) and _TURKISH.search(hidden):
        hidden = _TURKISH_ENDING.sub(lambda match: match[1] + HIDDEN * len(match[2]), hidden)
    return _CJK.sub(_hide, hidden)


def _hide(match: re.Match[str]) -> str:
    return ">" + HIDDEN * 3 if match[0] == "&gt;" else HIDDEN * len(match[0])


def worded_sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order, each with its words; code, addresses and CJK text are left out."""
    kept = _kept.sentences
    if kept is None:
        return _worded(text)
    found = kept.get(text)
    if found is None:
        found = _worded(text)
        if _kept.room > len(text):
            _kept.room -= len(text)
            kept[text] = found
    return found


class _Kept:
    """The sentences of the texts of a run, as far as there is room for them; None outside a run."""

    sentences: dict[str, list[Sentence]] | None = None
    room = 0


_kept = _Kept()


@contextmanager
def kept_texts() -> Iterator[None]:
    """Keeps the sentences of texts within this block: they are read for their words, and later for their names.

    At its end, the caches of texts are emptied, which may be large after many.
    """
    _kept.sentences, _kept.room = {}, _MOST_KEPT
    try:
        yield
    finally:
        _kept.sentences = None
        for cached in (written, prose, _worded):
            cached.cache_clear()


@lru_cache(maxsize=_FEW_TEXTS)
def _worded(text: str) -> list[Sentence]:
    original, text = text, prose(text)
    callouts, headings, cjk = "[!" in original, "#" in text, has_cjk(original)
    contents = "](#" in original or ".1" in text  # as any list has whose items are numbered `2.1`
    found: list[Sentence] = []
    end, last = 0, None
    for match in _run_in(text).finditer(text):
        start, forms = match.start(), list(map(_form, match[0].split(" ")))
        gap = text[end:start]
        if last is None:
            hidden = gap[-1:] == HIDDEN and original[start - 1] != ">"  # a tag (`<strong>`) hides no words
            new, first, joined = True, START * (not hidden), False
        elif gap == ". " and not last.traits & DOTTED:  # the usual end of a sentence
            new, first, joined = True, START, False
        elif gap.startswith(".") or "\n" in gap:
            new, first, joined = _boundary(text, gap, last, end)
        elif gap == ") " and len(found[-1].forms) == 1 and _COUNT.match(last.word):
            new, first, joined = True, START, False  # a) First
        else:
            new, first, joined = _within_line(gap)
        if first and cjk and _goes_on_from_cjk(original, start):
            first = 0
        elif last and last.leads and not new and _LEADS_ON.match(gap) and all(form.leads for form in found[-1].forms):
            first = START  # @rosa, Well
        last, end = forms[-1], match.end()
        if not new:
            found[-1].add(Piece(start, first, joined, forms), end)
            continue
        line = text.rfind("\n", 0, start) + 1 if headings or callouts or contents else 0
        heading = (
            (headings and _HEADING.match(text, line) is not None)
            or (callouts and _CALLOUT.match(original, line) is not None)
            or (contents and _OF_CONTENTS.match(original, line) is not None)
        )
        found.append(Sentence(start, end, heading, [Piece(start, first, joined, forms)], forms))
    return found


def _run_in(text: str) -> re.Pattern[str]:
    """The quickest pattern for the words of a text."""
    spaced = "  " not in text
    if text.isascii():
        return _SPACED_ASCII_RUN if spaced else _ASCII_RUN
    if _ACCENT.search(text):
        return _RUN_WITH_ACCENTS
    return _SPACED_RUN if spaced and "_" not in text else _RUN


def elision(raw: str) -> re.Match[str] | None:
    """The elided article or preposition before a word: `L'` of `L'Etat`."""
    return _ELIDED.match(raw) if "'" in raw or "’" in raw else None


def determines_german(form: Form) -> bool:
    """Whether a German noun after this word is any noun: an article, a measure or an amount stands before it."""
    amount = form.raw.isdigit() and len(form.raw) < 4
    return amount or form.lower in words.GERMAN_DETERMINERS or form.lower in words.GERMAN_MEASURES


def describes_german(word: str) -> bool:
    """Whether a word in lower case is a German adjective as it stands before a noun: `freies`, `öffentlicher`."""
    return _GERMAN_ADJECTIVE.fullmatch(word) is not None


def is_plural_acronym(word: str) -> bool:
    """Whether a word is an acronym in the plural: CRDTs."""
    return len(word) > 2 and word[-1] == "s" and word[:-1].isupper() and word[:-1].isalpha()


@lru_cache(maxsize=2)
def is_german(text: str) -> bool:
    """Whether a text has more German function words than English ones, and at least three."""
    forms = [form for sentence in worded_sentences(text)[:_TELLING] for form in sentence.forms]
    german = sum([form.german for form in forms])
    return german > 2 and german > sum([form.function and not form.german for form in forms])


@lru_cache(maxsize=2)
def is_english(text: str) -> bool | None:
    """Whether most words of a text in lower case are English; None if it has less than three."""
    forms = [form for sentence in worded_sentences(text)[:_TELLING] for form in sentence.forms]
    found = list(map(_in_english, forms))
    known, others = found.count(True), found.count(False)
    return None if known + others < 3 else known >= 0.8 * (known + others)


def _is_in_english(form: Form) -> bool | None:
    """Whether a word in lower case is English; None for what is no such word."""
    if not (form.word.islower() and form.word.isalpha()):
        return None
    return form.function or dictionary.is_known(form.word)


_in_english = Remembered(_is_in_english, _MOST_FORMS).__getitem__


def _boundary(text: str, gap: str, last: Form, end: int) -> tuple[bool, int, bool]:
    """For the gap after a word: whether it ends the sentence, and `first` and `joined` of the next word."""
    if gap == ". " and len(last.word) <= 2 and last.word.isdigit() and DAY_OF_MONTH.match(text, end):
        return False, 0, True
    stopped = gap.startswith(".") and not gap[1:].strip(" \t\xa0")
    if stopped and (
        _abbreviated(last)
        or (_is_small_letter(last) and _SPACED.match(text, end))
        or (_are_initials(last) and not _CAPITAL_BEFORE.search(text[max(0, end - 40) : end - len(last.raw)]))
    ):
        return False, 0, True
    if "\n" in gap:
        return (False, INSIDE, True) if _wrapped(text, gap, end) else (True, START, False)
    return _within_line(gap)


@lru_cache(maxsize=1 << 12)  # most words have one of a few signs between them
def _within_line(gap: str) -> tuple[bool, int, bool]:
    if _INSIDE.match(gap):
        return False, INSIDE * (_OPENED.search(gap) is not None), _JOINED.match(gap) is not None
    return not _SAME_SENTENCE.match(gap), START, False


def _goes_on_from_cjk(text: str, start: int) -> bool:
    """Whether a word stands within a sentence of CJK characters, so that its capital has a meaning."""
    while start and text[start - 1] in _WITHIN_CJK:
        start -= 1
        if text[start] in _CJK_COMMAS:
            return True
    return start > 0 and _CJK.match(text[start - 1]) is not None


def _abbreviated(form: Form) -> bool:
    return form.lower in words.ABBREVIATIONS or (len(form.word) == 1 and form.word.isupper() and form.word != "I")


def _are_initials(form: Form) -> bool:
    return form.caps and _INITIALS.match(form.raw) is not None


def _is_small_letter(form: Form) -> bool:
    return len(form.raw) == 1 and form.raw.islower()


def _wrapped(text: str, gap: str, end: int) -> bool:
    """Whether a line break only wraps a paragraph: the line is long, and neither line is a list item or heading."""
    if gap.strip(" \t,") != "\n":
        return False
    line = text.rfind("\n", 0, end) + 1
    following = end + gap.index("\n") + 1
    return end - line >= _WRAPPED_LINE and not _LINE_MARK.match(text, line) and not _LINE_MARK.match(text, following)
