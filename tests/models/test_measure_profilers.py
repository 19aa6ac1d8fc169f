"""Output of profilers on an H100, as recorded; the sums are those that the recording program printed by itself."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import measure, occupancy, roofline, specs, transformer

PRINTS = Path(__file__).parent / "data/gpu"
TRACE = (PRINTS / "train_trace.json.gz").read_bytes()
NCU = (PRINTS / "ncu.csv").read_text()
# A launch of each kernel in the order of the program, its product's shape, and the bytes that the model counts.
PRODUCTS = {2: (4096, 4096, 4096), 3: (8192, 8192, 8192), 4: (1, 8192, 8192), 5: (64, 8192, 8192)}


def traced(*events, **more):
    return json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel"} | event for event in events]} | more)


def kernel(ts, dur, name="nvjet_a", device=0, stream=7):
    return {"name": name, "ts": ts, "dur": dur, "args": {"device": device, "stream": stream}}


def test_trace_of_a_training_step_has_the_recorded_sums():
    trace = measure.read_trace(TRACE)
    assert len(trace.kernels) == 1590 and trace.kernel_seconds == pytest.approx(64.2e-3, abs=1e-4)
    shares = {
        kind: round(100 * trace.fraction(kind)) for kind in ("matrix products", "attention", "conversions", "optimizer")
    }
    assert shares == {"matrix products": 35, "attention": 13, "conversions": 11, "optimizer": 6}
    assert trace.fraction("other") < 0.005 and sum(trace.fraction(kind) for kind in trace.by_kind()) == pytest.approx(1)
    assert trace.span_seconds == pytest.approx(80.6e-3, abs=1e-4)  # the step under the profiler
    assert trace.overlap_seconds == pytest.approx(0, abs=1e-7)  # one stream


def test_trace_and_recorded_kernels_are_one_step():
    trace, stored = measure.read_trace(TRACE), measure.recorded_trace()
    assert {kind: count for kind, (count, _) in trace.by_kind().items()} == {
        kind: count for kind, (count, _) in stored.by_kind().items()
    }
    assert trace.busy_seconds == pytest.approx(stored.busy_seconds, rel=1e-4)


def test_trace_of_a_training_step_achieves_its_mfu():
    config = transformer.Config(
        layers=24, d_model=1024, heads=16, vocab_size=50304, tied_embeddings=True, positions=1024, bias=True
    )
    flops = 8 * 1024 * float(transformer.training_flops_per_token(config, 1024))
    peak = specs.accelerator("H100 SXM").peak_flops_dense("bf16")
    assert measure.recorded_trace().achieved(flops, peak, 67.4e-3) == pytest.approx(0.30, abs=0.015)


def test_trace_of_two_streams_knows_gaps_and_overlap():
    text = traced(
        kernel(100, 10),
        kernel(105, 10, "ncclDevKernel_AllReduce", stream=20),
        kernel(130, 10),
        kernel(145, 5, "gelu_kernel"),
    )
    trace = measure.read_trace(text)
    assert trace.span_seconds == pytest.approx(50e-6) and trace.busy_seconds == pytest.approx(30e-6)
    assert trace.idle_seconds == pytest.approx(20e-6) and trace.overlap_seconds == pytest.approx(5e-6)
    assert [round(1e6 * gap) for _, gap in trace.gaps()] == [15, 5] and len(trace.gaps(10e-6)) == 1
    assert trace.hidden_seconds() == pytest.approx(5e-6) and trace.hidden_seconds("attention") == 0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), min_size=1, max_size=12))
def test_trace_busy_time_is_the_covered_time(times):
    trace = measure.read_trace(traced(*(kernel(start, length) for start, length in times)))
    covered = {moment for start, length in times for moment in range(start, start + length)}
    assert trace.busy_seconds == pytest.approx(1e-6 * len(covered), abs=1e-12)
    assert trace.busy_seconds + trace.idle_seconds == pytest.approx(trace.span_seconds, abs=1e-12)


def test_read_trace_of_several_devices_asks_which():
    text = traced(kernel(0, 5), kernel(0, 7, device=1), displayTimeUnit="ns")
    with pytest.raises(ValueError, match="devices 0, 1: say device="):
        measure.read_trace(text)
    assert measure.read_trace(text, device=1).kernel_seconds == pytest.approx(7e-6)
    with pytest.raises(ValueError, match="device must be one of"):
        measure.read_trace(text, device=2)


def test_trace_that_counts_from_1970_keeps_its_gaps():
    """PyTorch of 2022 prints such times, as in google/perfetto#393 on GitHub."""
    start = 1669329643132548
    trace = measure.read_trace(traced(kernel(start, 100), kernel(start + 101, 50)))
    assert trace.span_seconds == pytest.approx(151e-6, rel=1e-9) and trace.idle_seconds == pytest.approx(1e-6, rel=1e-9)


