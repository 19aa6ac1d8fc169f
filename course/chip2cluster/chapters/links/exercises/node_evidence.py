"""Topology matrix, benchmark and loader log of a node under each fault; evidence for `diagnosis`."""

import re

from chip2cluster._validate import known

from .topology_matrices import printed

PARTS = ("NVLink", "settings", "PCIe", "placement", "adapter", "drive", "nothing")
GPUS, CHUNK = 4, 268435456
# The name of a card, the NVLinks of every pair, and what a node that is well reaches, in bytes/s.
MODELS = {
    "H100": ("NVIDIA H100 80GB HBM3", 18, {"inside": 360e9, "outside": 48e9, "copy": 52e9, "read": 6e9}),
    "A100": ("NVIDIA A100-SXM4-80GB", 12, {"inside": 232e9, "outside": 24e9, "copy": 26e9, "read": 4e9}),
}
# What a fault leaves of each rate, lowest and highest share: the network's way leads over the slot.
LEFT = {
    "NVLink": {"inside": (0.4, 0.75)},
    "settings": {"inside": (0.1, 0.2)},
    "PCIe": {"copy": (0.25, 0.5), "outside": (0.35, 0.6)},
    "placement": {"outside": (0.3, 0.6)},
    "adapter": {"outside": (0.2, 0.7)},
    "drive": {"read": (0.15, 0.5)},
    "nothing": {},
}
# Two lines over the columns, as nccl-tests 2.13 and later print them.
HEADER = """\
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
SIZES = (1048576, 134217728, 17179869184)


def node(part, generator, door="PIX", left=None, model="H100", lost=None):
    """The arguments of one node whose ``part`` is faulty.

    ``door`` is what the matrix says of the second run's GPU and adapter: "PIX" (SYS where the placement is faulty), "NODE"
    while another adapter is PIX, or "none near", where every adapter is SYS for that GPU. ``left`` stands in for what the
    fault leaves, and for what a rate that is well has, when it is to lie near to the line between the two. ``model`` is
    one of `MODELS`; ``lost`` the GPU that has lost links where NVLink is faulty, else any.
    """
    card, whole, well = MODELS[model]
    spread = {name: generator.uniform(0.93, 1.0) for name in well}
    for name, (low, high) in (left or LEFT[part]).items():
        spread[name] = generator.uniform(low, high)
    rate = {name: spread[name] * healthy for name, healthy in well.items()}
    hurt = int(generator.integers(GPUS)) if lost is None else lost
    links = max(1, round(whole * spread["inside"]))
    gpu, own = int(generator.integers(GPUS)), generator.permutation(GPUS).tolist()
    other = own[(gpu + 1 + int(generator.integers(GPUS - 1))) % GPUS]
    nic = other if part == "placement" or door == "NODE" else own[gpu]
    odd = {"NODE": {(gpu, nic): "NODE"}, "none near": {(gpu, own[gpu]): "SYS"}}.get(door, {})
    return {
        "matrix": _matrix(own, whole, hurt if part == "NVLink" else -1, links, odd),
        "table": _table(rate, gpu, nic, card, generator),
        "log": _log(rate, gpu, generator),
        "healthy": dict(well),
    }


def _matrix(own, whole, lost, links, odd):
    """``own[g]`` is the adapter beside GPU g; of ``whole`` links GPU ``lost`` has fewer; ``odd`` holds other labels."""
    names = [f"GPU{n}" for n in range(GPUS)] + [f"mlx5_{n}" for n in range(GPUS)]

    def label(one, other):
        if max(one, other) < GPUS:
            return f"NV{links if lost in (one, other) else whole}"
        if min(one, other) < GPUS:
            gpu, nic = min(one, other), max(one, other) - GPUS
            return odd.get((gpu, nic), "PIX" if own[gpu] == nic else "SYS")
        return "SYS"

    return printed(names, label, whole=True)


def _table(rate, gpu, nic, card, generator):
    """Two runs of nccl-tests, one under the other; the last row of each tells the rate."""
    inside = _run(
        "all_reduce_perf -b 1M -e 16G -f 128 -g 4",
        range(GPUS),
        4107,
        "sum",
        rate["inside"],
        2 * (GPUS - 1) / GPUS,
        card,
        generator,
    )
    pid = int(generator.integers(3000, 30000))
    chosen = f"node17:{pid}:{pid + 26} [{gpu}] NCCL INFO "
    said = chosen + f"NET/IB : Using [0]mlx5_{nic}:1/IB [RO]; OOB eth0:10.1.0.17<0>\n"
    said += chosen + f"Channel 00/0 : 0[{gpu}] -> 1[0] [send] via NET/IB/0/GDRDMA\n"
    outside = _run(
        "sendrecv_perf -b 1M -e 16G -f 128 -g 1", [gpu], pid, "none", rate["outside"], 1.0, card, generator, said
    )
    return inside + "\n" + outside


def _run(command, gpus, pid, operation, bus_bandwidth, factor, card, generator, said=""):
    lines = [f"$ ./build/{command}\n", "# Using devices\n"]
    for rank, gpu in enumerate(gpus):
        lines.append(f"#  Rank {rank:2d} Pid {pid:6d} on     node17 device {gpu:2d} [0x{27 + 50 * gpu:02x}] {card}\n")
    if said:
        lines.append(f"#  Rank  1 Pid   2290 on     node18 device  0 [0x1b] {card}\n")
    lines += [said, HEADER]
    for size in SIZES:
        lines.append(f"{size:12d}  {size // 4:12d}     float {operation:>7s}      -1")
        for wrong in ("0", "0" if operation == "sum" else "N/A"):
            seconds = generator.uniform(20e-6, 35e-6) + size * factor / bus_bandwidth
            rates = size / seconds / 1e9, factor * size / seconds / 1e9
            lines.append(f" {_microseconds(seconds):>8s} {rates[0]:7.2f} {rates[1]:7.2f} {wrong:>6s}")
        lines.append("\n")
    return "".join(lines) + "# Out of bounds values : 0 OK\n"


def _microseconds(seconds):
    """As the tool writes a time: fewer digits behind the point where there are many before it."""
    time = 1e6 * seconds
    return f"{time:.{0 if time >= 1e4 else 1 if time >= 100 else 2}f}"


def _log(rate, gpu, generator):
    """The first step warms up, and is slow in every node."""
    lines = []
    for step in range(5):
        slow = 0.1 if step == 0 else generator.uniform(0.985, 1.0)
        read, copied = (CHUNK / (slow * rate[name]) for name in ("read", "copy"))
        lines.append(
            f"10:41:{7 + step:02d} INFO step {step}: read {CHUNK} B in {1e3 * read:.2f} ms, "
            f"copied to cuda:{gpu} in {1e3 * copied:.3f} ms"
        )
    return "\n".join(lines) + "\n"


def figures(table, log):
    """Rates of a node, bytes/s, and the GPU and the adapter that talked to the other node."""
    runs: list[list[float]] = []
    for line in table.splitlines():
        words = line.split()
        if line.startswith("$"):
            runs.append([])
        elif words and words[0].isdigit():
            runs[-1].append(float(words[7]))
    used = re.search(r"\[(\d+)\] NCCL INFO NET/IB : Using \[0\](\w+):", table)
    gpu, nic = known("NIC of the log", used).groups()
    steps = [line.split(" INFO ")[1].split() for line in log.splitlines()]
    return {
        "inside": [1e9 * rate for rate in runs[0]],
        "outside": [1e9 * rate for rate in runs[1]],
        "read": [float(step[3]) / (1e-3 * float(step[6])) for step in steps],
        "copy": [float(step[3]) / (1e-3 * float(step[-2])) for step in steps],
    }, (f"GPU{gpu}", nic)
