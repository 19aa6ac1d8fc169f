"""A step of several ranks: compute, communication, and the wait for the last rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import style
from ..heading import opening
from ..picture import Picture, two_widths
from .timeline import Span, timeline

if TYPE_CHECKING:
    from ... import utilization


@two_widths
def late_rank(step: utilization.RanksStep, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw a step rank by rank.

    Parameters
    ----------
    step : utilization.RanksStep
        Step with up to eight ranks.
    subtitle : str
        Name of the step, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says who is last, and how long another waits for it.

    Examples
    --------
    >>> from chip2cluster.utilization import ranks_step
    >>> late_rank(ranks_step([0.1, 0.1], [1.0, 1.5], 0.25)).title
    'Rank 1 comes last, and the others wait up to 0.50 s'
    """
    rows, told = {}, []
    late_data = bool((step.data > 0.02 * step.seconds).any())  # else too short to be seen
    values = zip(step.data.tolist(), step.arithmetic.tolist(), step.wait.tolist(), step.exchange.tolist(), strict=True)
    for rank, (data, arithmetic, wait, exchange) in enumerate(values):
        ready = data + arithmetic
        rows[f"rank {rank}"] = (
            *([Span("loads", 0.0, data)] if late_data else []),
            Span("works", data, arithmetic, f"{arithmetic:.2f} s"),
            Span("waits", ready, wait),
            Span("sends", ready + wait, exchange),
        )
        told.append(f"rank {rank} computes {arithmetic:.2f} s, waits {wait:.2f} s and sends {exchange:.2f} s")
    title = f"Rank {step.last} comes last, and the others wait up to {step.wait.max():.2f} s"
    if step.wait.max() < 0.005 * step.seconds:
        title = "All ranks come at the same time"
    legend = {"works": "forward and backward", "waits": "waits for the last", "sends": "messages"}
    if late_data:
        legend = {"loads": "waits for data", **legend}
    description = f"{opening(title, subtitle)} In a step of {step.seconds:.2f} s {'; '.join(told)}."
    return timeline(rows, title=title, subtitle=subtitle, legend=legend, description=description, width=width)
