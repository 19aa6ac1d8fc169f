"""Validation against measurements: sources of rows, held-out rows, predictions by hand, and declared bands."""

import json
from math import isfinite
from statistics import median

import pytest

from chip2cluster import economics, links, reality, roofline, transformer
from chip2cluster.reality import comparison, measurement_tables
from chip2cluster.reality.expectation import constants
from tests.models.reality_helpers import KINDS, held_out

LAYOUT = "200 billion parameters, DP 12, TP 8, PP 4, micro-batch 1, batch 2,040"  # of BLOOM's first day
named = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


# What is compared


def test_many_measurements_of_many_kinds():
    assert len(KINDS) >= 8
    assert reality.errors()["count"] == sum(len(held_out(kind)) for kind in KINDS if kind.forecasts) >= 150
    # Few publications of whole training runs and their footprints disclose enough.
    few = {"hours": 26, "footprint": 23}
    assert all(len(held_out(kind)) >= few.get(kind.name, 30) for kind in KINDS)
    assert {kind.family for kind in KINDS} == {"wires", "memory", "arithmetic", "training", "serving"}


@named
def test_every_row_has_a_source_and_a_number(kind):
    ids = [row.id for row in kind.rows]
    assert len(set(ids)) == len(ids)
    for row in kind.rows:
        source = row.publication
        assert source.title and source.measured_by and source.date and source.licence
        assert source.address.startswith("https://") or (not row.counts and source.address.startswith("bibliography"))
        assert source.confidence in ("A", "B")
        assert row.label and row.system and row.software and row.measured > 0


@named
def test_no_duplicate_rows(kind):
    seen = [(row.system, row.label, json.dumps(dict(row.given), sort_keys=True), row.measured) for row in kind.rows]
    assert len(set(seen)) == len(seen)


def test_figures_match_their_sources():
    """By hand from the pages: NVLink pairs of the A100, ring and switch on eight H200, FlashAttention-3, PaLM."""
    measured = {(row.system, row.label): row.measured for kind in KINDS for row in kind.rows}
    assert measured["8 x A100 SXM, mean of all pairs", "8 x A100 SXM, mean of all pairs"] == 274.3e9
    assert measured["8 x H200, one node", "16 GiB"] == pytest.approx(482.26e9)
    assert measured["8 x H200, one node", "all-reduce without NVLS, 16 GiB"] == pytest.approx(367.2e9)
    assert measured["H100 SXM5, FlashAttention-3, causal", "8,192 tokens, head 128"] == 602e12
    assert measured["2 x AWS p4de: 16 A100", "64 KiB"] == pytest.approx(227.4e-6)
    assert measured["384 A100 80GB, Jean Zay", LAYOUT] == 91.67e12
    assert measured["H100, MLPerf Training v3.1", "GPT-3 175B on 512, NVIDIA"] == 728e12
    assert measured["MI300A", "read only"] == 2688e9
    assert measured["6,144 TPU v4 and 2,240 A100", "PaLM 540B"] == pytest.approx(0.462)
    assert measured["2 nodes of 4 H100, 4 x 200 Gb/s a node", "8 B"] == pytest.approx(18.18e-6)


def test_rates_follow_from_tokens():
    for row in reality.kind("training").rows:
        if "tokens_per_second" in row.given:
            config = transformer.model(row.given["model"]).config
            work = transformer.training_flops_per_token(config, row.given["sequence"], row.given["count"])
            assert row.measured == pytest.approx(row.given["tokens_per_second"] * work, rel=1e-3)


# What is fitted, and that it never counts


@named
def test_only_held_out_rows_count(kind):
    fitted = {row.id for row in kind.rows if row.fitted}
    aside = {row.id for row in kind.rows if row.uncounted}
    counted = {point.row.id for point in held_out(kind)}
    assert counted.isdisjoint(fitted | aside) and fitted | aside | counted == {row.id for row in kind.rows}
    assert reality.errors(kind.name)["count"] == len(counted)
    assert reality.points(kind.name)["counts"].sum() == len(counted)
    assert fitted.isdisjoint(point.row.id for point in reality.worst(10_000, kind.name))
    assert bool(fitted) == bool(reality.fitted(kind.name)) and (kind.fitted == "nothing") <= (not fitted)


