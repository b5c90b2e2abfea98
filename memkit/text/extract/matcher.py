"""Dictionary matching: all known names in a text are found in one pass.

A text is split into folded tokens (words; in CJK text characters and runs of katakana). An index maps the first token
of a name to the lengths of the names that begin with it, longest first. So each token of the text costs one look-up and
each candidate one more, however many names there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from memkit.core.patterns import pattern
from memkit.core.remembered import Remembered
from memkit.text.extract import words
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.tokens import is_plural_acronym
from memkit.text.extract.well_known import is_word
from memkit.text.words import CJK_CLASS, LETTER, PLUS, SHARP, normal_name, without_bracket

_LETTER = rf"(?!{CJK_CLASS})[^\W_]"
_SIGN = rf"(?:{PLUS}|{SHARP})?"
_TOKEN = pattern(rf"[ァ-ヺー]+|{CJK_CLASS}|{_LETTER}(?:(?!{CJK_CLASS}){LETTER})*{_SIGN}(?:['’][sS](?![^\W_]))?")
_ASCII_TOKEN = pattern(rf"[A-Za-z0-9]+{_SIGN}(?:'[sS](?![A-Za-z0-9]))?")
_CJK = pattern(CJK_CLASS)
_SENTENCE_START = pattern(r"(?:\A|[.!?…:\n。！？\"“‘]|^[ \t]*(?:[-*+#>]+[ \t]*)+)[\s\"“‘'(*_]*\Z", re.MULTILINE)
_SIGNS = pattern(r"[\w\s]+")
_DIVIDING = pattern(r"[,;:()=\"“”„«»|<>]|(?<= )[-–—](?= )")
_HEADING = pattern(r"[ \t]*(?:[-*+>][ \t]*)*#{1,6}[ \t]")
_OFTEN_BEGINS = words.NAME_FORMING | words.TITLES  # a name of more words
_APOSTROPHES = ("'", "’")
_ENDINGS = frozenset("re ve ll d m t s".split())
_NO_NAME = words.FUNCTION | words.OPENERS
_MOST_TOKENS = 24  # tokens of a name; a longer one is a sentence
_MOST_FOLDED = 500_000  # words in the cache of folded forms


@dataclass(frozen=True, slots=True)
class Match:
    """A known name in a text: `text[start:end]` is the name of `ids` (several ids if they share the name)."""

    start: int
    end: int
    ids: tuple[int, ...]


@dataclass(slots=True)
class _Entry:
    """The ids with this name (`exact`) or with it before a bracket (`short`), and its spellings, if case matters.

    `signs` are those between its words, `capitals` the words that have one wherever the name stands.
    """

    exact: tuple[int, ...] = ()
    short: tuple[int, ...] = ()
    spellings: tuple[str, ...] | None = None
    signs: str = ""
    capitals: frozenset[int] | None = None


class NameMatcher:
    """Finds known names in texts: longest first, at word boundaries, ignoring diacritics, width and possessives.

    - A name of several words is found in upper and lower case. It must be capitalised if it has only function words
      (`The Who`), if it begins with a word that points to something (`This Old House`), or if a bracket is left out
      and only common words remain (`Second Wife (1936 film)`; without `statistics`, any words). A small word of a
      name that is `cased` needs its capital: `Thank You` is not what somebody thanks you for. A comma, a colon or a
      bracket stands between its words only if the name has it.
    - A name of one word is found as it was given, or with a capital that is not only that of a sentence start. It is
      found in any case if `statistics` are given and do not have it as a common word.
    - A name with a bracket is also found without: `Theodred II (Bishop of Elmham)` as `Theodred II`. But `Stephen
      (song)` is not found in `Stephen King`, and `Princess` not in `Princess Anna`.
    - CJK names need no word boundary, but at least two characters.
    """

    def __init__(
        self, names: Mapping[str, int | Iterable[int]] | None = None, statistics: CaseStatistics | None = None
    ):
        self.statistics = statistics
        self._entries: dict[str, _Entry] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._folded = Remembered(_folded, _MOST_FOLDED)
        for name, ids in (names or {}).items():
            self.add(name, ids)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, name: str, ids: int | Iterable[int], cased: bool = False) -> None:
        """Adds a name of one or several ids. A name without letters or with more than 24 words is never found."""
        new = (ids,) if isinstance(ids, int) else tuple(ids)
        self._add(name, new, False, cased)
        if (bare := without_bracket(name)) != name:
            self._add(bare, new, True, cased)

    def find(self, text: str) -> list[Match]:
        """The known names in a text, in order, without overlaps; of two with the same start, the longer one."""
        pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
        folded = list(map(self._folded.__getitem__, pattern.findall(text)))
        if self._lengths.keys().isdisjoint(folded):
            return []
        tokens = list(pattern.finditer(text))
        found: list[Match] = []
        after = 0
        for i in [i for i, token in enumerate(folded) if token in self._lengths]:
            length, ids = self._at(text, tokens, folded, i) if i >= after else (0, ())
            if length:
                after = i + length
                found.append(Match(tokens[i].start(), _end(tokens[after - 1]), ids))
        return found

    def ids(self, text: str) -> set[int]:
        """The ids of all names found in a text."""
        return {id for match in self.find(text) for id in match.ids}

    def _add(self, name: str, ids: tuple[int, ...], short: bool, cased: bool) -> None:
        tokens = [token for token in _TOKEN.findall(name) if self._folded[token]]
        folded = [self._folded[token] for token in tokens]
        if not 0 < len(folded) <= _MOST_TOKENS or (len(folded) == 1 and len(folded[0]) < 2):
            return
        entry = self._entries.setdefault(" ".join(folded), _Entry())
        if short:
            entry.short = tuple(dict.fromkeys(entry.short + ids))
        else:
            entry.exact = tuple(dict.fromkeys(entry.exact + ids))
        entry.signs += _SIGNS.sub("", name)
        capitals = frozenset(n for n, token in enumerate(tokens) if cased and token[:1].isupper())
        entry.capitals = capitals if entry.capitals is None else entry.capitals & capitals
        if len(folded) == 1 and not _CJK.match(folded[0]):
            entry.spellings = tuple(dict.fromkeys((entry.spellings or ()) + (tokens[0],)))
        lengths = self._lengths.get(folded[0], ())
        if len(folded) not in lengths:
            self._lengths[folded[0]] = tuple(sorted({*lengths, len(folded)}, reverse=True))

    def _at(self, text: str, tokens: list[re.Match[str]], folded: list[str], i: int) -> tuple[int, tuple[int, ...]]:
        """The number of tokens and the ids of the longest name that begins at token i; (0, ()) if there is none."""
        for length in self._lengths[folded[i]]:
            entry = self._entries.get(" ".join(folded[i : i + length])) if i + length <= len(folded) else None
            if (
                entry
                and not _contracted(text, tokens[i], tokens[i + length - 1])
                and not _in_longer_path(text, tokens[i], tokens[i + length - 1])
                and self._written_as_name(text, tokens, i, length, entry)
            ):
                return length, entry.exact or entry.short
        return 0, ()

    def _written_as_name(self, text: str, tokens: list[re.Match[str]], i: int, length: int, entry: _Entry) -> bool:
        if length > 1:
            run = tokens[i : i + length]
            if not _in_one_piece(text, run, entry.signs):
                return False
            if (not entry.exact and self._all_common(run)) or _small(run) or _is_pointed_at(run):
                return _capitalised(run)
            return not self._lacks_capitals(run, entry.capitals or ()) and not self._everyday_cjk(text, run)
        if entry.spellings is None:
            return True
        raw = text[tokens[i].start() : _end(tokens[i])]
        if (not entry.exact or raw.lower() in _OFTEN_BEGINS) and _in_longer_name(text, tokens, i):
            return False
        if raw.lower() in words.FUNCTION and raw not in entry.spellings:  # `If` is not the page `IF`
            return False
        small = raw == raw.lower()
        if small and (_in_compound(text, tokens[i]) or _is_other_word(raw, entry.spellings)):
            return False
        if self.statistics and not self.statistics.is_common_word(raw):
            return not (small and raw not in entry.spellings and self.statistics.is_mixed(raw))
        if raw[:1].isupper():
            return not self._common(raw) or not _capital_says_nothing(text, tokens[i].start())
        if raw not in entry.spellings or raw.lower() in _NO_NAME:
            return False
        return self.statistics is None or not self.statistics.is_everyday(raw)

    def _everyday_cjk(self, text: str, tokens: list[re.Match[str]]) -> bool:
        """Whether CJK characters are a word of the language, or two of the language here, and mention no note."""
        if self.statistics is None or not _CJK.match(tokens[0][0]):
            return False
        written = "".join([token[0] for token in tokens])
        if not is_word(text, tokens[0].start(), tokens[-1].end(), written):
            return True
        return written in words.CJK_FUNCTION or (len(written) == 2 and self.statistics.is_everyday(written))

    def _lacks_capitals(self, tokens: list[re.Match[str]], capitals: Iterable[int]) -> bool:
        """Whether a small word is written without the capital that the name has: `AI nie` for `AI Nie`."""
        small = [tokens[n][0] for n in capitals if tokens[n][0] == tokens[n][0].lower()]
        return any(map((self.statistics or _NO_STATISTICS).is_small_word, small))

    def _all_common(self, tokens: list[re.Match[str]]) -> bool:
        return self.statistics is None or all(self._common(token[0]) for token in tokens)

    def _common(self, word: str) -> bool:
        return (self.statistics or _NO_STATISTICS).is_common_word(word)


def _folded(token: str) -> str:
    singular = token[:-1] if is_plural_acronym(token) else token
    plain = singular.isascii() and singular.isalnum()
    return singular.lower() if plain else normal_name(singular).replace(" ", "")


def runs(text: str) -> set[str]:
    """All runs of tokens in a text that could be a name, in the form of `text.words.normal_name`."""
    tokens = [(token, normal_name(token[0]).replace(" ", "")) for token in _TOKEN.finditer(text)]
    found = {normal_name(token[0][:-1]) for token, _ in tokens if is_plural_acronym(token[0])}
    for i, (before, run) in enumerate(tokens):
        found.add(run)
        for token, folded in tokens[i + 1 : i + _MOST_TOKENS]:
            run += folded if token.start() == before.end() else f" {folded}"
            found.add(run)
            before = token
    return found


_NO_STATISTICS = CaseStatistics()


def _end(token: re.Match[str]) -> int:
    """The end of a token without its possessive ending."""
    return token.end() - 2 if token[0][-2:-1] in ("'", "’") else token.end()


def _contracted(text: str, first: re.Match[str], last: re.Match[str]) -> bool:
    """Whether letters follow after an apostrophe, as in `don't`, which does not speak of a Don, or `they're` of RE."""
    start, end = first.start(), last.end()
    if text[end : end + 1] in _APOSTROPHES and text[end + 1 : end + 2].isalpha():
        return True
    return text[start - 1 : start] in _APOSTROPHES and start > 1 and text[start - 2].isalpha() and first[0] in _ENDINGS


def _in_longer_path(text: str, first: re.Match[str], last: re.Match[str]) -> bool:
    """Whether a path goes on after a name that is one: `garden.trees` in `garden.trees.quince`."""
    end = last.end()
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum() and "." in text[first.start() : end]


def _in_one_piece(text: str, tokens: list[re.Match[str]], signs: str) -> bool:
    """Whether no sentence ends between the tokens: `Anna. Schmidt` is not Anna Schmidt, but `Dr. Schmidt` is one.

    Nor does a sign stand there that divides words, if it is not one of the name's own `signs`: `Anna, Schmidt`.
    """
    for left, right in pairwise(tokens):
        gap = text[left.end() : right.start()]
        if gap not in ("", " ") and any(sign not in signs for sign in _DIVIDING.findall(gap)):
            return False
        if len(gap) > 4 or "\n\n" in gap or (len(gap) > 1 and gap[0] in "!?。！？"):
            return False
        if len(gap) > 1 and gap[0] == "." and len(left[0]) > 1 and left[0].lower() not in words.ABBREVIATIONS:
            return False
    return True


def _capital_says_nothing(text: str, start: int) -> bool:
    """Whether a word at this place has its capital from the start of a sentence or from a heading."""
    line = text.rfind("\n", 0, start) + 1
    return bool(_SENTENCE_START.search(text, max(0, start - 8), start) or _HEADING.match(text, line, start))


def _in_longer_name(text: str, tokens: list[re.Match[str]], i: int) -> bool:
    """Whether the token is next to another capitalised word, with only a space between them."""
    before = i > 0 and text[tokens[i - 1].end() : tokens[i].start()] == " " and tokens[i - 1][0]
    after = i + 1 < len(tokens) and text[tokens[i].end() : tokens[i + 1].start()] == " " and tokens[i + 1][0]
    return any(word and word[0].isupper() and word.lower() not in _NO_NAME for word in (before, after))


def _in_compound(text: str, token: re.Match[str]) -> bool:
    """Whether a hyphen joins the token to another word: `sub-queries`."""
    before, after = text[max(0, token.start() - 2) : token.start()], text[token.end() : token.end() + 2]
    return (len(before) == 2 and before[1] == "-" and before[0].isalpha()) or (
        len(after) == 2 and after[0] == "-" and after[1].isalpha()
    )


def _is_other_word(raw: str, spellings: Iterable[str]) -> bool:
    """Whether two small letters are no name that is written with two capitals: French `j'ai`, Portuguese `eu`, `us`."""
    return len(raw) == 2 and raw not in spellings and all(map(str.isupper, spellings))


def _is_pointed_at(tokens: list[re.Match[str]]) -> bool:
    """Whether a word before them points to something that is no name: `das Haus`, `questo articolo`."""
    first = tokens[0][0].lower()
    return first in words.DEMONSTRATIVES or (len(tokens) == 2 and first in words.ARTICLES)


def _small(tokens: list[re.Match[str]]) -> bool:
    return all(token[0].lower() in words.FUNCTION for token in tokens)


def _capitalised(tokens: list[re.Match[str]]) -> bool:
    """Whether the words are capitalised as in a title: all words except function words."""
    lower = [token[0] for token in tokens if not token[0][:1].isupper()]
    return len(lower) < len(tokens) and (not lower or (not _small(tokens) and all(w in words.FUNCTION for w in lower)))
