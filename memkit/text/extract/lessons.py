"""Lessons: what a user's message teaches an assistant for the next time, in words that were written.

Two kinds are found by rules. A correction: after an answer, a sentence that says how it is done from now on ("Use pnpm,
not npm."). And the end of a row of failures: after two complaints or more the user says that it works, and the answer
before that says what worked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memkit.text.extract.own_slots import AGENT, LESSON, SlotValue
from memkit.text.words import content_words, sentences

LONGEST = 240  # characters of a sentence that can be a lesson
COMPLAINTS = 2  # failures in a row
NAMED = 4  # words that name a lesson

_LEAD_WORDS = "no|nope|wrong|stop|ok|okay|please|hey|also|and|but|nein|falsch|bitte|non|s'il te plaît|por favor"
_LEAD = rf"(?:(?:{_LEAD_WORDS})\b[\s,.!;:—-]*)*"
# How something is done from now on.
_RULE = (
    r"(?:"
    r"(?:don['’]t|do not|never|always) (?!worry|mind|bother|know|care|think|get me wrong|you think|ever mind)\w+"
    r"|(?:next time|from now on|in (?:the )?future|going forward)\b"
    r"|(?:make sure|remember) (?:to|that|you)\b"
    r"|(?:stop|avoid) \w+ing\b"
    r"|(?:use|run|prefer|call|write|put|take) [^.!?]{1,120}?(?:(?<!do)(?<!does)(?<!did)(?<!n['’]t),? not |, never "
    r"| instead(?: of)?\b| rather than )"
    r"|you (?:should|must|have to|need to) (?:not |never |always )"
    r"|(?:nächstes mal|künftig|in zukunft|ab jetzt|von jetzt an|niemals|verwende?|benutze?|nimm) \w[^.!?]*"
    r"|(?:la prochaine fois|désormais|à l['’]avenir|n['’]utilise (?:pas|jamais|plus)|utilise (?:plutôt|toujours))\b"
    r"|(?:la próxima vez|de ahora en adelante|a partir de ahora|no uses|nunca uses|usa siempre)\b"
    r"|(?:下次|以后|今后|不要再|别再|请不要|请勿)"
    r")"
)
_HAS_RULE = re.compile(_RULE, re.IGNORECASE)
# It begins the sentence, apart from words such as "no" and "please".
_STANDING = re.compile(_LEAD + _RULE, re.IGNORECASE)
# About one thing of this session, which nobody can name next time: "Don't put it there." How it is done is a rule:
# "Don't run it through cat."
_PRONOUN = r"(?:it|them|this|that|these|those)\b"
_THIS_ONE = re.compile(
    rf"{_LEAD}(?:(?:do not|don['’]t|never|always|stop|avoid) \w+|put|take|use|call|write) {_PRONOUN}"
    r"(?! (?:through|with|without|via|by|using|as|directly)\b)"
    rf"|{_LEAD}(?:make sure|remember) (?:to \w+ {_PRONOUN}|(?:it|this|these|those)\b|that(?:['’]s| is)\b)"
    rf"|{_LEAD}(?:do not|don['’]t) forget (?!to |that )"
    rf"|.*\bfor {_PRONOUN}(?: one)?(?: too| as well)?[.!]?$",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\b(?:still|again) (?:fails?|failing|broken|wrong|not working|the same)\b|\b(?:does|did|do)(?:n['’]t| not) work\b"
    r"|\bnot working\b|\bsame (?:error|problem|result)\b|\b(?:it|that|this) (?:fails|failed|broke|crashed|crashes)\b"
    r"|\b(?:geht|funktioniert|klappt) (?:immer noch |noch immer |auch |so )?nicht\b|\bgleiche[rn]? fehler\b"
    r"|\bne (?:marche|fonctionne) (?:toujours )?pas\b|\bno funciona\b|还是(?:不行|报错|失败)|不(?:行|工作)",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:(?:it|that|this|now it) works|works now|working now|(?:that|this) (?:fixed|solved|did) it|(?:it['’]s|all) "
    r"(?:fixed|green|passing) now)\b|\b(?:jetzt|nun) (?:geht|funktioniert|klappt)(?: es)?\b|\bça marche\b"
    r"|\b(?:ahora|ya) funciona\b|(?:可以|好|成功)了",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|n['’]t|never|nicht|pas|no)\b", re.IGNORECASE)


class Said(NamedTuple):
    """A message of a conversation: whether the user wrote it, and its text."""

    by_user: bool
    text: str


def may_teach(text: str) -> bool:
    """Whether a text may have a lesson: the messages before it need not be read if not."""
    return _HAS_RULE.search(text) is not None or _WORKS.search(text) is not None


def lessons(before: Sequence[Said], text: str) -> list[SlotValue]:
    """The lessons of a user's message, for the slot `agent`; `before` are the messages before it, oldest first.

    None of them is sure: a person confirms a lesson.
    """
    if not before or before[-1].by_user:  # there is no answer that it could be about
        return []
    tried = next(_plain_sentences(before[-1].text), "")
    after = f' (after "{tried}")' if tried else ""
    found = [_lesson(one, one + after) for one in _plain_sentences(text) if _is_rule(one)]
    worked = _what_worked(before, text)
    return [*found, *([worked] if worked else [])]


def _is_rule(sentence: str) -> bool:
    """Whether a sentence says how things are done from now on, and not only what to do with one thing now."""
    return _STANDING.match(sentence) is not None and not _THIS_ONE.match(sentence)


def _what_worked(before: Sequence[Said], text: str) -> SlotValue | None:
    """What the last answer says, if the user says that it works after several failures."""
    if not any(_WORKS.search(one) and not _NEGATED.search(one) for one in _plain_sentences(text)):
        return None
    complaints = [one.text for one in before if one.by_user and _FAILS.search(one.text)]
    if len(complaints) < COMPLAINTS:
        return None
    answer = ""
    for sentence in _plain_sentences(before[-1].text):
        if len(answer) + len(sentence) >= LONGEST:
            break
        answer = f"{answer} {sentence}".strip()
    return _lesson(answer, f"{text.strip()} (after {len(complaints)} failures)") if answer else None


def _lesson(sentence: str, quote: str) -> SlotValue:
    name = " ".join(content_words(sentence)[:NAMED])
    return SlotValue(f"{LESSON}{name}", sentence, quote, AGENT, sure=False)


def _plain_sentences(text: str) -> Iterator[str]:
    """The sentences that are neither long nor code; what stands in a fence or is quoted is left out."""
    plain = re.sub(r"```.*?(?:```|\Z)|^>.*$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    for start, end in sentences(plain):
        sentence = " ".join(plain[start:end].split()).lstrip("-*• ")
        if 8 <= len(sentence) <= LONGEST and not sentence.endswith("?"):
            yield sentence
