"""Exercise on the tokens per second of one user in decode."""

import math

from chip2cluster import specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

GIB = 2**30


def decode_rate(weights_gib, bandwidth_gbytes):
    """Most tokens a second for one user when every token reads all weights once."""
    weights_bytes = weights_gib * GIB
    memory_bandwidth = bandwidth_gbytes * 1e9
    return memory_bandwidth / weights_bytes


def _models(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"weights_gib": 10.0, "bandwidth_gbytes": 1000}
    drawn = [
        {"weights_gib": round(float(w), 2), "bandwidth_gbytes": round(float(b))}
        for w, b in zip(generator.uniform(5, 140, 5), generator.uniform(300, 8000, 5), strict=True)
    ]
    return [easy, *drawn]


def _meaning():
    chip = specs.accelerator("H100 SXM")
    rate = decode_rate(16e9 / GIB, chip.memory_bandwidth / 1e9)
    return (
        f"A model of 8 billion parameters in bf16, 16 GB, generates at most {rate:.0f} tokens a second for one user of an H100. "
        "With weights of one byte each it would be twice as many, on the same arithmetic units."
    )


DECODE = Exercise(
    id="roofline.decode_rate",
    title="Tokens per second for one user",
    signature="decode_rate(weights_gib, bandwidth_gbytes)",
    unit="tokens/s",
    points=2,
    reference=decode_rate,
    groups=(Group("models", 1.0, _models),),
    hints=(
        "How long does it take to read all weights once? One token takes at least that long.",
        "Bytes over bytes/s. Bring both to bytes first; the two prefixes differ.",
        "GiB is 2**30 bytes and GB is 10**9 bytes.",
    ),
    solution="""
def decode_rate(weights_gib, bandwidth_gbytes):
    return bandwidth_gbytes * 1e9 / (weights_gib * 2**30)
""",
    meaning=_meaning,
    explanation=(
        "At batch 1 the intensity is about 1 FLOP/byte, far left of every ridge: time is bytes over bandwidth, and the "
        "peak does not enter. That is why three times the FLOP/s changed nothing in the first question of this chapter."
    ),
    mistakes=(
        Mistake(
            "GB for GiB",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes / weights_gib,
            "You took GiB for GB. The weights are in GiB (2**30 bytes), the bandwidth is in GB/s (10**9 bytes).",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes * 1e9 / 8 / (weights_gib * GIB),
            "You divided the bandwidth by 8. GB/s are bytes already; Gb/s would be bits.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes and GB for GiB",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes / 8 / weights_gib,
            "Two mistakes: GB/s are bytes already, so don't divide by 8; and the weights are in GiB, 2**30 bytes.",
            v.UNIT,
        ),
        Mistake(
            "seconds a token",
            lambda weights_gib, bandwidth_gbytes: weights_gib * GIB / (bandwidth_gbytes * 1e9),
            "You returned seconds per token. Return tokens per second: take the reciprocal.",
        ),
        Mistake(
            "prefixes swapped",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes * GIB / (weights_gib * 1e9),
            "You swapped the prefixes: GiB (the weights) is 2**30 bytes, GB (the bandwidth) is 10**9 bytes.",
            v.UNIT,
        ),
        Mistake(
            "bytes a weight, again",
            lambda weights_gib, bandwidth_gbytes: decode_rate(weights_gib, bandwidth_gbytes) / 2,
            "Half the right answer. weights_gib is in bytes already; don't multiply by 2 bytes a weight.",
            v.FACTOR,
        ),
        Mistake(
            "rounded down",
            lambda weights_gib, bandwidth_gbytes: math.floor(decode_rate(weights_gib, bandwidth_gbytes)),
            "Don't round: a rate need not be whole.",
            v.VALUE,
        ),
    ),
    mutants=MUTANTS["roofline.decode_rate"],
)
