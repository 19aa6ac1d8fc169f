"""Exercise on the interval of a link's rate, and conclusions that hold in all of it."""

from chip2cluster import collectives, links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def ranges(message_bytes, latencies, bandwidths):
    """Shortest and longest time of a message, s; the size below which it surely waits, above which it surely moves, bytes."""
    (quick, slow), (narrow, wide) = latencies, bandwidths
    return [
        links.transfer_time(message_bytes, wide, quick),
        links.transfer_time(message_bytes, narrow, slow),
        links.half_bandwidth_message_size(quick, narrow),
        links.half_bandwidth_message_size(slow, wide),
    ]


def _wires(generator):
    # A case that can be done in the head comes first: 22 to 44 µs; 50 kB and 200 kB.
    easy = {"message_bytes": 1e6, "latencies": [2e-6, 4e-6], "bandwidths": [25e9, 50e9]}

    def draw():
        quick, narrow = 1e-7 * int(generator.integers(5, 80)), 1e9 * int(generator.integers(10, 90))
        slow = quick * (1 + 0.1 * int(generator.integers(2, 15)))
        wide = narrow * (1 + 0.1 * int(generator.integers(2, 15)))
        return {
            "message_bytes": float(1000 + round(generator.uniform(0.3, 4) * quick * narrow, -3)),
            "latencies": [round(quick, 9), round(slow, 9)],
            "bandwidths": [float(narrow), round(wide, -6)],
        }

    return [easy, *(draw() for _ in range(4))]


def _like(fast=(0, 1), slow=(1, 0), waits=(0, 0), moves=(1, 1)):
    """The same with other ends paired: of the latencies and of the bandwidths, for each of the four numbers."""

    def wrong(message_bytes, latencies, bandwidths):
        times = [links.transfer_time(message_bytes, bandwidths[b], latencies[a]) for a, b in (fast, slow)]
        sizes = [links.half_bandwidth_message_size(latencies[a], bandwidths[b]) for a, b in (waits, moves)]
        return times + sizes

    return wrong


def _middle(message_bytes, latencies, bandwidths):
    wait, rate = sum(latencies) / 2, sum(bandwidths) / 2
    return [links.transfer_time(message_bytes, rate, wait)] * 2 + [wait * rate] * 2


def _meaning():
    wire = links.rates("NVLink 4")
    start = collectives.nccl_protocol("Simple", "nvlink").latency
    low, high = wire.measured_by("sm")
    shortest, longest, waits, moves = ranges(1e6, [start / 2, 2 * start], [low, high])
    return (
        f"NVLink 4 was measured at {low / 1e9:.0f} to {high / 1e9:.0f} GB/s with kernels. Where the start is known to a factor of "
        f"two either way from NCCL's {start * 1e6:.1f} µs, 1 MB takes {shortest * 1e6:.1f} to {longest * 1e6:.1f} µs, and only "
        f"below {waits / 1e3:.0f} kB and above {moves / 1e6:.1f} MB can you say without a measurement what to buy."
    )


RANGES = Exercise(
    id="links.ranges",
    title="Best case, worst case, and what is certain",
    signature="ranges(message_bytes, latencies, bandwidths)",
    unit="",
    points=4,
    reference=ranges,
    shows=(ranges, links.transfer_time, links.half_bandwidth_message_size),
    groups=(Group("wires", 1.0, _wires),),
    hints=(
        "Four numbers, each an end of an interval. For each ask: which latency and which bandwidth make it as small as it can "
        "be, or as large?",
        "A time is shortest with the lower latency and the higher bandwidth. And the product αβ?",
        "[low α + n / high β, high α + n / low β, low α × low β, high α × high β]",
    ),
    solution="""
def ranges(message_bytes, latencies, bandwidths):
    quick, slow = latencies
    narrow, wide = bandwidths
    return [
        quick + message_bytes / wide,
        slow + message_bytes / narrow,
        quick * narrow,
        slow * wide,
    ]
""",
    explanation=(
        "A time grows with the latency and falls with the bandwidth, so its ends pair low with high. N-half grows with both, so "
        "its ends pair low with low and high with high. Between those two sizes the data does not say which part takes "
        "longer: that is where a measurement pays off."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "low with low for the times",
            _like(fast=(0, 0), slow=(1, 1)),
            "You paired low with low for the times. A higher bandwidth makes a message faster: the shortest time has the lower "
            "latency and the higher bandwidth.",
        ),
        Mistake(
            "low with high for the sizes",
            _like(waits=(0, 1), moves=(1, 0)),
            "The times are right. For the sizes you paired the ends in the same way, but αβ grows with both: the smallest n-half "
            "has the lower latency and the lower bandwidth.",
        ),
        Mistake(
            "low with high for the sizes, in order",
            lambda message_bytes, latencies, bandwidths: (
                ranges(message_bytes, latencies, bandwidths)[:2]
                + sorted((latencies[0] * bandwidths[1], latencies[1] * bandwidths[0]))
            ),
            "The times are right. For the sizes you paired the ends in the same way, but αβ grows with both: the smallest n-half "
            "has the lower latency and the lower bandwidth.",
            coincides="low with high for the sizes",
        ),
        Mistake(
            "everything low with low and swapped",
            _like(fast=(0, 0), slow=(1, 1), waits=(0, 1), moves=(1, 0)),
            "You paired all ends the wrong way around. A time falls with the bandwidth, n-half grows with it.",
        ),
        Mistake(
            "longest first",
            _like(fast=(1, 0), slow=(0, 1)),
            "You named the longest time first. Shortest, longest, then the two sizes.",
        ),
        Mistake(
            "sizes swapped",
            _like(waits=(1, 1), moves=(0, 0)),
            "You swapped the two sizes. A message certainly waits longer if it is smaller than the smallest possible n-half.",
        ),
        Mistake(
            "the middle",
            _middle,
            "You used the middle of each range. The middle hides the uncertainty: return the ends.",
        ),
        Mistake(
            "time of the bytes alone",
            lambda message_bytes, latencies, bandwidths: [
                message_bytes / bandwidths[1],
                message_bytes / bandwidths[0],
                *ranges(message_bytes, latencies, bandwidths)[2:],
            ],
            "The sizes are right. In the times the latency is missing: equation (6.1).",
        ),
        Mistake(
            "microseconds",
            lambda message_bytes, latencies, bandwidths: [
                value * scale
                for value, scale in zip(ranges(message_bytes, latencies, bandwidths), (1e6, 1e6, 1, 1), strict=True)
            ],
            "Your times are in µs. Return seconds.",
            v.UNIT,
        ),
    ),
)
