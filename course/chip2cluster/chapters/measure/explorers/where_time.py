"""Explorer of a trace: time of a training step by kind of kernel, and what a faster kind gains."""

from math import inf
from typing import Any

from chip2cluster import draw, measure
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

KINDS = (
    "matrix products", "attention", "conversions", "elementwise", "normalization", "layout copies", "optimizer", "reductions",
)  # fmt: skip
REST, IDLE = "other kernels", "no kernel runs"
FACTORS = (1, 1.25, 1.5, 2, 3, 5, 10, inf)
CARDS = ("H100 SXM", "H200")


class WhereTime(Explorer):
    """Make one kind of kernel of a recorded training step faster, and see what the step gains.

    The step trains a GPT of 355 million parameters on 8 sequences of 1,024 tokens, in eager PyTorch.

    Parameters
    ----------
    kind : str
        Kind of kernel that becomes faster, such as ``"matrix products"`` or ``"conversions"``.
    factor : float
        How many times as fast it becomes; ``float("inf")`` removes it, as fusing it into another kernel does.
    **values
        Start values of the other controls: ``card`` (``"H100 SXM"`` or ``"H200"``).

    Raises
    ------
    ValueError
        If a control is unknown or does not offer a value.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.where_time("matrix products", 2).table[-1]["after (ms)"].__round__(1)
    55.9
    """

    title = "Where did the step's time go?"
    extent = Extent(letters=260)
    positional = ("kind", "factor")
    controls = (
        Choice(name="kind", label="Kind", options=KINDS, default="matrix products"),
        Slider(
            name="factor", label="Becomes faster", options=FACTORS, default=1,
            text=lambda value: "fused away" if value == inf else "as recorded" if value == 1 else f"{value:g} times",
        ),
        Choice(name="card", label="GPU", options=CARDS, default="H100 SXM"),
    )  # fmt: skip
    strip = Strip("factor", {"kind": ALL, "card": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        card, kind, factor = values["card"], values["kind"], values["factor"]
        trace = measure.recorded_trace(card)
        launch = measure.recorded_launch_seconds(card)
        was = measure.step_forecast(trace, launch_seconds=launch)
        step = measure.step_forecast(trace, kind, factor, launch_seconds=launch)
        before, after = _rows(was), _rows(step)
        title = f"The step takes {1e3 * was.seconds:.1f} ms; matrix products are {100 * before[KINDS[0]] / 1e3 / was.seconds:.0f} % of it"
        if factor != 1:
            change = "fused away" if factor == inf else f"{factor:g} times as fast"
            title = f"{kind.capitalize()} {change}: the step {was.seconds / step.seconds:.2f} times"
        subtitle = "One step of a GPT of 355M parameters"
        picture = draw.kernel_kinds(
            before, after, chosen="" if factor == 1 else kind, idle=IDLE, title=title, subtitle=subtitle
        )
        rows = [(name, before[name], after[name], 100 * before[name] / 1e3 / was.seconds) for name in before]
        rows.append(("step", 1e3 * was.seconds, 1e3 * step.seconds, 100.0))
        return Frame(
            picture, Table(card, COLUMNS, tuple(rows), marked=KINDS.index(kind)), _say(kind, factor, was, step)
        )


def _rows(step: measure.StepForecast) -> dict[str, float]:
    """Return the milliseconds of each row of the picture."""
    rows = {name: 1e3 * step.kinds.get(name, 0.0) for name in KINDS}
    rows[REST] = 1e3 * sum(seconds for name, seconds in step.kinds.items() if name not in KINDS)
    rows[IDLE] = 1e3 * (step.seconds - step.kernel_seconds)
    return rows


def _say(kind: str, factor: float, was: measure.StepForecast, step: measure.StepForecast) -> str:
    """Return the gain, its limit, and whether the CPU sets the pace."""
    share = was.kinds[kind] / was.seconds
    most = measure.amdahl_speedup(share, inf)
    text = (
        f"Kernels of kind {kind} take {significant(100 * share, 2)} % of the step. Making them faster makes the step at "
        f"most {most:.2f} times as fast; fusing them away saves their gaps, too."
    )
    if factor != 1:
        text += f" Here the step goes from {1e3 * was.seconds:.1f} to {1e3 * step.seconds:.1f} ms."
    if step.launch_bound:
        text += f" The CPU limits the step: it needs {1e3 * step.host_seconds:.1f} ms for its launches, and the GPU waits for it."
    else:
        text += f" The CPU's launches, {1e3 * step.host_seconds:.1f} ms, are hidden behind the kernels."
    return text


def _milliseconds(value: float) -> str:
    return f"{value:.1f}"


COLUMNS = (
    Column("kind of kernel"),
    Column("before", "ms", _milliseconds),
    Column("after", "ms", _milliseconds),
    Column("fraction of the step", "%", "{:.0f}".format),
)
