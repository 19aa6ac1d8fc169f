"""Task on the three metrics by which two schedules are compared."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from .job_lists import busy, starts, table

BOUND = 10.0  # seconds


def figures(jobs, starts, machine):
    """Mean wait in minutes, mean bounded slowdown, and the percentage of the node-seconds that were held."""
    return _figures(jobs, starts, machine)


def _figures(
    jobs, starts, machine, *, whole=False, bound=BOUND, least=1.0, weigh=True, column=3, since="submission", ratio=False
):
    submit, nodes, _, runtime = np.asarray(jobs, dtype=float).T
    begin = np.asarray(starts, dtype=float)
    wait, end = begin - submit, begin + runtime
    slowdown = np.maximum(least, (wait + runtime) / np.maximum(runtime, bound))
    mean = (wait + runtime).sum() / np.maximum(runtime, bound).sum() if ratio else slowdown.mean()
    held = (np.asarray(jobs, dtype=float)[:, column] * (nodes if weigh else 1)).sum()
    span = end.max() - {"submission": submit, "start": begin, "zero": np.zeros(1)}[since].min()
    return [(wait + runtime if whole else wait).mean() / 60, mean, 100 * held / (machine * span)]


def _scheduled(generator, count, policy, short=False):
    case = busy(generator, count)
    jobs = case["jobs"]
    jobs[:, 0] += int(generator.integers(500, 9000))
    if short:
        jobs[::2, 3] = generator.integers(1, 9, len(jobs[::2]))
    return {
        "jobs": jobs,
        "starts": np.array(starts(jobs, case["machine"], policy), dtype=int),
        "machine": case["machine"],
    }


def _lists(generator):
    # Two jobs on two nodes. It is the one that a student sees.
    hand = {"jobs": table([[60, 2, 120, 60], [60, 1, 120, 120]]), "starts": np.array([60, 120]), "machine": 2}
    # The only job waits 40 s on an empty machine.
    late = {"jobs": table([[60, 2, 120, 60]]), "starts": np.array([100]), "machine": 2}
    return [
        hand,
        late,
        *(_scheduled(generator, count, policy) for count, policy in ((8, "fcfs"), (15, "easy"), (25, "easy"))),
    ]


def _edges(generator):
    calm = table([[100, 1, 60, 4], [100, 1, 600, 300], [400, 1, 60, 8]])
    return [
        {"jobs": calm, "starts": np.array([100, 100, 400]), "machine": 2},
        _scheduled(generator, 12, "easy", short=True),
    ]


def _like(**rules):
    return lambda jobs, starts, machine: _figures(jobs, starts, machine, **rules)


def _changed(change):
    return lambda **case: change(*figures(**case))


FIGURES = Exercise(
    id="lab.scheduling.figures",
    title="Three metrics",
    signature="figures(jobs, starts, machine)",
    unit="",
    graded=True,
    points=4,
    reference=figures,
    groups=(
        Group("schedules", 0.8, _lists),
        Group("short jobs", 0.2, _edges, advice="In a slowdown a run time below 10 s counts as 10 s, and no slowdown is below 1."),
    ),
    hints=(
        "Three numbers: minutes, a ratio, percent. For each job you need its wait and its run time, and for the last number its nodes, too.",
        "Bounded slowdown of a job: (wait + run time) / max(run time, 10), and at least 1. Take the mean over the jobs.",
        "Utilization: the sum of nodes × run time over all jobs, divided by the machine's nodes × the time from the first submission to the last end, in percent.",
    ),
    explanation="Long waits dominate the mean wait, short jobs the slowdown, and large jobs the utilization. Each metric hides some jobs.",
    mistakes=(
        Mistake("turnaround", _like(whole=True), "Your wait includes the run. It ends when the job starts."),
        Mistake("unbounded", _like(bound=1e-9), "You divided by run times of a few seconds. In a slowdown a run time below 10 s counts as 10 s.", share=0.8),
        Mistake("below one", _like(least=0.0), "One of your slowdowns is below 1. It is at least 1, also for run times below 10 s.", share=0.8),
        Mistake("ratio of sums", _like(ratio=True), "You divided the sums. Compute the slowdown of each job, then the mean."),
        Mistake("jobs, not nodes", _like(weigh=False), "You counted jobs as if each held one node. A job holds nodes for its run."),
        Mistake("limits", _like(column=2), "You counted the limits as held. Nodes are held for the run time."),
        Mistake("from zero", _like(since="zero"), "You counted the time from second 0. It begins with the first submission."),
        Mistake("from the first start", _like(since="start"), "You counted the time from the first start. It begins with the first submission, "
                "even if all nodes are idle at first."),
        Mistake("seconds", _changed(lambda wait, slow, used: [60 * wait, slow, used]), "Your wait is in seconds. Return minutes."),
        Mistake("a share", _changed(lambda wait, slow, used: [wait, slow, used / 100]), "Your utilization is a fraction. Return percent."),
        Mistake("slowdown less one", _changed(lambda wait, slow, used: [wait, slow - 1, used]), "Your slowdown is wait over run time. It is "
                "(wait + run time) over run time."),
    ),
)  # fmt: skip
