"""Task on the number of micro-batches implied by the gain of an interleaved schedule."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake


def implied_micro_batches(gain, stages, chunks):
    """Micro-batches of a step at which interleaving makes 1F1B so many times as fast."""
    return (stages - 1) * (1 - gain / chunks) / (gain - 1)


def _draw(generator, count, chunks):
    rows = []
    for v in chunks[:count]:
        p, m = int(generator.integers(4, 33)), float(generator.uniform(3, 60))
        bubble = (p - 1) / m
        rows.append({"gain": round((1 + bubble) / (1 + bubble / v), 3), "stages": p, "chunks": int(v)})
    return rows


def _gains(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"gain": 1.2, "stages": 9, "chunks": 2}
    return [easy, *_draw(generator, 6, (2, 3, 4, 2, 7, 5))]


IMPLIED = Exercise(
    id="lab.parallelism.implied_micro_batches",
    title="The number that is not printed",
    signature="implied_micro_batches(gain, stages, chunks)",
    unit="",
    graded=True,
    points=5,
    reference=implied_micro_batches,
    groups=(Group("gains", 1.0, _gains),),
    tolerance=1e-3,
    hints=(
        "Write the time of a step with and without chunks, in units of its arithmetic. The gain is their ratio.",
        "Let x be the bubble without chunks, over the arithmetic: the stages less one, over m. The gain is then 1 + x over 1 + x / chunks. Solve for x.",
        "Multiply by the denominator, collect the terms with x on one side, and divide. Then get m from the definition of x.",
    ),
    explanation=(
        "A ratio of two speeds measured on one machine cancels everything they share: kernels, power, messages. Only "
        "the bubble is left, so the ratio gives the number that the table leaves out."
    ),
    mistakes=(
        Mistake(
            "interleaving removes the whole bubble",
            lambda gain, stages, chunks: (stages - 1) / (gain - 1),
            "You let interleaving remove the whole bubble. It divides the bubble by chunks.",
        ),
        Mistake(
            "difference of the bubbles",
            lambda gain, stages, chunks: (stages - 1) * (1 - 1 / chunks) / (gain - 1),
            "You took gain - 1 as the saved bubble. It is relative to the new step, which is longer than its arithmetic: divide one whole step by the other.",
        ),
        Mistake(
            "stages instead of stages - 1",
            lambda gain, stages, chunks: stages * (1 - gain / chunks) / (gain - 1),
            "The pipeline fills in stages - 1 passes, not in stages.",
        ),
        Mistake(
            "all slots of the step",
            lambda gain, stages, chunks: (stages - 1) * (1 - gain / chunks) / (gain - 1) + stages - 1,
            "That is m + stages - 1, all slots of the step. Return only the micro-batches.",
        ),
        Mistake(
            "bubble instead of micro-batches",
            lambda gain, stages, chunks: (gain - 1) / (1 - gain / chunks),
            "That is the bubble over the arithmetic, (stages - 1) / m. Solve it for m.",
        ),
        Mistake(
            "swapped",
            lambda gain, stages, chunks: (stages - 1) * (1 - 1 / (gain * chunks)) / (1 / gain - 1),
            "You inverted the ratio of the times: the gain is the time without chunks over the time with them.",
        ),
        Mistake(
            "bubble multiplied by chunks",
            lambda gain, stages, chunks: (stages - 1) * (gain * chunks - 1) / (1 - gain),
            "You multiplied the bubble by chunks. Interleaving divides it by them.",
        ),
        Mistake(
            "rounded to a power of two",
            lambda gain, stages, chunks: 2.0 ** round(math.log2(implied_micro_batches(gain, stages, chunks))),
            "You rounded to the nearest of 1, 2, 4, 8 and so on. Return the exact value of the equation; you choose the nearest one after the function.",
        ),
        Mistake(
            "rounded",
            lambda gain, stages, chunks: float(round(implied_micro_batches(gain, stages, chunks))),
            "You rounded. Return the exact value of the equation, whole or not.",
        ),
    ),
)
