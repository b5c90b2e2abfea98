"""Tokenisation: words, sentences, search terms and token estimates of plain text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from math import ceil

from memkit.core.patterns import pattern
from memkit.text.composed import composed

# Function words of English questions and chat: they do not tell the topic of a memory.
STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been before being below between
    both but by can cannot could couldn d did didn do does doesn doing don down during each either else ever every few
    for from further get gets getting give given go goes going got had hadn has hasn have haven having he her here hers
    herself him himself his how i if in into is isn it its itself just let lets ll m many may maybe me might mightn more
    most much must mustn my myself need neither no nor not now of off on once one only onto or other others ought our
    ours ourselves out over own please re s said same say shall shan she should shouldn since so some such t tell than
    that the their theirs them themselves then there these they this those through to too under until up upon us use
    used ve very was wasn we were weren what when where whether which while who whom whose why will with within without
    won would wouldn yes yet you your yours yourself yourselves
    """.split()
)

_HAN = "㐀-䶿一-鿿\uf900-\ufaff\U00020000-\U0003134f々〇"
_KANA = "ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ"
_HANGUL = "가-힣ᄀ-ᇿ"
# One character of a script without spaces, as a class that both SQLite's GLOB and Python's re understand.
CJK_CLASS = f"[{_HAN}{_KANA}{_HANGUL}]"
# The same, and one of Thai, Lao, Burmese and Khmer: in all of these, a word does not end at a space.
UNSPACED = f"(?:{CJK_CLASS}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])"

_CJK_RUN = pattern(f"{CJK_CLASS}+")
# Token counts also include the punctuation and full-width forms of these scripts (membox, M09).
_CJK_COUNTED = pattern(f"[{_HAN}{_KANA}{_HANGUL}　-〿！-￯]")
_PERHAPS_COUNTED = pattern("[ᄀ-\U0010ffff]")  # the first of Hangul, and all after it
# Signs on a letter, which do not end a word: the accents of decomposed text, as macOS writes it, the vowels of Hebrew
# and Arabic, and those of India's scripts, which stand at the same places of each block.
_OF_BLOCK = ((0x00, 0x03), (0x3C, 0x4D), (0x55, 0x57), (0x62, 0x63), (0x70, 0x71))
_INDIC = "".join(f"{chr(at + first)}-{chr(at + last)}" for at in range(0x900, 0xD80, 0x80) for first, last in _OF_BLOCK)
_SIGNS = f"\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670{_INDIC}\u0d81-\u0d83\u0dca-\u0ddf"
LETTER = rf"(?:[^\W_]|[{_SIGNS}])"  # of a word, after its first
WORD = pattern(rf"[^\W_]{LETTER}*")
_ASCII_WORD = pattern("[a-z0-9]+")  # of a text in lower case
# The full stop of a title (`Dr.`) does not end a sentence.
# `am 3. Februar` goes on.
DAY_OF_MONTH = pattern(
    r"\. (?:Januar|J(?:ä|a\u0308)nner|Februar|M(?:ä|a\u0308)rz|April|Mai|Juni|Juli|August|September|Oktober|November"
    r"|Dezember)\b"
)
# What ends a sentence without a space after it, and in scripts from Armenia to Cambodia: `।`, `؟`, `۔`, `።`, `។`.
SENTENCE_ENDS = "。！？｡।॥؟۔։።፧။។"
_SENTENCE_END = pattern(
    rf"(?=[.!?…{SENTENCE_ENDS}\n])(?:"  # most characters begin none of these
    rf"(?!(?<=\d){DAY_OF_MONTH.pattern})"
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s)"
    rf"|[{SENTENCE_ENDS}]+[」』”’）]*"
    r"|\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s))"
)
_BLANK = pattern(r"\s*")


def est_tokens(text: str) -> int:
    """An estimate of a text's tokens: one per CJK character and one per four others, rounded up (membox, M09)."""
    return ceil(quarter_tokens(text) / 4)


def quarter_tokens(text: str) -> int:
    """The same estimate in quarters of a token, not rounded: the estimates of parts add up to that of the whole."""
    if text.isascii() or not _PERHAPS_COUNTED.search(text):
        return len(text)
    return len(text) + 3 * len(_CJK_COUNTED.findall(text))


