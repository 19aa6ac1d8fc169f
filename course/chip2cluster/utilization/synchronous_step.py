"""Synchronous step of several ranks: each does its own work, then all wait for the straggler."""

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
    """Seconds of one synchronous step for each rank, arrays of shape (ranks,).

    Attributes
    ----------
    data : array
        Waiting for data.
    arithmetic : array
        Forward and backward pass.
    wait : array
        Waiting for the last rank (the straggler).
    exchange : array
        Messages.
    """

    data: NDArray
    arithmetic: NDArray
    wait: NDArray
    exchange: NDArray

    @property
    def all_reduce(self) -> NDArray:
        """Time as in a log, from a rank's entry into the exchange to its end."""
        return self.wait + self.exchange

    @property
    def last(self) -> int:
        """Rank that all others wait for: the straggler."""
        return int(np.argmin(self.wait))

    @property
    def seconds(self) -> float:
        """Length of the step, the same for all ranks."""
        return float((self.data + self.arithmetic + self.all_reduce).max())


def ranks_step(data_seconds: ArrayLike, arithmetic_seconds: ArrayLike, exchange_seconds: float) -> RanksStep:
    """Time of a step in which all ranks enter one exchange that waits for the last (the straggler).

    Parameters
    ----------
    data_seconds : array, shape (ranks,)
        Time that each rank waits for its data, seconds.
    arithmetic_seconds : array, shape (ranks,)
        Forward and backward pass of each rank, seconds; one value for each of ``data_seconds``.
    exchange_seconds : float
        Time of the exchange once all ranks have entered, seconds.

    Returns
    -------
    RanksStep
        Seconds of each part for each rank.

    Notes
    -----
    Assumes that no part of the exchange overlaps and that its messages take the same time for
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
