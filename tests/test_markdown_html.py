"""Markdown as HTML: what its writer meant is there, and nothing else gets through."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from growth import takes_at_most
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memkit.text import markdown
from memkit.text.markdown_html import Around, headings, html, seen
from memkit.text.prose import section

pytest.importorskip("markdown_it", reason="the environment is older than the dependency")

TAGS = {"sup", "span"} | set(
    "p h2 h3 h4 h5 h6 blockquote ul ol li pre code table thead tbody tr th td hr br em strong s a mark img div".split()
)
ATTRIBUTES = {"href", "rel", "src", "alt", "loading", "class", "start", "tabindex"}
VOID = {"br", "hr", "img"}


class Read(HTMLParser):
    """What a browser would make of it: tags, attributes, text. Fails if a tag is not closed in its turn."""

    def __init__(self, page: str):
        super().__init__()
        self.text, self.links, self.images, self.tags = "", [], [], []
        self.marked: list[str] = []
        self._open: list[str] = []
        self.feed(str(page))
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]
        self.images += [value for name, value in attrs if name == "src"]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "mark" in self._open:
            self.marked.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def shown(text: str, question: str = "", **around: object) -> Read:
    """A text as a browser reads its HTML."""
    return Read(html(text, Around(question, **around)))  # type: ignore[arg-type]


NOTE = """---
tags: [fruit]
---
Notes on **quince jelly** by [[Rosa Tamsin|Rosa]], see [[Marmelada#Method]].

| what | amount |
|:-----|-------:|
| quince | 1 kg |
| sugar | `800 g` |

```python
def sugar(quince):
    return quince * 0.8
```

1. wash
2. boil
   - with *peel*

> She said so.

- [ ] buy sugar
"""


def test_a_note_is_shown_as_it_was_meant() -> None:
    read = shown(NOTE)
    assert "fruit" not in read.text
    assert "```" not in read.text
    assert "[[" not in read.text
    assert "by Rosa, see Marmelada › Method." in read.text
    assert "    return quince * 0.8" in read.text
    assert {"table", "pre", "ol", "ul", "blockquote", "em", "strong"} <= set(read.tags)
    assert "☐ buy sugar" in read.text
    assert 'class="mk-right"' in html(NOTE, Around())


def test_a_list_in_a_list_begins_a_line_of_its_own() -> None:
    outline = "- a walk.\n    - or two\n        1. by ssh\n- home"
    assert seen(outline).split() == ["a", "walk.", "or", "two", "by", "ssh", "home"]
    assert shown(outline, "walk ssh").marked == ["walk", "ssh"]


@pytest.mark.parametrize("margin", ["\t", "\t\t", "    ", "        "])
def test_a_passage_out_of_the_middle_of_a_list_is_a_list_and_no_code(margin: str) -> None:
    passage = f"{margin}- [[Rosa]]\n{margin}  - [[Otto]]\n- home"
    assert "pre" not in shown(passage).tags
    assert seen(passage).split() == ["Rosa", "Otto", "home"]
    assert "pre" in shown(f"{margin}roof(1)\n{margin}roof(2)").tags


def test_the_words_of_the_question_are_marked_also_in_code_and_in_tables() -> None:
    assert shown(NOTE, "quinces sugar").marked == ["quince", "quince", "sugar", "sugar", "quince", "quince", "sugar"]


def test_a_word_is_marked_across_emphasis() -> None:
    assert "".join(shown("the **quin**ce tree", "quince").marked) == "quince"


def test_names_and_addresses_are_links_but_not_in_code_or_in_another_link() -> None:
    text = "Rosa has https://example.org/a?b=1&c=2. `Rosa` and [Rosa](https://example.com) and Rosalind."
    read = shown(text, names={"Rosa": "/e/1"})
    assert read.links == ["/e/1", "https://example.org/a?b=1&c=2", "https://example.com"]


def test_links_that_lead_away_are_not_followed_by_machines_and_not_told_where_from() -> None:
    assert '<a href="https://example.com" rel="nofollow noopener">' in html("[x](https://example.com)", Around())


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#x0A;script:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "\\\\evil.example",
        "obsidian://open?path=/etc",
    ],
)
@pytest.mark.parametrize("form", ["[x]({})", "![x]({})", "<{}>", "[x]: {}\n\n[x]", "[[{}]]", "![[{}]]"])
def test_a_link_to_anything_but_a_page_is_words(target: str, form: str) -> None:
    read = shown(form.format(target))
    assert read.links == []
    assert read.images == []


def test_a_relative_link_and_an_image_lead_where_the_caller_says_or_nowhere() -> None:
    text = "[a](Quince.md) [b](gone.md) ![pot](img/pot.png) ![[tree.png]] ![far](https://example.com/x.png)"
    known = {"Quince.md": "/quince", "img/pot.png": "/pot", "tree.png": "/tree"}
    read = shown(text, link=known.get, image=known.get)
    assert read.links == ["/quince", "https://example.com/x.png"]
    assert read.images == ["/pot", "/tree"]
    assert "far" in read.text


def test_what_a_site_generator_reads_is_not_shown_to_readers() -> None:
    """Hugo's links to other notes, and the names that Pandoc, Hugo and others give to headings."""
    text = """## Pruning {#pruning-1}

See [the *tree*]({{< relref "Quince.md#pruning" >}}), [gone]({{<ref "gone.md">}}), `[a]({{<relref "b.md">}})` {#x}"""
    read = shown(text, link={"Quince.md#pruning": "/quince"}.get)
    assert read.links == ["/quince"]
    assert read.text.split() == 'Pruning See the tree, gone, [a]({{<relref "b.md">}}) {#x}'.split()
    assert section(text)[0] == "Pruning"
    assert section("# A set {#}\n\nof {a}")[0] == "A set {#}"
    assert section("# f {x}\n\nof {a}")[0] == "f {x}"


def test_footnotes_are_raised_and_none_of_them_vanishes() -> None:
    text = (
        "Ripe in June[^1], or[^late] later.\n\n[^1]: https://example.com/june\n[^late]: By [Rosa](Rosa.md).\n\n[a]: /x"
    )
    html_of = str(html(text, Around()))
    assert "June<sup>1</sup>, or<sup>late</sup>" in html_of
    assert '<sup>1</sup>: <a href="https://example.com/june"' in html_of
    assert "<sup>late</sup>: By Rosa." in html_of
    assert "/x" not in html_of
    assert "[^ab]" in shown("`[^ab]`").text


def test_a_picture_that_cannot_be_shown_is_told_from_the_text_and_an_embedded_note_is_a_link() -> None:
    text = "![[img/tree.png|300]] stands. ![The pot](/img/pot.png)_A pot._ ![[Quince]] ![[b/c.png]]"
    assert seen(text).split() == "stands. The potA pot. Quince".split()
    written = str(html(text, Around(link={"Quince": "/quince"}.get)))
    assert '<span class="mk-picture">tree.png</span>  stands.' in written
    assert '<span class="mk-picture">The pot</span> <em>A pot.</em>' in written
    assert '<a href="/quince">Quince</a>' in written
    assert '<span class="mk-picture">c.png</span>' in written


HOSTILE = st.lists(
    st.sampled_from(
        """<script>alert(1)</script> <img/src=x onerror=alert(1)> <!-- --> ]]> </p> </code></pre> " ' `` ``` ~~~ | |-|
        [x](javascript:alert(1)) ![](data:text/html,x) [[a|b]] [[<b>]] ![["x]] ** * _ ~~ # > - 1. &lt; &#60;script&#62;
        [x]({{<relref_"javascript:alert(1)">}}) [<b>]({{%ref_"/x"%}}) {#<b>}
        \\< <a href="javascript:x"> <https://e.org/"onclick="x> [a]: /x "t" [a] quince Rosa 剪定 http://e.org/<b>""".split()
    )
    | st.sampled_from(["\n", "\n\n", "    ", "\t", " ", "---\n", "\0"])
    | st.text(max_size=5),
    max_size=40,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(HOSTILE, st.sampled_from([0, 1, 20, 60]))
@example("| a |\n|-|\n| <script> |", 1)
def test_no_text_becomes_a_tag_or_a_link_to_something_that_runs(text: str, most: int) -> None:
    read = shown(text, "quince 剪定", most=most, before=5, names={"Rosa": "/rosa"})
    assert all(re.match(r"https?:|/rosa$|mailto:", link) for link in read.links)
    assert read.images == []


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r")))
def test_words_are_shown_once_and_in_their_order(text: str) -> None:
    read = shown(text, "quince")
    assert "".join(read.text.split()) == "".join(seen(text).split())


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab -+=1.)'\"(é剪"), max_size=12).filter(lambda text: not markdown._ANY.search(text)))
def test_the_short_way_of_plain_texts_leads_to_the_same(text: str) -> None:
    plain = markdown.parts(text)
    assert "".join(p.text for p in plain) == "".join(p.text for p in markdown._flat(markdown._parser().parse(text)))


def test_an_excerpt_lies_around_the_first_marked_word_and_keeps_its_block_and_the_head_of_a_table() -> None:
    rows = "".join(f"| row {n} | {n * 7} |\n" for n in range(100))
    text = f"{'Before. ' * 80}\n\n| name | count |\n|---|---|\n{rows}| quince | 9 |\n\n{'After. ' * 80}"
    read = shown(text, "quince", most=200, before=40)
    assert read.marked == ["quince"]
    assert "name" in read.text
    assert "Before" not in read.text
    assert "row 12" not in read.text
    assert 30 < len(read.text) < 300
    assert read.text.rstrip().endswith("…")


def test_a_line_that_an_editor_wrapped_goes_on_and_a_short_one_ends() -> None:
    text = f"{'word ' * 14}\ngoes on\nRoses are red\nViolets are blue"
    assert html(text, Around()).count("<br>") == 2


@pytest.mark.parametrize("hostile", ["[", "*a ", "![[", "> ", "- ", "_a", "<a ", "[a](", "**a*", "](", "`" * 9 + " "])
def test_the_time_grows_no_faster_than_the_square_of_what_is_shown(hostile: str) -> None:
    small, large = hostile * (1_000 // len(hostile)), hostile * (4_000 // len(hostile))

    def work(text: str) -> None:
        markdown.parts.cache_clear()
        html(text, Around("quince", 480, 120))

    assert takes_at_most(40, lambda: work(large), lambda: work(small))


# ------------------------------------------------------------------------------------------------ headings


@pytest.mark.parametrize(
    ("text", "below", "levels"),
    [
        ("# a\n\n## b\n\n### c", 1, "h2 h3 h4"),
        ("### a\n\nx\n\n# b\n\n#### c\n\n## d\n\n# e", 1, "h2 h2 h3 h3 h2"),
        ("#### deep", 2, "h3"),
        ("# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6", 2, "h3 h4 h5 h6 h6 h6"),
    ],
)
def test_no_level_of_headings_is_left_out(text: str, below: int, levels: str) -> None:
    assert [tag for tag in shown(text, below=below).tags if tag != "p"] == levels.split()


def test_headings_go_on_below_those_of_earlier_texts() -> None:
    above = headings("## Script\n\n#### Detail")
    assert above == (2, 4)
    assert shown("### More", below=1, above=above).tags == ["h3"]
    assert headings("# Other", above) == (1,)


def test_a_heading_before_the_excerpt_leaves_no_gap() -> None:
    text = "# Far away\n\n" + "nothing to see here. " * 30 + "\n\n### Quince\n\nRosa planted the quince."
    assert [tag for tag in shown(text, "quince", most=60, before=20).tags if tag.startswith("h")] == ["h3"]


# ------------------------------------------------------------------------------------------------ formulas


@pytest.mark.parametrize(
    "formula",
    [r"$B = \{v_1, *a*, v_n\}$", "$a*b*c$", r"$$\sum_{i} x_i^*$$", r"$[x](y)$"],
)
def test_a_formula_is_shown_as_it_was_written(formula: str) -> None:
    read = shown(f"It is {formula}, *always*.")
    assert read.text.strip() == f"It is {formula}, always."
    assert read.tags == ["p", "em"]


def test_sums_of_money_are_no_formula() -> None:
    assert shown("From $5 *each* to $6, or $7 *all*.").tags == ["p", "em", "em"]
    assert shown(r"\$5 *each*").text.strip() == "$5 each"
