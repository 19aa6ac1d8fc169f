"""What a simulation gives: when each token came, and what each step did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._validate import choice, one_positive, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray
    from .requests import Requests

QUANTITIES = ("time_to_first_token", "time_between_tokens", "latency")


@dataclass(frozen=True)
class Steps:
    """The steps of all replicas in the order in which they ended; arrays of one length.

    ``replica`` says whose; ``start`` and ``end`` in seconds; ``decoding``, ``prompt`` and
    ``finished`` as in `Batch`; ``blocks`` in use while it ran; ``waiting`` requests when it ended.
    """

    replica: NDArray
    start: NDArray
    end: NDArray
    decoding: NDArray
    prompt: NDArray
    finished: NDArray
    blocks: NDArray
    waiting: NDArray


class Timed:
    """What follows from the requests and the times of their tokens."""

    requests: Requests
    token_seconds: tuple[NDArray, ...]

    @cached_property
    def time_to_first_token(self) -> NDArray:
        """Seconds from each arrival to the first token, the wait included."""
        return np.array([times[0] for times in self.token_seconds]) - self.requests.arrival_seconds

    @cached_property
    def time_between_tokens(self) -> NDArray:
        """Seconds between each token and the next of the same request, all of them in one array."""
        return np.concatenate([np.diff(times) for times in self.token_seconds])

    @cached_property
    def latency(self) -> NDArray:
        """Seconds from each arrival to the last token."""
        return np.array([times[-1] for times in self.token_seconds]) - self.requests.arrival_seconds

    @property
    def seconds(self) -> float:
        """From the first arrival to the last token."""
        return float(max(times[-1] for times in self.token_seconds) - self.requests.arrival_seconds[0])

    @property
    def output_tokens_per_second(self) -> float:
        """Of all replicas together, over the whole stretch."""
        return float(self.requests.output.sum() / self.seconds)

    def percentile(self, quantity: str, percent: ArrayLike) -> FloatOrArray:
        """Percentile of ``"time_to_first_token"``, ``"time_between_tokens"`` or ``"latency"``.

        Parameters
        ----------
        quantity : str
        percent : float or array
            0 to 100.

        Returns
        -------
        float or array
            Seconds.

        Raises
        ------
        ValueError
            For another quantity, percents out of range, and no gaps because every request wrote one token.
        """
        choice("quantity", quantity, QUANTITIES)
        values = getattr(self, quantity)
        if not values.size:
            raise ValueError(f"{quantity} has no percentile: every request wrote one token")
        wanted = positive("percent", percent, allow_zero=True)
        if np.max(wanted) > 100:
            raise ValueError(f"percent must be at most 100, got {percent!r}")
        found = np.percentile(values, wanted)
        return found if found.ndim else float(found)

    def share_within(self, first_token_seconds: float, between_tokens_seconds: float) -> float:
        """Share of the requests that met both limits, the second by the mean of their gaps.

        Parameters
        ----------
        first_token_seconds, between_tokens_seconds : float
            Limits, seconds.

        Returns
        -------
        float
            0 to 1.

        Raises
        ------
        ValueError, TypeError
            For limits that are not above zero.
        """
        first = one_positive("first_token_seconds", first_token_seconds)
        between = one_positive("between_tokens_seconds", between_tokens_seconds)
        gaps = (self.latency - self.time_to_first_token) / np.maximum(self.requests.output - 1, 1)
        return float(np.mean((self.time_to_first_token <= first) & (gaps <= between)))


@dataclass(frozen=True)
class Run(Timed):
    """A simulated stretch of serving.

    Attributes
    ----------
    requests : Requests
    replica : array of int
        Which replica each request ended on.
    token_seconds : tuple of arrays
        Of each request, when its tokens came.
    steps : Steps
    preemptions, tokens_read_again, tokens_from_prefix : int
        How often a sequence gave back its blocks, tokens whose keys and values were lost by that,
        and prompt tokens that a prefix cache held.
    """

    requests: Requests
    replica: NDArray
    token_seconds: tuple[NDArray, ...]
    steps: Steps
    preemptions: int
    tokens_read_again: int
    tokens_from_prefix: int
