"""Numbers as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import units
from tests.tables import every_row


@every_row(
    "value, unit, text",
    [
        (312e12, "FLOP/s", "312 TFLOP/s"),
        (0.9996e12, "B/s", "1.00 TB/s"),
        (0, "s", "0 s"),
        (1e-6, "s", "1.00 µs"),
        (999.4, "W", "999 W"),
        (-5e3, "B", "-5.00 kB"),
        (1.1264e18, "FLOP/s", "1.13 EFLOP/s"),
    ],
)
def test_show(value, unit, text):
    assert units.show(value, unit) == text


@given(st.floats(1e-11, 1e22), st.integers(2, 6))
def test_shown_value_is_within_half_a_digit(value, digits):
    number, unit = units.show(value, "B", digits).split(" ")
    scale = {prefix + "B": 10.0**power for power, prefix in units.PREFIXES.items()}[unit]
    assert float(number) * scale == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits))
    assert 1 <= float(number) < 1000 or value < 1e-12


def test_gigabyte_and_gibibyte_differ():
    assert pytest.approx(1.0737, abs=1e-4) == units.GIB / units.GB


def test_constants_are_the_sizes_that_are_read():
    decimal = [units.KB, units.MB, units.GB, units.TB, units.PB]
    assert decimal == [units.parse(f"1 {prefix}B", "B") for prefix in "KMGTP"]
    binary = [units.KIB, units.MIB, units.GIB, units.TIB]
    assert binary == [units.parse(f"1 {prefix}iB", "B") for prefix in "KMGT"]


@every_row("text, written", [
    ("-5.02", "\N{MINUS SIGN}5.02"), ("-.5 and (-3)", "\N{MINUS SIGN}.5 and (\N{MINUS SIGN}3)"), ("-1e-05", "\N{MINUS SIGN}1e\N{MINUS SIGN}05"),
    ("2026-11-27", "2026-11-27"), ("ZeRO-1, H100-80GB", "ZeRO-1, H100-80GB"), ("f(x)-1", "f(x)-1"), ("--json -v", "--json -v"),
])  # fmt: skip
def test_minus_is_written_before_numbers_alone(text, written):
    assert units.with_minus(text) == written
