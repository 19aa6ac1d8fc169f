"""Task on the loads in flight per thread that memory bandwidth requires."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def loads_needed(active_warps, latency, memory_bandwidth, sms, bytes_per_load):
    """Independent loads a thread must issue so that these warps keep the memory busy."""
    return math.ceil(latency * memory_bandwidth / (sms * active_warps * 32 * bytes_per_load))


def _kernels(generator):
    names = ("active_warps", "latency", "memory_bandwidth", "sms", "bytes_per_load")
    rows = [(20, 400e-9, 3.2e12, 100, 4)]
    for sms, size, warps in ((132, 4, 24), (108, 2, 28), (148, 8, 12), (188, 4, 8), (80, 16, 5)):
        needed = int(generator.integers(2, 9)) + generator.uniform(0.15, 0.45)
        latency = float(generator.uniform(380e-9, 800e-9))
        rows.append((warps, latency, float(needed * sms * warps * 32 * size / latency), sms, size))
    rows[0] = (20, 400e-9, 3.0e12, 100, 4)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _edges(generator):
    # Powers of two, so that the quotient is a whole number in whatever order it is worked out.
    exact = float(int(generator.integers(3, 9)) * 2**21 * 128 * 16 * 32 * 4)
    return [
        {"active_warps": 16, "latency": 2.0**-21, "memory_bandwidth": exact, "sms": 128, "bytes_per_load": 4},
        {"active_warps": 64, "latency": 450e-9, "memory_bandwidth": 0.3e12, "sms": 58, "bytes_per_load": 16},
        {"active_warps": 2, "latency": 700e-9, "memory_bandwidth": 7.7e12, "sms": 148, "bytes_per_load": 4},
    ]


def _by(per_load=lambda warps, sms, size: warps * sms * 32 * size, rounding=math.ceil):
    def wrong(active_warps, latency, memory_bandwidth, sms, bytes_per_load):
        return rounding(latency * memory_bandwidth / per_load(active_warps, sms, bytes_per_load))

    return wrong


LOADS = Exercise(
    id="lab.occupancy.loads_needed",
    title="Enough loads in flight",
    signature="loads_needed(active_warps, latency, memory_bandwidth, sms, bytes_per_load)",
    unit="loads",
    graded=True,
    points=3,
    reference=loads_needed,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A thread has at least one load in flight, there is no upper bound here, and a whole number is not rounded up further.",
        ),
    ),
    hints=(
        "Little's law: how many bytes must be in flight on the whole chip?",
        "How many threads share those bytes? sms × active_warps × 32.",
        "Divide the bytes in flight by (threads × bytes_per_load), and round up.",
    ),
    explanation=(
        "The chapter computed warps from a given number of loads; this is the same equation, solved for the loads. If registers "
        "fix the number of warps, you can still choose the loads. A busy memory answers later than the latency that a tool "
        "measures, so one more load than this is not wasted."
    ),
    mistakes=(
        Mistake(
            "whole chip",
            _by(lambda warps, sms, size: warps * 32 * size),
            "You let one multiprocessor fetch everything. Divide by sms as well.",
        ),
        Mistake(
            "divided by the latency",
            lambda active_warps, latency, memory_bandwidth, sms, bytes_per_load: math.ceil(
                memory_bandwidth / latency / (active_warps * sms * 32 * bytes_per_load)
            ),
            "You divided by the latency. Bytes in flight = rate × time in flight.",
        ),
        Mistake(
            "lanes forgotten",
            _by(lambda warps, sms, size: warps * sms * size),
            "You counted warps as threads. A warp has 32 threads, each with its own loads.",
        ),
        Mistake(
            "warps forgotten",
            _by(lambda warps, sms, size: sms * 32 * size),
            "You returned the warps needed with one load each. Divide by the warps that you have.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda loads: math.floor(loads) + 1),
            "You always add one. If the loads are exactly enough, that is one too many: round up.",
            share=0.8,
        ),
        Mistake(
            "rounded down",
            _by(rounding=math.floor),
            "Your answer is one load short, so the memory would be idle at times. Round up.",
        ),
        Mistake(
            "rounded to the nearest",
            _by(rounding=round),
            "You rounded to the nearest. Round up, or the memory is idle at times.",
        ),
        Mistake("not rounded", _by(rounding=lambda loads: loads), "Return whole loads: round up."),
        Mistake(
            "bytes forgotten",
            _by(lambda warps, sms, size: warps * sms * 32),
            "You returned bytes for each thread. Divide by the bytes of a load.",
        ),
    ),
    mutants=MUTANTS["lab.occupancy.loads_needed"],
)
