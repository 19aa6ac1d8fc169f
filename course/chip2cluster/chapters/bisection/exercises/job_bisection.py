"""Exercise on the bisection of a job's own nodes, where the scheduler has placed it."""

from chip2cluster import topology
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def job_bisection(hosts, racks, link_bandwidth, ratio):
    """Bisection of a job, one way, in racks of which all other hosts are busy."""
    fabric = topology.leaf_spine(racks, 1, hosts, link_bandwidth, oversubscription=ratio)
    return topology.bisection(topology.place(fabric, hosts, "scattered", shared=True)).bandwidth_one_way


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(32, 4, 50e9, 4), (32, 1, 50e9, 4)]
    for racks, ratio in ((2, 3), (1, 2), (6, 5), (8, 2)):
        hosts = 8 * racks * int(generator.integers(1, 6))
        rows.append((hosts, racks, float(generator.choice([12.5e9, 25e9, 50e9, 100e9])), ratio))
    return [{"hosts": h, "racks": r, "link_bandwidth": b, "ratio": o} for h, r, b, o in rows]


def _spare(generator):
    return [
        {"hosts": 8 * int(generator.integers(2, 9)), "racks": 4, "link_bandwidth": 25e9, "ratio": 0.5},
        {"hosts": 16, "racks": 2, "link_bandwidth": 50e9, "ratio": 1},
    ]


def _wrong(half=0.5, packed=lambda o: 1, spread=lambda o, racks: 1 / max(o, 1)):
    def wrong(hosts, racks, link_bandwidth, ratio):
        return hosts * half * link_bandwidth * (packed(ratio) if racks == 1 else spread(ratio, racks))

    return wrong


PLACED = Exercise(
    id="bisection.placed",
    title="Packed or scattered",
    signature="job_bisection(hosts, racks, link_bandwidth, ratio)",
    unit="B/s",
    points=3,
    reference=job_bisection,
    shows=(job_bisection, topology.place),
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "room to spare",
            0.2,
            _spare,
            v.VALUE,
            advice="No host sends faster than its own link, however many uplinks there are.",
        ),
    ),
    hints=(
        "Inside one rack the leaf switch carries everything. What does half of the job send?",
        "Across racks each host has a share of link_bandwidth / ratio.",
        "hosts / 2 * link_bandwidth, divided by ratio if there is more than one rack (and the ratio is above 1).",
    ),
    solution="""
def job_bisection(hosts, racks, link_bandwidth, ratio):
    share = link_bandwidth
    if racks > 1:
        share = min(link_bandwidth, link_bandwidth / ratio)
    return hosts / 2 * share
""",
    explanation=(
        "The same hosts and the same links: only the place differs. In one rack the uplinks never matter; over several, "
        "half of the job sits behind uplinks that it shares with everybody."
    ),
    meaning=lambda: (
        f"The job of this page has {job_bisection(32, 1, 50e9, 4) / 1e9:.0f} GB/s in one rack and {job_bisection(32, 4, 50e9, 4) / 1e9:.0f} GB/s "
        "in four, on the same nodes: the scheduler's choice is worth as much as a fabric four times as wide."
    ),
    mistakes=(
        Mistake(
            "faster than the link",
            _wrong(spread=lambda o, racks: 1 / o),
            "With more uplinks than hosts (a ratio below 1) you get more than the hosts' own links carry.",
            share=0.8,
        ),
        Mistake(
            "placement ignored",
            _wrong(spread=lambda o, racks: 1),
            "You left out the oversubscription. Between racks a host gets a share of link_bandwidth / ratio.",
        ),
        Mistake(
            "packed job slowed too",
            _wrong(packed=lambda o: 1 / o, spread=lambda o, racks: 1 / o),
            "You divided by the ratio in one rack as well. There no byte takes an uplink.",
        ),
        Mistake(
            "all hosts",
            _wrong(half=1),
            "You counted all hosts, or both directions. Half of the hosts are on each side, and the task asks for one direction.",
        ),
        Mistake(
            "multiplied by the ratio",
            _wrong(spread=lambda o, racks: o),
            "You multiplied by the ratio. 4:1 means a quarter of the bandwidth.",
        ),
        Mistake(
            "divided by the racks",
            _wrong(spread=lambda o, racks: 1 / racks),
            "You divided by the number of racks. The ratio says how much of a host's bandwidth is left, not the racks.",
        ),
        Mistake(
            "ratio and racks",
            _wrong(spread=lambda o, racks: 1 / (racks * o)),
            "You divided by the ratio and by the racks. The ratio alone gives what is left of a host's bandwidth.",
        ),
    ),
)
