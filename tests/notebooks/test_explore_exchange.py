"""The explorer of compute against communication: what it says follows from two divisions."""

import itertools
import xml.etree.ElementTree as ElementTree
from math import log

import pytest

from chip2cluster import explore, specs, transformer
from chip2cluster.chapters.mfu.explorers.exchange import NETWORKS, STAGES, TOKENS
from tests.tables import every_row


def states():
    for tokens, network, chips in itertools.product(TOKENS[::3], NETWORKS, (2, 64, 16_384)):
        yield {"tokens": tokens, "network": network, "chips": chips}
    for kernels, wire, gradient in itertools.product((20, 100), (20, 100), (1, 2, 4)):
        yield {"kernels": kernels, "wire": wire, "gradient": gradient}


@every_row("values", list(states()))
def test_rows_follow_from_bytes_and_flop_over_rates(values):
    view = explore.exchange(**values)
    now, parameters = view.values, 8_030_261_248
    work = 6 * parameters * now["tokens"] / (989.4e12 * now["kernels"] / 100)
    ring = (now["chips"] - 1) / now["chips"] * parameters / (NETWORKS[now["network"]] * now["wire"] / 100)
    sent = {0: (0, 2 * now["gradient"]), 1: (2, now["gradient"]), 3: (2, 2 + now["gradient"])}
    for row, (forward, backward) in zip(view.table, sent.values(), strict=True):
        assert row["arithmetic (s)"] == pytest.approx(work) and row["exchange (s)"] == pytest.approx(
            ring * (forward + backward)
        )
        late = max(0, forward * ring - work / 3) + max(0, backward * ring - 2 * work / 3)
        assert row["stands out (s)"] == pytest.approx(late, abs=1e-12)
        assert row["busy (%)"] == pytest.approx(100 * work / (work + late))
        # At the threshold nothing stands out, and the sheet's threshold is the wire's share of it.
        scale = row["hidden from (tokens)"] / now["tokens"]
        assert max(forward * ring - scale * work / 3, backward * ring - scale * 2 * work / 3) == pytest.approx(
            0, abs=1e-9
        )
        assert row["at datasheet rate (tokens)"] == pytest.approx(row["hidden from (tokens)"] * now["wire"] / 100)


def test_the_published_threshold_of_an_h100():
    """J. Austin et al. 2025, chapter 12: 2,475 tokens over nodes, at the peak and the datasheet rate of the NICs."""
    view = explore.exchange(kernels=100, wire=100, chips=16_384)
    assert {round(row["hidden from (tokens)"], -1) for row in view.table} == {2470}


def test_the_surprises_of_the_page():
    start = explore.exchange()
    busy = [row["busy (%)"] for row in start.table]
    assert busy[0] > busy[2] and len({round(row["hidden from (tokens)"]) for row in start.table}) == 1
    assert explore.exchange(gradient=4).table[0]["hidden from (tokens)"] == pytest.approx(
        2 * start.table[0]["hidden from (tokens)"]
    )
    assert explore.exchange(kernels=100).table[0]["busy (%)"] < start.table[0]["busy (%)"]
    assert "the network sets the pace" in start.alt and "the exchange is hidden" in start.set(tokens=2048).alt


def test_a_chip_a_model_and_a_network_of_ones_own():
    mine = specs.own("Mine", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")
    small = transformer.Config(layers=24, d_model=2048, heads=16, vocab_size=50304)
    view = explore.exchange(chip=mine, model=small, bandwidth="12.5 GB/s", kernels=50, wire=100, chips=2)
    assert view.values["network"] == "yours" and view.values["chip"] == "Mine"
    assert view.table[0]["hidden from (tokens)"] == pytest.approx(0.5 * 400e12 / 12.5e9 / 2)
    assert "2 Mine, 100 % of 12.5 GB/s" in view.current.table.caption and "your model" in view.alt
    assert "yours: 12.5 GB/s" in view.content()["controls"][2]["texts"]
    assert view.set(chip="B200").table[0]["hidden from (tokens)"] > 4 * 8000
    assert "<table>" in view.still()
    view = explore.exchange(3000, chips=96, kernels=43, wire=82)
    assert view.values["tokens"] == 3000 and view.set(tokens=4096).set(tokens=3000).values["chips"] == 96
    assert 96 in view.controls[3].options and list(view.controls[3].options) == sorted(view.controls[3].options)
    # The next one has nothing of it.
    assert 96 not in explore.exchange().controls[3].options
    assert "yours" not in explore.exchange().controls[2].options


def test_a_bandwidth_counts_as_the_sheets_unless_measured():
    view = explore.exchange(chip="B200", bandwidth="25 GB/s")
    assert "20.0 GB/s each way" in view.current.picture.svg
    assert view.sentence.endswith("Your 25.0 GB/s counts as a sheet's rate; if you measured it, set the wire to 100 %.")
    assert "Your" not in explore.exchange(bandwidth="25 GB/s", wire=100).sentence
    assert "Your" not in view.set(network="NVLink 4, one node").sentence


@pytest.mark.parametrize("values", [{}, {"stage": 1}, {"wire": 60, "kernels": 100}], ids=str)
def test_curves_bend_where_the_exchange_is_hidden(values):
    view = explore.exchange(**values)
    tops = []
    for line in ElementTree.fromstring(view.current.picture.svg).iter("{http://www.w3.org/2000/svg}polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        if len(points) > 100:
            highest = min(y for _, y in points)
            tops.append(next(x for x, y in points if y == highest))
    row = view.table[view.current.table.marked]
    expected = [
        52 + (580 - 52) * log(row[name] / 64) / log(262_144 / 64)
        for name in ("at datasheet rate (tokens)", "hidden from (tokens)")
    ]
    assert tops[:2] == pytest.approx(expected, abs=0.2)


def test_experts_need_more_tokens():
    """The same book: by the factor of all over active parameters."""
    deepseek = transformer.model("DeepSeek-V3").config
    factor = transformer.parameters(deepseek) / transformer.active_parameters(deepseek)
    dense, experts = (
        explore.exchange(model=name).table[0]["hidden from (tokens)"] for name in ("Llama 3 8B", "DeepSeek-V3")
    )
    assert experts / dense == pytest.approx(factor) and factor > 15


@every_row(
    "given, error, says",
    [
        ({"tokens": 1e7}, ValueError, "tokens must be from 64 to 262,144"),
        ({"tokens": 100.5}, ValueError, "tokens must be a whole number"),
        ({"chips": 1}, ValueError, "chips must be at least 2"),
        ({"kernels": 101}, ValueError, "kernels must be from 1 to 100"),
        ({"stage": 2}, ValueError, "stage must be one of 0, 1, 3"),
        ({"chip": "V100 SXM2"}, ValueError, "no dense peak for 'bf16'"),
        ({"bandwidth": 50}, ValueError, "too little: write a text with its unit"),
        ({"bandwidth": "50 FLOP/s"}, ValueError, "bandwidth"),
        ({"bandwidth": -1e9}, ValueError, "bandwidth"),
        ({"bandwidth": True}, TypeError, "bandwidth"),
        ({"model": 7e9}, TypeError, "model must be"),
    ],
)
def test_what_cannot_be_is_refused(given, error, says):
    with pytest.raises(error, match=says):
        explore.exchange(**given)


def test_the_stages_have_their_names():
    assert list(STAGES) == [0, 1, 3] and all(name in explore.exchange().still() for name in STAGES.values())
