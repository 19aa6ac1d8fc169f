"""Attention of one token over a cache, worked out: what the counts of `attention` count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .._typing import ArrayLike


class Attended(NamedTuple):
    """What one query makes of a cache.

    Attributes
    ----------
    scores : array of shape (tokens,)
        The query times each key, added up.
    shares : array of shape (tokens,)
        Their softmax, which adds up to 1.
    result : array of shape (width,)
        The values, each times its share, added up.
    """

    scores: np.ndarray
    shares: np.ndarray
    result: np.ndarray


def attend(query: ArrayLike, keys: ArrayLike, values: ArrayLike) -> Attended:
    """Attention of one new token in one head: scores, softmax, weighted sum.

    Parameters
    ----------
    query : array of shape (width,)
        Of the new token.
    keys, values : array of shape (tokens, width)
        The cache, one row for each token.

    Returns
    -------
    Attended

    Raises
    ------
    ValueError
        For other shapes, an empty cache, or numbers that are not finite.

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
    grown = np.exp(scores - scores.max())
    shares = grown / grown.sum()
    return Attended(scores, shares, shares @ values)
