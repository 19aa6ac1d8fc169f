"""Design memo: content of two pages that state a design, its evidence, its promise and its risks."""

from __future__ import annotations

from dataclasses import replace

from .bounds import bounds
from .design import Design, check_design
from .design_grid import usable_chips
from .evaluation import evaluate
from .frontier import frontier
from .memo_parts import Memo, MemoPoints, MemoRanges, MemoSection, MemoTable
from .outcome import DAY, Outcome
from .outcomes import Outcomes
from .post_mortem_section import post_mortem_section
from .repeated_runs import play_many
from .scenario import Scenario, check_scenario
from .sensitivity import sensitivity

RUNS = 100
FACTORS = 0.25, 0.5, 1.0, 2.0, 4.0  # multiples of the checkpoint interval in the table
LIMIT_UNITS = {
    "memory_bytes": (1e9, "GB"), "capital_dollars": (1e6, "M$"), "dollars": (1e6, "M$"), "watts": (1e6, "MW"),
    "deadline_seconds": (DAY, "days"), "kg_co2": (1e3, "t"),
}  # fmt: skip
LEFT_OUT = (
    ("Stragglers, congestion and the optimizer's own step", "longer"),
    ("Kernels that slow down as a chip gets less work", "longer"),
    ("Failures that break no node, such as software bugs", "shorter"),
    ("Hours that are not this run: ramp-up, evaluation, restarts after a bad loss", "longer"),
    ("Interest, building and staff", "costlier"),
)


def memo(design: Design, scenario: Scenario, *, compared: Outcomes | None = None, title: str = "Design memo") -> Memo:
    """Compose a design memo of two pages: bounds, frontier, sensitivity, checkpoints, post-mortem and what is left out.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.
    compared : Outcomes, optional
        Searched designs for the points of the frontier; None leaves them out.
    title : str
        Title of the memo.

    Returns
    -------
    Memo
        Content of the memo; ``draw.memo`` shows it in a notebook and writes a file to print.

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    Every number comes from the functions that the chapters teach: `bounds`, `evaluate`, `sensitivity`, `play_many` and
    `bad_week`. Ignores what `evaluate` ignores.

    Examples
    --------
    >>> scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=60 * 86400)
    >>> paper = memo(Design(chip="H100 SXM", nodes=16, spares=1), scenario)
    >>> [section.title for section in paper.pages[1]][-1]
    'What the model leaves out'
    """
    check_design(design)
    out = evaluate(design, check_scenario(scenario), nearest=False)
    if not out.fits:
        raise ValueError(f"design must be one that can run, got one that cannot: {out.problems[0].says}")
    first = [_decision(out), _limits(out), _bounds(scenario, out), _frontier(out, compared)]
    second = [
        _sensitivity(out, scenario),
        _interval(out, scenario),
        post_mortem_section(out, scenario, RUNS),
        MemoSection("What the model leaves out", (MemoTable(("effect", "the real run is"), LEFT_OUT),)),
    ]
    return Memo(out, title, (tuple(first), tuple(second)))


def _decision(out: Outcome) -> MemoSection:
    design, layout = out.design, out.design.layout
    assert layout is not None
    low, high = out.interval("days")
    cheap, costly = (value / 1e6 for value in out.interval("dollars"))
    spares = "a replacement at any time" if design.spares is None else f"{design.spares} spares"
    rows = [
        ("Machine", f"{design.nodes:,} nodes of {design.chips_per_node} {design.accelerator.name}, {spares}; "
                    f"{8e-9 * design.nic_bytes_per_second_one_way:.0f} Gb/s per chip; storage {1e-9 * design.storage_bytes_per_second:.0f} GB/s"),
        ("Precision, layout", f"{out.scenario.precision}; tensor {layout.tensor}, pipeline {layout.pipeline} in {layout.chunks} chunks, "
                              f"data {layout.data}, context {layout.context}, ZeRO {layout.zero_stage}"),
        ("Checkpoints", f"every {out.checkpoint_interval / 60:.1f} minutes of work; {out.persist_seconds:.1f} s to the storage"),
        ("Promise, four of five cases", f"{low:.1f} to {high:.1f} days ({out.days:.1f} expected), {cheap:.1f} to {costly:.1f} M$; "
                                        f"MFU {100 * out.mfu:.1f} %, goodput {100 * out.goodput:.1f} %"),
        ("Kernel efficiency", f"{out.kernel_share.share:.3f} of peak, {out.kernel_share.ends[0]:.2f} to {out.kernel_share.ends[1]:.2f}: {out.kernel_share.fitted_on}"),
    ]  # fmt: skip
    model = out.scenario.model if isinstance(out.scenario.model, str) else "a custom model"
    lead = f"Train {model} on {out.scenario.tokens:.3g} tokens, {out.scenario.global_batch:,} sequences a step."
    return MemoSection("", (lead, MemoTable(("", "what is bought and promised"), tuple(rows))))


