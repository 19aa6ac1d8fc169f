"""Curves of answers: time over size, throughput over latency, rate over intensity, and cost over use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .shared_options import UsageError
from .text_format import format_value

if TYPE_CHECKING:
    from ..draw import Picture
    from ..specs import Accelerator

Layout = tuple[int, int, float, float]  # chips of a node, nodes, B/s of a link and of a NIC
_EDGE = 4096  # of the square matrix product shown on a roofline
_CONTEXT = 8192  # tokens of the attention shown on a roofline


def all_reduce_times(message_bytes: float, layout: Layout, names: Mapping[str, str], subtitle: str) -> Picture:
    """Draw the times of the algorithms over the size of the buffer, 1 KB to 10 GB.

    Parameters
    ----------
    message_bytes : float
        Buffer of the answer; marked, if it is in that range.
    layout : tuple
        Chips of a node, nodes, unidirectional B/s of a link and of a NIC.
    names : mapping of str to str
        Names in the picture of the rows of `collectives.hierarchy_table`.
    subtitle : str
        Machine.

    Returns
    -------
    Picture
        One line per algorithm.

    Raises
    ------
    UsageError
        The buffer is smaller or larger than the picture shows.
    """
    import numpy as np

    from .. import collectives, draw

    if not 1e3 <= message_bytes <= 1e10:
        raise UsageError("argument --plot: the curve shows buffers of 1 KB to 10 GB")

    def curve(row: str) -> Callable[[Any], Any]:
        def seconds(sizes: Any) -> Any:
            times = [
                collectives.hierarchy_table(float(one), *layout)["total (ms)"][row] / 1e3 for one in np.ravel(sizes)
            ]
            return np.reshape(times, np.shape(sizes))

        return seconds

    curves = [draw.Curve(says, curve(row)) for row, says in names.items()]
    best = min(curves, key=lambda one: float(one.seconds(message_bytes)))
    size, time = format_value(message_bytes, "B"), format_value(float(best.seconds(message_bytes)), "s")
    title = f"{size}: the fastest of these is {best.name}, {time}"
    return draw.message_times(curves, message_bytes, title=title, subtitle=subtitle, description=f"{title}; {subtitle}")


def owned_or_rented(
    chip: str, capital: float, years: float, used: float, price: float, break_even: float, rates: Mapping[str, float]
) -> Picture:
    """Draw the dollars of a used chip-hour, owned and rented, over the fraction of hours in use."""
    from .. import draw, economics

    shares = sorted({*(step / 50 for step in range(5, 51)), used})
    costs = {share: economics.own_cost(capital, years, used_fraction=share, **rates) for share in shares}
    curve = [(share, float(cost.total)) for share, cost in costs.items()]
    subtitle = f"{chip}, kept for {years:g} years"
    return draw.buy_or_rent(curve, price, break_even, used, energy=float(costs[used].energy), subtitle=subtitle)


def roofline_of_chip(chip: Accelerator) -> Picture:
    """Draw the roofline of a chip at bf16, or at its first precision, with two operations of a transformer."""
    from .. import draw

    precision = "bf16" if "bf16" in chip.precisions_dense else chip.precisions_dense[0]
    roof = draw.Roof(chip.name, chip.peak_flops_dense(precision), chip.memory_bandwidth)
    width = 2.0  # bytes of a value
    product = 2 * _EDGE**3 / (3 * _EDGE**2 * width)
    operations = (
        draw.Operation(f"matrix product, {_EDGE} cubed", product, moved=True),
        # Each cached value takes part in one multiply-add per query head of its group, here one.
        draw.Operation(f"decode attention, {_CONTEXT:,} tokens", 2 / width),
    )
    return draw.roofline((roof,), operations, subtitle=f"{chip.name}, dense {precision}")


def serving_frontier(
    sweeps: Mapping[int, Callable[[], list[tuple[float, float]]]], limit: float | None, subtitle: str
) -> Picture:
    """Draw throughput of a chip over time per output token, one point for each number of users and of chips.

    Parameters
    ----------
    sweeps : mapping of int to callable
        TPOT in seconds and output tokens/s of a chip, for 1, 2, 4 and more users, by chips of a replica.
    limit : float or None
        Required TPOT, seconds; named in the title.
    subtitle : str
        Model, chip and precision.

    Returns
    -------
    Picture
        Points, and the best within the requirement marked.
    """
    from .. import draw

    points, places = [], []
    for chips, sweep in sweeps.items():
        group = f"{chips} chip{'s' * (chips > 1)}"
        for power, (seconds, rate) in enumerate(sweep()):
            points.append(
                draw.Point(
                    f"{2**power:,} user{'s' * (power > 0)}" if power % 3 == 0 else "", group, 1e3 * seconds, rate
                )
            )
            places.append(group)
    within = [place for place, one in enumerate(points) if limit is None or one.x <= 1e3 * limit]
    chosen = max(within or range(len(points)), key=lambda place: points[place].y)
    best = points[chosen]
    title = f"{best.y:,.0f} tokens/s of a chip at {best.x:.3g} ms a token, with {best.group} per replica"
    across = _axis("time per output token (TPOT), ms", [one.x for one in points])
    up = _axis("output tokens/s of a chip", [one.y for one in points])
    description = f"{title}; {subtitle}"
    return draw.scatter(
        points,
        chosen,
        across=across,
        up=up,
        groups=list(dict.fromkeys(places)),
        title=title,
        subtitle=subtitle,
        description=description,
    )


def _axis(name: str, values: list[float]) -> Any:
    from math import ceil, floor, log10

    from .. import draw

    low, high = floor(log10(min(values))), ceil(log10(max(values) * 1.01))
    return draw.Axis(name, 10.0**low, 10.0**high, tuple(10.0**power for power in range(low, high + 1)))
