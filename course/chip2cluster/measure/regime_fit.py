"""Two-regime fit of latency and bandwidth, for libraries that switch from an eager to a rendezvous protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from .._validate import one_positive, plain, positive
from ..collectives import Fit, fit_alpha_beta

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

LEAST = 3  # sizes in a regime, because two always fit a line


@dataclass(frozen=True)
class RegimeFit:
    """Result of `fit_regimes`: the fit ``small`` below ``boundary_bytes``, and ``large`` from there on."""

    small: Fit
    large: Fit
    boundary_bytes: float

    @property
    def residuals(self) -> np.ndarray:
        """Relative residuals ``(measured - model) / measured``, by increasing size."""
        return np.concatenate([self.small.residuals, self.large.residuals])

    def predict(self, message_bytes: ArrayLike) -> FloatOrArray:
        """Return the time of the fitted model, seconds; it may jump at the boundary."""
        size = positive("message_bytes", message_bytes, allow_zero=True)
        return plain(np.where(np.less(size, self.boundary_bytes), self.small.predict(size), self.large.predict(size)))


def fit_regimes(
    message_bytes: ArrayLike,
    seconds: ArrayLike,
    ranks: int,
    *,
    boundary_bytes: float | None = None,
    weighting: Literal["absolute", "relative"] = "relative",
) -> RegimeFit:
    """Fit latency and bandwidth separately to small and to large messages.

    Parameters
    ----------
    message_bytes : array, shape (measurements,)
        Message sizes in any order, bytes.
    seconds : array, shape (measurements,)
        Measured times, seconds.
    ranks : int
        Number of ranks of the all-reduce; with 2, `Fit.collective_latency` and `Fit.algorithm_bandwidth`
        also hold for the one-way time of a ping-pong.
    boundary_bytes : float, optional
        First size of the large regime; None chooses the one with the smallest sum of squared
        relative residuals.
    weighting : {"absolute", "relative"}
        Weighting of the residuals, same as in `collectives.fit_alpha_beta`.

    Returns
    -------
    RegimeFit
        Both fits, and the boundary.

    Raises
    ------
    ValueError
        A regime has fewer than three sizes, or no boundary leaves times that grow with size on both sides.

    Notes
    -----
    Below the boundary a message is sent eagerly, above it after a rendezvous with the receiver; each protocol has its
    own latency and bandwidth. Ignores more than two regimes. Source: least squares on each side, for every boundary.

    Examples
    --------
    >>> from chip2cluster.measure import recorded
    >>> run = recorded("mpi ping-pong, 2 ranks, quiet")
    >>> fit = fit_regimes(run.message_bytes, run.seconds, run.ranks)
    >>> fit.boundary_bytes, round(1e6 * fit.small.collective_latency, 2)
    (4096.0, 0.95)
    """
    size, measured = (
        np.atleast_1d(positive("message_bytes", message_bytes)),
        np.atleast_1d(positive("seconds", seconds)),
    )
    # Checks sizes, ranks and weighting for both sides; whether the times grow is checked for each side alone.
    fit_alpha_beta(size, size if size.shape == measured.shape else measured, ranks, weighting=weighting)
    order = np.argsort(size, kind="stable")
    size, measured = size[order], measured[order]
    if boundary_bytes is not None:
        starts = [one_positive("boundary_bytes", boundary_bytes)]
    else:
        starts = [float(start) for start in np.unique(size)]
    starts = [start for start in starts if all(len(np.unique(size[part])) >= LEAST for part in _parts(size, start))]
    if not starts:
        raise ValueError(
            f"message_bytes must hold {LEAST} different sizes or more on each side of boundary_bytes"
            f" ({'any' if boundary_bytes is None else f'{boundary_bytes:g}'}), got {len(np.unique(size))} sizes"
        )
    fits = []
    for start in starts:
        try:
            small, large = (
                fit_alpha_beta(size[part], measured[part], ranks, weighting=weighting) for part in _parts(size, start)
            )
        except ValueError:
            continue
        fits.append(RegimeFit(small, large, start))
    if not fits:
        raise ValueError(
            "seconds must grow with message_bytes on both sides of a boundary, or no bandwidth can be fitted"
        )
    return min(fits, key=lambda fit: float(fit.residuals @ fit.residuals))


def _parts(size: np.ndarray, start: float) -> tuple[np.ndarray, np.ndarray]:
    return size < start, size >= start
