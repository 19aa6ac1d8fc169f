"""What each algorithm of each collective costs, in steps and in shares of the message.

One row is one algorithm. With ``n`` ranks and a message of S bytes (for what S means
see `meaning_of_size`):

* ``steps``: messages that must follow one another; each costs one latency.
* ``wire``: bytes on the critical path over S; each byte costs 1 / bandwidth.
* ``combined``: bytes added up on the critical path over S.
* ``sent``, ``received``: bytes of the busiest sender and receiver over S.
* ``total``: bytes sent by all ranks together over S.

Links are full duplex and a rank sends and receives at once. The simulators count the
same numbers by moving real arrays; the tests hold the two against each other.

Sources: Thakur, Rabenseifner, Gropp 2005 (MPICH); Chan et al. 2007; Patarasuk and
Yuan 2009 (ring); Bruck et al. 1997; Sanders, Speck, Traeff 2009 (two trees).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._typing import FloatOrArray, IntOrArray, T


def _nothing(n: IntOrArray) -> FloatOrArray:
    return 0.0 * n


def _some(n: IntOrArray) -> FloatOrArray:
    return (n > 1) * 1.0  # 1, but 0 for a single rank, which has nobody to talk to


def _others(n: IntOrArray) -> IntOrArray:
    return n - 1


def _share(n: IntOrArray) -> FloatOrArray:
    return (n - 1) / n


def _levels(n: Any) -> IntOrArray:
    """Whole levels of a binary tree over ``n`` ranks: log2(n), rounded up."""
    if not isinstance(n, np.ndarray):
        return (n - 1).bit_length()
    mantissa, exponent = np.frexp(n)
    return exponent - (mantissa == 0.5)


def _relayed(n: IntOrArray) -> FloatOrArray:
    """Blocks sent in all when block i travels one hop for each 1 bit of i, over ``n``."""
    number = n.astype(np.int64) if isinstance(n, np.ndarray) else n
    bits, bit = 0 * number, 1
    while bit < np.max(n, initial=1):
        whole_periods, rest = number // (2 * bit), number % (2 * bit)
        bits = bits + whole_periods * bit + np.maximum(rest - bit, 0)
        bit *= 2
    return bits / n


def _biggest_branch(n: IntOrArray) -> FloatOrArray:
    """Blocks in the largest branch below a binomial tree's root, over ``n``."""
    half = 2.0 ** (_levels(n) - 1)
    return _some(n) * np.maximum(np.minimum(half, n - half), half / 2) / n


Share = Callable[[Any], Any]  # of the ranks, one number or an array


@dataclass(frozen=True)
class Algorithm:
    """One row of the table; each field but the flags is a function of the ranks."""

    steps: Share
    wire: Share
    combined: Share = _nothing
    sent: Share | Any = None  # what is left out is filled in below
    received: Share | Any = None
    total: Share | Any = None
    power_of_two: bool = False
    in_nccl: bool = False  # or a relation of it; the others are MPI's

    def __post_init__(self) -> None:
        # Symmetric algorithms are the rule: every rank sends and receives what the wire sees.
        for name in ("sent", "received"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.wire)
        if self.total is None:
            object.__setattr__(self, "total", lambda n: n * self.sent(n))


