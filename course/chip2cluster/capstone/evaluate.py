"""One design in one scenario: whether it can be, and what comes out."""

from __future__ import annotations

from dataclasses import replace
from math import gcd, inf, log, nan
from types import SimpleNamespace
from typing import Any

from .. import reliability
from ..parallelism import Layout
from ..specs import PrecisionNotSupported
from . import figures, search
from .design import Design, check_design
from .kernels import KernelShare, kernel_share
from .outcome import Constraint, Outcome, Problem, Term
from .scenario import LIMITS, Scenario, check_scenario

MOST_NODES = 2**17
LIMITED = {"capital_dollars": "capital_dollars", "dollars": "dollars", "watts": "watts", "deadline_seconds": "seconds",
           "kg_co2": "kg_by_location"}  # fmt: skip
_MESSAGES = {
    "tensor": "tensor messages", "context": "context messages", "expert": "expert messages",
    "pipeline": "pipeline messages", "data": "data messages",
}  # fmt: skip


def evaluate(design: Design, scenario: Scenario, *, nearest: bool = True) -> Outcome:
    """Reckon what becomes of a design: a step term by term, then days with failures, energy, carbon and money.

    Parameters
    ----------
    design : Design
    scenario : Scenario
    nearest : bool
        Whether to search the nearest design that can, for one that cannot.

    Returns
    -------
    Outcome
        Also for a design that cannot run: ``problems`` says why, and numbers that do not exist are nan.

    Raises
    ------
    ValueError
        The chip has no price or no published power.

    Notes
    -----
    Each term names the function that gives it. One number is fitted to speeds, the share of the peak that
    kernels reach (`kernel_shares`); the rates of wires are payload rates. Messages of data and pipeline run
    beside the arithmetic, both beside the same; the others are waited for, in DualPipe not those to experts.
    Ignores that part of a domain without a switch reaches only some of a chip's links (MI300X), stragglers, congestion,
    stages of which one has more layers, the optimizer's step, kernels that get slower as a chip has less to do, the
    ramp-up of a run, and what a batch does to the loss. Without any spare the wait is some per cent too long: switches
    are taken to break meanwhile. Source: `parallelism.step_time`,
    `reliability.expected_time`, `reliability.waiting_share`, `economics.own_cost`.

    Examples
    --------
    >>> from chip2cluster.parallelism import Layout
    >>> asked = Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    >>> layout = Layout(tensor=8, pipeline=16, data=128, chunks=7, zero_stage=2)
    >>> out = evaluate(Design(chip="H100 SXM", nodes=2048, layout=layout, spares=64), asked)
    >>> out.fits, round(out.mfu, 2), round(out.days)
    (True, 0.39, 80)
    """
    check_design(design)
    check_scenario(scenario)
    share = _share(design, scenario, nearest)
    if isinstance(share, Problem):
        return _nothing(
            design, scenario, (share,), kernel_share(design.accelerator, design.accelerator.precisions_dense[0])
        )
    m = figures.machine(design, scenario, share.share)
    layout = design.layout
    if layout is None:
        layout = search.fastest(m, scenario)
        if layout is None:
            larger = _larger(design, scenario, m) if nearest else None
            batch = _batch(m, scenario) if nearest and not larger else ""
            return _nothing(design, scenario, (Problem("memory", _no_room(m, scenario) + batch, larger),), share)
        design = replace(design, layout=layout)
    wrong = layout.problems(
        scenario.config, scenario.global_batch, sequence=scenario.sequence, devices=design.devices
    )  # fmt: skip
    if wrong:
        other = _nearest(design, scenario, m) if nearest else None
        return _nothing(design, scenario, tuple(Problem("layout", text, other) for text in wrong), share)
    return _whole(design, scenario, m, layout, share, nearest)


def _share(design: Design, scenario: Scenario, nearest: bool) -> KernelShare | Problem:
    """The share of the peak, or why there is none."""
    chip = design.accelerator
    try:
        found = kernel_share(chip, scenario.precision)
    except PrecisionNotSupported:
        says = f"the {chip.name} has no {scenario.precision}; it has {', '.join(chip.precisions_dense)}"
        return Problem("precision", says, _other_chip(design, scenario) if nearest else None)
    if scenario.kernel_share is None:
        return found
    return replace(found, share=scenario.kernel_share, fitted_on="given in the scenario", products=None)


