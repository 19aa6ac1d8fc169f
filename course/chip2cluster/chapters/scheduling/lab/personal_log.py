"""Task on a personal part of the job log, with limits as they might be."""

import numpy as np

from chip2cluster import scheduling
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .job_lists import replay

COUNT, OF, MINUTE = 40, 60, 60.0


def _piece(generator):
    """Forty of sixty jobs in a row, on a machine that they overload, so that limits matter."""
    jobs = scheduling.trace().jobs

    def draw():
        first = int(generator.integers(0, len(jobs) - OF))
        chosen = sorted(int(place) for place in generator.choice(OF, COUNT, replace=False))
        part = [jobs[first + place] for place in chosen]
        rows = [
            [
                int(job.submit - part[0].submit),
                job.nodes,
                int(known("walltime", job.walltime)),
                int(known("runtime", job.runtime)),
            ]
            for job in part
        ]
        work = sum(nodes * runtime for _, nodes, _, runtime in rows)
        busy = work / max(rows[-1][0], 1) / generator.uniform(0.6, 1.1)
        machine = max(max(nodes for _, nodes, _, _ in rows), round(busy))
        return {"jobs": rows, "machine": machine}

    return draw_until(_telling, draw)


def _telling(piece):
    """Whether limits and policies change the mean wait clearly."""
    jobs, machine = piece["jobs"], piece["machine"]
    asked = np.array(jobs)
    if machine > 200 or any(nodes > machine for _, nodes, _, _ in jobs):
        return False
    waits = []
    for changed, rules in (
        (asked, {}), (_limits(asked, 1.0), {}), (_limits(asked, 2.0), {}), (_limits(asked, 3.0), {}),
        (asked, {"passes": False}), (asked, {"keeps": False}),
    ):  # fmt: skip
        wait = _mean(asked, replay(changed, machine, **rules))
        if wait <= 60 or wait in waits:
            return False  # whatever the others are
        waits.append(wait)
    return all(abs(one - other) > 0.01 * min(waits) for place, one in enumerate(waits) for other in waits[:place])


def _limits(jobs, factor):
    changed = np.array(jobs, dtype=float)
    changed[:, 2] = np.ceil(factor * changed[:, 3])
    return changed


def _mean(jobs, starts):
    return float(np.mean(np.array(starts, dtype=float) - np.asarray(jobs, dtype=float)[:, 0]))


def own_wait(factor, pace, jobs, machine):
    """Mean wait in minutes under EASY if all asked for so many times what they take, and came so many times as fast."""
    listed = [
        scheduling.Job(place, float(submit // pace), nodes, float(np.ceil(factor * runtime)), float(runtime))
        for place, (submit, nodes, _, runtime) in enumerate(jobs)
    ]
    return scheduling.simulate(listed, machine, "easy").metrics().mean_wait / MINUTE


def _factors(generator):
    drawn = [{"factor": 1.0, "pace": 1.0}]
    for low, high in ((1.0, 1.2), (0.8, 1.0), (1.2, 1.6), (1.6, 2.5), (0.8, 2.0)):
        factor, pace = generator.uniform(1.05, 4), generator.uniform(low, high)
        drawn.append({"factor": round(float(factor), 2), "pace": round(float(pace), 3)})
    return drawn


def _by(limits=_limits, figure=lambda starts, submits: np.mean(starts - submits), **rules):
    def wrong(factor, pace, jobs, machine):
        changed = limits(np.array(jobs), factor)
        changed[:, 0] = changed[:, 0] // pace
        starts = np.array(replay(changed, machine, **rules), dtype=float)
        return float(figure(starts, changed[:, 0])) / MINUTE

    return wrong


def _scaled_limits(jobs, factor):
    changed = np.array(jobs, dtype=float)
    changed[:, 2] = np.maximum(factor * changed[:, 2], changed[:, 3])
    return changed


OWN = Exercise(
    id="lab.scheduling.own_wait",
    title="Your own forty jobs",
    signature="own_wait(factor, pace)",
    unit="min",
    graded=True,
    points=4,
    tolerance=2e-3,
    constants=_piece,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_wait,
    groups=(Group("factors", 1.0, _factors),),
    hints=(
        'Your jobs are in the cell above: piece["jobs"], rows of submit, nodes, walltime, runtime, and piece["machine"]. Change the first '
        "and the third column, and nothing else.",
        "Pass the changed jobs to your easy_starts. The wait of a job is its start minus its submission.",
        "Times are whole seconds: round limits up and submissions down. Work on a copy of the rows, and return minutes.",
    ),
    explanation="Better limits open some backfill windows and close others, so in a short piece of a log even bad limits can win by luck.",
    mistakes=(
        Mistake("limits as they were", _by(lambda jobs, factor: jobs), "You left the limits as they were. Each is to be factor times the run time."),
        Mistake("limits times factor", _by(_scaled_limits), "You multiplied the limits by factor. Multiply the run time.",
                coincides="limits as they were"),
        Mistake("first come", _by(passes=False), "That is FCFS. Use EASY: your easy_starts."),
        Mistake("no reservation", _by(keeps=False), "Your replay starts every job that fits. EASY keeps a reservation for the first waiting job."),
        Mistake("seconds", lambda **piece: 60 * own_wait(**piece), "Your wait is in seconds. Return minutes.", v.UNIT),
        Mistake("hours", lambda **piece: own_wait(**piece) / 60, "Your wait is in hours. Return minutes.", v.UNIT),
        Mistake("the starts", _by(figure=lambda starts, submits: starts.mean()), "You took the mean of the starts. A wait begins with the "
                "submission."),
        Mistake("the sum", lambda **piece: COUNT * own_wait(**piece), "You added up the waits. Return their mean."),
        Mistake("the median", _by(figure=lambda starts, submits: np.median(starts - submits)), "You took the median wait. Return the mean."),
        Mistake("no pace", lambda pace, **piece: own_wait(pace=1.0, **piece), "You did not change the submissions. Jobs arrive pace times as fast."),
        Mistake("slower", lambda pace, **piece: own_wait(pace=1 / pace, **piece), "You stretched the time between submissions. With a pace above 1 they "
                "come faster: divide."),
    ),
)  # fmt: skip
