"""The random walk against plain Python and against linear algebra, on small graphs and on any graph."""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from growth import steps
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.graph import random_walk
from memkit.graph.random_walk import ENTITY, MEMORY, Step, pagerank


def graph_of(size: int, edges: list[tuple], kinds=None) -> random_walk.Adjacency:
    """Edges as (source, target[, weight[, type]])."""
    columns = [(*edge, 1.0, 0)[:4] if len(edge) == 2 else (*edge, 0)[:4] for edge in edges]
    sources, targets, weights, types = map(list, zip(*columns, strict=True)) if columns else ([], [], [], [])
    return random_walk.build(kinds or [MEMORY] * size, range(size), sources, targets, weights, types)


def scores_of(walk: random_walk.Walk) -> dict[int, float]:
    return dict(zip(walk.nodes.tolist(), walk.scores.tolist(), strict=True))


LINE = [(0, 1), (1, 2), (2, 3)]


@st.composite
def anything(draw):
    """Any small graph (loops, duplicates and zero weights included), seeds, and a view of it."""
    size = draw(st.integers(1, 9))
    node = st.integers(0, size - 1)
    weight = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, 12.0])
    edges = draw(st.lists(st.tuples(node, node, weight, st.integers(0, 2)), max_size=24))
    kinds = draw(st.lists(st.sampled_from([MEMORY, ENTITY]), min_size=size, max_size=size))
    seeds = draw(st.dictionaries(node, st.sampled_from([0.0, 0.3, 0.5, 1.0]), max_size=4))
    row = st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=3, max_size=3)
    factors = draw(st.none() | row | st.tuples(row, row))
    return size, edges, kinds, seeds, factors


def factor(factors, sort: int, backward: bool = False) -> float:
    """What a view makes of an edge of this type, walked in this direction."""
    return 1.0 if factors is None else np.atleast_2d(factors)[-backward, sort]


def seen(size, edges, factors, kinds, specificity) -> np.ndarray:
    """The oracle's graph: a matrix [source, target] of the summed weight, as the view has it."""
    degrees = np.zeros(size)
    for source, target, weight, _ in edges:
        if source != target and weight:
            degrees[[source, target]] += 1
    total = np.zeros((size, size))
    for one, other, weight, sort in edges:
        for direction, (source, target) in enumerate([(one, other), (other, one)]):
            rare = degrees[target] ** -specificity if kinds[target] == ENTITY and degrees[target] else 1.0
            if source != target:
                total[source, target] += weight * factor(factors, sort, bool(direction)) * rare
    return total


def live(seeds) -> dict[int, float]:
    return {n: w for n, w in seeds.items() if w > 0}


# ------------------------------------------------------------------------------------------------- the graph


def test_every_edge_can_be_walked_from_both_ends():
    graph = graph_of(3, [(0, 1, 0.5, 2), (2, 1, 0.25, 1)])
    rows = [graph.targets[graph.offsets[n] : graph.offsets[n + 1]].tolist() for n in range(3)]
    assert rows == [[1], [0, 2], [1]]
    assert graph.weights.tolist() == [0.5, 0.5, 0.25, 0.25]
    assert (graph.types & random_walk.TYPE).tolist() == [2, 2, 1, 1]
    assert (graph.types & random_walk.BACKWARD > 0).tolist() == [False, True, True, False]
    assert graph.degrees.tolist() == [1, 2, 1]


def test_loops_and_weightless_edges_are_left_out():
    assert graph_of(3, [(0, 0), (0, 1, 0.0), (1, 2)]).targets.tolist() == [2, 1]


