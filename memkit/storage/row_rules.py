"""Row rules: what each column of a memory database may hold, so that no stored row can break a reader.

An export that is restored is held to them (`sharing.export`), since anybody may have written it, and so is every row
of a file by `memkit doctor` (`storage.row_check`). A rule also knows the nearest value that would be allowed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from memkit.core.dates import iso
from memkit.core.patterns import pattern
from memkit.core.unicode import well_formed
from memkit.core.validation import is_list_of_texts
from memkit.text.words import short_id

LARGEST_KEY = 2**53 - 1  # JSON readers lose digits above it, and it leaves room: no row gets the key after 2**63-1
LARGEST_NUMBER = 2**63 - 1
DEEPEST = 200  # levels of JSON; SQLite reads at most 1000
_ID = pattern(r"[\w.:~@+-]{1,100}", re.ASCII)
_TIME = pattern(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d:\d\dZ)?)?)?", re.ASCII)


class Rule(NamedTuple):
    """What a value must be, in words and as a test; and the nearest allowed value to one that is not.

    `mended` is None for a value that has no allowed one near it. With `nullable`, None is allowed and is the nearest.
    """

    words: str
    allows: Callable[[Any], bool]
    mended: Callable[[Any], Any] = lambda _: None
    nullable: bool = False

    def holds(self, value: Any) -> bool:
        """Whether a value is allowed."""
        return self.nullable if value is None else self.allows(value)


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _number(words: str, low: float, high: float, usual: float, *, whole: bool = False) -> Rule:
    """The rule for a number between two bounds. A larger or smaller one is mended to the bound, another value to
    `usual`."""

    def allows(value: Any) -> bool:
        return _is_number(value, low, high) and (not whole or isinstance(value, int))

    def mended(value: Any) -> float:
        if not _is_number(value, -math.inf, math.inf) or (whole and not isinstance(value, int)):
            return usual
        nearest: float = min(max(value, low), high)
        return nearest

    return Rule(f"{words} from {low:g} to {high:g}" if high <= 10 else words, allows, mended)


def is_sound(value: Any) -> bool:
    """Whether a value is text that SQLite and every page can hold: valid UTF-8 without NUL characters."""
    if not isinstance(value, str) or "\0" in value:
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False


def _text_of(value: Any) -> str:
    """The nearest sound text."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    return well_formed(text.replace("\0", ""))


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None and _exists(value)


@lru_cache(maxsize=10_000)
def _exists(time: str) -> bool:
    """Whether a time is in the calendar. Cached, because many rows have the same one."""
    try:
        return iso(time) == time
    except ValueError:
        return False


def _time_of(value: Any) -> str | None:
    try:
        return iso(value)
    except ValueError:
        return None


def from_json(text: Any) -> Any:
    """The value of a JSON text. Raises ValueError for what is not JSON, is too deep, or holds unsound text."""
    if not isinstance(text, str):
        raise ValueError("not text")
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > DEEPEST and _depth(value) > DEEPEST:
        raise ValueError("nested too deeply")
    if (
        not is_sound(text)
        or "\\u0000" in text
        or ("\\u" in text and not is_sound(json.dumps(value, ensure_ascii=False)))
    ):
        raise ValueError("not valid UTF-8")
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _depth(value: Any) -> int:
    """The number of levels of lists and dicts."""
    levels, inside = 0, [value]
    while inside := [one for one in inside if isinstance(one, list | dict)]:
        levels += 1
        inside = [part for one in inside for part in (one.values() if isinstance(one, dict) else one)]
    return levels


def _holds(text: Any, fits: Callable[[Any], bool]) -> bool:
    """Whether a text is JSON whose value fits."""
    return (_holds_again if isinstance(text, str) and len(text) <= SHORT else _holds_once)(text, fits)


SHORT = 40  # characters of a JSON text that many rows have, such as {}


@lru_cache(maxsize=1000)
def _holds_again(text: str, fits: Callable[[Any], bool]) -> bool:
    return _holds_once(text, fits)


