"""Properties in the text of notes, as Logseq and Dataview write them."""

import pytest

from memkit.core.types import ReadWarning
from memkit.sources import read
from memkit.sources.notes.properties import inline_fields


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("alias:: quince, [[Cydonia]]、榅桲\n\n- It flowers.", {"alias": ["quince", "Cydonia", "榅桲"]}),
        ("tags:: #fruit, tree\n- text", {"tags": ["fruit", "tree"]}),
        ("title:: The quince\n- text", {"title": "The quince"}),
        ('title:: "Moss, Ida"\nalias:: "Ek, Bo", quince', {"title": "Moss, Ida", "alias": ["Ek, Bo", "quince"]}),
        ("- It flowers.\n  alias:: not this", {}),
        ("text\n\nup:: [[Trees]]", {"up": ["[[Trees]]"]}),
        ("text\n- planted by:: [[Rosa]], [[Otto]]", {"planted by": ["[[Rosa]]", "[[Otto]]"]}),
        (
            "text\n**Planted by** :: [[Rosa]] and [[Otto]] (in May)\n***Source***\t:: [[Flora]]",
            {"planted by": ["[[Rosa]]", "[[Otto]]"], "source": ["[[Flora]]"]},
        ),
        ("- [[Quince]]\n    - planted by:: [[Rosa]]\n- up:: [[Trees]]", {"up": ["[[Trees]]"]}),  # of the quince
        ("- ## Metadata\n\t- planted by:: [[Rosa]]", {"planted by": ["[[Rosa]]"]}),
        ("text\nmeaning:: What blooms late, [[quince]], is hardy.", {}),  # a sentence with links
        ("text\n**meaning** :: Pome, see [[quince]]", {}),
        ("id:: 664f6887\ncollapsed:: true\npublic:: true\n- text", {}),
        ("std::vector is a class, and so is a::b", {}),
        ("no properties: none at all", {}),
        ("text\n\n```\nup:: [[Trees]]\n```\n\nup:: [[Garden]]", {"up": ["[[Garden]]"]}),
    ],
)
def test_the_properties_of_a_note(body, fields):
    assert inline_fields(body) == fields


def test_a_note_with_too_many_tags_among_its_properties_keeps_its_text(tmp_path):
    tags = ", ".join(f"tag{number:05}" for number in range(2_000))
    (tmp_path / "a.md").write_text(f"title:: Quince\ntags:: {tags}\n\n# Planted\n\nRosa planted it.")
    failure, *drafts = read(tmp_path / "a.md")
    assert isinstance(failure, ReadWarning)
    assert failure.reason.startswith("properties ignored: tags of more than 10,000 characters")
    assert drafts[-1].text.endswith("Rosa planted it.")
    assert {draft.tags for draft in drafts} == {()}
