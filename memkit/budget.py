"""Packing what was found into a number of tokens: in rank order, and nothing too long ever ends it (systems.md X01)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
C = TypeVar("C")

# How Kira divides the retrieval budget (K27), the most important first.
KIRA_SHARES: Mapping[str, float] = {
    "profile": 0.15,
    "referenced": 0.30,
    "episodes": 0.30,
    "neighbours": 0.15,
    "procedures": 0.10,
}


@dataclass(frozen=True, slots=True)
class Packed(Generic[T]):
    """What fits (compressed where that was needed), the tokens it takes, and what was left out, as it came."""

    items: tuple[T, ...]
    used: int
    left_out: tuple[T, ...]


def fit(
    items: Iterable[T],
    budget: int,
    cost: Callable[[T], int],
    compress: Callable[[T, int], T | None] | None = None,
) -> Packed[T]:
    """The best items that fit into `budget` tokens, in rank order (K26, M11).

    One that is too long is compressed into the room that is left (`compress(item, room)`, which may give None); if
    that does not fit either, it is passed over, and the next one is tried.
    """
    taken, left_out, used = [], [], 0
    for item in items:
        room = budget - used
        kept: T | None = item
        if cost(item) > room:
            kept = compress(item, room) if compress and room > 0 else None
        if kept is None or (price := cost(kept)) > room:
            left_out.append(item)
        else:
            taken.append(kept)
            used += price
    return Packed(tuple(taken), used, tuple(left_out))


def fit_together(
    items: Iterable[T],
    budget: int,
    measure: Callable[[Sequence[T]], int],
    compress: Callable[[T, int], T | None] | None = None,
) -> Packed[T]:
    """The best items that fit, where only `measure` knows what several of them take together: a rendered page.

    As `fit`, in rank order and never stopping. Runs of items that fit are taken at once: where all fit, the page is
    measured twice. `measure` must not shrink when an item is added.
    """
    waiting = list(items)
    taken: list[T] = []
    left_out: list[T] = []
    used, step = measure(()), max(1, len(waiting))
    if used > budget:
        return Packed((), 0, tuple(waiting))
    while waiting:
        run = waiting[:step]
        if (price := measure([*taken, *run])) <= budget:
            taken, used, step = taken + run, price, 2 * step
            del waiting[: len(run)]
        elif len(run) > 1:
            step = len(run) // 2
        else:
            item = waiting.pop(0)
            kept = compress(item, budget - used) if compress and budget > used else None
            if kept is None or (price := measure([*taken, kept])) > budget:
                left_out.append(item)
            else:
                taken, used = [*taken, kept], price
    return Packed(tuple(taken), used, tuple(left_out))


# ---------------------------------------------------------------------------------------------- Kira


def retrieval_budget(total: int, *used: int, margin: float = 0.05) -> int:
    """The tokens left for retrieval: the total without the parts used elsewhere and without a safety margin (K25).

    `used` are the tokens of system prompt, user profile, preferences, history and the reserve for the answer.
    """
    return max(0, int(total - sum(used) - margin * total))


def rooms(wanted: Mapping[str, int], budget: int, caps: Mapping[str, float]) -> dict[str, int]:
    """The tokens each category may use: at most its share of the budget, and then what others do not want (K27).

    `caps` are shares between 0 and 1, most important first, and in that order leftovers flow; a category without a cap
    lives on leftovers. The rooms never sum to more than the budget.
    """
    if any(cap < 0 for cap in caps.values()):
        raise ValueError(f"A share of the budget cannot be negative: {dict(caps)}.")
    order = [name for name in caps if name in wanted] + [name for name in wanted if name not in caps]
    granted, left = dict.fromkeys(order, 0), max(0, budget)
    for limit in ({name: int(caps.get(name, 0) * budget) for name in order}, wanted):
        for name in order:
            more = min(left, max(0, min(wanted[name], limit[name]) - granted[name]))
            granted[name] += more
            left -= more
    return granted


def shares(
    categories: Mapping[str, Sequence[T]],
    budget: int,
    caps: Mapping[str, float],
    cost: Callable[[T], int],
    compress: Callable[[T, int], T | None] | None = None,
) -> dict[str, Packed[T]]:
    """Each category's items packed into its room, in the order of `caps`; what packing leaves over flows on (K26, K27).

    Within a category the rank order is kept, also for items that came in by the leftovers.
    """
    wanted = {name: sum(map(cost, items)) for name, items in categories.items()}
    room = rooms(wanted, budget, caps)
    first = {name: fit(enumerate(categories[name]), room[name], *_ranked(cost, compress)) for name in room}
    left = max(0, budget) - sum(packed.used for packed in first.values())
    out = {}
    for name, packed in first.items():
        late = fit(packed.left_out, left, *_ranked(cost, compress))
        left -= late.used
        items = sorted(packed.items + late.items, key=lambda pair: pair[0])
        out[name] = Packed(
            tuple(item for _, item in items), packed.used + late.used, tuple(item for _, item in late.left_out)
        )
    return out


def _ranked(
    cost: Callable[[T], int], compress: Callable[[T, int], T | None] | None
) -> tuple[Callable[[tuple[int, T]], int], Callable[[tuple[int, T], int], tuple[int, T] | None]]:
    """Cost and compression of (rank, item) pairs, so that an item's rank survives its compression."""

    def compress_ranked(pair: tuple[int, T], room: int) -> tuple[int, T] | None:
        shorter = compress(pair[1], room) if compress else None
        return None if shorter is None else (pair[0], shorter)

    return lambda pair: cost(pair[1]), compress_ranked


