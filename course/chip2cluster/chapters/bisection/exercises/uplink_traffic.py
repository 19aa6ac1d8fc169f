"""Exercise on the time of any traffic matrix through the uplinks of racks."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _crossing(sends, racks):
    """Bytes that leave each rack, and bytes that come into it."""
    sends, racks = np.asarray(sends, dtype=float), np.asarray(racks)
    inside = racks[:, None] == racks[None, :]
    across = np.where(inside, 0.0, sends)
    numbers = np.unique(racks)
    out = np.array([across[racks == rack].sum() for rack in numbers])
    into = np.array([across[:, racks == rack].sum() for rack in numbers])
    return out, into


def uplink_seconds(sends, racks, uplinks, link_bandwidth):
    """Time of the rack that has most to send or to receive over its uplinks."""
    out, into = _crossing(sends, racks)
    return float(max(out.max(), into.max()) / (uplinks * link_bandwidth))


def _case(sends, racks, uplinks, bandwidth):
    return {
        "sends": np.array(sends, dtype=float),
        "racks": np.array(racks),
        "uplinks": uplinks,
        "link_bandwidth": bandwidth,
    }


def _uneven(generator, sender, receiver, *, receiving=False):
    """Traffic of three racks of which one sends most, or one receives most, and much stays in the racks."""
    racks = generator.permutation(np.repeat(np.arange(3), 3))
    sends = np.round(generator.uniform(0.5e9, 2e9, (9, 9)), -6)
    np.fill_diagonal(sends, 0.0)
    sends[racks == sender] *= 2
    sends[:, racks == receiver] *= 5 if receiving else 1.3
    return _case(sends, racks, int(generator.integers(2, 5)), float(generator.choice([12.5e9, 25e9, 50e9])))


def _traffic(generator):
    # A case that can be done in the head comes first: hosts 0 and 1 in one rack, 2 and 3 in the other.
    first = _case([[0, 9e9, 2e9, 0], [0, 0, 0, 4e9], [1e9, 0, 0, 9e9], [0, 0, 0, 0]], [0, 0, 1, 1], 2, 1e9)
    most = [_uneven(generator, 1, 2), _uneven(generator, 2, 0), _uneven(generator, 0, 1, receiving=True)]
    return [first, *(most[place] for place in generator.permutation(3))]


def _numbered(generator):
    """Racks numbered with gaps, of which the highest is the busiest, and a job of one rack."""
    gaps = _uneven(generator, 2, 0)
    return [
        _case([[0, 0, 0], [0, 0, 1e9], [3e9, 3e9, 0]], [2, 4, 7], 1, 1e9),
        {**gaps, "racks": np.array([2, 3, int(generator.integers(5, 9))])[gaps["racks"]]},
        _case([[0, 5e9], [2e9, 0]], [1, 1], 2, 25e9),
    ]


def _wrong(measure):
    def wrong(sends, racks, uplinks, link_bandwidth):
        return float(measure(*_crossing(sends, racks)) / (uplinks * link_bandwidth))

    return wrong


def _inside_too(sends, racks, uplinks, link_bandwidth):
    racks, sends = np.asarray(racks), np.asarray(sends)
    totals = [max(sends[racks == rack].sum(), sends[:, racks == rack].sum()) for rack in np.unique(racks)]
    return float(max(totals) / (uplinks * link_bandwidth))


def _first_numbers(sends, racks, uplinks, link_bandwidth):
    out, into = _crossing(sends, racks)
    kept = np.unique(racks) < len(out)
    return float(max(out[kept].max(initial=0.0), into[kept].max(initial=0.0)) / (uplinks * link_bandwidth))


UPLINKS = Exercise(
    id="bisection.uplinks",
    title="Any traffic through a rack's uplinks",
    signature="uplink_seconds(sends, racks, uplinks, link_bandwidth)",
    unit="s",
    points=3,
    reference=uplink_seconds,
    shows=(uplink_seconds,),
    groups=(
        Group("one rack sends or receives most", 0.7, _traffic),
        Group(
            "racks with other numbers",
            0.3,
            _numbered,
            v.VALUE,
            advice="Racks need not be numbered 0, 1, 2. A job may be in racks 2, 4 and 7, or in a single rack.",
        ),
    ),
    hints=(
        "Which entries of sends cross a rack's border? Those whose two hosts are in different racks.",
        "racks[:, None] != racks[None, :] marks them. Then sum the rows of each rack's hosts.",
        "For each rack the larger of what leaves and what comes in; the largest of all racks over uplinks * link_bandwidth.",
    ),
    solution="""
import numpy as np

def uplink_seconds(sends, racks, uplinks, link_bandwidth):
    across = np.where(racks[:, None] == racks[None, :], 0, sends)
    most = 0
    for rack in set(racks):
        here = racks == rack
        most = max(most, across[here].sum(), across[:, here].sum())
    return most / (uplinks * link_bandwidth)
""",
    explanation=(
        "This is the cut around a rack for traffic that need not be even. What stays in the rack costs its uplinks nothing, "
        "and the two directions don't share: so the fullest direction of the fullest rack decides."
    ),
    meaning=lambda: (
        f"For 64 hosts in four racks at 4:1, 1 GB each, an even all-to-all gives {1e3 * _spread(64, 16, 4):.0f} ms, as by the cut around "
        "a leaf. Your function needs no formula for the traffic: any matrix will do."
    ),
    mistakes=(
        Mistake(
            "traffic inside a rack",
            _inside_too,
            "You sent everything over the uplinks. What two hosts of one rack have for each other turns round at the leaf.",
        ),
        Mistake(
            "both directions together",
            _wrong(lambda out, into: (out + into).max()),
            "You added the traffic that leaves a rack and the traffic that enters it. The two directions have separate lanes; the fuller one decides.",
        ),
        Mistake(
            "all racks together",
            _wrong(lambda out, into: out.sum()),
            "You added the traffic of all racks. Each has uplinks of its own, and they work at the same time.",
        ),
        Mistake(
            "all racks together, the fuller direction of each",
            _wrong(lambda out, into: np.maximum(out, into).sum()),
            "You added up all racks. Each has uplinks of its own, and they work at the same time: the busiest decides.",
        ),
        Mistake(
            "last rack left out",
            _wrong(lambda out, into: max(out[:-1].max(initial=0.0), into[:-1].max(initial=0.0))),
            "You left out the last rack. range(racks.max()) ends one before it.",
        ),
        Mistake(
            "mean of the racks",
            _wrong(lambda out, into: out.mean()),
            "You took the mean of the racks. Everybody waits for the one with most to carry.",
        ),
        Mistake(
            "one uplink alone",
            lambda sends, racks, uplinks, link_bandwidth: uplink_seconds(sends, racks, 1, link_bandwidth),
            "You sent all that leaves a rack over one link. It has `uplinks` of them.",
        ),
        Mistake(
            "sending alone",
            _wrong(lambda out, into: out.max()),
            "You looked at what leaves the racks alone. More may come into one of them than leaves any.",
        ),
        Mistake(
            "receiving alone",
            _wrong(lambda out, into: into.max()),
            "You looked at what comes into the racks alone. One of them may send more than any receives.",
        ),
        Mistake(
            "numbers without gaps",
            _first_numbers,
            "You looked at racks 0, 1, 2 and so on, as many as there are. They may have other numbers.",
            share=0.7,
        ),
    ),
)


def _spread(hosts, each, uplinks):
    """Seconds of an even all-to-all of 1 GB a host, over links of 50 GB/s."""
    return uplink_seconds(np.full((hosts, hosts), 1e9 / hosts), np.arange(hosts) // each, uplinks, 50e9)
