"""Exercise on the interval of a run's days when two efficiencies are known as intervals."""

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import UNIT
from chip2cluster.parallelism import Layout

DAY = 86400.0


def between(peak_seconds, wire_seconds, fixed_seconds, kernel_share, wire_share, steps, goodput):
    """Fewest and most days."""
    return _like()(peak_seconds, wire_seconds, fixed_seconds, kernel_share, wire_share, steps, goodput)


def _days(peak, wire, fixed, kernel, network, steps, goodput):
    return (peak / kernel + wire / network + fixed) * steps / goodput / DAY


def _like(days=_days, order=(1, 0), ends=lambda kernel, wire: (kernel, wire)):
    def answer(peak_seconds, wire_seconds, fixed_seconds, kernel_share, wire_share, steps, goodput):
        kernel, wire = ends(list(kernel_share), list(wire_share))
        parts = peak_seconds, wire_seconds, fixed_seconds
        return np.array([days(*parts, kernel[one], wire[one], steps, goodput) for one in order])

    return answer


def _case(peak, wire, fixed, kernel, network, steps, goodput):
    return {
        "peak_seconds": peak, "wire_seconds": wire, "fixed_seconds": fixed, "kernel_share": np.array(kernel),
        "wire_share": np.array(network), "steps": steps, "goodput": goodput,
    }  # fmt: skip


def _runs(generator):
    # Half or all of the peak, half or all of the link rate: 7 or 4 s a step, 43,200 steps. A student sees this one.
    drawn = [_case(2.0, 1.0, 1.0, [0.5, 1.0], [0.5, 1.0], 43_200, 0.8)]
    for _ in range(6):
        kernel, wire = float(generator.uniform(0.3, 0.5)), float(generator.uniform(0.3, 0.6))
        drawn.append(_case(
            round(float(generator.uniform(1, 5)), 3), round(float(generator.uniform(0.5, 2)), 3),
            round(float(generator.uniform(0.3, 0.9)), 3),
            [round(kernel, 3), round(kernel * float(generator.uniform(1.3, 1.9)), 3)],
            [round(wire, 3), round(wire * float(generator.uniform(1.2, 1.6)), 3)],
            int(generator.integers(100_000, 900_000)), round(float(generator.uniform(0.8, 0.97)), 3),
        ))  # fmt: skip
    return drawn


def _edges(generator):
    share = round(float(generator.uniform(0.4, 0.6)), 3)
    return [_case(2.4, 0.7, 0.4, [share, share], [1.0, 1.0], 460_000, 0.97), _case(3.0, 0.0, 0.5, [0.4, 0.6], [0.5, 1.0], 200_000, 1.0)]  # fmt: skip


def _middle(kernel, wire):
    return [sum(kernel) / 2] * 2, wire


BETWEEN = Exercise(
    id="design.between",
    title="Between how many days?",
    signature="between(peak_seconds, wire_seconds, fixed_seconds, kernel_share, wire_share, steps, goodput)",
    unit="days",
    points=3,
    reference=between,
    shows=(between, capstone.sensitivity),
    groups=(
        Group("training runs", 0.8, _runs),
        Group("edges", 0.2, _edges, advice="A fraction may be known exactly: then both of its ends are the same."),
    ),
    hints=(
        "Which end of each interval makes the step short? And does the fraction of peak also slow the messages?",
        "Each fraction divides its own part of the step. The fewest days take both fractions at their high ends, the most days both at their low ends.",
        "(peak_seconds / k + wire_seconds / w + fixed_seconds) · steps / goodput / 86400, with k, w at their high ends, then at their low ones.",
    ),
    solution="""
def between(peak_seconds, wire_seconds, fixed_seconds, kernel_share, wire_share, steps, goodput):
    found = []
    for end in (1, 0):
        step = peak_seconds / kernel_share[end] + wire_seconds / wire_share[end] + fixed_seconds
        found.append(step * steps / goodput / 86400)
    return found
""",
    explanation=(
        "You carry an interval through the model one end at a time. The part of the step that depends on neither fraction narrows the result, so kernels at half the speed take less than twice the days. "
        "If the two fractions are independent, both are rarely at their worst together, so four cases in five lie well inside the interval."
    ),
    meaning=lambda: (
        f"For the chapter's B200 the kernel efficiency may lie between {_ends()[0]:.3f} and {_ends()[1]:.3f}, because this package has no 16-bit run of it. That alone means "
        f"{_ends()[2]:.0f} to {_ends()[3]:.0f} days. A forecast of a single number leaves this out."
    ),
    mistakes=(
        Mistake("most first", _like(order=(0, 1)), "Your ends are in the wrong order: a low fraction means many days. Return the fewest days first."),
        Mistake("kernels alone", _like(lambda p, w, f, k, n, s, g: _days(p, w, f, k, 1.0, s, g)), "You left the messages at the full rate of the link. Divide them by wire_share."),
        Mistake("the wire alone", _like(lambda p, w, f, k, n, s, g: _days(p, w, f, 1.0, n, s, g)), "You left the kernels at the peak. Divide peak_seconds by kernel_share."),
        Mistake("everything slows", _like(lambda p, w, f, k, n, s, g: (p + w + f) / k * s / g / DAY), "You divided the whole step by the fraction of peak. Messages depend on the link instead, and the fixed part on neither."),
        Mistake("fixed slows too", _like(lambda p, w, f, k, n, s, g: (p / k + (w + f) / n) * s / g / DAY), "You divided the fixed part. It depends on neither fraction."),
        Mistake("multiplied by shares", _like(lambda p, w, f, k, n, s, g: (p * k + w * n + f) * s / g / DAY), "You multiplied by the fractions. At half the rate a part takes twice as long: divide.", ),
        Mistake("goodput forgotten", _like(lambda p, w, f, k, n, s, g: _days(p, w, f, k, n, s, 1.0)), "You left out the goodput. It divides the whole run, because interruptions come on top of the steps."),
        Mistake("goodput multiplied", _like(lambda p, w, f, k, n, s, g: _days(p, w, f, k, n, s, 1 / g)), "You multiplied by the goodput. If only nine tenths of the time is work, the run takes longer, not shorter: divide."),
        Mistake("crossed ends", _like(ends=lambda k, w: (k, w[::-1])), "You combined the high end of one fraction with the low end of the other. For the fewest days both are high."),
        Mistake("the middle of the peak", _like(ends=_middle), "You took the middle of kernel_share. It moves the days most, so take its ends."),
        Mistake("hours", _like(lambda *given: _days(*given) * 24), "You returned hours. Return days.", UNIT),
        Mistake("one step", _like(lambda p, w, f, k, n, s, g: _days(p, w, f, k, n, 1, g)), "You returned the days of one step. Multiply by steps."),
        Mistake("seconds", _like(lambda *given: _days(*given) * DAY), "You returned seconds. Return days.", UNIT),
    ),
)  # fmt: skip


def _ends():
    failures = capstone.FailureRates(node_mtbf=288 * DAY, group_nodes=32, group_mtbf=500 * DAY)
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, failures=failures)
    layout = Layout(tensor=8, pipeline=8, data=128, chunks=15, zero_stage=1)
    design = capstone.Design(
        chip="B200", nodes=1024, spares=32, storage_bytes_per_second=400e9, checkpoint_interval=1800.0, layout=layout
    )
    one = next(row for row in capstone.sensitivity(design, scenario) if row.name == "kernel_share")
    return one.low, one.high, one.at_high, one.at_low
