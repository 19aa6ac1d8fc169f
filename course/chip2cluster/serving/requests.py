"""Request streams: arrival times, prompt and output lengths, and shared prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import one_positive, one_whole, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike


@dataclass(frozen=True)
class Requests:
    """Requests in the order of arrival.

    Parameters
    ----------
    arrival_seconds : array
        Arrival times in ascending order, seconds.
    prompt, output : int or array of int
        Prompt and output tokens of each request, at least 1.
    prefix : int or array of int
        Number of the prefix: requests with the same number of at least 0 begin with the same tokens; -1 is no prefix.
    prefix_tokens : int or array of int
        Tokens of the prefix; fewer than those of the prompt.

    Examples
    --------
    >>> Requests([0.0, 0.5], prompt=[100, 20], output=8).output
    array([8, 8])
    """

    arrival_seconds: Any
    prompt: Any
    output: Any
    prefix: Any = -1
    prefix_tokens: Any = 0

    def __post_init__(self) -> None:
        """Validate the fields."""
        arrival = np.atleast_1d(positive("arrival_seconds", self.arrival_seconds, allow_zero=True))
        if arrival.ndim != 1 or not arrival.size:
            raise ValueError(f"arrival_seconds must be a list of at least one time, got shape {arrival.shape}")
        if (np.diff(arrival) < 0).any():
            raise ValueError("arrival_seconds must be in ascending order")
        object.__setattr__(self, "arrival_seconds", arrival)
        for name, least in (("prompt", 1), ("output", 1), ("prefix", -1), ("prefix_tokens", 0)):
            counts = np.asarray(whole(name, getattr(self, name), minimum=least))
            if counts.ndim > 1 or (counts.ndim and counts.size != arrival.size):
                raise ValueError(
                    f"{name} must be one number or as many as arrivals, {arrival.size}, got shape {counts.shape}"
                )
            object.__setattr__(self, name, np.broadcast_to(counts.astype(int), arrival.shape))
        if (self.prefix_tokens >= self.prompt).any():
            raise ValueError("prefix_tokens must be less than the prompt, because at least one token is prefilled")

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self.arrival_seconds)


def poisson_requests(
    rate: float,
    count: int,
    prompt: ArrayLike,
    output: ArrayLike,
    seed: int,
    *,
    prefixes: int = 0,
    prefix_tokens: int = 0,
) -> Requests:
    """Draw requests of a Poisson process: independent users.

    Parameters
    ----------
    rate : float
        Mean arrival rate, requests/s.
    count : int
        Number of requests.
    prompt, output : int or array of int
        Tokens of each request; see `geometric_lengths`.
    seed : int
        Seed of ``numpy.random.default_rng``.
    prefixes : int
        Number of different prefixes, all equally frequent; 0 for none.
    prefix_tokens : int
        Tokens of each prefix, part of the prompt.

    Returns
    -------
    Requests
        Requests with exponential times between arrivals.

    Notes
    -----
    Ignores daily cycles and bursts. Source: the Poisson process.

    Examples
    --------
    >>> poisson_requests(2.0, 1000, 512, 128, seed=1).arrival_seconds[-2:].round(1)
    array([504.1, 504.2])
    """
    count, prefixes = one_whole("count", count), one_whole("prefixes", prefixes, minimum=0)
    rng = np.random.default_rng(seed)
    arrivals = rng.exponential(1 / one_positive("rate", rate), count).cumsum()
    if not prefixes:
        return Requests(arrivals, prompt, output)
    return Requests(arrivals, prompt, output, rng.integers(prefixes, size=count), prefix_tokens)


def geometric_lengths(mean: float, count: int, seed: int) -> np.ndarray:
    """Draw lengths from a geometric distribution: short ones are frequent.

    Parameters
    ----------
    mean : float
        Mean length, tokens, at least 1.
    count : int
        Number of lengths.
    seed : int
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    array of int, shape (count,)
        Lengths in tokens, each at least 1.

    Notes
    -----
    The discrete counterpart of the exponential distribution, which the M/M/c queue assumes. Source: the definition.

    Examples
    --------
    >>> lengths = geometric_lengths(100, 10_000, seed=0)
    >>> int(lengths.min()), round(lengths.mean())
    (1, 99)
    """
    if one_positive("mean", mean) < 1:
        raise ValueError(f"mean must be at least 1 token, got {mean!r}")
    return np.random.default_rng(seed).geometric(1 / mean, one_whole("count", count))
