"""A designed cluster: a step as a waterfall, the run and the bill as bars, or the nodes."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from .. import style, typesetting
from ..format import span
from ..heading import ROOM, heading, opening
from ..palette import BLUES, BROKEN, GREY, HAIRLINE, KINDS, OTHERS, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Text
from .node_map import BLOCK, KEY, key, planned, squares
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import capstone

# Rows of the waterfall, in order, and the terms that each stands for.
ROWS = {
    "arithmetic": ("arithmetic",),
    "recomputation": ("recomputation",),
    "slow kernels": ("slow kernels",),
    "pipeline bubble": ("pipeline bubble",),
    "tensor messages": ("tensor messages",),
    "data messages": ("data messages",),
    "all else": ("context messages", "expert messages", "pipeline messages", "loading"),
}
COLOURS = {"arithmetic": WORK, "recomputation": BLUES[1]}  # the others are losses
SHORT = {"lost work": "lost", "waiting for repairs": "waiting"}  # where it stands beside a color
RUN = {"work": WORK, "checkpoints": BLUES[1], "lost work": BROKEN, "restarts": GREY, "waiting for repairs": WAITING}
BILL = {"depreciation": KINDS[0], "electricity": KINDS[2]}
NODES = {
    "unused": (WAITING, "of the job that cannot run", 0.75),
    "others": (OTHERS, "of another copy", 0.75), "copy": (WORK, "of one copy of the model", 0.9),
    "idle": (GREY, "spare", 0.45),
}  # fmt: skip
FIELD = {style.WIDTH: (136, 500), style.NARROW: (126, 262)}  # px: left and right of the waterfall
ROW, BAND = {style.WIDTH: 26, style.NARROW: 32}, 19  # px: a row of the waterfall, and the height of a bar
PARTS = ("the step", "the run and the bill", "the nodes")
BODY = {style.WIDTH: 226, style.NARROW: 268}  # px: height of each part
LINES = {style.WIDTH: 1, style.NARROW: 2}  # of text below a bar


@two_widths
def cluster(
    outcome: capstone.Outcome, *, part: str = PARTS[0], subtitle: str | None = None, width: int = style.WIDTH
) -> Picture:
    """Draw a designed machine and what it does to a training.

    Parameters
    ----------
    outcome : capstone.Outcome
        Result of `capstone.evaluate`.
    part : str
        Part that is drawn, ``"the step"``, ``"the run and the bill"`` or ``"the nodes"``.
    subtitle : str
        Model and machine, a few words; by default the model, the tokens and the machine.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Parts of a step as shares of it; or what the days and the dollars go into; or every node, those that hold one copy
        of the model marked. All have one height. Of a machine that cannot run, the reason and the nodes.

    Raises
    ------
    ValueError
        For another part.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario)
    >>> cluster(out).title == f"{out.days:.1f} days, {dollars(out.dollars)}, MFU {100 * out.mfu:.0f} %"
    True
    """
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(map(repr, PARTS))}; got {part!r}")
    runs = outcome.fits and isfinite(outcome.seconds)
    if runs:
        title = f"{_days(outcome.days)}, {dollars(outcome.dollars)}, MFU {100 * outcome.mfu:.0f} %"
    else:
        title = f"It cannot run: {outcome.problems[0].rule}"
    subtitle = f"{about(outcome)}, {tokens(outcome)}" if subtitle is None else subtitle
    top = BODY[width]
    height = top + ROOM[width]
    shapes = [*heading(title, subtitle, width, height)]
    if not runs:
        lines = typesetting.lines(outcome.problems[0].says, width - 16)
        shapes += [Text(8, top - 14 - 18 * number, line) for number, line in enumerate(lines)]
        shapes += _machine(outcome, width, top - 22 - 18 * len(lines))
    elif part == PARTS[0]:
        shapes += _steps(outcome, width, top)
    elif part == PARTS[1]:
        shapes += _bars(outcome, width, top)
    else:
        shapes += _machine(outcome, width, top)
    return of_shapes(shapes, title, _described(outcome, title, subtitle, runs), width, height)


def about(outcome: capstone.Outcome) -> str:
    """What is trained on what."""
    design, scenario = outcome.design, outcome.scenario
    name = scenario.model if isinstance(scenario.model, str) else "Your model"
    return f"{name}, {design.devices:,} × {design.accelerator.name}"


def tokens(outcome: capstone.Outcome) -> str:
    """How much is trained on."""
    return f"{outcome.scenario.tokens / 1e12:,.3g} trillion tokens"


def dollars(amount: float) -> str:
    """An amount of money with three digits.

    >>> dollars(61.2e6), dollars(1.29e9), dollars(84_100)
    ('$61.2 million', '$1.29 billion', '$84.1 thousand')
    """
    for unit, name in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if amount >= unit:
            return f"${amount / unit:#.3g}".rstrip(".") + f" {name}"
    return f"${amount:.0f}"


def waterfall_rows(outcome: capstone.Outcome) -> dict[str, float]:
    """Seconds of each row of the waterfall."""
    terms = {term.name: term.seconds for term in outcome.terms}
    return {row: sum(terms.get(name, 0.0) for name in names) for row, names in ROWS.items()}


def _days(days):
    return f"{days:,.1f} days" if days < 100 else f"{days:,.0f} days"


def _steps(outcome, width, top):
    rows, total, (left, right) = waterfall_rows(outcome), outcome.step_seconds, FIELD[width]
    yield Text(8, top - 14, f"A step of {span(total)}", bold=True)
    first, start = top - 40, 0.0
    for share in (0, 0.5, 1):
        x = left + (right - left) * share
        yield Line(((x, first + 14), (x, first - ROW[width] * len(rows) + 12)), HAIRLINE if share else GREY)
    for row, (name, seconds) in enumerate(rows.items()):
        y = first - ROW[width] * row
        x0, x1 = (left + (right - left) * part / total for part in (start, start + seconds))
        percent = f"{100 * seconds / total:.1f} %" + (" = MFU" if row == 0 and width == style.WIDTH else "")
        bar = Bar(x0, y - BAND / 2, max(x1 - x0, 1.5 if seconds else 0.0), BAND, COLOURS.get(name, WAITING))
        yield RowMark(name, (Text(8, y, name), bar, Text(right + 10, y, percent)))
        start += seconds


def _bars(outcome, width, top):
    run = {term.name: term.seconds for term in outcome.run_terms}
    share = 100 * outcome.goodput
    yield from _bar(f"The run: {_days(outcome.days)}, {share:.1f} % of it work that is kept", run, RUN, width, top)
    below = top - (24 + BAND + 18 * LINES[width] + 30)
    head = f"The bill: {dollars(outcome.dollars)}; the machine: {dollars(outcome.capital_dollars)}"
    yield from _bar(head, outcome.bill, BILL, width, below)


def _bar(head, parts, colors, width, top):
    """A line of words, a bar of all parts one behind the other, and what they are."""
    total, x = sum(parts.values()), 8.0
    yield Text(8, top - 14, head, bold=True)
    for name, amount in parts.items():
        wide = (width - 16) * amount / total
        yield RowMark(name, (Bar(x, top - 28 - BAND, max(wide, 1.0 if amount else 0.0), BAND, colors[name]),))
        x += wide
    words = [
        f"{SHORT.get(name, name)} {100 * amount / total:.1f} %"
        for name, amount in parts.items()
        if amount > 0.0005 * total
    ]
    places = typesetting.flow(words, 8, width - 8, mark=15, gap=12)
    for word, (x, row), name in zip(
        words, places, (name for name, part in parts.items() if part > 0.0005 * total), strict=True
    ):
        y = top - 28 - BAND - 13 - 17 * row
        yield RowMark(name, (Bar(x, y - 5, 10, 10, colors[name]), Text(x + 15, y, word)))


def _machine(outcome, width, top):
    design = outcome.design
    spares = design.spares or 0
    group = outcome.scenario.failures.group_nodes or BLOCK
    kinds = ["others" if outcome.fits else "unused"] * design.nodes + ["idle"] * spares
    head = f"The machine: {design.nodes:,} nodes" + (f" and {spares:,} spare" if spares else "")
    if outcome.fits:
        copy = min(outcome.nodes_per_copy, design.nodes)
        kinds[:copy] = ["copy"] * copy
        if width == style.WIDTH:
            head += f"; one copy of the model lies on {copy:,} of them"
    foot = 14 + KEY * (2 if width == style.NARROW else 1)  # of the key
    plan = planned(len(kinds), group, width - 16, top - 28 - foot)
    yield Text(8, top - 14, head, bold=True)
    yield from squares(kinds, NODES, plan, 8, top - 28)
    shown = [name for name in NODES if name in kinds]
    yield from key(shown, NODES, 10 + (KEY if width == style.NARROW else 0), width)


def _described(outcome, title, subtitle, runs):
    if not runs:
        return f"{opening(title, subtitle)} {outcome.problems[0].says}."
    step = ", ".join(
        f"{name} {100 * part / outcome.step_seconds:.1f} %" for name, part in waterfall_rows(outcome).items()
    )
    run = ", ".join(f"{term.name} {100 * term.seconds / outcome.seconds:.1f} %" for term in outcome.run_terms)
    bill = ", ".join(f"{name} {dollars(part)}" for name, part in outcome.bill.items())
    design = outcome.design
    return (
        f"{opening(title, subtitle)} Of a step of {span(outcome.step_seconds)}: {step}. Of the run: {run}. Of the bill: {bill}. "
        f"One copy of the model lies on {outcome.nodes_per_copy:,} of {design.nodes:,} nodes; {design.spares or 0:,} are spare."
    )
