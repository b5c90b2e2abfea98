"""Properties in the text of notes, as Logseq and Dataview write them."""

import pytest

from memkit.sources.properties import inline_fields


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("alias:: quince, [[Cydonia]]、榅桲\ntags:: #fruit\n\n- It flowers.", {"alias": ["quince", "Cydonia", "榅桲"], "tags": ["fruit"]}),
        ("title:: The quince\n- text", {"title": "The quince"}),
        ("- It flowers.\n  alias:: not this", {}),
        ("text\n\nup:: [[Trees]]\n- planted by:: [[Rosa]], [[Otto]]", {"up": ["[[Trees]]"], "planted by": ["[[Rosa]]", "[[Otto]]"]}),
        ("id:: 664f6887\ncollapsed:: true\npublic:: true\n- text", {}),
        ("std::vector is a class, and so is a::b", {}),
        ("no properties: none at all", {}),
    ],
)  # fmt: skip
def test_the_properties_of_a_note(body, fields):
    assert inline_fields(body) == fields
