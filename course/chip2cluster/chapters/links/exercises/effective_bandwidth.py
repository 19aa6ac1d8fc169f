"""Exercise on the effective bandwidth of a message with latency."""

import numpy as np

from chip2cluster import collectives, links
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _messages(generator):
    bandwidth = generator.uniform(10e9, 900e9, 6).round(-9)
    latency = generator.uniform(0.4e-6, 6e-6, 6).round(9)
    relative = np.concatenate([generator.uniform(0.01, 0.6, 3), generator.uniform(1.7, 30, 3)])
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(100e3, 50e9, 2e-6), *zip((relative * bandwidth * latency).round(), bandwidth, latency, strict=True)]
    return [{"message_bytes": float(n), "bandwidth_one_way": float(b), "latency": float(a)} for n, b, a in rows]


def _message_edges(generator):
    return [
        {"message_bytes": 3e6, "bandwidth_one_way": 25e9, "latency": 0.0},
        {"message_bytes": np.array([8.0, 4e3, 2e6, 1e9]), "bandwidth_one_way": 370.8e9, "latency": 3.4e-6},
    ]


def _meaning():
    wire = known("payload_one_way", links.rates("NVLink 4").payload_one_way)
    start = collectives.nccl_protocol("Simple", "nvlink").latency
    small, large = (links.effective_bandwidth(size, wire, start) / 1e9 for size in (4e3, 100e6))
    return (
        f"Over NVLink 4, by NCCL's bulk protocol, 4 kB arrive at {small:.1f} GB/s and 100 MB at {large:.0f} GB/s. It is the same "
        "wire: what you get of it is decided by the size of your messages."
    )


EFFECTIVE = Exercise(
    id="links.effective",
    title="What a message really gets",
    signature="effective(message_bytes, bandwidth_one_way, latency)",
    unit="bytes/s",
    points=3,
    reference=links.effective_bandwidth,
    groups=(
        Group("messages", 0.8, _messages),
        Group(
            "edges",
            0.2,
            _message_edges,
            advice="No latency means the full bandwidth, and an array of sizes is allowed.",
        ),
    ),
    hints=(
        "First the time. The message waits once, and then its bytes flow.",
        "The time is the latency plus bytes over bandwidth. They come one after the other, so they add.",
        "message_bytes / (latency + message_bytes / bandwidth_one_way)",
    ),
    solution="""
def effective(message_bytes, bandwidth_one_way, latency):
    return message_bytes / (latency + message_bytes / bandwidth_one_way)
""",
    explanation=(
        "Bytes over the whole time is what every benchmark prints. For a small message the latency is nearly all of that "
        "time, so the link's bandwidth hardly matters."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "latency forgotten",
            lambda message_bytes, bandwidth_one_way, latency: 0 * message_bytes + bandwidth_one_way,
            "That is the link's own rate, for any message. The latency is missing or too small: it is in "
            "seconds already.",
        ),
        Mistake(
            "time instead of rate",
            lambda message_bytes, bandwidth_one_way, latency: latency + message_bytes / bandwidth_one_way,
            "You returned the time of the message, in seconds. Divide its bytes by that time.",
        ),
        Mistake(
            "bandwidth over time",
            lambda message_bytes, bandwidth_one_way, latency: (
                bandwidth_one_way / (latency + message_bytes / bandwidth_one_way)
            ),
            "You divided the bandwidth by the time. What arrives in that time is the message: divide its bytes.",
        ),
        Mistake(
            "the slower of the two",
            lambda message_bytes, bandwidth_one_way, latency: np.minimum(
                bandwidth_one_way, message_bytes / np.maximum(latency, 1e-300)
            ),
            "You took the slower of two rates, as in a roofline. Starting and flowing don't overlap: add the two times.",
        ),
        Mistake(
            "latency of a round trip",
            lambda message_bytes, bandwidth_one_way, latency: (
                message_bytes / (2 * latency + message_bytes / bandwidth_one_way)
            ),
            "You counted the latency twice, for a round trip. The message goes one way.",
        ),
        Mistake(
            "latency alone",
            lambda message_bytes, bandwidth_one_way, latency: message_bytes / np.maximum(latency, 1e-300),
            "You divided by the latency alone. The bytes need time to flow as well.",
        ),
        Mistake(
            "bits over bytes",
            lambda message_bytes, bandwidth_one_way, latency: (
                8 * message_bytes / (latency + 8 * message_bytes / bandwidth_one_way)
            ),
            "You turned the message into bits. The bandwidth is in bytes/s already.",
            v.UNIT,
        ),
        Mistake(
            "bits in the time",
            lambda message_bytes, bandwidth_one_way, latency: (
                message_bytes / (latency + 8 * message_bytes / bandwidth_one_way)
            ),
            "You converted the message to bits in the denominator, but not in the numerator. The bandwidth is in bytes/s already.",
            v.UNIT,
        ),
        Mistake(
            "latency taken off",
            lambda message_bytes, bandwidth_one_way, latency: (
                bandwidth_one_way - message_bytes / np.maximum(latency, 1e-300)
            ),
            "Rates don't subtract. Work out the whole time first, then divide the bytes by it.",
        ),
    ),
    mutants=MUTANTS["links.effective"],
)
