"""What a stream of requests costs a replica, each of them in two currencies: arithmetic and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, whole
from ..roofline import Kernel
from ..transformer._fields import holds
from .counts import read
from .deployment import check_deployment
from .step import Batch, _messages, check_efficiency, larger, request_work

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
    check_deployment(deployment)
    prompt, output, together = whole("prompt", prompt), whole("output", output), whole("sequences", sequences)
    return Kernel(*map(plain, _costs(deployment, prompt, output, together)))


def _costs(
    deployment: Deployment, prompt: FloatOrArray, output: FloatOrArray, together: FloatOrArray
) -> tuple[FloatOrArray, FloatOrArray]:
    """FLOP and bytes of `request_kernel`, without checks."""
    counted = deployment.counts
    flops, attended = request_work(counted, prompt, output)
    weights = read(counted, together) * deployment.weight_bytes + deployment.weight_copies
    return flops, (output - 1) / together * weights + deployment.cache_per_token * attended


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
    of the peak and 95 % of the memory's rate it comes near to what published systems reached with
    dense models in fp8, see ``reality``. Source: a sum of two times; the shares are fitted, never derived.

    Examples
    --------
    >>> from chip2cluster.serving import Efficiency, deploy
    >>> chip = deploy("Llama 3.1 8B", "H100 SXM", precision="fp8")
    >>> round(stream_rate(chip, 2048, 2048, efficiency=Efficiency(compute=0.5, memory=0.95)), -1)    # 9,305 were measured
    9670.0
    """
    check_deployment(deployment)
    prompt, output = whole("prompt", prompt), whole("output", output)
    together = deployment.cache_tokens // (prompt + output)
    if holds(together < 1):
        raise ValueError(f"prompt and output must fit into the cache of {deployment.cache_tokens:,.0f} tokens")
    if sequences is not None:
        together = -larger(-together, -whole("sequences", sequences))
    flops, moved = _costs(deployment, prompt, output, together)
    compute, memory, link, overhead = 1.0, 1.0, 1.0, 0.0
    if efficiency is not None:
        shares = check_efficiency(efficiency)
        compute, memory, link, overhead = shares.compute, shares.memory, shares.link, shares.overhead_seconds
    busy = flops / (deployment.devices * deployment.peak_flops_dense * compute)
    busy = busy + moved / (deployment.devices * deployment.memory_bandwidth * memory)
    sent = _messages(deployment, Batch(prompt=prompt + output - 1), link)
    return plain(output / (busy + sent + overhead * (output - 1) / together))
