"""Predicate vocabulary: canonical ids of predicates, and those that have one object at a time."""

from __future__ import annotations

from memkit.text.words import fold

# A new object of one of these predicates closes the old relation. Extend it with `SINGLE_VALUED | {...}`.
SINGLE_VALUED = frozenset(
    """lives_in works_at works_as married_to engaged_to born_in timezone birthday birthplace email phone address
    hometown nationality job name nickname native_language occupation profession age""".split()
)

_SAME = {
    "lives_at": "lives_in",
    "resides_in": "lives_in",
    "employed_by": "works_at",
    "works_for": "works_at",
    "time_zone": "timezone",
    "is_an": "is_a",
    "spouse_of": "married_to",
    "introduced_me_to": "introduced_to",
}


def predicate_id(predicate: str) -> str:
    """The id of a predicate: `Works at` and `works-for` become `works_at`; empty if it has no letters or digits."""
    words = "".join(c if c.isalnum() else " " for c in fold(predicate)).split()
    if len(words) > 1 and words[0] in ("is", "was", "are", "has") and words[1] not in ("a", "an"):
        words = words[1:]
    joined = "_".join(words[:6])
    return _SAME.get(joined, joined)
