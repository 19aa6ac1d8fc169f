"""What one node says about itself when something in it is slow: a matrix, a benchmark, and the loader's log."""

from .matrices import printed

PARTS = ("NVLink", "settings", "PCIe", "placement", "adapter", "drive", "nothing")
GPUS, LINKS, CHUNK = 4, 18, 268435456
HEALTHY = {"inside": 360e9, "outside": 48e9, "copy": 52e9, "read": 6e9}  # bytes/s
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


def node(part, generator, door="PIX"):
    """The arguments of one node whose ``part`` is sick.

    ``door`` is what the matrix says of the second run's GPU and adapter: "PIX" (SYS where the placement is sick), "NODE"
    while another adapter is PIX, or "none near", where every adapter is SYS for that GPU.
    """
    spread = {name: generator.uniform(0.93, 1.0) for name in HEALTHY}
    for name, (low, high) in LEFT[part].items():
        spread[name] = generator.uniform(low, high)
    rate = {name: spread[name] * healthy for name, healthy in HEALTHY.items()}
    lost = int(generator.integers(GPUS)) if part == "NVLink" else -1
    links = max(1, round(LINKS * spread["inside"]))
    gpu, own = int(generator.integers(GPUS)), generator.permutation(GPUS).tolist()
    other = own[(gpu + 1 + int(generator.integers(GPUS - 1))) % GPUS]
    nic = other if part == "placement" or door == "NODE" else own[gpu]
    odd = {"NODE": {(gpu, nic): "NODE"}, "none near": {(gpu, own[gpu]): "SYS"}}.get(door, {})
    return {
        "matrix": _matrix(own, lost, links, odd),
        "table": _table(rate, gpu, nic, generator),
        "log": _log(rate, gpu, generator),
        "healthy": dict(HEALTHY),
    }


def _matrix(own, lost, links, odd):
    """``own[g]`` is the adapter beside GPU g; the links of GPU ``lost`` are fewer; ``odd`` holds other labels."""
    names = [f"GPU{n}" for n in range(GPUS)] + [f"mlx5_{n}" for n in range(GPUS)]

    def label(one, other):
        if max(one, other) < GPUS:
            return f"NV{links if lost in (one, other) else LINKS}"
        if min(one, other) < GPUS:
            gpu, nic = min(one, other), max(one, other) - GPUS
            return odd.get((gpu, nic), "PIX" if own[gpu] == nic else "SYS")
        return "SYS"

    return printed(names, label)


def _table(rate, gpu, nic, generator):
    """Two runs of nccl-tests; the last row of each tells the rate."""
    lines = [f"# all_reduce_perf, {GPUS} GPUs of this node"]
    lines += _rows(rate["inside"], 2 * (GPUS - 1) / GPUS, generator.uniform(20e-6, 30e-6))
    lines.append(f"# sendrecv_perf, GPU{gpu} by mlx5_{nic}, to a node that is well")
    lines += _rows(rate["outside"], 1.0, generator.uniform(25e-6, 40e-6))
    return "\n".join(lines) + "\n"


def _rows(bus_bandwidth, factor, start):
    yield "#       size      time   algbw   busbw"
    yield "#        (B)      (us)  (GB/s)  (GB/s)"
    for size in (1048576, 33554432, 17179869184):
        seconds = start + size * factor / bus_bandwidth
        yield f"{size:12d}{seconds * 1e6:10.1f}{size / seconds / 1e9:8.2f}{factor * size / seconds / 1e9:8.2f}"


def _log(rate, gpu, generator):
    """The first step warms up, and is slow whatever is sick."""
    lines = []
    for step in range(5):
        slow = 0.1 if step == 0 else generator.uniform(0.985, 1.0)
        read, copied = (CHUNK / (slow * rate[name]) for name in ("read", "copy"))
        lines.append(f"step {step}: read {CHUNK} B in {1e3 * read:.2f} ms, copied to GPU{gpu} in {1e3 * copied:.3f} ms")
    return "\n".join(lines) + "\n"


def figures(table, log):
    """Rates of a node, bytes/s, and the GPU and the adapter that talked to the other node."""
    runs, names = [], []
    for line in table.splitlines():
        if line.startswith("# all") or line.startswith("# send"):
            runs.append([])
            names = line.replace(",", "").split()
        elif not line.startswith("#"):
            runs[-1].append([float(word) for word in line.split()])
    steps = [line.replace(":", "").split() for line in log.splitlines()]
    return {
        "inside": [1e9 * row[3] for row in runs[0]],
        "outside": [1e9 * row[3] for row in runs[1]],
        "read": [float(step[3]) / (1e-3 * float(step[6])) for step in steps],
        "copy": [float(step[3]) / (1e-3 * float(step[-2])) for step in steps],
    }, (names[2], names[4])
