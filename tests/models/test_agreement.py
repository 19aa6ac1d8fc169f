"""Where two modules keep the same number, they keep the same number."""

import pytest

from chip2cluster import hierarchy, specs
from tests.tables import every_row

IN_THE_CATALOGUE = {"GH200 with 96 GB HBM3": "GH200 96GB"}  # where the ladder's name is none of the catalogue's


@every_row("system", hierarchy.systems())
def test_ladder_and_catalogue_agree_on_device_memory(system):
    device = specs.accelerator(IN_THE_CATALOGUE.get(system.accelerator, system.accelerator))
    tier = system.tier("HBM")
    assert tier.bandwidth_one_way == pytest.approx(device.memory_bandwidth)
    # The ladder keeps GiB where a vendor prints GiB; the catalogue keeps the printed number as GB.
    assert device.memory_bytes <= tier.capacity_bytes * (1 + 1e-9) <= device.memory_bytes * 2**30 / 1e9 * (1 + 1e-9)
