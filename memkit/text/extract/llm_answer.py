"""Validation of a language model's extraction: the schema of the answer, and the checks of its entries.

Models invent things. So a relation or a text counts only with a quote from the text of the memory, and a name only if
the memory contains a word of it. All other entries are dropped and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memkit.core.instants import canonical_time
from memkit.core.types import Memory
from memkit.core.unicode import well_formed
from memkit.text.extract.guard import strip_context
from memkit.text.extract.own_slots import AGENT, slot_lines
from memkit.text.extract.predicates import predicate_id
from memkit.text.words import STOP_WORDS, normal_name


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """An entity that a memory names."""

    name: str
    kind: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class ExtractedRelation:
    """Subject - predicate - object, with the quote that proves it. Dates are ISO 8601 or None; confidence is 0 to 1."""

    subject: str
    predicate: str
    object: str
    confidence: float
    valid_from: str | None
    valid_until: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """A sentence worth keeping as a memory of its own: a `fact`, a `preference` or a `procedure`.

    `slot` is the value of a slot that it gives, `user.city = Lisbon`, or "".
    """

    kind: str
    text: str
    quote: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result for one memory (its `key`): what was found, the number of `dropped` entries, or an `error`.

    With an error, `answered` is true if the model gave any answer at all.
    """

    key: int
    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    texts: tuple[ExtractedText, ...] = ()
    dropped: int = 0
    error: str | None = None
    answered: bool = True


class Malformed(ValueError):
    """The answer is not a JSON object of the expected form."""


# ---------------------------------------------------------------------------------------------- the schema


def _items(*strings: str, **others: dict[str, Any]) -> dict[str, Any]:
    properties = {"memory": {"type": "integer"}} | {name: {"type": "string"} for name in strings} | others
    one = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "array", "items": one}


_DATE = {"type": ["string", "null"]}
_LISTS = {
    "entities": _items("name", "kind", "description"),
    "relations": _items(
        "subject", "predicate", "object", "quote", confidence={"type": "number"}, valid_from=_DATE, valid_until=_DATE
    ),
    "facts": _items("text", "quote", "slot"),
    "preferences": _items("text", "quote", "slot"),
    "procedures": _items("text", "quote"),
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _LISTS,
    "required": list(_LISTS),
    "additionalProperties": False,
}

_TEXT_KINDS = {"facts": "fact", "preferences": "preference", "procedures": "procedure"}
_LONGEST_NAME = 200
_LONGEST_LINE = 340  # of a slot: a key of 80 characters and a lesson
_NUL = re.compile(r"(\\\\)|\\u0000")  # in JSON; a backslash that is written is two, and `u0000` after it is a text


# ---------------------------------------------------------------------------------------------- reading


def read_answer(answer: str, memories: list[Memory]) -> list[Extraction]:
    """The valid entries of an answer, as one Extraction for each memory of the prompt (numbered there from 1).

    Raises Malformed if the answer is not a JSON object with lists. Single invalid entries are dropped and counted.
    """
    data = _parsed(answer)
    entries: list[list[tuple[str, Mapping[str, Any]]]] = [[] for _ in memories]
    astray = 0
    for name in _LISTS:
        for entry in data.get(name) or ():
            number = entry.get("memory", 1 if len(memories) == 1 else None) if isinstance(entry, dict) else None
            if isinstance(number, int) and 1 <= number <= len(memories):
                entries[number - 1].append((name, entry))
            else:
                astray += 1
    found = [_believed(memory, own) for memory, own in zip(memories, entries, strict=True)]
    if astray and found:  # an entry without a valid memory number is counted for the first memory
        first = found[0]
        found[0] = Extraction(first.key, first.entities, first.relations, first.texts, first.dropped + astray)
    return found


