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
        "Write down how long a step takes with and without chunks, in units of its arithmetic. The gain is their ratio.",
        "Call the bubble without chunks x: the stages less one, over m. Then the gain is 1 + x over 1 + x / chunks. Solve for x.",
        "Multiply the fraction away, collect what has an x on one side, and divide. Then x tells the micro-batches by its own definition.",
    ),
    explanation=(
        "A ratio of two measured speeds of one machine cancels everything that both have: kernels, power, messages. What is "
        "left is the bubble, and it tells what the table leaves out."
    ),
    mistakes=(
        Mistake(
            "whole bubble gone",
            lambda gain, stages, chunks: (stages - 1) / (gain - 1),
            "You let interleaving remove the whole bubble. It leaves one part in chunks of it.",
        ),
        Mistake(
            "difference of bubbles",
            lambda gain, stages, chunks: (stages - 1) * (1 - 1 / chunks) / (gain - 1),
            "You took gain - 1 for the bubble that was saved. That is so over the new step, which is longer than its arithmetic: "
            "divide one whole step by the other.",
        ),
        Mistake(
            "as many as stages",
            lambda gain, stages, chunks: stages * (1 - gain / chunks) / (gain - 1),
            "The pipe fills in stages - 1 passes, not in stages.",
        ),
        Mistake(
            "shares of the step",
            lambda gain, stages, chunks: (stages - 1) * (1 - gain / chunks) / (gain - 1) + stages - 1,
            "That is m + stages - 1, all slots of the step. The micro-batches alone are wanted.",
        ),
        Mistake(
            "bubble for micro-batches",
            lambda gain, stages, chunks: (gain - 1) / (1 - gain / chunks),
            "That is the bubble over the arithmetic. It is (stages - 1) / m: solve for m.",
        ),
        Mistake(
            "swapped",
            lambda gain, stages, chunks: (stages - 1) * (1 - 1 / (gain * chunks)) / (1 / gain - 1),
            "You divided the times the other way round: the gain is the time without chunks over the time with them.",
        ),
        Mistake(
            "bubble times chunks",
            lambda gain, stages, chunks: (stages - 1) * (gain * chunks - 1) / (1 - gain),
            "You made the bubble longer by chunks. It gets shorter by them.",
        ),
        Mistake(
            "the nearest that divides a batch",
            lambda gain, stages, chunks: 2.0 ** round(math.log2(implied_micro_batches(gain, stages, chunks))),
            "You went to the nearest of 1, 2, 4, 8 and so on. Return what the equation gives; which one is nearest is for after the function.",
        ),
        Mistake(
            "rounded",
            lambda gain, stages, chunks: float(round(implied_micro_batches(gain, stages, chunks))),
            "You rounded. Return what the equation gives; whole numbers are for the discussion.",
        ),
    ),
)
