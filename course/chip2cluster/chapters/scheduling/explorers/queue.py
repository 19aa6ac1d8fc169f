"""Explorer of a queue: who runs when, what is reserved for whom, and why each job waits."""

import re
from dataclasses import replace
from typing import Any

from chip2cluster import draw, scheduling
from chip2cluster._validate import one_whole
from chip2cluster.draw.format import span
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import parse

MINUTE = 60.0
END = "the end"
AT_ONCE, LATE = "at once", "a second late"
POLICIES = ("fcfs", "sjf", "easy", "conservative", "conservative_compress")
NODES, YOURS = 6, 6
# Submitted at, nodes, asked for and really taken, minutes. The first hole that job 6 can have is 70 minutes long.
LINES = (
    (0, 3, 90, 45), (0, 1, 40, 40), (5, 6, 20, 20), (10, 1, 79, 40), (15, 2, 20, 20), (20, 1, 60, 20), (25, 3, 20, 20),
    (30, 2, 80, 40), (35, 4, 20, 5),
)  # fmt: skip
JOBS = tuple(
    scheduling.Job(number, MINUTE * submit, nodes, MINUTE * asked, MINUTE * takes)
    for number, (submit, nodes, asked, takes) in enumerate(LINES, 1)
)
WALLTIMES = tuple(MINUTE * minutes for minutes in (20, 30, 40, 50, 60, 69, 70, 80, 100, 120))
MOST_JOBS, MOST_NODES, MOMENTS = 24, 64, 36


def in_seconds(time):
    """A time as a caller may write it, for ``parse``: seconds, or a text with its unit."""
    return parse(time, "s") if isinstance(time, str) and time != END else time


