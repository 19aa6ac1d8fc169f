"""Exercise on the longest time limit with which a job is backfilled now."""

from math import ceil, floor, inf

from chip2cluster import scheduling
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .easy_backfill import MINUTE, played, simulated, state, table

FOR_EVER = 10_000_000  # minutes


def longest_limit(free, running, queue, nodes, late_seconds):
    """Whole minutes; infinite where any limit will do, 0 where none does."""
    left = _by_the_pass(running, late_seconds)

    def starts(minutes):
        mine = [*queue, [nodes, minutes]]
        return simulated(free, left, mine).starts[len(left) + len(queue)] == 0

    if not starts(1):
        return 0.0
    if starts(FOR_EVER):
        return inf
    return float(floor(simulated(free, left, queue).reservations_at(0)[0].start / MINUTE))


def _by_the_pass(running, late_seconds):
    """Jobs that run, with the minutes that are left of their limits when the pass comes."""
    return [[int(size), float(minutes) - late_seconds / MINUTE] for size, minutes in running]


def _case(late, nodes, free, running, queue):
    return {"free": free, "running": running, "queue": queue, "nodes": nodes, "late_seconds": late}


def _ready(generator):
    """A machine with a job that waits for nodes at the head of its queue."""
    return state(generator, waiting=(2, 4))


def _machines(generator):
    # The hole of the page: six hours of four nodes, three of the other four, and eight wanted by the first in line.
    hand = _case(1, 2, 4, table([[4, 180]]), table([[8, 240]]))
    behind = _case(1, 1, 3, table([[2, 60]]), table([[2, 30], [3, 60]]))  # a job started now ends before the head
    passed = _case(1, 2, 4, table([[4, 180]]), table([[8, 240], [3, 180]]))  # the other is a second too long, too
    spare = _case(90, 2, 4, table([[4, 180]]), table([[6, 240], [2, 300]]))  # the other takes what is spare
    taken = _case(1, 2, 4, table([[4, 180]]), table([[8, 240], [3, 60]]))
    # Two limits end in the same minute: the first would do, and what the second gives back is spare.
    together = _case(0, 2, 2, table([[4, 60], [4, 60], [1, 120]]), table([[6, 60]]))
    # A short one passes, and leaves the spare nodes to you.
    short = _case(1, 1, 3, table([[4, 60]]), table([[6, 60], [1, 30]]))
    cases = [hand, behind, passed, spare, taken, together, short]
    wanted = {"hole": 5, "any": 3, "none": 2}
    while any(wanted.values()):
        drawn = _ready(generator)
        late = int(generator.choice([1, 1, 30, 59, 90, 61]))
        mine = _case(late, int(generator.integers(1, 4)), **drawn)
        limit = longest_limit(**mine)
        kind = "any" if limit == inf else "hole" if limit else "none"
        if wanted[kind]:
            wanted[kind] -= 1
            cases.append(mine)
    return cases


def _edges(generator):
    return [
        _case(0, 2, 4, table([[4, 180]]), table([[8, 240]])),  # the pass is at once
        _case(1, 2, 4, table([[4, 180]]), table([])),  # nobody waits
    ]


def _like(
    rest=floor,
    late=True,
    others_late=True,
    spare=True,
    spare_first=False,
    fits=False,
    shortened=(0, 0),
    minute=MINUTE,
    **rules,
):
    """The same with something changed.

    ``rest`` makes a limit of the minutes from the pass (or from now) to the shadow time; ``shortened`` says whether
    the delay is taken off the limits of those at the front of the queue, and of those behind.
    """

    def wrong(free, running, queue, nodes, late_seconds):
        delay = late_seconds / minute
        ends = [[size, float(minutes) - delay * late] for size, minutes in running]
        slack = 0 if others_late else delay
        front = _front(free, queue)
        line = [[size, minutes - delay * shortened[place >= front]] for place, (size, minutes) in enumerate(queue)]
        _, shadow, left, extra = played(free, ends, line, slack=slack, **rules)
        if spare_first:
            extra = played(free, ends, line, passes=False, **rules)[3]
        if nodes > left:
            return 0.0
        if fits or (spare and nodes <= extra) or shadow == inf:
            return inf
        return float(max(0, rest(shadow)))

    return wrong


def _front(free, queue):
    """How many jobs at the front of the line start."""
    for place, (size, _) in enumerate(queue):
        free -= size
        if free < 0:
            return place
    return len(queue)


