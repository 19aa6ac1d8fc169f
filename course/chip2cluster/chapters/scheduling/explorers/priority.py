"""Explorer of priorities: three users with a past, how fast it decays, and who is first then."""

from functools import lru_cache
from typing import Any

from chip2cluster import draw, scheduling
from chip2cluster._validate import one_positive
from chip2cluster.draw.format import span
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import parse

HOUR, DAY = 3600.0, 86400.0
NODES = 4
LOOK, SEEN = 900.0, 1800.0  # seconds between two looks of the scheduler, and between two points of a line
SIMULATED, RECORDED = "a day, simulated", "a real Slurm, recorded"
NEVER = "never"
USED = {"alice": 48, "bob": 12, "carol": 0}  # node-hours, of the days before
# Whose, submitted after so many hours, nodes, hours: each asks for what it takes.
LINES = (
    ("alice", 0, 4, 2), ("alice", 0.5, 2, 3), ("bob", 0.5, 4, 2), ("alice", 1, 4, 2), ("carol", 1, 4, 3), ("bob", 1.5, 2, 3),
    ("alice", 2, 4, 2), ("bob", 2, 4, 2), ("carol", 4, 2, 4), ("bob", 6, 4, 2),
)  # fmt: skip
JOBS = tuple(
    scheduling.Job(number, HOUR * submit, nodes, HOUR * hours, user=user)
    for number, (user, submit, nodes, hours) in enumerate(LINES, 1)
)
HALF_LIVES: tuple[Any, ...] = (
    *(HOUR * hours for hours in (1, 3, 6, 12)),
    *(DAY * days for days in (1, 2, 7, 14)),
    NEVER,
)
WEIGHTS = (0, 1000, 2000, 5000, 10000)
AGE_MAX = DAY


def in_seconds(time):
    """A time as a caller may write it, for ``parse``: seconds, or a text with its unit."""
    return parse(time, "s") if isinstance(time, str) and time != NEVER else time


class Priority(Explorer):
    """Give three users a past, choose how fast it decays, and watch whose jobs come first.

    Four nodes, and three users with equal shares: before the day begins alice has used 48 node-hours, bob 12 and
    carol none, unless you say otherwise.

    Parameters
    ----------
    half_life : float or str
        Half-life of past usage: seconds, a text such as ``"6 h"``, or ``"never"``.
    fairshare : int
        Weight of the fair share, 0 to 10,000.
    age : int
        Weight of the age, likewise.
    shown : str
        ``"a day, simulated"``, or ``"a real Slurm, recorded"``: seven jobs on a Slurm with its own weights.
    used : dict, optional
        Node-hours of alice, bob and carol before the day: ``{"alice": 0, "carol": 100}``; ours for whom it does not name.
    **values
        Start values of the other controls: ``job_size``, the weight of that factor.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, another user, and negative usage.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.priority("never", fairshare=10000)
    >>> [row["starts (h)"] for row in view.table if row["job"] == "alice 2"]
    [15.0]
    """

    title = "Priority explorer"
    extent = Extent(letters=340, rows=10)
    positional = ("half_life", "fairshare", "age")
    strip = Strip("half_life", {"fairshare": (0, 1000, 10000), "age": (0, 1000, 10000)})
    controls = ()

    def __init__(self, *given, used=None, **values):
        values = self._named(given, values)
        self._used = _past(used)
        half_life = in_seconds(values.get("half_life", DAY))
        own = {half_life} if isinstance(half_life, (int, float)) and half_life > 1 else set()
        self.controls = _controls((*sorted({*HALF_LIVES[:-1], *own}), NEVER))
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        return _recorded() if values["shown"] == RECORDED else _simulated(values, self._used)


def _controls(half_lives):
    def free(options, kept):
        return lambda values: (kept,) if values["shown"] == RECORDED else options

    def why(_, values):
        return "the recording has its own" if values["shown"] == RECORDED else ""

    weight: dict[str, Any] = {"why": why, "text": "{:,}".format}
    return (
        Choice(name="shown", label="Show", options=(SIMULATED, RECORDED), default=SIMULATED, more=True),
        Slider(
            name="half_life", label="Half-life of past usage", options=free(half_lives, HOUR), default=DAY,
            text=lambda time: time if time == NEVER else span(time), parse=in_seconds, why=why,
        ),
        Slider(name="fairshare", label="Weight of the fair share", options=free(WEIGHTS, 10000), default=10000, **weight),
        Slider(name="age", label="Weight of the age", options=free(WEIGHTS, 1000), default=1000, **weight),
        Slider(name="job_size", label="Weight of the size", options=free(WEIGHTS, 1000), default=0, more=True, **weight),
    )  # fmt: skip


def _past(used):
    """Node-hours of each user before the day, as pairs."""
    if used is not None and not isinstance(used, dict):
        raise TypeError(f"used must map users to node-hours, got {used!r}")
    if unknown := [user for user in used or () if user not in USED]:
        raise ValueError(f"used must name {', '.join(USED)}, got {unknown[0]!r}")
    return tuple(
        (user, one_positive(f"used[{user!r}]", (used or {}).get(user, own), allow_zero=True))
        for user, own in USED.items()
    )