def _limits(out: Outcome) -> MemoSection:
    rows = []
    for one in out.constraints:
        unit, of = LIMIT_UNITS[one.name]
        rows.append(
            (one.label, f"{one.value / unit:,.1f} {of}", f"{one.limit / unit:,.1f} {of}", f"{100 * one.margin:.0f} %")
        )
    return MemoSection("Limits", (MemoTable(("limit", "takes", "allowed", "left"), tuple(rows)),))


def _bounds(scenario: Scenario, out: Outcome) -> MemoSection:
    rows = []
    for precision in dict.fromkeys((scenario.precision, out.scenario.precision, "fp8")):
        given = replace(scenario, precision=precision)
        chips = {
            chip.name: chip for chip in usable_chips(given) if chip.name in MEMO_CHIPS or chip == out.design.accelerator
        }
        for chip in chips.values():
            one = bounds(given, chip, chips_per_node=out.design.chips_per_node)
            needed = f"{one.fewest_chips / one.most_chips:.0%}" if one.most_chips < float("inf") else "no limit"
            most = f"{one.most_chips:,.0f}"
            rows.append(
                (
                    f"{chip.name}, {precision}",
                    f"{one.fewest_chips:,}",
                    most,
                    needed,
                    "ruled out" if one.rules_out else "",
                )
            )
    header = ("chip and precision", "chips, at least", "chips, at most", "MFU that the limits ask for", "")
    return MemoSection("Bounds: what no design can beat", (MemoTable(header, tuple(rows)),))


MEMO_CHIPS = ("A100 SXM 80GB", "H100 SXM", "H200 SXM", "MI300X", "B200")


def _frontier(out: Outcome, compared: Outcomes | None) -> MemoSection:
    if compared is None:
        return MemoSection("Frontier", ("No other designs were searched for this memo: pass compared=.",))
    best = set(frontier(compared).tolist())
    dots = [(compared.days[n], compared.dollars[n] / 1e6, n in best) for n in range(len(compared)) if compared.meets[n]]
    if not dots:
        return MemoSection("Frontier", ("None of the searched designs meets all limits.",))
    mine = out.days, out.dollars / 1e6
    beaten = [dot for dot in dots if dot[0] < mine[0] and dot[1] < mine[1]]
    says = f"{len(dots):,} searched designs keep all limits, {len(best)} are on the frontier; "
    says += (
        f"{len(beaten):,} are both faster and cheaper than this one." if beaten else "none is both faster and cheaper."
    )
    return MemoSection("Frontier", (MemoPoints(tuple(dots), mine), says))


def _sensitivity(out: Outcome, scenario: Scenario) -> MemoSection:
    rows = [one for one in sensitivity(out.design, scenario) if one.factor > 1.005][:7]
    lines = [
        (one.name.replace("_", " "), min(one.at_low, one.at_high), max(one.at_low, one.at_high), one.because)
        for one in rows
    ]
    return MemoSection(
        "Sensitivity: what is not known, and what it does to the days", (MemoRanges(tuple(lines), out.days),)
    )


def _interval(out: Outcome, scenario: Scenario) -> MemoSection:
    rows = []
    for factor in FACTORS:
        seconds = factor * out.checkpoint_interval
        other = evaluate(replace(out.design, checkpoint_interval=seconds), scenario, nearest=False)
        days = f"{other.days:.2f}" if other.fits else "too short to be written"
        busy = f"{out.persist_seconds / seconds:.1%}"
        rows.append(
            (f"{seconds / 60:.1f} min" + (" (chosen)" if factor == 1 else ""), days, f"{other.goodput:.1%}", busy)
        )
    runs = play_many(out.design, scenario, RUNS)
    middle = " to ".join(f"{runs.percentile('days', percent):.1f}" for percent in (10, 90))
    stuck = int((runs.seconds == float("inf")).sum())
    says = f"In {RUNS} simulated runs the middle 80 % take {middle} days" + (
        f"; {stuck} were given up." if stuck else "."
    )
    header = ("interval", "days", "goodput", "storage busy writing")
    return MemoSection("Interval between checkpoints", (MemoTable(header, tuple(rows)), says))
