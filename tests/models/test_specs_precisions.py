"""Precisions and sources: spelling, refusals, messages."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import specs
from tests.models.catalogue import ALL, dense
from tests.tables import every_row


def sparse(name, precision):
    return specs.accelerator(name).peak_flops_sparse(precision)


@pytest.mark.parametrize("precision", ["BF16", " bf16 ", "Bf16\n"])
def test_precision_spelling(precision):
    assert dense("A100 80GB", precision) == 312e12
    assert sparse("A100 80GB", precision) == 624e12


@every_row(
    ("name", "kind", "precision", "words"),
    [
        ("A100 80GB", "dense", "fp8", ["A100 SXM 80GB", "dense", "'fp8'", "bf16, fp16, int8, int4"]),
        ("V100", "dense", "bf16", ["V100 SXM2", "'bf16'", "FP16 only", "fp64, fp32, fp16, int8"]),
        ("B300", "dense", "int8", ["'int8'", "cut the INT8 units", "fp4"]),
        ("RTX PRO 6000 Server", "dense", "bf16", ["Server Edition", "it has fp64, fp32"]),
        ("RTX PRO 6000 Server", "dense", "fp4", ["it has fp64, fp32"]),
        ("RTX PRO 6000 Server", "sparse", "bf16", ["sparse", "it has fp4"]),
        ("MI355X", "sparse", "fp4", ["it has bf16, fp16, fp8, int8"]),
        ("H100 SXM", "sparse", "fp32", ["it has tf32, bf16, fp16, fp8, int8"]),
        ("TPU v4", "sparse", "bf16", ["no sparse peak", "nor for any other precision", "dense it has bf16, int8"]),
        ("H100 SXM", "dense", "float16", ["'float16'", "fp16"]),
        ("H100 SXM", "dense", "", ["''", "bf16"]),
    ],
)
def test_unsupported_precision_names_the_choices(name, kind, precision, words):
    with pytest.raises(specs.PrecisionNotSupported) as error:
        getattr(specs.accelerator(name), f"peak_flops_{kind}")(precision)
    for word in words:
        assert word in str(error.value)


@every_row("name", ["V100", "TPU v5p", "Gaudi 3", "MI250X", "Trainium1", "Ascend 910B"])
def test_sparse_peak_does_not_fall_back_to_dense(name):
    for precision in specs.accelerator(name).precisions_dense:
        with pytest.raises(specs.PrecisionNotSupported, match="no sparse peak"):
            sparse(name, precision)


@every_row("precision", [None, 16, True, ["bf16"], b"bf16", math.nan])
def test_precision_is_text(precision):
    for method in (ALL[0].peak_flops_dense, ALL[0].peak_flops_sparse):
        with pytest.raises(TypeError, match="precision must be a name"):
            method(precision)
    with pytest.raises(TypeError, match="precision must be a name"):
        ALL[0].source("peak_flops_dense", precision)


@settings(deadline=None)
@given(st.text(max_size=10))
def test_any_other_precision_is_refused(text):
    a = specs.accelerator("H100 SXM")
    if text.strip().lower() not in a.precisions_dense:
        with pytest.raises(specs.PrecisionNotSupported):
            a.peak_flops_dense(text)


@every_row(
    ("key", "words"),
    [
        (("bandwidth",), "no field 'bandwidth'; there are year, .*memory_bandwidth, .*peak_flops_dense"),
        (("name",), "no field 'name'"),
        ((None,), "no field None"),
        (("tdp_watts", "bf16"), "tdp_watts has a single value"),
        (("tdp_watts",), "TPU v5e has no tdp_watts, .*Google prints no TDP"),
        (("compute_capability",), "TPU v5e has no compute_capability"),
        (("compute_unit_counts", "SM"), "for MXU_128x128, got 'SM'"),
    ],
)
def test_source_refuses(key, words):
    with pytest.raises(ValueError, match=words):
        specs.accelerator("TPU v5e").source(*key)


def test_source_of_an_absent_peak():
    with pytest.raises(specs.PrecisionNotSupported, match="no sparse peak"):
        specs.accelerator("TPU v5e").source("peak_flops_sparse", "bf16")


@every_row(
    "bits, names",
    [
        (64, ["fp64", "fp64_tensor"]),
        (32, ["fp32", "tf32", "FP32"]),
        (16, ["bf16", "fp16", "\tbf16"]),
        (8, ["fp8", "int8"]),
        (6, ["fp6"]),
        (4, ["fp4", "int4"]),
    ],
)
def test_bytes_of_an_element(bits, names):
    assert {specs.bytes_of(name) for name in names} == {bits / 8} == {specs.precision(name).bytes for name in names}


def test_every_precision_of_the_catalogue_has_a_size():
    assert all(specs.bytes_of(name) in (0.5, 0.75, 1, 2, 4, 8) for a in ALL for name in a.precisions_dense)


@pytest.mark.parametrize(
    "name, error", [("fp12", ValueError), ("", ValueError), ("bf", ValueError), (16, TypeError), (None, TypeError)]
)
def test_bytes_of_anything_else_is_refused(name, error):
    with pytest.raises(error, match="one of 'bf16', |a name such as"):
        specs.bytes_of(name)
