"""Token budget packing: items in rank order; one that is too long is compressed or skipped, never the end (X01)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from memkit.core.classes import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Packed(Generic[T]):
    """The items that fit (compressed where needed), their tokens, and the items left out (never compressed)."""

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

    An item that is too long is compressed into the tokens that are left (`compress(item, room)`, which may give None).
    If it still does not fit, it is skipped, and the next one is tried.
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
    """The best items that fit, where only `measure` knows the tokens of several items together: a rendered page.

    Like `fit`, it goes on after an item that does not fit. Items that fit are added many at a time: if all fit, the
    page is measured twice. Adding an item must never make `measure` smaller.
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


# ---------------------------------------------------------------------------------------------- shares


def retrieval_budget(total: int, *used: int, margin: float = 0.05) -> int:
    """The tokens left for retrieval: the total less the parts used elsewhere and a safety margin (K25).

    `used` are the tokens of system prompt, user profile, preferences, history and the reserve for the answer. `margin`
    is a share of the total.
    """
    return max(0, int(total - sum(used) - margin * total))


def rooms(wanted: Mapping[str, int], budget: int, caps: Mapping[str, float]) -> dict[str, int]:
    """The tokens that each category may use: its share of the budget at most, then what the others leave over (K27).

    `wanted` are the tokens of each category. `caps` are shares between 0 and 1, most important first, and leftovers go
    in that order. A category without a cap gets leftovers only. All rooms together are never more than the budget.
    Raises ValueError for a negative share.
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
    """Each category's items packed into its room, in the order of `caps`; unused tokens go to the others (K26, K27).

    Within a category items stay in rank order, also those that only fitted into the leftovers.
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
