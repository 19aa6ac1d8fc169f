"""Questions on the roofline."""

from chip2cluster import roofline, specs
from chip2cluster.predict.question import Question

# The chip of the first question: balanced like an A100, and just fast enough for 40 tokens/s.
_STEP = roofline.decode_step(8e9)
_RATE = 40.0
_BALANCE = roofline.ridge_point(peak_flops=312e12, memory_bandwidth=2.0e12)


def _faster_chip():
    bandwidth = _RATE * _STEP.bytes_moved
    return 1 / _STEP.time(3 * _BALANCE * bandwidth, bandwidth)


def _why_faster_chip(truth):
    idle = 100 * (1 - _STEP.intensity / _BALANCE)
    return (
        f"Each token reads all {_STEP.bytes_moved / 1e9:.0f} GB of weights from memory once and uses each byte for about "
        f"{_STEP.intensity:.0f} operation. A chip built like an A100 has time for {_BALANCE:.0f} operations per byte. "
        f"Its arithmetic units were idle {idle:.1f} % of the time; now three times as many are idle."
    )


def _ops_per_byte():
    chip = specs.accelerator("H100 SXM")
    return roofline.ridge_point(chip.peak_flops_dense("bf16"), chip.memory_bandwidth)


def _why_ops_per_byte(truth):
    chip = specs.accelerator("H100 SXM")
    return (
        f"{chip.peak_flops_dense('bf16') / 1e12:.0f} TFLOP/s over {chip.memory_bandwidth / 1e12:.2f} TB/s. This is the "
        "ridge point: an operation that does less per byte leaves arithmetic units idle."
    )


def _batch_for_ridge():
    return roofline.batch_threshold(1024, 4 * 1024, peak_flops=312e12, memory_bandwidth=2.0e12)


def _why_batch_for_ridge(truth):
    return (
        f"Each token that shares the weights adds one operation per byte, so the answer would be the ridge, "
        f"{_BALANCE:.0f} FLOP/byte, if the weights were all the traffic. The activations in and out cost "
        f"{truth - _BALANCE:.0f} more tokens; the narrower the layer, the more they cost."
    )


def _attention_apart():
    chip = specs.accelerator("A100 SXM 80GB")
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    chain = roofline.attention_chain(1024, 64, 128)
    return chain, sum(part.time(*roofs) for part in chain.parts.values()), chain.fused.time(*roofs)


def _fused_attention():
    _, apart, fused = _attention_apart()
    return apart / fused


def _why_fused_attention(truth):
    chain, apart, fused = _attention_apart()
    return (
        f"Unfused, the three move {chain.apart.bytes_moved / 1e6:.0f} MB; fused, {chain.fused.bytes_moved / 1e6:.0f} MB, because "
        f"the scores and the shares stay on the chip. But the time falls only from {1e6 * apart:.0f} µs to {1e6 * fused:.0f} µs, "
        "because arithmetic takes over as the limit."
    )


QUESTIONS = (
    Question(
        "roofline.faster_chip",
        "Your 8-billion-parameter model, in bf16, generates 40 tokens per second for one user. You replace the chip with "
        "one that has three times the FLOP/s and the same memory bandwidth. How many tokens per second now?",
        "tokens/s", _faster_chip, _why_faster_chip,
    ),
    Question(
        "roofline.ops_per_byte",
        "An H100 SXM reads its memory at full bandwidth. How many FLOP can it do in bf16 (dense) "
        "in the time that one byte takes?",
        "FLOP", _ops_per_byte, _why_ops_per_byte,
    ),
    Question(
        "roofline.batch_for_ridge",
        "How many tokens must share a weight matrix of 1024 × 4096, in bf16, before a chip with 312 TFLOP/s and 2.0 TB/s "
        "is limited by arithmetic instead of memory?",
        "tokens", _batch_for_ridge, _why_batch_for_ridge,
    ),
    Question(
        "roofline.fused_attention",
        "Attention over a prompt of 1,024 tokens with 64 heads, each 128 wide, in bf16 on an A100 SXM 80GB. At best, how many "
        "times as fast is one fused kernel as the three kernels in sequence?",
        "times", _fused_attention, _why_fused_attention,
    ),
)  # fmt: skip
