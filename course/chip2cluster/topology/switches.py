"""Switches and cables of a fat tree that is built from switches of one radix."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from .._validate import one_positive, one_whole


@dataclass(frozen=True)
class SwitchCount:
    """Fat tree of equal switches with enough ports for a number of endpoints.

    Attributes
    ----------
    endpoints, radix : int
        NICs to connect, and ports of a switch.
    tiers : int
        Tiers of switches: 1, 2 or 3.
    leaves, spines, cores : int
        Switches of each tier; 0 where there is no such tier.
    endpoint_cables, leaf_cables, spine_cables : int
        Cables from the endpoints to the leaves, from leaves to spines, and from spines to cores.
    oversubscription : float
        Ratio of ports below a leaf to ports above it that the count has.

    Examples
    --------
    >>> count = switch_count(512, 64)
    >>> count.tiers, count.leaves, count.spines, count.switches, count.cables
    (2, 16, 8, 24, 1024)
    """

    endpoints: int
    radix: int
    tiers: int
    leaves: int
    spines: int
    cores: int
    endpoint_cables: int
    leaf_cables: int
    spine_cables: int
    oversubscription: float

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaves + self.spines + self.cores

    @property
    def cables(self) -> int:
        """Cables of all tiers."""
        return self.endpoint_cables + self.leaf_cables + self.spine_cables


def most_endpoints(radix: int, tiers: int) -> int:
    """Most endpoints of a non-blocking fat tree.

    Parameters
    ----------
    radix : int
        Ports of a switch, k.
    tiers : int
        Tiers of switches, 1 to 3.

    Returns
    -------
    int
        Endpoints: ``k``, ``k**2 / 2`` and ``k**3 / 4``.

    Notes
    -----
    Source: Al-Fares et al., "A scalable, commodity data center network architecture", SIGCOMM 2008.

    Examples
    --------
    >>> [most_endpoints(64, tiers) for tiers in (1, 2, 3)]
    [64, 2048, 65536]
    """
    radix, tiers = one_whole("radix", radix, minimum=2), one_whole("tiers", tiers)
    if tiers > 3:
        raise ValueError(f"tiers must be 1, 2 or 3, got {tiers}")
    return 2 * (radix // 2) ** tiers if tiers > 1 else radix


def switch_count(endpoints: int, radix: int = 64, *, oversubscription: float = 1.0) -> SwitchCount:
    """Count switches and cables of the fat tree with the fewest tiers that connects a number of endpoints.

    Parameters
    ----------
    endpoints : int
        NICs to connect.
    radix : int
        Ports of a switch: 64 for Quantum-2 and Quantum-X800 at the speed of a NIC.
    oversubscription : float
        Ratio of ports below a leaf to ports above it, at least 1; tiers above the leaves are non-blocking.

    Returns
    -------
    SwitchCount
        Number of switches and cables by tier.

    Raises
    ------
    ValueError
        If three tiers are not enough; the message says how many endpoints they connect.

    Notes
    -----
    Fills leaves one after the other and rounds up at each tier; a vendor may use more switches to keep every leaf
    connected to every spine by equally many cables. Ignores redundancy, management and ports for storage. Source:
    Al-Fares et al. 2008; NVIDIA, DGX SuperPOD reference architectures (counts in the examples).

    Examples
    --------
    >>> big = switch_count(2048 * 8, 64)            # the table of the reference architecture: 512, 512, 256
    >>> big.tiers, big.leaves, big.spines, big.cores
    (3, 512, 512, 256)
    """
    count, ports = one_whole("endpoints", endpoints), one_whole("radix", radix, minimum=2)
    ratio = one_positive("oversubscription", oversubscription)
    if ratio < 1:
        raise ValueError(f"oversubscription must be at least 1, got {oversubscription!r}")
    if count <= ports:
        return SwitchCount(count, ports, 1, 1, 0, 0, count, 0, 0, 1.0)
    up = max(int(ports / (1 + ratio)), 1)
    down = ports - up
    leaves = ceil(count / down)
    trunks = leaves * up
    if leaves <= ports:
        spines = ceil(trunks / ports)
        return SwitchCount(count, ports, 2, leaves, spines, 0, count, trunks, 0, down / up)
    half = ports // 2
    spines = ceil(trunks / half)
    cores = ceil(spines * half / ports)
    # A pod has as many leaves as its spines have ports below them, and a core reaches every pod.
    if ceil(leaves / half) > ports:
        raise ValueError(
            f"endpoints={count:,} need more than three tiers of {ports}-port switches, which connect {ports * half * down:,}"
        )
    return SwitchCount(count, ports, 3, leaves, spines, cores, count, trunks, spines * half, down / up)