def _simulated(values, used):
    weights = scheduling.Weights(
        age=values["age"], fairshare=values["fairshare"], job_size=values["job_size"], age_max=AGE_MAX
    )
    half_life = None if values["half_life"] == NEVER else values["half_life"]
    schedule, series = _day(weights, half_life, used)
    names = {job.id: _name(job) for job in JOBS}
    rows = tuple(
        (
            names[job.id], job.nodes, job.submit / HOUR, schedule.starts[job.id] / HOUR,
            (schedule.starts[job.id] - job.submit) / HOUR, *_ends(series, names[job.id]),
        )
        for job in JOBS
    )  # fmt: skip
    waits = {user: _mean(rows, user) for user in USED}
    longest = [user for user in USED if waits[user] == max(waits.values())]
    forgets = "No decay of past usage" if half_life is None else f"Half-life of past usage {span(half_life)}"
    subject = f"{forgets}; weights {values['fairshare']:,} fair share, {values['age']:,} age"
    most = max(values["fairshare"] + values["age"] + values["job_size"], 1)
    picture = draw.priorities(
        series,
        title=_finding(longest, max(waits.values()), values),
        groups={name: name.split()[0] for name in series},
        waits=longest,
        until=LAST,
        most=most,
    )
    return Frame(picture, Table(subject, COLUMNS, rows), _say(schedule, waits, half_life))


@lru_cache(maxsize=256)
def _day(weights, half_life, used):
    """The schedule of the day, and the priorities of the waiting jobs, every half hour."""
    tree = scheduling.Share("root", children=[scheduling.Share(user, usage=HOUR * hours) for user, hours in used])
    rule = scheduling.Fairshare(tree, half_life=half_life, period=LOOK)
    schedule = scheduling.simulate(JOBS, NODES, "multifactor_easy", weights, fairshare=rule)
    names = {job.id: _name(job) for job in JOBS}
    series: dict[str, list[Any]] = {}
    for step in range(int(max(schedule.starts.values()) / SEEN) + 1):
        for job, value in schedule.priorities_at(step * SEEN).items():
            series.setdefault(names[job], []).append((step * SEEN, value))
    return schedule, {name: tuple(series[name]) for name in names.values() if name in series}


def _name(job):
    """Whose it is, and which of his jobs."""
    mine = [one.id for one in JOBS if one.user == job.user]
    return f"{job.user} {mine.index(job.id) + 1}"


def _ends(series, name):
    """The first and the last priority of a job that waits."""
    points = series.get(name)
    return (float("nan"), float("nan")) if points is None else (float(points[0][1]), float(points[-1][1]))


def _mean(rows, user):
    waits = [row[4] for row in rows if row[0].split()[0] == user]
    return sum(waits) / len(waits)


def _finding(longest, wait, values):
    """Say whose jobs wait longest, and what counts most in the priority."""
    who = " and ".join(longest)
    verb = "waits" if len(longest) == 1 else "wait"
    weight, why = max(
        (values["fairshare"], "past usage weighs most"),
        (values["age"], "age weighs most"),
        (values["job_size"], "size weighs most"),
        key=lambda pair: pair[0],
    )
    return (
        f"{who.capitalize()} {verb} longest, {wait:.3g} h on average: {why if weight else 'first come, first served'}"
    )


def _say(schedule, waits, half_life):
    noon = schedule.usage_at(DAY / 2)
    used = ", ".join(f"{user} {usage / HOUR:.3g}" for user, usage in noon.usage.items())
    return (
        f"Mean waits: {', '.join(f'{user} {wait:.1f} h' for user, wait in waits.items())}. After 12 hours the scheduler still "
        f"counts {used} node-hours; shares are equal, so the factors are "
        f"{', '.join(f'{user} {factor:.2f}' for user, factor in noon.factors.items())}."
    )


@lru_cache(maxsize=1)
def _recorded():
    samples = scheduling.recorded_priorities()
    series: dict[str, list[Any]] = {}
    groups = {}
    for one in samples:
        name = f"job {one.job} ({one.user})"
        groups[name] = one.user
        series.setdefault(name, []).append((one.time_s, one.priority))
    order = sorted(series, key=lambda name: -series[name][-1][1])
    rows = tuple(
        (
            name,
            series[name][0][0],
            series[name][-1][0],
            float(series[name][0][1]),
            float(series[name][-1][1]),
        )
        for name in order
    )
    alice = [one for one in scheduling.recorded_shares() if one.user == "alice"]
    rises = next(one for one in samples if one.job == 6 and one.age > samples[0].age)
    title = "Ages count up once a minute, and usage lands with them"
    picture = draw.priorities(series, title=title, subtitle="sprio on Slurm 22.05.8, every ten seconds", groups=groups)
    sentence = (
        f"Recorded, not simulated: a line ends where its job starts. Alice's usage grew from {alice[0].raw_usage:,.0f} to "
        f"{max(one.raw_usage for one in alice):,.0f} CPU-seconds meanwhile; nothing moved until the look at {rises.time_s:g} s."
    )
    return Frame(picture, Table("", RECORD, rows, note="Priorities as sprio printed them"), sentence)


LAST = 24 * HOUR
_hours = "{:.3g}".format
_points = lambda value: "–" if value != value else f"{value:,.0f}"
COLUMNS = (
    Column("job"),
    Column("nodes"),
    Column("submitted", "h", _hours),
    Column("starts", "h", _hours),
    Column("waits", "h", _hours),
    Column("priority at first", text=_points),
    Column("at last", text=_points),
)
RECORD = (
    Column("job"),
    Column("seen from", "s", _hours),
    Column("until", "s", _hours),
    Column("priority at first", text=_points),
    Column("at last", text=_points),
)
