"""How Chinese speaks of changes, plans and hearsay: the rules of `readings`, which the forms of `chinese` then read."""

from __future__ import annotations

from memkit.text.extract.chinese import FAMILY, HAN, LATIN
from memkit.text.extract.readings import DENIED, DROPPED, HOLDS, NEVER, OVER, PLANNED, Changes, rules

_PERSON = rf"(?:我|他|她|[{FAMILY}][{HAN}]{{1,2}}?|{LATIN})"
_S = rf"(?P<s>{_PERSON})"
_AGO = r"(?:[0-9一二两三四五六七八九十]{1,3}(?:天|周|星期|个星期|个月|年)(?:以)?前|昨天|前天|上个?周|上个月|去年)"
_T = r"(?:现在|目前|如今|已经|已|早就|早已|今年|去年|上个月|上周|最近|又|也|还|就|刚|刚刚|后来|从[^，。]{1,8}?(?:起|开始)|自[^，。]{1,8}?(?:起|开始|以来)|[0-9一二两三四五六七八九十]{1,3}(?:天|周|星期|个星期|个月|年)(?:以)?前|昨天|前天)*"
_P = rf"(?P<x>[{HAN}]{{2,12}}?|{LATIN})"
_Q = rf"(?P<y>[{HAN}]{{2,12}}?|{LATIN})"
_END = r"(?:了|啦)?[，。！；,.!;]?\Z"
_LIVE, _WORK = "(?:住在|居住在|定居在|生活在)", "(?:工作|上班|任职)"
_WANT = "(?:想要?|要|打算|计划|准备|希望|将要?|决定)"
_MOVE = "(?:搬到|搬去|搬往|搬回到?|移居到?|去|到)"
_HOME, _JOB = r"\g<s>住在\g<x>", r"\g<s>在\g<x>工作"

