"""Lab 16: why a larger machine gains less than expected."""

from chip2cluster import reliability, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question

DAY = 86400.0


def failing(nodes, work, node_mtbf, dump, restart, fixed):
    mtbf = node_mtbf / nodes
    return work / nodes / reliability.goodput(reliability.optimal_interval(dump, mtbf), dump, restart, mtbf)


def fixed_part(nodes, work, node_mtbf, dump, restart, fixed):
    return work / nodes + fixed


def draw(generator):
    first = int(generator.integers(20, 41))
    constants = {
        "work": float(generator.integers(12, 40)) * 100 * DAY,
        "node_mtbf": float(generator.integers(80, 200)) * DAY,
        "dump": float(generator.integers(3, 9)) * 60,
        "restart": float(generator.integers(15, 40)) * 60,
        "fixed": 0.0,
    }
    gap = failing(first, **constants) - constants["work"] / first
    constants["fixed"] = round(gap / 360) * 360.0
    rows = [{"nodes": float(first * factor)} for factor in (1, 4, int(generator.integers(8, 13)))]
    return Draw(constants, rows, {"nodes": float(first * int(generator.integers(16, 25)))})


def shown(work, node_mtbf, dump, restart, fixed):
    return {
        "work": f"{work / DAY:,.0f}",
        "node_mtbf": f"{node_mtbf / DAY:g}",
        "dump": f"{dump / 60:g}",
        "restart": f"{restart / 60:g}",
        "fixed": f"{fixed / 3600:.1f} hours",
    }


QUESTION = Question(
    scene="The same training run, {work} days of work for one node, was done on three sizes of one machine. A checkpoint stalls it for {dump} minutes, a restart takes "
    "{restart} minutes. Each run took longer than work divided by nodes.",
    columns=(Column("nodes", "nodes"),),
    result=Column("seconds", "it took", lambda value: f"{units.significant(value / DAY, 3)} days"),
    explanations=(
        Explanation(
            "failures: a node fails every {node_mtbf} days on average, any failure interrupts the job, and checkpoints are taken at the best interval.",
            "With more nodes failures come sooner, and even at the best interval the lost fraction grows, about as the square root of their number. "
            "Spares don't help against that; faster checkpoints and restarts do.",
            "If a week without any failure had been no faster, I would be wrong.",
            failing,
        ),
        Explanation(
            "a fixed part: {fixed} of each run are serial (loading, evaluation, compiling), whatever the number of nodes.",
            "The excess is the same number of hours on every size, so it is a part that more nodes do not shorten: it remains, and its fraction "
            "of the run grows with their number.",
            "If the log showed no hours in which most nodes were idle, I would be wrong.",
            fixed_part,
        ),
    ),
    coming="what you expect for {nodes} nodes",
    draw=draw,
    shown=shown,
    noise=0.01,
)
