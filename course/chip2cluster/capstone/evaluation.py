"""Evaluation of one design in one scenario."""

from __future__ import annotations

from dataclasses import replace
from math import gcd, inf, log, nan
from types import SimpleNamespace
from typing import Any

from .. import reliability
from ..parallelism import Layout
from ..specs import PrecisionNotSupported
from . import formulas, layout_search
from .design import Design, check_design
from .kernel_efficiency import KernelShare, kernel_share
from .outcome import Constraint, Outcome, Problem, Term
from .scenario import LIMITS, Scenario, check_scenario

MOST_NODES = 2**17
LIMITED = {"capital_dollars": "capital_dollars", "dollars": "dollars", "watts": "watts", "deadline_seconds": "seconds",
           "kg_co2": "kg_by_location"}  # fmt: skip
_MESSAGES = {
    "tensor": "tensor messages", "context": "context messages", "expert": "expert messages",
    "pipeline": "pipeline messages", "data": "data messages",
}  # fmt: skip


def evaluate(design: Design, scenario: Scenario, *, nearest: bool = True, usual: bool = True) -> Outcome:
    """Evaluate a design: step time and MFU, expected time with failures (goodput), energy, carbon and cost.

    Parameters
    ----------
    design : Design
        Cluster and layout to evaluate.
    scenario : Scenario
        Training run, its limits and assumptions.
    nearest : bool
        Whether to search the nearest feasible design if this one cannot run.
    usual : bool
        Whether a search for the layout stays among those in common use: tensor parallelism up to 8, at most 16
        pipeline stages, and context parallelism for sequences beyond 8,192 tokens only.

    Returns
    -------
    Outcome
        Result, also for a design that cannot run: ``problems`` has the reasons, and undefined numbers are nan.

    Raises
    ------
    ValueError
        The chip has no price or no published power.

    Notes
    -----
    Each term names the function that computes it. One number is fitted to measured speeds, the fraction of peak that
    kernels reach (`kernel_shares`); link rates are payload rates. Messages of the data-parallel (DP) and
    pipeline-parallel (PP) axes overlap with the arithmetic; those of the other axes (TP, CP, EP) are exposed, except
    the all-to-all to experts in DualPipe. Ignores that part of a domain without a switch uses only some of a chip's
    links (MI300X), stragglers, congestion, uneven pipeline stages, the optimizer step, kernels that slow down as a
    chip has less work, the ramp-up of a run, and the effect of the batch size on the loss. Without spares the wait is
    a few percent too long, because switches are assumed to fail during it. Source: `parallelism.step_time`,
    `reliability.expected_time`, `reliability.waiting_share`, `economics.own_cost`.

    Examples
    --------
    >>> from chip2cluster.parallelism import Layout
    >>> scenario = Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    >>> layout = Layout(tensor=8, pipeline=16, data=128, chunks=7, zero_stage=2)
    >>> out = evaluate(Design(chip="H100 SXM", nodes=2048, layout=layout, spares=64), scenario)
    >>> out.fits, round(out.mfu, 2), round(out.days)
    (True, 0.39, 80)
    """
    check_design(design)
    scenario = design.scenario(check_scenario(scenario))
    share = _share(design, scenario, nearest)
    if isinstance(share, Problem):
        return _infeasible(
            design, scenario, (share,), kernel_share(design.accelerator, design.accelerator.precisions_dense[0])
        )
    m = formulas.machine(design, scenario, share.share)
    layout = design.layout
    if layout is None:
        layout = layout_search.fastest(m, scenario, usual)
        if layout is None:
            larger = _larger(design, scenario, m) if nearest else None
            more = usual and nearest and layout_search.fastest(m, scenario, usual=False)
            says = _memory_message(m, scenario, "usual layout" if more else "layout")
            if more:
                says += (
                    f"; evaluate with usual=False finds {more.tensor} x {more.pipeline} x {more.data} x {more.context}"
                )
            elif nearest and not larger:
                says += _nodes_hint(design, scenario, m) or _batch_hint(m, scenario)
            return _infeasible(design, scenario, (Problem("memory", says, larger),), share)
        design = replace(design, layout=layout)
    wrong = layout.problems(
        scenario.config, scenario.global_batch, sequence=scenario.sequence, devices=design.devices
    )  # fmt: skip
    if wrong:
        other = _nearest(design, scenario, m) if nearest else None
        return _infeasible(design, scenario, tuple(Problem("layout", text, other) for text in wrong), share)
    return _evaluate_layout(design, scenario, m, layout, share, nearest)


