"""Names that marks show: titles in quotes and brackets, the words of a link to their page, words with their acronym."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary, words
from memkit.text.extract.identifiers import is_host
from memkit.text.extract.tokens import HIDDEN, NameSpan, prose
from memkit.text.words import CJK_CLASS, has_cjk

_QUOTED = pattern(r"[\"“„«‹]([^\W\d_][^\"“”„«»‹›\n]{1,60})[\"”“»›]")
# In emphasis, which may have more words than a quotation: _The Walls of Tamsin: A Life_.
_EMPHASISED_TITLE = pattern(r"(?<![\w*_])([*_])(?![*_\s])([^*_\n]{8,100})(?<!\s)\1(?![\w*_])")
_CJK_NAME = pattern(
    r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|『([^『』\n]{1,30})』|「([^「」\n]{2,20})」|【([^【】\n]{2,20})】|“([^“”\n]{2,20})”"
)
_CJK = pattern(CJK_CLASS)
_CJK_SPEECH = pattern(
    r"[。！？!?、，,：:；;～…]|[吗呢吧啊呀嘛哦了的么]\Z|(?:です|ます|した|って|よ|ね|か|だ)\Z|\A[ぁ-ゖー]+\Z"
    # A sentence that ends with a verb (目標は達成するためにある), and a verb (伝える):
    r"|[はをがも].{2,}[うくぐすつぬぶむるい]\Z|\A[\u3400-\u9fff]{1,2}[ぁ-ゖ]{0,2}[うくぐすつぬぶむるい]\Z"
)
_TITLE_MARKS = (1, 2, 3)  # groups of _CJK_NAME: 《》, 〈〉, 『』
_EMPHASISED = pattern("[ァ-ヺー]{1,4}")  # 「データ」: a word of everybody in quotes
# What Japanese sets in quotes is often a phrase (自分の, 分からない), a word with an addition, or a form: 〜したい.
_PHRASE = pattern(
    r"[（(〜~]|\A[おご][一-龥]|(?:された|されて|について|とは)|\A.{1,7}[のにでとがをはもへやない]\Z|\A[ァ-ヺー]{1,8}\Z|\Aお.{1,3}\Z|\A(?:その|この|あの)|\d年"
)
_KANA = pattern("[ぁ-ゖァ-ヺ]")
_CALLED = pattern(r"(?:[叫称稱]|[叫称稱][为為做作]|名[为為叫]|所[谓謂]|[又简簡俗][称稱]|命名[为為]|题为|題為)\s*\Z")
_SAID = pattern(r"[说說道问問喊叫答：:]\s*\Z")
_WEB_LINK = pattern(r"(?<!!)\[([^\[\]\n]{2,60})\]\(https?://([^()\s/?#]{1,200})([/?#][^()\s]{0,500})?\)")
_OFFICES = frozenset("ceo cto cfo coo cio cmo chro vp svp evp hr pr phd md".split())  # held by many: they name nobody
_FORGES = frozenset("github.com gitlab.com codeberg.org bitbucket.org".split())
_ACRONYM = pattern(r" \(([^\W\d_]{2,8})\)")
_EXPANDED = pattern(r"(?<!\w)([A-Z][^\W\d_]{1,7})[*_]{0,3} \(([^\W_][\w -]{4,80})\)")
_BEFORE_ACRONYM = 80  # characters in which the words stand that it abbreviates
_LAWS = frozenset("law laws dilemma trilemma paradox".split())  # which states and gods have, too
_CALLED_AFTER = ("law", "lemma", "theorem", "paradox", "razor", "inequality", "conjecture")  # one in each of _EPONYM
_EPONYM = pattern(
    r"(?<!\w)([A-Z][^\W\d_]{2,20}(?:-[A-Z][^\W\d_]{2,20})?)(?:['’]s|(?<=s)['’]) "
    r"(theorem|lemma|conjecture|inequality|paradox|razor|dilemma|trilemma|laws?)\b"
)
# Who is cited by the family name first: `Moss, K. M. (2019)`, and in capitals at the start of a line: `MOSS, Ida.`
_CAPITAL, _SMALL_LETTER = "[A-ZÀ-ÞĀ-Ž]", "[a-zà-ÿā-ž]"
_CITED = pattern(
    rf"(?<![\w'’-])({_CAPITAL}[\w'’]*{_SMALL_LETTER}(?:[- ]{_CAPITAL}{_SMALL_LETTER}+)?, (?!D\. ?C\.|M\. ?D\.)"
    rf"{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.){{0,2}})(?=[,;)\]:]| ?(?:\(|&|and\b|und\b|y\b|et\b|e\b|\d{{4}}|\Z|\n))"
)
_CITED_IN_CAPITALS = pattern(
    rf"^(?:[-*+•][ \t]+|\d{{1,3}}[.)][ \t]+)?({_CAPITAL}{{3,}}(?: {_CAPITAL}{{2,}})?, {_CAPITAL}{_SMALL_LETTER}+"
    rf"(?: {_CAPITAL}{_SMALL_LETTER}+| {_CAPITAL}\.){{0,2}})(?=\.|;|,| \()",
    re.MULTILINE,
)
_INITIAL, _GIVEN = pattern(rf", {_CAPITAL}\."), pattern(rf", {_CAPITAL}{_SMALL_LETTER}")
_BROKEN = pattern(r"[^\w -]")
_PART = pattern(r"[^\W_]+")
_LONGEST_TITLE = 10  # words
_SMALL = words.FUNCTION | words.CONNECTORS


def marked_names(text: str, nouns: bool = False) -> Iterator[NameSpan]:
    """The names in a text that marks show; they may overlap. `nouns` says that nouns have a capital here (German)."""
    yield from _in_quotes(text)
    yield from _in_emphasis(text)
    yield from _in_web_links(text, nouns)
    yield from _with_acronyms(text)
    yield from _eponyms(text)
    if ", " in text:
        yield from _cited(text)
    if has_cjk(text):
        yield from _in_cjk(text)


def _in_quotes(text: str) -> Iterator[NameSpan]:
    """Titles of works in quotes: two words or more, all capitalised except small words."""
    for match in _QUOTED.finditer(prose(text)) if '"' in text or not text.isascii() else ():
        inner = match[1].rstrip(",")
        parts = inner.split()
        if HIDDEN in inner or re.search(r"[.!?;:…]", inner) or not 1 < len(parts) <= _LONGEST_TITLE:
            continue
        if _has_capitals(parts):
            yield NameSpan(match.start(1), match.start(1) + len(inner), inner)


def _in_emphasis(text: str) -> Iterator[NameSpan]:
    """Titles of works in emphasis: three words or more in Title Case, with words of everybody: people have none."""
    if "*" not in text and "_" not in text:
        return
    for match in _EMPHASISED_TITLE.finditer(prose(text)):
        inner = match[2]
        parts = inner.replace(": ", " ").split()
        if HIDDEN in inner or re.search(r"[.!?;…|=<>/]|, | [-–—] ", inner) or not 2 < len(parts) <= _LONGEST_TITLE:
            continue
        if _has_capitals(parts) and any(p[:1].isupper() and dictionary.is_common(p) for p in parts):
            yield NameSpan(match.start(2), match.end(2), inner)


def _has_capitals(parts: list[str]) -> bool:
    """Whether words have capitals as a title has: the first, the last, and all but small ones."""
    small = [part for part in parts[1:] if part[:1].islower()]
    return parts[-1][:1].isupper() and parts[0][:1].isupper() and all(part in _SMALL for part in small)


def _in_web_links(text: str, nouns: bool) -> Iterator[NameSpan]:
    """The words of a link to a page of that name: `[WireGuard](https://www.wireguard.com/)`.

    A site may be called by a word of everybody or in lower case; a page below it only by its name: of everything on
    GitHub, `[ripgrep](https://github.com/BurntSushi/ripgrep)` is one, `[docs](https://example.org/docs)` is none. Nor
    is a German noun a name because a glossary has a page for it.
    """
    if "](http" not in text:
        return
    for match in _WEB_LINK.finditer(text):
        shown = match[1].strip()
        path = unquote(match[3] or "") if match[3] and "%" in match[3] else match[3] or ""
        noun = nouns and " " not in shown and shown.istitle() and path.count("/") > 1 and not has_cjk(shown)
        address = shown.count(".") > 1 and shown.lower() == match[2].lower()
        if (
            len(shown.split()) <= 4
            and not (noun or address or is_host(shown))
            and _is_page_of(shown, match[2].lower(), path)
        ):
            yield NameSpan(match.start(1), match.end(1), shown)


def _is_page_of(shown: str, host: str, path: str) -> bool:
    letters, parts, site = _letters(shown), _PART.findall(shown), host.removeprefix("www.")
    if len(letters) < 3 and not (len(letters) == 2 and all(map(has_cjk, letters))):
        return False
    if letters in (_letters(site), _letters(site.rpartition(".")[0].rpartition(".")[2])):
        return True
    folders = [_letters(part) for part in path.split("/")]
    everyday = parts[0].lower() in words.FUNCTION or all(map(dictionary.is_common, parts))
    if shown == shown.lower() and not has_cjk(shown):
        return site in _FORGES and letters in folders[2:3] and not everyday
    if len(parts) == 1 or everyday:
        return letters in folders and len(parts) > everyday and parts[0].lower() not in words.FUNCTION
    return letters in _letters(path)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _with_acronyms(text: str) -> Iterator[NameSpan]:
    """Words and their acronym in brackets: `Self-Determination Theory (SDT)`, `IaC (Infrastructure as code)`."""
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
            if abbreviates(match[1], [word[0] for word in run]):
                start, end = place + run[0].start(), place + len(before)
                yield NameSpan(start, end, text[start:end])
                yield NameSpan(match.start(1), match.end(1), match[1])
                break
    for match in _EXPANDED.finditer(shown):
        if abbreviates(match[1], _PART.findall(match[2])):
            yield from (NameSpan(match.start(i), match.end(i), match[i]) for i in (1, 2))


def _cited(text: str) -> Iterator[NameSpan]:
    """People as citations write them, by the family name first."""
    ways = ((_CITED, _INITIAL.search(text) is not None), (_CITED_IN_CAPITALS, _has_given_name_behind_capitals(text)))
    for cited, here in ways:
        for match in cited.finditer(prose(text)) if here else ():
            if not dictionary.is_common(match[1].partition(",")[0]):
                yield NameSpan(match.start(1), match.end(1), match[1])


def _has_given_name_behind_capitals(text: str) -> bool:
    """A quick check for `MOSS, Ida`: most texts have none."""
    return any(text[match.start() - 3 : match.start()].isupper() for match in _GIVEN.finditer(text))


def _eponyms(text: str) -> Iterator[NameSpan]:
    """Laws and theorems that are called after somebody: `Stokes' theorem`, `Conway's law`, but not `today's law`."""
    if ("'" not in text and "’" not in text) or not any(word in text for word in _CALLED_AFTER):
        return
    for match in _EPONYM.finditer(prose(text)):
        word = match[1]
        if word.lower() in words.FUNCTION or (
            match[2] in _LAWS and (word == "God" or dictionary.is_well_known_name(word))
        ):
            continue
        if match[2] not in _LAWS or not dictionary.is_common(word):
            yield NameSpan(match.start(), match.end(), match[0])


def abbreviates(acronym: str, parts: list[str]) -> bool:
    """Whether an acronym has the first letters of these words; small words between them may be left out."""
    letters = acronym.lower().removesuffix("s") if acronym[-1] == "s" else acronym.lower()
    if letters in _OFFICES:
        return False
    firsts = [word[0].lower() for word in parts]
    told = [word[0].lower() for word in parts if word.lower() not in _SMALL]
    return letters in ("".join(firsts), "".join(told)) and parts[0].lower() not in words.FUNCTION


def _in_cjk(text: str) -> Iterator[NameSpan]:
    japanese = _KANA.search(text) is not None
    for match in _CJK_NAME.finditer(text):
        group = match.lastindex or 0
        inner = match[group]
        if group in _TITLE_MARKS or (_CJK.search(inner) and _is_called(text, match.start(), inner, japanese)):
            yield NameSpan(match.start(group), match.end(group), inner.strip())


def _is_called(text: str, start: int, inner: str, japanese: bool) -> bool:
    """Whether words in quotes are a name: in Chinese only if something is called so, in Japanese if not speech."""
    if _CJK_SPEECH.search(inner) or _EMPHASISED.fullmatch(inner) or _SAID.search(text[max(0, start - 3) : start]):
        return False
    return (japanese and not _PHRASE.search(inner)) or _CALLED.search(text[max(0, start - 4) : start]) is not None
