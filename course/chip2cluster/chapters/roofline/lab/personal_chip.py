"""Task on the decode rate of a chip with personal numbers."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def _chip(generator):
    """Peak and bandwidth in round numbers; the ridge lies between 63 and 600 FLOP/byte."""
    return {
        "peak_flops": 50e12 * int(generator.integers(10, 49)),
        "memory_bandwidth": 0.25e12 * int(generator.integers(16, 33)),
    }


def own_rate(parameters, batch, peak_flops, memory_bandwidth):
    """Tokens a second of a batch in bf16 on a given chip, caches left out."""
    return batch / roofline.decode_step(parameters, batch, 0.0).time(peak_flops, memory_bandwidth)


def _small(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(1e9, 1), *zip(generator.uniform(2e9, 70e9, 5), (3, 11, 29, 1500, 4100), strict=True)]
    return [{"parameters": round(float(p), -8), "batch": int(b)} for p, b in rows]


def _large(generator):
    return [{"parameters": 13e9, "batch": 20_000}, {"parameters": 7e9, "batch": 9_000}]


def _rate(combine=max, weights_per_sequence=False, per_user=False, size=2, flops=2, chip=None):
    def wrong(parameters, batch, peak_flops, memory_bandwidth):
        peak, bandwidth = chip or (peak_flops, memory_bandwidth)
        weights = size * parameters * (batch if weights_per_sequence else 1)
        return (1 if per_user else batch) / combine(flops * parameters * batch / peak, weights / bandwidth)

    return wrong


OWN_CHIP = Exercise(
    id="lab.roofline.own_chip",
    title="Your own chip",
    signature="own_rate(parameters, batch)",
    unit="tokens/s",
    graded=True,
    points=3,
    constants=_chip,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_rate,
    groups=(
        Group("batches", 0.8, _small),
        Group("large batches", 0.2, _large, v.VALUE, advice="A batch far beyond the ridge is compute-bound."),
    ),
    hints=(
        'Your numbers are in the cell above: chip["peak_flops"] and chip["memory_bandwidth"].',
        "One step reads 2 · parameters bytes once, and computes 2 · parameters FLOP for each sequence.",
        "Each step gives a token to every sequence and takes the longer of two times: all arithmetic over your peak, all bytes over your bandwidth. Only one of the two grows with the batch.",
    ),
    explanation=(
        "The step takes the longer of two times. Up to the ridge more users take no extra time; beyond it each one adds its full "
        "time. Only your chip decides where that is."
    ),
    mistakes=(
        Mistake(
            "another chip's numbers",
            _rate(chip=(989.4e12, 3.35e12)),
            "Those are the numbers of an H100. Use the ones that given() shows you.",
        ),
        Mistake("one user's rate", _rate(per_user=True), "That is the rate of one user. A step gives batch tokens."),
        Mistake(
            "weights for each sequence",
            _rate(weights_per_sequence=True),
            "You read the weights once for each sequence. The batch shares one read.",
        ),
        Mistake(
            "no overlap",
            _rate(combine=lambda a, b: a + b),
            "You added the time to compute and the time to read. They overlap: the longer one decides.",
        ),
        Mistake(
            "traffic alone",
            _rate(combine=lambda a, b: b),
            "You counted the traffic alone. With a large batch the arithmetic takes longer.",
        ),
        Mistake(
            "arithmetic alone",
            _rate(combine=lambda a, b: a),
            "You counted the arithmetic alone. With a small batch the chip waits for the weights.",
        ),
        Mistake(
            "the shorter time",
            _rate(combine=min),
            "You took the shorter of the two times. The step ends when both are finished: the longer one decides.",
        ),
        Mistake(
            "one FLOP a parameter",
            _rate(flops=1),
            "You counted one FLOP per parameter. It is two, a multiplication and an addition.",
        ),
        Mistake(
            "time of a step",
            lambda **given: given["batch"] / own_rate(**given),
            "That is the time of a step, in seconds. A step gives batch tokens: divide batch by it.",
        ),
        Mistake("element size forgotten", _rate(size=1), "You counted one byte a parameter. In bf16 it is two."),
    ),
)
