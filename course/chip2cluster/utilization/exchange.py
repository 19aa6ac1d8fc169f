"""Compute against communication: when the exchange of a training step outlasts its arithmetic.

Replicas of a model work on different tokens and exchange gradients, or weights and
gradients. Both the arithmetic and the bytes grow with the parameters, so these cancel:
what decides is how many tokens a replica sees between two exchanges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, plain, positive, whole
from .speed import _fraction

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

FORWARD, BACKWARD = 2.0, 4.0  # FLOP for each parameter and token
ZERO_STAGES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Exchanged:
    """Bytes that one device sends during the forward and the backward passes of a step, numbers or arrays."""

    forward: FloatOrArray
    backward: FloatOrArray

    @property
    def total(self) -> FloatOrArray:
        """Bytes of the whole step."""
        return plain(self.forward + self.backward)


def exchanged_bytes(
    parameters: ArrayLike,
    replicas: ArrayLike,
    *,
    zero_stage: int = 0,
    weight_bytes: ArrayLike = 2.0,
    gradient_bytes: ArrayLike = 2.0,
    passes: ArrayLike = 1,
) -> Exchanged:
    """Bytes that each device of a data-parallel training sends in a step, one way.

    Parameters
    ----------
    parameters : float or array
        Parameters whose replicas exchange, P; those of one device where a replica
        is spread over several.
    replicas : int or array of int
        How many work on different data, n.
    zero_stage : {0, 1, 2, 3}
        0, everything replicated: an all-reduce of the gradients, 2 P, beside the backward
        pass. 1 and 2, optimizer (and gradients) sharded: gradients are reduce-scattered
        beside the backward pass, new weights gathered beside the next forward pass. 3,
        full sharding (FSDP): weights are gathered for each forward and each backward pass
        and gradients reduce-scattered, 3 P. Each times ``(n - 1) / n``.
    weight_bytes, gradient_bytes : float or array
        Bytes of a number as it travels.
    passes : int or array of int
        Micro-batches of a step that a device works on one after another; stage 2 reduces
        gradients in each of them, full sharding gathers weights in each of them too.

    Returns
    -------
    Exchanged

    Raises
    ------
    ValueError, TypeError
        For another stage, counts that are not whole, and numbers not above zero.

    Notes
    -----
    Assumes rings or anything as frugal, and full sharding that throws the weights away
    after each pass and reduces the gradients of each micro-batch. Ignores headers, and
    switches that add. Source: Rajbhandari et al. 2020 (ZeRO), section 7.

    Examples
    --------
    >>> exchanged_bytes(7e9, 64).total / 1e9, exchanged_bytes(7e9, 64, zero_stage=3).total / 1e9
    (27.5625, 41.34375)
    """
    choice("zero_stage", zero_stage, ZERO_STAGES)
    count = whole("replicas", replicas)
    each = positive("parameters", parameters) * (count - 1) / count
    weights = each * positive("weight_bytes", weight_bytes)
    gradients = each * positive("gradient_bytes", gradient_bytes)
    again = whole("passes", passes)
    forward, backward = halves(zero_stage, weights, gradients)
    times = rounds(zero_stage, again)
    return Exchanged(plain(forward * times[0]), plain(backward * times[1]))


def critical_tokens(
    replicas: ArrayLike,
    peak_flops_dense: ArrayLike,
    bandwidth_one_way: ArrayLike,
    *,
    zero_stage: int = 0,
    kernel_efficiency: ArrayLike = 1.0,
    weight_bytes: ArrayLike = 2.0,
    gradient_bytes: ArrayLike = 2.0,
    active_share: ArrayLike = 1.0,
) -> FloatOrArray:
    """Tokens that a replica must see in one pass for its arithmetic to hide the exchange.

    Parameters
    ----------
    replicas : int or array of int
        Copies of the model; 1 exchanges nothing.
    peak_flops_dense, bandwidth_one_way, zero_stage, kernel_efficiency
        As `exchange_step`.
    weight_bytes, gradient_bytes, active_share
        As there.

    Returns
    -------
    float or array
        Tokens of one replica in one pass (one micro-batch); over the devices of a replica
        it is the tokens of a chip. Times the replicas it is the smallest global batch.

    Raises
    ------
    ValueError, TypeError
        As `exchange_step`.

    Notes
    -----
    The size of the model cancels. With 2 bytes for everything all stages give one and the
    same: ``(n - 1) / n * rate / bandwidth_one_way``, the arithmetic intensity of the
    network. Full sharding sends half as much again, and has half as long again to hide it.
    Ignores the same as `exchange_step`. Source: J. Austin et al., "How to scale your
    model", 2025, chapters on training and on GPUs.

    Examples
    --------
    >>> [round(critical_tokens(10**6, 990e12, 400e9, zero_stage=stage)) for stage in (0, 1, 3)]
    [2475, 2475, 2475]
    >>> critical_tokens(2, 990e12, 400e9)                   # of two replicas each sends half
    1237.5
    """
    choice("zero_stage", zero_stage, ZERO_STAGES)
    count = whole("replicas", replicas)
    forward, backward = halves(
        zero_stage, positive("weight_bytes", weight_bytes), positive("gradient_bytes", gradient_bytes)
    )
    forward, backward = forward / FORWARD, backward / BACKWARD
    scalars = isinstance(forward, float) and isinstance(backward, float)
    longest = max(forward, backward) if scalars else np.maximum(forward, backward)
    rate = positive("peak_flops_dense", peak_flops_dense) * _fraction("kernel_efficiency", kernel_efficiency)
    # What is one number is worked out as one number; what may be many comes last.
    alone = longest * rate / _fraction("active_share", active_share)
    return plain(alone * ((count - 1) / count) / positive("bandwidth_one_way", bandwidth_one_way))


def ring_bandwidth(
    devices_per_node: ArrayLike, scale_up_one_way: ArrayLike, scale_out_one_way_per_device: ArrayLike
) -> FloatOrArray:
    """Rate of a ring through all devices of several nodes, at best: what each device sends.

    Parameters
    ----------
    devices_per_node : int or array of int
        Devices of a node that take part in the same exchange.
    scale_up_one_way : float or array
        What a device sends inside its node, bytes/s.
    scale_out_one_way_per_device : float or array
        What a node sends to others over its devices, bytes/s: one adapter each.

    Returns
    -------
    float or array
        Bytes/s one way. A ring crosses a node's border once, so as many rings as there are
        adapters share the message, and the adapters of a node work together for it.

    Raises
    ------
    ValueError, TypeError
        For devices that are not whole, and rates not above zero.

    Notes
    -----
    A bound if the rates are the sheet's. Where the devices of a node belong to different
    exchanges, as with tensor parallelism inside the node, ``devices_per_node`` is 1.
    Ignores latency, thin networks above the nodes and switches that add. Source: as
    `collectives.hierarchical_all_reduce_time`, with the two levels at work together.

    Examples
    --------
    >>> ring_bandwidth(8, 450e9, 50e9) / 1e9, ring_bandwidth(1, 450e9, 50e9) / 1e9
    (400.0, 50.0)
    """
    inside = positive("scale_up_one_way", scale_up_one_way)
    outside = positive("scale_out_one_way_per_device", scale_out_one_way_per_device)
    return plain(np.minimum(inside, whole("devices_per_node", devices_per_node) * outside))


def halves(zero_stage: int, weights: FloatOrArray, gradients: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
    """Bytes sent in the forward and in the backward half of one pass, from those of a single ring pass."""
    if zero_stage == 0:
        return 0.0 * weights, 2.0 * gradients
    if zero_stage == 3:
        return weights, weights + gradients
    return weights, gradients


def rounds(zero_stage: int, passes: Any) -> tuple[Any, Any]:
    """How often in a step each half is sent: whoever keeps a part alone must scatter or gather in every pass."""
    return passes if zero_stage == 3 else 1, passes if zero_stage >= 2 else 1
