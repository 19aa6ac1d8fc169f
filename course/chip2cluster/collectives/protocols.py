"""NCCL's three protocols: what one hop costs, by kind of link and version of the library.

The library can hand a message to the neighbour in three ways.

* **LL** ("low latency"): 4 bytes of flag travel with every 4 bytes of data, and the
  receiver looks at the flags. No waiting for memory, and half of the wire at most.
* **LL128**: 8 bytes of flag with every 120 of data. It needs a link that delivers 128
  bytes in one piece, as NVLink does.
* **Simple**: large chunks without flags, each followed by a fence and a signal. The
  whole wire, after the longest start.

Latency and bandwidth belong together: no protocol has the latency of LL and the
bandwidth of Simple.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._validate import plain, positive
from ..links import transfer_time
from ..provenance import Source
from .algorithms import named

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

_DATA = Path(__file__).resolve().parent.parent / "data" / "nccl.json"


@dataclass(frozen=True)
class Protocol:
    """One protocol on one kind of link: ``latency`` seconds a hop, ``wire_share`` of the wire's payload rate.

    ``data_share`` is what the protocol's format leaves for data; ``wire_share`` is what
    the library reckons with, which is that or less.
    """

    name: str
    link: str
    version: str
    latency: float
    wire_share: float
    data_share: float
    source: Source | Any = field(default=None, repr=False, compare=False)

    def time(self, message_bytes: ArrayLike, bandwidth_one_way: ArrayLike) -> FloatOrArray:
        """Return the time of one message over one hop, ``latency + n / (wire_share * bandwidth)``.

        Parameters
        ----------
        message_bytes : float or array
            The message, n, bytes.
        bandwidth_one_way : float or array
            The wire's payload rate, bytes/s: about 370e9 for the NVLinks of an H100.

        Returns
        -------
        float or array
            Seconds, without the launch of the kernel.

        Raises
        ------
        ValueError, TypeError
            For numbers that make no sense.
        """
        rate = self.wire_share * positive("bandwidth_one_way", bandwidth_one_way)
        return transfer_time(message_bytes, rate, self.latency)

    def half_bandwidth_bytes(self, bandwidth_one_way: ArrayLike) -> FloatOrArray:
        """Return the message that reaches half of this protocol's own bandwidth on one hop.

        Parameters
        ----------
        bandwidth_one_way : float or array
            As for `time`.

        Returns
        -------
        float or array
            Bytes: Hockney's n-half, with latency and bandwidth of one protocol.

        Raises
        ------
        ValueError, TypeError
            For a rate that is not above zero.
        """
        return plain(self.latency * self.wire_share * positive("bandwidth_one_way", bandwidth_one_way))


@cache
def data() -> dict[str, Any]:
    """Return the stored constants, read once."""
    return json.loads(_DATA.read_text(encoding="utf-8"))


def nccl_versions() -> tuple[str, ...]:
    """Versions of NCCL whose constants the package holds, oldest first.

    Returns
    -------
    tuple of str

    Notes
    -----
    From 2.28 on the tuner prices the adding switch in another way, so a version that is
    not listed is refused, not guessed. Source: NVIDIA/nccl, src/graph/tuning.cc of each.

    Examples
    --------
    >>> nccl_versions()
    ('2.18', '2.20', '2.27')
    """
    return tuple(data()["versions"])


def nccl_protocols(link: str = "nvlink", version: str = "2.27") -> tuple[Protocol, ...]:
    """The three protocols on one kind of link, as NCCL's tuner counts a hop of a ring.

    Parameters
    ----------
    link : str
        ``"nvlink"``, ``"network"``, and from version 2.20 ``"pcie"``.
    version : str
        One of `nccl_versions`.

    Returns
    -------
    tuple of Protocol
        LL, LL128, Simple: latency and share grow together.

    Raises
    ------
    ValueError, TypeError
        For a link or a version that is not stored, naming those that are.

    Notes
    -----
    The constants of the library's choice, not measurements of a wire: a hop seen by
    other tools differs. Up to version 2.20 the tuner gave LL a quarter of the ring's
    bandwidth for an all-reduce; its format allows a half, as 2.27 has it. Ignores the
    limits of one channel. Source: as `nccl_versions`.

    Examples
    --------
    >>> [(p.name, round(p.latency * 1e6, 1), p.wire_share) for p in nccl_protocols()]
    [('LL', 0.6, 0.5), ('LL128', 1.9, 0.92), ('Simple', 3.4, 1.0)]
    >>> [round(p.half_bandwidth_bytes(370.8e9) / 1e3) for p in nccl_protocols()]        # kB, H100
    [111, 648, 1261]
    """
    named("link", link, named("version", version, data()["versions"])["hop"])
    return _protocols(link, version)


def nccl_protocol(name: str, link: str = "nvlink", version: str = "2.27") -> Protocol:
    """One of `nccl_protocols` by its name.

    Parameters
    ----------
    name : str
        ``"LL"``, ``"LL128"`` or ``"Simple"``.
    link, version : str
        As `nccl_protocols`.

    Returns
    -------
    Protocol

    Raises
    ------
    ValueError, TypeError
        As `nccl_protocols`, and for another name.

    Notes
    -----
    As `nccl_protocols`.

    Examples
    --------
    >>> simple = nccl_protocol("Simple", "network")
    >>> round(simple.half_bandwidth_bytes(50e9) / 1e3)          # kB on one NDR port
    700
    """
    named("protocol", name, data()["protocols"])
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
