"""Tasks on paper about measurement: a log of an all-reduce, bytes of a triad, the gain of a faster kernel."""

import numpy as np

from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

# Arrival of four ranks in five steps after the first, in tenths of the drawn spread; the disturbed step is the third.
ARRIVALS = np.array([[0, 4, 7, 2], [6, 0, 3, 5], [1, 5, 0, 6], [5, 2, 6, 0], [0, 3, 5, 7]]) / 10


def _log(x):
    arrives = ARRIVALS * x.spread
    arrives[:, x.late] += x.delay
    arrives[2, (x.late + 1) % 4] += x.disturbed
    return {"seconds": np.round(arrives.max(axis=1, keepdims=True) + x.wire - arrives, 5)}


def _log_words(x):
    rows = "\n".join(
        f"step {number}   " + "  ".join(f"{1e3 * value:7.2f}" for value in row)
        for number, row in enumerate(x.seconds, 1)
    )
    return {"log": f"```\n          rank 0   rank 1   rank 2   rank 3   (ms)\n{rows}\n```"}


def _medians(x):
    return [float(value) for value in 1e3 * np.median(x.seconds, axis=0)]


TASKS = (
    PaperTask(
        exercise="measure.late_rank",
        title="Which rank is late?",
        text="Four ranks log how long each was inside an all-reduce by its own clock, from its call to its end:\n\n{log}\n\nThe same rank is late in nearly every step; in "
        "one step another one was disturbed. No two clocks agree. Which rank is late, and how many milliseconds does it typically arrive after the "
        "last of the others? Use the median of each rank. Give two numbers.",
        given={
            "late": Number("", values=(0, 1, 2, 3), whole=True),
            "delay": Number("ms", 2, 9, per=1e-3),
            "spread": Number("ms", 0.2, 0.9, per=1e-3),
            "disturbed": Number("ms", 40, 300, per=1e-3),
            "wire": Number("ms", 0.6, 3, per=1e-3),
        },
        inputs=_log,
        prints=_log_words,
        judges=True,
        unit="rank, ms",
        per=(1, 1e-3),
        steps=(
            Step("median of each rank", 0.4, _medians, "ms"),
            Step("the rank with the shortest one: it never waits", 0.3, lambda x: int(np.argmin(_medians(x)))),
            Step(
                "distance to the next shortest",
                0.3,
                lambda x: [int(np.argmin(_medians(x))), float(np.diff(np.sort(_medians(x))[:2])[0])],
            ),
        ),
    ),
    PaperTask(
        exercise="measure.step_gain",
        title="What does a faster kernel gain?",
        text="A profile of one training step shows {products} in matrix products, {attention} in attention and {optimizer} in the optimizer, and {gaps} of gaps between kernels, "
        "which stay. The CPU needs {host} to launch the step, at the same time as the GPU works, and the step takes at least that long. {kind} become "
        "{factor} as fast. How many times as fast does the whole step become?",
        given={
            "products": Number("ms", 90, 400, per=1e-3),
            "attention": Number("ms", 30, 150, per=1e-3),
            "optimizer": Number("ms", 8, 60, per=1e-3),
            "gaps": Number("ms", 4, 40, per=1e-3),
            "host": Number("ms", 60, 300, per=1e-3),
            "kind": Choice({"products": "Matrix products", "attention": "Kernels of attention"}),
            "factor": Number("times", values=(1.3, 1.5, 2, 3, 4)),
        },
        inputs=lambda x: {
            "kernels": {"products": x.products, "attention": x.attention, "optimizer": x.optimizer},
            "gaps": x.gaps,
            "host": x.host,
            "kind": x.kind,
            "factor": x.factor,
        },
        unit="times",
        plausible=lambda x: x.host < sum(x.kernels.values()) + x.gaps,
        steps=(
            Step("step before: kernels and gaps", 0.3, lambda x: 1e3 * (sum(x.kernels.values()) + x.gaps), "ms"),
            Step(
                "step after, at least the CPU's time",
                0.4,
                lambda x: 1e3 * max(x.host, sum(x.kernels.values()) + x.gaps - x.kernels[x.kind] * (1 - 1 / x.factor)),
                "ms",
            ),
            Step(
                "before over after",
                0.3,
                lambda x: (
                    (sum(x.kernels.values()) + x.gaps)
                    / max(x.host, sum(x.kernels.values()) + x.gaps - x.kernels[x.kind] * (1 - 1 / x.factor))
                ),
                "times",
            ),
        ),
    ),
)