@given(
    st.lists(st.sampled_from([MEMORY, ENTITY]), min_size=2, max_size=6),
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.3, 1.0]), st.sampled_from([0, 3, 6, 7]))
    ),
    st.none() | st.lists(st.integers(0, 3), min_size=6, max_size=6),
)
def test_what_is_crowded_counts_less_as_in_plain_python(kinds, edges, outside):
    """With limits of 1 and 2 instead of 10 and 30."""
    size = len(kinds)
    graph = graph_of(size, [(one % size, other % size, *rest) for one, other, *rest in edges], kinds)
    graph = replace(graph, outside=outside and np.array(outside[:size]))
    owners = np.repeat(np.arange(size), graph.degrees)
    weights = graph.weights.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_walk, "MOST_NAMED", 1)
        patch.setattr(random_walk, "LIST", 2)
        found = graph.specific_weights
    backward = random_walk.BACKWARD
    names, mention, lone = random_walk.NAMES, random_walk.MENTION, random_walk.LONE
    for away, most, power in ((names | backward, 1, 2), (mention, 2, 1), (lone, 2, 1)):
        for node in np.flatnonzero(graph.kinds == MEMORY):
            own = (owners == node) & (graph.types == away)
            count = np.count_nonzero(own) + (outside[node] if outside and away == names | backward else 0)
            other = (graph.targets == node) & (graph.types == away ^ backward)
            weights[own | other] /= max(count / most, 1) ** power
    np.testing.assert_array_equal(found, weights)


def test_parallel_edges_stay():
    assert graph_of(2, [(0, 1, 1.0, 0), (0, 1, 1.0, 3), (1, 0)]).degrees.tolist() == [3, 3]


@given(anything(), st.integers(0, 24), st.integers(0, 9))
def test_appending_is_building_at_once(example, cut, cut_node):
    size, edges, kinds, _, _ = example
    cut_node = min(cut_node, size)
    early = [e for e in edges[:cut] if max(e[0], e[1]) < cut_node]
    late = [e for e in edges if e not in early]
    columns = [np.array([e[i] for e in late]) for i in range(4)]
    whole = graph_of(size, early + late, kinds)
    grown = random_walk.append(
        graph_of(cut_node, early, kinds[:cut_node]), kinds[cut_node:], range(cut_node, size), *columns
    )
    for name, array in vars(whole).items():
        if name != "degrees":
            np.testing.assert_array_equal(getattr(grown, name), array, name)
            assert np.asarray(getattr(grown, name)).dtype == np.asarray(array).dtype


@given(anything(), st.integers(0, 24))
@settings(max_examples=200)
def test_what_counts_less_after_appending_is_what_does_in_a_graph_built_at_once(example, cut):
    size, edges, kinds, _, _ = example
    sorts = (random_walk.MENTION, random_walk.NAMES, random_walk.LONE)
    edges = [(source, target, weight, sorts[sort]) for source, target, weight, sort in edges]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_walk, "LIST", 1)
        patch.setattr(random_walk, "MOST_NAMED", 1)
        early = graph_of(size, edges[:cut], kinds)
        assert early.specific_weights is not None
        columns = [np.array([edge[i] for edge in edges[cut:]]) for i in range(4)]
        grown = random_walk.append(early, [], [], *columns)
        expected = graph_of(size, edges, kinds).specific_weights
        np.testing.assert_array_equal(grown.specific_weights, expected)


def test_a_few_new_edges_do_not_weigh_all_anew():
    graph = graph_of(4, LINE)
    few, many = ([[0, 1] * n, [2, 3] * n, [1.0, 1.0] * n, [0, 0] * n] for n in (1, random_walk.FEW))
    assert "specific_weights" not in vars(random_walk.append(graph, [], [], *few)), "nobody has asked for them"
    assert len(graph.specific_weights) == 6
    assert "specific_weights" in vars(random_walk.append(graph, [], [], *few))
    assert "specific_weights" not in vars(random_walk.append(graph, [], [], *many))


def test_appending_leaves_the_old_graph_alone():
    graph = graph_of(4, LINE)
    random_walk.append(graph, [MEMORY], [9], [0], [4], [1.0], [0])
    assert len(graph) == 4
    assert graph.targets.tolist() == [1, 0, 2, 1, 3, 2]


