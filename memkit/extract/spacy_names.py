"""Names found by spaCy, for those who have it and one of its models installed: an extra, never needed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from memkit.errors import NeedsPackage, NotFound
from memkit.extract.case import CaseStatistics
from memkit.extract.names import Span

MODEL = "en_core_web_sm"

# What is counted or dated is no entity of a memory graph.
_NO_NAMES = frozenset("DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL LANGUAGE".split())
_LONGEST_TEXT = 100_000  # characters: spaCy refuses ten times that, and takes a gigabyte for it


def find_names(text: str, statistics: CaseStatistics | None = None, *, model: str = MODEL) -> list[Span]:
    """The names in a text, in order, as spaCy's `model` sees them; the statistics are not needed.

    Raises NeedsPackage if spaCy is not installed, NotFound if the model is not.
    """
    nlp = _load(model)
    spans = []
    for start in range(0, len(text), _LONGEST_TEXT):
        for entity in nlp(text[start : start + _LONGEST_TEXT]).ents:
            if entity.label_ not in _NO_NAMES and entity.text.strip():
                spans.append(Span(start + entity.start_char, start + entity.end_char, " ".join(entity.text.split())))
    return spans


@lru_cache(maxsize=2)
def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise NeedsPackage("spacy", "Finding names with spaCy") from error
    try:
        return spacy.load(model)
    except OSError as error:
        raise NotFound(f"There is no spaCy model {model!r} here. Run: python -m spacy download {model}") from error
