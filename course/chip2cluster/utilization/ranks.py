"""A step of several ranks: each does its own work, then all wait for the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._typing import ArrayLike


@dataclass(frozen=True)
class RanksStep:
    """Seconds of one step, arrays of shape (ranks,): waiting for data, arithmetic, waiting for the last, messages."""

    data: NDArray
    arithmetic: NDArray
    wait: NDArray
    exchange: NDArray

    @property
    def all_reduce(self) -> NDArray:
        """What a log prints: from a rank's entry into the exchange to its end."""
        return self.wait + self.exchange

    @property
    def last(self) -> int:
        """The rank that all others wait for."""
        return int(np.argmin(self.wait))

    @property
    def seconds(self) -> float:
        """Length of the step, the same for all."""
        return float((self.data + self.arithmetic + self.all_reduce).max())


def ranks_step(data_seconds: ArrayLike, arithmetic_seconds: ArrayLike, exchange_seconds: float) -> RanksStep:
    """Lay out a step in which every rank works, and all enter one exchange that nobody can begin alone.

    Parameters
    ----------
    data_seconds : array, shape (ranks,)
        How long each rank waits for its data, seconds.
    arithmetic_seconds : array, shape (ranks,)
        Its forward and backward pass, seconds.
    exchange_seconds : float
        The exchange once all are there, seconds.

    Returns
    -------
    RanksStep

    Raises
    ------
    ValueError, TypeError
        For lists that differ in length or hold no rank, negative numbers, NaN.

    Notes
    -----
    Assumes that nothing of the exchange is hidden and that its messages take the same time for
    all. Source: the definition of a synchronous step.

    Examples
    --------
    >>> step = ranks_step([0.0, 0.0], [1.0, 1.5], 0.25)
    >>> step.all_reduce.tolist(), step.last, step.seconds
    ([0.75, 0.25], 1, 1.75)
    """
    data = np.asarray(positive("data_seconds", data_seconds, allow_zero=True), float)
    arithmetic = np.asarray(positive("arithmetic_seconds", arithmetic_seconds, allow_zero=True), float)
    if data.ndim != 1 or data.shape != arithmetic.shape or not len(data):
        raise ValueError(
            "data_seconds and arithmetic_seconds must be lists of one length, at least 1, "
            f"got {data.shape} and {arithmetic.shape}"
        )
    exchange = float(positive("exchange_seconds", exchange_seconds, allow_zero=True))
    ready = data + arithmetic
    return RanksStep(data, arithmetic, ready.max() - ready, np.full(len(data), exchange))
