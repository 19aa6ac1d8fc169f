"""Time of the messages of one step between the devices of a replica."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .._validate import plain
from ..collectives import ring_all_reduce_time
from .batch import Batch, check_batch
from .deployment import Deployment, check_deployment
from .efficiency import Efficiency, check_efficiency
from .expert_exchange import expert_exchange_bytes

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray


def message_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None = None) -> FloatOrArray:
    """Compute the time of a step's messages inside a replica: TP all-reduces, or the expert exchange (EP).

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica; 0 s for one device or no link, and for ``attention="data"`` without
        ``expert_messages``.
    batch : Batch
        Contents of the step; at least one token.
    efficiency : Efficiency, optional
        Efficiency, of which ``link`` counts here.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    Activations of 2 bytes. Source: Shoeybi et al. 2019; the ring of `collectives`.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> round(1e3 * message_seconds(deploy("Llama 3 70B", "H100 SXM", devices=4), Batch(prompt=2048)), 2)
    17.9
    """
    check_deployment(deployment)
    check_batch(batch)
    return expected_message_seconds(deployment, batch, 1.0 if efficiency is None else check_efficiency(efficiency).link)


def expected_message_seconds(deployment: Deployment, batch: Batch, share: float) -> FloatOrArray:
    """Return `message_seconds` at a fraction of the link bandwidth, without argument checks."""
    if deployment.devices == 1 or deployment.link_bandwidth_one_way is None:
        return 0.0
    if deployment.attention == "data":
        return (
            _exchange_seconds(deployment, batch.decoding + batch.prompt, share) if deployment.expert_messages else 0.0
        )
    message = 2.0 * deployment.config.d_model * (batch.decoding + batch.prompt)
    rate = deployment.link_bandwidth_one_way * share
    fixed, for_each_byte = _ring_coefficients(deployment.devices, rate, deployment.link_latency)
    return plain(2.0 * deployment.config.layers * (fixed + for_each_byte * message))


def _exchange_seconds(deployment: Deployment, tokens: IntOrArray, share: float) -> FloatOrArray:
    """Return the time of dispatch and combine of expert parallelism, at a fraction of the link bandwidth."""
    sent = expert_exchange_bytes(deployment, tokens) / (deployment.link_bandwidth_one_way * share)  # type: ignore[operator]
    return plain(sent + 2 * deployment.config.moe_layers * deployment.link_latency)


@lru_cache(maxsize=256)
def _ring_coefficients(devices: int, rate: float, latency: float) -> tuple[float, float]:
    """Return the latency of a ring all-reduce and its seconds per byte of message."""
    for_each_byte = ring_all_reduce_time(1.0, devices, rate)
    return ring_all_reduce_time(1.0, devices, rate, latency) - for_each_byte, for_each_byte
