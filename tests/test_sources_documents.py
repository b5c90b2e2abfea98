"""Documents: text with the page, slide, sheet, chapter or heading on which it stands."""

from __future__ import annotations

import logging
import re
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pypdf
import pytest
from chat_files import ingested_twice, zipped
from compound_files import compound
from docx.enum.style import WD_STYLE_TYPE

from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut, ReadWarning
from memkit.sources import ReadLimits, ReadOptions, detect, read
from memkit.sources.documents.document import given_author, given_title
from memkit.sources.documents.html import page_text
from memkit.sources.documents.pdf import sound_letters
from memkit.sources.documents.pdf_accents import composed
from memkit.sources.documents.rst import rst_markdown


def drafts(path: Path, **options: Any) -> list[Draft]:
    found = list(read(path, options=ReadOptions(**options)))
    assert not [one for one in found if isinstance(one, Failure | LeftOut | ReadWarning)]
    return [one for one in found if isinstance(one, Draft)]


def failures(path: Path, **options: Any) -> list[str]:
    return [
        one.reason
        for one in read(path, options=ReadOptions(**options))
        if isinstance(one, Failure | LeftOut | ReadWarning)
    ]


# --------------------------------------------------------------------------------------------------------------- PDF


def pdf(path: Path, *pages: list[str], title: str = "") -> Path:
    """A PDF with these lines on its pages."""
    return drawn(path, *(" ".join(f"({line}) Tj 0 -16 Td" for line in lines) for lines in pages), title=title)


HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def drawn(path: Path, *pages: str, font: str = HELVETICA, more: tuple[str, ...] = (), title: str = "") -> Path:
    """A PDF with what is drawn on its pages in one font, and `more` objects, the first of which is number 4."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", font, *more]
    kids = []
    for steps in pages:
        objects.append(stream(f"BT /F1 12 Tf 72 720 Td {steps} ET"))
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) /Author (Rosa) /CreationDate (D:20240102030405Z) >>")
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{one}\nendobj\n".encode()
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    data += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n".encode()
    path.write_bytes(data + f"startxref\n{start}\n%%EOF\n".encode())
    return path


def stream(text: str) -> str:
    return f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"


def browser_font(name: str, table: str, widths: str = "") -> dict[str, Any]:
    """A font as browsers write it: two bytes for each sign, and a table of their letters (objects 4 and 5)."""
    font = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [4 0 R]"
        " /ToUnicode 5 0 R >>"
    )
    descendant = f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /DW 500 /W [{widths}] >>"
    return {
        "font": font,
        "more": (descendant, stream(f"1 begincodespacerange <0000> <FFFF> endcodespacerange {table}")),
    }


def test_pages_of_a_pdf_are_read_without_what_repeats_and_with_cut_words_joined(tmp_path):
    pages = [
        ["Yearbook 2024", f"Day {name}: the quince", "blos-", "soms.", f"A line {name}", "", f"Page {number}"]
        for number, name in enumerate(("one", "two", "three"), 1)
    ]
    path = pdf(tmp_path / "year.pdf", *pages, title="Garden")
    assert detect(path) == "pdf"
    found = drafts(path)
    assert [one.text for one in found] == [
        f"Day {name}: the quince blossoms.\nA line {name}" for name in ("one", "two", "three")
    ]
    assert [one.meta for one in found] == [{"page": n, "heading": f"page {n}"} for n in (1, 2, 3)]
    first = found[0]
    assert (first.title, first.document.aliases, first.document.fields) == ("Garden", ("year",), {"author": "Rosa"})
    assert (first.happened_at, first.speaker, first.document.kind) == ("2024-01-02T03:04:05Z", None, "document")
    assert ingested_twice(path) == (0, 0, 0)


def test_a_scan_a_locked_pdf_and_a_broken_one_are_said(tmp_path):
    assert "scans without text" in failures(pdf(tmp_path / "scan.pdf", [], []))[0]
    writer = pypdf.PdfWriter(clone_from=pdf(tmp_path / "a.pdf", ["secret"]))
    writer.encrypt("word", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    assert failures(tmp_path / "locked.pdf") == ["locked by a password"]
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    assert "the PDF cannot be read" in failures(tmp_path / "broken.pdf")[0]


def test_a_page_that_cannot_be_read_costs_no_other_one(tmp_path):
    path = drawn(tmp_path / "a.pdf", "(Quince) Tj", "(Plum) Tj [628 FR 1] TJ", "(Pear) Tj")
    quince, pear = (one for one in read(path) if isinstance(one, Draft))
    assert (quince.text, pear.text) == ("Quince", "Pear")
    assert (quince.meta["page"], pear.meta["page"]) == (1, 3)
    (failure,) = failures(path)
    assert failure.startswith("page 2 of the PDF cannot be read: ")
    assert ingested_twice(path) == (0, 0, 0)


def test_what_pypdf_says_of_a_damaged_file_stays_away_from_the_terminal(tmp_path, capfd):
    path = pdf(tmp_path / "a.pdf", ["Quince"])
    path.write_bytes(re.sub(rb"startxref\n\d+", b"startxref\n5", path.read_bytes()))
    assert [one.text for one in drafts(path)] == ["Quince"]
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("pypdf").propagate


def test_letters_of_a_font_of_its_own_are_those_that_its_reader_saw():
    assert sound_letters("We deﬁne eﬀects and soluƟons, which aƩend Ɵdes: Σ, Ʃ.") == (
        "We define effects and solutions, which attend tides: Σ, Ʃ."
    )
    assert sound_letters("aŌer seƫng up a plaƞorm in Ōsaka") == "after setting up a platform in Ōsaka"
    assert sound_letters("ﻣﺮﺣﺒﺎ ﻻ") == "مرحبا لا"
    assert sound_letters("laÊ natureÊ deÊ l’actionÊ") == "la  nature  de  l’action "
    assert sound_letters("Être ou ne pas être, le MÊME") == "Être ou ne pas être, le MÊME"


def test_letters_that_the_table_of_a_font_leaves_out_are_those_of_its_signs(tmp_path):
    table = "5 beginbfchar <0001> <0061> <0002> <006F> <0003> <006E> <019F> <0000> <01A9> <0058> endbfchar"
    steps = "<0001019F00020003> Tj 0 -16 Td <000101A9> Tj"
    for name, said in (("ABCDEF+Calibri-Bold", "ation aX"), ("ABCDEF+Georgia", "aon aX")):
        path = drawn(tmp_path / f"{name}.pdf", steps, steps, **browser_font(name, table))
        assert [one.text for one in drafts(path)] == [said, said]


def test_signs_of_a_symbol_font_are_those_that_people_see(tmp_path):
    table = "1 beginbfchar <0001> <F03D> endbfchar 2 beginbfrange <0055> <0056> <F072> <006F> <006F> <F0AE> endbfrange"
    path = drawn(tmp_path / "a.pdf", "<00550001006F0056> Tj", **browser_font("Symbol", table))
    assert [one.text for one in drafts(path)] == ["ρ=→σ"]


HINDI = "/Span << /ActualText <FEFF0939093F> >> BDC <0011> Tj 3 0 Td <0012> Tj EMC 6 0 Td <0013> Tj"
LETTERS = "3 beginbfchar <0011> <0000> <0012> <0939> <0013> <0928> endbfchar"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (HINDI, "हिन"),  # the vowel is drawn first, and no sign of it tells its letter
        (HINDI.replace("<0011> Tj", "[<0011>] TJ"), "हिन"),
        (f"/P << /MCID 0 >> BDC {HINDI} EMC", "हिन"),
        ("/Span << /ActualText (ffi) >> BDC /Span << /ActualText (x) >> BDC <0011> Tj EMC EMC", "ffi"),
        ("/Span << /ActualText (ffi) >> BDC <0014> Tj EMC 12 0 Td <0013> Tj", "ffiन"),  # a wide sign, and no space
        ("/Figure << /ActualText (a picture) >> BDC EMC <0013> Tj", "न"),  # in the place of nothing that is drawn
        ("EMC EMC /Span << /ActualText 5 >> BDC <0013> Tj", "न"),
        ("/Span /Unknown BDC <0013> Tj EMC", "न"),
    ],
)
def test_a_part_of_a_line_says_its_actual_text(tmp_path, steps, said):
    path = drawn(tmp_path / "a.pdf", steps, steps, **browser_font("Noto", LETTERS, "17 [250] 18 19 500 20 [1000]"))
    assert [one.text for one in drafts(path)] == [said, said]
    assert ingested_twice(path) == (0, 0, 0)


def test_text_from_right_to_left_keeps_the_letters_of_its_signs(tmp_path):
    table = "2 beginbfchar <0011> <FEE0> <0012> <FE8D> endbfchar"
    span = "/Span << /ActualText <FEFF{}> >> BDC <{}> Tj EMC"
    steps = f"{span.format('0627', '0012')} 6 0 Td {span.format('0644', '0011')}"
    assert [one.text for one in drafts(drawn(tmp_path / "a.pdf", steps, **browser_font("Noto", table)))] == ["لا"]


HEBREW = (
    "7 beginbfchar <0001> <05D0> <0002> <05D1> <0003> <05D2> <0004> <05D3> <0005> <0020> <0006> <0031> <0007> <0041>"
    " endbfchar"
)
DRAWN_FROM_THE_LEFT = {
    "<0002> <0005> <0001>": "א ב",
    "<0003> <0005> <0006> <0006> <0005> <0002> <0005> <0001>": "א ב 11 ג",
    "<0007> <0005> <0007> <0005> <0007> <0005> <0002> <0005> <0001>": "A A A א ב",
    "<0007> <0005> <0002> <0005> <0001> <0005> <0007> <0007>": "A א ב AA",
    "<0002> <0005> <0007> <0005> <0007> <0005> <0001> <0001>": "אא A A ב",
}


@pytest.mark.parametrize(("signs", "said"), DRAWN_FROM_THE_LEFT.items())
def test_words_that_go_to_the_left_are_in_the_order_in_which_they_are_read(tmp_path, signs, said):
    steps = " ".join(f"ET BT 1 0 0 1 {72 + 6 * place} 720 Tm {sign} Tj" for place, sign in enumerate(signs.split()))
    path = drawn(tmp_path / "a.pdf", steps, **browser_font("Noto", HEBREW))
    assert [re.sub(" +", " ", one.text) for one in drafts(path)] == [said]


def test_words_that_were_drawn_as_they_are_read_stay_so(tmp_path):
    steps = " ".join(f"ET BT 1 0 0 1 {72 - 6 * place} 720 Tm <000{place + 1}> Tj" for place in range(4))
    path = drawn(tmp_path / "a.pdf", steps, **browser_font("Noto", HEBREW))
    assert drafts(path)[0].text.replace(" ", "") == "אבגד"


def test_a_font_with_nonsense_in_its_tables_costs_no_page(tmp_path):
    for widths, table in (
        ("null null 5", LETTERS),
        ("17", LETTERS),
        ("17 (x) 3", "1 beginbfrange <00> <01FF> <41> endbfrange"),
    ):
        found = [*read(drawn(tmp_path / "a.pdf", HINDI, **browser_font("Calibri", table, widths)))]
        assert not [one for one in found if isinstance(one, Failure)]


def test_signs_of_symbol_fonts_in_word_and_powerpoint_are_those_that_people_see(tmp_path):
    document = docx.Document()
    line = document.add_paragraph()
    for font, code in (("Symbol", "F061"), ("Wingdings", "E0"), ("Wingdings 3", "F061"), ("Symbol", "no number")):
        sign = line.add_run("x")._r.makeelement(docx.oxml.ns.qn("w:sym"), {})
        sign.set(docx.oxml.ns.qn("w:font"), font)
        sign.set(docx.oxml.ns.qn("w:char"), code)
        line.runs[-1]._r.append(sign)
    line.add_run("A \uf0ce B").font.name = "Symbol"
    line.add_run(" \uf0ce")
    document.save(tmp_path / "a.docx")
    assert [one.text for one in drafts(tmp_path / "a.docx")] == ["xαx→xxA ∈ B \uf0ce"]
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text_frame.text = "Plan"
    line = slide.shapes.add_textbox(0, 0, 9, 9).text_frame.paragraphs[0]
    for text, font in (("sow ", None), ("\uf0e0", "Wingdings"), (" reap ", "Arial"), ("\uf0e0", "Arial")):
        run = line.add_run()
        run.text, run.font.name = text, font
    deck.save(tmp_path / "a.pptx")
    assert [one.text for one in drafts(tmp_path / "a.pptx")] == ["# Plan\n\nsow → reap \uf0e0"]


@pytest.mark.parametrize(
    ("said", "read_as"),
    [
        ("M¨uller f¨ ur fran¸cais, ¸c˜ao, Andr´ e, d´ej`a, ´Etude", "Müller für français, ção, André, déjà, Étude"),
        ("Luı´s, prote´ge´ and Mu¨ller, a prote´ge´", "Luís, protégé and Müller, a protégé"),
        ("Mart´ın y Ni˜no, Dvoˇr´ak, Erd˝os", "Martín y Niño, Dvořák, Erdős"),
        ("don´t, it´s, you´ve, c´est", "don´t, it´s, you´ve, c´est"),
        ("C´est déjà l´été ¨a la carte", "C´est déjà l´été ä la carte"),
        ("http://a.example/˜aligon and /˜a", "http://a.example/˜aligon and /˜a"),
        ("5 ˚C, a ~ b, x ˆ 2, `code`", "5 ˚C, a ~ b, x ˆ 2, `code`"),
    ],
)
def test_accents_that_are_set_with_signs_of_their_own(said, read_as):
    assert composed([said]) == [read_as]


def test_all_pages_tell_where_an_accent_stands():
    assert composed(["Luı´s", "prote´ge´", "no accent"]) == ["Luís", "protégé", "no accent"]
    assert composed(["prote´ge´"]) == ["prote´ge´"]


def test_a_title_that_a_program_has_set_is_none(tmp_path):
    for title in ("Microsoft Word - x.docx", "(anonymous)", "untitled", "PRESENTATION NAME"):
        assert drafts(pdf(tmp_path / "plan.pdf", ["a"], title=title))[0].title == "plan"
    given = "Présentation PowerPoint", "PowerPoint-Präsentation", "Presentación de PowerPoint", "PowerPoint 演示文稿"
    files = "C:\\Users\\rosa\\Temp\\msoD7C6.tmp", "/tmp/a/b.dvi", "x.indd"
    assert {given_title(title, Path("plan.pdf")) for title in (*given, *files)} == {"plan"}
    for title in ("PowerPoint for gardeners", "The presentation of PowerPoint", "A/B tests"):
        assert given_title(title, Path("plan.pdf")) == title


# -------------------------------------------------------------------------------------------------------------- Word


def word(path: Path) -> Path:
    document = docx.Document()
    document.core_properties.title, document.core_properties.author = "Garden plan", "Rosa"
    document.core_properties.keywords = "garden, fruit trees"
    document.core_properties.created = datetime(2024, 1, 2, 3, 4, 5)
    document.add_heading("Trees", 1)
    run = document.add_paragraph("Plant the quince.").runs[0]
    document.add_comment(run, "When?", author="Otto")
    document.add_paragraph("dig", style="List Bullet")
    document.add_paragraph("water", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    cells = [cell for row in table.rows for cell in row.cells]
    for cell, text in zip(cells, ("what", "when", "bl|oom", "May"), strict=True):
        cell.text = text
    document.add_heading("Inner", 2)
    document.add_paragraph("End.")
    document.sections[0].header.paragraphs[0].text = "running head"
    document.save(path)
    return path


def changed(path: Path, part: str, before: str, after: str) -> Path:
    """A zip with a text in one of its files exchanged."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert before.encode() in files[part]
    files[part] = files[part].replace(before.encode(), after.encode(), 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_word_document_is_its_text_under_its_headings(tmp_path):
    path = word(tmp_path / "plan.docx")
    assert detect(path) == "docx"
    trees, inner = drafts(path)
    assert trees.text == (
        "# Trees\n\nPlant the quince.\n\n- dig\n- water\n\n| what | when |\n| --- | --- |\n| bl\\|oom | May |"
    )  # fmt: skip
    assert (inner.text, inner.meta) == ("## Inner\n\nEnd.\n\nComment of Otto: When?", {"heading": "Trees > Inner"})
    assert (trees.title, trees.tags) == ("Garden plan", ("garden", "fruit trees"))
    assert trees.happened_at == "2024-01-02T03:04:05Z"
    assert trees.document.fields == {"author": "Rosa"}
    assert ingested_twice(path) == (0, 0, 0)


def test_words_in_fields_boxes_and_links_are_read_and_deleted_ones_are_not(tmp_path):
    more = (
        '<w:sdt><w:sdtContent><w:p><w:r><w:t>in a field</w:t></w:r></w:p></w:sdtContent></w:sdt>'
        '<w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>'
        '<w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>word</w:t></w:r>'
        '<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>'
    )  # fmt: skip
    path = changed(word(tmp_path / "a.docx"), "word/document.xml", "<w:sectPr", f"{more}<w:sectPr")
    assert drafts(path)[1].text == "## Inner\n\nEnd.\n\nin a field\n\nnew\tword\n\nboxed\n\nComment of Otto: When?"


def test_a_table_of_contents_is_no_part_of_a_word_document(tmp_path):
    path = word(tmp_path / "a.docx")
    document = docx.Document(str(path))
    for style in ("toc 1", "index 1", "Toc"):
        document.styles.add_style(style, WD_STYLE_TYPE.PARAGRAPH)
    for style, text in (("toc 1", "Trees\t2"), ("TOC Heading", "Contents"), ("index 1", "quince, 2"), ("Toc", "Bells")):
        document.add_paragraph(text, style=style)
    document.save(str(path))
    assert drafts(path)[1].text == "## Inner\n\nEnd.\n\nBells\n\nComment of Otto: When?"


def test_formulas_are_read_in_a_line(tmp_path):
    some = lambda name, *parts: f"<m:{name}>{''.join(parts)}</m:{name}>"  # noqa: E731
    run = lambda text: f"<m:r><m:t>{text}</m:t></m:r>"  # noqa: E731
    power = some("sSup", some("e", run("10")), some("sup", run("-6")))
    formula = (
        run("a=")
        + some("f", some("num", run("b")), some("den", run("2c")))
        + power
        + some("sSub", some("e", run("x")), some("sub", run("1")))
        + some("rad", some("deg"), some("e", run("sin\u2061y")))
    )
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    more = f"<w:p><w:r><w:t>For </w:t></w:r><m:oMath {math}>{formula}</m:oMath></w:p>"
    path = changed(word(tmp_path / "a.docx"), "word/document.xml", "<w:sectPr", f"{more}<w:sectPr")
    assert "For a=b/(2c)10^(-6)x_1√(siny)\n" in drafts(path)[1].text


def test_a_broken_file_of_office_says_what_it_is(tmp_path):
    for name, make, part, what in (
        ("a.docx", word, "word/document.xml", "document"),
        ("a.pptx", slides, "ppt/presentation.xml", "slides"),
        ("a.xlsx", sheets, "xl/workbook.xml", "sheets"),
    ):
        path = changed(make(tmp_path / name), part, ">", "")
        assert f"the {what} cannot be read: " in failures(path)[0]


@pytest.mark.parametrize("ending", ["docx", "pptx", "xlsx"])
def test_no_title_and_no_time_is_invented_for_a_file_of_office_without_properties(tmp_path, ending):
    path = {"docx": word, "pptx": slides, "xlsx": sheets}[ending](tmp_path / f"plan.{ending}")
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if "core" not in name}
    files["_rels/.rels"] = re.sub(rb"<Relationship [^>]*core[^>]*/>", b"", files["_rels/.rels"])
    files["[Content_Types].xml"] = re.sub(rb"<Override [^>]*core[^>]*/>", b"", files["[Content_Types].xml"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    document = drafts(path)[0].document
    assert (document.title, document.created_at, document.updated_at) == ("plan", None, None)
    assert document.fields == {}
    assert ingested_twice(path) == (0, 0, 0)


@pytest.mark.parametrize("ending", ["pptx", "xlsx"])
def test_keywords_of_slides_and_sheets_are_tags_as_those_of_a_document_are(tmp_path, ending):
    path = {"pptx": slides, "xlsx": sheets}[ending](tmp_path / f"plan.{ending}")
    if ending == "pptx":
        deck = pptx.Presentation(path)
        deck.core_properties.keywords = "garden, fruit trees"
        deck.save(path)
    else:
        book = openpyxl.load_workbook(path)
        book.properties.keywords = "garden, fruit trees"
        book.save(path)
    assert drafts(path)[0].tags == ("garden", "fruit trees")


def test_a_file_of_office_that_unpacks_to_too_much_is_refused(tmp_path):
    for make in (word, slides, sheets):
        path = make(tmp_path / f"{make.__name__}.zip")
        assert "more than 1,000 bytes" in failures(path, limits=ReadLimits(note_size=1_000))[0]
        assert "more than 9,000 bytes" in failures(path, limits=ReadLimits(file_size=9_000))[0]


# -------------------------------------------------------------------------------------------------------- PowerPoint


def slides(path: Path) -> Path:
    deck = pptx.Presentation()
    deck.core_properties.title = "PowerPoint Presentation"
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Trees"
    body = first.placeholders[1].text_frame
    body.text = "Quince"
    inner = body.add_paragraph()
    inner.text, inner.level = "blooms in May", 1
    first.notes_slide.notes_text_frame.text = "Say why."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(2, 2, 0, 0, 100, 100).table
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"{row}|{column}"
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 10, 10).text_frame.text = "in a group"
    deck.slides.add_slide(deck.slide_layouts[6])
    deck.save(path)
    return path


def test_slides_have_their_number_title_tables_groups_and_notes(tmp_path):
    path = slides(tmp_path / "talk.pptx")
    assert detect(path) == "pptx"
    first, second = drafts(path)
    assert first.text == "# Trees\n\nQuince\n- blooms in May\n\nNotes: Say why."
    assert first.meta == {"slide": 1, "heading": "slide 1 > Trees"}
    assert second.text == "| 0\\|0 | 0\\|1 |\n| --- | --- |\n| 1\\|0 | 1\\|1 |\n\nin a group"
    assert (second.meta, second.title) == ({"slide": 2, "heading": "slide 2"}, "talk")
    assert ingested_twice(path) == (0, 0, 0)


# ------------------------------------------------------------------------------------------------------------- Excel


def sheets(path: Path) -> Path:
    book = openpyxl.Workbook()
    book.active.title = "Visits"
    for row in (["name", "day", "count"], ["Rosa", datetime(2024, 5, 1), 3.0], [None], ["Otto", None, 2.5, "x"]):
        book.active.append(row)
    plain = book.create_sheet("Plain")
    plain.append([1, True])
    plain.append(["a", datetime(2024, 5, 1, 10, 30)])
    book.create_sheet("Empty")
    book.save(path)
    return path


OTHER_KINDS = [
    ("plan.docm", "application/vnd.ms-word.document.macroEnabled.main+xml"),
    ("plan.dotx", "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"),
    ("show.pptm", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
    ("show.ppsx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"),
    ("show.ppsm", "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"),
    ("table.xlsm", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
    ("table.xltx", "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"),
]
PLAIN_KINDS = {
    "plan": (word, "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
    "show": (slides, "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"),
    "table": (sheets, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"),
}


OF_KIND = {"plan": ".docx", "show": ".pptx", "table": ".xlsx"}


@pytest.mark.parametrize(("name", "kind"), OTHER_KINDS)
def test_files_of_office_with_macros_shows_and_templates_are_read(tmp_path, name, kind):
    make, plain = PLAIN_KINDS[Path(name).stem]
    expected = [one.text for one in drafts(make(tmp_path / f"plain{OF_KIND[Path(name).stem]}"))]
    assert [one.text for one in drafts(changed(make(tmp_path / name), "[Content_Types].xml", plain, kind))] == expected


@pytest.mark.parametrize(("name", "make"), [("a.docx", word), ("a.pptx", slides), ("a.xlsx", sheets)])
def test_strict_files_of_office_say_what_others_say(tmp_path, name, make):
    expected = [one.text for one in drafts(make(tmp_path / name))]
    with zipfile.ZipFile(tmp_path / name) as archive:
        files = {one: archive.read(one) for one in archive.namelist()}
    usual = rb"http://schemas\.openxmlformats\.org/(officeDocument|\w+ml)/2006/"
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        for one, data in files.items():
            archive.writestr(one, re.sub(usual, rb"http://purl.oclc.org/ooxml/\1/", data))
    assert [one.text for one in drafts(tmp_path / name)] == expected


@pytest.mark.parametrize("ending", ["docx", "docm", "pptx", "ppsx", "xlsx"])
def test_a_locked_file_of_office_is_said(tmp_path, ending):
    (tmp_path / f"secret.{ending}").write_bytes(compound({"EncryptedPackage": b"?"}))
    assert failures(tmp_path / f"secret.{ending}") == ["locked by a password"]
    (tmp_path / f"old.{ending}").write_bytes(compound({"WordDocument": b"?"}))
    assert "give it the name of such a file" in failures(tmp_path / f"old.{ending}")[0]


PEOPLE = '<p:cmAuthorLst><p:cmAuthor id="0" name="Rosa &amp; Co"/></p:cmAuthorLst>'
NEWER = '<p188:authorLst><p188:author id="{A}" name="Otto"/></p188:authorLst>'


def commented(path: Path, owner: str, parts: dict[str, str]) -> Path:
    """A file of Office to whose slide or sheet these parts with comments belong."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    links = f"{Path(owner).parent}/_rels/{Path(owner).name}.rels"
    kinds = {name: "threadedComment" if "threaded" in name else "comments" for name in parts if "omment" in name}
    added = "".join(f'<Relationship Id="c{n}" Type="x/{kinds[one]}" Target="/{one}"/>' for n, one in enumerate(kinds))
    before = files.get(links, b"<Relationships></Relationships>").decode()
    files[links] = before.replace("</Relationships>", f"{added}</Relationships>").encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**files, **{name: text.encode() for name, text in parts.items()}}.items():
            archive.writestr(name, data)
    return path


def test_comments_on_slides_are_read(tmp_path):
    old = (
        '<p:cmLst><p:cm authorId="0"><p:text>Is it &lt; 3?</p:text></p:cm><p:cm authorId="7"><p:text/></p:cm></p:cmLst>'
    )
    words = lambda *runs: "".join(["<a:p>", *(f"<a:r><a:t>{run}</a:t></a:r>" for run in runs), "</a:p>"])  # noqa: E731
    reply = f'<p188:replyLst><p188:reply authorId="9">{words("Yes.")}</p188:reply></p188:replyLst>'
    new = f'<p188:cmLst><p188:cm authorId="{{A}}">{reply}{words("In ", "May")}</p188:cm></p188:cmLst>'
    parts = {"ppt/commentAuthors.xml": PEOPLE, "ppt/authors.xml": NEWER}
    parts |= {"ppt/comments/comment1.xml": old, "ppt/comments/modernComment_1.xml": new}
    path = commented(slides(tmp_path / "a.pptx"), "ppt/slides/slide1.xml", parts)
    said = drafts(path)[0].text.split("\n\n")
    assert said[-3:] == ["Comment of Rosa & Co: Is it < 3?", "Comment of Otto: In May", "Comment: Yes."]


def test_comments_on_cells_are_read_once(tmp_path):
    book = openpyxl.load_workbook(sheets(tmp_path / "a.xlsx"))
    book.worksheets[0]["A2"].comment = openpyxl.comments.Comment("Rosa:\nPaid?", "Rosa")
    book.worksheets[0]["B2"].comment = openpyxl.comments.Comment("[Threaded comment] See a newer Excel", "tc={1}")
    book.save(tmp_path / "a.xlsx")
    newer = '<threadedComment ref="B2" personId="{1}"><text>In May.</text></threadedComment>'
    parts = {"xl/persons/person.xml": '<personList><person displayName="Otto" id="{1}"/></personList>'}
    parts |= {"xl/threadedComments/threadedComment1.xml": f"<ThreadedComments>{newer}</ThreadedComments>"}
    path = commented(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", parts)
    changed(path, "xl/comments/comment1.xml", "<text>", "<text><r><rPr><b/></rPr></r>")  # as Excel sets the author
    first = drafts(path)[0].text.split("\n\n")
    assert first[-2:] == ["Comment of Rosa on A2: Paid?", "Comment of Otto on B2: In May."]
    assert ingested_twice(path) == (0, 0, 0)


def test_a_sheet_that_lost_the_file_it_looks_into_is_read(tmp_path):
    path, links = sheets(tmp_path / "a.xlsx"), "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    reference = (
        f'<externalReferences><externalReference xmlns:r="{links}" r:id="rId9"/></externalReferences></workbook>'
    )
    link = f'<Relationship Id="rId9" Type="{links}/externalLink" Target="externalLinks/gone.xml"/></Relationships>'
    changed(path, "xl/workbook.xml", "</workbook>", reference)
    changed(path, "xl/_rels/workbook.xml.rels", "</Relationships>", link)
    assert drafts(path)[0].text == drafts(sheets(tmp_path / "b.xlsx"))[0].text


def test_control_characters_are_no_part_of_a_document(tmp_path):
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1\ansi The quince\'00 tree\'01.}")
    assert drafts(tmp_path / "a.rtf")[0].text == "The quince tree."


def test_rows_of_a_sheet_have_the_names_of_their_columns(tmp_path):
    path = sheets(tmp_path / "visits.xlsx")
    assert detect(path) == "xlsx"
    visits, plain = drafts(path)
    assert visits.text == "# Visits\n\n- name: Rosa; day: 2024-05-01; count: 3\n- name: Otto; count: 2.5; x"
    assert visits.meta == {"sheet": "Visits", "heading": "Visits"}
    assert plain.text == "# Plain\n\n- 1; True\n- a; 2024-05-01 10:30:00"
    assert (visits.title, visits.document.fields) == ("visits", {})
    assert ingested_twice(path) == (0, 0, 0)


# -------------------------------------------------------------------------------------------------------------- EPUB

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
PACKAGE = """<?xml version="1.0"?><package><metadata>
<dc:title>Trees &amp; shrubs</dc:title><dc:creator id="a">Rosa</dc:creator><dc:creator>Otto</dc:creator>
<dc:date>2024-01-02</dc:date><dc:subject>garden</dc:subject></metadata>
<manifest><item id="two" href="b%20c.xhtml"/><item id="one" href="text/a.xhtml"/><item id="map" href="nav.xhtml"/>
<item id="lost" href="lost.xhtml"/><item id="page" href="page.png" media-type="image/png"/></manifest>
<spine><itemref idref="map"/><itemref idref="page"/><itemref idref="one"/><itemref idref="two"/><itemref idref="lost"/>
<itemref idref="one" linear="no"/></spine></package>"""
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/content.opf": PACKAGE,
    "OEBPS/text/a.xhtml": "<html><head><title>x</title></head><body><h2>First</h2><p>The <i>quince</i>.</p></body>",
    "OEBPS/b c.xhtml": "<html><body><p>No heading.<img src='a.png'/></p></body></html>",
    "OEBPS/page.png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "OEBPS/nav.xhtml": "<html><body><nav><ol><li>First</li></ol></nav></body></html>",
}


def test_chapters_of_a_book_are_in_the_order_of_reading(tmp_path):
    path = zipped(tmp_path / "a.epub", BOOK)
    assert detect(path) == "epub"
    first, second = drafts(path)
    assert (first.text, first.meta) == ("## First\n\nThe quince.", {"chapter": 2, "heading": "First"})
    assert (second.text, second.meta) == ("No heading.", {"chapter": 3, "heading": "chapter 3"})
    assert (first.title, first.tags, first.happened_at) == ("Trees & shrubs", ("garden",), "2024-01-02")
    assert first.document.fields == {"author": "Rosa, Otto"}
    assert ingested_twice(path) == (0, 0, 0)


def test_an_encrypted_book_is_said_and_one_with_encrypted_fonts_is_read(tmp_path):
    encryption = '<encryption><CipherReference URI="OEBPS/{}"/></encryption>'
    for name, locked in (("font.otf", False), ("text/a.xhtml", True)):
        path = zipped(tmp_path / "a.epub", {**BOOK, "META-INF/encryption.xml": encryption.format(name)})
        assert failures(path) == (["encrypted books (DRM)"] if locked else [])
    path = zipped(tmp_path / "b.epub", {"META-INF/container.xml": CONTAINER})
    assert failures(path) == ["the book has no 'OEBPS/content.opf'"]


# ------------------------------------------------------------------------------------------------------- OpenDocument

META = """<office:document-meta><office:meta><meta:initial-creator>Rosa</meta:initial-creator>
<meta:creation-date>2024-03-01T10:00:00.123456789</meta:creation-date><dc:date>2024-04-01T10:00:00</dc:date>
<dc:title>The quinces</dc:title><meta:keyword>garden</meta:keyword></office:meta></office:document-meta>"""


def opendocument(path: Path, body: str, manifest: str = "<manifest/>") -> Path:
    content = f"<office:document-content><office:body>{body}</office:body></office:document-content>"
    return zipped(path, {"content.xml": content, "meta.xml": META, "META-INF/manifest.xml": manifest})


TEXT = """<office:text><text:tracked-changes><text:p>Deleted.</text:p></text:tracked-changes>
<text:table-of-content><text:p>Contents 1</text:p></text:table-of-content>
<text:p text:style-name="Title">Quinces</text:p>
<text:p>It&lt;s
<text:span>late</text:span><text:s text:c="3"/>or <text:a xlink:href="https://a.org">not</text:a>,
<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>
<text:p>As
Otto says.</text:p></text:note-body></text:note>
<office:annotation><dc:creator>Otto</dc:creator><dc:date>2024</dc:date>
<text:p>Really?</text:p></office:annotation>really<text:line-break/>so.</text:p>
<text:h text:outline-level="2">Work</text:h>
<text:list><text:list-item><text:p>prune</text:p>
<text:list><text:list-item><text:p>in May</text:p></text:list-item>
</text:list></text:list-item></text:list><draw:frame><svg:title>a picture</svg:title>
<office:binary-data>iVBORw0KGgo=</office:binary-data></draw:frame>
<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>what</text:p></table:table-cell>
<table:table-cell><text:p>when</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row>
<table:table-cell><text:p>bloom</text:p></table:table-cell><table:table-cell><text:p>May</text:p></table:table-cell>
</table:table-row></table:table></office:text>"""


def test_a_text_of_libreoffice_is_its_passages_under_its_headings(tmp_path):
    path = opendocument(tmp_path / "a.odt", TEXT)
    assert detect(path) == "opendocument"
    first, second = drafts(path, timezone="Europe/Paris")
    assert first.text == "# Quinces\n\nIt<s late or [not](https://a.org), really\nso."
    assert second.text == (
        "## Work\n\n- prune\n  - in May\n\n| what | when |\n| --- | --- |\n| bloom | May |\n\n"
        "Footnote: As Otto says.\n\nComment of Otto: Really?"
    )
    assert (first.title, first.tags, first.happened_at) == ("The quinces", ("garden",), "2024-03-01T09:00:00Z")
    assert (first.document.updated_at, first.document.fields["author"]) == ("2024-04-01T08:00:00Z", "Rosa")
    assert ingested_twice(path) == (0, 0, 0)


def test_a_flat_file_of_libreoffice_says_what_the_zip_says(tmp_path):
    meta = META.removeprefix("<office:document-meta>").removesuffix("</office:document-meta>")
    flat = f'<office:document office:version="1.3">{meta}<office:body>{TEXT}</office:body></office:document>'
    (tmp_path / "a.fodt").write_text(flat)
    assert detect(tmp_path / "a.fodt") == "opendocument"
    zipped_up, found = drafts(opendocument(tmp_path / "a.odt", TEXT)), drafts(tmp_path / "a.fodt")
    said = lambda one: (one.text, one.title, one.tags, one.happened_at, one.document.fields)  # noqa: E731
    assert [*map(said, found)] == [*map(said, zipped_up)]
    assert ingested_twice(tmp_path / "a.fodt") == (0, 0, 0)


def cell(words: str = "", about: str = "") -> str:
    return f"<table:table-cell {about}>{f'<text:p>{words}</text:p>' if words else ''}</table:table-cell>"


def test_sheets_of_libreoffice_have_the_names_of_their_columns_and_empty_cells_none(tmp_path):
    empty = cell(about='table:number-columns-repeated="16384"')
    rows = [
        cell("what") + cell("when") + cell("sure") + empty,
        cell("bloom") + cell("1. Mai", 'office:date-value="2024-05-01"')
        + cell(about='office:boolean-value="true"') + empty,
        cell("pears") + cell(about='table:number-columns-repeated="1"') + cell("1,50", 'office:value="1.5"'),
    ]  # fmt: skip
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    last = f'<table:table-row table:number-rows-repeated="1048570">{empty}</table:table-row>'
    sheets = f'<table:table table:name="Garden">{table}{last}</table:table><table:table table:name="Sheet2"/>'
    path = opendocument(tmp_path / "a.ods", f"<office:spreadsheet>{sheets}</office:spreadsheet>")
    assert [one.text for one in drafts(path)] == [
        "# Garden\n\n- what: bloom; when: 2024-05-01; sure: true\n- what: pears; sure: 1.5"
    ]


def test_equal_cells_of_libreoffice_are_told_by_their_number_up_to_a_bound(tmp_path):
    row = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'
    few = row.format(2, cell("x", 'table:number-columns-repeated="2"'))
    many = row.format(1000, cell("x", 'table:number-columns-repeated="1000"')) * 2
    for name, rows in (("few", few), ("many", many)):
        opendocument(
            tmp_path / f"{name}.ods", f"<office:spreadsheet><table:table>{rows}</table:table></office:spreadsheet>"
        )
    assert [one.text for one in drafts(tmp_path / "few.ods")] == ["- x: x; x: x"]
    assert failures(tmp_path / "many.ods") == ["more than 1,000,000 cells that are only told by their number"]


def test_a_first_row_that_names_no_column_below_it_is_a_row(tmp_path):
    book = openpyxl.Workbook()
    for row in (["The yard", "and the shed"], [None, None, "It blooms."]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert [one.text for one in drafts(tmp_path / "a.xlsx")] == ["# Sheet\n\n- The yard; and the shed\n- It blooms."]


def test_slides_of_libreoffice_have_their_number_title_and_notes(tmp_path):
    page = """<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Quinces</text:p></draw:text-box>
    </draw:frame><draw:frame><draw:text-box><text:p>It blooms.</text:p></draw:text-box></draw:frame><draw:frame>
    <text:p><text:page-number>1</text:page-number></text:p></draw:frame><presentation:notes><text:p>Say it.</text:p>
    </presentation:notes></draw:page>"""
    path = opendocument(tmp_path / "a.odp", f"<office:presentation><draw:page/>{page}</office:presentation>")
    (slide,) = drafts(path)
    assert (slide.text, slide.meta["slide"]) == ("# Quinces\n\nIt blooms.\n\nNotes: Say it.", 2)


@pytest.mark.parametrize(
    ("content", "manifest", "reason"),
    [
        ("<office:text>", "<manifest/>", "the document cannot be read"),
        ("<office:text/>", "<manifest:encryption-data/>", "locked by a password"),
        ("<text:p>" * 200 + "</text:p>" * 200, "<manifest/>", "more than 100 elements inside each other"),
    ],
)
def test_a_damaged_deep_or_locked_file_of_libreoffice_is_said(tmp_path, content, manifest, reason):
    assert reason in failures(opendocument(tmp_path / "a.odt", content, manifest))[0]


def test_a_file_of_libreoffice_with_entities_of_its_own_is_not_read(tmp_path):
    content = '<!DOCTYPE a [<!ENTITY a "b">]><office:document-content/>'
    path = zipped(tmp_path / "a.odt", {"content.xml": content, "META-INF/manifest.xml": "<manifest/>"})
    assert failures(path) == ["it declares entities of its own, which are not read"]


# -------------------------------------------------------------------------------------------------------------- HTML

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>Quince | My site</title>
<meta property="og:title" content="The quince"><meta name="author" content="Rosa">
<meta property="article:published_time" content="2024-01-02T03:04:05+01:00"><link rel="canonical" href="https://x.org/q">
</head><body><header>My site</header><nav>menu</nav><article><header><h1>The quince</h1></header><p>It blooms in May,
and bears fruit in October.</p><aside>ad</aside></article><footer>imprint</footer></body></html>"""


def test_a_saved_page_is_its_main_part_with_title_author_day_and_address(tmp_path):
    path = tmp_path / "quince.html"
    path.write_text(PAGE)
    assert detect(path) == "html"
    (found,) = drafts(path)
    assert found.text == "# The quince\n\nIt blooms in May, and bears fruit in October."
    assert (found.title, found.happened_at) == ("The quince", "2024-01-02T02:04:05Z")
    assert found.document.fields == {"url": "https://x.org/q", "author": "Rosa"}
    assert ingested_twice(path) == (0, 0, 0)


def test_a_page_of_a_post_tells_in_its_marks_when_and_by_whom_it_was_written(tmp_path):
    post = (
        '<html><head><title>The quince</title></head><body><article class="h-entry"><h1 class="p-name">The quince</h1>'
        '<section class="e-content"><p>It blooms late this year.</p></section><footer><p>By '
        '<a href="https://medium.example/@rosa" class="p-author h-card">Rosa <b>Marsh</b> &amp; Ivo</a> on '
        '<a href="https://medium.example/p/1"><time class="dt-published" datetime="2016-03-01T10:00:00.000Z">March 1'
        '</time></a>.</p><p><a href="https://medium.example/@rosa/q?a=1&amp;b" class="p-canonical">Link</a></p>'
        "</footer></article></body></html>"
    )
    (tmp_path / "2016-03-02_The-quince-1.html").write_text(post)
    (found,) = (one for one in read(tmp_path) if isinstance(one, Draft))
    assert found.text == "# The quince\n\nIt blooms late this year."
    assert (found.happened_at, found.document.fields) == (
        "2016-03-01T10:00:00Z",
        {"url": "https://medium.example/@rosa/q?a=1&b", "author": "Rosa Marsh & Ivo"},
    )
    several = post.replace("</article>", '</article><article><time class="dt-published" datetime="2017-01-01"></time>')
    (tmp_path / "2016-03-02_The-quince-1.html").write_text(several)
    (found,) = (one for one in read(tmp_path) if isinstance(one, Draft))
    assert (found.happened_at, "author" in found.document.fields) == ("2016-03-02", False)


def test_what_a_page_has_beside_its_words_is_left_out():
    beside = ("noprint", "vector-menu x", "sr-only", "mw-editsection", "catlinks")
    inside = "".join(f'<div class="{name}"><input type="checkbox"> edit</div>' for name in beside)
    assert (
        page_text(f'<main><h1>Quince</h1>{inside}<p class="printed">It blooms.</p></main>') == "# Quince\n\nIt blooms."
    )


def test_a_page_whose_main_part_says_little_is_read_whole():
    body = "<main><p>Hello</p></main><div>" + "All of this stands beside it. " * 9 + "</div><p hidden>x</p>"
    assert page_text(body).startswith("Hello\n\nAll of this")
    assert "x" not in page_text(body)
    assert page_text("<p>No main part</p><div role='navigation'>menu</div>") == "No main part"


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("utf-8", ""),
        ("utf-16", ""),
        ("utf-8-sig", ""),
        ("gb18030", '<meta charset="gb18030">'),
        ("shift_jis", "<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>"),
    ],
)
def test_a_page_is_read_in_its_encoding(tmp_path, encoding, head):
    path = tmp_path / "a.html"
    path.write_bytes(f"<html>{head}<body><p>花園</p></body></html>".encode(encoding))
    assert [one.text for one in read(path, format="html")] == ["花園"]


def test_a_page_of_windows_without_an_encoding_is_read(tmp_path):
    path = tmp_path / "a.html"
    path.write_bytes("<p>Größe – “x”</p>".encode("cp1252"))
    assert [one.text for one in drafts(path)] == ["Größe – “x”"]


# --------------------------------------------------------------------------------------------------------------- rst


@pytest.mark.parametrize(
    ("rst", "markdown"),
    [
        ("====\nTop\n====\n\nInner\n-----\ntext\n\nNext\n=====\n", "# Top\n\n## Inner\n\ntext\n\n### Next"),
        ("Top\n***\n\nInner\n~~~~~\n\nNext\n****", "# Top\n\n## Inner\n\n# Next"),
        ("See `the page <https://x.org>`_, `Plum`_ and :ref:`Pear <pear>` :func:`~a.b`.\n\n.. _Plum: https://p.org",
         "See [the page](https://x.org), [Plum](https://p.org) and Pear a.b."),
        ("Run ``x = 1``::\n\n    a\n\n      b\n\nend", "Run `x = 1`:\n\n```\na\n\n  b\n```\n\nend"),
        (".. code-block:: python\n   :linenos:\n\n   x = 1\n\nend", "```python\nx = 1\n```\n\nend"),
        (".. note:: Mind\n   the gap.\n\n.. image:: a.png\n   :alt: x\n\nend", "Mind\nthe gap.\n\nend"),
        (".. a comment\n   of two lines\n\n..\n   and more\n\nend", "end"),
        (".. toctree::\n\n   a\n   b\n\n.. figure:: a.png\n\n   A caption.", "A caption."),
        ("a\n\n----\n\nb", "a\n\n----\n\nb"),
    ],
)  # fmt: skip
def test_rst_as_markdown(rst, markdown):
    assert rst_markdown(rst) == markdown


def test_an_rst_document_is_its_passages_under_its_headings(tmp_path):
    path = tmp_path / "guide.rst"
    path.write_text("Guide\n=====\n\nStart.\n\nTrees\n-----\n\nQuince.\n")
    assert detect(path) == "rst"
    assert [(one.text, one.meta["heading"], one.title) for one in drafts(path)] == [
        ("# Guide\n\nStart.", "Guide", "Guide"),
        ("## Trees\n\nQuince.", "Guide > Trees", "Guide"),
    ]
    assert ingested_twice(path) == (0, 0, 0)


def test_a_page_that_is_called_after_a_day_is_of_that_day(tmp_path):
    """As Apple Journal exports its entries; what the page itself says comes first."""
    page = '<html><head>{}</head><body><div class="title">The quince</div><p>It blooms.</p></body></html>'
    dated = '<meta name="date" content="2020-01-02">'
    for name, head in {
        "2024-11-03.html": "",
        "2024-11-04 (1).html": "",
        "2024-11-05.html": dated,
        "c.html": "",
    }.items():
        (tmp_path / name).write_text(page.format(head))
    assert [one.happened_at for one in read(tmp_path)] == ["2024-11-03", "2024-11-04", "2020-01-02", None]


@pytest.mark.parametrize(
    "day", ["Sunday, 3 November 2024", "Sonntag, 3. November 2024", "2024年11月3日 日曜日", "dimanche 3 novembre 2024"]
)
def test_an_entry_of_apple_journal_is_of_the_day_in_it(tmp_path, day):
    """Whatever its file is called: it is called after its title, or after nothing."""
    (tmp_path / "Entry.html").write_text(
        "<!DOCTYPE html><html><head><title></title></head><body><div class='pageContainer'>"
        f"<div class=\"pageHeader\">{day}</div><div class='title'>Rosa &amp;  Otto</div>"
        "<div class='bodyText'></span></p><p class=\"p2\">The quince blooms.</p></div></body></html>"
    )
    (found,) = drafts(tmp_path / "Entry.html")
    assert (found.title, found.happened_at) == ("Rosa & Otto", "2024-11-03")
    assert "The quince blooms." in found.text


@pytest.mark.parametrize(
    ("said", "author"),
    [
        *((said, "") for said in ("Windows 10 1703", "Administrator", "Администратор", "admin", "MS Office User")),
        *((said, "") for said in ("Windows-Benutzer", "Usuario de Windows", "Utilisateur Windows")),
        *((said, "") for said in ("Windows ユーザー", "微软用户", "HP", "Lenovo-PC", "DELL", "User1")),
        *((said, "") for said in ("Apache POI", "openpyxl", "Microsoft Corporation", "your name", "root")),
        ("Пользователь Windows", ""),
        *((said, said) for said in ("Rosa Marsh", "Dell Hymes", "Adminda Lowe", "Windowsky", "Rooth", "Bo User")),
    ],
)  # fmt: skip
def test_a_machine_or_its_account_has_written_no_document(said, author):
    assert given_author(said) == author


MHTML = """From: <Saved by Blink>
Snapshot-Content-Location: https://plums.example/a
Subject: =?utf-8?Q?Plums?=
Date: Sat, 12 Nov 2022 19:55:54 -0000
MIME-Version: 1.0
Content-Type: multipart/related;
\ttype="text/html";
\tboundary="--b--"


----b--
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable
Content-Location: https://plums.example/a

<html><head><title>Plums</title></head><body><nav>Menu</nav><main><p>They bl=C3=BChen in=
 2019.</p></main></body></html>
----b--
Content-Type: text/html
Content-Location: cid:frame@mhtml.blink

{}
----b--
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
----b----
"""


@pytest.mark.parametrize(
    ("frame", "text"),
    [("<p>An advertisement</p>", "They blühen in 2019."), (f"<p>{'quince ' * 40}</p>", ("quince " * 40).strip())],
)
def test_a_page_that_was_saved_as_one_file(tmp_path, frame, text):
    path = tmp_path / "plums.mhtml"
    path.write_text(MHTML.format(frame).replace("\n", "\r\n"), newline="")
    assert detect(path) == "mhtml"
    (found,) = [one for one in read(path) if isinstance(one, Draft)]
    assert (found.text, found.title, found.document.fields["url"]) == (text, "Plums", "https://plums.example/a")
    assert found.happened_at is None


def test_a_single_file_without_a_page_fails(tmp_path):
    path = tmp_path / "a.mht"
    path.write_text("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n\nx\n--b--\n")
    with pytest.raises(BadSource, match="there is no page in it"):
        list(read(path))
