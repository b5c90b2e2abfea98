"""Links in notes, and memkit's own context blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.extract.guard import CONTEXT_CLOSE, CONTEXT_OPEN, strip_context
from memkit.text.extract.wikilinks import WikiLink, find_links


@pytest.mark.parametrize(
    ("text", "target", "display", "heading", "embed"),
    [
        ("[[Garden plan]]", "Garden plan", "Garden plan", None, False),
        ("[[Garden plan|the plan]]", "Garden plan", "the plan", None, False),
        ("[[Garden plan#Trees|the trees]]", "Garden plan", "the trees", "Trees", False),
        ("[[Garden plan#Trees#Quince]]", "Garden plan", "Garden plan#Trees#Quince", "Quince", False),
        ("[[Garden plan#^a1b2]]", "Garden plan", "Garden plan#^a1b2", None, False),
        ("![[sketch.png]]", "sketch.png", "sketch.png", None, True),
        ("[[notes/2023/Plan.md]]", "notes/2023/Plan", "notes/2023/Plan.md", None, False),
        (r"| [[Plan\|p]] |", "Plan", "p", None, False),
        ("[the plan](Garden%20plan.md)", "Garden plan", "the plan", None, False),
        ("[the plan](<./Garden plan.md#Trees>)", "Garden plan", "the plan", "Trees", False),
        ('[plan](../a/plan.md "a title")', "../a/plan", "plan", None, False),
        ('[the plan]({{< relref "garden/plan.md#trees" >}})', "garden/plan", "the plan", "trees", False),
        ('[the plan]({{% ref "/posts/plan/index.md" %}})', "posts/plan", "the plan", None, False),
        ("[the plan]({{<ref plan>}})", "plan", "the plan", None, False),
        ("[[quince jelly|kitchen.quince jelly recipes]]", "kitchen.quince jelly recipes", "quince jelly", None, False),
        ("[[Jelly.app|jelly.app for cooks]]", "Jelly.app", "jelly.app for cooks", None, False),
        ("[[C#]]", "C#", "C#", None, False),
        ("[[C# scripts#Trees]]", "C# scripts", "C# scripts#Trees", "Trees", False),
        ("[[C#/LINQ|it]]", "C#/LINQ", "it", None, False),
        ("[it](C%23.md#Trees)", "C#", "it", "Trees", False),
        ("[[C#Trees]]", "C", "C#Trees", "Trees", False),
        ("[[長安の月亮]]", "長安の月亮", "長安の月亮", None, False),
    ],
)
def test_a_link_is_read(text, target, display, heading, embed):
    (link,) = find_links(text)
    assert (link.target, link.display, link.heading, link.embed) == (target, display, heading, embed)


@pytest.mark.parametrize(
    "text",
    [
        "`[[code]]`", "```\n[[code]]\n```", "<!-- [[comment]] -->", "%% [[comment]] %%", "[[#Trees]]", "[[]]", "[[ ]]",
        "[a](https://example.org/a.md)", "[a](a.pdf)", "[a](#trees)", "[[open", "[x] [y]", "tr [[:space:]] x",
        "[[{{today}}]]", "[[<% tp.date.now() %>]]", "[[${title}]]",
        '[a]({{< ref "#trees" >}})', '[a]({{< figure "a.md" >}})', '`[a]({{< ref "b" >}})`',
    ],
)  # fmt: skip
def test_what_leads_to_no_other_note_is_no_link(text):
    assert find_links(text) == []


def test_links_stand_where_they_stand():
    text = "See [[A]] and [b](b.md), `[[c]]`, ![[D|d]]."
    assert [text[link.start : link.end] for link in find_links(text)] == ["[[A]]", "[b](b.md)", "![[D|d]]"]
    assert find_links("[[x/y/Note]]")[0].name == "Note"
    assert find_links("[[x/CI/CD and TCP/IP]]")[0].name == "CI/CD and TCP/IP"
    assert find_links("[[x/trees / shrubs]] [[x/ trees]]")[0].name == "trees / shrubs"
    assert find_links("[[x/ trees ]]")[0].name == "trees"


@given(st.text(alphabet="[]()|#!`<>%.md a\n", max_size=200))
def test_any_brackets_are_read(text):
    assert all(isinstance(link, WikiLink) and link.target for link in find_links(text))


def test_memkits_own_context_is_stripped():
    text = f"Before.\n{CONTEXT_OPEN}\nRosa planted it.\n{CONTEXT_CLOSE}\nAfter."
    assert strip_context(text) == "Before.\n\nAfter."
    assert strip_context('<memkit-context question="who?">\nRosa\n</memkit-context> Hi') == "Hi"


def test_a_context_block_that_was_cut_off_hides_the_rest():
    assert strip_context(f"Hi. {CONTEXT_OPEN}\nRosa planted") == "Hi."


@given(st.text(max_size=100))
def test_other_text_is_left_alone(text):
    if "<memkit-context" not in text.lower():
        assert strip_context(text) == text
