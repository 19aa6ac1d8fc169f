"""Cost of each algorithm of each collective: steps, and bytes as fractions of the message.

One row is one algorithm. For ``n`` ranks and a message of S bytes (`meaning_of_size`
defines S):

* ``steps``: messages that must follow one another; each costs one latency.
* ``wire``: bytes on the critical path over S; each byte costs 1 / bandwidth.
* ``combined``: bytes reduced on the critical path over S.
* ``sent``, ``received``: bytes of the busiest sender and receiver over S.
* ``total``: bytes sent by all ranks together over S.

Links are full duplex, and a rank sends and receives at the same time. The simulators
count the same numbers by moving real arrays; tests compare the two.

Sources: Thakur, Rabenseifner, Gropp 2005 (MPICH); Chan et al. 2007; Patarasuk and
Yuan 2009 (ring); Bruck et al. 1997; Sanders, Speck, Traeff 2009 (two trees).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import look_up

if TYPE_CHECKING:
    from .._typing import FloatOrArray, IntOrArray


def _zero(n: IntOrArray) -> FloatOrArray:
    return 0.0 * n


def _one(n: IntOrArray) -> FloatOrArray:
    return (n > 1) * 1.0  # 1, but 0 for a single rank, which communicates with no other


def _others(n: IntOrArray) -> IntOrArray:
    return n - 1


def _share(n: IntOrArray) -> FloatOrArray:
    return (n - 1) / n


def _levels(n: Any) -> IntOrArray:
    """Levels of a binary tree over ``n`` ranks: log2(n), rounded up."""
    if not isinstance(n, np.ndarray):
        return (n - 1).bit_length()
    mantissa, exponent = np.frexp(n)
    return exponent - (mantissa == 0.5)


def _relayed_blocks(n: IntOrArray) -> FloatOrArray:
    """Total number of blocks sent when block i travels one hop for each 1 bit of i, over ``n``."""
    number = n.astype(np.int64) if isinstance(n, np.ndarray) else n
    bits, bit = 0 * number, 1
    while bit < np.max(n, initial=1):
        whole_periods, rest = number // (2 * bit), number % (2 * bit)
        bits = bits + whole_periods * bit + np.maximum(rest - bit, 0)
        bit *= 2
    return bits / n


def _largest_branch(n: IntOrArray) -> FloatOrArray:
    """Blocks in the largest branch below a binomial tree's root, over ``n``."""
    half = 2.0 ** (_levels(n) - 1)
    return _one(n) * np.maximum(np.minimum(half, n - half), half / 2) / n


RankFunction = Callable[[Any], Any]  # the argument is the number of ranks, or an array of such numbers


@dataclass(frozen=True)
class Algorithm:
    """Cost of one algorithm; each field other than the flags is a function of the number of ranks."""

    steps: RankFunction
    wire: RankFunction
    combined: RankFunction = _zero
    sent: RankFunction | Any = None  # missing ones are filled in below
    received: RankFunction | Any = None
    total: RankFunction | Any = None
    power_of_two: bool = False
    in_nccl: bool = False  # NCCL has it or a close relative; MPI libraries have all

    def __post_init__(self) -> None:
        """Fill in the traffic of symmetric algorithms."""
        # In most algorithms every rank sends and receives the bytes of the critical path.
        for name in ("sent", "received"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.wire)
        if self.total is None:
            object.__setattr__(self, "total", lambda n: n * self.sent(n))


_DIRECT: dict[str, Any] = {"steps": _others, "wire": _share}
_LOGARITHMIC: dict[str, Any] = {"steps": _levels, "wire": _share, "power_of_two": True}
_CHAIN: dict[str, Any] = {"steps": _others, "wire": _one, "total": _others}

