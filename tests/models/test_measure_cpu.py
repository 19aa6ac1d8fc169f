"""CPU roofline: recorded runs, and the shape of a run measured here."""

import csv
import subprocess
from pathlib import Path

import numpy as np
import pytest

from chip2cluster import draw, measure, roofline
from tests.tables import every_row

with (Path(__file__).parent / "data/measure/cpu_roofline_recorded.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
RUNS = {"quiet": "roof3", "loaded": "roof1", "loaded again": "roof_ct"}


@every_row("dtype", ["float32", "float64"])
@every_row("threads", [1, 2])
@every_row("load", RUNS)
def test_recorded_roofline_matches_data(load, threads, dtype):
    run = measure.recorded_roofline(f"cpu roofline, {load}", dtype=dtype, threads=threads)
    adds = [row for row in ROWS if row["run"] == RUNS[load] and row["kernel"] == "add"]
    gemms = [row for row in ROWS if (row["run"], row["threads"], row["dtype"]) == (RUNS[load], str(threads), dtype)]
    assert run.working_set_bytes.tolist() == [float(row["bytes_working"]) for row in adds]
    assert run.bandwidth / 1e9 == pytest.approx([float(row["GBps_median"]) for row in adds], rel=1e-5)
    assert run.gemm_flops / 1e9 == pytest.approx([float(row["GFLOPs_median"]) for row in gemms], rel=1e-5)
    assert run.best_gemm_flops / 1e9 == pytest.approx([float(row["GFLOPs_best"]) for row in gemms], rel=1e-5)
    assert run.noise.tolist() == [float(row["iqr_rel"]) for row in (*adds, *gemms)]


def test_cache_is_faster_than_memory():
    run = measure.recorded_roofline("cpu roofline, quiet")
    assert run.bandwidth.max() > 2 * run.memory_bandwidth
    ridge = roofline.ridge_point(run.peak_flops, run.memory_bandwidth)
    assert 1 < ridge < 3  # 44 GFLOP/s over 24 GB/s


def test_intensities_match_manual_values():
    """An add of float64 moves 24 bytes; a product of 128 rows has 2 * 128^3 FLOP for 3 * 128^2 * 4 bytes."""
    run = measure.recorded_roofline("cpu roofline, quiet", dtype="float32")
    assert run.add_intensity == 1 / 24 and run.gemm_intensity[0] == pytest.approx(4194304 / 196608)


def test_cpu_roofline_shape():
    run = measure.cpu_roofline(
        working_set_bytes=[30000, 300000], gemm_sizes=[32, 64], dtype="float32", budget_seconds=0.3
    )
    assert run.working_set_bytes.tolist() == [30000, 300000] and run.gemm_sizes.tolist() == [32, 64]
    assert np.all(run.bandwidth > 0) and np.all(run.best_bandwidth >= run.bandwidth)
    assert np.all(run.best_gemm_flops >= run.gemm_flops) and run.peak_flops == run.gemm_flops.max()
    assert len(run.noise) == 4 and (run.dtype, run.threads) == ("float32", 1) and run.add_intensity == 1 / 12
    assert run.source.confidence == "low"


def test_hanging_or_failing_process_raises(monkeypatch):
    def hangs(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(TimeoutError, match="did not end in 33 s"):
        measure.cpu_roofline(budget_seconds=1)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no memory")
    )
    with pytest.raises(RuntimeError, match="failed: no memory"):
        measure.cpu_roofline()


@every_row(
    ("call", "error", "message"),
    [
        (lambda: measure.cpu_roofline(working_set_bytes=8), ValueError, "working_set_bytes must be at least 24, got 8"),
        (
            lambda: measure.cpu_roofline(working_set_bytes=[]),
            ValueError,
            "working_set_bytes must be a one-dimensional list",
        ),
        (lambda: measure.cpu_roofline(gemm_sizes=[0]), ValueError, "gemm_sizes must be at least 1"),
        (
            lambda: measure.cpu_roofline(dtype="bf16"),
            ValueError,
            "dtype must be one of 'float32', 'float64', got 'bf16'",
        ),
        (lambda: measure.cpu_roofline(threads=0), ValueError, "threads must be at least 1"),
        (lambda: measure.cpu_roofline(budget_seconds=0), ValueError, "budget_seconds must be greater than zero"),
        (lambda: measure.recorded_roofline("mine"), ValueError, "name must be one of 'cpu roofline, quiet'"),
        (
            lambda: measure.recorded_roofline("cpu roofline, quiet", threads=3),
            ValueError,
            "threads must be one of 1, 2",
        ),
        (lambda: measure.recorded_roofline("cpu roofline, quiet", dtype="f"), ValueError, "dtype must be one of"),
    ],
)
def test_cpu_roofline_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()


@every_row("kernel", ["copy", "triad2pass"])
@every_row("load", RUNS)
def test_recorded_roofline_has_copy_and_triad(load, kernel):
    """A copy moves 16 bytes per float64 element, the triad in two passes 40; bytes per pass are in the recording."""
    run = measure.recorded_roofline(f"cpu roofline, {load}", kernel=kernel)
    rows = [row for row in ROWS if row["run"] == RUNS[load] and row["kernel"] == kernel]
    assert (
        run.bandwidth / 1e9 == pytest.approx([float(row["GBps_median"]) for row in rows], rel=1e-5) and len(rows) == 7
    )
    adds = [row for row in ROWS if row["run"] == RUNS[load] and row["kernel"] == "add"]
    values = {"copy": 2, "triad2pass": 5}[kernel]
    ratio = float(rows[0]["bytes_counted_per_pass"]) / float(adds[0]["bytes_counted_per_pass"])
    assert ratio == pytest.approx(values / 3) and run.add_intensity == {"copy": 0.0, "triad2pass": 2 / 40}[kernel]


def test_recorded_triad_would_look_slow_by_streams_count():
    """STREAM counts 24 bytes per element, and NumPy moves 40: the same times seem 0.6 times as fast."""
    triad, add = (measure.recorded_roofline("cpu roofline, quiet", kernel=kernel) for kernel in ("triad2pass", "add"))
    assert triad.memory_bandwidth * 24 / 40 < 0.75 * add.memory_bandwidth < triad.memory_bandwidth
    assert "triads in two passes" in draw.cpu_roofline(triad).svg
    assert draw.cpu_roofline(measure.recorded_roofline("cpu roofline, quiet", kernel="copy")).title
    with pytest.raises(ValueError, match="kernel must be one of"):
        measure.recorded_roofline("cpu roofline, quiet", kernel="triad")
