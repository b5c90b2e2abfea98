"""How Chinese speaks of changes, plans and hearsay: the rules of `readings`, which the forms of `chinese` then read."""

from __future__ import annotations

from memkit.text.extract.chinese import FAMILY, HAN, IN_FICTION, KIN, LATIN
from memkit.text.extract.readings import (
    ALL_OVER,
    DENIED,
    DROPPED,
    HOLDS,
    LEFT,
    NEVER,
    OVER,
    PLANNED,
    Changes,
    rules,
)

_PERSON = rf"(?:{KIN}|我|他|她|[{FAMILY}][{HAN}]{{1,2}}?|{LATIN})"
_S = rf"(?P<s>{_PERSON})"
_AGO = r"(?:[0-9一二两三四五六七八九十]{1,3}(?:天|周|星期|个星期|个月|年)(?:以)?前|昨天|前天|上个?周|上个月|去年)"
_T = r"(?:改|今天|今早|今晚|这周|本周|上?周末|这个月|终于|总算|正式|现在|目前|如今|已经|已|早就|早已|今年|去年|上个月|上周|最近|又|也|还|就|刚|刚刚|后来|从[^，。]{1,8}?(?:起|开始)|自[^，。]{1,8}?(?:起|开始|以来)|[0-9一二两三四五六七八九十]{1,3}(?:天|周|星期|个星期|个月|年)(?:以)?前|昨天|前天)*"
_P = rf"(?P<x>[{HAN}]{{2,12}}?|{LATIN})"
_Q = rf"(?P<y>[{HAN}]{{2,12}}?|{LATIN})"
_END = r"(?:了|啦)?[，。！；,.!;]?\Z"
_LIVE, _WORK = "(?:住在|居住在|定居在|生活在)", "(?:工作|上班|任职)"
_WANT = "(?:在?考虑|想要?|要|打算|计划|准备|希望|将要?|决定)(?:以后|将来|有一天|有朝一日)?"
_MOVE = "(?:搬到|搬去|搬往|搬回到?|移居到?|去|到)"
_HOME, _JOB = r"\g<s>住在\g<x>", r"\g<s>在\g<x>工作"

_UNTIL = r"直?到了?[^，。]{0,6}[0-9一二三四五六七八九十](?:月|年|日|号)[份底初末]?(?:为止)?[，。！；,.!;]?\Z"
_FOR = r"(?:快|大约|差不多|大概)?[0-9一二两三四五六七八九十几多]{1,4}(?:年|个月|个星期|周)半?多?"

