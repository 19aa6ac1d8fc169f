"""Tasks on paper about systolic arrays: padding, and the useful share of the cycles."""

import math

from chip2cluster.exercise.paper_task import Number, PaperTask, Step

SIDE = Number("", values=(128, 256), whole=True)

TASKS = (
    PaperTask(
        exercise="systolic.padding_loss",
        title="What padding costs",
        text="A weight matrix of {k} rows and {n} columns lies on tiles of {side} × {side} cells; cells beyond the matrix hold zeros. What "
        "share of all cells of these tiles hold zeros?",
        given={"k": Number("", 130, 1500, whole=True), "n": Number("", 130, 1500, whole=True), "side": SIDE},
        inputs=lambda x: {"k": x.k, "n": x.n, "side": x.side},
        unit="%",
        per=0.01,
        steps=(
            Step(
                "tiles down and across, rounded up",
                0.4,
                lambda x: [math.ceil(x.k / x.side), math.ceil(x.n / x.side)],
                "tiles",
            ),
            Step("cells of all tiles", 0.2, lambda x: math.ceil(x.k / x.side) * math.ceil(x.n / x.side) * x.side**2),
            Step(
                "one less the share of the weights",
                0.4,
                lambda x: 100 - 100 * x.k * x.n / (math.ceil(x.k / x.side) * math.ceil(x.n / x.side) * x.side**2),
                "%",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.systolic.utilization",
        title="The useful share of a systolic array",
        text="Activations of {m} rows and {k} columns are multiplied by weights of {k} rows and {n} columns on one systolic array of {side} × "
        "{side} cells, which hold the weights. A single tile of weights takes 3 × {side} + {m} − 2 cycles. While it computes, the "
        "weights of the next tile shift in, so that two tiles start {m} cycles apart, or {side} cycles if that is more. "
        "What share of all cell cycles do a useful multiply-accumulate? Judge what limits it: too few rows of "
        "activations, or padding.",
        given={
            "m": Number("", values=(16, 32, 64, 96, 192, 384, 768), whole=True),
            "n": Number("", 200, 1500, whole=True),
            "k": Number("", 200, 1500, whole=True),
            "side": SIDE,
        },
        unit="%",
        per=0.01,
        judges=True,
        judgement="Fewer rows than the side of the array leave starts unused; otherwise padding limits.",
        steps=(
            Step(
                "tiles, rounded up in both directions",
                0.3,
                lambda x: math.ceil(x.k / x.side) * math.ceil(x.n / x.side),
                "tiles",
            ),
            Step(
                "cycles: one tile, and a start for each further one",
                0.4,
                lambda x: (
                    3 * x.side + x.m - 2 + (math.ceil(x.k / x.side) * math.ceil(x.n / x.side) - 1) * max(x.m, x.side)
                ),
                "cycles",
            ),
            Step(
                "m × n × k over the cells times the cycles",
                0.3,
                lambda x: (
                    100
                    * x.m
                    * x.n
                    * x.k
                    / x.side**2
                    / (
                        3 * x.side
                        + x.m
                        - 2
                        + (math.ceil(x.k / x.side) * math.ceil(x.n / x.side) - 1) * max(x.m, x.side)
                    )
                ),
                "%",
            ),
        ),
    ),
)
