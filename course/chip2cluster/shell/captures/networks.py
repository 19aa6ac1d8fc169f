"""Captures of tools that test and describe networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tool import Context, Finding, Rows, Tool

if TYPE_CHECKING:
    from ...measure import NcclLog

_FALL = 0.8  # of the best bus bandwidth; below it the largest message is slower than it should be
_LINK = 0.9  # of a link's rate, which RDMA tests of large messages reach


def _nccl_tests(text: str, context: Context) -> Finding:
    from ... import measure

    tables = measure.read_nccl_tables(text)
    rows = Rows("measure.read_nccl_tables", "collectives")
    problems, remarks = [], []
    for number, log in enumerate(tables, 1):
        key, group = (f"_{number}", f"table {number}") if len(tables) > 1 else ("", "")
        last, best = int(log.message_bytes.argmax()), int(log.bus_bandwidth.argmax())
        rows.add(f"collective{key}", "collective", log.collective, group=group)
        rows.add(f"ranks{key}", "ranks", log.ranks, "ranks", group=group)
        rows.add(f"message_bytes{key}", "largest message", float(log.message_bytes[last]), "B", group=group)
        rows.add(f"seconds{key}", "its time, measured", float(log.seconds[last]), "s", group=group)
        rows.add(
            f"bus_bandwidth{key}", "its bus bandwidth, measured", float(log.bus_bandwidth[last]), "B/s", group=group
        )
        if log.average_bus_bandwidth is not None and log.average_bus_bandwidth == log.average_bus_bandwidth:
            rows.add(f"average_bus_bandwidth{key}", "average of the run", log.average_bus_bandwidth, "B/s", group=group)
        if (log.wrong > 0).any():
            count = int((log.wrong > 0).sum())
            problems.append(f"The results are wrong for {count} message size{'s' * (count > 1)}: do not use this run.")
        if float(log.bus_bandwidth[last]) < _FALL * float(log.bus_bandwidth[best]):
            remarks.append(
                f"{group or 'The run'}: the largest message is slower than one of {log.message_bytes[best] / 2**20:.3g} MiB; "
                "look for traffic of others, a slow link or too few channels."
            )
        if context.chip:
            _expect(rows, remarks, log, context.chip, last, key, group)
    if not context.chip:
        remarks.append("Name a --chip to see the expected time of the largest message beside the measured one.")
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=tuple(remarks))


def _expect(rows: Rows, remarks: list[str], log: NcclLog, chip: str, last: int, key: str, group: str) -> None:
    from ... import reality

    if log.collective is None or log.ranks is None:
        remarks.append(
            "The capture does not name the collective and all ranks, so no time is expected: pass all of its lines."
        )
        return
    try:
        expected = reality.expected(
            "nccl", chip=chip, collective=log.collective, ranks=log.ranks, message_bytes=float(log.message_bytes[last])
        )
    except ValueError as problem:
        remarks.append(f"No time is expected: {problem}.")
        return
    seconds, low, high = float(expected.seconds), float(expected.low), float(expected.high)
    rows.add(f"expected_seconds{key}", "its time, expected", seconds, "s", low=low, high=high, group=group)
    measured = float(log.seconds[last])
    if measured > high:
        remarks.append(
            f"The largest message took {measured / seconds:.2g} times the expected time, more than nine of ten published runs: "
            "look at NCCL_DEBUG=INFO for the transport, the channels and GPUDirect RDMA."
        )
    elif measured < low:
        remarks.append("The largest message was faster than nine of ten published runs.")
    else:
        remarks.append("The largest message took as long as published runs do.")


def _nccl_info(text: str, context: Context) -> Finding:
    from ... import measure

    found = measure.read_nccl_info(text)
    rows = Rows("measure.read_nccl_info", "collectives")
    rows.add("version", "version of NCCL", found.version)
    rows.add("ranks", "ranks", found.ranks, "ranks")
    rows.add("nodes", "nodes", found.nodes, "nodes")
    rows.add("channels", "channels", found.channels, "channels")
    rows.add("network", "network between nodes", found.network)
    rows.add("devices", "NICs", ", ".join(found.devices) or None)
    rows.add("gpudirect_rdma", "GPUDirect RDMA", None if found.direct is None else "yes" if found.direct else "no")
    rows.add("nvls", "reduction in the switches (NVLS)", None if found.nvls is None else "yes" if found.nvls else "no")
    for name, count in found.transports.items():
        rows.add(f"connections_{name}", f"connections over {name}", count, "connections")
    problems = [f"{text[:1].upper()}{text[1:]}." for text in found.fallbacks]
    if found.network == "Socket":
        problems.append("Messages between nodes go through TCP sockets: set NCCL_IB_HCA, or look for the RDMA driver.")
    if found.direct is False:
        problems.append(
            "Not every connection over the network uses GPUDirect RDMA: look for nvidia_peermem or dma-buf."
        )
    remarks = [f"NCCL warns: {text}" for text in found.warnings]
    return Finding(numbers=tuple(rows.numbers), problems=tuple(dict.fromkeys(problems)), remarks=tuple(remarks))


def _perftest(text: str, context: Context) -> Finding:
    from ... import measure

    run = measure.read_perftest(text)
    rows = Rows("measure.read_perftest", "links")
    last = max(run.rows, key=lambda row: row.message_bytes)
    rows.add("test", "test", run.test or None)
    rows.add("device", "NIC", run.device)
    rows.add("link_type", "link type", run.link_type)
    rows.add("queue_pairs", "queue pairs", run.queue_pairs, "queue pairs")
    rows.add("message_bytes", "largest message", float(last.message_bytes), "B")
    rows.add("average_bytes_per_second", "its bandwidth, measured", last.average_bytes_per_second, "B/s")
    rows.add("typical_seconds", "its one-way latency, measured", last.typical_seconds, "s")
    problems, remarks = [], []
    if last.average_bytes_per_second is not None and context.rate:
        # A bidirectional test adds up both directions.
        reached = last.average_bytes_per_second / (context.rate * (2 if "Bidirectional" in run.test else 1))
        rows.add("share", "share of the link's rate", reached, "share")
        if reached < _LINK:
            problems.append(
                f"{100 * reached:.3g} % of the link's rate; tests of large messages reach {100 * _LINK:g} %: look at the PCIe "
                "link of the NIC, the MTU, the NUMA node of the process, and try more queue pairs."
            )
    elif last.average_bytes_per_second is not None:
        remarks.append('Name the link\'s --rate, such as "400 Gb/s", to see the share of it.')
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=tuple(remarks))


def _osu(text: str, context: Context) -> Finding:
    from ... import measure

    table = measure.read_osu(text)
    rows = Rows("measure.read_osu", "links")
    rows.add("benchmark", "benchmark", table.benchmark)
    for place in dict.fromkeys((0, len(table.message_bytes) - 1)):
        size = table.message_bytes[place]
        if table.seconds:
            rows.add(f"seconds_{size}", f"time of {size:,} bytes, measured", table.seconds[place], "s")
        if table.bytes_per_second:
            rows.add(
                f"bytes_per_second_{size}",
                f"bandwidth of {size:,} bytes, measured",
                table.bytes_per_second[place],
                "B/s",
            )
    return Finding(numbers=tuple(rows.numbers))


def _ibstat(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_ibstat", "links")
    problems = []
    for port in measure.read_ibstat(text):
        name = f"{port.device} port {port.port}"
        rows.add(f"{port.device}_{port.port}", f"{name}, rate of one direction", port.bytes_per_second, "B/s")
        if port.state not in (None, "Active"):
            problems.append(
                f"{name} is {port.state}, {port.physical_state or 'physical state unknown'}: it carries nothing."
            )
        if context.rate and port.bytes_per_second < context.rate:
            problems.append(
                f"{name} has come up at {port.bytes_per_second * 8 / 1e9:g} Gb/s: look at the cable and the switch port."
            )
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems))


def _topology(text: str, context: Context) -> Finding:
    from ... import links

    node = links.node_matrix(text)
    rows = Rows("links.node_matrix", "links")
    rows.add("gpus", "GPUs", len(node.gpus), "GPUs")
    rows.add("nics", "NICs", len(node.nics), "NICs")
    pairs = [(one, other) for place, one in enumerate(node.gpus) for other in node.gpus[place + 1 :]]
    counts: dict[str, int] = {}
    for pair in pairs:
        counts[node.label[pair]] = counts.get(node.label[pair], 0) + 1
    for label, count in counts.items():
        rows.add(f"pairs_{label}", f"pairs of GPUs joined by {label}", count, "pairs")
    fast = [pair for pair in pairs if node.label[pair].startswith(("NV", "XGMI"))]
    remarks = []
    if fast and len(fast) < len(pairs):
        remarks.append("Not every pair of GPUs is joined directly: place tensor-parallel ranks on those that are.")
    far = [gpu for gpu in node.gpus if node.nics and all(node.label[gpu, nic] in ("SYS", "NODE") for nic in node.nics)]
    if far:
        remarks.append(f"{', '.join(far)}: no NIC is close, so network traffic crosses the CPU.")
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


TOOLS = (
    Tool(name="nccl-tests", marks=r"\b(?:time|cputime)\b.*\balgbw\b.*\bbusbw\b|\"bus_bw\"|\"busBw\"|\balgBw\b.*\bbusBw\b", read=_nccl_tests,
        uses=("chip",), example="""\
