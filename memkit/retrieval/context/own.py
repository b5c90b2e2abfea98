"""memkit's own layout: current facts, then memories with time, place and speaker; contradictions are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memkit.core.formatting import short
from memkit.core.instants import Interval
from memkit.core.types import Memory
from memkit.graph import disputes, relations
from memkit.graph.question_entities import named_in
from memkit.graph.relations import Relation
from memkit.graph.walk_results import Fact
from memkit.retrieval import packing
from memkit.retrieval.context.data import VAGUE, View, day
from memkit.retrieval.context.triggers import ENTITY_MENTION, SESSION_START, latest, of_the_user
from memkit.retrieval.context.values import SHOWN, Item, LeftOut, Plan, Room
from memkit.retrieval.results import Hit, Recall
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope
from memkit.text.compress import terms
from memkit.text.sanitize import one_line
from memkit.text.statements import named_speakers, speaker_label

FACTS = 8
FIRST = 5  # hits that stand among the memories even where a session begins
MENTIONED = 0.01  # weight of a relation of which nothing is asked; vague ones weigh nothing
BEFORE = 2  # earlier values that a fact shows
SHARES = {"facts": 0.3, "memories": 0.7}
AT_START = {"user": 0.2, "latest": 0.1, "facts": 0.2, "memories": 0.5}
LONGEST = 1 / 3  # of the budget, for one memory beside others
SAYS = ("kind", "key", "when", "place", "speaker", "project", "notes")  # beside the text, what a memory's line says
QUOTED = 160  # characters of a memory that is only quoted in a note


def plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The relations that matter for the message, and the hits; a newer version stands before the older one.

    There are no relations if the recall is weak: what is known of a name in the question does not answer it, either. A
    message that is nothing but names asks for what is known of them.
    """
    hits = list(found)
    followers = disputes.followers(conn, [hit.memory.key for hit in hits])
    opposites = disputes.opposites(conn, [hit.memory.key for hit in hits])
    others = {*followers.values(), *(key for keys in opposites.values() for key in keys)}
    shown = {hit.memory.key for hit in hits}
    known = store.memories(conn, sorted(others)) | {hit.memory.key: hit.memory for hit in hits}
    memories, said = view.unsaid(
        _memory(view, hit, known, shown, followers.get(hit.memory.key), opposites.get(hit.memory.key, ()))
        for hit in _current_first(hits, followers)
    )
    memories, again = _once(memories)
    start = _at_start(conn, view, scope, {hit.memory.key for hit in hits[:FIRST]})
    told = {item.key for items in start.values() for item in items}
    memories = [item for item in memories if item.key not in told]
    return Plan(
        {**start, "facts": facts(conn, found, view, scope), "memories": memories}, choose=choose, left_out=said + again
    )


def tool_plan(conn: Connection, found: Recall, view: View, scope: Scope) -> Plan:
    """The hits of a tool's recall, each with the channels that found it."""
    return Plan({"found": [view.memory("found", hit.memory, hit) for hit in found]})


def _at_start(conn: Connection, view: View, scope: Scope, first: set[int]) -> dict[str, list[Item]]:
    """Who the user is and what happened last, where a session begins; without what stands among the first hits."""
    begins = SESSION_START in view.triggers
    parts = {"user": of_the_user(conn, scope) if begins else [], "latest": latest(conn, scope) if begins else []}
    return {
        name: [view.memory(name, memory) for memory in memories if memory.key not in first]
        for name, memories in parts.items()
    }


def choose(items: Sequence[Item], room: Room) -> list[Item]:
    """Facts and memories within their shares; one long memory is shortened, so that others have room."""
    most = int(LONGEST * room.budget)
    caps = AT_START if any(item.section not in SHARES for item in items) else SHARES
    parts = {name: [item for item in items if item.section == name] for name in caps}
    if len(parts["memories"]) > 1:
        parts["memories"] = [
            (room.shorten(item, most) or item) if room.cost(item) > most else item for item in parts["memories"]
        ]
    packed = packing.shares(parts, room.budget, caps, room.cost, room.shorten)
    return [item for name in caps for item in packed[name].items]


# ---------------------------------------------------------------------------------------------- memories


def _once(items: Iterable[Item]) -> tuple[list[Item], list[LeftOut]]:
    """The items, and as left out those of which a copy stands above: the same note in a second folder.

    The same words of another time, place or person say something else, and stay.
    """
    new: dict[tuple[str, ...], Item] = {}
    again: list[LeftOut] = []
    for item in items:
        line = (one_line(item.text), *(str(item.values.get(name)) for name in SAYS))
        if new.setdefault(line, item) is not item:
            again.append(item.left_out(SHOWN))
    return list(new.values()), again


def _current_first(hits: Sequence[Hit], followers: Mapping[int, int]) -> list[Hit]:
    """The hits in rank order, but each superseded one after the one that replaced it."""
    place = {hit.memory.key: n for n, hit in enumerate(hits)}
    ends = {key: _newest(key, followers, place) for key in place}
    first: dict[int, int] = {}
    for key, (end, _) in ends.items():
        first[end] = min(first.get(end, len(hits)), place[key])
    return sorted(hits, key=lambda hit: (first[ends[hit.memory.key][0]], ends[hit.memory.key][1]))


def _newest(key: int, followers: Mapping[int, int], place: Mapping[int, int]) -> tuple[int, int]:
    """The newest version of a memory among the hits, and by how many versions this one is older."""
    behind = 0
    while (follower := followers.get(key)) in place and behind < len(place):
        assert follower is not None
        key, behind = follower, behind + 1
    return key, behind


