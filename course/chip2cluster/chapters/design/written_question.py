"""Lab 16: why a larger machine disappoints."""

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
    scene="The same training, {work} days of work for one node, was run on three sizes of one machine. A save stops it for {dump} minutes, a restart takes "
    "{restart} minutes. The days are longer than work over nodes.",
    columns=(Column("nodes", "nodes"),),
    result=Column("seconds", "it took", lambda value: f"{units.significant(value / DAY, 3)} days"),
    explanations=(
        Explanation(
            "failures: a node fails every {node_mtbf} days on average, any failure stops the job, and it is saved at the best interval.",
            "With more nodes failures come sooner, and even at the best interval the lost share grows, about as the root of their number. "
            "Spares don't help against that; faster saves and restarts do.",
            "If a week without any failure had been no faster, I would be wrong.",
            failing,
        ),
        Explanation(
            "a fixed part: {fixed} of each run are serial (loading, evaluation, compiling), whatever the nodes.",
            "The excess is the same number of hours on every size, so it is a part that no node shares: with ever more nodes it remains, and its share "
            "grows with their number.",
            "If the log showed no hours in which most nodes had nothing to do, I would be wrong.",
            fixed_part,
        ),
    ),
    coming="what you expect for {nodes} nodes",
    draw=draw,
    shown=shown,
    noise=0.01,
)
