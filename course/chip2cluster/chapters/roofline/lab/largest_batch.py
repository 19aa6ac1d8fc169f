"""Task on the most sequences whose KV caches fit next to the weights."""

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
        "The weights are stored once. How much memory is left for caches?",
        "Divide the rest by the size of one cache. Count only whole sequences.",
        "Round down. If the weights alone are too large, the result is below zero: return 0.",
    ),
    explanation="Capacity often limits the batch before speed does: the roofline shows what a batch gains, this what it costs.",
    mistakes=(
        Mistake(
            "negative",
            lambda memory_gb, weights_gb, cache_gb: math.floor((memory_gb - weights_gb) / cache_gb),
            "If the weights do not fit, the batch is 0, not negative.",
            v.EDGES,
            share=0.7,
        ),
        Mistake(
            "negative, cut off",
            lambda memory_gb, weights_gb, cache_gb: int((memory_gb - weights_gb) / cache_gb),
            "If the weights do not fit, the batch is 0, not negative.",
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
            "Return a whole number of sequences: round down.",
        ),
        Mistake(
            "weights forgotten",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / cache_gb),
            "You filled the whole memory with caches. The weights are in it, too.",
        ),
        Mistake(
            "weights for each sequence",
            lambda memory_gb, weights_gb, cache_gb: math.floor(memory_gb / (weights_gb + cache_gb)),
            "You counted the weights once for each sequence. A batch shares one copy.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda memory_gb, weights_gb, cache_gb: max(0, round((memory_gb - weights_gb) / cache_gb)),
            "You rounded to the nearest. Count only sequences that fit whole: round down.",
        ),
    ),
)
