"""Experiments on a device that is arithmetic: what comes out must be what the device was made of."""

import json
from pathlib import Path
from statistics import median

import pytest

from chip2cluster import measure, specs
from chip2cluster.measure.devices import find_backend
from chip2cluster.measure.gpu import timing
from chip2cluster.measure.gpu.experiments import EXPERIMENTS
from chip2cluster.shell import ask, main
from tests.models.fake_device import FakeDevice

HERE = Path(__file__).parent / "data/gpu"


@pytest.fixture
def fake():
    return FakeDevice()


@pytest.fixture
def found(fake, monkeypatch):
    """The fake is what a machine without a name for a backend finds."""
    from chip2cluster.measure.gpu import experiment_runner, report

    for module in (timing, experiment_runner, report):
        monkeypatch.setattr(module, "find_backend", lambda name=None: name or fake)
    return fake


def test_device_benchmark_does_not_time_the_launch(fake):
    a, b, c = (fake.random((4096, 4096), "bf16") for _ in range(3))
    sample = measure.device_benchmark(lambda: fake.product(c, a, b), backend=fake)
    assert 2 * 4096**3 / sample.median == pytest.approx(fake.peak, rel=0.03)
    assert sample.queue_full and sample.verdict == "quiet" and sample.state.power_watts == 300
    host = measure.benchmark(lambda: fake.product(c, a, b), clock=fake.now)
    assert 2 * 4096**3 / host.median > 10 * fake.peak  # what timing the launch would have said


def test_device_benchmark_of_a_short_call_times_many(fake):
    sample = measure.device_benchmark(lambda: fake.work(2e-6), backend=fake)
    assert sample.calls > 10 and sample.median == pytest.approx(3e-6, rel=0.05)
    single = measure.device_benchmark(lambda: fake.work(2e-6), backend=fake, calls=1)
    assert single.verdict == "unusable" and "10 steps of the clock" in single.reasons[0]


def test_device_benchmark_says_in_which_cache_the_operands_were(fake):
    arrays = [[fake.random((2**20,), "fp32") for _ in range(3)] for _ in range(8)]
    warm, flushed, rotated = (
        measure.device_benchmark(call, backend=fake, cache=cache, calls=1)
        for call, cache in (
            (lambda: fake.triad(*arrays[0], 2.0), "warm"),
            (lambda: fake.triad(*arrays[0], 2.0), "flushed"),
            ([lambda some=some: fake.triad(*some, 2.0) for some in arrays], "warm"),
        )
    )
    assert (warm.cache, flushed.cache, rotated.cache) == ("warm", "flushed", "rotated")
    assert flushed.median == pytest.approx(rotated.median, rel=0.05) and flushed.median > 1.5 * warm.median


@pytest.mark.parametrize(
    ("options", "verdict", "reason"),
    [
        ({"throttle": ("power cap",)}, "throttled", "power cap at 1,300 of 1,980 MHz"),
        ({"noise": 0.4}, "noisy", "interquartile range"),
        ({"launch": 5e-3}, "noisy", "queue ran dry"),
        ({"holds": False}, "noisy", "queue ran dry"),
        ({}, "quiet", None),
    ],
)
def test_device_sample_verdict_has_its_reason(options, verdict, reason):
    fake = FakeDevice(**options)
    sample = measure.device_benchmark(lambda: fake.work(1e-4), backend=fake)
    assert sample.verdict == verdict
    assert reason is None or any(reason in text for text in sample.reasons)


def test_triad_finds_both_bandwidths(fake):
    series = measure.gpu_triad([2**25, 2**30], backend=fake)
    small, large = (row["y"] for row in series.rows)
    assert fake.l2 > small > 1.3 * fake.memory and large == pytest.approx(fake.memory, rel=0.02)
    flushed = measure.gpu_triad([2**24], backend=fake, cache="flushed")
    assert flushed.rows[0]["y"] < fake.memory and flushed.names == ("triad, flushed",)


