"""Captures of tools that describe and profile a host and its GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .tool import Context, Finding, Rows, Tool

# Section and name of a value, with those of drivers before 520.
_DETAILS = (
    ("memory", "memory", "FB Memory Usage", "Total", "B"),
    ("memory_used", "memory in use", "FB Memory Usage", "Used", "B"),
    ("power", "power", "GPU Power Readings|Power Readings", "Average Power Draw|Power Draw", "W"),
    ("power_limit", "power limit", "GPU Power Readings|Power Readings", "Current Power Limit|Power Limit", "W"),
    ("clock", "clock of the SMs", "Clocks", "SM", "Hz"),
    ("clock_max", "highest clock of the SMs", "Max Clocks", "SM", "Hz"),
)
SHOWN = 8  # kernels of a profile
_NCU = (
    ("seconds", "time", "s"),
    ("dram_bytes", "DRAM traffic", "B"),
    ("achieved_occupancy", "achieved occupancy", "share"),
)


def _query(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_gpu_query", "measure")
    units = {"memory": "B", "clocks": "Hz", "power": "W", "utilization": "share"}
    for number, state in enumerate(measure.read_gpu_query(text)):
        index = state.get("index")
        group = f"GPU {number if index is None else int(index)}"
        for name, value in state.items():
            if name not in ("index", "timestamp"):
                rows.add(f"{name}_{number}", name, value, units.get(name.partition(".")[0], ""), group=group)
    return Finding(numbers=tuple(rows.numbers))


def _details(text: str, context: Context) -> Finding:
    from ... import measure

    found = measure.read_nvidia_smi(text)
    rows = Rows("measure.read_nvidia_smi", "measure")
    problems = []
    rows.add("driver", "driver", found.get("Driver Version"))
    rows.add("cuda", "CUDA", found.get("CUDA Version"))
    for number, gpu in enumerate(found["GPUs"]):
        group = f"GPU {number}"
        rows.add(f"name_{number}", "name", gpu.get("Product Name") or None, group=group)
        for name, says, parts, keys, unit in _DETAILS:
            section = _first(gpu, parts) or {}
            value = _first(section, keys)
            # A number without its unit, or a name without a value, was cut off.
            rows.add(f"{name}_{number}", says, value if isinstance(value, float) else None, unit, group=group)
        reasons = gpu.get("Clocks Event Reasons") or gpu.get("Clocks Throttle Reasons") or {}
        slow = [name for name, state in reasons.items() if state == "Active" and "Slowdown" in name]
        errors = (gpu.get("ECC Errors") or {}).get("Volatile") or {}
        double = (errors.get("Double Bit") or {}).get("Total")  # of drivers before 450
        counts = [double, *(count for name, count in errors.items() if "Uncorrectable" in name)]
        lost = sum(count for count in counts if isinstance(count, int))
        problems += [f"{group} is slowed down: {', '.join(slow)}."] if slow else []
        problems += [f"{group} has {lost} uncorrectable memory errors since the driver was loaded."] if lost else []
    remark = "measure.read_nvidia_smi has every field."
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=(remark,))


def _first(section: Mapping[str, Any], names: str) -> Any:
    """Return the first value among names that bars separate."""
    return next((section[name] for name in names.split("|") if section.get(name) is not None), None)


def _dmon(text: str, context: Context) -> Finding:
    from ... import measure

    samples = measure.read_dmon(text)
    rows = Rows("measure.read_dmon", "measure")
    rows.add("samples", "samples", len(samples), "samples")
    for name in samples[0]:
        values = [sample[name] for sample in samples if isinstance(sample[name], float)]
        if values and name not in ("gpu", "idx"):
            rows.add(name, f"{name}, mean", sum(values) / len(values), low=min(values), high=max(values))
    return Finding(numbers=tuple(rows.numbers))


def _ncu(text: str, context: Context) -> Finding:
    from ... import measure

    kernels = measure.read_ncu(text)
    rows = Rows("measure.read_ncu", "occupancy")
    rows.add("kernels", "kernels", len(kernels), "kernels")
    for number, kernel in enumerate(kernels[:SHOWN]):
        group = f"kernel {number + 1}: {kernel.name[:40]}"
        for name, says, unit in _NCU:
            # A profile has the metrics that were asked for; the others are left out.
            with suppress(ValueError):
                rows.add(f"{name}_{number}", says, getattr(kernel, name), unit, group=group)
    remarks = (f"Only the first {SHOWN} kernels are shown; measure.read_ncu has all.",) if len(kernels) > SHOWN else ()
    return Finding(numbers=tuple(rows.numbers), remarks=remarks)


def _trace(text: str, context: Context) -> Finding:
    from ... import measure

    trace = measure.read_trace(text)
    rows = Rows("measure.read_trace", "measure")
    rows.add("span_seconds", "from the first kernel to the last", float(trace.span_seconds), "s")
    rows.add("busy_seconds", "device busy", float(trace.busy_seconds), "s")
    rows.add("idle_seconds", "device idle", float(trace.idle_seconds), "s")
    for name, (count, seconds) in trace.by_kind().items():
        rows.add(f"seconds_{name}", f"{count} kernels of the kind {name}", seconds, "s")
    remarks = []
    if trace.idle_seconds > 0.1 * trace.span_seconds:
        remarks.append(
            "The device idles over a tenth of the time: look for launches, the data loader or synchronization."
        )
    return Finding(numbers=tuple(rows.numbers), remarks=tuple(remarks))


def _lstopo(text: str, context: Context) -> Finding:
    from ... import measure

    host = measure.read_lstopo(text)
    rows = Rows("measure.read_lstopo", "machine")
    rows.add("memory_bytes", "memory", float(host.memory_bytes), "B")
    rows.add("packages", "packages", host.packages, "packages")
    rows.add("numa_nodes", "NUMA nodes", host.numa_nodes, "NUMA nodes")
    rows.add("cores", "cores", host.cores, "cores")
    rows.add("processing_units", "hardware threads", host.processing_units, "threads")
    for name, (count, size) in host.caches.items():
        rows.add(f"cache_{name}", f"each of {count} {name} caches", float(size), "B")
    return Finding(numbers=tuple(rows.numbers))


TOOLS = (
    Tool(name="nvidia-smi --query-gpu", marks=r"^.*(?:\bname|\bindex|memory\.\w+|power\.\w+|utilization\.\w+)(?: \[\S+\])?, .*(?:\[MiB\]|\[W\]|\[%\]|name|temperature|clocks)", read=_query, example="""\
