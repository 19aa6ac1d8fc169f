"""Captures of the tools that show the state of GPUs: nvidia-smi's table, rocm-smi and dcgmi."""

from __future__ import annotations

from .tool import Context, Finding, Rows, Tool

_TEMPERATURE = "°C"
# Units that the tools print in brackets, with those of an answer.
_UNITS = {
    "%": ("share", 0.01), "C": (_TEMPERATURE, 1.0), "B": ("B", 1.0), "bytes": ("B", 1.0), "W": ("W", 1.0), "Watts": ("W", 1.0),
    "Joules": ("J", 1.0), "MHz": ("Hz", 1e6), "sec": ("s", 1.0),
}  # fmt: skip
_ROCM = (
    ("Temp", "temperature", _TEMPERATURE), ("Power", "power", "W"), ("PwrCap", "power limit", "W"), ("SCLK", "clock", "Hz"),
    ("VRAM%", "memory in use", "share"), ("GPU%", "time in which a kernel ran", "share"),
)  # fmt: skip


def _table(text: str, context: Context) -> Finding:
    from ... import measure

    found = measure.read_smi_table(text)
    rows = Rows("measure.read_smi_table", "measure")
    problems = []
    rows.add("driver", "driver", found.driver)
    rows.add("cuda", "newest CUDA of the driver", found.cuda)
    rows.add("gpus", "GPUs", len(found.gpus), "GPUs")
    for gpu in found.gpus:
        group = f"GPU {gpu.number}"
        rows.add(f"name_{gpu.number}", "name", gpu.name, group=group)
        rows.add(f"memory_{gpu.number}", "memory", gpu.memory, "B", group=group)
        rows.add(f"memory_used_{gpu.number}", "memory in use", gpu.memory_used, "B", group=group)
        rows.add(f"power_{gpu.number}", "power", gpu.power, "W", group=group)
        rows.add(f"power_limit_{gpu.number}", "power limit", gpu.power_limit, "W", group=group)
        rows.add(f"utilization_{gpu.number}", "time in which a kernel ran", gpu.utilization, "share", group=group)
        if gpu.failed:
            problems.append(f"{group}: the driver answers ERR! for {', '.join(gpu.failed)}; look for an Xid in dmesg.")
        if gpu.uncorrectable_errors:
            problems.append(
                f"{group} has {gpu.uncorrectable_errors} uncorrectable memory errors since the driver was loaded."
            )
    remarks = (
        ()
        if found.whole
        else (f"The list of processes is missing, so GPUs after GPU {found.gpus[-1].number} may be too.",)
    )
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=remarks)


def _rocm(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_rocm_smi", "measure")
    for gpu in measure.read_rocm_smi(text):
        number, group = gpu["gpu"], f"GPU {gpu['gpu']}"
        rows.add(f"name_{number}", "name", gpu.get("name"), group=group)
        for name, says, unit in _ROCM:
            rows.add(f"{name}_{number}", says, gpu.get(name), unit, group=group)
        for name, value in gpu.items():
            if name.endswith(")") and isinstance(value, float):
                says, unit, factor = _unit(name)
                rows.add(f"{name}_{number}", says, value * factor, unit, group=group)
    return Finding(numbers=tuple(rows.numbers), remarks=("measure.read_rocm_smi has every field.",))


def _dmon(text: str, context: Context) -> Finding:
    from ... import measure

    samples = measure.read_dcgmi_dmon(text)
    rows = Rows("measure.read_dcgmi_dmon", "measure")
    rows.add("samples", "samples", len(samples), "samples")
    for entity in dict.fromkeys(sample["entity"] for sample in samples):
        for name in samples[0]:
            values = [one[name] for one in samples if one["entity"] == entity and isinstance(one.get(name), float)]
            if values:
                mean = sum(values) / len(values)
                rows.add(f"{name}_{entity}", f"{name}, mean", mean, low=min(values), high=max(values), group=entity)
    return Finding(numbers=tuple(rows.numbers), remarks=("Numbers are in the units of dcgmi dmon.",))


def _diag(text: str, context: Context) -> Finding:
    from ... import measure

    diag = measure.read_dcgmi_diag(text)
    rows = Rows("measure.read_dcgmi_diag", "measure")
    rows.add("version", "version of DCGM", diag.version)
    rows.add("driver", "driver", diag.driver)
    rows.add("tests", "tests", len(diag.tests), "tests")
    problems, remarks = [], []
    for result in ("Pass", "Fail", "Warn", "Skip", "Not Run"):
        tests = [test for test in diag.tests if test.result.startswith(result)]
        rows.add(f"tests_{result}", f"tests with the result {result}", len(tests) or None, "tests")
        for test in tests:
            says = f"{test.category}, {test.name}: {'; '.join([test.result, *test.messages])}."
            if result == "Fail":
                problems.append(says)
            elif result != "Pass":
                remarks.append(says)
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems), remarks=tuple(remarks))


