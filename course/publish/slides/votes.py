"""Choices that a class votes on before it sees the answer to a prediction: four ranges, one of which holds the answer."""

from itertools import pairwise
from math import floor, log10
from zlib import crc32

CHOICES = 4
APART = 3.0  # ratio of neighboring bounds
SHARES = ((25, 50, 75), (20, 45, 70), (30, 60, 85))  # bounds in percent, if the answer is not a small share


def choices(name, truth, unit):
    """Return the texts of the ranges, in order, and the place of the one that holds the answer.

    Parameters
    ----------
    name : str
        Id of the prediction; the place of the answer follows from it, so that a deck is the same when built again.
    truth : float
        Answer, positive.
    unit : str
        Its unit.
    """
    bounds = _shares(truth) if unit == "%" and 10 <= truth <= 100 else _ratios(truth, crc32(name.encode()) % CHOICES)
    said = [f"{bound:,.12g}" for bound in bounds]
    texts = [
        f"less than {said[0]}",
        *(f"{a} to {b}" for a, b in pairwise(said)),
        f"more than {said[-1]}",
    ]
    return texts, sum(truth > bound for bound in bounds)


def _shares(truth):
    """Return the bounds that the answer is farthest from."""
    return max(SHARES, key=lambda bounds: min(abs(truth - bound) for bound in bounds))


def _ratios(truth, place):
    """Return bounds of one digit, so that the answer lies in the middle of the range at ``place``.

    An answer above 1 has no bound below 1: there is nothing to gain a fraction of, and no part of a device.
    """
    lowest = truth * APART ** (0.5 - place)
    if place and lowest < 1 < truth:
        return _ratios(truth, place - 1)
    return [_one_digit(lowest * APART**number) for number in range(CHOICES - 1)]


def _one_digit(value):
    """Round to one digit.

    >>> _one_digit(2743), _one_digit(0.0871)
    (3000.0, 0.09)
    """
    return float(round(value, -floor(log10(value))))
