"""Documents of Word 97 to 2003: their text lies in pieces, and what is said of it on pages of formats."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from compound_files import compound
from word_files import Paragraphs, document, plain

from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import detect, read

pytest.importorskip("olefile")

ROW_ENDS, IN_LIST = b"\x17\x24\x01", b"\x0b\x46\x01\x00"
DELETED, HIDDEN = b"\x00\x08\x01", b"\x3c\x08\x01"
# What is said with more bytes than a number has: the columns of a table, tabs, a color, a border.
LONG = (
    b"\x08\xd6\x04\x00\x01\x02\x03"
    + b"\x0d\xc6\x02\x01\x02"
    + b"\x70\x68\x01\x02\x03\x04"
    + b"\x65\x24\x01\x02\x03\x04"
)


def written(folder: Path, data: bytes, name: str = "a.doc") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def text_of(path: Path) -> str:
    found = list(read(path))
    assert not [one for one in found if isinstance(one, Failure)], found
    return "\n\n".join(one.text for one in found if isinstance(one, Draft))


@pytest.mark.parametrize(
    ("paragraphs", "text"),
    [
        (plain("Роза planted it.\r", "In\x0b2019.\r"), "Роза planted it.\n\nIn\n2019."),
        ([([("Trees\r", b"")], 1, b""), *plain("Quince.\r")], "# Trees\n\nQuince."),
        ([([("Milk\r", b"")], 0, IN_LIST), ([("Rye\r", b"")], 0, IN_LIST), *plain("End\r")], "- Milk\n- Rye\n\nEnd"),
        ([([("Milk\r", b"")], 0, LONG + IN_LIST)], "- Milk"),
        ([([("kept ", b""), ("gone ", DELETED), ("shown", LONG), (" no", HIDDEN), ("\r", b"")], 0, b"")], "kept shown"),
        ([*plain("Tree\x07", "Year\x07"), ([("\x07", b"")], 0, ROW_ENDS), *plain("Quince\x07", "\x07"),
          ([("\x07", b"")], 0, ROW_ENDS), *plain("End\r")], "| Tree | Year |\n| --- | --- |\n| Quince |  |\n\nEnd"),
        (plain('See \x13 HYPERLINK "https://plums.example/" \x14the plums\x15, page \x13 PAGE \x143\x15.\r'),
         "See [the plums](https://plums.example/), page 3."),
        (plain("a\x13 REF \x14\x13 PAGEREF \x1412\x15\x15b\x01\x08c\x1ed\x1fe\r"), "a12bc-de"),
        (plain("Plan\r", '\x13 TOC \\o "1-3" \x14Trees\t\x13 PAGEREF \x142\x15\r', "Sheds\t3\x15\r", "The trees.\r"),
         "Plan\n\nThe trees."),
        (plain("\x13 QUOTE \x14It blooms\r", "in May.\x15\r"), "It blooms\n\nin May."),
    ],
)  # fmt: skip
def test_the_words_of_a_document(tmp_path: Path, paragraphs: Paragraphs, text: str) -> None:
    path = written(tmp_path, document(paragraphs))
    assert detect(path) == "doc"
    assert text_of(path) == text


def test_letters_of_one_byte_and_footnotes(tmp_path: Path) -> None:
    paragraphs = plain("Rosé\x02 tree.\r", "\x02 Cydonia.\r")
    assert text_of(written(tmp_path, document(paragraphs, 11, one_byte=True))) == "Rosé[^1] tree.\n\n[^1]: Cydonia."


def test_one_with_a_password_is_named(tmp_path: Path) -> None:
    (found,) = read(written(tmp_path, document(plain("Planted.\r"), flags=0x0300)))
    assert isinstance(found, LeftOut)
    assert found.reason == "locked by a password"


def test_one_that_is_older_or_damaged_fails_with_a_reason(tmp_path: Path) -> None:
    damaged = bytearray(document(plain("Planted.\r")))
    for data in (compound({"WordDocument": struct.pack("<6H", 0xA5DC, 104, 0, 0, 0, 0)}), damaged[: len(damaged) // 2]):
        (found,) = read(written(tmp_path, bytes(data)))
        assert isinstance(found, Failure)
        assert "the document cannot be read" in found.reason


def test_what_is_called_a_document_of_word_and_is_something_else(tmp_path: Path) -> None:
    page = written(tmp_path, b"<html><body><p>Planted in 2019.</p></body></html>", "b.doc")
    rich = written(tmp_path, rb"{\rtf1 Planted in 2019.}", "c.doc")
    assert (detect(page), detect(rich)) == ("html", "rtf")
    assert text_of(tmp_path) == "Planted in 2019.\n\nPlanted in 2019."
