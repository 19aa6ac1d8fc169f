"""Exercise: what is wrong with these answers to the number of runs that a budget pays for?"""

from chip2cluster.exercise.critique_draws import CritiqueDraws, Working, critique_exercise

from ..paper_tasks import TASKS
from .run_budget import BUDGET

DRAWS = CritiqueDraws(
    "scheduling.critique",
    BUDGET,
    next(task for task in TASKS if task.exercise == BUDGET.id),
    """
gpus = {nodes} * {gpus_per_node}
factor = 1 + {repeated} / 100
longest = gpus * {minutes_high} / 60 * factor
shortest = gpus * {minutes_low} / 60 * factor
runs = [{budget_gpu_hours} // longest, {budget_gpu_hours} // shortest]
""",
    (
        Working(
            "nodes for GPUs",
            "It counts node-hours, although the budget is in GPU-hours.",
            "gpus = {nodes}",
        ),
        Working(
            "the good ones alone",
            "It leaves out the GPU-hours of the runs that fail.",
            "factor = 1 - {repeated} / 100",
        ),
        Working(
            "nothing is repeated",
            "It pays for no repeated run.",
            lines="""
gpus = {nodes} * {gpus_per_node}
longest = gpus * {minutes_high} / 60
shortest = gpus * {minutes_low} / 60
runs = [{budget_gpu_hours} // longest, {budget_gpu_hours} // shortest]
""",
        ),
        Working(
            "ends the other way round",
            "It gives the largest number of runs first.",
            "runs = [{budget_gpu_hours} // shortest, {budget_gpu_hours} // longest]",
        ),
        Working(
            "the GPUs of one node",
            "It counts the GPUs of one node.",
            "gpus = {gpus_per_node}",
        ),
    ),
)

CRITIQUE = critique_exercise(
    DRAWS,
    title="What is wrong with these counts?",
    points=2,
    hints=(
        "What does a run hold while it runs: nodes, or all their GPUs?",
        "A run that fails at its end has held its GPUs as long as a good one, and is repeated once.",
        "The longer a run, the fewer of them fit. Which of the two numbers comes first?",
    ),
    explanation=(
        "The right answer counts every GPU of every node for the whole run, adds the share of runs that are repeated, and rounds down "
        "to whole runs. The longest runs give the smallest number, which comes first."
    ),
)