def _memory(
    view: View, hit: Hit, known: dict[int, Memory], shown: set[int], follower: int | None, opposites: Iterable[int]
) -> Item:
    memory = hit.memory
    notes = []
    if follower in known:
        notes.append(f"superseded by {_reference(known[follower], shown)}")
    elif memory.valid_until and memory.valid_until <= view.now:
        notes.append(f"no longer true since {day(memory.valid_until)}")
    notes += [f"contradicts {_reference(known[key], shown)}" for key in opposites if key in known]
    if hit.later:
        notes.append(f"perhaps until {day(hit.later_at)}; a later one may say what holds now: {hit.later}")
    if memory.confidence < 0.5:
        notes.append("unsure")
    heading = memory.meta.get("heading") or ""
    title = None if memory.title == day(memory.happened_at) else memory.title
    place = " › ".join(filter(None, (title, heading)))
    told = _without_heading(memory, heading)
    return view.memory("memories", told, hit, notes=notes, place=place, labelled=_names_its_speaker(told))


def _names_its_speaker(memory: Memory) -> bool:
    """Whether a text begins with who says it, as those of summaries do: then its line need not say it, too."""
    label = speaker_label(named_speakers(memory.speaker), memory.text)
    return label is not None and label.match(memory.text) is not None


def _without_heading(memory: Memory, heading: str) -> Memory:
    """The memory without its heading in the text, because its line shows the heading already."""
    first, _, rest = memory.text.partition("\n")
    return replace(memory, text=rest) if heading and rest.strip() and first.strip("# ") == heading else memory


def _reference(memory: Memory, shown: set[int]) -> str:
    """Another memory by its id, with the start of its text if it is not on the page."""
    words = "" if memory.key in shown else " " + short(one_line(memory.text), QUOTED)
    return f"[{memory.id}]{words}"


# ---------------------------------------------------------------------------------------------- facts


def facts(conn: Connection, found: Recall, view: View, scope: Scope) -> list[Item]:
    """The relations of the named entities that are relevant to the message, the most relevant first.

    A relation is relevant if a hit is its evidence, if both its ends are named, or if it shares a word with the message
    other than the names; if the message is nothing but names, every one is. A current relation shows its earlier
    values; one that has ended is shown only if the message asks about its time.
    """
    named = {one.entity.key: one for one in named_in(conn, found.searched, me=True)}
    names = {term for one in named.values() for term in terms(one.words)}
    asked = terms(found.searched) - names
    only_names = ENTITY_MENTION in view.triggers and not asked
    if found.weak and not only_names:
        return []
    ids = {hit.memory.id for hit in found}
    ends = {one.entity.id for one in named.values()}
    chosen: dict[int, tuple[float, Relation, list[Relation]]] = {}
    as_of = scope.as_of or scope.now
    for key in named:
        past = relations.history(conn, key, as_of=as_of, known_at=scope.as_of)
        holding = relations.current(conn, key, as_of=as_of, known_at=scope.as_of)
        over = [one for one in past if found.interval and _held(one, found.interval)]
        for one in (*holding, *over):
            weight = _weight(one, asked, ids, ends)
            if weight >= (MENTIONED if only_names else 1) and one.key not in chosen and _in_scope(one, ids, scope):
                chosen[one.key] = (weight, one, _before(one, past))
    best = sorted(chosen.values(), key=lambda some: (-some[0], some[1].key))[:FACTS]
    objects = {one.id: one for _, one, _ in chosen.values()}
    return [_fact(view, one, before, objects) for _, one, before in best]


def _weight(one: Relation, asked: set[str], ids: set[str], ends: set[str]) -> float:
    if one.predicate in VAGUE:
        return 0.0
    both = one.subject_id in ends and one.object_id in ends
    shared = bool(asked & terms(f"{one.predicate.replace('_', ' ')} {one.object} {one.subject}"))
    proven = any(proof.memory_id in ids for proof in one.evidence)
    return 2.0 * both + 3.0 * shared + proven + 0.5 * one.confidence


def _in_scope(one: Relation, ids: set[str], scope: Scope) -> bool:
    """Whether a narrow scope allows a relation: only if one of the hits is its evidence."""
    return not scope.narrow or any(proof.memory_id in ids for proof in one.evidence)


def _held(one: Relation, interval: Interval) -> bool:
    try:
        return Interval(one.valid_from, one.valid_until).overlaps(interval)
    except ValueError:
        return False


def _before(one: Relation, past: Iterable[Relation]) -> list[Relation]:
    """The earlier values of the same subject and predicate, the latest first."""
    same = [old for old in past if (old.subject_id, old.predicate) == (one.subject_id, one.predicate)]
    over = [old for old in same if old.key != one.key and old.valid_until and old.object_id != one.object_id]
    return sorted(over, key=lambda old: old.valid_until or "", reverse=True)[:BEFORE]


def _fact(view: View, one: Relation, before: Sequence[Relation], others: dict[str, Relation]) -> Item:
    fact = Fact(
        one.key,
        one.subject,
        one.predicate,
        one.object,
        one.confidence,
        valid_from=one.valid_from,
        valid_until=one.valid_until,
        method=one.method,
    )
    earlier = ", ".join(f"{old.object} (until {day(old.valid_until)})" for old in before)
    against = ", ".join(
        f"{other.subject} {other.predicate.replace('_', ' ')} {other.object}"
        for id in one.conflicts
        if (other := others.get(id))
    )
    return view.fact("facts", fact, before=earlier, contradicts=against)
