"""Pattern grammar of Chinese, which has no spaces and no capitals.

A name is a link, a work in 《》, letters of another script, a family name with one or two more characters where the
words of a form stand on both sides, or a foreign name with dots between its parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.patterns import alternatives, pattern
from memkit.text.extract.grammar import compiled, pairs
from memkit.text.extract.tokens import HIDDEN
from memkit.text.extract.unmarked import LINKED

_LONGEST = 200  # characters of a clause


HAN = "㐀-䶿一-鿿"
FAMILY = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田"
    "姜范石姚谭廖邹熊陆郝孔崔邱秦顾侯邵孟龙段雷钱汤尹黎易武乔贺赖龚陳楊趙劉張黃吳許鄭謝馮鄧蕭蘇盧蔣賈葉閻譚鄒陸顧錢湯"
)
LATIN = r"[A-ZÀ-Þ][A-Za-zÀ-ÿ0-9_.+#-]*(?: [A-ZÀ-Þ0-9][A-Za-zÀ-ÿ0-9_.+#-]*){0,4}"
_FOREIGN = rf"[{HAN}]{{1,6}}(?:·[{HAN}]{{1,8}})+"
_FOREIGN_AUTHOR = rf"(?![由和与在是对把被从])[{HAN}]{{1,6}}(?:·[{HAN}]{{1,8}}?)+?"
_PERSON = rf"(?:{LINKED}|{_FOREIGN}|[{FAMILY}][{HAN}]{{1,2}}?|{LATIN})"
_BOOK = r"《[^《》\n]{1,40}》"
_WORK = rf"(?:{LINKED}|{_BOOK}|{LATIN})"
_PLACE = rf"(?:{LINKED}|{LATIN}|(?:(?!的)[{HAN}]){{2,12}}?)"
_END = r"(?=[，。！；、,.;!\s（(]|了|\Z)"
_SHUT = r"(?=[，。！；、,.;!\s）)]|\Z)"
_NOW = "(?:现在|目前|現在|一直|仍然|也)?"
# Nearly everything is a method or a tool; and what is joined by `and` is cut off.
_VAGUE = rf"(?:(?:方法|技术|机制|过程|方式|东西|概念|系统|工具|现象|问题|状态|情况|[^，。]*[和与的])(?![{HAN}]))"
_ROLES = pairs(
    """妻子 wife 丈夫 husband 太太 wife 老婆 wife 老公 husband 姐姐 sister 妹妹 sister 哥哥 brother 弟弟
    brother 妈妈 mother 母亲 mother 爸爸 father 父亲 father 女儿 daughter 儿子 son 奶奶 grandmother 爷爷
    grandfather 外婆 grandmother 外公 grandfather 阿姨 aunt 叔叔 uncle 老师 teacher 同事 colleague 朋友
    friend 女朋友 girlfriend 男朋友 boyfriend 老板 boss 室友 roommate 邻居 neighbour 导师 mentor 创始人
    founder 作者 author 导演 director 首都 capital 表哥 cousin 表姐 cousin 表弟 cousin 表妹 cousin 同学
    classmate"""
)
_DEEDS = pairs(
    """创立 founded 创办 founded 创建 founded 开发 developed 设计 designed 发明 invented 编写 wrote 撰写
    wrote 写 wrote 创作 created 执导 directed 导演 directed 翻译 translated 提出 proposed 发现
    discovered 著 wrote 所著 wrote"""
)
_ROLE_WORDS = alternatives(_ROLES)
_ROLE = f"(?P<role>{_ROLE_WORDS})"
KIN = f"我的?(?:{_ROLE_WORDS})"
KIN_ROLES = {f"{my}{word}": role for word, role in _ROLES.items() for my in ("我", "我的")}
_S = rf"(?P<s>{KIN}|我|{_PERSON})"
_DEED = f"(?P<role>{'|'.join(sorted(_DEEDS, key=len, reverse=True))})"
_YEAR = r"(?:在?(?:于)?(?:19|20)\d\d ?年)?"

_DOING = "允许|用于|可以|能够?|通过|帮助|基于|支持|使用|利用|让|把|将"  # 一种允许……的技术 is a 技术
_KIND = (
    rf"(?P<s>{LINKED}|{LATIN}|{_BOOK})[是为]一[种種个個款家部本门門类類座位名项項套篇首]"
    rf"(?:[^，。；！？,;\n{HIDDEN}]{{0,60}}的)?[A-Za-z+#. ]{{0,12}}"
    rf"(?P<o>{LINKED}|(?!(?<=[A-Za-z])[A-Za-z])(?!{_VAGUE}|{_DOING})[{HAN}A-Za-z]{{2,12}})"
    rf"(?=[，。；！、,.;!：:]|[（(][^（()）\n]{{0,60}}[)）](?![{HAN}A-Za-z])|\Z)"
)

# What a clause must have, for this form to be tried; the form; its predicate.
_FORMS = (
    ("住在|定居", rf"{_S}{_NOW}(?:住在|居住在|定居在|定居于)(?P<o>{_PLACE}){_END}", "lives_in"),
    ("出生|生于", rf"{_S}{_YEAR}(?:出生于|出生在|生于){_YEAR}(?P<o>{_PLACE}){_END}", "born_in"),
    ("毕业于", rf"{_S}{_YEAR}毕业于(?P<o>{_PLACE}){_END}", "studied_at"),
    ("就读于", rf"{_S}{_NOW}就读于(?P<o>{_PLACE}){_END}", "studies_at"),
    ("就职于|任职于|供职于", rf"{_S}{_NOW}(?:就职于|任职于|供职于)(?P<o>{_PLACE}){_END}", "works_at"),
    ("工作|上班|任职", rf"{_S}{_NOW}在(?P<o>{_PLACE})(?:工作|上班|任职){_END}", "works_at"),
    (_ROLE_WORDS, rf"{_S}是(?P<y>我|{_PERSON})的{_ROLE}{_END}", "{role}_of"),
    (_ROLE_WORDS, rf"(?P<y>我)的?新?{_ROLE}(?:现在)?(?:叫|名叫|是)(?P<s>{_PERSON}){_END}", "{role}_of"),
    (_ROLE_WORDS, rf"(?P<y>{_PERSON}|{_WORK})的{_ROLE}(?:叫|是)(?P<s>{_PERSON}){_END}", "{role}_of"),
    (
        "创[立办建]|发明|执导|翻译",
        rf"(?P<s>{_PERSON}){_YEAR}(?P<role>创立|创办|创建|发明|执导|翻译)了?(?P<o>{_WORK}){_END}",
        "{role}",
    ),
    ("由", rf"(?P<o>{_WORK})是?{_YEAR}由(?P<s>{_PERSON})(?:于(?:19|20)\d\d ?年)?(?:所)?{_DEED}", "{role}"),
    (
        "《",
        rf"(?P<s>{_FOREIGN_AUTHOR}|{LINKED}|[{FAMILY}][{HAN}]{{1,2}}?)(?:在[他她其])?(?:写的|的|所著的?|著的?)(?P<o>{_BOOK})",
        "wrote",
    ),
    (
        "作者|导演",
        rf"(?P<y>{_WORK})[，, ]?[（(]?(?P<role>作者|导演)(?:是|为|[:：] ?)(?P<s>{_PERSON}){_SHUT}",
        "{role}_of",
    ),
    (
        "地址|住址",
        rf"(?P<s>我)的?新?(?:地址|住址)(?:现在|目前)?[是为](?P<o>[{HAN}A-Za-z0-9-]{{3,30}}){_SHUT}",
        "address",
    ),
    ("位于", rf"(?P<s>{LINKED}|{LATIN}|{_BOOK})位于(?P<o>{_PLACE}){_END}", "located_in"),
    ("属于", rf"(?P<s>{LINKED}|{LATIN})隶?属于(?P<o>{LINKED}|{LATIN}){_END}", "part_of"),
    ("一部分", rf"(?P<s>{LINKED}|{LATIN})是(?P<o>{LINKED}|{LATIN})的一部分{_END}", "part_of"),
    ("是一|为一", _KIND, "is_a"),
)

_START = r"(?:^\s*|(?<=[，。；！？,;!?：:])\s*|(?<=而且)|(?<=但是))"
# Each begins with a letter and none with a class of letters: only then does `re` skip to a first letter of one.
_HINT = pattern(
    "|".join(
        (
            *dict.fromkeys(hint for hint, *_ in _FORMS),
            *"住搬离辞去退裁",
            "开除",
            "解雇",
            "失业",
            "下岗",
            "跳槽",
            "不在",
            "最后一天",
        )
    )
)
IN_FICTION = "(?:小说|电影|游戏|梦)[里中]"  # what is so there is so nowhere else
_DOUBT = pattern(
    r"[?？吗呢]|不|没|沒|非|未|可能|也许|或许|如果|假如|要是|据说|听说|好像|似乎|应该|想要?|希望|打算|曾经?|以前|是否|假设|比如说"
    f"|{IN_FICTION}"
)
_CLAUSE_END = pattern(r"[。；！？;!?\n]")
_SELF = "我"


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text's sentences that may state something."""
    end = -1
    for hint in _HINT.finditer(text):
        if hint.start() < end:
            continue
        start = max(text.rfind(sign, 0, hint.start()) for sign in "。；！？;!?\n") + 1
        found = _CLAUSE_END.search(text, hint.end())
        end = found.end() if found else len(text)
        if end - start <= _LONGEST:
            yield start, end


def is_plain(sentence: str) -> bool:
    """Whether a sentence says what is so, without doubt, denial or hearsay."""
    return _DOUBT.search(sentence) is None


def find_forms(clause: str) -> Iterator[tuple[str, dict[str, str]]]:
    """For each form in a clause without marks: its predicate, and its groups s, o, y and role.

    `role` is in English, and a speaker is `I`.
    """
    for hint, form, predicate in _FORMS:
        if compiled(hint).search(clause):
            for match in compiled(_START + form).finditer(clause):
                groups = {name: _plain(one) for name, one in match.groupdict().items() if one}
                role = groups.get("role", "")
                groups["role"] = _ROLES.get(role, _DEEDS.get(role, ""))
                yield predicate, groups


def _plain(written: str) -> str:
    return "I" if written == _SELF else written.strip("《》")