index, name, memory.total [MiB], power.draw [W], clocks.current.sm [MHz]
0, NVIDIA H100 80GB HBM3, 81559 MiB, 68.50 W, 345 MHz
"""),
    Tool(name="nvidia-smi -q", marks=r"NVSMI LOG", read=_details, example=""),
    Tool(name="nvidia-smi dmon", marks=r"^.*#(?:\s*Date)?(?:\s*Time)?\s*gpu\s+(?!\s|pid\b)", read=_dmon, example="""\
# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk
# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz
    0    412     52     61     98     63      0      0      0      0   2619   1755
"""),
    Tool(name="Nsight Compute (ncu --csv)", marks=r"\"Kernel Name\"|\"Metric Name\"", read=_ncu, example=""),
    Tool(name="PyTorch trace", marks=r"\"traceEvents\"", read=_trace, example=""),
    Tool(name="lstopo", marks=r"^.*Machine.*\(\d+[KMGT]i?B|^.*(?:Package|Socket) [LP]#\d", read=_lstopo, example="""\
Machine (17GB total)
  Package L#0
    NUMANode L#0 (P#0 17GB)
    L2 L#0 (2048KB) + L1d L#0 (48KB) + Core L#0 + PU L#0 (P#0)
"""),
)  # fmt: skip
