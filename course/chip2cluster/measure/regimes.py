"""One line for small messages and one for large, where a library changes its protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from .._validate import one_positive, plain, positive
from ..collectives import Fit, fit_alpha_beta

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

LEAST = 3  # sizes in a regime: two make any line perfect


@dataclass(frozen=True)
class Regimes:
    """Result of `fit_regimes`: ``small`` below ``boundary_bytes``, ``large`` from there on."""

    small: Fit
    large: Fit
    boundary_bytes: float

    @property
    def residuals(self) -> np.ndarray:
        """``(measured - model) / measured`` of every size, in increasing order."""
        return np.concatenate([self.small.residuals, self.large.residuals])

    def predict(self, message_bytes: ArrayLike) -> FloatOrArray:
        """Time of the fitted model, seconds; it may jump at the boundary, as protocols do."""
        size = positive("message_bytes", message_bytes, allow_zero=True)
        return plain(np.where(np.less(size, self.boundary_bytes), self.small.predict(size), self.large.predict(size)))


def fit_regimes(
    message_bytes: ArrayLike,
    seconds: ArrayLike,
    ranks: int,
    *,
    boundary_bytes: float | None = None,
    weighting: Literal["absolute", "relative"] = "relative",
) -> Regimes:
    """Fit a latency and a bandwidth to small messages and to large ones apart.

    Parameters
    ----------
    message_bytes : array, shape (measurements,)
        Sizes, bytes, in any order.
    seconds : array, shape (measurements,)
        Their times.
    ranks : int
        Participants of the all-reduce; with 2, `Fit.collective_latency` and `Fit.algorithm_bandwidth`
        are those of a ping-pong's one-way time, too.
    boundary_bytes : float, optional
        First size of the large regime. Left out, the one that leaves the smallest squares
        of the relative residuals.
    weighting : {"absolute", "relative"}
        As in `collectives.fit_alpha_beta`.

    Returns
    -------
    Regimes

    Raises
    ------
    ValueError
        A regime has fewer than three sizes, or no boundary leaves times that grow with size on both sides.

    Notes
    -----
    Below the boundary a message is copied along with its announcement, above it the
    receiver is asked first: each way has a latency and a bandwidth of its own. Ignores that there may be
    more than two. Source: least squares on each side, every boundary tried.

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
    # What it refuses of sizes, ranks and weighting is refused here; that the times grow is asked of each side alone.
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
        fits.append(Regimes(small, large, start))
    if not fits:
        raise ValueError(
            "seconds must grow with message_bytes on both sides of a boundary, or no bandwidth can be fitted"
        )
    return min(fits, key=lambda fit: float(fit.residuals @ fit.residuals))


def _parts(size: np.ndarray, start: float) -> tuple[np.ndarray, np.ndarray]:
    return size < start, size >= start
