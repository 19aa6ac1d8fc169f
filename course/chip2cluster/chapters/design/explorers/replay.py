"""Explorer of a run: sixty days on a map of the nodes, and the same days again after one decision was changed."""

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from chip2cluster import capstone, draw, scheduling
from chip2cluster.chapters.design.scenario import DESIGN, SCENARIO
from chip2cluster.draw.format import DAY, HOUR
from chip2cluster.draw.pictures.replay import strikes
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import Strip

NOTHING = "nothing"
SELDOM, WAITS = "a checkpoint every 2 h", "checkpoints that stop the job"
FEWER, LENT = "a quarter of the spares", "spares lent to others"
OTHER = "your other design"
STEPS = (*range(15), 16, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70)
CHANGES = (NOTHING, SELDOM, WAITS, FEWER, LENT)
ORDINARY, BAD = "an ordinary run", "a bad week"
RUNS = 21  # from which the ordinary one is chosen
SHOWN = 1.15  # of the expected days
LARGE = 14  # days round the worst week that are enlarged, while you stand in them
MOST_NODES = 8192


@lru_cache(maxsize=1)
def others():
    """Jobs of other users, who ask for most of 32 nodes."""
    return tuple(scheduling.generate(2000, 32, 1.5, seed=1, median_runtime=6 * HOUR))


@lru_cache(maxsize=64)
def _played(design, scenario, lent, seed, until):
    return capstone.play(design, scenario, seed, jobs=others() if lent else (), until=until)


