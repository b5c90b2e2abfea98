"""Procedures by their triggers: how near the situation that a procedure is for is to the question.

A procedure is a memory of this kind: its text has the steps, and its field `trigger` says when they are to be taken
("putting a new version of a web app online"). No word of the steps need be in the question, nor of their title.
"""

from __future__ import annotations

import numpy as np

from memkit.embedding import Embedder
from memkit.retrieval.channels.kinds import PROCEDURE, keys_of
from memkit.storage.caches import unchanged
from memkit.storage.connection import Connection
from memkit.storage.filters import Scope, eligible_among
from memkit.storage.json_columns import or_empty
from memkit.storage.store import keys_json

MOST = 1000  # triggers that are compared; a model that is not instant embeds none of more than AT_ONCE
AT_ONCE = 60
NEAR = 0.35  # a cosine: below it a trigger says nothing about a question

SELECT_TRIGGERS = f"""
select m.key, json_extract({or_empty("m.meta")}, '$.trigger') as trigger from memories as m
where m.key in (select value from json_each(:keys)) and m.archived_at is null
    and json_type({or_empty("m.meta")}, '$.trigger') = 'text'
order by m.importance desc, m.key desc
limit {MOST}
"""


def search(conn: Connection, vector: np.ndarray, embedder: Embedder | None, scope: Scope) -> dict[int, float]:
    """The procedures whose trigger is near a question's vector: memory key to cosine (.35 to 1)."""
    rows: list[tuple[int, str]] = unchanged(conn, "triggers", lambda: _triggers(conn))
    if not rows or embedder is None or (len(rows) > AT_ONCE and not getattr(embedder, "instant", False)):
        return {}
    cosines = (embedder.encode([trigger for _, trigger in rows]) @ vector).tolist()
    near = {key: cosine for (key, _), cosine in zip(rows, cosines, strict=True) if cosine >= NEAR}
    allowed = eligible_among(conn, list(near), scope)
    return {key: cosine for key, cosine in near.items() if key in allowed}


def _triggers(conn: Connection) -> list[tuple[int, str]]:
    keys = keys_of(conn, (PROCEDURE,))
    return [tuple(row) for row in conn.execute(SELECT_TRIGGERS, {"keys": keys_json(keys)})] if keys else []