def _stats(text: str, context: Context) -> Finding:
    from ... import measure

    rows = Rows("measure.read_dcgmi_stats", "measure")
    problems = []
    for gpu in measure.read_dcgmi_stats(text):
        group = "all GPUs" if gpu["GPU ID"] is None else f"GPU {gpu['GPU ID']}"
        for name, value in gpu.items():
            says, unit, factor = _unit(name)
            if isinstance(value, dict) and value.get("Avg") is not None:
                mean, most, least = (factor * value[part] for part in ("Avg", "Max", "Min"))
                rows.add(f"{name}_{group}", f"{says}, mean", mean, unit, low=least, high=most, group=group)
            elif isinstance(value, float):
                rows.add(f"{name}_{group}", says, factor * value, unit, group=group)
        lost = gpu.get("Double Bit ECC Errors")
        if isinstance(lost, float) and lost:
            problems.append(f"{group} had {lost:g} double-bit memory errors during the job.")
    return Finding(numbers=tuple(rows.numbers), problems=tuple(problems))


def _unit(name: str) -> tuple[str, str, float]:
    """Return the name without its unit, the unit of the answer, and the factor between them."""
    says, _, unit = name.removesuffix(")").rpartition(" (")
    return (says, *_UNITS[unit]) if unit in _UNITS and name.endswith(")") else (name, "", 1.0)


TOOLS = (
    Tool(name="nvidia-smi", marks=r"NVIDIA-SMI .*Driver Version:", read=_table, example="""\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |                    0 |
| N/A   36C    P0            119W /  700W |     621MiB / 143771MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
"""),
    Tool(name="rocm-smi", marks=r"ROCm System Management Interface", read=_rocm, example="""\
======================= ROCm System Management Interface =======================
================================= Concise Info =================================
GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
0    33.0c           37.0W   300Mhz  1200Mhz  0%   auto  290.0W    0%   0%
================================================================================
============================= End of ROCm SMI Log ==============================
"""),
    Tool(name="dcgmi dmon", marks=r"^.*#\s*Entity\s+[A-Z]", read=_dmon, example="""\
#Entity   GPUTL   POWER     SMACT
ID                W
GPU 0     61      88.411    0.367
GPU 0     75      92.016    0.292
"""),
    Tool(name="dcgmi diag", marks=r"\bDiagnostic\s+\|\s+Result\b", read=_diag, example="""\
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
+-----  Hardware  ----------+------------------------------------------------+
| GPU Memory                | Pass - All                                     |
+---------------------------+------------------------------------------------+
"""),
    Tool(name="dcgmi stats", marks=r"\bGPU ID: \d+\s+\||--  Execution Stats  --", read=_stats, example="""\
+------------------------------------------------------------------------------+
| GPU ID: 6                                                                    |
+====================================+=========================================+
|-----  Performance Stats  ----------+-----------------------------------------|
| Energy Consumed (Joules)           | 89504                                   |
| SM Utilization (%)                 | Avg: 72, Max: 99, Min: 0                |
+------------------------------------------------------------------------------+
"""),
)  # fmt: skip
