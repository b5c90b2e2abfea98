"""Named entity recognition without a model: capitalised words, checked against the case statistics of the database.

Precision comes first, because a wrong link costs more than a missing one. A capital is strong evidence in the middle of
a sentence, weak evidence at its start, and no evidence in a heading or in text in all capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from memkit.core.patterns import pattern
from memkit.text.extract import dictionary, words
from memkit.text.extract.abbreviations import LAST, has_its_own_stop
from memkit.text.extract.case import CaseStatistics, case_counts
from memkit.text.extract.german_nouns import is_german_noun
from memkit.text.extract.identifiers import is_id, names_nothing
from memkit.text.extract.lower_names import lower_names
from memkit.text.extract.marked_names import marked_names
from memkit.text.extract.references import NUMBER, ROMAN, counts_a_part, is_left_over, is_stuck_part, people
from memkit.text.extract.sounds import is_sound
from memkit.text.extract.tokens import (
    LIBRARY,
    OPENS,
    START,
    NameSpan,
    Sentence,
    Token,
    describes_german,
    determines_german,
    elision,
    is_english,
    is_plural_acronym,
    worded_sentences,
)
from memkit.text.extract.well_known import well_known
from memkit.text.words import CJK_CLASS

__all__ = ["CaseStatistics", "NameSpan", "case_counts", "find_names"]

_INITIALS = pattern(r"(?:[A-Z]\. )+[A-Z]")  # U. S.
_APART = pattern(r"(?<=\.) ")
_FORMULA = pattern(r"[A-Za-z][-+]\d+")
_LETTERS = pattern(r"[^\W\d_](?:\.\w)+\Z")  # e.g, a.C
_ABBREVIATED = pattern(r"[a-z]\.[a-zA-Z]\Z")
_MEASURE = pattern(
    r"\d+(?:[.,]\d+)?(?:[^\W\d_]{1,2}|(?i:[kmg]hz|[kmgt]i?b(?:ps)?|[kmgt]wh|usd|eur|gbp|chf|cad|rpm|dpi|fps|ppm|kcal))\Z"
    r"|\d+[.,]\d+[^\W\d_]{3,4}\Z"
)  # 425F, 2D, 1.5mL, 160Mhz, 0.25ETH
_CAMEL = pattern(r"([a-z]{2,})((?:[A-Z][a-z]+)*)")
_HUMP = pattern(r"[A-Z][a-z]{3,}\Z")
_HUMPS = pattern(r"(?:[A-Z][a-z]+){2,}")  # GoalGetter
_DEED = pattern(r"[A-Z][a-z]{2,}(?:ed|ing)")
_GERMAN_NOUN = pattern(r"(?:[a-zäöüß](?:ung|heit|keit|schaft|tät|tion)(?:en)?|ismus|ität)\Z")
# Spanish, Portuguese and Italian nouns of what is done or is so. Some are women's names.
_ROMANCE_NOUN = pattern(
    r"(?!concepci|asunci|encarnaci|ascensi|anunciaci|visitaci|purificaci|trinidad|natividad|caridad|piedad)"
    r"[a-záéíóúñ]{3,}(?:ci[oó]n(?:es)?|si[oó]n(?:es)?|idad(?:es)?|mientos?|ção|ções|idades?|zion[ei]|ismos?)\Z",
    re.IGNORECASE,
)
_SPANISH_VERB = pattern(
    r"(?![ÁA]lamos)[A-ZÁÉÍÓÚ][a-záéíóúñ]+(?:[aei]mos"
    r"|(?:iz|ific|ect|str|nt|rt|rat|lt|pt|ul|ci|ti|gu|br|tr|lid|vid|gr|eg)ar|(?:cib|mit|part|duc|br)ir)\Z"
)
_RUSSIAN_VERB = pattern(
    r"[А-ЯЁЇІЄ][а-яёїіє]*(?:[аяеиуы]ть(?:ся)?|[аяиі]ти(?:ся|сь)?|[йи]те(?:сь)?|[аяуи]ем(?:ся)?|[аяуе]ет(?:ся)?|[аяую]ют(?:ся)?)\Z"
)  # what is done, or should be: Создать, Выберите, Делаем; and in Ukrainian
_GERMAN_VERB_OR_ADJECTIVE = pattern(
    r"(?:iert|ält|ützt|igt|elt|[^b]ert|[üö]h?rt|[eéö]ht|indet|etet|[bgkflmn]t|"  # who does something
    r"(?:end|ig|lich|isch|bar|sam|los|voll)e[nrsm]?|[bcghlrtx]es)\Z"
)
_INNER_CAPITAL = pattern(r"\A[A-Z]+[a-zäöü]+[A-Z][A-Za-z]*\Z")
_WORD_BEFORE = pattern(r"([a-zäöüß]+) \Z")
_GERMAN_ENDING = pattern(r"e[mnrs]?\Z")  # of an adjective
_LAST = frozenset(LAST) - {"St"}  # which goes on: Fort St. John
_LIBRARY = pattern(rf"{LIBRARY}\Z")
_CJK_SIGN = pattern(f"{CJK_CLASS}|[\u3001-\u303f\uff01-\uff60]")
_RAISED = pattern("[⁰¹²³⁴-⁹₀-₉]")
_NOT_PLURAL = frozenset("was is has does goes this its always us s".split())
_UNITS = frozenset("and or of pm am to km kg m cm euro euro percent per o'clock min h".split())
_LONGEST_NAME = 10  # words
_LONGEST_LINK = 200  # characters
_LONGEST_SHOUT = 5  # words in capitals: more are what somebody shouts within a sentence
_LONGEST_ACRONYM = 4  # letters of an acronym that the statistics do not know


def find_names(text: str, statistics: CaseStatistics | None = None) -> list[NameSpan]:
    """The names in a text, in order, without overlaps.

    These are names: capitalised words in a row, also across `of`, `de`, `van`, `&`; a single capitalised word
    mid-sentence that is not a common word in the statistics; a word at the start of a sentence if it is known as a name
    or begins a longer name, or if an English text begins with a word of no dictionary; `@handles`; what `marked_names`
    and `lower_names` find.
    """
    statistics = statistics or CaseStatistics()
    spans = list(marked_names(text, nouns=statistics.german))
    projects = list(lower_names(text))
    if projects and _in_english(text, statistics):
        spans += projects
    spans += well_known(text, statistics, lambda: _in_english(text, statistics))
    linked = "[[" in text
    for sentence in worded_sentences(text):
        if not _surely_nameless(sentence, statistics):
            spans += _in_sentence(text, sentence, statistics, linked)
    return _without_overlaps(spans)


def _in_english(text: str, statistics: CaseStatistics) -> bool:
    """Whether a text is in English; if it is too short to tell, whether the database is."""
    english = is_english(text)
    return statistics.english if english is None else english


def _without_overlaps(spans: Iterable[NameSpan]) -> list[NameSpan]:
    kept: list[NameSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


# ---------------------------------------------------------------------------------------------- one sentence


def _in_sentence(text: str, sentence: Sentence, statistics: CaseStatistics, linked: bool) -> Iterator[NameSpan]:
    """The names in a sentence of a text, which may have links to notes (`linked`)."""
    believed, shouted = _believer(sentence, statistics, text), sentence.shouted
    for run in _runs(sentence.tokens):
        run[0] = _without_elision(run[0], statistics)
        if text[run[-1].end : run[-1].end + 1] in ("°", "º") and len(run) > 1:  # Option N°1
            run = run[:-1]
        if run[0].raw.startswith("@"):
            # `[[@The tide tables]]` is a page that is called so, `@ㅋㅋㅋㅋ` nobody.
            if not run[0].form.letters or is_sound(run[0].raw[1:]) or _begins_link(text, run[0]):
                continue
            yield NameSpan(run[0].start, run[0].end, run[0].raw.rstrip(".-"))
            continue
        parts = believed(run, statistics, text)
        for part in _without_fragments(parts, statistics, text) if linked else parts:
            part[0] = _without_elision(part[0], statistics)
            end = _end(text, part)
            name = text[part[0].start : end]
            if statistics.is_label(name) or _FORMULA.fullmatch(name) or _is_abbreviation(text, part):
                continue
            if any(is_id(token.word) for token in part):  # of a key, or encoded data
                continue
            if counts_a_part(text, part) or is_left_over(text, part):
                continue
            if _is_everyday_link(text, part):
                continue
            for person in people(part):
                start, end = person[0].start, _end(text, person)
                yield NameSpan(start, end, _tidy(text[start:end], shouted))


def _without_fragments(parts: list[list[Token]], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The parts of a run; of a link with more words (`[[What Is a Miracle?]]`), only what is known as a name."""
    return [
        part
        for part in parts
        if not _is_fragment(text, part[0].start, part[-1].end) or [part] == _believed_in_heading(part, statistics, text)
    ]


