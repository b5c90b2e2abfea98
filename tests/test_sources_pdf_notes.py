"""Notes on PDFs: comments of readers, and what was typed into a form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject

from memkit import MemoryDatabase
from memkit.core.types import Draft, LeftOut
from memkit.sources import read


def marked(path: Path, *marks: dict[str, Any]) -> Path:
    """A PDF of one empty page with these annotations."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(200, 200)
    page[NameObject("/Annots")] = ArrayObject(writer._add_object(_object(mark, writer)) for mark in marks)
    writer.write(path)
    return path


def _object(value: Any, writer: pypdf.PdfWriter) -> Any:
    """A value as one of a PDF: names begin with a slash; an inner dictionary is an object of its own."""
    if isinstance(value, dict):
        made = DictionaryObject({NameObject(f"/{name}"): _object(one, writer) for name, one in value.items()})
        return writer._add_object(made) if "Parent" in value else made
    if isinstance(value, list):
        return ArrayObject(_object(one, writer) for one in value)
    if isinstance(value, int):
        return NumberObject(value)
    return NameObject(value) if value.startswith("/") else TextStringObject(value)


def said(path: Path) -> str:
    (found,) = read(path)
    return found.text if isinstance(found, Draft) else ""


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ({"Subtype": "/Text", "T": "Rosa", "Contents": "Ask Otto.\rToday."}, "Comment of Rosa: Ask Otto.\nToday."),
        ({"Subtype": "/Highlight", "Contents": "Is this so?"}, "Comment: Is this so?"),
        ({"Subtype": "/FreeText", "T": "Rosa", "Contents": "Paid in May"}, "Paid in May"),
        ({"Subtype": "/Text", "F": 2, "Contents": "hidden"}, ""),
        ({"Subtype": "/Popup", "Contents": "the same again"}, ""),
        ({"Subtype": "/Link", "Contents": "a link"}, ""),
        ({"Subtype": "/Highlight"}, ""),
        (
            {"Subtype": "/Widget", "FT": "/Tx", "T": "f1_01[0]", "TU": "Street:", "V": "Plum Lane 3"},
            "Street: Plum Lane 3",
        ),
        ({"Subtype": "/Widget", "FT": "/Tx", "T": "First name", "V": "Rosa"}, "First name: Rosa"),
        ({"Subtype": "/Widget", "FT": "/Tx", "T": "f1_02[0]", "V": "a quince"}, "a quince"),
        ({"Subtype": "/Widget", "FT": "/Tx", "T": "f1_03[0]", "V": "0"}, ""),
        ({"Subtype": "/Widget", "FT": "/Ch", "TU": "Trees", "V": ["plum", "pear"]}, "Trees: plum, pear"),
        ({"Subtype": "/Widget", "FT": "/Btn", "TU": "Yes", "V": "/On"}, ""),
        ({"Subtype": "/Widget", "FT": "/Tx", "TU": "Password", "Ff": 1 << 13, "V": "plum"}, ""),
        ({"Subtype": "/Widget", "Parent": {"FT": "/Tx", "TU": "City", "V": "Lund"}}, "City: Lund"),
        ({"Subtype": "/Widget", "FT": "/Tx", "TU": 7, "V": 7}, ""),
    ],
)
def test_what_people_wrote_on_a_page_is_read(tmp_path, mark, text):
    path = marked(tmp_path / "a.pdf", {"Subtype": "/Text", "Contents": "first"}, mark)
    assert said(path) == "\n\n".join(filter(None, ["Comment: first", text]))


def test_a_scan_with_a_note_is_the_note_and_a_damaged_note_costs_no_other(tmp_path):
    assert isinstance(next(iter(read(marked(tmp_path / "scan.pdf")))), LeftOut)
    path = marked(
        tmp_path / "a.pdf",
        {"Subtype": "/Text", "F": "none", "Contents": "x"},
        {"Subtype": "/FreeText", "Contents": "y"},
    )
    assert said(path) == "y"
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 1
        assert db.ingest(path).unchanged == 1
