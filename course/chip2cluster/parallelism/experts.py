"""Who goes to which expert: load imbalance, capacity, and what is dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive, whole
from .layout import one_whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray, NDArray

MOST_TERMS = 2**18  # summed at once
FAR = 80.0  # what is left out of a sum of chances is about e to minus so many of it


@dataclass(frozen=True)
class Routing:
    """Which experts each token visits.

    ``choices`` has shape (tokens, per_token): the number of an expert, none twice in a row.
    """

    experts: int
    choices: NDArray = field(repr=False, compare=False)

    @property
    def tokens(self) -> int:
        """Tokens that were routed."""
        return len(self.choices)

    @property
    def per_token(self) -> int:
        """Experts that each token visits."""
        return self.choices.shape[1]

    @cached_property
    def load(self) -> NDArray:
        """Visits to each expert, shape (experts,)."""
        return np.bincount(self.choices.ravel(), minlength=self.experts)

    @property
    def imbalance(self) -> float:
        """The busiest expert over the mean; 1 is fair."""
        return float(self.load.max() / self.load.mean())

    def device_imbalance(self, devices: int) -> float:
        """The busiest device over the mean, where each of ``devices`` has as many experts, side by side.

        What `memory_by_stage`, `volumes` and `step_time` take as ``expert_load``.
        """
        load = self.load.reshape(self._devices(devices), -1).sum(axis=1)
        return float(load.max() / load.mean())

    def dropped_share(self, capacity_factor: float) -> float:
        """Share of the visits that find their expert full, with room for `expert_capacity` visits at each."""
        room = expert_capacity(self.tokens, self.experts, self.per_token, capacity_factor)
        return float(np.maximum(self.load - room, 0).sum() / self.choices.size)

    def sent(self, devices: int, token_bytes: float, *, once: bool = False) -> NDArray:
        """Bytes from each device (row) to each other (column) on the way to the experts, shape (devices, devices).

        Tokens lie on the devices in order, equally many on each; experts as in `device_imbalance`.
        ``once`` sends a token that visits several experts of one device one single time. What
        stays on a device does not count. The way back is the transpose.
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
    """Send tokens to experts at random, some experts being more popular than others.

    Parameters
    ----------
    tokens, experts, per_token : int
        Tokens, experts to choose from, E, and how many different ones each token visits, k.
    skew : float
        The i-th expert has the weight ``i ** -skew``: 0 is a fair router, 1 Zipf's law. Who is how
        popular is drawn as well.
    groups, groups_per_token : int
        Groups of experts side by side (those of one node), and how many of them a token may visit
        at most: first the groups with the best two experts, then the best experts in these. All
        when left out.
    seed : int
        Of the random numbers.

    Returns
    -------
    Routing

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, more visits than there are experts to visit, groups that
        do not divide, and a negative skew.

    Notes
    -----
    Draws k of E without replacement, by weight (the largest of log weight + Gumbel noise). Ignores that
    neighbouring tokens resemble each other, which makes real loads less even for a while.
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
        raise ValueError(f"per_token must be at most {e // g * open_groups}, the experts a token may visit, got {per_token!r}")  # fmt: skip
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
    """Visits for which each expert has room: the mean, times a factor, rounded up.

    Parameters
    ----------
    tokens, experts, per_token : int or array of int
        Tokens routed together, experts, and visits of each token.
    capacity_factor : float or array
        1 is room for the mean.

    Returns
    -------
    int or array
        Visits.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and a factor not above zero.

    Notes
    -----
    What is beyond is dropped, or waits. Source: Fedus et al. 2021 (Switch), arXiv:2101.03961, eq. 3; Lepikhin et
    al. 2020 (GShard), arXiv:2006.16668.

    Examples
    --------
    >>> expert_capacity(4096, 64, 2, 1.25)
    160
    """
    mean = whole("tokens", tokens) * whole("per_token", per_token) / whole("experts", experts)
    room = np.ceil(positive("capacity_factor", capacity_factor) * mean * (1 - 1e-12))
    return room.astype(int) if room.ndim else int(room)


def expected_dropped_share(
    tokens: ArrayLike, experts: ArrayLike, per_token: ArrayLike = 1, capacity_factor: ArrayLike = 1.0
) -> FloatOrArray:
    """Share of the visits that a perfectly fair router drops on average: chance alone fills some experts.

    Parameters
    ----------
    tokens, experts, per_token, capacity_factor
        As `expert_capacity`.

    Returns
    -------
    float or array
        A fraction of the visits.

    Raises
    ------
    ValueError, TypeError
        As `expert_capacity`, and for more visits than experts.

    Notes
    -----
    Exact: each of n tokens visits an expert with probability k / E, whoever else does, so its load
    is binomial; what is beyond the capacity is dropped. A lower bound for any router that does not look
    at the load. Source: the definition.

    Examples
    --------
    >>> [round(expected_dropped_share(4096, 64, 2, factor), 4) for factor in (1.0, 1.25, 1.5)]
    [0.0347, 0.0001, 0.0]
    """
    room = expert_capacity(tokens, experts, per_token, capacity_factor)
    n, e, k = (np.asarray(whole(name, value)) for name, value in (("tokens", tokens), ("experts", experts), ("per_token", per_token)))  # fmt: skip
    if (k > e).any():
        raise ValueError(f"per_token must be at most experts={experts!r}, got {per_token!r}")
    n, e, k, room = np.broadcast_arrays(n, e, k, room)
    share = np.where(k == e, np.maximum(n - room, 0) / n, 0.0)
    some = (k < e) & (room < n)
    cells = np.column_stack([each[some] for each in (n, e, k, room)])
    last = _last_load(*cells.T)
    order, found = np.argsort(last - cells[:, 3]), np.empty(len(cells))
    while order.size:  # those with the longest sums together, as many as there is room for
        width = int((last - cells[:, 3])[order[-1]])
        rows, order = np.split(order, [max(0, order.size - max(1, MOST_TERMS // width))])[::-1]
        found[rows] = _dropped(cells[rows].T, width)
    share[some] = found
    return plain(share)


def _last_load(n: Any, e: Any, k: Any, room: Any) -> Any:
    """The load behind which nothing counts: what is left is below n e^-80 of the largest term of the sum (Bernstein)."""
    mean = n * k / e
    beyond = np.sqrt(2 * FAR * mean * (1 - k / e)) + 2 * FAR / 3 + 2
    return np.minimum(n, np.ceil(np.maximum(room + 1, mean) + beyond).astype(int))


def _dropped(cells: Any, width: int) -> Any:
    """E[max(0, X - room)] over E[X] for X binomial, of columns; so many loads beyond the room are summed."""
    n, e, k, room = cells
    odds, first = k / (e - k), room + 1
    start = np.array(
        [lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1) for a, b in zip(n.tolist(), first.tolist(), strict=True)]
    )
    start = start + first * np.log(k / e) + (n - first) * np.log1p(-k / e)
    loads = first[:, None] + np.arange(width - 1)
    steps = (
        np.maximum(n[:, None] - loads, 0) / (loads + 1) * odds[:, None]
    )  # from the chance of a load to that of the next
    with np.errstate(divide="ignore"):
        ways = np.concatenate([start[:, None], start[:, None] + np.cumsum(np.log(steps), axis=1)], axis=1)
    return (np.exp(ways) * np.arange(1, width + 1)).sum(axis=1) / (n * k / e)
