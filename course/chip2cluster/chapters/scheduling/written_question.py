"""Lab 13: which rule does this queue follow?"""

from functools import cache

from chip2cluster import scheduling
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question


@cache
def starts(policy, jobs, nodes):
    """When each job starts, minutes, by its number."""
    queue = [
        scheduling.Job(int(number), 60 * submit, int(wanted), 60 * limit, 60 * ran)
        for number, submit, wanted, limit, ran in jobs
    ]
    return {int(run.job): run.start / 60 for run in scheduling.simulate(queue, nodes, policy).runs}


def draw(generator):
    nodes = int(generator.integers(8, 17))
    submit, rows = 0.0, []
    for number in range(1, 7):
        limit = float(generator.integers(3, 25) * 5)
        rows.append(
            {
                "number": float(number),
                "submit": submit,
                "wanted": float(generator.integers(1, nodes)),
                "limit": limit,
                "ran": float(generator.integers(2, limit + 1)),
            }
        )
        submit += float(generator.integers(1, 6))
    *queue, coming = rows
    constants = {"nodes": nodes, "queue": tuple(tuple(row.values()) for row in queue)}
    return Draw(constants, queue, coming)


def by(policy):
    def start(number, submit, wanted, limit, ran, nodes, queue):
        row = (number, submit, wanted, limit, ran)
        return starts(policy, queue if row in queue else (*queue, row), nodes)[int(number)]

    return start


QUESTION = Question(
    scene="A machine of {nodes} nodes was empty when the first of these jobs came. The log gives minutes: when each was submitted, its limit, "
    "how long it ran, and when it started. What rule the queue follows is not in the log.",
    columns=(
        Column("number", "job"),
        Column("submit", "submitted"),
        Column("wanted", "nodes"),
        Column("limit", "limit"),
        Column("ran", "ran"),
    ),
    result=Column("start", "started", lambda value: f"minute {value:g}"),
    explanations=(
        Explanation(
            "one queue: no job starts before those that arrived earlier.",
            "Jobs start in the order of arrival, even if a later one would fit on nodes that are idle. A large job at the "
            "head of the queue delays all jobs behind it.",
            "One later job that starts before an earlier one would prove me wrong.",
            by("fcfs"),
        ),
        Explanation(
            "EASY: a later job may start first if by its limit it doesn't delay the head of the queue.",
            "The head of the queue has a reservation, computed from the limits of the running jobs. A later job that fits next to it or ends before it "
            "may start, and a job that ends before its limit lets the next start sooner.",
            "One idle set of nodes that a waiting job could have had without harm would prove me wrong.",
            by("easy"),
        ),
    ),
    coming="when you expect job {number} to start, if it comes at minute {submit}, wants {wanted} nodes for at most {limit} minutes, and runs {ran}",
    draw=draw,
    shown=lambda nodes, queue: {"nodes": str(nodes)},
    noise=0.0,
)
