"""Exercise: what is wrong with these answers to the tokens per second of one user?"""

from chip2cluster.exercise.critique_draws import CritiqueDraws, Working, critique_exercise

from ..paper_tasks import TASKS
from .decode_rate import DECODE

DRAWS = CritiqueDraws(
    "roofline.critique",
    DECODE,
    next(task for task in TASKS if task.exercise == DECODE.id),
    """
weight_bytes = {weights_gib} * 2**30
rate = {bandwidth_gbytes}e9 / weight_bytes
""",
    (
        Working(
            "GB for GiB",
            "It takes a GiB for a GB.",
            "weight_bytes = {weights_gib} * 1e9",
        ),
        Working(
            "bits for bytes",
            "It divides the bandwidth by 8, although GB/s are bytes already.",
            "rate = {bandwidth_gbytes}e9 / 8 / weight_bytes",
        ),
        Working(
            "bytes a weight, again",
            "It counts two bytes for each weight, although the size is in bytes already.",
            "weight_bytes = 2 * {weights_gib} * 2**30",
        ),
        Working(
            "prefixes swapped",
            "It swaps the two prefixes.",
            """
weight_bytes = {weights_gib} * 1e9
rate = {bandwidth_gbytes} * 2**30 / weight_bytes
""",
        ),
        Working(
            "seconds a token",
            "It calculates seconds per token.",
            "rate = weight_bytes / {bandwidth_gbytes}e9",
        ),
    ),
)

CRITIQUE = critique_exercise(
    DRAWS,
    title="What is wrong with these rates?",
    points=2,
    hints=(
        "Compare the answers line by line: each mistake is in a single place.",
        "Follow the units: bytes a second over bytes a token gives tokens a second.",
        "A GiB is 2**30 bytes and a GB is 10**9 bytes. Which line turns which of the two into bytes?",
    ),
    explanation=(
        "The right answer turns both numbers into bytes, each with its own prefix, and divides the bytes of a second by the bytes "
        "of a token. A GiB taken for a GB makes the rate 7 % too high. That is too little to notice in a result, so look for it in "
        "the lines."
    ),
)
