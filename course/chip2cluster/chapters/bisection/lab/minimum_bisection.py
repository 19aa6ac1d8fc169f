"""Task on the bisection of any small network, by enumeration of all halves."""

from itertools import combinations

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

# Links between the eight GPUs of a DGX-1V, as nvidia-smi topo -m prints them.
CUBE_MESH = (
    (0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 2), (1, 2, 2), (1, 3, 1), (1, 5, 2), (2, 3, 2),
    (2, 6, 1), (3, 7, 1), (4, 5, 1), (4, 6, 1), (4, 7, 2), (5, 6, 2), (5, 7, 1), (6, 7, 2),
)  # fmt: skip


def _crossing(links, half, value=lambda number: number):
    there = [node for node in range(len(links)) if node not in half]
    return sum(value(links[one][other]) for one in half for other in there)


def _search(choose=min, sizes=lambda n: [n // 2], value=lambda number: number, first=None):
    def search(links):
        n = len(links)
        halves = [half for size in sizes(n) for half in combinations(range(n), size) if first is None or first in half]
        return choose(_crossing(links, set(half), value) for half in halves)

    return search


def narrowest(links):
    """Least number of links between two halves of a small network."""
    return _search()(links)


def _matrix(n, edges, order):
    links = [[0] * n for _ in range(n)]
    for one, other, number in edges:
        one, other = int(order[one]), int(order[other])
        links[one][other] += number
        links[other][one] += number
    return links


def _ring(n):
    return [(i, (i + 1) % n, 1) for i in range(n)]


def _random(generator, n):
    """A ring in shuffled order with some chords, one to nine links each."""
    pairs = list(combinations(range(n), 2))
    chords = [pairs[place] for place in generator.choice(len(pairs), n, replace=False)]
    edges = [(one, other, int(generator.integers(1, 10))) for one, other, *_ in [*_ring(n), *chords]]
    return _matrix(n, edges, generator.permutation(n))


def _even(generator):
    # A case that can be done in the head comes first: the ring 0, 2, 1, 3.
    cases = [_matrix(4, _ring(4), (0, 2, 1, 3)), _matrix(8, CUBE_MESH, generator.permutation(8))]
    # Node 5 hangs on a single link: the least cut of all is not one into halves.
    cases.append(
        _matrix(6, [(0, 1, 5), (1, 2, 5), (2, 3, 4), (3, 4, 5), (4, 0, 3), (4, 5, 1)], generator.permutation(6))
    )
    cases += [_random(generator, n) for n in (6, 8, 6)]
    return [{"links": links} for links in cases]


def _odd(generator):
    # Two triangles apart; five nodes with node 0 in the larger half, or in the smaller.
    apart = _matrix(6, [(0, 1, 2), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 3), (3, 5, 1)], generator.permutation(6))
    tail = _matrix(5, [(1, 2, 3), (1, 3, 3), (2, 3, 3), (0, 4, 3), (0, 1, 1)], range(5))
    small = _matrix(5, [(0, 1, 3), (0, 2, 3), (1, 2, 3), (3, 4, 3), (3, 0, 1)], range(5))
    return [{"links": links} for links in (apart, tail, small, _random(generator, 7))]


NARROWEST = Exercise(
    id="lab.bisection.narrowest",
    title="Try every way to halve",
    signature="narrowest(links)",
    unit="links",
    graded=True,
    points=5,
    reference=narrowest,
    tolerance=1e-9,
    groups=(
        Group("even", 0.7, _even),
        Group(
            "odd or in pieces",
            0.3,
            _odd,
            v.VALUE,
            advice="The number of nodes may be odd, and a network may be in two pieces.",
        ),
    ),
    hints=(
        "itertools.combinations(range(n), n // 2) yields every half.",
        "For a half, add links[i][j] over all i inside and all j outside.",
        "Keep the smallest of these sums: min(...).",
    ),
    explanation=(
        "The definition, word for word. Eight nodes have 70 halves, 64 nodes about 2 · 10^18: beyond a few dozen nodes only "
        "theorems and clever searches remain."
    ),
    mistakes=(
        Mistake(
            "only one half",
            lambda links: _crossing(links, set(range(len(links) // 2))),
            "You tried one half: the first nodes against the last. The narrowest cut can run between any two halves.",
        ),
        Mistake(
            "counted from both sides",
            lambda links: 2 * narrowest(links),
            "You counted each cut link from both ends. Take i from one half and j from the other, once.",
        ),
        Mistake("the widest", _search(choose=max), "You kept the widest cut. The bisection is the narrowest one."),
        Mistake(
            "unequal sides",
            _search(sizes=lambda n: range(1, n // 2 + 1)),
            "You allowed sides of any size. A bisection has two halves; cutting off a single node is another question.",
        ),
        Mistake(
            "pairs, not links",
            _search(value=bool),
            "You counted pairs of linked nodes. A pair can have two or three links: add links[i][j].",
        ),
        Mistake(
            "node 0 in the smaller half",
            _search(first=0),
            "You kept node 0 on one side to save half of the work. With an odd number of nodes it can be in the larger half "
            "too.",
            share=0.7,
        ),
    ),
)
