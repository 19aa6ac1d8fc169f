"""Task on first come, first served (FCFS): the start of each job."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .job_lists import MINUTE, busy, replay, starts, table


def fcfs_starts(jobs, machine):
    """Second at which each job starts, if nobody may pass the first that waits."""
    return starts(jobs, machine, "fcfs")


def _lists(generator):
    # Three jobs on four nodes: the third would fit, and must not pass. It is the one that a student sees.
    hand = {"jobs": table([[0, 3, 120, 60], [0, 4, 60, 60], [10, 1, 60, 30]]), "machine": 4}
    return [hand, *(busy(generator, count) for count in (5, 8, 12, 20))]


def _edges(generator):
    """Gaps in which the machine stands empty, ends at the very second of an arrival, and one job alone."""
    step = int(generator.integers(40, 90))
    calm = [[0, 2, 600, step], [step, 3, 600, 5 * step], [2 * step, 1, 600, step], [20 * step, 3, 600, step]]
    alone = [[int(generator.integers(5, 99)), 3, 600, 300]]
    return [{"jobs": table(calm), "machine": 3}, {"jobs": table(alone), "machine": 3}]


def _own_submit(jobs, machine):
    return [int(submit) for submit, *_ in jobs]


def _alone(jobs, machine):
    """One job at a time on the whole machine."""
    free, found = 0, []
    for submit, _, _, runtime in jobs:
        found.append(max(free, int(submit)))
        free = found[-1] + int(runtime)
    return found


def _late(jobs, machine):
    """A waiting job starts only once all that run have ended."""
    running: list[tuple[int, int]] = []
    found: list[int] = []
    for submit, nodes, _, runtime in jobs:
        now = max([int(submit), *found[-1:]])
        if nodes > machine - sum(count for end, count in running if end > now):
            now = max(end for end, _ in running)
        found.append(now)
        running.append((now + int(runtime), nodes))
    return found


FCFS = Exercise(
    id="lab.scheduling.fcfs_starts",
    title="First come, first served",
    signature="fcfs_starts(jobs, machine)",
    unit="s",
    graded=True,
    points=4,
    tolerance=1e-9,
    reference=fcfs_starts,
    groups=(
        Group("lists", 0.8, _lists),
        Group("quiet machines", 0.2, _edges, advice="The machine may be empty for a while. Nodes that are released in the second of an arrival are free for it."),
    ),
    hints=(
        "A job starts no earlier than the job before it, and no earlier than its submission.",
        "Keep a list of the running jobs, with their ends and nodes. Let the job with the earliest end finish until the next job fits.",
        "now = max(now, submit); while nodes > free: remove the smallest (end, nodes), set now = max(now, end), and release its nodes. "
        "heapq keeps the smallest entry first.",
    ),
    explanation="One job that needs many nodes delays all jobs behind it, although idle nodes would be enough for some of them.",
    mistakes=(
        Mistake("small ones pass", lambda jobs, machine: replay(jobs, machine, keeps=False), "In your schedule small jobs start "
                "before the first waiting job. Under FCFS none does, even if it would fit."),
        Mistake("EASY", lambda jobs, machine: replay(jobs, machine), "That is EASY, which backfills jobs that do not delay the first. FCFS does not backfill."),
        Mistake("limits", lambda jobs, machine: replay(jobs, machine, passes=False, holds_limits=True), "Your jobs hold their nodes until their "
                "limit. They end when their work is done: runtime."),
        Mistake("shortest first", lambda jobs, machine: replay(jobs, machine, passes=False, sorts=True), "You took the shortest first. The queue is in "
                "order of submission."),
        Mistake("no waiting", _own_submit, "Your jobs start when they are submitted. They wait until enough nodes are free."),
        Mistake("one at a time", _alone, "You run one job at a time. Several run together, as long as there are nodes."),
        Mistake("all must end", _late, "Your job waits until everything has ended. It may start as soon as enough nodes are free."),
        Mistake("minutes", lambda jobs, machine: [start / MINUTE for start in fcfs_starts(jobs, machine)], "Your starts are in minutes. The log counts "
                "seconds.", v.UNIT),
    ),
)  # fmt: skip