def _other_chip(design: Design, scenario: Scenario) -> Design | None:
    """The same machine of the chip with the precision whose 16-bit peak is nearest, among those with a price."""
    from .grid import usable_chips

    peaks = design.accelerator.precisions_dense
    own = design.accelerator.peak_flops_dense("bf16" if "bf16" in peaks else peaks[0])
    others = [one for one in usable_chips(scenario) if "bf16" in one.precisions_dense]
    if not others:
        return None
    chip = min(others, key=lambda one: abs(log(one.peak_flops_dense("bf16") / own)))
    found = evaluate(replace(design, chip=chip.name, layout=None), scenario, nearest=False)
    return found.design if found.fits else None


def _whole(
    design: Design, scenario: Scenario, m: SimpleNamespace, layout: Layout, share: KernelShare, nearest: bool
) -> Outcome:
    micro = layout.micro_batches(scenario.global_batch)
    parts = figures.step(m, scenario, layout, micro)
    held = {name: part + 0.0 for name, part in figures.memory(scenario, layout, micro).items()}
    by_stage = sum(held.values())
    most = float(by_stage.max()) if hasattr(by_stage, "max") else float(by_stage)
    terms = _terms(m, scenario, parts)
    seconds = sum(term.seconds for term in terms)
    totals = figures.run(m, scenario, seconds)
    problems = []
    if most > m.memory:
        other = _nearest(design, scenario, m) if nearest else None
        problems.append(Problem("memory", _too_full(by_stage, held, m, scenario), other))
    if m.interval and m.interval < totals.shortest_interval:
        says = (
            f"checkpoint_interval must be at least {totals.shortest_interval:,.0f} s, as long as a checkpoint is on its way "
            f"to the storage, got {m.interval:,.0f} s"
        )
        longer = replace(design, checkpoint_interval=totals.shortest_interval * 1.001)
        problems.append(Problem("checkpoint", says, _that_runs(longer, scenario) if nearest else None))
    never = totals.seconds >= figures.NEVER
    if never:
        says = f"the run never ends: it fails every {totals.mtbf:,.0f} s and needs {totals.checkpoint_interval + totals.restart_seconds:,.0f} s to get on"  # fmt: skip
        best = replace(design, checkpoint_interval=None)
        problems.append(Problem("failures", says, _that_runs(best, scenario) if nearest and m.interval else None))
    values = {
        "work_seconds": totals.work_seconds, "seconds": inf if never else totals.seconds, "goodput": totals.goodput,
        "mtbf": totals.mtbf, "checkpoint_interval": totals.checkpoint_interval, "checkpoint_seconds": totals.checkpoint_seconds,
        "persist_seconds": totals.persist_seconds, "restart_seconds": totals.restart_seconds,
        "waiting_share": totals.waiting_share, "joules": totals.joules, "watts": totals.watts,
        "kg_by_location": totals.kg_by_location, "capital_dollars": totals.capital_dollars,
        "running_dollars": totals.running_dollars, "dollars": totals.dollars, "memory_bytes": most,
    }  # fmt: skip
    plain: dict[str, float] = {name: float(value) for name, value in values.items()}
    return Outcome(
        design, scenario, tuple(problems), _constraints(plain, scenario, m.memory), terms,
        _run_terms(totals, scenario, never), mfu=terms[0].seconds / seconds, kernel_share=share, **plain,
    )  # fmt: skip


def _terms(m: SimpleNamespace, scenario: Scenario, parts: Any) -> tuple[Term, ...]:
    """The waterfall of a step."""
    found = parts.step
    rows = [
        ("arithmetic", found.model_arithmetic, "transformer.training_flops_per_token", "mfu"),
        ("recomputation", found.recomputation, "transformer.recomputed_flops_per_token", "mfu"),
        ("slow kernels", found.slow_kernels, "capstone.kernel_share", "mfu"),
        ("pipeline bubble", found.pipeline_bubble, "parallelism.bubble_over_ideal", "parallelism"),
        *((_MESSAGES[axis], parts.axes[axis][1], "parallelism.axis_times", "parallelism") for axis in figures.AXES),
    ]
    computing = sum(float(seconds) for _, seconds, *_ in rows)
    rows.append(("loading", figures.loading_wait(m, scenario, computing), "loading.step_time", "storage"))
    return tuple(Term(name, float(seconds), function, chapter) for name, seconds, function, chapter in rows)


