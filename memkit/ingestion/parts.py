"""Parts of an ingest: what is found in some texts alone, so that a second process may find it as well as this one.

Each function takes what both processes know (`SecondProcess.tell`) and its texts. It keeps there what it makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memkit.embedding import BUILT_IN, load_embedder
from memkit.embedding.sentence_words import reader_of
from memkit.graph import duplicates, entities
from memkit.graph.quotes import LONGEST_QUOTE
from memkit.ingestion import relation_extraction
from memkit.ingestion.relation_extraction import NamedTriple
from memkit.storage.vectors import with_spans
from memkit.text.composed import as_written, composed
from memkit.text.extract.case import CaseStatistics
from memkit.text.extract.guard import strip_context
from memkit.text.extract.identifiers import is_housekeeping
from memkit.text.extract.matcher import Match, NameMatcher
from memkit.text.extract.names import find_names
from memkit.text.extract.tokens import written
from memkit.text.extract.wikilinks import find_links

if TYPE_CHECKING:
    import numpy as np

    from memkit.embedding.sentence_words import SentenceReader, SentenceWords

MANY_CHARACTERS = 500_000  # of text, as of 3,500 short turns: from then on a second process is worth its start
COUNTED_AT_ONCE = 1000  # memories

Known = dict[str, Any]
Counts = Mapping[str, tuple[int, int]]
Said = tuple[list[str], list[NamedTriple], list[int]]  # names, statements, and fingerprints


def embed(_: Known, texts: Sequence[tuple[str | None, str | None, str]]) -> tuple[np.ndarray, list[SentenceWords]]:
    """The vectors and sentences of texts (title, speaker, text), as the built-in model reads them."""
    reader = built_in_reader()
    assert reader
    return reader.read([with_spans(*text) for text in texts])


def built_in_reader() -> SentenceReader | None:
    """The built-in model, which is the same in both processes."""
    return reader_of(load_embedder(BUILT_IN))


def count(_: Known, texts: Sequence[str]) -> Counts:
    """The case counts of some texts together."""
    return CaseStatistics.of(map(strip_context, map(composed, texts))).counts


def read(known: Known, rows: Sequence[tuple[Mapping[str, Any], str | None]]) -> list[Said]:
    """What each memory says, given with its subject: the names in its text, its statements, and its fingerprints.

    Known are the `statistics` of words, `me` and `voices`.
    """
    about = known["me"], known["voices"], known["statistics"]
    bands = duplicates.fingerprints([row["text"] for row, _ in rows])
    return [(*_said(row, subject, *about), each) for (row, subject), each in zip(rows, bands, strict=True)]


def _said(
    row: Mapping[str, Any], subject: str | None, me: str, voices: Mapping[str, bool], statistics: CaseStatistics
) -> tuple[list[str], list[NamedTriple]]:
    text = strip_context(row["text"])
    shown = {
        link.display
        for link in find_links(text)
        if link.display not in (link.name, link.target) and not link.names_section
    }
    names = [
        one.name
        for one in find_names(text, statistics)
        if one.name not in shown and not entities.is_word_for_user(one.name)
    ]
    said = relation_extraction.read_statements(row, text, subject, me, voices, statistics)
    return names, [replace(one, quote=_as_written(row, one.quote)) for one in said] if row["written"] else said


def _as_written(row: Mapping[str, Any], quote: str) -> str:
    """A quote from a memory that is read with composed letters, as the memory has it."""
    start = row["text"].find(quote)
    if start < 0:
        return quote
    start, end = as_written(row["written"], (start, start + len(quote)))
    stored: str = row["written"][start:end]
    return stored[:LONGEST_QUOTE]


def find(known: Known, texts: Sequence[str]) -> list[list[Match]]:
    """The known names in each text.

    Known are the `statistics` of words, all `names`, and how often those of two CJK characters are written (`cjk`).
    """
    if known.get("searched") is not known["names"]:
        known["searched"] = known["names"]
        known["statistics"].counts |= known["cjk"]
        known["matcher"] = matcher_of(known["names"], known["statistics"])
    matcher: NameMatcher = known["matcher"]
    # An address or code says a word without speaking of anybody.
    return [matcher.find(written(text)) for text in texts]


def matcher_of(names: Sequence[entities.Alias], statistics: CaseStatistics) -> NameMatcher:
    """A matcher for these names. What only texts say, no page and no link, is found as texts write it."""
    keys: dict[str, list[int]] = {}
    sources: dict[str, set[str]] = {}
    for name, key, source in names:
        if not is_housekeeping(name):
            keys.setdefault(name, []).append(key)
            sources.setdefault(name, set()).add(source)
    matcher = NameMatcher(statistics=statistics)
    for name, found in keys.items():
        matcher.add(name, found, cased=sources[name] == {"text"})
    return matcher
