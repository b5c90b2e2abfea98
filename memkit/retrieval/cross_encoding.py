"""Cross-encoding: a model that reads the question and each of the best memories together orders them anew.

It sees what no channel does: word order, and whether the text answers. It reads each pair while the question waits, so
it is for the best few, and off unless a strategy has a `Rerank`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from memkit.core.classes import dataclass
from memkit.core.errors import MemkitError
from memkit.retrieval.fusion import best_first, ranked, rrf
from memkit.retrieval.strategies import Rerank
from memkit.storage.connection import Connection
from memkit.storage.store import keys_json

SELECT_SHORT = """
select key, title, speaker, text
from memories where key in (select value from json_each(:keys)) and length(text) <= :longest
"""
FAILED = "Not ordered by the cross-encoder: {}"


@dataclass(frozen=True)
class Read:
    """The best keys and scores in their new order, the factors by which scores changed, and what went wrong, if so."""

    best: list[tuple[int, float]]
    factors: dict[int, float] = field(default_factory=dict)
    failure: str = ""


def read(conn: Connection, question: str, best: Sequence[tuple[int, float]], settings: Rerank | None) -> Read:
    """The best memories after the cross-encoder has read them; as they were without one, or if it fails.

    A memory gets the score of its new place. The model must be on this machine: none is fetched here.
    """
    keys = [key for key, score in best[: settings.limit] if score > 0] if settings else []
    if settings is None or len(keys) < 2:
        return Read(list(best))
    from memkit.embedding.cross_encoder import load_cross_encoder
    from memkit.storage.vectors import own_text

    rows = conn.execute(SELECT_SHORT, {"keys": keys_json(keys), "longest": settings.longest})
    texts = {key: own_text(*said) for key, *said in rows}
    moving = [key for key in keys if key in texts]
    try:
        model = load_cross_encoder(settings.model, download=False)
        scores = dict(zip(moving, model.score(question, [texts[key] for key in moving]), strict=True))
    except MemkitError as error:
        return Read(list(best), failure=FAILED.format(error))
    by = {"score": dict.fromkeys(moving, 0.0), "model": best_first(scores.items())}
    return _moved(best, ranked(rrf(by, {"model": settings.weight})))


def _moved(best: Sequence[tuple[int, float]], order: Collection[int]) -> Read:
    """The keys of `order` in that order, in the places that they have in `best`; each gets the score of its place."""
    before, moving = dict(best), iter(order)
    after = [(next(moving) if key in order else key, score) for key, score in best]
    return Read(after, {key: score / before[key] for key, score in after if score != before[key]})
