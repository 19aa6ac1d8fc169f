"""Lists of jobs for the lab, the model's answer, and a replay with known mistakes."""

import numpy as np

from chip2cluster import scheduling

MINUTE = 60
LIMITS = (10, 15, 20, 30, 45, 60, 90, 120)
USED = (0.2, 0.35, 0.5, 0.7, 1.0)


def starts(jobs, machine, policy):
    """When each job starts, seconds, by the model."""
    listed = [
        scheduling.Job(place, float(submit), int(nodes), float(walltime), float(runtime))
        for place, (submit, nodes, walltime, runtime) in enumerate(jobs)
    ]
    return list(scheduling.simulate(listed, int(machine), policy).starts.values())


def table(rows):
    return np.array(rows, dtype=int).reshape(-1, 4)


def busy(generator, count, machine=None):
    """So many jobs on a machine that is full: each asks for more than it takes."""
    machine = machine or int(generator.integers(4, 12))
    submit, rows = 0, []
    for _ in range(count):
        walltime = MINUTE * LIMITS[generator.integers(len(LIMITS))]
        nodes = int(min(machine, 1 + generator.geometric(2.5 / machine)))
        runtime = int(walltime * USED[generator.integers(len(USED))])
        rows.append([submit, nodes, walltime, runtime])
        submit += int(generator.integers(30, 500))
    return {"jobs": table(rows), "machine": machine}


def replay(
    jobs, machine, *, passes=True, keeps=True, spare=True, uses_spare=True, own=False, others=False, holds_limits=False, every=False,
    strict=False, sorts=False, single=False, ties=True,
    short_uses_spare=False, shortest_pass=False, at_ends=False,
):  # fmt: skip
    """Starts by EASY with these changes to its rules."""
    rows = np.asarray(jobs).astype(int).tolist()
    start, running, arriving = [0] * len(rows), [], list(range(len(rows)))
    queue: list[int] = []
    free = machine

    def begin(number, now):
        nonlocal free
        _, nodes, walltime, runtime = rows[number]
        start[number] = now
        free -= nodes
        running.append((now + (walltime if holds_limits else runtime), now + (runtime if others else walltime), nodes))
        queue.remove(number)

    def backfill(now):
        shadow, extra = _shadow(rows[queue[0]][1], free, now, running, ties)
        for number in sorted(queue[1:], key=lambda number: rows[number][2] if shortest_pass else number):
            _, nodes, walltime, runtime = rows[number]
            end = now + (runtime if own else walltime)
            in_time = end < shadow if strict else end <= shadow
            if nodes <= free and (not keeps or in_time or (spare and nodes <= extra)):
                extra -= nodes if uses_spare and (short_uses_spare or not in_time) else 0
                begin(number, now)
                if single:
                    return
            elif every:
                return

    while arriving or queue:
        now = min([rows[number][0] for number in arriving[:1]] + [end for end, _, _ in running])
        ended = any(end <= now for end, _, _ in running)
        free += sum(nodes for end, _, nodes in running if end <= now)
        running[:] = [one for one in running if one[0] > now]
        while arriving and rows[arriving[0]][0] <= now:
            queue.append(arriving.pop(0))
        if sorts:
            queue.sort(key=lambda number: rows[number][2])
        while queue and rows[queue[0]][1] <= free:
            begin(queue[0], now)
        if queue and passes and (ended or not at_ends):
            backfill(now)
    return start


def _shadow(need, free, now, running, ties):
    """When the first that waits can start by the limits of the others, and the nodes that it leaves over then."""
    moment = now
    for end, nodes in sorted((limit, nodes) for _, limit, nodes in running):
        if free >= need and (end > moment or not ties):
            break
        moment, free = end, free + nodes
    return moment, free - need
