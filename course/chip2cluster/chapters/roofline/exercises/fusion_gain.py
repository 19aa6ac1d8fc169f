"""Exercise on the speedup from fusing two operations."""

from chip2cluster import roofline, specs
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .sample_chips import draw_chips


def fusion_gain(first, second, handed_on, peak_flops, memory_bandwidth):
    """Time of two operations one after the other over their time in one kernel."""
    kernels = roofline.Kernel(*first), roofline.Kernel(*second)
    return roofline.fusion_speedup(
        *kernels, intermediate_bytes=handed_on, peak_flops=peak_flops, memory_bandwidth=memory_bandwidth
    )


def _pair(generator, peak, bandwidth, first, second, share, sizes=(0.5, 2.0)):
    """Two operations at these intensities, in ridges; ``share`` of the smaller traffic is handed on."""
    ridge = peak / bandwidth
    moved = [float(size) for size in (1e9 * generator.uniform(*sizes, 2)).round(-6)]
    pair = tuple((float(round(x * ridge * size, -9)), size) for x, size in zip((first, second), moved, strict=True))
    kept = float(round(share * min(moved), -5))
    return dict(zip(("first", "second"), pair, strict=True)) | {
        "handed_on": kept, "peak_flops": float(peak), "memory_bandwidth": float(bandwidth)
    }  # fmt: skip


def _pairs(generator):
    # A case that can be done in the head comes first: 5 s of bytes and 4 s of bytes become 5 s of bytes.
    easy = {
        "first": (10.0, 50.0),
        "second": (20.0, 40.0),
        "handed_on": 20.0,
        "peak_flops": 100.0,
        "memory_bandwidth": 10.0,
    }
    peaks, bandwidths = draw_chips(generator, 5)
    low = generator.uniform(0.05, 0.3, 3)
    drawn = [
        _pair(generator, peaks[0], bandwidths[0], low[0], low[1], 0.4),  # bytes before and after
        _pair(
            generator, peaks[1], bandwidths[1], generator.uniform(1.5, 4), low[2], 0.45
        ),  # a product and an activation
        _pair(
            generator, peaks[2], bandwidths[2], generator.uniform(0.6, 0.8), generator.uniform(0.6, 0.8), 0.45
        ),  # crosses
    ]
    # Nearly all is handed on, as in attention: more than twice as fast.
    first, second = generator.uniform(0.1, 0.3, 2)
    return [easy, *drawn, _pair(generator, peaks[3], bandwidths[3], first, second, 0.8, (0.9, 1.1))]


def _full(generator):
    peaks, bandwidths = draw_chips(generator, 2)
    drawn = []
    for peak, bandwidth in zip(peaks, bandwidths, strict=True):
        first, second = generator.uniform(1.2, 5, 2)
        drawn.append(_pair(generator, peak, bandwidth, first, second, 0.4))
    return drawn


def _gain(saved=2, apart=None, together=None, inverse=False):
    def wrong(first, second, handed_on, peak_flops, memory_bandwidth):
        seconds = lambda flops, size: max(flops / peak_flops, size / memory_bandwidth)
        flops, moved = first[0] + second[0], first[1] + second[1]
        before = apart(flops / peak_flops, moved / memory_bandwidth) if apart else seconds(*first) + seconds(*second)
        left = moved - saved * handed_on
        after = (together or max)(flops / peak_flops, left / memory_bandwidth)
        return after / before if inverse else before / after

    return wrong


def _meaning():
    chain, chip = roofline.attention_chain(1024, 64, 128), specs.accelerator("A100 SXM 80GB")
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    gain = sum(part.time(*roofs) for part in chain.parts.values()) / chain.fused.time(*roofs)
    return (
        f"Attention over 1,024 tokens in 64 heads on an A100: {gain:.2f} times as fast in one kernel. The first FlashAttention did "
        "this, and found a way to compute the softmax tile by tile."
    )


