"""Exercise on the bytes that a triad in NumPy moves."""

from chip2cluster import measure
from chip2cluster.exercise.model import Exercise, Group, Mistake


def triad_rate(elements, element_bytes, seconds, allocates):
    """Bytes a second that a triad in two passes moves; each write is read first where memory allocates."""
    values = 5 + (2 if allocates else 0)  # read c, write t; read b and t, write a
    return values * elements * element_bytes / seconds


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    hand = {"elements": 1_000_000, "element_bytes": 8, "seconds": 0.001, "allocates": False}
    return [hand, *(_drawn(generator, allocates) for allocates in (True, False, True, False))]


def _drawn(generator, allocates):
    return {
        "elements": int(generator.integers(1e6, 1e8)),
        "element_bytes": int(generator.choice([4, 8])),
        "seconds": float(generator.uniform(1e-3, 0.5)),
        "allocates": allocates,
    }


def _values(never, always):
    def wrong(elements, element_bytes, seconds, allocates):
        return (always if allocates else never) * elements * element_bytes / seconds

    return wrong


TRIAD = Exercise(
    id="measure.triad_rate",
    title="How many bytes did it move?",
    signature="triad_rate(elements, element_bytes, seconds, allocates)",
    unit="bytes/s",
    points=2,
    reference=triad_rate,
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        "Take one call at a time. Which arrays does it read, and which does it write?",
        "The first call reads c and writes t. The second reads b, and which other array? s is a single number.",
        "Five arrays pass between memory and chip. Two of the five are written; if the cache allocates, these two are read as well.",
    ),
    solution="""
def triad_rate(elements, element_bytes, seconds, allocates):
    arrays = 7 if allocates else 5
    return arrays * elements * element_bytes / seconds
""",
    explanation=(
        "NumPy performs one operation at a time. It writes the product into t and reads it again to add: five arrays, while a loop in C "
        "moves three. If you count three, the machine looks slower than it is. A cache that must hold a line before it can change a "
        "part of it reads the two written arrays as well: seven. If you write `b + s * c`, NumPy puts the product into a "
        "temporary array. If that is large, NumPy may write the sum into it as well, and because it has just been read, the cache "
        "doesn't read it again: six arrays instead of seven."
    ),
    meaning=lambda: (
        "On the recorded machine an add, which is one pass, moved "
        f"{measure.recorded_roofline('cpu roofline, quiet').memory_bandwidth / 1e9:.0f} GB/s beyond the caches, counted as three "
        "arrays. When you read a rate somewhere, ask first which bytes were counted."
    ),
    mistakes=(
        Mistake(
            "as a loop in C",
            _values(3, 3),
            "You counted three arrays, as STREAM does for a loop. Two calls write the product into t and read it again.",
        ),
        Mistake(
            "a loop in C that allocates",
            _values(3, 4),
            "You counted one pass. There are two: the product is written to t and read again to be added.",
        ),
        Mistake("reads only", _values(2, 2), "You counted only b and c. Written arrays move, too."),
        Mistake(
            "a product that is never read",
            _values(4, 6),
            "You left out one pass of t: it is written by the first call and read by the second.",
        ),
        Mistake(
            "no read before a write",
            _values(5, 5),
            "You ignored allocates. If it is True, each of the two arrays that are written is read first.",
        ),
        Mistake(
            "always a read before a write",
            _values(7, 7),
            "You always count a read of the written arrays. Count it only if allocates is True.",
        ),
        Mistake(
            "one written array is read",
            _values(5, 6),
            "You read one of the written arrays first. Two are written: t and a.",
        ),
    ),
)
