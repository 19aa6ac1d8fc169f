"""Recorded cluster run with one named fault added: the output that the tool would have printed."""

import numpy as np

from chip2cluster import measure

KINDS = ("start", "rate", "threshold", "disturbed", "wrong", "nothing", "unclear")
RUN = "aws-p5-2n"


def good_run():
    """Sizes and seconds of the recorded run: every other row, from 2 KiB on."""
    run = measure.recorded(RUN)
    return run.message_bytes[4::2], run.seconds[4::2]


def run(kind, generator, *, scale=1.0):
    """The arguments of a run with this kind of fault; ``scale`` makes another healthy cluster."""
    size, good = good_run()
    good = scale * good * generator.uniform(0.99, 1.01, len(good))
    today, wrong = good * generator.uniform(0.98, 1.02, len(good)), np.zeros(len(good))
    if kind == "start":
        today = today + good[0] * generator.uniform(2, 6)  # of every row the same
    elif kind == "rate":
        today = today + size / (size[-1] / good[-1]) * generator.uniform(0.6, 4)  # of every byte the same
    elif kind == "threshold":
        first = int(generator.integers(4, 10))
        today[first:] *= generator.uniform(2.5, 6)
    elif kind == "disturbed":
        for place in generator.choice(np.arange(2, len(good) - 2), 2, replace=False):
            today[place] *= generator.uniform(2, 8)
    elif kind == "unclear":
        today = today * generator.uniform(1.3, 4)  # of every row the same share
    elif kind == "wrong":
        wrong[generator.choice(len(good), 2, replace=False)] = generator.integers(1, 5000, 2)
    return {"good": good, "today": today, "wrong": wrong}
