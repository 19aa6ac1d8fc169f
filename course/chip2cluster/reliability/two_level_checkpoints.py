"""Two-level checkpointing: frequent local checkpoints, and rarer global ones that survive every failure."""

from __future__ import annotations

from math import exp, expm1, inf
from typing import NamedTuple

from .._validate import one_fraction, one_positive, one_whole


class TwoLevel(NamedTuple):
    """Result of `two_level`: expected seconds of one pattern, and the fraction of them that is work."""

    expected_seconds: float
    useful_fraction: float


def two_level(
    segments_per_pattern: int,
    interval: float,
    local_dump_seconds: float,
    global_dump_seconds: float,
    local_restart_seconds: float,
    global_restart_seconds: float,
    mtbf: float,
    fraction_needing_global: float,
) -> TwoLevel:
    """Expected time of a pattern of work segments with local checkpoints and a global one at the end.

    Parameters
    ----------
    segments_per_pattern : int
        Number of work segments up to the global checkpoint; 1 means no local checkpoints.
    interval : float
        Work in a segment, seconds.
    local_dump_seconds, global_dump_seconds : float
        Time of a checkpoint to local (or neighbor) memory or disk, and to the shared file system, seconds.
    local_restart_seconds, global_restart_seconds : float
        Time from a failure until work continues, from either checkpoint, seconds.
    mtbf : float
        Mean time between failures of the whole job, seconds.
    fraction_needing_global : float
        Fraction of the failures that destroy the local checkpoint, 0 to 1.

    Returns
    -------
    TwoLevel
        Fields ``expected_seconds`` and ``useful_fraction``.

    Notes
    -----
    Each segment but the last ends with a local checkpoint, the last with a global one. A failure
    costs the current segment, or the whole pattern so far. Restarts do not fail.
    Ignores the memory of a local checkpoint. Source: the idea, A. Moody et al., "Design, modeling,
    and evaluation of a scalable multi-level checkpointing system", SC 2010, and Z. Wang et al.,
    "Gemini", SOSP 2023; the time, a linear equation for each segment.

    Examples
    --------
    >>> alone = two_level(1, 900, 5, 60, 60, 600, 10800, 0.2)
    >>> round(alone.useful_fraction, 3), round(two_level(4, 300, 5, 60, 60, 600, 10800, 0.2).useful_fraction, 3)
    (0.883, 0.905)
    """
    segments = one_whole("segments_per_pattern", segments_per_pattern)
    work = one_positive("interval", interval)
    local, far = (
        one_positive("local_dump_seconds", local_dump_seconds, allow_zero=True),
        one_positive("global_dump_seconds", global_dump_seconds, allow_zero=True),
    )
    back = one_positive("local_restart_seconds", local_restart_seconds, allow_zero=True)
    far_back = one_positive("global_restart_seconds", global_restart_seconds, allow_zero=True)
    mean = one_positive("mtbf", mtbf)
    share = one_fraction("fraction_needing_global", fraction_needing_global, allow_zero=True)

    # Time from segment i to the end is fixed + (1 - leaving) * (time from segment 0); computed backwards.
    fixed, leaving = 0.0, 1.0
    for segment in reversed(range(segments)):
        length = work + (far if segment == segments - 1 else local)
        through, failing = exp(-length / mean), -expm1(-length / mean)
        moves = through + failing * share  # a local failure restarts this segment
        if moves == 0.0:
            return TwoLevel(inf, 0.0)
        once = failing * (mean + share * far_back + (1.0 - share) * back)
        fixed, leaving = (once + through * fixed) / moves, through * leaving / moves
    seconds = fixed / leaving if leaving else inf
    return TwoLevel(seconds, segments * work / seconds)
