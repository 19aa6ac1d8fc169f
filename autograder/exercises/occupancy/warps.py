"""How many warps keep the memory busy?"""

import math

from chip2cluster import occupancy

from ... import verdict as v
from ..model import Exercise, Group, Mistake


def warps_needed(latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight):
    """Warps a multiprocessor must hold so that the memory is never idle."""
    return occupancy.warps_needed(latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight=loads_in_flight)


def _kernels(generator):
    rows = [(400e-9, 3.0e12, 100, 4, 1)]
    # Whole warps and a part of one, smaller and larger than a half by turns.
    for sms, size, loads, part in ((132, 4, 2, 0.15), (108, 16, 1, 0.55), (148, 8, 3, 0.15), (80, 2, 4, 0.55)):
        needed = int(generator.integers(8, 90)) + generator.uniform(part, part + 0.3)
        latency = float(generator.uniform(350e-9, 800e-9))
        rows.append((latency, float(needed * sms * 32 * size * loads / latency), sms, size, loads))
    names = ("latency", "memory_bandwidth", "sms", "bytes_per_load", "loads_in_flight")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _exact(generator):
    # Powers of two, so that the quotient is a whole number in whatever order it is worked out.
    needed, latency, sms = int(generator.integers(20, 60)), 2.0**-21, 128
    bandwidth = float(needed * 2**21 * sms * 32 * 4 * 2)
    names = ("latency", "memory_bandwidth", "sms", "bytes_per_load", "loads_in_flight")
    return [dict(zip(names, (latency, bandwidth, sms, 4, 2), strict=True))]


def _by(per_warp=lambda sms, size, loads: sms * 32 * size * loads, rounding=math.ceil):
    def wrong(latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight):
        return rounding(latency * memory_bandwidth / per_warp(sms, bytes_per_load, loads_in_flight))

    return wrong


WARPS = Exercise(
    id="occupancy.warps_needed",
    title="How many warps keep the memory busy?",
    signature="warps_needed(latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight)",
    unit="warps",
    points=4,
    reference=warps_needed,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group(
            "edges",
            0.2,
            _exact,
            advice="When the bytes on their way fill whole warps exactly, no further one is needed.",
        ),
    ),
    hints=(
        "How many bytes must be on their way at any moment, on the whole chip?",
        "Latency × bandwidth. Divide by the multiprocessors: that is the share of one.",
        "A warp has 32 threads, each with loads_in_flight × bytes_per_load bytes on their way. Round up.",
    ),
    solution="""
import math


def warps_needed(latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight):
    in_flight = latency * memory_bandwidth / sms
    per_warp = 32 * bytes_per_load * loads_in_flight
    return math.ceil(in_flight / per_warp)
""",
    explanation=(
        "Little's law: what is on its way = rate × time on the way. When the answer is more than a multiprocessor holds, no "
        "occupancy can help; wider or more loads a thread can, and they count exactly like more warps. The answer is as sure as "
        "the latency: for an H100 and loads of 4 bytes, 63 at 315 ns and 87 at 436 ns."
    ),
    mistakes=(
        Mistake(
            "whole chip",
            _by(lambda sms, size, loads: 32 * size * loads),
            "This is for the whole chip. Divide by the multiprocessors.",
        ),
        Mistake(
            "threads",
            _by(lambda sms, size, loads: sms * size * loads),
            "These are threads. A warp has 32 of them.",
        ),
        Mistake(
            "threads of the whole chip",
            _by(lambda sms, size, loads: size * loads),
            "These are the threads of the whole chip. Divide by the multiprocessors, and by 32 threads a warp.",
        ),
        Mistake(
            "warps of all multiprocessors",
            lambda sms, **inputs: sms * warps_needed(sms=sms, **inputs),
            "These are the warps of all multiprocessors together. Those of one are wanted.",
        ),
        Mistake(
            "divided by the latency",
            lambda latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight: math.ceil(
                memory_bandwidth / latency / (sms * 32 * bytes_per_load * loads_in_flight)
            ),
            "You divided by the latency. What is on its way = rate × time on the way.",
        ),
        Mistake(
            "loads in flight forgotten",
            _by(lambda sms, size, loads: sms * 32 * size),
            "You forgot that a thread has loads_in_flight loads on their way at once. They count like more warps.",
        ),
        Mistake(
            "loads in flight multiplied",
            lambda latency, memory_bandwidth, sms, bytes_per_load, loads_in_flight: math.ceil(
                latency * memory_bandwidth * loads_in_flight / (sms * 32 * bytes_per_load)
            ),
            "More loads in flight need fewer warps, not more: divide by them.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda warps: math.floor(warps) + 1),
            "You always add one. When the bytes on their way fill whole warps exactly, that is one too many: round up.",
            share=0.8,
        ),
        Mistake(
            "rounded down", _by(rounding=math.floor), "One warp short: the memory would idle now and then. Round up."
        ),
        Mistake("not rounded", _by(rounding=lambda warps: warps), "Warps come whole: round up."),
        Mistake(
            "rounded to the nearest", _by(rounding=round), "You rounded to the nearest. Round up, or the memory idles."
        ),
        Mistake(
            "capped at 64",
            lambda **inputs: min(64, warps_needed(**inputs)),
            "Don't cap the answer at 64. That it can be more than a multiprocessor holds is the point.",
        ),
        Mistake(
            "bits for bytes",
            _by(lambda sms, size, loads: sms * 32 * size * loads * 8),
            "Everything is in bytes already; you divided by 8.",
            v.UNIT,
        ),
    ),
)
