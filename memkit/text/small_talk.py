"""Small talk: greetings and thanks, which ask for nothing, in English, German, Spanish, French and Chinese."""

from __future__ import annotations

import re

from memkit.core.patterns import alternatives, pattern
from memkit.text.words import STOP_WORDS, fold, words

# Words that ask for nothing, beside function words.
_WORDS = frozenset(
    "ok okay yes yeah no nope sure thanks thank thx hi hello hey bye please great cool nice fine good morning evening"
    " night lol haha 好 好的 谢谢 你好 はい ありがとう".split()
)

# Each of them is a greeting, a farewell or thanks by itself.
_PHRASES = """
    hi | hello | hey | hiya | howdy | good morning | good afternoon | good evening | good night | good day | bye
    | goodbye | bye bye | see you | see you soon | see you later | see you tomorrow | take care | thanks | thank
    you | thx | ty | cheers | much appreciated | you are welcome | you re welcome | no problem | have a nice day
    | have a great day | have a good one | nice to meet you | how are you | how are you doing | how s it going |
    what s up | many thanks | thanks a lot | thanks again | thanks so much | thank you so much | thank you very
    much | hallo | guten morgen | guten tag | guten abend | gute nacht | tschuss | auf wiedersehen | bis bald |
    bis spater | bis morgen | servus | moin | gruss gott | danke | danke schon | danke sehr | vielen dank |
    herzlichen dank | tausend dank | bitte schon | gern geschehen | keine ursache | wie geht s | wie geht es dir
    | schonen tag noch | hola | buenos dias | buenas tardes | buenas noches | buenas | adios | hasta luego |
    hasta manana | hasta pronto | gracias | muchas gracias | mil gracias | de nada | que tal | como estas |
    encantado | encantada | un saludo | saludos | bonjour | salut | bonsoir | bonne nuit | bonne journee | bonne
    soiree | coucou | au revoir | a bientot | a demain | a plus | merci | merci beaucoup | merci bien | mille
    mercis | de rien | je t en prie | ca va | comment ca va | comment vas tu | enchante | enchantee
"""
# What may stand beside them.
_BESIDE = """
    there | again | everyone | everybody | all | guys | folks | team | dear | friend | so much | very much | a
    lot | for your help | for the help | for everything | in advance | ok | okay | great | perfect | cool | nice
    | super | wunderbar | perfekt | prima | toll | klasse | alles klar | fur die hilfe | fur deine hilfe | fur
    alles | nochmal | noch mal | zusammen | an alle | a todos | a todas | por tu ayuda | por la ayuda | por todo
    | de nuevo | otra vez | genial | perfecto | vale | a tous | tout le monde | pour ton aide | pour votre aide
    | pour tout | parfait | encore | d accord | oh | ah | haha | and | und | y | et
"""
_CHINESE = pattern(
    r"(?:(?:你|您|大家|各位|老师)好|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早|嗨|哈喽|喂|再见|拜拜|回头见|明天见"
    r"|谢谢|多谢|感谢|谢了|非常感谢|太感谢了"
    r"|不客气|不用谢|没关系|辛苦了|你好吗|最近怎么样|好的|好|嗯"
    r"|你|您|大家|啊|呀|啦|了|们|帮忙|你的帮助|的帮助|[，。！？、,.!?~～\s])+"
)
_CHINESE_CORE = pattern(r"好|早|晚安|嗨|哈喽|再见|拜拜|见|谢|不客气")


def _any(phrases: str) -> str:
    return alternatives(" ".join(one.split()) for one in phrases.split("|"))


_TALK = pattern(rf"(?:(?:{_any(_BESIDE)}) )*(?:{_any(_PHRASES)})(?: (?:{_any(_BESIDE)}|{_any(_PHRASES)}))*")
_IN_TALK = frozenset(f"{_BESIDE} {_PHRASES}".replace("|", " ").split())
_LONGEST = 60  # characters


def is_small_talk(message: str) -> bool:
    """Whether a message is only a greeting, a farewell or thanks; with anything else in it, it is not."""
    if len(message) > _LONGEST:
        return False
    if not message.isascii() and _CHINESE.fullmatch(message.strip()):
        return _CHINESE_CORE.search(message) is not None
    said = re.findall(r"[^\W_]+", fold(message))
    return _IN_TALK.issuperset(said) and _TALK.fullmatch(" ".join(said)) is not None  # most have another word


def telling(message: str) -> list[str]:
    """The words of a message, in lower case, by which one may search: neither function words nor small talk.

    >>> telling("ok, and where are the quinces?")
    ['quinces']
    """
    return [word for word in words(message) if word not in STOP_WORDS and word not in _WORDS]
