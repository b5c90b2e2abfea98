"""Tables of a memory database: which of them each page shows, and which repeat what is in another.

A page is shown only to somebody who may see all of its tables. `memories` comes first: without it nothing is shown.
"""

from __future__ import annotations

from collections.abc import Iterable

_NAMES = ("entities", "aliases", "mentions", "relations")

RECALL = ("memories", "documents", *_NAMES, "evidence", "links")
MEMORY = (*RECALL, "access")
ENTITY = ("memories", *_NAMES, "evidence", "conflicts")
GRAPH = (*ENTITY, "links")
WRITING = (*RECALL, "conflicts")  # what was written is compared with all of them, and the answer says so
UPKEEP = (*WRITING, "maintenance", "pruned", "proposals", "extractions", "settings")
FEEDBACK = ("memories", "feedback")
SAVED = (*RECALL, "settings")
SOURCES = ("memories", "documents", "settings")

# Only machines read these, so Datasette does not list them among the tables.
FOR_MACHINES = (
    "_sqlite_migrations",
    "access",
    "code_blocks",
    "embeddings",
    "entity_embeddings",
    "extractions",
    "fingerprints",
    "former",
    "graph_arrays",
    "index_paused",
    "index_replaced",
    "memories_cjk",
    "models",
    "pruned",
    "sentences",
    "sqlite_sequence",
    "sqlite_stat1",
    "text_blocks",
    "word_cases",
)

# And these views, which Datasette itself cannot leave out.
VIEWS_FOR_MACHINES = (
    "codes_changed",
    "index_stale",
    "memories_bigrams",
    "memories_gone",
    "memories_indexed",
    "texts_changed",
)

# What repeats something of the tables at its right: their views, and the rows that hang on theirs. What hangs on the
# table `memories` alone is left out, because a whole database is hidden with it.
REPEATS = {
    "current_memories": ("documents",),
    "current_relations": ("relations",),
    "memory_entities": ("mentions",),
    "graph_edges": ("relations", "mentions", "links"),
    "aliases": ("entities",),
    "mentions": ("entities",),
    "relations": ("entities",),
    "embeddings": ("models",),
    "code_blocks": ("embeddings", "models"),
    "codes_changed": ("embeddings", "models"),
    "sentences": ("embeddings", "models"),
    "graph_arrays": ("entities", "mentions", "relations", "links"),
    "entity_embeddings": ("entities", "models"),
    "evidence": ("relations",),
    "conflicts": ("relations",),
    "former": ("entities", "relations"),
    "merges": ("entities", "aliases", "mentions", "relations", "evidence"),
    "recall_hits": ("recalls",),
    "pruned": ("mentions", "relations", "evidence", "links", "feedback"),
    "maintenance": ("pruned",),
}


def with_repeats(denied: Iterable[str]) -> set[str]:
    """These tables, and all that repeat something of them."""
    hidden = set(denied)
    while more := {name for name, of in REPEATS.items() if hidden.intersection(of)} - hidden:
        hidden |= more
    return hidden
