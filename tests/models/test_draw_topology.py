"""The picture of a topology: well-formed, the cut as computed, words that say it."""

from re import findall, search
from xml.etree import ElementTree

import networkx as nx
import pytest

from chip2cluster import topology
from chip2cluster.draw.pictures.topology import topology as draw
from tests.pictures import geometry

RATES = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}
SVG = "{http://www.w3.org/2000/svg}"
HYBRID = nx.Graph([(0, 1), (1, 2), (2, 0), *((s, ("host", s, i)) for s in range(3) for i in range(2))])

NETWORKS = [
    topology.path(8),
    topology.ring(9, 50e9),
    topology.ring(1),
    topology.ring(2),
    topology.complete(8),
    topology.mesh((5, 5)),
    topology.torus((4, 4), 50e9),
    topology.torus((4, 4, 4)),
    topology.torus((1, 6)),
    topology.hypercube(5),
    topology.hyperx((4, 4)),
    topology.hyperx((3, 3), hosts_per_router=2),
    topology.tree(3, 3),
    topology.star(9),
    topology.fat_tree(4),
    topology.leaf_spine(4, 2, 4, 50e9),
    topology.place(topology.leaf_spine(4, 2, 4, 50e9), 6, "scattered", shared=True),
    topology.dragonfly(4, 2),
    topology.dragonfly(1, 2),
    topology.dragonfly(3, 1, 4, 2),
    topology.nvswitch_node("DGX-2"),
    topology.nvswitch_node("DGX H100"),
    topology.direct_node("DGX-1V"),
    topology.direct_node("MI300X"),
    topology.gpu_cluster(4, 4, **RATES),
    topology.gpu_cluster(4, 4, wiring="rack", **RATES),
    topology.tpu_pod("v4", (2, 2, 4)),
    topology.tpu_pod("v5e", (4, 16)),
    topology.from_graph(nx.random_regular_graph(4, 12, seed=1), name="<a> & b"),
    topology.from_graph(HYBRID, terminals=[node for node in HYBRID if isinstance(node, tuple)]),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda n: n.name)
def test_every_family(network):
    picture = ElementTree.fromstring(draw(network))
    halves, graph = topology.cut(network), network.graph
    assert picture.get("role") == "img"
    title, description = picture.find(f"{SVG}title").text, picture.find(f"{SVG}desc").text
    width, height = float(picture.get("width")), float(picture.get("height"))

    # Every node is a mark with the letter of its half, every cut link red and dashed.
    switches = len(graph) - network.terminals
    assert len(picture.findall(f"{SVG}circle")) == network.terminals
    letters = [text.text for text in picture.findall(f"{SVG}text")]
    assert letters.count("A") == len(halves.side) and letters.count("B") == len(halves.other)
    assert sum(rect.get("stroke-width") == "3" for rect in picture.findall(f"{SVG}rect")) == switches
    paths = picture.findall(f"{SVG}path")
    dashed = [path for path in paths if path.get("stroke-dasharray")]
    assert len(paths) == graph.number_of_edges() and len(dashed) == len(halves.edges)
    assert {path.get("stroke") for path in dashed} <= {"#1f2430"}

    # The words say the finding.
    total = sum(links for *_, links in graph.edges(data="links"))
    assert f"{halves.links} of {total} links" in title
    assert f"{network.terminals} terminal" in title
    assert "Proved" in description and topology.bisection(network).method in description

    # Nothing sticks out, no text is too small, no two nodes overlap.
    positions = [(float(c.get("cx")), float(c.get("cy"))) for c in picture.findall(f"{SVG}circle")]
    positions += [
        (float(r.get("x")) + 11, float(r.get("y")) + 11) for r in picture.findall(f"{SVG}rect") if r.get("rx") == "3"
    ]
    assert all(11 <= x <= width - 11 and 60 <= y <= height - 30 for x, y in positions)
    for i, (x, y) in enumerate(positions):
        assert all((x - u) ** 2 + (y - v) ** 2 >= 22**2 for u, v in positions[:i])
    assert not geometry.unreadable(draw(network))


def test_rates_are_said_one_way_and_both_ways():
    assert "400 GB/s one way, 800 GB/s both ways" in draw(topology.torus((4, 4), 50e9))
    assert "B/s" not in draw(topology.torus((4, 4)))  # counted in links


GRIDS = [
    topology.mesh((5, 5)),
    topology.torus((4, 4, 4)),
    topology.torus((3, 4, 3, 3)),
    topology.hypercube(3),
    topology.hypercube(6),
    topology.hyperx((4, 4)),
    topology.tpu_pod("v4", (2, 2, 4)),
]


@pytest.mark.parametrize("network", GRIDS, ids=lambda n: n.name)
def test_a_grid_knows_which_links_would_run_through_other_nodes(network):
    positions = {node: complex(*place) for node, place in network.positions().items()}
    for u, v in network.graph.edges:
        along = positions[v] - positions[u]
        # Where another node stands on the straight line: how far along it, and beside it in steps.
        other = [(positions[node] - positions[u]) / along for node in positions if node not in (u, v)]
        nearest = min((abs(x.imag * abs(along)) for x in other if 0 < x.real < 1), default=1)
        assert (network.link_path(u, v) == "straight") == (nearest > 0.25), (u, v)


def test_a_torus_shows_its_wrap_arounds_as_stubs():
    picture = draw(topology.torus((4, 3)))
    assert "stubs at opposite rims" in picture
    assert len(findall(r'd="M[^"]*M[^"]*"', picture)) == 4 + 3
    assert "stubs" not in draw(topology.mesh((4, 3)))


def test_parallel_links_are_counted_or_explained():
    assert "×2" in draw(topology.direct_node("DGX-1V"))
    assert "a line stands for 4 or 5 links" in draw(topology.nvswitch_node("DGX H100"))


def test_the_boards_of_a_box_are_parted_at_their_trunks():
    assert len(findall("stroke-dasharray", draw(topology.nvswitch_node("DGX-2")))) == 6


def test_an_unproved_cut_says_so():
    network = topology.from_graph(nx.random_regular_graph(12, 64, seed=1))
    picture = draw(network, time_limit=0.3)
    share = search(r"no cut has less than (\d+) % of that", picture)
    assert share and 0 < int(share[1]) < 100
    assert "Not proved" in picture


@pytest.mark.parametrize("network", [None, "torus", nx.path_graph(3), 4])
def test_only_topologies(network):
    with pytest.raises(TypeError, match="network must be a Topology"):
        draw(network)


def test_what_cannot_be_read_is_not_drawn():
    for network in (topology.torus((16, 16)), topology.fat_tree(64), topology.fat_tree(8)):
        with pytest.raises(ValueError, match="up to 128 nodes, got"):
            draw(network)
    with pytest.raises(ValueError, match="time_limit"):
        draw(topology.ring(4), time_limit=0)