class Queue(Explorer):
    """Put one list of jobs under five policies, look at any moment, and ask each job why it waits.

    Nine jobs on six nodes, unless you bring your own; the walltime of one of them, yours, is in your hand.

    Parameters
    ----------
    policy : str
        "fcfs", "sjf", "easy", "conservative" or "conservative_compress", as `scheduling.policies`.
    walltime : float or str
        Time limit of your job: seconds, or a text such as ``"70 min"``.
    moment : float or str
        Present time: seconds, a text such as ``"40 min"``, or ``"the end"`` for the whole schedule.
    jobs : iterable of scheduling.Job, optional
        Up to 24 of your own, on up to 64 ``nodes``.
    yours : int or str, optional
        Id of your job; by default the first that waits.
    **values
        Start values of the other controls: ``backfill`` (``"at once"`` or ``"a second late"``).

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, more jobs or nodes than can be seen, and a job
        that is not among them.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.queue("easy", walltime="80 min", moment="40 min")
    >>> [row["starts in the end (min)"] for row in view.table if row["job"] == "6, yours"]
    [85.0]
    >>> [row["starts in the end (min)"] for row in view.set(walltime=3600).table if row["job"] == "6, yours"]
    [20.0]
    """

    title = "Queue explorer"
    extent = Extent(letters=680)
    positional = ("policy", "walltime", "moment")
    strip = Strip(
        "moment",
        {"policy": POLICIES, "walltime": tuple(MINUTE * m for m in (20, 30, 40, 60, 69, 70, 80)), "backfill": ALL},
        steps=(*(MINUTE * m for m in range(0, 131, 10)), END),
    )  # fmt: skip

    def __init__(self, *given, jobs=None, nodes=None, yours=None, **values):
        values = self._named(given, values)
        self._jobs, self._nodes, self._yours = _given(jobs, nodes, yours)
        own = next(job.walltime for job in self._jobs if job.id == self._yours)
        walltimes = {own, *(WALLTIMES if jobs is None else (own * share for share in (0.25, 0.5, 0.75, 1.5, 2)))}
        if isinstance(asked := in_seconds(values.get("walltime", own)), (int, float)) and asked > 0:
            walltimes.add(float(asked))
        lasts = [self._last(policy, asked) for policy in POLICIES for asked in (own, max(walltimes))]
        end, self._end = (max(times) for times in zip(*lasts, strict=True))
        step = 5 * MINUTE if jobs is None else end / MOMENTS
        moments = {step * number for number in range(int(end / step) + 1)}
        stand = in_seconds(values.get("moment", END))
        if isinstance(stand, (int, float)) and not isinstance(stand, bool) and 0 <= stand <= end:
            moments.add(float(stand))
        self.controls = _controls(own, tuple(sorted(walltimes)), (*sorted(moments), END), jobs is None)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        policy, moment, walltime = values["policy"], values["moment"], values["walltime"]
        schedule = self._schedule(policy, walltime, values["backfill"])
        ended = moment == END
        at = self._end if ended else moment
        picture = draw.schedule(
            schedule,
            at=None if ended else moment,
            until=self._end,
            subtitle=f"{len(self._jobs)} jobs on {self._nodes} nodes; yours is job {self._yours}",
        )
        rows = tuple(self._row(schedule, job, at) for job in schedule.jobs)
        marked = next(place for place, job in enumerate(schedule.jobs) if job.id == self._yours)
        caption = f"{policy}; job {self._yours} asks for {span(walltime)}"
        moments = self._choices("moment", values)
        handle = Handle("moment", tuple((self._end if one == END else one, None) for one in moments))
        table, say = (
            Table(caption, COLUMNS, rows, marked=marked, keys=tuple(f"{job.id}" for job in schedule.jobs)),
            self._say(schedule, values),
        )
        return Frame(picture, table, say, handles=(handle,))

    def _schedule(self, policy, walltime, backfill):
        jobs = [replace(job, walltime=walltime) if job.id == self._yours else job for job in self._jobs]
        return scheduling.simulate(jobs, self._nodes, policy, backfill_delay=1.0 if backfill == LATE else 0.0)

    def _last(self, policy, walltime):
        """When the last job ends, and the last place in the plan that there ever is."""
        schedule = self._schedule(policy, walltime, AT_ONCE)
        planned = (place.end for job in schedule.jobs for place in schedule.reservations_at(job.submit))
        end = max(schedule.ends.values())
        return end, max((end, *planned))

    def _row(self, schedule, job, at):
        start = schedule.starts.get(job.id)
        return (
            f"{job.id}, yours" if job.id == self._yours else f"{job.id}",
            job.nodes,
            job.submit / MINUTE,
            job.walltime / MINUTE,
            float("nan") if start is None else start / MINUTE,
            _state(schedule.why(job.id, at)),
        )

    def _say(self, schedule, values):
        if values["moment"] != END:
            return self._waiting(schedule, values["moment"])
        mine = schedule.starts.get(self._yours)
        submit = next(job.submit for job in schedule.jobs if job.id == self._yours)
        waits = {
            policy: self._schedule(policy, values["walltime"], _late(values["backfill"], policy)).metrics().mean_wait
            for policy in POLICIES
        }
        own = "never starts" if mine is None else "does not wait" if mine == submit else f"waits {span(mine - submit)}"
        others = ", ".join(f"{span(wait)} under {name}" for name, wait in waits.items() if name != values["policy"])
        return (
            f"Your job {self._yours} asks for {span(values['walltime'])} and {own}. On average the jobs wait "
            f"{span(waits[values['policy']])}; {others}."
        )

    def _waiting(self, schedule, moment):
        """Why each job waits, the reader's own first; jobs that wait for one reason share a sentence."""
        waiting = [schedule.jobs[number].id for number in schedule.snapshot_at(moment).queue]
        if self._yours not in waiting:
            waiting.insert(0, self._yours)
        return _once(schedule.why(job, moment) for job in sorted(waiting, key=lambda job: job != self._yours))


