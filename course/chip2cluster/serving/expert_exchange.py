"""Messages of expert parallelism (EP): tokens to their experts, and results back."""

from __future__ import annotations

from math import exp, lgamma
from typing import TYPE_CHECKING

from .._validate import one_positive, plain, whole
from .deployment import check_deployment

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment


def expert_exchange_bytes(
    deployment: Deployment, tokens: ArrayLike, *, dispatch_bytes: float = 1.0, combine_bytes: float = 2.0
) -> FloatOrArray:
    """Compute the bytes that each device sends in a step to dispatch tokens to experts and to combine results.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica; its routed experts are spread evenly over all of them.
    tokens : int or array of int
        Tokens of the step, all devices together; each device holds an equal share (DP attention).
    dispatch_bytes, combine_bytes : float
        Bytes of an element on the way to the experts, 1 in fp8, and on the way back, 2 in 16 bits.

    Returns
    -------
    float or array
        Bytes, all layers together; 0 for one device or a model without experts.

    Notes
    -----
    A token is sent once to each other device that holds one of its experts, and each such device returns one sum.
    Experts are drawn evenly and independently, so ``1 - C(r - r/D, k) / C(r, k)`` of the devices are
    reached. Ignores scales, headers and an uneven router. Source: DeepSeek-AI, arXiv:2412.19437, section 3.2.2,
    and DeepEP, README.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> eight = deploy("DeepSeek-V3", "H200 SXM", 8, "fp8", attention="data")
    >>> round(expert_exchange_bytes(eight, 1024) / 1e6)
    740
    """
    check_deployment(deployment)
    tokens = whole("tokens", tokens)
    each = one_positive("dispatch_bytes", dispatch_bytes) + one_positive("combine_bytes", combine_bytes)
    config, devices = deployment.config, deployment.devices
    if not config.experts or devices == 1:
        return plain(0.0 * tokens)
    routed, picked = config.experts.routed, config.experts.per_token
    others = (devices - 1) * (1 - _none_of(routed, routed / devices, picked))
    return plain(tokens / devices * others * config.moe_layers * config.d_model * each)


def expert_exchange_seconds(
    deployment: Deployment, tokens: ArrayLike, *, dispatch_bytes: float = 1.0, combine_bytes: float = 2.0
) -> FloatOrArray:
    """Compute a lower bound on the time of a step's expert-parallel (EP) messages.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica, with ``link_bandwidth_one_way`` and ``link_latency``.
    tokens : int or array of int
        Tokens of the step, all devices together.
    dispatch_bytes, combine_bytes : float
        Bytes of an element, see `expert_exchange_bytes`.

    Returns
    -------
    float or array
        Seconds; 0 without a link.

    Notes
    -----
    Each MoE layer has two exchanges, each with one latency; nothing overlaps. Published exchanges take far longer
    than this for few tokens. It is part of `step_seconds` if the deployment has ``expert_messages``. Source: see `expert_exchange_bytes`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> eight = deploy("DeepSeek-V3", "H200 SXM", 8, "fp8", attention="data")
    >>> round(1e3 * expert_exchange_seconds(eight, 1024), 2)
    1.64
    """
    sent = expert_exchange_bytes(deployment, tokens, dispatch_bytes=dispatch_bytes, combine_bytes=combine_bytes)
    if deployment.link_bandwidth_one_way is None or not deployment.config.experts or deployment.devices == 1:
        return plain(0.0 * sent)
    return plain(sent / deployment.link_bandwidth_one_way + 2 * deployment.config.moe_layers * deployment.link_latency)


def _none_of(routed: int, own: float, picked: int) -> float:
    """Return the probability that none of ``picked`` different experts is among ``own`` of ``routed``."""
    if routed - own < picked:
        return 0.0
    return exp(
        lgamma(routed - own + 1) + lgamma(routed - picked + 1) - lgamma(routed - own - picked + 1) - lgamma(routed + 1)
    )
