"""Task on a parser of the Standard Workload Format (SWF)."""

from typing import Any

from chip2cluster import scheduling
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

# Places of a line's numbers, from 0: submitted, waited, ran, got, CPU time, asked for, limit.
SUBMIT, WAIT, RAN, GOT, CPU, ASKED, LIMIT = 1, 2, 3, 4, 5, 7, 8


def read_log(text):
    """Of each job that ran: submission, nodes, limit and run time."""
    return [
        [int(job.submit), job.nodes, int(known("walltime", job.walltime)), int(known("runtime", job.runtime))]
        for job in scheduling.read_swf(text).jobs
    ]


def _line(generator, number, submit, **changed):
    ran = int(generator.integers(60, 9000))
    size = int(2 ** generator.integers(0, 7))
    values = {
        "submit": submit, "wait": int(generator.integers(1, 5000)), "ran": ran, "got": size,
        "cpu": f"{ran * float(generator.uniform(0.4, 0.9)):.2f}", "asked": size,
        "limit": 60 * int(generator.integers(ran // 60 + 2, 4 * ran // 60 + 9)),
    } | changed  # fmt: skip
    return (
        f"{number} {values['submit']} {values['wait']} {values['ran']} {values['got']} {values['cpu']} -1 {values['asked']} "
        f"{values['limit']} -1 {changed.get('status', 1)} {int(generator.integers(1, 99))} {int(generator.integers(1, 99))} -1 1 -1 -1 -1"
    )


def _log(lines):
    return {"text": "; Version: 2.2\n; MaxProcs: 128\n" + "\n".join(lines) + "\n"}


def _lines(generator, count):
    """A log with a cancelled job, one killed over its limit, one that got more than it asked for, and one the other way round."""
    moments = sorted(int(moment) for moment in generator.integers(0, 90_000, count))
    odd: list[dict[str, Any]] = [
        {"ran": -1, "cpu": "-1", "status": 5}, {"ran": 1900, "limit": 1800}, {"got": 16, "asked": 9},
        {"got": 8, "asked": 12}, {"got": -1, "asked": -1, "ran": 7, "status": 5},
    ]  # fmt: skip
    changes = odd + [{}] * (count - len(odd))
    generator.shuffle(changes)
    return [
        _line(generator, number, moment, **changed)
        for number, (moment, changed) in enumerate(zip(moments, changes, strict=True), 11)
    ]


def _logs(generator):
    # Three jobs, of which one was cancelled. It is the one that a student sees.
    hand = _log([
        "1 0 30 100 8 90.5 -1 8 3600 -1 1 3 1 -1 1 -1 -1 -1", "2 60 5 -1 -1 -1 -1 4 600 -1 5 3 1 -1 1 -1 -1 -1",
        "3 90 700 1900 16 1700.0 -1 12 1800 -1 5 7 1 -1 1 -1 -1 -1",
    ])  # fmt: skip
    # Two come in the same second, the larger first, and one is gone before it has run for a second.
    twins = _log([
        _line(generator, 1, 500, got=64, asked=64), _line(generator, 2, 500, got=8, asked=8),
        _line(generator, 3, 600, ran=0, cpu="0.00"),
    ])  # fmt: skip
    return [hand, twins, *(_log(_lines(generator, count)) for count in (9, 12, 15))]


def _edges(generator):
    unknown = [_line(generator, 1, 5, limit=-1), _line(generator, 2, 50, asked=-1), _line(generator, 3, 60, got=-1)]
    note = _line(generator, 4, 90)
    return [_log(unknown), {"text": f"; UnixStartTime: 0\n\n{note}\n; end of the log\n"}]


def _like(size=lambda row: max(row[GOT], row[ASKED]), limit=lambda row: max(row[LIMIT], row[RAN]), ran=RAN, begin=lambda row: row[SUBMIT],
          keep=lambda row: row[RAN] > 0 and max(row[GOT], row[ASKED]) > 0, order=(0, 1, 2, 3)):  # fmt: skip
    def wrong(text):
        rows = [
            [float(word) for word in line.split()] for line in text.splitlines() if line and not line.startswith(";")
        ]
        found = [[begin(row), size(row), limit(row), row[ran]] for row in rows if keep(row)]
        return [[int(row[place]) for place in order] for row in found]

    return wrong


READ = Exercise(
    id="lab.scheduling.read_log",
    title="Read the log",
    signature="read_log(text)",
    unit="",
    graded=True,
    points=4,
    reference=read_log,
    groups=(
        Group("logs", 0.8, _logs),
        Group("unknown numbers", 0.2, _edges, advice="A limit or a size may be -1, which means unknown. Comments and empty lines may be anywhere."),
    ),
    hints=(
        "A line that begins with ; is a comment. Split the others into their 18 numbers, and find the columns that you need.",
        "Nodes: the larger of the 5th and the 8th number. Limit: the larger of the 9th and the run time. Leave out jobs without run time or "
        "without nodes.",
        "Go through the lines, skip comments and empty ones, and turn the words into numbers. The columns are numbered from 1, list indices from 0.",
    ),
    explanation="Some columns hold what was requested, others what happened, and -1 means unknown: decide which a replay needs.",
    mistakes=(
        Mistake("cancelled jobs", _like(keep=lambda row: True), "You kept jobs that never ran: their run time or their nodes are not above zero."),
        Mistake("a run of no time", _like(keep=lambda row: row[RAN] >= 0 and max(row[GOT], row[ASKED]) > 0), "You kept a job whose run time is 0. It "
                "held nothing: leave out jobs whose run time is not above zero."),
        Mistake("a job without nodes", _like(keep=lambda row: row[RAN] > 0), "You kept a job that neither got nodes nor asked for any. Leave it out."),
        Mistake("sorted", lambda text: sorted(read_log(text)), "You sorted the rows. They stay in the order of the log, also of jobs of the same second."),
        Mistake("got alone", _like(size=lambda row: row[GOT]), "You took the processors that a job got. Take the larger of those and what it asked for."),
        Mistake("asked alone", _like(size=lambda row: row[ASKED]), "You took the processors that a job asked for. Take the larger of those and what it got."),
        Mistake("the limit as it stands", _like(limit=lambda row: row[LIMIT]), "A job ran longer than your limit for it. It held its nodes for that long, so "
                "the limit is at least the run time."),
        Mistake("time of the CPU", _like(ran=CPU), "You took the CPU time. Nodes are held for the run time, the 4th number."),
        Mistake("after the wait", _like(begin=lambda row: row[SUBMIT] + row[WAIT]), "You took the time at which the job started on the real machine. Your replay "
                "decides that itself: take the submit time."),
        Mistake("the wait as run time", _like(ran=WAIT), "You took the wait for the run time. Count the columns from 1: the run time is the 4th."),
        Mistake("another order", _like(order=(0, 1, 3, 2)), "You gave the run time before the limit. The order is submit, nodes, walltime, runtime."),
        Mistake("completed alone", _like(keep=lambda row: row[10] == 1), "You left out jobs that did not end well. They held their nodes all the same."),
        Mistake("completed alone, of those that ran", _like(keep=lambda row: row[10] == 1 and row[RAN] > 0 and max(row[GOT], row[ASKED]) > 0), "You left "
                "out jobs that ran and did not end well. They held their nodes all the same."),
        Mistake("minutes", lambda text: [[a / 60, b, c / 60, d / 60] for a, b, c, d in read_log(text)], "Your times are in minutes. The log counts "
                "seconds.", v.UNIT),
    ),
)  # fmt: skip