def _run_terms(totals: figures.Totals, scenario: Scenario, never: bool) -> tuple[Term, ...]:
    """The waterfall of the run."""
    if never:
        return ()
    spent = reliability.time_breakdown(
        totals.work_seconds, totals.checkpoint_interval, totals.checkpoint_seconds, totals.restart_seconds, totals.mtbf,
        persist_seconds=totals.persist_seconds,
    )  # fmt: skip
    how = "reliability.time_breakdown"
    rows = [("work", spent.work, how), ("checkpoints", spent.checkpoints, how), ("lost work", spent.lost, how),
            ("restarts", spent.restarts, how), ("waiting for repairs", totals.seconds * totals.waiting_share, "reliability.waiting_share")]  # fmt: skip
    return tuple(Term(name, float(seconds), function, "storage") for name, seconds, function in rows)


def _constraints(values: dict[str, float], scenario: Scenario, memory: float) -> tuple[Constraint, ...]:
    found = (Constraint("memory_bytes", values["memory_bytes"], memory),)
    limits = {name: getattr(scenario, name) for name in LIMITS}
    return (*found, *(Constraint(name, values[LIMITED[name]], most) for name, most in limits.items() if most < inf))


def _too_full(by_stage: Any, held: dict[str, Any], m: SimpleNamespace, scenario: Scenario) -> str:
    stage = int(by_stage.argmax()) if hasattr(by_stage, "argmax") else 0
    parts = {name: float(part[stage] if getattr(part, "ndim", 0) else part) for name, part in held.items()}
    largest = sorted(parts, key=lambda name: -parts[name])[:3]
    listed = ", ".join(f"{name} {parts[name] / 1e9:,.0f}" for name in largest if parts[name] >= 0.5e9)
    return f"stage {stage} needs {sum(parts.values()) / 1e9:,.0f} GB of the chip's {m.memory / 1e9:,.0f}: {listed}"


def _no_room(m: SimpleNamespace, scenario: Scenario) -> str:
    batch = f"{scenario.global_batch:,} sequences" if scenario.global_batch > 1 else "one sequence"
    return (
        f"no layout of {m.devices:,} chips of {m.memory / 1e9:,.0f} GB holds the model and shares {batch} a step evenly"
    )


def _batch(m: SimpleNamespace, scenario: Scenario) -> str:
    """The nearest batch that can be shared, in steps of what is left of the chips beside whole domains."""
    step = m.devices // gcd(m.devices, m.domain)
    batch = max(round(scenario.global_batch / step), 1) * step
    able = batch != scenario.global_batch and search.fastest(m, replace(scenario, global_batch=batch))
    return f"; global_batch={batch} can" if able else ""


def _nearest(design: Design, scenario: Scenario, m: SimpleNamespace) -> Design | None:
    """The same machine with the legal layout that differs least, or a larger machine."""
    assert design.layout is not None
    layout = search.find(m, scenario).nearest(design.layout)
    return _that_runs(replace(design, layout=layout), scenario) if layout else _larger(design, scenario, m)


def _larger(design: Design, scenario: Scenario, m: SimpleNamespace) -> Design | None:
    """The machine with the fewest times twice the nodes on which something fits."""
    nodes = design.nodes
    states = 16.0 * figures.parameters(scenario.config) / m.memory / design.chips_per_node  # at least so many nodes
    while nodes < MOST_NODES:
        nodes *= 2
        if nodes < states or nodes * design.chips_per_node > scenario.global_batch * m.domain * scenario.config.layers:
            continue
        larger = replace(design, nodes=nodes, layout=None)
        layout = search.fastest(figures.machine(larger, scenario, m.share), scenario)
        if layout:
            return _that_runs(replace(larger, layout=layout), scenario)
    return None


def _that_runs(design: Design, scenario: Scenario) -> Design | None:
    """The design if it breaks no other rule, else with checkpoints at the best interval; None if that does not help."""
    for one in (design, replace(design, checkpoint_interval=None)):
        if evaluate(one, scenario, nearest=False).fits:
            return one
    return None


def _nothing(design: Design, scenario: Scenario, problems: tuple[Problem, ...], share: KernelShare) -> Outcome:
    """The outcome of what cannot run."""
    names = ("mfu", "goodput", "work_seconds", "seconds", "mtbf", "checkpoint_interval", "checkpoint_seconds",
             "persist_seconds", "restart_seconds", "waiting_share", "joules", "watts", "kg_by_location", "capital_dollars",
             "running_dollars", "dollars", "memory_bytes")  # fmt: skip
    return Outcome(
        design, scenario, problems, (), (), (), kernel_share=share, **dict.fromkeys(names, nan)
    )  # fmt: skip
