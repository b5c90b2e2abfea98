"""Pages of Vimwiki and MediaWiki."""

from pathlib import Path

import pytest

from memkit.sources import detect, read
from memkit.sources.notes.wiki import wiki_markdown

PAGE = """%title The garden
:work:pear:

= Garden =
%% not for others

== Pruning ==
    * [X] The *pear* tree
    * [.] See [[diary:2024-03-01|the first day]], [[Tools/Saw#Teeth]] and [[https://example.org|a page]]
# first
# second

{{{class="brush: sh"
# no item
= no heading =
}}}
{{pear.png|a pear}}
"""


def test_a_page_of_vimwiki_is_a_note_in_markdown(tmp_path: Path) -> None:
    (tmp_path / "Garden.wiki").write_text(PAGE)
    (page,) = read(tmp_path)
    assert detect(tmp_path / "Garden.wiki") == "wiki"
    assert (page.title, page.tags, page.document.aliases) == ("The garden", ("work", "pear"), ("Garden",))
    assert page.text == (
        "# Garden\n\n## Pruning\n    - [X] The *pear* tree\n"
        "    - [ ] See [[2024-03-01|the first day]], [[Saw|Teeth]] and [a page](https://example.org)\n"
        "1. first\n1. second\n\n```\n# no item\n= no heading =\n```"
    )


def test_a_page_of_the_diary_has_its_day(tmp_path: Path) -> None:
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "2024-03-01.wiki").write_text("It froze.")
    (draft,) = read(tmp_path)
    assert (draft.title, draft.happened_at) == ("2024-03-01", "2024-03-01")


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("=== Old ===\n'''Rosa''' came ''late''.", "### Old\n**Rosa** came *late*."),
        ("* one\n** two\n*# three", "- one\n  - two\n  1. three"),
        ("[[File:P.png|thumb|a pear]][[Category:Trees]]The [[Pear tree|pears]].{{Stub}}", "The [[Pear tree|pears]]."),
        ("[https://a.org the page] and [https://a.org]", "[the page](https://a.org) and https://a.org"),
        ("a<br/>b <!-- not this --><nowiki>[[x]]</nowiki>", "a\nb <nowiki>[[x]]</nowiki>"),
        ("# Head\n## Second\n* [[Pear]]", "# Head\n## Second\n* [[Pear]]"),
    ],
)  # fmt: skip
def test_the_marks_of_a_wiki_are_those_of_markdown(text: str, markdown: str) -> None:
    assert wiki_markdown(text) == markdown
