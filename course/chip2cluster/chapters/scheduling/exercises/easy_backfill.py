"""Exercise on one pass of EASY backfill: the jobs that start now."""

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise.model import Exercise, Group, Mistake, Together

from ..mutants import MUTANTS

MINUTE = 60.0
LIMITS = (30, 45, 60, 90, 120, 180, 240)


def simulated(free, running, queue, policy="easy"):
    """The schedule of a machine with these jobs, from a moment that is called 0."""
    jobs = [*running, *queue]
    listed = [
        scheduling.Job(place, 0, int(nodes), float(minutes) * MINUTE) for place, (nodes, minutes) in enumerate(jobs)
    ]
    return scheduling.simulate(listed, int(free + sum(nodes for nodes, _ in running)), policy)


def easy_pass(free, running, queue):
    """1 for each waiting job that starts in this pass, 0 for the others."""
    starts = simulated(free, running, queue).starts
    return np.array([int(starts[len(running) + place] == 0) for place in range(len(queue))])


def table(rows):
    """Lists, as the page shows them: a student may append to them and take from them."""
    return [[int(nodes), int(minutes)] for nodes, minutes in rows]


def state(generator, waiting=(4, 7)):
    """A machine of 6 to 16 nodes on which some jobs run and others wait, the first of them for nodes."""
    nodes = int(generator.integers(6, 17))
    free = int(generator.integers(2, max(3, nodes // 2)))
    running, left = [], nodes - free
    while left:
        size = int(generator.integers(1, left + 1))
        running.append([size, int(generator.choice(LIMITS)) - int(generator.integers(0, 2)) * 15])
        left -= size
    queue = [[int(generator.integers(1, free + 1)), int(generator.choice(LIMITS))]] * int(generator.random() < 0.4)
    queue.append([int(generator.integers(free + 1, nodes + 1)), int(generator.choice(LIMITS))])
    for _ in range(int(generator.integers(*waiting))):
        queue.append([int(generator.integers(1, max(2, free))), int(generator.choice(LIMITS))])
    return {"free": free, "running": table(running), "queue": table(queue)}


def _spare(generator):
    """One node is spare: a short job needs none of it, and of two long ones only the first gets it."""
    free, size, end = int(generator.integers(4, 7)), int(generator.integers(3, 6)), int(generator.choice(LIMITS[2:5]))
    queue = [[free + size - 1, 60], [1, end - 15], [1, end + 60], [1, end + 90]]
    return {"free": free, "running": table([[size, end], [2, end + 45]]), "queue": table(queue)}


def _together(generator):
    """Two jobs end in the same minute, the first of them would do for the head, and the other leaves nodes over."""
    free, size, end = int(generator.integers(2, 5)), int(generator.integers(2, 5)), int(generator.choice(LIMITS[2:5]))
    queue = [[free + size, 60], [min(free, size), end + 30], [1, end]]
    return {"free": free, "running": table([[size, end], [size, end], [1, end + 60]]), "queue": table(queue)}


def _machines(generator):
    # Small enough to be worked by hand: a student sees this one.
    hand = {"free": 3, "running": table([[4, 60], [1, 180]]), "queue": table([[6, 60], [2, 60], [1, 180]])}
    # Whether the third may start hangs on the end of the first, which starts in this pass.
    front = {"free": 3, "running": table([[2, 60]]), "queue": table([[2, 30], [3, 60], [1, 45]])}
    rest = [front, _spare(generator), _together(generator), *(state(generator) for _ in range(10))]
    return [hand, *(rest[place] for place in generator.permutation(len(rest)))]


def _edges(generator):
    alone = state(generator)
    return [
        {"free": 4, "running": table([]), "queue": table([[1, 30], [2, 60]])},
        {**alone, "queue": alone["queue"][:1]},
        {"free": 2, "running": table([[2, 60]]), "queue": table([[4, 60], [2, 61], [2, 60]])},
    ]


def played(
    free, running, queue, *, passes=True, keeps=True, spare=True, uses_spare=True, uses_free=True, first_end=False,
    strict=False, forgets_started=False, gives_up=False, short_uses_spare=False, ties=True, slack=0.0,
):  # fmt: skip
    """A pass by these rules: who starts, when the head could, and the nodes that are then free and to spare."""
    ends = [(float(minutes), int(nodes)) for nodes, minutes in running]
    starts = [0] * len(queue)
    head = 0
    while head < len(queue) and queue[head][0] <= free:
        starts[head] = 1
        free -= queue[head][0]
        if not forgets_started:
            ends.append((int(queue[head][1]), int(queue[head][0])))
        head += 1
    if head == len(queue):
        return starts, float("inf"), free, free
    shadow: float = 0
    total = free
    for minutes, nodes in sorted(ends):
        if total >= queue[head][0] and (minutes > shadow or not ties):
            break
        shadow, total = minutes, total + nodes
        if first_end:
            break
    extra = max(0, total - queue[head][0])
    for place in range(head + 1, len(queue) if passes else 0):
        nodes, minutes = (int(number) for number in queue[place])
        in_time = minutes < shadow if strict else minutes <= shadow + slack
        may = nodes <= free and (not keeps or in_time or (spare and nodes <= extra))
        if may:
            starts[place] = 1
            free -= nodes if uses_free else 0
            if uses_spare and (short_uses_spare or not in_time):
                extra -= nodes
        elif gives_up:
            break
    return starts, shadow, free, extra


def _sorted(free, running, queue):
    """A pass over the queue with the shortest first, its answers put back in the order of the line."""
    order = sorted(range(len(queue)), key=lambda place: queue[place][1])
    starts = played(free, running, [queue[place] for place in order])[0]
    return np.array([starts[order.index(place)] for place in range(len(queue))])


def _like(**rules):
    return lambda free, running, queue: np.array(played(free, running, queue, **rules)[0])


def _first_is_head(adds_first):
    """A pass that takes queue[0] for the head even if it fits; ``adds_first`` adds an end before it tests the fit."""

    def wrong(free, running, queue):
        shadow, total = 0.0, free
        for nodes, minutes in sorted(running, key=lambda row: row[1]):
            if not adds_first and total >= queue[0][0]:
                break
            shadow, total = minutes, total + nodes
            if total >= queue[0][0]:
                break
        extra, starts = max(0, total - queue[0][0]), [0] * len(queue)
        for place, (nodes, minutes) in enumerate(queue[1:], 1):
            if nodes <= free and (minutes <= shadow or nodes <= extra):
                starts[place], free = 1, free - nodes
                extra -= nodes if minutes > shadow else 0
        return np.array(starts)

    return wrong


EASY = Exercise(
    id="scheduling.easy",
    title="One pass of EASY",
    signature="easy_pass(free, running, queue)",
    unit="",
    points=6,
    reference=easy_pass,
    shows=(easy_pass, scheduling.simulate),
    groups=(
        Group("machines", 0.8, _machines),
        Group(
            "edges",
            0.2,
            _edges,
            advice="No job may be running, only one may wait, and a job may end in the exact minute of the reservation.",
        ),
    ),
    hints=(
        "First the front of the queue: start jobs in order until one doesn't fit. When can that one start, if all others use their full limits?",
        "Add up nodes in the order in which limits end, also those of jobs that you have just started, until the head fits. That moment is the "
        "shadow time; nodes beyond what the head needs then are spare.",
        "For each job behind the head: it starts if it fits the free nodes and either ends by the shadow time or fits the spare nodes. "
        "Each start takes free nodes; one that runs past the shadow time takes spare ones too.",
    ),
    solution="""
def easy_pass(free, running, queue):
    ends = [(minutes, nodes) for nodes, minutes in running]
    starts = [0] * len(queue)
    head = 0
    while head < len(queue) and queue[head][0] <= free:
        nodes, minutes = queue[head]
        free -= nodes
        ends.append((minutes, nodes))
        starts[head] = 1
        head += 1
    if head == len(queue):
        return starts
    shadow, total = 0, free
    for minutes, nodes in sorted(ends):
        if total >= queue[head][0] and minutes > shadow:
            break
        shadow, total = minutes, total + nodes
    spare = total - queue[head][0]
    for place in range(head + 1, len(queue)):
        nodes, minutes = queue[place]
        if nodes <= free and (minutes <= shadow or nodes <= spare):
            starts[place] = 1
            free -= nodes
            if minutes > shadow:
                spare -= nodes
    return starts
""",
    explanation=(
        "EASY keeps one promise, the reservation of the first waiting job, and backfills every job that can't break it. The reservation is based on the "
        "limits that users ask for. Jobs end earlier than that, and then the head starts earlier, too."
    ),
    meaning=lambda: (
        "This is the complete rule: it came from the Argonne SP in 1995, and with bf_job_part_count_reserve=1 Slurm does the same. On "
        f"{len(scheduling.trace().jobs):,} jobs of a real machine it cuts the mean wait to less than half; the lab shows by how much."
    ),
    mistakes=(
        Mistake(
            "nobody passes",
            _like(passes=False),
            "You stopped at the first job that doesn't fit. That is first come, first served; jobs behind it may start if they don't delay it.",
        ),
        Mistake(
            "every job that fits",
            _like(keeps=False),
            "You start every job that fits the free nodes. Then the head may wait indefinitely: it needs a reservation that no job breaks.",
        ),
        Mistake(
            "each job alone",
            lambda free, running, queue: np.array([int(nodes <= free) for nodes, _ in queue]),
            "You compare each job with the free nodes as if it were alone. Each job that starts leaves fewer free nodes, and the first one that doesn't fit gets a reservation.",
        ),
        Mistake(
            "no spare nodes",
            _like(spare=False),
            "You start only jobs that end by the shadow time. Nodes that the head doesn't need may be held for longer.",
        ),
        Mistake(
            "spare nodes without end",
            _like(uses_spare=False),
            "You give out the same spare nodes twice. A job that runs past the shadow time takes its nodes from them.",
        ),
        Mistake(
            "free nodes without end",
            _like(uses_free=False),
            "You give out the same free nodes twice. Each job that starts leaves fewer.",
        ),
        Mistake(
            "the first end",
            _like(first_end=True),
            "Your head starts when the first job ends. Keep adding nodes, in the order in which limits end, until it fits.",
        ),
        Mistake(
            "one end at a time",
            _like(ties=False),
            "Several jobs may end in the minute in which the head can start. All their nodes are free then, and some may be spare.",
        ),
        Mistake(
            "must end before",
            _like(strict=True),
            "You refuse jobs that end in the exact minute in which the head is to start. They have released their nodes by then.",
        ),
        Mistake(
            "those just started are forgotten",
            _like(forgets_started=True),
            "You counted only the ends of the jobs that were already running. Jobs that you start in this pass end as well, and release nodes.",
        ),
        *(
            Mistake(
                name,
                _first_is_head(adds_first),
                "You took queue[0] for the head although it fits. Jobs at the front that fit start; the head is the first job that doesn't.",
            )
            for name, adds_first in (("queue[0] is the head", False), ("queue[0] is the head, after an end", True))
        ),
        Mistake(
            "the shortest first",
            _sorted,
            "You went through the queue from the shortest limit on. Keep the queue order: its front starts first, and the head is the first job that doesn't fit.",
        ),
        Mistake(
            "gives up",
            _like(gives_up=True),
            "You stopped at the first job that can't be backfilled. The one behind it may be smaller or shorter: check all of them.",
        ),
        Mistake(
            "short ones take spare nodes",
            _like(short_uses_spare=True),
            "A job that ends by the shadow time has released its nodes when the head starts. It takes none of the spare ones.",
        ),
    ),
    together=(Together("one end at a time", "spare nodes without end", _like(ties=False, uses_spare=False)),),
    mutants=MUTANTS["scheduling.easy"],
)
