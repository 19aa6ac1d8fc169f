"""The explorer of traffic patterns: every state agrees with the models."""

import itertools
import re

import pytest

from chip2cluster import explore, topology
from chip2cluster.chapters.bisection.explorers.traffic import NETWORKS, PATTERNS, network

# By hand, 64 terminals of 1 GB on links of 50 GB/s: ms of the busiest link.
KNOWN = {
    ("stencil", "torus 8 × 8"): 5,
    ("stencil", "torus 4 × 4 × 4"): 20 / 6,
    ("stencil", "leaf-spine 4:1"): 20,
    ("all-to-all", "leaf-spine 1:1"): 63 / 64 * 20,
    ("all-to-all", "leaf-spine 4:1"): 60,
    ("all-to-all", "torus 8 × 8"): 20,
    ("all-to-all", "torus 4 × 4 × 4"): 10,
    ("all-to-all", "ring of 64"): 160,
    ("ring all-reduce", "leaf-spine 4:1"): 2 * 63 / 64 * 20,
    ("ring all-reduce", "ring of 64"): 2 * 63 / 64 * 20,
    ("opposite pairs", "leaf-spine 4:1"): 80,
    ("tornado", "torus 8 × 8"): 60,
    ("tornado", "ring of 64"): 31 * 20,
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("pattern, name", list(itertools.product(PATTERNS, NETWORKS)))
def test_every_state_shows_what_the_models_say(pattern, name):
    view = explore.traffic(pattern, network=name)
    net, dims = network(name), NETWORKS[name][1]
    demand = topology.demand(PATTERNS[pattern], 64, dims=dims)
    row = view.table[view.current.table.marked]
    assert row["traffic"] == pattern
    assert row["time (ms)"] == pytest.approx(KNOWN.get((pattern, name), row["time (ms)"]))
    assert row["time (ms)"] / 1e3 == pytest.approx(topology.link_loads(net, demand).seconds(1e9))
    assert row["cuts ask for (ms)"] / 1e3 == pytest.approx(topology.cut_demand_time(net, demand, 1e9))
    assert row["reached (%)"] <= 100 + 1e-9
    assert ("no routing could be faster" in view.sentence) == (row["reached (%)"] > 99.5)
    assert name in view.alt and view.alt.startswith(pattern.capitalize())
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)"', view.current.picture.svg)]
    # As wide as 5 px, and thinner where many links meet in a switch: together no wider than 50.
    meet = max(len(net.graph[node]) for node in net.graph)
    assert max(widths) == pytest.approx(min(5, 50 / meet), abs=0.01) and min(widths) >= 1


def test_a_tornado_leaves_half_of_the_lanes_empty():
    view = explore.traffic("tornado", network="torus 8 × 8")
    assert "128 of 256 directions of links carry nothing" in view.alt
    assert "they fill one direction of each link and leave the other empty" in view.sentence
    assert "crowd some links" in view.set(pattern="random pairs").sentence
    assert "a single ring leaves most links empty" in view.set(pattern="ring all-reduce").sentence
    assert "fill one direction of each link" in view.set(network="ring of 64").sentence


def test_the_still_a_larger_buffer_and_bad_values():
    view = explore.traffic("all-to-all")
    before = view.table[0]["time (ms)"]
    assert view.set(message=10).table[0]["time (ms)"] == pytest.approx(10 * before)
    assert '<img alt="All-to-all' in view.still() and view.current.picture.png()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="pattern must be one of 'stencil', 'ring all-reduce'"):
        explore.traffic("gossip")