def test_nodes_are_found_by_kind_and_key():
    graph = random_walk.build([MEMORY, MEMORY, ENTITY, MEMORY], [5, 9, 5, 2], [], [], [], [])
    assert graph.nodes_of(MEMORY, [9, 2, 7, 5]).tolist() == [1, 3, -1, 0]
    assert graph.nodes_of(ENTITY, [5, 9]).tolist() == [2, -1]
    assert random_walk.build([], [], [], [], [], []).nodes_of(MEMORY, [1]).tolist() == [-1]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0], [1], [1.0, 2.0], [0]), r"one length, not \[1, 1, 2, 1\]"),
        (([0, 1], [1], [1.0], [0]), r"one length, not \[2, 1, 1, 1\]"),
        (([0], [3], [1.0], [0]), "nodes 0 to 3, but there are 3 nodes"),
        (([-1], [1], [1.0], [0]), "nodes -1 to 1"),
        (([0], [1], [-1.0], [0]), "finite and not negative"),
        (([0], [1], [float("nan")], [0]), "finite and not negative"),
        (([0.5], [1], [1.0], [0]), "whole numbers"),
    ],
)
def test_impossible_edges_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        random_walk.build([0, 0, 0], [1, 2, 3], *columns)


# ------------------------------------------------------------------------------------------------- what a walk gives


def test_no_seeds_reach_nothing():
    """...and so do seeds that weigh nothing."""
    graph = graph_of(4, LINE)
    for found in (pagerank(graph, {}), pagerank(graph, {0: 0.0})):
        assert len(found) == 0
        assert [len(array) for array in found.top(5)] == [0, 0]


def test_a_graph_without_edges_gives_back_the_seeds():
    assert pagerank(graph_of(3, []), {1: 1.0}).nodes.tolist() == [1]
    assert pagerank(graph_of(0, []), {}).nodes.tolist() == []


def test_a_type_can_be_switched_off():
    graph = graph_of(3, [(0, 1, 1.0, 0), (0, 2, 1.0, 1)])
    assert pagerank(graph, {0: 1.0}, type_weights=[1, 0]).nodes.tolist() == [0, 1]


def test_seeds_may_be_a_dictionary_or_arrays():
    graph = graph_of(4, LINE)
    by_arrays = pagerank(graph, (np.array([3, 0, 3]), np.array([0.2, 0.5, 1.0])))
    assert scores_of(by_arrays) == scores_of(pagerank(graph, {0: 0.5, 3: 1.0}))