_EXCHANGE: dict[str, Any] = {"steps": _others, "wire": _share}
_LOGARITHMIC: dict[str, Any] = {"steps": _levels, "wire": _share, "power_of_two": True}
_CHAIN: dict[str, Any] = {"steps": _others, "wire": _some, "total": _others}

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
        # Each rank is an inner node of one tree and a leaf of the other; each tree takes
        # half the message. Two or three ranks have too few children to load a rank fully.
        "double_binary_tree": Algorithm(
            steps=lambda n: 2 * _levels(n),
            wire=lambda n: _some(n) * np.minimum(2.0, n / 2),
            combined=lambda n: np.minimum(1.0, (n - 1) / 2),
            total=lambda n: 2 * (n - 1),
            in_nccl=True,
        ),
        "recursive_doubling": Algorithm(_levels, _levels, _levels, power_of_two=True),
        "halving_doubling": Algorithm(lambda n: 2 * _levels(n), lambda n: 2 * (n - 1) / n, _share, power_of_two=True),
        "in_network": Algorithm(lambda n: 2 * _some(n), _some, in_nccl=True),
    },
    "reduce_scatter": {
        "ring": Algorithm(**_EXCHANGE, combined=_share, in_nccl=True),
        "recursive_halving": Algorithm(**_LOGARITHMIC, combined=_share),
        "pairwise": Algorithm(**_EXCHANGE, combined=_share),
        "in_network": Algorithm(_some, _share, received=lambda n: _some(n) / n, in_nccl=True),
    },
    "all_gather": {
        "ring": Algorithm(**_EXCHANGE, in_nccl=True),
        "recursive_doubling": Algorithm(**_LOGARITHMIC),
        "bruck": Algorithm(_levels, _share),
        "in_network": Algorithm(_some, _share, sent=lambda n: _some(n) / n, in_nccl=True),
    },
    "broadcast": {
        "ring": Algorithm(**_CHAIN, in_nccl=True),
        "tree": Algorithm(_levels, _levels, received=_some, total=_others),
        "van_de_geijn": Algorithm(
            steps=lambda n: _levels(n) + n - 1,
            wire=lambda n: 2 * (n - 1) / n,
            received=lambda n: _share(n) + _biggest_branch(n),
            total=lambda n: _relayed(n) + n - 1,
        ),
        "in_network": Algorithm(_some, _some, total=_some),
    },
    "reduce": {
        "ring": Algorithm(**_CHAIN, combined=_some, in_nccl=True),
        "tree": Algorithm(_levels, _levels, _levels, sent=_some, total=_others),
        "rabenseifner": Algorithm(
            steps=lambda n: 2 * _levels(n),
            wire=lambda n: 2 * (n - 1) / n,
            combined=_share,
            sent=lambda n: _share(n) + _biggest_branch(n),
            total=lambda n: n - 1 + _relayed(n),
            power_of_two=True,
        ),
        "in_network": Algorithm(_some, _some),
    },
    "all_to_all": {
        "pairwise": Algorithm(**_EXCHANGE, in_nccl=True),
        "bruck": Algorithm(_levels, _relayed),
    },
    "gather": {
        "direct": Algorithm(**_EXCHANGE, sent=lambda n: _some(n) / n, total=_share, in_nccl=True),
        "tree": Algorithm(_levels, _share, sent=_biggest_branch, total=_relayed),
    },
    "scatter": {
        "direct": Algorithm(**_EXCHANGE, received=lambda n: _some(n) / n, total=_share, in_nccl=True),
        "tree": Algorithm(_levels, _share, received=_biggest_branch, total=_relayed),
    },
    "send_recv": {"direct": Algorithm(_some, _some, in_nccl=True)},
}


def algorithms(collective: str | None = None, *, library: str | None = None) -> tuple[str, ...]:
    """Names of the collectives, or of the algorithms of one of them.

    Parameters
    ----------
    collective : str, optional
        Left out, the collectives are named.
    library : str, optional
        ``"nccl"``: only those that NVIDIA's library has; the others are MPI's.

    Returns
    -------
    tuple of str

    Raises
    ------
    ValueError, TypeError
        For an unknown collective or library, naming those that exist, and for a library
        without a collective.

    Notes
    -----
    Lists the algorithms that `time` knows for one bandwidth and one latency; two levels
    of network are `hierarchical_all_reduce_time`'s. NCCL's tree is a chain inside each
    node and a double binary tree over the nodes (`NcclSystem`); its in-network sums are
    CollNet, and NVLS, which `switch_all_reduce_time` counts. Its PAT, a logarithmic
    all-gather and reduce-scatter for one GPU a node, is a relation of Bruck's and is not
    in the table; all-to-all, gather and scatter it leaves to sends and receives between
    pairs. Source: the literature named in the module's head; NVIDIA/nccl,
    src/graph/tuning.cc.

    Examples
    --------
    >>> algorithms("all_gather")
    ('ring', 'recursive_doubling', 'bruck', 'in_network')
    >>> algorithms("all_gather", library="nccl")
    ('ring', 'in_network')
    """
    if library is not None:
        named("library", library, {"nccl": None})
        if collective is None:
            raise ValueError(f"library must be left out where no collective is named, got {library!r}")
    if collective is None:
        return tuple(ALGORITHMS)
    rows = named("collective", collective, ALGORITHMS)
    return tuple(name for name, row in rows.items() if library is None or row.in_nccl)


def find(collective: str, algorithm: str, ranks: IntOrArray) -> Algorithm:
    """The table's row, after a check that it can serve ``ranks`` (already whole numbers)."""
    try:
        row = ALGORITHMS[collective][algorithm]
    except (KeyError, TypeError):
        of_collective = named("collective", collective, ALGORITHMS)
        named(f"algorithm for {collective!r}", algorithm, of_collective)
        raise
    if row.power_of_two and not _all_powers_of_two(ranks):
        any_count = [name for name, other in ALGORITHMS[collective].items() if not other.power_of_two]
        raise ValueError(
            f"ranks must be a power of two for {collective!r} by {algorithm!r}, got {ranks!r}; "
            f"any number of ranks will do for {', '.join(map(repr, any_count))}"
        )
    return row


def named(argument: str, value: str, choices: Mapping[str, T]) -> T:
    """Look up a text among ``choices`` (a dict); the error names all of them."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a text, one of {', '.join(map(repr, choices))}; got {value!r}")
    if value not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return choices[value]


def _all_powers_of_two(ranks: IntOrArray) -> bool:
    if isinstance(ranks, np.ndarray):
        return bool((np.frexp(ranks)[0] == 0.5).all())
    return ranks & (ranks - 1) == 0