@named
def test_held_out_rows_do_not_change_fitted_parameters(kind):
    """Halving the measured values of held-out rows changes no prediction."""
    before = [point.predicted for point in reality.records(kind.name)]
    text = json.loads((measurement_tables.FOLDER / f"{kind.name}.json").read_text(encoding="utf-8"))
    for table in text["tables"]:
        where = table["columns"].index("measured")
        for place, row in enumerate(table["rows"]):
            if place not in table.get("fit", ()):
                row[where] *= 0.5
    changed = measurement_tables.read(kind.name, text)
    predictor = comparison._predictor(kind.name)
    numbers = predictor.fit([row for row in changed.rows if row.fitted]) if hasattr(predictor, "fit") else {}
    assert numbers == reality.fitted(kind.name)
    assert [predictor.predict(row, numbers) for row in changed.rows] == before


def test_fitted_parameters_match_their_rows():
    rows = [row for row in reality.kind("triad").rows if row.fitted]
    assert len(rows) == 18 and {row.system for row in rows} == {
        "V100 (PCIe or SXM not stated)",
        "A100 40 GB",
        "A100 80 GB",
    }
    assert reality.fitted("triad")["share"] == median(row.measured / row.given["sheet"] for row in rows)
    best = {
        row.given["chip"]: row.measured for row in reality.kind("gemm").rows if row.fitted and row.measured < 900e12
    }
    assert reality.fitted("gemm")["A100 SXM 80GB bf16"] == best["A100 SXM 80GB"] == 271.2e12


# Predictions


@named
def test_predictions_are_finite_and_plausible(kind):
    for point in reality.records(kind.name):
        assert isinstance(point.predicted, float) and isfinite(point.predicted) and point.predicted > 0
        assert point.factor == max(point.ratio, 1 / point.ratio) and point.factor < 10


def test_no_run_exceeds_the_inter_node_links():
    """Without the start-up time the prediction is an upper bound."""
    predict = comparison._predictor("nodes").predict
    for row in reality.kind("nodes").rows:
        assert predict(row, {"level": 0.0}) > 0.98 * row.measured, row.id


def test_bounds_are_not_exceeded():
    for kind in KINDS:
        if kind.how == "bound":
            assert min(point.ratio for point in held_out(kind)) > 0.95


def test_all_reduce_over_nodes_by_hand():
    """Four nodes of eight: each node sends 2 * 31 / 32 of the message; 90 % of 400 GB/s, and two levels."""
    level, row = reality.fitted("nodes")["level"], "b200-stas-8"
    share = reality.fitted("nodes")["fraction of the rate"]
    assert share == pytest.approx(0.90, abs=0.005)
    network = share * 400e9
    seconds = 2**34 * 2 * 31 / 32 / network + 2 * level
    predicted = {point.row.id: point.predicted for point in reality.records("nodes")}
    assert predicted[row] == pytest.approx(2**34 * 2 * 31 / 32 / seconds)


def test_accounting_agrees_to_a_few_percent():
    """All but three footprints, which omit the PUE or cannot be reproduced."""
    points = [point for kind in KINDS if kind.how == "accounting" for point in held_out(kind)]
    slips = [point for point in points if point.row.table == "luccioni"]
    assert all(point.factor < 1.03 for point in points if point not in slips)
    assert len(slips) == 3 and all(1.05 < point.factor < 1.11 and point.why for point in slips)


def test_predictions_by_hand():
    predicted = {(point.row.system, point.row.label): point.predicted for point in reality.records()}
    wire = links.rates("NVLink 3")
    assert wire.payload_one_way / wire.sheet_one_way == 0.8  # 32 bytes on 128
    assert predicted["8 x A100 SXM, mean of all pairs", "8 x A100 SXM, mean of all pairs"] == pytest.approx(
        300e9 * 256 / 272  # a header of 16 bytes
    )
    share = reality.fitted("triad")["share"]
    assert predicted["8 x H200, one node", "all-gather, 16 GiB"] == pytest.approx(370.8e9, rel=0.001)
    assert predicted["H100 SXM", "triad"] == pytest.approx(share * 3350e9)
    kernel = roofline.attention_prefill(8192, 16, 128, batch=2, fused=False)
    copies = 6 * 2 * 2 * 8192 * 16 * 128  # queries, keys and values, read and written once more
    by_hand = kernel.flops / ((kernel.bytes_moved + copies) / (share * 3.35e12))
    assert predicted["H100 SXM, Azure", "standard attention, 8192 tokens"] == pytest.approx(by_hand)


