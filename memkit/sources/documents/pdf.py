"""PDF loader: the text of each page, without the heads, feet and numbers that repeat on all pages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from memkit.core.types import Failure, LeftOut
from memkit.sources.contents import whole
from memkit.sources.documents.document import BROKEN, damaged, given_author, given_title, locked, quiet, timed
from memkit.sources.documents.pdf_accents import composed
from memkit.sources.documents.pdf_actual_texts import Font, with_actual_texts
from memkit.sources.documents.pdf_directions import read_text
from memkit.sources.documents.pdf_fonts import CALIBRI, complete
from memkit.sources.documents.pdf_notes import notes_on
from memkit.sources.format import Format
from memkit.sources.notes.note import Note, Record, Section, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.text.typesetting import as_typed

_AT_THE_EDGE = 2  # lines at the top and at the bottom of a page that may repeat
_FEWEST_PAGES = 3  # of a document in which what repeats is a head or a foot
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?=[a-zß-ÿ])")
_CALIBRI_SIGNS = {chr(number): letters for number, letters in CALIBRI.items()}
_CALIBRI = re.compile(r"(?<=[a-zà-ÿ])[ƟƩƞƫŌ]|[ƟƩƞƫ](?=[a-zà-ÿ])")  # Ōsaka begins with a letter
_ARABIC_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]")
_BLANK_AS_LETTER = re.compile(r"[a-zà-ÿ]Ê")
_FEW = 2  # on a page, of what may be a slip
_WRAPPED = re.compile(r"(?<=[^\s.!?:;•])[ \t]*\n(?=[a-zß-ÿ(])")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Record]:
    """The pages that have text. A document with none, such as a scan, and one with a password are Failures."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    data = whole(path, options)
    with quiet("pypdf"), damaged("PDF", PyPdfError):
        document = PdfReader(BytesIO(data), strict=False)
        if document.is_encrypted and not document.decrypt(""):
            yield locked(path)
            return
        pages = list(_pages(timed(document.pages, options), PyPdfError))
        about: Any = document.metadata or {}
        errors = {number: page.error for number, page in enumerate(pages, 1) if page.error}
        if errors and len(errors) == len(pages):
            raise errors[1]
    for number, error in errors.items():
        yield Failure(path.as_posix(), f"page {number} of the PDF cannot be read: {error}")
    bodies = _bodies(composed([sound_letters(page.text) for page in pages]))
    texts = ["\n\n".join(filter(None, [body, *page.notes])) for body, page in zip(bodies, pages, strict=True)]
    if not any(texts):
        yield LeftOut(path.as_posix(), "scans without text, which only OCR can read")
        return
    note = Note(
        source=path.as_posix(),
        title=given_title(about.get("/Title"), path),
        text="",
        sections=tuple(Section(text, f"page {number}", meta={"page": number}) for number, text in enumerate(texts, 1)),
        created=_time(about, "creation_date"),
        updated=_time(about, "modification_date"),
        aliases=[path.stem],
        author=given_author(about.get("/Author")),
        kind="document",
    )
    yield from drafts([note], path, options)


class _Page(NamedTuple):
    """What a page says, with the letters that its signs stand for, and the notes on it; or why it cannot be read."""

    text: str = ""
    notes: Sequence[str] = ()
    error: Exception | None = None


def _pages(pages: Iterable[Any], error: type[Exception]) -> Iterator[_Page]:
    known: set[int] = set()
    fonts: dict[int, Font] = {}
    for page in pages:
        with suppress(*BROKEN):  # the page is read as it is
            complete(page.get("/Resources"), known)
            with_actual_texts(page, fonts)
        try:
            yield _Page(read_text(page), [sound_letters(note) for note in notes_on(page)])
        except (*BROKEN, error) as why:
            yield _Page(error=why)


def sound_letters(text: str) -> str:
    """The text with the letters that its reader saw, where a font has signs of its own.

    Two letters that are set as one sign are two (`deﬁne`, in Calibri `soluƟon` and `aƩend`), or no word would find
    them, and Arabic letters have no form for their place in a word. A blank of old Macs is read as `Ê`, which follows
    no small letter. NUL and halves of characters go.
    """
    text = as_typed(text.replace("\0", "").encode("utf-8", "ignore").decode())
    text = _CALIBRI.sub(lambda sign: _CALIBRI_SIGNS[sign[0]], text)
    text = _ARABIC_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)
    return text.replace("Ê", " ") if len(_BLANK_AS_LETTER.findall(text)) > _FEW else text


def _time(about: Any, name: str) -> object:
    try:
        return getattr(about, name, None)
    except (ValueError, TypeError, AttributeError):  # a date that is none
        return None


def _bodies(pages: Sequence[str]) -> Iterator[str]:
    """The text of each page without what repeats at its edges, with words and lines joined that were cut."""
    lines = [[line.strip() for line in page.split("\n")] for page in pages]
    lines = [[line for line in page if line] if any(page) else [] for page in lines]
    repeated = _repeated(lines)
    for page in lines:
        kept = [line for place, line in enumerate(page) if not (_is_edge(place, page) and _shape(line) in repeated)]
        yield _WRAPPED.sub(" ", _HYPHEN.sub("", "\n".join(kept)))


def _repeated(pages: Sequence[Sequence[str]]) -> set[str]:
    """What stands at the edges of more than half of the pages, whatever its numbers are."""
    counts = Counter(
        shape for page in pages for shape in {_shape(line) for place, line in enumerate(page) if _is_edge(place, page)}
    )
    return {shape for shape, count in counts.items() if len(pages) >= _FEWEST_PAGES and count * 2 > len(pages)}


def _is_edge(place: int, page: Sequence[str]) -> bool:
    return place < _AT_THE_EDGE or place >= len(page) - _AT_THE_EDGE


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line)


def _matches(sample: Sample) -> bool:
    return b"%PDF-" in sample.head[:1024] and not (sample.is_zip or sample.is_tar)


FORMAT = Format("pdf", "PDF, with its pages", read, _matches, ("*.pdf",), needs=("pypdf",), extra="documents")
