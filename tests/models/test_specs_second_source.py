"""No figure rests on one reading: memory, peak and links of each chip are held against a second source."""

import pytest

from chip2cluster import specs
from tests.models.catalogue import ALL
from tests.models.test_specs_hardware import LINKS, PCIE, PODS, UNITS_TIMES_CLOCK
from tests.models.test_specs_published import BOTH_WAYS, DENSE_AND_SPARSE, MEMORY, NVLINK
from tests.tables import every_row

CHECKS = {
    "memory": ("MEMORY", (MEMORY,)),
    "peak": ("DENSE_AND_SPARSE, UNITS_TIMES_CLOCK or PODS", (DENSE_AND_SPARSE, UNITS_TIMES_CLOCK, PODS)),
    "links": ("NVLINK, BOTH_WAYS, LINKS or PCIE", (NVLINK, BOTH_WAYS, LINKS, PCIE)),
}
# (id, figure): why there is no second source.
UNCHECKED = {
    ("rtxpro6000-server", "peak"): "one data sheet, and it prints no clock to compute with",
    ("mi300a", "links"): "one table, and whether it counts both ways is not certain: see the note of the value",
    ("trn1", "peak"): "AWS alone prints peaks, and no clock",
    ("trn1", "links"): "AWS alone prints a rate, and no number of links",
    ("trn2", "links"): "the table repeats AWS, which does not say how it counts: see the note of the value",
    ("ascend-910", "peak"): "Huawei alone prints peaks, and no clock",
    ("ascend-910b", "peak"): "press reports alone, all of low confidence",
    ("h100-64", "memory"): "the size stands in the machine's own page, the bandwidth in press tables that disagree",
    ("mi455x", "peak"): "AMD's projections alone, and how they count is not certain: see the note of the value",
    ("trn3", "links"): "AWS alone prints a rate, and does not say how it counts: see the note of the value",
    ("tpu-8t", "links"): "Google alone prints a rate, and does not say how it counts: see the note of the value",
    ("tpu-8i", "links"): "Google alone prints a rate, and does not say how it counts: see the note of the value",
    ("xeon-8480", "links"): "a CPU: the catalogue holds no links of it",
    ("ascend-910b", "links"): "press reports alone, all of low confidence",
}


def checked(figure):
    return {specs.accelerator(row[0]).id for table in CHECKS[figure][1] for row in table}


@pytest.mark.parametrize("figure", CHECKS)
def test_each_chip_has_a_second_source_or_the_reason_why_not(figure):
    missing = [a.id for a in ALL if a.id not in checked(figure) and (a.id, figure) not in UNCHECKED]
    assert not missing, (
        f"no second source for the {figure} of {', '.join(missing)}: add a row to {CHECKS[figure][0]} "
        f"(tests/models/test_specs_published.py or _hardware.py), or the reason to UNCHECKED"
    )


@every_row(("name", "figure"), UNCHECKED)
def test_a_reason_stands_only_where_it_is_needed(name, figure):
    assert name in {a.id for a in ALL} - checked(figure)
