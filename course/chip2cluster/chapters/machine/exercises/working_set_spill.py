"""Exercise on the time of a pass over a working set that exceeds one memory tier."""

import math

from chip2cluster import hierarchy
from chip2cluster._validate import known
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.links import transfer_time


def pass_seconds(working_set_bytes, capacities, bandwidths):
    """Seconds of one pass over bytes that fill the tiers from the fastest on, one tier read after the other."""
    seconds, left = 0.0, working_set_bytes
    for room, rate in zip(capacities, bandwidths, strict=True):
        here = min(left, room)
        seconds += transfer_time(here, rate)
        left -= here
    return seconds


def _shares(working_set_bytes, capacities):
    shares, left = [], working_set_bytes
    for room in capacities:
        shares.append(min(left, room))
        left -= shares[-1]
    return shares


def _sets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"working_set_bytes": 90e9, "capacities": [80e9, math.inf], "bandwidths": [4000e9, 50e9]}
    drawn = []
    for spilled, tiers in ((1.2, 3), (2.6, 3), (1.05, 2), (1.6, 4), (3.1, 4)):
        hbm = round(float(generator.uniform(40, 190)))
        rooms = [hbm * 1e9, round(hbm * float(generator.uniform(1.1, 1.6))) * 1e9, 2000e9]
        rates = [round(float(rate * generator.uniform(0.8, 1.2))) * 1e9 for rate in (3000, 400, 60, 5)]
        rooms, rates = [*rooms[: tiers - 1], math.inf], [*rates[: tiers - 1], rates[3]]
        drawn.append({"working_set_bytes": round(spilled * hbm) * 1e9, "capacities": rooms, "bandwidths": rates})
    return [easy, *drawn]


def _ends(generator):
    machine = {"capacities": [80e9, 640e9, math.inf], "bandwidths": [3350e9, 450e9, 5e9]}
    return [{"working_set_bytes": size, **machine} for size in (16e9, 80e9, 720e9)]


def _slowest(working_set_bytes, capacities, bandwidths):
    """The first tier that would hold all of it by itself."""
    return next(rate for room, rate in zip(capacities, bandwidths, strict=True) if room >= working_set_bytes)


def _used(working_set_bytes, capacities, bandwidths):
    shares = _shares(working_set_bytes, capacities)
    return [(share, rate) for share, rate in zip(shares, bandwidths, strict=True) if share]


def _meaning():
    machine = hierarchy.system("DGX H100")
    hbm, host = machine.tier("HBM"), machine.tier("host memory")
    room = known("capacity_bytes", hbm.capacity_bytes)
    rate = known("bandwidth_one_way", hbm.bandwidth_one_way)
    model = 1.05 * room
    slow = pass_seconds(model, [room, math.inf], [rate, host.bandwidth_one_way])
    ratio = slow / transfer_time(model, rate)
    return (
        f"{model / 1e9:.0f} GB on an H100 leave {model / 1e9 - room / 1e9:.0f} GB with the host, one byte in "
        f"{model / (model - room):.0f}, and a pass takes {ratio:.1f} times as long as if all had fitted."
    )


SPILL = Exercise(
    id="machine.pass_seconds",
    title="Five percent too large",
    signature="pass_seconds(working_set_bytes, capacities, bandwidths)",
    unit="s",
    points=3,
    reference=pass_seconds,
    groups=(
        Group("sets", 0.85, _sets),
        Group("ends", 0.15, _ends, advice="Consider a set that fits in the first tier, and one that fits exactly."),
    ),
    hints=(
        "Which tier holds each byte? Fill the first tier, then the next one with the rest.",
        "Each tier takes its own bytes over its own bandwidth. The times of the tiers add up.",
        "In a loop: here = min(left, room); seconds += here / rate; left -= here.",
    ),
    solution="""
def pass_seconds(working_set_bytes, capacities, bandwidths):
    seconds, left = 0.0, working_set_bytes
    for room, rate in zip(capacities, bandwidths):
        here = min(left, room)
        seconds += here / rate
        left -= here
    return seconds
""",
    explanation=(
        "Times add, rates don't. The few bytes in slow tiers take most of the pass, so the average rate is close to that of the slow tier, however fast the first one is."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "all of it in one tier",
            lambda working_set_bytes, capacities, bandwidths: (
                working_set_bytes / _slowest(working_set_bytes, capacities, bandwidths)
            ),
            "You read all the bytes from the first tier that could hold all of them. Here the bytes that fit stay in faster tiers; only the rest is in slower ones.",
        ),
        Mistake(
            "the first tier alone",
            lambda working_set_bytes, capacities, bandwidths: working_set_bytes / bandwidths[0],
            "You read everything at the rate of the first tier. It cannot hold everything.",
        ),
        Mistake(
            "the last tier alone",
            lambda working_set_bytes, capacities, bandwidths: working_set_bytes / bandwidths[-1],
            "You read everything from the last tier. It holds only the bytes that fit in no faster tier.",
        ),
        Mistake(
            "two tiers",
            lambda working_set_bytes, capacities, bandwidths: (
                min(working_set_bytes, capacities[0]) / bandwidths[0]
                + max(0, working_set_bytes - capacities[0]) / bandwidths[1]
            ),
            "You put all the rest into the second tier. It may be too small as well: continue in a loop.",
        ),
        Mistake(
            "mean of the rates",
            lambda working_set_bytes, capacities, bandwidths: (
                working_set_bytes
                / (
                    sum(share * rate for share, rate in _used(working_set_bytes, capacities, bandwidths))
                    / working_set_bytes
                )
            ),
            "You averaged the bandwidths, weighted by bytes. That is not the average rate: add the times of the tiers.",
        ),
        Mistake(
            "side by side",
            lambda working_set_bytes, capacities, bandwidths: max(
                share / rate for share, rate in _used(working_set_bytes, capacities, bandwidths)
            ),
            "You took the longest of the times. Here one tier is read after the other, so the times add up.",
        ),
        Mistake(
            "the rest forgotten",
            lambda working_set_bytes, capacities, bandwidths: min(working_set_bytes, capacities[0]) / bandwidths[0],
            "You stopped at the first tier. The bytes that did not fit must be read as well, from slower tiers.",
        ),
        Mistake(
            "filled again",
            lambda working_set_bytes, capacities, bandwidths: sum(
                min(working_set_bytes, room) / rate for room, rate in zip(capacities, bandwidths, strict=True)
            ),
            "You count bytes twice: the bytes in one tier are not left for the next. Subtract them first.",
        ),
        Mistake(
            "rates added",
            lambda working_set_bytes, capacities, bandwidths: (
                working_set_bytes / sum(rate for _, rate in _used(working_set_bytes, capacities, bandwidths))
            ),
            "You added the bandwidths. They would add if all tiers delivered at the same time; here one is read after the other.",
        ),
    ),
)
