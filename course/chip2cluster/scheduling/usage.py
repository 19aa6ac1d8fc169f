"""Usage as a scheduler remembers it: halved again and again, and turned into Slurm's older fairshare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import fraction, holds, plain, positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def classic_fairshare(usage_share: ArrayLike, share: ArrayLike, damping: ArrayLike = 1.0) -> FloatOrArray:
    """The factor of Slurm's older fairshare: it halves each time that somebody uses his share once more.

    Parameters
    ----------
    usage_share : float or array
        Share of all (decayed) usage that is this user's, 0 to 1.
    share : float or array
        Share of the machine that was promised, above 0 and at most 1.
    damping : float or array
        ``FairShareDampeningFactor``, at least 1.

    Returns
    -------
    float or array
        ``2 ** (-usage_share / share / damping)``.

    Notes
    -----
    Not what Slurm does unless told so (``PriorityFlags=NO_FAIR_TREE``): since 19.05 it ranks,
    see `fair_tree`. Source: Slurm's *Classic fairshare algorithm*.

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
    """What Slurm still counts of usage after some time.

    Parameters
    ----------
    usage : float or array
        CPU-seconds (or what the site bills).
    seconds : float or array
        Since then.
    half_life : float or array
        ``PriorityDecayHalfLife``, seconds.

    Returns
    -------
    float or array
        ``usage * (1 - 0.693 / half_life) ** seconds``: Slurm's own figure for the natural
        logarithm of 2, so that half is left after the half-life but for 2 in ten thousand.

    Notes
    -----
    Ignores ``PriorityUsageResetPeriod``. Source: Slurm's ``priority_multifactor.c``
    (22.05); held against recorded usage.

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