def test_products_and_steps_find_the_slow_sizes(fake):
    (row,) = measure.gpu_products([(8192, 50257, 4096)], backend=fake).rows
    assert (row["m"], row["n"], row["k"]) == (8192, 50257, 4096) and row["y"] == pytest.approx(fake.peak / 7, rel=0.01)
    steps = {row["x"]: row["y"] for row in measure.gpu_steps("k", 1024, 3, backend=fake).rows}
    assert sorted(steps) == list(range(1021, 1028))
    assert steps[1024] == pytest.approx(6.9 * steps[1025], rel=0.05) and steps[1022] > 2 * steps[1023]


def test_launches_find_launch_gap_and_waiting(fake):
    series = measure.gpu_launches([4], backend=fake)
    by_name = {row["series"]: row["y"] for row in series.rows}
    assert by_name["one by one"] == pytest.approx(fake.launch_cost, rel=0.05)  # launch-bound
    assert by_name["graph"] == pytest.approx(fake.floor + fake.gap, rel=0.05)
    assert by_name["waits after each"] > 2 * by_name["one by one"]
    without = FakeDevice(graphs=False)
    assert "no graphs here" in measure.gpu_launches([4], backend=without).said


def test_copies_find_pinned_and_pageable_rates(fake):
    series = measure.gpu_copies([2**28], backend=fake)
    rates = {row["series"]: row["y"] for row in series.rows}
    assert rates["pinned, to device"] == pytest.approx(55e9, rel=0.01)
    assert rates["pageable, to host"] == pytest.approx(9e9, rel=0.01) and len(rates) == 4


def test_power_runs_for_its_duration(fake):
    series = measure.gpu_power(2.0, backend=fake, data=("random", "zeros"))
    assert series.names == ("bf16 product, random", "bf16 product, zeros")
    for name in series.names:
        rows = [row for row in series.rows if row["series"] == name]
        assert 2.0 <= rows[-1]["x"] < 2.1 and len(rows) >= 2 * 20
        assert rows[5]["flops_per_second"] == pytest.approx(fake.peak, rel=0.02) and rows[5]["clock_hz"] == 1.98e9


def test_attention_and_training_count_their_work(fake):
    attention = measure.gpu_attention([8192], backend=fake)
    assert dict(attention.points("flash forward"))[8192] == pytest.approx(4e14, rel=0.02)
    assert dict(attention.points("cudnn forward, causal"))[8192] == pytest.approx(6e14, rel=0.02)
    fake.attention_rates = {"flash": 4e14}
    only = measure.gpu_attention([8192], backend=fake)
    assert only.names == ("flash forward", "flash forward, causal") and "no cudnn attention here" in only.said
    series = measure.gpu_training(batches=[8], backend=fake, peak_flops_dense=fake.peak)
    assert series.best["y"] == pytest.approx(0.5, rel=0.2) and series.best["tokens_per_second"] > 1e5
    unknown = measure.gpu_training(batches=[8], backend=fake)
    assert unknown.recorded and "pass peak_flops_dense" in unknown.said


def test_an_error_of_the_device_keeps_what_was_measured(fake):
    product, fake.count = fake.product, 0

    def failing(out, first, second):
        if first.shape[0] > 2000:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB\nmore")
        product(out, first, second)

    fake.product = failing
    series = measure.gpu_products([1024, 4096], backend=fake)
    assert len(series.rows) == 1 and series.said.endswith("CUDA out of memory. Tried to allocate 20.00 GiB.")


def test_measure_gpu_file_can_be_read_back(found, tmp_path):
    file = tmp_path / "mine.json"
    report = measure.measure_gpu(
        seconds=3, file=file, power={"duration_seconds": 0.2}, training={"peak_flops_dense": 8e14}
    )
    back = measure.own_gpu(file)
    assert back.device == "Fake GPU" and not back.recorded and set(back.series) == set(EXPERIMENTS)
    assert all(back[name].rows == tuple(json.loads(json.dumps(report[name].rows))) for name in EXPERIMENTS)
    with pytest.raises(FileExistsError, match="name a new file"):
        measure.measure_gpu(file=file)
    table = back["products"].table()
    assert {"H100 SXM, recorded", "H200, recorded"} <= set(table) and table["H100 SXM, recorded"].notna().sum() >= 6