def test_a_path_starts_at_a_seed_and_names_its_edges():
    graph = graph_of(4, [(1, 0, 1.0, 2), (1, 2, 1.0, 4)])
    assert pagerank(graph, {0: 1.0}).path(2) == [Step(0), Step(1, 2), Step(2, 4)]
    assert pagerank(graph, {0: 1.0}).path(0) == [Step(0)]
    with pytest.raises(ValueError, match="node 3 was not reached"):
        pagerank(graph, {0: 1.0}).path(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: pagerank(g, {9: 1.0}), "seeds 9 to 9, but there are 4 nodes"),
        (lambda g: pagerank(g, {0: float("nan")}), "seed weights must be finite"),
        (lambda g: pagerank(g, ([0, 1], [1.0])), "2 seeds, but 1 weights"),
        (lambda g: pagerank(g, {0: 1.0}, damping=1.5), "damping must be 0 to 0.99: 1.5"),
        (lambda g: pagerank(g, {0: 1.0}, type_weights=[]), "a factor for each of 1 edge types"),
        (lambda g: pagerank(g, {0: 1.0}, type_weights=[-1]), "finite and not negative"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(graph_of(4, LINE))


@given(anything())
def test_every_node_reached_has_a_path_of_real_open_edges(example):
    size, edges, kinds, seeds, factors = example
    found = pagerank(graph_of(size, edges, kinds), seeds, type_weights=factors)
    for node, hops in zip(found.nodes.tolist(), found.hops.tolist(), strict=True):
        path = found.path(node)
        assert path[0].node in live(seeds)
        assert path[0].type is None
        assert path[-1].node == node
        assert len(path) - 1 <= hops
        assert len({step.node for step in path}) == len(path)
        for before, step in pairwise(path):
            ends = before.node, step.node
            assert any(
                (source, target) in (ends, ends[::-1])
                and weight * factor(factors, sort, backward=before.node != source) > 0
                for source, target, weight, sort in edges
                if sort == step.type
            )


@given(anything(), st.integers(1, 9))
def test_the_top_is_the_head_of_the_whole_order(example, k):
    """Best first, equals by node, of one kind or of all."""
    size, edges, kinds, seeds, factors = example
    found = pagerank(graph_of(size, edges, kinds), seeds, type_weights=factors)
    for kind in (None, ENTITY):
        order = sorted((-s, n) for n, s in scores_of(found).items() if kind is None or kinds[n] == kind)
        assert found.top(k, kind)[0].tolist() == [node for _, node in order[:k]]
        assert found.top(None, kind)[1].tolist() == [-score for score, _ in order]
        assert found.top(0, kind)[0].tolist() == []


# ------------------------------------------------------------------------------------------------- PageRank


def exact_pagerank(transitions: np.ndarray, seeds: dict[int, float], damping: float) -> np.ndarray:
    """Solved as a linear system; walkers at dead ends begin anew."""
    size = len(transitions)
    restart = np.zeros(size)
    for node, weight in seeds.items():
        restart[node] = weight / sum(seeds.values())
    strength = transitions.sum(axis=1, keepdims=True)
    moves = np.where(strength > 0, transitions / np.where(strength > 0, strength, 1), restart)
    return np.linalg.solve(np.eye(size) - damping * moves.T, (1 - damping) * restart)


@given(anything(), st.sampled_from([0.0, 0.2, 0.5, 0.85]), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=300)
def test_pagerank_solves_its_equation(example, damping, specificity):
    size, edges, kinds, seeds, factors = example
    graph = graph_of(size, edges, kinds)
    found = pagerank(graph, seeds, damping, 1e-14, 1000, specificity=specificity, type_weights=factors)
    if not live(seeds):
        assert len(found) == 0
        return
    exact = exact_pagerank(seen(size, edges, factors, kinds, specificity), live(seeds), damping)
    scores = np.zeros(size)
    scores[found.nodes] = found.scores
    np.testing.assert_allclose(scores, exact, atol=1e-6)
    assert found.scores.sum() == pytest.approx(1)


def random_graph(size: int, edges: int, seed: int = 0) -> random_walk.Adjacency:
    """Half memories, half entities, whose popularity follows Zipf's law."""
    rng = np.random.default_rng(seed)
    half = size // 2
    popular = 1 / (np.arange(half) + 1.0)
    mentioned = half + rng.choice(half, edges, p=popular / popular.sum())
    kinds = np.repeat([MEMORY, ENTITY], half)
    return random_walk.build(
        kinds, range(size), rng.integers(0, half, edges), mentioned, rng.random(edges) + 0.1, rng.integers(0, 5, edges)
    )


@pytest.mark.parametrize(
    "view", [{}, {"specificity": 0.5, "type_weights": [[1, 0, 2, 1, 1], [1, 1, 0, 1, 1]]}], ids=["plain", "view"]
)
def test_pushing_and_sweeping_are_one_computation(monkeypatch, view):
    graph = random_graph(2000, 6000)
    answers = []
    for share in (0.0, 0.25, 2.0):  # always whole sweeps, both, pushes only
        monkeypatch.setattr(random_walk, "_SWEEP", share)
        answers.append(pagerank(graph, {5: 1.0, 6: 0.5}, tolerance=1e-12, **view))
    for other in answers[1:]:
        assert other.nodes.tolist() == answers[0].nodes.tolist()
        np.testing.assert_allclose(other.scores, answers[0].scores, atol=1e-9)
        assert [len(other.path(n)) for n in other.top(50)[0]] == [len(answers[0].path(n)) for n in other.top(50)[0]]


@pytest.mark.parametrize("sweep", [0.25, -1.0])
@given(anything(), st.dictionaries(st.integers(0, 8), st.sampled_from([0.3, 1.0]), max_size=3))
def test_a_walk_leaves_nothing_behind_for_the_next_one(sweep, example, others):
    size, edges, kinds, seeds, factors = example
    others = {node: weight for node, weight in others.items() if node < size}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_walk, "_SWEEP", sweep)
        used = graph_of(size, edges, kinds)
        pagerank(used, others, type_weights=factors)
        (desk,) = used.desks
        assert not any((desk.settled.any(), desk.residual.any(), desk.strength.any(), (desk.met + 1).any()))
        again, fresh = (pagerank(graph, seeds, type_weights=factors) for graph in (used, graph_of(size, edges, kinds)))
    for name in ("nodes", "scores", "hops"):
        assert getattr(again, name).tolist() == getattr(fresh, name).tolist()