# ---------------------------------------------------------------------------------------------- membox


@dataclass(frozen=True, slots=True)
class TwoPools(Generic[T, C]):
    """Triples and chunks that share a budget: what is shown of each, the chunk that proves a triple, the tokens."""

    triples: tuple[T, ...]
    evidence: tuple[tuple[T, C], ...]
    chunks: tuple[C, ...]
    used: int


def two_pools(
    triples: Sequence[T],
    chunks: Sequence[C],
    budget: int,
    triple_cost: Callable[[T], int],
    chunk_cost: Callable[[C], int],
    evidence: Callable[[T], C | None] = lambda triple: None,
    chunk_share: float = 0.4,
    snippets: int = 3,
    compress: Callable[[C, int], C | None] | None = None,
) -> TwoPools[T, C]:
    """Two rankings in one budget, as membox packs them (M11 to M13).

    Pass 1 admits triples, then the evidence of the best `snippets` admitted ones; a `chunk_share` of the budget (or the
    less that the chunks need) is kept from it. Pass 2 admits chunks that are not shown as evidence yet, from that
    share and whatever pass 1 left. Pass 3 admits more triples, lines only. Triples stay in rank order.
    """
    budget = max(0, budget)
    reserved = min(int(chunk_share * budget), sum(map(chunk_cost, chunks)))
    cost, _ = _ranked(triple_cost, None)
    first = fit(enumerate(triples), budget - reserved, cost)
    proofs: list[tuple[T, C]] = []
    used = first.used
    for _, triple in first.items[:snippets]:
        chunk = evidence(triple)
        shown = [proof for _, proof in proofs]
        if chunk is not None and chunk not in shown:
            kept = fit([chunk], budget - reserved - used, chunk_cost, compress)
            proofs += [(triple, proof) for proof in kept.items]
            used += kept.used
    shown = [proof for _, proof in proofs]
    second = fit([chunk for chunk in chunks if chunk not in shown], budget - used, chunk_cost, compress)
    third = fit(first.left_out, budget - used - second.used, cost)
    lines = sorted(first.items + third.items, key=lambda pair: pair[0])
    total = used + second.used + third.used
    return TwoPools(tuple(triple for _, triple in lines), tuple(proofs), second.items, total)


def footer(triples: tuple[int, int], tokens: tuple[int, int], chunks: tuple[int, int] | None = None) -> str:
    """The line that says what was really returned: pairs of (shown, found) and of (used, budget) (M14).

    Without chunks it is the published form, with chunks the one of membox's own code; about 20 tokens, not charged.
    """
    shown = f"returned {triples[0]}/{triples[1]} triples"
    used = f"~{tokens[0]}/{tokens[1]} tokens"
    if chunks is None:
        return f"({shown}, {used})"
    return f"({shown}, {chunks[0]}/{chunks[1]} FTS chunks, {used}; raise --budget for more)"
