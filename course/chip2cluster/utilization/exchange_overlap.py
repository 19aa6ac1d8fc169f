"""Data-parallel step with overlapped gradient exchange: hidden and exposed communication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, plain, positive, whole
from .gradient_exchange import BACKWARD, FORWARD, exchanged_bytes, rounds

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class ExchangeStep:
    """Seconds of a data-parallel step: arithmetic and exchange of each half, and the exposed part.

    Attributes
    ----------
    forward_arithmetic, backward_arithmetic : float or array
        Arithmetic of each half, seconds.
    forward_exchange, backward_exchange : float or array
        Messages of each half, seconds.
    exposed : float or array
        Seconds of messages that outlast the arithmetic they overlap with.
    """

    forward_arithmetic: FloatOrArray
    backward_arithmetic: FloatOrArray
    forward_exchange: FloatOrArray
    backward_exchange: FloatOrArray
    exposed: FloatOrArray

    @property
    def arithmetic(self) -> FloatOrArray:
        """Seconds of both passes."""
        return plain(self.forward_arithmetic + self.backward_arithmetic)

    @property
    def exchange(self) -> FloatOrArray:
        """Seconds of all messages, hidden or exposed."""
        return plain(self.forward_exchange + self.backward_exchange)

    @property
    def seconds(self) -> FloatOrArray:
        """Time of the step if each exchange overlaps with its half of the arithmetic."""
        return plain(self.arithmetic + self.exposed)

    @property
    def seconds_in_turn(self) -> FloatOrArray:
        """Time of the step without overlap."""
        return plain(self.arithmetic + self.exchange)

    @property
    def busy_share(self) -> FloatOrArray:
        """Fraction of the step in which arithmetic runs."""
        return plain(self.arithmetic / self.seconds)


def exchange_step(
    parameters: ArrayLike,
    tokens_per_replica: ArrayLike,
    replicas: ArrayLike,
    peak_flops_dense: ArrayLike,
    bandwidth_one_way: ArrayLike,
    *,
    zero_stage: int = 0,
    kernel_efficiency: ArrayLike = 1.0,
    devices_per_replica: ArrayLike = 1,
    passes: ArrayLike = 1,
    weight_bytes: ArrayLike = 2.0,
    gradient_bytes: ArrayLike = 2.0,
    active_share: ArrayLike = 1.0,
) -> ExchangeStep:
    """Time of a data-parallel step (DP, ZeRO, FSDP): arithmetic and exposed communication.

    Parameters
    ----------
    parameters : float or array
        Number of parameters of the model.
    tokens_per_replica : float or array
        Tokens of a step per replica: the global batch over the replicas.
    replicas : int or array of int
        Replicas of the model that process different data.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of one device in the exchange, bytes/s. The datasheet rate gives a
        bound; a measured bus bandwidth gives a forecast. See `ring_bandwidth`.
    zero_stage : {0, 1, 2, 3}
        ZeRO stage, see `exchanged_bytes`.
    kernel_efficiency : float or array
        Fraction of peak that the kernels reach while they run, above 0 and at most 1.
    devices_per_replica : int or array of int
        Devices that share one replica, its parameters and its arithmetic evenly.
    passes : int or array of int
        Micro-batches of a step, one after another (gradient accumulation). Only the first forward and the last
        backward pass hide what is exchanged once.
    weight_bytes, gradient_bytes : float or array
        Bytes of a number in messages.
    active_share : float or array
        Fraction of the parameters that one token uses; below 1 for a mixture of experts (MoE).

    Returns
    -------
    ExchangeStep
        Seconds of each part.

    Notes
    -----
    6 FLOP for each active parameter and token: a third forward, two thirds backward.
    Assumes that an exchange overlaps with its own half of the step, however it is divided into
    buckets. Ignores latency, the attention scores, recomputation, other traffic on the
    same links (tensor parallelism, experts), and that messages slow the kernels down.
    Source: Rajbhandari et al. 2020; J. Austin et al., "How to scale your model", 2025.

    Examples
    --------
    >>> step = exchange_step(7e9, 4096, 64, 989.4e12, 50e9, kernel_efficiency=0.5)
    >>> round(step.arithmetic, 3), round(step.exchange, 3), round(step.exposed, 3)
    (0.348, 0.551, 0.319)
    """
    share = whole("devices_per_replica", devices_per_replica)
    sent = exchanged_bytes(
        positive("parameters", parameters) / share,
        replicas,
        zero_stage=zero_stage,
        weight_bytes=weight_bytes,
        gradient_bytes=gradient_bytes,
        passes=passes,
    )
    rate = positive("peak_flops_dense", peak_flops_dense) * fraction("kernel_efficiency", kernel_efficiency)
    work = positive("parameters", parameters) * fraction("active_share", active_share) / share
    work = work * positive("tokens_per_replica", tokens_per_replica)
    wire = positive("bandwidth_one_way", bandwidth_one_way)
    count = whole("passes", passes)
    passes_per_exchange = [
        count / times for times in rounds(zero_stage, count)
    ]  # only one pass in this many hides the exchange
    forward, backward = FORWARD * work / rate, BACKWARD * work / rate
    sending = sent.forward / wire, sent.backward / wire
    late = sending[0] - forward / passes_per_exchange[0], sending[1] - backward / passes_per_exchange[1]
    if isinstance(late[0], float) and isinstance(late[1], float):  # scalars do without arrays
        return ExchangeStep(forward, backward, *sending, max(late[0], 0.0) + max(late[1], 0.0))
    exposed = np.maximum(late[0], 0.0) + np.maximum(late[1], 0.0)
    return ExchangeStep(*(plain(part) for part in np.broadcast_arrays(forward, backward, *sending, exposed)))
