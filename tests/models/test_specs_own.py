"""Custom chips: they keep their figures, work wherever catalogue chips do, and refuse ambiguous units."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import roofline, specs
from tests.models.catalogue import ALL, EACH, PLAIN
from tests.tables import every_row

CARD = {"dense": {"bf16": "400 TFLOP/s"}, "memory": "48 GB", "memory_bandwidth": "0.9 TB/s"}


def own(name="My card", **changed):
    return specs.own(name, **{**CARD, **changed})


@EACH
def test_own_chips_with_equal_figures_are_equal(a):
    """Every chip of the catalogue, made again with `own`, keeps its figures."""
    again = specs.own(
        f"{a.name} again",
        dense={p: a.peak_flops_dense(p) for p in a.precisions_dense},
        sparse={p: a.peak_flops_sparse(p) for p in a.precisions_sparse},
        memory=f"{a.memory_bytes / 1e9:.12g} GB",
        memory_bandwidth=f"{a.memory_bandwidth / 1e12:.12g} TB/s",
        scale_up_one_way=a.scale_up_bandwidth_one_way,
        scale_up_link=a.scale_up_link,
        power=a.tdp_watts,
        boost_clock=a.boost_clock_hz,
        compute_units=a.compute_units,
        compute_unit=a.compute_unit,
        compute_capability=a.compute_capability,
        memory_type=a.memory_type,
        kind=a.kind,
        vendor=a.vendor,
        year=a.year,
    )
    for field in (*PLAIN, "vendor", "kind", "compute_unit", "precisions_dense", "precisions_sparse"):
        if field not in ("scale_up_links", "max_clock_hz", "peak_watts", "tdp_covers"):
            assert getattr(again, field) == getattr(a, field), field
    for p in a.precisions_dense:
        assert again.peak_flops_dense(p) == a.peak_flops_dense(p)
    ours, theirs = (specs.table([chip]).iloc[0, :-1] for chip in (a, again))
    assert ours.equals(theirs.rename(ours.name))


def test_text_and_numbers_say_the_same():
    assert own() == own(dense={" BF16": 400e12}, memory=48e9, memory_bandwidth=np.float64(0.9e12))
    assert own(scale_up_one_way="400 Gb/s").scale_up_bandwidth_both_ways == 100e9
    assert own(power="350 W").tdp_watts == own(power=350).tdp_watts == 350.0
    assert own(boost_clock="1.98 GHz").boost_clock_hz == 1.98e9
    assert own(dense={"int8": "800 TOP/s"}).peak_flops_dense("int8") == 800e12


def test_own_chips_with_other_peaks_differ():
    assert own() != own(dense={"bf16": "500 TFLOP/s"}) and len({own(), own()}) == 1
    assert all(a != own() for a in ALL)


def test_omitted_values_are_none():
    card = own()
    for field in PLAIN:
        assert getattr(card, field) in (None, "") or field.startswith("memory"), field
    assert card.precisions_sparse == ()
    with pytest.raises(specs.PrecisionNotSupported, match="it has bf16"):
        card.peak_flops_dense("fp8")
    with pytest.raises(ValueError, match="My card has no tdp_watts"):
        card.source("tdp_watts")


def test_each_value_is_given_by_you():
    card = own(power="350 W", sparse={"bf16": "800 TFLOP/s"})
    for key in (("memory_bytes",), ("tdp_watts",), ("peak_flops_dense", "bf16"), ("peak_flops_sparse", "bf16")):
        assert dataclasses.astuple(card.source(*key)) == ("given by you", "", "given", "")
    assert card.low_confidence == ()


def test_own_chip_appears_in_table():
    card = own("Fancy")
    assert specs.accelerator(card) is card
    shown = specs.table(["H100 SXM", card], ["peak_flops_dense:bf16", "memory_bandwidth", "year", "tdp_watts"])
    assert list(shown.index) == ["H100 SXM", "Fancy"]
    assert shown.loc["Fancy"].iloc[:2].tolist() == [400.0, 900.0] and shown.loc["Fancy"].iloc[2:4].isna().all()
    assert specs.table(card).index.tolist() == ["Fancy"]
    assert roofline.ridge_point(card.peak_flops_dense("bf16"), card.memory_bandwidth) == pytest.approx(400 / 0.9)
    assert "given by you</td>" in card._repr_html_() and "None" not in card._repr_html_() + repr(card)


@given(st.floats(1e6, 1e18), st.floats(1e6, 1e15))
def test_plain_numbers_are_kept(peak, bandwidth):
    card = own(dense={"fp16": peak}, memory_bandwidth=bandwidth)
    assert (card.peak_flops_dense("fp16"), card.memory_bandwidth) == (peak, bandwidth)


@every_row(
    ("changed", "error", "words"),
    [
        ({"dense": {"bf16": "400 T"}}, ValueError, r"dense\['bf16'\]: '400 T' is .*400 TFLOP/s"),
        ({"dense": {"bf16": "400 TB/s"}}, ValueError, r"dense\['bf16'\]: .* is in B/s, but FLOP/s is asked for"),
        ({"dense": {"int8": "400 TFLOP/s"}}, ValueError, "OP/s is asked for"),
        ({"dense": {"bf16": 400}}, ValueError, r"dense\['bf16'\] must be in FLOP/s, and 400 is too small"),
        ({"dense": {"bf16": 0}}, ValueError, "greater than zero"),
        ({"dense": {"bf16": "0 TFLOP/s"}}, ValueError, "greater than zero"),
        ({"dense": {"bf16": None}}, TypeError, r"dense\['bf16'\] must be a number or a string"),
        ({"dense": {"bf16": [1e12, 2e12]}}, TypeError, "must be a single number"),
        ({"dense": {"bf17": 1e12}}, ValueError, "dense must name precisions of .*bf16.*, got 'bf17'"),
        ({"dense": {16: 1e12}}, ValueError, "got 16"),
        ({"dense": {}}, ValueError, "at least one precision"),
        ({"dense": 400e12}, TypeError, "dense must give a peak for each precision"),
        ({"sparse": {"bf16": "200 TFLOP/s"}}, ValueError, "are the two exchanged"),
        ({"memory": 48}, ValueError, "memory must be in B, and 48 is too small"),
        ({"memory": "48 G"}, ValueError, "memory: '48 G' is ambiguous"),
        ({"memory": None}, TypeError, "memory must be a number or a string"),
        ({"memory": True}, TypeError, "memory must be a number"),
        ({"memory_bandwidth": "0.9 TB"}, ValueError, "memory_bandwidth: .* is in B, but B/s"),
        ({"memory_bandwidth": float("nan")}, ValueError, "memory_bandwidth must be finite"),
        ({"memory_bandwidth": -1e12}, ValueError, "greater than zero"),
        ({"scale_up_one_way": 50}, ValueError, "scale_up_one_way must be in B/s"),
        ({"scale_up_link": "NVLink 4"}, ValueError, "'NVLink 4' has no rate: give scale_up_one_way"),
        ({"scale_up_one_way": 50e9, "scale_up_link": 4}, TypeError, "scale_up_link must be a string, got 4"),
        ({"power": "350"}, ValueError, "power: '350' has no unit"),
        ({"compute_units": 1.5}, ValueError, "compute_units must be a whole number"),
        ({"year": 24}, ValueError, "year must be at least 1940"),
        ({"kind": "fpga"}, ValueError, "kind must be one of 'gpu', .*'cpu', got 'fpga'"),
        ({"vendor": None}, TypeError, "vendor must be a string"),
        ({"name": "h100-sxm"}, ValueError, "the catalogue has a H100 SXM: choose another name"),
        ({"name": " - "}, ValueError, "a letter or a digit"),
        ({"name": 5}, TypeError, "name must be a string, got 5"),
    ],
)  # fmt: skip
def test_own_refuses_bad_arguments(changed, error, words):
    with pytest.raises(error, match=words):
        own(**{"name": "My card", **changed})
