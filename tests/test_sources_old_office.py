"""Sheets of Excel and slides of PowerPoint as they were until 2003."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts
from old_office_files import slides, workbook

from memkit.core.types import Failure, LeftOut
from memkit.sources import detect, read

pytest.importorskip("olefile")
pytest.importorskip("xlrd")

TITLE, BODY, NOTES = 0, 1, "Nils\vasks"
DECK = [
    ([(TITLE, "The\vquince"), (BODY, "blooms\rlate")], ["Росток", "*"], NOTES),
    ([], ["Only a box"], ""),
]


def written(folder: Path, data: bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_the_rows_of_each_sheet_have_the_names_of_their_columns(tmp_path: Path) -> None:
    rows = [
        ["Plum", "Planted", "Height", "Old"],
        ["Ершовка", ("day", 45000), 2.5, True],
        ["Mirabelle", ("day", 45000.5), 3.0, ("error", 0x07)],
        ["", "", "", ""],
        ["Damson", ("day", 0.25), 1e300, False],
    ]
    path = written(tmp_path, workbook({"Trees": rows, "Sheet2": [["only words"]], "Empty": []}), "a.xls")
    assert detect(path) == "xls"
    assert [(one.text, one.meta.get("sheet")) for one in drafts(path)] == [
        (
            "# Trees\n\n- Plum: Ершовка; Planted: 2023-03-15; Height: 2.5; Old: True\n"
            "- Plum: Mirabelle; Planted: 2023-03-15 12:00:00; Height: 3; Old: #DIV/0!\n"
            f"- Plum: Damson; Planted: 06:00:00; Height: {int(1e300)}; Old: False",
            "Trees",
        ),
        ("- only words", "Sheet2"),
    ]


def test_what_is_called_a_sheet_and_is_a_page_is_read_as_that(tmp_path: Path) -> None:
    page = written(tmp_path, b"<html><body><table><tr><td>Planted in 2019.</td></tr></table></body></html>", "b.xls")
    assert detect(page) == "html"
    assert [one.text for one in drafts(tmp_path)] == ["Planted in 2019."]


@pytest.mark.parametrize(("name", "data"), [("a.xls", workbook({"a": [["b"]]})), ("a.ppt", slides(DECK))])
def test_a_file_that_is_cut_off_fails_with_a_reason(tmp_path: Path, name: str, data: bytes) -> None:
    (found,) = read(written(tmp_path, data[:700], name))
    assert isinstance(found, Failure)
    assert "cannot be read: " in found.reason


def test_the_texts_of_each_slide_and_its_notes(tmp_path: Path) -> None:
    for twice in (False, True):
        path = written(tmp_path, slides(DECK, saved_twice=twice), "a.ppt")
        assert detect(path) == "ppt"
        assert [(one.text, one.meta["slide"]) for one in drafts(path)] == [
            ("# The quince\n\nblooms\nlate\n\nРосток\n\nNotes: Nils asks", 1),
            ("Only a box", 2),
        ]


def test_slides_with_a_password_are_named(tmp_path: Path) -> None:
    (found,) = read(written(tmp_path, slides(DECK, locked=True), "a.ppt"))
    assert isinstance(found, LeftOut)
    assert found.reason == "locked by a password"
