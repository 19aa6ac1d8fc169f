"""No figure rests on one reading: second readings of memory, peak and links, as the catalogue's file holds them."""

import math

import pytest

from chip2cluster import specs
from chip2cluster.specs.catalogue import load
from tests.tables import every_row

RECORDS = {record["id"]: record for record in load()["accelerators"]}
FIGURES = {
    "memory": ("memory_bytes", "memory_bandwidth"),
    "peak": ("peak_flops_dense", "peak_flops_sparse"),
    "links": ("scale_up_link", "scale_up_bandwidth_one_way", "scale_up_bandwidth_both_ways"),
}
# Relative rounding of each kind of product, unless the reading names its own.
ROUNDING = {"value": 1e-9, "units": 3e-3, "links": 1e-9, "lanes": 1e-3, "bus_bits": 0.025}


def entries(record, field):
    """Each entry of a field that has a value, with the name of its precision, if any."""
    found = record.get(field, {})
    for name, entry in [(None, found)] if "value" in found else found.items():
        if entry["value"] is not None:
            yield name, entry


READINGS = [
    (record["id"], field, name, number, reading)
    for record in RECORDS.values()
    for fields in FIGURES.values()
    for field in fields
    for name, entry in entries(record, field)
    for number, reading in enumerate(entry.get("second_readings", ()))
]


def implied(reading):
    """Figure that a second reading prints or implies."""
    if "value" in reading:
        return reading["value"]
    if "units" in reading:
        return math.prod((reading["units"], reading["fma_per_unit"], 2, reading["clock_hz"]))
    if "chips" in reading:
        return reading["total"] / reading["chips"]
    if "links" in reading:
        return reading["links"] * reading["bandwidth_per_link"]
    if "lanes" in reading:
        return reading["lanes"] * reading["transfers_per_second"] * 128 / 130 / 8
    return reading["bus_bits"] * reading["transfers_per_second"] / 8


@every_row(("key", "field", "name", "number", "reading"), READINGS)
def test_second_reading_agrees_with_the_figure(key, field, name, number, reading):
    a = specs.accelerator(key)
    value = getattr(a, field)(name) if callable(getattr(a, field)) else getattr(a, field)
    if isinstance(value, str):
        assert value == implied(reading)
        return
    rounding = reading.get("rounding") or next(ROUNDING[kind] for kind in ROUNDING if kind in reading)
    assert value == pytest.approx(implied(reading), rel=rounding)
    if "units" in reading:
        assert reading["units"] == a.compute_units and reading["clock_hz"] in (a.boost_clock_hz, a.max_clock_hz)
    if "links" in reading:
        assert reading["links"] == a.scale_up_links


def test_number_of_second_readings_does_not_fall():
    assert len(READINGS) >= 295


def checked(record, figure):
    """Whether any value of a figure has a second reading."""
    return any("second_readings" in entry for field in FIGURES[figure] for _, entry in entries(record, field))


@pytest.mark.parametrize("figure", FIGURES)
def test_each_chip_has_a_second_reading_or_a_reason(figure):
    missing = [
        key
        for key, record in RECORDS.items()
        if not checked(record, figure) and figure not in record.get("unchecked", {})
    ]
    assert not missing, (
        f'no second reading of the {figure} of {", ".join(missing)}: add "second_readings" to a value of '
        f'{" or ".join(FIGURES[figure])} in accelerators.json, or the reason to "unchecked" of the record'
    )


@every_row("key", RECORDS)
def test_reason_stands_only_where_it_is_needed(key):
    assert not [figure for figure in RECORDS[key].get("unchecked", {}) if checked(RECORDS[key], figure)]


@every_row("key", RECORDS)
def test_memory_has_both_capacity_and_bandwidth_read_twice(key):
    fields = FIGURES["memory"]
    read = {"second_readings" in entry for field in fields for _, entry in entries(RECORDS[key], field)}
    assert len(read) == 1  # both or, with a reason, neither