def test_command_measures_and_writes_the_file(found, tmp_path, capsys):
    file = tmp_path / "mine.json"
    assert (
        main(
            [
                "measure",
                "gpu",
                "--only",
                "triad,products",
                "--seconds",
                "2 s",
                "--out",
                str(file),
                "--shapes",
                "4096,8192x50257x4096",
            ]
        )
        == 0
    )
    printed = capsys.readouterr()
    assert (
        "H200 recorded, alike" in printed.out and "Measured here on Fake GPU" in printed.out and "triad:" in printed.err
    )
    assert [row["n"] for row in measure.own_gpu(file)["products"].rows] == [4096, 50257]
    assert main(["measure", "gpu", "--out", str(file)]) == 2 and "name a new file" in capsys.readouterr().err
    assert main(["measure", "gpu", "--only", "triat"]) == 2 and "triad" in capsys.readouterr().err


def test_command_compares_like_with_like(found):
    """The recorded best of any kind, such as fp8 products, is not beside a bf16 product of another size."""
    answer = ask("measure gpu --only products --seconds 2 --shapes 4096")
    alike = [
        row["y"]
        for row in measure.recorded_gpu("products").rows
        if (row["series"], row["x"]) == ("bf16, warm", 2 * 4096**3)
    ]
    assert answer["products_h100"] == alike[0] < 8e14
    odd = ask("measure gpu --only products --seconds 2 --shapes 8192x50257x4096")
    with pytest.raises(KeyError):
        odd["products_h100"]
    assert any("nothing of this series and size was recorded" in remark for remark in odd.remarks)


def test_without_a_gpu_every_call_shows_the_recorded_one():
    for name in EXPERIMENTS:
        series = getattr(measure, f"gpu_{name}")()
        assert series.recorded and "nothing can be measured here" in series.said and "NVIDIA H100" in series.device
    answer = ask("measure gpu --only triad,training")
    assert answer["triad"] == pytest.approx(measure.recorded_gpu("triad").best["y"]) and answer.met
    assert "PyTorch is not installed" in answer.remarks[0] or "no CUDA device" in answer.remarks[0]


def test_find_backend_finds_a_third_file(monkeypatch, tmp_path):
    from chip2cluster.measure import devices
    from chip2cluster.measure.devices import backend

    (tmp_path / "third_backend.py").write_text("from tests.models.fake_device import FakeDevice as DeviceBackend\n")
    monkeypatch.setattr(devices, "__path__", [*devices.__path__, str(tmp_path)])
    monkeypatch.setattr(backend, "FOLDER", str(tmp_path))
    assert find_backend().name == "fake" and find_backend("third").device == "Fake GPU"
    with pytest.raises(ValueError, match="must be one of 'third'"):
        find_backend("torch")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "chip2cluster gpu 1"}',
        '{"format": "chip2cluster gpu 1", "device": "A", "series": {"triad": {"rows": [{"series": "a", "x": 1, "y": null}]}}}',
    ],
)
def test_read_gpu_refuses_other_text(text, tmp_path):
    with pytest.raises(ValueError, match="whole file|--out|finite numbers"):
        measure.read_gpu(text)
    file = tmp_path / "a.json"
    file.write_text(text)
    assert measure.own_gpu(file).recorded and "could not be read" in measure.own_gpu(file).said


def test_file_of_a_real_machine_lies_near_the_recorded_one():
    """Written by the command on another H200 than the recorded one, on the same day; power thinned to one row a second."""
    report = measure.own_gpu(HERE / "my_gpu_h200.json")
    assert report.device == "NVIDIA H200" and set(report.series) == set(EXPERIMENTS) and not report.recorded
    triad = report["triad"].table(measure.recorded_gpu("triad", "H200"))
    large = triad[triad["working set (B)"] > 3e8]
    assert len(large) == 4 and (large["bandwidth (B/s)"] / large["NVIDIA H200, recorded"]).between(1.05, 1.15).all()
    steps = report["steps"].table()
    assert (steps["rate (FLOP/s)"] / steps["H200, recorded"]).between(0.95, 1.05).all()
    sustained = [row for row in report["power"].rows if row["x"] > 10]
    assert all(685 < row["y"] < 700 and row["throttle"] == "power cap" and row["clock_hz"] < 1.6e9 for row in sustained)
    assert {row["verdict"] for row in report["products"].rows} == {"quiet", "throttled"}
    assert all(one.about["driver"] == "580.159.04" for one in report.series.values())


