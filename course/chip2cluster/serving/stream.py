"""What a stream of requests costs a replica, each of them in two currencies: arithmetic and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, whole
from ..roofline import Kernel
from ..transformer._fields import holds
from .counts import read
from .deployment import check_deployment
from .speed import largest_batch
from .step import Batch, check_efficiency, message_seconds, piece

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment
    from .step import Efficiency


def request_kernel(deployment: Deployment, prompt: ArrayLike, output: ArrayLike, sequences: ArrayLike) -> Kernel:
    """Arithmetic and traffic of one request from a stream, over all devices of a replica.

    Parameters
    ----------
    deployment : Deployment
    prompt, output : int or array of int
        Tokens that are read and written; the first of the output comes with the prompt.
    sequences : int or array of int
        Requests that are decoded together; each pays its share of reading the weights.

    Returns
    -------
    roofline.Kernel

    Raises
    ------
    ValueError, TypeError
        For anything but a `Deployment`, and counts that are not whole.

    Notes
    -----
    The cache is read once for each later token, and grows meanwhile. Prompts move no bytes of their
    own. Ignores activations and shared prefixes. Source: the counts of `step_kernel`, summed.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> round(request_kernel(deploy("Llama 3 8B", "H100 SXM"), 1000, 1000, 64).intensity, 1)
    69.7
    """
    counted = check_deployment(deployment).counts
    prompt, output, together = whole("prompt", prompt), whole("output", output), whole("sequences", sequences)
    later = output - 1
    attended = later * prompt + later * output / 2  # sum of prompt + 1 ... prompt + output - 1
    pair = min(counted.score_flops_per_pair, counted.score_flops_per_pair_latent)
    flops = 2.0 * counted.layer_parameters * (prompt + later) + 2.0 * counted.head_parameters * output
    flops = flops + pair * piece(prompt) + counted.score_flops_per_pair_latent * attended
    weights = read(counted, together) * deployment.weight_bytes + deployment.weight_copies
    return Kernel(plain(flops), plain(later / together * weights + deployment.cache_per_token * attended))


def stream_rate(
    deployment: Deployment,
    prompt: ArrayLike,
    output: ArrayLike,
    *,
    sequences: ArrayLike | None = None,
    efficiency: Efficiency | None = None,
) -> FloatOrArray:
    """Output tokens a second of a replica that always has requests and does one thing after the other.

    Parameters
    ----------
    deployment : Deployment
    prompt, output : int or array of int
        Tokens of each request.
    sequences : int or array of int, optional
        At most so many are decoded together; as many as fit with all their tokens where that is fewer, or left out.
    efficiency : Efficiency, optional
        What is left of the sheet's rates; None takes them as they are.

    Returns
    -------
    float or array
        Output tokens/s of the replica.

    Raises
    ------
    ValueError, TypeError
        As `request_kernel`, and for requests longer than the cache.

    Notes
    -----
    Arithmetic and traffic add up here, where `throughput_bound` takes the longer of the two: prompts keep the
    products busy and decoding the memory, and a server that does them in turn waits for both. With half
    of the peak and 95 % of the memory's rate it gives what published systems reached for dense
    models, see ``reality``. Source: a sum of two times; the shares are fitted, never derived.

    Examples
    --------
    >>> from chip2cluster.serving import Efficiency, deploy
    >>> chip = deploy("Llama 3.1 8B", "H100 SXM", precision="fp8")
    >>> round(stream_rate(chip, 2048, 2048, efficiency=Efficiency(compute=0.5, memory=0.95)), -1)    # 9,305 were measured
    9670.0
    """
    check_deployment(deployment)
    prompt, output = whole("prompt", prompt), whole("output", output)
    together = np.asarray(largest_batch(deployment, prompt + output, block_tokens=1))
    if holds(together < 1):
        raise ValueError(f"prompt and output must fit into the cache of {deployment.cache_tokens:,.0f} tokens")
    if sequences is not None:
        together = np.minimum(together, whole("sequences", sequences))
    kernel = request_kernel(deployment, prompt, output, together)
    compute, memory, overhead = 1.0, 1.0, 0.0
    if efficiency is not None:
        shares = check_efficiency(efficiency)
        compute, memory, overhead = shares.compute, shares.memory, shares.overhead_seconds
    busy = kernel.flops / (deployment.devices * deployment.peak_flops_dense * compute)
    busy = busy + kernel.bytes_moved / (deployment.devices * deployment.memory_bandwidth * memory)
    sent = message_seconds(deployment, Batch(prompt=prompt + output - 1), efficiency)
    return plain(output / (busy + sent + overhead * (output - 1) / together))
