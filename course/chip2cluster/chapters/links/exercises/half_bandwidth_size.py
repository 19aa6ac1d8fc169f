"""Exercise on the message size at which half of the bandwidth is reached (n-half)."""

from chip2cluster import collectives, links
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def half_size(latency_us, bandwidth_gbits):
    """Message, in bytes, that reaches half of a link printed in Gb/s."""
    return links.half_bandwidth_message_size(latency_us * 1e-6, bandwidth_gbits * 1e9 / 8)


def _links(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"latency_us": 2.0, "bandwidth_gbits": 80}
    drawn = zip(generator.uniform(0.5, 30, 5), (25, 100, 200, 400, 800), strict=True)
    return [easy, *({"latency_us": round(float(a), 2), "bandwidth_gbits": b} for a, b in drawn)]


def _meaning():
    near, far = collectives.nccl_protocol("Simple", "nvlink"), collectives.nccl_protocol("Simple", "network")
    node = near.half_bandwidth_bytes(known("payload_one_way", links.rates("NVLink 4").payload_one_way))
    network = far.half_bandwidth_bytes(known("payload_one_way", links.rates("InfiniBand NDR 4x").payload_one_way))
    return (
        f"For NCCL's bulk protocol this is {node / 1e6:.2f} MB over NVLink 4 and {network / 1e3:.0f} kB over InfiniBand NDR. A "
        "gradient of a few kB is far below both: bundle it before you buy a faster wire."
    )


HALF_SIZE = Exercise(
    id="links.half_size",
    title="The message that gets half the bandwidth",
    signature="half_size(latency_us, bandwidth_gbits)",
    unit="bytes",
    points=2,
    reference=half_size,
    shows=(half_size, links.half_bandwidth_message_size),
    groups=(Group("links", 1.0, _links),),
    hints=(
        "Half the bandwidth means that half of the time is lost. How long do the bytes flow, compared with the latency?",
        "Exactly as long: bytes / bandwidth = latency. Solve for the bytes.",
        "µs to s is 1e-6; Gb/s to bytes/s is 1e9 / 8.",
    ),
    solution="""
def half_size(latency_us, bandwidth_gbits):
    return (latency_us * 1e-6) * (bandwidth_gbits * 1e9 / 8)
""",
    explanation=(
        "Latency times bandwidth. The same product is the number of bytes that must be in flight to keep "
        "the link busy, so it also says how much to send before the first answer comes back."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "bits for bytes",
            lambda latency_us, bandwidth_gbits: latency_us * bandwidth_gbits * 1e3,
            "Your answer is in bits: 8 times too large. A rate in Gb/s is in bits; return the message in bytes.",
            v.UNIT,
        ),
        Mistake(
            "half of the product",
            lambda latency_us, bandwidth_gbits: half_size(latency_us, bandwidth_gbits) / 2,
            "You halved latency × bandwidth. Put that size into your effective(): it gets a third of the rate, not half.",
        ),
        Mistake(
            "twice the product",
            lambda latency_us, bandwidth_gbits: half_size(latency_us, bandwidth_gbits) * 2,
            "You doubled latency × bandwidth. Put that size into your effective(): it gets two thirds of the rate.",
        ),
        Mistake(
            "prefixes as printed",
            lambda latency_us, bandwidth_gbits: latency_us * bandwidth_gbits / 8,
            "You multiplied µs by Gb/s as printed. µ is 10^-6 and G is 10^9: your answer is 1000 times too small.",
            v.UNIT,
        ),
        Mistake(
            "prefixes as printed, in bits",
            lambda latency_us, bandwidth_gbits: latency_us * bandwidth_gbits,
            "Two mistakes: µ is 10^-6 and G is 10^9, which leaves a factor of 1000; and Gb/s are bits, not bytes.",
            v.UNIT,
        ),
        Mistake(
            "milliseconds",
            lambda latency_us, bandwidth_gbits: 1e3 * half_size(latency_us, bandwidth_gbits),
            "You took µs for milliseconds. A µs is 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "divided",
            lambda latency_us, bandwidth_gbits: (bandwidth_gbits * 1e9 / 8) / (latency_us * 1e-6),
            "You divided. bytes / bandwidth = latency, so bytes = latency × bandwidth.",
        ),
        Mistake(
            "binary giga",
            lambda latency_us, bandwidth_gbits: latency_us * 1e-6 * bandwidth_gbits * 2**30 / 8,
            "You took G for 2**30. A network's G is 10^9.",
            v.UNIT,
        ),
    ),
)
