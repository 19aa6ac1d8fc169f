"""Parser of the log that NCCL and RCCL write with ``NCCL_DEBUG=INFO``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ._lines import line_error, normalized_lines

_MESSAGE = re.compile(r"(?P<host>[\w.-]+):(?P<pid>\d+):\d+ \[-?\d+\] (?:\S+ )?NCCL (?P<level>INFO|WARN) (?P<words>.*)")
_VERSION = re.compile(r"[NR]CCL version (\d[\w.+-]*)")
_CHANNELS = re.compile(r"Channel \d+/(\d+) ?:(?: +\d+)+$")
_RING = re.compile(r"Channel (\d+) ?:(?: +\d+)+$")  # NCCL before 2.5 does not say how many channels there are
_COUNTS = re.compile(r"(\d+) coll channels, (?:(\d+) collnet channels, )?(\d+) nvls channels")
_EDGE = re.compile(
    r"(?:Channel|Ring) (\d+)(?:/\d+)? : (\d+)(?:\[\w+\])? -> (\d+)(?:\[\w+\])? (?:\[(send|receive)\] )?via (.+?)(?: comm \S+.*)?$"
)
_SIZE = re.compile(r"\brank (\d+) n[rR]anks (\d+)(?: nNodes (\d+))?")
_NETWORK = re.compile(r"Using network (.+)$")
_DEVICE = re.compile(r"\[\d+\]([\w.-]+:\d+)/(IB|RoCE)")
_SET = r"set (?:by environment )?to [1-9]"  # NCCL prints a setting of 0 as well
# What NCCL says when it takes a slower way, and what that means.
_FALLBACKS = (
    (re.compile(r"NET/IB : No device found"), "no RDMA device was found, so messages go through sockets"),
    (re.compile(r"GPU Direct RDMA (?:Disabled|disabled)"), "GPUDirect RDMA is off, so data pass through host memory"),
    (re.compile(rf"P2P is disabled|NCCL_P2P_DISABLE {_SET}"), "peer-to-peer copies are off, so GPUs of a node use host memory"),
    (re.compile(rf"NCCL_SHM_DISABLE {_SET}"), "shared memory is off"),
    (re.compile(rf"NCCL_IB_DISABLE {_SET}"), "InfiniBand and RoCE are off by NCCL_IB_DISABLE"),
    (re.compile(r"[Nn]o NVLS|NVLS multicast support is not available"), "the switches do not reduce (no NVLS)"),
    (re.compile(r"ACS .*enabled|PCI ACS"), "PCIe access control (ACS) is on, which sends peer traffic through the root complex"),
)  # fmt: skip


@dataclass(frozen=True)
class NcclInfo:
    """Choices of NCCL by its own log.

    Attributes
    ----------
    version : str or None
        Version of NCCL.
    ranks, nodes : int or None
        Number of ranks and of nodes; an old log that does not say the nodes has their names if it has all ranks.
    channels : int or None
        Number of channels of the collectives.
    transports : mapping of str to int
        Number of logged connections by transport, such as ``"NET/IB"``, ``"P2P/CUMEM"`` or ``"SHM/direct"``.
    network : str or None
        Network between nodes: ``"IB"``, ``"Socket"``, or the name of a plug-in.
    devices : tuple of str
        Adapters that NCCL uses, such as ``"mlx5_0:1"``.
    direct : bool or None
        Whether all connections over the network use GPUDirect RDMA; None without such connections.
    nvls : bool or None
        Whether the NVLink switches reduce; None if the log does not say.
    fallbacks : tuple of str
        Slower ways that NCCL took, in words.
    warnings : tuple of str
        Texts of the lines with WARN, each once.
    """

    version: str | None
    ranks: int | None
    nodes: int | None
    channels: int | None
    transports: Mapping[str, int]
    network: str | None
    devices: tuple[str, ...]
    direct: bool | None
    nvls: bool | None
    fallbacks: tuple[str, ...]
    warnings: tuple[str, ...]


def read_nccl_info(text: str) -> NcclInfo:
    """Parse the log that NCCL writes with ``NCCL_DEBUG=INFO``.

    Parameters
    ----------
    text : str
        Log of one rank or of all; other lines are skipped.

    Returns
    -------
    NcclInfo
        Version, channels, transports, network and what fell back.

    Raises
    ------
    ValueError
        No line is from NCCL.

    Notes
    -----
    Counts what the log says; a log without ``NCCL_DEBUG_SUBSYS=INIT,GRAPH`` or of one rank says less. Ignores the search for
    rings. Source: the messages of NCCL 2.4 to 2.27.

    Examples
    --------
    >>> found = read_nccl_info('''node1:123:456 [0] NCCL INFO Channel 00/24 :    0   1   2   3
    ... node1:123:456 [0] NCCL INFO Channel 00/0 : 3[3] -> 0[0] [receive] via NET/IB/0/GDRDMA''')
    >>> found.channels, dict(found.transports), found.direct
    (24, {'NET/IB': 1}, True)
    """
    messages = []
    version = None
    lines = normalized_lines(text, "NCCL with NCCL_DEBUG=INFO")
    for _, line in lines:
        version = version or ((found := _VERSION.search(line)) and found[1]) or None
        if message := _MESSAGE.search(line):
            messages.append((message["host"], message["level"], message["words"].strip()))
    if not messages:
        raise line_error(*lines[0], "lines of NCCL such as 'host:123:456 [0] NCCL INFO Channel 00/24 : 0 1'")
    words = [text for _, _, text in messages]
    edges = [found for one in words if (found := _EDGE.search(one))]
    over_network = [found[5] for found in edges if found[5].startswith("NET/")]
    sizes = [found for one in words if (found := _SIZE.search(one))]
    ranks = {int(found[2]) for found in sizes}
    nodes = {int(found[3]) for found in sizes if found[3]}
    # Of a log of some ranks, the hosts are not all of them.
    whole = len({int(found[1]) for found in sizes}) == max(ranks, default=0) > 0
    counts = [int(found[1]) for one in words if (found := _COUNTS.search(one))]
    rings = [int(found[1]) for one in words if (found := _CHANNELS.search(one))]
    rings_without_total = [found for one in words if (found := _RING.search(one))]
    networks = [found[1] for one in words if (found := _NETWORK.search(one))]
    networks += [_transport(one).removeprefix("NET/") for one in over_network]
    nvls = [int(found[3]) > 0 for one in words if (found := _COUNTS.search(one))]
    return NcclInfo(
        version=version,
        ranks=max(ranks, default=None),
        nodes=max(nodes, default=None) or (len({host for host, *_ in messages}) if whole else None),
        channels=max(rings or counts, default=None)
        or (max((int(found[1]) for found in [*edges, *rings_without_total]), default=-1) + 1 or None),
        transports=Counter(_transport(found[5]) for found in edges),
        network=next(iter(networks), None),
        devices=tuple(dict.fromkeys(device for one in words for device, _ in _DEVICE.findall(one))),
        direct=all("GDRDMA" in one for one in over_network) if over_network else None,
        nvls=any(nvls) if nvls else None,
        fallbacks=tuple(meaning for pattern, meaning in _FALLBACKS if any(map(pattern.search, words))),
        warnings=tuple(dict.fromkeys(text for _, level, text in messages if level == "WARN")),
    )


def _transport(text: str) -> str:
    """Return the kind of a transport without numbers of devices: ``NET/IB/0/GDRDMA`` is ``NET/IB``."""
    parts = [
        part for part in text.split("/") if not part[:1].isdigit() and part not in ("GDRDMA", "Shared", "read", "comm")
    ]
    return "/".join(parts[:2])