def test_two_walks_at_once_do_not_share_what_they_note():
    graph = graph_of(4, LINE)
    pagerank(graph, {0: 1.0})
    assert graph.take_desk() is not graph.take_desk()


def test_local_push_keeps_the_order_of_the_best():
    graph = random_graph(20_000, 60_000)
    seeds = {n: 1 / (n + 1) for n in range(30)}
    near, exact = pagerank(graph, seeds), pagerank(graph, seeds, tolerance=1e-13)
    assert len(near) < len(exact)
    shared = np.intersect1d(near.top(20)[0], exact.top(20)[0])
    assert len(shared) >= 19


def test_the_better_connected_of_two_neighbours_ranks_higher():
    graph = graph_of(5, [(0, 2), (1, 2), (0, 3), (1, 4)])
    assert pagerank(graph, {0: 1.0, 1: 1.0}).top(3)[0].tolist() == [0, 1, 2]


def test_specificity_keeps_a_hub_from_drowning_a_rare_name():
    """A memory names Everyone (mentioned by 500) and Nightshade (by two); the other memory with Nightshade wins."""
    edges = [(0, 1), (0, 2), (3, 2)] + [(n, 1) for n in range(4, 504)]
    graph = graph_of(504, edges, [ENTITY if n in (1, 2) else MEMORY for n in range(504)])
    plain, specific = (pagerank(graph, {0: 1.0}, specificity=p) for p in (0, 1))
    assert scores_of(plain)[1] == pytest.approx(scores_of(plain)[2], rel=0.3)
    assert scores_of(specific)[2] > 50 * scores_of(specific)[1]
    assert specific.top(2, MEMORY)[0].tolist() == [0, 3]


@pytest.mark.parametrize("memories", [random_walk.MOST_NAMED, 3 * random_walk.MOST_NAMED])
def test_a_link_to_what_everything_links_to_says_little(memories):
    """Memories 2 to n link to the hub (0), and memory 2 also to a note (1) that nothing else names."""
    edges = [(n, 0, 1.0, random_walk.NAMES) for n in range(2, 2 + memories)] + [(2, 1, 1.0, random_walk.NAMES)]
    graph = graph_of(2 + memories, edges)
    excess = (memories / random_walk.MOST_NAMED) ** 2
    both = {frozenset((node, int(to))): weight for node in (0, 1, 2) for to, weight in row(graph, node)}
    assert both[frozenset((0, 2))] == pytest.approx(1 / excess)
    assert both[frozenset((1, 2))] == 1.0
    assert row(graph, 0)[0] == pytest.approx((2, 1 / excess))  # the same from its other end


@pytest.mark.parametrize("names", [random_walk.LIST, 3 * random_walk.LIST])
def test_a_mention_in_a_long_list_says_little(names):
    """Memory 0 lists all entities, memory 1 names two of them."""
    edges = [(0, 2 + n) for n in range(names)] + [(1, 2), (1, 3)]
    graph = graph_of(2 + names, edges, [MEMORY] * 2 + [ENTITY] * names)
    assert dict(row(graph, 2)) == pytest.approx({0: random_walk.LIST / names, 1: 1.0})
    assert dict(row(graph, 0)) == pytest.approx(dict.fromkeys(range(2, 2 + names), random_walk.LIST / names))


