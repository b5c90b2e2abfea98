"""Names that everybody knows (Linux, Ubuntu, 上海): found also where a capital says little, or where there is none.

The case statistics of a database know only what its texts say; this list is what a reader knows before the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary
from memkit.text.extract.case import SURE_LENGTH, CaseStatistics
from memkit.text.extract.tokens import KNOWN, NameSpan, Sentence, Token, prose, worded_sentences
from memkit.text.words import CJK_CLASS, has_cjk

_CJK = pattern(CJK_CLASS)
_KATAKANA = pattern("[ァ-ヺー]")
_SIGNED = pattern(r"(?<![\w+.])(?:C\+\+|[CF]#|Notepad\+\+|\.NET)(?![\w+#])")
_BEFORE, _AFTER = "./@#'’:+-\\_", "/@'’(-_"  # signs of a path, a call or an address
_SHORT = 4  # letters of an acronym, which another word may have in other case: EU, and Portuguese `eu`
# Characters after a country that make a language or a people of it, and those before which two words meet:
# 其中|国家, 今日|本来, 变成|都是.
_OF_PEOPLE = "語语人"
_MEETING = {
    "中国": "其",
    "法国": "无方办宪算语司执",
    "德国": "道品公美",
    "美国": "完",
    "日本": "今每生节昨明当近即次",
    "成都": "变组形生完构造达促",
    "西安": "东",
    "海南": "上",
    "江西": "长",
    "上海": "以",
    "高通": "提",
    "必应": "不何未",
    "海口": "出入",
}
_ONGOING = {
    "新浪": "潮",
    "三星": "级",
    "楽天": "的家主",
    "长春": "花",
    "京都": "议",
    "论语": "言",
    "快手": "快",
    "必应": "付对该有当",
}


class _Known(NamedTuple):
    words: tuple[str, ...]  # in lower case
    name: str


def well_known(text: str, statistics: CaseStatistics, english: Callable[[], bool]) -> Iterator[NameSpan]:
    """The well-known names in a text, in the order of its scripts; `english` says whether it is in English.

    A name is written as in the list, or in lower case if that is no word of a dictionary (`ubuntu`). An everyday word
    (`Chrome`, `Slack`) counts only in CJK text, where English words are names.
    """
    cjk = has_cjk(text)
    for sentence in worded_sentences(text):
        if sentence.traits & KNOWN:
            yield from _in_sentence(text, sentence, statistics, english, cjk)
    if "++" in text or "C#" in text or "F#" in text or ".NET" in text:
        yield from (NameSpan(match.start(), match.end(), match[0]) for match in _SIGNED.finditer(prose(text)))
    if cjk:
        yield from _in_cjk(text)


def _in_sentence(
    text: str, sentence: Sentence, statistics: CaseStatistics, english: Callable[[], bool], cjk: bool
) -> Iterator[NameSpan]:
    def lower() -> bool:  # whether short words in lower case may be names
        return cjk or sentence.english or english()

    listed, forms, tokens, after = _listed(), sentence.forms, list[Token](), 0
    for i in [i for i, form in enumerate(forms) if form.traits & KNOWN]:
        for known in listed.get(forms[i].lower, ()) if i >= after else ():
            end = i + len(known.words)
            if known.words != tuple([form.lower for form in forms[i:end]]):
                continue
            tokens = tokens or sentence.tokens
            found = tokens[i:end]
            if _is(known, found, lower) and _counts(known, found, sentence, statistics, cjk):
                start, last = found[0].start, found[-1].end
                if not statistics.is_label(known.name) and _stands_alone(text, start, last, found[0].capital):
                    yield NameSpan(start, last, known.name)
                    after = end
                    break


def _is(known: _Known, found: list[Token], lower: Callable[[], bool]) -> bool:
    """Whether these words are the name as it is written, or in lower case where that is no other word."""
    if not all(token.joined for token in found[1:]):
        return False
    written = " ".join(token.word for token in found)
    if written == known.name:
        return not written.islower() or _no_other_word(written, lower)
    if known.name.isupper() and len(known.name) <= _SHORT:
        return False
    if written.islower():
        return all(_no_other_word(word, lower) for word in known.words)
    return written.lower() == known.name.lower() and all(token.capital for token in found if len(token.word) > 2)


def _no_other_word(word: str, lower: Callable[[], bool]) -> bool:
    return not dictionary.is_known(word) and (len(word) >= SURE_LENGTH or lower())


def _counts(known: _Known, found: list[Token], sentence: Sentence, statistics: CaseStatistics, cjk: bool) -> bool:
    if sentence.shouted and len(known.name) < _SHORT:  # EU GOSTO
        return False
    if len(found) > 1 or not found[0].capital:
        return True
    if dictionary.is_common(found[0].word):
        return cjk and not sentence.english
    return not statistics.is_common_word(found[0].word)


def _stands_alone(text: str, start: int, end: int, capital: bool) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if capital:
        return not (before and before in "@#\\_") and not (after and after in "_(@")
    return not (before and before in _BEFORE) and not (after and after in _AFTER)


def _in_cjk(text: str) -> Iterator[NameSpan]:
    first, lengths, names = _cjk()
    end = 0
    for match in first.finditer(text):
        start = match.start()
        if start < end:
            continue
        for length in lengths.get(text[start : start + 2], ()):
            name = text[start : start + length]
            if name in names and is_word(text, start, start + length, name):
                yield NameSpan(start, start + length, name)
                end = start + length
                break


def is_word(text: str, start: int, end: int, name: str) -> bool:
    """Whether a well-known name is a word here: no part of one in katakana, no language, nor the ends of two words.

    Of any other name nothing is known: True.
    """
    if name not in _cjk()[2]:
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    if _KATAKANA.match(name):
        return not _KATAKANA.match(before) and not _KATAKANA.match(after)
    if after and (after in _OF_PEOPLE or after in _ONGOING.get(name, "")):
        return False
    return not (before and before in _MEETING.get(name, ""))


@cache
def _listed() -> dict[str, tuple[_Known, ...]]:
    """The names in letters by their first word in lower case, the longest first."""
    found: dict[str, list[_Known]] = {}
    for name in dictionary.well_known():
        if not _CJK.match(name) and not _SIGNED.fullmatch(name):
            words = tuple(name.lower().split())
            found.setdefault(words[0], []).append(_Known(words, name))
    return {word: tuple(sorted(known, key=lambda one: -len(one.words))) for word, known in found.items()}


@cache
def _cjk() -> tuple[re.Pattern[str], dict[str, tuple[int, ...]], frozenset[str]]:
    """A pattern of where a name may begin, the lengths of the names by their first two characters, and the names."""
    names = frozenset(name for name in dictionary.well_known() if _CJK.match(name))
    lengths: dict[str, list[int]] = {}
    for length, start in sorted({(len(name), name[:2]) for name in names}, reverse=True):
        lengths.setdefault(start, []).append(length)
    firsts, seconds = ("".join(sorted({start[i] for start in lengths})) for i in (0, 1))
    return re.compile(f"[{firsts}](?=[{seconds}])"), {start: tuple(all_of) for start, all_of in lengths.items()}, names
