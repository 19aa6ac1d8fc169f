"""Work that a run has saved when its failures come at known moments."""

from itertools import pairwise
from math import floor

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR = 60.0, 3600.0


def hours_saved(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
    """Hours of work whose dump was finished by the end."""
    moments = [moment * HOUR for moment in failures_hours]
    times = (interval_minutes * MINUTE, dump_minutes * MINUTE, restart_minutes * MINUTE)
    return reliability.work_saved(moments, end_hours * HOUR, *times) / HOUR


def _clear(case):
    """Whether no segment ends near to a failure or to the end of the count."""
    segment = case["interval_minutes"] + case["dump_minutes"]
    moments = [0.0, *(60 * hours for hours in case["failures_hours"]), 60 * case["end_hours"]]
    for place, (before, after) in enumerate(pairwise(moments)):
        for start in (before, before + (case["restart_minutes"] if place else 0.0)):
            for step in (segment, case["interval_minutes"]):
                rest = (after - start) / step % 1
                if min(rest, 1 - rest) < 0.03:
                    return False
    return True


def _run(generator, failures, quick=False):
    """Failures spread over a run; with ``quick`` one of them comes while the job restarts."""

    def draw():
        end = round(float(generator.uniform(30, 60)), 1)
        moments = sorted(round(float(moment), 2) for moment in generator.uniform(1, end - 1, failures))
        restart = round(float(generator.uniform(12, 40)), 0)
        if quick:
            moments = sorted([*moments, round(moments[0] + 0.6 * restart / 60, 2)])
        return {
            "failures_hours": moments,
            "end_hours": end,
            "interval_minutes": round(float(generator.uniform(25, 95)), 0),
            "dump_minutes": round(float(generator.uniform(3, 15)), 0),
            "restart_minutes": restart,
        }

    return draw_until(lambda case: _clear(case) and _is_struck(case) == quick, draw)


def _is_struck(case):
    """Whether a failure strikes a restart; None where it does and some wrong rule for that saves as much."""
    gaps = [after - before for before, after in pairwise(case["failures_hours"])]
    if all(60 * gap > case["restart_minutes"] for gap in gaps):
        return False
    return True if hours_saved(**case) not in (_one_after_the_other(**case), _in_a_row(**case)) else None


def _runs(generator):
    # Segments of an hour, one failure. It is the one that a student sees.
    easy = {
        "failures_hours": [4.25], "end_hours": 10.75, "interval_minutes": 50.0, "dump_minutes": 10.0, "restart_minutes": 36.0,
    }  # fmt: skip
    return [easy, *(_run(generator, failures) for failures in (3, 5, 8, 6, 10))]


def _edges(generator):
    none = _run(generator, 1)
    return [{**none, "failures_hours": []}, _run(generator, 2, quick=True), _run(generator, 4, quick=True)]


def _stretches(failures, end, restart):
    """Times in which the job runs, minutes."""
    moments = [0.0, *(60 * hours for hours in failures), 60 * end]
    for place, (before, after) in enumerate(pairwise(moments)):
        yield max(after - before - (restart if place else 0.0), 0.0)


def _by(count):
    """Work saved by another rule: minutes for the stretches, interval and dump."""

    def wrong(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
        stretches = list(_stretches(failures_hours, end_hours, restart_minutes))
        return count(stretches, interval_minutes, dump_minutes) / 60

    return wrong


def _segments(running, length):
    return floor(running / length)


def _always_restarts(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
    moments = [0.0, *(60 * hours for hours in failures_hours), 60 * end_hours]
    gaps = [after - before - restart_minutes for before, after in pairwise(moments)]
    return sum(_segments(max(gap, 0), interval_minutes + dump_minutes) for gap in gaps) * interval_minutes / 60


def _one_after_the_other(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
    """A restart that is struck goes on all the same: time left after the failure before."""
    saved, back = 0, 0.0
    for moment in [*(60 * hours for hours in failures_hours), 60 * end_hours]:
        if moment >= back:
            saved += _segments(moment - back, interval_minutes + dump_minutes)
            back = moment + restart_minutes
    return saved * interval_minutes / 60


def _in_a_row(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
    """A restart that is struck is finished first, then comes another whole one."""
    saved, back = 0, 0.0
    for moment in [*(60 * hours for hours in failures_hours), 60 * end_hours]:
        saved += _segments(max(moment - back, 0.0), interval_minutes + dump_minutes)
        back = max(moment, back) + restart_minutes
    return saved * interval_minutes / 60


SAVED = Exercise(
    id="lab.storage.hours_saved",
    title="Play the run",
    signature="hours_saved(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes)",
    unit="hours",
    graded=True,
    points=5,
    reference=hours_saved,
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="There may be no failure at all, and a failure may strike a restart: then the restart begins anew.",
        ),
    ),
    hints=(
        "Between two failures nothing else is remembered: go from failure to failure, and count what was saved in each stretch.",
        "After a failure the first restart_minutes of a stretch are gone. What is left holds so many whole segments of work and dump.",
        "Stretches end at each failure and at end_hours. Of each count only whole segments, and of a segment only the work; a stretch that is shorter than the restart counts 0.",
    ),
    explanation="A run remembers nothing but its last whole dump: that is why the times between failures are all that matters.",
    mistakes=(
        Mistake(
            "work in progress",
            _by(
                lambda runs, work, dump: sum(
                    _segments(run, work + dump) * work + min(run % (work + dump), work) for run in runs
                )
            ),
            "You count work that no dump has saved yet. A failure takes it, and at the end it is not safe: whole segments alone.",
        ),
        Mistake(
            "work without its dump",
            _by(
                lambda runs, work, dump: sum(
                    (_segments(run, work + dump) + (run % (work + dump) > work)) * work for run in runs
                )
            ),
            "You count an interval as soon as its work is done. It is saved when its dump is finished.",
        ),
        Mistake(
            "dumps as work",
            _by(lambda runs, work, dump: sum(_segments(run, work + dump) for run in runs) * (work + dump)),
            "You count the dumps as work. A segment brings interval_minutes of work.",
        ),
        Mistake(
            "dumps for nothing",
            _by(lambda runs, work, dump: sum(_segments(run, work) for run in runs) * work),
            "Your dumps take no time. A segment is an interval and a dump.",
        ),
        Mistake(
            "restarts for nothing",
            lambda restart_minutes, **run: hours_saved(restart_minutes=0.0, **run),
            "Your restarts take no time.",
        ),
        Mistake(
            "a restart at the start",
            _always_restarts,
            "You restart at the very beginning as well. Only a failure costs a restart.",
        ),
        Mistake(
            "until the last failure",
            _by(lambda runs, work, dump: sum(_segments(run, work + dump) for run in runs[:-1]) * work),
            "You stop at the last failure. The run goes on until end_hours.",
        ),
        Mistake(
            "after the last failure alone",
            _by(lambda runs, work, dump: _segments(runs[-1], work + dump) * work),
            "You let a failure take everything. What was dumped before it is safe.",
        ),
        Mistake(
            "nothing is lost",
            _by(lambda runs, work, dump: _segments(sum(runs), work + dump) * work),
            "You add up the running time and lose nothing. What a failure finds unsaved is done again.",
        ),
        Mistake(
            "a share of the time",
            _by(lambda runs, work, dump: sum(runs) * work / (work + dump)),
            "You took a share of the running time. Dumps come whole: count the segments of each stretch, and lose what is left over.",
        ),
        Mistake(
            "a struck restart goes on",
            _one_after_the_other,
            "Your restart goes on when a failure strikes it. It begins anew.",
            share=0.8,
        ),
        Mistake(
            "two restarts in a row",
            _in_a_row,
            "Your run finishes the restart that was struck, and then does another one. The failure ends it: the new restart begins "
            "at that moment.",
            share=0.8,
        ),
        Mistake(
            "minutes",
            lambda **run: 60 * hours_saved(**run),
            "Your work is in minutes. Hours are wanted.",
            v.UNIT,
        ),
    ),
)
