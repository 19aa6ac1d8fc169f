"""Exercise on the operations that an accelerator could do during one memory latency."""

from chip2cluster import hierarchy, specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.links import transfer_time

from ..mutants import MUTANTS


def lost_work(peak_tflops, message_bytes, latency_us, bandwidth_gbytes):
    """FLOP that a chip could do while it waits for a message."""
    return peak_tflops * 1e12 * transfer_time(message_bytes, bandwidth_gbytes * 1e9, latency_us * 1e-6)


def _waits(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"peak_tflops": 1000, "message_bytes": 50_000, "latency_us": 2.0, "bandwidth_gbytes": 50}
    drawn = []
    for share in (0.4, 2.5, 0.6, 1.5, 4.0):  # bytes against latency: both terms matter
        latency, bandwidth = generator.uniform(0.3, 90), generator.uniform(5, 4000)
        drawn.append(
            {
                "peak_tflops": round(float(generator.uniform(120, 2500))),
                "message_bytes": round(float(share * latency * bandwidth * 1e3)),
                "latency_us": round(float(latency), 2),
                "bandwidth_gbytes": round(float(bandwidth), 1),
            }
        )
    return [easy, *drawn]


def _ends(generator):
    peak = round(float(generator.uniform(120, 2500)))
    return [
        {"peak_tflops": peak, "message_bytes": 0, "latency_us": 2.7, "bandwidth_gbytes": 50},
        {"peak_tflops": peak, "message_bytes": 16e9, "latency_us": 0.0, "bandwidth_gbytes": 63.0},
    ]


def _wrong(seconds):
    return lambda peak_tflops, message_bytes, latency_us, bandwidth_gbytes: (
        peak_tflops * 1e12 * seconds(message_bytes, latency_us * 1e-6, bandwidth_gbytes * 1e9)
    )


def _meaning():
    tier = hierarchy.system("DGX H100").tier("cluster HBM over InfiniBand")
    peak = specs.accelerator("H100 SXM").peak_flops_dense("bf16")
    latency, rate = known("latency_seconds", tier.latency_seconds), known("bandwidth_one_way", tier.bandwidth_one_way)
    work = lost_work(peak / 1e12, 100e6, 1e6 * latency, rate / 1e9)
    return f"100 MB of gradients from another node cost an H100 at least {transfer_time(100e6, rate) * 1e3:.0f} ms: {work / 1e12:.1f} TFLOP, unless it computes in the meantime."


WAITING = Exercise(
    id="machine.lost_work",
    title="What a wait costs",
    signature="lost_work(peak_tflops, message_bytes, latency_us, bandwidth_gbytes)",
    unit="FLOP",
    points=3,
    reference=lost_work,
    shows=(lost_work, transfer_time),
    groups=(Group("waits", 0.9, _waits), Group("ends", 0.1, _ends, advice="Consider 0 bytes and 0 latency.")),
    hints=(
        "First the time: how long until the first byte, and how long from there to the last?",
        "The two add up: latency plus bytes over bandwidth. Convert everything to seconds and bytes.",
        "peak_tflops * 1e12 * (latency_us * 1e-6 + message_bytes / (bandwidth_gbytes * 1e9))",
    ),
    solution="""
def lost_work(peak_tflops, message_bytes, latency_us, bandwidth_gbytes):
    seconds = latency_us * 1e-6 + message_bytes / (bandwidth_gbytes * 1e9)
    return peak_tflops * 1e12 * seconds
""",
    explanation=(
        "Time times rate is work. A chip with 1,000 TFLOP/s does a billion operations in a microsecond, so a short wait "
        "is a long calculation."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "latency left out",
            _wrong(lambda size, latency, rate: size / rate),
            "You left out the latency, the time until the first byte arrives.",
        ),
        Mistake(
            "latency alone",
            _wrong(lambda size, latency, rate: latency),
            "You counted the latency alone. After the first byte the others still have to come.",
        ),
        Mistake(
            "the longer of the two",
            _wrong(lambda size, latency, rate: max(latency, size / rate)),
            "You took the longer of the two times. Nothing overlaps here: the first byte comes after the latency, and the "
            "others after it. Add them.",
        ),
        Mistake(
            "bits for bytes",
            _wrong(lambda size, latency, rate: latency + 8 * size / rate),
            "You counted the message in bits, or the bandwidth. Both are in bytes already.",
            v.UNIT,
        ),
        Mistake(
            "latency in milliseconds",
            _wrong(lambda size, latency, rate: 1e3 * latency + size / rate),
            "You read the latency as milliseconds. µs are 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "latency in nanoseconds",
            _wrong(lambda size, latency, rate: 1e-3 * latency + size / rate),
            "You read the latency as nanoseconds. µs are 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "latency in seconds",
            _wrong(lambda size, latency, rate: 1e6 * latency + size / rate),
            "The latency is still in µs: 1 µs is 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "bandwidth in GB/s",
            _wrong(lambda size, latency, rate: latency + 1e9 * size / rate),
            "The bandwidth is still in GB/s: 1 GB/s is 1e9 bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "nothing converted",
            _wrong(lambda size, latency, rate: 1e6 * latency + 1e9 * size / rate),
            "You left µs and GB/s unconverted. Convert the latency to seconds (1e-6) and the bandwidth to bytes/s (1e9).",
            v.UNIT,
        ),
        Mistake(
            "all as printed",
            lambda peak_tflops, message_bytes, latency_us, bandwidth_gbytes: (
                peak_tflops * (latency_us + message_bytes / bandwidth_gbytes)
            ),
            "You used the numbers as printed. Convert each: TFLOP/s are 1e12 FLOP/s, µs are 1e-6 s, GB/s are 1e9 bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "GiB",
            _wrong(lambda size, latency, rate: latency + size / (rate / 1e9 * 2**30)),
            "You took GB/s for GiB/s. A GB is 10**9 bytes.",
            v.UNIT,
        ),
        Mistake(
            "divided by the time",
            lambda peak_tflops, message_bytes, latency_us, bandwidth_gbytes: (
                (peak_tflops * 1e12) ** 2 / lost_work(peak_tflops, message_bytes, latency_us, bandwidth_gbytes)
            ),
            "You divided the peak by the time. FLOP/s times seconds are FLOP.",
        ),
        Mistake(
            "seconds",
            lambda peak_tflops, message_bytes, latency_us, bandwidth_gbytes: lost_work(
                1e-12, message_bytes, latency_us, bandwidth_gbytes
            ),
            "You returned the seconds of the wait. Multiply them by the peak in FLOP/s.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["machine.lost_work"],
)
