"""PowerPoint loader: the text of each slide, with its tables, the speaker's notes and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from memkit.sources.documents.document import (
    damaged,
    is_office,
    locked,
    markdown_table,
    office_file,
    office_note,
    office_properties,
    timed,
)
from memkit.sources.documents.office_comments import comments_in
from memkit.sources.documents.symbol_fonts import signs_of
from memkit.sources.format import Format
from memkit.sources.html_markdown import tidy
from memkit.sources.notes.note import Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SHOW_WITH_MACROS = "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"
_FILES = ("*.pptx", "*.pptm", "*.ppsx", "*.ppsm")
_DEEPEST = 20  # groups in groups


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The slides that have words, also hidden ones."""
    from pptx.exc import PythonPptxError

    stream = office_file(path, options)
    if stream is None:
        yield locked(path)
        return
    with damaged("slides", PythonPptxError):
        comments = comments_in(stream, options)
        slides = [_slide(slide, comments) for slide in timed(_opened(stream).slides, options)]
        about = office_properties(stream, options)
    sections = [Section(text, f"slide {number}", meta={"slide": number}) for number, text in enumerate(slides, 1)]
    yield from drafts([office_note(path, about, sections=sections)], path, options)


def _opened(stream: BytesIO) -> Any:
    """The presentation, also one that starts as a show, which python-pptx itself refuses."""
    from pptx.opc.package import PartFactory
    from pptx.package import Package
    from pptx.parts.presentation import PresentationPart

    PartFactory.part_type_for.setdefault(_SHOW_WITH_MACROS, PresentationPart)
    return Package.open(stream).main_document_part.presentation


def _slide(slide: Any, comments: Mapping[str, Sequence[str]]) -> str:
    _read_signs(slide)
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None and title.has_text_frame else ""
    shapes = [one for one in slide.shapes if title is None or one.shape_id != title.shape_id]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = " ".join(notes.text.split()) if notes is not None else ""
    parts = [f"# {heading}" if heading else "", *_texts(shapes, _DEEPEST), f"Notes: {said}" if said else ""]
    parts += comments.get(str(slide.part.partname).lstrip("/"), ())
    return tidy("\n\n".join(part for part in parts if part.strip()).replace("\v", "\n"))


def _read_signs(slide: Any) -> None:
    """Puts the signs of symbol fonts in the place of the private characters that stand for them on a slide."""
    for run in slide.element.iter(f"{_A}r"):
        text = run.find(f"{_A}t")
        for font in (run.find(f"{_A}rPr/{_A}{kind}") for kind in ("sym", "latin")):
            if text is not None and text.text and font is not None:
                text.text = text.text.translate(signs_of(font.get("typeface") or ""))


def _texts(shapes: Any, deepest: int) -> Iterator[str]:
    """The texts of shapes, of those in groups, and of tables."""
    for shape in shapes:
        if getattr(shape, "shapes", None) is not None and deepest:
            yield from _texts(shape.shapes, deepest - 1)
        elif getattr(shape, "has_table", False):
            yield markdown_table([cell.text for cell in row.cells] for row in shape.table.rows)
        elif shape.has_text_frame:
            yield "\n".join(_line(one) for one in shape.text_frame.paragraphs)


def _line(paragraph: Any) -> str:
    text = paragraph.text.strip()
    return f"{'  ' * (paragraph.level - 1)}- {text}" if paragraph.level and text else text


def _matches(sample: Sample) -> bool:
    return is_office(sample, "ppt/presentation.xml", _FILES)


FORMAT = Format(
    "pptx",
    "PowerPoint slides, with their notes",
    read,
    _matches,
    _FILES,
    needs=("pptx",),
    extra="documents",
)
