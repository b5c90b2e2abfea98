"""Names that everybody knows: where a capital says little, in lower case, and in CJK text, which has none."""

import pytest

from memkit.database import MemoryDatabase
from memkit.text.extract import dictionary
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.matcher import NameMatcher
from memkit.text.extract.names import find_names


def names(text, statistics=None):
    return [span.name for span in find_names(text, statistics)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- Ubuntu", ["Ubuntu"]),
        ("- Ruby on Rails", ["Ruby on Rails"]),
        ("# Docker Compose and Kubernetes guide", ["Docker Compose", "Kubernetes"]),
        ("We moved the kernel to linux and use github with it.", ["Linux", "GitHub"]),
        ("C++ and C# are older than .NET is.", ["C++", "C#", ".NET"]),
        ("Die Stadt liegt in Italien, nicht weit von Wien.", ["Italien", "Wien"]),
        ("España es bonita. Perú también.", ["España", "Perú"]),
        ("ということを Chrome でして、Slackに通知する。", ["Chrome", "Slack"]),
        ("Apache解析一个脚本的时间要慢，Word 更快", ["Apache", "Word"]),
        ("我们在上海，不在法国。", ["上海", "法国"]),
        ("ガーナとサントメ・プリンシペから来た。", ["ガーナ", "サントメ・プリンシペ"]),
        ("她在北京大学读书。", ["北京大学"]),
    ],
)
def test_a_well_known_name_is_found_where_a_capital_says_little(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Word is out that she left. Slack off. Chrome shines.",  # everyday words, in English
        "Windows are open.",
        "Flask in hand, he went. Spring comes.",
        "Eu gosto muito disso.",  # not the EU
        "EU GOSTO MUITO DISSO",
        "Va vite, il est tard, et la vie est belle.",  # French, not the tool
        "See node.js/foo or ./linux/build and linux-kernel_x.",
        "其中国家很多。无法国际化。今日本来要去。",  # the ends of two words
        "那座山变成都是石头。东西安全。以上海拔。",
        "在出海口。必应付他？不必应付。",
        "日本語を話す。中国人が来た。",  # a language and a people
        "タイトルはアドバイス。",
    ],
)
def test_another_word_is_no_well_known_name(text):
    assert names(text) == []


def test_the_words_of_a_database_come_first():
    windows = CaseStatistics.of(["She cleaned the python and fed a python. Two python eggs."] * 3)
    assert names("Python sleeps.") == ["Python"]
    assert names("Python sleeps.", windows) == []


def test_a_known_name_counts_however_often_it_is_in_lower_case():
    counts = {"ubuntu": (9, 0), "tmux": (9, 0), "quillbox": (9, 0), "the": (900, 0), "上海": (9, 0)}
    statistics = CaseStatistics(counts)
    matcher = NameMatcher({"Ubuntu": 1, "tmux": 2, "Quillbox": 3, "上海": 4}, statistics)
    assert matcher.ids("it runs on ubuntu, in tmux, with quillbox") == {1, 2}
    assert matcher.ids("我们在上海") == {4}
    assert matcher.ids("以上海拔很高") == set()


def test_a_short_name_counts_in_lower_case_only_among_english_words():
    french = CaseStatistics({"vite": (9, 0), "toujours": (9, 0), "jamais": (9, 0)})
    assert not french.is_well_known("vite")
    assert french.is_well_known("ubuntu")
    assert NameMatcher({"Vite": 1}, french).ids("il va vite") == set()


def test_the_list_has_no_name_twice():
    known = dictionary.well_known()
    assert len(set(known)) == len(known)
    assert all(name.strip() == name and "\n" not in name and len(name) > 1 for name in known)


def test_notes_mention_what_everybody_knows(db: MemoryDatabase):
    db.remember("安装在 Ubuntu 上，服务器在上海。")
    db.remember("- ubuntu\n- tmux and the rest of it")
    names = {name for (name,) in db.conn.execute("select name from entities")}
    assert names >= {"Ubuntu", "上海", "tmux"}
    assert db.about("Ubuntu").mentioned == 2
