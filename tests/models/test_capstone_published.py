"""Published training runs, the fitted kernel shares, and a reference design space."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from chip2cluster import capstone, economics, parallelism, reality, reliability, specs, transformer
from chip2cluster.reality.predictors import designs

DAY = 86400.0
HOURS = {"DeepSeek-V3": "cost-dsv3-pre", "Llama 3.1 405B": "llama31-405b", "MPT 7B": "cost-mpt7b", "PaLM 540B": "palm"}
STORED = json.loads((Path(capstone.__file__).parents[1] / "data/kernel_shares.json").read_text(encoding="utf-8"))


@cache
def points():
    return [point for point in reality.records("designs") if point.row.counts]


def test_at_least_twelve_published_systems():
    systems = {(point.row.given.get("model") or point.row.given["layers"], point.row.system) for point in points()}
    assert len(systems) >= 12
    assert len({point.row.table for point in points()}) >= 12
    assert {point.row.publication.measured_by.split(",")[0] for point in points()} >= {
        "MosaicML (Databricks)",
        "BigScience",
        "Meta",
    }
    largest = max(point.row.given["devices"] for point in points())
    assert largest == 16384


def test_whole_run_rates_follow_from_hours_and_tokens():
    whole = [row for row in reality.kind("designs").rows if row.given.get("whole")]
    assert [row.given["model"] for row in whole] == ["DeepSeek-V3", "Llama 3.1 405B", "MPT 7B", "PaLM 540B"]
    for row in whole:
        config = transformer.model(row.given["model"]).config
        work = row.given["tokens"] * transformer.training_flops_per_token(config, row.given["sequence"], "megatron")
        assert row.measured == pytest.approx(work / (row.given["chip_hours"] * 3600), rel=1e-3)
        printed = economics.published_run(HOURS[row.given["model"]]).claim.device_seconds  # same numbers as economics
        assert row.given["chip_hours"] * 3600 == printed


def test_stored_kernel_shares_match_their_runs():
    fitted = reality.fitted("designs") | {
        f"{chip} bf16": reality.fitted("training")[f"{chip} bf16"] for chip in ("TPU v5e", "TPU v5p")
    }
    stored = {f"{row['chip']} {row['precision']}": row["share"] for row in STORED["shares"]}
    assert stored == {key: round(share, 3) for key, share in fitted.items()}
    assert {f"{one.chip} {one.precision}": one.share for one in capstone.kernel_shares()} == stored


def test_four_of_five_published_runs_are_within_spread():
    spread = capstone.kernel_share(specs.accelerator("H100 SXM")).spread
    inside = [point.factor <= spread for point in points()]
    assert sum(inside) / len(inside) >= 0.8
    narrow = [point.factor <= 1.15 for point in points()]
    assert sum(narrow) / len(narrow) < 0.8  # and the interval is not much too wide


def test_published_layouts_over_fastest_layout():
    longer = []
    for point in points():
        row, given = point.row, designs._design(point.row.given) if "global_batch" in point.row.given else None
        if given is not None and given.layout is not None:
            share = reality.fitted("designs")[designs._key(row)]
            longer.append(designs._rate(row, share, replace(given, layout=None)) / row.measured)
    longer.sort()
    assert (longer[len(longer) // 2], longer[len(longer) * 9 // 10]) == pytest.approx(
        capstone.kernel_efficiency.CHOSEN, abs=0.02
    )
    assert sum(one < 0.8 for one in longer) <= 1  # hardly any was much faster than the model's fastest


def test_model_beats_a_constant_mfu():
    rival, mine = reality.constant("designs"), reality.errors("designs")
    assert mine["median_factor"] < rival["median_factor"] and mine["share_within"] > rival["share_within"]


def test_kernel_share_at_512_chips_predicts_10000():
    scaling = [point for point in points() if point.row.table == "mlperf-v3.1"]
    assert [point.row.given["devices"] for point in scaling][-1] == 10752
    assert all(point.factor < 1.06 for point in scaling)  # layouts that fit 85.5e9 bytes, 1.05 for 80e9
    measured = [point.row.measured for point in points() if point.row.table == "mlperf-v5.0"]
    predicted = [point.predicted for point in points() if point.row.table == "mlperf-v5.0"]
    assert predicted[-1] / predicted[0] == pytest.approx(measured[-1] / measured[0], rel=0.05)  # 512 to 8,192


def test_llama_3_405b_speed_interruptions_and_days():
    row = next(row for row in reality.kind("designs").rows if row.label == "Llama 3.1 405B on 16,384 H100")
    out = designs.outcome(row, reality.fitted("designs")["H100 SXM bf16"])
    assert 0.38 <= out.mfu <= 0.43
    stopped = capstone.FailureRates(node_mtbf=54 * DAY * 2048 / 466)  # planned stops as well
    layout = parallelism.Layout(tensor=8, pipeline=16, data=128, chunks=7, zero_stage=2)
    design = capstone.Design(chip="H100 SXM", nodes=2048, spares=64, layout=layout, storage_bytes_per_second=2e12)
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, failures=stopped)
    all_stops = capstone.evaluate(design, scenario)
    assert all_stops.goodput > 0.90  # as published, although each stop is assumed to take ten minutes
    assert 54 * DAY / all_stops.mtbf == pytest.approx(466)
    days = all_stops.interval("days")
    assert days[0] < 30.84e6 / 16384 / 24 < days[1]  # GPU hours of the model card


def test_default_failure_rate_is_that_of_llama_3():
    mine = capstone.FailureRates().node_mtbf
    assert 2048 * 54 * DAY / mine == pytest.approx(419)
    others = [1 / rate.failures_per_node_second / mine for rate in reliability.observed_rates()]
    assert min(others) < 0.3 and max(others) > 1.5


def test_reference_design_space_optimum():
    """An independent, simple model enumerated 14,400 designs: B200, 16 nodes, no TP and no PP, 3.34 days.

    Adopted from it: fraction of peak (0.58 for all chips), failure rate (4 in 1,000 node-days), 14 bytes per parameter.
    Not adopted: no recomputation, no memory for activations, no attention FLOPs, 605,000 dollars for a B200 node, no spares.
    """
    scenario = capstone.Scenario(
        model="Llama 3 8B", tokens=1e12, global_batch=512, capital_dollars=12e6, watts=600e3, deadline_seconds=60 * DAY,
        kernel_share=0.58, prices=capstone.Prices(node=285e3),
        failures=capstone.FailureRates(node_mtbf=1.35e6 * 16, restart_seconds=600),
    )  # fmt: skip
    found = capstone.evaluate_many(
        capstone.grid(
            scenario, chips=["A100 SXM 80GB", "H100 SXM", "B200"], nodes=[1, 2, 4, 8, 16, 32, 40, 48, 56, 64], spares=[None],
            nics=[25e9, 50e9], storages=[20e9, 100e9], asynchronous=[True, False], recomputes=["selective"],
        ),
        scenario,
    )  # fmt: skip
    front = capstone.frontier(found)
    best = found.outcome(front[0])
    assert (best.design.chip, best.design.nodes, best.layout.tensor, best.layout.pipeline) == ("B200", 16, 1, 1)
    assert best.mtbf == pytest.approx(1.35e6)
    terms = {term.name: term.seconds for term in best.terms}
    counted = 6 * transformer.parameters(scenario.config) * scenario.tokens_per_step / best.design.devices / 2250e12
    more = (terms["arithmetic"] + terms["recomputation"]) / counted  # attention, head and recomputation
    assert best.days / more == pytest.approx(3.344, rel=0.02)
    assert best.goodput == pytest.approx(0.998, abs=0.002)
    on_storage = replace(best.design, storage_bytes_per_second=100e9)
    assert capstone.evaluate(on_storage, scenario).persist_seconds == pytest.approx(1.1242, rel=1e-3)
    assert best.capital_dollars == pytest.approx(9.68e6, rel=0.1)
    assert best.watts == pytest.approx(286e3, rel=0.2)
    assert {found.designs[number].nodes for number in front} >= {16, 8}  # same as on the reference frontier
