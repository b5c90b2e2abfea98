"""Drawings are deterministic, keep neighbours near and labels apart; communities are the dense parts."""

from __future__ import annotations

import numpy as np
import pytest
from growth import steps
from hypothesis import given
from hypothesis import strategies as st

from memkit.graph import layout


def people(count: int = 150, groups: int = 6, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Edges mostly within groups of equal size, some between."""
    rng = np.random.default_rng(seed)
    one = rng.integers(0, count, count * 3)
    inside = rng.integers(0, count // groups, len(one)) * groups + one % groups
    other = np.where(rng.random(len(one)) < 0.9, inside, rng.integers(0, count, len(one)))
    return one, other


@st.composite
def any_graph(draw):
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=30))
    return count, [a for a, _ in edges], [b for _, b in edges]


def overlaps(places: np.ndarray, sizes: np.ndarray) -> int:
    return sum(
        bool((np.abs(places[i] - places[j]) < (sizes[i] + sizes[j]) / 2 - 1e-9).all())
        for i in range(len(places))
        for j in range(i)
    )


def crossings(places: np.ndarray, sources, targets) -> int:
    """How many pairs of edges cross."""

    def side(a, b, c):
        return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    edges = [(places[a], places[b]) for a, b in zip(sources, targets, strict=True)]
    return sum(
        side(*one, other[0]) * side(*one, other[1]) < 0 and side(*other, one[0]) * side(*other, one[1]) < 0
        for i, one in enumerate(edges)
        for other in edges[:i]
    )


# ------------------------------------------------------------------------------------------------- positions


def test_connected_nodes_are_nearer_than_unconnected_ones():
    one, other = people()
    places = layout.positions(150, one, other)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    joined = np.eye(150, dtype=bool)
    joined[one, other] = joined[other, one] = True
    assert apart[joined & ~np.eye(150, dtype=bool)].mean() < 0.6 * apart[~joined].mean()


@given(any_graph())
def test_every_graph_has_a_drawing_inside_the_unit_square(graph):
    places = layout.positions(*graph)
    assert places.shape == (graph[0], 2)
    assert np.isfinite(places).all()
    assert places.min() >= -1e-12
    assert places.max() <= 1 + 1e-12


def test_the_same_graph_is_drawn_the_same():
    assert layout.positions(150, *people()).tobytes() == layout.positions(150, *people()).tobytes()


def test_nothing_and_one_node_have_a_drawing():
    assert layout.positions(0, [], []).shape == (0, 2)
    assert layout.positions(1, [0], [0]).tolist() == [[0.5, 0.5]]


def test_a_line_is_drawn_as_a_line():
    places = layout.positions(6, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.linalg.norm(places[5] - places[0]) == pytest.approx(steps.sum(), rel=0.05)


def test_a_grid_and_a_ring_are_drawn_without_crossings():
    side = 5
    across = [(r * side + c, r * side + c + 1) for r in range(side) for c in range(side - 1)]
    down = [(r * side + c, (r + 1) * side + c) for r in range(side - 1) for c in range(side)]
    for count, edges in [(25, across + down), (20, [(n, (n + 1) % 20) for n in range(20)])]:
        ends = [a for a, _ in edges], [b for _, b in edges]
        assert crossings(layout.positions(count, *ends), *ends) == 0


def test_no_two_nodes_share_a_place():
    places = layout.positions(40, np.zeros(39, int), np.arange(1, 40))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(40)
    assert apart.min() > 0.01


def test_unconnected_parts_stay_apart():
    """Two triangles: each node is nearer to its own than to any of the others."""
    places = layout.positions(6, [0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert apart[:3, :3].max() < apart[:3, 3:].min()


def test_a_page_of_150_nodes_is_drawn_in_a_moment():
    """Some twenty thousand lines of Python, and none for each pair of nodes in each round: that would be millions."""
    sizes = np.tile([0.08, 0.02], (150, 1))
    assert steps(lambda: layout.separated(layout.positions(150, *people()), sizes)) < 60_000


@pytest.mark.parametrize("draw", [layout.positions, layout.communities])
def test_unknown_nodes_are_refused(draw):
    with pytest.raises(ValueError, match="nodes 5 to 5, but there are 3 nodes"):
        draw(3, [0], [5])
    with pytest.raises(ValueError, match="one length"):
        draw(3, [0, 1], [1])


# ------------------------------------------------------------------------------------------------- labels


def test_labels_do_not_overlap_where_there_is_room():
    rng = np.random.default_rng(1)
    sizes = np.stack([rng.uniform(0.04, 0.1, 60), np.full(60, 0.025)], axis=1)
    places = layout.positions(60, *people(60))
    moved = layout.separated(places, sizes)
    assert overlaps(places, sizes) > 0
    assert overlaps(moved, sizes) == 0
    assert (moved - sizes / 2 >= -1e-9).all()
    assert (moved + sizes / 2 <= 1 + 1e-9).all()
    assert np.linalg.norm(moved - places, axis=1).mean() < 0.08


def test_labels_at_the_very_same_place_come_apart():
    sizes = np.tile([0.2, 0.05], (5, 1))
    assert overlaps(layout.separated(np.full((5, 2), 0.5), sizes), sizes) == 0


def test_labels_that_cannot_fit_end_no_worse_than_they_began():
    sizes = np.full((9, 2), 0.5)
    moved = layout.separated(np.full((9, 2), 0.5), sizes)
    assert np.isfinite(moved).all()
    assert overlaps(moved, sizes) <= 36


def test_labels_apart_stay_where_they_are():
    places = np.array([[0.2, 0.2], [0.8, 0.8]])
    assert layout.separated(places, np.full((2, 2), 0.1)).tolist() == places.tolist()
    assert layout.separated(np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_places_without_sizes_are_refused():
    with pytest.raises(ValueError, match=r"n x 2, not \(2, 2\) and \(1, 2\)"):
        layout.separated(np.zeros((2, 2)), np.zeros((1, 2)))


# ------------------------------------------------------------------------------------------------- communities


def clique(*members: int) -> list[tuple[int, int]]:
    return [(a, b) for a in members for b in members if a < b]


def split(count: int, edges: list[tuple[int, int]], weights=None) -> list[int]:
    return layout.communities(count, [a for a, _ in edges], [b for _, b in edges], weights).tolist()


def test_two_cliques_with_a_bridge_are_two_communities():
    for bridge in [(0, 4), (3, 4), (0, 8)]:
        assert split(9, [*clique(0, 1, 2, 3), *clique(4, 5, 6, 7, 8), bridge]) == [1] * 4 + [0] * 5


def test_lonely_nodes_are_communities_of_one():
    assert split(4, [(2, 3), (1, 1)]) == [1, 2, 0, 0]
    assert split(0, []) == []


def test_weights_decide():
    """A chain with a weak middle falls apart there."""
    assert split(4, [(0, 1), (1, 2), (2, 3)], [5.0, 1.0, 5.0]) == [0, 0, 1, 1]


def test_groups_of_people_are_found():
    """Whether two people belong together is told rightly for 19 of 20 pairs, in the mean of ten graphs."""
    groups = np.arange(150) % 5
    right = []
    for seed in range(10):
        found = layout.communities(150, *people(150, 5, seed))
        right.append(((found[:, None] == found) == (groups[:, None] == groups)).mean())
    assert np.mean(right) > 0.95


@given(any_graph())
def test_communities_are_deterministic_and_never_join_what_is_not_connected(graph):
    found = layout.communities(*graph)
    assert found.tolist() == layout.communities(*graph).tolist()
    count, sources, targets = graph
    reach = np.eye(count, dtype=bool)
    reach[sources, targets] = reach[targets, sources] = True
    for _ in range(count):
        reach = reach @ reach
    assert (reach | (found[:, None] != found[None])).all()
    sizes = np.bincount(found)
    assert (np.diff(sizes) <= 0).all()
