"""Accelerators as objects, and tables of them."""

import copy
import dataclasses
import math
import pickle
import subprocess
import sys

import pytest

from chip2cluster import specs
from tests.models.catalogue import ALL, EACH, PLAIN
from tests.tables import every_row


def test_frozen_and_hashable():
    a = specs.accelerator("B200")
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.memory_bytes = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.source("year").note = ""
    with pytest.raises(TypeError):
        a.compute_unit_counts["SM"] = 1
    assert len(set(ALL)) == len(ALL)


def test_replaced_accelerators_compare_by_value():
    a = specs.accelerator("B200")
    assert pickle.loads(pickle.dumps(a)) == copy.deepcopy(a) == a
    faster = dataclasses.replace(a, memory_bandwidth=9e12)
    assert copy.deepcopy(faster).memory_bandwidth == 9e12 and faster != a


def test_repr_is_short_and_names_low_confidence():
    assert (
        repr(specs.accelerator("H100 SXM")) == "<H100 SXM: NVIDIA 2022; 989 TFLOP/s bf16 dense; 80 GB HBM3; 3.35 TB/s>"
    )
    assert "low confidence" in repr(specs.accelerator("B300")) and "fp4 dense" in repr(specs.accelerator("B300"))
    assert repr(specs.accelerator("Ascend 910B")).endswith("low confidence: every value>")
    assert all(len(repr(a)) < 200 and ("low confidence" in repr(a)) == bool(a.low_confidence) for a in ALL)


@EACH
def test_html_shows_every_value_with_its_confidence(a):
    page = a._repr_html_()
    assert page.startswith("<table>") and page.endswith("</table>")
    body = page.split("<tbody>")[1]
    assert body.count(">low</td>") == len(a.low_confidence)
    assert body.count("<tr>") >= len(a.precisions_dense) + len(a.precisions_sparse) + 8


def test_default_table():
    t = specs.table()
    assert list(t.index) == [a.name for a in ALL] and t.index.name == "accelerator"
    assert list(t.columns) == [
        "vendor", "year", "fp16 dense (TFLOP/s)", "bf16 dense (TFLOP/s)", "fp8 dense (TFLOP/s)", "memory (GB)",
        "memory bandwidth (GB/s)", "scale-up one way (GB/s)", "TDP (W)", "low confidence",
    ]  # fmt: skip
    assert set(t.select_dtypes("number").columns) == set(t.columns) - {"vendor", "low confidence"}
    assert t.loc["H100 SXM", "bf16 dense (TFLOP/s)"] == 989.4
    assert math.isnan(t.loc["V100 SXM2", "bf16 dense (TFLOP/s)"])
    assert math.isnan(t.loc["TPU v5e", "TDP (W)"])
    assert t.loc["B300", "low confidence"] == "memory, TDP"
    assert t.loc["H100 SXM", "low confidence"] == ""


def test_table_of_chosen_rows_and_columns():
    t = specs.table(iter(["mi300x", "B200"]), ("peak_flops_sparse:INT8", "scale_up_link", "compute_unit_counts:XCD"))
    assert list(t.columns) == ["int8 sparse (TOP/s)", "scale-up link", "XCD", "low confidence"]
    assert list(t.index) == ["MI300X", "B200"]
    assert t["XCD"].iloc[0] == 8 and math.isnan(t["XCD"].iloc[1])
    assert t.loc["B200", "scale-up link"] == "NVLink 5"
    assert specs.table("B200", "boost_clock_hz").iloc[0, 0] == 1965.0


def test_every_field_can_be_a_column_and_agrees_with_the_object():
    t = specs.table(fields=["id", "kind", "compute_unit", *PLAIN])
    for a in ALL:
        assert t.loc[a.name, "memory (GB)"] * 1e9 == pytest.approx(a.memory_bytes)
        pair = a.scale_up_bandwidth_one_way or math.nan, a.compute_units or math.nan
        shown = t.loc[a.name, "scale-up both ways (GB/s)"] / 2e-9, t.loc[a.name, "compute units"]
        assert shown == pytest.approx(pair, nan_ok=True)


@every_row(
    ("fields", "error", "words"),
    [
        ("memory", ValueError, "no field 'memory'; there are id, .*memory_bytes, .*peak_flops_dense:name"),
        ("peak_flops_dense", ValueError, "peak_flops_dense:name"),
        ("peak_flops_dense:fp12", ValueError, "no accelerator has 'peak_flops_dense:fp12'; .*bf16"),
        ("memory_bytes:x", ValueError, "no field"),
        ("vendor:", ValueError, "no field"),
        ([3], TypeError, "a field must be a string, got 3"),
        (3, TypeError, "fields must be a name or several, got 3"),
    ],
)
def test_table_refuses_fields(fields, error, words):
    with pytest.raises(error, match=words):
        specs.table("B200", fields)


def test_table_refuses_names():
    with pytest.raises(specs.UnknownAccelerator, match="fits"):
        specs.table(["B200", "H100"])
    with pytest.raises(TypeError, match="names must be"):
        specs.table(5)
    assert specs.table([]).empty


def test_the_catalogue_itself_needs_neither_numpy_nor_pandas():
    code = "import sys; from chip2cluster import specs; print(specs.accelerator('B200').name, *{'numpy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["B200"]
