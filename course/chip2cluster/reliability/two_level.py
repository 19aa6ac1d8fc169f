"""Checkpoints at two levels: a cheap copy near by, and now and then one that survives anything."""

from __future__ import annotations

from math import exp, expm1, inf
from typing import NamedTuple

from .._validate import one_fraction, one_positive, one_whole


class TwoLevel(NamedTuple):
    """A pattern of local dumps that ends with a global one.

    ``expected_seconds`` of one pattern, and the ``useful_fraction`` of them that is work.
    """

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
    """Expected time of a pattern of segments with local dumps between them and a global one at the end.

    Parameters
    ----------
    segments_per_pattern : int
        Segments of work until the global dump; 1 means no local dumps.
    interval : float
        Work of a segment, seconds.
    local_dump_seconds, global_dump_seconds : float
        Of a dump to memory or disks near by, and to the file system.
    local_restart_seconds, global_restart_seconds : float
        From a failure until work goes on, from either copy.
    mtbf : float
        Mean time between failures of the whole job, seconds.
    fraction_needing_global : float
        Share of the failures that the local copies do not survive, 0 to 1.

    Returns
    -------
    TwoLevel
        ``expected_seconds`` and ``useful_fraction``.

    Notes
    -----
    Each segment but the last ends with a local dump, the last with a global one. A failure
    costs the segment at hand, or the whole pattern so far. Restarts are not hit by failures.
    Ignores that a local copy takes memory. Source: the idea, A. Moody et al., "Design, modeling,
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

    # Time from segment i to the end: fixed + (1 - leaving) * time from segment 0; from the last one backwards.
    fixed, leaving = 0.0, 1.0
    for segment in reversed(range(segments)):
        length = work + (far if segment == segments - 1 else local)
        through, failing = exp(-length / mean), -expm1(-length / mean)
        moves = through + failing * share  # a local failure begins this segment anew
        if moves == 0.0:
            return TwoLevel(inf, 0.0)
        once = failing * (mean + share * far_back + (1.0 - share) * back)
        fixed, leaving = (once + through * fixed) / moves, through * leaving / moves
    seconds = fixed / leaving if leaving else inf
    return TwoLevel(seconds, segments * work / seconds)
