"""Lab 8: a torus or a hypercube."""

from functools import cache
from math import isqrt

from chip2cluster import topology, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si


@cache
def links(shape, nodes):
    """Links of the narrowest cut into halves."""
    if shape == "torus":
        return topology.bisection(topology.torus((isqrt(nodes),) * 2)).links
    return topology.bisection(topology.hypercube(nodes.bit_length() - 1)).links


def draw(generator):
    rows = [{"nodes": float(nodes), "each": float(generator.integers(10, 99)) * 1e7} for nodes in (16, 64, 256)]
    bandwidth = float(generator.integers(10, 60)) * 1e9
    return Draw({"bandwidth": bandwidth}, rows, {"nodes": 1024.0, "each": float(generator.integers(10, 99)) * 1e7})


def crossing(shape):
    def seconds(nodes, each, bandwidth):
        return nodes / 2 * each / (links(shape, int(nodes)) * bandwidth)

    return seconds


QUESTION = Question(
    scene="Three machines of one vendor have links of {bandwidth} in each direction. On each, every node of one half "
    "sent to a partner in the other half and received as much; the halves are those of the narrowest cut, and "
    "the traffic was spread evenly. The wiring plans are lost.",
    columns=(Column("nodes", "nodes"), Column("each", "bytes a node sends", si("B"))),
    result=Column("seconds", "time", si("s")),
    explanations=(
        Explanation(
            "they are square tori of two dimensions.",
            "The cut of a square torus grows as the side, the nodes as its square: with four times the nodes each has half the share of the "
            "cut. The smallest torus is a hypercube, too, so it proves nothing.",
            "If a larger machine kept the time of the smallest one for the same bytes, I would be wrong.",
            crossing("torus"),
        ),
        Explanation(
            "they are hypercubes.",
            "The cut of a hypercube has a link for every pair of nodes across it, whatever the size, so the time follows the bytes of a node "
            "alone. The smallest hypercube is a torus, too, so it proves nothing.",
            "If a larger machine needed more time for the same bytes, I would be wrong.",
            crossing("hypercube"),
        ),
    ),
    coming="what you expect on a machine of {nodes} nodes where each sends {each}",
    draw=draw,
    shown=lambda bandwidth: {"bandwidth": units.show(bandwidth, "B/s")},
)