FUSED = Exercise(
    id="roofline.fused",
    title="What fusing gains",
    signature="fusion_gain(first, second, handed_on, peak_flops, memory_bandwidth)",
    unit="",
    points=4,
    reference=fusion_gain,
    shows=(fusion_gain, roofline.fusion_speedup, roofline.fuse),
    groups=(
        Group("pairs", 0.8, _pairs),
        Group(
            "edges", 0.2, _full,
            advice="If both operations are compute-bound, fusing gains nothing: the answer is 1.",
        ),
    ),
    hints=(
        "Compute two times with the roofline. Unfused: the sum of the times of both kernels. Fused: the time of one kernel.",
        "Fused, the FLOP add up. So do the bytes, minus 2 · handed_on: the intermediate result was written once and read once.",
        "(max(F1/peak, Q1/β) + max(F2/peak, Q2/β)) / max((F1 + F2)/peak, (Q1 + Q2 − 2·handed_on)/β).",
    ),
    solution="""
def fusion_gain(first, second, handed_on, peak_flops, memory_bandwidth):
    def seconds(flops, bytes_moved):
        return max(flops / peak_flops, bytes_moved / memory_bandwidth)

    (flops_1, bytes_1), (flops_2, bytes_2) = first, second
    together = seconds(flops_1 + flops_2, bytes_1 + bytes_2 - 2 * handed_on)
    return (seconds(flops_1, bytes_1) + seconds(flops_2, bytes_2)) / together
""",
    meaning=_meaning,
    explanation=(
        "Fusing gains twice: the intermediate result stays on the chip, and the bytes of one operation hide behind the "
        "arithmetic of the other. Two products that fill the chip gain nothing; two passes over the same elements gain most."
    ),
    mistakes=(
        Mistake(
            "saved once",
            _gain(saved=1),
            "You subtracted handed_on once. Unfused, the first kernel writes these bytes and the second reads them: subtract them twice.",
        ),
        Mistake(
            "nothing saved",
            _gain(saved=0),
            "You added the work but did not reduce the traffic. The bytes handed on no longer go through memory.",
        ),
        Mistake(
            "one time for both apart",
            _gain(apart=max),
            "You computed one time for the two unfused kernels together. They run one after the other: compute the time of each, and add.",
        ),
        Mistake(
            "no overlap",
            _gain(apart=lambda work, moved: work + moved, together=lambda work, moved: work + moved),
            "You added the time of computing to the time of moving. They overlap: the slower of the two counts.",
        ),
        Mistake(
            "no overlap in the fused kernel",
            _gain(together=lambda work, moved: work + moved),
            "In the fused kernel you added the time of computing to the time of moving. They overlap there as well.",
        ),
        Mistake(
            "the ratio of the bytes",
            _gain(apart=lambda work, moved: moved, together=lambda work, moved: moved),
            "You compared the bytes alone. That is right only if all kernels are memory-bound; some may be compute-bound.",
        ),
        Mistake(
            "twice at most",
            lambda **inputs: min(2.0, fusion_gain(**inputs)),
            "You limited the gain to 2. Overlap alone gains at most that, but moving fewer bytes can gain more.",
        ),
        Mistake(
            "upside down",
            _gain(inverse=True),
            "You divided the fused time by the unfused time. Divide the other way round: the gain is never below 1.",
        ),
        Mistake(
            "the new intensity",
            lambda first, second, handed_on, peak_flops, memory_bandwidth: (
                (first[0] + second[0]) / (first[1] + second[1] - 2 * handed_on)
            ),
            "That is the intensity of the fused kernel. Return how many times as fast it is: the unfused time over the fused time.",
        ),
        Mistake(
            "the work of one",
            lambda first, second, handed_on, peak_flops, memory_bandwidth: (
                sum(max(f / peak_flops, q / memory_bandwidth) for f, q in (first, second))
                / max(max(first[0], second[0]) / peak_flops, (first[1] + second[1] - 2 * handed_on) / memory_bandwidth)
            ),
            "The fused kernel does the work of both operations: add the FLOP.",
        ),
    ),
    mutants=MUTANTS["roofline.fused"],
)  # fmt: skip
