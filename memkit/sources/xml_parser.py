"""An XML parser for files that others made: it opens no other file, and refuses entities of the file's own."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat


def xml_parser(
    start: Callable[[str, dict[str, str]], object],
    end: Callable[[str], object],
    said: Callable[[str], object],
    why_not: str = "which are not read",
) -> expat.XMLParserType:
    """A parser (expat) that tells of each element's start and end, and of the text in it.

    It raises ExpatError for broken XML, LookupError for an encoding that there is not, and ValueError, with `why_not`,
    for entities that the file declares itself: they could grow without end.
    """

    def refuse(*_: object) -> None:
        raise ValueError(f"it declares entities of its own, {why_not}")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = said, refuse
    return parser
