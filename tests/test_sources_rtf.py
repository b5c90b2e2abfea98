"""Rich text becomes the words that somebody reads in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Helvetica;}"
    rb"{\f1\fnil\fcharset204{\*\panose 02}Arial Cyr;}{\f2\fcharset128 Osaka;}}"
)
STYLES = rb"{\stylesheet{\ql \snext0 Normal;}{\s1\ql\outlinelevel0 \snext0 heading 1;}{\*\cs10 \additive Default;}}"


def written(folder: Path, body: bytes, name: str = "a.rtf") -> Path:
    path = folder / name
    path.write_bytes(HEAD + STYLES + body + b"}")
    return path


def drafts(path: Path) -> list[Draft]:
    found = list(read(path, options=ReadOptions(timezone="Europe/Paris")))
    assert not [one for one in found if isinstance(one, Failure)]
    return [one for one in found if isinstance(one, Draft)]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"\pard\f0 Ros\'e9 \'93and\'94 Ben\par Planted.\par", "Rosé “and” Ben\n\nPlanted."),
        (rb"One\par\par Two\par Three\par", "One\n\nTwo\nThree"),
        (b"\\f0 By TextEdit\\\nand\\\n\\\nso on", "By TextEdit\nand\n\nso on"),
        (rb"{\f1 \'d0\'ee\'e7\'e0}, {\f2 \'83\'5c\'83t\'83g}", "Роза, ソフト"),
        (rb"\uc1\u1056?\u1086?\'3f\uc0\u1079 \u-10179 \u-8704 {\uc2\u233 ??}", "Ро?з😀é"),
        (rb"a{\*\unknown gone}{\pict\wmetafile8 0102}{\header Head}{\footer\par 1}b", "ab"),
        (rb"{\field{\*\fldinst{HYPERLINK "b'"https://plums.example/a"'rb"}}{\fldrslt{\ul Plums}}} and",
         "[Plums](https://plums.example/a) and"),
        (rb"{\field{\*\fldinst PAGE}{\fldrslt 3}}", "3"),
        (rb"\pard\s1 Orchard\par\pard Trees\par", "# Orchard\n\nTrees"),
        (rb"\pard\outlinelevel1 Orchard\par\pard\outlinelevel9 Trees\par", "## Orchard\n\nTrees"),
        (rb"{\listtext\tab\uc0\u8226 \tab}Milk\par{\listtext\tab\u8226 \tab}Bread\par", "- Milk\n- Bread"),
        (rb"{\pntext\f0 1.\tab}Milk\par{\pntext\f0 2.\tab}Bread\par", "1. Milk\n2. Bread"),
        (rb"\trowd\pard\intbl Tree\cell Year\cell\row\trowd\pard\intbl Quince\par old\cell 2019\cell\row\pard End\par",
         "| Tree | Year |\n| --- | --- |\n| Quince old | 2019 |\n\nEnd"),
        (rb"Plum{\super\chftn{\footnote\pard\plain {\super\chftn} Prunus.}} tree", "Plum[^1] tree\n\n[^1]: Prunus."),
        (rb"Kept {\deleted gone }{\v hidden}\v x\v0 shown{\v y\plain z}", "Kept shownz"),
        (rb"\{a\} b\~c\_d\-e \endash  f\line g", "{a} b\xa0c-de – f\ng"),
        (b"{\\object{\\*\\objdata 01}{\\result Words}}\\bin4 }}}}after", "Wordsafter"),
    ],
)  # fmt: skip
def test_the_words_of_rich_text(tmp_path: Path, body: bytes, text: str) -> None:
    path = written(tmp_path, body)
    assert detect(path) == "rtf"
    assert "\n\n".join(one.text for one in drafts(path)) == text


def test_what_it_tells_of_itself(tmp_path: Path) -> None:
    about = rb"{\info{\title Trees}{\author Rosa Marsh}{\creatim\yr2012\mo5\dy3\hr10\min20}{\revtim\yr2012\mo6\dy1}}"
    (found,) = drafts(written(tmp_path, about + rb"Planted.\par"))
    assert (found.title, found.happened_at, found.document.updated_at) == (
        "Trees", "2012-05-03T08:20:00Z", "2012-05-31T22:00:00Z"
    )  # fmt: skip
    assert found.document.fields["author"] == "Rosa Marsh"


def test_without_a_time_it_is_of_the_day_in_its_name(tmp_path: Path) -> None:
    (found,) = drafts(written(tmp_path, b"Planted.", "2012-05-03 Trees.rtf"))
    assert (found.title, found.happened_at) == ("2012-05-03 Trees", "2012-05-03")


def test_a_mac_of_before_wrote_other_letters(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1\mac Ros\'8e}")
    assert drafts(tmp_path / "a.rtf")[0].text == "Rosé"


def test_a_cut_or_unbalanced_file_gives_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(HEAD + b"Planted.\\par}}}} In 2019\\")
    assert [one.text for one in drafts(tmp_path / "a.rtf")] == ["Planted.\n\nIn 2019"]
