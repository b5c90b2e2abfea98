"""HTML becomes Markdown: words, headings, lists, tables, code and links, whatever nothing closes."""

from functools import partial
from html.parser import HTMLParser

import pytest
from growth import takes_at_most
from hypothesis import given
from hypothesis import strategies as st

from memkit.sources.documents.asciidoc import asciidoc_markdown
from memkit.sources.documents.rst import rst_markdown
from memkit.sources.html_markdown import html_markdown
from memkit.sources.html_tokens import html_tokens
from memkit.sources.notes import dokuwiki, rednotebook, zim
from memkit.sources.notes.note import without_pictures
from memkit.sources.notes.org import _headings, _sections
from memkit.sources.notes.roam import _shown
from memkit.sources.notes.slash_markup import slash_markdown
from memkit.sources.notes.tiddlywiki import wiki_markdown
from memkit.sources.options import ReadOptions


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a <b>bold</b> and <i>thin</i>\n word&nbsp;&amp; more", "a bold and thin word & more"),
        ("<h2> Trees  in\nspring </h2><p>One.</p><p>Two.", "## Trees in spring\n\nOne.\n\nTwo."),
        ("<div>a</div><div>b<br>c</div><div><br></div><div>d</div>", "a\nb\nc\n\nd"),
        ("<ul><li>a<ul><li>b</ul><li>c<p>d</ul>", "- a\n  - b\n- c\n  d"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ul><li><input type=checkbox checked>a<li><input type=checkbox>b</ul>", "- [x] a\n- [ ] b"),
        ("<table><tr><th>a<th>b<tr><td>1<td>x|y</table>", "| a | b |\n| --- | --- |\n| 1 | x\\|y |"),
        ("<table><tr><td>only</td></tr><tr><td>looks</td></tr></table>", "only\n\nlooks"),
        (  # tables inside tables, as mails have them, arrange a page; the innermost may be one
            "<table><tr><td>logo<td><table><tr><td><p>Hello Rosa,<p>it blooms.</td></tr></table></td></tr>"
            "<tr><td colspan=2><table><tbody><tr><td>Day<td>Monday<tr><td>Trees<td>2|3</table></table>",
            "logo\n\nHello Rosa,\n\nit blooms.\n\n| Day | Monday |\n| --- | --- |\n| Trees | 2\\|3 |",
        ),
        ("<table><tr><td><h2>Spring</h2>It blooms.<td>a</table>", "## Spring\n\nIt blooms.\n\na"),
        ("<table><tr><td>a<td>&nbsp;<td>b<tr><td colspan=3><hr></table>", "| a | b |\n| --- | --- |"),
        ("<table><tr><td><td><p>a<p>b<td><img></table>", "a\n\nb"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<h2>t</h2><table><tr><td>a<td>b</table>", "## t\n\n| a | b |\n| --- | --- |"),
        ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", "| - a - b | c |\n| --- | --- |"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<pre><code>x = '```'</code></pre>", "````\nx = '```'\n````"),
        ("call <code>f(x)</code> now", "call `f(x)` now"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<a href='https://x.org/a b'> the page </a>!", "[the page](https://x.org/a%20b) !"),
        ("<a href='https://x.org'>https://x.org</a> <a href='#top'>up</a>", "https://x.org up"),
        ("<script>if (a < b) { '</p>' }</script><style>p {}</style>a<title>t</title>", "a"),
        ("<svg><title>x</title><path d='M'/></svg>a<template><p>b</p></template>", "a"),
        ("a<!-- b --><!-- c -->d<![CDATA[ <e> ]]><?php x ?>", "ad <e>"),
        ("a < b and c > d &lt;tag&gt;", "a < b and c > d <tag>"),
        ("<p title=Bob's>a</p><p title='>'>b</p><p x = \">\">c", "a\n\nb\n\nc"),
        ("</p></div>a</ul>b", "ab"),
        ("a<hr>b", "a\n\n---\n\nb"),
    ],
)
def test_html_as_markdown(html, markdown):
    assert html_markdown(html) == markdown


def test_what_is_skipped_and_how_links_are_written_is_the_callers_choice():
    html = "<nav>menu<nav>x</nav>y</nav>a <a href='note:1'>one</a>"
    skipped = lambda tag, attributes: tag == "nav"  # noqa: E731
    assert html_markdown(html, link=lambda address, words: f"[[{words}]]", skipped=skipped) == "a [[one]]"


SHAPES = {
    "comments": "<!--", "tags": "<a ", "quotes": "<a b='", "double quotes": '<a b="', "opened": "<div>",
    "items": "<ul><li>",
    "scripts": "<script>", "declarations": "<!x", "cells": "<td>", "tables": "<table><tr><td>", "references": "&amp",
    "ends": "</a>", "cdata": "<![CDATA[", "attributes": "<a b = ", "blanks": "<a " + " " * 50, "lines": "<br>",
    "boxes": "<input type=checkbox>", "code": "<pre>`", "quoted": "<blockquote>a", "words": "a ",
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_html_grows_with_its_length(shape):
    part = SHAPES[shape]
    large, small = part * (16_000 // len(part)), part * (1_000 // len(part))
    assert takes_at_most(64, lambda: html_markdown(large), lambda: html_markdown(small))


MARKS = [
    *(
        "<p>",
        "</p>",
        "<ul>",
        "<li>",
        "</ul>",
        "<td>",
        "<tr>",
        "<table>",
        "</table>",
        "<pre>",
        "</pre>",
        "<h1>",
        "</h1>",
    ),
    *("<a href='https://x'>", "</a>", "<", ">", "&", "'", "<!--", "-->", "a", " b ", "\n"),
]


WIKI = {
    "definitions": "\\define x()\n", "lines of definitions": "\\define x() y\n", "fences": "```x\n", "marks": "=a ",
    "backticks": "`a", "blanks": "`" + " " * 60, "links": "[[a|", "roles": ":a:`b <", "embeds": "{{a", "macros": "<<a ",
    "headings": "* a :b:\n", "stars": "* ", "drawers": ":A:\n", "blocks": "#+begin_src\n", "directives": ".. a::\n",
    "lines": "----\n", "pictures": "![a](b", "properties": "a:: b\n", "components": "{{a}", "tags": "* a" + " " * 60,
    "slashes": "//a ", "primes": "''a", "verbatim": "'''\n", "elements": "<code>", "cells": "|a^", "raw": '""a ',
    "references": "<<a,", "pluses": "+a ", "stars in a line": "*a b", "rows": "|a ", "anchors": "[[a,",
}  # fmt: skip
CONVERTERS = {
    "wiki": wiki_markdown,
    "rst": rst_markdown,
    "org": lambda text: list(_sections(list(_headings(text, {})), ReadOptions())),
    "roam": lambda text: _shown(text, {}),
    "pictures": without_pictures,
    "asciidoc": asciidoc_markdown,
    "zim": partial(slash_markdown, dialect=zim.DIALECT),
    "dokuwiki": partial(slash_markdown, dialect=dokuwiki.DIALECT),
    "rednotebook": partial(slash_markdown, dialect=rednotebook.DIALECT),
}


@pytest.mark.parametrize("shape", WIKI)
@pytest.mark.parametrize("converter", CONVERTERS)
def test_converting_other_markup_is_done_in_time(shape, converter):
    """Regular expressions run no lines to count: with the square of the length, this would take an hour."""
    part = WIKI[shape]
    CONVERTERS[converter](part * (400_000 // len(part)))


@given(st.lists(st.sampled_from(MARKS)))
def test_any_html_is_read(parts):
    html_markdown("".join(parts))


class Oracle(HTMLParser):
    """The tags and texts that Python's own parser finds."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(sorted({name: value or "" for name, value in reversed(attrs)}.items()))))

    def handle_endtag(self, tag):
        self.found.append(f"/{tag}")

    def handle_data(self, data):
        self.found.append(data)


NAMES = st.sampled_from(["p", "div", "b", "td"])
WORDS = st.text("ab&é \n=/-", min_size=1)
VALUES = st.sampled_from(["'a > b'", '"it\'s"', "bare", '""'])
TAGS = st.builds(
    lambda name, values: f"<{name}{''.join(f' {key}={value}' for key, value in values)}>",
    NAMES,
    st.lists(st.tuples(st.sampled_from(["id", "class"]), VALUES), max_size=3),
)


@given(st.lists(st.one_of(TAGS, NAMES.map("</{}>".format), WORDS, st.just("<!-- a > b -->"))))
def test_tags_and_texts_are_those_of_pythons_parser(parts):
    html = "".join(parts)
    found = [
        token.text
        if not token.tag
        else f"/{token.tag}"
        if token.ends
        else (token.tag, dict(sorted(token.attributes.items())))
        for token in html_tokens(html)
    ]
    joined = lambda some: "".join(one if isinstance(one, str) else repr(one) for one in some)  # noqa: E731
    assert joined(found) == joined(Oracle(html).found)
