"""Bootstrap of measured runs: times drawn from a recording, and five statistics of each run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import one_positive, one_whole, positive, shortened
from .collective_records import Recording
from .sample import Sample

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

_SHARES = {"best": 0.0, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95, "worst": 1.0}
STATISTICS = {"best": 0.0, "median": 0.5, "mean": None, "95 %": 0.95, "worst": 1.0}


def redraw(
    measured: Recording | Sample,
    repeats: int,
    *,
    message_bytes: float | None = None,
    runs: int = 1,
    warm_up: bool = True,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Draw bootstrap runs from a measured one.

    Parameters
    ----------
    measured : Recording or Sample
        Recording with quantiles, or all times of your own benchmark.
    repeats : int
        Number of times in a run.
    message_bytes : float, optional
        Message size of the recording; None uses its first size. Must be None for a sample.
    runs : int
        Number of runs.
    warm_up : bool
        Whether to exclude the slower first call; otherwise each run begins with it.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    array, shape (runs, repeats)
        Times, seconds.

    Raises
    ------
    ValueError
        The recording has no quantiles, or does not have the message size.

    Notes
    -----
    For a recording, the logarithm of the time is interpolated linearly between the recorded quantiles (best, 25, 50, 75,
    95 %, worst); for a sample, its times are drawn with replacement. Ignores the correlation of neighboring repeats, and
    that a longer run has worse outliers, so the drawn runs are less noisy than a real machine.
    Source: Efron, *Bootstrap methods*, Annals of Statistics 7, 1979.

    Examples
    --------
    >>> from chip2cluster.measure import recorded
    >>> quiet = recorded("mpi all-reduce, 2 ranks, quiet")
    >>> redraw(quiet, 100, message_bytes=1048576, runs=3).shape
    (3, 100)
    """
    repeats, runs, seed = one_whole("repeats", repeats), one_whole("runs", runs), one_whole("seed", seed, 0)
    generator = np.random.default_rng(seed)
    if isinstance(measured, Sample):
        if message_bytes is not None:
            raise ValueError(f"message_bytes must be left out, because a Sample has one size, got {message_bytes!r}")
        times = generator.choice(measured.times_seconds, (runs, repeats))
        first = float(measured.warm_up_seconds[0]) if len(measured.warm_up_seconds) else None
    elif isinstance(measured, Recording):
        at = _place(measured, message_bytes)
        quantiles = [float(measured.statistics[name][at]) for name in _SHARES]
        times = np.exp(np.interp(generator.random((runs, repeats)), list(_SHARES.values()), np.log(quantiles)))
        first = float(measured.statistics["first"][at])
    else:
        raise TypeError(f"measured must be a Recording or a Sample, got {type(measured).__name__}")
    if not warm_up and first is not None:
        times[:, 0] = first
    return times


def five_statistics(times_seconds: ArrayLike) -> Mapping[str, Any]:
    """Compute best, median, mean, 95th percentile and worst of each run.

    Parameters
    ----------
    times_seconds : array, shape (..., repeats)
        Times of one run or several, seconds.

    Returns
    -------
    dict
        Statistics by name, seconds, shape (...); a float for one run.

    Notes
    -----
    With more repeats the best never increases and the worst never decreases, so both depend on the number of repeats. Source:
    Hoefler and Belli, *Scientific benchmarking of parallel computing systems*, SC 2015.

    Examples
    --------
    >>> five_statistics([1.0, 1.0, 1.0, 9.0])["mean"]
    3.0
    """
    times = np.asarray(positive("times_seconds", times_seconds))
    if times.ndim < 1 or not times.size:
        raise ValueError(f"times_seconds must hold the times of one run or several, got {shortened(times_seconds)}")
    shares = [share for share in STATISTICS.values() if share is not None]
    quantiles = iter(np.quantile(times, shares, axis=-1))
    values = {name: times.mean(axis=-1) if share is None else next(quantiles) for name, share in STATISTICS.items()}
    return {name: float(value) if np.ndim(value) == 0 else value for name, value in values.items()}


def _place(recording: Recording, message_bytes: float | None) -> int:
    """Return the index of a size in a recording that has the required quantiles."""
    if missing := [name for name in ("first", *_SHARES) if name not in recording.statistics]:
        raise ValueError(f"measured must hold quantiles of its times; {recording.name!r} has no {missing[0]!r}")
    if message_bytes is None:
        return 0
    size = one_positive("message_bytes", message_bytes)
    if size not in recording.message_bytes:
        sizes = ", ".join(f"{size:,.0f}" for size in recording.message_bytes.tolist())
        raise ValueError(f"message_bytes must be one of {sizes}; got {message_bytes!r}")
    return int(np.flatnonzero(recording.message_bytes == size)[0])
