"""Questions on systolic arrays."""

from chip2cluster import specs, systolic
from chip2cluster.predict.question import Question

_SIDE = 128


def _one_row():
    return 100 * systolic.utilization(1, _SIDE, _SIDE, _SIDE, _SIDE)


def _why_one_row(truth):
    return (
        f"The weights take {_SIDE} cycles to shift in. Then the row enters, and its last value still has to move "
        f"{_SIDE - 1} cells across and {_SIDE - 1} down: {systolic.tile_cycles(1, _SIDE, _SIDE)} cycles in all. Each cell "
        "works in one of them."
    )


def _one_more():
    return 100 * systolic.padding_loss(1, _SIDE + 1, _SIDE, _SIDE, _SIDE)


def _why_one_more(truth):
    return (
        f"The last column needs a tile of its own, and {_SIDE - 1} of that tile's {_SIDE} columns are zeros. The array "
        "multiplies them like everything else."
    )


def _rate(columns):
    return next(step for step in systolic.product_steps("vocabulary") if step.n == columns).flops_per_second / 1e12


def _vocabulary():
    return _rate(50257)


def _why_vocabulary(truth):
    return (
        f"Recorded on an H100: {_rate(50304):.0f} TFLOP/s with 50,304 columns, {truth:.0f} with 50,257. Padding explains a "
        "thousandth of that. The reason is alignment: rows of an odd number of elements don't start at multiples of 16 bytes, "
        "so the library takes another kernel."
    )


def _chips_for_one():
    gpu, tpu = specs.accelerator("H100 SXM"), specs.accelerator("TPU v4")
    return gpu.peak_flops_dense("bf16") / tpu.peak_flops_dense("bf16")


def _why_chips_for_one(truth):
    gpu, tpu = (specs.accelerator(name).peak_flops_dense("bf16") / 1e12 for name in ("H100 SXM", "TPU v4"))
    return (
        f"{gpu:.0f} TFLOP/s over {tpu:.0f} TFLOP/s, both dense bf16. A single TPU chip was never meant to win this: its "
        "peer is the previous GPU, and its strength is that thousands of them work as one machine."
    )


QUESTIONS = (
    Question(
        "systolic.one_row",
        "An array of 128 × 128 cells multiplies a single row of numbers, one token, by a 128 × 128 weight matrix that it "
        "has to load first. What fraction of its cells' cycles does useful work?",
        "%", _one_row, _why_one_row,
    ),
    Question(
        "systolic.one_more",
        "A long stream meets a weight matrix of 128 × 129 elements on the same array. What fraction of the cells is filled "
        "with zeros, over all tiles?",
        "%", _one_more, _why_one_more,
    ),
    Question(
        "systolic.vocabulary",
        "On an H100, 8,192 tokens through a last layer of 50,304 columns, with k = 4,096 in bf16, run at 800 TFLOP/s. Now "
        "the layer has GPT-2's 50,257 columns. How many TFLOP/s?",
        "TFLOP/s", _vocabulary, _why_vocabulary,
    ),
    Question(
        "systolic.chips_for_one",
        "How many TPU v4 chips (2021) together have the dense bf16 peak of one H100 SXM (2022)?",
        "chips", _chips_for_one, _why_chips_for_one,
    ),
)  # fmt: skip
