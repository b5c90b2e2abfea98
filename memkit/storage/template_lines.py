"""Lines of templates: the hashes of lines that stand in many notes (a setting), and the texts that hold no others."""

from __future__ import annotations

from collections.abc import Mapping

from memkit.core.patterns import pattern
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.text.words import text_hash

SETTING = "boilerplate"
_HEADING = pattern(r"(?:[-*+][ \t]+)?#{1,6}[ \t]")


def empty_forms(conn: Connection, texts: Mapping[int, str]) -> set[int]:
    """The keys of those texts that are only headings which a template puts there: nobody wrote anything below them."""
    lines = {key: [*filter(None, map(str.strip, text.split("\n")))] for key, text in texts.items() if "#" in text}
    bare = {key: said for key, said in lines.items() if all(map(_HEADING.match, said))}
    if not bare:
        return set()
    known = frozenset(store.texts_in_setting(conn, SETTING))
    return {key for key, said in bare.items() if all(text_hash(line) in known for line in said)}
