"""Documents in AsciiDoc become notes in Markdown."""

from pathlib import Path

import pytest
from fuzz.samples import ASCIIDOC

from memkit.sources import detect, read
from memkit.sources.documents.asciidoc import asciidoc_markdown


def test_a_document_has_its_title_day_author_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "guide.adoc"
    path.write_text(ASCIIDOC)
    first, second = read(path)
    assert detect(path) == "asciidoc"
    assert (first.title, first.happened_at, first.tags) == ("Pears", "2024-03-01", ("trees", "old"))
    assert first.text == "# Pears\n\nIda Moss"
    assert second.text == (
        "## Work\n\nSee **[the page](https://a.org)**, above and [[quince]].  (Late.)\n\n"
        "1. dig\n  - [x] `deep`\n\n```python\n# dig\n```\n\n| what | when |\n| bloom | May |"
    )


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("git-add(1)\n==========\n\nNAME\n----\ngit-add", "# git-add(1)\n\n## NAME\ngit-add"),
        ("a\n----\nb == c *no*\n----\nd", "a\n\n```\nb == c *no*\n```\n\nd"),
        ("////\nnot this\n////\nthis +\nand that", "this\nand that"),
        ("____\nWho digs.\n____\n[NOTE]\n====\nDeep.\n====", "Who digs.\n\nDeep."),
        ("`*raw*` +*raw*+ #marked# a*b*c 2 * 3 * 4", "`*raw*` `*raw*` marked a*b*c 2 * 3 * 4"),
        ("https://a.org[^] link:b.pdf[the plan] {unknown}", "https://a.org the plan {unknown}"),
        ("----\nnever closed", "```\nnever closed\n```"),
    ],
)
def test_marks_become_those_of_markdown(text: str, markdown: str) -> None:
    assert asciidoc_markdown(text)[0] == markdown
