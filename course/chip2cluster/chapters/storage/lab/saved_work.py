"""Task on the work that a run has checkpointed when failures come at known times."""

from itertools import pairwise
from math import floor

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR = 60.0, 3600.0


def hours_saved(failures_hours, end_hours, interval_minutes, dump_minutes, restart_minutes):
    """Hours of work in checkpoints that were finished by the end."""
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
    title="Simulate the run",
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
            advice="There may be no failure at all. And a failure may come during a restart, which then begins again.",
        ),
    ),
    hints=(
        "After a failure only finished checkpoints matter: go from failure to failure, and count what was saved in each period.",
        "After a failure a period begins with restart_minutes of restart. How many whole segments of work and checkpoint fit in the rest?",
        "Periods end at each failure and at end_hours. Count only whole segments, and of a segment only the work. A period shorter than the restart counts 0.",
    ),
    explanation="A run continues from its last finished checkpoint, so only the times between failures matter.",
    mistakes=(
        Mistake(
            "work in progress",
            _by(
                lambda runs, work, dump: sum(
                    _segments(run, work + dump) * work + min(run % (work + dump), work) for run in runs
                )
            ),
            "You counted work that is in no finished checkpoint. A failure loses it, and at the end it is not safe: count whole segments only.",
        ),
        Mistake(
            "work without its dump",
            _by(
                lambda runs, work, dump: sum(
                    (_segments(run, work + dump) + (run % (work + dump) > work)) * work for run in runs
                )
            ),
            "You counted an interval as soon as its work was done. It is saved only when its checkpoint is finished.",
        ),
        Mistake(
            "dumps as work",
            _by(lambda runs, work, dump: sum(_segments(run, work + dump) for run in runs) * (work + dump)),
            "You counted the time of the checkpoints as work. A segment has interval_minutes of work.",
        ),
        Mistake(
            "dumps for nothing",
            _by(lambda runs, work, dump: sum(_segments(run, work) for run in runs) * work),
            "Your checkpoints take no time. A segment takes interval_minutes and dump_minutes.",
        ),
        Mistake(
            "restarts for nothing",
            lambda restart_minutes, **run: hours_saved(restart_minutes=0.0, **run),
            "Your restarts take no time.",
        ),
        Mistake(
            "a restart at the start",
            _always_restarts,
            "You added a restart at the beginning. Only a failure causes a restart.",
        ),
        Mistake(
            "until the last failure",
            _by(lambda runs, work, dump: sum(_segments(run, work + dump) for run in runs[:-1]) * work),
            "You stopped at the last failure. The run goes on until end_hours.",
        ),
        Mistake(
            "after the last failure alone",
            _by(lambda runs, work, dump: _segments(runs[-1], work + dump) * work),
            "Your failures lose everything. Work in a finished checkpoint is safe.",
        ),
        Mistake(
            "nothing is lost",
            _by(lambda runs, work, dump: _segments(sum(runs), work + dump) * work),
            "You added up the running time and lost nothing. Work that was not saved before a failure must be done again.",
        ),
        Mistake(
            "a share of the time",
            _by(lambda runs, work, dump: sum(runs) * work / (work + dump)),
            "You took a fraction of the running time. Count the whole segments of each period, and drop the rest.",
        ),
        Mistake(
            "a struck restart goes on",
            _one_after_the_other,
            "Your restart continues after a failure that comes during it. It begins again.",
            share=0.8,
        ),
        Mistake(
            "two restarts in a row",
            _in_a_row,
            "Your run finishes the interrupted restart and then does another one. The failure ends it: the new restart begins "
            "at that moment.",
            share=0.8,
        ),
        Mistake(
            "minutes",
            lambda **run: 60 * hours_saved(**run),
            "Your work is in minutes. Return hours.",
            v.UNIT,
        ),
    ),
)