def row(graph: random_walk.Adjacency, node: int) -> list[tuple[int, float]]:
    """The neighbours of a node, each with the weight that a walk uses."""
    slots = range(*graph.offsets[node : node + 2].tolist())
    return [(int(graph.targets[slot]), float(graph.specific_weights[slot])) for slot in slots]


def test_the_path_is_the_way_by_which_most_came():
    """Two ways of two edges; the heavier one is named."""
    graph = graph_of(4, [(0, 1, 0.2), (0, 2, 1.0), (1, 3, 1.0), (2, 3, 1.0)])
    assert [step.node for step in pagerank(graph, {0: 1.0}).path(3)] == [0, 2, 3]


def test_the_same_walk_gives_the_same_bits():
    graph = random_graph(5000, 20_000)
    first, second = (pagerank(graph, dict.fromkeys(range(20), 0.5)) for _ in range(2))
    assert first.scores.tobytes() == second.scores.tobytes()
    assert first.top(50)[0].tolist() == second.top(50)[0].tolist()


def test_a_million_mentions_of_one_name_do_not_stall_a_walk():
    count = 300_000
    graph = random_walk.build(
        [ENTITY] + [MEMORY] * count, range(count + 1), np.zeros(count, int), range(1, count + 1), np.ones(count),
        np.zeros(count),
    )  # fmt: skip
    assert steps(lambda: pagerank(graph, {1: 1.0})) < 3_000
    assert pagerank(graph, {1: 1.0}).top(2)[0].tolist() == [1, 0]


def test_a_shortest_path_is_never_longer_than_the_rounds_it_took():
    graph = random_graph(2000, 5000)
    found = pagerank(graph, {0: 1.0})
    distance = {0: 0}
    queue = [(0, 0)]
    while queue:
        far, node = heapq.heappop(queue)
        for target in graph.targets[graph.offsets[node] : graph.offsets[node + 1]].tolist():
            if target not in distance:
                distance[target] = far + 1
                heapq.heappush(queue, (far + 1, target))
    assert all(distance[n] <= hops for n, hops in zip(found.nodes.tolist(), found.hops.tolist(), strict=True))


def test_a_part_of_a_graph_that_knows_how_much_is_outside_walks_as_the_whole():
    seed, popular, rare, hub = 0, 1, 2, 3
    others = list(range(4, 44))
    kinds = [MEMORY, ENTITY, ENTITY, MEMORY, *(MEMORY for _ in others)]
    edges = [(seed, popular), (seed, rare), *((one, popular) for one in others[:-1]), (others[-1], rare)]
    edges += [(one, hub, 1.0, random_walk.NAMES) for one in (seed, *others)]
    kept = [seed, popular, rare, hub, others[0], others[-1]]
    whole = graph_of(len(kinds), edges, kinds)
    cut = [(kept.index(one), kept.index(to), *more) for one, to, *more in edges if one in kept and to in kept]
    part = graph_of(len(kept), cut, [kinds[node] for node in kept])
    known = replace(part, outside=np.array([0, 38, 0, 38, 0, 0]))
    how = {
        "max_iterations": 2,  # before anything comes back from outside
        "least_strength": 0.1,
        "specificity": 1.0,
        "type_weights": [[1.0] * 8, [1.0] * 6 + [0.0, 1.0]],
    }
    expected = scores_of(pagerank(whole, {seed: 1.0}, **how))
    found, blind = (scores_of(pagerank(one, {0: 1.0}, **how)) for one in (known, part))
    assert found == pytest.approx({at: expected[node] for at, node in enumerate(kept)}, rel=1e-5)
    assert blind[popular] > 2 * found[popular]
    assert blind[hub] > 2 * found[hub]
