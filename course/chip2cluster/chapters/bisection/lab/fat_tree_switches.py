"""Task on the smallest switch radix of a full fat tree for a number of hosts."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _first(fits, step=2, start=2):
    ports = start
    while not fits(ports):
        ports += step
    return ports


def fewest_ports(hosts):
    """Smallest even k with k^3/4 >= hosts."""
    return _first(lambda k: k**3 >= 4 * hosts)


def _clusters(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    counts = [10, 1000, 2100, 300] + [
        int((2 * k) ** 3 / 4 * 0.93) for k in generator.choice(range(6, 40), 7, replace=False)
    ]
    return [{"hosts": n} for n in counts]


def _exact(generator):
    k = 2 * int(generator.integers(5, 20))
    return [{"hosts": 1024}, {"hosts": k**3 // 4}, {"hosts": k**3 // 4 + 1}, {"hosts": 65536}]


FAT_TREE = Exercise(
    id="lab.bisection.fewest_ports",
    title="How many ports must a switch have?",
    signature="fewest_ports(hosts)",
    unit="ports",
    graded=True,
    points=3,
    reference=fewest_ports,
    tolerance=1e-9,
    groups=(
        Group("clusters", 0.7, _clusters),
        Group(
            "exact fits",
            0.3,
            _exact,
            advice="A tree that is exactly full still holds everybody; one host more needs k + 2.",
        ),
    ),
    hints=(
        "Try k = 2, 4, 6, … and work out what each holds.",
        "Stop at the first k with k³/4 at least as large as the number of hosts.",
        "k is even, so go in steps of two. Compare whole numbers, the cube with four times the hosts: no division, no rounding.",
    ),
    explanation=(
        "Whole numbers get the exact fits right, where a cube root in floating point may be slightly too low or too high. 64-port switches reach 65,536 hosts in three tiers."
    ),
    mistakes=(
        Mistake(
            "odd switches",
            lambda hosts: _first(lambda k: k**3 >= 4 * hosts, step=1, start=1),
            "You allowed an odd number of ports. Half of them go up and half down: k is even.",
        ),
        Mistake(
            "one size too small",
            lambda hosts: fewest_ports(hosts) - 2,
            "Your tree is one size too small: it doesn't hold everybody. Round up.",
        ),
        Mistake(
            "two tiers",
            lambda hosts: _first(lambda k: k**2 >= 2 * hosts),
            "You counted k²/2 hosts. That is a tree of two tiers; this one has three and holds k³/4.",
        ),
        Mistake(
            "half of the cube",
            lambda hosts: _first(lambda k: k**3 >= 2 * hosts),
            "You counted k³/2 hosts. It is k pods of k/2 edge switches with k/2 hosts each: k³/4.",
        ),
        Mistake(
            "the cube",
            lambda hosts: _first(lambda k: k**3 >= hosts),
            "You counted k³ hosts. It is k pods of k/2 edge switches with k/2 hosts each: k³/4.",
        ),
        Mistake(
            "not whole",
            lambda hosts: (4 * hosts) ** (1 / 3),
            "Ports come whole, and even: take the next even number at or above the cube root.",
        ),
        Mistake(
            "full trees refused",
            lambda hosts: _first(lambda k: k**3 > 4 * hosts),
            "A tree that is exactly full holds everybody: compare with >=, not with >.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "rounded to the nearest",
            lambda hosts: max(2, 2 * round((4 * hosts) ** (1 / 3) / 2)),
            "You rounded to the nearest even number. If the tree then lacks one place, it doesn't hold everybody: round up.",
        ),
    ),
)
