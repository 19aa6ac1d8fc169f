"""Cost of a stream of requests on a replica: FLOP and bytes of each request, and the sustained rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import holds, plain, whole
from ..roofline import Kernel
from .batch import Batch
from .deployment import check_deployment
from .efficiency import check_efficiency
from .messages import expected_message_seconds
from .step import longer_time, request_work

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray
    from .deployment import Deployment
    from .efficiency import Efficiency


def request_kernel(deployment: Deployment, prompt: ArrayLike, output: ArrayLike, sequences: ArrayLike) -> Kernel:
    """Return the FLOP and memory traffic of one request of a stream, all devices of a replica together.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    prompt, output : int or array of int
        Prompt and output tokens; the first output token comes with the prefill.
    sequences : int or array of int
        Requests that decode together; each pays its share of reading the weights.

    Returns
    -------
    roofline.Kernel
        FLOP and bytes of the request.

    Notes
    -----
    The cache is read once for each later token while it grows. Prompts move no bytes of their
    own. Ignores activations and shared prefixes. Source: the counts of `step_kernel`, summed.

    Examples
    --------
    >>> from chip2cluster.serving import deploy
    >>> round(request_kernel(deploy("Llama 3 8B", "H100 SXM"), 1000, 1000, 64).intensity, 1)
    69.7
    """
    check_deployment(deployment)
    prompt, output, together = whole("prompt", prompt), whole("output", output), whole("sequences", sequences)
    return Kernel(*map(plain, _costs(deployment, prompt, output, together)))


def _costs(
    deployment: Deployment, prompt: FloatOrArray, output: FloatOrArray, together: FloatOrArray
) -> tuple[FloatOrArray, FloatOrArray]:
    """Return FLOP and bytes of `request_kernel` without argument checks."""
    counted = deployment.counts
    flops, attended = request_work(counted, prompt, output)
    weights = deployment.weight_bytes_read(together)
    return flops, (output - 1) / together * weights + deployment.cache_bytes_read(attended, output - 1)


def stream_rate(
    deployment: Deployment,
    prompt: ArrayLike,
    output: ArrayLike,
    *,
    sequences: ArrayLike | None = None,
    efficiency: Efficiency | None = None,
) -> FloatOrArray:
    """Compute the output tokens/s of a saturated replica, without overlap of arithmetic and memory traffic.

    Parameters
    ----------
    deployment : Deployment
        Model on the devices of one replica.
    prompt, output : int or array of int
        Prompt and output tokens of each request.
    sequences : int or array of int, optional
        Maximum concurrent sequences; limited by what fits with all tokens of each.
    efficiency : Efficiency, optional
        Fractions of the datasheet rates; None uses the rates themselves.

    Returns
    -------
    float or array
        Output tokens/s of the replica.

    Raises
    ------
    ValueError
        If a request does not fit in the cache.

    Notes
    -----
    The times of arithmetic and traffic add, whereas `throughput_bound` takes the longer of the two: prefill is
    compute-bound and decode memory-bound, and a server that alternates waits for both. With half
    of the peak and 95 % of the memory bandwidth it comes close to what published systems reached with
    dense models in fp8, see ``reality``. Source: a sum of two times; the fractions are fitted, never derived.

    Examples
    --------
    >>> from chip2cluster.serving import Efficiency, deploy
    >>> chip = deploy("Llama 3.1 8B", "H100 SXM", precision="fp8")
    >>> round(stream_rate(chip, 2048, 2048, efficiency=Efficiency(0.5, 0.95)), -1)                # 9,305 were measured
    9720.0
    """
    check_deployment(deployment)
    prompt, output = whole("prompt", prompt), whole("output", output)
    together = deployment.cache_room // deployment.sequence_cache(prompt + output)
    if holds(together < 1):
        raise ValueError(f"prompt and output must fit into the cache of {deployment.cache_tokens:,.0f} tokens")
    if sequences is not None:
        together = -longer_time(-together, -whole("sequences", sequences))
    flops, moved = _costs(deployment, prompt, output, together)
    compute, memory, link, overhead = 1.0, 1.0, 1.0, 0.0
    if efficiency is not None:
        shares = check_efficiency(efficiency)
        compute, memory, link, overhead = shares.compute, shares.memory, shares.link, shares.overhead_seconds
    busy = flops / (deployment.devices * deployment.peak_flops_dense * compute)
    busy = busy + moved / (deployment.devices * deployment.memory_bandwidth * memory)
    sent = expected_message_seconds(deployment, Batch(prompt=prompt + output - 1), link)
    return plain(output / (busy + sent + overhead * (output - 1) / together))