HOLE = Exercise(
    id="scheduling.hole",
    title="What must you ask for?",
    signature="longest_limit(free, running, queue, nodes, late_seconds)",
    unit="minutes",
    points=5,
    reference=longest_limit,
    shows=(longest_limit, scheduling.simulate),
    groups=(
        Group("machines", 0.8, _machines),
        Group("edges", 0.2, _edges, advice="A pass may come at once, and no job may be waiting ahead of you."),
    ),
    hints=(
        "What keeps you from starting? Not the running jobs, because nodes are free. What must you not do to the first waiting job?",
        "Simulate the pass without your job, counting all times from the pass. It leaves free nodes, spare nodes and a shadow time. Which of the three sets no limit at all?",
        "If you want more nodes than are left free: 0. If the spare nodes are enough, or no job waits: float('inf'). Otherwise the whole minutes "
        "from the pass to the shadow time. At the pass, running jobs have late_seconds less left.",
    ),
    solution="""
from math import floor, inf


def longest_limit(free, running, queue, nodes, late_seconds):
    ends = [(minutes - late_seconds / 60, size) for size, minutes in running]
    queue = list(queue)
    while queue and queue[0][0] <= free:
        size, minutes = queue.pop(0)
        free -= size
        ends.append((minutes, size))
    if not queue:
        return inf if nodes <= free else 0
    shadow, total = 0, free
    for minutes, size in sorted(ends):
        if total >= queue[0][0] and minutes > shadow:
            break
        shadow, total = minutes, total + size
    spare = total - queue[0][0]
    for size, minutes in queue[1:]:
        if size <= free and (minutes <= shadow or size <= spare):
            free -= size
            if minutes > shadow:
                spare -= size
    if nodes > free:
        return 0
    if nodes <= spare:
        return inf
    return floor(shadow)
""",
    explanation=(
        "This is the rule in reverse. The limit matters only for a job that would run into the reservation of the head. A job that fits the spare "
        "nodes may ask for any limit, and one that doesn't fit the free nodes waits even with a limit of a second."
    ),
    meaning=lambda: (
        "squeue --start and sprio show which jobs are ahead of you, sinfo which nodes are free. From these you can work out your backfill window "
        f"before you submit. A pass one second late turns a window of {_asked(0):.0f} minutes into one of {_asked(1):.0f}: Slurm counts limits in whole minutes."
    ),
    mistakes=(
        Mistake(
            "no spare nodes",
            _like(spare=False),
            "You gave a limit to a job that needs none. It may stay as long as it likes on nodes that the head doesn't need.",
        ),
        Mistake(
            "exactly the hole",
            _like(late=False),
            "Your limit fills the backfill window to the last minute, counted from now. The pass comes late_seconds later, and then it doesn't fit.",
        ),
        Mistake(
            "whole minutes of delay",
            lambda free, running, queue, nodes, late_seconds: longest_limit(
                free, running, queue, nodes, late_seconds // 60 * 60
            ),
            "You rounded late_seconds down to whole minutes. One second late is too late for the full window: subtract the seconds first, and round the limit down at the end.",
        ),
        Mistake(
            "always a minute less",
            _like(late=False, rest=lambda shadow: shadow - 1),
            "You subtracted a minute for any delay. A pass that comes at once needs none, one that is 90 s late needs two.",
        ),
        Mistake(
            "part of a minute",
            _like(rest=lambda shadow: shadow),
            "Slurm counts limits in whole minutes. Round down.",
        ),
        Mistake(
            "rounded up",
            _like(rest=ceil),
            "You rounded up. A limit that is longer than the backfill window by part of a minute doesn't fit: round down.",
        ),
        Mistake(
            "the others are forgotten",
            _like(passes=False),
            "You left out the jobs between the head and you. Some are backfilled in the same pass, and take free or spare nodes before you.",
        ),
        Mistake(
            "spare before the others",
            _like(spare_first=True),
            "You counted the spare nodes before the other jobs were backfilled. A job that runs past the shadow time takes some of them.",
        ),
        Mistake(
            "the others in time",
            _like(others_late=False),
            "You ignored the delay for the other jobs. It shortens the window for them as well: a job that fills it to the minute doesn't start.",
        ),
        Mistake(
            "the front is forgotten",
            _like(forgets_started=True),
            "You left out the ends of the jobs at the front, which start in this pass. They release their nodes, too, perhaps before the shadow time.",
        ),
        Mistake(
            "the front is late",
            _like(shortened=(1, 1)),
            "You subtracted the delay from the limits of jobs that start in this pass. Their limits count from the pass; only running jobs have less time left.",
        ),
        Mistake(
            "the front alone is late",
            _like(shortened=(1, 0)),
            "You subtracted the delay from the limits of the jobs at the front, which start in this pass. Their limits count from the pass; only running jobs have less time left.",
        ),
        Mistake(
            "only the first ahead",
            lambda free, running, queue, nodes, late_seconds: longest_limit(
                free, running, queue[:1], nodes, late_seconds
            ),
            "You looked only at queue[0]. It may start in this pass, and then the head is a job behind it; other jobs may be backfilled before you. Run the whole pass of exercise 1 first.",
        ),
        Mistake(
            "seconds for minutes",
            _like(minute=1.0),
            "You subtracted late_seconds as if they were minutes. A minute has 60 seconds.",
        ),
        Mistake(
            "0 for any limit",
            lambda **case: (lambda limit: 0.0 if limit == inf else limit)(longest_limit(**case)),
            "You return 0 where any limit works. 0 means that none does; return float('inf') there.",
        ),
        Mistake(
            "short ones take spare nodes",
            _like(short_uses_spare=True),
            "You let a job that ends by the shadow time use up spare nodes. It has released its nodes by then.",
        ),
        Mistake(
            "one end at a time",
            _like(ties=False),
            "Several limits may end in the minute in which the head can start. All their nodes are free then, and some may be spare.",
        ),
        Mistake(
            "any limit that fits",
            _like(fits=True),
            "You let your job start with any limit because it fits. It must not run into the reservation of the first waiting job.",
        ),
        Mistake(
            "the first end",
            _like(first_end=True),
            "Your backfill window ends when the first job ends. It ends when the head can start: add nodes in the order of the ends until it fits.",
        ),
    ),
)


def _asked(late):
    return longest_limit(4, table([[4, 180]]), table([[8, 240]]), 2, late)
