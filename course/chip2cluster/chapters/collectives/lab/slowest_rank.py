"""Task on the time of a synchronous step, which is that of its slowest rank."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def mean_step(times):
    """Mean time of a step that ends when its slowest rank does."""
    return float(np.mean(np.max(times, axis=1)))


def _logs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"times": np.array([[1.0, 3.0], [5.0, 4.0]])}]
    for steps, ranks in ((3, 4), (5, 3), (6, 8), (4, 2)):
        drawn.append({"times": np.round(1 + generator.exponential(0.4, (steps, ranks)), 3)})
    return drawn


def _edges(generator):
    return [{"times": np.array([[2.0, 1.5, 7.0]])}, {"times": np.array([[2.0], [3.0], [7.0]])}]


SLOWEST = Exercise(
    id="lab.collectives.mean_step",
    title="The slowest rank",
    signature="mean_step(times)",
    unit="s",
    graded=True,
    points=2,
    reference=mean_step,
    groups=(
        Group("logs", 0.8, _logs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="One step of many ranks takes as long as its slowest rank; a single rank never waits.",
        ),
    ),
    hints=(
        "When does a step end, if all ranks must wait for each other?",
        "When its slowest rank arrives: a maximum over the ranks, for each step.",
        "Rows are steps and columns are ranks: take the maximum of each row, then the mean of these.",
    ),
    explanation=(
        "The mean of the maxima is larger than the largest mean, because each step may have another straggler. So a job can "
        "be slow although no rank is slow on average."
    ),
    mistakes=(
        Mistake(
            "the mean of everything",
            lambda times: np.mean(times),
            "You took the mean over all ranks. The fast ones wait: a step ends with its slowest rank.",
        ),
        Mistake(
            "the slowest rank on average",
            lambda times: np.max(np.mean(times, axis=0)),
            "You took the rank with the largest mean. The slowest is another one in each step: first the maximum of each "
            "step, then the mean.",
        ),
        Mistake(
            "the axes swapped",
            lambda times: np.mean(np.max(times, axis=0)),
            "You took the maximum over the steps, for each rank. Rows are steps: take it over the columns, axis=1.",
        ),
        Mistake(
            "the slowest of all",
            lambda times: np.max(times),
            "You took the slowest time of the whole log. Take the slowest of each step, then the mean.",
        ),
        Mistake(
            "the fastest rank",
            lambda times: np.mean(np.min(times, axis=1)),
            "You took the fastest rank of each step. It waits for the others.",
        ),
        Mistake(
            "the sum",
            lambda times: np.sum(np.max(times, axis=1)),
            "You added up the steps. Return the mean of one step.",
        ),
        Mistake(
            "the slowest step on average",
            lambda times: np.max(np.mean(times, axis=1)),
            "You took the mean over the ranks, then the largest step. Take the maximum over the ranks first, then the mean over the steps.",
        ),
        Mistake(
            "the median rank",
            lambda times: np.mean(np.median(times, axis=1)),
            "You took the median rank. A collective does not wait for the median, it waits for the last.",
        ),
    ),
    mutants=MUTANTS["lab.collectives.mean_step"],
)
