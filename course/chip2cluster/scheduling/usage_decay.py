"""Usage decay with a half-life, and Slurm's classic fair-share formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import fraction, holds, plain, positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def classic_fairshare(usage_share: ArrayLike, share: ArrayLike, damping: ArrayLike = 1.0) -> FloatOrArray:
    """Factor of Slurm's classic fair share: it halves for each multiple of the share that a user consumes.

    Parameters
    ----------
    usage_share : float or array
        Fraction of the total decayed usage by this user, 0 to 1.
    share : float or array
        Fraction of the machine assigned to this user, above 0 and at most 1.
    damping : float or array
        ``FairShareDampeningFactor``, at least 1.

    Returns
    -------
    float or array
        Factor ``2 ** (-usage_share / share / damping)``.

    Notes
    -----
    Used only with ``PriorityFlags=NO_FAIR_TREE``: since 19.05 the default is `fair_tree`. Source: Slurm's *Classic fairshare algorithm*.

    Examples
    --------
    >>> classic_fairshare([0.0, 0.25, 0.5], 0.25).tolist()
    [1.0, 0.5, 0.25]
    """
    used, promised = fraction("usage_share", usage_share, allow_zero=True), fraction("share", share)
    less = positive("damping", damping)
    if holds(less < 1):
        raise ValueError(f"damping must be at least 1, got {shortened(damping)}")
    return plain(2.0 ** (-used / promised / less))


def decayed_usage(usage: ArrayLike, seconds: ArrayLike, half_life: ArrayLike) -> FloatOrArray:
    """Usage that Slurm still counts after some time, with exponential decay.

    Parameters
    ----------
    usage : float or array
        Usage, CPU-seconds or billing units.
    seconds : float or array
        Elapsed time, seconds.
    half_life : float or array
        ``PriorityDecayHalfLife``, seconds, above 1.

    Returns
    -------
    float or array
        Decayed usage ``usage * (1 - 0.693 / half_life) ** seconds``, with Slurm's rounding of ln 2, so the remainder
        after one half-life differs from a half by 2 in ten thousand.

    Notes
    -----
    Ignores ``PriorityUsageResetPeriod``. Source: Slurm's ``priority_multifactor.c``
    (22.05); verified against recorded usage.

    Examples
    --------
    >>> round(decayed_usage(4303.0, 174, 3600))
    4161
    """
    life = positive("half_life", half_life)
    if holds(life <= 1):
        raise ValueError(f"half_life must be more than a second, got {shortened(half_life)}")
    left = positive("usage", usage, allow_zero=True)
    return plain(left * (1 - 0.693 / life) ** positive("seconds", seconds, allow_zero=True))