def test_recorded_values_are_those_of_their_readme():
    h100 = {name: measure.recorded_gpu(name) for name in EXPERIMENTS}
    products = {
        row["dtype"]: max(r["y"] for r in h100["products"].rows if r["dtype"] == row["dtype"])
        for row in h100["products"].rows
    }
    assert [round(products[name] / 1e12) for name in ("bf16", "fp8", "tf32", "fp64", "int8", "fp32")] == [
        793,
        1485,
        402,
        62,
        973,
        52,
    ]
    words = {row["x"]: row["y"] for row in h100["steps"].rows if row["series"] == "n, vocabulary"}
    assert [round(words[n] / 1e12) for n in (50257, 50304)] == [111, 800]
    phase = measure.recorded_table("power_phases")[0]
    assert phase["work"] / phase["joules"] == pytest.approx(0.96e12, rel=0.01)
    l2 = [row["y"] for row in h100["triad"].rows if row["series"].startswith("read past L1") and 4e6 < row["x"] < 34e6]
    assert min(l2) > 7.2e12 and max(l2) < 8.1e12
    half = {
        row["multiprocessors"]: row["y"] for row in measure.recorded_table("concurrency") if row["series"] == "by SMs"
    }
    assert half[66] / half[132] == pytest.approx(0.76, abs=0.01)


@pytest.mark.parametrize("card", ["H100 SXM", "H200"])
def test_what_experiments_expect_is_what_was_recorded(card):
    """The numbers in the sentences of `EXPERIMENTS`."""
    chip = specs.accelerator({"H200": "H200 SXM"}.get(card, card))
    recorded = {name: measure.recorded_gpu(name, card) for name in EXPERIMENTS}
    peak = chip.peak_flops_dense("bf16")
    triad = [y / chip.memory_bandwidth for x, y in recorded["triad"].points("triad, warm") if x > 1e8]
    assert min(triad) > 0.755 and max(triad) < 0.865
    products = recorded["products"].points("bf16, warm")
    assert max(y for _, y in products) / peak == pytest.approx(0.8, abs=0.02)
    assert 4e-6 < min(row["x"] / row["y"] for row in recorded["products"].rows if row["dtype"] == "bf16") < 6e-6
    for name in ("k", "n"):
        points = recorded["steps"].points(name)
        fast, odd = (
            median(y for x, y in points if chosen(x)) for chosen in (lambda x: x % 8 == 0, lambda x: x % 2 == 1)
        )
        assert 4 < fast / odd < 9
    copies = {name: recorded["copies"].points(name) for name in recorded["copies"].names}
    for way in ("to device", "to host"):
        pinned, pageable = copies[f"pinned, {way}"], copies[f"pageable, {way}"]
        assert pinned[-1][1] == pytest.approx(55e9, rel=0.01)
        assert 2**20 <= next(x for x, y in pinned if y > pinned[-1][1] / 2) <= 2 * 2**20
        assert 1 / 7.2 < pageable[-1][1] / pinned[-1][1] < 1 / 3.6
    best = {name: max(y for _, y in recorded["attention"].points(name)) / peak for name in recorded["attention"].names}
    assert best["flash forward"] == pytest.approx(0.35, abs=0.03) and best["cudnn forward"] == pytest.approx(
        0.7, abs=0.02
    )
    training = recorded["training"]
    assert all(0.285 <= max(y for _, y in training.points(name)) <= 0.475 for name in ("124M", "355M", "1.3B"))


def test_text_of_a_report_leaves_out_recorded_series(fake):
    own = measure.gpu_products([1024], backend=fake)
    text = measure.gpu_text(measure.GpuReport("Fake GPU", {"products": own, "triad": measure.recorded_gpu("triad")}))
    assert set(measure.read_gpu(text).series) == {"products"} and measure.read_gpu(text)["triad"].recorded
    assert [one.device for one in measure.recorded_gpus("triad")] == ["NVIDIA H100 80GB HBM3", "NVIDIA H200"]


def test_device_benchmark_without_a_device_says_why():
    with pytest.raises(measure.NoDevice, match="torch: .*; cupy: "):
        measure.device_benchmark(list)
    with pytest.raises(TypeError, match="call must be callable"):
        measure.device_benchmark([3])
