"""Invalid arguments of the occupancy functions, and their messages."""

import numpy as np
import pytest

from chip2cluster import occupancy as occ
from tests.tables import every_row

WHOLE = [
    (True, TypeError, "must be a number, got the truth value True"),
    (None, TypeError, "must be a number"),
    ("32", TypeError, "must be a number or an array of numbers, got '32'"),
    (1.5, ValueError, "must be a whole number, got 1.5"),
    (float("nan"), ValueError, "must be finite, got nan"),
    (float("inf"), ValueError, "must be finite"),
    (-1, ValueError, "must be at least"),
    ([32, -1], ValueError, "must be at least"),
    ([32, 0.5], ValueError, "must hold whole numbers"),
    ([True, False], TypeError, "must be a number or an array of numbers"),
    ([32, None], TypeError, "must be a number or an array of numbers"),
    ([[1], [2, 3]], TypeError, "must be a number or an array of numbers"),
    (np.array([3, 2**40]), ValueError, "must be at most"),
    (np.array([3, -2]), ValueError, "must be at least"),
    (2**40, ValueError, "must be at most"),
    (1e300, ValueError, "must be at most"),
]
NUMBERS = ["threads_per_block", "registers_per_thread", "shared_memory_per_block", "static_shared_memory", "barriers"]


@every_row("name", [*NUMBERS, "carveout"])
def test_invalid_numbers_are_refused(name):
    for value, error, message in WHOLE:
        if name == "carveout" and value is None:
            continue  # None is the driver's default
        with pytest.raises(error, match=f"^{name} {message}"):
            occ.occupancy(**{"compute_capability": "9.0", "threads_per_block": 128} | {name: value})


@every_row(
    ("name", "value", "message"),
    [
        ("threads_per_block", 0, "threads_per_block must be at least 1, got 0"),
        ("threads_per_block", 1025, "threads_per_block must be at most 1024, got 1025"),
        ("threads_per_block", [1024, 1025], r"threads_per_block must be at most 1024, got \[1024, 1025\]"),
        ("registers_per_thread", 256, "registers_per_thread must be at most 255, got 256"),
        ("barriers", 17, "barriers must be at most 16, got 17"),
        ("carveout", 101, "carveout must be at most 100, got 101"),
    ],
)
def test_values_beyond_the_hardware_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        occ.occupancy(**{"compute_capability": "9.0", "threads_per_block": 128} | {name: value})


@every_row("value", [2, -1, 1.0, None, "yes", [1, 2], np.array([0.0]), [[True], [True, False]]])
def test_opt_in_must_be_a_bool(value):
    with pytest.raises(TypeError, match="opt_in must be True or False, or an array of them, got"):
        occ.occupancy("9.0", 128, opt_in=value)


@pytest.mark.parametrize("function", [lambda name: occ.occupancy(name, 128), occ.limits])
def test_unknown_capability_error_lists_the_known(function):
    with pytest.raises(ValueError, match=r"compute_capability must be one of '7.0', '7.5', .*'12.1', got '6.1'"):
        function("6.1")
    for wrong in (9.0, 90, None, ["9.0"], b"9.0", True):
        with pytest.raises(TypeError, match=r"compute_capability must be one of '7\.0'"):
            function(wrong)


def test_incompatible_shapes_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        occ.occupancy("9.0", [32, 64], [16, 32, 48])


@every_row("axis", ["threads_per_block", "registers_per_thread", "shared_memory_per_block"])
@every_row("value", [32, [[32], [64]], [[1], [2, 3]]])
def test_sweep_axes_are_one_dimensional(axis, value):
    axes = {"threads_per_block": [32], "registers_per_thread": [32], "shared_memory_per_block": [0]}
    with pytest.raises(ValueError, match=f"{axis} must be a one-dimensional sequence"):
        occ.sweep("9.0", **axes | {axis: value})


def test_sweep_checks_what_occupancy_checks():
    with pytest.raises(ValueError, match="threads_per_block must be at most 1024"):
        occ.sweep("9.0", [32, 2048], [32], [0])
    with pytest.raises(TypeError, match="registers_per_thread must be a number"):
        occ.sweep("9.0", [32], ["32"], [0])
    with pytest.raises(ValueError, match="carveout must be at most 100"):
        occ.sweep("9.0", [32], [32], [0], carveout=200)


def test_limited_by_refuses_unknown_factors():
    with pytest.raises(ValueError, match=r"factor must be one of 'warps', .*, got 'luck'"):
        occ.occupancy("9.0", 128).limited_by("luck")
    with pytest.raises(ValueError, match="factor must be one of"):
        occ.occupancy("9.0", 128).limited_by(["warps"])


@every_row("given, words", [
    ("H100", "the H100 SXM has '9.0'"),
    ("a100", "the A100 SXM 40GB has '8.0'"),
    ("sm_90", "write '9.0'"),
    ("sm_90a", "write '9.0'"),
    ("compute_80", "write '8.0'"),
    (9.0, "write '9.0'"),
    ("10", "write '10.0'"),
])  # fmt: skip
def test_capability_error_suggests_the_right_name(given, words):
    with pytest.raises((ValueError, TypeError), match="compute_capability must be one of") as caught:
        occ.occupancy(given, 256)
    assert str(caught.value).endswith(words)


@pytest.mark.parametrize("given", ["", "MI300X", "foo", None, "sm_"])
def test_capability_error_without_suggestion(given):
    with pytest.raises((ValueError, TypeError), match=r"got .{2,8}$"):
        occ.occupancy(given, 256)