def _is_fragment(text: str, start: int, end: int) -> bool:
    """Whether a link to a note shows more words than these: its name is the whole."""
    opened = text.rfind("[[", max(0, start - _LONGEST_LINK), start)
    if opened < 0 or "]]" in text[opened:start]:
        return False
    closed = text.find("]]", end, end + _LONGEST_LINK)
    if closed < 0 or "\n" in text[start:closed]:
        return False
    shown = max(opened + 2, text.rfind("|", opened, start) + 1)
    return any(map(str.isalnum, text[shown:start] + text[end:closed]))


def _is_everyday_link(text: str, part: list[Token]) -> bool:
    """Whether one or two words of the dictionary are all that a web link shows: `[View Highlight](https://...)`."""
    alone = text[part[0].start - 1 : part[0].start] == "[" and text[part[-1].end : part[-1].end + 2] == "]("
    return alone and len(part) < 3 and all(dictionary.is_common(token.word) for token in part)


def _without_elision(token: Token, statistics: CaseStatistics) -> Token:
    """The word without an elided article, also with a capital inside a sentence if it is a name without: `L'Etat`."""
    if not elision(token.raw):
        return token
    bare = token.without_elision(always=True)
    return bare if statistics.is_name_word(bare.word) else token.without_elision()


def _end(text: str, part: list[Token]) -> int:
    """The end of a name, after the full stop that is its own."""
    start, end = part[0].start, part[-1].end
    return end + (text[end : end + 1] == "." and has_its_own_stop(text[start:end]))


