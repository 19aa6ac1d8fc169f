"""Chains of transformer operations, with the intermediate results that fusion keeps on the chip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import positive, whole
from .fusion import fuse
from .kernels import Kernel, elementwise, gemm

if TYPE_CHECKING:
    from .._typing import FloatOrArray

SOFTMAX_FLOPS, ACTIVATION_FLOPS = 5, 8  # per element: maximum, difference, power, sum, division; a GELU by its tanh


@dataclass(frozen=True)
class Chain:
    """Operations in the order in which they run, and their intermediate results.

    Attributes
    ----------
    parts : dict of str to Kernel
        Operations by name.
    intermediate_bytes : float or array
        Size of all intermediate results, bytes.

    Examples
    --------
    >>> chain = attention_chain(4096, heads=32, head_dim=128)
    >>> round(chain.apart.intensity, 1), round(chain.fused.intensity)
    (62.7, 2068)
    """

    parts: dict[str, Kernel]
    intermediate_bytes: FloatOrArray

    @property
    def apart(self) -> Kernel:
        """Unfused: one operation after the other, all results through memory."""
        first, *others = self.parts.values()
        return sum(others, start=first)

    @property
    def fused(self) -> Kernel:
        """All operations in one kernel; see `fuse`."""
        return fuse(*self.parts.values(), intermediate_bytes=self.intermediate_bytes)


def bias_chain(tokens: int, d_model: int, bytes_per_element: float = 2) -> Chain:
    """Return a chain of two element-wise passes: add a bias, then apply an activation.

    Parameters
    ----------
    tokens, d_model : int
        Rows and columns of the activations.
    bytes_per_element : float
        Bytes of one element, 2 for bf16.

    Returns
    -------
    Chain
        Both operations.

    Notes
    -----
    Ignores the bias itself, one row. Source: the counting rule of `elementwise`.

    Examples
    --------
    >>> chain = bias_chain(4096, 8192)
    >>> chain.apart.bytes_moved / chain.fused.bytes_moved
    2.0
    """
    elements = whole("tokens", tokens) * whole("d_model", d_model)
    size = positive("bytes_per_element", bytes_per_element)
    parts = {
        "bias": elementwise(elements, bytes_per_element=size),
        "activation": elementwise(elements, ACTIVATION_FLOPS, bytes_per_element=size),
    }
    return Chain(parts, 1.0 * elements * size)


def activation_chain(tokens: int, d_model: int, bytes_per_element: float = 2) -> Chain:
    """Return a chain of a feed-forward block's up-projection, [tokens, d] x [d, 4d], and its activation.

    Parameters
    ----------
    tokens, d_model : int
        Rows and columns of the activations.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Chain
        Product and activation.

    Notes
    -----
    Matrix libraries offer this fusion as an *epilogue* of the product. Source: the
    counting rules of `gemm` and `elementwise`.

    Examples
    --------
    >>> chain = activation_chain(512, 8192)
    >>> chain.fused.bytes_moved == chain.parts["product"].bytes_moved
    True
    """
    product = gemm(tokens, 4 * whole("d_model", d_model), d_model, bytes_per_element)
    hidden = 4 * whole("tokens", tokens) * d_model
    activation = elementwise(hidden, ACTIVATION_FLOPS, bytes_per_element=bytes_per_element)
    return Chain({"product": product, "activation": activation}, 1.0 * hidden * bytes_per_element)


def feed_forward_chain(tokens: int, d_model: int, bytes_per_element: float = 2) -> Chain:
    """Return a chain of a feed-forward block's up- and down-projection, [tokens, d] x [d, 4d] x [4d, d].

    Parameters
    ----------
    tokens, d_model : int
        Rows and columns of the activations.
    bytes_per_element : float
        Bytes of one element.

    Returns
    -------
    Chain
        Both products.

    Notes
    -----
    Ignores the activation in between, and that no chip holds the hidden layer of a wide
    model while both weights stream by. Source: the counting rule of `gemm`.

    Examples
    --------
    >>> feed_forward_chain(4096, 8192).intermediate_bytes / 2**20
    256.0
    """
    hidden = 4 * whole("d_model", d_model)
    parts = {
        "up": gemm(tokens, hidden, d_model, bytes_per_element),
        "down": gemm(tokens, d_model, hidden, bytes_per_element),
    }
    return Chain(parts, 1.0 * tokens * hidden * bytes_per_element)


def attention_chain(sequence: int, heads: int, head_dim: int, bytes_per_element: float = 2) -> Chain:
    """Return a chain of attention over a prompt in three operations: scores, softmax, weighted sum.

    Parameters
    ----------
    sequence : int
        Tokens of the prompt.
    heads, head_dim : int
        Query heads, each with its own keys and values, and their width.
    bytes_per_element : float
        Bytes of one element, 2 for bf16.

    Returns
    -------
    Chain
        Unfused it moves the bytes of `attention_prefill` without fusion, fused those
        with fusion; the softmax is counted as about 5 FLOP a score.

    Notes
    -----
    Ignores that the fused kernel rescales its sums as it goes. Source: T. Dao et al.,
    FlashAttention, NeurIPS 2022.

    Examples
    --------
    >>> list(attention_chain(4096, heads=32, head_dim=128).parts)
    ['scores', 'softmax', 'weighted sum']
    """
    heads, scores = whole("heads", heads), gemm(sequence, sequence, head_dim, bytes_per_element)
    square = 1.0 * heads * whole("sequence", sequence) ** 2
    weighted = gemm(sequence, head_dim, sequence, bytes_per_element)
    parts = {
        "scores": Kernel(heads * scores.flops, heads * scores.bytes_moved),
        "softmax": elementwise(square, SOFTMAX_FLOPS, bytes_per_element=bytes_per_element),
        "weighted sum": Kernel(heads * weighted.flops, heads * weighted.bytes_moved),
    }
    return Chain(parts, 2.0 * square * bytes_per_element)
