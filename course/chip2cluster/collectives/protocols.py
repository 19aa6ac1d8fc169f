"""NCCL's three protocols: latency and bandwidth of one hop, by kind of link and library version.

NCCL can send a message to the next rank in three ways.

* **LL** ("low latency"): 4 bytes of flag travel with every 4 bytes of data, and the
  receiver polls the flags. No memory fence, and at most half of the link.
* **LL128**: 8 bytes of flag with every 120 bytes of data. It needs a link that delivers
  128 bytes atomically, as NVLink does.
* **Simple**: large chunks without flags, each followed by a fence and a signal. The
  whole link, and the longest latency.

Use the latency and the bandwidth of one protocol together: no protocol has the latency of
LL and the bandwidth of Simple.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._validate import look_up, plain, positive
from ..links import transfer_time
from ..provenance import Source

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

_DATA = Path(__file__).resolve().parent.parent / "data" / "nccl.json"


@dataclass(frozen=True)
class Protocol:
    """Latency and bandwidth of one NCCL protocol on one kind of link.

    Attributes
    ----------
    name : str
        ``"LL"``, ``"LL128"`` or ``"Simple"``.
    link : str
        Kind of link, such as ``"nvlink"``.
    version : str
        Version of NCCL.
    latency : float
        Fixed cost of a hop, seconds.
    wire_share : float
        Fraction of the link's payload rate that the library's tuner assumes.
    data_share : float
        Fraction of the link's payload rate that the protocol's format leaves for data; at
        least ``wire_share``.
    source : Source
        Citation.
    """

    name: str
    link: str
    version: str
    latency: float
    wire_share: float
    data_share: float
    source: Source | Any = field(default=None, repr=False, compare=False)

    def time(self, message_bytes: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
        """Compute the time of one message over one hop, ``latency + n / (wire_share * bandwidth)``.

        Parameters
        ----------
        message_bytes : float or array
            Message size, n, bytes.
        bandwidth_one_way : float or array
            Payload rate of the link, bytes/s: about 370e9 for the NVLinks of an H100.

        Returns
        -------
        float or array
            Time without the kernel launch, seconds.
        """
        rate = self.wire_share * positive("bandwidth_one_way", bandwidth_one_way)
        return transfer_time(message_bytes, rate, self.latency)

    def half_bandwidth_bytes(self, bandwidth_one_way: ArrayLike) -> FloatOrArray:
        """Compute the message size that reaches half of this protocol's bandwidth on one hop.

        Parameters
        ----------
        bandwidth_one_way : float or array
            Payload rate of the link, bytes/s.

        Returns
        -------
        float or array
            Message size (Hockney's n-half), bytes.
        """
        return plain(self.latency * self.wire_share * positive("bandwidth_one_way", bandwidth_one_way))


@cache
def data() -> dict[str, Any]:
    """Return the stored constants of NCCL's tuner."""
    return json.loads(_DATA.read_text(encoding="utf-8"))


def nccl_versions() -> tuple[str, ...]:
    """List the versions of NCCL whose constants the package has, oldest first.

    Returns
    -------
    tuple of str
        Version numbers such as ``"2.27"``.

    Notes
    -----
    From 2.28 on the tuner estimates NVLS differently; other versions are therefore
    refused. Source: NVIDIA/nccl, src/graph/tuning.cc of each version.

    Examples
    --------
    >>> nccl_versions()
    ('2.18', '2.20', '2.27')
    """
    return tuple(data()["versions"])


def nccl_protocols(link: str = "nvlink", version: str = "2.27") -> tuple[Protocol, ...]:
    """Return NCCL's three protocols on one kind of link, with the tuner's constants for a ring hop.

    Parameters
    ----------
    link : str
        ``"nvlink"``, ``"network"``, or (from version 2.20) ``"pcie"``.
    version : str
        NCCL version, one of `nccl_versions`.

    Returns
    -------
    tuple of Protocol
        LL, LL128 and Simple, in ascending latency and bandwidth.

    Notes
    -----
    These constants serve the library's choice and are not measurements of a link; other
    tools measure another latency. Up to version 2.20 the tuner gave LL a quarter of the
    ring's bandwidth for an all-reduce; its format allows a half, as in 2.27. Ignores the
    limits of one channel. Source: as `nccl_versions`.

    Examples
    --------
    >>> [(p.name, round(p.latency * 1e6, 1), p.wire_share) for p in nccl_protocols()]
    [('LL', 0.6, 0.5), ('LL128', 1.9, 0.92), ('Simple', 3.4, 1.0)]
    >>> [round(p.half_bandwidth_bytes(370.8e9) / 1e3) for p in nccl_protocols()]        # kB, H100
    [111, 648, 1261]
    """
    look_up("link", link, look_up("version", version, data()["versions"])["hop"])
    return _protocols(link, version)


def nccl_protocol(name: str, link: str = "nvlink", version: str = "2.27") -> Protocol:
    """Return one of `nccl_protocols` by name.

    Parameters
    ----------
    name : str
        ``"LL"``, ``"LL128"`` or ``"Simple"``.
    link : str
        ``"nvlink"``, ``"network"``, or (from version 2.20) ``"pcie"``.
    version : str
        NCCL version, one of `nccl_versions`.

    Returns
    -------
    Protocol
        Latency and bandwidth of the protocol.

    Notes
    -----
    As `nccl_protocols`.

    Examples
    --------
    >>> simple = nccl_protocol("Simple", "network")
    >>> round(simple.half_bandwidth_bytes(50e9) / 1e3)          # kB on one NDR port
    700
    """
    look_up("protocol", name, data()["protocols"])
    return next(protocol for protocol in nccl_protocols(link, version) if protocol.name == name)


@cache
def _protocols(link: str, version: str) -> tuple[Protocol, ...]:
    row = data()["versions"][version]
    source = Source(**row["source"])
    return tuple(
        Protocol(name, link, version, hop * 1e-6, share, parts["payload"] / (parts["payload"] + parts["flags"]), source)
        for (name, parts), hop, share in zip(
            data()["protocols"].items(), row["hop"][link]["ring"], row["ring_share"], strict=True
        )
    )