def _controls(own, walltimes, moments, ours):
    clock = (lambda moment: f"{moment / MINUTE:g} min") if ours else span

    def passes(values):
        return (AT_ONCE,) if values["policy"] == "conservative_compress" else (AT_ONCE, LATE)

    def guaranteed(_, values):
        return "guarantees are given at once" if values["policy"] == "conservative_compress" else ""

    return (
        Choice(name="policy", label="Policy", options=POLICIES, default="conservative"),
        Slider(name="walltime", label="Your job asks for", options=walltimes, default=own, text=span, parse=in_seconds),
        Slider(
            name="moment", label="Look at", plays=0.6, options=moments, default=40 * MINUTE if ours else moments[len(moments) // 3],
            text=lambda moment: moment if moment == END else clock(moment), parse=in_seconds,
        ),
        Choice(
            name="backfill", label="The backfill runs", options=passes, default=AT_ONCE, why=guaranteed, more=True
        ),
    )  # fmt: skip


def _late(backfill, policy):
    return AT_ONCE if policy == "conservative_compress" else backfill


def _given(jobs, nodes, yours):
    """The list, the machine and the reader's job, ours where they are not given."""
    listed = JOBS if jobs is None else tuple(jobs)
    count = one_whole("nodes", NODES if nodes is None else nodes)
    if not 1 <= len(listed) <= MOST_JOBS:
        raise ValueError(f"jobs must be 1 to {MOST_JOBS}, got {len(listed)}")
    if count > MOST_NODES:
        raise ValueError(f"nodes must be at most {MOST_NODES}, got {nodes!r}")
    schedule = scheduling.simulate(listed, count, "fcfs", strict=True)
    late = [job.id for job in listed if schedule.starts.get(job.id, job.submit) > job.submit]
    mine = yours if yours is not None else YOURS if jobs is None else (late or [listed[0].id])[0]
    if mine not in {job.id for job in listed}:
        raise ValueError(
            f"yours must be the id of one of the jobs, {', '.join(str(job.id) for job in listed)}; got {yours!r}"
        )
    return listed, count, mine


def _state(why):
    """What ``squeue`` would show of a job: its reason where it waits, else how it stands.

    >>> _state("Job 6 has been running since 20 min."), _state("Job 3 needs 6 nodes and 1 is free (Resources).")
    ('RUNNING', 'Resources')
    """
    word = re.search(r"\((\w+)\)\.$", why)
    return word[1] if word else "RUNNING" if " running since " in why else "not submitted yet"


def _once(sentences):
    """Say once what several jobs wait for, with the list of the jobs and, where they differ, of their nodes.

    >>> _once(["Job 6 fits the 2 free nodes (None).", "Job 3 needs 6 nodes (Resources).", "Job 4 fits the 2 free nodes (None)."])
    'Each of jobs 6 and 4 fits the 2 free nodes (None). Job 3 needs 6 nodes (Resources).'
    >>> _once(["Job 7 needs 3 nodes and none is free (Priority).", "Job 8 needs 1 node and none is free (Priority)."])
    'Jobs 7 and 8 need 3 and 1 nodes and none is free (Priority).'
    """
    groups: dict[tuple[bool, str], list[tuple[str, str, str]]] = {}
    for sentence in sentences:
        _, job, rest = sentence.split(" ", 2)
        needs = re.fullmatch(r"needs (\d+) nodes?( .+\(Priority\)\.)", rest)
        key = (True, needs[2]) if needs else (False, rest)
        groups.setdefault(key, []).append((job, needs[1] if needs else "", sentence))
    return " ".join(_together(needs, rest, *zip(*jobs, strict=True)) for (needs, rest), jobs in groups.items())


def _together(needs, rest, jobs, nodes, sentences):
    if len(jobs) == 1:
        return sentences[0]
    if not needs:
        return f"Each of jobs {_listed(jobs)} {rest}"
    each = f"{nodes[0]} node{'s' * (nodes[0] != '1')} each" if len(set(nodes)) == 1 else f"{_listed(nodes)} nodes"
    return f"Jobs {_listed(jobs)} need {each}{rest.replace('its reservation is', 'the reservation of each is')}"


def _listed(words):
    return f"{', '.join(words[:-1])} and {words[-1]}"


_minutes = lambda time: "never" if time != time else f"{time:,.4g}"
COLUMNS = (
    Column("job"),
    Column("nodes"),
    Column("submitted", "min", _minutes),
    Column("asks for", "min", _minutes),
    Column("starts in the end", "min", _minutes),
    Column("state"),
)
