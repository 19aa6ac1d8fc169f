"""Exercise on the time of a ring all-reduce from a printed link rate."""

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def ring_time(message_bytes, ranks, link_gbits, latency_us):
    """Seconds of a ring all-reduce over links of so many Gb/s one way and so many µs a step."""
    return collectives.ring_all_reduce_time(message_bytes, ranks, link_gbits * 1e9 / 8, latency_us * 1e-6)


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"message_bytes": 1e6, "ranks": 2, "link_gbits": 8.0, "latency_us": 100.0}
    return [easy] + [
        {"message_bytes": round(float(size), -2), "ranks": ranks, "link_gbits": link, "latency_us": latency}
        for size, ranks, link, latency in zip(
            generator.uniform(1, 9, 6) * (1e4, 1e5, 1e6, 1e7, 1e6, 1e5),
            (8, 64, 512, 16, 72, 5),
            (3600.0, 400.0, 200.0, 800.0, 7200.0, 100.0),
            (2.0, 5.0, 3.5, 7.5, 1.5, 10.0),
            strict=True,
        )
    ]


def _edges(generator):
    return [
        {"message_bytes": 0.0, "ranks": 12, "link_gbits": 400.0, "latency_us": 5.0},
        {"message_bytes": 14e9, "ranks": 8, "link_gbits": 3600.0, "latency_us": 0.0},
        {"message_bytes": 14e9, "ranks": 1, "link_gbits": 3600.0, "latency_us": 5.0},
    ]


def _time(hops=lambda n: 2 * (n - 1), share=lambda n: 2 * (n - 1) / n, bits=8, latency_scale=1e-6, giga=1e9):
    return lambda message_bytes, ranks, link_gbits, latency_us: (
        hops(ranks) * latency_us * latency_scale + share(ranks) * message_bytes / (link_gbits * giga / bits)
    )


TIME = Exercise(
    id="collectives.ring_time",
    title="How long does the ring take?",
    signature="ring_time(message_bytes, ranks, link_gbits, latency_us)",
    unit="s",
    points=3,
    reference=ring_time,
    shows=(ring_time, collectives.ring_all_reduce_time),
    groups=(
        Group("jobs", 0.8, _jobs),
        Group("edges", 0.2, _edges, advice="An empty message still costs its latencies; a single rank costs nothing."),
    ),
    hints=(
        "Bring everything to base units first: bytes/s from Gb/s, seconds from µs.",
        "Two terms: steps times latency, and the bytes that each rank sends over its bandwidth.",
        "2 (p − 1) · latency + 2 (p − 1) / p · message / bandwidth, with bandwidth = link_gbits · 1e9 / 8.",
    ),
    solution="""
def ring_time(message_bytes, ranks, link_gbits, latency_us):
    bandwidth = link_gbits * 1e9 / 8
    steps = 2 * (ranks - 1)
    return steps * latency_us * 1e-6 + steps / ranks * message_bytes / bandwidth
""",
    explanation=(
        "Every step sends one chunk and pays one latency; all ranks do so at once. The latency term grows with the ranks, "
        "but the bandwidth term hardly does: its limit is twice the message over the bandwidth."
    ),
    meaning=lambda: (
        f"For 14 GB on eight H100 (450 GB/s, 2 µs a step) it is at least {1e3 * _h100(14e9):.1f} ms, and the latencies are "
        f"{100 * _h100(0.0) / _h100(14e9):.2f} % of it. For 14 kB it is {1e6 * _h100(14e3):.0f} µs, and they are "
        f"{100 * _h100(0.0) / _h100(14e3):.1f} %."
    ),
    mistakes=(
        Mistake(
            "bits for bytes",
            _time(bits=1),
            "You divided bytes by bits a second. A byte is 8 bits: divide the Gb/s by 8 first.",
            v.UNIT,
        ),
        Mistake(
            "bytes for bits",
            _time(bits=1 / 8),
            "You multiplied the link by 8. Gb/s are bits: there are fewer bytes than bits, so divide.",
            v.UNIT,
        ),
        Mistake(
            "divided by 8 twice",
            _time(bits=64),
            "You divided by 8 twice. Once turns Gb/s into GB/s.",
            v.UNIT,
        ),
        Mistake(
            "latency in the wrong unit",
            _time(latency_scale=1e-3),
            "Your latency is 1000 times too large: a µs is 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "latency not converted",
            _time(latency_scale=1.0),
            "Your latency is still in µs. Multiply it by 1e-6.",
            v.UNIT,
        ),
        Mistake(
            "latency forgotten",
            _time(hops=lambda n: 0),
            "You left out the latency: each of the 2 (ranks − 1) steps pays one.",
        ),
        Mistake(
            "one latency",
            _time(hops=lambda n: 1),
            "You counted one latency. Every step has one, and there are 2 (ranks − 1) steps.",
        ),
        Mistake(
            "latency of half a ring",
            _time(hops=lambda n: n - 1),
            "You counted the latency of one half of the ring. There are 2 (ranks − 1) steps.",
        ),
        Mistake(
            "half a ring",
            _time(hops=lambda n: n - 1, share=lambda n: (n - 1) / n),
            "That is half of the ring: a reduce-scatter. The sums must be distributed as well.",
            v.FACTOR,
        ),
        Mistake(
            "bytes of half a ring",
            _time(share=lambda n: (n - 1) / n),
            "You counted the bytes of one half of the ring. Each rank sends 2 (ranks − 1) / ranks of its message.",
        ),
        Mistake(
            "whole messages",
            _time(share=lambda n: 2 * (n - 1)),
            "You sent the whole message in every step. A step sends one chunk: message / ranks.",
        ),
        Mistake(
            "the message once",
            _time(share=lambda n: 1),
            "You sent the message once. In a ring each rank sends 2 (ranks − 1) / ranks of it.",
        ),
        Mistake(
            "twice the message",
            _time(share=lambda n: 2),
            "You sent twice the message. That is the limit for many ranks; it is 2 (ranks − 1) / ranks of it.",
        ),
        Mistake(
            "latency divided by the ranks",
            _time(hops=lambda n: 2 * (n - 1) / n),
            "You divided the latency by ranks as well. Chunks are shorter than the message; the latency of a step is not.",
        ),
        Mistake(
            "ranks steps",
            _time(hops=lambda n: 2 * n),
            "You counted 2 · ranks latencies. Each half of the ring has ranks − 1 steps.",
        ),
    ),
    mutants=MUTANTS["collectives.ring_time"],
)


def _h100(message_bytes):
    return ring_time(message_bytes, 8, 3600.0, 2.0)