ALGORITHMS = {
    "all_reduce": {
        "ring": Algorithm(lambda n: 2 * (n - 1), lambda n: 2 * (n - 1) / n, _share, in_nccl=True),
        "tree": Algorithm(
            steps=lambda n: 2 * _levels(n),
            wire=lambda n: 2 * _levels(n),
            combined=_levels,
            sent=_levels,
            received=_levels,
            total=lambda n: 2 * (n - 1),
        ),
        # Each rank is an inner node of one tree and a leaf of the other, and each tree carries
        # half of the message. Two or three ranks have too few children to load a rank fully.
        "double_binary_tree": Algorithm(
            steps=lambda n: 2 * _levels(n),
            wire=lambda n: _one(n) * np.minimum(2.0, n / 2),
            combined=lambda n: np.minimum(1.0, (n - 1) / 2),
            total=lambda n: 2 * (n - 1),
            in_nccl=True,
        ),
        "recursive_doubling": Algorithm(_levels, _levels, _levels, power_of_two=True),
        "halving_doubling": Algorithm(lambda n: 2 * _levels(n), lambda n: 2 * (n - 1) / n, _share, power_of_two=True),
        "in_network": Algorithm(lambda n: 2 * _one(n), _one, in_nccl=True),
    },
    "reduce_scatter": {
        "ring": Algorithm(**_DIRECT, combined=_share, in_nccl=True),
        "recursive_halving": Algorithm(**_LOGARITHMIC, combined=_share),
        "pairwise": Algorithm(**_DIRECT, combined=_share),
        "in_network": Algorithm(_one, _share, received=lambda n: _one(n) / n, in_nccl=True),
    },
    "all_gather": {
        "ring": Algorithm(**_DIRECT, in_nccl=True),
        "recursive_doubling": Algorithm(**_LOGARITHMIC),
        "bruck": Algorithm(_levels, _share),
        "in_network": Algorithm(_one, _share, sent=lambda n: _one(n) / n, in_nccl=True),
    },
    "broadcast": {
        "ring": Algorithm(**_CHAIN, in_nccl=True),
        "tree": Algorithm(_levels, _levels, received=_one, total=_others),
        "van_de_geijn": Algorithm(
            steps=lambda n: _levels(n) + n - 1,
            wire=lambda n: 2 * (n - 1) / n,
            received=lambda n: _share(n) + _largest_branch(n),
            total=lambda n: _relayed_blocks(n) + n - 1,
        ),
        "in_network": Algorithm(_one, _one, total=_one),
    },
    "reduce": {
        "ring": Algorithm(**_CHAIN, combined=_one, in_nccl=True),
        "tree": Algorithm(_levels, _levels, _levels, sent=_one, total=_others),
        "rabenseifner": Algorithm(
            steps=lambda n: 2 * _levels(n),
            wire=lambda n: 2 * (n - 1) / n,
            combined=_share,
            sent=lambda n: _share(n) + _largest_branch(n),
            total=lambda n: n - 1 + _relayed_blocks(n),
            power_of_two=True,
        ),
        "in_network": Algorithm(_one, _one),
    },
    "all_to_all": {
        "pairwise": Algorithm(**_DIRECT, in_nccl=True),
        "bruck": Algorithm(_levels, _relayed_blocks),
    },
    "gather": {
        "direct": Algorithm(**_DIRECT, sent=lambda n: _one(n) / n, total=_share, in_nccl=True),
        "tree": Algorithm(_levels, _share, sent=_largest_branch, total=_relayed_blocks),
    },
    "scatter": {
        "direct": Algorithm(**_DIRECT, received=lambda n: _one(n) / n, total=_share, in_nccl=True),
        "tree": Algorithm(_levels, _share, received=_largest_branch, total=_relayed_blocks),
    },
    "send_recv": {"direct": Algorithm(_one, _one, in_nccl=True)},
}


def algorithms(collective: str | None = None, *, library: str | None = None) -> tuple[str, ...]:
    """List the collectives, or the algorithms of one collective.

    Parameters
    ----------
    collective : str, optional
        Collective whose algorithms are listed; without it the collectives are listed.
    library : str, optional
        ``"nccl"`` lists only algorithms that NCCL has; the others are MPI's.

    Returns
    -------
    tuple of str
        Names that `time` accepts.

    Notes
    -----
    Lists algorithms for a single bandwidth and latency; for two levels of network see
    `hierarchical_all_reduce_time`. NCCL's tree is a chain inside each node and a double
    binary tree over the nodes (`NcclSystem`). NCCL's in-network reductions are CollNet
    (SHARP) and NVLS, which `switch_all_reduce_time` models. NCCL's PAT, a logarithmic
    all-gather and reduce-scatter for one GPU per node, resembles Bruck's algorithm and is
    not listed; NCCL does all-to-all, gather and scatter by point-to-point (P2P) sends and
    receives. Source: the literature named in the module's docstring; NVIDIA/nccl,
    src/graph/tuning.cc.

    Examples
    --------
    >>> algorithms("all_gather")
    ('ring', 'recursive_doubling', 'bruck', 'in_network')
    >>> algorithms("all_gather", library="nccl")
    ('ring', 'in_network')
    """
    if library is not None:
        look_up("library", library, {"nccl": None})
        if collective is None:
            raise ValueError(f"library needs a collective, got {library!r} without one")
    if collective is None:
        return tuple(ALGORITHMS)
    rows = look_up("collective", collective, ALGORITHMS)
    return tuple(name for name, row in rows.items() if library is None or row.in_nccl)


def algorithm_cost(collective: str, algorithm: str, ranks: IntOrArray) -> Algorithm:
    """Return an algorithm's costs after checking that it supports this number of ranks."""
    try:
        row = ALGORITHMS[collective][algorithm]
    except (KeyError, TypeError):
        look_up(f"algorithm for {collective!r}", algorithm, look_up("collective", collective, ALGORITHMS))
        raise
    if row.power_of_two and not _all_powers_of_two(ranks):
        any_count = [name for name, other in ALGORITHMS[collective].items() if not other.power_of_two]
        raise ValueError(
            f"ranks must be a power of two for {collective!r} by {algorithm!r}, got {ranks!r}; "
            f"any number of ranks works for {', '.join(map(repr, any_count))}"
        )
    return row


def _all_powers_of_two(ranks: IntOrArray) -> bool:
    if isinstance(ranks, np.ndarray):
        return bool((np.frexp(ranks)[0] == 0.5).all())
    return ranks & (ranks - 1) == 0