def _begins_link(text: str, token: Token) -> bool:
    """Whether a link begins with a word, and goes on after it."""
    return text[max(0, token.start - 2) : token.start] == "[[" and text[token.end : token.end + 1] not in ("]", "|")


def _believer(
    sentence: Sentence, statistics: CaseStatistics, text: str
) -> Callable[[list[Token], CaseStatistics, str], list[list[Token]]]:
    """The function that says which parts of a run are names in a sentence of this form."""
    german = sentence.german_in(text) or (statistics.german and not sentence.english and not is_english(text))
    if sentence.mute:
        housekeeping = sentence.shouted or names_nothing(text[sentence.start : sentence.end])  # UE Resources
        return _believed_known if housekeeping else _believed_in_german_heading if german else _believed_in_heading
    if german:
        return _believed_german
    return _believed_bare if sentence.bare else _believed


def _surely_nameless(sentence: Sentence, statistics: CaseStatistics) -> bool:
    """A quick check that a sentence has no name: only its first word has a capital. Most sentences are like that."""
    if sentence.inner & OPENS:
        return False
    first = sentence.forms[0]
    if not first.opens:
        return True
    if first.raw.startswith("@") or first.caps or not first.capital or not sentence.pieces[0].first:
        return False
    numbered = len(sentence.forms) > 1 and (sentence.forms[1].raw[0].isdigit() or sentence.forms[1].word == "I")
    word = sentence.tokens[0].without_elision().word if elision(first.raw) else first.word
    if numbered or statistics.is_name_word(word) or first.lower in words.GERMAN_FIRST_NAMES:
        return False
    return not (first.word.isalpha() and dictionary.is_unheard_of(first.word))


