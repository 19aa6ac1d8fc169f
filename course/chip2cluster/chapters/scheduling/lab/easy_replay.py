"""Task on a replay of a job list under EASY backfill."""

from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .job_lists import busy, replay, starts, table


def easy_starts(jobs, machine):
    """Second at which each job starts under EASY backfill."""
    return starts(jobs, machine, "easy")


def _lists(generator):
    # Job 4 would delay the second, job 3 does not. It is the one that a student sees.
    hand = {
        "jobs": table([[0, 3, 120, 60], [0, 4, 60, 60], [10, 1, 60, 30], [10, 1, 240, 30]]),
        "machine": 4,
    }
    spare = {"jobs": table([[0, 4, 120, 120], [0, 1, 240, 240], [5, 5, 60, 60], [6, 1, 600, 600]]), "machine": 6}
    # Two limits end in the same second: the first would do, and what the second gives back is spare.
    twins = [[0, 2, 120, 120], [0, 2, 120, 120], [0, 1, 300, 300], [5, 3, 60, 60], [6, 1, 600, 600]]
    together = {"jobs": table(twins), "machine": 6}
    told = (
        {"uses_spare": False},
        {"spare": False},
        {"own": True},
        {"others": True},
        {"every": True},
        {"single": True},
        {"short_uses_spare": True},
        {"shortest_pass": True},
    )
    return [
        hand,
        spare,
        together,
        busy(generator, 12),
        busy(generator, 24),
        *(_telling(generator, rule) for rule in told),
    ]


def _telling(generator, rule):
    """A list on which a replay with that rule goes wrong."""
    return draw_until(
        lambda case: replay(**case, **rule) != replay(**case), lambda: busy(generator, int(generator.integers(8, 17)))
    )


def _edges(generator):
    """What ends exactly at the reservation is in time; an empty machine; an early end that brings the reservation forward."""
    step = int(generator.integers(40, 90))
    exact = [[0, 3, 4 * step, 2 * step], [0, 4, step, step], [step, 1, 3 * step, step]]
    calm = [[0, 2, 600, step], [step, 3, 600, 5 * step], [30 * step, 3, 600, step]]
    return [{"jobs": table(exact), "machine": 4}, {"jobs": table(calm), "machine": 3}]


def _by(**rules):
    return lambda jobs, machine: replay(jobs, machine, **rules)


EASY = Exercise(
    id="lab.scheduling.easy_starts",
    title="EASY, all of it",
    signature="easy_starts(jobs, machine)",
    unit="s",
    graded=True,
    points=6,
    tolerance=1e-9,
    reference=easy_starts,
    groups=(
        Group("lists", 0.8, _lists),
        Group("edges", 0.2, _edges, advice="A job whose limit ends in the second of the reservation may be backfilled. The machine may be empty for a while."),
    ),
    hints=(
        "Nothing changes except when a job arrives or ends. Go from one such moment to the next; at each, handle the ends, then the "
        "arrivals, then one pass over the waiting jobs.",
        "A pass is that of the chapter: start jobs from the head of the queue as long as they fit; compute the shadow time of the first that "
        "does not, and its spare nodes, from the limits of all running jobs; then backfill jobs that fit now and either end by then or fit the spare nodes.",
        "Keep for each running job its real end (start + runtime, which only your replay knows) and its limit (start + walltime, which the "
        "scheduler knows). The pass must use the second, the clock the first.",
    ),
    explanation="The first waiting job is not delayed beyond its reservation, and the others use nodes that would have been idle.",
    mistakes=(
        Mistake("nobody passes", _by(passes=False), "Your replay does not backfill. After the head of the queue look for jobs that do not delay the first waiting one."),
        Mistake("no reservation", _by(keeps=False), "Your replay starts every job that fits, which delays the first waiting one. It has a reservation: backfill only "
                "jobs that end by then, or that use nodes it does not need."),
        Mistake("no spare nodes", _by(spare=False), "You refuse jobs that run past the reservation even where they use nodes that the first does "
                "not need then."),
        Mistake("spare nodes never used up", _by(uses_spare=False), "You give the same spare nodes to several jobs. One that runs past the reservation uses them up."),
        Mistake("runtimes known", _by(own=True, others=True), "Your scheduler uses run times. It knows only limits."),
        Mistake("its run time", _by(own=True), "You backfill a job by its run time. The scheduler knows only its limit: does that end by the reservation?"),
        Mistake("run times of the others", _by(others=True), "You compute the reservation from run times. The scheduler knows only limits."),
        Mistake("limits held", _by(holds_limits=True), "Your jobs hold their nodes until their limit. They end when their work is done, and the "
                "scheduler looks again."),
        Mistake("one end at a time", _by(ties=False), "Several limits may end in the second in which the first can start. The nodes of all of them are "
                "there then, and some may be spare."),
        Mistake("gives up", _by(every=True), "You stopped at the first job that can't be backfilled. Try the jobs behind it, too."),
        Mistake("one passes", _by(single=True), "You backfill only one job at each moment. Backfill every job that does not delay the first."),
        Mistake("shortest first", _by(sorts=True), "You sorted the queue by limits. It stays in order of submission."),
        Mistake("the shortest pass first", _by(shortest_pass=True), "You backfilled the shortest job first. Behind the first job, too, the queue stays in order of "
                "submission."),
        Mistake("short ones take spare nodes", _by(short_uses_spare=True), "You let a job that ends by the reservation use up spare nodes. It releases "
                "its nodes before."),
        Mistake("a pass at ends alone", _by(at_ends=True), "You backfilled only when a job had ended. There is a pass at each arrival, too."),
        Mistake("before the reservation", _by(strict=True), "A job whose limit ends exactly in the second of the reservation is in time.", share=0.8),
    ),
)  # fmt: skip