# Collective test starting: all_reduce_perf
#  Rank  0 Group  0 Pid    101 on      gpu23 device  0 [0000:31:00] NVIDIA A40
#  Rank  1 Group  0 Pid    102 on      gpu23 device  1 [0000:ca:00] NVIDIA A40
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1    101.9   10.29   10.29       0    101.0   10.38   10.38       0
# Avg bus bandwidth    : 10.335
"""),
    Tool(name="NCCL_DEBUG=INFO", marks=r"NCCL (?:INFO|WARN) ", read=_nccl_info, example="""\
node1:123:456 [0] NCCL INFO Using network IB
node1:123:456 [0] NCCL INFO Channel 00/24 :    0   1   2   3   4   5   6   7
node1:123:456 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/0/GDRDMA
"""),
    Tool(name="perftest", marks=r"#bytes\s+#iterations", read=_perftest,
        uses=("rate",), example="""\
                    RDMA_Write BW Test
 Number of qps   : 1            Transport type : IB
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             392.15             391.90             0.747490
"""),
    Tool(name="OSU micro-benchmarks", marks=r"#\s*OSU .* Test", read=_osu, example="""\
# OSU MPI Allreduce Latency Test v7.4
# Size       Avg Latency(us)
4                       1.62
1048576               412.75
"""),
    Tool(name="ibstat", marks=r"^.*(?:\bCA '[^']+'|Infiniband device '[^']+' port \d+ status:)", read=_ibstat,
        uses=("rate",), example="""\
CA 'mlx5_0'
\tCA type: MT4129
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tLink layer: InfiniBand
"""),
    Tool(name="nvidia-smi topo -m", marks=r"(?:GPU\d+\s+){1,}.*CPU Affinity|^.*GPU0\s+X\s|Link Type between two GPUs", read=_topology, example="""\
        GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
GPU0     X      NV12    PXB     0-63            0
GPU1    NV12     X      SYS     64-127          1
NIC0    PXB     SYS      X
"""),
)  # fmt: skip
