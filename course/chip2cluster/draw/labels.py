"""Placement of labels: a greedy placer that avoids covering other shapes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .shapes import Point

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

_ANGLES = np.radians([90, 270, 45, 135, 315, 225, 0, 180, 67, 113, 293, 247, 20, 160, 340, 200])
_DISTANCES = np.array([9.0, 18.0, 32.0, 50.0, 72.0, 98.0])
_UNIT = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_SHIFTS = (_UNIT * _DISTANCES[:, None, None]).reshape(-1, 2)  # of the end of a leader, from its point
_BESIDE = np.tile(np.clip(1.2 * _UNIT, -1, 1), (len(_DISTANCES), 1))  # and of a label from there, in halves of its size
_EFFORT = (_DISTANCES[:, None] + 0.8 * np.arange(len(_ANGLES))).ravel()  # the first angles are preferred
_LED = 400.0 * np.repeat(_DISTANCES > 15, len(_ANGLES))  # next to its point a label has no leader
_PARTS = np.array([0.35, 0.55, 0.75])[:, None, None]  # of a leader, where it is looked at


def place(
    anchor: Point, size: Point, taken: NDArray[Any], bounds: tuple[float, float, float, float], *, clearance: float = 3
) -> tuple[tuple[float, float, float, float], tuple[Point, Point] | None]:
    """Find the box of a label near its anchor.

    Parameters
    ----------
    anchor : (x, y)
        The point that the label names, px.
    size : (width, height)
        Size of the label, px.
    taken : array of shape (n, 5)
        Boxes to keep clear of: ``x0, y0, x1, y1, weight``. A point of a line is a
        box without area.
    bounds : (x0, y0, x1, y1)
        The label stays inside.
    clearance : float
        Space kept around the label, px.

    Returns
    -------
    box, leader
        ``(x0, y0, x1, y1)`` of the label and, where it does not touch its point, the
        two ends of a thin line between them. Nearest free place first; where none is
        free, the one that covers least.
    """
    half, point = np.asarray(size, float) / 2, np.asarray(anchor, float)
    centre = point + (_SHIFTS + half * _BESIDE)
    near = np.clip(point, centre - half, centre + half)
    cost = _EFFORT + _outside(centre, half, bounds)
    if len(taken):
        cost += _covered(centre - half - clearance, centre + half + clearance, taken)
        cost += _crossed(point, near, taken)
    best = cost.argmin()
    (x, y), end = centre[best], near[best]
    box = (x - half[0], y - half[1], x + half[0], y + half[1])
    leader = (point[0], point[1]), (end[0], end[1])
    return box, leader if np.hypot(*(end - point)) > 14 else None


def _outside(centre, half, bounds):
    """How bad it is that labels in these places would not be inside the bounds."""
    low, high = np.asarray(bounds[:2]) + half, np.asarray(bounds[2:]) - half
    beyond = np.maximum(low - centre, 0) + np.maximum(centre - high, 0)
    return 1e3 * (beyond[:, 0] + beyond[:, 1])


def _covered(low, high, taken):
    """How bad it is what labels with these corners would cover."""
    x0, y0, x1, y1, _ = taken.T
    (left, bottom), (right, top) = low.T[:, :, None], high.T[:, :, None]
    # Few pairs touch: their areas alone are worked out.
    label, other = ((left <= x1) & (x0 <= right) & (bottom <= y1) & (y0 <= top)).nonzero()
    low, high, taken = low[label], high[label], taken[other]
    shared = np.minimum(high, taken[:, 2:4]) - np.maximum(low, taken[:, :2]) + 1
    return np.bincount(label, shared[:, 0] * shared[:, 1] * taken[:, 4], len(left))


def _crossed(anchor, near, taken):
    """How bad it is that leaders to these points would run through a label."""
    x0, y0, x1, y1, _ = taken.T
    px, py = anchor
    solid = (x1 > x0) & ~((x0 <= px) & (x1 >= px) & (y0 <= py) & (y1 >= py))
    x0, y0, x1, y1, _ = taken[solid].T
    x, y = (anchor + _PARTS * (near - anchor)).reshape(-1, 2).T[:, :, None]
    hits = ((x > x0) & (x < x1) & (y > y0) & (y < y1)).sum(1)
    return _LED * hits.reshape(len(_PARTS), -1).sum(0)


def along(points: ArrayLike, weight: float = 60.0, step: float = 6.0) -> NDArray[Any]:
    """Boxes without area along a polyline, so that `place` keeps labels off it."""
    points = np.asarray(points, float)
    boxes = []
    for start, end in pairwise(points):
        count = max(2, int(np.hypot(*(end - start)) / step))
        dots = start + (end - start) * np.linspace(0, 1, count)[:, None]
        boxes.append(np.hstack([dots, dots, np.full((count, 1), weight)]))
    return np.vstack(boxes)