def test_hours_of_a_training_run_by_hand():
    """LLaMA 65B took 1.43 times what 6 P D at the speed of shorter runs takes; Llama 3.1 405B is forecast with that."""
    width = 128 * round((65.2e9 / (12 * 128**2)) ** (1 / 3))  # 8,832; LLaMA 65B has 8,192
    law = constants.load()["kinds"]["training_step"]["shared"]
    slower = 1 / reality.fitted("training")["A100 SXM 80GB bf16"] + law["width"] * 312e12 / (width * 2.039e12)
    kept = 6 * 65.2e9 * 1.4e12 / 312e12 * slower / (1_022_362 * 3600)
    assert reality.fitted("hours") == {"kept": pytest.approx(kept)}
    largest = next(point for point in reality.records("hours") if point.row.label == "Llama 3.1 405B")
    width = 128 * round((405e9 / (12 * 128**2)) ** (1 / 3))  # 16,256; Llama 3.1 405B has 16,384
    share = 1 / (1 / reality.fitted("training")["H100 SXM bf16"] + law["width"] * 989.4e12 / (width * 3.35e12))
    assert largest.predicted == pytest.approx(6 * 405e9 * 15.6e12 / (989.4e12 * share) / kept)


def test_hours_and_tonnes_match_audited_runs():
    """Figures that are in two files agree."""
    runs = {run.model: run.claim for run in economics.published_runs()}
    for row in reality.kind("footprint").rows:
        claim = runs.get(row.label) or runs[f"{row.label}, A100"]
        assert claim.carbon_kg == pytest.approx(row.measured)
        printed = claim.facility_joules or claim.it_joules or claim.device_joules
        given = row.given["mwh"] or row.given["before_mwh"] or row.given["hours"] * row.given["watts"] / 1e6
        assert printed == pytest.approx(3.6e9 * given) and claim.grams_per_kwh == pytest.approx(row.given["grams"])
    names = {"BLOOM 176B": "BLOOM 176B, dynamic", "DeepSeek-V3, pre-training": "DeepSeek-V3 pre-training"}
    for row in reality.kind("hours").rows:
        if row.table not in ("pythia", "deepseek2"):
            assert runs[names.get(row.label, row.label)].device_seconds == pytest.approx(row.measured), row.label
    pythia = [row.measured for row in reality.kind("hours").rows if row.table == "pythia"]
    assert sum(pythia) == pytest.approx(136_070 * 3600)  # as its paper adds them up


def test_memory_of_sharded_llama_by_hand():
    """16 bytes over 128 ranks; the input, attention and products 1, 3, 5, 7 of 32 layers; 12 bytes a logit; one layer."""
    tokens, width, hidden = 2 * 8192, 4096, 14336
    kept = 2 * (width + width + 1024 + width + hidden + width)
    layer = 2 * (4 * width + width + 2 * 1024 + width + 3 * hidden)
    ends = 2 * 2 * width + 12 * 128_256
    by_hand = 16 * 8030261248 / 128 + tokens * (32 * kept + layer + ends)
    predicted = {point.row.label: point.predicted for point in reality.records("memory")}
    assert predicted["Llama 3.1 8B on 128, 8,192 tokens, FSDP"] == pytest.approx(by_hand, rel=1e-9)


def test_fused_attention_by_hand():
    """FlashAttention-2, 8,192 tokens, 16 heads of 128, 2 prompts: products, 3.9e12 exponentials a second, 16 rounds."""
    numbers = reality.fitted("attention")
    scores = 2 * 16 * 8192**2
    seconds = 512 * scores / (numbers["FA2"] * 989.4e12) + scores / 3.9e12 + 16 * numbers["start"]
    predicted = {point.row.id: point.predicted for point in reality.records("attention")}
    assert predicted["fa3-fwd-d128-fa2-4"] == pytest.approx(512 * scores / seconds, rel=1e-4)
    assert 0.5e-6 < numbers["start"] < 5e-6 and all(numbers[kernel] < 1 for kernel in ("FA2", "FA3", "Triton", "cuDNN"))


