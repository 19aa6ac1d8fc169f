"""Reference implementation of attention of one token over a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .._typing import ArrayLike


class AttentionResult(NamedTuple):
    """Attention of one query over a cache.

    Attributes
    ----------
    scores : array of shape (tokens,)
        Dot products of the query with each key.
    shares : array of shape (tokens,)
        Softmax of the scores; adds up to 1.
    result : array of shape (width,)
        Sum of the values weighted by their shares.
    """

    scores: np.ndarray
    shares: np.ndarray
    result: np.ndarray


def attend(query: ArrayLike, keys: ArrayLike, values: ArrayLike) -> AttentionResult:
    """Compute attention of one new token in one head: scores, softmax, weighted sum.

    Parameters
    ----------
    query : array of shape (width,)
        Query of the new token.
    keys, values : array of shape (tokens, width)
        KV cache, one row for each token.

    Returns
    -------
    AttentionResult
        Scores, softmax and weighted sum.

    Notes
    -----
    Ignores the factor 1/sqrt(width) by which models multiply the scores first. It takes
    ``4 * tokens * width`` FLOP besides the softmax, as `attention_decode` counts. Source:
    Vaswani et al. 2017.

    Examples
    --------
    >>> attend([1, 0], keys=[[0, 1], [0, 0]], values=[[4, 0], [0, 8]]).result.tolist()
    [2.0, 4.0]
    """
    query, keys, values = (np.asarray(part, dtype=float) for part in (query, keys, values))
    if (
        query.ndim != 1
        or keys.ndim != 2
        or not keys.size
        or keys.shape[1:] != query.shape
        or values.shape != keys.shape
    ):
        raise ValueError(
            "a query of shape (width,) meets keys and values of one shape (tokens, width), "
            f"got {query.shape}, {keys.shape} and {values.shape}"
        )
    if not all(np.isfinite(part).all() for part in (query, keys, values)):
        raise ValueError("query, keys and values must be finite numbers")
    scores = keys @ query
    exponentials = np.exp(scores - scores.max())
    shares = exponentials / exponentials.sum()
    return AttentionResult(scores, shares, shares @ values)
