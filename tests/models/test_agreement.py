"""Where two modules keep the same number, they keep the same number."""

import pytest

from chip2cluster import hierarchy, specs

DEVICES = {
    "DGX A100": "A100 SXM 80GB",
    "DGX H100": "H100 SXM",
    "DGX B200": "B200",
    "GH200": "GH200 96GB",
    "MI300X platform": "MI300X",
    "TPU v4 host": "TPU v4",
    "TPU v5p host": "TPU v5p",
}


@pytest.mark.parametrize("system", hierarchy.systems(), ids=lambda system: system.name)
def test_ladder_and_catalogue_agree_on_device_memory(system):
    device = specs.accelerator(DEVICES[system.name])
    tier = system.tier("HBM")
    assert tier.bandwidth_one_way == pytest.approx(device.memory_bandwidth)
    # The ladder keeps GiB where a vendor prints GiB; the catalogue keeps the printed number as GB.
    assert device.memory_bytes <= tier.capacity_bytes * (1 + 1e-9) <= device.memory_bytes * 2**30 / 1e9 * (1 + 1e-9)
