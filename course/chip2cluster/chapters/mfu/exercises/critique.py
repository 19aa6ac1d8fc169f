"""Exercise: what is wrong with these answers to the model FLOP utilization?"""

from chip2cluster.exercise.critique_draws import CritiqueDraws, Working, critique_exercise

from ..paper_tasks import TASKS
from .mfu import MFU

DRAWS = CritiqueDraws(
    "mfu.critique",
    MFU,
    next(task for task in TASKS if task.exercise == MFU.id),
    """
done = {tokens_per_second}e6 * {flops_per_token}e9
possible = {devices} * {peak_tflops}e12
mfu = done / possible
""",
    (
        Working(
            "one device's peak",
            "It divides by the peak of one accelerator.",
            "possible = {peak_tflops}e12",
        ),
        Working(
            "peak with sparsity",
            "It doubles a peak that is dense already.",
            "possible = {devices} * 2 * {peak_tflops}e12",
        ),
        Working(
            "nodes for devices",
            "It counts one peak for each node of eight accelerators.",
            "possible = {devices} / 8 * {peak_tflops}e12",
        ),
        Working(
            "divided by the devices twice",
            "It divides by the number of accelerators twice.",
            "done = {tokens_per_second}e6 * {flops_per_token}e9 / {devices}",
        ),
        Working(
            "upside down",
            "It divides what is possible by what is done.",
            "mfu = possible / done",
        ),
    ),
)

CRITIQUE = critique_exercise(
    DRAWS,
    title="What is wrong with these utilizations?",
    points=2,
    hints=(
        "A utilization is what is done over what is possible, for the same machine and the same second.",
        "The tokens per second are those of the whole run. Whose peak belongs below the line?",
        "A utilization above 100 % is impossible, and one far below 1 % hardly worth a run. What about the others?",
    ),
    explanation=(
        "The right answer divides the model's arithmetic of a second by the dense peak of all accelerators of the run. A result above "
        "100 % gives a mistake away, but half of the right one is plausible as well: look at what is above the line and below it."
    ),
)
