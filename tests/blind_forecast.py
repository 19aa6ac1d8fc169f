"""Forecasts of products and attention that were written down before anybody measured them.

``python -m tests.blind_forecast shapes FILE.csv`` draws shapes and writes the expected times with the version of the law.
``python -m tests.blind_forecast measure FILE.csv OUT.csv`` adds the times of the GPU of this machine, with PyTorch.
"""

import csv
import sys

import numpy as np

SEED = 20261126
FIELDS = ("kind", "chip", "m", "n", "k", "batch", "queries", "cached", "heads", "kv_heads")


def shapes():
    """Yield products with drawn sizes, then causal prompts and decode steps of 128-wide heads."""
    generator = np.random.default_rng(SEED)
    for _ in range(140):
        m = int(2 ** generator.uniform(0, 13.5))
        n, k = (128 * int(2 ** generator.uniform(2, 7.2)) for _ in range(2))
        yield {"kind": "gemm", "m": m, "n": n, "k": k}
    for kind in ("attention_prefill", "attention_decode"):
        for _ in range(30):
            heads = int(generator.choice([16, 32, 64]))
            row = {"kind": kind, "heads": heads, "kv_heads": heads // int(generator.choice([1, 4, 8]))}
            length = int(2 ** generator.uniform(8, 14))
            prefill = kind == "attention_prefill"
            room = max(1.0, 2**17 / length) if prefill else max(2.0, 2**20 / length)
            row["batch"] = int(2 ** generator.uniform(0, min(np.log2(room), 7)))
            yield row | ({"queries": length, "cached": 0} if prefill else {"queries": 1, "cached": length})


def write_shapes(file):
    """Write every shape with its expected time on both chips that the law knows and we can rent."""
    from chip2cluster import reality

    with open(file, "w", newline="", encoding="utf-8") as target:
        version, checksum = reality.expected_version()
        target.write(f"# law {version}, SHA-256 {checksum}; shapes drawn with seed {SEED}\n")
        rows = csv.DictWriter(target, (*FIELDS, "expected_s", "low_s", "high_s", "bound_s"), lineterminator="\n")
        rows.writeheader()
        for shape in shapes():
            for chip in ("H100 SXM", "H200 SXM"):
                given = {key: value for key, value in shape.items() if key != "kind"}
                found = reality.expected(shape["kind"], given | {"chip": chip, "precision": "bf16"})
                times = {"expected_s": found.seconds, "low_s": found.low, "high_s": found.high, "bound_s": found.bound}
                rows.writerow(shape | {"chip": chip} | {key: f"{value:.5g}" for key, value in times.items()})


def device_seconds(row, torch):
    """Return the median time of a shape in a CUDA graph, with operands in turn that span the L2 cache."""
    sizes = {key: int(row[key]) for key in FIELDS[2:] if row[key]}

    def draw(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    if row["kind"] == "gemm":
        m, n, k = (sizes[key] for key in "mnk")
        a = draw(m, k)
        weights = [draw(n, k) for _ in range(max(2, min(6, int(3e9 / (2 * n * k)))))]
        calls = [lambda w=w: torch.nn.functional.linear(a, w) for w in weights]
    else:
        prefill = row["kind"] == "attention_prefill"
        context = sizes["queries"] + sizes["cached"]
        batch, heads, shared = sizes["batch"], sizes["heads"], sizes["kv_heads"]
        q = draw(batch, heads, sizes["queries"], 128)
        caches = [(draw(batch, shared, context, 128), draw(batch, shared, context, 128)) for _ in range(2)]
        attend = torch.nn.functional.scaled_dot_product_attention
        calls = [lambda kv=kv: attend(q, *kv, is_causal=prefill, enable_gqa=heads != shared) for kv in caches]
    for call in calls:
        call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = [call() for call in calls]  # noqa: F841 - a graph reads and writes the memory of its capture
    found = []
    for _ in range(8):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        torch.cuda.synchronize()
        found.append(start.elapsed_time(stop) / 1e3 / len(calls))
    return float(np.median(found[2:]))


def measure(file, out):
    """Add the column ``measured_s`` for the GPU of this machine."""
    import torch

    chip = {"H100": "H100 SXM", "H200": "H200 SXM"}[torch.cuda.get_device_name().split()[1]]
    with open(file, newline="", encoding="utf-8") as source:
        head = source.readline()
        rows = [row for row in csv.DictReader(source) if row["chip"] == chip]
    with open(out, "w", newline="", encoding="utf-8") as target:
        target.write(head.rstrip() + f"; {torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
        writer = csv.DictWriter(target, (*rows[0], "measured_s"), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            try:
                row["measured_s"] = f"{device_seconds(row, torch):.5g}"
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                continue
            writer.writerow(row)


if __name__ == "__main__":
    write_shapes(sys.argv[2]) if sys.argv[1] == "shapes" else measure(*sys.argv[2:])
