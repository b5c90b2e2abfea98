"""Everyday words for channels, boosts, links and steps of a recall, for people who know none of them."""

from __future__ import annotations

# The names of channels. Each is followed by a place: `words 2`, `a shared name 7`.
CHANNELS = {
    "fulltext": "words",
    "vector": "meaning",
    "sentence": "a sentence",
    "graph": "connection",
    "bridge": "a shared name",
    "time": "the time asked for",
    "recent": "recent",
}
# What each channel means.
SAYS = {
    "fulltext": "It has words of your question",
    "vector": "It means something similar",
    "sentence": "A sentence of it means something similar",
    "graph": "It is connected by names",
    "bridge": "It shares a name with another answer",
    "time": "It happened in the time that you ask for",
    "recent": "It is one of the latest",
}
LINKED = {
    "supersedes": "It replaces another answer",
    "superseded": "Another answer has replaced it",
    "contradicts": "It says otherwise than another answer",
    "part_of": "It belongs to another answer",
}
# What each boost looks at.
LOOKS_AT = {
    "recency": "its age",
    "importance": "how important it is",
    "confidence": "how sure it is",
    "access": "how often it was read",
    "project": "its project",
    "interval": "its time",
    "speaker": "who says it",
    "asking": "that it asks rather than tells",
    "length": "how much it says",
    "covered": "how much of the question is in it",
    "assistant": "that an assistant says it",
    "later": "that it was said later than another answer",
    "rerank": "how a model reads it beside your question",
}
STEPS = {
    "mention": "names",
    "mentioned": "is named in",
    "named": "is named in",
    "title": "is about",
    "titled": "is the title of",
    "neighbour": "is next to",
    "speaker": "says",
    "link": "is linked to",
    "relation": "is related to",
}


def channel_name(channel: str) -> str:
    """The name of a channel; one that is run several times is called alike each time."""
    kind = channel.split()[0]
    return CHANNELS.get(kind, kind)


def step_name(label: str) -> str:
    """How a step of a path is read: `names`, `is next to`, or a predicate such as `lives in`."""
    return STEPS.get(label, label.replace("_", " "))