def json_object(answer: str) -> dict[str, Any]:
    """The first JSON object in a model's answer, with any text around it. Raises Malformed if there is none.

    Its texts can be stored: they have no NUL and no half of a surrogate pair.
    """
    start = answer.find("{")
    if start < 0:
        raise Malformed("it holds no JSON object")
    try:
        found: dict[str, Any] = json.JSONDecoder().raw_decode(answer, start)[0]
        written = json.dumps(found, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON ({error})") from error
    storable = well_formed(_NUL.sub(r"\1", written))
    return found if storable == written else dict(json.loads(storable))


def _parsed(answer: str) -> dict[str, Any]:
    data = json_object(answer)
    if not any(name in data for name in _LISTS):
        raise Malformed(f"it has none of the lists {', '.join(_LISTS)}")
    if wrong := [name for name in _LISTS if not isinstance(data.get(name) or [], list)]:
        raise Malformed(f"{wrong[0]} is not a list")
    return data


def _believed(memory: Memory, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> Extraction:
    text = strip_context(memory.text)
    source = _Source(text, f"{text} {memory.title or ''} {memory.speaker or ''}")
    kept: dict[str, list[Any]] = {"entities": [], "relations": [], "texts": []}
    dropped = 0
    for name, entry in entries:
        read: ExtractedEntity | ExtractedRelation | ExtractedText | None
        if name in _TEXT_KINDS:
            name, read = "texts", _text(_TEXT_KINDS[name], entry, source)
        else:
            read = _entity(entry, source) if name == "entities" else _relation(entry, source)
        if read is None:
            dropped += 1
        elif read not in kept[name]:
            kept[name].append(read)
    return Extraction(memory.key, tuple(kept["entities"]), tuple(kept["relations"]), tuple(kept["texts"]), dropped)


def _entity(entry: Mapping[str, Any], source: _Source) -> ExtractedEntity | None:
    name = _string(entry, "name")
    if not name or not source.knows(name):
        return None
    return ExtractedEntity(name, _string(entry, "kind").casefold() or None, _string(entry, "description") or None)


def _relation(entry: Mapping[str, Any], source: _Source) -> ExtractedRelation | None:
    subject, predicate, object_ = (
        _string(entry, "subject"),
        predicate_id(_string(entry, "predicate")),
        _string(entry, "object"),
    )
    quote = source.quote(_string(entry, "quote"))
    if not (subject and predicate and object_ and quote) or normal_name(subject) == normal_name(object_):
        return None
    if not (source.knows(subject) and source.knows(object_)):
        return None
    confidence = entry.get("confidence")
    sure = min(1.0, max(0.0, float(confidence))) if isinstance(confidence, int | float) else 0.7
    since, until = _date(entry.get("valid_from")), _date(entry.get("valid_until"))
    if since and until and since >= until:
        until = None
    return ExtractedRelation(subject, predicate, object_, sure, since, until, quote)


def _text(kind: str, entry: Mapping[str, Any], source: _Source) -> ExtractedText | None:
    text, quote = " ".join(str(entry.get("text") or "").split()), source.quote(_string(entry, "quote", 2_000))
    return ExtractedText(kind, text, quote, _slot(entry, source)) if text and quote else None


def _slot(entry: Mapping[str, Any], source: _Source) -> str:
    """The value of a slot as a proposal writes it; "" for another form, and for a value that the memory never says."""
    values = slot_lines(_string(entry, "slot", _LONGEST_LINE)) or []
    said = normal_name(source.everything)
    fit = [one for one in values if (one.slot != AGENT or one.is_lesson) and normal_name(one.value) in said]
    return fit[0].line if len(values) == len(fit) == 1 else ""


def _string(entry: Mapping[str, Any], field: str, longest: int = _LONGEST_NAME) -> str:
    value = entry.get(field)
    value = " ".join(value.split()) if isinstance(value, str) else ""
    return value if len(value) <= longest or field == "quote" else ""


def _date(value: object) -> str | None:
    try:
        return canonical_time(value) if isinstance(value, str) and value.strip() else None
    except ValueError:
        return None


_ALIKE = str.maketrans("‘’‚“”„–—\xa0", "'''\"\"\"-- ")
_ME = frozenset("user i me speaker".split())


@dataclass(frozen=True, slots=True)
class _Source:
    """A memory's text, and everything in which names are looked for (text, title and speaker)."""

    text: str
    everything: str

    def quote(self, quoted: str) -> str:
        """The quote as the text has it, or "" if it is not there; spaces, case and quotation marks may differ."""
        parts = quoted.translate(_ALIKE).strip(" .…\"'").split()
        pattern = r"\s+".join(map(re.escape, parts))
        found = re.search(pattern, self.text.translate(_ALIKE), re.IGNORECASE) if len("".join(parts)) > 2 else None
        return self.text[found.start() : found.end()] if found else ""

    def knows(self, name: str) -> bool:
        """Whether the memory contains the name or a content word of it, or the name means the speaker."""
        wanted, known = normal_name(name), normal_name(self.everything)
        if not wanted:
            return False
        telling = [word for word in wanted.split() if word not in STOP_WORDS]
        return wanted in _ME or wanted in known or not {*telling}.isdisjoint(known.split())