def _is_abbreviation(text: str, part: list[Token]) -> bool:
    """Whether it is one word with a full stop that ends no sentence, as in a list of sources: `(Anna Lind, Trans.)`."""
    return len(part) == 1 and text[part[0].end : part[0].end + 2] in (".)", ".,", ".:")


def _tidy(name: str, shouted: bool) -> str:
    name = " ".join(name.split())
    name = name[:-1] if is_plural_acronym(name) else _APART.sub("", name) if _INITIALS.fullmatch(name) else name
    return name.title() if shouted and name.isupper() and len(name) > 3 else name


def _runs(tokens: list[Token]) -> Iterator[list[Token]]:
    """Runs of words that may form a name, with the small words and numbers between them."""
    i = 0
    while i < len(tokens):
        if not tokens[i].form.opens or _ends_abbreviation(tokens, i):
            i += 1
            continue
        end = _run_end(tokens, i)
        yield tokens[i:end]
        i = end


def _ends_abbreviation(tokens: list[Token], i: int) -> bool:
    """Whether a letter is the end of an abbreviation that is written with a blank: `z. B.`"""
    if not i or len(tokens[i].raw) > 1:  # as nearly always
        return False
    before, token = tokens[i - 1], tokens[i]
    return len(before.raw) == 1 and before.raw.islower() and token.joined and token.start - before.end == 2


def _run_end(tokens: list[Token], start: int) -> int:
    end = start + 1
    if tokens[start].raw.startswith("@"):
        return end
    while end < len(tokens) and end - start < _LONGEST_NAME and not tokens[end - 1].possessive:
        if not tokens[end].joined and not (tokens[end].lower == "&" and tokens[end].start == tokens[end - 1].end):
            break
        if end - start > 1 and _ends_with_stop(tokens[end - 1], tokens[end]):
            break
        if _goes_on(tokens, end):
            end += 1
        elif over := _over_connectors(tokens, start, end):
            end = over
        else:
            break
    return end


def _ends_with_stop(last: Token, after: Token) -> bool:
    """Whether a name ends with an abbreviation and its full stop: `Tom Reed Jr. Later we ate.`, but `Reed & Co. KG`."""
    stopped = last.word in _LAST and after.start - last.end > 1
    return stopped and not after.word.startswith("KG")


