"""Exercise on the bisection of four families of networks in closed form."""

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def family_links(network, nodes):
    """Links in the narrowest cut between two halves of a network of one dimension, a full mesh or a hypercube."""
    if network == "path":
        net = topology.path(nodes)
    elif network == "ring":
        net = topology.ring(nodes)
    elif network == "full mesh":
        net = topology.complete(nodes)
    else:
        net = topology.hypercube(nodes.bit_length() - 1)
    return topology.bisection(net).links


def _cases(rows):
    return [{"network": network, "nodes": nodes} for network, nodes in rows]


def _lines(generator):
    nodes = 2 * generator.integers(4, 40, 2)
    # A case that can be done in the head comes first: it is the one that a student sees.
    return _cases([("ring", 6), ("path", 10), ("ring", int(nodes[0])), ("path", int(nodes[1]))])


def _meshes(generator):
    return _cases([("full mesh", 6), *(("full mesh", 2 * int(n)) for n in generator.integers(4, 40, 2))])


def _cubes(generator):
    return _cases([("hypercube", 16), *(("hypercube", 2 ** int(d)) for d in generator.integers(5, 11, 2))])


def _odd(generator):
    nodes = 2 * generator.integers(5, 30, 2) + 1
    rows = [("full mesh", 9), ("full mesh", int(nodes[0])), ("ring", 9), ("path", int(nodes[1]))]
    return _cases(rows)


def _but(**others):
    """Right for every network but the named ones."""
    right = {"path": lambda n: 1, "ring": lambda n: 2, "full mesh": lambda n: n * n // 4, "hypercube": lambda n: n // 2}
    formulas = right | {name.replace("_", " "): formula for name, formula in others.items()}
    return lambda network, nodes: formulas[network](nodes)


def _half(n):
    return n // 2


FAMILIES = Exercise(
    id="bisection.four_families",
    title="Four networks, by hand",
    signature="cut_links(network, nodes)",
    unit="links",
    points=3,
    reference=family_links,
    shows=(family_links,),
    tolerance=1e-9,
    groups=(
        Group("path and ring", 0.25, _lines),
        Group(
            "full mesh",
            0.25,
            _meshes,
            v.VALUE,
            "Path and ring are right. In a full mesh, count pairs with a node on each side.",
        ),
        Group(
            "hypercube",
            0.25,
            _cubes,
            v.VALUE,
            "The others are right. Split the hypercube along one bit of the numbers.",
        ),
        Group(
            "odd",
            0.25,
            _odd,
            v.VALUE,
            advice="The halves of an odd number p have (p − 1)/2 and (p + 1)/2 nodes. The number of links is whole.",
        ),
    ),
    hints=(
        "Draw each network with 4 nodes and again with 8, and cut it in half with a pencil.",
        "Path and ring: does the number depend on the size at all? Full mesh: each node here is linked to each node there.",
        "1, 2, floor(p/2) · ceil(p/2) and p/2: cut a hypercube along one bit; each node has one link along it.",
    ),
    solution="""
def cut_links(network, nodes):
    if network == "path":
        return 1
    if network == "ring":
        return 2
    if network == "full mesh":
        return (nodes // 2) * (nodes - nodes // 2)
    return nodes // 2
""",
    explanation=(
        "A path has one link across the cut and a ring has two, however long they are. In a full mesh every pair "
        "across the cut has a link. A hypercube splits along one bit of the node's number, and each node has exactly "
        "one link along that bit. That these cuts are the narrowest is a theorem for each of the four; a drawing alone "
        "cannot prove it."
    ),
    meaning=lambda: (
        f"The cut of sixteen chips has {family_links('path', 16)} link in a path, {family_links('ring', 16)} in a ring, "
        f"{family_links('hypercube', 16)} in a hypercube and {family_links('full mesh', 16)} in a full mesh. The links "
        "in the middle are what you pay for."
    ),
    mistakes=(
        Mistake(
            "p/2 for all",
            lambda network, nodes: nodes // 2,
            "You returned p/2 for every network. That holds when each node has one link into a fabric that can carry "
            "everything, and by chance for a hypercube. Draw a ring of 6 and cut it.",
        ),
        Mistake(
            "ring cut once",
            _but(ring=lambda n: 1),
            "You cut the ring once. What remains is a path, still in one piece: two halves of a ring touch at two places.",
        ),
        Mistake(
            "all links of the mesh",
            _but(full_mesh=lambda n: n * (n - 1) // 2),
            "For the full mesh you counted all its links. Those inside a half are not cut.",
            share=0.5,
        ),
        Mistake(
            "mesh counted twice",
            _but(full_mesh=lambda n: n * n // 2),
            "For the full mesh you counted each link from both ends. It is one link.",
            share=0.5,
        ),
        Mistake(
            "half of the mesh's links",
            _but(full_mesh=lambda n: n * (n - 1) // 4),
            "For the full mesh you halved the number of links. More than half of them cross: count pairs with one node on "
            "each side.",
            share=0.5,
        ),
        Mistake(
            "all nodes of the hypercube",
            _but(hypercube=lambda n: n),
            "For the hypercube you counted each link from both ends. Each node of one half has one link across.",
            share=0.75,
        ),
        Mistake(
            "one node of the hypercube",
            _but(hypercube=lambda n: n.bit_length() - 1),
            "For the hypercube you counted the links of one node. Half of the nodes have to be separated, not one.",
            share=0.75,
        ),
        Mistake(
            "all links of the hypercube",
            _but(hypercube=lambda n: n * (n.bit_length() - 1) // 2),
            "For the hypercube you counted all its links. Only those along one bit are cut.",
            share=0.75,
        ),
        Mistake(
            "smaller half squared",
            _but(full_mesh=lambda n: _half(n) ** 2),
            "Your two halves of the full mesh are equally large even when the number of nodes is odd. One holds one more.",
            share=0.75,
        ),
        Mistake(
            "fractions of links",
            lambda network, nodes: {"path": 1, "ring": 2, "full mesh": nodes * nodes / 4, "hypercube": nodes / 2}[
                network
            ],
            "For an odd full mesh you get a fraction of a link: (p/2)² holds for an even number p of nodes. Take floor(p/2) · ceil(p/2).",
            share=0.75,
        ),
    ),
)