def test_gemm_of_one_wave_by_hand():
    """64 x 7,168 x 16,384 with tiles of 64 x 64: 112 blocks on 132; loads against arithmetic, then store and start."""
    numbers, memory = reality.fitted("gemm"), reality.fitted("triad")["share"] * 3.35e12
    m, n, k = 64, 7168, 16384
    arithmetic = 2 * m * n * k / (numbers["H100 SXM fp8"] * 112 / 132)
    seconds = max((m * k + k * n) / memory, arithmetic) + 2 * m * n / memory + numbers["start"]
    predicted = {point.row.id: point.predicted for point in reality.records("gemm")}
    assert predicted["deepgemm-dense-3"] == pytest.approx(2 * m * n * k / seconds, rel=1e-9)
    assert 1e-6 < numbers["start"] < 10e-6


# Bands


@named
def test_bands_are_equal_and_wider_for_training_runs(kind):
    assert (kind.band.within, kind.band.share) == (1.5, 0.9)
    assert kind.band.median_factor == (1.25 if kind.name in ("training", "pipeline", "hours", "designs") else 1.15)
    assert kind.band.because


@named
def test_kinds_meet_bands_as_declared(kind):
    factors = [point.factor for point in held_out(kind)]
    inside = median(factors) <= kind.band.median_factor
    inside &= sum(factor <= kind.band.within for factor in factors) >= kind.band.share * len(factors)
    assert inside == kind.meets == reality.in_band(kind.name), f"{kind.name}: declared {kind.meets}, found {inside}"
    assert bool(kind.reason) != kind.meets


def test_misses_have_reasons():
    assert any(not kind.meets for kind in KINDS)  # a page without a miss would be hiding some
    table = reality.misses()
    assert list(table.index) == [kind.title for kind in KINDS]
    assert all(table["why"])
    shown = reality.summary()
    assert (shown["in its band"] == "no").sum() == sum(not kind.meets for kind in KINDS)
    assert shown["forecasts"].sum() == reality.errors()["count"]


def test_reasons_match_the_direction_of_the_miss():
    """One product of DeepGEMM is forecast too low: that starting a kernel takes time does not explain it."""
    for kind in KINDS:
        for point in reality.records(kind.name):
            assert point.why == point.row.why.get("high" if point.predicted > point.row.measured else "low", "")


# A constant in the place of the model


def test_constant_is_the_best_fraction():
    """No other share of the same quantity brings the median of the logarithms nearer to nothing."""
    for kind in KINDS:
        rival = reality.constant(kind.name)
        if rival is None:
            assert not kind.forecasts
            continue
        assert rival["median_factor"] >= 1 and 0 <= rival["share_within"] <= 1 and rival["share"] > 0
    rows = [point.row for point in held_out(reality.kind("triad"))]
    assert reality.constant("triad")["share"] == median(row.measured / row.given["sheet"] for row in rows)


def test_constant_wins_where_declared():
    rivals = {kind.name: (reality.constant(kind.name), reality.errors(kind.name)) for kind in KINDS if kind.forecasts}
    nearer = {name for name, (rival, model) in rivals.items() if rival["median_factor"] < model["median_factor"]}
    oftener = {name for name, (rival, model) in rivals.items() if rival["share_within"] > model["share_within"]}
    assert nearer & oftener == set()
    assert nearer ^ oftener == {"pipeline", "ring", "links", "triad"}


def test_checkpoint_writers_of_a_node_share_and_nodes_add():
    """TorchSnapshot on Lustre: 8 writers of one node are 1.9 times as fast as one; two nodes twice as fast as one."""
    fitted = reality.fitted("checkpoint")
    rates = {
        one.row.given["writers"]: 20e9 / one.predicted
        for one in reality.records("checkpoint")
        if one.row.table == "snapshot-lustre"
    }
    assert rates[8] / rates[1] == pytest.approx(14.52 / 7.61)
    assert rates[16] == pytest.approx(2 * rates[8]) and rates[32] == pytest.approx(4 * rates[8])
    assert rates[8] < fitted["snapshot-lustre, node"] and rates[1] < fitted["snapshot-lustre, writer"]
    found = reality.errors("checkpoint")
    assert found["median_factor"] < 1.4 and found["share_within"] > 0.55