def _holds_once(text: Any, fits: Callable[[Any], bool]) -> bool:
    try:
        return fits(from_json(text))
    except ValueError:
        return False


def _json(words: str, usual: Any, fits: Callable[[Any], bool]) -> Rule:
    """The rule for JSON of a shape; `usual` is what other values are mended to."""
    return Rule(words, lambda text: _holds(text, fits), lambda _: json.dumps(usual))


def _among(*names: str) -> Rule:
    return Rule(f"one of {', '.join(names)}", names.__contains__, lambda _: names[0])


def _are_rows(table: str, rows: Any) -> bool:
    """Whether saved rows (`maintenance.snapshots`) are rows of a table. A memory may have a part of its columns."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return False
    whole = COLUMNS[table].keys()
    least = {"key", "id"} if table == "memories" else whole
    return all(
        (whole if "text" in row else least) <= row.keys() <= whole and problem(table, row) is None for row in rows
    )


def _is_before(value: Any) -> bool:
    """Whether a value is what `undo` needs: saved rows by table, keys of new rows, a proposal."""
    if not isinstance(value, dict):
        return False
    made, proposal = value.get("made", {}), value.get("proposal", {"id": "", "text": ""})
    tables = value.keys() - {"made", "proposal"}
    return (
        tables <= COLUMNS.keys()
        and all(_are_rows(name, value[name]) for name in tables)
        and isinstance(made, dict)
        and all(isinstance(keys, list) and all(map(KEY.allows, keys)) for keys in made.values())
        and isinstance(proposal, dict)
        and proposal.keys() == {"id", "text"}
        and all(map(is_sound, proposal.values()))
    )


def _is_pruned(value: Any) -> bool:
    """Whether a value is a pruned memory: its row, and the rows that belong to it."""
    memories = value.get("memories") if isinstance(value, dict) else None
    return _is_before(value) and isinstance(memories, list) and bool(memories) and "text" in memories[0]


def _is_merge(value: Any) -> bool:
    """Whether a value is what `unmerge` needs: the rows before the merge, and a hash of those after it."""
    tables = {"entities", "aliases", "mentions", "relations", "evidence", "conflicts"}
    return (
        isinstance(value, dict)
        and value.keys() == {"before", "after", "last"}
        and isinstance(value["before"], dict)
        and value["before"].keys() == tables
        and all(_are_rows(name, value["before"][name]) for name in tables)
        and is_sound(value["after"])
        and COUNT.allows(value["last"])
    )


KEY = Rule(
    f"a whole number from 1 to {LARGEST_KEY}",
    lambda value: _is_number(value, 1, LARGEST_KEY) and isinstance(value, int),
)
COUNT = _number("a whole number, 0 or more", 0, LARGEST_KEY, 0, whole=True)
TEXT = Rule("text without NUL characters", is_sound, _text_of)

# The words for the rules in COLUMNS; with a `?`, the value may also be null.
RULES: Mapping[str, Rule] = {
    "key": KEY,
    "id": Rule(
        "an id: letters, digits and . : ~ @ + - _, at most 100",
        lambda value: isinstance(value, str) and _ID.fullmatch(value) is not None,
        lambda value: short_id("mended", repr(value)),
    ),
    "text": TEXT,
    "time": Rule("a time such as 2026-03-01T12:00:00Z or 2026-03-01", _is_time, _time_of),
    "count": COUNT,
    "whole": _number("a whole number", -LARGEST_NUMBER - 1, LARGEST_NUMBER, 0, whole=True),
    "number": _number("a number", -1e300, 1e300, 0.0),
    "flag": _number("a whole number", 0, 1, 0, whole=True),
    "share": _number("a number", 0, 1, 1.0),
    "grade": _number("a number", 1, 10, 5.0),
    "object": _json("a JSON object", {}, lambda value: isinstance(value, dict)),
    "texts": _json("a JSON list of texts", [], is_list_of_texts),
    "json": _json("JSON", None, lambda _: True),
    "before": Rule("the JSON of saved rows", lambda text: _holds(text, _is_before)),
    "pruned": Rule("the JSON of a pruned memory", lambda text: _holds(text, _is_pruned)),
    "merge": Rule("the JSON of a merge", lambda text: _holds(text, _is_merge)),
    "compression": _among("raw", "compressed", "distilled"),
    "link": _among("relates_to", "part_of", "supersedes", "contradicts", "derived_from", "summarized_by"),
    "proposal": _among("merge", "contradiction"),
    "state": _among("open", "accepted", "refused"),
}


def _columns(text: str) -> Mapping[str, Rule]:
    """The rules of a table's columns from `name:rule` words; the name of a rule may be left out if it is the same."""
    found = {}
    for word in text.split():
        name, _, rule = word.partition(":")
        named = RULES[(rule or name).removesuffix("?")]
        found[name.removesuffix("?")] = named._replace(nullable=True) if word.endswith("?") else named
    return found