def words(text: str) -> list[str]:
    """The words of a text in order, in lower case, split as in the full-text index (CJK runs stay whole)."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [word.lower() for word in WORD.findall(composed(text))]  # not casefold: the index keeps ß


def content_words(text: str) -> list[str]:
    """The words of a text without function words and duplicates, in order; all words if it has only function words."""
    found = list(dict.fromkeys(words(text)))
    return [word for word in found if word not in STOP_WORDS] or found


def says_anything(text: str) -> bool:
    """Whether a text has a word that is not a function word ("How are you?" has none)."""
    return any(word not in STOP_WORDS for word in words(text))


def has_cjk(text: str) -> bool:
    """Whether the text has a character of a script without spaces (Chinese, Japanese, Korean)."""
    return not text.isascii() and _has_cjk(text)


@lru_cache(maxsize=1 << 8)  # each text is asked several times
def _has_cjk(text: str) -> bool:
    return _CJK_RUN.search(text) is not None


def cjk_runs(text: str) -> list[str]:
    """The unbroken runs of CJK characters in a text."""
    return [] if text.isascii() else _CJK_RUN.findall(composed(text))


def bigrams(text: str) -> str:
    """The text of the CJK index: each CJK character with the next one, and the words between, separated by spaces.

    `北京市 in 2019年 164cm` becomes ` 北京  京市  in 2019  164 cm`. So words of other scripts are found inside a run,
    and numbers without their units. Triggers of the schema compute the same in SQL when other programs write.
    """
    spread = _UNIT.sub(" ", text[:LONGEST_CJK])
    return _CJK_RUN.sub(lambda run: "".join(f" {run[0][i : i + 2]} " for i in range(len(run[0]) - 1)) or " ", spread)


def characters(text: str) -> str:
    """The CJK characters of a text, separated by spaces, for the search for single characters."""
    return " ".join("".join(_CJK_RUN.findall(text[:LONGEST_CJK])))


_LAST = 20  # characters of a text in which its question mark stands
LONGEST_CJK = 10_000  # characters of a memory that are in the CJK index
_USUAL = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WIDE = "".join(chr(ord(sign) + 0xFEE0) for sign in _USUAL)  # as wide as signs of China and Japan: `ＡＷＳ`
_TO_WIDE, _TO_USUAL = str.maketrans(_USUAL, _WIDE), str.maketrans(_WIDE, _USUAL)
_UNIT = pattern(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")


def word_set(text: str) -> frozenset[str]:
    """The set of a text's words; for a script without spaces, of its character pairs."""
    return frozenset(words(bigrams(composed(text))) if has_cjk(text) else words(text))


def quoted(term: str) -> str:
    """A term as an FTS5 string, in which no character is syntax."""
    return '"' + term.replace('"', '""') + '"'


def fts_query(text: str) -> str:
    """An FTS5 expression that matches any content word of the text; empty if the text has no word."""
    return " OR ".join(quoted(word) for word in content_words(text.replace("\0", " ")))


def cjk_terms(text: str) -> list[str]:
    """The FTS5 terms of a text for the CJK index: its character pairs, the words between, its single characters.

    Empty for a text without CJK characters.
    """
    runs = cjk_runs(text)
    singles = [f"characters : {quoted(character)}" for character in dict.fromkeys("".join(runs))]
    return cjk_pairs(text) + latin_terms(text) + singles if runs else []


def cjk_pairs(text: str) -> list[str]:
    """The character pairs of a text's CJK runs as FTS5 terms, without duplicates."""
    return list(dict.fromkeys(quoted(run[i : i + 2]) for run in cjk_runs(text) for i in range(len(run) - 1)))


def latin_terms(text: str) -> list[str]:
    """The words of a text in other scripts as FTS5 terms for the CJK index; numbers are separated from their units."""
    between = _UNIT.sub(" ", (text if text.isascii() else _CJK_RUN.sub(" ", composed(text))).translate(_TO_USUAL))
    return [quoted(word) for word in content_words(between)]


