"""Named entity recognition without a model: capitalised words, checked against the case statistics of the database.

Precision comes first, because a wrong link costs more than a missing one. A capital is strong evidence in the middle of
a sentence, weak evidence at its start, and no evidence in a heading or in text in all capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memkit.text.extract import words
from memkit.text.extract.case import CaseStatistics, case_counts
from memkit.text.extract.tokens import HIDDEN, Sentence, Token, prose, worded_sentences
from memkit.text.words import CJK_CLASS, has_cjk

__all__ = ["CaseStatistics", "NameSpan", "case_counts", "find_names"]

_QUOTED = re.compile(r"[\"“„«‹]([^\W\d_][^\"“”„«»‹›\n]{1,60})[\"”“»›]")
_CJK_NAME = re.compile(
    r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,30})』|「([^「」\n]{2,20})」|【([^【】\n]{2,20})】|“([^“”\n]{2,20})”"
)
_CJK = re.compile(CJK_CLASS)
_CJK_SPEECH = re.compile(
    r"[。！？!?、，,：:；;～…]|[吗呢吧啊呀嘛哦了的么]\Z|(?:です|ます|した|って|よ|ね|か|だ)\Z|\A[ぁ-ゖー]+\Z"
)
_SAID = re.compile(r"[说說道问問喊叫答：:]\s*\Z")
_WEB_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{3,60})\]\((https?://[^()\s]{1,500})\)")
_ACRONYM = re.compile(r" \(([^\W\d_]{2,8})\)")
_BEFORE_ACRONYM = 80  # characters in which the words stand that it abbreviates
_BROKEN = re.compile(r"[^\w -]")
_PART = re.compile(r"[^\W_]+")
_FORMULA = re.compile(r"[A-Za-z][-+]\d+")
_NUMBER = re.compile(r"\d{1,3}[a-zA-Z]?\Z")
_NOT_PLURAL = frozenset("was is has does goes this its always us s".split())
_UNITS = frozenset("and or of pm am to km kg m cm euro euro percent per o'clock min h".split())
_LONGEST_NAME = 10  # words
_LONGEST_ACRONYM = 4  # letters of an acronym that the statistics do not know


@dataclass(frozen=True, slots=True, order=True)
class NameSpan:
    """A name in a text: `text[start:end]` is the original, `name` its tidied form."""

    start: int
    end: int
    name: str


def find_names(text: str, statistics: CaseStatistics | None = None) -> list[NameSpan]:
    """The names in a text, in order, without overlaps.

    These are names: capitalised words in a row, also across `of`, `de`, `van`, `&`; a single capitalised word
    mid-sentence that is not a common word in the statistics; a word at the start of a sentence if it is known as a name
    or begins a longer name; `@handles`; titles of works in quotes; CJK text in 《》, 『』, 「」, 【】 or “”; words of a
    link whose address says the same; words before their acronym.
    """
    statistics = statistics or CaseStatistics()
    spans = [*_in_quotes(text), *_in_web_links(text), *_with_acronyms(text)]
    for sentence in worded_sentences(text):
        spans += _in_sentence(text, sentence, statistics)
    if has_cjk(text):
        spans += _in_cjk(text)
    return _without_overlaps(spans)


def _without_overlaps(spans: Iterable[NameSpan]) -> list[NameSpan]:
    kept: list[NameSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


# ---------------------------------------------------------------------------------------------- one sentence


def _in_sentence(text: str, sentence: Sentence, statistics: CaseStatistics) -> Iterator[NameSpan]:
    if _surely_nameless(sentence, statistics):
        return
    believed = _believed_known if sentence.mute else _believed_german if sentence.german else _believed
    for run in _runs(sentence.tokens):
        if run[0].raw.startswith("@"):
            yield NameSpan(run[0].start, run[0].end, run[0].raw.rstrip(".-"))
            continue
        for part in believed(run, statistics):
            name = text[part[0].start : part[-1].end]
            if statistics.is_label(name) or _FORMULA.fullmatch(name):
                continue
            yield NameSpan(part[0].start, part[-1].end, _tidy(name, sentence.shouted))


def _surely_nameless(sentence: Sentence, statistics: CaseStatistics) -> bool:
    """A quick check that a sentence has no name: only its first word has a capital. Most sentences are like that."""
    opening = [form for form in sentence.forms if form.opens]
    if len(opening) != 1:
        return not opening
    first = sentence.forms[0]
    if opening[0] is not first or first.caps or not first.capital or not sentence.pieces[0].first:
        return False
    numbered = len(sentence.forms) > 1 and (sentence.forms[1].raw[0].isdigit() or sentence.forms[1].word == "I")
    return not numbered and not statistics.is_name_word(first.word)


def _tidy(name: str, shouted: bool) -> str:
    name = " ".join(name.split())
    return name.title() if shouted and name.isupper() and len(name) > 3 else name


def _runs(tokens: list[Token]) -> Iterator[list[Token]]:
    """Runs of words that may form a name, with the small words and numbers between them."""
    i = 0
    while i < len(tokens):
        if not tokens[i].form.opens:
            i += 1
            continue
        end = _run_end(tokens, i)
        yield tokens[i:end]
        i = end


def _run_end(tokens: list[Token], start: int) -> int:
    end = start + 1
    if tokens[start].raw.startswith("@"):
        return end
    while end < len(tokens) and end - start < _LONGEST_NAME and not tokens[end - 1].possessive:
        if not tokens[end].joined and tokens[end].lower != "&":
            break
        if _goes_on(tokens, end):
            end += 1
        elif over := _over_connectors(tokens, start, end):
            end = over
        else:
            break
    return end


def _goes_on(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if _NUMBER.match(token.word):
        after = tokens[i + 1] if i + 1 < len(tokens) and tokens[i + 1].joined else None
        return tokens[i - 1].lower not in words.CALENDAR and not (after and _is_counted(after))
    if token.word == "I":  # World War I, but not: Kira I think
        return i + 1 == len(tokens) or not tokens[i + 1].joined
    return token.capital and not token.raw.startswith("@")


def _is_counted(after: Token) -> bool:
    """Whether a number before this word is an amount (`3 times`) and not part of a name (`Apollo 11 landed`)."""
    word = after.lower
    return word in _UNITS or (word.endswith("s") and word not in _NOT_PLURAL and not after.capital)


def _over_connectors(tokens: list[Token], start: int, i: int) -> int | None:
    """The end of the run after `of the`, `van der`, `&` or `the Great`, if a capitalised word follows; else None."""
    j = i
    while j < len(tokens) and j - i < 2 and _connects(tokens, i, j):
        j += 1
    if j == i or j >= len(tokens) or not tokens[j].capital or tokens[j].raw.startswith("@"):
        return None
    if not tokens[j].joined and tokens[j - 1].lower != "&":
        return None
    if tokens[i].lower == "the" and tokens[j].lower not in words.EPITHETS:
        return None
    if tokens[j - 1].lower == "the" and j - i == 2 and i > start + 1:  # Anna Lind of the Red Cross: two names
        return None
    return j + 1


def _connects(tokens: list[Token], i: int, j: int) -> bool:
    word = tokens[j].word
    return word in words.CONNECTORS or (word == "the" and (j == i or tokens[j - 1].word in ("of", "upon")))


# ---------------------------------------------------------------------------------------------- accepted names


def _believed(run: list[Token], statistics: CaseStatistics) -> list[list[Token]]:
    """The run as one name, without words that do not belong to it; an empty list if it is not a name."""
    run = _trimmed(run, statistics)
    if not run:
        return []
    if len(run) == 1:
        return [run] if _single(run[0], statistics) else []
    if all(t.lower in words.TITLES or _is_no_name(t) for t in run):
        return []
    sure = any(not _common(t, statistics) for t in run if t.capital)
    return [run] if sure or not run[0].first else []


def _believed_known(run: list[Token], statistics: CaseStatistics) -> list[list[Token]]:
    """The parts of the run in which every word is a known name; for sentences in which capitals have no meaning."""
    parts: list[list[Token]] = [[]]
    for token in run:
        if statistics.is_name_word(token.word):
            parts[-1].append(token)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _believed_german(run: list[Token], statistics: CaseStatistics) -> list[list[Token]]:
    """The names of a German run: first with family names (two nouns in a row are rare), and known name words."""
    parts: list[list[Token]] = [[]]
    determined = False
    for token in run:
        if token.word in words.GERMAN_DETERMINERS:
            determined = True
            parts.append([])
        elif determined:
            determined = False  # the noun of an article
        else:
            parts[-1].append(token)
    return [name for part in parts for name in _german_names(part, statistics)]


def _german_names(run: list[Token], statistics: CaseStatistics) -> list[list[Token]]:
    run = _trimmed(run, statistics)
    while run and (run[0].word in words.GERMAN or statistics.is_common_word(run[0].word)):
        run = run[1:]
    if len(run) > 1 and not statistics.is_common_word(run[-1].word):
        return [run]
    return _believed_known(run, statistics)


def _trimmed(run: list[Token], statistics: CaseStatistics) -> list[Token]:
    greeted = False
    while run and (_no_beginning(run, statistics) or (greeted and run[0].lower in words.OPENERS)):
        greeted, run = run[0].first and run[0].lower in words.OPENERS, run[1:]
    while run and ((run[-1].lower in words.FUNCTION and run[-1].word != "I") or _dangling(run)):
        run = run[:-1]
    return run


def _no_beginning(run: list[Token], statistics: CaseStatistics) -> bool:
    token = run[0]
    if not token.capital or token.lower in words.WEEKDAYS or token.lower in words.SHORTHAND:
        return True
    if token.lower in words.FUNCTION or (token.lower in words.MONTHS and len(run) == 1):
        return not statistics.is_name_word(token.word)
    if token.lower in words.PEOPLES and len(run) > 1:
        return token.first and _single(run[1], statistics) and not statistics.is_common_word(run[1].word)
    if not token.first or len(run) == 1 or token.lower in words.NAME_FORMING:
        return False
    return statistics.is_common_word(token.word)


def _dangling(run: list[Token]) -> bool:
    last = run[-1]
    if last.word in words.CONNECTORS or last.lower in words.WEEKDAYS | words.SEASONS:
        return True
    return last.lower in words.MONTHS and len(run) > 1 and run[-2].capital


def _single(token: Token, statistics: CaseStatistics) -> bool:
    if token.caps:
        unknown = not statistics.is_common_word(token.word) and len(token.word) <= _LONGEST_ACRONYM
        return not _is_no_name(token) and (unknown or statistics.is_name_word(token.word))
    if _is_no_name(token) or token.lower in words.TITLES or len(token.word) < 2:
        return token.lower not in words.CALENDAR and not token.first and statistics.is_name_word(token.word)
    if token.first:
        return statistics.is_name_word(token.word)
    return not statistics.is_common_word(token.word)


def _is_no_name(token: Token) -> bool:
    word = token.lower
    return word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND


def _common(token: Token, statistics: CaseStatistics) -> bool:
    return _is_no_name(token) or token.lower in words.TITLES or statistics.is_common_word(token.word)


# ---------------------------------------------------------------------------------------------- quotes


def _in_quotes(text: str) -> Iterator[NameSpan]:
    """Titles of works in quotes: two words or more, all capitalised except small words."""
    for match in _QUOTED.finditer(prose(text)):
        inner = match[1].rstrip(",")
        parts = inner.split()
        if HIDDEN in inner or re.search(r"[.!?;:…]", inner) or not 1 < len(parts) <= _LONGEST_NAME:
            continue
        small = [p for p in parts[1:] if p[:1].islower()]
        if (
            parts[-1][:1].isupper()
            and parts[0][:1].isupper()
            and all(p in words.FUNCTION | words.CONNECTORS for p in small)
        ):
            yield NameSpan(match.start(1), match.start(1) + len(inner), inner)


def _in_web_links(text: str) -> Iterator[NameSpan]:
    """The words of a link to a page of that name: `[WireGuard](https://www.wireguard.com/)`."""
    if "](http" not in text:
        return
    for match in _WEB_LINK.finditer(text):
        letters = "".join(filter(str.isalnum, match[1])).lower()
        address = "".join(filter(str.isalnum, match[2])).lower()
        if len(letters) > 2 and letters in address and match[1] != match[1].lower() and len(match[1].split()) <= 4:
            yield NameSpan(match.start(1), match.end(1), match[1].strip())


def _with_acronyms(text: str) -> Iterator[NameSpan]:
    """Words and their acronym in brackets: `Self-Determination Theory (SDT)`, `Infrastructure as code (IaC)`."""
    if "(" not in text:
        return
    shown = prose(text)
    for match in _ACRONYM.finditer(shown):
        before = shown[max(0, match.start() - _BEFORE_ACRONYM) : match.start()]
        place, before = match.start() - len(before), before.rstrip("*_")
        found = list(_PART.finditer(before))
        for n in range(2, min(len(found), 2 * len(match[1])) + 1):
            run = found[-n:]
            if run[-1].end() != len(before) or _BROKEN.search(before, run[0].start()):
                break
            if _abbreviates(match[1], [word[0] for word in run]):
                start, end = place + run[0].start(), place + len(before)
                yield NameSpan(start, end, text[start:end])
                yield NameSpan(match.start(1), match.end(1), match[1])
                break


def _abbreviates(acronym: str, parts: list[str]) -> bool:
    """Whether an acronym has the first letters of these words; small words between them may be left out."""
    letters = acronym.lower().removesuffix("s") if acronym[-1] == "s" else acronym.lower()
    firsts = [word[0].lower() for word in parts]
    told = [word[0].lower() for word in parts if word.lower() not in words.CONNECTORS | words.FUNCTION]
    return letters in ("".join(firsts), "".join(told)) and parts[0].lower() not in words.FUNCTION


def _in_cjk(text: str) -> Iterator[NameSpan]:
    for match in _CJK_NAME.finditer(text):
        group = match.lastindex or 0
        inner = match[group]
        if group in (1, 2) or (_CJK.search(inner) and not _is_speech(text, match.start(), inner)):
            yield NameSpan(match.start(group), match.end(group), inner.strip())


def _is_speech(text: str, start: int, inner: str) -> bool:
    return bool(_CJK_SPEECH.search(inner) or _SAID.search(text[max(0, start - 3) : start]))
