"""What chapter 5 says of twisted tori: counted here on the graph, held against Google's measurement."""

from itertools import product

import networkx as nx
import pytest

from chip2cluster import topology


def twisted(dims, short):
    """A torus whose rings along the short sides are shifted by half of the long side when they wrap around."""
    half = [0 if side == short else side // 2 for side in dims]
    graph = nx.Graph()
    for node in product(*map(range, dims)):
        for axis, side in enumerate(dims):
            step = list(node)
            step[axis] += 1
            if step[axis] == side and side == short:  # the seam
                step = [place + shift for place, shift in zip(step, half, strict=True)]
            graph.add_edge(node, tuple(place % size for place, size in zip(step, dims, strict=True)))
    return topology.from_graph(graph)


@pytest.mark.parametrize("dims, measured", [((4, 4, 8), 1.63), ((4, 8, 8), 1.31)])  # Jouppi et al., ISCA 2023
def test_twisted_torus_shortens_paths_and_spreads_load(dims, measured):
    chips = dims[0] * dims[1] * dims[2]
    flat, turned = topology.hops(topology.torus(dims)), topology.hops(twisted(dims, 4))
    assert turned.average < flat.average and turned.diameter < flat.diameter
    # Over all pairs the long side of the torus carries a mean of 8 / 4 steps for each message;
    # at best the twist gives each of the three directions the same load.
    long = 2.0
    best = long / (turned.average * (chips - 1) / chips / 3)
    assert 0.9 * best < measured < best


def test_tpu_slice_below_a_cube_is_a_mesh():
    small, cube = topology.tpu_pod("v4", (2, 4, 4)), topology.tpu_pod("v4", (4, 4, 4))
    assert topology.hops(small).diameter == 1 + 3 + 3 and topology.hops(cube).diameter == 2 + 2 + 2
    assert topology.bisection(cube).links == 2 * 16 and topology.bisection(small).links == 8