def _share(design: Design, scenario: Scenario, nearest: bool) -> KernelShare | Problem:
    """Return the fraction of peak for the kernels, or the problem if the precision is not supported."""
    chip = design.accelerator
    try:
        found = kernel_share(chip, scenario.precision)
    except PrecisionNotSupported:
        says = f"the {chip.name} has no {scenario.precision}; it has {', '.join(chip.precisions_dense)}"
        return Problem("precision", says, _other_chip(design, scenario) if nearest else None)
    if scenario.kernel_share is None:
        return found
    return replace(found, share=scenario.kernel_share, fitted_on="given in the scenario")


def _other_chip(design: Design, scenario: Scenario) -> Design | None:
    """Return the same machine with the priced chip that has the precision and the nearest 16-bit peak."""
    from .design_grid import usable_chips

    peaks = design.accelerator.precisions_dense
    own = design.accelerator.peak_flops_dense("bf16" if "bf16" in peaks else peaks[0])
    others = [one for one in usable_chips(scenario) if "bf16" in one.precisions_dense]
    if not others:
        return None
    chip = min(others, key=lambda one: abs(log(one.peak_flops_dense("bf16") / own)))
    found = evaluate(replace(design, chip=chip.name, layout=None), scenario, nearest=False)
    return found.design if found.fits else None


def _evaluate_layout(
    design: Design, scenario: Scenario, m: SimpleNamespace, layout: Layout, share: KernelShare, nearest: bool
) -> Outcome:
    micro = layout.micro_batches(scenario.global_batch)
    parts = formulas.step(m, scenario, layout, micro)
    held = {name: part + 0.0 for name, part in formulas.memory(scenario, layout, micro).items()}
    by_stage = sum(held.values())
    most = float(by_stage.max()) if hasattr(by_stage, "max") else float(by_stage)
    terms = _terms(m, scenario, parts)
    seconds = sum(term.seconds for term in terms)
    totals = formulas.run(m, scenario, seconds)
    problems = []
    if most > m.memory:
        other = _nearest(design, scenario, m) if nearest else None
        problems.append(Problem("memory", _overflow_message(by_stage, held, m, scenario), other))
    if m.interval and m.interval < totals.shortest_interval:
        says = (
            f"checkpoint_interval must be at least {totals.shortest_interval:,.0f} s, the time in which a checkpoint reaches "
            f"the storage, got {m.interval:,.0f} s"
        )
        longer = replace(design, checkpoint_interval=totals.shortest_interval * 1.001)
        problems.append(Problem("checkpoint", says, _if_feasible(longer, scenario) if nearest else None))
    never = totals.seconds >= formulas.NEVER
    if never:
        says = f"the run never ends: it fails every {totals.mtbf:,.0f} s and needs {totals.checkpoint_interval + totals.restart_seconds:,.0f} s between failures to make progress"  # fmt: skip
        best = replace(design, checkpoint_interval=None)
        problems.append(Problem("failures", says, _if_feasible(best, scenario) if nearest and m.interval else None))
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
    """Return the terms of a step."""
    found = parts.step
    rows = [
        ("arithmetic", found.model_arithmetic, "transformer.training_flops_per_token", "mfu"),
        ("recomputation", found.recomputation, "transformer.recomputed_flops_per_token", "mfu"),
        ("slow kernels", found.slow_kernels, "capstone.kernel_share", "mfu"),
        ("pipeline bubble", found.pipeline_bubble, "parallelism.bubble_over_ideal", "parallelism"),
        *((_MESSAGES[axis], parts.axes[axis][1], "parallelism.axis_times", "parallelism") for axis in formulas.AXES),
    ]
    computing = sum(float(seconds) for _, seconds, *_ in rows)
    rows.append(("loading", formulas.loading_wait(m, scenario, computing), "loading.step_time", "storage"))
    return tuple(Term(name, float(seconds), function, chapter) for name, seconds, function, chapter in rows)


def _run_terms(totals: formulas.Totals, scenario: Scenario, never: bool) -> tuple[Term, ...]:
    """Return the terms of the whole run."""
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