def test_read_trace_accepts_bare_and_unfinished_arrays():
    events = json.loads(traced(kernel(0, 5), kernel(9, 2)))["traceEvents"]
    whole = json.dumps(events)
    for text in (whole, whole.removesuffix("]"), whole.removesuffix("]") + ",\n", gzip.compress(whole.encode())):
        assert len(measure.read_trace(text).kernels) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "not JSON"), ("{}", "traceEvents"), ('{"traceEvents": []}', "ProfilerActivity.CUDA"), ("[1, 2", "no kernels"),
     (traced({"name": "a"}), "without a time"), ('{"traceEvents": {}}', "traceEvents")],
)  # fmt: skip
def test_read_trace_refuses_other_text(text, message):
    with pytest.raises(ValueError, match=message):
        measure.read_trace(text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>", "matrix products"),
     ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", "matrix products"),
     ("Cijk_Alik_Bljk_BBS_BH_MT128x128x32_MI32x32x8x1", "matrix products"),
     ("fmha_cutlassF_bf16_aligned_64x64_rf_sm80", "attention"), ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "communication"),
     ("triton_poi_fused_add_gelu_3", "elementwise"), ("triton_red_fused_native_layer_norm_0", "normalization"),
     ("void at::native::vectorized_elementwise_kernel<4, foo::{lambda(float)#1}>", "elementwise"),
     ("void at::native::bfloat16_copy_kernel_cuda", "conversions"), ("my_kernel", "other"),
     ("void cudnn::fusion::convert_dq_to_16bits<true>", "attention"), ("cudnn_infer_conv2d_tiled", "convolution")],
)  # fmt: skip
def test_kernel_kind_of_other_libraries(name, kind):
    assert measure.kernel_kind(name) == kind


def test_ncu_bytes_of_products_beside_the_model():
    """The README of the recording: 403 MB by the model for 8192 cubed, 1,250 read and 130 written by the counters."""
    kernels = measure.read_ncu(NCU)
    assert len(kernels) == 18
    ratios = {n: kernels[n].traffic_ratio(float(roofline.gemm(*shape).bytes_moved)) for n, shape in PRODUCTS.items()}
    assert ratios[3] == pytest.approx(3.43, abs=0.01) and ratios[2] == pytest.approx(1.78, abs=0.01)
    assert kernels[3].metrics["dram__bytes_read.sum"] == pytest.approx(1250e6, rel=0.01)
    assert ratios[4] == pytest.approx(1.0, abs=0.03)  # a vector: nothing can be read twice


def test_ncu_roofline_points_lie_below_the_roofs():
    kernels, chip = measure.read_ncu(NCU), specs.accelerator("H100 SXM")
    for n, (m, k, j) in PRODUCTS.items():
        intensity, rate = kernels[n].roofline_point(2.0 * m * k * j)
        assert 0.5 * roofline.attainable(intensity, chip.peak_flops_dense("bf16"), chip.memory_bandwidth) < rate
        assert rate < roofline.attainable(intensity, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)
    with pytest.raises(ValueError, match="flops must be given.*Tensor Cores"):
        kernels[3].roofline_point()


def test_ncu_occupancy_is_that_of_the_model():
    for kernel in measure.read_ncu(NCU):
        resources = {
            key.removeprefix("launch__"): value for key, value in kernel.metrics.items() if key.startswith("launch__")
        }
        model = occupancy.occupancy(
            kernel.compute_capability, int(resources["block_size"]), int(resources["registers_per_thread"]),
            max(0, int(resources["shared_mem_per_block"]) - 1024),
        )  # fmt: skip
        assert model.occupancy == pytest.approx(kernel.theoretical_occupancy, abs=0.001), kernel.name
        assert 0 < kernel.achieved_occupancy <= kernel.theoretical_occupancy + 0.01
    with pytest.raises(ValueError, match="collect it with `ncu --metrics gpu__time_duration.sum`"):
        _ = measure.NcuKernel("a", "9.0", {}).seconds


