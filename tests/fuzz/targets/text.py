"""The functions of a text alone: any text goes through each of them, in time that grows no faster than the text."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from fuzz import samples, values
from fuzz.soundness import must
from memkit.core import dates, instants
from memkit.sources.notes.markdown import hashtags
from memkit.text import chunking, compress, markdown_html, marking, merge_sentences, prose, summarize, words
from memkit.text.extract import claims, guard, names, resolve, wikilinks
from memkit.text.extract.tokens import worded_sentences
from memkit.text.redact import Names, Redactor
from memkit.text.times import explicit_valid, find_intervals

BLOCK = 500
NOW = datetime(2026, 3, 1, 12)
REDACTOR = Redactor([Names("[a person]", ("Rosa Lindqvist", "Otto van der Berg-Mori", "北京"))], {"badge": r"B-\d+"})


def _chunked(text: str) -> None:
    for one in chunking.passages(text, max_tokens=20):
        must(0 <= one.start <= one.end <= len(text), "a passage lies outside of the text")
    must("".join("".join(chunking.parts(text, 20)).split()) == "".join(text.split()), "parts have lost something")


def _redacted(text: str) -> None:
    once = REDACTOR.redact(text).text
    must(REDACTOR.redact(once).text == once, "redacting again changes something")


def _date(text: str) -> None:
    for function in (dates.iso, instants.canonical_time):
        try:
            must(datetime.fromisoformat(function(text).replace("Z", "+00:00")), "no time")
        except ValueError:
            continue


ALIVE = re.compile(r"<(?!/?(?:a|b|p|h[3-6]|ul|ol|li|em|strong|s|code|pre|br|hr|mark|table|t[hrd]|thead|tbody|div|bl))")


def _markdown(text: str) -> None:
    for most in (0, 60):
        around = markdown_html.Around("quince Rosa 剪定", most, 20, {"Rosa": "/rosa"})
        found = markdown_html.html(text, around)
        must(not ALIVE.search(found), "a tag of the text has passed")
        links = {one.partition(":")[0].lower() for one in re.findall(r'href="([^"]*)"', found)}
        must(links <= {"/rosa", "http", "https", "mailto"}, "a link leads to something else")


FUNCTIONS = {
    "chunking": _chunked,
    "compress": lambda text: compress.compress(text, "who planted the quince", 20),
    "date": _date,
    "guard": guard.strip_context,
    "hashtags": hashtags,
    "links": wikilinks.find_links,
    "markdown": _markdown,
    "marking": lambda text: marking.marked(text, "quince Rosa 剪定", 100, 20),
    "merge": lambda text: merge_sentences.merge_sentences([text, samples.NOTE, text]),
    "names": names.find_names,
    "prose": lambda text: (prose.section(text), prose.unlinked(text), prose.plain(text)),
    "redact": _redacted,
    "same": lambda text: (resolve.canonical_name(text), resolve.spelling(text, "Rosa"), resolve.blocking_keys(text)),
    "sentences": worded_sentences,
    "statements": lambda text: claims.find_statements(text, "Rosa", "2026-03-01T12:00:00Z"),
    "summary": lambda text: summarize.summarize([text, samples.NOTE], 30),
    "times": lambda text: find_intervals(text, NOW),
    "valid": lambda text: explicit_valid(text, "2026-03-01T12:00:00Z"),
    "words": lambda text: (words.fts_query(text), words.words(text), words.fold(text), words.cjk_terms(text)),
}


SLOW = ("merge", "summary", "times", "valid", "statements", "same")
OFTEN = [name for name in FUNCTIONS for _ in range(1 if name in SLOW else 6)]


def make(random: Random) -> Any:
    """A function, and a text without half surrogate pairs, which no database can hold."""
    text = values.valid_text(random, random.choice((4, 4, 12, 12, 30)))
    if random.random() < 0.08:
        text = values.spliced(random, samples.NOTE).encode("utf-8", "ignore").decode()
    return {"function": random.choice(OFTEN), "text": text}


class World:
    """Nothing: they are functions."""

    def __init__(self, folder: Path):
        pass

    def run(self, case: Any) -> None:
        """Calls it."""
        FUNCTIONS[case["function"]](case["text"])

    def check(self) -> None:
        """There is nothing to harm."""

    def close(self) -> None:
        """Nothing is open."""
