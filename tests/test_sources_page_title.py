"""The title of a note: the name of its page, or the heading in its first line."""

from pathlib import Path

import pytest

from memkit.sources.notes.page_title import page_title


@pytest.mark.parametrize(
    ("file", "heading", "title"),
    [
        ("Ring theory", "Definition", "Ring theory"),  # the heading of its first section
        ("Körper", "Definition", "Körper"),
        ("zotero", "1. Résumé", "zotero"),
        ("PCP", "Definition", "PCP"),
        ("PCP", "Key points", "PCP"),  # the heading of a section that many notes of the garden have
        ("quince", "Definition", "Definition"),  # nobody knows; a file in lower case often has another name
        ("rosa", "The garden of Rosa", "The garden of Rosa"),
        ("Rosa", "The garden of Rosa", "The garden of Rosa"),
        ("Gardens", "My garden", "My garden"),
        ("ring-theory", "Definition", "Definition"),
        ("CONTRIBUTING", "How to help", "How to help"),
        ("2024-05-31", "A day in May", "A day in May"),
        ("B25", "Name your brain", "Name your brain"),
        ("GR", "General Relativity", "General Relativity"),
        ("Unity___UI", "Definition", "Unity/UI"),
        ("线性插值", "linear interpolation", "linear interpolation"),  # the same in another language
        ("7Hd68M5niADEkip4CdU85", "Subjects", "Subjects"),
        ("QuinceTree", "Quince tree", "Quince tree"),
        ("tree", "**Quince** *tree*, 2 * 3", "Quince tree, 2 * 3"),
    ],
)
def test_the_first_heading_is_the_title_unless_it_is_that_of_a_section(file: str, heading: str, title: str) -> None:
    assert page_title(Path(f"{file}.md"), f"# {heading}\n\nText.", {}) == title


def test_a_given_title_comes_first() -> None:
    assert page_title(Path("a.md"), "# Heading", {"title": "Given"}) == "Given"
