"""Mixture of experts (MoE): routing, load imbalance, expert capacity and dropped tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray, NDArray

MOST_TERMS = 2**18  # terms summed at once
TAIL_EXPONENT = 80.0  # the omitted tail of a sum of probabilities is about e to minus this


@dataclass(frozen=True)
class Routing:
    """Experts of each token of a batch.

    Attributes
    ----------
    experts : int
        Number of experts.
    choices : array, shape (tokens, per_token)
        Numbers of the experts of each token, all different within a row.
    """

    experts: int
    choices: NDArray = field(repr=False, compare=False)

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return len(self.choices)

    @property
    def per_token(self) -> int:
        """Experts of each token (top-k)."""
        return self.choices.shape[1]

    @cached_property
    def load(self) -> NDArray:
        """Routed tokens of each expert, shape (experts,)."""
        return np.bincount(self.choices.ravel(), minlength=self.experts)

    @property
    def imbalance(self) -> float:
        """Load of the busiest expert relative to the mean; 1 is even."""
        return float(self.load.max() / self.load.mean())

    def device_imbalance(self, devices: int) -> float:
        """Return the load of the busiest device relative to the mean; each device has equally many consecutive experts.

        This is the ``expert_load`` of `memory_by_stage`, `volumes` and `step_time`.
        """
        load = self.load.reshape(self._devices(devices), -1).sum(axis=1)
        return float(load.max() / load.mean())

    def dropped_share(self, capacity_factor: float) -> float:
        """Return the fraction of routed tokens beyond the `expert_capacity` of their expert."""
        capacity = expert_capacity(self.tokens, self.experts, self.per_token, capacity_factor)
        return float(np.maximum(self.load - capacity, 0).sum() / self.choices.size)

    def sent(self, devices: int, token_bytes: float, *, once: bool = False) -> NDArray:
        """Return the bytes that each device (row) sends to each other (column) in the dispatch all-to-all.

        The shape is (devices, devices). Tokens are distributed over the devices in order, equally many on each;
        experts as in `device_imbalance`. With ``once``, a token that goes to several experts of one device is sent
        only once. Traffic that stays on a device does not count. The combine all-to-all is the transpose.
        """
        count = self._devices(devices)
        if self.tokens % count:
            raise ValueError(f"devices must divide the tokens, {self.tokens}, got {devices!r}")
        size = positive("token_bytes", token_bytes)
        source = np.repeat(np.arange(count), self.tokens // count)[:, None]
        target = self.choices // (self.experts // count)
        pairs = source * count + target
        if once:
            pairs = np.sort(pairs, axis=1)
            pairs = pairs[np.diff(pairs, axis=1, prepend=-1) > 0]
        visits = np.bincount(pairs.ravel(), minlength=count * count).reshape(count, count)
        np.fill_diagonal(visits, 0)
        return visits * size

    def _devices(self, devices: int) -> int:
        count = one_whole("devices", devices)
        if self.experts % count:
            raise ValueError(f"devices must divide the experts, {self.experts}, got {devices!r}")
        return count


def route(
    tokens: int,
    experts: int,
    per_token: int,
    *,
    skew: float = 0.0,
    groups: int = 1,
    groups_per_token: int | None = None,
    seed: int = 0,
) -> Routing:
    """Route tokens to experts at random, with experts of different popularity.

    Parameters
    ----------
    tokens, experts, per_token : int
        Tokens, experts to choose from, E, and number of different experts of each token (top-k), k.
    skew : float
        Exponent of popularity: the i-th expert has the weight ``i ** -skew``: 0 is an even router, 1 Zipf's law.
        The ranking of the experts is drawn as well.
    groups : int
        Groups of consecutive experts (those of one node); they must divide ``experts``.
    groups_per_token : int, optional
        Most groups that a token's experts may be in: first the groups with the best two experts are chosen,
        then the best experts in these. All groups when left out.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    Routing
        Experts of each token.

    Notes
    -----
    Draws k of E without replacement, by weight (the largest of log weight + Gumbel noise). Ignores that
    neighbouring tokens are similar, which makes real loads less even for a while.
    Source: Shazeer et al. 2017, arXiv:1701.06538; groups: DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.2.

    Examples
    --------
    >>> fair, skewed = (route(4096, 64, 8, skew=skew) for skew in (0.0, 0.5))
    >>> round(fair.imbalance, 2), round(skewed.imbalance, 2)
    (1.07, 3.55)
    """
    n, e, k = one_whole("tokens", tokens), one_whole("experts", experts), one_whole("per_token", per_token)
    g = one_whole("groups", groups)
    if e % g:
        raise ValueError(f"groups must divide experts={e}, got {groups!r}")
    open_groups = g if groups_per_token is None else one_whole("groups_per_token", groups_per_token)
    if open_groups > g:
        raise ValueError(f"groups_per_token must be at most groups={g}, got {groups_per_token!r}")
    if k > e // g * open_groups:
        raise ValueError(f"per_token must be at most {e // g * open_groups}, the experts that a token may be routed to, got {per_token!r}")  # fmt: skip
    exponent = positive("skew", skew, allow_zero=True)
    random = np.random.default_rng(one_whole("seed", seed, minimum=0))
    weight = -exponent * np.log(random.permutation(e) + 1.0)
    score = weight + random.gumbel(size=(n, e))
    if open_groups < g:
        best = np.sort(score.reshape(n, g, -1), axis=2)[:, :, -2:].sum(axis=2)
        closed = np.argsort(best, axis=1)[:, : g - open_groups]
        np.put_along_axis(score.reshape(n, g, -1), closed[:, :, None], -np.inf, axis=1)
    return Routing(e, np.argpartition(score, e - k, axis=1)[:, e - k :])


def expert_capacity(
    tokens: ArrayLike, experts: ArrayLike, per_token: ArrayLike = 1, capacity_factor: ArrayLike = 1.0
) -> IntOrArray:
    """Compute the slots of each expert (MoE): the mean load times the capacity factor, rounded up.

    Parameters
    ----------
    tokens, experts, per_token : int or array of int
        Tokens routed together, experts, and experts of each token.
    capacity_factor : float or array
        Capacity relative to the mean load.

    Returns
    -------
    int or array
        Slots of each expert.

    Notes
    -----
    Tokens beyond it are dropped, or wait. Source: Fedus et al. 2021 (Switch), arXiv:2101.03961, eq. 3; Lepikhin et
    al. 2020 (GShard), arXiv:2006.16668.

    Examples
    --------
    >>> expert_capacity(4096, 64, 2, 1.25)
    160
    """
    mean = whole("tokens", tokens) * whole("per_token", per_token) / whole("experts", experts)
    capacity = np.ceil(positive("capacity_factor", capacity_factor) * mean * (1 - 1e-12))
    return capacity.astype(int) if capacity.ndim else int(capacity)


def expected_dropped_share(
    tokens: ArrayLike, experts: ArrayLike, per_token: ArrayLike = 1, capacity_factor: ArrayLike = 1.0
) -> FloatOrArray:
    """Compute the expected fraction of routed tokens that a balanced router drops by chance.

    Parameters
    ----------
    tokens, experts, per_token : int or array of int
        Tokens routed together, experts, and experts of each token.
    capacity_factor : float or array
        Capacity relative to the mean load.

    Returns
    -------
    float or array
        Fraction of the routed tokens.

    Notes
    -----
    Exact: each of n tokens goes to an expert with probability k / E, independently, so its load
    is binomial; tokens beyond the capacity are dropped. A lower bound for any router that ignores
    the load. Source: the definition.

    Examples
    --------
    >>> [round(expected_dropped_share(4096, 64, 2, factor), 4) for factor in (1.0, 1.25, 1.5)]
    [0.0347, 0.0001, 0.0]
    """
    capacity = expert_capacity(tokens, experts, per_token, capacity_factor)
    n, e, k = (np.asarray(whole(name, value)) for name, value in (("tokens", tokens), ("experts", experts), ("per_token", per_token)))  # fmt: skip
    if (k > e).any():
        raise ValueError(f"per_token must be at most experts={experts!r}, got {per_token!r}")
    n, e, k, capacity = np.broadcast_arrays(n, e, k, capacity)
    share = np.where(k == e, np.maximum(n - capacity, 0) / n, 0.0)
    some = (k < e) & (capacity < n)
    cells = np.column_stack([each[some] for each in (n, e, k, capacity)])
    last = _last_load(*cells.T)
    order, found = np.argsort(last - cells[:, 3]), np.empty(len(cells))
    while order.size:  # longest sums first, as many rows as MOST_TERMS allows
        width = int((last - cells[:, 3])[order[-1]])
        rows, order = np.split(order, [max(0, order.size - max(1, MOST_TERMS // width))])[::-1]
        found[rows] = _dropped(cells[rows].T, width)
    share[some] = found
    return plain(share)


def _last_load(n: Any, e: Any, k: Any, capacity: Any) -> Any:
    """Return the load beyond which the rest of the sum is below n e^-80 of its largest term (Bernstein)."""
    mean = n * k / e
    beyond = np.sqrt(2 * TAIL_EXPONENT * mean * (1 - k / e)) + 2 * TAIL_EXPONENT / 3 + 2
    return np.minimum(n, np.ceil(np.maximum(capacity + 1, mean) + beyond).astype(int))


def _dropped(cells: Any, width: int) -> Any:
    """Return E[max(0, X - capacity)] over E[X] for X binomial, of columns; ``width`` loads beyond it are summed."""
    n, e, k, capacity = cells
    odds, first = k / (e - k), capacity + 1
    start = np.array(
        [lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1) for a, b in zip(n.tolist(), first.tolist(), strict=True)]
    )
    start = start + first * np.log(k / e) + (n - first) * np.log1p(-k / e)
    loads = first[:, None] + np.arange(width - 1)
    steps = (
        np.maximum(n[:, None] - loads, 0) / (loads + 1) * odds[:, None]
    )  # ratio of the probabilities of adjacent loads
    with np.errstate(divide="ignore"):
        ways = np.concatenate([start[:, None], start[:, None] + np.cumsum(np.log(steps), axis=1)], axis=1)
    return (np.exp(ways) * np.arange(1, width + 1)).sum(axis=1) / (n * k / e)
