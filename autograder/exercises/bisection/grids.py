"""The narrowest cut of meshes and tori, of even and odd sizes."""

from chip2cluster import topology

from ... import verdict as v
from ..model import Exercise, Group, Mistake


def grid_links(kind, k, dimensions):
    """Links in the narrowest cut of a mesh or torus with k nodes along each dimension."""
    make = topology.torus if kind == "torus" else topology.mesh
    return topology.bisection(make((k,) * dimensions)).links


def _even(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [("mesh", 4, 2), ("torus", 4, 2), ("torus", 16, 3)]
    for kind in ("mesh", "torus"):
        rows += [(kind, 2 * int(generator.integers(3, 13)), dimensions) for dimensions in (1, 2, 3)]
    return [{"kind": kind, "k": k, "dimensions": d} for kind, k, d in rows]


def _odd(generator):
    k = 2 * generator.integers(4, 9, 2) + 1
    rows = [("mesh", 5, 2), ("torus", 5, 2), ("torus", 7, 3), ("mesh", int(k[0]), 3), ("torus", int(k[1]), 2)]
    return [{"kind": kind, "k": k, "dimensions": d} for kind, k, d in rows]


def _wrong(straight=lambda k, d: k ** (d - 1), odd=lambda k, d: (k**d - 1) // (k - 1), mesh=1, torus=2):
    def wrong(kind, k, dimensions):
        return (torus if kind == "torus" else mesh) * (odd if k % 2 else straight)(k, dimensions)

    return wrong


GRIDS = Exercise(
    id="bisection.grids",
    title="Meshes and tori, odd ones too",
    signature="grid_links(kind, k, dimensions)",
    unit="links",
    points=4,
    reference=grid_links,
    shows=(grid_links,),
    tolerance=1e-9,
    groups=(
        Group("even", 0.6, _even),
        Group(
            "odd",
            0.4,
            _odd,
            v.VALUE,
            advice="With odd k no straight cut makes halves: the last line has to be halved as well, and the cut gets a step.",
        ),
    ),
    hints=(
        "A straight cut across one dimension severs one link for each node of a slice. How many nodes has a slice?",
        "In a torus each of these lines is a ring, and a ring is cut at two places.",
        "Odd k: half a slice is left over. k^(d−1) + k^(d−2) + … + 1 = (k^d − 1)/(k − 1) for the mesh, twice that for the torus.",
    ),
    solution="""
def grid_links(kind, k, dimensions):
    if k % 2 == 0:
        links = k ** (dimensions - 1)
    else:
        links = (k**dimensions - 1) // (k - 1)
    return 2 * links if kind == "torus" else links
""",
    explanation=(
        "Cut straight through the middle: one link for each of the k^(d−1) lines, two if the lines are rings. With odd k "
        "the middle slice belongs to neither half. It has to be halved itself, which is the same problem with one "
        "dimension less, so the costs add up: k^(d−1) + k^(d−2) + … + 1."
    ),
    mistakes=(
        Mistake(
            "torus like a mesh",
            _wrong(torus=1),
            "You cut the torus like a mesh. Its lines are rings: cut one once, and its ends still hold together the other "
            "way round.",
        ),
        Mistake(
            "mesh like a torus",
            _wrong(mesh=2),
            "You doubled the mesh as well. Its lines end at the rim, so one cut of each is enough.",
        ),
        Mistake(
            "half of the nodes",
            lambda kind, k, dimensions: k**dimensions // 2,
            "You returned half of the nodes, p/2. A node deep inside a half has no link across; only the nodes at the cut do.",
        ),
        Mistake(
            "all nodes of the grid",
            _wrong(straight=lambda k, d: k**d, odd=lambda k, d: k**d),
            "You raised k to the number of dimensions: that is every node. A slice has one dimension less.",
        ),
        Mistake(
            "the side alone",
            _wrong(straight=lambda k, d: k, odd=lambda k, d: k + 1),
            "You counted k for any number of dimensions. In three dimensions a slice is a square of k × k nodes.",
        ),
        Mistake(
            "steps where none are needed",
            lambda kind, k, dimensions: (2 if kind == "torus" else 1) * ((k**dimensions - 1) // (k - 1)),
            "You took the formula with the step for even k too. There a straight cut makes two halves already.",
        ),
        Mistake(
            "straight cut of an odd grid",
            _wrong(odd=lambda k, d: k ** (d - 1)),
            "You cut an odd grid straight. The two sides then differ by a whole slice, so they are no halves: halve that "
            "slice as well.",
            share=0.6,
        ),
        Mistake(
            "one step only",
            _wrong(odd=lambda k, d: k ** (d - 1) + (d > 1)),
            "One step too few: in three dimensions the leftover slice is a square, and halving it costs k links and a step.",
            share=0.6,
        ),
        Mistake(
            "step of the torus counted once",
            lambda kind, k, dimensions: (
                2 * k ** (dimensions - 1) + (k ** (dimensions - 1) - 1) // (k - 1)
                if kind == "torus"
                else (k**dimensions - 1) // (k - 1)
            ),
            "In a torus the step is a piece of a ring too: it costs twice what it costs in a mesh.",
        ),
    ),
)
