"""Checks that need a machine with an NVIDIA GPU: ``PYTHONPATH=course:. python -m tests.on_gpu FOLDER``.

Each check stands alone, and its outcome is a section of FOLDER/on_gpu.txt. Needs NumPy and PyTorch; the cell of chapter 15
also needs pandas.
"""

import json
import subprocess
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def smi(*arguments):
    return subprocess.run(["nvidia-smi", *arguments], capture_output=True, text=True, timeout=30).stdout


def own_gpus():
    from chip2cluster import measure

    gpus, said = measure.own_gpus()
    assert gpus and tuple(gpus[0]) == measure.GPU_FIELDS
    return gpus, said


def node_matrix():
    from chip2cluster import links

    return links.node_matrix(smi("topo", "-m"))


def asynchronous_benchmark():
    import torch

    from chip2cluster import measure

    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    early = measure.benchmark(lambda: a @ a, repeats=30)
    waited = measure.benchmark(lambda: a @ a, repeats=30, synchronize=torch.cuda.synchronize)
    device = measure.device_benchmark(lambda: a @ a)
    assert early.verdict == "unusable" and waited.verdict in ("quiet", "noisy"), (early.reasons, waited.reasons)
    flops = 2 * 8192**3
    samples = {"returned early": early, "synchronized": waited, "on the device": device}
    return {name: (flops / one.median, one.verdict, one.reasons) for name, one in samples.items()}, device.state


def caches():
    from chip2cluster import measure

    sizes = [2**22, 2**24, 2**25, 2**26, 2**30]
    return [
        (row["series"], row["x"], row["y"], row["verdict"], row["calls"])
        for cache in ("warm", "flushed")
        for row in measure.gpu_triad(sizes, cache=cache, seconds=5).rows
    ]


def zeros_beside_random():
    from chip2cluster import measure

    series = measure.gpu_power(4, data=("random", "zeros"))
    return {name: [row for row in series.rows if row["series"] == name][-1] for name in series.names}


def chapter_cell():
    page = json.loads((ROOT / "course/15_measure.ipynb").read_text())
    (cell,) = [cell for cell in page["cells"] if cell["id"] == "gpu-run"]
    import pandas as pd

    from chip2cluster import measure

    shown = []
    exec("".join(cell["source"]), {"pd": pd, "measure": measure, "display": shown.append})
    return shown


def readers():
    from chip2cluster import measure

    (gpu,) = measure.read_nvidia_smi(smi("-q"))["GPUs"]
    parts = ("Product Name", "FB Memory Usage", "GPU Power Readings", "Clocks", "Max Clocks")  # no serial numbers
    return measure.read_dmon(smi("dmon", "-c", "3")), {name: gpu[name] for name in parts}


def profiler_trace():
    import tempfile

    import torch
    from torch.profiler import ProfilerActivity, profile

    from chip2cluster import measure
    from chip2cluster.measure.devices import find_backend

    step = find_backend("torch").training_step(12, 768, 12, 8, 1024)
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        step()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json.gz") as file:
        profiler.export_chrome_trace(file.name)
        trace = measure.read_trace(Path(file.name).read_bytes())
    assert trace.fraction("matrix products") > 0.2 and trace.fraction("other") < 0.02
    seconds = (trace.span_seconds, trace.kernel_seconds, trace.idle_seconds, trace.host_seconds)
    return len(trace.kernels), seconds, trace.by_kind(), trace.gaps()[:3]


def rotated_operands():
    from chip2cluster import measure
    from chip2cluster.measure.devices import find_backend

    device, found = find_backend("torch"), {}
    for count in (1, 16):  # 16 MiB each: one set fits the L2 cache, sixteen do not
        sets = [[device.random((2**24 // 12,), "fp32") for _ in range(3)] for _ in range(count)]
        calls = [lambda some=some: device.triad(*some, 1.5) for some in sets]
        sample = measure.device_benchmark(calls if count > 1 else calls[0], backend=device)
        found[sample.cache] = (2**24 / sample.median, sample.verdict)
    assert found["rotated"][0] < found["warm"][0]
    return found


CHECKS = (
    own_gpus,
    node_matrix,
    asynchronous_benchmark,
    caches,
    zeros_beside_random,
    chapter_cell,
    readers,
    profiler_trace,
    rotated_operands,
)


def main(folder):
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    lines, failed = [], 0
    for check in CHECKS:
        try:
            outcome = f"OK\n{check()}"
        except Exception:
            outcome, failed = f"FAILED\n{traceback.format_exc()}", failed + 1
        lines.append(f"## {check.__name__}\n{outcome}\n")
        print(lines[-1][:1500], flush=True)
        (target / "on_gpu.txt").write_text("\n".join(lines))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
