"""Exercise on the requests in flight that keep a path busy (Little's law)."""

from math import ceil

from chip2cluster import hierarchy
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.hierarchy import requests_in_flight

from ..mutants import MUTANTS


def in_flight(request_bytes, latency_us, bandwidth_gbytes):
    """Fewest requests under way at which the path carries bytes without a pause."""
    return requests_in_flight(request_bytes, bandwidth_gbytes * 1e9, latency_us * 1e-6)


def _paths(generator):
    def draw(low=2, high=60):
        latency, rate = round(float(generator.uniform(0.3, 9)), 2), round(float(generator.uniform(20, 4000)), 1)
        size = round(latency * rate * 1e3 / float(generator.uniform(low, high)))
        return {"request_bytes": size, "latency_us": latency, "bandwidth_gbytes": rate}

    # Never near a whole number, where rounding of floats would decide.
    clear = lambda inputs: 0.1 < _waiting(**inputs) % 1 < 0.9
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"request_bytes": 40_000, "latency_us": 2.0, "bandwidth_gbytes": 50}
    many = draw_until(clear, lambda: draw(2500, 9000))
    return [easy, *(draw_until(clear, draw) for _ in range(4)), many]


def _ends(generator):
    return [
        {"request_bytes": 4_000_000, "latency_us": 2.5, "bandwidth_gbytes": 400},
        {"request_bytes": 64, "latency_us": 0.0, "bandwidth_gbytes": 3350},
    ]


def _waiting(request_bytes, latency_us, bandwidth_gbytes):
    """How many requests arrive during one latency."""
    return latency_us * bandwidth_gbytes * 1e3 / request_bytes


def _wrong(count, scale=1.0):
    return lambda request_bytes, latency_us, bandwidth_gbytes: count(
        scale * _waiting(request_bytes, latency_us, bandwidth_gbytes)
    )


def _meaning():
    hbm = hierarchy.system("DGX H100").tier("HBM")
    latency = known("latency_seconds", hbm.latency_seconds)
    rate = known("bandwidth_one_way", hbm.bandwidth_one_way)
    small, tile = 128, 2**14
    counts = [requests_in_flight(size, rate, latency) for size in (small, tile)]
    return (
        f"The memory of an H100 needs {counts[0]:,} loads of {small} bytes in flight at every moment, or {counts[1]} copies of "
        f"{tile // 1024} KiB: {latency * rate / 1e6:.1f} MB either way."
    )


IN_FLIGHT = Exercise(
    id="machine.in_flight",
    title="Keep the path busy",
    signature="in_flight(request_bytes, latency_us, bandwidth_gbytes)",
    unit="requests",
    points=3,
    reference=in_flight,
    shows=(requests_in_flight,),
    tolerance=1e-9,
    groups=(
        Group("paths", 0.85, _paths),
        Group(
            "ends",
            0.15,
            _ends,
            advice="Look at a request that takes longer than the latency, and at no latency at all.",
        ),
    ),
    hints=(
        "Draw the path as a timeline. A request that has just arrived triggers the next one. How long is the gap, and which requests fill it?",
        "The gap is the latency. Each of the other requests fills request_bytes / bandwidth seconds of it.",
        "math.ceil(latency_us * 1e-6 * bandwidth_gbytes * 1e9 / request_bytes) requests arrive during one latency. Which one does that count leave out?",
    ),
    solution="""
import math


def in_flight(request_bytes, latency_us, bandwidth_gbytes):
    one = request_bytes / (bandwidth_gbytes * 1e9)
    return 1 + math.ceil(latency_us * 1e-6 / one)
""",
    explanation=(
        "From the end of a request to the first byte of the next one that it triggers, a latency passes. Meanwhile the "
        "others arrive, each for request_bytes / bandwidth. So you need as many requests as fill the latency, plus the "
        "one that is arriving."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the one that arrives forgotten",
            _wrong(lambda waiting: max(1, ceil(waiting))),
            "One too few. Either you rounded down, and the path is idle for a part of each latency, or you left out the request that is arriving: it is in flight as well.",
        ),
        Mistake(
            "not rounded",
            _wrong(lambda waiting: 1 + waiting),
            "Right, but not a whole number. There is no fraction of a request: round up.",
        ),
        Mistake(
            "bytes in flight",
            lambda request_bytes, latency_us, bandwidth_gbytes: latency_us * bandwidth_gbytes * 1e3,
            "These are the bytes in flight, latency times bandwidth. How many requests carry them?",
            v.UNIT,
        ),
        Mistake(
            "Little's product alone",
            _wrong(lambda waiting: waiting),
            "This is how many requests arrive during one latency. Round up, and count the one that is arriving as well.",
        ),
        Mistake(
            "upside down",
            _wrong(lambda waiting: 1 + ceil(1 / waiting) if waiting else 1),
            "You divided the time of a request by the latency. Invert the fraction: how many requests fit into the latency?",
        ),
        Mistake(
            "latency both ways",
            _wrong(lambda waiting: 1 + ceil(waiting), 2.0),
            "You counted the latency twice. Here it is the whole time from the request to its first byte.",
            v.FACTOR,
        ),
        Mistake(
            "bits",
            _wrong(lambda waiting: 1 + ceil(waiting), 1 / 8),
            "You counted the request in bits. Request and bandwidth are both in bytes.",
            v.UNIT,
        ),
        Mistake(
            "rounded to the nearest",
            _wrong(lambda waiting: 1 + round(waiting)),
            "You rounded to the nearest whole number. The rest of the gap must be filled as well: round up.",
        ),
        Mistake(
            "GiB",
            _wrong(lambda waiting: 1 + ceil(waiting), 2**30 / 1e9),
            "You took GB/s for GiB/s. A GB is 10**9 bytes.",
            v.UNIT,
        ),
        Mistake(
            "units as printed",
            _wrong(lambda waiting: 1 + ceil(waiting), 1e-3),
            "µs times GB/s are kilobytes: 1e-6 s times 1e9 bytes/s. You took them for bytes.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["machine.in_flight"],
)
