"""Properties in the text of notes, as Logseq and Dataview write them."""

import pytest

from memkit.sources.properties import inline_fields


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("alias:: quince, [[Cydonia]]、榅桲\n\n- It flowers.", {"alias": ["quince", "Cydonia", "榅桲"]}),
        ("tags:: #fruit, tree\n- text", {"tags": ["fruit", "tree"]}),
        ("title:: The quince\n- text", {"title": "The quince"}),
        ("- It flowers.\n  alias:: not this", {}),
        ("text\n\nup:: [[Trees]]", {"up": ["[[Trees]]"]}),
        ("text\n- planted by:: [[Rosa]], [[Otto]]", {"planted by": ["[[Rosa]]", "[[Otto]]"]}),
        ("id:: 664f6887\ncollapsed:: true\npublic:: true\n- text", {}),
        ("std::vector is a class, and so is a::b", {}),
        ("no properties: none at all", {}),
    ],
)
def test_the_properties_of_a_note(body, fields):
    assert inline_fields(body) == fields
