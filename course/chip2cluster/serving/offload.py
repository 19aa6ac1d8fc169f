"""Weights and caches that lie outside the chip's own memory: when nobody notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive
from ..transformer import kv_cache_memory
from .deployment import check_deployment
from .speed import time_to_first_token
from .step import larger

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment
    from .step import Efficiency


def tokens_to_hide(deployment: Deployment, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Tokens that a step must work on so that its arithmetic takes as long as its weights on their way.

    Parameters
    ----------
    deployment : Deployment
        Whose weights lie outside and come in layer by layer, each step anew.
    bandwidth_one_way : float or array
        From there to one device, bytes/s.

    Returns
    -------
    float or array
        Tokens of a step. With fewer the link sets the pace.

    Raises
    ------
    ValueError, TypeError
        For anything but a `Deployment`, and rates that are not above zero.

    Notes
    -----
    A weight takes 2 FLOP for each token and ``weight_bytes`` on the link, so the size of the
    model does not matter: ``weight_bytes * peak / (2 * bandwidth)``. Ignores scores, experts that nobody
    visits, and that devices may share a link. Source: Sheng et al. 2023, "FlexGen".

    Examples
    --------
    >>> from chip2cluster import links
    >>> from chip2cluster.serving import deploy
    >>> round(tokens_to_hide(deploy("Llama 3 8B", "H100 SXM"), links.pcie(5, 16).bandwidth_one_way))
    15701
    """
    check_deployment(deployment)
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    return plain(deployment.weight_bytes * deployment.peak_flops_dense / (2 * rate))


def outside_step_seconds(
    own_bytes: ArrayLike, outside_bytes: ArrayLike, memory_bandwidth: ArrayLike, bandwidth_one_way: ArrayLike
) -> FloatOrArray:
    """Time of a step that reads some bytes from its own memory and some from outside, both at once.

    Parameters
    ----------
    own_bytes, outside_bytes : float or array
        What it reads from each, bytes; zero is allowed.
    memory_bandwidth, bandwidth_one_way : float or array
        Of the memory, and of the link to the outside, bytes/s.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For negative bytes, and rates that are not above zero.

    Notes
    -----
    Perfect overlap, so a bound; what comes in is used at once and not written to the own memory first. The
    outside stays hidden while its share of the bytes is at most ``link / (link + memory)``.
    Source: the larger of two times, as in Williams et al. 2009.

    Examples
    --------
    >>> round(1e3 * outside_step_seconds(15e9, 1e9, 3.35e12, 63e9), 1)      # ms; 4.8 with all of it in HBM
    15.9
    """
    own = positive("own_bytes", own_bytes, allow_zero=True) / positive("memory_bandwidth", memory_bandwidth)
    outside = positive("outside_bytes", outside_bytes, allow_zero=True)
    return plain(larger(own, outside / positive("bandwidth_one_way", bandwidth_one_way)))


def fetch_or_read(
    deployment: Deployment,
    tokens: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike = 0.0,
    *,
    efficiency: Efficiency | None = None,
) -> tuple[FloatOrArray, FloatOrArray]:
    """Time to fetch the keys and values of tokens from outside, and to read the tokens again instead.

    Parameters
    ----------
    deployment : Deployment
    tokens : int or array of int
        Of a conversation so far, or of a prefix that many share.
    bandwidth_one_way : float or array
        From there to the replica, all its devices together, bytes/s.
    latency : float or array
        Seconds before the first byte.
    efficiency : Efficiency, optional
        Of reading; None gives the bound.

    Returns
    -------
    tuple of float or array
        Seconds to fetch, seconds to read again.

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense.

    Notes
    -----
    Ignores what fetching takes from the memory's own rate, and layers that come in while earlier ones
    compute. Source: as `step_kernel`; Qin et al. 2024, "Mooncake" (caches kept outside).

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> [round(1e3 * t, 1) for t in fetch_or_read(deploy("Llama 3 8B", "H100 SXM"), 8192, 63e9)]
    [17.0, 133.4]
    """
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    read = time_to_first_token(check_deployment(deployment), tokens, efficiency=efficiency)
    moved = kv_cache_memory(deployment.config, tokens, 1, deployment.cache_bytes)
    return plain(positive("latency", latency, allow_zero=True) + moved / rate), read