# For each table, its columns in order.
COLUMNS: Mapping[str, Mapping[str, Rule]] = {
    name: _columns(text)
    for name, text in {
        "documents": """
            key id source:text kind:text title:text? hash:text? project:text created_at:time? updated_at:time?
            archived_at:time? meta:object
        """,
        "memories": """
            key id document_key:key? position:count? source_id:text? kind:text text title:text? speaker:text?
            category:text? tags:texts project:text slot:text? slot_key:text? importance:grade confidence:share
            happened_at:time? created_at:time updated_at:time valid_from:time? valid_until:time? expires_at:time?
            archived_at:time? compression tokens:count hash:text text_hash:text? meta:object
        """,
        "access": "memory_key:key count last_at:time?",
        "entities": """
            key id name:text normal:text kind:text description:text? merged_into:key? created_at:time updated_at:time
            meta:object
        """,
        "aliases": "key entity_key:key alias:text normal:text source:text",
        "mentions": "key memory_key:key entity_key:key role:text surface:text start:count? count confidence:share",
        "relations": """
            key id subject_key:key predicate:text object_key:key confidence:share valid_from:time? valid_until:time?
            created_at:time expired_at:time? superseded_by:key? method:text
        """,
        "evidence": """
            key relation_key:key memory_key:key? quote:text method:text confidence:share valid_from:time?
            valid_until:time? said_at:time created_at:time
        """,
        "conflicts": "relation_key:key other_key:key created_at:time",
        "links": "key from_key:key to_key:key type:link weight:share why:text created_at:time",
        "merges": "key kept_key:key merged_key:key moved:merge created_at:time",
        "fingerprints": "band:whole memory_key:key",
        "word_cases": "word:text lower:count upper:count",
        "extractions": "memory_key:key extractor:text hash:text at:time error:text?",
        "feedback": "key memory_key:key question:text useful:flag at:time",
        "former": "key memory_key:key relation_key:key? entity_key:key? word:text?",
        "recalls": "key id question:text strategy:object options:object channels:object ms:number? at:time",
        "recall_hits": """
            recall_key:key memory_key:key rank:count? score:number channel:text channel_rank:count raw:number
            contribution:number boosts:object tokens:count? left_out:text?
        """,
        "maintenance": """
            key id run:text step:text action:text memory_id:text at:time why:text sources:texts before?
            undone_at:time?
        """,
        "pruned": "memory_id:id rows:pruned why:text pruned_at:time kept_until:time",
        "proposals": """
            key id kind:proposal members:texts text why:text state created_at:time decided_at:time?
        """,
        "settings": "name:text value:json",
    }.items()
}


def problem(table: str, row: Mapping[str, Any]) -> str | None:
    """What is wrong with the first column of a row that breaks its rule, or None. Columns that are missing may be."""
    rules = COLUMNS[table]
    for name, value in row.items():
        rule = rules[name]
        if not (rule.nullable if value is None else rule.allows(value)):  # `holds`, without a call for each value
            return f"{name} must be {rule.words}"
    return None
