"""Human units: one reading or a refusal that names the readings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import units
from tests.tables import every_row

AGREE = [
    ("400 Gb/s", "50 GB/s"),
    ("400 Gbps", "50 GB/s"),
    ("400 Gbit/s", "50 GBps"),
    ("8 bits", "1 byte"),
    ("1 KiB", "1024 B"),
    ("1 kB", "1000 B"),
    ("1 KB", "1000 B"),
    ("1 MiB", "8 Mib"),
    ("1024 GiB", "1 TiB"),
    ("312 TFLOP/s", "312 TFLOPS"),
    ("1 PFLOP/s", "1000 TFLOP/s"),
    ("1000 us", "1 ms"),
    ("1 µs", "1 μs"),
    ("1 µs", "1000 ns"),
    ("1 us", "1000000 ps"),
    ("90 min", "1.5 h"),
    ("1 day", "24 hours"),
    ("1 kWh", "3600 kJ"),
    ("700 W", "0.7 kW"),
    ("1830 MHz", "1.83 GHz"),
    ("3 GB per second", "3 GB/s"),
    ("3 GB / sec", "3 GB/second"),
    ("2.5e1 GB", "25GB"),
    (".5 GB", "500. MB"),
    ("  7 GB ", "+7 GB"),
]


@every_row(("text", "other"), AGREE)
def test_two_spellings_of_one_quantity(text, other):
    assert units.parse(text) == units.parse(other)


@every_row(
    ("text", "unit", "value"),
    [
        ("400 Gb/s", "B/s", 50e9),
        ("80 GB", "bytes", 80e9),
        ("80 GiB", "B", 85_899_345_920.0),
        ("312 TFLOPS", "FLOP/s", 312e12),
        ("92 TOPS", "OP/s", 92e12),
        ("80 TFLOP", "FLOP", 80e12),
        ("295 FLOP/B", "FLOP/byte", 295.0),
        ("4.7 µs", "seconds", 4.7e-6),
        ("0 B", "B", 0.0),
        ("1 ZFLOP", None, 1e21),
    ],
)
def test_values_in_base_units(text, unit, value):
    parsed = units.parse(text, unit)
    assert parsed == value
    assert type(parsed) is float


def test_worked_examples():
    assert 1000 * units.parse("1000 TFLOP/s") == units.parse("1 EFLOP/s")  # printed as 1 PFLOP/s
    weights = 70e9 * 2
    assert weights == units.parse("140 GB")
    assert weights / units.GIB == pytest.approx(130.4, abs=0.05)  # the same bytes, in GiB


@pytest.mark.parametrize(
    ("ours", "theirs", "unit", "base"),
    [
        ("400 Gb/s", "400 gigabit/second", "B/s", "byte/second"),
        ("12.5 Mbit/s", "12.5 megabit/second", "B/s", "byte/second"),
        ("3.35 TB/s", "3.35 terabyte/second", "B/s", "byte/second"),
        ("80 GiB", "80 gibibyte", "B", "byte"),
        ("0.1 GB", "0.1 gigabyte", "B", "byte"),
        ("7 Kib", "7 kibibit", "B", "byte"),
        ("4.7 µs", "4.7 microsecond", "s", "second"),
        ("2 days", "2 day", "s", "second"),
        ("1.83 GHz", "1.83 gigahertz", "Hz", "1/second"),
        ("2 kWh", "2 kilowatt_hour", "J", "joule"),
    ],
)
def test_an_independent_unit_library_agrees(ours, theirs, unit, base):
    pint = pytest.importorskip("pint")
    quantity = pint.get_application_registry().Quantity(theirs).to(base)
    assert units.parse(ours, unit) == pytest.approx(quantity.magnitude, rel=1e-15)


@every_row(
    ("text", "unit", "readings"),
    [
        ("50 G", None, ["50 GB/s", "50 Gb/s", "50 GFLOP/s", "6.25e+09"]),
        ("50 G", "B/s", ["50 GB/s (5e+10 B/s)", "50 Gb/s (6.25e+09 B/s)"]),
        ("50 Gi", "B", ["50 GiB", "50 Gib"]),
        ("450 gbps", "B/s", ["450 GBps", "450 Gbps"]),
        ("300 GBPS", None, ["300 GBps", "300 Gbps"]),
        ("5 gb", "B", ["5 GB", "5 Gb"]),
        ("5 mb/s", "B/s", ["5 MB/s", "5 Mb/s"]),
        ("5 m", "s", ["5 ms", "5 min"]),
        ("5 MS", "s", ["5 Ms", "5 ms"]),
        ("80 TFLOPs", None, ["8e+13 FLOP ", "8e+13 FLOP/s"]),
        ("4 TMAC/s", "FLOP/s", ["8e+12", "4e+12"]),
        ("1,000 GB", "B", ["1000", "1.0"]),
        ("1_000 GB", "B", ["thousands"]),
    ],
)
def test_ambiguous_text_lists_its_readings(text, unit, readings):
    with pytest.raises(ValueError, match="ambiguous") as error:
        units.parse(text, unit)
    for reading in [*readings, repr(text)]:
        assert reading in str(error.value)


def test_the_unit_asked_for_settles_a_plural():
    assert units.parse("80 TFLOPs", "FLOP") == units.parse("80 TFLOP")
    assert units.parse("80 TFLOPs", "FLOP/s") == units.parse("80 TFLOP/s")


@every_row(
    ("text", "unit", "words"),
    [
        ("50", "B/s", "no unit"),
        ("50", None, "no unit"),
        ("50 furlong", None, "unknown unit 'furlong'"),
        ("32 GT/s", "B/s", "unknown unit 'GT/s'"),
        ("5 hz", "Hz", "5 Hz"),
        ("50 Gb", "B/s", "is in B, but B/s is asked for"),
        ("80 TFLOPS", "FLOP", "is in FLOP/s, but FLOP is asked for"),
        ("92 TOPS", "FLOP/s", "is in OP/s, but FLOP/s is asked for"),
        ("50 G B", "B", "unknown unit 'G B'"),
        ("-5 GB", "B", "negative"),
        ("nan GB", "B", "number"),
        ("inf GB", "B", "number"),
        ("", "B", "number"),
        ("GB", "B", "number"),
        ("1e400 GB", "B", "too large"),
        ("1e99999999999999999999 GB", "B", "too large"),
        ("5 GB", "GB", "unit must be one of the base units"),
        ("5 GB", "parsec", "got 'parsec'"),
    ],
)
def test_refusals_say_what_is_wrong(text, unit, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        units.parse(text, unit)


@every_row("text", [50, 50.0, None, True, b"50 GB", ["50 GB"]])
def test_only_text_is_parsed(text):
    with pytest.raises(TypeError, match="text must be a string"):
        units.parse(text, "B")


@pytest.mark.parametrize("unit", [8, ["B"], b"B", True])
def test_only_text_names_a_unit(unit):
    with pytest.raises(TypeError, match="unit must be text"):
        units.parse("50 GB", unit)


@given(
    value=st.floats(1e-11, 1e22),
    unit=st.sampled_from(["B", "B/s", "FLOP", "FLOP/s", "s", "W", "J", "Hz"]),
    digits=st.integers(1, 12),
)
def test_parse_undoes_show(value, unit, digits):
    """Whatever `show` prints with a prefix that makes sense is read back."""
    if value < 1 and unit in ("B", "B/s", "FLOP", "FLOP/s", "Hz"):
        value = 1 / value  # nobody has a thousandth of a byte
    if value > 9e23:
        return
    text = units.show(value, unit, digits)
    assert units.parse(text, unit) == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits) + 1e-15)


@given(number=st.decimals(0, 10**6, places=3), prefix=st.sampled_from(["", "k", "M", "G", "T"]))
def test_a_byte_is_eight_bits_and_a_prefix_a_thousand(number, prefix):
    in_bytes = units.parse(f"{number} {prefix}B/s", "B/s")
    assert units.parse(f"{number} {prefix}b/s", "B/s") == pytest.approx(in_bytes / 8, rel=1e-15)
    following = {"": "k", "k": "M", "M": "G", "G": "T", "T": "P"}[prefix]
    assert units.parse(f"{number} {following}B/s", "B/s") == pytest.approx(1000 * in_bytes, rel=1e-15)


@given(st.text(max_size=12))
def test_any_text_gives_a_number_or_a_clear_error(text):
    refusal, value = "", -1.0
    try:
        value = units.parse(text)
    except ValueError as error:
        refusal = str(error)
    assert value >= 0 or repr(text) in refusal


def test_a_callers_decimal_context_changes_nothing():
    import decimal

    with decimal.localcontext(prec=2):
        assert units.parse("3.35 TB/s") == 3.35e12
