"""Exercise on the speedup of a step when one kind of its kernels becomes faster or is fused."""

from chip2cluster import measure
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

KINDS = ("products", "attention", "conversions", "elementwise", "optimizer")


def step_gain(kernels, gaps, host, kind, factor):
    """How many times as fast a step of kernels, gaps and launches becomes."""
    rest = sum(kernels.values()) - kernels[kind] + kernels[kind] / factor
    return max(sum(kernels.values()) + gaps, host) / max(rest + gaps, host)


# Products half of 10 ms: twice as fast, the step takes 7.5 ms in the place of 10.
BY_HAND = {
    "kernels": {"products": 5.0, "attention": 3.0, "optimizer": 1.0},
    "gaps": 1.0,
    "host": 4.0,
    "kind": "products",
    "factor": 2.0,
}


def _draw(generator, launch_bound, removed):
    parts = 1e-3 * generator.uniform(2, 25, len(KINDS))
    kernels = {kind: float(f"{part:.3g}") for kind, part in zip(KINDS, parts, strict=True)}
    kind = str(generator.choice(KINDS))
    kernels[kind] *= 2
    total = sum(kernels.values())
    gaps = float(f"{total * generator.uniform(0.05, 0.2):.3g}")
    factor = float("inf") if removed else float(f"{generator.uniform(1.6, 6):.2g}")
    new = total - kernels[kind] + kernels[kind] / factor + gaps
    old = total + gaps
    host = new + (old - new) * generator.uniform(0.3, 0.7) if launch_bound else new * generator.uniform(0.3, 0.8)
    return {"kernels": kernels, "gaps": gaps, "host": float(f"{host:.3g}"), "kind": kind, "factor": factor}


def _steps(generator):
    return [BY_HAND, *(_draw(generator, bound, removed) for bound in (False, True) for removed in (False, True, False))]


def _edges(generator):
    bound = _draw(generator, True, False)
    bound["host"] = float(f"{(sum(bound['kernels'].values()) + bound['gaps']) * generator.uniform(1.1, 1.5):.3g}")
    return [bound]


def _no_gaps(kernels, gaps, host, kind, factor):
    return step_gain(kernels, 0.0, host, kind, factor)


def _no_host(kernels, gaps, host, kind, factor):
    return step_gain(kernels, gaps, 0.0, kind, factor)


def _gaps_too(kernels, gaps, host, kind, factor):
    part = kernels[kind] / sum(kernels.values())
    return max(sum(kernels.values()) + gaps, host) / max(
        (sum(kernels.values()) + gaps) * (1 - part + part / factor), host
    )


def _whole(kernels, gaps, host, kind, factor):
    return min(float(factor), 1e9)


def _added(kernels, gaps, host, kind, factor):
    rest = sum(kernels.values()) - kernels[kind] + kernels[kind] / factor
    return (sum(kernels.values()) + gaps + host) / (rest + gaps + host)


def _fraction_times(kernels, gaps, host, kind, factor):
    return 1 + kernels[kind] / (sum(kernels.values()) + gaps) * (min(factor, 1e9) - 1)


def _percent(kernels, gaps, host, kind, factor):
    return 100 * (1 - 1 / step_gain(kernels, gaps, host, kind, factor))


def _recorded(card):
    """Gain of a recorded step by products that are twice as fast."""
    trace, launch = measure.recorded_trace(card), measure.recorded_launch_seconds(card)
    was = measure.step_forecast(trace, launch_seconds=launch)
    return was.seconds / measure.step_forecast(trace, "matrix products", 2, launch_seconds=launch).seconds


STEP_GAIN = Exercise(
    id="measure.step_gain",
    title="What would a faster kernel gain?",
    signature="step_gain(kernels, gaps, host, kind, factor)",
    unit="",
    points=3,
    reference=step_gain,
    shows=(measure.amdahl_speedup, measure.step_forecast),
    groups=(
        Group("steps", 0.8, _steps),
        Group("edges", 0.2, _edges, advice="The launches on the CPU may already limit the step before the change."),
    ),
    hints=(
        "Write down the time of the step before the change: which of its parts run one after the other, and which overlaps them?",
        "Kernels and gaps add up. The launches overlap them, so the step takes the longer of the two, before and after.",
        "Before: the larger of sum(kernels) + gaps and host. After: the same with kernels[kind] / factor. Divide before by after.",
    ),
    solution="""
def step_gain(kernels, gaps, host, kind, factor):
    total = sum(kernels.values())
    faster = total - kernels[kind] + kernels[kind] / factor
    return max(total + gaps, host) / max(faster + gaps, host)
""",
    explanation=(
        "Only the part that changes shrinks, so the gain is far below the factor: that is Amdahl's law. Gaps stay, "
        "because the launches are no faster. And the launches on the CPU overlap the kernels: once the kernels take "
        "less time than the launches, the CPU limits the step, and a faster kernel gains nothing more."
    ),
    meaning=lambda: (
        f"On the recorded H100, products that are twice as fast make the step {_recorded('H100 SXM'):.2f} times as fast. On the H200, whose "
        f"server launches more slowly, {_recorded('H200'):.2f} times."
    ),
    mutants=MUTANTS["measure.step_gain"],
    mistakes=(
        Mistake("gaps left out", _no_gaps, "You left out the gaps. They are part of the step before and after, so the gain is smaller."),
        Mistake("CPU left out", _no_host, "You left out the CPU. The step takes at least host seconds: once the kernels are shorter, the launches limit the step."),
        Mistake("gaps shrink as well", _gaps_too, "You let the gaps shrink with the kernels. They lie between kernels and stay as they are."),
        Mistake("the factor itself", _whole, "You returned the factor. Only one kind becomes faster; the rest of the step stays."),
        Mistake("launches added", _added, "You added host to the kernels. Launches run ahead of the GPU, so the longer of the two counts."),
        Mistake("fraction times factor", _fraction_times, "You multiplied the fraction by the factor. Add times, not speeds: the part takes "
                "its time divided by the factor."),
        Mistake("after over before", lambda **inputs: 1 / step_gain(**inputs), "You divided the new time by the old one. The speedup is the old time over the new one."),
        Mistake("percent saved", _percent, "You returned the percentage of time saved. The speedup is the old time over the new one."),
    ),
)  # fmt: skip