def as_wide(term: str) -> str:
    """A term with a Latin word as wide as the signs of China and Japan (`AWS`, `ＡＷＳ`); any other term as it is."""
    return term.translate(_TO_WIDE) if term[:1] == '"' and term.isascii() else term


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans (start, end) of a text's sentences, without outer spaces; list items and paragraphs end one, too."""
    spans, start = [], 0
    for end in [match.end() for match in _SENTENCE_END.finditer(text)] + [len(text)]:
        first = _BLANK.match(text, start, end).end()  # type: ignore[union-attr]
        last = first + len(text[first:end].rstrip())
        if last > first:
            spans.append((first, last))
        start = end
    return spans


def asking(text: str) -> str:
    """The sentences of a text that end with a question mark; the whole text if none or all do."""
    spans = sentences(text)
    asked = [text[start:end] for start, end in spans if is_question(text[:end])]
    return " ".join(asked) if 0 < len(asked) < len(spans) else text


ASKS = r"(?:[?？؟፧]|(?<=[α-ώ])[;\u037e])"  # a question mark of any script; in Greek it looks like a semicolon
_ASKS_AT_END = pattern(ASKS + r"[\"'”“’»)\]」』]*\Z")


def is_question(text: str) -> bool:
    """Whether a text ends with a question mark of any script, perhaps with closing quotes and brackets after it."""
    return _ASKS_AT_END.search(text[-_LAST:]) is not None


def fold(text: str) -> str:
    """A text without differences of case, width and diacritics: `Café` and `CAFE`, `מָרְדֳּכַי` and `מרדכי` become equal."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = _MARKS.sub("", decomposed)
    return unicodedata.normalize("NFC", kept)


POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670"  # vowels that Hebrew and Arabic may omit
)
_MARKS = pattern(f"[\u0300-\u036f{POINTS}]+")


_POSSESSIVE = pattern(r"(?<=[\w+#])['’]s\b|(?<=s)['’](?=\s|$)")
# Vowels and tones of scripts without spaces, which the index takes for the ends of words.
_OF_RUNS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3"
NAME_LETTER = rf"(?:[^\W_]|[{_SIGNS}{_OF_RUNS}])"
# Signs that make another name of a word: C++, C++11, Google+; C# and F#.
PLUS = r"\+\+(?![^\W\d_]|\+)|\+(?![\w+])"
AFTER_LETTER = r"(?<=[^\W\d_])(?<!\w[^\W\d_])"  # a single one
SHARP = rf"{AFTER_LETTER}#(?![\w#])"
_KEPT = rf"(?<=[^\W_])(?:{PLUS})|(?<=[^\W_]\+)\+(?![^\W\d_]|\+)|{SHARP}"
_NOT_NAME = pattern(rf"(?:[^\w{_SIGNS}{_OF_RUNS}]|_)+")
_NOT_SIGNED_NAME = pattern(rf"(?:(?!{_KEPT})[^\w{_SIGNS}{_OF_RUNS}]|_)+")


@lru_cache(maxsize=1 << 16)
def normal_name(name: str) -> str:
    """A name for comparison: folded, without possessive, with spaces for signs, but not for those of C++ and C#."""
    plain = _POSSESSIVE.sub("", fold(name))
    between = _NOT_SIGNED_NAME if "+" in plain or "#" in plain else _NOT_NAME
    return between.sub(" ", plain).strip()


_BRACKET = pattern(r"\s*[(（\[][^()（）\[\]]*[)）\]]\s*\Z")


def without_bracket(name: str) -> str:
    """A name without the part in brackets at its end, by which it is found, too."""
    return _BRACKET.sub("", name) if ")" in name or "）" in name or "]" in name else name


def text_hash(*parts: str | None) -> str:
    """A hash of some texts as 16 hex digits. None and empty text differ, and so do `("ab", "c")` and `("a", "bc")`."""
    from hashlib import blake2b  # a question hashes nothing, and OpenSSL takes 2 ms to load

    told = "".join(["\0-" if part is None else f"\0+{part}" for part in parts])
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, without letters that look like others
_ID_PAIRS = tuple(low + high for high in _ID_LETTERS for low in _ID_LETTERS)


SHORT_ID = pattern(r"[0-9a-z]{10}")  # what `short_id` gives


def short_id(*parts: str | None) -> str:
    """An id of ten letters and digits (50 bits of a hash) that is the same for the same parts on every machine."""
    number = int(text_hash(*parts), 16)
    return "".join([_ID_PAIRS[(number >> shift) & 1023] for shift in range(0, 50, 10)])