_RULES = rules(
    # plans
    (rf"{_S}{_T}(?:不再|不|没)(?:{_WANT}){_MOVE}{_P}(?:住|生活|定居)?{_END}", _HOME, DROPPED),
    (rf"{_S}{_T}(?:取消|放弃)了?{_MOVE}{_P}的?(?:计划|打算){_END}", _HOME, DROPPED),
    (rf"{_S}{_T}(?:不再|不|没){_WANT}(?:在|去){_P}{_WORK}{_END}", _JOB, DROPPED),
    (rf"{_S}{_T}{_WANT}(?:搬到|搬去|搬往|搬回|移居到?){_P}{_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}(?:去|到){_P}(?:住|生活|定居){_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}住在{_P}{_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}(?:在|去|到){_P}{_WORK}{_END}", _JOB, PLANNED),
    # what is over
    (rf"{_S}{_T}(?:不再|不){_LIVE}{_P}(?:了|啦)[，。！；,.!;]?\Z", _HOME, OVER),
    (rf"{_S}{_T}不再{_LIVE}{_P}{_END}", _HOME, OVER),
    (rf"{_S}{_T}(?:不再|不)在{_P}{_WORK}(?:了|啦)[，。！；,.!;]?\Z", _JOB, OVER),
    (rf"{_S}{_T}不再在{_P}{_WORK}{_END}", _JOB, OVER),
    (rf"{_S}{_T}从{_P}(?:辞职|离职|退休|被裁|跳槽){_END}", _JOB, OVER),
    (rf"{_S}{_T}(?:辞去|辞掉)了?{_P}的(?:工作|职务|职位){_END}", _JOB, OVER),
    (rf"{_S}{_T}被{_P}(?:解雇|裁员|辞退|开除){_END}", _JOB, OVER),
    (rf"{_S}{_T}从{_Q}(?:搬到|搬去|搬往|移居到?)了?{_P}{_END}", [(r"\g<s>住在\g<y>", OVER), (_HOME, HOLDS)]),
    (rf"{_S}{_T}从{_P}(?:搬走|搬出|搬离|搬出来){_END}", _HOME, OVER),
    (rf"{_S}{_T}(?:搬离|搬出)了?{_P}{_END}", _HOME, OVER),
    (rf"{_S}{_T}(?:离开|告别)了?{_P}{_END}", [(_JOB, DENIED), (_HOME, DENIED)]),
    (rf"{_S}(?:以前|曾经?|过去|从前|之前|原来|曾)(?:一直)?{_LIVE}(?:过)?{_P}{_END}", _HOME, OVER),
    (rf"{_S}(?:以前|曾经?|过去|从前|之前|原来|曾)(?:一直)?在{_P}(?:工作|上班|任职)过?{_END}", _JOB, OVER),
    (rf"(?:以前|过去|从前|之前){_S}{_LIVE}{_P}{_END}", _HOME, OVER),
    # what never was, and what is not so
    (rf"{_S}(?:从来没有?|从没有?|从未)(?:住过|在|住在){_P}(?:住过)?{_END}", _HOME, NEVER),
    (rf"{_S}(?:从来没有?|从没有?|从未)在{_P}(?:工作|上班|任职)过?{_END}", _JOB, NEVER),
    (rf"{_S}不是?住在{_Q}，(?:而是|我)?住在{_P}{_END}", [(r"\g<s>住在\g<y>", DENIED), (_HOME, HOLDS)]),
    (rf"{_S}不是?在{_Q}{_WORK}，(?:而是)?在{_P}{_WORK}{_END}", [(r"\g<s>在\g<y>工作", DENIED), (_JOB, HOLDS)]),
    (rf"{_S}(?:不|没有?)住在{_P}{_END}", _HOME, DENIED),
    (rf"{_S}(?:不|没有?)在{_P}{_WORK}{_END}", _JOB, DENIED),
    # what is so now
    (rf"{_S}{_T}(?:搬到|搬去|搬往|搬回到?|移居到?)了?{_P}{_END}", _HOME, HOLDS),
    (rf"{_S}{_T}{_LIVE}{_P}{_END}", _HOME, HOLDS),
    (rf"{_S}{_T}在{_P}{_WORK}{_END}", _JOB, HOLDS),
    (rf"{_T}{_S}{_LIVE}{_P}{_END}", _HOME, HOLDS),
)  # fmt: skip

CHINESE_CHANGES = Changes(
    signal=r"[不没未]|[天周月期年]以?前|昨天|新|现在|目前|如今|已经|又|从|自|离开|辞|搬|以前|曾|过去|从前|之前|原来|想|要|打算|计划|准备|希望|决定|取消|放弃|说|告诉|据|听|解雇|裁员",
    hearsay=(
        rf"据(?P<source>{_PERSON}|我[{HAN}]{{2,3}})(?:所)?(?:说|称|讲|透露)，?(?P<rest>.*)",
        r"(?:据说|听说|听人说|有人说|传说|据传)，?(?P<rest>.*)",
        rf"(?:我)?听(?P<source>{_PERSON})说，?(?P<rest>.*)",
        rf"(?P<source>(?!我){_PERSON}|我的?[{HAN}]{{2,3}}?)(?:曾经?)?(?:(?:对|跟|和|向)我)?(?:说|告诉我|告诉我们|提到|认为|觉得|表示|声称)过?[，：]?(?P<rest>.*)",
    ),
    joint=r"[，；](?=(?:现在|目前|如今|已经|而|但|打算|想|计划|在|又|搬)(?!是))(?:而且|但是|而|但)?",
    leads=rf"(?:(?:{_AGO}|更正|不对|其实|现在|目前|如今|后来|抱歉|最近|从[^，。]{{1,8}}?(?:起|开始)|自[^，。]{{1,8}}?(?:起|开始|以来))[，：]?)+",
    subject=_S,
    inherits=r"(?P<pronoun>[他她])?(?=现在|目前|如今|已经|打算|想|计划|在|又|搬)",
    rules=_RULES,
    doubt=r"[?？吗呢]|如果|要是|假如|也许|可能|是否|好像",
    gap="",
)