def test_read_ncu_raw_page_has_the_same_values():
    """The other layout of the tool: a line of units below the header, then a line per kernel."""
    units = {
        "dram__bytes_read.sum": ("Mbyte", 1e-6),
        "dram__bytes_write.sum": ("Mbyte", 1e-6),
        "gpu__time_duration.sum": ("us", 1e6),
    }
    lines = ['"ID","Process ID","Kernel Name","CC",' + ",".join(f'"{name}"' for name in units)]
    lines.append('"","","","",' + ",".join(f'"{unit}"' for unit, _ in units.values()))
    long = measure.read_ncu(NCU)
    for number, one in enumerate(long):
        values = ",".join(f'"{one.metrics[name] * scale:,.6f}"' for name, (_, scale) in units.items())
        lines.append(f'"{number}","704","{one.name}","9.0",{values}')
    for kernel, other in zip(measure.read_ncu("\n".join(lines)), long, strict=True):
        assert kernel.seconds == pytest.approx(other.seconds) and kernel.dram_bytes == pytest.approx(other.dram_bytes)


def test_ncu_counts_flop_of_thread_instructions():
    rows = [("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", "1,000"), ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "500"),
            ("dram__bytes.sum", "Kbyte", "5"), ("gpu__time_duration.sum", "usecond", "2")]  # fmt: skip
    text = '"ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"\n'
    text += "\n".join(f'"0","a","9.0","{name}","{unit}","{value}"' for name, unit, value in rows)
    (kernel,) = measure.read_ncu(text)
    assert kernel.flops == 2500 and kernel.roofline_point() == pytest.approx((0.5, 1.25e9))


@pytest.mark.parametrize("text", ["", "no csv", '"ID","Kernel Name"', NCU[: NCU.index('"ID"')]])
def test_read_ncu_refuses_other_text(text):
    with pytest.raises(ValueError, match="ncu --csv"):
        measure.read_ncu(text)


def test_read_dmon_values():
    busy = measure.read_dmon((PRINTS / "nvidia-smi-dmon-busy.txt").read_text())
    assert [row["pwr"] for row in busy] == [134, 720, 699, 697] and busy[1]["pclk"] == 1.29e9 and busy[1]["sm"] == 0.99
    idle = measure.read_dmon((PRINTS / "nvidia-smi-dmon-idle.txt").read_text())
    assert idle[0]["tviol"] is False and idle[0]["rxpci"] == 0 and idle[0]["fb"] == 621 * 2**20
    dated = "#Date       Time        gpu   pwr\n#YYYYMMDD   HH:MM:SS    Idx     W\n 20261126   11:53:36      1     -\n"
    (row,) = measure.read_dmon(dated)
    assert row == {"Date": "20261126", "Time": "11:53:36", "gpu": 1, "pwr": None}
    assert len(measure.read_dmon(dated + dated)) == 2  # the tool repeats its header
    for bad in ("# gpu pwr\n# Idx W\n 0", " 0 1", "# gpu pwr\n# Idx W", "# gpu pwr\n# Idx W\n 0 x"):
        with pytest.raises(ValueError, match="line [0-9]"):
            measure.read_dmon(bad)


def test_read_nvidia_smi_sections():
    node = measure.read_nvidia_smi((PRINTS / "nvidia-smi-q.txt").read_text())
    (gpu,) = node["GPUs"]
    assert node["Driver Version"] == "580.159.04" and node["CUDA Version"] == "13.0" and node["Attached GPUs"] == 1
    assert gpu["Product Name"] == "NVIDIA H100 80GB HBM3" and gpu["FB Memory Usage"]["Total"] == 81559 * 2**20
    assert gpu["GPU Power Readings"]["Current Power Limit"] == 700 and gpu["Max Clocks"]["SM"] == 1.98e9
    assert gpu["PCI"]["GPU Link Info"]["PCIe Generation"]["Current"] == 5 and gpu["MIG Mode"]["Current"] == "Disabled"
    assert gpu["Fan Speed"] is None and gpu["Utilization"]["GPU"] == 0
    part = measure.read_nvidia_smi((PRINTS / "nvidia-smi-clocks.txt").read_text())
    assert part["GPUs"][0]["Clocks Event Reasons"]["SW Power Cap"] == "Not Active"
    with pytest.raises(ValueError, match="nvidia-smi -q"):
        measure.read_nvidia_smi("nothing")
