"""Put labels where they cover nothing: a small greedy placer in pixels."""

from itertools import pairwise

import numpy as np

_ANGLES = np.radians([90, 270, 45, 135, 315, 225, 0, 180, 67, 113, 293, 247, 20, 160, 340, 200])
_DISTANCES = np.array([9.0, 18.0, 32.0, 50.0, 72.0, 98.0])
_UNIT = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_REACH = np.repeat(_DISTANCES, len(_ANGLES))
_EFFORT = _REACH + np.tile(0.8 * np.arange(len(_ANGLES)), len(_DISTANCES))  # the first angles are preferred


def place(anchor, size, taken, bounds, *, clearance=3):
    """Find the box of a label near its anchor.

    Parameters
    ----------
    anchor : (x, y)
        The point that the label names, px.
    size : (width, height)
        Of the label, px.
    taken : array of shape (n, 5)
        What to keep clear of: ``x0, y0, x1, y1, weight``. A point of a line is a
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
    half, anchor = np.asarray(size, float) / 2, np.asarray(anchor, float)
    shift = _UNIT[None] * _DISTANCES[:, None, None] + half * np.clip(1.2 * _UNIT, -1, 1)[None]
    centre = (anchor + shift).reshape(-1, 2)
    low, high = np.asarray(bounds[:2]) + half, np.asarray(bounds[2:]) - half
    outside = np.maximum(low - centre, 0).sum(1) + np.maximum(centre - high, 0).sum(1)
    near = np.clip(anchor, centre - half, centre + half)
    cost = _EFFORT + 1e3 * outside
    if len(taken):
        box = taken[None]
        wide = np.minimum(centre[:, :1] + half[0] + clearance, box[..., 2]) - np.maximum(
            centre[:, :1] - half[0] - clearance, box[..., 0]
        )
        tall = np.minimum(centre[:, 1:] + half[1] + clearance, box[..., 3]) - np.maximum(
            centre[:, 1:] - half[1] - clearance, box[..., 1]
        )
        cost = cost + ((wide >= 0) * (tall >= 0) * (wide + 1) * (tall + 1)) @ taken[:, 4]
        # A leader must not run through a label either.
        covered = (taken[:, :2] <= anchor).all(1) & (taken[:, 2:4] >= anchor).all(1)
        solid = taken[(taken[:, 2] > taken[:, 0]) & ~covered]
        for part in (0.35, 0.55, 0.75):
            x, y = (anchor + part * (near - anchor)).T[:, :, None]
            hit = (x > solid[:, 0]) & (x < solid[:, 2]) & (y > solid[:, 1]) & (y < solid[:, 3])
            cost = cost + 400.0 * hit.sum(1) * (_REACH > 15)
    best = int(np.argmin(cost))
    x, y = centre[best]
    box = (x - half[0], y - half[1], x + half[0], y + half[1])
    away = np.hypot(*(near[best] - anchor)) > 14
    return box, (tuple(anchor), tuple(near[best])) if away else None


def along(points, weight=60.0, step=6.0):
    """Boxes without area along a polyline, so that `place` keeps labels off it."""
    points = np.asarray(points, float)
    boxes = []
    for start, end in pairwise(points):
        count = max(2, int(np.hypot(*(end - start)) / step))
        dots = start + (end - start) * np.linspace(0, 1, count)[:, None]
        boxes.append(np.hstack([dots, dots, np.full((count, 1), weight)]))
    return np.vstack(boxes)