def _overflow_message(by_stage: Any, held: dict[str, Any], m: SimpleNamespace, scenario: Scenario) -> str:
    stage = int(by_stage.argmax()) if hasattr(by_stage, "argmax") else 0
    parts = {name: float(part[stage] if getattr(part, "ndim", 0) else part) for name, part in held.items()}
    largest = sorted(parts, key=lambda name: -parts[name])[:3]
    listed = ", ".join(f"{name} {parts[name] / 1e9:,.0f}" for name in largest if parts[name] >= 0.5e9)
    return f"stage {stage} needs {sum(parts.values()) / 1e9:,.0f} GB of the chip's {m.memory / 1e9:,.0f}: {listed}"


def _memory_message(m: SimpleNamespace, scenario: Scenario, layout: str) -> str:
    batch = f"{scenario.global_batch:,} sequences" if scenario.global_batch > 1 else "one sequence"
    return f"no {layout} of {m.devices:,} chips of {m.memory / 1e9:,.0f} GB holds the model and divides {batch} per step evenly"


def _nodes_hint(design: Design, scenario: Scenario, m: SimpleNamespace) -> str:
    """Return a hint with the nearest round numbers of nodes below and above that can run, or an empty text.

    The designer chooses the nodes; the batch belongs to the training run.
    """
    powers = [2**exponent for exponent in range(3, 12) if 2**exponent <= design.nodes]
    able = []
    for counts in (
        sorted({design.nodes // power * power for power in powers} - {design.nodes}, reverse=True),
        sorted({-(-design.nodes // power) * power for power in powers} - {design.nodes}),
    ):
        for nodes in counts:
            machine = formulas.machine(replace(design, nodes=nodes, layout=None), scenario, m.share)
            if layout_search.fastest(machine, scenario, usual=True):
                able.append(f"{nodes:,}")
                break
    return f"; {' or '.join(able)} nodes can" if able else ""


def _batch_hint(m: SimpleNamespace, scenario: Scenario) -> str:
    """Return a hint with the nearest global batch that divides evenly, or an empty text."""
    step = m.devices // gcd(m.devices, m.domain)
    batch = max(round(scenario.global_batch / step), 1) * step
    able = batch != scenario.global_batch and layout_search.fastest(
        m, replace(scenario, global_batch=batch), usual=True
    )
    return f"; global_batch={batch} can" if able else ""


def _nearest(design: Design, scenario: Scenario, m: SimpleNamespace) -> Design | None:
    """Return the same machine with the valid layout that differs least, or a larger machine."""
    assert design.layout is not None
    layout = layout_search.fitting_layouts(m, scenario).nearest(design.layout)
    return _if_feasible(replace(design, layout=layout), scenario) if layout else _larger(design, scenario, m)


def _larger(design: Design, scenario: Scenario, m: SimpleNamespace) -> Design | None:
    """Return the machine with the nodes doubled as often as needed until a layout fits; None if none does."""
    nodes = design.nodes
    states = 16.0 * formulas.parameters(scenario.config) / m.memory / design.chips_per_node  # at least so many nodes
    while nodes < MOST_NODES:
        nodes *= 2
        if nodes < states or nodes * design.chips_per_node > scenario.global_batch * m.domain * scenario.config.layers:
            continue
        larger = replace(design, nodes=nodes, layout=None)
        layout = layout_search.fastest(formulas.machine(larger, scenario, m.share), scenario, usual=True)
        if layout:
            return _if_feasible(replace(larger, layout=layout), scenario)
    return None


def _if_feasible(design: Design, scenario: Scenario) -> Design | None:
    """Return the design if it can run, else the same at the optimal checkpoint interval; None if neither can."""
    for one in (design, replace(design, checkpoint_interval=None)):
        if evaluate(one, scenario, nearest=False).fits:
            return one
    return None


def _infeasible(design: Design, scenario: Scenario, problems: tuple[Problem, ...], share: KernelShare) -> Outcome:
    """Return the outcome of a design that cannot run."""
    names = ("mfu", "goodput", "work_seconds", "seconds", "mtbf", "checkpoint_interval", "checkpoint_seconds",
             "persist_seconds", "restart_seconds", "waiting_share", "joules", "watts", "kg_by_location", "capital_dollars",
             "running_dollars", "dollars", "memory_bytes")  # fmt: skip
    return Outcome(
        design, scenario, problems, (), (), (), kernel_share=share, **dict.fromkeys(names, nan)
    )  # fmt: skip
