"""Questions on utilization."""

from typing import Any

from chip2cluster import measure, specs, transformer, utilization
from chip2cluster.predict.question import Question

# MosaicML, llm-foundry, training benchmarks: 256 H100, sequences of 2048 tokens.
_MPT = transformer.model("MPT 70B").config
_SPEED, _DEVICES, _SEQUENCE = 265_149, 256, 2048
_WORK = transformer.training_flops_per_token(_MPT, _SEQUENCE)
_PEAK = specs.accelerator("H100 SXM").peak_flops_dense("bf16")


def _run():
    return 100 * utilization.mfu(_SPEED, _WORK, _DEVICES, _PEAK)


def _why_run(truth):
    return (
        f"{_WORK / 1e9:.0f} GFLOP a token (6 FLOP a parameter, and the attention) × {_SPEED:,} tokens/s is {_WORK * _SPEED / 1e15:.0f} PFLOP/s. {_DEVICES} H100 at "
        f"{_PEAK / 1e12:.0f} TFLOP/s each could do {utilization.cluster_peak(_DEVICES, _PEAK) / 1e15:.0f} PFLOP/s. The "
        "rest was paid for as well; this chapter shows where it went."
    )


_BUBBLE = utilization.step_breakdown(1.0, 1, 1.0, stages=16, micro_batches=32)


def _bubble():
    return 100 * _BUBBLE.pipeline_bubble / _BUBBLE.seconds


def _why_bubble(truth):
    return (
        "The last stage waits until the first micro-batch has passed 15 others, and the first waits as long at the end: "
        "each stage works for 32 slots of 47. (15 slots for every 32 of work would be 47 %: the same wait, as a fraction of the "
        "arithmetic and not of the step.) With 128 micro-batches it would be 15 slots of 143."
    )


def _days():
    work = transformer.training_flops(70e9, 15e12)
    return utilization.training_time_at(work, 1024, _PEAK, 0.4) / utilization.DAY


def _why_days(truth):
    rate = 0.4 * utilization.cluster_peak(1024, _PEAK)
    return (
        f"6 FLOP × 70 billion × 15 trillion is 6.3 × 10²⁴ FLOP. 1,024 H100 at 40 % do {rate / 1e15:.0f} PFLOP/s, so it takes "
        f"{6.3e24 / rate / 1e6:.1f} million seconds: half a year."
    )


# Each chip with an adapter of 400 Gb/s for itself, weights and gradients of two bytes.
_TOKENS: dict[str, Any] = {"replicas": 64, "peak_flops_dense": 400e12, "bandwidth_one_way": 50e9}
_PLAIN = utilization.critical_tokens(**_TOKENS)


def _tokens():
    return utilization.critical_tokens(**_TOKENS, zero_stage=3)


def _why_tokens(truth):
    return (
        "The same number. The forward pass now hides a gather: 2 FLOP for each parameter and token, one round of the ring. The "
        "backward pass, 4 FLOP, hides two rounds, as before. There are 1.5 times as many bytes, and 1.5 times as much arithmetic "
        f"to hide them, so it stays at {truth:,.0f} tokens."
    )


def _phase(data):
    return next(row for row in measure.recorded_table("power_phases") if row["series"] == f"bf16 product, {data}")


def _zeros():
    return _phase("zeros")["work"] / _phase("zeros")["seconds"] / 1e12


def _why_zeros(truth):
    drawn = {data: _phase(data)["joules"] / _phase(data)["seconds"] for data in ("random", "zeros")}
    return (
        f"Recorded on an H100: {truth:.0f} TFLOP/s at {drawn['zeros']:.0f} W. The kernel and its instructions are the same, but "
        f"random numbers flip bits, and that takes energy: at {drawn['random']:.0f} W the card lowers its clock."
    )


QUESTIONS = (
    Question(
        "mfu.run",
        "A model of 64.9 billion parameters trains on 256 H100 SXM at 265,149 tokens a second: about 6 FLOP per "
        f"parameter and token. A chip's dense peak is {_PEAK / 1e12:.0f} TFLOP/s. What percentage of the total "
        "peak is useful arithmetic?",
        "%", _run, _why_run,
    ),
    Question(
        "mfu.bubble",
        "A model is split into 16 pipeline stages on 16 devices, and a step sends 32 micro-batches through them, forward and "
        "back. For what percentage of the step does each device wait for the others?",
        "%", _bubble, _why_bubble,
    ),
    Question(
        "mfu.days",
        "How many days does it take to train a model of 70 billion parameters on 15 trillion tokens with 1,024 H100 SXM, "
        "in bf16, at a constant utilization of 40 %?",
        "days", _days, _why_days,
    ),
    Question(
        "mfu.tokens",
        f"Replicas on 64 chips hide their gradient exchange if each chip sees {_PLAIN:,.0f} tokens. Fully sharded,"
        " they send half as much again. How many tokens must a chip see so that each pass hides its own exchange?",
        "tokens", _tokens, _why_tokens,
    ),
    Question(
        "mfu.zeros",
        "An H100 multiplies 8192 × 8192 matrices in bf16 for ten seconds. With random numbers it does 670 TFLOP/s at 699 W, its "
        "power limit. Now all elements are zero. How many TFLOP/s?",
        "TFLOP/s", _zeros, _why_zeros,
    ),
)  # fmt: skip
