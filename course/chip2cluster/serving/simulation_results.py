"""Results of a serving simulation: when each token was generated, and what each step did."""

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
    """Steps of all replicas in the order in which they ended; arrays of one length.

    Attributes
    ----------
    replica : array of int
        Number of the replica.
    start, end : array
        Start and end of the step, seconds.
    decoding, prompt, finished : array of int
        Contents of the step as in `Batch`.
    blocks : array of int
        KV-cache blocks in use during the step.
    waiting : array of int
        Requests in the queue when it ended.
    """

    replica: NDArray
    start: NDArray
    end: NDArray
    decoding: NDArray
    prompt: NDArray
    finished: NDArray
    blocks: NDArray
    waiting: NDArray


class TokenTimes:
    """Latencies and rates that follow from requests and the times of their tokens."""

    requests: Requests
    token_seconds: tuple[NDArray, ...]

    @cached_property
    def time_to_first_token(self) -> NDArray:
        """Time to first token (TTFT) of each request, queueing included, seconds."""
        return np.array([times[0] for times in self.token_seconds]) - self.requests.arrival_seconds

    @cached_property
    def time_between_tokens(self) -> NDArray:
        """Inter-token latency (ITL) of all requests in one array, seconds."""
        return np.concatenate([np.diff(times) for times in self.token_seconds])

    @cached_property
    def latency(self) -> NDArray:
        """End-to-end latency of each request, from its arrival to its last token, seconds."""
        return np.array([times[-1] for times in self.token_seconds]) - self.requests.arrival_seconds

    @property
    def seconds(self) -> float:
        """Time from the first arrival to the last token, seconds."""
        return float(max(times[-1] for times in self.token_seconds) - self.requests.arrival_seconds[0])

    @property
    def output_tokens_per_second(self) -> float:
        """Throughput of all replicas together, output tokens/s."""
        return float(self.requests.output.sum() / self.seconds)

    def percentile(self, quantity: str, percent: ArrayLike) -> FloatOrArray:
        """Return a percentile of TTFT, inter-token latency (ITL) or end-to-end latency.

        Parameters
        ----------
        quantity : {"time_to_first_token", "time_between_tokens", "latency"}
            Latency to evaluate.
        percent : float or array
            Percentile, 0 to 100.

        Returns
        -------
        float or array
            Seconds.

        Raises
        ------
        ValueError
            If no request has more than one output token and ITL is asked for.
        """
        choice("quantity", quantity, QUANTITIES)
        values = getattr(self, quantity)
        if not values.size:
            raise ValueError(f"{quantity} has no percentile: every request has a single output token")
        wanted = positive("percent", percent, allow_zero=True)
        if np.max(wanted) > 100:
            raise ValueError(f"percent must be at most 100, got {percent!r}")
        found = np.percentile(values, wanted)
        return found if found.ndim else float(found)

    def share_within(self, first_token_seconds: float, between_tokens_seconds: float) -> float:
        """Return the fraction of requests that met both latency limits: SLO attainment, which decides goodput.

        Parameters
        ----------
        first_token_seconds : float
            Limit of the time to first token (TTFT), seconds.
        between_tokens_seconds : float
            Limit of a request's mean time per output token (TPOT), seconds.

        Returns
        -------
        float
            Fraction, 0 to 1; times the request rate it is the goodput.
        """
        first = one_positive("first_token_seconds", first_token_seconds)
        between = one_positive("between_tokens_seconds", between_tokens_seconds)
        gaps = (self.latency - self.time_to_first_token) / np.maximum(self.requests.output - 1, 1)
        return float(np.mean((self.time_to_first_token <= first) & (gaps <= between)))


@dataclass(frozen=True)
class ServingRun(TokenTimes):
    """Result of a serving simulation.

    Attributes
    ----------
    requests : Requests
        Requests that were served.
    replica : array of int
        Replica that finished each request.
    token_seconds : tuple of arrays
        Times at which the tokens of each request were generated, seconds.
    steps : Steps
        Steps of all replicas.
    preemptions : int
        How often a sequence lost its blocks.
    tokens_recomputed : int
        Tokens whose keys and values were lost by preemption and computed again.
    tokens_from_prefix : int
        Prompt tokens found in a prefix cache.
    """

    requests: Requests
    replica: NDArray
    token_seconds: tuple[NDArray, ...]
    steps: Steps
    preemptions: int
    tokens_recomputed: int
    tokens_from_prefix: int