def _changed(design, change):
    if change == SELDOM:
        return replace(design, checkpoint_interval=2 * HOUR)
    if change == WAITS:
        return replace(design, asynchronous=False)
    if change == FEWER:
        return replace(design, spares=(design.spares or 0) // 4)
    return design


@lru_cache(maxsize=8)
def _seeds(design, scenario):
    """Runs to be watched: one in the middle of some, and the one with the worst week."""
    found = {ORDINARY: capstone.play_many(design, scenario, RUNS).seed_at(50)}
    with suppress(ValueError):  # where nothing breaks in groups
        found[BAD] = capstone.bad_week(design, scenario)
    return found


class Replay(Explorer):
    """Watch a training for its days, nodes breaking and coming back; then change one decision and meet the same failures.

    Parameters
    ----------
    day : int
        Last day that is shown; 0 is the start.
    change : str
        The decision that is another in the second run: ``"nothing"``, ``"a checkpoint every 2 h"``, ``"checkpoints
        that stop the job"``, ``"a quarter of the spares"`` or ``"spares lent to others"``.
    luck : str or int
        ``"an ordinary run"``, ``"a bad week"`` in which a switch takes its nodes along, or the seed of a run.
    design : capstone.Design, optional
        Your own, with a ``scenario``: a capstone.Scenario, in whose ``failures`` switches break if there is to be a bad week.
    other : capstone.Design, optional
        The design of the second run, where you want to change something else.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, a design without its scenario, one that
        cannot run, one of more than 8,192 nodes, and a training of less than a day or more than a year.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.replay(30, change="a checkpoint every 2 h")
    >>> often, seldom = view.table
    >>> seldom["stops"] - often["stops"], seldom["lost (h)"] > 2 * often["lost (h)"]
    (0, True)
    """

    title = "Replay"
    extent = Extent(letters=340, rows=2)
    positional = ("day", "change", "luck")
    strip = Strip("day", {"change": (NOTHING, SELDOM, FEWER), "luck": (ORDINARY, BAD)}, steps=STEPS)

    def __init__(self, *given, design=None, scenario=None, other=None, **values):
        values = self._named(given, values)
        self._design, self._scenario = _given(design, scenario)
        expected = capstone.evaluate(self._design, self._scenario).seconds
        step = 5 if expected > 20 * DAY else 1
        self._days = step * ceil(SHOWN * expected / DAY / step)
        if self._design is DESIGN:
            self._days = max(self._days, STEPS[-1])  # the strip has all of them
        if not DAY <= expected <= 366 * DAY:
            raise ValueError(
                f"scenario must be a training of 1 to 366 days on this design, got {expected / DAY:,.2f} days"
            )
        self._seeds = dict(_seeds(self._design, self._scenario))
        luck = values.get("luck")
        if isinstance(luck, int) and not isinstance(luck, bool) and luck >= 0:
            self._seeds[f"run {luck}"] = luck
            values["luck"] = f"run {luck}"
        changes = tuple(change for change in CHANGES if change not in (FEWER, LENT) or self._design.spares)
        if not self._design.asynchronous:
            changes = tuple(change for change in changes if change != WAITS)
        self._designs = {change: _changed(self._design, change) for change in changes}
        if other is not None:
            self._designs = {NOTHING: self._design, OTHER: _given(other, self._scenario)[0], **self._designs}
        self.controls = (
            Slider(
                name="day", label="Day", options=tuple(range(self._days + 1)), default=min(10, self._days), plays=0.4
            ),
            Choice(
                name="change",
                label="The same days, but with",
                options=tuple(self._designs),
                default=OTHER if other is not None else FEWER if FEWER in self._designs else SELDOM,
            ),
            Choice(name="luck", label="Luck", options=tuple(self._seeds), default=BAD, prefer=(ORDINARY,)),
        )
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        seed, day, change = self._seeds[values["luck"]], values["day"], values["change"]
        until = self._days * DAY
        names = {"as designed": NOTHING} | ({} if change == NOTHING else {change: change})
        plays = {
            name: _played(self._designs[known], self._scenario, known == LENT, seed, until)
            for name, known in names.items()
        }
        design = self._design
        about = f"{design.nodes:,} nodes of {design.chips_per_node} × {design.accelerator.name}"
        worst = _worst_week(plays["as designed"]) if values["luck"] == BAD else None
        first, last = _axis(worst, day, self._days)
        picture = draw.replay(tuple(plays.values()), day, first=first, days=last, names=tuple(plays), subtitle=about)
        rows = tuple(_row(name, play, day) for name, play in plays.items())
        said = _say(plays, rows, day, self._scenario)
        if worst:
            said += f" The worst week begins on day {worst}."
        days = tuple((one, None) if first <= one <= last else None for one in range(self._days + 1))
        handle = Handle("day", days)
        return Frame(picture, Table(values["luck"], COLUMNS, rows, marked=len(rows) - 1), said, handles=(handle,))


def _given(design, scenario):
    if design is None and scenario is None:
        return DESIGN, SCENARIO
    if not isinstance(design, capstone.Design) or not isinstance(scenario, capstone.Scenario):
        raise TypeError(
            f"design and scenario must be a capstone.Design and a capstone.Scenario, got {design!r} and {scenario!r}"
        )
    outcome = capstone.evaluate(design, scenario)
    if not outcome.fits:
        raise ValueError(f"design cannot run: {outcome.problems[0].says}")
    if design.nodes + (design.spares or 0) > MOST_NODES:
        raise ValueError(
            f"design must have at most {MOST_NODES:,} nodes with its spares to be seen, got {design.nodes:,}"
        )
    return outcome.design, scenario


def _row(name, play, day):
    run = play.nodes_run
    now = min(day * DAY, run.played)
    counts = np.bincount(run.states_at(now), minlength=4)
    spent = [run.spent(kind, now) / HOUR for kind in ("lost", "restart", "wait")]
    stops = sum(strikes(play)[0][:day])
    share = 100 * float(play.tokens_at(now)) / play.outcome.scenario.tokens
    return name, share, stops, *spent, int(counts[2]), int(counts[1])


def _say(plays, rows, day, scenario):
    first = next(iter(plays.values()))
    last, name = list(plays.values())[-1], list(plays)[-1]
    stops, switches = strikes(last)
    parts = [_today(last, day)] if day else []
    times = sum(stops[:day])
    by = sum(switches[:day])
    parts.append(f"So far the job was stopped {times:,} times, {by:,} of them by a switch.")
    tokens = rows[0][1] / 100 * scenario.tokens / 1e12
    parts.append(
        f"As designed it has {tokens:.2f} of {scenario.tokens / 1e12:g} trillion tokens behind it{_done(first, day)}."
    )
    if len(plays) > 1 and day:
        share = rows[-1][1]
        late = _behind(first, last, day)
        other = "as far" if abs(late) < 0.05 else f"{abs(late):.1f} days {'behind' if late > 0 else 'ahead'}"
        parts.append(f"With {name} it has {share / 100 * scenario.tokens / 1e12:.2f}{_done(last, day)}, {other}.")
    return " ".join(parts)


def _axis(worst, day, days):
    """Where the axis begins and ends: two weeks round the worst one while the day lies there, else the whole run."""
    if worst is not None and days > LARGE:
        first = min(max(0, worst - LARGE // 2), days - LARGE)
        if first <= day <= first + LARGE:
            return first, first + LARGE
    return 0, days


def _worst_week(play):
    """The first day of the seven in which most time went without progress."""
    wasted = np.array([day.lost_seconds + day.restart_seconds + day.waiting_seconds for day in play.days])
    return int(np.convolve(wasted, np.ones(min(7, len(wasted))), "valid").argmax()) + 1


def _today(play, day):
    """What broke on this day, in words."""
    events = [event for event in play.events if (day - 1) * DAY <= event.time < day * DAY]
    nodes = [event.nodes[0] for event in events if event.kind == "node"]
    switches = [event for event in events if event.kind == "switch"]
    listed = ", ".join(f"{node:,}" for node in nodes[:4]) + (" …" if len(nodes) > 4 else "")
    many = f"{len(nodes)} node{'s' if len(nodes) != 1 else ''} broke" + (f" ({listed})" if nodes else "")
    taken = "".join(f", and a switch took nodes {event.nodes[0]:,} to {event.nodes[-1]:,} along" for event in switches)
    waits = sum(event.seconds for event in events if event.kind == "waits for nodes") / HOUR
    return f"On day {day}, {many}{taken}" + (
        f"; no spare was left, and the job waited {waits:.1f} h." if waits else "."
    )


def _done(play, day):
    done = play.finished and play.seconds <= day * DAY
    return f", all of them since day {play.seconds / DAY:.1f}" if done else ""


def _behind(first, last, day):
    """Days that the second run is behind: since when the first one has had as many tokens."""
    end = [min(day * DAY, play.nodes_run.played) for play in (first, last)]
    if all(play.finished and play.seconds <= day * DAY for play in (first, last)):
        return (last.seconds - first.seconds) / DAY
    ahead, behind = (first, last) if first.tokens_at(end[0]) >= last.tokens_at(end[1]) else (last, first)
    moments = np.arange(0, min(day * DAY, ahead.nodes_run.played) + 1, HOUR / 4)
    had = np.interp(float(behind.tokens_at(min(day * DAY, behind.nodes_run.played))), ahead.tokens_at(moments), moments)
    late = (min(day * DAY, ahead.nodes_run.played) - had) / DAY
    return late if ahead is first else -late


_tenths = "{:.1f}".format
COLUMNS = (
    Column("run"),
    Column("tokens", "%", _tenths),
    Column("stops"),
    Column("lost", "h", _tenths),
    Column("restarts", "h", _tenths),
    Column("waiting", "h", _tenths),
    Column("broken"),
    Column("idle"),
)