_RULES = rules(
    (rf"我们(?P<rest>{_T}(?:搬|住|生活|定居).*)", r"我\g<rest>", HOLDS),
    (rf"{_S}{_T}在{_P}(?:已经)?(?:住|居住|生活)(?:了|已经)?{_FOR}(?:了|啦)[，。！；,.!;]?\Z", _HOME, HOLDS),
    (rf"{_S}{_T}在{_P}{_WORK}(?:了|已经)*{_FOR}(?:了|啦)[，。！；,.!;]?\Z", _JOB, HOLDS),
    # plans
    (rf"我?(?:搬到|搬去|移居){_P}的(?:计划|打算|事)(?:已经)?(?:取消|泡汤|作罢|黄){_END}", r"我住在\g<x>", DROPPED),
    (rf"{_S}{_T}(?:不再|不|没)(?:{_WANT}){_MOVE}{_P}(?:住|生活|定居)?{_END}", _HOME, DROPPED),
    (rf"{_S}{_T}不再?(?:搬到|搬去|搬往|移居到?){_P}(?:了|啦)[，。！；,.!;]?\Z", _HOME, DROPPED),
    (rf"{_S}{_T}(?:取消|放弃)了?{_MOVE}{_P}的?(?:计划|打算){_END}", _HOME, DROPPED),
    (rf"{_S}{_T}(?:不再|不|没){_WANT}(?:在|去){_P}{_WORK}{_END}", _JOB, DROPPED),
    (rf"{_S}{_T}{_WANT}(?:搬到|搬去|搬往|搬回|移居到?){_P}{_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}(?:去|到){_P}(?:住|生活|定居){_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}住在{_P}{_END}", _HOME, PLANNED),
    (rf"{_S}{_T}{_WANT}(?:在|去|到){_P}{_WORK}{_END}", _JOB, PLANNED),
    # what is over
    (rf"(?:今天|昨天|前天|周[一二三四五六日])?是?{_S}在{_P}(?:工作|上班)?的?最后一天{_END}", _JOB, OVER),
    (rf"{_S}{_T}从{_Q}(?:跳槽|转)(?:到|去)了?{_P}{_END}", [(r"\g<s>在\g<y>工作", OVER), (_JOB, HOLDS)]),
    (rf"{_S}{_T}(?:退休|失业|下岗|被裁员?){_END}", r"\g<s>", ALL_OVER),
    (rf"(?:来|到|进|加入){_Q}(?:之前|以前|前)，?{_S}(?:一直)?在{_P}{_WORK}{_END}", _JOB, OVER),
    (rf"(?:来|到|搬到){_Q}(?:之前|以前|前)，?{_S}(?:一直)?{_LIVE}{_P}{_END}", _HOME, OVER),
    (rf"{_S}{_T}{_LIVE}{_P}(?:一直)?{_UNTIL}", _HOME, OVER),
    (rf"{_S}{_T}在{_P}{_WORK}(?:一直)?{_UNTIL}", _JOB, OVER),
    (rf"{_S}{_T}(?:不再|不){_LIVE}{_P}(?:了|啦)[，。！；,.!;]?\Z", _HOME, OVER),
    (rf"{_S}{_T}不再{_LIVE}{_P}{_END}", _HOME, OVER),
    (rf"{_S}{_T}(?:不再|不)[在为]{_P}{_WORK}(?:了|啦)[，。！；,.!;]?\Z", _JOB, OVER),
    (rf"{_S}{_T}不再[在为]{_P}{_WORK}{_END}", _JOB, OVER),
    (rf"{_S}{_T}(?:不再|不)在{_P}(?:了|啦)[，。！；,.!;]?\Z", [(_JOB, LEFT), (_HOME, LEFT)]),
    (rf"(?:{_S})?{_T}(?:正式)?从{_P}(?:辞职|离职|退休|被裁|跳槽){_END}", lambda m: f"{m['s'] or '我'}在{m['x']}工作", OVER),
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
    (rf"{_S}是?在{_P}{_WORK}，不是{_Q}{_END}", [(r"\g<s>在\g<y>工作", DENIED), (_JOB, HOLDS)]),
    (rf"{_S}不是?在{_Q}{_WORK}，(?:而是)?在{_P}{_WORK}{_END}", [(r"\g<s>在\g<y>工作", DENIED), (_JOB, HOLDS)]),
    (rf"{_S}{_T}{_LIVE}{_P}，(?:而)?不是(?:住在)?{_Q}{_END}", [(r"\g<s>住在\g<y>", DENIED), (_HOME, HOLDS)]),
    (rf"{_S}{_T}在{_P}{_WORK}，(?:而)?不是(?:在)?{_Q}(?:工作|上班|任职)?{_END}", [(r"\g<s>在\g<y>工作", DENIED), (_JOB, HOLDS)]),
    (rf"{_S}(?:不|没有?)住在{_P}{_END}", _HOME, DENIED),
    (rf"{_S}(?:不|没有?)在{_P}{_WORK}{_END}", _JOB, DENIED),
    # what is so now
    (rf"{_S}{_T}(?:住回|搬回)到?了?{_P}(?:去|来)?(?:住|生活|定居)?{_END}", _HOME, HOLDS),
    (rf"{_S}{_T}(?:搬到|搬去|搬往|搬回到?|移居到?)了?{_P}(?:去|来)?(?:住|生活|定居)?{_END}", _HOME, HOLDS),
    (rf"{_S}{_T}{_LIVE}{_P}{_END}", _HOME, HOLDS),
    (rf"{_S}{_T}在{_P}{_WORK}{_END}", _JOB, HOLDS),
    (rf"{_T}{_S}{_LIVE}{_P}{_END}", _HOME, HOLDS),
)  # fmt: skip

