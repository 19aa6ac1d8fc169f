"""One step of a replica: arithmetic and traffic, the bound, and the time with an efficiency."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain
from ..roofline import Kernel
from .deployment import Deployment, check_deployment
from .token_work import limited_pairs, limited_tokens

if TYPE_CHECKING:
    from .._typing import FloatOrArray
    from .token_work import ModelCounts
from .batch import Batch, check_batch, chunk_pairs
from .efficiency import Efficiency, check_efficiency
from .messages import expected_message_seconds


def request_work(counted: ModelCounts, prompt: FloatOrArray, output: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
    """Return a request's FLOP and the cached tokens that its decode steps attend to; prefill gives the first token."""
    later = output - 1
    attended = later * prompt + later * output / 2  # sum of prompt + 1 ... prompt + output - 1
    pair = min(counted.score_flops_per_pair, counted.score_flops_per_pair_latent)
    flops = 2.0 * counted.layer_parameters * (prompt + later) + 2.0 * counted.head_parameters * output
    pairs, read = chunk_pairs(prompt), attended
    if counted.windows:
        pairs, read = limited_pairs(counted.windows, prompt), limited_tokens(counted.windows, attended, later)
    if counted.index_flops or counted.state_flops:
        flops = flops + counted.index_flops * (chunk_pairs(prompt) + attended) + counted.state_flops * (prompt + later)
    return flops + pair * pairs + counted.score_flops_per_pair_latent * read, attended


def step_kernel(deployment: Deployment, batch: Batch) -> Kernel:
    """Return the FLOP and memory traffic of a step, all devices of a replica together.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    batch : Batch
        Contents of the step; at least one token.

    Returns
    -------
    roofline.Kernel
        FLOP and bytes of the step.

    Notes
    -----
    A step reads the weights once, however many tokens share them, and the cache of each sequence once. A
    latent is expanded or absorbed, whichever takes less arithmetic. Layers with a window read the window;
    sparse attention reads the tokens that it picks and all index keys; sequences count as equally long, and a
    chunk of prompt as one sequence. Ignores activations, writes to the cache, softmax and norms. Source: Pope
    et al. 2023; DeepSeek-AI, arXiv:2405.04434 (latent, absorbed).

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> step_kernel(deploy("Llama 3 8B", "H100 SXM"), Batch(decoding=1, context=4096)).bytes_moved / 1e9
    15.546720256
    """
    return _kernel(check_deployment(deployment), check_batch(batch))


def _kernel(deployment: Deployment, batch: Batch) -> Kernel:
    counted = deployment.counts
    tokens = batch.decoding + batch.prompt
    flops = 2.0 * (counted.layer_parameters * tokens + counted.head_parameters * (batch.decoding + batch.finished))
    context, pairs = batch.context, batch.pairs
    if counted.windows:
        context = limited_tokens(counted.windows, context, batch.decoding)
        pairs = limited_tokens(counted.windows, pairs, batch.prompt)
    if counted.rebuild_flops:
        rebuilt = counted.score_flops_per_pair * pairs + counted.rebuild_flops * batch.before
        absorbed = counted.score_flops_per_pair_latent
        flops = flops + absorbed * context + np.minimum(absorbed * pairs, rebuilt)
    else:
        flops = flops + counted.score_flops_per_pair * (context + pairs)
    if counted.index_flops or counted.state_flops:
        flops = flops + counted.index_flops * (batch.context + batch.pairs) + counted.state_flops * tokens
    weights = deployment.weight_bytes_read(tokens)
    if not (counted.cache_windows or counted.state_bytes):
        return Kernel(flops, weights + deployment.cache_per_token * (batch.context + batch.before))
    read = deployment.cache_bytes_read(batch.context, batch.decoding)
    # A chunk of prompt reads what is before it, and leaves its state in fast memory until its end.
    return Kernel(flops, weights + read + deployment.cache_tokens_read(batch.before, 1))


def step_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None = None) -> FloatOrArray:
    """Compute the time of a step: the bound, or the expected time with an efficiency.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    batch : Batch
        Contents of the step; at least one token.
    efficiency : Efficiency, optional
        Efficiency of the step; None gives the bound: datasheet rates, and messages that take no time.

    Returns
    -------
    float or array
        Seconds.

    Notes
    -----
    Arithmetic and memory traffic overlap completely; the messages of tensor parallelism (TP), two ring
    all-reduces per layer, do not overlap; neither do those of experts, if the deployment has
    ``expert_messages``. Source: Williams et al. 2009; Shoeybi et al. 2019 (all-reduces).

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> one = deploy("Llama 3 8B", "H100 SXM"), Batch(decoding=1, context=4096)
    >>> [round(1e3 * step_seconds(*one, share), 2) for share in (None, Efficiency(memory=0.8))]
    [4.64, 5.8]
    """
    check_deployment(deployment)
    check_batch(batch)
    return expected_seconds(deployment, batch, None if efficiency is None else check_efficiency(efficiency))


def expected_seconds(deployment: Deployment, batch: Batch, efficiency: Efficiency | None) -> FloatOrArray:
    """Return `step_seconds` without argument checks."""
    if efficiency is None:
        return _seconds(deployment, batch, 1.0, 1.0)
    busy = _seconds(deployment, batch, efficiency.compute, efficiency.memory)
    return plain(busy + expected_message_seconds(deployment, batch, efficiency.link) + efficiency.overhead_seconds)


def _seconds(deployment: Deployment, batch: Batch, compute: float, memory: float) -> FloatOrArray:
    kernel = _kernel(deployment, batch)
    computing = kernel.flops / (deployment.devices * deployment.peak_flops_dense * compute)
    moving = kernel.bytes_moved / (deployment.devices * deployment.memory_bandwidth * memory)
    return longer_time(computing, moving)


def longer_time(one: FloatOrArray, other: FloatOrArray) -> FloatOrArray:
    """Return the longer of two times, without NumPy for scalars."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return max(one, other)
