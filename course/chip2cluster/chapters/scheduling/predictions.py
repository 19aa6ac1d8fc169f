"""Questions on scheduling."""

from math import log

from chip2cluster import collectives, scheduling
from chip2cluster.predict.question import Question
from chip2cluster.utilization import HOUR

_WEEK = 7 * 24 * HOUR
_IMAGE, _NIC, _NODES = 12e9, 25e9, 1000


def _jobs(asked):
    """The machine of the question: two jobs run, one wants all nodes, and yours is behind it."""
    return [
        scheduling.Job(1, 0, 4, 6 * HOUR),
        scheduling.Job(2, 0, 4, 3 * HOUR),
        scheduling.Job(3, 0, 8, 4 * HOUR),
        scheduling.Job(4, 0, 2, asked, 2 * HOUR),
    ]


def _start():
    return scheduling.simulate(_jobs(4 * HOUR), 8, "easy").starts[4] / HOUR


def _why_start(truth):
    short = scheduling.simulate(_jobs(3 * HOUR), 8, "easy").starts[4] / HOUR
    return (
        f"After three hours four nodes are idle, and you want two of them. But job A has a reservation for all eight after six hours, and "
        f"your limit of four hours runs into it. So you wait for it to end: {truth:.0f} hours. With a limit of up to three hours you start after {short:.0f}."
    )


def _counted():
    return 10 * _WEEK / HOUR / log(2)


def _why_counted(truth):
    return (
        "Old GPU-hours decay, and new ones are added. The counted usage settles where both rates are equal: at 10 GPUs times the half-life divided by "
        f"0.693, {truth:,.0f} GPU-hours. That is about one and a half weeks of usage, no matter for how many years."
    )


def _pipeline(failure):
    seeds = [scheduling.Task(f"seed {seed}", 4 * HOUR, ("prepare",), failure) for seed in range(8)]
    return [
        scheduling.Task("prepare", HOUR), *seeds, scheduling.Task("judge", HOUR, tuple(task.name for task in seeds))
    ]  # fmt: skip


def _done():
    return float(scheduling.pipeline_times(_pipeline(0.2), 40_000, seed=1).mean()) / HOUR


def _why_done(truth):
    alone = scheduling.critical_path(_pipeline(0.2)).seconds / HOUR
    return (
        f"One training run takes five hours on average, a quarter more than without failures, and a chain with one of them {alone:.0f} hours. But the "
        f"evaluation waits for the unluckiest of eight, and in five of six pipelines that one needs two or more attempts: {truth:.1f} hours."
    )


def _storm():
    return _IMAGE / _NIC + collectives.time("broadcast", "tree", _IMAGE, _NODES, _NIC)


def _why_storm(truth):
    return (
        f"One node fetches the image in half a second. Then each node that has it sends it to one that doesn't, so their number doubles: ten rounds of "
        f"half a second each for {_NODES:,} nodes, {truth:.1f} s in all. The storage is read once instead of a thousand times."
    )


def _wait():
    return scheduling.mean_wait(1, 0.9, 1.0)


def _why_wait(truth):
    return (
        f"On average there are nine jobs ahead of you, and each takes one job length: {truth:.0f} times. The queue can only drain in the free time, "
        "so the wait is the busy fraction divided by the free fraction."
    )


def _named():
    hour = HOUR
    jobs = [
        scheduling.Job(1, 0, 2, 2.5 * hour), scheduling.Job(2, 0, 2, 3 * hour),
        scheduling.Job(3, 0, 3, 0.5 * hour), scheduling.Job(4, 0.5 * hour, 1, 2 * hour),
    ]  # fmt: skip
    return scheduling.simulate(jobs, 4, "easy", reservations="named").starts[4] / 60


def _why_named(truth):
    return (
        "At minute 150 nodes 0 and 1 are free, but both are promised to the head from minute 180 on, and you would still be running then. Node 3 is "
        f"promised to no job, but it is busy until minute {truth:.0f}."
    )


def _segments():
    free = [13] * 10
    most = max(n for n in range(8, sum(free), 8) if scheduling.block_allocation(free, n, 8))
    return float(most)


def _why_segments(truth):
    return (
        f"Each rack has room for one group of 8, and its other five free nodes can't join those of another rack: {truth:.0f} nodes. The 50 others are "
        "free and useless to you."
    )


QUESTIONS = (
    Question(
        "scheduling.start",
        "Four of eight nodes are busy for six hours, four for three. Job A is first: eight nodes, four hours. "
        "Nothing may delay A. Yours is next: two nodes, limit four hours. After how many hours does yours start?",
        "hours", _start, _why_start,
    ),
    Question(
        "scheduling.counted",
        "A user has held ten GPUs, day and night, for years. The scheduler counts half of the usage that is one week old, a quarter of that two weeks "
        "old, and so on. How many GPU-hours does it count?",
        "GPU-hours", _counted, _why_counted,
    ),
    Question(
        "scheduling.done",
        "A pipeline: one hour of preparation, eight parallel training runs of four hours, one hour of evaluation."
        " Each run fails at its end with probability 20 % and restarts. How many hours does it all take on "
        "average?",
        "hours", _done, _why_done,
    ),
    Question(
        "scheduling.storm",
        "A thousand nodes fetch a container of 12 GB from storage, at 50 GB/s, in four minutes. Instead one node "
        "reads it, and nodes that have it forward it at 25 GB/s, unidirectional. How many seconds until all have "
        "it?",
        "s", _storm, _why_storm,
    ),
    Question(
        "scheduling.wait",
        "One node is busy 90 % of the time. Jobs arrive at random and have random lengths (Poisson arrivals, exponential lengths), first come, "
        "first served. How long does a job wait on average, in mean job lengths?",
        "times", _wait, _why_wait,
    ),
    Question(
        "scheduling.named",
        "Of four nodes job 1 has 0 and 1 until minute 150, job 2 has 2 and 3 until 180. The head is promised 0 to"
        " 2 at minute 180. When does your job start, one node for 120 minutes?",
        "min", _named, _why_named,
    ),
    Question(
        "scheduling.segments",
        "Ten racks of 18 nodes have 13 free nodes each. A job is made of groups of 8 nodes, each group inside one rack. How many of the 130 free "
        "nodes can it use?",
        "nodes", _segments, _why_segments,
    ),
)  # fmt: skip