# After a job that is over: what one joins then is an employer.
_THEN = rules((rf"{_S}{_T}(?:加入|入职|去|跳槽到)了?{_P}{_END}", _JOB, HOLDS))

# What says that something has changed, and not to what.
_WHOSE = rf"(?:\A|(?<=[，。！；：]))(?:{_AGO}|今天|这周|最近)*(?:(?P<s>{KIN}|(?!我){_PERSON})|我们?){_T}"
_SHAKING = (
    ("lives_in", rf"{_WHOSE}(?:搬家了|搬走了|移民了)"),
    ("works_at", rf"{_WHOSE}(?:辞职了|离职了|跳槽了|退休了|失业了|被裁了|换了(?:份|个)?新?工作|找到了?(?:一?[份个])?新工作)"),
    ("studies_at", rf"{_WHOSE}(?:毕业了|退学了|转学了)"),
    ("married_to", rf"{_WHOSE}离婚了"),
)  # fmt: skip
_UNSHAKEN = r"[?？吗]|没|不|未|打算|想|要|梦|说|告诉|听|年前|如果|好像|可能|小说|电影"

CHINESE_CHANGES = Changes(
    signal=r"[不没未到]|毕业|退学|转学|终于|总算|正式|离职|起|我们|年了|月了|周了|最后|考虑|退休|失业|下岗|回|跳槽|开除|[天周月期年]以?前|昨天|新|现在|目前|如今|已经|又|从|自|离开|辞|搬|以前|曾|过去|从前|之前|原来|想|要|打算|计划|准备|希望|决定|取消|放弃|说|告诉|据|听|解雇|裁员",
    hearsay=(
        rf"据(?P<source>{_PERSON}|我[{HAN}]{{2,3}})(?:所)?(?:说|称|讲|透露)，?(?P<rest>.*)",
        r"我?(?:据说|听说|听人说|有人说|传说|据传)，?(?P<rest>.*)",
        rf"(?:我)?听(?P<source>{_PERSON})说，?(?P<rest>.*)",
        rf"(?P<source>(?P<name>(?![我他她]){_PERSON}))(?:曾经?)?(?:(?:对|跟|和|向)我)?(?:说|告诉我|提到|表示)过?[，：]?(?:他|她|自己)(?P<tail>.*)",
        rf"(?P<source>(?!我){_PERSON}|我的?[{HAN}]{{2,3}}?)(?:曾经?)?(?:(?:对|跟|和|向)我)?(?:说|告诉我|告诉我们|提到|认为|觉得|表示|声称)过?[，：]?(?P<rest>.*)",
    ),
    joint=r"[；：]|(?<!前)，(?!而|不是|是|我?住在|在)|[，；](?=(?:现在|目前|如今|已经|而|但|打算|想|计划|在|又|搬|加入|入职|[他她][现目如已打想计在又])(?!是|不是))(?:而且|但是|而|但)?",
    leads=rf"(?:(?:{_AGO}|[^，。：]{{0,4}}(?:说|弄|打|记|写|搞)错了?|更正|不对|其实|现在|目前|如今|后来|抱歉|最近|从[^，。]{{1,8}}?(?:起|开始)|自[^，。]{{1,8}}?(?:起|开始|以来)|(?:今年|去年)?[0-9一二三四五六七八九十]{{1,3}}月(?:份|底|初)?(?:起|开始)?)[，：]?)+",
    subject=_S,
    inherits=r"(?P<pronoun>[他她])?(?=改|住在|不再?(?:搬|打算|想|准备|计划)|现在|目前|如今|已经|打算|想|计划|在|又|搬|加入|入职)",
    rules=_RULES,
    job="工作",
    then=_THEN,
    shaking=_SHAKING,
    unshaken=_UNSHAKEN,
    doubt=rf"[?？吗呢]|如果|要是|假如|也许|可能|是否|好像|{IN_FICTION}",
    gap="",
    person=_S,
    edge="",
)
