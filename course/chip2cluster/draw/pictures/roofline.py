"""The roofline picture: operations on the roofs of one or two devices.

Drawn in two layers: `roofline_axes` has the one that depends on the devices alone; operations, their labels and the
title are drawn for every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from ... import roofline as model
from ...units import show, significant
from .. import labels, style, typesetting
from ..format import tera
from ..heading import heading
from ..palette import KINDS
from ..picture import Picture, layered, two_widths
from ..roofline_axes import POINT, SOLID, Roof, roofline_axes
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

# At least this much is always shown, so that devices can be compared by eye.
INTENSITIES = (0.1, 3e5)  # FLOP/byte
RATES = (1e11, 3e15)  # FLOP/s


@dataclass(frozen=True)
class Operation:
    """A point on the roof.

    ``moved`` marks the one that the reader moves; ``start`` is the intensity at which its path begins,
    ``cache_intensity`` the intensity against a cache. With ``flops`` and ``floor_seconds``, the shortest time of a kernel, it
    is below the roof if it is too small to reach it.
    """

    name: str
    intensity: float
    moved: bool = False
    start: float | None = None
    cache_intensity: float | None = None
    flops: float | None = None
    floor_seconds: float = 0.0

    def rate(self, roof: Roof) -> float | None:
        """Return its attainable rate on a roof, FLOP/s; None if it is not on this roof."""
        intensity = self.on(roof)
        if intensity is None:
            return None
        rate: float = model.attainable(
            intensity, roof.peak_flops, roof.memory_bandwidth, flops=self.flops, floor_seconds=self.floor_seconds
        )
        return rate

    def on(self, roof: Roof) -> float | None:
        """Return its intensity on a roof, FLOP/byte; None if it is not on this roof."""
        return self.cache_intensity if roof.cache else self.intensity


@two_widths
def roofline(
    roofs: Sequence[Roof],
    operations: Sequence[Operation],
    *,
    title: str = "",
    subtitle: str = "",
    unit: str = "FLOP",
    width: int = style.WIDTH,
) -> Picture:
    """Draw operations on the roofs of one or two devices.

    Parameters
    ----------
    roofs : sequence of Roof
        Roofs of one or two devices; title and labels describe the first.
    operations : sequence of Operation
        Up to six operations.
    title : str
        The finding; by default the bound of the moved operation, or else of the first.
    subtitle : str
        Subject of the title, a few words.
    unit : {"FLOP", "OP"}
        "OP" for whole-number precisions.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        If there are no roofs or more than two, or no operations or more than six.
    """
    roofs, operations = tuple(roofs), tuple(operations)
    if not 1 <= len(roofs) <= 2:
        raise ValueError(f"a roofline picture shows one or two roofs, got {len(roofs)}")
    if not 1 <= len(operations) <= len(style.MARKERS):
        raise ValueError(f"a roofline picture shows one to six operations, got {len(operations)}")
    axes = roofline_axes(roofs, _limits(roofs, operations), unit, width)
    subject = next((operation for operation in operations if operation.moved), operations[0])
    title = title or finding(roofs[0], subject.intensity, unit)
    description = _describe(roofs, operations, title, unit)

    front = _front(axes, roofs, operations, title, subtitle)

    def figure():
        whole = style.figure(width)
        for shape in (*axes.shapes, *front):
            shape.join(whole)
        return whole

    return layered(axes.svg, front, title, description, width, figure=figure, place=axes.pixel)


def finding(roof: Roof, intensity: float, unit: str = "FLOP") -> str:
    """State the bound of an operation: ``"Memory-bound: 2.0 of 312 TFLOP/s"``.

    >>> finding(Roof("A100", 312e12, 2.0e12), 1.0), finding(Roof("A100", 312e12, 2.0e12), 500.0)
    ('Memory-bound: 2.0 of 312 TFLOP/s', 'Compute-bound: all of 312 TFLOP/s')
    """
    if model.is_compute_bound(intensity, roof.peak_flops, roof.memory_bandwidth):
        return f"Compute-bound: all of {tera(roof.peak_flops)} T{unit}/s"
    rate, digits = roof.rate(intensity), 2
    while tera(rate, digits) == tera(roof.peak_flops, max(digits, 3)) and digits < 8:
        digits += 1
    return f"Memory-bound: {tera(rate, digits)} of {tera(roof.peak_flops, max(digits, 3))} T{unit}/s"


def _limits(roofs, operations):
    """Fixed limits, wider by whole steps only where something would fall outside."""
    intensities = [roof.ridge for roof in roofs] + [operation.intensity for operation in operations]
    intensities += [operation.start for operation in operations if operation.start]
    x0 = min(INTENSITIES[0], 10.0 ** floor(log10(min(intensities) / 1.5)))
    x1 = max(INTENSITIES[1], 3 * 10.0 ** ceil(log10(max(intensities) / 1.5)))
    rates = [roof.rate(intensity) for roof in roofs for intensity in intensities]
    rates += [rate for roof in roofs for operation in operations if (rate := operation.rate(roof)) is not None]
    y0 = min(RATES[0], 10.0 ** floor(log10(min(rates))))
    y1 = max(RATES[1], 3 * 10.0 ** ceil(log10(max(roof.peak_flops for roof in roofs) / 1.5)))
    return (x0, x1), (y0, y1)


def _front(axes, roofs, operations, title, subtitle):
    """Everything that follows the controls, as shapes from back to front."""
    drawn = heading(title, subtitle, axes.width)
    others = iter(zip(KINDS * 2, style.MARKERS, strict=True))
    looks = [(style.HAND, "o") if operation.moved else next(others) for operation in operations]
    points = [axes.pixel(operation.intensity, operation.rate(roofs[0])) for operation in operations]
    # What the reader moves comes last, on top of the others, and is labelled first.
    order = sorted(range(len(operations)), key=lambda index: operations[index].moved)
    for index in order:
        start, stop = operations[index].start, operations[index].intensity
        if start and start != stop:
            corner = min(max(roofs[0].ridge, min(start, stop)), max(start, stop))
            path = tuple(axes.pixel(x, roofs[0].rate(x)) for x in (start, corner, stop))
            drawn.append(Line(path, looks[index][0], width=7, alpha=0.3))
    dots, inner = list(points), []
    for index in order:
        color, shape = looks[index]
        for roof in roofs[1:]:
            if (intensity := operations[index].on(roof)) is None:
                continue
            place = x, y = axes.pixel(intensity, operations[index].rate(roof))
            drawn.append(RowMark(operations[index].name, (Marker(x, y, shape, face=style.PAPER, edge=color, size=8),)))
            dots.append(place)
            if roof.cache:
                inner.append((f"{operations[index].name}, per {roof.name.split()[0]}", place, color))
    for index in order:
        (x, y), (color, shape) = points[index], looks[index]
        mark = Marker(x, y, shape, face=color, size=13 if operations[index].moved else 10)
        drawn.append(RowMark(operations[index].name, (mark,)))
    taken = np.vstack([axes.taken, [[x - 7, y - 7, x + 7, y + 7, SOLID] for x, y in dots]])
    named = [
        (operations[index].name, points[index], looks[index][0], operations[index].moved) for index in reversed(order)
    ]
    for name, point, color, moved in [*named, *((*one, False) for one in inner)]:
        size = typesetting.text_size(name, style.TEXT, "bold" if moved else "normal")
        box, leader = labels.place(point, size, taken, axes.box)
        taken = np.vstack([taken, [[*box, SOLID]]])
        if leader:
            drawn.append(Line(leader, color))
            taken = np.vstack([taken, labels.along(leader, POINT)])
        ink = style.HAND if moved else style.INK
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        drawn.append(RowMark(name, (Text(x, y, name, color=ink, align="center", bold=moved),)))
    return drawn


def _describe(roofs, operations, title, unit):
    lines = [
        f"{roof.name}: the roof rises with {show(roof.memory_bandwidth, 'B/s')} to {tera(roof.peak_flops)} T{unit}/s; "
        f"ridge at {significant(roof.ridge)} {unit}/byte."
        for roof in roofs
    ]
    for operation in operations:
        bound = model.is_compute_bound(operation.intensity, roofs[0].peak_flops, roofs[0].memory_bandwidth)
        lines.append(
            f"{operation.name}: {significant(operation.intensity)} {unit}/byte, "
            f"{tera(operation.rate(roofs[0]))} T{unit}/s, {_bound(operation, roofs[0], bound)}."
        )
    for roof in roofs[1:]:
        lines += [
            f"{operation.name} against {roof.name}: {significant(operation.cache_intensity)} {unit}/byte, at most "
            f"{tera(roof.rate(operation.cache_intensity))} T{unit}/s."
            for operation in operations
            if roof.cache and operation.cache_intensity is not None
        ]
    return " ".join([title + ".", *lines])


def _bound(operation, roof, compute):
    """What holds an operation: a roof, or the shortest time of a kernel."""
    if operation.floor_seconds and operation.rate(roof) < roof.rate(operation.intensity):
        return "below the roof: too short a kernel"
    return "compute-bound" if compute else "memory-bound"
