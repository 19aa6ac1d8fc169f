"""Task on the bisection of a slice of a TPU pod."""

from math import prod

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _across(dims, closed, choose=min, twice=2, once=1, only=None):
    chips = prod(dims)
    cuts = [chips // size * (twice if ring else once) for size, ring in zip(dims, closed, strict=True)]
    return choose(cuts) if only is None else cuts[only(dims)]


def slice_bandwidth(dims, closed, link_bandwidth):
    """Bisection of a slice with even sizes, one way, in bytes/s."""
    return _across(dims, closed) * link_bandwidth


def _case(dims, closed, bandwidth):
    return {"dims": list(dims), "closed": list(closed), "link_bandwidth": bandwidth}


def _tori(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [((4, 4), 50e9), ((20, 16, 28), 100e9)]
    for dimensions in (2, 2, 3, 3):
        short, *middle, long = sorted(4 * int(n) for n in generator.choice(range(1, 9), dimensions, replace=False))
        rows.append(((*middle, short, long), round(float(generator.uniform(20e9, 100e9)), -8)))
    return [_case(dims, (True,) * len(dims), bandwidth) for dims, bandwidth in rows]


def _slices(generator):
    long = 4 * int(generator.integers(3, 8))
    return [
        _case((8, 16), (False, True), 50e9),
        _case((6, 4), (False, True), 50e9),
        _case((8, 8), (False, False), 100e9),
        _case((4, 6, long), (True, False, False), 100e9),
        _case((16, 12), (True, False), 50e9),
    ]


def _longest(dims):
    return max(range(len(dims)), key=dims.__getitem__)


def _wrong(**changes):
    return lambda dims, closed, link_bandwidth: _across(dims, closed, **changes) * link_bandwidth


SLICES = Exercise(
    id="lab.bisection.slice_bandwidth",
    title="A slice of a TPU pod",
    signature="slice_bandwidth(dims, closed, link_bandwidth)",
    unit="B/s",
    graded=True,
    points=4,
    reference=slice_bandwidth,
    groups=(
        Group("tori", 0.6, _tori),
        Group(
            "slices",
            0.4,
            _slices,
            v.VALUE,
            advice="A dimension that doesn't close is cut once, so the narrowest cut need not run across the longest one.",
        ),
    ),
    hints=(
        "Cut straight across dimension i. How many lines run along it?",
        "N / dims[i] lines; each is cut twice if it is a ring, once if it is not.",
        "Take the smallest of these over all dimensions, times link_bandwidth.",
    ),
    explanation=(
        "For even sizes a straight cut is the narrowest, and there is one for each dimension. A pod sold in slices loses its "
        "closing links first: half of the chips of a v5e pod keep half of its bisection, in one direction of cutting only."
    ),
    mistakes=(
        Mistake(
            "rings cut once",
            _wrong(twice=1),
            "You cut the rings once. A ring is still in one piece then: cut it twice.",
        ),
        Mistake(
            "widest cut",
            _wrong(choose=max),
            "You took the widest of the straight cuts. Cut across the dimension that gives the fewest links.",
        ),
        Mistake(
            "across the first dimension",
            _wrong(only=lambda dims: 0),
            "You always cut across the first dimension. Try each of them and keep the narrowest.",
        ),
        Mistake(
            "across the last dimension",
            _wrong(only=lambda dims: len(dims) - 1),
            "You always cut across the last dimension. Try each of them and keep the narrowest.",
            share=0.6,
        ),
        Mistake(
            "formula for the whole",
            lambda dims, closed, link_bandwidth: prod(dims) / 2 * link_bandwidth,
            "You used p/2 times β. Only the chips at the cut have a link across.",
        ),
        Mistake(
            "one line of the shortest side",
            lambda dims, closed, link_bandwidth: 2 * min(dims) * link_bandwidth,
            "You took twice the shortest side. The number of lines along dimension i is N / dims[i]: in three dimensions they "
            "fill a face.",
        ),
        Mistake(
            "both ways",
            _wrong(twice=4, once=2),
            "You counted both directions of each link. The question asks for one.",
        ),
        Mistake(
            "always rings",
            _wrong(once=2),
            "You cut every line twice. One that doesn't close to a ring is cut once.",
            share=0.6,
        ),
        Mistake(
            "across the longest dimension",
            _wrong(only=_longest),
            "You cut across the longest dimension. An open dimension that is shorter can be narrower: it is cut only once.",
            share=0.6,
        ),
        Mistake(
            "chips of a slice",
            _wrong(choose=lambda cuts: sum(cuts)),
            "You added the cuts of all dimensions. One straight cut is enough to halve the slice.",
        ),
    ),
)
