"""How many sequences fit."""

import math

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def largest_batch(memory_gb, weights_gb, cache_gb):
    """How many sequences fit beside the weights; 0 when the weights do not fit."""
    return max(0, math.floor((memory_gb - weights_gb) / cache_gb))


def _budgets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"memory_gb": 80.0, "weights_gb": 16.0, "cache_gb": 1.5}
    # Less than half of a sequence is left over here, more than half above.
    less = {"memory_gb": 80.0, "weights_gb": 20.0, "cache_gb": 1.7}
    return [easy, less] + [
        {"memory_gb": float(m), "weights_gb": round(float(m * w), 1), "cache_gb": round(float(c), 3)}
        for m, w, c in zip(
            (80, 141, 192, 24, 96), generator.uniform(0.1, 0.7, 5), generator.uniform(0.31, 1.7, 5), strict=True
        )
    ]


def _tight(generator):
    return [
        {"memory_gb": 80.0, "weights_gb": 140.0, "cache_gb": 0.7},
        {"memory_gb": 80.0, "weights_gb": 16.0, "cache_gb": 0.5},
    ]


FITS = Exercise(
    id="lab.roofline.largest_batch",
    title="What fits",
    signature="largest_batch(memory_gb, weights_gb, cache_gb)",
    unit="sequences",
    graded=True,
    points=3,
    reference=largest_batch,
    tolerance=1e-9,
    groups=(
        Group("budgets", 0.7, _budgets),
        Group(
            "edges", 0.3, _tight, advice="A batch cannot be negative, and caches may fill the memory to the last byte."
        ),
    ),
    hints=(
        "The weights are there once. What is left for caches?",
        "Divide the rest by one cache. Two thirds of a sequence is no sequence.",
        "Round down. And where the weights alone are too large, what you get is below zero: no batch is.",
    ),
    explanation="Capacity, not speed, often ends the batch: the roofline says what a batch gains, this says what it costs.",
    mistakes=(
        Mistake(
            "negative",
            lambda memory_gb, weights_gb, cache_gb: math.floor((memory_gb - weights_gb) / cache_gb),
            "When the weights do not fit the batch is 0, not negative.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "negative, cut off",
            lambda memory_gb, weights_gb, cache_gb: int((memory_gb - weights_gb) / cache_gb),
            "When the weights do not fit the batch is 0, not negative.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "rounded up",
            lambda memory_gb, weights_gb, cache_gb: math.ceil((memory_gb - weights_gb) / cache_gb),
            "You rounded up: the last sequence does not fit.",
        ),
        Mistake(
            "not rounded",
            lambda memory_gb, weights_gb, cache_gb: (memory_gb - weights_gb) / cache_gb,
            "Sequences come whole: round down.",
        ),
        Mistake(
            "weights forgotten",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / cache_gb),
            "You filled the whole memory with caches. The weights live there too.",
        ),
        Mistake(
            "weights for each sequence",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / (weights_gb + cache_gb)),
            "You gave each sequence weights of its own. A batch shares one copy.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda memory_gb, weights_gb, cache_gb: max(0, round((memory_gb - weights_gb) / cache_gb)),
            "You rounded to the nearest: a sequence that fits by half does not fit. Round down.",
        ),
    ),
)
