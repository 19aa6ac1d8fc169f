"""Task on a run on a machine with personal numbers."""

from math import expm1

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def _machine(generator):
    """A model, its storage, and how the nodes fail."""
    return {
        "parameters": 1e9 * int(generator.integers(60, 700)),
        "storage_bandwidth": 1e9 * int(generator.integers(60, 400)),
        "failures_per_thousand_node_days": round(2.5 + 0.25 * int(generator.integers(0, 17)), 2),
        "restart_minutes": float(generator.integers(4, 16)),
    }


def own_days(nodes, work_days, **machine):
    """Expected days of a run with checkpoints at the best interval."""
    return _days(nodes, work_days, machine)


def _days(nodes, work_days, machine, each=14.0, parts=None, restart=1.0, rule=reliability.optimal_interval):
    dump = each * machine["parameters"] / machine["storage_bandwidth"]
    rate = machine["failures_per_thousand_node_days"] / (1000 * DAY)
    mean = reliability.mtbf(nodes if parts is None else parts(nodes), rate)
    back = restart * machine["restart_minutes"] * MINUTE
    return reliability.expected_time(work_days * DAY, rule(dump, mean), dump, back, mean) / DAY


def _runs(generator):
    drawn = [{"nodes": 1000, "work_days": 10.0}]
    return drawn + [
        {"nodes": int(nodes * generator.uniform(0.8, 1.2)), "work_days": round(float(generator.uniform(12, 80)), 1)}
        for nodes in (500, 1500, 3000, 12000)  # of many even the restarts are struck
    ]


def _changed(**how):
    return lambda nodes, work_days, **machine: _days(nodes, work_days, machine, **how)


def _first_order(rule=reliability.optimal_interval, take=lambda lost: 1 + lost):
    """Days by the losses of first order at another interval, added to the work or taken off the time."""

    def wrong(nodes, work_days, **machine):
        dump = 14 * machine["parameters"] / machine["storage_bandwidth"]
        mean = reliability.mtbf(nodes, machine["failures_per_thousand_node_days"] / (1000 * DAY))
        tau = rule(dump, mean)
        return work_days * take(dump / tau + (tau / 2 + dump + machine["restart_minutes"] * MINUTE) / mean)

    return wrong


def _restarts_unharmed(nodes, work_days, **machine):
    dump = 14 * machine["parameters"] / machine["storage_bandwidth"]
    mean = reliability.mtbf(nodes, machine["failures_per_thousand_node_days"] / (1000 * DAY))
    tau = reliability.optimal_interval(dump, mean)
    return (mean + machine["restart_minutes"] * MINUTE) * expm1((tau + dump) / mean) * work_days / tau


OWN_RUN = Exercise(
    id="lab.storage.own_run",
    title="Your own run",
    signature="own_days(nodes, work_days)",
    unit="days",
    graded=True,
    points=4,
    tolerance=1e-3,
    constants=_machine,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_days,
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        'Your numbers are in the cell above, for example machine["parameters"]. First the checkpoint: how many bytes does it have '
        "for each parameter, and how fast does the storage accept them?",
        "The mean time between failures is 1000 days divided by the rate and by the nodes. Your best_interval gives the interval.",
        "Put these into the expected time of chapter 12, with every time in one unit and 14 bytes for each parameter. The answer is in days.",
    ),
    explanation="The checkpoint time follows from bytes and a rate, the mean time from the nodes, the interval from both, and the days from all of them.",
    mistakes=(
        Mistake("weights alone", _changed(each=2.0), "You counted the weights alone. A checkpoint has 14 bytes for "
                "each parameter."),
        Mistake("gradients as well", _changed(each=16.0), "You counted the gradients as well. 14 bytes for each parameter are enough."),
        Mistake("one node's mean", _changed(parts=lambda nodes: 1), "You took the mean time of one node. The job stops when any of its "
                "nodes does."),
        Mistake("GPUs for nodes", _changed(parts=lambda nodes: 8 * nodes), "You counted GPUs. The rate is one of nodes."),
        Mistake("no restarts", _changed(restart=0.0), "You left out the restarts."),
        Mistake("restarts in seconds", _changed(restart=1 / 60), "You took restart_minutes for seconds.", v.UNIT),
        Mistake("first order", _first_order(), "You added up first-order losses. What is lost must be done again under the same "
                "failures: take the exponentials."),
        Mistake("first order, off the time", _first_order(take=lambda lost: 1 / (1 - lost)), "You took first-order losses off the time. "
                "That is right for losses of a few percent: use the exponentials."),
        Mistake("first order, off the time, at Young's interval", _first_order(reliability.young_interval, lambda lost: 1 / (1 - lost)),
                "You took first-order losses off the time. That is right for losses of a few percent: use the exponentials.",
                coincides="first order, off the time"),
        Mistake("restarts that nothing strikes", _restarts_unharmed, "Your restarts never fail. Here they can: it is M · exp(R / M), "
                "not M + R."),
        Mistake("no failures", lambda nodes, work_days, **machine: work_days, "You returned the work itself. Dumps, lost work and "
                "restarts come on top.", coincides="one node's mean"),
        Mistake("hours", lambda nodes, work_days, **machine: 24 * own_days(nodes, work_days, **machine), "Your time is in hours. "
                "Return days.", v.UNIT),
    ),
)  # fmt: skip
