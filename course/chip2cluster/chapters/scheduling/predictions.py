"""Questions on scheduling."""

from math import log

from chip2cluster import collectives, scheduling
from chip2cluster.predict.question import Question
from chip2cluster.utilization import HOUR

_WEEK = 7 * 24 * HOUR
_IMAGE, _NIC, _NODES = 12e9, 25e9, 1000


def _jobs(asked):
    """The machine of the question: two jobs run, one wants it all, and yours is behind it."""
    return [
        scheduling.Job(1, 0, 4, 6 * HOUR),
        scheduling.Job(2, 0, 4, 3 * HOUR),
        scheduling.Job(3, 0, 8, 4 * HOUR),
        scheduling.Job(4, 0, 2, asked, 2 * HOUR),
    ]


def _start():
    return scheduling.simulate(_jobs(4 * HOUR), 8, "easy").starts[4] / HOUR


def _why_start(truth):
    short = scheduling.simulate(_jobs(2.9 * HOUR), 8, "easy").starts[4] / HOUR
    return (
        f"From the third hour on four nodes are idle, and you want two of them. But the big job has been promised all eight for the sixth hour, and "
        f"four hours from the third run into that. So you wait for it to end: {truth:.0f} hours. With less than three hours asked for, you start after {short:.0f}."
    )


def _counted():
    return 10 * _WEEK / HOUR / log(2)


def _why_counted(truth):
    return (
        "Each GPU-hour fades, and new ones come. What is counted settles where as much fades as is added: at 10 GPUs times the half-life over "
        f"0.693, {truth:,.0f} GPU-hours. That is one week's use and a half, however many years it has been going on."
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
        f"One training takes five hours on average, a quarter more than without failures, and a chain with one of them {alone:.0f} hours. But the judge "
        f"waits for the unluckiest of eight, and that one has been tried twice or more in five of six pipelines: {truth:.1f} hours."
    )


def _storm():
    return _IMAGE / _NIC + collectives.time("broadcast", "tree", _IMAGE, _NODES, _NIC)


def _why_storm(truth):
    return (
        f"One node fetches the image in half a second. Then those that have it give it to those that don't, and their number doubles: ten rounds of "
        f"half a second each for {_NODES:,} nodes, {truth:.1f} s in all. The storage is asked once in place of a thousand times."
    )


def _wait():
    return scheduling.mean_wait(1, 0.9, 1.0)


def _why_wait(truth):
    return (
        f"On average you find nine jobs before you, and each takes one length: {truth:.0f} times. What is left free is what the queue "
        "has to drain with, so the wait goes as busy over free."
    )


QUESTIONS = (
    Question(
        "scheduling.start",
        "Eight nodes. Four of them are taken for six hours, the other four for three. A job that wants all eight for four hours is first in line. "
        "Yours comes next: two nodes. It takes two hours, and to be safe you asked for four. Nobody may delay the first in line. After how many "
        "hours do you start, if all use up their limits?",
        "hours", _start, _why_start,
    ),
    Question(
        "scheduling.counted",
        "A user has held ten GPUs, day and night, for years. Of usage one week old the scheduler counts half, of usage two weeks old a quarter, "
        "and so on. How many GPU-hours does it count?",
        "GPU-hours", _counted, _why_counted,
    ),
    Question(
        "scheduling.done",
        "A pipeline: an hour of preparation, then eight trainings of four hours at the same time, then an hour of judging all eight. Each training "
        "fails at its end with a chance of 20 %, and is then done again at once. How many hours does the whole take on average?",
        "hours", _done, _why_done,
    ),
    Question(
        "scheduling.storm",
        "A thousand nodes start a container of 12 GB. Each has a link of 25 GB/s, one way. If all ask the storage, which gives 50 GB/s, it takes four "
        "minutes. Now one node fetches the image, and each node that has it hands it on to one that has not, again and again. How many seconds "
        "until all have it?",
        "s", _storm, _why_storm,
    ),
    Question(
        "scheduling.wait",
        "One node works 90 % of its time. Jobs come when they like, one at a time, and are of all lengths (Poisson arrivals, exponential lengths), "
        "first come, first served. How many times as long as a job takes does it wait, on average?",
        "times", _wait, _why_wait,
    ),
)  # fmt: skip
