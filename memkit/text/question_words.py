"""Question words: they ask, and do not tell the topic of a memory.

Where most memories are in another language, they are rare, and would count for more than what is asked about. Those of
Chinese, Japanese and Korean are here, those of languages with spaces between words among their function words.
"""

from __future__ import annotations

from memkit.core.patterns import pattern
from memkit.text.function_words import without_asking_words
from memkit.text.words import has_cjk

_CHINESE = (
    r"[为為]?什[么麼]|哪[里裡儿兒个個些]|怎[么麼][样樣办辦]?|怎[样樣]|如何|[为為]何|多少|几[个個]|[请請][问問]"
    r"|是[谁誰]|[谁誰](?:的|是)|[吗嗎呢](?=[\s？?。，,！!]|\Z)"
)
_JAPANESE = (
    r"(?<![幾如])何(?:ですか|でしょうか|が|を|の|と|で|に|は)?|(?:どこ|だれ|誰|なぜ|どんな|どの(?:よう(?:な|に))?|いくつ)"
    r"|どう(?:やって|すれば|いう|して)|いつ(?!も)|(?:です|ます|でしょう|のです)か(?=[\s？?。]|\Z)"
)
# Korean words stand between spaces.
_KOREAN = (
    r"(?<![가-힣])(?:무엇(?:을|이|인가요?|인지|입니까)?|뭐(?:야|가|를|지)?|뭘|어떻게|왜|언제|어디(?:서|에|에서)?|누가|누구(?:의|를)?"
    r"|얼마(?:나)?|어떤|어느)(?![가-힣])|(?:이란|란|인가요?|[하되]나요|할까요?|일까요?|입니까|습니까)(?=[\s？?.]|\Z)"
    r"|(?<![가-힣])하나(?=\s*[？?]|\s*\Z)"
)
_QUESTION_WORDS = pattern(f"{_CHINESE}|{_JAPANESE}|{_KOREAN}")


def without_question_words(text: str) -> str:
    """A question with a space in the place of each of these words; as it is, if there is nothing else in it."""
    if not has_cjk(text):
        return without_asking_words(text)
    left = _QUESTION_WORDS.sub(" ", text)
    return left if any(map(str.isalnum, left)) else text
