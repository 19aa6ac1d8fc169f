"""Output of nccl-tests and NCCL's log for each fault between two nodes; evidence for `diagnosis`."""

from chip2cluster import collectives

CAUSES = ("sockets", "adapters", "host memory", "settings", "late rank", "nothing")
RANKS, GPUS = 16, 8
HEALTHY = {"start": 45e-6, "busbw": 360e9}  # seconds of the first row, bytes/s of the last
OLDER = {"start": 90e-6, "busbw": 180e9}  # the same of nodes with slower adapters
SIZES = (8, 65536, 8388608, 1073741824, 17179869184)
# What a cause leaves of the bus bandwidth of long messages, and by how much it multiplies the start: lowest and highest.
LEFT = {
    "sockets": ((0.01, 0.04), (4.0, 9.0)),
    "adapters": ((0.11, 0.13), (1.0, 1.1)),
    "host memory": ((0.35, 0.6), (1.0, 1.2)),
    "settings": ((0.3, 0.45), (1.0, 1.05)),
    "late rank": ((0.95, 1.0), (20.0, 60.0)),
    "nothing": ((0.95, 1.0), (0.95, 1.1)),
}


def run(cause, generator, *, adapters=1, later=1.0, healthy=HEALTHY, protocol="", logged=""):
    """The arguments of a run with this ``cause``: of so many adapters a node, or a rank so much later still.

    ``healthy`` is what the machine does on a good day. The environment may set a ``protocol`` that is not to blame, and the
    log may read as if another cause, ``logged``, were at work.
    """
    rates, starts = LEFT[cause]
    share = generator.uniform(*rates) * (adapters if cause == "adapters" else 1)
    if protocol:
        share *= collectives.nccl_protocol(protocol).wire_share
    start = healthy["start"] * generator.uniform(*starts) * later
    return {
        "table": _table(start, healthy["busbw"] * share, generator),
        "log": _log(logged or cause, adapters, protocol, generator),
        "healthy": dict(healthy),
    }


def _table(start, bus_bandwidth, generator):
    factor, rows, printed = 2 * (RANKS - 1) / RANKS, [], []
    for size in SIZES:
        seconds = (start + size * factor / bus_bandwidth) * generator.uniform(0.995, 1.005)
        algorithm, bus = size / seconds / 1e9, factor * size / seconds / 1e9
        printed.append(bus)
        kind = f"{size:12d}{size // 4:14d}     float     sum      -1"
        rows.append(f"{kind}{seconds * 1e6:11.2f}{algorithm:8.2f}{bus:8.2f}      0")
    head = (
        "#       size         count      type   redop    root       time   algbw   busbw #wrong",
        "#        (B)    (elements)                                 (us)  (GB/s)  (GB/s)",
    )
    return "\n".join([*head, *rows, f"# Avg bus bandwidth    : {sum(printed) / len(printed):.4f}"]) + "\n"


def _log(cause, adapters, protocol, generator):
    net = "Socket" if cause == "sockets" else "IB"
    names = range(adapters if cause == "adapters" else GPUS)
    lines = ["Bootstrap : Using eth0:10.1.0.11<0>", "NCCL_SOCKET_IFNAME set by environment to eth0."]
    if protocol or cause == "settings":
        lines.append(f"NCCL_PROTO set by environment to {protocol or 'LL'}.")
    elif generator.random() < 0.5:
        lines.append("NCCL_IB_TIMEOUT set by environment to 22.")
    if net == "IB":
        using = " ".join(f"[{n}]mlx5_{n}:1/IB" for n in names)
        lines.append(f"NET/IB : Using {using} [RO]; OOB eth0:10.1.0.11<0>")
    else:
        lines += ["NET/IB : No device found.", "NET/Socket : Using [0]eth0:10.1.0.11<0>"]
    lines.append(f"Using network {net}")
    direct = "" if cause in ("sockets", "host memory") else "/GDRDMA"
    for channel in range(GPUS):
        nic = list(names)[channel % len(names)] if net == "IB" else 0
        ends = f"{channel + GPUS}[{channel}] -> {channel}[{channel}]"
        lines.append(f"Channel {channel:02d}/0 : {ends} [receive] via NET/{net}/{nic}{direct}")
    return "".join(f"node1:4711:4755 [0] NCCL INFO {line}\n" for line in lines)


def rows(table: str) -> tuple[float, list[float]]:
    """Seconds of the first row, and bus bandwidths of all rows, bytes/s."""
    found = [line.split() for line in table.splitlines() if not line.startswith("#")]
    return float(found[0][5]) / 1e6, [1e9 * float(row[7]) for row in found]
