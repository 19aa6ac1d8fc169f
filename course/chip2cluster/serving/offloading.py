"""Offloading: weights and KV caches outside the chip's own memory, and when the transfer is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive
from ..transformer import kv_cache_memory
from .deployment import check_deployment
from .replica_performance import time_to_first_token
from .step import longer_time

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment
    from .efficiency import Efficiency


def tokens_to_hide(deployment: Deployment, bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the tokens per step at which the arithmetic takes as long as fetching offloaded weights.

    Parameters
    ----------
    deployment : Deployment
        Model whose weights are stored outside the devices and fetched layer by layer in each step.
    bandwidth_one_way : float or array
        Unidirectional bandwidth from the outside memory to one device, bytes/s.

    Returns
    -------
    float or array
        Tokens of a step. With fewer tokens the link limits the step.

    Notes
    -----
    A weight takes 2 FLOP for each token and ``weight_bytes`` on the link, so the size of the
    model does not matter: ``weight_bytes * peak / (2 * bandwidth)``. Ignores scores, inactive experts,
    and devices that share a link. Source: Sheng et al. 2023, "FlexGen".

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
    """Compute the time of a step that reads its own memory and outside memory at the same time.

    Parameters
    ----------
    own_bytes, outside_bytes : float or array
        Bytes that the step reads from each; zero is allowed.
    memory_bandwidth, bandwidth_one_way : float or array
        Bandwidth of the device's memory, and of the link to the outside memory, bytes/s.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    Perfect overlap, so a bound; bytes that arrive are used at once and not written to the device's memory first. The
    outside transfer stays hidden as long as its share of the bytes is at most ``link / (link + memory)``.
    Source: the larger of two times, as in Williams et al. 2009.

    Examples
    --------
    >>> round(1e3 * outside_step_seconds(15e9, 1e9, 3.35e12, 63e9), 1)      # ms; 4.8 with all of it in HBM
    15.9
    """
    own = positive("own_bytes", own_bytes, allow_zero=True) / positive("memory_bandwidth", memory_bandwidth)
    outside = positive("outside_bytes", outside_bytes, allow_zero=True)
    return plain(longer_time(own, outside / positive("bandwidth_one_way", bandwidth_one_way)))


def fetch_or_read(
    deployment: Deployment,
    tokens: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike = 0.0,
    *,
    efficiency: Efficiency | None = None,
) -> tuple[FloatOrArray, FloatOrArray]:
    """Compute the time to fetch a KV cache from outside and the time to prefill its tokens again.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    tokens : int or array of int
        Tokens of a conversation so far, or of a shared prefix.
    bandwidth_one_way : float or array
        Bandwidth from the outside memory to the replica, all devices together, bytes/s.
    latency : float or array
        Seconds before the first byte.
    efficiency : Efficiency, optional
        Efficiency of the prefill; None gives the bound.

    Returns
    -------
    tuple of float or array
        Seconds to fetch, and seconds to prefill again.

    Notes
    -----
    Ignores the memory bandwidth that the fetched bytes use, and layers that arrive while earlier ones
    compute. Source: see `step_kernel`; Qin et al. 2024, "Mooncake" (caches outside the chip).

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
