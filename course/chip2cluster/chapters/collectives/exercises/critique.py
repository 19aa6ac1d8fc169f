"""Exercise: what is wrong with these answers to the time of a ring all-reduce?"""

from chip2cluster.exercise.critique_draws import CritiqueDraws, Working, critique_exercise

from ..paper_tasks import TASKS
from .ring_time import TIME

DRAWS = CritiqueDraws(
    "collectives.critique",
    TIME,
    next(task for task in TASKS if task.exercise == TIME.id),
    """
bandwidth = {link_gbits}e9 / 8
chunk = {message_bytes}e6 / {ranks}
seconds = 2 * ({ranks} - 1) * ({latency_us}e-6 + chunk / bandwidth)
""",
    (
        Working(
            "half a ring",
            "It counts the steps of a reduce-scatter and leaves out the all-gather.",
            "seconds = ({ranks} - 1) * ({latency_us}e-6 + chunk / bandwidth)",
        ),
        Working(
            "whole messages",
            "It sends the whole array in every step.",
            "chunk = {message_bytes}e6",
        ),
        Working(
            "bits for bytes",
            "It takes bits for bytes.",
            "bandwidth = {link_gbits}e9",
        ),
        Working(
            "the message once",
            "It sends the array once, although a rank sends nearly twice its bytes.",
            lines="""
bandwidth = {link_gbits}e9 / 8
latency = 2 * ({ranks} - 1) * {latency_us}e-6
seconds = latency + {message_bytes}e6 / bandwidth
""",
        ),
        Working(
            "one latency",
            "It pays the latency once, although every step pays it.",
            "seconds = {latency_us}e-6 + 2 * ({ranks} - 1) * chunk / bandwidth",
        ),
    ),
)

CRITIQUE = critique_exercise(
    DRAWS,
    title="What is wrong with these times?",
    points=2,
    hints=(
        "A ring all-reduce has two halves. How many steps does each of them take?",
        "What does a rank send in one step: the whole array, or one part of it?",
        "Follow the units: a link rate in Gbit/s becomes bytes a second when you divide it by 8.",
    ),
    explanation=(
        "The right answer takes 2 (ranks - 1) steps: half of them add the parts (reduce-scatter), and half of them distribute the sums "
        "(all-gather). Each step sends one part of the array and pays the latency once. Bytes are divided by bytes a second."
    ),
)
