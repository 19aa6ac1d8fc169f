"""Helpers shared by the tests of the catalogue."""

from chip2cluster import specs
from tests.tables import every_row

ALL = specs.accelerators()
EACH = every_row("a", ALL)
PLAIN = [
    "year",
    "compute_capability",
    "memory_bytes",
    "memory_type",
    "memory_bandwidth",
    "scale_up_link",
    "scale_up_links",
    "scale_up_bandwidth_one_way",
    "scale_up_bandwidth_both_ways",
    "tdp_watts",
    "peak_watts",
    "tdp_covers",
    "boost_clock_hz",
    "max_clock_hz",
    "compute_units",
]


def dense(name, precision):
    return specs.accelerator(name).peak_flops_dense(precision)