def _goes_on(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if NUMBER.match(token.word):
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
    if tokens[i].word in words.ROMANCE_OF and _is_technical(tokens[j]) and not tokens[i - 1].caps:
        return None  # Mecanismo de TypeScript, Consejo de la UNESCO
    if tokens[i].word == "y" and (_stands_alone(tokens[i - 1]) or _stands_alone(tokens[j])):
        return None  # Java y Python, but Ortega y Gasset
    if tokens[j - 1].lower == "the" and j - i == 2 and i > start + 1:  # Anna Lind of the Red Cross: two names
        return None
    return j + 1


def _is_technical(token: Token) -> bool:
    """Whether a word is a name by its letters: an acronym, or one with a capital inside (`TypeScript`)."""
    return token.caps or (_INNER_CAPITAL.search(token.word) is not None and not token.word.startswith("Mc"))


def _stands_alone(token: Token) -> bool:
    """Whether a word is a name by itself: an acronym, a letter, or a name that everybody knows."""
    return token.caps or len(token.word) == 1 or dictionary.is_well_known_name(token.word)


def _connects(tokens: list[Token], i: int, j: int) -> bool:
    word = tokens[j].word
    return word in words.CONNECTORS or (word == "the" and (j == i or tokens[j - 1].word in ("of", "upon")))


# ---------------------------------------------------------------------------------------------- accepted names


def _believed(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The run as one name, without words that do not belong to it; an empty list if it is not a name."""
    if len(run) > _LONGEST_SHOUT and all(t.word.isupper() for t in run):
        return []
    run = _trimmed(_without_courtesy(run, text, statistics), statistics)
    if not run:
        return []
    if len(run) == 1 or all(map(_is_number, run[1:])):
        if len(run) > 1 and run[0].first and dictionary.is_common(run[0].word):
            return []  # Machine 1
        return [run] if _single(run[0], statistics) or _unheard_of(run[0], statistics, text) else []
    if all(t.lower in words.TITLES or t.lower in words.OPENERS or _is_no_name(t) for t in run):
        return []
    if statistics.german and _are_nouns(run):
        return []
    sure = any(not _common(t, statistics) for t in run if t.capital and len(t.word) > 1)
    shouted = all(t.caps for t in run if t.form.letters)
    return [run] if sure or not (run[0].first or shouted or _is_noun_with_article(run)) else []


def _without_courtesy(run: list[Token], text: str, statistics: CaseStatistics) -> list[Token]:
    """The run without the end of a message, and pronouns that only courtesy gives a capital: `Dziękuję Wam`.

    `Te Puea` in English is a name.
    """
    if len(run) > 2 and run[0].lower in words.REGARDS and run[1].lower in words.REGARDS:
        run = run[2:]
    while run and run[-1].word in words.COURTESY:
        run = run[:-1]
    while run and run[0].word in words.COURTESY and not _in_english(text, statistics):
        run = run[1:]
    return run


def _is_noun_with_article(run: list[Token]) -> bool:
    return len(run) == 2 and run[0].lower in words.ARTICLES


def _believed_bare(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The run as one name, but not if it is one or two words of the dictionary at a start.

    Where all words have a capital, it says little.
    """
    found = _believed(run, statistics, text)
    several = len(run) > 1 and not run[0].first
    if several and (run[0].joined or (not any(map(_is_number, run)) and _is_among_cjk(text, run))):
        return found
    return [part for part in found if not _is_everyday(part, statistics)]


def _is_everyday(part: list[Token], statistics: CaseStatistics) -> bool:
    """Whether it is one or two words of the dictionary, also `Prices & Reviews`."""
    said = [token for token in part if token.word != "&"]
    return len(said) < 3 and all(_ordinary(token, statistics) for token in said)


def _is_among_cjk(text: str, run: list[Token]) -> bool:
    """Whether a run of words stands among CJK characters, where English words in capitals are a term: Event Grid 的."""
    before, after = text[: run[0].start].rstrip(" ")[-1:], text[run[-1].end :].lstrip(" ")[:1]
    return _CJK_SIGN.match(before) is not None and (not after or _CJK_SIGN.match(after) is not None or after in ".\n")


def _ordinary(token: Token, statistics: CaseStatistics) -> bool:
    return _common(token, statistics) or (dictionary.is_common(token.word) and not statistics.is_name_word(token.word))


def _believed_in_heading(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The parts of the run in which every word is a known name or an acronym."""
    return _believed_known(run, statistics, text, acronyms=True)


def _believed_in_german_heading(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The same, where every noun has a capital: a single noun is a name only if that is sure."""
    return _without_nouns(_believed_in_heading(run, statistics, text), statistics)


def _without_nouns(parts: list[list[Token]], statistics: CaseStatistics) -> list[list[Token]]:
    """The names without single words that may be German nouns."""
    return [part for part in parts if len(part) > 1 or part[0].caps or _is_sure(part[0].word, statistics)]


def _is_sure(word: str, statistics: CaseStatistics) -> bool:
    return statistics.is_sure_name(word) and not _GERMAN_NOUN.search(word)


def _believed_known(
    run: list[Token], statistics: CaseStatistics, text: str, acronyms: bool = False
) -> list[list[Token]]:
    """The parts of the run in which every word is a known name; for sentences in which capitals have no meaning."""
    parts: list[list[Token]] = [[]]
    for token in run:
        if statistics.is_name_word(token.word) or (acronyms and token.caps and _single(token, statistics)):
            parts[-1].append(token)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part and not (len(part) == 1 and _is_sign(part[0]))]


def _believed_german(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    """The names of a German run: first with family names (two nouns in a row are rare), and known name words."""
    parts: list[list[Token]] = [[]]
    determined = False
    for token in run:
        if determines_german(token.form) and not (token is run[-1] and _is_number(token)):  # Apollo 11
            determined = True
            parts.append([])
        elif token.word == "zu" or (token.word == "von" and len(parts[-1]) < 2):  # Vergleich zu X, Architektur von Y
            parts.append([])
        elif determined:
            determined = False  # the noun of an article
        else:
            parts[-1].append(token)
    return [name for part in parts for name in _german_names(part, statistics, text)]


def _german_names(run: list[Token], statistics: CaseStatistics, text: str) -> list[list[Token]]:
    run = _trimmed(run, statistics)
    if run and (before := _WORD_BEFORE.search(text[max(0, run[0].start - 30) : run[0].start])):
        run = run[describes_german(before[1]) :]  # erste Stunde Termin
    while run and len(run[-1].word) == 1:  # Menge M
        run = run[:-1]
    while run and not _is_german_first_name(run[0]) and _is_german_start(run[0].word, statistics):
        run = run[1:]
    while run and not run[0].capital:  # of Hof & Garten, where Hof is a word of everybody
        run = run[1:]
    run = _without_trade(run)
    if len(run) > 1 and not statistics.is_common_word(run[-1].word) and not _is_german_phrase(run, statistics):
        return [run]
    known = _without_nouns(_believed_known(run, statistics, text), statistics)
    return known or [[part] for token in run if (part := _alone_in_german(token, statistics))]


def _alone_in_german(token: Token, statistics: CaseStatistics) -> Token | None:
    """What is a name by itself where each noun has a capital: an acronym, a first name, the front of a compound."""
    front = token.without_noun()
    named = front is not token or _is_german_acronym(token, statistics) or _is_german_first_name(token)
    return front if named else None


def _without_trade(run: list[Token]) -> list[Token]:
    """A German run without the nouns before a full name or an acronym: `Pfarrer Bernd Lind`, `Magazin VDE`."""
    for i, token in enumerate(run):
        named = _is_german_first_name(token) and i + 1 < len(run)
        if i and (named or (token.caps and token is run[-1])):
            return run[i:]
        if _is_german_first_name(token) or not _is_noun(token):
            break
    return run


def _is_noun(token: Token) -> bool:
    return is_german_noun(token.word) or _GERMAN_NOUN.search(token.word) is not None


def _is_surely_noun(word: str, statistics: CaseStatistics) -> bool:
    """Whether a word is a German noun in a German database, and no English one: `Konsolen`, but not `Teams`."""
    if not statistics.german or statistics.is_sure_name(word):
        return False
    return is_german_noun(word) and not dictionary.is_known(word)


def _are_nouns(run: list[Token]) -> bool:
    """Whether a run has only common German nouns: `Leistungspaket Pflicht`, `Ordnung & Sauberkeit`."""
    said = [token for token in run if token.word != "&" and not token.word.isdigit()]
    return all(_is_noun(token) and not _is_german_first_name(token) for token in said)


def _is_german_start(word: str, statistics: CaseStatistics) -> bool:
    return word.lower() in words.GERMAN or statistics.is_common_word(word)


def _is_german_first_name(token: Token) -> bool:
    return token.lower in words.GERMAN_FIRST_NAMES and token.form.counts


def _is_german_acronym(token: Token, statistics: CaseStatistics) -> bool:
    """Whether a German word has capitals that no noun has: UML, StGB."""
    inner = _INNER_CAPITAL.search(token.word) is not None and not statistics.is_common_word(token.word)
    if not (token.caps or inner) or not token.word.isalpha() or token.lower in words.GERMAN_NO_NAMES:
        return False
    return inner or (len(token.word) > 2 and token.lower not in words.GERMAN and _single(token, statistics))


def _is_german_phrase(run: list[Token], statistics: CaseStatistics) -> bool:
    """Whether it ends with an abstract noun, or begins a sentence with a verb or an adjective: `Enthält Schritte`."""
    if _GERMAN_NOUN.search(run[-1].word) or _are_nouns(run):
        return True
    first = run[0]
    if len(run) == 2 and first.word.endswith("s") and not first.caps and _is_noun(run[1]):  # Annas Kleider
        return True
    if not first.first:
        return False
    if _GERMAN_ENDING.search(first.word):  # Großer Speicher; an English dictionary knows some first names
        named = first.lower in words.GERMAN_FIRST_NAMES or statistics.is_sure_name(first.word)
        return not named and (dictionary.is_common(first.word) or not dictionary.is_known(first.word))
    start = first.first == START and len(run) == 2
    return start and _GERMAN_VERB_OR_ADJECTIVE.search(first.word) is not None


def _trimmed(run: list[Token], statistics: CaseStatistics) -> list[Token]:
    greeted = False
    while run and (_no_beginning(run, statistics) or (greeted and run[0].lower in words.OPENERS)):
        before, run = run[0], run[1:]
        greeted = before.first > 0 and before.lower in words.OPENERS
        if run and (before.lower in words.ARTICLES or is_stuck_part(before.word)):
            run[0].first = run[0].first or before.first  # after an article, the noun is no surer a name
    while run and (
        (run[-1].lower in words.FUNCTION and run[-1].word != "I") or _dangling(run) or is_sound(run[-1].word)
    ):
        run = run[:-1]
    return run


def _no_beginning(run: list[Token], statistics: CaseStatistics) -> bool:
    token = run[0]
    if token.first == START and token.raw in words.TASKS and len(run) > 1:
        return True
    if len(run) > 1 and is_stuck_part(token.word):
        return True  # TOP7 Wahl
    if not token.capital or token.lower in words.WEEKDAYS or token.lower in words.SHORTHAND or is_sound(token.word):
        return True
    if token.lower in words.FUNCTION or (token.lower in words.MONTHS and len(run) == 1):
        return not statistics.is_name_word(token.word)
    if token.lower in words.PEOPLES and len(run) > 1:
        return token.first > 0 and _single(run[1], statistics) and not statistics.is_common_word(run[1].word)
    if token.first and token.lower in words.ARTICLES and len(run) > 1:
        return not statistics.is_name_word(token.word)
    if len(run) == 1 or token.lower in words.NAME_FORMING:
        return False
    if _is_foreign_opener(token, statistics):
        return not statistics.is_name_word(token.word)
    if token.first != START:
        return False
    if _SPANISH_VERB.match(token.word) or _RUSSIAN_VERB.match(token.word):
        return not statistics.is_name_word(token.word)  # Usamos Java, Levantar Apache, Создать БД
    if token.raw in words.ONE_LETTER and not statistics.english:  # W Polsce, Y Rosa, О Марии
        return True
    return statistics.is_common_word(token.word) or _is_deed(token, run[1], statistics)


def _is_foreign_opener(token: Token, statistics: CaseStatistics) -> bool:
    """Whether a word before a name is one of those that sentences are made of in another language: `Selon Marx`.

    Inside a sentence (`(La Justice) Selon Marx`) it is one if the database has it as such.
    """
    if statistics.english:
        return False
    often = statistics.is_small_word(token.word) and token.lower not in words.OPENERS
    return often or (token.first > 0 and token.lower in words.FOREIGN_OPENERS)


def _is_deed(token: Token, after: Token, statistics: CaseStatistics) -> bool:
    """Whether a sentence begins with what is done to a name: `Called Anna`, `Install Docker`; not `Rolling Stones`."""
    command = token.lower in words.COMMANDS
    if not after.capital or statistics.is_name_word(token.word) or not (command or _DEED.fullmatch(token.word)):
        return False
    if token.lower in words.ONLY_COMMANDS:
        return True
    known = statistics.is_name_word(after.word)
    if not known and (dictionary.is_common(after.word) or _common(after, statistics)):
        return False
    return command or any(len(stem) > 2 and not dictionary.is_unheard_of(stem) for stem in _stems(token.lower))


def _stems(form: str) -> Iterator[str]:
    """What a regular form may come from: called -> call, configured -> configure, debugged -> debug, tried -> try."""
    stem = form[:-2] if form.endswith("ed") else form[:-3]
    yield from (stem, stem + "e")
    if stem[-2:-1] == stem[-1:]:
        yield stem[:-1]
    if stem.endswith("i"):
        yield stem[:-1] + "y"


def _dangling(run: list[Token]) -> bool:
    last = run[-1]
    if last.word in words.CONNECTORS or last.lower in words.WEEKDAYS or last.lower in words.SEASONS:
        return True
    if last.lower in words.THANKS:  # Rosa Thank you
        return True
    if _ABBREVIATED.match(last.word):  # Datentypen z.B.
        return True
    return last.lower in words.MONTHS and len(run) > 1 and run[-2].capital


def _single(token: Token, statistics: CaseStatistics) -> bool:
    if _is_sign(token):
        return False
    if _LIBRARY.match(token.word):
        return True
    if token.caps:
        unknown = not statistics.is_common_word(token.word) and sum(map(str.isalpha, token.word)) <= _LONGEST_ACRONYM
        unknown = unknown and not dictionary.is_known(token.word)  # SET, LIKE
        return not _is_no_name(token) and (unknown or statistics.is_name_word(token.word))
    if _is_no_name(token) or token.lower in words.TITLES or len(token.word) < 2:
        return token.lower not in words.CALENDAR and not token.first and statistics.is_name_word(token.word)
    if _ROMANCE_NOUN.match(token.word) or _is_surely_noun(token.word, statistics):
        return False
    if token.first:
        return statistics.is_name_word(token.word)
    mixed = statistics.is_mixed(token.word) and dictionary.is_common(token.word)
    return not mixed and not statistics.is_common_word(token.word)


def _unheard_of(token: Token, statistics: CaseStatistics, text: str) -> bool:
    """Whether an English sentence begins with a word of no dictionary, and made of none: `Pulumi came later.`"""
    word = token.word
    if not token.first or not token.capital or token.caps or len(word) < 3 or not word.isalpha():
        return False
    if _HUMPS.fullmatch(word) and not _is_sign(token) and not statistics.is_common_word(word):
        return True
    if _is_no_name(token) or _is_sign(token) or token.lower in words.TITLES or statistics.is_common_word(word):
        return False
    return dictionary.is_unheard_of(word) and _in_english(text, statistics)


def _is_number(token: Token) -> bool:
    return NUMBER.match(token.word) is not None


def _is_no_name(token: Token) -> bool:
    word = token.lower
    return word in words.FUNCTION or word in words.CALENDAR or word in words.PEOPLES or word in words.SHORTHAND


def _is_sign(token: Token) -> bool:
    """Whether it is an abbreviation, a number or a measure, which is no name alone: PCs, e.g, XXI, 425F."""
    word = token.word
    if _RAISED.search(word):
        return True
    if word[-1:] == "s" and word[:-1].isupper() and word[:-1].lower() in words.SHORTHAND:
        return True
    if (camel := _CAMEL.match(word)) and word[camel.end(1) :][:1].isupper():  # frameId, pwmChannel, but not iPhone
        hump = _HUMP.search(word)
        known = dictionary.is_known(camel[1]) and (len(camel[1]) > 2 or camel[1] in words.FUNCTION)
        return known or (hump is not None and dictionary.is_known(hump[0]))
    return bool(ROMAN.match(word) or _LETTERS.match(word) or _MEASURE.match(word))


def _common(token: Token, statistics: CaseStatistics) -> bool:
    return _is_no_name(token) or token.lower in words.TITLES or statistics.is_common_word(token.word)
